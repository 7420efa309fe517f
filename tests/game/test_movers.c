// SPDX-License-Identifier: GPL-3.0-or-later
/* Whose move it was: found where turns are odd, and only there. Which moves never are a choice. */
#include "../testing.h"

#include "game/engine.h"
#include "game/playout.h"

static struct game *open_game(const char *name, struct engine **engine)
{
    struct error error = {0};
    struct game *game = game_load(name, 0, NULL, &error);
    if (!game) fail_msg("%s", error.text);
    *engine = engine_start(game, NULL, &error);
    assert_non_null(*engine);
    assert_int_equal(engine_wait(*engine, -1), ENGINE_READY);
    return game;
}

static void only_odd_turns_need_it(void **state)
{
    static const struct {
        const char *name;
        bool odd;
    } games[] = {
        {"amazons6x6", true}, /* a queen, then her arrow */
        {"merrills", true},   /* a mill, then a man is taken */
        {"breakthrough", false}, {"ttcc4ThreePlayers", false},
        {"chinook", false},     /* several choose at once */
        {"eightPuzzle", false}, /* nobody else is there */
    };
    for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct engine *engine;
        struct game *game = open_game(games[i].name, &engine);
        if ((engine_movers(engine, 0) != NULL) != games[i].odd)
            fail_msg("%s: turns are %s", games[i].name, games[i].odd ? "odd" : "not odd");
        engine_free(engine);
        game_free(game);
    }
}

/* In Amazons the mover is who has a choice, and the other idles, all through a game. */
static void the_mover_is_who_did_something(void **state)
{
    struct engine *engine;
    struct game *game = open_game("amazons6x6", &engine);
    const struct movers *m = engine_movers(engine, 0);
    struct error error = {0};
    struct reasoner *r = reasoner_circuit(game, engine_code(engine), &error);
    struct playout p;
    uint32_t twice = 0, before = 2;
    assert_non_null(m);
    assert_true(r && playout_init(&p, r) && playout_begin(&p, 7, 7));
    while (!p.terminal) {
        uint32_t chooser = p.legal[0].n > 1 ? 0 : p.legal[1].n > 1 ? 1 : 2;
        playout_choose(&p);
        uint32_t who = movers_who(m, p.joint, 2);
        if (chooser < 2) assert_int_equal(who, chooser);
        twice += who == before;
        before = who;
        assert_true(playout_move(&p));
    }
    assert_in_range(twice, p.ply / 2 - 1, p.ply / 2 + 1);
    playout_done(&p);
    reasoner_free(r);
    engine_free(engine);
    game_free(game);
}

static void several_or_nobody_leave_it_to_the_order(void **state)
{
    struct {
        struct movers m;
        uint32_t idle[3];
    } x = {{.nroles = 3}, {5, 5, 6}};
    assert_int_equal(movers_who(&x.m, (uint32_t[]){5, 1, 6}, 9), 1);
    assert_int_equal(movers_who(&x.m, (uint32_t[]){5, 5, 6}, 9), 9);
    assert_int_equal(movers_who(&x.m, (uint32_t[]){1, 5, 5}, 9), 9);
}

/* What is called a lone move is legal alone whenever it is; waiting is one, passing is not. */
static void lone_moves_are_never_a_choice(void **state)
{
    static const struct {
        const char *name;
        uint32_t waits; /* lone moves of the first role */
    } games[] = {{"breakthrough", 1}, {"checkers", 1}, {"connect5", 1},
                 {"ttcc4", 0},        {"chinook", 0},  {"eightPuzzle", 0}};
    for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct engine *engine;
        struct game *game = open_game(games[i].name, &engine);
        const struct lone_moves *lone = engine_lone_moves(engine);
        struct error error = {0};
        struct reasoner *r = reasoner_circuit(game, engine_code(engine), &error);
        struct playout p;
        assert_true(lone && r && playout_init(&p, r));
        uint32_t n = 0;
        for (uint32_t m = lone->base[0]; m < lone->base[1]; m++) n += lone->is[m];
        if (n != games[i].waits) fail_msg("%s: %u lone moves", games[i].name, n);
        for (uint32_t g = 0; g < 5; g++)
            for (assert_true(playout_begin(&p, 3, g)); !p.terminal;
                 playout_choose(&p), assert_true(playout_move(&p)))
                for (uint32_t role = 0; role < game->nroles; role++)
                    for (uint32_t k = 0; k < p.legal[role].n; k++)
                        if (is_lone_move(lone, role, p.legal[role].v[k]))
                            assert_int_equal(p.legal[role].n, 1);
        playout_done(&p);
        reasoner_free(r);
        engine_free(engine);
        game_free(game);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_odd_turns_need_it),
        cmocka_unit_test(the_mover_is_who_did_something),
        cmocka_unit_test(several_or_nobody_leave_it_to_the_order),
        cmocka_unit_test(lone_moves_are_never_a_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
