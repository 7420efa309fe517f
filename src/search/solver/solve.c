// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/solver/solve_internal.h"

#include "base/hash.h"
#include "circuit/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const solve_method_names[SOLVE_METHODS] = {"auto",  "depth-first",   "proof-number", "backward",
                                                       "max-n", "breadth-first", "race"};

/* --- Limits --------------------------------------------------------------------------------------------- */

static void tell(struct solver *s)
{
    s->at.seen = expander_children(s->expander);
    s->at.plies = s->plies > s->at.plies ? s->plies : s->at.plies;
    if (s->memo.v) s->at.memory_used = memo_share(&s->memo);
    if (s->opt->progress) s->opt->progress(s->opt->progress_data, &s->at);
    s->at.plies = 0;
}

bool solver_go_on(struct solver *s)
{
    const struct budget *b = &s->opt->budget;
    if (s->halt) return false;
    if (s->slice && s->at.opened >= s->slice) s->halt = HALT_SLICE;
    if (b->expansions && s->at.opened >= b->expansions) s->halt = HALT_OPENED;
    if (b->stop && atomic_load_explicit(b->stop, memory_order_relaxed)) s->halt = HALT_STOP;
    if (++s->at.opened % 256 == 0) {
        double now = clock_now();
        if (b->deadline > 0 && now >= b->deadline) s->halt = HALT_TIME;
        if (now > s->told + 0.1) s->told = now, tell(s);
    }
    if (s->plies >= MOST_PLIES) {
        s->halt = HALT_ERROR;
        error_set(&s->error, ERROR_INPUT,
                  "a line goes on for more than %u moves: a game that need not end has no value to prove",
                  MOST_PLIES);
    }
    return !s->halt;
}

bool solver_open(struct solver *s, const struct place *p, struct fan *f, bool turns)
{
    if (!solver_go_on(s)) return false;
    if (turns && p->choosers > 1) return s->halt = HALT_AT_ONCE, false;
    if (!fan_open(s->expander, p, f, &s->error)) {
        s->halt = s->error.code == ERROR_MEMORY ? HALT_MEMORY : HALT_ERROR;
        return false;
    }
    s->plies++;
    if (s->plies > s->deepest) s->deepest = s->plies;
    return true;
}

void solver_close(struct solver *s, struct fan *f)
{
    s->plies--;
    fan_close(s->expander, f);
}

int solver_goal(struct solver *s, const struct place *p)
{
    if (p->goals[0] + p->goals[1] != s->sum) s->halt = HALT_SUM;
    return p->goals[0];
}

/* --- Order ---------------------------------------------------------------------------------------------- */

static uint32_t *history_of(struct solver *s, const struct fan *f, uint32_t joint)
{
    uint32_t move = fan_move(f, f->mover, joint) % HISTORY_MOVES;
    return &s->history[(size_t)(f->mover % 2) * HISTORY_MOVES + move];
}

struct keyed {
    uint64_t key;
    uint32_t joint;
};

static int descending(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? 1 : -1;
    return x->joint < y->joint ? -1 : x->joint > y->joint;
}

void solver_order(struct solver *s, const struct fan *f, uint32_t best, uint32_t *order)
{
    struct keyed small[128], *v = f->n <= 128 ? small : malloc(f->n * sizeof *v);
    if (!v) {
        for (uint32_t i = 0; i < f->n; i++) order[i] = i;
        return;
    }
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t replies = f->child[i].joints < 65535 ? f->child[i].joints : 65535;
        v[i].joint = i;
        v[i].key = i == best ? UINT64_MAX : ((uint64_t)*history_of(s, f, i) << 20) / (replies + 1);
    }
    if (f->n <= 32) { /* few: by insertion */
        for (uint32_t i = 1; i < f->n; i++) {
            struct keyed x = v[i];
            uint32_t k = i;
            for (; k > 0 && descending(&v[k - 1], &x) > 0; k--) v[k] = v[k - 1];
            v[k] = x;
        }
    } else
        qsort(v, f->n, sizeof *v, descending);
    for (uint32_t i = 0; i < f->n; i++) order[i] = v[i].joint;
    if (v != small) free(v);
}

