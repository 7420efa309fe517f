// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/report/plot.h"

#include <math.h>

enum { PICTURE_WIDTH = 660, PICTURE_HEIGHT = 420, LEGEND_WIDTH = 136 };

void plot_escape(struct text *out, const char *s)
{
    for (; *s; s++) switch (*s) {
        case '&': text_puts(out, "&amp;"); break;
        case '<': text_puts(out, "&lt;"); break;
        case '>': text_puts(out, "&gt;"); break;
        case '"': text_puts(out, "&quot;"); break;
        default: text_char(out, *s);
        }
}

/* Colours that can be told apart by people who do not see all of them (after Okabe and Ito, Tol); a lighter
 * set for dark pages. */
static const char *const light[PLOT_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8c6d00",
                                                "#56b4e9", "#882255", "#44aa99", "#332288", "#777777"};
static const char *const dark[PLOT_COLOURS] = {"#5ab4f0", "#ff8f3f", "#2fd3a2", "#f0a3cf", "#e0c040",
                                               "#9ad8ff", "#e07aa8", "#7fe0d0", "#a9a0ff", "#aaaaaa"};

void plot_begin(struct plot *p, struct text *out, const char *title, const char *subtitle)
{
    *p = (struct plot){.out = out,
                       .left = 62,
                       .top = 58,
                       .width = PICTURE_WIDTH - 62 - LEGEND_WIDTH,
                       .height = PICTURE_HEIGHT - 58 - 52};
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                "role=\"img\" class=\"plot\">\n<title>",
                PICTURE_WIDTH, PICTURE_HEIGHT, PICTURE_WIDTH, PICTURE_HEIGHT);
    plot_escape(out, title);
    text_puts(out, "</title>\n<style>\n.plot{--paper:#fff;--ink:#222;--faint:#888;--rule:#ddd;"
                   "font:12px system-ui,sans-serif;background:var(--paper)}\n");
    for (int c = 0; c < PLOT_COLOURS; c++) text_printf(out, ".plot{--c%d:%s}", c, light[c]);
    text_puts(out, "\n@media(prefers-color-scheme:dark){.plot{--paper:#16181d;--ink:#e8e8e8;--faint:#9a9a9a;"
                   "--rule:#333842}");
    for (int c = 0; c < PLOT_COLOURS; c++) text_printf(out, ".plot{--c%d:%s}", c, dark[c]);
    text_puts(out, "}\n.plot text{fill:var(--ink)}.plot .t{font-size:14px;font-weight:600}"
                   ".plot .s,.plot .n{fill:var(--faint)}.plot .n{font-size:11px}"
                   ".plot .e{text-anchor:end}.plot .m{text-anchor:middle}.plot .r{stroke:var(--rule)}"
                   ".plot .f{fill:none;stroke:var(--faint)}.plot .h{fill:var(--ink);fill-opacity:.055}"
                   ".plot .l{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}"
                   ".plot .k{font-size:11px;font-weight:600;text-anchor:middle;paint-order:stroke;"
                   "stroke:var(--paper);stroke-width:4px}\n");
    for (int c = 0; c < PLOT_COLOURS; c++)
        text_printf(out, ".plot .c%d{stroke:var(--c%d)}.plot .d%d{fill:var(--c%d)}\n", c, c, c, c);
    text_printf(out, "</style>\n<rect width=\"%d\" height=\"%d\" fill=\"var(--paper)\"/>\n", PICTURE_WIDTH,
                PICTURE_HEIGHT);
    text_printf(out, "<text class=\"t\" x=\"%g\" y=\"24\">", p->left);
    plot_escape(out, title);
    text_puts(out, "</text>\n");
    if (subtitle) {
        text_printf(out, "<text class=\"s\" x=\"%g\" y=\"42\">", p->left);
        plot_escape(out, subtitle);
        text_puts(out, "</text>\n");
    }
}

/* From data to the picture. */
static double at_x(const struct plot *p, double x)
{
    return p->left + (x - p->x.min) / (p->x.max - p->x.min) * p->width;
}

static double at_y(const struct plot *p, double y)
{
    return p->top + p->height - (y - p->y.min) / (p->y.max - p->y.min) * p->height;
}

