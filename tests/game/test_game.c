// SPDX-License-Identifier: GPL-3.0-or-later
#include "../testing.h"

#include "base/sha1.h"
#include "game/game.h"

static struct game *from_text(const char *text, struct game **refused, struct error *error)
{
    return game_from_text("some/where/small.kif", text, strlen(text), 0, refused, error);
}

static void games_of_the_library_are_found_by_name(void **state)
{
    struct error error = {0};
    char path[5000];
    assert_true(game_find("ticTacToe", path, sizeof path, &error));
    struct game *by_name = game_load("ticTacToe", 0, NULL, &error),
                *by_path = game_load(path, 0, NULL, &error);
    assert_non_null(by_name);
    assert_non_null(by_path);
    assert_string_equal(by_name->name, "ticTacToe");
    assert_string_equal(by_name->digest, by_path->digest);
    assert_int_equal(by_name->nroles, 2);
    assert_string_equal(by_name->role_names[0], "xplayer");
    assert_int_equal(game_role(by_name, "OPlayer"), 1);
    assert_int_equal(game_role(by_name, "nobody"), -1);
    game_free(by_name);
    game_free(by_path);
}

static void a_missing_game_is_named_with_a_guess(void **state)
{
    struct error error = {0};
    assert_null(game_load("tictactow", 0, NULL, &error));
    assert_int_equal(error.code, ERROR_INPUT);
    assert_non_null(strstr(error.text, "tictactow"));
    assert_non_null(strstr(error.text, "ticTacToe"));
    assert_null(game_load("/no/such/file.kif", 0, NULL, &error));
    assert_non_null(strstr(error.text, "/no/such/file.kif"));
    assert_null(game_load("qqqqqqqqqqqqqqq", 0, NULL, &error));
}

static void the_digest_is_that_of_the_text(void **state)
{
    struct error error = {0};
    const char *text = "(role r) (legal r go) (<= terminal (true x)) (goal r 0)";
    char digest[41];
    sha1_hex(text, strlen(text), digest, 40);
    struct game *g = from_text(text, NULL, &error);
    assert_non_null(g);
    assert_string_equal(g->digest, digest);
    assert_string_equal(g->name, "small");
    game_free(g);
}

static void roles_stand_in_the_order_of_the_sheet_once(void **state)
{
    struct error error = {0};
    struct game *g = from_text("(role b) (role a) (role B) (role c) (<= (legal ?r go) (role ?r)) (init x)"
                               "(<= terminal (true x)) (<= (goal ?r 1) (role ?r))",
                               NULL, &error);
    if (!g) fail_msg("%s", error.text);
    assert_int_equal(g->nroles, 3);
    assert_string_equal(g->role_names[0], "b");
    assert_string_equal(g->role_names[1], "a");
    assert_string_equal(g->role_names[2], "c");
    game_free(g);
}

static void roles_may_come_from_rules(void **state)
{
    struct error error = {0};
    struct game *g = from_text("(seat 1) (seat 2) (seat 3) (closed 2)"
                               "(<= (role (player ?n)) (seat ?n) (not (closed ?n)))"
                               "(<= (legal ?r go) (role ?r)) (init x)"
                               "(<= terminal (true x)) (<= (goal ?r 1) (role ?r))",
                               NULL, &error);
    if (!g) fail_msg("%s", error.text);
    assert_int_equal(g->nroles, 2);
    assert_true(game_role(g, "(player 1)") >= 0);
    assert_true(game_role(g, "(player 3)") >= 0);
    game_free(g);
}

static void what_cannot_be_played_is_refused_with_a_reason(void **state)
{
    static const char *const sheets[][2] = {
        {"(legal r go)", "role"},
        {"(role r)", "legal"},
        {"(role r) (legal r go", "parenthes"},
        {"(role r) (<= (legal r ?m) (true x))", "?m"},
        {"(role r) (legal r go) (<= p (not q)) (<= q (not p)) (<= terminal p)", "negation"},
        {"", "role"},
    };
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++) {
        struct error error = {0};
        struct game *refused;
        assert_null(from_text(sheets[i][0], &refused, &error));
        assert_int_equal(error.code, ERROR_INPUT);
        if (!strstr(error.text, sheets[i][1])) fail_msg("'%s' does not name '%s'", error.text, sheets[i][1]);
        assert_non_null(refused); /* so that all its faults can be shown */
        assert_true(refused->diags.errors > 0);
        game_free(refused);
    }
}

static void memory_is_limited(void **state)
{
    struct error error = {0};
    struct game *refused;
    assert_null(game_load("checkers", 20000, &refused, &error));
    assert_int_equal(error.code, ERROR_MEMORY);
    assert_null(refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_of_the_library_are_found_by_name),
        cmocka_unit_test(a_missing_game_is_named_with_a_guess),
        cmocka_unit_test(the_digest_is_that_of_the_text),
        cmocka_unit_test(roles_stand_in_the_order_of_the_sheet_once),
        cmocka_unit_test(roles_may_come_from_rules),
        cmocka_unit_test(what_cannot_be_played_is_refused_with_a_reason),
        cmocka_unit_test(memory_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
