// SPDX-License-Identifier: GPL-3.0-or-later
/* A simulation on its way back: rewards to the nodes of its path, to RAVE, to the playout policy. */
#include "search/driver_internal.h"
#include "search/implicit.h"
#include "search/ledger.h"

#include <stdlib.h>
#include <string.h>

void flight_undo_pending(struct flight *f)
{
    struct tree *t = f->hand->search->tree;
    for (uint32_t k = 0; k < f->tree_steps && !f->hand->solo; k++) {
        if (!f->path[k]) continue; /* collected meanwhile */
        struct tree_node *n = tree_node(t, f->path[k]);
        for (uint32_t r = 0; r < t->nroles; r++)
            if (node_is_folded(n))
                node_folded(t, n)[r].choice = 0;
            else if (node_actions(t, n, r) > 1)
                tally_pending(f->hand, n, r, f->choice[(size_t)k * t->nroles + r], -1);
    }
}

/* Of n simulations the last one weighs as one of so many. */
static uint32_t fading(const struct mcts *m, uint32_t n)
{
    return m->opt.window && n > m->opt.window ? m->opt.window : n;
}

static void count_rave(const struct hand *h, const struct tree_node *n, const struct tally *tally,
                       uint32_t role, float reward)
{
    const struct tree *t = h->search->tree;
    const struct driver *d = h->driver;
    uint32_t count = node_actions(t, n, role), first = node_first(t, n)[role];
    if (count < 2) return;
    const struct tree_action *a = tally->actions + first;
    struct rave *rave = tally->rave + first;
    for (uint32_t i = 0; i < count; i++) {
        size_t at = (size_t)a[i].move * t->nroles + role;
        if (at >= d->stamp_cap || d->stamp[at] != d->stamp_now) continue;
        tally_mean(&rave[i].mean, reward, fading(h->search, tally_add(tally, &rave[i].n, 1)));
    }
}

static void stamp_move(struct driver *d, uint32_t role, uint32_t move)
{
    size_t at = (size_t)move * d->nroles + role;
    if (at >= d->stamp_cap) {
        size_t cap = d->stamp_cap ? d->stamp_cap : 1024;
        while (cap <= at) cap *= 2;
        uint32_t *grown = realloc(d->stamp, cap * sizeof *grown);
        if (!grown) return;
        memset(grown + d->stamp_cap, 0, (cap - d->stamp_cap) * sizeof *grown);
        d->stamp = grown;
        d->stamp_cap = (uint32_t)cap;
    }
    d->stamp[at] = d->stamp_now;
}

/* One step of the path, which is pending no longer: `discounted` is what the rewards are worth here. */
static void count_step(struct flight *f, uint32_t step, const float *own, const float *discounted)
{
    struct mcts *m = f->hand->search;
    struct tree *t = m->tree;
    struct tree_node *n = tree_node(t, f->path[step]);
    bool rave = m->opt.rave && !f->own;
    if (node_is_folded(n)) {
        n->visits++;
        for (uint32_t r = 0; r < m->nroles; r++)
            node_folded(t, n)[r] =
                (struct folded){f->choice[(size_t)step * m->nroles + r] + 1, discounted[r]};
        return;
    }
    struct tally tally = tally_of(f->hand, n);
    tally_add(&tally, tally.visits, 1);
    for (uint32_t r = 0; r < m->nroles; r++) {
        uint32_t choice = f->choice[(size_t)step * m->nroles + r];
        struct tree_action *a = tally.actions + node_first(t, n)[r] + choice;
        uint32_t tries = tally_add(&tally, &a->n, 1);
        tally_mean(&a->mean, discounted[r], fading(m, tries));
        if (m->single) {
            float *best = node_best(t, n, r) + choice;
            if (tries == 1 || own[r] > mean_of(best)) mean_set(best, own[r]);
        }
        if (!f->hand->solo && node_actions(t, n, r) > 1) tally_add(&tally, &a->pending, (uint32_t)-1);
        if (rave) count_rave(f->hand, n, &tally, r, discounted[r]);
    }
    if (tally.copied) ledger_counted(f->hand, n);
}

