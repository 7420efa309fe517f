// SPDX-License-Identifier: GPL-3.0-or-later
/* What the searches for games for one are made of: the states of both engines, orders of moves that are left
 * out, the relaxation, tables. */
#include "workbench.h"

#include "../../legal.h"

#include "search/puzzle/commute.h"
#include "search/puzzle/ticking.h"
#include "search/puzzle/trail.h"

/* --- States and orders of moves ------------------------------------------------------------------------ */

static void drop(struct frontier *f, struct line *line, struct space *space)
{
    method_free(&f->base);
    line_done(line);
    space_free(space);
}

static void both_engines_meet_the_same_states(void **state)
{
    static const char *const games[] = {"hanoi", "blocksWorld", "pmcTrap"};
    (void)state;
    for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct bench b = open_bench(games[i]);
        struct error error;
        struct line one, two;
        struct space *s = space_new(b.circuit, b.code, &b.root, true, 0, 1, &error);
        struct space *t = space_new(b.lifted, NULL, &b.lifted_root, true, (size_t)1 << 28, 1, &error);
        struct frontier *f = explore(s, &one), *g = explore(t, &two);
        assert_int_equal(f->states.n, g->states.n);
        assert_int_equal(f->depth, g->depth);
        assert_int_equal(one.goal, two.goal);
        assert_int_equal(one.n, two.n);
        drop(f, &one, s);
        drop(g, &two, t);
        close_bench(&b);
    }
}

static uint64_t presses(const struct frontier *f)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->states.n; i++) sum += states_path(&f->states, i, NULL);
    return sum;
}

/* Whatever is said to be superfluous after a move is: in many of the states met. */
static void check_skips(struct reasoner *r, const struct frontier *f)
{
    struct state s = {0}, l_made = {0}, m_made = {0}, lm = {0}, ml = {0};
    uint32_t checked = 0, nmoves = f->commute.nmoves;
    assert_true(r->ops->initial(r, &s));
    for (uint32_t i = 0; i < f->states.n; i += 13) {
        memcpy(s.w, states_row(&f->states, i), s.words * 8);
        for (uint32_t l = 0; l < nmoves; l++) {
            if (!legal_in(r, &s, 0, l)) continue;
            assert_true(r->ops->next(r, &s, &l, &l_made));
            for (uint32_t m = 0; m <= l; m++) {
                if (!(commute_skip(&f->commute, l)[m / 64] >> m % 64 & 1)) continue;
                if (!legal_in(r, &l_made, 0, m)) continue;
                assert_true(r->ops->next(r, &l_made, &m, &lm));
                assert_true(m == l || legal_in(r, &s, 0, m));
                if (m != l) assert_true(r->ops->next(r, &s, &m, &m_made));
                if (m != l) assert_true(legal_in(r, &m_made, 0, l) && r->ops->next(r, &m_made, &l, &ml));
                assert_true(state_equal(&lm, m == l ? &s : &ml));
                checked++;
            }
        }
    }
    assert_true(checked > 500);
    state_done(&s);
    state_done(&l_made);
    state_done(&m_made);
    state_done(&lm);
    state_done(&ml);
}

/* Lamps and what can be done with them, as a search meets them that leaves orders out and as one does that
 * tries everything: the same states, as deep, with as good a line. */
