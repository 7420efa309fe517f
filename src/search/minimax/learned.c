// SPDX-License-Identifier: GPL-3.0-or-later
/* What is learned of a game before it begins: random games on all lanes, some of their positions kept, and a
 * linear function of features fitted to how the games ended (least mean squares):
 *
 *     cells     every fact of the state
 *     pieces    every kind of piece on a board, wherever it stands: a piece's value is learned from all
 * squares together, and what a square adds from that square alone places    how far to the right and how far
 * up the pieces of a kind stand goals     what the goals would be now, where they mean something before the
 * end (cutoff.c) mobility  how many moves the roles have
 *
 * Pieces and places are sums over facts: once fitted they are added to the weights of these facts. Which of
 * them are worth having was measured (docs/minimax.md). */
#include "search/minimax/evaluate.h"

#include "base/rng.h"
#include "search/minimax/samples.h"

#include <stdlib.h>
#include <string.h>

#define WANTED 20000u /* positions, where nobody says how many */
#define ENOUGH 4000u  /* of games with a guide; fewer teach less than many of random games */
#define PLAYING 0.5   /* of the time, to play games; the rest is for the fit */
#define GLANCE 512u   /* positions between two looks at the clock */
#define EPOCHS 6u
#define RATE 0.05f
#define LEAST 1.0f /* nothing but an end is certain */
#define MOST 99.0f
#define SHARED 3u          /* features that a fact is part of: piece, right, up */
#define HALF_OF_MOVES 8.0f /* so many moves are half of all one can wish for */

struct features {
    bool cells, pieces, places, goals, mobility;
};

struct learned {
    struct evaluator base;
    uint32_t nroles, nbits;
    struct features use;
    float sum;       /* of all goals, where it is always the same; else 0 */
    float *weight;   /* bit * nroles + role */
    float *bias;     /* by role */
    float *goal;     /* by role: of the goal it would have now */
    float *mobility; /* whose moves * nroles + role */
};

static float mobile(uint32_t moves)
{
    return (float)moves / ((float)moves + HALF_OF_MOVES);
}

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
    for (uint32_t who = 0; who < n && l->use.mobility && p->moves; who++)
        for (uint32_t role = 0; role < n; role++)
            out[role] += l->mobility[who * n + role] * mobile(p->moves[who]);
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
    free(l->mobility);
    free(l);
}

/* What facts share: bit * SHARED + i is part of feature number so and so, with a factor. */
struct shared {
    uint32_t n; /* features */
    uint32_t *number;
    float *factor; /* 0: none */
};

static float across(uint32_t at, uint32_t n)
{
    return n > 1 ? 2 * (float)at / (float)(n - 1) - 1 : 0;
}

static void share(const struct evaluator_source *from, const struct features *use, struct shared *out)
{
    const struct circuit *c = from->code->circuit;
    for (uint32_t k = 0; k < from->analysis->boards.n; k++) {
        const struct board *board = &from->analysis->boards.v[k];
        for (uint32_t i = 0; i < c->nfacts; i++) {
            uint32_t cell, piece;
            if (c->fact_edge[i] >> 1 == 0 || c->fact_edge[i] & 1) continue;
            if (!board_find(from->analysis, board, c->terms, c->fact[i], &cell, &piece)) continue;
            if (piece >= board->npieces || board->pieces[piece].blank) continue;
            uint32_t row = ((c->fact_edge[i] >> 1) - 1) * SHARED;
            for (uint32_t j = 0; j < SHARED; j++) out->number[row + j] = (out->n + piece) * SHARED + j;
            out->factor[row] = use->pieces;
            out->factor[row + 1] = use->places ? across(cell % board->x.n, board->x.n) : 0;
            out->factor[row + 2] = use->places ? across(cell / board->x.n % board->y.n, board->y.n) : 0;
        }
        out->n += board->npieces;
    }
}

static uint32_t count_pieces(const struct evaluator_source *from)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < from->analysis->boards.n; k++) n += from->analysis->boards.v[k].npieces;
    return n;
}

struct fit {
    struct learned *l;
    const struct samples *s;
    struct shared shared;
    float *piece; /* shared feature * nroles + role */
    uint32_t *active;
};

/* What the facts of a position say. */
static float guess_facts(const struct fit *x, uint32_t count, uint32_t role)
{
    const struct learned *l = x->l;
    float guess = 0;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t *number = x->shared.number + (size_t)x->active[k] * SHARED;
        const float *factor = x->shared.factor + (size_t)x->active[k] * SHARED;
        guess += l->weight[(size_t)x->active[k] * l->nroles + role];
        for (uint32_t j = 0; j < SHARED; j++)
            if (factor[j] != 0) guess += factor[j] * x->piece[(size_t)number[j] * l->nroles + role];
    }
    return guess;
}

