// SPDX-License-Identifier: GPL-3.0-or-later
/* Move-Average Sampling Technique: Qh(a), the mean reward of the simulations in which a role made move a
 * anywhere (002 §4.1.1). The tree-only form learns from the moves made in the tree (002 §4.1.2). */
#include "search/policy/dense.h"
#include "search/policy/table.h"

struct mast {
    struct values values;
    bool tree_only;
    uint32_t nroles;
    struct stat_row *rows; /* by role */
    /* Gibbs weights of the means, kept while a sampler asks for them with the same tau */
    float tau;       /* 0: nobody did */
    float **weights; /* by role, as long as the row was then */
    uint32_t *sizes;
};

/* Weights for the whole row, as wide as it is now. */
static bool weigh_row(struct mast *m, uint32_t role)
{
    const struct stat_row *row = &m->rows[role];
    float *grown = realloc(m->weights[role], (row->size + 16) * sizeof *grown);
    if (!grown) return false;
    m->weights[role] = grown;
    m->sizes[role] = row->size;
    memcpy(grown, row->mean, row->size * sizeof *grown);
    dense_weigh(grown, row->size, m->tau);
    return true;
}

static const float *weigh_set(struct values *v, uint32_t role, uint32_t moves, float tau)
{
    struct mast *m = (struct mast *)v;
    struct stat_row *row = &m->rows[role];
    if (row->size < moves && !stat_row_reserve(row, moves)) return NULL;
    if (m->tau != tau) {
        m->tau = tau;
        memset(m->sizes, 0, m->nroles * sizeof *m->sizes);
    }
    if (m->sizes[role] < row->size && !weigh_row(m, role)) return NULL;
    return m->weights[role];
}

static void fetch(const struct values *v, const struct situation *s, const uint64_t *legal, uint32_t words,
                  int stage)
{
    const struct mast *m = (const struct mast *)v;
    const float *row = m->tau > 0 ? m->weights[s->role] : m->rows[s->role].mean;
    uint32_t size = m->tau > 0 ? m->sizes[s->role] : m->rows[s->role].size;
    for (uint32_t w = 0; w < words && stage == 1 && w * 64 + 64 <= size; w++)
        for (uint32_t part = 0; part < 4; part++)
            if (legal[w] >> 16 * part & 0xffff) __builtin_prefetch(row + w * 64 + 16 * part);
}

static void score(struct values *v, const struct situation *s, const uint32_t *moves, uint32_t n, float *out)
{
    const struct stat_row *row = &((struct mast *)v)->rows[s->role];
    for (uint32_t i = 0; i < n; i++) out[i] = moves[i] < row->size ? row->mean[moves[i]] : UNSEEN;
}

static uint32_t best_set(struct values *v, const struct situation *s, const uint64_t *legal, uint32_t words,
                         uint64_t *best)
{
    struct stat_row *row = &((struct mast *)v)->rows[s->role];
    return stat_row_reserve(row, words * 64) ? dense_best(row->mean, legal, words, best) : 0;
}

/* New weights for the moves of an episode. */
static void weigh_episode(struct mast *m, uint32_t role, const struct episode *e)
{
    enum { CHUNK = 64 };
    float some[CHUNK + 15];
    uint32_t steps = m->tree_only ? e->tree_steps : e->steps;
    for (uint32_t t = 0, n; t < steps; t += n) {
        const uint32_t *moves = e->moves + (size_t)t * e->nroles + role;
        n = steps - t < CHUNK ? steps - t : CHUNK;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t move = moves[i * e->nroles];
            some[i] = move < m->sizes[role] ? m->rows[role].mean[move] : 0;
        }
        for (uint32_t i = n; i % 16; i++) some[i] = 0;
        dense_weigh(some, n, m->tau);
        for (uint32_t i = 0; i < n; i++)
            if (moves[i * e->nroles] < m->sizes[role]) m->weights[role][moves[i * e->nroles]] = some[i];
    }
}

static void learn(struct values *v, const struct episode *e)
{
    struct mast *m = (struct mast *)v;
    for (uint32_t r = 0; r < e->nroles; r++) {
        float reward = e->reward[r];
        for (uint32_t t = e->steps; t-- > 0;) {
            reward *= e->discount;
            if (m->tree_only && t >= e->tree_steps) continue;
            stat_row_add(&m->rows[r], e->moves[t * e->nroles + r], reward);
        }
        if (m->tau > 0) weigh_episode(m, r, e);
    }
}

static void decay(struct values *v, float gamma)
{
    struct mast *m = (struct mast *)v;
    for (uint32_t r = 0; r < m->nroles; r++) stat_row_scale(&m->rows[r], gamma);
    memset(m->sizes, 0, m->nroles * sizeof *m->sizes); /* where counts came to nothing, means did, too */
}

static void decay_episode(struct values *v, const struct episode *e, float omega)
{
    struct mast *m = (struct mast *)v;
    for (uint32_t t = 0; t < (m->tree_only ? e->tree_steps : e->steps); t++)
        for (uint32_t r = 0; r < e->nroles; r++)
            stat_row_scale_one(&m->rows[r], e->moves[t * e->nroles + r], omega);
    if (omega == 0) memset(m->sizes, 0, m->nroles * sizeof *m->sizes);
}

static void mast_free(struct values *v)
{
    struct mast *m = (struct mast *)v;
    for (uint32_t r = 0; r < m->nroles && m->rows; r++) stat_row_done(&m->rows[r]);
    for (uint32_t r = 0; r < m->nroles && m->weights; r++) free(m->weights[r]);
    free(m->weights);
    free(m->sizes);
    free(m->rows);
    free(m);
}

struct values *values_mast(uint32_t nroles, bool tree_only)
{
    static const struct values_ops ops[] = {{.name = "mast",
                                             .score = score,
                                             .best_set = best_set,
                                             .weigh_set = weigh_set,
                                             .fetch = fetch,
                                             .learn = learn,
                                             .decay = decay,
                                             .decay_episode = decay_episode,
                                             .free = mast_free},
                                            {.name = "tomast",
                                             .score = score,
                                             .best_set = best_set,
                                             .weigh_set = weigh_set,
                                             .fetch = fetch,
                                             .learn = learn,
                                             .decay = decay,
                                             .decay_episode = decay_episode,
                                             .free = mast_free}};
    struct mast *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->values.ops = &ops[tree_only];
    m->tree_only = tree_only;
    m->nroles = nroles;
    m->rows = calloc(nroles, sizeof *m->rows);
    m->weights = calloc(nroles, sizeof *m->weights);
    m->sizes = calloc(nroles, sizeof *m->sizes);
    if (!m->rows || !m->weights || !m->sizes) return mast_free(&m->values), NULL;
    return &m->values;
}
