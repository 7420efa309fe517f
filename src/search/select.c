// SPDX-License-Identifier: GPL-3.0-or-later
/* Choosing moves inside the tree: UCT, with RAVE and urgency when asked for. */
#include "search/implicit.h"
#include "search/ledger.h"
#include "search/weigh.h"

#include <math.h>
#include <stdlib.h>

float select_beta(enum rave_mix mix, float k, uint32_t visits)
{
    float n = (float)visits;
    return mix == RAVE_SHORT ? k / (n + k) : sqrtf(k / (3.0f * n + k));
}

/* Logarithms of small counts, which nearly all are, as they are first needed: all threads find the same. */
enum { LOGARITHMS = 1 << 16 };
static float logarithms[LOGARITHMS];

static float logarithm(uint32_t n)
{
    if (n >= LOGARITHMS) return logf((float)n);
    float known = mean_of(&logarithms[n]);
    if (known == 0 && n > 1) mean_set(&logarithms[n], known = logf((float)n));
    return known;
}

/* Simulations that say nothing, beside those that RAVE has seen of an untried move. */
#define RAVE_DOUBT 3.0f

/* What is `avoid`ed cannot matter. */
static bool is_untried(const struct tree_action *a, uint32_t avoid)
{
    return count_of(&a->n) == 0 && pending_of(a) == 0 && !action_is(a, avoid);
}

/* E-UCT goes where something is still unsolved, as long as there is such a move. */
static uint32_t to_avoid(const struct mcts *m, const struct tree_action *a, uint32_t n)
{
    if (m->opt.solver == SOLVER_OFF) return 0;
    if (m->opt.solver == SOLVER_S) return ACTION_OUT;
    for (uint32_t i = 0; i < n; i++)
        if (!action_is(&a[i], ACTION_OUT | ACTION_SETTLED)) return ACTION_OUT | ACTION_SETTLED;
    return ACTION_OUT;
}

/* The actions of a role, of which `first` .. are in the columns. */
struct choosing {
    const struct tree_action *a;
    const struct rave *rave; /* parallel to them */
    uint32_t n, avoid;
    bool alone; /* nobody else counts there */
    uint32_t untried, pending;
    uint32_t first;
    struct weights w;
};

static uint32_t chunk(const struct choosing *c, uint32_t first)
{
    return c->n - first < WEIGH_MOST ? c->n - first : WEIGH_MOST;
}

/* Bring those from `first` on into the columns: how many they are. */
static uint32_t weigh_from(struct choosing *c, uint32_t first)
{
    weigh_means(c->a + first, chunk(c, first), c->avoid, c->alone, &c->w);
    c->first = first;
    return chunk(c, first);
}

static void survey(struct choosing *c)
{
    c->untried = c->pending = 0;
    for (uint32_t i = 0; i < c->n; i += WEIGH_MOST) {
        uint32_t n = weigh_from(c, i);
        for (uint32_t k = 0; k * 64 < n; k++) c->untried += (uint32_t)__builtin_popcountll(c->w.untried[k]);
        c->pending += c->w.pending;
    }
}

/* Where the untried actions are; returns how many of them there was room for. */
static uint32_t list_untried(struct choosing *c, uint32_t *at, uint32_t room)
{
    uint32_t count = 0;
    for (uint32_t first = 0; first < c->n; first += WEIGH_MOST) {
        uint32_t n = c->n <= WEIGH_MOST ? c->n : weigh_from(c, first);
        for (uint32_t k = 0; k * 64 < n; k++)
            for (uint64_t left = c->w.untried[k]; left && count < room; left &= left - 1)
                at[count++] = first + k * 64 + (uint32_t)__builtin_ctzll(left);
    }
    return count;
}

/* Among the moves never tried, the playout policy decides. Others may have tried some of them meanwhile. */
static uint32_t try_new(struct hand *h, struct choosing *c, const struct situation *s)
{
    enum { FEW = 256 };
    uint32_t few[2 * FEW], *at = c->untried <= FEW ? few : malloc(2 * (size_t)c->untried * sizeof *at),
                           pick = 0;
    if (!at) return 0;
    uint32_t *moves = at + c->untried, count = list_untried(c, at, c->untried);
    for (uint32_t i = 0; i < count; i++) moves[i] = c->a[at[i]].move;
    if (count > 1) pick = policy_choose(h->policy, s, &h->rng, moves, count);
    uint32_t chosen = count ? at[pick] : 0;
    if (at != few) free(at);
    return chosen;
}

/* --- Values --------------------------------------------------------------------------------------------- */

/* What the actions of a role are compared by. */
struct scales {
    float ln_visits, c, beta;
    bool rave, whole;   /* RAVE is mixed with the whole of UCT, else with the mean */
    const float *leads; /* of minimax over judged positions; NULL: none */
    float alpha;        /* and their weight */
    uint32_t role;
};

/* Of what a move is worth by simulations, which say `mixed` without exploration, a part is what minimax over
 * judged positions says. */
static float with_lead(const struct scales *s, uint32_t action, float value, float mixed)
{
    float lead = mean_of(&s->leads[action]);
    return lead >= 0 ? value + s->alpha * (implicit_for(s->role, lead) - mixed) : value;
}

