/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One way to search a puzzle. All methods of a race work in one space, from its root, and offer what they
 * find to one line. A method is new for every root, but may take over what the one before has found. */
#ifndef SEARCH_PUZZLE_METHOD_H
#define SEARCH_PUZZLE_METHOD_H

#include "search/puzzle/line.h"
#include "search/puzzle/space.h"

struct method;

enum method_state {
    METHOD_WORKING,
    METHOD_EXHAUSTED, /* it has seen everything: nothing better can be reached in its space */
    METHOD_OVER,      /* it has nothing more to say, and proves nothing */
};

struct method_ops {
    const char *name;
    /* Work until the turn is over, or there is nothing more to do, or the line brings all there is. */
    enum method_state (*run)(struct method *m, struct turn *turn);
    /* The moves it would make now if it had found nothing; 0: no idea. At most n. May be NULL. */
    uint32_t (*promise)(struct method *m, uint32_t *moves, uint32_t n);
    /* Moves have been made: take over what `before`, of the same kind, knows of what can be reached from the
     * new root. Called before the first run; what is left of `before` can only be freed. May be NULL. */
    void (*adopt)(struct method *m, struct method *before);
    void (*free)(struct method *m);
};

struct method {
    const struct method_ops *ops;
    struct space *space;
    struct line *line;
    uint64_t steps;  /* positions entered so far */
    uint32_t nearer; /* how often it came nearer to the goal than ever, as far as it can tell */
    char note[120];  /* how far it is, for people */
};

/* The line brings all there is. */
static inline bool method_solved(const struct method *m)
{
    return m->line->goal >= m->space->most;
}

static inline void method_free(struct method *m)
{
    if (m) m->ops->free(m);
}

#endif
