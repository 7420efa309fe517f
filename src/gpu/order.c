// SPDX-License-Identifier: GPL-3.0-or-later
/* In which order gates are computed: each root depth first, the input that needs most room before the others
 * (Sethi and Ullman's rule, as if nothing were shared). On the way a gate that can be computed at once, and
 * is the last to read one of its inputs, is: it takes no room. So is one that reads a move that is made:
 * moves come in a row, and the sums over them, which are far fewer, grow while they come by. A loop is one
 * thing that reads all that its gates read from outside. */
#include "gpu/plan.h"

enum { UNSEEN, OPEN, DONE };

struct walk {
    const struct gpu_plan *plan;
    struct heap *heap;
    uint32_t nnodes;                  /* things are nodes, then loops */
    uint16_t *need;                   /* by node: registers */
    uint8_t *state;                   /* by thing */
    struct vec_u32 *outside, *inside; /* by loop: nodes */
    uint32_t *readers, *reader_first; /* gates that read a node: readers[reader_first[node]] .. */
    bool *made;                       /* by node: a move */
    uint32_t *left;                   /* by node: readers still to come */
    struct vec_u32 stack, fresh;      /* fresh: computed, readers not yet looked at */
    struct gpu_order order;
};

static uint32_t thing_of(const struct walk *w, uint32_t node)
{
    uint32_t loop = w->plan->net.nodes.v[node].loop;
    return loop == LUT_STRAIGHT ? node : w->nnodes + loop;
}

static void find_needs(struct walk *w)
{
    const struct lut_net *net = &w->plan->net;
    for (uint32_t i = 0; i < w->nnodes; i++) {
        const struct lut_node *g = &net->nodes.v[i];
        uint16_t need[3] = {0};
        if (!w->plan->used[i]) continue;
        w->need[i] = g->kind != LUT_INPUT;
        if (g->kind != LUT_GATE) continue;
        for (uint32_t k = 0; k < g->n; k++) {
            uint16_t x = w->need[g->in[k]];
            uint32_t at = k;
            for (; at > 0 && need[at - 1] < x; at--) need[at] = need[at - 1];
            need[at] = x;
        }
        for (uint32_t k = 0; k < g->n; k++)
            if (need[k] + k > w->need[i]) w->need[i] = (uint16_t)(need[k] + k);
    }
}

static void find_loops(struct walk *w)
{
    const struct gpu_plan *plan = w->plan;
    w->outside = heap_zalloc(w->heap, (plan->loops.n + 1) * sizeof *w->outside);
    w->inside = heap_zalloc(w->heap, (plan->loops.n + 1) * sizeof *w->inside);
    for (uint32_t i = 0; i < w->nnodes; i++) {
        const struct lut_node *g = &plan->net.nodes.v[i];
        if (!plan->used[i] || g->loop == LUT_STRAIGHT || g->kind != LUT_GATE) continue;
        vec_push(w->heap, &w->inside[g->loop], i);
        for (uint32_t k = 0; k < g->n; k++)
            if (plan->net.nodes.v[g->in[k]].loop != g->loop)
                vec_push(w->heap, &w->outside[g->loop], g->in[k]);
    }
    for (uint32_t i = 0; i < plan->cuts.n; i++) { /* what is made of a cut may lie outside */
        uint32_t node = plan->cuts.v[i].made >> 1, loop = plan->net.nodes.v[plan->cuts.v[i].leaf >> 1].loop;
        if (plan->net.nodes.v[node].loop != loop) vec_push(w->heap, &w->outside[loop], node);
    }
}

/* What is needed at the end, by loops or by counters is never read for the last time. */
static void find_readers(struct walk *w)
{
    const struct gpu_plan *plan = w->plan;
    const struct lut_node *nodes = plan->net.nodes.v;
    w->left = heap_zalloc(w->heap, w->nnodes * sizeof *w->left);
    w->reader_first = heap_zalloc(w->heap, (w->nnodes + 2) * sizeof *w->reader_first);
    for (uint32_t i = 0; i < w->nnodes; i++)
        for (uint32_t k = 0; plan->used[i] && nodes[i].kind == LUT_GATE && k < nodes[i].n; k++)
            w->reader_first[nodes[i].in[k] + 2]++, w->left[nodes[i].in[k]]++;
    for (uint32_t i = 2; i < w->nnodes + 2; i++) w->reader_first[i] += w->reader_first[i - 1];
    w->readers = heap_alloc(w->heap, (w->reader_first[w->nnodes + 1] + 1) * sizeof *w->readers);
    for (uint32_t i = 0; i < w->nnodes; i++)
        for (uint32_t k = 0; plan->used[i] && nodes[i].kind == LUT_GATE && k < nodes[i].n; k++)
            w->readers[w->reader_first[nodes[i].in[k] + 1]++] = i;
    w->made = heap_zalloc(w->heap, w->nnodes);
    for (uint32_t i = 0; i < plan->roots.n; i++)
        if (plan->roots.v[i].counter == GPU_PERHAPS) w->made[plan->roots.v[i].literal >> 1] = true;
    for (uint32_t i = 0; i < plan->roots.n; i++)
        if (plan->roots.v[i].counter < GPU_PERHAPS) w->left[plan->roots.v[i].literal >> 1]++;
    for (uint32_t i = 0; i < plan->ninputs; i++)
        if (plan->out[i] != GPU_NOTHING) w->left[plan->out[i] >> 1]++;
    for (uint32_t i = 0; i < plan->cuts.n; i++)
        w->left[plan->cuts.v[i].made >> 1]++, w->left[plan->cuts.v[i].leaf >> 1]++;
}

