/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every cmocka test includes, in the order cmocka wants it. */
#ifndef TESTS_TESTING_H
#define TESTS_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Under a sanitizer all takes several times as long, and what is found is what is found without. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* Under the thread sanitizer all takes ten to fifty times as long, and what one thread does tells it nothing.
 */
#ifdef __SANITIZE_THREAD__
enum { THREADS_WATCHED = 1 };
#else
enum { THREADS_WATCHED = 0 };
#endif

#endif