static void leaving_out_orders(const char *moves, const char *end, bool fewer)
{
    char text[4000];
    struct error error;
    struct line one, two;
    snprintf(text, sizeof text,
             "(role p) (lamp 1) (lamp 2) (lamp 3) (lamp 4) (lamp 5) (lamp 6) (lamp 7) (lamp 8) (lamp 9)"
             "(lamp 10) (lamp 11) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7)"
             "(after 7 8) (after 8 9) (after 9 10) (after 10 11) (<= (base (lit ?x)) (lamp ?x))"
             "(<= (all) %s) (<= (goal p 100) (all)) (<= (goal p 10) (not (all)))"
             "%s (<= terminal %s)",
             "(true (lit 1)) (true (lit 4)) (true (lit 6)) (true (lit 10)) (not (true (lit 3)))", moves, end);
    struct bench b = open_text(text);
    struct space *s = space_new(b.circuit, b.code, &b.root, true, 0, 1, &error);
    struct space *t = space_new(b.lifted, NULL, &b.lifted_root, true, (size_t)1 << 28, 1, &error);
    struct frontier *f = explore(s, &one), *g = explore(t, &two);
    assert_int_equal(f->states.n, g->states.n);
    assert_true(f->states.n > 500);
    assert_int_equal(f->depth, g->depth);
    assert_int_equal(presses(f), presses(g));
    assert_int_equal(one.goal, two.goal);
    assert_int_equal(one.n, two.n);
    assert_true(f->commute.any);
    check_skips(b.circuit, f);
    if (fewer) assert_true(f->base.steps < g->base.steps * 3 / 4);
    drop(f, &one, s);
    drop(g, &two, t);
    close_bench(&b);
}

#define PUT                                                                                     \
    "(<= (input p (put ?x)) (lamp ?x)) (<= (legal p (put ?x)) (lamp ?x) (not (true (lit ?x))))" \
    "(<= (next (lit ?x)) (does p (put ?x))) (<= (next (lit ?x)) (true (lit ?x)))"
/* A lamp becomes as the one after it, or is switched where that is lit. */
#define COPY                                                                                    \
    "(<= (input p (copy ?x)) (lamp ?x)) (<= (legal p (copy ?x)) (after ?x ?y))"                 \
    "(<= (input p (turn ?x)) (lamp ?x)) (<= (legal p (turn ?x)) (after ?x ?y) (true (lit ?y)))" \
    "(<= (legal p (turn 11)) (not (true (lit 1))))"                                             \
    "(<= (hit ?x) (does p (copy ?x))) (<= (hit ?x) (does p (turn ?x)))"                         \
    "(<= (next (lit ?x)) (does p (copy ?x)) (after ?x ?y) (true (lit ?y)))"                     \
    "(<= (next (lit ?x)) (does p (turn ?x)) (not (true (lit ?x))))"                             \
    "(<= (next (lit ?x)) (true (lit ?x)) (not (hit ?x)))"

static void orders_that_are_left_out_lose_no_state(void **state)
{
    (void)state;
    leaving_out_orders(PUT, "(true (lit 12))", true);
    /* put 3 before 7 and it is over: that order cannot stand for the other */
    leaving_out_orders(PUT, "(true (lit 3)) (not (true (lit 7)))", false);
    leaving_out_orders(COPY, "(true (lit 12))", true);
    leaving_out_orders(COPY, "(all)", false);
    leaving_out_orders(COPY, "(true (lit 2)) (true (lit 8)) (not (true (lit 5)))", false);
}

static void moves_whose_order_does_not_matter_are_found(void **state)
{
    struct bench b = open_text(lights);
    struct error error;
    struct space *s = space_new(b.circuit, b.code, &b.root, true, 0, 1, &error);
    struct commute c;
    (void)state;
    commute_init(&c, s, &(struct turn){0});
    assert_true(c.any);
    for (uint32_t l = 0; l < c.nmoves; l++)
        for (uint32_t m = 0; m < l; m++) assert_true(commute_skip(&c, l)[m / 64] >> m % 64 & 1);
    commute_done(&c);
    space_free(s);
    close_bench(&b);
    b = open_bench("eightPuzzle"); /* one tile after the other: never */
    s = space_new(b.circuit, b.code, &b.root, false, 0, 1, &error);
    commute_init(&c, s, &(struct turn){0});
    assert_false(c.any);
    commute_done(&c);
    space_free(s);
    close_bench(&b);
}

/* A stack turned twice is as it was; a tile that is moved twice is not where it was if the gap has gone on.
 */
