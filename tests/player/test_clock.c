// SPDX-License-Identifier: GPL-3.0-or-later
/* A player answers in time whatever the rules are like, stops when told to, and goes on where it was.
 *
 * The games here have a relation `hard` that would take hours to find false: fourteen pigeons, thirteen
 * holes. That a test ends at all shows that the question was broken off. */
#include "../testing.h"

#include "base/text.h"
#include "player/player.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { PIGEONS = 14 };

/* The head of every sheet: a counter, the holes (facts, so that nothing is known before the game begins), and
 * `hard`. */
static char *sheet_of(const char *rules)
{
    static char sheet[20000];
    int n = snprintf(sheet, sizeof sheet,
                     "(role robot) (init (step 0)) (init lamp)\n"
                     "(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)\n"
                     "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))\n"
                     "(<= (next (hole ?h)) (true (hole ?h)))\n(<= hard");
#define ADD(...) n += snprintf(sheet + n, sizeof sheet - (size_t)n, __VA_ARGS__)
    for (int i = 0; i < PIGEONS; i++) ADD(" (true (hole ?p%d))", i);
    for (int i = 0; i < PIGEONS; i++)
        for (int k = 0; k < i; k++) ADD(" (distinct ?p%d ?p%d)", k, i);
    ADD(")\n");
    for (int i = 1; i < PIGEONS; i++) ADD("(init (hole h%d))", i);
    ADD("%s", rules);
#undef ADD
    return sheet;
}

struct fixture {
    struct game *game;
    struct player *player;
    struct reasoner *referee; /* for moves and states to tell the player */
};

static void open_player(struct fixture *f, const char *text, const char *spec)
{
    struct error error = {0};
    struct player_config config;
    f->game = text ? game_from_text("slow", text, strlen(text), 0, NULL, &error)
                   : game_load("breakthrough", 0, NULL, &error);
    if (!f->game || !player_config_parse(spec, &config, &error)) fail_msg("%s", error.text);
    f->player = player_new(&config, f->game, NULL, 0, 1, &error);
    f->referee = reasoner_lifted(f->game, 0, &error);
    if (!f->player || !f->referee) fail_msg("%s", error.text);
}

static void close_player(struct fixture *f)
{
    player_free(f->player);
    reasoner_free(f->referee);
    game_free(f->game);
}

/* What the player says within so many seconds; "" if nothing. */
static const char *answer_in(struct fixture *f, double seconds)
{
    static char answer[200];
    struct error error = {0};
    struct budget b = {.deadline = clock_now() + seconds};
    uint32_t move;
    answer[0] = '\0';
    if (!player_think(f->player, &b, &move, &error)) {
        assert_int_equal(error.code, ERROR_TIME);
        return answer;
    }
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    if (!HEAP_ENTER(heap, &guard, &error)) fail_msg("%s", error.text);
    struct text t;
    text_init(&t, heap);
    reasoner_print_move(player_reasoner(f->player), 0, move, true, &t);
    snprintf(answer, sizeof answer, "%s", text_str(&t));
    heap_leave(heap);
    heap_free(heap);
    return answer;
}

static void announce(struct fixture *f, const char *text)
{
    struct error error = {0};
    uint32_t move;
    assert_true(reasoner_read_move(f->referee, 0, text, &move));
    assert_true(player_advance(f->player, f->referee, &move, &error));
}

static void assert_one_of(const char *answer, const char *a, const char *b)
{
    if (strcmp(answer, a) && strcmp(answer, b)) fail_msg("'%s' is neither %s nor %s", answer, a, b);
}

#define END "(<= terminal (true (step 3))) (goal robot 100)"

static void legal_moves_found_so_far_are_played(void **state)
{
    (void)state;
    struct fixture f;
    open_player(&f, sheet_of("(legal robot wait) (<= (legal robot try) hard)" END), "champion");
    assert_string_equal(answer_in(&f, 0.1), "wait");
    assert_int_equal(player_report(f.player)->trouble.code, ERROR_TIME);
    close_player(&f);
}

static void when_no_legal_move_is_found_one_from_before_is_guessed(void **state)
{
    (void)state;
    struct fixture f;
    open_player(&f,
                sheet_of("(<= (legal robot go) (true (step 0)))"
                         "(<= (legal robot go) (not hard) (true (step ?n)) (succ ?m ?n))" END),
                "champion");
    assert_string_equal(answer_in(&f, 0.1), "go");
    announce(&f, "go");
    assert_string_equal(answer_in(&f, 0.1), "go");
    assert_int_equal(player_report(f.player)->trouble.code, ERROR_TIME);
    close_player(&f);
}

static void without_any_knowledge_it_says_so_in_time(void **state)
{
    (void)state;
    struct fixture f;
    open_player(&f, sheet_of("(<= (legal robot go) (not hard))" END), "champion");
    assert_string_equal(answer_in(&f, 0.1), "");
    close_player(&f);
}

/* Each of the others has a move in hand, whatever is slow, and whatever the player wants to find out first.
 */
