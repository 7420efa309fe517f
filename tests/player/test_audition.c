// SPDX-License-Identifier: GPL-3.0-or-later
/* Matches on the start clock: they find who is better, are the same every time where simulations are counted,
 * and end when the clock or somebody else says so. */
#include "../testing.h"

#include "player/audition_internal.h"
#include "player/player_internal.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

struct fixture {
    struct game *game;
    struct engine *engine;
};

static void open_game(struct fixture *f, const char *name)
{
    struct error error = {0};
    f->game = game_load(name, 0, NULL, &error);
    if (!f->game) fail_msg("%s", error.text);
    f->engine = engine_start(f->game, NULL, &error);
    assert_non_null(f->engine);
    assert_int_equal(engine_wait(f->engine, -1), ENGINE_READY);
}

static void close_game(struct fixture *f)
{
    engine_free(f->engine);
    game_free(f->game);
}

static struct player *sit(const struct fixture *f, const char *spec)
{
    struct error error = {0};
    struct player_config config;
    struct player *p = NULL;
    if (!player_config_parse(spec, &config, &error) ||
        !(p = player_new(&config, f->game, f->engine, 0, 3, &error)))
        fail_msg("%s", error.text);
    return p;
}

static void start(struct player *p, const struct budget *budget)
{
    struct error error = {0};
    if (!player_start(p, budget, &error)) fail_msg("%s", error.text);
}

static void every_arm_can_be_named(void **state)
{
    const struct player_option *o = player_options;
    char all[200] = "off|auto";
    while (strcmp(o->name, "arm") != 0) o++;
    for (uint32_t i = 0; i < player_arms_count(); i++) {
        struct player_config config;
        struct error error = {0};
        if (!player_config_parse("champion", &config, &error) || !player_arm_apply(&config, i, &error))
            fail_msg("%s: %s", player_arms[i].name, error.text);
        strcat(strcat(all, "|"), player_arms[i].name);
    }
    assert_string_equal(o->choices, all);
    assert_true(player_arms_count() <= ARMS_MOST);
}

/* Where nothing is known of the others, none of them is taken without a match. */
static void nobody_is_taken_for_nothing(void **state)
{
    for (uint32_t i = 1; i < player_arms_count(); i++) {
        struct arm_signs signs = {.speed = 1, .foreseen = true, .decided = 1};
        assert_true(player_arms[i].expected(&signs) < 0.55);
    }
}

/* More speed, and an evaluation that explains more, are never worth less; what is expected is a share. */
static void what_is_expected_grows_with_what_speaks_for_it(void **state)
{
    for (uint32_t i = 0; i < player_arms_count(); i++) {
        double before = 0;
        for (int k = 0; k <= 10; k++) {
            struct arm_signs signs = {.speed = 0.01 + 0.5 * k, .explains = 0.1 * k};
            double expected = player_arms[i].expected(&signs);
            assert_true(expected > 0 && expected < 1 && expected >= before);
            before = expected;
        }
    }
}

static uint32_t arm_called(const char *name)
{
    uint32_t i = 0;
    while (strcmp(player_arms[i].name, name) != 0) i++;
    return i;
}

static double expected(const char *arm, struct arm_signs signs)
{
    return player_arms[arm_called(arm)].expected(&signs);
}

/* However fast they are, uniform playouts are not heard where pieces are turned; an evaluation that is made
 * for such games is believed at once, others where pieces move about. */
static void what_pieces_do_is_looked_at(void **state)
{
    static const char *const uniform[] = {"rave", "many"};
    struct arm_signs still = {.speed = 9}, turns = {.speed = 9, .turns = true},
                     travels = {.speed = 9, .travels = true};
    for (uint32_t i = 0; i < 2; i++) {
        double swing = player_arms[arm_called(uniform[i])].swing;
        assert_true(expected(uniform[i], turns) + swing < 0.42);
        assert_true(expected(uniform[i], travels) < expected(uniform[i], still) - 0.1);
    }
    struct arm_signs seen = {.speed = 1, .foreseen = true}, shaped = seen;
    shaped.shaped = true;
    assert_true(expected("minimax", seen) < 0.55 && expected("minimax", shaped) > 0.6);
}

/* All of them know what kind of game it is, not only those who judge positions. */
static void everybody_knows_the_game(void **state)
{
    static const struct {
        const char *game;
        bool turns, travels;
    } games[] = {{"othello", true, false}, {"breakthrough", false, true}, {"connect5", false, false}};
    for (uint32_t k = 0; k < sizeof games / sizeof *games; k++) {
        struct fixture f;
        open_game(&f, games[k].game);
        struct player *p = sit(&f, "champion");
        start(p, &(struct budget){.simulations = 4000});
        const struct audition_report *a = player_audition(p);
        assert_true(a->arms > 0);
        for (uint32_t i = 0; i < a->arms; i++) {
            assert_int_equal(a->arm[i].signs.turns, games[k].turns);
            assert_int_equal(a->arm[i].signs.travels, games[k].travels);
        }
        player_free(p);
        close_game(&f);
    }
}

