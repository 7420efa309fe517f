// SPDX-License-Identifier: GPL-3.0-or-later
/* Join orders.
 *
 * A guess is made of how many rows each literal gives and what it costs to ask, from the sizes of static
 * relations and of groups of facts; for other relations from what was measured when they were asked like that
 * before, or else from their rules, by the same guessing. The order of a body is then the cheapest one: found
 * by dynamic programming over sets of literals when there are few, step by step otherwise. Negations and
 * `distinct` come as soon as their variables are bound.
 *
 * A body that has worked through `n` combinations so far pays for its next literal
 *
 *     n * (look-up + rows)                      views of static relations and facts
 *     n * (look-up + rows) + calls * work       calls, which are remembered: at most one per different key
 *
 * and goes on with n * rows of them. */
#include "logic/lifted_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VARIABLES = 256, MAX_EXACT = 8, MAX_DEPTH = 12, MAX_GUESSES = 4000 };

#define UNKNOWN_DOMAIN 10.0
#define MOST_ROWS 1e12

/* ---- sets of variables ---- */

struct varset {
    uint64_t w[MAX_VARIABLES / 64];
};

static bool contains(const struct varset *all, const struct varset *part)
{
    uint64_t missing = 0;
    for (size_t i = 0; i < sizeof all->w / sizeof *all->w; i++) missing |= part->w[i] & ~all->w[i];
    return missing == 0;
}

static void unite(struct varset *to, const struct varset *from)
{
    for (size_t i = 0; i < sizeof to->w / sizeof *to->w; i++) to->w[i] |= from->w[i];
}

static void intersect(struct varset *s, const struct varset *with)
{
    for (size_t i = 0; i < sizeof s->w / sizeof *s->w; i++) s->w[i] &= with->w[i];
}

static bool has(const struct varset *s, uint32_t v)
{
    return s->w[v / 64] >> (v % 64) & 1;
}

static void collect(const struct terms *t, term x, struct varset *s)
{
    const struct term_node *n = term_get(t, x);
    if (n->ground) return;
    if (n->variable) s->w[n->head / 64] |= (uint64_t)1 << (n->head % 64);
    for (uint32_t i = 0; i < n->nargs; i++) collect(t, term_arg(t, x, i), s);
}

/* ---- how many different values an argument can have ---- */

static double variable_domain(struct lifted *e, const struct rule *rule, uint32_t v);

static double relation_domain(struct lifted *e, uint32_t relation, uint32_t column)
{
    struct lifted_relation *r = &e->relations[relation];
    if (r->kind == RELATION_STATIC) return r->distinct[column];
    if (r->kind != RELATION_CALLED) return 0;
    if (!r->domain) {
        r->domain = arena_cut(&e->plans, (r->arity + 1) * sizeof *r->domain);
        for (uint32_t i = 0; i < r->arity; i++) r->domain[i] = NAN;
    }
    if (!isnan(r->domain[column])) return r->domain[column];
    r->domain[column] = 0; /* unknown while we look: recursion adds nothing */
    const struct vec_u32 *rules = &e->program->relations.v[relation].rules;
    double sum = 0;
    for (uint32_t i = 0; i < rules->n; i++) {
        const struct rule *rule = &e->rules[rules->v[i]];
        term x = term_arg(e->terms, rule->head, column);
        const struct term_node *n = term_get(e->terms, x);
        sum += n->ground ? 1 : n->variable ? variable_domain(e, rule, n->head) : UNKNOWN_DOMAIN;
    }
    return r->domain[column] = sum;
}

