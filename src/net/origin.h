/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who may talk to us through a browser on this machine.
 *
 * Whoever listens on loopback trusts the people of this machine, but not the web pages that they look at. A
 * page can make its browser send us anything, in two ways:
 *
 *     from its own origin      Origin: http://evil.example       the browser says who asks (or, for images
 * and the like, Sec-Fetch-Site: cross-site) from a name that now     Host: evil.example:9147           to the
 * browser we are the page's own server, leads to 127.0.0.1                                         but it
 * asks for us by the wrong name
 *
 * So a request that came over loopback must call us by a name of loopback, and one that a page asked for must
 * be from a page of ours or from an origin somebody allowed. Programs that are no browsers send none of these
 * headers, and are let in.
 */
#ifndef NET_ORIGIN_H
#define NET_ORIGIN_H

#include "base/error.h"

#include <sys/socket.h>

struct origin_policy {
    const char *const *allowed; /* origins such as "https://example.org"; "*": every one */
    int nallowed;
};

/* What a request says of itself; NULL: nothing. */
struct origin_claim {
    const char *host, *origin, *referer, *fetch_site; /* the headers; the last one is Sec-Fetch-Site */
    bool loopback;                                    /* the connection came over loopback */
};

/* False, and a sentence for the one who asked, if the request is not to be looked at. */
bool origin_check(const struct origin_policy *p, const struct origin_claim *c, struct error *why);
/* What the answer's Access-Control-Allow-Origin is to say; NULL: there is to be none. */
const char *origin_grant(const struct origin_policy *p, const struct origin_claim *c);

/* May it stand in `allowed`? "*", "null" or scheme://host[:port]. */
bool origin_valid(const char *text, struct error *error);
bool origin_is_loopback(const struct sockaddr *address);

#endif