static void correct_facts(struct fit *x, uint32_t count, uint32_t role, float step)
{
    struct learned *l = x->l;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t *number = x->shared.number + (size_t)x->active[k] * SHARED;
        const float *factor = x->shared.factor + (size_t)x->active[k] * SHARED;
        if (l->use.cells) l->weight[(size_t)x->active[k] * l->nroles + role] += step;
        for (uint32_t j = 0; j < SHARED; j++)
            if (factor[j] != 0) x->piece[(size_t)number[j] * l->nroles + role] += step * factor[j];
    }
}

/* The facts of a position that are true. */
static uint32_t list_active(struct fit *x, uint32_t i)
{
    uint32_t count = 0;
    const uint64_t *state = samples_state(x->s, i);
    for (uint32_t w = 0; w < x->s->words; w++)
        for (uint64_t left = state[w]; left; left &= left - 1)
            x->active[count++] = w * 64 + (uint32_t)__builtin_ctzll(left);
    return count;
}

static float goal_now(const struct fit *x, uint32_t i, uint32_t role)
{
    int16_t goal = x->s->now ? x->s->now[(size_t)i * x->l->nroles + role] : 0;
    return goal > 0 ? goal / 100.0f : 0;
}

static const uint16_t *moves_of(const struct fit *x, uint32_t i)
{
    return x->s->moves ? x->s->moves + (size_t)i * x->l->nroles : NULL;
}

static float guess(const struct fit *x, uint32_t i, uint32_t count, uint32_t role)
{
    const struct learned *l = x->l;
    const uint16_t *moves = moves_of(x, i);
    float sum = l->bias[role] + l->goal[role] * goal_now(x, i, role) + guess_facts(x, count, role);
    for (uint32_t who = 0; who < l->nroles && moves; who++)
        sum += l->mobility[who * l->nroles + role] * mobile(moves[who]);
    return sum;
}

/* One position: predict, and correct what was wrong a little. */
static void correct(struct fit *x, uint32_t i, float rate)
{
    struct learned *l = x->l;
    uint32_t n = l->nroles, count = list_active(x, i);
    const uint16_t *moves = moves_of(x, i);
    for (uint32_t role = 0; role < n; role++) {
        float wrong = x->s->outcome[(size_t)i * n + role] - guess(x, i, count, role);
        float step = rate * wrong / (float)(2 * count + 2);
        l->bias[role] += step;
        l->goal[role] += step * goal_now(x, i, role) * (float)count; /* one feature beside many */
        for (uint32_t who = 0; who < n && moves; who++)
            l->mobility[who * n + role] += step * mobile(moves[who]) * (float)count;
        correct_facts(x, count, role, step);
    }
}

static double mean_outcome(const struct samples *s, uint32_t role)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->n; i++) sum += s->outcome[(size_t)i * s->nroles + role];
    return sum / s->n;
}

/* How much of what makes outcomes differ is known from the positions: 1 less the share of their variance that
 * is left. */
static float explained(struct fit *x)
{
    uint32_t n = x->l->nroles;
    double left = 0, all = 0;
    for (uint32_t role = 0; role < n; role++) {
        double mean = mean_outcome(x->s, role);
        for (uint32_t i = 0; i < x->s->n; i++) {
            double outcome = x->s->outcome[(size_t)i * n + role];
            double wrong = outcome - (double)guess(x, i, list_active(x, i), role);
            left += wrong * wrong;
            all += (outcome - mean) * (outcome - mean);
        }
    }
    return all > left ? (float)(1 - left / all) : 0;
}

/* False: there was no time to look at as many positions as there are. */
static bool fit(struct fit *x, uint64_t seed, const struct budget *budget)
{
    struct rng rng;
    uint64_t seen = 0;
    rng_init(&rng, seed);
    /* Facts are to say what differs from that; else it is their number that counts, until the fit knows
     * better. */
    for (uint32_t role = 0; role < x->l->nroles; role++) x->l->bias[role] = (float)mean_outcome(x->s, role);
    for (uint32_t epoch = 0; epoch < EPOCHS; epoch++)
        for (uint32_t i = 0; i < x->s->n && (i % GLANCE || !budget_over(budget)); i++, seen++)
            correct(x, rng_below(&rng, x->s->n), RATE / (float)(1u << epoch));
    struct learned *l = x->l;
    l->base.explains = explained(x);
    for (uint32_t b = 0; b < l->nbits; b++)
        for (uint32_t j = b * SHARED; j < (b + 1) * SHARED; j++)
            for (uint32_t role = 0; role < l->nroles && x->shared.factor[j] != 0; role++)
                l->weight[(size_t)b * l->nroles + role] +=
                    x->shared.factor[j] * x->piece[(size_t)x->shared.number[j] * l->nroles + role];
    for (uint32_t role = 0; role < l->nroles; role++) l->goal[role] /= 100;
    return seen >= x->s->n;
}

