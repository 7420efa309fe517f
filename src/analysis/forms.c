// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/forms.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort(uint64_t *v, uint32_t n)
{
    if (n > 24) {
        qsort(v, n, sizeof *v, ascending);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        uint64_t x = v[i];
        uint32_t k = i;
        for (; k > 0 && v[k - 1] > x; k--) v[k] = v[k - 1];
        v[k] = x;
    }
}

uint64_t forms_open(uint32_t wire)
{
    return (hash_mix(0x27d4eb2f165667c5, wire) | 2) & ~1ull;
}

/* A gate as far as its inputs are known. */
static uint64_t simplify(struct forms *f, uint32_t g)
{
    const struct gate *gate = &f->c->gates.v[g];
    uint64_t *in = f->scratch, h = 0x165667b19e3779f9;
    uint32_t n = 0, kept = 0;
    heap_poll(f->heap);
    for (uint32_t i = 0; i < gate->n; i++) {
        uint64_t v = forms_value(f, f->c->edges.v[gate->first + i]);
        if (v == FORM_FALSE) return FORM_FALSE;
        if (v != FORM_TRUE) in[n++] = v;
    }
    sort(in, n);
    for (uint32_t i = 0; i < n; i++) {
        if (kept && in[kept - 1] == in[i]) continue;
        if (kept && (in[kept - 1] ^ 1) == in[i]) return FORM_FALSE;
        in[kept++] = in[i];
    }
    if (kept == 0) return FORM_TRUE;
    if (kept == 1) return in[0];
    for (uint32_t i = 0; i < kept; i++) h = hash_mix(h, in[i]);
    return (h | 2) & ~1ull;
}

static void touch(struct forms *f, uint32_t wire, uint64_t value)
{
    f->value[wire] = value;
    if (!f->is_touched[wire]) f->touched[f->ntouched++] = wire;
    f->is_touched[wire] = true;
    for (uint32_t i = f->first_reader[wire]; i < f->first_reader[wire + 1]; i++)
        f->pending[f->reader[i] / 64] |= 1ull << f->reader[i] % 64;
}

void forms_make(struct forms *f, uint32_t move)
{
    f->made++;
    touch(f, wire_move(f->c, move), FORM_TRUE);
    for (uint32_t w = 0; w * 64 < f->c->ngates; w++)
        while (f->pending[w]) {
            uint32_t g = w * 64 + (uint32_t)__builtin_ctzll(f->pending[w]), wire = wire_gate(f->c, g);
            f->pending[w] &= f->pending[w] - 1;
            uint64_t value = simplify(f, g);
            if (value != f->base[wire]) touch(f, wire, value);
        }
}

void forms_undo(struct forms *f)
{
    while (f->ntouched > 0) {
        uint32_t wire = f->touched[--f->ntouched];
        f->value[wire] = f->base[wire];
        f->is_touched[wire] = false;
    }
}

void forms_base(struct forms *f)
{
    const struct circuit *c = f->c;
    memcpy(f->value, f->given, wire_gate(c, 0) * sizeof *f->value);
    for (uint32_t g = 0; g < c->ngates; g++) {
        uint32_t wire = wire_gate(c, g);
        f->value[wire] = f->in_loop[g] ? forms_open(wire) : simplify(f, g);
    }
    memcpy(f->base, f->value, f->wires * sizeof *f->base);
    f->based++;
}

/* A wire is met once with a move; what does not depend on the move, once from one base to the next. */
static bool meet(struct forms *f, uint32_t wire)
{
    uint32_t *seen = f->is_touched[wire] ? &f->seen[wire] : &f->met[wire];
    uint32_t now = f->is_touched[wire] ? f->made : f->based;
    bool fresh = *seen != now;
    *seen = now;
    return fresh;
}

