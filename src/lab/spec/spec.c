// SPDX-License-Identifier: GPL-3.0-or-later
/* From the YAML tree to an experiment. Whatever is wrong gives up through the heap's guard, with its place.
 */
#include "lab/spec/spec_internal.h"

#include "lab/spec/library.h"
#include "lab/spec/published.h"
#include "lab/spec/rates.h"
#include "net/post.h"

#include <ctype.h>
#include <stdlib.h>
#include <sys/stat.h>

#define SPEC_MEMORY ((size_t)256 << 20)
#define SPEC_MAX_ROWS 1000
#define SPEC_MAX_NUMBER 10000000

/* ---- small parts ---- */

struct match_budget spec_read_budget(struct spec_reader *r, const struct doc_node *node)
{
    static const char *const keys[] = {"sims", "steps", "seconds", "expansions", "start", NULL};
    struct match_budget b = {0};
    doc_expect_keys(r->heap, node, "budget", keys);
    const struct doc_node *sims = doc_get(node, "sims"), *seconds = doc_get(node, "seconds"),
                          *expansions = doc_get(node, "expansions"), *start = doc_get(node, "start"),
                          *steps = doc_get(node, "steps");
    if (sims) b.simulations = doc_whole(r->heap, sims, "sims", 1, (uint64_t)1e15);
    if (seconds) b.seconds = doc_real(r->heap, seconds, "seconds", 1e-3, 1e6);
    if (expansions) b.expansions = doc_whole(r->heap, expansions, "expansions", 1, (uint64_t)1e15);
    if (steps) b.steps = doc_whole(r->heap, steps, "steps", 1, (uint64_t)1e15);
    if (!sims && !steps && !seconds && !expansions)
        doc_fail(r->heap, node, "a budget needs sims, steps, seconds or expansions");
    if (start && seconds)
        b.start_seconds = doc_real(r->heap, start, "start (in seconds)", 0, 1e6);
    else if (start && sims)
        b.start_simulations = doc_whole(r->heap, start, "start (in simulations)", 0, (uint64_t)1e15);
    else if (start && steps)
        b.start_steps = doc_whole(r->heap, start, "start (in steps)", 0, (uint64_t)1e15);
    else if (start)
        doc_fail(r->heap, start, "start goes with sims, steps or seconds, not with expansions alone");
    return b;
}

static void read_own_budget(struct spec_reader *r, const struct doc_node *map, bool *own,
                            struct match_budget *budget)
{
    const struct doc_node *node = doc_get(map, "budget");
    *own = node != NULL;
    if (node) *budget = spec_read_budget(r, node);
}

uint32_t spec_read_number(struct spec_reader *r, const struct doc_node *map, uint32_t otherwise)
{
    const struct doc_node *node = doc_get(map, "number");
    return node ? (uint32_t)doc_whole(r->heap, node, "number", 1, SPEC_MAX_NUMBER) : otherwise;
}

/* A text for people: one line, something in it. */
static const char *read_label(struct spec_reader *r, const struct doc_node *node, const char *what)
{
    const char *s = doc_text(r->heap, node, what);
    if (!*s) doc_fail(r->heap, node, "%s is empty", what);
    for (const char *c = s; *c; c++)
        if ((unsigned char)*c < ' ') doc_fail(r->heap, node, "%s must be one line", what);
    return s;
}

struct doc_node *spec_read_beside(struct spec *s, const struct doc_node *at, const char *what)
{
    char path[4400];
    char *text;
    size_t size;
    struct error error = {0};
    const char *slash = strrchr(s->file, '/'), *name = doc_text(s->heap, at, what);
    snprintf(path, sizeof path, "%.*s%.200s", slash && name[0] != '/' ? (int)(slash - s->file + 1) : 0,
             s->file, name);
    if (!lab_read_file(path, &text, &size, &error)) doc_fail(s->heap, at, "%s", error.text);
    struct doc_node *root = doc_read(s->heap, heap_strdup(s->heap, path, strlen(path)), text, size, &error);
    free(text);
    if (!root) heap_fail(s->heap, error.code, "%s", error.text);
    return root;
}

/* ---- games ---- */

