/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs as JSON lines: one file for the server, one per match, in one folder. */
#ifndef NET_JOURNAL_H
#define NET_JOURNAL_H

#include "base/error.h"

#include <jansson.h>

struct journal;

#define JOURNAL_SERVER "server" /* the name of the server's own file */

/* Append to a file of the folder. A match's file is named after its id: characters that file names better do
 * without are written %XX, long ids end in a fingerprint, and an id is never called what the server's file is
 * called; so two ids never share a file. Without a folder (NULL) there is nothing to open: NULL, no error. */
struct journal *journal_open_server(const char *folder, struct error *error);
struct journal *journal_open_match(const char *folder, const char *id, struct error *error);
void journal_close(struct journal *j);
/* Write one line, {"time": ..., "event": ...} and the members of `more`, which is taken over and may be NULL.
 * Without a journal nothing is written. If it cannot be written (the disk is full) that is said on standard
 * error, once until it works again: the match goes on. */
void journal_write(struct journal *j, const char *event, json_t *more);
/* Write a file beside the journal, with its name and this suffix instead of its own; what was there is
 * replaced in one step. False and an error if it cannot be written; true without a journal. */
bool journal_keep(const struct journal *j, const char *suffix, const char *text, struct error *error);
/* What was written so for this match, to be freed; NULL: nothing. And away with it. */
char *journal_kept(const char *folder, const char *id, const char *suffix);
void journal_drop(const struct journal *j, const char *suffix);
/* A string for JSON from bytes that may be anything. */
json_t *journal_string(const char *text, size_t n);

#endif
