// SPDX-License-Identifier: GPL-3.0-or-later
/* Fuzz target: any bytes are read, laid out and brought into normal form, or refused with a remark. What was
 * laid out must read back without errors and be laid out the same. */
#include "fuzz.h"

#include "gdl/format.h"
#include "logic/program.h"

#include <stdlib.h>
#include <string.h>

static struct syntax *parse(struct heap *heap, const char *text, size_t size, struct diags *diags)
{
    struct source *source = source_copy(heap, "fuzz.kif", text, size);
    diags_init(diags, heap, source);
    return syntax_parse(heap, source, diags);
}

static void read_lay_out_normalise(struct heap *heap, const char *data, size_t size)
{
    struct diags diags;
    struct syntax *syntax = parse(heap, data, size, &diags);
    if (diags.errors) return;

    struct text once, twice;
    text_init(&once, heap);
    text_init(&twice, heap);
    format_sheet(heap, syntax, &once);
    struct syntax *again = parse(heap, text_str(&once), once.n, &diags);
    if (diags.errors) abort();
    format_sheet(heap, again, &twice);
    if (once.n != twice.n || memcmp(text_str(&once), text_str(&twice), once.n) != 0) abort();

    program_build(heap, syntax, &diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct heap *heap = heap_new(FUZZ_MEMORY);
    struct heap_guard guard;
    struct error error;
    if (HEAP_ENTER(heap, &guard, &error)) {
        read_lay_out_normalise(heap, (const char *)data, size);
        heap_leave(heap);
    }
    heap_free(heap);
    return 0;
}
