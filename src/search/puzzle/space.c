// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/puzzle/space.h"

#include <stdlib.h>

enum { FIRST_STEPS = 256, MOST_STEPS = 1 << 12 }; /* of a game that is played to its end */

struct space *space_new(struct reasoner *reasoner, const struct code *code, const struct state *root,
                        bool exact, size_t memory, uint64_t seed, struct error *error)
{
    return code ? space_circuit(reasoner, code, root, exact, seed, error)
                : space_lifted(reasoner, root, exact, memory, seed, error);
}

void space_free(struct space *s)
{
    if (s) s->ops->free(s);
}

bool roll_init(struct roll *roll, const struct space *s)
{
    *roll = (struct roll){.max_steps = FIRST_STEPS,
                          .state = malloc((size_t)s->lanes * s->words * 8),
                          .depth = calloc(s->lanes, sizeof *roll->depth),
                          .length = malloc(s->lanes * sizeof *roll->length),
                          .moves = malloc((size_t)s->lanes * FIRST_STEPS * sizeof *roll->moves),
                          .goal = malloc(s->lanes * sizeof *roll->goal)};
    return roll->state && roll->depth && roll->length && roll->moves && roll->goal;
}

void roll_done(struct roll *roll)
{
    free(roll->state);
    free(roll->depth);
    free(roll->length);
    free(roll->moves);
    free(roll->goal);
}

bool roll_lengthen(struct roll *roll, const struct space *s, uint32_t given_up)
{
    if (given_up * 2 <= roll->n || roll->max_steps >= MOST_STEPS) return true;
    uint32_t *moves = realloc(roll->moves, (size_t)s->lanes * 2 * roll->max_steps * sizeof *moves);
    if (!moves) return false;
    roll->moves = moves;
    roll->max_steps *= 2;
    return true;
}