/* The least over the places where the rule's body has the variable as an argument; 0 if none is known. */
static double variable_domain(struct lifted *e, const struct rule *rule, uint32_t v)
{
    const struct terms *t = e->terms;
    double least = 0;
    for (uint32_t i = 0; i < rule->nbody; i++) {
        const struct literal *l = &rule->body[i];
        if (l->kind != LITERAL_POSITIVE) continue;
        enum relation_kind kind = e->relations[l->relation].kind;
        term atom = kind == RELATION_TRUE ? term_arg(t, l->atom, 0) : l->atom;
        struct term_node a = *term_get(t, atom);
        if (a.variable) continue;
        for (uint32_t k = 0; k < a.nargs; k++) {
            const struct term_node *n = term_get(t, term_arg(t, atom, k));
            if (!n->variable || n->head != v) continue;
            double d = 0;
            if (kind == RELATION_TRUE) {
                const struct fact_group *g = fact_group(e, a.head, a.nargs);
                d = g->distinct ? g->distinct[k] : 0;
            } else if (kind != RELATION_DOES) {
                d = relation_domain(e, l->relation, k);
            }
            if (d > 0 && (least == 0 || d < least)) least = d;
        }
    }
    return least;
}

/* ---- bodies ---- */

struct place { /* a literal with what is needed to guess about it */
    const struct literal *literal;
    struct varset all;
    struct varset *args; /* variables by argument (of the fact, for `true`) */
    uint32_t nargs;
    enum relation_kind kind;
    const struct fact_group *group;
    double rows; /* of a static relation or group that agree with the constants of the literal */
};

struct body {
    struct lifted *e;
    const struct rule *rule;
    const char *pattern; /* of the head */
    struct place *places;
    double *domain;         /* by variable */
    struct varset start;    /* bound by the call */
    struct varset bindable; /* by the call or positive literals: not so are variables of negations alone */
    struct varset wanted;   /* by the head, beyond these */
    bool whole;
    bool exact;
    struct arena_mark mark;
};

/* How far one has come, and what it took. */
struct progress {
    struct varset bound;
    double rows, cost;
};

static struct guess guess_call(struct lifted *e, uint32_t relation, const char *pattern);

static bool agrees(const struct terms *t, term atom, const term *row, uint32_t nargs)
{
    for (uint32_t i = 0; i < nargs; i++) {
        term x = term_arg(t, atom, i);
        if (term_get(t, x)->ground && x != row[i]) return false;
    }
    return true;
}

/* Values are not equally frequent: for constants we can count. Of a long relation a part must do. */
static double count_rows(struct lifted *e, const struct place *p, term atom)
{
    enum { ENOUGH = 2000 };
    const struct terms *t = e->terms;
    const struct lifted_relation *r = &e->relations[p->literal->relation];
    const struct fact_group *g = p->group;
    uint32_t all = p->kind == RELATION_STATIC ? r->nrows : g->present.n, n = 0;
    bool constants = false;
    for (uint32_t i = 0; i < p->nargs; i++) constants |= term_get(t, term_arg(t, atom, i))->ground;
    double usual = p->kind == RELATION_STATIC ? r->nrows : g->distinct ? g->rows : 8;
    if (!constants || all == 0) return usual;
    uint32_t looked = all < ENOUGH ? all : ENOUGH;
    for (uint32_t i = 0; i < looked; i++) {
        uint32_t k = (uint32_t)((uint64_t)i * all / looked);
        n += agrees(t, atom,
                    p->kind == RELATION_STATIC ? r->rows + (size_t)k * r->arity
                                               : term_args(t, e->facts.v[g->facts.v[g->present.v[k]]].fact),
                    p->nargs);
    }
    return usual * (n ? n : 0.3) / looked;
}

static void read_place(struct body *b, struct place *p, const struct literal *l)
{
    struct lifted *e = b->e;
    const struct terms *t = e->terms;
    *p = (struct place){.literal = l};
    collect(t, l->atom, &p->all);
    if (l->kind == LITERAL_NEGATIVE) intersect(&p->all, &b->bindable);
    if (l->kind == LITERAL_DISTINCT) return;
    p->kind = e->relations[l->relation].kind;
    term atom = l->atom;
    if (p->kind == RELATION_TRUE && !term_get(t, term_arg(t, atom, 0))->variable) {
        atom = term_arg(t, atom, 0);
        p->group = fact_group(e, term_get(t, atom)->head, term_get(t, atom)->nargs);
    }
    p->nargs = term_get(t, atom)->nargs;
    p->args = arena_cut(&e->scratch, (p->nargs + 1) * sizeof *p->args);
    memset(p->args, 0, p->nargs * sizeof *p->args);
    for (uint32_t i = 0; i < p->nargs; i++) collect(t, term_arg(t, atom, i), &p->args[i]);
    if (p->kind == RELATION_STATIC || p->group) p->rows = count_rows(e, p, atom);
}

