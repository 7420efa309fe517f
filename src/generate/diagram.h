/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Games from pictures of boards: a string like those of chess diagrams becomes a rule sheet (002 §7.2.1).
 *
 *     "2F/X2/(3)1/R1p"         rows from the top, '/' between them           3  · · F
 *                                                                            2  # · ·
 *     1 2 .. 12   so many empty squares      X    a wall                     1  3 · ·
 *     P p         pawn, White's and Black's  F f  a flag                     0  R · p
 *     R r         runner                     (7)  a square that costs 7 points to step on
 *     I i         idle runner                (7F) the same with something on it
 *     H h         hurdler
 *
 * White moves up the board and begins. A pawn steps one square straight or slantwise forward and captures
 * slantwise; a runner steps straight forward; an idle runner can be played but stays where it is; a hurdler
 * steps forward and may change to any lane it can get to along the row it enters without crossing a wall. A
 * player who cannot move passes; when nobody can, the game is over.
 *
 *     request ── diagram_open ──> struct diagram ── diagram_rules ──> GDL
 *                (names of 002 ch. 7      │
 *                 become strings)         └── diagram_draw ──> text for people
 */
#ifndef GENERATE_DIAGRAM_H
#define GENERATE_DIAGRAM_H

#include "base/text.h"

#define DIAGRAM_MAX_SIDE 64
#define DIAGRAM_MAX_LIMIT 10000
#define DIAGRAM_MAX_COST 999

enum diagram_player { DIAGRAM_WHITE, DIAGRAM_BLACK };
enum diagram_kind {
    DIAGRAM_NOTHING,
    DIAGRAM_PAWN,
    DIAGRAM_RUNNER,
    DIAGRAM_IDLER,
    DIAGRAM_HURDLER,
    DIAGRAM_KINDS
};

/* How a game is won: the first player who does one of these. */
enum {
    DIAGRAM_GOAL_RANK = 1 /* the far rank */,
    DIAGRAM_GOAL_FLAG = 2,
    DIAGRAM_GOAL_CAPTURE = 4 /* all pieces */
};
/* How a game that nobody has won is scored when it is over: a draw, or for who has fewer penalty points, or
 * for who has more pieces left. */
enum diagram_score { DIAGRAM_DRAW, DIAGRAM_PENALTIES, DIAGRAM_PIECES };

struct diagram_square {
    enum diagram_kind kind;
    enum diagram_player owner; /* of the piece */
    bool wall, flag;           /* exclude each other and a piece */
    enum diagram_player flag_owner;
    uint32_t cost; /* penalty points */
};

struct diagram {
    uint32_t columns, rows;
    struct diagram_square *squares; /* row * columns + column, row 0 the lowest */
    uint32_t goals;                 /* DIAGRAM_GOAL_* */
    enum diagram_score score;
    uint32_t limit; /* moves of both players together; 0: none */
    bool trail;     /* the state keeps all squares entered: paths that meet stay apart (002 §7.2.2) */
    const char *text, *name;
};

/* What somebody asks for: a string, or the name of a board of 002 chapter 7 with its parameters. */
struct diagram_request {
    const char *text;         /* NULL: `like` says which */
    const char *like;         /* a name of diagram_names */
    int64_t lanes, length;    /* penalties, shock-step, punishment */
    int64_t active, factor;   /* progression: active runners, limit in units of 18 moves */
    int64_t pawns;            /* optimistic: in the midfield, 1, 2, 4 or 6 */
    const char *goal, *score; /* "rank,flag,capture" and "draw", ...; NULL: the board's own */
    int64_t limit;            /* -1: the board's own */
    bool trail;
};
extern const struct diagram_request diagram_request_default;

struct diagram_name {
    const char *name, *parameters, *help;
};
extern const struct diagram_name diagram_names[]; /* ends with a NULL name */

/* Understand a request. Call inside a guard of `heap`, which then owns the board; false and an error that
 * points at the column of the string and says what is allowed there. */
bool diagram_open(struct heap *heap, const struct diagram_request *request, struct diagram *out,
                  struct error *error);

/* diagram_parse.c: only the picture; diagram_open does the rest. */
bool diagram_parse(struct heap *heap, const char *text, struct diagram *out, struct error *error);
/* diagram_like.c: the picture of a named board, written to `text`, and its own goal, score, limit and trail.
 */
bool diagram_like(const struct diagram_request *request, struct text *text, struct diagram *out,
                  struct error *error);

/* The rule sheet, laid out as `ludens fmt` would. Call inside a guard of `heap`. */
void diagram_rules(struct heap *heap, const struct diagram *board, struct text *out);
/* The picture, each line after `margin`. */
void diagram_draw(const struct diagram *board, const char *margin, struct text *out);

/* Words for the enums: "white", "pawn", 'P'. */
const char *diagram_player_name(enum diagram_player player);
const char *diagram_kind_name(enum diagram_kind kind);
char diagram_letter(enum diagram_kind kind, enum diagram_player owner);

static inline const struct diagram_square *diagram_at(const struct diagram *b, uint32_t column, uint32_t row)
{
    return &b->squares[row * b->columns + column];
}

/* Positions in the game tree of a race (penalties, shock-step, punishment): every move of `lanes` lanes is a
 * new position, both players make length - 1 moves. As a logarithm to base 10, for it soon exceeds any
 * number. */
double diagram_race_nodes(uint32_t lanes, uint32_t length);

#endif
