// SPDX-License-Identifier: GPL-3.0-or-later
/* What the search has to say: moves at the root, the expected line, the move to play. */
#include "search/implicit.h"
#include "search/prove.h"

#include <stdlib.h>

static int by_visits(const void *a, const void *b)
{
    const struct mcts_move *x = a, *y = b;
    if (x->n != y->n) return x->n > y->n ? -1 : 1;
    if (x->mean != y->mean) return x->mean > y->mean ? -1 : 1;
    return x->move < y->move ? -1 : x->move > y->move;
}

/* A move at the root as the search knows it, or as all searches of a pool do. */
struct row {
    uint32_t move, n;
    float mean, best, rave;
    float lead; /* by judged positions; negative: not known */
    bool raved; /* there is something in `rave` */
    bool out, solved;
    struct bound bound; /* for the role, of what the move leads to */
    uint32_t plies;     /* to the end, if solved */
};

static struct row row_of(const struct mcts *m, uint32_t role, uint32_t i)
{
    struct tree_node *root = tree_node(m->tree, m->tree->root);
    const struct tree_action *a = node_action(m->tree, root, role) + i;
    struct row row = {.move = a->move, .n = a->n, .mean = a->mean, .out = action_is(a, ACTION_OUT)};
    row.lead = implicit_root(m, role, i);
    row.bound = prove_action(m, role, i, &row.plies, &row.solved);
    if (m->pool) {
        const struct pooled *p = m->pool + (a - node_action(m->tree, root, 0));
        row.n = (uint32_t)p->n;
        row.mean = p->n > 0 ? (float)(p->sum / p->n) : 0;
        row.best = p->best;
        row.raved = p->rave_n > 0;
        if (row.raved) row.rave = (float)(p->rave_sum / p->rave_n);
        return row;
    }
    if (m->single && m->opt.tree) row.best = node_best(m->tree, root, role)[i];
    if (m->opt.rave) {
        const struct rave *rave = node_rave(m->tree, root, role) + i;
        row.rave = rave->mean;
        row.raved = rave->n > 0;
    }
    return row;
}

uint32_t mcts_moves(struct mcts *m, uint32_t role, struct mcts_move *out, uint32_t room)
{
    uint32_t count = node_actions(m->tree, tree_node(m->tree, m->tree->root), role);
    struct mcts_move *all = count <= room ? out : malloc(count * sizeof *all);
    if (!all) return 0;
    for (uint32_t i = 0; i < count; i++) {
        struct row row = row_of(m, role, i);
        all[i] = (struct mcts_move){.move = row.move,
                                    .n = row.n,
                                    .mean = row.mean,
                                    .best = row.best,
                                    .rave = row.rave,
                                    .low = row.bound.low,
                                    .high = row.bound.high,
                                    .plies = row.solved ? row.plies : 0};
    }
    qsort(all, count, sizeof *all, by_visits);
    if (all != out) {
        for (uint32_t i = 0; i < room; i++) out[i] = all[i];
        free(all);
    }
    return count;
}

/* Visits of a role's moves at the root: of all, and how many are often. */
struct tally {
    uint32_t visits, often;
};

/* A mean is trusted when the search came back to the move: from some simulations on, half as often as to the
 * one it liked best. Before that visits say little. */
static struct tally tally_root(const struct mcts *m, uint32_t role)
{
    enum { FEW = 2000 };
    uint32_t count = node_actions(m->tree, tree_node(m->tree, m->tree->root), role), most = 0;
    struct tally t = {0};
    for (uint32_t i = 0; i < count; i++) {
        struct row row = row_of(m, role, i);
        t.visits += row.n;
        if (row.n > most && !row.out) most = row.n;
    }
    if (m->opt.final == FINAL_ROBUST && t.visits >= FEW) t.often = most / 2;
    return t;
}

/* The papers play the move with the best mean; in one-player games the one that led to the best result seen
 * (002 §3.3.5). Ties go to more visits. With RAVE the mean is mixed with it as in the tree: a move tried once
 * and won would otherwise be played, since the search, trusting RAVE, never looked at it again. */
static float worth(const struct mcts *m, const struct row *row, const struct tally *t)
{
    float beta = m->opt.rave && row->raved ? select_beta(m->opt.rave_mix, (float)m->opt.rave, t->visits) : 0;
    float mixed = beta * row->rave + (1 - beta) * row->mean;
    return row->lead < 0 ? mixed : mixed + m->opt.implicit * (row->lead - mixed);
}

/* What is proved comes first: a move that is out is no move. If the value is known, those that reach it; of
 * wins the shortest known, of losses the longest, then where the other is more likely to go wrong. */
static int compare_proved(const struct mcts *m, const struct row *a, const struct row *b, uint32_t role)
{
    struct bound all = prove_root(m, role);
    bool known = all.high - all.low < 1e-3f, wins = known && all.low >= prove_most(m, role);
    if (known && (a->bound.low >= all.low - 1e-3f) != (b->bound.low >= all.low - 1e-3f))
        return a->bound.low > b->bound.low ? 1 : -1;
    if (a->out != b->out) return b->out ? 1 : -1;
    if (!known || !a->solved || !b->solved || a->plies == b->plies) return 0;
    if (wins) return a->plies < b->plies ? 1 : -1;
    return all.low <= prove_least(m, role) ? (a->plies > b->plies ? 1 : -1) : 0;
}