/* The sheet: a file beside the experiment, or what `ludens play` would find. */
static const char *find_sheet(struct spec_reader *r, const struct doc_node *at, const char *name)
{
    char path[4400];
    struct stat st;
    struct error error = {0};
    const char *slash = strrchr(r->spec->file, '/');
    if (name[0] != '/' && slash) {
        snprintf(path, sizeof path, "%.*s/%.200s", (int)(slash - r->spec->file), r->spec->file, name);
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) return heap_strdup(r->heap, path, strlen(path));
    }
    if (!game_find(name, path, sizeof path, &error)) doc_fail(r->heap, at, "%s", error.text);
    return heap_strdup(r->heap, path, strlen(path));
}

static void read_games(struct spec_reader *r, const struct doc_node *list)
{
    static const char *const keys[] = {"game", "label", "number", "budget", NULL};
    VEC(struct spec_game) games = {0};
    doc_expect(r->heap, list, DOC_LIST, "games");
    if (list->n == 0 || list->n > SPEC_MAX_ROWS)
        doc_fail(r->heap, list, "games must name 1 to %d games", SPEC_MAX_ROWS);
    for (uint32_t i = 0; i < list->n; i++) {
        const struct doc_node *item = list->items[i], *name = item, *label = NULL;
        struct spec_game g = {0};
        if (item->kind != DOC_TEXT) {
            doc_expect_keys(r->heap, item, "a game", keys);
            name = doc_get(item, "game");
            if (!name) doc_fail(r->heap, item, "which game? The key is game");
            label = doc_get(item, "label");
            g.number = spec_read_number(r, item, 0);
            read_own_budget(r, item, &g.own_budget, &g.budget);
        }
        g.name = read_label(r, name, "a game");
        g.path = find_sheet(r, name, g.name);
        const char *base = strrchr(g.name, '/');
        base = base ? base + 1 : g.name;
        size_t n = strlen(base);
        if (n > 4 && strcmp(base + n - 4, ".kif") == 0) n -= 4;
        g.label = label ? read_label(r, label, "label") : heap_strdup(r->heap, base, n);
        for (uint32_t k = 0; k < games.n; k++)
            if (strcmp(games.v[k].label, g.label) == 0)
                doc_fail(r->heap, item, "'%.100s' is here for the second time; a label tells them apart",
                         g.label);
        vec_push(r->heap, &games, g);
    }
    r->spec->games = games.v;
    r->spec->ngames = games.n;
}

/* ---- players ---- */

static struct spec_player read_player(struct spec_reader *r, const char *name, const struct doc_node *value)
{
    static const char *const keys[] = {"player", "speed", "budget", NULL};
    struct spec_player p = {.name = name, .speed = 1};
    const struct doc_node *text = value, *speed = NULL;
    struct player_config config;
    struct error error = {0};
    if (value->kind != DOC_TEXT) {
        doc_expect_keys(r->heap, value, "a player", keys);
        text = doc_get(value, "player");
        if (!text) doc_fail(r->heap, value, "which player? The key is player");
        speed = doc_get(value, "speed");
        read_own_budget(r, value, &p.own_budget, &p.budget);
    }
    if (speed) p.speed = doc_real(r->heap, speed, "speed", 1e-3, 1e3);
    p.text = read_label(r, text, "a player");
    p.remote = strstr(p.text, "://") != NULL;
    if (p.remote && !post_is_url(p.text))
        doc_fail(r->heap, text, "a player elsewhere has an address like http://host:9147, not '%.100s'",
                 p.text);
    if (!p.remote && !player_config_parse(p.text, &config, &error)) doc_fail(r->heap, text, "%s", error.text);
    return p;
}

