/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for tables that are read at random: blocks begin on a line of the cache, those of at least `large`
 * bytes on a large page where the system has them, so that looking an address up costs no further misses. A
 * large page is 2 MB and is cleared when it is first touched: too much for a table that may stay small.
 * free() frees them. NULL without memory. */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

#define PAGES_LARGE ((size_t)2 << 20)

void *pages_alloc(size_t bytes, size_t large);
void *pages_zeroed(size_t bytes, size_t large);
/* A larger block that begins with the first `used` bytes of the old one, which is freed; on failure it is
 * left alone. */
void *pages_grow(void *old, size_t used, size_t bytes, size_t large);

/* Zeroed memory that is only there where it is touched, and grows without being copied; for tables of unknown
 * size. pages_map with `old` NULL begins one of `bytes` bytes; else it makes one of `before` bytes larger or
 * smaller, and may move it; NULL: it is as it was. */
void *pages_map(void *old, size_t before, size_t bytes);
void pages_unmap(void *block, size_t bytes); /* NULL is fine */

#endif