void forms_walk(struct forms *f, edge e, forms_sink *sink, void *to)
{
    const struct circuit *c = f->c;
    uint32_t n = 0, gates = wire_gate(c, 0), wire = e >> 1;
    if (f->value[wire] <= FORM_FALSE) return;
    if (meet(f, wire)) f->stack[n++] = wire;
    while (n > 0) {
        wire = f->stack[--n];
        if (wire < gates) continue;
        const struct gate *gate = &c->gates.v[wire - gates];
        heap_poll(f->heap);
        for (uint32_t i = 0; i < gate->n; i++) {
            uint32_t in = c->edges.v[gate->first + i] >> 1;
            if (f->value[in] <= FORM_FALSE) continue;
            sink(to, forms_node(f, wire), forms_node(f, in));
            if (meet(f, in)) f->stack[n++] = in;
        }
    }
}

static void list_readers(struct forms *f)
{
    const struct circuit *c = f->c;
    for (uint32_t i = 0; i < c->edges.n; i++) f->first_reader[(c->edges.v[i] >> 1) + 2]++;
    for (uint32_t w = 2; w <= f->wires; w++) f->first_reader[w] += f->first_reader[w - 1];
    for (uint32_t g = 0; g < c->ngates; g++)
        for (uint32_t i = 0; i < c->gates.v[g].n; i++)
            f->reader[f->first_reader[(c->edges.v[c->gates.v[g].first + i] >> 1) + 1]++] = g;
}

/* Does a loop depend on a move? Gates are read by later ones but for loops, so that one pass misses nothing
 * that is outside of them. */
static bool moves_in_loops(struct forms *f)
{
    const struct circuit *c = f->c;
    bool *moved = heap_zalloc(f->heap, f->wires * sizeof *moved), found = false;
    for (uint32_t m = 0; m < c->nmoves; m++) moved[wire_move(c, m)] = true;
    for (uint32_t g = 0; g < c->ngates && !found; g++) {
        for (uint32_t i = 0; i < c->gates.v[g].n; i++)
            moved[wire_gate(c, g)] |= moved[c->edges.v[c->gates.v[g].first + i] >> 1];
        found = moved[wire_gate(c, g)] && f->in_loop[g];
    }
    heap_release(f->heap, moved);
    return found;
}

bool forms_init(struct forms *f, struct heap *heap, const struct circuit *c)
{
    uint32_t wires = wire_gate(c, c->ngates), widest = 0;
    for (uint32_t g = 0; g < c->ngates; g++)
        if (c->gates.v[g].n > widest) widest = c->gates.v[g].n;
    *f = (struct forms){.heap = heap, .c = c, .wires = wires};
    f->given = heap_zalloc(heap, wire_gate(c, 0) * sizeof *f->given);
    f->value = heap_zalloc(heap, wires * sizeof *f->value);
    f->base = heap_zalloc(heap, wires * sizeof *f->base);
    f->reader = heap_zalloc(heap, (c->edges.n + 1) * sizeof *f->reader);
    f->first_reader = heap_zalloc(heap, (wires + 2) * sizeof *f->first_reader);
    f->pending = heap_zalloc(heap, (c->ngates / 64 + 1) * sizeof *f->pending);
    f->touched = heap_zalloc(heap, wires * sizeof *f->touched);
    f->is_touched = heap_zalloc(heap, wires * sizeof *f->is_touched);
    f->in_loop = heap_zalloc(heap, (c->ngates + 1) * sizeof *f->in_loop);
    f->scratch = heap_zalloc(heap, (widest + 1) * sizeof *f->scratch);
    f->stack = heap_zalloc(heap, 2 * wires * sizeof *f->stack);
    f->seen = heap_zalloc(heap, wires * sizeof *f->seen);
    f->met = heap_zalloc(heap, wires * sizeof *f->met);
    for (uint32_t i = 0; i < c->loops.n; i++)
        memset(f->in_loop + c->loops.v[i].first, true, c->loops.v[i].n * sizeof *f->in_loop);
    list_readers(f);
    return !moves_in_loops(f);
}
