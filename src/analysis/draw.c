// SPDX-License-Identifier: GPL-3.0-or-later
/* Drawing. Every plane of every board becomes a block of lines; blocks are put side by side as far as the
 * screen goes.
 *
 *     cell 1              title, where there are several blocks
 *      3  . x .           y.n rows, the last value on top
 *      2  . o .
 *      1  . . .
 *         a b c           x axis
 */
#include "analysis/draw.h"

#include "analysis/facts.h"
#include "analysis/picture.h"

struct block {
    VEC(struct text) lines;
    VEC(int) widths; /* of each line on the screen: signs and colours are longer in bytes */
    int width;
    bool last; /* the next block begins a new row */
};

struct painter {
    struct heap *heap;
    const struct board_style *style;
    const struct analysis *a;
    struct reasoner *r;
    struct list facts, old;     /* terms of r->terms */
    struct picture now, before; /* of these */
    bool changes;               /* mark what differs */
    bool *told;                 /* by fact: can be seen on a board */
    VEC(struct block) blocks;
};

/* ---- lines */

static void begin_line(struct painter *p, struct block *b)
{
    struct text t;
    text_init(&t, p->heap);
    vec_push(p->heap, &b->lines, t);
    vec_push(p->heap, &b->widths, 0);
}

/* Add text that takes `width` columns to the last line. */
static void add(struct block *b, const char *s, int width)
{
    text_puts(&vec_last(&b->lines), s);
    vec_last(&b->widths) += width;
    if (vec_last(&b->widths) > b->width) b->width = vec_last(&b->widths);
}

static void pad(struct block *b, int n)
{
    for (int i = 0; i < n; i++) add(b, " ", 1);
}

static const char *label(const struct analysis *a, const struct axis *axis, uint32_t i)
{
    return symbol_name(a->terms, term_get(a->terms, axis->value[i])->head);
}

static int label_width(const struct analysis *a, const struct axis *axis)
{
    int width = 1;
    for (uint32_t i = 0; i < axis->n; i++) {
        int n = text_columns(label(a, axis, i));
        if (n > width) width = n;
    }
    return width;
}

/* ---- squares */

/* Facts that can be seen on a board need not be told below; of several things on one square only one can. */
static void mark_told(struct painter *p, uint32_t canvas)
{
    const struct canvas *c = &p->now.canvases[canvas];
    for (uint32_t f = 0; f < p->facts.n; f++) {
        uint32_t cell, piece;
        if (!p->now.drawn[f]) continue;
        for (uint32_t i = 0; i < p->a->boards.n; i++) {
            const struct board *b = &p->a->boards.v[i];
            if (b->parent != c->board || !board_find(p->a, b, p->r->terms, p->facts.v[f], &cell, &piece))
                continue;
            const struct square *q = &c->squares[picture_root_cell(p->a, i, cell)];
            const struct thing *top = q->things.n ? q->things.v : NULL;
            p->told[f] = b->pieces[piece].blank || (top && top->board == i && top->piece == piece);
        }
    }
}

static bool is_changed(const struct painter *p, uint32_t canvas, uint32_t cell)
{
    return p->changes &&
           !square_same(&p->now.canvases[canvas].squares[cell], &p->before.canvases[canvas].squares[cell]);
}

static void add_square(struct painter *p, struct block *b, uint32_t canvas, uint32_t cell, int width)
{
    const struct canvas *c = &p->now.canvases[canvas];
    const struct square *q = &c->squares[cell];
    const struct glyph *glyph = q->things.n ? picture_glyph(&p->now, q->things.v) : NULL;
    bool place = picture_is_cell(&p->a->boards.v[c->board], cell) || q->blank;
    const char *sign = q->strange ? "?" : glyph ? glyph->sign : place ? (p->style->utf8 ? "·" : ".") : " ";
    int n = q->strange || !glyph ? 1 : glyph->width;
    bool marked = p->style->colour && place && is_changed(p, canvas, cell);
    int colour = p->style->colour && glyph ? glyph->colour : 0;
    if (marked) add(b, "\033[7m", 0);
    if (colour) {
        char code[12];
        snprintf(code, sizeof code, "\033[1;%dm", colour);
        add(b, code, 0);
    }
    add(b, sign, n);
    if (marked || colour) add(b, "\033[0m", 0);
    pad(b, width - n);
}

