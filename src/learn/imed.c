/* imed.c - which arm to record, for how long, and the size of its batch (rules 6 to 14 of imed.md). See
 * imed.h. */
#include "learn/imed.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/generator.h"
#include "learn/imed_sets.h"

#define SLOPE         0.3 /* of the penalty on arms with many releases */
#define SLOPE_MOST    2.5
#define GROWTH_LEAST  0.2 /* a batch adds at least this share of the arm's released displays */
#define GROWTH_MOST   1.0
#define HOLD_SHARE    20.0 /* a leader is recorded for at least 1/20 of its displays */
#define WINDOW_SHARE  16.0 /* batches in a window, at least */
#define ALARM         2.0
#define LOG_2         0.69314718055994530942
#define REPORTS_SHARE 100.0 /* where each report is released, a choice is for 1/100 of them */

const lotor_imed_rule lotor_rule_lik_imed = {
    .id = "lik-imed",
    .formula =
        "record the arm of least max(0, evidence - 3.5) + log n + min(2.5, 0.3 log(n/b0)); a "
        "leader: log N",
};

const lotor_imed_rule lotor_rule_rr_imed = {
    .id = "rr-imed",
    .formula = "as lik-imed; evidence = n kl(share of ones, what the level predicts)",
    .is_local = true,
};

/* --- constructor and destructor --------------------------------------------------------------- */

lotor_status lotor_imed_new(const lotor_imed_setup *setup, lotor_imed_learner **out)
{
    const lotor_imed_model *model = &setup->model;
    assert(model->epsilon > 0.0 && model->high > model->low && setup->caution >= 0.0);
    assert(setup->lag >= 1.0 && !(model->is_local && (setup->window > 0 || setup->has_alarm)));
    assert(setup->half_life < UINT64_C(1) << 57 && (setup->half_life == 0 || setup->window == 0));
    *out = NULL;
    lotor_imed_learner *learner = calloc(1, sizeof *learner);
    if (!learner) {
        return LOTOR_MEMORY;
    }
    const size_t arms = setup->oracle->arms;
    learner->setup = *setup;
    learner->arms = arms;
    learner->slots = setup->oracle->slots;
    learner->first = lotor_imed_first_size(model);
    learner->most =
        setup->window > 0 ? fmax(learner->first, (double)setup->window / WINDOW_SHARE) : INFINITY;
    learner->fading.half_life = setup->half_life;
    learner->fading.is_by_clock = setup->half_life > 0 && setup->is_by_clock;
    learner->states = calloc(arms, sizeof *learner->states);
    const size_t room = model->is_local ? 0 : setup->statistics;
    learner->batches = room > SIZE_MAX / arms / sizeof *learner->batches
                           ? NULL
                           : calloc(arms * room + 1, sizeof *learner->batches);
    learner->weights = calloc(arms, sizeof *learner->weights);
    learner->share = calloc(arms, sizeof *learner->share);
    learner->tie = calloc(arms, sizeof *learner->tie);
    learner->order = calloc(arms, sizeof *learner->order);
    learner->moved = calloc(arms, sizeof *learner->moved);
    learner->leaders = calloc(learner->slots, sizeof *learner->leaders);
    learner->picked = calloc(learner->slots, sizeof *learner->picked);
    learner->mask = calloc(arms, sizeof *learner->mask);
    learner->work = malloc(setup->oracle->work_bytes + 1);
    if (!learner->states || !learner->batches || !learner->weights || !learner->share ||
        !learner->tie || !learner->order || !learner->moved || !learner->leaders ||
        !learner->picked || !learner->mask || !learner->work) {
        lotor_imed_free(learner);
        return LOTOR_MEMORY;
    }
    for (size_t i = 0; i < arms; i++) {
        learner->states[i].known.batches = learner->batches + i * room;
        learner->states[i].known.batch_room = room;
    }
    *out = learner;
    return LOTOR_OK;
}

