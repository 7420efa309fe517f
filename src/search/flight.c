// SPDX-License-Identifier: GPL-3.0-or-later
/* A simulation on its way down the tree. */
#include "search/mcts_internal.h"

#include <stdlib.h>
#include <string.h>

bool flight_reserve(struct mcts *m, struct flight *f, uint32_t words)
{
    if (f->steps < f->cap && (!m->policy->wants_states || words <= f->words)) return true;
    uint32_t cap = f->steps < f->cap ? f->cap : f->cap ? f->cap * 2 : 128;
    uint32_t *path = realloc(f->path, cap * sizeof *path);
    if (path) f->path = path;
    uint32_t *choice = realloc(f->choice, (size_t)cap * m->nroles * sizeof *choice);
    if (choice) f->choice = choice;
    uint32_t *moves = realloc(f->moves, (size_t)cap * m->nroles * sizeof *moves);
    if (moves) f->moves = moves;
    uint8_t *forced = realloc(f->forced, (size_t)cap * m->nroles);
    if (forced) f->forced = forced;
    if (!path || !choice || !moves || !forced) return false;
    if (m->policy->wants_states) {
        uint64_t *states = realloc(f->states, (size_t)cap * words * sizeof *states);
        if (!states) return false;
        f->states = states;
        f->words = words;
    }
    f->cap = cap;
    return true;
}

struct situation flight_situation(const struct mcts *m, const struct flight *f, uint32_t role)
{
    struct situation s = {.role = role, .nroles = m->nroles};
    if (f->steps >= 1) s.last = f->moves + (size_t)(f->steps - 1) * m->nroles;
    if (f->steps >= 2) s.before = f->moves + (size_t)(f->steps - 2) * m->nroles;
    return s;
}

/* Take a step of the flight at a node: note node, choices and moves, and count it as pending. */
void flight_take(struct mcts *m, struct flight *f, uint32_t node, const uint32_t *choice)
{
    struct tree_node *n = tree_node(m->tree, node);
    uint32_t *row = f->choice + (size_t)f->tree_steps * m->nroles;
    for (uint32_t r = 0; r < m->nroles; r++) {
        struct tree_action *a = node_action(m->tree, n, r) + choice[r];
        row[r] = choice[r];
        f->moves[(size_t)f->steps * m->nroles + r] = a->move;
        f->forced[(size_t)f->steps * m->nroles + r] = node_actions(m->tree, n, r) == 1;
        if (a->pending < UINT16_MAX) a->pending++;
    }
    n->pending++;
    if (m->policy->wants_states)
        memcpy(f->states + (size_t)f->steps * f->words, node_state(n), n->words * sizeof(uint64_t));
    f->path[f->tree_steps++] = node;
    f->steps++;
}

void flight_descend(struct mcts *m, struct flight *f)
{
    uint32_t choice[MCTS_MAX_ROLES];
    for (;;) {
        struct tree_node *n = tree_node(m->tree, f->node);
        if (n->flags & NODE_TERMINAL) {
            if (!(n->flags & NODE_GOALS)) {
                f->stage = WAITING;
                return;
            }
            float reward[MCTS_MAX_ROLES];
            const int16_t *goals = node_goals(m->tree, n);
            for (uint32_t r = 0; r < m->nroles; r++) reward[r] = goals[r];
            n->visits++;
            flight_finish(m, f, reward);
            return;
        }
        bool stuck = f->steps >= m->max_steps || !flight_reserve(m, f, n->words);
        for (uint32_t r = 0; r < m->nroles && !stuck; r++) stuck = node_actions(m->tree, n, r) == 0;
        if (stuck) {
            flight_draw(m, f);
            return;
        }
        for (uint32_t r = 0; r < m->nroles; r++) {
            struct situation s = flight_situation(m, f, r);
            s.state = node_state(n);
            s.state_words = n->words;
            choice[r] = select_action(m, n, r, &s);
        }
        uint32_t at = f->node;
        flight_take(m, f, at, choice);
        uint32_t child = m->opt.tree ? tree_child(m->tree, at, choice) : 0;
        if (!child) {
            f->stage = ENTERING;
            return;
        }
        f->node = child;
    }
}

void flight_launch(struct mcts *m, struct flight *f)
{
    f->steps = f->tree_steps = f->playout_steps = 0;
    f->expanded = false;
    f->node = m->tree->root;
    flight_descend(m, f);
}

void flight_abort(struct mcts *m, struct flight *f)
{
    if (f->stage != IDLE) flight_undo_pending(m, f);
    f->stage = IDLE;
}
