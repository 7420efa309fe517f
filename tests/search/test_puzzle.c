// SPDX-License-Identifier: GPL-3.0-or-later
/* Searches for games for one against what is known about puzzles. */
#include "../testing.h"

#include "search/puzzle/commute.h"
#include "search/puzzle/fill.h"
#include "search/puzzle/frontier.h"
#include "search/puzzle/race.h"
#include "search/puzzle/ticking.h"
#include "search/puzzle/trail.h"

#include <stdio.h>

struct bench {
    struct game *game;
    struct engine *engine;
    const struct code *code;
    struct reasoner *circuit, *lifted;
    struct state root, lifted_root;
};

static struct bench open_game(struct game *game, struct error *error)
{
    struct bench b = {.game = game};
    if (!game) fail_msg("%s", error->text);
    b.engine = engine_start(game, NULL, error);
    if (!b.engine || engine_wait(b.engine, -1) != ENGINE_READY) fail_msg("%s has no circuit", game->name);
    b.code = engine_code(b.engine);
    b.circuit = reasoner_circuit(game, b.code, error);
    b.lifted = reasoner_lifted(game, 0, error);
    assert_non_null(b.circuit);
    assert_non_null(b.lifted);
    assert_true(b.circuit->ops->initial(b.circuit, &b.root));
    assert_true(b.lifted->ops->initial(b.lifted, &b.lifted_root));
    return b;
}

static struct bench open_bench(const char *name)
{
    struct error error;
    return open_game(game_load(name, 0, NULL, &error), &error);
}

static struct bench open_text(const char *text)
{
    struct error error;
    return open_game(game_from_text("test", text, strlen(text), 0, NULL, &error), &error);
}

static void close_bench(struct bench *b)
{
    state_done(&b->root);
    state_done(&b->lifted_root);
    reasoner_free(b->circuit);
    reasoner_free(b->lifted);
    engine_free(b->engine);
    game_free(b->game);
}

static struct race *start(const struct bench *b, bool lifted, uint32_t which)
{
    struct error error;
    struct race *r = lifted ? race_new(b->lifted, NULL, &b->lifted_root, which, (size_t)256 << 20, 1, &error)
                            : race_new(b->circuit, b->code, &b->root, which, (size_t)256 << 20, 1, &error);
    if (!r) fail_msg("%s", error.text);
    return r;
}

/* Play the line by the rules: what it brings. */
static int replay(const struct bench *b, bool lifted, const struct line *line)
{
    struct reasoner *r = lifted ? b->lifted : b->circuit;
    struct state here = {0}, next = {0};
    bool ended = false;
    int goal;
    assert_true(state_copy(&here, lifted ? &b->lifted_root : &b->root));
    for (uint32_t i = 0; i < line->n; i++) {
        struct list legal = {0};
        bool found = false;
        assert_true(r->ops->legal(r, &here, 0, &legal));
        for (uint32_t k = 0; k < legal.n; k++) found |= legal.v[k] == line->moves[i];
        assert_true(found);
        assert_false(ended);
        assert_true(r->ops->next(r, &here, &line->moves[i], &next));
        assert_true(state_copy(&here, &next));
        assert_true(r->ops->terminal(r, &here, &ended));
        list_done(&legal);
    }
    assert_true(ended);
    assert_true(reasoner_goal(r, &here, 0, &goal));
    state_done(&here);
    state_done(&next);
    return goal;
}

/* Race for so many positions: the line holds, and brings this in so many moves (0: any number). */
static void reaches(const char *game, bool lifted, uint32_t which, uint64_t steps, int goal, uint32_t moves)
{
    struct bench b = open_bench(game);
    struct race *r = start(&b, lifted, which);
    race_run(r, &(struct budget){.steps = steps});
    if (r->line.goal != goal || (moves && r->line.n != moves))
        fail_msg("%s, methods %x: goal %d in %u moves instead of %d in %u", game, which, r->line.goal,
                 r->line.n, goal, moves);
    assert_int_equal(replay(&b, lifted, &r->line), goal);
    race_free(r);
    close_bench(&b);
}

