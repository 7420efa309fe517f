// SPDX-License-Identifier: GPL-3.0-or-later
/* FAST learns from whole simulations, the last state included: in Knightthrough the cells of the last row are
 * occupied in no other, and to move there wins. */
#include "../testing.h"

#include "circuit/code.h"
#include "player/player.h"

#include <stdio.h>

/* The row a move of Knightthrough, (move x y x2 y2), leads to. */
static int target_row(const struct circuit *c, uint32_t move)
{
    struct heap *heap = heap_new(0);
    struct text text;
    int row = 0;
    text_init(&text, heap);
    term_print(c->terms, c->move[move], true, NULL, &text);
    if (sscanf(text_str(&text), "(move %*d %*d %*d %d)", &row) != 1) row = 0;
    heap_free(heap);
    return row;
}

static void winning_cells_are_worth_most(void **state)
{
    (void)state;
    struct error error = {0};
    struct game *game = game_load("knightthrough", 0, NULL, &error);
    struct engine *engine = game ? engine_start(game, NULL, &error) : NULL;
    struct player_config config;
    if (!engine || engine_wait(engine, -1) != ENGINE_READY || !player_config_parse("fast", &config, &error))
        fail_msg("%s", error.text);
    struct player *p = player_new(&config, game, engine, 0, 1, &error);
    struct budget budget = {.simulations = 1000};
    uint32_t best;
    if (!p || !player_think(p, &budget, &best, &error)) fail_msg("%s", error.text);

    const struct circuit *c = engine_code(engine)->circuit;
    struct values *v = player_search(p)->hands[0].policy->values;
    struct situation s = {.role = 0, .nroles = 2};
    double sum[9] = {0}, n[9] = {0};
    for (uint32_t i = 0; i < c->move_base[1]; i++) { /* White's, whose numbers begin at 0 */
        int row = target_row(c, i);
        float score = 0;
        if (!row) continue;
        v->ops->score(v, &s, &i, 1, &score);
        sum[row] += score;
        n[row]++;
    }
    /* White runs from row 1 to row 8. */
    assert_true(n[8] > 0 && n[4] > 0);
    for (int row = 3; row < 8; row++) assert_true(sum[8] / n[8] > sum[row] / n[row]);
    player_free(p);
    engine_free(engine);
    game_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(winning_cells_are_worth_most)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
