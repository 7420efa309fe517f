// SPDX-License-Identifier: GPL-3.0-or-later
/* Choosing moves inside the tree: UCT, with RAVE and urgency when asked for. */
#include "search/implicit.h"
#include "search/ledger.h"

#include <math.h>
#include <stdlib.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

/* --- Values --------------------------------------------------------------------------------------------- */

enum { CHUNK = 128, FOUR = 4 };

/* What the actions of a role are compared by. */
struct scales {
    float ln_visits, c, beta;
    const struct rave *rave; /* NULL: none */
    bool whole;              /* RAVE is mixed with the whole of UCT, else with the mean */
    uint32_t avoid;
    const float *leads; /* of minimax over judged positions; NULL: none */
    float alpha;        /* and their weight */
    uint32_t role;
};

/* UCT (000 equation 1): out[i] += c sqrt(ln / tries[i]), n rounded up to four; what is computed is the same
 * on every processor. */
static void add_uct(float *tries, uint32_t n, float ln_visits, float c, float *out)
{
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

static float with_rave(const struct rave *rave, float beta, float value)
{
    return count_of(&rave->n) ? beta * mean_of(&rave->mean) + (1 - beta) * value : value;
}

/* Of what a move is worth by simulations, which say `mixed` without exploration, a part is what minimax over
 * judged positions says. */
static float with_lead(const struct scales *s, uint32_t action, float value, float mixed)
{
    float lead = s->leads ? mean_of(&s->leads[action]) : -1;
    return lead >= 0 ? value + s->alpha * (implicit_for(s->role, lead) - mixed) : value;
}

/* Values of the actions from .. from + n - 1, at most a chunk; -INFINITY for those that were never tried or
 * are avoided. Simulations on their way count as lost. */
static void weigh(const struct tree_action *a, uint32_t from, uint32_t n, const struct scales *s, float *out)
{
    const struct rave *rave = s->rave ? s->rave + from : NULL;
    float tries[CHUNK], mixed[CHUNK];
    a += from;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t finished = count_of(&a[i].n), pending = pending_of(&a[i]);
        bool out_of_it = finished + pending == 0 || action_is(&a[i], s->avoid);
        float mean = mean_of(&a[i].mean);
        tries[i] = out_of_it ? 1 : (float)(int32_t)(finished + pending);
        if (pending) mean = mean * (float)(int32_t)finished / tries[i];
        mixed[i] = rave ? with_rave(&rave[i], s->beta, mean) : mean;
        if (!s->whole) mean = mixed[i];
        out[i] = out_of_it ? -INFINITY : mean;
    }
    add_uct(tries, n, s->ln_visits, s->c, out);
    for (uint32_t i = 0; i < n && rave && s->whole; i++) out[i] = with_rave(&rave[i], s->beta, out[i]);
    for (uint32_t i = 0; i < n && s->leads; i++) out[i] = with_lead(s, from + i, out[i], mixed[i]);
}

/* Of the moves never tried the one of which RAVE and judged positions promise most, and what it is worth:
 * mixed with what UCT would say of a move like the others here, seen once. */
static float likeliest(const struct tree_action *a, uint32_t n, const struct scales *s, float mean,
                       uint32_t *first)
{
    float high = -INFINITY, wide = s->c * sqrtf(s->ln_visits);
    *first = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_untried(&a[i], s->avoid)) continue;
        float known = s->rave ? (float)count_of(&s->rave[i].n) : 0, trust = known / (known + RAVE_DOUBT);
        float hint = trust > 0 ? trust * mean_of(&s->rave[i].mean) + (1 - trust) * mean : mean;
        float value = s->beta * hint + (1 - s->beta) * (mean + wide);
        value = with_lead(s, i, value, s->beta * hint + (1 - s->beta) * mean);
        if (value > high) high = value, *first = i;
    }
    return high;
}

/* The best action and its value; equal ones at random. */
static uint32_t heaviest(struct hand *h, const struct tree_node *node, uint32_t role,
                         const struct tree_action *a, uint32_t n, const struct scales *s, float *top)
{
    const struct mcts *m = h->search;
    float value[CHUNK];
    uint32_t best = 0, ties = 0;
    *top = -INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        if (i % CHUNK == 0) weigh(a, i, n - i < CHUNK ? n - i : CHUNK, s, value);
        float x = value[i % CHUNK];
        if (m->opt.prior) x += m->opt.prior(m->opt.prior_data, node, role, a[i].move);
        if (x > *top)
            *top = x, best = i, ties = 1;
        else if (x == *top && x > -INFINITY && rng_below(&h->rng, ++ties) == 0)
            best = i;
    }
    return best;
}

/* The mean of all simulations that are back. */
static float mean_of_all(const struct tree_action *a, uint32_t n, uint32_t avoid)
{
    float sum = 0, of = 0;
    for (uint32_t i = 0; i < n; i++) {
        float finished = (float)count_of(&a[i].n);
        if (finished == 0 || action_is(&a[i], avoid)) continue;
        sum += mean_of(&a[i].mean) * finished;
        of += finished;
    }
    return of > 0 ? sum / of : 50;
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
    struct scales scales = {
        .ln_visits = ln_visits, .c = c, .avoid = avoid, .alpha = m->opt.implicit, .role = role};
    if (implicit_is_on(m)) scales.leads = node_leads(m->tree, node, role);
    if (m->opt.rave) {
        scales.beta = select_beta(m->opt.rave_mix, way ? way->rave : (float)m->opt.rave, visits);
        scales.rave = tally.rave + first;
        scales.whole = m->opt.rave_mix == RAVE_THESIS;
    }
    float top;
    uint32_t best = heaviest(h, node, role, a, n, &scales, &top);
    if (!untried) return best;
    /* Urgency (002 algorithm 6): what UCT would say of a draw seen once, less and less the fewer moves are
     * left. */
    if (m->opt.urgency == URGENCY_THESIS)
        return top < 50 + c * sqrtf(ln_visits) * (float)untried / (float)n
                   ? try_new(h, a, n, untried, avoid, s)
                   : best;
    uint32_t hope;
    if (likeliest(a, n, &scales, mean_of_all(a, n, avoid), &hope) <= top) return best;
    return m->opt.urgency == URGENCY_RAVE ? hope : try_new(h, a, n, untried, avoid, s);
}
