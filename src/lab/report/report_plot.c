// SPDX-License-Identifier: GPL-3.0-or-later
/* Intervals drawn. */
#include "lab/report/report_html.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SCALE 230  /* from 0 to 100 */
#define LETTERS 26 /* of a name at most */
#define GAP 8      /* between name and scale */
#define RIGHT 10
#define ROW 24
#define TOP 6
#define BOTTOM 20

/* Bytes of the name that are shown. */
static size_t shown(const char *s)
{
    size_t n = 0;
    for (size_t letters = 0; s[n] && letters < LETTERS; letters++) {
        n++;
        while (((unsigned char)s[n] & 0xc0) == 0x80) n++;
    }
    return n;
}

/* How wide that is at 11 pixels in a broad sans-serif face; rather too much than too little. */
static double width_of(const char *s)
{
    double width = s[shown(s)] ? 11 : 0;
    for (size_t i = 0, n = shown(s); i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if ((c & 0xc0) == 0x80) continue;
        width += strchr("MWmw@%", c)              ? 11
                 : strchr("iljft.,:;'|! ()[]", c) ? 4.5
                 : c >= 'A' && c <= 'Z'           ? 8.5
                                                  : 7.2;
    }
    return width;
}

/* Where the scale begins: behind the longest name. */
static double left_of(const struct results *r)
{
    double widest = 20;
    for (uint32_t g = 0; g < r->ngames; g++) widest = fmax(widest, width_of(r->games[g]));
    return GAP + widest;
}

static double place(double left, double percent)
{
    return left + fmin(fmax(percent, 0), 100) / 100 * SCALE;
}

static void interval(FILE *out, const char *class, double left, double y, double value, double low,
                     double high, double radius)
{
    if (high > low)
        fprintf(out, "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", class,
                place(left, low), place(left, high), y, y);
    fprintf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", class, place(left, value), y,
            radius);
}

/* A name that fits; long ones are cut. */
static void name(FILE *out, const char *s, double left, double y)
{
    char cut[4 * LETTERS + 1];
    size_t n = shown(s);
    if (n >= sizeof cut) n = sizeof cut - 1;
    snprintf(cut, sizeof cut, "%.*s", (int)n, s);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", left - GAP, y);
    html_text(out, cut);
    fputs(s[n] ? "…</text>" : "</text>", out);
}

static void plot(FILE *out, const struct results *r, uint32_t pairing)
{
    uint32_t rows = 0;
    double percent = results_percent(r), parity = NAN;
    for (uint32_t g = 0; g < r->ngames; g++) {
        const struct result_cell *c = &r->cells[g * r->npairings + pairing];
        if (c->empty) continue;
        rows++;
        parity = c->parity;
    }
    if (rows == 0) return;
    double bottom = TOP + ROW * (double)rows, left = left_of(r);
    fputs("<figure><figcaption>", out);
    html_text(out, r->pairings[pairing]);
    fprintf(out, "</figcaption><svg viewBox=\"0 0 %.0f %.0f\" role=img>", left + SCALE + RIGHT,
            bottom + BOTTOM);
    for (int tick = 0; tick <= 100; tick += 25) {
        fprintf(out, "<line class=grid x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\"/>", place(left, tick),
                place(left, tick), TOP, bottom);
        fprintf(out, "<text class=tick x=\"%.1f\" y=\"%.1f\" text-anchor=middle>%d</text>", place(left, tick),
                bottom + 14, tick);
    }
    if (!isnan(parity))
        fprintf(out, "<line class=even x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\"/>",
                place(left, 100 * parity), place(left, 100 * parity), TOP, bottom);
    double y = TOP + ROW / 2.0;
    for (uint32_t g = 0; g < r->ngames; g++) {
        const struct result_cell *c = &r->cells[g * r->npairings + pairing];
        if (c->empty) continue;
        double shift = c->published.there ? 4 : 0;
        name(out, r->games[g], left, y + 4);
        fputs("<g><title>", out);
        html_text(out, r->games[g]);
        if (c->rate.n)
            fprintf(out, ": %.1f %s in %" PRIu64 " games", c->rate.mean * percent,
                    rate_interval(&c->rate, percent, (char[RATE_TEXT]){0}), c->rate.n);
        if (c->published.there) fprintf(out, "; published %.1f", c->published.value);
        if (c->published.there && c->published.half >= 0) fprintf(out, " ± %.1f", c->published.half);
        fputs("</title>", out);
        double half = fmax(c->published.half, 0), value = c->published.value;
        if (c->published.there) interval(out, "p t", left, y + shift, value, value - half, value + half, 2.6);
        if (c->rate.n)
            interval(out,
                     c->side > 0   ? "up w"
                     : c->side < 0 ? "down w"
                                   : "o w",
                     left, y - shift, c->rate.mean * percent, c->rate.low * percent, c->rate.high * percent,
                     3);
        fputs("</g>", out);
        y += ROW;
    }
    fputs("</svg></figure>\n", out);
}

void html_plots(FILE *out, const struct results *r)
{
    bool published = false;
    for (uint32_t i = 0; i < r->ngames * r->npairings; i++) published |= r->cells[i].published.there;
    fputs("<h2>Intervals</h2><p class=note>Filled: ours", out);
    fputs(r->measure == MEASURE_WINS ? ", coloured where significant." : ".", out);
    if (published) fputs(" Hollow: published.", out);
    if (r->measure == MEASURE_WINS) fputs(" Dashed: equality.", out);
    fputs("</p><div class=plots>", out);
    for (uint32_t p = 0; p < r->npairings; p++) plot(out, r, p);
    fputs("</div>", out);
}
