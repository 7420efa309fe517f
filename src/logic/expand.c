// SPDX-License-Identifier: GPL-3.0-or-later
/* Bodies to conjunctions of literals: a stack of goals still to do, copied at every `or`. Negation is pushed
 * inwards as goals are taken up, so that (not (or a b)) becomes two goals and (not (and a b)) a choice. */
#include "logic/normalise.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define MAX_ALTERNATIVES 4096

struct goal {
    uint32_t node;
    bool negated;
    const struct goal *next; /* what comes after it; shared between alternatives */
};

struct expansion {
    struct norm *n;
    struct draft draft;
    uint32_t alternatives;
    uint32_t depth; /* choices under way: each has another alternative still to come */
    bool bad;
    uint32_t *slots, mask; /* names by hash: number + 1; rules with a hundred thousand variables exist */
};

static uint32_t name_hash(const char *s, size_t n)
{
    uint32_t h = 2166136261u; /* FNV-1a, whatever the case */
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)tolower((unsigned char)s[i])) * 16777619u;
    return h ^ h >> 15;
}

static void grow_names(struct expansion *x)
{
    uint32_t size = x->mask ? 2 * (x->mask + 1) : 16;
    heap_release(x->n->heap, x->slots);
    x->slots = heap_zalloc(x->n->heap, size * sizeof *x->slots);
    x->mask = size - 1;
    for (uint32_t k = 0; k < x->draft.names.n; k++) {
        uint32_t i = name_hash(x->draft.names.v[k], strlen(x->draft.names.v[k])) & x->mask;
        while (x->slots[i]) i = (i + 1) & x->mask;
        x->slots[i] = k + 1;
    }
}

static term variable(struct expansion *x, uint32_t node)
{
    struct norm *n = x->n;
    const char *s = node_text(n->syntax, node);
    uint32_t length = n->syntax->nodes.v[node].length;
    if (2 * x->draft.names.n >= x->mask) grow_names(x);
    uint32_t i = name_hash(s, length) & x->mask;
    for (; x->slots[i]; i = (i + 1) & x->mask) {
        const char *name = x->draft.names.v[x->slots[i] - 1];
        if (strncasecmp(name, s, length) == 0 && name[length] == '\0')
            return term_variable(n->program->terms, x->slots[i] - 1);
    }
    vec_push(n->heap, &x->draft.names, heap_strdup(n->heap, s, length));
    x->slots[i] = x->draft.names.n;
    return term_variable(n->program->terms, x->draft.names.n - 1);
}

/* A node as a term; 0 after an error was reported. `argument`: it stands inside another one. */
static term make_term(struct expansion *x, uint32_t node, bool argument)
{
    struct norm *n = x->n;
    struct terms *terms = n->program->terms;
    const struct node *d = &n->syntax->nodes.v[node];
    if (d->kind == NODE_VARIABLE) return variable(x, node);
    if (d->kind == NODE_ATOM)
        return term_atom(terms, symbol_intern(terms, node_text(n->syntax, node), d->length));
    uint32_t head = d->first;
    if (!head || n->syntax->nodes.v[head].kind != NODE_ATOM) {
        norm_report(n, true, "bad-term", node, "write (name argument ...)", "%s must begin with a name",
                    argument ? "a term" : "a statement");
        return 0;
    }
    symbol name = symbol_intern(terms, node_text(n->syntax, head), n->syntax->nodes.v[head].length);
    term few[16] = {0}, *args = d->children <= 16 ? few : heap_alloc(n->heap, d->children * sizeof *args);
    uint32_t nargs = 0;
    bool bad = false;
    for (uint32_t c = n->syntax->nodes.v[head].next; c; c = n->syntax->nodes.v[c].next) {
        args[nargs] = make_term(x, c, true);
        bad |= !args[nargs++];
    }
    term t = bad                      ? 0
             : nargs == 0 && argument ? term_bracketed(terms, name)
                                      : term_make(terms, name, args, nargs);
    if (args != few) heap_release(n->heap, args);
    return t;
}

/* How a keyword is written, for hints. */
static const char *keyword_usage(symbol s)
{
    static const char *const usage[KW_COUNT] = {[KW_ROLE] = "write (role NAME)",
                                                [KW_INIT] = "write (init FACT)",
                                                [KW_TRUE] = "write (true FACT)",
                                                [KW_NEXT] = "write (next FACT)",
                                                [KW_DOES] = "write (does ROLE MOVE)",
                                                [KW_LEGAL] = "write (legal ROLE MOVE)",
                                                [KW_GOAL] = "write (goal ROLE VALUE)",
                                                [KW_TERMINAL] = "write terminal",
                                                [KW_DISTINCT] = "write (distinct TERM TERM)"};
    return usage[s];
}

/* An atom of the logic, head or body: checks what holds for every use of a keyword as a relation. */
static term make_atom(struct expansion *x, uint32_t node, bool in_head)
{
    struct norm *n = x->n;
    if (n->syntax->nodes.v[node].kind == NODE_VARIABLE) {
        norm_report(n, true, "variable-atom", node, "a variable stands for an object, not for a statement",
                    "'%.*s' cannot be used as a statement", NODE_EXCERPT(n, node));
        return 0;
    }
    term t = make_term(x, node, false);
    if (!t) return 0;
    const struct term_node *d = term_get(n->program->terms, t);
    int arity = keyword_arity(d->head);
    if (arity >= 0 && d->nargs != (uint32_t)arity) {
        bool hint_only = d->head == KW_BASE || d->head == KW_INPUT;
        norm_report(n, !hint_only, "keyword-arity", node,
                    hint_only ? "base and input are hints; this one is ignored" : keyword_usage(d->head),
                    "'%s' takes %d argument%s, not %u", symbol_name(n->program->terms, d->head), arity,
                    arity == 1 ? "" : "s", d->nargs);
        return 0;
    }
    if (in_head && (d->head == KW_TRUE || d->head == KW_DOES || d->head == KW_DISTINCT || d->head == KW_NOT ||
                    d->head == KW_OR || d->head == KW_AND || d->head == KW_ARROW)) {
        norm_report(n, true, "forbidden-head", node,
                    d->head == KW_TRUE   ? "did you mean init or next?"
                    : d->head == KW_DOES ? "did you mean legal?"
                                         : NULL,
                    "'%s' cannot be the head of a rule", symbol_name(n->program->terms, d->head));
        return 0;
    }
    return t;
}

