/* test_allocation.c - makes the k-th allocation fail, for every k.
 *
 * A scenario makes objects, uses them, and records a trace of what it sees. The first run has no
 * failures: it counts the allocations and gives the expected trace. Then there is one run per
 * allocation, in which that allocation fails. Exactly one call must return LOTOR_MEMORY and leave
 * nothing behind. The same call again must work, and the trace must be the same to the end. */
#include "support/test.h"

#include <stdbool.h>
#include <string.h>

#include "board/board.h"
#include "privacy/intake/inbox.h"
#include "privacy/release/counter.h"
#include "privacy/release/statistic.h"
#include "privacy/release/stopping.h"
#include "support/failing_memory.h"
#include "support/test_source.h"

typedef struct trace {
    size_t failures; /* calls that returned LOTOR_MEMORY */
    size_t count;
    double seen[2048];
} trace;

typedef void scenario(trace *log, const char *name);

static void note(trace *log, double value)
{
    assert_true(log->count < sizeof log->seen / sizeof *log->seen);
    log->seen[log->count++] = value;
}

/* True if to call once more, after LOTOR_MEMORY. Any other failure fails the test. */
static bool again(trace *log, lotor_status status)
{
    if (status == LOTOR_OK) {
        return false;
    }
    assert_int_equal(status, LOTOR_MEMORY);
    log->failures++;
    return true;
}

static void at_every_allocation(scenario *run, const char *name, size_t least)
{
    static trace expected, seen;
    memset(&expected, 0, sizeof expected);
    const size_t live = failing_memory_live();
    failing_memory_start(0);
    run(&expected, name);
    const size_t allocations = failing_memory_stop();
    assert_true(allocations >= least); /* the wrapping works */
    assert_int_equal(expected.failures, 0);
    assert_int_equal(failing_memory_live(), live);

    for (size_t fails = 1; fails <= allocations; fails++) {
        memset(&seen, 0, sizeof seen);
        failing_memory_start(fails);
        run(&seen, name);
        (void)failing_memory_stop();
        assert_int_equal(seen.failures, 1);
        assert_int_equal(failing_memory_live(), live);
        assert_int_equal(seen.count, expected.count);
        assert_memory_equal(seen.seen, expected.seen, seen.count * sizeof *seen.seen);
    }
}

/* --- counters --------------------------------------------------------------------------------- */

static lotor_counter_params params_of(const char *mechanism, lotor_ratio epsilon)
{
    return (lotor_counter_params){
        .mechanism = mechanism,
        .epsilon = epsilon,
        .delta =
            strcmp(mechanism, "gaussian-tree") ? lotor_ratio_of(0, 1) : lotor_ratio_of(1, 1000000),
        .horizon = 200,
        .low = 0.0,
        .high = 1.0,
    };
}

static void add_values(trace *log, lotor_counter *counter, int count)
{
    for (int i = 0; i < count; i++) {
        assert_int_equal(lotor_counter_add(counter, (double)(i % 5) / 4.0, NULL), LOTOR_OK);
        note(log, lotor_counter_value(counter));
    }
}

static void check_message(lotor_status status, const lotor_message *why)
{
    if (status == LOTOR_MEMORY) {
        assert_true(strlen(why->text) > 0);
    }
}

/* Saves, which may fail; the counter must be unchanged afterwards. */
static unsigned char *save(trace *log, lotor_counter *counter, size_t *length)
{
    unsigned char *bytes;
    lotor_status status;
    do {
        bytes = (unsigned char *)log;
        *length = 99;
        status = lotor_counter_save(counter, &bytes, length);
        assert_true(status == LOTOR_OK || (bytes == NULL && *length == 0));
    } while (again(log, status));
    return bytes;
}

/* Laplace or Gaussian noise from the tests' source: new, add, save, add, load, add, save. */
static void counter_scenario(trace *log, const char *mechanism)
{
    test_source source;
    test_source_seed(&source, 7);
    const lotor_counter_params params = params_of(mechanism, lotor_ratio_of(1, 2));
    lotor_counter *counter, *loaded;
    lotor_message why = {""};
    lotor_status status;
    do {
        status = lotor_counter_new_on(&params, &source.source, &why, &counter);
        check_message(status, &why);
        assert_int_equal(status == LOTOR_OK, counter != NULL);
    } while (again(log, status));
    add_values(log, counter, 37);
    size_t length, length_after;
    unsigned char *bytes = save(log, counter, &length);
    add_values(log, counter, 20);

    test_source_seed(&source, 8);
    do {
        status = lotor_counter_load_on(bytes, length, &source.source, &why, &loaded);
        check_message(status, &why);
        assert_int_equal(status == LOTOR_OK, loaded != NULL);
    } while (again(log, status));
    add_values(log, loaded, 50);
    unsigned char *after = save(log, loaded, &length_after);
    for (size_t i = 0; i < length_after; i++) {
        note(log, after[i]);
    }
    lotor_bytes_free(bytes, length);
    lotor_bytes_free(after, length_after);
    lotor_counter_free(counter);
    lotor_counter_free(loaded);
}

