/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `ludens --version`: which program this is, how it was built, and what this processor lets it do. */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

#include <stdio.h>

void version_print(FILE *out);

#endif
