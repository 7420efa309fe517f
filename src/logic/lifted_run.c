// SPDX-License-Identifier: GPL-3.0-or-later
/* The machine: works out calls by running the plans of their rules.
 *
 * Every call has a table of rows, so a rule never hands rows to its caller's continuation: it adds them to
 * the table of its own call. When a rule asks for a call that is
 *
 *   done   it loops over the rows;
 *   new    the call is opened and gets a frame on top of the stack; when that frame is through, the rule
 *          goes on;
 *   open   (recursion) the rule is put to sleep as a *consumer* of that call: its slots are copied, and it
 *          is fed every row the call has or will have.
 *
 * Open calls are on a stack in the order they were opened. `low` of a call is the lowest place on that stack
 * that it depends on. A call whose rules are through and which depends on nothing below itself is the leader
 * of everything above it: it feeds the consumers until there are no fresh rows; then it and all above are
 * done. A call that does depend on something below leaves that to the leader there. This is SLG resolution
 * with local scheduling (Chen and Warren 1996), simple here because rows are never passed on directly.
 *
 * A call without free arguments is true or false. Once true it is done at once, and the open calls above it,
 * which were only there to find this out, are forgotten.
 *
 * Negated calls belong to an earlier component, hence can never be open: stratification.
 *
 * The stack is on the heap: no recursion of rules, however deep, touches the C stack.
 */
#include "base/clock.h"
#include "logic/lifted_internal.h"

#include <string.h>

static uint32_t depth_of(const struct lifted *e, term x)
{
    return x < e->depth.n ? e->depth.v[x] : 0;
}

static uint32_t names_in(const struct lifted *e, term x)
{
    return x < e->names.n && e->names.v[x] ? e->names.v[x] : 1;
}

/* Make a term, and give up on terms that grow without end: deeper, or wider by repeating shared parts. */
term lifted_build(struct lifted *e, symbol functor, const term *args, uint32_t n)
{
    term x = term_make(e->terms, functor, args, n);
    if (x < e->depth.n) return x; /* not new, or its depth does not matter */
    uint32_t deepest = 0;
    uint64_t names = 1;
    for (uint32_t i = 0; i < n; i++) {
        if (depth_of(e, args[i]) > deepest) deepest = depth_of(e, args[i]);
        names += names_in(e, args[i]);
    }
    if (deepest >= TERM_MAX_DEPTH || names > MAX_TERM_NAMES)
        heap_fail(
            e->heap, ERROR_MEMORY,
            "the rules build terms nested more than %d deep or of more than %d names: %s grows without end",
            TERM_MAX_DEPTH, MAX_TERM_NAMES, symbol_name(e->terms, functor));
    vec_resize_zero(e->heap, &e->depth, x + 1);
    vec_resize_zero(e->heap, &e->names, x + 1);
    e->depth.v[x] = deepest + 1;
    e->names.v[x] = (uint32_t)names;
    return x;
}

/* Steps are counted, and the limits looked at every few thousand of them. */
static void look_at_limits(struct lifted *e)
{
    enum { INTERVAL = 4096 };
    if (e->steps > e->step_limit) heap_fail(e->heap, ERROR_TIME, "too many steps");
    if (!e->timed && e->seconds > 0) {
        double end = clock_now() + e->seconds;
        if (e->until <= 0 || end < e->until) e->heap->deadline = end;
        e->timed = true;
    }
    heap_poll_slow(e->heap);
    e->alarm = e->steps + INTERVAL;
}

static inline void count_step(struct lifted *e)
{
    if (__builtin_expect(++e->steps >= e->alarm, 0)) look_at_limits(e);
}

/* ---- rows ---- */

static bool match(const struct action *out, uint32_t n, const term *row, term *env)
{
    for (uint32_t i = 0; i < n; i++) switch (out[i].kind) {
        case ACTION_SKIP: break;
        case ACTION_BIND: env[out[i].x] = row[i]; break;
        case ACTION_SAME:
            if (env[out[i].x] != row[i]) return false;
            break;
        default:
            if (out[i].x != row[i]) return false;
        }
    return true;
}

static inline const term *gather(const struct lifted *e, const struct op *op, const term *env)
{
    for (uint32_t i = 0; i < op->nin; i++) e->key.v[i] = VALUE(env, op->in[i]);
    return e->key.v;
}

/* What the constants of the op's key contribute to the index. */
static __attribute__((noinline)) void fix_constants(const struct keys *k, struct op *op)
{
    op->version = k->version;
    op->fixed = 0;
    for (uint32_t i = 0; i < op->nin; i++) {
        if (op->in[i] >= 0) continue;
        uint32_t part = keys_part(k, i, (term)~op->in[i]);
        op->fixed = part == 0 || op->fixed == NO_KEY ? NO_KEY : op->fixed + part - 1;
    }
}

