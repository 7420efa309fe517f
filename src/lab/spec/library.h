/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where experiments lie: $LUDENS_LAB, then lab/ here, then beside the program's source or installation. */
#ifndef LAB_LIBRARY_H
#define LAB_LIBRARY_H

#include "base/error.h"

#include <stddef.h>

/* The path of an experiment by name ("paper/000-table-11"). A path that exists is returned as it is. False
 * and an error with near misses if there is none. */
bool lab_find(const char *path_or_name, char *path, size_t size, struct error *error);

/* Call `each` with the name and path of every experiment of the library, in order. */
bool lab_each(void (*each)(void *data, const char *name, const char *path), void *data, struct error *error);

/* The folder of the results that are kept with the experiments. */
bool lab_results_folder(char *path, size_t size, struct error *error);

/* The bytes of a file of reasonable size; the caller frees them. */
bool lab_read_file(const char *path, char **text, size_t *size, struct error *error);

#endif
