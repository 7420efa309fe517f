// SPDX-License-Identifier: GPL-3.0-or-later
/* What the lanes do between two looks at the clock. */
#include "search/round.h"

#include "search/policy/dense.h"

#include <string.h>

/* --- Goals ---------------------------------------------------------------------------------------------- */

static void finish_parked(struct driver *d, uint32_t lane)
{
    struct flight *f = d->lane[lane].parked;
    float reward[MCTS_MAX_ROLES];
    for (uint32_t r = 0; r < d->nroles; r++) {
        int16_t goal = d->goals[lane * d->nroles + r];
        if (goal == BATCH_GOAL_UNDEFINED) f->hand->stats.undefined_goals++;
        /* A cut playout without a goal value is a draw; an ended game without one is worth nothing. */
        reward[r] = goal != BATCH_GOAL_UNDEFINED ? goal : f->cut ? 50 : 0;
    }
    if (f->node) {
        const struct tree *t = f->hand->search->tree;
        struct tree_node *n = tree_node(t, f->node);
        node_set_goals(t, n, reward);
        count_add(t, &n->visits, 1);
    }
    flight_finish(f, reward);
}

static void collect_goals(struct driver *d)
{
    if (d->nparked == 0) return;
    uint64_t mask[BATCH_MAX_WORDS];
    world_collect(d->world, d->goals, mask);
    if (d->world->failed) return;
    d->nparked = 0;
    for (uint32_t i = 0; i < d->lanes; i++)
        if (d->lane[i].parked->stage == PARKED) finish_parked(d, i);
}

/* The lane's game is over (or cut): its goals are asked for, and the lane gets its other flight. */
static void park(struct driver *d, uint32_t lane, uint32_t ended_node)
{
    struct flight *f = d->lane[lane].flying;
    if (f->hand->policy->wants_states) {
        world_state(d->world, lane, &d->state);
        flight_note_end(f, d->state.w, d->state.words);
    }
    f->node = ended_node;
    f->stage = PARKED;
    d->lane[lane].flying = d->lane[lane].parked;
    d->lane[lane].parked = f;
    d->park_mask[lane / 64] |= (uint64_t)1 << (lane % 64);
    d->nparked++;
}

/* --- Moves ---------------------------------------------------------------------------------------------- */

/* Lanes in playout. */
struct playing {
    uint32_t guided[BATCH_MAX_LANES], uniform[BATCH_MAX_LANES];
    uint32_t nguided, nuniform;
};

static void note_move(const struct driver *d, struct flight *f, uint32_t role, uint32_t move, bool forced)
{
    size_t at = (size_t)f->steps * d->nroles + role;
    f->moves[at] = move;
    f->forced[at] = forced;
}

/* Where a lane in playout is. */
static struct situation playout_situation(const struct flight *f, uint32_t role)
{
    struct situation s = flight_situation(f, role);
    if (f->hand->policy->wants_states && !f->stateless) {
        const uint32_t *start = f->state_start + f->steps;
        s.state = start[1] > start[0] ? f->states + start[0] : NULL;
        s.state_words = start[1] - start[0];
    }
    return s;
}

static void make_move(struct driver *d, uint32_t lane, uint32_t role, uint32_t move, bool forced)
{
    note_move(d, d->lane[lane].flying, role, move, forced);
    world_move(d->world, lane, role, move);
}

/* Playout moves of a role by the policies, in the lanes listed. */
static void guided_moves(struct driver *d, uint32_t role, const uint32_t *lanes, uint32_t n)
{
    struct list *l = &d->legal[role];
    for (uint32_t i = 0; i < n; i++) {
        struct flight *f = d->lane[lanes[i]].flying;
        struct situation s = playout_situation(f, role);
        uint32_t move = 0;
        world_legal(d->world, lanes[i], role, l);
        if (l->n) move = l->v[l->n > 1 ? policy_choose(f->hand->policy, &s, &f->hand->rng, l->v, l->n) : 0];
        make_move(d, lanes[i], role, move, l->n < 2);
    }
}

/* The same on the circuit, from sets. */
static void guided_batch(struct driver *d, uint32_t role, const uint32_t *lanes, uint32_t n)
{
    uint32_t words;
    const uint32_t *count;
    const uint64_t *sets = world_legal_sets(d->world, role, &words, &count);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lane = lanes[i], move = 0;
        const uint64_t *set = sets + (size_t)lane * words;
        if (count[lane] > 1) {
            struct flight *f = d->lane[lane].flying;
            struct situation s = playout_situation(f, role);
            move = policy_choose_set(f->hand->policy, &s, &f->hand->rng, set, words, count[lane]);
        } else if (count[lane]) {
            move = set_first(set);
        }
        make_move(d, lane, role, move, count[lane] < 2);
    }
}

