/* test_engine_events.c - feedback for an event counts once, if it is in time, when its round is
 * over. Nothing shows whether or when there was feedback. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/engine_rig.h"

SCENE_OF_EACH_TEST(engine_end_soundly);

static double number(const char *path)
{
    return engine_number(&rig, "one", path);
}

static void play(int rounds, lotor_ranking *rankings)
{
    for (int i = 0; i < rounds; i++) {
        engine_must_rank(&rig, "one", &rankings[i]);
    }
}

TEST_WITH(repeated_feedback_changes_nothing, start, end)
{
    lotor_ranking rankings[64];
    engine_must_create(&rig, ONE_ARM);
    play(64, rankings);
    for (int i = 0; i < 64; i++) {
        engine_must_reward(&rig, rankings[i].event, "{'rewards': [0.5]}");
        engine_must_reward(&rig, rankings[i].event, "{'rewards': [1]}");
    }
    engine_wait(&rig, ALL_OVER);
    assert_true(fabs(number("arms.0.mean") - 0.5) < 0.01);
}

/* Feedback for the same event twice: in one commit, and in one request. */
TEST_WITH(the_first_of_two_counts, start, end)
{
    lotor_ranking rankings[64];
    engine_must_create(&rig, ONE_ARM);
    play(64, rankings);
    for (int i = 0; i < 64; i += 2) {
        engine_job first, second;
        engine_queue_reward(&rig, rankings[i].event, "{'rewards': [0.25]}", &first);
        engine_queue_reward(&rig, rankings[i].event, "{'rewards': [1]}", &second);
        assert_false(first.is_done || second.is_done);
        engine_step(&rig);
        assert_true(first.is_done && second.is_done);
        json_t *low = engine_json("{'rewards': [0.25]}"), *high = engine_json("{'rewards': [1]}");
        lotor_event_feedback batch[] = {{rankings[i + 1].event, low},
                                        {rankings[i + 1].event, high}};
        lotor_refusal refusals[2] = {0};
        assert_int_equal(engine_rewards(&rig, batch, 2, refusals), LOTOR_CODE_NONE);
        assert_int_equal(refusals[0].code | refusals[1].code, LOTOR_CODE_NONE);
        json_decref(low);
        json_decref(high);
    }
    engine_wait(&rig, ALL_OVER);
    assert_true(fabs(number("arms.0.mean") - 0.25) < 0.01);
}

/* "Acknowledged" means "counted". Late feedback is reported as late. */
TEST_WITH(late_feedback_is_reported_and_not_counted, start, end)
{
    lotor_ranking rankings[64];
    engine_must_create(&rig, ONE_ARM);
    play(64, rankings);
    rig.now += 1000; /* the last moment */
    for (int i = 0; i < 32; i++) {
        engine_must_reward(&rig, rankings[i].event, "{'rewards': [1]}");
        assert_int_equal(engine_late, 0);
    }
    rig.now += 1; /* too late, though the rounds are not final yet */
    for (int i = 32; i < 64; i++) {
        engine_must_reward(&rig, rankings[i].event, "{'rewards': [1]}");
        assert_int_equal(engine_late, 1);
    }
    assert_int_equal(number("final"), 0);
    engine_wait(&rig, BLOCK_LIFE);
    assert_int_equal(number("final"), 64);
    for (int i = 0; i < 64; i++) {
        engine_must_reward(&rig, rankings[i].event, "{'rewards': [1]}");
        assert_int_equal(engine_late, 1);
    }
    engine_wait(&rig, 5000);
    double count = number("arms.0.count");
    assert_true(count > 32); /* both halves are in it */
    assert_true(number("arms.0.mean") < 32 / count + 0.01);
}

/* Feedback that came in time counts, even if its round is over when the writer handles it. */
TEST_WITH(in_time_is_when_it_came, start, end)
{
    lotor_ranking rankings[64];
    engine_job jobs[64];
    engine_must_create(&rig, ONE_ARM);
    play(64, rankings);
    rig.now += 1000;
    for (int i = 0; i < 64; i++) {
        engine_queue_reward(&rig, rankings[i].event, "{'rewards': [1]}", &jobs[i]);
    }
    engine_wait(&rig, 10000);
    for (int i = 0; i < 64; i++) {
        assert_true(jobs[i].is_done);
        assert_int_equal(jobs[i].job.late, 0);
    }
    assert_int_equal(number("final"), 64);
    assert_true(number("arms.0.mean") > 0.99);
}

