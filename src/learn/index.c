/* index.c - the index learner; index.h describes it.
 *
 * Two exact shortcuts save work. They never change the choice.
 *
 * The first is for statistics that release rarely (batches). Between releases an index changes only
 * with t, and the difference of two indices is monotone in t (the arm with the smaller n gains on
 * the other). So if the arms have the same order now and at a later time, they have it in between.
 * Comparing the order at the later time, or a bisection, replaces a sort in every round.
 *
 * The second is for statistics that release every observation at once. It is called a window, and
 * the section "windows" below explains it.
 */
#include "learn/index.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/laws.h"
#include "learn/bounds_kl.h"

struct lotor_index_learner {
    lotor_index_setup setup;
    size_t arms, slots;
    double width;   /* of the rewards' range */
    bool takes_top; /* the oracle takes the first `slots` arms of the order */
    double lift
        [65]; /* the rule's lift by the number of 1 bits of n, in the unit of the rewards; or 0 */

    /* Cached per arm until the arm has a new release, so that an index costs two
     * multiplications. */
    uint64_t *time;
    double *mean;                 /* (sum + lift)/n; INFINITY before the first release */
    double *per_root, *per_count; /* 1/sqrt(n), 1/n */

    double *index;
    uint32_t *picked;
    double budget;          /* for bounds: the q of all indices; 0 before the first choice */
    lotor_index_sums *sums; /* for `own`, per arm */
    bool *stale;            /* for `own`, per arm: the index is older than the sums */
    double mixing;          /* for probabilities: gamma */
    double *chance;         /* for probabilities, per arm: in the latest choice */

    /* For choices by an oracle that gets all arms in order. */
    uint64_t *tie;
    uint32_t *order;
    void *work;
    double *masked; /* the indices, with -INFINITY for arms that are not eligible */

    /* For choices by rank, and for keeping such a choice while it surely stays the same. */
    bool has_window;
    uint32_t *top; /* the `slots` arms of largest index, ranked */
    bool *inside;  /* per arm: is it in `top`? */
    lotor_index_window window;
    uint32_t *window_arms; /* the arrays that `window` points to */
    double *window_slack;
    uint64_t window_length; /* in rounds: doubled when a window lasted to its end, else halved */
    uint64_t posts,
        count; /* posts on the board, and observations of the window's arms, at its start */
};

/* The inputs of one round's choice. */
typedef struct moment {
    const lotor_board *board;
    const uint64_t *shown;
    uint64_t t, seed;
    lotor_widths widths; /* at t */
} moment;

/* The rule's widths at t, in the unit of the rewards. */
static inline lotor_widths widths_at(const lotor_index_learner *learner, uint64_t t)
{
    const lotor_widths widths = learner->setup.rule->widths(&learner->setup.params, (double)t);
    return (lotor_widths){widths.root * learner->width, widths.linear * learner->width};
}

/* Updates the cached numbers of an arm if the arm has a new release. */
static inline void keep_news(lotor_index_learner *learner, const lotor_board *board, size_t arm)
{
    const lotor_fact *fact = lotor_board_at(board, 0, arm);
    if (learner->time[arm] == fact->time) {
        return;
    }
    learner->time[arm] = fact->time;
    if (fact->count > 0) {
        const double n = (double)fact->count;
        const double per_root = 1.0 / sqrt(n);
        learner->mean[arm] = (fact->value + learner->lift[__builtin_popcountll(fact->count)]) / n;
        learner->per_root[arm] = per_root;
        learner->per_count[arm] = per_root * per_root;
    }
}

static inline double index_of(const lotor_index_learner *learner, size_t arm, lotor_widths widths)
{
    const double index = learner->mean[arm] + widths.root * learner->per_root[arm] +
                         widths.linear * learner->per_count[arm];
    return learner->setup.clip ? fmin(index, learner->setup.high) : index;
}

/* --- constructor and destructor --------------------------------------------------------------- */