/* A named arm is the player's own from the beginning. */
static void a_named_arm_is_played(void **state)
{
    struct fixture f;
    open_game(&f, "ticTacToe");
    struct player *p = sit(&f, "champion,arm=rave");
    assert_int_equal(player_config(p)->playout, PLAYOUT_UNIFORM);
    assert_int_equal(player_config(p)->rave, 500);
    player_free(p);
    struct budget budget = {.simulations = 500};
    struct error error = {0};
    uint32_t move;
    p = sit(&f, "champion,arm=minimax");
    assert_true(player_think(p, &budget, &move, &error));
    assert_non_null(player_report(p)->minimax);
    player_free(p);
    close_game(&f);
}

/* In Knightthrough uniform playouts lose against any that learn. */
static void the_better_one_is_found(void **state)
{
    struct fixture f;
    struct audition_report first;
    struct budget budget = {.simulations = 60000};
    if (THREADS_WATCHED) skip(); /* they are one thread's */
    open_game(&f, "knightthrough");
    for (int round = 0; round < 2; round++) {
        struct player *p = sit(&f, "cadia2007,arm=auto");
        start(p, &budget);
        const struct audition_report *a = player_audition(p);
        assert_true(a->arms == player_arms_count() && a->simulations > 0);
        assert_true(a->chosen && a->arm[a->chosen].points > 0.7 * a->arm[a->chosen].games);
        assert_string_not_equal(player_arms[a->chosen].name, "rave"); /* uniform, too */
        for (uint32_t i = 0; i < a->arms; i++) /* positions are no simulations: by the clock only */
            assert_true(strcmp(player_arms[i].name, "minimax") != 0 || a->arm[i].games == 0);
        if (round == 0) first = *a;
        for (uint32_t i = 0; i < a->arms; i++) {
            assert_int_equal(a->arm[i].games, first.arm[i].games);
            assert_true(a->arm[i].points == first.arm[i].points);
        }
        player_free(p);
    }
    close_game(&f);
}

static void it_is_held_once_and_only_where_there_is_a_choice(void **state)
{
    struct fixture f;
    struct budget budget = {.simulations = 3000};
    open_game(&f, "ticTacToe");
    struct player *p = sit(&f, "champion,arm=auto");
    start(p, &budget);
    double seconds = player_audition(p)->seconds;
    assert_true(player_audition(p)->held);
    start(p, &budget);
    assert_true(player_audition(p)->seconds == seconds);
    player_free(p);
    p = sit(&f, "champion,arm=off");
    start(p, &budget);
    assert_false(player_audition(p)->held);
    player_free(p);
    p = sit(&f, "random,arm=auto");
    start(p, &budget);
    assert_false(player_audition(p)->held);
    player_free(p);
    close_game(&f);
    open_game(&f, "eightPuzzle");
    p = sit(&f, "cadia2007,arm=auto");
    start(p, &budget);
    assert_false(player_audition(p)->held);
    player_free(p);
    close_game(&f);
}

/* Who borrows thinks with the lender's tables, or with its minimax search, and leaves them to it. */
static void what_is_borrowed_is_given_back(void **state)
{
    static const char *const specs[] = {"nst,threads=1", "champion,arm=cutoff,threads=1",
                                        "alphabeta,depth=3"};
    struct fixture f;
    struct budget budget = {.simulations = 300};
    struct error error = {0};
    open_game(&f, "connectFour");
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct player *lender = sit(&f, specs[i]);
        uint32_t move;
        assert_true(player_think(lender, &budget, &move, &error));
        for (int round = 0; round < 3; round++) {
            struct player *p = sit(&f, specs[i]);
            player_borrow(p, lender);
            assert_true(player_think(p, &budget, &move, &error));
            assert_true(player_report(p)->stats.simulations > 0 || round > 0);
            assert_ptr_equal(player_report(p)->minimax, player_report(lender)->minimax);
            player_free(p);
            assert_true(player_think(lender, &budget, &move, &error));
        }
        player_free(lender);
    }
    close_game(&f);
}

/* A match of Checkers takes longer than this clock: none is played, and the clock is kept. */
static void the_clock_is_kept(void **state)
{
    struct fixture f;
    open_game(&f, "checkers");
    struct player *p = sit(&f, "champion,arm=auto,threads=2");
    double began = clock_now();
    struct budget budget = {.deadline = began + 0.05};
    start(p, &budget);
    assert_int_equal(player_audition(p)->simulations, 0);
    assert_true(clock_now() - began < 5); /* a busy machine may be late, but not by a match */
    player_free(p);
    close_game(&f);
}

