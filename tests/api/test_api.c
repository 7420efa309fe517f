// SPDX-License-Identifier: GPL-3.0-or-later
/* The public library as a stranger uses it: nothing but ludens.h, linked with the shared library. */
#include "../testing.h"

#include <ludens.h>

#include <stdio.h>

struct table {
    struct ludens_game *game;
    struct ludens_engine *engine;
    struct ludens_state *state;
};

static int set_table(void **state)
{
    static struct table t;
    struct ludens_error error;
    if (!(t.game = ludens_game_load("ticTacToe", &error)) ||
        !(t.engine = ludens_engine_new(t.game, &error)) || !(t.state = ludens_state_new(t.engine, &error))) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    *state = &t;
    return 0;
}

static int clear_table(void **state)
{
    struct table *t = *state;
    ludens_state_free(t->state);
    ludens_engine_free(t->engine);
    ludens_game_free(t->game);
    return 0;
}

static bool play(struct table *t, const char *x, const char *o, struct ludens_error *error)
{
    uint32_t joint[2];
    return ludens_move_read(t->engine, 0, x, &joint[0], error) &&
           ludens_move_read(t->engine, 1, o, &joint[1], error) && ludens_state_play(t->state, joint, error);
}

static void must_play(struct table *t, const char *x, const char *o)
{
    struct ludens_error error = {0};
    if (!play(t, x, o, &error)) fail_msg("%s", error.text);
}

static void a_game_tells_its_name_and_roles(void **state)
{
    struct table *t = *state;
    assert_string_equal(ludens_game_name(t->game), "ticTacToe");
    assert_int_equal(ludens_game_roles(t->game), 2);
    assert_string_equal(ludens_game_role(t->game, 0), "xplayer");
    assert_string_equal(ludens_game_role(t->game, 1), "oplayer");
    assert_null(ludens_game_role(t->game, 2));
    assert_null(ludens_game_warning(t->game, 0));
}

static void a_whole_game_can_be_played_by_text(void **state)
{
    struct table *t = *state;
    bool over = true;
    int goal;
    must_play(t, "(mark 2 2)", "noop");
    must_play(t, "noop", "(mark 1 2)");
    must_play(t, "(mark 1 1)", "noop");
    must_play(t, "noop", "(mark 3 2)");
    assert_true(ludens_state_terminal(t->state, &over, NULL));
    assert_false(over);
    must_play(t, " ( MARK 3 3 ) ", "noop");
    assert_true(ludens_state_terminal(t->state, &over, NULL));
    assert_true(over);
    assert_true(ludens_state_goal(t->state, 0, &goal, NULL));
    assert_int_equal(goal, 100);
    assert_true(ludens_state_goal(t->state, 1, &goal, NULL));
    assert_int_equal(goal, 0);
}

static void legal_moves_come_as_numbers_that_print(void **state)
{
    struct table *t = *state;
    const uint32_t *moves;
    uint32_t count, again;
    char text[64];
    bool corner = false;
    assert_true(ludens_state_moves(t->state, 0, &moves, &count, NULL));
    assert_int_equal(count, 9);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(ludens_move_print(t->engine, 0, moves[i], text, sizeof text), 10);
        assert_true(ludens_move_read(t->engine, 0, text, &again, NULL));
        assert_int_equal(again, moves[i]);
        corner |= strcmp(text, "(mark 1 1)") == 0;
    }
    assert_true(corner);
    assert_true(ludens_state_moves(t->state, 1, &moves, &count, NULL));
    assert_int_equal(count, 1);
    ludens_move_print(t->engine, 1, moves[0], text, sizeof text);
    assert_string_equal(text, "noop");
}

static void an_illegal_move_is_refused_and_changes_nothing(void **state)
{
    struct table *t = *state;
    struct ludens_error error = {0};
    must_play(t, "(mark 2 2)", "noop");
    struct ludens_state *before = ludens_state_copy(t->state, NULL);
    assert_non_null(before);
    assert_false(play(t, "noop", "(mark 2 2)", &error));
    assert_int_equal(error.code, LUDENS_INPUT);
    assert_string_equal(error.text, "(mark 2 2) is not legal for oplayer here");
    assert_false(ludens_state_play(t->state, (uint32_t[]){4000000000u, 4000000000u}, &error));
    assert_int_equal(error.code, LUDENS_INPUT);
    assert_true(ludens_state_equal(before, t->state));
    must_play(t, "noop", "(mark 1 2)");
    assert_false(ludens_state_equal(before, t->state));
    ludens_state_free(before);
}

static void copies_go_their_own_way(void **state)
{
    struct table *t = *state;
    struct ludens_state *copy = ludens_state_copy(t->state, NULL);
    assert_non_null(copy);
    assert_true(ludens_state_equal(copy, t->state));
    assert_true(ludens_state_hash(copy) == ludens_state_hash(t->state));
    must_play(t, "(mark 2 2)", "noop");
    assert_false(ludens_state_equal(copy, t->state));
    char text[100];
    ludens_state_print(copy, text, sizeof text);
    assert_string_equal(text, "(control xplayer)\n");
    ludens_state_print(t->state, text, sizeof text);
    assert_string_equal(text, "(cell 2 2 x)\n(control oplayer)\n");
    ludens_state_free(copy);
}

