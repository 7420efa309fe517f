// SPDX-License-Identifier: GPL-3.0-or-later
/* What the rest needs to know before it starts: which relations matter, and which functors facts and moves
 * can have. The second is a question only for rules with a variable for a whole fact or move; where such a
 * variable comes out of nowhere we know of (an argument of some other relation), any functor of any head is
 * taken as possible. */
#include "ground/ground_internal.h"

int carrier_argument(const struct grounder *g, uint32_t relation)
{
    const uint32_t *keyword = g->program->keyword;
    if (relation == keyword[KW_TRUE] || relation == keyword[KW_INIT] || relation == keyword[KW_NEXT])
        return 0;
    if (relation == keyword[KW_DOES] || relation == keyword[KW_LEGAL]) return 1;
    return -1;
}

static void find_relevant(struct grounder *g)
{
    const struct program *p = g->program;
    static const enum keyword roots[] = {KW_ROLE, KW_INIT, KW_NEXT, KW_LEGAL, KW_GOAL, KW_TERMINAL};
    g->relevant = heap_zalloc(g->heap, p->relations.n);
    struct vec_u32 todo = {0};
    for (uint32_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        g->relevant[p->keyword[roots[i]]] = true;
        vec_push(g->heap, &todo, p->keyword[roots[i]]);
    }
    while (todo.n) {
        const struct relation *r = &p->relations.v[vec_pop(&todo)];
        for (uint32_t i = 0; i < r->rules.n; i++) {
            const struct rule *rule = &p->rules.v[r->rules.v[i]];
            for (uint32_t k = 0; k < rule->nbody; k++) {
                if (rule->body[k].kind == LITERAL_DISTINCT || g->relevant[rule->body[k].relation]) continue;
                g->relevant[rule->body[k].relation] = true;
                vec_push(g->heap, &todo, rule->body[k].relation);
            }
        }
    }
    vec_free(g->heap, &todo);
}

static void add_functor(struct grounder *g, bool moves, struct functor f)
{
    uint32_t carrier = g->program->keyword[moves ? KW_DOES : KW_TRUE];
    if (predicate_find(g, carrier, f.name, f.arity) != NONE) return;
    predicate_get(g, carrier, f.name, f.arity);
    if (moves)
        vec_push(g->heap, &g->move_functors, f);
    else
        vec_push(g->heap, &g->fact_functors, f);
}

static struct functor functor_of(const struct terms *t, term x)
{
    const struct term_node *n = term_get(t, x);
    return n->nargs ? (struct functor){n->head, n->nargs} : (struct functor){0, 0};
}

static void add_nested(struct grounder *g, bool moves, term x)
{
    const struct term_node *n = term_get(g->terms, x);
    if (!n->variable) add_functor(g, moves, functor_of(g->terms, x));
    for (uint32_t i = 0; i < n->nargs; i++) add_nested(g, moves, term_arg(g->terms, x, i));
}

/* Every functor an argument of some head can have. */
static void add_any(struct grounder *g, bool moves)
{
    const struct program *p = g->program;
    for (uint32_t i = 0; i < p->rules.n; i++)
        for (uint32_t k = 0; k < term_get(g->terms, p->rules.v[i].head)->nargs; k++)
            add_nested(g, moves, term_arg(g->terms, p->rules.v[i].head, k));
}

static bool carries(const struct grounder *g, const struct literal *l, bool moves, term variable)
{
    if (l->kind != LITERAL_POSITIVE || carrier_argument(g, l->relation) != moves) return false;
    return term_arg(g->terms, l->atom, moves) == variable;
}

static bool body_carries(const struct grounder *g, const struct rule *r, bool moves, term variable)
{
    for (uint32_t i = 0; i < r->nbody; i++)
        if (carries(g, &r->body[i], moves, variable)) return true;
    return false;
}

void shapes_find(struct grounder *g)
{
    const struct program *p = g->program;
    find_relevant(g);
    bool from_other[2] = {false},
         from_any[2] = {false}; /* facts that are moves, moves that are facts; by kind */
    for (uint32_t i = 0; i < p->rules.n; i++) {
        const struct rule *r = &p->rules.v[i];
        int moves = carrier_argument(g, r->relation);
        if (moves < 0) continue;
        term x = term_arg(g->terms, r->head, (uint32_t)moves);
        if (!term_get(g->terms, x)->variable)
            add_functor(g, moves, functor_of(g->terms, x));
        else if (body_carries(g, r, !moves, x))
            from_other[moves] = true;
        else if (!body_carries(g, r, moves, x))
            from_any[moves] = true;
    }
    for (int round = 0; round < 2; round++)
        for (int moves = 0; moves < 2; moves++) {
            if (from_any[moves]) add_any(g, moves);
            if (!from_other[moves]) continue;
            if (moves)
                for (uint32_t i = 0; i < g->fact_functors.n; i++) add_functor(g, true, g->fact_functors.v[i]);
            else
                for (uint32_t i = 0; i < g->move_functors.n; i++)
                    add_functor(g, false, g->move_functors.v[i]);
        }
}
