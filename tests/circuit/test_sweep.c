// SPDX-License-Identifier: GPL-3.0-or-later
/* Sweepers against the naive evaluator, on circuits made at random. */
#include "../testing.h"

#include "circuit/batch.h"
#include "circuit/cycle.h"
#include "circuit/jit.h"
#include "naive.h"

#include <math.h>
#include <stdio.h>

static void random_state(struct rng *rng, const struct batch *b, uint64_t *state)
{
    for (uint32_t w = 0; w < b->state_words; w++) state[w] = rng_next(rng);
    if (b->code->nbits % 64) state[b->state_words - 1] &= (1ull << b->code->nbits % 64) - 1;
}

static bool bit(const uint64_t *words, uint32_t i)
{
    return words[i / 64] >> i % 64 & 1;
}

/* What the evaluator says about a lane against what the batch says, before the step. */
static void check_view(struct batch *b, uint32_t lane, const bool *wires)
{
    const struct circuit *c = b->code->circuit;
    uint32_t *moves = malloc((c->nmoves + 1) * sizeof *moves), n;
    assert_int_equal(bit(b->terminal, lane), naive_edge(wires, c->terminal));
    for (uint32_t r = 0; r < c->nroles; r++) {
        n = batch_legal(b, lane, r, moves);
        uint32_t k = 0;
        for (uint32_t m = c->move_base[r]; m < c->move_base[r + 1]; m++)
            if (naive_edge(wires, c->legal[m])) {
                assert_true(k < n);
                assert_int_equal(moves[k++], m - c->move_base[r]);
            }
        assert_int_equal(k, n);
    }
    free(moves);
}

static void check_goals(const struct circuit *c, const int16_t *goals, const bool *wires)
{
    for (uint32_t r = 0; r < c->nroles; r++) {
        int found = 0, value = 0;
        for (uint32_t i = 0; i < c->goals.n; i++)
            if (c->goals.v[i].role == r && naive_edge(wires, c->goals.v[i].e))
                found++, value = (int)c->goals.v[i].value;
        assert_int_equal(goals[r], found == 1 ? value : BATCH_GOAL_UNDEFINED);
    }
}

static void set_bit(uint64_t *state, uint32_t bit, bool value)
{
    state[bit / 64] = (state[bit / 64] & ~(1ull << bit % 64)) | (uint64_t)value << bit % 64;
}

static void set_turn(const struct circuit *c, uint32_t turn, uint64_t *state)
{
    for (uint32_t i = 0; i < c->turn_bits.n; i++)
        set_bit(state, c->turn_bits.v[i], c->turn_values[turn * c->turn_bits.n + i]);
    for (uint32_t i = c->known_first[turn]; i < c->known_first[turn + 1]; i++)
        set_bit(state, c->known.v[i].bit, c->known.v[i].value);
}

/* A move from outside; where turns are swept it is a legal one, if there is one. */
static void tell(struct rng *rng, struct batch *b, uint32_t lane, const bool *wires)
{
    const struct circuit *c = b->code->circuit;
    for (uint32_t r = 0; r < c->nroles; r++) {
        uint32_t base = c->move_base[r], n = c->move_base[r + 1] - base, move = rng_below(rng, n), tries = 0;
        while (c->period > 1 && tries < n && !naive_edge(wires, c->legal[base + move]))
            move = (move + 1) % n, tries++;
        if (tries < n) batch_set_move(b, lane, r, move);
    }
}

/* The moves of the first so many lanes are those of all, and nothing else is written. */
static void check_few(struct batch *b, uint32_t role, uint32_t few)
{
    uint32_t words = batch_set_words(b, role), count[BATCH_MAX_LANES], all[BATCH_MAX_LANES];
    size_t n = (size_t)b->lanes * words;
    uint64_t *sets = malloc((n + 1) * 8), *some = malloc((n + 1) * 8);
    memset(some, 0x5a, n * 8);
    memset(count, 0x5a, sizeof count);
    batch_legal_sets(b, role, sets, all);
    batch_legal_sets_of(b, role, few, some, count);
    assert_memory_equal(sets, some, (size_t)few * words * 8);
    assert_memory_equal(all, count, few * sizeof *count);
    for (size_t i = (size_t)few * words; i < n; i++) assert_int_equal(some[i], 0x5a5a5a5a5a5a5a5a);
    for (uint32_t i = few; i < b->lanes; i++) assert_int_equal(count[i], 0x5a5a5a5a);
    free(sets), free(some);
}

/* Some rounds with lanes in random states: some choose, some take the first legal move of an order, some are
 * told. Where the circuit has turns, all lanes are in the same. */
