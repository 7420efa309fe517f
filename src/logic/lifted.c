// SPDX-License-Identifier: GPL-3.0-or-later
/* Setting the engine up, and the questions it answers. */
#include "logic/lifted.h"

#include "logic/lifted_internal.h"

#include <math.h>
#include <string.h>

/* Join orders are made anew when so many states have been seen, and so many times as many, and so on; and
 * when they turn out to take several times the steps per state that the ones before took. */
enum { FIRST_MEASURE = 3, NEXT_MEASURE = 6, MUCH_WORSE = 4, SOME_STEPS = 20000 };

enum { FIRST_ALARM = 1000 }; /* steps without looking at limits */

/* Forget all that was derived but static relations that are complete: after a failure calls may be half done.
 */
void lifted_forget(struct lifted *e)
{
    e->open.n = e->dirty.n = 0;
    arena_reset(&e->frames);
    arena_reset(&e->waiting);
    arena_reset(&e->scratch);
    e->guess_depth = 0;
    for (int i = 0; i < LIFE_COUNT; i++) e->epoch[i]++;
    for (int i = 0; i < LIFE_COUNT; i++) arena_reset(&e->arena[i]);
    e->state.n = e->state_terms.n = 0;
    e->in_state = false;
    if (e->bits.n) memset(e->bits.v, 0, e->bits.n * sizeof *e->bits.v);
}

static void begin(struct lifted *e)
{
    e->work += e->steps;
    e->steps = 0;
    e->alarm = FIRST_ALARM;
    e->step_limit = UINT64_MAX;
    e->heap->deadline = e->until;
    e->timed = false; /* the limit for one question is set when the first alarm comes: most need no clock */
}

static void run(struct lifted *e, struct call *c)
{
    if (c->state == CALL_DONE) return;
    lifted_run(e, c);
    arena_reset(&e->waiting);
}

/* All rows of a view of any relation. */
static struct lifted_list ask(struct lifted *e, uint32_t relation, const char *pattern, const term *key)
{
    if (e->relations[relation].kind == RELATION_STATIC) {
        const struct static_view *v = static_view(e, relation, pattern);
        uint32_t k = keys_find(&v->keys, key);
        if (k == NO_KEY) return (struct lifted_list){NULL, 0};
        return (struct lifted_list){v->rows + (size_t)v->start[k] * v->nfree, v->start[k + 1] - v->start[k]};
    }
    struct call *c = call_get(e, proc_get(e, relation, pattern, PROC_TABLE), key);
    run(e, c);
    return (struct lifted_list){c->rows, c->n};
}