static void read_body(struct lifted *e, struct body *b, const struct rule *rule, const char *pattern)
{
    *b = (struct body){.e = e, .rule = rule, .pattern = pattern, .mark = arena_mark(&e->scratch)};
    b->places = arena_cut(&e->scratch, (rule->nbody + 1) * sizeof *b->places);
    b->domain = arena_cut(&e->scratch, (rule->nvars + 1) * sizeof *b->domain);
    collect(e->terms, rule->head, &b->bindable);
    for (uint32_t i = 0; i < rule->nbody; i++)
        if (rule->body[i].kind == LITERAL_POSITIVE) collect(e->terms, rule->body[i].atom, &b->bindable);
    for (uint32_t i = 0; i < rule->nbody; i++) read_place(b, &b->places[i], &rule->body[i]);
    for (uint32_t v = 0; v < rule->nvars; v++) {
        b->domain[v] = variable_domain(e, rule, v);
        if (b->domain[v] <= 0) b->domain[v] = UNKNOWN_DOMAIN;
    }
    const struct term_node *head = term_get(e->terms, rule->head);
    for (uint32_t i = 0; i < head->nargs; i++) {
        if (pattern[i] == 'b') collect(e->terms, term_arg(e->terms, rule->head, i), &b->start);
        if (pattern[i] == 'f') collect(e->terms, term_arg(e->terms, rule->head, i), &b->wanted);
    }
}

/* Different combinations of values that the bound variables of a literal can have. */
static double combinations(const struct body *b, const struct place *p, const struct varset *bound)
{
    double n = 1;
    for (uint32_t v = 0; v < b->rule->nvars; v++)
        if (has(bound, v) && has(&p->all, v)) n *= b->domain[v];
    return n;
}

static bool is_empty(const struct varset *s)
{
    static const struct varset none;
    return contains(&none, s);
}

/* Rows of a relation that is asked with some arguments bound, by the sizes of its columns. */
static double share(const struct place *p, const struct varset *bound, double rows, const uint32_t *distinct)
{
    for (uint32_t i = 0; i < p->nargs; i++)
        if (!is_empty(&p->args[i]) && contains(bound, &p->args[i]))
            rows /= distinct ? (distinct[i] ? distinct[i] : 1) : 4;
    return rows;
}

static bool may_come(const struct place *p, const struct varset *bound)
{
    return p->literal->kind == LITERAL_POSITIVE || contains(bound, &p->all);
}

/* Tests that cost next to nothing come as soon as they can. */
static bool is_free(const struct place *p)
{
    return p->literal->kind == LITERAL_DISTINCT ||
           (p->literal->kind == LITERAL_NEGATIVE && p->kind != RELATION_CALLED);
}

static void ask_call(struct body *b, const struct place *p, struct progress *at, double *rows, double *work)
{
    struct lifted *e = b->e;
    struct arena_mark mark = arena_mark(&e->scratch);
    char *pattern = arena_cut(&e->scratch, p->nargs + 1);
    for (uint32_t i = 0; i < p->nargs; i++) pattern[i] = contains(&at->bound, &p->args[i]) ? 'b' : 'f';
    pattern[p->nargs] = '\0';
    struct guess g = guess_call(e, p->literal->relation, pattern);
    double calls = combinations(b, p, &at->bound);
    if (calls > at->rows) calls = at->rows;
    *rows = g.rows;
    *work = at->rows * (3 + g.rows) + calls * (g.cost + 5);
    arena_release(&e->scratch, mark);
}

