// SPDX-License-Identifier: GPL-3.0-or-later
/* a + w·b, as CadiaPlayer combines MAST and FAST (002 equation 4.3). Where b has nothing to say about any of
 * the moves (all scores equal) it is left out: it would only shift the distribution. */
#include "search/policy/table.h"

struct sum {
    struct values values;
    struct values_ops ops; /* own copy: wants_states depends on the parts */
    struct values *a, *b;
    float weight;
    float *scores;
    uint32_t cap;
};

static void score(struct values *v, const struct situation *s, const uint32_t *moves, uint32_t n, float *out)
{
    struct sum *m = (struct sum *)v;
    m->a->ops->score(m->a, s, moves, n, out);
    if (n > m->cap) {
        float *grown = realloc(m->scores, 2 * (size_t)n * sizeof *grown);
        if (!grown) return;
        m->scores = grown;
        m->cap = 2 * n;
    }
    m->b->ops->score(m->b, s, moves, n, m->scores);
    bool says = false;
    for (uint32_t i = 1; i < n; i++) says |= m->scores[i] != m->scores[0];
    for (uint32_t i = 0; i < n && says; i++) out[i] += m->weight * m->scores[i];
}

static void learn(struct values *v, const struct episode *e)
{
    struct sum *m = (struct sum *)v;
    m->a->ops->learn(m->a, e);
    m->b->ops->learn(m->b, e);
}

static void decay(struct values *v, float gamma)
{
    struct sum *m = (struct sum *)v;
    if (m->a->ops->decay) m->a->ops->decay(m->a, gamma);
    if (m->b->ops->decay) m->b->ops->decay(m->b, gamma);
}

static void decay_episode(struct values *v, const struct episode *e, float omega)
{
    struct sum *m = (struct sum *)v;
    if (m->a->ops->decay_episode) m->a->ops->decay_episode(m->a, e, omega);
    if (m->b->ops->decay_episode) m->b->ops->decay_episode(m->b, e, omega);
}

static void sum_free(struct values *v)
{
    struct sum *m = (struct sum *)v;
    m->a->ops->free(m->a);
    m->b->ops->free(m->b);
    free(m->scores);
    free(m);
}

struct values *values_sum(struct values *a, struct values *b, float weight)
{
    if (!a || !b) {
        if (a) a->ops->free(a);
        if (b) b->ops->free(b);
        return NULL;
    }
    struct sum *m = calloc(1, sizeof *m);
    if (!m) {
        a->ops->free(a);
        b->ops->free(b);
        return NULL;
    }
    m->ops = (struct values_ops){.name = "sum",
                                 .wants_states = a->ops->wants_states || b->ops->wants_states,
                                 .score = score,
                                 .learn = learn,
                                 .decay = decay,
                                 .decay_episode = decay_episode,
                                 .free = sum_free};
    m->values.ops = &m->ops;
    m->a = a;
    m->b = b;
    m->weight = weight;
    return &m->values;
}
