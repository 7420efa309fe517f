// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/flock.h"

#include "base/rng.h"
#include "search/mcts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum stage {
    RESTING,  /* nothing to do, or the budget is spent */
    ENTERING, /* the state of the last tree node goes into the lane */
    ARRIVING, /* the move out of the tree is being made */
    PLAYING,  /* playing out */
    ENDED,    /* goals to come */
};

struct walker { /* one search and its simulation under way */
    struct tree *tree;
    struct rng rng;
    enum stage stage;
    bool active;      /* has a root to search */
    uint32_t *path;   /* nodes, `depth` of them */
    uint32_t *choice; /* depth * nroles */
    uint32_t depth, cap;
    uint32_t ended;                      /* the node of the end, 0: it is outside the tree */
    uint64_t steps;                      /* of this simulation */
    uint64_t run_simulations, run_steps; /* of this run */
    struct flock_stats stats;
};

struct flock {
    struct flock_options opt;
    struct reasoner *reasoner;
    struct batch *batch;
    uint32_t n, nroles;
    struct walker *walkers;
    struct list *legal; /* scratch, by role */
    struct state state; /* scratch */
    int16_t *goals;
    const struct flock_budget *budget;
    uint64_t runs;
    bool failed; /* out of memory */
};

/* --- Setting up */

struct flock *flock_new(struct reasoner *reasoner, const struct code *code, uint32_t searches,
                        const struct flock_options *options, struct error *error)
{
    struct flock *f = calloc(1, sizeof *f);
    if (!f) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    uint32_t widths[4], nwidths = batch_widths(widths), width = widths[nwidths - 1];
    for (uint32_t i = nwidths; i-- > 0;)
        if (widths[i] >= searches) width = widths[i];
    f->opt = *options;
    f->reasoner = reasoner;
    f->n = searches < width ? searches : width;
    f->nroles = reasoner->game->nroles;
    f->batch = batch_new(code, width, options->seed, error);
    f->walkers = calloc(f->n, sizeof *f->walkers);
    f->legal = calloc(f->nroles, sizeof *f->legal);
    f->goals = calloc((size_t)width * f->nroles, sizeof *f->goals);
    bool good = f->batch && f->walkers && f->legal && f->goals && f->nroles <= MCTS_MAX_ROLES &&
                state_reserve(&f->state, f->batch->state_words);
    f->state.words = good ? f->batch->state_words : 0;
    for (uint32_t r = 0; r < f->nroles && good; r++) {
        f->legal[r].cap = code->roles[r].n + 1;
        good = (f->legal[r].v = malloc(f->legal[r].cap * sizeof(uint32_t))) != NULL;
    }
    for (uint32_t i = 0; i < f->n && good; i++) {
        rng_init(&f->walkers[i].rng, options->seed * 1000003 + i);
        good = (f->walkers[i].tree = tree_new(f->nroles, options->memory / f->n, false, false)) != NULL;
    }
    if (good) return f;
    if (f->batch) error_set(error, ERROR_MEMORY, "out of memory");
    flock_free(f);
    return NULL;
}

void flock_free(struct flock *f)
{
    if (!f) return;
    for (uint32_t i = 0; i < f->n && f->walkers; i++) {
        tree_free(f->walkers[i].tree);
        free(f->walkers[i].path);
        free(f->walkers[i].choice);
    }
    for (uint32_t r = 0; r < f->nroles && f->legal; r++) list_done(&f->legal[r]);
    free(f->walkers);
    free(f->legal);
    free(f->goals);
    state_done(&f->state);
    if (f->batch) batch_free(f->batch);
    free(f);
}

/* Only between simulations: numbers of nodes change. Without memory for it the tree stays as it is. */
static void make_room(struct tree *t)
{
    const struct budget endless = {0};
    if (tree_collect(t, 0.4, 0, &endless)) tree_forget(t);
}

