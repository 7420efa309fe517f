// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/steps.h"

#include "gpu/plan_internal.h"

#define MOST_ROLES 64

struct stepper {
    struct planner p;
    const struct gpu_step *step;
    struct gpu_rows rows;
    struct lut_net *net;
    const uint32_t *readers;
    uint32_t *legal;  /* by move */
    uint32_t *leaves; /* by row that is read; 0: it has none yet */
    uint32_t zero, over, active;
    uint32_t players[MOST_ROLES], crowded, stuck;
};

static uint32_t bits_for(uint32_t most)
{
    uint32_t n = 1;
    while (n < 32 && most >> n) n++;
    return n;
}

struct gpu_rows gpu_rows_of(const struct circuit *c, uint32_t max_steps)
{
    struct gpu_rows r = {.over = c->nbits};
    r.ended = r.over + 1;
    r.given_up = r.ended + 1;
    r.goals = r.given_up + 1;
    r.age = r.goals + c->goals.n;
    r.nages = max_steps ? bits_for(max_steps) : 0;
    r.zero = r.age + r.nages;
    r.nkept = r.zero + 1;
    r.stuck = r.nkept;
    r.crowded = r.stuck + 1;
    r.illegal = r.crowded + 1;
    r.nall = r.illegal + c->nroles;
    for (uint32_t i = 0; i < c->nroles; i++)
        if (c->move_base[i + 1] - c->move_base[i] > r.nactions)
            r.nactions = c->move_base[i + 1] - c->move_base[i];
    r.nplanes = bits_for(r.nactions ? r.nactions - 1 : 0);
    r.chance = r.nplanes;
    r.wait = r.chance + 1;
    r.none = r.wait + 1;
    r.ngroup = r.none + 1;
    r.of_players = c->nmoves;
    r.players = r.of_players + r.nactions;
    r.terminal = r.players + c->nroles;
    r.nseen = r.terminal + 1;
    return r;
}

static uint32_t read_row(struct stepper *s, uint32_t row)
{
    if (!s->leaves[row]) s->leaves[row] = lut_leaf(s->net, LUT_START, row);
    return s->leaves[row];
}

static uint32_t read_asked(struct stepper *s, uint32_t group, uint32_t row)
{
    return read_row(s, s->rows.nkept + group * s->rows.ngroup + row);
}

static void need(struct stepper *s, uint32_t literal, uint32_t counter)
{
    vec_push(s->p.plan->heap, &s->p.plan->roots, (struct gpu_root){literal, counter});
}

/* What is the same in all lanes is written as nothing, or its opposite. */
static void write_row(struct stepper *s, uint32_t row, uint32_t literal)
{
    if (literal >> 1 == 0) literal = s->zero ^ (literal == LUT_TRUE);
    need(s, literal, GPU_ROW + row);
}

static void count(struct stepper *s, uint32_t counter, uint32_t literal)
{
    if (literal >> 1) need(s, literal, counter);
}

/* --- Looking -------------------------------------------------------------------------------------------- */

/* Whose move it is, as lanes_look of the processor's batches finds it. */
static void find_players(struct stepper *s)
{
    struct lut_net *net = s->net;
    const struct circuit *c = s->p.c;
    uint32_t open = s->active;
    s->crowded = s->stuck = LUT_FALSE;
    for (uint32_t r = 0; r < c->nroles; r++) {
        uint32_t one = LUT_FALSE, two = LUT_FALSE;
        for (uint32_t m = c->move_base[r]; m < c->move_base[r + 1]; m++) {
            two = lut_gate(net, one, s->legal[m], two, 0xea); /* one & legal | two */
            one = lut_or(net, one, s->legal[m]);
        }
        s->players[r] = lut_and(net, open, two);
        s->crowded = lut_or(net, s->crowded, lut_and3(net, s->active, two, lut_not(open)));
        s->stuck = lut_or(net, s->stuck, lut_and(net, s->active, lut_not(one)));
        open = lut_and(net, open, lut_not(two));
    }
    for (uint32_t r = 0; r < c->nroles; r++) { /* nobody chooses: whose only move is not idle */
        uint32_t awake = LUT_FALSE;
        for (uint32_t m = c->move_base[r]; m < c->move_base[r + 1]; m++)
            if (!s->step->idle[r][m - c->move_base[r]]) awake = lut_or(net, awake, s->legal[m]);
        s->players[r] = lut_gate(net, s->players[r], open, awake, 0xf8); /* player | open & awake */
        open = lut_and(net, open, lut_not(awake));
    }
    s->players[0] = lut_or(net, s->players[0], open);
}

/* The view of the state that the wires of bits have. */
static uint32_t view(struct stepper *s)
{
    s->p.loop = 0;
    gpu_plan_gates(&s->p, 0, s->p.c->phase_end[PHASE_VIEW], s->readers);
    return literal(&s->p, s->p.c->terminal);
}

