// SPDX-License-Identifier: GPL-3.0-or-later
#include "player/branch.h"

#include <stdlib.h>
#include <string.h>

struct walk {
    struct mcts *m;
    struct reasoner *r;
    struct heap *heap;
    uint32_t node;
};

/* One word of the path: a number per role. False: it is none, or there are no such moves. */
static bool read_choice(const struct walk *w, const char **path, uint32_t *choice)
{
    struct tree_node *n = tree_node(w->m->tree, w->node);
    tree_unfold(w->m->tree, n);
    for (uint32_t role = 0; role < w->m->nroles; role++) {
        char *end;
        unsigned long at = strtoul(*path, &end, 10);
        if (end == *path || at >= node_actions(w->m->tree, n, role)) return false;
        if (role + 1 < w->m->nroles && *end++ != '.') return false;
        choice[role] = (uint32_t)at;
        *path = end;
    }
    return **path == '\0' || *(*path)++ == ' ';
}

static bool follow(struct walk *w, const char *path, struct error *error)
{
    uint32_t choice[MCTS_MAX_ROLES];
    while (*path) {
        if (!read_choice(w, &path, choice) || !(w->node = tree_child(w->m->tree, w->node, choice)))
            return error_set(error, ERROR_INPUT, "the search has no such position in its tree");
    }
    return true;
}

static int by_visits(const void *a, const void *b)
{
    const struct mcts_move *x = a, *y = b;
    if (x->n != y->n) return x->n > y->n ? -1 : 1;
    return x->mean != y->mean ? (x->mean > y->mean ? -1 : 1) : (int)x->move - (int)y->move;
}

/* The word that leads to the child, where `role` alone chooses. */
static json_t *child_word(const struct walk *w, uint32_t role, uint32_t at)
{
    uint32_t choice[MCTS_MAX_ROLES] = {0};
    choice[role] = at;
    if (!tree_child(w->m->tree, w->node, choice)) return json_null();
    struct text t;
    text_init(&t, w->heap);
    for (uint32_t i = 0; i < w->m->nroles; i++) text_printf(&t, "%s%u", i ? "." : "", choice[i]);
    return json_string(text_str(&t));
}

static json_t *choices_json(const struct walk *w, uint32_t role, bool alone)
{
    struct tree_node *n = tree_node(w->m->tree, w->node);
    uint32_t count = node_actions(w->m->tree, n, role);
    const struct tree_action *a = node_action(w->m->tree, n, role);
    struct mcts_move *all = heap_alloc(w->heap, (count + 1) * sizeof *all);
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        all[i] = (struct mcts_move){.move = i, .n = a[i].n, .mean = a[i].mean};
    qsort(all, count, sizeof *all, by_visits);
    for (uint32_t i = 0; i < count; i++) {
        struct text t;
        text_init(&t, w->heap);
        reasoner_print_move(w->r, role, a[all[i].move].move, false, &t);
        json_array_append_new(list, json_pack("{s:i, s:s, s:I, s:f, s:o}", "at", (int)all[i].move, "move",
                                              text_str(&t), "visits", (json_int_t)all[i].n, "value",
                                              (double)all[i].mean, "child",
                                              alone ? child_word(w, role, all[i].move) : json_null()));
    }
    return list;
}

static json_t *node_json(const struct walk *w, const char *path)
{
    struct tree_node *n = tree_node(w->m->tree, w->node);
    bool alone = n->mover != NO_MOVER;
    tree_unfold(w->m->tree, n);
    json_t *choices = json_array();
    for (uint32_t role = 0; role < w->m->nroles; role++)
        json_array_append_new(choices, choices_json(w, role, alone && role == n->mover));
    json_t *out = json_pack("{s:s, s:I, s:b, s:o, s:o}", "path", path, "visits", (json_int_t)n->visits,
                            "terminal", (n->flags & NODE_TERMINAL) != 0, "mover",
                            alone ? json_integer(n->mover) : json_null(), "choices", choices);
    if (n->flags & NODE_GOALS) {
        json_t *goals = json_array();
        for (uint32_t role = 0; role < w->m->nroles; role++)
            json_array_append_new(goals, json_integer(node_goal(w->m->tree, n, role)));
        json_object_set_new(out, "goals", goals);
    }
    return out;
}

json_t *branch_json(struct player *p, const char *path, struct error *error)
{
    struct walk w = {.m = player_search(p), .r = player_reasoner(p), .heap = heap_new(0)};
    struct heap_guard guard;
    json_t *volatile out = NULL;
    if (!w.m || !w.m->tree->root || !w.m->opt.tree || !w.heap) {
        heap_free(w.heap);
        return error_set(error, ERROR_INPUT, "there is no tree to look into yet"), NULL;
    }
    w.node = w.m->tree->root;
    if (HEAP_ENTER(w.heap, &guard, error)) {
        if (follow(&w, path, error)) out = node_json(&w, path);
        heap_leave(w.heap);
    }
    heap_free(w.heap);
    return out;
}