bool flock_root(struct flock *f, uint32_t i, const struct state *state, struct error *error)
{
    struct walker *w = &f->walkers[i];
    struct tree *t = w->tree;
    struct reasoner *r = f->reasoner;
    w->active = false;
    if (!state) return true;
    uint64_t hash = state_hash(state);
    t->root = tree_find(t, state->w, state->words, hash);
    if (t->root && tree_crowded(t)) make_room(t);
    if (!t->root) {
        bool terminal;
        tree_clear(t);
        if (!r->ops->terminal(r, state, &terminal)) return *error = r->error, false;
        for (uint32_t k = 0; k < f->nroles && !terminal; k++) {
            f->legal[k].n = 0;
            if (!r->ops->legal(r, state, k, &f->legal[k])) return *error = r->error, false;
            if (f->legal[k].n == 0)
                return error_set(error, ERROR_INPUT, "%s has no legal move", r->game->role_names[k]);
        }
        t->root = tree_add(t, state->w, state->words, hash, terminal, f->legal);
        if (!t->root) return error_set(error, ERROR_MEMORY, "no memory for the searches' trees");
    }
    w->active = !(tree_node(t, t->root)->flags & NODE_TERMINAL);
    return true;
}

/* --- One simulation */

/* UCT; among moves never tried, any. */
static uint32_t pick(struct flock *f, struct walker *w, struct tree_node *node, uint32_t role)
{
    uint32_t n = node_actions(w->tree, node, role);
    if (n == 1) return 0;
    const struct tree_action *a = node_action(w->tree, node, role);
    uint32_t untried = 0, best = 0, ties = 0;
    for (uint32_t i = 0; i < n; i++)
        if (a[i].n == 0 && rng_below(&w->rng, ++untried) == 0) best = i;
    if (untried) return best;
    float ln_visits = logf((float)(node->visits ? node->visits : 1)), top = -INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        float value = select_uct(a[i].mean, a[i].n, ln_visits, f->opt.c);
        if (value > top)
            top = value, best = i, ties = 1;
        else if (value == top && rng_below(&w->rng, ++ties) == 0)
            best = i;
    }
    return best;
}

static bool reserve(struct flock *f, struct walker *w)
{
    if (w->depth < w->cap) return true;
    uint32_t cap = w->cap ? w->cap * 2 : 64;
    uint32_t *path = realloc(w->path, cap * sizeof *path);
    if (path) w->path = path;
    uint32_t *choice = realloc(w->choice, (size_t)cap * f->nroles * sizeof *choice);
    if (choice) w->choice = choice;
    if (!path || !choice) return f->failed = true, false;
    w->cap = cap;
    return true;
}

static void finish(struct flock *f, struct walker *w, const int16_t *goals)
{
    bool decided = false;
    for (uint32_t r = 1; r < f->nroles; r++) decided |= goals[r] != goals[0];
    for (uint32_t d = 0; d < w->depth; d++) {
        struct tree_node *node = tree_node(w->tree, w->path[d]);
        node->visits++;
        for (uint32_t r = 0; r < f->nroles; r++) {
            struct tree_action *a = node_action(w->tree, node, r) + w->choice[(size_t)d * f->nroles + r];
            float reward = goals[r] == BATCH_GOAL_UNDEFINED ? 0 : goals[r];
            a->n++;
            a->mean += (reward - a->mean) / (float)a->n;
        }
    }
    w->stats.simulations++;
    w->stats.steps += w->steps;
    w->stats.decided += decided;
    w->run_simulations++;
    w->run_steps += w->steps;
    w->stage = RESTING;
}

/* From a node down, until the tree is left (the lane is needed then) or the game has ended in it. */
static void descend(struct flock *f, struct walker *w, uint32_t at)
{
    for (;;) {
        struct tree_node *node = tree_node(w->tree, at);
        if (node->flags & NODE_TERMINAL) {
            finish(f, w, node_goals(w->tree, node));
            return;
        }
        if (!reserve(f, w)) return;
        uint32_t *choice = w->choice + (size_t)w->depth * f->nroles;
        for (uint32_t r = 0; r < f->nroles; r++) choice[r] = pick(f, w, node, r);
        w->path[w->depth++] = at;
        w->steps++;
        uint32_t child = tree_child(w->tree, at, choice);
        if (!child) {
            w->stage = ENTERING;
            return;
        }
        at = child;
    }
}

