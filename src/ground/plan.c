// SPDX-License-Identifier: GPL-3.0-or-later
/* The order of a join: after the first always the item next that is expected to leave the fewest rows,
 * filters as soon as they can be decided. The expectation is the plain one: a known column of a table with d
 * different values in it keeps one row in d. Which item should be first is found by trying each. */
#include "ground/ground_internal.h"

#define MAX_TRIES 4000 /* looks at an item while choosing the first one */
#define LONG_BODY 200  /* items, from which on not all that are left are looked at */
#define MAX_STEPS 4000 /* of one plan */
#define LOOK_AHEAD 50  /* ... but so many */

struct planning {
    struct grounder *g;
    const struct clause *c;
    const struct range *ranges; /* by positive item */
    bool emit;
    bool *known;   /* by register */
    bool *matters; /* by register: the head needs it, or a literal of the ground rule does */
    bool *placed;  /* by item */
    uint32_t from; /* no item before it is left */
    VEC(struct step) steps;
    VEC(struct transfer) transfers;
};

static bool is_known(const struct planning *p, operand o)
{
    return !is_register(o) || p->known[register_of(o)];
}

static void mark_operands(bool *used, const struct item *item)
{
    for (uint32_t k = 0; k < item->nargs; k++)
        if (is_register(item->args[k])) used[register_of(item->args[k])] = true;
}

static void mark_what_matters(struct planning *p)
{
    const struct clause *c = p->c;
    for (uint32_t k = 0; k < p->g->predicates.v[c->predicate].table.width; k++)
        if (is_register(c->head[k])) p->matters[register_of(c->head[k])] = true;
    for (uint32_t i = c->nbody - c->nbuild; i < c->nbody; i++) mark_operands(p->matters, &c->body[i]);
    for (uint32_t i = 0; p->emit && i < c->nbody - c->nbuild; i++)
        if (c->body[i].kind == ITEM_NEGATIVE && !item_is_exact(p->g, &c->body[i]))
            mark_operands(p->matters, &c->body[i]);
}

static struct table *table_of(const struct planning *p, const struct item *item)
{
    return &p->g->predicates.v[item->predicate].table;
}

/* Rows expected for one assignment to what is known now. */
static double expected_rows(const struct planning *p, uint32_t i)
{
    const struct item *item = &p->c->body[i];
    const struct table *t = table_of(p, item);
    if (item->kind == ITEM_TERM) {
        bool all = true;
        for (uint32_t k = 1; k < item->nargs; k++) all &= is_known(p, item->args[k]);
        if (all || is_known(p, item->args[0])) return 0.9;
    }
    double rows = i < p->c->npositive ? p->ranges[i].to - p->ranges[i].from : t->rows;
    for (uint32_t k = 0; k < item->nargs; k++) {
        bool fixed = is_known(p, item->args[k]);
        for (uint32_t b = 0; b < k && !fixed; b++) fixed = item->args[b] == item->args[k];
        if (fixed && t->distinct && t->distinct[k] > 1) rows /= t->distinct[k];
    }
    return rows;
}

static bool filter_ready(const struct planning *p, const struct item *item)
{
    if (item->kind == ITEM_NEGATIVE && !item_is_exact(p->g, item)) return false; /* taken as possible */
    for (uint32_t k = item->kind == ITEM_BUILD; k < item->nargs; k++)
        if (!is_known(p, item->args[k])) return false;
    return true;
}

static void place_filters(struct planning *p)
{
    uint32_t end = p->c->nbody - p->c->nbuild;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = p->c->npositive; i < end; i++) {
            const struct item *item = &p->c->body[i];
            if (p->placed[i] || item->kind == ITEM_TERM || !filter_ready(p, item)) continue;
            p->placed[i] = true;
            struct step s = {.kind = STEP_FILTER, .item = i, .predicate = item->predicate};
            if (item->kind == ITEM_BUILD) {
                s.kind = STEP_BUILD;
                p->known[register_of(item->args[0])] = true;
                again = true;
            }
            vec_push(p->g->heap, &p->steps, s);
        }
    }
}

