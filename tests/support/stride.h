/* stride.h - tests that let one operation after another fail try each of them where there is time for it (scripts/
 * check-long sets LOTOR_STRIDE to 1), and in make check some. */
#ifndef LOTOR_TESTS_STRIDE_H
#define LOTOR_TESTS_STRIDE_H

#include <stdlib.h>

static inline size_t test_stride(size_t usual)
{
    const char *text = getenv("LOTOR_STRIDE");
    const size_t stride = text ? (size_t)strtoul(text, NULL, 10) : usual;
    return stride > 0 ? stride : 1;
}

#endif
