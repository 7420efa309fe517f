/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A player: a search with a name, options and a clock, in one seat of one match.
 *
 *     player_new ── player_think ── player_advance ── player_think ── ... ── player_free
 *                   (start clock)   (joint move)
 *
 * It starts on the lifted engine and moves to the circuit when the game's engine (shared by all players of a
 * process) has made it. It keeps its own idea of the state; moves come in and go out as numbers of somebody's
 * reasoner and are carried over.
 *
 * Budgets (search/budget.h) have a deadline and a stop flag that another thread may set. Both are obeyed
 * everywhere in a think: in questions to the rules, in setting up, in sweeps and when the tree is collected.
 * A think that was broken off has kept its tree, and the next one goes on with it.
 */
#ifndef PLAYER_PLAYER_H
#define PLAYER_PLAYER_H

#include "game/engine.h"
#include "player/config.h"
#include "search/crew.h"

struct player;

/* What the last think was about. */
struct player_report {
    struct mcts_stats stats;
    uint32_t nodes;       /* in the tree */
    float value;          /* expected reward of the own role */
    const char *engine;   /* "lifted" or "circuit" */
    uint32_t allied, of;  /* searches whose knowledge was pooled, of so many; 0: it has no allies */
    struct error trouble; /* code ERROR_NONE: none */
    const struct minimax_report *minimax; /* of kind=minimax; NULL: another search thought */
    const char *remark;                   /* what else there is to say; "": nothing */
};

/* `engine` may be NULL (play on the lifted engine) and stays the caller's, as does the game. */
struct player *player_new(const struct player_config *config, const struct game *game, struct engine *engine,
                          uint32_t role, uint64_t seed, struct error *error);
void player_free(struct player *p);

/* The i-th of several with the same seed and task, elsewhere: its search goes a way of its own, the way of
 * the i-th thread with parallel=root, and by the clock it has so many threads. Before it thinks for the first
 * time. */
void player_diverge(struct player *p, uint32_t i, uint32_t cores);
/* So many joint moves were made between two states it was put into: playout tables fade accordingly. */
void player_moved(struct player *p, uint32_t plies);

/* Think about the current state and say what to play: a move of player_reasoner(), which may be another one
 * than before. Always gives a legal move if there is one at all, also when the search failed: then the
 * report's trouble says why. With a budget in counts (budget_counts) the engine is awaited first, so that
 * the result is the same every time.
 *
 * The answer is there before the deadline, whatever the rules are like: questions that take longer are broken
 * off, sweeps that would take longer are not begun. If not all legal moves could be found, it is one of those
 * that were; if none was, one that was legal before, as a guess (the trouble has ERROR_TIME then). False and
 * an error when there is not even that. */
bool player_think(struct player *p, const struct budget *budget, uint32_t *move, struct error *error);
/* Think on others' time, for as long as the budget says, also when there is only one move. To ponder, call it
 * in a thread of its own with a stop flag and no deadline; to end it, set the flag (it returns within
 * milliseconds) and join. One thread at a time may use a player: join before anything else is asked of it.
 * What it learned is in the tree and is used by what follows. */
bool player_ponder(struct player *p, const struct budget *budget, struct error *error);

/* The same on the start clock, before the first move: with arm=auto the way of searching is chosen first
 * (audition.h), for which the engine is awaited. */
bool player_start(struct player *p, const struct budget *budget, struct error *error);
struct audition_report;
const struct audition_report *player_audition(const struct player *p);

/* Many players on one driver. A player that has joined one keeps its searches there, with one lane; it must
 * be on the circuit (player_new with an engine that is ready) and play the driver's game. Unless the option
 * `memory` says otherwise it has PLAYER_POOLED_MB, however many others there are: what it finds must not hang
 * on that. Whoever drives asks it in two halves:
 *
 *     player_begin(p, &budget, false, &hand, &error);
 *     if (hand) { driver_add(driver, hand, &budget); ... until driver_run() returns it }
 *     player_end(p, &move, &error);
 */
enum { PLAYER_POOLED_MB = 256 };
void player_join(struct player *p, struct driver *driver);
/* Before it thinks: its playout tables, what was found out about cutting playouts short, and what positions
 * seem worth are those of another one with the same options, on the same driver, that has thought and
 * outlives it; with kind=minimax its whole search, if it is of the same role. */
void player_borrow(struct player *p, const struct player *lender);
/* `hand` becomes NULL when there is nothing to search. `ponder`: also when there is only one move. */
bool player_begin(struct player *p, const struct budget *budget, bool ponder, struct hand **hand,
                  struct error *error);
bool player_end(struct player *p, uint32_t *move, struct error *error);

const struct player_report *player_report(const struct player *p);
/* The joint move that was made: numbers of `from`. Takes no time: the next state is worked out by the next
 * think. False and an error if one of them can never be a move. */
bool player_advance(struct player *p, struct reasoner *from, const uint32_t *joint, struct error *error);
/* Begin from another state (of `from`), for analysis and take-backs. */
bool player_goto(struct player *p, struct reasoner *from, const struct state *state, struct error *error);

struct reasoner *player_reasoner(struct player *p);
struct mcts *player_search(struct player *p); /* NULL for players that do not search, and before they did */
struct solo *player_solo(struct player *p); /* NULL unless it searches games for one in a way of their own */
struct minimax *player_minimax(struct player *p); /* NULL unless it is of that kind and has thought */
struct judgement; /* NULL unless it judges positions in its tree, and has found out how */
const struct judgement *player_judgement(const struct player *p);
/* Taken from a player it is the caller's, and the player knows nothing any more; NULL if it had none of its
 * own. Lent to one of the same game that is on the circuit and has not thought yet it stays the caller's, who
 * frees it when the player is gone. */
struct judgement *player_take_judgement(struct player *p);
void player_lend_judgement(struct player *p, struct judgement *j);
/* The same of what minimax has found out about a game. */
struct minimax_lessons *player_take_lessons(struct player *p);
void player_lend_lessons(struct player *p, const struct minimax_lessons *l);
const struct player_config *player_config(const struct player *p);

#endif
