/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tree and its collector share: how large nodes are, the table, and the spaces. */
#ifndef SEARCH_TREE_INTERNAL_H
#define SEARCH_TREE_INTERNAL_H

#include "search/tree.h"

static inline size_t space_bytes(const struct tree *t)
{
    return (size_t)t->capacity * 8;
}

/* An entry is the upper half of the hash, which tells the slot, and the node: growing touches no node. */
static inline uint64_t table_entry(uint32_t node, uint64_t hash)
{
    return (hash >> 32) << 32 | node;
}

/* Enter what is known not to be there. */
static inline void table_insert(uint64_t *table, uint32_t mask, uint64_t entry)
{
    uint32_t at = (uint32_t)(entry >> 32) & mask;
    while (table[at]) at = (at + 1) & mask;
    table[at] = entry;
}

/* Words of a node up to its actions. */
static inline size_t fixed_words(const struct tree *t, uint32_t state_words)
{
    return sizeof(struct tree_node) / 8 + state_words + t->actions_at;
}

static inline size_t block_words(uint32_t actions)
{
    return sizeof(struct tree_block) / 8 + action_words(actions);
}

/* How many joint choices a node has. */
static inline uint64_t joint_count(const struct tree *t, const struct tree_node *n)
{
    const uint32_t *first = node_first(t, n);
    uint64_t all = 1;
    for (uint32_t r = 0; r < t->nroles && all <= UINT32_MAX; r++) all *= first[r + 1] - first[r];
    return all;
}

static inline uint32_t children_words(uint64_t joint)
{
    return (uint32_t)((joint + 1) / 2);
}

/* Spaces of these sizes: address space at first, pages are touched as they are filled. */
bool tree_new_spaces(struct tree *t);
void tree_free_spaces(struct tree *t);
void tree_free_tables(struct tree *t); /* all but the nodes */
void tree_add_edge(struct tree *t, uint32_t node, uint64_t joint, uint32_t child);

#endif
