// SPDX-License-Identifier: GPL-3.0-or-later
/* The order of a coordinate's values: by number, along a static relation that chains them, or by name. */
#include "analysis/analysis_internal.h"

#include <ctype.h>
#include <stdlib.h>

#define AXIS_MAX 256 /* values of one coordinate, gaps filled */

long axis_number(const struct terms *t, term value)
{
    const struct term_node *node = term_get(t, value);
    const char *name = symbol_name(t, node->head);
    size_t n = strlen(name);
    if (node->nargs > 0 || n > 9 || strspn(name, "0123456789") != n) return -1;
    return strtol(name, NULL, 10);
}

struct ranked {
    term value;
    long rank;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Sort by rank; values that stand between them by rank and exist in the game are put in by the caller. */
static void put(const struct sample *s, struct ranked *ranked, uint32_t n, struct axis *out)
{
    qsort(ranked, n, sizeof *ranked, compare_ranked);
    out->n = n;
    out->value = heap_cut(s->heap, n * sizeof *out->value);
    for (uint32_t i = 0; i < n; i++) out->value[i] = ranked[i].value;
}

static bool by_number(const struct sample *s, const term *values, uint32_t n, struct axis *out)
{
    struct ranked ranked[AXIS_MAX];
    long low = 0, high = 0;
    for (uint32_t i = 0; i < n; i++) {
        ranked[i] = (struct ranked){values[i], axis_number(s->terms, values[i])};
        if (ranked[i].rank < 0) return false;
        if (i == 0 || ranked[i].rank < low) low = ranked[i].rank;
        if (i == 0 || ranked[i].rank > high) high = ranked[i].rank;
    }
    /* Fill gaps if they are few: a column that happened to stay empty is still a column. */
    uint32_t known = n;
    for (long x = low; high - low < 2 * (long)known && x <= high; x++) {
        char text[12];
        bool there = false;
        for (uint32_t i = 0; i < known && !there; i++) there = ranked[i].rank == x;
        symbol name = symbol_find(s->terms, text, (size_t)snprintf(text, sizeof text, "%ld", x));
        term value = there || !name ? 0 : term_find(s->terms, name, NULL, 0);
        if (value && n < AXIS_MAX) ranked[n++] = (struct ranked){value, x};
    }
    out->order = AXIS_NUMBERS;
    put(s, ranked, n, out);
    return true;
}

struct link {
    term from, to;
};

/* Follow one relation: true if all values lie on the chain, with the values between them. */
static bool along(const struct sample *s, const struct relation *relation, const term *values, uint32_t n,
                  bool round, struct axis *out)
{
    const struct program *program = s->game->program;
    VEC(struct link) links = {0};
    struct ranked ranked[AXIS_MAX];
    for (uint32_t i = 0; i < relation->rules.n; i++) {
        const struct rule *rule = &program->rules.v[relation->rules.v[i]];
        if (rule->nbody > 0 || rule->nvars > 0) continue;
        struct link link = {term_arg(program->terms, rule->head, 0), term_arg(program->terms, rule->head, 1)};
        vec_push(s->heap, &links, link);
    }
    bool chain = links.n > 0;
    /* A chain: nothing has two successors or two predecessors. */
    for (uint32_t i = 0; chain && i < links.n; i++)
        for (uint32_t j = 0; chain && j < i; j++)
            if (links.v[i].from == links.v[j].from || links.v[i].to == links.v[j].to) chain = false;
    uint32_t count = 0, found = 0;
    if (chain) {
        /* Go back from the first value as far as the chain leads (or once round), then forward. */
        term start = values[0];
        for (uint32_t step = 0; step < links.n; step++) {
            term before = 0;
            for (uint32_t i = 0; i < links.n && !before; i++)
                if (links.v[i].to == start) before = links.v[i].from;
            if (before == values[0] && !round) chain = false;
            if (!before || before == values[0]) break;
            start = before;
        }
        for (term at = start; chain && at && found < n && count < AXIS_MAX;) {
            bool wanted = false;
            for (uint32_t i = 0; i < n && !wanted; i++) wanted = values[i] == at;
            found += wanted;
            if (found) ranked[count] = (struct ranked){at, (long)count}, count++;
            term after = 0;
            for (uint32_t i = 0; i < links.n && !after; i++)
                if (links.v[i].from == at) after = links.v[i].to;
            at = after == start ? 0 : after;
        }
    }
    vec_free(s->heap, &links);
    if (found < n) return false;
    out->order = AXIS_SUCCESSOR;
    out->relation = relation->name;
    put(s, ranked, count, out);
    return true;
}

/* `round`: a relation that leads round in a circle will do; it has no beginning of its own. */
static bool by_successor(const struct sample *s, const term *values, uint32_t n, bool round, struct axis *out)
{
    const struct program *program = s->game->program;
    for (uint32_t i = 0; i < program->relations.n; i++) {
        const struct relation *r = &program->relations.v[i];
        /* 1000 facts: the search for chains is quadratic, and a coordinate has few values */
        if (r->arity == 2 && relation_is_static(r) && r->rules.n >= n - 1 && r->rules.n <= 1000 &&
            along(s, r, values, n, round, out))
            return true;
    }
    return false;
}

/* Single letters that nearly follow each other (not n, e, s, w), or a common prefix followed by a number. */
static bool by_name(const struct sample *s, const term *values, uint32_t n, struct axis *out)
{
    struct ranked ranked[AXIS_MAX];
    const char *first = symbol_name(s->terms, term_get(s->terms, values[0])->head);
    size_t prefix = strcspn(first, "0123456789");
    for (uint32_t i = 0; i < n; i++) {
        const char *name = symbol_name(s->terms, term_get(s->terms, values[i])->head);
        size_t digits = strspn(name + (strlen(name) > prefix ? prefix : 0), "0123456789");
        if (strlen(name) == 1 && isalpha((unsigned char)*name) && strlen(first) == 1)
            ranked[i] = (struct ranked){values[i], tolower((unsigned char)*name)};
        else if (prefix > 0 && strlen(name) == prefix + digits && digits > 0 && digits < 10 &&
                 strncasecmp(name, first, prefix) == 0)
            ranked[i] = (struct ranked){values[i], strtol(name + prefix, NULL, 10)};
        else
            return false;
    }
    out->order = AXIS_NAMES;
    put(s, ranked, n, out);
    return strlen(first) > 1 || ranked[n - 1].rank - ranked[0].rank < 2 * (long)n;
}

bool axis_order(const struct sample *s, const term *values, uint32_t n, struct axis *out)
{
    *out = (struct axis){0};
    if (n == 0 || n > AXIS_MAX) return false;
    if (by_number(s, values, n, out) || (n > 1 && by_successor(s, values, n, false, out)) ||
        by_name(s, values, n, out) || (n > 1 && by_successor(s, values, n, true, out)))
        return true;
    struct ranked ranked[AXIS_MAX];
    for (uint32_t i = 0; i < n; i++) ranked[i] = (struct ranked){values[i], (long)values[i]};
    out->order = AXIS_SHEET;
    put(s, ranked, n, out);
    return false;
}

bool axis_within(const struct axis *a, const struct axis *b)
{
    for (uint32_t i = 0; i < a->n; i++) {
        bool found = false;
        for (uint32_t j = 0; j < b->n && !found; j++) found = a->value[i] == b->value[j];
        if (!found) return false;
    }
    return true;
}
