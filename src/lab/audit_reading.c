/* audit_reading.c - see audit_reading.h. */
#include "lab/audit_reading.h"

#include <math.h>

enum { LONGEST = 64, NONE = -1 };

const lotor_audit_layout lotor_reading_layout = {
    .row = LOTOR_READING_NUMBERS,
    .reading_count = LOTOR_READINGS,
    .linear_count = LOTOR_READINGS_OF_SERIES,
    .readings = {{0, LOTOR_READING_SIZE},
                 {LOTOR_READING_SIZE, LOTOR_READING_SIZE},
                 {(size_t)2 * LOTOR_READING_SIZE, LOTOR_READING_SIZE},
                 {(size_t)LOTOR_READINGS_OF_SERIES * LOTOR_READING_SIZE, LOTOR_READING_PAIRS}},
    .extras = {LOTOR_EXTRA_POSTS, LOTOR_READING_EXTRAS},
};

/* The state of one series while the transcript is read. */
typedef struct series {
    uint64_t place;   /* number of releases so far */
    uint64_t first;   /* place of the first release with the replaced round; 0: none yet */
    uint64_t counted; /* number of observations, by the board */
    size_t kept;      /* releases kept since `first` */
    double values[LONGEST + 1]; /* by place; 0: the value before the first release */
} series;

typedef struct reader {
    const lotor_audit_transcript *transcript;
    uint64_t when; /* round of the first release of the replaced round's arms, from that round on */
    lotor_audit_reading *out;
    size_t count, length; /* number of series, and how many numbers of each are kept */
    series all[LOTOR_READING_ENTRIES];
} reader;

/* The series of a release: one per arm of the replaced round and statistic, statistic 0 first. */
static int series_of(const reader *it, const lotor_audit_post *post)
{
    const lotor_audit_transcript *transcript = it->transcript;
    if (transcript->is_linear) {
        return post->arm < it->count ? (int)post->arm : NONE;
    }
    for (size_t i = 0; i < transcript->asked_count; i++) {
        if (transcript->asked[i] == post->arm) {
            const size_t number = post->statistic * transcript->asked_count + i;
            return number < it->count ? (int)number : NONE;
        }
    }
    return NONE;
}

/* True if a series holds the answers of a gate, not sums. */
static bool is_answer(const reader *it, size_t number)
{
    return it->transcript->has_gate && number >= it->transcript->asked_count;
}

/* True if a series differs between the worlds. In a matrix, the product of context and reward
 * differs; if the contexts differ, all entries do. (Those of turned contexts go both ways.) */
static bool is_weighed(const reader *it, size_t number)
{
    if (it->transcript->is_turned) {
        return false;
    }
    return it->transcript->is_linear ? number == 1 || it->transcript->moves_all
                                     : !is_answer(it, number);
}

/* For each reading: the number, and whether it contains the replaced round. */
static void weigh(const series *s, bool is_first, double value, double *numbers, bool *covers)
{
    const uint64_t place = s->place, before = place & (place - 1);
    numbers[LOTOR_READING_VALUES] = value;
    numbers[LOTOR_READING_STEPS] = value - s->values[place - 1];
    numbers[LOTOR_READING_NODES] = value - s->values[before];
    covers[LOTOR_READING_VALUES] = covers[LOTOR_READING_STEPS] = is_first;
    covers[LOTOR_READING_NODES] = before < s->first;
}

static void take(reader *it, size_t number, uint64_t round, double value)
{
    series *s = &it->all[number];
    double numbers[LOTOR_READINGS_OF_SERIES];
    bool covers[LOTOR_READINGS_OF_SERIES];
    weigh(s, round == it->when, value, numbers, covers);
    for (size_t i = 0; i < LOTOR_READINGS_OF_SERIES; i++) {
        if (s->kept < it->length) {
            it->out->numbers[lotor_reading_start(i) + number * it->length + s->kept] =
                (float)numbers[i];
        }
        if (covers[i] && is_weighed(it, number)) {
            it->out->is_high[i] = it->out->is_high[i] && numbers[i] >= 1.0;
        }
    }
    s->kept++;
}