/* keys_find with the inputs of the op. */
static inline uint32_t find_key(const struct lifted *e, const struct keys *k, struct op *op, const term *env)
{
    if (__builtin_expect(k->hashed, 0)) return keys_find_hashed(k, gather(e, op, env));
    if (__builtin_expect(op->version != k->version, 0)) fix_constants(k, op);
    uint32_t index = op->fixed;
    if (index == NO_KEY) return NO_KEY;
    for (uint32_t i = 0; i < op->nloose; i++) {
        uint32_t part = keys_part(k, op->loose[i].column, env[op->loose[i].slot]);
        if (part == 0) return NO_KEY;
        index += part - 1;
    }
    return k->table[index] - 1;
}

static inline const struct bucket *find_facts(struct lifted *e, struct op *op, const term *env)
{
    struct fact_view *v = op->facts;
    if (v->epoch != e->epoch[LIFE_STATE]) fact_view_update(e, v);
    uint32_t k = find_key(e, &v->keys, op, env);
    if (k == NO_KEY || v->buckets.v[k].epoch != e->epoch[LIFE_STATE]) return NULL;
    return &v->buckets.v[k];
}

static inline struct call *find_call(struct lifted *e, struct op *op, const term *env)
{
    struct proc *p = op->proc;
    uint32_t k = find_key(e, &p->keys, op, env);
    if (__builtin_expect(k == NO_KEY, 0)) return call_get(e, p, gather(e, op, env));
    struct call *c = p->calls.v[k];
    if (c->epoch != *p->now) call_renew(e, c);
    return c;
}

static bool is_fact(const struct lifted *e, term x)
{
    if (x >= e->fact_of.n || !e->fact_of.v[x]) return false;
    return e->present.v[e->fact_of.v[x]] == e->epoch[LIFE_STATE];
}

static bool does_matches(const struct lifted *e, const struct op *op, term *env)
{
    for (uint32_t i = 0; i < e->does.n; i += 2)
        if (match(op->out, op->nout, e->does.v + i, env)) return true;
    return false;
}

static bool unpack(const struct lifted *e, const struct op *op, term *env)
{
    const struct term_node *n = term_get(e->terms, VALUE(env, op->in[0]));
    return n->head == op->functor && n->nargs == op->nout &&
           match(op->out, op->nout, e->terms->pool.v + n->args, env);
}

/* ---- answers ---- */

/* True if it is new. */
static inline bool answer(struct lifted *e, struct call *c, const term *row)
{
    if (c->proc->kind == PROC_STATE) {
        fact_announce(e, row[0]);
        return false;
    }
    return call_add(e, c, row);
}

/* ---- frames ---- */

static struct frame *push_frame(struct lifted *e, struct frame *below, struct call *call, uint32_t slots,
                                uint32_t iters)
{
    struct arena_mark mark = arena_mark(&e->frames);
    size_t env = (slots * sizeof(term) + 7) & ~(size_t)7;
    struct frame *f = arena_cut(&e->frames, sizeof *f + env + iters * sizeof *f->iters);
    f->below = below;
    f->call = call;
    f->mark = mark;
    f->base = NULL;
    f->iters = (struct iter *)((char *)f->env + env);
    f->steps = e->steps;
    f->dirty_mark = e->dirty.n;
    f->leading = false;
    f->consumer = NULL;
    f->fresh = NULL;
    return f;
}

/* Rows that the sheet states as facts. True if they decide the call. */
static bool add_given(struct lifted *e, struct call *c)
{
    const struct proc *p = c->proc;
    const struct static_view *v = p->given;
    uint32_t k = keys_find(&v->keys, c->key);
    if (k == NO_KEY) return false;
    if (p->nfree == 0) {
        c->n = 1;
        return true;
    }
    for (uint32_t i = v->start[k]; i < v->start[k + 1]; i++) answer(e, c, v->rows + (size_t)i * p->nfree);
    return false;
}

static struct frame *open_call(struct lifted *e, struct frame *below, struct call *c)
{
    struct proc *p = c->proc;
    /* Calls within calls may go deep before anything fails and counts a step. */
    if (__builtin_expect((++e->opened & 1023) == 0, 0)) look_at_limits(e);
    if (!p->compiled) proc_compile(e, p);
    struct frame *f = push_frame(e, below, c, p->frame_slots, p->frame_iters);
    p->opened++;
    c->state = CALL_OPEN;
    if (p->recursive) {
        vec_push(e->heap, &e->open, c);
        c->serial++;
        c->at = c->low = e->open.n - 1;
    }
    uint32_t k = p->constants.n; /* the rules for any other value */
    if (p->choice != NO_CHOICE && (k = keys_find(&p->constants, &c->key[p->choice])) == NO_KEY)
        k = p->constants.n;
    f->rule = p->plans[k];
    if (p->given && add_given(e, c))
        while (*f->rule) f->rule++; /* true by a fact: no rule needs to run */
    return f;
}

