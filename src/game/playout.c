// SPDX-License-Identifier: GPL-3.0-or-later
#include "game/playout.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

bool playout_init(struct playout *p, struct reasoner *reasoner)
{
    uint32_t nroles = reasoner->game->nroles;
    *p = (struct playout){.reasoner = reasoner};
    p->legal = calloc(nroles, sizeof *p->legal);
    p->joint = calloc(nroles, sizeof *p->joint);
    p->keys = calloc(nroles, sizeof *p->keys);
    p->heap = heap_new(0);
    if (p->legal && p->joint && p->keys && p->heap) return true;
    playout_done(p);
    return error_set(&reasoner->error, ERROR_MEMORY, "no memory for a game");
}

void playout_done(struct playout *p)
{
    for (uint32_t role = 0; p->legal && role < p->reasoner->game->nroles; role++) list_done(&p->legal[role]);
    for (uint32_t role = 0; p->keys && role < p->reasoner->game->nroles; role++) free(p->keys[role].v);
    free(p->legal);
    free(p->joint);
    free(p->keys);
    heap_free(p->heap);
    state_done(&p->state);
    state_done(&p->after);
    p->legal = NULL;
    p->joint = NULL;
    p->keys = NULL;
    p->heap = NULL;
}

static bool no_memory(struct playout *p)
{
    return error_set(&p->reasoner->error, ERROR_MEMORY, "no memory for a game");
}

static bool make_key(struct playout *p, uint32_t role, uint32_t move, uint64_t *key)
{
    struct heap_guard guard;
    if (!HEAP_ENTER(p->heap, &guard, &p->reasoner->error)) return false;
    struct text t;
    text_init(&t, p->heap);
    reasoner_print_move(p->reasoner, role, move, true, &t);
    *key = hash_bytes(text_str(&t), t.n) | 1;
    heap_release(p->heap, t.s);
    heap_leave(p->heap);
    return true;
}

static bool know_keys(struct playout *p, uint32_t role)
{
    struct playout_keys *keys = &p->keys[role];
    for (uint32_t i = 0; i < p->legal[role].n; i++) {
        uint32_t move = p->legal[role].v[i];
        if (move >= keys->n) {
            uint32_t n = move + 1 < 64 ? 64 : move > UINT32_MAX / 2 ? UINT32_MAX : (move + 1) * 2;
            uint64_t *v = realloc(keys->v, n * sizeof *v);
            if (!v) return no_memory(p);
            memset(v + keys->n, 0, (n - keys->n) * sizeof *v);
            keys->v = v;
            keys->n = n;
        }
        if (keys->v[move] == 0 && !make_key(p, role, move, &keys->v[move])) return false;
    }
    return true;
}

static bool look(struct playout *p)
{
    struct reasoner *r = p->reasoner;
    if (!r->ops->terminal(r, &p->state, &p->terminal)) return false;
    for (uint32_t role = 0; role < r->game->nroles; role++) {
        p->legal[role].n = 0;
        if (p->terminal) continue;
        if (!r->ops->legal(r, &p->state, role, &p->legal[role])) return false;
        if (p->legal[role].n == 0)
            return error_set(&r->error, ERROR_INPUT,
                             "role %s has no legal move after %u step%s, and the game has not ended",
                             r->game->role_names[role], p->ply, p->ply == 1 ? "" : "s");
        if (p->legal[role].n > 1 && !know_keys(p, role)) return false;
    }
    return true;
}

bool playout_begin(struct playout *p, uint64_t seed, uint64_t game)
{
    /* Seeds are small numbers, and so are games: mixed first, or seed 1 would play the games of seed 2 in
     * another order. */
    rng_init(&p->rng, rng_splitmix(&seed) + game);
    p->ply = 0;
    return p->reasoner->ops->initial(p->reasoner, &p->state) && look(p);
}

/* One random number shuffles the moves: the one whose key comes first in the shuffled order is made. */
uint32_t playout_pick(struct playout *p, uint32_t role)
{
    const struct list *legal = &p->legal[role];
    uint32_t best = legal->v[0];
    uint64_t draw, least = UINT64_MAX;
    if (legal->n == 1) return best;
    draw = rng_next(&p->rng);
    for (uint32_t i = 0; i < legal->n; i++) {
        uint64_t x = draw ^ p->keys[role].v[legal->v[i]];
        x = rng_splitmix(&x);
        if (x < least) least = x, best = legal->v[i];
    }
    return best;
}

void playout_choose(struct playout *p)
{
    for (uint32_t role = 0; role < p->reasoner->game->nroles; role++) p->joint[role] = playout_pick(p, role);
}

bool playout_move(struct playout *p)
{
    if (!p->reasoner->ops->next(p->reasoner, &p->state, p->joint, &p->after)) return false;
    struct state t = p->state;
    p->state = p->after;
    p->after = t;
    p->ply++;
    return look(p);
}
