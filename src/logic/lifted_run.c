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
#include "logic/lifted_internal.h"

#include <string.h>

static uint32_t depth_of(const struct lifted *e, term x)
{
    return x < e->depth.n ? e->depth.v[x] : 0;
}

/* Make a term, and give up on terms that grow without end. */
term lifted_build(struct lifted *e, symbol functor, const term *args, uint32_t n)
{
    term x = term_make(e->terms, functor, args, n);
    if (x < e->depth.n) return x;
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < n; i++)
        if (depth_of(e, args[i]) > deepest) deepest = depth_of(e, args[i]);
    if (deepest >= MAX_TERM_DEPTH)
        heap_fail(e->heap, ERROR_MEMORY,
                  "the rules build terms nested more than %d deep: %s grows without end", MAX_TERM_DEPTH,
                  symbol_name(e->terms, functor));
    vec_resize_zero(e->heap, &e->depth, x + 1);
    e->depth.v[x] = deepest + 1;
    return x;
}

static struct frame *push_frame(struct lifted *e, struct frame *below, struct call *call, uint32_t slots,
                                uint32_t iters)
{
    struct arena_mark mark = arena_mark(&e->frames);
    size_t env = (slots * sizeof(term) + 7) & ~(size_t)7;
    struct frame *f = arena_cut(&e->frames, sizeof *f + env + iters * sizeof *f->iters);
    *f = (struct frame){.below = below,
                        .call = call,
                        .mark = mark,
                        .base = OP_NONE,
                        .dirty_mark = e->dirty.n,
                        .steps = e->steps};
    f->iters = (struct iter *)((char *)f->env + env);
    return f;
}

/* Rows of a fact or static view. For views without free arguments only emptiness means something. */
static bool static_rows(const struct static_view *v, const term *key, struct rows *rows)
{
    uint32_t k = keys_find(&v->keys, key);
    if (k == NO_KEY) return false;
    rows->from = v->rows + (size_t)v->start[k] * v->nfree;
    rows->to = v->rows + (size_t)v->start[k + 1] * v->nfree;
    return true;
}

static struct frame *open_call(struct lifted *e, struct frame *below, struct call *c)
{
    struct proc *p = c->proc;
    if (!p->compiled) proc_compile(e, p);
    struct frame *f = push_frame(e, below, c, p->frame_slots, p->frame_iters);
    vec_push(e->heap, &e->open, c);
    p->opened++;
    c->state = CALL_OPEN;
    c->serial++;
    c->at = c->low = e->open.n - 1;
    struct rows rows;
    if (p->given && static_rows(p->given, c->key, &rows)) {
        if (p->nfree == 0) {
            c->n = 1;
            f->rule = p->nplans; /* true by a fact: no rule needs to run */
        }
        for (; rows.from < rows.to; rows.from += p->nfree) call_add(e, c, rows.from);
    }
    return f;
}

static void mark_dirty(struct lifted *e, struct call *c)
{
    if (c->dirty || !c->consumers) return;
    vec_push(e->heap, &e->dirty, c);
    c->dirty = true;
}

