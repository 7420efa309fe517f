// SPDX-License-Identifier: GPL-3.0-or-later
#include "match/record.h"

#include "base/clock.h"
#include "base/file.h"
#include "game/trace.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const record_ending_names[] = {"unfinished", "completed", "aborted", "forfeited"};

static struct record *record_new(struct error *error)
{
    struct heap *heap = heap_new((size_t)1 << 30);
    struct heap_guard guard;
    if (heap && HEAP_ENTER(heap, &guard, error)) {
        struct record *r = heap_zalloc(heap, sizeof *r);
        r->heap = heap;
        r->match = r->game = r->digest = r->date = "";
        heap_leave(heap);
        return r;
    }
    if (!heap) error_set(error, ERROR_MEMORY, "out of memory");
    heap_free(heap);
    return NULL;
}

void record_free(struct record *r)
{
    if (r) heap_free(r->heap);
}

/* ---- from a match ---- */

static const char *copy(struct record *r, const char *s)
{
    return s ? heap_strdup(r->heap, s, strlen(s)) : "";
}

static const char *move_text(struct record *r, struct reasoner *reasoner, uint32_t role, uint32_t move)
{
    struct text t;
    text_init(&t, r->heap);
    reasoner_print_move(reasoner, role, move, false, &t);
    return t.s;
}

static void must(struct record *r, bool good, const struct reasoner *reasoner)
{
    if (!good) heap_fail(r->heap, reasoner->error.code, "%s", reasoner->error.text);
}

static void take_state(struct record *r, struct match *m, const struct state *s, uint32_t at)
{
    struct trace_lines lines;
    trace_lines_init(&lines, r->heap);
    must(r, trace_facts(m->reasoner, s, &lines), m->reasoner);
    r->states[at] = (struct record_state){(const char **)lines.v.v, lines.v.n};
}

/* The referee keeps the moves only; the states are made again. */
static void take_states(struct record *r, struct match *m, struct state *now, struct state *next)
{
    struct reasoner *reasoner = m->reasoner;
    r->states = heap_zalloc(r->heap, (m->nsteps + 1) * sizeof *r->states);
    must(r, reasoner->ops->initial(reasoner, now), reasoner);
    take_state(r, m, now, 0);
    for (uint32_t i = 0; i < m->nsteps; i++) {
        must(r, reasoner->ops->next(reasoner, now, m->steps[i].joint, next), reasoner);
        struct state swap = *now;
        *now = *next;
        *next = swap;
        take_state(r, m, now, i + 1);
    }
}

static void take_match(struct record *r, struct match *m, const struct record_about *about)
{
    const struct game *game = m->game;
    uint32_t n = r->nroles = game->nroles;
    char date[CLOCK_DATE];
    clock_date(m->date.tv_sec, date);
    r->match = copy(r, about->id);
    r->game = copy(r, game->name);
    r->digest = copy(r, game->digest);
    r->rules = heap_strdup(r->heap, game->source->text, game->source->size);
    r->date = copy(r, m->date.tv_sec ? date : "");
    r->roles = heap_alloc(r->heap, n * sizeof *r->roles);
    r->players = heap_alloc(r->heap, n * sizeof *r->players);
    r->rewards = heap_alloc(r->heap, n * sizeof *r->rewards);
    for (uint32_t i = 0; i < n; i++) {
        r->roles[i] = copy(r, game->role_names[i]);
        r->players[i] = copy(r, m->seats[i]->name);
        r->rewards[i] = m->goals[i];
    }
    r->start_clock = m->budget.start_seconds;
    r->play_clock = m->budget.seconds;
    r->simulations = m->budget.simulations;
    r->steps_budget = m->budget.steps;
    r->expansions = m->budget.expansions;
    r->seed = about->seed;
    r->scrambled = about->scrambled;
    r->scramble_seed = about->scramble_seed;
    r->nsteps = m->nsteps;
    r->steps = heap_zalloc(r->heap, (m->nsteps + 1) * sizeof *r->steps);
    for (uint32_t i = 0; i < m->nsteps; i++) {
        struct record_step *s = &r->steps[i];
        *s = (struct record_step){heap_alloc(r->heap, n * sizeof *s->moves), m->steps[i].at,
                                  heap_alloc(r->heap, n * sizeof *s->seconds), NULL};
        for (uint32_t k = 0; k < n; k++) {
            if (m->steps[i].search[k].simulations && !s->search)
                s->search = heap_zalloc(r->heap, n * sizeof *s->search);
            if (s->search) s->search[k] = m->steps[i].search[k];
            s->moves[k] = move_text(r, m->reasoner, k, m->steps[i].joint[k]);
            s->seconds[k] = (double)m->steps[i].seconds[k];
        }
    }
    r->nerrors = m->nremarks;
    r->errors = heap_alloc(r->heap, (m->nremarks + 1) * sizeof *r->errors);
    for (uint32_t i = 0; i < m->nremarks; i++)
        r->errors[i] = (struct record_error){m->remarks[i].step, m->remarks[i].role, m->remarks[i].kind,
                                             copy(r, m->remarks[i].text)};
    r->ending = m->terminal ? RECORD_COMPLETED : m->aborted ? RECORD_ABORTED : RECORD_UNFINISHED;
    if (!m->forfeits) return;
    r->ending = RECORD_FORFEITED;
    r->forfeits = heap_zalloc(r->heap, n * sizeof *r->forfeits);
    for (uint32_t i = 0; i < n; i++) r->forfeits[i] = m->forfeits >> i & 1;
}