static const struct goal *push(struct norm *n, uint32_t node, bool negated, const struct goal *next)
{
    struct goal *g = heap_cut(n->heap, sizeof *g);
    *g = (struct goal){node, negated, next};
    return g;
}

/* Children in order, then `next`. */
static const struct goal *push_siblings(struct norm *n, uint32_t first, bool negated, const struct goal *next)
{
    if (!first) return next;
    const struct goal *list = NULL;
    struct goal **tail = (struct goal **)&list;
    for (uint32_t c = first; c; c = n->syntax->nodes.v[c].next) {
        struct goal *g = heap_cut(n->heap, sizeof *g);
        *g = (struct goal){c, negated, NULL};
        *tail = g;
        tail = (struct goal **)&g->next;
    }
    *tail = (struct goal *)next;
    return list;
}

static void expand(struct expansion *x, const struct goal *goals);

static void too_many(struct expansion *x)
{
    norm_report(x->n, true, "too-many-alternatives", x->draft.node,
                "give parts of the body a relation of their own",
                "the 'or's of this rule multiply to more than %d rules", MAX_ALTERNATIVES);
    x->bad = true;
}

static void choose(struct expansion *x, uint32_t first, bool negated, const struct goal *rest)
{
    struct norm *n = x->n;
    uint32_t mark = x->draft.body.n;
    if (++x->depth > MAX_ALTERNATIVES) too_many(x);
    for (uint32_t c = first; c && !x->bad; c = n->syntax->nodes.v[c].next) {
        expand(x, push(n, c, negated, rest));
        x->draft.body.n = mark;
    }
    x->depth--;
}

static void expand(struct expansion *x, const struct goal *goals)
{
    struct norm *n = x->n;
    for (; goals && !x->bad; heap_poll(n->heap)) {
        uint32_t node = goals->node;
        bool negated = goals->negated;
        const struct node *d = &n->syntax->nodes.v[node];
        uint32_t head = d->kind == NODE_LIST ? d->first : 0;
        uint32_t args = head ? n->syntax->nodes.v[head].next : 0;
        bool is_or = head && node_is(n->syntax, head, "or"), is_and = head && node_is(n->syntax, head, "and");
        if (head && node_is(n->syntax, head, "not")) {
            if (d->children != 2) {
                norm_report(n, true, "keyword-arity", node, "write (not STATEMENT)",
                            "'not' takes 1 argument, not %u", d->children - 1);
                x->bad = true;
                return;
            }
            goals = push(n, args, !negated, goals->next);
        } else if (is_or || is_and) {
            if (is_and)
                norm_report(n, false, "and-in-body", node,
                            "the literals of a body are joined by 'and' anyway", "'and' is not part of GDL");
            if (!args)
                norm_report(n, false, "empty-connective", node, NULL, "'%s' without arguments is always %s",
                            is_or ? "or" : "and", is_or ? "false" : "true");
            bool choice = is_or != negated;
            if (choice && d->children != 2) {
                choose(x, args, negated, goals->next);
                return;
            }
            goals = push_siblings(n, args, negated, goals->next);
        } else {
            term atom = make_atom(x, node, false);
            if (!atom) {
                x->bad = true;
                return;
            }
            const struct term_node *a = term_get(n->program->terms, atom);
            struct literal l = {
                .kind = negated ? LITERAL_NEGATIVE : LITERAL_POSITIVE, .atom = atom, .node = node};
            if (a->head == KW_DISTINCT)
                l.kind =
                    negated ? LITERAL_POSITIVE : LITERAL_DISTINCT; /* (not (distinct a b)): an equation */
            vec_push(n->heap, &x->draft.body, l);
            goals = goals->next;
        }
    }
    if (x->bad) return;
    if (++x->alternatives > MAX_ALTERNATIVES) {
        too_many(x);
        return;
    }
    /* finish_rule works on a copy: the draft goes on to the next alternative. */
    struct draft copy = {.head = x->draft.head, .node = x->draft.node, .head_node = x->draft.head_node};
    for (uint32_t i = 0; i < x->draft.body.n; i++) vec_push(n->heap, &copy.body, x->draft.body.v[i]);
    for (uint32_t i = 0; i < x->draft.names.n; i++) vec_push(n->heap, &copy.names, x->draft.names.v[i]);
    x->bad = !finish_rule(n, &copy);
    vec_free(n->heap, &copy.body);
    vec_free(n->heap, &copy.names);
}

void expand_rule(struct norm *n, uint32_t form, uint32_t head, uint32_t body)
{
    struct expansion x = {.n = n, .draft = {.node = form, .head_node = head}};
    x.draft.head = make_atom(&x, head, true);
    if (x.draft.head) expand(&x, push_siblings(n, body, false, NULL));
    vec_free(n->heap, &x.draft.body);
    vec_free(n->heap, &x.draft.names);
    heap_release(n->heap, x.slots);
}
