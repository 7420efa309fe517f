/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The game tree of MCTS, really a graph: equal states are one node (transpositions), compared in full.
 *
 *   space (words)                                       table: state hash -> node
 *   ┌───────┬───────────┬──────────────────────────┐
 *   │ header│ state     │ actions of role 0, 1 ... │ ── child ──> node        (one role has a choice)
 *   └───────┴───────────┴──────────────────────────┘
 *                          with several choosing at once: edges, joint choice -> node, chained per node
 *                          and hashed; or, where joint choices are few, a row of children by their number
 *
 * Every role has its own statistics per node (the opponent models of 002 §3.3.4): n(s, a) and the mean reward
 * Q(s, a). `pending` counts simulations on their way through the action: until they return they count as lost
 * (virtual loss).
 *
 * With `with_bounds` every role has bounds per node, too: what it gets from there at least and at most,
 * whoever plays how from the knowledge of the rules alone (prove.h). They only ever get closer. Two bits of
 * `pending` say of an action what follows from them: that it cannot matter any more, that it leads to
 * something settled.
 *
 * Most nodes are visited once. Where one thread has the tree to itself (`folds`), a new node is folded: it
 * has its moves and the one simulation that made it, finished or on its way, in a quarter of the room, and
 * gets its actions when it is visited again.
 *
 * A node is a number (its place in the space); tree_node() turns it into a pointer that is valid until the
 * next tree_add, tree_grow or tree_collect. When the space is full, tree_collect copies what is worth keeping
 * to a new space (a copying collector): what can be reached from the root, and, if that is still too much,
 * only nodes visited often. Numbers change then; tree_moved() tells the new one.
 *
 * Several threads may search one tree (`shared`). They add nodes and edges without locks: space is taken by
 * compare-and-swap, some kilobytes at a time (struct tree_claim), a node is complete before the table names
 * it, and of two that add the same state at the same time the second gets the first one's node. Counts go up
 * and down atomically, means are read and written as they come (now and then one sample is lost). Nothing
 * grows meanwhile: who finds no room sets `tight`, and when all have come together one of them calls
 * tree_grow or tree_collect.
 */
#ifndef SEARCH_TREE_H
#define SEARCH_TREE_H

#include "game/reasoner.h"
#include "search/budget.h"

struct tree_action {
    uint32_t move;
    uint32_t n;       /* N(s, a): finished simulations */
    float mean;       /* Q(s, a) */
    uint32_t child;   /* 0: none yet, or the node uses edges */
    uint32_t pending; /* below the two bits: simulations on their way */
};

#define ACTION_OUT (1u << 31)     /* proved to bring nothing that another does not bring */
#define ACTION_SETTLED (1u << 30) /* wherever it leads, the value is known */

struct bound {
    float low, high;
};

/* What a position seems worth, and what minimax makes of those below it (implicit.h). */
struct lead {
    float seen, backed;
};

struct rave {
    float mean;
    uint32_t n;
};

enum {
    NODE_TERMINAL = 1,
    NODE_GOALS = 2,    /* goals are known */
    NODE_MARKED = 4,   /* while collecting */
    NODE_BOUNDED = 8,  /* something is proved about it */
    NODE_SOLVED = 16,  /* what every role gets */
    NODE_SCOUTED = 32, /* its children were looked at for ends */
    NODE_FOLDED = 64,  /* no actions yet */
    NODE_JOINT = 128   /* children of joint choices are in a row */
};
#define NO_MOVER UINT32_MAX
#define TREE_LINE 64 /* of the cache */

struct tree_node {
    uint64_t hash;
    uint32_t visits;  /* N(s): finished simulations */
    uint32_t actions; /* where they begin, in words of the space; 0: it is folded */
    uint32_t words;   /* of the state */
    uint32_t size;    /* of the node, in words */
    uint32_t mover;   /* the only role with more than one action; 0 if none has; NO_MOVER if several have */
    uint32_t edges;   /* first edge of the chain, or where the row of children begins; 0: none */
    uint32_t forward; /* where it went in the collection going on */
    uint32_t flags;
    uint32_t plies;   /* solved: moves to the end, as far as is known */
    uint32_t changes; /* several choose: how often a child's bounds moved */
    uint64_t body[]; /* state; goals (int16 by role); bounds; lead; first[nroles + 1] (uint32); actions; rave;
                        best; leads */
};

/* What a folded node has instead of actions: the choices made when it was new and what they brought, by role,
 * then the moves, two bytes each. As long as it has no visits, the simulation that made them is pending. */
struct folded {
    uint32_t choice; /* 1 + the action, 0: none */
    float mean;
};

/* What lies in the space where a node was unfolded, or got a row of children: actions, or children, behind a
 * head that walks like a node. */
struct tree_block {
    uint64_t zero;
    uint32_t none[2];
    uint32_t mark; /* TREE_BLOCK, where a node has the words of its state */
    uint32_t size;
};
#define TREE_BLOCK UINT32_MAX

