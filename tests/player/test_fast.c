// SPDX-License-Identifier: GPL-3.0-or-later
/* FAST learns from whole simulations, the last state included: in Knightthrough the cells of the last row are
 * occupied in no other, and to move there wins. */
#include "../testing.h"

#include "circuit/batch.h"
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

/* b takes a piece of a or one of c, and who lost none wins: */
static const char robber[] =
    "(role a) (role b) (role c)"
    "(init (cell 1 1 apawn)) (init (cell 2 1 bpawn)) (init (cell 3 1 cpawn))"
    "(init (cell 1 2 arook)) (init (cell 2 2 brook)) (init (cell 3 2 crook))"
    "(init (step 0)) (base (step 0)) (base (step 1))"
    "(x 1) (x 2) (x 3) (y 1) (y 2) (aim 1) (aim 3)"
    "(piece apawn) (piece bpawn) (piece cpawn) (piece arook) (piece brook) (piece crook)"
    "(<= (base (cell ?x ?y ?p)) (x ?x) (y ?y) (piece ?p))"
    "(input a noop) (input c noop)"
    "(<= (input b (move 2 ?y ?x ?y)) (y ?y) (aim ?x))"
    "(legal a noop) (legal c noop)"
    "(<= (legal b (move 2 ?y ?x ?y)) (y ?y) (aim ?x))"
    "(<= (next (cell ?x ?y ?p)) (does b (move 2 ?y ?x ?y)) (true (cell 2 ?y ?p)))"
    "(<= (next (cell ?u ?v ?p)) (true (cell ?u ?v ?p)) (does b (move 2 ?y ?x ?y))"
    "    (or (distinct ?v ?y) (and (distinct ?u 2) (distinct ?u ?x))))"
    "(next (step 1)) (<= terminal (true (step 1)))"
    "(<= (lost a) (not (whole 1))) (<= (lost c) (not (whole 3)))"
    "(<= (whole 1) (true (cell 1 1 apawn)) (true (cell 1 2 arook)))"
    "(<= (whole 3) (true (cell 3 1 cpawn)) (true (cell 3 2 crook)))"
    "(<= (goal ?r 0) (lost ?r))"
    "(<= (goal a 100) (not (lost a))) (<= (goal c 100) (not (lost c))) (goal b 50)";

/* What b's capture of a's pawn (out[0]) and of c's (out[1]) are worth in a's playouts. */
static void captures(const char *player, float out[2])
{
    struct error error = {0};
    struct game *game = game_from_text("robber", robber, strlen(robber), 0, NULL, &error);
    struct engine *engine = game ? engine_start(game, NULL, &error) : NULL;
    struct player_config config;
    if (!engine || engine_wait(engine, -1) != ENGINE_READY || !player_config_parse(player, &config, &error))
        fail_msg("%s", error.text);
    struct player *p = player_new(&config, game, engine, 0, 1, &error);
    struct budget budget = {.simulations = 2000};
    uint32_t best;
    if (!p || !player_think(p, &budget, &best, &error)) fail_msg("%s", error.text);
    const struct circuit *c = engine_code(engine)->circuit;
    struct values *v = player_search(p)->hands[0].policy->values;
    uint64_t start[8] = {0};
    assert_true(c->nbits <= 512);
    for (uint32_t b = 0; b < c->nbits; b++) start[b / 64] |= (uint64_t)c->init[b] << (b % 64);
    struct situation s = {.role = 1, .nroles = 3, .state = start, .state_words = (c->nbits + 63) / 64};
    out[0] = out[1] = -100;
    for (uint32_t i = 0; i < c->move_base[2] - c->move_base[1]; i++) {
        struct heap *heap = heap_new(0);
        struct text text;
        int x = 0, y = 0;
        text_init(&text, heap);
        term_print(c->terms, c->move[c->move_base[1] + i], true, NULL, &text);
        if (sscanf(text_str(&text), "(move 2 %*d %d %d)", &x, &y) == 2 && y == 1)
            v->ops->score(v, &s, &i, 1, &out[x == 3]);
        heap_free(heap);
    }
    player_free(p);
    engine_free(engine);
    game_free(game);
}

/* To b, a and c are alike; but as CadiaPlayer sees it, b is out for a, who is played. */
static void others_are_against_the_own_role(void **state)
{
    (void)state;
    float against[2], alike[2];
    captures("fast,forced=on", against);
    captures("fast,goals=own,forced=on", alike);
    assert_true(against[0] > against[1] + 10);
    assert_true(alike[0] < alike[1] + 5 && alike[1] < alike[0] + 5);
}

/* Battle has twenty discs a side: steps that are right for the sixteen of chess grow from game to game there,
 * until nothing is a number. */
static void many_pieces_do_not_make_values_run_away(void **state)
{
    (void)state;
    struct error error = {0};
    struct game *game = game_load("battle", 0, NULL, &error);
    struct engine *engine = game ? engine_start(game, NULL, &error) : NULL;
    struct player_config config;
    if (!engine || engine_wait(engine, -1) != ENGINE_READY || !player_config_parse("fast", &config, &error))
        fail_msg("%s", error.text);
    struct player *p = player_new(&config, game, engine, 0, 1, &error);
    struct batch *b = batch_new(engine_code(engine), 64, 1, &error);
    struct budget budget = {.simulations = 1000};
    uint32_t best, captures = 0;
    if (!p || !b || !player_think(p, &budget, &best, &error)) fail_msg("%s", error.text);

    const uint64_t all = UINT64_MAX;
    for (int step = 0; step < 12; step++) {
        batch_view(b);
        batch_choose(b, &all);
        batch_step(b);
    }
    const struct circuit *c = engine_code(engine)->circuit;
    struct values *v = player_search(p)->hands[0].policy->values;
    uint64_t at[16];
    assert_true(c->nbits <= 1024);
    struct situation s = {.role = 0, .nroles = 2, .state = at, .state_words = (c->nbits + 63) / 64};
    for (uint32_t lane = 0; lane < 64; lane++) {
        batch_get_state(b, lane, at);
        for (uint32_t i = 0; i < c->move_base[1]; i++) {
            float score = -1000;
            v->ops->score(v, &s, &i, 1, &score);
            assert_true(score >= -100 && score < 200);
            captures += score > -100;
        }
    }
    assert_true(captures > 0);
    batch_free(b);
    player_free(p);
    engine_free(engine);
    game_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(winning_cells_are_worth_most),
                                       cmocka_unit_test(many_pieces_do_not_make_values_run_away),
                                       cmocka_unit_test(others_are_against_the_own_role)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
