/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of the program: one file each (cmd_NAME.c), one row each in the table of main.c.
 *
 * A command gets its own name as argv[0]. Exit status: 0 it worked, 1 what was asked for is not so (a check
 * failed, a trace differs), 2 it could not be done (bad usage, unreadable file, no memory), 130 Ctrl-C ended
 * it (main.c sees to that, whatever the command returns). One letter means the same in all commands. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/options.h"

enum { EXIT_YES = 0, EXIT_NO = 1, EXIT_TROUBLE = 2, EXIT_INTERRUPTED = 130 };

struct command {
    const char *name;
    const char *summary; /* one line for `ludens help`; NULL: not for people */
    int (*run)(int argc, char **argv);
    const struct command *words; /* instead of `run`: the commands it consists of */
};
extern const struct command ludens_commands[]; /* all of them; a NULL name ends such tables */
extern const struct command lab_words[], make_words[];

/* The row of a name, or NULL. */
const struct command *command_find(const struct command *table, const char *name);
/* Run the command that argv begins with, down through the words of words. */
int command_run(const struct command *table, int argc, char **argv);

/* What a command says about itself: `ludens USAGE`, then `about`, then the table. `about` is plain text for
 * people and manual pages alike: lines that begin with two blanks are shown as they are, an empty line ends
 * a paragraph, and what follows "Exit status: " to its end is about that. In `usage`, words in capitals are
 * operands (complete.h). */
struct command_card {
    const char *usage, *about;
    const struct option *table;
};

/* Have a command show its card, instead of printing it: `show` is called once, while the table lives. */
void command_capture(const struct command *command, void (*show)(void *data, const struct command_card *card),
                     void *data);

/* The beginning that all commands share: parse options, show the card or print the error. True: go on, with
 * the operands in argv[1..*operands]. False: return *status. */
bool command_begin(const char *usage, const char *about, const struct option *table, int min_operands,
                   int max_operands, int argc, char **argv, int *operands, int *status);
/* Print "ludens NAME: text" and return EXIT_TROUBLE. */
int command_trouble(const char *name, const struct error *error);

/* How many threads make sense. */
int64_t command_processors(void);

/* A rule sheet named by the person: a path, "-", or a game of the library, whose path goes to `found` then.
 * False and an error if there is none. */
bool command_sheet(const char **path, char *found, size_t size, struct error *error);

int cmd_complete(int argc, char **argv); /* what shells ask, not people */
int cmd_help(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_fmt(int argc, char **argv);
int cmd_games(int argc, char **argv);
int cmd_scramble(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_match(int argc, char **argv);
int cmd_perft(int argc, char **argv);
int cmd_play(int argc, char **argv);
int cmd_players(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_serve_worker(int argc, char **argv); /* what serve starts, not for people */
int cmd_sim(int argc, char **argv);
int cmd_solve(int argc, char **argv);
int cmd_think(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_web(int argc, char **argv);

#endif
