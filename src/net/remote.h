/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Players elsewhere, reached by the GGP protocol, in seats of our matches.
 *
 *     struct table_talk    one match as the players elsewhere see it: its id, the rules as they are sent
 *        │                 (plain, or scrambled with the map that translates every move)
 *        ├── seat_remote   http://host:port, one letter under way at a time
 *        └── seat_remote   ...
 *
 *     ( START id role ( rules ) 10 5 )   ready        ( STOP id ( move move ) )   done
 *     ( PLAY id NIL )                    move         ( ABORT id )                aborted
 *     ( PLAY id ( move move ) )          move         ( INFO )                    ( ( name x ) ... )
 *
 * Whatever a player answers is a stranger's text: it is compared with the legal moves and never enters the
 * game's own store of terms; in remarks it is cut short and made printable.
 */
#ifndef NET_REMOTE_H
#define NET_REMOTE_H

#include "match/match.h"
#include "net/post.h"

struct table_talk;

struct table_talk_options {
    const char *id; /* of the match: one word */
    bool scramble;
    uint64_t seed; /* of the scrambling */
};

/* NULL and an error without memory. The post and the game stay the caller's. */
struct table_talk *table_talk_new(struct post *post, const struct game *game,
                                  const struct table_talk_options *options, struct error *error);
void table_talk_free(struct table_talk *t); /* after its seats; NULL is fine */

/* A seat for the player at `url`, called `name` in records. Both are copied. */
struct seat *seat_remote(struct table_talk *t, const char *url, const char *name, struct error *error);

/* A sheet as START has it: in one line, without comments. Call inside a guard of the text's heap. */
void remote_print_rules(const struct syntax *s, struct text *out);

/* What a player says about itself. */
struct remote_info {
    char name[60];   /* empty if it does not tell */
    char status[20]; /* "available", "busy", or empty */
};

struct letter *remote_ask_info(struct post *post, const char *url, double seconds); /* NULL: no memory */
void remote_read_info(const struct reply *reply, struct remote_info *info);

#endif