/* Put literal p behind what has been done. */
static void advance(struct body *b, const struct place *p, struct progress *at)
{
    double rows = 1, work = at->rows;
    bool test = contains(&at->bound, &p->all);
    if (p->literal->kind == LITERAL_DISTINCT) {
        rows = 0.9;
        work *= 0.5;
    } else {
        const struct lifted_relation *r = &b->e->relations[p->literal->relation];
        switch (p->kind) {
        case RELATION_STATIC: rows = share(p, &at->bound, p->rows, r->distinct); break;
        case RELATION_DOES: rows = share(p, &at->bound, 2, NULL); break;
        case RELATION_TRUE:
            if (p->group)
                rows = share(p, &at->bound, p->rows, p->group->distinct);
            else
                rows = test ? 0.5 : 100;
            break;
        case RELATION_CALLED: ask_call(b, p, at, &rows, &work); break;
        }
        if (p->kind != RELATION_CALLED) work = at->rows * (test ? 1 : 1.5 + rows);
        if (test && rows > 0.9) rows = 0.9;
        if (p->literal->kind == LITERAL_NEGATIVE) rows = 1 - rows;
    }
    if (rows < 1e-3) rows = 1e-3;
    at->cost += work;
    at->rows *= rows;
    if (at->rows > MOST_ROWS) at->rows = MOST_ROWS;
    if (at->cost > MOST_ROWS) at->cost = MOST_ROWS;
    if (p->literal->kind == LITERAL_POSITIVE) unite(&at->bound, &p->all);
}

/* Take the free tests that have become possible. */
static void take_tests(struct body *b, bool *done, struct progress *at, uint32_t *order, uint32_t *n)
{
    for (uint32_t i = 0; i < b->rule->nbody; i++) {
        const struct place *p = &b->places[i];
        if (done[i] || !is_free(p) || !contains(&at->bound, &p->all)) continue;
        advance(b, p, at);
        done[i] = true;
        if (order) order[(*n)++] = i;
    }
}

/* Always the literal that leaves the least to do. */
static void order_greedily(struct body *b, struct progress *at, uint32_t *order)
{
    uint32_t n = 0, total = b->rule->nbody;
    bool *done = arena_cut(&b->e->scratch, total + 1);
    memset(done, 0, total + 1);
    for (take_tests(b, done, at, order, &n);; take_tests(b, done, at, order, &n)) {
        uint32_t best = UINT32_MAX;
        double least = 0;
        for (uint32_t i = 0; i < total; i++) {
            if (done[i] || !may_come(&b->places[i], &at->bound)) continue;
            struct progress next = *at;
            advance(b, &b->places[i], &next);
            double measure = next.cost - at->cost + 2 * next.rows;
            if (best == UINT32_MAX || measure < least) best = i, least = measure;
        }
        if (best == UINT32_MAX) return;
        advance(b, &b->places[best], at);
        done[best] = true;
        if (order) order[n++] = best;
    }
}

