// SPDX-License-Identifier: GPL-3.0-or-later
/* Predicate-Average Sampling Technique (002 §4.1.3): Qp(p, a), the mean reward of simulations in which a role
 * made move a in a state where fact p was true. A move is worth its best Qp(p, a) over the facts of the
 * state; averages of fewer than `threshold` samples count as 50.
 *
 * A move has a row with what every fact makes of it, since a state is asked for many moves with the same
 * facts: each row is read from one end to the other. */
#include "search/policy/table.h"

/* A move with each fact; facts behind the end are worth the fallback. */
struct pair_row {
    struct stat_row all;
    float *worth;  /* the mean, or the fallback */
    uint32_t size; /* of worth: as many as there are means */
};

struct pairs {
    struct pair_row *rows; /* by move */
    uint32_t n;
};

struct past {
    struct values values;
    uint32_t nroles, threshold;
    float fallback;
    bool listed;
    struct pairs *roles;
    uint32_t *facts; /* scratch: of one state */
    uint32_t nfacts, facts_cap;
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

/* The facts of a state in p->facts; none without memory. */
static void list_facts(struct past *p, const uint64_t *state, uint32_t words)
{
    uint32_t most = words * (p->listed ? 2 : 64), n = 0;
    p->nfacts = 0;
    if (most > p->facts_cap) {
        uint32_t *grown = realloc(p->facts, most * sizeof *grown);
        if (!grown) return;
        p->facts = grown;
        p->facts_cap = most;
    }
    struct walk walk = {state, words, 0, 0, p->listed};
    while (walk_next(&walk, &p->facts[n])) n++;
    p->nfacts = n;
}

/* The best value of a move over the listed facts. */
static float best_of(const struct past *p, const struct pair_row *row)
{
    float best = p->nfacts ? -1 : p->fallback;
    for (uint32_t j = 0; j < p->nfacts; j++) {
        float value = p->facts[j] < row->size ? row->worth[p->facts[j]] : p->fallback;
        best = value > best ? value : best;
    }
    return best;
}

static void score(struct values *v, const struct situation *s, const uint32_t *moves, uint32_t n, float *out)
{
    static const struct pair_row none;
    struct past *p = (struct past *)v;
    const struct pairs *pairs = &p->roles[s->role];
    list_facts(p, s->state, s->state_words);
    for (uint32_t i = 0; i < n; i++)
        out[i] = best_of(p, moves[i] < pairs->n ? &pairs->rows[moves[i]] : &none);
}

/* The row of a move, made if need be; NULL without memory. */
static struct pair_row *row_of(struct pairs *pairs, uint32_t move)
{
    if (move >= pairs->n) {
        uint32_t n = pairs->n ? pairs->n : 64;
        while (n <= move) n *= 2;
        struct pair_row *grown = realloc(pairs->rows, n * sizeof *grown);
        if (!grown) return NULL;
        memset(grown + pairs->n, 0, (n - pairs->n) * sizeof *grown);
        pairs->rows = grown;
        pairs->n = n;
    }
    return &pairs->rows[move];
}

static void value(const struct past *p, struct pair_row *row, uint32_t fact)
{
    row->worth[fact] = row->all.n[fact] >= (float)p->threshold ? row->all.mean[fact] : p->fallback;
}

static bool reserve(const struct past *p, struct pair_row *row, uint32_t size)
{
    if (!stat_row_reserve(&row->all, size)) return false;
    if (row->size == row->all.size) return true;
    float *grown = realloc(row->worth, row->all.size * sizeof *grown);
    if (!grown) return false;
    row->worth = grown;
    for (; row->size < row->all.size; row->size++) value(p, row, row->size);
    return true;
}

static void each(struct past *p, const struct episode *e, float omega, bool learning)
{
    float discount = 1;
    for (uint32_t t = e->steps; t-- > 0;) {
        list_facts(p, e->states + e->state_start[t], e->state_start[t + 1] - e->state_start[t]);
        discount *= e->discount;
        for (uint32_t r = 0; r < e->nroles; r++) {
            struct pair_row *row = row_of(&p->roles[r], e->moves[t * e->nroles + r]);
            for (uint32_t j = 0; row && j < p->nfacts; j++) {
                uint32_t fact = p->facts[j];
                if (fact >= row->size && (!learning || !reserve(p, row, fact + 1))) continue;
                if (learning)
                    stat_row_add(&row->all, fact, discount * e->reward[r]);
                else
                    stat_row_scale_one(&row->all, fact, omega);
                value(p, row, fact);
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
    for (uint32_t r = 0; r < p->nroles; r++)
        for (uint32_t m = 0; m < p->roles[r].n; m++) {
            struct pair_row *row = &p->roles[r].rows[m];
            stat_row_scale(&row->all, gamma);
            for (uint32_t fact = 0; fact < row->size; fact++) value(p, row, fact);
        }
}

static void decay_episode(struct values *v, const struct episode *e, float omega)
{
    if (e->states) each((struct past *)v, e, omega, false);
}

static void past_free(struct values *v)
{
    struct past *p = (struct past *)v;
    for (uint32_t r = 0; r < p->nroles && p->roles; r++) {
        for (uint32_t m = 0; m < p->roles[r].n; m++) {
            stat_row_done(&p->roles[r].rows[m].all);
            free(p->roles[r].rows[m].worth);
        }
        free(p->roles[r].rows);
    }
    free(p->roles);
    free(p->facts);
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
