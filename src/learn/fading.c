/* fading.c - see fading.h. */
#include "learn/fading.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static uint64_t step_of(const lotor_fading *fading)
{
    const uint64_t step = (fading->half_life + LOTOR_FADING_STEPS - 1) / LOTOR_FADING_STEPS;
    return step > 0 ? step : 1;
}

static const lotor_fading_mark *last_mark(const lotor_fading *fading)
{
    return fading->mark_count > 0 ? &fading->marks[fading->mark_count - 1] : NULL;
}

/* If no round has ended since the last mark, no release is between the two: one mark is enough. */
bool lotor_fading_tick(lotor_fading *fading, uint64_t ended, uint64_t second)
{
    const lotor_fading_mark *last = last_mark(fading);
    if (!fading->is_by_clock || fading->half_life == 0 ||
        (last && (second < last->second || second - last->second < step_of(fading)))) {
        return false;
    }
    assert(!last || ended >= last->round);
    if (last && ended == last->round) {
        fading->mark_count--;
    } else if (fading->mark_count == LOTOR_FADING_MARKS) {
        fading->mark_count--;
        memmove(fading->marks, fading->marks + 1, fading->mark_count * sizeof *fading->marks);
    }
    fading->marks[fading->mark_count++] = (lotor_fading_mark){ended, second};
    return true;
}

/* The second of the last mark before the round: the round ended after that mark was made. */
static uint64_t second_of(const lotor_fading *fading, uint64_t round)
{
    size_t low = 0, high = fading->mark_count; /* marks before `low` are before the round */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (fading->marks[middle].round < round) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (fading->mark_count == 0) {
        return 0;
    }
    return fading->marks[low > 0 ? low - 1 : 0].second;
}

double lotor_fading_time(const lotor_fading *fading, uint64_t round)
{
    return (double)(fading->is_by_clock ? second_of(fading, round) : round);
}

double lotor_fading_now(const lotor_fading *fading, uint64_t now)
{
    const lotor_fading_mark *last = last_mark(fading);
    if (fading->is_by_clock) {
        return last ? (double)last->second : 0.0;
    }
    return (double)(now - now % step_of(fading));
}

uint64_t lotor_fading_next(const lotor_fading *fading, uint64_t now)
{
    return fading->half_life == 0 || fading->is_by_clock
               ? UINT64_MAX
               : now - now % step_of(fading) + step_of(fading);
}

double lotor_fading_weight(const lotor_fading *fading, double release, double now)
{
    return fading->half_life == 0 || now <= release
               ? 1.0
               : exp2((release - now) / (double)fading->half_life);
}

bool lotor_fading_is_over(const lotor_fading *fading, double release, double now)
{
    return fading->half_life > 0 &&
           now - release >= (double)LOTOR_FADING_SPAN * (double)fading->half_life;
}

/* By the clock: from the marks of the last half-life. If they cover less, as many rounds as there
 * would be at the same rate. */
double lotor_fading_length(const lotor_fading *fading)
{
    const double half_life = (double)fading->half_life;
    if (fading->half_life == 0) {
        return INFINITY;
    }
    if (!fading->is_by_clock) {
        return half_life;
    }
    const lotor_fading_mark *last = last_mark(fading);
    size_t i = fading->mark_count;
    while (i > 1 && last->second - fading->marks[i - 1].second < fading->half_life) {
        i--;
    }
    if (!last || fading->marks[i - 1].second == last->second) {
        return INFINITY;
    }
    const lotor_fading_mark *first = &fading->marks[i - 1];
    return (double)(last->round - first->round) * half_life /
           (double)(last->second - first->second);
}

void lotor_fading_save(const lotor_fading *fading, lotor_writer *writer)
{
    if (!fading->is_by_clock) {
        return;
    }
    lotor_write_u64(writer, fading->mark_count);
    for (size_t i = 0; i < fading->mark_count; i++) {
        lotor_write_u64(writer, fading->marks[i].round);
        lotor_write_u64(writer, fading->marks[i].second);
    }
}

void lotor_fading_load(lotor_fading *fading, uint64_t ended, lotor_reader *reader)
{
    if (!fading->is_by_clock) {
        return;
    }
    const uint64_t count = lotor_read_u64(reader);
    lotor_read_expect(reader, count <= LOTOR_FADING_MARKS);
    for (size_t i = 0; i < count && reader->status == LOTOR_OK; i++) {
        lotor_fading_mark mark;
        mark.round = lotor_read_u64(reader);
        mark.second = lotor_read_u64(reader);
        lotor_read_expect(reader, mark.round <= ended && mark.second < UINT64_C(1) << 62);
        lotor_read_expect(reader,
                          i == 0 || (mark.round > fading->marks[i - 1].round &&
                                     mark.second >= fading->marks[i - 1].second + step_of(fading)));
        fading->marks[i] = mark;
        fading->mark_count = i + 1;
    }
}
