// SPDX-License-Identifier: GPL-3.0-or-later
/* A simulation on its way down the tree. */
#include "search/mcts_internal.h"

#include <stdlib.h>
#include <string.h>

bool flight_reserve(struct mcts *m, struct flight *f)
{
    if (f->steps < f->cap) return true;
    uint32_t cap = f->cap ? f->cap * 2 : 128;
    uint32_t *path = realloc(f->path, cap * sizeof *path);
    if (path) f->path = path;
    uint32_t *choice = realloc(f->choice, (size_t)cap * m->nroles * sizeof *choice);
    if (choice) f->choice = choice;
    uint32_t *moves = realloc(f->moves, (size_t)cap * m->nroles * sizeof *moves);
    if (moves) f->moves = moves;
    uint8_t *forced = realloc(f->forced, (size_t)cap * m->nroles);
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
void flight_note_state(struct mcts *m, struct flight *f, const uint64_t *state, uint32_t words)
{
    if (!m->policy->wants_states) return;
    bool room = reserve_state(f, words);
    if (!room && f->steps >= f->starts_cap) {
        f->stateless = true;
        return;
    }
    uint32_t start = f->state_start[f->steps];
    if (room) memcpy(f->states + start, state, words * sizeof *state);
    f->state_start[f->steps + 1] = room ? start + words : start;
}

void flight_note_end(struct mcts *m, struct flight *f, const uint64_t *state, uint32_t words)
{
    flight_note_state(m, f, state, words);
    f->end = true;
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
    flight_note_state(m, f, node_state(n), n->words);
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
            flight_note_end(m, f, node_state(n), n->words);
            flight_finish(m, f, reward);
            return;
        }
        bool stuck = f->steps >= m->max_steps || !flight_reserve(m, f);
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
    f->expanded = f->stateless = f->end = false;
    f->node = m->tree->root;
    flight_descend(m, f);
}

void flight_abort(struct mcts *m, struct flight *f)
{
    if (f->stage != IDLE) flight_undo_pending(m, f);
    f->stage = IDLE;
}
