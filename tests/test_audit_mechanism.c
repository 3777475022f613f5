/* test_audit_mechanism.c - audits of mechanisms that the library does not know: right ones pass, and
 * a table of planted bugs is found.
 *
 * A claim that holds is called violated with probability at most 1e-6 per audit (the default
 * confidence), and all seeds are fixed.
 */
#include "support/test.h"

#include <lotor/audit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/laws.h"

/* --- mechanisms --------------------------------------------------------------------------------- */

/* One run: writes at most 8 numbers, and returns how many. */
typedef size_t mechanism(lotor_generator *random, unsigned input, double *out);

static lotor_status run(void *context, const lotor_audit_call *call, lotor_message *why)
{
    (void)why;
    mechanism *const *one = context;
    lotor_generator random;
    lotor_generator_seed(&random, call->seed);
    for (size_t i = 0; i < call->runs; i++) {
        call->counts[i] = (*one)(&random, call->input, call->outputs + i * call->capacity);
    }
    return LOTOR_OK;
}

static double uniform(lotor_generator *random)
{
    return (double)(lotor_generator_word(random) >> 11) * 0x1p-53;
}

/* The difference of two geometric variables: e^-|k| up to a factor. */
static double discrete_laplace(lotor_generator *random, double scale)
{
    return floor(-scale * log1p(-uniform(random))) - floor(-scale * log1p(-uniform(random)));
}

static size_t laplace(lotor_generator *random, unsigned input, double *out)
{
    out[0] = input + discrete_laplace(random, 1.0);
    return 1;
}

/* Two sums, of which one person moves one. */
static size_t two_sums(lotor_generator *random, unsigned input, double *out)
{
    out[0] = 10.0 + input + discrete_laplace(random, 1.0);
    out[1] = 7.0 + discrete_laplace(random, 1.0);
    return 2;
}

/* Rounded, so that the low bits tell nothing. A shift of m = 0.9 deviations has at epsilon 1 the delta
 * Phi(m/2 - 1/m) - e Phi(-m/2 - 1/m) = 0.2543 - e 0.0593 = 0.093; the claim says 0.1. */
static size_t gaussian(lotor_generator *random, unsigned input, double *out)
{
    out[0] = 5.0 + rint(1024.0 * (0.9 * input + lotor_random_gaussian(random))) / 1024.0;
    return 1;
}

/* Warner's: the truth with probability e/(1 + e). */
static size_t randomized_response(lotor_generator *random, unsigned input, double *out)
{
    const bool is_true = uniform(random) < exp(1.0) / (1.0 + exp(1.0));
    out[0] = is_true ? input : 1 - input;
    return 1;
}

/* The exponential mechanism over 5 candidates; one person moves every score by at most 1. */
static size_t exponential(lotor_generator *random, unsigned input, double *out)
{
    static const double scores[2][5] = {{3, 2, 2, 1, 0}, {2, 3, 3, 1, 1}};
    double best = -INFINITY;
    for (size_t i = 0; i < 5; i++) { /* Gumbel noise on the scores gives its law */
        const double gumbel = -log(-log(uniform(random) + 0x1p-54));
        const double score = 0.5 * scores[input][i] + gumbel;
        out[0] = score > best ? (double)i : out[0];
        best = score > best ? score : best;
    }
    return 1;
}

/* The sparse vector technique, one answer: noise 2/epsilon on the threshold, 4/epsilon on the
 * queries. */
static size_t sparse(lotor_generator *random, unsigned input, double *out)
{
    const double threshold = 1.0 + lotor_random_laplace(random, 2.0);
    size_t count = 0;
    for (bool is_above = false; count < 6 && !is_above; count++) {
        const double query = count % 2 == 0 ? input : 1.0 - input;
        is_above = query + lotor_random_laplace(random, 4.0) >= threshold;
        out[count] = is_above;
    }
    return count;
}