static void push(struct walk *w, uint32_t node)
{
    uint32_t thing = thing_of(w, node);
    if (w->state[thing] == UNSEEN) vec_push(w->heap, &w->stack, thing);
}

/* What is on top comes first. */
static void open_node(struct walk *w, uint32_t node)
{
    const struct lut_node *g = &w->plan->net.nodes.v[node];
    uint32_t in[3], n = g->kind == LUT_GATE ? g->n : 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t at = k;
        for (; at > 0 && w->need[in[at - 1]] > w->need[g->in[k]]; at--) in[at] = in[at - 1];
        in[at] = g->in[k];
    }
    for (uint32_t k = 0; k < n; k++) push(w, in[k]);
}

static void emit(struct walk *w, enum gpu_op_kind kind, uint32_t a, uint32_t b)
{
    vec_push(w->heap, &w->order.ops, (struct gpu_op){kind, a, b});
}

static void emit_gate(struct walk *w, uint32_t node)
{
    const struct lut_node *g = &w->plan->net.nodes.v[node];
    emit(w, GPU_OP_GATE, node, 0);
    for (uint32_t k = 0; k < g->n; k++) w->left[g->in[k]]--;
    vec_push(w->heap, &w->fresh, node);
}

/* Everything it reads is there, and it is the last to read some of it, or reads a move. */
static bool at_once(const struct walk *w, uint32_t node)
{
    const struct lut_node *g = &w->plan->net.nodes.v[node];
    bool last = false;
    if (g->loop != LUT_STRAIGHT || w->state[node] == DONE) return false;
    for (uint32_t k = 0; k < g->n; k++) {
        if (w->state[thing_of(w, g->in[k])] != DONE) return false;
        last |= w->left[g->in[k]] == 1 || w->made[g->in[k]];
    }
    return last;
}

static void follow(struct walk *w)
{
    for (uint32_t i = 0; i < w->fresh.n; i++)
        for (uint32_t k = w->reader_first[w->fresh.v[i]]; k < w->reader_first[w->fresh.v[i] + 1]; k++) {
            uint32_t reader = w->readers[k];
            if (!at_once(w, reader)) continue;
            w->state[reader] = DONE;
            emit_gate(w, reader);
        }
    vec_clear(&w->fresh);
}

static void close_thing(struct walk *w, uint32_t thing)
{
    w->state[thing] = DONE;
    if (thing >= w->nnodes) {
        uint32_t loop = thing - w->nnodes;
        emit(w, GPU_OP_SWEEP, loop, 0);
        for (uint32_t i = 0; i < w->inside[loop].n; i++) emit_gate(w, w->inside[loop].v[i]);
        emit(w, GPU_OP_AGAIN, loop, 0);
        follow(w);
        return;
    }
    const struct lut_node *g = &w->plan->net.nodes.v[thing];
    if (g->kind == LUT_GATE) emit_gate(w, thing);
    if (g->kind == LUT_RANDOM) {
        uint32_t first = thing - (g->tag & 3);
        emit(w, GPU_OP_RANDOM, first, 0);
        for (uint32_t k = 0; k < 4; k++) {
            w->state[first + k] = DONE;
            vec_push(w->heap, &w->fresh, first + k);
        }
    }
    follow(w);
}

static void walk_from(struct walk *w, uint32_t node)
{
    push(w, node);
    while (w->stack.n) {
        uint32_t thing = vec_last(&w->stack);
        if (w->state[thing] == UNSEEN) {
            w->state[thing] = OPEN;
            if (thing < w->nnodes)
                open_node(w, thing);
            else
                for (uint32_t i = w->outside[thing - w->nnodes].n; i-- > 0;)
                    push(w, w->outside[thing - w->nnodes].v[i]);
            continue;
        }
        w->stack.n--;
        if (w->state[thing] == OPEN) close_thing(w, thing);
    }
    heap_poll(w->heap);
}

struct gpu_order gpu_order(const struct gpu_plan *plan)
{
    struct walk w = {.plan = plan, .heap = plan->heap, .nnodes = plan->net.nodes.n};
    w.need = heap_zalloc(w.heap, w.nnodes * sizeof *w.need);
    w.state = heap_zalloc(w.heap, w.nnodes + plan->loops.n);
    find_needs(&w);
    find_loops(&w);
    find_readers(&w);
    for (uint32_t k = 0; k < plan->ninputs; k++) w.state[1 + k] = DONE;
    for (uint32_t i = 0; i < plan->roots.n; i++) {
        const struct gpu_root *r = &plan->roots.v[i];
        if (plan->used[r->literal >> 1]) walk_from(&w, r->literal >> 1);
        if (r->counter < GPU_PERHAPS) emit(&w, GPU_OP_COUNT, r->literal, r->counter);
    }
    emit(&w, GPU_OP_END, 0, 0);
    heap_release(w.heap, w.state);
    heap_release(w.heap, w.need);
    heap_release(w.heap, w.left);
    heap_release(w.heap, w.made);
    heap_release(w.heap, w.readers);
    heap_release(w.heap, w.reader_first);
    vec_free(w.heap, &w.stack);
    vec_free(w.heap, &w.fresh);
    return w.order;
}
