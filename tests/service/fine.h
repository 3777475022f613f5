/* fine.h - calls that must succeed. If the call fails, fine(call) fails the test with the message
 * in `why`. */
#ifndef LOTOR_TESTS_FINE_H
#define LOTOR_TESTS_FINE_H

#include <lotor/status.h>

#include "support/cmocka_all.h"

static lotor_message why;

#define fine(call)                                                                                 \
    do {                                                                                           \
        why.text[0] = '\0';                                                                        \
        const lotor_status said = (call);                                                          \
        if (said != LOTOR_OK) {                                                                    \
            fail_msg("%s: %s: %s", #call, lotor_status_name(said), why.text);                      \
        }                                                                                          \
    } while (0)

#endif
