// SPDX-License-Identifier: GPL-3.0-or-later
/* Fuzz target: any bytes that make a rule sheet are thought about by max^n, paranoid and Best-Reply Search,
 * on the circuit and without it. What they say must be a legal move. */
#include "fuzz.h"

#include "base/clock.h"
#include "game/engine.h"
#include "search/minimax/minimax.h"

#include <stdlib.h>

enum { ROLES = 8, NODES = 300 };

static void think(struct reasoner *r, enum minimax_policy policy, double seconds)
{
    struct error error = {0};
    struct minimax_options o = {.policy = policy,
                                .table = true,
                                .history = true,
                                .killers = true,
                                .order = true,
                                .noise = 0.1,
                                .memory = 1 << 20};
    struct budget budget = {.deadline = clock_now() + seconds, .steps = NODES};
    struct state state = {0};
    struct list legal = {0};
    bool end = true;
    uint32_t move;
    r->deadline = budget.deadline;
    struct minimax *m = minimax_new(r, reasoner_code(r), 0, &o, &error);
    bool good = m && r->ops->initial(r, &state) && r->ops->terminal(r, &state, &end) && !end;
    if (good && minimax_think(m, &state, &budget, &move, &error)) {
        r->deadline = 0;
        bool found = !r->ops->legal(r, &state, 0, &legal);
        for (uint32_t i = 0; i < legal.n; i++) found |= legal.v[i] == move;
        if (!found) abort();
    }
    minimax_free(m);
    r->deadline = 0;
    state_done(&state);
    list_done(&legal);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error;
    struct ground_limits limits = {.seconds = FUZZ_SECONDS / 2.0, .bytes = FUZZ_MEMORY};
    struct game *refused = NULL;
    struct game *game = game_from_text("fuzz.kif", (const char *)data, size, FUZZ_MEMORY, &refused, &error);
    bool fits = game && game->nroles <= ROLES;
    struct reasoner *lifted =
        fits ? reasoner_lifted_within(game, FUZZ_MEMORY, FUZZ_SECONDS / 2.0, &error) : NULL;
    struct reasoner *ground = fits ? reasoner_ground(game, &limits, &error) : NULL;
    for (enum minimax_policy p = MINIMAX_MAXN; p <= MINIMAX_BRS; p++) {
        /* what is learned of the game first is much the same for all of them, and takes most of the time */
        if (ground) think(ground, p, FUZZ_SECONDS / (p == MINIMAX_PARANOID ? 32.0 : 6.0));
        if (lifted && p == MINIMAX_PARANOID) think(lifted, p, FUZZ_SECONDS / 4.0);
    }
    if (lifted) reasoner_free(lifted);
    if (ground) reasoner_free(ground);
    game_free(game);
    game_free(refused);
    return 0;
}
