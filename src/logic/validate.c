// SPDX-License-Identifier: GPL-3.0-or-later
#include "logic/validate.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void validate_report(const struct program *p, struct diags *diags, bool error, const char *id, uint32_t node,
                     const char *hint, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const struct node *at = &p->syntax->nodes.v[node];
    diag_add(diags, error, id, node ? at->offset : DIAG_NOWHERE, at->length, hint, "%s", text);
}

/* ---- what must be there ---- */

static bool has_rules(const struct program *p, enum keyword k)
{
    return p->relations.v[p->keyword[k]].rules.n > 0;
}

/* Can something become true in a state where nothing is? Then the sheet may do without init. */
static bool starts_empty(const struct program *p)
{
    const struct relation *next = &p->relations.v[p->keyword[KW_NEXT]];
    for (uint32_t i = 0; i < next->rules.n; i++) {
        const struct rule *r = &p->rules.v[next->rules.v[i]];
        bool needs_state = false;
        for (uint32_t j = 0; j < r->nbody; j++)
            needs_state |= r->body[j].kind == LITERAL_POSITIVE && r->body[j].relation == p->keyword[KW_TRUE];
        if (!needs_state) return true;
    }
    return false;
}

static void check_presence(const struct program *p, struct diags *d)
{
    if (!has_rules(p, KW_ROLE))
        validate_report(p, d, true, "no-role", 0, "say who plays, as in (role white)", "there are no roles");
    if (!has_rules(p, KW_LEGAL))
        validate_report(p, d, true, "no-legal", 0, "write rules with the head (legal ROLE MOVE)",
                        "no move is ever legal");
    if (!has_rules(p, KW_TERMINAL))
        validate_report(p, d, true, "no-terminal", 0, "write a rule with the head terminal",
                        "the game never ends");
    if (!has_rules(p, KW_GOAL))
        validate_report(p, d, true, "no-goal", 0, "write rules with the head (goal ROLE VALUE)",
                        "there are no goals");
    if (!has_rules(p, KW_INIT) && !starts_empty(p))
        validate_report(p, d, false, "no-init", 0, "write facts such as (init (control white))",
                        "nothing is true in the initial state, and so nothing ever");
    if (!has_rules(p, KW_NEXT))
        validate_report(p, d, false, "no-next", 0, "write rules with the head (next FACT)",
                        "nothing is true after the first move");
}

/* ---- what may depend on what ---- */

/* The shortest way from a relation to one it depends on: came[r] is the rule and literal by which r was
 * reached. */
struct step {
    uint32_t from, literal_node;
};

static bool find_path(const struct program *p, struct heap *heap, uint32_t from, uint32_t to,
                      struct step *came)
{
    uint32_t n = p->relations.n, *queue = heap_alloc(heap, n * sizeof *queue), head = 0, tail = 0;
    for (uint32_t r = 0; r < n; r++) came[r].from = NO_RELATION;
    for (queue[tail++] = from; head < tail && came[to].from == NO_RELATION; head++) {
        const struct vec_u32 *rules = &p->relations.v[queue[head]].rules;
        for (uint32_t i = 0; i < rules->n; i++) {
            const struct rule *rule = &p->rules.v[rules->v[i]];
            for (uint32_t j = 0; j < rule->nbody; j++) {
                const struct literal *l = &rule->body[j];
                if (l->kind == LITERAL_DISTINCT || l->relation == from ||
                    came[l->relation].from != NO_RELATION)
                    continue;
                came[l->relation] = (struct step){queue[head], l->node};
                queue[tail++] = l->relation;
            }
        }
    }
    heap_release(heap, queue);
    return came[to].from != NO_RELATION;
}

/* Complain that `from` depends on `to`, which it does, and show how. */
static void report_dependency(const struct program *p, struct diags *d, bool error, const char *id,
                              enum keyword from, enum keyword to, const char *why)
{
    struct step *came = heap_alloc(d->heap, p->relations.n * sizeof *came);
    uint32_t start = p->keyword[from], r = p->keyword[to], node = 0;
    struct vec_u32 path = {0};
    if (find_path(p, d->heap, start, r, came))
        for (; r != start; r = came[r].from) {
            vec_push(d->heap, &path, r);
            node = came[r].literal_node;
        }
    struct text way;
    text_init(&way, d->heap);
    text_printf(&way, "%.*s", RELATION_NAME(p, start));
    for (uint32_t i = path.n; i-- > 0;)
        if (way.n < 200)
            text_printf(&way, " -> %.*s", RELATION_NAME(p, path.v[i]));
        else if (i == 0)
            text_printf(&way, " -> ... -> %.*s", RELATION_NAME(p, path.v[0]));
    validate_report(p, d, error, id, node, why, "'%.*s' depends on '%.*s': %s", RELATION_NAME(p, start),
                    RELATION_NAME(p, p->keyword[to]), text_str(&way));
    vec_free(d->heap, &path);
    heap_release(d->heap, came);
}

