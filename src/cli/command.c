// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"

#include "game/game.h"

#include <string.h>

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
        printf("usage: ludens %s\n\n%s\n\n", usage, about);
        options_help(stdout, table);
        *status = EXIT_YES;
        return false;
    }
    if (*operands < min_operands || (max_operands >= 0 && *operands > max_operands)) {
        fprintf(stderr, "ludens %s: %s\nusage: ludens %s\n", argv[0],
                *operands < min_operands ? "something is missing" : "too many operands", usage);
        return false;
    }
    return true;
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
