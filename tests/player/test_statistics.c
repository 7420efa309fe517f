// SPDX-License-Identifier: GPL-3.0-or-later
/* Which move is played, what fades, and what is carried to the next move. */
#include "../testing.h"

#include "player/player_internal.h"

#include <math.h>

struct fixture {
    struct game *game;
    struct engine *engine;
    struct player *player;
};

static void open_game(struct fixture *f, struct game *game, const char *spec, uint64_t simulations)
{
    struct error error = {0};
    struct player_config config;
    uint32_t move;
    struct budget budget = {.simulations = simulations};
    f->game = game;
    f->engine = game ? engine_start(game, NULL, &error) : NULL;
    assert_true(f->engine && engine_wait(f->engine, -1) == ENGINE_READY);
    assert_true(player_config_parse(spec, &config, &error));
    f->player = player_new(&config, f->game, f->engine, 0, 1, &error);
    if (!f->player || !player_think(f->player, &budget, &move, &error)) fail_msg("%s", error.text);
}

static void open_player(struct fixture *f, const char *spec, uint64_t simulations)
{
    struct error error = {0};
    open_game(f, game_load("ticTacToe", 0, NULL, &error), spec, simulations);
}

static void close_player(struct fixture *f)
{
    player_free(f->player);
    engine_free(f->engine);
    game_free(f->game);
}

static struct tree_node *root_of(const struct fixture *f)
{
    const struct tree *t = player_search(f->player)->tree;
    return tree_node(t, t->root);
}

/* The move played when three of nine were visited so often and the others never. */
static uint32_t choice(const char *spec, uint32_t n0, uint32_t n1, uint32_t n2)
{
    struct fixture f;
    uint32_t move, chosen = 9;
    open_player(&f, spec, 20);
    struct mcts *m = player_search(f.player);
    struct tree_action *a = node_action(m->tree, root_of(&f), 0);
    for (uint32_t i = 3; i < 9; i++) a[i].n = 0;
    a[0].n = n0, a[0].mean = 50;
    a[1].n = n1, a[1].mean = 55;
    a[2].n = n2, a[2].mean = 100;
    assert_true(mcts_best(m, 0, &move));
    for (uint32_t i = 0; i < 9; i++)
        if (a[i].move == move) chosen = i;
    close_player(&f);
    return chosen;
}

static void the_move_played(void **state)
{
    assert_int_equal(choice("cadia2007,final=mean", 1500, 1400, 3), 2);
    assert_int_equal(choice("cadia2007,final=visits", 1500, 1400, 3), 0);
    assert_int_equal(choice("cadia2007,final=robust", 1500, 1400, 3), 1);
    /* half as often as the most visited is often, less is not */
    assert_int_equal(choice("cadia2007,final=robust", 1500, 750, 3), 1);
    assert_int_equal(choice("cadia2007,final=robust", 1500, 749, 3), 0);
    /* too few to tell */
    assert_int_equal(choice("cadia2007,final=robust", 15, 14, 3), 2);
}

static uint32_t values_in_between(const char *spec)
{
    struct fixture f;
    uint32_t count = 0;
    open_player(&f, spec, 3000);
    const struct tree_action *a = node_action(player_search(f.player)->tree, root_of(&f), 0);
    for (uint32_t i = 0; i < 9; i++)
        count += fabsf(a[i].mean) > 1e-3f && fabsf(a[i].mean - 50) > 1e-3f && fabsf(a[i].mean - 100) > 1e-3f;
    close_player(&f);
    return count;
}

/* A window of one is the last reward. */
static void means_fade(void **state)
{
    assert_int_equal(values_in_between("cadia2007,discount=1,window=1"), 0);
    assert_true(values_in_between("cadia2007,discount=1") > 5);
    ;
    assert_true(values_in_between("cadia2007,discount=1,window=4000") > 5);
}

/* Three of nine moves were tried, the first of them with success; RAVE thinks little of all others but
 * perhaps of the last. Which one has the next simulation? */
static uint32_t next_choice(const char *spec, float last)
{
    struct fixture f;
    struct error error = {0};
    struct budget one = {.simulations = 1};
    open_player(&f, spec, 20);
    struct tree *t = player_search(f.player)->tree;
    struct tree_node *root = root_of(&f);
    struct tree_action *a = node_action(t, root, 0);
    struct rave *rave = node_rave(t, root, 0);
    uint32_t before[9], chosen = 9;
    root->visits = 100;
    for (uint32_t i = 0; i < 9; i++) {
        a[i].n = before[i] = i == 0 ? 60 : i < 3 ? 20 : 0;
        a[i].mean = i == 0 ? 90 : 60;
        rave[i].n = 50;
        rave[i].mean = i == 0 ? 60 : i == 8 ? last : 5;
    }
    if (!player_ponder(f.player, &one, &error)) fail_msg("%s", error.text);
    for (uint32_t i = 0; i < 9; i++)
        if (a[i].n > before[i]) chosen = i;
    close_player(&f);
    return chosen;
}

