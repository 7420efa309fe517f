// SPDX-License-Identifier: GPL-3.0-or-later
/* The referee: follows a game for all roles and shows it. It keeps every state, so that any turn can be shown
 * and taken back to. */
#include "base/clock.h"
#include "base/rng.h"
#include "match/record.h"
#include "web/stage.h"
#include "web/worker.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_GAME 5000 /* steps; states are kept */

struct referee {
    struct inbox *inbox;
    struct stage stage;
    struct state *states; /* by turn, 0..turn */
    uint32_t turn, cap;
    uint32_t *joint; /* scratch, by role */
};

static void send_trouble(struct referee *f, const char *id, const struct error *why)
{
    inbox_send(f->inbox, json_pack("{s:s, s:s, s:i, s:s}", "type", "trouble", "id", id, "turn", (int)f->turn,
                                   "why", why->text));
}

/* The position of a turn; NULL and an error if the rules do not tell. */
static json_t *position(struct referee *f, uint32_t turn, struct error *error)
{
    json_t *p = stage_position(&f->stage, &f->states[turn], turn ? &f->states[turn - 1] : NULL, error);
    if (p) json_object_set_new(p, "turn", json_integer(turn));
    return p;
}

static void send_position(struct referee *f, const char *type, const char *id, uint32_t turn)
{
    struct error error = {0};
    json_t *p = position(f, turn, &error);
    if (!p) {
        send_trouble(f, id, &error);
        return;
    }
    json_object_set_new(p, "type", json_string(type));
    json_object_set_new(p, "id", json_string(id));
    inbox_send(f->inbox, p);
}

/* ---- following */

static bool make_room(struct referee *f, struct error *error)
{
    if (f->turn + 1 >= LONGEST_GAME)
        return error_set(error, ERROR_INPUT, "games of more than %d steps are too long to show",
                         LONGEST_GAME);
    if (f->turn + 2 <= f->cap) return true;
    uint32_t cap = f->cap ? f->cap * 2 : 64;
    struct state *states = realloc(f->states, cap * sizeof *states);
    if (!states) return error_set(error, ERROR_MEMORY, "out of memory");
    memset(states + f->cap, 0, (cap - f->cap) * sizeof *states);
    f->states = states;
    f->cap = cap;
    return true;
}

static bool is_legal(struct reasoner *r, struct list *legal, const struct state *s, uint32_t role,
                     uint32_t move, struct error *error)
{
    if (!r->ops->legal(r, s, role, legal)) return *error = r->error, false;
    for (uint32_t i = 0; i < legal->n; i++)
        if (legal->v[i] == move) return true;
    return error_set(error, ERROR_INPUT, "this is not legal for %.100s now", r->game->role_names[role]);
}

/* The joint move of these texts from a state into another. */
static bool step(struct referee *f, const struct state *from, char *const *moves, struct state *to,
                 struct error *error)
{
    struct reasoner *r = f->stage.reasoner;
    bool terminal;
    if (!r->ops->terminal(r, from, &terminal)) return *error = r->error, false;
    if (terminal) return error_set(error, ERROR_INPUT, "the game is over");
    for (uint32_t i = 0; i < f->stage.game->nroles; i++) {
        if (!reasoner_read_move(r, i, moves[i], &f->joint[i])) return *error = r->error, false;
        if (!is_legal(r, &f->stage.legal[i], from, i, f->joint[i], error))
            return error_prefix(error, "%.200s", moves[i]);
    }
    if (!r->ops->next(r, from, f->joint, to)) return *error = r->error, false;
    return true;
}

static bool advance(struct referee *f, char *const *moves, struct error *error)
{
    if (!make_room(f, error) || !step(f, &f->states[f->turn], moves, &f->states[f->turn + 1], error))
        return false;
    f->turn++;
    return true;
}

/* The lines left of an order. */
static char **take_lines(struct order *l, uint32_t *n)
{
    char **lines = malloc((l->size / 2 + 2) * sizeof *lines), *line;
    *n = 0;
    while (lines && (line = order_line(l))) lines[(*n)++] = line;
    return lines;
}

