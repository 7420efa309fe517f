// SPDX-License-Identifier: GPL-3.0-or-later
/* Fuzz target: any bytes are read as a message of the GGP protocol, or refused with a sentence. Every part of
 * a message lies inside of the bytes, moves are as many as were counted, the canonical form of a term is its
 * own canonical form, and a message whose outer list was closed is known to be complete. */
#include "fuzz.h"

#include "net/message.h"

#include <stdlib.h>
#include <string.h>

static void inside(const uint8_t *data, size_t size, struct slice s)
{
    if (!s.n) return;
    const uint8_t *at = (const uint8_t *)s.at;
    if (at < data || s.n > size || at + s.n > data + size) abort();
}

static void same_again(struct slice term)
{
    char *once = slice_canonical(term), *twice;
    if (!once) return;
    twice = slice_canonical((struct slice){once, strlen(once)});
    if (!twice || strcmp(once, twice) != 0) abort();
    free(once);
    free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct message m;
    struct error error;
    struct message_end end = {0};
    if (size == 0) return 0;
    for (size_t i = 0; i < size; i++) message_end_feed(&end, text + i, 1);
    if (!message_parse(text, size, &m, &error)) {
        if (error.code != ERROR_INPUT || !error.text[0]) abort();
        return 0;
    }
    if (text[0] == '(' && !end.complete) abort();
    inside(data, size, m.id);
    inside(data, size, m.role);
    inside(data, size, m.rules);
    inside(data, size, m.moves);
    if (!(m.start_clock >= 0 && m.play_clock >= 0)) abort();
    same_again(m.role);
    uint32_t n = 0;
    struct slice term;
    for (struct slice rest = m.moves; slice_term(&rest, &term, &error); n++) {
        inside(data, size, term);
        same_again(term);
    }
    if (n != m.nmoves) abort();
    return 0;
}