static void read_players(struct spec_reader *r, const struct doc_node *node)
{
    VEC(struct spec_player) players = {0};
    uint32_t step = node->kind == DOC_MAP ? 2 : 1;
    if (node->kind == DOC_TEXT)
        doc_fail(r->heap, node, "players must be a mapping from names to players, or a list");
    if (node->n == 0 || node->n > step * SPEC_MAX_ROWS)
        doc_fail(r->heap, node, "players must name 1 to %d players", SPEC_MAX_ROWS);
    for (uint32_t i = 0; i < node->n; i += step) {
        const char *name = read_label(r, node->items[i], "a player");
        for (uint32_t k = 0; k < players.n; k++)
            if (strcmp(players.v[k].name, name) == 0)
                doc_fail(r->heap, node->items[i], "'%.100s' is here for the second time", name);
        vec_push(r->heap, &players, read_player(r, name, node->items[i + step - 1]));
    }
    r->spec->players = players.v;
    r->spec->nplayers = players.n;
}

static uint32_t find_player(struct spec_reader *r, const struct doc_node *node)
{
    const char *name = doc_text(r->heap, node, "a player");
    const char **names = heap_zalloc(r->heap, (r->spec->nplayers + 1) * sizeof *names);
    for (uint32_t i = 0; i < r->spec->nplayers; i++) {
        if (strcmp(r->spec->players[i].name, name) == 0) return i;
        names[i] = r->spec->players[i].name;
    }
    const char *near = doc_near(name, names);
    doc_fail(r->heap, node, "there is no player '%.60s'%s%.60s%s", name,
             near ? "; did you mean " : " among the players", near ? near : "", near ? "?" : "");
}

/* ---- pairings ---- */

static const char *join_names(struct spec_reader *r, const struct spec_pairing *p)
{
    struct text t;
    text_init(&t, r->heap);
    for (uint32_t i = 0; i < p->n; i++)
        text_printf(&t, "%s%s", i ? " - " : "", r->spec->players[p->players[i]].name);
    return text_str(&t);
}

static void add_pairing(struct spec_reader *r, const struct doc_node *at, struct spec_pairing p,
                        const struct doc_node *only)
{
    struct spec *s = r->spec;
    if (!p.label) p.label = join_names(r, &p);
    for (uint32_t i = 0; i < s->npairings; i++)
        if (strcmp(s->pairings[i].label, p.label) == 0)
            doc_fail(r->heap, at,
                     "the pairing '%.100s' is here for the second time; a label tells them apart", p.label);
    if (s->npairings == SPEC_MAX_ROWS) doc_fail(r->heap, at, "more than %d pairings", SPEC_MAX_ROWS);
    s->pairings = heap_realloc(r->heap, s->pairings, (s->npairings + 1) * sizeof *s->pairings);
    s->pairings[s->npairings++] = p;
    vec_push(r->heap, &r->only, only);
}

static struct spec_pairing read_sides(struct spec_reader *r, const struct doc_node *list)
{
    struct spec_pairing p = {0};
    doc_expect(r->heap, list, DOC_LIST, "the players of a pairing");
    if (list->n == 0 || list->n > SPEC_MAX_PLAYERS)
        doc_fail(r->heap, list, "a pairing has 1 to %d players", SPEC_MAX_PLAYERS);
    for (uint32_t i = 0; i < list->n; i++) p.players[p.n++] = find_player(r, list->items[i]);
    return p;
}

static void pair_all(struct spec_reader *r, const struct doc_node *at)
{
    uint32_t n = r->spec->nplayers;
    if (n == 1) add_pairing(r, at, (struct spec_pairing){.n = 1}, NULL);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++)
            add_pairing(r, at, (struct spec_pairing){.n = 2, .players = {a, b}}, NULL);
}

static void pair_against(struct spec_reader *r, const struct doc_node *node)
{
    static const char *const keys[] = {"against", NULL};
    doc_expect_keys(r->heap, node, "pairings", keys);
    const struct doc_node *name = doc_get(node, "against");
    if (!name) doc_fail(r->heap, node, "against whom? The key is against");
    uint32_t x = find_player(r, name);
    if (r->spec->nplayers == 1) doc_fail(r->heap, node, "there is nobody else to play against it");
    for (uint32_t a = 0; a < r->spec->nplayers; a++)
        if (a != x)
            add_pairing(r, node,
                        (struct spec_pairing){.label = r->spec->players[a].name, .n = 2, .players = {a, x}},
                        NULL);
}

