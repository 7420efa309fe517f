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
    return (float *)(void *)after + first[role];
}

/* --- The space
 * ------------------------------------------------------------------------------------------------ */

static size_t bytes(const struct tree *t)
{
    return (size_t)t->capacity * 8 + ((size_t)t->mask + 1) * sizeof *t->table +
           (size_t)t->edges_cap * sizeof *t->edges + ((size_t)t->edge_mask + 1) * sizeof *t->edge_slots;
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
    t->full = t->edges_full = t->marked = false;
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

/* An entry is the upper half of the hash, which tells the slot, and the node: growing touches no node. */
static uint64_t table_entry(uint32_t node, uint64_t hash)
{
    return (hash >> 32) << 32 | node;
}

static uint32_t table_slot(const struct tree *t, const uint64_t *state, uint32_t words, uint64_t hash)
{
    uint32_t i = (uint32_t)(hash >> 32) & t->mask;
    for (; t->table[i]; i = (i + 1) & t->mask) {
        if (t->table[i] >> 32 != hash >> 32) continue;
        struct tree_node *n = tree_node(t, (uint32_t)t->table[i]);
        if (n->hash == hash && n->words == words && memcmp(n->body, state, words * sizeof *state) == 0) break;
    }
    return i;
}

/* Enter what is known not to be there. */
static void table_insert(uint64_t *table, uint32_t mask, uint64_t entry)
{
    uint32_t at = (uint32_t)(entry >> 32) & mask;
    while (table[at]) at = (at + 1) & mask;
    table[at] = entry;
}

uint32_t tree_find(const struct tree *t, const uint64_t *state, uint32_t words, uint64_t hash)
{
    return (uint32_t)t->table[table_slot(t, state, words, hash)];
}

static bool grow_table(struct tree *t)
{
    size_t size = ((size_t)t->mask + 1) * 2;
    if (size > UINT32_MAX || !may_grow(t, size / 2 * sizeof *t->table)) return false;
    uint64_t *table = calloc(size, sizeof *table);
    if (!table) return false;
    for (uint32_t i = 0; i <= t->mask; i++)
        if (t->table[i]) table_insert(table, (uint32_t)size - 1, t->table[i]);
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
    table_insert(t->table, t->mask, table_entry(node, hash));
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
    if (!may_grow(t, t->edges_cap * sizeof *t->edges + slots / 2 * sizeof *t->edge_slots)) return false;
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
        if (!grow_edges(t)) {
            t->edges_full = true;
            return;
        }
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

/* How a collection goes. */
struct collection {
    const struct tree *from;
    struct tree *to;
    const struct budget *budget; /* over: give up, leave `from` as it was */
    double enough;               /* when to stop copying, 0: never */
    uint32_t least;              /* visits that a node must have */
    uint32_t room;               /* words that may be filled */
    bool closed;                 /* no more nodes are taken over */
    uint32_t looks;
};

/* Now and then look at the clock. */
static bool go_on(struct collection *c)
{
    if (++c->looks % 256) return true;
    if (c->enough > 0 && clock_now() > c->enough) c->closed = true;
    return !budget_over(c->budget);
}

static struct tree_node *old_node(const struct collection *c, uint32_t node)
{
    return (struct tree_node *)(c->from->space + node);
}

/* A collection that was given up has left marks and new numbers in the nodes. */
static bool unmark(struct collection *c)
{
    for (uint32_t at = 1; at < c->from->used; at += old_node(c, at)->size) {
        if (!go_on(c)) return false;
        old_node(c, at)->forward = 0;
        old_node(c, at)->flags &= ~(uint32_t)NODE_MARKED;
    }
    return true;
}

/* The children of a node one after the other: *i counts actions or is the edge to come; 0 at the end. */
static uint32_t next_child(const struct tree *t, struct tree_node *n, uint32_t *i)
{
    if (n->mover == NO_MOVER) {
        uint32_t e = *i ? t->edges[*i].next : n->edges;
        *i = e;
        return e ? t->edges[e].child : 0;
    }
    const struct tree_action *a = node_action(t, n, n->mover);
    for (uint32_t count = node_actions(t, n, n->mover); *i < count;)
        if (a[(*i)++].child) return a[*i - 1].child;
    return 0;
}

/* Find the number of visits such that what the root reaches and was visited as often fits into the room.
 * Nodes to be looked at are chained through `forward`. */
static bool find_least(struct collection *c)
{
    uint64_t words[33] = {0}; /* by the number of binary digits of the visits */
    const struct tree *t = c->from;
    uint32_t top = t->root;
    if (top) old_node(c, top)->flags |= NODE_MARKED;
    while (top) {
        struct tree_node *n = old_node(c, top);
        top = n->forward;
        n->forward = 0;
        words[n->visits ? 32 - (uint32_t)__builtin_clz(n->visits) : 0] += n->size;
        for (uint32_t i = 0, child; (child = next_child(t, n, &i));) {
            struct tree_node *k = old_node(c, child);
            if (k->flags & NODE_MARKED) continue;
            k->flags |= NODE_MARKED;
            k->forward = top;
            top = child;
        }
        if (!go_on(c)) return false;
        if (!c->closed) continue;
        /* No time to look at them all: near the root first, as far as the room goes. */
        for (; top; n->forward = 0) n = old_node(c, top), top = n->forward;
        return true;
    }
    uint64_t kept = 0;
    for (int digits = 32; digits >= 0; digits--) {
        kept += words[digits];
        if (kept <= c->room) continue;
        c->least = digits >= 31 ? UINT32_MAX : 1u << digits;
        break;
    }
    return true;
}

/* The number of a node in the new space, 0 if it is not taken over. */
static uint32_t forward_node(struct collection *c, uint32_t node)
{
    struct tree_node *n = old_node(c, node);
    struct tree *to = c->to;
    if (n->forward) return n->forward;
    if (n->pending == 0 && (n->visits < c->least || c->closed || to->used + n->size > c->room) &&
        to->used > 1)
        return 0;
    uint32_t at = to->used;
    memcpy(to->space + at, n, (size_t)n->size * 8);
    tree_node(to, at)->flags &= ~(uint32_t)NODE_MARKED;
    to->used += n->size;
    to->nodes++;
    table_insert(to->table, to->mask, table_entry(at, n->hash));
    return n->forward = at;
}

/* When there are too many edges, every second one goes, other ones each time. Without it the child is found
 * by its state. */
static bool drop_edge(const struct collection *c, const struct tree_edge *e)
{
    return c->from->edges_full && hash_mix(e->joint, c->from->collections) >> 8 & 1;
}

/* Copy everything that is worth it from the root on; Cheney's scan over the new space, breadth first. */
static bool copy_tree(struct collection *c)
{
    struct tree *to = c->to;
    const struct tree_edge *old_edges = c->from->edges;
    to->root = c->from->root ? forward_node(c, c->from->root) : 0;
    for (uint32_t at = 1; at < to->used; at += tree_node(to, at)->size) {
        struct tree_node *n = tree_node(to, at);
        if (!go_on(c)) return false;
        if (n->mover != NO_MOVER) {
            struct tree_action *a = node_action(to, n, n->mover);
            for (uint32_t i = 0; i < node_actions(to, n, n->mover); i++)
                if (a[i].child) a[i].child = forward_node(c, a[i].child);
            continue;
        }
        uint32_t e = n->edges;
        n->edges = 0;
        for (; e; e = old_edges[e].next) {
            if (drop_edge(c, &old_edges[e])) continue;
            uint32_t child = forward_node(c, old_edges[e].child);
            if (child) add_edge(to, at, old_edges[e].joint, child);
        }
    }
    return true;
}

static void free_spaces(struct tree *t)
{
    free(t->space);
    free(t->table);
    free(t->edges);
    free(t->edge_slots);
}

/* Spaces of the same sizes: address space at first, pages are touched as they are filled. */
static bool new_spaces(struct tree *t)
{
    t->space = malloc((size_t)t->capacity * 8);
    t->table = calloc((size_t)t->mask + 1, sizeof *t->table);
    t->edges = malloc((size_t)t->edges_cap * sizeof *t->edges);
    t->edge_slots = calloc((size_t)t->edge_mask + 1, sizeof *t->edge_slots);
    if (t->space && t->table && t->edges && t->edge_slots) return true;
    free_spaces(t);
    return false;
}

bool tree_crowded(const struct tree *t)
{
    return t->full || t->edges_full || (size_t)t->used * 8 > t->limit / 4;
}

bool tree_collect(struct tree *t, double share, double enough, const struct budget *budget)
{
    struct tree fresh = *t;
    double words = share * (double)t->limit / 16; /* of half the limit */
    struct collection c = {.from = t, .to = &fresh, .budget = budget};
    /* Where tables rather than nodes are in the way, something must go, too. */
    if (t->full && words > 0.6 * t->used) words = 0.6 * t->used;
    c.room = words < (double)t->capacity ? (uint32_t)words : t->capacity;
    if (!new_spaces(&fresh)) return false;
    fresh.used = fresh.edges_used = 1;
    fresh.edges[0] = (struct tree_edge){0};
    fresh.nodes = fresh.root = 0;
    fresh.full = fresh.edges_full = fresh.marked = false;
    bool good = !t->marked || unmark(&c);
    t->marked = true;
    if (enough > 0) c.enough = clock_now() + (enough - clock_now()) / 3;
    good = good && (t->used <= c.room || find_least(&c));
    c.enough = enough;
    c.closed = false;
    if (!good || !copy_tree(&c)) {
        free_spaces(&fresh);
        return false;
    }
    free(t->table);
    free(t->edges);
    free(t->edge_slots);
    free(t->old_space);
    fresh.old_space = t->space;
    fresh.collections++;
    *t = fresh;
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
