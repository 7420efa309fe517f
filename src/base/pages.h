/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for large tables that are read at random: blocks begin on a line of the cache, large ones on a large
 * page where the system has them, so that looking an address up costs no further misses. free() frees them.
 * NULL without memory. */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

void *pages_alloc(size_t bytes);
void *pages_zeroed(size_t bytes);
/* A larger block that begins with the first `used` bytes of the old one, which is freed; on failure it is
 * left alone. */
void *pages_grow(void *old, size_t used, size_t bytes);

#endif