/* Lines that are going to be written. The builtin asks for reading only where the compiler may assume no
 * better. */
static void fetch(const void *first, size_t bytes)
{
    const char *at = (const char *)((uintptr_t)first & ~(uintptr_t)(TREE_LINE - 1));
    for (; at < (const char *)first + bytes; at += TREE_LINE)
#if defined(__x86_64__)
        __asm__ volatile("prefetchw %0" : : "m"(*at));
#else
        __builtin_prefetch(at, 1);
#endif
}

/* Other threads have written to the nodes of the path since, or other searches have filled the caches, and
 * each count waits until its line is here. So all lines are asked for at once: first the nodes, then what
 * they tell the places of. */
void flight_fetch(const struct flight *f, enum fetching what)
{
    enum { FEW = 256 }; /* bytes of RAVE that are worth it */
    const struct tree *t = f->hand->search->tree;
    if (f->errand) return; /* the tree is somebody else's */
    for (uint32_t k = 0; k < f->tree_steps; k++) {
        if (!f->path[k] || (f->hand->ledger && ledger_has(f->hand->ledger, f->path[k]))) continue;
        struct tree_node *n = tree_node(t, f->path[k]);
        if (what == FETCH_NODES) {
            fetch(n, sizeof *n);
            continue;
        }
        if (node_is_folded(n)) continue;
        for (uint32_t r = 0; r < t->nroles; r++) {
            fetch(node_action(t, n, r) + f->choice[(size_t)k * t->nroles + r], sizeof(struct tree_action));
            size_t bytes = node_actions(t, n, r) * sizeof(struct rave);
            if (t->with_rave && bytes <= FEW) fetch(node_rave(t, n, r), bytes);
        }
    }
}

/* A node on the way has bounds that the one above may not know of. */
static bool on_proved_ground(const struct flight *f)
{
    const struct tree *t = f->hand->search->tree;
    if (!__atomic_load_n(&f->hand->search->bounded, __ATOMIC_RELAXED)) return false;
    for (uint32_t k = 1; k < f->tree_steps; k++)
        if (f->path[k] && node_flags(tree_node(t, f->path[k])) & NODE_BOUNDED) return true;
    return false;
}

static float faded(struct driver *d, float reward, float discount, uint32_t steps)
{
    uint32_t bits;
    memcpy(&bits, &reward, sizeof bits);
    struct fading *f = &d->fadings[(bits ^ bits >> 19) % FADINGS];
    if (f->n == 0 || f->reward != reward || f->discount != discount) {
        f->reward = f->v[0] = reward;
        f->discount = discount;
        f->n = 1;
    }
    for (; f->n <= steps && f->n < FADED; f->n++) f->v[f->n] = f->v[f->n - 1] * discount;
    if (steps < FADED) return f->v[steps];
    float x = f->v[FADED - 1];
    for (uint32_t i = FADED - 1; i < steps; i++) x *= discount;
    return x;
}

/* Nobody looks at the moves made outside the tree. */
static void back_up_path(struct flight *f, const float *reward, const float *own)
{
    const struct mcts *m = f->hand->search;
    float now[MCTS_MAX_ROLES];
    for (uint32_t t = f->tree_steps; t-- > 0;) {
        if (!f->path[t]) continue;
        for (uint32_t r = 0; r < m->nroles; r++)
            now[r] = faded(f->hand->driver, reward[r], m->opt.discount, f->steps - t);
        count_step(f, t, own, now);
    }
}