/* Allocates the arrays; false if one is missing. */
static bool make_arrays(lotor_index_learner *learner)
{
    const size_t arms = learner->arms, slots = learner->slots;
    const size_t work_bytes = learner->setup.oracle->work_bytes;
    learner->time = calloc(arms, sizeof *learner->time);
    learner->mean = calloc(arms, sizeof *learner->mean);
    learner->per_root = calloc(arms, sizeof *learner->per_root);
    learner->per_count = calloc(arms, sizeof *learner->per_count);
    learner->index = calloc(arms, sizeof *learner->index);
    learner->picked = calloc(arms, sizeof *learner->picked);
    learner->tie = calloc(arms, sizeof *learner->tie);
    learner->order = calloc(arms, sizeof *learner->order);
    learner->work = malloc(work_bytes ? work_bytes : 1);
    learner->masked = calloc(arms, sizeof *learner->masked);
    learner->top = calloc(slots, sizeof *learner->top);
    learner->inside = calloc(arms, sizeof *learner->inside);
    learner->sums = calloc(arms, sizeof *learner->sums);
    learner->stale = calloc(arms, sizeof *learner->stale);
    learner->chance = calloc(arms, sizeof *learner->chance);
    learner->window_arms = calloc(slots, sizeof *learner->window_arms);
    learner->window_slack = calloc(slots, sizeof *learner->window_slack);
    return learner->time && learner->mean && learner->per_root && learner->per_count &&
           learner->index && learner->picked && learner->tie && learner->order && learner->work &&
           learner->masked && learner->top && learner->inside && learner->sums && learner->stale &&
           learner->chance && learner->window_arms && learner->window_slack;
}

lotor_status lotor_index_new(const lotor_index_setup *setup, lotor_index_learner **out)
{
    *out = NULL;
    lotor_index_learner *learner = calloc(1, sizeof *learner);
    if (!learner) {
        return LOTOR_MEMORY;
    }
    assert(setup->rule && setup->high > setup->low);
    const lotor_oracle *oracle = setup->oracle;
    *learner = (lotor_index_learner){
        .setup = *setup,
        .arms = oracle->arms,
        .slots = oracle->slots,
        .width = setup->high - setup->low,
        .takes_top = oracle->takes_first,
        .has_window = oracle->takes_first && setup->at_once && !setup->clip &&
                      oracle->arms > oracle->slots &&
                      setup->rule->sampling == LOTOR_SAMPLING_NONE && !setup->rule->weigh,
        .window_length = 16,
        .mixing = setup->rule->mixing ? setup->rule->mixing(&setup->params) : 0.0,
    };
    if (!make_arrays(learner)) {
        lotor_index_free(learner);
        return LOTOR_MEMORY;
    }
    for (size_t i = 0; i < learner->arms; i++) {
        learner->mean[i] = learner->index[i] = INFINITY;
        learner->inside[i] = i < learner->slots;
    }
    for (uint32_t i = 0; i < learner->slots; i++) {
        learner->top[i] = i;
    }
    for (unsigned digits = 1; setup->rule->lift && digits <= 64; digits++) {
        learner->lift[digits] = setup->rule->lift(&setup->params, digits) * learner->width;
    }
    learner->window = (lotor_index_window){.count = learner->slots,
                                           .arms = learner->window_arms,
                                           .slack = learner->window_slack,
                                           .lift = setup->rule->lift ? learner->lift : NULL};
    *out = learner;
    return LOTOR_OK;
}

void lotor_index_free(lotor_index_learner *learner)
{
    if (learner) {
        free(learner->time);
        free(learner->mean);
        free(learner->per_root);
        free(learner->per_count);
        free(learner->index);
        free(learner->picked);
        free(learner->tie);
        free(learner->order);
        free(learner->work);
        free(learner->masked);
        free(learner->top);
        free(learner->inside);
        free(learner->sums);
        free(learner->stale);
        free(learner->chance);
        free(learner->window_arms);
        free(learner->window_slack);
        free(learner);
    }
}

/* --- ranks ------------------------------------------------------------------------------------ */

/* A number that breaks ties: the higher number first. It is random, but depends only on the
 * arguments (splitmix64), so that the choice does not depend on the shortcuts taken before. Among
 * arms without a release, the arm shown least comes first; so many choices before the first release
 * try all arms. This exception does not apply if indices are clipped: then such arms are equal to
 * the others at the cap. */
