/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `ludens info`: the independent subgames of a game. */
#ifndef CLI_INFO_FACTORS_H
#define CLI_INFO_FACTORS_H

#include "circuit/circuit.h"

#include <jansson.h>

/* In no more than so many seconds. `c` NULL: there is no circuit, and nothing is known. */
void info_factors_print(const struct circuit *c, const char **role_names, double seconds,
                        const atomic_bool *cancel);
json_t *info_factors_json(const struct circuit *c, const char **role_names, double seconds,
                          const atomic_bool *cancel);

#endif
