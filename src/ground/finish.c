// SPDX-License-Identifier: GPL-3.0-or-later
/* The ground program as the circuit wants it: atoms numbered facts first, then moves by role, then those
 * derived atoms that something asks for; rules grouped by head. */
#include "ground/ground_internal.h"

#include <stdlib.h>

struct finishing {
    struct grounder *g;
    struct ground *out;
    uint32_t *number; /* by old atom: the new one, or NONE */
    uint32_t *start;  /* by old atom: where its instances begin in `order` */
    uint32_t *order;  /* instances by head */
    struct vec_u32 todo;
    VEC(struct table_slot) seen; /* scratch of drop_repeated */
    const struct predicate **of; /* by new atom: predicate and row it comes from */
    uint32_t *row;
};

static uint32_t kind_of(const struct grounder *g, const struct predicate *p, enum keyword k)
{
    return p->visible && p->relation == g->program->keyword[k];
}

/* Instances by head: a counting sort. */
static void group(struct finishing *f)
{
    struct grounder *g = f->g;
    f->start = heap_zalloc(g->heap, ((size_t)g->natoms + 2) * sizeof *f->start);
    f->order = heap_alloc(g->heap, ((size_t)g->instances.n + 1) * sizeof *f->order);
    for (uint32_t i = 0; i < g->instances.n; i++) f->start[g->instances.v[i].head + 2]++;
    for (uint32_t i = 2; i < g->natoms + 2; i++) f->start[i] += f->start[i - 1];
    for (uint32_t i = 0; i < g->instances.n; i++) f->order[f->start[g->instances.v[i].head + 1]++] = i;
}

/* An output asks for this atom; GROUND_NONE for one that is never true. Its number is given later. */
static void ask(struct finishing *f, uint32_t atom)
{
    if (f->number[atom] != NONE) return;
    f->number[atom] = 0;
    vec_push(f->g->heap, &f->todo, atom);
}

/* Number the facts and the moves. */
static void number_inputs(struct finishing *f)
{
    struct grounder *g = f->g;
    struct ground *out = f->out;
    uint32_t n = 0, roles = predicate_find(g, g->program->keyword[KW_ROLE], 0, 0);
    const struct table *role = &g->predicates.v[roles].table;
    out->nroles = role->rows;
    for (uint32_t i = 0; i < g->predicates.n; i++) {
        const struct predicate *p = &g->predicates.v[i];
        for (uint32_t r = 0; kind_of(g, p, KW_TRUE) && r < p->table.rows; r++) f->number[p->base + r] = n++;
    }
    out->nfacts = n;
    out->move_base = heap_alloc(out->heap, (out->nroles + 1) * sizeof *out->move_base);
    for (uint32_t k = 0; k < out->nroles; k++) {
        out->move_base[k] = n;
        for (uint32_t i = 0; i < g->predicates.n; i++) {
            const struct predicate *p = &g->predicates.v[i];
            for (uint32_t r = 0; kind_of(g, p, KW_DOES) && r < p->table.rows; r++)
                if (table_row(&p->table, r)[0] == *table_row(role, k)) f->number[p->base + r] = n++;
        }
    }
    out->move_base[out->nroles] = n;
    out->natoms = n;
}

static bool read_value(const struct grounder *g, term x, uint32_t *value)
{
    const struct term_node *n = term_get(g->terms, x);
    const char *s = symbol_name(g->terms, n->head);
    char *end;
    if (n->nargs || *s < '0' || *s > '9') return false;
    unsigned long v = strtoul(s, &end, 10);
    *value = (uint32_t)v;
    return *end == '\0' && v <= UINT32_MAX;
}

