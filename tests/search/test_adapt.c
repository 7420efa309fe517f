// SPDX-License-Identifier: GPL-3.0-or-later
/* What differs from simulation to simulation: the better arm is drawn most, also when that changes; guided
 * values that run away are noticed, others are left alone. */
#include "../testing.h"

#include "search/mcts.h"

struct fixture {
    struct mcts search;
    struct policy policy;
    struct hand hand;
    struct rng rng;
};

static void begin(struct fixture *f, struct adapt adapt)
{
    *f = (struct fixture){.search = {.opt = {.c = 40, .rave = 500}, .nroles = 2}};
    f->policy = (struct policy){.values = values_nst(2, 3, 7, 1 << 20, NULL),
                                .sampler = {SAMPLE_GREEDY, 1, 0.2f},
                                .decay = {1, 1, 50, 1}};
    f->hand = (struct hand){.search = &f->search, .policy = &f->policy, .adapt = adapt};
    rng_init(&f->rng, 1);
}

static void win_or_lose(struct fixture *f, const struct way *way, double chance, uint32_t steps)
{
    float won = rng_unit(&f->rng) < chance ? 100 : 0, reward[2] = {won, 100 - won};
    if (f->hand.adapt.role == 1) reward[1] = won, reward[0] = 100 - won;
    adapt_learn(&f->hand, way, reward, steps);
}

/* How often the favourite was drawn in the last of n simulations, when one arm wins with 60%, the others 50%.
 */
static double learn_arm(struct fixture *f, enum adapt_factor factor, uint32_t good, int n)
{
    int drawn = 0;
    for (int i = 0; i < n; i++) {
        struct way way;
        assert_true(adapt_draw(&f->hand, &way));
        win_or_lose(f, &way, way.of[1].arm[factor] == good ? 0.6 : 0.5, 30);
        drawn += i >= n / 2 && way.of[1].arm[factor] == good;
    }
    return drawn / (n / 2.0);
}

static void the_better_arm_is_drawn_most(void **state)
{
    for (int factor = 0; factor < ADAPT_FACTORS; factor++) {
        struct fixture f;
        begin(&f, (struct adapt){.role = 1, .who = ADAPT_OWN, .what = ADAPT_BOTH});
        assert_true(learn_arm(&f, factor, 1, 20000) > 0.6);
        assert_int_equal(adapt_favourite(&f.hand.adapt, factor), 1);
        /* positions drift: another one is better now */
        assert_true(learn_arm(&f, factor, 2, 40000) > 0.6);
        assert_int_equal(adapt_favourite(&f.hand.adapt, factor), 2);
        policy_done(&f.policy);
    }
}

static void what_is_drawn_is_what_the_options_say_at_first(void **state)
{
    struct fixture f;
    struct way way;
    begin(&f, (struct adapt){.role = 1, .who = ADAPT_OWN, .what = ADAPT_BOTH});
    adapt_draw(&f.hand, &way);
    assert_int_equal(way.roles, 2); /* role 1 alone */
    assert_float_equal(way.of[1].epsilon, 0.2, 1e-6);
    assert_float_equal(way.of[1].c, 40, 1e-6);
    assert_float_equal(way.of[1].rave, 500, 1e-6);
    assert_int_equal(way.of[1].grams, 3);
    assert_false(way.uniform);
    policy_done(&f.policy);
}

/* Each role finds its own, though the other is drawing, too; of the factors only those that are wanted. */
static void roles_find_what_is_theirs(void **state)
{
    struct fixture f;
    begin(&f, (struct adapt){.role = 1, .who = ADAPT_EACH, .what = ADAPT_PLAYOUT});
    for (int i = 0; i < 40000; i++) {
        struct way way;
        adapt_draw(&f.hand, &way);
        assert_int_equal(way.roles, 3);
        assert_true(way.of[0].arm[ADAPT_C] == 0 && way.of[1].arm[ADAPT_RAVE] == 0);
        double chance =
            0.5 + 0.1 * (way.of[1].arm[ADAPT_EPSILON] == 2) - 0.1 * (way.of[0].arm[ADAPT_EPSILON] == 3);
        win_or_lose(&f, &way, chance, 30);
    }
    assert_int_equal(adapt_favourite(&f.hand.adapt, ADAPT_EPSILON), 2);
    f.hand.adapt.role = 0;
    assert_int_equal(adapt_favourite(&f.hand.adapt, ADAPT_EPSILON), 3);
    policy_done(&f.policy);
}

