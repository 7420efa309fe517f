// SPDX-License-Identifier: GPL-3.0-or-later
#include "circuit/derive.h"

#include "base/clock.h"
#include "circuit/batch.h"
#include "circuit/reduce.h"

#include <math.h>

void circuit_close(const struct circuit *c, bool *marks)
{
    for (uint32_t g = c->ngates; g-- > 0;)
        for (uint32_t i = 0; marks[wire_gate(c, g)] && i < c->gates.v[g].n; i++)
            marks[c->edges.v[c->gates.v[g].first + i] >> 1] = true;
}

struct circuit *circuit_derive(const struct circuit *c,
                               void (*build)(struct circuit *out, const struct circuit *c), double seconds,
                               const atomic_bool *cancel, struct error *error)
{
    if (c->loops.n)
        return error_set(error, ERROR_INPUT, "nothing is foreseen where rules go round in circles"), NULL;
    struct heap *heap = heap_new(0);
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    if (seconds > 0) heap->deadline = clock_now() + seconds;
    heap->cancel = cancel;
    struct heap_guard guard;
    if (HEAP_ENTER(heap, &guard, error)) {
        struct circuit *out = heap_zalloc(heap, sizeof *out);
        out->heap = heap;
        build(out, c);
        heap->deadline = 0;
        heap->cancel = NULL;
        heap_leave(heap);
        return out;
    }
    heap_free(heap);
    return NULL;
}

bool derived_make(struct derived *d, derivation *how, const struct circuit *c, double seconds,
                  const atomic_bool *cancel, struct error *error)
{
    struct error ignored;
    uint32_t widths[4], n = batch_widths(widths);
    double end = clock_now() + seconds;
    *d = (struct derived){.circuit = how(c, seconds, cancel, error)};
    if (!d->circuit) return false;
    struct ground_limits left = {.cancel = cancel};
    if (seconds > 0) left.seconds = fmax(1e-3, end - clock_now());
    d->code = code_build(d->circuit, &left, error);
    if (!d->code) return derived_done(d), false;
    for (uint32_t i = 0; i < n; i++) code_compile(d->code, widths[i], &left, &ignored);
    return true;
}

void derived_done(struct derived *d)
{
    code_free(d->code);
    circuit_free(d->circuit);
    *d = (struct derived){0};
}
