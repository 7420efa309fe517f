// SPDX-License-Identifier: GPL-3.0-or-later
/* What is learned of a game before it begins: random games on all lanes, some of their positions kept, and a
 * linear function of the position's facts fitted to how the games ended (least mean squares). Every fact has
 * a weight, and so has every kind of piece on a board, wherever it stands: with both, a piece's value is
 * learned from all squares together, and what a square adds from that square alone. Where goals before the
 * end mean something (goal stability, cutoff.c) they are one more feature. */
#include "search/minimax/evaluate.h"

#include "base/rng.h"
#include "search/minimax/samples.h"

#include <stdlib.h>
#include <string.h>

#define WANTED 20000u /* positions */
#define EPOCHS 4u
#define RATE 0.05f
#define LEAST 1.0f /* nothing but an end is certain */
#define MOST 99.0f

struct learned {
    struct evaluator base;
    uint32_t nroles, nbits;
    float sum;     /* of all goals, where it is always the same; else 0 */
    float *weight; /* bit * nroles + role */
    float *bias;   /* by role */
    float *goal;   /* by role: of the goal it would have now */
};

static void values(const struct evaluator *e, const struct place *p, float *out)
{
    const struct learned *l = (const struct learned *)e;
    uint32_t n = l->nroles;
    for (uint32_t role = 0; role < n; role++)
        out[role] = l->bias[role] + (p->goals && p->goals[role] > 0 ? l->goal[role] * p->goals[role] : 0);
    for (uint32_t w = 0; w < p->words; w++)
        for (uint64_t left = p->state[w]; left; left &= left - 1) {
            const float *row = l->weight + (size_t)(w * 64 + (uint32_t)__builtin_ctzll(left)) * n;
            for (uint32_t role = 0; role < n; role++) out[role] += row[role];
        }
    float sum = 0;
    for (uint32_t role = 0; role < n; role++) {
        out[role] = out[role] < LEAST ? LEAST : out[role] > MOST ? MOST : out[role];
        sum += out[role];
    }
    for (uint32_t role = 0; role < n && l->sum > 0; role++) out[role] *= l->sum / sum;
}

static void learned_free(struct evaluator *e)
{
    struct learned *l = (struct learned *)e;
    free(l->weight);
    free(l->bias);
    free(l->goal);
    free(l);
}

/* The kind of piece that each bit puts on a board; npieces: none. Returns how many kinds there are. */
static uint32_t kinds_of(const struct evaluator_source *from, uint32_t *kind)
{
    const struct circuit *c = from->code->circuit;
    uint32_t base = 0;
    for (uint32_t b = 0; b < c->nbits; b++) kind[b] = UINT32_MAX;
    for (uint32_t k = 0; k < from->analysis->boards.n; k++) {
        const struct board *board = &from->analysis->boards.v[k];
        for (uint32_t i = 0; i < c->nfacts; i++) {
            uint32_t cell, piece;
            if (c->fact_edge[i] >> 1 == 0 || c->fact_edge[i] & 1) continue;
            if (!board_find(from->analysis, board, c->terms, c->fact[i], &cell, &piece)) continue;
            if (piece < board->npieces && !board->pieces[piece].blank)
                kind[(c->fact_edge[i] >> 1) - 1] = base + piece;
        }
        base += board->npieces;
    }
    return base;
}

/* One pass over the samples: predict, and correct what was wrong a little. */
struct fit {
    struct learned *l;
    const struct samples *s;
    const uint32_t *kind;
    float *piece; /* kind * nroles + role */
    uint32_t *active;
};

static void correct(struct fit *x, uint32_t i, float rate)
{
    struct learned *l = x->l;
    uint32_t n = l->nroles, count = 0;
    const uint64_t *state = samples_state(x->s, i);
    const int16_t *now = x->s->now ? x->s->now + (size_t)i * n : NULL;
    for (uint32_t w = 0; w < x->s->words; w++)
        for (uint64_t left = state[w]; left; left &= left - 1)
            x->active[count++] = w * 64 + (uint32_t)__builtin_ctzll(left);
    for (uint32_t role = 0; role < n; role++) {
        float g = now && now[role] > 0 ? now[role] / 100.0f : 0, guess = l->bias[role] + l->goal[role] * g;
        for (uint32_t k = 0; k < count; k++) {
            guess += l->weight[(size_t)x->active[k] * n + role];
            if (x->kind[x->active[k]] != UINT32_MAX)
                guess += x->piece[(size_t)x->kind[x->active[k]] * n + role];
        }
        float step = rate * (x->s->outcome[(size_t)i * n + role] - guess) / (float)(2 * count + 2);
        l->bias[role] += step;
        l->goal[role] += step * g * (float)count; /* one feature beside many */
        for (uint32_t k = 0; k < count; k++) {
            l->weight[(size_t)x->active[k] * n + role] += step;
            if (x->kind[x->active[k]] != UINT32_MAX)
                x->piece[(size_t)x->kind[x->active[k]] * n + role] += step;
        }
    }
}

static void fit(struct fit *x, uint64_t seed)
{
    struct rng rng;
    rng_init(&rng, seed);
    for (uint32_t epoch = 0; epoch < EPOCHS; epoch++)
        for (uint32_t i = 0; i < x->s->n; i++)
            correct(x, rng_below(&rng, x->s->n), RATE / (float)(1 + epoch));
    struct learned *l = x->l;
    for (uint32_t b = 0; b < l->nbits; b++)
        for (uint32_t role = 0; role < l->nroles && x->kind[b] != UINT32_MAX; role++)
            l->weight[(size_t)b * l->nroles + role] += x->piece[(size_t)x->kind[b] * l->nroles + role];
    for (uint32_t role = 0; role < l->nroles; role++) l->goal[role] /= 100;
}

struct evaluator *evaluator_learned(const struct evaluator_source *from)
{
    const struct circuit *c = from->code->circuit;
    uint32_t nroles = c->nroles;
    bool goals = evaluator_goals_stable(from);
    struct samples s;
    if (!samples_play(&s, from->code, WANTED, goals, from->seed, from->budget)) return NULL;
    struct learned *l = calloc(1, sizeof *l);
    uint32_t *kind = calloc(c->nbits + 1, sizeof *kind), *active = calloc(c->nbits + 64, sizeof *active);
    float *piece = NULL;
    if (l) {
        *l = (struct learned){.base = {.name = goals ? "learned, goals" : "learned",
                                       .wants_goals = goals,
                                       .values = values,
                                       .free = learned_free},
                              .nroles = nroles,
                              .nbits = c->nbits};
        if (from->analysis->constant_sum && from->analysis->sum > 0)
            l->sum = l->base.most = (float)from->analysis->sum;
        l->weight = calloc((size_t)(c->nbits + 64) * nroles, sizeof *l->weight);
        l->bias = calloc(nroles, sizeof *l->bias);
        l->goal = calloc(nroles, sizeof *l->goal);
    }
    bool good = l && kind && active && l->weight && l->bias && l->goal;
    if (good) piece = calloc((size_t)(kinds_of(from, kind) + 1) * nroles, sizeof *piece);
    good = good && piece;
    if (good) fit(&(struct fit){l, &s, kind, piece, active}, from->seed);
    samples_done(&s);
    free(kind);
    free(active);
    free(piece);
    if (good) return &l->base;
    if (l) learned_free(&l->base);
    return NULL;
}