TEST(counters)
{
    for (size_t i = 0; lotor_statistics[i]; i++) {
        if (!lotor_statistics[i]->counter) {
            continue;
        }
        at_every_allocation(counter_scenario, lotor_statistics[i]->counter, 8);
    }
}

/* The public functions make their own secure source (calloc and mmap). The scenario has no noise,
 * so that the trace is always the same. */
static void public_counter_scenario(trace *log, const char *mechanism)
{
    const lotor_counter_params params = params_of(mechanism, lotor_ratio_of(1, 0));
    lotor_counter *counter, *loaded;
    lotor_message why = {""};
    lotor_status status;
    const char *refused;
    while ((refused = lotor_counter_check(&params, &why)) != NULL) {
        assert_non_null(strstr(refused, "memory"));
        log->failures++;
    }
    do {
        status = lotor_counter_new(&params, &why, &counter);
        check_message(status, &why);
        assert_int_equal(status == LOTOR_OK, counter != NULL);
    } while (again(log, status));
    add_values(log, counter, 20);
    size_t length;
    unsigned char *bytes = save(log, counter, &length);
    do {
        status = lotor_counter_load(bytes, length, &why, &loaded);
        check_message(status, &why);
        assert_int_equal(status == LOTOR_OK, loaded != NULL);
    } while (again(log, status));
    add_values(log, counter, 20);
    add_values(log, loaded, 20);
    lotor_bytes_free(bytes, length);
    lotor_counter_free(counter);
    lotor_counter_free(loaded);
}

TEST(public_counters)
{
    for (size_t i = 0; lotor_statistics[i]; i++) {
        if (!lotor_statistics[i]->counter) {
            continue;
        }
        at_every_allocation(public_counter_scenario, lotor_statistics[i]->counter, 12);
    }
}

/* --- stopping rules --------------------------------------------------------------------------- */

static void read_samples(trace *log, lotor_stopping *rule)
{
    bool stopped = false;
    for (int i = 0; i < 400 && !stopped; i++) {
        assert_int_equal(lotor_stopping_add(rule, i % 3 ? 1.0 : 0.75, NULL, &stopped), LOTOR_OK);
    }
    double estimate = -1.0;
    assert_int_equal(lotor_stopping_estimate(rule, &estimate),
                     stopped ? LOTOR_OK : LOTOR_UNFINISHED);
    note(log, estimate);
    note(log, (double)lotor_stopping_sample_count(rule));
}

static void stopping_scenario(trace *log, const char *name)
{
    const lotor_stopping_params params = {
        .rule = name, .alpha = 0.5, .beta = 0.1, .epsilon = lotor_ratio_of(5, 1), .range = 1.0};
    test_source source;
    test_source_seed(&source, 9);
    lotor_stopping *rule;
    lotor_message why = {""};
    lotor_status status;
    const char *refused;
    while ((refused = lotor_stopping_check(&params, &why)) != NULL) {
        assert_non_null(strstr(refused, "memory"));
        log->failures++;
    }
    do {
        status = lotor_stopping_new_on(&params, &source.source, &why, &rule);
        check_message(status, &why);
        assert_int_equal(status == LOTOR_OK, rule != NULL);
    } while (again(log, status));
    read_samples(log, rule);
    lotor_stopping_free(rule);

    lotor_stopping_params noiseless = params;
    noiseless.epsilon = lotor_ratio_of(1, 0);
    do {
        status = lotor_stopping_new(&noiseless, &why, &rule);
        check_message(status, &why);
        assert_int_equal(status == LOTOR_OK, rule != NULL);
    } while (again(log, status));
    read_samples(log, rule);
    lotor_stopping_free(rule);
}

