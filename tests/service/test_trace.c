/* test_trace.c - which ids of requests and which places in a trace are taken from a client. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "service/http/trace.h"

#define TRACE  "0af7651916cd43dd8448eb211c80319c"
#define PARENT "b7ad6b7169203331"

TEST(test_request_ids)
{
    static const char longest[] =
        "0123456789012345678901234567890123456789012345678901234567890123";
    static const char *const fine[] = {"a", "A-b_c.9", longest};
    static const char too_long[] =
        "01234567890123456789012345678901234567890123456789012345678901234";
    static const char *const wrong[] = {"",    " ",        "a b", "a\nb",  "a\"b",
                                        "a/b", "\xc3\xa4", "a,b", too_long};
    char id[LOTOR_REQUEST_ID_ROOM];
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        assert_true(lotor_request_id_read(fine[i], id));
        assert_string_equal(id, fine[i]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(lotor_request_id_read(wrong[i], id));
        assert_string_equal(id, "");
    }
    assert_false(lotor_request_id_read(NULL, id));
    char other[LOTOR_REQUEST_ID_ROOM], copy[LOTOR_REQUEST_ID_ROOM];
    lotor_request_id_make(id);
    lotor_request_id_make(other);
    assert_int_equal(strlen(id), 32);
    assert_true(lotor_request_id_read(id, copy));
    assert_string_not_equal(id, other); /* equal with probability 2^-128 */
}

TEST(test_traceparents)
{
    static const char *const fine[][2] = {
        {"00-" TRACE "-" PARENT "-01", "00-" TRACE "-" PARENT "-01"},
        {"00-" TRACE "-" PARENT "-ff", "00-" TRACE "-" PARENT "-ff"},
        {"cc-" TRACE "-" PARENT "-01", "cc-" TRACE "-" PARENT "-01"},
        {"cc-" TRACE "-" PARENT "-01-what else\n", "cc-" TRACE "-" PARENT "-01"},
    };
    static const char *const wrong[] = {
        "",
        "00",
        "00-",
        "00-" TRACE,
        "00-" TRACE "-" PARENT,
        "00-" TRACE "-" PARENT "-",
        "00-" TRACE "-" PARENT "-1",
        "00-" TRACE "-" PARENT "-011",
        "00-" TRACE "-" PARENT "-01-more",
        "00-" TRACE "-" PARENT "-01 ",
        " 00-" TRACE "-" PARENT "-01",
        "ff-" TRACE "-" PARENT "-01",
        "cc-" TRACE "-" PARENT "-01more",
        "0-" TRACE "-" PARENT "-01",
        "00-00000000000000000000000000000000-" PARENT "-01",
        "00-" TRACE "-0000000000000000-01",
        "00-0AF7651916cd43dd8448eb211c80319c-" PARENT "-01",
        "00-" TRACE "0-" PARENT "-01",
        "00-0af7651916cd43dd8448eb211c80319-" PARENT "-01",
        "00-" TRACE "-B7ad6b7169203331-01",
        "00_" TRACE "_" PARENT "_01",
        "00-" TRACE "-" PARENT "-0g",
    };
    char trace[LOTOR_TRACEPARENT_ROOM];
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        assert_true(lotor_traceparent_read(fine[i][0], trace));
        assert_string_equal(trace, fine[i][1]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (lotor_traceparent_read(wrong[i], trace)) {
            fail_msg("%s was accepted", wrong[i]);
        }
        assert_string_equal(trace, "");
    }
    assert_false(lotor_traceparent_read(NULL, trace));
    /* every beginning of a valid one */
    for (size_t length = 0; length < strlen(fine[0][0]); length++) {
        char part[64];
        snprintf(part, sizeof part, "%.*s", (int)length, fine[0][0]);
        assert_false(lotor_traceparent_read(part, trace));
    }
}