/* True if this release was offered before, and refused. */
static bool is_repeated(const series *s, const lotor_audit_post *post)
{
    return s->place > 0 && s->place <= LONGEST && s->values[s->place] == post->value &&
           s->counted == post->count;
}

static void follow(reader *it, const lotor_audit_post *post, size_t number)
{
    const lotor_audit_transcript *transcript = it->transcript;
    series *s = &it->all[number];
    float *extras = it->out->numbers;
    const bool is_start = post->round == 0 && transcript->replaced > 0;
    if (is_start) { /* the value to which later ones are compared */
        s->values[0] = post->value;
        s->counted = post->count;
        return;
    }
    if (is_repeated(s, post) || s->place >= LONGEST) {
        return;
    }
    if (post->round == transcript->replaced && !is_answer(it, number)) {
        extras[LOTOR_EXTRA_COUNTED] += (float)post->count - (float)s->counted;
    }
    s->place++;
    s->values[s->place] = post->value;
    s->counted = post->count;
    if (post->round >= transcript->replaced) {
        if (s->first == 0) {
            s->first = s->place;
        }
        if (isnan(extras[LOTOR_EXTRA_WAIT]) && !is_answer(it, number)) {
            extras[LOTOR_EXTRA_WAIT] = (float)(post->round - transcript->replaced);
            it->when = post->round;
        }
        take(it, number, post->round, post->value);
    }
}

/* The arm's fact on the board before a post. */
static double value_before(const lotor_audit_transcript *transcript, size_t place)
{
    const lotor_audit_post *post = &transcript->posts[place];
    for (size_t i = place; i-- > 0;) {
        const lotor_audit_post *earlier = &transcript->posts[i];
        if (earlier->arm == post->arm && earlier->statistic == post->statistic &&
            earlier->round < post->round) {
            return earlier->value;
        }
    }
    return 0.0;
}

/* True if the next post is the same release once more, after a reload. */
static bool is_posted_again(const lotor_audit_transcript *transcript, size_t place)
{
    const lotor_audit_post *post = &transcript->posts[place];
    for (size_t i = place + 1; i < transcript->post_count; i++) {
        const lotor_audit_post *later = &transcript->posts[i];
        if (later->round != post->round) {
            return false;
        }
        if (later->arm == post->arm && later->statistic == post->statistic) {
            return true;
        }
    }
    return false;
}

/* Collects the numbers that were released in a round; not the answers of a gate. Reports add up on
 * the board, so what they added is taken. */
static size_t read_round(const lotor_audit_transcript *transcript, lotor_audit_view view,
                         uint64_t round, double *numbers)
{
    size_t count = 0;
    for (size_t i = 0; i < transcript->post_count && count < LOTOR_READING_ENTRIES; i++) {
        const lotor_audit_post *post = &transcript->posts[i];
        if (post->round > round) {
            break;
        }
        if (post->round < round || (transcript->has_gate && post->statistic != 0) ||
            is_posted_again(transcript, i)) {
            continue;
        }
        const double before = view == LOTOR_VIEW_REPORTS ? value_before(transcript, i) : 0.0;
        numbers[count++] = post->value - before;
    }
    return count;
}

/* Compares the numbers that were released in one round. */
static void read_differences(const lotor_audit_transcript *transcript, lotor_audit_view view,
                             uint64_t round, lotor_audit_reading *out)
{
    double numbers[LOTOR_READING_ENTRIES];
    const size_t count = read_round(transcript, view, round, numbers);
    float *next = out->numbers + lotor_reading_start(LOTOR_READING_DIFFERENCES);
    out->together = count;
    out->is_equal = count >= 2;
    for (size_t i = 1; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            const double difference = numbers[i] - numbers[j];
            *next++ = (float)difference;
            out->is_equal = out->is_equal && difference == 0.0;
            out->is_one_apart = out->is_one_apart || fabs(difference) == 1.0;
        }
    }
}

