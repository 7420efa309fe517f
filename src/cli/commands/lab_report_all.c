// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens lab report FOLDER --all: every table, and the agreement with what was published over all of them. */
#include "cli/commands/lab.h"
#include "cli/terminal.h"
#include "lab/report/report.h"
#include "lab/spec/library.h"
#include "lab/stats/agreement.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct tables {
    const char *folder;
    struct lab_names names;
};

static void collect(void *data, const char *name, const char *path)
{
    struct tables *t = data;
    size_t n = strlen(t->folder);
    if (strncmp(name, t->folder, n) == 0 && name[n] == '/' && !grid_recognise(path))
        lab_names_add(&t->names, name);
}

static void print_line(const char *name, const struct agreement *a, uint64_t games)
{
    printf("%-28s%7u", name, agreement_significant(a));
    for (enum verdict v = VERDICT_SAME_SURE; v <= VERDICT_MISSING; v++) printf("%10u", a->count[v]);
    printf("%10" PRIu64, games);
    if (a->ndistances) printf("%10.2f", a->distance / a->ndistances);
    putchar('\n');
}

/* The figures of one game, over all tables that name it so. */
struct by_game {
    const char *name;
    double distance;
    uint32_t n;
};

static int farthest_first(const void *a, const void *b)
{
    const struct by_game *x = a, *y = b;
    double dx = x->distance / x->n, dy = y->distance / y->n;
    return dx < dy ? 1 : dx > dy ? -1 : strcmp(x->name, y->name);
}

static void add_game(struct by_game *games, uint32_t *n, const char *name, double distance)
{
    uint32_t i = 0;
    while (i < *n && strcmp(games[i].name, name) != 0) i++;
    if (i == *n) games[(*n)++] = (struct by_game){.name = name};
    games[i].distance += distance;
    games[i].n++;
}

static void print_distances(const struct tables *t, struct results *const *list)
{
    uint32_t most = 0, n = 0;
    for (uint32_t i = 0; i < t->names.n; i++) most += list[i]->ngames;
    struct by_game *games = calloc(most + 1, sizeof *games);
    for (uint32_t i = 0; i < t->names.n && games; i++)
        for (uint32_t c = 0; c < list[i]->ngames * list[i]->npairings; c++) {
            double distance = agreement_distance(&list[i]->cells[c]);
            if (distance >= 0) add_game(games, &n, list[i]->games[c / list[i]->npairings], distance);
        }
    if (n) qsort(games, n, sizeof *games, farthest_first);
    if (n)
        puts("\nHow far figures are from the published ones, squared, in standard errors of both (1 in the "
             "mean where the same\nplayers met), and of how many figures that is the mean:");
    for (uint32_t i = 0; i < n; i++)
        printf("  %-24s%6.2f%6u\n", games[i].name, games[i].distance / games[i].n, games[i].n);
    free(games);
}

/* The cells of one verdict, table by table. */
static void print_cells(const struct tables *t, struct results *const *list, enum verdict v)
{
    for (uint32_t i = 0; i < t->names.n; i++) {
        struct agreement a = agreement_count(list[i]);
        struct heap *heap = a.count[v] ? heap_new(0) : NULL;
        struct heap_guard guard;
        struct error error;
        if (heap && HEAP_ENTER(heap, &guard, &error)) {
            struct text text;
            text_init(&text, heap);
            agreement_cells(list[i], v, &text);
            printf("  %s: %s\n", list[i]->name, text_str(&text));
            heap_leave(heap);
        }
        heap_free(heap);
    }
}

