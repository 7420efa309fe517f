// SPDX-License-Identifier: GPL-3.0-or-later
/* From the YAML tree to an experiment with boards. Whatever is wrong gives up through the heap's guard, with
 * its place. */
#include "lab/boards/grid.h"
#include "lab/spec/doc.h"
#include "lab/spec/library.h"
#include "player/script.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRID_MEMORY ((size_t)64 << 20)
#define GRID_MAX_NUMBER 1000000

static const char *text_or(struct heap *heap, const struct doc_node *map, const char *key,
                           const char *otherwise)
{
    const struct doc_node *node = doc_get(map, key);
    return node ? doc_text(heap, node, key) : otherwise;
}

static int64_t whole_or(struct heap *heap, const struct doc_node *map, const char *key, int64_t otherwise,
                        uint64_t min, uint64_t max)
{
    const struct doc_node *node = doc_get(map, key);
    return node ? (int64_t)doc_whole(heap, node, key, min, max) : otherwise;
}

/* The index of a word in a list that ends with NULL. */
static uint32_t choice(struct heap *heap, const struct doc_node *map, const char *key,
                       const char *const *words, uint32_t otherwise)
{
    const struct doc_node *node = doc_get(map, key);
    if (!node) return otherwise;
    const char *word = doc_text(heap, node, key);
    char all[200] = "";
    for (uint32_t i = 0; words[i]; i++) {
        if (strcmp(words[i], word) == 0) return i;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", words[i]);
    }
    doc_fail(heap, node, "%s is one of %s, not '%.60s'", key, all, word);
}

static void read_board(struct heap *heap, const struct doc_node *map, struct diagram_request *q)
{
    static const char *const keys[] = {"like",  "string", "goal",   "score",  "limit", "trail",
                                       "lanes", "length", "active", "factor", "pawns", NULL};
    static const char *const no_yes[] = {"no", "yes", NULL};
    doc_expect_keys(heap, map, "board", keys);
    *q = diagram_request_default;
    q->like = text_or(heap, map, "like", NULL);
    q->text = text_or(heap, map, "string", NULL);
    q->goal = text_or(heap, map, "goal", NULL);
    q->score = text_or(heap, map, "score", NULL);
    q->limit = whole_or(heap, map, "limit", q->limit, 0, DIAGRAM_MAX_LIMIT);
    q->lanes = whole_or(heap, map, "lanes", q->lanes, 1, DIAGRAM_MAX_SIDE);
    q->length = whole_or(heap, map, "length", q->length, 1, DIAGRAM_MAX_SIDE);
    q->active = whole_or(heap, map, "active", q->active, 0, 10);
    q->factor = whole_or(heap, map, "factor", q->factor, 1, DIAGRAM_MAX_LIMIT);
    q->pawns = whole_or(heap, map, "pawns", q->pawns, 1, 6);
    q->trail = choice(heap, map, "trail", no_yes, 0);
    if (!q->like == !q->text) doc_fail(heap, map, "a board needs either like or string");
}

/* "2-20" or a list of numbers. */
static void read_values(struct heap *heap, const struct doc_node *node, struct grid_axis *a)
{
    a->n = 0;
    if (node->kind == DOC_TEXT) {
        unsigned long long from, to;
        char rest;
        if (sscanf(node->text, "%llu-%llu%c", &from, &to, &rest) == 2 && from <= to &&
            to - from < GRID_MAX_VALUES)
            for (unsigned long long v = from; v <= to; v++) a->values[a->n++] = (int64_t)v;
        else
            a->values[a->n++] =
                (int64_t)doc_whole(heap, node, "a value (or a range such as 2-20)", 0, (uint64_t)1e15);
        return;
    }
    doc_expect(heap, node, DOC_LIST, "the values of an axis");
    if (node->n == 0 || node->n > GRID_MAX_VALUES)
        doc_fail(heap, node, "an axis has 1 to %d values", GRID_MAX_VALUES);
    for (uint32_t i = 0; i < node->n; i++) {
        a->values[a->n++] = (int64_t)doc_whole(heap, node->items[i], "a value", 0, (uint64_t)1e15);
        if (i && a->values[i] <= a->values[i - 1])
            doc_fail(heap, node->items[i], "the values of an axis must ascend");
    }
}

/* {lanes: 2-20, label: ...} */
static void read_axis(struct heap *heap, const struct doc_node *experiment, const char *what,
                      struct grid_axis *a)
{
    const struct doc_node *map = doc_get(experiment, what);
    const char *keys[GRID_PARAMETERS + 2] = {"label"};
    memcpy(keys + 1, grid_parameter_names, sizeof grid_parameter_names);
    if (!map) doc_fail(heap, experiment, "the key %s is missing: {PARAMETER: VALUES}", what);
    doc_expect_keys(heap, map, what, keys);
    const struct doc_node *values = NULL;
    for (int i = 0; i < GRID_PARAMETERS; i++) {
        const struct doc_node *node = doc_get(map, grid_parameter_names[i]);
        if (node && values) doc_fail(heap, node, "an axis has one parameter");
        if (node) values = node, a->parameter = (enum grid_parameter)i;
    }
    if (!values) doc_fail(heap, map, "which parameter varies %s? As in {lanes: 2-20}", what);
    read_values(heap, values, a);
    a->label = text_or(heap, map, "label", grid_parameter_names[a->parameter]);
}

