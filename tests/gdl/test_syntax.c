// SPDX-License-Identifier: GPL-3.0-or-later
#include "../testing.h"

#include "gdl/syntax.h"
#include "gdl/term.h"
#include "logic/program.h"

struct reading {
    struct heap *heap;
    struct diags diags;
    struct syntax *syntax;
    struct program *program;
};

static struct reading *read_bytes(const char *text, size_t size)
{
    static struct reading r;
    struct heap_guard guard;
    struct error error = {0};
    r = (struct reading){.heap = heap_new(1 << 30)};
    if (!HEAP_ENTER(r.heap, &guard, &error)) fail_msg("%s", error.text);
    struct source *source = source_copy(r.heap, "test.kif", text, size);
    diags_init(&r.diags, r.heap, source);
    r.syntax = syntax_parse(r.heap, source, &r.diags);
    if (!r.diags.errors) r.program = program_build(r.heap, r.syntax, &r.diags);
    heap_leave(r.heap);
    return &r;
}

/* The first remark is `id` at line:column. */
static void expect(const char *text, size_t size, const char *id, uint32_t line, uint32_t column)
{
    struct reading *r = read_bytes(text, size);
    assert_true(r->diags.list.n > 0);
    assert_string_equal(r->diags.list.v[0].id, id);
    struct source_place p = source_place(r->diags.source, r->diags.list.v[0].offset);
    assert_int_equal(p.line, line);
    assert_int_equal(p.column, column);
    heap_free(r->heap);
}
#define EXPECT(text, id, line, column) expect(text, sizeof(text) - 1, id, line, column)

static void syntax_errors_name_their_place(void **state)
{
    EXPECT("(role a)\n(role b", "unbalanced", 2, 1);
    EXPECT("(role a))\n", "unbalanced", 1, 9);
    EXPECT("(role a)\r\n\r\n  (p \xff)", "bad-utf8", 3, 6);
    EXPECT("(role \xc3\xa9\xc3\xa9 a\x01)", "control-character", 1, 11);
    EXPECT("(role \0)", "control-character", 1, 7);
    EXPECT("(<= (p ?) (q ?))", "nameless-variable", 1, 8);
    EXPECT("(<= (p ?x))", "empty-body", 1, 1);
    EXPECT("(<= (true (p 1)) (q 1))", "forbidden-head", 1, 5);
    EXPECT("(<= (p ?x) (q ?y))", "unsafe-head", 1, 5);
    EXPECT("(<= (p ?x) (q ?x) (distinct ?x ?z))", "unsafe-distinct", 1, 19);
    EXPECT("(<= (p ?x) (q ?x) (not (r ?x ?z)))", "unsafe-negation", 1, 24);
    EXPECT("(<= (p ?x) (q ?x) (not (p ?x)))", "unstratified", 1, 24);
    EXPECT("(legal a b c)", "keyword-arity", 1, 1);
}

static void deep_and_huge_input_is_refused(void **state)
{
    size_t size = 50u << 20;
    char *text = malloc(size);
    memset(text, '(', size);
    expect(text, size, "too-deep", 1, SYNTAX_MAX_DEPTH + 1);
    memset(text, 'a', size);
    expect(text, size, "atom-too-long", 1, 1);
    free(text);
}

static void memory_limit_is_an_error_not_a_crash(void **state)
{
    struct heap *heap = heap_new(64 << 10);
    struct heap_guard guard;
    struct error error = {0};
    if (HEAP_ENTER(heap, &guard, &error)) {
        static char text[60000];
        for (size_t i = 0; i + 3 < sizeof text; i += 3) memcpy(text + i, "(a)", 3);
        struct diags diags;
        struct source *source = source_copy(heap, "big", text, sizeof text - 1);
        diags_init(&diags, heap, source);
        syntax_parse(heap, source, &diags);
        fail();
    }
    assert_int_equal(error.code, ERROR_MEMORY);
    heap_free(heap);
}

static void terms_are_hash_consed_and_case_insensitive(void **state)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error = {0};
    if (!HEAP_ENTER(heap, &guard, &error)) fail();
    struct terms *t = terms_new(heap);
    const char *a = "(Cell 1 (f X) +)", *b = "( cell\t1 (F x)\n+ )";
    term x = term_read(t, a, strlen(a), &error), y = term_read(t, b, strlen(b), &error);
    assert_int_not_equal(x, 0);
    assert_int_equal(x, y);
    struct text out;
    text_init(&out, heap);
    term_print(t, y, false, NULL, &out);
    assert_string_equal(out.s, a);
    assert_int_equal(term_read(t, "(a ?x)", 6, &error), 0);
    assert_int_equal(error.code, ERROR_INPUT);
    assert_int_equal(term_read(t, "a b", 3, &error), 0);
    term atom = term_read(t, "noop", 4, &error), list = term_read(t, "(noop)", 6, &error);
    assert_int_equal(atom, list);
    struct terms *copy = terms_clone(heap, t), *fresh = terms_new(heap);
    assert_int_equal(term_read(copy, a, strlen(a), &error), x);
    term moved = term_import(fresh, t, x);
    text_clear(&out);
    term_print(fresh, moved, true, NULL, &out);
    assert_string_equal(out.s, "(cell 1 (f x) +)");
    heap_leave(heap);
    heap_free(heap);
}