static void check_circuit(struct rng *rng, const struct circuit *c, uint32_t lanes, bool machine)
{
    void (*view)(struct batch *) = c->period > 1 ? batch_view_turn : batch_view;
    struct error error;
    struct code *code = code_build(c, NULL, &error);
    assert_non_null(code);
    if (machine) assert_true(code_compile(code, lanes, NULL, &error));
    struct batch *b = batch_new(code, lanes, 7, &error);
    assert_non_null(b);
    uint32_t nwires = wire_gate(c, c->ngates), *order = malloc((c->nmoves + 1) * sizeof *order);
    bool *wires = calloc((size_t)b->lanes * nwires, 1);
    uint64_t *state = calloc(b->state_words + 1, 8),
             *sets = malloc((size_t)b->lanes * (c->nmoves / 64 + 1) * 8);
    uint32_t *chosen = malloc(b->lanes * c->nroles * sizeof *chosen);
    int16_t *goals = malloc(b->lanes * c->nroles * sizeof *goals);
    uint64_t park[BATCH_MAX_WORDS], uniform[BATCH_MAX_WORDS], first[BATCH_MAX_WORDS],
        was_parked[BATCH_MAX_WORDS];
    for (int round = 0; round < 3; round++) {
        for (uint32_t lane = 0; lane < b->lanes; lane++) {
            bool *w = wires + (size_t)lane * nwires;
            if (round == 0 || rng_below(rng, 4) == 0) {
                random_state(rng, b, state);
                if (c->period > 1) set_turn(c, (uint32_t)round % c->period, state);
                batch_set_state(b, lane, state);
            } else {
                batch_get_state(b, lane, state);
            }
            memset(w, 0, nwires);
            for (uint32_t i = 0; i < c->nbits; i++) w[wire_bit(c, i)] = bit(state, i);
            naive_evaluate(c, w);
        }
        view(b);
        for (uint32_t lane = 0; lane < b->lanes; lane++) check_view(b, lane, wires + (size_t)lane * nwires);
        for (uint32_t r = 0; r < c->nroles; r++) {
            uint32_t count[BATCH_MAX_LANES];
            check_few(b, r, 1 + rng_below(rng, b->lanes));
            batch_legal_sets(b, r, sets, count);
            for (uint32_t lane = 0; lane < b->lanes; lane++) {
                for (uint32_t m = c->move_base[r]; m < c->move_base[r + 1]; m++) {
                    bool legal = naive_edge(wires + (size_t)lane * nwires, c->legal[m]);
                    assert_int_equal(bit(sets + (size_t)lane * batch_set_words(b, r), m - c->move_base[r]),
                                     legal);
                    count[lane] -= legal;
                }
                assert_int_equal(count[lane], 0);
            }
        }
        for (uint32_t w = 0; w < b->words; w++) {
            park[w] = rng_next(rng);
            uniform[w] = rng_next(rng);
            first[w] = round == 1 ? 0 : ~uniform[w] & rng_next(rng);
        }
        batch_park(b, park);
        if (round % 2) { /* goals may be asked for before the step */
            batch_collect_goals(b, goals, NULL);
            for (uint32_t lane = 0; lane < b->lanes; lane++)
                if (bit(park, lane)) check_goals(c, goals + lane * c->nroles, wires + (size_t)lane * nwires);
            batch_park(b, park);
        }
        for (uint32_t lane = 0; lane < b->lanes; lane++)
            if (!bit(uniform, lane) && !bit(first, lane) && lane % 2)
                tell(rng, b, lane, wires + (size_t)lane * nwires);
        batch_choose(b, uniform);
        for (uint32_t r = 0; r < c->nroles && round != 1; r++) {
            uint32_t n = c->move_base[r + 1] - c->move_base[r];
            for (uint32_t i = 0; i < n; i++) order[i] = n - 1 - i;
            batch_choose_first(b, r, order, n, first);
        }
        for (uint32_t lane = 0; lane < b->lanes; lane++)
            if (!bit(uniform, lane) && !bit(first, lane) && !(lane % 2))
                tell(rng, b, lane, wires + (size_t)lane * nwires);
        for (uint32_t r = 0; r < c->nroles; r++) batch_moves(b, r, chosen + r * b->lanes);
        for (uint32_t lane = 0; lane < b->lanes; lane++) {
            bool *w = wires + (size_t)lane * nwires;
            for (uint32_t r = 0; r < c->nroles; r++) {
                uint32_t base = c->move_base[r], n = c->move_base[r + 1] - base, last = n;
                bool told = !bit(uniform, lane) && !bit(first, lane);
                uint32_t move = chosen[r * b->lanes + lane];
                assert_true(move < n);
                for (uint32_t m = 0; m < n; m++)
                    if (naive_edge(w, c->legal[base + m])) last = m;
                if (last == n && (!told || c->period > 1) && n > 1)
                    continue; /* nothing was legal: no move was made */
                if (!told && n > 1) assert_true(naive_edge(w, c->legal[base + move]));
                if (bit(first, lane) && n > 1) assert_int_equal(move, last);
                w[wire_move(c, base + move)] = true;
            }
            naive_evaluate(c, w);
        }
        batch_step(b);
        for (uint32_t lane = 0; lane < b->lanes; lane++) {
            batch_get_state(b, lane, state);
            for (uint32_t i = 0; i < c->nbits; i++)
                assert_int_equal(bit(state, i), naive_edge(wires + (size_t)lane * nwires, c->next[i]));
        }
        view(b); /* the next state's: parked lanes keep what they had */
        memset(goals, 0x55, b->lanes * c->nroles * sizeof *goals);
        batch_collect_goals(b, goals, was_parked);
        assert_memory_equal(was_parked, park, b->words * 8);
        for (uint32_t lane = 0; lane < b->lanes; lane++)
            if (bit(park, lane)) check_goals(c, goals + lane * c->nroles, wires + (size_t)lane * nwires);
    }
    free(order), free(wires), free(state), free(sets), free(chosen), free(goals);
    batch_free(b);
    code_free(code);
}

