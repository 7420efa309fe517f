// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool share_folder(const char *variable, const char *name, int i, char *folder, size_t size)
{
    const char *env = getenv(variable);
    char program[4096];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) *slash = '\0';
    switch (i) {
    case 0: return snprintf(folder, size, "%.4000s", env && *env ? env : name), true;
    case 1: return snprintf(folder, size, "%.4000s/../share/ludens/%s", program, name), true;
    case 2: return snprintf(folder, size, "%.4000s/../%s", program, name), true;
    case 3: return snprintf(folder, size, "%.4000s/../../%s", program, name), true;  /* build/src/ludens */
    case 4: return snprintf(folder, size, "%s/%s", LUDENS_SHARE_FOLDER, name), true; /* other programs' */
    default: return false;
    }
}
