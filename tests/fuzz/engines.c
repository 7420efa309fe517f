// SPDX-License-Identifier: GPL-3.0-or-later
/* Fuzz target: any bytes are loaded as a game; where both engines accept it they must agree on every fact,
 * move, end and goal of a random game of ten steps. */
#include "fuzz.h"

#include "base/clock.h"
#include "game/engine.h"
#include "game/playout.h"
#include "game/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 10

struct both {
    struct heap *heap; /* of the lines */
    struct playout lifted;
    struct reasoner *circuit;
    struct state state, after; /* of the circuit */
    uint32_t *joint;
};

static void differ(const char *what)
{
    fprintf(stderr, "the engines differ in their %s\n", what);
    abort();
}

static void same_lines(const struct trace_lines *a, const struct trace_lines *b, const char *what)
{
    if (a->v.n != b->v.n) differ(what);
    for (uint32_t i = 0; i < a->v.n; i++)
        if (strcmp(a->v.v[i], b->v.v[i]) != 0) differ(what);
}

static void same_goals(struct both *x)
{
    for (uint32_t r = 0; r < x->circuit->game->nroles; r++) {
        int a, b;
        if (!reasoner_goal(x->lifted.reasoner, &x->lifted.state, r, &a)) return;
        if (!reasoner_goal(x->circuit, &x->state, r, &b) || a != b) differ("goals");
    }
}

/* Facts and what follows from them; false when the lifted engine gave up. */
static bool same_state(struct both *x)
{
    struct trace_lines a, b;
    bool terminal;
    trace_lines_init(&a, x->heap);
    trace_lines_init(&b, x->heap);
    if (!trace_facts(x->lifted.reasoner, &x->lifted.state, &a)) return false;
    if (!trace_facts(x->circuit, &x->state, &b)) differ("ability");
    same_lines(&a, &b, "facts");
    if (!x->circuit->ops->terminal(x->circuit, &x->state, &terminal)) differ("ability");
    if (terminal != x->lifted.terminal) differ("ends");
    if (terminal) {
        same_goals(x);
        return false;
    }
    if (!trace_legal(x->lifted.reasoner, &x->lifted.state, &a)) return false;
    if (!trace_legal(x->circuit, &x->state, &b)) differ("ability");
    same_lines(&a, &b, "moves");
    return true;
}

static void compare(struct both *x)
{
    struct reasoner *lifted = x->lifted.reasoner;
    if (!playout_begin(&x->lifted, 1, 0)) return;
    if (!x->circuit->ops->initial(x->circuit, &x->state)) differ("ability");
    while (same_state(x) && x->lifted.ply < STEPS) {
        playout_choose(&x->lifted);
        for (uint32_t r = 0; r < lifted->game->nroles; r++)
            if (!reasoner_carry_move(x->circuit, lifted, r, x->lifted.joint[r], &x->joint[r]))
                differ("moves");
        if (!playout_move(&x->lifted))
            break; /* gave up, or a role has no move: there is nothing to compare */
        if (!x->circuit->ops->next(x->circuit, &x->state, x->joint, &x->after)) differ("ability");
        state_copy(&x->state, &x->after);
    }
}

static void play(const struct game *game)
{
    struct error error;
    struct ground_limits limits = {.seconds = 1, .bytes = FUZZ_MEMORY};
    struct reasoner *circuit = reasoner_ground(game, &limits, &error);
    struct reasoner *lifted = circuit ? reasoner_lifted(game, FUZZ_MEMORY, &error) : NULL;
    struct both x = {.heap = heap_new(FUZZ_MEMORY), .circuit = circuit};
    struct heap_guard guard;
    if (lifted && playout_init(&x.lifted, lifted)) {
        x.joint = calloc(game->nroles, sizeof *x.joint);
        x.heap->deadline = clock_now() + FUZZ_SECONDS;
        if (x.joint && HEAP_ENTER(x.heap, &guard, &error)) {
            compare(&x);
            heap_leave(x.heap);
        }
        playout_done(&x.lifted);
    }
    free(x.joint);
    state_done(&x.state);
    state_done(&x.after);
    heap_free(x.heap);
    if (lifted) reasoner_free(lifted);
    if (circuit) reasoner_free(circuit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error;
    struct game *game = game_from_text("fuzz.kif", (const char *)data, size, FUZZ_MEMORY, NULL, &error);
    if (game) play(game);
    game_free(game);
    return 0;
}
