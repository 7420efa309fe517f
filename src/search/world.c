// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/world.h"

#include <stdlib.h>
#include <string.h>

static bool setup(struct world *w, const struct code *code, uint32_t lanes, struct error *error)
{
    if (code) {
        uint32_t widths[4], n = batch_widths(widths), width = widths[n - 1];
        for (uint32_t i = n; i-- > 0;)
            if (widths[i] >= lanes) width = widths[i];
        w->batch = batch_new(code, width, 0, error);
        if (!w->batch) return false;
        w->lanes = width;
        w->asked = lanes < 1 ? 1 : lanes < width ? lanes : width;
        w->words = w->batch->words;
        w->sets = calloc(w->nroles, sizeof *w->sets);
        w->counts = calloc(w->nroles, sizeof *w->counts);
        w->sets_ready = calloc(w->nroles, 1);
        if (!w->sets || !w->counts || !w->sets_ready) return error_set(error, ERROR_MEMORY, "out of memory");
        for (uint32_t r = 0; r < w->nroles; r++) {
            w->sets[r] = malloc(((size_t)w->lanes * batch_set_words(w->batch, r) + 1) * sizeof **w->sets);
            w->counts[r] = malloc(w->lanes * sizeof **w->counts);
            if (!w->sets[r] || !w->counts[r]) return error_set(error, ERROR_MEMORY, "out of memory");
        }
        return true;
    }
    w->lanes = lanes < 1 ? 1 : lanes > BATCH_MAX_LANES ? BATCH_MAX_LANES : lanes;
    w->words = (w->lanes + 63) / 64;
    w->state = calloc(w->lanes, sizeof *w->state);
    w->moves = calloc((size_t)w->lanes * w->nroles, sizeof *w->moves);
    w->terminal = calloc(w->words, sizeof *w->terminal);
    w->goals = calloc((size_t)w->lanes * w->nroles, sizeof *w->goals);
    return (w->state && w->moves && w->terminal && w->goals) ||
           error_set(error, ERROR_MEMORY, "out of memory");
}

struct world *world_new(struct reasoner *reasoner, const struct code *code, uint32_t lanes,
                        struct error *error)
{
    struct world *w = calloc(1, sizeof *w);
    if (!w) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    w->reasoner = reasoner;
    w->nroles = reasoner->game->nroles;
    if (!setup(w, code, lanes, error)) {
        world_free(w);
        return NULL;
    }
    return w;
}

void world_free(struct world *w)
{
    if (!w) return;
    for (uint32_t r = 0; r < w->nroles && w->sets; r++) free(w->sets[r]);
    for (uint32_t r = 0; r < w->nroles && w->counts; r++) free(w->counts[r]);
    free(w->sets);
    free(w->counts);
    free(w->sets_ready);
    if (w->batch) batch_free(w->batch);
    for (uint32_t i = 0; i < w->lanes && w->state; i++) state_done(&w->state[i]);
    free(w->state);
    free(w->moves);
    free(w->terminal);
    free(w->goals);
    list_done(&w->scratch);
    free(w);
}

static bool in_mask(const uint64_t *mask, uint32_t lane)
{
    return mask[lane / 64] >> (lane % 64) & 1;
}

void world_put(struct world *w, uint32_t lane, const uint64_t *state, uint32_t words)
{
    if (w->batch) {
        batch_set_state(w->batch, lane, state);
        return;
    }
    struct state *s = &w->state[lane];
    if (!state_reserve(s, words)) {
        w->failed = true;
        return;
    }
    memcpy(s->w, state, words * sizeof *state);
    s->words = words;
    w->used[lane / 64] |= (uint64_t)1 << (lane % 64);
}

void world_view(struct world *w)
{
    if (w->batch) {
        batch_view(w->batch);
        memset(w->sets_ready, 0, w->nroles);
        return;
    }
    memset(w->terminal, 0, w->words * sizeof *w->terminal);
    for (uint32_t i = 0; i < w->lanes; i++) {
        if (!in_mask(w->used, i)) continue;
        bool terminal;
        if (!w->reasoner->ops->terminal(w->reasoner, &w->state[i], &terminal)) w->failed = terminal = true;
        if (terminal) w->terminal[i / 64] |= (uint64_t)1 << (i % 64);
    }
}

void world_view_lanes(struct world *w, const uint64_t *mask)
{
    if (!w->batch) {
        world_view(w);
        return;
    }
    batch_view_lanes(w->batch, mask);
    memset(w->sets_ready, 0, w->nroles);
}

bool world_forced(const struct world *w, uint32_t role, uint32_t *move)
{
    return w->batch && batch_turn(w->batch) != BATCH_ANY_TURN && batch_forced(w->batch, role, move);
}

void world_state(struct world *w, uint32_t lane, struct state *out)
{
    if (w->batch) {
        if (!state_reserve(out, w->batch->state_words)) {
            w->failed = true;
            return;
        }
        batch_get_state(w->batch, lane, out->w);
        out->words = w->batch->state_words;
        return;
    }
    if (!state_copy(out, &w->state[lane])) w->failed = true;
}

