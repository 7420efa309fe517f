/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Games and engines by name, as the commands take them. */
#ifndef CLI_ENGINE_H
#define CLI_ENGINE_H

#include "cli/commands.h"
#include "game/reasoner.h"

/* The engine of that name on the game; "auto" takes the best there is for it. NULL and an error that lists
 * the names if there is none. The caller frees the reasoner before the game. */
struct reasoner *engine_open(const struct game *game, const char *name, struct error *error);

/* What most commands begin with: a game by path or name, and an engine on it. */
struct session {
    struct game *game;
    struct reasoner *reasoner;
};

/* False: the reason was printed under the name of the command (for a rule sheet with errors: the errors with
 * their places); return *status. */
bool session_open(struct session *s, const char *command, const char *game, const char *engine, int *status);
void session_close(struct session *s);

/* The GPU, for commands with --device gpu; NULL: there is none, which was said on standard error in one line,
 * and the command goes on with the processor. */
struct gpu *device_open(const char *command);

#define DEVICE_OPTION(where, text)                                                                   \
    {                                                                                                \
        "device", 0, OPTION_STRING, (where), .value = "DEVICE", .choices = "cpu|gpu", .help = (text) \
    }

#define ENGINE_OPTION(where)                                                  \
    {                                                                         \
        "engine", 'e', OPTION_STRING, (where),                                \
            .value = "E", .choices = "lifted|circuit|auto",                   \
            .help = "how the rules are worked out, or the best for this game" \
    }

#endif
