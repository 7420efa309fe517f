// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "cluster/carrier.h"

#include <string.h>

const struct command ludens_commands[] = {
    {"bench", "measure how fast the engines are", .run = cmd_bench},
    {"check", "find what is wrong with rule sheets", .run = cmd_check},
    {"complete", NULL, .run = cmd_complete},
    {"fmt", "lay out rule sheets the canonical way", .run = cmd_fmt},
    {"games", "list the games of the library", .run = cmd_games},
    {"help", "tell more about a command", .run = cmd_help},
    {"info", "tell what a game is like", .run = cmd_info},
    {"lab", "play tournaments, and the papers' tables", .words = lab_words},
    {"make", "write rule sheets from pictures of boards", .words = make_words},
    {"match", "run matches between players, here and elsewhere", .run = cmd_match},
    {"perft", "count the sequences of moves, depth by depth", .run = cmd_perft},
    {"play", "play or watch a match in the terminal", .run = cmd_play},
    {"players", "list the players and their options", .run = cmd_players},
    {"replay", "show a recorded match, move by move", .run = cmd_replay},
    {"scramble", "disguise a rule sheet", .run = cmd_scramble},
    {"serve", "play matches for game masters on the network", .run = cmd_serve},
    {"serve-worker", NULL, .run = cmd_serve_worker},
    {"sim", "play random games and tell what came out", .run = cmd_sim},
    {"solve", "prove the value of a position", .run = cmd_solve},
    {"think", "search one position", .run = cmd_think},
    {"verify", "follow recorded games and compare", .run = cmd_verify},
    {"web", "play, watch and write games in a browser", .run = cmd_web},
    {0},
};

/* A full disk must not look like success. */
static int finish(int status)
{
    if (atomic_load(&terminal_interrupted)) {
        fflush(stdout);
        return EXIT_INTERRUPTED;
    }
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    if (written || status == EXIT_TROUBLE) return status;
    fputs("ludens: standard output: cannot write\n", stderr);
    return EXIT_TROUBLE;
}

/* Commands whose players search with all processes of an MPI job. */
static bool joins_others(const char *name)
{
    static const char *const names[] = {"match", "play", "serve", "think", "web"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static int run(int argc, char **argv)
{
#ifdef LUDENS_MPI
    int status = EXIT_YES;
    if (joins_others(argv[0]) && cluster_begin(&status)) return status;
    status = finish(command_run(ludens_commands, argc, argv));
    cluster_end();
    return status;
#else
    (void)joins_others;
    return finish(command_run(ludens_commands, argc, argv));
#endif
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        help_print(stderr);
        return EXIT_TROUBLE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help_print(stdout);
        return finish(EXIT_YES);
    }
    if (strcmp(argv[1], "--version") == 0) {
        version_print(stdout);
        return finish(EXIT_YES);
    }
    terminal_end_on_interrupt();
    return run(argc - 1, argv + 1);
}
