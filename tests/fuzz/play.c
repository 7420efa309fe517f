// SPDX-License-Identifier: GPL-3.0-or-later
/* Fuzz target: any bytes that make a rule sheet are checked and played for twenty steps. Every state and
 * every move that comes up must survive being turned into terms, or text, and back. */
#include "fuzz.h"

#include "base/clock.h"
#include "base/hash.h"
#include "game/playout.h"
#include "game/trial.h"
#include "logic/validate.h"

#include <stdlib.h>

enum { STEPS = 20, ROLES = 8 };

/* What `ludens check` does, in a heap of its own: the game is never changed. */
static void check(struct reasoner *r)
{
    struct trial_options options = {.games = 2, .steps = STEPS, .seed = 1, .seconds = 0.5, .strict = true};
    struct trial result;
    struct heap *heap = heap_new(FUZZ_MEMORY);
    struct heap_guard guard;
    struct error error;
    heap->deadline = clock_now() + FUZZ_SECONDS;
    if (HEAP_ENTER(heap, &guard, &error)) {
        struct diags diags;
        diags_init(&diags, heap, r->game->source);
        validate_program(r->game->program, &diags);
        trial_run(r, &options, &diags, &result);
        heap_leave(heap);
    }
    heap_free(heap);
}

/* States and moves there and back again. False: the reasoner reached a limit. */
static bool round_trips(struct reasoner *r, const struct playout *p)
{
    struct list facts = {0};
    struct state again = {0};
    bool good = r->ops->facts(r, &p->state, &facts) && r->ops->assemble(r, facts.v, facts.n, &again);
    if (good && !state_equal(&p->state, &again)) abort();
    list_done(&facts);
    state_done(&again);
    for (uint32_t role = 0; good && role < r->game->nroles && !p->terminal; role++) {
        uint32_t move = p->legal[role].v[0], back;
        good = r->ops->move_number(r, role, r->ops->move_term(r, role, move), &back);
        if (good && back != move) abort();
    }
    return good;
}

static void play(struct reasoner *r, uint64_t seed)
{
    struct playout p;
    double end = clock_now() + FUZZ_SECONDS;
    bool good = playout_init(&p, r) && playout_begin(&p, seed, 0);
    for (int step = 0; good && step < STEPS && clock_now() < end; step++) {
        good = round_trips(r, &p);
        for (uint32_t role = 0; good && role < r->game->nroles; role++) {
            int goal;
            good = reasoner_goal(r, &p.state, role, &goal);
        }
        if (p.terminal) break;
        playout_choose(&p);
        good = good && playout_move(&p);
    }
    playout_done(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error;
    struct game *refused = NULL;
    struct game *game = game_from_text("fuzz.kif", (const char *)data, size, FUZZ_MEMORY, &refused, &error);
    struct reasoner *r = game ? reasoner_lifted_within(game, FUZZ_MEMORY, FUZZ_SECONDS / 2.0, &error) : NULL;
    if (r && game->nroles <= ROLES) {
        check(r);
        play(r, hash_bytes(data, size));
    }
    if (r) reasoner_free(r);
    game_free(game);
    game_free(refused);
    return 0;
}