/* What is fitted; of all there are those that helped. */
static struct features choose(const struct evaluator_source *from)
{
    enum minimax_eval w = from->which;
    bool all = w == EVAL_AUTO || w == EVAL_LEARNED || w == EVAL_GUIDED;
    return (struct features){.cells = all || w == EVAL_CELLS,
                             .pieces = all || w == EVAL_PIECES,
                             .places = w == EVAL_PLACES,
                             .goals = all && !from->states_alone && evaluator_goals_stable(from),
                             .mobility = w == EVAL_MOBILITY && !from->states_alone};
}

static struct learned *learned_new(const struct evaluator_source *from, struct features use)
{
    const struct circuit *c = from->code->circuit;
    struct learned *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    *l = (struct learned){.base = {.name = "learned", .values = values, .free = learned_free},
                          .nroles = c->nroles,
                          .nbits = c->nbits,
                          .use = use};
    l->base.wants_goals = l->use.goals;
    l->base.wants_moves = l->use.mobility;
    if (l->use.goals) l->base.name = "learned, goals";
    if (from->analysis->constant_sum && from->analysis->sum > 0)
        l->sum = l->base.most = (float)from->analysis->sum;
    l->weight = calloc((size_t)(c->nbits + 64) * c->nroles, sizeof *l->weight);
    l->bias = calloc(c->nroles, sizeof *l->bias);
    l->goal = calloc(c->nroles, sizeof *l->goal);
    l->mobility = calloc((size_t)c->nroles * c->nroles, sizeof *l->mobility);
    if (l->weight && l->bias && l->goal && l->mobility) return l;
    learned_free(&l->base);
    return NULL;
}

/* From random games, or from games in which moves are made that a guide likes. */
static struct learned *learn(const struct evaluator_source *from, struct features use,
                             const struct evaluator *guide)
{
    struct learned *l = learned_new(from, use);
    struct samples s;
    if (!l) return NULL;
    struct samples_order order = {.wanted = from->wanted ? from->wanted : WANTED,
                                  .goals = l->use.goals,
                                  .moves = l->use.mobility,
                                  .seed = from->seed,
                                  .foresight = from->foresight,
                                  .guide = guide};
    struct budget playing = *from->budget;
    playing.deadline = budget_share(from->budget, PLAYING);
    if (!samples_play(&s, from->code, &order, &playing)) return learned_free(&l->base), NULL;
    if (guide && s.n < ENOUGH) return samples_done(&s), learned_free(&l->base), NULL;
    size_t bits = l->nbits + 64, pieces = count_pieces(from) + 1;
    struct fit x = {.l = l, .s = &s};
    x.shared.number = calloc(bits * SHARED, sizeof *x.shared.number);
    x.shared.factor = calloc(bits * SHARED, sizeof *x.shared.factor);
    x.active = calloc(bits, sizeof *x.active);
    x.piece = calloc(pieces * SHARED * l->nroles, sizeof *x.piece);
    bool good = x.shared.number && x.shared.factor && x.active && x.piece;
    if (good) {
        share(from, &l->use, &x.shared);
        good = fit(&x, from->seed, from->budget) ||
               !guide; /* what was learned first is better than half of it */
    }
    samples_done(&s);
    free(x.shared.number);
    free(x.shared.factor);
    free(x.active);
    free(x.piece);
    if (good) return l;
    learned_free(&l->base);
    return NULL;
}

/* What random games teach is a guide to better ones, which teach more where pieces move about. How much is
 * explained remains that of random games, by which games are compared. */
struct evaluator *evaluator_learned(const struct evaluator_source *from)
{
    struct features use = choose(from);
    struct evaluator_source first = *from;
    struct budget half = *from->budget;
    bool twice = from->which == EVAL_GUIDED ||
                 (from->which == EVAL_AUTO && from->analysis && evaluator_travels(from->analysis));
    half.deadline = budget_share(from->budget, twice ? 0.5 : 1);
    first.budget = &half;
    struct learned *l = learn(&first, use, NULL);
    struct learned *better = l && twice ? learn(from, use, &l->base) : NULL;
    if (!better) return l ? &l->base : NULL;
    better->base.explains = l->base.explains;
    better->base.name = use.goals ? "learned twice, goals" : "learned twice";
    learned_free(&l->base);
    return &better->base;
}
