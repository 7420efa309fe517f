// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens verify: follow recorded games and show the first difference. */
#include "cli/engine.h"
#include "game/trace.h"
#include "match/follow.h"

#include <jansson.h>
#include <stdlib.h>
#include <strings.h>

enum { SHOWN = 20 }; /* lines of a difference that are printed */

struct verify {
    const char *engine, *trace;
    bool quiet;
    struct game *game;
    struct reasoner *reasoner;
    struct heap *heap; /* lines of text */
    struct trace_lines ours, theirs;
    struct state state, next;
    struct list moves;
    uint32_t *joint;
    size_t playout, step; /* where we are, from 1 */
    uint64_t steps, playouts;
};

static void say_where(const struct verify *v, const char *what)
{
    printf("%s: playout %zu, step %zu: %s\n", v->trace, v->playout, v->step, what);
}

/* Unwinds to the guard of the heap when the engine gave up. */
static void must(struct verify *v, bool good)
{
    if (!good)
        heap_fail(v->heap, v->reasoner->error.code, "playout %zu, step %zu: %s", v->playout, v->step,
                  v->reasoner->error.text);
}

static void malformed(struct verify *v, const char *what)
{
    heap_fail(v->heap, ERROR_INPUT, "playout %zu, step %zu: %s", v->playout, v->step, what);
}

/* Lines of `a` that `b` does not have; both sorted. */
static void print_only_in(const struct trace_lines *a, const struct trace_lines *b, const char *title)
{
    uint32_t shown = 0, more = 0;
    for (uint32_t i = 0, k = 0; i < a->v.n; i++) {
        while (k < b->v.n && strcmp(b->v.v[k], a->v.v[i]) < 0) k++;
        if (k < b->v.n && strcmp(b->v.v[k], a->v.v[i]) == 0) continue;
        if (shown++ < SHOWN)
            printf("    %s %s\n", title, a->v.v[i]);
        else
            more++;
    }
    if (more) printf("    %s %u more\n", title, more);
}

static void read_lines(struct verify *v, const json_t *array, const char *prefix)
{
    size_t i;
    json_t *line;
    json_array_foreach(array, i, line)
    {
        struct text t;
        text_init(&t, v->heap);
        text_printf(&t, "%s%s", prefix, json_is_string(line) ? json_string_value(line) : "?");
        trace_lines_add(&v->theirs, text_str(&t));
        heap_release(v->heap, t.s);
    }
}

/* Our lines against the fingerprint (and number) in the trace; `full` are their lines, when it has them. */
static bool same_lines(struct verify *v, const json_t *hash, json_int_t count, bool full, const char *what)
{
    char digits[TRACE_HASH_DIGITS + 1];
    trace_hash(&v->ours, digits);
    if (json_is_string(hash) && strcmp(digits, json_string_value(hash)) == 0 &&
        (count < 0 || count == v->ours.v.n))
        return true;
    say_where(v, what);
    printf("    the trace has %lld with hash %s, we have %u with hash %s\n", (long long)count,
           json_is_string(hash) ? json_string_value(hash) : "(none)", v->ours.v.n, digits);
    if (full) {
        trace_lines_sort(&v->theirs);
        print_only_in(&v->theirs, &v->ours, "missing:");
        print_only_in(&v->ours, &v->theirs, "extra:  ");
    } else {
        trace_lines_clear(&v->theirs);
        print_only_in(&v->ours, &v->theirs, "ours:");
    }
    return false;
}

static bool same_state(struct verify *v, const json_t *step)
{
    const json_t *size = json_object_get(step, "state_size"), *full = json_object_get(step, "state");
    must(v, trace_facts(v->reasoner, &v->state, &v->ours));
    trace_lines_clear(&v->theirs);
    if (full) read_lines(v, full, "");
    return same_lines(v, json_object_get(step, "state_hash"), size ? json_integer_value(size) : -1,
                      full != NULL, "the states differ");
}

static bool same_legal(struct verify *v, const json_t *step)
{
    const json_t *hash = json_object_get(step, "legal_hash"), *full = json_object_get(step, "legal_moves");
    const json_t *counts = json_object_get(step, "legal");
    if (!hash) return true;
    json_int_t total = counts ? 0 : -1;
    const char *role;
    json_t *value;
    json_object_foreach((json_t *)counts, role, value) total += json_integer_value(value);
    must(v, trace_legal(v->reasoner, &v->state, &v->ours));
    trace_lines_clear(&v->theirs);
    json_object_foreach((json_t *)full, role, value)
    {
        char prefix[300];
        snprintf(prefix, sizeof prefix, "%.290s ", role);
        read_lines(v, value, prefix);
    }
    return same_lines(v, hash, total, full != NULL, "the legal moves differ");
}

