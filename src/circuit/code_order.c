// SPDX-License-Identifier: GPL-3.0-or-later
#include "circuit/code_internal.h"

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

/* Always the kind with most nodes ready, so that runs are long. When nothing is ready, bits wait for each
 * other: one node gives up writing in place. */
void code_order_runs(struct builder *b, uint32_t first, uint32_t last)
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

/* --- Depth first ---------------------------------------------------------------------------------------- */

struct dive {
    struct builder *b;
    uint32_t first, last;
    uint32_t *maker; /* by value: its node, or NONE */
    uint32_t *level; /* by node - first: longest way up from what others have made */
    uint8_t *state;  /* by node - first */
    struct vec_u32 stack;
};
enum { UNSEEN, OPEN, DONE };

/* The nodes a node reads, the deepest on top of the stack: what takes longest comes first, as it needs most
 * places to keep what it has on the way. */
static void push_inputs(struct dive *d, const struct code_node *n)
{
    uint32_t begin = d->stack.n;
    for (uint32_t k = 0; k < n->n; k++) {
        uint32_t before = d->maker[d->b->operands.v[n->first + k] >> 1];
        if (before == NONE || d->state[before - d->first] != UNSEEN) continue;
        vec_push(d->b->heap, &d->stack, before);
        for (uint32_t i = d->stack.n - 1; i > begin; i--) {
            uint32_t x = d->stack.v[i], y = d->stack.v[i - 1];
            if (d->level[x - d->first] >= d->level[y - d->first]) break;
            d->stack.v[i] = y;
            d->stack.v[i - 1] = x;
        }
    }
}

static void dive_from(struct dive *d, uint32_t root)
{
    if (root == NONE || d->state[root - d->first] != UNSEEN) return;
    vec_push(d->b->heap, &d->stack, root);
    while (d->stack.n) {
        uint32_t at = vec_last(&d->stack);
        uint8_t *state = &d->state[at - d->first];
        if (*state == UNSEEN) {
            *state = OPEN;
            push_inputs(d, &d->b->nodes.v[at]);
            continue;
        }
        if (*state == OPEN) vec_push(d->b->heap, &d->b->order, at);
        *state = DONE;
        d->stack.n--;
    }
    heap_poll(d->b->heap);
}

/* Those that overwrite a bit somebody still reads. */
static void stage_overwriters(struct builder *b, uint32_t begin)
{
    uint32_t *last_read = heap_zalloc(b->heap, (b->c->nbits + 1) * sizeof *last_read);
    for (uint32_t p = begin; p < b->order.n; p++) {
        const struct code_node *n = &b->nodes.v[b->order.v[p]];
        for (uint32_t k = 0; k < n->n; k++) {
            uint32_t v = b->operands.v[n->first + k] >> 1;
            if (v >= 1 && v <= b->c->nbits) last_read[v - 1] = p;
        }
    }
    for (uint32_t p = begin; p < b->order.n; p++) {
        uint32_t bit = b->nodes.v[b->order.v[p]].bit;
        if (bit != NONE && last_read[bit] > p) vec_push(b->heap, &b->staged, b->order.v[p]);
    }
    heap_release(b->heap, last_read);
}

void code_order_deep(struct builder *b, uint32_t first, uint32_t last)
{
    struct heap *heap = b->heap;
    const struct code_node *nodes = b->nodes.v;
    if (first == last) return;
    struct dive d = {.b = b, .first = first, .last = last};
    d.maker = heap_alloc(heap, b->nvalues * sizeof *d.maker);
    d.level = heap_zalloc(heap, (last - first) * sizeof *d.level);
    d.state = heap_zalloc(heap, last - first);
    bool *read = heap_zalloc(heap, last - first);
    uint32_t *writer = heap_alloc(heap, (b->c->nbits + 1) * sizeof *writer);
    memset(d.maker, 0xff, b->nvalues * sizeof *d.maker);
    memset(writer, 0xff, (b->c->nbits + 1) * sizeof *writer);
    for (uint32_t i = first; i < last; i++) {
        d.maker[nodes[i].value] = i;
        if (nodes[i].bit != NONE) writer[nodes[i].bit] = i;
    }
    for (uint32_t i = first; i < last; i++)
        for (uint32_t k = 0; k < nodes[i].n; k++) {
            uint32_t before = d.maker[b->operands.v[nodes[i].first + k] >> 1];
            if (before == NONE) continue;
            read[before - first] = true;
            if (d.level[i - first] <= d.level[before - first])
                d.level[i - first] = d.level[before - first] + 1;
        }
    /* The order of what comes out is that of the boards and moves: neighbours have inputs in common. */
    uint32_t begin = b->order.n;
    for (uint32_t m = 0; m < b->c->nmoves; m++)
        if (b->legal[m] != NONE) dive_from(&d, d.maker[b->legal[m]]);
    for (uint32_t i = 0; i < b->c->nbits; i++) dive_from(&d, writer[i]);
    for (uint32_t i = first; i < last; i++)
        if (!read[i - first]) dive_from(&d, i);
    for (uint32_t i = first; i < last; i++) dive_from(&d, i);
    stage_overwriters(b, begin);
    heap_release(heap, writer);
    heap_release(heap, read);
    heap_release(heap, d.state);
    heap_release(heap, d.level);
    heap_release(heap, d.maker);
    vec_free(heap, &d.stack);
}
