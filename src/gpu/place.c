// SPDX-License-Identifier: GPL-3.0-or-later
/* Which wires are in registers and which in slots of memory, instruction by instruction.
 *
 * Invariants: a value that is needed again is in a register or in its slot; a register is written once, so
 * that what was put aside is read into a new one. When there are too many in registers the one goes that is
 * needed last (Belady). A loop begins and ends with everything in slots: so it does not matter how often it
 * is swept. What was in slots before a loop stays there until it has ended. */
#include "gpu/plan.h"

#define NEVER UINT32_MAX

struct value {
    uint32_t use_first, use_n, use_at; /* positions at which it is read; the next one */
    uint32_t reg, slot;                /* or GPU_NOTHING */
    uint32_t held;                     /* its place in the list of registers, if reg */
    bool inverted;                     /* what is held is its inverse */
    bool again;                        /* in neither: it is computed once more when it is needed */
    uint8_t pins;                      /* its register must not be taken now */
    bool always;                       /* made in a loop and read outside: goes to its slot at once */
};

struct placer {
    const struct gpu_plan *plan;
    const struct gpu_order *order;
    struct heap *heap;
    struct value *value;  /* by node */
    struct vec_u32 uses;  /* positions */
    struct vec_u32 in;    /* nodes that have a register */
    struct vec_u32 pool;  /* free slots */
    struct vec_u32 later; /* slots that are free when the loop has ended */
    uint32_t room, slots; /* registers for wires; slots that cost little */
    uint32_t position, loop;
    uint32_t *final; /* by node: the input it is the next value of, or GPU_NOTHING */
    struct gpu_places out;
};

static struct gpu_instruction *emit(struct placer *p, enum gpu_instruction_kind kind)
{
    vec_push(p->heap, &p->out.code, (struct gpu_instruction){.kind = kind});
    return &vec_last(&p->out.code);
}

static uint32_t next_use(const struct placer *p, const struct value *v)
{
    return v->use_at < v->use_n ? p->uses.v[v->use_first + v->use_at] : NEVER;
}

/* --- Who reads what, when ------------------------------------------------------------------------------- */

typedef void each_read(struct placer *p, uint32_t node, uint32_t position);

static void count_read(struct placer *p, uint32_t node, uint32_t position)
{
    p->value[node].use_n++;
}

static void note_read(struct placer *p, uint32_t node, uint32_t position)
{
    struct value *v = &p->value[node];
    p->uses.v[v->use_first + v->use_at++] = position;
}

static void read_all(struct placer *p, each_read *read)
{
    const struct gpu_plan *plan = p->plan;
    for (uint32_t i = 0; i < p->order->ops.n; i++) {
        const struct gpu_op *op = &p->order->ops.v[i];
        const struct lut_node *g = &plan->net.nodes.v[op->a];
        if (op->kind == GPU_OP_GATE)
            for (uint32_t k = 0; k < g->n; k++) read(p, g->in[k], i);
        else if (op->kind == GPU_OP_COUNT)
            read(p, op->a >> 1, i);
        else if (op->kind == GPU_OP_AGAIN)
            for (uint32_t k = 0; k < plan->loops.v[op->a].n; k++) {
                const struct gpu_cut *cut = &plan->cuts.v[plan->loops.v[op->a].first + k];
                if (cut->made >> 1) read(p, cut->made >> 1, i);
                read(p, cut->leaf >> 1, i);
            }
        else if (op->kind == GPU_OP_END)
            for (uint32_t k = 0; k < plan->ninputs; k++)
                if (plan->out[k] != GPU_NOTHING && plan->out[k] >> 1) read(p, plan->out[k] >> 1, i);
    }
}

static void find_uses(struct placer *p)
{
    uint32_t n = p->plan->net.nodes.n, all = 0;
    read_all(p, count_read);
    for (uint32_t i = 0; i < n; i++) {
        p->value[i].use_first = all;
        all += p->value[i].use_n;
    }
    vec_resize_zero(p->heap, &p->uses, all);
    read_all(p, note_read);
    for (uint32_t i = 0; i < n; i++) p->value[i].use_at = 0;
}