/* Numbers of very different sizes, whose noise has the right scale for each. */
static size_t far_sums(lotor_generator *random, unsigned input, double *out)
{
    out[0] = 1e12 + 1e6 * (input + discrete_laplace(random, 2.0));
    out[1] = 0x1p-200 * (input + discrete_laplace(random, 2.0));
    return 2;
}

static size_t constant(lotor_generator *random, unsigned input, double *out)
{
    (void)random;
    (void)input;
    out[0] = 3.0;
    return 1;
}

static size_t silent(lotor_generator *random, unsigned input, double *out)
{
    (void)random;
    (void)input;
    (void)out;
    return 0;
}

/* --- planted bugs ------------------------------------------------------------------------------- */

static size_t half_noise(lotor_generator *random, unsigned input, double *out)
{
    out[0] = input + discrete_laplace(random, 0.5);
    return 1;
}

static size_t half_noise_gaussian(lotor_generator *random, unsigned input, double *out)
{
    out[0] = 5.0 + rint(1024.0 * (1.8 * input + lotor_random_gaussian(random))) / 1024.0;
    return 1;
}

/* The third number has no noise. It is neither 0 nor 1 nor whole. */
static size_t no_noise_in_one(lotor_generator *random, unsigned input, double *out)
{
    for (size_t i = 0; i < 5; i++) {
        out[i] = 0.3 + input + lotor_random_laplace(random, 5.0);
    }
    out[2] = 0.3 + input;
    return 5;
}

/* Each number alone is private; their difference is exact. */
static size_t repeated_noise(lotor_generator *random, unsigned input, double *out)
{
    const double noise = lotor_random_laplace(random, 100.0);
    out[0] = 12.7 + input + noise;
    out[1] = lotor_random_laplace(random, 100.0);
    out[2] = 3.1 + noise;
    return 3;
}

static size_t opposite_noise(lotor_generator *random, unsigned input, double *out)
{
    const double noise = lotor_random_laplace(random, 100.0);
    out[0] = 12.7 + input + noise;
    out[1] = 3.1 - noise;
    return 2;
}

/* The noise of the third number is the sum of the noise of the others. */
static size_t dependent_noise(lotor_generator *random, unsigned input, double *out)
{
    const double a = lotor_random_gaussian(random), b = lotor_random_gaussian(random);
    out[0] = 100.0 * a;
    out[1] = 100.0 * b;
    out[2] = input + 100.0 * (a + b);
    return 3;
}

/* Exclusive or: each number alone is a fair coin. */
static size_t masked_bit(lotor_generator *random, unsigned input, double *out)
{
    const unsigned mask = lotor_generator_word(random) & 1;
    out[0] = mask;
    out[1] = mask ^ input;
    return 2;
}

/* The noise comes from the data alone. */
static size_t seeded_by_data(lotor_generator *random, unsigned input, double *out)
{
    lotor_generator own;
    (void)random;
    lotor_generator_seed(&own, input);
    out[0] = input + lotor_random_laplace(&own, 10.0);
    return 1;
}

/* A thousand seeds, and the same noise for each: exact values repeat. */
static size_t few_seeds(lotor_generator *random, unsigned input, double *out)
{
    lotor_generator own;
    lotor_generator_seed(&own, lotor_generator_word(random) % 1000);
    out[0] = input + lotor_random_laplace(&own, 100.0);
    return 1;
}

/* The textbook Laplace mechanism in doubles (test_float_attack.c). Epsilon is 0.1. */
static size_t naive_laplace(lotor_generator *random, unsigned input, double *out)
{
    out[0] = input + lotor_random_laplace(random, 10.0);
    return 1;
}

/* The same with sums that are not 0 and 1: 0.25 and 64.25, which the handwritten event knows nothing
 * about. */
static size_t naive_laplace_elsewhere(lotor_generator *random, unsigned input, double *out)
{
    out[0] = 64.0 * input + 0.25 + lotor_random_laplace(random, 640.0);
    return 1;
}

