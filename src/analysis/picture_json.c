// SPDX-License-Identifier: GPL-3.0-or-later
/* The geometry, in units of one cell, y downwards:
 *
 *     grid            x = column, y = rows from the top
 *     star            rows centred, one above the other
 *     skew            x = column +- half a row, rows closer together, as honeycombs are
 *     several planes  side by side with a gap of one cell, two coordinates of planes as rows and columns;
 *                     a stack is one plane, its heights are piles
 */
#include "analysis/picture_json.h"

#include <math.h>

#define PLANE_GAP 1.2
#define CELLS_DRAWN 4096 /* of one board; larger ones are left to the list of facts */

static const char *word(const struct analysis *a, term x)
{
    return symbol_name(a->terms, term_get(a->terms, x)->head);
}

/* A name of the sheet, whatever bytes it has. */
static json_t *name_json(const char *s)
{
    json_t *text = json_string(s);
    if (text) return text;
    char plain[200];
    size_t n = 0;
    for (; s[n] && n + 1 < sizeof plain; n++) plain[n] = (unsigned char)s[n] < 0x80 ? s[n] : '?';
    plain[n] = '\0';
    return json_string(plain);
}

static bool is_drawn(const struct board *b)
{
    return b->cells <= CELLS_DRAWN;
}

/* ---- cells */

struct point {
    double x, y;
};

static uint32_t row_length(const struct board *b, uint32_t y)
{
    uint32_t n = 0;
    for (uint32_t x = 0; x < b->x.n; x++)
        if (b->exists[board_cell(b, 0, x, y)]) n = x + 1;
    return n;
}

/* Planes that are drawn: 1 where they are heights. */
static uint32_t planes_drawn(const struct board *b)
{
    return b->stacked ? 1 : b->planes;
}

static uint32_t planes_across(const struct board *b)
{
    uint32_t n = planes_drawn(b);
    if (b->nplane_args == 2) return b->plane_axis[0].n;
    return n <= 3 ? n : (uint32_t)ceil(sqrt(n));
}

static struct point plane_corner(const struct board *b, uint32_t plane)
{
    uint32_t across = planes_across(b), column = plane % across, row = plane / across;
    if (b->nplane_args == 2) { /* the first coordinate across, the second upwards */
        column = plane / b->plane_axis[1].n;
        row = b->plane_axis[1].n - 1 - plane % b->plane_axis[1].n;
    }
    return (struct point){column * (b->x.n + PLANE_GAP), row * (b->y.n + PLANE_GAP)};
}

static struct point cell_place(const struct board *b, uint32_t cell)
{
    uint32_t size = b->x.n * b->y.n, x = cell % b->x.n, y = cell % size / b->x.n;
    struct point p = planes_drawn(b) == 1 ? (struct point){0, 0} : plane_corner(b, cell / size);
    double up = b->y.n - 1 - y;
    if (b->star) return (struct point){p.x + x + (b->x.n - row_length(b, y)) / 2.0, p.y + y * 0.87};
    if (b->skew) return (struct point){x + b->skew * (y / 2.0), up * 0.87};
    return (struct point){p.x + x, p.y + up};
}

static json_t *number(double x)
{
    double rounded = round(x * 100) / 100;
    return rounded == floor(rounded) ? json_integer((json_int_t)rounded) : json_real(rounded);
}

/* The name of a cell as people would say it: "a 1", or its own. */
static json_t *cell_name(const struct analysis *a, const struct board *b, uint32_t cell)
{
    uint32_t size = b->x.n * b->y.n, plane = cell / size;
    const char *x = word(a, b->x.value[cell % b->x.n]), *y = word(a, b->y.value[cell % size / b->x.n]);
    char text[300];
    bool letter_first = b->compound || b->x.order == AXIS_NAMES;
    int n = snprintf(text, sizeof text, letter_first ? "%.60s%.60s" : "%.60s %.60s", x, y);
    if (planes_drawn(b) > 1 && n > 0 && n < (int)sizeof text) {
        uint32_t at[2] = {plane, 0};
        if (b->nplane_args > 1) at[0] = plane / b->plane_axis[1].n, at[1] = plane % b->plane_axis[1].n;
        for (uint32_t i = 0; i < b->nplane_args && n < (int)sizeof text - 70; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s%.60s", i ? " " : " on ",
                          word(a, b->plane_axis[i].value[at[i]]));
    }
    return name_json(text);
}

