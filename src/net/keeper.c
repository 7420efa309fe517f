// SPDX-License-Identifier: GPL-3.0-or-later
/* The keeper: follows the match on the lifted engine and knows what is legal. It has a move at hand from the
 * beginning of every turn, so that there is one to play whatever happens to the search. */
#include "net/worker.h"

#include "base/clock.h"
#include "base/rng.h"
#include "game/reasoner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARE_FOR_MOVES 0.4 /* of the play clock */

struct keeper {
    struct inbox *inbox;
    struct game *game;
    struct reasoner *reasoner;
    struct rng rng;
    uint32_t role, turn;
    struct state state, next;
    struct list legal; /* scratch */
    uint32_t *joint;   /* scratch, by role */
    double patience;   /* seconds to look for legal moves */
    struct heap *heap; /* of texts */
};

/* What became of an announced joint move. */
enum step { STEP_LEGAL, STEP_ILLEGAL, STEP_REFUSED };
static const char *const step_names[] = {"legal", "illegal", "refused"};

static void lost(struct keeper *k)
{
    inbox_lost(k->inbox, k->reasoner->error.text);
}

/* The moves of a role, or as many of them as can be found in a part of the play clock: enough to have one.
 * False: not all of them. */
static bool find_legal(struct keeper *k, const struct state *s, uint32_t role)
{
    struct reasoner *r = k->reasoner;
    r->deadline = clock_now() + k->patience;
    bool all = r->ops->legal(r, s, role, &k->legal);
    r->deadline = 0;
    if (!all && !reasoner_timed_out(r)) lost(k);
    return all;
}

/* Where not all moves can be found, the benefit of the doubt. */
static bool is_legal(struct keeper *k, uint32_t role, uint32_t move)
{
    if (!find_legal(k, &k->state, role)) return true;
    for (uint32_t i = 0; i < k->legal.n; i++)
        if (k->legal.v[i] == move) return true;
    return false;
}

/* Can the match go on from the next state? */
static bool can_go_on(struct keeper *k)
{
    bool terminal;
    struct reasoner *r = k->reasoner;
    if (!r->ops->terminal(r, &k->next, &terminal)) lost(k);
    if (terminal) return true;
    return !find_legal(k, &k->next, k->role) || k->legal.n > 0;
}

/* The master's word is law, also when it announces what our rules call illegal. But moves that are none, or
 * lead where we cannot move, were meant for another state than ours: then we stay where we are. */
static enum step follow(struct keeper *k, char **moves, uint32_t n, struct error *why)
{
    struct reasoner *r = k->reasoner;
    enum step step = STEP_LEGAL;
    if (n != k->game->nroles) {
        error_set(why, ERROR_INPUT, "%u moves for %u roles", n, k->game->nroles);
        return STEP_REFUSED;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!reasoner_read_move(r, i, moves[i], &k->joint[i])) {
            *why = r->error;
            return STEP_REFUSED;
        }
        if (step == STEP_LEGAL && !is_legal(k, i, k->joint[i])) {
            step = STEP_ILLEGAL;
            error_set(why, ERROR_INPUT, "%.200s is not legal for %.100s", moves[i], k->game->role_names[i]);
        }
    }
    if (!r->ops->next(r, &k->state, k->joint, &k->next)) lost(k);
    if (step == STEP_ILLEGAL && !can_go_on(k)) return STEP_REFUSED;
    struct state swap = k->state;
    k->state = k->next;
    k->next = swap;
    k->turn++;
    return step;
}

static json_t *move_json(struct keeper *k, uint32_t role, uint32_t move)
{
    struct heap_guard guard;
    struct error error;
    json_t *volatile out = NULL;
    if (HEAP_ENTER(k->heap, &guard, &error)) {
        struct text t;
        text_init(&t, k->heap);
        reasoner_print_move(k->reasoner, role, move, false, &t);
        out = json_string(text_str(&t));
        heap_release(k->heap, t.s);
        heap_leave(k->heap);
    }
    return out;
}

