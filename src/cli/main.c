// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/terminal.h"
#include "cluster/carrier.h"

#include <string.h>

static const struct command commands[] = {
    {"bench", "measure how fast the engines are", cmd_bench},
    {"check", "find what is wrong with rule sheets", cmd_check},
    {"fmt", "lay out rule sheets the canonical way", cmd_fmt},
    {"games", "list the games of the library", cmd_games},
    {"info", "tell what a game is like", cmd_info},
    {"lab", "play tournaments, and the papers' tables", cmd_lab},
    {"make", "write rule sheets from pictures of boards", cmd_make},
    {"match", "run matches between players, here and elsewhere", cmd_match},
    {"perft", "count the sequences of moves, depth by depth", cmd_perft},
    {"play", "play or watch a match in the terminal", cmd_play},
    {"players", "list the players and their options", cmd_players},
    {"replay", "show a recorded match, move by move", cmd_replay},
    {"scramble", "disguise a rule sheet", cmd_scramble},
    {"serve", "play matches for game masters on the network", cmd_serve},
    {"serve-worker", NULL, cmd_serve_worker},
    {"sim", "play random games and tell what came out", cmd_sim},
    {"solve", "prove the value of a position", cmd_solve},
    {"think", "search one position", cmd_think},
    {"verify", "follow recorded games and compare", cmd_verify},
    {"web", "play, watch and write games in a browser", cmd_web},
    {0},
};

static void print_help(FILE *out)
{
    fputs("usage: ludens COMMAND [OPTION...] [OPERAND...]\n\n", out);
    for (const struct command *c = commands; c->name; c++)
        if (c->summary) fprintf(out, "  %-10s %s\n", c->name, c->summary);
    fputs("\n`ludens help COMMAND` tells more about each.\n"
          "Exit status: 0 it worked, 1 what was asked is not so, 2 it could not be done, 130 Ctrl-C.\n",
          out);
}

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

static int run_command(const struct command *c, int argc, char **argv)
{
#ifdef LUDENS_MPI
    int status = EXIT_YES;
    if (joins_others(c->name) && cluster_begin(&status)) return status;
    status = finish(c->run(argc, argv));
    cluster_end();
    return status;
#else
    (void)joins_others;
    return finish(c->run(argc, argv));
#endif
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_TROUBLE;
    }
    bool help = strcmp(argv[1], "help") == 0;
    if ((help && argc == 2) || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return finish(EXIT_YES);
    }
    if (help) { /* `help lab run` is `lab run --help` */
        memmove(argv + 1, argv + 2, (size_t)(argc - 2) * sizeof *argv);
        argv[argc - 1] = "--help";
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("ludens " LUDENS_VERSION);
        return finish(EXIT_YES);
    }
    terminal_end_on_interrupt();
    for (const struct command *c = commands; c->name; c++)
        if (strcmp(argv[1], c->name) == 0) return run_command(c, argc - 1, argv + 1);
    fprintf(stderr, "ludens: there is no command '%s'; `ludens help` lists them\n", argv[1]);
    return EXIT_TROUBLE;
}
