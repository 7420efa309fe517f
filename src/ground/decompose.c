// SPDX-License-Identifier: GPL-3.0-or-later
/* Taking a clause apart whose variables multiply.
 *
 *     next(x y s) <- true(x y s), does(p a b c), apart(x y a b)           |true| * |does| instances
 *
 * becomes, by eliminating first c and p, then a and b,
 *
 *     h1(a b)     <- does(p a b c)                                        |does|
 *     h2(x y)     <- h1(a b), apart(x y a b)                              |apart|
 *     next(x y s) <- true(x y s), h2(x y)                                 |true|
 *
 * This is bucket elimination (a tree decomposition of the body, bag by bag): to eliminate a variable, all
 * items that mention it are joined into a helper that forgets it. Always that variable goes next that leaves
 * the least to do, by the textbook estimate of joins: the product of the sizes, divided for each shared
 * variable by all but the smallest of its numbers of different values. We stop when no step would pay.
 *
 * A bucket may hold a filter on variables that no positive item in it binds: (distinct x a) without x. Then
 * the values x can have elsewhere in the clause come in as a domain, an exact helper that is not part of the
 * ground program. Buckets that look the same share their helper. */
#include "ground/ground_internal.h"

#define WORTH_IT 0.5 /* a step must bring the expected instances down to this part of what they were */

/* An item with what the estimates need. */
struct unit {
    struct item item;
    bool binds; /* a positive item or a term: gives its registers values */
    bool live;  /* not yet in a helper */
    double rows;
    bool *has;        /* by register */
    double *distinct; /* by register: values it has here, where it occurs in a unit that binds it */
};

struct bucket {
    bool *in;         /* by unit */
    bool *forgotten;  /* by register: occurs here only */
    uint32_t *lender; /* by register: unit whose values stand in where no unit here binds it, or NONE */
    double cost;      /* instances of the helper and of what is left after it */
    struct unit helper;
};

struct decomposition {
    struct grounder *g;
    uint32_t rule, nregisters, component;
    VEC(struct unit) units;
    bool *in_head; /* by register */
    double *least; /* by register: fewest values in the units joined last; 0: in none */
};

static void unit_arrays(struct decomposition *d, struct unit *u)
{
    u->has = heap_cut(d->g->heap, d->nregisters + 1);
    u->distinct = heap_cut(d->g->heap, (d->nregisters + 1) * sizeof *u->distinct);
    memset(u->has, 0, d->nregisters + 1);
    for (uint32_t r = 0; r <= d->nregisters; r++) u->distinct[r] = 0;
}

static void unit_add(struct decomposition *d, const struct item *item)
{
    struct grounder *g = d->g;
    struct unit u = {.item = *item, .live = true, .rows = 1};
    u.binds = item->kind == ITEM_POSITIVE || item->kind == ITEM_TERM;
    unit_arrays(d, &u);
    struct table *t = u.binds ? &g->predicates.v[item->predicate].table : NULL;
    if (t) {
        table_count(g->heap, t, &g->stamps, g->terms->nodes.n);
        u.rows = t->rows;
    }
    for (uint32_t i = 0; i < item->nargs; i++) {
        double values = t && t->distinct ? t->distinct[i] : 1;
        uint32_t r = register_of(item->args[i]);
        if (is_register(item->args[i]) && !u.has[r]) {
            u.has[r] = true;
            u.distinct[r] = values;
        } else if (values > 1) { /* a constant, or the same register again */
            u.rows /= values;
        }
    }
    if (u.rows < 1) u.rows = 1;
    for (uint32_t r = 0; r < d->nregisters; r++)
        if (u.distinct[r] > u.rows) u.distinct[r] = u.rows;
    vec_push(g->heap, &d->units, u);
}

static void join_one(struct decomposition *d, const struct unit *u, double *rows)
{
    *rows *= u->rows;
    for (uint32_t r = 0; r < d->nregisters; r++) {
        if (!u->has[r]) continue;
        double here = u->distinct[r] > 1 ? u->distinct[r] : 1;
        if (d->least[r] > 0) {
            *rows /= here > d->least[r] ? here : d->least[r];
            if (here < d->least[r]) d->least[r] = here;
        } else {
            d->least[r] = here;
        }
    }
}

/* Expected rows of the join of those live units for which in[] is `which`, and `more`; in NULL: of all. */
static double join_rows(struct decomposition *d, const bool *in, bool which, const struct unit *more)
{
    double rows = 1;
    for (uint32_t r = 0; r < d->nregisters; r++) d->least[r] = 0;
    for (uint32_t u = 0; u < d->units.n; u++)
        if (d->units.v[u].live && d->units.v[u].binds && (!in || in[u] == which))
            join_one(d, &d->units.v[u], &rows);
    if (more) join_one(d, more, &rows);
    return rows < 1 ? 1 : rows;
}

static bool bound_in(const struct decomposition *d, const struct bucket *b, uint32_t r)
{
    for (uint32_t u = 0; u < d->units.n; u++) {
        const struct unit *x = &d->units.v[u];
        if (!b->in[u] || !x->has[r]) continue;
        if (x->binds || (x->item.kind == ITEM_BUILD && register_of(x->item.args[0]) == r)) return true;
    }
    return false;
}