static void report(struct keeper *k, enum step step, const struct error *why)
{
    struct reasoner *r = k->reasoner;
    bool terminal;
    if (!r->ops->terminal(r, &k->state, &terminal)) lost(k);
    json_t *m = json_pack("{s:s, s:i, s:s, s:b}", "type", "state", "turn", (int)k->turn, "step",
                          step_names[step], "terminal", terminal);
    if (step != STEP_LEGAL) json_object_set_new(m, "why", json_string(why->text));
    if (terminal) {
        json_t *goals = json_array();
        for (uint32_t i = 0; i < k->game->nroles; i++) {
            int goal;
            if (!reasoner_goal(r, &k->state, i, &goal)) lost(k);
            json_array_append_new(goals, goal == GOAL_UNDEFINED ? json_null() : json_integer(goal));
        }
        json_object_set_new(m, "goals", goals);
    } else {
        bool all = find_legal(k, &k->state, k->role);
        json_object_set_new(m, "legal", json_integer(k->legal.n));
        json_object_set_new(m, "all", json_boolean(all));
        if (k->legal.n)
            json_object_set_new(m, "move", move_json(k, k->role, k->legal.v[rng_below(&k->rng, k->legal.n)]));
    }
    inbox_send(k->inbox, m);
}

/* Several joint moves at once when we come late; the last one decides what is reported. */
static void on_follow(struct keeper *k, struct order *l)
{
    char *head = order_line(l), *end = head, *line;
    char **moves = malloc((l->size / 2 + 1) * sizeof *moves);
    uint32_t first = head ? (uint32_t)strtoul(end, &end, 10) : 0;
    uint32_t count = head ? (uint32_t)strtoul(end, &end, 10) : 0, lines = 0;
    enum step step = STEP_LEGAL;
    struct error why = {0};
    if (!moves) inbox_lost(k->inbox, "out of memory");
    while ((line = order_line(l))) moves[lines++] = line;
    uint32_t width = count ? lines / count : 0;
    for (uint32_t i = 0; i < count && first + i == k->turn; i++)
        step = follow(k, moves + (size_t)i * width, width, &why);
    free(moves);
    report(k, step, &why);
}

static void on_check(struct keeper *k, struct order *l)
{
    char *head = order_line(l), *text = order_line(l);
    uint32_t move;
    if (!head || !text) return;
    bool legal = strtoul(head, NULL, 10) == k->turn &&
                 reasoner_read_move(k->reasoner, k->role, text, &move) && is_legal(k, k->role, move);
    /* in the spelling of the rules, whatever it came in */
    inbox_send(k->inbox, json_pack("{s:s, s:i, s:s, s:b}", "type", "checked", "turn", (int)k->turn, "move",
                                   text, "legal", legal));
}

static bool set_up(struct keeper *k, const struct assignment *a, struct error *error)
{
    size_t memory = (size_t)a->megabytes << 20;
    k->patience = fmax(a->seconds, 1) * SHARE_FOR_MOVES;
    k->game = game_from_text("match", a->rules, a->rules_size, memory / 2, NULL, error);
    if (!k->game) return false;
    int role = game_role(k->game, a->role);
    if (role < 0) return error_set(error, ERROR_INPUT, "the rules know no role '%.100s'", a->role);
    k->role = (uint32_t)role;
    k->joint = calloc(k->game->nroles, sizeof *k->joint);
    k->heap = heap_new(0);
    if (!k->joint || !k->heap) return error_set(error, ERROR_MEMORY, "out of memory");
    k->reasoner = reasoner_lifted(k->game, memory / 2, error);
    if (!k->reasoner) return false;
    return k->reasoner->ops->initial(k->reasoner, &k->state) || (*error = k->reasoner->error, false);
}

void keeper_run(struct inbox *b, const struct assignment *a)
{
    struct keeper k = {.inbox = b};
    struct error error;
    rng_init(&k.rng, a->seed);
    if (!set_up(&k, a, &error)) {
        inbox_refuse(b, &error);
        free(k.joint);
        return;
    }
    json_t *roles = json_array();
    for (uint32_t i = 0; i < k.game->nroles; i++)
        json_array_append_new(roles, json_string(k.game->role_names[i]));
    inbox_send(b, json_pack("{s:s, s:s, s:i, s:o}", "type", "game", "digest", k.game->digest, "role",
                            (int)k.role, "roles", roles));
    report(&k, STEP_LEGAL, NULL);
    for (;;) {
        struct order *l = inbox_take(b, true);
        if (strcmp(l->verb, "follow") == 0) on_follow(&k, l);
        if (strcmp(l->verb, "check") == 0) on_check(&k, l);
        free(l);
    }
}
