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
    for (uint32_t i = 0; i < b->kept.n; i++) b->keep[b->kept.v[i].e] = true;
    for (uint32_t g = 0; g < b->code->goals.n; g++) b->keep[b->code->goals.v[g].slot] = true;
    b->keep[b->code->terminal] = true;
    for (uint32_t i = 0; i < b->part_values.n; i++) b->keep[b->part_values.v[i]] = true;
    heap_release(b->heap, made_in);
}

static uint32_t phase_begin(const struct builder *b, enum circuit_phase phase)
{
    uint32_t s = phase == PHASE_VIEW ? 0 : b->code->phase_end[phase - 1];
    return s < b->segments.n ? b->segments.v[s].begin : b->order.n;
}

/* When is each value needed for the last time? Positions are those of `order`; in a loop everything is needed
 * until its last node. What choosing, listing and parking read is needed until the step begins. */
static void find_last_uses(struct builder *b)
{
    struct code *code = b->code;
    uint32_t step = phase_begin(b, PHASE_STEP);
    for (uint32_t s = 0; s < b->segments.n; s++) {
        const struct code_segment *seg = &b->segments.v[s];
        for (uint32_t p = seg->begin; p < seg->end; p++) {
            const struct code_node *n = &b->nodes.v[b->order.v[p]];
            uint32_t until = seg->cut_n ? seg->end - 1 : p;
            if (s >= code->list_begin && s < code->phase_end[PHASE_VIEW]) until = step;
            for (uint32_t k = 0; k < n->n; k++) use_until(b, b->operands.v[n->first + k] >> 1, until);
            if (seg->cut_n) use_until(b, n->value, until);
        }
    }
    use_until(b, code->terminal, step);
    for (uint32_t i = 0; i < b->part_values.n; i++) use_until(b, b->part_values.v[i], step);
    for (uint32_t i = 0; i < b->parks.n; i++) use_until(b, b->parks.v[i].from, step);
    for (uint32_t g = 0; g < code->goals.n; g++) use_until(b, code->goals.v[g].slot, step);
}

static void take_slot(struct builder *b, uint32_t position, struct vec_u32 *pool)
{
    const struct code_node *n = &b->nodes.v[b->order.v[position]];
    if (n->bit != NONE)
        b->slot[n->value] = b->slot[wire_bit(b->c, n->bit)], b->fixed[n->value] = true;
    else if (b->slot[n->value] == NONE)
        b->slot[n->value] = pool->n ? vec_pop(pool) : b->code->nslots++;
}

static void give_slots(struct builder *b, struct vec_u32 *pool, const uint32_t *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = b->slot[values[i]];
        if (slot != NONE && !b->fixed[values[i]]) vec_push(b->heap, pool, slot);
    }
}

/* Rows of slots for what a role does and what is legal for it; returns the first slot behind them. */
static uint32_t place_moves(struct builder *b, uint32_t role, uint32_t slot)
{
    const struct circuit *c = b->c;
    uint32_t first = c->move_base[role], n = c->move_base[role + 1] - first;
    uint32_t row = (n + CODE_BLOCK - 1) / CODE_BLOCK * CODE_BLOCK, possible = 0;
    struct code_role *r = &b->code->roles[role];
    *r = (struct code_role){.does = slot, .legal = slot + row, .n = n, .parts = r->parts};
    for (uint32_t m = 0; m < n; m++)
        if (c->legal[first + m] != EDGE_FALSE) possible++, r->only = m;
    /* In a turn a role often has one move that is always legal. Then one row says both: it never changes. */
    bool constant = b->base && possible == 1 && c->legal[first + r->only] == EDGE_TRUE;
    if (constant) r->legal = r->does;
    r->forced = constant || n == 1;
    for (uint32_t m = 0; m < n; m++) {
        b->slot[wire_move(c, first + m)] = r->does + m;
        if (b->legal[first + m] != NONE)
            b->slot[b->legal[first + m]] = r->legal + m;
        else if (c->legal[first + m] == EDGE_TRUE)
            vec_push(b->code->heap, &b->code->ones, r->legal + m);
    }
    if (n == 1) vec_push(b->code->heap, &b->code->ones, r->does);
    return r->legal + row;
}

/* The slots that an operation of the segment writes. */
static void mark_written(const struct code *code, const struct code_segment *s, bool *mark)
{
    for (uint32_t at = s->begin; at < s->end;) {
        uint32_t shape = (code->ops.v[at] & 255) / 2, count = code->ops.v[at] >> 8, n = 1;
        while (shape != CODE_WIDE && code_shape(0, n) < shape) n++;
        for (at++; count > 0; count--) {
            const uint32_t *op = code->ops.v + at;
            mark[op[0]] = true;
            at += shape == CODE_WIDE ? 3 + op[1] + op[2] : 1 + n;
        }
    }
}

/* Where a turn keeps what it needs for a while: where the base does, too, but for what the base does between
 * a turn's view and its step: parking and goals. */
static void borrow_slots(struct builder *b, struct vec_u32 *pool)
{
    const struct code *base = b->base;
    bool *taken = heap_zalloc(b->heap, base->own_slots + 1);
    for (uint32_t i = 0; i < base->kept.n; i++) taken[base->kept.v[i].slot] = true;
    for (uint32_t s = base->phase_end[PHASE_VIEW]; s < base->phase_end[PHASE_GOAL]; s++)
        mark_written(base, &base->segments.v[s], taken);
    for (uint32_t s = base->own_slots; s > base->first_wire_slot; s--)
        if (!taken[s - 1]) vec_push(b->heap, pool, s - 1);
    heap_release(b->heap, taken);
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
    if (b->base) slot = b->base->nslots;
    for (uint32_t r = 0; r < c->nroles; r++) slot = place_moves(b, r, slot);
    for (uint32_t i = 0; i < b->parks.n; i++) b->slot[b->parks.v[i].to] = slot++;
    for (uint32_t i = 0; i < b->kept.n; i++) b->slot[b->kept.v[i].e] = b->kept.v[i].slot;
    for (uint32_t i = 0; i < b->sums.n; i++) b->slot[b->sums.v[i].value] = slot++;
    b->code->nslots = b->code->first_wire_slot = slot;
    b->fixed = heap_alloc(heap, b->nvalues);
    for (uint32_t v = 0; v < b->nvalues; v++) b->fixed[v] = b->slot[v] != NONE;
    struct vec_u32 pool = {0};
    if (b->base) borrow_slots(b, &pool);
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
    code_emit_sums(b);
    code_emit_parts(b);
    for (uint32_t i = 0; i < b->parks.n; i++)
        vec_push(heap, &code->parks,
                 (struct code_park){b->slot[b->parks.v[i].from], b->slot[b->parks.v[i].to]});
    code->own_slots = code->nslots;
    for (uint32_t i = 0; i < b->parks.n; i++) {
        uint32_t w = b->parks.v[i].from;
        if (w >= b->first_gate)
            vec_push(heap, &code->kept, (struct code_kept){w << 1 | b->stored_inverted[w], b->slot[w]});
    }
    code->terminal = b->slot[code->terminal];
    for (uint32_t g = 0; g < code->goals.n; g++) code->goals.v[g].slot = b->slot[code->goals.v[g].slot];
}