/* The same for all that can be had on a sheet of the corpus, where it is there. */
static void reaches_in_corpus(const char *name, uint32_t which, uint64_t steps, uint32_t moves)
{
    const char *corpus = getenv("LUDENS_CORPUS");
    char path[1000];
    snprintf(path, sizeof path, "%s/games/%s.kif", corpus ? corpus : "", name);
    FILE *there = fopen(path, "r");
    if (!there) return;
    fclose(there);
    reaches(path, false, which, steps, 100, moves);
}

/* --- Known facts ---------------------------------------------------------------------------------------- */

/* Everything that can be reached, by breadth-first search that does not stop at a solution. */
static struct frontier *explore(struct space *s, struct line *line)
{
    line_init(line);
    s->most = 1000;
    struct method *m = frontier_new(s, line, (size_t)1 << 30);
    assert_non_null(m);
    assert_int_equal(m->ops->run(m, &(struct turn){0}), METHOD_EXHAUSTED);
    return (struct frontier *)m;
}

static void the_sliding_puzzle_needs_31_moves_at_worst(void **state)
{
    struct bench b = open_bench("eightPuzzle");
    struct error error;
    struct line line;
    struct space *s = space_new(b.circuit, b.code, &b.root, false, 0, 1, &error);
    struct frontier *f = explore(s, &line);
    (void)state;
    /* half of 9! arrangements, one of which is the solved one, where the game ends; the sheet begins as far
     * from it as can be */
    assert_int_equal(f->states.n + 1, 181440);
    assert_int_equal(f->depth, 31);
    assert_int_equal(line.goal, 100);
    assert_int_equal(line.n, 31);
    method_free(&f->base);
    line_done(&line);
    space_free(s);
    close_bench(&b);
}

static void the_tower_of_hanoi_needs_two_to_the_n_minus_one(void **state)
{
    (void)state;
    reaches("hanoi", false, RACE_ALL, 20000000, 100, 31);
    reaches_in_corpus("hanoi_6_disks", RACE_FRONTIER, 20000000, 63);
    reaches_in_corpus("hanoi7_bugfix", RACE_FRONTIER, 20000000, 127);
}

static void pancakes_are_turned_with_as_few_flips_as_can_be(void **state)
{
    (void)state;
    reaches("pancakes88", false, RACE_ALL, 20000000, 100, 9);
    reaches("pancakes88", false, RACE_IDA, 50000000, 100, 9);
}

static void solitaire_tours_and_queens_are_solved(void **state)
{
    (void)state;
    reaches("pegSolitaire", false, RACE_ALL, 200000000, 100, 31);
    reaches("knightsTour", false, RACE_ALL, 200000000, 100, 63);
    reaches("queens8", false, RACE_ALL, 20000000, 100, 8);
    reaches("sudoku", false, RACE_FILL, 200000000, 100, 0);
    reaches("maxKnights", false, RACE_ALL, 200000000, 100, 32);
    reaches_in_corpus("knightmove", RACE_ALL, 200000000, 0);
    reaches_in_corpus("queens08ug", RACE_ALL, 20000000, 8);
    reaches_in_corpus("queens16ug", RACE_FILL, 20000000, 16); /* every move is legal, and no goal leads on */
}

struct finds {
    struct space *space;
    struct states met, solved;
    uint32_t at;
};

static bool note_solutions(void *to, struct brood *b)
{
    struct finds *f = to;
    bool fresh;
    for (uint32_t i = 0; i < b->n; i++) {
        const uint64_t *row = b->state + (size_t)i * f->space->words;
        if (b->goal[i] == SPACE_GOES_ON)
            states_add(&f->met, row, 0, 0, &fresh);
        else if (b->goal[i] == 100)
            states_add(&f->solved, row, 0, 0, &fresh);
    }
    return true;
}

