// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens think: search one position and print the table of moves. */
#include "cli/board.h"
#include "cli/position.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "player/thoughts.h"

#include <string.h>

struct think_options {
    const char *at, *player, *role, *engine;
    struct option_list moves;
    struct match_budget budget;
    uint64_t seed;
    bool json;
};

/* The role asked for, or the first with a choice. */
static bool choose_role(struct reasoner *r, const struct state *s, const char *name, uint32_t *role,
                        struct error *error)
{
    bool terminal;
    if (!r->ops->terminal(r, s, &terminal)) return *error = r->error, false;
    if (terminal) return error_set(error, ERROR_INPUT, "the game is over in this position");
    if (name) return (*role = role_by_name(r->game, name, strlen(name), error)) != UINT32_MAX;
    struct list legal = {0};
    bool found = false;
    for (*role = 0; *role < r->game->nroles; ++*role) {
        legal.n = 0;
        if (r->ops->legal(r, s, *role, &legal) && legal.n > 1) {
            found = true;
            break;
        }
    }
    if (!found) *role = 0;
    list_done(&legal);
    return true;
}

static bool think(struct table *t, const struct think_options *o, struct error *error)
{
    struct reasoner *r = t->session.reasoner;
    struct state state = {0};
    struct player_config config;
    struct player *player = NULL;
    uint32_t role = 0, move = 0;
    bool ok = player_config_parse(o->player, &config, error) &&
              (config.kind == PLAYER_SEARCH ||
               error_set(error, ERROR_INPUT,
                         "'%s' does not search, so there is nothing to show; `ludens players` lists others",
                         o->player)) &&
              position_reach(r, &state, o->at, &o->moves, error) &&
              choose_role(r, &state, o->role, &role, error);
    config.forced = true;
    ok = ok && (player = player_new(&config, t->session.game, t->engine, role, o->seed, error)) &&
         player_goto(player, r, &state, error);
    struct budget start = match_budget_now(&o->budget, true, &terminal_interrupted);
    if (ok && (start.deadline > 0 || budget_counts(&start))) ok = player_ponder(player, &start, error);
    struct budget b = match_budget_now(&o->budget, false, &terminal_interrupted);
    ok = ok && player_think(player, &b, &move, error);
    if (ok && o->json) {
        json_t *out = thoughts_json(player, role);
        struct heap *heap = heap_new(0);
        struct heap_guard guard;
        if (out && heap && HEAP_ENTER(heap, &guard, error)) {
            struct text text;
            text_init(&text, heap);
            reasoner_print_move(player_reasoner(player), role, move, false, &text);
            json_object_set_new(out, "role", json_string(t->session.game->role_names[role]));
            json_object_set_new(out, "best", json_string(text_str(&text)));
            json_dumpf(out, stdout, JSON_INDENT(2));
            putchar('\n');
            heap_leave(heap);
        }
        heap_free(heap);
        json_decref(out);
    } else if (ok) {
        struct board_style style = board_style_for(stdout);
        struct analysis_options sample = {.games = 10, .states = 2000, .seconds = 1, .seed = 1};
        struct analysis *a = analysis_new(r, &sample, error);
        if (a) board_draw(stdout, &style, a, r, &state, NULL, error);
        analysis_free(a);
        putchar('\n');
        char name[300];
        snprintf(name, sizeof name, "%s (%s)", t->session.game->role_names[role], o->player);
        thoughts_print(stdout, player, role, name, 1000);
    }
    player_free(player);
    state_done(&state);
    return ok;
}

int cmd_think(int argc, char **argv)
{
    struct think_options o = {.player = "champion", .engine = "auto", .budget = {.seconds = 1}, .seed = 1};
    const struct option table[] = {
        {"player", 'p', OPTION_STRING, &o.player, .value = "PLAYER", .help = "who thinks"},
        {"role", 'r', OPTION_STRING, &o.role, .value = "ROLE",
         .help = "for whom; otherwise the first role with a choice"},
        POSITION_OPTIONS(o.moves, o.at),
        BUDGET_OPTIONS(o.budget),
        {"seed", 0, OPTION_SEED, &o.seed, .value = "N", .help = "seed of the random numbers"},
        {"json", 'j', OPTION_FLAG, &o.json, .help = "print JSON"},
        ENGINE_OPTION(&o.engine),
        {0}};
    int operands, status;
    if (!command_begin("think GAME [OPTION...]",
                       "Search one position and show what the search thinks of the moves.", table, 1, 1, argc,
                       argv, &operands, &status))
        return status;
    struct table t;
    struct error error = {0};
    budget_settle(&o.budget);
    if (!table_open(&t, argv[0], argv[1], o.engine, 2, &status)) return status;
    terminal_catch_interrupt();
    status = think(&t, &o, &error) ? EXIT_YES : command_trouble(argv[0], &error);
    table_close(&t);
    return status;
}
