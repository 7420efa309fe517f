// SPDX-License-Identifier: GPL-3.0-or-later
/* A player of ours in a seat. */
#include "match/match.h"

#include <stdlib.h>

struct player_seat {
    struct seat seat;
    struct player *player;
    /* pooled: what was begun and is not ended yet */
    bool begun;
    struct hand *hand; /* NULL: nothing to drive */
    struct budget budget;
    struct error why; /* it could not be begun */
};

/* Without a start clock there is nothing to prepare for. */
static bool has_start(const struct budget *budget)
{
    return budget->deadline > 0 || budget_counts(budget);
}

static bool start(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                  struct error *error)
{
    (void)m, (void)role;
    struct player_seat *p = (struct player_seat *)s;
    if (!has_start(budget)) return true;
    struct error trouble; /* rules too slow for the start clock may still be played */
    if (player_start(p->player, budget, &trouble) || trouble.code == ERROR_TIME) return true;
    *error = trouble;
    return false;
}

/* The player has decided for a move: note how, and say it in the referee's numbers. */
static bool say(struct player_seat *p, struct match *m, uint32_t role, uint32_t mine, uint32_t *move,
                struct error *error)
{
    const struct player_report *report = player_report(p->player);
    m->steps[m->nsteps].search[role] =
        (struct match_search){report->stats.simulations, report->nodes, report->value};
    if (reasoner_carry_move(m->reasoner, player_reasoner(p->player), role, mine, move)) return true;
    *error = m->reasoner->error;
    return false;
}

static bool answer(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                   uint32_t *move, struct error *error)
{
    struct player_seat *p = (struct player_seat *)s;
    uint32_t mine;
    return player_think(p->player, budget, &mine, error) && say(p, m, role, mine, move, error);
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

/* --- One of many on a driver */

static void begin(struct player_seat *p, const struct budget *budget, bool ponder)
{
    p->budget = *budget;
    p->why = (struct error){0};
    p->begun = player_begin(p->player, budget, ponder, &p->hand, &p->why);
}

static bool start_pooled(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                         struct error *error)
{
    (void)m, (void)role;
    struct player_seat *p = (struct player_seat *)s;
    if (!has_start(budget)) return true;
    begin(p, budget, true);
    if (!p->begun) *error = p->why;
    return p->begun;
}

static void settle_pooled(struct seat *s, struct match *m, uint32_t role)
{
    (void)m, (void)role;
    struct player_seat *p = (struct player_seat *)s;
    struct error error;
    uint32_t move;
    if (p->begun) player_end(p->player, &move, &error);
    p->begun = false;
    p->hand = NULL;
}

static void ask_pooled(struct seat *s, struct match *m, uint32_t role, const struct budget *budget)
{
    (void)m, (void)role;
    begin((struct player_seat *)s, budget, false);
}

static bool answer_pooled(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                          uint32_t *move, struct error *error)
{
    (void)budget;
    struct player_seat *p = (struct player_seat *)s;
    uint32_t mine;
    if (!p->begun) return *error = p->why, false;
    p->begun = false;
    p->hand = NULL;
    return player_end(p->player, &mine, error) && say(p, m, role, mine, move, error);
}

static bool task_pooled(struct seat *s, struct hand **hand, struct budget *budget)
{
    const struct player_seat *p = (struct player_seat *)s;
    *hand = p->begun ? p->hand : NULL;
    *budget = p->budget;
    return *hand != NULL;
}

static const struct seat_ops pooled_ops = {.start = start_pooled,
                                           .ask = ask_pooled,
                                           .answer = answer_pooled,
                                           .advance = advance,
                                           .rewind = rewind_player,
                                           .free = seat_free,
                                           .settle = settle_pooled,
                                           .task = task_pooled};

static struct seat *sit(const struct seat_ops *how, const struct player_config *config,
                        const struct game *game, struct engine *engine, uint32_t role, uint64_t seed,
                        struct error *error)
{
    struct player_seat *p = calloc(1, sizeof *p);
    if (!p) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    p->player = player_new(config, game, engine, role, seed, error);
    if (!p->player) {
        free(p);
        return NULL;
    }
    p->seat = (struct seat){how, player_config(p->player)->spec};
    return &p->seat;
}

struct seat *seat_player(const struct player_config *config, const struct game *game, struct engine *engine,
                         uint32_t role, uint64_t seed, struct error *error)
{
    return sit(&ops, config, game, engine, role, seed, error);
}

struct seat *seat_by_name(const char *who, const struct game *game, struct engine *engine, uint32_t role,
                          uint64_t seed, struct error *error)
{
    struct player_config config;
    if (!player_config_parse(who, &config, error)) return NULL;
    return seat_player(&config, game, engine, role, seed * 1000003 + role, error);
}

struct seat *seat_pooled(const struct player_config *config, const struct game *game, struct engine *engine,
                         uint32_t role, uint64_t seed, struct driver *driver, struct error *error)
{
    struct seat *s = sit(&pooled_ops, config, game, engine, role, seed, error);
    if (s) player_join(((struct player_seat *)s)->player, driver);
    return s;
}

struct player *seat_get_player(struct seat *s)
{
    return s->ops == &ops || s->ops == &pooled_ops ? ((struct player_seat *)s)->player : NULL;
}
