// SPDX-License-Identifier: GPL-3.0-or-later
#include "circuit/code_internal.h"

#include "base/clock.h"
#include "circuit/cycle.h"
#include "circuit/jit.h"

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

uint32_t code_edge_value(struct builder *b, edge e)
{
    uint32_t w = e >> 1;
    if (b->stored_inverted[w] == (e & 1)) return w;
    if (!b->inverse[w]) {
        b->inverse[w] = code_new_value(b);
        copy_node(b, b->inverse[w], w, true);
    }
    return b->inverse[w];
}

void code_and_node(struct builder *b, uint32_t value, const uint32_t *of, uint32_t n)
{
    begin_node(b, value, false);
    for (uint32_t i = 0; i < n; i++) add_operand(b, of[i], false);
    end_node(b);
}

static uint32_t parked_value(struct builder *b, uint32_t wire)
{
    if (wire == 0) return 0;
    if (!b->park[wire]) {
        b->park[wire] = code_new_value(b);
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
        uint32_t wire = b->first_gate + g, sum = code_sum_of(b, gate);
        begin_node(b, wire, b->stored_inverted[wire]);
        for (int sense = 0; sense < 2; sense++)
            for (uint32_t i = 0; i < gate->n; i++) {
                edge e = c->edges.v[gate->first + i];
                uint32_t w = e >> 1;
                if (((e & 1) ^ b->stored_inverted[w]) != sense || (sum != NONE && code_in_sum(b, e)))
                    continue;
                if (parked && (!is_gate(b, w) || w - b->first_gate < goal_begin)) w = parked_value(b, w);
                add_operand(b, w, sense);
            }
        if (sum != NONE) add_operand(b, sum, true);
        end_node(b);
        heap_poll(b->heap);
    }
}

/* --- Phases --------------------------------------------------------------------------------------------- */

