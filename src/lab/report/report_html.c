// SPDX-License-Identifier: GPL-3.0-or-later
/* The page: tables, plots, agreement, details. It needs nothing but itself. */
#include "lab/report/report_html.h"
#include "lab/report/report.h"
#include "lab/report/report_style.h"
#include "lab/stats/agreement.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void html_text(FILE *out, const char *s)
{
    for (; *s; s++) {
        switch (*s) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*s, out);
        }
    }
}

static void element(FILE *out, const char *tag, const char *text)
{
    fprintf(out, "<%s>", tag);
    html_text(out, text);
    fprintf(out, "</%s>", tag);
}

static void fact(FILE *out, const char *what, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("<li><b>", out);
    vfprintf(out, format, args);
    fprintf(out, "</b><span>%s</span></li>", what);
    va_end(args);
}

/* ---- the table ---- */

static void print_cell(FILE *out, const struct results *r, const struct result_cell *c)
{
    double percent = results_percent(r);
    if (c->empty) {
        fputs("<td></td>", out);
        return;
    }
    fprintf(out, "<td%s title=\"%" PRIu64 " of %u games\">",
            c->side > 0   ? " class=up"
            : c->side < 0 ? " class=down"
                          : "",
            c->rate.n, c->target);
    if (c->rate.n)
        fprintf(out, "<b>%.1f</b><i>%s</i>", c->rate.mean * percent,
                rate_interval(&c->rate, percent, (char[RATE_TEXT]){0}));
    else
        fputs("–", out);
    if (c->published.there) {
        fprintf(out, "<small>%.1f", c->published.value);
        if (c->published.half >= 0) fprintf(out, " ±%.1f", c->published.half);
        fputs("</small>", out);
    }
    fputs("</td>", out);
}

/* The mean over all games of a column, ours and the published one over the same games. */
static void print_mean(FILE *out, const struct results *r, uint32_t pairing)
{
    double ours = 0, published = 0, beside = 0;
    uint32_t n = 0, m = 0;
    for (uint32_t g = 0; g < r->ngames; g++) {
        const struct result_cell *c = &r->cells[g * r->npairings + pairing];
        if (c->empty || c->rate.n == 0) continue;
        ours += c->rate.mean, n++;
        if (c->published.there) published += c->published.value, beside += c->rate.mean, m++;
    }
    fputs("<td>", out);
    if (n) fprintf(out, "<b>%.1f</b>", (m == n ? beside : ours) / n * results_percent(r));
    if (m && m == n) fprintf(out, "<small>%.1f</small>", published / m);
    fputs("</td>", out);
}

static void print_table(FILE *out, const struct results *r)
{
    fputs("<div class=card><table><thead><tr><th></th>", out);
    for (uint32_t p = 0; p < r->npairings; p++) element(out, "th", r->pairings[p]);
    fputs("</tr></thead><tbody>", out);
    for (uint32_t g = 0; g < r->ngames; g++) {
        fputs("<tr>", out);
        element(out, "th", r->games[g]);
        for (uint32_t p = 0; p < r->npairings; p++) print_cell(out, r, &r->cells[g * r->npairings + p]);
        fputs("</tr>\n", out);
    }
    fputs("</tbody>", out);
    if (r->ngames > 1) {
        fputs("<tfoot><tr><th>Mean</th>", out);
        for (uint32_t p = 0; p < r->npairings; p++) print_mean(out, r, p);
        fputs("</tr></tfoot>", out);
    }
    fputs("</table></div><p class=note>", out);
    fputs(r->measure == MEASURE_WINS ? "Win rates in percent" : "Mean goals", out);
    fputs(" of the first player of each pairing with 95% intervals.", out);
    if (r->measure == MEASURE_WINS)
        fputs(" <span class=key style=\"background:var(--upbg)\"></span>significantly better than equal, "
              "<span class=key style=\"background:var(--downbg)\"></span>significantly worse.",
              out);
    if (r->source) {
        fputs(" Below, smaller: ", out);
        html_text(out, *r->source ? r->source : "the published figures");
        fputc('.', out);
    }
    fputs("</p>", out);
}

