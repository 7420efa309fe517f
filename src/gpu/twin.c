// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/twin.h"

#include "gpu/philox.h"
#include "gpu/plan.h"

#include <stdlib.h>

#define LANES 64 /* of a batch: two words of the device */

struct gpu_twin {
    const struct circuit *c;
    uint32_t n, turns, most_moves, roots;
    struct gpu_mover mover;
    const uint64_t *starts;
    uint64_t step;
    uint32_t keys[2 * PHILOX_ROUNDS];
    struct batch **batches;    /* n / 2 */
    uint64_t *waiting, *young; /* by batch */
    uint64_t *sums;
    uint64_t *sets; /* the legal moves of all lanes of a batch */
    uint32_t *counts;
    int16_t *goals;
};

void gpu_twin_free(struct gpu_twin *t)
{
    if (!t) return;
    for (uint32_t i = 0; t->batches && i < t->n / 2; i++) batch_free(t->batches[i]);
    free(t->batches);
    free(t->waiting);
    free(t->young);
    free(t->sums);
    free(t->sets);
    free(t->counts);
    free(t->goals);
    free(t);
}

static uint32_t most_moves(const struct circuit *c)
{
    uint32_t most = 1;
    for (uint32_t r = 0; r < c->nroles; r++)
        if (c->move_base[r + 1] - c->move_base[r] > most) most = c->move_base[r + 1] - c->move_base[r];
    return most;
}

static uint32_t root_of(const struct gpu_twin *t, uint32_t batch, uint32_t lane)
{
    return (2 * batch + lane / 32) % t->roots;
}

static void begin(struct gpu_twin *t, uint32_t batch, uint64_t lanes)
{
    struct batch *b = t->batches[batch];
    if (!t->starts) batch_restart(b, &lanes);
    for (; t->starts && lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(lanes);
        batch_set_state(b, lane, t->starts + (size_t)root_of(t, batch, lane) * b->state_words);
    }
}

/* The sums of a counter, to which each lane of the mask adds one. */
static void count(struct gpu_twin *t, uint32_t batch, uint32_t counter, uint64_t lanes)
{
    for (uint32_t half = 0; half < 2; half++)
        t->sums[root_of(t, batch, 32 * half) * gpu_counters(t->c) + counter] +=
            (uint64_t)__builtin_popcount((uint32_t)(lanes >> 32 * half));
}

struct gpu_twin *gpu_twin_new(const struct code *code, struct gpu_setup setup, uint32_t n, uint64_t seed,
                              const uint64_t *starts, uint32_t roots, struct error *error)
{
    const struct circuit *c = code->circuit;
    struct gpu_twin *t = calloc(1, sizeof *t);
    bool good = t;
    if (good) {
        *t = (struct gpu_twin){.c = c,
                               .n = n,
                               .turns = setup.turns,
                               .mover = setup.mover,
                               .most_moves = most_moves(c),
                               .starts = starts,
                               .roots = starts ? roots : 1};
        philox_keys(seed, t->keys);
        t->batches = calloc(n / 2, sizeof *t->batches);
        t->waiting = calloc(n / 2, sizeof *t->waiting);
        t->young = calloc(n / 2, sizeof *t->young);
        t->sums = calloc((size_t)gpu_counters(c) * t->roots, sizeof *t->sums);
        t->sets = calloc((size_t)LANES * ((t->most_moves + 63) / 64), sizeof *t->sets);
        t->counts = calloc(LANES, sizeof *t->counts);
        t->goals = calloc((size_t)LANES * c->nroles, sizeof *t->goals);
        good = t->batches && t->waiting && t->young && t->sums && t->sets && t->counts && t->goals;
    }
    if (!good) {
        error_set(error, ERROR_MEMORY, "no memory for games on the processor");
        gpu_twin_free(t);
        return NULL;
    }
    for (uint32_t i = 0; i < n / 2; i++) {
        t->batches[i] = batch_new(code, LANES, 0, error);
        if (!t->batches[i]) {
            gpu_twin_free(t);
            return NULL;
        }
        begin(t, i, ~0ull);
    }
    return t;
}

