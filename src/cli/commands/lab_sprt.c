// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens lab sprt: is one player better than another? Plays until the evidence is in. */
#include "base/hash.h"
#include "cli/commands/lab.h"
#include "cli/terminal.h"
#include "lab/report/results.h"
#include "lab/stats/sprt.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sprt_arguments {
    const char *db;
    struct option_list games;
    double elo0, elo1, alpha, beta;
    int64_t number, jobs;
    struct match_budget budget;
    uint64_t seed;
    bool json;
};

struct test {
    struct sprt sprt;
    const struct schedule *schedule;
    double **scores; /* by cell and number; NAN: not played */
    struct lab_progress line;
};

/* ---- evidence ---- */

static bool count(struct test *t, uint32_t cell, uint32_t number, double score)
{
    double *scores = t->scores[cell];
    if (number >= t->schedule->cells[cell].number || !isnan(scores[number])) return true;
    scores[number] = score;
    double other = scores[number ^ 1];
    if (isnan(other)) return true;
    sprt_add(&t->sprt, score, other);
    return sprt_verdict(&t->sprt) == SPRT_OPEN;
}

static bool finished(void *data, const struct schedule_cell *c, uint32_t number, double score)
{
    struct test *t = data;
    return count(t, (uint32_t)(c - t->schedule->cells), number, score);
}

static void progress(void *data, const struct run_progress *p)
{
    struct test *t = data;
    char more[80];
    struct run_progress bound = *p;
    bound.left = -1; /* nobody knows when a sequential test ends */
    snprintf(more, sizeof more, "LLR %.2f (%.2f, %.2f)", sprt_llr(&t->sprt), t->sprt.lower, t->sprt.upper);
    lab_progress_show(&t->line, &bound, more);
}

struct earlier {
    struct test *test;
    uint32_t cell;
};

static void add_earlier(void *data, uint32_t number, double score)
{
    struct earlier *e = data;
    count(e->test, e->cell, number, score);
}

/* Room for the scores, and those that are there already. */
static bool recall(struct test *t, struct db *db, struct error *error)
{
    const struct schedule *s = t->schedule;
    t->scores = calloc(s->ncells, sizeof *t->scores);
    if (!t->scores) return error_set(error, ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < s->ncells; i++) {
        t->scores[i] = malloc((s->cells[i].number + 1) * sizeof **t->scores);
        if (!t->scores[i]) return error_set(error, ERROR_MEMORY, "out of memory");
        for (uint32_t k = 0; k <= s->cells[i].number; k++) t->scores[i][k] = NAN;
        struct earlier e = {t, i};
        if (!results_scores(db, s->cells[i].id, add_earlier, &e, error)) return false;
    }
    return true;
}

/* ---- the experiment ---- */

