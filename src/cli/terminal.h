/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The person's terminal: what it can show, one line of progress on it, and Ctrl-C. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "analysis/draw.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

bool terminal_colour(FILE *out);              /* a terminal that takes colours, and NO_COLOR is not set */
bool terminal_utf8(void);                     /* by the locale of the environment */
int terminal_width(FILE *out);                /* columns; 80 where there are none */
int terminal_height(FILE *out);               /* rows; 0 where there is no screen */
struct board_style terminal_style(FILE *out); /* all of that, for drawing */

/* Ctrl-C ends the program at once, with status 130. After terminal_catch_interrupt the first one only sets
 * the flag, and the command ends in order; a second one ends the program. */
void terminal_end_on_interrupt(void);
void terminal_catch_interrupt(void);
extern atomic_bool terminal_interrupted;

/* Single keys from the keyboard, without waiting for the end of a line. Begin gives false where there is no
 * terminal; end restores it. A key is its character, or one of these; KEY_NONE when there are no more, or at
 * Ctrl-C. */
enum { KEY_NONE = -1, KEY_UP = 1000, KEY_DOWN, KEY_RIGHT, KEY_LEFT, KEY_HOME, KEY_END, KEY_OTHER };
bool terminal_keys_begin(void);
int terminal_key(void);
void terminal_keys_end(void);

/* A line on standard error that overwrites itself: shown only on a terminal, only when things take longer
 * than a second, and a few times a second. Begin with a zeroed struct; progress_end wipes the line. */
struct progress {
    double began, shown;
    bool visible;
};
void progress_show(struct progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void progress_end(struct progress *p);

#endif
