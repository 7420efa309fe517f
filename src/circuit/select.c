// SPDX-License-Identifier: GPL-3.0-or-later
/* What the move made selects.
 *
 * "The piece that stood where the move begins is now where it ends" is, for each cell and piece, a sum over
 * all moves that end there: m1·x1 + m2·x2 + ..., with x what the state says. Written out these are moves
 * times pieces. But a role makes exactly one move, so the selection can be done once for all cells:
 *
 *     G = sum of m·x over all moves of the role            (moves with the same x joined: where it begins)
 *     F = D·G                                              D = sum of the moves that end here
 *
 * which holds wherever all sums that share a G agree on the x of each move: a move outside D makes D false,
 * so for F it does not matter what it selects. Sums that agree and have an x in common are gathered in
 * clusters; one G is made for each cluster that has many more products than different x and sums.
 */
#include "base/hash.h"
#include "circuit/lists.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST = 3, WIDEST = 8, GAIN = 2 };
#define NONE UINT32_MAX

/* A product, or as much of it as one role makes: one of some moves, and x. */
struct part {
    uint32_t product; /* the gate; parts of one follow each other */
    edge x;
    uint32_t first, n; /* moves.v: net moves */
    uint32_t cluster;  /* or NONE */
};

/* A gate that reads products inverted: the inverse of a sum, perhaps with more. */
struct sum {
    uint32_t gate;
    uint32_t first, n; /* parts */
};

struct cluster {
    uint32_t into;           /* it was joined with that one; itself if not */
    struct vec_u32 moves, x; /* side by side: what each of its moves selects */
    uint32_t parts, sums;
    edge made; /* G, or false */
};

struct entry {
    uint64_t key; /* 0 = empty */
    uint32_t value;
};

struct table {
    struct entry *v;
    uint32_t mask, used;
};

struct selector {
    struct heap *heap;
    struct lists *l;
    VEC(struct cluster) clusters;
    VEC(struct part) parts;
    VEC(struct sum) sums;
    struct vec_u32 moves;
    struct table chosen;  /* cluster, move -> x */
    struct table home;    /* role, x -> cluster */
    struct table factors; /* fingerprint of some inputs -> the gate that joins them */
};

static uint32_t *look_up(struct heap *heap, struct table *t, uint64_t key)
{
    if (t->used * 2 >= t->mask) {
        struct table old = *t;
        t->mask = old.v ? old.mask * 2 + 1 : 1023;
        t->v = heap_zalloc(heap, ((size_t)t->mask + 1) * sizeof *t->v);
        t->used = 0;
        for (uint32_t i = 0; old.v && i <= old.mask; i++)
            if (old.v[i].key) *look_up(heap, t, old.v[i].key) = old.v[i].value;
        heap_release(heap, old.v);
    }
    uint32_t i = (uint32_t)hash_mix(key, 3) & t->mask;
    while (t->v[i].key && t->v[i].key != key) i = (i + 1) & t->mask;
    if (!t->v[i].key) t->v[i] = (struct entry){key, NONE}, t->used++;
    return &t->v[i].value;
}

static uint64_t key_of(uint32_t a, uint32_t b)
{
    return ((uint64_t)a + 1) << 32 | b;
}

static uint32_t root_of(const struct selector *s, uint32_t c)
{
    while (s->clusters.v[c].into != c) c = s->clusters.v[c].into;
    return c;
}

/* --- Products ------------------------------------------------------------------------------------------- */

static bool is_move(const struct selector *s, uint32_t node)
{
    return node > s->l->net->nbits && node < net_inputs(s->l->net);
}

/* An OR of moves, as an inverted gate? */
static bool is_sum(const struct selector *s, edge e)
{
    const struct vec_u32 *in = &s->l->in[e >> 1];
    if (!(e & 1) || in->n == 0) return false;
    for (uint32_t i = 0; i < in->n; i++)
        if (!(in->v[i] & 1) || !is_move(s, in->v[i] >> 1)) return false;
    return true;
}

