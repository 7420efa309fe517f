// SPDX-License-Identifier: GPL-3.0-or-later
/* Several threads on one position: they find what one finds, and the table they share never mixes up what
 * they write. */
#include "../../legal.h"

#include "base/hash.h"
#include "game/engine.h"
#include "search/minimax/minimax.h"
#include "search/minimax/twodeep.h"

#include <pthread.h>
#include <string.h>

static struct minimax_report think(struct reasoner *r, const struct state *s, uint32_t threads,
                                   uint64_t nodes, uint32_t *move)
{
    struct minimax_options o = {.policy = MINIMAX_PARANOID,
                                .eval = EVAL_GOALS,
                                .table = true,
                                .history = true,
                                .killers = true,
                                .order = true,
                                .memory = 1 << 22,
                                .threads = threads};
    struct error error = {0};
    struct budget budget = {.simulations = nodes};
    struct minimax *m = minimax_new(r, reasoner_code(r), 0, &o, &error);
    assert_non_null(m);
    if (!minimax_think(m, s, &budget, move, &error)) fail_msg("%s", error.text);
    struct minimax_report report = *minimax_report(m);
    minimax_free(m);
    return report;
}

/* Where the end can be seen there is one result, however many look for it. */
static void they_find_what_one_finds(void **state)
{
    static const struct {
        const char *facts;
        float score;
    } cases[] = {
        {"(control xplayer)", 0},
        {"(cell 1 1 x) (cell 2 2 x) (cell 1 2 o) (cell 1 3 o) (control xplayer)", 100},
        {"(cell 1 1 o) (cell 3 3 o) (cell 1 3 o) (cell 2 2 x) (control xplayer)", -100},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        struct state at = {0};
        struct game *game = game_load("ticTacToe", 0, NULL, &error);
        struct reasoner *r = game ? reasoner_ground(game, NULL, &error) : NULL;
        if (!r) fail_msg("%s", error.text);
        if (!reasoner_read_state(r, cases[i].facts, &at)) fail_msg("%s", r->error.text);
        for (uint32_t threads = 1; threads <= 4; threads++) {
            uint32_t move;
            struct minimax_report report = think(r, &at, threads, 0, &move);
            assert_true(report.exhausted);
            assert_float_equal(report.score, cases[i].score, 0.01);
            assert_true(legal_in(r, &at, 0, move));
        }
        state_done(&at);
        reasoner_free(r);
        game_free(game);
    }
}

/* A budget in counts is for all of them together, and all of them use it. */
static void they_share_the_budget(void **state)
{
    struct error error = {0};
    struct state at = {0};
    struct game *game = game_load("checkers", 0, NULL, &error);
    struct reasoner *r = game ? reasoner_ground(game, NULL, &error) : NULL;
    if (!r) fail_msg("%s", error.text);
    assert_true(r->ops->initial(r, &at));
    uint32_t move;
    struct minimax_report alone = think(r, &at, 1, 5000, &move), again = think(r, &at, 1, 5000, &move);
    assert_int_equal(alone.nodes, 5000);
    assert_memory_equal(&alone.score, &again.score, sizeof alone.score);
    struct minimax_report together = think(r, &at, 4, 20000, &move);
    assert_true(together.nodes >= 5000 && together.nodes <= 20000);
    assert_true(legal_in(r, &at, 0, move));
    state_done(&at);
    reasoner_free(r);
    game_free(game);
}

enum { WRITERS = 4, ROUNDS = 20000, KEYS = 8, WIDTH = 5, POSITIONS = 3 };

static uint64_t fingerprint(uint32_t position)
{
    return hash_mix(1, position);
}

static void *write_and_read(void *data)
{
    struct twodeep *t = data;
    uint64_t wrong = 0, found = 0, seed = (uint64_t)(uintptr_t)&wrong;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        seed = hash_mix(seed, i);
        uint64_t key = seed % KEYS;
        uint32_t salt = (uint32_t)(seed >> 40) % 200, position = (uint32_t)(seed >> 20) % POSITIONS;
        float value[WIDTH];
        for (uint32_t k = 0; k < WIDTH; k++) value[k] = (float)(position * 1000 + salt + k);
        struct twodeep_news news = {salt, salt, BOUND_LOWER, salt & 1, value};
        twodeep_store(t, key, fingerprint(position), &news);
        struct twodeep_entry e;
        position = i % POSITIONS;
        if (!twodeep_find(t, key, fingerprint(position), &e)) continue;
        found++;
        for (uint32_t k = 0; k < WIDTH; k++) wrong += e.value[k] != (float)(position * 1000 + e.move + k);
        wrong += e.depth != e.move || e.ends != (e.move & 1) || e.bound != BOUND_LOWER;
    }
    return (void *)(uintptr_t)(found ? wrong : 1);
}

static void an_entry_is_as_somebody_wrote_it(void **state)
{
    struct twodeep t;
    pthread_t threads[WRITERS];
    assert_true(twodeep_init(&t, 1 << 16, WIDTH));
    for (uint32_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_and_read, &t), 0);
    for (uint32_t i = 0; i < WRITERS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    twodeep_done(&t);
}

/* Some words of one and some of another: that is of nobody. */
static void an_entry_of_two_writers_is_nobodys(void **state)
{
    struct twodeep t;
    struct twodeep_entry e;
    assert_true(twodeep_init(&t, 1 << 16, WIDTH));
    for (size_t torn = 1; torn < t.words * t.words; torn++) { /* one word, or two */
        float ones[WIDTH] = {1, 1, 1, 1, 1}, twos[WIDTH] = {2, 2, 2, 2, 2};
        struct twodeep_news one = {1, 1, BOUND_EXACT, false, ones}, two = {2, 2, BOUND_EXACT, false, twos};
        twodeep_store(&t, 0, fingerprint(1), &one);
        twodeep_store(&t, 1, fingerprint(2), &two);
        assert_true(twodeep_find(&t, 0, fingerprint(1), &e) && twodeep_find(&t, 1, fingerprint(2), &e));
        t.v[torn % t.words] = t.v[2 * t.words + torn % t.words];
        if (torn / t.words) t.v[torn / t.words] = t.v[2 * t.words + torn / t.words];
        assert_false(twodeep_find(&t, 0, fingerprint(1), &e));
        assert_false(twodeep_find(&t, 0, fingerprint(2), &e));
        memset((void *)t.v, 0, 4 * t.words * sizeof *t.v);
    }
    twodeep_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_find_what_one_finds),
        cmocka_unit_test(they_share_the_budget),
        cmocka_unit_test(an_entry_is_as_somebody_wrote_it),
        cmocka_unit_test(an_entry_of_two_writers_is_nobodys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
