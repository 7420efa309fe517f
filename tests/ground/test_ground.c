// SPDX-License-Identifier: GPL-3.0-or-later
/* What the ground program of small sheets looks like, and what happens when the grounder is stopped. */
#include "../testing.h"

#include "base/clock.h"
#include "evaluate.h"

#include <stdio.h>

/* A sheet that is ground, and an evaluator for it. */
struct fixture {
    struct heap *heap;
    struct ground *ground;
    struct evaluator e;
    struct heap_guard guard, inner;
    struct error error;
};

static void setup(struct fixture *f, const char *sheet, const struct ground_limits *limits)
{
    *f = (struct fixture){.heap = heap_new(0)};
    if (!HEAP_ENTER(f->heap, &f->guard, &f->error)) fail_msg("%s", f->error.text);
    f->ground =
        ground_sheet(f->heap, source_copy(f->heap, "sheet", sheet, strlen(sheet)), limits, NULL, &f->error);
    if (!f->ground) fail_msg("%s", f->error.text);
    evaluator_init(&f->e, f->heap, f->ground);
    memcpy(f->e.value, f->ground->init, f->ground->nfacts);
    if (!HEAP_ENTER(f->ground->heap, &f->inner, &f->error)) fail_msg("%s", f->error.text);
}

static void teardown(struct fixture *f)
{
    ground_free(f->ground);
    heap_free(f->heap);
}

static term read(struct fixture *f, const char *text)
{
    term x = term_read(f->ground->terms, text, strlen(text), &f->error);
    if (!x) fail_msg("%s", f->error.text);
    return x;
}

/* The atom of that name, or GROUND_NONE. */
static uint32_t find_atom(struct fixture *f, const char *text)
{
    term x = read(f, text);
    for (uint32_t a = 0; a < f->ground->natoms; a++)
        if (f->ground->atom[a] == x) return a;
    return GROUND_NONE;
}

static bool holds(struct fixture *f, const char *text)
{
    uint32_t a = find_atom(f, text);
    return a != GROUND_NONE && f->e.value[a];
}

static uint32_t count_rules(struct fixture *f, const char *text)
{
    uint32_t a = find_atom(f, text), n = 0;
    for (uint32_t i = 0; i < f->ground->rules.n; i++) n += f->ground->rules.v[i].head == a;
    return n;
}

/* Make one move per role, given as `does` atoms. */
static void move(struct fixture *f, const char *const *moves, uint32_t n)
{
    const struct ground *g = f->ground;
    memset(f->e.value + g->nfacts, 0, g->natoms - g->nfacts);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_not_equal(find_atom(f, moves[i]), GROUND_NONE);
        f->e.value[find_atom(f, moves[i])] = true;
    }
    evaluator_run(&f->e);
    bool *next = heap_alloc(f->heap, g->nfacts + 1);
    for (uint32_t a = 0; a < g->nfacts; a++) next[a] = g->next[a] != GROUND_NONE && f->e.value[g->next[a]];
    memcpy(f->e.value, next, g->nfacts);
    memset(f->e.value + g->nfacts, 0, g->natoms - g->nfacts);
    evaluator_run(&f->e);
}

#define ONE_ROLE \
    "(role you) (<= terminal (true over)) (goal you 100) (init start) (<= (legal you wait) (true start)) "

static void static_relations_are_gone(void **state)
{
    struct fixture f;
    setup(&f,
          ONE_ROLE "(edge 1 2) (edge 2 3) (<= (far ?x ?y) (edge ?x ?z) (edge ?z ?y) (not (edge ?x ?y)))"
                   "(<= (legal you (go ?x ?y)) (true start) (far ?x ?y))"
                   "(<= (next (at ?y)) (does you (go ?x ?y)) (distinct ?x ?y))",
          NULL);
    evaluator_run(&f.e);
    assert_true(holds(&f, "(legal you (go 1 3))"));
    assert_int_equal(f.ground->move_base[1] - f.ground->move_base[0], 2); /* wait, (go 1 3) */
    for (uint32_t a = 0; a < f.ground->natoms; a++) {
        symbol head = term_get(f.ground->terms, f.ground->atom[a])->head;
        assert_true(head > 0 && head < KW_COUNT);
    }
    teardown(&f);
}

