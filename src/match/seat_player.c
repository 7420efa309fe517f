// SPDX-License-Identifier: GPL-3.0-or-later
/* A player of ours in a seat. */
#include "match/match.h"

#include <stdlib.h>

struct player_seat {
    struct seat seat;
    struct player *player;
};

static bool start(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                  struct error *error)
{
    (void)m, (void)role;
    struct player_seat *p = (struct player_seat *)s;
    /* Without a start clock there is nothing to prepare for. */
    if (budget->deadline <= 0 && !budget->simulations) return true;
    struct error trouble; /* rules too slow for the start clock may still be played */
    if (player_ponder(p->player, budget, &trouble) || trouble.code == ERROR_TIME) return true;
    *error = trouble;
    return false;
}

static bool answer(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                   uint32_t *move, struct error *error)
{
    struct player_seat *p = (struct player_seat *)s;
    uint32_t mine;
    if (!player_think(p->player, budget, &mine, error)) return false;
    const struct player_report *report = player_report(p->player);
    m->steps[m->nsteps].search[role] =
        (struct match_search){report->stats.simulations, report->nodes, report->value};
    if (reasoner_carry_move(m->reasoner, player_reasoner(p->player), role, mine, move)) return true;
    *error = m->reasoner->error;
    return false;
}

static void advance(struct seat *s, struct match *m, uint32_t role, const uint32_t *joint)
{
    (void)role;
    struct error error;
    player_advance(((struct player_seat *)s)->player, m->reasoner, joint, &error);
}

static void rewind_player(struct seat *s, struct match *m, uint32_t role)
{
    (void)role;
    struct error error;
    player_goto(((struct player_seat *)s)->player, m->reasoner, &m->state, &error);
}

static void seat_free(struct seat *s)
{
    player_free(((struct player_seat *)s)->player);
    free(s);
}

static const struct seat_ops ops = {
    .start = start, .answer = answer, .advance = advance, .rewind = rewind_player, .free = seat_free};

struct seat *seat_player(const struct player_config *config, const struct game *game, struct engine *engine,
                         uint32_t role, uint64_t seed, struct error *error)
{
    struct player_seat *p = calloc(1, sizeof *p);
    if (!p) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    p->player = player_new(config, game, engine, role, seed, error);
    if (!p->player) {
        free(p);
        return NULL;
    }
    p->seat = (struct seat){&ops, player_config(p->player)->spec};
    return &p->seat;
}

struct player *seat_get_player(struct seat *s)
{
    return s->ops == &ops ? ((struct player_seat *)s)->player : NULL;
}
