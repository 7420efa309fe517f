/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing string on a heap, always terminated once something was added. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/heap.h"

struct text {
    struct heap *heap;
    char *s;
    size_t n, cap;
};

void text_init(struct text *t, struct heap *heap);
void text_add(struct text *t, const char *s, size_t n);
void text_puts(struct text *t, const char *s);
void text_char(struct text *t, char c);
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void text_clear(struct text *t)
{
    t->n = 0;
    if (t->s) t->s[0] = '\0';
}
static inline const char *text_str(const struct text *t)
{
    return t->s ? t->s : "";
}
/* The characters of a text in UTF-8: the columns it takes on a screen. */
static inline int text_columns(const char *s)
{
    int n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

#endif