/* ---- agreement ---- */

static void print_agreement(FILE *out, const struct results *r)
{
    struct agreement a = agreement_count(r);
    if (!agreement_applies(&a)) return;
    fprintf(out,
            "<h2>Agreement</h2><p class=note>Of %u published results that are significant, how many come out "
            "the same way "
            "here:</p><div class=bar>",
            agreement_significant(&a));
    for (int v = 0; v <= VERDICT_MISSING; v++)
        if (a.count[v])
            fprintf(out, "<span class=v%d style=\"flex:%u\" title=\"%s: %u\"></span>", v + 1, a.count[v],
                    verdict_names[v], a.count[v]);
    fputs("</div><p class=note>", out);
    for (int v = 0; v <= VERDICT_MISSING; v++)
        if (a.count[v] || v != VERDICT_MISSING)
            fprintf(out, "<span class=legend><span class=\"key v%d\"></span>%s: %u</span> ", v + 1,
                    verdict_names[v], a.count[v]);
    fputs("</p>", out);
    bool any = false;
    for (uint32_t i = 0; i < r->ngames * r->npairings; i++) {
        if (r->cells[i].empty || agreement_of(&r->cells[i]) != VERDICT_REVERSED_SURE) continue;
        fputs(any ? "; " : "<p class=note>Reversed significantly: ", out);
        html_text(out, r->games[i / r->npairings]);
        fputs(", ", out);
        html_text(out, r->pairings[i % r->npairings]);
        any = true;
    }
    if (any) fputs(".</p>", out);
}

/* ---- details ---- */

static void print_rate(FILE *out, const struct results *r, const struct rate *rate)
{
    double percent = results_percent(r);
    if (rate->n)
        fprintf(out, "<td><b>%.1f</b><i>%s</i></td>", rate->mean * percent,
                rate_interval(rate, percent, (char[RATE_TEXT]){0}));
    else
        fputs("<td>–</td>", out);
}

static void print_seats(FILE *out, const struct results *r)
{
    fputs("<details><summary>By seat</summary><div "
          "class=card><table><thead><tr><th>Game</th><th>Pairing</th><th>Seat</th>"
          "<th>Games</th><th>First player</th></tr></thead><tbody>",
          out);
    for (uint32_t i = 0; i < r->ngames * r->npairings; i++) {
        const struct result_cell *c = &r->cells[i];
        for (uint32_t k = 0; k < c->nroles && !c->empty; k++) {
            fputs("<tr>", out);
            element(out, "th", k ? "" : r->games[i / r->npairings]);
            element(out, "td", k ? "" : r->pairings[i % r->npairings]);
            element(out, "td", c->roles[k]);
            fprintf(out, "<td>%" PRIu64 "</td>", c->by_seat[k].n);
            print_rate(out, r, &c->by_seat[k]);
            fputs("</tr>\n", out);
        }
    }
    fputs("</tbody></table></div></details>", out);
}

static void print_effort(FILE *out, const struct results *r)
{
    fputs("<details><summary>Players, budgets, speed</summary><div "
          "class=card><table><thead><tr><th>Game</th><th>Pairing</th>"
          "<th>Player</th><th>Points</th><th>Budget per "
          "move</th><th>Simulations/s</th><th>Errors</th><th>Steps/game</th>"
          "<th>Games/s</th></tr></thead><tbody>",
          out);
    for (uint32_t i = 0; i < r->ngames * r->npairings; i++) {
        const struct result_cell *c = &r->cells[i];
        for (uint32_t k = 0; k < c->nplayers && !c->empty; k++) {
            const struct result_player *p = &c->players[k];
            fputs("<tr>", out);
            element(out, "th", k ? "" : r->games[i / r->npairings]);
            element(out, "td", k ? "" : r->pairings[i % r->npairings]);
            fputs("<td title=\"", out);
            html_text(out, p->text);
            fputs("\">", out);
            html_text(out, p->name);
            fputs("</td>", out);
            print_rate(out, r, &p->rate);
            element(out, "td", p->budget);
            if (p->seconds > 0)
                fprintf(out, "<td>%.0f</td>", p->simulations / p->seconds);
            else
                fputs("<td>–</td>", out);
            fprintf(out, "<td>%" PRIu64 "</td>", p->errors);
            if (k || c->rate.n == 0)
                fputs("<td></td><td></td>", out);
            else
                fprintf(out, "<td>%.1f</td><td>%.2f</td>", c->steps / (double)c->rate.n,
                        (double)c->rate.n / fmax(c->seconds, 1e-9));
            fputs("</tr>\n", out);
        }
    }
    fputs("</tbody></table></div></details>", out);
}