/* The facts that were announced, in order; none are left. */
static struct lifted_list announced(struct lifted *e)
{
    e->out.n = 0;
    for (uint32_t w = 0; w < e->bits.n; w++) {
        uint64_t bits = e->bits.v[w];
        if (!bits) continue;
        vec_reserve(e->heap, &e->out, e->out.n + 64);
        for (; bits; bits &= bits - 1) e->out.v[e->out.n++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
        e->bits.v[w] = 0;
    }
    return (struct lifted_list){e->out.v, e->out.n};
}

static void set_up(struct lifted *e)
{
    const struct program *p = e->program;
    e->terms = terms_clone(e->heap, p->terms);
    e->relations = heap_zalloc(e->heap, (p->relations.n + 1) * sizeof *e->relations);
    for (uint32_t r = 0; r < p->relations.n; r++)
        e->relations[r] = (struct lifted_relation){.kind = RELATION_CALLED, .arity = p->relations.v[r].arity};
    e->rules = heap_alloc(e->heap, (p->rules.n + 1) * sizeof *e->rules);
    if (p->rules.n) memcpy(e->rules, p->rules.v, p->rules.n * sizeof *e->rules);
    e->relations[p->keyword[KW_TRUE]].kind = RELATION_TRUE;
    e->relations[p->keyword[KW_DOES]].kind = RELATION_DOES;
    for (int i = 0; i < LIFE_COUNT; i++) {
        arena_init(&e->arena[i], e->heap);
        arena_init(&e->calls[i], e->heap);
        e->epoch[i] = 1;
    }
    arena_init(&e->frames, e->heap);
    arena_init(&e->waiting, e->heap);
    arena_init(&e->plans, e->heap);
    arena_init(&e->scratch, e->heap);
    static_evaluate(e);
    struct lifted_list facts = ask(e, p->keyword[KW_INIT], "f", NULL);
    for (uint32_t i = 0; i < facts.n; i++) fact_announce(e, facts.v[i]);
    facts = announced(e);
    for (uint32_t i = 0; i < facts.n; i++) vec_push(e->heap, &e->initial, facts.v[i]);
    facts_set(e, facts.v, facts.n);
    e->in_state = true;
    facts_measure(e);
    plans_forget(e);
    e->measure_at = FIRST_MEASURE;
    e->planned_at = e->states;
    e->usual_work = HUGE_VAL;
    e->work = e->steps = 0;
}

struct lifted *lifted_new(const struct program *program, const struct lifted_limits *limits,
                          struct error *error)
{
    struct heap *heap = heap_new(limits ? limits->memory : 0);
    struct heap_guard guard;
    if (!heap) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    if (HEAP_ENTER(heap, &guard, error)) {
        struct lifted *e = heap_zalloc(heap, sizeof *e);
        e->heap = heap;
        e->program = program;
        e->seconds = limits ? limits->seconds : 0;
        begin(e);
        set_up(e);
        heap_leave(heap);
        return e;
    }
    heap_free(heap);
    return NULL;
}

void lifted_free(struct lifted *e)
{
    if (e) heap_free(e->heap);
}

struct terms *lifted_terms(struct lifted *e)
{
    return e->terms;
}

struct heap *lifted_heap(struct lifted *e)
{
    return e->heap;
}

/* Each question runs inside a guard; what it was doing is forgotten if it fails. */
#define QUESTION(e, error, ...)                       \
    do {                                              \
        struct heap_guard guard;                      \
        begin(e);                                     \
        if (HEAP_ENTER((e)->heap, &guard, (error))) { \
            __VA_ARGS__;                              \
            heap_leave((e)->heap);                    \
            return true;                              \
        }                                             \
        lifted_forget(e);                             \
        return false;                                 \
    } while (0)

bool lifted_fact(struct lifted *e, term fact, uint32_t *number, struct error *error)
{
    QUESTION(e, error, *number = fact_number(e, fact));
}

term lifted_fact_term(const struct lifted *e, uint32_t number)
{
    return e->facts.v[number].fact;
}

struct lifted_list lifted_initial(const struct lifted *e)
{
    return (struct lifted_list){e->initial.v, e->initial.n};
}

bool lifted_roles(struct lifted *e, struct lifted_list *roles, struct error *error)
{
    QUESTION(e, error, *roles = ask(e, e->program->keyword[KW_ROLE], "f", NULL));
}

static bool is_in(const struct lifted *e, const uint32_t *facts, uint32_t n)
{
    return e->in_state && e->state.n == n && (n == 0 || memcmp(e->state.v, facts, n * sizeof *facts) == 0);
}

static void consider_plans(struct lifted *e)
{
    uint64_t states = e->states - e->planned_at;
    bool worse = e->work > SOME_STEPS + MUCH_WORSE * e->usual_work * (double)states;
    if (e->states < e->measure_at && !worse) return;
    /* After a bad turn twice as much is allowed, so that the turns come to an end. */
    e->usual_work = e->usual_work > 0 && worse ? e->usual_work * 2 : (double)e->work / (double)states;
    e->work = 0;
    e->planned_at = e->states;
    if (e->states >= e->measure_at) e->measure_at *= NEXT_MEASURE;
    facts_measure(e);
    plans_forget(e);
}

static void go(struct lifted *e, const uint32_t *facts, uint32_t n)
{
    e->in_state = false;
    arena_reset(&e->arena[LIFE_STATE]);
    arena_reset(&e->arena[LIFE_MOVE]);
    e->epoch[LIFE_MOVE]++;
    e->does.n = 0;
    calls_trim(e);
    facts_set(e, facts, n);
    consider_plans(e);
    e->in_state = true;
}

bool lifted_go(struct lifted *e, const uint32_t *facts, uint32_t n, struct error *error)
{
    if (is_in(e, facts, n)) return true;
    QUESTION(e, error, go(e, facts, n));
}

bool lifted_terminal(struct lifted *e, bool *out, struct error *error)
{
    QUESTION(e, error, *out = ask(e, e->program->keyword[KW_TERMINAL], "", NULL).n > 0);
}

void lifted_until(struct lifted *e, double deadline, const atomic_bool *cancel)
{
    e->until = deadline;
    e->heap->cancel = cancel;
}

/* The rows that a question which was broken off has found. They survive lifted_forget as a list only. */
static void salvage(struct lifted *e, uint32_t relation, const char *pattern, const term *key,
                    struct lifted_list *rows)
{
    struct heap_guard guard;
    struct error ignored;
    volatile uint32_t kept = 0;
    e->out.n = 0;
    if (e->relations[relation].kind != RELATION_STATIC && HEAP_ENTER(e->heap, &guard, &ignored)) {
        const struct call *c = call_get(e, proc_get(e, relation, pattern, PROC_TABLE), key);
        for (uint32_t i = 0; i < c->n; i++) vec_push(e->heap, &e->out, c->rows[i]);
        kept = e->out.n;
        heap_leave(e->heap);
    }
    *rows = (struct lifted_list){e->out.v, kept};
}

bool lifted_legal(struct lifted *e, term role, struct lifted_list *moves, struct error *error)
{
    struct heap_guard guard;
    uint32_t relation = e->program->keyword[KW_LEGAL];
    begin(e);
    if (HEAP_ENTER(e->heap, &guard, error)) {
        *moves = ask(e, relation, "bf", &role);
        heap_leave(e->heap);
        return true;
    }
    salvage(e, relation, "bf", &role, moves);
    lifted_forget(e);
    return false;
}

bool lifted_goals(struct lifted *e, term role, struct lifted_list *values, struct error *error)
{
    QUESTION(e, error, *values = ask(e, e->program->keyword[KW_GOAL], "bf", &role));
}

static struct lifted_list next(struct lifted *e, const term *roles, const term *moves, uint32_t n)
{
    bool same = e->does.n == 2 * n;
    for (uint32_t i = 0; i < n && same; i++)
        same = e->does.v[2 * i] == roles[i] && e->does.v[2 * i + 1] == moves[i];
    if (!same) {
        arena_reset(&e->arena[LIFE_MOVE]);
        e->epoch[LIFE_MOVE]++;
        e->does.n = 0;
        calls_trim(e);
        for (uint32_t i = 0; i < n; i++) {
            vec_push(e->heap, &e->does, roles[i]);
            vec_push(e->heap, &e->does, moves[i]);
        }
    }
    uint32_t relation = e->program->keyword[KW_NEXT];
    if (e->relations[relation].kind == RELATION_STATIC || e->program->relations.v[relation].recursive) {
        struct lifted_list facts = ask(e, relation, "f", NULL);
        for (uint32_t i = 0; i < facts.n; i++) fact_announce(e, facts.v[i]);
    } else {
        struct call *c = call_get(e, proc_get(e, relation, "f", PROC_STATE), NULL);
        call_renew(e, c); /* it keeps nothing */
        run(e, c);
    }
    return announced(e);
}

bool lifted_next(struct lifted *e, const term *roles, const term *moves, uint32_t n,
                 struct lifted_list *facts, struct error *error)
{
    QUESTION(e, error, *facts = next(e, roles, moves, n));
}
