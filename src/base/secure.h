/* secure.h - the one byte source that the library makes: cryptographic, and not seedable. */
#ifndef LOTOR_BASE_SECURE_H
#define LOTOR_BASE_SECURE_H

#include "base/source.h"

/* Makes a source keyed by the kernel; the caller frees it. Fails with LOTOR_MEMORY, or with
 * LOTOR_ENTROPY when the kernel gives no random bytes or can't wipe memory in a forked child
 * (Linux before 4.14). One thread at a time. */
lotor_status lotor_secure_new(lotor_source **out);

/* The same, and says which of the two it was. */
lotor_status lotor_secure_make(lotor_message *why, lotor_source **out);
void lotor_secure_free(lotor_source *source);

#endif