/* What took much work to find saves much when it is found at once next time: Connect Four 5x5 takes 2.4 times
 * as many positions when every move that settled something counts the same. */
void solver_reward(struct solver *s, const struct fan *f, uint32_t joint, uint64_t spent)
{
    uint32_t *h = history_of(s, f, joint);
    *h += spent < 1000000 ? (uint32_t)spent + 1 : 1000000;
    if (*h < 1u << 30) return;
    for (uint32_t i = 0; i < 2 * HISTORY_MOVES; i++) s->history[i] /= 2;
}

/* --- The table ------------------------------------------------------------------------------------------ */

static struct place salted(const struct solver *s, const struct place *p, uint32_t plies)
{
    struct place q = *p;
    uint64_t salt = hash_mix(s->round, plies);
    q.key ^= salt;
    q.check ^= salt << 1;
    if (!q.check) q.check = 1;
    return q;
}

struct memo_entry *solver_find(const struct solver *s, const struct place *p, uint32_t plies)
{
    if (!s->opt->shortest) return memo_find(&s->memo, p);
    struct place q = salted(s, p, plies);
    return memo_find(&s->memo, &q);
}

struct memo_entry *solver_take(struct solver *s, const struct place *p, uint32_t plies)
{
    if (!s->opt->shortest) return memo_take(&s->memo, p, s->low, s->high);
    struct place q = salted(s, p, plies);
    return memo_take(&s->memo, &q, s->low, s->high);
}

void solver_outlook(const struct solver *s, const struct place *p, double *low, double *high)
{
    const int16_t *may = p->outlook;
    *low = s->low, *high = s->high;
    if (!may) return;
    double least = fmax(may[0], s->sum - may[3]), most = fmin(may[1], s->sum - may[2]);
    if (least <= most) *low = fmax(*low, least), *high = fmin(*high, most); /* else no end can be reached */
}

enum verdict solver_known(const struct solver *s, const struct place *p, uint32_t question,
                          struct memo_entry **entry)
{
    struct memo_entry *e = solver_find(s, p, s->plies);
    int32_t value = s->outcomes->value[0][question] * (int32_t)MEMO_UNIT;
    if (entry) *entry = e;
    if (p->outlook) {
        double low, high;
        solver_outlook(s, p, &low, &high);
        if (low >= s->outcomes->value[0][question]) return YES;
        if (high < s->outcomes->value[0][question]) return NO;
    }
    return !e ? OPEN : e->low >= value ? YES : e->high < value ? NO : OPEN;
}

void solver_settle(struct solver *s, const struct place *p, uint32_t question, bool yes, uint32_t best,
                   uint64_t work)
{
    struct memo_entry *e = solver_take(s, p, s->plies - 1);
    const int *values = s->outcomes->value[0];
    int32_t bound = (yes ? values[question] : values[question - 1]) * (int32_t)MEMO_UNIT;
    if (yes && bound > e->low) e->low = bound;
    if (!yes && bound < e->high) e->high = bound;
    e->best = best < MEMO_NO_MOVE ? best & UINT16_MAX : MEMO_NO_MOVE;
    memo_worked(e, work);
}

/* --- The door ------------------------------------------------------------------------------------------- */

static enum solve_why why(enum halt h)
{
    switch (h) {
    case HALT_TIME: return SOLVE_TIME;
    case HALT_STOP: return SOLVE_CANCELLED;
    case HALT_OPENED: return SOLVE_OPENED;
    case HALT_MEMORY: return SOLVE_MEMORY;
    default: return SOLVE_DONE;
    }
}

