/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boards: what random games show of how a game could be drawn. Everything is observed: games without a board
 * have none, and their facts are told in words. */
#ifndef LUDENS_BOARD_H
#define LUDENS_BOARD_H

#include "game.h"

LUDENS_BEGIN

struct ludens_board;

/* Plays some random games with the engine, for a second at most. */
LUDENS_API struct ludens_board *ludens_board_new(struct ludens_engine *engine, struct ludens_error *error);
LUDENS_API void ludens_board_free(struct ludens_board *board); /* NULL is fine */

/* Boards are counted from 0, the largest first; several predicates that share their cells are one. */
LUDENS_API uint32_t ludens_board_count(const struct ludens_board *board);

struct ludens_board_shape {
    const char *name;       /* of the predicate */
    uint32_t width, height; /* columns and rows of one plane */
    uint32_t planes, cells; /* cell = (plane * height + row) * width + column; row 0 is the lowest */
};
struct ludens_piece {
    const char *name, *sign, *label; /* "white pawn", what a terminal prints, the least that tells it apart */
    const char *figure;              /* "king" ... "pawn", "disc", "cross", "ring", "number", "mark", ... */
    const char *tint;                /* a colour that its name speaks of; NULL: none */
    int owner;                       /* role; -1: nobody's */
};
struct ludens_square {
    uint32_t cell, piece;
};
/* False: there is no such board, or piece. Texts belong to the board. */
LUDENS_API bool ludens_board_shape(const struct ludens_board *board, uint32_t number,
                                   struct ludens_board_shape *out);
LUDENS_API bool ludens_board_piece(const struct ludens_board *board, uint32_t piece,
                                   struct ludens_piece *out);
/* What stands on a board in a state (of any engine of the game): from below where there are several on one
 * cell. The list belongs to the board and lasts until this is called again. */
LUDENS_API bool ludens_board_squares(struct ludens_board *board, uint32_t number,
                                     const struct ludens_state *state, const struct ludens_square **squares,
                                     uint32_t *count, struct ludens_error *error);

/* A state drawn: with characters, as `ludens play` does; as an SVG picture. */
LUDENS_API size_t ludens_board_text(struct ludens_board *board, const struct ludens_state *state,
                                    uint32_t columns, char *buffer, size_t size);
LUDENS_API size_t ludens_board_svg(struct ludens_board *board, const struct ludens_state *state, char *buffer,
                                   size_t size);
/* For who draws elsewhere: the boards with the places of all cells and the looks of all pieces; what stands
 * where in a state (docs/web-api.md describes both). */
LUDENS_API size_t ludens_board_layout_json(struct ludens_board *board, char *buffer, size_t size);
LUDENS_API size_t ludens_board_position_json(struct ludens_board *board, const struct ludens_state *state,
                                             char *buffer, size_t size);

LUDENS_END

#endif
