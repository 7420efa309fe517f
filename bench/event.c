// SPDX-License-Identifier: GPL-3.0-or-later
/* Invariant, whenever nothing is pending: value[w] is the wire's value in the present state with the present
 * moves, and lacking[g] the number of inputs of gate g that are false. Gates inside loops are not counted:
 * what has lost its support must not support itself, so a loop whose surroundings changed is evaluated anew,
 * once everything before it has settled.
 */
#include "event.h"

#include "base/vec.h"

#include <stdlib.h>

#define NONE UINT32_MAX

/* What reads a wire: gates that it is an input of (gate << 1 | inverted), ... */
struct readers {
    uint32_t first, n;         /* in `readers` */
    uint32_t out_first, out_n; /* in `outs` */
};

/* ... and what depends on it outside: a legal move, a bit of the next state, a loop. */
enum out_kind { OUT_LEGAL, OUT_NEXT, OUT_LOOP };
struct out {
    enum out_kind kind;
    uint32_t which; /* move; bit; loop */
    uint32_t role;  /* of the move */
    bool inverted;
};

/* A wire that changes back before its readers were told has not changed. */
enum { VALUE = 1, TOLD = 2, QUEUED = 4 };

struct event {
    const struct circuit *c;
    struct heap *heap;
    uint32_t first_gate, nwires;
    struct readers *readers; /* by wire */
    uint32_t *reader;
    struct out *outs;
    uint8_t *wire;     /* by wire: VALUE | TOLD | QUEUED */
    uint32_t *lacking; /* by gate */
    uint32_t *pending; /* wires that have changed, to be passed on, each once */
    uint32_t npending;
    uint32_t *legal;   /* by move_base[role] + i: the legal moves of a role, nlegal[role] of them */
    uint32_t *place;   /* by move: where it is in that list */
    uint32_t *nlegal;  /* by role */
    uint32_t *touched; /* bits whose next value has changed since the last step */
    uint32_t ntouched;
    bool *is_touched; /* by bit */
    bool *loop_dirty; /* by loop */
    uint32_t dirty_loops;
    uint32_t *loop_of; /* by gate, NONE: in no loop */
    uint8_t *before;   /* scratch for loops */
    uint32_t *made;    /* by role: the move whose wire is on, or NONE */
    uint32_t *joint;   /* by role */
};

static bool edge_holds(const struct event *e, edge x)
{
    return (e->wire[x >> 1] ^ x) & 1;
}

static bool gate_holds(const struct event *e, uint32_t g)
{
    const struct gate *gate = &e->c->gates.v[g];
    for (uint32_t i = 0; i < gate->n; i++)
        if (!edge_holds(e, e->c->edges.v[gate->first + i])) return false;
    return true;
}

/* --- Changes -------------------------------------------------------------------------------------------- */

static void change_legal(struct event *e, uint32_t role, uint32_t move, bool now)
{
    const uint32_t base = e->c->move_base[role];
    uint32_t *list = e->legal + base;
    if (now) {
        e->place[move] = e->nlegal[role];
        list[e->nlegal[role]++] = move - base;
    } else {
        uint32_t last = list[--e->nlegal[role]];
        list[e->place[move]] = last;
        e->place[base + last] = e->place[move];
    }
}

static inline void touch(struct event *e, uint32_t bit)
{
    e->touched[e->ntouched] = bit;
    e->ntouched += !e->is_touched[bit];
    e->is_touched[bit] = true;
}

static void tell_outs(struct event *e, const struct readers *r, bool value)
{
    for (uint32_t i = r->out_first; i < r->out_first + r->out_n; i++) {
        const struct out *o = &e->outs[i];
        if (o->kind == OUT_LEGAL) {
            change_legal(e, o->role, o->which, value ^ o->inverted);
        } else if (o->kind == OUT_NEXT) {
            touch(e, o->which);
        } else if (!e->loop_dirty[o->which]) {
            e->loop_dirty[o->which] = true;
            e->dirty_loops++;
        }
    }
}