static void read_posts(const lotor_audit_transcript *transcript, lotor_audit_view view,
                       lotor_audit_reading *out)
{
    reader it;
    it.transcript = transcript;
    it.out = out;
    it.when = UINT64_MAX;
    it.count = transcript->is_turned ? LOTOR_READING_ENTRIES : LOTOR_READING_SERIES;
    it.length = LOTOR_READING_SIZE / it.count;
    for (size_t i = 0; i < it.count; i++) {
        series *s = &it.all[i];
        s->place = s->first = s->counted = 0;
        s->kept = 0;
        s->values[0] = 0.0;
    }
    out->numbers[LOTOR_EXTRA_POSTS] = out->numbers[LOTOR_EXTRA_COUNTED] = 0.0F;
    for (size_t i = 0; i < transcript->post_count; i++) {
        const lotor_audit_post *post = &transcript->posts[i];
        if (view == LOTOR_VIEW_REPORTS && post->round > transcript->replaced) {
            break; /* reports of other rounds are not part of this view */
        }
        out->numbers[LOTOR_EXTRA_POSTS] += post->round == transcript->replaced;
        const int number = series_of(&it, post);
        if (number != NONE) {
            follow(&it, post, (size_t)number);
        }
    }
    if (view == LOTOR_VIEW_BOARD) {
        out->numbers[LOTOR_EXTRA_ALL] = (float)transcript->releases;
    } else {
        out->numbers[LOTOR_EXTRA_WAIT] = NAN;
    }
    bool any = false;
    for (size_t i = 0; i < it.count; i++) {
        any = any || (is_weighed(&it, i) && it.all[i].kept > 0);
    }
    for (size_t i = 0; i < LOTOR_READINGS_OF_SERIES; i++) {
        out->is_high[i] = out->is_high[i] && any;
    }
    if (it.when != UINT64_MAX) {
        read_differences(transcript, view, it.when, out);
    }
}

/* The index of an arm among those of the replaced round. All other arms share one number. */
static size_t relation(const lotor_audit_transcript *transcript, uint32_t arm)
{
    if (transcript->is_linear) {
        return arm;
    }
    size_t i = 0;
    while (i < transcript->asked_count && transcript->asked[i] != arm) {
        i++;
    }
    return i;
}

/* Reads the decisions into the numbers of `values`: the first arm, how many of the replaced round's
 * arms are shown again, and how often each of them is shown in total. */
static void read_decisions(const lotor_audit_transcript *transcript, lotor_audit_reading *out)
{
    enum { FIRST = 0, AGAIN = 2 * LOTOR_READING_LENGTH, OFTEN = 4 * LOTOR_READING_LENGTH };
    float often[LOTOR_AUDIT_TOGETHER + 1] = {0.0F};
    for (size_t t = 0; t < transcript->shown_count; t++) {
        float again = 0.0F;
        for (size_t i = 0; i < transcript->shown_sizes[t]; i++) {
            const size_t who = relation(transcript, transcript->shown[t][i]);
            again += who < transcript->asked_count;
            often[who < LOTOR_AUDIT_TOGETHER ? who : LOTOR_AUDIT_TOGETHER]++;
        }
        if (t < AGAIN - FIRST) {
            out->numbers[FIRST + t] = (float)relation(transcript, transcript->shown[t][0]);
            out->numbers[AGAIN + t] = again;
        }
    }
    for (size_t i = 0; i <= LOTOR_AUDIT_TOGETHER; i++) {
        out->numbers[OFTEN + i] = often[i];
    }
}

void lotor_audit_read(const lotor_audit_transcript *transcript, lotor_audit_view view,
                      lotor_audit_reading *out)
{
    for (size_t i = 0; i < LOTOR_READING_NUMBERS; i++) {
        out->numbers[i] = NAN;
    }
    for (size_t i = 0; i < LOTOR_READINGS_OF_SERIES; i++) {
        out->is_high[i] = view != LOTOR_VIEW_ACTIONS;
    }
    out->together = 0;
    out->is_equal = out->is_one_apart = false;
    if (view == LOTOR_VIEW_ACTIONS) {
        read_decisions(transcript, out);
    } else {
        read_posts(transcript, view, out);
    }
}