static void there_are_92_ways_to_place_eight_queens(void **state)
{
    struct bench b = open_bench("queens8");
    struct error error;
    struct finds f = {.space = space_new(b.circuit, b.code, &b.root, true, 0, 1, &error)};
    bool fresh;
    (void)state;
    assert_non_null(f.space);
    assert_true(states_init(&f.met, f.space->words, (size_t)1 << 28));
    assert_true(states_init(&f.solved, f.space->words, (size_t)1 << 28));
    states_add(&f.met, f.space->root, STATES_ROOT, 0, &fresh);
    for (; f.at < f.met.n; f.at++) {
        uint64_t row[8];
        memcpy(row, states_row(&f.met, f.at), f.space->words * 8);
        assert_true(space_expand(f.space, row, &(uint32_t){0}, 1, note_solutions, &f));
    }
    assert_int_equal(f.solved.n, 92);
    states_done(&f.met);
    states_done(&f.solved);
    space_free(f.space);
    close_bench(&b);
}

/* Lights out on three by three: every start can be solved. */
static const char lights[] =
    "(role player) (index 1) (index 2) (index 3) (near 1 2) (near 2 1) (near 2 3) (near 3 2)"
    "(<= (base (lit ?x ?y)) (index ?x) (index ?y)) (<= (input player (press ?x ?y)) (index ?x) (index ?y))"
    "(<= (init (lit ?x ?y)) (index ?x) (index ?y))"
    "(<= (legal player (press ?x ?y)) (index ?x) (index ?y))"
    "(<= (toggled ?x ?y) (does player (press ?x ?y)))"
    "(<= (toggled ?x ?y) (does player (press ?x2 ?y)) (near ?x ?x2))"
    "(<= (toggled ?x ?y) (does player (press ?x ?y2)) (near ?y ?y2))"
    "(<= (next (lit ?x ?y)) (true (lit ?x ?y)) (not (toggled ?x ?y)))"
    "(<= (next (lit ?x ?y)) (index ?x) (index ?y) (not (true (lit ?x ?y))) (toggled ?x ?y))"
    "(<= any (true (lit ?x ?y)))"
    "(<= terminal (not any)) (<= (goal player 100) (not any)) (<= (goal player 0) any)";

static void lights_go_out_from_every_start(void **state)
{
    struct bench b = open_text(lights);
    struct error error;
    struct line line;
    struct space *s = space_new(b.circuit, b.code, &b.root, true, 0, 1, &error);
    struct frontier *f = explore(s, &line);
    (void)state;
    assert_int_equal(f->states.n, 511);
    for (uint32_t i = 0; i < f->states.n; i++) {
        /* every bit of the circuit is kept, in its order */
        memcpy(b.root.w, states_row(&f->states, i), b.root.words * 8);
        struct race *r = start(&b, false, i % 2 ? RACE_ALL : RACE_IDA);
        race_run(r, &(struct budget){.steps = 5000000});
        assert_int_equal(r->line.goal, 100);
        assert_int_equal(replay(&b, false, &r->line), 100);
        if (i % 2 == 0) assert_in_range(r->line.n, 1, 9); /* who only wants a line takes any */
        race_free(r);
    }
    method_free(&f->base);
    line_done(&line);
    space_free(s);
    close_bench(&b);
}

/* From the dark board, every board that can be made dark, by the fewest presses there are: pressing again
 * what was pressed leads back. */
static void every_board_of_25_lights_is_15_presses_from_dark_at_most(void **state)
{
    char text[2000];
    const char *rest = strstr(lights, "(<= (base"), *init = strstr(lights, "(<= (init"),
               *end = strstr(lights, "(<= any");
    struct error error;
    struct line line;
    (void)state;
    snprintf(text, sizeof text,
             "(role player) (index 1) (index 2) (index 3) (index 4) (index 5)"
             "(near 1 2) (near 2 1) (near 2 3) (near 3 2) (near 3 4) (near 4 3) (near 4 5) (near 5 4)"
             "%.*s %.*s (<= terminal (true (lit 6 6))) (goal player 0)",
             (int)(init - rest), rest, (int)(end - strstr(lights, "(<= (legal")),
             strstr(lights, "(<= (legal"));
    struct bench b = open_text(text);
    struct space *s = space_new(b.circuit, b.code, &b.root, true, 0, 1, &error);
    struct frontier *f = explore(s, &line);
    assert_int_equal(f->states.n, 1 << 23);
    assert_int_equal(f->depth, 15);
    method_free(&f->base);
    line_done(&line);
    space_free(s);
    close_bench(&b);
}

