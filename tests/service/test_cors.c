/* test_cors.c - which lists of origins are accepted, and which origins they contain. */
#include "support/test.h"

#include <string.h>

#include "service/http/cors.h"

static lotor_message why;

TEST(test_origins_are_found_exactly)
{
    lotor_cors *cors = NULL;
    assert_int_equal(lotor_cors_new("https://shop.example,http://127.0.0.1:3000,http://[::1]:80,"
                                    "https://a-b.c_d",
                                    &why, &cors),
                     LOTOR_INVALID); /* 80 is the usual port */
    assert_null(cors);
    assert_int_equal(lotor_cors_new("https://shop.example,http://127.0.0.1:3000,http://[::1]:81,"
                                    "https://a-b.c_d:65535",
                                    &why, &cors),
                     LOTOR_OK);
    static const char *const in[] = {"https://shop.example", "http://127.0.0.1:3000",
                                     "http://[::1]:81", "https://a-b.c_d:65535"};
    static const char *const out[] = {"http://shop.example",
                                      "https://shop.example:443",
                                      "https://shop.example/",
                                      "https://shop.example.evil",
                                      "https://evil.shop.example",
                                      "https://shop.exampl",
                                      "HTTPS://SHOP.EXAMPLE",
                                      "http://127.0.0.1",
                                      "null",
                                      "*",
                                      ""};
    for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
        assert_string_equal(lotor_cors_find(cors, in[i]), in[i]);
    }
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
        assert_null(lotor_cors_find(cors, out[i]));
    }
    assert_null(lotor_cors_find(cors, NULL));
    assert_null(lotor_cors_find(NULL, "https://shop.example"));
    lotor_cors_free(cors);
    lotor_cors_free(NULL);
}

TEST(test_what_no_browser_sends_is_refused)
{
    static const char *const wrong[][2] = {
        {"*", "a wildcard is not possible"},
        {"null", "https://"},
        {"", "https://"},
        {"shop.example", "https://"},
        {"ftp://a", "https://"},
        {"HTTPS://a", "https://"},
        {"https://", "host"},
        {"https://A.example", "a host in lower case"},
        {"https://a/", "no path"},
        {"https://a/x", "no path"},
        {"https://*.a", "a host in lower case"},
        {"https://a b", "a host in lower case"},
        {"https://u@a", "a host in lower case"},
        {"https://a:", "port"},
        {"https://a:0", "port"},
        {"https://a:08", "port"},
        {"https://a:65536", "port"},
        {"https://a:1x", "port"},
        {"https://a:443", "the default port"},
        {"http://a:80", "the default port"},
        {"http://[]", "host"},
        {"http://[::1", "host"},
        {"https://a,", "https://"},
        {"https://a,,https://b", "https://"},
        {"https://a, https://b", "\" https://b\""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lotor_cors *cors = NULL;
        if (lotor_cors_new(wrong[i][0], &why, &cors) != LOTOR_INVALID) {
            fail_msg("%s was accepted", wrong[i][0]);
        }
        assert_null(cors);
        if (!strstr(why.text, wrong[i][1])) {
            fail_msg("%s: \"%s\" lacks %s", wrong[i][0], why.text, wrong[i][1]);
        }
    }
}

TEST(test_long_lists_are_refused)
{
    static char list[70 * 12 + 1], origin[400] = "https://";
    for (size_t i = 0; i < 65; i++) {
        strcat(list, i ? ",https://ab" : "https://ab");
    }
    lotor_cors *cors = NULL;
    assert_int_equal(lotor_cors_new(list, &why, &cors), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "64"));
    list[strlen(list) - strlen(",https://ab")] = '\0';
    assert_int_equal(lotor_cors_new(list, &why, &cors), LOTOR_OK);
    lotor_cors_free(cors);
    memset(origin + 8, 'a', 300);
    assert_int_equal(lotor_cors_new(origin, &why, &cors), LOTOR_INVALID);
}
