// SPDX-License-Identifier: GPL-3.0-or-later
/* From the circuit to the op list: what is computed (nodes), in which order, in which slots.
 *
 * A value is something that needs a slot: values 0..nwires-1 are the circuit's wires, further ones are
 * invented here (inverted copies, parked wires, bits put aside). A node computes one value from others.
 * Invariants: a node comes after the nodes of the values it reads, except inside loops; a node that writes a
 * state bit in place comes after all other nodes of the step that read that bit.
 */
#include "circuit/code.h"

#include "base/clock.h"

#include <assert.h>

#define NONE UINT32_MAX

struct code_node {
    uint32_t first, n; /* operands.v[first ..]: value << 1 | inverted */
    uint32_t value;    /* what it computes */
    uint32_t bit;      /* the state bit it writes in place, or NONE */
    bool inverted;     /* the result is stored inverted */
    uint32_t kind;
    uint32_t waits; /* nodes not yet done whose values it reads */
    uint32_t holds; /* nodes not yet done that read the bit it will overwrite */
};

struct builder {
    const struct circuit *c;
    struct code *code;
    struct heap *heap; /* for what is needed only while building */
    uint32_t nwires, first_gate;
    bool *stored_inverted; /* by wire: the slot holds the inverse */
    bool *sense_fixed;     /* by wire: somebody outside relies on stored_inverted */
    uint32_t *inverse;     /* by wire: value that holds the other sense, or 0 */
    bool *is_legal;        /* by wire: it is the legality of a move and lies where these do */
    uint32_t *park;        /* by wire: value of the parked copy, or 0 */
    uint32_t nvalues;
    VEC(struct code_node) nodes;
    VEC(uint32_t) operands;
    VEC(uint32_t) order;               /* nodes as they are to be executed */
    VEC(struct code_segment) segments; /* ranges of `order`, not yet of ops */
    VEC(uint32_t) cuts;                /* value << 1 | value of the bit */
    VEC(struct code_park) parks;       /* wires and values */
    VEC(uint32_t) staged;              /* pairs: value put aside, bit */
    uint32_t *legal;                   /* by move: the value that says so, or NONE: it never changes */
    uint32_t *slot;                    /* by value */
    uint32_t *last_use;                /* by value: position in `order` */
    uint32_t first_wire_slot;          /* slots from here on are used again */
};

static uint32_t new_value(struct builder *b)
{
    return b->nvalues++;
}

static bool is_gate(const struct builder *b, uint32_t wire)
{
    return wire >= b->first_gate;
}

static uint32_t begin_node(struct builder *b, uint32_t value, bool inverted)
{
    vec_push(b->heap, &b->nodes,
             (struct code_node){.first = b->operands.n, .value = value, .bit = NONE, .inverted = inverted});
    return b->nodes.n - 1;
}

/* An input of the node begun last. Plain inputs must be given before inverted ones. */
static void add_operand(struct builder *b, uint32_t value, bool inverted)
{
    vec_push(b->heap, &b->operands, value << 1 | inverted);
    vec_last(&b->nodes).n++;
}

static void end_node(struct builder *b)
{
    struct code_node *n = &vec_last(&b->nodes);
    if (n->n == 0) add_operand(b, 0, false); /* the empty conjunction */
    uint32_t plain = 0;
    while (plain < n->n && !(b->operands.v[n->first + plain] & 1)) plain++;
    uint32_t shape = n->n > CODE_SHAPE_INPUTS ? CODE_WIDE : code_shape(plain, n->n - plain);
    n->kind = shape * 2 + n->inverted;
    if (n->n > b->code->widest_gate) b->code->widest_gate = n->n;
}

/* A node that copies or inverts. */
static uint32_t copy_node(struct builder *b, uint32_t to, uint32_t from, bool inverted)
{
    uint32_t node = begin_node(b, to, false);
    add_operand(b, from, inverted);
    end_node(b);
    return node;
}

