/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for tables that are read at random: blocks begin on a line of the cache, those of at least `large`
 * bytes on a large page where the system has them, so that looking an address up costs no further misses. A
 * large page is 2 MB and is cleared when it is first touched: too much for a table that may stay small.
 * free() frees them. NULL without memory. */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#define PAGES_LARGE ((size_t)2 << 20)

void *pages_alloc(size_t bytes, size_t large);
void *pages_zeroed(size_t bytes, size_t large);
/* A larger block that begins with the first `used` bytes of the old one, which is freed; on failure it is
 * left alone. */
void *pages_grow(void *old, size_t used, size_t bytes, size_t large);

/* Zeroed memory that is only there where it is touched, for tables that are replaced by larger ones. */
void *pages_map(size_t bytes);
void pages_unmap(void *block, size_t bytes); /* NULL is fine; also for a part of one, in whole small pages */

/* Addresses for a table of unknown size that never moves: `most` bytes, of which none is there yet. Large
 * pages begin after PAGES_SMALL bytes: a table that stays small touches little. */
#define PAGES_SMALL ((size_t)256 << 10)
void *pages_reserve(size_t most);
/* So many bytes in whole pages, for pages_extend. */
size_t pages_round(size_t bytes);
/* The first `bytes` bytes are there from now on, `before` of them were already; both pages_round. False: no
 * memory, all is as it was. */
bool pages_extend(void *block, size_t before, size_t bytes);

#endif