/* ---- the page ---- */

/* The options behind the name of a variant: "first:quick:sims=20" was "first --quick --sims 20". */
static void print_command(FILE *out, const struct results *r)
{
    uint32_t number = 0;
    bool same = true;
    const char *name = r->name;
    for (; *name; name++) {
        const char part[] = {*name, '\0'};
        html_text(out, *name == ':' ? " --" : *name == '=' ? " " : part);
    }
    for (uint32_t i = 0; i < r->ngames * r->npairings; i++) {
        if (r->cells[i].empty) continue;
        same &= !number || r->cells[i].target == number;
        number = r->cells[i].target;
    }
    if (same && number) fprintf(out, " --games %u", number);
}

struct figures {
    FILE *out;
    uint32_t n;
};

static void print_figure(void *data, const char *name, const char *svg)
{
    struct figures *f = data;
    (void)name;
    if (f->n++ == 0) fputs("<h2>With more thinking</h2>", f->out);
    fprintf(f->out, "<figure>%s</figure>", svg);
}

static void print_experiment(FILE *out, const struct results *r, uint32_t number)
{
    fprintf(out, "<section id=e%u>", number);
    element(out, "h1", r->title);
    if (*r->description) {
        fputs("<p class=lead>", out);
        html_text(out, r->description);
        fputs("</p>", out);
    }
    fputs("<ul class=facts>", out);
    if (r->played == r->wanted)
        fact(out, "games", "%" PRIu64, r->played);
    else
        fact(out, "games so far", "%" PRIu64 " of %" PRIu64, r->played, r->wanted);
    fact(out, "games × pairings", "%u × %u", r->ngames, r->npairings);
    if (r->seconds > 0) fact(out, "games per second and job", "%.2f", (double)r->played / r->seconds);
    fact(out, r->errors == 1 ? "error" : "errors", "%" PRIu64, r->errors);
    fputs("</ul>", out);
    print_table(out, r);
    print_agreement(out, r);
    html_plots(out, r);
    report_figures(r, print_figure, &(struct figures){out, 0}, &(struct error){0});
    print_seats(out, r);
    print_effort(out, r);
    fputs("<p class=note><code>ludens lab run ", out);
    print_command(out, r);
    fputs("</code>, seed ", out);
    html_text(out, r->seed);
    fputs(", Ludens ", out);
    html_text(out, r->version);
    fputs("</p></section>\n", out);
}

void report_html(FILE *out, struct results *const *list, uint32_t n)
{
    fputs("<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
          "<meta name=viewport content=\"width=device-width,initial-scale=1\"><link rel=icon "
          "href=\"data:,\"><title>",
          out);
    html_text(out, n ? list[0]->title : "Ludens");
    fprintf(out, "</title><style>%s</style></head><body><main>\n", report_style);
    if (n > 1) {
        fputs("<nav>", out);
        for (uint32_t i = 0; i < n; i++) {
            fprintf(out, "<a href=\"#e%u\">", i);
            html_text(out, list[i]->name);
            fputs("</a>", out);
        }
        fputs("</nav>", out);
    }
    for (uint32_t i = 0; i < n; i++) print_experiment(out, list[i], i);
    fputs(
        "<footer>A win is a point; who shares the highest goal shares it: halves for two, thirds for "
        "three. Seats rotate through "
        "every assignment of the players equally often. Intervals are 1.96 s/√n, or Wilson’s (low–high) "
        "where "
        "there are fewer than 30 games or all ended alike; a cell is significant when its interval is clear "
        "of equality.</footer>"
        "</main></body></html>\n",
        out);
}
