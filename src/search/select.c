// SPDX-License-Identifier: GPL-3.0-or-later
/* Choosing moves inside the tree: UCT, with RAVE and urgency when asked for. */
#include "search/ledger.h"

#include <math.h>
#include <stdlib.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

float select_uct(float mean, uint32_t n, float ln_visits, float c)
{
    return mean + c * sqrtf(ln_visits / (float)n);
}

float select_beta(enum rave_mix mix, float k, uint32_t visits)
{
    float n = (float)visits;
    return mix == RAVE_SHORT ? k / (n + k) : sqrtf(k / (3.0f * n + k));
}

/* Logarithms of small counts, which nearly all are. */
enum { LOGARITHMS = 4096 };
static float logarithms[LOGARITHMS];

__attribute__((constructor)) static void fill_logarithms(void)
{
    for (uint32_t i = 1; i < LOGARITHMS; i++) logarithms[i] = logf((float)i);
}

static float logarithm(uint32_t n)
{
    return n < LOGARITHMS ? logarithms[n] : logf((float)n);
}

#define RAVE_DOUBT                                                                           \
    3.0f /* simulations that say nothing, beside those that RAVE has seen of an untried move \
          */

/* What is `avoid`ed cannot matter. */
static bool is_untried(const struct tree_action *a, uint32_t avoid)
{
    return count_of(&a->n) == 0 && pending_of(a) == 0 && !action_is(a, avoid);
}

/* E-UCT goes where something is still unsolved, as long as there is such a move. */
static uint32_t to_avoid(const struct mcts *m, const struct tree_action *a, uint32_t n)
{
    if (m->opt.solver == SOLVER_OFF) return 0;
    if (m->opt.solver == SOLVER_S) return ACTION_OUT;
    for (uint32_t i = 0; i < n; i++)
        if (!action_is(&a[i], ACTION_OUT | ACTION_SETTLED)) return ACTION_OUT | ACTION_SETTLED;
    return ACTION_OUT;
}

/* Among the moves never tried, the playout policy decides. */
static uint32_t try_new(struct hand *h, const struct tree_action *a, uint32_t n, uint32_t untried,
                        uint32_t avoid, const struct situation *s)
{
    uint32_t few[256], *moves = untried <= 256 ? few : malloc(untried * sizeof *moves), count = 0, last = 0;
    for (uint32_t i = 0; i < n; i++)
        if (is_untried(&a[i], avoid) && count < untried) {
            if (moves) moves[count] = a[i].move;
            count++;
            last = i;
        }
    if (count < 2 || !moves) {
        if (moves != few) free(moves);
        return last;
    }
    uint32_t pick = policy_choose(h->policy, s, &h->rng, moves, count);
    for (uint32_t i = 0; i < n; i++)
        if (a[i].move == moves[pick]) {
            last = i;
            break;
        }
    if (moves != few) free(moves);
    return last;
}

/* Of the moves never tried the one of which RAVE thinks most, and what it is worth: mixed with what UCT would
 * say of a move like the others here, seen once. */
static float likeliest(const struct tree_action *a, const struct rave *rave, uint32_t n, uint32_t avoid,
                       float mean, float beta, float seen_once, uint32_t *first)
{
    float high = -INFINITY;
    *first = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_untried(&a[i], avoid)) continue;
        float known = rave ? (float)count_of(&rave[i].n) : 0, trust = known / (known + RAVE_DOUBT);
        float hint = trust > 0 ? trust * mean_of(&rave[i].mean) + (1 - trust) * mean : mean;
        float value = beta * hint + (1 - beta) * seen_once;
        if (value > high) high = value, *first = i;
    }
    return high;
}

/* --- Means alone ---------------------------------------------------------------------------------------- */

enum { FEW = 128, FOUR = 4 };

/* select_uct of so many actions, rounded up to four; what is computed is the same on every processor. */
static void uct_values(const struct tree_action *a, uint32_t n, float ln_visits, float c, float *out)
{
    float tries[FEW];
    for (uint32_t i = 0; i < n; i++) tries[i] = (float)(int32_t)a[i].n, out[i] = a[i].mean;
#if defined(__x86_64__)
    for (uint32_t i = n; i % FOUR; i++) tries[i] = 1, out[i] = 0;
    for (uint32_t i = 0; i < n; i += FOUR) {
        __m128 wide = _mm_sqrt_ps(_mm_div_ps(_mm_set1_ps(ln_visits), _mm_loadu_ps(tries + i)));
        _mm_storeu_ps(out + i, _mm_add_ps(_mm_loadu_ps(out + i), _mm_mul_ps(_mm_set1_ps(c), wide)));
    }
#else
    for (uint32_t i = 0; i < n; i++) out[i] += c * sqrtf(ln_visits / tries[i]);
#endif
}

