// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/tree_internal.h"

#include "base/hash.h"
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_WORDS = 1 << 12,
    FIRST_SLOTS = 1 << 10,
    FIRST_EDGES = 1 << 5,
    CLAIM_WORDS = 1 << 10,
    CLAIM_NODES = 32,
    THREAD_SLOTS = 64, /* of the table, at least so many for each thread */
    ROW = 512          /* joint choices for which a node may have a row of children */
};

static uint32_t goal_words(const struct tree *t)
{
    return (t->nroles + 3) / 4;
}

static uint32_t first_words(const struct tree *t)
{
    return (t->nroles + 2) / 2;
}

int node_goal(const struct tree *t, const struct tree_node *n, uint32_t role)
{
    (void)t;
    return __atomic_load_n((const int16_t *)(n->body + n->words) + role, __ATOMIC_RELAXED);
}

void node_set_goals(const struct tree *t, struct tree_node *n, const float *goals)
{
    int16_t *at = (int16_t *)(n->body + n->words);
    for (uint32_t r = 0; r < t->nroles; r++) __atomic_store_n(at + r, (int16_t)goals[r], __ATOMIC_RELAXED);
    node_set_flags(n, NODE_GOALS);
}

static uint32_t bound_words(const struct tree *t)
{
    return t->with_bounds ? t->nroles : 0;
}

/* Where the parts of a node are, behind its state. */
static void lay_out(struct tree *t)
{
    t->first_at = goal_words(t) + bound_words(t) + t->with_leads;
    t->actions_at = t->first_at + first_words(t);
}

struct bound *node_bounds(const struct tree *t, struct tree_node *n)
{
    return (struct bound *)(void *)(n->body + n->words + goal_words(t));
}

struct lead *node_lead(const struct tree *t, struct tree_node *n)
{
    return (struct lead *)(void *)(n->body + n->words + goal_words(t) + bound_words(t));
}

/* Words of statistics that some searches need, for so many actions. */
static size_t rave_words(const struct tree *t, uint32_t total)
{
    return t->with_rave ? total : 0;
}

static size_t best_words(const struct tree *t, uint32_t total)
{
    return t->with_best ? (total + 1) / 2 : 0;
}

static size_t leads_words(const struct tree *t, uint32_t total)
{
    return t->with_leads ? (total + 1) / 2 : 0;
}

float *node_best(const struct tree *t, struct tree_node *n, uint32_t role)
{
    const uint32_t *first = node_first(t, n);
    uint32_t total = first[t->nroles];
    uint64_t *after = (uint64_t *)node_all_actions(t, n) + action_words(total) + rave_words(t, total);
    return (float *)(void *)after + first[role];
}

float *node_leads(const struct tree *t, const struct tree_node *n, uint32_t role)
{
    const uint32_t *first = node_first(t, n);
    uint32_t total = first[t->nroles];
    uint64_t *after = (uint64_t *)node_all_actions(t, n) + action_words(total) + rave_words(t, total) +
                      best_words(t, total);
    return (float *)(void *)after + first[role];
}

/* --- The space
 * ------------------------------------------------------------------------------------------------ */

static size_t table_bytes(const struct tree *t)
{
    return ((size_t)t->mask + 1) * sizeof *t->table;
}

static size_t edges_bytes(const struct tree *t)
{
    return (size_t)t->edges_cap * sizeof *t->edges;
}

static size_t slots_bytes(const struct tree *t)
{
    return ((size_t)t->edge_mask + 1) * sizeof *t->edge_slots;
}

static size_t bytes(const struct tree *t)
{
    return space_bytes(t) + table_bytes(t) + edges_bytes(t) + slots_bytes(t);
}

void tree_free_tables(struct tree *t)
{
    pool_give(t->table, table_bytes(t));
    pool_give(t->edges, edges_bytes(t));
    pool_give(t->edge_slots, slots_bytes(t));
}

void tree_free_spaces(struct tree *t)
{
    pool_give(t->space, space_bytes(t));
    tree_free_tables(t);
}

bool tree_new_spaces(struct tree *t)
{
    t->space = pool_take(space_bytes(t));
    t->table = pool_take_zeroed(table_bytes(t));
    t->edges = pool_take(edges_bytes(t));
    t->edge_slots = pool_take_zeroed(slots_bytes(t));
    if (t->space && t->table && t->edges && t->edge_slots) return true;
    tree_free_spaces(t);
    return false;
}

