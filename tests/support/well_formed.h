/* well_formed.h - is this XML? As little of it as the pages and pictures of the report use: elements,
 * quoted attributes, text, the five entities and &#39;, a leading <!DOCTYPE html>. */
#ifndef LOTOR_TESTS_WELL_FORMED_H
#define LOTOR_TESTS_WELL_FORMED_H

#include <stdbool.h>
#include <stddef.h>

/* NULL, or the place where it stops being well-formed. */
const char *well_formed_error(const char *text);

/* How often a text occurs in another. */
size_t occurrences(const char *text, const char *of);

#endif
