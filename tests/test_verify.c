/* test_verify.c - the exact verifier agrees with closed forms, and rejects mechanisms that are
 * slightly wrong.
 *
 * Nothing here is random. Comparisons with doubles allow for their rounding, as stated. The
 * tests named after mechanisms must fail in libraries that are broken on purpose: scripts/mutants. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/verify.h"
#include "lab/verify_drive.h"
#include "lab/verify_local.h"
#include "lab/verify_poly.h"
#include "lab/verify_sparse.h"
#include "lab/verify_table.h"
#include "privacy/release/scale.h"
#include "support/draw.h"

enum { MOST_FINDINGS = 32 };

typedef struct findings {
    size_t count;
    lotor_verify_finding at[MOST_FINDINGS];
} findings;

static void collect(void *context, const lotor_verify_finding *finding)
{
    findings *all = context;
    assert_true(all->count < MOST_FINDINGS);
    all->at[all->count++] = *finding;
}

static findings verify(const char *id, lotor_verify_request request)
{
    findings all = {.count = 0};
    lotor_message why = {""};
    const lotor_verify_mechanism *mechanism = lotor_verify_find(id);
    assert_non_null(mechanism);
    const lotor_status status = lotor_verify(mechanism, &request, &why, collect, &all);
    if (status != LOTOR_OK) {
        fail_msg("%s: %s", id, why.text);
    }
    assert_true(all.count > 0);
    return all;
}

static lotor_status refuses(const char *id, lotor_verify_request request)
{
    findings all = {.count = 0};
    lotor_message why = {""};
    const lotor_status status = lotor_verify(lotor_verify_find(id), &request, &why, collect, &all);
    assert_true(status == LOTOR_OK || strlen(why.text) > 20);
    return status;
}

static const lotor_verify_request usual = {{0, 0}, {0, 0}, {0, 0}};

static void assert_holds(const char *id)
{
    const findings all = verify(id, usual);
    for (size_t i = 0; i < all.count; i++) {
        if (!all.at[i].holds) {
            fail_msg("%s, %s: the loss is %s", id, all.at[i].setting, all.at[i].exact);
        }
        assert_true(all.at[i].compared > 0);
        assert_false(all.at[i].is_leak);
    }
}

/* --- one test per mechanism, named after it: scripts/mutants expects these to fail ------------ */

#define HOLDS(name)                                                                                \
    TEST(name##_holds)                                                                             \
    {                                                                                              \
        assert_holds(#name);                                                                       \
    }
HOLDS(laplace)
HOLDS(gaussian)
HOLDS(tree)
HOLDS(hybrid)
HOLDS(batch)
HOLDS(sparse)
HOLDS(response)
HOLDS(positions)
HOLDS(cube)

TEST(every_mechanism_is_tested)
{
    static const char *const tested[] = {"laplace", "gaussian", "tree",      "hybrid", "batch",
                                         "sparse",  "response", "positions", "cube"};
    size_t count = 0;
    for (const lotor_verify_mechanism *row = lotor_verify_mechanisms; row->id; row++) {
        if (!row->is_leak) {
            assert_true(count < sizeof tested / sizeof *tested);
            assert_string_equal(row->id, tested[count]);
            count++;
        }
    }
    assert_int_equal(count, sizeof tested / sizeof *tested);
    assert_null(lotor_verify_find("lapalce"));
}

TEST(every_known_leak_is_found)
{
    size_t leaks = 0;
    for (const lotor_verify_mechanism *row = lotor_verify_mechanisms; row->id; row++) {
        if (row->is_leak) {
            const findings all = verify(row->id, usual);
            for (size_t i = 0; i < all.count; i++) {
                assert_true(all.at[i].is_leak);
                assert_false(all.at[i].holds);
                assert_true(all.at[i].loss > lotor_ratio_to_double(all.at[i].epsilon));
            }
            leaks++;
        }
    }
    assert_int_equal(leaks, 4);
}

/* --- Laplace ---------------------------------------------------------------------------------- */

/* The worst loss is distance / scale. Whole multiples, so that rounding up changes nothing. */
TEST(laplace_is_distance_over_scale)
{
    static const lotor_ratio epsilons[] = {{1, 10}, {1, 4}, {1, 1}, {2, 1}, {8, 1}};
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        const findings all = verify("laplace", (lotor_verify_request){.epsilon = epsilons[i]});
        for (size_t j = 0; j < all.count; j++) {
            assert_true(all.at[j].loss == lotor_ratio_to_double(epsilons[i]));
            assert_string_equal(all.at[j].exact, lotor_fraction_text(epsilons[i]).text);
            assert_true(all.at[j].holds);
        }
    }
    /* epsilon 0.3 at distance 8: 8/0.3 rounds up to 27 */
    const findings rounded = verify("laplace", (lotor_verify_request){.epsilon = {3, 10}});
    assert_string_equal(rounded.at[0].exact, "8/27");
    assert_true(rounded.at[0].holds);
}

TEST(laplace_one_percent_short_is_rejected)
{
    static const lotor_ratio epsilons[] = {{1, 10}, {1, 4}, {1, 1}, {2, 1}};
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        const findings all = verify(
            "laplace", (lotor_verify_request){.epsilon = epsilons[i], .noise_scale = {99, 100}});
        for (size_t j = 0; j < all.count; j++) {
            assert_false(all.at[j].holds);
        }
    }
    const findings one =
        verify("laplace", (lotor_verify_request){.epsilon = {1, 1}, .noise_scale = {99, 100}});
    assert_string_equal(one.at[0].exact, "100/99");
    /* and noise that is too small by a part in 10^15 */
    const findings hair = verify(
        "laplace", (lotor_verify_request){.epsilon = {1, 1},
                                          .noise_scale = {999999999999999, 1000000000000000}});
    assert_false(hair.at[0].holds);
    const findings more =
        verify("laplace", (lotor_verify_request){.epsilon = {1, 1}, .noise_scale = {101, 100}});
    assert_true(more.at[0].holds);
    assert_string_equal(more.at[0].exact, "100/101");
}

