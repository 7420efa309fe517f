/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the files lie that come with the program: the games, the experiments. */
#ifndef BASE_SHARE_H
#define BASE_SHARE_H

#include <stdbool.h>
#include <stddef.h>

/* The folders to look in for `name`, one by one: the one that `variable` names or `name` right here, those
 * beside the program's installation or source, then where the library was installed. False when there are no
 * more. */
bool share_folder(const char *variable, const char *name, int i, char *folder, size_t size);

#endif
