// SPDX-License-Identifier: GPL-3.0-or-later
/* One loop for every search: with one lane what it finds is its own, whoever flies beside it; with several
 * threads nothing is lost and nothing is left behind. */
#include "../field.h"

#include "player/player.h"
#include "search/judgement.h"

#include <pthread.h>
#include <string.h>

static struct player *new_player(const struct field *g, const char *spec, uint64_t seed)
{
    struct error error = {0};
    struct player_config config;
    if (!player_config_parse(spec, &config, &error)) fail_msg("%s", error.text);
    config.memory = config.memory ? config.memory : 64;
    config.forced = true;
    struct player *p = player_new(&config, g->game, g->engine, 0, seed, &error);
    if (!p) fail_msg("%s", error.text);
    return p;
}

/* --- One lane ------------------------------------------------------------------------------------------- */

static const char *const schemes[] = {"cadia2007",
                                      "cadia2008",
                                      "nst",
                                      "champion",
                                      "lgr-nst",
                                      "mastg",
                                      "past",
                                      "cadia2012",
                                      "nst-decay",
                                      "rave",
                                      "tomast",
                                      "ary2007",
                                      "cadia2010",
                                      "mast-decay",
                                      "lgr-mast",
                                      "fast",
                                      "champion,decisive=parry",
                                      "cadia2007,decisive=win",
                                      "champion,arm=off,implicit=0.4",
                                      "champion,arm=off,horizon=4,implicit=0.2"};
enum { SCHEMES = sizeof schemes / sizeof *schemes, MOST_MOVES = 64 };

struct finding {
    struct mcts_move moves[MOST_MOVES];
    uint32_t n, nodes;
    uint64_t steps;
};

static void note(struct player *p, struct finding *out)
{
    struct mcts *m = player_search(p);
    memset(out, 0, sizeof *out);
    out->n = mcts_moves(m, 0, out->moves, MOST_MOVES);
    out->nodes = m->tree->nodes;
    out->steps = m->hands[0].stats.steps;
}

/* What positions seem worth it finds out itself, if it asks for that; then it is the caller's. */
static struct judgement *alone(const struct field *g, uint32_t scheme, const struct budget *budget,
                               struct finding *out)
{
    struct error error = {0};
    uint32_t move;
    struct player *p = new_player(g, schemes[scheme], 7 + scheme);
    if (!player_think(p, budget, &move, &error)) fail_msg("%s", error.text);
    note(p, out);
    struct judgement *found = player_take_judgement(p);
    player_free(p);
    return found;
}

struct company {
    const struct field *ground;
    struct budget budget;
    uint32_t lanes, copies; /* copies: others of each scheme, with other seeds, on the same driver */
    struct judgement **lent;
    struct finding found[SCHEMES];
};

/* All schemes at once on one driver, and others beside them; where lanes are few they take turns. */
static void *in_company(void *data)
{
    struct company *c = data;
    struct error error = {0};
    struct reasoner *r = reasoner_circuit(c->ground->game, engine_code(c->ground->engine), &error);
    struct driver *d = driver_new(r, engine_code(c->ground->engine), c->lanes, &error);
    uint32_t n = SCHEMES * (1 + c->copies), next = 0;
    struct player **players = calloc(n, sizeof *players);
    for (uint32_t i = 0; i < n; i++) {
        players[i] = new_player(c->ground, schemes[i % SCHEMES], 7 + i);
        player_join(players[i], d);
        if (c->lent[i % SCHEMES]) player_lend_judgement(players[i], c->lent[i % SCHEMES]);
    }
    for (;;) {
        for (; next < n && driver_room(d) > 0; next++) {
            struct hand *hand;
            struct budget budget = c->budget;
            if (next >= SCHEMES) budget.simulations = 20 + next; /* they leave at other times */
            if (!player_begin(players[next], &budget, true, &hand, &error)) fail_msg("%s", error.text);
            assert_non_null(hand);
            hand->owner = players[next];
            driver_add(d, hand, &budget);
        }
        struct hand *done = driver_run(d);
        if (!done) break;
        uint32_t move;
        assert_true(player_end(done->owner, &move, &error));
    }
    for (uint32_t i = 0; i < n; i++) {
        if (i < SCHEMES) note(players[i], &c->found[i]);
        player_free(players[i]);
    }
    free(players);
    driver_free(d);
    reasoner_free(r);
    return NULL;
}

