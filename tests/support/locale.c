/* locale.c - see locale.h. */
#include "support/locale.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/cmocka_all.h"

void test_use_decimal_comma(void)
{
    char text[8];
    setenv("LOCPATH", LOTOR_TEST_LOCALES, 1);
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        fail_msg("there is no locale in %s: build all tests", LOTOR_TEST_LOCALES);
    }
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
}