static void what_was_not_tried_waits_as_long_as_it_seems_worse(void **state)
{
    assert_in_range(next_choice("rave", 5), 3, 8);
    assert_int_equal(next_choice("rave,urgency=rave", 5), 0);
    assert_int_equal(next_choice("rave,urgency=rave", 99), 8);
    assert_int_equal(next_choice("rave,urgency=policy", 5), 0);
    assert_in_range(next_choice("rave,urgency=policy", 99), 3, 8);
}

/* Visits of the root after a move and one more simulation. */
static uint32_t carried(const char *spec)
{
    struct fixture f;
    struct error error = {0};
    struct budget one = {.simulations = 1};
    uint32_t move, joint[2];
    open_player(&f, spec, 9000);
    struct mcts *m = player_search(f.player);
    assert_int_equal(mcts_line(m, joint, 1), 1);
    assert_true(player_advance(f.player, player_reasoner(f.player), joint, &error));
    assert_true(player_ponder(f.player, &one, &error));
    uint32_t visits = root_of(&f)->visits, sum = 0;
    for (uint32_t i = 0; i < node_actions(m->tree, root_of(&f), 1); i++)
        sum += node_action(m->tree, root_of(&f), 1)[i].n;
    assert_true(sum <= visits + 9 && visits <= sum + 9);
    assert_true(mcts_best(m, 0, &move));
    close_player(&f);
    return visits;
}

static void old_visits_are_bounded(void **state)
{
    assert_true(carried("cadia2007") > 1000);
    assert_int_equal(carried("cadia2007,carry=100"), 101);
    assert_int_equal(carried("rave,carry=100"), 101);
}

/* One move, one's own choice: to share generously has 80 for oneself and 70 for the other, to spoil 60 and 0.
 */
static const char sharing[] = "(role a) (role b) (init start) (legal a share) (legal a spoil) (legal b noop)"
                              "(<= (next shared) (does a share)) (<= (next spoilt) (does a spoil))"
                              "(<= terminal (true shared)) (<= terminal (true spoilt))"
                              "(<= (goal a 80) (true shared)) (<= (goal b 70) (true shared))"
                              "(<= (goal a 60) (true spoilt)) (<= (goal b 0) (true spoilt))"
                              "(<= (goal a 50) (true start)) (<= (goal b 50) (true start))";

/* The mean of each move, shared and spoilt, as a role sees it; returns the one that is played. */
static uint32_t shared_or_spoilt(const char *spec, uint32_t role, float mean[2])
{
    struct fixture f;
    struct error error = {0};
    uint32_t move, chosen = 2;
    open_game(&f, game_from_text("sharing", sharing, strlen(sharing), 0, NULL, &error), spec, 50);
    struct mcts *m = player_search(f.player);
    const struct tree_action *a = node_action(m->tree, root_of(&f), 0);
    assert_true(mcts_best(m, 0, &move));
    for (uint32_t i = 0; i < 2; i++) {
        mean[i] = a[i].mean;
        if (a[i].move == move) chosen = i;
    }
    if (role == 1) mean[0] = node_action(m->tree, root_of(&f), 1)->mean;
    close_player(&f);
    return chosen;
}

/* CadiaPlayer plays for the difference of two goals; champion, and whoever is told so, for its own. */
static void what_two_play_for(void **state)
{
    float mean[2];
    assert_int_equal(shared_or_spoilt("cadia2007,goals=own,discount=1", 0, mean), 0);
    assert_float_equal(mean[0], 80, 1e-3);
    assert_float_equal(mean[1], 60, 1e-3);
    static const char *const papers[] = {"cadia2007", "cadia2008", "mastg", "tomast",   "past",     "rave",
                                         "cadia2009", "cadia2010", "nst",   "lgr-mast", "nst-decay"};
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++) {
        char spec[80];
        snprintf(spec, sizeof spec, "%s,discount=1", papers[i]);
        assert_int_equal(shared_or_spoilt(spec, 0, mean), 1);
        assert_float_equal(mean[0], 55, 1e-3);
        assert_float_equal(mean[1], 80, 1e-3);
    }
    assert_int_equal(shared_or_spoilt("cadia2007,discount=1,solver=s", 0, mean), 0);
    assert_int_equal(shared_or_spoilt("champion,arm=off", 0, mean), 0);
    /* what is good for the one is bad for the other */
    shared_or_spoilt("cadia2007,discount=1", 1, mean);
    assert_in_range((int)mean[0], 20, 45);
}