/* Who can lend values for a register that the bucket does not bind? */
static uint32_t find_lender(const struct decomposition *d, const struct bucket *b, uint32_t r)
{
    uint32_t best = NONE;
    for (uint32_t u = 0; u < d->units.n; u++) {
        const struct unit *x = &d->units.v[u];
        if (!x->live || b->in[u] || !x->binds || !x->has[r]) continue;
        if (best == NONE || x->distinct[r] < d->units.v[best].distinct[r]) best = u;
    }
    return best;
}

/* The bucket of a register: what eliminating it means. False if it cannot be done. */
static bool bucket_fill(struct decomposition *d, struct bucket *b, uint32_t v)
{
    for (uint32_t u = 0; u < d->units.n; u++) b->in[u] = d->units.v[u].live && d->units.v[u].has[v];
    for (uint32_t r = 0; r < d->nregisters; r++) {
        bool here = false, elsewhere = d->in_head[r];
        for (uint32_t u = 0; u < d->units.n; u++) {
            if (!d->units.v[u].live || !d->units.v[u].has[r]) continue;
            if (b->in[u])
                here = true;
            else
                elsewhere = true;
        }
        b->forgotten[r] = here && !elsewhere;
        b->helper.has[r] = here && elsewhere;
        b->lender[r] = NONE;
        if (!here || bound_in(d, b, r)) continue;
        if ((b->lender[r] = find_lender(d, b, r)) == NONE) return false;
    }
    double rows = join_rows(d, b->in, true, NULL), values = 1;
    for (uint32_t r = 0; r < d->nregisters; r++) {
        if (b->lender[r] != NONE) {
            d->least[r] = d->units.v[b->lender[r]].distinct[r];
            rows *= d->least[r] > 1 ? d->least[r] : 1;
        }
        b->helper.distinct[r] = 0;
        if (!b->helper.has[r]) continue;
        b->helper.distinct[r] = d->least[r] > 1 ? d->least[r] : 1;
        values *= b->helper.distinct[r];
    }
    b->helper.rows = rows < values ? rows : values;
    for (uint32_t r = 0; r < d->nregisters; r++)
        if (b->helper.distinct[r] > b->helper.rows) b->helper.distinct[r] = b->helper.rows;
    b->helper.binds = b->helper.live = true;
    b->cost = rows + join_rows(d, b->in, false, &b->helper);
    return true;
}

/* A helper known by its body: registers renamed in the order they appear, so that equal bodies look equal. */
struct known {
    struct grounder *g;
    struct vec_u32 key;
    uint32_t *name; /* by register: its new number, or NONE */
    struct vec_u32 order;
};

static void key_item(struct known *k, const struct item *item)
{
    struct heap *heap = k->g->heap;
    vec_push(heap, &k->key, item->kind);
    vec_push(heap, &k->key, item->predicate);
    vec_push(heap, &k->key, item->kind == ITEM_NEGATIVE ? item->relation : item->functor);
    vec_push(heap, &k->key, item->nargs);
    for (uint32_t i = 0; i < item->nargs; i++) {
        uint32_t r = register_of(item->args[i]);
        if (is_register(item->args[i]) && k->name[r] == NONE) {
            k->name[r] = k->order.n;
            vec_push(heap, &k->order, r);
        }
        vec_push(heap, &k->key, is_register(item->args[i]) ? OPERAND_REGISTER | k->name[r] : item->args[i]);
    }
}

/* The helper of these items with the registers in `keep`, in order of appearance in *args. Found or made. */
static uint32_t helper_get(struct decomposition *d, const struct item *items, uint32_t n, const bool *keep,
                           bool exact, operand **args, uint32_t *nargs)
{
    struct grounder *g = d->g;
    struct known k = {.g = g, .name = heap_alloc(g->heap, (d->nregisters + 1) * sizeof *k.name)};
    memset(k.name, 0xff, (d->nregisters + 1) * sizeof *k.name);
    vec_push(g->heap, &k.key, exact);
    for (uint32_t i = 0; i < n; i++) key_item(&k, &items[i]);
    *args = cut_operands(g, d->nregisters + 1);
    *nargs = 0;
    for (uint32_t i = 0; i < k.order.n; i++) {
        if (!keep[k.order.v[i]]) continue;
        (*args)[(*nargs)++] = OPERAND_REGISTER | k.order.v[i];
        vec_push(g->heap, &k.key, i);
    }
    uint32_t predicate = NONE;
    for (uint32_t i = 0; i < g->helpers.n && predicate == NONE; i++)
        if (g->helpers.v[i].n == k.key.n &&
            memcmp(g->helpers.v[i].key, k.key.v, k.key.n * sizeof *k.key.v) == 0)
            predicate = g->helpers.v[i].predicate;
    if (predicate == NONE) {
        predicate = predicate_invent(g, *nargs, exact, d->component);
        clause_make(g, d->rule, predicate, *args, items, n, n, d->nregisters);
        vec_push(g->heap, &g->helpers, (struct helper){k.key.v, k.key.n, predicate});
    } else {
        vec_free(g->heap, &k.key);
    }
    vec_free(g->heap, &k.order);
    heap_release(g->heap, k.name);
    return predicate;
}