/* Positive: a is better than b; 0: nothing tells them apart. */
static int compare(const struct mcts *m, const struct row *a, const struct row *b, uint32_t role,
                   const struct tally *t)
{
    int proved = prove_is_on(m) ? compare_proved(m, a, b, role) : 0;
    if (proved) return proved;
    float x = worth(m, a, t), y = worth(m, b, t);
    if (!a->n != !b->n) return a->n > 0 ? 1 : -1;
    if (m->single && m->opt.tree && a->best != b->best) return a->best > b->best ? 1 : -1;
    if (m->opt.final == FINAL_VISITS && a->n != b->n) return a->n > b->n ? 1 : -1;
    if ((a->n >= t->often) != (b->n >= t->often)) return a->n >= t->often ? 1 : -1;
    if (x != y) return x > y ? 1 : -1;
    return a->n > b->n ? 1 : a->n < b->n ? -1 : 0;
}

struct rank {
    const struct mcts *m;
    struct row row;
    struct tally tally;
    uint32_t role, index, chosen; /* index of the move; the move that is played */
};

static int by_rank(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    int better = compare(x->m, &x->row, &y->row, x->role, &x->tally);
    if (better) return -better;
    if ((x->row.move == x->chosen) != (y->row.move == y->chosen)) return x->row.move == x->chosen ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

uint32_t mcts_ranking(struct mcts *m, uint32_t role, struct mcts_move *out, uint32_t room)
{
    uint32_t count = m->tree->root ? node_actions(m->tree, tree_node(m->tree, m->tree->root), role) : 0;
    struct rank *all = malloc((count + 1) * sizeof *all);
    struct tally tally = count ? tally_root(m, role) : (struct tally){0};
    uint32_t chosen = UINT32_MAX;
    if (!all) return 0;
    mcts_best(m, role, &chosen);
    for (uint32_t i = 0; i < count; i++)
        all[i] = (struct rank){m, row_of(m, role, i), tally, role, i, chosen};
    qsort(all, count, sizeof *all, by_rank);
    for (uint32_t i = 0; i < count && i < room; i++) {
        const struct row *row = &all[i].row;
        out[i] = (struct mcts_move){.move = row->move,
                                    .n = row->n,
                                    .mean = row->mean,
                                    .best = row->best,
                                    .rave = row->rave,
                                    .value = worth(m, row, &tally),
                                    .low = row->bound.low,
                                    .high = row->bound.high,
                                    .plies = row->solved ? row->plies : 0};
    }
    free(all);
    return count;
}

/* Where two choose at once and the value is known, moves are drawn as often as the equilibrium has them: the
 * best mean would be found out. */
static bool draw_from_mixture(const struct mcts *m, uint32_t role, uint32_t count, struct rng *rng,
                              uint32_t *move)
{
    double *share = prove_is_on(m) ? malloc(count * sizeof *share) : NULL;
    bool known = share && prove_mixture(m, role, share);
    if (known) {
        double left = rng_unit(rng);
        uint32_t i = 0;
        while (i + 1 < count && left >= share[i]) left -= share[i++];
        while (i > 0 && share[i] <= 0) i--;
        *move = node_action(m->tree, tree_node(m->tree, m->tree->root), role)[i].move;
    }
    free(share);
    return known;
}

/* Where nothing tells moves apart, the order of the rules must not: any one, but the same each time it is
 * asked. */
bool mcts_best(struct mcts *m, uint32_t role, uint32_t *move)
{
    if (!m->tree->root) return false;
    const struct tree_node *n = tree_node(m->tree, m->tree->root);
    uint32_t count = node_actions(m->tree, n, role), ties = 1;
    if (count == 0) return false;
    struct tally tally = tally_root(m, role);
    struct rng rng;
    rng_init(&rng, m->opt.seed ^ n->hash);
    if (draw_from_mixture(m, role, count, &rng, move)) return true;
    struct row best = row_of(m, role, 0);
    for (uint32_t i = 1; i < count; i++) {
        struct row row = row_of(m, role, i);
        int better = compare(m, &row, &best, role, &tally);
        if (better > 0) ties = 1;
        if (better > 0 || (better == 0 && rng_below(&rng, ++ties) == 0)) best = row;
    }
    *move = best.move;
    return true;
}

uint32_t mcts_line(struct mcts *m, uint32_t *moves, uint32_t max_steps)
{
    uint32_t node = m->tree->root, steps = 0, choice[MCTS_MAX_ROLES];
    while (node && steps < max_steps) {
        struct tree_node *n = tree_node(m->tree, node);
        if ((n->flags & NODE_TERMINAL) || n->visits == 0) break;
        tree_unfold(m->tree, n);
        bool seen = true;
        for (uint32_t r = 0; r < m->nroles; r++) {
            uint32_t count = node_actions(m->tree, n, r), best = 0;
            const struct tree_action *a = node_action(m->tree, n, r);
            for (uint32_t i = 1; i < count; i++)
                if (a[i].n > a[best].n) best = i;
            seen &= count > 0 && a[best].n > 0;
            choice[r] = best;
            if (count) moves[steps * m->nroles + r] = a[best].move;
        }
        if (!seen) break;
        steps++;
        node = m->opt.tree ? tree_child(m->tree, node, choice) : 0;
    }
    return steps;
}

float mcts_value(struct mcts *m, uint32_t role)
{
    if (!m->tree->root) return 50;
    struct bound known = prove_root(m, role);
    if (prove_is_on(m) && known.high - known.low < 1e-3f) return known.low;
    double sum = 0, visits = 0;
    uint32_t count = node_actions(m->tree, tree_node(m->tree, m->tree->root), role);
    for (uint32_t i = 0; i < count; i++) {
        struct row row = row_of(m, role, i);
        sum += (double)row.mean * row.n, visits += row.n;
    }
    return visits > 0 ? (float)(sum / visits) : 50;
}
