// SPDX-License-Identifier: GPL-3.0-or-later
/* Many searches side by side: each is the plain algorithm, whatever the others do. */
#include "../testing.h"

#include "game/engine.h"
#include "search/flock.h"
#include "search/mcts.h"

#include <math.h>

struct bench {
    struct game *game;
    struct engine *engine;
    struct reasoner *reasoner;
    struct state start;
};

static void open_bench(struct bench *b, const char *game)
{
    struct error error = {0};
    b->game = game_load(game, 0, NULL, &error);
    if (!b->game) fail_msg("%s", error.text);
    b->engine = engine_start(b->game, NULL, &error);
    assert_int_equal(engine_wait(b->engine, -1), ENGINE_READY);
    b->reasoner = reasoner_circuit(b->game, engine_code(b->engine), &error);
    b->start = (struct state){0};
    assert_true(b->reasoner->ops->initial(b->reasoner, &b->start));
}

static void close_bench(struct bench *b)
{
    state_done(&b->start);
    reasoner_free(b->reasoner);
    engine_free(b->engine);
    game_free(b->game);
}

static struct flock *new_flock(struct bench *b, uint32_t n, uint64_t seed)
{
    struct error error = {0};
    struct flock_options o = {.c = 70, .memory = (size_t)256 << 20, .seed = seed};
    struct flock *f = flock_new(b->reasoner, engine_code(b->engine), n, &o, &error);
    assert_non_null(f);
    for (uint32_t i = 0; i < n; i++) assert_true(flock_root(f, i, &b->start, &error));
    return f;
}

static void run(struct flock *f, uint64_t simulations, uint64_t steps)
{
    struct error error = {0};
    struct flock_budget budget = {.simulations = simulations, .steps = steps};
    assert_true(flock_run(f, &budget, &error));
}

static void make(struct bench *b, struct state *s, uint32_t role, const char *text)
{
    uint32_t joint[2];
    struct list legal = {0};
    struct state next = {0};
    for (uint32_t r = 0; r < 2; r++) {
        legal.n = 0;
        assert_true(b->reasoner->ops->legal(b->reasoner, s, r, &legal));
        joint[r] = legal.v[0];
    }
    assert_true(reasoner_read_move(b->reasoner, role, text, &joint[role]));
    assert_true(b->reasoner->ops->next(b->reasoner, s, joint, &next));
    state_done(s);
    *s = next;
    list_done(&legal);
}

static void a_budget_in_simulations_is_kept_exactly(void **unused)
{
    (void)unused;
    struct bench b;
    open_bench(&b, "connectFour");
    struct flock *f = new_flock(&b, 70, 1);
    run(f, 300, 0);
    for (uint32_t i = 0; i < 70; i++) {
        uint32_t sum = 0, n;
        float mean;
        for (uint32_t m = 0; m < engine_code(b.engine)->roles[0].n; m++)
            if (flock_move(f, i, 0, m, &n, &mean)) sum += n;
        assert_int_equal(sum, 300);
        assert_int_equal(flock_stats(f, i)->simulations, 300);
        assert_in_range(flock_stats(f, i)->nodes, 200, 300);
    }
    flock_free(f);
    close_bench(&b);
}

static void a_budget_in_steps_ends_with_the_simulation_that_exceeds_it(void **unused)
{
    (void)unused;
    struct bench b;
    open_bench(&b, "ticTacToe");
    struct flock *f = new_flock(&b, 5, 1);
    run(f, 0, 1000);
    for (uint32_t i = 0; i < 5; i++) {
        const struct flock_stats *s = flock_stats(f, i);
        assert_in_range(s->steps, 1000, 1008);
        assert_in_range(s->simulations, 1000 / 9, 1000 / 5); /* a game has five to nine moves */
        assert_in_range(s->decided, s->simulations / 2, s->simulations);
    }
    flock_free(f);
    close_bench(&b);
}

static void what_a_search_finds_does_not_depend_on_the_others(void **unused)
{
    (void)unused;
    struct bench b;
    open_bench(&b, "connectFour");
    struct flock *few = new_flock(&b, 3, 9), *many = new_flock(&b, 100, 9);
    for (int round = 0; round < 2; round++) {
        run(few, 150, 0);
        run(many, 150, 0);
        for (uint32_t i = 0; i < 3; i++)
            for (uint32_t m = 0; m < engine_code(b.engine)->roles[0].n; m++) {
                uint32_t n[2] = {0};
                float mean[2] = {0};
                assert_int_equal(flock_move(few, i, 0, m, &n[0], &mean[0]),
                                 flock_move(many, i, 0, m, &n[1], &mean[1]));
                assert_int_equal(n[0], n[1]);
                assert_true(mean[0] == mean[1]);
            }
    }
    flock_free(few);
    flock_free(many);
    close_bench(&b);
}

