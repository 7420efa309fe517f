// SPDX-License-Identifier: GPL-3.0-or-later
/* Rules become sums of products: an atom is the OR of its rules' bodies. Three steps make them small.
 *
 * 1. A move that is made is legal: conditions of legality are dropped from products that contain the move.
 * 2. Products that differ only in the move made by one role are joined: x·m1 + x·m2 + ... = x·(m1 + m2 +
 * ...), and since exactly one move is made, the sum of most moves is the negation of the sum of the rest.
 * This is what turns frame axioms, "the cell keeps its piece unless one of these three moves is made", from
 * thousands of products into one.
 * 3. What is left is factored by the most frequent literal: l·a + l·b + c = l·(a + b) + c, recursively.
 */
#include "circuit/factor.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Drop from the cube what the legality of its (positive) moves implies. */
static void use_legality(struct net *net, edge *e, uint32_t *n)
{
    for (uint32_t i = 0; i < *n; i++) {
        if (!net_is_move(net, e[i]) || (e[i] & 1)) continue;
        edge legal = net->legal[(e[i] >> 1) - 1 - net->nbits];
        if (legal == EDGE_TRUE) continue;
        struct net_node g = net->nodes.v[legal >> 1];
        bool conjunction = g.n && !(legal & 1);
        uint32_t kept = 0, shift = 0;
        for (uint32_t j = 0; j < *n; j++) {
            bool implied = e[j] == legal;
            for (uint32_t k = 0; k < g.n && conjunction && !implied; k++)
                implied = net->pool.v[g.first + k] == e[j];
            if (implied && j < i) shift++;
            if (!implied) e[kept++] = e[j];
        }
        *n = kept;
        i -= shift;
    }
}

static void tidy_cubes(struct net *net, struct sop *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->cubes.n; i++) {
        struct cube c = s->cubes.v[i];
        edge *e = s->lits.v + c.first;
        c.n = net_simplify(net, e, c.n);
        if (c.n == UINT32_MAX) continue;
        use_legality(net, e, &c.n);
        s->cubes.v[kept++] = c;
    }
    s->cubes.n = kept;
}

/* Joining products that differ in one role's move. */
struct product {
    uint64_t rest; /* hash of the other literals */
    uint32_t cube, move;
};

static int by_rest(const void *a, const void *b)
{
    const struct product *x = a, *y = b;
    if (x->rest != y->rest) return x->rest < y->rest ? -1 : 1;
    return x->cube < y->cube ? -1 : x->cube > y->cube;
}

/* The position of the cube's positive move of the role, or UINT32_MAX. */
static uint32_t find_move(const struct net *net, const edge *e, uint32_t n, uint32_t role)
{
    for (uint32_t i = 0; i < n; i++)
        if (net_is_move(net, e[i]) && !(e[i] & 1) && net->move_role[(e[i] >> 1) - 1 - net->nbits] == role)
            return i;
    return UINT32_MAX;
}

static bool same_rest(const struct sop *s, const struct product *a, const struct product *b)
{
    const struct cube *x = &s->cubes.v[a->cube], *y = &s->cubes.v[b->cube];
    if (x->n != y->n) return false;
    const edge *ex = s->lits.v + x->first, *ey = s->lits.v + y->first;
    for (uint32_t i = 0, j = 0; i < x->n || j < y->n; i++, j++) {
        if (i == a->move) i++;
        if (j == b->move) j++;
        if ((i < x->n) != (j < y->n)) return false;
        if (i < x->n && ex[i] != ey[j]) return false;
    }
    return true;
}

/* The OR of some moves of a role (edges, distinct): said with the others if those are fewer. */
static edge some_move(struct net *net, uint32_t role, edge *moves, uint32_t n)
{
    uint32_t base = net->move_base[role] - net->move_base[0],
             total = net->move_base[role + 1] - net->move_base[role];
    if (n == total) return EDGE_TRUE;
    if (n <= total / 2) return net_or(net, moves, n);
    bool *in = heap_zalloc(net->heap, total + 1);
    for (uint32_t i = 0; i < n; i++) in[(moves[i] >> 1) - 1 - net->nbits - base] = true;
    edge *others = heap_alloc(net->heap, (total + 1) * sizeof *others);
    uint32_t m = 0;
    for (uint32_t i = 0; i < total; i++)
        if (!in[i]) others[m++] = net_move(net, base + i) ^ 1;
    edge e = net_and(net, others, m);
    heap_release(net->heap, in);
    heap_release(net->heap, others);
    return e;
}

