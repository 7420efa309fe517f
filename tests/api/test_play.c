// SPDX-License-Identifier: GPL-3.0-or-later
/* Engines by choice, facts, players, matches, records and boards, as a stranger uses them. */
#include "../testing.h"

#include <ludens.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct ludens_error error;

#define MUST(x) \
    if (!(x)) fail_msg("%s", error.text)

struct table {
    struct ludens_game *game;
    struct ludens_engine *engine;
    struct ludens_state *state;
};

static struct table open_table(const char *name, enum ludens_kind kind)
{
    struct table t = {ludens_game_load(name, &error), NULL, NULL};
    MUST(t.game);
    MUST(t.engine = ludens_engine_open(t.game, kind, &error));
    MUST(t.state = ludens_state_new(t.engine, &error));
    return t;
}

static void close_table(struct table *t)
{
    ludens_state_free(t->state);
    ludens_engine_free(t->engine);
    ludens_game_free(t->game);
}

static void play(struct table *t, const char *first, const char *second)
{
    uint32_t joint[2];
    MUST(ludens_move_read(t->engine, 0, first, &joint[0], &error));
    MUST(ludens_move_read(t->engine, 1, second, &joint[1], &error));
    MUST(ludens_state_play(t->state, joint, &error));
}

/* --- Engines and facts */

static void an_engine_is_of_the_kind_that_was_asked_for(void **state)
{
    struct table lifted = open_table("ticTacToe", LUDENS_LIFTED),
                 circuit = open_table("ticTacToe", LUDENS_CIRCUIT);
    assert_int_equal(ludens_engine_kind(lifted.engine), LUDENS_LIFTED);
    assert_int_equal(ludens_engine_kind(circuit.engine), LUDENS_CIRCUIT);
    assert_int_equal(ludens_engine_moves(circuit.engine, 0), 10); /* all there are, from the beginning */
    assert_null(ludens_engine_open(lifted.game, (enum ludens_kind)17, &error));
    close_table(&lifted);
    close_table(&circuit);
}

static void states_stay_when_the_engine_changes_to_the_circuit(void **state)
{
    struct table t = open_table("ticTacToe", LUDENS_BACKGROUND);
    bool taken;
    char before[200], after[200];
    play(&t, "(mark 2 2)", "noop");
    ludens_state_print(t.state, before, sizeof before);
    MUST(ludens_engine_take(t.engine, 20, &taken, &error));
    assert_true(taken);
    assert_int_equal(ludens_engine_kind(t.engine), LUDENS_CIRCUIT);
    struct ludens_state *fresh = ludens_state_new(t.engine, &error);
    assert_false(ludens_state_equal(fresh, t.state));
    ludens_state_print(t.state, after, sizeof after);
    assert_string_equal(before, after);
    play(&t, "noop", "(mark 1 1)");
    ludens_state_free(fresh);
    close_table(&t);
}

static void a_circuit_within_limits_that_are_too_narrow_fails_and_may_be_tried_again(void **state)
{
    struct ludens_game *game = ludens_game_load("skirmish", &error);
    MUST(game);
    assert_int_equal(ludens_game_wait(game, 0, &error), LUDENS_NOT_BEGUN);
    MUST(ludens_game_prepare(game, &(struct ludens_limits){.bytes = 1 << 16}, &error));
    assert_int_equal(ludens_game_wait(game, -1, &error), LUDENS_FAILED);
    assert_int_equal(error.code, LUDENS_MEMORY);
    assert_null(ludens_engine_open(game, LUDENS_CIRCUIT, &error));
    assert_int_equal(error.code, LUDENS_MEMORY);
    MUST(ludens_game_prepare(game, NULL, &error));
    ludens_game_cancel(game);
    assert_int_equal(ludens_game_wait(game, -1, &error), LUDENS_FAILED);
    assert_int_equal(error.code, LUDENS_STOPPED);
    MUST(ludens_game_prepare(game, NULL, &error));
    assert_int_equal(ludens_game_wait(game, -1, &error), LUDENS_READY);
    ludens_game_free(game);
}