static void same(const struct finding *a, const struct finding *b, const char *scheme)
{
    if (a->n != b->n || a->nodes != b->nodes || a->steps != b->steps ||
        memcmp(a->moves, b->moves, sizeof a->moves) != 0)
        fail_msg("%s found something else in company", scheme);
}

static void what_a_search_finds_is_its_own(void **unused)
{
    (void)unused;
    static const char *const games[] = {"breakthrough", "biddingTicTacToe", "ttcc4ThreePlayers"};
    for (uint32_t k = 0; k < 3; k++) {
        struct field g = open_field(games[k]);
        struct budget budget = {.simulations = 150};
        struct judgement *found[SCHEMES];
        struct finding own[SCHEMES];
        for (uint32_t i = 0; i < SCHEMES; i++) found[i] = alone(&g, i, &budget, &own[i]);
        struct company wide = {.ground = &g, .budget = budget, .lanes = 200, .copies = 5, .lent = found};
        struct company narrow = {.ground = &g, .budget = budget, .lanes = 3, .copies = 1, .lent = found};
        pthread_t threads[2];
        pthread_create(&threads[0], NULL, in_company, &wide);
        pthread_create(&threads[1], NULL, in_company, &narrow);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
        for (uint32_t i = 0; i < SCHEMES; i++) {
            assert_true(own[i].n > 1 && own[i].nodes > 0);
            same(&own[i], &wide.found[i], schemes[i]);
            same(&own[i], &narrow.found[i], schemes[i]);
            judgement_free(found[i]);
        }
        close_field(&g);
    }
}

static void both_worlds_choose_alike(void **unused)
{
    (void)unused;
    struct error error = {0};
    struct field g = open_field("ticTacToe");
    struct reasoner *r = reasoner_circuit(g.game, engine_code(g.engine), &error);
    struct world *fast = world_new(r, engine_code(g.engine), 64, &error),
                 *slow = world_new(r, NULL, 64, &error);
    struct state start = {0};
    uint64_t all = UINT64_MAX, draws[64];
    uint32_t one[64], two[64], different = 0;
    struct rng rng;
    rng_init(&rng, 5);
    assert_true(r->ops->initial(r, &start));
    for (uint32_t i = 0; i < 64; i++) {
        draws[i] = rng_next(&rng);
        world_put(fast, i, start.w, start.words);
        world_put(slow, i, start.w, start.words);
    }
    world_view(fast), world_view(slow);
    world_choose(fast, &all, draws), world_choose(slow, &all, draws);
    world_moves(fast, 0, one), world_moves(slow, 0, two);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(one[i], two[i]);
        different += one[i] != one[0];
    }
    assert_in_range(different, 40, 63); /* nine moves, each as likely as the other */
    state_done(&start);
    world_free(fast), world_free(slow);
    reasoner_free(r);
    close_field(&g);
}

/* --- Budgets -------------------------------------------------------------------------------------------- */

static struct mcts_stats think(const struct field *g, const char *spec, struct budget budget)
{
    struct error error = {0};
    struct player *p = new_player(g, spec, 3);
    uint32_t move;
    if (!player_think(p, &budget, &move, &error)) fail_msg("%s", error.text);
    struct mcts_stats s = player_report(p)->stats;
    player_free(p);
    return s;
}

