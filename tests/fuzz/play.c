// SPDX-License-Identifier: GPL-3.0-or-later
/* Fuzz target: any bytes are loaded as a game, checked, and played at random for twenty steps, or refused. */
#include "fuzz.h"

#include "base/clock.h"
#include "game/trial.h"

static void play(struct game *game)
{
    struct error error;
    struct reasoner *r = reasoner_lifted(game, FUZZ_MEMORY, &error);
    if (!r) return;
    struct heap_guard guard;
    struct trial_options options = {.games = 2, .steps = 20, .seed = 1, .seconds = 0.5, .strict = true};
    struct trial result;
    game->heap->deadline = clock_now() + FUZZ_SECONDS;
    if (HEAP_ENTER(game->heap, &guard, &error)) {
        trial_run(r, &options, &game->diags, &result);
        heap_leave(game->heap);
    }
    reasoner_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error;
    struct game *refused = NULL;
    struct game *game = game_from_text("fuzz.kif", (const char *)data, size, FUZZ_MEMORY, &refused, &error);
    if (game) play(game);
    game_free(game);
    game_free(refused);
    return 0;
}