/* Dynamic programming over sets of the literals that are not free tests. */
static void order_exactly(struct body *b, uint32_t nmain, uint32_t *order)
{
    struct lifted *e = b->e;
    uint32_t total = b->rule->nbody, sets = 1u << nmain, n = 0, placed = 0;
    struct entry {
        struct progress at;
        uint32_t last;
        bool known;
    } *best = arena_cut(&e->scratch, sets * sizeof *best);
    bool *done = arena_cut(&e->scratch, total + 1);
    uint32_t *main = arena_cut(&e->scratch, (nmain + 1) * sizeof *main);
    uint32_t *path = arena_cut(&e->scratch, (nmain + 1) * sizeof *path);
    for (uint32_t i = 0; i < total; i++)
        if (!is_free(&b->places[i])) main[n++] = i;
    for (uint32_t s = 0; s < sets; s++) best[s].known = false;
    memset(done, 0, total + 1);
    best[0] = (struct entry){.at = {.bound = b->start, .rows = 1}, .known = true};
    take_tests(b, done, &best[0].at, NULL, NULL);
    for (uint32_t s = 0; s < sets; s++)
        for (uint32_t k = 0; k < nmain && best[s].known; k++) {
            struct progress at = best[s].at;
            if (s >> k & 1 || !may_come(&b->places[main[k]], &at.bound)) continue;
            /* Tests that were possible before are done. */
            for (uint32_t i = 0; i < total; i++) done[i] = contains(&at.bound, &b->places[i].all);
            advance(b, &b->places[main[k]], &at);
            take_tests(b, done, &at, NULL, NULL);
            struct entry *to = &best[s | 1u << k];
            if (!to->known || at.cost + at.rows < to->at.cost + to->at.rows)
                *to = (struct entry){at, k, true};
        }
    /* Walk back, then forward with the tests in between. */
    for (uint32_t i = nmain, s = sets - 1; i-- > 0; s &= ~(1u << best[s].last)) path[i] = main[best[s].last];
    struct progress at = {.bound = b->start, .rows = 1};
    memset(done, 0, total + 1);
    take_tests(b, done, &at, order, &placed);
    for (uint32_t i = 0; i < nmain; i++) {
        advance(b, &b->places[path[i]], &at);
        done[path[i]] = true;
        order[placed++] = path[i];
        take_tests(b, done, &at, order, &placed);
    }
}

/* ---- guesses about calls ---- */

static struct guess guess_rules(struct lifted *e, uint32_t relation, const char *pattern)
{
    const struct vec_u32 *rules = &e->program->relations.v[relation].rules;
    const struct lifted_relation *r = &e->relations[relation];
    struct guess sum = {0, 3};
    uint32_t nfree = 0;
    double most = 1;
    for (uint32_t i = 0; i < r->arity; i++) {
        if (pattern[i] != 'f') continue;
        double d = relation_domain(e, relation, i);
        most *= d > 0 ? d : UNKNOWN_DOMAIN;
        nfree++;
    }
    for (uint32_t i = 0; i < rules->n; i++) {
        const struct rule *rule = &e->rules[rules->v[i]];
        struct body b;
        double chance = 1; /* that a bound argument is the one in the head */
        for (uint32_t k = 0; k < r->arity; k++) {
            if (pattern[k] != 'b' || !term_get(e->terms, term_arg(e->terms, rule->head, k))->ground) continue;
            double d = relation_domain(e, relation, k);
            chance /= d > 1 ? d : 1;
        }
        if (rule->nvars > MAX_VARIABLES) {
            sum.rows += chance, sum.cost += 10;
            continue;
        }
        read_body(e, &b, rule, pattern);
        struct progress at = {.bound = b.start, .rows = chance};
        order_greedily(&b, &at, NULL);
        sum.rows += nfree == 0 && at.rows > chance ? chance : at.rows;
        sum.cost += 1 + at.cost;
        arena_release(&e->scratch, b.mark);
        heap_poll(e->heap);
    }
    if (nfree == 0 && sum.rows > 0.9) sum.rows = 0.9;
    if (sum.rows > most) sum.rows = most;
    return sum;
}

/* What was measured for this pattern, if that is enough to go by. */
static bool measured(const struct lifted_relation *r, const char *pattern, struct guess *out)
{
    enum { ENOUGH = 5, WORK_PER_STEP = 2 };
    for (uint32_t i = 0; i < r->procs.n; i++) {
        const struct proc *p = r->procs.v[i];
        if (p->opened < ENOUGH || p->kind == PROC_WHOLE) continue;
        bool same = true;
        for (uint32_t k = 0; k < r->arity && same; k++) same = (p->pattern[k] == 'b') == (pattern[k] == 'b');
        if (!same) continue;
        out->rows = (double)p->answers / (double)p->opened;
        out->cost = WORK_PER_STEP * (double)p->steps / (double)p->opened;
        return true;
    }
    return false;
}

/* A recursive relation whose rules build terms in an argument may have no end when that argument is free:
 *     (<= (list (cons ?x ?l)) (item ?x) (list ?l)) */
