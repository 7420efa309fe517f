// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/tree.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_WORDS = 1 << 14, FIRST_SLOTS = 1 << 12 };

static uint32_t goal_words(const struct tree *t)
{
    return (t->nroles + 3) / 4;
}

static uint32_t first_words(const struct tree *t)
{
    return (t->nroles + 2) / 2;
}

uint64_t *node_state(struct tree_node *n)
{
    return n->body;
}

int16_t *node_goals(const struct tree *t, struct tree_node *n)
{
    (void)t;
    return (int16_t *)(n->body + n->words);
}

static uint32_t *node_first(const struct tree *t, const struct tree_node *n)
{
    return (uint32_t *)(n->body + n->words + goal_words(t));
}

uint32_t node_actions(const struct tree *t, const struct tree_node *n, uint32_t role)
{
    const uint32_t *first = node_first(t, n);
    return first[role + 1] - first[role];
}

static struct tree_action *all_actions(const struct tree *t, const struct tree_node *n)
{
    return (struct tree_action *)(n->body + n->words + goal_words(t) + first_words(t));
}

static size_t action_words(uint32_t count)
{
    return (count * sizeof(struct tree_action) + 7) / 8;
}

struct tree_action *node_action(const struct tree *t, struct tree_node *n, uint32_t role)
{
    return all_actions(t, n) + node_first(t, n)[role];
}

struct rave *node_rave(const struct tree *t, struct tree_node *n, uint32_t role)
{
    const uint32_t *first = node_first(t, n);
    return (struct rave *)((uint64_t *)all_actions(t, n) + action_words(first[t->nroles])) + first[role];
}

float *node_best(const struct tree *t, struct tree_node *n, uint32_t role)
{
    const uint32_t *first = node_first(t, n);
    uint32_t total = first[t->nroles];
    uint64_t *after = (uint64_t *)all_actions(t, n) + action_words(total) + (t->with_rave ? total : 0);
    return (float *)after + first[role];
}

/* --- The space
 * ------------------------------------------------------------------------------------------------ */

static size_t bytes(const struct tree *t)
{
    return (size_t)t->capacity * 8 + ((size_t)t->mask + 1) * 4 + (size_t)t->edges_cap * sizeof *t->edges +
           ((size_t)t->edge_mask + 1) * 4;
}

struct tree *tree_new(uint32_t nroles, size_t limit, bool with_rave, bool with_best)
{
    struct tree *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->nroles = nroles;
    t->limit = limit;
    t->with_rave = with_rave;
    t->with_best = with_best;
    t->capacity = FIRST_WORDS;
    t->mask = t->edge_mask = FIRST_SLOTS - 1;
    t->edges_cap = FIRST_SLOTS / 2;
    t->space = malloc((size_t)t->capacity * 8);
    t->table = calloc(FIRST_SLOTS, sizeof *t->table);
    t->edge_slots = calloc(FIRST_SLOTS, sizeof *t->edge_slots);
    t->edges = malloc(t->edges_cap * sizeof *t->edges);
    if (!t->space || !t->table || !t->edge_slots || !t->edges) {
        tree_free(t);
        return NULL;
    }
    tree_clear(t);
    return t;
}

void tree_free(struct tree *t)
{
    if (!t) return;
    free(t->space);
    free(t->old_space);
    free(t->table);
    free(t->edges);
    free(t->edge_slots);
    free(t);
}

void tree_clear(struct tree *t)
{
    t->used = 1; /* 0 is no node */
    t->nodes = 0;
    t->root = 0;
    t->edges_used = 1;
    t->edges[0] = (struct tree_edge){0}; /* what an empty slot finds */
    t->full = false;
    memset(t->table, 0, ((size_t)t->mask + 1) * sizeof *t->table);
    memset(t->edge_slots, 0, ((size_t)t->edge_mask + 1) * sizeof *t->edge_slots);
}

