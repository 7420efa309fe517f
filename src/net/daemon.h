/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a server of ours asks of the system. */
#ifndef NET_DAEMON_H
#define NET_DAEMON_H

#include "base/error.h"

/* Ctrl-C, the wish to end and the end of children come out of a file descriptor from now on; -1 and an error
 * if they cannot. Whoever hangs up kills nobody. */
int daemon_signals(struct error *error);
/* Files enough for callers who never say anything. And where we may, first in line for the processor: there
 * is little to do, but that at once. Workers do not inherit it. */
void daemon_raise_limits(void);

#endif
