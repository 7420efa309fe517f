// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens lab run: play an experiment, or go on with it. */
#include "cli/commands/lab.h"
#include "cli/terminal.h"
#include "lab/spec/library.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

struct run_arguments {
    const char *db, *only, *column, *part;
    int64_t jobs, number, together;
    bool quick, force;
    struct match_budget budget;
    double times;
    uint64_t seed;
};

static void progress(void *data, const struct run_progress *p)
{
    lab_progress_show(data, p, "");
}

#define PATIENCE 600 /* seconds for a server that is away */

static void say(void *data, const char *text)
{
    struct lab_progress *line = data;
    char now[24];
    time_t t = time(NULL);
    strftime(now, sizeof now, "%H:%M:%S", localtime(&t));
    if (line->visible) fputs("\r\033[K", stderr);
    line->visible = false;
    fprintf(stderr, "%s %s\n", now, text);
}

/* "connect5,checkers": the rows of these games, by name or label. The others are for later. */
static bool choose_rows(struct schedule *schedule, const char *list, struct error *error)
{
    const struct spec *spec = schedule->spec;
    bool *rows = list ? calloc(spec->ngames, sizeof *rows) : NULL;
    if (!list) return true;
    if (!rows) return error_set(error, ERROR_MEMORY, "out of memory");
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",");
        bool found = false;
        for (uint32_t i = 0; i < spec->ngames; i++)
            for (int label = 0; label < 2; label++) {
                const char *name = label ? spec->games[i].label : spec->games[i].name;
                if (strlen(name) == n && strncasecmp(name, at, n) == 0) rows[i] = found = true;
            }
        if (!found) {
            free(rows);
            return error_set(error, ERROR_INPUT, "the experiment has no game '%.*s'", (int)n, at);
        }
        at += n + (at[n] == ',');
    }
    for (uint32_t i = 0; i < schedule->ncells; i++)
        schedule->cells[i].later |= !rows[schedule->cells[i].game];
    free(rows);
    return true;
}

static bool choose_column(struct schedule *schedule, const char *label, struct error *error)
{
    uint32_t column = label ? spec_column(schedule->spec, label) : 0;
    if (!label) return true;
    if (column == UINT32_MAX)
        return error_set(error, ERROR_INPUT, "the experiment has no column '%.60s'; its first is '%s'", label,
                         schedule->spec->pairings[0].label);
    for (uint32_t i = 0; i < schedule->ncells; i++)
        schedule->cells[i].later |= schedule->cells[i].pairing != column;
    return true;
}

/* "2/4": the second of four. */
static bool read_part(const char *s, struct run_options *o, struct error *error)
{
    unsigned part, parts;
    int end = 0;
    if (!s) return true;
    if (sscanf(s, "%u/%u%n", &part, &parts, &end) != 2 || s[end] || part < 1 || part > parts)
        return error_set(error, ERROR_INPUT, "--part wants K/N with K from 1 to N, like 2/4, not '%.60s'", s);
    o->part = part - 1;
    o->parts = parts;
    return true;
}

/* An experiment with boards. */
static bool run_grid(const char *what, const struct run_arguments *a, struct error *error)
{
    struct lab_progress line = {0};
    struct run_options o = {
        .jobs = (uint32_t)a->jobs, .stop = &terminal_interrupted, .progress = progress, .data = &line};
    struct grid_changes changes = {.quick = a->quick,
                                   .number = (uint32_t)a->number,
                                   .steps = a->budget.steps,
                                   .sims = a->budget.simulations,
                                   .new_seed = a->seed != 0,
                                   .seed = a->seed};
    if (a->only || a->column || a->times != 1 || a->budget.seconds > 0 || a->budget.expansions)
        return error_set(error, ERROR_INPUT,
                         "experiments with boards have no rows and columns to choose, and budgets in --steps "
                         "or --sims only");
    return read_part(a->part, &o, error) && lab_grid_run(what, a->db, &o, &changes, a->force, error);
}

