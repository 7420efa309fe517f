// SPDX-License-Identifier: GPL-3.0-or-later
/* What more thinking does: where the same players meet with several budgets, a plot for each game with a line
 * for each pair of players, over the budget of the last of them. */
#include "lab/report/plot.h"
#include "lab/report/report.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POINTS 64 /* of a line */

struct series { /* one pair of players in one game: points from left to right */
    double x[MAX_POINTS], y[MAX_POINTS], half[MAX_POINTS];
    uint64_t games[MAX_POINTS];
    uint32_t n;
};

/* Steps, simulations or seconds a move: the number that a budget's text begins with. */
static double budget_of(const struct result_cell *c)
{
    return c->nplayers ? strtod(c->players[c->nplayers - 1].budget, NULL) : 0;
}

static bool same_players(const struct result_cell *a, const struct result_cell *b)
{
    if (a->empty || b->empty || a->nplayers != b->nplayers) return false;
    for (uint32_t k = 0; k < a->nplayers; k++)
        if (strcmp(a->players[k].name, b->players[k].name) != 0) return false;
    return true;
}

static void add_point(struct series *s, double budget, const struct rate *rate)
{
    if (s->n == MAX_POINTS) return;
    uint32_t at = s->n++;
    for (; at && s->x[at - 1] > log10(budget); at--) {
        s->x[at] = s->x[at - 1], s->y[at] = s->y[at - 1];
        s->half[at] = s->half[at - 1], s->games[at] = s->games[at - 1];
    }
    s->x[at] = log10(budget);
    s->y[at] = 100 * rate->mean;
    s->half[at] = 100 * fmax(rate->high - rate->mean, rate->mean - rate->low);
    s->games[at] = rate->n;
}

/* The line that begins with this cell, if it is the first of its players; the budgets that are played. */
static bool collect(const struct results *r, const struct result_cell *row, uint32_t first, struct series *s)
{
    for (uint32_t p = 0; p < first; p++)
        if (same_players(&row[p], &row[first])) return false;
    *s = (struct series){0};
    for (uint32_t p = first; p < r->npairings; p++)
        if (same_players(&row[p], &row[first]) && row[p].rate.n && budget_of(&row[p]) > 0)
            add_point(s, budget_of(&row[p]), &row[p].rate);
    return s->n > 1 && s->x[s->n - 1] > s->x[0];
}

static const char *unit_of(const struct result_cell *c)
{
    const char *text = c->players[c->nplayers - 1].budget;
    return strstr(text, "step") ? "steps" : strstr(text, "simulation") ? "simulations" : "seconds";
}

static void draw(const struct results *r, uint32_t game, struct text *out)
{
    const struct result_cell *row = &r->cells[game * r->npairings];
    struct series s;
    struct plot plot;
    double min = INFINITY, max = -INFINITY;
    uint64_t least = UINT64_MAX, most = 0;
    char under[120], label[120];
    const char *unit = "";
    for (uint32_t p = 0; p < r->npairings; p++) {
        if (!collect(r, row, p, &s)) continue;
        min = fmin(min, s.x[0]);
        max = fmax(max, s.x[s.n - 1]);
        unit = unit_of(&row[p]);
        for (uint32_t i = 0; i < s.n; i++) {
            if (s.games[i] < least) least = s.games[i];
            if (s.games[i] > most) most = s.games[i];
        }
    }
    snprintf(under, sizeof under,
             least == most ? "%" PRIu64 " games a point" : "%" PRIu64 " to %" PRIu64 " games a point", least,
             most);
    snprintf(label, sizeof label, "%s a move", unit);
    plot_begin(&plot, out, r->games[game], under);
    plot_axes(
        &plot,
        &(struct plot_axis){.label = label, .min = min - 0.1, .max = max + 0.1, .step = 1, .powers = true},
        &(struct plot_axis){.label = "win rate", .min = 0, .max = 100, .step = 10, .unit = "%"});
    uint32_t colour = 0;
    for (uint32_t p = 0; p < r->npairings; p++)
        if (collect(r, row, p, &s)) plot_line(&plot, s.x, s.y, s.half, s.n, colour++, row[p].players[0].name);
    plot_end(&plot);
}

/* A label as part of a file's name: letters and digits, small, anything else a dash. */
static void file_name(const char *label, char *out, size_t size)
{
    size_t n = 0;
    for (const char *c = label; *c && n + 1 < size; c++)
        if (isalnum((unsigned char)*c))
            out[n++] = (char)tolower((unsigned char)*c);
        else if (n && out[n - 1] != '-')
            out[n++] = '-';
    while (n && out[n - 1] == '-') n--;
    out[n] = 0;
}

bool report_figures(const struct results *r, void (*each)(void *data, const char *name, const char *svg),
                    void *data, struct error *error)
{
    struct heap_guard guard;
    volatile bool good = false;
    if (r->measure != MEASURE_WINS) return true;
    if (HEAP_ENTER(r->heap, &guard, error)) {
        for (uint32_t g = 0; g < r->ngames; g++) {
            struct series s;
            bool some = false;
            for (uint32_t p = 0; p < r->npairings; p++)
                some |= collect(r, &r->cells[g * r->npairings], p, &s);
            if (!some) continue;
            struct text text;
            char name[100];
            text_init(&text, r->heap);
            draw(r, g, &text);
            file_name(r->games[g], name, sizeof name);
            each(data, name, text_str(&text));
        }
        heap_leave(r->heap);
        good = true;
    }
    return good;
}