TEST_WITH(unknown_and_malformed_events_are_refused, start, end)
{
    lotor_ranking ranking;
    engine_must_create(&rig, ONE_ARM);
    engine_must_rank(&rig, "one", &ranking);
    char forged[LOTOR_TOKEN_LENGTH + 1];
    for (size_t i = 0; i < LOTOR_TOKEN_LENGTH; i++) {
        memcpy(forged, ranking.event, sizeof forged);
        forged[i] = forged[i] == 'A' ? 'B' : 'A';
        assert_int_equal(engine_reward(&rig, forged, "{'rewards': [1]}"), LOTOR_CODE_NO_SUCH_EVENT);
        assert_string_equal(engine_refusal.field, "event");
    }
    assert_int_equal(engine_reward(&rig, "", "{'rewards': [1]}"), LOTOR_CODE_NO_SUCH_EVENT);
    assert_int_equal(engine_reward(&rig, "x", "{'rewards': [1]}"), LOTOR_CODE_NO_SUCH_EVENT);
    static const struct {
        const char *feedback, *field;
        lotor_code code;
    } bad[] = {
        {"{}", "rewards", LOTOR_CODE_MISSING_FIELD},
        {"{'rewards': 1}", "rewards", LOTOR_CODE_BAD_VALUE},
        {"{'rewards': []}", "rewards", LOTOR_CODE_BAD_VALUE},
        {"{'rewards': [1, 1]}", "rewards", LOTOR_CODE_BAD_VALUE},
        {"{'rewards': [2]}", "rewards[0]", LOTOR_CODE_BAD_VALUE},
        {"{'rewards': [-0.001]}", "rewards[0]", LOTOR_CODE_BAD_VALUE},
        {"{'rewards': ['1']}", "rewards[0]", LOTOR_CODE_BAD_VALUE},
        {"{'click': null}", "rewards", LOTOR_CODE_MISSING_FIELD},
        {"{'rewards': [1], 'x': 1}", "", LOTOR_CODE_UNKNOWN_FIELD},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(engine_reward(&rig, ranking.event, bad[i].feedback), bad[i].code);
        assert_string_equal(engine_refusal.field, bad[i].field);
    }
    char *metrics = lotor_engine_metrics(rig.engine);
    assert_non_null(strstr(metrics, "\nlotor_feedback_total 0\n"));
    free(metrics);
    engine_must_reward(&rig, ranking.event, "{'rewards': [1]}"); /* the event is still open */
    metrics = lotor_engine_metrics(rig.engine);
    assert_non_null(strstr(metrics, "\nlotor_feedback_total 1\n"));
    free(metrics);
}

static void check_answers(const char *line)
{
    char *metrics = lotor_engine_metrics(rig.engine);
    assert_non_null(strstr(metrics, line));
    free(metrics);
}