/* Some bits become a ring that goes round whatever is done, and a role that has but one move except in one
 * turn. */
static void add_turns(struct rng *rng, struct circuit *c)
{
    uint32_t turns = 2 + rng_below(rng, 3);
    for (uint32_t i = 0; i < turns; i++) {
        c->init[i] = i == 0;
        c->next[i] = wire_bit(c, (i + turns - 1) % turns) << 1;
    }
    for (uint32_t m = 0; m < c->move_base[1]; m++) c->legal[m] = wire_bit(c, 1) << 1 | (m == 0);
    cycle_find(c);
    assert_true(c->period % turns == 0);
    c->known_first = heap_zalloc(c->heap, (c->period + 1) * sizeof *c->known_first);
    for (uint32_t t = 0; t < c->period; t++) { /* some bits are always the same in a turn */
        for (uint32_t b = turns; b < c->nbits; b++)
            if (rng_below(rng, 8) == 0)
                vec_push(c->heap, &c->known, (struct known_bit){b, rng_below(rng, 2)});
        c->known_first[t + 1] = c->known.n;
    }
}

static void check_random_circuits(const uint32_t *widths, uint32_t n, bool machine, bool turns)
{
    struct rng rng;
    rng_init(&rng, 12345);
    for (int i = 0; i < 60; i++) {
        struct random_shape shape = {.nbits = (turns ? 5 : 0) + rng_below(&rng, 100),
                                     .nroles = 1 + rng_below(&rng, 3),
                                     .moves = 1 + rng_below(&rng, i % 4 ? 40 : 180),
                                     .gates = rng_below(&rng, 200),
                                     .loops = rng_below(&rng, 3),
                                     .width = 1 + rng_below(&rng, i % 5 ? 20 : 100)};
        struct circuit *c = random_circuit(&rng, &shape);
        if (turns) add_turns(&rng, c);
        check_circuit(&rng, c, widths[(uint32_t)i % n], machine);
        heap_free(c->heap);
    }
}

static void all_widths_agree_with_naive_evaluation(void **unused)
{
    uint32_t widths[4], n = batch_widths(widths);
    assert_true(n >= 1 && widths[0] == 64);
    check_random_circuits(widths, n, false, false);
}

static uint32_t compiled_widths(uint32_t widths[4])
{
    uint32_t all = batch_widths(widths), n = 0;
    for (uint32_t i = 0; i < all; i++)
        if (jit_available(widths[i])) widths[n++] = widths[i];
    if (n == 0) skip();
    return n;
}

static void machine_code_agrees_with_naive_evaluation(void **unused)
{
    uint32_t widths[4], n = compiled_widths(widths);
    check_random_circuits(widths, n, true, false);
}

static void the_code_of_a_turn_agrees_with_naive_evaluation(void **unused)
{
    uint32_t widths[4], n = compiled_widths(widths);
    check_random_circuits(widths, n, true, true);
}

/* A role with very many moves, each legal by one bit, and bits that are sums of them: some alone, some
 * together with what else is asked, some the same sum twice. */
static struct circuit *many_moves(struct rng *rng)
{
    enum { BITS = 45, MOVES = CODE_MANY_MOVES + 5, OTHERS = 20, SUMS = BITS / 2 };
    struct heap *heap = heap_new(0);
    struct circuit *c = heap_zalloc(heap, sizeof *c);
    c->heap = heap;
    c->nroles = 2;
    c->nbits = BITS;
    c->nmoves = MOVES + OTHERS;
    c->period = 1;
    c->init = heap_zalloc(heap, c->nbits);
    c->move_base = heap_zalloc(heap, 3 * sizeof *c->move_base);
    c->move_base[1] = MOVES;
    c->move_base[2] = c->nmoves;
    c->legal = heap_alloc(heap, c->nmoves * sizeof *c->legal);
    c->next = heap_alloc(heap, c->nbits * sizeof *c->next);
    for (uint32_t m = 0; m < c->nmoves; m++)
        c->legal[m] = m == 77 ? EDGE_TRUE /* always legal */ : wire_bit(c, rng_below(rng, BITS)) << 1;
    for (uint32_t i = 0; i < BITS; i++) {
        struct gate gate = {.first = c->edges.n};
        uint32_t rest = i % SUMS;
        for (uint32_t m = 0; m < c->nmoves; m++)
            if (m % (SUMS + 3) == rest) vec_push(heap, &c->edges, wire_move(c, m) << 1 | 1);
        if (i % 3) vec_push(heap, &c->edges, wire_bit(c, rng_below(rng, BITS)) << 1 | rng_below(rng, 2));
        gate.n = c->edges.n - gate.first;
        vec_push(heap, &c->gates, gate);
        c->next[i] = wire_gate(c, i) << 1 | rng_below(rng, 2);
    }
    c->ngates = BITS;
    c->phase_end[PHASE_STEP] = BITS;
    c->terminal = EDGE_FALSE;
    return c;
}

