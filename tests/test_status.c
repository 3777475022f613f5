/* test_status.c - statuses have names; long messages are cut and never overflow. */
#include "support/test.h"

#include <string.h>

#include <lotor/lotor.h>

#include "base/message.h"

TEST(names_are_frozen)
{
    assert_string_equal(lotor_status_name(LOTOR_OK), "ok");
    assert_string_equal(lotor_status_name(LOTOR_UNFINISHED), "unfinished");
    assert_string_equal(lotor_status_name((lotor_status)99), "no such status");
    assert_int_equal(LOTOR_UNFINISHED, 13);
    assert_string_equal(lotor_status_name(LOTOR_IO), "io");
    assert_string_equal(lotor_status_name(LOTOR_STOPPED), "stopped");
    assert_string_equal(lotor_status_name(LOTOR_BUSY), "busy");
    assert_int_equal(LOTOR_BUSY, 16);
}

TEST(a_long_message_is_cut)
{
    char long_text[1000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    lotor_message why;
    const lotor_status status = lotor_fail(LOTOR_RANGE, &why, "%s", long_text);
    assert_int_equal(status, LOTOR_RANGE);
    assert_int_equal(strlen(why.text), sizeof why.text - 1);
    const lotor_status unheard = lotor_fail(LOTOR_DAMAGED, NULL, "nobody listens");
    assert_int_equal(unheard, LOTOR_DAMAGED);
}
