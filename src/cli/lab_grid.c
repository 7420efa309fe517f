// SPDX-License-Identifier: GPL-3.0-or-later
/* Experiments with boards, for `ludens lab run` and `ludens lab report`. */
#include "base/file.h"
#include "cli/lab.h"
#include "cli/terminal.h"
#include "lab/grid_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool lab_grid_run(const char *what, const char *path, const struct run_options *o,
                  const struct grid_changes *changes, bool force, struct error *error)
{
    struct grid *g = grid_load(what, changes, error);
    struct db *db = g ? db_open(path, true, error) : NULL;
    int64_t id;
    bool good = db && grid_enrol(db, g, force, &id, error);
    if (good) {
        struct run_progress summary = {0};
        fprintf(stderr, "%s: %u points, %" PRIu64 " games, %u job%s, into %s\n", g->name,
                g->across.n * g->along.n, (uint64_t)g->across.n * g->along.n * g->number, o->jobs,
                o->jobs == 1 ? "" : "s", path);
        good = grid_run(g, db, id, o, &summary, error);
        lab_progress_end(o->data, &summary);
        if (good && atomic_load(&terminal_interrupted)) fprintf(stderr, "stopped; run it again to go on\n");
    }
    db_close(db);
    grid_free(g);
    return good;
}

struct figures {
    const char *prefix;
    bool good;
    struct error *error;
};

static void write_figure(void *data, const char *name, const char *svg)
{
    struct figures *f = data;
    char path[4200];
    snprintf(path, sizeof path, "%.4000s-%s.svg", f->prefix, name);
    if (f->good) f->good = file_replace(path, svg, strlen(svg), f->error);
    if (f->good) printf("%s\n", path);
}

static bool write_page(const struct grid_results *r, const char *path, struct error *error)
{
    struct text page;
    text_init(&page, r->heap);
    grid_report_html(r, &page);
    if (strcmp(path, "-") != 0) return file_replace(path, text_str(&page), page.n, error);
    return fwrite(text_str(&page), 1, page.n, stdout) == page.n;
}

static bool show(const struct grid_results *r, const struct lab_report_form *form, struct error *error)
{
    struct figures figures = {form->svg, true, error};
    if (form->svg) grid_figures(r, write_figure, &figures);
    if (form->html && figures.good) figures.good = write_page(r, form->html, error);
    if (form->svg || form->html) return figures.good;
    if (form->csv) {
        grid_report_csv(stdout, r);
    } else if (form->json) {
        json_t *all = grid_report_json(r);
        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
        putchar('\n');
        json_decref(all);
    } else {
        grid_report_text(stdout, r);
    }
    return true;
}

bool lab_grid_report(const char *what, const char *path, const struct lab_report_form *form,
                     struct error *error)
{
    struct heap_guard guard;
    struct grid_changes changes = {.number = UINT32_MAX}; /* all games there are */
    struct grid *g = grid_load(what, &changes, error);
    struct db *db = g ? db_open(path, false, error) : NULL;
    struct grid_results *r = db ? grid_results_read(db, g, error) : NULL;
    if (r && r->games) {
        grid_prune(g, r);
        grid_results_free(r);
        r = grid_results_read(db, g, error);
    }
    volatile bool good = r != NULL;
    if (r && r->games == 0)
        good = error_set(error, ERROR_INPUT, "%.200s has no games of %.100s; `ludens lab run` plays them",
                         path, g->name);
    if (good) {
        good = false;
        if (HEAP_ENTER(r->heap, &guard, error)) {
            good = show(r, form, error);
            heap_leave(r->heap);
        }
    }
    grid_results_free(r);
    db_close(db);
    grid_free(g);
    return good;
}
