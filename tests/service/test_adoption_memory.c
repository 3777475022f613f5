/* test_adoption_memory.c - every allocation of an adoption fails once. The start is refused, no
 * campaign counts as damaged, and a later start succeeds. (Sanitizers find leaks.) */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "service/engine/check.h"
#include "service/engine_scene.h"
#include "service/fixture.h"
#include "service/place.h"
#include "support/failing_memory.h"

static engine_scene scene;

static void put_old(const char *name)
{
    char path[600], key[600], head[600];
    snprintf(path, sizeof path, "%s", place_of(&scene.files));
    snprintf(key, sizeof key, "%s", scratch_path(&scene.files, "x.key"));
    snprintf(head, sizeof head, "%s", scratch_path(&scene.files, "x.key.head"));
    fixture_put(name, path, key, head);
    lotor_store *store;
    assert_int_equal(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &scene.why, &store), LOTOR_OK);
    lotor_store_close(store);
}

/* Checks that no campaign was left out. */
static void assert_all_served(void)
{
    json_t *const readiness = lotor_engine_readiness(scene.engine);
    char *const text = json_dumps(json_object_get(readiness, "campaigns"), 0);
    assert_string_equal(text, "[]");
    free(text);
    json_decref(readiness);
}

TEST(adopting_without_memory)
{
    scene_start(&scene);
    scene.is_on_files = true;
    put_old("clean");
    size_t refused = 0;
    for (size_t fails = 1;; fails++) {
        failing_memory_start(fails);
        const lotor_status status = scene_try_open(&scene, false);
        const bool has_failed = failing_memory_stop() >= fails;
        if (status != LOTOR_OK) {
            assert_true(has_failed);
            assert_true(status == LOTOR_MEMORY || status == LOTOR_UNFINISHED);
            refused++;
            continue;
        }
        assert_all_served();
        if (!has_failed) {
            break;
        }
        scene_drop(&scene);
    }
    assert_true(refused > 500);
    lotor_check_counts counts;
    assert_int_equal(lotor_check(scene.store, scene.vault, scene.heads, &counts, &scene.why),
                     LOTOR_OK);
    assert_int_equal(counts.campaigns, 8);
    scene_end(&scene);
}
