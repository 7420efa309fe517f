// SPDX-License-Identifier: GPL-3.0-or-later
/* A search: set up, put somewhere, counted, pooled with others. */
#include "search/mcts.h"

#include "search/driver.h"
#include "search/implicit.h"
#include "search/ledger.h"
#include "search/meeting.h"
#include "search/mirror.h"
#include "search/prove.h"
#include "search/solver/outcomes.h"
#include "search/wires/leaves.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_MAX_STEPS 20000

/* Bounds begin with what the rules say can come out at all. */
static bool begin_bounds(struct mcts *m)
{
    const struct outcomes *o = m->opt.outcomes;
    struct bound widest[MCTS_MAX_ROLES];
    m->opt.outcomes = NULL;
    if (!o || !m->opt.tree) m->opt.solver = SOLVER_OFF;
    if (m->opt.solver == SOLVER_OFF) return true;
    for (uint32_t r = 0; r < m->nroles; r++)
        widest[r] = (struct bound){(float)outcomes_low(o, r), (float)outcomes_high(o, r)};
    m->constant_sum = o->constant_sum;
    m->sum = o->sum;
    return tree_bound(m->tree, widest);
}

struct mcts *mcts_new(const struct mcts_options *options, struct reasoner *reasoner, struct policy **policies,
                      uint32_t nhands, struct error *error)
{
    uint32_t nroles = reasoner->game->nroles;
    if (nroles > MCTS_MAX_ROLES)
        return error_set(error, ERROR_INPUT, "more than %d roles", MCTS_MAX_ROLES), NULL;
    struct mcts *m = calloc(1, sizeof *m);
    if (!m) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    m->opt = *options;
    m->reasoner = reasoner;
    m->nroles = nroles;
    m->single = nroles == 1;
    m->best = -1;
    m->max_steps = DEFAULT_MAX_STEPS;
    m->nhands = nhands;
    m->tree = tree_new(nroles, options->memory, options->rave > 0, m->single);
    m->hands = aligned_alloc(TREE_LINE, nhands * sizeof *m->hands);
    if (m->hands) memset(m->hands, 0, nhands * sizeof *m->hands);
    if (nhands > 1) m->meeting = meeting_new();
    if (!m->tree || !m->hands || (nhands > 1 && !m->meeting)) {
        mcts_free(m);
        return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    }
    if (!begin_bounds(m)) {
        mcts_free(m);
        return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    }
    if (!m->opt.judgement || !m->opt.tree || m->opt.implicit <= 0) m->opt.implicit = 0;
    if (m->opt.implicit > 0) tree_lead(m->tree);
    if (!m->opt.judgement && m->opt.cutoff.kind == CUT_JUDGED) m->opt.cutoff = (struct cutoff){0};
    for (uint32_t i = 0; i < nhands; i++) {
        struct hand *h = &m->hands[i];
        h->search = m;
        h->adapt = options->adapt;
        h->kept_reward = -1;
        h->policy = policies[i];
        h->records = !policy_is_uniform(policies[i]) || options->rave || m->single || options->watch;
        rng_init(&h->rng, options->seed + i * 0x9e3779b97f4a7c15u);
    }
    return m;
}

void mcts_free(struct mcts *m)
{
    if (!m) return;
    tree_free(m->tree);
    meeting_free(m->meeting);
    for (uint32_t i = 0; i < m->nhands && m->hands; i++) {
        free(m->hands[i].kept);
        leaves_free(m->hands[i].leaves);
        ledger_free(m->hands[i].ledger);
    }
    free(m->hands);
    free(m->pool);
    free(m);
}

static bool list_moves(struct mcts *m, const struct state *state, struct list *legal, struct error *error)
{
    struct reasoner *r = m->reasoner;
    for (uint32_t i = 0; i < m->nroles; i++) {
        if (!r->ops->legal(r, state, i, &legal[i])) return *error = r->error, false;
        if (legal[i].n == 0)
            return error_set(error, ERROR_INPUT, "role %s has no legal move", r->game->role_names[i]);
    }
    return true;
}