/* The longer playout is drawn less when both win as often. */
static void time_counts(void **state)
{
    struct fixture f;
    begin(&f, (struct adapt){.role = 0, .who = ADAPT_OWN, .what = ADAPT_BOTH});
    for (int i = 0; i < 20000; i++) {
        struct way way;
        adapt_draw(&f.hand, &way);
        win_or_lose(&f, &way, 0.5, way.of[0].arm[ADAPT_EPSILON] == 0 ? 200 : 20);
    }
    assert_int_not_equal(adapt_favourite(&f.hand.adapt, ADAPT_EPSILON), 0);
    policy_done(&f.policy);
}

/* One simulation in eight is uniform; the alarm's name is what happens. */
static void run_control(struct fixture *f, double guided, double uniform, int n, uint32_t *uniforms)
{
    *uniforms = 0;
    for (int i = 0; i < n; i++) {
        struct way way;
        assert_true(adapt_draw(&f->hand, &way));
        *uniforms += way.uniform;
        win_or_lose(f, &way, way.uniform ? uniform : guided, 30);
    }
}

static void guidance_that_runs_away_is_noticed(void **state)
{
    struct fixture f;
    uint32_t uniforms;
    begin(&f, (struct adapt){.control = 8, .alarm = ALARM_UNIFORM});
    run_control(&f, 0.53, 0.50, 80000, &uniforms);
    assert_int_equal(uniforms, 10000);
    assert_int_equal(f.hand.adapt.alarms, 0);
    run_control(&f, 0.81, 0.50, 80000, &uniforms);
    assert_int_equal(f.hand.adapt.alarms, 1);
    assert_true(f.hand.adapt.off && uniforms > 60000);
    policy_done(&f.policy);
}

static void guidance_is_forgotten(void **state)
{
    struct fixture f;
    uint32_t uniforms;
    static const uint32_t moves[] = {1, 0, 0, 2};
    static const float won[] = {100, 0}, lost[] = {0, 100};
    struct episode e = {.nroles = 2, .steps = 2, .moves = moves, .reward = won, .discount = 1};
    begin(&f, (struct adapt){.control = 8, .alarm = ALARM_FORGET});
    for (int i = 0; i < 1000; i++) policy_learn(&f.policy, &e);
    run_control(&f, 0.2, 0.5, 20000, &uniforms);
    assert_true(f.hand.adapt.alarms > 0 && !f.hand.adapt.off);
    e.reward = lost;
    policy_learn(&f.policy, &e); /* one is enough now */
    struct situation s = {.nroles = 2};
    float score;
    f.policy.values->ops->score(f.policy.values, &s, moves, 1, &score);
    assert_float_equal(score, 0, 1e-3);
    policy_done(&f.policy);
}

/* Ended in the tree: that says nothing about playouts. */
static void what_never_left_the_tree_does_not_count(void **state)
{
    struct fixture f;
    begin(&f, (struct adapt){.control = 2, .alarm = ALARM_UNIFORM, .who = ADAPT_OWN, .what = ADAPT_BOTH});
    for (int i = 0; i < 10000; i++) {
        struct way way;
        adapt_draw(&f.hand, &way);
        const float *reward = way.uniform ? (float[]){0, 100} : (float[]){100, 0};
        adapt_learn(&f.hand, &way, reward, 0);
    }
    assert_int_equal(f.hand.adapt.alarms, 0);
    assert_true(f.hand.adapt.drift.n[0] == 0 && f.hand.adapt.arm[0][ADAPT_EPSILON][0].n == 0);
    policy_done(&f.policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_better_arm_is_drawn_most),
        cmocka_unit_test(what_is_drawn_is_what_the_options_say_at_first),
        cmocka_unit_test(roles_find_what_is_theirs),
        cmocka_unit_test(time_counts),
        cmocka_unit_test(guidance_that_runs_away_is_noticed),
        cmocka_unit_test(guidance_is_forgotten),
        cmocka_unit_test(what_never_left_the_tree_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
