// SPDX-License-Identifier: GPL-3.0-or-later
/* A simulation on its way down the tree. */
#include "search/driver_internal.h"
#include "search/ledger.h"
#include "search/tidings.h"

#include <stdlib.h>
#include <string.h>

/* The masks tell of the flight under way: a parked one is not in them. */
void flight_stage(struct flight *f, enum stage stage)
{
    struct driver *d = f->hand->driver;
    if (d->lane[f->lane].flying == f) {
        uint64_t bit = (uint64_t)1 << (f->lane % 64);
        uint32_t w = f->lane / 64;
        d->in[f->stage][w] &= ~bit;
        d->uniform[w] &= ~bit;
        d->recorded[w] &= ~bit;
        d->stated[w] &= ~bit;
        d->in[stage][w] |= bit;
    }
    f->stage = stage;
}

bool flight_reserve(struct flight *f)
{
    uint32_t nroles = f->hand->search->nroles;
    if (f->steps < f->cap) return true;
    uint32_t cap = f->cap ? f->cap * 2 : 128;
    uint32_t *path = realloc(f->path, cap * sizeof *path);
    if (path) f->path = path;
    uint32_t *choice = realloc(f->choice, (size_t)cap * nroles * sizeof *choice);
    if (choice) f->choice = choice;
    uint32_t *moves = realloc(f->moves, (size_t)cap * nroles * sizeof *moves);
    if (moves) f->moves = moves;
    uint8_t *forced = realloc(f->forced, (size_t)cap * nroles);
    if (forced) f->forced = forced;
    if (!path || !choice || !moves || !forced) return false;
    f->cap = cap;
    return true;
}

/* Room for one more state of so many words. */
static bool reserve_state(struct flight *f, size_t words)
{
    if (f->steps >= f->starts_cap) {
        uint32_t cap = f->starts_cap ? f->starts_cap * 2 : 128;
        uint32_t *start = realloc(f->state_start, (cap + 1) * sizeof *start);
        if (!start) return false;
        f->state_start = start;
        f->starts_cap = cap;
    }
    f->state_start[0] = 0;
    size_t need = f->state_start[f->steps] + words;
    if (need > UINT32_MAX) return false;
    if (need <= f->states_cap) return true;
    uint64_t *states = realloc(f->states, 2 * need * sizeof *states);
    if (!states) return false;
    f->states = states;
    f->states_cap = 2 * need;
    return true;
}

/* Without memory the state is noted as one without words. */
void flight_note_state(struct flight *f, const uint64_t *state, uint32_t words)
{
    if (!f->hand->policy->wants_states) return;
    bool room = reserve_state(f, words);
    if (!room && f->steps >= f->starts_cap) {
        f->stateless = true;
        return;
    }
    uint32_t start = f->state_start[f->steps];
    if (room) memcpy(f->states + start, state, words * sizeof *state);
    f->state_start[f->steps + 1] = room ? start + words : start;
}

void flight_note_end(struct flight *f, const uint64_t *state, uint32_t words)
{
    flight_note_state(f, state, words);
    f->end = true;
}

void flight_release(struct flight *f)
{
    free(f->path);
    free(f->choice);
    free(f->moves);
    free(f->forced);
    free(f->states);
    free(f->state_start);
}

/* Take a step of the flight at a node: note node, choices and moves, and count it as pending. */
void flight_take(struct flight *f, uint32_t node, const uint32_t *choice)
{
    struct tree *t = f->hand->search->tree;
    struct tree_node *n = tree_node(t, node);
    uint32_t nroles = t->nroles, *row = f->choice + (size_t)f->tree_steps * nroles;
    for (uint32_t r = 0; r < nroles; r++) {
        bool forced = node_actions(t, n, r) == 1;
        row[r] = choice[r];
        f->forced[(size_t)f->steps * nroles + r] = forced;
        if (node_is_folded(n)) { /* it is new */
            if (!f->hand->solo) node_folded(t, n)[r].choice = choice[r] + 1;
            f->moves[(size_t)f->steps * nroles + r] =
                node_folded_moves(t, n)[node_first(t, n)[r] + choice[r]];
            continue;
        }
        f->moves[(size_t)f->steps * nroles + r] = node_action(t, n, r)[choice[r]].move;
        if (!f->hand->solo && !forced) /* who has no choice need not be kept off it */
            tally_pending(f->hand, n, r, choice[r], 1);
    }
    flight_note_state(f, node_state(n), n->words);
    f->path[f->tree_steps++] = node;
    f->steps++;
    f->hand->stats.steps++;
}

