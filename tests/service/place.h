/* place.h - where a test's store is: a file in its scratch folder, or the database that
 * LOTOR_TEST_POSTGRES names (tests/service/shared/postgres.sh with ...). */
#ifndef LOTOR_TESTS_PLACE_H
#define LOTOR_TESTS_PLACE_H

#include <stdbool.h>

#include "service/scratch.h"

bool place_is_database(void);
const char *place_of(scratch *files);
void place_clear(void); /* empties the database, if the store is one */

/* For TEST_GROUP of programs that need a database: all tests fail without one. */
int place_needs_database(void **state);

#endif