/* Values of the actions that are in the columns. */
static void weigh(struct choosing *c, uint32_t n, const struct scales *s)
{
    const struct rave *rave = c->rave ? c->rave + c->first : NULL;
    float mixed[WEIGH_MOST];
    for (uint32_t i = 0; i < n && s->leads; i++)
        mixed[i] = s->rave ? weigh_with_rave(&rave[i], s->beta, c->w.value[i]) : c->w.value[i];
    if (s->rave && !s->whole) weigh_rave(&c->w, n, rave, s->beta, c->alone);
    weigh_uct(&c->w, n, s->ln_visits, s->c);
    if (s->rave && s->whole) weigh_rave(&c->w, n, rave, s->beta, c->alone);
    for (uint32_t i = 0; i < n && s->leads; i++)
        if (mixed[i] > -INFINITY) c->w.value[i] = with_lead(s, c->first + i, c->w.value[i], mixed[i]);
}

/* Of the moves never tried the one of which RAVE and judged positions promise most, and what it is worth:
 * mixed with what UCT would say of a move like the others here, seen once. */
static float likeliest(const struct choosing *c, const struct scales *s, float mean, uint32_t *first)
{
    float high = -INFINITY, wide = s->c * sqrtf(s->ln_visits);
    *first = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        if (!is_untried(&c->a[i], c->avoid)) continue;
        float known = s->rave ? (float)count_of(&c->rave[i].n) : 0, trust = known / (known + RAVE_DOUBT);
        float hint = trust > 0 ? trust * mean_of(&c->rave[i].mean) + (1 - trust) * mean : mean;
        float value = s->beta * hint + (1 - s->beta) * (mean + wide);
        if (s->leads) value = with_lead(s, i, value, s->beta * hint + (1 - s->beta) * mean);
        if (value > high) high = value, *first = i;
    }
    return high;
}

/* The best action so far. */
struct best {
    uint32_t action, ties;
    float value;
};

/* Equal ones at random, as they come. */
static void find_best(const struct weights *w, uint32_t first, uint32_t n, struct rng *rng, struct best *b)
{
    bool tied;
    float top = b->value;
    uint32_t found = weigh_best(w, n, &top, &tied);
    if (!tied) {
        if (found < n) *b = (struct best){first + found, 1, top};
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        float x = w->value[i];
        if (x > b->value)
            *b = (struct best){first + i, 1, x};
        else if (x == b->value && x > -INFINITY && rng_below(rng, ++b->ties) == 0)
            b->action = first + i;
    }
}

static struct best heaviest(struct hand *h, const struct tree_node *node, uint32_t role, struct choosing *c,
                            const struct scales *s)
{
    const struct mcts_options *o = &h->search->opt;
    struct best best = {.value = -INFINITY};
    for (uint32_t first = 0; first < c->n; first += WEIGH_MOST) {
        uint32_t n = c->n <= WEIGH_MOST ? c->n : weigh_from(c, first);
        weigh(c, n, s);
        for (uint32_t i = 0; i < n && o->prior; i++)
            c->w.value[i] += o->prior(o->prior_data, node, role, c->a[first + i].move);
        find_best(&c->w, first, n, &h->rng, &best);
    }
    return best;
}

/* The mean of all simulations that are back. */
static float mean_of_all(const struct tree_action *a, uint32_t n, uint32_t avoid)
{
    float sum = 0, of = 0;
    for (uint32_t i = 0; i < n; i++) {
        float finished = (float)count_of(&a[i].n);
        if (finished == 0 || action_is(&a[i], avoid)) continue;
        sum += mean_of(&a[i].mean) * finished;
        of += finished;
    }
    return of > 0 ? sum / of : 50;
}

uint32_t select_action(struct hand *h, struct tree_node *node, uint32_t role, const struct situation *s)
{
    const struct mcts *m = h->search;
    uint32_t n = node_actions(m->tree, node, role), first = node_first(m->tree, node)[role];
    if (n == 1) return 0;
    if (!m->opt.tree) return rng_below(&h->rng, n);
    struct tally tally = tally_of(h, node);
    const struct tree_action *a = tally.actions + first;
    struct choosing choosing;
    choosing.a = a;
    choosing.rave = tally.rave ? tally.rave + first : NULL;
    choosing.n = n;
    choosing.avoid = to_avoid(m, a, n);
    choosing.alone = tally.alone;
    survey(&choosing);
    uint32_t untried = choosing.untried;
    if (untried && (untried == n || m->opt.urgency == URGENCY_OFF)) return try_new(h, &choosing, s);

    uint32_t visits = count_of(tally.visits) + choosing.pending;
    const struct way_role *way = situation_way(s);
    float ln_visits = logarithm(visits), c = way ? way->c : m->opt.c;
    struct scales scales = {
        .ln_visits = ln_visits, .c = c, .rave = m->opt.rave, .alpha = m->opt.implicit, .role = role};
    if (implicit_is_on(m)) scales.leads = node_leads(m->tree, node, role);
    if (m->opt.rave) {
        scales.beta = select_beta(m->opt.rave_mix, way ? way->rave : (float)m->opt.rave, visits);
        scales.whole = m->opt.rave_mix == RAVE_THESIS;
    }
    struct best best = heaviest(h, node, role, &choosing, &scales);
    if (!untried) return best.action;
    /* Urgency (002 algorithm 6): what UCT would say of a draw seen once, less and less the fewer moves are
     * left. */
    if (m->opt.urgency == URGENCY_THESIS)
        return best.value < 50 + c * sqrtf(ln_visits) * (float)untried / (float)n ? try_new(h, &choosing, s)
                                                                                  : best.action;
    uint32_t hope;
    if (likeliest(&choosing, &scales, mean_of_all(a, n, choosing.avoid), &hope) <= best.value)
        return best.action;
    return m->opt.urgency == URGENCY_RAVE ? hope : try_new(h, &choosing, s);
}