static void short_buffers_are_filled_and_the_whole_length_told(void **state)
{
    struct table *t = *state;
    char text[8] = "unused";
    assert_int_equal(ludens_state_print(t->state, NULL, 0), 18);
    assert_int_equal(ludens_state_print(t->state, text, sizeof text), 18);
    assert_string_equal(text, "(contro");
    assert_int_equal(ludens_state_print(t->state, text, 1), 18);
    assert_string_equal(text, "");
}

static void numbers_out_of_range_are_errors(void **state)
{
    struct table *t = *state;
    struct ludens_error error = {0};
    const uint32_t *moves;
    uint32_t count, move;
    int goal;
    char text[8];
    assert_false(ludens_state_moves(t->state, 2, &moves, &count, &error));
    assert_string_equal(error.text, "there is no role 2: this game has 2, counted from 0");
    assert_false(ludens_state_goal(t->state, 2, &goal, &error));
    assert_false(ludens_move_read(t->engine, 2, "noop", &move, &error));
    assert_int_equal(ludens_move_print(t->engine, 2, 0, text, sizeof text), 0);
    assert_int_equal(ludens_move_print(t->engine, 0, 4000000000u, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_false(ludens_move_read(t->engine, 0, "(mark 1", &move, &error));
    assert_int_equal(error.code, LUDENS_INPUT);
}

static void unplayable_rules_are_refused_with_a_place(void **state)
{
    struct ludens_error error = {0};
    const char *broken = "(role me)\n(<= (legal me go)\n";
    assert_null(ludens_game_parse("broken", broken, strlen(broken), &error));
    assert_int_equal(error.code, LUDENS_INPUT);
    assert_non_null(strstr(error.text, "broken:2:1"));
    assert_null(ludens_game_load("noSuchGameAnywhere", &error));
    assert_non_null(strstr(error.text, "noSuchGameAnywhere"));
    assert_null(ludens_game_load("noSuchGameAnywhere", NULL));
}

static void slips_are_played_and_warned_of(void **state)
{
    struct ludens_error error = {0};
    const char *slip = "(role me) (init (step 1))\n"
                       "(<= (legal me go))\n"
                       "(<= (next (step 2)) (true (step 1)))\n"
                       "(<= terminal (true (step 2)))\n"
                       "(goal me 100)\n";
    struct ludens_game *game = ludens_game_parse("slip", slip, strlen(slip), &error);
    if (!game) fail_msg("%s", error.text);
    const char *warning = ludens_game_warning(game, 0);
    assert_non_null(warning);
    assert_int_equal(strncmp(warning, "slip:2:1: ", 10), 0);
    struct ludens_engine *engine = ludens_engine_new(game, &error);
    struct ludens_state *s = ludens_state_new(engine, &error);
    uint32_t go;
    bool over = false;
    assert_true(ludens_move_read(engine, 0, "go", &go, NULL));
    assert_true(ludens_state_play(s, &go, NULL));
    assert_true(ludens_state_terminal(s, &over, NULL));
    assert_true(over);
    ludens_state_free(s);
    ludens_engine_free(engine);
    ludens_game_free(game);
}

static void a_goal_that_is_not_defined_is_told_apart(void **state)
{
    const char *rules = "(role me) (init (step 1)) (legal me go) (<= (next (step 2)) (true (step 1)))\n"
                        "(<= terminal (true (step 2))) (<= (goal me 70) (true (step 2)))\n";
    struct ludens_game *game = ludens_game_parse("one", rules, strlen(rules), NULL);
    assert_non_null(game);
    struct ludens_engine *engine = ludens_engine_new(game, NULL);
    struct ludens_state *s = ludens_state_new(engine, NULL);
    int goal = 5;
    assert_true(ludens_state_goal(s, 0, &goal, NULL));
    assert_int_equal(goal, LUDENS_NO_GOAL);
    uint32_t go;
    assert_true(ludens_move_read(engine, 0, "go", &go, NULL) && ludens_state_play(s, &go, NULL));
    assert_true(ludens_state_goal(s, 0, &goal, NULL));
    assert_int_equal(goal, 70);
    ludens_state_free(s);
    ludens_engine_free(engine);
    ludens_game_free(game);
    ludens_state_free(NULL);
    ludens_engine_free(NULL);
    ludens_game_free(NULL);
}

#define AT_TABLE(f) cmocka_unit_test_setup_teardown(f, set_table, clear_table)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_TABLE(a_game_tells_its_name_and_roles),
        AT_TABLE(a_whole_game_can_be_played_by_text),
        AT_TABLE(legal_moves_come_as_numbers_that_print),
        AT_TABLE(an_illegal_move_is_refused_and_changes_nothing),
        AT_TABLE(copies_go_their_own_way),
        AT_TABLE(short_buffers_are_filled_and_the_whole_length_told),
        AT_TABLE(numbers_out_of_range_are_errors),
        cmocka_unit_test(unplayable_rules_are_refused_with_a_place),
        cmocka_unit_test(slips_are_played_and_warned_of),
        cmocka_unit_test(a_goal_that_is_not_defined_is_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