static void uniform_moves(struct driver *d, const uint32_t *lanes, uint32_t n)
{
    uint64_t mask[BATCH_MAX_WORDS] = {0};
    bool records = false;
    for (uint32_t i = 0; i < n; i++) {
        struct hand *h = d->lane[lanes[i]].flying->hand;
        mask[lanes[i] / 64] |= (uint64_t)1 << (lanes[i] % 64);
        d->draws[lanes[i]] = rng_next(&h->rng);
        records |= h->records;
    }
    world_choose(d->world, mask, d->draws);
    for (uint32_t r = 0; r < d->nroles && records; r++) {
        world_moves(d->world, r, d->chosen);
        for (uint32_t i = 0; i < n; i++)
            note_move(d, d->lane[lanes[i]].flying, r, d->chosen[lanes[i]], false);
    }
}

/* Those who leave the tree make the moves chosen there; those in playout are listed. */
static void make_tree_moves(struct driver *d, struct playing *p)
{
    p->nguided = p->nuniform = 0;
    for (uint32_t i = 0; i < d->lanes; i++) {
        struct flight *f = d->lane[i].flying;
        if (f->stage == LEAVING) {
            for (uint32_t r = 0; r < d->nroles; r++)
                world_move(d->world, i, r, f->moves[(size_t)(f->steps - 1) * d->nroles + r]);
            f->stage = ARRIVED;
        } else if (f->stage == PLAYING) {
            const struct policy *policy = f->hand->policy;
            if (policy_is_uniform(policy))
                p->uniform[p->nuniform++] = i;
            else
                p->guided[p->nguided++] = i;
            if (!policy->wants_states) continue;
            world_state(d->world, i, &d->state);
            flight_note_state(f, d->state.w, d->state.words);
        }
    }
}

static void count_steps(struct driver *d, const uint32_t *lanes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct flight *f = d->lane[lanes[i]].flying;
        f->steps++;
        f->playout_steps++;
        f->hand->stats.steps++;
    }
}

static void make_moves(struct driver *d)
{
    struct playing p;
    make_tree_moves(d, &p);
    if (p.nuniform) uniform_moves(d, p.uniform, p.nuniform);
    for (uint32_t r = 0; r < d->nroles && p.nguided; r++)
        (d->world->batch ? guided_batch : guided_moves)(d, r, p.guided, p.nguided);
    count_steps(d, p.uniform, p.nuniform);
    count_steps(d, p.guided, p.nguided);
}

/* --- What the view shows -------------------------------------------------------------------------------- */

/* The new node takes part in the simulation: its first move is drawn here and counts for it. The state and
 * the legal moves are in the driver's scratch. */
static void first_move(struct driver *d, struct flight *f, uint32_t node)
{
    uint32_t first[MCTS_MAX_ROLES];
    if (!node || !flight_reserve(f)) return;
    f->node = node;
    for (uint32_t r = 0; r < d->nroles; r++) {
        const struct list *l = &d->legal[r];
        if (l->n == 0) return;
        struct situation s = flight_situation(f, r);
        s.state = d->state.w;
        s.state_words = d->state.words;
        first[r] = l->n > 1 ? policy_choose(f->hand->policy, &s, &f->hand->rng, l->v, l->n) : 0;
    }
    flight_take(f, node, first);
    f->stage = LEAVING;
    if (f->hand->relay) relay_send(f, &d->state);
}

/* The lane is one step outside the tree: find or make the node. */
static void arrive(struct driver *d, uint32_t lane)
{
    struct flight *f = d->lane[lane].flying;
    const struct mcts *m = f->hand->search;
    bool terminal = world_terminal(d->world, lane);
    if (!m->opt.tree || f->expanded) {
        if (terminal)
            park(d, lane, 0);
        else
            f->stage = PLAYING;
        return;
    }
    world_state(d->world, lane, &d->state);
    uint64_t hash = state_hash(&d->state);
    const uint32_t *choice = f->choice + (size_t)(f->tree_steps - 1) * d->nroles;
    uint32_t node = tree_find(m->tree, d->state.w, d->state.words, hash);
    if (node) {
        tree_link(m->tree, f->node, choice, node);
        f->node = node;
        flight_descend(f);
        return;
    }
    for (uint32_t r = 0; r < d->nroles && !terminal; r++) world_legal(d->world, lane, r, &d->legal[r]);
    if (d->world->failed) return; /* no node with half of its moves */
    node = tree_add(m->tree, d->state.w, d->state.words, hash, terminal, d->legal);
    if (node) {
        tree_link(m->tree, f->node, choice, node);
        f->hand->stats.expansions++;
    }
    if (terminal) {
        park(d, lane, node);
        return;
    }
    f->stage = PLAYING;
    f->expanded = true;
    first_move(d, f, node);
}

