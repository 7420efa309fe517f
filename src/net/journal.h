/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs as JSON lines: one file for the server, one per match, in one folder. */
#ifndef NET_JOURNAL_H
#define NET_JOURNAL_H

#include "base/error.h"

#include <jansson.h>
#include <stdio.h>

/* Append to FOLDER/NAME.jsonl; characters that file names better do without are replaced. Without a folder
 * (NULL) there is nothing to open: NULL, and no error. */
FILE *journal_open(const char *folder, const char *name, struct error *error);
/* Write one line, {"time": ..., "event": ...} and the members of `more`, which is taken over and may be NULL.
 * Without a journal nothing is written. */
void journal_write(FILE *journal, const char *event, json_t *more);
/* A string for JSON from bytes that may be anything. */
json_t *journal_string(const char *text, size_t n);

#endif