static uint64_t tie_of(const lotor_index_learner *learner, const moment *now, size_t arm)
{
    /* Bounds: many arms have the largest possible bound, so the arm shown least comes first. */
    if (lotor_index_rule_is_bound(learner->setup.rule)) {
        return lotor_index_tie(now->seed, now->t, arm, now->shown[arm]);
    }
    const uint64_t z = lotor_index_random(now->seed, now->t, arm);
    if (lotor_board_at(now->board, 0, arm)->count > 0 || learner->setup.clip) {
        return z;
    }
    const uint64_t often = now->shown[arm] < 0xffff ? now->shown[arm] : 0xffff;
    return (0xffff - often) << 48 | z >> 16;
}

static inline bool beats(const lotor_index_learner *learner, const moment *now, uint32_t one,
                         uint32_t other)
{
    const double index = learner->index[one], rival = learner->index[other];
    if (index != rival) {
        return index > rival;
    }
    return tie_of(learner, now, one) > tie_of(learner, now, other);
}

/* Inserts an arm into a ranked list of `count` arms. */
static inline void rank_in(const lotor_index_learner *learner, const moment *now, uint32_t *list,
                           size_t count, uint32_t arm)
{
    size_t place = count;
    for (; place > 0 && beats(learner, now, arm, list[place - 1]); place--) {
        list[place] = list[place - 1];
    }
    list[place] = arm;
}

static inline void rank(const lotor_index_learner *learner, const moment *now, uint32_t *list,
                        size_t count)
{
    for (size_t i = 1; i < count; i++) {
        rank_in(learner, now, list, i, list[i]);
    }
}

/* Puts the `slots` arms of largest index into `top`, ranked. Returns the largest index of the other
 * arms. The search starts from the previous `top`, because most of its arms stay. */
static double find_top(lotor_index_learner *learner, const moment *now)
{
    const size_t arms = learner->arms, last = learner->slots - 1;
    const double *index = learner->index;
    uint32_t *top = learner->top;
    bool *inside = learner->inside;
    double outside = -INFINITY;
    rank(learner, now, top, learner->slots);
    double lowest = index[top[last]];
    for (uint32_t arm = 0; arm < arms; arm++) {
        if (inside[arm]) {
            continue;
        }
        if (index[arm] < lowest || !beats(learner, now, arm, top[last])) {
            outside = index[arm] > outside ? index[arm] : outside;
            continue;
        }
        outside = lowest > outside ? lowest : outside;
        inside[top[last]] = false;
        inside[arm] = true;
        rank_in(learner, now, top, last, arm);
        lowest = index[top[last]];
    }
    assert(!(outside > lowest));
    return outside;
}

/* --- windows ---------------------------------------------------------------------------------- */

/* A window is a short span of rounds in which the choice surely stays the same. It is for oracles
 * that take the K arms of largest index, and statistics that release each observation at once.
 *
 * Suppose that only shown arms get new releases. Then they stay best as long as the index of each
 * is above the largest index that the other arms can reach by the end of the window. For each shown
 * arm this is the test sum_i + slack_i > bound * n_i: one multiplication. `slack` is computed for
 * the start of the window, and `bound` for its end. This is safe because root and linear never
 * fall. The lift changes with every observation, so the slack contains the smallest lift. */

/* Doubles the length of the next window if the last one lasted to its end; halves it otherwise. */
static void adapt_length(lotor_index_learner *learner, uint64_t t)
{
    uint64_t *length = &learner->window_length;
    if (learner->window.end == 0) {
        return; /* there was no window */
    }
    if (t > learner->window.end) {
        *length = *length < UINT64_C(1) << 40 ? 2 * *length : *length;
    } else {
        *length = *length > 16 ? *length / 2 : 8;
    }
}

/* The largest index that any other arm can have by round `end`. The index of an arm with the fewest
 * observations grows fastest. */