TEST(one_percent_short_is_rejected_everywhere)
{
    static const char *const tight[] = {"tree",     "hybrid",    "batch", "sparse",
                                        "response", "positions", "cube"};
    for (size_t i = 0; i < sizeof tight / sizeof *tight; i++) {
        const findings all =
            verify(tight[i], (lotor_verify_request){.epsilon = {1, 1}, .noise_scale = {99, 100}});
        size_t rejected = 0;
        for (size_t j = 0; j < all.count; j++) {
            rejected += !all.at[j].holds;
        }
        /* A short hybrid is not tight, and neither is sparse vector if queries are close. */
        assert_true(rejected >= all.count / 2);
    }
}

/* --- the Gaussian ----------------------------------------------------------------------------- */

/* The definition, summed in doubles: sum over k of max(0, P(k) - e^epsilon P(k - d)). Terms are
 * positive, so the sum is right to about 1e-13; e^(-k^2/...) costs another 1e-14 each. */
static double delta_by_definition(double sigma, double epsilon, int distance)
{
    double sum = 0, whole = 0;
    const int reach = (int)(40 * sigma);
    for (int k = -reach; k <= reach; k++) {
        const double p = exp(-(double)k * k / (2 * sigma * sigma));
        const double away = (double)(k - distance) * (k - distance) / (2 * sigma * sigma);
        const double loss = away - (double)k * k / (2 * sigma * sigma) - epsilon;
        whole += p;
        sum += loss > 0 ? p * -expm1(-loss) : 0;
    }
    return sum / whole;
}

TEST(gaussian_bounds_enclose_the_definition)
{
    static const lotor_ratio epsilons[] = {{1, 10}, {1, 2}, {1, 1}, {4, 1}};
    static const double deltas[] = {1e-3, 1e-5, 1e-8};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 3; j++) {
            const uint64_t den = (uint64_t)llround(1 / deltas[j]);
            const lotor_verify_request request = {.epsilon = epsilons[i], .delta = {1, den}};
            const findings all = verify("gaussian", request);
            for (size_t k = 0; k < all.count; k++) {
                const lotor_verify_finding *at = &all.at[k];
                unsigned long long scale, drawn;
                int most, worst;
                assert_int_equal(sscanf(at->setting, "distance up to %d, sigma %llu, drawn %llu",
                                        &most, &scale, &drawn),
                                 3);
                assert_int_equal(sscanf(at->inputs, "sums 0 and %d", &worst), 1);
                assert_int_equal(worst, most);
                const double expected =
                    delta_by_definition((double)drawn, lotor_ratio_to_double(epsilons[i]), worst);
                assert_true(fabs(at->delta_low / expected - 1) < 1e-11);
                assert_true(at->delta_low <= at->delta_high);
                assert_true(at->delta_high - at->delta_low <= 1e-12 * at->delta_low);
                assert_true(at->holds);
                assert_true(at->account_delta >= at->delta_high && at->account_covers);
                assert_true(isnan(at->loss));
            }
        }
    }
}

