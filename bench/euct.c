// SPDX-License-Identifier: GPL-3.0-or-later
/* 002 table 6.5: Goofspiel with 4, 5 and 6 cards solved by E-UCT on one core: seconds, solver nodes, their
 * share of the full tree. Means of RUNS seeds; the thesis' figures beside them. A solver node is one of which
 * something is proved: ends, too.
 *
 *     euct [RUNS] */
#include "game/engine.h"
#include "search/driver.h"
#include "search/prove.h"
#include "search/solver/outcomes.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *game;
    double tree, seconds, nodes; /* as printed */
} table[] = {{"goofspiel4", 1313, 1.074, 669},
             {"goofspiel5", 32826, 11.314, 8934},
             {"goofspiel6", 1181737, 510.055, 380142}};

static uint32_t solver_nodes(struct mcts *m)
{
    uint32_t n = 0;
    for (uint32_t at = 1; at < m->tree->used; at += tree_node(m->tree, at)->size)
        n += (tree_node(m->tree, at)->flags & NODE_BOUNDED) != 0;
    return n;
}

static bool solve(const char *name, uint32_t runs, double *seconds, double *nodes, double *value)
{
    struct error error = {0};
    struct game *game = game_load(name, 0, NULL, &error);
    struct engine *engine = game ? engine_start(game, NULL, &error) : NULL;
    if (!engine || engine_wait(engine, -1) != ENGINE_READY)
        return fprintf(stderr, "euct: %s\n", error.text), false;
    const struct code *code = engine_code(engine);
    struct reasoner *r = reasoner_circuit(game, code, &error);
    struct driver *d = driver_new(r, code, 1, &error);
    struct outcomes *o = outcomes_new(game, code, OUTCOMES_QUICK);
    struct state s = {0};
    bool ok = r && d && o && r->ops->initial(r, &s);
    for (uint32_t i = 0; i < runs && ok; i++) {
        struct policy policy = {0}, *policies[] = {&policy};
        struct mcts_options options = {
            .tree = true, .c = 40, .discount = 0.999f, .lanes = 1, .solver = SOLVER_E};
        options.memory = (size_t)4 << 30, options.seed = i + 1, options.outcomes = o;
        struct mcts *m = mcts_new(&options, r, policies, 1, &error);
        double began = clock_now();
        ok = m && mcts_root(m, &s, &(struct budget){0}, &error);
        if (ok) driver_work(d, &m->hands[0], &(struct budget){.deadline = began + 300});
        ok = ok && m->settled;
        *seconds += (clock_now() - began) / runs;
        *nodes += ok ? (double)solver_nodes(m) / runs : 0;
        *value = ok ? (double)mcts_value(m, 0) : -1;
        mcts_free(m);
    }
    if (!ok) fprintf(stderr, "euct: %s was not solved\n", name);
    state_done(&s);
    outcomes_free(o);
    driver_free(d);
    reasoner_free(r);
    engine_free(engine);
    game_free(game);
    return ok;
}

int main(int argc, char **argv)
{
    uint32_t runs = argc > 1 ? (uint32_t)atoi(argv[1]) : 10;
    printf("%-12s %8s %10s %10s %8s   %s\n", "game", "value", "seconds", "nodes", "ratio",
           "published: seconds, nodes, ratio");
    for (uint32_t i = 0; i < sizeof table / sizeof *table; i++) {
        double seconds = 0, nodes = 0, value = 0;
        if (!solve(table[i].game, runs, &seconds, &nodes, &value)) return 1;
        printf("%-12s %8.2f %10.3f %10.0f %7.2f%%   %.3f, %.0f, %.2f%%\n", table[i].game, value, seconds,
               nodes, 100 * nodes / table[i].tree, table[i].seconds, table[i].nodes,
               100 * table[i].nodes / table[i].tree);
        fflush(stdout);
    }
    return 0;
}
