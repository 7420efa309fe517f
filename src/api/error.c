// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/api.h"

#include <string.h>

_Static_assert(sizeof(atomic_bool) == sizeof(((struct ludens_stop *)0)->raised), "a flag is one byte");

bool tell(struct ludens_error *out, const struct error *in)
{
    if (out) {
        out->code = (enum ludens_code)in->code;
        out->line = out->column = 0;
        snprintf(out->text, sizeof out->text, "%s", in->text);
    }
    return false;
}

bool refuse(struct ludens_error *out, enum error_code code, const char *format, ...)
{
    struct error error;
    va_list args;
    va_start(args, format);
    error_vset(&error, code, format, args);
    va_end(args);
    return tell(out, &error);
}

bool no_memory(struct ludens_error *error)
{
    return refuse(error, ERROR_MEMORY, "there is no memory left");
}

size_t put_text(const char *text, size_t n, char *buffer, size_t size)
{
    if (size > 0) {
        size_t some = n < size ? n : size - 1;
        if (some) memcpy(buffer, text, some);
        buffer[some] = '\0';
    }
    return n;
}

const char *ludens_version(void)
{
    return LUDENS_VERSION;
}

void ludens_stop_raise(struct ludens_stop *stop)
{
    atomic_store_explicit((atomic_bool *)&stop->raised, true, memory_order_relaxed);
}

void ludens_stop_lower(struct ludens_stop *stop)
{
    atomic_store_explicit((atomic_bool *)&stop->raised, false, memory_order_relaxed);
}
