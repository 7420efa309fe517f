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
#include "cli/board.h"

#include "cli/facts.h"
#include "cli/glyph.h"
#include "cli/terminal.h"

struct square {
    const struct glyph *glyph; /* NULL: nothing */
    const struct piece *piece;
    bool strange; /* holds something that the analysis has never seen */
    bool changed;
};

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
    struct list facts, old; /* terms of r->terms */
    bool *drawn;            /* by fact: is on a board */
    struct glyph **glyphs;  /* by board */
    VEC(struct block) blocks;
};

struct board_style board_style_for(FILE *out)
{
    return (struct board_style){terminal_colour(out), terminal_utf8(), terminal_width(out)};
}

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
        int n = terminal_columns(label(a, axis, i));
        if (n > width) width = n;
    }
    return width;
}

/* ---- squares */

/* The index on the other axis of the value with this one, or UINT32_MAX. */
static uint32_t carry(const struct axis *from, uint32_t i, const struct axis *to)
{
    for (uint32_t j = 0; j < to->n; j++)
        if (to->value[j] == from->value[i]) return j;
    return UINT32_MAX;
}

/* The cell of the board that `b` is drawn on. */
static uint32_t root_cell(const struct painter *p, uint32_t board, uint32_t cell)
{
    const struct board *b = &p->a->boards.v[board], *root = &p->a->boards.v[b->parent];
    if (b == root || cell == UINT32_MAX) return cell;
    uint32_t x = carry(&b->x, cell % b->x.n, &root->x), y = carry(&b->y, cell / b->x.n, &root->y);
    return x == UINT32_MAX || y == UINT32_MAX ? UINT32_MAX : board_cell(root, 0, x, y);
}

/* What covers what, where a square holds several things: pieces of a role before those of nobody, and what is
 * rare before what is frequent; the empty cell is last. */
static bool covers(const struct piece *a, const struct piece *b)
{
    int x = a->blank ? 0 : a->owner < 0 ? 1 : 2, y = b->blank ? 0 : b->owner < 0 ? 1 : 2;
    return x != y ? x > y : a->most < b->most;
}

/* Where a fact belongs among the squares of a board and the boards drawn on it; NULL if it does not. */
static struct square *find_square(struct painter *p, uint32_t root, term fact, struct square *squares,
                                  const struct piece **piece, const struct glyph **glyph)
{
    for (uint32_t i = 0; i < p->a->boards.n; i++) {
        const struct board *b = &p->a->boards.v[i];
        uint32_t cell, which;
        if (b->parent != root || !board_find(p->a, b, p->r->terms, fact, &cell, &which)) continue;
        cell = root_cell(p, i, cell);
        if (cell == UINT32_MAX) return NULL;
        *piece = which == UINT32_MAX ? NULL : &b->pieces[which];
        *glyph = which == UINT32_MAX ? NULL : &p->glyphs[i][which];
        return &squares[cell];
    }
    return NULL;
}

static void fill(struct painter *p, uint32_t root, const struct list *facts, struct square *squares)
{
    const struct piece *piece;
    const struct glyph *glyph;
    for (uint32_t f = 0; f < facts->n; f++) {
        struct square *q = find_square(p, root, facts->v[f], squares, &piece, &glyph);
        if (!q) continue;
        if (!piece)
            q->strange = true;
        else if (!q->piece || covers(piece, q->piece))
            q->glyph = glyph, q->piece = piece;
    }
}

/* Facts that can be seen on the board need not be told below. */
static void mark_drawn(struct painter *p, uint32_t root, struct square *squares)
{
    const struct piece *piece;
    const struct glyph *glyph;
    for (uint32_t f = 0; f < p->facts.n; f++) {
        struct square *q = find_square(p, root, p->facts.v[f], squares, &piece, &glyph);
        if (q && piece && (piece->blank || q->glyph == glyph)) p->drawn[f] = true;
    }
}

static bool same_square(const struct square *a, const struct square *b)
{
    return a->glyph == b->glyph && a->strange == b->strange;
}

/* Is there a place to draw? Where the empty cell is told, every cell was seen. Elsewhere a cell was seen if
 * something ever stood there, on any plane; what was not seen is a hole if there is a lot of it. */
static bool is_cell(const struct board *b, uint32_t cell)
{
    if (b->exists[cell]) return true;
    for (uint32_t i = 0; i < b->npieces; i++)
        if (b->pieces[i].blank) return false;
    uint32_t size = b->x.n * b->y.n;
    for (uint32_t plane = 0; plane < b->planes; plane++)
        if (b->exists[plane * size + cell % size]) return true;
    return b->kind == BOARD_TOKENS || b->nexists * 10 >= b->cells * 9;
}

