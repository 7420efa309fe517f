// SPDX-License-Identifier: GPL-3.0-or-later
/* Move-Average Sampling Technique: Qh(a), the mean reward of the simulations in which a role made move a
 * anywhere (002 §4.1.1). The tree-only form learns from the moves made in the tree (002 §4.1.2). */
#include "circuit/alone.h"
#include "search/policy/dense.h"
#include "search/policy/table.h"

struct mast_role {
    struct stat_row row;
    float *weights; /* as long as the row was then */
    uint32_t size;
};

struct mast {
    struct values values;
    bool tree_only;
    uint32_t nroles;
    const struct lone_moves *lone; /* NULL: none */
    float
        tau; /* Gibbs weights of the means are kept while a sampler asks for them with this; 0: nobody did */
    struct mast_role roles[];
};

/* The weights are to be made anew. */
static void forget_weights(struct mast *m)
{
    for (uint32_t r = 0; r < m->nroles; r++) m->roles[r].size = 0;
}

/* Weights for the whole row, as wide as it is now. */
static bool weigh_row(const struct mast *m, struct mast_role *r)
{
    float *grown = realloc(r->weights, (r->row.size + 16) * sizeof *grown);
    if (!grown) return false;
    r->weights = grown;
    r->size = r->row.size;
    memcpy(grown, r->row.mean, r->size * sizeof *grown);
    dense_weigh(grown, r->size, m->tau);
    return true;
}

static const float *weigh_set(struct values *v, uint32_t role, uint32_t moves, float tau)
{
    struct mast *m = (struct mast *)v;
    struct mast_role *r = &m->roles[role];
    if (r->row.size < moves && !stat_row_reserve(&r->row, moves)) return NULL;
    if (m->tau != tau) {
        m->tau = tau;
        forget_weights(m);
    }
    if (r->size < r->row.size && !weigh_row(m, r)) return NULL;
    return r->weights;
}

static void fetch(const struct values *v, const struct situation *s, const uint64_t *legal, uint32_t words,
                  int stage)
{
    const struct mast *m = (const struct mast *)v;
    const struct mast_role *r = &m->roles[s->role];
    if (stage == 0) {
        __builtin_prefetch(r);
        return;
    }
    const float *row = m->tau > 0 ? r->weights : r->row.mean;
    uint32_t size = m->tau > 0 ? r->size : r->row.size;
    for (uint32_t w = 0; w < words && w * 64 + 64 <= size; w++)
        for (uint32_t part = 0; part < 4; part++)
            if (legal[w] >> 16 * part & 0xffff) __builtin_prefetch(row + w * 64 + 16 * part);
}

static void score(struct values *v, const struct situation *s, const uint32_t *moves, uint32_t n, float *out)
{
    const struct stat_row *row = &((struct mast *)v)->roles[s->role].row;
    for (uint32_t i = 0; i < n; i++) out[i] = moves[i] < row->size ? row->mean[moves[i]] : UNSEEN;
}

static uint32_t best_set(struct values *v, const struct situation *s, const uint64_t *legal, uint32_t words,
                         uint64_t *best)
{
    struct stat_row *row = &((struct mast *)v)->roles[s->role].row;
    return stat_row_reserve(row, words * 64) ? dense_best(row->mean, legal, words, best) : 0;
}

static bool is_lone(const struct mast *m, uint32_t role, uint32_t move)
{
    return m->lone && is_lone_move(m->lone, role, move);
}

/* New weights for moves that were learned: `some` has room for n + 15. */
static void weigh_moves(const struct mast *m, struct mast_role *r, const uint32_t *moves, uint32_t n,
                        float *some)
{
    for (uint32_t i = 0; i < n; i++) some[i] = moves[i] < r->size ? r->row.mean[moves[i]] : 0;
    for (uint32_t i = n; i % 16; i++) some[i] = 0;
    dense_weigh(some, n, m->tau);
    for (uint32_t i = 0; i < n; i++)
        if (moves[i] < r->size) r->weights[moves[i]] = some[i];
}

static void weigh_episode(struct mast *m, uint32_t role, const struct episode *e)
{
    enum { CHUNK = 64 };
    float some[CHUNK + 15];
    uint32_t moves[CHUNK], n = 0, steps = m->tree_only ? e->tree_steps : e->steps;
    for (uint32_t t = 0; t < steps; t++) {
        uint32_t move = e->moves[(size_t)t * e->nroles + role];
        if (is_lone(m, role, move)) continue;
        moves[n++] = move;
        if (n < CHUNK) continue;
        weigh_moves(m, &m->roles[role], moves, n, some);
        n = 0;
    }
    if (n) weigh_moves(m, &m->roles[role], moves, n, some);
}

static void learn(struct values *v, const struct episode *e)
{
    struct mast *m = (struct mast *)v;
    for (uint32_t r = 0; r < e->nroles; r++) {
        float reward = e->reward[r];
        for (uint32_t t = e->steps; t-- > 0;) {
            uint32_t move = e->moves[(size_t)t * e->nroles + r];
            reward *= e->discount;
            if ((m->tree_only && t >= e->tree_steps) || is_lone(m, r, move)) continue;
            stat_row_add(&m->roles[r].row, move, reward);
        }
        if (m->tau > 0) weigh_episode(m, r, e);
    }
}

static void decay(struct values *v, float gamma)
{
    struct mast *m = (struct mast *)v;
    for (uint32_t r = 0; r < m->nroles; r++) stat_row_scale(&m->roles[r].row, gamma);
    forget_weights(m); /* where counts came to nothing, means did, too */
}

static void decay_episode(struct values *v, const struct episode *e, float omega)
{
    struct mast *m = (struct mast *)v;
    for (uint32_t t = 0; t < (m->tree_only ? e->tree_steps : e->steps); t++)
        for (uint32_t r = 0; r < e->nroles; r++)
            stat_row_scale_one(&m->roles[r].row, e->moves[t * e->nroles + r], omega);
    if (omega == 0) forget_weights(m);
}

static void mast_free(struct values *v)
{
    struct mast *m = (struct mast *)v;
    for (uint32_t r = 0; r < m->nroles; r++) {
        stat_row_done(&m->roles[r].row);
        free(m->roles[r].weights);
    }
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
    struct mast *m = calloc(1, sizeof *m + nroles * sizeof *m->roles);
    if (!m) return NULL;
    m->values.ops = &ops[tree_only];
    m->tree_only = tree_only;
    m->nroles = nroles;
    return &m->values;
}

void values_mast_spare(struct values *mast, const struct lone_moves *lone)
{
    if (mast) ((struct mast *)mast)->lone = lone;
}
