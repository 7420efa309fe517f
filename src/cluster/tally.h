/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search knows of the moves at its root, on its way to another process: a head and 48 bytes for each
 * move. Moves are known by a hash of their words, as engines number them differently. */
#ifndef CLUSTER_TALLY_H
#define CLUSTER_TALLY_H

#include "search/mcts.h"

struct tally_head {
    uint32_t serial; /* of the position */
    uint32_t order;  /* the last one that was heard */
    uint32_t final;  /* all that was ordered is done */
    uint32_t nodes;  /* in the tree */
    uint32_t moves;
    uint32_t pad;
    struct mcts_stats stats; /* since the order */
};

struct tally_move {
    uint64_t name;
    struct pooled known;
};

/* The names of the moves at a search's root. */
struct tally_names {
    uint64_t *v;
    uint32_t n;
    uint64_t of; /* the root's hash */
};

bool tally_name(struct tally_names *names, struct mcts *m); /* anew if it is another root; false: no memory */
void tally_names_done(struct tally_names *names);

/* The whole as bytes, which the caller frees; NULL: no memory. The head's moves are filled in. */
char *tally_write(struct mcts *m, const struct tally_names *names, struct tally_head *head, size_t *size);
/* The head of a tally that came in; false: it is none. */
bool tally_read(const char *bytes, size_t size, struct tally_head *head);
/* Add it to the search's pool: moves that are not there are left out. */
void tally_pour(const char *bytes, struct mcts *m, const struct tally_names *names);

#endif