static double find_reach(const lotor_index_learner *learner, const moment *now, uint64_t end,
                         double outside)
{
    const lotor_widths last = widths_at(learner, end);
    double per_root = 0.0;
    for (size_t i = 0; i < learner->arms; i++) {
        per_root = learner->per_root[i] > per_root ? learner->per_root[i] : per_root;
    }
    const double bound = outside + (last.root - now->widths.root) * per_root +
                         (last.linear - now->widths.linear) * per_root * per_root;
    return bound + 1e-9 * learner->width +
           1e-12 * fabs(bound); /* covers all rounding errors here */
}

/* Opens a window for the picked arms, unless one of them has no observation. */
static void open_window(lotor_index_learner *learner, const moment *now, double outside)
{
    adapt_length(learner, now->t);
    learner->window.end = 0;
    uint64_t count = 0;
    for (size_t i = 0; i < learner->slots; i++) {
        const uint32_t arm = learner->picked[i];
        const uint64_t n = lotor_board_at(now->board, 0, arm)->count;
        if (n == 0) {
            return;
        }
        count += n;
        learner->window_arms[i] = arm;
        learner->window_slack[i] = now->widths.root * (double)n * learner->per_root[arm] +
                                   now->widths.linear + learner->lift[1];
    }
    learner->window.end = now->t + learner->window_length;
    learner->window.bound = find_reach(learner, now, learner->window.end, outside);
    learner->posts = lotor_board_posts(now->board);
    learner->count = count;
}

/* Puts the arms of largest index into `picked`, and opens a window for them. */
static void pick_top(lotor_index_learner *learner, const moment *now)
{
    const double outside = find_top(learner, now);
    for (size_t i = 0; i < learner->slots; i++) {
        learner->picked[i] = learner->top[i];
    }
    if (!learner->setup.ranked) {
        lotor_index_sort_set(learner->picked, learner->slots);
    }
    if (learner->has_window) {
        open_window(learner, now, outside);
    }
}

const lotor_index_window *lotor_index_window_of(const lotor_index_learner *learner)
{
    return &learner->window;
}

/* Does the last choice still hold in round t? It does if no other arm has a new release. */
static bool window_holds(const lotor_index_learner *learner, const lotor_board *board, uint64_t t)
{
    if (!lotor_index_stays(&learner->window, board, t)) {
        return false;
    }
    /* Each observation is one post. If there are more posts than the window's arms have new
     * observations, another arm has a new release. */
    uint64_t count = 0;
    for (size_t i = 0; i < learner->slots; i++) {
        count += lotor_board_at(board, 0, learner->window_arms[i])->count;
    }
    return lotor_board_posts(board) - learner->posts == count - learner->count;
}

void lotor_index_rank_again(lotor_index_learner *learner, const lotor_board *board,
                            const uint64_t *shown, uint64_t t, uint64_t seed)
{
    const moment now = {board, shown, t, seed, widths_at(learner, t)};
    for (size_t i = 0; i < learner->slots; i++) {
        const uint32_t arm = learner->picked[i];
        keep_news(learner, board, arm);
        learner->index[arm] = index_of(learner, arm, now.widths);
    }
    rank(learner, &now, learner->picked, learner->slots);
}

/* --- bounds ----------------------------------------------------------------------------------- */

/* Some rules use the bounds of bounds_kl.h or their own function. Such an index does not have the
 * form sum/n + root/sqrt(n) + linear/n. It depends on the releases of the arm and on q, which changes in steps. So
 * it is cached until one of them changes. */

/* An arm has fewer batches: each batch is half of all before it, and all have less than 2^64
 * rounds. */
enum { MOST_BATCHES = 128 };

/* The bound of an arm from the last batches of its `releases` released batches. */
static double bound_of_batches(const lotor_index_learner *learner, const lotor_board *board,
                               size_t arm, size_t releases, double q)
{
    assert(releases > 0 && releases <= MOST_BATCHES && releases <= board->statistics);
    double sizes[MOST_BATCHES] = {0.0};
    for (size_t i = 0; i < releases; i++) { /* the latest first */
        sizes[i] = (double)lotor_board_at(board, releases - 1 - i, arm)->count;
    }
    const double epsilon = learner->setup.params.epsilon;
    const size_t span = lotor_kl_span(sizes, releases, epsilon, q);
    double n = 0.0, sum = 0.0;
    for (size_t i = 0; i < span; i++) {
        n += sizes[i];
        sum += lotor_board_at(board, releases - 1 - i, arm)->value;
    }
    const double scaled = (sum - learner->setup.low * n) / learner->width;
    return lotor_kl_batch_bound((lotor_batch_sums){(double)span, n, scaled}, epsilon, q);
}

