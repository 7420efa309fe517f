// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/facts.h"

#include <stdlib.h>

#define FACT_LINES 8 /* at most */

struct line {
    symbol name;
    char *text; /* the arguments */
};

static int compare_lines(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return x->name != y->name ? (x->name > y->name) - (x->name < y->name) : strverscmp(x->text, y->text);
}

/* `name: arguments, arguments, ...` for each predicate, broken between facts. */
void facts_print(FILE *out, struct heap *heap, const struct terms *terms, const struct list *facts,
                 const bool *skip, int screen)
{
    VEC(struct line) lines = {0};
    struct text t, piece;
    text_init(&t, heap);
    text_init(&piece, heap);
    for (uint32_t i = 0; i < facts->n; i++) {
        if (skip[i]) continue;
        const struct term_node *node = term_get(terms, facts->v[i]);
        text_clear(&t);
        for (uint32_t arg = 0; arg < node->nargs; arg++) {
            if (arg) text_char(&t, ' ');
            term_print(terms, term_arg(terms, facts->v[i], arg), false, NULL, &t);
        }
        struct line line = {node->head, heap_strdup(heap, text_str(&t), t.n)};
        vec_push(heap, &lines, line);
    }
    if (lines.n) qsort(lines.v, lines.n, sizeof *lines.v, compare_lines);
    int at = 0, rows = 1;
    for (uint32_t i = 0; i < lines.n; i++) {
        bool first = i == 0 || lines.v[i].name != lines.v[i - 1].name;
        text_clear(&piece);
        if (first) text_puts(&piece, symbol_name(terms, lines.v[i].name));
        if (first && *lines.v[i].text) text_char(&piece, ' ');
        text_puts(&piece, lines.v[i].text);
        if (i + 1 < lines.n && lines.v[i + 1].name == lines.v[i].name) text_char(&piece, ',');
        int width = text_columns(text_str(&piece)), gap = i == 0 ? 0 : first ? 3 : 1;
        if (at && at + gap + width > screen) {
            if (++rows > FACT_LINES) {
                fprintf(out, "\n... and %u more facts", lines.n - i);
                break;
            }
            fputs("\n  ", out);
            at = 2;
            gap = 0;
        }
        fprintf(out, "%*s%s", gap, "", text_str(&piece));
        at += gap + width;
    }
    if (lines.n) fputc('\n', out);
}