/* Wires are held as those want them who cannot invert; what loops must keep is found. */
static void find_senses(struct placer *p)
{
    const struct gpu_plan *plan = p->plan;
    bool *fixed = heap_zalloc(p->heap, plan->net.nodes.n);
    struct vec_u32 wanted = {0};
    for (uint32_t i = 0; i < plan->ninputs; i++)
        if (plan->out[i] != GPU_NOTHING) vec_push(p->heap, &wanted, plan->out[i]);
    for (uint32_t i = 0; i < plan->cuts.n; i++) vec_push(p->heap, &wanted, plan->cuts.v[i].made);
    for (uint32_t i = 0; i < plan->roots.n; i++)
        if (plan->roots.v[i].counter < GPU_PERHAPS) vec_push(p->heap, &wanted, plan->roots.v[i].literal);
    for (uint32_t i = 0; i < wanted.n; i++) {
        uint32_t node = wanted.v[i] >> 1;
        if (plan->net.nodes.v[node].kind != LUT_GATE || fixed[node]) continue;
        fixed[node] = true;
        p->value[node].inverted = wanted.v[i] & 1;
    }
    heap_release(p->heap, fixed);
    vec_free(p->heap, &wanted);
    uint32_t loop = LUT_STRAIGHT;
    for (uint32_t i = 0; i < p->order->ops.n;
         i++) { /* the first pass over all reads: which come from outside */
        const struct gpu_op *op = &p->order->ops.v[i];
        if (op->kind == GPU_OP_SWEEP) loop = op->a;
        if (op->kind == GPU_OP_AGAIN) loop = LUT_STRAIGHT;
        if (op->kind != GPU_OP_GATE && op->kind != GPU_OP_COUNT && op->kind != GPU_OP_END) continue;
        const struct lut_node *g = &plan->net.nodes.v[op->a];
        if (op->kind == GPU_OP_GATE)
            for (uint32_t k = 0; k < g->n; k++)
                if (plan->net.nodes.v[g->in[k]].loop != loop) p->value[g->in[k]].always = true;
        if (op->kind == GPU_OP_COUNT) p->value[op->a >> 1].always = true;
        if (op->kind == GPU_OP_END)
            for (uint32_t k = 0; k < plan->ninputs; k++)
                if (plan->out[k] != GPU_NOTHING) p->value[plan->out[k] >> 1].always = true;
    }
    for (uint32_t i = 0; i < plan->net.nodes.n; i++)
        p->value[i].always &= plan->net.nodes.v[i].loop != LUT_STRAIGHT;
}

/* --- Slots and registers -------------------------------------------------------------------------------- */

/* It can be had from the device's memory again. */
static bool is_start(const struct placer *p, uint32_t node)
{
    return p->plan->net.nodes.v[node].kind == LUT_START;
}

static uint32_t new_slot(struct placer *p)
{
    if (p->pool.n) return vec_pop(&p->pool);
    vec_push(p->heap, &p->out.traffic, 0);
    return p->out.nslots++;
}

static void store(struct placer *p, uint32_t node)
{
    struct value *v = &p->value[node];
    if (v->slot == GPU_NOTHING) v->slot = new_slot(p);
    struct gpu_instruction *i = emit(p, GPU_STORE);
    i->in[0] = v->reg;
    i->slot = v->slot;
    p->out.traffic.v[v->slot]++;
    p->out.stores++;
}

static void leave_register(struct placer *p, uint32_t node)
{
    struct value *v = &p->value[node];
    uint32_t last = vec_pop(&p->in);
    if (last != node) {
        p->in.v[v->held] = last;
        p->value[last].held = v->held;
    }
    v->reg = GPU_NOTHING;
}