/* Put the rule that runs in frame f to sleep until `c` has rows. */
static void sleep_on(struct lifted *e, struct frame *f, struct call *c)
{
    struct consumer *s = arena_cut(&e->waiting, sizeof *s + f->plan->nslots * sizeof *s->env);
    *s = (struct consumer){
        .next = c->consumers, .owner = f->call, .serial = f->call->serial, .plan = f->plan, .pc = f->pc};
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

static const term *gather(const struct lifted *e, const struct op *op, const term *env)
{
    for (uint32_t i = 0; i < op->nin; i++) e->key.v[i] = VALUE(env, op->in[i]);
    return e->key.v;
}

static bool fact_rows(struct lifted *e, struct fact_view *v, const term *key, struct rows *rows)
{
    if (v->epoch != e->epoch[LIFE_STATE]) {
        /* Updating uses the scratch that the key is in. */
        term few[16], *copy = v->nbound <= 16 ? few : heap_alloc(e->heap, v->nbound * sizeof *copy);
        if (v->nbound) memcpy(copy, key, v->nbound * sizeof *copy);
        fact_view_update(e, v);
        if (v->nbound) memcpy(e->key.v, copy, v->nbound * sizeof *copy);
        if (copy != few) heap_release(e->heap, copy);
        key = e->key.v;
    }
    uint32_t k = keys_find(&v->keys, key);
    if (k == NO_KEY || v->stamp.v[k] != e->epoch[LIFE_STATE]) return false;
    rows->from = v->rows.v + (size_t)v->start.v[k] * v->nfree;
    rows->to = rows->from + (size_t)v->count.v[k] * v->nfree;
    return true;
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
    term x = VALUE(env, op->in[0]);
    const struct term_node *n = term_get(e->terms, x);
    return n->head == op->functor && n->nargs == op->nout &&
           match(op->out, op->nout, e->terms->pool.v + n->args, env);
}

void lifted_run(struct lifted *e, struct call *goal)
{
    struct heap *heap = e->heap;
    struct frame *f = open_call(e, NULL, goal);
    const struct plan *plan;
    const struct op *op;
    struct iter *it;
    struct rows rows = {0};
    struct call *c;
    int32_t target;
    term *env;

next_rule:
    if (f->rule == f->call->proc->nplans) goto rules_done;
    plan = f->plan = f->call->proc->plans[f->rule++];
    env = f->env;
    for (uint32_t i = 0; i < f->call->proc->nbound; i++) env[i] = f->call->key[i];
    op = plan->ops;

step:
    COUNT(((struct op *)op)->hits);
    switch (op->code) {
    case OP_EQUAL:
        if (VALUE(env, op->in[0]) != VALUE(env, op->in[1])) goto fail;
        op++;
        goto step;
    case OP_DISTINCT:
        if (VALUE(env, op->in[0]) == VALUE(env, op->in[1])) goto fail;
        op++;
        goto step;
    case OP_BUILD:
        env[op->slot] = lifted_build(e, op->functor, gather(e, op, env), op->nin);
        op++;
        goto step;
    case OP_UNPACK:
        if (!unpack(e, op, env)) goto fail;
        op++;
        goto step;
    case OP_STATIC:
        if (!static_rows(op->facts_always, gather(e, op, env), &rows)) goto fail;
        goto loop;
    case OP_FACTS:
        if (!fact_rows(e, op->facts, gather(e, op, env), &rows)) goto fail;
        goto loop;
    case OP_DOES: rows = (struct rows){e->does.v, e->does.v + e->does.n}; goto loop;
    case OP_ALL_FACTS: rows = (struct rows){e->state_terms.v, e->state_terms.v + e->state_terms.n}; goto loop;
    case OP_NOT_STATIC:
        if (static_rows(op->facts_always, gather(e, op, env), &rows)) goto fail;
        op++;
        goto step;
    case OP_NOT_FACTS:
        if (fact_rows(e, op->facts, gather(e, op, env), &rows)) goto fail;
        op++;
        goto step;
    case OP_NOT_DOES:
        if (does_matches(e, op, env)) goto fail;
        op++;
        goto step;
    case OP_IS_FACT:
        if (!is_fact(e, VALUE(env, op->in[0]))) goto fail;
        op++;
        goto step;
    case OP_NOT_IS_FACT:
        if (is_fact(e, VALUE(env, op->in[0]))) goto fail;
        op++;
        goto step;
    case OP_CALL:
    case OP_NOT_CALL:
        c = call_get(e, op->proc, gather(e, op, env));
        f->pc = (int32_t)(op - plan->ops);
        if (c->state == CALL_NEW) {
            heap_poll(heap);
            f->waiting = c;
            f = open_call(e, f, c);
            goto next_rule;
        }
        goto called;
    case OP_EMIT: goto emit;
    }

loop: /* the rows of a generator; a test without columns just goes on */
    if (op->nout == 0) {
        op++;
        goto step;
    }
    if (rows.from == rows.to) goto fail;
    it = &f->iters[op->iter];
    it->at = rows.from;
    it->end = rows.to;
next_row:
    while (it->at < it->end) {
        const term *row = it->at;
        it->at += op->nout;
        if (match(op->out, op->nout, row, env)) {
            op++;
            goto step;
        }
    }
    target = op->back;
    goto retry;

fail:
    target = op->fail;
retry: /* go on with the next row of generator `target` */
    heap_poll(heap);
    if (++e->steps > e->step_limit) heap_fail(heap, ERROR_TIME, "too many steps");
    if (target <= f->base) goto plan_done;
    op = &plan->ops[target];
    it = &f->iters[op->iter];
    goto next_row;

called: /* op asked for c, which is not new */
    if (c->state == CALL_DONE) {
        if (op->code == OP_NOT_CALL) {
            if (c->n) goto fail;
            op++;
            goto step;
        }
        if (c->n == 0) goto fail;
        rows.from = c->rows;
        rows.to = c->rows + (size_t)c->n * c->proc->nfree;
        goto loop;
    }
    if (op->code == OP_NOT_CALL)
        heap_fail(heap, ERROR_INTERNAL, "negation of a relation that is still being worked out");
    if (c->low < f->call->low) f->call->low = c->low;
    sleep_on(e, f, c);
    target = op->back; /* every combination of values must sleep: no shortcut */
    goto retry;

emit:
    c = f->call;
    if (call_add(e, c, gather(e, op, env))) {
        c->proc->answers++;
        mark_dirty(e, c);
        if (c->proc->nfree == 0) { /* true: nothing else about it matters */
            c->state = CALL_DONE;
            if (!f->consumer) close_calls(e, c->at, f->dirty_mark, false);
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
        op = &plan->ops[f->base];
        const term *row = from->rows + (size_t)f->consumer->seen++ * op->nout;
        if (!match(op->out, op->nout, row, env)) goto next_answer;
        op++;
        goto step;
    }
    goto return_to_caller;

rules_done:
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
            f->base = s->pc;
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
    plan = f->plan;
    env = f->env;
    if (f->leading) goto lead;
    c = f->waiting;
    op = &plan->ops[f->pc];
    goto called;
}
