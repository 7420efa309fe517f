/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An error is a code for the program and a sentence for the person at the other end. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

enum error_code {
    ERROR_NONE = 0,
    ERROR_INPUT,     /* what we were given is wrong: rules, options, messages, files */
    ERROR_MEMORY,    /* the memory limit (or the machine's memory) is used up */
    ERROR_TIME,      /* the time limit is used up */
    ERROR_CANCELLED, /* somebody asked us to stop */
    ERROR_SYSTEM,    /* the operating system said no */
    ERROR_INTERNAL,  /* our own mistake */
};

struct error {
    enum error_code code;
    char text[500];
};

/* Fill in the error (which may be NULL) and return false, so that callers can `return error_set(...)`. */
bool error_set(struct error *e, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool error_vset(struct error *e, enum error_code code, const char *format, va_list args);

/* Put "context: " before the text, for errors that travel up through a caller that knows more. */
bool error_prefix(struct error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline void error_clear(struct error *e)
{
    e->code = ERROR_NONE;
    e->text[0] = '\0';
}

#endif
