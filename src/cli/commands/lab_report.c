// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens lab report: what came out. */
#include "base/file.h"
#include "cli/commands/lab.h"
#include "cli/terminal.h"
#include "lab/report/report.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct report_arguments {
    const char *db, *html, *svg;
    bool csv, json, details, all;
};

static bool is_database(const char *path)
{
    char head[16] = "";
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    size_t n = fread(head, 1, sizeof head, f);
    fclose(f);
    return n == sizeof head && memcmp(head, "SQLite format 3", sizeof head) == 0;
}

static bool write_html(const char *path, struct results *const *list, uint32_t n, struct error *error)
{
    char *data = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&data, &size);
    if (!out) return error_set(error, ERROR_MEMORY, "out of memory");
    report_html(out, list, n);
    bool good = fclose(out) == 0;
    if (!good) error_set(error, ERROR_MEMORY, "out of memory");
    if (good && strcmp(path, "-") == 0)
        fwrite(data, 1, size, stdout);
    else if (good)
        good = file_replace(path, data, size, error);
    free(data);
    return good;
}

static bool write_figures(const char *prefix, struct results *const *list, uint32_t n, struct error *error)
{
    bool good = true;
    for (uint32_t i = 0; i < n && good; i++) {
        struct lab_figures figures = {prefix, list[i]->name, true, error};
        good = report_figures(list[i], lab_write_figure, &figures, error) && figures.good;
    }
    return good;
}

static bool print(const struct report_arguments *a, struct results *const *list, uint32_t n,
                  struct error *error)
{
    if (a->svg && !write_figures(a->svg, list, n, error)) return false;
    if (a->html && !write_html(a->html, list, n, error)) return false;
    if (a->svg || a->html) return true;
    json_t *all = a->json ? json_array() : NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (a->json) {
            json_array_append_new(all, report_json(list[i]));
        } else if (a->csv) {
            report_csv(stdout, list[i], i == 0);
        } else {
            if (i) puts("");
            report_text(stdout, list[i], a->details, terminal_colour(stdout));
        }
    }
    if (all) {
        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
        putchar('\n');
        json_decref(all);
    }
    return true;
}

/* Which experiments of the database are meant: one of that name, or one whose file has that name in it. */
static bool find_names(struct db *db, const char *what, struct lab_names *names, char **own,
                       struct error *error)
{
    names->wanted = what;
    if (!results_each(db, lab_names_add, names, error)) return false;
    if (names->n || !what) return true;
    struct spec *spec = spec_load(what, NULL, error);
    if (!spec) return false;
    *own = strdup(spec->name);
    spec_free(spec);
    if (!*own) return error_set(error, ERROR_MEMORY, "out of memory");
    names->wanted = *own;
    return results_each(db, lab_names_add, names, error);
}

static bool report_tournaments(struct db *db, const char *path, const char *what,
                               const struct report_arguments *a, bool needed, struct error *error)
{
    struct lab_names names = {0};
    char *own = NULL;
    struct results **list = calloc(LAB_MAX_NAMES, sizeof *list);
    bool good =
        list ? find_names(db, what, &names, &own, error) : error_set(error, ERROR_MEMORY, "out of memory");
    if (good && names.n == 0 && needed)
        good = error_set(error, ERROR_INPUT, "%.200s has no games of %.100s; `ludens lab run` plays them",
                         path, names.wanted ? names.wanted : "any experiment");
    for (uint32_t i = 0; i < names.n && good; i++) good = (list[i] = results_read(db, names.v[i], error));
    good = good && (names.n == 0 || print(a, list, names.n, error));
    for (uint32_t i = 0; i < names.n && list; i++) results_free(list[i]);
    lab_names_done(&names);
    free(list);
    free(own);
    return good;
}

static bool report(const char *what, const struct report_arguments *a, struct error *error)
{
    struct lab_report_form form = {.html = a->html, .svg = a->svg, .csv = a->csv, .json = a->json};
    bool all = is_database(what);
    if (!all && grid_recognise(what)) return lab_grid_report(what, a->db, &form, error);
    const char *path = all ? what : a->db;
    struct db *db = db_open(path, false, error);
    if (!db) return false;
    uint32_t boards = 0;
    bool good = !all || lab_grid_count(db, &boards, error);
    good = good && report_tournaments(db, path, all ? NULL : what, a, boards == 0, error);
    db_close(db);
    return good && (boards == 0 || lab_grid_report(NULL, path, &form, error));
}

int lab_report(int argc, char **argv)
{
    struct report_arguments a = {0};
    const struct option table[] = {
        {"db", 0, OPTION_STRING, &a.db, .value = "FILE", .help = "the database; lab.db, if none is named"},
        {"html", 0, OPTION_STRING, &a.html, .value = "FILE",
         .help = "write a page for the browser; -: to standard output"},
        {"svg", 0, OPTION_STRING, &a.svg, .value = "PREFIX",
         .help = "write the figures to PREFIX-NAME.svg: boards, and players that meet with several budgets"},
        {"csv", 0, OPTION_FLAG, &a.csv, .help = "one line per cell"},
        {"json", 0, OPTION_FLAG, &a.json, .help = "everything, as JSON"},
        {"all", 0, OPTION_FLAG, &a.all,
         .help = "every table of a folder, like paper, from the results that are kept (and a --db), and the "
                 "agreement over all"},
        {"details", 0, OPTION_FLAG, &a.details, .help = "every cell, by player and by seat"},
        {0}};
    int operands, status;
    struct error error = {0};
    if (!command_begin("lab report EXPERIMENT|DATABASE [OPTION...]",
                       "Tell what came out of an experiment and its variants, or of all in a database: win "
                       "rates of the first\n"
                       "player of each pairing with their 95% intervals, published figures below.",
                       table, 1, 1, argc, argv, &operands, &status))
        return status;
    if (a.all)
        return lab_report_all(argv[1], a.db, &error) ? EXIT_YES : command_trouble("lab report", &error);
    if (!a.db) a.db = "lab.db";
    return report(argv[1], &a, &error) ? EXIT_YES : command_trouble("lab report", &error);
}
