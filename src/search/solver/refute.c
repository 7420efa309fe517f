// SPDX-License-Identifier: GPL-3.0-or-later
/* `value` by wire: -1 open, 0, 1. A gate is looked at again when its own wire or one of its inputs got a
 * value:
 *
 *     all inputs true          the gate is true
 *     an input false           the gate is false
 *     the gate true            all inputs are true
 *     false, one input open    that input is false, if all others are true
 */
#include "search/solver/refute.h"

#include <stdlib.h>
#include <string.h>

struct refuter {
    const struct circuit *c;
    uint32_t nwires;
    int8_t *value;
    uint32_t *trail, ntrail, looked; /* wires in the order they got values; those looked at */
    uint32_t *first_use, *use; /* by wire: the gates that read it, use[first_use[w] .. first_use[w + 1]-1] */
    uint64_t steps, limit;
};

struct refuter *refuter_new(const struct circuit *c, uint64_t steps)
{
    struct refuter *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->c = c;
    r->limit = steps;
    r->nwires = wire_gate(c, c->ngates);
    r->value = malloc(r->nwires);
    r->trail = malloc(r->nwires * sizeof *r->trail);
    r->first_use = calloc(r->nwires + 2, sizeof *r->first_use);
    r->use = malloc((c->edges.n + 1) * sizeof *r->use);
    if (!r->value || !r->trail || !r->first_use || !r->use) return refuter_free(r), NULL;
    for (uint32_t i = 0; i < c->edges.n; i++) r->first_use[(c->edges.v[i] >> 1) + 2]++;
    for (uint32_t w = 2; w <= r->nwires; w++) r->first_use[w] += r->first_use[w - 1];
    for (uint32_t g = 0; g < c->gates.n; g++)
        for (uint32_t i = 0; i < c->gates.v[g].n; i++)
            r->use[r->first_use[(c->edges.v[c->gates.v[g].first + i] >> 1) + 1]++] = g;
    return r;
}

void refuter_free(struct refuter *r)
{
    if (!r) return;
    free(r->value);
    free(r->trail);
    free(r->first_use);
    free(r->use);
    free(r);
}

uint64_t refuter_steps(const struct refuter *r)
{
    return r->steps;
}

/* 1 true, 0 false, -1 open */
static int look(const struct refuter *r, edge e)
{
    int v = r->value[e >> 1];
    return v < 0 ? -1 : v ^ (int)(e & 1);
}

/* False: it is the opposite already. */
static bool assume(struct refuter *r, edge e)
{
    int now = look(r, e);
    if (now >= 0) return now;
    r->value[e >> 1] = !(e & 1);
    r->trail[r->ntrail++] = e >> 1;
    return true;
}

static bool visit(struct refuter *r, uint32_t gate)
{
    const struct gate *g = &r->c->gates.v[gate];
    const edge *in = r->c->edges.v + g->first;
    edge out = wire_gate(r->c, gate) << 1;
    uint32_t open = 0;
    edge last = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        int v = look(r, in[i]);
        if (v == 0) return assume(r, out ^ 1);
        if (v < 0) open++, last = in[i];
    }
    if (open == 0) return assume(r, out);
    int v = look(r, out);
    if (v == 0 && open == 1) return assume(r, last ^ 1);
    for (uint32_t i = 0; v == 1 && i < g->n; i++)
        if (!assume(r, in[i])) return false;
    return true;
}

static bool propagate(struct refuter *r)
{
    while (r->looked < r->ntrail) {
        uint32_t w = r->trail[r->looked++], gate = w - wire_gate(r->c, 0);
        if (w >= wire_gate(r->c, 0) && !visit(r, gate)) return false;
        for (uint32_t i = r->first_use[w]; i < r->first_use[w + 1]; i++)
            if (!visit(r, r->use[i])) return false;
    }
    return true;
}

static void undo(struct refuter *r, uint32_t to)
{
    while (r->ntrail > to) r->value[r->trail[--r->ntrail]] = -1;
    r->looked = to;
}

/* A false gate among the first `n` assigned wires that no input explains: one of its open inputs, else 0. */
static edge unexplained(const struct refuter *r)
{
    for (uint32_t i = 0; i < r->ntrail; i++) {
        uint32_t w = r->trail[i];
        if (w < wire_gate(r->c, 0) || r->value[w] != 0) continue;
        const struct gate *g = &r->c->gates.v[w - wire_gate(r->c, 0)];
        edge open = 0;
        bool explained = false;
        for (uint32_t k = 0; k < g->n && !explained; k++) {
            int v = look(r, r->c->edges.v[g->first + k]);
            explained = v == 0;
            if (v < 0 && !open) open = r->c->edges.v[g->first + k];
        }
        if (!explained && open) return open;
    }
    return 0;
}

/* Depth of recursion is bounded by the number of splits, which are few. */
static bool impossible(struct refuter *r, uint32_t depth)
{
    if (!propagate(r)) return true;
    edge split = unexplained(r);
    if (!split || depth > 2000 || r->steps++ >= r->limit) return false;
    uint32_t before = r->ntrail;
    for (uint32_t side = 0; side < 2; side++) {
        bool no = !assume(r, split ^ 1 ^ side) || impossible(r, depth + 1);
        undo(r, before);
        if (!no) return false;
    }
    return true;
}

bool refuter_impossible(struct refuter *r, const edge *facts, uint32_t n)
{
    memset(r->value, -1, r->nwires);
    r->ntrail = r->looked = 0;
    r->value[0] = 1;
    r->trail[r->ntrail++] = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!assume(r, facts[i])) return true;
    return impossible(r, 0);
}