/* Whoever is heard, on two threads: a clock of a second is over when a match of these has just begun. */
static void nobody_who_is_heard_is_late(void **state)
{
    static const char *const games[] = {"hex", "othello", "speedChess", "chineseCheckersStar3"};
    for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct fixture f;
        open_game(&f, games[i]);
        struct player *p = sit(&f, "champion,threads=2");
        double began = clock_now();
        struct budget budget = {.deadline = began + 1};
        start(p, &budget);
        double late = clock_now() - began - 1;
        if (late > (THREADS_WATCHED ? 30 : 2)) fail_msg("%s: %.2f s late", games[i], late);
        assert_true(player_audition(p)->held);
        player_free(p);
        close_game(&f);
    }
}

/* Many threads that get ready for matches leave less time to each; who has found out by then what positions
 * are worth can be chosen all the same. */
static void threads_keep_nobody_out(void **state)
{
    struct fixture f;
    open_game(&f, "checkers");
    struct player *p = sit(&f, "champion,threads=12");
    struct budget budget = {.deadline = clock_now() + 3};
    start(p, &budget);
    const struct audition_report *a = player_audition(p);
    uint32_t judges = 0;
    for (uint32_t i = 1; i < player_arms_count(); i++) {
        if (a->arm[i].signs.explains <= 0.2) continue; /* on a slow machine it may have had no time at all */
        assert_true(a->arm[i].heard);
        judges++;
    }
    if (!judges) print_message("nobody had time to find out what positions are worth\n");
    player_free(p);
    close_game(&f);
}

/* Matches with few simulations are kinder than the clock to minimax where playouts see wins coming, unless
 * its evaluation knows much, and to who plays out many times; and to nobody who is like the player itself. */
static void what_few_simulations_flatter_counts_less(void **state)
{
    struct audition *a = calloc(1, sizeof *a);
    struct error error = {0};
    uint32_t minimax = arm_called("minimax"), many = arm_called("many"), rave = arm_called("rave"),
             judge = arm_called("judge");
    for (uint32_t i = 0; i < player_arms_count(); i++) {
        assert_true(player_config_parse("champion", &a->configs[i], &error));
        assert_true(player_arm_apply(&a->configs[i], i, &error));
        a->signs[i] = (struct arm_signs){.speed = 1, .explains = 0.05, .foreseen = true};
        a->expected[i] = 0.48;
        a->points[i] = 12;
        a->games[i] = 16;
    }
    double enough = queue_expects(a, 0);
    assert_true(queue_expects(a, minimax) < enough && queue_expects(a, many) < enough);
    assert_true(queue_expects(a, rave) > enough);
    assert_true(queue_expects(a, judge) < enough);
    a->signs[judge].travels = true;
    assert_true(queue_expects(a, judge) > enough);
    a->signs[minimax].explains = 0.4;
    assert_true(queue_expects(a, minimax) > enough);
    a->signs[minimax] = (struct arm_signs){.speed = 1, .travels = true};
    assert_true(queue_expects(a, minimax) > enough);
    a->signs[minimax] = (struct arm_signs){.speed = 1};
    assert_true(queue_expects(a, minimax) < enough);
    a->signs[minimax].explains = 0.2;
    assert_true(queue_expects(a, minimax) > enough);
    a->signs[minimax] = (struct arm_signs){.speed = 1, .shaped = true};
    assert_true(queue_expects(a, minimax) > enough);
    /* The nearer a match comes to what there will be in play, the less so. */
    a->signs[minimax] = (struct arm_signs){.speed = 1, .foreseen = true};
    a->sims = 100;
    double last = 0;
    for (a->real = 10000; a->real > 50; a->real /= 2) {
        assert_true(queue_expects(a, minimax) > last && queue_expects(a, many) < 0.68);
        last = queue_expects(a, minimax);
        if (a->real <= 200) break;
    }
    a->real = 100;
    assert_true(fabs(queue_expects(a, minimax) - queue_expects(a, rave)) < 1e-9);
    a->real = 0;
    a->points[many] = 16;
    assert_true(queue_expects(a, many) > enough);
    free(a);
}

/* By the clock those on the wires are looked at, and of minimax what is for so many players (whether it has
 * found out about the game is a matter of time). */