/* Whole noise hides the whole part alone. */
static size_t fraction_left(lotor_generator *random, unsigned input, double *out)
{
    out[0] = 0.7 * input + discrete_laplace(random, 10.0);
    return 1;
}

static size_t length_of_data(lotor_generator *random, unsigned input, double *out)
{
    const size_t count = 3 + input;
    for (size_t i = 0; i < count; i++) {
        out[i] = lotor_random_laplace(random, 10.0);
    }
    return count;
}

static size_t division_by_zero(lotor_generator *random, unsigned input, double *out)
{
    out[0] = lotor_random_laplace(random, 1.0);
    out[1] = lotor_random_laplace(random, 1.0) / input;
    return 2;
}

static size_t not_a_number(lotor_generator *random, unsigned input, double *out)
{
    out[0] = lotor_random_laplace(random, 1.0);
    out[1] = input == 0 && uniform(random) < 0.01 ? NAN : 2.0;
    return 2;
}

/* The sign of an exact 0. */
static size_t signed_zero(lotor_generator *random, unsigned input, double *out)
{
    (void)random;
    out[0] = input ? -0.0 : 0.0;
    return 1;
}

/* Sparse vector without noise on the queries (algorithm 5 in Lyu et al. 2017). */
static size_t sparse_without_noise(lotor_generator *random, unsigned input, double *out)
{
    const double threshold = 0.5 + lotor_random_laplace(random, 2.0);
    out[0] = (double)input >= threshold;
    out[1] = 1.0 - input >= threshold;
    return 2;
}

/* Sparse vector that answers on and on with the noise of one answer (algorithm 6 there). */
static size_t sparse_without_end(lotor_generator *random, unsigned input, double *out)
{
    const double threshold = lotor_random_laplace(random, 2.0);
    for (size_t i = 0; i < 8; i++) {
        const double query = i < 4 ? input : -(double)input;
        out[i] = query + lotor_random_laplace(random, 2.0) >= threshold;
    }
    return 8;
}

/* A rare failure: once in 50 runs the data come out as they are. */
static size_t rare_leak(lotor_generator *random, unsigned input, double *out)
{
    const double noise = discrete_laplace(random, 10.0);
    out[0] = uniform(random) < 0.02 ? 1000.0 + input : input + noise;
    return 1;
}

/* --- audits ------------------------------------------------------------------------------------- */

static lotor_audit_mechanism_params quick(mechanism **one)
{
    return (lotor_audit_mechanism_params){.run = run,
                                          .context = (void *)one,
                                          .trials = 20000,
                                          .is_seeded = true,
                                          .seed = 7,
                                          .outputs = 8,
                                          .batch = 100};
}