/* So many circuits of a kind for each width, interpreted and as machine code, some of them with turns. */
static void check_kind(struct circuit *(*make)(struct rng *rng), uint64_t seed, uint32_t times)
{
    uint32_t widths[4], n = batch_widths(widths);
    struct rng rng;
    rng_init(&rng, seed);
    for (uint32_t i = 0; i < times * n; i++) {
        bool machine = i >= n && jit_available(widths[i % n]);
        struct circuit *c = make(&rng);
        if (machine && i % 2) add_turns(&rng, c);
        check_circuit(&rng, c, widths[i % n], machine);
        heap_free(c->heap);
    }
}

static void sums_of_very_many_moves_agree_with_naive_evaluation(void **unused)
{
    check_kind(many_moves, 5, 4);
}

static uint32_t add_gate(struct circuit *c, const edge *in, uint32_t n)
{
    vec_push(c->heap, &c->gates, (struct gate){c->edges.n, n});
    for (uint32_t i = 0; i < n; i++) vec_push(c->heap, &c->edges, in[i]);
    return wire_gate(c, c->ngates++) << 1;
}

/* A role with moves (m a b c), each legal by what a and b ask, and by what b and c ask or nothing; some are
 * never legal, one always. Some have their inputs written out. Goals read a few, the step sums of many. */
static struct circuit *product_moves(struct rng *rng)
{
    enum { A = 19, B = 17, C = 53, BITS = A + B + 30, MOVES = A * B * C };
    struct heap *heap = heap_new(0);
    struct circuit *c = heap_zalloc(heap, sizeof *c);
    term number[C];
    c->heap = heap;
    c->terms = terms_new(heap);
    c->nroles = 2;
    c->nbits = BITS;
    c->nmoves = MOVES + 2;
    c->period = 1;
    c->init = heap_zalloc(heap, c->nbits);
    c->move_base = heap_zalloc(heap, 3 * sizeof *c->move_base);
    c->move_base[1] = MOVES;
    c->move_base[2] = c->nmoves;
    c->legal = heap_alloc(heap, c->nmoves * sizeof *c->legal);
    c->next = heap_alloc(heap, c->nbits * sizeof *c->next);
    c->move = heap_alloc(heap, c->nmoves * sizeof *c->move);
    for (uint32_t i = 0; i < C; i++) {
        char name[8];
        int length = snprintf(name, sizeof name, "%u", i);
        number[i] = term_atom(c->terms, symbol_intern(c->terms, name, (size_t)length));
    }
    symbol m = symbol_intern(c->terms, "m", 1);
    for (uint32_t i = 0; i < A * B; i++) {
        uint32_t x = i / B, y = i % B;
        edge ask[5] = {wire_bit(c, x) << 1, wire_bit(c, A + y) << 1 | 1};
        edge head = add_gate(c, ask, 2);
        for (uint32_t z = 0; z < C; z++) {
            uint32_t move = i * C + z, n = 1, t = A + B + (y * 7 + z) % 30;
            bool whole = rng_below(rng, 4) == 0;
            if (whole) n = 2;
            ask[0] = whole ? wire_bit(c, x) << 1 : head;
            if (z % A != x) ask[n++] = wire_bit(c, t) << 1;
            if (z % 3 == 1) ask[n++] = wire_bit(c, A + B + (t + z) % 30) << 1 | 1;
            c->legal[move] = n == 1 ? head : add_gate(c, ask, n);
            ask[1] = wire_bit(c, A + y) << 1 | 1;
            c->move[move] = term_make(c->terms, m, (term[]){number[x], number[y], number[z]}, 3);
        }
    }
    c->legal[5 * C + 7] = EDGE_FALSE;
    c->legal[9 * C + 7] = EDGE_TRUE;
    for (uint32_t k = 0; k < 2; k++) {
        c->legal[MOVES + k] = k ? EDGE_TRUE : wire_bit(c, 3) << 1;
        c->move[MOVES + k] = number[k];
    }
    c->phase_end[PHASE_VIEW] = c->ngates;
    for (uint32_t k = 0; k < 8; k++) {
        edge in[2] = {c->legal[rng_below(rng, MOVES)], wire_bit(c, k) << 1 | 1};
        edge e = add_gate(c, in, 2);
        vec_push(heap, &c->goals, (struct circuit_goal){k % 2, k * 10, e});
    }
    c->phase_end[PHASE_GOAL] = c->ngates;
    struct vec_u32 in = {0};
    for (uint32_t i = 0; i < BITS; i++) {
        in.n = 0;
        for (uint32_t k = i; k < MOVES; k += BITS) vec_push(heap, &in, wire_move(c, k) << 1 | 1);
        vec_push(heap, &in, wire_bit(c, rng_below(rng, BITS)) << 1);
        c->next[i] = add_gate(c, in.v, in.n) ^ rng_below(rng, 2);
    }
    c->phase_end[PHASE_STEP] = c->ngates;
    c->terminal = wire_bit(c, 0) << 1;
    return c;
}

