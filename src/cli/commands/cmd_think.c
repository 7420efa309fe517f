// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens think: search one position and print the table of moves. */
#include "analysis/draw.h"
#include "cli/commands/think_gpu.h"
#include "cli/position.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "player/thoughts.h"

#include <stdlib.h>
#include <string.h>

struct think_options {
    const char *player, *role, *engine, *device;
    struct position_options position;
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
        if ((int)*role == r->game->chance) continue; /* it does not think */
        r->ops->legal(r, s, *role, &legal);          /* those found in time will do */
        if (legal.n > 1) {
            found = true;
            break;
        }
    }
    if (!found) *role = r->game->chance == 0;
    list_done(&legal);
    return true;
}

/* The move in words; NULL and an error without memory. The caller frees it. */
static char *move_name(struct player *p, uint32_t role, uint32_t move, struct error *error)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    char *volatile out = NULL;
    error_set(error, ERROR_MEMORY, "out of memory");
    if (heap && HEAP_ENTER(heap, &guard, error)) {
        struct text text;
        text_init(&text, heap);
        reasoner_print_move(player_reasoner(p), role, move, false, &text);
        out = strdup(text_str(&text));
        heap_leave(heap);
    }
    heap_free(heap);
    return out;
}

static bool show_json(struct table *t, struct player *p, uint32_t role, uint32_t move, struct error *error)
{
    char *best = move_name(p, role, move, error);
    json_t *out = best ? thoughts_json(p, role) : NULL;
    const struct error *trouble = &player_report(p)->trouble;
    bool good = out && !json_object_set_new(out, "role", json_string(t->session.game->role_names[role])) &&
                !json_object_set_new(out, "best", json_string(best)) &&
                (!trouble->code || !json_object_set_new(out, "trouble", json_string(trouble->text))) &&
                !json_dumpf(out, stdout, JSON_INDENT(2));
    if (good) putchar('\n');
    json_decref(out);
    free(best);
    return good;
}

static bool show_board(struct table *t, const struct state *state, struct error *error)
{
    struct board_style style = terminal_style(stdout);
    struct analysis_options sample = {
        .games = 10, .states = 2000, .seconds = 1, .seed = 1, .cancel = &terminal_interrupted};
    struct analysis *a = analysis_new(t->session.reasoner, &sample, error);
    bool good = a && board_draw(stdout, &style, a, t->session.reasoner, state, NULL, error);
    analysis_free(a);
    if (good) putchar('\n');
    /* Rules that are too slow to look at the game may have been fast enough for a move. */
    if (!good && (error->code == ERROR_TIME || error->code == ERROR_MEMORY)) {
        fprintf(stderr, "ludens think: the position cannot be drawn: %s\n", error->text);
        error_clear(error);
        good = true;
    }
    return good;
}

static bool show_text(struct table *t, const struct think_options *o, struct player *p, uint32_t role,
                      uint32_t move, struct error *error)
{
    const char *who = t->session.game->role_names[role];
    char name[300], *best = move_name(p, role, move, error);
    if (!best) return false;
    snprintf(name, sizeof name, "%s (%s)", who, o->player);
    thoughts_print(stdout, p, role, name, 1000);
    printf("%s plays %s\n", who, best);
    free(best);
    return true;
}

static bool think(struct table *t, const struct think_options *o, struct error *error)
{
    struct reasoner *r = t->session.reasoner;
    struct state state = {0};
    struct player_config config;
    struct player *player = NULL;
    uint32_t role = 0, move = 0;
    /* The clock runs for all questions, not only for the search's. */
    r->deadline = o->budget.seconds > 0 ? clock_now() + o->budget.seconds : 0;
    r->cancel = &terminal_interrupted;
    bool ok = player_config_parse(o->player, &config, error) &&
              (config.kind == PLAYER_SEARCH || config.kind == PLAYER_MINIMAX ||
               error_set(error, ERROR_INPUT,
                         "'%s' does not search, so there is nothing to show; `ludens players` lists others",
                         o->player)) &&
              position_reach(r, &o->position, &state, NULL, error) &&
              choose_role(r, &state, o->role, &role, error);
    config.forced = true;
    ok = ok && (player = player_new(&config, t->session.game, t->engine, role, o->seed, error)) &&
         player_goto(player, r, &state, error);
    struct budget start = match_budget_now(&o->budget, true, &terminal_interrupted);
    if (ok && (start.deadline > 0 || budget_counts(&start))) ok = player_start(player, &start, error);
    struct budget b = match_budget_now(&o->budget, false, &terminal_interrupted);
    ok = ok && player_think(player, &b, &move, error);
    r->deadline = 0;
    ok = ok && (o->json ? show_json(t, player, role, move, error)
                        : show_board(t, &state, error) && show_text(t, o, player, role, move, error));
    player_free(player);
    state_done(&state);
    return ok;
}

