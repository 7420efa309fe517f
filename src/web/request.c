// SPDX-License-Identifier: GPL-3.0-or-later
/* What was asked, and the answer. */
#include "web/door_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

/* Scripts, styles and pictures are ours alone; nobody may frame the page or make it post elsewhere. */
static const char *const headers[][2] = {
    {"Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' "
                                "data: blob:; connect-src 'self'; "
                                "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Permissions-Policy", "camera=(), microphone=(), geolocation=()"},
};

void request_give(struct request *r, unsigned status, struct MHD_Response *response)
{
    if (r->answered || !response) {
        if (response) MHD_destroy_response(response);
        return;
    }
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    r->answered = true;
    r->status = status;
    r->response = response;
    if (!r->suspended) return;
    r->suspended = false;
    MHD_resume_connection(r->connection);
    eventfd_write(r->door->bell, 1);
}

void request_answer(struct request *r, int status, const char *type, const char *bytes, size_t n,
                    const char *etag)
{
    const char *known =
        etag ? MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "If-None-Match") : NULL;
    bool same = known && strcmp(known, etag) == 0;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(same ? 0 : n, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);
    if (!response) return;
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Cache-Control", etag ? "no-cache" : "no-store");
    if (etag) MHD_add_response_header(response, "ETag", etag);
    request_give(r, same ? 304 : (unsigned)status, response);
}

void request_json(struct request *r, int status, json_t *taken)
{
    char *text = taken ? json_dumps(taken, JSON_COMPACT) : NULL;
    json_decref(taken);
    if (text)
        request_answer(r, status, "application/json", text, strlen(text), NULL);
    else
        request_answer(r, 500, "application/json", "{\"error\":\"out of memory\"}", 25, NULL);
    free(text);
}

void request_error(struct request *r, int status, const char *format, ...)
{
    char text[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_t *words = json_string(text);
    if (!words) words = json_string("this cannot be said in plain text");
    request_json(r, status, json_pack("{s:o}", "error", words));
}

const char *request_method(const struct request *r)
{
    return r->method;
}

const char *request_path(const struct request *r)
{
    return r->path;
}

const char *request_query(const struct request *r, const char *name)
{
    return MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, name);
}

const char *request_body(const struct request *r, size_t *n)
{
    *n = r->size;
    return r->body ? r->body : "";
}
