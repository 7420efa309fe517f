/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the threads that search one tree come together when it must grow or be collected.
 *
 *     call ──> every member: attend ──> the last to come does the work ──> all go on
 *
 * Who has nothing left to do leaves, and is not waited for. */
#ifndef SEARCH_MEETING_H
#define SEARCH_MEETING_H

#include <stdbool.h>
#include <stdint.h>

struct meeting *meeting_new(void);
void meeting_free(struct meeting *m);
void meeting_open(struct meeting *m, uint32_t members); /* before the threads start */
bool meeting_called(const struct meeting *m);
void meeting_call(struct meeting *m);
/* Wait until all members are there; the last one to come does the work. */
void meeting_attend(struct meeting *m, void (*work)(void *data), void *data);
/* No more to come from this member; if all others are there, it does the work. */
void meeting_leave(struct meeting *m, void (*work)(void *data), void *data);

#endif