/* At an ended node whose goals are known, or at one that is solved: as good as ended. */
static void end_in_tree(struct flight *f, struct tree_node *n, uint32_t flags)
{
    const struct tree *t = f->hand->search->tree;
    bool end = flags & NODE_TERMINAL;
    float reward[MCTS_MAX_ROLES];
    for (uint32_t r = 0; r < t->nroles; r++)
        reward[r] = end ? (float)node_goal(t, n, r) : mean_of(&node_bounds(t, n)[r].low);
    if (end) { /* of a solved node no move is made: it is not counted, either */
        count_add(t, &n->visits, 1);
        flight_note_end(f, node_state(n), n->words);
    }
    f->proved = flags & NODE_BOUNDED ? f->node : 0;
    flight_finish(f, reward);
}

void flight_avoid_solved(struct hand *h, uint32_t node, uint32_t *choice)
{
    const struct mcts *m = h->search;
    const struct tree *t = m->tree;
    struct tree_node *n = tree_node(t, node);
    uint32_t role = m->nroles - 1, count = node_actions(t, n, role), first = choice[role], best = first;
    uint32_t least = UINT32_MAX;
    const struct tree_action *a = tally_of(h, n).actions + node_first(t, n)[role];
    for (uint32_t i = 0; i < count; i++) {
        choice[role] = (first + i) % count;
        uint32_t child = tree_child(t, node, choice),
                 tries = count_of(&a[choice[role]].n) + pending_of(&a[choice[role]]);
        if ((child && node_flags(tree_node(t, child)) & NODE_SOLVED) ||
            action_is(&a[choice[role]], ACTION_OUT))
            continue;
        if (i == 0) return;
        if (tries < least) least = tries, best = choice[role];
    }
    choice[role] = best;
}

void flight_descend(struct flight *f)
{
    struct mcts *m = f->hand->search;
    uint32_t choice[MCTS_MAX_ROLES];
    for (;;) {
        struct tree_node *n = tree_node(m->tree, f->node);
        uint32_t flags = node_flags(n);
        if (m->opt.scout && m->opt.solver != SOLVER_OFF &&
            !(flags & (NODE_SCOUTED | NODE_TERMINAL | NODE_SOLVED)) && count_of(&n->visits) >= m->opt.scout &&
            f->hand->driver->world->batch) {
            prove_scout(f, f->node);
            n = tree_node(m->tree, f->node);
            flags = node_flags(n);
        }
        if (flags & NODE_TERMINAL) {
            if (flags & NODE_GOALS)
                end_in_tree(f, n, flags);
            else
                flight_stage(f, WAITING);
            return;
        }
        if (flags & NODE_SOLVED && f->tree_steps && m->opt.solver != SOLVER_OFF) {
            end_in_tree(f, n, flags);
            return;
        }
        if (flags & NODE_FOLDED) tree_unfold(m->tree, n);
        bool stuck = f->steps >= m->max_steps || !flight_reserve(f);
        for (uint32_t r = 0; r < m->nroles && !stuck; r++) stuck = node_actions(m->tree, n, r) == 0;
        if (stuck) {
            flight_draw(f);
            return;
        }
        for (uint32_t r = 0; r < m->nroles; r++) {
            struct situation s;
            flight_situation(f, m->nroles, r, &s);
            s.state = node_state(n);
            s.state_words = n->words;
            choice[r] = select_action(f->hand, n, r, &s);
        }
        uint32_t at = f->node;
        if (m->opt.solver == SOLVER_E && n->mover == NO_MOVER) flight_avoid_solved(f->hand, at, choice);
        uint32_t child = m->opt.tree ? tree_child(m->tree, at, choice) : 0;
        if (child) tree_fetch(m->tree, child, n->words); /* while the step is noted */
        flight_take(f, at, choice);
        if (!child) {
            flight_stage(f, ENTERING);
            return;
        }
        f->node = child;
    }
}

/* What the playout policy knows already changes little with every simulation. */
bool flight_is_lesson(const struct hand *h)
{
    enum { SOMETHING = 5000 };
    uint32_t learn = h->search->opt.learn;
    return learn < 2 || h->policy->simulations < SOMETHING || h->launched % learn == 0;
}

void flight_launch(struct flight *f)
{
    struct mcts *m = f->hand->search;
    if (m->tidings && tidings_count(m->tidings) != m->heard) prove_hear(m, &f->hand->driver->prover);
    f->steps = f->tree_steps = f->playout_steps = 0;
    f->teaches = flight_is_lesson(f->hand);
    f->expanded = f->stateless = f->end = f->cut = false;
    f->errand = NULL;
    f->own = NULL;
    f->proved = 0;
    f->node = m->tree->root;
    f->has_way = adapt_draw(f->hand, &f->way);
    f->hand->aloft++;
    flight_descend(f);
}

void flight_abort(struct flight *f)
{
    if (f->stage == IDLE) return;
    if (f->errand)
        relay_lose(f);
    else
        flight_undo_pending(f);
    flight_stage(f, IDLE);
    f->hand->aloft--;
}
