// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/spec/rates.h"

#include <string.h>

#define MOST_STEPS 1e15

static uint64_t worth(double seconds, double rate)
{
    double steps = seconds * rate + 0.5;
    return steps < 1 ? 1 : steps > MOST_STEPS ? (uint64_t)MOST_STEPS : (uint64_t)steps;
}

static double rate_of(struct spec_reader *r, const struct doc_node *rates, const char *game)
{
    const struct doc_node *rate = doc_get(rates, game);
    if (!rate) doc_fail(r->heap, rates, "there is no rate for '%.60s'", game);
    return doc_real(r->heap, rate, "a rate (steps a second)", 1e-3, 1e12);
}

void rates_read(struct spec_reader *r, const struct doc_node *root)
{
    static const char *const clock_keys[] = {"move", "start", NULL}, *const file_keys[] = {"rates", NULL};
    const struct doc_node *file = doc_get(root, "rates"), *clock = doc_get(root, "clock");
    if (!file && !clock) return;
    if (!clock) doc_fail(r->heap, file, "rates go with a clock");
    if (!file) doc_fail(r->heap, clock, "a clock needs rates; without them seconds belong into budget");
    if (doc_get(root, "budget")) doc_fail(r->heap, clock, "a clock is a budget; there is another one");
    const struct doc_node *table = file->kind == DOC_TEXT ? spec_read_beside(r->spec, file, "rates") : file;
    if (table != file) {
        doc_expect_keys(r->heap, table, "a file of rates", file_keys);
        const struct doc_node *inside = doc_get(table, "rates");
        if (!inside) doc_fail(r->heap, table, "a file of rates has the key rates");
        table = inside;
    }
    doc_expect(r->heap, table, DOC_MAP, "rates");
    doc_expect_keys(r->heap, clock, "clock", clock_keys);
    const struct doc_node *move = doc_get(clock, "move"), *start = doc_get(clock, "start");
    if (!move) doc_fail(r->heap, clock, "how long is a move? The key is move");
    double seconds = doc_real(r->heap, move, "move (in seconds)", 1e-3, 1e6);
    double first = start ? doc_real(r->heap, start, "start (in seconds)", 0, 1e6) : 0;
    for (uint32_t i = 0; i < r->spec->ngames; i++) {
        struct spec_game *g = &r->spec->games[i];
        if (g->own_budget) continue;
        double rate = rate_of(r, table, g->name);
        g->own_budget = true;
        g->budget = (struct match_budget){.steps = worth(seconds, rate),
                                          .start_steps = first > 0 ? worth(first, rate) : 0};
    }
}
