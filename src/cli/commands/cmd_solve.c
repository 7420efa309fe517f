// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens solve: prove the value of a position. */
#include "cli/position.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "search/solver/solve.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

struct show_options {
    struct position_options position;
    const char *engine, *method, *role, *symmetry, *outlook, *parts;
    double seconds;
    int64_t memory, positions, depth;
    bool shortest, json;
};

/* What the printing needs. */
struct show {
    struct reasoner *r;
    const struct game *game;
    const struct solve_result *result;
    struct progress progress;
};

static void show_progress(void *data, const struct solve_progress *p)
{
    struct show *s = data;
    char question[60] = "", depth[40] = "";
    if (p->question >= 0)
        snprintf(question, sizeof question, "; can %s get %d?", s->game->role_names[0], p->question);
    if (p->depth) snprintf(depth, sizeof depth, ", within %u moves", p->depth);
    progress_show(&s->progress,
                  "%s%s: %.2f million positions, %u moves deep, table %.0f%% full; %.4g to %.4g%s",
                  solve_method_names[p->method], depth, (double)p->seen / 1e6, p->plies, 100 * p->memory_used,
                  p->low, p->high, question);
}

static void move_text(struct show *s, uint32_t role, uint32_t move, char *out, size_t size)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error;
    snprintf(out, size, "?");
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        struct text text;
        text_init(&text, heap);
        reasoner_print_move(s->r, role, move, false, &text);
        snprintf(out, size, "%s", text_str(&text));
        heap_leave(heap);
    }
    heap_free(heap);
}

/* A joint move for people: what the roles with a choice do, where that is known from the position; the line
 * is followed with the reasoner to know. */
struct walk {
    struct state state;
    struct list legal;
};

static bool walk_step(struct show *s, struct walk *w, const uint32_t *joint, json_t *array, bool first)
{
    struct reasoner *r = s->r;
    struct state next = {0};
    uint32_t shown = 0;
    json_t *step = array ? json_array() : NULL;
    if (!array) fputs(first ? "" : "; ", stdout);
    for (uint32_t role = 0; role < s->game->nroles; role++) {
        char text[300];
        w->legal.n = 0;
        if (!r->ops->legal(r, &w->state, role, &w->legal)) return json_decref(step), false;
        move_text(s, role, joint[role], text, sizeof text);
        if (step) json_array_append_new(step, json_string(text));
        if (w->legal.n > 1 && !step) printf("%s%s", shown++ ? " " : "", text);
    }
    if (!shown && !step) { /* nobody chooses: the first role's only move */
        char text[300];
        move_text(s, 0, joint[0], text, sizeof text);
        fputs(text, stdout);
    }
    if (step) json_array_append_new(array, step);
    if (!r->ops->next(r, &w->state, joint, &next)) return false;
    state_done(&w->state);
    w->state = next;
    return true;
}

static void walk_line(struct show *s, const struct state *from, json_t *array)
{
    struct walk w = {0};
    if (state_copy(&w.state, from))
        for (uint32_t i = 0; i < s->result->steps; i++)
            if (!walk_step(s, &w, s->result->line + (size_t)i * s->game->nroles, array, i == 0)) break;
    state_done(&w.state);
    list_done(&w.legal);
}

/* --- For people ----------------------------------------------------------------------------------------- */

static const char *number(double v, char *out, size_t size)
{
    if (fabs(v - round(v)) < 1e-6)
        snprintf(out, size, "%.0f", round(v));
    else
        snprintf(out, size, "%.4f", v);
    return out;
}

static void print_range(double low, double high)
{
    char a[40], b[40];
    if (high - low < 1e-6)
        fputs(number((low + high) / 2, a, sizeof a), stdout);
    else
        printf("%s to %s", number(low, a, sizeof a), number(high, b, sizeof b));
}

static void print_values(struct show *s)
{
    const struct solve_result *r = s->result;
    for (uint32_t role = 0; role < s->game->nroles; role++) {
        double low = r->low[role], high = r->high[role];
        const char *word = low == high && low == 100 ? "   wins" : low == high && high == 0 ? "   loses" : "";
        if (s->game->nroles == 2 && low == high && fabs(low - r->low[1 - role]) < 1e-6) word = "   even";
        printf("%-12s ", s->game->role_names[role]);
        print_range(low, high);
        printf("%s\n", word);
    }
}

static const char *why_text(const struct solve_result *r)
{
    switch (r->why) {
    case SOLVE_TIME: return "the time is over (--seconds)";
    case SOLVE_CANCELLED: return "interrupted";
    case SOLVE_OPENED: return "as many positions were opened as allowed (--positions)";
    case SOLVE_MEMORY: return "the memory is used up (--memory)";
    case SOLVE_DEPTH: return "not within that many moves (--depth)";
    default: return "";
    }
}