/* Ask for what the outputs are. */
static void ask_outputs(struct finishing *f)
{
    struct grounder *g = f->g;
    struct ground *out = f->out;
    const struct table *role = &g->predicates.v[predicate_find(g, g->program->keyword[KW_ROLE], 0, 0)].table;
    for (uint32_t i = 0; i < g->predicates.n; i++) {
        const struct predicate *p = &g->predicates.v[i];
        bool terminal = kind_of(g, p, KW_TERMINAL), next = kind_of(g, p, KW_NEXT);
        bool legal = kind_of(g, p, KW_LEGAL), goal = kind_of(g, p, KW_GOAL);
        if (!terminal && !next && !legal && !goal) continue;
        for (uint32_t r = 0; r < p->table.rows; r++) {
            const uint32_t *row = table_row(&p->table, r);
            uint32_t value = 0, player = legal || goal ? table_find(role, row) : 0;
            if (player == NO_ROW || (goal && !read_value(g, row[1], &value))) continue;
            ask(f, p->base + r);
            if (goal) vec_push(out->heap, &out->goals, (struct ground_goal){player, value, p->base + r});
            if (terminal) out->terminal = p->base;
        }
    }
}

/* What the outputs asked for asks on. */
static void ask_on(struct finishing *f)
{
    struct grounder *g = f->g;
    while (f->todo.n) {
        uint32_t atom = vec_pop(&f->todo);
        for (uint32_t i = f->start[atom]; i < f->start[atom + 1]; i++) {
            const struct instance *x = &g->instances.v[f->order[i]];
            for (uint32_t k = 0; k < x->n; k++) ask(f, g->literals.v[x->first + k] >> 1);
        }
        heap_poll(g->heap);
    }
}

/* Number the derived atoms in the order of their predicates, and remember where each atom comes from. */
static void number_derived(struct finishing *f)
{
    struct grounder *g = f->g;
    struct ground *out = f->out;
    for (uint32_t i = 0; i < g->predicates.n; i++) {
        const struct predicate *p = &g->predicates.v[i];
        if (!p->visible || kind_of(g, p, KW_TRUE) || kind_of(g, p, KW_DOES)) continue;
        for (uint32_t r = 0; r < p->table.rows; r++)
            if (f->number[p->base + r] != NONE) f->number[p->base + r] = out->natoms++;
    }
    f->of = heap_alloc(g->heap, ((size_t)out->natoms + 1) * sizeof *f->of);
    f->row = heap_alloc(g->heap, ((size_t)out->natoms + 1) * sizeof *f->row);
    for (uint32_t i = 0; i < g->predicates.n; i++) {
        const struct predicate *p = &g->predicates.v[i];
        for (uint32_t r = 0; p->visible && r < p->table.rows; r++) {
            uint32_t atom = f->number[p->base + r];
            if (atom != NONE) f->of[atom] = p, f->row[atom] = r;
        }
    }
}

/* The term of row r: (true (cell 1 1 b)) from (1 1 b), and what it carries alone in *carried. */
static term atom_term(struct grounder *g, const struct predicate *p, uint32_t r, term *carried)
{
    const uint32_t *row = p->table.width ? table_row(&p->table, r) : NULL;
    const struct relation *relation = &g->program->relations.v[p->relation];
    int carrier = carrier_argument(g, p->relation);
    if (carrier < 0) return term_make(g->terms, relation->name, row, p->table.width);
    term args[2];
    if (carrier) args[0] = row[0];
    args[carrier] = p->functor ? term_make(g->terms, p->functor, row + carrier, p->arity) : row[carrier];
    *carried = args[carrier];
    return term_make(g->terms, relation->name, args, (uint32_t)carrier + 1);
}

/* The row with the same columns in a predicate of another keyword, as a new atom; or GROUND_NONE. */
static uint32_t counterpart(struct finishing *f, uint32_t atom, enum keyword k)
{
    struct grounder *g = f->g;
    const struct predicate *p = f->of[atom];
    uint32_t other = predicate_find(g, g->program->keyword[k], p->functor, p->arity);
    if (other == NONE) return GROUND_NONE;
    const struct predicate *q = &g->predicates.v[other];
    uint32_t row = table_find(&q->table, table_row(&p->table, f->row[atom]));
    return row == NO_ROW || !q->visible ? GROUND_NONE : f->number[q->base + row];
}