static void slow_rules_do_not_make_a_player_late(void **state)
{
    (void)state;
    static const char *const rules[] = {
        "(legal robot a) (legal robot b) (<= (next won) hard)" END,
        "(legal robot a) (legal robot b) (<= terminal hard) (goal robot 100)",
        "(legal robot a) (legal robot b) (<= terminal (true (step 1))) (<= (goal robot 100) hard)"
        "(<= (goal robot 0) (not hard))",
    };
    static const char *const players[] = {"champion",  "cadia2007",    "nst",           "cadia2010",
                                          "cadia2012", "fast,lanes=4", "ary2007",       "ida",
                                          "plan",      "nested",       "cadia2007-solo"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (size_t k = 0; k < sizeof players / sizeof *players; k++) {
            struct fixture f;
            open_player(&f, sheet_of(rules[i]), players[k]);
            assert_one_of(answer_in(&f, 0.05), "a", "b");
            assert_one_of(answer_in(&f, 0.05), "a", "b"); /* and again, with what is left of the first time */
            close_player(&f);
        }
}

static void moves_are_announced_in_no_time_and_made_later(void **state)
{
    (void)state;
    struct fixture f;
    struct error error = {0};
    /* Switching the lamp off makes everything easy. */
    open_player(&f,
                sheet_of("(legal robot keep) (legal robot off) (<= (next lamp) (true lamp) (does robot keep))"
                         "(<= (next won) (true lamp) (does robot keep) hard)"
                         "(<= (legal robot more) (not (true lamp)))" END),
                "champion,solver=off,puzzle=off"); /* which would soon know all there is to know */
    announce(&f, "off");
    assert_string_not_equal(answer_in(&f, 0.3), "");
    announce(&f, "keep"); /* the lamp is off: not hard */
    uint32_t move;
    assert_true(player_think(f.player, &(struct budget){.simulations = 20}, &move, &error));
    assert_int_equal(player_report(f.player)->trouble.code, ERROR_NONE);
    assert_int_equal(player_report(f.player)->stats.simulations, 20);
    close_player(&f);
}

static void a_move_that_takes_too_long_is_made_when_there_is_time(void **state)
{
    (void)state;
    struct fixture f;
    struct error error = {0};
    open_player(&f, sheet_of("(legal robot a) (legal robot b) (<= (next won) hard)" END),
                "champion,puzzle=off");
    assert_one_of(answer_in(&f, 0.05), "a", "b");
    announce(&f, "a");
    assert_one_of(answer_in(&f, 0.05), "a", "b");
    assert_int_equal(player_report(f.player)->trouble.code, ERROR_TIME);
    /* Somewhere else it is as good as new. */
    struct state s = {0};
    assert_true(f.referee->ops->initial(f.referee, &s));
    assert_true(reasoner_remove_fact(f.referee, &s, term_read(f.referee->terms, "(hole h1)", 9, &error)));
    for (int i = 2; i < PIGEONS; i++) {
        char fact[20];
        int n = snprintf(fact, sizeof fact, "(hole h%d)", i);
        assert_true(
            reasoner_remove_fact(f.referee, &s, term_read(f.referee->terms, fact, (size_t)n, &error)));
    }
    assert_true(player_goto(f.player, f.referee, &s, &error));
    uint32_t move;
    assert_true(player_think(f.player, &(struct budget){.simulations = 50}, &move, &error));
    assert_int_equal(player_report(f.player)->stats.simulations, 50);
    assert_int_equal(player_report(f.player)->trouble.code, ERROR_NONE);
    state_done(&s);
    close_player(&f);
}

/* --- Stopping ------------------------------------------------------------------------------------------- */

struct pondering {
    struct player *player;
    atomic_bool stop;
    bool good;
    struct error error;
};

static void *ponder(void *data)
{
    struct pondering *p = data;
    p->good = player_ponder(p->player, &(struct budget){.stop = &p->stop}, &p->error);
    return NULL;
}

static void ponder_for(struct pondering *p, struct player *player, unsigned microseconds)
{
    pthread_t thread;
    *p = (struct pondering){.player = player};
    atomic_init(&p->stop, false);
    assert_int_equal(pthread_create(&thread, NULL, ponder, p), 0);
    usleep(microseconds);
    atomic_store(&p->stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void pondering_is_stopped_by_another_thread_and_its_tree_kept(void **state)
{
    (void)state;
    struct fixture f;
    struct error error = {0};
    struct pondering p;
    open_player(&f, NULL, "champion");
    uint32_t before = 0, move;
    while (before < 20) { /* as long as it takes on a busy machine */
        ponder_for(&p, f.player, 50000);
        assert_true(p.good || p.error.code == ERROR_CANCELLED);
        assert_true(player_report(f.player)->nodes >= before || player_report(f.player)->nodes == 0);
        if (player_report(f.player)->nodes > before) before = player_report(f.player)->nodes;
    }
    assert_true(player_think(f.player, &(struct budget){.simulations = 10}, &move, &error));
    assert_true(player_report(f.player)->nodes >= before);
    assert_int_equal(player_report(f.player)->stats.simulations, 10);
    close_player(&f);
}

static void pondering_over_slow_rules_is_stopped_too(void **state)
{
    (void)state;
    static const char *const rules[] = {
        "(legal robot a) (legal robot b) (<= (next won) hard)" END,
        "(<= (legal robot a) (not hard))" END,
        "(legal robot a) (<= terminal hard) (goal robot 100)",
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct fixture f;
        struct pondering p;
        open_player(&f, sheet_of(rules[i]), "cadia2012");
        ponder_for(&p, f.player, 20000);
        ponder_for(&p, f.player, 20000);
        ponder_for(&p, f.player, 0);
        close_player(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legal_moves_found_so_far_are_played),
        cmocka_unit_test(when_no_legal_move_is_found_one_from_before_is_guessed),
        cmocka_unit_test(without_any_knowledge_it_says_so_in_time),
        cmocka_unit_test(slow_rules_do_not_make_a_player_late),
        cmocka_unit_test(moves_are_announced_in_no_time_and_made_later),
        cmocka_unit_test(a_move_that_takes_too_long_is_made_when_there_is_time),
        cmocka_unit_test(pondering_is_stopped_by_another_thread_and_its_tree_kept),
        cmocka_unit_test(pondering_over_slow_rules_is_stopped_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