/* --- Methods -------------------------------------------------------------------------------------------- */

static void every_method_solves_blocks_world_on_both_engines(void **state)
{
    static const uint32_t which[] = {RACE_FRONTIER, RACE_IDA,    RACE_PLAN, RACE_COUNT,
                                     RACE_BEAM,     RACE_NESTED, RACE_NRPA, RACE_ALL};
    (void)state;
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        reaches("blocksWorld", false, which[i], 2000000, 100, 0);
        if (which[i] == RACE_FRONTIER || which[i] == RACE_IDA || which[i] == RACE_ALL)
            reaches("blocksWorld", true, which[i], 100000, 100, 0);
    }
}

static void an_optimum_below_the_best_goal_is_proved(void **state)
{
    /* three switches, each can be put on once, and only one move a time for two moves */
    struct bench b = open_text("(role p) (init (step 0)) (succ 0 1) (succ 1 2) (s a) (s b) (s c)"
                               "(<= (legal p (put ?x)) (s ?x))"
                               "(<= (next (on ?x)) (does p (put ?x))) (<= (next (on ?x)) (true (on ?x)))"
                               "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))"
                               "(<= terminal (true (step 2)))"
                               "(<= all (true (on a)) (true (on b)) (true (on c)))"
                               "(<= (goal p 100) all) (<= two (true (on a)) (true (on b)) (not all))"
                               "(<= (goal p 60) two) (<= (goal p 5) (not two) (not all))");
    (void)state;
    for (uint32_t which = RACE_FRONTIER; which <= RACE_PLAN; which *= 2) {
        struct race *r = start(&b, false, which);
        race_run(r, &(struct budget){.steps = 100000});
        assert_int_equal(r->line.goal, 60);
        if (which != RACE_IDA) { /* which leaves orders out */
            assert_true(r->proved);
            assert_true(race_solved(r));
        }
        race_free(r);
    }
    close_bench(&b);
}

/* Where waiting is the solution, states that differ in time alone are not the same. */
static void what_counts_time_is_left_out_only_as_long_as_it_helps(void **state)
{
    struct bench b =
        open_text("(role p) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)"
                  "(legal p wait) (legal p toggle)"
                  "(<= (next lit) (does p toggle) (not (true lit)))"
                  "(<= (next lit) (does p wait) (true lit))"
                  "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))"
                  "(<= terminal (true (step 5)))"
                  "(<= (goal p 100) (true lit)) (<= (goal p 0) (not (true lit)))");
    struct race *r = start(&b, false, RACE_FRONTIER);
    (void)state;
    assert_true(r->space->merges);
    race_run(r, &(struct budget){.steps = 100000});
    assert_true(r->exact);
    assert_int_equal(r->line.goal, 100);
    assert_int_equal(replay(&b, false, &r->line), 100);
    race_free(r);
    close_bench(&b);
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
        method_free(&f->base);
        method_free(&g->base);
        line_done(&one);
        line_done(&two);
        space_free(s);
        space_free(t);
        close_bench(&b);
    }
}

static uint64_t presses(const struct frontier *f)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->states.n; i++) sum += states_path(&f->states, i, NULL);
    return sum;
}

