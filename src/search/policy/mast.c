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
};

static void score(struct values *v, const struct situation *s, const uint32_t *moves, uint32_t n, float *out)
{
    const struct stat_row *row = &((struct mast *)v)->rows[s->role];
    for (uint32_t i = 0; i < n; i++) out[i] = moves[i] < row->size ? row->mean[moves[i]] : UNSEEN;
}

static const float *score_set(struct values *v, const struct situation *s, const uint64_t *legal,
                              uint32_t words, float *room)
{
    struct stat_row *row = &((struct mast *)v)->rows[s->role];
    return stat_row_reserve(row, words * 64) ? row->mean : NULL;
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
    }
}

static void decay(struct values *v, float gamma)
{
    struct mast *m = (struct mast *)v;
    for (uint32_t r = 0; r < m->nroles; r++) stat_row_scale(&m->rows[r], gamma);
}

static void decay_episode(struct values *v, const struct episode *e, float omega)
{
    struct mast *m = (struct mast *)v;
    for (uint32_t t = 0; t < (m->tree_only ? e->tree_steps : e->steps); t++)
        for (uint32_t r = 0; r < e->nroles; r++)
            stat_row_scale_one(&m->rows[r], e->moves[t * e->nroles + r], omega);
}

static void mast_free(struct values *v)
{
    struct mast *m = (struct mast *)v;
    for (uint32_t r = 0; r < m->nroles && m->rows; r++) stat_row_done(&m->rows[r]);
    free(m->rows);
    free(m);
}

struct values *values_mast(uint32_t nroles, bool tree_only)
{
    static const struct values_ops ops[] = {{.name = "mast",
                                             .score = score,
                                             .score_set = score_set,
                                             .learn = learn,
                                             .decay = decay,
                                             .decay_episode = decay_episode,
                                             .free = mast_free},
                                            {.name = "tomast",
                                             .score = score,
                                             .score_set = score_set,
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
    if (!m->rows) return mast_free(&m->values), NULL;
    return &m->values;
}
