// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/play/seat.h"

#include <stdlib.h>

static struct lab_seat *own(struct seat *s)
{
    return (struct lab_seat *)s;
}

static bool start(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                  struct error *error)
{
    struct lab_seat *l = own(s);
    struct budget b = match_budget_now(&l->budget, true, budget->stop);
    return !l->inner->ops->start || l->inner->ops->start(l->inner, m, role, &b, error);
}

static struct budget per_move(const struct lab_seat *l, const struct budget *budget)
{
    return match_budget_now(&l->budget, false, budget->stop);
}

static void ask(struct seat *s, struct match *m, uint32_t role, const struct budget *budget)
{
    own(s)->asked = per_move(own(s), budget);
    own(s)->inner->ops->ask(own(s)->inner, m, role, &own(s)->asked);
}

static bool answer(struct seat *s, struct match *m, uint32_t role, const struct budget *budget,
                   uint32_t *move, struct error *error)
{
    struct lab_seat *l = own(s);
    struct budget b = s->ops->ask ? l->asked : per_move(l, budget);
    double from = clock_now();
    bool good = l->inner->ops->answer(l->inner, m, role, &b, move, error);
    struct player *player = seat_get_player(l->inner);
    if (player) {
        const struct player_report *report = player_report(player);
        l->simulations += report->stats.simulations;
        l->steps += report->stats.steps;
        l->decided += report->stats.decided;
        l->troubles += report->trouble.code != ERROR_NONE;
        double took = s->ops->ask ? report->stats.seconds : clock_now() - from;
        if (report->stats.simulations) l->thoughts++, l->thinking += took;
    }
    return good;
}

static void advance(struct seat *s, struct match *m, uint32_t role, const uint32_t *joint)
{
    if (own(s)->inner->ops->advance) own(s)->inner->ops->advance(own(s)->inner, m, role, joint);
}

static void rewind_inner(struct seat *s, struct match *m, uint32_t role)
{
    if (own(s)->inner->ops->rewind) own(s)->inner->ops->rewind(own(s)->inner, m, role);
}

static void stop(struct seat *s, struct match *m, uint32_t role, bool aborted)
{
    if (own(s)->inner->ops->stop) own(s)->inner->ops->stop(own(s)->inner, m, role, aborted);
}

static void seat_free(struct seat *s)
{
    own(s)->inner->ops->free(own(s)->inner);
    free(s);
}

static void settle(struct seat *s, struct match *m, uint32_t role)
{
    if (own(s)->inner->ops->settle) own(s)->inner->ops->settle(own(s)->inner, m, role);
}

static bool task(struct seat *s, struct hand **hand, struct budget *budget)
{
    return own(s)->inner->ops->task && own(s)->inner->ops->task(own(s)->inner, hand, budget);
}

/* Who thinks in this process has no `ask`: the referee tells by that, and so must the wrapper. Such a player
 * is trusted with its budget, which need not be time; no clock runs for it. */
static const struct seat_ops here = {.start = start,
                                     .answer = answer,
                                     .advance = advance,
                                     .rewind = rewind_inner,
                                     .stop = stop,
                                     .free = seat_free,
                                     .patient = true};
static const struct seat_ops elsewhere = {.start = start,
                                          .ask = ask,
                                          .answer = answer,
                                          .advance = advance,
                                          .rewind = rewind_inner,
                                          .stop = stop,
                                          .free = seat_free,
                                          .settle = settle,
                                          .task = task};

struct lab_seat *lab_seat_new(struct seat *inner, const struct match_budget *budget)
{
    struct lab_seat *l = inner ? calloc(1, sizeof *l) : NULL;
    if (l)
        *l = (struct lab_seat){
            .seat = {inner->ops->ask ? &elsewhere : &here, inner->name}, .inner = inner, .budget = *budget};
    else if (inner)
        inner->ops->free(inner);
    return l;
}