/* A collection needs a second space as large as what survives: growth stops at half the limit. */
static bool may_grow(const struct tree *t, size_t more)
{
    return bytes(t) + more <= t->limit / 2;
}

static bool reserve_space(struct tree *t, uint32_t words)
{
    if (t->used + (uint64_t)words <= t->capacity) return true;
    uint64_t want = t->capacity;
    while (want < t->used + (uint64_t)words) want += want / 2;
    if (want >= UINT32_MAX || !may_grow(t, (want - t->capacity) * 8)) return false;
    uint64_t *grown = realloc(t->space, want * 8);
    if (!grown) return false;
    t->space = grown;
    t->capacity = (uint32_t)want;
    return true;
}

static uint32_t table_slot(const struct tree *t, const uint64_t *state, uint32_t words, uint64_t hash)
{
    uint32_t i = (uint32_t)hash & t->mask;
    for (; t->table[i]; i = (i + 1) & t->mask) {
        struct tree_node *n = tree_node(t, t->table[i]);
        if (n->hash == hash && n->words == words && memcmp(n->body, state, words * sizeof *state) == 0) break;
    }
    return i;
}

uint32_t tree_find(const struct tree *t, const uint64_t *state, uint32_t words, uint64_t hash)
{
    return t->table[table_slot(t, state, words, hash)];
}

static bool grow_table(struct tree *t)
{
    size_t size = ((size_t)t->mask + 1) * 2;
    if (!may_grow(t, size * 2)) return false;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table) return false;
    for (uint32_t i = 0; i <= t->mask; i++) {
        if (!t->table[i]) continue;
        uint32_t at = (uint32_t)tree_node(t, t->table[i])->hash & (uint32_t)(size - 1);
        while (table[at]) at = (at + 1) & (uint32_t)(size - 1);
        table[at] = t->table[i];
    }
    free(t->table);
    t->table = table;
    t->mask = (uint32_t)size - 1;
    return true;
}

uint32_t tree_add(struct tree *t, const uint64_t *state, uint32_t words, uint64_t hash, bool terminal,
                  const struct list *legal)
{
    uint32_t total = 0, choosing = 0, mover = 0;
    for (uint32_t r = 0; r < t->nroles && !terminal; r++) {
        total += legal[r].n;
        if (legal[r].n > 1) choosing++, mover = r;
    }
    size_t size = sizeof(struct tree_node) / 8 + words + goal_words(t) + first_words(t) +
                  action_words(total) + (t->with_rave ? total : 0) + (t->with_best ? (total + 1) / 2 : 0);
    if (t->full || (t->nodes + 1 > t->mask - t->mask / 4 && !grow_table(t)) || size > UINT32_MAX / 2 ||
        !reserve_space(t, (uint32_t)size)) {
        t->full = true;
        return 0;
    }
    uint32_t node = t->used;
    struct tree_node *n = tree_node(t, node);
    memset(n, 0, size * 8);
    n->hash = hash;
    n->words = words;
    n->size = (uint32_t)size;
    n->mover = choosing > 1 ? NO_MOVER : mover;
    n->flags = terminal ? NODE_TERMINAL : 0;
    memcpy(n->body, state, words * sizeof *state);
    uint32_t *first = node_first(t, n);
    struct tree_action *a = all_actions(t, n);
    for (uint32_t r = 0; r < t->nroles; r++) {
        first[r + 1] = first[r] + (terminal ? 0 : legal[r].n);
        for (uint32_t i = 0; i < legal[r].n && !terminal; i++) a[first[r] + i].move = legal[r].v[i];
    }
    t->used += (uint32_t)size;
    t->nodes++;
    t->table[table_slot(t, state, words, hash)] = node;
    return node;
}

/* --- Children
 * ------------------------------------------------------------------------------------------------- */

/* The choices of all roles as one number, mixed radix. */
static uint64_t joint_number(const struct tree *t, const struct tree_node *n, const uint32_t *choice)
{
    const uint32_t *first = node_first(t, n);
    uint64_t joint = 0;
    for (uint32_t r = 0; r < t->nroles; r++) joint = joint * (first[r + 1] - first[r]) + choice[r];
    return joint;
}

