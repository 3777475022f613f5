/* old_head.h - writes the head file as servers of schema 1 did. */
#ifndef LOTOR_TESTS_OLD_HEAD_H
#define LOTOR_TESTS_OLD_HEAD_H

#include "service/server_key/server_key.h"

/* Writes to the older of the two slots; makes the file if there is none. Ends the program if
 * that fails. */
void old_head_write(const char *path, const lotor_legacy_head *head);

#endif
