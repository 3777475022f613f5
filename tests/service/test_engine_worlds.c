/* test_engine_worlds.c - which rounds feed which release: coupled worlds of the whole engine.
 *
 * Each row of the table is a script: it makes campaigns, shows decisions, sends feedback and changes
 * phases, on a clock that it sets. Two worlds play the same script with the same random bytes. They differ
 * in the feedback for one round (or for all rounds of one user), and in nothing else: so their noise
 * and their coins are the same, and whatever differs comes from that feedback.
 *
 *      world 0: feedback 0 (or none) ─┐
 *                                     ├─▶ all replies, descriptions, releases, guarantees, acts, metrics
 *      world 1: feedback 1           ─┘
 *
 * The worlds may differ in a number of released sums, by the width of the rewards for each round, and in
 * estimates that follow from such a sum. Nothing else may differ: which decisions are shown, numbers, times and counts of
 * releases. Scripts avoid decisions that could depend on a sum that differs: they show one arm, or make all
 * decisions before the first release. At the end, scripts that break the rule must be found.
 */
#include "support/test.h"

#include <math.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "plain/draws.h"
#include "service/engine_rig.h"

/* --- the same random bytes in both worlds ------------------------------------------------------ */

/* Noise and coins come from getrandom; keys, ids and nonces of seals from libsodium. They are apart, because
 * missing feedback needs no seal. */
static plain_random kernel = {1}, names = {2};

static void fill(plain_random *from, unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (unsigned char)(plain_word(from) >> 56);
    }
}

ssize_t __wrap_getrandom(void *buffer, size_t length, unsigned flags);
ssize_t __wrap_getrandom(void *buffer, size_t length, unsigned flags)
{
    (void)flags;
    fill(&kernel, buffer, length);
    return (ssize_t)length;
}

static const char *seeded_name(void)
{
    return "seeded";
}

static uint32_t seeded_word(void)
{
    return (uint32_t)(plain_word(&names) >> 32);
}

static void seeded_bytes(void *const buffer, const size_t length)
{
    fill(&names, buffer, length);
}

static randombytes_implementation seeded = {
    .implementation_name = seeded_name, .random = seeded_word, .buf = seeded_bytes};

/* --- a world ------------------------------------------------------------------------------------ */

/* How the feedback of the two worlds differs. */
typedef enum contrast { ZERO_OR_ONE, NONE_OR_ONE, CONTRASTS } contrast;

typedef struct world {
    engine_rig rig;
    size_t which;
    contrast how;
    size_t target;    /* the round that differs, if no user does */
    bool is_by_user;  /* all rounds of "ann" differ */
    bool is_careless; /* for broken scripts */
    size_t asked;     /* the decisions so far */
    json_t *told;     /* everything that can be read */
} world;

/* A decision. */
typedef struct shown {
    char event[LOTOR_TOKEN_LENGTH + 1]; /* "": there is none */
    bool differs;
    size_t index;
} shown;

static void tell(world *at, const char *format, ...)
{
    char text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    assert_int_equal(json_array_append_new(json_object_get(at->told, "replies"), json_string(text)),
                     0);
}

static void create(world *at, const char *name, const char *more)
{
    char text[400];
    snprintf(text, sizeof text, "{'name': '%s', 'epsilon': 1, 'wait_seconds': 1%s}", name, more);
    engine_must_create(&at->rig, text);
}

static void tell_ranking(world *at, const char *name, const lotor_ranking *ranking)
{
    char arms[100] = "";
    double number = -1.0;
    for (size_t i = 0; i < ranking->count; i++) {
        strncat(strncat(arms, ranking->arms[i], 40), " ", 2);
    }
    if (ranking->takes_feedback) {
        json_t *event = lotor_engine_event(at->rig.engine, ranking->event, &engine_refusal);
        number = json_number_value(json_object_get(event, "number"));
        json_decref(event);
    }
    tell(at, "%s shows %s as %g, role %s, until %llu", name, arms, number,
         ranking->role ? ranking->role : "none",
         (unsigned long long)(ranking->takes_feedback ? ranking->expires : 0));
}