static void check_dependencies(const struct program *p, struct diags *d)
{
    static const struct {
        enum keyword from;
        bool on_true, on_does; /* forbidden */
        bool error;
        const char *why;
    } rules[] = {
        {KW_ROLE, true, true, true, "who plays must not change during the game"},
        {KW_INIT, true, true, true, "there is no state yet when the initial one is made"},
        {KW_LEGAL, false, true, true, "moves must be known before anybody makes them"},
        {KW_TERMINAL, false, true, true, "whether the game is over is a matter of the state alone"},
        {KW_GOAL, false, true, true, "what a state is worth is a matter of the state alone"},
        {KW_BASE, true, true, false, "base says what can ever be true, whatever is true now"},
        {KW_INPUT, true, true, false, "input says what can ever be legal, whatever is true now"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct relation *r = &p->relations.v[p->keyword[rules[i].from]];
        if (rules[i].on_does && r->needs_does)
            report_dependency(p, d, rules[i].error, "depends-on-does", rules[i].from, KW_DOES, rules[i].why);
        else if (rules[i].on_true && r->needs_true)
            report_dependency(p, d, rules[i].error, "depends-on-true", rules[i].from, KW_TRUE, rules[i].why);
    }
}

/* `next` and `init` belong into heads. In bodies they still have a meaning: what the rules for them derive.
 */
static void check_bodies(const struct program *p, struct diags *d)
{
    for (uint32_t i = 0; i < p->rules.n; i++)
        for (uint32_t j = 0; j < p->rules.v[i].nbody; j++) {
            const struct literal *l = &p->rules.v[i].body[j];
            if (l->kind == LITERAL_DISTINCT) continue;
            if (l->relation == p->keyword[KW_NEXT])
                validate_report(p, d, false, "next-in-body", l->node, "did you mean true?",
                                "'next' belongs into the heads of rules");
            else if (l->relation == p->keyword[KW_INIT])
                validate_report(p, d, false, "init-in-body", l->node, "did you mean true?",
                                "'init' belongs into the heads of rules");
        }
}

/* ---- roles ---- */

static bool has_role(const struct program *p, term t)
{
    const struct relation *role = &p->relations.v[p->keyword[KW_ROLE]];
    for (uint32_t i = 0; i < role->rules.n; i++)
        if (term_arg(p->terms, p->rules.v[role->rules.v[i]].head, 0) == t) return true;
    return false;
}

static void check_role_argument(const struct program *p, struct diags *d, uint32_t relation, term atom,
                                uint32_t node)
{
    if (relation != p->keyword[KW_LEGAL] && relation != p->keyword[KW_GOAL] &&
        relation != p->keyword[KW_DOES] && relation != p->keyword[KW_INPUT])
        return;
    term who = term_arg(p->terms, atom, 0);
    heap_poll_slow(d->heap);
    if (!term_get(p->terms, who)->ground || has_role(p, who)) return;
    struct text name;
    text_init(&name, d->heap);
    term_print(p->terms, who, false, NULL, &name);
    validate_report(p, d, false, "not-a-role", node, "only roles move and have goals; this changes nothing",
                    "'%.60s' is not a role", name.s);
    heap_release(d->heap, name.s);
}

/* Can a rule for `k` concern the role? */
static bool speaks_of(const struct program *p, enum keyword k, term role)
{
    const struct relation *r = &p->relations.v[p->keyword[k]];
    for (uint32_t i = 0; i < r->rules.n; i++) {
        term who = term_arg(p->terms, p->rules.v[r->rules.v[i]].head, 0);
        if (who == role || !term_get(p->terms, who)->ground) return true;
    }
    return false;
}

/* Only where all roles are given as facts: else who plays is not known before the rules are evaluated. */
static void check_roles(const struct program *p, struct diags *d)
{
    const struct relation *role = &p->relations.v[p->keyword[KW_ROLE]];
    for (uint32_t i = 0; i < role->rules.n; i++)
        if (p->rules.v[role->rules.v[i]].nbody ||
            !term_get(p->terms, p->rules.v[role->rules.v[i]].head)->ground)
            return;
    if (!role->rules.n) return;
    for (uint32_t i = 0; i < role->rules.n; i++) {
        const struct rule *fact = &p->rules.v[role->rules.v[i]];
        heap_poll_slow(d->heap);
        term who = term_arg(p->terms, fact->head, 0);
        if (has_rules(p, KW_LEGAL) && !speaks_of(p, KW_LEGAL, who))
            validate_report(p, d, true, "role-without-moves", fact->node,
                            "every role needs a legal move in every state, be it a noop",
                            "no rule ever gives this role a legal move");
        /* Chance wants nothing. */
        bool chance = strcasecmp(symbol_name(p->terms, term_get(p->terms, who)->head), CHANCE_ROLE) == 0;
        if (has_rules(p, KW_GOAL) && !chance && !speaks_of(p, KW_GOAL, who))
            validate_report(p, d, false, "role-without-goal", fact->node,
                            "every role needs a goal value in every final state",
                            "no rule ever gives this role a goal");
    }
    for (uint32_t i = 0; i < p->rules.n; i++) {
        const struct rule *r = &p->rules.v[i];
        check_role_argument(p, d, r->relation, r->head, r->head_node);
        for (uint32_t j = 0; j < r->nbody; j++)
            if (r->body[j].kind != LITERAL_DISTINCT)
                check_role_argument(p, d, r->body[j].relation, r->body[j].atom, r->body[j].node);
    }
}

/* ---- goals ---- */

static void check_goals(const struct program *p, struct diags *d)
{
    const struct relation *goal = &p->relations.v[p->keyword[KW_GOAL]];
    for (uint32_t i = 0; i < goal->rules.n; i++) {
        const struct rule *r = &p->rules.v[goal->rules.v[i]];
        term value = term_arg(p->terms, r->head, 1);
        if (!term_get(p->terms, value)->ground) continue;
        struct text s;
        text_init(&s, d->heap);
        term_print(p->terms, value, false, NULL, &s);
        char *end;
        long x = strtol(s.s, &end, 10);
        if (*end || end == s.s)
            validate_report(p, d, true, "goal-not-a-number", r->head_node,
                            "write a whole number from 0 to 100", "'%.60s' cannot be the value of a goal",
                            s.s);
        else if (x < 0 || x > 100)
            validate_report(p, d, true, "goal-out-of-range", r->head_node,
                            "write a whole number from 0 to 100", "goal value %.60s is not within 0..100",
                            s.s);
        heap_release(d->heap, s.s);
    }
}

/* A fact for legal or next holds in every state, which is seldom what was meant. */
static void check_facts(const struct program *p, struct diags *d)
{
    static const struct {
        enum keyword k;
        const char *id, *text, *hint;
    } facts[] = {
        {KW_LEGAL, "constant-legal", "this move is legal in every state", NULL},
        {KW_NEXT, "constant-next", "this becomes true after every move", NULL},
        {KW_TERMINAL, "constant-terminal", "the game is over before it begins",
         "write (<= terminal CONDITION...)"},
    };
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++) {
        const struct relation *r = &p->relations.v[p->keyword[facts[k].k]];
        for (uint32_t i = 0; i < r->rules.n; i++)
            if (p->rules.v[r->rules.v[i]].nbody == 0)
                validate_report(p, d, false, facts[k].id, p->rules.v[r->rules.v[i]].node, facts[k].hint, "%s",
                                facts[k].text);
    }
}

static void check_keywords(const struct program *p, struct diags *diags)
{
    check_dependencies(p, diags);
    check_bodies(p, diags);
    check_roles(p, diags);
    check_goals(p, diags);
    check_facts(p, diags);
}

void validate_program(const struct program *p, struct diags *diags)
{
    bool complete = diags->errors == 0; /* else a rule may be missing only because it was faulty */
    if (complete) check_presence(p, diags);
    check_keywords(p, diags);
    validate_vocabulary(p, diags, complete);
    validate_rules(p, diags);
}
