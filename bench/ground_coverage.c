// SPDX-License-Identifier: GPL-3.0-or-later
/* How many rule sheets can be grounded, how fast, and how large they become.
 *
 *     ground_coverage [-t SECONDS] [-m MEGABYTES] FILE.kif ...
 *
 * One line per sheet, then the shares that took less than 0.1, 1, 10 and 60 seconds. Times are processor
 * time. */
#include "base/clock.h"
#include "ground/ground.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tally {
    uint32_t sheets, grounded, within[4];
};

static const double marks[4] = {0.1, 1, 10, 60};

static void print_report(const char *name, const struct ground *g, const struct ground_report *r,
                         double seconds, const struct error *error)
{
    printf("%-36s %8.3f s %7.1f MB ", name, seconds, (double)r->peak_bytes / (1 << 20));
    if (g)
        printf("%7u %7u %9u %9u %10u %5u %6u\n", g->nfacts, g->move_base[g->nroles] - g->nfacts, g->natoms,
               g->rules.n, g->literals.n, r->split_rules, r->demanded);
    else
        printf("  %s in '%s' (%s)\n", error->text, r->stage, r->worst);
    fflush(stdout);
}

static void measure(const char *path, const struct ground_limits *limits, struct tally *tally)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error = {0};
    const char *slash = strrchr(path, '/');
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(slash ? slash + 1 : path, "."),
             slash ? slash + 1 : path);
    if (HEAP_ENTER(heap, &guard, &error)) {
        struct source *source = source_read(heap, path);
        struct diags diags;
        diags_init(&diags, heap, source);
        struct syntax *syntax = syntax_parse(heap, source, &diags);
        struct program *program = program_build(heap, syntax, &diags);
        tally->sheets++;
        if (!diags_to_error(&diags, &error)) {
            struct ground_report report;
            double begin = clock_thread();
            struct ground *g = ground_build(program, limits, &report, &error);
            double seconds = clock_thread() - begin;
            print_report(name, g, &report, seconds, &error);
            tally->grounded += g != NULL;
            for (int i = 0; i < 4; i++) tally->within[i] += g && seconds < marks[i];
            ground_free(g);
        } else {
            printf("%-36s refused: %s\n", name, error.text);
        }
        heap_leave(heap);
    } else {
        printf("%-36s %s\n", name, error.text);
    }
    heap_free(heap);
}

int main(int argc, char **argv)
{
    struct ground_limits limits = {.seconds = 10, .bytes = (size_t)4 << 30};
    for (int c; (c = getopt(argc, argv, "t:m:")) != -1;) {
        if (c == 't')
            limits.seconds = atof(optarg);
        else if (c == 'm')
            limits.bytes = (size_t)atol(optarg) << 20;
        else
            return 2;
    }
    struct tally tally = {0};
    printf("%-36s %10s %10s %7s %7s %9s %9s %10s %5s %6s\n", "game", "seconds", "memory", "facts", "moves",
           "atoms", "rules", "literals", "split", "demand");
    for (int i = optind; i < argc; i++) measure(argv[i], &limits, &tally);
    if (!tally.sheets) return 0;
    printf("%u sheets, %u grounded", tally.sheets, tally.grounded);
    for (int i = 0; i < 4 && (i == 0 || marks[i - 1] < limits.seconds); i++)
        printf("; %.1f%% within %g s", 100.0 * tally.within[i] / tally.sheets, marks[i]);
    puts("");
    return 0;
}