static void read_pairings(struct spec_reader *r, const struct doc_node *root)
{
    static const char *const keys[] = {"players", "label", "budget", "times", "only", NULL};
    const struct doc_node *node = doc_get(root, "pairings");
    if (!node) {
        pair_all(r, root);
    } else if (node->kind == DOC_TEXT) {
        if (strcmp(node->text, "all") != 0)
            doc_fail(r->heap, node, "pairings must be all, {against: PLAYER} or a list, not '%.60s'",
                     node->text);
        pair_all(r, node);
    } else if (node->kind == DOC_MAP) {
        pair_against(r, node);
    } else {
        if (node->n == 0) doc_fail(r->heap, node, "there is no pairing");
        for (uint32_t i = 0; i < node->n; i++) {
            const struct doc_node *item = node->items[i];
            if (item->kind != DOC_MAP) {
                add_pairing(r, item, read_sides(r, item), NULL);
                continue;
            }
            doc_expect_keys(r->heap, item, "a pairing", keys);
            const struct doc_node *sides = doc_get(item, "players"), *label = doc_get(item, "label");
            if (!sides) doc_fail(r->heap, item, "who? The key is players");
            struct spec_pairing p = read_sides(r, sides);
            if (label) p.label = read_label(r, label, "label");
            read_own_budget(r, item, &p.own_budget, &p.budget);
            const struct doc_node *times = doc_get(item, "times");
            if (times) p.times = doc_real(r->heap, times, "times", 1e-3, 1e6);
            add_pairing(r, item, p, doc_get(item, "only"));
        }
    }
}

/* ---- rows and columns by name ---- */

uint32_t spec_row(const struct spec *s, const char *name)
{
    for (uint32_t i = 0; i < s->ngames; i++)
        if (strcmp(s->games[i].label, name) == 0 || strcmp(s->games[i].name, name) == 0) return i;
    return UINT32_MAX;
}

uint32_t spec_column(const struct spec *s, const char *label)
{
    for (uint32_t i = 0; i < s->npairings; i++)
        if (strcmp(s->pairings[i].label, label) == 0) return i;
    return UINT32_MAX;
}

static void mark_empty(struct spec_reader *r)
{
    struct spec *s = r->spec;
    s->empty = heap_zalloc(r->heap, (size_t)s->ngames * s->npairings * sizeof *s->empty);
    for (uint32_t p = 0; p < s->npairings; p++) {
        const struct doc_node *only = r->only.v[p];
        if (!only) continue;
        doc_expect(r->heap, only, DOC_LIST, "only");
        for (uint32_t g = 0; g < s->ngames; g++) s->empty[g * s->npairings + p] = true;
        for (uint32_t i = 0; i < only->n; i++) {
            uint32_t g = spec_row(s, doc_text(r->heap, only->items[i], "a game"));
            if (g == UINT32_MAX)
                doc_fail(r->heap, only->items[i], "'%.60s' is not among the games", only->items[i]->text);
            s->empty[g * s->npairings + p] = false;
        }
    }
}

/* ---- the whole ---- */

static const char *read_name(struct spec_reader *r, const struct doc_node *node)
{
    if (!node) {
        const char *slash = strrchr(r->spec->file, '/'), *base = slash ? slash + 1 : r->spec->file;
        const char *dot = strrchr(base, '.');
        return heap_strdup(r->heap, base, dot ? (size_t)(dot - base) : strlen(base));
    }
    const char *name = read_label(r, node, "name");
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_./", *c))
            doc_fail(r->heap, node, "a name has letters, digits, - _ . and /, nothing like '%.60s'", name);
    return name;
}

static void read_measure(struct spec_reader *r, const struct doc_node *node)
{
    struct spec *s = r->spec;
    if (node) {
        const char *word = doc_text(r->heap, node, "measure");
        if (strcmp(word, "wins") != 0 && strcmp(word, "goal") != 0)
            doc_fail(r->heap, node, "measure must be wins or goal, not '%.60s'", word);
        s->measure = strcmp(word, "goal") == 0 ? MEASURE_GOAL : MEASURE_WINS;
        return;
    }
    s->measure = MEASURE_GOAL;
    for (uint32_t i = 0; i < s->npairings; i++)
        if (s->pairings[i].n > 1) s->measure = MEASURE_WINS;
}

