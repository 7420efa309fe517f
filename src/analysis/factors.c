// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/factors_internal.h"

#include "base/clock.h"

#define MOST_BYTES ((size_t)1 << 30)

const char *const factor_join_names[] = {[JOIN_NONE] = "none",
                                         [JOIN_ONE] = "one",
                                         [JOIN_AND] = "and",
                                         [JOIN_OR] = "or",
                                         [JOIN_FUNCTION] = "function"};

/* --- Sets of wires -------------------------------------------------------------------------------------- */

uint32_t finder_set(struct finder *f, uint32_t wire)
{
    while (f->above[wire] != wire) wire = f->above[wire] = f->above[f->above[wire]];
    return wire;
}

/* The least stands for them: a bit, where there is one. */
bool finder_join(struct finder *f, uint32_t a, uint32_t b)
{
    a = finder_set(f, a);
    b = finder_set(f, b);
    f->above[a > b ? a : b] = a > b ? b : a;
    if (a != b && a <= f->c->nbits && b <= f->c->nbits) f->sets--;
    return a != b;
}

static void join_pair(void *to, uint32_t from, uint32_t wire)
{
    struct finder *f = to;
    uint32_t wires = f->forms.wires;
    if (!f->dull[wire % wires] && !f->dull[from % wires]) finder_join(f, from, wire);
}

void finder_join_below(struct finder *f, edge e, uint32_t with)
{
    if (f->forms.value[e >> 1] <= FORM_FALSE) return;
    join_pair(f, with, forms_node(&f->forms, e >> 1));
    forms_walk(&f->forms, e, join_pair, f);
}

void finder_undo(struct finder *f)
{
    for (uint32_t i = 0; i < f->forms.ntouched; i++) {
        uint32_t node = f->forms.wires + f->forms.touched[i];
        f->above[node] = node;
    }
    forms_undo(&f->forms);
}

void finder_base(struct finder *f)
{
    for (uint32_t w = wire_gate(f->c, 0); w < f->forms.wires; w++) f->above[w] = w;
    forms_base(&f->forms);
}

/* --- Time, and what nobody reads ------------------------------------------------------------------------ */

/* Bits that moves have an influence on, in any number of steps; all others are time. What goes round in a
 * loop takes as many passes as it has gates on the way. */
static void find_time(struct finder *f)
{
    const struct circuit *c = f->c;
    uint32_t wires = f->forms.wires;
    bool *moved = heap_zalloc(f->heap, wires * sizeof *moved);
    for (uint32_t m = 0; m < c->nmoves; m++) moved[wire_move(c, m)] = true;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t g = 0; g < c->ngates; g++) {
            bool *own = &moved[wire_gate(c, g)], before = *own;
            for (uint32_t i = 0; i < c->gates.v[g].n; i++)
                *own |= moved[c->edges.v[c->gates.v[g].first + i] >> 1];
            again |= *own != before && c->loops.n;
        }
        for (uint32_t b = 0; b < c->nbits; b++)
            if (moved[c->next[b] >> 1] && !moved[wire_bit(c, b)]) again = moved[wire_bit(c, b)] = true;
        heap_poll_slow(f->heap);
    }
    for (uint32_t w = 0; w < wires; w++) f->dull[w] = true;
    for (uint32_t b = 0; b < c->nbits; b++) f->dull[wire_bit(c, b)] = !moved[wire_bit(c, b)];
    finder_spread(f, f->dull, c->ngates);
}

void finder_spread(const struct finder *f, bool *all, uint32_t gates)
{
    const struct circuit *c = f->c;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t g = 0; g < gates; g++) {
            bool *own = &all[wire_gate(c, g)], before = *own;
            for (uint32_t i = 0; i < c->gates.v[g].n; i++)
                *own &= all[c->edges.v[c->gates.v[g].first + i] >> 1];
            again |= *own != before && c->loops.n;
        }
        heap_poll_slow(f->heap);
    }
}

void finder_reach(const struct finder *f, bool *needed)
{
    const struct circuit *c = f->c;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t g = c->ngates; g-- > 0;)
            for (uint32_t i = 0; needed[wire_gate(c, g)] && i < c->gates.v[g].n; i++) {
                bool *in = &needed[c->edges.v[c->gates.v[g].first + i] >> 1];
                again |= !*in && c->loops.n;
                *in = true;
            }
        heap_poll_slow(f->heap);
    }
}

static void find_read(struct finder *f)
{
    const struct circuit *c = f->c;
    bool *read = heap_zalloc(f->heap, f->forms.wires * sizeof *read);
    read[c->terminal >> 1] = true;
    for (uint32_t i = 0; i < c->goals.n; i++) read[c->goals.v[i].e >> 1] = true;
    for (uint32_t m = 0; m < c->nmoves; m++) read[c->legal[m] >> 1] = true;
    for (bool again = true; again;) {
        again = false;
        finder_reach(f, read);
        for (uint32_t b = 0; b < c->nbits; b++)
            if (read[wire_bit(c, b)] && !f->read[b]) again = f->read[b] = read[c->next[b] >> 1] = true;
        heap_poll_slow(f->heap);
    }
}

