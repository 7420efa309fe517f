/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line from the person: on a terminal with editing, history and completion (GNU readline), elsewhere as it
 * comes. */
#ifndef CLI_LINE_H
#define CLI_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* What TAB completes, the whole line at a time: n words that stay the caller's until the next call. */
void line_offer(const char *const *words, size_t n);
/* NULL at the end of the input, and at Ctrl-C (terminal_interrupted). `secret`: what is typed is not shown,
 * for who chooses at the same time as others at the same screen. The caller frees it; no line end, no blanks
 * around. */
char *line_read(const char *prompt, bool secret);

#endif
