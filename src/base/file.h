/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are never seen half written. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/error.h"

#include <stddef.h>

/* Replace the contents of `path` (or make it): written beside it under another name, flushed, then renamed.
 * Links are followed and permissions kept. False and an error, with the old file untouched, if it fails. What
 * is no file, such as /dev/null or a pipe, is written to as it is. */
bool file_replace(const char *path, const char *data, size_t size, struct error *error);

#endif
