/* elimination.c - the learner that eliminates arms; elimination.h describes it.
 *
 * The rules are Algorithms 2, 9 and 10 and appendix A.2 of Sajed 2019. The rule dp-se-acc is our
 * own. */
#include "learn/elimination.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct lotor_elimination {
    const lotor_elimination_rule *rule;
    lotor_rule_params params;
    double width; /* of the rewards' range; the rules compute thresholds and cuts for [0,1] */
    uint64_t epoch, step;
    bool open; /* the gate said yes: the next thing to do is a release */
    lotor_elimination_plan plan;
    size_t arms, count; /* all arms, viable arms */
    uint32_t viable[];  /* the viable arms, in increasing order */
};

enum { MOST_STEPS = 61 }; /* 2^61 rounds are never reached */

/* Rounds up, and clamps to 1..2^62, because extreme parameters can give any number. */
static uint64_t whole(double rounds)
{
    if (!(rounds > 1.0)) {
        return 1;
    }
    return rounds < 0x1p62 ? (uint64_t)ceil(rounds) : UINT64_C(1) << 62;
}

/* Algorithm 2: the cut after cycle n is 2 sqrt(2 log T / n). The cycle is counted before the cut is
 * computed (docs/errata.md, 7). */
static lotor_elimination_plan se(const lotor_rule_params *params,
                                 const lotor_elimination_point *point)
{
    return (lotor_elimination_plan){
        .rounds = whole(point->epoch),
        .cut = 2.0 * sqrt(2.0 * log(params->horizon) / point->epoch),
    };
}

/* Algorithm 9: the gap is 2^-e, the rounds R are as below, the cut is 2h + 2c. */
static lotor_elimination_plan dp_se(const lotor_rule_params *params,
                                    const lotor_elimination_point *point)
{
    const double gap = exp2(-point->epoch);
    const double share = point->viable * point->epoch * point->epoch / params->beta;
    const double rounds = fmax(32.0 * log(8.0 * share) / (gap * gap),
                               8.0 * log(4.0 * share) / (params->epsilon * gap)) +
                          1.0;
    const double h = sqrt(log(8.0 * share) / (2.0 * rounds));
    const double c = log(4.0 * share) / (rounds * params->epsilon);
    return (lotor_elimination_plan){.rounds = whole(rounds), .cut = 2.0 * h + 2.0 * c};
}

/* Algorithm 10 at r = 2^l. `factor` and `last` are 10 and 16 there; they are 2 and 4 in appendix
 * A.2. */
static lotor_elimination_plan gated(const lotor_rule_params *params,
                                    const lotor_elimination_point *point, double factor,
                                    double last)
{
    const double rounds = exp2(point->step);
    const double arms = params->arms, beta = params->beta;
    const double squared = point->step * point->step;
    const double h = sqrt(log(16.0 * arms * point->viable * squared / beta) / (2.0 * rounds));
    const double final = log(4.0 * arms * point->viable / beta);
    const double c =
        (6.0 * log(4.0 * arms / beta) + 6.0 * log(8.0 * arms * squared / beta) + last * final) /
        params->epsilon;
    return (lotor_elimination_plan){
        .rounds = whole(rounds),
        .gated = true,
        .threshold = factor * h * rounds + c,
        .cut = 2.0 * h + 4.0 * final / (params->epsilon * rounds),
    };
}

static lotor_elimination_plan dp_se2(const lotor_rule_params *params,
                                     const lotor_elimination_point *point)
{
    return gated(params, point, 10.0, 16.0);
}

static lotor_elimination_plan dp_se2_modified(const lotor_rule_params *params,
                                              const lotor_elimination_point *point)
{
    return gated(params, point, 2.0, 4.0);
}

/* min over 0 < theta < epsilon of (q + r theta^2/4 - 2k log(1 - theta^2/epsilon^2)) / theta. The
 * minimum is where r theta^2/4 + 4k s/(1-s) + 2k log(1-s) = q, s = theta^2/epsilon^2. The left side
 * grows in theta. It is at least q at theta = 2 sqrt(q/r), where the minimum is without noise. The
 * width is valid for any theta: if theta is a little off, the width is a little too large. */
