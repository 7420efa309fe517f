// SPDX-License-Identifier: GPL-3.0-or-later
/* Fuzz target: any bytes are an experiment or are refused with a place in them. What is accepted has all its
 * tables filled in, also when it is made quick. */
#include "fuzz.h"

#include "lab/spec/spec.h"

#include <stdlib.h>
#include <string.h>

static void use(const struct spec *s)
{
    for (uint32_t g = 0; g < s->ngames; g++)
        for (uint32_t p = 0; p < s->npairings; p++) {
            const struct spec_pairing *pair = &s->pairings[p];
            if (pair->n == 0 || pair->n > SPEC_MAX_PLAYERS || !*pair->label || !*s->games[g].label) abort();
            if (s->published[g * s->npairings + p].there && !s->source) abort();
            for (uint32_t i = 0; i < pair->n; i++) {
                struct match_budget b = spec_budget(s, g, p, pair->players[i]);
                if (!b.simulations && b.seconds <= 0 && !b.expansions) abort();
            }
        }
    if (s->ngames == 0 || s->npairings == 0 || s->number == 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int quick = 0; quick < 2; quick++) {
        struct spec_changes changes = {.quick = quick};
        struct error error = {0};
        struct spec *s = spec_read("fuzz.yaml", (const char *)data, size, &changes, &error);
        if (!s && (!error.code || !error.text[0])) abort();
        if (s) use(s);
        spec_free(s);
    }
    return 0;
}
