/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Behind include/ludens.h: thin wrappers that keep a caller's mistakes from reaching the inside. */
#ifndef API_API_H
#define API_API_H

#include "game/engine.h"
#include "game/trace.h"
#include "ludens.h"

#include <pthread.h>

struct ludens_game {
    struct game *game;
    struct heap *heap;           /* the warnings */
    const char **warnings;       /* game->diags.list.n of them */
    pthread_mutex_t lock;        /* of what is below */
    struct engine *engine;       /* the circuit; NULL: not begun */
    VEC(struct engine *) failed; /* earlier attempts: players may still look at them */
};

/* Invariant: a move number is passed to the reasoner only if it is below known[role], the count of moves the
 * reasoner has told us about. Numbers count up from 0, so all of those exist. */
struct ludens_engine {
    struct ludens_game *game; /* NULL: a match's, which never changes over */
    struct reasoner *reasoner;
    struct reasoner *before; /* the lifted one, after the change to the circuit */
    bool borrowed;           /* the reasoner is somebody else's */
    double seconds;          /* of a question; 0: no limit */
    const atomic_bool *stop;
    struct heap *heap; /* scratch for printing; holds nothing between calls but its own buffers */
    struct text text;
    struct trace_lines lines;
    uint32_t *known;
    struct list facts;   /* by number: the term */
    struct list numbers; /* by term: the number + 1, 0: none yet */
};

struct ludens_state {
    struct ludens_engine *engine;
    struct reasoner *reasoner; /* whose state it is: the engine's, or the one it had before */
    struct state state, next;
    struct list moves, facts;
};

/* --- error.c */
bool tell(struct ludens_error *out, const struct error *in); /* returns false */
bool refuse(struct ludens_error *out, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool no_memory(struct ludens_error *error);
size_t put_text(const char *text, size_t n, char *buffer, size_t size); /* as snprintf does */
static inline const atomic_bool *stop_flag(const struct ludens_stop *stop)
{
    return stop ? (const atomic_bool *)&stop->raised : NULL;
}

/* --- game.c */
/* Takes the game over; NULL and an error without memory. */
struct ludens_game *game_wrap(struct game *game, struct ludens_error *error);
/* The circuit, begun if nobody has; NULL and an error if no thread could be started. */
struct engine *game_engine(struct ludens_game *game, struct error *error);
/* The code of the circuit, waited for. */
const struct code *game_code(struct ludens_game *game, struct ludens_error *error);

/* --- engine.c */
/* An engine on somebody else's reasoner. */
struct ludens_engine *engine_wrap(struct reasoner *reasoner, struct ludens_error *error);
/* The reasoner, with the limits of a question that begins now. */
struct reasoner *engine_ask(struct ludens_engine *engine);
void engine_learn(struct ludens_engine *engine, uint32_t role, uint32_t move);
bool engine_knows(const struct ludens_engine *engine, uint32_t role, uint32_t move);
bool engine_has_role(const struct ludens_engine *engine, uint32_t role, struct ludens_error *error);
bool engine_fact_number(struct ludens_engine *engine, term fact, uint32_t *number);

/* --- state.c */
struct ludens_state *state_wrap(struct ludens_engine *engine, struct ludens_error *error); /* an empty one */
/* The words of a state, in terms of its engine's reasoner as it is now. */
const struct state *state_words(const struct ludens_state *state, struct ludens_error *error);

#endif
