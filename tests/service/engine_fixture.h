/* engine_fixture.h - a new engine for each test: TEST_WITH(name, start, end). */
#ifndef LOTOR_TESTS_ENGINE_FIXTURE_H
#define LOTOR_TESTS_ENGINE_FIXTURE_H

#include "service/engine_scene.h"

static engine_scene scene;

static int start(__attribute__((unused)) void **state)
{
    scene_start(&scene);
    scene_open(&scene);
    return 0;
}

/* The store must be sound, whatever the test did. */
__attribute__((unused)) static int end(__attribute__((unused)) void **state)
{
    return scene_end_soundly(&scene);
}

/* For tests that damage the store. */
__attribute__((unused)) static int end_damaged(__attribute__((unused)) void **state)
{
    scene_end(&scene);
    return 0;
}

#endif