static bool same_goals(struct verify *v, const json_t *step)
{
    const json_t *goals = json_object_get(step, "goals");
    for (uint32_t i = 0; goals && i < v->game->nroles; i++) {
        struct text name;
        text_init(&name, v->heap);
        trace_role_name(v->game, i, &name);
        const json_t *value = json_object_get(goals, text_str(&name));
        int theirs = json_is_integer(value) ? (int)json_integer_value(value) : GOAL_UNDEFINED, ours;
        must(v, reasoner_goal(v->reasoner, &v->state, i, &ours));
        if (ours != theirs) {
            say_where(v, "the goals differ");
            printf("    goal of %s: the trace has ", text_str(&name));
            printf(theirs == GOAL_UNDEFINED ? "none" : "%d", theirs);
            printf(ours == GOAL_UNDEFINED ? ", we have none\n" : ", we have %d\n", ours);
            return false;
        }
        heap_release(v->heap, name.s);
    }
    return true;
}

static bool same_end(struct verify *v, const json_t *step)
{
    const json_t *end = json_object_get(step, "terminal");
    bool ours;
    must(v, v->reasoner->ops->terminal(v->reasoner, &v->state, &ours));
    if (!json_is_boolean(end) || json_is_true(end) == ours) return true;
    say_where(v, ours ? "the game is over for us, but not in the trace"
                      : "the game is over in the trace, but not for us");
    return false;
}

static bool make_moves(struct verify *v, const json_t *moves)
{
    if (json_array_size(moves) != v->game->nroles) malformed(v, "there is not one move for each role");
    for (uint32_t i = 0; i < v->game->nroles; i++) {
        const char *text = json_string_value(json_array_get(moves, i));
        if (!text) malformed(v, "a move is not a string");
        must(v, reasoner_read_move(v->reasoner, i, text, &v->joint[i]));
        bool found = false;
        must(v, v->reasoner->ops->legal(v->reasoner, &v->state, i, &v->moves));
        for (uint32_t k = 0; k < v->moves.n; k++) found |= v->moves.v[k] == v->joint[i];
        if (!found) {
            say_where(v, "a move made in the trace is not legal");
            printf("    %s: %s\n", v->game->role_names[i], text);
            return false;
        }
    }
    must(v, v->reasoner->ops->next(v->reasoner, &v->state, v->joint, &v->next));
    struct state swap = v->state;
    v->state = v->next;
    v->next = swap;
    return true;
}

static bool same_playout(struct verify *v, const json_t *playout)
{
    const json_t *steps = json_object_get(playout, "steps");
    size_t i;
    json_t *step;
    must(v, v->reasoner->ops->initial(v->reasoner, &v->state));
    json_array_foreach(steps, i, step)
    {
        v->step = i + 1;
        if (!same_state(v, step) || !same_end(v, step) || !same_legal(v, step) || !same_goals(v, step))
            return false;
        v->steps++;
        const json_t *moves = json_object_get(step, "moves");
        if (i + 1 < json_array_size(steps) && !moves) malformed(v, "no moves, but the game goes on");
        if (moves && !make_moves(v, moves)) return false;
    }
    v->playouts++;
    return true;
}

static bool same_roles(struct verify *v, const json_t *roles)
{
    bool same = json_array_size(roles) == v->game->nroles;
    for (uint32_t i = 0; same && i < v->game->nroles; i++) {
        const char *name = json_string_value(json_array_get(roles, i));
        same = name && strcasecmp(name, v->game->role_names[i]) == 0;
    }
    if (same) return true;
    printf("%s: the roles differ\n    the trace has:", v->trace);
    for (size_t i = 0; i < json_array_size(roles); i++)
        printf(" %s", json_string_value(json_array_get(roles, i)));
    printf("\n    we have:      ");
    for (uint32_t i = 0; i < v->game->nroles; i++) printf(" %s", v->game->role_names[i]);
    putchar('\n');
    return false;
}

static bool same_trace(struct verify *v, const json_t *trace)
{
    const json_t *playouts = json_object_get(trace, "playouts"), *sum = json_object_get(trace, "kif_sha1");
    if (!json_is_array(playouts))
        heap_fail(v->heap, ERROR_INPUT,
                  "is neither a trace (it has no list of playouts) nor a record of a match");
    if (json_is_string(sum) && strcmp(json_string_value(sum), v->game->digest) != 0 && !v->quiet)
        printf("%s: note: was recorded from another version of the rules\n", v->trace);
    if (!same_roles(v, json_object_get(trace, "roles"))) return false;
    size_t i;
    json_t *playout;
    json_array_foreach(playouts, i, playout)
    {
        v->playout = i + 1;
        v->step = 1;
        if (!same_playout(v, playout)) return false;
    }
    return true;
}

/* ---- records of matches ---- */

struct difference {
    const char *path;
    bool found;
};

static void print_difference(void *data, const char *text)
{
    struct difference *d = data;
    printf("%s: %s\n", d->path, text);
    d->found = true;
}

