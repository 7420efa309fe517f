// SPDX-License-Identifier: GPL-3.0-or-later
/* Facts about games that a script cannot state, because they are about all ways to play: shortest solutions
 * of puzzles, the only solution of a Sudoku, the winner of Nim. What is asserted here is known from outside
 * (Lucas, Bouton, the pancake numbers, the published distances of the sliding puzzle). */
#include "game/reasoner.h"
#include "testing.h"

#include <stdio.h>

struct fixture {
    struct game *game;
    struct reasoner *r;
};

static struct fixture open_game(const char *name)
{
    struct fixture f = {0};
    struct error error = {0};
    f.game = game_load(name, 0, NULL, &error);
    if (!f.game) fail_msg("%s", error.text);
    f.r = reasoner_lifted(f.game, 0, &error);
    if (!f.r) fail_msg("%s", error.text);
    return f;
}

static void close_game(struct fixture *f)
{
    reasoner_free(f->r);
    game_free(f->game);
}

static term read_fact(struct reasoner *r, const char *text)
{
    struct error error = {0};
    term fact = term_read(r->terms, text, strlen(text), &error);
    if (!fact) fail_msg("%s: %s", text, error.text);
    return fact;
}

static bool is_over(struct reasoner *r, const struct state *s)
{
    bool over;
    assert_true(r->ops->terminal(r, s, &over));
    return over;
}

/* ---- shortest solutions ---- */

/* States in the order they were met, found again by hash. */
struct states {
    struct state *v;
    uint32_t n, cap;
    uint32_t *slots, mask; /* number + 1 of a state; 0: free */
};

static struct states states_new(uint32_t most)
{
    struct states t = {.cap = most, .mask = 1};
    while (t.mask < 2 * most) t.mask *= 2;
    t.v = calloc(most, sizeof *t.v);
    t.slots = calloc(t.mask--, sizeof *t.slots);
    assert_true(t.v && t.slots);
    return t;
}

static void states_free(struct states *t)
{
    for (uint32_t i = 0; i < t->n; i++) state_done(&t->v[i]);
    free(t->v);
    free(t->slots);
}

static void states_add(struct states *t, const struct state *s)
{
    uint32_t slot = (uint32_t)state_hash(s) & t->mask;
    for (; t->slots[slot]; slot = (slot + 1) & t->mask)
        if (state_equal(&t->v[t->slots[slot] - 1], s)) return;
    assert_true(t->n < t->cap);
    assert_true(state_copy(&t->v[t->n], s));
    t->slots[slot] = ++t->n;
}

/* The least number of moves to an ended state of a puzzle, found breadth first. The step counter is turned
 * back after each move, so that neither the limit of steps ends a game nor equal positions differ. `most`:
 * how many positions the puzzle can have. */
static uint32_t shortest_solution(const char *name, const char *first_step, const char *second_step,
                                  uint32_t most)
{
    struct fixture f = open_game(name);
    term first = read_fact(f.r, first_step), second = read_fact(f.r, second_step);
    struct states met = states_new(most);
    struct state s = {0};
    struct list legal = {0};
    assert_true(f.r->ops->initial(f.r, &s));
    states_add(&met, &s);
    uint32_t depth = 0;
    for (uint32_t i = 0, level = 1; i < met.n; i++) {
        if (i == level) {
            depth++;
            level = met.n;
        }
        if (is_over(f.r, &met.v[i])) break;
        assert_true(f.r->ops->legal(f.r, &met.v[i], 0, &legal));
        for (uint32_t m = 0; m < legal.n; m++) {
            assert_true(f.r->ops->next(f.r, &met.v[i], &legal.v[m], &s));
            assert_true(reasoner_remove_fact(f.r, &s, second));
            assert_true(reasoner_add_fact(f.r, &s, first));
            states_add(&met, &s);
        }
    }
    list_done(&legal);
    state_done(&s);
    states_free(&met);
    close_game(&f);
    return depth;
}

static void five_discs_take_31_moves(void **unused)
{
    assert_int_equal(shortest_solution("hanoi", "(step 0)", "(step 1)", 243), 31);
}

static void the_blocks_take_6_moves(void **unused)
{
    assert_int_equal(shortest_solution("blocksWorld", "(step 0)", "(step 1)", 501), 6);
}

static void the_pancakes_take_9_flips(void **unused)
{
    assert_int_equal(shortest_solution("pancakes88", "(flips 0)", "(flips 1)", 40320), 9);
}

static void the_sliding_puzzle_takes_31_moves(void **unused)
{
    assert_int_equal(shortest_solution("eightPuzzle", "(step 0)", "(step 1)", 181440), 31);
}

/* ---- the Sudoku ---- */

