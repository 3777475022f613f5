/* cmocka_all.h - cmocka, with the headers that must be included before it. */
#ifndef LOTOR_TESTS_CMOCKA_ALL_H
#define LOTOR_TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the above */
#include <cmocka.h>

#endif
