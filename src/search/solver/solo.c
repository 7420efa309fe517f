// SPDX-License-Identifier: GPL-3.0-or-later
/* One role: every position that can be reached, nearest first, each once, until the best goal there is has
 * been found or nothing is left. The way to the best end is kept by who found whom. */
#include "search/solver/solve_internal.h"

#include <stdlib.h>
#include <string.h>

struct found {
    uint64_t key, check;
    uint32_t from, move, words, joints;
    uint64_t state; /* where it begins in `words` */
};

struct solo {
    struct found *v;
    uint64_t n, cap, *words, nwords, words_cap, mask;
    uint32_t *slots; /* number + 1 */
    size_t limit;
};

static bool solo_bytes(const struct solo *q, size_t more)
{
    return q->cap * sizeof *q->v + q->words_cap * 8 + (q->mask + 1) * 4 + more <= q->limit;
}

static bool rehash(struct solo *q)
{
    uint64_t size = q->slots ? (q->mask + 1) * 2 : 4096;
    if (!solo_bytes(q, size * 4)) return false;
    free(q->slots);
    q->slots = calloc(size, sizeof *q->slots);
    if (!q->slots) return false;
    q->mask = size - 1;
    for (uint64_t i = 0; i < q->n; i++) {
        uint64_t at = q->v[i].key & q->mask;
        while (q->slots[at]) at = (at + 1) & q->mask;
        q->slots[at] = (uint32_t)i + 1;
    }
    return true;
}

/* True: it is there now, perhaps it was before. False: no more memory. */
static bool add(struct solo *q, const struct place *p, uint32_t from, uint32_t move)
{
    if ((!q->slots || q->n >= q->mask / 4 * 3) && !rehash(q)) return false;
    uint64_t at = p->key & q->mask;
    for (; q->slots[at]; at = (at + 1) & q->mask) {
        const struct found *f = &q->v[q->slots[at] - 1];
        if (f->key == p->key && f->check == p->check) return true;
    }
    if (q->n == q->cap) {
        uint64_t cap = q->cap ? q->cap * 2 : 1024;
        struct found *grown = solo_bytes(q, q->cap * sizeof *q->v) && cap < UINT32_MAX
                                  ? realloc(q->v, cap * sizeof *grown)
                                  : NULL;
        if (!grown) return false;
        q->v = grown, q->cap = cap;
    }
    if (q->nwords + p->words > q->words_cap) {
        uint64_t cap = (q->words_cap ? q->words_cap * 2 : 4096) + p->words;
        uint64_t *grown = solo_bytes(q, cap * 8 / 2) ? realloc(q->words, cap * 8) : NULL;
        if (!grown) return false;
        q->words = grown, q->words_cap = cap;
    }
    memcpy(q->words + q->nwords, p->state, p->words * sizeof *p->state);
    q->v[q->n] = (struct found){p->key, p->check, from, move, p->words, p->joints, q->nwords};
    q->nwords += p->words;
    q->slots[at] = (uint32_t)++q->n;
    return true;
}

struct best {
    int goal;
    uint32_t from, move; /* the position before the end, and the move to it */
};

/* Look at all positions in the order they were found. True: all of them, or the best goal. */
static bool sweep(struct solver *s, struct solo *q, struct best *best, uint32_t *plies)
{
    uint64_t layer = q->n;
    int most = outcomes_high(s->outcomes, 0);
    for (uint64_t i = 0; i < q->n && best->goal < most; i++) {
        if (i == layer) layer = q->n, ++*plies;
        struct found at = q->v[i];
        struct place p = {.state = q->words + at.state, .words = at.words, .key = at.key, .check = at.check};
        struct fan f;
        p.joints = at.joints;
        s->at.plies = *plies;
        s->at.low = best->goal;
        s->at.memory_used =
            q->limit ? (double)(q->cap * sizeof *q->v + q->words_cap * 8) / (double)q->limit : 0;
        if (!solver_open(s, &p, &f, false)) return false;
        bool room = true;
        for (uint32_t k = 0; k < f.n && room; k++) {
            const struct place *c = &f.child[k];
            if (c->end && c->goals[0] > best->goal)
                *best = (struct best){c->goals[0], (uint32_t)i, fan_move(&f, 0, k)};
            if (!c->end) room = add(q, c, (uint32_t)i, fan_move(&f, 0, k));
        }
        solver_close(s, &f);
        if (!room) return s->halt = HALT_MEMORY, false;
    }
    return true;
}

bool solo_run(struct solver *s, const struct place *root, struct solve_result *out)
{
    struct solo q = {.limit = s->opt->memory};
    struct best best = {-1, 0, 0};
    uint32_t plies = 0, steps = 0;
    bool ok = (add(&q, root, UINT32_MAX, 0) || (s->halt = HALT_MEMORY, false)) && sweep(s, &q, &best, &plies);
    if (best.goal >= 0) {
        out->low[0] = best.goal;
        for (uint32_t at = best.from; at != UINT32_MAX; at = q.v[at].from) steps++;
        out->steps = steps;
        free(out->line);
        out->line = calloc(steps, sizeof *out->line);
        if (out->line) {
            out->line[--steps] = best.move;
            for (uint32_t at = best.from; q.v[at].from != UINT32_MAX; at = q.v[at].from)
                out->line[--steps] = q.v[at].move;
        }
        out->line_ends = true;
    }
    if (ok) out->high[0] = out->low[0];
    out->proved = ok;
    s->deepest = plies;
    free(q.v);
    free(q.words);
    free(q.slots);
    return ok;
}
