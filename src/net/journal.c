// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/journal.h"

#include "base/file.h"
#include "base/sha1.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

enum { LONGEST_NAME = 150, FINGERPRINT = 40 };

struct journal {
    FILE *file;
    bool failed; /* the last line could not be written, and it was said */
    char path[];
};

static struct journal *open_file(const char *folder, const char *name, struct error *error)
{
    error_clear(error);
    if (!folder) return NULL;
    size_t size = strlen(folder) + strlen(name) + sizeof "/.jsonl";
    struct journal *j = calloc(1, sizeof *j + size);
    if (!j) return error_set(error, ERROR_MEMORY, "out of memory"), NULL;
    mkdir(folder, 0777); /* it is there, or it fails below */
    snprintf(j->path, size, "%s/%s.jsonl", folder, name);
    j->file = fopen(j->path, "ae");
    if (j->file) return j;
    error_set(error, ERROR_SYSTEM, "cannot write %s: %s", j->path, strerror(errno));
    free(j);
    return NULL;
}

struct journal *journal_open_server(const char *folder, struct error *error)
{
    return open_file(folder, JOURNAL_SERVER, error);
}

/* '%' and '~' are not plain, so what is written with them is no other id's name. */
static void name_of(const char *id, char *out)
{
    size_t n = 0;
    const char *at = id;
    for (; *at && n < LONGEST_NAME; at++) {
        bool plain = strchr(PLAIN, *at) && !(*at == '.' && at == id);
        if (at == id && strcmp(id, JOURNAL_SERVER) == 0) plain = false;
        n += (size_t)sprintf(out + n, plain ? "%c" : "%%%02X", (unsigned char)*at);
    }
    if (!*at) return;
    out[n++] = '~';
    sha1_hex(id, strlen(id), out + n, FINGERPRINT);
}

struct journal *journal_open_match(const char *folder, const char *id, struct error *error)
{
    char name[LONGEST_NAME + FINGERPRINT + 8] = "";
    name_of(id, name);
    return open_file(folder, name, error);
}

void journal_close(struct journal *j)
{
    if (!j) return;
    fclose(j->file);
    free(j);
}

/* The file beside the journal with another suffix; NULL without memory. */
static char *beside(const struct journal *j, const char *suffix)
{
    char *path = NULL;
    int stem = (int)(strlen(j->path) - strlen(".jsonl"));
    return asprintf(&path, "%.*s%s", stem, j->path, suffix) < 0 ? NULL : path;
}

char *journal_kept(const char *folder, const char *id, const char *suffix)
{
    char name[LONGEST_NAME + FINGERPRINT + 8] = "", *path = NULL, *text = NULL;
    size_t size = 0;
    struct stat about;
    if (!folder) return NULL;
    name_of(id, name);
    if (asprintf(&path, "%s/%s%s", folder, name, suffix) < 0) return NULL;
    FILE *file = fopen(path, "re");
    if (file && fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode)) {
        size = (size_t)about.st_size;
        text = malloc(size + 1);
    }
    if (text) text[fread(text, 1, size, file)] = '\0';
    if (file) fclose(file);
    free(path);
    return text;
}

void journal_drop(const struct journal *j, const char *suffix)
{
    char *path = j ? beside(j, suffix) : NULL;
    if (path) unlink(path);
    free(path);
}

bool journal_keep(const struct journal *j, const char *suffix, const char *text, struct error *error)
{
    if (!j) return true;
    char *path = beside(j, suffix);
    if (!path) return error_set(error, ERROR_MEMORY, "out of memory");
    bool good = file_replace(path, text, strlen(text), error);
    free(path);
    return good;
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

static void write_line(struct journal *j, const char *line)
{
    /* Half a line may have been written before the disk was full. */
    if (j->failed) fputc('\n', j->file);
    fputs(line, j->file);
    fputc('\n', j->file);
    if (fflush(j->file) == 0 && !ferror(j->file)) {
        if (j->failed) fprintf(stderr, "ludens: log %s: written again\n", j->path);
        j->failed = false;
        return;
    }
    if (!j->failed)
        fprintf(stderr, "ludens: log %s: cannot write: %s; what happens now is not logged\n", j->path,
                strerror(errno));
    j->failed = true;
    clearerr(j->file);
    __fpurge(j->file);
}

void journal_write(struct journal *j, const char *event, json_t *more)
{
    if (j) {
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
        char *text = line ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
        if (text) write_line(j, text);
        free(text);
        json_decref(line);
    }
    json_decref(more);
}
