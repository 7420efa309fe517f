// SPDX-License-Identifier: GPL-3.0-or-later
/* The lifted engine by small programs that each ask for one thing: what `next` derives from the rules is
 * compared with what the rules say. */
#include "../testing.h"

#include "game/game.h"
#include "logic/lifted.h"

/* The facts after (does white go) in the initial state, sorted, one blank between them. */
static char *after_go(const char *rules, struct error *error)
{
    struct text sheet, out;
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    char *result = NULL;
    if (!HEAP_ENTER(heap, &guard, error)) fail();
    text_init(&sheet, heap);
    text_init(&out, heap);
    text_puts(&sheet,
              "(role white) (init start) (legal white go) (<= terminal (true never)) (goal white 0)\n");
    text_puts(&sheet, rules);
    struct game *game = game_from_text("test", sheet.s, sheet.n, 0, NULL, error);
    if (!game) fail_msg("%s", error->text);
    struct lifted_limits limits = {.memory = (size_t)64 << 20, .seconds = 20};
    struct lifted *e = lifted_new(game->program, &limits, error);
    struct lifted_list facts;
    term move = e ? term_read(lifted_terms(e), "go", 2, error) : 0;
    if (e && lifted_next(e, game->roles, &move, 1, &facts, error)) {
        char *lines[1000];
        uint32_t n = 0;
        for (uint32_t i = 0; i < facts.n && n < 1000; i++) {
            struct text t;
            text_init(&t, heap);
            term_print(lifted_terms(e), lifted_fact_term(e, facts.v[i]), true, NULL, &t);
            uint32_t k = n++;
            for (; k > 0 && strcmp(lines[k - 1], t.s) > 0; k--) lines[k] = lines[k - 1];
            lines[k] = t.s;
        }
        for (uint32_t i = 0; i < n; i++) text_printf(&out, "%s%s", i ? " " : "", lines[i]);
        result = strdup(text_str(&out));
    }
    lifted_free(e);
    game_free(game);
    heap_leave(heap);
    heap_free(heap);
    return result;
}

static void gives(const char *rules, const char *expected)
{
    struct error error = {0};
    char *got = after_go(rules, &error);
    if (!got) fail_msg("%s\nfor %s", error.text, rules);
    assert_string_equal(got, expected);
    free(got);
}

static void facts_and_moves_are_seen(void **state)
{
    gives("(<= (next (was ?x)) (true ?x)) (<= (next (did ?r ?m)) (does ?r ?m))",
          "(did white go) (was start)");
    gives("(<= (next a) (true start)) (<= (next b) (true stop)) (<= (next c) (not (true stop)))", "a c");
    gives("(<= (next a) (does white go)) (<= (next b) (not (does white stay)))", "a b");
}

static void joins_bind_and_compare(void **state)
{
    gives("(edge a b) (edge b c) (edge c a) (edge c c)"
          "(<= (next (loop ?x)) (edge ?x ?x))"
          "(<= (next (path ?x ?z)) (edge ?x ?y) (edge ?y ?z) (distinct ?x ?z))",
          "(loop c) (path a c) (path b a) (path b c) (path c a) (path c b)");
    gives("(init (p (f 1 2))) (init (p (f 2 2))) (init (p (g 1)))"
          "(<= (next (q ?x)) (true (p (f ?x ?y))) (true (p (g ?z))) (distinct ?x ?z))"
          "(<= (next (r ?x)) (true (p (f ?x ?x))))",
          "(q 2) (r 2)");
}

static void recursion_reaches_the_fixpoint(void **state)
{
    /* left, right and doubly recursive, over the state */
    const char *expected = "(reach a a) (reach a b) (reach a c) (reach a d) (reach b a) (reach b b) "
                           "(reach b c) (reach b d) (reach c a) (reach c b) (reach c c) (reach c d)";
    const char *edges = "(init (edge a b)) (init (edge b c)) (init (edge c a)) (init (edge c d))"
                        "(<= (next (reach ?x ?y)) (reach ?x ?y)) (<= (reach ?x ?y) (true (edge ?x ?y)))";
    static const char *const steps[] = {
        "(<= (reach ?x ?z) (reach ?x ?y) (true (edge ?y ?z)))",
        "(<= (reach ?x ?z) (true (edge ?x ?y)) (reach ?y ?z))",
        "(<= (reach ?x ?z) (reach ?x ?y) (reach ?y ?z))",
    };
    for (size_t i = 0; i < 3; i++) {
        char rules[1000];
        snprintf(rules, sizeof rules, "%s%s", edges, steps[i]);
        gives(rules, expected);
    }
}

static void mutual_recursion_with_negation_below(void **state)
{
    gives("(init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (bad 3)"
          "(<= (even 0) (true start))"
          "(<= (even ?y) (succ ?x ?y) (odd ?x))"
          "(<= (odd ?y) (succ ?x ?y) (even ?x) (not (bad ?y)))"
          "(<= (next (even ?x)) (even ?x)) (<= (next (odd ?x)) (odd ?x))",
          "(even 0) (even 2) (odd 1)");
}

/* Ground calls end early when true; what they had opened must be worked out again when asked for. */
static void early_truth_does_not_spoil_other_calls(void **state)
{
    gives("(init (edge a b)) (init (edge b c)) (init (edge c d)) (init (edge d a)) (init (edge b d))"
          "(<= (link ?x ?y) (true (edge ?x ?y)))"
          "(<= (link ?x ?y) (link ?x ?z) (link ?z ?y))"
          "(<= (next yes) (link a d))"
          "(<= (next (from ?x ?y)) (link ?x ?y) (true (edge ?y a)))"
          "(<= (next back) (link d c) (link c b) (link b a))",
          "(from a d) (from b d) (from c d) (from d d) back yes");
}

