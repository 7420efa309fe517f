// SPDX-License-Identifier: GPL-3.0-or-later
/* Minimax as a player in games it is not made for: whatever they are like there is a legal move in time, and
 * a word about it where another search thought. */
#include "../testing.h"

#include "player/player.h"

#include <stdio.h>
#include <string.h>

static const char *const presets[] = {"maxn", "paranoid", "brs", "alphabeta"};

struct match_time {
    double seconds;
    uint64_t steps;
};

/* A game and its circuit, which takes longer to make than a few moves take. */
struct table {
    struct game *game;
    struct engine *engine;
};

static struct table open_table(const char *name, const char *text)
{
    struct error error = {0};
    struct table t = {.game = text ? game_from_text(name, text, strlen(text), 0, NULL, &error)
                                   : game_load(name, 0, NULL, &error)};
    if (!t.game) fail_msg("%s: %s", name, error.text);
    t.engine = engine_start(t.game, NULL, &error);
    assert_int_equal(engine_wait(t.engine, -1), ENGINE_READY);
    return t;
}

static void close_table(struct table *t)
{
    engine_free(t->engine);
    game_free(t->game);
}

/* A few moves of all roles; returns the last remark. */
static const char *play(const struct table *t, const char *spec, const struct match_time *time)
{
    static char remark[200];
    remark[0] = '\0';
    enum { MOVES = 3, ROLES = 64 };
    struct error error = {0};
    struct player_config config;
    struct game *game = t->game;
    if (!player_config_parse(spec, &config, &error)) fail_msg("%s: %s", spec, error.text);
    struct reasoner *r = reasoner_circuit(game, engine_code(t->engine), &error);
    struct player *players[ROLES];
    struct state state = {0}, next = {0};
    struct list legal = {0};
    uint32_t joint[ROLES], nroles = game->nroles;
    assert_true(nroles <= ROLES && r->ops->initial(r, &state));
    bool late = time->seconds < 0; /* then on the rules as they are, for longer */
    uint32_t thinkers = nroles < 3 ? nroles : nroles > 8 ? 1 : 3; /* the others take their first move */
    for (uint32_t role = 0; role < thinkers; role++)
        assert_non_null(players[role] = player_new(&config, game, late ? NULL : t->engine, role, 1, &error));
    for (uint32_t step = 0; step < (late ? 8 * MOVES : MOVES); step++) {
        bool end;
        assert_true(r->ops->terminal(r, &state, &end));
        if (end) break;
        for (uint32_t role = 0; role < nroles; role++) {
            bool found = false;
            legal.n = 0;
            assert_true(r->ops->legal(r, &state, role, &legal));
            joint[role] = legal.v[0];
            if (role >= thinkers) continue;
            struct budget b = {.steps = time->steps};
            if (time->seconds != 0) b.deadline = clock_now() + time->seconds;
            uint32_t mine;
            if (!player_think(players[role], &b, &mine, &error)) fail_msg("%s: %s", spec, error.text);
            assert_true(reasoner_carry_move(r, player_reasoner(players[role]), role, mine, &joint[role]));
            for (uint32_t i = 0; i < legal.n; i++) found |= legal.v[i] == joint[role];
            assert_true(found);
            const char *said = player_report(players[role])->remark;
            if (*said) snprintf(remark, sizeof remark, "%s", said);
        }
        for (uint32_t role = 0; role < thinkers; role++)
            assert_true(player_advance(players[role], r, joint, &error));
        assert_true(r->ops->next(r, &state, joint, &next));
        assert_true(state_copy(&state, &next));
    }
    for (uint32_t role = 0; role < thinkers; role++) player_free(players[role]);
    state_done(&state);
    state_done(&next);
    list_done(&legal);
    reasoner_free(r);
    return remark;
}

static const struct match_time counted = {0, 300}, hurried = {0.001, 0}, over = {-1, 0};

/* Players at one table, one after the other; all say something like this at last, or none says anything. */
static void all_say(const char *name, const char *text, const char *const *specs, uint32_t n,
                    const char *what)
{
    struct table t = open_table(name, text);
    for (uint32_t i = 0; i < n; i++) {
        const char *said = play(&t, specs[i], &counted);
        if (what ? !strstr(said, what) : *said) fail_msg("%s, %s: '%s'", name, specs[i], said);
    }
    close_table(&t);
}

static void games_without_turns_and_games_for_one_are_left_to_the_tree_search(void **state)
{
    (void)state;
    all_say("goofspiel4", NULL, presets, 4, "several choose at once");
    all_say("tron", NULL, presets, 4, "several choose at once");
    all_say("eightPuzzle", NULL, presets, 4, "one player");
}

