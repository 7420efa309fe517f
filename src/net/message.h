/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One message of the GGP protocol, from text that anybody may have sent.
 *
 *     ( START match.1 robot ((role robot) ...) 30 15 )
 *       kind  id      role   rules        clocks, and whatever a master adds behind them
 *     ( PLAY match.1 ((mark 1 1) noop) )        moves, or NIL
 *
 * Nothing is copied and nothing is built: the parts are slices of the text. The rules are not looked into
 * beyond their parentheses; whoever plays the game reads them, under its own limits.
 */
#ifndef NET_MESSAGE_H
#define NET_MESSAGE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define MESSAGE_MAX_BYTES ((size_t)32 << 20)
#define MESSAGE_MAX_DEPTH 1000
#define MESSAGE_MAX_NAME 4096 /* bytes of a match's id or a role */
#define MESSAGE_MAX_MOVES 1000
#define MESSAGE_MAX_CLOCK 1e6

struct slice {
    const char *at;
    size_t n;
};

enum message_kind { MESSAGE_INFO, MESSAGE_PREVIEW, MESSAGE_START, MESSAGE_PLAY, MESSAGE_STOP, MESSAGE_ABORT };

struct message {
    enum message_kind kind;
    struct slice id;                /* START, PLAY, STOP, ABORT */
    struct slice role;              /* START */
    struct slice rules;             /* START, PREVIEW: without the parentheses around them */
    double start_clock, play_clock; /* START: seconds; PREVIEW has the first only */
    struct slice moves;             /* PLAY, STOP: without the parentheses around them */
    uint32_t nmoves;                /* 0: NIL */
};

/* False and an error that says what is wrong. The slices live as long as the text. */
bool message_parse(const char *text, size_t size, struct message *out, struct error *error);
const char *message_name(enum message_kind kind); /* "START" */

/* Take the next term, an atom or a list with its parentheses, from the front of `rest`. False: there is none,
 * or, with the error set, none that can be read. */
bool slice_term(struct slice *rest, struct slice *term, struct error *error);
/* A term with single blanks and without comments: equal terms in equal spelling become equal strings. The
 * caller frees it; NULL: no memory. */
char *slice_canonical(struct slice term);

/* Told byte by byte, knows when a message is complete: the parenthesis that closes the first one was seen.
 * For bodies whose length nobody announced. Begin with a zeroed one. */
struct message_end {
    uint32_t depth;
    bool comment, complete;
};
void message_end_feed(struct message_end *e, const char *bytes, size_t n);

#endif
