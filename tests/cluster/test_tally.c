// SPDX-License-Identifier: GPL-3.0-or-later
/* What a search knows of its root goes through bytes and comes out the same; bytes that are none are refused.
 */
#include "cluster/tally.h"

#include "player/player.h"
#include "testing.h"

#include <stdlib.h>
#include <string.h>

static struct game *game;
static struct engine *engine;

static int set_up(void **state)
{
    struct error error = {0};
    (void)state;
    game = game_load("breakthrough", 0, NULL, &error);
    engine = game ? engine_start(game, NULL, &error) : NULL;
    return engine && engine_wait(engine, 60) == ENGINE_READY ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    engine_free(engine);
    game_free(game);
    return 0;
}

static struct player *thinker(const char *spec, uint32_t which, bool lifted)
{
    struct player_config config;
    struct error error = {0};
    struct budget b = {.simulations = 300};
    assert_true(player_config_parse(spec, &config, &error));
    struct player *p = player_new(&config, game, lifted ? NULL : engine, 0, 1, &error);
    assert_non_null(p);
    player_diverge(p, which, 1);
    assert_true(player_ponder(p, &b, &error));
    return p;
}

static char *tally_of(struct player *p, size_t *size)
{
    struct tally_names names = {0};
    struct tally_head head = {.serial = 7, .order = 9, .final = 1, .stats = player_report(p)->stats};
    assert_true(tally_name(&names, player_search(p)));
    char *bytes = tally_write(player_search(p), &names, &head, size);
    assert_non_null(bytes);
    tally_names_done(&names);
    return bytes;
}

static void a_tally_is_pooled_as_a_search_is(void **state)
{
    (void)state;
    struct player *a = thinker("rave", 0, false), *b = thinker("rave", 1, false);
    struct mcts *m = player_search(a), *other = player_search(b);
    struct tally_names names = {0};
    struct tally_head head;
    size_t size;
    char *bytes = tally_of(b, &size);
    uint32_t n = mcts_actions(m);
    struct pooled *expected = calloc(n, sizeof *expected);
    mcts_pool(m, &other, 1);
    for (uint32_t i = 0; i < n; i++) expected[i] = mcts_known(m, i);
    mcts_pool(m, NULL, 0);
    assert_true(tally_read(bytes, size, &head));
    assert_int_equal(head.serial, 7);
    assert_int_equal(head.stats.simulations, 300);
    assert_true(tally_name(&names, m));
    tally_pour(bytes, m, &names);
    for (uint32_t i = 0; i < n; i++) {
        struct pooled p = mcts_known(m, i);
        assert_memory_equal(&p, &expected[i], offsetof(struct pooled, best) + sizeof p.best);
    }
    free(expected);
    free(bytes);
    tally_names_done(&names);
    player_free(a);
    player_free(b);
}

/* Engines number and order moves differently. */
static void moves_are_known_by_their_words(void **state)
{
    (void)state;
    struct player *a = thinker("cadia2007", 0, false), *b = thinker("cadia2007", 1, true);
    struct mcts *m = player_search(a);
    struct tally_names names = {0};
    size_t size;
    char *bytes = tally_of(b, &size);
    double before = 0, after = 0;
    mcts_pool(m, NULL, 0);
    for (uint32_t i = 0; i < mcts_actions(m); i++) before += mcts_known(m, i).n;
    assert_true(tally_name(&names, m));
    tally_pour(bytes, m, &names);
    for (uint32_t i = 0; i < mcts_actions(m); i++) after += mcts_known(m, i).n;
    assert_true(after > before + 500); /* 300 simulations, two roles */
    free(bytes);
    tally_names_done(&names);
    player_free(a);
    player_free(b);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    struct player *a = thinker("cadia2007", 0, false);
    struct tally_head head;
    size_t size;
    char *bytes = tally_of(a, &size);
    assert_true(tally_read(bytes, size, &head));
    for (size_t n = 0; n < size; n++) assert_false(tally_read(bytes, n, &head));
    uint32_t many = UINT32_MAX;
    memcpy(bytes + offsetof(struct tally_head, moves), &many, sizeof many);
    assert_false(tally_read(bytes, size, &head));
    free(bytes);
    player_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_tally_is_pooled_as_a_search_is),
                                       cmocka_unit_test(moves_are_known_by_their_words),
                                       cmocka_unit_test(nonsense_is_refused)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