static void literals_on_impossible_atoms_are_removed(void **state)
{
    struct fixture f;
    setup(&f,
          ONE_ROLE "(<= (legal you jump) (true (moon ?x)))" /* never */
                   "(<= (legal you run) (true start) (not (true (moon 1))))",
          NULL);
    evaluator_run(&f.e);
    assert_int_equal(find_atom(&f, "(legal you jump)"), GROUND_NONE);
    assert_true(holds(&f, "(legal you run)"));
    uint32_t run = find_atom(&f, "(legal you run)");
    for (uint32_t i = 0; i < f.ground->rules.n; i++)
        if (f.ground->rules.v[i].head == run) assert_int_equal(f.ground->rules.v[i].n, 1);
    teardown(&f);
}

static void strangers_have_neither_moves_nor_goals(void **state)
{
    struct fixture f;
    setup(&f,
          ONE_ROLE
          "(<= (legal stranger wait) (true start)) (goal stranger 100) (goal you many)"
          "(<= (next over) (does stranger wait)) (<= (next over) (legal stranger wait) (does you wait))",
          NULL);
    assert_int_equal(f.ground->nroles, 1);
    assert_int_equal(f.ground->move_base[1] - f.ground->move_base[0], 1);
    assert_int_equal(f.ground->goals.n, 1);
    assert_int_equal(f.ground->goals.v[0].value, 100);
    assert_int_equal(find_atom(&f, "(does stranger wait)"), GROUND_NONE);
    move(&f, (const char *[]){"(does you wait)"}, 1);
    assert_true(holds(&f, "(true over)"));
    assert_true(holds(&f, "terminal"));
    teardown(&f);
}

/* Facts and moves may be variables, and terms may be nested. */
static void whole_facts_and_nested_terms(void **state)
{
    struct fixture f;
    setup(&f,
          "(role you) (role me) (init (at (pos 1 (row 2)) you)) (init (at (pos 2 (row 1)) me)) (init idle)"
          "(<= (legal ?r (push ?p)) (true (at ?p ?r))) (<= (legal ?r pass) (role ?r))"
          "(num 1) (num 2)"
          "(<= (turns (pos ?x (row ?y)) (pos ?y (row ?x))) (num ?x) (num ?y))"
          "(<= (gone (at ?p ?r)) (does ?r (push ?p)))"
          "(<= (gone idle) (does ?r ?m) (distinct ?m pass))"
          "(<= (next ?fact) (true ?fact) (not (gone ?fact)))"
          "(<= (next (at ?q ?r)) (does ?r (push ?p)) (turns ?p ?q))"
          "(<= (next (did ?m)) (does me ?m))"
          "(<= terminal (true (did (push (pos ?x ?y))))) (<= (goal ?r 50) (role ?r))",
          NULL);
    evaluator_run(&f.e);
    assert_true(holds(&f, "(legal you (push (pos 1 (row 2))))"));
    move(&f, (const char *[]){"(does you (push (pos 1 (row 2))))", "(does me pass)"}, 2);
    assert_true(holds(&f, "(true (at (pos 2 (row 1)) you))"));
    assert_true(holds(&f, "(true (at (pos 2 (row 1)) me))"));
    assert_false(holds(&f, "(true (at (pos 1 (row 2)) you))"));
    assert_false(holds(&f, "(true idle)"));
    assert_true(holds(&f, "(true (did pass))"));
    assert_false(holds(&f, "terminal"));
    move(&f, (const char *[]){"(does you pass)", "(does me (push (pos 2 (row 1))))"}, 2);
    assert_true(holds(&f, "(true (at (pos 1 (row 2)) me))"));
    assert_true(holds(&f, "terminal"));
    teardown(&f);
}