static void enter_register(struct placer *p, uint32_t node, uint32_t reg)
{
    struct value *v = &p->value[node];
    v->reg = reg;
    v->held = p->in.n;
    vec_push(p->heap, &p->in, node);
    if (p->in.n > p->out.most) p->out.most = p->in.n;
}

/* Can it be computed again at its next use, from what is there until then anyway? */
static bool can_repeat(const struct placer *p, uint32_t node)
{
    const struct lut_node *g = &p->plan->net.nodes.v[node];
    if (p->out.nslots - p->pool.n < p->slots || g->kind != LUT_GATE || p->plan->loops.n) return false;
    for (uint32_t k = 0; k < g->n; k++) {
        const struct value *in = &p->value[g->in[k]];
        uint32_t last = in->use_n ? p->uses.v[in->use_first + in->use_n - 1] : 0;
        if (last < next_use(p, &p->value[node]) || in->again) return false;
    }
    return true;
}

/* Room for one more; what is needed at this very position stays. */
static void make_room(struct placer *p)
{
    while (p->in.n >= p->room) {
        uint32_t worst = GPU_NOTHING, when = p->position;
        for (uint32_t i = 0; i < p->in.n; i++) {
            const struct value *v = &p->value[p->in.v[i]];
            uint32_t use = next_use(p, v);
            if (use > when && !v->pins) when = use, worst = p->in.v[i];
        }
        if (worst == GPU_NOTHING) return;
        if (when != NEVER && p->value[worst].slot == GPU_NOTHING && !is_start(p, worst)) {
            p->value[worst].again = can_repeat(p, worst);
            if (!p->value[worst].again) store(p, worst);
        }
        leave_register(p, worst);
    }
}

static void compute(struct placer *p, uint32_t node, bool first);

static uint32_t fetch(struct placer *p, uint32_t node)
{
    struct value *v = &p->value[node];
    if (v->reg != GPU_NOTHING) return v->reg;
    if (v->again) {
        v->again = false;
        compute(p, node, false);
        return v->reg;
    }
    make_room(p);
    bool start = is_start(p, node);
    struct gpu_instruction *i = emit(p, start ? GPU_START : GPU_LOAD);
    i->to = p->out.registers++;
    i->slot = start ? p->plan->net.nodes.v[node].tag : v->slot;
    if (!start) p->out.traffic.v[v->slot]++;
    p->out.loads++;
    enter_register(p, node, i->to);
    return v->reg;
}

/* Reads of this position are over: whoever is not needed any more gives up its places. */
static void release(struct placer *p, uint32_t node)
{
    struct value *v = &p->value[node];
    while (v->use_at < v->use_n && p->uses.v[v->use_first + v->use_at] <= p->position) v->use_at++;
    if (next_use(p, v) != NEVER) return;
    if (v->reg != GPU_NOTHING) leave_register(p, node);
    if (v->slot == GPU_NOTHING) return;
    const struct lut_node *g = &p->plan->net.nodes.v[node];
    bool next_sweep = p->loop != LUT_STRAIGHT && g->loop != p->loop; /* reads it again */
    bool home = g->kind == LUT_INPUT && p->out.home[g->tag] != GPU_NOTHING;
    if (!home) vec_push(p->heap, next_sweep ? &p->later : &p->pool, v->slot);
    v->slot = GPU_NOTHING;
}

/* --- Instructions --------------------------------------------------------------------------------------- */

static void logic(struct placer *p, uint32_t to, const uint32_t *in, uint32_t n, uint8_t table)
{
    struct gpu_instruction *i = emit(p, GPU_LOGIC);
    i->to = to;
    i->table = table;
    for (uint32_t k = 0; k < 3; k++) i->in[k] = in[k < n ? k : 0];
    p->out.logic++;
}

/* A register that holds the literal as it is. */
static uint32_t as_it_is(struct placer *p, uint32_t lit)
{
    uint32_t reg = fetch(p, lit >> 1);
    if (p->value[lit >> 1].inverted == (lit & 1)) return reg;
    uint32_t to = p->out.registers++;
    logic(p, to, &reg, 1, 0x0f);
    return to;
}

