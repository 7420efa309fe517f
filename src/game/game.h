/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A game: a rule sheet that was read, checked and found playable. Immutable once loaded, so threads may share
 * it; what changes while playing lives in reasoners. */
#ifndef GAME_GAME_H
#define GAME_GAME_H

#include "logic/program.h"

struct game {
    struct heap *heap;
    const char *name; /* file name without directory and ".kif" */
    char digest[41];  /* SHA-1 of the text, in hex */
    const struct source *source;
    const struct syntax *syntax;
    const struct program *program;
    struct diags diags; /* what reading it brought up: warnings only, if the game was loaded */
    uint32_t nroles;
    const term *roles;       /* in the order of the sheet, terms of program->terms */
    const char **role_names; /* as written in the sheet */
    int chance; /* the role `random`, which moves by chance and wants nothing; -1: there is none */
};

#define GAME_DEFAULT_MEMORY ((size_t)1 << 30)
/* For reading, normalising and checking a sheet: the largest known take a tenth of it. */
#define GAME_SECONDS 10.0

/* Load by path, or by the name of a game of our library (see game_find). `memory` limits the heap of the game
 * (0: the default). NULL and an error if there is no such game or it cannot be played. When `refused` is not
 * NULL, a sheet with errors is stored there all the same, so that its diags can be shown; the caller frees
 * it. */
struct game *game_load(const char *path_or_name, size_t memory, struct game **refused, struct error *error);
struct game *game_from_text(const char *name, const char *text, size_t size, size_t memory,
                            struct game **refused, struct error *error);
void game_free(struct game *game);

/* The path of a game in the library: $LUDENS_GAMES, then games/ beside the program's source or installation.
 * False and an error with near misses if there is none. A path that exists is returned as it is. */
bool game_find(const char *path_or_name, char *path, size_t size, struct error *error);

/* The folder of the library: the first of those game_find looks in that exists. */
bool game_library(char *folder, size_t size, struct error *error);

/* The role of that name (any case), or -1. */
int game_role(const struct game *game, const char *name);

#endif
