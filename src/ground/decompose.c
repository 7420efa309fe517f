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
 * variable by all but the smallest of its numbers of different values. Of the whole sequence those first
 * steps are taken that leave the least in sum, and a helper that its only user could as well do without is
 * merged into it.
 *
 * A bucket may hold a filter on variables that no positive item in it binds: (distinct x a) without x. Then
 * the values x can have elsewhere in the clause come in as a domain, an exact helper that is not part of the
 * ground program. Buckets that look the same share their helper. */
#include "ground/ground_internal.h"

#define WORTH_IT 0.5 /* the expected instances must come down to this part of what they were */

/* An item with what the estimates need. */
struct unit {
    struct item item;
    bool binds; /* a positive item or a term: gives its registers values */
    bool live;  /* not yet in a helper */
    double rows;
    bool *has;        /* by register */
    double *distinct; /* by register: values it has here, where it occurs in a unit that binds it */
};

/* One elimination: the units that are joined. */
struct bucket {
    bool *in;         /* by unit */
    uint32_t *lender; /* by register: unit whose values stand in where no unit here binds it, or NONE */
    double rows;      /* expected instances */
    double left;      /* expected instances of what is left of the clause after it */
    struct unit helper;
    uint32_t number; /* of the helper among the units, once it is taken */
    bool merged;     /* into the bucket of its user */
};

struct decomposition {
    struct grounder *g;
    uint32_t rule, predicate, nregisters;
    VEC(struct unit) units; /* first those of the clause, then the helpers */
    uint32_t originals, most;
    VEC(struct bucket) steps;
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

/* Who can lend values for a register that the bucket does not bind? Any positive item of the clause will do,
 * even one that is in a helper already: it holds all values that come into question. */
static uint32_t find_lender(const struct decomposition *d, const struct bucket *b, uint32_t r)
{
    uint32_t best = NONE;
    for (uint32_t u = 0; u < d->originals; u++) {
        const struct unit *x = &d->units.v[u];
        if (b->in[u] || x->item.kind != ITEM_POSITIVE || !x->has[r]) continue;
        if (best == NONE || x->distinct[r] < d->units.v[best].distinct[r]) best = u;
    }
    return best;
}

/* A term counts as seen when an atom that holds it is; so a bucket must not look for terms that none of its
 * positive items, or the terms in them, bring along. */
static bool terms_come_along(struct decomposition *d, const struct bucket *b)
{
    bool *here = heap_zalloc(d->g->heap, d->nregisters + 1), all = false;
    for (bool again = true; again && !all;) {
        again = false;
        all = true;
        for (uint32_t u = 0; u < d->units.n; u++) {
            const struct unit *x = &d->units.v[u];
            if (!b->in[u] || !x->binds) continue;
            bool compound = x->item.kind == ITEM_TERM;
            if (compound && !here[register_of(x->item.args[0])]) {
                all = false;
                continue;
            }
            for (uint32_t i = 0; i < x->item.nargs; i++) {
                uint32_t r = register_of(x->item.args[i]);
                if (!is_register(x->item.args[i]) || here[r]) continue;
                here[r] = again = true;
            }
        }
    }
    heap_release(d->g->heap, here);
    return all;
}

/* Expected instances of the bucket's join; leaves the numbers of values in d->least. */
static double bucket_rows(struct decomposition *d, const struct bucket *b)
{
    double rows = join_rows(d, b->in, true, NULL);
    for (uint32_t r = 0; r < d->nregisters; r++) {
        if (b->lender[r] == NONE) continue;
        double values = d->units.v[b->lender[r]].distinct[r];
        d->least[r] = values > 1 ? values : 1;
        rows *= d->least[r];
    }
    return rows;
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
        b->helper.has[r] = here && elsewhere;
        b->lender[r] = NONE;
        if (!here || bound_in(d, b, r)) continue;
        if ((b->lender[r] = find_lender(d, b, r)) == NONE) return false;
    }
    if (!terms_come_along(d, b)) return false;
    b->rows = bucket_rows(d, b);
    double values = 1;
    for (uint32_t r = 0; r < d->nregisters; r++) {
        b->helper.distinct[r] = b->helper.has[r] ? d->least[r] : 0;
        if (b->helper.has[r]) values *= d->least[r];
    }
    b->helper.rows = b->rows < values ? b->rows : values;
    for (uint32_t r = 0; r < d->nregisters; r++)
        if (b->helper.distinct[r] > b->helper.rows) b->helper.distinct[r] = b->helper.rows;
    b->helper.binds = b->helper.live = true;
    b->left = join_rows(d, b->in, false, &b->helper);
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
    for (uint32_t i = 0; i < g->helpers.n && predicate == NONE; i++) {
        const struct helper *h = &g->helpers.v[i];
        if (g->predicates.v[h->predicate].demanded) continue; /* it knows only what its users asked for */
        if (h->n == k.key.n && memcmp(h->key, k.key.v, k.key.n * sizeof *k.key.v) == 0)
            predicate = h->predicate;
    }
    if (predicate != NONE && !g->predicates.v[d->predicate].late) g->predicates.v[predicate].late = false;
    if (predicate == NONE) {
        predicate = predicate_invent(g, *nargs, exact, d->predicate);
        clause_make(g, d->rule, predicate, *args, items, n, n, d->nregisters);
        vec_push(g->heap, &g->helpers, (struct helper){k.key.v, k.key.n, predicate});
    } else {
        vec_free(g->heap, &k.key);
    }
    vec_free(g->heap, &k.order);
    heap_release(g->heap, k.name);
    return predicate;
}