/* The next value of an input whose present one nobody needs any more is put where it will be looked for. */
static void goes_home(struct placer *p, uint32_t node)
{
    uint32_t k = p->final[node];
    if (k == GPU_NOTHING || p->loop != LUT_STRAIGHT || p->out.home[k] == GPU_NOTHING) return;
    if (p->value[node].inverted != (p->plan->out[k] & 1) || next_use(p, &p->value[1 + k]) != NEVER) return;
    p->value[node].slot = p->out.home[k];
    store(p, node);
}

/* For the first time, when its inputs may be given up, or again. */
static void compute(struct placer *p, uint32_t node, bool first)
{
    const struct lut_node *g = &p->plan->net.nodes.v[node];
    uint32_t in[3];
    uint8_t table = g->table;
    for (uint32_t k = 0; k < g->n; k++) {
        in[k] = fetch(p, g->in[k]);
        p->value[g->in[k]].pins++;
        if (p->value[g->in[k]].inverted) table = lut_flip(table, k);
    }
    for (uint32_t k = 0; k < g->n; k++) p->value[g->in[k]].pins--;
    if (p->value[node].inverted) table = (uint8_t)~table;
    for (uint32_t k = 0; k < g->n && first; k++) release(p, g->in[k]);
    make_room(p);
    uint32_t to = p->out.registers++;
    logic(p, to, in, g->n, table);
    enter_register(p, node, to);
}

static void place_gate(struct placer *p, uint32_t node)
{
    compute(p, node, true);
    goes_home(p, node);
    if (p->value[node].always) {
        if (p->value[node].slot == GPU_NOTHING) p->value[node].slot = new_slot(p);
        store(p, node);
    }
}

static void place_random(struct placer *p, uint32_t first)
{
    uint32_t tag = p->plan->net.nodes.v[first].tag;
    struct gpu_instruction i = {.kind = GPU_PHILOX, .in = {tag >> 16, (tag & 0xffff) / 4}};
    i.to = p->out.registers;
    p->out.registers += 4;
    vec_push(p->heap, &p->out.code, i);
    for (uint32_t k = 0; k < 4; k++)
        if (next_use(p, &p->value[first + k]) != NEVER) {
            make_room(p);
            enter_register(p, first + k, i.to + k);
        }
}

/* Everything to its slot. */
static void put_aside(struct placer *p)
{
    while (p->in.n) {
        uint32_t node = vec_last(&p->in);
        bool needed = next_use(p, &p->value[node]) != NEVER && !is_start(p, node);
        if (needed && p->value[node].slot == GPU_NOTHING) store(p, node);
        leave_register(p, node);
    }
}

static void begin_loop(struct placer *p, uint32_t loop)
{
    const struct gpu_loop *l = &p->plan->loops.v[loop];
    put_aside(p);
    for (uint32_t k = 0; k < l->n; k++) {
        const struct gpu_cut *cut = &p->plan->cuts.v[l->first + k];
        struct value *v = &p->value[cut->leaf >> 1];
        v->slot = new_slot(p);
        struct gpu_instruction *i = emit(p, GPU_SET);
        i->slot = v->slot;
        i->table = cut->start;
        p->out.traffic.v[v->slot]++;
    }
    emit(p, GPU_SWEEP)->in[0] = loop;
    p->loop = loop;
}

