/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the library of games has, for lists of all kinds.
 *
 * The sheets are those of the library's folder; what is told about them was measured before and is kept
 * beside them in index.json (scripts/survey-games writes it, tests/cli/test_games.py holds it to the truth).
 * A sheet that is not in the index is listed by its name alone. */
#ifndef GAME_LIBRARY_H
#define GAME_LIBRARY_H

#include "base/error.h"

#include <jansson.h>

/* A list with an object for each sheet, in the order of their names: "name", and what the index says. NULL
 * and an error if there is no library or its index cannot be understood. */
json_t *library_list(struct error *error);

#endif
