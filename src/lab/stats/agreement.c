// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/stats/agreement.h"

#include <math.h>

const char *const verdict_names[VERDICTS] = {
    [VERDICT_SAME_SURE] = "same side, significantly",
    [VERDICT_SAME] = "same side",
    [VERDICT_LEVEL] = "level",
    [VERDICT_REVERSED] = "reversed",
    [VERDICT_REVERSED_SURE] = "reversed, significantly",
    [VERDICT_MISSING] = "not played",
    [VERDICT_OPEN] = "published without a side",
    [VERDICT_NONE] = "nothing published",
};
const char *const verdict_keys[VERDICTS] = {
    [VERDICT_SAME_SURE] = "same_significant",
    [VERDICT_SAME] = "same",
    [VERDICT_LEVEL] = "level",
    [VERDICT_REVERSED] = "reversed",
    [VERDICT_REVERSED_SURE] = "reversed_significant",
    [VERDICT_MISSING] = "missing",
    [VERDICT_OPEN] = "open",
    [VERDICT_NONE] = "none",
};

/* The side of equality a published interval is clear of: -1, 1; 0 where it is not, or none was given. */
static int published_side(const struct spec_figure *f, double parity)
{
    if (f->half < 0) return 0;
    double above = f->value - 100 * parity;
    return fabs(above) <= f->half ? 0 : above > 0 ? 1 : -1;
}

enum verdict agreement_of(const struct result_cell *c)
{
    if (c->empty || !c->published.there || c->published.apart || isnan(c->parity)) return VERDICT_NONE;
    int theirs = published_side(&c->published, c->parity);
    if (!theirs) return VERDICT_OPEN;
    if (!c->rate.n) return VERDICT_MISSING;
    if (c->side) return c->side == theirs ? VERDICT_SAME_SURE : VERDICT_REVERSED_SURE;
    /* thirds do not add up exactly: a millionth is level */
    double ours = c->rate.mean - c->parity;
    if (fabs(ours) < 1e-6) return VERDICT_LEVEL;
    return (ours > 0) == (theirs > 0) ? VERDICT_SAME : VERDICT_REVERSED;
}

double agreement_distance(const struct result_cell *c)
{
    enum { PRIOR = 10 }; /* so many games that were won or lost are added to what is known of how they vary */
    if (agreement_of(c) == VERDICT_NONE || !c->rate.n || c->published.half < 0) return -1;
    double n = (double)c->rate.n, theirs = c->published.value / 100, both = (theirs + c->rate.mean) / 2;
    double error = c->rate.half / 1.96, published = c->published.half / 196;
    double each = ((n - 1) * error * error * n + PRIOR * both * (1 - both)) / (n - 1 + PRIOR);
    double difference = c->rate.mean - theirs, variance = each / n + published * published;
    return variance > 0 ? difference * difference / variance : difference == 0 ? 0 : -1;
}

/* The probability that more than this part of n games is won where each is won with probability p. */
static double more_than(double part, uint64_t n, double p)
{
    double sum = 0, games = (double)n;
    if (p >= 1) return 1;
    for (double k = floor(part * games + 1e-9) + 1; k <= games; k++)
        sum += exp(lgamma(games + 1) - lgamma(k + 1) - lgamma(games - k + 1) + k * log(p) +
                   (games - k) * log1p(-p));
    return fmin(sum, 1);
}

static double expected_same(const struct result_cell *c)
{
    double p = c->published.value / 100;
    return p > c->parity ? more_than(c->parity, c->rate.n, p) : more_than(1 - c->parity, c->rate.n, 1 - p);
}

struct agreement agreement_count(const struct results *r)
{
    struct agreement a = {0};
    for (uint32_t i = 0; i < r->ngames * r->npairings; i++) {
        const struct result_cell *c = &r->cells[i];
        enum verdict v = agreement_of(c);
        a.count[v]++;
        if (v == VERDICT_OPEN && c->rate.n && c->side) a.open_sure++;
        if (v < VERDICT_MISSING) a.expected += expected_same(c);
        double distance = agreement_distance(c);
        if (distance >= 0) a.distance += distance, a.ndistances++;
    }
    return a;
}

void agreement_add(struct agreement *sum, const struct agreement *a)
{
    for (int v = 0; v < VERDICTS; v++) sum->count[v] += a->count[v];
    sum->open_sure += a->open_sure;
    sum->expected += a->expected;
    sum->distance += a->distance;
    sum->ndistances += a->ndistances;
}

uint32_t agreement_significant(const struct agreement *a)
{
    uint32_t n = 0;
    for (int v = VERDICT_SAME_SURE; v <= VERDICT_MISSING; v++) n += a->count[v];
    return n;
}

bool agreement_applies(const struct agreement *a)
{
    return agreement_significant(a) + a->count[VERDICT_OPEN] > 0;
}

void agreement_cells(const struct results *r, enum verdict v, struct text *out)
{
    bool any = false;
    for (uint32_t g = 0; g < r->ngames; g++) {
        bool here = false;
        for (uint32_t p = 0; p < r->npairings; p++) {
            if (agreement_of(&r->cells[g * r->npairings + p]) != v) continue;
            if (here)
                text_printf(out, ", %s", r->pairings[p]);
            else
                text_printf(out, "%s%s: %s", any ? "; " : "", r->games[g], r->pairings[p]);
            any = here = true;
        }
    }
}

void agreement_text(const struct results *r, struct text *out)
{
    struct agreement a = agreement_count(r);
    if (!agreement_applies(&a)) return;
    uint32_t n = agreement_significant(&a), open = a.count[VERDICT_OPEN];
    text_printf(out, "Agreement with %s\n  %u of %u published figures are significant. Here they are:\n",
                r->source, n, n + open);
    for (enum verdict v = VERDICT_SAME_SURE; v <= VERDICT_MISSING; v++) {
        if (!a.count[v] && (v == VERDICT_LEVEL || v == VERDICT_MISSING)) continue;
        text_printf(out, "    %-24s%4u", verdict_names[v], a.count[v]);
        if (a.count[v] && v >= VERDICT_LEVEL && v <= VERDICT_REVERSED_SURE) {
            text_puts(out, "   ");
            agreement_cells(r, v, out);
        }
        text_char(out, '\n');
    }
    if (open) text_printf(out, "  Of the other %u, %u are significant here.\n", open, a.open_sure);
}

json_t *agreement_json(const struct results *r)
{
    struct agreement a = agreement_count(r);
    if (!agreement_applies(&a)) return NULL;
    json_t *out = json_object(), *cells = json_array();
    json_object_set_new(out, "significant", json_integer(agreement_significant(&a)));
    for (enum verdict v = 0; v < VERDICT_NONE; v++)
        json_object_set_new(out, verdict_keys[v], json_integer(a.count[v]));
    json_object_set_new(out, "open_significant_here", json_integer(a.open_sure));
    for (uint32_t g = 0; g < r->ngames; g++)
        for (uint32_t p = 0; p < r->npairings; p++) {
            const struct result_cell *c = &r->cells[g * r->npairings + p];
            enum verdict v = agreement_of(c);
            if (v == VERDICT_NONE) continue;
            json_t *cell = json_pack("{s:s, s:s, s:s}", "game", r->games[g], "pairing", r->pairings[p],
                                     "verdict", verdict_keys[v]);
            double distance = agreement_distance(c);
            if (distance >= 0) json_object_set_new(cell, "distance", json_real(distance));
            json_array_append_new(cells, cell);
        }
    json_object_set_new(out, "cells", cells);
    return out;
}
