// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/solver/outcomes.h"

#include "gdl/scramble.h"
#include "search/solver/refute.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MOST_GOAL 1000 /* numbers above are no goals of anybody */

static void values_from_circuit(const struct code *code, uint32_t role, bool *possible)
{
    for (uint32_t i = 0; i < code->circuit->goals.n; i++) {
        const struct circuit_goal *g = &code->circuit->goals.v[i];
        if (g->role == role && g->e != EDGE_FALSE && g->value <= MOST_GOAL) possible[g->value] = true;
    }
}

static void values_from_sheet(const struct game *game, struct heap *heap, bool *possible)
{
    const struct terms *names = game->program->terms;
    bool *mark = heap_zalloc(heap, names->names.n + 1);
    goal_values_mark(heap, game->syntax, names, mark);
    for (uint32_t s = 0; s < names->names.n; s++) {
        const char *text = symbol_name(names, s);
        if (!mark[s] || !isdigit((unsigned char)text[0])) continue;
        long value = strtol(text, NULL, 10);
        if (value >= 0 && value <= MOST_GOAL) possible[value] = true;
    }
}

static bool collect(struct outcomes *o, const struct game *game, const struct code *code)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error ignored;
    volatile bool ok = false;
    if (heap && HEAP_ENTER(heap, &guard, &ignored)) {
        for (uint32_t role = 0; role < o->nroles; role++) {
            bool possible[MOST_GOAL + 1] = {0};
            if (code)
                values_from_circuit(code, role, possible);
            else
                values_from_sheet(game, heap, possible);
            for (int v = 0; v <= MOST_GOAL; v++) o->n[role] += possible[v];
            o->value[role] = calloc(o->n[role] + 1, sizeof *o->value[role]);
            if (!o->value[role]) heap_fail(heap, ERROR_MEMORY, "out of memory");
            for (int v = 0, n = 0; v <= MOST_GOAL; v++)
                if (possible[v]) o->value[role][n++] = v;
        }
        heap_leave(heap);
        ok = true;
    }
    heap_free(heap);
    return ok;
}

#define ANY (-1)

/* Can the first role have u and the second v at an end, each nothing else? ANY: whatever. */
static bool pair_impossible(const struct circuit *c, struct refuter *r, int u, int v)
{
    edge *facts = malloc((c->goals.n + 1) * sizeof *facts);
    uint32_t n = 0;
    if (!facts) return false;
    for (uint32_t i = 0; i < c->goals.n; i++) {
        const struct circuit_goal *g = &c->goals.v[i];
        int wanted = g->role == 0 ? u : g->role == 1 ? v : ANY;
        if (wanted != ANY) facts[n++] = (int)g->value == wanted ? g->e : g->e ^ 1;
    }
    facts[n++] = c->terminal;
    bool no = refuter_impossible(r, facts, n);
    free(facts);
    return no;
}

/* Values that no end can have: "a draw" of a game that goes on until somebody has won. */
static void drop_impossible(struct outcomes *o, const struct circuit *c, struct refuter *r)
{
    for (uint32_t role = 0; role < o->nroles && role < 2; role++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < o->n[role]; i++)
            if (!pair_impossible(c, r, role == 0 ? o->value[0][i] : ANY, role == 1 ? o->value[1][i] : ANY))
                o->value[role][kept++] = o->value[role][i];
        if (kept) o->n[role] = kept;
    }
}

static bool sum_proved(const struct outcomes *o, const struct circuit *c, struct refuter *r, int sum)
{
    for (uint32_t i = 0; i < o->n[0]; i++)
        for (uint32_t k = 0; k < o->n[1]; k++)
            if (o->value[0][i] + o->value[1][k] != sum &&
                !pair_impossible(c, r, o->value[0][i], o->value[1][k]))
                return false;
    return true;
}

static void prove_sum(struct outcomes *o, const struct circuit *c, struct refuter *r)
{
    int high = outcomes_high(o, 0) + outcomes_low(o, 1), low = outcomes_low(o, 0) + outcomes_high(o, 1);
    o->sum = high == low ? high : 100;
    o->constant_sum = sum_proved(o, c, r, o->sum);
}

static void use_circuit(struct outcomes *o, const struct circuit *c, uint64_t steps)
{
    struct refuter *r = refuter_new(c, steps);
    if (!r) return;
    if (o->nroles == 2) prove_sum(o, c, r);
    drop_impossible(o, c, r);
    o->assignments = refuter_steps(r);
    refuter_free(r);
}

struct outcomes *outcomes_new(const struct game *game, const struct code *code, uint64_t steps)
{
    struct outcomes *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->nroles = game->nroles;
    o->sum = 100;
    o->n = calloc(o->nroles, sizeof *o->n);
    o->value = calloc(o->nroles, sizeof *o->value);
    if (!o->n || !o->value || !collect(o, game, code)) return outcomes_free(o), NULL;
    if (code) use_circuit(o, code->circuit, steps);
    return o;
}

void outcomes_free(struct outcomes *o)
{
    if (!o) return;
    for (uint32_t role = 0; o->value && role < o->nroles; role++) free(o->value[role]);
    free(o->value);
    free(o->n);
    free(o);
}