static void schedule(struct builder *b, uint32_t first, uint32_t last)
{
    (b->deep ? code_order_deep : code_order_runs)(b, first, last);
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
static uint32_t placed_value(struct builder *b, edge e)
{
    uint32_t w = e >> 1;
    if (is_gate(b, w) && b->stored_inverted[w] == (e & 1) && !b->is_legal[w]) {
        b->is_legal[w] = true;
        return w;
    }
    uint32_t value = code_new_value(b);
    copy_node(b, value, w, b->stored_inverted[w] != (e & 1));
    return value;
}

static void view_phase(struct builder *b)
{
    const struct circuit *c = b->c;
    uint32_t at = loops_of_phase(b, 0, c->phase_end[PHASE_VIEW], false);
    uint32_t first = b->nodes.n, order = b->order.n;
    gate_nodes(b, at, c->phase_end[PHASE_VIEW] - at, 0, false);
    for (uint32_t m = 0; m < c->nmoves; m++) /* those that never change have no value */
        b->legal[m] = c->legal[m] >> 1 ? placed_value(b, c->legal[m]) : NONE;
    for (uint32_t i = 0; i < c->kept.n; i++)
        vec_push(b->heap, &b->kept,
                 (struct code_kept){placed_value(b, c->kept.v[i]), b->base->kept.v[i].slot});
    b->code->terminal = code_edge_value(b, c->terminal);
    uint32_t list = code_find_parts(b, first);
    schedule(b, first, list);
    end_segment(b, order, b->cuts.n);
    b->code->list_begin = b->segments.n;
    order = b->order.n;
    schedule(b, list, b->nodes.n);
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
            value = code_edge_value(b, e);
        } else {
            uint32_t parked = parked_value(b, w);
            value = parked;
            if (b->stored_inverted[w] != (e & 1)) {
                value = code_new_value(b);
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
            node = copy_node(b, code_new_value(b), w, b->stored_inverted[w] != (e & 1));
        b->nodes.v[node].bit = bit;
    }
    schedule(b, first, b->nodes.n);
    for (uint32_t i = 0; i < b->staged.n; i++) {
        struct code_node *aside = &b->nodes.v[b->staged.v[i]];
        uint32_t bit = aside->bit, value = aside->value;
        aside->bit = NONE;
        uint32_t node = copy_node(b, code_new_value(b), value, false);
        b->nodes.v[node].bit = bit;
        vec_push(b->heap, &b->order, node);
    }
    b->code->staged = b->staged.n;
    end_segment(b, order, b->cuts.n);
    b->code->phase_end[PHASE_STEP] = b->segments.n;
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
    memset(b->legal, 0xff, (c->nmoves + 1) * sizeof *b->legal);
    b->code->roles = heap_zalloc(b->code->heap, (c->nroles + 1) * sizeof *b->code->roles);
    for (uint32_t m = 0; m < c->nmoves; m++) want_sense(b, c->legal[m]);
    want_sense(b, c->terminal);
    for (uint32_t i = 0; i < c->kept.n; i++) want_sense(b, c->kept.v[i]);
    for (uint32_t g = 0; g < c->goals.n; g++) want_sense(b, c->goals.v[g].e);
    for (uint32_t i = 0; i < c->nbits; i++) want_sense(b, c->next[i]);
    view_phase(b);
    goal_phase(b);
    step_phase(b);
    code_assign_slots(b);
    code_emit(b);
}

static const struct circuit *one_turn(struct heap *heap, const struct code *base, uint32_t turn)
{
    edge *kept = heap_alloc(heap, (base->kept.n + 1) * sizeof *kept);
    for (uint32_t i = 0; i < base->kept.n; i++) kept[i] = base->kept.v[i].e;
    return circuit_in_turn(heap, base->circuit, turn, kept, base->kept.n);
}

/* For all turns, or, with a base, for one of its turns. */
static struct code *build_code(const struct circuit *c, bool deep, const struct code *base, uint32_t turn,
                               const struct ground_limits *limits, struct error *error)
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
            struct builder b = {.c = c, .heap = work, .deep = deep, .base = base};
            if (base) b.c = one_turn(work, base, turn);
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

struct code *code_build(const struct circuit *c, const struct ground_limits *limits, struct error *error)
{
    return build_code(c, false, NULL, 0, limits, error);
}

static void drop_turns(struct code *code)
{
    for (uint32_t t = 0; code->turns && t < code->circuit->period; t++) code_free(code->turns[t]);
    code->turns = NULL;
}

/* One turn's slots come after another's. */
static bool build_turns(struct code *code, const struct ground_limits *limits, struct error *error)
{
    uint32_t period = code->circuit->period;
    struct heap_guard guard;
    if (period < 2) return true;
    if (!HEAP_ENTER(code->heap, &guard, error)) return false;
    code->turns = heap_zalloc(code->heap, period * sizeof *code->turns);
    heap_leave(code->heap);
    for (uint32_t t = 0; t < period; t++) {
        code->turns[t] = build_code(code->circuit, true, code, t, limits, error);
        if (!code->turns[t]) return false;
        code->nslots = code->turns[t]->nslots;
    }
    for (uint32_t t = 0; t < period; t++) code->turns[t]->nslots = code->nslots;
    return true;
}

bool code_compile(struct code *code, uint32_t lanes, const struct ground_limits *limits, struct error *error)
{
    if (!jit_available(lanes)) return error_set(error, ERROR_SYSTEM, "no machine code for this processor");
    if (!code->compiled) {
        code->compiled = build_code(code->circuit, true, NULL, 0, limits, error);
        struct error unimportant;
        if (code->compiled && !build_turns(code->compiled, limits, &unimportant)) drop_turns(code->compiled);
    }
    if (!code->compiled) return false;
    uint32_t width = code_width(lanes), turns = code->compiled->turns ? code->circuit->period : 0;
    for (uint32_t t = 0; t <= turns; t++) { /* all or none: the code of all turns comes last */
        struct code *one = t < turns ? code->compiled->turns[t] : code->compiled;
        if (!one->jit[width]) one->jit[width] = jit_compile(one, lanes, error);
        if (!one->jit[width]) return false;
    }
    return true;
}

void code_free(struct code *code)
{
    if (!code) return;
    code_free(code->compiled);
    drop_turns(code);
    for (uint32_t i = 0; i < CODE_WIDTHS; i++) jit_free(code->jit[i]);
    heap_free(code->heap);
}
