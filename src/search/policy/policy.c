// SPDX-License-Identifier: GPL-3.0-or-later
/* Putting the pieces of a playout policy together, and drawing moves from scores. */
#include "search/policy.h"
#include "search/policy/dense.h"

#include <math.h>
#include <stdlib.h>

static uint32_t draw_gibbs(const struct sampler *s, struct rng *rng, const float *scores, uint32_t n)
{
    /* P(a) = exp(Q(a)/tau) / sum; shifted by the maximum so that nothing overflows. */
    float top = scores[0], few[256];
    for (uint32_t i = 1; i < n; i++)
        if (scores[i] > top) top = scores[i];
    float sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        float p = expf((scores[i] - top) / s->tau);
        if (i < 256) few[i] = p;
        sum += p;
    }
    float x = (float)rng_unit(rng) * sum;
    for (uint32_t i = 0; i < n; i++) {
        x -= i < 256 ? few[i] : expf((scores[i] - top) / s->tau);
        if (x < 0) return i;
    }
    return n - 1;
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
    if (!scores || !moves) return false;
    p->scores_cap = cap;
    return true;
}

uint32_t policy_choose(struct policy *p, const struct situation *s, struct rng *rng, const uint32_t *moves,
                       uint32_t n)
{
    if (p->lgr) {
        uint32_t reply = lgr_reply(p->lgr, s, moves, n);
        if (reply != MOVE_NONE) return reply;
    }
    if (!p->values) return rng_below(rng, n);
    /* With probability epsilon the scores are not looked at: do not compute them. */
    struct sampler sampler = p->sampler;
    if (sampler.kind == SAMPLE_GREEDY) {
        if (rng_unit(rng) < (double)sampler.epsilon) return rng_below(rng, n);
        sampler.epsilon = 0;
    }
    if (!reserve_scores(p, n)) return rng_below(rng, n);
    p->values->ops->score(p->values, s, moves, n, p->scores);
    return sampler_draw(&sampler, rng, p->scores, n);
}

uint32_t policy_choose_set(struct policy *p, const struct situation *s, struct rng *rng,
                           const uint64_t *legal, uint32_t words, uint32_t count)
{
    if (p->values && !p->lgr && p->values->ops->score_set && p->sampler.kind == SAMPLE_GREEDY) {
        bool any = rng_unit(rng) < (double)p->sampler.epsilon;
        if (any) return set_element(legal, words, rng_below(rng, count));
        if (reserve_scores(p, words * 64) &&
            p->values->ops->score_set(p->values, s, legal, words, p->scores)) {
            uint32_t ties;
            float top = dense_top(p->scores, legal, words, &ties);
            return dense_pick(p->scores, legal, words, top, ties > 1 ? rng_below(rng, ties) : 0);
        }
    }
    if (!reserve_scores(p, count)) return set_element(legal, words, rng_below(rng, count));
    uint32_t n = 0;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t x = legal[w]; x; x &= x - 1) p->moves[n++] = w * 64 + (uint32_t)__builtin_ctzll(x);
    uint32_t chosen = policy_choose(p, s, rng, p->moves, n);
    return p->moves[chosen];
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
}
