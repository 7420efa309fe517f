// SPDX-License-Identifier: GPL-3.0-or-later
/* Ranges of addresses: which are understood, and who is within. */
#include "net/subnet.h"
#include "testing.h"

#include <arpa/inet.h>
#include <netinet/in.h>

static const struct sockaddr *address(const char *text)
{
    static struct sockaddr_in v4;
    static struct sockaddr_in6 v6;
    v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(7)};
    v6 = (struct sockaddr_in6){.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) return (struct sockaddr *)&v4;
    assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
    return (struct sockaddr *)&v6;
}

static bool within(const char *range, const char *text)
{
    struct subnet s;
    struct error error;
    assert_true(subnet_parse(range, &s, &error));
    return subnet_holds(&s, address(text));
}

static void addresses_are_within_or_not(void **state)
{
    assert_true(within("192.168.1.0/24", "192.168.1.255"));
    assert_false(within("192.168.1.0/24", "192.168.2.0"));
    assert_true(within("192.168.1.0/23", "192.168.0.7"));
    assert_true(within("10.0.0.1", "10.0.0.1"));
    assert_false(within("10.0.0.1", "10.0.0.2"));
    assert_false(within("10.0.0.1/32", "10.0.0.0"));
    assert_true(within("0.0.0.0/0", "203.0.113.9"));
    assert_false(within("0.0.0.0/0", "2001:db8::1"));
    assert_true(within("::/0", "203.0.113.9"));
    assert_true(within("10.0.0.0/8", "::ffff:10.1.2.3"));
    assert_true(within("2001:db8::/33", "2001:db8:7fff::1"));
    assert_false(within("2001:db8::/33", "2001:db8:8000::1"));
}

static void nonsense_is_refused(void **state)
{
    static const char *const bad[] = {"",         "home",        "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1",
                                      "10.0.0/8", "10.0.0.0/8x", "::/129",      "/8",        "10.0.0.0/ 8"};
    struct subnet s;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error error = {0};
        assert_false(subnet_parse(bad[i], &s, &error));
        assert_non_null(strstr(error.text, "192.168.1.0/24"));
    }
}

static void hosts_are_told_apart_without_their_ports(void **state)
{
    char text[SUBNET_TEXT];
    struct sockaddr_in a;
    memcpy(&a, address("10.0.0.1"), sizeof a);
    a.sin_port = htons(8000);
    assert_true(subnet_same_host((struct sockaddr *)&a, address("10.0.0.1")));
    assert_true(subnet_same_host((struct sockaddr *)&a, address("::ffff:10.0.0.1")));
    assert_false(subnet_same_host((struct sockaddr *)&a, address("10.0.0.2")));
    assert_string_equal(subnet_print(address("::ffff:10.0.0.1"), text), "10.0.0.1");
    assert_string_equal(subnet_print(address("2001:db8::1"), text), "2001:db8::1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_within_or_not),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(hosts_are_told_apart_without_their_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