static void add_square(struct painter *p, struct block *b, const struct square *q, bool cell, int width)
{
    const char *sign = q->strange ? "?"
                       : q->glyph ? q->glyph->sign
                       : cell     ? (p->style->utf8 ? "·" : ".")
                                  : " ";
    int n = q->strange || !q->glyph ? 1 : q->glyph->width;
    bool marked = p->style->colour && cell && q->changed;
    int colour = p->style->colour && q->glyph ? q->glyph->colour : 0;
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
    add(block, name, terminal_columns(name));
    for (uint32_t i = 0; i < b->nplane_args; i++) {
        const char *value = label(p->a, &b->plane_axis[i], at[i]);
        add(block, " ", 1);
        add(block, value, terminal_columns(value));
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
            if (p->glyphs[i][j].width > width) width = p->glyphs[i][j].width;
    bool room = label_width(p->a, &b->y) + 1 + (int)b->x.n * (below + 1) <= p->style->width;
    return below > width && room ? below : width;
}

/* Not boards that are wider than the screen: lines that break are worse than a list of facts. */
static bool fits(const struct painter *p, uint32_t board)
{
    const struct board *b = &p->a->boards.v[board];
    return label_width(p->a, &b->y) + 1 + (int)b->x.n * (square_width(p, board) + 1) <= p->style->width;
}

static void add_plane(struct painter *p, uint32_t board, uint32_t plane, const struct square *squares,
                      bool title)
{
    const struct board *b = &p->a->boards.v[board];
    struct block block = {0};
    int left = label_width(p->a, &b->y), width = square_width(p, board);
    if (title) add_title(p, &block, b, plane);
    for (uint32_t row = 0; row < b->y.n; row++) {
        uint32_t y = b->star ? row : b->y.n - 1 - row, n = b->star ? row_length(b, y) : b->x.n;
        const char *name = label(p->a, &b->y, y);
        begin_line(p, &block);
        pad(&block, left - terminal_columns(name));
        add(&block, name, terminal_columns(name));
        pad(&block, 1 + (b->star ? (int)(b->x.n - n) * (width + 1) / 2 : 0));
        for (uint32_t x = 0; x < n; x++) {
            uint32_t cell = board_cell(b, plane, x, y);
            add(&block, " ", 1);
            add_square(p, &block, &squares[cell], is_cell(b, cell), width);
        }
    }
    if (!b->star) {
        begin_line(p, &block);
        pad(&block, left + 1);
        for (uint32_t x = 0; x < b->x.n; x++) {
            const char *name = label(p->a, &b->x, x);
            int over = terminal_columns(name) - width;
            if (over > 0) name += over; /* no room: the last digits must do */
            add(&block, " ", 1);
            add(&block, name, terminal_columns(name));
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
            const struct glyph *g = &p->glyphs[i][j];
            bool merged_mark = p->a->boards.v[i].ncontents == 0 && p->a->boards.v[i].parent != i;
            if (g->explained && !merged_mark) continue;
            int width = g->width + 1 + terminal_columns(g->name);
            if (at && at + 3 + width > p->style->width) {
                fputc('\n', out);
                at = 0;
            }
            fprintf(out, "%s%s %s", at ? "   " : "", g->sign, g->name);
            at += (at ? 3 : 0) + width;
        }
    if (at) fputc('\n', out);
}

static void draw(struct painter *p, FILE *out, bool changes)
{
    const struct analysis *a = p->a;
    uint32_t roots = 0;
    p->drawn = heap_zalloc(p->heap, (p->facts.n + 1) * sizeof *p->drawn);
    p->glyphs = heap_zalloc(p->heap, (a->boards.n + 1) * sizeof *p->glyphs);
    for (uint32_t i = 0; i < a->boards.n; i++) {
        p->glyphs[i] = heap_zalloc(p->heap, (a->boards.v[i].npieces + 1) * sizeof **p->glyphs);
        glyphs_make(a, &a->boards.v[i], p->style->utf8, p->glyphs[i]);
        roots += a->boards.v[i].parent == i;
    }
    for (uint32_t i = 0; i < a->boards.n; i++) {
        const struct board *b = &a->boards.v[i];
        if (b->parent != i || !fits(p, i)) continue;
        struct square *now = heap_zalloc(p->heap, b->cells * sizeof *now);
        struct square *old = heap_zalloc(p->heap, b->cells * sizeof *old);
        fill(p, i, &p->facts, now);
        mark_drawn(p, i, now);
        if (changes) fill(p, i, &p->old, old);
        for (uint32_t c = 0; changes && c < b->cells; c++) now[c].changed = !same_square(&now[c], &old[c]);
        for (uint32_t n = 0; n < b->planes; n++) {
            /* the first coordinate of the planes across, the second upwards */
            uint32_t nx = b->plane_axis[0].n, ny = b->plane_axis[1].n;
            uint32_t plane = b->nplane_args == 2 ? n % nx * ny + (ny - 1 - n / nx) : n;
            add_plane(p, i, plane, now, roots > 1 || b->planes > 1);
        }
    }
    print_blocks(p, out);
    if (!changes) print_legend(p, out);
    facts_print(out, p->heap, p->r->terms, &p->facts, p->drawn, p->style->width);
}

bool board_draw(FILE *out, const struct board_style *style, const struct analysis *a, struct reasoner *r,
                const struct state *s, const struct state *before, struct error *error)
{
    struct painter p = {.style = style, .a = a, .r = r, .heap = heap_new(0)};
    struct heap_guard guard;
    bool ok = p.heap || error_set(error, ERROR_MEMORY, "no memory to draw");
    if (ok && (!r->ops->facts(r, s, &p.facts) || (before && !r->ops->facts(r, before, &p.old)))) {
        *error = r->error;
        ok = false;
    }
    if (ok && HEAP_ENTER(p.heap, &guard, error)) {
        draw(&p, out, before != NULL);
        heap_leave(p.heap);
    } else {
        ok = false;
    }
    list_done(&p.facts);
    list_done(&p.old);
    heap_free(p.heap);
    return ok;
}
