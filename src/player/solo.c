// SPDX-License-Identifier: GPL-3.0-or-later
#include "player/solo.h"

#include <stdlib.h>
#include <string.h>

struct solo {
    enum solo_way way;
    size_t memory;
    uint64_t seed;
    struct line line;  /* from the state at hand, in moves of the reasoner at hand */
    bool solved;       /* nothing can be better than the line */
    bool checked;      /* the line holds from the state at hand */
    bool moved;        /* a move has been made in this match */
    struct race *race; /* from the state at hand, or NULL */
    struct race *past; /* what is left of one from an earlier state, or NULL */
    double began;      /* the race */
    struct solo_report report;
    race_guest *guest;
    void *guest_data;
    const char *guest_name;
    bool takes_apart;
    struct factors factors;   /* of: */
    const struct code *apart; /* NULL: nothing was looked at */
};

struct solo *solo_new(enum solo_way way, size_t memory, uint64_t seed)
{
    struct solo *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    *s = (struct solo){.way = way, .memory = memory, .seed = seed};
    line_init(&s->line);
    s->report = (struct solo_report){.goal = -1, .most = 100};
    return s;
}

void solo_take_apart(struct solo *s)
{
    s->takes_apart = true;
}

static void end_race(struct solo *s)
{
    race_free(s->race);
    race_free(s->past);
    s->race = s->past = NULL;
}

/* It was about another state, but what it knows may be of use. */
static void put_aside(struct solo *s)
{
    if (!s->race) return;
    race_free(s->past);
    s->past = s->race;
    s->race = NULL;
    race_shed(s->past);
}

void solo_free(struct solo *s)
{
    if (!s) return;
    end_race(s);
    factors_done(&s->factors);
    line_done(&s->line);
    free(s);
}

static void drop_line(struct solo *s)
{
    s->line.goal = -1;
    s->line.n = 0;
    s->solved = s->checked = false;
}

void solo_forget(struct solo *s)
{
    end_race(s);
    drop_line(s);
}

void solo_moved(struct solo *s, uint32_t move)
{
    s->moved = true;
    s->checked = false;
    put_aside(s);
    if (s->line.n == 0 || s->line.moves[0] != move) {
        drop_line(s);
        return;
    }
    memmove(s->line.moves, s->line.moves + 1, --s->line.n * sizeof *s->line.moves);
}

void solo_carry(struct solo *s, struct reasoner *from, struct reasoner *to)
{
    end_race(s);
    s->checked = false;
    for (uint32_t i = 0; i < s->line.n; i++)
        if (!reasoner_carry_move(to, from, 0, s->line.moves[i], &s->line.moves[i])) {
            drop_line(s);
            return;
        }
}

int solo_line(const struct solo *s, const uint32_t **moves, uint32_t *n)
{
    *moves = s->line.moves;
    *n = s->line.n;
    return s->line.n ? s->line.goal : -1;
}

void solo_offer(struct solo *s, int goal, const uint32_t *moves, uint32_t n, const char *who)
{
    if (line_offer(&s->line, goal, moves, n, who)) {
        s->checked = false;
        s->report.seconds = s->race ? s->line.when - s->began : 0;
    }
}

void solo_invite(struct solo *s, race_guest *guest, void *data, const char *name)
{
    s->guest = guest;
    s->guest_data = data;
    s->guest_name = name;
}

const struct solo_report *solo_report(const struct solo *s)
{
    return &s->report;
}

/* --- The line ------------------------------------------------------------------------------------------- */

static bool is_legal(struct reasoner *r, const struct state *state, uint32_t move, bool *out)
{
    struct list legal = {0};
    bool good = r->ops->legal(r, state, 0, &legal);
    *out = false;
    for (uint32_t i = 0; i < legal.n; i++) *out |= legal.v[i] == move;
    list_done(&legal);
    return good;
}

/* Does the line lead from here to an end with the goal it promises? True as well if there was no time to find
 * out: then at least the next move is legal. */
static bool holds(const struct solo *s, struct reasoner *r, const struct state *state)
{
    struct state here = {0}, next = {0};
    bool asked = state_copy(&here, state), right = asked, ended = false;
    for (uint32_t i = 0; i < s->line.n && asked && right; i++) {
        bool legal;
        asked = is_legal(r, &here, s->line.moves[i], &legal);
        right = asked ? legal : i > 0;
        asked = asked && right && r->ops->next(r, &here, &s->line.moves[i], &next) &&
                r->ops->terminal(r, &next, &ended);
        if (asked) right = ended == (i + 1 == s->line.n);
        struct state swap = here;
        here = next;
        next = swap;
    }
    int goal;
    if (asked && right && reasoner_goal(r, &here, 0, &goal))
        right = (goal == GOAL_UNDEFINED ? 0 : goal) == s->line.goal;
    state_done(&here);
    state_done(&next);
    return right;
}