/* The batches of an arm are in one piece of memory: those of the other policy, then its own. */
lotor_status lotor_imed_take_prior(lotor_imed_learner *learner, const lotor_imed_prior *prior,
                                   size_t count)
{
    assert(!learner->has_sets && !learner->setup.model.is_local && !learner->setup.has_alarm);
    const size_t room = learner->setup.statistics, arms = learner->arms;
    if (count > SIZE_MAX / sizeof *learner->batches - arms * room - 1) {
        return LOTOR_MEMORY;
    }
    lotor_imed_batch *batches = calloc(arms * room + count + 1, sizeof *batches);
    if (!batches) {
        return LOTOR_MEMORY;
    }
    free(learner->batches);
    learner->batches = batches;
    for (size_t i = 0, at = 0; i < arms; i++) {
        lotor_imed_arm *arm = &learner->states[i].known;
        const size_t first = at;
        while (at < count && prior[at].arm == i) {
            at++;
        }
        arm->batches = batches;
        lotor_imed_arm_take(arm, &learner->setup.model, &learner->fading, prior + first,
                            at - first);
        batches += at - first + room;
    }
    return LOTOR_OK;
}

void lotor_imed_free(lotor_imed_learner *learner)
{
    if (!learner) {
        return;
    }
    free(learner->states);
    free(learner->batches);
    free(learner->weights);
    free(learner->share);
    free(learner->tie);
    free(learner->order);
    free(learner->moved);
    free(learner->leaders);
    free(learner->picked);
    free(learner->mask);
    free(learner->work);
    free(learner);
}

/* --- index and batch size (rules 6 and 9) ------------------------------------------------------ */

static double penalty(const lotor_imed_learner *learner, double n)
{
    return log(n) + fmin(SLOPE_MOST, SLOPE * log(n / learner->first));
}

/* Where releases fade, or are of another policy, the n of rule 9 can be less than a batch that says
 * anything. */
static double least_size(const lotor_imed_learner *learner, const lotor_imed_arm *arm)
{
    return learner->fading.half_life > 0 || arm->prior > 0.0 ? learner->first : 0.0;
}

/* How many displays this policy has released: the n of rule 9 (rule 15). */
static double own_released(const lotor_imed_arm *arm)
{
    return fmax(0.0, arm->released - arm->prior);
}

/* How many displays the next batch of an arm needs until the arm is likely not to be chosen any
 * more: its index then reaches log t. */
static double size_of(const lotor_imed_learner *learner, const lotor_imed_state *arm, double log_t)
{
    const double n = arm->known.released, each = arm->doubt / n;
    const double least = least_size(learner, &arm->known), own = own_released(&arm->known);
    if (each <= LOTOR_IMED_TIE) {
        return fmax(least, ceil(own));
    }
    double total = n;
    for (int i = 0; i < 20; i++) {
        total = fmax(n, (log_t - penalty(learner, total)) / each);
    }
    return fmax(least, ceil(fmin(fmax(total - n, GROWTH_LEAST * own), GROWTH_MOST * own)));
}

/* --- the choice (rules 7 and 8) ---------------------------------------------------------------- */

static size_t random_below(const lotor_imed_learner *learner, size_t count)
{
    const uint64_t word = lotor_mix(lotor_imed_tie(learner, learner->arms));
    return (size_t)((word >> 32) * count >> 32);
}

/* Rule 7a: an arm without a release, and with nothing waiting; SIZE_MAX: none. */
static size_t find_new_arm(lotor_imed_learner *learner, const lotor_imed_counts *counts,
                           const bool *eligible)
{
    size_t found = SIZE_MAX, candidates = 0;
    for (int pass = 0; pass < 2 && found == SIZE_MAX; pass++) {
        const size_t wanted = pass == 0 ? SIZE_MAX : random_below(learner, candidates);
        size_t seen = 0;
        for (size_t i = 0; i < learner->arms && found == SIZE_MAX; i++) {
            const lotor_imed_state *arm = &learner->states[i];
            if (lotor_imed_is_known(arm) || arm->waiting > 0.0 || !arm->can_show ||
                (eligible && !eligible[i])) {
                continue;
            }
            const bool is_it = pass == 0 ? counts[i].open > 0 : seen == wanted;
            found = is_it ? i : SIZE_MAX;
            candidates += pass == 0;
            seen++;
        }
        if (candidates == 0) {
            break;
        }
    }
    return found;
}