/* Each item of a list is refused for itself, and the others are kept. */
TEST_WITH(a_bad_item_does_not_refuse_the_others, start, end)
{
    lotor_ranking rankings[5];
    engine_must_create(&rig, ONE_ARM);
    play(5, rankings);
    json_t *good = engine_json("{'rewards': [1]}"), *bad = engine_json("{'rewards': [7]}");
    json_t *long_one = engine_json("{'rewards': [1, 1]}");
    lotor_event_feedback batch[] = {
        {rankings[0].event, bad},
        {rankings[1].event, good},
        {rankings[2].event, long_one}, /* only the writer notices that */
        {"nonsense", good},
        {NULL, NULL}, /* refused by the caller */
        {rankings[3].event, good}};
    lotor_refusal refusals[6] = {[4] = {.code = LOTOR_CODE_MISSING_FIELD}};
    assert_int_equal(engine_rewards(&rig, batch, 6, refusals), LOTOR_CODE_NONE);
    static const struct {
        lotor_code code;
        const char *field;
    } expected[6] = {{LOTOR_CODE_BAD_VALUE, "rewards[0].rewards[0]"},
                     {LOTOR_CODE_NONE, ""},
                     {LOTOR_CODE_BAD_VALUE, "rewards[2].rewards"},
                     {LOTOR_CODE_NO_SUCH_EVENT, "rewards[3].event"},
                     {LOTOR_CODE_MISSING_FIELD, ""},
                     {LOTOR_CODE_NONE, ""}};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(refusals[i].code, expected[i].code);
        assert_string_equal(refusals[i].field, expected[i].field);
    }
    assert_int_equal(engine_late, 0);
    check_answers("\nlotor_feedback_total 2\n");

    /* The refused events are still open. */
    engine_must_reward(&rig, rankings[0].event, "{'rewards': [1]}");
    engine_must_reward(&rig, rankings[2].event, "{'rewards': [1]}");
    check_answers("\nlotor_feedback_total 4\n");

    /* If all items are refused, nothing is kept. */
    lotor_refusal all[2] = {0};
    batch[1] = (lotor_event_feedback){rankings[4].event, long_one};
    assert_int_equal(engine_rewards(&rig, batch, 2, all), LOTOR_CODE_NONE);
    assert_int_equal(all[0].code, LOTOR_CODE_BAD_VALUE);
    assert_int_equal(all[1].code, LOTOR_CODE_BAD_VALUE);
    check_answers("\nlotor_feedback_total 4\n");
    json_decref(good);
    json_decref(bad);
    json_decref(long_one);
}

/* With feedback for all events or for none, everything visible is the same until the block ends. */
TEST_WITH(feedback_shows_at_the_end_of_its_block_and_not_before, start, end)
{
    lotor_ranking rankings[64];
    engine_must_create(&rig, ONE_ARM);
    play(64, rankings);
    for (int i = 0; i < 64; i++) {
        engine_must_reward(&rig, rankings[i].event, "{'rewards': [1]}");
    }
    engine_wait(&rig, ALL_OVER - 1);
    assert_int_equal(number("final"), 0);
    assert_int_equal(number("releases"), 0);
    assert_true(isnan(number("arms.0.mean")));
    engine_wait(&rig, 1);
    assert_int_equal(number("final"), 64);
    assert_true(number("releases") >= 1);
}

/* Rounds end with their block, in the order in which blocks were drawn. */
TEST_WITH(rounds_end_in_the_order_of_display, start, end)
{
    lotor_ranking rankings[8];
    engine_must_create(&rig, ONE_ARM);
    play(4, rankings);
    rig.now += 500;
    play(4, rankings);
    engine_wait(&rig, ALL_OVER - 501);
    assert_int_equal(number("final"), 0);
    engine_wait(&rig, 1);
    assert_int_equal(number("final"), 4);
    engine_wait(&rig, 499);
    assert_int_equal(number("final"), 4);
    engine_wait(&rig, 1);
    assert_int_equal(number("final"), 8);
}

/* The reply is {"campaign", "number", "expires", "final"}, and nothing else. */
static bool is_final(const lotor_ranking *ranking, json_int_t number)
{
    lotor_refusal refusal = {.code = LOTOR_CODE_NONE};
    json_t *const told = lotor_engine_event(rig.engine, ranking->event, &refusal);
    const char *campaign = NULL;
    json_int_t found = 0;
    double expires = 0;
    int final = 0;
    assert_non_null(told);
    assert_int_equal(json_unpack(told, "{s:s, s:I, s:f, s:b !}", "campaign", &campaign, "number",
                                 &found, "expires", &expires, "final", &final),
                     0);
    assert_string_equal(campaign, "one");
    assert_int_equal(found, number);
    assert_true(fabs(expires - (double)ranking->expires / 1000) < 1e-6);
    json_decref(told);
    return final;
}