static void forced_wins_are_found(void **unused)
{
    (void)unused;
    struct bench b;
    struct error error = {0};
    open_bench(&b, "ticTacToe");
    struct flock *f = new_flock(&b, 40, 3);
    struct state s = {0};
    assert_true(state_copy(&s, &b.start));
    /* x has two in a row, o two elsewhere: x wins at once */
    make(&b, &s, 0, "(mark 1 1)");
    make(&b, &s, 1, "(mark 2 1)");
    make(&b, &s, 0, "(mark 1 2)");
    make(&b, &s, 1, "(mark 2 2)");
    for (uint32_t i = 0; i < 40; i++) assert_true(flock_root(f, i, &s, &error));
    run(f, 200, 0);
    uint32_t win, best;
    assert_true(reasoner_read_move(b.reasoner, 0, "(mark 1 3)", &win));
    for (uint32_t i = 0; i < 40; i++) {
        assert_true(flock_best(f, i, 0, &best));
        assert_int_equal(best, win);
    }
    /* a search whose game is over rests */
    make(&b, &s, 0, "(mark 1 3)");
    uint64_t before = flock_stats(f, 0)->simulations, others = flock_stats(f, 1)->simulations;
    assert_true(flock_root(f, 0, &s, &error));
    run(f, 10, 0);
    assert_int_equal(flock_stats(f, 0)->simulations, before);
    assert_int_equal(flock_stats(f, 1)->simulations, others + 10);
    state_done(&s);
    flock_free(f);
    close_bench(&b);
}

/* With one simulation a move and no end in sight all moves are equal: none may be preferred. */
static void equal_moves_are_equally_likely(void **unused)
{
    (void)unused;
    struct bench b;
    open_bench(&b, "ticTacToe");
    struct flock *f = new_flock(&b, 500, 11);
    uint32_t count[16] = {0}, move;
    run(f, 1, 0);
    for (int again = 0; again < 20; again++)
        for (uint32_t i = 0; i < 500; i++) {
            uint32_t n;
            float mean;
            assert_true(flock_best(f, i, 0, &move));
            assert_true(flock_move(f, i, 0, move, &n, &mean));
            assert_int_equal(n, 1); /* the one that was tried */
        }
    /* a first move wins or loses with everything: nine moves, each tried once, won by about six */
    run(f, 8, 0);
    for (uint32_t i = 0; i < 500; i++) {
        assert_true(flock_best(f, i, 0, &move));
        count[move]++;
    }
    for (uint32_t m = 0; m < 16; m++)
        if (count[m]) assert_in_range(count[m], 25, 100); /* 500 / 9 */
    flock_free(f);
    close_bench(&b);
}

/* The mean of many short searches is that of mcts.h with one lane: the same algorithm. */
static void the_search_is_the_one_of_mcts_with_one_lane(void **unused)
{
    (void)unused;
    enum { SEARCHES = 200, SIMULATIONS = 100 };
    struct bench b;
    struct error error = {0};
    open_bench(&b, "connectFour");
    struct flock *f = new_flock(&b, SEARCHES, 5);
    run(f, SIMULATIONS, 0);
    double here[8] = {0}, there[8] = {0}, variance[8] = {0};
    uint32_t moves = engine_code(b.engine)->roles[0].n, n;
    float mean;
    assert_true(moves <= 8);
    for (uint32_t i = 0; i < SEARCHES; i++)
        for (uint32_t m = 0; m < moves; m++)
            if (flock_move(f, i, 0, m, &n, &mean)) here[m] += n, variance[m] += (double)n * n;
    struct policy policy = {0};
    for (uint32_t i = 0; i < SEARCHES; i++) {
        struct world *w = world_new(b.reasoner, engine_code(b.engine), 1, i, &error);
        struct mcts_options o = {
            .tree = true, .c = 70, .discount = 1, .lanes = 1, .memory = 1 << 24, .seed = i + 77};
        struct mcts *m = mcts_new(&o, w, &policy, &error);
        struct budget budget = {.simulations = SIMULATIONS};
        assert_true(mcts_root(m, &b.start, &budget, &error));
        mcts_run(m, &budget);
        struct mcts_move list[8];
        uint32_t count = mcts_moves(m, 0, list, 8);
        for (uint32_t k = 0; k < count; k++) there[list[k].move] += list[k].n;
        mcts_free(m);
        world_free(w);
    }
    for (uint32_t m = 0; m < moves; m++) {
        double average = here[m] / SEARCHES;
        double deviation = sqrt((variance[m] / SEARCHES - average * average) / SEARCHES);
        /* both are means of so many searches; five deviations of their difference */
        assert_true(fabs(average - there[m] / SEARCHES) <= 5 * sqrt(2) * deviation + 1e-9);
    }
    flock_free(f);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_in_simulations_is_kept_exactly),
        cmocka_unit_test(a_budget_in_steps_ends_with_the_simulation_that_exceeds_it),
        cmocka_unit_test(what_a_search_finds_does_not_depend_on_the_others),
        cmocka_unit_test(forced_wins_are_found),
        cmocka_unit_test(equal_moves_are_equally_likely),
        cmocka_unit_test(the_search_is_the_one_of_mcts_with_one_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