static void moves_that_are_products_agree_with_naive_evaluation(void **unused)
{
    check_kind(product_moves, 6, 2);
}

/* Which of the moves that are products a number chooses, whether they have been listed or not. */
static void a_number_chooses_the_product_that_is_said(void **unused)
{
    struct error error;
    struct rng rng;
    rng_init(&rng, 8);
    uint32_t widths[4], n = batch_widths(widths), moves[BATCH_MAX_LANES];
    uint64_t draws[BATCH_MAX_LANES], all[BATCH_MAX_WORDS];
    int16_t goals[2 * BATCH_MAX_LANES];
    memset(all, 0xff, sizeof all);
    for (uint32_t i = 0; i < 2 * n; i++) {
        struct circuit *c = product_moves(&rng);
        struct code *code = code_build(c, NULL, &error);
        if (i >= n && jit_available(widths[i % n]))
            assert_true(code_compile(code, widths[i % n], NULL, &error));
        struct batch *b = batch_new(code, widths[i % n], 5, &error);
        assert_non_null(b->code->roles[0].parts);
        uint32_t most = c->move_base[1], *legal = malloc(most * sizeof *legal);
        uint64_t state[2];
        for (int round = 0; round < 4; round++) {
            for (uint32_t lane = 0; lane < b->lanes; lane++) {
                random_state(&rng, b, state);
                batch_set_state(b, lane, state);
                draws[lane] = rng_next(&rng);
            }
            batch_view(b);
            if (round % 2) batch_legal_wires(b, 0);
            batch_park(b, all);
            batch_collect_goals(b, goals, NULL);
            batch_choose_drawn(b, all, draws);
            batch_moves(b, 0, moves);
            for (uint32_t lane = 0; lane < b->lanes; lane++) {
                uint32_t k = batch_legal(b, lane, 0, legal);
                assert_int_equal(moves[lane], legal[batch_drawn(draws[lane], 0, k)]);
            }
            batch_step(b);
        }
        free(legal);
        batch_free(b);
        code_free(code);
        heap_free(c->heap);
    }
}

/* The state is the set of legal moves of both roles; nothing ever changes. */
static struct circuit *legal_is_state(uint32_t moves0, uint32_t moves1)
{
    struct heap *heap = heap_new(0);
    struct circuit *c = heap_zalloc(heap, sizeof *c);
    c->heap = heap;
    c->nroles = 2;
    c->nbits = c->nmoves = moves0 + moves1;
    c->init = heap_zalloc(heap, c->nbits);
    c->move_base = heap_zalloc(heap, 3 * sizeof *c->move_base);
    c->move_base[1] = moves0;
    c->move_base[2] = c->nmoves;
    c->legal = heap_alloc(heap, c->nmoves * sizeof *c->legal);
    c->next = heap_alloc(heap, c->nbits * sizeof *c->next);
    for (uint32_t i = 0; i < c->nbits; i++) c->legal[i] = c->next[i] = wire_bit(c, i) << 1;
    c->terminal = EDGE_FALSE;
    return c;
}

/* Upper 1e-6 quantile of chi-square, by Wilson and Hilferty. */
static double chi_square_limit(uint32_t freedom)
{
    double k = freedom, x = 1 - 2 / (9 * k) + 4.753 * sqrt(2 / (9 * k));
    return k * x * x * x;
}