/* The bound of an arm that has a release, in the unit of the rewards. */
static double bound_of(const lotor_index_learner *learner, const lotor_board *board, size_t arm,
                       double q)
{
    const lotor_index_rule *rule = learner->setup.rule;
    double bound;
    if (rule->own) {
        bound = rule->own(&learner->setup.params, &learner->sums[arm], q);
    } else if (rule->sampling == LOTOR_SAMPLING_KL_BATCHES) {
        bound = bound_of_batches(learner, board, arm, (size_t)learner->time[arm], q);
    } else {
        const lotor_fact *ones = lotor_board_at(board, 0, arm);
        bound = lotor_kl_response_bound(ones->value, (double)ones->count,
                                        learner->setup.params.epsilon, q);
    }
    const double index = learner->setup.low + learner->width * bound;
    return learner->setup.clip ? fmin(index, learner->setup.high) : index;
}

/* Are an arm's batches separate statistics of the board? */
static inline bool has_rows(const lotor_index_rule *rule)
{
    return rule->own ? rule->reading == LOTOR_READING_ADDED
                     : rule->sampling == LOTOR_SAMPLING_KL_BATCHES;
}

/* Has the arm a new release? Updates `time`: the time of the arm's fact or, for batches, the number
 * of released batches. */
static inline bool has_news(lotor_index_learner *learner, const lotor_board *board, size_t arm)
{
    const uint64_t known = learner->time[arm];
    uint64_t now = known;
    if (!has_rows(learner->setup.rule)) {
        now = lotor_board_at(board, 0, arm)->time;
    } else {
        while (now < board->statistics && now < MOST_BATCHES &&
               lotor_board_at(board, (size_t)now, arm)->time > 0) {
            now++;
        }
    }
    learner->time[arm] = now;
    return now != known;
}

/* Computes the bounds again that are out of date. */
static void weigh_by_bounds(lotor_index_learner *learner, const moment *now)
{
    const double q = lotor_kl_budget(now->t);
    const bool moved = q != learner->budget;
    for (size_t i = 0; i < learner->arms; i++) {
        if (has_news(learner, now->board, i) || (moved && learner->time[i] > 0)) {
            learner->index[i] = bound_of(learner, now->board, i, q);
        }
    }
    learner->budget = q;
}

/* Reads the releases of an arm that `own` gets. */
static void read_sums(lotor_index_learner *learner, const lotor_board *board, size_t arm)
{
    const lotor_reading reading = learner->setup.rule->reading;
    const size_t rows = reading == LOTOR_READING_ADDED ? (size_t)learner->time[arm] : 1;
    double n = 0.0, sum = 0.0;
    for (size_t row = 0; row < rows; row++) {
        const lotor_fact *fact = lotor_board_at(board, row, arm);
        n += (double)fact->count;
        sum += fact->value;
    }
    learner->sums[arm].n = n; /* 0 only if a loaded board is forged: then the arm has no release */
    learner->sums[arm].sum =
        reading == LOTOR_READING_BITS ? sum : (sum - learner->setup.low * n) / learner->width;
    learner->stale[arm] = true;
}

/* The largest mean of the eligible arms (NULL: of all arms), moved into [0,1]. */
static double best_mean(const lotor_index_learner *learner, const bool *eligible)
{
    double best = 0.0;
    for (size_t i = 0; i < learner->arms; i++) {
        if (learner->sums[i].n > 0.0 && (!eligible || eligible[i])) {
            best = fmax(best, learner->sums[i].sum / learner->sums[i].n);
        }
    }
    return fmin(best, 1.0);
}

/* The same for rules with their own function: an index depends on the sums of the arm, on log t,
 * and for some rules on the best mean. */
