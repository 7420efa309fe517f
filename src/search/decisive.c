// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/decisive.h"

#include "search/driver_internal.h"
#include "search/policy/dense.h"
#include "search/round.h"

#include <stdlib.h>
#include <string.h>

struct decisive {
    struct batch *batch;            /* on the circuit that foresees wins */
    uint64_t *before, *now;         /* states of all lanes at the last look, and at this one */
    uint64_t *wins[MCTS_MAX_ROLES]; /* sets of winning moves of all lanes, by role */
    uint32_t *count[MCTS_MAX_ROLES];
    uint64_t *rest;                 /* scratch: one set */
    uint64_t back[BATCH_MAX_WORDS]; /* lanes to be put back */
    bool any;                       /* of them */
};

void decisive_free(struct decisive *x)
{
    if (!x) return;
    for (uint32_t r = 0; x->batch && r < x->batch->nroles; r++) {
        free(x->wins[r]);
        free(x->count[r]);
    }
    batch_free(x->batch);
    free(x->before);
    free(x->now);
    free(x->rest);
    free(x);
}

static struct decisive *decisive_new(const struct driver *d, const struct code *code)
{
    struct decisive *x = calloc(1, sizeof *x);
    struct error ignored;
    uint32_t most = 1;
    if (!x || !(x->batch = batch_new(code, d->world->batch->lanes, 0, &ignored)))
        return decisive_free(x), NULL;
    x->before = calloc(1, batch_state_bytes(x->batch) + 1);
    x->now = calloc(1, batch_state_bytes(x->batch) + 1);
    bool good = x->before && x->now;
    for (uint32_t r = 0; r < d->nroles && good; r++) {
        uint32_t words = batch_set_words(x->batch, r);
        if (words > most) most = words;
        x->wins[r] = calloc((size_t)x->batch->lanes * words + 1, sizeof *x->wins[r]);
        x->count[r] = calloc(x->batch->lanes, sizeof *x->count[r]);
        good = x->wins[r] && x->count[r];
    }
    x->rest = calloc(most, sizeof *x->rest);
    if (good && x->rest) return x;
    decisive_free(x);
    return NULL;
}

static void look(struct driver *d, struct decisive *x)
{
    uint64_t *last = x->before;
    x->before = x->now;
    x->now = last;
    memcpy(x->now, batch_state_wires(d->world->batch), batch_state_bytes(x->batch));
    batch_set_all(x->batch, x->now);
    batch_view(x->batch);
    for (uint32_t r = 0; r < d->nroles; r++) batch_legal_sets(x->batch, r, x->wins[r], x->count[r]);
    memset(x->back, 0, sizeof x->back);
    x->any = false;
}

/* The legal moves of a role in a lane. */
static const uint64_t *legal_set(struct driver *d, uint32_t lane, uint32_t role, uint32_t *words,
                                 uint32_t *count)
{
    const uint32_t *counts;
    const uint64_t *sets = world_legal_sets(d->world, role, words, &counts);
    *count = counts[lane];
    return sets + (size_t)lane * *words;
}

/* No other role has a choice. */
static bool is_alone(struct driver *d, uint32_t lane, uint32_t role)
{
    for (uint32_t r = 0; r < d->nroles; r++) {
        uint32_t words, count;
        legal_set(d, lane, r, &words, &count);
        if (r != role && count != 1) return false;
    }
    return true;
}

/* The role that can win at once, or nroles. */
static uint32_t who_wins(struct driver *d, const struct decisive *x, uint32_t lane)
{
    uint32_t role = 0;
    while (role < d->nroles && !(x->count[role][lane] && is_alone(d, lane, role))) role++;
    return role;
}

/* One role makes this move, the others the only one they have. */
static void move_alone(struct driver *d, uint32_t lane, uint32_t role, uint32_t move)
{
    for (uint32_t r = 0; r < d->nroles; r++) {
        uint32_t words, count;
        const uint64_t *set = legal_set(d, lane, r, &words, &count);
        round_make_move(d, lane, r, r == role ? move : set_first(set), count < 2);
    }
}