static lotor_audit_result audit(const lotor_audit_mechanism_params *params)
{
    lotor_audit_result result;
    lotor_message why = {""};
    if (lotor_audit_mechanism(params, &why, &result) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return result;
}

typedef struct row {
    const char *name;
    mechanism *one;
    lotor_ratio epsilon, delta; /* the claim */
    double found;               /* right mechanisms: at least this much of it is seen */
} row;

static const row right[] = {
    {"laplace", laplace, {1, 1}, {0, 0}, 0.75},
    {"two sums", two_sums, {1, 1}, {0, 0}, 0.7},
    {"gaussian", gaussian, {1, 1}, {1, 10}, 0.35},
    {"randomized response", randomized_response, {1, 1}, {0, 0}, 0.8},
    {"exponential", exponential, {1, 1}, {0, 0}, 0.3},
    {"sparse", sparse, {1, 1}, {0, 0}, 0.1},
    {"far sums", far_sums, {1, 1}, {0, 0}, 0.6},
};

static const row bugs[] = {
    {"half the noise", half_noise, {1, 1}, {0, 0}, 1.0},
    {"half the noise, Gaussian", half_noise_gaussian, {1, 1}, {1, 10}, 1.0},
    {"no noise in one number", no_noise_in_one, {1, 1}, {0, 0}, 5.0},
    {"repeated noise", repeated_noise, {1, 1}, {0, 0}, 5.0},
    {"opposite noise", opposite_noise, {1, 1}, {0, 0}, 5.0},
    {"dependent noise", dependent_noise, {1, 1}, {0, 0}, 5.0},
    {"a masked bit", masked_bit, {1, 1}, {0, 0}, 5.0},
    {"seeded by the data", seeded_by_data, {1, 1}, {0, 0}, 5.0},
    {"few seeds", few_seeds, {1, 1}, {0, 0}, 2.0},
    {"naive floating point", naive_laplace, {1, 10}, {0, 0}, 1.0},
    {"naive floating point elsewhere", naive_laplace_elsewhere, {1, 10}, {0, 0}, 0.2},
    {"the fraction is left", fraction_left, {1, 1}, {0, 0}, 5.0},
    {"length of the data", length_of_data, {1, 1}, {0, 0}, 5.0},
    {"division by zero", division_by_zero, {1, 1}, {0, 0}, 5.0},
    {"not a number", not_a_number, {1, 1}, {0, 0}, 1.0},
    {"signed zero", signed_zero, {1, 1}, {0, 0}, 5.0},
    {"sparse vector without noise", sparse_without_noise, {1, 1}, {0, 0}, 3.0},
    {"sparse vector without end", sparse_without_end, {1, 1}, {0, 0}, 1.0},
    {"rare leak", rare_leak, {1, 1}, {0, 0}, 1.0},
};

TEST(right_mechanisms_pass)
{
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        mechanism *one = right[i].one;
        lotor_audit_mechanism_params params = quick(&one);
        params.epsilon = right[i].epsilon;
        params.delta = right[i].delta;
        for (params.seed = 1; params.seed <= 5; params.seed++) {
            const lotor_audit_result result = audit(&params);
            print_message("%-20s at least %.3f: %s, by %s: %s\n", right[i].name, result.found,
                          result.verdict, result.attack, result.event);
            assert_false(result.is_violated);
            assert_true(result.found <= result.epsilon);
            assert_true(result.found >= right[i].found);
        }
    }
}

TEST(planted_bugs_are_found)
{
    for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++) {
        mechanism *one = bugs[i].one;
        lotor_audit_mechanism_params params = quick(&one);
        params.epsilon = bugs[i].epsilon;
        params.delta = bugs[i].delta;
        const lotor_audit_result result = audit(&params);
        print_message("%-30s at least %.3f, by %s: %s\n", bugs[i].name, result.found, result.attack,
                      result.event);
        assert_true(result.is_violated && result.kind == LOTOR_AUDIT_VIOLATED);
        assert_string_equal(result.verdict, "violated");
        assert_true(result.found > bugs[i].found);
        assert_true(result.event[0] != '\0' && result.events > 0);
    }
}

TEST(nothing_seen_says_nothing)
{
    mechanism *one = constant;
    lotor_audit_mechanism_params params = quick(&one);
    lotor_audit_result result = audit(&params);
    assert_int_equal(result.kind, LOTOR_AUDIT_NOTHING_SEEN);
    assert_true(result.found == 0.0 && !result.is_varied);
    one = silent;
    result = audit(&params);
    assert_int_equal(result.kind, LOTOR_AUDIT_UNSEEN);
    assert_int_equal(result.seen, 0);
}

/* Data that come out as they are, but nothing is claimed; and noise for a tenth of the claim. */
TEST(verdicts_depend_on_the_claim)
{
    mechanism *one = half_noise;
    lotor_audit_mechanism_params params = quick(&one);
    params.epsilon = lotor_ratio_of(1, 0);
    assert_int_equal(audit(&params).kind, LOTOR_AUDIT_CLAIMS_NOTHING);
    params.epsilon = lotor_ratio_of(20, 1);
    const lotor_audit_result loose = audit(&params);
    assert_int_equal(loose.kind, LOTOR_AUDIT_LOOSE);
    assert_true(loose.looseness > 5.0 && loose.looseness < 20.0);
    params.epsilon = (lotor_ratio){0, 0};
    assert_true(audit(&params).epsilon == 1.0);
}

