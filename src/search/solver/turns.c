// SPDX-License-Identifier: GPL-3.0-or-later
/* Two roles that take turns, constant sum: questions in turn until the value is known, then a line that shows
 * it.
 *
 * The values the first role can have are known, so the value is found by halving: at least the middle one? */
#include "search/solver/solve_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLICE 20000

/* Which of the two is better differs from position to position by any factor, and what one has proved the
 * other finds in the table. So they take turns, each time for twice as long: that costs at most a few times
 * what the better one would have taken alone. */
static enum verdict ask_both(struct solver *s, const struct place *p, uint32_t question)
{
    enum verdict v = OPEN;
    for (uint64_t length = FIRST_SLICE; v == OPEN && !s->halt; length *= 2)
        for (uint32_t turn = 0; turn < 2 && v == OPEN && !s->halt; turn++) {
            s->slice = s->at.opened + (turn ? length / 2 : length);
            s->at.method = turn ? SOLVE_PROOF_NUMBER : SOLVE_DEPTH_FIRST;
            v = turn ? proof_number(s, p, question) : depth_first(s, p, question, UINT32_MAX);
            s->slice = 0;
            if (s->halt == HALT_SLICE) s->halt = HALT_NOT;
        }
    return v;
}

static enum verdict ask(struct solver *s, const struct place *p, uint32_t question, uint32_t depth)
{
    bool whole = depth == UINT32_MAX && !s->opt->shortest;
    if (whole && s->opt->method == SOLVE_AUTO) return ask_both(s, p, question);
    if (whole && s->opt->method == SOLVE_PROOF_NUMBER) return proof_number(s, p, question);
    return depth_first(s, p, question, depth);
}

/* Ply by ply with `shortest` or a limit, else at once. *depth gets the plies it took. */
static enum verdict ask_deeper(struct solver *s, const struct place *p, uint32_t question, uint32_t *depth)
{
    uint32_t limit = s->opt->depth ? s->opt->depth : UINT32_MAX;
    if (!s->opt->shortest) return ask(s, p, question, *depth = limit);
    for (*depth = 1; *depth <= limit && *depth < UINT8_MAX - 1; ++*depth) {
        s->at.depth = *depth;
        enum verdict v = ask(s, p, question, *depth);
        if (v != OPEN || s->halt) return v;
    }
    return OPEN;
}

/* The range of values left, as indexes. */
struct range {
    uint32_t low, high;
};

static void publish(struct solver *s, const struct range *r, struct solve_result *out)
{
    const int *values = s->outcomes->value[0];
    out->low[0] = s->at.low = values[r->low];
    out->high[0] = s->at.high = values[r->high];
    out->low[1] = s->sum - out->high[0];
    out->high[1] = s->sum - out->low[0];
}

static bool find_value(struct solver *s, const struct place *root, struct range *r, struct solve_result *out)
{
    out->depth = 0;
    while (r->low < r->high) {
        uint32_t middle = (r->low + r->high + 1) / 2, depth = 0;
        s->at.question = s->outcomes->value[0][middle];
        enum verdict v = ask_deeper(s, root, middle, &depth);
        if (v == OPEN) return false;
        if (v == YES)
            r->low = middle;
        else
            r->high = middle - 1;
        if (s->opt->shortest && depth > out->depth) out->depth = depth;
        publish(s, r, out);
    }
    return true;
}

/* Is the child as good for the mover as the value says? `left`: plies it may take (shortest only). */
static bool keeps(struct solver *s, const struct fan *f, const struct place *c, uint32_t value, uint32_t left)
{
    bool first = f->mover == 0;
    uint32_t question = first ? value : value + 1;
    if (first ? value == 0 : value + 1 >= s->outcomes->n[0]) return true; /* it cannot get worse */
    if (c->end) return (solver_goal(s, c) >= s->outcomes->value[0][question]) == first;
    return ask(s, c, question, s->opt->shortest ? left : UINT32_MAX) == (first ? YES : NO);
}

/* The mover gets as little as there is whatever he does. With `shortest`: would this move take longer than
 * `left` plies to lose? */
static bool lasts(struct solver *s, const struct fan *f, const struct place *c, uint32_t value, uint32_t left)
{
    if (c->end || !s->opt->shortest || left == 0) return !c->end;
    s->round++;
    enum verdict v = depth_first(s, c, f->mover == 0 ? value + 1 : value, left);
    s->round++;
    return v == OPEN && !s->halt;
}