/* The AND of some inputs that do not depend on moves. */
static edge join(struct selector *s, const edge *e, uint32_t n)
{
    if (n == 1) return e[0];
    uint64_t h = n;
    for (uint32_t i = 0; i < n; i++) h = hash_mix(h, e[i]);
    uint32_t *found = look_up(s->heap, &s->factors, h | 1);
    if (*found != NONE) {
        const struct vec_u32 *in = &s->l->in[*found];
        if (in->n == n && memcmp(in->v, e, n * sizeof *e) == 0) return *found << 1;
    }
    uint32_t gate = lists_add(s->l);
    for (uint32_t i = 0; i < n; i++) vec_push(s->heap, &s->l->in[gate], e[i]);
    *found = gate;
    return gate << 1;
}

/* Is the gate a product of moves and what does not depend on moves? Its parts are added, one for each role.
 */
static void read_product(struct selector *s, uint32_t gate)
{
    const struct net *net = s->l->net;
    const struct vec_u32 *in = &s->l->in[gate];
    edge x[WIDEST], some = EDGE_TRUE;
    uint32_t n = 0;
    if (in->n < 2 || in->n > WIDEST) return;
    for (uint32_t i = 0; i < in->n; i++) {
        edge e = in->v[i];
        if (e >> 1 >= net->nodes.n) return;
        if (!s->l->moved[e >> 1]) {
            x[n++] = e;
        } else if (some == EDGE_TRUE && ((is_move(s, e >> 1) && !(e & 1)) || is_sum(s, e))) {
            some = e;
        } else {
            return;
        }
    }
    if (n == 0 || some == EDGE_TRUE) return;
    edge joined = join(s, x, n);
    const struct vec_u32 one = {.v = &some, .n = 1};
    const struct vec_u32 *moves = is_move(s, some >> 1) ? &one : &s->l->in[some >> 1];
    uint32_t before = s->parts.n;
    for (uint32_t i = 0; i < moves->n; i++) { /* sorted, so by roles */
        uint32_t move = (moves->v[i] >> 1) - 1 - net->nbits, at = s->moves.n;
        bool same = s->parts.n > before &&
                    net->move_role[s->moves.v[vec_last(&s->parts).first]] == net->move_role[move];
        vec_push(s->heap, &s->moves, move);
        if (same)
            vec_last(&s->parts).n++;
        else
            vec_push(s->heap, &s->parts, (struct part){gate, joined, at, 1, NONE});
    }
}

/* --- Clusters ------------------------------------------------------------------------------------------- */

static uint32_t role_of(const struct selector *s, const struct part *p)
{
    return s->l->net->move_role[s->moves.v[p->first]];
}

static bool agrees(struct selector *s, const struct part *p, uint32_t cluster)
{
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t x = *look_up(s->heap, &s->chosen, key_of(cluster, s->moves.v[p->first + i]));
        if (x != NONE && x != p->x) return false;
    }
    return true;
}

static void add_move(struct selector *s, uint32_t cluster, uint32_t move, edge x)
{
    uint32_t *at = look_up(s->heap, &s->chosen, key_of(cluster, move));
    if (*at != NONE) return;
    *at = x;
    vec_push(s->heap, &s->clusters.v[cluster].moves, move);
    vec_push(s->heap, &s->clusters.v[cluster].x, x);
}

/* Make one of two clusters if they agree. */
static uint32_t unite(struct selector *s, uint32_t a, uint32_t b)
{
    if (s->clusters.v[a].moves.n < s->clusters.v[b].moves.n) {
        uint32_t t = a;
        a = b;
        b = t;
    }
    struct cluster *small = &s->clusters.v[b];
    for (uint32_t i = 0; i < small->moves.n; i++) {
        uint32_t x = *look_up(s->heap, &s->chosen, key_of(a, small->moves.v[i]));
        if (x != NONE && x != small->x.v[i]) return NONE;
    }
    for (uint32_t i = 0; i < small->moves.n; i++) add_move(s, a, small->moves.v[i], small->x.v[i]);
    s->clusters.v[a].parts += small->parts;
    s->clusters.v[a].sums += small->sums;
    small->into = a;
    return a;
}

static uint32_t home_of(struct selector *s, const struct part *p)
{
    uint32_t home = *look_up(s->heap, &s->home, key_of(role_of(s, p), p->x));
    return home == NONE ? NONE : root_of(s, home);
}

