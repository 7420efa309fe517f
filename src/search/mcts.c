// SPDX-License-Identifier: GPL-3.0-or-later
/* The loop over the lanes. */
#include "search/mcts_internal.h"
#include "search/policy/dense.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_MAX_STEPS 20000

/* --- Setting up
 * --------------------------------------------------------------------------------------------------- */

struct mcts *mcts_new(const struct mcts_options *options, struct world *world, struct policy *policy,
                      struct error *error)
{
    struct mcts *m = calloc(1, sizeof *m);
    if (!m) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    m->opt = *options;
    if (world->nroles > MCTS_MAX_ROLES) {
        free(m);
        return error_set(error, ERROR_INPUT, "more than %d roles", MCTS_MAX_ROLES), NULL;
    }
    m->world = world;
    m->policy = policy;
    m->nroles = world->nroles;
    m->single = m->nroles == 1;
    m->best = -1;
    m->max_steps = DEFAULT_MAX_STEPS;
    m->lanes = options->lanes < 1 ? 1 : options->lanes > world->lanes ? world->lanes : options->lanes;
    m->records = !policy_is_uniform(policy) || options->rave || m->single;
    world->bulk = !policy_is_uniform(policy);
    rng_init(&m->rng, options->seed);
    m->tree = tree_new(m->nroles, options->memory, options->rave > 0, m->single);
    m->flights = calloc((size_t)m->lanes * 2, sizeof *m->flights);
    m->flying = calloc(m->lanes, sizeof *m->flying);
    m->parked = calloc(m->lanes, sizeof *m->parked);
    m->goals = calloc((size_t)world->lanes * m->nroles, sizeof *m->goals);
    m->chosen = calloc((size_t)world->lanes * m->nroles, sizeof *m->chosen);
    m->legal = calloc(m->nroles, sizeof *m->legal);
    if (!m->tree || !m->flights || !m->flying || !m->parked || !m->goals || !m->chosen || !m->legal) {
        mcts_free(m);
        return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    }
    for (uint32_t i = 0; i < m->lanes; i++)
        m->flying[i] = &m->flights[2 * i], m->parked[i] = &m->flights[2 * i + 1];
    return m;
}

void mcts_free(struct mcts *m)
{
    if (!m) return;
    tree_free(m->tree);
    for (uint32_t i = 0; i < 2 * m->lanes && m->flights; i++) {
        free(m->flights[i].path);
        free(m->flights[i].choice);
        free(m->flights[i].moves);
        free(m->flights[i].forced);
        free(m->flights[i].states);
        free(m->flights[i].state_start);
    }
    for (uint32_t r = 0; r < m->nroles && m->legal; r++) list_done(&m->legal[r]);
    free(m->flights);
    free(m->flying);
    free(m->parked);
    free(m->goals);
    free(m->chosen);
    free(m->legal);
    free(m->stamp);
    state_done(&m->state);
    free(m);
}

/* --- Goals
 * ------------------------------------------------------------------------------------------------------ */

static void collect_goals(struct mcts *m)
{
    if (m->nparked == 0) return;
    uint64_t mask[BATCH_MAX_WORDS];
    world_collect(m->world, m->goals, mask);
    if (m->world->failed) return;
    m->nparked = 0;
    for (uint32_t i = 0; i < m->lanes; i++) {
        struct flight *f = m->parked[i];
        if (f->stage != PARKED) continue;
        float reward[MCTS_MAX_ROLES];
        for (uint32_t r = 0; r < m->nroles; r++) {
            int16_t goal = m->goals[i * m->nroles + r];
            if (goal == BATCH_GOAL_UNDEFINED) m->stats.undefined_goals++;
            /* A cut playout without a goal value is a draw; an ended game without one is worth nothing. */
            reward[r] = goal != BATCH_GOAL_UNDEFINED ? goal : f->node ? 0 : 50;
        }
        if (f->node) {
            struct tree_node *n = tree_node(m->tree, f->node);
            int16_t *goals = node_goals(m->tree, n);
            for (uint32_t r = 0; r < m->nroles; r++) goals[r] = (int16_t)reward[r];
            n->flags |= NODE_GOALS;
            n->visits++;
        }
        flight_finish(m, f, reward);
    }
}

