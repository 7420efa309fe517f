// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"

#include <stdio.h>
#include <string.h>

void text_init(struct text *t, struct heap *heap)
{
    *t = (struct text){.heap = heap};
}

static void reserve(struct text *t, size_t more)
{
    if (t->n + more + 1 <= t->cap) return;
    size_t cap = t->cap ? t->cap * 2 : 64;
    if (cap < t->n + more + 1) cap = t->n + more + 1;
    t->s = heap_realloc(t->heap, t->s, cap);
    t->cap = cap;
}

void text_add(struct text *t, const char *s, size_t n)
{
    reserve(t, n);
    memcpy(t->s + t->n, s, n);
    t->n += n;
    t->s[t->n] = '\0';
}

void text_puts(struct text *t, const char *s)
{
    text_add(t, s, strlen(s));
}

void text_char(struct text *t, char c)
{
    text_add(t, &c, 1);
}

void text_printf(struct text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n > 0) {
        reserve(t, (size_t)n);
        vsnprintf(t->s + t->n, (size_t)n + 1, format, again);
        t->n += (size_t)n;
    }
    va_end(again);
}