/* zCDP costs about 8% of sigma: 1% less noise is fine there, a fifth less is not. */
TEST(gaussian_noise_too_small_is_rejected)
{
    const lotor_verify_request request = {.epsilon = {1, 1}, .noise_scale = {4, 5}};
    const findings all = verify("gaussian", request);
    assert_false(all.at[all.count - 1].holds);
}

/* --- counters --------------------------------------------------------------------------------- */

/* One level fewer: levels / (levels - 1) instead of 1, by hand for 3, 4, 7, 8 values. */
TEST(a_level_fewer_is_its_share)
{
    static const char *const expected[] = {"2", "3/2", "3/2", "4/3"};
    const findings all = verify("tree-short", usual);
    assert_int_equal(all.count, 4);
    for (size_t i = 0; i < all.count; i++) {
        assert_string_equal(all.at[i].exact, expected[i]);
    }
    const findings tree = verify("tree", usual);
    for (size_t i = 0; i < tree.count; i++) {
        assert_string_equal(tree.at[i].exact, "1");
    }
}

/* --- sparse vector ---------------------------------------------------------------------------- */

static double tail_above(double x, int k)
{
    return k >= 0 ? pow(x, k) / (1 + x) : 1 - pow(x, 1 - k) / (1 + x);
}

/* The definition: the sum over the threshold's noise, in doubles, up to 200 scales. */
static double answers_by_definition(const lotor_sparse_answers *answers, double x, int reach)
{
    double sum = 0;
    for (int z = -reach; z <= reach; z++) {
        double product = (1 - x) / (1 + x) * pow(x, abs(z));
        for (size_t i = 0; i < answers->refused; i++) {
            product *= 1 - tail_above(x, z - (int)answers->no[i]);
        }
        if (answers->accepted) {
            product *= tail_above(x, z - (int)answers->yes);
        }
        sum += product;
    }
    return sum;
}

static double value_at(const lotor_poly *a, double x)
{
    double value = 0;
    for (size_t i = a->length; i-- > 0;) {
        value = value * x + (double)a->at[i];
    }
    return value;
}

/* (1+x)^(n+1) (1-x^2)...(1-x^(n+1)) */
static void denominator(size_t asked, lotor_poly *out)
{
    lotor_poly next;
    lotor_poly_set(out, 1);
    for (size_t i = 0; i <= asked; i++) {
        lotor_poly_copy(&next, out);
        lotor_poly_add_shifted(&next, out, 1, 1);
        lotor_poly_copy(out, &next);
    }
    for (size_t c = 2; c <= asked + 1; c++) {
        lotor_poly_copy(&next, out);
        lotor_poly_add_shifted(&next, out, -1, c);
        lotor_poly_copy(out, &next);
    }
}

/* For every pair and triple of queries in -2..2: relative rounding of a few hundred terms, 1e-12. */
TEST(sparse_polynomials_are_the_definition)
{
    const double x = exp(-1.0 / 3.0);
    for (int a = -2; a <= 2; a++) {
        for (int b = -2; b <= 2; b++) {
            for (int c = -2; c <= 2; c++) {
                for (int accepted = 0; accepted < 2; accepted++) {
                    const lotor_sparse_answers answers = {
                        .refused = 2 + !accepted, .accepted = accepted, .no = {a, b, c}, .yes = c};
                    lotor_poly ways, below;
                    lotor_sparse_ways(&answers, LOTOR_SPARSE_BOTH, &ways);
                    denominator(3, &below);
                    const double found = value_at(&ways, x) / value_at(&below, x);
                    const double expected = answers_by_definition(&answers, x, 600);
                    assert_true(fabs(found / expected - 1) < 1e-11);
                }
            }
        }
    }
}