/* Somebody outside the circuit reads this edge: let the wire be stored in the sense he wants, if nobody came
 * first. */
static void want_sense(struct builder *b, edge e)
{
    uint32_t w = e >> 1;
    if (!is_gate(b, w) || b->sense_fixed[w]) return;
    b->sense_fixed[w] = true;
    b->stored_inverted[w] = e & 1;
}

/* The value that holds an edge as it is; where the wire is stored in the other sense a copy is made among the
 * nodes of the present phase. */
static uint32_t edge_value(struct builder *b, edge e)
{
    uint32_t w = e >> 1;
    if (b->stored_inverted[w] == (e & 1)) return w;
    if (!b->inverse[w]) {
        b->inverse[w] = new_value(b);
        copy_node(b, b->inverse[w], w, true);
    }
    return b->inverse[w];
}

static uint32_t parked_value(struct builder *b, uint32_t wire)
{
    if (wire == 0) return 0;
    if (!b->park[wire]) {
        b->park[wire] = new_value(b);
        vec_push(b->heap, &b->parks, (struct code_park){wire, b->park[wire]});
    }
    return b->park[wire];
}

/* The nodes of gates first .. first+n-1. With `parked`, what lies outside the gates of the goal phase is read
 * from its parked copy. */
static void gate_nodes(struct builder *b, uint32_t first, uint32_t n, uint32_t goal_begin, bool parked)
{
    const struct circuit *c = b->c;
    for (uint32_t g = first; g < first + n; g++) {
        const struct gate *gate = &c->gates.v[g];
        uint32_t wire = b->first_gate + g;
        begin_node(b, wire, b->stored_inverted[wire]);
        for (int sense = 0; sense < 2; sense++)
            for (uint32_t i = 0; i < gate->n; i++) {
                edge e = c->edges.v[gate->first + i];
                uint32_t w = e >> 1;
                if (((e & 1) ^ b->stored_inverted[w]) != sense) continue;
                if (parked && (!is_gate(b, w) || w - b->first_gate < goal_begin)) w = parked_value(b, w);
                add_operand(b, w, sense);
            }
        end_node(b);
        heap_poll(b->heap);
    }
}

/* --- Order ---------------------------------------------------------------------------------------------- */

/* Who waits for whom, as lists in one array: those of node i begin at start[i - first]. An entry is node <<
 * 1, plus 1 if the follower waits only in order to overwrite a state bit. */
struct followers {
    uint32_t *start, *v;
};

static struct followers find_followers(struct builder *b, uint32_t first, uint32_t last,
                                       const uint32_t *maker, const uint32_t *writer)
{
    struct code_node *nodes = b->nodes.v;
    uint32_t n = last - first;
    struct followers f = {.start = heap_zalloc(b->heap, (n + 2) * sizeof *f.start)};
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = first; i < last; i++)
            for (uint32_t k = 0; k < nodes[i].n; k++) {
                uint32_t v = b->operands.v[nodes[i].first + k] >> 1, before = maker[v];
                uint32_t after = v >= 1 && v <= b->c->nbits ? writer[v - 1] : NONE;
                if (before != NONE && before != i) {
                    if (pass)
                        f.v[f.start[before - first + 1]++] = i << 1, nodes[i].waits++;
                    else
                        f.start[before - first + 2]++;
                }
                if (after != NONE && after != i) {
                    if (pass)
                        f.v[f.start[i - first + 1]++] = after << 1 | 1, nodes[after].holds++;
                    else
                        f.start[i - first + 2]++;
                }
            }
        if (pass) break;
        for (uint32_t i = 1; i < n + 2; i++) f.start[i] += f.start[i - 1];
        f.v = heap_alloc(b->heap, f.start[n + 1] * sizeof *f.v);
    }
    return f;
}

/* Bring the nodes first .. last-1 into an order: always the kind with most nodes ready, so that runs are
 * long. When nothing is ready, bits wait for each other: one node gives up writing in place. */
