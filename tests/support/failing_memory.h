/* failing_memory.h - the k-th allocation fails, for every k.
 *
 * The program that uses this is linked with -Wl,--wrap= for malloc, calloc, realloc, free, mmap
 * and munmap (see test_allocation.cmake), so that the calls of the library and of the test, but
 * not those of other libraries, come by here; from any thread. */
#ifndef LOTOR_TESTS_FAILING_MEMORY_H
#define LOTOR_TESTS_FAILING_MEMORY_H

#include <stddef.h>

#include <lotor/status.h>

/* Counts allocations from 1 again and lets number `fails` fail; 0: none. */
void failing_memory_start(size_t fails);

/* The same, and lets every one of them fail. */
void failing_memory_start_all(void);

/* No more failures. Returns how many allocations were asked for since the start. */
size_t failing_memory_stop(void);

/* Blocks and mappings that were given out and not given back, since the program began. */
size_t failing_memory_live(void);

/* `act` succeeds, with at least so many allocations. When any one of them fails, it returns LOTOR_MEMORY
 * and leaves nothing behind. */
void failing_memory_expect_each(lotor_status (*act)(void), size_t least);

#endif