static void weigh_by_own(lotor_index_learner *learner, const moment *now, const bool *eligible)
{
    const double log_t = lotor_kl_log(now->t);
    const bool moved = log_t != learner->budget;
    for (size_t i = 0; i < learner->arms; i++) {
        if (has_news(learner, now->board, i)) {
            read_sums(learner, now->board, i);
        }
    }
    const double best = learner->setup.rule->compares ? best_mean(learner, eligible) : 0.0;
    for (size_t i = 0; i < learner->arms; i++) {
        lotor_index_sums *sums = &learner->sums[i];
        if (sums->n > 0.0 && (moved || learner->stale[i] || sums->best != best)) {
            sums->best = best;
            learner->index[i] = bound_of(learner, now->board, i, log_t);
            learner->stale[i] = false;
        }
    }
    learner->budget = log_t;
}

/* --- probabilities ---------------------------------------------------------------------------- */

/* EXP3: p_i = (1-gamma) w_i / (sum of all w) + gamma/K, where w_i = exp(gamma S_i / K) and S_i is the
 * released sum of reward/p, for rewards in [0,1]. If only some arms are eligible, the sum is over them
 * and the second K is their number. All weights are divided by the largest, so that none overflows. */
static void find_chances(lotor_index_learner *learner, const lotor_board *board,
                         const bool *eligible)
{
    const double rate = learner->mixing / (double)learner->arms / learner->width;
    double largest = -INFINITY, total = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < learner->arms; i++) {
        learner->chance[i] = 0.0;
        if (!eligible || eligible[i]) {
            largest = fmax(largest, lotor_board_at(board, 0, i)->value);
            count++;
        }
    }
    for (size_t i = 0; i < learner->arms; i++) {
        if (!eligible || eligible[i]) {
            const double behind = lotor_board_at(board, 0, i)->value - largest;
            /* not a number: only if a loaded board is forged */
            learner->chance[i] = behind < 0.0 ? exp(rate * behind) : 1.0;
            total += learner->chance[i];
        }
    }
    for (size_t i = 0; i < learner->arms; i++) {
        if (!eligible || eligible[i]) {
            learner->chance[i] = (1.0 - learner->mixing) * learner->chance[i] / total +
                                 learner->mixing / (double)count;
        }
    }
}

/* Draws an eligible arm. The index of an arm is its probability, and that of the drawn arm is above all. */
static void weigh_by_chances(lotor_index_learner *learner, const moment *now, const bool *eligible)
{
    find_chances(learner, now->board, eligible);
    lotor_generator generator;
    lotor_generator_seed(&generator, now->seed ^ (now->t * UINT64_C(0x9e3779b97f4a7c15)));
    double left = lotor_random_uniform(&generator);
    size_t drawn = SIZE_MAX;
    for (size_t i = 0; i < learner->arms; i++) {
        learner->index[i] = learner->chance[i];
        if (learner->chance[i] > 0.0 && (drawn == SIZE_MAX || left >= 0.0)) {
            drawn = i; /* the last arm, if rounding leaves something */
            left -= learner->chance[i];
        }
    }
    if (drawn != SIZE_MAX) {
        learner->index[drawn] += 2.0; /* no other is above 1 */
    }
}

double lotor_index_chance(const lotor_index_learner *learner, size_t arm)
{
    assert(arm < learner->arms);
    return learner->chance[arm];
}

double lotor_index_least_chance(const lotor_index_learner *learner)
{
    const double arms = (double)learner->arms;
    return learner->arms == 1 ? 1.0 : learner->mixing / arms;
}

/* --- indices ---------------------------------------------------------------------------------- */

/* A sample from the posterior of an arm (Thompson sampling). */
static double sample_of(const lotor_index_learner *learner, size_t arm, const lotor_fact *fact,
                        lotor_widths widths, lotor_generator *generator)
{
    const lotor_sampling sampling = learner->setup.rule->sampling;
    if (fact->count == 0 && sampling != LOTOR_SAMPLING_BETA) {
        return INFINITY;
    }
    if (sampling == LOTOR_SAMPLING_BETA || sampling == LOTOR_SAMPLING_BETA_RAISED) {
        const double n = (double)fact->count;
        const double sum = (fact->value + widths.linear - learner->setup.low * n) / learner->width;
        const double successes = fmin(n, fmax(0.0, sum));
        return lotor_random_beta(generator, 1.0 + successes, 1.0 + n - successes);
    }
    return learner->mean[arm] + widths.linear * learner->per_count[arm] +
           learner->width * lotor_random_gaussian(generator) * learner->per_root[arm];
}