/* Begin simulations until one needs the lane. */
static void launch(struct flock *f, struct walker *w)
{
    const struct flock_budget *b = f->budget;
    while (w->stage == RESTING && !f->failed) {
        if ((b->simulations && w->run_simulations >= b->simulations) ||
            (b->steps && w->run_steps >= b->steps))
            return;
        if (w->tree->full) make_room(w->tree);
        w->depth = 0;
        w->steps = 0;
        descend(f, w, w->tree->root);
    }
}

/* The lane shows the position after the move out of the tree: find or add its node. True: the lane has its
 * next move. */
static bool arrive(struct flock *f, struct walker *w, uint32_t lane, bool terminal)
{
    batch_get_state(f->batch, lane, f->state.w);
    uint64_t hash = state_hash(&f->state);
    uint32_t parent = w->path[w->depth - 1];
    const uint32_t *taken = w->choice + (size_t)(w->depth - 1) * f->nroles;
    uint32_t node = tree_find(w->tree, f->state.w, f->state.words, hash);
    if (node) {
        tree_link(w->tree, parent, taken, node);
        descend(f, w, node);
        return false;
    }
    if (!terminal)
        for (uint32_t r = 0; r < f->nroles; r++)
            f->legal[r].n = batch_legal(f->batch, lane, r, f->legal[r].v);
    node = tree_add(w->tree, f->state.w, f->state.words, hash, terminal, f->legal);
    if (node) {
        tree_link(w->tree, parent, taken, node);
        w->stats.nodes++;
    }
    w->ended = node;
    w->stage = terminal ? ENDED : PLAYING;
    if (terminal || !node || !reserve(f, w)) return false;
    uint32_t *choice = w->choice + (size_t)w->depth * f->nroles;
    for (uint32_t r = 0; r < f->nroles; r++) {
        choice[r] = f->legal[r].n > 1 ? rng_below(&w->rng, f->legal[r].n) : 0;
        batch_set_move(f->batch, lane, r, f->legal[r].v[choice[r]]);
    }
    w->path[w->depth++] = node;
    w->steps++;
    return true;
}

/* --- All of them */

static void set_moves(struct flock *f, const struct walker *w, uint32_t lane)
{
    struct tree_node *node = tree_node(w->tree, w->path[w->depth - 1]);
    for (uint32_t r = 0; r < f->nroles; r++)
        batch_set_move(f->batch, lane, r,
                       node_action(w->tree, node, r)[w->choice[(size_t)(w->depth - 1) * f->nroles + r]].move);
}

/* Goals of the lanes that have ended; their next simulations begin. */
static void collect(struct flock *f, const uint64_t *ended)
{
    batch_park(f->batch, ended);
    batch_collect_goals(f->batch, f->goals, NULL);
    for (uint32_t i = 0; i < f->n; i++) {
        struct walker *w = &f->walkers[i];
        if (w->stage != ENDED) continue;
        const int16_t *goals = f->goals + (size_t)i * f->nroles;
        if (w->ended) {
            struct tree_node *node = tree_node(w->tree, w->ended);
            memcpy(node_goals(w->tree, node), goals, f->nroles * sizeof *goals);
            node->flags |= NODE_GOALS;
        }
        finish(f, w, goals);
    }
}

