// SPDX-License-Identifier: GPL-3.0-or-later
/* The yardstick of the benchmarks must be right, too: event-driven propagation against naive evaluation. */
#include "../testing.h"

#include "event.h"
#include "naive.h"

static void check_state(struct event *e, const struct circuit *c, bool *wires)
{
    for (uint32_t i = 0; i < c->nbits; i++) wires[wire_bit(c, i)] = event_bit(e, i);
    naive_evaluate(c, wires);
    assert_int_equal(event_terminal(e), naive_edge(wires, c->terminal));
    for (uint32_t r = 0; r < c->nroles; r++) {
        const uint32_t *moves;
        uint32_t n = event_legal(e, r, &moves), expected = 0;
        for (uint32_t m = c->move_base[r]; m < c->move_base[r + 1]; m++)
            expected += naive_edge(wires, c->legal[m]);
        assert_int_equal(n, expected);
        for (uint32_t i = 0; i < n; i++) assert_true(naive_edge(wires, c->legal[c->move_base[r] + moves[i]]));
    }
}

static void check_goals(struct event *e, const struct circuit *c, const bool *wires)
{
    event_goals(e);
    for (uint32_t r = 0; r < c->nroles; r++) {
        int found = 0, value = -1;
        for (uint32_t i = 0; i < c->goals.n; i++)
            if (c->goals.v[i].role == r && naive_edge(wires, c->goals.v[i].e))
                found++, value = (int)c->goals.v[i].value;
        assert_int_equal(event_goal(e, r), found == 1 ? value : -1);
    }
}

static void follows_naive_evaluation_step_by_step(void **unused)
{
    struct rng rng;
    rng_init(&rng, 4711);
    for (int round = 0; round < 100; round++) {
        struct random_shape shape = {.nbits = rng_below(&rng, 60),
                                     .nroles = 1 + rng_below(&rng, 3),
                                     .moves = 1 + rng_below(&rng, 12),
                                     .gates = rng_below(&rng, 150),
                                     .loops = rng_below(&rng, 3),
                                     .width = 1 + rng_below(&rng, 10)};
        struct circuit *c = random_circuit(&rng, &shape);
        struct event *e = event_new(c);
        bool *wires = calloc(wire_gate(c, c->ngates), 1);
        uint32_t joint[3];
        for (int step = 0; step < 60; step++) {
            if (step % 20 == 0) {
                event_restart(e);
                for (uint32_t i = 0; i < c->nbits; i++) assert_int_equal(event_bit(e, i), c->init[i]);
            }
            check_state(e, c, wires);
            if (step % 5 == 0) check_goals(e, c, wires);
            memset(wires + wire_move(c, 0), 0, c->nmoves);
            for (uint32_t r = 0; r < c->nroles; r++) {
                joint[r] = rng_below(&rng, c->move_base[r + 1] - c->move_base[r]);
                wires[wire_move(c, c->move_base[r] + joint[r])] = true;
            }
            naive_evaluate(c, wires);
            event_step(e, joint);
            for (uint32_t i = 0; i < c->nbits; i++)
                assert_int_equal(event_bit(e, i), naive_edge(wires, c->next[i]));
        }
        free(wires);
        event_free(e);
        heap_free(c->heap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(follows_naive_evaluation_step_by_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