static shown ask_with(world *at, const char *name, const char *user, const char *eligible)
{
    lotor_ranking ranking;
    shown out = {.index = at->asked};
    const lotor_code code = engine_rank_with(&at->rig, name, user, NULL, eligible, &ranking);
    if (code != LOTOR_CODE_NONE) {
        tell(at, "%s: %s", name, lotor_code_name(code));
        return out;
    }
    tell_ranking(at, name, &ranking);
    out.differs = at->is_by_user ? user && strcmp(user, "ann") == 0 : out.index == at->target;
    if (ranking.takes_feedback) {
        memcpy(out.event, ranking.event, sizeof out.event);
    }
    lotor_ranking_clear(&ranking);
    at->asked++;
    engine_wait(&at->rig, 20);
    return out;
}

static shown ask(world *at, const char *name)
{
    return ask_with(at, name, NULL, NULL);
}

/* Sends the feedback for a decision. */
static void answer(world *at, const shown *to)
{
    char text[40];
    int reward = to->index % 3 == 0;
    if (!*to->event || (to->differs && at->which == 0 && at->how == NONE_OR_ONE)) {
        return;
    }
    if (to->differs) {
        reward = (int)at->which;
    }
    snprintf(text, sizeof text, "{'rewards': [%d]}", reward);
    const lotor_code code = engine_reward(&at->rig, to->event, text);
    if (!to->differs) {
        tell(at, "feedback: %s, late %zu", lotor_code_name(code), engine_late);
    }
}

static void act(world *at, const char *name, lotor_act what)
{
    const lotor_code code = engine_act(&at->rig, name, what);
    tell(at, "%s %s: %s", lotor_act_name(what), name, lotor_code_name(code));
    assert_int_equal(code, LOTOR_CODE_NONE);
}

static void settle(world *at)
{
    engine_wait(&at->rig, ALL_OVER);
    engine_step(&at->rig);
}

enum { OPEN = 4 };

static void ask_some(world *at, const char *name, shown open[OPEN])
{
    for (size_t i = 0; i < OPEN; i++) {
        open[i] = ask(at, name);
    }
}

static void answer_some(world *at, const shown open[OPEN])
{
    for (size_t i = 0; i < OPEN; i++) {
        answer(at, &open[i]);
    }
}

static void serve(world *at, const char *name, size_t rounds)
{
    for (size_t i = 0; i < rounds; i++) {
        const shown one = ask(at, name);
        answer(at, &one);
    }
    settle(at);
}

/* --- scripts ------------------------------------------------------------------------------------ */

#define ONE ", 'arms': ['a'], 'max_arms': 1"

static void plain(world *at)
{
    create(at, "c", ONE);
    serve(at, "c", 8);
    serve(at, "c", 24);
}

/* Ann asks three times within the window, and sends feedback each time: it is one round. */
static void sticky(world *at)
{
    char user[8];
    create(at, "c", ONE ", 'sticky_seconds': 100");
    for (size_t i = 0; i < 24; i++) {
        snprintf(user, sizeof user, "u%zu", i);
        /* a careless caller gives one person two ids */
        const char *const again = at->is_careless && i == 4 ? "ann2" : "ann";
        const shown one = ask_with(at, "c", i % 3 == 1 && i < 8 ? again : user, NULL);
        shown copy = one;
        copy.differs = copy.differs || (at->is_careless && i == 4);
        answer(at, &copy);
    }
    settle(at);
}

/* Ann asks eight times. Two of her rounds count. */
static void capped(world *at)
{
    char user[8];
    create(at, "c", ONE ", 'rounds_per_user': 2");
    for (size_t i = 0; i < 32; i++) {
        snprintf(user, sizeof user, "u%zu", i);
        const shown one = ask_with(at, "c", i % 2 == 1 && i < 16 ? "ann" : user, NULL);
        answer(at, &one);
    }
    settle(at);
}

static void interrupt(world *at, lotor_act stop, lotor_act go)
{
    shown open[OPEN];
    create(at, "c", ONE);
    serve(at, "c", 4);
    ask_some(at, "c", open);
    act(at, "c", stop);
    (void)ask(at, "c"); /* refused */
    answer_some(at, open);
    settle(at);
    act(at, "c", go);
    serve(at, "c", 24);
}

static void paused(world *at)
{
    interrupt(at, LOTOR_ACT_PAUSE, LOTOR_ACT_RESUME);
}

static void archived(world *at)
{
    interrupt(at, LOTOR_ACT_ARCHIVE, LOTOR_ACT_UNARCHIVE);
}

