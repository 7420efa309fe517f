// SPDX-License-Identifier: GPL-3.0-or-later
/* ludens players: the presets and the options, from the tables that also parse them. */
#include "cli/commands.h"
#include "player/config.h"

int cmd_players(int argc, char **argv)
{
    const struct option table[] = {{0}};
    int operands, status;
    if (!command_begin("players",
                       "List the players by name and the options they take: PLAYER[,OPTION=VALUE]...", table,
                       0, 0, argc, argv, &operands, &status))
        return status;
    puts("Players:");
    for (const struct player_preset *p = player_presets; p->name; p++) {
        printf("  %-12s %s\n", p->name, p->help);
        if (*p->options) printf("  %-12s   %s\n", "", p->options);
    }
    puts("\nOptions, as in nst,epsilon=0.1,decay=move:0.6:");
    for (const struct player_option *o = player_options; o->name; o++) {
        char standard[32], range[100] = "";
        player_option_default(o, standard, sizeof standard);
        if (o->type == PLAYER_BOOL)
            snprintf(range, sizeof range, "on|off");
        else if (o->type == PLAYER_CHOICE)
            snprintf(range, sizeof range, "%s", o->choices);
        else if (o->type == PLAYER_REAL || o->type == PLAYER_INT)
            snprintf(range, sizeof range, "%g..%g", o->min, o->max);
        printf("  %-10s %s\n  %-10s   %s%sdefault %s\n", o->name, o->help, "", range, *range ? ", " : "",
               standard);
    }
    return EXIT_YES;
}