/* Rule 7b: where leaders have no release yet, the arm without one that has the fewest displays. */
static size_t find_least_displayed(const lotor_imed_learner *learner, const bool *eligible)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < learner->arms; i++) {
        const lotor_imed_state *arm = &learner->states[i];
        if (!lotor_imed_is_known(arm) && arm->can_show && (!eligible || eligible[i]) &&
            (found == SIZE_MAX || arm->displays < learner->states[found].displays)) {
            found = i;
        }
    }
    return found;
}

/* The most displays of a batch (rule 14). */
static double most_displays(const lotor_imed_learner *learner)
{
    const double length = lotor_fading_length(&learner->fading);
    return fmin(learner->most, fmax(learner->first, floor(length / (double)LOTOR_FADING_SHARE)));
}

/* The arms to show when arm e is recorded (rule 8), and for how long. */
static lotor_imed_plan plan_for(lotor_imed_learner *learner, size_t e,
                                const lotor_imed_counts *counts, double size, double hold,
                                const bool *eligible)
{
    lotor_imed_plan plan = {.recorded = (uint32_t)e};
    const lotor_oracle *oracle = learner->setup.oracle;
    if (learner->states[e].is_leader) {
        plan.arms = learner->leaders;
        plan.count = learner->leader_count;
        if (oracle->seeds > 0) { /* the work memory is to hold their vertices */
            (void)lotor_imed_best_set(learner, eligible, learner->picked);
        }
    } else {
        plan.arms = learner->picked;
        plan.count = lotor_imed_set_with(learner, e, eligible);
        if (oracle->by_order) {
            lotor_imed_sort(learner, learner->picked, plan.count);
        }
    }
    const double open = (double)counts[e].open;
    plan.size = (uint64_t)fmin(fmax(fmin(size, most_displays(learner)), open + 1.0), 0x1p61);
    plan.hold = (uint64_t)fmax(1.0, fmin(hold, (double)plan.size - open));
    assert(plan.size > counts[e].open && plan.hold <= plan.size - counts[e].open);
    return plan;
}

/* Is enough of this arm under way, so that its next releases are waited for (rule 10)? Batches: any
 * that is closed. Reports: as many as a batch would have. */
static bool is_awaited(const lotor_imed_learner *learner, const lotor_imed_state *arm, double log_t)
{
    return arm->waiting > 0.0 &&
           (!learner->setup.model.is_local || arm->waiting >= size_of(learner, arm, log_t));
}

/* Where the leaders stand: who is to be recorded among them, and how many displays the weakest of
 * them has. The others are compared with the weakest. */
typedef struct turn {
    size_t leader;
    double lag;     /* how many times each of its displays counts */
    double next;    /* displays of the leader that follows, times its lag; INFINITY: it is alone */
    double weakest; /* displays */
} turn;

/* The best leader comes first, so it is recorded `lag` times as often as each of the others. */
static turn whose_turn(const lotor_imed_learner *learner)
{
    turn out = {.leader = learner->leaders[0], .lag = 1.0, .next = INFINITY};
    double least = learner->states[out.leader].displays;
    out.weakest = least;
    for (size_t i = 1; i < learner->leader_count; i++) {
        const double displays = learner->states[learner->leaders[i]].displays;
        const double turns = displays * learner->setup.lag;
        out.next = fmin(out.next, fmax(turns, least));
        out.weakest = fmin(out.weakest, displays);
        if (turns < least || (turns == least && learner->leaders[i] < out.leader)) {
            least = turns;
            out.leader = learner->leaders[i];
            out.lag = learner->setup.lag;
        }
    }
    return out;
}

