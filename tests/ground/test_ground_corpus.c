// SPDX-License-Identifier: GPL-3.0-or-later
/* Ground programs of other people's rule sheets do what the recorded games say: facts, legal moves, end and
 * goals of each state. Quick by default (small programs in full, large ones for a few states; one sheet of
 * three under a sanitizer); with the argument "slow", everything. */
#include "../testing.h"

#include "evaluate.h"

#include <dirent.h>
#include <stdio.h>

static bool slow, split;
static const char *only; /* one game, for people looking for a mistake */

static int is_sheet(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 4 && strcmp(d->d_name + n - 4, ".kif") == 0;
}

/* 1 agrees, 0 does not, -1 not grounded within the limits. */
static int check_game(const char *corpus, const char *name, uint64_t *states)
{
    char path[1024];
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error = {0};
    volatile int result = 0;
    if (HEAP_ENTER(heap, &guard, &error)) {
        struct ground_limits limits = {.seconds = split ? 1 : 60,
                                       .bytes = (size_t)(slow    ? 4096
                                                         : split ? 32
                                                                 : 64)
                                                << 20};
        if (split) limits.split_instances = 50, limits.large_table = 100, limits.patience = 1000;
        struct ground_report report;
        snprintf(path, sizeof path, "%s/games/%s.kif", corpus, name);
        struct ground *g = ground_sheet(heap, source_read(heap, path), &limits, &report, &error);
        snprintf(path, sizeof path, "%s/traces/%s.json", corpus, name);
        if (!g)
            result = -1;
        else
            result = trace_check(g, path, slow ? UINT64_MAX : 300000, states, &error);
        ground_free(g);
        heap_leave(heap);
    }
    if (result <= 0) print_message("%s: %s\n", name, error.text);
    heap_free(heap);
    return result;
}

static void ground_programs_follow_the_traces(void **state)
{
    const char *corpus = getenv("LUDENS_CORPUS");
    char path[1024];
    snprintf(path, sizeof path, "%s/games", corpus ? corpus : "");
    struct dirent **entries;
    int n = scandir(path, &entries, is_sheet, alphasort);
    if (!corpus || n <= 0) skip();
    int agreed = 0, wrong = 0, given_up = 0;
    uint64_t states = 0;
    for (int i = 0; i < n; i++) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)strlen(entries[i]->d_name) - 4, entries[i]->d_name);
        free(entries[i]);
        /* The reference tells apart names that differ only in case in the one, (f) and f in the other. */
        if (strcmp(name, "alexChess__v0") == 0 || strcmp(name, "blockerSerial__v0") == 0) continue;
        if (only ? strcmp(only, name) != 0 : SANITIZED && !slow && i % 3) continue;
        uint64_t more = 0;
        int result = check_game(corpus, name, &more);
        agreed += result == 1, wrong += result == 0, given_up += result == -1;
        states += more;
    }
    free(entries);
    print_message("%d games agree (%llu states), %d do not, %d were not grounded within the limits\n", agreed,
                  (unsigned long long)states, wrong, given_up);
    assert_int_equal(wrong, 0);
    if (!only) assert_true(agreed > 5 * given_up);
}

int main(int argc, char **argv)
{
    slow = argc > 1 && strcmp(argv[1], "slow") == 0;
    split = argc > 1 && strcmp(argv[1], "split") == 0;
    only = argc > 2 ? argv[2] : NULL;
    const struct CMUnitTest tests[] = {cmocka_unit_test(ground_programs_follow_the_traces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