static void bodies_are_multiplied_out(void **state)
{
    static const char text[] = "(<= (p ?x) (or (a ?x) (b ?x)) (not (or (c ?x) (not (d ?x)))))"
                               "(<= (q ?x ?y) (a ?x) (b ?y) (not (distinct ?x ?y)))"
                               "(<= (never) (a ?x) (not (distinct 1 2)))";
    struct reading *r = read_bytes(text, sizeof text - 1);
    assert_int_equal(r->diags.errors, 0);
    assert_int_equal(r->program->rules.n, 3); /* two alternatives of p, one q, no never */
    for (int i = 0; i < 2; i++) {
        const struct rule *p = &r->program->rules.v[i];
        assert_int_equal(p->nbody, 3);
        assert_int_equal(p->body[0].kind, LITERAL_POSITIVE);
        assert_int_equal(p->body[1].kind, LITERAL_NEGATIVE);
        assert_int_equal(p->body[2].kind, LITERAL_POSITIVE);
    }
    const struct rule *q = &r->program->rules.v[2];
    assert_int_equal(q->nbody, 2);
    assert_int_equal(q->nvars, 1);
    assert_int_equal(term_arg(r->program->terms, q->head, 0), term_arg(r->program->terms, q->head, 1));
    heap_free(r->heap);
}

/* Each equation doubles the term: forty of them would fill any memory. */
static void equations_cannot_blow_terms_up(void **state)
{
    char text[8192];
    int n = snprintf(text, sizeof text, "(n 1) (<= (p ?x40) (n ?x0)");
    for (int i = 0; i < 40; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " (not (distinct ?x%d (f ?x%d ?x%d)))", i + 1, i, i);
    n += snprintf(text + n, sizeof text - (size_t)n, ")");
    expect(text, (size_t)n, "term-too-large", 1, 7);
}

static void goals_that_exclude_each_other_are_stratified(void **state)
{
    static const char text[] = "(<= (goal ?r 100) (won ?r)) (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))";
    struct reading *r = read_bytes(text, sizeof text - 1);
    assert_int_equal(r->diags.errors, 0);
    assert_int_equal(r->diags.warnings, 1);
    assert_string_equal(r->diags.list.v[0].id, "unstratified-relation");
    assert_int_equal(r->program->relations.v[r->program->keyword[KW_GOAL]].rules.n, 2);
    heap_free(r->heap);
}

/* Two splits are needed, by role and by value; and a variable in the place of the value is a true cycle. */
static void splitting_goes_on_as_long_as_it_helps(void **state)
{
    static const char two[] = "(<= (goal white 100) (won white)) (<= (goal black 100) (won black))"
                              "(<= (goal black 0) (not (goal black 100))) (won white)";
    struct reading *r = read_bytes(two, sizeof two - 1);
    assert_int_equal(r->diags.errors, 0);
    assert_int_equal(r->program->relations.v[r->program->keyword[KW_GOAL]].rules.n, 2);
    heap_free(r->heap);
    EXPECT("(n 1) (<= (goal a 100) (n 1)) (<= (goal a 0) (n ?x) (not (goal a ?x)))", "unstratified", 1, 58);
}

static void dependencies_tell_static_from_dynamic(void **state)
{
    static const char text[] =
        "(succ 1 2) (<= (path ?x ?y) (succ ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (succ ?y ?z))"
        "(<= (on ?x) (true (cell ?x))) (<= (next (cell ?x)) (does ?r (put ?x)) (not (on ?x)))";
    struct reading *r = read_bytes(text, sizeof text - 1);
    const struct program *p = r->program;
    const struct relation *path =
        &p->relations.v[program_find_relation(p, symbol_find(p->terms, "path", 4), 2)];
    const struct relation *on = &p->relations.v[program_find_relation(p, symbol_find(p->terms, "on", 2), 1)];
    const struct relation *next = &p->relations.v[p->keyword[KW_NEXT]];
    assert_true(relation_is_static(path) && path->recursive);
    assert_true(on->needs_true && !on->needs_does && !on->recursive);
    assert_true(next->needs_true && next->needs_does);
    assert_true(next->component > on->component);
    heap_free(r->heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syntax_errors_name_their_place),
        cmocka_unit_test(deep_and_huge_input_is_refused),
        cmocka_unit_test(memory_limit_is_an_error_not_a_crash),
        cmocka_unit_test(terms_are_hash_consed_and_case_insensitive),
        cmocka_unit_test(bodies_are_multiplied_out),
        cmocka_unit_test(equations_cannot_blow_terms_up),
        cmocka_unit_test(goals_that_exclude_each_other_are_stratified),
        cmocka_unit_test(splitting_goes_on_as_long_as_it_helps),
        cmocka_unit_test(dependencies_tell_static_from_dynamic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