static void print_agreement(const struct tables *t, struct results *const *list)
{
    struct agreement sum = {0};
    uint64_t games = 0;
    printf(
        "Agreement over all: published figures that are clear of equality, and where they come out here\n\n"
        "%-28s%7s%10s%10s%10s%10s%10s%10s%10s%10s\n",
        "", "clear", "same, sig", "same", "level", "reversed", "rev., sig", "missing", "games", "distance");
    for (uint32_t i = 0; i < t->names.n; i++) {
        struct agreement a = agreement_count(list[i]);
        print_line(list[i]->name, &a, list[i]->played);
        agreement_add(&sum, &a);
        games += list[i]->played;
    }
    print_line("all", &sum, games);
    uint32_t same = sum.count[VERDICT_SAME_SURE] + sum.count[VERDICT_SAME];
    uint32_t played = agreement_significant(&sum) - sum.count[VERDICT_MISSING];
    if (played)
        printf("\nOf %u that were played %u (%.0f%%) are on the published side, %u of them significantly; %u "
               "are reversed\nsignificantly. Of the %u published without a side %u have one here.\n",
               played, same, 100.0 * same / played, sum.count[VERDICT_SAME_SURE],
               sum.count[VERDICT_REVERSED_SURE], sum.count[VERDICT_OPEN], sum.open_sure);
    if (played)
        printf(
            "Were the published figures exact, %.0f of the %u would be on their side with as many games.\n",
            sum.expected, played);
    for (enum verdict v = VERDICT_REVERSED_SURE; v >= VERDICT_REVERSED; v--) {
        if (sum.count[v]) printf("\n%s:\n", verdict_names[v]);
        print_cells(t, list, v);
    }
    print_distances(t, list);
}

/* Takes the place of what there is of an experiment if it has more games. */
static bool read_more(struct db *db, const char *name, struct results **best, struct error *error)
{
    struct results *r = results_read(db, name, error);
    if (!r) return false;
    bool more = !*best || r->played > (*best)->played;
    results_free(more ? *best : r);
    if (more) *best = r;
    return true;
}

/* The experiment NAME with other budgets, NAME:times=X. */
static bool is_scaled(const char *variant, const char *name)
{
    static const char times[] = ":times=";
    size_t n = strlen(name);
    char *end;
    if (strncmp(variant, name, n) != 0 || strncmp(variant + n, times, strlen(times)) != 0) return false;
    strtod(variant + n + strlen(times), &end);
    return !*end;
}

/* An experiment that nobody has played with its own budgets, with those that there are most games of. */
static bool read_scaled(struct db *db, char *name, struct results **best, struct error *error)
{
    struct lab_names all = {0};
    bool good = lab_enrol_scaled(db, name, error) && results_each(db, lab_names_add, &all, error);
    for (uint32_t i = 0; i < all.n && good; i++)
        if (is_scaled(all.v[i], name)) good = read_more(db, all.v[i], best, error);
    lab_names_done(&all);
    return good;
}

static bool print_all(struct db *db, const struct tables *t, struct error *error)
{
    struct results **list = calloc(t->names.n + 1, sizeof *list);
    bool good = list || error_set(error, ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < t->names.n && good; i++) {
        good = read_more(db, t->names.v[i], &list[i], error) &&
               (list[i]->played > 0 || read_scaled(db, t->names.v[i], &list[i], error));
        if (!good) break;
        report_text(stdout, list[i], false, terminal_colour(stdout));
        puts("\n");
    }
    if (good) print_agreement(t, list);
    for (uint32_t i = 0; i < t->names.n && list; i++) results_free(list[i]);
    free(list);
    return good;
}

bool lab_report_all(const char *folder, const char *path, struct error *error)
{
    struct tables t = {.folder = folder};
    uint64_t games;
    bool good = lab_each(collect, &t, error);
    if (good && t.names.n == 0)
        good =
            error_set(error, ERROR_INPUT, "there is no folder of experiments '%.100s'; paper is one", folder);
    struct db *db = good ? db_open(":memory:", true, error) : NULL;
    good = db && (!path || db_merge(db, path, &games, error)) &&
           lab_enrol_kept(db, t.names.v, (int)t.names.n, &(struct spec_changes){0}, NULL, &games, error) &&
           print_all(db, &t, error);
    lab_names_done(&t.names);
    db_close(db);
    return good;
}