/* The probabilities of all answers add up to 1: as polynomials, exactly. */
TEST(sparse_answers_add_up_to_one)
{
    static const int64_t series[][4] = {
        {0, 0, 0, 0}, {3, -1, 2, -4}, {-5, 5, -5, 5}, {1, 2, 3, 4}, {-7, -7, -7, -9}};
    for (size_t s = 0; s < sizeof series / sizeof *series; s++) {
        lotor_poly sum, below, part, rest, next;
        lotor_poly_set(&sum, 0);
        denominator(4, &below);
        for (size_t asked = 1; asked <= 5; asked++) { /* 5: four queries, none above */
            const bool accepted = asked <= 4;
            const size_t questions = accepted ? asked : 4;
            lotor_sparse_answers answers = {.refused = asked - 1, .accepted = accepted};
            for (size_t i = 0; i < 4; i++) {
                answers.no[i] = series[s][i];
            }
            answers.yes = accepted ? series[s][asked - 1] : 0;
            lotor_sparse_ways(&answers, LOTOR_SPARSE_BOTH, &part);
            for (size_t i = questions; i < 4; i++) { /* the factor between the denominators */
                lotor_poly_set(&rest, 1);
                lotor_poly_set(&next, 1);
                lotor_poly_add_shifted(&rest, &next, 1, 1);
                lotor_poly_multiply(&next, &part, &rest);
                lotor_poly_copy(&part, &next);
                lotor_poly_add_shifted(&next, &part, -1, i + 2);
                lotor_poly_copy(&part, &next);
            }
            lotor_poly_add(&sum, &part);
        }
        assert_false(sum.lost);
        assert_true(lotor_poly_is_shift(&sum, 0, &below));
    }
}

/* The verifier tries only some query values (its alphabet), so the loss is slightly below epsilon:
 * within 1% if queries are three scales apart. */
TEST(sparse_is_nearly_tight)
{
    const findings all = verify("sparse", usual);
    size_t wide = 0;
    for (size_t i = 0; i < all.count; i++) {
        const double epsilon = lotor_ratio_to_double(all.at[i].epsilon);
        assert_true(all.at[i].loss < epsilon);
        wide += all.at[i].loss > 0.99 * epsilon;
    }
    assert_true(wide >= all.count / 2);
    /* without noise on the threshold each of four answers costs epsilon/3 */
    assert_string_equal(verify("sparse-bare-threshold", usual).at[0].exact, "4/3");
    assert_string_equal(verify("sparse-bare-queries", usual).at[0].exact, "infinite");
}

/* --- local reports ---------------------------------------------------------------------------- */

TEST(half_spaces_leak_by_their_ties)
{
    static const lotor_ratio epsilons[] = {{1, 10}, {1, 1}, {5, 1}};
    for (size_t i = 0; i < 3; i++) {
        const double epsilon = lotor_ratio_to_double(epsilons[i]);
        const findings all = verify("cube-halves", (lotor_verify_request){.epsilon = epsilons[i]});
        for (size_t j = 0; j < all.count; j++) {
            assert_false(all.at[j].holds);
            assert_true(fabs(all.at[j].loss - log1p(exp(epsilon))) < 1e-14 * (1 + epsilon));
        }
        const findings cube = verify("cube", (lotor_verify_request){.epsilon = epsilons[i]});
        for (size_t j = 0; j < cube.count; j++) {
            assert_string_equal(cube.at[j].exact, lotor_fraction_text(epsilons[i]).text);
        }
    }
}

/* Rows (1, x), (x, x): sums 1 + x and 2x, so P(0 | 0) / P(0 | 1) = 2/(1 + x) and
 * P(1 | 1) / P(1 | 0) = (1 + x)/(2x), which is the larger one. */
static size_t uneven_weight(const void *law, size_t input, size_t output)
{
    (void)law;
    return input == 0 && output == 0 ? 0 : 1;
}