/* As text, so that it is one like all others. JSON is YAML. */
static char *write_spec(const char *a, const char *b, const struct sprt_arguments *o)
{
    json_t *games = json_array(), *budget = json_object();
    char name[40];
    for (int i = 0; i < o->games.n; i++) json_array_append_new(games, json_string(o->games.v[i]));
    if (o->budget.simulations)
        json_object_set_new(budget, "sims", json_integer((json_int_t)o->budget.simulations));
    if (o->budget.seconds > 0) json_object_set_new(budget, "seconds", json_real(o->budget.seconds));
    if (o->budget.steps) json_object_set_new(budget, "steps", json_integer((json_int_t)o->budget.steps));
    if (o->budget.expansions)
        json_object_set_new(budget, "expansions", json_integer((json_int_t)o->budget.expansions));
    double start = o->budget.start_seconds;
    if (start > 0)
        json_object_set_new(budget, "start",
                            start != floor(start) ? json_real(start) : json_integer((json_int_t)start));
    /* other players, another budget or seed make another test */
    json_t *identity = json_pack("[s, s, O, I]", a, b, budget, (json_int_t)o->seed);
    char *settings = json_dumps(identity, JSON_COMPACT | JSON_REAL_PRECISION(10));
    uint64_t key = settings ? hash_bytes(settings, strlen(settings)) : 0;
    json_decref(identity);
    free(settings);
    snprintf(name, sizeof name, "sprt/%08" PRIx64, key >> 32);
    char title[500];
    snprintf(title, sizeof title, "%.200s against %.200s", a, b);
    int64_t each = o->number / (o->games.n ? o->games.n : 1);
    json_t *spec =
        json_pack("{s:s, s:s, s:o, s:{s:s, s:s}, s:[[s,s]], s:I, s:o, s:I}", "name", name, "title", title,
                  "games", games, "players", "A", a, "B", b, "pairings", "A", "B", "number",
                  (json_int_t)(each > 2 ? each : 2), "budget", budget, "seed", (json_int_t)o->seed);
    char *text = json_dumps(spec, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    json_decref(spec);
    return text;
}

static const char *const verdicts[] = {"undecided", "better", "not better"};

static void tell(const struct test *t, const struct sprt_arguments *o, const char *a, const char *b)
{
    const struct sprt *s = &t->sprt;
    double elo[3], llr = sprt_llr(s);
    enum sprt_verdict verdict = sprt_verdict(s);
    sprt_elo(s, elo);
    if (o->json) {
        json_t *out =
            json_pack("{s:s, s:s, s:s, s:I, s:f, s:f, s:f, s:f, s:[f,f,f]}", "player", a, "opponent", b,
                      "verdict", verdicts[verdict], "pairs", (json_int_t)s->pairs, "score", sprt_mean(s),
                      "llr", llr, "lower", s->lower, "upper", s->upper, "elo", elo[0], elo[1], elo[2]);
        json_dumpf(out, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(8));
        putchar('\n');
        json_decref(out);
        return;
    }
    printf("%s against %s\n", a, b);
    printf("%" PRIu64 " pairs of games with seats exchanged", s->pairs);
    const char *comma = ": ";
    for (uint32_t i = 0; i < s->n; i++)
        if (s->seen[i].count >= 1) {
            printf("%s%.0f with %.3g", comma, floor(s->seen[i].count), 2 * s->seen[i].value);
            comma = ", ";
        }
    puts("");
    if (s->pairs)
        printf("score %.1f%%, Elo %+.0f (%+.0f to %+.0f)\n", 100 * sprt_mean(s), elo[1], elo[0], elo[2]);
    printf("log likelihood ratio %.2f, limits %.2f and %.2f: %s\n", llr, s->lower, s->upper,
           verdict == SPRT_BETTER       ? "it is better"
           : verdict == SPRT_NOT_BETTER ? "it is not better"
                                        : "undecided");
}

static bool run(const char *a, const char *b, const struct sprt_arguments *o, struct test *t,
                struct error *error)
{
    char *text = write_spec(a, b, o);
    struct spec *spec = text ? spec_read("sprt", text, strlen(text), NULL, error) : NULL;
    struct schedule *schedule = spec ? schedule_new(spec, error) : NULL;
    struct db *db = schedule ? db_open(o->db, true, error) : NULL;
    struct run_progress summary = {0};
    t->schedule = schedule;
    bool good = db && db_enrol(db, schedule, spec->name, text, false, error) && recall(t, db, error);
    if (good && sprt_verdict(&t->sprt) == SPRT_OPEN) {
        struct run_options options = {.jobs = (uint32_t)o->jobs,
                                      .stop = &terminal_interrupted,
                                      .progress = progress,
                                      .finished = finished,
                                      .data = t};
        fprintf(stderr, "%s: at most %" PRIu64 " games, into %s\n", spec->name, schedule->total, o->db);
        good = run_experiment(schedule, db, &options, &summary, error);
        lab_progress_end(&t->line, &summary);
    }
    for (uint32_t i = 0; t->scores && i < schedule->ncells; i++) free(t->scores[i]);
    free(t->scores);
    db_close(db);
    schedule_free(schedule);
    spec_free(spec);
    free(text);
    return good;
}

int lab_sprt(int argc, char **argv)
{
    struct sprt_arguments o = {
        .db = "lab.db", .elo1 = 20, .alpha = 0.05, .beta = 0.05, .number = 20000, .seed = 1};
    const struct option table[] = {
        {"game", 'g', OPTION_LIST, &o.games, .value = "GAME",
         .help = "what is played; may be given several times"},
        {"elo0", 0, OPTION_REAL, &o.elo0, .min = -2000, .max = 2000, .value = "E",
         .help = "not better: by no more than this"},
        {"elo1", 0, OPTION_REAL, &o.elo1, .min = -2000, .max = 2000, .value = "E",
         .help = "better: by this at least"},
        {"alpha", 0, OPTION_REAL, &o.alpha, .min = 1e-6, .max = 0.49, .value = "P",
         .help = "chance to find it better wrongly"},
        {"beta", 0, OPTION_REAL, &o.beta, .min = 1e-6, .max = 0.49, .value = "P",
         .help = "chance to find it not better wrongly"},
        {"games", 0, OPTION_INT, &o.number, .min = 2, .max = 1e7, .value = "N",
         .help = "at most so many, over all games"},
        {"sims", 0, OPTION_INT, &o.budget.simulations, .min = 0, .max = 1e15, .value = "N",
         .help = "simulations per move; 1000 where no budget is given"},
        {"seconds", 0, OPTION_REAL, &o.budget.seconds, .min = 0, .max = 1e6, .value = "S",
         .help = "seconds per move"},
        {"steps", 0, OPTION_INT, &o.budget.steps, .min = 0, .max = 1e15, .value = "N",
         .help = "positions entered per move, in the tree and in playouts"},
        {"expansions", 0, OPTION_INT, &o.budget.expansions, .min = 0, .max = 1e15, .value = "N",
         .help = "nodes added to the tree per move"},
        {"start", 0, OPTION_REAL, &o.budget.start_seconds, .min = 0, .max = 1e15, .value = "S",
         .help = "seconds before the first move; where moves are counted, simulations or steps"},
        {"seed", 0, OPTION_SEED, &o.seed, .value = "N", .help = "seed of the test"},
        {"jobs", 'J', OPTION_INT, &o.jobs, .min = 0, .max = 1024, .value = "N",
         .help = "threads that play; 0: one for each processor"},
        {"json", 0, OPTION_FLAG, &o.json, .help = "print the verdict as JSON"},
        LAB_DB_OPTION(&o.db),
        {0}};
    int operands, status;
    struct error error = {0};
    if (!command_begin(
            "lab sprt PLAYER OPPONENT --game GAME... [OPTION...]",
            "Is a player better than another? Plays pairs of games with seats exchanged until the "
            "sequential\n"
            "probability ratio test has an answer: better by elo1, or by no more than elo0. What was played\n"
            "is kept; the same command goes on.\n"
            "  ludens lab sprt nst,epsilon=0.1 nst --game breakthrough --game connect5 --sims 500\n"
            "Exit status: 0 it is better; 1 it is not, or the games did not suffice; 2 trouble.",
            table, 2, 2, argc, argv, &operands, &status))
        return status;
    if (!o.jobs) o.jobs = command_processors();
    if (o.games.n == 0) error_set(&error, ERROR_INPUT, "in which game? --game says it");
    if (!error.code && o.elo0 >= o.elo1) error_set(&error, ERROR_INPUT, "elo0 must be below elo1");
    if (error.code) return command_trouble("lab sprt", &error);
    if (!o.budget.simulations && !o.budget.steps && o.budget.seconds <= 0 && !o.budget.expansions)
        o.budget.simulations = 1000;
    struct test t = {0};
    sprt_init(&t.sprt, o.elo0, o.elo1, o.alpha, o.beta);
    terminal_catch_interrupt();
    if (!run(argv[1], argv[2], &o, &t, &error)) return command_trouble("lab sprt", &error);
    tell(&t, &o, argv[1], argv[2]);
    return sprt_verdict(&t.sprt) == SPRT_BETTER ? EXIT_YES : EXIT_NO;
}