/* Solutions that can be reached from a state. Looks at a cell with the fewest digits; a cell with none ends
 * the branch, which the game itself does not see: it goes on elsewhere. */
static uint32_t count_solutions(struct reasoner *r, const struct state *s, uint32_t filled)
{
    if (filled == 81) return 1;
    struct list legal = {0}, best = {0};
    uint32_t digits[10][10] = {0}, column, row, digit, at = 0, cells = 0;
    char text[64];
    struct heap *heap = heap_new(0);
    struct text line;
    assert_true(r->ops->legal(r, s, 0, &legal));
    text_init(&line, heap);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t m = 0; m < legal.n; m++) {
            text_clear(&line);
            reasoner_print_move(r, 0, legal.v[m], true, &line);
            snprintf(text, sizeof text, "%s", line.s);
            assert_int_equal(sscanf(text, "(put %u %u %u)", &column, &row, &digit), 3);
            if (pass == 0)
                cells += digits[column][row]++ == 0;
            else if (at == 10 * column + row)
                list_push(&best, legal.v[m]);
        }
        for (uint32_t c = 11; pass == 0 && c <= 99; c++)
            if (digits[c / 10][c % 10] && (!at || digits[c / 10][c % 10] < digits[at / 10][at % 10])) at = c;
    }
    heap_free(heap);
    uint32_t solutions = 0;
    struct state next = {0};
    for (uint32_t m = 0; cells == 81 - filled && m < best.n; m++) {
        assert_true(r->ops->next(r, s, &best.v[m], &next));
        solutions += count_solutions(r, &next, filled + 1);
    }
    state_done(&next);
    list_done(&legal);
    list_done(&best);
    return solutions;
}

static void the_sudoku_has_one_solution(void **unused)
{
    struct fixture f = open_game("sudoku");
    struct state s = {0};
    struct list facts = {0};
    assert_true(f.r->ops->initial(f.r, &s));
    assert_true(f.r->ops->facts(f.r, &s, &facts));
    assert_int_equal(facts.n, 28);
    assert_int_equal(count_solutions(f.r, &s, facts.n), 1);
    list_done(&facts);
    state_done(&s);
    close_game(&f);
}

/* ---- Nim ---- */

/* Does the player to move win? Positions are kept when they are known to be won or lost. */
static bool mover_wins(struct reasoner *r, const struct state *s, struct states *won, struct states *lost)
{
    for (uint32_t i = 0; i < lost->n; i++)
        if (state_equal(&lost->v[i], s)) return false;
    for (uint32_t i = 0; i < won->n; i++)
        if (state_equal(&won->v[i], s)) return true;
    bool wins = false;
    if (!is_over(r, s)) {
        struct list legal[2] = {0};
        struct state next = {0};
        uint32_t noop;
        for (uint32_t role = 0; role < 2; role++) assert_true(r->ops->legal(r, s, role, &legal[role]));
        assert_true(r->ops->move_number(r, 0, read_fact(r, "noop"), &noop));
        uint32_t mover = legal[0].v[0] == noop; /* the first player waits: the second moves */
        for (uint32_t m = 0; m < legal[mover].n && !wins; m++) {
            uint32_t joint[2] = {legal[0].v[0], legal[1].v[0]};
            joint[mover] = legal[mover].v[m];
            assert_true(r->ops->next(r, s, joint, &next));
            wins = !mover_wins(r, &next, won, lost);
        }
        state_done(&next);
        list_done(&legal[0]);
        list_done(&legal[1]);
    }
    states_add(wins ? won : lost, s);
    return wins;
}

static void nim_with_nim_sum_0_is_lost(void **unused)
{
    struct fixture f = open_game("nim");
    struct states won = states_new(1000), lost = states_new(1000);
    struct state s = {0};
    assert_true(f.r->ops->initial(f.r, &s));
    assert_false(mover_wins(f.r, &s, &won, &lost));
    /* One counter less in any heap, and it is won. */
    assert_true(reasoner_remove_fact(f.r, &s, read_fact(f.r, "(counters d 7)")));
    assert_true(reasoner_add_fact(f.r, &s, read_fact(f.r, "(counters d 6)")));
    assert_true(mover_wins(f.r, &s, &won, &lost));
    state_done(&s);
    states_free(&won);
    states_free(&lost);
    close_game(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_discs_take_31_moves),    cmocka_unit_test(the_blocks_take_6_moves),
        cmocka_unit_test(the_pancakes_take_9_flips),   cmocka_unit_test(the_sliding_puzzle_takes_31_moves),
        cmocka_unit_test(the_sudoku_has_one_solution), cmocka_unit_test(nim_with_nim_sum_0_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
