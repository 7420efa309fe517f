// SPDX-License-Identifier: GPL-3.0-or-later
/* Three-valued simulation of all reachable states at once. An atom's possible values only grow: from {its
 * initial value} towards {true, false}. So instead of simulating step after step until nothing changes, every
 * growth is an event that is propagated once: time linear in the size of the ground program, however long the
 * game.
 *
 *     a rule can be true      when all its literals can be          (count down)
 *     a rule can be false     when one of its literals can be
 *     an atom can be true     when one of its rules can be
 *     an atom can be false    when all its rules can be             (count down)
 *     (true f) can be what f is initially and what (next f) can be;
 *     (does r m) can be true when (legal r m) can, false if the role has another move.
 *
 * On a positive cycle "all rules can be false" would wait for itself; such atoms are taken to be possibly
 * false from the start, which errs on the safe side.
 */
#include "circuit/constants.h"

#include <string.h>

struct simulation {
    struct heap *heap;
    const struct ground *g;
    uint8_t *can;        /* by atom */
    uint8_t *rule_can;   /* by rule */
    uint32_t *not_true;  /* by rule: literals that cannot be true so far */
    uint32_t *not_false; /* by atom: rules that cannot be false so far */
    uint32_t *use_first; /* by atom: rules it occurs in */
    uint32_t *uses;      /* rule << 1 | negated */
    uint32_t *fed_first,
        *fed; /* by derived atom: the inputs it feeds: fact << 1 (as next) or move atom << 1 | 1 (as legal) */
    struct vec_u32 events; /* atom << 1 | (0: can be true now, 1: can be false now) */
};

static void grow_atom(struct simulation *s, uint32_t atom, uint8_t value)
{
    if (s->can[atom] & value) return;
    s->can[atom] |= value;
    vec_push(s->heap, &s->events, atom << 1 | (value == CAN_BE_FALSE));
}

static void grow_rule(struct simulation *s, uint32_t rule, uint8_t value)
{
    if (s->rule_can[rule] & value) return;
    s->rule_can[rule] |= value;
    uint32_t head = s->g->rules.v[rule].head;
    if (value == CAN_BE_TRUE)
        grow_atom(s, head, CAN_BE_TRUE);
    else if (--s->not_false[head] == 0)
        grow_atom(s, head, CAN_BE_FALSE);
}

static void index_uses(struct simulation *s)
{
    const struct ground *g = s->g;
    s->use_first = heap_zalloc(s->heap, ((size_t)g->natoms + 2) * sizeof *s->use_first);
    s->uses = heap_alloc(s->heap, ((size_t)g->literals.n + 1) * sizeof *s->uses);
    for (uint32_t i = 0; i < g->literals.n; i++) s->use_first[(g->literals.v[i] >> 1) + 2]++;
    for (uint32_t a = 0; a < g->natoms; a++) s->use_first[a + 2] += s->use_first[a + 1];
    for (uint32_t r = 0; r < g->rules.n; r++)
        for (uint32_t i = g->rules.v[r].first, end = i + g->rules.v[r].n; i < end; i++) {
            uint32_t l = g->literals.v[i];
            s->uses[s->use_first[(l >> 1) + 1]++] = r << 1 | (l & 1);
        }
}

static void index_feeds(struct simulation *s)
{
    const struct ground *g = s->g;
    uint32_t nmoves = g->move_base[g->nroles] - g->move_base[0];
    s->fed_first = heap_zalloc(s->heap, ((size_t)g->natoms + 2) * sizeof *s->fed_first);
    s->fed = heap_alloc(s->heap, ((size_t)g->nfacts + nmoves + 1) * sizeof *s->fed);
    for (uint32_t f = 0; f < g->nfacts; f++)
        if (g->next[f] != GROUND_NONE) s->fed_first[g->next[f] + 2]++;
    for (uint32_t m = 0; m < nmoves; m++)
        if (g->legal[m] != GROUND_NONE) s->fed_first[g->legal[m] + 2]++;
    for (uint32_t a = 0; a < g->natoms; a++) s->fed_first[a + 2] += s->fed_first[a + 1];
    for (uint32_t f = 0; f < g->nfacts; f++)
        if (g->next[f] != GROUND_NONE) s->fed[s->fed_first[g->next[f] + 1]++] = f << 1;
    for (uint32_t m = 0; m < nmoves; m++)
        if (g->legal[m] != GROUND_NONE) s->fed[s->fed_first[g->legal[m] + 1]++] = (g->nfacts + m) << 1 | 1;
}

