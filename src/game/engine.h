/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ground engine of a game, made in the background.
 *
 *     engine_start ──> thread: ground, circuit, code ──> READY    engine_code: share it among batches and
 *          │                        │                             reasoners of any thread
 *          └── play with            └──> FAILED                   engine_error: why; the lifted engine
 *              reasoner_lifted                                    plays on
 *
 * The game must outlive the engine, and the engine all batches and reasoners made on its code.
 */
#ifndef GAME_ENGINE_H
#define GAME_ENGINE_H

#include "circuit/alone.h"
#include "circuit/batch.h"
#include "game/movers.h"
#include "game/reasoner.h"

enum engine_status { ENGINE_WORKING, ENGINE_READY, ENGINE_FAILED };

struct engine_report {
    struct ground_report ground;
    uint32_t ground_rules, ground_literals, ground_atoms;
    double ground_seconds, circuit_seconds, code_seconds, machine_seconds; /* processor time of the thread */
    size_t circuit_bytes, code_bytes, machine_bytes; /* machine code of all widths: 0 where there is none */
};

struct engine;

/* Start making it under these limits (NULL: none; `cancel` is ignored). NULL and an error if no thread could
 * be started. */
struct engine *engine_start(const struct game *game, const struct ground_limits *limits, struct error *error);
/* Stops the work if it is still going on, and frees everything. NULL is fine. */
void engine_free(struct engine *e);

enum engine_status engine_poll(struct engine *e);
/* Wait until it is done, but not longer than so many seconds (negative: however long it takes). */
enum engine_status engine_wait(struct engine *e, double seconds);
/* Ask it to stop; it will soon be FAILED with ERROR_CANCELLED, unless it was READY before. */
void engine_cancel(struct engine *e);

/* When READY. */
const struct code *engine_code(struct engine *e);
/* When READY: which moves win at once (circuit_foresee), for batches beside those of the code. Made when it
 * is first asked for, in no more than so many seconds (0: no limit) and until it is cancelled (may be
 * NULL). NULL: this game has none, or the time was over: then it is begun again when somebody has twice as
 * much. */
const struct code *engine_foresight(struct engine *e, double seconds, const atomic_bool *cancel);
/* The same for which goals can still come (circuit_outlook). */
const struct code *engine_outlook(struct engine *e, double seconds, const atomic_bool *cancel);
/* How often one of these two was begun. */
uint32_t engine_derivations(struct engine *e);
/* When READY: whose move it was, where turns are odd. Found when it is first asked for, in no more than so
 * many seconds (0: no limit). NULL: turns are taken in order, or the time was over. */
const struct movers *engine_movers(struct engine *e, double seconds);
/* When READY: moves that never are a choice. NULL without memory. Found when it is first asked for. */
const struct lone_moves *engine_lone_moves(struct engine *e);
/* When FAILED: the reason, with the stage it was in. */
const struct error *engine_error(struct engine *e);
/* When no longer WORKING. */
const struct engine_report *engine_report(struct engine *e);

/* One state at a time on a circuit. Its move numbers are the circuit's, its states those of batches. */
struct reasoner *reasoner_circuit(const struct game *game, const struct code *code, struct error *error);
/* The code it works on; NULL if the reasoner is another one. */
const struct code *reasoner_code(struct reasoner *r);
/* The same with an engine of its own, made here and now; it is freed with the reasoner. */
struct reasoner *reasoner_ground(const struct game *game, const struct ground_limits *limits,
                                 struct error *error);

#endif