/* Fills `index` with indices or samples. */
static void weigh_arms(lotor_index_learner *learner, const moment *now)
{
    const lotor_widths widths = now->widths;
    const double cap = learner->setup.clip ? learner->setup.high : INFINITY;
    const lotor_index_rule *rule = learner->setup.rule;
    for (size_t i = 0; i < learner->arms && rule->weigh; i++) {
        const double index = rule->weigh(widths, now->board, i);
        learner->index[i] = index < cap ? index : cap;
    }
    if (rule->weigh) {
        return;
    }
    if (learner->setup.rule->sampling == LOTOR_SAMPLING_NONE) {
        const double *mean = learner->mean, *per_root = learner->per_root;
        const double *per_count = learner->per_count;
        double *restrict out = learner->index;
        for (size_t i = 0; i < learner->arms; i++) {
            const double index = mean[i] + widths.root * per_root[i] + widths.linear * per_count[i];
            out[i] = index < cap ? index : cap;
        }
        return;
    }
    lotor_generator generator;
    lotor_generator_seed(&generator, now->seed ^ (now->t * UINT64_C(0x9e3779b97f4a7c15)));
    for (size_t i = 0; i < learner->arms; i++) {
        learner->index[i] =
            sample_of(learner, i, lotor_board_at(now->board, 0, i), widths, &generator);
    }
}

/* Computes all indices for round t, and returns the inputs of the choice. `eligible` may be
 * NULL. */
static moment weigh(lotor_index_learner *learner, const lotor_board *board, const uint64_t *shown,
                    uint64_t t, uint64_t seed, const bool *eligible)
{
    moment now = {board, shown, t, seed, {0.0, 0.0}};
    if (learner->setup.rule->own) {
        weigh_by_own(learner, &now, eligible);
        return now;
    }
    if (learner->setup.rule->mixing) {
        weigh_by_chances(learner, &now, eligible);
        return now;
    }
    if (lotor_index_rule_is_bound(learner->setup.rule)) {
        weigh_by_bounds(learner, &now);
        return now;
    }
    now.widths = widths_at(learner, t);
    for (size_t i = 0; i < learner->arms; i++) {
        keep_news(learner, board, i);
    }
    weigh_arms(learner, &now);
    return now;
}

/* --- choices ---------------------------------------------------------------------------------- */

/* Is the order of the arms strictly the same at round t? Arms without a release stay in front. */
static bool is_ordered(const lotor_index_learner *learner, uint64_t t)
{
    const lotor_widths widths = widths_at(learner, t);
    double previous = INFINITY;
    for (size_t i = 0; i < learner->arms; i++) {
        const double index = index_of(learner, learner->order[i], widths);
        if (!(index < previous) && !isinf(index)) {
            return false;
        }
        previous = index;
    }
    return true;
}

/* For how many rounds from t on the order stays the same; at most `limit`. */
static uint64_t find_hold(const lotor_index_learner *learner, uint64_t t, uint64_t limit)
{
    if (limit <= 1 || learner->setup.rule->sampling != LOTOR_SAMPLING_NONE ||
        learner->setup.rule->weigh || !learner->setup.oracle->by_order || !is_ordered(learner, t)) {
        return 1;
    }
    if (is_ordered(learner, t + limit - 1)) {
        return limit;
    }
    uint64_t holds = 1, fails = limit;
    while (fails - holds > 1) {
        const uint64_t middle = holds + (fails - holds) / 2;
        *(is_ordered(learner, t + middle - 1) ? &holds : &fails) = middle;
    }
    assert(holds >= 1 && holds <= limit);
    return holds;
}