/* Note what happens to each column of the row found. Counts now, pointers once the vector is complete. */
static void add_transfers(struct planning *p, struct step *s, const struct item *item)
{
    bool *fresh = heap_zalloc(p->g->heap, item->nargs + 1);
    for (uint32_t k = 0; k < item->nargs; k++) {
        if (is_known(p, item->args[k])) continue;
        p->known[register_of(item->args[k])] = true;
        fresh[k] = true;
        vec_push(p->g->heap, &p->transfers, (struct transfer){k, item->args[k]});
        s->nset++;
    }
    for (uint32_t k = 0; k < item->nargs; k++) {
        if (fresh[k] || s->kind == STEP_MEMBER || (s->kind == STEP_PROBE && k < 64 && s->columns >> k & 1))
            continue;
        if (s->kind == STEP_APART && k == 0) continue;
        vec_push(p->g->heap, &p->transfers, (struct transfer){k, item->args[k]});
        s->ncheck++;
    }
    heap_release(p->g->heap, fresh);
}

static void place_item(struct planning *p, uint32_t i)
{
    const struct item *item = &p->c->body[i];
    struct step s = {.kind = STEP_SCAN, .item = i, .predicate = item->predicate};
    bool all = true, joined = false;
    for (uint32_t k = 0; k < item->nargs; k++) {
        bool known = is_known(p, item->args[k]);
        if (known && k < TABLE_MAX_KEY) s.columns |= UINT64_C(1) << k;
        joined |= known && is_register(item->args[k]);
        all &= known || (k == 0 && item->kind == ITEM_TERM);
    }
    if (item->kind == ITEM_TERM && is_known(p, item->args[0]))
        s.kind = STEP_APART;
    else if (item->kind == ITEM_TERM && all)
        s.kind = STEP_LOOK_UP;
    else if (all)
        s.kind = STEP_MEMBER;
    else if (s.columns)
        s.kind = STEP_PROBE;
    /* A few new rows are sooner read than an index is kept up to date. */
    if (s.kind == STEP_PROBE && i < p->c->npositive && !joined &&
        (p->ranges[i].to - p->ranges[i].from) * 2u < table_of(p, item)->rows)
        s.kind = STEP_SCAN;
    if (s.kind == STEP_LOOK_UP) {
        p->known[register_of(item->args[0])] = true;
    } else {
        add_transfers(p, &s, item);
    }
    p->placed[i] = true;
    vec_push(p->g->heap, &p->steps, s);
}

static bool is_joined(const struct item *item)
{
    return item->kind == ITEM_POSITIVE || item->kind == ITEM_TERM;
}

/* The item that is expected to leave the fewest rows, or NONE when all are placed. */
static uint32_t best_item(struct planning *p, double *fewest)
{
    uint32_t best = NONE, looked = 0, most = p->c->nbody > LONG_BODY ? LOOK_AHEAD : UINT32_MAX;
    heap_poll(p->g->heap);
    while (p->from < p->c->nbody && (p->placed[p->from] || !is_joined(&p->c->body[p->from]))) p->from++;
    for (uint32_t i = p->from; i < p->c->nbody && looked < most; i++) {
        if (p->placed[i] || !is_joined(&p->c->body[i])) continue;
        looked++;
        double rows = expected_rows(p, i);
        if (best == NONE || rows < *fewest) best = i, *fewest = rows;
    }
    return best;
}

static void know_item(struct planning *p, uint32_t i)
{
    p->placed[i] = true;
    for (uint32_t k = 0; k < p->c->body[i].nargs; k++)
        if (is_register(p->c->body[i].args[k])) p->known[register_of(p->c->body[i].args[k])] = true;
}

static bool all_that_matters(const struct planning *p)
{
    for (uint32_t r = 0; r < p->c->nregisters; r++)
        if (p->matters[r] && !p->known[r]) return false;
    return true;
}

/* Rows expected to be tried when item `first` comes first. Gives up beyond `limit`. Once all that matters is
 * known, the rest is a question of yes or no, and answered by the first match. */
static double try_first(struct planning *p, uint32_t first, double limit)
{
    memset(p->known, 0, p->c->nregisters);
    memset(p->placed, 0, p->c->nbody);
    p->from = 0;
    double each = expected_rows(p, first), rows = 1, total = 0;
    bool quiet = !p->emit && all_that_matters(p);
    for (uint32_t i = first; i != NONE && total < limit; i = best_item(p, &each)) {
        know_item(p, i);
        rows *= quiet && each > 1 ? 1 : each;
        total += rows > 0.01 ? rows : 0.01;
        quiet = quiet || (!p->emit && all_that_matters(p));
    }
    return total;
}