static void on_follow(struct referee *f, struct order *l)
{
    char *head = order_line(l), *end = head;
    uint32_t first = head ? (uint32_t)strtoul(end, &end, 10) : 0, lines;
    uint32_t count = head ? (uint32_t)strtoul(end, &end, 10) : 0, width = f->stage.game->nroles;
    char **moves = take_lines(l, &lines);
    struct error error = {0};
    if (!moves || first > f->turn || lines < count * width) {
        free(moves);
        return;
    }
    f->turn = first;
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) good = advance(f, moves + (size_t)i * width, &error);
    free(moves);
    if (good)
        send_position(f, "position", "", f->turn);
    else
        inbox_send(f->inbox,
                   json_pack("{s:s, s:i, s:s}", "type", "illegal", "turn", (int)f->turn, "why", error.text));
}

static void on_show(struct referee *f, struct order *l)
{
    char *head = order_line(l), *id = strsep(&head, " "), *turn = strsep(&head, " ");
    uint32_t n = turn ? (uint32_t)strtoul(turn, NULL, 10) : 0;
    if (id) send_position(f, "shown", id, n <= f->turn ? n : f->turn);
}

/* Positions along a line that nobody has played: drawn, without their legal moves. */
static void on_line(struct referee *f, struct order *l)
{
    char *head = order_line(l), *id = strsep(&head, " "), *turn = strsep(&head, " "), *n = strsep(&head, " ");
    uint32_t at = turn ? (uint32_t)strtoul(turn, NULL, 10) : 0, lines, width = f->stage.game->nroles;
    uint32_t count = n ? (uint32_t)strtoul(n, NULL, 10) : 0;
    char **moves = take_lines(l, &lines);
    struct state here = {0}, there = {0};
    struct error error = {0};
    json_t *list = json_array();
    bool good = id && moves && at <= f->turn && lines >= count * width && state_copy(&here, &f->states[at]);
    for (uint32_t i = 0; i < count && good && step(f, &here, moves + (size_t)i * width, &there, &error);
         i++) {
        json_t *p = stage_position(&f->stage, &there, &here, &error);
        if (!p) break;
        json_object_del(p, "legal");
        json_array_append_new(list, p);
        struct state swap = here;
        here = there;
        there = swap;
    }
    inbox_send(f->inbox, json_pack("{s:s, s:s, s:o}", "type", "line", "id", id ? id : "", "positions", list));
    state_done(&here);
    state_done(&there);
    free(moves);
}

/* ---- at random */

static bool random_step(struct referee *f, struct rng *rng, json_t *moves, bool *over, struct error *error)
{
    struct reasoner *r = f->stage.reasoner;
    const struct state *s = &f->states[f->turn];
    json_t *joint;
    if (!r->ops->terminal(r, s, over)) return *error = r->error, false;
    if (*over) return true;
    if (!make_room(f, error)) return false;
    joint = json_array();
    s = &f->states[f->turn];
    for (uint32_t i = 0; i < f->stage.game->nroles; i++) {
        struct list *legal = &f->stage.legal[i];
        bool good = r->ops->legal(r, s, i, legal);
        if (!good || legal->n == 0) {
            json_decref(joint);
            if (!good) return *error = r->error, false;
            return error_set(error, ERROR_INPUT,
                             "%.100s has no legal move after %u steps, but the game is not over",
                             f->stage.game->role_names[i], f->turn);
        }
        f->joint[i] = legal->v[rng_below(rng, legal->n)];
        json_array_append_new(joint, stage_move(&f->stage, i, f->joint[i]));
    }
    json_array_append_new(moves, joint);
    if (!r->ops->next(r, s, f->joint, &f->states[f->turn + 1])) return *error = r->error, false;
    f->turn++;
    return true;
}

static void on_random(struct referee *f, struct order *l)
{
    char *head = order_line(l), *id = strsep(&head, " "), *seed = strsep(&head, " "), *n = strsep(&head, " ");
    uint32_t steps = n ? (uint32_t)strtoul(n, NULL, 10) : 0;
    struct rng rng;
    struct error error = {0};
    json_t *moves = json_array();
    double deadline = clock_now() + 5;
    bool over = false, good = true;
    if (!id) return json_decref(moves);
    rng_init(&rng, seed ? strtoull(seed, NULL, 10) : 1);
    for (uint32_t i = 0; i < steps && !over && good && clock_now() < deadline; i++)
        good = random_step(f, &rng, moves, &over, &error);
    inbox_send(f->inbox, json_pack("{s:s, s:s, s:o, s:i}", "type", "random", "id", id, "moves", moves, "turn",
                                   (int)f->turn));
    if (good)
        send_position(f, "position", "", f->turn);
    else
        send_trouble(f, "", &error);
}

