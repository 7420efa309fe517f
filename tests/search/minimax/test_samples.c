// SPDX-License-Identifier: GPL-3.0-or-later
/* Games to learn from: played by the rules, with a guide by what it likes. */
#include "../../testing.h"

#include "game/engine.h"
#include "search/minimax/evaluate.h"
#include "search/minimax/samples.h"

#include <string.h>

#define WANTED 3000u

static uint32_t facts_of(const uint64_t *state, uint32_t words)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < words; w++) n += (uint32_t)__builtin_popcountll(state[w]);
    return n;
}

/* Everybody likes a full board. */
static void likes_facts(const struct evaluator *e, const struct place *p, float *out)
{
    out[0] = out[1] = (float)facts_of(p->state, p->words);
}

static double mean_facts_of(const struct code *code, const struct evaluator *guide, uint32_t tries)
{
    struct samples s;
    struct samples_order order = {.wanted = WANTED, .seed = 5, .guide = guide, .tries = tries};
    struct budget budget = {0};
    double sum = 0;
    assert_true(samples_play(&s, code, &order, &budget));
    assert_int_equal(s.n, WANTED);
    for (uint32_t i = 0; i < s.n; i++) {
        sum += facts_of(samples_state(&s, i), s.words);
        for (uint32_t r = 0; r < 2; r++) assert_in_range(s.outcome[2 * i + r], 0, 100);
    }
    samples_done(&s);
    return sum / WANTED;
}

static double mean_facts(const struct code *code, const struct evaluator *guide)
{
    return mean_facts_of(code, guide, 0);
}

/* Who likes pieces, takes fewer: in Breakthrough, where random games lose half of them, and in Chinook, where
 * both move at once. */
static void games_go_where_the_guide_likes_it(void **state)
{
    static const char *const games[] = {"breakthrough", "chinook"};
    static const double least[] = {1, 0.4}; /* in Chinook little is taken at all */
    for (uint32_t k = 0; k < 2; k++) {
        struct error error = {0};
        struct evaluator guide = {.name = "facts", .values = likes_facts};
        struct game *game = game_load(games[k], 0, NULL, &error);
        struct reasoner *r = game ? reasoner_ground(game, NULL, &error) : NULL;
        if (!r) fail_msg("%s", error.text);
        double any = mean_facts(reasoner_code(r), NULL), guided = mean_facts(reasoner_code(r), &guide);
        if (guided < any + least[k])
            fail_msg("%s: %.1f facts with a guide, %.1f without", games[k], guided, any);
        assert_true(mean_facts(reasoner_code(r), &guide) == guided);
        assert_true(mean_facts_of(reasoner_code(r), &guide, 4) == guided);
        double few = mean_facts_of(reasoner_code(r), &guide, 2),
               many = mean_facts_of(reasoner_code(r), &guide, 16);
        if (few >= guided || many <= guided) fail_msg("%s: %.1f, %.1f, %.1f", games[k], few, guided, many);
        reasoner_free(r);
        game_free(game);
    }
}

/* How many positions in a row end alike, each later than the one before: as those of one game do. */
static uint32_t longest_row(const struct code *code, uint32_t each)
{
    struct samples s;
    struct samples_order order = {.wanted = 2000, .seed = 5, .each = each};
    struct budget budget = {0};
    uint32_t row = 1, longest = 1;
    assert_true(samples_play(&s, code, &order, &budget));
    for (uint32_t i = 1; i < s.n; i++) {
        bool on = s.outcome[2 * i] == s.outcome[2 * i - 2] && s.step[i] > s.step[i - 1];
        row = on ? row + 1 : 1;
        if (row > longest) longest = row;
    }
    samples_done(&s);
    return longest;
}

static void so_many_positions_are_of_one_game(void **state)
{
    struct error error = {0};
    struct game *game = game_load("othello", 0, NULL, &error);
    struct reasoner *r = game ? reasoner_ground(game, NULL, &error) : NULL;
    if (!r) fail_msg("%s", error.text);
    assert_in_range(longest_row(reasoner_code(r), 1), 1, 7); /* by chance */
    assert_in_range(longest_row(reasoner_code(r), 32), 16, 64);
    reasoner_free(r);
    game_free(game);
}

/* What is learned twice says how much random games explain, as what is learned once does, and is not the
 * same. */
static void lessons_from_better_games_are_others(void **state)
{
    struct error error = {0};
    struct game *game = game_load("breakthrough", 0, NULL, &error);
    struct reasoner *r = game ? reasoner_ground(game, NULL, &error) : NULL;
    if (!r) fail_msg("%s", error.text);
    struct minimax_report report[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct minimax_options o = {.policy = MINIMAX_PARANOID,
                                    .eval = i ? EVAL_GUIDED : EVAL_LEARNED,
                                    .depth = 1,
                                    .seed = 1,
                                    .memory = 1 << 20};
        struct budget budget = {.simulations = 1000};
        struct state at = {0};
        uint32_t move;
        assert_true(r->ops->initial(r, &at));
        struct minimax *m = minimax_new(r, reasoner_code(r), 0, &o, &error);
        assert_true(m && minimax_think(m, &at, &budget, &move, &error));
        report[i] = *minimax_report(m);
        minimax_free(m);
        state_done(&at);
    }
    assert_float_equal(report[0].explains, report[1].explains, 1e-6);
    assert_true(report[0].score != report[1].score);
    reasoner_free(r);
    game_free(game);
}

/* Few better games teach less than many random ones. */
static void few_better_games_are_not_learned_from(void **state)
{
    static const uint32_t wanted[] = {3000, 6000};
    struct error error = {0};
    struct budget budget = {0};
    struct game *game = game_load("breakthrough", 0, NULL, &error);
    struct reasoner *r = game ? reasoner_ground(game, NULL, &error) : NULL;
    if (!r) fail_msg("%s", error.text);
    struct analysis *look = evaluator_look(r, 1, &budget);
    assert_non_null(look);
    for (uint32_t i = 0; i < 2; i++) {
        struct evaluator_source from = {.reasoner = r,
                                        .code = reasoner_code(r),
                                        .analysis = look,
                                        .which = EVAL_GUIDED,
                                        .wanted = wanted[i],
                                        .seed = 1,
                                        .budget = &budget};
        struct evaluator *e = evaluator_learned(&from);
        assert_non_null(e);
        assert_int_equal(strstr(e->name, "twice") != NULL, i == 1);
        evaluator_free(e);
    }
    analysis_free(look);
    reasoner_free(r);
    game_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_go_where_the_guide_likes_it),
        cmocka_unit_test(so_many_positions_are_of_one_game),
        cmocka_unit_test(lessons_from_better_games_are_others),
        cmocka_unit_test(few_better_games_are_not_learned_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
