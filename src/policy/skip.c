/* skip.c - lets the lab play many similar rounds at once, without the inbox. */
#include <assert.h>

#include "policy/policy.h"

void lotor_policy_stretch(lotor_policy *policy, lotor_stretch *out)
{
    if (!policy->elimination) {
        const bool records_one = lotor_policy_records_one(policy->algorithm);
        *out = (lotor_stretch){.cycle = 1, .matters = true};
        out->count = lotor_policy_pick(policy, &out->arms, &out->repeats);
        out->asked = records_one ? &policy->held.recorded : out->arms;
        out->asked_count = records_one ? 1 : out->count;
        out->runs_ahead = !records_one && out->repeats == 1;
        return;
    }
    size_t cycle;
    const uint32_t *viable = lotor_elimination_viable(policy->elimination, &cycle);
    const uint64_t wanted = lotor_elimination_next(policy->elimination)->rounds;
    *out = (lotor_stretch){
        .arms = viable,
        .count = 1,
        .asked = viable,
        .asked_count = 1,
        .cycle = cycle,
        .repeats =
            cycle == 1 ? UINT64_MAX / 2 : wanted - lotor_epoch_count(policy->epochs, viable[0]),
        .matters = cycle > 1,
    };
}

lotor_status lotor_policy_feed(lotor_policy *policy, const lotor_stretch *stretch, uint64_t repeats,
                               const int64_t *sums)
{
    assert(repeats <= stretch->repeats && lotor_inbox_waiting(policy->inbox) == 0);
    const uint64_t rounds = repeats * stretch->cycle;
    policy->asked += rounds;
    policy->rounds += rounds;
    policy->rounds_ended += rounds;
    const bool records_one = lotor_policy_records_one(policy->algorithm);
    if (records_one) {
        lotor_policy_count_display(policy, repeats);
    }
    for (size_t i = 0; i < stretch->cycle * stretch->asked_count; i++) {
        const uint32_t arm = stretch->asked[i];
        policy->shown[arm] += records_one ? 0 : repeats;
        if (policy->elimination) {
            lotor_epoch_feed(policy->epochs, arm, sums[i], repeats);
            continue;
        }
        const lotor_status status =
            lotor_statistic_feed(policy->statistic, arm, sums[i], repeats, policy->rounds_ended,
                                 &policy->noise, policy->board);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return policy->elimination ? lotor_policy_settle(policy) : LOTOR_OK;
}

/* Feeds one observation. Some statistics take it as a whole round. */
static inline lotor_status feed_one(lotor_policy *policy, uint32_t arm, int64_t units,
                                    uint64_t round)
{
    return lotor_statistic_is_by_round(policy->algorithm->statistic)
               ? lotor_statistic_feed_round(policy->statistic, &arm, &units, 1, round,
                                            &policy->noise, policy->board)
               : lotor_statistic_feed(policy->statistic, arm, units, 1, round, &policy->noise,
                                      policy->board);
}

/* The state of lotor_policy_run_ahead: rounds with the same arms while the learner's window
 * holds. */
typedef struct ahead_run {
    lotor_policy *policy;
    const lotor_stretch *stretch;
    const lotor_index_window *window;
    lotor_pay *pay;
    void *context;
    uint64_t round, end;
    lotor_status status;
} ahead_run;

/* True if the same arms are surely chosen in the next round, and more rounds are wanted. */
static inline bool goes_on(const ahead_run *run)
{
    return run->status == LOTOR_OK && run->round < run->end &&
           lotor_index_stays(run->window, run->policy->board, run->round + 1);
}

/* Plays rounds that show one arm. */
static void run_single(ahead_run *run)
{
    lotor_policy *policy = run->policy;
    const uint32_t arm = run->stretch->arms[0];
    const lotor_fact *fact = lotor_board_at(policy->board, 0, arm);
    const uint64_t start = run->round;
    const uint64_t end = run->window->end < run->end ? run->window->end : run->end;
    const double slack = run->window->slack[0], bound = run->window->bound;
    uint64_t round = start;
    do {
        int64_t units;
        round++;
        run->pay(run->context, &arm, 1, &units);
        run->status = feed_one(policy, arm, units, round);
    } while (run->status == LOTOR_OK && round < end &&
             fact->value + slack > bound * (double)fact->count);
    run->round = round;
    policy->shown[arm] += round - start;
}

/* Plays rounds that record the least-shown of several arms. Once all arms are ahead of the window's
 * bound, only the recorded arm gets new releases, so only that arm can fall behind. */
static void run_least_shown(ahead_run *run)
{
    lotor_policy *policy = run->policy;
    const lotor_index_window *window = run->window;
    const lotor_stretch *stretch = run->stretch;
    const bool ahead = lotor_index_stays(window, policy->board, run->round + 1);
    const uint64_t end = window->end < run->end ? window->end : run->end;
    const lotor_fact *fact;
    size_t place;
    do {
        int64_t units;
        run->round++;
        place = lotor_policy_least_shown(policy, stretch->arms, stretch->count, run->round);
        const uint32_t arm = stretch->arms[place];
        policy->shown[arm]++;
        run->pay(run->context, &arm, 1, &units);
        run->status = feed_one(policy, arm, units, run->round);
        fact = lotor_board_at(policy->board, 0, arm);
    } while (ahead && run->status == LOTOR_OK && run->round < end &&
             fact->value + window->slack[place] > window->bound * (double)fact->count);
}

/* Plays rounds that record all arms. In a cascade, these are the arms up to the first click, unless
 * the statistic takes whole lists. */
static void run_several(ahead_run *run)
{
    lotor_policy *policy = run->policy;
    const uint32_t *arms = run->stretch->arms;
    const size_t count = run->stretch->count;
    const bool cascade = policy->coder.feedback->kind == LOTOR_FEEDBACK_CASCADE &&
                         !policy->algorithm->statistic->hears_lists;
    const bool ranked = lotor_policy_is_ranked(policy);
    const uint64_t start = run->round;
    int64_t *units = policy->units;
    for (;;) {
        run->round++;
        run->pay(run->context, arms, count, units);
        size_t heard = count;
        if (cascade) {
            for (heard = 1; heard < count && units[heard - 1] == 0; heard++) {
            }
        }
        run->status = lotor_statistic_feed_round(policy->statistic, arms, units, heard, run->round,
                                                 &policy->noise, policy->board);
        if (!goes_on(run)) {
            break;
        }
        if (ranked) {
            lotor_index_rank_again(policy->index, policy->board, policy->shown, run->round + 1,
                                   policy->seed);
        }
    }
    for (size_t i = 0; i < count; i++) {
        policy->shown[arms[i]] += run->round - start;
    }
}

lotor_status lotor_policy_run_ahead(lotor_policy *policy, const lotor_stretch *stretch,
                                    uint64_t most, lotor_pay *pay, void *context, uint64_t *rounds)
{
    assert(stretch->runs_ahead && stretch->count > 0);
    const uint64_t start = policy->rounds;
    ahead_run run = {
        .policy = policy,
        .stretch = stretch,
        .window = lotor_index_window_of(policy->index),
        .pay = pay,
        .context = context,
        .round = start,
        .end = start + most,
    };
    if (stretch->count == 1) {
        run_single(&run);
    } else if (policy->coder.feedback->kind == LOTOR_FEEDBACK_LEAST_SHOWN) {
        run_least_shown(&run);
    } else {
        run_several(&run);
    }
    *rounds = run.round - start;
    assert(*rounds >= 1 && *rounds <= most);
    policy->asked = policy->rounds = policy->rounds_ended = run.round;
    return run.status;
}

double lotor_policy_click_chance(const double *means, const uint32_t *arms, size_t count)
{
    double missed = 1.0;
    for (size_t i = 0; i < count; i++) {
        missed *= 1.0 - means[arms[i]];
    }
    return 1.0 - missed;
}

double lotor_policy_value(const lotor_policy *policy, const double *means, const uint32_t *arms,
                          size_t count)
{
    if (policy->params.cascade) {
        return lotor_policy_click_chance(means, arms, count);
    }
    if (policy->index && policy->oracle->value) {
        return lotor_index_value(policy->index, means, arms, count);
    }
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += means[arms[i]];
    }
    return sum;
}
