// SPDX-License-Identifier: GPL-3.0-or-later
/* What anybody may rely on who asks a reasoner, shown on the lifted engine. */
#include "../testing.h"

#include "base/rng.h"
#include "game/reasoner.h"

struct fixture {
    struct game *game;
    struct reasoner *r;
    struct state s, t;
    struct list list;
};

static void open_game(struct fixture *f, const char *name, size_t memory)
{
    struct error error = {0};
    memset(f, 0, sizeof *f);
    f->game = game_load(name, 0, NULL, &error);
    if (!f->game) fail_msg("%s", error.text);
    f->r = reasoner_lifted(f->game, memory, &error);
    if (!f->r) fail_msg("%s", error.text);
}

static void close_game(struct fixture *f)
{
    state_done(&f->s);
    state_done(&f->t);
    list_done(&f->list);
    reasoner_free(f->r);
    game_free(f->game);
}

static void open_text(struct fixture *f, const char *text, size_t memory)
{
    struct error error = {0};
    memset(f, 0, sizeof *f);
    f->game = game_from_text("test", text, strlen(text), 0, NULL, &error);
    if (!f->game) fail_msg("%s", error.text);
    f->r = reasoner_lifted(f->game, memory, &error);
    if (!f->r) fail_msg("%s", error.text);
}

static term read_term(struct reasoner *r, const char *text)
{
    struct error error = {0};
    term t = term_read(r->terms, text, strlen(text), &error);
    if (!t) fail_msg("%s", error.text);
    return t;
}

static void play(struct fixture *f, const char *first, const char *second)
{
    uint32_t joint[2];
    assert_true(reasoner_read_move(f->r, 0, first, &joint[0]));
    assert_true(reasoner_read_move(f->r, 1, second, &joint[1]));
    assert_true(f->r->ops->next(f->r, &f->s, joint, &f->t));
    assert_true(state_copy(&f->s, &f->t));
}

static bool has_fact(struct fixture *f, const char *text)
{
    term fact = read_term(f->r, text);
    assert_true(f->r->ops->facts(f->r, &f->s, &f->list));
    for (uint32_t i = 0; i < f->list.n; i++)
        if (f->list.v[i] == fact) return true;
    return false;
}

static void a_game_goes_as_its_rules_say(void **state)
{
    struct fixture f;
    bool end;
    int goal;
    open_game(&f, "ticTacToe", 0);
    assert_true(f.r->ops->initial(f.r, &f.s));
    assert_true(f.r->ops->legal(f.r, &f.s, 0, &f.list));
    assert_int_equal(f.list.n, 9);
    assert_true(f.r->ops->legal(f.r, &f.s, 1, &f.list));
    assert_int_equal(f.list.n, 1);
    play(&f, "(mark 1 1)", "noop");
    assert_true(has_fact(&f, "(cell 1 1 x)"));
    play(&f, "noop", "(mark 2 1)");
    play(&f, "(MARK 1 2)", "NoOp"); /* in any case */
    play(&f, "noop", "(mark 2 2)");
    assert_true(f.r->ops->terminal(f.r, &f.s, &end));
    assert_false(end);
    play(&f, "(mark 1 3)", "noop");
    assert_true(f.r->ops->terminal(f.r, &f.s, &end));
    assert_true(end);
    assert_true(reasoner_goal(f.r, &f.s, 0, &goal));
    assert_int_equal(goal, 100);
    assert_true(reasoner_goal(f.r, &f.s, 1, &goal));
    assert_int_equal(goal, 0);
    close_game(&f);
}

static void facts_come_and_go_one_by_one(void **state)
{
    struct fixture f;
    struct state before = {0};
    open_game(&f, "ticTacToe", 0);
    assert_true(f.r->ops->initial(f.r, &f.s));
    assert_true(state_copy(&before, &f.s));
    term fact = read_term(f.r, "(cell 2 2 x)");
    assert_true(reasoner_add_fact(f.r, &f.s, fact));
    assert_false(state_equal(&f.s, &before));
    assert_true(reasoner_add_fact(f.r, &f.s, fact));
    assert_true(f.r->ops->facts(f.r, &f.s, &f.list));
    uint32_t n = f.list.n;
    assert_true(reasoner_remove_fact(f.r, &f.s, fact));
    assert_true(f.r->ops->facts(f.r, &f.s, &f.list));
    assert_int_equal(f.list.n, n - 1);
    assert_true(state_equal(&f.s, &before));
    assert_int_equal(state_hash(&f.s), state_hash(&before));
    assert_true(reasoner_remove_fact(f.r, &f.s, fact));
    assert_true(state_equal(&f.s, &before));
    state_done(&before);
    close_game(&f);
}