/* --- Thinking ------------------------------------------------------------------------------------------- */

static uint32_t methods(const struct solo *s)
{
    switch (s->way) {
    case SOLO_RACE: return RACE_ALL;
    case SOLO_BREADTH: return RACE_FRONTIER;
    case SOLO_IDA: return RACE_IDA;
    case SOLO_PLAN: return RACE_PLAN;
    case SOLO_FILL: return RACE_FILL;
    case SOLO_BEAM: return RACE_BEAM;
    case SOLO_NESTED: return RACE_NESTED;
    case SOLO_NRPA: return RACE_NRPA;
    case SOLO_IDA_START: return s->moved ? 0 : RACE_IDA;
    case SOLO_OFF: break;
    }
    return 0;
}

static void write_report(struct solo *s)
{
    struct solo_report *p = &s->report;
    p->asked = true;
    p->goal = s->line.n ? s->line.goal : -1;
    p->moves = s->line.n;
    p->who = s->line.who;
    p->solved = s->solved;
    if (!s->race) return;
    if (s->race->space) p->most = s->race->space->most;
    p->nentrants = s->race->nentrants;
    memcpy(p->entrants, s->race->entrants, sizeof p->entrants);
    for (uint32_t i = 0; i < p->nentrants; i++) p->entrants[i].method = NULL;
}

/* Where the game falls apart: found out once, in no more than a twentieth of the time. */
static const struct factors *take_apart(struct solo *s, const struct code *code, const struct budget *budget)
{
    enum { LONGEST = 1 };
    struct error ignored;
    if (!s->takes_apart || s->way != SOLO_RACE || !code) return NULL;
    if (s->apart != code) {
        double seconds = budget->deadline > 0 ? budget_seconds(budget, 0.05) : LONGEST;
        factors_done(&s->factors);
        bool known = factors_find(&s->factors, code->circuit, seconds < LONGEST ? seconds : LONGEST,
                                  budget->stop, &ignored);
        s->apart = known || ignored.code == ERROR_INPUT ? code : NULL; /* else it is looked at again */
    }
    return &s->factors;
}

static void run(struct solo *s, struct reasoner *r, const struct code *code, const struct state *state,
                const struct budget *budget)
{
    struct error error;
    bool fresh = !s->race;
    if (fresh) {
        s->began = clock_now();
        s->race = race_new_apart(r, code, state, take_apart(s, code, budget), methods(s), s->memory, s->seed,
                                 &error);
        if (s->race && s->line.n)
            line_offer(&s->race->line, s->line.goal, s->line.moves, s->line.n, s->line.who);
        if (s->race && s->past) race_adopt(s->race, s->past);
        race_free(s->past);
        s->past = NULL;
    }
    if (!s->race) return;
    if (s->guest && s->way == SOLO_RACE && !s->race->guest)
        race_invite(s->race, s->guest, s->guest_data, s->guest_name);
    if (fresh) race_inherit(s->race, s->report.entrants, s->report.nentrants);
    race_run(s->race, budget);
    const struct line *l = &s->race->line;
    if (l->n && line_offer(&s->line, l->goal, l->moves, l->n, l->who)) {
        s->line.when = l->when;
        s->report.seconds = l->when - s->began;
        s->checked = false;
    }
    s->solved = s->line.n && s->line.goal == l->goal && race_solved(s->race);
}

bool solo_think(struct solo *s, struct reasoner *r, const struct code *code, const struct state *state,
                const struct budget *budget, uint32_t *move)
{
    s->report.asked = false;
    if (!methods(s) && s->line.n == 0) return false;
    if (s->line.n && !s->checked && !(s->checked = holds(s, r, state))) drop_line(s);
    if (!s->solved && methods(s)) run(s, r, code, state, budget);
    if (s->line.n && !s->checked && !(s->checked = holds(s, r, state))) {
        /* our own mistake, if it ever happens */
        drop_line(s);
        end_race(s);
    }
    write_report(s);
    bool alone = s->way != SOLO_RACE && s->way != SOLO_IDA_START;
    if (s->line.n && (s->line.goal > 0 || s->solved || alone)) {
        *move = s->line.moves[0];
        return true;
    }
    return alone && s->race && race_promise(s->race, move);
}