static void look(struct stepper *s)
{
    const struct circuit *c = s->p.c;
    const struct gpu_rows *rows = &s->rows;
    struct lut_net *net = s->net;
    for (uint32_t m = 0; m < c->nmoves; m++) write_row(s, m, lut_and(net, s->active, s->legal[m]));
    for (uint32_t k = 0; k < rows->nactions; k++) {
        uint32_t any = LUT_FALSE;
        for (uint32_t r = 0; r < c->nroles; r++) {
            uint32_t m = c->move_base[r] + k;
            if (m < c->move_base[r + 1])
                any = lut_gate(net, any, s->players[r], s->legal[m], 0xf8); /* any | player & legal */
        }
        write_row(s, rows->of_players + k, any);
    }
    for (uint32_t r = 0; r < c->nroles; r++) write_row(s, rows->players + r, s->players[r]);
}

/* --- Choosing ------------------------------------------------------------------------------------------- */

/* out[i]: the number in these planes is i. */
static void decode(struct lut_net *net, const uint32_t *planes, uint32_t bits, uint32_t first, uint32_t n,
                   uint32_t active, uint32_t *out)
{
    if (first >= n) return;
    if (bits == 0) {
        out[first] = active;
        return;
    }
    uint32_t top = planes[bits - 1];
    decode(net, planes, bits - 1, first, n, lut_and(net, active, lut_not(top)), out);
    decode(net, planes, bits - 1, first + (1u << (bits - 1)), n, lut_and(net, active, top), out);
}

/* What a role is asked to do becomes what it does where `given`; returns where it may not do that. */
static uint32_t do_as_asked(struct stepper *s, uint32_t role, uint32_t given, uint32_t *made)
{
    struct lut_net *net = s->net;
    struct heap *heap = s->p.plan->heap;
    const uint32_t *legal = s->legal + s->p.c->move_base[role];
    uint32_t n = s->p.c->move_base[role + 1] - s->p.c->move_base[role], planes[32];
    bool joint = s->step->kind == GPU_STEP_JOINT;
    uint32_t group = joint ? role : 0, mine = joint ? LUT_TRUE : s->players[role], fine = LUT_FALSE;
    uint32_t *asked = heap_alloc(heap, (n + 1) * sizeof *asked);
    for (uint32_t k = 0; k < s->rows.nplanes; k++) planes[k] = read_asked(s, group, k);
    decode(net, planes, s->rows.nplanes, 0, n, LUT_TRUE, asked);
    for (uint32_t m = 0; m < n; m++) {
        fine = lut_gate(net, fine, asked[m], legal[m], 0xf8); /* fine | asked & legal */
        made[m] =
            n == 1 ? LUT_TRUE : lut_select(net, given, lut_select(net, mine, asked[m], legal[m]), made[m]);
    }
    heap_release(heap, asked);
    fine = lut_and(net, fine, lut_not(read_asked(s, group, s->rows.none)));
    return lut_and3(net, given, mine, lut_not(fine));
}

/* The moves made; returns the lanes that move, and counts those in which something is wrong. */
static uint32_t choose(struct stepper *s)
{
    const struct circuit *c = s->p.c;
    struct lut_net *net = s->net;
    uint32_t moved = s->active, given = LUT_FALSE, wrong = s->stuck;
    bool asked = s->step->kind != GPU_STEP_RANDOM;
    write_row(s, s->rows.stuck, s->stuck);
    if (asked) {
        moved = lut_and(net, moved, lut_not(read_asked(s, 0, s->rows.wait)));
        given = lut_and(net, moved, lut_not(read_asked(s, 0, s->rows.chance)));
    }
    for (uint32_t r = 0; r < c->nroles; r++) {
        uint32_t first = c->move_base[r], *made = &s->p.wire[wire_move(c, first)];
        gpu_choose(net, s->legal + first, c->move_base[r + 1] - first, r, 0, made);
        if (!asked) continue;
        uint32_t illegal = do_as_asked(s, r, given, made);
        write_row(s, s->rows.illegal + r, illegal);
        wrong = lut_or(net, wrong, illegal);
    }
    if (s->step->kind == GPU_STEP_PLAYERS) {
        uint32_t crowded = lut_and(net, s->crowded, given);
        write_row(s, s->rows.crowded, crowded);
        wrong = lut_or(net, wrong, crowded);
    }
    count(s, gpu_counters(c), wrong);
    for (uint32_t m = 0; m < c->nmoves; m++) /* in a row */
        if (s->p.wire[wire_move(c, m)] != LUT_FALSE) need(s, s->p.wire[wire_move(c, m)], GPU_PERHAPS);
    return moved;
}

/* --- Moving --------------------------------------------------------------------------------------------- */

/* What games brought that end here. */
static void goals(struct stepper *s, uint32_t ended)
{
    const struct circuit *c = s->p.c;
    struct lut_net *net = s->net;
    uint32_t defined = ended, unique[MOST_ROLES];
    for (uint32_t r = 0; r < c->nroles; r++) {
        unique[r] = gpu_plan_one_goal(&s->p, r);
        defined = lut_and(net, defined, unique[r]);
    }
    for (uint32_t i = 0; i < c->goals.n; i++) {
        uint32_t has = literal(&s->p, c->goals.v[i].e), row = s->rows.goals + i;
        count(s, GPU_GOALS + i, lut_and(net, defined, has));
        has = lut_and3(net, ended, has, unique[c->goals.v[i].role]);
        write_row(s, row, lut_gate(net, has, s->over, read_row(s, row), 0xf8)); /* has | over & before */
    }
}