static void schedule(struct builder *b, uint32_t first, uint32_t last)
{
    struct heap *heap = b->heap;
    struct code_node *nodes = b->nodes.v;
    if (first == last) return;
    uint32_t *maker = heap_alloc(heap, b->nvalues * sizeof *maker);          /* node of a value, or NONE */
    uint32_t *writer = heap_alloc(heap, (b->c->nbits + 1) * sizeof *writer); /* node that overwrites a bit */
    memset(maker, 0xff, b->nvalues * sizeof *maker);
    memset(writer, 0xff, (b->c->nbits + 1) * sizeof *writer);
    for (uint32_t i = first; i < last; i++) {
        maker[nodes[i].value] = i;
        if (nodes[i].bit != NONE) writer[nodes[i].bit] = i;
    }
    struct followers f = find_followers(b, first, last, maker, writer);
    struct vec_u32 ready[CODE_KINDS] = {0};
    for (uint32_t i = first; i < last; i++)
        if (nodes[i].waits + nodes[i].holds == 0) vec_push(heap, &ready[nodes[i].kind], i);
    uint32_t left = last - first, bit = 0;
    while (left > 0) {
        uint32_t kind = 0;
        for (uint32_t k = 1; k < CODE_KINDS; k++)
            if (ready[k].n > ready[kind].n) kind = k;
        if (ready[kind].n == 0) {
            uint32_t stuck; /* what comes next by what it reads is held up, or it would be ready */
            do stuck = writer[bit = (bit + 1) % b->c->nbits];
            while (stuck == NONE || nodes[stuck].waits > 0 || nodes[stuck].holds == 0);
            vec_push(heap, &b->staged, stuck);
            nodes[stuck].holds = 0;
            kind = nodes[stuck].kind;
            vec_push(heap, &ready[kind], stuck);
        }
        while (ready[kind].n > 0) {
            struct vec_u32 now = ready[kind]; /* first come first served: neighbours stay neighbours */
            ready[kind] = (struct vec_u32){0};
            for (uint32_t i = 0; i < now.n; i++) {
                uint32_t at = now.v[i] - first;
                vec_push(heap, &b->order, now.v[i]);
                left--;
                for (uint32_t k = f.start[at]; k < f.start[at + 1]; k++) {
                    struct code_node *next = &nodes[f.v[k] >> 1];
                    if (f.v[k] & 1) {
                        if (next->holds == 0) continue; /* it gave up */
                        next->holds--;
                    } else {
                        next->waits--;
                    }
                    if (next->waits + next->holds == 0) vec_push(heap, &ready[next->kind], f.v[k] >> 1);
                }
            }
            vec_free(heap, &now);
            heap_poll(heap);
        }
    }
    for (uint32_t k = 0; k < CODE_KINDS; k++) vec_free(heap, &ready[k]);
    heap_release(heap, f.v);
    heap_release(heap, f.start);
    heap_release(heap, writer);
    heap_release(heap, maker);
}

static void end_segment(struct builder *b, uint32_t begin, uint32_t cut_first)
{
    if (b->order.n == begin) return;
    vec_push(b->heap, &b->segments,
             (struct code_segment){begin, b->order.n, cut_first, b->cuts.n - cut_first});
}

/* The gates of a phase up to and without its last straight segment; returns the first gate of that. */
static uint32_t loops_of_phase(struct builder *b, uint32_t begin, uint32_t end, bool parked)
{
    const struct circuit *c = b->c;
    uint32_t at = begin;
    for (uint32_t l = 0; l < c->loops.n; l++) {
        const struct loop *loop = &c->loops.v[l];
        if (loop->first < begin || loop->first >= end) continue;
        uint32_t first = b->nodes.n, order = b->order.n;
        gate_nodes(b, at, loop->first - at, begin, parked);
        schedule(b, first, b->nodes.n);
        end_segment(b, order, b->cuts.n);
        first = b->nodes.n;
        order = b->order.n;
        uint32_t cut = b->cuts.n;
        gate_nodes(b, loop->first, loop->n, begin, parked);
        for (uint32_t i = first; i < b->nodes.n; i++) vec_push(b->heap, &b->order, i);
        for (uint32_t i = 0; i < loop->cut_n; i++) {
            edge e = c->cuts.v[loop->cut_first + i];
            vec_push(b->heap, &b->cuts, (e & ~1u) | (!(e & 1) ^ b->stored_inverted[e >> 1]));
        }
        end_segment(b, order, cut);
        at = loop->first + loop->n;
    }
    return at;
}