static double tick_value(const struct plot_axis *a, double v)
{
    return a->powers ? pow(10, v) : v;
}

void plot_axes(struct plot *p, const struct plot_axis *x, const struct plot_axis *y)
{
    struct text *out = p->out;
    double bottom = p->top + p->height, right = p->left + p->width;
    p->x = *x;
    p->y = *y;
    for (long i = lround(ceil(x->min / x->step - 1e-9)); (double)i * x->step <= x->max + 1e-9; i++) {
        double v = (double)i * x->step;
        text_printf(out,
                    "<path class=\"r\" d=\"M%.1f %.1fv%.1f\"/><text class=\"m\" x=\"%.1f\" "
                    "y=\"%.1f\">%.10g%s</text>\n",
                    at_x(p, v), p->top, p->height + 4, at_x(p, v), bottom + 18, tick_value(x, v),
                    x->unit ? x->unit : "");
    }
    for (long i = lround(ceil(y->min / y->step - 1e-9)); (double)i * y->step <= y->max + 1e-9; i++) {
        double v = (double)i * y->step;
        text_printf(out,
                    "<path class=\"r\" d=\"M%.1f %.1fh%.1f\"/><text class=\"e\" x=\"%.1f\" "
                    "y=\"%.1f\">%g%s</text>\n",
                    p->left - 4, at_y(p, v), p->width + 4, p->left - 8, at_y(p, v) + 4, tick_value(y, v),
                    y->unit ? y->unit : "");
    }
    text_printf(out, "<text class=\"m\" x=\"%.1f\" y=\"%.1f\">", p->left + p->width / 2, bottom + 40);
    plot_escape(out, x->label);
    text_printf(out, "</text>\n<text class=\"m\" transform=\"translate(16 %.1f)rotate(-90)\">",
                p->top + p->height / 2);
    plot_escape(out, y->label);
    text_printf(out, "</text>\n<path class=\"f\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", p->left, p->top, bottom,
                right);
}

/* Six shapes, so that lines can be told apart without colours. */
static void marker(struct plot *p, double x, double y, uint32_t colour)
{
    const char *shapes[] = {"m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0",
                            "m-3-3h6v6h-6z",
                            "m0-4l4 7h-8z",
                            "m0-4.2l4.2 4.2l-4.2 4.2l-4.2-4.2z",
                            "m0 4l4-7h-8z",
                            "m-1.3-4h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7v-2.6h2.7z"};
    text_printf(p->out, "<path class=\"d%u\" d=\"M%.1f %.1f%s\"/>", colour, x, y, shapes[colour % 6]);
}

static void legend(struct plot *p, uint32_t colour, const char *label)
{
    double x = p->left + p->width + 14, y = p->top + 8 + 18 * p->entries++;
    text_printf(p->out, "<path class=\"l c%u\" d=\"M%.1f %.1fh18\"/>", colour, x, y);
    marker(p, x + 9, y, colour);
    text_printf(p->out, "<text x=\"%.1f\" y=\"%.1f\">", x + 24, y + 4);
    plot_escape(p->out, label);
    text_puts(p->out, "</text>\n");
}

void plot_line(struct plot *p, const double *xs, const double *ys, const double *halves, uint32_t n,
               uint32_t colour, const char *label)
{
    bool pen = false;
    colour %= PLOT_COLOURS;
    text_printf(p->out, "<path class=\"l c%u\" d=\"", colour);
    for (uint32_t i = 0; i < n; i++) {
        if (isnan(ys[i]) || isnan(xs[i])) continue;
        text_printf(p->out, "%s%.1f %.1f", pen ? "L" : "M", at_x(p, xs[i]), at_y(p, ys[i]));
        pen = true;
    }
    text_puts(p->out, "\"/>\n");
    text_printf(p->out, "<path class=\"c%u\" stroke-opacity=\".6\" d=\"", colour);
    for (uint32_t i = 0; i < n && halves; i++) {
        if (isnan(ys[i]) || isnan(xs[i])) continue;
        double low = fmax(ys[i] - halves[i], p->y.min), high = fmin(ys[i] + halves[i], p->y.max);
        text_printf(p->out, "M%.1f %.1fV%.1f", at_x(p, xs[i]), at_y(p, low), at_y(p, high));
    }
    text_puts(p->out, "\"/>\n");
    for (uint32_t i = 0; i < n; i++)
        if (!isnan(ys[i]) && !isnan(xs[i])) marker(p, at_x(p, xs[i]), at_y(p, ys[i]), colour);
    text_char(p->out, '\n');
    legend(p, colour, label);
}

