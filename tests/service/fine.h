/* fine.h - a call that must succeed. The file that uses it has a variable `lotor_message why`, which the
 * call fills when it fails. */
#ifndef LOTOR_TESTS_FINE_H
#define LOTOR_TESTS_FINE_H

#include "support/cmocka_all.h"

#define fine(call)                                                                                 \
    do {                                                                                           \
        why.text[0] = '\0';                                                                        \
        const lotor_status said = (call);                                                          \
        if (said != LOTOR_OK) {                                                                    \
            fail_msg("%s: %s: %s", #call, lotor_status_name(said), why.text);                      \
        }                                                                                          \
    } while (0)

#endif
