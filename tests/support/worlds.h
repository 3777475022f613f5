/* worlds.h - functions that the tests of worlds share. */
#ifndef LOTOR_TESTS_WORLDS_H
#define LOTOR_TESTS_WORLDS_H

#include <string.h>

#include "support/cmocka_all.h"
#include "support/failing_memory.h"
#include "world/world.h"

static inline void assert_says(const lotor_message *why, const char *part)
{
    if (!strstr(why->text, part)) {
        fail_msg("\"%s\" does not say \"%s\"", why->text, part);
    }
}

/* Checks that making world number `which` needs at least so many allocations. If any one of them
 * fails, the failure must be reported, and nothing may leak. */
static inline void expect_each_allocation(lotor_status (*make)(int which, lotor_message *why,
                                                               lotor_world **out),
                                          int which, size_t least)
{
    const size_t live = failing_memory_live();
    lotor_world *world;
    failing_memory_start(0);
    assert_int_equal(make(which, NULL, &world), LOTOR_OK);
    const size_t allocations = failing_memory_stop();
    assert_true(allocations >= least);
    lotor_world_free(world);
    assert_int_equal(failing_memory_live(), live);
    for (size_t fails = 1; fails <= allocations; fails++) {
        lotor_message why = {""};
        world = (lotor_world *)&why;
        failing_memory_start(fails);
        assert_int_equal(make(which, &why, &world), LOTOR_MEMORY);
        (void)failing_memory_stop();
        assert_null(world);
        assert_says(&why, "memory");
        assert_int_equal(failing_memory_live(), live);
    }
}

#endif
