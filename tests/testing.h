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

#endif