static void budgets_are_kept(void **unused)
{
    (void)unused;
    struct field g = open_field("ticTacToe");
    static const char *const players[] = {"cadia2007",
                                          "nst",
                                          "cadia2007,lanes=16",
                                          "nst,threads=3",
                                          "champion,threads=2,parallel=root",
                                          "cadia2007,threads=2,parallel=leaf,playouts=4"};
    for (uint32_t i = 0; i < 6; i++) {
        struct mcts_stats s = think(&g, players[i], (struct budget){.simulations = 301});
        assert_in_range(s.simulations, 301, i == 5 ? 304 : 301); /* four playouts of a leaf come together */
        s = think(&g, players[i], (struct budget){.expansions = 50});
        assert_in_range(s.expansions, 50, 50 + 3 * 64);
        /* A simulation begun is finished: what is under way may exceed it, a game has nine steps at most. */
        uint32_t under_way = i < 2 ? 1 : i == 2 ? 16 : 3 * 130;
        s = think(&g, players[i], (struct budget){.steps = 2000});
        assert_in_range(s.steps, 2000, 2000 + 9 * under_way);
        assert_in_range(s.simulations, 2000 / 9, 2000 / 3 + under_way);
    }
    close_field(&g);
    /* A tree that holds the whole game grows no more: the budget in nodes ends all the same. */
    g = open_field("pmcTrap");
    struct mcts_stats s = think(&g, "cadia2007,puzzle=off,solver=off", (struct budget){.expansions = 20});
    assert_in_range(s.expansions, 1, 6);
    close_field(&g);
}

static void steps_are_positions_entered(void **unused)
{
    (void)unused;
    struct field g = open_field("ticTacToe");
    struct mcts_stats s = think(&g, "cadia2007", (struct budget){.simulations = 500});
    assert_int_equal(s.steps, s.playout_steps + s.depth_sum);
    assert_in_range(s.steps, 500 * 5, 500 * 9); /* games have five to nine moves */
    assert_in_range(s.decided, 250, 499);
    close_field(&g);
}

/* --- Threads -------------------------------------------------------------------------------------------- */

/* Nothing is pending, and each node was visited as often as its moves were made. */
static void tree_is_at_rest(const struct tree *t)
{
    assert_false(t->shared);
    for (uint32_t at = 1; at < t->used; at += tree_node(t, at)->size) {
        struct tree_node *n = tree_node(t, at);
        if (n->words == TREE_BLOCK) continue; /* what a thread had claimed and did not need */
        if (node_is_folded(n)) {
            assert_in_range(n->visits, 0, 1);
            for (uint32_t r = 0; r < t->nroles; r++)
                assert_int_equal(node_folded(t, n)[r].choice > 0, n->visits);
            continue;
        }
        for (uint32_t r = 0; r < t->nroles && !(n->flags & NODE_TERMINAL); r++) {
            uint64_t sum = 0;
            for (uint32_t i = 0; i < node_actions(t, n, r); i++) {
                assert_int_equal(pending_of(&node_action(t, n, r)[i]), 0);
                sum += node_action(t, n, r)[i].n;
            }
            assert_int_equal(sum, n->visits);
        }
    }
}

static void search_with(const char *game, const char *spec, uint64_t simulations, bool collects)
{
    struct field g = open_field(game);
    struct error error = {0};
    struct player *p = new_player(&g, spec, 11);
    struct budget budget = {.simulations = simulations};
    uint32_t move;
    for (int round = 0; round < 3; round++) {
        if (!player_think(p, &budget, &move, &error)) fail_msg("%s", error.text);
        assert_int_equal(player_report(p)->trouble.code, ERROR_NONE);
        assert_true(player_report(p)->stats.simulations >= simulations);
    }
    struct mcts *m = player_search(p);
    uint64_t visits = 0;
    for (uint32_t i = 0; i < node_actions(m->tree, tree_node(m->tree, m->tree->root), 0); i++)
        visits += node_action(m->tree, tree_node(m->tree, m->tree->root), 0)[i].n;
    if (!m->pool) assert_true(visits >= 3 * simulations);
    if (collects && !m->tree->collections) fail_msg("%s, %s: %u nodes", game, spec, m->tree->nodes);
    tree_is_at_rest(m->tree);
    player_free(p);
    close_field(&g);
}