static bool legal_in(struct reasoner *r, const struct state *s, uint32_t move)
{
    struct list legal = {0};
    bool found = false;
    assert_true(r->ops->legal(r, s, 0, &legal));
    for (uint32_t i = 0; i < legal.n; i++) found |= legal.v[i] == move;
    list_done(&legal);
    return found;
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
            if (!legal_in(r, &s, l)) continue;
            assert_true(r->ops->next(r, &s, &l, &l_made));
            for (uint32_t m = 0; m <= l; m++) {
                if (!(commute_skip(&f->commute, l)[m / 64] >> m % 64 & 1)) continue;
                if (!legal_in(r, &l_made, m)) continue;
                assert_true(r->ops->next(r, &l_made, &m, &lm));
                assert_true(m == l || legal_in(r, &s, m));
                if (m != l) assert_true(r->ops->next(r, &s, &m, &m_made));
                if (m != l) assert_true(legal_in(r, &m_made, l) && r->ops->next(r, &m_made, &l, &ml));
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
    method_free(&f->base);
    method_free(&g->base);
    line_done(&one);
    line_done(&two);
    space_free(s);
    space_free(t);
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

static void a_counted_race_goes_the_same_way_every_time(void **state)
{
    struct bench b = open_bench("pegSolitaire");
    struct line lines[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct race *r = start(&b, false, RACE_ALL);
        for (int k = 0; k < 5; k++) race_run(r, &(struct budget){.steps = 60000});
        line_init(&lines[i]);
        assert_true(line_offer(&lines[i], r->line.goal, r->line.moves, r->line.n, NULL));
        race_free(r);
    }
    assert_int_equal(lines[0].goal, lines[1].goal);
    assert_int_equal(lines[0].n, lines[1].n);
    assert_memory_equal(lines[0].moves, lines[1].moves, lines[0].n * sizeof *lines[0].moves);
    line_done(&lines[0]);
    line_done(&lines[1]);
    close_bench(&b);
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

static void a_full_frontier_goes_on_as_a_beam(void **state)
{
    struct bench b = open_bench("pegSolitaire");
    struct error error;
    struct race *r = race_new(b.circuit, b.code, &b.root, RACE_FRONTIER, (size_t)4 << 20, 1, &error);
    (void)state;
    assert_non_null(r);
    race_run(r, &(struct budget){.steps = 1500000});
    assert_string_equal(r->entrants[0].name, "breadth-first, then beam");
    assert_true(r->line.goal >= 50); /* no breadth-first search gets that deep in so little memory */
    assert_int_equal(replay(&b, false, &r->line), r->line.goal);
    race_free(r);
    close_bench(&b);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sliding_puzzle_needs_31_moves_at_worst),
        cmocka_unit_test(the_tower_of_hanoi_needs_two_to_the_n_minus_one),
        cmocka_unit_test(pancakes_are_turned_with_as_few_flips_as_can_be),
        cmocka_unit_test(solitaire_tours_and_queens_are_solved),
        cmocka_unit_test(there_are_92_ways_to_place_eight_queens),
        cmocka_unit_test(lights_go_out_from_every_start),
        cmocka_unit_test(every_board_of_25_lights_is_15_presses_from_dark_at_most),
        cmocka_unit_test(every_method_solves_blocks_world_on_both_engines),
        cmocka_unit_test(an_optimum_below_the_best_goal_is_proved),
        cmocka_unit_test(what_counts_time_is_left_out_only_as_long_as_it_helps),
        cmocka_unit_test(both_engines_meet_the_same_states),
        cmocka_unit_test(orders_that_are_left_out_lose_no_state),
        cmocka_unit_test(a_counted_race_goes_the_same_way_every_time),
        cmocka_unit_test(the_relaxation_never_overestimates),
        cmocka_unit_test(what_is_out_of_reach_is_said_to_be),
        cmocka_unit_test(what_counts_time_is_found),
        cmocka_unit_test(a_table_of_states_keeps_each_once_within_its_memory),
        cmocka_unit_test(trails_are_given_back),
        cmocka_unit_test(a_full_frontier_goes_on_as_a_beam),
        cmocka_unit_test(moves_whose_order_does_not_matter_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
