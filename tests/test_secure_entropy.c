/* test_secure_entropy.c - the secure source and the kernel: how often the source asks for a key,
 * and what happens if it gets none. getrandom is wrapped (test_secure_entropy.cmake). */
#include "support/test.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lotor/randomizer.h>

#include "privacy/release/counter.h"
#include "support/secure_words.h"

/* --- a kernel that may refuse ----------------------------------------------------------------- */

typedef enum kernel_mood { GENEROUS, REFUSING, GIVING_NOTHING, INTERRUPTED, SLOW } kernel_mood;
static kernel_mood mood;
static int kernel_calls;

ssize_t __real_getrandom(void *buffer, size_t length, unsigned flags);
ssize_t __wrap_getrandom(void *buffer, size_t length, unsigned flags);

ssize_t __wrap_getrandom(void *buffer, size_t length, unsigned flags)
{
    kernel_calls++;
    switch (mood) {
    case REFUSING:
        errno = ENOSYS;
        return -1;
    case GIVING_NOTHING:
        return 0;
    case INTERRUPTED:
        if (kernel_calls % 3 != 0) {
            errno = EINTR;
            return -1;
        }
        break;
    case SLOW:
        return __real_getrandom(buffer, length < 5 ? length : 5, flags);
    case GENEROUS:
        break;
    }
    return __real_getrandom(buffer, length, flags);
}

static int kernel_is_generous(void **state)
{
    (void)state;
    mood = GENEROUS;
    return 0;
}

/* Windows must not repeat, neither under one key nor across a new one. */
TEST(windows_never_repeat)
{
    enum { WINDOWS = 300 };
    lotor_source *source = new_source();
    uint64_t heads[WINDOWS];
    kernel_calls = 0;
    for (size_t window = 0; window < WINDOWS; window++) {
        heads[window] = lotor_source_word(source);
        for (size_t i = 1; i < WORDS_PER_WINDOW; i++) {
            (void)lotor_source_word(source);
        }
        for (size_t before = 0; before < window; before++) {
            assert_true(heads[before] != heads[window]);
        }
    }
    assert_int_equal(kernel_calls, 4); /* 300 windows of 16 KiB: 4.7 MiB, a new key each MiB */
    lotor_secure_free(source);
}

/* --- no entropy ------------------------------------------------------------------------------- */

TEST_WITH(no_source_without_entropy, NULL, kernel_is_generous)
{
    lotor_source *source = (lotor_source *)&mood;
    mood = REFUSING;
    assert_int_equal(lotor_secure_new(&source), LOTOR_ENTROPY);
    assert_null(source);
    source = (lotor_source *)&mood;
    mood = GIVING_NOTHING;
    assert_int_equal(lotor_secure_new(&source), LOTOR_ENTROPY);
    assert_null(source);

    const lotor_counter_params params = {
        .mechanism = "tree", .epsilon = {1, 1}, .horizon = 8, .low = 0.0, .high = 1.0};
    lotor_counter *counter = (lotor_counter *)&mood;
    lotor_message why = {""};
    assert_int_equal(lotor_counter_new(&params, &why, &counter), LOTOR_ENTROPY);
    assert_null(counter);
    assert_non_null(strstr(why.text, "random"));

    const lotor_randomizer bit = {
        .mechanism = "bit", .epsilon = {1, 1}, .low = 0.0, .high = 1.0, .slots = 1};
    const double reward = 1.0;
    const lotor_feedback feedback = {&reward, 1, 0};
    int64_t report[1] = {-7};
    size_t count = 99;
    assert_int_equal(lotor_randomizer_report(&bit, &feedback, &why, report, &count), LOTOR_ENTROPY);
    assert_int_equal(count, 0);
    assert_int_equal(report[0], -7);
    assert_string_equal(why.text, "the system gives no random bytes: nothing may be sent");
}

TEST_WITH(interrupted_and_partial_reads_are_completed, NULL, kernel_is_generous)
{
    const kernel_mood moods[] = {INTERRUPTED, SLOW};
    for (size_t i = 0; i < 2; i++) {
        mood = moods[i];
        kernel_calls = 0;
        lotor_source *first = new_source(), *second = new_source();
        assert_true(kernel_calls >= 4);
        uint64_t a[WORDS], b[WORDS];
        read_words(first, a);
        read_words(second, b);
        assert_unrelated(a, b);
        lotor_secure_free(first);
        lotor_secure_free(second);
    }
}

/* An old key is still good: the stream continues, and the source asks again a MiB later. */
TEST_WITH(a_missed_new_key_is_no_failure, NULL, kernel_is_generous)
{
    lotor_source *source = new_source();
    mood = REFUSING;
    kernel_calls = 0;
    uint64_t before[WORDS], after[WORDS];
    read_words(source, before);
    for (size_t i = 0; i < 130 * WORDS_PER_WINDOW; i++) {
        (void)lotor_source_word(source);
    }
    read_words(source, after);
    assert_int_equal(kernel_calls, 2); /* at 64 and at 128 windows */
    assert_int_equal(source->status, LOTOR_OK);
    assert_unrelated(before, after);
    lotor_secure_free(source);
}

static int child_of_a_counter(lotor_counter *counter)
{
    lotor_message why = {""};
    const double before = lotor_counter_value(counter);
    if (lotor_counter_add(counter, 1.0, &why) != LOTOR_ENTROPY || !strstr(why.text, "random")) {
        return 2;
    }
    if (lotor_counter_value(counter) != before || lotor_counter_added_count(counter) != 3) {
        return 3;
    }
    mood = GENEROUS; /* too late: worthless bytes were handed out */
    return lotor_counter_add(counter, 1.0, NULL) == LOTOR_ENTROPY ? 0 : 4;
}

TEST_WITH(a_child_without_entropy_fails_for_good, NULL, kernel_is_generous)
{
    lotor_source *source = new_source();
    lotor_counter *counter;
    const lotor_counter_params params = {
        .mechanism = "tree", .epsilon = {1, 1}, .horizon = 8, .low = 0.0, .high = 1.0};
    /* on a borrowed source, since a child is refused a counter with its own source (test_fork.c) */
    assert_int_equal(lotor_counter_new_on(&params, source, NULL, &counter), LOTOR_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lotor_counter_add(counter, 1.0, NULL), LOTOR_OK);
    }
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        mood = REFUSING;
        (void)lotor_source_word(source);
        const int wrong = source->status != LOTOR_ENTROPY ? 1 : child_of_a_counter(counter);
        lotor_counter_free(counter);
        lotor_secure_free(source);
        _exit(wrong);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(source->status, LOTOR_OK); /* the parent's source is not affected */
    assert_int_equal(lotor_counter_add(counter, 1.0, NULL), LOTOR_OK);
    lotor_counter_free(counter);
    lotor_secure_free(source);
}