/* The lane's game is over (or cut): its goals are asked for, and the lane gets its other flight. */
static void park(struct mcts *m, uint32_t lane, uint32_t ended_node)
{
    struct flight *f = m->flying[lane];
    if (m->policy->wants_states) {
        world_state(m->world, lane, &m->state);
        flight_note_end(m, f, m->state.w, m->state.words);
    }
    f->node = ended_node;
    f->stage = PARKED;
    m->flying[lane] = m->parked[lane];
    m->parked[lane] = f;
    m->park_mask[lane / 64] |= (uint64_t)1 << (lane % 64);
    m->nparked++;
}

/* --- Lanes
 * -------------------------------------------------------------------------------------------------------- */

static void note_move(const struct mcts *m, struct flight *f, uint32_t role, uint32_t move, bool forced)
{
    size_t at = (size_t)f->steps * m->nroles + role;
    f->moves[at] = move;
    f->forced[at] = forced;
}

/* Where a lane in playout is. */
static struct situation playout_situation(const struct mcts *m, const struct flight *f, uint32_t role)
{
    struct situation s = flight_situation(m, f, role);
    if (m->policy->wants_states && !f->stateless) {
        const uint32_t *start = f->state_start + f->steps;
        s.state = start[1] > start[0] ? f->states + start[0] : NULL;
        s.state_words = start[1] - start[0];
    }
    return s;
}

static void make_move(struct mcts *m, uint32_t lane, uint32_t role, uint32_t move, bool forced)
{
    note_move(m, m->flying[lane], role, move, forced);
    world_move(m->world, lane, role, move);
}

/* Playout moves of a role by the policy, in the lanes listed. */
static void guided_moves(struct mcts *m, uint32_t role, const uint32_t *lanes, uint32_t n)
{
    struct list *l = &m->legal[role];
    for (uint32_t i = 0; i < n; i++) {
        struct situation s = playout_situation(m, m->flying[lanes[i]], role);
        uint32_t move = 0;
        world_legal(m->world, lanes[i], role, l);
        if (l->n) move = l->v[l->n > 1 ? policy_choose(m->policy, &s, &m->rng, l->v, l->n) : 0];
        make_move(m, lanes[i], role, move, l->n < 2);
    }
}

/* The same on the circuit, from sets. */
static void guided_batch(struct mcts *m, uint32_t role, const uint32_t *lanes, uint32_t n)
{
    uint32_t words;
    const uint32_t *count;
    const uint64_t *sets = world_legal_sets(m->world, role, &words, &count);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lane = lanes[i], move = 0;
        const uint64_t *set = sets + (size_t)lane * words;
        if (count[lane] > 1) {
            struct situation s = playout_situation(m, m->flying[lane], role);
            move = policy_choose_set(m->policy, &s, &m->rng, set, words, count[lane]);
        } else if (count[lane]) {
            move = set_first(set);
        }
        make_move(m, lane, role, move, count[lane] < 2);
    }
}

static void uniform_moves(struct mcts *m, const uint32_t *lanes, uint32_t n)
{
    uint64_t mask[BATCH_MAX_WORDS] = {0};
    for (uint32_t i = 0; i < n; i++) mask[lanes[i] / 64] |= (uint64_t)1 << (lanes[i] % 64);
    world_choose(m->world, mask);
    for (uint32_t r = 0; r < m->nroles && m->records; r++) {
        world_moves(m->world, r, m->chosen);
        for (uint32_t i = 0; i < n; i++) note_move(m, m->flying[lanes[i]], r, m->chosen[lanes[i]], false);
    }
}