static void mark_dirty(struct lifted *e, struct call *c)
{
    if (c->dirty || !c->consumers) return;
    vec_push(e->heap, &e->dirty, c);
    c->dirty = true;
}

/* Put the rule that runs in frame f to sleep until `c` has rows. */
static void sleep_on(struct lifted *e, struct frame *f, struct op *op, struct call *c)
{
    struct consumer *s = arena_cut(&e->waiting, sizeof *s + f->plan->nslots * sizeof *s->env);
    *s = (struct consumer){
        .next = c->consumers, .owner = f->call, .serial = f->call->serial, .plan = f->plan, .op = op};
    memcpy(s->env, f->env, f->plan->nslots * sizeof *s->env);
    c->consumers = s;
    if (c->n) mark_dirty(e, c);
}

/* Pop open calls down to place `to`, and what they left to be fed above `dirty`. */
static void close_calls(struct lifted *e, uint32_t to, uint32_t dirty, bool done)
{
    while (e->dirty.n > dirty) vec_pop(&e->dirty)->dirty = false;
    while (e->open.n > to) {
        struct call *c = vec_pop(&e->open);
        c->consumers = NULL;
        if (done)
            c->state = CALL_DONE;
        else if (c->state == CALL_OPEN) /* forgotten: new when it is asked for again */
            c->state = CALL_NEW, c->epoch = 0;
    }
}

/* ---- the loop ---- */

