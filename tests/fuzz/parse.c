// SPDX-License-Identifier: GPL-3.0-or-later
/* Fuzz target: any bytes are read, laid out, disguised, brought into normal form and checked, or refused with
 * a remark. What was laid out must read back as the same tokens and comments and be laid out the same; what
 * was disguised must have the same shape. */
#include "fuzz.h"

#include "base/clock.h"
#include "gdl/format.h"
#include "gdl/scramble.h"
#include "logic/validate.h"

#include <stdlib.h>
#include <string.h>

static struct syntax *parse(struct heap *heap, const char *text, size_t size, struct diags *diags)
{
    struct source *source = source_copy(heap, "fuzz.kif", text, size);
    diags_init(diags, heap, source);
    return syntax_parse(heap, source, diags);
}

static bool same_bytes(const struct syntax *a, uint32_t at, const struct syntax *b, uint32_t bt,
                       uint32_t length)
{
    return memcmp(a->source->text + at, b->source->text + bt, length) == 0;
}

/* The same lists of atoms; with `names` the same atoms, and the same comments too. */
static bool same(const struct syntax *a, const struct syntax *b, bool names)
{
    if (a->nodes.n != b->nodes.n || a->top.n != b->top.n) return false;
    for (uint32_t i = 1; i < a->nodes.n; i++) {
        const struct node *x = &a->nodes.v[i], *y = &b->nodes.v[i];
        if (x->kind != y->kind || x->first != y->first || x->next != y->next) return false;
        if (names && x->kind != NODE_LIST &&
            (x->length != y->length || !same_bytes(a, x->offset, b, y->offset, x->length)))
            return false;
    }
    if (!names) return true;
    if (a->comments.n != b->comments.n) return false;
    for (uint32_t i = 0; i < a->comments.n; i++) {
        const struct comment *x = &a->comments.v[i], *y = &b->comments.v[i];
        if (x->length != y->length || !same_bytes(a, x->offset, b, y->offset, x->length)) return false;
    }
    return true;
}

static void read_and_use(struct heap *heap, const char *data, size_t size)
{
    struct diags diags;
    struct syntax *syntax = parse(heap, data, size, &diags);
    if (diags.errors) return;

    struct text once, twice, disguised;
    text_init(&once, heap);
    text_init(&twice, heap);
    text_init(&disguised, heap);
    format_sheet(heap, syntax, &once);
    struct syntax *again = parse(heap, text_str(&once), once.n, &diags);
    if (diags.errors || !same(syntax, again, true)) abort();
    format_sheet(heap, again, &twice);
    if (once.n != twice.n || memcmp(text_str(&once), text_str(&twice), once.n) != 0) abort();

    struct scramble *s =
        scramble_new(heap, syntax, (struct scramble_options){.seed = size, .numbers = size & 1});
    scramble_sheet(s, syntax, &disguised);
    if (!same(syntax, parse(heap, text_str(&disguised), disguised.n, &diags), false)) abort();

    diags_init(&diags, heap, syntax->source);
    validate_program(program_build(heap, syntax, &diags), &diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct heap *heap = heap_new(FUZZ_MEMORY);
    struct heap_guard guard;
    struct error error;
    heap->deadline = clock_now() + FUZZ_SECONDS;
    if (HEAP_ENTER(heap, &guard, &error)) {
        read_and_use(heap, (const char *)data, size);
        heap_leave(heap);
    }
    heap_free(heap);
    return 0;
}