static double added_width(double q, double r, double k, double epsilon)
{
    const double noiseless = 2.0 * sqrt(q / r);
    double low = 0.0, high = fmin(noiseless, epsilon);
    for (int i = 0; i < 100; i++) {
        const double theta = 0.5 * (low + high), s = theta / epsilon * (theta / epsilon);
        const double left =
            0.25 * r * theta * theta + 4.0 * k * s / (1.0 - s) + 2.0 * k * log1p(-s);
        *(left < q ? &low : &high) = theta;
    }
    const double theta = low > 0.0 ? low : 0.5 * fmin(noiseless, epsilon);
    const double s = theta / epsilon * (theta / epsilon);
    return (q + 0.25 * r * theta * theta - 2.0 * k * log1p(-s)) / theta;
}

/* Our own rule. Batch k has ceil(16 * 1.5^(k-1)) pulls of each viable arm. The learner adds up the
 * k sums released so far, over r pulls. The difference of two arms' sums contains 2k draws of
 * Lap(1/epsilon). A best arm is dropped with probability at most 0.42 (K - 1) beta (rules.md). */
static lotor_elimination_plan dp_se_acc(const lotor_rule_params *params,
                                        const lotor_elimination_point *point)
{
    const double k = fmin(point->epoch, 128.0); /* batch 128 is beyond 2^62 pulls: never reached */
    double size = 16.0, pulls = 16.0;
    for (double batch = 2.0; batch <= k; batch++) {
        size *= 1.5;
        pulls += ceil(size);
    }
    const double q = log(2.0 * point->viable * k * k / params->beta);
    return (lotor_elimination_plan){
        .rounds = whole(size),
        .cut = added_width(q, pulls, k, params->epsilon) / pulls,
    };
}

const lotor_elimination_rule lotor_rule_se = {
    "se",
    "after cycle n drop arms 2 sqrt(2 log T / n) below the best",
    false,
    se,
};
const lotor_elimination_rule lotor_rule_dp_se = {
    "dp-se",
    "epochs of 32 log(8|S|e^2/beta) 4^e pulls; drop arms 2h + 2c below",
    false,
    dp_se,
};
const lotor_elimination_rule lotor_rule_dp_se2 = {
    "dp-se2",
    "gate at 10h + c/r every 2^l pulls; drop arms 2h + 4 log(4K|S|/beta)/(epsilon r) below",
    true,
    dp_se2,
};
const lotor_elimination_rule lotor_rule_dp_se2_modified = {
    "dp-se2-modified",
    "as dp-se2 with the gate at 2h + c/r and a smaller c",
    true,
    dp_se2_modified,
};

const lotor_elimination_rule lotor_rule_dp_se_acc = {
    "dp-se-acc",
    "batches of ceil(16 * 1.5^(k-1)) pulls, added up; drop arms min over 0<h<epsilon of "
    "(log(2|S|k^2/beta) + r h^2/4 - 2k log(1-h^2/epsilon^2))/h below, r pulls so far",
    false,
    dp_se_acc,
};

#define ADDRESS(name) &lotor_rule_##name,
const lotor_elimination_rule *const lotor_elimination_rules[] = {LOTOR_ELIMINATION_RULES(ADDRESS)
                                                                     NULL};
#undef ADDRESS

/* Computes the plan of the current epoch and step. */
static void make_plan(lotor_elimination *elimination)
{
    assert(elimination->count > 0 && elimination->count <= elimination->arms);
    const lotor_elimination_point point = {(double)elimination->count, (double)elimination->epoch,
                                           (double)elimination->step};
    elimination->plan = elimination->rule->plan(&elimination->params, &point);
    assert(elimination->plan.rounds > 0 && elimination->plan.gated == elimination->rule->gated);
    elimination->plan.threshold *= elimination->width;
    elimination->plan.cut *= elimination->width;
}