static inline void flip(struct event *e, uint32_t wire)
{
    uint8_t w = e->wire[wire] ^ VALUE;
    if (!(w & QUEUED)) e->pending[e->npending++] = wire;
    e->wire[wire] = w | QUEUED;
}

/* Pass changes on until there are none. Last in, first out: a change is followed while it is in the cache. */
static void follow(struct event *e)
{
    while (e->npending > 0) {
        uint32_t wire = e->pending[--e->npending];
        uint8_t w = e->wire[wire] &= (uint8_t)~QUEUED;
        if (((w >> 1 ^ w) & 1) == 0) continue;
        e->wire[wire] = w ^ TOLD;
        const struct readers *r = &e->readers[wire];
        const uint32_t *reader = e->reader + r->first, *end = reader + r->n;
        for (; reader < end; reader++) {
            uint32_t gate = *reader >> 1;
            if ((w ^ *reader) & 1) {
                if (--e->lacking[gate] == 0) flip(e, e->first_gate + gate);
            } else {
                if (e->lacking[gate]++ == 0) flip(e, e->first_gate + gate);
            }
        }
        if (r->out_n) tell_outs(e, r, w & VALUE);
    }
}

/* Evaluate a loop from the beginning and pass on what has become different. */
static void renew_loop(struct event *e, const struct loop *l)
{
    const struct circuit *c = e->c;
    uint32_t first = e->first_gate + l->first;
    for (uint32_t i = 0; i < l->n; i++) e->before[i] = e->wire[first + i] & VALUE;
    for (uint32_t i = 0; i < l->cut_n; i++) {
        edge x = c->cuts.v[l->cut_first + i];
        e->wire[x >> 1] = (uint8_t)((e->wire[x >> 1] & ~VALUE) | !(x & 1));
    }
    for (bool changed = true, again = false; changed; again = true) {
        changed = !again; /* the first time round everything is new */
        for (uint32_t i = 0; i < l->n; i++) {
            bool now = gate_holds(e, l->first + i);
            if (now == (e->wire[first + i] & VALUE)) continue;
            e->wire[first + i] ^= VALUE;
            changed = true;
        }
    }
    for (uint32_t i = 0; i < l->n; i++) {
        if (e->before[i] == (e->wire[first + i] & VALUE)) continue;
        e->wire[first + i] ^= VALUE;
        flip(e, first + i);
    }
}

static void settle(struct event *e)
{
    follow(e);
    for (uint32_t l = 0; e->dirty_loops > 0; l++) { /* ascending: later loops may read earlier ones */
        if (!e->loop_dirty[l]) continue;
        e->loop_dirty[l] = false;
        e->dirty_loops--;
        renew_loop(e, &e->c->loops.v[l]);
        follow(e);
    }
}

/* --- Playing -------------------------------------------------------------------------------------------- */

bool event_terminal(const struct event *e)
{
    return edge_holds(e, e->c->terminal);
}

bool event_bit(const struct event *e, uint32_t bit)
{
    return e->wire[wire_bit(e->c, bit)] & VALUE;
}

uint32_t event_legal(const struct event *e, uint32_t role, const uint32_t **moves)
{
    *moves = e->legal + e->c->move_base[role];
    return e->nlegal[role];
}

void event_step(struct event *e, const uint32_t *joint)
{
    const struct circuit *c = e->c;
    for (uint32_t r = 0; r < c->nroles; r++) {
        uint32_t move = c->move_base[r] + joint[r];
        if (move == e->made[r]) continue;
        if (e->made[r] != NONE) flip(e, wire_move(c, e->made[r]));
        flip(e, wire_move(c, move));
        e->made[r] = move;
    }
    settle(e);
    /* A bit was last set to what its next value was then: it changes only if that has changed since. */
    uint32_t changed = 0;
    for (uint32_t i = 0; i < e->ntouched; i++) {
        uint32_t bit = e->touched[i];
        e->is_touched[bit] = false;
        if (edge_holds(e, c->next[bit]) != event_bit(e, bit)) e->touched[changed++] = bit;
    }
    e->ntouched = 0;
    for (uint32_t i = 0; i < changed; i++) flip(e, wire_bit(c, e->touched[i]));
    settle(e);
}