static void make_moves(struct mcts *m)
{
    struct world *w = m->world;
    uint32_t playing[BATCH_MAX_LANES], n = 0;
    for (uint32_t i = 0; i < m->lanes; i++) {
        struct flight *f = m->flying[i];
        if (f->stage == LEAVING) {
            for (uint32_t r = 0; r < m->nroles; r++)
                world_move(w, i, r, f->moves[(size_t)(f->steps - 1) * m->nroles + r]);
            f->stage = ARRIVED;
        } else if (f->stage == PLAYING) {
            playing[n++] = i;
            f->playout_steps++;
            if (m->policy->wants_states) {
                world_state(w, i, &m->state);
                flight_note_state(m, f, m->state.w, m->state.words);
            }
        }
    }
    if (n == 0) return;
    if (policy_is_uniform(m->policy))
        uniform_moves(m, playing, n);
    else
        for (uint32_t r = 0; r < m->nroles; r++) (w->batch ? guided_batch : guided_moves)(m, r, playing, n);
    for (uint32_t i = 0; i < n; i++) m->flying[playing[i]]->steps++;
}

/* The lane is one step outside the tree: find or make the node. */
static void arrive(struct mcts *m, uint32_t lane)
{
    struct flight *f = m->flying[lane];
    struct world *w = m->world;
    bool terminal = world_terminal(w, lane);
    if (!m->opt.tree || f->expanded) {
        if (terminal)
            park(m, lane, 0);
        else
            f->stage = PLAYING;
        return;
    }
    world_state(w, lane, &m->state);
    uint64_t hash = state_hash(&m->state);
    const uint32_t *choice = f->choice + (size_t)(f->tree_steps - 1) * m->nroles;
    uint32_t node = tree_find(m->tree, m->state.w, m->state.words, hash);
    if (node) {
        tree_link(m->tree, f->node, choice, node);
        f->node = node;
        flight_descend(m, f);
        return;
    }
    if (!terminal)
        for (uint32_t r = 0; r < m->nroles; r++) world_legal(w, lane, r, &m->legal[r]);
    if (w->failed) return; /* no node with half of its moves */
    node = tree_add(m->tree, m->state.w, m->state.words, hash, terminal, m->legal);
    if (node) {
        tree_link(m->tree, f->node, choice, node);
        m->stats.expansions++;
    }
    if (terminal) {
        park(m, lane, node);
        return;
    }
    f->stage = PLAYING;
    f->expanded = true;
    if (!node || !flight_reserve(m, f)) return;
    /* The new node takes part in the simulation: its first move is drawn here and counts for it. */
    f->node = node;
    uint32_t first[MCTS_MAX_ROLES];
    bool complete = true;
    for (uint32_t r = 0; r < m->nroles; r++) {
        struct situation s = flight_situation(m, f, r);
        s.state = m->state.w;
        s.state_words = m->state.words;
        complete &= m->legal[r].n > 0;
        first[r] =
            m->legal[r].n > 1 ? policy_choose(m->policy, &s, &m->rng, m->legal[r].v, m->legal[r].n) : 0;
    }
    if (!complete) return;
    flight_take(m, f, node, first);
    f->stage = LEAVING;
}

static bool cut(const struct mcts *m, const struct flight *f)
{
    return m->opt.cutoff.kind != CUT_NEVER && f->playout_steps >= m->opt.cutoff.steps;
}

static void look(struct mcts *m, uint32_t lane)
{
    struct flight *f = m->flying[lane];
    if (f->stage == PLAYING) {
        if (world_terminal(m->world, lane)) {
            park(m, lane, 0);
            return;
        }
        bool endless = f->steps >= m->max_steps || !flight_reserve(m, f);
        if (endless || cut(m, f)) {
            m->stats.cut++;
            if (!endless && m->opt.cutoff.kind == CUT_GOAL_STABLE) {
                park(m, lane, 0);
                return;
            }
            flight_draw(m, f);
        }
    }
}

/* Goals are swept for many lanes at once: now and then, or when a lane ends whose last game is still waiting
 * for its goals. With one lane always at once: the sequential algorithm knows each result before the next
 * simulation. */
