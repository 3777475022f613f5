/* store_postgres_none.c - built where libpq is not there. */
#ifndef LOTOR_POSTGRES
#include "base/message.h"
#include "service/store/store_backend.h"

lotor_status lotor_postgres_open(const char *address, lotor_store_mode mode, lotor_message *why,
                                 lotor_store **out)
{
    (void)address;
    (void)mode;
    *out = NULL;
    return lotor_fail(LOTOR_INVALID, why,
                      "this lotor was built without PostgreSQL: install libpq's development files "
                      "(Debian: libpq-dev) and build it again, or give --store a file");
}
#else
typedef int lotor_postgres_is_here; /* a file must not be empty */
#endif