static void write_atoms(struct finishing *f)
{
    struct grounder *g = f->g;
    struct ground *out = f->out;
    uint32_t moves = out->move_base[out->nroles] - out->nfacts;
    out->atom = heap_zalloc(out->heap, ((size_t)out->natoms + 1) * sizeof *out->atom);
    out->fact = heap_alloc(out->heap, ((size_t)out->nfacts + 1) * sizeof *out->fact);
    out->init = heap_zalloc(out->heap, (size_t)out->nfacts + 1);
    out->next = heap_alloc(out->heap, ((size_t)out->nfacts + 1) * sizeof *out->next);
    out->move = heap_alloc(out->heap, ((size_t)moves + 1) * sizeof *out->move);
    out->legal = heap_alloc(out->heap, ((size_t)moves + 1) * sizeof *out->legal);
    for (uint32_t a = 0; a < out->natoms; a++) {
        const struct predicate *p = f->of[a];
        term carried = 0;
        if (p->relation != HELPER_RELATION) out->atom[a] = atom_term(g, p, f->row[a], &carried);
        if (a < out->nfacts) {
            uint32_t init = predicate_find(g, g->program->keyword[KW_INIT], p->functor, p->arity);
            out->fact[a] = carried;
            out->next[a] = counterpart(f, a, KW_NEXT);
            out->init[a] = init != NONE && table_find(&g->predicates.v[init].table,
                                                      table_row(&p->table, f->row[a])) != NO_ROW;
        } else if (a < out->nfacts + moves) {
            out->move[a - out->nfacts] = carried;
            out->legal[a - out->nfacts] = counterpart(f, a, KW_LEGAL);
        }
        heap_poll(g->heap);
    }
    if (out->terminal != GROUND_NONE) out->terminal = f->number[out->terminal];
    for (uint32_t i = 0; i < out->goals.n; i++) out->goals.v[i].atom = f->number[out->goals.v[i].atom];
}

/* Drop what the instances of one head have twice; if one of them has no body, it alone says all. Returns how
 * many are left of the n at `list`. */
static uint32_t drop_repeated(struct finishing *f, uint32_t *list, uint32_t n)
{
    struct grounder *g = f->g;
    uint32_t kept = 0, size = 16;
    for (uint32_t i = 0; i < n; i++)
        if (!g->instances.v[list[i]].n) {
            list[0] = list[i];
            return 1;
        }
    if (n < 2) return n;
    while (size < n + n / 2) size *= 2;
    vec_resize_zero(g->heap, &f->seen, size);
    memset(f->seen.v, 0, size * sizeof *f->seen.v);
    for (uint32_t i = 0; i < n; i++) {
        const struct instance *x = &g->instances.v[list[i]];
        uint32_t hash = (uint32_t)(instance_hash(g, x) >> 32), at = hash & (size - 1);
        for (; f->seen.v[at].row1; at = (at + 1) & (size - 1))
            if (f->seen.v[at].hash == hash && instance_same(g, &g->instances.v[f->seen.v[at].row1 - 1], x))
                break;
        if (f->seen.v[at].row1) continue;
        f->seen.v[at] = (struct table_slot){list[i] + 1, hash};
        list[kept++] = list[i];
    }
    return kept;
}

static void write_rules(struct finishing *f)
{
    struct grounder *g = f->g;
    struct ground *out = f->out;
    for (uint32_t a = 0; a < out->natoms; a++) {
        uint32_t old = f->of[a]->base + f->row[a];
        uint32_t *list = f->order + f->start[old], n = f->start[old + 1] - f->start[old];
        n = drop_repeated(f, list, n);
        for (uint32_t i = 0; i < n; i++) {
            const struct instance *x = &g->instances.v[list[i]];
            vec_push(out->heap, &out->rules, (struct ground_rule){a, out->literals.n, x->n});
            for (uint32_t k = 0; k < x->n; k++) {
                uint32_t l = g->literals.v[x->first + k];
                vec_push(out->heap, &out->literals, f->number[l >> 1] << 1 | (l & 1));
            }
            heap_poll(g->heap);
        }
    }
}

void finish(struct grounder *g, struct ground *out)
{
    struct finishing f = {.g = g, .out = out};
    out->terminal = GROUND_NONE;
    f.number = heap_alloc(g->heap, ((size_t)g->natoms + 1) * sizeof *f.number);
    memset(f.number, 0xff, ((size_t)g->natoms + 1) * sizeof *f.number);
    group(&f);
    number_inputs(&f);
    ask_outputs(&f);
    ask_on(&f);
    number_derived(&f);
    write_atoms(&f);
    write_rules(&f);
}