static bool may_be_endless(const struct lifted *e, uint32_t relation, const char *pattern)
{
    const struct relation *r = &e->program->relations.v[relation];
    if (!r->recursive) return false;
    for (uint32_t i = 0; i < r->rules.n; i++) {
        term head = e->rules[r->rules.v[i]].head;
        for (uint32_t k = 0; k < r->arity; k++) {
            const struct term_node *n = term_get(e->terms, term_arg(e->terms, head, k));
            if (pattern[k] == 'f' && !n->variable && !n->ground) return true;
        }
    }
    return false;
}

static struct guess guess_call(struct lifted *e, uint32_t relation, const char *pattern)
{
    struct lifted_relation *r = &e->relations[relation];
    struct guess seen;
    if (may_be_endless(e, relation, pattern)) return (struct guess){1e6, 1e8};
    if (measured(r, pattern, &seen)) return seen;
    for (uint32_t i = 0; i < r->guesses.n; i++)
        if (memcmp(r->guesses.v[i].pattern, pattern, r->arity) == 0) return r->guesses.v[i].guess;
    char *copy = arena_cut(&e->plans, r->arity + 1);
    memcpy(copy, pattern, r->arity);
    uint32_t at = r->guesses.n, passes = e->program->relations.v[relation].recursive ? 2 : 1;
    /* What recursion finds while the rules are looked at: at first nothing, then what they gave without. */
    vec_push(e->heap, &r->guesses, (struct known_guess){copy, {0.1, 1}});
    if (e->guess_depth >= MAX_DEPTH || e->nguesses >= MAX_GUESSES) return r->guesses.v[at].guess;
    e->guess_depth++;
    for (; passes > 0; passes--) {
        e->nguesses++;
        struct guess better = guess_rules(e, relation, pattern);
        r->guesses.v[at].guess = better;
    }
    e->guess_depth--;
    return r->guesses.v[at].guess;
}

/* ---- the door ---- */

/* A rule with more variables than fit into a set. A test waits until its variables are bound: waiting[i]
 * counts those that are not, and each variable knows the tests that wait for it. */
struct simple {
    struct lifted *e;
    const struct rule *rule;
    bool *bound;
    uint32_t *waiting; /* by literal: variables (each time they occur) that it waits for */
    uint32_t *first, *next,
        *who; /* by variable: its first occurrence; by occurrence: the next, and whose it is */
    uint32_t noccurrences;
    struct vec_u32 ready;
};

static uint32_t count_variables(const struct terms *t, term x)
{
    const struct term_node *n = term_get(t, x);
    uint32_t sum = n->variable;
    for (uint32_t i = 0; i < n->nargs; i++) sum += count_variables(t, term_arg(t, x, i));
    return sum;
}

static void wait_for(struct simple *s, term x, uint32_t literal)
{
    const struct term_node *n = term_get(s->e->terms, x);
    if (n->variable && !s->bound[n->head]) {
        uint32_t at = ++s->noccurrences;
        s->who[at] = literal;
        s->next[at] = s->first[n->head];
        s->first[n->head] = at;
        s->waiting[literal]++;
    }
    for (uint32_t i = 0; i < n->nargs; i++) wait_for(s, term_arg(s->e->terms, x, i), literal);
}

