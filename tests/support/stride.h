/* stride.h - for tests that make one operation after another fail. In scripts/soak, which
 * sets LOTOR_STRIDE to 1, they try every operation; in make check only some. */
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
