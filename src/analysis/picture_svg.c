// SPDX-License-Identifier: GPL-3.0-or-later
/* Boards one below the other, `CELL` pixels a cell; facts that are on no board as lines of text below. */
#include "analysis/picture_svg.h"

#include <math.h>
#include <string.h>

enum { CELL = 44, MARGIN = 24, LINE = 18, LINES = 12 /* of facts */ };

static const char *word(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* Names of the sheet may be anything. */
static void put_escaped(struct text *out, const char *s)
{
    for (; *s; s++) switch (*s) {
        case '<': text_puts(out, "&lt;"); break;
        case '>': text_puts(out, "&gt;"); break;
        case '&': text_puts(out, "&amp;"); break;
        case '"': text_puts(out, "&quot;"); break;
        default: text_printf(out, "%c", (unsigned char)*s < ' ' ? ' ' : *s);
        }
}

static void put_text_at(struct text *out, double x, double y, double size, const char *fill, const char *s)
{
    text_printf(out, "<text x=\"%g\" y=\"%g\" font-size=\"%g\" fill=\"%s\" text-anchor=\"middle\">", x, y,
                size, fill);
    put_escaped(out, s);
    text_puts(out, "</text>\n");
}

/* ---- pieces */

static const char *fill_of(const json_t *piece)
{
    static const char *const owners[] = {"#f4f1e8", "#2d3138", "#b5452f", "#2f6db5", "#4f8f4a", "#c9992e"};
    static const char *const known[] = {"white",  "black", "red",    "blue", "green", "yellow",
                                        "orange", "brown", "purple", "pink", "gray",  "grey"};
    const char *tint = word(piece, "tint");
    const json_t *owner = json_object_get(piece, "owner");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(tint, known[i]) == 0) return known[i];
    if (!json_is_integer(owner)) return "#9a938a";
    return owners[(size_t)json_integer_value(owner) % (sizeof owners / sizeof *owners)];
}

static bool is_dark(const char *fill)
{
    return !strchr("wyp", fill[0]) && strcmp(fill, "#f4f1e8") != 0 && strcmp(fill, "#c9992e") != 0;
}

static void put_disc(struct text *out, double x, double y, const char *fill)
{
    text_printf(out, "<circle cx=\"%g\" cy=\"%g\" r=\"%g\" fill=\"%s\" stroke=\"#444\"/>\n", x, y,
                CELL * 0.38, fill);
}

