/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A player alone: the race of searches for games for one (search/puzzle/race.h), and the best line, which is
 * never forgotten.
 *
 *     solo_think ── is the line still right here? ── solved: play it
 *                                               └── race on from this state ── play the best line
 *
 * The line is a list of moves in the player: whatever becomes of trees and tables, of a change of engine
 * (solo_carry) or of the process (solo_tell, solo_hear), it is there. Every time a new state is thought about
 * it is played through from there by the rules; a line that does not hold is given up. */
#ifndef PLAYER_SOLO_H
#define PLAYER_SOLO_H

#include "game/engine.h"
#include "search/budget.h"
#include "search/puzzle/race.h"

/* The values of the option `puzzle`, in its order. */
enum solo_way {
    SOLO_OFF,
    SOLO_RACE,
    SOLO_BREADTH,
    SOLO_IDA,
    SOLO_PLAN,
    SOLO_FILL,
    SOLO_BEAM,
    SOLO_NESTED,
    SOLO_NRPA,
    SOLO_IDA_START /* memory-enhanced IDA* until the first move is made (002 section 3.3.5: 2007) */
};
#define SOLO_WAYS "off|race|breadth|ida|plan|fill|beam|nested|nrpa|ida-start"

/* What is known about who has done what, for people. */
struct solo_report {
    bool asked;     /* it was, in the last think */
    int goal;       /* of the line; -1: none */
    uint32_t moves; /* of the line */
    const char *who;
    double seconds; /* until it was found, from the beginning of the race it was found in */
    int most;       /* as far as is known nothing can bring more than this */
    bool solved;    /* nothing can be better than the line */
    uint32_t nentrants;
    struct entrant entrants[RACE_MOST]; /* without their methods */
};

struct solo;

struct solo *solo_new(enum solo_way way, size_t memory, uint64_t seed); /* NULL without memory */
void solo_free(struct solo *s);                                         /* NULL is fine */

/* Think about a state of the reasoner, which is not over. True: *move is to be played. False: another search
 * had better be asked; it has the time that is left. */
bool solo_think(struct solo *s, struct reasoner *r, const struct code *code, const struct state *state,
                const struct budget *budget, uint32_t *move);
/* Another search that takes part in races, where all do; set it before the first think. */
void solo_invite(struct solo *s, race_guest *guest, void *data, const char *name);
/* Look whether the game falls apart, and search it part by part, too, where all do; set it before the first
 * think. */
void solo_take_apart(struct solo *s);
/* The move that was made, a number of the same reasoner. */
void solo_moved(struct solo *s, uint32_t move);
/* Moves have other numbers from now on. */
void solo_carry(struct solo *s, struct reasoner *from, struct reasoner *to);
/* Another state altogether. */
void solo_forget(struct solo *s);

/* The line from the state thought about last: its goal, and the moves. -1: there is none. */
int solo_line(const struct solo *s, const uint32_t **moves, uint32_t *n);
/* A line that somebody else found from the state at hand: it is taken if it is better than what is there.
 * `who` is a constant. */
void solo_offer(struct solo *s, int goal, const uint32_t *moves, uint32_t n, const char *who);
const struct solo_report *solo_report(const struct solo *s);

#endif
