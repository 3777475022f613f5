/* test_adoption_memory.c - every allocation of an adoption fails once. The start is refused, no
 * campaign counts as damaged, and a later start succeeds. (Sanitizers find leaks.) */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "service/engine/check.h"
#include "service/engine_rig.h"
#include "service/fixture.h"
#include "service/place.h"
#include "support/failing_memory.h"

static engine_rig rig;

static void put_old(const char *name)
{
    char path[600], key[600], head[600];
    snprintf(path, sizeof path, "%s", place_of(&rig.files));
    snprintf(key, sizeof key, "%s", scratch_path(&rig.files, "x.key"));
    snprintf(head, sizeof head, "%s", scratch_path(&rig.files, "x.key.head"));
    fixture_put(name, path, key, head);
    lotor_store *store;
    assert_int_equal(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &rig.why, &store), LOTOR_OK);
    lotor_store_close(store);
}

/* Checks that no campaign was left out. */
static void assert_all_served(void)
{
    json_t *const readiness = lotor_engine_readiness(rig.engine);
    char *const text = json_dumps(json_object_get(readiness, "campaigns"), 0);
    assert_string_equal(text, "[]");
    free(text);
    json_decref(readiness);
}

TEST(adopting_without_memory)
{
    engine_start(&rig);
    rig.is_on_files = true;
    put_old("clean");
    size_t refused = 0;
    for (size_t fails = 1;; fails++) {
        failing_memory_start(fails);
        const lotor_status status = engine_try_open(&rig, false);
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
        engine_drop(&rig);
    }
    assert_true(refused > 500);
    lotor_engine_check_counts counts;
    assert_int_equal(lotor_engine_check(rig.store, rig.server_key, rig.heads, &counts, &rig.why),
                     LOTOR_OK);
    assert_int_equal(counts.campaigns, 8);
    engine_end(&rig);
}
