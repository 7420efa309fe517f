// SPDX-License-Identifier: GPL-3.0-or-later
/* Putting the pieces of a playout policy together, and drawing moves from scores. */
#include "search/policy.h"
#include "search/policy/dense.h"

#include <math.h>
#include <stdlib.h>

/* P(a) = exp(Q(a)/tau) / sum; shifted by the maximum so that nothing overflows. */
static uint32_t draw_gibbs(const struct sampler *s, struct rng *rng, const float *scores, uint32_t n)
{
    float few[256 + 15], *weight = n <= 256 ? few : malloc(((size_t)n + 15) * sizeof *weight);
    if (!weight) return rng_below(rng, n);
    float x = (float)rng_unit(rng) * dense_gibbs(scores, n, s->tau, weight);
    uint32_t i = 0;
    while (i < n - 1 && (x -= weight[i]) >= 0) i++;
    if (weight != few) free(weight);
    return i;
}

static uint32_t draw_greedy(const struct sampler *s, struct rng *rng, const float *scores, uint32_t n)
{
    if (s->epsilon > 0 && rng_unit(rng) < (double)s->epsilon) return rng_below(rng, n);
    uint32_t best = 0, ties = 1;
    for (uint32_t i = 1; i < n; i++) {
        if (scores[i] > scores[best])
            best = i, ties = 1;
        else if (scores[i] == scores[best] && rng_below(rng, ++ties) == 0)
            best = i;
    }
    return best;
}

uint32_t sampler_draw(const struct sampler *s, struct rng *rng, const float *scores, uint32_t n)
{
    switch (s->kind) {
    case SAMPLE_GIBBS: return draw_gibbs(s, rng, scores, n);
    case SAMPLE_GREEDY: return draw_greedy(s, rng, scores, n);
    case SAMPLE_UNIFORM: break;
    }
    return rng_below(rng, n);
}

static bool reserve_scores(struct policy *p, uint32_t n)
{
    if (n <= p->scores_cap) return true;
    uint32_t cap = 2 * n;
    float *scores = realloc(p->scores, cap * sizeof *scores);
    if (scores) p->scores = scores;
    uint32_t *moves = realloc(p->moves, cap * sizeof *moves);
    if (moves) p->moves = moves;
    uint64_t *best = realloc(p->best, (cap + 63) / 64 * sizeof *best);
    if (best) p->best = best;
    if (!scores || !moves || !best) return false;
    p->scores_cap = cap;
    return true;
}

/* The last good reply if it is legal; MOVE_NONE if there is none. */
static uint32_t good_reply(const struct policy *p, const struct situation *s, const uint64_t *legal,
                           uint32_t words)
{
    uint32_t replies[2], n = p->lgr ? lgr_replies(p->lgr, s, replies) : 0;
    for (uint32_t i = 0; i < n; i++)
        if (replies[i] / 64 < words && legal[replies[i] / 64] >> (replies[i] % 64) & 1) return replies[i];
    return MOVE_NONE;
}

/* With probability epsilon the scores are not looked at, and need not be computed. */
static bool explores(const struct policy *p, const struct situation *s, struct rng *rng)
{
    const struct way_role *way = situation_way(s);
    float epsilon = way ? way->epsilon : p->sampler.epsilon;
    return !p->values || (p->sampler.kind == SAMPLE_GREEDY && rng_unit(rng) < (double)epsilon);
}

static bool is_uniform(const struct situation *s)
{
    return s->way && s->way->uniform;
}

/* Draw from values; whether to explore was asked before. */
static uint32_t choose_by_values(struct policy *p, const struct situation *s, struct rng *rng,
                                 const uint32_t *moves, uint32_t n)
{
    struct sampler sampler = p->sampler;
    sampler.epsilon = 0;
    if (!reserve_scores(p, n)) return rng_below(rng, n);
    p->values->ops->score(p->values, s, moves, n, p->scores);
    return sampler_draw(&sampler, rng, p->scores, n);
}

/* Which of n moves, in proportion to their weights, whose sums are given; n where all weigh next to nothing.
 */
static uint32_t draw_sum(const float *sums, struct rng *rng, uint32_t n)
{
    if (!(sums[n - 1] > 1e-30f)) return n;
    float x = (float)rng_unit(rng) * sums[n - 1];
    uint32_t below = 0; /* sums only grow: it need not stop at the first that is larger */
    for (uint32_t i = 0; i + 1 < n; i++) below += sums[i] <= x;
    return below;
}

/* The scratch of a policy is out of the caches where many searches take turns: for so few the stack will do.
 */
enum { FEW_MOVES = 256, FEW_WORDS = 32 };