/* The cluster for what is left of the parts of one role: the first that one of them belongs to, joined with
 * those of the others where they agree. */
static uint32_t find_cluster(struct selector *s, uint32_t first, uint32_t last, uint32_t role)
{
    uint32_t cluster = NONE;
    for (uint32_t i = first; i < last; i++) {
        const struct part *p = &s->parts.v[i];
        if (p->cluster != NONE || role_of(s, p) != role) continue;
        uint32_t home = home_of(s, p);
        if (home == NONE || home == cluster || !agrees(s, p, home)) continue;
        uint32_t both = cluster == NONE ? home : unite(s, cluster, home);
        if (both != NONE) cluster = both;
    }
    if (cluster != NONE) return cluster;
    cluster = s->clusters.n;
    vec_push(s->heap, &s->clusters, (struct cluster){.into = cluster, .made = EDGE_FALSE});
    return cluster;
}

static void cluster_parts(struct selector *s, uint32_t first, uint32_t role)
{
    for (;;) {
        uint32_t left = 0, taken = 0;
        for (uint32_t i = first; i < s->parts.n; i++)
            left += s->parts.v[i].cluster == NONE && role_of(s, &s->parts.v[i]) == role;
        if (left < FEWEST) return;
        uint32_t cluster = find_cluster(s, first, s->parts.n, role);
        for (uint32_t i = first; i < s->parts.n; i++) {
            struct part *p = &s->parts.v[i];
            if (p->cluster != NONE || role_of(s, p) != role || !agrees(s, p, cluster)) continue;
            p->cluster = cluster;
            for (uint32_t m = 0; m < p->n; m++) add_move(s, cluster, s->moves.v[p->first + m], p->x);
            uint32_t *home = look_up(s->heap, &s->home, key_of(role, p->x));
            if (*home == NONE) *home = cluster;
            taken++;
        }
        if (taken == 0) return;
        s->clusters.v[cluster].parts += taken;
        s->clusters.v[cluster].sums++;
    }
}

/* --- Rewriting ------------------------------------------------------------------------------------------ */

struct choice {
    edge x;
    uint32_t move;
};

static int by_x(const void *a, const void *b)
{
    const struct choice *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return p->move < q->move ? -1 : p->move > q->move;
}

static edge gate_of(struct selector *s, const struct vec_u32 *in)
{
    if (in->n == 1) return in->v[0];
    uint32_t gate = lists_add(s->l);
    for (uint32_t i = 0; i < in->n; i++) vec_push(s->heap, &s->l->in[gate], in->v[i]);
    return gate << 1;
}

/* G, if it is worth it. */
static void make_cluster(struct selector *s, struct cluster *c)
{
    struct choice *v = heap_alloc(s->heap, (c->moves.n + 1) * sizeof *v);
    struct vec_u32 sum = {0}, moves = {0};
    uint32_t different = 0;
    for (uint32_t i = 0; i < c->moves.n; i++) v[i] = (struct choice){c->x.v[i], c->moves.v[i]};
    qsort(v, c->moves.n, sizeof *v, by_x);
    for (uint32_t i = 0; i < c->moves.n; i++) different += i == 0 || v[i].x != v[i - 1].x;
    if (c->parts >= GAIN * (different + c->sums)) {
        for (uint32_t i = 0, j; i < c->moves.n; i = j) {
            vec_clear(&moves);
            for (j = i; j < c->moves.n && v[j].x == v[i].x; j++)
                vec_push(s->heap, &moves, net_move(s->l->net, v[j].move) ^ 1);
            edge both[2] = {gate_of(s, &moves) ^ 1, v[i].x};
            vec_push(s->heap, &sum, gate_of(s, &(struct vec_u32){.v = both, .n = 2}) ^ 1);
        }
        c->made = gate_of(s, &sum) ^ 1;
    }
    vec_free(s->heap, &sum);
    vec_free(s->heap, &moves);
    heap_release(s->heap, v);
}

static void drop_input(struct vec_u32 *in, edge e)
{
    for (uint32_t i = 0; i < in->n; i++)
        if (in->v[i] == e) {
            in->v[i] = vec_pop(in);
            return;
        }
}

