/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all parts of ludens.h share: errors, limits, the wish to stop. */
#ifndef LUDENS_BASE_H
#define LUDENS_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define LUDENS_BEGIN extern "C" {
#define LUDENS_END }
#else
#define LUDENS_BEGIN
#define LUDENS_END
#endif

#define LUDENS_API __attribute__((visibility("default")))

LUDENS_BEGIN

enum ludens_code {
    LUDENS_OK = 0,
    LUDENS_INPUT = 1,    /* what was passed in is wrong: rules, file names, moves */
    LUDENS_MEMORY = 2,   /* a memory limit is reached */
    LUDENS_TIME = 3,     /* a time limit is reached */
    LUDENS_STOPPED = 4,  /* somebody asked to stop */
    LUDENS_SYSTEM = 5,   /* the operating system said no */
    LUDENS_INTERNAL = 6, /* a fault of the library */
};

struct ludens_error {
    enum ludens_code code;
    uint32_t line, column; /* where in the rule sheet, counted from 1; 0: nowhere in particular */
    char text[512];        /* a sentence for a person */
};

LUDENS_API const char *ludens_version(void); /* "0.1.0" */

/* Somebody's wish to stop: begin with a zeroed one. Whatever was given its address ends soon after it is
 * raised, with LUDENS_STOPPED where that is an error. It must outlive what was given its address. */
struct ludens_stop {
    unsigned char raised; /* by the functions below alone */
};
LUDENS_API void ludens_stop_raise(struct ludens_stop *stop); /* any thread; signal handlers too */
LUDENS_API void ludens_stop_lower(struct ludens_stop *stop);

LUDENS_END

#endif