TEST(stopping_rules)
{
    const char *const rules[] = {"nas", "nas-printed", "dp-nas", "dp-exp-nas"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        at_every_allocation(stopping_scenario, rules[i], 5);
    }
}

/* --- inbox ------------------------------------------------------------------------------------ */

enum { ROUNDS = 40 };

static void take_all(trace *log, lotor_inbox *inbox)
{
    lotor_round round;
    while (lotor_inbox_peek(inbox, &round)) {
        note(log, (double)round.event);
        note(log, (double)round.arms[0]);
        note(log, (double)round.units[0]);
        (void)lotor_inbox_drop(inbox);
    }
    note(log, (double)lotor_inbox_waiting(inbox));
}

static lotor_inbox *new_inbox(trace *log)
{
    const int64_t missing = -1;
    lotor_inbox *inbox;
    lotor_status status;
    do {
        status = lotor_inbox_new(2, 1, &missing, &inbox);
        assert_int_equal(status == LOTOR_OK, inbox != NULL);
    } while (again(log, status));
    return inbox;
}

static void inbox_scenario(trace *log, const char *name)
{
    (void)name;
    lotor_inbox *inbox = new_inbox(log);
    for (uint32_t i = 0; i < ROUNDS; i++) { /* the ring grows at 16 and at 32 */
        uint64_t event = 0;
        lotor_status status;
        do {
            const size_t waiting = lotor_inbox_waiting(inbox);
            status = lotor_inbox_show(inbox, &i, 1, &event);
            assert_int_equal(lotor_inbox_waiting(inbox), waiting + (status == LOTOR_OK));
        } while (again(log, status));
        const int64_t units = 100 * (int64_t)event;
        assert_int_equal(lotor_inbox_observe(inbox, event, &units), LOTOR_OK);
    }
    for (uint64_t event = 1; event <= ROUNDS; event += event == 30 ? 2 : 1) {
        assert_int_equal(lotor_inbox_expire(inbox, event), LOTOR_OK);
    }
    unsigned char *bytes;
    size_t length;
    lotor_status status;
    do {
        lotor_writer writer;
        lotor_writer_start(&writer, "inbox");
        lotor_inbox_save(inbox, &writer);
        status = lotor_writer_seal(&writer, &bytes, &length);
    } while (again(log, status));
    lotor_inbox *loaded = new_inbox(log);
    do {
        lotor_reader reader;
        assert_int_equal(lotor_reader_open(&reader, "inbox", bytes, length, NULL), LOTOR_OK);
        status = lotor_inbox_load(loaded, &reader);
    } while (again(log, status));
    take_all(log, inbox);
    take_all(log, loaded);
    lotor_bytes_free(bytes, length);
    lotor_inbox_free(inbox);
    lotor_inbox_free(loaded);
}

TEST(inboxes)
{
    at_every_allocation(inbox_scenario, NULL, 20);
}

/* --- board ------------------------------------------------------------------------------------ */

static lotor_board *new_board(trace *log)
{
    lotor_board *board;
    lotor_status status;
    do {
        status = lotor_board_new(3, 5, &board);
        assert_int_equal(status == LOTOR_OK, board != NULL);
    } while (again(log, status));
    return board;
}

static void board_scenario(trace *log, const char *name)
{
    (void)name;
    lotor_board *board = new_board(log);
    for (size_t arm = 0; arm < 5; arm++) {
        const lotor_fact fact = {0.5 * (double)arm, arm, arm + 1};
        assert_int_equal(lotor_board_post(board, arm % 3, arm, fact), LOTOR_OK);
    }
    unsigned char *bytes;
    size_t length;
    lotor_status status;
    do {
        lotor_writer writer;
        lotor_writer_start(&writer, "board");
        lotor_board_save(board, &writer);
        status = lotor_writer_seal(&writer, &bytes, &length);
    } while (again(log, status));
    lotor_board *loaded = new_board(log);
    lotor_reader reader;
    assert_int_equal(lotor_reader_open(&reader, "board", bytes, length, NULL), LOTOR_OK);
    lotor_board_load(loaded, &reader);
    assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_OK);
    for (size_t arm = 0; arm < 5; arm++) {
        note(log, lotor_board_at(loaded, arm % 3, arm)->value);
    }
    lotor_bytes_free(bytes, length);
    lotor_board_free(board);
    lotor_board_free(loaded);
}

TEST(boards)
{
    at_every_allocation(board_scenario, NULL, 5);
}