/* A value that nothing else has its place prescribed for: the legal moves of a role lie in a row. */
static uint32_t legal_value(struct builder *b, edge e)
{
    uint32_t w = e >> 1;
    if (w == 0) return NONE;
    if (is_gate(b, w) && b->stored_inverted[w] == (e & 1) && !b->is_legal[w]) {
        b->is_legal[w] = true;
        return w;
    }
    uint32_t value = new_value(b);
    copy_node(b, value, w, b->stored_inverted[w] != (e & 1));
    return value;
}

static void view_phase(struct builder *b)
{
    const struct circuit *c = b->c;
    uint32_t at = loops_of_phase(b, 0, c->phase_end[PHASE_VIEW], false);
    uint32_t first = b->nodes.n, order = b->order.n;
    gate_nodes(b, at, c->phase_end[PHASE_VIEW] - at, 0, false);
    for (uint32_t m = 0; m < c->nmoves; m++) b->legal[m] = legal_value(b, c->legal[m]);
    b->code->terminal = edge_value(b, c->terminal);
    schedule(b, first, b->nodes.n);
    end_segment(b, order, b->cuts.n);
    b->code->phase_end[PHASE_VIEW] = b->segments.n;
}

/* Goals read parked wires. The inverse of a wire may be known from the view, but that is not parked. */
static void goal_phase(struct builder *b)
{
    const struct circuit *c = b->c;
    uint32_t begin = c->phase_end[PHASE_VIEW], end = c->phase_end[PHASE_GOAL];
    uint32_t at = loops_of_phase(b, begin, end, true);
    uint32_t first = b->nodes.n, order = b->order.n;
    gate_nodes(b, at, end - at, begin, true);
    for (uint32_t g = 0; g < c->goals.n; g++) {
        edge e = c->goals.v[g].e;
        uint32_t w = e >> 1, value;
        bool own = is_gate(b, w) && w - b->first_gate >= begin;
        if (own || w == 0) {
            value = edge_value(b, e);
        } else {
            uint32_t parked = parked_value(b, w);
            value = parked;
            if (b->stored_inverted[w] != (e & 1)) {
                value = new_value(b);
                copy_node(b, value, parked, true);
            }
        }
        vec_push(b->code->heap, &b->code->goals,
                 (struct code_goal){c->goals.v[g].role, c->goals.v[g].value, value});
    }
    schedule(b, first, b->nodes.n);
    end_segment(b, order, b->cuts.n);
    b->code->phase_end[PHASE_GOAL] = b->segments.n;
}

static void step_phase(struct builder *b)
{
    const struct circuit *c = b->c;
    uint32_t begin = c->phase_end[PHASE_GOAL], end = c->phase_end[PHASE_STEP];
    uint32_t at = loops_of_phase(b, begin, end, false);
    uint32_t first = b->nodes.n, order = b->order.n;
    gate_nodes(b, at, end - at, begin, false);
    for (uint32_t bit = 0; bit < c->nbits; bit++) {
        edge e = c->next[bit];
        uint32_t w = e >> 1;
        if (e == wire_bit(c, bit) << 1) continue;
        uint32_t node = is_gate(b, w) && w - b->first_gate >= at ? first + (w - b->first_gate - at) : NONE;
        if (node == NONE || b->stored_inverted[w] != (e & 1) || b->nodes.v[node].bit != NONE)
            node = copy_node(b, new_value(b), w, b->stored_inverted[w] != (e & 1));
        b->nodes.v[node].bit = bit;
    }
    schedule(b, first, b->nodes.n);
    for (uint32_t i = 0; i < b->staged.n; i++) {
        struct code_node *aside = &b->nodes.v[b->staged.v[i]];
        uint32_t bit = aside->bit, value = aside->value;
        aside->bit = NONE;
        uint32_t node = copy_node(b, new_value(b), value, false);
        b->nodes.v[node].bit = bit;
        vec_push(b->heap, &b->order, node);
    }
    b->code->staged = b->staged.n;
    end_segment(b, order, b->cuts.n);
    b->code->phase_end[PHASE_STEP] = b->segments.n;
}