static void a_long_question_ends_at_its_limit(void **state)
{
    /* A relation of 12^8 tuples that one question asks for. */
    const char *rules =
        "(role me) (init (at 0)) (d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9) (d 10) (d 11)\n"
        "(<= (big ?a ?b ?c ?d ?e ?f ?g ?h) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f) (d ?g) (d ?h)\n"
        "    (true (at ?z)) (distinct ?a ?z) (distinct ?h ?b))\n"
        "(<= (legal me (go ?a)) (big ?a ?b ?c ?d ?e ?f ?g ?h) (not (true (at ?b))) (true (at ?h)) (distinct "
        "?b ?c))\n"
        "(<= (next (at ?a)) (does me (go ?a))) (<= terminal (true (at 5))) (goal me 100)\n";
    struct ludens_game *game = ludens_game_parse("big", rules, strlen(rules), &error);
    MUST(game);
    struct ludens_engine *engine = ludens_engine_open(game, LUDENS_LIFTED, &error);
    struct ludens_state *s = ludens_state_new(engine, &error);
    struct ludens_stop stop = {0};
    const uint32_t *moves;
    uint32_t count;
    ludens_engine_limit(engine, 0.05, NULL);
    bool answered = ludens_state_moves(s, 0, &moves, &count, &error);
    assert_true(answered || error.code == LUDENS_TIME);
    if (!answered) { /* else the engine is cleverer than this test */
        ludens_stop_raise(&stop);
        ludens_engine_limit(engine, 0, &stop);
        assert_false(ludens_state_moves(s, 0, &moves, &count, &error));
        assert_int_equal(error.code, LUDENS_STOPPED);
    }
    ludens_state_free(s);
    ludens_engine_free(engine);
    ludens_game_free(game);
}

static void facts_go_to_numbers_and_bits_and_back(void **state)
{
    for (enum ludens_kind kind = LUDENS_LIFTED; kind <= LUDENS_CIRCUIT; kind++) {
        struct table t = open_table("ticTacToe", kind);
        const uint32_t *facts;
        uint32_t n, number;
        uint64_t bits[4];
        char text[100];
        play(&t, "(mark 2 2)", "noop");
        MUST(ludens_state_facts(t.state, &facts, &n, &error));
        assert_int_equal(n, 2);
        assert_true(ludens_state_bits(t.state, bits, 4) <= 4);
        for (uint32_t i = 0; i < n; i++) {
            ludens_fact_print(t.engine, facts[i], text, sizeof text);
            assert_true(strcmp(text, "(cell 2 2 x)") == 0 || strcmp(text, "(control oplayer)") == 0);
            MUST(ludens_fact_read(t.engine, text, &number, &error));
            assert_int_equal(number, facts[i]);
            assert_true(bits[number / 64] >> number % 64 & 1);
        }
        struct ludens_state *again = ludens_state_from_facts(t.engine, facts, n, &error);
        MUST(again);
        assert_true(ludens_state_equal(again, t.state));
        struct ludens_state *typed = ludens_state_read(t.engine, "(control oplayer)\n(CELL 2 2 x)", &error);
        MUST(typed);
        assert_true(ludens_state_equal(typed, t.state));
        assert_null(ludens_state_from_facts(t.engine, (uint32_t[]){1000000}, 1, &error));
        assert_null(ludens_state_read(t.engine, "(cell 2", &error));
        assert_false(ludens_fact_read(t.engine, "(cell 2", &number, &error));
        ludens_state_free(again);
        ludens_state_free(typed);
        close_table(&t);
    }
}

static void errors_tell_the_place_in_the_sheet(void **state)
{
    const char *broken = "(role me)\n  (<= (legal me go)\n";
    assert_null(ludens_game_parse("broken", broken, strlen(broken), &error));
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 3);
}

/* --- Players */

