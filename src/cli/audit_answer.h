/* audit_answer.h - reads the answer of an audited program: one line of numbers. */
#ifndef LOTOR_CLI_AUDIT_ANSWER_H
#define LOTOR_CLI_AUDIT_ANSWER_H

#include <stddef.h>

#include <lotor/status.h>

/* Reads the numbers of a line without its newline. They are separated by blanks, tabs or commas;
 * "nan", "inf" and "-inf" are numbers, too. A carriage return at the end is ignored, and an empty
 * line has no numbers. LOTOR_INVALID: the line has something else, or more than `capacity` numbers;
 * the message quotes it. */
lotor_status lotor_audit_answer_read(const char *line, size_t length, size_t capacity,
                                     lotor_message *why, double *numbers, size_t *count);

#endif
