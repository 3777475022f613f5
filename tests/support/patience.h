/* patience.h - time limits of tests.
 *
 * A test that waits for something needs a limit, and no limit is right on every machine. The
 * environment variable LOTOR_TEST_PATIENCE says how many times longer than usual everything may
 * take (scripts/patience measures it; 1 if it is not set). A limit is only for tests that hang. The
 * result of any other test must not depend on it. */
#ifndef LOTOR_TESTS_PATIENCE_H
#define LOTOR_TESTS_PATIENCE_H

#include <stdbool.h>

/* `seconds` times the patience. */
double test_seconds(double seconds);

/* Waits until `is_true(context)` returns true, and calls it every few milliseconds. False: it did
 * not become true within `seconds` times the patience. */
bool test_await(bool (*is_true)(void *context), void *context, double seconds);

#endif