static json_t *cells_json(const struct analysis *a, const struct board *b)
{
    json_t *list = json_array();
    double left = INFINITY;
    uint32_t n = planes_drawn(b) * b->x.n * b->y.n;
    for (uint32_t c = 0; c < n; c++)
        if (picture_is_cell(b, c)) left = fmin(left, cell_place(b, c).x);
    for (uint32_t c = 0; c < n; c++) {
        struct point at = cell_place(b, c);
        if (!picture_is_cell(b, c)) continue;
        json_array_append_new(list, json_pack("{s:i, s:o, s:o, s:o, s:i, s:i}", "cell", (int)c, "x",
                                              number(at.x - left), "y", number(at.y), "name",
                                              cell_name(a, b, c), "column", (int)(c % b->x.n), "row",
                                              (int)(c % (b->x.n * b->y.n) / b->x.n)));
    }
    return list;
}

static json_t *axis_json(const struct analysis *a, const struct axis *axis)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < axis->n; i++) json_array_append_new(list, name_json(word(a, axis->value[i])));
    return list;
}

static json_t *titles_json(const struct analysis *a, const struct board *b)
{
    json_t *list = json_array();
    for (uint32_t plane = 0; plane < planes_drawn(b) && planes_drawn(b) > 1; plane++) {
        uint32_t at[2] = {plane, 0};
        struct point corner = plane_corner(b, plane);
        char text[200];
        if (b->nplane_args > 1) at[0] = plane / b->plane_axis[1].n, at[1] = plane % b->plane_axis[1].n;
        snprintf(text, sizeof text, "%.60s%s%.60s", word(a, b->plane_axis[0].value[at[0]]),
                 b->nplane_args > 1 ? " " : "",
                 b->nplane_args > 1 ? word(a, b->plane_axis[1].value[at[1]]) : "");
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "text", name_json(text), "x",
                                              number(corner.x), "y", number(corner.y)));
    }
    return list;
}

static json_t *links_json(const struct board *b)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i + 1 < b->links.n; i += 2)
        json_array_append_new(list, json_pack("[i, i]", (int)b->links.v[i], (int)b->links.v[i + 1]));
    return list;
}

/* ---- boards, pieces, roles */

/* Do pieces travel on it? Some move from cell to cell, or each is there once and only its place changes. */
static bool is_moving(const struct board *b)
{
    bool once = b->npieces > 3;
    for (uint32_t i = 0; i < b->nactions; i++)
        if (b->actions[i].from >= 0) return true;
    for (uint32_t i = 0; i < b->npieces; i++) once &= b->pieces[i].most == 1;
    return once;
}

static json_t *board_json(const struct analysis *a, uint32_t i)
{
    static const char *const kinds[] = {"cells", "tokens", "marks"};
    const struct board *b = &a->boards.v[i];
    const char *shape = b->star ? "star" : b->skew ? "skew" : "grid";
    return json_pack("{s:i, s:o, s:s, s:s, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:i, s:i}", "board", (int)i,
                     "name", name_json(symbol_name(a->terms, b->name)), "kind", kinds[b->kind], "shape",
                     shape, "stacked", b->stacked, "moving", is_moving(b) || b->stacked, "columns",
                     axis_json(a, &b->x), "rows", axis_json(a, &b->y), "titles", titles_json(a, b), "cells",
                     cells_json(a, b), "links", links_json(b), "width", (int)b->x.n, "height", (int)b->y.n);
}

/* Pieces are numbered through all boards. */
static uint32_t first_piece(const struct analysis *a, uint32_t board)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < board; i++) n += a->boards.v[i].npieces;
    return n;
}

static json_t *piece_json(const struct analysis *a, struct glyph **glyphs, uint32_t board, uint32_t piece)
{
    const struct board *b = &a->boards.v[board];
    const struct glyph *g = &glyphs[board][piece];
    const struct piece *p = &b->pieces[piece];
    json_t *o = json_pack("{s:o, s:o, s:s, s:o, s:i}", "name", name_json(g->name), "label",
                          name_json(g->label), "figure", figure_names[g->figure], "owner",
                          p->owner < 0 ? json_null() : json_integer(p->owner), "board", (int)b->parent);
    if (g->tint) json_object_set_new(o, "tint", json_string(g->tint));
    return o;
}

/* The colour of a role: its name's, or that of all its pieces. */
static const char *role_tint(const struct analysis *a, struct glyph **glyphs, uint32_t role)
{
    const char *tint = glyph_tint(a->game->role_names[role]);
    bool one = true;
    for (uint32_t i = 0; i < a->boards.n && !glyph_tint(a->game->role_names[role]); i++)
        for (uint32_t p = 0; p < a->boards.v[i].npieces; p++) {
            const char *other = glyphs[i][p].tint;
            if (a->boards.v[i].pieces[p].owner != (int)role || !other) continue;
            one &= !tint || strcmp(tint, other) == 0;
            tint = other;
        }
    return one ? tint : NULL;
}