/* Where a game is now too old; its age becomes one more where it moves. */
static uint32_t grow_old(struct stepper *s, uint32_t moved, uint32_t *age)
{
    uint32_t carry = moved, old = moved;
    for (uint32_t i = 0; i < s->rows.nages; i++) {
        uint32_t before = read_row(s, s->rows.age + i);
        age[i] = lut_xor(s->net, before, carry);
        carry = lut_and(s->net, before, carry);
        old = lut_and(s->net, old, s->step->max_steps >> i & 1 ? age[i] : lut_not(age[i]));
    }
    return s->rows.nages ? old : LUT_FALSE;
}

static void move(struct stepper *s)
{
    const struct circuit *c = s->p.c;
    struct lut_net *net = s->net;
    const struct gpu_rows *rows = &s->rows;
    uint32_t moved = choose(s), age[32];
    gpu_plan_gates(&s->p, c->phase_end[PHASE_GOAL], c->ngates, s->readers);
    uint32_t *next = heap_alloc(s->p.plan->heap, (c->nbits + 1) * sizeof *next);
    for (uint32_t b = 0; b < c->nbits; b++)
        next[b] = lut_select(net, moved, literal(&s->p, c->next[b]), s->p.wire[wire_bit(c, b)]);
    for (uint32_t b = 0; b < c->nbits; b++) s->p.wire[wire_bit(c, b)] = next[b];
    uint32_t ended = lut_and(net, moved, view(s));
    gpu_plan_gates(&s->p, c->phase_end[PHASE_VIEW], c->phase_end[PHASE_GOAL], s->readers);
    uint32_t old = lut_and(net, grow_old(s, moved, age), lut_not(ended)), end = lut_or(net, ended, old),
             again = s->step->keep ? LUT_FALSE : end;
    goals(s, ended);
    count(s, GPU_TRANSITIONS, moved);
    count(s, GPU_GAMES, ended);
    count(s, GPU_GIVEN_UP, old);
    write_row(s, rows->over, s->step->keep ? lut_or(net, s->over, end) : s->over);
    write_row(s, rows->ended, lut_gate(net, end, s->over, read_row(s, rows->ended), 0xf8));
    write_row(s, rows->given_up, lut_gate(net, old, s->over, read_row(s, rows->given_up), 0xf8));
    for (uint32_t i = 0; i < rows->nages; i++)
        write_row(s, rows->age + i, lut_and(net, age[i], lut_not(again)));
    write_row(s, rows->zero, LUT_FALSE);
    for (uint32_t b = 0; b < c->nbits; b++)
        write_row(s, b, lut_select(net, again, c->init[b] ? LUT_TRUE : LUT_FALSE, next[b]));
    heap_release(s->p.plan->heap, next);
}

struct gpu_plan *gpu_plan_step(struct heap *heap, const struct gpu_step *step)
{
    const struct circuit *c = step->circuit;
    struct gpu_plan *plan = heap_zalloc(heap, sizeof *plan);
    struct stepper s = {.step = step, .rows = gpu_rows_of(c, step->max_steps), .net = &plan->net};
    if (c->nroles > MOST_ROLES) heap_fail(heap, ERROR_INPUT, "too many roles for a device");
    *plan = (struct gpu_plan){.heap = heap, .circuit = c, .setup = {.turns = 1}, .rows = true};
    plan->first_more = s.rows.nkept;
    plan->ncounters = step->kind == GPU_LOOK ? 0 : gpu_counters(c) + 1;
    lut_init(&plan->net, heap);
    s.p = (struct planner){.plan = plan, .c = c};
    s.p.wire = heap_zalloc(heap, wire_gate(c, c->ngates) * sizeof *s.p.wire);
    s.readers = gpu_plan_readers(heap, c);
    s.legal = heap_alloc(heap, (c->nmoves + 1) * sizeof *s.legal);
    s.leaves = heap_zalloc(heap, (s.rows.nkept + c->nroles * s.rows.ngroup) * sizeof *s.leaves);
    s.zero = read_row(&s, s.rows.zero);
    s.over = read_row(&s, s.rows.over);
    for (uint32_t b = 0; b < c->nbits; b++) s.p.wire[wire_bit(c, b)] = read_row(&s, b);
    uint32_t terminal = view(&s);
    s.active = lut_and(s.net, lut_not(s.over), lut_not(terminal));
    for (uint32_t m = 0; m < c->nmoves; m++) s.legal[m] = literal(&s.p, c->legal[m]);
    find_players(&s);
    if (step->kind == GPU_LOOK) {
        look(&s);
        write_row(&s, s.rows.terminal, lut_and(s.net, terminal, lut_not(s.over)));
    } else {
        move(&s);
    }
    gpu_plan_cover(plan);
    return plan;
}
