// SPDX-License-Identifier: GPL-3.0-or-later
/* The search: a player that never rests. Between orders it thinks: on its own clock, on the others' and on
 * the start clock. When a move is wanted it also says from time to time what it would play now, so that a
 * search that is killed has left its opinion behind. */
#include "net/worker.h"

#include "base/clock.h"
#include "player/branch.h"
#include "player/player.h"
#include "player/thoughts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHORTEST_SLICE 0.25 /* seconds between two opinions, or an eighth of the time if that is more */
#define FIRST_SLICE 0.05    /* of the time left: an opinion soon, where many want the processor */
#define LINE_SLICE 0.5      /* seconds of pondering between two looks at the line of a game for one */
#define ENOUGH 0.01         /* seconds before a deadline that are as good as none */

enum { LINES = 5 }; /* moves reported of those the search weighed */

struct search {
    struct inbox *inbox;
    struct game *game;
    struct engine *engine;
    struct player *player;
    struct player_config config;
    struct heap *heap; /* of texts */
    uint32_t role, turn;
    double play_clock;              /* seconds */
    bool idle;                      /* there is nothing to think about, until the next order */
    bool slow;                      /* a slice is not enough to find the moves */
    bool settled;                   /* the engine is ready or has failed, and we know */
    bool asked;                     /* a move is wanted */
    double due;                     /* by then */
    double start;                   /* when the start clock ends; 0: nobody said */
    char *best;                     /* told last; NULL: nothing yet in this turn */
    uint64_t simulations, pondered; /* while asked, and before */
    double seconds;                 /* of the former */
    struct error trouble;
    double watch;  /* seconds between two reports of thoughts; 0: nobody watches */
    uint32_t view; /* the role whose move is wanted */
    int line_goal; /* of the line told last, -1: none; it ended after so many moves of the match */
    uint32_t line_end;
};

static char *move_text(struct search *s, uint32_t move)
{
    struct heap_guard guard;
    struct error error;
    char *volatile out = NULL;
    if (HEAP_ENTER(s->heap, &guard, &error)) {
        struct text t;
        text_init(&t, s->heap);
        reasoner_print_move(player_reasoner(s->player), s->view, move, false, &t);
        out = strdup(text_str(&t));
        heap_release(s->heap, t.s);
        heap_leave(s->heap);
    }
    if (!out) inbox_lost(s->inbox, "out of memory");
    return out;
}

/* ---- thinking ---- */

/* `guess`: there was no time to find out what is legal. */
static void tell_best(struct search *s, char *move, bool guess)
{
    if (s->best && strcmp(s->best, move) == 0) {
        free(move);
        return;
    }
    free(s->best);
    s->best = move;
    inbox_send(s->inbox, json_pack("{s:s, s:i, s:s, s:b}", "type", "best", "turn", (int)s->turn, "move", move,
                                   "guess", guess));
}

static void tell_move(struct search *s)
{
    json_t *m = s->watch > 0 ? thoughts_live(s->player, s->view) : thoughts_json(s->player, s->role), *moves;
    if (!m) m = json_object();
    moves = json_object_get(m, "moves");
    while (moves && s->watch <= 0 && json_array_size(moves) > LINES)
        json_array_remove(moves, json_array_size(moves) - 1);
    json_object_set_new(m, "type", json_string("move"));
    json_object_set_new(m, "turn", json_integer(s->turn));
    json_object_set_new(m, "move", json_string(s->best ? s->best : ""));
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

/* For people who watch: what is thought right now. */
static void tell_thoughts(struct search *s)
{
    json_t *m = thoughts_live(s->player, s->view);
    if (!m) return;
    json_object_set_new(m, "type", json_string("thoughts"));
    json_object_set_new(m, "turn", json_integer(s->turn));
    json_object_set_new(m, "simulations", json_integer((json_int_t)(s->simulations + s->pondered)));
    json_object_set_new(m, "rate", json_real(s->seconds > 0 ? (double)s->simulations / s->seconds : 0));
    json_object_set_new(m, "seconds", json_real(s->seconds));
    inbox_send(s->inbox, m);
}

/* In a game for one: the best line, whenever it is another. It outlives this process. */
static void tell_line(struct search *s)
{
    struct solo *solo = player_solo(s->player);
    const uint32_t *moves;
    uint32_t n;
    int goal = solo ? solo_line(solo, &moves, &n) : -1;
    if (goal < 0 || (goal == s->line_goal && n + s->turn == s->line_end)) return;
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++) {
        char *text = move_text(s, moves[i]);
        json_array_append_new(list, json_string(text ? text : ""));
        free(text);
    }
    const struct solo_report *r = solo_report(solo);
    inbox_send(s->inbox,
               json_pack("{s:s, s:i, s:i, s:s, s:b, s:o}", "type", "line", "turn", (int)s->turn, "goal", goal,
                         "by", r->who ? r->who : "", "solved", r->solved, "moves", list));
    s->line_goal = goal;
    s->line_end = n + s->turn;
}

