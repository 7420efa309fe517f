// SPDX-License-Identifier: GPL-3.0-or-later
#include "circuit/code_internal.h"

/* --- Slots ---------------------------------------------------------------------------------------------- */

static void use_until(struct builder *b, uint32_t value, uint32_t position)
{
    if (b->last_use[value] < position) b->last_use[value] = position;
}

/* What must be in its slot when its segment is done. */
static void find_kept(struct builder *b)
{
    uint32_t *made_in = heap_alloc(b->heap, (size_t)b->nvalues * sizeof *made_in);
    memset(made_in, 0xff, (size_t)b->nvalues * sizeof *made_in);
    b->keep = heap_zalloc(b->heap, b->nvalues);
    for (uint32_t s = 0; s < b->segments.n; s++)
        for (uint32_t p = b->segments.v[s].begin; p < b->segments.v[s].end; p++) {
            const struct code_node *n = &b->nodes.v[b->order.v[p]];
            made_in[n->value] = s;
            b->keep[n->value] = n->bit != NONE;
        }
    for (uint32_t s = 0; s < b->segments.n; s++)
        for (uint32_t p = b->segments.v[s].begin; p < b->segments.v[s].end; p++) {
            const struct code_node *n = &b->nodes.v[b->order.v[p]];
            for (uint32_t k = 0; k < n->n; k++) {
                uint32_t v = b->operands.v[n->first + k] >> 1;
                b->keep[v] |= made_in[v] != s;
            }
        }
    for (uint32_t i = 0; i < b->cuts.n; i++) b->keep[b->cuts.v[i] >> 1] = true;
    for (uint32_t m = 0; m < b->c->nmoves; m++)
        if (b->legal[m] != NONE) b->keep[b->legal[m]] = true;
    for (uint32_t i = 0; i < b->parks.n; i++) b->keep[b->parks.v[i].from] = true;
    for (uint32_t g = 0; g < b->code->goals.n; g++) b->keep[b->code->goals.v[g].slot] = true;
    b->keep[b->code->terminal] = true;
    heap_release(b->heap, made_in);
}

static uint32_t phase_begin(const struct builder *b, enum circuit_phase phase)
{
    uint32_t s = phase == PHASE_VIEW ? 0 : b->code->phase_end[phase - 1];
    return s < b->segments.n ? b->segments.v[s].begin : b->order.n;
}

/* When is each value needed for the last time? Positions are those of `order`; in a loop everything is needed
 * until its last node. What choosing and parking read is needed until the step begins. */
static void find_last_uses(struct builder *b)
{
    struct code *code = b->code;
    uint32_t step = phase_begin(b, PHASE_STEP);
    for (uint32_t s = 0; s < b->segments.n; s++) {
        const struct code_segment *seg = &b->segments.v[s];
        for (uint32_t p = seg->begin; p < seg->end; p++) {
            const struct code_node *n = &b->nodes.v[b->order.v[p]];
            uint32_t until = seg->cut_n ? seg->end - 1 : p;
            for (uint32_t k = 0; k < n->n; k++) use_until(b, b->operands.v[n->first + k] >> 1, until);
            if (seg->cut_n) use_until(b, n->value, until);
        }
    }
    use_until(b, code->terminal, step);
    for (uint32_t i = 0; i < b->parks.n; i++) use_until(b, b->parks.v[i].from, step);
    for (uint32_t g = 0; g < code->goals.n; g++) use_until(b, code->goals.v[g].slot, step);
}

static void take_slot(struct builder *b, uint32_t position, struct vec_u32 *pool)
{
    const struct code_node *n = &b->nodes.v[b->order.v[position]];
    if (n->bit != NONE)
        b->slot[n->value] = b->slot[wire_bit(b->c, n->bit)];
    else if (b->slot[n->value] == NONE)
        b->slot[n->value] = pool->n ? vec_pop(pool) : b->code->nslots++;
}

static void give_slots(struct builder *b, struct vec_u32 *pool, const uint32_t *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = b->slot[values[i]];
        if (slot != NONE && slot >= b->first_wire_slot) vec_push(b->heap, pool, slot);
    }
}

/* Rows of slots for what a role does and what is legal for it; returns the first slot behind them. */
static uint32_t place_moves(struct builder *b, uint32_t role, uint32_t slot)
{
    const struct circuit *c = b->c;
    uint32_t first = c->move_base[role], n = c->move_base[role + 1] - first;
    uint32_t row = (n + CODE_BLOCK - 1) / CODE_BLOCK * CODE_BLOCK;
    b->code->roles[role] = (struct code_role){.does = slot, .legal = slot + row, .n = n};
    for (uint32_t m = 0; m < n; m++) {
        b->slot[wire_move(c, first + m)] = slot + m;
        if (b->legal[first + m] != NONE)
            b->slot[b->legal[first + m]] = slot + row + m;
        else if (c->legal[first + m] == EDGE_TRUE)
            vec_push(b->code->heap, &b->code->ones, slot + row + m);
    }
    return slot + 2 * row;
}

