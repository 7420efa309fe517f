// SPDX-License-Identifier: GPL-3.0-or-later
/* Tables. */
#include "lab/boards/grid_report.h"

#include "lab/report/plot.h"

#include <inttypes.h>
#include <math.h>

#define MOVES_SHOWN 3 /* as in table 7.1 */

static const struct grid_cell *cell(const struct grid_results *r, uint32_t i, uint32_t j)
{
    return &r->cells[j * r->grid->across.n + i];
}

void grid_move_name(const char *move, char *out, size_t size)
{
    unsigned x, y, x2, y2;
    char rest;
    if (sscanf(move, "(move %u %u %u %u)%c", &x, &y, &x2, &y2, &rest) == 4 && x && x2 && x <= 26 && x2 <= 26)
        snprintf(out, size, "%c%u-%c%u", 'a' + x - 1, y, 'a' + x2 - 1, y2);
    else
        snprintf(out, size, "%s", move);
}

static void table_of_rates(FILE *out, const struct grid_results *r)
{
    const struct grid *g = r->grid;
    fprintf(out, "win rate in %%: across %s, down %s\n\n%8s", g->across.label, g->along.label, "");
    for (uint32_t i = 0; i < g->across.n; i++) fprintf(out, "%7" PRId64, g->across.values[i]);
    fputc('\n', out);
    for (uint32_t j = g->along.n; j-- > 0;) {
        fprintf(out, "%8" PRId64, g->along.values[j]);
        for (uint32_t i = 0; i < g->across.n; i++) {
            const struct grid_cell *c = cell(r, i, j);
            if (c->games)
                fprintf(out, "%7.1f", 100 * c->rate.mean);
            else
                fprintf(out, "%7s", "-");
        }
        fputc('\n', out);
    }
}

/* What depth and branching factor do at the same size of the tree. */
static void table_of_sizes(FILE *out, const struct grid_results *r)
{
    const struct grid *g = r->grid;
    double rates[GRID_MAX_VALUES];
    fprintf(out, "\nthe same where the game tree has so many positions\n\n");
    for (uint32_t k = GRID_SIZES; k-- > 0;) {
        grid_equal_size(r, grid_sizes[k], rates);
        fprintf(out, "   10^%-2g", grid_sizes[k]);
        for (uint32_t i = 0; i < g->across.n; i++)
            if (isnan(rates[i]))
                fprintf(out, "%7s", "-");
            else
                fprintf(out, "%7.1f", rates[i]);
        fputc('\n', out);
    }
}

static void table_of_moves(FILE *out, const struct grid_results *r)
{
    const struct grid *g = r->grid;
    char name[60];
    fprintf(out, "first moves and how often each was chosen\n\n");
    for (uint32_t j = g->along.n; j-- > 0;)
        for (uint32_t i = 0; i < g->across.n; i++) {
            const struct grid_cell *c = cell(r, i, j);
            fprintf(out, "%s %" PRId64 ", %s %" PRId64 ":", g->along.label, g->along.values[j],
                    g->across.label, g->across.values[i]);
            for (uint32_t k = 0; k < c->nfirst && k < MOVES_SHOWN; k++) {
                grid_move_name(c->first[k].text, name, sizeof name);
                fprintf(out, "  %s %u", name, c->first[k].n);
            }
            fprintf(out, c->nfirst > MOVES_SHOWN ? "  ...\n" : c->nfirst ? "\n" : "  -\n");
        }
}

void grid_report_text(FILE *out, const struct grid_results *r)
{
    const struct grid *g = r->grid;
    double seconds = 0, steps = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t k = 0; k < g->across.n * g->along.n; k++) {
        seconds += r->cells[k].seconds;
        steps += (double)r->cells[k].steps;
        if (r->cells[k].games < least) least = r->cells[k].games;
    }
    fprintf(out,
            "%s: %s\n%" PRIu64 " games, %" PRIu64 " or more at each of %u points; %.3g steps, %.0f s\n\n",
            g->name, g->title, r->games, least, g->across.n * g->along.n, steps, seconds);
    if (g->measure == GRID_MOVES)
        table_of_moves(out, r);
    else
        table_of_rates(out, r);
    if (g->show == GRID_CONTOURS) table_of_sizes(out, r);
    if (*g->says) fprintf(out, "\nThe text: %s\n", g->says);
}

void grid_report_csv(FILE *out, const struct grid_results *r, bool header)
{
    const struct grid *g = r->grid;
    if (header)
        fprintf(out, "experiment,%s,%s,games,rate,half,natural,total_simulations,total_steps,move,chosen\n",
                grid_parameter_names[g->across.parameter], grid_parameter_names[g->along.parameter]);
    for (uint32_t j = 0; j < g->along.n; j++)
        for (uint32_t i = 0; i < g->across.n; i++) {
            const struct grid_cell *c = cell(r, i, j);
            for (uint32_t k = 0; k == 0 || k < c->nfirst; k++)
                fprintf(
                    out,
                    "%s,%" PRId64 ",%" PRId64 ",%" PRIu64 ",%.5f,%.5f,%.5f,%" PRIu64 ",%" PRIu64 ",%s,%u\n",
                    g->name, g->across.values[i], g->along.values[j], c->games, c->rate.mean, c->rate.half,
                    c->simulations ? (double)c->decided / (double)c->simulations : 0, c->simulations,
                    c->steps, c->nfirst ? c->first[k].text : "", c->nfirst ? c->first[k].n : 0);
        }
}