/* The arm of least index that is not a leader, and may be recorded; SIZE_MAX: none. */
static size_t least_other(const lotor_imed_learner *learner, double log_t, const bool *eligible)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < learner->arms; i++) {
        const lotor_imed_state *arm = &learner->states[i];
        if (!arm->is_leader && lotor_imed_is_known(arm) && arm->can_show &&
            (!eligible || eligible[i]) &&
            (least == SIZE_MAX || arm->index < learner->states[least].index - LOTOR_IMED_TIE) &&
            !is_awaited(learner, arm, log_t)) {
            least = i;
        }
    }
    return least;
}

/* Where every report is released, new choices are made often (rule 12). */
static double hold_most(const lotor_imed_learner *learner, const lotor_imed_state *arm)
{
    return learner->setup.model.is_local ? fmax(1.0, floor(arm->known.released / REPORTS_SHARE))
                                         : INFINITY;
}

/* For how many displays a leader is recorded. */
static double hold_of(const lotor_imed_learner *learner, const turn *now, double lowest)
{
    const lotor_imed_state *leader = &learner->states[now->leader];
    const double n = leader->displays;
    double hold = n <= now->weakest ? ceil(exp(lowest)) - n : INFINITY;
    if (isfinite(now->next)) {
        hold = fmin(hold, ceil(fmax(now->next / now->lag - n, n / HOLD_SHARE)));
    }
    return fmin(ceil(hold), hold_most(learner, leader));
}

/* Rule 7c. */
static lotor_imed_plan choose_known(lotor_imed_learner *learner, const lotor_imed_counts *counts,
                                    double log_t, const bool *eligible)
{
    const turn now = whose_turn(learner);
    const size_t other = least_other(learner, log_t, eligible);
    const double lowest = other == SIZE_MAX ? INFINITY : learner->states[other].index;
    const bool is_local = learner->setup.model.is_local;
    if (lowest < log(now.weakest) - LOTOR_IMED_TIE) {
        const lotor_imed_state *arm = &learner->states[other];
        return plan_for(learner, other, counts, is_local ? INFINITY : size_of(learner, arm, log_t),
                        hold_most(learner, arm), eligible);
    }
    const lotor_imed_state *leader = &learner->states[now.leader];
    const double known =
        fmax(least_size(learner, &leader->known), ceil(own_released(&leader->known)));
    const double size = is_local ? INFINITY : known + leader->waiting;
    return plan_for(learner, now.leader, counts, size, hold_of(learner, &now, lowest), eligible);
}

static bool has_unknown_leader(const lotor_imed_learner *learner)
{
    for (size_t i = 0; i < learner->leader_count; i++) {
        if (!lotor_imed_is_known(&learner->states[learner->leaders[i]])) {
            return true;
        }
    }
    return false;
}

/* --- releases, and forgetting (rule 14) -------------------------------------------------------- */

static void forget(lotor_imed_learner *learner, uint64_t time)
{
    for (size_t i = 0; i < learner->arms && time > 0; i++) {
        lotor_imed_arm_forget(&learner->states[i].known, &learner->setup.model, &learner->fading,
                              time);
    }
}

/* Looks at the arms with new releases. If a mean seems to have changed, all arms forget what was
 * released up to then. */
static void look_for_change(lotor_imed_learner *learner, uint64_t t)
{
    const double evidence = ALARM + log(fmax(1.0, (double)t));
    uint64_t checked = learner->memory.checked, change = 0;
    for (size_t i = 0; i < learner->arms; i++) {
        lotor_imed_arm *arm = &learner->states[i].known;
        if (arm->latest > learner->memory.checked) {
            const uint64_t time = lotor_imed_arm_change(arm, &learner->setup.model, evidence);
            change = time > change ? time : change;
            checked = arm->latest > checked ? arm->latest : checked;
        }
    }
    learner->memory.checked = checked;
    if (change > learner->memory.forgotten) {
        learner->memory.forgotten = change;
        forget(learner, change);
    }
}