/* A tree with nothing but this state. */
static bool begin_anew(struct mcts *m, const struct state *state, uint64_t hash, struct error *error)
{
    struct list legal[MCTS_MAX_ROLES] = {0};
    bool terminal;
    if (!m->reasoner->ops->terminal(m->reasoner, state, &terminal)) return *error = m->reasoner->error, false;
    bool good = terminal || list_moves(m, state, legal, error);
    if (good) {
        tree_clear(m->tree);
        m->best = -1;
        m->settled = false;
        m->tree->root = tree_add(m->tree, NULL, state->w, state->words, hash, terminal, legal);
        good = m->tree->root || error_set(error, ERROR_MEMORY,
                                          "the memory limit of the search has no room for a single position");
        if (good) tree_unfold(m->tree, tree_node(m->tree, m->tree->root));
        if (good) mirror_look(m, m->tree->root);
        if (good && implicit_is_on(m)) implicit_begin(m, m->tree->root);
    }
    for (uint32_t i = 0; i < m->nroles; i++) list_done(&legal[i]);
    return good;
}

/* Scale the counts of a node so that it has `most` visits; what was seen stays seen. */
static void lighten(struct tree *t, struct tree_node *n, uint32_t most)
{
    double factor = (double)most / n->visits;
    n->visits = most;
    for (uint32_t role = 0; role < t->nroles; role++)
        for (uint32_t i = 0; i < node_actions(t, n, role); i++) {
            struct tree_action *a = node_action(t, n, role) + i;
            if (a->n) a->n = 1 + (uint32_t)(factor * (a->n - 1));
            if (!t->with_rave) continue;
            struct rave *rave = node_rave(t, n, role) + i;
            if (rave->n) rave->n = 1 + (uint32_t)(factor * (rave->n - 1));
        }
}

/* What was found while the position was far away must not outweigh what is found now: no node from here on
 * keeps more than `carry` visits. Those above the limit are few and reached through each other. */
static void lighten_all(struct mcts *m, uint32_t at, uint32_t depth)
{
    enum { DEEP = 10000 };
    struct tree *t = m->tree;
    struct tree_node *n = tree_node(t, at);
    if (n->visits <= m->opt.carry || depth > DEEP) return;
    lighten(t, n, m->opt.carry);
    for (uint32_t role = 0; role < t->nroles; role++)
        for (uint32_t i = 0; i < node_actions(t, n, role); i++) {
            uint32_t child = node_action(t, n, role)[i].child;
            if (child) lighten_all(m, child, depth + 1);
        }
    for (uint32_t e = n->edges; e; e = t->edges[e].next)
        if (t->edges[e].child) lighten_all(m, t->edges[e].child, depth + 1);
}

bool mcts_root(struct mcts *m, const struct state *state, const struct budget *budget, struct error *error)
{
    uint64_t hash = state_hash(state);
    uint32_t node = tree_find(m->tree, state->w, state->words, hash);
    free(m->pool);
    m->pool = NULL;
    for (uint32_t i = 0; i < m->nhands; i++) m->hands[i].kept_reward = -1;
    if (!node) return begin_anew(m, state, hash, error);
    /* What is out of reach now stays for a while: collecting pays when there is much of it. */
    bool moved = m->tree->root != node;
    m->tree->root = node;
    tree_unfold(m->tree, tree_node(m->tree, node));
    if (moved && m->opt.carry) lighten_all(m, node, 0);
    if (moved && budget_counts(budget)) tree_tidy(m->tree, budget);
    if (tree_crowded(m->tree)) driver_make_room(m, budget);
    m->settled = prove_settled(m);
    return true;
}

float mcts_kept(const struct mcts *m, const uint32_t **moves, uint32_t *n)
{
    const struct hand *best = NULL;
    for (uint32_t i = 0; i < m->nhands; i++)
        if (m->hands[i].kept_reward >= 0 && (!best || m->hands[i].kept_reward > best->kept_reward))
            best = &m->hands[i];
    *moves = best ? best->kept : NULL;
    *n = best ? best->nkept : 0;
    return best ? best->kept_reward : -1;
}