static void a_player_finds_the_winning_move_and_says_what_it_thought(void **state)
{
    struct table t = open_table("ticTacToe", LUDENS_LIFTED);
    struct ludens_player *p = ludens_player_new(t.game, 0, "cadia2007", 1, &error);
    struct ludens_budget budget = {.simulations = 500};
    struct ludens_thoughts thoughts;
    uint32_t move;
    char text[100], *json;
    MUST(p);
    ludens_state_free(t.state);
    MUST(t.state = ludens_state_read(
             t.engine, "(cell 1 1 x) (cell 2 2 x) (cell 1 2 o) (cell 1 3 o) (control xplayer)", &error));
    MUST(ludens_player_goto(p, t.state, &error));
    MUST(ludens_player_think(p, t.engine, &budget, &move, &error));
    ludens_move_print(t.engine, 0, move, text, sizeof text);
    assert_string_equal(text, "(mark 3 3)");
    MUST(ludens_player_thoughts(p, t.engine, &thoughts, &error));
    assert_true(thoughts.circuit && thoughts.trouble == LUDENS_OK);
    assert_int_equal(thoughts.count, 5);
    assert_true(thoughts.value > 90);
    uint32_t visits = 0;
    for (uint32_t i = 0; i < thoughts.count; i++) visits += thoughts.moves[i].visits;
    assert_true(visits > 0);
    size_t n = ludens_player_json(p, NULL, 0);
    json = malloc(n + 1);
    assert_int_equal(ludens_player_json(p, json, n + 1), n);
    assert_non_null(strstr(json, "\"move\": \"(mark 3 3)\""));
    free(json);
    ludens_player_free(p);
    close_table(&t);
}

/* It would be no limit: they would think for ever. */
static void time_that_is_none_is_refused(void **state)
{
    static const double none[] = {-0.5, NAN, -INFINITY};
    struct table t = open_table("ticTacToe", LUDENS_LIFTED);
    struct ludens_player *p = ludens_player_new(t.game, 0, "nst", 1, &error);
    uint32_t move;
    MUST(p);
    for (int i = 0; i < 3; i++) {
        struct ludens_budget b = {.seconds = none[i], .simulations = 10};
        assert_false(ludens_player_think(p, t.engine, &b, &move, &error));
        assert_int_equal(error.code, LUDENS_INPUT);
        assert_non_null(strstr(error.text, "seconds of a budget are 0 or more"));
        assert_false(ludens_player_ponder(p, &b, &error));
        for (int start = 0; start < 2; start++) {
            struct ludens_match_options options = {0};
            *(start ? &options.start : &options.budget) = b;
            error = (struct ludens_error){0};
            assert_null(ludens_match_new(t.game, &options, &error));
            assert_non_null(strstr(error.text, "seconds of a budget are 0 or more"));
        }
    }
    ludens_player_free(p);
    close_table(&t);
}

static void a_player_follows_the_game(void **state)
{
    struct table t = open_table("ticTacToe", LUDENS_CIRCUIT);
    struct ludens_player *p = ludens_player_new(t.game, 1, "nst", 1, &error);
    MUST(p);
    uint32_t joint[2], move;
    MUST(ludens_move_read(t.engine, 0, "(mark 1 1)", &joint[0], &error));
    MUST(ludens_move_read(t.engine, 1, "noop", &joint[1], &error));
    MUST(ludens_state_play(t.state, joint, &error));
    MUST(ludens_player_advance(p, t.engine, joint, &error));
    MUST(ludens_player_think(p, t.engine, &(struct ludens_budget){.simulations = 50}, &move, &error));
    joint[0] = joint[1];
    MUST(ludens_move_read(t.engine, 0, "noop", &joint[0], &error));
    joint[1] = move;
    MUST(ludens_state_play(t.state, joint, &error)); /* it was a legal one */
    joint[0] = 4000000000u;
    assert_false(ludens_player_advance(p, t.engine, joint, &error));
    ludens_player_free(p);
    assert_null(ludens_player_new(t.game, 1, "nobody", 1, &error));
    assert_non_null(strstr(error.text, "nobody"));
    assert_null(ludens_player_new(t.game, 2, "nst", 1, &error));
    close_table(&t);
}

static void *raise_soon(void *stop)
{
    usleep(50000);
    ludens_stop_raise(stop);
    return NULL;
}

static void pondering_ends_when_it_is_told_to(void **state)
{
    struct ludens_game *game = ludens_game_load("connectFour", &error);
    struct ludens_player *p = ludens_player_new(game, 0, "nst", 1, &error);
    struct ludens_stop stop = {0};
    pthread_t thread;
    pthread_create(&thread, NULL, raise_soon, &stop);
    ludens_player_ponder(p, &(struct ludens_budget){.stop = &stop}, &error);
    pthread_join(thread, NULL);
    ludens_player_free(p);
    ludens_game_free(game);
}

/* --- Matches and records */

struct watcher {
    int made, answered, over;
    char first[100];
};