/* An arm is removed while its rounds are open: they feed its releases all the same. */
static void removed(world *at)
{
    shown open[OPEN];
    create(at, "c", ", 'arms': ['a', 'b']");
    for (size_t i = 0; i < OPEN; i++) {
        open[i] = ask_with(at, "c", NULL, "['b']");
    }
    assert_int_equal(engine_arms(&at->rig, "c", "{'remove': ['b']}"), LOTOR_CODE_NONE);
    answer_some(at, open);
    settle(at);
    serve(at, "c", 12);
}

/* After a deletion nothing is released, also of rounds with feedback that were open. */
static void deleted(world *at)
{
    shown open[OPEN];
    create(at, "c", ONE);
    serve(at, "c", 8);
    ask_some(at, "c", open);
    answer_some(at, open);
    act(at, "c", LOTOR_ACT_DELETE);
    settle(at);
    (void)ask(at, "c");
    settle(at);
}

static void half_life_in_rounds(world *at)
{
    create(at, "c", ONE ", 'half_life': 5");
    serve(at, "c", 8);
    serve(at, "c", 24);
}

static void half_life_in_seconds(world *at)
{
    create(at, "c", ONE ", 'half_life': '4s'");
    serve(at, "c", 8);
    engine_wait(&at->rig, 60000);
    serve(at, "c", 24);
}

/* A new campaign starts from the releases of an old one. Rounds of the old one that were open then feed
 * the old one's releases alone. */
static void warm(world *at)
{
    shown open[OPEN];
    create(at, "old", ONE);
    serve(at, "old", 8);
    ask_some(at, "old", open);
    create(at, "new", ", 'arms': ['a'], 'max_arms': 1, 'prior': 'old'");
    answer_some(at, open);
    serve(at, "new", 12);
    serve(at, "old", 24);
}

/* Each round feeds exactly one statistic: the value of the policy's rounds, that of the control's, or an arm's.
 * All decisions are made before the first release. */
static void evaluated(world *at)
{
    enum { ROUNDS = 24 };
    shown all[ROUNDS];
    create(at, "c", ", 'arms': ['a', 'b'], 'evaluation': {'share': 0.5}");
    for (size_t i = 0; i < ROUNDS; i++) {
        all[i] = ask(at, "c");
    }
    for (size_t i = 0; i < ROUNDS; i++) {
        answer(at, &all[i]);
    }
    settle(at);
}

/* A power loss, while rounds are open. */
static void crashed(world *at)
{
    shown open[OPEN];
    create(at, "c", ONE);
    serve(at, "c", 4);
    ask_some(at, "c", open);
    answer_some(at, open);
    engine_crash(&at->rig);
    engine_open(&at->rig);
    settle(at);
    serve(at, "c", 24);
}

/* --- broken scripts ----------------------------------------------------------------------------- */

/* A person's feedback goes to two rounds. */
static void broken_twice(world *at)
{
    at->is_careless = true;
    sticky(at);
}

/* One more request comes if the feedback is good. */
static void broken_choice(world *at)
{
    create(at, "c", ONE);
    serve(at, "c", 4 + at->which);
    serve(at, "c", 12);
}

/* When the rounds end depends on the feedback. */
static void broken_time(world *at)
{
    create(at, "c", ONE);
    serve(at, "c", 4);
    engine_wait(&at->rig, 2000 * at->which);
    serve(at, "c", 12);
}

/* An operator removes an arm because of its feedback. */
static void broken_arm(world *at)
{
    create(at, "c", ", 'arms': ['a', 'b']");
    if (at->which == 1) {
        assert_int_equal(engine_arms(&at->rig, "c", "{'remove': ['b']}"), LOTOR_CODE_NONE);
    }
    serve(at, "c", 4);
}

/* --- playing ------------------------------------------------------------------------------------ */

typedef struct scenario {
    const char *name;
    void (*script)(world *at);
    size_t first, last;    /* the rounds that differ, one after the other */
    bool is_by_user;       /* instead: all rounds of ann */
    size_t most;           /* how many rounds may reach a release; 0: no release may differ */
    const char *untouched; /* a campaign in which nothing may differ; NULL: none */
    const char *finds;     /* a broken script: the finding begins with this; NULL: there is none */
} scenario;

static void note_done(lotor_job *job)
{
    *(bool *)job->owner = true;
}

