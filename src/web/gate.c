// SPDX-License-Identifier: GPL-3.0-or-later
/* Who may come in: by which name, from which page, with the token, how much. */
#include "net/origin.h"
#include "web/door_internal.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

void gate_refuse(struct request *r, int status, const char *why)
{
    if (r->refused) return;
    r->refused = status;
    snprintf(r->why, sizeof r->why, "%s", why);
}

/* Addresses in numbers, this machine's name and those it was given: names that no foreign page can have. */
static bool knows_host(const struct door *d, const char *host)
{
    char name[256], own[256] = "", local[300];
    unsigned char address[16];
    size_t n = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    const char *from = *host == '[' ? host + 1 : host;
    n -= *host == '[' ? 2 : 0;
    if (n == 0 || n >= sizeof name) return false;
    snprintf(name, sizeof name, "%.*s", (int)n, from);
    if (inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1) return true;
    if (strcasecmp(name, "localhost") == 0) return true;
    for (const char *const *h = d->options->hosts; h && *h; h++)
        if (strcasecmp(name, *h) == 0) return true;
    if (gethostname(own, sizeof own - 1) || !*own) return false;
    snprintf(local, sizeof local, "%.255s.local", own);
    return strcasecmp(name, own) == 0 || strcasecmp(name, local) == 0;
}

static bool is_loopback(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info && info->client_addr && origin_is_loopback(info->client_addr);
}

static void check_origin(struct request *r)
{
    static const struct origin_policy nobody_else = {NULL, 0};
    struct MHD_Connection *c = r->connection;
    struct origin_claim claim = {.host = header(c, "Host"),
                                 .origin = header(c, "Origin"),
                                 .referer = header(c, "Referer"),
                                 .fetch_site = header(c, "Sec-Fetch-Site"),
                                 .loopback = r->door->listener.loopback && is_loopback(c)};
    struct error why;
    if (!claim.host || !knows_host(r->door, claim.host))
        gate_refuse(r, 403, "this machine is not known by that name; `ludens web --host NAME` allows it");
    else if (!origin_check(&nobody_else, &claim, &why))
        gate_refuse(r, 403, why.text);
}

/* The path behind the token. Takes the same time for every wrong one. */
const char *gate_path(struct request *r, const char *url)
{
    const char *prefix = r->door->prefix;
    size_t n = strlen(prefix), given = strlen(url);
    unsigned differ = given < n;
    for (size_t i = 0; i < n; i++) differ |= (unsigned)(prefix[i] ^ url[i < given ? i : given]);
    if (!differ && (url[n] == '/' || url[n] == '\0')) return url[n] ? url + n : "/";
    gate_refuse(r, 403, "the address needs the token that `ludens web` printed when it was started");
    return "/";
}

static void check_size(struct request *r)
{
    const char *length = header(r->connection, "Content-Length");
    if (length && strtoull(length, NULL, 10) > r->door->options->max_body)
        gate_refuse(r, 413, "this is too large");
    /* A page of another site could send forms without asking; it cannot send this. */
    const char *type = header(r->connection, "Content-Type");
    if (strcmp(r->method, "POST") == 0 && (!type || strncasecmp(type, "application/json", 16) != 0))
        gate_refuse(r, 415, "what is sent must be application/json");
    if (strcmp(r->method, "GET") != 0 && strcmp(r->method, "POST") != 0 && strcmp(r->method, "DELETE") != 0)
        gate_refuse(r, 405, "GET, POST and DELETE are understood here");
}

void gate_check(struct request *r)
{
    check_origin(r);
    check_size(r);
}