/* With or without feedback, early or not: the reply about an event is the same at every time. */
TEST_WITH(an_event_does_not_reveal_its_feedback, start, end)
{
    static const char *const specs[] = {ONE_ARM, ONE_ARM_WITH(", 'early_release': true")};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        lotor_ranking rankings[2];
        lotor_refusal refusal = {.code = LOTOR_CODE_NONE};
        if (i > 0) {
            engine_end(&rig);
            engine_start(&rig);
            engine_open(&rig);
        }
        engine_must_create(&rig, specs[i]);
        play(2, rankings);
        engine_must_reward(&rig, rankings[0].event, "{'rewards': [1]}");
        engine_wait(&rig, 10);
        for (int j = 0; j < 2; j++) {
            assert_false(is_final(&rankings[j], j + 1));
        }
        engine_wait(&rig, 100000);
        for (int j = 0; j < 2; j++) {
            assert_true(is_final(&rankings[j], j + 1));
        }
        assert_null(lotor_engine_event(rig.engine, "none", &refusal));
        assert_int_equal(refusal.code, LOTOR_CODE_NO_SUCH_EVENT);
    }
}

/* A block ends early when there is feedback for everything handed out, and nothing more is
 * handed out. */
TEST_WITH(early_release_ends_rounds_with_feedback, start, end)
{
    lotor_ranking rankings[64];
    engine_must_create(&rig, ONE_ARM_WITH(", 'early_release': true"));
    play(64, rankings);
    for (int i = 1; i < 64; i++) {
        engine_must_reward(&rig, rankings[i].event, "{'rewards': [1]}");
    }
    assert_int_equal(number("final"), 0); /* the first decision has no feedback */
    engine_must_reward(&rig, rankings[0].event, "{'rewards': [1]}");
    const double first = number("final");
    assert_true(first > 0 && first <= 64);
    engine_wait(&rig, BLOCK_LIFE + 1); /* the rest of the last block is not handed out any more */
    assert_int_equal(number("final"), 64);
    assert_true(number("arms.0.mean") > 0.99);
    /* A repeat is late. So it shows that the block ended early, and the guarantee says so. */
    engine_must_reward(&rig, rankings[0].event, "{'rewards': [0]}");
    assert_int_equal(engine_late, 1);
}

/* Without early_release, feedback for everything that was shown ends nothing before its time, also while the owner
 * reads the log for another block. Otherwise the time of a release would show that somebody answered. */
static void check_no_early_end(const char *more)
{
    char spec[300];
    snprintf(spec, sizeof spec,
             "{'name': 'one', 'algorithm': 'batch-klucb', 'arms': ['a'], 'max_arms': 1, " LOUD
             ", 'wait_seconds': 1%s}",
             more);
    engine_must_create(&rig, spec);
    for (int block = 0; block < 3; block++) {
        for (int i = 0; i < 8; i++) {
            lotor_ranking ranking;
            char user[16];
            snprintf(user, sizeof user, "u%d-%d", block, i);
            assert_int_equal(engine_rank_with(&rig, "one", user, NULL, NULL, &ranking),
                             LOTOR_CODE_NONE);
            engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
            assert_int_equal(engine_late, 0);
            engine_must_reward(&rig, ranking.event,
                               "{'rewards': [0]}"); /* a repeat is in time, too */
            assert_int_equal(engine_late, 0);
        }
        engine_wait(&rig, BLOCK_LIFE + 1); /* nothing more of the block is handed out */
        engine_step(&rig);
        assert_int_equal(number("final"), 0);
    }
    rig.now +=
        ALL_OVER - 3 * (BLOCK_LIFE + 1); /* the first block is due, the others have all feedback */
    for (int i = 0; i < 4; i++) {
        engine_step(&rig);
    }
    const double first = number("final");
    assert_true(first > 0 && first <= 8);
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    assert_int_equal(number("final"), 24);
    assert_int_equal(engine_close_campaign(&rig, "one"), LOTOR_CODE_NONE);
}

TEST_WITH(feedback_for_all_ends_nothing_early, start, end)
{
    check_no_early_end("");
}

TEST_WITH(feedback_for_all_users_ends_nothing_early, start, end)
{
    check_no_early_end(", 'rounds_per_user': 1, 'sticky_seconds': 1");
}

TEST_WITH(feedback_for_all_blanks_ends_nothing_early, start, end)
{
    check_no_early_end(", 'rounds_per_user': 1");
}

/* Arm b has rewards, arm a has none; there is feedback for all rounds. is_direct: each decision is drawn
 * for its request. */