static json_t *releases_of(engine_rig *rig, const char *name)
{
    json_t *reply = NULL;
    bool is_done = false;
    lotor_job job = {.done = note_done, .owner = &is_done};
    lotor_engine_releases(rig->engine, name, 0, 1000, &reply, &job);
    engine_step(rig);
    assert_true(is_done && reply);
    return reply;
}

static json_t *acts_of(engine_rig *rig)
{
    json_t *reply = NULL;
    bool is_done = false;
    lotor_job job = {.done = note_done, .owner = &is_done};
    lotor_engine_audit(rig->engine, 0, 1000, &reply, &job);
    engine_step(rig);
    assert_true(is_done && reply);
    return reply;
}

/* The lines of the metrics, without those of commits. They count feedback exactly (they are for operators), so
 * without feedback this count differs. */
static json_t *metrics_of(engine_rig *rig, contrast how)
{
    char *text = lotor_engine_metrics(rig->engine), *rest = NULL;
    json_t *lines = json_array();
    assert_non_null(text);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const bool is_time = strncmp(line, "lotor_commit", 12) == 0;
        const bool is_count = how == NONE_OR_ONE && strstr(line, "lotor_feedback_total") != NULL;
        if (!is_time && !is_count) {
            json_array_append_new(lines, json_string(line));
        }
    }
    free(text);
    return lines;
}

/* Reads everything that the engine tells. */
static void read_all(world *at)
{
    size_t i;
    json_t *one;
    json_t *list = lotor_engine_list(at->rig.engine, true, &engine_refusal);
    assert_non_null(list);
    json_array_foreach(json_object_get(list, "campaigns"), i, one)
    {
        const char *const name = json_string_value(json_object_get(one, "name"));
        json_t *const about =
            json_pack("{s:o, s:o, s:o}", "describe",
                      lotor_engine_describe(at->rig.engine, name, &engine_refusal), "guarantee",
                      lotor_engine_guarantee(at->rig.engine, name, &engine_refusal), "history",
                      releases_of(&at->rig, name));
        assert_non_null(about);
        assert_int_equal(json_object_set_new(at->told, name, about), 0);
    }
    json_decref(list);
    json_object_set_new(at->told, "acts", acts_of(&at->rig));
    json_object_set_new(at->told, "metrics", metrics_of(&at->rig, at->how));
}

static json_t *play(const scenario *row, size_t which, contrast how, size_t target)
{
    world at = {.which = which,
                .how = how,
                .target = target,
                .is_by_user = row->is_by_user,
                .told = json_pack("{s:[]}", "replies")};
    kernel.state = 1;
    names.state = 2;
    engine_start(&at.rig);
    engine_open(&at.rig);
    row->script(&at);
    read_all(&at);
    engine_end(&at.rig);
    return at.told;
}

/* --- comparing ---------------------------------------------------------------------------------- */

enum { PATH = 200, SUMS = 64 };

typedef struct comparison {
    const scenario *row;
    size_t sums; /* released sums that differ */
    double distance;
    char estimate[PATH]; /* an estimate that differs; "": none */
    char finding[PATH];  /* what must not differ; "": nothing */
} comparison;

static bool ends_with(const char *path, const char *end)
{
    const size_t length = strlen(path), part = strlen(end);
    return length >= part && strcmp(path + length - part, end) == 0;
}

/* Means and intervals: the interval of a mean follows from released sums. */
static bool is_estimate(const char *path)
{
    return ends_with(path, ".mean") || strstr(path, ".interval") || strstr(path, ".lift.");
}

static void see_difference(comparison *at, const char *path, const json_t *one, const json_t *other)
{
    const char *const untouched = at->row->untouched;
    const size_t length = untouched ? strlen(untouched) : 0;
    const bool is_sum =
        strstr(path, ".history.releases[") && strstr(path, ".facts[") && ends_with(path, ".value");
    if (untouched && strncmp(path + 1, untouched, length) == 0 && path[1 + length] == '.') {
        snprintf(at->finding, sizeof at->finding, "%s", path);
    } else if (is_sum) {
        at->sums++;
        at->distance += fabs(json_number_value(one) - json_number_value(other));
    } else if (is_estimate(path)) {
        snprintf(at->estimate, sizeof at->estimate, "%s", path);
    } else if (!*at->finding) {
        snprintf(at->finding, sizeof at->finding, "%s", path);
    }
}

static void compare(comparison *at, const char *path, const json_t *one, const json_t *other);