/* Try each item as the first; of long bodies only the smallest ones, as far as MAX_TRIES goes. */
static uint32_t choose_first(struct planning *p)
{
    const struct clause *c = p->c;
    uint32_t n = 0, first = NONE, tries;
    for (uint32_t i = 0; i < c->nbody; i++) n += is_joined(&c->body[i]);
    tries = n <= 1 || c->nbody > LONG_BODY ? 0 : MAX_TRIES / (n * n) + 2;
    bool *tried = heap_zalloc(p->g->heap, c->nbody + 1);
    double least = 0;
    for (uint32_t k = 0; k < n && k < tries; k++) {
        uint32_t next = NONE;
        double fewest = 0;
        memset(p->known, 0, c->nregisters);
        for (uint32_t i = 0; i < c->nbody; i++) {
            if (tried[i] || !is_joined(&c->body[i])) continue;
            double rows = expected_rows(p, i);
            if (next == NONE || rows < fewest) next = i, fewest = rows;
        }
        tried[next] = true;
        double total = try_first(p, next, first == NONE ? 1e300 : least);
        if (first == NONE || total < least) first = next, least = total;
    }
    heap_release(p->g->heap, tried);
    memset(p->known, 0, c->nregisters);
    memset(p->placed, 0, c->nbody);
    p->from = 0;
    double fewest;
    return first != NONE ? first : best_item(p, &fewest);
}

static void order_items(struct planning *p)
{
    double fewest;
    uint32_t next = choose_first(p);
    for (place_filters(p); next != NONE; next = best_item(p, &fewest)) {
        place_item(p, next);
        place_filters(p);
    }
}

/* From the last step to the first: which registers are needed after it, and does anything that matters still
 * happen from here on? */
static void mark_cuts(struct planning *p)
{
    const struct clause *c = p->c;
    struct grounder *g = p->g;
    bool *used = heap_zalloc(g->heap, c->nregisters + 1);
    const bool *matters = p->matters;
    memcpy(used, matters, c->nregisters);
    bool quiet = true; /* nothing that matters is set from the current step on */
    for (uint32_t k = p->steps.n; k-- > 0;) {
        struct step *s = &p->steps.v[k];
        const struct item *item = &c->body[s->item];
        bool counts = p->emit && item->kind == ITEM_POSITIVE && !item_is_exact(g, item);
        bool needed = counts;
        quiet &= !counts;
        for (uint32_t i = 0; i < s->nset; i++) {
            uint32_t r = register_of(s->set[i].with);
            needed |= used[r];
            quiet &= !matters[r];
        }
        if (s->kind == STEP_BUILD || s->kind == STEP_LOOK_UP) quiet &= !matters[register_of(item->args[0])];
        s->once = !needed;
        s->exists = quiet;
        mark_operands(used, item);
    }
    heap_release(g->heap, used);
}

void plan_make(struct grounder *g, const struct clause *c, struct plan *plan, const struct range *ranges,
               bool emit)
{
    plan_free(g, plan);
    struct planning p = {.g = g, .c = c, .ranges = ranges, .emit = emit};
    p.known = heap_zalloc(g->heap, c->nregisters + 1);
    p.placed = heap_zalloc(g->heap, c->nbody + 1);
    p.matters = heap_zalloc(g->heap, c->nregisters + 1);
    mark_what_matters(&p);
    plan->sizes = heap_alloc(g->heap, (c->npositive + 1) * sizeof *plan->sizes);
    for (uint32_t i = 0; i < c->nbody; i++) {
        if (i < c->npositive) plan->sizes[i] = ranges[i].to - ranges[i].from;
        if (i < c->npositive || c->body[i].kind == ITEM_TERM)
            table_count(g->heap, table_of(&p, &c->body[i]), &g->stamps, g->terms->nodes.n);
    }
    order_items(&p);
    struct transfer *next = p.transfers.v;
    for (uint32_t k = 0; k < p.steps.n; k++) {
        struct step *s = &p.steps.v[k];
        s->set = next;
        s->check = next + s->nset;
        next = s->check + s->ncheck;
    }
    if (p.steps.n > MAX_STEPS) /* joins go as deep as they have steps, and the stack ends somewhere */
        heap_fail(g->heap, ERROR_MEMORY, "a rule has more than %d conditions", MAX_STEPS);
    mark_cuts(&p);
    plan->steps = p.steps.v;
    plan->nsteps = p.steps.n;
    plan->transfers = p.transfers.v;
    plan->made = true;
    heap_release(g->heap, p.known);
    heap_release(g->heap, p.placed);
    heap_release(g->heap, p.matters);
}

void plan_free(struct grounder *g, struct plan *plan)
{
    heap_release(g->heap, plan->steps);
    heap_release(g->heap, plan->transfers);
    heap_release(g->heap, plan->sizes);
    *plan = (struct plan){0};
}
