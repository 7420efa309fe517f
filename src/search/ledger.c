// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/ledger.h"

#include <stdlib.h>

enum {
    SLOTS = 512,
    EIGHTH = 8, /* of the visits, the part that all hands together may keep back */
    LEAST = 4,  /* visits between two tellings: below that a copy does not pay */
    MOST = 64,  /* later ones would be stale for too long */
    SHARE = 16  /* of the tree's memory, the part that all copies together may take */
};

struct entry {
    uint32_t node; /* 0: none */
    uint32_t left; /* visits until the tree is told */
    uint32_t visits, told;
    uint32_t room;                    /* actions that the arrays are for */
    struct tree_action *now, *before; /* as counted here; as the tree knew them last */
    struct rave *rave, *rave_before;
};

struct ledger {
    struct entry slot[SLOTS];
    size_t bytes; /* of all copies */
};

struct ledger *ledger_new(void)
{
    return calloc(1, sizeof(struct ledger));
}

void ledger_free(struct ledger *l)
{
    if (!l) return;
    for (uint32_t i = 0; i < SLOTS; i++) free(l->slot[i].now);
    free(l);
}

static uint32_t number_of(const struct hand *h, const struct tree_node *n)
{
    return (uint32_t)((const uint64_t *)n - h->search->tree->space);
}

static uint32_t slot_of(uint32_t node)
{
    return (node * 0x9e3779b1u) >> 16 & (SLOTS - 1);
}

/* Visits of a node after which its hands tell. */
static uint32_t patience(const struct mcts *m, uint32_t visits)
{
    uint32_t each = visits / (EIGHTH * m->nhands);
    return each < MOST ? each : MOST;
}

/* All counts and means of an entry lie in one block. */
static bool reserve(const struct hand *h, struct entry *e, uint32_t actions)
{
    const struct mcts *m = h->search;
    struct ledger *l = h->ledger;
    bool with_rave = m->tree->with_rave;
    if (e->room >= actions) return true;
    size_t each = 2 * (sizeof *e->now + (with_rave ? sizeof *e->rave : 0)), more = (actions - e->room) * each;
    if (l->bytes + more > m->tree->limit / SHARE / m->nhands) return false;
    struct tree_action *block =
        aligned_alloc(TREE_LINE, (actions * each + TREE_LINE - 1) / TREE_LINE * TREE_LINE);
    if (!block) return false;
    free(e->now);
    l->bytes += more;
    e->now = block;
    e->rave = with_rave ? (struct rave *)(block + actions) : NULL;
    e->before = with_rave ? (struct tree_action *)(e->rave + actions) : block + actions;
    e->rave_before = with_rave ? (struct rave *)(e->before + actions) : NULL;
    e->room = actions;
    return true;
}

/* What a hand has added to `n` samples with a mean is added to what the tree knows by now. */
static void tell_mean(uint32_t *n, float *mean, uint32_t now, float now_mean, uint32_t before,
                      float before_mean)
{
    if (now == before && now_mean == before_mean) return;
    uint32_t more = now - before, all = __atomic_add_fetch(n, more, __ATOMIC_RELAXED);
    if (all == 0) return;
    float there = mean_of(mean), new;
    do
        new = there +
              ((now_mean - before_mean) * (float)before + (now_mean - there) * (float)more) / (float)all;
    while (!__atomic_compare_exchange(mean, &there, &new, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static void tell(const struct tree *t, struct entry *e)
{
    struct tree_node *n = tree_node(t, e->node);
    uint32_t total = node_first(t, n)[t->nroles];
    struct tree_action *a = node_all_actions(t, n);
    struct rave *rave = t->with_rave ? node_rave(t, n, 0) : NULL;
    if (e->visits != e->told) __atomic_fetch_add(&n->visits, e->visits - e->told, __ATOMIC_RELAXED);
    e->told = e->visits;
    for (uint32_t i = 0; i < total; i++) {
        const struct tree_action *now = &e->now[i], *before = &e->before[i];
        tell_mean(&a[i].n, &a[i].mean, now->n, now->mean, before->n, before->mean);
        if (now->pending != before->pending)
            __atomic_fetch_add(&a[i].pending, now->pending - before->pending, __ATOMIC_RELAXED);
    }
    for (uint32_t i = 0; i < total && rave; i++)
        tell_mean(&rave[i].n, &rave[i].mean, e->rave[i].n, e->rave[i].mean, e->rave_before[i].n,
                  e->rave_before[i].mean);
}

/* Copy what the tree knows. */
static void learn(const struct mcts *m, struct entry *e)
{
    const struct tree *t = m->tree;
    struct tree_node *n = tree_node(t, e->node);
    uint32_t total = node_first(t, n)[t->nroles];
    const struct tree_action *a = node_all_actions(t, n);
    const struct rave *rave = t->with_rave ? node_rave(t, n, 0) : NULL;
    e->visits = e->told = count_of(&n->visits);
    e->left = patience(m, e->visits);
    for (uint32_t i = 0; i < total; i++)
        e->now[i] = e->before[i] = (struct tree_action){.move = a[i].move,
                                                        .n = count_of(&a[i].n),
                                                        .mean = mean_of(&a[i].mean),
                                                        .pending = count_of(&a[i].pending)};
    for (uint32_t i = 0; i < total && rave; i++)
        e->rave[i] = e->rave_before[i] = (struct rave){mean_of(&rave[i].mean), count_of(&rave[i].n)};
}

bool ledger_has(const struct ledger *l, uint32_t node)
{
    return l->slot[slot_of(node)].node == node;
}

bool ledger_find(struct hand *h, struct tree_node *n, struct tally *out)
{
    const struct mcts *m = h->search;
    const struct tree *t = m->tree;
    uint32_t node = number_of(h, n);
    struct entry *e = &h->ledger->slot[slot_of(node)];
    if (e->node != node) {
        uint32_t visits = count_of(&n->visits);
        if (patience(m, visits) < LEAST) return false;
        if (e->node && visits - visits / EIGHTH <= e->visits) return false; /* the hotter one stays */
        if (e->node) tell(t, e);
        e->node = 0;
        if (!reserve(h, e, node_first(t, n)[t->nroles])) return false;
        e->node = node;
        learn(m, e);
    }
    *out = (struct tally){&e->visits, e->now, e->rave, true, true};
    return true;
}

void ledger_counted(struct hand *h, const struct tree_node *n)
{
    struct entry *e = &h->ledger->slot[slot_of(number_of(h, n))];
    if (e->left-- > 1) return;
    tell(h->search->tree, e);
    learn(h->search, e);
}

void ledger_drop(struct hand *h, const struct tree_node *n)
{
    uint32_t node = number_of(h, n);
    struct entry *e = h->ledger ? &h->ledger->slot[slot_of(node)] : NULL;
    if (!e || e->node != node) return;
    tell(h->search->tree, e);
    e->node = 0;
}

void ledger_close(struct hand *h)
{
    for (uint32_t i = 0; i < SLOTS && h->ledger; i++) {
        struct entry *e = &h->ledger->slot[i];
        if (e->node) tell(h->search->tree, e);
        e->node = 0;
    }
}