static bool must_collect(const struct mcts *m)
{
    for (uint32_t i = 0; i < m->lanes; i++) {
        if (m->parked[i]->stage != PARKED) continue;
        const struct flight *f = m->flying[i];
        if (f->stage != PLAYING && f->stage != ARRIVED) continue;
        if (world_terminal(m->world, i) || (m->opt.cutoff.kind == CUT_GOAL_STABLE && cut(m, f))) return true;
    }
    return false;
}

/* The ended node's goals were being fetched by a simulation that was given up: fetch them ourselves. */
static void fetch_goals(struct mcts *m, struct flight *f)
{
    struct tree_node *n = tree_node(m->tree, f->node);
    struct reasoner *r = m->world->reasoner;
    struct state s = {.w = node_state(n), .words = n->words, .cap = n->words};
    for (uint32_t i = 0; i < m->nroles; i++) {
        int goal = GOAL_UNDEFINED;
        if (!reasoner_goal(r, &s, i, &goal)) {
            m->world->failed = true;
            return;
        }
        node_goals(m->tree, n)[i] = (int16_t)(goal == GOAL_UNDEFINED ? 0 : goal);
    }
    n->flags |= NODE_GOALS;
}

/* A round that fails in the middle (the reasoner gave up) leaves the tree sound; its flights must be given
 * up.
 */
static void play_round(struct mcts *m)
{
    struct world *w = m->world;
    make_moves(m);
    if (w->failed) return;
    world_step(w);
    for (uint32_t i = 0; i < m->lanes; i++) {
        struct flight *f = m->flying[i];
        if (f->stage != ENTERING) continue;
        struct tree_node *n = tree_node(m->tree, f->path[f->tree_steps - 1]);
        world_put(w, i, node_state(n), n->words);
    }
    world_view(w);
    if (w->failed) return;
    m->stats.rounds++;
    if (must_collect(m)) collect_goals(m);
    memset(m->park_mask, 0, sizeof m->park_mask);
    for (uint32_t i = 0; i < m->lanes; i++) {
        struct flight *f = m->flying[i];
        if (f->stage == ENTERING)
            f->stage = LEAVING;
        else if (f->stage == ARRIVED)
            arrive(m, i);
        else if (f->stage == PLAYING)
            look(m, i);
    }
    if (m->nparked) world_park(w, m->park_mask);
    if (w->failed) return;
    bool waiting = false;
    for (uint32_t i = 0; i < m->lanes; i++) waiting |= m->flying[i]->stage == WAITING;
    if (waiting || m->nparked > m->lanes / 8) collect_goals(m);
    for (uint32_t i = 0; i < m->lanes; i++) {
        struct flight *f = m->flying[i];
        if (f->stage != WAITING) continue;
        if (m->nparked == 0 && !(tree_node(m->tree, f->node)->flags & NODE_GOALS)) fetch_goals(m, f);
        if (tree_node(m->tree, f->node)->flags & NODE_GOALS) flight_descend(m, f);
    }
}

/* --- Running
 * ------------------------------------------------------------------------------------------------------ */

/* The node that a simulation is about to go on from. */
static bool needs_node(const struct flight *f)
{
    return f->stage == ENTERING || f->stage == LEAVING || f->stage == ARRIVED || f->stage == WAITING;
}

/* Make room; everybody under way learns the new numbers, and those whose node is gone are given up: how many
 * is added to *lost. It may take a share of the time, not more. */
static bool make_room(struct mcts *m, const struct budget *budget, uint64_t *lost)
{
    if (!tree_collect(m->tree, 0.4, budget_share(budget, 0.2), budget)) return false;
    for (uint32_t i = 0; i < 2 * m->lanes; i++) {
        struct flight *f = &m->flights[i];
        if (f->stage == IDLE) continue;
        f->node = tree_moved(m->tree, f->node);
        for (uint32_t t = 0; t < f->tree_steps; t++) f->path[t] = tree_moved(m->tree, f->path[t]);
        if (needs_node(f) && (!f->node || !f->path[f->tree_steps - 1])) {
            flight_abort(m, f);
            ++*lost;
        }
    }
    tree_forget(m->tree);
    return true;
}

