// SPDX-License-Identifier: GPL-3.0-or-later
/* What positions seem worth: the right way round for both roles, on the scale of goals; and where there is
 * nothing to judge by, a reason. */
#include "../field.h"

#include "search/judgement.h"
#include "search/minimax/samples.h"

#include <string.h>

static struct judgement *judge(const struct field *g, float sharpness, const struct budget *budget,
                               const char **why)
{
    struct judgement_order order = {.reasoner = g->reasoner,
                                    .code = engine_code(g->engine),
                                    .sharpness = sharpness,
                                    .seed = 1,
                                    .budget = budget};
    return judgement_new(&order, why);
}

/* Positions of random games it has not seen, and how far the first role was ahead in the end. */
static struct samples play(const struct field *g)
{
    struct samples s;
    struct budget budget = {0};
    struct samples_order order = {.wanted = 4000, .seed = 99};
    assert_true(samples_play(&s, engine_code(g->engine), &order, &budget));
    return s;
}

static float outcome(const struct samples *s, uint32_t i)
{
    return judgement_lead_of(s->outcome[2 * i], s->outcome[2 * i + 1]);
}

static void who_wins_is_ahead(void **unused)
{
    (void)unused;
    static const char *const games[] = {"checkers", "skirmish", "breakthrough", "othello", "chinook"};
    for (uint32_t k = 0; k < sizeof games / sizeof *games; k++) {
        struct field g = open_field(games[k]);
        struct budget budget = {0};
        const char *why;
        struct judgement *j = judge(&g, 1, &budget, &why);
        if (!j) fail_msg("%s: %s", games[k], why);
        struct samples s = play(&g);
        double lead[2] = {0}, n[2] = {0}, first = 0, second = 0;
        for (uint32_t i = 0; i < s.n; i++) {
            float goals[2];
            if (outcome(&s, i) == 50) continue;
            bool won = outcome(&s, i) > 50;
            lead[won] += (double)judgement_lead(j, samples_state(&s, i), s.words);
            n[won]++;
            judgement_goals(j, samples_state(&s, i), s.words, goals);
            first += (double)(won ? goals[0] : goals[1]);
            second += (double)(won ? goals[1] : goals[0]);
        }
        assert_true(n[0] > 100 && n[1] > 100);
        if (lead[1] / n[1] < lead[0] / n[0] + 2)
            fail_msg("%s: %.1f where the first won, %.1f where it lost", games[k], lead[1] / n[1],
                     lead[0] / n[0]);
        assert_true(first > second + n[0] + n[1]);
        assert_true(judgement_explains(j) > 0 && judgement_explains(j) < 1);
        judgement_free(j);
        samples_done(&s);
        close_field(&g);
    }
}

/* Of positions that seem worth about the same, the mean outcome is about that. */
static void leads_are_what_games_bring(void **unused)
{
    (void)unused;
    struct field g = open_field("checkers");
    struct budget budget = {0};
    const char *why;
    struct judgement *j = judge(&g, 1, &budget, &why), *sharp = judge(&g, 3, &budget, &why);
    assert_true(j && sharp);
    struct samples s = play(&g);
    double lead[4] = {0}, brought[4] = {0}, n[4] = {0};
    for (uint32_t i = 0; i < s.n; i++) {
        float x = judgement_lead(j, samples_state(&s, i), s.words);
        float y = judgement_lead(sharp, samples_state(&s, i), s.words);
        uint32_t bin = (uint32_t)(x / 25.001f);
        assert_true(x >= 0 && x <= 100);
        assert_true(x > 50 ? y >= x : y <= x);
        lead[bin] += (double)x;
        brought[bin] += (double)outcome(&s, i);
        n[bin]++;
    }
    for (uint32_t bin = 0; bin < 4; bin++) {
        assert_true(n[bin] > 100);
        double off = (lead[bin] - brought[bin]) / n[bin];
        if (off > 10 || off < -10)
            fail_msg("seems worth %.1f, brings %.1f", lead[bin] / n[bin], brought[bin] / n[bin]);
    }
    judgement_free(j);
    judgement_free(sharp);
    samples_done(&s);
    close_field(&g);
}

static void games_without_judgement_say_why(void **unused)
{
    (void)unused;
    struct field g = open_field("ttcc4ThreePlayers");
    struct budget budget = {0};
    const char *why;
    assert_null(judge(&g, 1, &budget, &why));
    assert_string_equal(why, "not a game for two");
    close_field(&g);
}

static void without_time_there_is_none(void **unused)
{
    (void)unused;
    struct field g = open_field("breakthrough");
    const char *why;
    for (double seconds = 1e-4; seconds < 0.02; seconds *= 4) {
        struct budget budget = {.deadline = clock_now() + seconds};
        struct judgement *j = judge(&g, 1, &budget, &why);
        assert_true(j || *why);
        assert_true(g.reasoner->deadline == 0); /* as it was */
        judgement_free(j);
    }
    close_field(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_wins_is_ahead),
        cmocka_unit_test(leads_are_what_games_bring),
        cmocka_unit_test(games_without_judgement_say_why),
        cmocka_unit_test(without_time_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
