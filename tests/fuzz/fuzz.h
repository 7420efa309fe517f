/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What fuzz targets share. `make fuzz` runs them under libFuzzer; `make test` runs each once over our own
 * games and the inputs that once broke something (files.c). */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#define FUZZ_MEMORY ((size_t)64 << 20)
#define FUZZ_SECONDS 2

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