/* ---- blocks */

static void add_title(struct painter *p, struct block *block, const struct board *b, uint32_t plane)
{
    uint32_t at[2] = {plane, 0};
    if (b->nplane_args > 1) at[0] = plane / b->plane_axis[1].n, at[1] = plane % b->plane_axis[1].n;
    begin_line(p, block);
    const char *name = symbol_name(p->a->terms, b->name);
    add(block, name, text_columns(name));
    for (uint32_t i = 0; i < b->nplane_args; i++) {
        const char *value = label(p->a, &b->plane_axis[i], at[i]);
        add(block, " ", 1);
        add(block, value, text_columns(value));
    }
}

static uint32_t row_length(const struct board *b, uint32_t y)
{
    uint32_t n = 0;
    for (uint32_t x = 0; x < b->x.n; x++)
        if (b->exists[board_cell(b, 0, x, y)]) n = x + 1;
    return n;
}

/* Columns of a square: as many as the widest sign needs, and as the names below need if there is room. */
static int square_width(const struct painter *p, uint32_t board)
{
    const struct board *b = &p->a->boards.v[board];
    int width = 1, below = b->star ? 1 : label_width(p->a, &b->x);
    for (uint32_t i = 0; i < p->a->boards.n; i++)
        for (uint32_t j = 0; p->a->boards.v[i].parent == board && j < p->a->boards.v[i].npieces; j++)
            if (p->now.glyphs[i][j].width > width) width = p->now.glyphs[i][j].width;
    bool room = label_width(p->a, &b->y) + 1 + (int)b->x.n * (below + 1) <= p->style->width;
    return below > width && room ? below : width;
}

/* Not boards that are wider than the screen: lines that break are worse than a list of facts. */
static bool fits(const struct painter *p, uint32_t board)
{
    const struct board *b = &p->a->boards.v[board];
    return label_width(p->a, &b->y) + 1 + (int)b->x.n * (square_width(p, board) + 1) <= p->style->width;
}

static void add_plane(struct painter *p, uint32_t canvas, uint32_t plane, bool title)
{
    uint32_t board = p->now.canvases[canvas].board;
    const struct board *b = &p->a->boards.v[board];
    struct block block = {0};
    int left = label_width(p->a, &b->y), width = square_width(p, board);
    if (title) add_title(p, &block, b, plane);
    for (uint32_t row = 0; row < b->y.n; row++) {
        uint32_t y = b->star ? row : b->y.n - 1 - row, n = b->star ? row_length(b, y) : b->x.n;
        const char *name = label(p->a, &b->y, y);
        begin_line(p, &block);
        pad(&block, left - text_columns(name));
        add(&block, name, text_columns(name));
        pad(&block, 1 + (b->star ? (int)(b->x.n - n) * (width + 1) / 2 : 0));
        for (uint32_t x = 0; x < n; x++) {
            uint32_t cell = board_cell(b, plane, x, y);
            add(&block, " ", 1);
            add_square(p, &block, canvas, cell, width);
        }
    }
    if (!b->star) {
        begin_line(p, &block);
        pad(&block, left + 1);
        for (uint32_t x = 0; x < b->x.n; x++) {
            const char *name = label(p->a, &b->x, x);
            int over = text_columns(name) - width;
            if (over > 0) name += over; /* no room: the last digits must do */
            add(&block, " ", 1);
            add(&block, name, text_columns(name));
            pad(&block, -over);
        }
    }
    /* Planes with two coordinates are laid out like cells: see draw. */
    block.last = b->nplane_args == 2 && plane / b->plane_axis[1].n == b->plane_axis[0].n - 1;
    vec_push(p->heap, &p->blocks, block);
}

/* Print without blanks at the end. */
static void print_trimmed(FILE *out, const struct text *line)
{
    size_t n = line->n;
    while (n > 0 && line->s[n - 1] == ' ') n--;
    fprintf(out, "%.*s\n", (int)n, text_str(line));
}