static void count_goals(struct gpu_twin *t, uint32_t batch, uint64_t ended)
{
    const struct circuit *c = t->c;
    struct batch *b = t->batches[batch];
    batch_park(b, &ended);
    batch_collect_goals(b, t->goals, NULL);
    for (; ended; ended &= ended - 1) {
        const int16_t *goals = t->goals + (size_t)__builtin_ctzll(ended) * c->nroles;
        bool defined = true;
        for (uint32_t r = 0; r < c->nroles; r++) defined &= goals[r] != BATCH_GOAL_UNDEFINED;
        for (uint32_t i = 0; defined && i < c->goals.n; i++)
            if (goals[c->goals.v[i].role] == (int)c->goals.v[i].value)
                count(t, batch, GPU_GOALS + i, ended & -ended);
    }
}

/* The random numbers of a role in all lanes. */
static void draw(const struct gpu_twin *t, uint32_t batch, uint32_t turn, uint32_t role, uint32_t u[LANES])
{
    memset(u, 0, LANES * sizeof *u);
    for (uint32_t half = 0; half < 2; half++)
        for (uint32_t g = 0; g < GPU_GROUPS; g++) {
            uint32_t x[4] = {2 * batch + half, (uint32_t)t->step + turn, (uint32_t)(t->step >> 32),
                             role * GPU_GROUPS + g};
            philox(t->keys, x);
            for (uint32_t k = 0; k < 4; k++)
                for (uint32_t l = 0; l < 32; l++) u[32 * half + l] |= (x[k] >> l & 1) << (4 * g + k);
        }
}

static uint32_t find_move(const uint64_t *set, uint32_t rank)
{
    uint32_t word = 0;
    for (uint32_t n; rank >= (n = (uint32_t)__builtin_popcountll(set[word])); word++) rank -= n;
    uint64_t left = set[word];
    while (rank--) left &= left - 1;
    return word * 64 + (uint32_t)__builtin_ctzll(left);
}

static void choose(struct gpu_twin *t, uint32_t batch, uint32_t turn, uint64_t moving)
{
    struct batch *b = t->batches[batch];
    for (uint32_t r = 0; r < t->c->nroles; r++) {
        uint32_t u[LANES], words = batch_set_words(b, r);
        if (t->c->move_base[r + 1] - t->c->move_base[r] < 2) continue;
        draw(t, batch, turn, gpu_draws_as(&t->mover, r), u);
        batch_legal_sets(b, r, t->sets, t->counts);
        for (uint64_t left = moving; left; left &= left - 1) {
            uint32_t l = (uint32_t)__builtin_ctzll(left), n = t->counts[l];
            uint32_t rank = (uint32_t)((uint64_t)n * u[l] >> GPU_PLANES);
            if (n) batch_set_move(b, l, r, find_move(t->sets + (size_t)l * words, rank));
        }
    }
}

static void play_batch(struct gpu_twin *t, uint32_t batch, bool last, bool give_up)
{
    struct batch *b = t->batches[batch];
    uint64_t waiting = t->waiting[batch], stale = give_up ? ~t->young[batch] & ~waiting : 0;
    count(t, batch, GPU_GIVEN_UP, stale);
    waiting |= stale;
    if (give_up) t->young[batch] = 0;
    for (uint32_t turn = 0; turn < t->turns; turn++) {
        batch_view(b);
        uint64_t ended = b->terminal[0] & ~waiting;
        waiting |= ended;
        t->young[batch] |= ended;
        count(t, batch, GPU_GAMES, ended);
        count(t, batch, GPU_TRANSITIONS, ~waiting);
        if (ended) count_goals(t, batch, ended);
        choose(t, batch, turn, ~waiting);
        batch_step(b);
    }
    begin(t, batch, waiting);
    t->waiting[batch] = last ? waiting : 0;
}

void gpu_twin_play(struct gpu_twin *t, uint32_t rounds, bool last, bool give_up)
{
    for (uint32_t i = 0; i < rounds; i++, t->step += t->turns)
        for (uint32_t k = 0; k < t->n / 2; k++) play_batch(t, k, last, give_up && i == 0);
}

const uint64_t *gpu_twin_sums(const struct gpu_twin *t)
{
    return t->sums;
}

uint32_t gpu_twin_state(const struct gpu_twin *t, uint32_t word, uint32_t bit)
{
    return (uint32_t)(batch_state_wires(t->batches[word / 2])[bit] >> 32 * (word % 2));
}