void plot_note(struct plot *p, const char *text)
{
    double x = p->left + p->width + 14, y = p->top + 12 + 18 * p->entries++;
    text_printf(p->out, "<text class=\"n\" x=\"%.1f\" y=\"%.1f\">", x, y);
    plot_escape(p->out, text);
    text_puts(p->out, "</text>\n");
}

void plot_end(struct plot *p)
{
    text_puts(p->out, "</svg>\n");
}

/* --- Fields */

struct spot {
    double x, y;
};

static double field_at(const struct plot_field *f, uint32_t i, uint32_t j)
{
    return f->z[j * f->nx + i];
}

/* Where the field takes the value between two corners of a cell, in the picture. */
static struct spot between(const struct plot *p, const struct plot_field *f, uint32_t i, uint32_t j,
                           uint32_t i2, uint32_t j2, double level)
{
    double a = field_at(f, i, j), b = field_at(f, i2, j2), t = a == b ? 0.5 : (level - a) / (b - a);
    return (struct spot){at_x(p, f->xs[i] + t * (f->xs[i2] - f->xs[i])),
                         at_y(p, f->ys[j] + t * (f->ys[j2] - f->ys[j]))};
}

static const uint32_t corner_x[5] = {0, 1, 1, 0, 0}, corner_y[5] = {0, 0, 1, 1, 0};

/* How many corners of a cell reach the level; -1: one of them is not known. */
static int corners_above(const struct plot_field *f, uint32_t i, uint32_t j, double level)
{
    int above = 0;
    for (int c = 0; c < 4; c++) {
        double z = field_at(f, i + corner_x[c], j + corner_y[c]);
        if (isnan(z)) return -1;
        above += z >= level;
    }
    return above;
}

/* One path for the whole area, cell by cell; whole cells in a row become one piece. */
void plot_shade(struct plot *p, const struct plot_field *f, double level)
{
    text_puts(p->out, "<path class=\"h\" d=\"");
    for (uint32_t j = 0; j + 1 < f->ny; j++)
        for (uint32_t i = 0; i + 1 < f->nx; i++) {
            int above = corners_above(f, i, j, level);
            if (above == 4) {
                uint32_t end = i + 1;
                while (end + 1 < f->nx && corners_above(f, end, j, level) == 4) end++;
                text_printf(p->out, "M%.1f %.1fH%.1fV%.1fH%.1fz", at_x(p, f->xs[i]), at_y(p, f->ys[j]),
                            at_x(p, f->xs[end]), at_y(p, f->ys[j + 1]), at_x(p, f->xs[i]));
                i = end - 1;
                continue;
            }
            if (above <= 0) continue;
            char pen = 'M';
            for (int c = 0; c < 4; c++) {
                uint32_t a = i + corner_x[c], b = j + corner_y[c], a2 = i + corner_x[c + 1],
                         b2 = j + corner_y[c + 1];
                bool in = field_at(f, a, b) >= level, in2 = field_at(f, a2, b2) >= level;
                if (in) {
                    text_printf(p->out, "%c%.1f %.1f", pen, at_x(p, f->xs[a]), at_y(p, f->ys[b]));
                    pen = 'L';
                }
                if (in != in2) {
                    struct spot s = between(p, f, a, b, a2, b2, level);
                    text_printf(p->out, "%c%.1f %.1f", pen, s.x, s.y);
                    pen = 'L';
                }
            }
            text_char(p->out, 'z');
        }
    text_puts(p->out, "\"/>\n");
}

/* Marching squares: every cell gives up to two segments between points on its edges. An edge is shared by two
 * cells, so that each of its points has at most two neighbours: the segments chain up to lines.
 *
 *     edge 2 * (j * nx + i)      from (i, j) to the right
 *     edge 2 * (j * nx + i) + 1  from (i, j) upwards
 */
