/* test.h - tests that register themselves, run by cmocka.
 *
 *      TEST(name) { ... }                        one test
 *      TEST_WITH(name, setup, teardown) { ... }  one test between two functions of cmocka's kind; NULL: none
 *      TEST_OF(name, function, given)            one test that is a row of a table: the function finds what is given
 *                                                in *state
 *      TEST_IF(condition, name, setup, teardown) one test that is there only if the condition holds as the program
 *                                                starts
 *      TEST_GROUP(setup, teardown)               around all tests of the file
 *
 * The program's main is in test.c. Tests run in the order of the file. To run one test: `PROGRAM
 * NAME`, where NAME may contain * and ?. */
#ifndef LOTOR_TESTS_TEST_H
#define LOTOR_TESTS_TEST_H

#include "support/cmocka_all.h"
#include "support/patience.h" /* for every test that waits */

typedef struct test_entry {
    struct CMUnitTest test;
    struct test_entry *next;
} test_entry;

void test_register(test_entry *entry);
void test_register_group(CMFixtureFunction setup, CMFixtureFunction teardown);

/* A setup for TEST_GROUP: libsodium is ready before the first test. */
int test_start_sodium(void **state);

#define TEST_IF(condition, name, setup, teardown)                                                  \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void register_##name(void)                                 \
    {                                                                                              \
        static test_entry entry = {{#name, name, setup, teardown, NULL}, NULL};                    \
        if (condition) {                                                                           \
            test_register(&entry);                                                                 \
        }                                                                                          \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)

#define TEST_WITH(name, setup, teardown) TEST_IF(true, name, setup, teardown)
#define TEST(name)                       TEST_WITH(name, NULL, NULL)

#define TEST_OF(name, function, given)                                                             \
    __attribute__((constructor)) static void register_##name(void)                                 \
    {                                                                                              \
        static test_entry entry = {{#name, function, NULL, NULL, (void *)(given)}, NULL};          \
        test_register(&entry);                                                                     \
    }                                                                                              \
    _Static_assert(1, "a semicolon follows")

#define TEST_GROUP(setup, teardown)                                                                \
    __attribute__((constructor)) static void register_group(void)                                  \
    {                                                                                              \
        test_register_group(setup, teardown);                                                      \
    }                                                                                              \
    _Static_assert(1, "a semicolon follows")

#endif