static void read_root(struct spec_reader *r, const struct doc_node *root)
{
    static const char *const keys[] = {"name",     "title",     "description", "games",  "players",
                                       "pairings", "number",    "measure",     "budget", "seed",
                                       "quick",    "published", "rates",       "clock",  NULL};
    struct spec *s = r->spec;
    const struct doc_node *node;
    doc_expect_keys(r->heap, root, "an experiment", keys);
    s->name = read_name(r, doc_get(root, "name"));
    s->title = (node = doc_get(root, "title")) ? read_label(r, node, "title") : s->name;
    s->description = (node = doc_get(root, "description")) ? doc_text(r->heap, node, "description") : "";
    if (!(node = doc_get(root, "games"))) doc_fail(r->heap, root, "there are no games");
    read_games(r, node);
    if (!(node = doc_get(root, "players"))) doc_fail(r->heap, root, "there are no players");
    read_players(r, node);
    read_pairings(r, root);
    if ((uint64_t)s->ngames * s->npairings > 100000) doc_fail(r->heap, root, "more than 100000 cells");
    mark_empty(r);
    read_measure(r, doc_get(root, "measure"));
    s->number = spec_read_number(r, root, 100);
    s->budget = (struct match_budget){.simulations = 1000};
    if ((node = doc_get(root, "budget"))) s->budget = spec_read_budget(r, node);
    rates_read(r, root);
    s->seed = (node = doc_get(root, "seed")) ? doc_whole(r->heap, node, "seed", 0, UINT64_MAX) : 1;
    s->published = heap_zalloc(r->heap, (size_t)s->ngames * s->npairings * sizeof *s->published);
    if ((node = doc_get(root, "published"))) published_read(s, node);
    spec_read_quick(r, root);
    spec_apply(s, r->changes);
}

struct spec *spec_read(const char *file, const char *text, size_t size, const struct spec_changes *changes,
                       struct error *error)
{
    struct heap *heap = heap_new(SPEC_MEMORY);
    struct heap_guard guard;
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    if (HEAP_ENTER(heap, &guard, error)) {
        struct spec *s = heap_zalloc(heap, sizeof *s);
        struct spec_reader r = {.heap = heap, .spec = s, .changes = changes};
        s->heap = heap;
        s->file = heap_strdup(heap, file, strlen(file));
        struct error why = {0};
        struct doc_node *root = doc_read(heap, s->file, text, size, &why);
        if (!root) heap_fail(heap, why.code, "%s", why.text);
        read_root(&r, root);
        heap_leave(heap);
        return s;
    }
    heap_free(heap);
    return NULL;
}

struct spec *spec_load(const char *path_or_name, const struct spec_changes *changes, struct error *error)
{
    char path[4400];
    char *text;
    size_t size;
    if (!lab_find(path_or_name, path, sizeof path, error) || !lab_read_file(path, &text, &size, error))
        return NULL;
    struct spec *s = spec_read(path, text, size, changes, error);
    free(text);
    return s;
}

void spec_free(struct spec *s)
{
    if (s) heap_free(s->heap);
}

void spec_scale(struct match_budget *b, double factor, bool seconds)
{
    uint64_t *counts[] = {&b->simulations, &b->start_simulations, &b->steps, &b->start_steps, &b->expansions};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (*counts[i]) {
            double x = (double)*counts[i] * factor + 0.5;
            *counts[i] = x < 1 ? 1 : (uint64_t)x;
        }
    if (seconds) b->seconds *= factor, b->start_seconds *= factor;
}

struct match_budget spec_budget(const struct spec *s, uint32_t game, uint32_t pairing, uint32_t player)
{
    const struct spec_player *p = &s->players[player];
    struct match_budget b = p->own_budget                     ? p->budget
                            : s->pairings[pairing].own_budget ? s->pairings[pairing].budget
                            : s->games[game].own_budget       ? s->games[game].budget
                                                              : s->budget;
    if (s->pairings[pairing].times > 0) spec_scale(&b, s->pairings[pairing].times, true);
    spec_scale(&b, p->speed, false);
    return b;
}