static void end_loop(struct placer *p, uint32_t loop)
{
    const struct gpu_loop *l = &p->plan->loops.v[loop];
    for (uint32_t k = 0; k < l->n; k++) {
        const struct gpu_cut *cut = &p->plan->cuts.v[l->first + k];
        uint32_t leaf = cut->leaf >> 1, made, before;
        if (cut->made >> 1) {
            made = as_it_is(p, cut->made);
        } else {
            made = p->out.registers++;
            struct gpu_instruction *one = emit(p, GPU_LOGIC);
            one->to = made;
            one->table = cut->made & 1 ? 0x00 : 0xff;
            one->in[0] = one->in[1] = one->in[2] = fetch(p, leaf);
        }
        before = fetch(p, leaf);
        struct gpu_instruction *i = emit(p, GPU_CHANGE);
        i->in[0] = made;
        i->in[1] = before;
        i->table = k == 0;
        i = emit(p, GPU_STORE);
        i->in[0] = made;
        i->slot = p->value[leaf].slot;
        p->out.traffic.v[i->slot]++;
        p->out.stores++;
        leave_register(p, leaf);
    }
    struct gpu_instruction *i = emit(p, GPU_AGAIN);
    i->in[0] = loop;
    put_aside(p);
    p->loop = LUT_STRAIGHT;
    for (uint32_t k = 0; k < l->n; k++) {
        release(p, p->plan->cuts.v[l->first + k].leaf >> 1);
        release(p, p->plan->cuts.v[l->first + k].made >> 1);
    }
    while (p->later.n) vec_push(p->heap, &p->pool, vec_pop(&p->later));
}

static void end_input(struct placer *p, uint32_t k)
{
    uint32_t lit = p->plan->out[k], home = p->out.home[k];
    struct value *v = &p->value[lit >> 1];
    bool constant = lit >> 1 == 0, memory = home != GPU_NOTHING;
    if (constant || !memory || v->slot != home) {
        uint32_t reg = constant ? 0 : as_it_is(p, lit);
        struct gpu_instruction *i = emit(p, memory     ? constant ? GPU_SET : GPU_STORE
                                            : constant ? GPU_OUT_SET
                                                       : GPU_OUT);
        i->in[0] = reg;
        i->slot = memory ? home : k;
        i->table = !(lit & 1);
        if (memory) p->out.traffic.v[home]++, p->out.stores++;
    }
    if (constant) return;
    v->use_at++; /* the same wire may be the next value of several */
    if (v->use_at == v->use_n && v->reg != GPU_NOTHING) leave_register(p, lit >> 1);
}

/* What goes to memory first, so that there are registers for the rest. */
static void end_round(struct placer *p)
{
    for (int memory = 1; memory >= 0; memory--)
        for (uint32_t k = 0; k < p->plan->ninputs; k++)
            if (p->plan->out[k] != GPU_NOTHING && (p->out.home[k] != GPU_NOTHING) == memory) end_input(p, k);
}

/* Which inputs are in registers between rounds: those that are read most. */
static void find_homes(struct placer *p)
{
    const struct gpu_plan *plan = p->plan;
    const uint32_t SPARE = 16; /* registers for what is being computed */
    uint32_t room = p->room > SPARE ? p->room - SPARE : 0, n = 0;
    p->out.home = heap_alloc(p->heap, plan->ninputs * sizeof *p->out.home);
    uint32_t *by_reads = heap_alloc(p->heap, plan->ninputs * sizeof *by_reads);
    for (uint32_t k = 0; k < plan->ninputs; k++) {
        p->out.home[k] = GPU_NOTHING;
        if (plan->out[k] == GPU_NOTHING) continue;
        uint32_t at = n++;
        for (; at > 0 && p->value[1 + by_reads[at - 1]].use_n < p->value[1 + k].use_n; at--)
            by_reads[at] = by_reads[at - 1];
        by_reads[at] = k;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = by_reads[i], node = 1 + k;
        if (i < room) {
            if (next_use(p, &p->value[node]) != NEVER) enter_register(p, node, k);
        } else {
            p->out.home[k] = p->value[node].slot = new_slot(p);
        }
    }
    heap_release(p->heap, by_reads);
}

/* May a load of this slot come before the instruction? */
static bool can_pass(const struct gpu_instruction *i, const struct gpu_instruction *load)
{
    switch (i->kind) {
    case GPU_LOGIC:
    case GPU_PHILOX:
    case GPU_COUNT: return true;
    case GPU_START:
    case GPU_LOAD: return true;
    case GPU_STORE: return load->kind == GPU_START || i->slot != load->slot;
    default: return false; /* loops have their borders */
    }
}