static void the_candidates_are_those_for_the_game(void **state)
{
    static const struct {
        const char *game, *heard, *not ;
    } cases[] = {{"connectFour", "minimax", "brs"}, {"ttcc4ThreePlayers", "brs", "minimax"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        open_game(&f, cases[i].game);
        struct player *p = sit(&f, "champion,threads=1");
        struct budget budget = {.deadline = clock_now() + 2};
        start(p, &budget);
        const struct audition_report *a = player_audition(p);
        assert_false(a->arm[arm_called(cases[i].not )].heard);
        assert_true(a->arm[arm_called("wires")].heard && a->arm[arm_called("many")].heard);
        assert_true(a->arm[arm_called("many")].signs.speed > 0);
        player_free(p);
        close_game(&f);
    }
}

/* With FAST each role has a view of its own where all others are against it: nobody borrows another's. */
static void bouts_borrow_what_is_of_their_role(void **state)
{
    static const struct {
        const char *spec;
        bool by_role;
    } cases[] = {{"cadia2010", true}, {"fast", true}, {"fast,goals=own", false}, {"cadia2008", false}};
    struct fixture f;
    struct error error = {0};
    open_game(&f, "ttcc4ThreePlayers");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct audition *a = calloc(1, sizeof *a);
        struct stage s;
        *a = (struct audition){.game = f.game,
                               .engine = f.engine,
                               .arms = 1,
                               .limit = 100,
                               .lanes = 1,
                               .wired = 1,
                               .most = 1,
                               .threads = 1};
        pthread_mutex_init(&a->lock, NULL);
        assert_true(player_config_parse(cases[i].spec, &a->configs[0], &error));
        if (!stage_init(&s, a, &error)) fail_msg("%s", error.text);
        stages_prepare(&s, 1);
        struct bout *b = bout_new(&s, 0, 0, 1, &error);
        assert_non_null(b);
        for (uint32_t role = 0; role < f.game->nroles; role++)
            assert_int_equal(b->players[role]->lender->role, cases[i].by_role ? role : 0);
        bout_free(b, f.game->nroles);
        stage_done(&s);
        pthread_mutex_destroy(&a->lock);
        free(a);
    }
    close_game(&f);
}

/* What positions are worth is found out once: the player goes on with it, also when it was stopped before it
 * could. */
static void what_was_found_out_is_handed_over(void **state)
{
    struct fixture f;
    struct budget budget = {.simulations = 2000};
    struct error error = {0};
    atomic_bool stop = true;
    open_game(&f, "breakthrough");
    struct player *p = sit(&f, "cadia2007,implicit=0.4,arm=auto");
    start(p, &budget);
    const struct judgement *found = player_audition(p)->judgement;
    assert_non_null(found);
    assert_ptr_equal(player_judgement(p), found);
    assert_ptr_equal(player_search(p)->opt.judgement, found);
    player_drop_search(p); /* as when the way of searching changes */
    struct budget stopped = {.simulations = 10, .stop = &stop};
    player_ponder(p, &stopped, &error);
    assert_null(player_search(p));
    budget.simulations = 10;
    assert_true(player_ponder(p, &budget, &error));
    assert_ptr_equal(player_judgement(p), found);
    assert_ptr_equal(player_search(p)->opt.judgement, found);
    player_free(p);
    close_game(&f);
}

static void *stop_soon(void *flag)
{
    usleep(200000);
    atomic_store((atomic_bool *)flag, true);
    return NULL;
}

static void it_stops_when_told(void **state)
{
    struct fixture f;
    atomic_bool stop = false;
    pthread_t thread;
    open_game(&f, "othello");
    struct player *p = sit(&f, "champion,arm=auto,threads=2");
    struct budget budget = {.deadline = clock_now() + 600, .stop = &stop};
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, &stop), 0);
    double began = clock_now();
    struct error error;
    player_start(p, &budget, &error);
    assert_true(clock_now() - began < 60);
    pthread_join(thread, NULL);
    player_free(p);
    close_game(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_arm_can_be_named),
        cmocka_unit_test(nobody_is_taken_for_nothing),
        cmocka_unit_test(what_is_expected_grows_with_what_speaks_for_it),
        cmocka_unit_test(what_pieces_do_is_looked_at),
        cmocka_unit_test(everybody_knows_the_game),
        cmocka_unit_test(a_named_arm_is_played),
        cmocka_unit_test(the_better_one_is_found),
        cmocka_unit_test(what_is_borrowed_is_given_back),
        cmocka_unit_test(it_is_held_once_and_only_where_there_is_a_choice),
        cmocka_unit_test(the_clock_is_kept),
        cmocka_unit_test(what_few_simulations_flatter_counts_less),
        cmocka_unit_test(nobody_who_is_heard_is_late),
        cmocka_unit_test(threads_keep_nobody_out),
        cmocka_unit_test(the_candidates_are_those_for_the_game),
        cmocka_unit_test(bouts_borrow_what_is_of_their_role),
        cmocka_unit_test(what_was_found_out_is_handed_over),
        cmocka_unit_test(it_stops_when_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
