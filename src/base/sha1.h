/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-1 (FIPS 180-4), for fingerprints that other programs compute too (traces, rule digests); not for
 * security. */
#ifndef BASE_SHA1_H
#define BASE_SHA1_H

#include <stddef.h>
#include <stdint.h>

void sha1(const void *data, size_t size, uint8_t digest[20]);
void sha1_hex(const void *data, size_t size, char *out,
              size_t digits); /* lower case; `out` holds digits + 1 */

#endif