static uint32_t edge_slot(const struct tree *t, uint32_t parent, uint64_t joint)
{
    uint32_t i = (uint32_t)hash_mix(parent, joint) & t->edge_mask;
    for (; t->edge_slots[i]; i = (i + 1) & t->edge_mask) {
        const struct tree_edge *e = &t->edges[t->edge_slots[i]];
        if (e->parent == parent && e->joint == joint) break;
    }
    return i;
}

uint32_t tree_child(const struct tree *t, uint32_t node, const uint32_t *choice)
{
    struct tree_node *n = tree_node(t, node);
    if (n->mover != NO_MOVER) return node_action(t, n, n->mover)[choice[n->mover]].child;
    return t->edges[t->edge_slots[edge_slot(t, node, joint_number(t, n, choice))]].child;
}

static bool grow_edges(struct tree *t)
{
    size_t cap = (size_t)t->edges_cap * 2, slots = ((size_t)t->edge_mask + 1) * 2;
    if (!may_grow(t, t->edges_cap * sizeof *t->edges + slots * 2)) return false;
    struct tree_edge *edges = realloc(t->edges, cap * sizeof *edges);
    if (!edges) return false;
    t->edges = edges;
    t->edges_cap = (uint32_t)cap;
    uint32_t *table = calloc(slots, sizeof *table);
    if (!table) return false;
    free(t->edge_slots);
    t->edge_slots = table;
    t->edge_mask = (uint32_t)slots - 1;
    for (uint32_t i = 1; i < t->edges_used; i++)
        t->edge_slots[edge_slot(t, t->edges[i].parent, t->edges[i].joint)] = i;
    return true;
}

static void add_edge(struct tree *t, uint32_t node, uint64_t joint, uint32_t child)
{
    uint32_t slot = edge_slot(t, node, joint);
    if (t->edge_slots[slot]) {
        t->edges[t->edge_slots[slot]].child = child;
        return;
    }
    if (t->edges_used == t->edges_cap) {
        if (!grow_edges(t)) return;
        slot = edge_slot(t, node, joint);
    }
    struct tree_node *n = tree_node(t, node);
    t->edges[t->edges_used] =
        (struct tree_edge){.joint = joint, .parent = node, .child = child, .next = n->edges};
    t->edge_slots[slot] = n->edges = t->edges_used++;
}

void tree_link(struct tree *t, uint32_t node, const uint32_t *choice, uint32_t child)
{
    struct tree_node *n = tree_node(t, node);
    if (n->mover != NO_MOVER)
        node_action(t, n, n->mover)[choice[n->mover]].child = child;
    else
        add_edge(t, node, joint_number(t, n, choice), child);
}

/* --- Collecting
 * ----------------------------------------------------------------------------------------------- */

static uint32_t forward_node(struct tree *t, const uint64_t *old, uint32_t node, uint32_t least)
{
    struct tree_node *n = (struct tree_node *)(old + node);
    if (n->forward) return n->forward;
    if (n->visits < least && n->pending == 0) return 0;
    uint32_t at = t->used;
    memcpy(t->space + at, n, (size_t)n->size * 8);
    t->used += n->size;
    t->nodes++;
    return n->forward = at;
}

/* Copy everything that the root reaches and that was visited at least `least` times; Cheney's scan over the
 * new space. */
