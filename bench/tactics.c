// SPDX-License-Identifier: GPL-3.0-or-later
/* Finds tactical positions by solving, not by hand: tactics [-n PER_GAME] [-s SEED] GAME...
 *
 * Random games are stopped somewhere, and the position is solved as far as 3, 5, 7 or 9 plies. It is kept
 * when exactly one move
 *
 *     wins     a win can be forced that takes 3 plies or more, and after no other move within two plies more
 *     saves    after every other move the other side can force a win, the longest of which takes 3 to 9 plies
 * in all; after this one it cannot within as many
 *
 * One line each: game | win or save | plies | moves from the beginning | the move. */
#include "game/engine.h"
#include "game/playout.h"
#include "search/solver/solve.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POSITIONS 30000 /* opened for one question; more: given up */

struct finder {
    struct game *game;
    struct engine *engine;
    struct reasoner *r;
    struct rng rng;
    char line[20000]; /* the moves from the beginning */
};

enum result { WINS, LOSES, OPEN };

static void add_move(struct finder *f, uint32_t role, uint32_t move, char *to, size_t size)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error;
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        struct text text;
        text_init(&text, heap);
        reasoner_print_move(f->r, role, move, false, &text);
        size_t n = strlen(to);
        snprintf(to + n, size - n, "%s%s", n ? "; " : "", text_str(&text));
        heap_leave(heap);
    }
    heap_free(heap);
}

/* Who chooses, alone; UINT32_MAX: nobody or several. `joint` gets first moves of all. */
static uint32_t mover(struct finder *f, const struct state *s, uint32_t *joint, struct list *moves)
{
    uint32_t found = UINT32_MAX, n = 0;
    struct list legal = {0};
    for (uint32_t role = 0; role < f->game->nroles; role++) {
        legal.n = 0;
        if (!f->r->ops->legal(f->r, s, role, &legal) || !legal.n) return list_done(&legal), UINT32_MAX;
        joint[role] = legal.v[0];
        if (legal.n == 1) continue;
        n++, found = role;
        moves->n = 0;
        for (uint32_t i = 0; i < legal.n; i++) list_push(moves, legal.v[i]);
    }
    list_done(&legal);
    return n == 1 ? found : UINT32_MAX;
}

/* What a position is worth to `role` within so many plies; `plies` gets how many it takes. False: not found
 * out. */
static bool ask(struct finder *f, const struct state *s, uint32_t role, uint32_t depth, enum result *out,
                uint32_t *plies)
{
    struct solve_options options = {
        .memory = (size_t)16 << 20, .depth = depth, .shortest = true, .budget.expansions = POSITIONS};
    struct solve_result result = {0};
    struct error error = {0};
    bool ok = solve_run(f->r, engine_code(f->engine), s, &options, &result, &error) &&
              (result.why == SOLVE_DONE || result.why == SOLVE_DEPTH) && !result.at_once;
    if (ok) {
        *out = result.low[role] >= 100 ? WINS : result.high[role] <= 0 ? LOSES : OPEN;
        *plies = result.steps ? result.depth : 0;
    }
    solve_result_done(&result);
    return ok;
}

/* The one move with the result wanted (a win) or without the one not wanted (a loss) within `depth` plies
 * after it; UINT32_MAX: none, or several. */
static uint32_t only(struct finder *f, const struct state *s, uint32_t role, const uint32_t *joint,
                     const struct list *moves, bool winning, uint32_t depth, uint32_t *longest)
{
    uint32_t found = UINT32_MAX, n = 0;
    struct state next = {0};
    for (uint32_t i = 0; i < moves->n && n < 2; i++) {
        uint32_t all[64], plies = 0;
        enum result result = OPEN;
        memcpy(all, joint, f->game->nroles * sizeof *all);
        all[role] = moves->v[i];
        if (!f->r->ops->next(f->r, s, all, &next) || !ask(f, &next, role, depth, &result, &plies)) n = 2;
        if (winning ? result == WINS : result != LOSES)
            n++, found = moves->v[i];
        else if (plies + 1 > *longest)
            *longest = plies + 1;
    }
    state_done(&next);
    return n == 1 ? found : UINT32_MAX;
}

static bool keep(struct finder *f, const struct state *s, uint32_t role, const uint32_t *joint,
                 const struct list *moves)
{
    enum result result;
    uint32_t plies = 0, longest = 0, move, depth = 3 + 2 * rng_below(&f->rng, 4);
    if (moves->n < 3 || !ask(f, s, role, depth, &result, &plies)) return false;
    if (result == LOSES || (result == WINS && plies < 3)) return false;
    bool wins = result == WINS;
    move = only(f, s, role, joint, moves, wins, wins ? plies + 1 : depth - 1, &longest);
    if (move == UINT32_MAX || (!wins && (longest < 3 || longest > 9))) return false;
    char best[300] = "";
    add_move(f, role, move, best, sizeof best);
    printf("%s | %s | %u | %s | %s\n", f->game->name, wins ? "win" : "save", wins ? plies : longest, f->line,
           best);
    fflush(stdout);
    return true;
}

/* One random game, looked at near its end; true if something was found. */
static bool look(struct finder *f)
{
    struct state s = {0}, next = {0};
    struct list moves = {0};
    bool terminal = false, found = false;
    f->line[0] = '\0';
    f->r->ops->initial(f->r, &s);
    for (uint32_t ply = 0; ply < 200 && !found; ply++) {
        uint32_t joint[64], role;
        if (!f->r->ops->terminal(f->r, &s, &terminal) || terminal) break;
        role = mover(f, &s, joint, &moves);
        if (role == UINT32_MAX) break;
        if (ply >= 4 && rng_below(&f->rng, 4) == 0) found = keep(f, &s, role, joint, &moves);
        joint[role] = moves.v[rng_below(&f->rng, moves.n)];
        add_move(f, role, joint[role], f->line, sizeof f->line);
        if (!f->r->ops->next(f->r, &s, joint, &next) || !state_copy(&s, &next)) break;
    }
    state_done(&s);
    state_done(&next);
    list_done(&moves);
    return found;
}

int main(int argc, char **argv)
{
    uint32_t wanted = 2, seed = 1;
    double seconds = 20;
    for (int c; (c = getopt(argc, argv, "n:s:t:")) != -1;) {
        if (c == 'n') wanted = (uint32_t)atoi(optarg);
        if (c == 's') seed = (uint32_t)atoi(optarg);
        if (c == 't') seconds = atof(optarg);
    }
    for (int i = optind; i < argc; i++) {
        struct error error = {0};
        struct finder f = {.game = game_load(argv[i], 0, NULL, &error)};
        if (f.game) f.engine = engine_start(f.game, NULL, &error);
        if (!f.engine || engine_wait(f.engine, -1) != ENGINE_READY ||
            !(f.r = reasoner_circuit(f.game, engine_code(f.engine), &error))) {
            fprintf(stderr, "%s: %s\n", argv[i], error.text);
            return 2;
        }
        rng_init(&f.rng, seed);
        double until = clock_now() + seconds;
        for (uint32_t n = 0; n < wanted && clock_now() < until;) n += look(&f);
        reasoner_free(f.r);
        engine_free(f.engine);
        game_free(f.game);
    }
    return 0;
}
