// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens games: what the library has.
 *
 * The sheets are those of the library's folder; what is told about them was measured before and is kept
 * beside them in index.json (scripts/survey-games writes it, tests/cli/test_games.py holds it to the truth).
 * A sheet that is not in the index is listed by its name alone. */
#include "cli/commands.h"
#include "game/game.h"

#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct games_options {
    int64_t players;
    const char *turns;
    bool json;
};

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcasecmp((*a)->d_name, (*b)->d_name);
}

static int is_sheet(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 4 && strcmp(d->d_name + n - 4, ".kif") == 0;
}

/* The index, or an empty one where there is none. NULL and an error if it cannot be understood. */
static json_t *read_index(const char *folder, struct error *error)
{
    char path[4400];
    json_error_t fault;
    snprintf(path, sizeof path, "%s/index.json", folder);
    FILE *file = fopen(path, "rb");
    if (!file) return json_pack("{s:[]}", "games");
    json_t *index = json_loadf(file, 0, &fault);
    fclose(file);
    if (index && json_is_array(json_object_get(index, "games"))) return index;
    error_set(error, ERROR_INPUT, "%.200s:%d: %s", path, index ? 1 : fault.line,
              index ? "there is no list of games" : fault.text);
    json_decref(index);
    return NULL;
}

/* What the index says of a game; a new entry with the name only if it says nothing. */
static json_t *describe(json_t *index, const char *name)
{
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(index, "games"), i, entry)
    {
        const char *known = json_string_value(json_object_get(entry, "name"));
        if (known && strcmp(known, name) == 0) return json_incref(entry);
    }
    return json_pack("{s:s}", "name", name);
}

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

/* The sheets of the folder that are wanted, in the order of their names. NULL and an error if the folder
 * cannot be read. */
static json_t *collect(const char *folder, const struct games_options *o, char **words, int nwords,
                       struct error *error)
{
    struct dirent **sheets;
    json_t *index = read_index(folder, error), *list = NULL;
    if (!index) return NULL;
    int n = scandir(folder, &sheets, is_sheet, compare_names);
    if (n < 0)
        error_set(error, ERROR_INPUT, "%.200s cannot be read", folder);
    else
        list = json_array();
    for (int i = 0; i < n; i++) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)(strlen(sheets[i]->d_name) - 4), sheets[i]->d_name);
        json_t *entry = describe(index, name);
        if (is_wanted(entry, o, words, nwords)) json_array_append(list, entry);
        json_decref(entry);
        free(sheets[i]);
    }
    if (n >= 0) free(sheets);
    json_decref(index);
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

static bool turns_known(const char *turns, struct error *error)
{
    static const char *const known[] = {"alone", "alternating", "one at a time", "simultaneous"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!turns || strcasecmp(turns, known[i]) == 0) return true;
    return error_set(error, ERROR_INPUT,
                     "--turns is alone, alternating, one at a time or simultaneous, not '%.60s'", turns);
}

int cmd_games(int argc, char **argv)
{
    struct games_options o = {0};
    const struct option table[] = {{"players", 0, OPTION_INT, &o.players, .max = 1000, .value = "N",
                                    .help = "only games for N players; 0: all"},
                                   {"turns", 't', OPTION_STRING, &o.turns, .value = "T",
                                    .help = "only those: alone, alternating, one at a time, simultaneous"},
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
    char folder[4200];
    struct error error = {0};
    if (!turns_known(o.turns, &error)) return command_trouble("games", &error);
    json_t *list = NULL;
    if (game_library(folder, sizeof folder, &error)) list = collect(folder, &o, argv + 1, operands, &error);
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
