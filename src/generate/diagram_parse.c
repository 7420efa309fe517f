// SPDX-License-Identifier: GPL-3.0-or-later
/* The picture: one pass over the string, with the column of whatever is wrong. */
#include "base/vec.h"
#include "generate/diagram.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[DIAGRAM_KINDS] = {"nothing", "pawn", "runner", "idler", "hurdler"};
static const char kind_letters[DIAGRAM_KINDS] = {'.', 'P', 'R', 'I', 'H'};

const char *diagram_player_name(enum diagram_player player)
{
    return player == DIAGRAM_WHITE ? "white" : "black";
}

const char *diagram_kind_name(enum diagram_kind kind)
{
    return kind_names[kind];
}

char diagram_letter(enum diagram_kind kind, enum diagram_player owner)
{
    return owner == DIAGRAM_WHITE ? kind_letters[kind] : (char)tolower(kind_letters[kind]);
}

struct reader {
    const char *text;
    size_t at;
    struct error *error;
};

/* An error that shows the string with a caret below the culprit. */
static bool complain(const struct reader *r, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool complain(const struct reader *r, size_t at, const char *format, ...)
{
    char what[260];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    /* a window of the string: all of it when it is short */
    size_t n = strlen(r->text), from = at > 30 ? at - 30 : 0, count = n - from > 60 ? 60 : n - from;
    return error_set(r->error, ERROR_INPUT, "board, column %zu: %s\n    %.*s\n    %*s^", at + 1, what,
                     (int)count, r->text + from, (int)(at - from), "");
}

static bool number(struct reader *r, uint32_t max, uint32_t *out)
{
    size_t begin = r->at;
    uint32_t n = 0;
    while (isdigit((unsigned char)r->text[r->at])) {
        n = n * 10 + (uint32_t)(r->text[r->at++] - '0');
        if (n > max) return complain(r, begin, "the number here is at most %u", max);
    }
    if (n == 0) return complain(r, begin, "the number here is at least 1");
    *out = n;
    return true;
}

/* A letter: a piece, a wall or a flag. */
static bool contents(struct reader *r, struct diagram_square *s)
{
    char c = r->text[r->at], upper = (char)toupper((unsigned char)c);
    enum diagram_player owner = c == upper ? DIAGRAM_WHITE : DIAGRAM_BLACK;
    s->wall = c == 'X';
    s->flag = upper == 'F';
    s->flag_owner = owner;
    for (enum diagram_kind k = DIAGRAM_PAWN; k < DIAGRAM_KINDS; k++)
        if (upper == kind_letters[k]) s->kind = k, s->owner = owner;
    if (!s->wall && !s->flag && !s->kind)
        return complain(r, r->at,
                        "'%c' is not allowed; a square is P p (pawn), R r (runner), I i (idle runner), H h "
                        "(hurdler), F f (flag), X (wall), (N) (penalty), or a number of empty squares",
                        c);
    r->at++;
    return true;
}

/* "(N)" or "(NF)": a square that costs points. */
static bool costly(struct reader *r, struct diagram_square *s)
{
    size_t open = r->at++;
    if (!isdigit((unsigned char)r->text[r->at]))
        return complain(r, r->at, "'(' is followed by penalty points, as in (3) or (3F)");
    if (!number(r, DIAGRAM_MAX_COST, &s->cost)) return false;
    if (r->text[r->at] && r->text[r->at] != ')' && !contents(r, s)) return false;
    if (s->wall) return complain(r, r->at - 1, "nobody steps on a wall, so it cannot cost points");
    if (r->text[r->at] != ')')
        return complain(r, r->at, "')' is missing for the '(' in column %zu", open + 1);
    r->at++;
    return true;
}

bool diagram_parse(struct heap *heap, const char *text, struct diagram *out, struct error *error)
{
    struct reader r = {text, 0, error};
    VEC(struct diagram_square) squares = {0}; /* rows from the top */
    uint32_t rows = 0, columns = 0, column = 0;
    size_t row_begin = 0;
    for (;;) {
        char c = text[r.at];
        if (c == '/' || c == '\0') {
            if (column == 0) return complain(&r, r.at, "this row has no squares");
            if (rows && column != columns)
                return complain(&r, row_begin, "this row has %u squares, the first one %u", column, columns);
            columns = column;
            column = 0;
            if (++rows > DIAGRAM_MAX_SIDE)
                return complain(&r, row_begin, "a board has at most %u rows", DIAGRAM_MAX_SIDE);
            row_begin = ++r.at;
            if (!c) break;
            continue;
        }
        struct diagram_square square = {0};
        uint32_t count = 1;
        size_t begin = r.at;
        if (isdigit((unsigned char)c) ? !number(&r, DIAGRAM_MAX_SIDE, &count)
            : c == '('                ? !costly(&r, &square)
                                      : !contents(&r, &square))
            return false;
        if ((column += count) > DIAGRAM_MAX_SIDE)
            return complain(&r, begin, "a row has at most %u squares", DIAGRAM_MAX_SIDE);
        while (count--) vec_push(heap, &squares, square);
    }
    out->text = heap_strdup(heap, text, strlen(text));
    out->columns = columns;
    out->rows = rows;
    out->squares = heap_alloc(heap, squares.n * sizeof *out->squares);
    for (uint32_t y = 0; y < rows; y++)
        memcpy(out->squares + y * columns, squares.v + (rows - 1 - y) * columns,
               columns * sizeof *out->squares);
    return true;
}

void diagram_draw(const struct diagram *b, const char *margin, struct text *out)
{
    uint32_t width = 1;
    for (uint32_t i = 0; i < b->columns * b->rows; i++)
        if (b->squares[i].cost > 9) width = 2;
    if (b->columns > 9) width = 2;
    for (uint32_t y = b->rows; y-- > 0;) {
        text_printf(out, "%s%2u ", margin, y + 1);
        for (uint32_t x = 0; x < b->columns; x++) {
            const struct diagram_square *s = diagram_at(b, x, y);
            char c = s->kind   ? diagram_letter(s->kind, s->owner)
                     : s->wall ? 'X'
                     : s->flag ? (s->flag_owner == DIAGRAM_WHITE ? 'F' : 'f')
                               : '.';
            if (c == '.' && s->cost)
                text_printf(out, " %*u", (int)width, s->cost);
            else
                text_printf(out, " %*s%c", (int)width - 1, "", c);
        }
        text_char(out, '\n');
    }
    text_printf(out, "%s   ", margin);
    for (uint32_t x = 0; x < b->columns; x++) text_printf(out, " %*u", (int)width, x + 1);
    text_char(out, '\n');
}