static void recursion_is_the_least_fixpoint(void **state)
{
    struct fixture f;
    setup(&f,
          ONE_ROLE
          "(num 1) (num 2) (num 3) (init (road 1 2)) (init (road 3 3))"
          "(<= (next (road ?x ?y)) (does you (build ?x ?y))) (<= (next (road ?x ?y)) (true (road ?x ?y)))"
          "(<= (next start) (true start))"
          "(<= (legal you (build ?x ?y)) (num ?x) (num ?y) (not (path ?x ?y)))"
          "(<= (path ?x ?y) (true (road ?x ?y))) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))",
          NULL);
    evaluator_run(&f.e);
    assert_false(holds(&f, "(legal you (build 1 2))"));
    assert_true(holds(&f, "(legal you (build 1 3))")); /* path 1 3 supports itself only */
    move(&f, (const char *[]){"(does you (build 2 3))"}, 1);
    assert_false(holds(&f, "(legal you (build 1 3))"));
    assert_true(holds(&f, "(legal you (build 3 1))"));
    teardown(&f);
}

/* A fact that is only passed on is as good as static, and still a fact. */
static void frozen_facts_leave_the_bodies(void **state)
{
    struct fixture f;
    setup(&f,
          ONE_ROLE "(init (wall 1)) (num 1) (num 2) (<= (next (wall ?x)) (true (wall ?x)))"
                   "(<= (legal you (go ?x)) (num ?x) (not (true (wall ?x))))",
          NULL);
    assert_int_equal(find_atom(&f, "(legal you (go 1))"), GROUND_NONE);
    assert_int_equal(count_rules(&f, "(legal you (go 2))"), 1);
    move(&f, (const char *[]){"(does you wait)"}, 1);
    assert_true(holds(&f, "(true (wall 1))"));
    teardown(&f);
}

/* 12 variables of 10 values each: plainly a million million instances. */
static void variables_that_multiply_are_split(void **state)
{
    struct fixture f;
    setup(
        &f,
        ONE_ROLE
        "(n 0) (n 1) (n 2) (n 3) (n 4) (n 5) (n 6) (n 7) (n 8) (n 9)"
        "(<= (legal you (put ?x ?y)) (n ?x) (n ?y)) (<= (next (on ?x ?y)) (does you (put ?x ?y)))"
        "(<= (next (on ?x ?y)) (true (on ?x ?y)))"
        "(<= (next over) (true (on 0 ?a)) (true (on 1 ?b)) (true (on 2 ?c)) (true (on 3 ?d)) (true (on 4 ?e))"
        " (true (on 5 ?f)) (true (on 6 ?g)) (true (on 7 ?h)) (distinct ?a ?b) (distinct ?b ?c) (distinct ?c "
        "?d)"
        " (distinct ?d ?e) (distinct ?e ?f) (distinct ?f ?g) (distinct ?g ?h)"
        " (true (on ?h ?i)) (true (on ?i ?j)) (true (on ?j ?k)) (true (on ?k ?l)))",
        &(struct ground_limits){.bytes = 64 << 20});
    assert_true(f.ground->rules.n < 20000);
    teardown(&f);
}

/* Three of 64 pieces that share one of two attributes: some 15,000 threes, which are never listed. */
static void relations_are_written_out_where_clauses_come_apart(void **state)
{
    struct fixture f;
    setup(&f,
          ONE_ROLE "(n 0) (n 1) (n 2) (n 3) (cell 1) (cell 2) (cell 3)"
                   "(<= (has (piece ?a ?b) 1 ?a) (n ?a) (n ?b)) (<= (has (piece ?a ?b) 2 ?b) (n ?a) (n ?b))"
                   "(<= (alike ?p ?q ?r) (has ?p ?k ?v) (has ?q ?k ?v) (has ?r ?k ?v))"
                   "(<= (legal you (put ?c ?p)) (cell ?c) (has ?p 1 ?v))"
                   "(<= (next (on ?c ?p)) (does you (put ?c ?p))) (<= (next (on ?c ?p)) (true (on ?c ?p)))"
                   "(<= line (true (on 1 ?p)) (true (on 2 ?q)) (true (on 3 ?r)) (alike ?p ?q ?r))"
                   "(<= (next over) line)",
          NULL);
    assert_true(f.ground->rules.n < 2000);
    move(&f, (const char *[]){"(does you (put 1 (piece 0 2)))"}, 1);
    move(&f, (const char *[]){"(does you (put 2 (piece 3 2)))"}, 1);
    move(&f, (const char *[]){"(does you (put 3 (piece 3 1)))"}, 1);
    assert_false(holds(&f, "line"));
    move(&f, (const char *[]){"(does you (put 3 (piece 1 2)))"}, 1);
    assert_true(holds(&f, "line"));
    teardown(&f);
}