/* Takes in what was released, and forgets what is too old at round t. */
static void read_board(lotor_imed_learner *learner, const lotor_board *board, uint64_t t)
{
    const lotor_imed_model *model = &learner->setup.model;
    const lotor_fading *fading = &learner->fading;
    for (size_t i = 0; i < learner->arms; i++) {
        lotor_imed_arm_read(&learner->states[i].known, model, fading, board, i, t);
    }
    const uint64_t window = learner->setup.window;
    const uint64_t old = window > 0 && t > window ? t - window : 0;
    forget(learner, old > learner->memory.forgotten ? old : learner->memory.forgotten);
    if (learner->setup.has_alarm) {
        look_for_change(learner, t);
    }
    for (size_t i = 0; i < learner->arms; i++) {
        lotor_imed_arm_fade(&learner->states[i].known, model, fading, t);
    }
    learner->stale = lotor_fading_next(fading, t);
    for (size_t i = 0; i < learner->arms && window > 0; i++) {
        const lotor_imed_arm *arm = &learner->states[i].known;
        if (arm->batch_count > 0 && arm->batches[0].time + window < learner->stale) {
            learner->stale = arm->batches[0].time + window;
        }
    }
}

lotor_imed_memory lotor_imed_memory_of(const lotor_imed_learner *learner)
{
    return learner->memory;
}

void lotor_imed_remember(lotor_imed_learner *learner, lotor_imed_memory memory)
{
    learner->memory = memory;
}

bool lotor_imed_tick(lotor_imed_learner *learner, uint64_t ended, uint64_t second)
{
    const bool moves = lotor_fading_tick(&learner->fading, ended, second);
    learner->has_sets = learner->has_sets && !moves;
    return moves;
}

/* Bits on the board are counted from the start. How old they are, only the learner knows. */
void lotor_imed_save_fading(const lotor_imed_learner *learner, lotor_writer *writer)
{
    lotor_fading_save(&learner->fading, writer);
    const bool has_bits = learner->fading.half_life > 0 && learner->setup.model.is_local;
    for (size_t i = 0; i < learner->arms && has_bits; i++) {
        const lotor_imed_bits *bits = &learner->states[i].known.bits;
        lotor_write_double(writer, bits->n);
        lotor_write_double(writer, bits->ones);
        lotor_write_double(writer, bits->time);
        lotor_write_u64(writer, bits->count);
        lotor_write_double(writer, bits->count_of_ones);
    }
}

void lotor_imed_load_fading(lotor_imed_learner *learner, size_t arms, const lotor_board *board,
                            uint64_t ended, lotor_reader *reader)
{
    lotor_fading_load(&learner->fading, ended, reader);
    const bool has_bits = learner->fading.half_life > 0 && learner->setup.model.is_local;
    const double now = lotor_fading_now(&learner->fading, ended + 1);
    for (size_t i = 0; i < arms && has_bits && reader->status == LOTOR_OK; i++) {
        const lotor_fact *fact = lotor_board_at(board, 0, i);
        lotor_imed_bits bits;
        bits.n = lotor_read_double(reader);
        bits.ones = lotor_read_double(reader);
        bits.time = lotor_read_double(reader);
        bits.count = lotor_read_u64(reader);
        bits.count_of_ones = lotor_read_double(reader);
        const double rest = fact->value - bits.count_of_ones;
        lotor_read_expect(reader, bits.ones >= 0.0 && bits.ones <= bits.n * (1.0 + 1e-9));
        lotor_read_expect(reader, bits.n <= (double)bits.count && bits.count <= fact->count);
        lotor_read_expect(reader, bits.time >= 0.0 && bits.time <= now);
        lotor_read_expect(reader, rest >= 0.0 && rest <= (double)(fact->count - bits.count));
        learner->states[i].known.bits = bits;
    }
    learner->has_sets = false;
}

/* True if the sets were found for these eligible arms. */
static bool is_same_mask(const lotor_imed_learner *learner, const bool *eligible)
{
    return eligible ? learner->was_masked &&
                          memcmp(learner->mask, eligible, learner->arms * sizeof *eligible) == 0
                    : !learner->was_masked;
}