static void moves_that_undo_themselves_are_proved(void **state)
{
    static const struct {
        const char *game;
        bool undo;
    } cases[] = {{"pancakes88", true}, {"lightsOut", true}, {"eightPuzzle", false}, {"pegSolitaire", false}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct bench b = open_bench(cases[i].game);
        struct error error;
        struct space *s = space_new(b.circuit, b.code, &b.root, false, 0, 1, &error);
        struct commute c;
        commute_prove(&c, s);
        for (uint32_t l = 0; l < c.nmoves; l++) {
            bool left_out = c.any && commute_skip(&c, l)[l / 64] >> l % 64 & 1;
            if (left_out != cases[i].undo) fail_msg("%s, move %u", cases[i].game, l);
        }
        commute_done(&c);
        space_free(s);
        close_bench(&b);
    }
}

/* --- The relaxation ------------------------------------------------------------------------------------- */

static void the_relaxation_never_overestimates(void **state)
{
    static const char *const games[] = {"eightPuzzle", "hanoi", "blocksWorld", "pancakes88"};
    (void)state;
    for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct bench b = open_bench(games[i]);
        struct race *r = start(&b, false, RACE_FRONTIER);
        race_run(r, &(struct budget){.steps = 20000000});
        assert_int_equal(r->line.goal, 100);
        /* along a shortest line the distance is known */
        struct frontier *f = (struct frontier *)r->entrants[0].method;
        uint64_t row[64];
        struct relax_view v;
        memcpy(row, r->space->root, r->space->words * 8);
        for (uint32_t at = 0; at < r->line.n; at++) {
            uint32_t left = r->line.n - at, number = states_find(&f->states, row);
            relax_look(r->judge.relax, row, 1, -1, true, &v);
            assert_int_equal(v.bound, 100);
            assert_in_range(v.layers, 1, left);
            assert_true(v.plan >= v.layers);
            assert_true(v.missing >= 1);
            assert_int_not_equal(number, STATES_FULL);
            if (at + 1 == r->line.n) break;
            /* the next state of the line: found by its link */
            uint32_t next = number;
            for (uint32_t k = number + 1; k < f->states.n && next == number; k++)
                if (f->states.link[k].parent == number && f->states.link[k].move == r->line.moves[at])
                    next = k;
            assert_int_not_equal(next, number);
            memcpy(row, states_row(&f->states, next), r->space->words * 8);
        }
        race_free(r);
        close_bench(&b);
    }
}

static void what_is_out_of_reach_is_said_to_be(void **state)
{
    /* a door that closes for good */
    struct bench b =
        open_text("(role p) (init open) (legal p slam) (legal p go)"
                  "(<= (next open) (true open) (does p go)) (<= (next in) (true open) (does p go))"
                  "(<= (next in) (true in)) (<= (next gone) (true gone)) (<= (next gone) (does p slam))"
                  "(<= terminal (true in)) (<= terminal (true gone))"
                  "(<= (goal p 100) (true in) (not (true gone)))"
                  "(<= (goal p 10) (not (true in))) (<= (goal p 10) (true gone))");
    struct error error;
    struct space *s = space_new(b.circuit, b.code, &b.root, true, 0, 1, &error);
    struct judge j;
    struct relax_view v;
    (void)state;
    judge_init(&j, s);
    relax_look(j.relax, s->root, 1, -1, true, &v);
    assert_int_equal(v.bound, 100);
    assert_int_equal(v.layers, 1);
    assert_int_equal(v.plan, 1);
    uint32_t slam;
    assert_true(reasoner_read_move(b.circuit, 0, "slam", &slam));
    struct state after = {0};
    assert_true(b.circuit->ops->next(b.circuit, &b.root, &slam, &after));
    relax_look(j.relax, after.w, 1, -1, true, &v);
    assert_int_equal(v.bound, 10);
    state_done(&after);
    judge_done(&j);
    space_free(s);
    close_bench(&b);
}