/* After a view: look at every lane, and make its next move. False: nobody is busy any more. */
static bool round_of_looks(struct flock *f)
{
    uint64_t ended[BATCH_MAX_WORDS] = {0}, random[BATCH_MAX_WORDS] = {0};
    bool any_ended = false, busy = false;
    for (uint32_t i = 0; i < f->n; i++) {
        struct walker *w = &f->walkers[i];
        uint64_t bit = (uint64_t)1 << (i % 64);
        bool terminal = f->batch->terminal[i / 64] & bit;
        bool moved = false;
        if (w->stage == ENTERING) {
            set_moves(f, w, i);
            w->stage = ARRIVING;
            continue;
        }
        if (w->stage == ARRIVING)
            moved = arrive(f, w, i, terminal);
        else if (w->stage == PLAYING && terminal)
            w->stage = ENDED, w->ended = 0;
        if (w->stage == PLAYING && !moved) {
            random[i / 64] |= bit;
            w->steps++;
        }
        if (w->stage == ENDED) ended[i / 64] |= bit, any_ended = true;
    }
    if (any_ended) collect(f, ended);
    /* Called in every round, also for nobody: what a lane draws depends on the number of calls. */
    batch_choose(f->batch, random);
    for (uint32_t i = 0; i < f->n; i++) {
        struct walker *w = &f->walkers[i];
        if (w->active && w->stage == RESTING) launch(f, w);
        busy |= w->stage != RESTING;
    }
    return busy;
}

static void enter(struct flock *f)
{
    for (uint32_t i = 0; i < f->n; i++) {
        struct walker *w = &f->walkers[i];
        if (w->stage == ENTERING)
            batch_set_state(f->batch, i, node_state(tree_node(w->tree, w->path[w->depth - 1])));
    }
}

bool flock_run(struct flock *f, const struct flock_budget *budget, struct error *error)
{
    bool busy = false;
    f->budget = budget;
    f->failed = false;
    batch_seed(f->batch, f->opt.seed + 0x9e3779b97f4a7c15u * ++f->runs);
    for (uint32_t i = 0; i < f->n; i++) {
        struct walker *w = &f->walkers[i];
        w->stage = RESTING;
        w->run_simulations = w->run_steps = 0;
        if (w->active) launch(f, w);
        busy |= w->stage != RESTING;
    }
    for (uint32_t rounds = 0; busy && !f->failed; rounds++) {
        if (rounds % 64 == 0 && budget->stop && atomic_load_explicit(budget->stop, memory_order_relaxed))
            return error_set(error, ERROR_CANCELLED, "stopped");
        enter(f);
        batch_view(f->batch);
        busy = round_of_looks(f);
        batch_step(f->batch);
    }
    return !f->failed || error_set(error, ERROR_MEMORY, "out of memory");
}

/* --- What was found */

/* Positive if the first is the better move. */
static int compare(const struct flock *f, const struct tree_action *a, const struct tree_action *b)
{
    if (!a->n != !b->n) return a->n ? 1 : -1;
    if (f->opt.by_visits && a->n != b->n) return a->n > b->n ? 1 : -1;
    return a->mean > b->mean ? 1 : a->mean < b->mean ? -1 : 0;
}

/* Of equal moves any one: where no simulation has told them apart, the order of the rules must not. */
bool flock_best(struct flock *f, uint32_t i, uint32_t role, uint32_t *move)
{
    struct walker *w = &f->walkers[i];
    if (!w->tree->root) return false;
    struct tree_node *node = tree_node(w->tree, w->tree->root);
    const struct tree_action *a = node_action(w->tree, node, role), *best = NULL;
    uint32_t ties = 0;
    for (uint32_t k = 0; k < node_actions(w->tree, node, role); k++) {
        int better = best ? compare(f, &a[k], best) : 1;
        if (better > 0)
            best = &a[k], ties = 1;
        else if (better == 0 && rng_below(&w->rng, ++ties) == 0)
            best = &a[k];
    }
    if (best) *move = best->move;
    return best != NULL;
}

bool flock_move(struct flock *f, uint32_t i, uint32_t role, uint32_t move, uint32_t *visits, float *mean)
{
    struct tree *t = f->walkers[i].tree;
    if (!t->root) return false;
    struct tree_node *node = tree_node(t, t->root);
    const struct tree_action *a = node_action(t, node, role);
    for (uint32_t k = 0; k < node_actions(t, node, role); k++)
        if (a[k].move == move) return *visits = a[k].n, *mean = a[k].mean, true;
    return false;
}

const struct flock_stats *flock_stats(const struct flock *f, uint32_t i)
{
    return &f->walkers[i].stats;
}
