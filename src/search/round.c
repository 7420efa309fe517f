// SPDX-License-Identifier: GPL-3.0-or-later
/* What the lanes do between two looks at the clock. */
#include "search/round.h"

#include "search/implicit.h"
#include "search/judgement.h"
#include "search/mirror.h"
#include "search/policy/dense.h"
#include "search/wires/leaves.h"

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
        if (t->with_bounds) {
            prove_end(f->hand->search, f->node);
            f->proved = f->node;
        }
    }
    flight_finish(f, reward);
}

/* Lanes are finished one after the other, in this order; while one is, the tables of the second behind it are
 * loaded, the path of the next, and the nodes of the one behind that. */
enum { EXPECT_AHEAD = 2 };

static void finish_all(struct driver *d, const uint64_t *mask)
{
    uint32_t lanes[BATCH_MAX_LANES], n = 0;
    FOR_LANES(d, i, w, mask[w]) lanes[n++] = i;
    for (uint32_t i = 0; i < n && i < EXPECT_AHEAD; i++) flight_expect(d->lane[lanes[i]].parked);
    for (uint32_t i = 0; i < n; i++) {
        if (i + EXPECT_AHEAD < n) flight_expect(d->lane[lanes[i + EXPECT_AHEAD]].parked);
        if (i + 2 < n && !d->shared) flight_fetch(d->lane[lanes[i + 2]].parked, FETCH_NODES);
        if (i + 1 < n && !d->shared) flight_fetch(d->lane[lanes[i + 1]].parked, FETCH_ACTIONS);
        finish_parked(d, lanes[i]);
    }
}

static void collect_goals(struct driver *d)
{
    if (d->nparked == 0) return;
    uint64_t mask[BATCH_MAX_WORDS];
    world_collect(d->world, d->goals, mask);
    if (d->world->failed) return;
    memcpy(mask, d->parked, sizeof mask);
    memset(d->parked, 0, sizeof d->parked);
    d->nparked = 0;
    if (d->shared) {
        FOR_LANES(d, i, w, mask[w]) flight_fetch(d->lane[i].parked, FETCH_NODES);
        FOR_LANES(d, i, w, mask[w]) flight_fetch(d->lane[i].parked, FETCH_ACTIONS);
    }
    finish_all(d, mask);
}

/* What a playout that nobody recorded has come to. */
static void count_unseen(const struct driver *d, struct flight *f)
{
    uint32_t steps = d->now - f->began;
    f->steps += steps;
    f->playout_steps += steps;
    f->hand->stats.steps += steps;
}

static bool is_uniform(const struct driver *d, uint32_t lane)
{
    return d->uniform[lane / 64] >> (lane % 64) & 1;
}

/* The lane's game is over (or cut): its goals are asked for, and the lane gets its other flight. */
static void park(struct driver *d, uint32_t lane, uint32_t ended_node)
{
    struct flight *f = d->lane[lane].flying, *other = d->lane[lane].parked;
    uint64_t bit = (uint64_t)1 << (lane % 64);
    if (is_uniform(d, lane)) count_unseen(d, f);
    if (f->hand->policy->wants_states) {
        world_state(d->world, lane, &d->state);
        flight_note_end(f, d->state.w, d->state.words);
    }
    f->node = ended_node;
    flight_stage(f, PARKED);
    d->in[PARKED][lane / 64] &= ~bit;
    d->lane[lane].flying = other;
    d->lane[lane].parked = f;
    d->in[IDLE][lane / 64] |= bit;
    d->parked[lane / 64] |= bit;
    d->nparked++;
}

/* --- Moves ---------------------------------------------------------------------------------------------- */

static void note_move(const struct driver *d, struct flight *f, uint32_t role, uint32_t move, bool forced)
{
    size_t at = (size_t)f->steps * d->nroles + role;
    f->moves[at] = move;
    f->forced[at] = forced;
}

void round_situation(const struct driver *d, const struct flight *f, uint32_t role, struct situation *s)
{
    flight_situation(f, d->nroles, role, s);
    if (f->states && f->hand->policy->wants_states && !f->stateless) {
        const uint32_t *start = f->state_start + f->steps;
        s->state = start[1] > start[0] ? f->states + start[0] : NULL;
        s->state_words = start[1] - start[0];
    }
}