static void each_legal_move_is_equally_likely_in_each_lane(void **unused)
{
    enum { ROUNDS = 4000, A = 37, B = 9 };
    struct error error;
    struct rng rng;
    rng_init(&rng, 99);
    uint32_t widths[4], nwidths = batch_widths(widths);
    struct circuit *c = legal_is_state(A, B);
    struct code *code = code_build(c, NULL, &error);
    struct batch *b = batch_new(code, widths[nwidths - 1], 5, &error);
    uint64_t state[1], everyone[BATCH_MAX_WORDS], *states = calloc(b->lanes, 8);
    uint32_t *seen = calloc((size_t)b->lanes * (A + B), sizeof *seen),
             *moves = malloc(b->lanes * sizeof *moves);
    uint32_t *together = calloc((size_t)b->lanes * A * B, sizeof *together),
             *moves1 = malloc(b->lanes * sizeof *moves1);
    memset(everyone, 0xff, sizeof everyone);
    for (uint32_t lane = 0; lane < b->lanes; lane++) { /* from one legal move each to nearly all */
        uint32_t density = rng_below(&rng, 64);
        state[0] = 0;
        for (uint32_t i = 0; i < A + B; i++) state[0] |= (uint64_t)(rng_below(&rng, 64) < density) << i;
        state[0] |= 1ull << rng_below(&rng, A) | 1ull << (A + rng_below(&rng, B));
        states[lane] = state[0];
        batch_set_state(b, lane, state);
    }
    for (int round = 0; round < ROUNDS; round++) {
        batch_view(b);
        batch_choose(b, everyone);
        batch_moves(b, 0, moves);
        batch_moves(b, 1, moves1);
        for (uint32_t lane = 0; lane < b->lanes; lane++) {
            seen[lane * (A + B) + moves[lane]]++;
            seen[lane * (A + B) + A + moves1[lane]]++;
            together[(lane * A + moves[lane]) * B + moves1[lane]]++;
        }
        batch_step(b);
    }
    double all = 0, all_freedom = 0;
    for (uint32_t lane = 0; lane < b->lanes; lane++)
        for (uint32_t r = 0; r < 2; r++) {
            uint32_t first = r ? A : 0, n = r ? B : A;
            uint64_t legal = states[lane] >> first & ((1ull << n) - 1);
            uint32_t k = (uint32_t)__builtin_popcountll(legal);
            double expected = (double)ROUNDS / k, chi = 0;
            for (uint32_t m = 0; m < n; m++) {
                double d = seen[lane * (A + B) + first + m] - expected;
                if (legal >> m & 1)
                    chi += d * d / expected;
                else
                    assert_int_equal(seen[lane * (A + B) + first + m], 0);
            }
            if (k > 1) assert_true(chi < chi_square_limit(k - 1));
            all += chi;
            all_freedom += k - 1;
        }
    /* over all lanes together the statistic is nearly normal: neither too uneven nor too even */
    assert_true(fabs(all - all_freedom) < 5 * sqrt(2 * all_freedom));
    all = all_freedom = 0;
    for (uint32_t lane = 0; lane < b->lanes; lane++) { /* the roles choose independently */
        uint64_t legal0 = states[lane] & ((1ull << A) - 1), legal1 = states[lane] >> A;
        uint32_t k0 = (uint32_t)__builtin_popcountll(legal0), k1 = (uint32_t)__builtin_popcountll(legal1);
        double expected = (double)ROUNDS / (k0 * k1), chi = 0;
        for (uint32_t i = 0; i < A * B; i++)
            if (legal0 >> i / B & legal1 >> i % B & 1) {
                double d = together[lane * A * B + i] - expected;
                chi += d * d / expected;
            }
        all += chi;
        all_freedom += k0 * k1 - 1;
    }
    assert_true(fabs(all - all_freedom) < 5 * sqrt(2 * all_freedom));
    free(states), free(seen), free(moves), free(moves1), free(together);
    batch_free(b);
    code_free(code);
    heap_free(c->heap);
}

/* A few legal moves among `moves` in each lane. */
static void few_legal(struct rng *rng, struct batch *b, uint32_t moves, uint64_t *sets, uint32_t *count)
{
    memset(sets, 0, (size_t)b->lanes * b->state_words * 8);
    for (uint32_t lane = 0; lane < b->lanes; lane++) {
        uint64_t *set = sets + (size_t)lane * b->state_words;
        uint32_t most = 1 + rng_below(rng, rng_below(rng, 4) ? 20 : moves);
        for (uint32_t i = 0; i < most; i++) set_bit(set, rng_below(rng, moves), true);
        count[lane] = 0;
        for (uint32_t i = 0; i < moves; i++) count[lane] += bit(set, i);
        set_bit(set, moves, true);
        batch_set_state(b, lane, set);
    }
}

/* Which of the legal moves a number given from outside chooses is said in batch.h, for trees of all heights.
 */