TEST(the_result_says_what_was_done)
{
    mechanism *one = length_of_data;
    const lotor_audit_mechanism_params params = quick(&one);
    const lotor_audit_result result = audit(&params);
    assert_string_equal(result.view, "outputs");
    assert_string_equal(result.inputs, "the two inputs");
    assert_string_equal(result.setting, "outputs of 3 to 4 numbers");
    assert_true(result.seen == 4 && result.trials == 20000 && result.noise_scale == 1.0);
    assert_true(result.confidence == LOTOR_AUDIT_CONFIDENCE_DEFAULT && result.seconds > 0.0);
    assert_non_null(strstr(result.exercised, "one pair of inputs; outputs of 3 to 4 numbers"));
    assert_non_null(strstr(result.not_exercised, "other pairs of inputs"));
    assert_non_null(strstr(result.event, "% of the trials when the first input is given, in "));
}

static void assert_says(mechanism *one, const char *words)
{
    const lotor_audit_mechanism_params params = quick(&one);
    const lotor_audit_result result = audit(&params);
    if (!strstr(result.event, words)) {
        fail_msg("\"%s\" does not say \"%s\"", result.event, words);
    }
}

TEST(the_event_is_said)
{
    assert_says(masked_bit, "all numbers of the output are equal: in 100% of the trials");
    assert_says(repeated_noise, "number 3 minus number 1 is at or above -9.6: in 100%");
    assert_says(opposite_noise, "number 2 plus number 1 is from 15.8 to below 16.8: in 100%");
    assert_says(dependent_noise, "number 1 + number 2 - number 3 is");
    assert_says(fraction_left, "all numbers of the output are whole: in 100%");
    assert_says(few_seeds, "learned ones, such as (");
    assert_says(signed_zero, "the output is one of 1 learned ones, such as (");
}

TEST(threads_and_progress_change_nothing)
{
    mechanism *one = two_sums;
    lotor_audit_mechanism_params params = quick(&one);
    params.threads = 1;
    const lotor_audit_result first = audit(&params);
    params.threads = 5;
    const lotor_audit_result again = audit(&params);
    assert_true(first.found == again.found && strcmp(first.event, again.event) == 0);
    params.seed = 8;
    assert_true(audit(&params).found != first.found);
    params.is_seeded = false;
    assert_true(audit(&params).found != audit(&params).found);
}

/* --- calls -------------------------------------------------------------------------------------- */

typedef struct caller {
    size_t runs[2], calls, most;
    uint64_t seeds[4096];
    bool fails;
    size_t too_many;
} caller;

static lotor_status count_calls(void *context, const lotor_audit_call *call, lotor_message *why)
{
    caller *self = context;
    (void)why;
    assert_true(call->input < 2 && call->runs > 0 && call->capacity == 2);
    self->runs[call->input] += call->runs;
    self->most = call->runs > self->most ? call->runs : self->most;
    self->seeds[self->calls++] = call->seed;
    for (size_t i = 0; i < call->runs; i++) {
        call->outputs[i * call->capacity] = (double)(call->seed >> 40);
        call->counts[i] = 1 + (call->seed % 2);
        if (call->counts[i] == 2) {
            call->outputs[i * call->capacity + 1] = 0.5;
        }
    }
    return LOTOR_OK;
}