bool mcts_ready(const struct mcts *m)
{
    return m->tree->root && !(node_flags(tree_node(m->tree, m->tree->root)) & NODE_TERMINAL);
}

void mcts_begin(struct mcts *m)
{
    m->trouble = NULL;
    m->tree->stuck = false;
}

void mcts_add_stats(struct mcts_stats *sum, const struct mcts_stats *s)
{
    sum->simulations += s->simulations;
    sum->expansions += s->expansions;
    sum->playout_steps += s->playout_steps;
    sum->cut += s->cut;
    sum->undefined_goals += s->undefined_goals;
    sum->rounds += s->rounds;
    sum->meetings += s->meetings;
    sum->waited += s->waited;
    sum->playouts += s->playouts;
    sum->steps += s->steps;
    sum->decided += s->decided;
    sum->depth_sum += s->depth_sum;
    if (s->max_depth > sum->max_depth) sum->max_depth = s->max_depth;
    if (s->seconds > sum->seconds) sum->seconds = s->seconds;
}

void mcts_count(struct mcts *m)
{
    m->stats = (struct mcts_stats){0};
    for (uint32_t i = 0; i < m->nhands; i++) mcts_add_stats(&m->stats, &m->hands[i].stats);
}

/* Roles' moves lie one after the other. */
static struct pooled own_of(const struct mcts *m, uint32_t i)
{
    struct tree_node *root = tree_node(m->tree, m->tree->root);
    const struct tree_action *a = node_action(m->tree, root, 0) + i;
    struct pooled p = {.n = a->n, .sum = (double)a->n * (double)a->mean, .best = -1};
    if (m->opt.rave) {
        const struct rave *rave = node_rave(m->tree, root, 0) + i;
        p.rave_n = rave->n;
        p.rave_sum = (double)rave->n * (double)rave->mean;
    }
    if (m->single && a->n) p.best = node_best(m->tree, root, 0)[i];
    return p;
}

static void pour(struct pooled *pool, const struct pooled *more)
{
    pool->n += more->n;
    pool->sum += more->sum;
    pool->rave_n += more->rave_n;
    pool->rave_sum += more->rave_sum;
    if (more->best > pool->best) pool->best = more->best;
}

uint32_t mcts_actions(const struct mcts *m)
{
    uint32_t actions = 0;
    if (!mcts_ready(m)) return 0;
    const struct tree_node *root = tree_node(m->tree, m->tree->root);
    for (uint32_t role = 0; role < m->nroles; role++) actions += node_actions(m->tree, root, role);
    return actions;
}

uint32_t mcts_action(const struct mcts *m, uint32_t i, uint32_t *role)
{
    struct tree_node *root = tree_node(m->tree, m->tree->root);
    uint32_t left = i;
    for (*role = 0; left >= node_actions(m->tree, root, *role); ++*role)
        left -= node_actions(m->tree, root, *role);
    return node_action(m->tree, root, 0)[i].move;
}

struct pooled mcts_known(const struct mcts *m, uint32_t i)
{
    return m->pool ? m->pool[i] : own_of(m, i);
}

void mcts_pool_add(struct mcts *m, uint32_t i, const struct pooled *more)
{
    if (m->pool) pour(&m->pool[i], more);
}

void mcts_pool(struct mcts *m, struct mcts *const *others, uint32_t n)
{
    uint32_t actions = mcts_actions(m);
    free(m->pool);
    m->pool = NULL;
    if (!actions) return;
    struct pooled *pool = calloc(actions, sizeof *pool);
    if (!pool) return;
    for (uint32_t i = 0; i < actions; i++) pool[i] = own_of(m, i);
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < actions && mcts_ready(others[k]); i++) {
            struct pooled more = own_of(others[k], i);
            pour(&pool[i], &more);
        }
        mcts_add_stats(&m->stats, &others[k]->stats);
    }
    m->pool = pool;
}