/* --- Slots ---------------------------------------------------------------------------------------------- */

static void use_until(struct builder *b, uint32_t value, uint32_t position)
{
    if (b->last_use[value] < position) b->last_use[value] = position;
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

static void assign_slots(struct builder *b)
{
    const struct circuit *c = b->c;
    struct heap *heap = b->heap;
    b->slot = heap_alloc(heap, (size_t)b->nvalues * sizeof *b->slot);
    b->last_use = heap_zalloc(heap, (size_t)b->nvalues * sizeof *b->last_use);
    memset(b->slot, 0xff, (size_t)b->nvalues * sizeof *b->slot);
    find_last_uses(b);
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

static void emit(struct builder *b)
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

static void build(struct builder *b)
{
    const struct circuit *c = b->c;
    struct heap *heap = b->heap;
    b->first_gate = wire_gate(c, 0);
    b->nwires = b->first_gate + c->ngates;
    b->nvalues = b->nwires + 1;
    b->stored_inverted = heap_zalloc(heap, b->nwires);
    b->sense_fixed = heap_zalloc(heap, b->nwires);
    b->inverse = heap_zalloc(heap, b->nwires * sizeof *b->inverse);
    b->inverse[0] = b->nwires; /* ones and zeros */
    b->park = heap_zalloc(heap, b->nwires * sizeof *b->park);
    b->is_legal = heap_zalloc(heap, b->nwires);
    b->legal = heap_alloc(heap, (c->nmoves + 1) * sizeof *b->legal);
    b->code->roles = heap_zalloc(b->code->heap, (c->nroles + 1) * sizeof *b->code->roles);
    for (uint32_t m = 0; m < c->nmoves; m++) want_sense(b, c->legal[m]);
    want_sense(b, c->terminal);
    for (uint32_t g = 0; g < c->goals.n; g++) want_sense(b, c->goals.v[g].e);
    for (uint32_t i = 0; i < c->nbits; i++) want_sense(b, c->next[i]);
    view_phase(b);
    goal_phase(b);
    step_phase(b);
    assign_slots(b);
    emit(b);
}

struct code *code_build(const struct circuit *c, const struct ground_limits *limits, struct error *error)
{
    struct heap *heap = heap_new(limits ? limits->bytes : 0);
    struct heap *work = heap_new(limits ? limits->bytes : 0);
    struct heap_guard guard, work_guard;
    struct code *volatile code = NULL;
    if (!heap || !work)
        error_set(error, ERROR_MEMORY, "no memory for the code of a circuit");
    else if (HEAP_ENTER(heap, &guard, error)) {
        if (HEAP_ENTER(work, &work_guard, error)) {
            work->cancel = limits ? limits->cancel : NULL;
            if (limits && limits->seconds > 0) work->deadline = clock_now() + limits->seconds;
            struct builder b = {.c = c, .heap = work};
            b.code = heap_zalloc(heap, sizeof *b.code);
            *b.code = (struct code){
                .heap = heap, .circuit = c, .nbits = c->nbits, .nmoves = c->nmoves, .nroles = c->nroles};
            build(&b);
            code = b.code;
            heap_leave(work);
        }
        heap_leave(heap);
    }
    heap_free(work);
    if (!code) heap_free(heap);
    return code;
}

void code_free(struct code *code)
{
    if (code) heap_free(code->heap);
}
