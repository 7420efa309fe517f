// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/error.h"

#include <stdio.h>
#include <string.h>

bool error_vset(struct error *e, enum error_code code, const char *format, va_list args)
{
    if (e) {
        e->code = code;
        vsnprintf(e->text, sizeof e->text, format, args);
    }
    return false;
}

bool error_set(struct error *e, enum error_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error_vset(e, code, format, args);
    va_end(args);
    return false;
}

bool error_prefix(struct error *e, const char *format, ...)
{
    if (!e) return false;
    char old[sizeof e->text];
    memcpy(old, e->text, sizeof old);
    va_list args;
    va_start(args, format);
    int n = vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n + 3 < sizeof e->text)
        snprintf(e->text + n, sizeof e->text - (size_t)n, ": %.*s", (int)(sizeof e->text - (size_t)n - 3),
                 old);
    return false;
}
