// SPDX-License-Identifier: GPL-3.0-or-later
/* Searches as it is ordered (alliance.h) and tells several times a second what it knows of the moves. */
#include "cluster/ally.h"

#include "base/clock.h"
#include "cluster/rank.h"
#include "cluster/tally.h"
#include "player/player.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLICE 0.2 /* seconds between two reports */

struct ally {
    struct inbox *inbox;
    struct game *game;
    struct engine *engine;
    struct player *player;
    struct player_config config;
    struct rank rank;
    struct tally_names names;
    uint32_t order, serial;
    bool busy;
    double due;           /* 0: until told otherwise */
    struct budget counts; /* the part that is ours, in counts */
    struct mcts_stats spent;
};

static void report(struct ally *a, bool final)
{
    struct mcts *m = player_search(a->player);
    struct tally_head head = {.serial = a->serial,
                              .order = a->order,
                              .final = final,
                              .nodes = player_report(a->player)->nodes,
                              .stats = a->spent};
    size_t size;
    if (!m || !tally_name(&a->names, m)) return;
    char *bytes = tally_write(m, &a->names, &head, &size);
    if (bytes) inbox_send_bytes(a->inbox, bytes, size);
    free(bytes);
}

/* By the clock in slices; what is counted at one go, as it would be on a thread of the player. */
static void work(struct ally *a)
{
    bool counted = budget_counts(&a->counts);
    struct budget b = a->counts;
    struct error error = {0};
    double now = clock_now();
    b.stop = &a->inbox->stop;
    b.deadline = a->due;
    if (!counted && (a->due <= 0 || now + SLICE < a->due)) b.deadline = now + SLICE;
    bool good = player_ponder(a->player, &b, &error);
    if (good) mcts_add_stats(&a->spent, &player_report(a->player)->stats);
    bool stopped = atomic_load(&a->inbox->stop), over = a->due > 0 && clock_now() >= a->due;
    /* it ended by itself: the game is over, or nothing is left to find */
    bool idle = !counted && clock_now() < b.deadline - 0.01;
    bool final = !stopped && (counted || over || idle);
    a->busy = stopped || !final;
    if (good) report(a, final);
    if (!good && !stopped && error.code != ERROR_TIME) a->busy = false;
}

/* ---- orders ---- */

static bool read_state(struct ally *a, struct order *l, struct state *out, struct error *error)
{
    struct reasoner *r = player_reasoner(a->player);
    struct list facts = {0};
    bool good = true;
    for (char *line; good && (line = order_line(l));) {
        term fact = term_read(r->terms, line, strlen(line), &r->error);
        good = fact && list_push(&facts, fact);
    }
    good = good && r->ops->assemble(r, facts.v, facts.n, out);
    if (!good) *error = r->error;
    list_done(&facts);
    return good;
}

static void on_think(struct ally *a, struct order *l)
{
    char *head = order_line(l), *end = head;
    struct error error = {0};
    struct state state = {0};
    if (!head) return;
    uint32_t order = (uint32_t)strtoul(end, &end, 10), serial = (uint32_t)strtoul(end, &end, 10);
    uint32_t plies = (uint32_t)strtoul(end, &end, 10), parts = (uint32_t)strtoul(end, &end, 10);
    double seconds = strtod(end, &end);
    uint64_t sims = strtoull(end, &end, 10), steps = strtoull(end, &end, 10);
    uint64_t expansions = strtoull(end, &end, 10);
    uint32_t i = a->rank.number;
    if (i >= parts) return;
    if (serial != a->serial) {
        bool good = read_state(a, l, &state, &error) &&
                    player_goto(a->player, player_reasoner(a->player), &state, &error);
        state_done(&state);
        if (!good) inbox_lost(a->inbox, error.text);
        player_moved(a->player, plies);
    }
    a->order = order;
    a->serial = serial;
    a->due = seconds > 0 ? clock_now() + seconds : 0;
    a->counts = (struct budget){.simulations = budget_part(sims, i, parts),
                                .steps = budget_part(steps, i, parts),
                                .expansions = budget_part(expansions, i, parts)};
    a->spent = (struct mcts_stats){0};
    a->busy = true;
}

static bool set_up(struct ally *a, const struct assignment *as, struct error *error)
{
    size_t memory = (size_t)as->megabytes << 20;
    if (!rank_find(&a->rank)) return error_set(error, ERROR_SYSTEM, "this is no process of an MPI job");
    if (!player_config_parse(as->player, &a->config, error)) return false;
    if (!a->config.memory) a->config.memory = (int64_t)(as->megabytes / 2);
    a->game = game_from_text("match", as->rules, as->rules_size, memory / 4, NULL, error);
    int role = a->game ? game_role(a->game, as->role) : -1;
    if (!a->game) return false;
    if (role < 0) return error_set(error, ERROR_INPUT, "the rules know no role '%.100s'", as->role);
    struct ground_limits limits = {.bytes = memory / 4};
    a->engine = engine_start(a->game, &limits, error); /* without one the lifted engine plays on */
    a->player = player_new(&a->config, a->game, a->engine, (uint32_t)role, as->seed, error);
    if (a->player) player_diverge(a->player, a->rank.number, rank_cores(&a->rank));
    return a->player != NULL;
}

void ally_run(struct inbox *b, const struct assignment *as)
{
    struct ally a = {.inbox = b};
    struct error error;
    if (!set_up(&a, as, &error)) {
        fprintf(stderr, "ludens, rank %u: cannot search: %s\n", a.rank.number, error.text);
        inbox_refuse(b, &error);
        return;
    }
    for (;;) {
        struct order *l = inbox_take(b, !a.busy);
        if (!l && a.busy)
            work(&a);
        else if (l && strcmp(l->verb, "think") == 0)
            on_think(&a, l);
        else if (l && strcmp(l->verb, "rest") == 0)
            a.busy = false;
        free(l);
    }
}