struct tree_edge {
    uint64_t joint;
    uint32_t parent, child, next;
    uint32_t told; /* which bounds of the child the parent knows (prove.c); 0: none */
};

/* What a thread has taken of the space and not filled yet, and the nodes it has added and not counted. */
struct tree_claim {
    uint32_t at, end, nodes;
};

struct tree {
    uint32_t nroles;
    bool with_rave, with_best; /* statistics that only some searches need */
    bool with_bounds;
    bool with_leads;
    bool folds;                    /* nodes are made folded; for one thread, without any of these */
    uint32_t first_at, actions_at; /* parts of a node: words behind its state */
    struct bound *widest;          /* by role: where bounds begin; owned; NULL without bounds */
    size_t limit;                  /* bytes, all together */
    uint64_t *space;
    uint32_t capacity; /* words */
    uint64_t *table;   /* transpositions: part of the hash, node */
    uint32_t mask;
    struct tree_edge *edges;
    uint32_t edges_cap;
    uint32_t *edge_slots, edge_mask;
    uint32_t root; /* 0: none */
    uint64_t collections;
    bool shared;         /* several threads are at work */
    uint32_t uncounted;  /* shared: nodes that each may have added without counting them */
    bool tight;          /* shared, and there was no room: tree_grow */
    bool full;           /* no node can be added until the next collection */
    bool stuck;          /* and that one could not be made: the tree stays as it is */
    bool edges_full;     /* no edge */
    bool marked;         /* a collection was given up and left marks in the nodes */
    uint64_t *old_space; /* kept by tree_collect until tree_forget, for tree_moved */
    size_t old_bytes;
    /* What threads write at every node they add is not where all of them read at every step. */
    _Alignas(TREE_LINE) uint32_t used; /* words */
    uint32_t nodes;
    uint32_t edges_used;
    uint32_t owed; /* words that unfolding all nodes would take: they are kept free */
};

/* `limit` in bytes. NULL without memory. */
struct tree *tree_new(uint32_t nroles, size_t limit, bool with_rave, bool with_best);
/* From now on nodes have bounds, beginning with these; the tree must be empty. False: no memory. */
bool tree_bound(struct tree *t, const struct bound *widest);
/* From now on nodes and actions have leads, not known at first; the tree must be empty. */
void tree_lead(struct tree *t);
void tree_free(struct tree *t);
void tree_clear(struct tree *t); /* forget everything */

static inline struct tree_node *tree_node(const struct tree *t, uint32_t node)
{
    return (struct tree_node *)(t->space + node);
}

/* So many threads are going to search it; one: there is nothing to be shared. */
void tree_share(struct tree *t, uint32_t threads);
/* With a thread at rest: give back what it has claimed. */
void tree_release(struct tree *t, struct tree_claim *claim);

/* It will be looked for soon. */
static inline void tree_expect(const struct tree *t, uint64_t hash)
{
    __builtin_prefetch(&t->table[(uint32_t)(hash >> 32) & t->mask]);
}
uint32_t tree_find(const struct tree *t, const uint64_t *state, uint32_t words,
                   uint64_t hash); /* 0: not there */

/* Counters of nodes and actions. */
static inline uint32_t count_of(const uint32_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}
static inline uint32_t count_add(const struct tree *t, uint32_t *p, uint32_t by) /* returns what it is then */
{
    if (t->shared) return __atomic_add_fetch(p, by, __ATOMIC_RELAXED);
    return *p += by;
}
static inline float mean_of(const float *p)
{
    float x;
    __atomic_load(p, &x, __ATOMIC_RELAXED);
    return x;
}
static inline void mean_set(float *p, float x)
{
    __atomic_store(p, &x, __ATOMIC_RELAXED);
}
static inline uint32_t node_flags(const struct tree_node *n)
{
    return __atomic_load_n(&n->flags, __ATOMIC_ACQUIRE);
}
static inline void node_set_flags(struct tree_node *n, uint32_t flags)
{
    __atomic_fetch_or(&n->flags, flags, __ATOMIC_RELEASE);
}
static inline uint32_t child_of(const struct tree_action *a)
{
    return __atomic_load_n(&a->child, __ATOMIC_ACQUIRE);
}
static inline uint32_t first_edge(const struct tree_node *n)
{
    return __atomic_load_n(&n->edges, __ATOMIC_ACQUIRE);
}
static inline uint32_t edge_child(const struct tree_edge *e)
{
    return __atomic_load_n(&e->child, __ATOMIC_ACQUIRE);
}
static inline uint32_t pending_of(const struct tree_action *a)
{
    return __atomic_load_n(&a->pending, __ATOMIC_RELAXED) & ~(ACTION_OUT | ACTION_SETTLED);
}
static inline bool action_is(const struct tree_action *a, uint32_t what)
{
    return __atomic_load_n(&a->pending, __ATOMIC_RELAXED) & what;
}
static inline void action_mark(struct tree_action *a, uint32_t what)
{
    __atomic_fetch_or(&a->pending, what, __ATOMIC_RELAXED);
}