static void deep_recursion_needs_no_stack(void **state)
{
    /* a chain of a hundred thousand ground calls */
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error;
    if (!HEAP_ENTER(heap, &guard, &error)) fail();
    struct text t;
    text_init(&t, heap);
    for (int i = 0; i < 100000; i++) text_printf(&t, "(s %d %d)", i, i + 1);
    text_puts(&t,
              "(<= (down 0) (true start)) (<= (down ?x) (s ?y ?x) (down ?y)) (<= (next ok) (down 100000))");
    gives(t.s, "ok");
    heap_leave(heap);
    heap_free(heap);
}

/* Relations with one short rule are written out where they are called: these are the traps of that. */
static void short_rules_mean_the_same_written_out(void **state)
{
    const char *board = "(init (cell 1 x)) (init (cell 2 x)) (init (cell 2 o)) (place 1) (place 2) (place 3)"
                        "(<= (taken ?p) (true (cell ?p ?any)))"
                        "(<= (open ?p) (place ?p) (not (taken ?p)))"
                        "(<= (moved ?m) (does ?r (go ?m)))"
                        "(<= (twice ?p) (true (cell ?p ?a)) (true (cell ?p ?b)) (distinct ?a ?b))"
                        "(<= (same ?a ?a) (place ?a))";
    static const char *const cases[][2] = {
        {"(<= (next (free ?p)) (open ?p))", "(free 3)"},
        {"(<= (next (not_open ?p)) (place ?p) (not (open ?p)))", "(not_open 1) (not_open 2)"},
        {"(<= (next (still ?p)) (place ?p) (not (moved ?p)))", "(still 1) (still 2) (still 3)"},
        {"(<= (next (once ?p)) (taken ?p) (not (twice ?p)))", "(once 1)"},
        {"(<= (next (eq ?a ?b)) (place ?a) (place ?b) (same ?a ?b))", "(eq 1 1) (eq 2 2) (eq 3 3)"},
        {"(<= (next (ne ?a)) (place ?a) (not (same ?a 2)))", "(ne 1) (ne 3)"},
        {"(<= (next (pair ?p ?q)) (taken ?p) (taken ?q) (open ?r))",
         "(pair 1 1) (pair 1 2) (pair 2 1) (pair 2 2)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char rules[2000];
        snprintf(rules, sizeof rules, "%s%s", board, cases[i][0]);
        gives(rules, cases[i][1]);
    }
}

static void many_arguments(void **state)
{
    gives("(init (w 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30))"
          "(<= (r ?a ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l ?m ?n ?o ?p ?q ?r ?s ?t ?u ?v ?w ?x ?y ?z ?1 ?2 ?3 ?4)"
          "    (true (w ?a ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l ?m ?n ?o ?p ?q ?r ?s ?t ?u ?v ?w ?x ?y ?z ?1 ?2 "
          "?3 ?4)))"
          "(<= (next (last ?4)) (r ?a 2 ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l ?m ?n ?o ?p ?q ?r ?s ?t ?u ?v ?w ?x ?y "
          "?z ?1 ?2 29 ?4))",
          "(last 30)");
}

static void endless_rules_end_in_an_error(void **state)
{
    static const char *const endless[] = {
        "(<= (n (s ?x)) (n ?x)) (<= (n 0) (true start)) (<= (next (got ?x)) (n ?x))",
        "(<= (n (s ?x)) (n ?x)) (n 0) (<= (next (got ?x)) (n ?x))",
        "(<= (p (f ?x ?y)) (p ?x) (p ?y)) (<= (p a) (true start)) (<= (next (got ?x)) (p ?x))",
        "(<= (up ?x) (true start) (up (s ?x))) (<= (next ok) (up 0))",
    };
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        struct error error = {0};
        char *got = after_go(endless[i], &error);
        assert_null(got);
        assert_true(error.code == ERROR_MEMORY || error.code == ERROR_TIME);
    }
}

/* A static relation that is infinite when asked for as a whole can be fine when asked about one thing. */
static void infinite_relations_are_proved_on_demand(void **state)
{
    gives("(<= (size nil 0)) (less 0 1) (less 1 2) (less 2 3)"
          "(list nil) (<= (list (cons ?x ?l)) (item ?x) (list ?l)) (item a) (item b)"
          "(init (held (cons a (cons b nil)))) (init (held (cons c nil)))"
          "(<= (next (good ?l)) (true (held ?l)) (list ?l))",
          "(good (cons a (cons b nil)))");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_and_moves_are_seen),
        cmocka_unit_test(joins_bind_and_compare),
        cmocka_unit_test(recursion_reaches_the_fixpoint),
        cmocka_unit_test(mutual_recursion_with_negation_below),
        cmocka_unit_test(early_truth_does_not_spoil_other_calls),
        cmocka_unit_test(deep_recursion_needs_no_stack),
        cmocka_unit_test(short_rules_mean_the_same_written_out),
        cmocka_unit_test(many_arguments),
        cmocka_unit_test(endless_rules_end_in_an_error),
        cmocka_unit_test(infinite_relations_are_proved_on_demand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