static void what_counts_time_is_found(void **state)
{
    struct bench b = open_bench("eightPuzzle");
    const struct circuit *c = b.code->circuit;
    bool *ticking = calloc(c->nbits, sizeof *ticking);
    uint32_t n = 0;
    (void)state;
    assert_true(ticking_find(c, ticking));
    for (uint32_t i = 0; i < c->nfacts; i++) {
        const struct term_node *t = term_get(c->terms, c->fact[i]);
        bool step = strcmp(symbol_name(c->terms, t->head), "step") == 0;
        if (c->fact_edge[i] >> 1) assert_int_equal(ticking[(c->fact_edge[i] >> 1) - 1], step);
        n += step;
    }
    assert_int_equal(n, 61);
    free(ticking);
    close_bench(&b);
    /* the row that queens are placed in is counted, too, but moves depend on it */
    b = open_bench("queens8");
    ticking = calloc(b.code->circuit->nbits, sizeof *ticking);
    assert_true(ticking_find(b.code->circuit, ticking));
    for (n = 0; n < b.code->circuit->nbits && !ticking[n];) n++;
    for (uint32_t i = n + 1; i < b.code->circuit->nbits; i++)
        assert_false(ticking[i]); /* but for the ninth */
    free(ticking);
    close_bench(&b);
}

/* --- Tables --------------------------------------------------------------------------------------------- */

static void a_table_of_states_keeps_each_once_within_its_memory(void **state)
{
    struct states t;
    const size_t limit = 4 << 20;
    uint64_t row[2];
    bool fresh;
    uint32_t n = 0;
    (void)state;
    assert_true(states_init(&t, 2, limit));
    for (uint64_t i = 0; i < 10000000; i++) {
        row[0] = i * 0x9e3779b97f4a7c15u;
        row[1] = i & 1;
        if (states_add(&t, row, n ? n - 1 : STATES_ROOT, (uint32_t)i, &fresh) == STATES_FULL) break;
        assert_true(fresh);
        n++;
    }
    assert_in_range(n, 40000, 200000);
    assert_true(states_bytes(&t) <= limit);
    for (uint32_t i = 0; i < n; i++) {
        row[0] = i * 0x9e3779b97f4a7c15u;
        row[1] = i & 1;
        assert_int_equal(states_find(&t, row), i);
        row[1] ^= 1;
        assert_int_equal(states_find(&t, row), STATES_FULL);
    }
    uint32_t *moves = malloc(n * sizeof *moves);
    assert_int_equal(states_path(&t, n - 1, moves), n - 1);
    for (uint32_t i = 0; i + 1 < n; i++) assert_int_equal(moves[i], i + 1);
    free(moves);
    states_done(&t);
}

static void trails_are_given_back(void **state)
{
    struct trail t;
    uint32_t moves[3];
    (void)state;
    assert_true(trail_init(&t, 1 << 20));
    for (int round = 0; round < 100000; round++) {
        uint32_t a = trail_grow(&t, TRAIL_ROOT, 1), b = trail_grow(&t, a, 2), c = trail_grow(&t, b, 3);
        assert_true(a && b && c);
        trail_path(&t, c, moves);
        assert_int_equal(moves[0] * 100 + moves[1] * 10 + moves[2], 123);
        trail_drop(&t, a);
        trail_drop(&t, b);
        trail_drop(&t, c);
    }
    assert_true(t.n < 10);
    trail_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_engines_meet_the_same_states),
        cmocka_unit_test(orders_that_are_left_out_lose_no_state),
        cmocka_unit_test(moves_whose_order_does_not_matter_are_found),
        cmocka_unit_test(moves_that_undo_themselves_are_proved),
        cmocka_unit_test(the_relaxation_never_overestimates),
        cmocka_unit_test(what_is_out_of_reach_is_said_to_be),
        cmocka_unit_test(what_counts_time_is_found),
        cmocka_unit_test(a_table_of_states_keeps_each_once_within_its_memory),
        cmocka_unit_test(trails_are_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