/* The move for the line; UINT32_MAX: not found within the limits. */
static uint32_t choose(struct solver *s, const struct fan *f, uint32_t value, uint32_t left)
{
    bool lost = f->mover == 0 ? value == 0 : value + 1 == s->outcomes->n[0];
    uint32_t *order = malloc(f->n * sizeof *order), found = UINT32_MAX;
    if (!order) return found;
    solver_order(s, f, MEMO_NO_MOVE, order);
    /* ends and what is remembered first: they cost nothing */
    for (uint32_t i = 0; i < f->n && found == UINT32_MAX && !lost; i++)
        if (f->child[i].end && keeps(s, f, &f->child[i], value, left)) found = i;
    for (uint32_t i = 0; i < f->n && found == UINT32_MAX && !lost && !s->opt->shortest; i++) {
        uint32_t question = f->mover == 0 ? value : value + 1;
        if (!f->child[i].end && solver_known(s, &f->child[i], question, NULL) == (f->mover == 0 ? YES : NO))
            found = i;
    }
    for (uint32_t i = 0; i < f->n && found == UINT32_MAX && !s->halt; i++)
        if (lost ? lasts(s, f, &f->child[order[i]], value, left ? left - 1 : 0)
                 : keeps(s, f, &f->child[order[i]], value, left))
            found = order[i];
    if (found == UINT32_MAX && lost && !s->halt) found = order[0];
    free(order);
    return found;
}

static void follow(struct solver *s, const struct place *root, uint32_t value, struct solve_result *out)
{
    struct fan *fans = calloc(256, sizeof *fans);
    const struct place *p = root;
    uint32_t n = 0;
    while (fans && n < 256 && !p->end && solver_open(s, p, &fans[n], true)) {
        uint32_t left = out->depth > n + 1 ? out->depth - n - 1 : 0, best = choose(s, &fans[n], value, left);
        if (best == UINT32_MAX) {
            solver_close(s, &fans[n]);
            break;
        }
        for (uint32_t role = 0; role < s->nroles; role++)
            out->line[out->steps * s->nroles + role] = fan_move(&fans[n], role, best);
        out->steps++;
        p = &fans[n++].child[best];
    }
    out->line_ends = p->end;
    while (n-- > 0) solver_close(s, &fans[n]);
    free(fans);
}

/* What the table knows of the root's moves. */
static void tell_moves(struct solver *s, const struct place *root, struct solve_result *out)
{
    struct fan f;
    enum halt halt = s->halt;
    s->halt = HALT_NOT;
    if (fan_open(s->expander, root, &f, &s->error)) {
        out->moves = f.choosers == 1 ? calloc(f.n, sizeof *out->moves) : NULL;
        for (uint32_t i = 0; out->moves && i < f.n; i++) {
            const struct place *c = &f.child[i];
            struct memo_entry *e = c->end ? NULL : solver_find(s, c, 1);
            double low, high;
            solver_outlook(s, c, &low, &high);
            if (e) low = fmax(low, memo_low(e)), high = fmin(high, memo_high(e));
            if (c->end) low = high = c->goals[0];
            struct solve_move *m = &out->moves[out->nmoves++];
            m->role = f.mover;
            m->move = fan_move(&f, f.mover, i);
            m->low = f.mover == 0 ? low : s->sum - high;
            m->high = f.mover == 0 ? high : s->sum - low;
            m->known = low > s->low || high < s->high || low == high;
        }
        fan_close(s->expander, &f);
    }
    s->halt = halt;
}

/* The value is known: which moves keep it? Those for which there is no time are left open. Who has won needs
 * but one. */
static void ask_every(struct solver *s, const struct place *root, uint32_t value)
{
    struct fan f;
    if (!solver_open(s, root, &f, true)) return;
    bool won = f.mover == 0 ? value + 1 == s->outcomes->n[0] : value == 0;
    for (uint32_t i = 0; i < f.n && !s->halt && !won; i++) keeps(s, &f, &f.child[i], value, 0);
    solver_close(s, &f);
}

bool turns_run(struct solver *s, const struct place *root, struct solve_result *out)
{
    struct range r = {0, s->outcomes->n[0] ? s->outcomes->n[0] - 1 : 0};
    publish(s, &r, out);
    out->proved = find_value(s, root, &r, out);
    if (s->halt == HALT_AT_ONCE || s->halt == HALT_SUM) return false;
    out->method = s->at.method;
    if (!out->proved && !s->halt) out->why = SOLVE_DEPTH;
    if (out->proved) {
        enum halt halt = s->halt;
        if (s->opt->every_move) ask_every(s, root, r.low);
        if (s->halt == HALT_AT_ONCE || s->halt == HALT_SUM) return false;
        if (s->halt != HALT_ERROR) s->halt = halt;
        tell_moves(s, root, out);
        follow(s, root, r.low, out); /* running out of time here does not unprove anything */
        if (s->halt != HALT_ERROR) s->halt = halt;
    } else
        tell_moves(s, root, out);
    return true;
}