static int compare(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

/* 1000 trials and 512 runs of the probe, half of each input. No two calls have the same seed. */
TEST(runs_and_seeds_are_as_promised)
{
    static const size_t batches[] = {0, 1, 7, 300};
    for (size_t i = 0; i < 4; i++) {
        caller self = {.calls = 0};
        const lotor_audit_mechanism_params params = {.run = count_calls,
                                                     .context = &self,
                                                     .trials = 1000,
                                                     .outputs = 2,
                                                     .threads = 1,
                                                     .batch = batches[i],
                                                     .is_seeded = true,
                                                     .seed = 1};
        (void)audit(&params);
        assert_int_equal(self.runs[0], 756);
        assert_int_equal(self.runs[1], 756);
        assert_true(self.most <= (batches[i] ? batches[i] : 1));
        qsort(self.seeds, self.calls, sizeof *self.seeds, compare);
        for (size_t j = 1; j < self.calls; j++) {
            assert_true(self.seeds[j] != self.seeds[j - 1]);
        }
    }
}

static lotor_status fail_later(void *context, const lotor_audit_call *call, lotor_message *why)
{
    caller *self = context;
    if (self->calls++ >= 600 && self->fails) {
        snprintf(why->text, sizeof why->text, "the disk is full");
        return LOTOR_IO;
    }
    call->outputs[0] = 1.0;
    call->counts[0] = self->calls > 600 && self->too_many ? self->too_many : 1;
    return LOTOR_OK;
}

static lotor_status fail_silently(void *context, const lotor_audit_call *call, lotor_message *why)
{
    (void)context;
    (void)call;
    (void)why;
    return LOTOR_RANGE;
}

static void assert_refused(lotor_audit_mechanism_params params, lotor_status expected,
                           const char *words)
{
    lotor_audit_result result = {.trials = 99};
    lotor_message why = {""};
    assert_int_equal(lotor_audit_mechanism(&params, &why, &result), expected);
    if (!strstr(why.text, words)) {
        fail_msg("\"%s\" does not say \"%s\"", why.text, words);
    }
    assert_int_equal(result.trials, 99);
}

TEST(failures_of_the_mechanism_come_out)
{
    caller self = {.fails = true};
    lotor_audit_mechanism_params params = {
        .run = fail_later, .context = &self, .outputs = 3, .threads = 1};
    assert_refused(params, LOTOR_IO, "the disk is full");
    self = (caller){.too_many = 4};
    assert_refused(params, LOTOR_INVALID,
                   "an output of the mechanism has 4 numbers: expected at most 3");
    params.run = fail_silently;
    assert_refused(params, LOTOR_RANGE, "the mechanism failed, without a reason");
    assert_int_equal(lotor_audit_mechanism(&params, NULL, &(lotor_audit_result){0}), LOTOR_RANGE);
}

/* The same coins in every call, whatever the seed. */
static lotor_status repeat_noise(void *context, const lotor_audit_call *call, lotor_message *why)
{
    (void)why;
    mechanism *const *one = context;
    lotor_generator random;
    lotor_generator_seed(&random, 5);
    for (size_t i = 0; i < call->runs; i++) {
        call->counts[i] = (*one)(&random, call->input, call->outputs + i * call->capacity);
    }
    return LOTOR_OK;
}

/* Their runs are not independent. A constant is accepted: it has no noise that could repeat. */
TEST(noise_that_comes_again_is_refused)
{
    mechanism *const noisy[] = {laplace, randomized_response, exponential, rare_leak};
    for (size_t i = 0; i < 4; i++) {
        mechanism *one = noisy[i];
        lotor_audit_mechanism_params params = quick(&one);
        params.run = repeat_noise;
        params.batch = 500;
        assert_refused(params, LOTOR_INVALID, "gave the same 200 outputs twice");
        params.threads = 1;
        assert_refused(params, LOTOR_INVALID, "gave the same 200 outputs twice");
        params.run = run;
        (void)audit(&params);
    }
    static mechanism *const steady[] = {constant, silent, seeded_by_data, signed_zero,
                                        not_a_number};
    for (size_t i = 0; i < 5; i++) {
        mechanism *one = steady[i];
        lotor_audit_mechanism_params params = quick(&one);
        params.batch = 500;
        (void)audit(&params);
    }
}

TEST(what_makes_no_sense_is_refused)
{
    mechanism *one = laplace;
    assert_refused((lotor_audit_mechanism_params){0}, LOTOR_INVALID, "`run` is NULL");
    lotor_audit_mechanism_params bad = quick(&one);
    bad.epsilon = lotor_ratio_of(0, 1);
    assert_refused(bad, LOTOR_INVALID, "epsilon must be above 0");
    bad = quick(&one);
    bad.delta = lotor_ratio_of(1, 1);
    assert_refused(bad, LOTOR_INVALID, "delta must be below 1, not 1");
    bad.delta = lotor_ratio_of(1, 0);
    assert_refused(bad, LOTOR_INVALID, "delta must be below 1");
    bad = quick(&one);
    bad.trials = 999;
    assert_refused(bad, LOTOR_INVALID, "999 trials are too few: give at least 1000");
    bad.trials = (UINT64_C(1) << 40) + 1;
    assert_refused(bad, LOTOR_INVALID, "1099511627777 trials are too many: expected at most 2^40");
    bad = quick(&one);
    bad.outputs = LOTOR_AUDIT_OUTPUTS_MAX + 1;
    assert_refused(bad, LOTOR_INVALID, "outputs of 257 numbers are too long");
    bad = quick(&one);
    bad.batch = LOTOR_AUDIT_BATCH_MAX + 1;
    assert_refused(bad, LOTOR_INVALID, "a batch of 16385 runs is too large");
    bad = quick(&one);
    bad.threads = 257;
    assert_refused(bad, LOTOR_INVALID, "257 threads are too many");
    static const double confidences[] = {0.4, 1.0, -0.5, NAN};
    for (size_t i = 0; i < 4; i++) {
        bad = quick(&one);
        bad.confidence = confidences[i];
        assert_refused(bad, LOTOR_INVALID, "the confidence must lie between 0.5 and 1");
    }
}

typedef struct watcher {
    size_t calls;
    double last, until;
} watcher;

static bool watch(void *context, double share)
{
    watcher *self = context;
    assert_true(share >= self->last && share <= 1.0);
    self->last = share;
    self->calls++;
    return share >= self->until;
}

TEST(it_is_watched_and_stopped)
{
    mechanism *one = laplace;
    watcher watched = {.until = 2.0};
    lotor_audit_mechanism_params params = quick(&one);
    params.progress = watch;
    params.progress_context = &watched;
    (void)audit(&params);
    assert_true(watched.calls > 0 && watched.last == 1.0);
    watched = (watcher){.until = 0.0};
    assert_refused(params, LOTOR_STOPPED, "stopped before all trials were played");
}

/* Every length up to the longest is read, also where a float could not hold it. */
static lotor_status widest(void *context, const lotor_audit_call *call, lotor_message *why)
{
    (void)why;
    const size_t *length = context;
    lotor_generator random;
    lotor_generator_seed(&random, call->seed);
    for (size_t i = 0; i < call->runs; i++) {
        double *out = call->outputs + i * call->capacity;
        for (size_t j = 0; j < *length; j++) {
            out[j] = 1e300 * (double)(j % 3) + lotor_random_laplace(&random, 1.0);
        }
        out[*length - 1] = call->input + lotor_random_laplace(&random, 0.5);
        call->counts[i] = *length;
    }
    return LOTOR_OK;
}

TEST(the_last_of_many_numbers_is_read)
{
    static const size_t lengths[] = {1, 2, 3, 15, 16, 64, 255, 256};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t length = lengths[i];
        const lotor_audit_mechanism_params params = {.run = widest,
                                                     .context = &length,
                                                     .trials = 10000,
                                                     .batch = 100,
                                                     .is_seeded = true,
                                                     .seed = 3};
        const lotor_audit_result result = audit(&params);
        print_message("%zu numbers: at least %.3f, %s\n", length, result.found, result.event);
        assert_true(result.is_violated && result.found <= 40.0);
        assert_int_equal(result.seen, length);
    }
}