static void prepare_two_arms(const char *name, bool is_direct)
{
    char spec[300], user[8];
    snprintf(spec, sizeof spec,
             "{'name': '%s', 'algorithm': 'cucb-dp-lazy', 'arms': ['a', 'b'], 'max_arms': 2, " LOUD
             ", 'wait_seconds': 1%s}",
             name, is_direct ? ", 'rounds_per_user': 1, 'sticky_seconds': 1" : "");
    engine_must_create(&rig, spec);
    for (int i = 0; i < 100; i++) {
        lotor_ranking ranking;
        snprintf(user, sizeof user, "u%d", i);
        assert_int_equal(engine_rank_with(&rig, name, user, NULL, NULL, &ranking), LOTOR_CODE_NONE);
        engine_must_reward(&rig, ranking.event,
                           *ranking.arms[0] == 'b' ? "{'rewards': [1]}" : "{'rewards': [0]}");
    }
}

/* A drawing sees the rounds that were over when its request came, however late the writer
 * handles it, since that delay depends on the feedback. A moment before the rounds are over, arm
 * a is shown in about half of the cases (wrong once in 2^30 runs). A moment after, it is hardly
 * ever shown. */
TEST_WITH(a_drawing_sees_what_was_over_when_it_was_asked_for, start, end)
{
    enum { TIMES = 30 };
    int before = 0, after = 0;
    for (int i = 0; i < 2 * TIMES; i++) {
        char name[16];
        snprintf(name, sizeof name, "two%d", i);
        prepare_two_arms(name, true);
        rig.now += 1000 + (uint64_t)i % 2;
        lotor_ranking ranking = {.user = "v", .user_length = 1};
        engine_job job;
        engine_queue_ranking(&rig, name, &ranking, &job);
        assert_false(job.is_done);
        engine_wait(&rig, 50);
        assert_true(job.is_done);
        assert_int_equal(ranking.expires, rig.now + 1000); /* counted from the time of display */
        assert_int_equal(engine_number(&rig, name, "final"), 100);
        *(i % 2 ? &after : &before) += *ranking.arms[0] == 'a';
    }
    assert_true(before > 0);
    assert_true(after < before);
}

/* The same for decisions that are drawn ahead: the pool is emptied before the rounds are over,
 * and filled afterwards. */
TEST_WITH(drawing_ahead_sees_what_was_over_when_the_pool_ran_low, start, end)
{
    int shown = 0;
    for (int i = 0; i < 30; i++) {
        char name[16];
        snprintf(name, sizeof name, "two%d", i);
        prepare_two_arms(name, false);
        lotor_ranking ranking;
        engine_job job;
        engine_wait(&rig, ALL_OVER - 2);
        engine_must_rank(&rig, name, &ranking); /* the pool is filled again */
        rig.now += 1;                           /* the last moment of the rounds before */
        do {                                    /* without a step of the writer */
            engine_queue_rank(&rig, name, &ranking, &job);
        } while (job.is_done);
        engine_wait(&rig, 50);
        assert_true(job.is_done);
        assert_int_equal(engine_number(&rig, name, "final"), 100);
        engine_queue_rank(&rig, name, &ranking, &job);
        assert_true(job.is_done); /* from the pool that was just filled */
        shown += *ranking.arms[0] == 'a';
    }
    assert_true(shown > 3);
}

static void assert_readiness(bool ready)
{
    json_t *const told = lotor_engine_readiness(rig.engine);
    assert_int_equal(json_object_size(told), 3);
    assert_int_equal(json_is_true(json_object_get(told, "ready")), ready);
    assert_int_equal(json_is_null(json_object_get(told, "reason")), ready);
    assert_int_equal(json_is_string(json_object_get(told, "reason")), !ready);
    assert_true(json_is_array(json_object_get(told, "campaigns")));
    json_decref(told);
}

