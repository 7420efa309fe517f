// SPDX-License-Identifier: GPL-3.0-or-later
/* Experiments with boards, for `ludens lab run` and `ludens lab report`. */
#include "base/file.h"
#include "cli/commands/lab.h"
#include "cli/terminal.h"
#include "lab/boards/grid_report.h"

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

/* ---- reports ---- */

void lab_write_figure(void *data, const char *name, const char *svg)
{
    struct lab_figures *f = data;
    char path[4400];
    const char *variant = strchr(f->experiment, ':');
    int n = snprintf(path, sizeof path, "%.4000s", f->prefix);
    for (const char *c = variant ? variant : ""; *c && n < 4300; c++) path[n++] = *c == ':' ? '-' : *c;
    snprintf(path + n, sizeof path - (size_t)n, "-%s.svg", name);
    if (f->good) f->good = file_replace(path, svg, strlen(svg), f->error);
    if (f->good) printf("%s\n", path);
}

/* One of several: `number` from 0. */
static bool show(const struct grid_results *r, const struct lab_report_form *form, uint32_t number,
                 struct text *page, json_t *all, struct error *error)
{
    struct lab_figures figures = {form->svg, r->grid->name, true, error};
    if (form->svg) grid_figures(r, lab_write_figure, &figures);
    if (form->html) grid_report_html(r, page);
    if (form->svg || form->html) return figures.good;
    if (number && !form->csv && !form->json) putchar('\n');
    if (form->csv)
        grid_report_csv(stdout, r, number == 0);
    else if (form->json)
        json_array_append_new(all, grid_report_json(r));
    else
        grid_report_text(stdout, r);
    return true;
}

static bool show_guarded(const struct grid_results *r, const struct lab_report_form *form, uint32_t number,
                         struct text *page, json_t *all, struct error *error)
{
    struct heap_guard guard;
    volatile bool good = false;
    if (HEAP_ENTER(r->heap, &guard, error)) {
        good = show(r, form, number, page, all, error);
        heap_leave(r->heap);
    }
    return good;
}

static void count(void *data, const char *name)
{
    (void)name;
    ++*(uint32_t *)data;
}

bool lab_grid_count(struct db *db, uint32_t *n, struct error *error)
{
    *n = 0;
    return grid_each(db, count, n, error);
}

/* The experiment `name` of the database: from the file that was named, or from the library. */
static struct grid_results *load(struct db *db, const char *what, const char *own, const char *name,
                                 struct grid **grid, struct error *error)
{
    char source[4400];
    struct grid_changes changes = {.number = UINT32_MAX}; /* all games there are */
    snprintf(source, sizeof source, "%.4000s%.300s", what ? what : name, what ? name + strlen(own) : "");
    *grid = grid_load(source, &changes, error);
    struct grid_results *r = *grid ? grid_results_read(db, *grid, error) : NULL;
    if (r && r->games) {
        grid_prune(*grid, r);
        grid_results_free(r);
        r = grid_results_read(db, *grid, error);
    }
    return r;
}

static bool report_all(struct db *db, const char *what, const char *own, const char *path,
                       const struct lab_report_form *form, struct text *page, struct error *error)
{
    struct lab_names names = {.wanted = own};
    json_t *all = json_array();
    uint32_t shown = 0;
    bool good = grid_each(db, lab_names_add, &names, error);
    for (uint32_t i = 0; i < names.n && good; i++) {
        struct grid *g = NULL;
        struct grid_results *r = load(db, what, own, names.v[i], &g, error);
        if (r && r->games) good = show_guarded(r, form, shown++, page, all, error);
        if (!r && what) good = false;
        if (!r && !what) /* somebody else's experiment: its file is not here */
            fprintf(stderr, "ludens lab report: %s: %s\n", names.v[i], error->text);
        grid_results_free(r);
        grid_free(g);
    }
    lab_names_done(&names);
    if (good && shown == 0 && what)
        good = error_set(error, ERROR_INPUT, "%.200s has no games of %.100s; `ludens lab run` plays them",
                         path, own);
    if (good && form->json && shown) { /* one alone is no list */
        json_dumpf(shown == 1 ? json_array_get(all, 0) : all, stdout,
                   JSON_INDENT(2) | JSON_REAL_PRECISION(10));
        putchar('\n');
    }
    json_decref(all);
    return good;
}

static bool write_page(struct text *page, const char *path, struct error *error)
{
    if (page->n == 0) return true;
    if (strcmp(path, "-") != 0) return file_replace(path, text_str(page), page->n, error);
    return fwrite(text_str(page), 1, page->n, stdout) == page->n;
}

bool lab_grid_report(const char *what, const char *path, const struct lab_report_form *form,
                     struct error *error)
{
    struct grid *g = what ? grid_load(what, NULL, error) : NULL;
    struct db *db = g || !what ? db_open(path, false, error) : NULL;
    struct heap *heap = db ? heap_new(0) : NULL;
    struct heap_guard guard;
    volatile bool good = false;
    if (db && !heap) error_set(error, ERROR_MEMORY, "out of memory");
    if (heap && HEAP_ENTER(heap, &guard, error)) {
        struct text page;
        text_init(&page, heap);
        good = report_all(db, what, g ? g->name : NULL, path, form, &page, error) &&
               (!form->html || write_page(&page, form->html, error));
        heap_leave(heap);
    }
    heap_free(heap);
    db_close(db);
    grid_free(g);
    return good;
}