TEST(sums_of_weights_count)
{
    lotor_verify_table table = {.inputs = 2, .outputs = 2, .weight_of = uneven_weight};
    lotor_poly one;
    lotor_poly_set(&one, 1);
    lotor_poly_set(&table.weights[0], 1);
    lotor_poly_add_shifted(&table.weights[1], &one, 1, 1);
    lotor_poly_claim claim = {.decay = {1, 1}, .epsilon = {63, 100}};
    lotor_verify_worst worst;
    lotor_message why;
    assert_int_equal(lotor_verify_weigh(&table, &claim, &why, &worst), LOTOR_OK);
    assert_true(fabs(worst.loss - log((1 + exp(-1)) / (2 * exp(-1)))) < 1e-14); /* 0.62011 */
    assert_true(worst.holds);
    assert_int_equal(worst.from, 1);
    assert_int_equal(worst.output, 1);
    claim.epsilon = (lotor_ratio){62, 100};
    assert_int_equal(lotor_verify_weigh(&table, &claim, &why, &worst), LOTOR_OK);
    assert_false(worst.holds);
}

/* --- signs ------------------------------------------------------------------------------------ */

static int sign_of(int64_t p, int64_t q, size_t power, lotor_poly_claim claim)
{
    lotor_poly first, second, one;
    lotor_message why;
    int sign = 2;
    lotor_poly_set(&first, p);
    lotor_poly_set(&one, q);
    lotor_poly_set(&second, 0);
    lotor_poly_add_shifted(&second, &one, 1, power);
    assert_int_equal(lotor_poly_loss_sign(&first, &second, &claim, &why, &sign), LOTOR_OK);
    return sign;
}

TEST(signs_are_certain)
{
    const lotor_ratio third = {1, 3};
    /* 1 against e x^3 with x = e^-1/3: equal, and then by a part in 10^18 to either side */
    assert_int_equal(sign_of(1, 1, 3, (lotor_poly_claim){third, {1, 1}}), 0);
    const uint64_t most = UINT64_C(1000000000000000000);
    assert_int_equal(sign_of(1, 1, 3, (lotor_poly_claim){third, {most - 1, most}}), 1);
    assert_int_equal(sign_of(1, 1, 3, (lotor_poly_claim){third, {most + 1, most}}), -1);
    /* 10^18 / e = 367879441171442321.59: whole numbers on either side */
    const lotor_poly_claim one = {{1, 1}, {1, 1}};
    assert_int_equal(sign_of(INT64_C(1000000000000000000), INT64_C(367879441171442321), 0, one), 1);
    assert_int_equal(sign_of(INT64_C(1000000000000000000), INT64_C(367879441171442322), 0, one),
                     -1);
    assert_int_equal(sign_of(0, 0, 0, one), 0);
    assert_int_equal(sign_of(1, 0, 0, one), 1);
    assert_int_equal(sign_of(0, 1, 0, one), -1);
    /* e^-400 is below 2^-512 */
    assert_int_equal(sign_of(1, 1, 400, (lotor_poly_claim){{1, 1}, {399, 1}}), 1);
    assert_int_equal(sign_of(1, 1, 400, (lotor_poly_claim){{1, 1}, {401, 1}}), -1);
}

TEST(polynomials_that_do_not_fit_are_lost)
{
    lotor_poly a, out;
    lotor_poly_set(&a, INT64_MAX);
    lotor_poly_set(&out, 1);
    lotor_poly_add(&out, &a);
    assert_true(out.lost);
    lotor_poly_set(&out, 0);
    lotor_poly_add_shifted(&out, &a, 1, LOTOR_POLY_ROOM);
    assert_true(out.lost);
    lotor_poly_set(&a, 1);
    const lotor_poly_claim claim = {{1, 1}, {1, 1}};
    lotor_message why;
    int sign;
    assert_int_equal(lotor_poly_loss_sign(&a, &out, &claim, &why, &sign), LOTOR_OVERFLOW);
}

/* --- driving ---------------------------------------------------------------------------------- */

/* Every draw from -3 scales to 3 can be dictated, at several scales. */
TEST(draws_are_dictated)
{
    static const uint64_t scales[] = {1, 2, 3, 7, 64, 1000};
    lotor_drive drive;
    lotor_drive_start(&drive);
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        uint64_t drawn;
        lotor_message why;
        assert_int_equal(lotor_drive_scale(LOTOR_LAW_LAPLACE, scales[i], &why, &drawn), LOTOR_OK);
        const int64_t reach = 3 * (int64_t)drawn;
        for (int64_t value = -reach; value <= reach; value++) {
            lotor_drive_clear(&drive);
            lotor_drive_draw(&drive, value, drawn);
            lotor_noise noise = lotor_drive_noise(&drive);
            int64_t draw;
            assert_int_equal(draw_noise(&noise, LOTOR_LAW_LAPLACE, scales[i], 1, &draw), LOTOR_OK);
            assert_int_equal(draw, value);
            assert_true(lotor_drive_is_done(&drive));
        }
    }
}

