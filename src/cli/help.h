/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of commands for people, and everything the tables say for programs: manual pages are made of it.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

void help_print(FILE *out);

#endif
