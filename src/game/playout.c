// SPDX-License-Identifier: GPL-3.0-or-later
#include "game/playout.h"

#include "base/hash.h"

#include <stdlib.h>

bool playout_init(struct playout *p, struct reasoner *reasoner)
{
    uint32_t nroles = reasoner->game->nroles;
    *p = (struct playout){.reasoner = reasoner};
    p->legal = calloc(nroles, sizeof *p->legal);
    p->joint = calloc(nroles, sizeof *p->joint);
    if (p->legal && p->joint) return true;
    playout_done(p);
    return error_set(&reasoner->error, ERROR_MEMORY, "no memory for a game");
}

void playout_done(struct playout *p)
{
    for (uint32_t role = 0; p->legal && role < p->reasoner->game->nroles; role++) list_done(&p->legal[role]);
    free(p->legal);
    free(p->joint);
    state_done(&p->state);
    state_done(&p->after);
    p->legal = NULL;
    p->joint = NULL;
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
    }
    return true;
}

bool playout_begin(struct playout *p, uint64_t seed, uint64_t game)
{
    rng_init(&p->rng, hash_mix(seed, game));
    p->ply = 0;
    return p->reasoner->ops->initial(p->reasoner, &p->state) && look(p);
}

void playout_choose(struct playout *p)
{
    for (uint32_t role = 0; role < p->reasoner->game->nroles; role++) {
        const struct list *legal = &p->legal[role];
        p->joint[role] = legal->v[legal->n == 1 ? 0 : rng_below(&p->rng, legal->n)];
    }
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