static void give_up_flights(struct mcts *m)
{
    world_unpark(m->world);
    m->nparked = 0;
    for (uint32_t i = 0; i < 2 * m->lanes; i++) flight_abort(m, &m->flights[i]);
}

/* Give every idle lane a simulation. One that never leaves the tree ends at once, and the lane gets another:
 * not too many of them, and not without looking at the clock. True if any is under way. */
static bool launch(struct mcts *m, const struct budget *budget, uint64_t *launched)
{
    bool active = false, over = false;
    for (uint32_t i = 0, n = 0; i < m->lanes; i++) {
        struct flight *f = m->flying[i];
        for (int tries = 0; f->stage == IDLE && tries < 64 && !over &&
                            (!budget->simulations || *launched < budget->simulations);
             tries++) {
            ++*launched;
            flight_launch(m, f);
            over = ++n % 64 == 0 && budget_over(budget);
        }
        active |= f->stage != IDLE;
    }
    return active;
}

uint64_t mcts_run(struct mcts *m, const struct budget *budget)
{
    double began = clock_now(), round = 0;
    m->stats = (struct mcts_stats){0};
    m->trouble = NULL;
    m->world->failed = false;
    error_clear(&m->world->reasoner->error);
    if (!m->tree->root) return 0;
    struct tree_node *root = tree_node(m->tree, m->tree->root);
    if (root->flags & NODE_TERMINAL) return 0;
    uint64_t launched = 0;
    bool room = true;
    /* Sweeps of a large circuit take long and cannot be broken off: none is begun that would end too late. */
    struct budget clock = *budget;
    for (;;) {
        bool active = launch(m, &clock, &launched);
        if (budget_spent(&clock, m->stats.simulations, m->stats.expansions)) break;
        double before = clock_now();
        if (active)
            play_round(m);
        else if (m->nparked)
            collect_goals(m);
        if (m->world->failed) {
            if (!reasoner_timed_out(m->world->reasoner)) m->trouble = m->world->reasoner->error.text;
            break;
        }
        if (m->world->batch && clock.deadline > 0) {
            double took = clock_now() - before;
            round = took > round ? took : 0.9 * round + 0.1 * took;
            clock.deadline = budget->deadline - round;
        }
        if ((m->tree->full || m->tree->edges_full) && room) {
            uint64_t lost = 0;
            room = make_room(m, budget, &lost);
            launched -= lost;
        }
    }
    give_up_flights(m);
    m->stats.seconds = clock_now() - began;
    return m->stats.simulations;
}

bool mcts_root(struct mcts *m, const struct state *state, const struct budget *budget, struct error *error)
{
    struct reasoner *r = m->world->reasoner;
    uint64_t hash = state_hash(state);
    uint32_t node = tree_find(m->tree, state->w, state->words, hash);
    if (node) {
        /* What is out of reach now stays for a while: collecting pays when there is much of it. */
        uint64_t none = 0;
        m->tree->root = node;
        if (tree_crowded(m->tree)) make_room(m, budget, &none);
        return true;
    }
    bool terminal;
    if (!r->ops->terminal(r, state, &terminal)) return *error = r->error, false;
    for (uint32_t i = 0; i < m->nroles && !terminal; i++) {
        m->legal[i].n = 0;
        if (!r->ops->legal(r, state, i, &m->legal[i])) return *error = r->error, false;
        if (m->legal[i].n == 0)
            return error_set(error, ERROR_INPUT, "role %s has no legal move",
                             m->world->reasoner->game->role_names[i]);
    }
    tree_clear(m->tree);
    m->best = -1;
    m->tree->root = tree_add(m->tree, state->w, state->words, hash, terminal, m->legal);
    return m->tree->root ||
           error_set(error, ERROR_MEMORY, "the memory limit of the search has no room for a single position");
}