void round_make_move(struct driver *d, uint32_t lane, uint32_t role, uint32_t move, bool forced)
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
        struct situation s;
        round_situation(d, f, role, &s);
        uint32_t move = 0;
        world_legal(d->world, lanes[i], role, l);
        if (l->n) move = l->v[l->n > 1 ? policy_choose(f->hand->policy, &s, &f->hand->rng, l->v, l->n) : 0];
        round_make_move(d, lanes[i], role, move, l->n < 2);
    }
}

/* A playout that is about to choose. */
struct chooser {
    struct flight *flight;
    struct policy *policy;
    struct situation situation;
    const uint64_t *legal;
    uint32_t count;
};

/* Tables of many searches are not in the caches, nor are the searches themselves: what leads to them is asked
 * for one after the other, a few lanes before it is needed. */
enum { FETCH_AHEAD = 4, FETCHES = 4, CHOOSERS = 32 /* more than are under way at a time */ };

static void fetch_flight(const struct lane *lane)
{
    __builtin_prefetch(lane->flying);
    __builtin_prefetch(lane->hand);
}

static void fetch_policy(const struct chooser *c)
{
    __builtin_prefetch(c->policy);
    __builtin_prefetch(c->situation.last, 1); /* the next is written behind it */
}

static void fetch_tables(const struct chooser *c, uint32_t words, int stage)
{
    policy_fetch(c->policy, &c->situation, c->legal, words, stage);
}

/* The same on the circuit, from sets. */
static void guided_batch(struct driver *d, uint32_t role, const uint32_t *lanes, uint32_t n)
{
    uint32_t words, only, choosing[BATCH_MAX_LANES], m = 0;
    const uint32_t *count;
    if (world_forced(d->world, role, &only)) {
        for (uint32_t i = 0; i < n; i++) note_move(d, d->lane[lanes[i]].flying, role, only, true);
        return;
    }
    const uint64_t *sets = world_legal_sets(d->world, role, &words, &count);
    struct chooser some[CHOOSERS];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lane = lanes[i];
        if (count[lane] > 1)
            choosing[m++] = lane;
        else
            round_make_move(d, lane, role, count[lane] ? set_first(sets + (size_t)lane * words) : 0, true);
    }
    for (uint32_t i = 0, k; i < m + FETCHES * FETCH_AHEAD; i++) {
        if (i < m) fetch_flight(&d->lane[choosing[i]]);
        if (i >= FETCH_AHEAD && (k = i - FETCH_AHEAD) < m) {
            struct flight *f = d->lane[choosing[k]].flying;
            struct chooser *c = &some[k % CHOOSERS];
            c->flight = f;
            c->policy = f->hand->policy;
            c->legal = sets + (size_t)f->lane * words;
            c->count = count[f->lane];
            round_situation(d, f, role, &c->situation);
            fetch_policy(c);
        }
        if (i >= 2 * FETCH_AHEAD && (k = i - 2 * FETCH_AHEAD) < m)
            fetch_tables(&some[k % CHOOSERS], words, 0);
        if (i >= 3 * FETCH_AHEAD && (k = i - 3 * FETCH_AHEAD) < m)
            fetch_tables(&some[k % CHOOSERS], words, 1);
        if (i < FETCHES * FETCH_AHEAD) continue;
        const struct chooser *c = &some[(i - FETCHES * FETCH_AHEAD) % CHOOSERS];
        struct flight *f = c->flight;
        uint32_t move = policy_choose_set(c->policy, &c->situation, &f->hand->rng, c->legal, words, c->count);
        note_move(d, f, role, move, false);
        world_move(d->world, f->lane, role, move);
    }
}

/* Numbers for uniform choices: a stream of its own for every playout, begun from the search's. */
static void draw_streams(struct driver *d)
{
    for (uint32_t i = 0; i < d->world->lanes; i++) {
        uint64_t x = d->stream[i] += 0x9e3779b97f4a7c15u;
        x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
        d->draws[i] = (x ^ x >> 32) * 0xd6e8feb86659fd93u >> 8;
    }
}