/* Reads the board; finds leaders, evidence and indices. They depend on the releases, on the eligible
 * arms and on what is forgotten: while these stay the same, all is known. */
static void weigh(lotor_imed_learner *learner, const lotor_board *board, uint64_t now,
                  uint64_t seed, const bool *eligible)
{
    const uint64_t posts = lotor_board_posts(board);
    const bool is_read = learner->has_sets && learner->posts == posts && learner->seed == seed &&
                         now < learner->stale;
    if (is_read && is_same_mask(learner, eligible)) {
        return;
    }
    if (!is_read) {
        read_board(learner, board, now);
    }
    learner->posts = posts;
    learner->seed = seed;
    learner->has_sets = true;
    learner->was_masked = eligible != NULL;
    if (eligible) {
        memcpy(learner->mask, eligible, learner->arms * sizeof *eligible);
    }
    lotor_imed_find_leaders(learner, eligible);
    const double best =
        lotor_imed_value(learner, learner->weights, learner->leaders, learner->leader_count);
    for (size_t i = 0; i < learner->arms; i++) {
        learner->states[i].can_show = learner->states[i].is_leader;
    }
    for (size_t i = 0; i < learner->arms; i++) {
        lotor_imed_state *arm = &learner->states[i];
        if (!arm->is_leader && (!eligible || eligible[i])) {
            const double evidence = lotor_imed_evidence(learner, i, best, eligible);
            arm->doubt = fmax(0.0, evidence - learner->setup.caution);
            arm->index =
                lotor_imed_is_known(arm) ? arm->doubt + penalty(learner, arm->known.released) : 0.0;
        }
    }
}

lotor_imed_plan lotor_imed_choose(lotor_imed_learner *learner, const lotor_board *board,
                                  const lotor_imed_counts *counts, uint64_t t, uint64_t now,
                                  uint64_t seed, const bool *eligible)
{
    const lotor_imed_plan none = {.count = 0};
    weigh(learner, board, now, seed, eligible);
    if (learner->leader_count == 0) {
        return none;
    }
    /* All rounds by weight: a half-life times the integral of 2^-x. */
    double most = fmax(3.0, fmin((double)t, lotor_fading_length(&learner->fading) / LOG_2));
    for (size_t i = 0; i < learner->arms; i++) {
        lotor_imed_state *arm = &learner->states[i];
        arm->waiting = (double)counts[i].waiting;
        arm->displays = arm->known.released + arm->waiting + (double)counts[i].open;
        most = fmax(most, arm->displays);
    }
    const bool is_local = learner->setup.model.is_local;
    const double first = is_local ? 1.0 : learner->first;
    const size_t new_arm = find_new_arm(learner, counts, eligible);
    if (new_arm != SIZE_MAX) {
        return plan_for(learner, new_arm, counts, first, INFINITY, eligible);
    }
    const size_t unknown =
        has_unknown_leader(learner) ? find_least_displayed(learner, eligible) : SIZE_MAX;
    if (unknown != SIZE_MAX) {
        const lotor_imed_state *arm = &learner->states[unknown];
        return plan_for(learner, unknown, counts, arm->waiting > 0.0 ? arm->waiting : first,
                        ceil(arm->displays / HOLD_SHARE), eligible);
    }
    return choose_known(learner, counts, log(most), eligible);
}

double lotor_imed_estimate(const lotor_imed_learner *learner, size_t arm)
{
    assert(arm < learner->arms);
    const lotor_imed_state *state = &learner->states[arm];
    const lotor_imed_model *model = &learner->setup.model;
    return lotor_imed_is_known(state)
               ? model->low + state->known.estimate * (model->high - model->low)
               : NAN;
}

double lotor_imed_value(const lotor_imed_learner *learner, const double *means, const uint32_t *set,
                        size_t count)
{
    return lotor_oracle_value(learner->setup.oracle, means, set, count, learner->work);
}

const uint32_t *lotor_imed_seeds(const lotor_imed_learner *learner)
{
    return lotor_oracle_seeds(learner->setup.oracle, learner->work);
}
