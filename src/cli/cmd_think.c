// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens think: search one position and print the table of moves. */
#include "cli/board.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "match/record.h"
#include "player/thoughts.h"

#include <stdlib.h>
#include <string.h>

struct think_options {
    const char *at, *player, *role, *engine;
    struct option_list moves;
    struct match_budget budget;
    uint64_t seed;
    bool json;
};

/* One joint move from text: a move per role, or the one move of the only role that has a choice. */
static bool read_joint(struct reasoner *r, const struct state *s, const char *text, uint32_t *joint,
                       struct error *error)
{
    uint32_t nroles = r->game->nroles, found = 0, choosing = 0, mover = 0;
    struct list legal = {0};
    char word[1000];
    for (const char *at = text; *at;) {
        at += strspn(at, " \t,");
        if (!*at) break;
        /* a term: a word, or up to the parenthesis that closes it */
        size_t n = 0;
        int depth = 0;
        do {
            if (at[n] == '(') depth++;
            if (at[n] == ')') depth--;
            n++;
        } while (at[n] && (depth > 0 || (at[n] != ' ' && at[n] != ',')));
        if (n >= sizeof word || found == nroles)
            return error_set(error, ERROR_INPUT, "'%s' is not a joint move", text);
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        at += n;
        /* with one word we do not know yet whose move it is: read it below */
        if (found == 0) joint[0] = UINT32_MAX;
        if (found > 0 || nroles == 1 || at[strspn(at, " \t,")])
            if (!reasoner_read_move(r, found, word, &joint[found])) return *error = r->error, false;
        found++;
    }
    for (uint32_t i = 0; i < nroles; i++) {
        legal.n = 0;
        if (!r->ops->legal(r, s, i, &legal)) {
            list_done(&legal);
            return *error = r->error, false;
        }
        if (legal.n > 1) choosing++, mover = i;
        if (found == 1 && nroles > 1 && legal.n) joint[i] = legal.v[0];
    }
    bool good = true;
    if (found == 1 && nroles > 1) {
        if (choosing > 1)
            good = error_set(error, ERROR_INPUT, "'%s': %u roles choose here; give a move for each role",
                             text, choosing);
        else
            good = reasoner_read_move(r, mover, word, &joint[mover]) || (*error = r->error, false);
    } else if (found != nroles) {
        good = error_set(error, ERROR_INPUT, "'%s' has %u moves for %u roles", text, found, nroles);
    }
    for (uint32_t i = 0; i < nroles && good; i++) {
        legal.n = 0;
        good = r->ops->legal(r, s, i, &legal);
        bool is_legal = false;
        for (uint32_t k = 0; k < legal.n; k++) is_legal |= legal.v[k] == joint[i];
        if (good && !is_legal)
            good =
                error_set(error, ERROR_INPUT, "'%s' is not legal for %s here", text, r->game->role_names[i]);
    }
    list_done(&legal);
    return good;
}

static bool make(struct reasoner *r, struct state *s, const char *text, struct error *error)
{
    uint32_t joint[MCTS_MAX_ROLES];
    struct state next = {0};
    if (!read_joint(r, s, text + strspn(text, " \t"), joint, error)) return false;
    if (!r->ops->next(r, s, joint, &next)) return *error = r->error, false;
    state_done(s);
    *s = next;
    return true;
}

/* All moves of a recorded match. */
static bool follow_file(struct reasoner *r, struct state *s, const char *path, struct error *error)
{
    uint32_t joint[RECORD_MAX_ROLES];
    struct record *record = record_read(path, error);
    bool good = record && (record->nroles == r->game->nroles ||
                           error_set(error, ERROR_INPUT, "%s: has %u roles, but %s %u", path, record->nroles,
                                     r->game->name, r->game->nroles));
    for (uint32_t i = 0; good && i < record->nsteps; i++) {
        struct state next = {0};
        good = record_joint(record, i, r, s, joint, error) || error_prefix(error, "%s", path);
        if (good && !r->ops->next(r, s, joint, &next)) good = (*error = r->error, false);
        if (!good) {
            state_done(&next);
            break;
        }
        state_done(s);
        *s = next;
    }
    record_free(record);
    return good;
}

static bool reach(struct reasoner *r, struct state *s, const struct think_options *o, struct error *error)
{
    if (!r->ops->initial(r, s)) return *error = r->error, false;
    if (o->at && !follow_file(r, s, o->at, error)) return false;
    for (int i = 0; i < o->moves.n; i++) {
        char copy[4000];
        if (strlen(o->moves.v[i]) >= sizeof copy) return error_set(error, ERROR_INPUT, "--moves is too long");
        strcpy(copy, o->moves.v[i]);
        char *save = NULL;
        for (char *text = strtok_r(copy, ";", &save); text; text = strtok_r(NULL, ";", &save))
            if (!make(r, s, text, error)) return false;
    }
    return true;
}

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
    struct board_style style = board_style_for(stdout);
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
              (config.kind == PLAYER_SEARCH ||
               error_set(error, ERROR_INPUT,
                         "'%s' does not search, so there is nothing to show; `ludens players` lists others",
                         o->player)) &&
              reach(r, &state, o, error) && choose_role(r, &state, o->role, &role, error);
    config.forced = true;
    ok = ok && (player = player_new(&config, t->session.game, t->engine, role, o->seed, error)) &&
         player_goto(player, r, &state, error);
    struct budget start = match_budget_now(&o->budget, true, &terminal_interrupted);
    if (ok && (start.deadline > 0 || budget_counts(&start))) ok = player_ponder(player, &start, error);
    struct budget b = match_budget_now(&o->budget, false, &terminal_interrupted);
    ok = ok && player_think(player, &b, &move, error);
    r->deadline = 0;
    ok = ok && (o->json ? show_json(t, player, role, move, error)
                        : show_board(t, &state, error) && show_text(t, o, player, role, move, error));
    player_free(player);
    state_done(&state);
    return ok;
}

int cmd_think(int argc, char **argv)
{
    struct think_options o = {.player = "champion", .engine = "auto", .budget = {.seconds = 1}, .seed = 1};
    const struct option table[] = {
        {"player", 'p', OPTION_STRING, &o.player, .value = "PLAYER", .help = "who thinks"},
        {"role", 0, OPTION_STRING, &o.role, .value = "ROLE",
         .help = "for whom; otherwise the first role with a choice"},
        {"moves", 'm', OPTION_LIST, &o.moves, .value = "MOVES",
         .help = "moves made before, joint moves separated by ';': \"(drop 4); (drop 4)\""},
        {"at", 0, OPTION_STRING, &o.at, .value = "FILE", .help = "at the end of a recorded match"},
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
    double wait = o.budget.seconds > 0 && o.budget.seconds < 2 ? o.budget.seconds : 2;
    if (!table_open(&t, argv[0], argv[1], o.engine, wait, &status)) return status;
    terminal_catch_interrupt();
    status = think(&t, &o, &error) ? EXIT_YES : command_trouble(argv[0], &error);
    table_close(&t);
    return status;
}