void code_assign_slots(struct builder *b)
{
    const struct circuit *c = b->c;
    struct heap *heap = b->heap;
    b->slot = heap_alloc(heap, (size_t)b->nvalues * sizeof *b->slot);
    b->last_use = heap_zalloc(heap, (size_t)b->nvalues * sizeof *b->last_use);
    memset(b->slot, 0xff, (size_t)b->nvalues * sizeof *b->slot);
    find_last_uses(b);
    if (b->deep) find_kept(b);
    /* values by the position of their last use */
    uint32_t npos = b->order.n + 1, *start = heap_zalloc(heap, (npos + 2) * sizeof *start);
    uint32_t *dying = heap_alloc(heap, (size_t)b->nvalues * sizeof *dying);
    for (uint32_t v = 0; v < b->nvalues; v++) start[b->last_use[v] + 2]++;
    for (uint32_t i = 1; i < npos + 2; i++) start[i] += start[i - 1];
    for (uint32_t v = 0; v < b->nvalues; v++) dying[start[b->last_use[v] + 1]++] = v;
    /* what has a place of its own for ever */
    b->slot[0] = SLOT_ONES;
    b->slot[b->nwires] = SLOT_ZEROS;
    uint32_t slot = SLOT_BITS;
    for (uint32_t i = 0; i < c->nbits; i++) b->slot[wire_bit(c, i)] = slot++;
    for (uint32_t r = 0; r < c->nroles; r++) slot = place_moves(b, r, slot);
    for (uint32_t i = 0; i < b->parks.n; i++) b->slot[b->parks.v[i].to] = slot++;
    b->code->nslots = b->first_wire_slot = slot;
    struct vec_u32 pool = {0};
    for (uint32_t s = 0; s < b->segments.n; s++) {
        const struct code_segment *seg = &b->segments.v[s];
        if (seg->cut_n) { /* in a loop all slots are taken before any is given free */
            for (uint32_t p = seg->begin; p < seg->end; p++) take_slot(b, p, &pool);
            give_slots(b, &pool, dying + start[seg->begin], start[seg->end] - start[seg->begin]);
        } else { /* a result may take the place of something read for the last time */
            for (uint32_t p = seg->begin; p < seg->end; p++) {
                give_slots(b, &pool, dying + start[p], start[p + 1] - start[p]);
                take_slot(b, p, &pool);
            }
        }
    }
}

/* --- Ops ------------------------------------------------------------------------------------------------ */

static void emit_segment(struct builder *b, const struct code_segment *seg)
{
    struct code *code = b->code;
    struct heap *heap = code->heap;
    uint32_t begin = code->ops.n, cut_first = code->cuts.n;
    for (uint32_t p = seg->begin, q; p < seg->end; p = q) {
        uint32_t kind = b->nodes.v[b->order.v[p]].kind;
        for (q = p; q < seg->end && b->nodes.v[b->order.v[q]].kind == kind; q++)
            ;
        vec_push(heap, &code->ops, kind | (q - p) << 8);
        code->runs++;
        for (uint32_t i = p; i < q; i++) {
            const struct code_node *n = &b->nodes.v[b->order.v[i]];
            const uint32_t *operand = b->operands.v + n->first;
            vec_push(heap, &code->ops, b->slot[n->value]);
            if (b->deep) vec_push(heap, &code->keep, b->keep[n->value]);
            if (kind / 2 == CODE_WIDE) {
                uint32_t plain = 0;
                while (plain < n->n && !(operand[plain] & 1)) plain++;
                vec_push(heap, &code->ops, plain);
                vec_push(heap, &code->ops, n->n - plain);
            }
            for (uint32_t k = 0; k < n->n; k++) vec_push(heap, &code->ops, b->slot[operand[k] >> 1]);
        }
    }
    for (uint32_t i = 0; i < seg->cut_n; i++) {
        uint32_t cut = b->cuts.v[seg->cut_first + i];
        vec_push(heap, &code->cuts, b->slot[cut >> 1] << 1 | (cut & 1));
    }
    vec_push(heap, &code->segments, (struct code_segment){begin, code->ops.n, cut_first, seg->cut_n});
}

void code_emit(struct builder *b)
{
    struct code *code = b->code;
    struct heap *heap = code->heap;
    for (uint32_t s = 0; s < b->segments.n; s++) emit_segment(b, &b->segments.v[s]);
    for (uint32_t i = 0; i < b->parks.n; i++)
        vec_push(heap, &code->parks,
                 (struct code_park){b->slot[b->parks.v[i].from], b->slot[b->parks.v[i].to]});
    code->terminal = b->slot[code->terminal];
    for (uint32_t g = 0; g < code->goals.n; g++) code->goals.v[g].slot = b->slot[code->goals.v[g].slot];
}