static void copy_tree(struct tree *t, const uint64_t *old, const struct tree_edge *old_edges, uint32_t root,
                      uint32_t least)
{
    t->root = root ? forward_node(t, old, root, 0) : 0;
    for (uint32_t at = 1; at < t->used; at += tree_node(t, at)->size) {
        struct tree_node *n = tree_node(t, at);
        n->forward = 0;
        if (n->mover != NO_MOVER) {
            struct tree_action *a = node_action(t, n, n->mover);
            for (uint32_t i = 0; i < node_actions(t, n, n->mover); i++)
                if (a[i].child) a[i].child = forward_node(t, old, a[i].child, least);
            continue;
        }
        uint32_t e = n->edges;
        n->edges = 0;
        for (; e; e = old_edges[e].next) {
            uint32_t child = forward_node(t, old, old_edges[e].child, least);
            if (!child) continue;
            t->edges[t->edges_used] = (struct tree_edge){
                .joint = old_edges[e].joint, .parent = at, .child = child, .next = n->edges};
            n->edges = t->edges_used++;
        }
    }
}

/* The number of visits such that the nodes with at least so many make up about `keep` of the space. */
static uint32_t visits_quantile(const struct tree *t, double keep)
{
    uint64_t words[33] = {0}, total = 0; /* by the number of binary digits of the visits */
    for (uint32_t at = 1; at < t->used; at += tree_node(t, at)->size) {
        const struct tree_node *n = tree_node(t, at);
        words[n->visits ? 32 - (uint32_t)__builtin_clz(n->visits) : 0] += n->size;
        total += n->size;
    }
    uint64_t kept = 0;
    for (int b = 32; b >= 0; b--) {
        kept += words[b];
        if ((double)kept > keep * (double)total) return b >= 31 ? UINT32_MAX : 1u << b;
    }
    return 0;
}

static bool collect(struct tree *t, uint32_t least)
{
    uint64_t *old = t->space;
    struct tree_edge *old_edges = t->edges;
    t->space = malloc((size_t)t->capacity * 8); /* address space only: pages are touched as they are filled */
    t->edges = malloc((size_t)t->edges_cap * sizeof *t->edges);
    if (!t->space || !t->edges) {
        free(t->space);
        free(t->edges);
        t->space = old;
        t->edges = old_edges;
        return false;
    }
    uint32_t root = t->root, old_used = t->used;
    tree_clear(t);
    copy_tree(t, old, old_edges, root, least);
    for (uint32_t at = 1; at < t->used; at += tree_node(t, at)->size) {
        struct tree_node *n = tree_node(t, at);
        n->forward = 0;
        t->table[table_slot(t, n->body, n->words, n->hash)] = at;
    }
    for (uint32_t i = 1; i < t->edges_used; i++)
        t->edge_slots[edge_slot(t, t->edges[i].parent, t->edges[i].joint)] = i;
    free(old_edges);
    free(t->old_space);
    t->old_space = old;
    t->old_used = old_used;
    t->collections++;
    return true;
}

bool tree_collect(struct tree *t, double share)
{
    if (!collect(t, 0)) return false;
    double fill = (double)t->used * 8 / ((double)t->limit / 2);
    if (fill <= share) return true;
    /* Still too much: drop the least visited. The numbers of the first pass are followed through the second.
     */
    uint64_t *first = t->old_space;
    uint32_t first_used = t->old_used;
    t->old_space = NULL;
    uint32_t least = visits_quantile(t, share / fill);
    if (!collect(t, least)) {
        t->old_space = first;
        t->old_used = first_used;
        return true; /* the first pass has done what it could */
    }
    /* Compose: old number -> number after the first pass -> final number. The first space still has its
     * forwards. */
    uint64_t *second = t->old_space;
    for (uint32_t at = 1; at < first_used; at += ((struct tree_node *)(first + at))->size) {
        struct tree_node *n = (struct tree_node *)(first + at);
        n->forward = n->forward ? ((struct tree_node *)(second + n->forward))->forward : 0;
    }
    free(second);
    t->old_space = first;
    t->old_used = first_used;
    return true;
}

uint32_t tree_moved(const struct tree *t, uint32_t old)
{
    return old ? ((struct tree_node *)(t->old_space + old))->forward : 0;
}

void tree_forget(struct tree *t)
{
    free(t->old_space);
    t->old_space = NULL;
}
