// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens games: what the library has. */
#include "cli/commands.h"
#include "game/library.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct games_options {
    int64_t players;
    const char *turns;
    bool json;
};

static const char *word(const json_t *entry, const char *key)
{
    const char *s = json_string_value(json_object_get(entry, key));
    return s ? s : "";
}

/* All words occur in the name or the title, and the filters let it pass. */
static bool is_wanted(const json_t *entry, const struct games_options *o, char **words, int nwords)
{
    for (int i = 0; i < nwords; i++)
        if (!strcasestr(word(entry, "name"), words[i]) && !strcasestr(word(entry, "title"), words[i]))
            return false;
    if (o->players && json_integer_value(json_object_get(entry, "players")) != o->players) return false;
    return !o->turns || strcasecmp(word(entry, "turns"), o->turns) == 0;
}

/* The sheets that are wanted. NULL and an error if there is no library. */
static json_t *collect(const struct games_options *o, char **words, int nwords, struct error *error)
{
    json_t *all = library_list(error), *list = all ? json_array() : NULL, *entry;
    size_t i;
    json_array_foreach(all, i, entry) if (is_wanted(entry, o, words, nwords)) json_array_append(list, entry);
    json_decref(all);
    return list;
}

static void print_number(const json_t *entry, const char *key, int width, int decimals)
{
    const json_t *value = json_object_get(entry, key);
    if (json_is_number(value))
        printf(" %*.*f", width, decimals, json_number_value(value));
    else
        printf(" %*s", width, "-");
}

static void print_table(const json_t *list)
{
    size_t i;
    json_t *entry;
    printf("%-20s %7s  %-13s  %-8s %7s %9s %7s  %s\n", "name", "players", "turns", "sum", "length",
           "branching", "gates", "title");
    json_array_foreach(list, i, entry)
    {
        const char *turns = word(entry, "turns"), *sum = word(entry, "sum");
        printf("%-20s", word(entry, "name"));
        print_number(entry, "players", 7, 0);
        printf("  %-13s  %-8s", *turns ? turns : "-", *sum ? sum : "-");
        print_number(entry, "length", 7, 1);
        print_number(entry, "branching", 9, 1);
        print_number(entry, "gates", 7, 0);
        printf("  %s\n", word(entry, "title"));
    }
    printf("\n%zu game%s\n", json_array_size(list), json_array_size(list) == 1 ? "" : "s");
}

int cmd_games(int argc, char **argv)
{
    struct games_options o = {0};
    const struct option table[] = {{"players", 0, OPTION_INT, &o.players, .max = 1000, .value = "N",
                                    .help = "only games for N players; 0: all"},
                                   {"turns", 't', OPTION_STRING, &o.turns, .value = "T",
                                    .choices = "alone|alternating|one at a time|simultaneous",
                                    .help = "only those"},
                                   {"json", 'j', OPTION_FLAG, &o.json, .help = "print the list as JSON"},
                                   {0}};
    int operands, status;
    if (!command_begin(
            "games [OPTION...] [WORD...]",
            "List the games of the library, or those with all the words in their name or title.\n"
            "Turns: who chooses, the player alone, all in turn, one at a time in no fixed order, or\n"
            "several at once. Sum: whether the goals of all players add up to the same in every game.\n"
            "Length (steps) and branching (moves of a player who has a choice) are means over random\n"
            "games; gates is the size of the circuit the rules become.\n"
            "Exit status: 0; 1 if there is no such game; 2 if there is no library.",
            table, 0, -1, argc, argv, &operands, &status))
        return status;
    struct error error = {0};
    json_t *list = collect(&o, argv + 1, operands, &error);
    if (!list) return command_trouble("games", &error);
    if (o.json) {
        json_dumpf(list, stdout, JSON_INDENT(2));
        putchar('\n');
    } else {
        print_table(list);
    }
    status = json_array_size(list) ? EXIT_YES : EXIT_NO;
    json_decref(list);
    return status;
}