static void a_millisecond_is_enough_for_a_legal_move(void **state)
{
    static const char *const games[] = {"connectFour", "chineseCheckersStar6", "focus4", "goofspiel4",
                                        "speedChess"};
    (void)state;
    for (uint32_t g = 0; g < 5; g++) {
        struct table t = open_table(games[g], NULL);
        for (uint32_t i = 0; i < 4; i++) play(&t, presets[i], &hurried);
        close_table(&t);
    }
}

static void who_is_asked_too_late_gives_a_legal_move_all_the_same(void **state)
{
    (void)state;
    /* under the thread sanitizer the rules themselves need longer than is left then */
    struct table focus = open_table("focus4", NULL), four = open_table("connectFour", NULL);
    if (!THREADS_WATCHED) play(&focus, "brs", &over);
    play(&four, "alphabeta", &over);
    close_table(&focus);
    close_table(&four);
}

/* Turns by the parity of a counter: no fact tells whose it is. */
static void without_a_fact_that_tells_the_turn_brs_is_paranoid(void **state)
{
    static const char sheet[] =
        "(role a)(role b)(role c)(init (step 0))"
        "(succ 0 1)(succ 1 2)(succ 2 3)(succ 3 4)(succ 4 5)(succ 5 6)(succ 6 7)(succ 7 8)(succ 8 9)"
        "(turn 0 a)(turn 1 b)(turn 2 c)(turn 3 a)(turn 4 b)(turn 5 c)(turn 6 a)(turn 7 b)(turn 8 c)"
        "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))"
        "(<= (next (took ?r ?m)) (does ?r (take ?m)))(<= (next (took ?r ?m)) (true (took ?r ?m)))"
        "(<= (legal ?r (take ?m)) (true (step ?n)) (turn ?n ?r) (succ ?m ?k) (not (taken ?m)))"
        "(<= (taken ?m) (true (took ?r ?m)))"
        "(<= (legal ?r noop) (role ?r) (not (on ?r)))(<= (on ?r) (true (step ?n)) (turn ?n ?r))"
        "(<= terminal (true (step 9)))"
        "(<= (goal ?r 100) (true (took ?r 8)))(<= (goal ?r 0) (role ?r) (not (true (took ?r 8))))";
    (void)state;
    all_say("parity", sheet, &presets[2], 1, "paranoid instead of BRS");
    all_say("parity", sheet, &presets[0], 1, NULL);
}

/* The turn in two facts: one of them alone does not move it. */
static void where_two_facts_tell_the_turn_brs_is_paranoid(void **state)
{
    static const char sheet[] =
        "(role a)(role b)(role c)(after a b)(after b c)(after c a)(init (control a))(init (n 0))"
        "(succ 0 1)(succ 1 2)(succ 2 3)(succ 3 4)(succ 4 5)(succ 5 6)(move x)(move y)(move z)"
        "(turn 0 a)(turn 1 b)(turn 2 c)(turn 3 a)(turn 4 b)(turn 5 c)"
        "(<= (next (n ?b)) (true (n ?a)) (succ ?a ?b))"
        "(<= (next (control ?q)) (true (control ?p)) (after ?p ?q))"
        "(<= (on ?p) (true (control ?p)) (true (n ?n)) (turn ?n ?p))"
        "(<= (legal ?p ?m) (on ?p) (move ?m))(<= (legal ?p noop) (role ?p) (not (on ?p)))"
        "(<= (next (did ?p ?m)) (does ?p ?m))(<= terminal (true (n 6)))"
        "(<= (goal ?p 100) (true (did ?p x)))(<= (goal ?p 0) (role ?p) (not (true (did ?p x))))";
    (void)state;
    all_say("twice", sheet, &presets[2], 1, "paranoid instead of BRS");
}