static bool is_made(const struct selector *s, const struct part *p)
{
    return p->cluster != NONE && s->clusters.v[root_of(s, p->cluster)].made != EDGE_FALSE;
}

/* The OR of the moves of those parts of a product, or of a cluster, that are (not) made elsewhere. */
static edge some_of(struct selector *s, const struct sum *sum, uint32_t product, uint32_t cluster)
{
    struct vec_u32 moves = {0};
    for (uint32_t i = sum->first; i < sum->first + sum->n; i++) {
        const struct part *p = &s->parts.v[i];
        if (cluster == NONE ? p->product != product || is_made(s, p)
                            : p->cluster == NONE || root_of(s, p->cluster) != cluster)
            continue;
        for (uint32_t m = 0; m < p->n; m++)
            vec_push(s->heap, &moves, net_move(s->l->net, s->moves.v[p->first + m]) ^ 1);
    }
    edge e = moves.n ? gate_of(s, &moves) ^ 1 : EDGE_FALSE;
    vec_free(s->heap, &moves);
    return e;
}

static void rewrite(struct selector *s, const struct sum *sum)
{
    struct vec_u32 added = {0};
    uint32_t product = NONE;
    for (uint32_t i = sum->first; i < sum->first + sum->n; i++) {
        const struct part *p = &s->parts.v[i];
        if (!is_made(s, p)) continue;
        uint32_t cluster = root_of(s, p->cluster);
        bool again = false;
        for (uint32_t k = sum->first; k < i && !again; k++)
            again = s->parts.v[k].cluster != NONE && root_of(s, s->parts.v[k].cluster) == cluster;
        if (!again) {
            edge both[2] = {some_of(s, sum, NONE, cluster), s->clusters.v[cluster].made};
            vec_push(s->heap, &added, gate_of(s, &(struct vec_u32){.v = both, .n = 2}) ^ 1);
        }
        if (p->product == product) continue;
        product = p->product;
        drop_input(&s->l->in[sum->gate], product << 1 | 1);
        edge left[2] = {some_of(s, sum, product, NONE), p->x};
        if (left[0] != EDGE_FALSE)
            vec_push(s->heap, &added, gate_of(s, &(struct vec_u32){.v = left, .n = 2}) ^ 1);
    }
    for (uint32_t i = 0; i < added.n; i++) vec_push(s->heap, &s->l->in[sum->gate], added.v[i]);
    vec_free(s->heap, &added);
}

struct net *reduce_select(struct net *net)
{
    struct lists l;
    lists_open(&l, net);
    struct selector s = {.heap = net->heap, .l = &l};
    for (uint32_t i = net_inputs(net); i < net->nodes.n; i++) {
        uint32_t first = s.parts.n;
        for (uint32_t k = 0; k < l.in[i].n && l.moved[i]; k++) {
            edge e = l.in[i].v[k];
            if ((e & 1) && l.moved[e >> 1]) read_product(&s, e >> 1);
        }
        if (s.parts.n - first < FEWEST) {
            s.parts.n = first;
            continue;
        }
        for (uint32_t r = 0; r < net->nroles; r++) cluster_parts(&s, first, r);
        vec_push(s.heap, &s.sums, (struct sum){i, first, s.parts.n - first});
        heap_poll(s.heap);
    }
    for (uint32_t c = 0; c < s.clusters.n; c++)
        if (s.clusters.v[c].into == c) make_cluster(&s, &s.clusters.v[c]);
    for (uint32_t i = 0; i < s.sums.n; i++) rewrite(&s, &s.sums.v[i]);
    for (uint32_t c = 0; c < s.clusters.n; c++) {
        vec_free(s.heap, &s.clusters.v[c].moves);
        vec_free(s.heap, &s.clusters.v[c].x);
    }
    vec_free(s.heap, &s.clusters);
    vec_free(s.heap, &s.parts);
    vec_free(s.heap, &s.sums);
    vec_free(s.heap, &s.moves);
    heap_release(s.heap, s.chosen.v);
    heap_release(s.heap, s.home.v);
    heap_release(s.heap, s.factors.v);
    return lists_close(&l);
}