/* The plan and the sampler agree. They do not agree if half the noise is drawn
 * (scripts/mutants). */
TEST(what_is_drawn_is_what_was_planned)
{
    for (uint64_t scale = 2; scale < 5000; scale = scale * 3 / 2) {
        uint64_t laplace, gaussian;
        lotor_message why;
        assert_int_equal(lotor_drive_scale(LOTOR_LAW_LAPLACE, scale, &why, &laplace), LOTOR_OK);
        assert_int_equal(lotor_drive_scale(LOTOR_LAW_GAUSSIAN, scale, &why, &gaussian), LOTOR_OK);
        assert_int_equal(laplace, scale);
        assert_int_equal(gaussian, scale);
    }
}

/* The randomizers' coins, for epsilons below, at and above 1, and fractions that 64 bits cut off. */
TEST(randomizers_toss_the_coins_of_their_definition)
{
    static const lotor_ratio epsilons[] = {{1, 10},  {3, 10}, {1, 2}, {1, 1},
                                           {17, 10}, {2, 1},  {5, 1}, {123456789, 1000000000}};
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        lotor_message why = {""};
        size_t threshold = 0;
        assert_int_equal(lotor_local_drive_bit(epsilons[i], &why), LOTOR_OK);
        for (size_t answers = 2; answers <= 9; answers++) {
            assert_int_equal(lotor_local_drive_places(answers, epsilons[i], &why), LOTOR_OK);
        }
        for (size_t slots = 1; slots <= 6; slots++) {
            assert_int_equal(lotor_local_drive_cube(slots, epsilons[i], &why, &threshold),
                             LOTOR_OK);
            assert_in_range(threshold, 1, slots);
        }
    }
    lotor_message why;
    assert_int_equal(lotor_local_drive_bit(lotor_ratio_of(1000, 1), &why), LOTOR_OVERFLOW);
}

TEST(requests_without_sense_are_refused)
{
    assert_int_equal(refuses("laplace", (lotor_verify_request){.epsilon = {0, 1}}), LOTOR_INVALID);
    assert_int_equal(refuses("laplace", (lotor_verify_request){.epsilon = {1, 0}}), LOTOR_INVALID);
    assert_int_equal(refuses("tree", (lotor_verify_request){.delta = {1, 10}}), LOTOR_INVALID);
    assert_int_equal(refuses("gaussian", (lotor_verify_request){.delta = {1, 1}}), LOTOR_INVALID);
    assert_int_equal(refuses("gaussian", (lotor_verify_request){.delta = {0, 1}}), LOTOR_INVALID);
    assert_int_equal(refuses("sparse", (lotor_verify_request){.noise_scale = {0, 1}}),
                     LOTOR_INVALID);
    assert_int_equal(refuses("sparse", (lotor_verify_request){.noise_scale = {1, 0}}),
                     LOTOR_INVALID);
    /* sigma of 2 million units, and e^-1000 against 1 in 896 bits: refused, not guessed */
    assert_int_equal(refuses("gaussian", (lotor_verify_request){.epsilon = {1, 1000000}}),
                     LOTOR_OVERFLOW);
    assert_int_equal(refuses("gaussian", (lotor_verify_request){.epsilon = {1000000000, 1}}),
                     LOTOR_OVERFLOW);
    assert_int_equal(refuses("cube-halves", (lotor_verify_request){.epsilon = {1000, 1},
                                                                   .noise_scale = {99, 100}}),
                     LOTOR_OVERFLOW);
    /* If e^-epsilon is a power of x, the coefficients decide. */
    assert_int_equal(refuses("cube", (lotor_verify_request){.epsilon = {999, 1}}), LOTOR_OK);
    assert_false(verify("cube-halves", (lotor_verify_request){.epsilon = {999, 1}}).at[0].holds);
}
