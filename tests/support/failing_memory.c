/* failing_memory.c - see failing_memory.h. */
#include "support/failing_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "support/cmocka_all.h"

static atomic_size_t asked, failing, live;
static atomic_bool all_fail;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __real_munmap(void *at, size_t size);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *at, size_t size);

void failing_memory_start(size_t fails)
{
    asked = 0;
    failing = fails;
}

void failing_memory_start_all(void)
{
    failing_memory_start(0);
    all_fail = true;
}

size_t failing_memory_stop(void)
{
    failing = 0;
    all_fail = false;
    return asked;
}

size_t failing_memory_live(void)
{
    return live;
}

static bool refused(void)
{
    if (atomic_fetch_add(&asked, 1) + 1 != failing && !all_fail) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

static void *given(void *memory)
{
    live += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return refused() ? NULL : given(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refused() ? NULL : given(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (refused()) {
        return NULL; /* the old buffer is still valid */
    }
    void *moved = __real_realloc(memory, size);
    live += moved && !memory;
    return moved;
}

void __wrap_free(void *memory)
{
    live -= memory != NULL;
    __real_free(memory);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    if (refused()) {
        return MAP_FAILED;
    }
    void *mapped = __real_mmap(at, size, protection, flags, file, offset);
    live += mapped != MAP_FAILED;
    return mapped;
}

int __wrap_munmap(void *at, size_t size)
{
    const int failed = __real_munmap(at, size);
    live -= failed == 0;
    return failed;
}

void failing_memory_expect_each(lotor_status (*act)(void), size_t least)
{
    failing_memory_start(0);
    assert_int_equal(act(), LOTOR_OK);
    const size_t count = failing_memory_stop();
    assert_true(count >= least);
    for (size_t fails = 1; fails <= count; fails++) {
        const size_t before = failing_memory_live();
        failing_memory_start(fails);
        const lotor_status status = act();
        failing_memory_stop();
        assert_int_equal(status, LOTOR_MEMORY);
        assert_int_equal(failing_memory_live(), before);
    }
}