static bool must_cut(const struct flight *f)
{
    const struct cutoff *cutoff = &f->hand->search->opt.cutoff;
    return cutoff->kind != CUT_NEVER && f->playout_steps >= cutoff->steps;
}

static void look(struct driver *d, uint32_t lane)
{
    struct flight *f = d->lane[lane].flying;
    if (world_terminal(d->world, lane)) {
        park(d, lane, 0);
        return;
    }
    bool endless = f->steps >= f->hand->search->max_steps || !flight_reserve(f);
    if (!endless && !must_cut(f)) return;
    f->hand->stats.cut++;
    f->cut = true;
    if (!endless && f->hand->search->opt.cutoff.kind == CUT_GOAL_STABLE)
        park(d, lane, 0);
    else
        flight_draw(f);
}

/* A lane ends whose last game is still waiting for its goals. */
static bool must_collect(const struct driver *d)
{
    for (uint32_t i = 0; i < d->lanes; i++) {
        if (d->lane[i].parked->stage != PARKED) continue;
        const struct flight *f = d->lane[i].flying;
        if (f->stage != PLAYING && f->stage != ARRIVED) continue;
        if (world_terminal(d->world, i) ||
            (f->hand->search->opt.cutoff.kind == CUT_GOAL_STABLE && must_cut(f)))
            return true;
    }
    return false;
}

/* The ended node's goals were being fetched by a simulation that was given up, or by another thread: fetch
 * them ourselves. */
static void fetch_goals(struct driver *d, const struct flight *f)
{
    const struct tree *t = f->hand->search->tree;
    struct tree_node *n = tree_node(t, f->node);
    struct state s = {.w = node_state(n), .words = n->words, .cap = n->words};
    float goals[MCTS_MAX_ROLES];
    for (uint32_t i = 0; i < d->nroles; i++) {
        int goal = GOAL_UNDEFINED;
        if (!reasoner_goal(d->world->reasoner, &s, i, &goal)) {
            d->world->failed = true;
            return;
        }
        goals[i] = (float)(goal == GOAL_UNDEFINED ? 0 : goal);
    }
    node_set_goals(t, n, goals);
}

/* Goals are swept for many lanes at once: when an eighth of the lanes wait for them, when one is in the way,
 * or when nobody has anything else to do. A driver with one lane does it at once. */
static void look_at_goals(struct driver *d)
{
    bool waiting = false, flying = false;
    for (uint32_t i = 0; i < d->lanes; i++) {
        waiting |= d->lane[i].flying->stage == WAITING;
        flying |= d->lane[i].flying->stage != IDLE;
    }
    if (waiting || !flying || d->nparked > d->held / 8) collect_goals(d);
    for (uint32_t i = 0; i < d->lanes && waiting; i++) {
        struct flight *f = d->lane[i].flying;
        if (f->stage != WAITING) continue;
        const struct tree_node *n = tree_node(f->hand->search->tree, f->node);
        if (d->nparked == 0 && !(node_flags(n) & NODE_GOALS)) fetch_goals(d, f);
        if (node_flags(n) & NODE_GOALS) flight_descend(f);
    }
}

static void enter(struct driver *d)
{
    for (uint32_t i = 0; i < d->lanes; i++) {
        const struct flight *f = d->lane[i].flying;
        if (f->stage != ENTERING) continue;
        if (f->errand) {
            const struct state *s = relay_state(f);
            world_put(d->world, i, s->w, s->words);
        } else {
            struct tree_node *n = tree_node(f->hand->search->tree, f->path[f->tree_steps - 1]);
            world_put(d->world, i, node_state(n), n->words);
        }
    }
}

void round_play(struct driver *d)
{
    struct world *w = d->world;
    make_moves(d);
    if (w->failed) return;
    world_step(w);
    enter(d);
    world_view(w);
    if (w->failed) return;
    if (d->nparked && must_collect(d)) collect_goals(d);
    memset(d->park_mask, 0, sizeof d->park_mask);
    for (uint32_t i = 0; i < d->lanes; i++) {
        struct flight *f = d->lane[i].flying;
        if (f->stage == ENTERING)
            f->stage = LEAVING;
        else if (f->stage == ARRIVED)
            arrive(d, i);
        else if (f->stage == PLAYING)
            look(d, i);
    }
    if (d->nparked) world_park(w, d->park_mask);
    if (w->failed) return;
    look_at_goals(d);
}