struct mesh {
    uint32_t (*next)[2]; /* by edge: the neighbours, UINT32_MAX: none */
    struct spot *spots;
    uint32_t n;
};

static void join(struct mesh *m, uint32_t a, uint32_t b)
{
    m->next[a][m->next[a][0] != UINT32_MAX] = b;
    m->next[b][m->next[b][0] != UINT32_MAX] = a;
}

static void march(const struct plot *p, const struct plot_field *f, double level, struct mesh *m)
{
    for (uint32_t j = 0; j + 1 < f->ny; j++)
        for (uint32_t i = 0; i + 1 < f->nx; i++) {
            if (corners_above(f, i, j, level) <= 0) continue;
            uint32_t at = j * f->nx + i;
            uint32_t edges[4] = {2 * at, 2 * (at + 1) + 1, 2 * (at + f->nx), 2 * at + 1}, crossed[4], n = 0;
            for (int c = 0; c < 4; c++) {
                uint32_t a = i + corner_x[c], b = j + corner_y[c], a2 = i + corner_x[c + 1],
                         b2 = j + corner_y[c + 1];
                if ((field_at(f, a, b) >= level) == (field_at(f, a2, b2) >= level)) continue;
                m->spots[edges[c]] = between(p, f, a, b, a2, b2, level);
                crossed[n++] = edges[c];
            }
            if (n >= 2) join(m, crossed[0], crossed[1]);
            if (n == 4) join(m, crossed[2], crossed[3]);
        }
}

/* Follow a line from one of its points, and forget it on the way. Returns its length; `place` is so far along
 * it. */
static uint32_t follow(struct plot *p, struct mesh *m, uint32_t from, double where, struct spot *place)
{
    uint32_t count = 0, at = from, line[4096];
    while (at != UINT32_MAX && count < 4096) {
        line[count++] = at;
        uint32_t to = m->next[at][0] != UINT32_MAX ? m->next[at][0] : m->next[at][1];
        if (to == UINT32_MAX) break;
        for (int k = 0; k < 2; k++) {
            if (m->next[at][k] == to) m->next[at][k] = UINT32_MAX;
            if (m->next[to][k] == at) m->next[to][k] = UINT32_MAX;
        }
        at = to;
    }
    for (uint32_t k = 0; k < count; k++)
        text_printf(p->out, "%s%.1f %.1f", k ? "L" : "M", m->spots[line[k]].x, m->spots[line[k]].y);
    *place = m->spots[line[(uint32_t)(where * (count - 1))]];
    return count;
}

void plot_contour(struct plot *p, const struct plot_field *f, double level, uint32_t colour,
                  const char *label, double where)
{
    struct heap *heap = p->out->heap;
    struct mesh m = {.n = 2 * f->nx * f->ny};
    m.next = heap_alloc(heap, m.n * sizeof *m.next);
    m.spots = heap_alloc(heap, m.n * sizeof *m.spots);
    for (uint32_t e = 0; e < m.n; e++) m.next[e][0] = m.next[e][1] = UINT32_MAX;
    march(p, f, level, &m);
    uint32_t longest = 0;
    struct spot place = {0}, here;
    text_printf(p->out, "<path class=\"l c%u\" d=\"", colour % PLOT_COLOURS);
    /* open lines first, from their ends; what is left are rings */
    for (int rings = 0; rings < 2; rings++)
        for (uint32_t e = 0; e < m.n; e++) {
            bool one = m.next[e][0] != UINT32_MAX, two = m.next[e][1] != UINT32_MAX;
            if (rings ? !(one || two) : one == two) continue;
            uint32_t length = follow(p, &m, e, where, &here);
            if (length > longest) longest = length, place = here;
        }
    text_puts(p->out, "\"/>\n");
    if (longest && label) {
        text_printf(p->out, "<text class=\"k\" x=\"%.1f\" y=\"%.1f\">", place.x, place.y + 4);
        plot_escape(p->out, label);
        text_puts(p->out, "</text>\n");
    }
    heap_release(heap, m.next);
    heap_release(heap, m.spots);
}