/* A decision is on disk before it is shown. */
TEST_WITH(nothing_is_handed_out_before_its_commit, start, end)
{
    lotor_ranking ranking;
    engine_must_create(&rig, ONE_ARM);
    engine_job job;
    fault_vfs_arm(rig.disk, FAULT_DEAD, 1);
    engine_queue_rank(&rig, "one", &ranking, &job);
    assert_false(job.is_done);
    engine_step(&rig);
    assert_true(job.is_done);
    assert_int_equal(job.job.refusal.code, LOTOR_CODE_STORE);
    assert_false(lotor_engine_is_ready(rig.engine));
    assert_readiness(false);
    assert_int_equal(number("decisions"), 0);
    fault_vfs_arm(rig.disk, FAULT_NONE, 0);
    engine_must_rank(&rig, "one", &ranking);
    assert_true(lotor_engine_is_ready(rig.engine));
    assert_readiness(true);
    /* Decisions in the pool are committed, and need no disk. */
    fault_vfs_arm(rig.disk, FAULT_DEAD, 1);
    engine_queue_rank(&rig, "one", &ranking, &job);
    assert_true(job.is_done);
    assert_int_equal(job.job.refusal.code, LOTOR_CODE_NONE);
    assert_int_equal(engine_reward(&rig, ranking.event, "{'rewards': [1]}"), LOTOR_CODE_STORE);
    fault_vfs_arm(rig.disk, FAULT_NONE, 0);
    engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
}

/* Adds up the released batches. */
static lotor_status add_up(void *context, const lotor_release_row *release)
{
    lotor_arm_fact *sum = context;
    assert_int_equal(release->facts_length % 40, 0);
    for (size_t i = 0; i < release->facts_length; i += 40) {
        double value;
        uint64_t count;
        memcpy(&value, release->facts + i + 16, 8);
        memcpy(&count, release->facts + i + 24, 8);
        sum->value += value;
        sum->count += count;
    }
    sum->time++;
    return LOTOR_OK;
}

/* The rows of releases have exactly the facts that the policy released: they give the same mean. */
TEST_WITH(release_rows_are_the_released_facts, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    for (int i = 0; i < 100; i++) {
        lotor_ranking ranking;
        engine_must_rank(&rig, "one", &ranking);
        if (i % 3 == 0) {
            engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
        }
        engine_wait(&rig, 300);
    }
    engine_wait(&rig, ALL_OVER);
    lotor_arm_fact sum = {0};
    assert_int_equal(lotor_store_each_release(rig.store, 1, 0, add_up, &sum, &rig.why), LOTOR_OK);
    assert_int_equal(sum.time, number("releases"));
    assert_true(sum.time >= 2);
    assert_int_equal(sum.count, number("arms.0.count"));
    assert_true(fabs(sum.value / (double)sum.count - number("arms.0.mean")) < 1e-12);
}

static lotor_status count_row(void *context, const lotor_log_row *row)
{
    (void)row;
    ++*(int *)context;
    return LOTOR_OK;
}

typedef struct stream_list {
    uint64_t streams[8];
    size_t count;
} stream_list;

static lotor_status list_stream(void *context, uint64_t stream, uint64_t last)
{
    stream_list *list = context;
    (void)last;
    assert_true(list->count < 8);
    list->streams[list->count++] = stream;
    return LOTOR_OK;
}

static int kept_rows(void)
{
    int rows = 0;
    stream_list list = {.count = 0};
    assert_int_equal(lotor_store_each_stream(rig.store, 1, list_stream, &list, &rig.why), LOTOR_OK);
    for (size_t i = 0; i < list.count; i++) {
        assert_int_equal(
            lotor_store_each_log(rig.store, 1, list.streams[i], 0, count_row, &rows, &rig.why),
            LOTOR_OK);
    }
    return rows;
}

/* Feedback does not wait for the rest of the pool, which may never be asked for. */
TEST_WITH(entered_feedback_is_not_kept, start, end)
{
    lotor_ranking ranking;
    engine_must_create(&rig, ONE_ARM);
    for (int i = 0; i < 2; i++) { /* one drawn singly, and the first of the pool */
        engine_must_rank(&rig, "one", &ranking);
    }
    engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    assert_int_equal(kept_rows(), 1);
    engine_wait(&rig, BLOCK_LIFE + 1);
    assert_int_equal(kept_rows(), 2); /* and a handout */
    engine_wait(&rig, ALL_OVER);
    assert_int_equal(number("final"), 2);
    assert_int_equal(kept_rows(), 0);
}