#define TRIAL 200000 /* positions for max^n where nobody knows whether the sum is constant */

/* Bounds as the rules give them: another method begins. */
static void reset(struct solver *s, struct solve_result *out, enum solve_method method)
{
    for (uint32_t role = 0; role < s->nroles; role++) {
        out->low[role] = outcomes_low(s->outcomes, role);
        out->high[role] = outcomes_high(s->outcomes, role);
    }
    s->halt = HALT_NOT;
    s->at.method = out->method = method;
    s->at.question = -1;
    out->proved = out->at_once = out->sum_assumed = false;
}

static bool try_max_n(struct solver *s, const struct place *root, struct solve_result *out)
{
    reset(s, out, SOLVE_MAX_N);
    s->slice = s->at.opened + TRIAL;
    bool done = max_n_run(s, root, false, out);
    s->slice = 0;
    return done || (s->halt != HALT_SLICE && s->halt != HALT_AT_ONCE);
}

/* The methods for constant sums. False: the sum is not constant. */
static bool run_constant(struct solver *s, const struct place *root, enum solve_method method,
                         struct solve_result *out)
{
    bool unsure = !s->outcomes->constant_sum && !s->opt->turns_alone;
    if (unsure && method == SOLVE_AUTO && try_max_n(s, root, out)) return true;
    if (method != SOLVE_BACKWARD) {
        reset(s, out, method == SOLVE_AUTO ? SOLVE_DEPTH_FIRST : method);
        if (turns_run(s, root, out) || (s->halt != HALT_AT_ONCE && s->halt != HALT_SUM)) goto done;
        if (s->halt == HALT_SUM) return false;
    }
    if (s->opt->turns_alone) return false;
    reset(s, out, SOLVE_BACKWARD);
    if (!backward_run(s, root, out) && s->halt == HALT_SUM) return false;
done:
    out->sum_assumed = !s->outcomes->constant_sum;
    return true;
}

static void run(struct solver *s, const struct place *root, struct solve_result *out)
{
    enum solve_method method = s->opt->method;
    if (s->nroles == 1) {
        bool shortest = method == SOLVE_SOLO || s->opt->shortest;
        reset(s, out, shortest ? SOLVE_SOLO : SOLVE_RACE);
        solo_run(s, shortest, out);
        return;
    }
    bool for_more = s->nroles > 2 || method == SOLVE_SOLO || method == SOLVE_RACE || method == SOLVE_MAX_N;
    if (!for_more && run_constant(s, root, method, out)) return;
    if (s->opt->turns_alone) {
        reset(s, out, SOLVE_AUTO);
        return;
    }
    memo_done(&s->memo);
    reset(s, out, SOLVE_MAX_N);
    max_n_run(s, root, true, out);
}

static bool result_init(struct solve_result *r, const struct outcomes *o)
{
    *r = (struct solve_result){0};
    r->low = calloc(o->nroles, sizeof *r->low);
    r->high = calloc(o->nroles, sizeof *r->high);
    r->line = calloc((size_t)256 * o->nroles, sizeof *r->line);
    for (uint32_t role = 0; r->low && r->high && role < o->nroles; role++) {
        r->low[role] = outcomes_low(o, role);
        r->high[role] = outcomes_high(o, role);
    }
    return r->low && r->high && r->line;
}

void solve_result_done(struct solve_result *r)
{
    free(r->low);
    free(r->high);
    free(r->moves);
    free(r->line);
    *r = (struct solve_result){0};
}