static void join_moves(struct net *net, struct sop *s, uint32_t role)
{
    struct heap *heap = net->heap;
    VEC(struct product) list = {0};
    for (uint32_t i = 0; i < s->cubes.n; i++) {
        const edge *e = s->lits.v + s->cubes.v[i].first;
        uint32_t at = find_move(net, e, s->cubes.v[i].n, role);
        if (at == UINT32_MAX) continue;
        uint64_t h = s->cubes.v[i].n;
        for (uint32_t j = 0; j < s->cubes.v[i].n; j++)
            if (j != at) h = hash_mix(h, e[j]);
        vec_push(heap, &list, (struct product){h, i, at});
    }
    if (list.n > 1) qsort(list.v, list.n, sizeof *list.v, by_rest);
    VEC(edge) moves = {0};
    bool joined = false;
    for (uint32_t from = 0, to; from < list.n; from = to) {
        vec_clear(&moves);
        for (to = from;
             to < list.n && list.v[to].rest == list.v[from].rest && same_rest(s, &list.v[from], &list.v[to]);
             to++) {
            const struct cube *c = &s->cubes.v[list.v[to].cube];
            edge m = s->lits.v[c->first + list.v[to].move];
            bool seen = false; /* the same rule twice */
            for (uint32_t i = 0; i < moves.n && !seen && moves.n < 64; i++) seen = moves.v[i] == m;
            if (!seen) vec_push(heap, &moves, m);
        }
        if (to - from < 2) continue;
        if (moves.n >= 64) { /* remove repetitions the quick look missed */
            uint32_t n = net_simplify(net, moves.v, moves.n);
            if (n == UINT32_MAX) { /* several positive moves: sorted now, but "false" as a conjunction;
                                      repetitions are adjacent */
                n = 0;
                for (uint32_t i = 0; i < moves.n; i++)
                    if (n == 0 || moves.v[n - 1] != moves.v[i]) moves.v[n++] = moves.v[i];
            }
            moves.n = n;
        }
        /* The first cube takes over: its move becomes the sum. The others go. */
        struct cube *c = &s->cubes.v[list.v[from].cube];
        uint32_t at = list.v[from].move;
        edge sum = some_move(net, role, moves.v, moves.n);
        s->lits.v[c->first + at] = sum;
        if (sum == EDGE_TRUE) {
            s->lits.v[c->first + at] = s->lits.v[c->first + c->n - 1];
            c->n--;
        }
        for (uint32_t i = from + 1; i < to; i++) s->cubes.v[list.v[i].cube].n = UINT32_MAX;
        joined = true;
    }
    if (joined) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < s->cubes.n; i++) {
            struct cube c = s->cubes.v[i];
            if (c.n == UINT32_MAX) continue;
            c.n = net_simplify(net, s->lits.v + c.first, c.n);
            if (c.n != UINT32_MAX) s->cubes.v[kept++] = c;
        }
        s->cubes.n = kept;
    }
    vec_free(heap, &list);
    vec_free(heap, &moves);
}

static edge product(struct net *net, struct sop *s, const struct cube *c)
{
    edge few[64] = {0}, *e = c->n < 64 ? few : heap_alloc(net->heap, (c->n + 1) * sizeof *e);
    if (c->n) memcpy(e, s->lits.v + c->first, c->n * sizeof *e);
    edge r = net_and(net, e, c->n);
    if (e != few) heap_release(net->heap, e);
    return r;
}

/* Factoring by the most frequent literal. Works on a run of cubes that it may reorder; cubes give up the
 * literals taken out in front (first moves on, n goes down) after the literal was swapped there. */
static edge factor(struct net *net, struct sop *s, struct cube *cubes, uint32_t n, uint32_t depth)
{
    struct heap *heap = net->heap;
    if (n == 0) return EDGE_FALSE;
    if (n == 1) return product(net, s, &cubes[0]);
    vec_resize_zero(heap, &s->count, net->nodes.n * 2 + 2);
    VEC(edge) seen = {0}, terms = {0};
    VEC(struct cube) groups = {0}; /* first: first cube, n: number of cubes */
    VEC(edge) group_lit = {0};
    bool certain = false;
    for (uint32_t i = 0; i < n; i++) {
        certain |= cubes[i].n == 0;
        for (uint32_t j = 0; j < cubes[i].n; j++) {
            edge e = s->lits.v[cubes[i].first + j];
            if (s->count.v[e]++ == 0) vec_push(heap, &seen, e);
        }
    }
    uint32_t rest = 0; /* cubes[rest..n-1] are not yet in a group */
    while (!certain && rest + 1 < n && depth < 200) {
        edge best = 0;
        uint32_t most = 1;
        for (uint32_t i = 0; i < seen.n; i++)
            if (s->count.v[seen.v[i]] > most) most = s->count.v[best = seen.v[i]];
        if (most < 2) break;
        uint32_t first = rest;
        for (uint32_t i = rest; i < n; i++) {
            edge *e = s->lits.v + cubes[i].first;
            uint32_t at = 0;
            while (at < cubes[i].n && e[at] != best) at++;
            if (at == cubes[i].n) continue;
            for (uint32_t j = 0; j < cubes[i].n; j++) s->count.v[e[j]]--;
            memmove(e + 1, e, at * sizeof *e); /* keeps the others sorted */
            struct cube c = {cubes[i].first + 1, cubes[i].n - 1};
            cubes[i] = cubes[rest];
            cubes[rest++] = c;
        }
        vec_push(heap, &groups, (struct cube){first, rest - first});
        vec_push(heap, &group_lit, best);
        heap_poll(heap);
    }
    for (uint32_t i = 0; i < seen.n; i++) s->count.v[seen.v[i]] = 0;
    edge result;
    if (certain) {
        result = EDGE_TRUE;
    } else {
        for (uint32_t g = 0; g < groups.n; g++) {
            edge inner[2] = {factor(net, s, cubes + groups.v[g].first, groups.v[g].n, depth + 1),
                             group_lit.v[g]};
            vec_push(heap, &terms, net_and(net, inner, 2));
        }
        for (uint32_t i = rest; i < n; i++) vec_push(heap, &terms, product(net, s, &cubes[i]));
        result = net_or(net, terms.v, terms.n);
    }
    vec_free(heap, &seen);
    vec_free(heap, &terms);
    vec_free(heap, &groups);
    vec_free(heap, &group_lit);
    return result;
}

edge factor_sop(struct net *net, struct sop *s)
{
    tidy_cubes(net, s);
    for (uint32_t r = 0; r < net->nroles && s->cubes.n > 1; r++) join_moves(net, s, r);
    return factor(net, s, s->cubes.v, s->cubes.n, 0);
}