static void a_number_chooses_the_move_that_is_said(void **unused)
{
    static const uint32_t sizes[] = {2, 9, 16, 17, 40, 130, 700, 1000, 3000};
    struct error error;
    struct rng rng;
    rng_init(&rng, 4);
    uint32_t widths[4], nwidths = batch_widths(widths), moves[BATCH_MAX_LANES], count[BATCH_MAX_LANES];
    uint64_t draws[BATCH_MAX_LANES], mask[BATCH_MAX_WORDS];
    for (uint32_t k = 0; k < nwidths * (sizeof sizes / sizeof *sizes); k++) {
        uint32_t n = sizes[k / nwidths];
        struct circuit *c = legal_is_state(n, 1);
        struct code *code = code_build(c, NULL, &error);
        struct batch *b = batch_new(code, widths[k % nwidths], 5, &error);
        uint64_t *sets = malloc((size_t)b->lanes * b->state_words * 8);
        for (int round = 0; round < 30; round++) {
            few_legal(&rng, b, n, sets, count);
            for (uint32_t w = 0; w < b->words; w++) mask[w] = round % 3 ? rng_next(&rng) : ~(uint64_t)0;
            for (uint32_t lane = 0; lane < b->lanes; lane++) draws[lane] = rng_next(&rng);
            batch_view(b);
            batch_choose_drawn(b, mask, draws);
            batch_moves(b, 0, moves);
            const uint64_t *made = batch_made_wires(b, 0);
            uint32_t all[BATCH_MAX_LANES] = {0};
            for (uint32_t m = 0; m < n; m++)
                for (uint32_t lane = 0; lane < b->lanes; lane++) all[lane] += bit(made + m * b->words, lane);
            for (uint32_t lane = 0; lane < b->lanes; lane++) {
                assert_int_equal(all[lane], bit(mask, lane)); /* one move each, and others none */
                if (!bit(mask, lane)) continue;
                uint32_t rank = batch_drawn(draws[lane], 0, count[lane]), move = 0;
                for (; rank > 0 || !bit(sets + (size_t)lane * b->state_words, move); move++)
                    rank -= bit(sets + (size_t)lane * b->state_words, move);
                assert_int_equal(moves[lane], move);
            }
            batch_step(b);
        }
        free(sets);
        batch_free(b);
        code_free(code);
        heap_free(c->heap);
    }
}

/* The same as for few, in a tree of which only the nodes are looked at that lanes are in. */
static void each_legal_move_is_equally_likely_among_a_thousand(void **unused)
{
    enum { ROUNDS = 3000, N = 1000 };
    struct error error;
    struct rng rng;
    rng_init(&rng, 8);
    struct circuit *c = legal_is_state(N, 1);
    struct code *code = code_build(c, NULL, &error);
    struct batch *b = batch_new(code, 0, 5, &error);
    uint64_t everyone[BATCH_MAX_WORDS], *sets = malloc((size_t)b->lanes * b->state_words * 8);
    uint32_t *seen = calloc((size_t)b->lanes * N, sizeof *seen), count[BATCH_MAX_LANES],
             moves[BATCH_MAX_LANES];
    memset(everyone, 0xff, sizeof everyone);
    few_legal(&rng, b, N, sets, count);
    for (int round = 0; round < ROUNDS; round++) {
        batch_view(b);
        batch_choose(b, everyone);
        batch_moves(b, 0, moves);
        for (uint32_t lane = 0; lane < b->lanes; lane++) seen[lane * N + moves[lane]]++;
        batch_step(b);
    }
    double all = 0, all_freedom = 0;
    for (uint32_t lane = 0; lane < b->lanes; lane++) {
        double expected = (double)ROUNDS / count[lane], chi = 0;
        for (uint32_t m = 0; m < N; m++) {
            double d = seen[lane * N + m] - expected;
            if (bit(sets + (size_t)lane * b->state_words, m))
                chi += d * d / expected;
            else
                assert_int_equal(seen[lane * N + m], 0);
        }
        if (count[lane] > 1 && expected > 20) assert_true(chi < chi_square_limit(count[lane] - 1));
        all += chi;
        all_freedom += count[lane] - 1;
    }
    assert_true(fabs(all - all_freedom) < 5 * sqrt(2 * all_freedom));
    free(seen), free(sets);
    batch_free(b);
    code_free(code);
    heap_free(c->heap);
}

/* What a lane plays depends neither on the number of lanes nor on what the other lanes do. */
static void a_lane_plays_the_same_game_at_every_width(void **unused)
{
    enum { ROUNDS = 50, A = 40, B = 20 };
    struct error error;
    uint32_t widths[4], nwidths = batch_widths(widths), *moves = malloc(BATCH_MAX_LANES * sizeof *moves);
    uint32_t(*played)[ROUNDS][2] = calloc(BATCH_MAX_LANES, sizeof *played);
    uint64_t everyone[BATCH_MAX_WORDS];
    memset(everyone, 0xff, sizeof everyone);
    struct circuit *c = legal_is_state(A, B);
    struct code *code = code_build(c, NULL, &error);
    for (uint32_t i = 0; i < nwidths; i++) {
        struct batch *b = batch_new(code, widths[nwidths - 1 - i], 77, &error);
        for (int round = 0; round < ROUNDS; round++) {
            for (uint32_t lane = 0; lane < b->lanes; lane++) {
                struct rng rng;
                rng_init(&rng, (uint64_t)round << 32 | lane);
                uint64_t state[1] = {1ull | 1ull << A};
                /* in lanes below 64 one role at most has a choice: elsewhere both do */
                if (lane >= 64 || round % 2) state[0] |= rng_next(&rng) & ((1ull << A) - 1);
                if (lane >= 64 || round % 2 == 0) state[0] |= rng_next(&rng) << A & ((1ull << (A + B)) - 1);
                batch_set_state(b, lane, state);
            }
            batch_view(b);
            batch_choose(b, everyone);
            for (uint32_t r = 0; r < 2; r++) {
                batch_moves(b, r, moves);
                for (uint32_t lane = 0; lane < b->lanes; lane++)
                    if (i == 0)
                        played[lane][round][r] = moves[lane];
                    else
                        assert_int_equal(played[lane][round][r], moves[lane]);
            }
            batch_step(b);
        }
        batch_free(b);
    }
    free(moves), free(played);
    code_free(code);
    heap_free(c->heap);
}