static void start(struct simulation *s, const bool *cyclic)
{
    const struct ground *g = s->g;
    for (uint32_t f = 0; f < g->nfacts; f++) {
        grow_atom(s, f, g->init[f] ? CAN_BE_TRUE : CAN_BE_FALSE);
        if (g->next[f] == GROUND_NONE) grow_atom(s, f, CAN_BE_FALSE);
    }
    for (uint32_t r = 0; r < g->nroles; r++)
        for (uint32_t a = g->move_base[r]; a < g->move_base[r + 1]; a++)
            if (g->move_base[r + 1] - g->move_base[r] > 1) grow_atom(s, a, CAN_BE_FALSE);
    uint32_t inputs = g->move_base[g->nroles];
    for (uint32_t i = 0; i < g->rules.n; i++) {
        s->not_true[i] = g->rules.v[i].n;
        s->not_false[g->rules.v[i].head]++;
    }
    for (uint32_t a = inputs; a < g->natoms; a++)
        if (s->not_false[a] == 0 || cyclic[a]) grow_atom(s, a, CAN_BE_FALSE);
    for (uint32_t i = 0; i < g->rules.n; i++)
        if (g->rules.v[i].n == 0) grow_rule(s, i, CAN_BE_TRUE);
}

static void propagate(struct simulation *s)
{
    while (s->events.n) {
        uint32_t event = vec_pop(&s->events), atom = event >> 1;
        bool is_false = event & 1;
        for (uint32_t i = s->use_first[atom]; i < s->use_first[atom + 1]; i++) {
            uint32_t rule = s->uses[i] >> 1;
            bool literal_false = is_false != (s->uses[i] & 1);
            if (literal_false)
                grow_rule(s, rule, CAN_BE_FALSE);
            else if (--s->not_true[rule] == 0)
                grow_rule(s, rule, CAN_BE_TRUE);
        }
        for (uint32_t i = s->fed_first[atom]; i < s->fed_first[atom + 1]; i++) {
            uint32_t input = s->fed[i] >> 1;
            bool is_move = s->fed[i] & 1;
            if (!is_move)
                grow_atom(s, input, is_false ? CAN_BE_FALSE : CAN_BE_TRUE);
            else if (!is_false)
                grow_atom(s, input, CAN_BE_TRUE);
        }
        heap_poll(s->heap);
    }
}

uint8_t *constants_find(struct heap *heap, const struct ground *g, const bool *cyclic)
{
    struct simulation s = {.heap = heap, .g = g};
    s.can = heap_zalloc(heap, (size_t)g->natoms + 1);
    s.rule_can = heap_zalloc(heap, (size_t)g->rules.n + 1);
    s.not_true = heap_zalloc(heap, ((size_t)g->rules.n + 1) * sizeof *s.not_true);
    s.not_false = heap_zalloc(heap, ((size_t)g->natoms + 1) * sizeof *s.not_false);
    index_uses(&s);
    index_feeds(&s);
    start(&s, cyclic);
    propagate(&s);
    heap_release(heap, s.rule_can);
    heap_release(heap, s.not_true);
    heap_release(heap, s.not_false);
    heap_release(heap, s.use_first);
    heap_release(heap, s.uses);
    heap_release(heap, s.fed_first);
    heap_release(heap, s.fed);
    vec_free(heap, &s.events);
    return s.can;
}