struct record *record_of_match(struct match *m, const struct record_about *about, struct error *error)
{
    struct record *r = record_new(error);
    struct heap_guard guard;
    struct state now = {0}, next = {0};
    volatile bool good = false;
    if (r && HEAP_ENTER(r->heap, &guard, error)) {
        take_match(r, m, about);
        if (about->states) take_states(r, m, &now, &next);
        heap_leave(r->heap);
        good = true;
    }
    state_done(&now);
    state_done(&next);
    if (good) return r;
    record_free(r);
    return NULL;
}

/* ---- files ---- */

enum record_form record_form_of(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && strcasecmp(path + n - 4, ".pgn") == 0 ? RECORD_PGN : RECORD_JSON;
}

void record_print(const struct record *r, enum record_form form, struct text *out)
{
    (form == RECORD_PGN ? record_print_pgn : record_print_json)(r, out);
}

bool record_write(const struct record *r, const char *path, struct error *error)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    volatile bool good = false;
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory");
    if (HEAP_ENTER(heap, &guard, error)) {
        struct text text;
        text_init(&text, heap);
        record_print(r, record_form_of(path), &text);
        good = file_replace(path, text_str(&text), text.n, error);
        heap_leave(heap);
    }
    heap_free(heap);
    return good;
}

uint32_t record_role(const struct record *r, const char *name, size_t n)
{
    for (uint32_t i = 0; i < r->nroles; i++)
        if (strlen(r->roles[i]) == n && strncasecmp(r->roles[i], name, n) == 0) return i;
    heap_fail(r->heap, ERROR_INPUT, "there is no role '%.*s'", (int)(n < 60 ? n : 60), name);
}

const char *record_word(struct record *r, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        bool c1 = c == 0xc2 && i + 1 < n && (unsigned char)s[i + 1] < 0xa0; /* U+0080..9F in UTF-8 */
        if (c < ' ' || c == 0x7f || c1) heap_fail(r->heap, ERROR_INPUT, "there are control characters in it");
    }
    return heap_strdup(r->heap, s, n);
}

struct record *record_parse(const char *name, const char *data, size_t size, struct error *error)
{
    struct record *r = record_new(error);
    struct heap_guard guard;
    if (!r) return NULL;
    if (HEAP_ENTER(r->heap, &guard, error)) {
        size_t blank = 0;
        while (blank < size && data[blank] && strchr(" \t\r\n", data[blank])) blank++;
        if (blank < size && data[blank] == '[' && memchr(data, '"', size) && memchr(data, ']', size))
            record_parse_pgn(r, data, size);
        else
            record_parse_json(r, data, size);
        heap_leave(r->heap);
        return r;
    }
    error_prefix(error, "%s", name);
    record_free(r);
    return NULL;
}

struct record *record_read(const char *path, struct error *error)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!file) return error_set(error, ERROR_SYSTEM, "%s: cannot be opened", path), NULL;
    size_t size = 0, cap = 1 << 16;
    char *data = malloc(cap);
    bool good = data != NULL;
    while (good) {
        size_t n = fread(data + size, 1, cap - size, file);
        if (n == 0) break;
        size += n;
        if (size < cap) continue;
        char *more = cap <= RECORD_MAX_BYTES ? realloc(data, cap *= 2) : NULL;
        good = more != NULL;
        if (more) data = more;
    }
    struct record *r = NULL;
    if (!good)
        error_set(error, ERROR_INPUT, "%s: too large for a record of a match", path);
    else if (ferror(file))
        error_set(error, ERROR_SYSTEM, "%s: cannot be read", path);
    else
        r = record_parse(path, data, size, error);
    free(data);
    if (file != stdin) fclose(file);
    return r;
}

/* ---- following ---- */

struct game *record_game(const struct record *r, const char *given, bool *same, struct error *error)
{
    struct game *g;
    if (given)
        g = game_load(given, 0, NULL, error);
    else if (r->rules)
        g = game_from_text(*r->game ? r->game : "game", r->rules, strlen(r->rules), 0, NULL, error);
    else if (*r->game && !strchr(r->game, '/'))
        g = game_load(r->game, 0, NULL, error);
    else
        return error_set(error, ERROR_INPUT, "the record contains no rules; name the game (--game)"), NULL;
    if (!g) return NULL;
    *same = !*r->digest || strcmp(g->digest, r->digest) == 0;
    bool roles = g->nroles == r->nroles;
    for (uint32_t i = 0; roles && i < g->nroles; i++) roles = strcasecmp(g->role_names[i], r->roles[i]) == 0;
    if (roles) return g;
    error_set(error, ERROR_INPUT, "%s has other roles than the record", g->name);
    game_free(g);
    return NULL;
}

bool record_joint(const struct record *r, uint32_t step, struct reasoner *reasoner, const struct state *s,
                  uint32_t *joint, struct error *error)
{
    struct list legal = {0};
    bool good = true;
    for (uint32_t i = 0; i < r->nroles && good; i++) {
        bool found = false;
        legal.n = 0;
        good = reasoner_read_move(reasoner, i, r->steps[step].moves[i], &joint[i]) &&
               reasoner->ops->legal(reasoner, s, i, &legal);
        if (!good) *error = reasoner->error;
        for (uint32_t k = 0; k < legal.n && good && !found; k++) found = legal.v[k] == joint[i];
        if (good && !found)
            good = error_set(error, ERROR_INPUT, "'%.100s' is not legal for %s", r->steps[step].moves[i],
                             r->roles[i]);
    }
    list_done(&legal);
    return good || error_prefix(error, "step %u", step + 1);
}
