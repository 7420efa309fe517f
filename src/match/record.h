/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A match written down: everything that is needed to see it again, and to check it.
 *
 *     match ── record_of_match ──> struct record ── record_write ──> FILE.json, FILE.pgn
 *                                        ^                               │
 *     record_game, record_joint <────────┴──────── record_read ──────────┘
 *
 * A record holds words, not numbers of some engine: moves and facts as text, in the game's plain names also
 * when the players saw scrambled ones. As JSON it contains the rules, so that it can be replayed anywhere;
 * the text form, made after chess's PGN, is for people and names the rules by their digest. docs/network.md
 * describes both.
 *
 * Files come from anywhere: reading one checks every length, number and name, and the moves are checked
 * against the rules when it is followed.
 */
#ifndef MATCH_RECORD_H
#define MATCH_RECORD_H

#include "match/match.h"

struct record_step {
    const char **moves;          /* by role */
    double at;                   /* seconds since the match began; negative: not known */
    double *seconds;             /* by role; NULL: not known */
    struct match_search *search; /* by role; NULL: nobody of ours searched. Not in the text form */
};

struct record_error {
    uint32_t step, role; /* step 0: the start */
    enum match_error kind;
    const char *text;
};

enum record_ending { RECORD_UNFINISHED, RECORD_COMPLETED, RECORD_ABORTED, RECORD_FORFEITED };
extern const char *const record_ending_names[RECORD_FORFEITED + 1];

struct record {
    struct heap *heap; /* holds everything, this too */
    /* Words that are not known are "", except `rules`: NULL. */
    const char *match, *game, *digest, *rules;
    const char *date; /* 2026-11-15T12:45:01Z */
    uint32_t nroles;
    const char **roles, **players;
    double start_clock, play_clock;                       /* 0: none */
    uint64_t simulations, steps_budget, expansions, seed; /* per move; the seed of the match */
    bool scrambled;
    uint64_t scramble_seed;
    uint32_t nsteps;
    struct record_step *steps;
    /* If states were asked for: nsteps + 1 lists of facts (as in traces: lower case, sorted), else NULL. */
    struct record_state {
        const char **facts;
        uint32_t n;
    } * states;
    uint32_t nerrors;
    struct record_error *errors;
    int *rewards; /* by role; GOAL_UNDEFINED: none */
    enum record_ending ending;
    bool *forfeits; /* by role; NULL: nobody lost that way */
};

#define RECORD_MAX_BYTES ((size_t)64 << 20) /* of a file that is read */
#define RECORD_MAX_ROLES 64

/* What the match itself does not know. */
struct record_about {
    const char *id; /* of the match; NULL: none */
    uint64_t seed;
    bool scrambled;
    uint64_t scramble_seed;
    bool states;
};

struct record *record_of_match(struct match *m, const struct record_about *about, struct error *error);
void record_free(struct record *r); /* NULL is fine */

enum record_form { RECORD_JSON, RECORD_PGN };
enum record_form record_form_of(const char *path); /* by its suffix: .pgn, or else JSON */
/* Append the record. Call inside a guard of the text's heap. */
void record_print(const struct record *r, enum record_form form, struct text *out);
bool record_write(const struct record *r, const char *path, struct error *error);

/* Either form. NULL and an error that says what is wrong where. */
struct record *record_read(const char *path, struct error *error);
struct record *record_parse(const char *name, const char *data, size_t size, struct error *error);

/* The game of a record: the one given (a path or name), or its own rules, or the library's game of that name.
 * `*same` tells whether it has the recorded digest. NULL and an error if there is none or its roles are
 * others. */
struct game *record_game(const struct record *r, const char *given, bool *same, struct error *error);
/* The joint move of a step (from 0) in the state before it, which must be legal there. */
bool record_joint(const struct record *r, uint32_t step, struct reasoner *reasoner, const struct state *s,
                  uint32_t *joint, struct error *error);

/* record_json.c, record_pgn.c: inside a guard of the record's heap. The readers unwind with an ERROR_INPUT.
 */
void record_print_json(const struct record *r, struct text *out);
void record_print_pgn(const struct record *r, struct text *out);
void record_parse_json(struct record *r, const char *data, size_t size);
void record_parse_pgn(struct record *r, const char *data, size_t size);
/* A role by name; unwinds if there is none. */
uint32_t record_role(const struct record *r, const char *name, size_t n);
/* A word copied to the record; unwinds if it has control characters: it will be shown on terminals. */
const char *record_word(struct record *r, const char *s, size_t n);

#endif
