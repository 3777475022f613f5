/* meter.c - see meter.h. For a stretch of rounds that repeats one cycle of sets, the regret is a
 * product. */
#include "lab/meter.h"

#include <assert.h>
#include <string.h>

const lotor_world *lotor_meter_world(const lotor_meter *meter)
{
    return meter->play->pieces[meter->piece].world;
}

/* The last round of a piece. */
static uint64_t end_of(const lotor_play *play, size_t piece)
{
    return piece + 1 < play->piece_count ? play->pieces[piece + 1].first : play->params.horizon;
}

uint64_t lotor_meter_left(const lotor_meter *meter)
{
    return end_of(meter->play, meter->piece) - meter->t;
}

double lotor_meter_best(const lotor_play *play)
{
    double best = 0.0;
    for (size_t i = 0; i < play->piece_count; i++) {
        best += play->pieces[i].optimum * (double)(end_of(play, i) - play->pieces[i].first);
    }
    return best;
}

static void pass(lotor_meter *meter, uint64_t rounds)
{
    const lotor_play *play = meter->play;
    meter->t += rounds;
    const uint64_t end = end_of(play, meter->piece);
    assert(meter->t <= end);
    if (meter->t == end && meter->piece + 1 < play->piece_count) {
        const lotor_play_piece *piece = &play->pieces[meter->piece++];
        meter->best += piece->optimum * (double)(end - piece->first);
    }
}

static double round_regret(const lotor_meter *meter, const uint32_t *arms, size_t count)
{
    const double *means = lotor_meter_world(meter)->means;
    return meter->play->pieces[meter->piece].optimum -
           lotor_policy_value(meter->policy, means, arms, count);
}

/* The reward of the best sets of rounds 1 to t, for a round t of the present piece. */
static double best_until(const lotor_meter *meter, uint64_t t)
{
    const lotor_play_piece *piece = &meter->play->pieces[meter->piece];
    return meter->best + piece->optimum * (double)(t - piece->first);
}

/* Counts the displays of the first `rounds` rounds that repeat the cycle of `stretch`. */
static void count_displays(uint64_t *shown, const lotor_stretch *stretch, uint64_t rounds)
{
    const bool is_one = stretch->cycle == 1; /* mostly: spares the division */
    const uint64_t cycles = is_one ? rounds : rounds / stretch->cycle;
    const uint64_t more = rounds - cycles * stretch->cycle;
    for (size_t i = 0; i < stretch->cycle; i++) {
        const uint64_t times = cycles + (i < more);
        for (size_t j = 0; j < stretch->count; j++) {
            shown[stretch->arms[i * stretch->count + j]] += times;
        }
    }
}

static void note_shown(const lotor_meter *meter, const lotor_stretch *stretch, uint64_t into)
{
    const size_t arms = meter->play->params.arms;
    uint64_t *row = meter->curve->shown_at + meter->noted * arms;
    assert(meter->curve->shown);
    memcpy(row, meter->curve->shown, arms * sizeof *row);
    count_displays(row, stretch, into);
}

/* Records every checkpoint up to t + rounds, and counts the displays. The rounds repeat the cycle
 * of `stretch`. */
static void note_times(lotor_meter *meter, const lotor_stretch *stretch, uint64_t rounds,
                       double cycle_regret)
{
    const lotor_play *play = meter->play;
    const lotor_run_curve *curve = meter->curve;
    while (meter->noted < play->time_count && play->times[meter->noted] <= meter->t + rounds) {
        const uint64_t into = play->times[meter->noted] - meter->t;
        const uint64_t cycles = into / stretch->cycle;
        double regret = meter->regret + (double)cycles * cycle_regret;
        for (size_t i = 0; i < into % stretch->cycle; i++) {
            regret += round_regret(meter, stretch->arms + i * stretch->count, stretch->count);
        }
        if (curve->shown_at) {
            note_shown(meter, stretch, into);
        }
        curve->regrets[meter->noted] = regret;
        curve->rewards[meter->noted++] = best_until(meter, meter->t + into) - regret;
    }
    if (curve->shown) {
        count_displays(curve->shown, stretch, rounds);
    }
}

/* How many of the next `rounds` rounds belong to the counted end of the run. */
static uint64_t counted_of(const lotor_meter *meter, uint64_t rounds)
{
    const uint64_t horizon = meter->play->params.horizon;
    const uint64_t before = horizon - lotor_last_rounds(horizon);
    const uint64_t end = meter->t + rounds;
    if (!meter->tallies || end <= before) {
        return 0;
    }
    return end - before < rounds ? end - before : rounds;
}

static void count_shown(lotor_meter *meter, const uint32_t *arms, size_t count, double regret,
                        uint64_t rounds)
{
    const bool has_seeds = meter->policy->oracle->seeds > 0;
    const uint32_t *seeds = has_seeds ? lotor_policy_seeds(meter->policy) : NULL;
    if (lotor_tally_add(&meter->tally, arms, count, seeds, rounds)) {
        meter->tally.leader.value = meter->play->pieces[meter->piece].optimum - regret;
    }
}

void lotor_meter_add_part(lotor_meter *meter, const lotor_stretch *stretch, uint64_t rounds)
{
    assert(stretch->cycle > rounds);
    const uint64_t counted = counted_of(meter, rounds);
    note_times(meter, stretch, rounds, 0.0);
    for (size_t i = 0; i < rounds; i++) {
        const uint32_t *arms = stretch->arms + i * stretch->count;
        const double regret = round_regret(meter, arms, stretch->count);
        meter->regret += regret;
        if (rounds - i <= counted) {
            count_shown(meter, arms, stretch->count, regret, 1);
        }
    }
    pass(meter, rounds);
}

void lotor_meter_add(lotor_meter *meter, const lotor_stretch *stretch, uint64_t repeats)
{
    const size_t cycle = stretch->cycle, count = stretch->count;
    assert(cycle > 0);
    const uint64_t rounds = repeats * cycle;
    const uint64_t counted = counted_of(meter, rounds);
    double cycle_regret = 0.0;
    for (size_t i = 0; i < cycle; i++) {
        const uint32_t *arms = stretch->arms + i * count;
        const double regret = round_regret(meter, arms, count);
        cycle_regret += regret;
        if (counted > 0) {
            const uint64_t more = i >= cycle - counted % cycle ? 1 : 0; /* the partial cycle */
            count_shown(meter, arms, count, regret, counted / cycle + more);
        }
    }
    note_times(meter, stretch, rounds, cycle_regret);
    meter->regret += (double)repeats * cycle_regret;
    pass(meter, rounds);
}

bool lotor_meter_report(lotor_meter *meter)
{
    const uint64_t news = meter->t - meter->reported;
    meter->reported = meter->t;
    meter->work = 0;
    return meter->play->report(meter->play->context, news);
}

bool lotor_meter_is_stopped(lotor_meter *meter)
{
    return meter->work >= LOTOR_WORK_UNTIL_REPORT && lotor_meter_report(meter);
}
