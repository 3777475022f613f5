/* locale.h - a locale with a decimal comma, for tests of code that must not depend on the
 * locale. */
#ifndef LOTOR_TESTS_LOCALE_H
#define LOTOR_TESTS_LOCALE_H

/* Sets the German locale, which the build makes for the tests. Fails the test if printf has no decimal comma then.
 * setlocale(LC_ALL, "C") undoes it. */
void test_use_decimal_comma(void);

#endif
