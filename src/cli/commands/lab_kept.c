// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens lab export, import: results as text, kept with the experiments. */
#include "cli/commands/lab.h"
#include "lab/database/kept.h"
#include "lab/report/results.h"
#include "lab/spec/library.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* FOLDER/NAME.jsonl, with the folders that the name has in it; a variant, NAME:times=2, has a comma instead.
 */
static bool file_of(const char *folder, const char *name, char *path, size_t size, struct error *error)
{
    size_t base = strlen(folder);
    if ((size_t)snprintf(path, size, "%s/%s.jsonl", folder, name) >= size || strstr(name, ".."))
        return error_set(error, ERROR_INPUT, "%.100s cannot be the name of a file", name);
    for (char *c = path + base; *c; c++) {
        if (*c == ':') *c = ',';
        if (*c != '/') continue;
        *c = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        if (!made) error_set(error, ERROR_SYSTEM, "%.300s: %s", path, strerror(errno));
        *c = '/';
        if (!made) return false;
    }
    return true;
}

static bool write_one(struct db *db, const char *name, const char *folder, struct error *error)
{
    char path[4400];
    if (!file_of(folder, name, path, sizeof path, error)) return false;
    struct kept *old = kept_read(path, error);
    bool good = old && kept_write(db, name, old, path, error);
    kept_free(old);
    return good;
}

/* The games of the databases and those that are kept already, joined in memory and written. */
static bool export(char *const *paths, int n, const char *folder, struct error *error)
{
    struct lab_names names = {0};
    uint64_t games, all = 0;
    struct db *db = db_open(":memory:", true, error);
    struct kept *kept = db ? kept_read(folder, error) : NULL;
    bool good = kept;
    for (int i = 0; i < n && good; i++) {
        good = db_merge(db, paths[i], &games, error);
        all += games;
    }
    good = good && kept_fill(kept, db, &games, error) && results_each(db, lab_names_add, &names, error);
    for (uint32_t i = 0; i < names.n && good; i++) good = write_one(db, names.v[i], folder, error);
    if (good)
        printf("%" PRIu64 " games of %u experiments, and %" PRIu64 " that were kept before, into %s\n", all,
               names.n, games, folder);
    lab_names_done(&names);
    kept_free(kept);
    db_close(db);
    return good;
}

int lab_export(int argc, char **argv)
{
    char library[4300];
    const char *into = NULL;
    const struct option table[] = {{"into", 0, OPTION_STRING, &into, .value = "FOLDER",
                                    .help = "where to; lab/results of the library, if none is named"},
                                   {0}};
    int operands, status;
    struct error error = {0};
    if (!command_begin("lab export DATABASE... [OPTION...]",
                       "Write the results of databases down as text: a file for each experiment, a line for "
                       "each cell, which says how every\n"
                       "game ended. What is there already stays there.",
                       table, 1, -1, argc, argv, &operands, &status))
        return status;
    bool good = into || lab_results_folder(library, sizeof library, &error);
    good = good && export(argv + 1, operands, into ? into : library, &error);
    return good ? EXIT_YES : command_trouble("lab export", &error);
}

static bool enrol(struct db *db, const char *what, const struct spec_changes *changes, struct error *error)
{
    char *text = NULL;
    size_t size;
    struct spec *spec = spec_load(what, changes, error);
    struct schedule *schedule = spec ? schedule_new(spec, error) : NULL;
    bool good = schedule && lab_read_file(spec->file, &text, &size, error) &&
                db_enrol(db, schedule, spec->name, text, false, error);
    free(text);
    schedule_free(schedule);
    spec_free(spec);
    return good;
}

bool lab_enrol_kept(struct db *db, char *const *names, int n, const struct spec_changes *changes,
                    const char *folder, uint64_t *games, struct error *error)
{
    char library[4300];
    bool good = folder || lab_results_folder(library, sizeof library, error);
    for (int i = 0; i < n && good; i++) good = enrol(db, names[i], changes, error);
    struct kept *kept = good ? kept_read(folder ? folder : library, error) : NULL;
    good = kept && kept_fill(kept, db, games, error);
    kept_free(kept);
    return good;
}

/* What is behind NAME,times= in the name of a file; 0: it is another file, or has other changes, too. */
static double times_of(const char *file, const char *name)
{
    static const char times[] = ",times=", end[] = ".jsonl";
    char number[64], *rest;
    size_t before = strlen(name) + strlen(times), length = strlen(file);
    if (length < before + strlen(end) || length - before >= sizeof number) return 0;
    if (strncmp(file, name, strlen(name)) != 0 || strncmp(file + strlen(name), times, strlen(times)) != 0 ||
        strcmp(file + length - strlen(end), end) != 0)
        return 0;
    snprintf(number, sizeof number, "%.*s", (int)(length - before - strlen(end)), file + before);
    double x = strtod(number, &rest); /* without the dot of the ending */
    return *rest ? 0 : x;
}

bool lab_enrol_scaled(struct db *db, char *name, struct error *error)
{
    char library[4300], path[8700];
    uint64_t games;
    if (!lab_results_folder(library, sizeof library, error)) return false;
    snprintf(path, sizeof path, "%s/%s", library, name);
    char *last = strrchr(path, '/');
    *last++ = '\0';
    DIR *folder = opendir(path); /* where there is none nothing is kept */
    bool good = true;
    for (struct dirent *d; folder && good && (d = readdir(folder));) {
        struct spec_changes changes = {.times = times_of(d->d_name, last)};
        if (changes.times > 0) good = lab_enrol_kept(db, &name, 1, &changes, library, &games, error);
    }
    if (folder) closedir(folder);
    return good;
}

int lab_import(int argc, char **argv)
{
    const char *path = "lab.db", *from = NULL;
    struct spec_changes changes = {.times = 1};
    const struct option table[] = {
        LAB_DB_OPTION(&path),
        {"from", 0, OPTION_STRING, &from, .value = "FOLDER",
         .help = "where results are kept; lab/results of the library, if none is "
                 "named"},
        {"times", 0, OPTION_REAL, &changes.times, .min = 1e-3, .max = 1e6, .value = "X",
         .help = "results with every budget multiplied by it, as for `lab run`"},
        {"seconds", 0, OPTION_REAL, &changes.budget.seconds, .min = 0, .max = 1e6, .value = "S",
         .help = "results with so many seconds per move, likewise; 0: as it says"},
        {"seed", 0, OPTION_SEED, &changes.seed, .value = "N",
         .help = "results of another seed, likewise; 0: the experiment's"},
        {0}};
    int operands, status;
    uint64_t games = 0;
    struct error error = {0};
    if (!command_begin(
            "lab import EXPERIMENT... [OPTION...]",
            "Take results that were kept as text into a database, so that `ludens lab run` goes on "
            "behind them. Results of cells\n"
            "that would be played otherwise today are left where they are.",
            table, 1, -1, argc, argv, &operands, &status))
        return status;
    struct db *db = db_open(path, true, &error);
    changes.new_seed = changes.seed != 0;
    bool good = db && lab_enrol_kept(db, argv + 1, operands, &changes, from, &games, &error);
    if (good) printf("%" PRIu64 " new games in %s\n", games, db_name(db));
    db_close(db);
    return good ? EXIT_YES : command_trouble("lab import", &error);
}