/* The chess figure of that name in Unicode, filled; NULL: it is none. */
static const char *chess_sign(const char *figure)
{
    static const char *const figures[][2] = {{"king", "♚"},   {"queen", "♛"},  {"rook", "♜"},
                                             {"bishop", "♝"}, {"knight", "♞"}, {"pawn", "♟"}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (strcmp(figure, figures[i][0]) == 0) return figures[i][1];
    return NULL;
}

static void put_piece(struct text *out, const json_t *piece, double x, double y)
{
    const char *figure = word(piece, "figure"), *fill = fill_of(piece), *label = word(piece, "label");
    double r = CELL * 0.3;
    if (strcmp(figure, "cross") == 0)
        text_printf(out, "<path d=\"M%g %gL%g %gM%g %gL%g %g\" stroke=\"#333\" stroke-width=\"5\"/>\n", x - r,
                    y - r, x + r, y + r, x - r, y + r, x + r, y - r);
    else if (strcmp(figure, "ring") == 0)
        text_printf(out,
                    "<circle cx=\"%g\" cy=\"%g\" r=\"%g\" fill=\"none\" stroke=\"#333\" "
                    "stroke-width=\"5\"/>\n",
                    x, y, r);
    else if (chess_sign(figure))
        text_printf(out,
                    "<text x=\"%g\" y=\"%g\" font-size=\"%g\" fill=\"%s\" stroke=\"#222\" "
                    "stroke-width=\"0.8\" text-anchor=\"middle\">%s</text>\n",
                    x, y + CELL * 0.29, CELL * 0.82, fill, chess_sign(figure));
    else if (strcmp(figure, "disc") == 0)
        put_disc(out, x, y, fill);
    else if (strcmp(figure, "mark") == 0)
        text_printf(out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"%s\" opacity=\"0.8\"/>\n",
                    x - r, y - r, 2 * r, 2 * r, fill);
    else {
        if (strcmp(figure, "token") == 0) put_disc(out, x, y, fill);
        bool dark = strcmp(figure, "token") == 0 && is_dark(fill);
        put_text_at(out, x, y + CELL * 0.12, strlen(label) > 3 ? 11 : 16, dark ? "white" : "#222", label);
    }
}

/* ---- boards */

struct place {
    double left, top; /* of the board on the picture */
};

static struct place middle(struct place at, const json_t *cell)
{
    return (struct place){at.left + (number(cell, "x") + 0.5) * CELL,
                          at.top + (number(cell, "y") + 0.5) * CELL};
}

static void put_cells(struct text *out, const json_t *board, struct place at)
{
    const json_t *cells = json_object_get(board, "cells"), *cell;
    bool grid = strcmp(word(board, "shape"), "grid") == 0,
         moving = json_is_true(json_object_get(board, "moving"));
    size_t i;
    json_array_foreach(cells, i, cell)
    {
        struct place p = middle(at, cell);
        int odd = ((int)number(cell, "column") + (int)number(cell, "row")) % 2;
        const char *fill = moving && grid && !odd ? "#d9c7a7" : "#efe5d0";
        if (grid)
            text_printf(out,
                        "<rect x=\"%g\" y=\"%g\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#b7a98c\">",
                        p.left - CELL / 2.0, p.top - CELL / 2.0, CELL, CELL, fill);
        else
            text_printf(out, "<circle cx=\"%g\" cy=\"%g\" r=\"%g\" fill=\"%s\" stroke=\"#b7a98c\">", p.left,
                        p.top, CELL * 0.46, fill);
        text_puts(out, "<title>");
        put_escaped(out, word(cell, "name"));
        text_puts(out, grid ? "</title></rect>\n" : "</title></circle>\n");
    }
}

static const json_t *find_cell(const json_t *board, json_int_t number_of_cell)
{
    const json_t *cells = json_object_get(board, "cells"), *cell;
    size_t i;
    json_array_foreach(cells, i, cell) if (json_integer_value(json_object_get(cell, "cell")) ==
                                           number_of_cell) return cell;
    return NULL;
}

/* [cell, piece, piece ...] */
static void put_square(struct text *out, const json_t *layout, const json_t *board, const json_t *square,
                       struct place at)
{
    const json_t *cell = find_cell(board, json_integer_value(json_array_get(square, 0)));
    if (!cell) return;
    struct place p = middle(at, cell);
    for (size_t i = 1; i < json_array_size(square); i++) {
        json_int_t n = json_integer_value(json_array_get(square, i));
        const json_t *piece = n < 0 ? NULL : json_array_get(json_object_get(layout, "pieces"), (size_t)n);
        double up = json_is_true(json_object_get(board, "stacked")) ? (double)(i - 1) * 5 : 0;
        if (piece)
            put_piece(out, piece, p.left, p.top - up);
        else
            put_text_at(out, p.left, p.top + CELL * 0.12, 18, "#a00", "?");
    }
}

static void put_axes(struct text *out, const json_t *board, struct place at, struct place size)
{
    const json_t *columns = json_object_get(board, "columns"), *rows = json_object_get(board, "rows"), *name;
    size_t i;
    if (strcmp(word(board, "shape"), "grid") != 0 || json_array_size(json_object_get(board, "titles")))
        return;
    json_array_foreach(columns, i, name) put_text_at(
        out, at.left + ((double)i + 0.5) * CELL, at.top + size.top + 14, 12, "#666", json_string_value(name));
    json_array_foreach(rows, i, name)
        put_text_at(out, at.left - 12, at.top + size.top - ((double)i + 0.5) * CELL + 4, 12, "#666",
                    json_string_value(name));
}

static struct place size_of(const json_t *board)
{
    const json_t *cells = json_object_get(board, "cells"), *cell;
    struct place size = {0, 0};
    size_t i;
    json_array_foreach(cells, i, cell)
    {
        size.left = fmax(size.left, (number(cell, "x") + 1) * CELL);
        size.top = fmax(size.top, (number(cell, "y") + 1) * CELL);
    }
    return size;
}

/* Facts on no board: "control white". */
static void put_facts(struct text *out, const json_t *facts, double top)
{
    const json_t *fact, *part;
    size_t i, k;
    json_array_foreach(facts, i, fact)
    {
        if (i == LINES) break;
        text_printf(out, "<text x=\"%d\" y=\"%g\" font-size=\"13\" fill=\"#444\">", MARGIN,
                    top + ((double)i + 1) * LINE);
        json_array_foreach(fact, k, part)
        {
            if (k) text_puts(out, " ");
            put_escaped(out, json_string_value(part));
        }
        if (i + 1 == LINES && json_array_size(facts) > LINES) text_puts(out, " ...");
        text_puts(out, "</text>\n");
    }
}

void picture_svg(const json_t *layout, const json_t *position, struct text *out)
{
    const json_t *boards = json_object_get(layout, "boards"), *facts = json_object_get(position, "facts");
    const json_t *board, *square;
    double width = 320, height = MARGIN;
    size_t i, k, lines = json_array_size(facts) < LINES ? json_array_size(facts) : LINES;
    json_array_foreach(boards, i, board)
    {
        struct place size = size_of(board);
        width = fmax(width, size.left + 2 * MARGIN);
        height += size.top + MARGIN;
    }
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
                "font-family=\"sans-serif\">\n",
                width, height + (double)lines * LINE + 8, width, height + (double)lines * LINE + 8);
    height = MARGIN / 2.0;
    json_array_foreach(boards, i, board)
    {
        struct place at = {MARGIN, height}, size = size_of(board);
        put_cells(out, board, at);
        put_axes(out, board, at, size);
        json_array_foreach(json_array_get(json_object_get(position, "boards"), i), k, square)
            put_square(out, layout, board, square, at);
        height += size.top + MARGIN;
    }
    put_facts(out, facts, height);
    text_puts(out, "</svg>\n");
}