void event_restart(struct event *e)
{
    const struct circuit *c = e->c;
    for (uint32_t i = 0; i < c->nbits; i++)
        if (event_bit(e, i) != c->init[i]) {
            flip(e, wire_bit(c, i));
            touch(e, i);
        }
    settle(e);
}

int event_goal(const struct event *e, uint32_t role)
{
    const struct circuit *c = e->c;
    int value = -1, found = 0;
    for (uint32_t i = 0; i < c->goals.n; i++)
        if (c->goals.v[i].role == role && edge_holds(e, c->goals.v[i].e)) {
            value = (int)c->goals.v[i].value;
            found++;
        }
    return found == 1 ? value : -1;
}

void event_goals(struct event *e)
{
    const struct circuit *c = e->c;
    for (uint32_t g = c->phase_end[PHASE_VIEW]; g < c->phase_end[PHASE_GOAL]; g++) {
        if (e->loop_of[g] != NONE) {
            const struct loop *l = &c->loops.v[e->loop_of[g]];
            renew_loop(e, l);
            g = l->first + l->n - 1;
        } else {
            e->wire[e->first_gate + g] = gate_holds(e, g);
        }
    }
    e->npending = 0;
}

void event_play(struct event *e, struct rng *rng, uint32_t max_steps, const atomic_bool *stop,
                uint64_t *games, uint64_t *transitions, double *goal_sum)
{
    uint32_t nroles = e->c->nroles;
    while (!atomic_load_explicit(stop, memory_order_relaxed)) {
        event_restart(e);
        uint32_t steps = 0;
        for (; !event_terminal(e) && steps < max_steps; steps++) {
            for (uint32_t r = 0; r < nroles; r++)
                e->joint[r] =
                    e->legal[e->c->move_base[r] + (e->nlegal[r] > 1 ? rng_below(rng, e->nlegal[r]) : 0)];
            event_step(e, e->joint);
        }
        *transitions += steps;
        if (steps == max_steps) continue;
        ++*games;
        event_goals(e);
        for (uint32_t r = 0; r < nroles; r++) {
            int goal = event_goal(e, r);
            if (goal_sum && goal >= 0) goal_sum[r] += goal;
        }
    }
}

/* --- Setting up ----------------------------------------------------------------------------------------- */

static void add_out(struct event *e, int pass, edge x, enum out_kind kind, uint32_t which)
{
    struct readers *r = &e->readers[x >> 1];
    uint32_t role = 0;
    while (kind == OUT_LEGAL && which >= e->c->move_base[role + 1]) role++;
    if (pass) e->outs[r->out_first + r->out_n] = (struct out){kind, which, role, x & 1};
    r->out_n++;
}

/* Gates of the goal phase take no part: they are evaluated on demand. */
static void add_all_readers(struct event *e, int pass)
{
    const struct circuit *c = e->c;
    for (uint32_t g = 0; g < c->ngates; g++) {
        bool goal = g >= c->phase_end[PHASE_VIEW] && g < c->phase_end[PHASE_GOAL];
        for (uint32_t i = 0; i < c->gates.v[g].n && !goal; i++) {
            edge x = c->edges.v[c->gates.v[g].first + i];
            struct readers *r = &e->readers[x >> 1];
            uint32_t w = x >> 1, loop = e->loop_of[g];
            if (loop == NONE) {
                if (pass) e->reader[r->first + r->n] = g << 1 | (x & 1);
                r->n++;
            } else if (w < e->first_gate || e->loop_of[w - e->first_gate] != loop) {
                add_out(e, pass, x, OUT_LOOP, loop);
            }
        }
    }
    for (uint32_t m = 0; m < c->nmoves; m++) add_out(e, pass, c->legal[m], OUT_LEGAL, m);
    for (uint32_t b = 0; b < c->nbits; b++) add_out(e, pass, c->next[b], OUT_NEXT, b);
}

