// SPDX-License-Identifier: GPL-3.0-or-later
/* Goal stability as the thesis measured it (002 section 5.2.1): Checkers around 250, Othello around 3000. */
#include "../testing.h"

#include "game/engine.h"
#include "search/mcts.h"

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
        assert_int_equal(cut.steps, s.first_change + 2 > 10 ? s.first_change + 2 : 10);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goals_of_checkers_are_stable),
        cmocka_unit_test(goals_of_othello_go_back_and_forth),
        cmocka_unit_test(sampling_ends_when_it_is_told_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
