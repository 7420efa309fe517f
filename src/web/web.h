/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page's server: one thread that waits for requests, workers and the clock.
 *
 *              ┌───────────────────── web ─────────────────────┐
 *     door ───>│ api ──> pages (inside the program)            │
 *              │     ──> table ──> referee, searches, couriers │   processes of their own
 *              │     ──> jobs  ──> desks                       │
 *              │     ──> lab   ──> archive                     │
 *              └───────────────────── poll ────────────────────┘
 *
 * It reads no rules, searches nothing and opens no database: whatever the page sends, it only reads JSON.
 */
#ifndef WEB_WEB_H
#define WEB_WEB_H

#include "web/door.h"
#include "web/jobs.h"
#include "web/session.h"

struct web_options {
    struct door_options door;
    int64_t sessions;   /* at once */
    size_t rules_bytes; /* of a sheet */
    struct session_limits limits;
    const char *database; /* of the laboratory */
    bool quiet;
};

/* A question to the archive. */
struct reading {
    struct request *request;
    uint32_t id;
    double due;
};

enum { WEB_READINGS = 32 };

struct web {
    const struct web_options *options;
    struct door *door;
    struct session *sessions; /* newest first */
    uint32_t nsessions;
    struct jobs jobs;
    json_t *pictures; /* of the library's games, by name, as far as somebody asked */
    json_t *library;
    struct child archive;
    struct reading readings[WEB_READINGS];
    uint32_t next_reading;
    double read; /* when the archive was last asked */
    int signals;
    bool ends;
};

/* Serve until SIGINT or SIGTERM. False and an error if it cannot begin. */
bool web_run(const struct web_options *options, struct error *error);

/* api.c: what was asked for */
void web_request(void *data, struct request *r);

/* lab.c */
void lab_request(struct web *w, struct request *r, const char *path);
bool lab_wants(const struct web *w, struct pollfd *out);
void lab_hear(struct web *w, short events);
bool lab_child(struct web *w, pid_t pid);
double lab_tick(struct web *w, double now);
void lab_close(struct web *w);

/* The files of the page, inside the program (made by src/web/pages/embed.py). */
struct page {
    const char *path, *type, *etag;
    const unsigned char *bytes;
    size_t size;
};
extern const struct page web_pages[]; /* ends with a NULL path */

#endif