/* Where goals add up to 100 it is the same, lane by lane and on the wires, with what is learned of both. */
static void nothing_changes_where_goals_add_up(void **state)
{
    static const char *const players[] = {"cadia2009", "cadia2007,playout=uniform:wires,playouts=8",
                                          "cadia2009,playout=mast:wires,sampler=greedy,playouts=4"};
    for (size_t i = 0; i < sizeof players / sizeof *players; i++) {
        struct fixture f[2];
        for (int k = 0; k < 2; k++) {
            struct error error = {0};
            char spec[120];
            snprintf(spec, sizeof spec, "%s,goals=%s", players[i], k ? "difference" : "own");
            open_game(&f[k], game_load("connectFour", 0, NULL, &error), spec, 400);
        }
        const struct tree *t[2] = {player_search(f[0].player)->tree, player_search(f[1].player)->tree};
        const struct tree_action *a[2] = {node_action(t[0], root_of(&f[0]), 0),
                                          node_action(t[1], root_of(&f[1]), 0)};
        for (uint32_t k = 0; k < 7; k++) {
            assert_int_equal(a[0][k].n, a[1][k].n);
            assert_float_equal(a[0][k].mean, a[1][k].mean, 1e-3);
        }
        for (int k = 0; k < 2; k++) close_player(&f[k]);
    }
}

/* Both take numbers in turn, eight times, and end with 80 and 70 whatever they do. */
static const char generous[] =
    "(role a) (role b) (init (control a)) (init (step 0)) (number 1) (number 2) (number 3)"
    "(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)"
    "(<= (legal ?r (take ?n)) (true (control ?r)) (number ?n))"
    "(<= (legal a noop) (true (control b))) (<= (legal b noop) (true (control a)))"
    "(<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))"
    "(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= (next (took ?n)) (does ?r (take ?n)))"
    "(<= (next (took ?n)) (true (took ?n))) (<= terminal (true (step 8))) (goal a 80) (goal b 70)";

/* RAVE is told the same of a simulation as the tree, on the wires, too. */
static void all_learn_the_difference(void **state)
{
    static const char *const players[] = {"rave,discount=1",
                                          "rave,discount=1,playout=uniform:wires,playouts=4"};
    for (size_t i = 0; i < sizeof players / sizeof *players; i++) {
        struct fixture f;
        struct error error = {0};
        open_game(&f, game_from_text("generous", generous, strlen(generous), 0, NULL, &error), players[i],
                  100);
        const struct tree *t = player_search(f.player)->tree;
        for (uint32_t k = 0; k < 3; k++) {
            assert_float_equal(node_action(t, root_of(&f), 0)[k].mean, 55, 1e-3);
            assert_true(node_rave(t, root_of(&f), 0)[k].n > 0);
            assert_float_equal(node_rave(t, root_of(&f), 0)[k].mean, 55, 1e-3);
        }
        close_player(&f);
    }
}

/* All simulations teach as long as little is known, then one of so many. */
static void some_simulations_teach(void **state)
{
    static const struct {
        const char *spec;
        uint64_t taught;
    } cases[] = {{"nst", 9000}, {"nst,learn=1", 9000}, {"nst,learn=4", 6000}, {"nst,learn=16", 5250}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        open_player(&f, cases[i].spec, 9000);
        assert_int_equal(f.player->policies[0].simulations, cases[i].taught);
        close_player(&f);
    }
}

/* Who holds the tree and who does playouts for it have tables of their own, and both keep to it. */
static void playouts_done_by_others_teach_as_rarely(void **state)
{
    enum { LITTLE = 5000, UNDER_WAY = 100, ROUNDS = 50 };
    struct fixture f;
    struct error error = {0};
    struct budget budget = {.simulations = 4000};
    uint64_t made[2] = {0};
    uint32_t move, round;
    open_game(&f, game_load("connectFour", 0, NULL, &error), "nst,learn=4,playouts=4,threads=2,parallel=leaf",
              budget.simulations);
    for (round = 0; round < ROUNDS; round++) { /* whoever is slow gets little to do */
        const struct hand *hands = player_search(f.player)->hands;
        made[0] += player_report(f.player)->stats.simulations;
        made[1] += hands[1].launched;
        if (made[0] > 2 * LITTLE && made[1] > 2 * LITTLE) break;
        if (!player_think(f.player, &budget, &move, &error)) fail_msg("%s", error.text);
    }
    assert_true(round < ROUNDS);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t expected = LITTLE + (made[i] - LITTLE) / 4;
        uint64_t off = UNDER_WAY * (round + 1ull);
        assert_in_range(f.player->policies[i].simulations, expected - off, expected + off);
    }
    close_player(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_move_played),
        cmocka_unit_test(what_was_not_tried_waits_as_long_as_it_seems_worse),
        cmocka_unit_test(means_fade),
        cmocka_unit_test(old_visits_are_bounded),
        cmocka_unit_test(what_two_play_for),
        cmocka_unit_test(nothing_changes_where_goals_add_up),
        cmocka_unit_test(all_learn_the_difference),
        cmocka_unit_test(some_simulations_teach),
        cmocka_unit_test(playouts_done_by_others_teach_as_rarely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