static void the_order_of_facts_does_not_matter(void **state)
{
    struct fixture f;
    open_game(&f, "ticTacToe", 0);
    term facts[4] = {read_term(f.r, "(cell 3 3 o)"), read_term(f.r, "(control xplayer)"),
                     read_term(f.r, "(cell 1 2 x)"), read_term(f.r, "(cell 3 3 o)")};
    term again[3] = {facts[2], facts[0], facts[1]};
    assert_true(f.r->ops->assemble(f.r, facts, 4, &f.s));
    assert_true(f.r->ops->assemble(f.r, again, 3, &f.t));
    assert_true(state_equal(&f.s, &f.t));
    assert_true(f.r->ops->assemble(f.r, NULL, 0, &f.t));
    assert_true(f.r->ops->facts(f.r, &f.t, &f.list));
    assert_int_equal(f.list.n, 0);
    close_game(&f);
}

/* Two reasoners that have seen different games number facts and moves differently. */
static void states_and_moves_are_carried_over(void **state)
{
    struct fixture f, g;
    open_game(&f, "connectFour", 0);
    open_game(&g, "connectFour", 0);
    struct rng rng;
    rng_init(&rng, 5);
    for (int i = 0; i < 300; i++) {
        struct fixture *x = i < 200 ? &f : &g;
        bool end = true;
        if (i > 0 && i != 200) assert_true(x->r->ops->terminal(x->r, &x->s, &end));
        if (end) {
            assert_true(x->r->ops->initial(x->r, &x->s));
            continue;
        }
        uint32_t joint[2];
        for (uint32_t role = 0; role < 2; role++) {
            assert_true(x->r->ops->legal(x->r, &x->s, role, &x->list));
            joint[role] = x->list.v[rng_below(&rng, x->list.n)];
        }
        assert_true(x->r->ops->next(x->r, &x->s, joint, &x->t));
        assert_true(state_copy(&x->s, &x->t));
    }
    struct state there = {0}, back = {0};
    assert_true(reasoner_carry_state(g.r, f.r, &f.s, &there));
    assert_true(reasoner_carry_state(f.r, g.r, &there, &back));
    assert_true(state_equal(&f.s, &back));
    for (uint32_t role = 0; role < 2; role++) {
        assert_true(f.r->ops->legal(f.r, &f.s, role, &f.list));
        assert_true(g.r->ops->legal(g.r, &there, role, &g.list));
        assert_int_equal(f.list.n, g.list.n);
        for (uint32_t i = 0; i < f.list.n; i++) {
            uint32_t move, k = 0;
            assert_true(reasoner_carry_move(g.r, f.r, role, f.list.v[i], &move));
            while (k < g.list.n && g.list.v[k] != move) k++;
            assert_true(k < g.list.n);
        }
    }
    state_done(&there);
    state_done(&back);
    close_game(&f);
    close_game(&g);
}

/* Whatever was asked before, the same state gives the same list. */
static void moves_come_in_an_order_that_depends_on_the_state_only(void **state)
{
    struct fixture f;
    open_game(&f, "checkers", 0);
    struct state seen[40] = {0};
    struct list lists[40] = {0};
    struct rng rng;
    rng_init(&rng, 3);
    assert_true(f.r->ops->initial(f.r, &f.s));
    for (int i = 0; i < 40; i++) {
        uint32_t joint[2];
        assert_true(state_copy(&seen[i], &f.s));
        for (uint32_t role = 0; role < 2; role++) {
            struct list *l = role == 0 ? &lists[i] : &f.list;
            assert_true(f.r->ops->legal(f.r, &f.s, role, l));
            joint[role] = l->v[rng_below(&rng, l->n)];
        }
        assert_true(f.r->ops->next(f.r, &f.s, joint, &f.t));
        assert_true(state_copy(&f.s, &f.t));
    }
    for (int i = 39; i >= 0; i--) {
        bool end;
        if (i % 2) assert_true(f.r->ops->terminal(f.r, &seen[i], &end));
        if (i % 3) assert_true(f.r->ops->legal(f.r, &seen[i], 1, &f.list));
        assert_true(f.r->ops->legal(f.r, &seen[i], 0, &f.list));
        assert_int_equal(f.list.n, lists[i].n);
        assert_memory_equal(f.list.v, lists[i].v, f.list.n * sizeof *f.list.v);
        state_done(&seen[i]);
        list_done(&lists[i]);
    }
    close_game(&f);
}

static void all_goal_values_are_told(void **state)
{
    struct fixture f;
    int goal;
    open_text(&f,
              "(role a) (role b) (init go) (legal a x) (legal b x) (<= terminal (true go))"
              "(goal a 100) (<= (goal a 50) (true go)) (goal a 50)",
              0);
    assert_true(f.r->ops->initial(f.r, &f.s));
    assert_true(f.r->ops->goals(f.r, &f.s, 0, &f.list));
    assert_int_equal(f.list.n, 2);
    assert_int_equal(f.list.v[0], 50);
    assert_int_equal(f.list.v[1], 100);
    assert_true(reasoner_goal(f.r, &f.s, 0, &goal));
    assert_int_equal(goal, GOAL_UNDEFINED);
    assert_true(reasoner_goal(f.r, &f.s, 1, &goal)); /* none at all */
    assert_int_equal(goal, GOAL_UNDEFINED);
    close_game(&f);
}

