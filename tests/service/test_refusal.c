/* test_refusal.c - the service's error value: every code has a name and an HTTP status. */
#include "support/test.h"

#include <string.h>

#include "service/refusal.h"

TEST(test_every_code_has_a_name_of_its_own)
{
    for (int i = 0; i < LOTOR_CODE_COUNT; i++) {
        assert_non_null(lotor_code_name((lotor_code)i));
        assert_in_range(lotor_code_http((lotor_code)i), 200, 599);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(lotor_code_name((lotor_code)i), lotor_code_name((lotor_code)j));
        }
    }
}

/* Clients use these codes to decide whether to try again. */
TEST(test_codes_that_pass)
{
    assert_string_equal(lotor_code_name(LOTOR_CODE_TOO_MANY_OPEN), "too_many_open");
    assert_int_equal(lotor_code_http(LOTOR_CODE_TOO_MANY_OPEN), 429);
    assert_string_equal(lotor_code_name(LOTOR_CODE_BROKEN), "campaign_broken");
    assert_int_equal(lotor_code_http(LOTOR_CODE_BROKEN), 503);
}

TEST(test_a_refusal_says_what_and_where)
{
    lotor_refusal refusal;
    assert_int_equal(lotor_refuse(&refusal, LOTOR_CODE_BAD_VALUE, "slots", "at most %d", 4),
                     LOTOR_CODE_BAD_VALUE);
    assert_string_equal(refusal.field, "slots");
    assert_string_equal(refusal.message.text, "at most 4");
    lotor_refuse(&refusal, LOTOR_CODE_STORE, NULL, "the disk is full");
    assert_string_equal(refusal.field, "");
}