/* Flat Monte Carlo, if there is a GPU and it can; *done says whether anything is left to do for the player.
 */
static bool think_on_gpu(struct table *t, const struct think_options *o, const char *command, bool *done,
                         struct error *error)
{
    bool circuit = t->engine && engine_wait(t->engine, -1) == ENGINE_READY;
    struct gpu *gpu = circuit ? device_open(command) : NULL;
    struct state state = {0}, seen = {0};
    uint32_t role = 0;
    *done = false;
    if (!circuit)
        fprintf(stderr,
                "ludens %s: a GPU needs the circuit, and this game has none; going on with the processor\n",
                command);
    if (!gpu) return true;
    struct think_gpu_options options = {.seconds = o->budget.seconds,
                                        .simulations = (uint64_t)o->budget.simulations,
                                        .seed = o->seed,
                                        .json = o->json};
    struct reasoner *r = reasoner_circuit(t->session.game, engine_code(t->engine), error);
    bool asked = r && position_reach(r, &o->position, &state, NULL, error) &&
                 position_reach(t->session.reasoner, &o->position, &seen, NULL, error) &&
                 choose_role(r, &state, o->role, &role, error) && (o->json || show_board(t, &seen, error));
    bool good = asked && think_gpu(gpu, r, &state, role, &options, &terminal_interrupted, error);
    *done = good || !asked || error->code == ERROR_CANCELLED || error->code == ERROR_INPUT;
    if (!*done) fprintf(stderr, "ludens %s: %s; going on with the processor\n", command, error->text);
    if (r) reasoner_free(r);
    state_done(&state);
    state_done(&seen);
    gpu_close(gpu);
    return good || !*done;
}

int cmd_think(int argc, char **argv)
{
    struct think_options o = {.player = "champion",
                              .engine = "auto",
                              .device = "cpu",
                              .budget = {.seconds = 1},
                              .seed = 1,
                              .position.ply = -1};
    const struct option table[] = {
        {"player", 'p', OPTION_STRING, &o.player, .value = "PLAYER", .help = "who thinks"},
        {"role", 0, OPTION_STRING, &o.role, .value = "ROLE",
         .help = "for whom; otherwise the first role with a choice"},
        POSITION_OPTIONS(o.position),
        {"state", 0, OPTION_STRING, &o.position.state, .value = "FACTS",
         .help = "where these are true, and nothing else: \"(cell 1 1 x) (control oplayer)\""},
        BUDGET_OPTIONS(o.budget),
        {"seed", 0, OPTION_SEED, &o.seed, .value = "N", .help = "seed of the random numbers"},
        {"json", 'j', OPTION_FLAG, &o.json, .help = "print JSON"},
        ENGINE_OPTION(&o.engine),
        DEVICE_OPTION(&o.device,
                      "gpu: no player, but flat Monte Carlo: random games after each move, on a GPU"),
        {0}};
    int operands, status;
    if (!command_begin("think GAME [OPTION...]",
                       "Search one position and show what the search thinks of the moves.", table, 1, 1, argc,
                       argv, &operands, &status))
        return status;
    struct table t;
    struct error error = {0};
    budget_settle(&o.budget);
    double wait = o.budget.seconds > 0 && o.budget.seconds < 2 ? o.budget.seconds : 2;
    if (!table_open(&t, argv[0], argv[1], o.engine, wait, &status)) return status;
    terminal_catch_interrupt();
    bool done = false, good = true;
    if (strcmp(o.device, "gpu") == 0) good = think_on_gpu(&t, &o, argv[0], &done, &error);
    status = good && (done || think(&t, &o, &error)) ? EXIT_YES : command_trouble(argv[0], &error);
    table_close(&t);
    return status;
}
