// SPDX-License-Identifier: GPL-3.0-or-later
/* Searches for games for one against what is known about puzzles. */
#include "workbench.h"

#include "search/puzzle/fill.h"

#include <stdio.h>

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
        /* its games are as many as there are lanes: on a wide machine the same number of positions is fewer
         * turns */
        uint64_t steps = which[i] == RACE_NESTED ? 16000000 : 2000000;
        reaches("blocksWorld", false, which[i], steps, 100, 0);
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

/* What counts time may read time that moves depend on. */
static void a_door_that_closes_by_itself_is_closed(void **state)
{
    struct bench b =
        open_text("(role you) (init (step 0)) (init open) (succ 0 1) (succ 1 2) (succ 2 3)"
                  "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))"
                  "(<= (next open) (true open) (not (true (step 1))))"
                  "(<= (legal you left) (true (step 0))) (<= (legal you left) (true (step 1)))"
                  "(<= (legal you (right ?n)) (true (step ?n)))"
                  "(<= (next key) (does you left)) (<= (next key) (true key))"
                  "(<= terminal (true (step 3)))"
                  "(<= (goal you 100) (true open) (true key))"
                  "(<= (goal you 40) (not (true open)) (true key)) (<= (goal you 0) (not (true key)))");
    struct race *r = start(&b, false, RACE_FRONTIER);
    (void)state;
    race_run(r, &(struct budget){.steps = 1000});
    assert_int_equal(r->line.goal, 40);
    assert_int_equal(replay(&b, false, &r->line), 40);
    assert_true(r->proved);
    race_free(r);
    close_bench(&b);
}

/* Where no goal that is named can be reached, the end brings nothing. */
static void a_game_without_a_goal_ends_at_nothing(void **state)
{
    struct bench b = open_text("(role you) (init (step 0)) (init (lamp off)) (succ 0 1) (succ 1 2) (succ 2 3)"
                               "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))"
                               "(legal you press) (legal you wait) (<= (next wet) (does you wait))"
                               "(<= (next (lamp on)) (true (lamp on)) (does you press))"
                               "(<= (next (lamp off)) (true (lamp off))) (<= terminal (true (step 3)))"
                               "(<= (goal you 100) (true (lamp on)))");
    struct race *r = start(&b, false, RACE_ALL);
    (void)state;
    race_run(r, &(struct budget){.steps = 1000});
    assert_int_equal(r->line.goal, 0);
    assert_true(race_solved(r));
    race_free(r);
    close_bench(&b);
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
        cmocka_unit_test(a_door_that_closes_by_itself_is_closed),
        cmocka_unit_test(a_game_without_a_goal_ends_at_nothing),
        cmocka_unit_test(a_counted_race_goes_the_same_way_every_time),
        cmocka_unit_test(a_full_frontier_goes_on_as_a_beam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
