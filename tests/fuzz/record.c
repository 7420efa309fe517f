// SPDX-License-Identifier: GPL-3.0-or-later
/* Fuzz target: any bytes are read as a record of a match, or refused with a remark. What was read is written
 * in both forms, which must read back as the same. */
#include "fuzz.h"

#include "match/record.h"

#include <stdlib.h>
#include <string.h>

static void print(struct heap *heap, const struct record *r, enum record_form form, struct text *out)
{
    text_init(out, heap);
    record_print(r, form, out);
}

static void write_and_read(struct heap *heap, const struct record *r, enum record_form form)
{
    struct text once, twice;
    struct error error;
    print(heap, r, form, &once);
    struct record *again = record_parse("again", text_str(&once), once.n, &error);
    /* Moves of records need not be terms: as text they may not be told apart. JSON has no such excuse. */
    if (!again && form == RECORD_PGN) return;
    if (!again) abort();
    print(heap, again, form, &twice);
    if (form == RECORD_JSON && (once.n != twice.n || memcmp(text_str(&once), text_str(&twice), once.n) != 0))
        abort();
    record_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct heap *heap = heap_new(FUZZ_MEMORY);
    struct heap_guard guard;
    struct error error;
    struct record *r = record_parse("fuzz", (const char *)data, size, &error);
    if (r && HEAP_ENTER(heap, &guard, &error)) {
        write_and_read(heap, r, RECORD_JSON);
        write_and_read(heap, r, RECORD_PGN);
        heap_leave(heap);
    }
    record_free(r);
    heap_free(heap);
    return 0;
}
