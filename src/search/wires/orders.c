// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/wires/orders.h"

#include "search/policy/table.h"

#include <math.h>

enum {
    CENSUS = 8,  /* rounds between two looks at which moves there are */
    RECENT = 64, /* looks after which those that were not seen are forgotten */
    RANKED = 1,  /* a ranking made anew in a round, at most */
    RENEWED = 4, /* orders of the pool made anew when one is due */
    FEW = 32,    /* moves that are sorted at next to no cost */
    NOISES = 4096
};

/* Orders are good until so many more simulations were learned from: tables change less and less. */
static uint32_t next_due(const struct orders *o, uint32_t least, uint32_t most)
{
    uint64_t learned = o->policy->simulations, wait = least + learned / 64;
    return (uint32_t)(learned + (wait < most ? wait : most));
}

static bool is_due(const struct orders *o, uint32_t due)
{
    return (int32_t)((uint32_t)o->policy->simulations - due) >= 0;
}

/* --- Setting up ----------------------------------------------------------------------------------------- */

/* Gumbel noise: what is drawn from it is one of so many quantiles. */
static float noises[NOISES];

__attribute__((constructor)) static void fill_noises(void)
{
    for (int i = 0; i < NOISES; i++) noises[i] = -logf(-logf(((float)i + 0.5f) / NOISES));
}

bool orders_fit(const struct policy *p, const struct code *code)
{
    if (p->wants_states || (p->values && p->sampler.kind == SAMPLE_UNIFORM)) return false;
    for (uint32_t r = 0; r < code->nroles; r++)
        if (code->roles[r].n >= RANKING_NONE) return false;
    return true;
}

static bool contextual(const struct policy *p)
{
    return p->lgr || (p->values && p->values->ops->knows);
}

static bool init_role(struct orders *o, const struct code *code, uint32_t role)
{
    struct order_role *r = &o->roles[role];
    r->n = code->roles[role].n;
    r->nlast = code->roles[role_before(role, o->nroles)].n;
    r->ever = calloc(r->n + 1, sizeof *r->ever);
    r->fresh = calloc(r->n + 1, sizeof *r->fresh);
    r->known = malloc((r->n + 1) * sizeof *r->known);
    uint16_t *moves = r->all.moves = malloc(((size_t)r->n * (ORDERS_POOL + 2) + 1) * sizeof *moves);
    r->active = malloc((r->nlast + 1) * sizeof *r->active);
    if (!r->ever || !r->fresh || !r->known || !moves || !r->active) return false;
    for (uint32_t i = 0; i < r->n; i++) moves[i] = (uint16_t)i;
    r->all.n = r->n;
    r->untried.moves = moves + r->n;
    for (uint32_t i = 0; i < ORDERS_POOL; i++) r->pool[i].moves = moves + (size_t)r->n * (i + 2);
    if (!contextual(o->policy)) return true;
    r->rankings = calloc(r->nlast + 1, sizeof *r->rankings);
    r->worth = calloc(r->nlast + 1, sizeof *r->worth);
    for (uint32_t i = 0; i < r->nlast && r->rankings; i++) r->rankings[i].reply = RANKING_NONE;
    return r->rankings && r->worth;
}

bool orders_init(struct orders *o, const struct policy *p, const struct code *code, uint32_t words,
                 uint64_t seed)
{
    uint32_t most = 1;
    *o = (struct orders){.policy = p, .weave = weave_for(words), .nroles = code->nroles, .words = words};
    rng_init(&o->rng, seed);
    for (uint32_t r = 0; r < o->nroles; r++) most = code->roles[r].n > most ? code->roles[r].n : most;
    o->roles = calloc(o->nroles, sizeof *o->roles);
    o->last = calloc(o->nroles, sizeof *o->last);
    o->some = malloc(most * sizeof *o->some);
    o->stamp = calloc(most, sizeof *o->stamp);
    o->scores = malloc(most * sizeof *o->scores);
    o->keys = malloc(most * sizeof *o->keys);
    if (!o->some || !o->stamp || !o->roles || !o->last || !o->scores || !o->keys) return false;
    for (uint32_t r = 0; r < o->nroles; r++)
        if (!init_role(o, code, r)) return false;
    return true;
}