static void print_moves(struct show *s)
{
    const struct solve_result *r = s->result;
    if (!r->nmoves) return;
    puts(r->at_once ? "\nhow often to play what:" : "\nmoves:");
    for (uint32_t i = 0; i < r->nmoves; i++) {
        const struct solve_move *m = &r->moves[i];
        char text[300];
        if (r->at_once && m->share < 1e-9) continue;
        move_text(s, m->role, m->move, text, sizeof text);
        printf("  %-12s %-24s ", s->game->role_names[m->role], text);
        if (r->at_once) printf("%6.2f%%   alone worth ", 100 * m->share);
        if (m->known)
            print_range(m->low, m->high);
        else
            fputs("not looked at", stdout);
        putchar('\n');
    }
}

static void print_result(struct show *s, const struct state *state)
{
    const struct solve_result *r = s->result;
    print_values(s);
    if (!r->proved) printf("\nnot proved: %s\n", why_text(r));
    if (r->method == SOLVE_MAX_N && r->proved && r->at_once)
        puts("\nseveral choose at once and the goals do not add up to the same: this is what the role can be "
             "sure of");
    else if (r->method == SOLVE_MAX_N && r->proved)
        puts("\neach plays for itself (max^n); moves that are equal for the mover: the worst for the role "
             "asked "
             "about");
    else if (r->sum_assumed)
        puts("\nprovided that the goals always add up to the same, as at every end that was met: the rules "
             "were not "
             "seen to say so");
    print_moves(s);
    if (r->steps) {
        fputs(r->proved ? "\nline: " : "\nbest found: ", stdout);
        walk_line(s, state, NULL);
        puts(r->line_ends ? "" : " ...");
    }
    printf("\n%s: %" PRIu64 " positions opened, %" PRIu64 " seen, %u moves deep",
           solve_method_names[r->method], r->opened, r->seen, r->depth);
    if (r->programs) printf(", %" PRIu64 " linear programs", r->programs);
    if (r->symmetries) printf(", each for %u", r->symmetries + 1);
    if (r->parts > 1) printf(", %u parts", r->parts);
    printf(", %.2f s\n", r->seconds);
}

/* --- For programs --------------------------------------------------------------------------------------- */

static json_t *json_moves(struct show *s)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < s->result->nmoves; i++) {
        const struct solve_move *m = &s->result->moves[i];
        char text[300];
        move_text(s, m->role, m->move, text, sizeof text);
        json_t *j = json_pack("{s:s, s:s}", "role", s->game->role_names[m->role], "move", text);
        if (m->known) {
            json_object_set_new(j, "low", json_real(m->low));
            json_object_set_new(j, "high", json_real(m->high));
        }
        if (s->result->at_once) json_object_set_new(j, "share", json_real(m->share));
        json_array_append_new(array, j);
    }
    return array;
}