/* The loser's last move was one of the playout, it alone had a choice, and not too many were tried instead.
 */
static bool may_take_back(const struct driver *d, const struct flight *f, uint32_t winner)
{
    if (f->hand->search->opt.decisive != DECISIVE_PARRY || d->nroles != 2 || f->playout_steps == 0 ||
        f->nrefuted == FLIGHT_REFUTED)
        return false;
    const uint8_t *forced = f->forced + (size_t)(f->steps - 1) * 2;
    return forced[winner] && !forced[1 - winner];
}

static void take_back(struct decisive *x, struct flight *f, uint32_t winner)
{
    f->steps--;
    f->playout_steps--;
    f->refuted[f->nrefuted++] = f->moves[(size_t)f->steps * 2 + 1 - winner];
    f->again = true;
    x->back[f->lane / 64] |= (uint64_t)1 << (f->lane % 64);
    x->any = true;
}

/* Back where a move was refuted: one that was not, if there is any. */
static bool choose_again(struct driver *d, struct decisive *x, struct flight *f)
{
    uint32_t role = 0, words, count;
    const uint64_t *set = legal_set(d, f->lane, role, &words, &count);
    if (count < 2) set = legal_set(d, f->lane, role = 1, &words, &count);
    f->again = false;
    if (count <= f->nrefuted) {
        f->nrefuted = FLIGHT_REFUTED; /* whatever it does, it loses */
        return false;
    }
    memcpy(x->rest, set, words * sizeof *x->rest);
    for (uint32_t i = 0; i < f->nrefuted; i++)
        x->rest[f->refuted[i] / 64] &= ~((uint64_t)1 << (f->refuted[i] % 64));
    count -= f->nrefuted;
    struct situation s;
    round_situation(d, f, role, &s);
    move_alone(d, f->lane, role,
               count > 1 ? policy_choose_set(f->hand->policy, &s, &f->hand->rng, x->rest, words, count)
                         : set_first(x->rest));
    return true;
}

enum outcome { OPEN, MADE, BACK };

static enum outcome decide(struct driver *d, struct decisive *x, uint32_t lane)
{
    struct flight *f = d->lane[lane].flying;
    if (f->again) return choose_again(d, x, f) ? MADE : OPEN;
    uint32_t winner = who_wins(d, x, lane);
    if (winner < d->nroles && may_take_back(d, f, winner)) {
        take_back(x, f, winner);
        return BACK;
    }
    f->nrefuted = 0;
    if (winner == d->nroles) return OPEN;
    uint32_t words = batch_set_words(x->batch, winner);
    move_alone(d, lane, winner, set_first(x->wins[winner] + (size_t)lane * words));
    return MADE;
}

uint32_t decisive_moves(struct driver *d, uint32_t *lanes, uint32_t n, uint32_t *made, uint32_t *nmade)
{
    const struct code *code = NULL;
    uint32_t left = 0;
    for (uint32_t i = 0; i < n && !code; i++) {
        const struct mcts *m = d->lane[lanes[i]].flying->hand->search;
        if (decisive_is_on(m)) code = m->opt.foresight;
    }
    if (!code || !d->world->batch) return n;
    if (!d->decisive) d->decisive = decisive_new(d, code);
    if (!d->decisive) return n;
    look(d, d->decisive);
    for (uint32_t i = 0; i < n; i++) {
        bool on = decisive_is_on(d->lane[lanes[i]].flying->hand->search);
        enum outcome o = on ? decide(d, d->decisive, lanes[i]) : OPEN;
        if (o == OPEN) lanes[left++] = lanes[i];
        if (o == MADE) made[(*nmade)++] = lanes[i];
    }
    return left;
}

void decisive_restore(struct driver *d)
{
    if (!d->decisive || !d->decisive->any) return;
    batch_set_lanes(d->world->batch, d->decisive->before, d->decisive->back);
    d->decisive->any = false;
}
