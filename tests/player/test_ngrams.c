// SPDX-License-Identifier: GPL-3.0-or-later
/* What N-grams learn in a search (000 §IV-B): moves of those who must wait are regular moves. In TTCC4 the
 * noop of one who waits is the pass of one who could move; here it is Breakthrough, where noop is never a
 * choice, so that it can only have been learned from waiting. */
#include "../testing.h"

#include "circuit/code.h"
#include "player/player.h"

static void waiting_is_learned_as_a_move(void **state)
{
    (void)state;
    struct error error = {0};
    struct game *game = game_load("breakthrough", 0, NULL, &error);
    struct engine *engine = game ? engine_start(game, NULL, &error) : NULL;
    struct player_config config;
    if (!engine || engine_wait(engine, -1) != ENGINE_READY || !player_config_parse("nst", &config, &error))
        fail_msg("%s", error.text);
    struct player *p = player_new(&config, game, engine, 0, 1, &error);
    struct budget budget = {.simulations = 1};
    uint32_t best;
    if (!p || !player_think(p, &budget, &best, &error)) fail_msg("%s", error.text);

    const struct circuit *c = engine_code(engine)->circuit;
    struct values *v = player_search(p)->hands[0].policy->values;
    struct situation s = {.role = 1, .nroles = 2};
    uint32_t seen = 0;
    for (uint32_t i = c->move_base[1]; i < c->move_base[2]; i++) {
        uint32_t move = i - c->move_base[1];
        struct heap *heap = heap_new(0);
        struct text text;
        float score = 0;
        text_init(&text, heap);
        term_print(c->terms, c->move[i], true, NULL, &text);
        v->ops->score(v, &s, &move, 1, &score);
        if (strcmp(text_str(&text), "noop") == 0) {
            seen++;
            assert_true(score < 100); /* what was never seen has 100; rewards are discounted */
        }
        heap_free(heap);
    }
    assert_int_equal(seen, 1);
    player_free(p);
    engine_free(engine);
    game_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waiting_is_learned_as_a_move)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