void orders_done(struct orders *o)
{
    for (uint32_t r = 0; r < o->nroles && o->roles; r++) {
        free(o->roles[r].ever);
        free(o->roles[r].fresh);
        free(o->roles[r].known);
        free(o->roles[r].all.moves);
        free(o->roles[r].active);
        free(o->roles[r].rankings);
        free(o->roles[r].worth);
    }
    free(o->roles);
    free(o->last);
    free(o->some);
    free(o->stamp);
    free(o->scores);
    free(o->keys);
}

bool orders_ready(const struct orders *o)
{
    return o->policy->simulations > 0;
}

/* --- Orders from scores --------------------------------------------------------------------------------- */

static struct situation after(struct orders *o, uint32_t role, uint32_t last)
{
    struct situation s = {.role = role, .nroles = o->nroles};
    if (last == MOVE_NONE) return s;
    o->last[role_before(role, o->nroles)] = last;
    s.last = o->last;
    return s;
}

/* Scores of the moves that were legal lately. */
static void score_known(struct orders *o, uint32_t role)
{
    const struct order_role *r = &o->roles[role];
    struct values *v = o->policy->values;
    struct situation s = after(o, role, MOVE_NONE);
    if (v)
        v->ops->score(v, &s, r->known, r->nknown, o->scores);
    else
        memset(o->scores, 0, r->nknown * sizeof *o->scores);
}

/* Numbers that sort as the scores do. */
static inline uint32_t sortable(float score)
{
    union {
        float value;
        uint32_t bits;
    } x = {score};
    return x.bits & 0x80000000u ? ~x.bits : x.bits | 0x80000000u;
}

/* Larger for what comes first: the score, with noise where it is drawn for; equal ones at random. */
static inline uint64_t key_of(const struct orders *o, float score, uint32_t move, uint64_t random)
{
    random = (random + move) * 0x9e3779b97f4a7c15u;
    random = (random ^ random >> 32) * 0xd6e8feb86659fd93u;
    if (o->policy->sampler.kind == SAMPLE_GIBBS)
        score = score / o->policy->sampler.tau + noises[random >> 52 & (NOISES - 1)];
    return (uint64_t)sortable(score) << 32 | (random >> 32 & 0xffff) << 16 | move;
}

static void sort_down(uint64_t *v, uint32_t n)
{
    static const uint32_t gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (uint32_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (uint32_t i = gaps[g]; i < n; i++) {
            uint64_t x = v[i];
            uint32_t j = i;
            for (; j >= gaps[g] && v[j - gaps[g]] < x; j -= gaps[g]) v[j] = v[j - gaps[g]];
            v[j] = x;
        }
}

/* In a greedy playout what was never tried comes before everything else. */
static bool comes_first(const struct orders *o, float score)
{
    return o->policy->sampler.kind == SAMPLE_GREEDY && score >= UNSEEN;
}

static void make_pool(struct orders *o, uint32_t role, uint32_t which)
{
    struct order_role *r = &o->roles[role];
    struct order *pool = &r->pool[which];
    uint64_t random = rng_next(&o->rng);
    uint32_t n = r->nknown;
    score_known(o, role);
    r->untried.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        o->keys[i] = key_of(o, o->scores[i], r->known[i], random);
        if (comes_first(o, o->scores[i])) r->untried.moves[r->untried.n++] = (uint16_t)r->known[i];
    }
    for (uint32_t i = r->untried.n; i > 1; i--) { /* shuffled */
        uint32_t j = rng_below(&o->rng, i);
        uint16_t swap = r->untried.moves[i - 1];
        r->untried.moves[i - 1] = r->untried.moves[j];
        r->untried.moves[j] = swap;
    }
    sort_down(o->keys, n);
    pool->n = n;
    for (uint32_t i = 0; i < n; i++) pool->moves[i] = (uint16_t)o->keys[i];
}

/* The moves that were legal lately, those of a ranking in front: what was best once comes nearly in order,
 * and most of the others are turned away at once. */