void lifted_run(struct lifted *e, struct call *goal)
{
    struct frame *f = open_call(e, NULL, goal);
    const struct plan *plan;
    struct op *op, *target;
    const struct bucket *bucket;
    struct iter *it;
    struct call *c;
    uint32_t k;
    term *env;

#define NEXT_OP    \
    do {           \
        op++;      \
        goto step; \
    } while (0)
#define TEST(condition)              \
    do {                             \
        if (!(condition)) goto fail; \
        NEXT_OP;                     \
    } while (0)
#define ROWS(first, last)         \
    do {                          \
        it = &f->iters[op->iter]; \
        it->at = (first);         \
        it->end = (last);         \
        goto next_row;            \
    } while (0)

next_rule:
    if (!*f->rule) goto rules_done;
    plan = f->plan = *f->rule++;
    env = f->env;
    for (uint32_t i = 0; i < f->call->proc->nbound; i++) env[i] = f->call->key[i];
    op = plan->ops;

step:
    COUNT(op->hits);
    switch ((enum op_code)op->code) {
    case OP_EQUAL: TEST(VALUE(env, op->in[0]) == VALUE(env, op->in[1]));
    case OP_DISTINCT: TEST(VALUE(env, op->in[0]) != VALUE(env, op->in[1]));
    case OP_BUILD: env[op->slot] = lifted_build(e, op->functor, gather(e, op, env), op->nin); NEXT_OP;
    case OP_UNPACK: TEST(unpack(e, op, env));
    case OP_STATIC:
        if ((k = find_key(e, &op->facts_always->keys, op, env)) == NO_KEY) goto fail;
        ROWS(op->facts_always->rows + (size_t)op->facts_always->start[k] * op->nout,
             op->facts_always->rows + (size_t)op->facts_always->start[k + 1] * op->nout);
    case OP_FACTS:
        if (!(bucket = find_facts(e, op, env))) goto fail;
        ROWS(op->facts->rows.v + (size_t)bucket->start * op->nout,
             op->facts->rows.v + (size_t)(bucket->start + bucket->count) * op->nout);
    case OP_DOES:
        if (e->does.n == 0) goto fail;
        ROWS(e->does.v, e->does.v + e->does.n);
    case OP_ALL_FACTS:
        if (e->state_terms.n == 0) goto fail;
        ROWS(e->state_terms.v, e->state_terms.v + e->state_terms.n);
    case OP_IS_STATIC: TEST(find_key(e, &op->facts_always->keys, op, env) != NO_KEY);
    case OP_NOT_STATIC: TEST(find_key(e, &op->facts_always->keys, op, env) == NO_KEY);
    case OP_IS_FACTS: TEST(find_facts(e, op, env));
    case OP_NOT_FACTS: TEST(!find_facts(e, op, env));
    case OP_NOT_DOES: TEST(!does_matches(e, op, env));
    case OP_IS_FACT: TEST(is_fact(e, VALUE(env, op->in[0])));
    case OP_NOT_IS_FACT: TEST(!is_fact(e, VALUE(env, op->in[0])));
    case OP_CALL:
    case OP_HOLDS:
    case OP_NOT_HOLDS:
        c = find_call(e, op, env);
        if (c->state != CALL_NEW) goto called;
        f->op = op;
        f->waiting = c;
        f = open_call(e, f, c);
        goto next_rule;
    case OP_EMIT: goto emit;
    }
    heap_fail(e->heap, ERROR_INTERNAL, "a plan went wrong");

next_row: /* of the generator op */
    if (it->at >= it->end) {
        target = op->back;
        goto retry;
    }
    if (op->plain) {
        const term *row = it->at;
        for (uint32_t i = 0; i < op->nout; i++) env[op->out[i].x] = row[i];
        it->at += op->nout;
        NEXT_OP;
    }
    it->at += op->nout;
    if (!match(op->out, op->nout, it->at - op->nout, env)) goto next_row;
    NEXT_OP;

fail:
    target = op->fail;
retry: /* go on with the next row of generator `target` */
    count_step(e);
    if (target <= f->base) goto plan_done;
    op = target;
    it = &f->iters[op->iter];
    goto next_row;

called: /* op asked for c, which is not new */
    if (c->state == CALL_DONE) {
        if (op->code == OP_NOT_HOLDS) TEST(c->n == 0);
        if (c->n == 0) goto fail;
        if (op->code == OP_HOLDS) NEXT_OP;
        ROWS(c->rows, c->rows + (size_t)c->n * op->nout);
    }
    if (op->code == OP_NOT_HOLDS)
        heap_fail(e->heap, ERROR_INTERNAL, "negation of a relation that is still being worked out");
    if (c->low < f->call->low) f->call->low = c->low;
    sleep_on(e, f, op, c);
    target = op->back; /* every combination of values must sleep: no shortcut */
    goto retry;

emit:
    c = f->call;
    if (answer(e, c, gather(e, op, env))) {
        c->proc->answers++;
        if (c->proc->recursive) mark_dirty(e, c);
        if (c->proc->nfree == 0) { /* true: nothing else about it matters */
            c->state = CALL_DONE;
            if (c->proc->recursive && !f->consumer) close_calls(e, c->at, f->dirty_mark, false);
            goto return_to_caller;
        }
    }
    target = op->back;
    goto retry;

plan_done:
    if (!f->consumer) goto next_rule;

next_answer: /* of the call that the consumer in frame f waits for */
    if (f->consumer->seen < f->below->fresh->n && f->call->state == CALL_OPEN) {
        const struct call *from = f->below->fresh;
        op = f->base;
        const term *row = from->rows + (size_t)f->consumer->seen++ * op->nout;
        if (!match(op->out, op->nout, row, env)) goto next_answer;
        NEXT_OP;
    }
    goto return_to_caller;

rules_done:
    c = f->call;
    if (!c->proc->recursive) {
        c->state = CALL_DONE;
        goto return_to_caller;
    }
    f->leading = true;
lead: /* feed consumers as long as this call depends on nothing below it */
    c = f->call;
    if (c->state == CALL_DONE) { /* a consumer found it true */
        close_calls(e, c->at, f->dirty_mark, false);
        goto return_to_caller;
    }
    if (c->low < c->at) goto return_to_caller;
    if (f->fresh) {
        struct consumer *s = f->resumed;
        while (s && (s->owner->serial != s->serial || s->owner->state != CALL_OPEN || s->seen >= f->fresh->n))
            s = s->next;
        if (s) {
            f->resumed = s->next;
            f = push_frame(e, f, s->owner, s->plan->nslots, s->plan->niters);
            f->consumer = s;
            f->base = s->op;
            plan = f->plan = s->plan;
            env = f->env;
            memcpy(env, s->env, plan->nslots * sizeof *env);
            goto next_answer;
        }
        f->fresh = NULL;
    }
    if (e->dirty.n > f->dirty_mark) {
        f->fresh = vec_pop(&e->dirty);
        f->fresh->dirty = false;
        f->resumed = f->fresh->consumers;
        goto lead;
    }
    close_calls(e, c->at, f->dirty_mark, true);

return_to_caller:
    c = f->call;
    c->proc->steps += e->steps - f->steps + 1;
    if (c->state == CALL_OPEN && f->below && c->low < f->below->call->low) f->below->call->low = c->low;
    arena_release(&e->frames, f->mark);
    f = f->below;
    if (!f) return;
    env = f->env;
    if (f->leading) goto lead;
    op = f->op;
    c = f->waiting;
    goto called;
}