/* Make the bucket's helper and put it in the place of its units. */
static void bucket_apply(struct decomposition *d, struct bucket *b)
{
    struct grounder *g = d->g;
    VEC(struct item) items = {0};
    bool exact = true, *one = heap_zalloc(g->heap, d->nregisters + 1);
    for (uint32_t u = 0; u < d->units.n; u++) {
        struct unit *x = &d->units.v[u];
        if (!b->in[u]) continue;
        if (x->item.kind == ITEM_POSITIVE || x->item.kind == ITEM_NEGATIVE)
            exact &= item_is_exact(g, &x->item);
        vec_push(g->heap, &items, x->item);
        x->live = false;
    }
    for (uint32_t r = 0; r < d->nregisters; r++) {
        if (b->lender[r] == NONE) continue;
        struct item domain = {.kind = ITEM_POSITIVE, .relation = HELPER_RELATION};
        one[r] = true;
        domain.predicate =
            helper_get(d, &d->units.v[b->lender[r]].item, 1, one, true, &domain.args, &domain.nargs);
        one[r] = false;
        vec_push(g->heap, &items, domain);
    }
    struct unit helper = b->helper;
    unit_arrays(d, &helper);
    memcpy(helper.has, b->helper.has, d->nregisters);
    memcpy(helper.distinct, b->helper.distinct, d->nregisters * sizeof *helper.distinct);
    helper.item = (struct item){.kind = ITEM_POSITIVE, .relation = HELPER_RELATION};
    helper.item.predicate =
        helper_get(d, items.v, items.n, helper.has, exact, &helper.item.args, &helper.item.nargs);
    vec_push(g->heap, &d->units, helper);
    vec_free(g->heap, &items);
    heap_release(g->heap, one);
}

static void bucket_init(struct decomposition *d, struct bucket *b)
{
    struct heap *heap = d->g->heap;
    uint32_t most = d->units.n + d->nregisters + 1; /* each elimination adds a unit */
    *b = (struct bucket){.in = heap_cut(heap, most), .forgotten = heap_cut(heap, d->nregisters + 1)};
    b->lender = heap_cut(heap, (d->nregisters + 1) * sizeof *b->lender);
    unit_arrays(d, &b->helper);
}

/* Eliminate as long as it pays; how many registers went. */
static uint32_t eliminate(struct decomposition *d)
{
    struct bucket b;
    uint32_t steps = 0;
    bucket_init(d, &b);
    for (;; steps++) {
        double now = join_rows(d, NULL, true, NULL), best = now * WORTH_IT;
        uint32_t chosen = NONE;
        for (uint32_t r = 0; r < d->nregisters; r++) {
            bool occurs = false;
            for (uint32_t u = 0; u < d->units.n; u++) occurs |= d->units.v[u].live && d->units.v[u].has[r];
            if (!occurs || d->in_head[r] || !bucket_fill(d, &b, r) || b.cost >= best) continue;
            best = b.cost;
            chosen = r;
        }
        if (chosen == NONE) return steps;
        bucket_fill(d, &b, chosen);
        bucket_apply(d, &b);
    }
}

bool clause_decompose(struct grounder *g, uint32_t number)
{
    const struct clause c =
        g->clauses.v[number]; /* a copy: the vector may move; what it points to does not */
    struct decomposition d = {.g = g, .rule = c.rule, .nregisters = c.nregisters};
    uint32_t width = g->predicates.v[c.predicate].table.width, body = c.nbody - c.nbuild;
    d.component = g->predicates.v[c.predicate].component;
    d.in_head = heap_cut(g->heap, c.nregisters + 1);
    d.least = heap_cut(g->heap, (c.nregisters + 1) * sizeof *d.least);
    memset(d.in_head, 0, c.nregisters + 1);
    for (uint32_t i = 0; i < width; i++)
        if (is_register(c.head[i])) d.in_head[register_of(c.head[i])] = true;
    for (uint32_t i = body; i < c.nbody; i++)
        for (uint32_t k = 0; k < c.body[i].nargs; k++)
            if (is_register(c.body[i].args[k])) d.in_head[register_of(c.body[i].args[k])] = true;
    for (uint32_t i = 0; i < body; i++) unit_add(&d, &c.body[i]);
    bool split = eliminate(&d) > 0;
    if (split) {
        VEC(struct item) items = {0};
        for (uint32_t u = 0; u < d.units.n; u++)
            if (d.units.v[u].live) vec_push(g->heap, &items, d.units.v[u].item);
        uint32_t nbody = items.n;
        for (uint32_t i = body; i < c.nbody; i++) vec_push(g->heap, &items, c.body[i]);
        clause_make(g, c.rule, c.predicate, c.head, items.v, nbody, items.n, c.nregisters);
        vec_free(g->heap, &items);
        g->clauses.v[number].gone = true;
        g->report->split_rules++;
    }
    vec_free(g->heap, &d.units);
    return split;
}