static void made(void *data, struct ludens_match *m)
{
    struct watcher *w = data;
    w->made++;
    assert_int_equal(ludens_match_steps(m), w->made);
    if (w->made == 1)
        ludens_move_print(ludens_match_engine(m), 0, ludens_match_joint(m, 0)[0], w->first, sizeof w->first);
}

static void answered(void *data, struct ludens_match *m, uint32_t role)
{
    ((struct watcher *)data)->answered++;
}

static bool choose_last(void *data, struct ludens_match *m, uint32_t role, uint32_t *move)
{
    const uint32_t *moves;
    uint32_t n;
    struct ludens_state *s = ludens_state_copy(ludens_match_state(m), NULL);
    bool good = ludens_state_moves(s, role, &moves, &n, NULL) && n > 0;
    if (good) *move = moves[n - 1];
    ludens_state_free(s);
    return good;
}

static bool choose_nonsense(void *data, struct ludens_match *m, uint32_t role, uint32_t *move)
{
    *move = 4000000000u;
    return true;
}

static void over(void *data, struct ludens_match *m, uint32_t role)
{
    ((struct watcher *)data)->over++;
}

static void players_and_callbacks_play_a_match(void **state)
{
    struct ludens_game *game = ludens_game_load("ticTacToe", &error);
    struct watcher w = {0};
    struct ludens_match_options o = {
        .budget = {.simulations = 20}, .seed = 5, .made = made, .answered = answered, .data = &w};
    struct ludens_match *m = ludens_match_new(game, &o, &error);
    MUST(m);
    MUST(ludens_match_sit(m, 0, "cadia2007", &error));
    assert_false(ludens_match_sit(m, 0, "cadia2007", &error));
    MUST(ludens_match_sit_callback(m, 1, &(struct ludens_seat){"last", choose_last, over, &w}, &error));
    assert_int_equal(ludens_match_goal(m, 0), LUDENS_NO_GOAL);
    MUST(ludens_match_play(m, &error));
    assert_int_equal(ludens_match_goal(m, 0) + ludens_match_goal(m, 1), 100);
    assert_int_equal(ludens_match_errors(m, 1), 0);
    assert_int_equal(w.answered, 2 * w.made);
    assert_int_equal(w.over, 1);
    assert_non_null(strstr(w.first, "mark"));

    /* written down, read again, followed */
    char path[] = "/tmp/ludens-record-XXXXXX.pgn";
    int fd = mkstemps(path, 4);
    close(fd);
    struct ludens_record *r = ludens_match_record(m, true, &error), *again;
    struct ludens_record_about about;
    MUST(r);
    MUST(ludens_record_write(r, path, &error));
    MUST(again = ludens_record_read(path, &error));
    ludens_record_about(again, &about);
    assert_string_equal(about.game, "ticTacToe");
    assert_string_equal(about.ending, "completed");
    assert_int_equal(about.steps, w.made);
    assert_string_equal(ludens_record_move(again, 0, 0), w.first);
    assert_string_equal(ludens_record_player(again, 1), "last");
    assert_string_equal(ludens_record_role(again, 1), "oplayer");
    assert_int_equal(ludens_record_reward(again, 0), ludens_match_goal(m, 0));
    assert_null(ludens_record_move(again, about.steps, 0));
    struct ludens_game *its = ludens_record_game(r, &error);
    struct ludens_engine *engine = ludens_engine_new(its, &error);
    struct ludens_state *end = ludens_record_state(r, engine, about.steps, &error);
    bool is_over = false;
    MUST(end);
    assert_true(ludens_state_terminal(end, &is_over, NULL) && is_over);
    MUST(ludens_record_check(r, engine, NULL, NULL, &error));
    assert_null(ludens_record_state(r, engine, about.steps + 1, &error));
    size_t n = ludens_record_print(r, false, NULL, 0);
    char *json = malloc(n + 1);
    ludens_record_print(r, false, json, n + 1);
    struct ludens_record *parsed = ludens_record_parse("memory", json, n, &error);
    MUST(parsed);
    ludens_record_free(parsed);
    json[n / 2] = '\0';
    assert_null(ludens_record_parse("memory", json, n / 2, &error));
    free(json);
    ludens_state_free(end);
    ludens_engine_free(engine);
    ludens_game_free(its);
    ludens_record_free(r);
    ludens_record_free(again);
    unlink(path);
    ludens_match_free(m);
    ludens_game_free(game);
}

