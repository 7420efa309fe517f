// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/subnet.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

static bool bytes_of(const struct sockaddr *address, uint8_t out[16])
{
    if (address->sa_family == AF_INET) {
        memcpy(out, mapped, sizeof mapped);
        memcpy(out + 12, &((const struct sockaddr_in *)address)->sin_addr, 4);
        return true;
    }
    if (address->sa_family != AF_INET6) return false;
    memcpy(out, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
    return true;
}

bool subnet_parse(const char *text, struct subnet *out, struct error *error)
{
    char address[SUBNET_TEXT];
    size_t n = strcspn(text, "/");
    unsigned offset = 0;
    *out = (struct subnet){.bits = 128};
    if (n < sizeof address) {
        memcpy(address, text, n);
        address[n] = '\0';
        if (inet_pton(AF_INET, address, out->address + 12) == 1) {
            memcpy(out->address, mapped, sizeof mapped);
            offset = 96;
        } else if (inet_pton(AF_INET6, address, out->address) != 1) {
            n = sizeof address;
        }
    }
    char *end = "";
    if (n < sizeof address && text[n]) out->bits = offset + (unsigned)strtoul(text + n + 1, &end, 10);
    bool digits = n < sizeof address && (!text[n] || (text[n + 1] >= '0' && text[n + 1] <= '9'));
    if (digits && !*end && out->bits <= 128) return true;
    return error_set(error, ERROR_INPUT, "'%.100s' is no range of addresses; they are written 192.168.1.0/24",
                     text);
}

bool subnet_holds(const struct subnet *s, const struct sockaddr *address)
{
    uint8_t a[16];
    if (!bytes_of(address, a)) return false;
    unsigned whole = s->bits / 8, rest = s->bits % 8;
    if (memcmp(a, s->address, whole) != 0) return false;
    return rest == 0 || ((a[whole] ^ s->address[whole]) >> (8 - rest)) == 0;
}

bool subnet_same_host(const struct sockaddr *a, const struct sockaddr *b)
{
    uint8_t x[16], y[16];
    return bytes_of(a, x) && bytes_of(b, y) && memcmp(x, y, 16) == 0;
}

const char *subnet_print(const struct sockaddr *address, char out[SUBNET_TEXT])
{
    uint8_t a[16];
    if (!bytes_of(address, a))
        snprintf(out, SUBNET_TEXT, "nowhere");
    else if (memcmp(a, mapped, sizeof mapped) == 0)
        inet_ntop(AF_INET, a + 12, out, SUBNET_TEXT);
    else
        inet_ntop(AF_INET6, a, out, SUBNET_TEXT);
    return out;
}