static void tosses_come_out_as_often_as_asked(void **unused)
{
    struct error error;
    struct circuit *c = legal_is_state(2, 2);
    struct code *code = code_build(c, NULL, &error);
    struct batch *b = batch_new(code, 0, 3, &error);
    const double chances[] = {0, 0.01, 0.2, 0.5, 0.75, 1};
    for (uint32_t i = 0; i < 6; i++) {
        uint64_t mask[BATCH_MAX_WORDS];
        double n = 0, heads = 0, p = chances[i];
        for (int round = 0; round < 2000; round++) {
            batch_toss(b, p, mask);
            for (uint32_t w = 0; w < b->words; w++) heads += __builtin_popcountll(mask[w]), n += 64;
        }
        assert_true(fabs(heads - n * p) <= 5 * sqrt(n * p * (1 - p)));
    }
    batch_free(b);
    code_free(code);
    heap_free(c->heap);
}

/* Some bits of some lanes, in any order, go in and come out at every width; other lanes' rows stay as they
 * are. */
static void rows_go_in_and_out_of_the_lanes(void **unused)
{
    struct rng rng;
    struct error error;
    uint32_t widths[4], n = batch_widths(widths);
    struct circuit *c = legal_is_state(90, 60);
    struct code *code = code_build(c, NULL, &error);
    uint32_t nbits = c->nbits - 10, words = (nbits + 63) / 64, bits[1000], order[BATCH_MAX_LANES];
    static uint64_t rows[BATCH_MAX_LANES * 16], out[(BATCH_MAX_LANES + 1) * 16];
    (void)unused;
    assert_true(c->nbits < 1000 && words > 1 && words <= 16);
    rng_init(&rng, 18);
    for (uint32_t i = 0; i < nbits; i++) bits[i] = c->nbits - 1 - i;
    for (uint32_t w = 0; w < n; w++) {
        struct batch *b = batch_new(code, widths[w], 1, &error);
        uint64_t state[16];
        for (uint32_t round = 0; round < 8; round++) {
            uint32_t lanes = round ? 1 + rng_below(&rng, b->lanes) : b->lanes;
            const uint32_t *by = round % 2 ? order : NULL;
            for (uint32_t i = 0; i < b->lanes; i++) {
                order[i] = rng_below(&rng, b->lanes);
                for (uint32_t k = 0; k < words; k++) rows[i * words + k] = rng_next(&rng);
                rows[i * words + words - 1] &= (1ull << nbits % 64) - 1;
            }
            batch_put_rows(b, bits, nbits, rows, by, lanes);
            memset(out, 0xaa, sizeof out);
            batch_get_rows(b, bits, nbits, out, lanes);
            for (uint32_t lane = 0; lane < lanes; lane++) {
                const uint64_t *row = rows + (by ? order[lane] : lane) * words;
                assert_memory_equal(out + lane * words, row, words * 8);
                batch_get_state(b, lane, state);
                for (uint32_t i = 0; i < nbits; i++) assert_int_equal(bit(state, bits[i]), bit(row, i));
            }
            assert_true(out[lanes * words] == 0xaaaaaaaaaaaaaaaau);
        }
        batch_free(b);
    }
    code_free(code);
    heap_free(c->heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_widths_agree_with_naive_evaluation),
        cmocka_unit_test(machine_code_agrees_with_naive_evaluation),
        cmocka_unit_test(the_code_of_a_turn_agrees_with_naive_evaluation),
        cmocka_unit_test(sums_of_very_many_moves_agree_with_naive_evaluation),
        cmocka_unit_test(moves_that_are_products_agree_with_naive_evaluation),
        cmocka_unit_test(a_number_chooses_the_product_that_is_said),
        cmocka_unit_test(each_legal_move_is_equally_likely_in_each_lane),
        cmocka_unit_test(each_legal_move_is_equally_likely_among_a_thousand),
        cmocka_unit_test(a_number_chooses_the_move_that_is_said),
        cmocka_unit_test(a_lane_plays_the_same_game_at_every_width),
        cmocka_unit_test(tosses_come_out_as_often_as_asked),
        cmocka_unit_test(rows_go_in_and_out_of_the_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