/* Make the bucket's helper. */
static void bucket_apply(struct decomposition *d, const struct bucket *b)
{
    struct grounder *g = d->g;
    VEC(struct item) items = {0};
    bool exact = true, *one = heap_zalloc(g->heap, d->nregisters + 1);
    for (uint32_t u = 0; u < d->units.n; u++) {
        const struct item *item = &d->units.v[u].item;
        if (!b->in[u]) continue;
        if (item->kind == ITEM_POSITIVE || item->kind == ITEM_NEGATIVE) exact &= item_is_exact(g, item);
        vec_push(g->heap, &items, *item);
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
    struct item helper = {.kind = ITEM_POSITIVE, .relation = HELPER_RELATION};
    helper.predicate = helper_get(d, items.v, items.n, b->helper.has, exact, &helper.args, &helper.nargs);
    d->units.v[b->number].item = helper;
    vec_free(g->heap, &items);
    heap_release(g->heap, one);
}

static void bucket_init(struct decomposition *d, struct bucket *b)
{
    struct heap *heap = d->g->heap;
    *b = (struct bucket){.in = heap_cut(heap, d->most)};
    memset(b->in, 0, d->most);
    b->lender = heap_cut(heap, (d->nregisters + 1) * sizeof *b->lender);
    unit_arrays(d, &b->helper);
}

/* Eliminate everything that is not in the head, on paper. */
static void eliminate(struct decomposition *d)
{
    struct bucket best, next;
    bucket_init(d, &best);
    bucket_init(d, &next);
    for (bool found = true; found;) {
        found = false;
        for (uint32_t r = 0; r < d->nregisters; r++) {
            bool occurs = false;
            for (uint32_t u = 0; u < d->units.n; u++) occurs |= d->units.v[u].live && d->units.v[u].has[r];
            if (!occurs || d->in_head[r] || !bucket_fill(d, &next, r)) continue;
            if (found && next.rows + next.left >= best.rows + best.left) continue;
            struct bucket spare = best;
            best = next;
            next = spare;
            found = true;
        }
        if (!found) return;
        for (uint32_t u = 0; u < d->units.n; u++)
            if (best.in[u]) d->units.v[u].live = false;
        best.number = d->units.n;
        vec_push(d->g->heap, &d->units, best.helper);
        vec_push(d->g->heap, &d->steps, best);
        bucket_init(d, &best);
        heap_poll(d->g->heap);
    }
}

/* How many steps leave the least to do? 0 if that is not below `most`. */
static uint32_t best_end(const struct decomposition *d, double most)
{
    double spent = 0, least = most;
    uint32_t end = 0;
    for (uint32_t i = 0; i < d->steps.n; i++) {
        spent += d->steps.v[i].rows;
        if (spent + d->steps.v[i].left < least) least = spent + d->steps.v[i].left, end = i + 1;
    }
    return end;
}

/* Put a bucket into that of its user where this makes the work no more. */
static void merge(struct decomposition *d)
{
    struct bucket both;
    bucket_init(d, &both);
    for (uint32_t u = 0; u < d->units.n; u++)
        d->units.v[u].live = true; /* join_rows looks at live ones only */
    for (uint32_t i = 0; i < d->steps.n; i++)
        for (uint32_t k = i + 1; k < d->steps.n; k++) {
            struct bucket *inner = &d->steps.v[i], *user = &d->steps.v[k];
            if (!user->in[inner->number]) continue;
            for (uint32_t u = 0; u < d->units.n; u++)
                both.in[u] = (user->in[u] && u != inner->number) || inner->in[u];
            for (uint32_t r = 0; r < d->nregisters; r++) {
                both.lender[r] = user->lender[r] != NONE ? user->lender[r] : inner->lender[r];
                if (both.lender[r] != NONE && bound_in(d, &both, r)) both.lender[r] = NONE;
            }
            both.rows = bucket_rows(d, &both);
            if (both.rows > inner->rows + user->rows) continue;
            memcpy(user->in, both.in, d->most);
            memcpy(user->lender, both.lender, d->nregisters * sizeof *both.lender);
            user->rows = both.rows;
            inner->merged = true;
        }
}

bool clause_decompose(struct grounder *g, uint32_t number, double most)
{
    const struct clause c =
        g->clauses.v[number]; /* a copy: the vector may move; what it points to does not */
    struct decomposition d = {.g = g, .rule = c.rule, .predicate = c.predicate, .nregisters = c.nregisters};
    uint32_t width = g->predicates.v[c.predicate].table.width, body = c.nbody - c.nbuild;
    d.in_head = heap_cut(g->heap, c.nregisters + 1);
    d.least = heap_cut(g->heap, (c.nregisters + 1) * sizeof *d.least);
    memset(d.in_head, 0, c.nregisters + 1);
    for (uint32_t i = 0; i < width; i++)
        if (is_register(c.head[i])) d.in_head[register_of(c.head[i])] = true;
    for (uint32_t i = body; i < c.nbody; i++)
        for (uint32_t k = 0; k < c.body[i].nargs; k++)
            if (is_register(c.body[i].args[k])) d.in_head[register_of(c.body[i].args[k])] = true;
    for (uint32_t i = 0; i < body; i++) unit_add(&d, &c.body[i]);
    d.originals = d.units.n;
    d.most = d.units.n + c.nregisters + 1;
    if (most <= 0) most = join_rows(&d, NULL, true, NULL) * WORTH_IT;
    eliminate(&d);
    d.steps.n = best_end(&d, most);
    d.units.n = d.originals + d.steps.n;
    merge(&d);
    bool split = d.steps.n > 0;
    if (split) {
        VEC(struct item) items = {0};
        for (uint32_t i = 0; i < d.steps.n; i++) {
            if (!d.steps.v[i].merged) bucket_apply(&d, &d.steps.v[i]);
            for (uint32_t u = 0; u < d.units.n; u++) d.units.v[u].live &= !d.steps.v[i].in[u];
            d.units.v[d.steps.v[i].number].live &= !d.steps.v[i].merged;
        }
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
    vec_free(g->heap, &d.steps);
    return split;
}