static void read_player(struct heap *heap, const struct doc_node *map, struct grid *g)
{
    struct error error = {0};
    const struct doc_node *node = doc_get(map, "player");
    g->player_text = node ? doc_text(heap, node, "player") : "cadia2007,c=70.7,discount=1";
    if (!player_config_parse(g->player_text, &g->player, &error)) {
        if (node) doc_fail(heap, node, "%s", error.text);
        heap_fail(heap, ERROR_INTERNAL, "%s", error.text);
    }
    const struct player_config *c = &g->player;
    if (c->kind != PLAYER_SEARCH || !c->tree || c->playout != PLAYOUT_UNIFORM || c->rave || c->urgency ||
        c->cutoff || c->lgr || c->discount != 1)
        doc_fail(heap, node,
                 "searches side by side are plain UCT without discount, such as cadia2007,c=70.7,discount=1");
    g->opponent = text_or(heap, map, "opponent", "");
    if (!script_check(g->opponent, &error)) doc_fail(heap, doc_get(map, "opponent"), "%s", error.text);
}

static void read_budget(struct heap *heap, const struct doc_node *node, struct grid *g)
{
    static const char *const keys[] = {"steps", "sims", NULL};
    if (!node) return;
    doc_expect_keys(heap, node, "budget", keys);
    g->steps = (uint64_t)whole_or(heap, node, "steps", 0, 1, (uint64_t)1e15);
    g->sims = (uint64_t)whole_or(heap, node, "sims", 0, 1, (uint64_t)1e15);
}

static void read_quick(struct heap *heap, const struct doc_node *map, struct grid *g)
{
    static const char *const keys[] = {"number", "across", "along", NULL};
    if (!map) {
        if (g->number > 20) g->number = 20;
        return;
    }
    doc_expect_keys(heap, map, "quick", keys);
    g->number = (uint32_t)whole_or(heap, map, "number", g->number, 1, GRID_MAX_NUMBER);
    if (doc_get(map, "across")) read_values(heap, doc_get(map, "across"), &g->across);
    if (doc_get(map, "along")) read_values(heap, doc_get(map, "along"), &g->along);
}

/* Another budget or seed makes other games: another experiment. */
static void apply_changes(struct grid *g, const struct doc_node *map, const struct grid_changes *c)
{
    char name[300];
    uint64_t steps = g->steps, sims = g->sims, seed = g->seed;
    if (c->quick) read_quick(g->heap, doc_get(map, "quick"), g);
    if (c->number) g->number = c->number;
    if (c->steps || c->sims) g->steps = c->steps, g->sims = c->sims;
    if (c->new_seed) g->seed = c->seed;
    int n = snprintf(name, sizeof name, "%.200s", g->name);
    if (g->steps != steps || g->sims != sims)
        n += snprintf(name + n, sizeof name - (size_t)n, ":%" PRIu64 "%s", g->steps ? g->steps : g->sims,
                      g->steps ? "steps" : "sims");
    if (g->seed != seed) n += snprintf(name + n, sizeof name - (size_t)n, ":seed%" PRIu64, g->seed);
    g->name = heap_strdup(g->heap, name, (size_t)n);
}

static void check_points(struct grid *g, const struct doc_node *at)
{
    bool steps = g->across.parameter == GRID_STEPS || g->along.parameter == GRID_STEPS;
    bool sims = g->across.parameter == GRID_SIMS || g->along.parameter == GRID_SIMS;
    if (g->across.parameter == g->along.parameter)
        doc_fail(g->heap, at, "across and along vary the same parameter");
    if (!g->steps && !g->sims && !steps && !sims)
        doc_fail(g->heap, at, "the budget is missing: {steps: N} or {sims: N}");
    for (uint32_t i = 0; i < g->across.n; i++)
        for (uint32_t j = 0; j < g->along.n; j++) {
            struct grid_point p = grid_point(g, i, j);
            struct diagram diagram;
            struct error error = {0};
            if (!diagram_open(g->heap, &p.board, &diagram, &error)) doc_fail(g->heap, at, "%s", error.text);
        }
}