/* Lets the oracle pick, with all arms in the order of these indices. */
static size_t pick_by_oracle(lotor_index_learner *learner, const moment *now, const double *index)
{
    for (size_t i = 0; i < learner->arms; i++) {
        learner->tie[i] = tie_of(learner, now, i);
    }
    lotor_oracle_order(learner->arms, index, learner->tie, learner->order);
    const lotor_oracle *oracle = learner->setup.oracle;
    const size_t count =
        oracle->pick(oracle, index, learner->order, learner->work, learner->picked);
    assert(count <= learner->slots);
    return count;
}

/* Picks with the bounds that `index` holds. */
static size_t pick_by_bounds(lotor_index_learner *learner, const moment *now)
{
    if (!learner->takes_top) {
        return pick_by_oracle(learner, now, learner->index);
    }
    (void)find_top(learner, now);
    memcpy(learner->picked, learner->top, learner->slots * sizeof *learner->picked);
    if (!learner->setup.ranked) {
        lotor_index_sort_set(learner->picked, learner->slots);
    }
    return learner->slots;
}

size_t lotor_index_choose(lotor_index_learner *learner, const lotor_board *board,
                          const uint64_t *shown, uint64_t t, uint64_t seed, lotor_room *room,
                          const void *context, const uint32_t **picked, uint64_t *hold)
{
    *picked = learner->picked;
    *hold = 1;
    if (window_holds(learner, board, t)) {
        if (learner->setup.ranked && learner->slots > 1) {
            lotor_index_rank_again(learner, board, shown, t, seed);
        }
        return learner->slots;
    }
    const moment now = weigh(learner, board, shown, t, seed, NULL);
    if (lotor_index_rule_is_bound(learner->setup.rule)) {
        return pick_by_bounds(learner, &now);
    }
    const bool weighed = learner->setup.rule->weigh && learner->takes_top;
    if (learner->has_window || (weighed && learner->arms > learner->slots)) {
        pick_top(learner, &now);
        return learner->slots;
    }
    const size_t count = pick_by_oracle(learner, &now, learner->index);
    uint64_t limit = room ? UINT64_MAX / 2 : 1;
    for (size_t i = 0; i < count && room; i++) {
        const uint64_t left = room(context, learner->picked[i]);
        limit = left < limit ? left : limit;
    }
    *hold = find_hold(learner, t, limit);
    if (learner->takes_top && !learner->setup.ranked) {
        lotor_index_sort_set(learner->picked, learner->slots);
    }
    return count;
}

/* Choices among eligible arms give the other arms the index -INFINITY, so they are last in the
 * order. An oracle that takes arms in order (the first K, or greedily on a matroid) then takes all
 * it can of the eligible arms before any other arm. The eligible arms that it takes are the greedy
 * set of the matroid restricted to them, which is a best set. `index` itself stays unchanged, for
 * later rounds. */
size_t lotor_index_choose_among(lotor_index_learner *learner, const lotor_board *board,
                                const uint64_t *shown, uint64_t t, uint64_t seed,
                                const bool *eligible, const uint32_t **picked)
{
    const moment now = weigh(learner, board, shown, t, seed, eligible);
    for (size_t i = 0; i < learner->arms; i++) {
        learner->masked[i] = eligible[i] ? learner->index[i] : -INFINITY;
    }
    const size_t found = pick_by_oracle(learner, &now, learner->masked);
    size_t count = 0;
    for (size_t i = 0; i < found; i++) {
        const uint32_t arm = learner->picked[i];
        if (eligible[arm]) {
            learner->picked[count++] = arm;
        }
    }
    if (learner->takes_top && !learner->setup.ranked) {
        lotor_index_sort_set(learner->picked, count);
    }
    learner->window.end = 0; /* the window was for the arms picked before */
    *picked = learner->picked;
    return count;
}

double lotor_index_at(const lotor_index_learner *learner, size_t arm)
{
    assert(arm < learner->arms);
    return learner->index[arm];
}

const uint32_t *lotor_index_seeds(const lotor_index_learner *learner)
{
    return lotor_oracle_seeds(learner->setup.oracle, learner->work);
}

double lotor_index_value(const lotor_index_learner *learner, const double *means,
                         const uint32_t *set, size_t count)
{
    return lotor_oracle_value(learner->setup.oracle, means, set, count, learner->work);
}