static void print_blocks(const struct painter *p, FILE *out)
{
    struct text row;
    text_init(&row, p->heap);
    for (uint32_t first = 0, after; first < p->blocks.n; first = after) {
        int width = 0;
        uint32_t height = 0;
        for (after = first; after < p->blocks.n; after++) {
            const struct block *b = &p->blocks.v[after];
            if (after > first && (width + b->width > p->style->width || b[-1].last)) break;
            width += b->width + 3;
            if (b->lines.n > height) height = b->lines.n;
        }
        for (uint32_t line = 0; line < height; line++) {
            int space = 0;
            text_clear(&row);
            for (uint32_t i = first; i < after; i++) {
                const struct block *b = &p->blocks.v[i];
                bool there = line < b->lines.n;
                if (there) text_printf(&row, "%*s%s", space, "", text_str(&b->lines.v[line]));
                space = (there ? 0 : space) + b->width - (there ? b->widths.v[line] : 0) + 3;
            }
            print_trimmed(out, &row);
        }
        if (after < p->blocks.n) fputc('\n', out);
    }
}

/* Signs that do not speak for themselves. */
static void print_legend(const struct painter *p, FILE *out)
{
    int at = 0;
    for (uint32_t i = 0; i < p->a->boards.n; i++)
        for (uint32_t j = 0; j < p->a->boards.v[i].npieces; j++) {
            const struct glyph *g = &p->now.glyphs[i][j];
            bool merged_mark = p->a->boards.v[i].ncontents == 0 && p->a->boards.v[i].parent != i;
            if (g->explained && !merged_mark) continue;
            int width = g->width + 1 + text_columns(g->name);
            if (at && at + 3 + width > p->style->width) {
                fputc('\n', out);
                at = 0;
            }
            fprintf(out, "%s%s %s", at ? "   " : "", g->sign, g->name);
            at += (at ? 3 : 0) + width;
        }
    if (at) fputc('\n', out);
}

static void draw(struct painter *p, FILE *out)
{
    const struct analysis *a = p->a;
    struct glyph **glyphs = picture_glyphs(p->heap, a, p->style->utf8);
    p->told = heap_zalloc(p->heap, (p->facts.n + 1) * sizeof *p->told);
    picture_make(&p->now, p->heap, a, glyphs, p->r->terms, &p->facts);
    if (p->changes) picture_make(&p->before, p->heap, a, glyphs, p->r->terms, &p->old);
    for (uint32_t i = 0; i < p->now.ncanvases; i++) {
        const struct board *b = &a->boards.v[p->now.canvases[i].board];
        if (!fits(p, p->now.canvases[i].board)) continue;
        mark_told(p, i);
        for (uint32_t n = 0; n < b->planes; n++) {
            /* the first coordinate of the planes across, the second upwards */
            uint32_t nx = b->plane_axis[0].n, ny = b->plane_axis[1].n;
            uint32_t plane = b->nplane_args == 2 ? n % nx * ny + (ny - 1 - n / nx) : n;
            add_plane(p, i, plane, p->now.ncanvases > 1 || b->planes > 1);
        }
    }
    print_blocks(p, out);
    if (!p->changes) print_legend(p, out);
    facts_print(out, p->heap, p->r->terms, &p->facts, p->told, p->style->width);
}

bool board_draw(FILE *out, const struct board_style *style, const struct analysis *a, struct reasoner *r,
                const struct state *s, const struct state *before, struct error *error)
{
    struct painter p = {.style = style, .a = a, .r = r, .heap = heap_new(0), .changes = before != NULL};
    struct heap_guard guard;
    bool ok = p.heap || error_set(error, ERROR_MEMORY, "no memory to draw");
    if (ok && (!r->ops->facts(r, s, &p.facts) || (before && !r->ops->facts(r, before, &p.old)))) {
        *error = r->error;
        ok = false;
    }
    if (ok && HEAP_ENTER(p.heap, &guard, error)) {
        draw(&p, out);
        heap_leave(p.heap);
    } else {
        ok = false;
    }
    list_done(&p.facts);
    list_done(&p.old);
    heap_free(p.heap);
    return ok;
}