json_t *layout_json(const struct analysis *a, struct glyph **glyphs)
{
    static const char *const turns[] = {"alone", "alternating", "one at a time", "simultaneous"};
    json_t *boards = json_array(), *pieces = json_array(), *roles = json_array();
    for (uint32_t i = 0; i < a->boards.n; i++) {
        if (a->boards.v[i].parent == i && is_drawn(&a->boards.v[i]))
            json_array_append_new(boards, board_json(a, i));
        for (uint32_t p = 0; p < a->boards.v[i].npieces; p++)
            json_array_append_new(pieces, piece_json(a, glyphs, i, p));
    }
    for (uint32_t r = 0; r < a->game->nroles; r++) {
        json_t *role = json_pack("{s:o}", "name", name_json(a->game->role_names[r]));
        const char *tint = role_tint(a, glyphs, r);
        if (tint) json_object_set_new(role, "tint", json_string(tint));
        json_array_append_new(roles, role);
    }
    json_t *layout = json_pack("{s:o, s:o, s:o, s:s, s:f, s:f}", "boards", boards, "pieces", pieces, "roles",
                               roles, "turns", turns[a->turns], "length", round(a->length.mean * 10) / 10,
                               "branching", round(a->joint.mean * 10) / 10);
    if (a->control) json_object_set_new(layout, "control", name_json(symbol_name(a->terms, a->control)));
    if (a->counter) json_object_set_new(layout, "counter", name_json(symbol_name(a->terms, a->counter)));
    return layout;
}

/* ---- a state */

static json_t *term_json(struct heap *heap, const struct terms *terms, term x)
{
    struct text t;
    text_init(&t, heap);
    term_print(terms, x, false, NULL, &t);
    json_t *out = name_json(text_str(&t));
    heap_release(heap, t.s);
    return out;
}

/* [cell, piece, piece ...]: what covers the others last, piles from below. */
static json_t *square_json(const struct picture *p, const struct canvas *c, uint32_t cell)
{
    const struct board *b = &p->a->boards.v[c->board];
    json_t *out = NULL;
    for (uint32_t plane = 0; plane < (b->stacked ? b->planes : 1); plane++) {
        const struct square *q = &c->squares[cell + plane * b->x.n * b->y.n];
        if ((q->things.n || q->strange) && !out) out = json_pack("[i]", (int)cell);
        for (uint32_t i = q->things.n; i-- > 0;)
            json_array_append_new(
                out, json_integer(first_piece(p->a, q->things.v[i].board) + q->things.v[i].piece));
        if (q->strange) json_array_append_new(out, json_integer(-1));
    }
    return out;
}

json_t *position_json(const struct picture *p, const struct terms *terms, const struct list *facts)
{
    json_t *boards = json_array(), *rest = json_array();
    bool hidden = false;
    for (uint32_t c = 0; c < p->ncanvases; c++) {
        const struct canvas *canvas = &p->canvases[c];
        const struct board *b = &p->a->boards.v[canvas->board];
        hidden |= !is_drawn(b);
        if (!is_drawn(b)) continue;
        json_t *squares = json_array(), *one;
        for (uint32_t cell = 0; cell < planes_drawn(b) * b->x.n * b->y.n; cell++)
            if ((one = square_json(p, canvas, cell))) json_array_append_new(squares, one);
        json_array_append_new(boards, squares);
    }
    for (uint32_t f = 0; f < facts->n; f++) {
        if (p->drawn[f] && !hidden) continue;
        const struct term_node *node = term_get(terms, facts->v[f]);
        json_t *fact = json_array();
        json_array_append_new(fact, name_json(symbol_name(terms, node->head)));
        for (uint32_t i = 0; i < node->nargs; i++)
            json_array_append_new(fact, term_json(p->heap, terms, term_arg(terms, facts->v[f], i)));
        json_array_append_new(rest, fact);
    }
    return json_pack("{s:o, s:o}", "boards", boards, "facts", rest);
}

json_t *touch_json(const struct analysis *a, const struct touch *t)
{
    static const char *const zones[] = {"cell", "column", "row"};
    json_t *cells = json_array();
    uint32_t board = 0;
    if (t->n == 0 || !is_drawn(&a->boards.v[t->board])) {
        json_decref(cells);
        return NULL;
    }
    for (uint32_t i = 0; i < t->board; i++) board += a->boards.v[i].parent == i && is_drawn(&a->boards.v[i]);
    for (uint32_t i = 0; i < t->n; i++) json_array_append_new(cells, json_integer(t->cells[i]));
    json_t *out = json_pack("{s:i, s:o}", "board", (int)board, "cells", cells);
    if (t->guessed) json_object_set_new(out, "guessed", json_true());
    if (t->zone != ZONE_CELL) json_object_set_new(out, "zone", json_string(zones[t->zone]));
    return out;
}