/* Add a node; legal[role] are its moves (ignored when terminal). 0 if there is no room: collect, or do
 * without. `claim` is the caller's, NULL: it has none. */
uint32_t tree_add(struct tree *t, struct tree_claim *claim, const uint64_t *state, uint32_t words,
                  uint64_t hash, bool terminal, const struct list *legal);

/* Parts of a node. */
static inline uint64_t *node_state(struct tree_node *n)
{
    return n->body;
}
int node_goal(const struct tree *t, const struct tree_node *n, uint32_t role); /* once NODE_GOALS is set */
/* Writes them and sets NODE_GOALS; several threads may write the same. */
void node_set_goals(const struct tree *t, struct tree_node *n, const float *goals);
struct lead *node_lead(const struct tree *t, struct tree_node *n);    /* with_leads only */
struct bound *node_bounds(const struct tree *t, struct tree_node *n); /* by role; with_bounds only */
static inline uint32_t *node_first(const struct tree *t, const struct tree_node *n)
{
    return (uint32_t *)(n->body + n->words + t->first_at);
}
static inline struct tree_action *node_all_actions(const struct tree *t, const struct tree_node *n)
{
    return (struct tree_action *)(t->space + n->actions);
}
/* What it has instead while it is folded. */
static inline bool node_is_folded(const struct tree_node *n)
{
    return __atomic_load_n(&n->flags, __ATOMIC_RELAXED) & NODE_FOLDED;
}
static inline struct folded *node_folded(const struct tree *t, const struct tree_node *n)
{
    return (struct folded *)(n->body + n->words + t->actions_at);
}
static inline const uint16_t *node_folded_moves(const struct tree *t, const struct tree_node *n)
{
    return (const uint16_t *)(node_folded(t, n) + t->nroles);
}
/* Ask for the parts of a node that a descent looks at, all at once, for the caches; nearly all states of a
 * tree have as many words. */
static inline void tree_fetch(const struct tree *t, uint32_t node, uint32_t words)
{
    const uint64_t *body = tree_node(t, node)->body + words;
    __builtin_prefetch(tree_node(t, node));
    __builtin_prefetch(body + t->first_at);
    __builtin_prefetch(body + t->actions_at);
    __builtin_prefetch((const char *)(body + t->actions_at) + TREE_LINE);
}
/* Give a folded node its actions; nothing moves. */
void tree_unfold(struct tree *t, struct tree_node *n);
static inline uint32_t *node_children(const struct tree *t, const struct tree_node *n)
{
    return (uint32_t *)(t->space + n->edges); /* NODE_JOINT */
}
/* The actions of a role: how many, and the first. */
static inline uint32_t node_actions(const struct tree *t, const struct tree_node *n, uint32_t role)
{
    const uint32_t *first = node_first(t, n);
    return first[role + 1] - first[role];
}
static inline struct tree_action *node_action(const struct tree *t, struct tree_node *n, uint32_t role)
{
    return node_all_actions(t, n) + node_first(t, n)[role];
}
static inline size_t action_words(uint32_t count)
{
    return (count * sizeof(struct tree_action) + 7) / 8;
}
/* These lie parallel to the actions. */
static inline struct rave *node_rave(const struct tree *t, const struct tree_node *n, uint32_t role)
{
    const uint32_t *first = node_first(t, n);
    return (struct rave *)((uint64_t *)node_all_actions(t, n) + action_words(first[t->nroles])) + first[role];
}
float *node_best(const struct tree *t, struct tree_node *n, uint32_t role);
float *node_leads(const struct tree *t, const struct tree_node *n, uint32_t role); /* with_leads only */

/* The child for a choice (index of the action per role), 0: none yet. tree_link may do nothing when there is
 * no room for an edge. */
uint32_t tree_child(const struct tree *t, uint32_t node, const uint32_t *choice);
void tree_link(struct tree *t, uint32_t node, const uint32_t *choice, uint32_t child);
/* The edge of a choice, where several have one; NULL: there is none. */
struct tree_edge *tree_edge(const struct tree *t, uint32_t node, const uint32_t *choice);

/* With all threads at rest: make the room that somebody missed. False if the limit forbids it: collect. */
bool tree_grow(struct tree *t);
/* So full that nodes out of reach should go. */
bool tree_crowded(const struct tree *t);
/* Keep what the root reaches; if that is more than `share` of half the limit, drop the least visited. Takes
 * time in proportion to what is kept: nodes not reached by `enough` (a time of the clock, 0: none), which are
 * those far from the root, are dropped. When the budget's deadline has come or its stop is set, it is given
 * up at once: false, and the tree is as before. False without memory, too. */
bool tree_collect(struct tree *t, double share, double enough, const struct budget *budget);
/* The same while nobody is on the way anywhere: numbers are forgotten at once, and the space stays where it
 * is, which is in the caches as far as it can be. */
bool tree_tidy(struct tree *t, const struct budget *budget);
uint32_t tree_moved(const struct tree *t,
                    uint32_t old); /* the new number, 0 if it is gone; until tree_forget */
void tree_forget(struct tree *t);

#endif
