// SPDX-License-Identifier: GPL-3.0-or-later
/* The search: a player that never rests. Between letters it thinks, on its own clock, on the others' and on
 * the start clock, in slices; whenever it is asked it also says what it would play now, so that a search that
 * is killed has left its opinion behind. */
#include "net/worker.h"

#include "base/clock.h"
#include "player/player.h"
#include "player/thoughts.h"

#include <stdlib.h>
#include <string.h>

#define SLICE 0.25 /* seconds between two looks at the engine, and between two opinions */

enum { LINES = 5 }; /* moves reported of those the search weighed */

struct search {
    struct inbox *inbox;
    struct game *game;
    struct engine *engine;
    struct player *player;
    struct player_config config;
    struct heap *heap; /* of texts */
    uint32_t role, turn;
    bool idle;                      /* there is nothing to think about */
    bool asked;                     /* a move is wanted */
    double due;                     /* by then */
    char *best;                     /* told last; NULL: nothing yet in this turn */
    uint64_t simulations, pondered; /* while asked, and before */
    double seconds;                 /* of the former */
    struct error trouble;
};

static char *move_text(struct search *s, uint32_t move)
{
    struct heap_guard guard;
    struct error error;
    char *volatile out = NULL;
    if (HEAP_ENTER(s->heap, &guard, &error)) {
        struct text t;
        text_init(&t, s->heap);
        reasoner_print_move(player_reasoner(s->player), s->role, move, false, &t);
        out = strdup(text_str(&t));
        heap_release(s->heap, t.s);
        heap_leave(s->heap);
    }
    if (!out) inbox_lost(s->inbox, "out of memory");
    return out;
}

/* ---- thinking ---- */

static void tell_best(struct search *s, char *move)
{
    if (s->best && strcmp(s->best, move) == 0) {
        free(move);
        return;
    }
    free(s->best);
    s->best = move;
    inbox_send(s->inbox, json_pack("{s:s, s:i, s:s}", "type", "best", "turn", (int)s->turn, "move", move));
}

static void tell_move(struct search *s)
{
    json_t *m = thoughts_json(s->player, s->role), *moves;
    if (!m) m = json_object();
    moves = json_object_get(m, "moves");
    while (moves && json_array_size(moves) > LINES) json_array_remove(moves, json_array_size(moves) - 1);
    json_object_set_new(m, "type", json_string("move"));
    json_object_set_new(m, "turn", json_integer(s->turn));
    json_object_set_new(m, "move", json_string(s->best));
    json_object_set_new(m, "simulations", json_integer((json_int_t)s->simulations));
    json_object_set_new(m, "pondered", json_integer((json_int_t)s->pondered));
    json_object_set_new(m, "rate", json_real(s->seconds > 0 ? (double)s->simulations / s->seconds : 0));
    if (s->trouble.code) json_object_set_new(m, "trouble", json_string(s->trouble.text));
    json_object_del(m, "seconds"); /* of the last slice */
    inbox_send(s->inbox, m);
    s->asked = false;
    s->simulations = s->pondered = 0;
    s->seconds = 0;
}