static void connect(struct event *e)
{
    uint32_t nreaders = 0, nouts = 0;
    add_all_readers(e, 0);
    for (uint32_t w = 0; w < e->nwires; w++) {
        struct readers *r = &e->readers[w];
        r->first = nreaders;
        r->out_first = nouts;
        nreaders += r->n;
        nouts += r->out_n;
        r->n = r->out_n = 0;
    }
    e->reader = heap_alloc(e->heap, (nreaders + 1) * sizeof *e->reader);
    e->outs = heap_alloc(e->heap, (nouts + 1) * sizeof *e->outs);
    add_all_readers(e, 1);
}

static void begin(struct event *e)
{
    const struct circuit *c = e->c;
    e->wire[0] = VALUE | TOLD;
    for (uint32_t i = 0; i < c->nbits; i++) e->wire[wire_bit(c, i)] = c->init[i] ? VALUE | TOLD : 0;
    for (uint32_t g = 0; g < c->ngates; g++) {
        if (e->loop_of[g] != NONE) {
            const struct loop *l = &c->loops.v[e->loop_of[g]];
            renew_loop(e, l);
            g = l->first + l->n - 1;
            continue;
        }
        for (uint32_t i = 0; i < c->gates.v[g].n; i++)
            e->lacking[g] += !edge_holds(e, c->edges.v[c->gates.v[g].first + i]);
        e->wire[e->first_gate + g] = e->lacking[g] == 0 ? VALUE : 0;
    }
    for (uint32_t w = 0; w < e->nwires; w++) e->wire[w] = e->wire[w] & VALUE ? VALUE | TOLD : 0;
    e->npending = 0;
    for (uint32_t r = 0; r < c->nroles; r++)
        for (uint32_t m = c->move_base[r]; m < c->move_base[r + 1]; m++)
            if (edge_holds(e, c->legal[m])) change_legal(e, r, m, true);
    for (uint32_t b = 0; b < c->nbits; b++) touch(e, b);
    for (uint32_t r = 0; r < c->nroles; r++) e->made[r] = NONE;
}

static void set_up(struct event *e)
{
    const struct circuit *c = e->c;
    struct heap *heap = e->heap;
    e->first_gate = wire_gate(c, 0);
    e->nwires = e->first_gate + c->ngates;
    e->readers = heap_zalloc(heap, e->nwires * sizeof *e->readers);
    e->wire = heap_zalloc(heap, e->nwires);
    e->lacking = heap_zalloc(heap, (c->ngates + 1) * sizeof *e->lacking);
    e->pending = heap_alloc(heap, e->nwires * sizeof *e->pending);
    e->legal = heap_alloc(heap, (c->nmoves + 1) * sizeof *e->legal);
    e->place = heap_alloc(heap, (c->nmoves + 1) * sizeof *e->place);
    e->nlegal = heap_zalloc(heap, c->nroles * sizeof *e->nlegal);
    e->touched = heap_alloc(heap, (c->nbits + 1) * sizeof *e->touched);
    e->is_touched = heap_zalloc(heap, c->nbits + 1);
    e->loop_dirty = heap_zalloc(heap, c->loops.n + 1);
    e->loop_of = heap_alloc(heap, (c->ngates + 1) * sizeof *e->loop_of);
    e->before = heap_alloc(heap, c->ngates + 1);
    e->made = heap_alloc(heap, c->nroles * sizeof *e->made);
    e->joint = heap_alloc(heap, c->nroles * sizeof *e->joint);
    memset(e->loop_of, 0xff, (c->ngates + 1) * sizeof *e->loop_of);
    for (uint32_t l = 0; l < c->loops.n; l++)
        for (uint32_t i = 0; i < c->loops.v[l].n; i++) e->loop_of[c->loops.v[l].first + i] = l;
    connect(e);
    begin(e);
}

struct event *event_new(const struct circuit *c)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error;
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        struct event *e = heap_zalloc(heap, sizeof *e);
        e->heap = heap;
        e->c = c;
        set_up(e);
        heap_leave(heap);
        return e;
    }
    heap_free(heap);
    return NULL;
}

void event_free(struct event *e)
{
    if (e) heap_free(e->heap);
}
