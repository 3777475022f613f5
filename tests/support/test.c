/* test.c - the main function of programs whose tests register themselves. See test.h.
 *
 *      PROGRAM                  all tests
 *      PROGRAM NAME             those whose names fit NAME, which may have * and ? in it
 *      PROGRAM --without NAME   all others
 */
#include "support/test.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 256 };

static test_entry *first, **end = &first;
static CMFixtureFunction group_setup, group_teardown;

void test_register(test_entry *entry)
{
    *end = entry;
    end = &entry->next;
}

void test_register_group(CMFixtureFunction setup, CMFixtureFunction teardown)
{
    group_setup = setup;
    group_teardown = teardown;
}

int test_start_sodium(void **state)
{
    (void)state;
    return sodium_init() < 0;
}

int main(int count, char **arguments)
{
    static struct CMUnitTest tests[MOST];
    size_t found = 0;
    for (const test_entry *entry = first; entry && found < MOST; entry = entry->next) {
        tests[found++] = entry->test;
    }
    if (found == 0 || found == MOST) {
        fprintf(stderr, "%zu tests: expected 1 to %d\n", found, MOST - 1);
        return 2;
    }
    if (count > 2 && strcmp(arguments[1], "--without") == 0) {
        cmocka_set_skip_filter(arguments[2]);
    } else if (count > 1) {
        cmocka_set_test_filter(arguments[1]);
    }
    return _cmocka_run_group_tests("tests", tests, found, group_setup, group_teardown);
}
