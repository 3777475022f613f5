/* failing_memory.h - makes the k-th allocation fail, for every k.
 *
 * The program must be linked with -Wl,--wrap= for malloc, calloc, realloc, free, mmap and munmap
 * (see test_allocation.cmake). Then the calls of the library and of the test, from any thread, go
 * through this file; those of other libraries do not. */
#ifndef LOTOR_TESTS_FAILING_MEMORY_H
#define LOTOR_TESTS_FAILING_MEMORY_H

#include <stddef.h>

#include <lotor/status.h>

/* Counts allocations from 1 again and lets number `fails` fail; 0: none. */
void failing_memory_start(size_t fails);

/* Makes every allocation fail. */
void failing_memory_start_all(void);

/* Ends the failures. Returns the number of allocations since the start. */
size_t failing_memory_stop(void);

/* The number of buffers and mappings that were allocated, and not freed, since the program
 * began. */
size_t failing_memory_live(void);

/* Checks that `act` succeeds, with at least so many allocations. If any one allocation fails, `act`
 * must return LOTOR_MEMORY and leak nothing. */
void failing_memory_expect_each(lotor_status (*act)(void), size_t least);

#endif
