// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/report/report.h"

#include "lab/stats/agreement.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static int columns(const char *s)
{
    int n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

static void pad(FILE *out, const char *s, int width)
{
    fprintf(out, "%s%*s", s, max_int(width - columns(s), 0), "");
}

static void format_own(char *s, size_t size, const struct rate *r, double scale)
{
    char interval[RATE_TEXT];
    snprintf(s, size, "%.1f %s", r->mean * scale, rate_interval(r, scale, interval));
}

static void format_rate(char *s, size_t size, double mean, double half, double scale)
{
    if (half < 0)
        snprintf(s, size, "%.1f", mean * scale);
    else
        snprintf(s, size, "%.1f ±%.1f", mean * scale, half * scale);
}

static void print_cell(FILE *out, const struct results *r, const struct result_cell *c, int width,
                       bool colour)
{
    char s[40] = "";
    if (!c->empty && c->rate.n == 0) snprintf(s, sizeof s, "-");
    if (!c->empty && c->rate.n) format_own(s, sizeof s - 3, &c->rate, results_percent(r));
    if (c->side) strcat(s, c->side > 0 ? "*" : "°");
    if (colour && c->side) fputs(c->side > 0 ? "\033[32m" : "\033[31m", out);
    pad(out, s, width);
    if (colour && c->side) fputs("\033[0m", out);
}

/* No blanks at the ends of lines. */
static int column_width(const struct results *r, uint32_t p)
{
    return p + 1 < r->npairings ? max_int(columns("100.0 (94–100)*"), columns(r->pairings[p])) + 2 : 0;
}

static void print_table(FILE *out, const struct results *r, bool colour)
{
    int first = columns("  published");
    bool any = false, wilson = false;
    for (uint32_t g = 0; g < r->ngames; g++) first = max_int(first, columns(r->games[g]));
    pad(out, "", first + 2);
    for (uint32_t p = 0; p < r->npairings; p++) pad(out, r->pairings[p], column_width(r, p));
    fputc('\n', out);
    for (uint32_t g = 0; g < r->ngames; g++) {
        const struct result_cell *row = &r->cells[g * r->npairings];
        bool published = false;
        pad(out, r->games[g], first + 2);
        for (uint32_t p = 0; p < r->npairings; p++) {
            print_cell(out, r, &row[p], column_width(r, p), colour);
            published |= !row[p].empty && row[p].published.there;
            any |= row[p].side != 0;
            wilson |= !row[p].empty && row[p].rate.n && row[p].rate.wilson;
        }
        fputc('\n', out);
        if (!published) continue;
        pad(out, "  published", first + 2);
        for (uint32_t p = 0; p < r->npairings; p++) {
            char s[40] = "";
            if (!row[p].empty && row[p].published.there)
                format_rate(s, sizeof s, row[p].published.value, row[p].published.half, 1);
            pad(out, s, column_width(r, p));
        }
        fputc('\n', out);
    }
    if (any) fputs("\n* significantly above equality, ° significantly below (95%)\n", out);
    if (wilson) fputs("\n(low–high): Wilson's 95% interval, where games are few or all ended alike\n", out);
}

/* Means over the games of each column. */
static void print_speed(FILE *out, const struct results *r)
{
    if (r->played == 0) return;
    fprintf(out, "\n%.2f games per second and job", (double)r->played / (r->seconds > 0 ? r->seconds : 1e-9));
    fprintf(out, ", %" PRIu64 " error%s\n", r->errors, r->errors == 1 ? "" : "s");
    /* simulations per second by player, over all cells */
    for (uint32_t i = 0; i < r->ngames * r->npairings; i++)
        for (uint32_t k = 0; k < r->cells[i].nplayers; k++) {
            const char *name = r->cells[i].players[k].name;
            double simulations = 0, seconds = 0, thoughts = 0;
            bool before = false;
            for (uint32_t j = 0; j < r->ngames * r->npairings; j++)
                for (uint32_t l = 0; l < r->cells[j].nplayers; l++) {
                    const struct result_player *p = &r->cells[j].players[l];
                    if (strcmp(p->name, name) != 0) continue;
                    before |= j < i || (j == i && l < k);
                    simulations += p->simulations;
                    seconds += p->seconds;
                    thoughts += (double)p->thoughts;
                }
            if (before || thoughts == 0) continue;
            fprintf(out, "  ");
            pad(out, name, 20);
            fprintf(out, " %9.0f simulations per second, %.0f per move  (%s)\n",
                    simulations / fmax(seconds, 1e-9), simulations / thoughts, r->cells[i].players[k].text);
        }
}

static void print_details(FILE *out, const struct results *r)
{
    for (uint32_t i = 0; i < r->ngames * r->npairings; i++) {
        const struct result_cell *c = &r->cells[i];
        if (c->empty) continue;
        fprintf(out, "\n%s, %s: %" PRIu64 " of %u games", r->games[i / r->npairings],
                r->pairings[i % r->npairings], c->rate.n, c->target);
        if (c->rate.n)
            fprintf(out, ", %.1f steps, %.3f s each", c->steps / (double)c->rate.n,
                    c->seconds / (double)c->rate.n);
        fputc('\n', out);
        for (uint32_t k = 0; k < c->nplayers && c->rate.n; k++) {
            const struct result_player *p = &c->players[k];
            char s[40];
            format_own(s, sizeof s, &p->rate, results_percent(r));
            fputs("  ", out);
            pad(out, p->name, 20);
            fputc(' ', out);
            pad(out, s, 16);
            fprintf(out, "%s; %.0f simulations/s, %" PRIu64 " errors\n", p->budget,
                    p->simulations / fmax(p->seconds, 1e-9), p->errors);
        }
        for (uint32_t k = 0; k < c->nroles && c->nplayers > 1 && c->rate.n; k++) {
            char s[40];
            format_own(s, sizeof s, &c->by_seat[k], results_percent(r));
            fprintf(out, "    as ");
            pad(out, c->roles[k], 15);
            fprintf(out, " %s  (%" PRIu64 ")\n", s, c->by_seat[k].n);
        }
    }
}

static void print_agreement(FILE *out, const struct results *r)
{
    struct heap *heap = heap_new(0);
    struct heap_guard guard;
    struct error error;
    if (heap && HEAP_ENTER(heap, &guard, &error)) {
        struct text t;
        text_init(&t, heap);
        agreement_text(r, &t);
        if (t.n) fprintf(out, "\n%s", text_str(&t));
        heap_leave(heap);
    }
    heap_free(heap);
}

void report_text(FILE *out, const struct results *r, bool details, bool colour)
{
    fprintf(out, "%s\n%s: %" PRIu64 " of %" PRIu64 " games, seed %s%s%s\n\n", r->title, r->name, r->played,
            r->wanted, r->seed, r->source && *r->source ? "; published: " : "", r->source ? r->source : "");
    print_table(out, r, colour);
    print_agreement(out, r);
    print_speed(out, r);
    if (details) print_details(out, r);
}