static void think(struct search *s)
{
    double now = clock_now(), until = now + SLICE;
    struct budget b = {.deadline = s->asked && s->due < until ? s->due : until, .stop = &s->inbox->stop};
    struct error error;
    uint32_t move;
    if (!player_think(s->player, &b, &move, &error)) {
        if (error.code != ERROR_INPUT || s->asked) inbox_lost(s->inbox, error.text);
        s->idle = true; /* the game is over: there are no moves */
        return;
    }
    const struct player_report *r = player_report(s->player);
    *(s->asked ? &s->simulations : &s->pondered) += r->stats.simulations;
    if (s->asked) s->seconds += clock_now() - now;
    s->trouble = r->trouble;
    if (s->asked) tell_best(s, move_text(s, move));
    bool searches = s->config.kind == PLAYER_SEARCH;
    if (s->asked && (!searches || clock_now() >= s->due)) tell_move(s);
    /* Without a search, or with one that fails, there is nothing to gain from going on at once. */
    if (!searches && !s->asked) s->idle = true;
    if (s->trouble.code && !atomic_load(&s->inbox->stop))
        clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* ---- letters ---- */

/* Nobody waits any longer: what was thought counts as beforehand for the next turn. */
static void rest(struct search *s)
{
    s->pondered += s->simulations;
    s->simulations = 0;
    s->seconds = 0;
    s->asked = false;
}

static void on_follow(struct search *s, struct letter *l)
{
    char *head = letter_line(l), *end = head, *line = NULL;
    uint32_t first = head ? (uint32_t)strtoul(end, &end, 10) : 0, joint[MCTS_MAX_ROLES];
    uint32_t count = head ? (uint32_t)strtoul(end, &end, 10) : 0, n = s->game->nroles;
    struct error error;
    if (first != s->turn) inbox_lost(s->inbox, "a turn is missing");
    for (uint32_t i = 0; i < count; i++, s->turn++) {
        struct reasoner *r = player_reasoner(s->player);
        for (uint32_t k = 0; k < n; k++)
            if (!(line = letter_line(l)) || !reasoner_read_move(r, k, line, &joint[k]))
                inbox_lost(s->inbox, line ? r->error.text : "a move is missing");
        if (!player_advance(s->player, r, joint, &error)) inbox_lost(s->inbox, error.text);
    }
    rest(s);
    free(s->best);
    s->best = NULL;
    s->idle = false;
}

static void on_letter(struct search *s, struct letter *l)
{
    if (strcmp(l->verb, "follow") == 0) {
        on_follow(s, l);
    } else if (strcmp(l->verb, "think") == 0) {
        char *head = letter_line(l), *end = head;
        if (!head || strtoul(end, &end, 10) != s->turn) inbox_lost(s->inbox, "asked about another turn");
        s->due = strtod(end, NULL);
        s->asked = true;
        s->idle = false;
    } else if (strcmp(l->verb, "rest") == 0) {
        rest(s);
        inbox_send(s->inbox, json_pack("{s:s}", "type", "resting")); /* a sign of life */
    }
}

static bool set_up(struct search *s, const struct assignment *a, struct error *error)
{
    size_t memory = (size_t)a->megabytes << 20;
    if (!player_config_parse(a->player, &s->config, error)) return false;
    if (!s->config.memory) s->config.memory = (int64_t)(a->megabytes / 2);
    s->config.forced = true; /* when only the others have a choice, theirs is worth thinking about */
    s->game = game_from_text("match", a->rules, a->rules_size, memory / 4, NULL, error);
    if (!s->game) return false;
    int role = game_role(s->game, a->role);
    if (role < 0) return error_set(error, ERROR_INPUT, "the rules know no role '%.100s'", a->role);
    s->role = (uint32_t)role;
    if (s->game->nroles > MCTS_MAX_ROLES)
        return error_set(error, ERROR_INPUT, "more than %d roles", MCTS_MAX_ROLES);
    s->heap = heap_new(0);
    if (!s->heap) return error_set(error, ERROR_MEMORY, "out of memory");
    struct ground_limits limits = {.bytes = memory / 4};
    s->engine = engine_start(s->game, &limits, error); /* without one the lifted engine plays on */
    s->player = player_new(&s->config, s->game, s->engine, s->role, a->seed, error);
    return s->player != NULL;
}

void search_run(struct inbox *b, const struct assignment *a)
{
    struct search s = {.inbox = b};
    struct error error;
    if (!set_up(&s, a, &error)) {
        inbox_send(b, json_pack("{s:s, s:s}", "type", "refused", "why", error.text));
        if (error.code == ERROR_INPUT)
            for (;;) free(inbox_take(b, -1)); /* starting again would not help */
        return;
    }
    inbox_send(b, json_pack("{s:s}", "type", "here"));
    for (;;) {
        struct letter *l = inbox_take(b, s.idle ? -1 : 0);
        if (l) {
            on_letter(&s, l);
            free(l);
        } else {
            think(&s);
        }
    }
}