static void bind_variables(struct simple *s, term x)
{
    const struct term_node *n = term_get(s->e->terms, x);
    if (n->variable && !s->bound[n->head]) {
        s->bound[n->head] = true;
        for (uint32_t at = s->first[n->head]; at; at = s->next[at])
            if (--s->waiting[s->who[at]] == 0) vec_push(s->e->heap, &s->ready, s->who[at]);
    }
    for (uint32_t i = 0; i < n->nargs; i++) bind_variables(s, term_arg(s->e->terms, x, i));
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t take_ready(struct simple *s, uint32_t *order, uint32_t n)
{
    if (s->ready.n > 1) qsort(s->ready.v, s->ready.n, sizeof *s->ready.v, by_number);
    for (uint32_t i = 0; i < s->ready.n; i++) order[n++] = s->ready.v[i];
    s->ready.n = 0;
    return n;
}

/* The order of the sheet, tests as soon as they can come. */
static void order_simply(struct lifted *e, const struct rule *rule, const char *pattern, uint32_t *order)
{
    struct heap *heap = e->heap;
    const struct term_node *head = term_get(e->terms, rule->head);
    uint32_t occurrences = 1, n = 0;
    for (uint32_t i = 0; i < rule->nbody; i++) occurrences += count_variables(e->terms, rule->body[i].atom);
    struct simple s = {.e = e, .rule = rule};
    s.bound = heap_zalloc(heap, rule->nvars + 1);
    s.waiting = heap_zalloc(heap, (rule->nbody + 1) * sizeof *s.waiting);
    s.first = heap_zalloc(heap, (rule->nvars + 1) * sizeof *s.first);
    s.next = heap_zalloc(heap, (occurrences + 1) * sizeof *s.next);
    s.who = heap_zalloc(heap, (occurrences + 1) * sizeof *s.who);
    for (uint32_t i = 0; i < head->nargs; i++)
        if (pattern[i] == 'b') bind_variables(&s, term_arg(e->terms, rule->head, i));
    for (uint32_t i = 0; i < rule->nbody; i++) {
        if (rule->body[i].kind == LITERAL_POSITIVE) continue;
        wait_for(&s, rule->body[i].atom, i);
        if (s.waiting[i] == 0) vec_push(heap, &s.ready, i);
    }
    n = take_ready(&s, order, n);
    for (uint32_t i = 0; i < rule->nbody; i++) {
        if (rule->body[i].kind != LITERAL_POSITIVE) continue;
        heap_poll(heap);
        order[n++] = i;
        bind_variables(&s, rule->body[i].atom);
        n = take_ready(&s, order, n);
    }
    vec_free(heap, &s.ready);
    heap_release(heap, s.bound);
    heap_release(heap, s.waiting);
    heap_release(heap, s.first);
    heap_release(heap, s.next);
    heap_release(heap, s.who);
}

/* Bottom-up, recursion drives the rule: each row of the relation itself comes along once. */
bool order_drives(const struct lifted *e, const struct rule *rule, const struct literal *l)
{
    const struct relation *r = e->program->relations.v;
    return l->kind == LITERAL_POSITIVE && e->relations[l->relation].kind == RELATION_CALLED &&
           r[l->relation].component == r[rule->relation].component;
}

void order_body(struct lifted *e, const struct rule *rule, const char *pattern, bool whole, uint32_t *order)
{
    if (rule->nvars > MAX_VARIABLES) {
        order_simply(e, rule, pattern, order);
        return;
    }
    struct body b;
    read_body(e, &b, rule, pattern);
    uint32_t nmain = 0, driver = UINT32_MAX;
    for (uint32_t i = 0; i < rule->nbody; i++) {
        nmain += !is_free(&b.places[i]);
        if (whole && driver == UINT32_MAX && order_drives(e, rule, &rule->body[i])) driver = i;
    }
    struct progress at = {.bound = b.start, .rows = 1};
    if (driver != UINT32_MAX) { /* as if it were the first alone */
        unite(&b.start, &b.places[driver].all);
        at.bound = b.start;
    }
    if (nmain <= MAX_EXACT)
        order_exactly(&b, nmain, order);
    else
        order_greedily(&b, &at, order);
    if (driver != UINT32_MAX) {
        uint32_t i = 0;
        while (order[i] != driver) i++;
        memmove(order + 1, order, i * sizeof *order);
        order[0] = driver;
    }
    arena_release(&e->scratch, b.mark);
}

void order_forget(struct lifted *e)
{
    for (uint32_t r = 0; r < e->program->relations.n; r++) {
        e->relations[r].guesses.n = 0;
        e->relations[r].domain = NULL;
    }
    e->nguesses = 0;
}