static void read_grid(struct grid *g, const char *text, size_t size, const struct grid_changes *changes)
{
    static const char *const keys[] = {"name",   "title",    "description", "board",  "across",   "along",
                                       "player", "opponent", "budget",      "number", "together", "measure",
                                       "show",   "seed",     "says",        "quick",  NULL};
    static const char *const measures[] = {"wins", "moves", NULL};
    static const char *const shows[] = {"contours", "lines", "table", NULL};
    struct heap *heap = g->heap;
    struct error error = {0};
    const struct doc_node *map = doc_read(heap, g->file, text, size, &error);
    if (!map) heap_fail(heap, error.code, "%s", error.text);
    doc_expect_keys(heap, map, "an experiment with boards", keys);
    const char *base = strrchr(g->file, '/');
    base = base ? base + 1 : g->file;
    g->name = text_or(heap, map, "name", heap_strdup(heap, base, strcspn(base, ".")));
    g->title = text_or(heap, map, "title", g->name);
    g->description = text_or(heap, map, "description", "");
    g->says = text_or(heap, map, "says", "");
    if (!doc_get(map, "board")) doc_fail(heap, map, "the key board is missing");
    read_board(heap, doc_get(map, "board"), &g->board);
    read_axis(heap, map, "across", &g->across);
    read_axis(heap, map, "along", &g->along);
    read_player(heap, map, g);
    read_budget(heap, doc_get(map, "budget"), g);
    g->number = (uint32_t)whole_or(heap, map, "number", 100, 1, GRID_MAX_NUMBER);
    g->together = (uint32_t)whole_or(heap, map, "together", 64, 1, GRID_MAX_TOGETHER);
    g->seed = (uint64_t)whole_or(heap, map, "seed", 1, 0, UINT64_MAX / 2);
    g->measure = (enum grid_measure)choice(heap, map, "measure", measures, GRID_WINS);
    g->show =
        (enum grid_show)choice(heap, map, "show", shows, g->measure == GRID_MOVES ? GRID_TABLE : GRID_LINES);
    if (changes) apply_changes(g, map, changes);
    check_points(g, map);
}

struct grid *grid_read(const char *file, const char *text, size_t size, const struct grid_changes *changes,
                       struct error *error)
{
    struct heap_guard guard;
    struct heap *heap = heap_new(GRID_MEMORY);
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    if (HEAP_ENTER(heap, &guard, error)) {
        struct grid *g = heap_zalloc(heap, sizeof *g);
        g->heap = heap;
        g->file = heap_strdup(heap, file, strlen(file));
        read_grid(g, text, size, changes);
        heap_leave(heap);
        return g;
    }
    heap_free(heap);
    return NULL;
}

/* "NAME:20000steps:seed7" is a variant of NAME, as apply_changes calls it; *c gets what is changed. */
static void split_variant(const char *what, char *base, size_t size, struct grid_changes *c)
{
    snprintf(base, size, "%s", what);
    for (char *colon; (colon = strrchr(base, ':'));) {
        unsigned long long n;
        char unit[6], rest;
        if (sscanf(colon, ":%llu%5[a-z]%c", &n, unit, &rest) == 2 && strcmp(unit, "steps") == 0)
            c->steps = n;
        else if (sscanf(colon, ":%llu%5[a-z]%c", &n, unit, &rest) == 2 && strcmp(unit, "sims") == 0)
            c->sims = n;
        else if (sscanf(colon, ":seed%llu%c", &n, &rest) == 1)
            c->new_seed = true, c->seed = n;
        else
            return;
        *colon = '\0';
    }
}

struct grid *grid_load(const char *path_or_name, const struct grid_changes *changes, struct error *error)
{
    char base[4400], path[4400], *text;
    size_t size;
    struct grid_changes all = changes ? *changes : (struct grid_changes){0};
    split_variant(path_or_name, base, sizeof base, &all);
    if (!lab_find(base, path, sizeof path, error) || !lab_read_file(path, &text, &size, error)) return NULL;
    struct grid *g = grid_read(path, text, size, &all, error);
    free(text);
    return g;
}

bool grid_recognise(const char *path_or_name)
{
    char base[4400], path[4400], *text;
    size_t size;
    struct error error = {0};
    struct heap_guard guard;
    struct grid_changes ignored = {0};
    split_variant(path_or_name, base, sizeof base, &ignored);
    if (!lab_find(base, path, sizeof path, &error) || !lab_read_file(path, &text, &size, &error))
        return false;
    struct heap *heap = heap_new(GRID_MEMORY);
    volatile bool found = false;
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        const struct doc_node *map = doc_read(heap, path, text, size, &error);
        found = map && map->kind == DOC_MAP && doc_get(map, "board");
        heap_leave(heap);
    }
    heap_free(heap);
    free(text);
    return found;
}

static void prune_axis(struct grid_axis *a, const bool *keep)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (keep[i]) a->values[n++] = a->values[i];
    a->n = n;
}

void grid_prune(struct grid *g, const struct grid_results *r)
{
    bool across[GRID_MAX_VALUES] = {0}, along[GRID_MAX_VALUES] = {0};
    for (uint32_t j = 0; j < g->along.n; j++)
        for (uint32_t i = 0; i < g->across.n; i++)
            if (r->cells[j * g->across.n + i].games) across[i] = along[j] = true;
    prune_axis(&g->across, across);
    prune_axis(&g->along, along);
}

void grid_free(struct grid *g)
{
    if (g) heap_free(g->heap);
}
