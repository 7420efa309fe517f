// SPDX-License-Identifier: GPL-3.0-or-later
/* Putting the pieces of a playout policy together, and drawing moves from scores. */
#include "search/policy.h"

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
    if (n > p->scores_cap) {
        float *grown = realloc(p->scores, 2 * (size_t)n * sizeof *grown);
        if (!grown) return rng_below(rng, n);
        p->scores = grown;
        p->scores_cap = 2 * n;
    }
    p->values->ops->score(p->values, s, moves, n, p->scores);
    return sampler_draw(&sampler, rng, p->scores, n);
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
}
