// SPDX-License-Identifier: GPL-3.0-or-later
/* Several threads look at the same position. Each has a search of its own, with its own sweeps, killers and
 * history; what they share is the table: what one has found the others need not look for, and since they try
 * moves in different order, every other one a ply deeper, they find different things (what is called lazy
 * SMP). The deepest that was completed by anybody counts; of equals what the first has found.
 *
 * Helpers are made when they are first needed, and borrow rules, evaluation and table for the time of a
 * think.
 */
#include "search/minimax/minimax_internal.h"

#include "game/engine.h"

#include <pthread.h>
#include <string.h>

struct task {
    struct minimax *m;
    struct minimax *first;
    const struct state *state;
    struct budget budget;
    pthread_t thread;
    bool started;
};

static void helper_free(struct minimax *h)
{
    if (!h) return;
    struct reasoner *r = h->reasoner;
    h->eval = NULL;
    h->table = (struct twodeep){0};
    minimax_free(h);
    reasoner_free(r);
}

void helpers_free(struct minimax *m)
{
    while (m->nhelpers) helper_free(m->helpers[--m->nhelpers]);
}

static struct minimax *helper_new(struct minimax *m, uint32_t number)
{
    struct error ignored;
    struct minimax_options o = m->opt;
    o.threads = 1;
    struct reasoner *r = reasoner_circuit(m->reasoner->game, m->code, &ignored);
    struct minimax *h = r ? minimax_new(r, m->code, m->role, &o, &ignored) : NULL;
    if (!h) {
        if (r) reasoner_free(r);
        return NULL;
    }
    h->number = number;
    h->halt = &m->halted;
    return h;
}

/* As many as are wanted and can be had; those who take notes while judging are for one thread. */
static uint32_t helpers_there(struct minimax *m)
{
    uint32_t wanted = m->opt.threads > 1 ? m->opt.threads - 1 : 0;
    if (!m->code || m->opt.one_by_one || !m->has_table || m->eval->notes) return 0;
    if (wanted > MINIMAX_MAX_HELPERS) wanted = MINIMAX_MAX_HELPERS;
    while (m->nhelpers < wanted) {
        struct minimax *h = helper_new(m, m->nhelpers + 1);
        if (!h) break;
        m->helpers[m->nhelpers++] = h;
    }
    return m->nhelpers;
}

/* What one has found at the root, for another. */
static void copy_findings(struct minimax *to, const struct minimax *from)
{
    struct heap_guard guard;
    to->report.depth = from->report.depth;
    to->report.score = from->report.score;
    to->report.exhausted = from->report.exhausted;
    to->report.nline = from->report.nline;
    memcpy(to->report.line, from->report.line, from->report.nline * sizeof *to->report.line);
    if (!HEAP_ENTER(to->heap, &guard, &to->error)) return;
    to->moves.n = 0;
    for (uint32_t i = 0; i < from->moves.n; i++) vec_push(to->heap, &to->moves, from->moves.v[i]);
    heap_leave(to->heap);
}

static void lend(const struct minimax *m, struct minimax *h)
{
    h->policy = m->policy;
    h->width = m->width;
    h->best = m->best;
    h->worst = m->worst;
    h->passing = m->passing;
    h->eval = m->eval;
    h->table = m->table;
    h->has_table = m->has_table;
    if (!m->root) h->root = 0; /* rules have changed */
    /* it need not go through that again */
    if (h->root == m->root && h->report.depth < m->report.depth) copy_findings(h, m);
}

static void *help(void *data)
{
    struct task *t = data;
    struct reasoner *r = t->m->reasoner;
    r->deadline = t->budget.deadline;
    r->cancel = t->budget.stop;
    minimax_look(t->m, t->state, &t->budget);
    if (t->m->report.exhausted) atomic_store(&t->first->halted, true);
    return NULL;
}

static struct budget part_of(const struct budget *b, uint32_t i, uint32_t n)
{
    struct budget part = *b;
    part.simulations = budget_part(b->simulations, i, n);
    part.steps = budget_part(b->steps, i, n);
    part.expansions = budget_part(b->expansions, i, n);
    return part;
}

static void take_from(struct minimax *m, const struct minimax *h)
{
    m->report.nodes += h->report.nodes;
    m->report.fans += h->report.fans;
    bool further = h->report.depth > m->report.depth || (h->report.exhausted && !m->report.exhausted);
    if (further && h->report.nline && h->root == m->root) copy_findings(m, h);
}

void helpers_look(struct minimax *m, const struct state *state, const struct budget *budget)
{
    struct task tasks[MINIMAX_MAX_HELPERS];
    uint32_t n = helpers_there(m);
    struct budget own = part_of(budget, 0, n + 1);
    atomic_store(&m->halted, false);
    for (uint32_t i = 0; i < n; i++) {
        lend(m, m->helpers[i]);
        tasks[i] = (struct task){
            .m = m->helpers[i], .first = m, .state = state, .budget = part_of(budget, i + 1, n + 1)};
        tasks[i].started = pthread_create(&tasks[i].thread, NULL, help, &tasks[i]) == 0;
    }
    minimax_look(m, state, &own);
    atomic_store(&m->halted, true);
    for (uint32_t i = 0; i < n; i++) {
        if (!tasks[i].started) continue;
        pthread_join(tasks[i].thread, NULL);
        take_from(m, m->helpers[i]);
    }
}