static bool reserve(struct list *l, uint32_t room)
{
    if (room <= l->cap) return true;
    uint32_t *v = realloc(l->v, room * sizeof *v);
    if (!v) return false;
    l->v = v;
    l->cap = room;
    return true;
}

const uint64_t *world_legal_sets(struct world *w, uint32_t role, uint32_t *words, const uint32_t **count)
{
    *words = batch_set_words(w->batch, role);
    *count = w->counts[role];
    if (!w->sets_ready[role]) {
        batch_legal_sets_of(w->batch, role, w->asked, w->sets[role], w->counts[role]);
        w->sets_ready[role] = true;
    }
    return w->sets[role];
}

void world_legal(struct world *w, uint32_t lane, uint32_t role, struct list *out)
{
    out->n = 0;
    if (!w->batch) {
        if (!w->reasoner->ops->legal(w->reasoner, &w->state[lane], role, out)) w->failed = true;
        return;
    }
    const struct circuit *c = w->batch->code->circuit;
    if (!reserve(out, c->move_base[role + 1] - c->move_base[role])) {
        w->failed = true;
        return;
    }
    if (!w->bulk || world_forced(w, role, out->v)) {
        out->n = batch_legal(w->batch, lane, role, out->v);
        return;
    }
    uint32_t words;
    const uint32_t *count;
    const uint64_t *set = world_legal_sets(w, role, &words, &count) + (size_t)lane * words;
    for (uint32_t i = 0; i < words; i++)
        for (uint64_t x = set[i]; x; x &= x - 1) out->v[out->n++] = i * 64 + (uint32_t)__builtin_ctzll(x);
}

void world_move(struct world *w, uint32_t lane, uint32_t role, uint32_t move)
{
    if (w->batch)
        batch_set_move(w->batch, lane, role, move);
    else {
        w->moves[lane * w->nroles + role] = move;
        w->moved[lane / 64] |= (uint64_t)1 << (lane % 64);
    }
}

void world_choose(struct world *w, const uint64_t *mask, const uint64_t *draws)
{
    if (w->batch) {
        batch_choose_drawn(w->batch, mask, draws);
        return;
    }
    for (uint32_t i = 0; i < w->words; i++) w->moved[i] |= mask[i];
    for (uint32_t i = 0; i < w->lanes; i++) {
        uint32_t choosing = 0;
        for (uint32_t r = 0; r < w->nroles && in_mask(mask, i); r++) {
            world_legal(w, i, r, &w->scratch);
            if (w->scratch.n == 0) {
                w->failed = true;
                continue;
            }
            uint32_t which = w->scratch.n > 1 ? batch_drawn(draws[i], choosing++, w->scratch.n) : 0;
            w->moves[i * w->nroles + r] = w->scratch.v[which];
        }
    }
}

void world_moves(struct world *w, uint32_t role, uint32_t *out)
{
    uint32_t only;
    if (world_forced(w, role, &only)) {
        for (uint32_t i = 0; i < w->lanes; i++) out[i] = only;
        return;
    }
    if (w->batch) {
        batch_moves(w->batch, role, out);
        return;
    }
    for (uint32_t i = 0; i < w->lanes; i++) out[i] = w->moves[i * w->nroles + role];
}

void world_step(struct world *w)
{
    if (w->batch) {
        batch_step(w->batch);
        return;
    }
    for (uint32_t i = 0; i < w->lanes; i++) {
        if (!in_mask(w->used, i) || !in_mask(w->moved, i) || in_mask(w->terminal, i)) continue;
        struct state next = {0};
        if (w->reasoner->ops->next(w->reasoner, &w->state[i], w->moves + i * w->nroles, &next)) {
            state_done(&w->state[i]);
            w->state[i] = next;
        } else {
            w->failed = true;
            state_done(&next);
        }
    }
    for (uint32_t i = 0; i < w->words; i++) w->used[i] &= w->moved[i];
    memset(w->moved, 0, w->words * sizeof *w->moved);
}

void world_park(struct world *w, const uint64_t *mask)
{
    if (w->batch) {
        batch_park(w->batch, mask);
        return;
    }
    for (uint32_t i = 0; i < w->lanes; i++) {
        if (!in_mask(mask, i)) continue;
        w->parked[i / 64] |= (uint64_t)1 << (i % 64);
        for (uint32_t r = 0; r < w->nroles; r++) {
            int goal = GOAL_UNDEFINED;
            if (!reasoner_goal(w->reasoner, &w->state[i], r, &goal)) w->failed = true;
            w->goals[i * w->nroles + r] = (int16_t)goal;
        }
    }
}

void world_collect(struct world *w, int16_t *goals, uint64_t *mask)
{
    if (w->batch) {
        batch_collect_goals(w->batch, goals, mask);
        return;
    }
    memcpy(goals, w->goals, (size_t)w->lanes * w->nroles * sizeof *goals);
    memcpy(mask, w->parked, w->words * sizeof *mask);
    memset(w->parked, 0, sizeof w->parked);
}

void world_unpark(struct world *w, uint32_t lane)
{
    (w->batch ? w->batch->parked : w->parked)[lane / 64] &= ~((uint64_t)1 << (lane % 64));
}