/* The count of one in a chain of any start is never asked for any start but 0. */
static void relations_are_computed_on_demand(void **state)
{
    struct text sheet;
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error;
    if (!HEAP_ENTER(heap, &guard, &error)) fail();
    text_init(&sheet, heap);
    text_puts(&sheet,
              ONE_ROLE "(<= (legal you (mark ?x)) (n ?x)) (<= (next (marked ?x)) (does you (mark ?x)))"
                       "(<= (next (marked ?x)) (true (marked ?x)))"
                       "(<= (count n0 ?k ?m) (true (marked n0)) (+1 ?k ?m))"
                       "(<= (count n0 ?k ?k) (n ?k) (not (true (marked n0))))"
                       "(<= (count ?x ?k ?m) (+1 ?w ?x) (true (marked ?x)) (+1 ?k ?l) (count ?w ?l ?m))"
                       "(<= (count ?x ?k ?m) (+1 ?w ?x) (not (true (marked ?x))) (count ?w ?k ?m))"
                       "(<= (next over) (count n40 n0 n30))");
    for (int i = 0; i < 80; i++) text_printf(&sheet, " (n n%d) (+1 n%d n%d)", i, i, i + 1);
    struct fixture f;
    setup(&f, sheet.s, &(struct ground_limits){.large_table = 1000});
    assert_true(f.ground->rules.n < 60000);
    assert_int_not_equal(find_atom(&f, "(next over)"), GROUND_NONE);
    assert_int_equal(find_atom(&f, "(count n40 n7 n30)"), GROUND_NONE);
    teardown(&f);
    heap_free(heap);
}

static void any_arity(void **state)
{
    struct text sheet;
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error;
    if (!HEAP_ENTER(heap, &guard, &error)) fail();
    text_init(&sheet, heap);
    text_puts(&sheet, ONE_ROLE "(init (wide");
    for (int i = 0; i < 100; i++) text_printf(&sheet, " %d", i % 7);
    text_puts(&sheet, ")) (<= (next (narrow ?v99 ?v70 ?v5)) (true (wide");
    for (int i = 0; i < 100; i++) text_printf(&sheet, " ?v%d", i);
    text_puts(&sheet, ")) (same ?v99 ?v1)) (same 1 1) (same 0 1)");
    struct fixture f;
    setup(&f, sheet.s, NULL);
    move(&f, (const char *[]){"(does you wait)"}, 1);
    assert_true(holds(&f, "(true (narrow 1 0 5))"));
    teardown(&f);
    heap_free(heap);
}

/* A game whose numbers never end. */
static const char endless[] = ONE_ROLE "(init (n zero)) (<= (next (n (s ?x))) (true (n ?x)) (does you wait))";
/* Wider in every step, but not deep. */
static const char broad[] =
    ONE_ROLE "(init (n zero)) (<= (next (n (p ?x ?y))) (true (n ?x)) (true (n ?y)) (does you wait))";

static struct ground *try(const char *sheet, const struct ground_limits *limits, struct ground_report *report,
                          struct error *error)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct ground *volatile g = NULL;
    if (HEAP_ENTER(heap, &guard, error)) {
        g = ground_sheet(heap, source_copy(heap, "sheet", sheet, strlen(sheet)), limits, report, error);
        heap_leave(heap);
    }
    heap_free(heap);
    return g;
}