/* Uniform choices, those that are recorded and those that are not. */
static void uniform_moves(struct driver *d, const uint32_t *lanes, uint32_t n, const uint64_t *unseen)
{
    uint64_t mask[BATCH_MAX_WORDS];
    memcpy(mask, unseen, sizeof mask);
    for (uint32_t i = 0; i < n; i++) mask[lanes[i] / 64] |= (uint64_t)1 << (lanes[i] % 64);
    draw_streams(d);
    world_choose(d->world, mask, d->draws);
    for (uint32_t r = 0; r < d->nroles && n; r++) {
        world_moves(d->world, r, d->chosen);
        for (uint32_t i = 0; i < n; i++)
            note_move(d, d->lane[lanes[i]].flying, r, d->chosen[lanes[i]], false);
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

/* Those who leave the tree make the moves chosen there. */
static void tree_moves(struct driver *d)
{
    FOR_LANES(d, i, w, d->in[LEAVING][w])
    {
        struct flight *f = d->lane[i].flying;
        for (uint32_t r = 0; r < d->nroles; r++)
            world_move(d->world, i, r, f->moves[(size_t)(f->steps - 1) * d->nroles + r]);
        flight_stage(f, ARRIVED);
    }
}

/* Uniform playouts, unless they look out for decisive moves. */
static bool chooses_on_wires(const struct hand *h)
{
    return (policy_is_uniform(h->policy) || h->adapt.off) && !decisive_is_on(h->search);
}

static void note_states(struct driver *d)
{
    FOR_LANES(d, i, w, d->stated[w])
    {
        world_state(d->world, i, &d->state);
        flight_note_state(d->lane[i].flying, d->state.w, d->state.words);
    }
}

static void make_moves(struct driver *d)
{
    uint32_t guided[BATCH_MAX_LANES], recorded[BATCH_MAX_LANES], nguided = 0, nrecorded = 0;
    uint32_t decided[BATCH_MAX_LANES], ndecided = 0;
    uint64_t unseen = 0;
    tree_moves(d);
    note_states(d);
    FOR_LANES(d, i, w, d->recorded[w]) recorded[nrecorded++] = i;
    FOR_LANES(d, k, v, d->in[PLAYING][v] & ~(d->uniform[v] | d->recorded[v])) guided[nguided++] = k;
    if (d->plain < d->nhands) nguided = decisive_moves(d, guided, nguided, decided, &ndecided);
    for (uint32_t w = 0; w < d->world->words; w++) unseen |= d->uniform[w];
    if (unseen || nrecorded) uniform_moves(d, recorded, nrecorded, d->uniform);
    for (uint32_t r = 0; r < d->nroles && nguided; r++)
        (d->world->batch ? guided_batch : guided_moves)(d, r, guided, nguided);
    count_steps(d, recorded, nrecorded);
    count_steps(d, guided, nguided);
    count_steps(d, decided, ndecided);
}

/* --- What the view shows -------------------------------------------------------------------------------- */

static bool cuts(const struct flight *f)
{
    return f->hand->search->opt.cutoff.kind != CUT_NEVER;
}

/* When the playout must be looked at, whether it has ended or not: at its longest, where it is cut, and when
 * there is no more room for its moves. */
static void set_limit(struct driver *d, struct flight *f, bool unseen)
{
    const struct mcts *m = f->hand->search;
    uint32_t most = m->max_steps > f->steps ? m->max_steps - f->steps : 0;
    const struct cutoff *cutoff = &m->opt.cutoff;
    if (cuts(f) && most > cutoff->steps - f->playout_steps) most = cutoff->steps - f->playout_steps;
    if (!unseen && most > f->cap - f->steps) most = f->cap - f->steps;
    d->until[f->lane] = d->now + (most ? most : 1);
    if ((int32_t)(d->until[f->lane] - d->next_due) < 0) d->next_due = d->until[f->lane];
}

static void begin_playout(struct driver *d, struct flight *f)
{
    struct hand *h = f->hand;
    bool uniform = chooses_on_wires(h), unseen = uniform && !h->records;
    uint64_t bit = (uint64_t)1 << (f->lane % 64);
    f->nrefuted = 0;
    f->again = false;
    flight_stage(f, PLAYING);
    h->stats.playouts++;
    f->began = d->now;
    if (uniform) d->stream[f->lane] = rng_next(&h->rng);
    if (uniform) (unseen ? d->uniform : d->recorded)[f->lane / 64] |= bit;
    if (!unseen && h->policy->wants_states) d->stated[f->lane / 64] |= bit;
    set_limit(d, f, unseen);
}

/* RAVE begins with what playouts know of the moves of a new node; nothing is known of those that nobody made.
 */
static void prime(struct flight *f, struct tree_node *n, const struct situation *s, const struct list *legal)
{
    const struct mcts *m = f->hand->search;
    const float *score = policy_score(f->hand->policy, s, legal->v, legal->n);
    struct rave *rave = node_rave(m->tree, n, s->role);
    for (uint32_t i = 0; i < legal->n && score; i++) {
        if (!(score[i] >= 0 && score[i] < 100) || count_of(&rave[i].n)) continue;
        mean_set(&rave[i].mean, score[i]);
        count_add(m->tree, &rave[i].n, m->opt.rave_prior);
    }
}

/* The new node takes part in the simulation: its first move is drawn here and counts for it. The state and
 * the legal moves are in the driver's scratch. False: it has none, the playout begins at once. */
static bool first_move(struct driver *d, struct flight *f, uint32_t node)
{
    const struct mcts *m = f->hand->search;
    uint32_t first[MCTS_MAX_ROLES];
    if (!node || !flight_reserve(f)) return false;
    f->node = node;
    for (uint32_t r = 0; r < d->nroles; r++) {
        const struct list *l = &d->legal[r];
        if (l->n == 0) return false;
        struct situation s;
        flight_situation(f, d->nroles, r, &s);
        s.state = d->state.w;
        s.state_words = d->state.words;
        if (l->n > 1 && m->opt.rave && m->opt.rave_prior) prime(f, tree_node(m->tree, node), &s, l);
        first[r] = l->n > 1 ? policy_choose(f->hand->policy, &s, &f->hand->rng, l->v, l->n) : 0;
    }
    flight_take(f, node, first);
    flight_stage(f, LEAVING);
    if (f->hand->relay)
        relay_send(f, &d->state);
    else if (f->hand->wired && !leaves_far(f->hand))
        leaves_send(f, &d->state);
    return true;
}

/* The playouts are done on a GPU; the flight is idle then. */
static bool goes_far(struct driver *d, struct flight *f)
{
    if (!f->hand->wired || !leaves_far(f->hand)) return false;
    world_state(d->world, f->lane, &d->state);
    return leaves_send(f, &d->state);
}

/* What the position in its lane seems worth is what the simulation brings. */
static void judge(struct driver *d, struct flight *f)
{
    float goals[2];
    f->hand->stats.cut++;
    f->cut = true;
    world_state(d->world, f->lane, &d->state);
    judgement_goals(f->hand->search->opt.judgement, d->state.w, d->state.words, goals);
    flight_finish(f, goals);
}

/* It is going to look for a node. */
static bool wants_node(const struct flight *f)
{
    return f->hand->search->opt.tree && !f->expanded;
}

static uint64_t *arrival(const struct driver *d, uint32_t lane)
{
    return d->arrived + (size_t)lane * (1 + d->world->batch->state_words);
}

/* Read the states of all who have arrived before the first of them is dealt with, so that the tables, which
 * are seldom in the caches, are on their way by then. */
static void read_arrivals(struct driver *d)
{
    FOR_LANES(d, i, w, d->in[ARRIVED][w])
    {
        const struct flight *f = d->lane[i].flying;
        if (!d->world->batch || !wants_node(f)) continue;
        uint64_t *at = arrival(d, i);
        struct state s = {.w = at + 1, .words = d->world->batch->state_words};
        batch_get_state(d->world->batch, i, s.w);
        *at = state_hash(&s);
        tree_expect(f->hand->search->tree, *at);
    }
}

/* The state of a lane that has, into the driver's scratch; its hash. */
static uint64_t take_arrival(struct driver *d, uint32_t lane)
{
    if (!d->world->batch) {
        world_state(d->world, lane, &d->state);
        return state_hash(&d->state);
    }
    uint32_t words = d->world->batch->state_words;
    const uint64_t *at = arrival(d, lane);
    if (!state_reserve(&d->state, words)) {
        d->world->failed = true;
        return 0;
    }
    memcpy(d->state.w, at + 1, words * sizeof *at);
    d->state.words = words;
    return *at;
}

/* The lane is one step outside the tree: find or make the node. */
static void arrive(struct driver *d, uint32_t lane)
{
    struct flight *f = d->lane[lane].flying;
    const struct mcts *m = f->hand->search;
    bool terminal = world_terminal(d->world, lane);
    if (!wants_node(f)) {
        if (terminal)
            park(d, lane, 0);
        else if (goes_far(d, f))
            return;
        else if (flight_reserve(f))
            begin_playout(d, f);
        else
            flight_draw(f);
        return;
    }
    uint64_t hash = take_arrival(d, lane);
    if (d->world->failed) return;
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
    node = tree_add(m->tree, &f->hand->claim, d->state.w, d->state.words, hash, terminal, d->legal);
    if (node) {
        mirror_look(m, node);
        tree_link(m->tree, f->node, choice, node);
        f->hand->stats.expansions++;
    } else {
        d->crowded = true;
    }
    if (m->tree->edges_full) d->crowded = true;
    if (terminal) {
        park(d, lane, node);
        return;
    }
    f->expanded = true;
    if (node && implicit_is_on(m)) implicit_begin(m, node);
    if (m->opt.cutoff.kind == CUT_JUDGED && m->opt.cutoff.steps == 0) {
        judge(d, f);
        return;
    }
    if (first_move(d, f, node)) return;
    if (flight_reserve(f))
        begin_playout(d, f);
    else
        flight_draw(f);
}

/* A playout that has not ended is at one of its limits. */
static void look(struct driver *d, uint32_t lane)
{
    struct flight *f = d->lane[lane].flying;
    const struct mcts *m = f->hand->search;
    bool unseen = is_uniform(d, lane);
    if (unseen) count_unseen(d, f), f->began = d->now;
    bool endless = f->steps >= m->max_steps || (!unseen && !flight_reserve(f));
    if (!endless && (!cuts(f) || f->playout_steps < m->opt.cutoff.steps)) {
        set_limit(d, f, unseen);
        return;
    }
    if (!endless && m->opt.cutoff.kind == CUT_JUDGED) {
        judge(d, f);
        return;
    }
    f->hand->stats.cut++;
    f->cut = true;
    if (!endless && m->opt.cutoff.kind == CUT_GOAL_STABLE)
        park(d, lane, 0);
    else
        flight_draw(f);
}

static bool is_due(const struct driver *d, uint32_t lane)
{
    return (int32_t)(d->now - d->until[lane]) >= 0;
}

/* A lane ends, or may be cut, whose last game is still waiting for its goals. */
static bool must_collect(const struct driver *d, const uint64_t *terminal)
{
    for (uint32_t w = 0; w < d->world->words; w++)
        if (d->parked[w] & terminal[w] & (d->in[PLAYING][w] | d->in[ARRIVED][w])) return true;
    FOR_LANES(d, i, w, d->parked[w] & d->in[PLAYING][w])
    if (is_due(d, i)) return true;
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
    if (t->with_bounds) prove_end(f->hand->search, f->node);
}

/* Goals are swept for many lanes at once: when an eighth of the lanes wait for them, when one is in the way,
 * or when nobody has anything else to do. A driver with one lane does it at once. */
static void look_at_goals(struct driver *d)
{
    uint64_t waiting = 0, flying = 0;
    for (uint32_t w = 0; w < d->world->words; w++) {
        waiting |= d->in[WAITING][w];
        for (int stage = ENTERING; stage < PARKED; stage++) flying |= d->in[stage][w];
    }
    double share = d->plain == d->nhands ? d->goal_share : 1.0 / 8;
    if (waiting || !flying || d->nparked > (uint32_t)(share * d->held)) collect_goals(d);
    if (!waiting) return;
    FOR_LANES(d, i, w, d->in[WAITING][w])
    {
        struct flight *f = d->lane[i].flying;
        const struct tree_node *n = tree_node(f->hand->search->tree, f->node);
        if (d->nparked == 0 && !(node_flags(n) & NODE_GOALS)) fetch_goals(d, f);
        if (node_flags(n) & NODE_GOALS) flight_descend(f);
    }
}

/* The state that a simulation begins with in its lane. */
static const uint64_t *entry(const struct flight *f, uint32_t *words)
{
    if (f->errand) {
        const struct state *s = relay_state(f);
        *words = s->words;
        return s->w;
    }
    struct tree_node *n = tree_node(f->hand->search->tree, f->path[f->tree_steps - 1]);
    *words = n->words;
    return node_state(n);
}

static bool keeps_turns(const struct driver *d)
{
    return d->in_turns && d->plain == d->nhands;
}

/* The turn that lanes under way are in after this step, which those who enter should be in, too; where there
 * are none, that of the first who enters. */
static uint32_t turn_to_come(const struct driver *d)
{
    const struct batch *b = d->world->batch;
    uint64_t flying = 0;
    uint32_t words, turns = batch_turns(b), turn = batch_turn(b);
    for (uint32_t w = 0; w < d->world->words; w++) flying |= d->in[ARRIVED][w] | d->in[PLAYING][w];
    if (flying) return turn == BATCH_ANY_TURN ? turn : (turn + 1) % turns;
    FOR_LANES(d, i, w, d->in[ENTERING][w])
    for (uint32_t t = 0; t < turns; t++)
        if (batch_in_turn(b, entry(d->lane[i].flying, &words), t)) return t;
    return BATCH_ANY_TURN;
}

static void enter(struct driver *d)
{
    uint32_t words, turn = keeps_turns(d) ? turn_to_come(d) : BATCH_ANY_TURN;
    memset(d->entered, 0, sizeof d->entered);
    FOR_LANES(d, i, w, d->in[ENTERING][w])
    {
        const uint64_t *state = entry(d->lane[i].flying, &words);
        if (turn != BATCH_ANY_TURN && !batch_in_turn(d->world->batch, state, turn)) continue;
        world_put(d->world, i, state, words);
        d->entered[w] |= (uint64_t)1 << (i % 64);
    }
}

static void view(struct driver *d)
{
    uint64_t mask[BATCH_MAX_WORDS];
    if (!keeps_turns(d)) {
        world_view(d->world);
        return;
    }
    for (uint32_t w = 0; w < d->world->words; w++)
        mask[w] = d->entered[w] | d->in[ARRIVED][w] | d->in[PLAYING][w];
    world_view_lanes(d->world, mask);
}

static void find_due(struct driver *d)
{
    const uint32_t LATE = INT32_MAX;
    uint32_t soonest = LATE;
    if ((int32_t)(d->now - d->next_due) < 0) return;
    for (uint32_t i = 0; i < d->lanes; i++) {
        uint32_t left = d->until[i] - d->now;
        if (is_due(d, i))
            d->due[i / 64] |= (uint64_t)1 << (i % 64);
        else if (left < soonest)
            soonest = left;
    }
    d->next_due = d->now + soonest;
}

/* Everybody who has got somewhere, lane by lane: results go into the tree in this order. */
static void look_around(struct driver *d, const uint64_t *terminal)
{
    uint64_t before[BATCH_MAX_WORDS];
    memcpy(before, d->parked, sizeof before);
    find_due(d);
    read_arrivals(d);
    FOR_LANES(d, i, w, d->entered[w] | d->in[ARRIVED][w] | (d->in[PLAYING][w] & (terminal[w] | d->due[w])))
    {
        struct flight *f = d->lane[i].flying;
        if (f->stage == ENTERING)
            flight_stage(f, LEAVING);
        else if (f->stage == ARRIVED)
            arrive(d, i);
        else if (world_terminal(d->world, i))
            park(d, i, 0);
        else
            look(d, i);
    }
    memset(d->due, 0, sizeof d->due);
    uint64_t fresh[BATCH_MAX_WORDS], any = 0;
    for (uint32_t w = 0; w < d->world->words; w++) any |= fresh[w] = d->parked[w] & ~before[w];
    if (any) world_park(d->world, fresh);
}

void round_play(struct driver *d)
{
    struct world *w = d->world;
    d->now++;
    make_moves(d);
    if (w->failed) return;
    world_step(w);
    decisive_restore(d);
    enter(d);
    view(d);
    if (w->failed) return;
    const uint64_t *terminal = world_ends(w);
    if (d->nparked && must_collect(d, terminal)) collect_goals(d);
    look_around(d, terminal);
    if (!w->failed) look_at_goals(d);
}
