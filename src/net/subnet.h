/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges of addresses, ADDRESS/BITS as in routing tables: 192.168.1.0/24, 2001:db8::/32, or one address. An
 * IPv4 address counts the same whether it comes as such or mapped into IPv6. */
#ifndef NET_SUBNET_H
#define NET_SUBNET_H

#include "base/error.h"

#include <stdint.h>
#include <sys/socket.h>

struct subnet {
    uint8_t address[16]; /* IPv6; IPv4 is mapped */
    unsigned bits;       /* of it that count */
};

enum { SUBNET_TEXT = 64 };

bool subnet_parse(const char *text, struct subnet *out, struct error *error);
bool subnet_holds(const struct subnet *s, const struct sockaddr *address);
bool subnet_same_host(const struct sockaddr *a, const struct sockaddr *b); /* whatever the ports */
/* The address without the port, for people. */
const char *subnet_print(const struct sockaddr *address, char out[SUBNET_TEXT]);

#endif