/* Slots with much traffic are the first to be near. */
static void rank_slots(struct placer *p)
{
    const struct gpu_places *out = &p->out;
    uint32_t n = out->nslots, most = 0;
    p->out.rank = heap_alloc(p->heap, (n + 1) * sizeof *out->rank);
    for (uint32_t s = 0; s < n; s++)
        if (out->traffic.v[s] > most) most = out->traffic.v[s];
    uint32_t *start = heap_zalloc(p->heap, (most + 2) * sizeof *start); /* sorted by counting */
    for (uint32_t s = 0; s < n; s++) start[most - out->traffic.v[s] + 1]++;
    for (uint32_t i = 1; i <= most; i++) start[i] += start[i - 1];
    for (uint32_t s = 0; s < n; s++) out->rank[s] = start[most - out->traffic.v[s]]++;
    heap_release(p->heap, start);
}

/* Memory takes a while to answer: it is asked some instructions before the answer is needed, what is far away
 * many. */
static void ask_early(struct placer *p)
{
    const uint32_t NEAR = 12, FAR = 64;
    struct gpu_instruction *code = p->out.code.v;
    for (uint32_t i = 1; i < p->out.code.n; i++) {
        struct gpu_instruction load = code[i];
        if (load.kind != GPU_LOAD && load.kind != GPU_START) continue;
        uint32_t at = i, early = load.kind == GPU_START || p->out.rank[load.slot] >= p->slots ? FAR : NEAR;
        for (; at > 0 && i - at < early && can_pass(&code[at - 1], &load); at--) code[at] = code[at - 1];
        code[at] = load;
    }
}

struct gpu_places gpu_place(const struct gpu_plan *plan, const struct gpu_order *order, uint32_t registers,
                            uint32_t slots)
{
    struct placer p = {.plan = plan,
                       .order = order,
                       .heap = plan->heap,
                       .room = registers,
                       .slots = slots,
                       .loop = LUT_STRAIGHT};
    p.value = heap_zalloc(p.heap, plan->net.nodes.n * sizeof *p.value);
    for (uint32_t i = 0; i < plan->net.nodes.n; i++) p.value[i].reg = p.value[i].slot = GPU_NOTHING;
    p.final = heap_alloc(p.heap, plan->net.nodes.n * sizeof *p.final);
    memset(p.final, 0xff, plan->net.nodes.n * sizeof *p.final);
    for (uint32_t k = 0; k < plan->ninputs; k++)
        if (plan->out[k] != GPU_NOTHING) p.final[plan->out[k] >> 1] = k;
    find_uses(&p);
    find_senses(&p);
    p.out.registers = plan->ninputs;
    find_homes(&p);
    for (p.position = 0; p.position < order->ops.n; p.position++) {
        const struct gpu_op *op = &order->ops.v[p.position];
        switch (op->kind) {
        case GPU_OP_GATE: place_gate(&p, op->a); break;
        case GPU_OP_RANDOM: place_random(&p, op->a); break;
        case GPU_OP_COUNT: {
            uint32_t reg = as_it_is(&p, op->a);
            struct gpu_instruction *i = emit(&p, GPU_COUNT);
            i->in[0] = reg;
            i->slot = op->b;
            release(&p, op->a >> 1);
            break;
        }
        case GPU_OP_SWEEP: begin_loop(&p, op->a); break;
        case GPU_OP_AGAIN: end_loop(&p, op->a); break;
        case GPU_OP_END: end_round(&p); break;
        }
        heap_poll(p.heap);
    }
    rank_slots(&p);
    ask_early(&p);
    heap_release(p.heap, p.final);
    heap_release(p.heap, p.value);
    vec_free(p.heap, &p.uses);
    vec_free(p.heap, &p.in);
    vec_free(p.heap, &p.pool);
    vec_free(p.heap, &p.later);
    return p.out;
}
