// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/features.h"

const char *const feature_names[FEATURE_COUNT] = {"negation", "recursion", "functions", "nested functions",
                                                  "or",       "distinct",  "base",      "input"};

/* `depth`: how many terms that are neither facts nor moves are around this one. */
static void look_at_term(const struct terms *t, term x, uint32_t depth, struct features *f)
{
    const struct term_node *node = term_get(t, x);
    if (node->variable || node->nargs == 0) return;
    if (depth > 0) f->uses[FEATURE_FUNCTIONS] = true;
    if (depth > 1) f->uses[FEATURE_NESTED] = true;
    for (uint32_t i = 0; i < node->nargs; i++) look_at_term(t, term_arg(t, x, i), depth + 1, f);
}

static void look_at_atom(const struct program *p, uint32_t relation, term atom, struct features *f)
{
    bool keyword = p->relations.v[relation].name < KW_COUNT;
    for (uint32_t i = 0; i < term_get(p->terms, atom)->nargs; i++)
        look_at_term(p->terms, term_arg(p->terms, atom, i), keyword ? 0 : 1, f);
}

static void look_at_rule(const struct program *p, const struct rule *rule, struct features *f)
{
    symbol name = p->relations.v[rule->relation].name;
    f->uses[FEATURE_BASE] |= name == KW_BASE;
    f->uses[FEATURE_INPUT] |= name == KW_INPUT;
    look_at_atom(p, rule->relation, rule->head, f);
    for (uint32_t i = 0; i < rule->nbody; i++) {
        const struct literal *l = &rule->body[i];
        f->uses[FEATURE_NEGATION] |= l->kind == LITERAL_NEGATIVE;
        f->uses[FEATURE_DISTINCT] |= l->kind == LITERAL_DISTINCT;
        if (l->kind != LITERAL_DISTINCT) look_at_atom(p, l->relation, l->atom, f);
    }
}

struct features features_of(const struct game *game)
{
    const struct program *p = game->program;
    const struct syntax *s = game->syntax;
    struct features f = {.bytes = game->source->size};
    for (uint32_t i = 0; i < p->rules.n; i++) {
        look_at_rule(p, &p->rules.v[i], &f);
        if (p->relations.v[p->rules.v[i].relation].invented) continue;
        if (p->rules.v[i].nbody)
            f.rules++;
        else
            f.facts++;
    }
    for (uint32_t i = 0; i < p->relations.n; i++) {
        const struct relation *r = &p->relations.v[i];
        f.uses[FEATURE_RECURSION] |= r->recursive;
        if (r->invented || r->name < KW_COUNT || r->rules.n == 0) continue;
        f.relations++;
        if (relation_is_static(r))
            f.static_relations++;
        else if (r->needs_does)
            f.move_relations++;
        else
            f.state_relations++;
    }
    /* Disjunctions are multiplied out in the program: look for them in the text. */
    for (uint32_t i = 1; i < s->nodes.n; i++)
        if (s->nodes.v[i].kind == NODE_LIST && s->nodes.v[i].first && node_is(s, s->nodes.v[i].first, "or"))
            f.uses[FEATURE_OR] = true;
    return f;
}
