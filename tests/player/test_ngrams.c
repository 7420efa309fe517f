// SPDX-License-Identifier: GPL-3.0-or-later
/* What N-grams learn in a search (000 §IV-B): moves of those who must wait are regular moves, but for those
 * that are proved never to be a choice, which nobody will ask for. In Breakthrough noop is such a move. */
#include "../testing.h"

#include "circuit/code.h"
#include "player/player.h"

/* What noop of the second role scores; moves that were never seen have 100, and rewards are discounted. */
static float noop_score(struct player *p, const struct circuit *c)
{
    struct values *v = player_search(p)->hands[0].policy->values;
    struct situation s = {.role = 1, .nroles = 2};
    struct heap *heap = heap_new(0);
    float score = -1;
    for (uint32_t i = c->move_base[1]; i < c->move_base[2]; i++) {
        uint32_t move = i - c->move_base[1];
        struct text text;
        text_init(&text, heap);
        term_print(c->terms, c->move[i], true, NULL, &text);
        if (strcmp(text_str(&text), "noop") == 0) v->ops->score(v, &s, &move, 1, &score);
    }
    heap_free(heap);
    return score;
}

static void waiting_is_learned_as_a_move(void **state)
{
    struct error error = {0};
    struct game *game = game_load("breakthrough", 0, NULL, &error);
    struct engine *engine = game ? engine_start(game, NULL, &error) : NULL;
    struct player_config config;
    if (!engine || engine_wait(engine, -1) != ENGINE_READY || !player_config_parse("nst", &config, &error))
        fail_msg("%s", error.text);
    struct player *p = player_new(&config, game, engine, 0, 1, &error);
    struct budget budget = {.simulations = 1};
    uint32_t best;
    const struct circuit *c = engine_code(engine)->circuit;
    if (!p || !player_think(p, &budget, &best, &error)) fail_msg("%s", error.text);
    assert_true(noop_score(p, c) == 100); /* proved never to be a choice */
    values_nst_spare(player_search(p)->hands[0].policy->values, NULL);
    if (!player_think(p, &budget, &best, &error)) fail_msg("%s", error.text);
    assert_in_range(noop_score(p, c), 0, 99);
    player_free(p);
    engine_free(engine);
    game_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waiting_is_learned_as_a_move)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
