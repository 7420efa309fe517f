/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for trees and tables that come and go by the thousand, as in a laboratory where searches begin and
 * end with every game. The system clears each page that it hands out, and looking addresses up in many small
 * pages costs as much as the tables' own misses. So an open pool keeps what is given back and carves it out
 * of large pages:
 *
 *     32 KB << k        free blocks of that size, taken first; else the next larger is halved, up to a large
 * page
 *
 * Until it is opened, taking and giving are malloc and free: memory of a program that thinks only now and
 * then goes back to the system. It is opened while nothing is taken, for blocks of before are not of its
 * sizes, and stays open for the rest of the program. Any thread may call. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>

void pool_open(void);
bool pool_is_open(void);
/* NULL without memory. */
void *pool_take(size_t bytes);
void *pool_take_zeroed(size_t bytes);
/* With the size it was taken by; NULL is fine. */
void pool_give(void *block, size_t bytes);
/* A larger block that begins with the first `used` bytes of the old one, which is given back; NULL without
 * memory, and the old one is left alone. */
void *pool_grow(void *old, size_t used, size_t before, size_t bytes);

#endif
