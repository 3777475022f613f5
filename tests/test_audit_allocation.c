/* test_audit_allocation.c - a trial, the learned attack and the picture: whichever allocation
 * fails, the call returns LOTOR_MEMORY and leaks nothing. (Threads have their own allocators, so
 * there is one thread.) */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "cli/audit_chart.h"
#include "lab/audit_learn.h"
#include "lab/audit_line.h"
#include "lab/audit_reading.h"
#include "support/failing_memory.h"
#include "support/test_source.h"

static const char *id;
static const lotor_audit_pair *pair;
static lotor_audit_transcript transcript;

/* Two trials: the second one restarts the policy of the first. */
static lotor_status do_play(void)
{
    const lotor_algorithm *algorithm = lotor_algorithms_find(id);
    const lotor_audit_request audit = {
        .algorithm = algorithm,
        .epsilon = lotor_ratio_of(2, 1),
        .view = LOTOR_VIEW_BOARD,
        .noise_scale = 1.0,
    };
    lotor_audit_setting common;
    lotor_status status = lotor_audit_setting_of(&audit, NULL, &common);
    const lotor_audit_setting setting = lotor_audit_setting_for(&audit, &common, pair);
    test_source source;
    test_source_seed(&source, 5);
    lotor_audit_player player = {
        .setting = &setting,
        .pair = pair,
        .source = &source.source,
        .transcript = &transcript,
    };
    for (unsigned world = 0; world < 2 && status == LOTOR_OK; world++) {
        player.world = world;
        status = lotor_audit_play(&player, NULL);
    }
    lotor_audit_player_clear(&player);
    return status;
}

static float rows[64 * LOTOR_READING_NUMBERS];

static const lotor_audit_goal goal = {0.0, 0.01, 32.0};

static lotor_status do_learn(void)
{
    static lotor_audit_classifier learned;
    return lotor_audit_learn(rows, 64, &lotor_reading_layout, &goal, &learned);
}

static lotor_status do_learn_line(void)
{
    lotor_audit_line learned;
    return lotor_audit_line_learn(rows, 64, &lotor_reading_layout, &goal, &learned);
}

static lotor_status do_draw(void)
{
    static const lotor_audit_result result = {.epsilon = 1.0, .found = 0.5};
    const lotor_audit_mark mark = {"a", &result};
    lotor_text text = {0};
    lotor_audit_chart_draw(&text, &mark, 1);
    const lotor_status status = lotor_text_status(&text, NULL);
    lotor_text_clear(&text);
    return status;
}

static bool is_served(const char *name, const lotor_audit_pair *tried)
{
    const lotor_audit_request audit = {.view = LOTOR_VIEW_BOARD};
    return tried->is_served && tried->fits(lotor_algorithms_find(name), &audit);
}

TEST(every_allocation)
{
    static const char *const ids[] = {"dpucb-mat", "dp-ucb", "cucb-ldp2", "jdp-linucb-gauss"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        id = ids[i];
        for (pair = lotor_audit_pairs; pair->id; pair++) {
            if (strcmp(pair->id, "ones against zeros") == 0 || pair->reloads ||
                is_served(ids[i], pair)) {
                failing_memory_expect_each(do_play, 10);
            }
        }
    }
    failing_memory_expect_each(do_learn, 2);
    failing_memory_expect_each(do_learn_line, 1);
    failing_memory_expect_each(do_draw, 1);
}
