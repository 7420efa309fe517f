// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/origin.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The part of "scheme://host:port/path" between the slashes; n = 0: there is none. */
static const char *authority(const char *url, size_t *n)
{
    const char *at = strstr(url, "://");
    at = at ? at + 3 : url + strlen(url);
    *n = strcspn(at, "/?#");
    return at;
}

/* The host of "host:port" without brackets and port. False: it is not one that fits. */
static bool host_name(const char *host, char *out, size_t size)
{
    size_t n;
    if (*host == '[') {
        host++;
        n = strcspn(host, "]");
        if (host[n] != ']') return false;
    } else {
        n = strcspn(host, ":");
    }
    if (n == 0 || n >= size) return false;
    memcpy(out, host, n);
    if (n > 1 && out[n - 1] == '.') n--; /* the root of all names */
    out[n] = '\0';
    return true;
}

bool origin_is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof in);
        return ntohl(in.sin_addr.s_addr) >> 24 == 127;
    }
    if (address->sa_family != AF_INET6) return address->sa_family == AF_UNIX;
    struct sockaddr_in6 in;
    memcpy(&in, address, sizeof in);
    return IN6_IS_ADDR_LOOPBACK(&in.sin6_addr) ||
           (IN6_IS_ADDR_V4MAPPED(&in.sin6_addr) && in.sin6_addr.s6_addr[12] == 127);
}

/* Names that cannot be anybody else's: addresses of loopback, localhost and what is below it, and this
 * machine's own name, which often stands for 127.0.1.1. */
static bool names_loopback(const char *host)
{
    char name[256], own[256] = "";
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    if (!host_name(host, name, sizeof name)) return false;
    if (inet_pton(AF_INET, name, &v4.sin_addr) == 1) return origin_is_loopback((struct sockaddr *)&v4);
    if (inet_pton(AF_INET6, name, &v6.sin6_addr) == 1) return origin_is_loopback((struct sockaddr *)&v6);
    size_t n = strlen(name);
    if (strcasecmp(name, "localhost") == 0) return true;
    if (n > 10 && strcasecmp(name + n - 10, ".localhost") == 0) return true;
    return gethostname(own, sizeof own - 1) == 0 && *own && strcasecmp(name, own) == 0;
}

/* Is this URL one of the server that was asked for as `host`? */
static bool same_server(const char *url, const char *host)
{
    size_t n;
    const char *at = authority(url, &n);
    return host && n && strlen(host) == n && strncasecmp(at, host, n) == 0;
}

static bool listed(const struct origin_policy *p, const char *url)
{
    for (int i = 0; i < p->nallowed; i++) {
        size_t n = strlen(p->allowed[i]);
        if (strcmp(p->allowed[i], "*") == 0) return true;
        if (strncasecmp(p->allowed[i], url, n) == 0 && (url[n] == '\0' || url[n] == '/')) return true;
    }
    return false;
}

static bool of_ours(const struct origin_policy *p, const struct origin_claim *c, const char *url)
{
    return same_server(url, c->host) || listed(p, url);
}

bool origin_check(const struct origin_policy *p, const struct origin_claim *c, struct error *why)
{
    if (c->loopback && c->host && *c->host && !names_loopback(c->host))
        return error_set(why, ERROR_INPUT, "'%.100s' is no name of this machine's loopback", c->host);
    if (c->origin) {
        if (of_ours(p, c, c->origin)) return true;
        return error_set(why, ERROR_INPUT, "pages of '%.100s' may not ask here", c->origin);
    }
    if (c->referer && !of_ours(p, c, c->referer))
        return error_set(why, ERROR_INPUT, "pages such as '%.100s' may not ask here", c->referer);
    /* Images, forms and links have no origin; browsers say so much of them. "none": typed by the person. */
    bool foreign =
        c->fetch_site && strcasecmp(c->fetch_site, "none") && strcasecmp(c->fetch_site, "same-origin");
    if (foreign && !(c->referer ? listed(p, c->referer) : listed(p, "null")))
        return error_set(why, ERROR_INPUT, "pages of other sites may not ask here");
    return true;
}

const char *origin_grant(const struct origin_policy *p, const struct origin_claim *c)
{
    return c->origin && listed(p, c->origin) ? c->origin : NULL;
}

bool origin_valid(const char *text, struct error *error)
{
    size_t n;
    if (strcmp(text, "*") == 0 || strcmp(text, "null") == 0) return true;
    const char *at = authority(text, &n);
    bool plain = n && at[n] == '\0' && strpbrk(text, " \t\r\n\"'<>,;@") == NULL && at - 3 > text;
    return plain ||
           error_set(error, ERROR_INPUT,
                     "'%.100s' is no origin; it is written https://example.org, with a port where it "
                     "is not the usual one",
                     text);
}