static uint32_t candidates(struct orders *o, const struct order_role *r, const struct ranking *old)
{
    uint32_t n = 0;
    o->now++;
    for (uint32_t i = 0; i < old->n; i++) {
        if (!r->ever[old->moves[i]]) continue;
        o->stamp[old->moves[i]] = o->now;
        o->some[n++] = old->moves[i];
    }
    for (uint32_t i = 0; i < r->nknown; i++)
        if (o->stamp[r->known[i]] != o->now) o->some[n++] = r->known[i];
    return n;
}

/* The best few in order: the others are turned away by a look at the last of them. */
static void make_ranking(struct orders *o, uint32_t role, uint32_t last)
{
    struct values *v = o->policy->values;
    struct ranking *r = &o->roles[role].rankings[last];
    uint64_t best[RANKING_MOVES], random = rng_next(&o->rng);
    uint32_t count = 0;
    r->due = next_due(o, 8, 192);
    if (!v || !v->ops->knows || !v->ops->knows(v, role, last)) {
        r->n = 0;
        return;
    }
    struct situation s = after(o, role, last);
    uint32_t n = candidates(o, &o->roles[role], r);
    v->ops->score(v, &s, o->some, n, o->scores);
    for (uint32_t i = 0; i < n; i++) {
        if (comes_first(o, o->scores[i])) continue;
        uint64_t key = key_of(o, o->scores[i], o->some[i], random);
        if (count == RANKING_MOVES && key < best[count - 1]) continue;
        uint32_t j = count < RANKING_MOVES ? count++ : count - 1;
        for (; j > 0 && best[j - 1] < key; j--) best[j] = best[j - 1];
        best[j] = key;
    }
    for (uint32_t i = 0; i < count; i++) {
        r->moves[i] = (uint16_t)best[i];
        o->roles[role].worth[last][i] = (uint32_t)(best[i] >> 32);
    }
    r->n = (uint16_t)count;
}

/* Put a move where its score says, whether it was ranked or not. */
static void rank(struct ranking *r, uint32_t *worth, uint16_t move, uint32_t score)
{
    uint32_t i = 0;
    while (i < r->n && r->moves[i] != move) i++;
    if (i == RANKING_MOVES && worth[--i] >= score) return;
    if (i == r->n) r->n++;
    for (; i > 0 && worth[i - 1] < score; i--) r->moves[i] = r->moves[i - 1], worth[i] = worth[i - 1];
    for (; i + 1 < r->n && worth[i + 1] > score; i++) r->moves[i] = r->moves[i + 1], worth[i] = worth[i + 1];
    r->moves[i] = move;
    worth[i] = score;
}

void orders_replied(struct orders *o, uint32_t role, uint32_t last)
{
    if (!o->policy->lgr) return;
    struct situation s = after(o, role, last);
    uint32_t replies[2], n = lgr_replies(o->policy->lgr, &s, replies);
    o->roles[role].rankings[last].reply = n ? (uint16_t)replies[0] : RANKING_NONE;
}

void orders_learned(struct orders *o, uint32_t role, uint32_t last, uint32_t move)
{
    struct order_role *r = &o->roles[role];
    struct values *v = o->policy->values;
    /* Gibbs' choice is between scores with noise, which are drawn together */
    if (!r->rankings || !v || !v->ops->knows || o->policy->sampler.kind != SAMPLE_GREEDY) return;
    if (r->rankings[last].n == 0) { /* there is a first time */
        r->rankings[last].due = (uint32_t)o->policy->simulations;
        return;
    }
    struct situation s = after(o, role, last);
    float score;
    v->ops->score(v, &s, &move, 1, &score);
    if (!comes_first(o, score)) rank(&r->rankings[last], r->worth[last], (uint16_t)move, sortable(score));
}

/* --- Looking after them --------------------------------------------------------------------------------- */

static void take_census(struct orders *o, uint32_t role, const uint64_t *legal, const uint64_t *lanes)
{
    struct order_role *r = &o->roles[role];
    if (++r->censuses % RECENT == 0) { /* forget those that were not legal for a while */
        bool *swap = r->ever;
        r->ever = r->fresh;
        r->fresh = swap;
        memset(r->fresh, 0, r->n * sizeof *r->fresh);
    }
    o->weave->census(legal, r->n, lanes, r->ever);
    o->weave->census(legal, r->n, lanes, r->fresh);
    r->nknown = 0;
    for (uint32_t i = 0; i < r->n; i++)
        if (r->ever[i]) r->known[r->nknown++] = i;
}

