// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

FILE *journal_open(const char *folder, const char *name, struct error *error)
{
    char path[4600], file[101];
    size_t n = 0;
    error_clear(error);
    if (!folder) return NULL;
    for (; n < sizeof file - 1 && name[n]; n++) {
        bool plain = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", name[n]) ||
                     (name[n] == '.' && n);
        file[n] = plain ? name[n] : '_';
    }
    file[n] = '\0';
    mkdir(folder, 0777); /* it is there, or it fails below */
    snprintf(path, sizeof path, "%.4400s/%s.jsonl", folder, file);
    FILE *journal = fopen(path, "ae");
    if (!journal) error_set(error, ERROR_SYSTEM, "cannot write %s: %s", path, strerror(errno));
    return journal;
}

json_t *journal_string(const char *text, size_t n)
{
    json_t *s = json_stringn(text, n);
    if (s) return s;
    /* not UTF-8 */
    char *copy = malloc(n + 1);
    if (!copy) return json_null();
    for (size_t i = 0; i < n; i++) copy[i] = (unsigned char)text[i] < 128 ? text[i] : '?';
    s = json_stringn(copy, n);
    free(copy);
    return s;
}

void journal_write(FILE *journal, const char *event, json_t *more)
{
    if (journal) {
        struct timespec now;
        struct tm utc;
        char time[40], fraction[8];
        clock_gettime(CLOCK_REALTIME, &now);
        gmtime_r(&now.tv_sec, &utc);
        strftime(time, sizeof time - sizeof fraction, "%Y-%m-%dT%H:%M:%S", &utc);
        snprintf(fraction, sizeof fraction, ".%03dZ", (int)(now.tv_nsec / 1000000) % 1000);
        strcat(time, fraction);
        json_t *line = json_pack("{s:s, s:s}", "time", time, "event", event);
        if (line && more) json_object_update(line, more);
        if (line && json_dumpf(line, journal, JSON_COMPACT | JSON_REAL_PRECISION(6)) == 0)
            fputc('\n', journal);
        fflush(journal);
        json_decref(line);
    }
    json_decref(more);
}