static void back_up_all(struct flight *f, const float *reward, const float *own)
{
    const struct mcts *m = f->hand->search;
    struct driver *d = f->hand->driver;
    float now[MCTS_MAX_ROLES];
    memcpy(now, reward, m->nroles * sizeof *now);
    d->stamp_now++;
    for (uint32_t t = f->steps; t-- > 0;) {
        for (uint32_t r = 0; r < m->nroles; r++) {
            now[r] *= m->opt.discount;
            stamp_move(d, r, f->moves[(size_t)t * m->nroles + r]);
        }
        if (t < f->tree_steps && f->path[t]) count_step(f, t, own, now);
    }
}

static void back_up(struct flight *f, const float *reward)
{
    const struct mcts *m = f->hand->search;
    const float *own = f->own ? f->own : reward;
    for (uint32_t t = 0; t < f->tree_steps; t++)
        if (f->path[t]) tree_fetch(m->tree, f->path[t], tree_node(m->tree, m->tree->root)->words);
    (m->opt.rave && !f->own ? back_up_all : back_up_path)(f, reward, own);
    if (m->opt.solver != SOLVER_OFF && (f->proved || on_proved_ground(f))) prove_path(f, f->proved);
    if (implicit_is_on(m)) implicit_back_up(f);
}

/* One-player games: the moves of the best simulation, outside the tree. */
static void keep_line(struct hand *h, const struct flight *f, float reward)
{
    if (reward < h->kept_reward || (reward == h->kept_reward && f->steps >= h->nkept)) return;
    if (f->steps > h->kept_cap) {
        uint32_t *grown = realloc(h->kept, 2 * f->steps * sizeof *grown);
        if (!grown) return;
        h->kept = grown;
        h->kept_cap = 2 * f->steps;
    }
    memcpy(h->kept, f->moves, f->steps * sizeof *h->kept);
    h->nkept = f->steps;
    h->kept_reward = reward;
}

/* One-player games: a simulation as good as the best or better is written into the tree whole, so that it is
 * never forgotten (002 §3.3.5). The states are played again, one by one. */
static void keep_path(struct flight *f)
{
    struct mcts *m = f->hand->search;
    struct reasoner *r = f->hand->driver->world->reasoner;
    if (f->tree_steps == 0 || f->tree_steps == f->steps || !m->opt.tree) return;
    uint32_t at = f->path[f->tree_steps - 1];
    struct state now = {0}, next = {0};
    struct list legal = {0};
    bool good = at && state_reserve(&now, tree_node(m->tree, at)->words);
    if (good) {
        now.words = tree_node(m->tree, at)->words;
        memcpy(now.w, node_state(tree_node(m->tree, at)), now.words * sizeof *now.w);
    }
    while (good && f->tree_steps <= f->steps) {
        uint32_t choice = f->choice[f->tree_steps - 1];
        good = r->ops->next(r, &now, &f->moves[f->tree_steps - 1], &next);
        if (!good) break;
        uint64_t hash = state_hash(&next);
        uint32_t node = tree_find(m->tree, next.w, next.words, hash);
        bool terminal = f->tree_steps == f->steps;
        legal.n = 0;
        if (!node) {
            if (terminal && !r->ops->terminal(r, &next, &terminal)) break;
            if (!terminal && !r->ops->legal(r, &next, 0, &legal)) break;
            if (terminal) break; /* ended nodes are made when they are next visited, with their goals */
            node = tree_add(m->tree, &f->hand->claim, next.w, next.words, hash, false, &legal);
            if (node) f->hand->stats.expansions++;
        }
        if (!node) break;
        tree_link(m->tree, at, &choice, node);
        if (f->tree_steps == f->steps) break;
        struct tree_node *n = tree_node(m->tree, node);
        uint32_t count = node_actions(m->tree, n, 0), i = 0;
        struct tree_action *a = node_action(m->tree, n, 0);
        while (i < count && a[i].move != f->moves[f->tree_steps]) i++;
        if (i == count) break;
        f->choice[f->tree_steps] = i;
        f->path[f->tree_steps++] = at = node;
        if (!f->hand->solo && count > 1) tally_pending(f->hand, n, 0, i, 1);
        struct state swap = now;
        now = next;
        next = swap;
    }
    state_done(&now);
    state_done(&next);
    list_done(&legal);
}