static bool solve_with(struct solver *s, const struct state *state, struct solve_result *out,
                       struct error *error)
{
    struct place root;
    double began = clock_now();
    s->low = outcomes_low(s->outcomes, 0);
    s->high = outcomes_high(s->outcomes, 0);
    s->sum = s->outcomes->sum;
    s->at.low = s->low, s->at.high = s->high, s->at.question = -1;
    if (!place_read(s->expander, state, &root, error)) return false;
    if (root.end) {
        for (uint32_t role = 0; role < s->nroles; role++) out->low[role] = out->high[role] = root.goals[role];
        out->proved = out->line_ends = true;
        return true;
    }
    if (s->nroles == 2 && !s->memo.v && !memo_init(&s->memo, s->opt->memory))
        return error_set(error, ERROR_MEMORY, "no memory for the table");
    run(s, &root, out);
    if (out->why != SOLVE_DEPTH) out->why = why(s->halt);
    out->opened = s->at.opened;
    out->seen = s->nroles == 1 ? s->at.seen : expander_children(s->expander);
    out->programs = s->work.programs;
    if (!out->depth) out->depth = s->deepest;
    out->seconds = clock_now() - began;
    if (s->halt == HALT_ERROR) return *error = s->error, false;
    return true;
}

/* As far as a short look at the game finds them. */
static bool find_symmetries(struct solver *s, struct symmetry *out, struct error *error)
{
    const struct budget *b = &s->opt->budget;
    struct symmetry_limits limits = {b->deadline > 0 ? budget_share(b, 0.1) : 0, b->stop};
    symmetry_look(out, s->r, s->code->circuit, &limits);
    return out->n == 0 || expander_fold(s->expander, out, error);
}

/* A position is worth what its mirror image is worth only where it does not matter which of several moves is
 * made that are equally good to the one who makes it. */
static bool may_fold(const struct solver *s)
{
    return s->opt->symmetry && s->code && s->nroles == 2 && s->outcomes->constant_sum;
}

static bool find_outlook(struct solver *s, struct derived *out, struct error *error)
{
    struct error ignored;
    double seconds = s->opt->budget.deadline > 0 ? fmin(1, budget_seconds(&s->opt->budget, 0.1)) : 1;
    if (!derived_make(out, circuit_outlook, s->code->circuit, seconds, s->opt->budget.stop, &ignored))
        return true;
    return expander_look_out(s->expander, out->code, error);
}

static bool may_look_out(const struct solver *s)
{
    return s->opt->outlook && s->code && s->nroles == 2 && s->outcomes->constant_sum && !s->opt->shortest;
}

bool solve_run(struct reasoner *reasoner, const struct code *code, const struct state *state,
               const struct solve_options *options, struct solve_result *result, struct error *error)
{
    struct outcomes *own = options->outcomes ? NULL : outcomes_new(reasoner->game, code, OUTCOMES_THOROUGH);
    const struct outcomes *outcomes = options->outcomes ? options->outcomes : own;
    struct solver s = {.r = reasoner,
                       .code = code,
                       .state = state,
                       .outcomes = outcomes,
                       .opt = options,
                       .nroles = reasoner->game->nroles};
    struct symmetry symmetry = {0};
    struct derived outlook = {0};
    bool ok = false;
    if (options->memo) s.memo = *options->memo;
    s.work.record = options->matrix;
    s.work.record_data = options->matrix_data;
    *result = (struct solve_result){0};
    s.history = calloc(2 * HISTORY_MOVES, sizeof *s.history);
    if (!outcomes || !s.history || !result_init(result, outcomes) || s.nroles > 64)
        error_set(error, ERROR_MEMORY, "out of memory");
    else if ((s.expander = expander_new(reasoner, code, error)))
        ok = (!may_fold(&s) || find_symmetries(&s, &symmetry, error)) &&
             (!may_look_out(&s) || find_outlook(&s, &outlook, error)) && solve_with(&s, state, result, error);
    result->symmetries = symmetry.n;
    result->outlook = outlook.code;
    expander_free(s.expander);
    derived_done(&outlook);
    if (options->memo)
        *options->memo = s.memo;
    else
        memo_done(&s.memo);
    matrix_work_done(&s.work);
    free(s.history);
    outcomes_free(own);
    symmetry_done(&symmetry);
    return ok;
}