struct tree *tree_new(uint32_t nroles, size_t limit, bool with_rave, bool with_best)
{
    struct tree *t = aligned_alloc(TREE_LINE, sizeof *t);
    if (!t) return NULL;
    memset(t, 0, sizeof *t);
    t->nroles = nroles;
    t->limit = limit;
    t->with_rave = with_rave;
    t->with_best = with_best;
    lay_out(t);
    t->capacity = FIRST_WORDS;
    t->mask = FIRST_SLOTS - 1;
    t->edge_mask = 2 * FIRST_EDGES - 1;
    t->edges_cap = FIRST_EDGES;
    if (!tree_new_spaces(t)) {
        free(t);
        return NULL;
    }
    tree_clear(t);
    return t;
}

bool tree_bound(struct tree *t, const struct bound *widest)
{
    t->widest = malloc(t->nroles * sizeof *t->widest);
    if (!t->widest) return false;
    memcpy(t->widest, widest, t->nroles * sizeof *t->widest);
    t->with_bounds = true;
    lay_out(t);
    return true;
}

void tree_lead(struct tree *t)
{
    t->with_leads = true;
    lay_out(t);
}

void tree_free(struct tree *t)
{
    if (!t) return;
    free(t->widest);
    tree_forget(t);
    tree_free_spaces(t);
    free(t);
}

void tree_clear(struct tree *t)
{
    t->used = 1; /* 0 is no node */
    t->owed = 0;
    t->nodes = 0;
    t->root = 0;
    t->edges_used = 1;
    t->edges[0] = (struct tree_edge){0}; /* what an empty slot finds */
    t->full = t->edges_full = t->marked = t->tight = false;
    memset(t->table, 0, ((size_t)t->mask + 1) * sizeof *t->table);
    memset(t->edge_slots, 0, ((size_t)t->edge_mask + 1) * sizeof *t->edge_slots);
}

/* A collection needs a second space as large as what survives: growth stops at half the limit. */
static bool may_grow(const struct tree *t, size_t more)
{
    return bytes(t) + more <= t->limit / 2;
}

/* What is not there may be made at once when nobody else is at work, else later, by tree_grow. */
static bool may_move(struct tree *t)
{
    if (t->shared) __atomic_store_n(&t->tight, true, __ATOMIC_RELAXED);
    return !t->shared;
}

static bool reserve_space(struct tree *t, uint32_t words)
{
    uint64_t need = t->used + (uint64_t)t->owed + words;
    if (need <= t->capacity) return true;
    uint64_t want = t->capacity;
    while (want < need) want += want / 2;
    if (want >= UINT32_MAX || !may_grow(t, (want - t->capacity) * 8)) return false;
    uint64_t *grown = pool_grow(t->space, (size_t)t->used * 8, space_bytes(t), want * 8);
    if (!grown) return false;
    t->space = grown;
    t->capacity = (uint32_t)want;
    return true;
}

static uint64_t table_load(const struct tree *t, uint32_t slot)
{
    return __atomic_load_n(&t->table[slot], __ATOMIC_ACQUIRE);
}

static bool is_state(const struct tree_node *n, const uint64_t *state, uint32_t words, uint64_t hash)
{
    return n->hash == hash && n->words == words && memcmp(n->body, state, words * sizeof *state) == 0;
}