static void print_json(struct show *s, const struct state *state)
{
    static const char *const why[] = {"done", "time", "interrupted", "positions", "memory", "depth"};
    const struct solve_result *r = s->result;
    json_t *values = json_object(), *line = json_array();
    for (uint32_t role = 0; role < s->game->nroles; role++)
        json_object_set_new(values, s->game->role_names[role],
                            json_pack("{s:f, s:f}", "low", r->low[role], "high", r->high[role]));
    walk_line(s, state, line);
    json_t *out = json_pack("{s:s, s:b, s:s, s:s, s:o, s:o, s:o, s:b}", "game", s->game->name, "proved",
                            r->proved, "why", why[r->why], "method", solve_method_names[r->method], "values",
                            values, "moves", json_moves(s), "line", line, "line_ends", r->line_ends);
    json_object_set_new(out, "sum_assumed", json_boolean(r->sum_assumed));
    json_object_set_new(out, "at_once", json_boolean(r->at_once));
    json_object_set_new(out, "opened", json_integer((json_int_t)r->opened));
    json_object_set_new(out, "seen", json_integer((json_int_t)r->seen));
    json_object_set_new(out, "programs", json_integer((json_int_t)r->programs));
    json_object_set_new(out, "symmetries", json_integer(r->symmetries));
    json_object_set_new(out, "outlook", json_boolean(r->outlook));
    json_object_set_new(out, "parts", json_integer(r->parts));
    json_object_set_new(out, "depth", json_integer(r->depth));
    json_object_set_new(out, "seconds", json_real(r->seconds));
    json_dumpf(out, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(out);
}

/* --- The command ---------------------------------------------------------------------------------------- */

static enum solve_method read_method(const char *name)
{
    int i = 0; /* the table of options lets only these names in */
    while (i + 1 < SOLVE_METHODS && strcmp(name, solve_method_names[i]) != 0) i++;
    return (enum solve_method)i;
}

/* The role asked for, or the first that has a choice. */
static bool find_role(struct reasoner *r, const struct state *s, const char *name, uint32_t *role,
                      struct error *error)
{
    struct list legal = {0};
    if (name) return (*role = role_by_name(r->game, name, strlen(name), error)) != UINT32_MAX;
    for (*role = 0; *role < r->game->nroles; ++*role) {
        legal.n = 0;
        if (r->ops->legal(r, s, *role, &legal) && legal.n > 1) break;
    }
    if (*role == r->game->nroles) *role = 0;
    list_done(&legal);
    return true;
}

static bool solve(struct table *t, const struct show_options *o, struct error *error, int *status)
{
    bool ready = t->engine && engine_poll(t->engine) == ENGINE_READY;
    if (o->depth && t->session.game->nroles == 1)
        return error_set(error, ERROR_INPUT,
                         "--depth is for two and more; of a game for one --shortest finds the shortest line");
    const struct code *code = ready ? engine_code(t->engine) : NULL;
    struct reasoner *circuit = ready ? reasoner_circuit(t->session.game, code, error) : NULL;
    if (ready && !circuit) return false;
    struct reasoner *r = ready ? circuit : t->session.reasoner;
    struct solve_result result = {0};
    struct show show = {.r = r, .game = t->session.game, .result = &result};
    struct state state = {0};
    struct solve_options options = {.memory = (size_t)o->memory << 20,
                                    .depth = (uint32_t)o->depth,
                                    .shortest = o->shortest || o->depth,
                                    .progress = show_progress,
                                    .progress_data = &show};
    options.budget.stop = &terminal_interrupted;
    options.budget.expansions = (uint64_t)o->positions;
    options.budget.deadline = o->seconds > 0 ? clock_now() + o->seconds : 0;
    options.method = read_method(o->method);
    options.symmetry = strcmp(o->symmetry, "on") == 0;
    options.outlook = strcmp(o->outlook, "on") == 0;
    options.parts = strcmp(o->parts, "on") == 0;
    bool ok = position_reach(r, &o->position, &state, NULL, error) &&
              find_role(r, &state, o->role, &options.role, error) &&
              solve_run(r, code, &state, &options, &result, error);
    progress_end(&show.progress);
    if (ok && o->json) print_json(&show, &state);
    if (ok && !o->json) print_result(&show, &state);
    if (ok && !result.proved) *status = EXIT_NO;
    solve_result_done(&result);
    state_done(&state);
    if (circuit) reasoner_free(circuit);
    return ok;
}

int cmd_solve(int argc, char **argv)
{
    struct show_options o = {.engine = "auto",
                             .method = "auto",
                             .symmetry = "on",
                             .outlook = "on",
                             .parts = "on",
                             .seconds = 60,
                             .memory = 1024,
                             .position.ply = -1};
    char methods[200] = "";
    for (int i = 0; i < SOLVE_METHODS; i++)
        options_add_choice(methods, sizeof methods, solve_method_names[i]);
    const struct option table[] = {
        POSITION_OPTIONS(o.position),
        {"seconds", 0, OPTION_REAL, &o.seconds, .min = 0, .max = 1e9, .value = "S",
         .help = "most to take; 0: no limit"},
        {"memory", 0, OPTION_INT, &o.memory, .min = 1, .max = 1e7, .value = "MB", .help = "most for tables"},
        {"positions", 0, OPTION_INT, &o.positions, .min = 0, .max = 1e15, .value = "N",
         .help = "open no more than so many positions; 0: no limit"},
        {"depth", 'd', OPTION_INT, &o.depth, .min = 0, .max = 250, .value = "D",
         .help = "for two and more: only what can be forced within D moves; 0: to the end"},
        {"shortest", 0, OPTION_FLAG, &o.shortest,
         .help = "deepen move by move: the line is the shortest there is"},
        {"method", 0, OPTION_STRING, &o.method, .value = "M", .choices = methods,
         .help = "how, or by the kind of game"},
        {"symmetry", 0, OPTION_STRING, &o.symmetry, .value = "S", .choices = "on|off",
         .help = "take mirrored and turned positions for one, where the rules do not tell them apart"},
        {"outlook", 0, OPTION_STRING, &o.outlook, .value = "S", .choices = "on|off",
         .help = "leave positions where what lasts already tells what comes out"},
        {"parts", 0, OPTION_STRING, &o.parts, .value = "S", .choices = "on|off",
         .help = "with one role: search a game that falls apart part by part, too"},
        {"role", 0, OPTION_STRING, &o.role, .value = "ROLE",
         .help = "with more than two roles: who is asked about; otherwise the first with a choice"},
        ENGINE_OPTION(&o.engine),
        {"json", 'j', OPTION_FLAG, &o.json, .help = "print JSON"},
        {0}};
    int operands, status;
    if (!command_begin(
            "solve GAME [OPTION...]",
            "Prove the value of a position: what each role gets with best play, with a line that shows it\n"
            "or, where both choose at once, how often to play what.\n"
            "Exit status: 0 proved; 1 not proved; 2 it could not be done.",
            table, 1, 1, argc, argv, &operands, &status))
        return status;
    struct table t;
    struct error error = {0};
    if (!table_open(&t, argv[0], argv[1], o.engine, o.seconds > 0 ? o.seconds / 2 : -1, &status))
        return status;
    terminal_catch_interrupt();
    status = EXIT_YES;
    if (!solve(&t, &o, &error, &status)) status = command_trouble(argv[0], &error);
    table_close(&t);
    return status;
}