static struct episode episode_of(const struct flight *f, const float *reward)
{
    const struct mcts *m = f->hand->search;
    return (struct episode){.nroles = m->nroles,
                            .steps = f->steps,
                            .tree_steps = f->tree_steps,
                            .moves = f->moves,
                            .reward = reward,
                            .discount = m->opt.discount,
                            .states = f->hand->policy->wants_states && !f->stateless ? f->states : NULL,
                            .state_start = f->state_start,
                            .end = f->end};
}

void flight_teach(struct flight *f, const float *reward)
{
    struct episode e = episode_of(f, reward);
    policy_learn(f->hand->policy, &e);
}

void flight_expect(const struct flight *f)
{
    const struct hand *h = f->hand;
    if (!h->records || h->adapt.off || f->errand || !f->teaches) return;
    struct episode e = episode_of(f, NULL);
    policy_expect(h->policy, &e);
}

/* The first simulations tell whether later ones may be cut. Of what was broken off nobody knows where it
 * would have ended. */
static void watch(struct flight *f)
{
    struct hand *h = f->hand;
    struct mcts *m = h->search;
    if (f->cut || f->tree_steps == 0 || !f->path[0]) return;
    struct tree_node *root = tree_node(m->tree, f->path[0]);
    const struct state s = {.w = node_state(root), .words = root->words, .cap = root->words};
    bool good = cutoff_watch(h->driver->world->reasoner, &s, f->moves, f->steps, &m->seen);
    if (good && m->seen.games < m->opt.watch) return;
    if (good) m->opt.cutoff = cutoff_decide(&m->seen, m->nroles, CUTOFF_STABLE, CUTOFF_MINIMUM);
    m->opt.watch = 0;
    h->records = !policy_is_uniform(h->policy) || m->opt.rave || m->single;
}

const float *mcts_rewards(const struct mcts *m, const float *goals, float lead[2])
{
    if (!m->opt.difference) return goals;
    lead[0] = (goals[0] - goals[1] + 100) / 2;
    lead[1] = 100 - lead[0];
    return lead;
}

void flight_finish(struct flight *f, const float *goals)
{
    float lead[2];
    const float *reward = mcts_rewards(f->hand->search, goals, lead);
    if (f->errand)
        relay_return(f, reward);
    else
        flight_settle(f, reward);
}

void flight_settle(struct flight *f, const float *reward)
{
    struct hand *h = f->hand;
    struct mcts *m = h->search;
    const float *own = f->own ? f->own : reward;
    /* Better or equal; but nothing is no solution, and what was broken off is none either. */
    if (m->single && !f->cut && (own[0] > mean_of(&m->best) || (own[0] > 0 && own[0] == mean_of(&m->best)))) {
        mean_set(&m->best, own[0]);
        keep_line(h, f, own[0]);
        keep_path(f);
    }
    if (m->opt.watch) watch(f);
    back_up(f, reward);
    if (h->records && !h->adapt.off && f->teaches) flight_teach(f, own);
    if (f->has_way) adapt_learn(h, &f->way, own, f->playout_steps);
    bool decided = false;
    for (uint32_t r = 1; r < m->nroles; r++) decided |= own[r] != own[0];
    h->stats.simulations++;
    h->stats.decided += decided;
    h->stats.playout_steps += f->playout_steps;
    h->stats.depth_sum += f->tree_steps;
    if (f->tree_steps > h->stats.max_depth) h->stats.max_depth = f->tree_steps;
    flight_stage(f, IDLE);
    h->aloft--;
}

void flight_draw(struct flight *f)
{
    float reward[MCTS_MAX_ROLES];
    for (uint32_t r = 0; r < f->hand->search->nroles; r++) reward[r] = 50;
    f->cut = true;
    flight_finish(f, reward);
}