static bool same_record(struct verify *v, const struct record *r, struct difference *d, struct error *error)
{
    bool roles = r->nroles == v->game->nroles;
    for (uint32_t i = 0; roles && i < r->nroles; i++)
        roles = strcasecmp(r->roles[i], v->game->role_names[i]) == 0;
    if (!roles) {
        print_difference(d, "the roles differ");
        return true;
    }
    if (*r->digest && strcmp(r->digest, v->game->digest) != 0 && !v->quiet)
        printf("%s: note: was recorded with another version of the rules\n", d->path);
    struct state *states = calloc((size_t)r->nsteps + 1, sizeof *states);
    bool good = states ? record_follow(r, v->reasoner, states, print_difference, d, error)
                       : error_set(error, ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; states && i <= r->nsteps; i++) state_done(&states[i]);
    free(states);
    /* A move that is not legal is a difference like any other. */
    if (!good && error->code == ERROR_INPUT) print_difference(d, error->text), good = true;
    return good;
}

static int verify_record(struct verify *v, const char *path)
{
    struct error error = {0};
    struct difference d = {.path = path};
    struct record *r = record_read(path, &error);
    bool good = r != NULL;
    if (good && !same_record(v, r, &d, &error)) good = error_prefix(&error, "%s", path);
    if (good && !d.found && !v->quiet) printf("%s: followed a match, %u steps\n", path, r->nsteps);
    record_free(r);
    return !good ? command_trouble("verify", &error) : d.found ? EXIT_NO : EXIT_YES;
}

/* As JSON it has moves, but no playouts; as text it begins with tags, and JSON with an object. */
static bool is_record(const char *path, const json_t *json)
{
    if (json)
        return json_is_object(json) && !json_object_get(json, "playouts") && json_object_get(json, "moves");
    char first = 0;
    FILE *file = fopen(path, "r");
    bool found = file && fscanf(file, " %c", &first) == 1 && first == '[';
    if (file) fclose(file);
    return found;
}

static int verify_file(struct verify *v, const char *path)
{
    json_error_t why;
    struct error error;
    struct heap_guard guard;
    v->trace = path;
    json_t *trace = json_load_file(path, 0, &why);
    if (is_record(path, trace)) {
        json_decref(trace);
        return verify_record(v, path);
    }
    if (!trace) {
        error_set(&error, ERROR_INPUT, "%s:%d: %s", path, why.line, why.text);
        return command_trouble("verify", &error);
    }
    volatile int status;
    if (HEAP_ENTER(v->heap, &guard, &error)) {
        uint64_t steps = v->steps, playouts = v->playouts;
        status = same_trace(v, trace) ? EXIT_YES : EXIT_NO;
        if (status == EXIT_YES && !v->quiet)
            printf("%s: followed %llu playouts, %llu steps\n", path,
                   (unsigned long long)(v->playouts - playouts), (unsigned long long)(v->steps - steps));
        heap_leave(v->heap);
    } else {
        error_prefix(&error, "%s", path);
        status = command_trouble("verify", &error);
    }
    json_decref(trace);
    return status;
}

int cmd_verify(int argc, char **argv)
{
    struct verify v = {.engine = "lifted"};
    const struct option table[] = {ENGINE_OPTION(&v.engine),
                                   {"quiet", 'q', OPTION_FLAG, &v.quiet, .help = "print differences only"},
                                   {0}};
    int operands, status;
    if (!command_begin(
            "verify GAME TRACE... [OPTION...]",
            "Follow recorded games step by step and compare states, legal moves, ends and goals: traces,\n"
            "and records of matches as JSON or text.\n"
            "Prints the first difference of each trace. Exit status: 0 all traces are followed\n"
            "exactly, 1 there is a difference, 2 something could not be read or played.",
            table, 2, -1, argc, argv, &operands, &status))
        return status;
    struct error error = {0};
    v.game = game_load(argv[1], 0, NULL, &error);
    v.reasoner = v.game ? engine_open(v.game, v.engine, &error) : NULL;
    v.heap = v.reasoner ? heap_new(0) : NULL;
    v.joint = v.heap ? calloc(v.game->nroles + 1, sizeof *v.joint) : NULL;
    if (!v.joint) {
        if (!error.code) error_set(&error, ERROR_MEMORY, "out of memory");
        status = command_trouble(argv[0], &error);
    } else {
        trace_lines_init(&v.ours, v.heap);
        trace_lines_init(&v.theirs, v.heap);
        status = EXIT_YES;
        for (int i = 2; i <= operands; i++) {
            int one = verify_file(&v, argv[i]);
            if (one > status) status = one;
        }
    }
    state_done(&v.state);
    state_done(&v.next);
    list_done(&v.moves);
    free(v.joint);
    heap_free(v.heap);
    reasoner_free(v.reasoner);
    game_free(v.game);
    return status;
}
