// SPDX-License-Identifier: GPL-3.0-or-later
/* The collector: what the root reaches is copied into a new space, and the old one given back. */
#include "base/clock.h"
#include "base/hash.h"
#include "base/pool.h"
#include "search/tree_internal.h"

#include <string.h>

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
        if (old_node(c, at)->words == TREE_BLOCK) continue;
        old_node(c, at)->forward = 0;
        old_node(c, at)->flags &= ~(uint32_t)NODE_MARKED;
    }
    return true;
}

/* The children of a node one after the other: *i counts actions or is the edge to come; 0 at the end. */
static uint32_t next_child(const struct tree *t, struct tree_node *n, uint32_t *i)
{
    if (node_is_folded(n)) return 0;
    if (n->flags & NODE_JOINT) {
        const uint32_t *child = node_children(t, n);
        for (uint32_t count = (uint32_t)joint_count(t, n); *i < count;)
            if (child[(*i)++]) return child[*i - 1];
        return 0;
    }
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

/* Words of its row of children. */
static uint32_t row_words(const struct tree *t, const struct tree_node *n)
{
    return n->flags & NODE_JOINT ? children_words(joint_count(t, n)) : 0;
}

/* Words that a node takes once it is copied: where it was unfolded, its actions come to where they belong,
 * and its row of children behind them. */
static uint32_t whole_size(const struct tree *t, const struct tree_node *n, uint32_t node)
{
    uint32_t fixed = (uint32_t)fixed_words(t, n->words);
    if (node_is_folded(n)) return n->size;
    if (n->actions == node + fixed && !(n->flags & NODE_JOINT)) return n->size;
    return fixed + (uint32_t)action_words(node_first(t, n)[t->nroles]) + row_words(t, n);
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
        words[n->visits ? 32 - (uint32_t)__builtin_clz(n->visits) : 0] += whole_size(t, n, top);
        top = n->forward;
        n->forward = 0;
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
    uint32_t size = whole_size(c->from, n, node), fixed = (uint32_t)fixed_words(to, n->words);
    if ((n->visits < c->least || c->closed || to->used + size > c->room) && to->used > 1) return 0;
    uint32_t at = to->used;
    if (node_is_folded(n)) {
        memcpy(to->space + at, n, (size_t)size * 8);
        to->owed += (uint32_t)block_words(node_first(c->from, n)[to->nroles]);
    } else {
        uint32_t row = row_words(c->from, n), behind = at + size - row;
        memcpy(to->space + at, n, (size_t)fixed * 8);
        memcpy(to->space + at + fixed, node_all_actions(c->from, n), (size_t)(size - fixed - row) * 8);
        tree_node(to, at)->actions = at + fixed;
        tree_node(to, at)->size = size;
        if (row) {
            memcpy(to->space + behind, node_children(c->from, n), (size_t)row * 8);
            tree_node(to, at)->edges = behind;
        }
    }
    tree_node(to, at)->flags &= ~(uint32_t)NODE_MARKED;
    to->used += size;
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
        if (node_is_folded(n)) continue;
        if (n->mover != NO_MOVER) {
            struct tree_action *a = node_action(to, n, n->mover);
            for (uint32_t i = 0; i < node_actions(to, n, n->mover); i++)
                if (a[i].child) a[i].child = forward_node(c, a[i].child);
            continue;
        }
        if (n->flags & NODE_JOINT) {
            uint32_t *child = node_children(to, n);
            for (uint64_t i = joint_count(to, n); i-- > 0;)
                if (child[i]) child[i] = forward_node(c, child[i]);
            continue;
        }
        uint32_t e = n->edges;
        n->edges = 0;
        for (; e; e = old_edges[e].next) {
            if (drop_edge(c, &old_edges[e])) continue;
            uint32_t child = forward_node(c, old_edges[e].child);
            if (child) tree_add_edge(to, at, old_edges[e].joint, child);
        }
    }
    return true;
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
    if (!tree_new_spaces(&fresh)) return false;
    fresh.used = fresh.edges_used = 1;
    fresh.edges[0] = (struct tree_edge){0};
    fresh.nodes = fresh.root = fresh.owed = 0;
    fresh.full = fresh.edges_full = fresh.marked = fresh.tight = fresh.shared = false;
    bool shared = t->shared;
    bool good = !t->marked || unmark(&c);
    t->marked = true;
    if (enough > 0) c.enough = clock_now() + (enough - clock_now()) / 3;
    good = good && (t->used <= c.room || find_least(&c));
    c.enough = enough;
    c.closed = false;
    if (!good || !copy_tree(&c)) {
        tree_free_spaces(&fresh);
        return false;
    }
    tree_free_tables(t);
    tree_forget(t);
    fresh.old_space = t->space;
    fresh.old_bytes = space_bytes(t);
    fresh.collections++;
    *t = fresh;
    t->shared = shared;
    return true;
}

bool tree_tidy(struct tree *t, const struct budget *budget)
{
    uint64_t *space = t->space;
    if (!tree_collect(t, 1, 0, budget)) return false;
    memcpy(space, t->space, (size_t)t->used * 8);
    t->old_space = t->space;
    t->space = space;
    tree_forget(t);
    return true;
}

uint32_t tree_moved(const struct tree *t, uint32_t old)
{
    return old ? ((struct tree_node *)(t->old_space + old))->forward : 0;
}

void tree_forget(struct tree *t)
{
    pool_give(t->old_space, t->old_bytes);
    t->old_space = NULL;
}
