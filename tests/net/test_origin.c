// SPDX-License-Identifier: GPL-3.0-or-later
/* Which requests a server on this machine answers, by what they say of themselves. */
#include "net/origin.h"
#include "testing.h"

#include <arpa/inet.h>
#include <netinet/in.h>

static bool check(const struct origin_policy *p, struct origin_claim c)
{
    struct error why = {0};
    bool good = origin_check(p, &c, &why);
    assert_int_equal(good, why.text[0] == '\0');
    return good;
}

static const struct origin_policy nobody = {0};

static void programs_are_let_in(void **state)
{
    assert_true(check(&nobody, (struct origin_claim){0}));
    assert_true(check(&nobody, (struct origin_claim){.loopback = true}));
    assert_true(check(&nobody, (struct origin_claim){.loopback = true, .host = ""}));
    assert_true(check(&nobody, (struct origin_claim){.host = "elsewhere.example"}));
}

static void over_loopback_we_are_called_by_names_of_loopback(void **state)
{
    static const char *const good[] = {"localhost",   "LocalHost:9147", "localhost.:80", "127.0.0.1",
                                       "127.0.0.1:1", "127.9.8.7:9147", "[::1]:9147",    "a.localhost:9147"};
    static const char *const bad[] = {"evil.example",
                                      "evil.example:9147",
                                      "localhost.evil.example",
                                      "127.0.0.1.evil.exam",
                                      "evillocalhost",
                                      "10.0.0.1:9147",
                                      "[::2]:9147",
                                      "[::1",
                                      ":9147"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(check(&nobody, (struct origin_claim){.loopback = true, .host = good[i]}));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(check(&nobody, (struct origin_claim){.loopback = true, .host = bad[i]}));
        assert_true(check(&nobody, (struct origin_claim){.loopback = false, .host = bad[i]}));
    }
}

static void pages_of_others_are_refused(void **state)
{
    const char *here = "localhost:9147";
    struct origin_claim c = {.loopback = true, .host = here};
    static const char *const bad[] = {"http://evil.example",
                                      "http://localhost:9148",
                                      "http://localhost",
                                      "null",
                                      "http://evil.example/localhost:9147",
                                      "http://localhost:9147.evil.example",
                                      ""};
    c.origin = "http://localhost:9147";
    assert_true(check(&nobody, c));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        c.origin = bad[i];
        assert_false(check(&nobody, c));
    }
    c.origin = NULL;
    c.referer = "http://evil.example/page";
    assert_false(check(&nobody, c));
    c.referer = "http://localhost:9147/page";
    assert_true(check(&nobody, c));
    /* an image without referrer: only the browser tells where it stands */
    c.referer = NULL;
    c.fetch_site = "cross-site";
    assert_false(check(&nobody, c));
    c.fetch_site = "same-site";
    assert_false(check(&nobody, c));
    c.fetch_site = "same-origin";
    assert_true(check(&nobody, c));
    c.fetch_site = "none";
    assert_true(check(&nobody, c));
}

static void allowed_origins_are_let_in_and_told_so(void **state)
{
    static const char *const one[] = {"https://example.org"}, *const all[] = {"*"};
    const struct origin_policy some = {one, 1}, any = {all, 1};
    struct origin_claim c = {.loopback = true, .host = "localhost:9147", .origin = "https://example.org"};
    assert_null(origin_grant(&nobody, &c));
    assert_false(check(&nobody, c));
    assert_true(check(&some, c));
    assert_string_equal(origin_grant(&some, &c), "https://example.org");
    c.fetch_site = "cross-site";
    assert_true(check(&some, c));
    c.origin = "https://example.org.evil.example";
    assert_false(check(&some, c));
    assert_null(origin_grant(&some, &c));
    assert_true(check(&any, c));
    assert_string_equal(origin_grant(&any, &c), "https://example.org.evil.example");
    c.host = "evil.example"; /* the name counts all the same */
    assert_false(check(&any, c));
    c = (struct origin_claim){.host = "localhost:9147", .fetch_site = "cross-site"};
    assert_false(check(&some, c));
    assert_true(check(&any, c));
    assert_null(origin_grant(&any, &c));
}

static void origins_are_checked_when_they_are_given(void **state)
{
    struct error error;
    assert_true(origin_valid("*", &error));
    assert_true(origin_valid("https://example.org", &error));
    assert_true(origin_valid("http://localhost:8080", &error));
    assert_false(origin_valid("example.org", &error));
    assert_false(origin_valid("https://example.org/page", &error));
    assert_false(origin_valid("https://", &error));
    assert_false(origin_valid("https://a\r\nb", &error));
}

static bool loopback(int family, const char *text)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    void *to = family == AF_INET ? (void *)&v4.sin_addr : (void *)&v6.sin6_addr;
    assert_int_equal(inet_pton(family, text, to), 1);
    return origin_is_loopback(family == AF_INET ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6);
}

static void addresses_of_loopback_are_known(void **state)
{
    assert_true(loopback(AF_INET, "127.0.0.1"));
    assert_true(loopback(AF_INET, "127.255.0.9"));
    assert_false(loopback(AF_INET, "128.0.0.1"));
    assert_true(loopback(AF_INET6, "::1"));
    assert_true(loopback(AF_INET6, "::ffff:127.0.0.1"));
    assert_false(loopback(AF_INET6, "::ffff:10.0.0.1"));
    assert_false(loopback(AF_INET6, "fe80::1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_let_in),
        cmocka_unit_test(over_loopback_we_are_called_by_names_of_loopback),
        cmocka_unit_test(pages_of_others_are_refused),
        cmocka_unit_test(allowed_origins_are_let_in_and_told_so),
        cmocka_unit_test(origins_are_checked_when_they_are_given),
        cmocka_unit_test(addresses_of_loopback_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