static void limits_stop_it(void **state)
{
    struct error error = {0};
    struct ground_report report;
    /* terms that are nested deeper and deeper need no limit */
    assert_null(try(endless, NULL, &report, &error));
    assert_non_null(strstr(error.text, "s grows without end"));
    assert_null(try(broad, &(struct ground_limits){.bytes = 1 << 20}, &report, &error));
    assert_int_equal(error.code, ERROR_MEMORY);
    assert_string_equal(report.stage, "possible atoms");
    assert_string_equal(report.worst, "next");
    assert_true(report.tuples > 100);
    assert_true(report.peak_bytes <= 2 << 20);
    assert_null(try(broad, &(struct ground_limits){.seconds = 0.02, .bytes = 1 << 30}, &report, &error));
    assert_int_equal(error.code, ERROR_TIME);
    atomic_bool cancel = true;
    assert_null(try(broad, &(struct ground_limits){.cancel = &cancel, .bytes = 1 << 30}, &report, &error));
    assert_int_equal(error.code, ERROR_CANCELLED);
}

/* Let every allocation fail once, as far as the first few hundred and a sample of the others go. */
static void allocation_failures_are_clean_errors(void **state)
{
    static const char *const sheets[] = {
        ONE_ROLE
        "(init (at (pos 1 2))) (<= (next ?f) (true ?f) (not (does you (push ?f))))"
        "(<= (legal you (push ?f)) (true ?f)) (d 1) (d 2) (d 3) (<= (e ?x ?y) (d ?x) (d ?y) (distinct ?x ?y))"
        "(<= (next (at (pos ?y ?z))) (true (at (pos ?x ?y))) (e ?x ?z) (e ?z ?w) (not (e ?w ?w)) (f ?w ?x))"
        "(<= (f ?x ?y) (e ?x ?y)) (<= (f ?x ?z) (f ?x ?y) (e ?y ?z))"};
    struct ground_limits limits = {.split_instances = 3, .large_table = 3, .patience = 20};
    struct ground_report report;
    struct error error = {0};
    for (uint32_t s = 0; s < sizeof sheets / sizeof *sheets; s++) {
        uint32_t failed = 0;
        for (long n = 1;; n += n < 500 ? 1 : 7) {
            struct heap *heap = heap_new(0);
            struct heap_guard guard;
            volatile bool pending = false;
            struct ground *volatile g = NULL;
            if (HEAP_ENTER(heap, &guard, &error)) {
                struct diags diags;
                struct source *source = source_copy(heap, "sheet", sheets[s], strlen(sheets[s]));
                diags_init(&diags, heap, source);
                struct program *program = program_build(heap, syntax_parse(heap, source, &diags), &diags);
                error_clear(&error);
                heap_inject_failure(n);
                g = ground_build(program, &limits, &report, &error);
                pending = heap_injection_pending();
                heap_inject_failure(0);
                heap_leave(heap);
            }
            if (!g) {
                assert_int_equal(error.code, ERROR_MEMORY);
                assert_true(error.text[0]);
                failed++;
            }
            assert_true(!g == !pending);
            ground_free(g);
            heap_free(heap);
            if (pending) break;
        }
        assert_true(failed > 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(static_relations_are_gone),
        cmocka_unit_test(literals_on_impossible_atoms_are_removed),
        cmocka_unit_test(strangers_have_neither_moves_nor_goals),
        cmocka_unit_test(whole_facts_and_nested_terms),
        cmocka_unit_test(recursion_is_the_least_fixpoint),
        cmocka_unit_test(frozen_facts_leave_the_bodies),
        cmocka_unit_test(variables_that_multiply_are_split),
        cmocka_unit_test(relations_are_written_out_where_clauses_come_apart),
        cmocka_unit_test(relations_are_computed_on_demand),
        cmocka_unit_test(any_arity),
        cmocka_unit_test(limits_stop_it),
        cmocka_unit_test(allocation_failures_are_clean_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