static void threads_share_a_tree(void **unused)
{
    (void)unused;
    search_with("connectFour", "champion,threads=4,lanes=8", 4000, false);
    search_with("goofspiel4", "cadia2008,threads=4,lanes=4", 4000, false); /* edges */
    search_with("eightPuzzle", "nst,threads=3,lanes=4", 2000, false);      /* best lines */
    search_with("ticTacToe", "cadia2007,threads=4", 4000, false);          /* all ends in the tree */
}

/* Nodes are folded, with simulations on their way through some of them when they are visited again. */
static void lanes_leave_nothing_behind(void **unused)
{
    (void)unused;
    search_with("connectFour", "cadia2007,lanes=64", 4000, false);
    search_with("connectFour", "cadia2007,lanes=64,memory=1", 20000, true);
    search_with("goofspiel4", "cadia2008,lanes=16", 4000, false); /* rows of children */
    search_with("breakthrough", "cadia2007,lanes=32,playout=uniform:wires,playouts=2,memory=1", 8000, true);
}

static void threads_meet_when_the_tree_must_move(void **unused)
{
    (void)unused;
    search_with("connectFour", "cadia2007,threads=4,lanes=8,memory=2", 30000, true);
    search_with("goofspiel9", "cadia2007,c=200,threads=4,lanes=4,memory=1", 10000, true);
    search_with("connectFour", "cadia2007,threads=2,parallel=leaf,memory=2", 20000, true);
}

static void playouts_are_done_by_others(void **unused)
{
    (void)unused;
    search_with("connectFour", "champion,threads=3,parallel=leaf,lanes=8", 4000, false);
    search_with("breakthrough", "cadia2012,threads=2,parallel=leaf,lanes=4,playouts=3", 2000, false);
    search_with("ticTacToe", "past,threads=2,parallel=leaf", 2000, false);
}

static void root_parallel_searches_are_pooled(void **unused)
{
    (void)unused;
    struct field g = open_field("connectFour");
    struct error error = {0};
    struct player *p = new_player(&g, "champion,threads=3,parallel=root", 2);
    struct budget budget = {.simulations = 999};
    uint32_t move;
    if (!player_think(p, &budget, &move, &error)) fail_msg("%s", error.text);
    struct mcts_move moves[7];
    struct mcts *m = player_search(p);
    assert_int_equal(mcts_moves(m, 0, moves, 7), 7);
    uint32_t sum = 0, own = 0;
    for (uint32_t i = 0; i < 7; i++) {
        sum += moves[i].n;
        own += node_action(m->tree, tree_node(m->tree, m->tree->root), 0)[i].n;
    }
    assert_int_equal(sum, 999);
    assert_int_equal(own, 333);
    assert_int_equal(player_report(p)->stats.simulations, 999);
    player_free(p);
    close_field(&g);
}

/* Told to stop, all threads do. */
static void threads_stop(void **unused)
{
    (void)unused;
    static const char *const ways[] = {"champion,threads=3", "champion,threads=3,parallel=root",
                                       "champion,threads=3,parallel=leaf"};
    struct field g = open_field("breakthrough");
    for (int i = 0; i < 3; i++) {
        struct error error = {0};
        struct player *p = new_player(&g, ways[i], 5);
        struct budget budget = {.deadline = clock_now() + 0.2};
        uint32_t move;
        for (int round = 0; round < 2; round++, budget.deadline = clock_now() + 0.1)
            if (!player_think(p, &budget, &move, &error)) fail_msg("%s", error.text);
        assert_true(player_report(p)->stats.simulations > 0);
        tree_is_at_rest(player_search(p)->tree);
        player_free(p);
    }
    close_field(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_search_finds_is_its_own),
        cmocka_unit_test(both_worlds_choose_alike),
        cmocka_unit_test(budgets_are_kept),
        cmocka_unit_test(steps_are_positions_entered),
        cmocka_unit_test(lanes_leave_nothing_behind),
        cmocka_unit_test(threads_share_a_tree),
        cmocka_unit_test(threads_meet_when_the_tree_must_move),
        cmocka_unit_test(playouts_are_done_by_others),
        cmocka_unit_test(root_parallel_searches_are_pooled),
        cmocka_unit_test(threads_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
