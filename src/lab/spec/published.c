// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab/spec/published.h"

#include "base/text.h"
#include "lab/spec/spec_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_spaces(const char *s)
{
    while (*s == ' ') s++;
    return s;
}

/* VALUE, VALUE ± HALF, VALUE +- HALF, or - for none. */
static struct spec_figure read_figure(struct heap *heap, const struct doc_node *node)
{
    const char *s = skip_spaces(doc_text(heap, node, "a figure"));
    struct spec_figure f = {.there = true, .half = -1};
    char *end;
    if (strcmp(s, "-") == 0 || !*s) return (struct spec_figure){.half = -1};
    f.value = strtod(s, &end);
    bool good = end != s && isfinite(f.value);
    s = skip_spaces(end);
    if (good && *s) {
        size_t sign = strncmp(s, "±", strlen("±")) == 0 ? strlen("±") : strncmp(s, "+-", 2) == 0 ? 2 : 0;
        f.half = strtod(s + sign, &end);
        good = sign && end != s + sign && !*skip_spaces(end) && isfinite(f.half) && f.half >= 0;
    }
    if (!good || f.value < 0 || f.value > 100)
        doc_fail(heap, node, "a figure is like 66.2 or 66.2 ± 5.35 (in percent) or - for none, not '%.60s'",
                 node->text);
    return f;
}

static _Noreturn void refuse_name(struct spec *s, const struct doc_node *at, const char *what, bool rows)
{
    struct text all;
    text_init(&all, s->heap);
    for (uint32_t i = 0; i < (rows ? s->ngames : s->npairings) && all.n < 250; i++)
        text_printf(&all, "%s%s", i ? ", " : "", rows ? s->games[i].label : s->pairings[i].label);
    doc_fail(s->heap, at, "the experiment has no %s '%.60s'; it has: %.250s", what, at->text, text_str(&all));
}

/* Rows that are shown and not counted. */
static void read_apart(struct spec *s, const struct doc_node *list)
{
    if (!list) return;
    doc_expect(s->heap, list, DOC_LIST, "apart");
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t row = spec_row(s, doc_text(s->heap, list->items[i], "a game"));
        if (row == UINT32_MAX) refuse_name(s, list->items[i], "game", true);
        for (uint32_t k = 0; k < s->npairings; k++) s->published[row * s->npairings + k].apart = true;
    }
}

void published_read(struct spec *s, const struct doc_node *node)
{
    static const char *const keys[] = {"source", "columns", "rows", "apart", NULL};
    const struct doc_node *map = node->kind == DOC_TEXT ? spec_read_beside(s, node, "published") : node;
    doc_expect_keys(s->heap, map, "published", keys);
    const struct doc_node *source = doc_get(map, "source"), *columns = doc_get(map, "columns"),
                          *rows = doc_get(map, "rows");
    if (!columns || !rows) doc_fail(s->heap, map, "published figures need columns and rows");
    s->source = source ? doc_text(s->heap, source, "source") : "";
    doc_expect(s->heap, columns, DOC_LIST, "columns");
    doc_expect(s->heap, rows, DOC_MAP, "rows");
    uint32_t *column = heap_alloc(s->heap, (columns->n + 1) * sizeof *column);
    for (uint32_t i = 0; i < columns->n; i++) {
        column[i] = spec_column(s, doc_text(s->heap, columns->items[i], "a column"));
        if (column[i] == UINT32_MAX) refuse_name(s, columns->items[i], "pairing", false);
    }
    for (uint32_t i = 0; i < rows->n; i += 2) {
        uint32_t row = spec_row(s, rows->items[i]->text);
        const struct doc_node *values = rows->items[i + 1];
        if (row == UINT32_MAX) refuse_name(s, rows->items[i], "game", true);
        doc_expect(s->heap, values, DOC_LIST, "a row");
        if (values->n != columns->n)
            doc_fail(s->heap, values, "there are %u columns, and %u figures in this row", columns->n,
                     values->n);
        for (uint32_t k = 0; k < values->n; k++)
            s->published[row * s->npairings + column[k]] = read_figure(s->heap, values->items[k]);
    }
    read_apart(s, doc_get(map, "apart"));
}