lotor_status lotor_elimination_new(const lotor_elimination_rule *rule,
                                   const lotor_rule_params *params, size_t arms, double width,
                                   lotor_elimination **out)
{
    assert(rule && arms > 0);
    *out = NULL;
    size_t bytes;
    if (__builtin_mul_overflow(arms, sizeof(uint32_t), &bytes) ||
        __builtin_add_overflow(bytes, sizeof(lotor_elimination), &bytes)) {
        return LOTOR_MEMORY;
    }
    lotor_elimination *elimination = calloc(1, bytes);
    if (!elimination) {
        return LOTOR_MEMORY;
    }
    elimination->rule = rule;
    elimination->params = *params;
    elimination->width = width;
    elimination->epoch = 1;
    elimination->step = 1;
    elimination->arms = arms;
    elimination->count = arms;
    for (size_t i = 0; i < arms; i++) {
        elimination->viable[i] = (uint32_t)i;
    }
    make_plan(elimination);
    *out = elimination;
    return LOTOR_OK;
}

void lotor_elimination_free(lotor_elimination *elimination)
{
    free(elimination);
}

const uint32_t *lotor_elimination_viable(const lotor_elimination *elimination, size_t *count)
{
    *count = elimination->count;
    return elimination->viable;
}

const lotor_elimination_plan *lotor_elimination_next(const lotor_elimination *elimination)
{
    return &elimination->plan;
}

bool lotor_elimination_wants_release(const lotor_elimination *elimination)
{
    return !elimination->plan.gated || elimination->open;
}

void lotor_elimination_read_gate(lotor_elimination *elimination, const lotor_board *board)
{
    assert(elimination->plan.gated && !elimination->open);
    if (lotor_board_at(board, 1, 0)->value > 0.5) {
        elimination->open = true;
        return;
    }
    elimination->step += elimination->step < MOST_STEPS;
    make_plan(elimination);
}

static double mean_at(const lotor_board *board, uint32_t arm)
{
    const lotor_fact *fact = lotor_board_at(board, 0, arm);
    return fact->value / (double)fact->count;
}

void lotor_elimination_read_sums(lotor_elimination *elimination, const lotor_board *board)
{
    assert(lotor_elimination_wants_release(elimination));
    double largest = -INFINITY;
    for (size_t i = 0; i < elimination->count; i++) {
        largest = fmax(largest, mean_at(board, elimination->viable[i]));
    }
    size_t kept = 0;
    for (size_t i = 0; i < elimination->count; i++) {
        const uint32_t arm = elimination->viable[i];
        if (!(largest - mean_at(board, arm) > elimination->plan.cut)) {
            elimination->viable[kept++] = arm;
        }
    }
    assert(kept > 0); /* the arm with the largest mean is never dropped */
    elimination->count = kept;
    elimination->epoch++;
    elimination->step = 1;
    elimination->open = false;
    make_plan(elimination);
}

void lotor_elimination_save(const lotor_elimination *elimination, lotor_writer *writer)
{
    lotor_write_u64(writer, elimination->epoch);
    lotor_write_u64(writer, elimination->step);
    lotor_write_u64(writer, elimination->open);
    lotor_write_u64(writer, elimination->count);
    for (size_t i = 0; i < elimination->count; i++) {
        lotor_write_u64(writer, elimination->viable[i]);
    }
}

void lotor_elimination_load(lotor_elimination *elimination, lotor_reader *reader)
{
    elimination->epoch = lotor_read_u64(reader);
    elimination->step = lotor_read_u64(reader);
    const uint64_t open = lotor_read_u64(reader);
    const uint64_t count = lotor_read_u64(reader);
    lotor_read_expect(reader, elimination->epoch > 0 && elimination->step > 0 &&
                                  elimination->step <= MOST_STEPS && open <= 1);
    lotor_read_expect(reader, count > 0 && count <= elimination->arms);
    uint64_t next = 0; /* viable arms stay in increasing order */
    for (size_t i = 0; i < count && reader->status == LOTOR_OK; i++) {
        const uint64_t arm = lotor_read_u64(reader);
        lotor_read_expect(reader, arm >= next && arm < elimination->arms);
        elimination->viable[i] = (uint32_t)arm;
        next = arm + 1;
    }
    elimination->open = open == 1;
    if (reader->status == LOTOR_OK) { /* otherwise the caller throws the learner away */
        elimination->count = (size_t)count;
        make_plan(elimination);
    }
}