/* ---- setting up */

static json_t *thoughts_of(const struct record *r)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->nsteps; i++) {
        json_t *step = json_array();
        for (uint32_t k = 0; k < r->nroles; k++) {
            const struct match_search *s = r->steps[i].search ? &r->steps[i].search[k] : NULL;
            json_array_append_new(step, s && s->simulations
                                            ? json_pack("{s:I, s:i, s:f}", "simulations",
                                                        (json_int_t)s->simulations, "nodes", (int)s->nodes,
                                                        "value", (double)s->value)
                                            : json_null());
        }
        json_array_append_new(list, step);
    }
    return list;
}

static json_t *moves_of(const struct record *r)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->nsteps; i++) {
        json_t *joint = json_array();
        for (uint32_t k = 0; k < r->nroles; k++)
            json_array_append_new(joint, json_string(r->steps[i].moves[k]));
        json_array_append_new(list, joint);
    }
    return list;
}

static json_t *record_json(const struct record *r, bool same)
{
    json_t *players = json_array(), *rewards = json_array();
    for (uint32_t k = 0; k < r->nroles; k++) {
        json_array_append_new(players, json_string(r->players && r->players[k] ? r->players[k] : ""));
        json_array_append_new(rewards, !r->rewards || r->rewards[k] == GOAL_UNDEFINED
                                           ? json_null()
                                           : json_integer(r->rewards[k]));
    }
    return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "match", r->match, "date", r->date, "same_rules",
                     same, "players", players, "rewards", rewards, "moves", moves_of(r), "thoughts",
                     thoughts_of(r));
}

/* Make the recorded moves, as far as they are legal. */
static void follow_record(struct referee *f, const struct record *r, struct error *error)
{
    bool good = true;
    for (uint32_t i = 0; i < r->nsteps && good; i++)
        good = advance(f, (char *const *)r->steps[i].moves, error);
}

static struct game *game_of(const struct assignment *a, struct record **record, bool *same,
                            struct error *error)
{
    size_t memory = (size_t)a->megabytes << 20;
    if (strcmp(a->player, "record") != 0)
        return game_from_text(a->role, a->rules, a->rules_size, memory / 4, NULL, error);
    *record = record_parse(a->role, a->rules, a->rules_size, error);
    return *record ? record_game(*record, NULL, same, error) : NULL;
}

static bool set_up(struct referee *f, const struct assignment *a, struct error *error)
{
    struct record *record = NULL;
    bool same = true;
    struct game *game = game_of(a, &record, &same, error);
    bool good = game && stage_open(&f->stage, game, (size_t)a->megabytes << 20, error) && make_room(f, error);
    if (good && !f->stage.reasoner->ops->initial(f->stage.reasoner, &f->states[0])) {
        *error = f->stage.reasoner->error;
        good = false;
    }
    f->joint = good ? calloc(game->nroles, sizeof *f->joint) : NULL;
    if (good && !f->joint) good = error_set(error, ERROR_MEMORY, "out of memory");
    if (good) {
        struct error fault = {0};
        if (record) follow_record(f, record, &fault);
        json_t *m = stage_game(&f->stage);
        json_object_set_new(m, "type", json_string("game"));
        json_object_set_new(m, "turn", json_integer(f->turn));
        if (record) {
            json_object_set_new(m, "record", record_json(record, same));
            json_object_set_new(m, "rules", json_stringn(game->source->text, game->source->size));
            if (*record->game) json_object_set_new(m, "name", json_string(record->game));
        }
        if (fault.code) json_object_set_new(m, "fault", json_string(fault.text));
        inbox_send(f->inbox, m);
    }
    record_free(record);
    return good;
}

void referee_run(struct inbox *b, const struct assignment *a)
{
    struct referee f = {.inbox = b};
    struct error error = {0};
    if (!set_up(&f, a, &error)) {
        error.code = ERROR_INPUT; /* another one would not fare better */
        inbox_refuse(b, &error);
        return;
    }
    send_position(&f, "position", "", f.turn);
    for (;;) {
        struct order *l = inbox_take(b, true);
        if (!l) continue;
        if (strcmp(l->verb, "follow") == 0) on_follow(&f, l);
        if (strcmp(l->verb, "show") == 0) on_show(&f, l);
        if (strcmp(l->verb, "line") == 0) on_line(&f, l);
        if (strcmp(l->verb, "random") == 0) on_random(&f, l);
        free(l);
    }
}
