// SPDX-License-Identifier: GPL-3.0-or-later
/* Results for programs: CSV and JSON. */
#include "lab/report/report.h"

#include "lab/stats/agreement.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

/* A text as one field (RFC 4180). */
static void field(FILE *out, const char *s)
{
    if (!strpbrk(s, ",\"\n\r")) {
        fputs(s, out);
        return;
    }
    fputc('"', out);
    for (; *s; s++) {
        if (*s == '"') fputc('"', out);
        fputc(*s, out);
    }
    fputc('"', out);
}

static void figure(FILE *out, bool there, double x)
{
    fputc(',', out);
    if (there) fprintf(out, "%.6g", x);
}

void report_csv(FILE *out, const struct results *r, bool header)
{
    double percent = results_percent(r);
    if (header)
        fputs("experiment,game,pairing,player,games,target,rate,interval,low,high,side,published,published_"
              "interval,"
              "steps,seconds,simulations_per_second,simulations_per_move,errors\n",
              out);
    for (uint32_t i = 0; i < r->ngames * r->npairings; i++) {
        const struct result_cell *c = &r->cells[i];
        if (c->empty) continue;
        const struct result_player *p = &c->players[0];
        bool some = c->rate.n > 0;
        double n = some ? (double)c->rate.n : 1;
        const char *const texts[] = {r->name, r->games[i / r->npairings], r->pairings[i % r->npairings],
                                     p->text};
        for (int k = 0; k < 4; k++) {
            if (k) fputc(',', out);
            field(out, texts[k]);
        }
        fprintf(out, ",%" PRIu64 ",%u", c->rate.n, c->target);
        figure(out, some, c->rate.mean * percent);
        figure(out, some, c->rate.half * percent);
        figure(out, some, c->rate.low * percent);
        figure(out, some, c->rate.high * percent);
        fprintf(out, ",%d", c->side);
        figure(out, c->published.there, c->published.value);
        figure(out, c->published.there && c->published.half >= 0, c->published.half);
        figure(out, some, c->steps / n);
        figure(out, some, c->seconds / n);
        figure(out, p->seconds > 0, p->simulations / p->seconds);
        figure(out, p->thoughts > 0, p->simulations / (double)p->thoughts);
        fprintf(out, ",%" PRIu64 "\n", p->errors);
    }
}

static json_t *rate_json(const struct results *r, const struct rate *rate)
{
    double percent = results_percent(r);
    if (rate->n == 0) return json_pack("{s:i}", "games", 0);
    return json_pack("{s:I, s:f, s:f, s:f, s:f}", "games", (json_int_t)rate->n, "mean", rate->mean * percent,
                     "interval", rate->half * percent, "low", rate->low * percent, "high",
                     rate->high * percent);
}

static json_t *cell_json(const struct results *r, const struct result_cell *c)
{
    json_t *players = json_array(), *seats = json_array();
    for (uint32_t k = 0; k < c->nplayers; k++) {
        const struct result_player *p = &c->players[k];
        json_array_append_new(
            players, json_pack("{s:s, s:s, s:s, s:o, s:I, s:f, s:f, s:I, s:I}", "name", p->name, "player",
                               p->text, "budget", p->budget, "rate", rate_json(r, &p->rate), "searches",
                               (json_int_t)p->thoughts, "simulations", p->simulations, "thinking", p->seconds,
                               "seats", (json_int_t)p->seats, "errors", (json_int_t)p->errors));
    }
    for (uint32_t k = 0; k < c->nroles; k++)
        json_array_append_new(
            seats, json_pack("{s:s, s:o}", "role", c->roles[k], "rate", rate_json(r, &c->by_seat[k])));
    json_t *cell = json_pack("{s:o, s:i, s:i, s:f, s:f, s:s, s:o, s:o}", "rate", rate_json(r, &c->rate),
                             "target", (int)c->target, "side", c->side, "steps", c->steps, "seconds",
                             c->seconds, "rules", c->rules, "players", players, "seats", seats);
    if (c->published.there) {
        json_t *published = json_pack("{s:f}", "value", c->published.value);
        if (c->published.half >= 0) json_object_set_new(published, "interval", json_real(c->published.half));
        json_object_set_new(cell, "published", published);
    }
    return cell;
}

struct json_t *report_json(const struct results *r)
{
    json_t *cells = json_array();
    for (uint32_t i = 0; i < r->ngames * r->npairings; i++) {
        if (r->cells[i].empty) continue;
        json_t *cell = cell_json(r, &r->cells[i]);
        json_object_set_new(cell, "game", json_string(r->games[i / r->npairings]));
        json_object_set_new(cell, "pairing", json_string(r->pairings[i % r->npairings]));
        json_array_append_new(cells, cell);
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s*, s:I, s:I, s:I, s:f, s:o, s:o*}", "name", r->name,
                     "title", r->title, "description", r->description, "measure",
                     r->measure == MEASURE_GOAL ? "goal" : "wins", "seed", r->seed, "version", r->version,
                     "source", r->source, "played", (json_int_t)r->played, "wanted", (json_int_t)r->wanted,
                     "errors", (json_int_t)r->errors, "seconds", r->seconds, "cells", cells, "agreement",
                     agreement_json(r));
}