static bool run(const char *what, const struct run_arguments *a, struct error *error)
{
    if (grid_recognise(what)) return run_grid(what, a, error);
    struct spec_changes changes = {.quick = a->quick,
                                   .number = (uint32_t)a->number,
                                   .budget = a->budget,
                                   .times = a->times,
                                   .new_seed = a->seed != 0,
                                   .seed = a->seed};
    struct spec *spec = spec_load(what, &changes, error);
    struct schedule *schedule = spec ? schedule_new(spec, error) : NULL;
    bool chosen =
        schedule && choose_rows(schedule, a->only, error) && choose_column(schedule, a->column, error);
    struct db *db = chosen ? db_open(a->db, true, error) : NULL;
    struct lab_progress line = {0};
    struct run_options o = {.jobs = (uint32_t)a->jobs,
                            .together = (uint32_t)a->together,
                            .stay = db_is_remote(a->db),
                            .stop = &terminal_interrupted,
                            .progress = progress,
                            .data = &line};
    char *text = NULL;
    size_t size;
    struct db_patience patience = {PATIENCE, &terminal_interrupted, say, &line};
    if (db) db_be_patient(db, &patience);
    bool good = db && read_part(a->part, &o, error) && lab_read_file(spec->file, &text, &size, error) &&
                db_enrol(db, schedule, spec->name, text, a->force, error);
    if (good) {
        struct run_progress summary = {0};
        fprintf(stderr, "%s: %u cells, %" PRIu64 " games, %u job%s, into %s\n", spec->name, schedule->ncells,
                schedule->total, o.jobs, o.jobs == 1 ? "" : "s", db_name(db));
        good = run_experiment(schedule, db, &o, &summary, error);
        lab_progress_end(&line, &summary);
        if (good && atomic_load(&terminal_interrupted)) fprintf(stderr, "stopped; run it again to go on\n");
    }
    free(text);
    db_close(db);
    schedule_free(schedule);
    spec_free(spec);
    return good;
}

int lab_run(int argc, char **argv)
{
    struct run_arguments a = {.db = "lab.db", .times = 1};
    const struct option table[] = {
        LAB_DB_OPTION(&a.db),
        {"jobs", 'J', OPTION_INT, &a.jobs, .min = 0, .max = 1024, .value = "N",
         .help = "threads that play; 0: one for each processor"},
        {"games", 'n', OPTION_INT, &a.number, .min = 0, .max = 1e7, .value = "N",
         .help = "games per cell; 0: as the experiment says"},
        {"only", 0, OPTION_STRING, &a.only, .value = "GAME,...",
         .help = "play these games of it now, the others later"},
        {"column", 0, OPTION_STRING, &a.column, .value = "LABEL",
         .help = "play this pairing of it now, the others later"},
        {"quick", 0, OPTION_FLAG, &a.quick, .help = "a meaningful part of it, in minutes"},
        {"sims", 0, OPTION_INT, &a.budget.simulations, .min = 0, .max = 1e15, .value = "N",
         .help = "simulations per move, in place of the experiment's budgets; 0: as it says"},
        {"seconds", 0, OPTION_REAL, &a.budget.seconds, .min = 0, .max = 1e6, .value = "S",
         .help = "seconds per move, likewise"},
        {"expansions", 0, OPTION_INT, &a.budget.expansions, .min = 0, .max = 1e15, .value = "N",
         .help = "nodes added to the tree per move, likewise"},
        {"steps", 0, OPTION_INT, &a.budget.steps, .min = 0, .max = 1e15, .value = "N",
         .help = "positions entered per move, in the tree and in playouts, likewise"},
        {"times", 0, OPTION_REAL, &a.times, .min = 1e-3, .max = 1e6, .value = "X",
         .help = "multiply every budget by it"},
        {"together", 0, OPTION_INT, &a.together, .min = 0, .max = 512, .value = "N",
         .help =
             "games side by side on each thread, where budgets are counts; 0: 32 to 128, as memory allows"},
        {"seed", 0, OPTION_SEED, &a.seed, .value = "N", .help = "another seed; 0: the experiment's"},
        {"part", 0, OPTION_STRING, &a.part, .value = "K/N",
         .help = "every N-th game only: for several machines, whose databases `ludens lab merge` joins"},
        {"force", 0, OPTION_FLAG, &a.force,
         .help = "if the experiment was changed: throw away the games of changed cells"},
        {0}};
    int operands, status;
    struct error error = {0};
    if (!command_begin(
            "lab run EXPERIMENT [OPTION...]",
            "Play an experiment: a file, or a name of `ludens lab list`. It may be stopped at any time, by\n"
            "Ctrl-C or kill, and goes on when it is run again; several runs may share one database.\n"
            "With --quick, other budgets or another seed it is another experiment, and its name says so.\n"
            "  ludens lab run first\n"
            "  ludens lab run paper/000-table-11 --quick --jobs 4",
            table, 1, 1, argc, argv, &operands, &status))
        return status;
    if (!a.jobs) a.jobs = command_processors();
    terminal_catch_interrupt();
    return run(argv[1], &a, &error) ? EXIT_YES : command_trouble("lab run", &error);
}
