// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"

#include "base/spell.h"
#include "game/game.h"

#include <string.h>
#include <unistd.h>

static void print_card(const struct command_card *card)
{
    printf("usage: ludens %s\n\n%s\n\n", card->usage, card->about);
    options_help(stdout, card->table);
}

/* Who is shown cards. A process runs one command, or looks at many in one thread: a variable will do. */
static struct {
    void (*show)(void *data, const struct command_card *card);
    void *data;
} viewer;

void command_capture(const struct command *command, void (*show)(void *data, const struct command_card *card),
                     void *data)
{
    char *argv[] = {(char *)command->name, "--help", NULL};
    viewer.show = show;
    viewer.data = data;
    command->run(2, argv);
    viewer.show = NULL;
}

const struct command *command_find(const struct command *table, const char *name)
{
    while (table->name && strcmp(table->name, name) != 0) table++;
    return table->name ? table : NULL;
}

/* The one that was meant, perhaps; NULL: none is like it. */
static const char *nearest(const struct command *table, const char *name)
{
    unsigned best = spell_tolerance(name) + 1;
    const char *near = NULL;
    for (; table->name; table++) {
        unsigned distance = spell_distance(name, table->name, best - 1);
        if (distance < best) best = distance, near = table->name;
        if (best == 0) break;
    }
    return near;
}

static void list_words(FILE *out, const struct command *group)
{
    fprintf(out, "usage: ludens %s WORD [OPTION...] [OPERAND...]\n\n", group->name);
    for (const struct command *w = group->words; w->name; w++)
        fprintf(out, "  %-8s %s\n", w->name, w->summary);
    fprintf(out, "\n`ludens help %s WORD` tells more about each.\n", group->name);
}

int command_run(const struct command *table, int argc, char **argv)
{
    const struct command *c = command_find(table, argv[0]);
    if (!c) {
        const char *near = nearest(table, argv[0]);
        fprintf(stderr, "ludens: there is no command '%s'; %s%s%s\n", argv[0],
                near ? "did you mean " : "`ludens help` lists them", near ? near : "", near ? "?" : "");
        return EXIT_TROUBLE;
    }
    if (!c->words) return c->run(argc, argv);
    const struct command *word = argc > 1 ? command_find(c->words, argv[1]) : NULL;
    if (word) {
        char name[40]; /* in messages: "ludens lab run: ..." */
        snprintf(name, sizeof name, "%s %s", c->name, word->name);
        argv[1] = name;
        return word->run(argc - 1, argv + 1);
    }
    bool help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    if (argc > 1 && !help) fprintf(stderr, "ludens %s: there is no '%s'\n", c->name, argv[1]);
    list_words(help ? stdout : stderr, c);
    return help ? EXIT_YES : EXIT_TROUBLE;
}

/* What of the usage was not given, after so many operands; or what was given beyond it. */
static void print_misuse(const char *usage, const char *name, int operands, char **argv, bool few)
{
    const char *word = usage + strlen(name);
    for (int i = 0; few && i < operands; i++) {
        word += strspn(word, " ");
        word += strcspn(word, " ");
    }
    word += strspn(word, " ");
    if (few)
        fprintf(stderr, "ludens %s: %.*s is missing\n", name, (int)strcspn(word, " ."), word);
    else
        fprintf(stderr, "ludens %s: '%s' is too much\n", name, argv[operands]);
    fprintf(stderr, "usage: ludens %s\n", usage);
}

bool command_begin(const char *usage, const char *about, const struct option *table, int min_operands,
                   int max_operands, int argc, char **argv, int *operands, int *status)
{
    struct error error;
    bool help;
    *status = EXIT_TROUBLE;
    if (!options_parse(table, argc, argv, operands, &help, &error)) {
        command_trouble(argv[0], &error);
        return false;
    }
    if (help) {
        struct command_card card = {usage, about, table};
        if (viewer.show)
            viewer.show(viewer.data, &card);
        else
            print_card(&card);
        *status = EXIT_YES;
        return false;
    }
    bool few = *operands < min_operands, good = !few && (max_operands < 0 || *operands <= max_operands);
    if (!good) print_misuse(usage, argv[0], few ? *operands : max_operands + 1, argv, few);
    return good;
}

int64_t command_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? n : 1;
}

int command_trouble(const char *name, const struct error *error)
{
    fprintf(stderr, "ludens %s: %s\n", name, error->text);
    return EXIT_TROUBLE;
}

bool command_sheet(const char **path, char *found, size_t size, struct error *error)
{
    if (strcmp(*path, "-") == 0) return true;
    if (!game_find(*path, found, size, error)) return false;
    *path = found;
    return true;
}