/* The values' own Gibbs weights, for moves numbered below `moves`; NULL: there are none. */
static const float *own_weights(struct policy *p, uint32_t role, uint32_t moves)
{
    const struct values_ops *ops = p->values->ops;
    if (!ops->weigh_set || p->sampler.kind != SAMPLE_GIBBS) return NULL;
    return ops->weigh_set(p->values, role, moves, p->sampler.tau);
}

static uint32_t weighted(struct policy *p, const struct situation *s, struct rng *rng, const uint32_t *moves,
                         uint32_t n)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++) most = moves[i] > most ? moves[i] : most;
    const float *weights = reserve_scores(p, n) ? own_weights(p, s->role, most + 1) : NULL;
    if (!weights) return n;
    float few[FEW_MOVES], *sums = n <= FEW_MOVES ? few : p->scores, sum = 0;
    for (uint32_t i = 0; i < n; i++) sums[i] = sum += weights[moves[i]];
    return draw_sum(sums, rng, n);
}

static uint32_t weighted_set(struct policy *p, const struct situation *s, struct rng *rng,
                             const uint64_t *legal, uint32_t words, uint32_t count)
{
    const float *weights = own_weights(p, s->role, words * 64);
    if (!weights) return MOVE_NONE;
    uint32_t n = 0, few_moves[FEW_MOVES], *moves = count <= FEW_MOVES ? few_moves : p->moves;
    float few[FEW_MOVES], *sums = count <= FEW_MOVES ? few : p->scores, sum = 0;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t x = legal[w]; x; x &= x - 1) {
            moves[n] = w * 64 + (uint32_t)__builtin_ctzll(x);
            sums[n] = sum += weights[moves[n]];
            n++;
        }
    uint32_t which = draw_sum(sums, rng, n);
    return which < n ? moves[which] : MOVE_NONE;
}

uint32_t policy_choose(struct policy *p, const struct situation *s, struct rng *rng, const uint32_t *moves,
                       uint32_t n)
{
    if (is_uniform(s)) return rng_below(rng, n);
    uint32_t reply = p->lgr ? lgr_reply(p->lgr, s, moves, n) : MOVE_NONE;
    if (reply != MOVE_NONE) return reply;
    if (explores(p, s, rng)) return rng_below(rng, n);
    uint32_t which = weighted(p, s, rng, moves, n);
    return which < n ? which : choose_by_values(p, s, rng, moves, n);
}

uint32_t policy_choose_set(struct policy *p, const struct situation *s, struct rng *rng,
                           const uint64_t *legal, uint32_t words, uint32_t count)
{
    if (is_uniform(s)) return set_element(legal, words, rng_below(rng, count));
    uint32_t reply = good_reply(p, s, legal, words);
    if (reply != MOVE_NONE) return reply;
    if (explores(p, s, rng) || !reserve_scores(p, words * 64))
        return set_element(legal, words, rng_below(rng, count));
    if (p->values->ops->best_set && p->sampler.kind == SAMPLE_GREEDY) {
        uint64_t few[FEW_WORDS], *best = words <= FEW_WORDS ? few : p->best;
        uint32_t ties = p->values->ops->best_set(p->values, s, legal, words, best);
        if (ties) return set_element(best, words, ties > 1 ? rng_below(rng, ties) : 0);
    }
    uint32_t move = weighted_set(p, s, rng, legal, words, count);
    if (move != MOVE_NONE) return move;
    uint32_t n = set_list(legal, words, p->moves), chosen = choose_by_values(p, s, rng, p->moves, n);
    return p->moves[chosen];
}

const float *policy_score(struct policy *p, const struct situation *s, const uint32_t *moves, uint32_t n)
{
    if (!p->values || is_uniform(s) || !reserve_scores(p, n)) return NULL;
    p->values->ops->score(p->values, s, moves, n, p->scores);
    return p->scores;
}

void policy_learn(struct policy *p, const struct episode *e)
{
    p->simulations++;
    if (p->lgr) lgr_learn(p->lgr, e);
    if (!p->values) return;
    const struct values_ops *ops = p->values->ops;
    ops->learn(p->values, e);
    if (p->decay.simulation < 1 && ops->decay_episode) ops->decay_episode(p->values, e, p->decay.simulation);
    if (p->decay.batch < 1 && ops->decay && p->decay.batch_size && p->simulations % p->decay.batch_size == 0)
        ops->decay(p->values, p->decay.batch);
}

void policy_moved(struct policy *p)
{
    if (p->values && p->decay.move < 1 && p->values->ops->decay)
        p->values->ops->decay(p->values, p->decay.move);
}

void policy_done(struct policy *p)
{
    if (p->values) p->values->ops->free(p->values);
    lgr_free(p->lgr);
    free(p->scores);
    free(p->moves);
    free(p->best);
}