static void compare_objects(comparison *at, const char *path, const json_t *one,
                            const json_t *other)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)one, name, value)
    {
        char deeper[PATH];
        snprintf(deeper, sizeof deeper, "%.100s.%.90s", path, name);
        compare(at, deeper, value, json_object_get(other, name));
    }
}

static void compare_arrays(comparison *at, const char *path, const json_t *one, const json_t *other)
{
    for (size_t i = 0; i < json_array_size(one); i++) {
        char deeper[PATH];
        snprintf(deeper, sizeof deeper, "%.150s[%zu]", path, i);
        compare(at, deeper, json_array_get(one, i), json_array_get(other, i));
    }
}

static void compare(comparison *at, const char *path, const json_t *one, const json_t *other)
{
    if (json_is_object(one) && json_is_object(other) &&
        json_object_size(one) == json_object_size(other)) {
        compare_objects(at, path, one, other);
    } else if (json_is_array(one) && json_array_size(one) == json_array_size(other)) {
        compare_arrays(at, path, one, other);
    } else if (!json_equal(one, other)) {
        see_difference(at, path, one, other);
    }
}

/* Compares the worlds. at->finding: what breaks the rule, or "". */
static void judge(comparison *at, const json_t *one, const json_t *other)
{
    compare(at, "", one, other);
    const double most = (double)at->row->most;
    if (!*at->finding && (at->sums > at->row->most || at->distance > most + 1e-6)) {
        snprintf(at->finding, sizeof at->finding, "%zu sums differ, by %g together", at->sums,
                 at->distance);
    }
    if (!*at->finding && at->sums == 0) { /* no estimate can differ */
        snprintf(at->finding, sizeof at->finding, "%s", at->estimate);
    }
}

static void play_row(void **state)
{
    const scenario *const row = *state;
    double farthest = 0.0;
    for (size_t target = row->first; target <= row->last; target++) {
        for (contrast how = ZERO_OR_ONE; how < CONTRASTS; how++) {
            json_t *const one = play(row, 0, how, target), *const other = play(row, 1, how, target);
            comparison at = {.row = row};
            judge(&at, one, other);
            const bool is_right = row->finds
                                      ? strncmp(at.finding, row->finds, strlen(row->finds)) == 0
                                      : !*at.finding;
            if (!is_right) {
                fail_msg("%s, round %zu, contrast %d: found \"%s\"", row->name, target, (int)how,
                         at.finding);
            }
            farthest = fmax(farthest, at.distance);
            json_decref(one);
            json_decref(other);
        }
    }
    /* the worlds do differ: by the width, for each round */
    assert_true(row->finds || fabs(farthest - (double)row->most) < 1e-6);
}

static int start_sodium(void **state)
{
    randombytes_set_implementation(&seeded);
    return test_start_sodium(state);
}

#define ROW_AS(title, function, ...)                                                               \
    static const scenario row_##title = {.name = #title, .script = function, __VA_ARGS__};         \
    TEST_OF(title, play_row, &row_##title)
#define ROW(function, ...) ROW_AS(function, function, __VA_ARGS__)

ROW(plain, .last = 9, .most = 1);
ROW(sticky, .is_by_user = true, .most = 1);
ROW(capped, .is_by_user = true, .most = 2);
ROW(paused, .first = 3, .last = 7, .most = 1);
ROW(archived, .first = 3, .last = 7, .most = 1);
ROW(removed, .last = 3, .most = 1);
ROW(half_life_in_rounds, .last = 9, .most = 1);
ROW(half_life_in_seconds, .last = 9, .most = 1);
ROW(evaluated, .last = 23, .most = 1);
ROW(crashed, .first = 3, .last = 7, .most = 1);
ROW_AS(deleted_after_the_release, deleted, .last = 7, .most = 1);
ROW_AS(deleted_before_the_release, deleted, .first = 8, .last = 11);
ROW_AS(warm_start_from_released_rounds, warm, .last = 7, .most = 1);
ROW_AS(warm_start_without_open_rounds, warm, .first = 8, .last = 11, .most = 1, .untouched = "new");
ROW(broken_twice, .is_by_user = true, .most = 1, .finds = "2 sums differ, by 2");
ROW(broken_choice, .most = 1, .finds = ".replies");
ROW(broken_time, .most = 1, .finds = ".replies");
ROW(broken_arm, .most = 1, .finds = ".replies");

TEST_GROUP(start_sodium, NULL);