/* Enter a node unless somebody was faster: the number of the one that is there then. */
static uint32_t table_publish(struct tree *t, uint32_t node)
{
    const struct tree_node *n = tree_node(t, node);
    uint64_t entry = table_entry(node, n->hash);
    for (uint32_t i = (uint32_t)(n->hash >> 32) & t->mask;; i = (i + 1) & t->mask) {
        uint64_t there = 0;
        if (__atomic_compare_exchange_n(&t->table[i], &there, entry, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return node;
        if (there >> 32 == n->hash >> 32 &&
            is_state(tree_node(t, (uint32_t)there), n->body, n->words, n->hash))
            return (uint32_t)there;
    }
}

uint32_t tree_find(const struct tree *t, const uint64_t *state, uint32_t words, uint64_t hash)
{
    uint64_t entry;
    for (uint32_t i = (uint32_t)(hash >> 32) & t->mask; (entry = table_load(t, i)); i = (i + 1) & t->mask)
        if (entry >> 32 == hash >> 32 && is_state(tree_node(t, (uint32_t)entry), state, words, hash)) break;
    return (uint32_t)entry;
}

static bool grow_table(struct tree *t, uint32_t times)
{
    size_t size = ((size_t)t->mask + 1) * times;
    if (size > UINT32_MAX || !may_grow(t, (size - t->mask - 1) * sizeof *t->table)) return false;
    uint64_t *table = pool_take_zeroed(size * sizeof *table);
    if (!table) return false;
    for (uint32_t i = 0; i <= t->mask; i++)
        if (t->table[i]) table_insert(table, (uint32_t)size - 1, t->table[i]);
    pool_give(t->table, table_bytes(t));
    t->table = table;
    t->mask = (uint32_t)size - 1;
    return true;
}

/* All together they may leave an eighth of the table uncounted. */
void tree_share(struct tree *t, uint32_t threads)
{
    t->shared = false;
    while (threads > 1 && t->mask < threads * THREAD_SLOTS && grow_table(t, 2)) {
    }
    t->shared = threads > 1;
    t->uncounted = t->mask / 8 / threads < CLAIM_NODES ? t->mask / 8 / threads : CLAIM_NODES;
}

/* Words for a node: its number, 0 if there is no room. Those that are owed are not for nodes. */
static uint32_t take_space(struct tree *t, uint32_t words)
{
    uint32_t at = count_of(&t->used);
    do {
        if (at + (uint64_t)t->owed + words <= t->capacity) continue;
        if (!may_move(t) || !reserve_space(t, words)) return 0;
    } while (
        !__atomic_compare_exchange_n(&t->used, &at, at + words, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return at;
}

void tree_release(struct tree *t, struct tree_claim *claim)
{
    uint32_t left = claim->end - claim->at;
    if (left)
        *(struct tree_block *)(t->space + claim->at) = (struct tree_block){.mark = TREE_BLOCK, .size = left};
    if (claim->nodes) count_add(t, &t->nodes, claim->nodes);
    *claim = (struct tree_claim){0};
}

/* The same from what a thread has claimed. What is left of that has room for the head of a block or is
 * nothing: a node may get a word or two more. */
static uint32_t take_claimed(struct tree *t, struct tree_claim *claim, uint32_t *words)
{
    enum { HEAD = sizeof(struct tree_block) / 8 };
    if (!t->shared || !claim || *words > CLAIM_WORDS / 4) return take_space(t, *words);
    if (claim->end - claim->at < *words) {
        tree_release(t, claim);
        uint32_t at = take_space(t, CLAIM_WORDS);
        if (!at) return 0;
        *claim = (struct tree_claim){at, at + CLAIM_WORDS, 0};
    }
    if (claim->end - claim->at < *words + HEAD) *words = claim->end - claim->at;
    claim->at += *words;
    return claim->at - *words;
}

static void count_node(struct tree *t, struct tree_claim *claim)
{
    if (!t->shared || !claim) {
        count_add(t, &t->nodes, 1);
    } else if (++claim->nodes >= t->uncounted) {
        count_add(t, &t->nodes, claim->nodes);
        claim->nodes = 0;
    }
}

static bool table_crowded(const struct tree *t)
{
    return count_of(&t->nodes) + 1 > t->mask - t->mask / 4;
}

/* The moves of all roles are numbers of two bytes. */
static bool can_fold(const struct tree *t, const struct list *legal)
{
    for (uint32_t r = 0; r < t->nroles; r++)
        if (legal[r].n && legal[r].v[legal[r].n - 1] > UINT16_MAX) return false;
    return true;
}

static void write_folded(const struct tree *t, struct tree_node *n, const struct list *legal)
{
    uint16_t *moves = (uint16_t *)node_folded_moves(t, n);
    n->flags |= NODE_FOLDED;
    for (uint32_t r = 0; r < t->nroles; r++)
        for (uint32_t i = 0; i < legal[r].n; i++) *moves++ = (uint16_t)legal[r].v[i];
}

void tree_unfold(struct tree *t, struct tree_node *n)
{
    if (!node_is_folded(n)) return;
    const uint32_t *first = node_first(t, n);
    uint32_t total = first[t->nroles], words = (uint32_t)block_words(total);
    struct tree_block *block = (struct tree_block *)(t->space + t->used);
    const struct folded *folded = node_folded(t, n);
    const uint16_t *moves = node_folded_moves(t, n);
    *block = (struct tree_block){.mark = TREE_BLOCK, .size = words};
    n->actions = t->used + (uint32_t)(sizeof *block / 8);
    n->flags &= ~(uint32_t)NODE_FOLDED;
    t->used += words;
    t->owed -= words;
    struct tree_action *a = node_all_actions(t, n);
    for (uint32_t i = 0; i < total; i++) a[i] = (struct tree_action){.move = moves[i]};
    for (uint32_t r = 0; r < t->nroles; r++) {
        if (!folded[r].choice) continue;
        struct tree_action *taken = &a[first[r] + folded[r].choice - 1];
        taken->n = n->visits;
        taken->mean = folded[r].mean;
        taken->pending = !n->visits && first[r + 1] - first[r] > 1;
    }
}

uint32_t tree_add(struct tree *t, struct tree_claim *claim, const uint64_t *state, uint32_t words,
                  uint64_t hash, bool terminal, const struct list *legal)
{
    uint32_t total = 0, choosing = 0, mover = 0;
    for (uint32_t r = 0; r < t->nroles && !terminal; r++) {
        total += legal[r].n;
        if (legal[r].n > 1) choosing++, mover = r;
    }
    bool folded = t->folds && !terminal && can_fold(t, legal);
    uint32_t owed = folded ? (uint32_t)block_words(total) : 0;
    size_t size = fixed_words(t, words), fixed = size;
    if (folded)
        size += t->nroles * sizeof(struct folded) / 8 + (total + 3) / 4;
    else
        size += action_words(total) + rave_words(t, total) + best_words(t, total) + leads_words(t, total);
    uint32_t node = 0, all = (uint32_t)size + owed;
    if (!t->full && size <= UINT32_MAX / 2 && (!table_crowded(t) || (may_move(t) && grow_table(t, 2))))
        node = take_claimed(t, claim, &all);
    if (!node) {
        if (!t->shared) t->full = true;
        return 0;
    }
    if (folded) t->used -= owed, t->owed += owed; /* nobody else is at work */
    struct tree_node *n = tree_node(t, node);
    memset(n, 0, size * 8);
    n->hash = hash;
    n->words = words;
    n->size = all - owed;
    n->mover = choosing > 1 ? NO_MOVER : mover;
    n->flags = terminal ? NODE_TERMINAL : 0;
    memcpy(n->body, state, words * sizeof *state);
    if (t->with_bounds) memcpy(node_bounds(t, n), t->widest, t->nroles * sizeof *t->widest);
    if (t->with_leads) *node_lead(t, n) = (struct lead){-1, -1};
    uint32_t *first = node_first(t, n);
    for (uint32_t r = 0; r < t->nroles; r++) first[r + 1] = first[r] + (terminal ? 0 : legal[r].n);
    if (folded) {
        write_folded(t, n, legal);
    } else {
        n->actions = node + (uint32_t)fixed;
        struct tree_action *a = node_all_actions(t, n);
        for (uint32_t r = 0; r < t->nroles && !terminal; r++)
            for (uint32_t i = 0; i < legal[r].n; i++) a[first[r] + i].move = legal[r].v[i];
        for (uint32_t i = 0; i < total && t->with_leads; i++) node_leads(t, n, 0)[i] = -1;
    }
    uint32_t there = table_publish(t, node);
    if (there == node) count_node(t, claim);
    return there;
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

/* Where the edge is, or the empty slot where it would be. */
static uint32_t edge_slot(const struct tree *t, uint32_t parent, uint64_t joint, uint32_t *edge)
{
    uint32_t i = (uint32_t)hash_mix(parent, joint) & t->edge_mask;
    for (; (*edge = __atomic_load_n(&t->edge_slots[i], __ATOMIC_ACQUIRE)); i = (i + 1) & t->edge_mask)
        if (t->edges[*edge].parent == parent && t->edges[*edge].joint == joint) break;
    return i;
}

uint32_t tree_child(const struct tree *t, uint32_t node, const uint32_t *choice)
{
    struct tree_node *n = tree_node(t, node);
    if (n->mover != NO_MOVER)
        return __atomic_load_n(&node_action(t, n, n->mover)[choice[n->mover]].child, __ATOMIC_ACQUIRE);
    if (node_flags(n) & NODE_JOINT)
        return __atomic_load_n(&node_children(t, n)[joint_number(t, n, choice)], __ATOMIC_ACQUIRE);
    uint32_t edge;
    edge_slot(t, node, joint_number(t, n, choice), &edge);
    return __atomic_load_n(&t->edges[edge].child, __ATOMIC_ACQUIRE);
}

struct tree_edge *tree_edge(const struct tree *t, uint32_t node, const uint32_t *choice)
{
    uint32_t edge;
    edge_slot(t, node, joint_number(t, tree_node(t, node), choice), &edge);
    return edge ? &t->edges[edge] : NULL;
}

static bool grow_edges(struct tree *t)
{
    size_t cap = (size_t)t->edges_cap * 2, slots = ((size_t)t->edge_mask + 1) * 2;
    if (!may_grow(t, t->edges_cap * sizeof *t->edges + slots / 2 * sizeof *t->edge_slots)) return false;
    struct tree_edge *edges =
        pool_grow(t->edges, t->edges_used * sizeof *edges, edges_bytes(t), cap * sizeof *edges);
    if (!edges) return false;
    t->edges = edges;
    t->edges_cap = (uint32_t)cap;
    uint32_t *table = pool_take_zeroed(slots * sizeof *table);
    if (!table) return false;
    pool_give(t->edge_slots, slots_bytes(t));
    t->edge_slots = table;
    t->edge_mask = (uint32_t)slots - 1;
    for (uint32_t i = 1, none; i < t->edges_used; i++)
        if (t->edges[i].child) /* else somebody was faster with it */
            t->edge_slots[edge_slot(t, t->edges[i].parent, t->edges[i].joint, &none)] = i;
    return true;
}

/* A new edge: its number, 0 if there is no room. */
static uint32_t take_edge(struct tree *t)
{
    uint32_t at = count_of(&t->edges_used);
    do {
        if (at < t->edges_cap) continue;
        if (!may_move(t)) return 0;
        if (!grow_edges(t)) {
            t->edges_full = true;
            return 0;
        }
    } while (
        !__atomic_compare_exchange_n(&t->edges_used, &at, at + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return at;
}

void tree_add_edge(struct tree *t, uint32_t node, uint64_t joint, uint32_t child)
{
    uint32_t there, slot = edge_slot(t, node, joint, &there), edge = there ? 0 : take_edge(t);
    if (edge) {
        struct tree_node *n = tree_node(t, node);
        t->edges[edge] = (struct tree_edge){.joint = joint, .parent = node, .child = child};
        do /* another slot after growing, or when somebody was faster */
            slot = edge_slot(t, node, joint, &there);
        while (!there && !__atomic_compare_exchange_n(&t->edge_slots[slot], &there, edge, false,
                                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
        if (!there) {
            uint32_t *next = &t->edges[edge].next;
            *next = count_of(&n->edges);
            while (!__atomic_compare_exchange_n(&n->edges, next, edge, true, __ATOMIC_ACQ_REL,
                                                __ATOMIC_ACQUIRE)) {
            }
            return;
        }
        t->edges[edge].child = 0;
    }
    if (there) __atomic_store_n(&t->edges[there].child, child, __ATOMIC_RELEASE);
}

/* All wait meanwhile, so it is done seldom: by more than one thread alone would. */
bool tree_grow(struct tree *t)
{
    bool shared = t->shared, good = true, slots = table_crowded(t), edges = t->edges_used == t->edges_cap;
    uint32_t room = t->capacity - t->used;
    t->shared = t->tight = false;
    if (slots) good &= grow_table(t, 4) || grow_table(t, 2);
    if (edges) good &= grow_edges(t);
    if ((!slots && !edges) || room < t->capacity / 4)
        good &= reserve_space(t, room + 2 * t->capacity) || reserve_space(t, room + 1);
    t->shared = shared;
    return good;
}

/* A row for the children of a node that has none yet, where one search has the tree to itself and there is
 * room beside what is owed. */
static bool make_row(struct tree *t, struct tree_node *n)
{
    if (!t->folds || t->shared || n->edges) return false;
    uint64_t joint = joint_count(t, n);
    uint32_t head = sizeof(struct tree_block) / 8, words = head + children_words(joint);
    if (joint > ROW || t->used + (uint64_t)t->owed + words > t->capacity) return false;
    struct tree_block *block = (struct tree_block *)(t->space + t->used);
    memset(block, 0, (size_t)words * 8);
    *block = (struct tree_block){.mark = TREE_BLOCK, .size = words};
    n->edges = t->used + head;
    n->flags |= NODE_JOINT;
    t->used += words;
    return true;
}

void tree_link(struct tree *t, uint32_t node, const uint32_t *choice, uint32_t child)
{
    struct tree_node *n = tree_node(t, node);
    if (n->mover != NO_MOVER)
        __atomic_store_n(&node_action(t, n, n->mover)[choice[n->mover]].child, child, __ATOMIC_RELEASE);
    else if (node_flags(n) & NODE_JOINT || make_row(t, n))
        __atomic_store_n(&node_children(t, n)[joint_number(t, n, choice)], child, __ATOMIC_RELEASE);
    else
        tree_add_edge(t, node, joint_number(t, n, choice), child);
}