static void nonsense_is_replaced_and_counted(void **state)
{
    struct ludens_game *game = ludens_game_load("ticTacToe", &error);
    struct ludens_match *m =
        ludens_match_new(game, &(struct ludens_match_options){.budget = {.simulations = 1}}, &error);
    bool over_now = false;
    MUST(ludens_match_sit_callback(m, 1, &(struct ludens_seat){.choose = choose_nonsense}, &error));
    while (!over_now) MUST(ludens_match_step(m, &over_now, &error));
    assert_int_equal(ludens_match_errors(m, 1), ludens_match_steps(m));
    assert_int_equal(ludens_match_errors(m, 0), 0);
    ludens_match_free(m);
    m = ludens_match_new(game, &(struct ludens_match_options){.forfeit = "illegal"}, &error);
    MUST(ludens_match_sit_callback(m, 1, &(struct ludens_seat){.choose = choose_nonsense}, &error));
    MUST(ludens_match_play(m, &error));
    assert_int_equal(ludens_match_goal(m, 1), 0);
    assert_int_equal(ludens_match_steps(m), 1);
    ludens_match_free(m);
    ludens_game_free(game);
}

/* --- Boards */

static void a_board_is_drawn_in_every_way(void **state)
{
    struct table t = open_table("ticTacToe", LUDENS_LIFTED);
    struct ludens_board *b = ludens_board_new(t.engine, &error);
    struct ludens_board_shape shape;
    struct ludens_piece piece;
    const struct ludens_square *squares;
    uint32_t n;
    char text[20000];
    MUST(b);
    play(&t, "(mark 1 3)", "noop");
    assert_int_equal(ludens_board_count(b), 1);
    assert_true(ludens_board_shape(b, 0, &shape));
    assert_string_equal(shape.name, "cell");
    assert_true(shape.width == 3 && shape.height == 3 && shape.cells == 9);
    assert_false(ludens_board_shape(b, 1, &shape));
    MUST(ludens_board_squares(b, 0, t.state, &squares, &n, &error));
    assert_int_equal(n, 1);
    assert_true(squares[0].cell == 6 || squares[0].cell == 2);
    assert_true(ludens_board_piece(b, squares[0].piece, &piece));
    assert_string_equal(piece.name, "x");
    assert_string_equal(piece.figure, "cross");
    assert_int_equal(piece.owner, 0);
    assert_false(ludens_board_piece(b, 100, &piece));
    assert_false(ludens_board_squares(b, 7, t.state, &squares, &n, &error));
    assert_true(ludens_board_text(b, t.state, 80, text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, "x"));
    assert_non_null(strstr(text, "control"));
    assert_true(ludens_board_svg(b, t.state, text, sizeof text) < sizeof text);
    assert_int_equal(strncmp(text, "<svg ", 5), 0);
    assert_non_null(strstr(text, "<path ")); /* the cross */
    assert_true(ludens_board_layout_json(b, text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, "\"figure\":\"cross\""));
    assert_true(ludens_board_position_json(b, t.state, text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, "\"boards\":[[["));
    ludens_board_free(b);
    close_table(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_engine_is_of_the_kind_that_was_asked_for),
        cmocka_unit_test(states_stay_when_the_engine_changes_to_the_circuit),
        cmocka_unit_test(a_circuit_within_limits_that_are_too_narrow_fails_and_may_be_tried_again),
        cmocka_unit_test(a_long_question_ends_at_its_limit),
        cmocka_unit_test(facts_go_to_numbers_and_bits_and_back),
        cmocka_unit_test(errors_tell_the_place_in_the_sheet),
        cmocka_unit_test(a_player_finds_the_winning_move_and_says_what_it_thought),
        cmocka_unit_test(time_that_is_none_is_refused),
        cmocka_unit_test(a_player_follows_the_game),
        cmocka_unit_test(pondering_ends_when_it_is_told_to),
        cmocka_unit_test(players_and_callbacks_play_a_match),
        cmocka_unit_test(nonsense_is_replaced_and_counted),
        cmocka_unit_test(a_board_is_drawn_in_every_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