static void sixty_four_roles_are_not_too_many(void **state)
{
    static char sheet[12000];
    int n = 0;
    (void)state;
    for (int i = 0; i < 64; i++)
        n += snprintf(sheet + n, sizeof sheet - (size_t)n, "(role r%d)(after r%d r%d)(succ %d %d)", i, i,
                      (i + 1) % 64, i, i + 1);
    snprintf(sheet + n, sizeof sheet - (size_t)n,
             "(init (control r0))(init (n 0))(<= (next (control ?q)) (true (control ?p)) (after ?p ?q))"
             "(<= (next (n ?b)) (true (n ?a)) (succ ?a ?b))(<= terminal (true (n 64)))"
             "(<= (legal ?p up) (true (control ?p)))(<= (legal ?p down) (true (control ?p)))"
             "(<= (legal ?p noop) (role ?p) (not (true (control ?p))))"
             "(<= (next (high ?p)) (does ?p up))(<= (next (high ?p)) (true (high ?p)))"
             "(<= (goal ?p 100) (true (high ?p)))(<= (goal ?p 0) (role ?p) (not (true (high ?p))))");
    struct table t = open_table("many", sheet);
    /* learning what 64 roles like takes most of the time: one of them does */
    static const char *const specs[] = {"maxn", "paranoid,eval=goals", "brs,eval=goals",
                                        "alphabeta,eval=goals"};
    for (uint32_t i = THREADS_WATCHED; i < 4; i++) play(&t, specs[i], &counted);
    close_table(&t);
}

/* The deepest that was searched completely at the first move. */
static uint32_t depth_of(const struct table *t, const char *spec, uint64_t steps)
{
    struct error error = {0};
    struct player_config config;
    if (!player_config_parse(spec, &config, &error)) fail_msg("%s: %s", spec, error.text);
    struct player *p = player_new(&config, t->game, t->engine, 0, 1, &error);
    struct budget b = {.steps = steps};
    uint32_t move;
    assert_true(p && player_think(p, &b, &move, &error));
    assert_non_null(player_report(p)->minimax);
    uint32_t depth = player_report(p)->minimax->depth;
    player_free(p);
    return depth;
}

/* A choice, and then a hundred and twenty moves without one: longer than any line that is kept. */
static void depth_has_a_limit_that_was_asked_for_or_the_searches_own(void **state)
{
    static char sheet[6000];
    int n = 0;
    (void)state;
    for (int i = 0; i < 120; i++)
        n += snprintf(sheet + n, sizeof sheet - (size_t)n, "(succ %d %d)", i, i + 1);
    snprintf(sheet + n, sizeof sheet - (size_t)n,
             "(role a)(role b)(role c)(init (n 0))(init (control a))(after a b)(after b c)(after c a)"
             "(<= (next (n ?b)) (true (n ?a)) (succ ?a ?b))(<= terminal (true (n 120)))"
             "(<= (next (control ?q)) (true (control ?p)) (after ?p ?q))"
             "(<= (legal ?p go) (true (control ?p)))(<= (legal a stay) (true (n 0)))"
             "(<= (legal ?p noop) (role ?p) (not (true (control ?p))))"
             "(<= (next (stayed)) (does a stay))(<= (next (stayed)) (true (stayed)))"
             "(<= (goal a 100) (true (stayed)))(<= (goal a 0) (not (true (stayed))))(goal b 50)(goal c 50)");
    struct table t = open_table("deep", sheet);
    for (uint32_t i = 0; i < 4; i++) {
        char spec[40];
        for (uint32_t depth = 1; depth < 96; depth += 31) {
            snprintf(spec, sizeof spec, "%s,table=off,depth=%u", presets[i], depth);
            assert_int_equal(depth_of(&t, spec, 1000000), depth);
        }
        snprintf(spec, sizeof spec, "%s,table=off", presets[i]);
        assert_int_equal(depth_of(&t, spec, 1000000), 96);
    }
    close_table(&t);
}

static void options_are_checked(void **state)
{
    struct player_config config;
    struct error error;
    (void)state;
    assert_true(
        player_config_parse("brs,table=off,history=off,killers=off,eval=goals,depth=5", &config, &error));
    assert_int_equal(config.kind, PLAYER_MINIMAX);
    assert_int_equal(config.minimax, MINIMAX_BRS);
    assert_int_equal(config.depth, 5);
    assert_false(player_config_parse("brs,eval=guess", &config, &error));
    assert_false(player_config_parse("brs,depth=1000", &config, &error));
    assert_false(player_config_parse("maxn,noise=-1", &config, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_without_turns_and_games_for_one_are_left_to_the_tree_search),
        cmocka_unit_test(a_millisecond_is_enough_for_a_legal_move),
        cmocka_unit_test(who_is_asked_too_late_gives_a_legal_move_all_the_same),
        cmocka_unit_test(without_a_fact_that_tells_the_turn_brs_is_paranoid),
        cmocka_unit_test(where_two_facts_tell_the_turn_brs_is_paranoid),
        cmocka_unit_test(sixty_four_roles_are_not_too_many),
        cmocka_unit_test(depth_has_a_limit_that_was_asked_for_or_the_searches_own),
        cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