static bool hurried(const struct error *e)
{
    return e->code == ERROR_TIME || e->code == ERROR_CANCELLED;
}

static void ponder(struct search *s)
{
    if (s->watch > 0) { /* who plays with people waits with them */
        s->idle = true;
        return;
    }
    struct budget b = {.stop = &s->inbox->stop};
    struct error error = {0};
    if (player_solo(s->player)) b.deadline = clock_now() + LINE_SLICE; /* what is found is told soon */
    /* On the start clock, once the circuit is there, the player may look for the way that suits the game. */
    bool begins = s->settled && s->turn == 0 && s->start > clock_now() && !player_solo(s->player);
    if (begins) b.deadline = s->start, b.move = s->play_clock;
    bool good = begins ? player_start(s->player, &b, &error) : player_ponder(s->player, &b, &error);
    tell_line(s);
    s->pondered += player_report(s->player)->stats.simulations;
    if (!good && !hurried(&error) && error.code != ERROR_INPUT) inbox_lost(s->inbox, error.text);
    /* It ended by itself: the game is over, or the search has nothing more to find. */
    s->idle = !atomic_load(&s->inbox->stop) && (b.deadline <= 0 || clock_now() < b.deadline - ENOUGH);
}

static void think(struct search *s)
{
    double now = clock_now(), left = s->due - now, slice = fmax(SHORTEST_SLICE, left / 8);
    if (s->watch > 0) slice = s->best ? s->watch : fmin(s->watch, FIRST_SLICE * left);
    if (s->slow || left - slice < ENOUGH) slice = left;
    struct budget b = {.deadline = now + slice, .stop = &s->inbox->stop};
    struct error error = {0};
    uint32_t move;
    bool good = player_think(s->player, &b, &move, &error);
    const struct player_report *r = player_report(s->player);
    s->simulations += r->stats.simulations;
    s->seconds += clock_now() - now;
    s->trouble = good ? r->trouble : error;
    if (!good && !hurried(&error)) inbox_lost(s->inbox, error.text);
    tell_line(s);
    if (atomic_load(&s->inbox->stop)) return; /* somebody wants something else */
    bool guess = hurried(&s->trouble), over = clock_now() > s->due - ENOUGH;
    /* Who comes back long before time is up knows: a move without a search, or a game that was solved. */
    bool certain = good && !s->trouble.code && clock_now() < now + slice / 2;
    s->slow |= guess;
    struct mcts *m = player_search(s->player);
    if (good && s->view != s->role && !(m && mcts_best(m, s->view, &move))) return;
    if (good) tell_best(s, move_text(s, move), guess);
    if (over || certain)
        tell_move(s);
    else if (s->watch > 0)
        tell_thoughts(s);
    /* A search that fails at once need not do so all the time. */
    if (s->asked && s->trouble.code && !guess)
        clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* Called by the thread that listens: the circuit is there, and the search should move to it. */
static bool engine_news(void *data)
{
    struct search *s = data;
    if (s->settled || !s->engine || engine_poll(s->engine) == ENGINE_WORKING) return false;
    return s->settled = true;
}

/* ---- orders ---- */

/* Nobody waits any longer: what was thought counts as beforehand for the next turn. */
static void rest(struct search *s)
{
    s->pondered += s->simulations;
    s->simulations = 0;
    s->seconds = 0;
    s->asked = false;
}

static void on_follow(struct search *s, struct order *l)
{
    char *head = order_line(l), *end = head, *line = NULL;
    uint32_t first = head ? (uint32_t)strtoul(end, &end, 10) : 0, joint[MCTS_MAX_ROLES];
    uint32_t count = head ? (uint32_t)strtoul(end, &end, 10) : 0, n = s->game->nroles;
    struct error error;
    if (first != s->turn) inbox_lost(s->inbox, "a turn is missing");
    for (uint32_t i = 0; i < count; i++, s->turn++) {
        struct reasoner *r = player_reasoner(s->player);
        for (uint32_t k = 0; k < n; k++)
            if (!(line = order_line(l)) || !reasoner_read_move(r, k, line, &joint[k]))
                inbox_lost(s->inbox, line ? r->error.text : "a move is missing");
        if (!player_advance(s->player, r, joint, &error)) inbox_lost(s->inbox, error.text);
    }
    rest(s);
    free(s->best);
    s->best = NULL;
    s->idle = s->slow = false;
}

/* Back to the beginning; what the tree knows stays. */
static void on_again(struct search *s)
{
    struct reasoner *r = player_reasoner(s->player);
    struct state initial = {0};
    struct error error = {0};
    bool good = r->ops->initial(r, &initial);
    if (!good) error = r->error;
    good = good && player_goto(s->player, r, &initial, &error);
    state_done(&initial);
    if (!good) inbox_lost(s->inbox, error.text);
    s->turn = 0;
    rest(s);
    free(s->best);
    s->best = NULL;
    s->slow = false;
}

static void on_tree(struct search *s, struct order *l)
{
    struct error error = {0};
    char *id = order_line(l), *path = order_line(l);
    json_t *node = branch_json(s->player, path ? path : "", &error);
    json_t *m = json_pack("{s:s, s:s, s:i}", "type", "tree", "id", id ? id : "", "turn", (int)s->turn);
    if (node)
        json_object_set_new(m, "node", node);
    else
        json_object_set_new(m, "why", json_string(error.text));
    inbox_send(s->inbox, m);
}

/* What an earlier process of this match found out. It comes before anything is followed. */
static void on_line(struct search *s, struct order *l)
{
    char *head = order_line(l), *end = head, *text;
    int goal = head ? (int)strtol(end, &end, 10) : -1;
    uint32_t n = head ? (uint32_t)strtoul(end, &end, 10) : 0, read = 0;
    struct reasoner *r = player_reasoner(s->player);
    uint32_t *moves = n < 1u << 20 ? malloc((n + 1) * sizeof *moves) : NULL;
    while (moves && read < n && (text = order_line(l)) && reasoner_read_move(r, 0, text, &moves[read]))
        read++;
    if (player_solo(s->player) && moves && n && read == n)
        solo_offer(player_solo(s->player), goal, moves, n, "an earlier process");
    free(moves);
}

static void on_order(struct search *s, struct order *l)
{
    if (strcmp(l->verb, "follow") == 0) {
        on_follow(s, l);
    } else if (strcmp(l->verb, "line") == 0) {
        on_line(s, l);
    } else if (strcmp(l->verb, "think") == 0) {
        char *head = order_line(l), *end = head;
        if (!head || strtoul(end, &end, 10) != s->turn) inbox_lost(s->inbox, "asked about another turn");
        s->due = strtod(end, &end);
        s->view = *end == ' ' ? (uint32_t)strtoul(end, NULL, 10) : s->role;
        if (s->view >= s->game->nroles || (s->view != s->role && s->config.kind != PLAYER_SEARCH))
            s->view = s->role;
        s->asked = true;
        s->idle = false;
    } else if (strcmp(l->verb, "prepare") == 0) {
        char *head = order_line(l);
        s->start = head ? strtod(head, NULL) : 0;
    } else if (strcmp(l->verb, "rest") == 0) {
        rest(s);
        inbox_send(s->inbox, json_pack("{s:s}", "type", "resting")); /* a sign of life */
    } else if (strcmp(l->verb, "watch") == 0) {
        char *head = order_line(l);
        s->watch = head ? strtod(head, NULL) : 0;
        s->idle = s->watch > 0;
    } else if (strcmp(l->verb, "again") == 0) {
        on_again(s);
    } else if (strcmp(l->verb, "tree") == 0) {
        on_tree(s, l);
    }
}

static bool set_up(struct search *s, const struct assignment *a, struct error *error)
{
    size_t memory = (size_t)a->megabytes << 20;
    if (!player_config_parse(a->player, &s->config, error)) return false;
    if (!s->config.memory) s->config.memory = (int64_t)(a->megabytes / 2);
    s->play_clock = a->seconds;
    s->config.forced = true; /* when only the others have a choice, theirs is worth thinking about */
    s->game = game_from_text("match", a->rules, a->rules_size, memory / 4, NULL, error);
    if (!s->game) return false;
    int role = game_role(s->game, a->role);
    if (role < 0) return error_set(error, ERROR_INPUT, "the rules know no role '%.100s'", a->role);
    s->role = s->view = (uint32_t)role;
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
    struct search s = {.inbox = b, .line_goal = -1};
    struct error error;
    if (!set_up(&s, a, &error)) {
        inbox_refuse(b, &error);
        return;
    }
    inbox_send(b, json_pack("{s:s}", "type", "here"));
    inbox_watch(b, engine_news, &s);
    for (;;) {
        struct order *l = inbox_take(b, s.idle);
        if (l)
            on_order(&s, l);
        else if (s.asked)
            think(&s);
        else
            ponder(&s);
        free(l);
    }
}