void orders_tend(struct orders *o, uint32_t role, const uint64_t *legal, const uint64_t *lanes,
                 uint32_t round)
{
    struct order_role *r = &o->roles[role];
    bool first = r->pool[0].n == 0;
    if (first || round - r->seen >= CENSUS) {
        r->seen = round;
        take_census(o, role, legal, lanes);
        /* simulations that ended in the tree had no playouts, and nobody told what was learned from them */
        for (uint32_t last = 0; last < r->nlast && o->policy->lgr; last++) orders_replied(o, role, last);
    }
    uint32_t some = first ? ORDERS_POOL : is_due(o, r->due) ? RENEWED : 0;
    if (o->policy->sampler.kind == SAMPLE_GIBBS && !first) some = r->nknown < FEW ? ORDERS_POOL / 2 : 1;
    if (some) r->due = next_due(o, 1, 8);
    for (uint32_t i = 0; i < some; i++, r->next++) make_pool(o, role, r->next % ORDERS_POOL);
}

static void tend_rankings(struct orders *o, uint32_t role)
{
    struct order_role *r = &o->roles[role];
    uint32_t at = r->nactive ? rng_below(&o->rng, r->nactive) : 0, made = 0;
    for (uint32_t i = 0; i < r->nactive && made < RANKED; i++, at++) {
        uint32_t last = r->active[at < r->nactive ? at : at - r->nactive];
        if (!is_due(o, r->rankings[last].due)) continue;
        make_ranking(o, role, last);
        made++;
    }
}

/* --- Choosing ------------------------------------------------------------------------------------------- */

static bool any(const struct orders *o, const uint64_t *mask)
{
    uint64_t or = 0;
    for (uint32_t w = 0; w < o->words; w++) or |= mask[w];
    return or != 0;
}

void orders_reply(struct orders *o, uint32_t role, const uint64_t *legal, uint64_t *does,
                  const uint64_t *last, uint64_t *open)
{
    const struct order_role *r = &o->roles[role];
    if (o->policy->lgr) o->weave->replies(legal, does, last, r->nlast, r->rankings, open);
}

/* Groups of lanes, drawn anew, each by an order of its own. */
static void choose_from_pool(struct orders *o, const struct order_role *r, const uint64_t *legal,
                             uint64_t *does, uint64_t *open)
{
    uint64_t group[8][BATCH_MAX_WORDS];
    for (uint32_t w = 0; w < o->words; w++) {
        uint64_t a = rng_next(&o->rng), b = rng_next(&o->rng), c = rng_next(&o->rng);
        for (int g = 0; g < 8; g++)
            group[g][w] = open[w] & (g & 1 ? a : ~a) & (g & 2 ? b : ~b) & (g & 4 ? c : ~c);
        open[w] = 0;
    }
    for (int g = 0; g < 8; g++) {
        const struct order *order = &r->pool[rng_below(&o->rng, ORDERS_POOL)];
        o->weave->walk(legal, does, order->moves, order->n, group[g]);
        for (uint32_t w = 0; w < o->words; w++) open[w] |= group[g][w];
    }
}

void orders_choose(struct orders *o, uint32_t role, const uint64_t *legal, uint64_t *does,
                   const uint64_t *last, uint64_t *open)
{
    struct order_role *r = &o->roles[role];
    if (r->untried.n) o->weave->walk(legal, does, r->untried.moves, r->untried.n, open);
    if (r->rankings) {
        r->nactive = o->weave->contexts(legal, does, last, r->nlast, r->rankings, open, r->active);
        tend_rankings(o, role);
    }
    if (any(o, open)) choose_from_pool(o, r, legal, does, open);
    /* moves that nobody has seen legal before */
    if (any(o, open)) o->weave->walk(legal, does, r->all.moves, r->all.n, open);
}
