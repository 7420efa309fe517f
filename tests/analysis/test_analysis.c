// SPDX-License-Identifier: GPL-3.0-or-later
#include "testing.h"

#include "analysis/analysis.h"

struct opened {
    struct game *game;
    struct reasoner *reasoner;
    struct analysis *analysis;
};

static struct opened look_at(const char *name)
{
    struct error error;
    struct opened o;
    struct analysis_options options = {.seed = 1, .seconds = 60};
    o.game = game_load(name, 0, NULL, &error);
    assert_non_null(o.game);
    o.reasoner = reasoner_lifted(o.game, 0, &error);
    assert_non_null(o.reasoner);
    o.analysis = analysis_new(o.reasoner, &options, &error);
    assert_non_null(o.analysis);
    return o;
}

static void leave(struct opened *o)
{
    analysis_free(o->analysis);
    reasoner_free(o->reasoner);
    game_free(o->game);
}

static uint32_t read_fact(struct opened *o, const char *text)
{
    struct error error;
    term fact = term_read(o->reasoner->terms, text, strlen(text), &error);
    assert_int_not_equal(fact, 0);
    return fact;
}

/* 002 section 4.3 tells which features FAST found in which game. Our sheets are not the same, but the games
 * are. */
static void fast_finds_the_features_of_the_thesis(void **unused)
{
    static const struct {
        const char *game;
        bool pieces;
    } table[] = {
        {"battle", true},         {"checkers", true},      {"checkersFree", true},     {"skirmish", true},
        {"ttcc4", true},          {"breakthrough", false}, {"chinook", false},         {"connect5", false},
        {"knightthrough", false}, {"othello", false},      {"ttcc4ThreePlayers", true}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        bool pieces;
        struct opened o = look_at(table[i].game);
        assert_non_null(analysis_fast_board(o.analysis, &pieces));
        assert_int_equal(pieces, table[i].pieces);
        leave(&o);
    }
    bool pieces;
    struct opened o = look_at("ticTacToe3d");
    assert_null(analysis_fast_board(o.analysis, &pieces));
    leave(&o);
}

static void facts_are_found_on_the_board(void **unused)
{
    struct opened o = look_at("breakthrough");
    const struct board *b = &o.analysis->boards.v[0];
    uint32_t cell, piece;
    assert_int_equal(b->x.n, 8);
    assert_int_equal(b->y.n, 8);
    assert_int_equal(b->npieces, 2);
    assert_true(
        board_find(o.analysis, b, o.reasoner->terms, read_fact(&o, "(cell 3 7 black)"), &cell, &piece));
    assert_int_equal(cell, board_cell(b, 0, 2, 6));
    assert_int_equal(b->pieces[piece].owner, game_role(o.game, "black"));
    /* Of the board, but nothing that was ever seen there. */
    assert_true(board_find(o.analysis, b, o.reasoner->terms, read_fact(&o, "(cell 3 7 3)"), &cell, &piece));
    assert_int_equal(piece, UINT32_MAX);
    assert_true(
        board_find(o.analysis, b, o.reasoner->terms, read_fact(&o, "(cell white 7 black)"), &cell, &piece));
    assert_int_equal(cell, UINT32_MAX);
    /* Terms the analysis has never heard of. */
    assert_true(
        board_find(o.analysis, b, o.reasoner->terms, read_fact(&o, "(cell new (f x) (g 1))"), &cell, &piece));
    assert_int_equal(cell, UINT32_MAX);
    assert_int_equal(piece, UINT32_MAX);
    assert_false(
        board_find(o.analysis, b, o.reasoner->terms, read_fact(&o, "(control white)"), &cell, &piece));
    leave(&o);
}

static void moves_tell_from_where_to_where(void **unused)
{
    struct opened o = look_at("skirmish");
    const struct board *b = &o.analysis->boards.v[0];
    assert_int_equal(b->nactions, 1);
    assert_int_equal(b->actions[0].from, 0);
    assert_int_equal(b->actions[0].to, 2);
    leave(&o);
    o = look_at("othello");
    b = &o.analysis->boards.v[0];
    assert_int_equal(b->nactions, 1);
    assert_int_equal(b->actions[0].from, -1);
    assert_int_equal(b->actions[0].to, 0);
    leave(&o);
}

/* Stones are turned in Othello, stay what they are in Connect5, and are seldom taken in Breakthrough. */
static void pieces_are_seen_to_change(void **unused)
{
    static const struct {
        const char *game;
        double least, most;
    } games[] = {
        {"othello", 0.4, 0.9}, {"connect5", 0, 0}, {"amazons6x6", 0, 0}, {"breakthrough", 0.02, 0.25}};
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct opened o = look_at(games[i].game);
        const struct board *b = &o.analysis->boards.v[0];
        assert_true(b->arrivals > 0);
        double share = (double)b->changed / (double)b->arrivals;
        if (share < games[i].least || share > games[i].most) fail_msg("%s: %.2f", games[i].game, share);
        leave(&o);
    }
}

static void statistics_count_what_was_played(void **unused)
{
    struct opened o = look_at("connectFour");
    const struct analysis *a = o.analysis;
    assert_int_equal(a->games, 20);
    assert_int_equal(a->length.n, 20);
    assert_true(a->length.min >= 7 && a->length.max <= 42);
    assert_int_equal(a->states, a->state_size.n);
    assert_int_equal(a->joint.max, 7);
    assert_int_equal(a->turns, TURNS_ALTERNATE);
    assert_int_equal(a->turn_order[0], 0);
    assert_true(a->constant_sum && a->goals_defined);
    assert_int_equal(a->sum, 100);
    for (uint32_t role = 0; role < 2; role++) {
        uint64_t ended = 0;
        for (uint32_t i = 0; i < a->roles[role].goals.n; i++) ended += a->roles[role].goals.v[i].count;
        assert_int_equal(ended, 20);
    }
    leave(&o);
}

static void limits_are_kept(void **unused)
{
    struct error error;
    struct opened o = look_at("breakthrough");
    struct analysis_options options = {.games = 5, .steps = 3, .states = 12, .seconds = 60};
    struct analysis *a = analysis_new(o.reasoner, &options, &error);
    assert_non_null(a);
    assert_int_equal(a->games, 0);
    assert_int_equal(a->cut, 3);
    assert_int_equal(a->states, 12);
    analysis_free(a);
    leave(&o);
}

/* Every allocation of the analysis may fail: it must give an error, not crash, and the next one must work. */
static void running_out_of_memory_is_an_error(void **unused)
{
    struct opened o = look_at("ticTacToe");
    struct analysis_options options = {.games = 2, .seconds = 60};
    bool struck = true;
    for (long n = 1; struck; n = n < 50 ? n + 1 : n * 3 / 2) {
        struct error error = {0};
        heap_inject_failure(n);
        struct analysis *a = analysis_new(o.reasoner, &options, &error);
        struck = !heap_injection_pending();
        heap_inject_failure(0);
        if (!a) assert_int_equal(error.code, ERROR_MEMORY);
        analysis_free(a);
    }
    leave(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_finds_the_features_of_the_thesis),
        cmocka_unit_test(facts_are_found_on_the_board),
        cmocka_unit_test(moves_tell_from_where_to_where),
        cmocka_unit_test(pieces_are_seen_to_change),
        cmocka_unit_test(statistics_count_what_was_played),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(running_out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
