/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seconds on the monotonic clock, as a double: good to a nanosecond for decades of uptime; and dates. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <time.h>

static inline double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor time of this thread: what a benchmark compares on a busy machine. */
static inline double clock_thread(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A date as records of games have it: 2010-07-12T14:00:03Z. */
enum { CLOCK_DATE = 40 };
static inline void clock_date(time_t when, char out[CLOCK_DATE])
{
    struct tm utc;
    gmtime_r(&when, &utc);
    strftime(out, CLOCK_DATE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

#endif