json_t *grid_report_json(const struct grid_results *r)
{
    const struct grid *g = r->grid;
    json_t *points = json_array();
    for (uint32_t j = 0; j < g->along.n; j++)
        for (uint32_t i = 0; i < g->across.n; i++) {
            const struct grid_cell *c = cell(r, i, j);
            json_t *moves = json_object();
            for (uint32_t k = 0; k < c->nfirst; k++)
                json_object_set_new(moves, c->first[k].text, json_integer(c->first[k].n));
            json_array_append_new(
                points,
                json_pack("{s:I, s:I, s:I, s:f, s:f, s:I, s:I, s:I, s:f, s:o}",
                          grid_parameter_names[g->across.parameter], (json_int_t)g->across.values[i],
                          grid_parameter_names[g->along.parameter], (json_int_t)g->along.values[j], "games",
                          (json_int_t)c->games, "rate", c->rate.mean, "half", c->rate.half,
                          "total_simulations", (json_int_t)c->simulations, "decided", (json_int_t)c->decided,
                          "total_steps", (json_int_t)c->steps, "seconds", c->seconds, "first", moves));
        }
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:o}", "name", g->name, "title", g->title, "player",
                     g->player_text, "opponent", g->opponent, "games", (json_int_t)r->games, "points",
                     points);
}

/* --- The page */

static void html_paragraphs(struct text *out, const char *class, const char *s)
{
    if (!*s) return;
    text_printf(out, "<p class=\"%s\">", class);
    plot_escape(out, s);
    text_puts(out, "</p>\n");
}

static void html_figure(void *data, const char *name, const char *svg)
{
    (void)name;
    text_printf(data, "<figure>%s</figure>\n", svg);
}

static void html_table(struct text *out, const struct grid_results *r)
{
    const struct grid *g = r->grid;
    char name[60];
    text_puts(out, "<table><tr><th>");
    plot_escape(out, g->along.label);
    text_puts(out, " \\ ");
    plot_escape(out, g->across.label);
    text_puts(out, "</th>");
    for (uint32_t i = 0; i < g->across.n; i++) text_printf(out, "<th>%" PRId64 "</th>", g->across.values[i]);
    text_puts(out, "</tr>\n");
    for (uint32_t j = g->along.n; j-- > 0;) {
        text_printf(out, "<tr><th>%" PRId64 "</th>", g->along.values[j]);
        for (uint32_t i = 0; i < g->across.n; i++) {
            const struct grid_cell *c = cell(r, i, j);
            text_printf(out, "<td title=\"%" PRIu64 " games\">", c->games);
            if (!c->games)
                text_puts(out, "–");
            else if (g->measure == GRID_WINS)
                text_printf(out, "%.1f <small>%s</small>", 100 * c->rate.mean,
                            rate_interval(&c->rate, 100, (char[RATE_TEXT]){0}));
            for (uint32_t k = 0; k < c->nfirst && k < MOVES_SHOWN; k++) {
                grid_move_name(c->first[k].text, name, sizeof name);
                if (k) text_puts(out, "<br>");
                plot_escape(out, name);
                text_printf(out, " %u", c->first[k].n);
            }
            text_puts(out, "</td>");
        }
        text_puts(out, "</tr>\n");
    }
    text_puts(out, "</table>\n");
}

/* "boards/race:500steps:seed7" was "boards/race --steps 500 --seed 7". */
static void html_command(struct text *out, const struct grid *g)
{
    const char *part = strchr(g->name, ':');
    char base[300];
    snprintf(base, sizeof base, "%.*s", (int)strcspn(g->name, ":"), g->name);
    text_puts(out, "ludens lab run ");
    plot_escape(out, base);
    for (unsigned long long n; part; part = strchr(part + 1, ':')) {
        char unit[6];
        if (sscanf(part, ":%llu%5[a-z]", &n, unit) == 2)
            text_printf(out, " --%s %llu", unit, n);
        else if (sscanf(part, ":seed%llu", &n) == 1)
            text_printf(out, " --seed %llu", n);
    }
}

void grid_report_html(const struct grid_results *r, struct text *out)
{
    const struct grid *g = r->grid;
    if (out->n == 0) {
        text_puts(out,
                  "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                  "content=\"width=device-width\"><link rel=\"icon\" href=\"data:,\"><title>");
        plot_escape(out, g->title);
        text_puts(out, "</title><style>:root{color-scheme:light dark}body{font:15px/1.5 "
                       "system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}"
                       "figure{display:inline-block;margin:.5rem 1rem .5rem 0}svg{max-width:100%;height:auto}"
                       ".says{border-left:3px solid #888;padding-left:1rem}"
                       "table{border-collapse:collapse;display:block;overflow-x:auto;font-size:13px;"
                       "font-variant-numeric:tabular-nums}th,td{padding:.15rem .5rem;text-align:right;"
                       "border-bottom:1px solid #8884}small{opacity:.6}</style></head><body>\n");
    }
    text_puts(out, "<h1>");
    plot_escape(out, g->title);
    text_puts(out, "</h1>\n");
    html_paragraphs(out, "about", g->description);
    html_paragraphs(out, "says", g->says);
    grid_figures(r, html_figure, out);
    html_table(out, r);
    text_puts(out, "<p><small>");
    plot_escape(out, g->name);
    text_printf(out, ": %" PRIu64 " games; player ", r->games);
    plot_escape(out, g->player_text);
    text_puts(out, "; opponent ");
    plot_escape(out, *g->opponent ? g->opponent : "none");
    text_printf(out, "; seed %" PRIu64 "; ludens " LUDENS_VERSION "; <code>", g->seed);
    html_command(out, g);
    text_puts(out, "</code></small></p>\n"); /* body and html end by themselves: another section may follow */
}
