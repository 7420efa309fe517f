// SPDX-License-Identifier: GPL-3.0-or-later
/* Goal stability as the thesis measured it (002 section 5.2.1): Checkers around 250, Othello around 3000. */
#include "../testing.h"

#include "player/player.h"

static struct cutoff_sample sample(const char *name, uint64_t seed, struct cutoff *decision)
{
    struct error error = {0};
    struct game *game = game_load(name, 0, NULL, &error);
    struct reasoner *r = game ? reasoner_ground(game, NULL, &error) : NULL;
    if (!r) fail_msg("%s", error.text);
    struct cutoff_sample s;
    assert_true(cutoff_measure(r, seed, 100, &(struct budget){0}, &s));
    *decision = cutoff_decide(&s, game->nroles, 1000, 10);
    reasoner_free(r);
    game_free(game);
    return s;
}

static void goals_of_checkers_are_stable(void **state)
{
    struct cutoff cut;
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct cutoff_sample s = sample("checkers", seed, &cut);
        assert_int_equal(s.games, 100);
        assert_true(s.stability > 100 && s.stability < 500);
        assert_int_equal(cut.kind, CUT_GOAL_STABLE);
        assert_int_equal(cut.steps, s.first_terminal + (s.last_terminal - s.first_terminal) / 3);
    }
}

/* Skirmish is over after so many steps, however it stands: a playout goes on for as long as the goals need.
 */
static void goals_alone_decide_where_all_games_are_as_long(void **state)
{
    struct cutoff cut;
    (void)state;
    struct cutoff_sample s = sample("skirmish", 1, &cut);
    assert_true(s.last_terminal - s.first_terminal < 10);
    assert_int_equal(cut.kind, CUT_GOAL_STABLE);
    assert_int_equal(cut.steps, s.first_change + 2 > 10 ? s.first_change + 2 : 10);
}

/* In most games nobody has anything before the end: that it changes there says nothing of other states. */
static void goals_of_the_end_alone_are_not_stable(void **state)
{
    struct cutoff cut;
    (void)state;
    static const char *const games[] = {"ticTacToe3d", "breakthrough", "connect5"};
    for (int i = 0; i < 3; i++) {
        struct cutoff_sample s = sample(games[i], 1, &cut);
        assert_true(s.stability == 0);
        assert_int_equal(s.first_change, 0);
        assert_int_equal(cut.kind, CUT_TERMINAL_INTERVAL);
        assert_int_equal(cut.steps, s.first_terminal + (s.last_terminal - s.first_terminal) / 3);
    }
}

static void goals_of_othello_go_back_and_forth(void **state)
{
    struct cutoff cut;
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct cutoff_sample s = sample("othello", seed, &cut);
        assert_true(s.stability > 2000 && s.stability < 4000);
        assert_true(s.last_terminal - s.first_terminal < 10); /* nearly always when the board is full */
        assert_int_equal(cut.kind, CUT_NEVER);
    }
}

static void sampling_ends_when_it_is_told_to(void **state)
{
    (void)state;
    struct error error = {0};
    struct game *game = game_load("checkers", 0, NULL, &error);
    struct reasoner *r = game ? reasoner_lifted(game, 0, &error) : NULL;
    if (!r) fail_msg("%s", error.text);
    struct cutoff_sample s;
    atomic_bool stop;
    atomic_init(&stop, true);
    assert_false(cutoff_measure(r, 1, 100, &(struct budget){.stop = &stop}, &s));
    assert_false(cutoff_measure(r, 1, 100, &(struct budget){.deadline = clock_now() - 1}, &s));
    assert_int_equal(s.games, 0);
    reasoner_free(r);
    game_free(game);
}

static void an_interval_of_just_the_minimum_is_one(void **state)
{
    (void)state;
    struct cutoff_sample s = {.games = 100, .first_terminal = 20, .last_terminal = 30};
    assert_int_equal(cutoff_decide(&s, 2, 1000, 10).kind, CUT_TERMINAL_INTERVAL);
    assert_int_equal(cutoff_decide(&s, 2, 1000, 10).steps, 23);
    s.last_terminal = 29;
    assert_int_equal(cutoff_decide(&s, 2, 1000, 10).kind, CUT_NEVER);
}

static struct cutoff_sample watched(const char *game_name, const char *player, uint64_t simulations,
                                    struct cutoff *decision, uint64_t *cut)
{
    struct error error = {0};
    struct game *game = game_load(game_name, 0, NULL, &error);
    struct engine *engine = game ? engine_start(game, NULL, &error) : NULL;
    struct player_config config;
    if (!engine || engine_wait(engine, -1) != ENGINE_READY || !player_config_parse(player, &config, &error))
        fail_msg("%s", error.text);
    struct player *p = player_new(&config, game, engine, 0, 1, &error);
    struct budget budget = {.simulations = simulations};
    uint32_t best;
    if (!p || !player_think(p, &budget, &best, &error)) fail_msg("%s", error.text);
    struct cutoff_sample seen = player_search(p)->seen;
    *decision = player_search(p)->opt.cutoff;
    *cut = player_search(p)->stats.cut;
    player_free(p);
    engine_free(engine);
    game_free(game);
    return seen;
}

/* It is the agent's own simulations that count: those of MAST in Knightthrough are much shorter than random
 * games, and the first hundred are never cut. */
static void the_first_hundred_simulations_decide(void **state)
{
    (void)state;
    struct cutoff cut, other;
    uint64_t times;
    struct cutoff_sample s = watched("knightthrough", "cadia2008,cutoff=on,lanes=1", 99, &cut, &times);
    assert_int_equal(s.games, 99);
    assert_int_equal(cut.kind, CUT_NEVER);
    s = watched("knightthrough", "cadia2008,cutoff=on,lanes=1", 400, &cut, &times);
    assert_int_equal(s.games, 100);
    assert_true(cut.kind != CUT_NEVER);
    assert_true(times <= 300);
    struct cutoff_sample random = sample("knightthrough", 1, &other);
    assert_true(s.last_terminal < random.last_terminal);
    s = watched("ticTacToe3d", "cadia2007,cutoff=on,lanes=1", 400, &cut, &times);
    assert_true(times > 0 && times <= 300);
    assert_true(s.stability == 0); /* goals of the end are not among those along the way */
    assert_int_equal(s.first_change, 0);
    assert_int_equal(cut.kind, CUT_TERMINAL_INTERVAL);
    /* goals are seen along the way, too: Checkers as at random */
    s = watched("checkers", "cadia2007,cutoff=on,lanes=1", 100, &cut, &times);
    assert_true(s.stability > 100 && s.stability < 500);
    assert_int_equal(cut.kind, CUT_GOAL_STABLE);
    assert_int_equal(times, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goals_of_checkers_are_stable),
        cmocka_unit_test(goals_alone_decide_where_all_games_are_as_long),
        cmocka_unit_test(goals_of_the_end_alone_are_not_stable),
        cmocka_unit_test(goals_of_othello_go_back_and_forth),
        cmocka_unit_test(sampling_ends_when_it_is_told_to),
        cmocka_unit_test(an_interval_of_just_the_minimum_is_one),
        cmocka_unit_test(the_first_hundred_simulations_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
