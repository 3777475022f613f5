/* test_reproduce_threads.c - experiments in parallel give the same files as one after the other.
 * They end in order if an experiment fails or the caller stops them. */
#include "support/test.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "papers/reproduce_plan.h"

static const lotor_curve_plan curves[] = {
    {"ucb", {.algorithm = "ucb"}}, /* the same at every epsilon */
    {"dp-se", {.algorithm = "dp-se"}},
    {"dp-se, longer", {.algorithm = "dp-se", .horizon = 2000}},
    {"dp-se, 4 runs", {.algorithm = "dp-se", .runs = 4}},
};
static const lotor_panel_plan panels[] = {{"honest", 0.0}, {"less noise", 0.01}};
static const double some_epsilons[] = {0.5, 0.25, 1};

static const lotor_figure over_rounds = {
    .id = "pool-rounds",
    .base = {.instance = "c2", .epsilon = 0.5, .horizon = 1000, .runs = 1},
    .log_x = true,
    .curves = curves,
    .curve_count = 4,
    .panels = panels,
    .panel_count = 2,
};

static const lotor_figure over_epsilons = {
    .id = "pool-epsilons",
    .base = {.instance = "c2", .horizon = 1000, .runs = 1},
    .axis = LOTOR_AXIS_EPSILON,
    .values = some_epsilons,
    .value_count = 3,
    .curves = curves,
    .curve_count = 4,
};

static const double regularizers[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
static const lotor_curve_plan linear_curves[] = {{"linucb", {.algorithm = "linucb"}}};
static const lotor_figure contexts = {
    .id = "pool-contexts",
    .base = {.place = LOTOR_FIGURE_WORLD_LINEAR,
             .dimension = 3,
             .horizon = 20000,
             .runs = 1,
             .regularizer = 1},
    .axis = LOTOR_AXIS_REGULARIZER,
    .values = regularizers,
    .value_count = 6,
    .curves = linear_curves,
    .curve_count = 1,
};

static char file[] = "lotor-pool.XXXXXX";

static int make_file(void **state)
{
    (void)state;
    const int made = mkstemp(file);
    return made < 0 ? -1 : close(made);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(file);
}

/* Its points as a file, without the time. */
static lotor_slice play_file(const lotor_figure *figure, const lotor_reproduction *how)
{
    lotor_figure_result played;
    lotor_message why = {""};
    lotor_slice bytes;
    char *text;
    if (lotor_figure_play(figure, how, &why, &played) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    played.seconds = 0.0;
    assert_int_equal(lotor_figure_result_write(&played, file, &why), LOTOR_OK);
    lotor_figure_result_clear(&played);
    assert_int_equal(lotor_records_load(file, &why, &text, &bytes.length), LOTOR_OK);
    bytes.text = text;
    return bytes;
}

TEST(any_number_of_threads)
{
    const lotor_figure *const figures[] = {&over_rounds, &over_epsilons, &contexts};
    lotor_figure_result known;
    lotor_message why;
    lotor_reproduction how = {.seed = 7, .threads = 1, .scratch = "."};
    assert_int_equal(lotor_figure_play(&over_rounds, &how, &why, &known), LOTOR_OK);
    const lotor_figure_result *const all_known[] = {&known};
    for (size_t i = 0; i < 3; i++) {
        how.threads = 1; /* so that none has fewer runs */
        how.known_count = 0;
        const lotor_slice alone = play_file(figures[i], &how);
        static const size_t threads[] = {2, 3, 5, 40, 0};
        for (size_t k = 0; k < 10; k++) {
            how.threads = threads[k / 2];
            how.known = all_known;
            how.known_count = i == 1 ? k % 2 : 0; /* over_rounds has one of its epsilons */
            const lotor_slice beside = play_file(figures[i], &how);
            assert_int_equal(beside.length, alone.length);
            assert_memory_equal(beside.text, alone.text, alone.length);
            free((char *)beside.text);
        }
        free((char *)alone.text);
    }
    lotor_figure_result_clear(&known);
}

/* --- the end --- */

static size_t count_threads(void)
{
    size_t count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    while (readdir(tasks)) {
        count++;
    }
    closedir(tasks);
    return count;
}

typedef struct watcher {
    double last;
    size_t calls, stop_after;
    bool went_back, inside, met, after_stop;
    pthread_t first;
    bool seen_other;
} watcher;

/* Nothing here is atomic, so that ThreadSanitizer detects simultaneous calls. */
static bool watch(void *context, double share)
{
    watcher *self = context;
    self->met = self->met || self->inside;
    self->inside = true;
    self->after_stop = self->after_stop || self->calls >= self->stop_after;
    self->went_back = self->went_back || share < self->last || share > 1.0;
    self->last = share;
    if (self->calls++ == 0) {
        self->first = pthread_self();
        const struct timespec while_others_come = {.tv_nsec = 50000000};
        nanosleep(&while_others_come, NULL);
    }
    self->seen_other = self->seen_other || !pthread_equal(self->first, pthread_self());
    self->inside = false;
    return self->calls >= self->stop_after;
}

/* The kernel may list a thread for a moment after it was joined. */
static bool has_threads(void *context)
{
    return count_threads() == *(const size_t *)context;
}

static lotor_status play_watched(const lotor_figure *figure, size_t threads, watcher *seen,
                                 lotor_message *why)
{
    const lotor_reproduction how = {
        .seed = 7, .threads = threads, .scratch = ".", .progress = watch, .context = seen};
    size_t before = count_threads();
    lotor_figure_result played;
    const lotor_status status = lotor_figure_play(figure, &how, why, &played);
    lotor_figure_result_clear(&played);
    assert_true(test_await(has_threads, &before, 10.0));
    assert_false(seen->met);
    assert_false(seen->went_back);
    assert_false(seen->after_stop);
    return status;
}

TEST(progress)
{
    lotor_message why = {""};
    watcher seen = {.stop_after = SIZE_MAX};
    assert_int_equal(play_watched(&contexts, 2, &seen, &why), LOTOR_OK);
    assert_true(seen.last > 0.99);
    assert_true(seen.seen_other);
    seen = (watcher){.stop_after = SIZE_MAX};
    assert_int_equal(play_watched(&contexts, 1, &seen, &why), LOTOR_OK);
    assert_false(seen.seen_other);
}

TEST(stopped)
{
    for (size_t calls = 1; calls <= 6;
         calls++) { /* each experiment calls at least once, when it begins */
        lotor_message why = {""};
        watcher seen = {.stop_after = calls};
        assert_int_equal(play_watched(&contexts, 3, &seen, &why), LOTOR_STOPPED);
        assert_int_equal(seen.calls, calls);
        assert_string_equal(why.text, "pool-contexts was stopped");
    }
}

/* The experiments with many rounds begin first, and stop when another one fails. */
TEST(one_fails)
{
    static const lotor_curve_plan plans[] = {
        {"long", {.algorithm = "ucb", .horizon = UINT64_C(1) << 40}},
        {"nowhere", {.algorithm = "ucb", .instance = "nowhere"}},
        {"short", {.algorithm = "dp-se"}},
    };
    lotor_figure figure = over_rounds;
    figure.curves = plans;
    figure.curve_count = 3;
    figure.panel_count = 0;
    watcher seen = {.stop_after = SIZE_MAX};
    lotor_message why = {""};
    assert_int_equal(play_watched(&figure, 2, &seen, &why), LOTOR_UNKNOWN);
    assert_non_null(strstr(why.text, "pool-rounds, nowhere: "));
}

TEST_GROUP(make_file, remove_file);
