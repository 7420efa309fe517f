/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do our results agree with the published ones? Counted, not eyeballed: of the published results that are
 * significant (their interval is clear of what equal players would have), how many come out on the same side
 * here?
 *
 *     published        63.0 +- 5.5: better                            49.8 +- 5.7: undecided
 *     ours         71 +- 9   55 +- 10   50      46 +- 10   38 +- 9    whatever
 *     verdict      SAME_SURE   SAME    LEVEL    REVERSED  REVERSED_SURE  OPEN
 *
 * Of the open ones it is counted how many are significant here. */
#ifndef LAB_AGREEMENT_H
#define LAB_AGREEMENT_H

#include "base/text.h"
#include "lab/report/results.h"

#include <jansson.h>

enum verdict {
    VERDICT_SAME_SURE,     /* the same side, significantly */
    VERDICT_SAME,          /* the same side, but it may be chance */
    VERDICT_LEVEL,         /* on no side at all */
    VERDICT_REVERSED,      /* the other side, but it may be chance */
    VERDICT_REVERSED_SURE, /* the other side, significantly */
    VERDICT_MISSING,       /* published as significant, not played here */
    VERDICT_OPEN,          /* published, but not significant: no side to be on */
    VERDICT_NONE,          /* nothing published, or nothing that has a side (scores of games for one) */
    VERDICTS
};

extern const char *const verdict_names[VERDICTS]; /* for people */
extern const char *const verdict_keys[VERDICTS];  /* for programs */

/* Of one cell. */
enum verdict agreement_of(const struct result_cell *cell);
/* How far our figure is from the published one: the square of their difference in standard errors, with those
 * of both. About 1 in the mean where the same players met, however many games there are. -1 where it cannot
 * be told: nothing was played, or nothing published with an interval. */
double agreement_distance(const struct result_cell *cell);

struct agreement {
    uint32_t count[VERDICTS]; /* cells by verdict */
    uint32_t open_sure;       /* of the open ones: significant here */
    /* How many of the played ones would be on the published side, were the published figures the truth: few
     * games miss it now and then. Games count as won or lost. */
    double expected;
    double distance; /* added up over so many figures */
    uint32_t ndistances;
};

struct agreement agreement_count(const struct results *r);
void agreement_add(struct agreement *sum, const struct agreement *a);
/* Published results that have a side, played here or not. */
uint32_t agreement_significant(const struct agreement *a);
/* Whether there is anything to agree with. */
bool agreement_applies(const struct agreement *a);

/* The cells of one verdict: "Skirmish: NST, LGR-NST; TTCC4: NST". */
void agreement_cells(const struct results *r, enum verdict v, struct text *out);
/* The counts, and which cells are reversed. Nothing is added where nothing applies. */
void agreement_text(const struct results *r, struct text *out);
/* {"significant": 38, "same_significant": 30, ..., "open": 14, "open_significant_here": 3, "cells": [{"game",
 * "pairing", "verdict", "distance" (where there is one)}]}, the caller's. NULL where nothing applies. */
json_t *agreement_json(const struct results *r);

#endif
