/* secure.h - the library's only source of random bytes: cryptographic, without a seed. */
#ifndef LOTOR_BASE_SECURE_H
#define LOTOR_BASE_SECURE_H

#include "base/source.h"

/* Makes a source with a key from the kernel; the caller frees it. LOTOR_MEMORY: out of memory.
 * LOTOR_ENTROPY: the kernel gives no random bytes, or can't wipe memory in a forked child (Linux
 * before 4.14). Use a source from one thread at a time. */
lotor_status lotor_secure_new(lotor_source **out);

/* The same as lotor_secure_new, with a message that explains the failure. */
lotor_status lotor_secure_make(lotor_message *why, lotor_source **out);
void lotor_secure_free(lotor_source *source);

/* Refuses (LOTOR_INVALID) a forked child that uses an object of its parent: `what`, such as
 * "policy", which owns the source. Both processes would draw their own noise for the same sums, and
 * two noisy values of one sum tell more than one. NULL: the object has no secure source, and every
 * process may use it. */
lotor_status lotor_secure_refuse_child(const lotor_source *source, const char *what,
                                       lotor_message *why);

#endif
