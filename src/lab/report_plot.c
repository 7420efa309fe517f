// SPDX-License-Identifier: GPL-3.0-or-later
/* Intervals drawn. */
#include "lab/report_html.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define WIDTH 360
#define LEFT 120 /* names of the games */
#define RIGHT 10
#define ROW 24
#define TOP 6
#define BOTTOM 20

static double place(double percent)
{
    return LEFT + fmin(fmax(percent, 0), 100) / 100 * (WIDTH - LEFT - RIGHT);
}

static void interval(FILE *out, const char *class, double y, double value, double half, double radius)
{
    if (half > 0)
        fprintf(out, "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", class,
                place(value - half), place(value + half), y, y);
    fprintf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", class, place(value), y, radius);
}

/* A name that fits; long ones are cut. */
static void name(FILE *out, const char *s, double y)
{
    char cut[64];
    size_t n = 0, letters = 0;
    while (n < sizeof cut - 5 && s[n]) {
        size_t next = n + 1;
        while (((unsigned char)s[next] & 0xc0) == 0x80) next++;
        if (letters == 18 && s[next]) break;
        n = next;
        letters++;
    }
    snprintf(cut, sizeof cut, "%.*s%s", (int)n, s, s[n] ? "…" : "");
    fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 8, y);
    html_text(out, cut);
    fputs("</text>", out);
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
    double bottom = TOP + ROW * (double)rows;
    fputs("<figure><figcaption>", out);
    html_text(out, r->pairings[pairing]);
    fprintf(out, "</figcaption><svg viewBox=\"0 0 %d %.0f\" role=img>", WIDTH, bottom + BOTTOM);
    for (int tick = 0; tick <= 100; tick += 25) {
        fprintf(out, "<line class=grid x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\"/>", place(tick),
                place(tick), TOP, bottom);
        fprintf(out, "<text class=tick x=\"%.1f\" y=\"%.1f\" text-anchor=middle>%d</text>", place(tick),
                bottom + 14, tick);
    }
    if (!isnan(parity))
        fprintf(out, "<line class=even x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\"/>", place(100 * parity),
                place(100 * parity), TOP, bottom);
    double y = TOP + ROW / 2.0;
    for (uint32_t g = 0; g < r->ngames; g++) {
        const struct result_cell *c = &r->cells[g * r->npairings + pairing];
        if (c->empty) continue;
        double shift = c->published.there ? 4 : 0;
        name(out, r->games[g], y + 4);
        fputs("<g><title>", out);
        html_text(out, r->games[g]);
        if (c->rate.n)
            fprintf(out, ": %.1f ± %.1f in %" PRIu64 " games", c->rate.mean * percent, c->rate.half * percent,
                    c->rate.n);
        if (c->published.there) fprintf(out, "; published %.1f", c->published.value);
        if (c->published.there && c->published.half >= 0) fprintf(out, " ± %.1f", c->published.half);
        fputs("</title>", out);
        if (c->published.there) interval(out, "p t", y + shift, c->published.value, c->published.half, 2.6);
        if (c->rate.n)
            interval(out,
                     c->side > 0   ? "up w"
                     : c->side < 0 ? "down w"
                                   : "o w",
                     y - shift, c->rate.mean * percent, c->rate.half * percent, 3);
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
