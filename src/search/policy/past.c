// SPDX-License-Identifier: GPL-3.0-or-later
/* Predicate-Average Sampling Technique (002 §4.1.3): Qp(p, a), the mean reward of simulations in which a role
 * made move a in a state where fact p was true. A move is worth its best Qp(p, a) over the facts of the
 * state; averages of fewer than `threshold` samples count as 50. */
#include "search/policy/table.h"

struct past {
    struct values values;
    uint32_t nroles, threshold;
    float fallback;
    bool listed;
    struct stat_table *roles;
};

/* The facts of a state: set bits on the circuit, a list of 32-bit numbers (0: none) on the lifted engine. */
struct walk {
    const uint64_t *state;
    uint32_t words, at;
    uint64_t left; /* of the word before `at` */
    bool listed;
};

static inline bool walk_next(struct walk *w, uint32_t *fact)
{
    while (!w->left) {
        if (w->at == w->words) return false;
        w->left = w->state[w->at++];
    }
    if (w->listed) {
        *fact = (uint32_t)w->left ? (uint32_t)w->left : (uint32_t)(w->left >> 32);
        w->left = (uint32_t)w->left ? w->left >> 32 << 32 : 0;
        return true;
    }
    *fact = (w->at - 1) * 64 + (uint32_t)__builtin_ctzll(w->left);
    w->left &= w->left - 1;
    return true;
}

static uint64_t key_of(uint32_t fact, uint32_t move)
{
    return ((uint64_t)fact << 32 | move) + 1;
}

static void score(struct values *v, const struct situation *s, const uint32_t *moves, uint32_t n, float *out)
{
    const struct past *p = (struct past *)v;
    const struct stat_table *t = &p->roles[s->role];
    float threshold = (float)p->threshold;
    for (uint32_t i = 0; i < n; i++) out[i] = -1;
    struct walk walk = {s->state, s->state_words, 0, 0, p->listed};
    for (uint32_t fact; walk_next(&walk, &fact);)
        for (uint32_t i = 0; i < n; i++) {
            const struct stat *q = stat_table_find(t, key_of(fact, moves[i]));
            float value = q && q->n >= threshold ? q->mean : p->fallback;
            if (value > out[i]) out[i] = value;
        }
    for (uint32_t i = 0; i < n; i++)
        if (out[i] < 0) out[i] = p->fallback;
}

static void each(struct past *p, const struct episode *e, float omega, bool learning)
{
    for (uint32_t r = 0; r < e->nroles; r++) {
        float reward = e->reward[r];
        for (uint32_t t = e->steps; t-- > 0;) {
            reward *= e->discount;
            uint32_t move = e->moves[t * e->nroles + r];
            uint32_t words = e->state_start[t + 1] - e->state_start[t], fact;
            struct walk walk = {e->states + e->state_start[t], words, 0, 0, p->listed};
            while (walk_next(&walk, &fact)) {
                struct stat *q = stat_table_at(&p->roles[r], key_of(fact, move));
                if (!q) continue;
                if (learning)
                    stat_add(q, reward);
                else
                    q->n *= omega;
            }
        }
    }
}

static void learn(struct values *v, const struct episode *e)
{
    if (e->states) each((struct past *)v, e, 1, true);
}

static void decay(struct values *v, float gamma)
{
    struct past *p = (struct past *)v;
    for (uint32_t r = 0; r < p->nroles; r++) stat_table_scale(&p->roles[r], gamma);
}

static void decay_episode(struct values *v, const struct episode *e, float omega)
{
    if (e->states) each((struct past *)v, e, omega, false);
}

static void past_free(struct values *v)
{
    struct past *p = (struct past *)v;
    for (uint32_t r = 0; r < p->nroles && p->roles; r++) free(p->roles[r].v);
    free(p->roles);
    free(p);
}

struct values *values_past(uint32_t nroles, uint32_t threshold, float fallback, bool listed)
{
    static const struct values_ops ops = {.name = "past",
                                          .wants_states = true,
                                          .score = score,
                                          .learn = learn,
                                          .decay = decay,
                                          .decay_episode = decay_episode,
                                          .free = past_free};
    struct past *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->values.ops = &ops;
    p->nroles = nroles;
    p->threshold = threshold;
    p->fallback = fallback;
    p->listed = listed;
    p->roles = calloc(nroles, sizeof *p->roles);
    if (!p->roles) return past_free(&p->values), NULL;
    return &p->values;
}
