/* skip.c - lets the lab play many similar rounds at once, without the inbox. */
#include <assert.h>

#include <math.h>

#include "policy/policy.h"
#include "privacy/release/dips.h"

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
    assert(!lotor_policy_has_weights(policy->algorithm)); /* lotor_policy_run_ahead plays it */
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

bool lotor_policy_display(lotor_policy *policy, uint64_t rounds)
{
    assert(lotor_policy_records_one(policy->algorithm));
    const uint32_t arm = policy->held.recorded;
    policy->asked += rounds;
    policy->rounds += rounds;
    lotor_policy_count_display(policy, rounds);
    return lotor_policy_is_batch_end(policy, arm);
}

lotor_status lotor_policy_feed_delayed(lotor_policy *policy, uint32_t arm, uint64_t rounds,
                                       int64_t sum)
{
    policy->rounds_ended += rounds;
    assert(policy->rounds_ended <= policy->rounds);
    return lotor_statistic_feed(policy->statistic, arm, sum, rounds, policy->rounds_ended,
                                &policy->noise, policy->board);
}

/* Feeds one observation. Some statistics take it as a whole round. */
static inline lotor_status feed_one(lotor_policy *policy, uint32_t arm, int64_t units,
                                    uint64_t round)
{
    if (lotor_policy_has_weights(policy->algorithm)) { /* the latest choice has drawn the arm */
        units = lotor_policy_weigh(policy, units, lotor_policy_weight(policy, arm));
    }
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
    const lotor_payer *payer;
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
        run->payer->pay(run->payer->context, &arm, 1, &units);
        run->status = feed_one(policy, arm, units, round);
    } while (run->status == LOTOR_OK && round < end &&
             fact->value + slack > bound * (double)fact->count);
    run->round = round;
    policy->shown[arm] += round - start;
}

lotor_status lotor_policy_make_dips(const lotor_policy_params *params, lotor_dips **out)
{
    const lotor_algorithm *algorithm = lotor_policy_row(params);
    const bool skips = algorithm && algorithm->statistic && algorithm->statistic->skip;
    *out = NULL;
    return skips && params->horizon > 0 ? lotor_dips_new(params->horizon, out) : LOTOR_OK;
}

void lotor_policy_free_dips(lotor_dips *dips)
{
    lotor_dips_free(dips);
}

void lotor_policy_allow_skips(lotor_policy *policy, const lotor_dips *dips)
{
    const bool is_simulated = policy->noise.generator && !policy->noise.script;
    const bool skips = policy->index && policy->algorithm->statistic->skip;
    policy->dips = skips && is_simulated ? dips : NULL;
}

/* A board with a journal shows every release to someone, so nothing may be left out. */
static bool can_skip(const ahead_run *run)
{
    const lotor_policy *policy = run->policy;
    return policy->dips && run->payer->pay_sum && run->stretch->count == 1 &&
           !policy->board->journal;
}

/* How far the sum of the window's only arm is above the window's bound. The lift of this count is
 * counted in full: inside a block of the tree no count has fewer binary digits 1. */
static inline double margin_of(const lotor_index_window *window, const lotor_fact *fact)
{
    const double sum = fact->value + window->slack[0];
    const double line = window->bound * (double)fact->count;
    if (!window->lift) {
        return sum - line;
    }
    return sum + window->lift[__builtin_popcountll(fact->count)] - window->lift[1] - line;
}

/* Plays single rounds up to a count where a skip can start, or until the arm is not surely chosen
 * again. Returns true if it is. */
static bool run_to_grain(ahead_run *run, uint32_t arm, const lotor_fact *fact, uint64_t end)
{
    bool stays;
    do {
        int64_t units;
        run->payer->pay(run->payer->context, &arm, 1, &units);
        run->status = feed_one(run->policy, arm, units, ++run->round);
        stays = run->status == LOTOR_OK && run->round < end && margin_of(run->window, fact) > 0.0;
    } while (stays && fact->count % LOTOR_SKIP_GRAIN != 0);
    return stays;
}

/* Plays rounds that show one arm, many at a time where its noise surely keeps the arm ahead. */
static void run_skipping(ahead_run *run)
{
    lotor_policy *policy = run->policy;
    const lotor_payer *payer = run->payer;
    const lotor_index_window *window = run->window;
    const uint32_t arm = run->stretch->arms[0];
    const lotor_fact *fact = lotor_board_at(policy->board, 0, arm);
    const uint64_t start = run->round;
    const uint64_t end = window->end < run->end ? window->end : run->end;
    lotor_skip skip = {
        .dips = policy->dips,
        .loss = fmax(0.0, window->bound - payer->means[arm]),
        .width = policy->params.high - policy->params.low,
        .draw = payer->pay_sum,
        .context = payer->context,
        .arm = arm,
    };
    bool stays;
    do {
        stays = run_to_grain(run, arm, fact, end);
        uint64_t rounds = stays ? 1 : 0;
        while (stays && rounds > 0) {
            skip.margin = margin_of(window, fact);
            skip.most = end - run->round;
            run->status = lotor_statistic_skip(policy->statistic, &skip, run->round, &policy->noise,
                                               policy->board, &rounds);
            run->round += rounds;
            stays = run->status == LOTOR_OK && run->round < end && margin_of(window, fact) > 0.0;
        }
    } while (stays);
    policy->shown[arm] += run->round - start;
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
        run->payer->pay(run->payer->context, &arm, 1, &units);
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
        run->payer->pay(run->payer->context, arms, count, units);
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

/* For own algorithms, which have no windows: the next choice may be any. */
static const lotor_index_window no_window = {.end = 0, .slack = (const double[1]){0.0}};

lotor_status lotor_policy_run_ahead(lotor_policy *policy, const lotor_stretch *stretch,
                                    uint64_t most, const lotor_payer *payer, uint64_t *rounds)
{
    assert(stretch->runs_ahead && stretch->count > 0);
    const uint64_t start = policy->rounds;
    ahead_run run = {
        .policy = policy,
        .stretch = stretch,
        .window = policy->index ? lotor_index_window_of(policy->index) : &no_window,
        .payer = payer,
        .round = start,
        .end = start + most,
    };
    if (can_skip(&run)) {
        run_skipping(&run);
    } else if (stretch->count == 1) {
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
    if (policy->imed && policy->oracle->value) {
        return lotor_imed_value(policy->imed, means, arms, count);
    }
    if (policy->own && policy->oracle->value) {
        return lotor_own_value(policy->own, means, arms, count);
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
