// SPDX-License-Identifier: GPL-3.0-or-later
/* Bounds on their way up, and a look ahead. */
#include "search/implicit.h"
#include "search/ledger.h"
#include "search/prove_internal.h"

#include <string.h>

/* Does the node not know yet what its child is worth? */
static bool is_news(struct mcts *m, uint32_t node, uint32_t child, const uint32_t *choice)
{
    const struct tree *t = m->tree;
    struct tree_node *n = tree_node(t, node);
    uint32_t flags = node_flags(tree_node(t, child));
    if (!(flags & NODE_BOUNDED)) return false;
    if (n->mover != NO_MOVER) {
        const struct tree_action *a = node_action(t, n, n->mover) + choice[n->mover];
        if (action_is(a, ACTION_OUT | ACTION_SETTLED)) return false;
        struct bound b = prove_bound(t, node, n->mover), c = prove_bound(t, child, n->mover);
        return flags & NODE_SOLVED || c.low > b.low || c.high < b.high;
    }
    struct tree_edge *e = tree_edge(t, node, choice);
    struct bound c = prove_bound(t, child, 0);
    uint32_t told = (uint32_t)(int32_t)(c.low * 64) * 31u + (uint32_t)(int32_t)(c.high * 64) + 1;
    if (!e || count_of(&e->told) == told) return false;
    __atomic_store_n(&e->told, told, __ATOMIC_RELAXED);
    count_add(t, &n->changes, 1);
    return true;
}

/* The mean of the move that led to `child` becomes what is proved of it. Means further up stay what
 * simulations brought: to forget what refuted moves had brought there gave the few visits of the others the
 * weight of all of them. */
static void correct(struct flight *f, uint32_t step, uint32_t child)
{
    const struct mcts *m = f->hand->search;
    const struct tree *t = m->tree;
    struct tree_node *n = tree_node(t, f->path[step]);
    if (n->mover == NO_MOVER || !(node_flags(tree_node(t, child)) & NODE_BOUNDED)) return;
    const uint32_t *choice = f->choice + (size_t)step * m->nroles;
    ledger_drop(f->hand, n); /* written, not added by each of several hands that find it */
    for (uint32_t r = 0; r < m->nroles; r++) {
        struct tree_action *a = node_action(t, n, r) + choice[r];
        struct bound b = prove_bound(t, child, r);
        float mean = mean_of(&a->mean);
        if (!(mean >= b.low && mean <= b.high)) mean_set(&a->mean, mean < b.low ? b.low : b.high);
    }
}

/* From the end of the path up. `anew`: the bounds of the child have just moved. */
static void tell_path(struct flight *f, uint32_t last, bool anew)
{
    struct mcts *m = f->hand->search;
    struct prover *p = &f->hand->driver->prover;
    uint32_t child = last;
    for (uint32_t step = f->tree_steps; step-- > 0; child = f->path[step]) {
        uint32_t node = f->path[step];
        if (!node) return; /* collected meanwhile */
        if (!child) continue;
        bool news = is_news(m, node, child, f->choice + (size_t)step * m->nroles);
        if (news || anew) correct(f, step, child);
        anew = news && prove_update(m, node, p);
        if (anew && step == 0) __atomic_store_n(&m->settled, prove_settled(m), __ATOMIC_RELAXED);
        if (news && step == 0 && m->tidings) prove_tell_child(m, f->choice, child);
    }
}

void prove_path(struct flight *f, uint32_t last)
{
    tell_path(f, last, false);
}

/* --- Scouting ------------------------------------------------------------------------------------------- */

#define MOST_SCOUTED 512 /* joint moves; more of them cost more than they tell */

/* An ended child becomes a node, if it is none yet. */
static bool plant(struct hand *h, uint32_t node, const uint32_t *choice, const struct place *p)
{
    struct mcts *m = h->search;
    struct tree *t = m->tree;
    struct state s = {.w = (uint64_t *)p->state, .words = p->words, .cap = p->words};
    uint64_t hash = state_hash(&s);
    static const struct list none[MCTS_MAX_ROLES];
    float goals[MCTS_MAX_ROLES];
    if (tree_child(t, node, choice)) return false;
    uint32_t child = tree_find(t, p->state, p->words, hash);
    if (!child) child = tree_add(t, &h->claim, p->state, p->words, hash, true, none);
    if (!child) return false;
    for (uint32_t r = 0; r < m->nroles; r++) goals[r] = p->goals[r];
    if (!(node_flags(tree_node(t, child)) & NODE_GOALS)) node_set_goals(t, tree_node(t, child), goals);
    prove_end(m, child);
    tree_link(t, node, choice, child);
    return true;
}

/* What can still come of the node, whatever is done. */
static bool look_out(struct mcts *m, uint32_t node, struct expander *e)
{
    struct error ignored;
    if (!expander_look_out(e, m->opt.outlook, &ignored)) return false;
    const int16_t *ranges = expander_outlook(e, node_state(tree_node(m->tree, node)));
    return ranges && prove_outlook(m, node, ranges);
}

void prove_scout(struct flight *f, uint32_t node)
{
    struct mcts *m = f->hand->search;
    struct tree *t = m->tree;
    struct driver *d = f->hand->driver;
    struct tree_node *n = tree_node(t, node);
    uint32_t moves[2 * MCTS_MAX_ROLES + MOST_SCOUTED], *to = moves + m->nroles;
    struct place place = {.state = node_state(n), .words = n->words, .joints = 1, .moves = moves};
    const struct place *here = &place;
    bool judged = implicit_is_on(m), turn = n->mover != NO_MOVER;
    const struct opening how = {.leaves = true, .ends = !judged};
    struct error ignored;
    struct fan fan;
    bool any = false;
    node_set_flags(n, NODE_SCOUTED);
    for (uint32_t r = 0; r < m->nroles; r++) {
        moves[r] = node_actions(t, n, r);
        place.joints *= moves[r];
        if (place.joints > MOST_SCOUTED || place.joints == 0) return;
        for (uint32_t i = 0; i < moves[r]; i++) *to++ = node_action(t, n, r)[i].move;
    }
    if (!d->prover.expander) d->prover.expander = expander_new(d->world->reasoner, d->code, &ignored);
    if (!d->prover.expander || !fans_open(d->prover.expander, &here, 1, &how, &fan, &ignored)) return;
    if (judged && !turn) implicit_look_at_once(m, tree_node(t, node), &fan);
    for (uint32_t i = 0; i < fan.n; i++) {
        uint32_t choice[MCTS_MAX_ROLES];
        const struct place *child = &fan.child[i];
        if (judged && turn) implicit_look(m, tree_node(t, node), i, child);
        if (!child->end) continue;
        for (uint32_t r = 0; r < m->nroles; r++) choice[r] = i / fan.stride[r] % fan.count[r];
        any |= plant(f->hand, node, choice, child);
        if (m->constant_sum) count_add(t, &tree_node(t, node)->changes, 1);
    }
    fan_close(d->prover.expander, &fan);
    bool moved = any && prove_update(m, node, &d->prover);
    if (m->opt.outlook) moved |= look_out(m, node, d->prover.expander);
    if (moved && f->tree_steps == 0) {
        __atomic_store_n(&m->settled, prove_settled(m), __ATOMIC_RELAXED);
        prove_tell(m);
    }
    if (moved) tell_path(f, node, true);
    if (judged) implicit_update(m, tree_node(t, node));
}