static void what_is_no_move_is_named(void **state)
{
    struct fixture f;
    uint32_t move;
    open_game(&f, "ticTacToe", 0);
    assert_false(reasoner_read_move(f.r, 0, "(mark 1", &move));
    assert_non_null(strstr(f.r->error.text, "(mark 1"));
    assert_false(reasoner_read_move(f.r, 0, "(mark ?x 1)", &move));
    assert_non_null(strstr(f.r->error.text, "?x"));
    assert_false(reasoner_read_move(f.r, 0, "", &move));
    close_game(&f);
}

/* The move `boom` sets off rules without end; everything else goes on as before. */
static void a_failed_question_leaves_the_reasoner_usable(void **state)
{
    struct fixture f;
    open_text(&f,
              "(role a) (role b) (init (n 0)) (legal a tick) (legal a boom) (legal b x)"
              "(<= (next (n (s ?x))) (true (n ?x)) (does a tick))"
              "(<= (grow ?x ?x) (does a boom) (true (n ?x))) (<= (grow (s ?x) ?x) (grow ?x ?y))"
              "(<= (next (n ?x)) (grow ?x ?y))"
              "(<= terminal (true (n (s (s (s 0)))))) (goal a 0) (goal b 0)",
              (size_t)32 << 20);
    assert_true(f.r->ops->initial(f.r, &f.s));
    for (int i = 0; i < 3; i++) {
        uint32_t joint[2];
        assert_true(reasoner_read_move(f.r, 0, "boom", &joint[0]));
        assert_true(reasoner_read_move(f.r, 1, "x", &joint[1]));
        assert_false(f.r->ops->next(f.r, &f.s, joint, &f.t));
        assert_true(f.r->error.code == ERROR_MEMORY || f.r->error.code == ERROR_TIME);
        play(&f, "tick", "x");
    }
    assert_true(has_fact(&f, "(n (s (s (s 0))))"));
    bool end;
    assert_true(f.r->ops->terminal(f.r, &f.s, &end));
    assert_true(end);
    close_game(&f);
}

/* A few steps, always with the middle move; questions that fail are asked again. A fingerprint of the way. */
static uint64_t short_game(struct fixture *f)
{
    uint64_t way = 0;
    bool good = f->r->ops->initial(f->r, &f->s), end = false;
    for (int step = 0; step < 6 && !end;) {
        uint32_t joint[2] = {0};
        for (uint32_t role = 0; role < 2 && good; role++) {
            good = f->r->ops->legal(f->r, &f->s, role, &f->list);
            if (good) joint[role] = f->list.v[f->list.n / 2];
        }
        good = good && f->r->ops->terminal(f->r, &f->s, &end);
        good = good && (end || f->r->ops->next(f->r, &f->s, joint, &f->t));
        if (good) {
            if (!end) assert_true(state_copy(&f->s, &f->t));
            way = way * 31 + f->list.n + f->s.words;
            step++;
        } else {
            assert_int_equal(f->r->error.code, ERROR_MEMORY);
        }
        good = true;
    }
    return way;
}

/* Let allocations of a short game fail, each in turn: a question fails cleanly or is right, and asked again
 * goes the same way as without failures. */
static void running_out_of_memory_anywhere_does_no_harm(void **state)
{
    static const char *const games[] = {"ticTacToe", "amazons6x6"}; /* the second one has recursion */
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        open_game(&f, games[i], 0);
        uint64_t expected = short_game(&f);
        close_game(&f);
        bool struck = true;
        for (long n = 1; struck; n += 1 + n / 64) {
            open_game(&f, games[i], 0);
            heap_inject_failure(n);
            assert_int_equal(short_game(&f), expected);
            struck = !heap_injection_pending();
            heap_inject_failure(0);
            close_game(&f);
        }
    }
}

static void setting_up_without_memory_fails_with_a_reason(void **state)
{
    struct error error = {0};
    struct game *game = game_load("amazons6x6", 0, NULL, &error);
    assert_non_null(game);
    bool struck = true;
    for (long n = 1; struck; n += 1 + n / 16) {
        heap_inject_failure(n);
        struct reasoner *r = reasoner_lifted(game, 0, &error);
        struck = !heap_injection_pending();
        heap_inject_failure(0);
        if (!r) assert_int_equal(error.code, ERROR_MEMORY);
        reasoner_free(r);
    }
    assert_null(reasoner_lifted(game, 1000, &error));
    assert_int_equal(error.code, ERROR_MEMORY);
    game_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_game_goes_as_its_rules_say),
        cmocka_unit_test(facts_come_and_go_one_by_one),
        cmocka_unit_test(the_order_of_facts_does_not_matter),
        cmocka_unit_test(states_and_moves_are_carried_over),
        cmocka_unit_test(moves_come_in_an_order_that_depends_on_the_state_only),
        cmocka_unit_test(all_goal_values_are_told),
        cmocka_unit_test(what_is_no_move_is_named),
        cmocka_unit_test(a_failed_question_leaves_the_reasoner_usable),
        cmocka_unit_test(running_out_of_memory_anywhere_does_no_harm),
        cmocka_unit_test(setting_up_without_memory_fails_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