/* The best of few actions that were all tried, where nothing is pending, proved or known besides. */
static uint32_t best_mean(struct hand *h, const struct tree_action *a, uint32_t n, float ln_visits, float c)
{
    float value[FEW], top = -INFINITY;
    uint32_t best = 0, ties = 0;
    uct_values(a, n, ln_visits, c, value);
    for (uint32_t i = 0; i < n; i++) {
        if (value[i] > top)
            top = value[i], best = i, ties = 1;
        else if (value[i] == top && rng_below(&h->rng, ++ties) == 0)
            best = i;
    }
    return best;
}

uint32_t select_action(struct hand *h, struct tree_node *node, uint32_t role, const struct situation *s)
{
    const struct mcts *m = h->search;
    uint32_t n = node_actions(m->tree, node, role), first = node_first(m->tree, node)[role];
    if (n == 1) return 0;
    if (!m->opt.tree) return rng_below(&h->rng, n);
    struct tally tally = tally_of(h, node);
    const struct tree_action *a = tally.actions + first;
    uint32_t untried = 0, pending_here = 0, avoid = to_avoid(m, a, n);
    for (uint32_t i = 0; i < n; i++) {
        untried += is_untried(&a[i], avoid);
        pending_here += pending_of(&a[i]);
    }
    if (untried && (untried == n || m->opt.urgency == URGENCY_OFF))
        return try_new(h, a, n, untried, avoid, s);

    uint32_t visits = count_of(tally.visits) + pending_here;
    const struct way_role *way = situation_way(s);
    float ln_visits = logarithm(visits), c = way ? way->c : m->opt.c;
    if (m->tree->folds && untried == 0 && n <= FEW && !m->opt.prior) return best_mean(h, a, n, ln_visits, c);
    float beta = m->opt.rave ? select_beta(m->opt.rave_mix, way ? way->rave : (float)m->opt.rave, visits) : 0;
    const struct rave *rave = m->opt.rave ? tally.rave + first : NULL;
    bool whole = m->opt.rave_mix == RAVE_THESIS;
    float top = -INFINITY, sum = 0, of = 0;
    uint32_t best = 0, ties = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t finished = count_of(&a[i].n), pending = pending_of(&a[i]), tries = finished + pending;
        if (tries == 0 || action_is(&a[i], avoid)) continue;
        float mean = mean_of(&a[i].mean);
        sum += mean * (float)finished;
        of += (float)finished;
        if (pending) mean = mean * (float)finished / (float)tries;
        if (rave && !whole && count_of(&rave[i].n)) mean = beta * mean_of(&rave[i].mean) + (1 - beta) * mean;
        float value = select_uct(mean, tries, ln_visits, c);
        if (rave && whole && count_of(&rave[i].n)) value = beta * mean_of(&rave[i].mean) + (1 - beta) * value;
        if (m->opt.prior) value += m->opt.prior(m->opt.prior_data, node, role, a[i].move);
        if (value > top)
            top = value, best = i, ties = 1;
        else if (value == top && rng_below(&h->rng, ++ties) == 0)
            best = i;
    }
    if (!untried) return best;
    /* Urgency (002 algorithm 6): what UCT would say of a draw seen once, less and less the fewer moves are
     * left. */
    if (m->opt.urgency == URGENCY_THESIS)
        return top < 50 + c * sqrtf(ln_visits) * (float)untried / (float)n
                   ? try_new(h, a, n, untried, avoid, s)
                   : best;
    uint32_t hope;
    float mean = of > 0 ? sum / of : 50, seen_once = mean + c * sqrtf(ln_visits);
    if (likeliest(a, rave, n, avoid, mean, beta, seen_once, &hope) <= top) return best;
    return m->opt.urgency == URGENCY_RAVE ? hope : try_new(h, a, n, untried, avoid, s);
}
