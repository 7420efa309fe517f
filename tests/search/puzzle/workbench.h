/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests of puzzles share: a game with both of its engines, a race in it, a line replayed by the rules,
 * everything that can be reached. */
#ifndef TESTS_SEARCH_PUZZLE_WORKBENCH_H
#define TESTS_SEARCH_PUZZLE_WORKBENCH_H

#include "../../testing.h"

#include "search/puzzle/frontier.h"
#include "search/puzzle/race.h"

struct bench {
    struct game *game;
    struct engine *engine;
    const struct code *code;
    struct reasoner *circuit, *lifted;
    struct state root, lifted_root;
};

struct bench open_bench(const char *name);
struct bench open_text(const char *text);
void close_bench(struct bench *b);

struct race *start(const struct bench *b, bool lifted, uint32_t which);
/* Play the line by the rules: what it brings. */
int replay(const struct bench *b, bool lifted, const struct line *line);
/* Everything that can be reached, by breadth-first search that does not stop at a solution. */
struct frontier *explore(struct space *s, struct line *line);

/* Lights out on three by three: every start can be solved. */
extern const char lights[];

#endif
