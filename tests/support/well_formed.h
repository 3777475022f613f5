/* well_formed.h - checks that a text is well-formed XML. It knows only what the page uses:
 * elements, quoted attributes, text, the five entities and &#39;, a leading <!DOCTYPE html>. */
#ifndef LOTOR_TESTS_WELL_FORMED_H
#define LOTOR_TESTS_WELL_FORMED_H

#include <stdbool.h>
#include <stddef.h>

/* NULL if the text is well-formed; otherwise a pointer to the error. */
const char *well_formed_error(const char *text);

/* The number of times that `of` occurs in `text`. */
size_t occurrences(const char *text, const char *of);

#endif
