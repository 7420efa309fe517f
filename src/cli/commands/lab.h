/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of the laboratory share these: `ludens lab WORD ...`, one file for each word. */
#ifndef CLI_LAB_H
#define CLI_LAB_H

#include "cli/commands.h"
#include "lab/boards/grid.h"
#include "lab/play/run.h"

int lab_run(int argc, char **argv);
int lab_report(int argc, char **argv);
int lab_game(int argc, char **argv);
int lab_merge(int argc, char **argv);
int lab_sprt(int argc, char **argv);
int lab_export(int argc, char **argv);
int lab_import(int argc, char **argv);
/* Every table of a folder of experiments ("paper") from the results that are kept and, unless it is NULL, a
 * database; and their agreement over all. */
bool lab_report_all(const char *folder, const char *db, struct error *error);

#define LAB_DB_OPTION(where)                                                                     \
    {                                                                                            \
        "db", 0, OPTION_STRING, (where),                                                         \
            .value = "FILE|URL",                                                                 \
            .help = "the database, made when there is none; postgresql://HOST/NAME: on a server" \
    }

/* Progress of a run on standard error: one line that changes on a terminal, a line now and then otherwise. */
struct lab_progress {
    double told;
    bool visible;
};
void lab_progress_show(struct lab_progress *l, const struct run_progress *p, const char *more);
void lab_progress_end(struct lab_progress *l, const struct run_progress *p);

/* lab_grid.c: experiments with boards (lab/grid.h). */
struct lab_report_form {    /* NULL and false: text on standard output */
    const char *html, *svg; /* a file; what the names of the figures' files begin with */
    bool csv, json;
};
struct lab_figures { /* files to write: PREFIX-NAME.svg, with the variant of the experiment between them */
    const char *prefix, *experiment;
    bool good;
    struct error *error;
};
void lab_write_figure(void *figures, const char *name, const char *svg);
bool lab_grid_run(const char *what, const char *db, const struct run_options *o,
                  const struct grid_changes *changes, bool force, struct error *error);
/* All variants of it that there are games of; `what` NULL: of all experiments with boards in the database. */
bool lab_grid_report(const char *what, const char *db, const struct lab_report_form *form,
                     struct error *error);

/* Names of experiments in a database, collected by results_each and grid_each: one and its variants, which
 * have its name and a colon in front, or all. */
#define LAB_MAX_NAMES 1000
struct lab_names {
    const char *wanted; /* NULL: all */
    char *v[LAB_MAX_NAMES];
    uint32_t n;
};
void lab_names_add(void *names, const char *name);
void lab_names_done(struct lab_names *names);

struct db;
struct spec_changes;
/* Enter experiments into a database and give them the results that are kept in a folder; NULL: the library's.
 */
bool lab_enrol_kept(struct db *db, char *const *names, int n, const struct spec_changes *changes,
                    const char *folder, uint64_t *games, struct error *error);
/* The same of every multiple of its budgets (`--times`) that an experiment of the library has results of. */
bool lab_enrol_scaled(struct db *db, char *name, struct error *error);
bool lab_grid_count(struct db *db, uint32_t *n, struct error *error); /* those of the database */

#endif