/* --- What was found ------------------------------------------------------------------------------------- */

static void number_parts(struct finder *f, struct factors *out)
{
    const struct circuit *c = f->c;
    uint32_t *number = heap_alloc(f->heap, f->forms.wires * sizeof *number);
    for (uint32_t w = 0; w < f->forms.wires; w++) number[w] = FACTOR_NONE;
    for (uint32_t b = 0; b < c->nbits; b++) {
        uint32_t wire = wire_bit(c, b);
        out->bit[b] = FACTOR_NONE;
        if (f->dull[wire])
            out->time++;
        else if (!f->read[b])
            out->unread++;
        else {
            uint32_t set = finder_set(f, wire);
            if (number[set] == FACTOR_NONE) {
                number[set] = out->n++;
                vec_push(f->heap, &out->parts, (struct factor){.stays = c->nroles == 1});
            }
            struct factor *part = &out->parts.v[out->bit[b] = number[set]];
            part->bits++;
            part->counts |= f->counts[b];
            part->stays &= f->stays[b];
        }
    }
    for (uint32_t i = 0; i < out->operands.n; i++) { /* they have sets yet */
        struct factor_operand *o = &out->operands.v[i];
        if (o->part != FACTOR_NONE) o->part = number[o->part];
    }
    for (uint32_t m = 0; m < c->nmoves; m++) out->move[m] = FACTOR_NONE;
    for (uint32_t i = 0; i < f->claims.n; i++) {
        const struct claim *it = &f->claims.v[i];
        uint32_t part = it->wire ? number[finder_set(f, it->wire)] : FACTOR_NONE;
        uint32_t *of = &out->move[it->move];
        if (part != FACTOR_NONE) *of = *of == FACTOR_NONE || *of == part ? part : FACTOR_SEVERAL;
    }
    for (uint32_t m = 0; m < c->nmoves; m++) {
        out->idle += out->move[m] == FACTOR_NONE;
        out->at_once |= out->move[m] == FACTOR_SEVERAL;
        if (out->move[m] < FACTOR_SEVERAL) out->parts.v[out->move[m]].moves++;
    }
}

static void find(struct factors *out, struct heap *heap, const struct circuit *c)
{
    struct finder *f = heap_zalloc(heap, sizeof *f);
    *f = (struct finder){.heap = heap, .c = c};
    out->bit = heap_zalloc(heap, (c->nbits + 1) * sizeof *out->bit);
    out->move = heap_zalloc(heap, (c->nmoves + 1) * sizeof *out->move);
    out->goal = heap_zalloc(heap, (c->goals.n + 1) * sizeof *out->goal);
    f->when = out->when = heap_zalloc(heap, (c->nmoves + 1) * sizeof *out->when);
    if (!forms_init(&f->forms, heap, c))
        heap_fail(heap, ERROR_INPUT, "what moves do is worked out by rules that go round in circles");
    f->above = heap_alloc(heap, 2 * f->forms.wires * sizeof *f->above);
    for (uint32_t w = 0; w < 2 * f->forms.wires; w++) f->above[w] = w;
    f->dull = heap_zalloc(heap, f->forms.wires * sizeof *f->dull);
    f->read = heap_zalloc(heap, (c->nbits + 1) * sizeof *f->read);
    f->stays = heap_zalloc(heap, (c->nbits + 1) * sizeof *f->stays);
    f->counts = heap_zalloc(heap, (c->nbits + 1) * sizeof *f->counts);
    for (uint32_t b = 0; b < c->nbits; b++) f->stays[b] = true;
    find_time(f);
    find_read(f);
    for (uint32_t b = 0; b < c->nbits; b++) f->sets += f->read[b] && !f->dull[wire_bit(c, b)];
    finder_study(f);
    finder_settle(f);
    finder_read_goals(f, out);
    number_parts(f, out);
}

bool factors_find(struct factors *f, const struct circuit *c, double seconds, const atomic_bool *cancel,
                  struct error *error)
{
    *f = (struct factors){.heap = heap_new(MOST_BYTES)};
    if (!f->heap) return error_set(error, ERROR_MEMORY, "out of memory");
    if (seconds > 0) f->heap->deadline = clock_now() + seconds;
    f->heap->cancel = cancel;
    struct heap_guard guard;
    if (HEAP_ENTER(f->heap, &guard, error)) {
        find(f, f->heap, c);
        heap_leave(f->heap);
        return true;
    }
    factors_done(f);
    return false;
}

void factors_done(struct factors *f)
{
    heap_free(f->heap);
    *f = (struct factors){0};
}
