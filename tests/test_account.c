/* test_account.c - composition, conversions and the Gaussian mechanism.
 *
 * Golden values were computed without this code: the printed formula of each theorem, in decimal
 * arithmetic of 60 digits (the normal distribution by its Taylor series in 120 digits, minima by
 * ternary search). A claim may be weaker than the golden value by the documented slack of 1e-9, and
 * never stronger. TOLERANCE is 3e-9 on one side, and 1e-13 (the last digits of a double, for
 * exponents up to 700) on the other.
 */
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include <lotor/account.h>

#define TOLERANCE   3e-9
#define LAST_DIGITS 1e-13

/* Expects the golden value, or a value a little above it. */
static void is_just_above(double value, double golden)
{
    if (!(value >= golden * (1.0 - LAST_DIGITS) && value <= golden * (1.0 + TOLERANCE))) {
        fail_msg("%.17g, expected %.17g or a little above", value, golden);
    }
}

static double composed(double epsilon, double delta, uint64_t times, double total)
{
    lotor_budget out;
    lotor_message why;
    const lotor_budget part = {epsilon, delta};
    if (lotor_account_compose_same(part, times, total, &why, &out) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    assert_true(out.delta == total);
    return out.epsilon;
}

TEST(the_adversary_fails)
{
    static const double golden[][2] = {
        {0.0, 0.5},
        {0.1, 0.47502081252106001},
        {1.0, 0.2689414213699951},
        {4.0, 0.017986209962091558},
        {10.0, 4.5397868702434395e-5},
        {50.0, 1.9287498479639178e-22},
    };
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        const double failure = lotor_account_adversary_failure((lotor_budget){golden[i][0], 0.0});
        assert_true(fabs(failure / golden[i][1] - 1.0) < 1e-15);
    }
    assert_true(lotor_account_adversary_failure((lotor_budget){0.0, 0.25}) == 0.375);
    assert_true(lotor_account_adversary_failure((lotor_budget){1.0, 1.0}) == 0.0);
    assert_true(lotor_account_adversary_failure((lotor_budget){INFINITY, 0.0}) == 0.0);
    assert_true(lotor_account_adversary_failure((lotor_budget){NAN, 0.0}) == 0.0);
    assert_true(lotor_account_adversary_failure((lotor_budget){-1.0, 0.0}) == 0.0);
    assert_true(lotor_account_adversary_failure((lotor_budget){1.0, 2.0}) == 0.0);
}

TEST(promises_add_up)
{
    const lotor_budget parts[] = {{0.5, 1e-6}, {1.0, 0.0}, {0.25, 0.25}};
    lotor_budget out;
    assert_int_equal(lotor_account_compose_basic(parts, 3, NULL, &out), LOTOR_OK);
    assert_true(out.epsilon == 1.75);
    assert_true(out.delta >= 0.250001 && out.delta < 0.2500010000000002);
    assert_int_equal(lotor_account_compose_basic(parts, 1, NULL, &out), LOTOR_OK);
    assert_true(out.epsilon == 0.5 && out.delta == 1e-6);

    const lotor_budget large[] = {{1.0, 0.75}, {INFINITY, 0.75}};
    assert_int_equal(lotor_account_compose_basic(large, 2, NULL, &out), LOTOR_OK);
    assert_true(isinf(out.epsilon) && out.delta == 1.0);

    /* 1 + 2^-60 does not fit a double: the sum must be the next double above 1. */
    const lotor_budget tiny[] = {{1.0, 0.0}, {0x1p-60, 0.0}};
    assert_int_equal(lotor_account_compose_basic(tiny, 2, NULL, &out), LOTOR_OK);
    assert_true(out.epsilon == 0x1.0000000000001p0);
}

/* The exact delta at `total` of `times` randomized responses, by enumerating all 2^k outcomes. */
static double enumerated_delta(double epsilon, unsigned times, double total)
{
    const double lie = 1.0 / (1.0 + exp(epsilon));
    double sum = 0.0;
    for (unsigned outcome = 0; outcome < 1u << times; outcome++) {
        double one = 1.0, other = 1.0;
        for (unsigned i = 0; i < times; i++) {
            const bool lied = (outcome >> i & 1u) != 0;
            one *= lied ? lie : 1.0 - lie;
            other *= lied ? 1.0 - lie : lie;
        }
        sum += fmax(0.0, one - exp(total) * other);
    }
    return sum;
}

TEST(composition_is_exact_by_enumeration)
{
    /* The least epsilon must meet the target (up to the slack), and one 1e-6 lower must not. */
    static const double epsilons[] = {0.01, 0.1, 0.7, 1.0, 3.0};
    static const double targets[] = {1e-7, 1e-5, 1e-3, 0.05, 0.3};
    unsigned checked = 0;
    for (unsigned times = 1; times <= 12; times++) {
        for (size_t i = 0; i < 5; i++) {
            for (size_t j = 0; j < 5; j++) {
                const double total = composed(epsilons[i], 0.0, times, targets[j]);
                assert_true(total <= times * epsilons[i] * (1.0 + DBL_EPSILON));
                assert_true(enumerated_delta(epsilons[i], times, total) <=
                            targets[j] * (1.0 + 1e-8));
                if (total > 0.0) {
                    assert_true(enumerated_delta(epsilons[i], times, total * (1.0 - 1e-6)) >
                                targets[j] * (1.0 - 1e-8));
                    checked++;
                }
            }
        }
    }
    assert_true(checked > 150);
}

TEST(composition_keeps_failures_apart)
{
    /* With delta > 0 in every part: total = 1 - (1-delta)^k (1 - delta of the coins). */
    const double delta = 1e-3, total_delta = 0.02;
    for (unsigned times = 1; times <= 10; times++) {
        const double total = composed(0.5, delta, times, total_delta);
        const double coins = enumerated_delta(0.5, times, total);
        const double reached = 1.0 - pow(1.0 - delta, times) * (1.0 - coins);
        assert_true(reached <= total_delta * (1.0 + 1e-8));
        assert_true(reached > total_delta * (1.0 - 1e-8));
    }
}

TEST(composition_meets_the_corners_of_the_theorem)
{
    /* delta_i of Theorem 3.3 at (k, epsilon, i), so that the total is (k - 2i) epsilon. */
    static const struct {
        double epsilon, corner, delta;
        uint64_t times;
    } golden[] = {
        {0.1, 0.8, 2.8823385761864798e-4, 10},  {0.1, 0.4, 0.016080131993212995, 10},
        {0.1, 4.8, 8.0549449654072082e-7, 100}, {0.01, 2.0, 1.3934827208459947e-11, 1000},
        {1.0, 3.0, 0.35805060152923853, 7},
    };
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        const double total = composed(golden[i].epsilon, 0.0, golden[i].times, golden[i].delta);
        /* The slack is on delta. Its relative change is at most 100 times that of epsilon here, and
         * at least a tenth. */
        assert_true(total >= golden[i].corner * (1.0 - 1e-12));
        assert_true(total <= golden[i].corner * (1.0 + 1e-8));
    }
}

TEST(composition_of_one_changes_nothing)
{
    static const double epsilons[] = {0.0, 1e-9, 0.1, 1.0, 30.0, 1e6, INFINITY};
    static const double deltas[] = {0.0, 1e-12, 1e-6, 0.3};
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        for (size_t j = 0; j < sizeof deltas / sizeof *deltas; j++) {
            assert_true(composed(epsilons[i], deltas[j], 1, deltas[j]) == epsilons[i]);
        }
    }
}

TEST(composition_is_monotone)
{
    double last = 0.0;
    for (uint64_t times = 1; times < 3000; times += 1 + times / 7) {
        const double total = composed(0.05, 1e-9, times, 1e-4);
        assert_true(total >= last && total <= 0.05 * (double)times * (1.0 + DBL_EPSILON));
        last = total;
    }
    last = 0.0;
    for (double epsilon = 1e-4; epsilon < 20.0; epsilon *= 1.3) {
        const double total = composed(epsilon, 0.0, 50, 1e-6);
        assert_true(total > last);
        last = total;
    }
    last = INFINITY;
    for (double delta = 1e-30; delta < 1.0; delta *= 7.0) {
        const double total = composed(0.2, 0.0, 50, delta);
        assert_true(total <= last);
        last = total;
    }
}

TEST(composition_takes_any_number)
{
    const clock_t start = clock();
    assert_true(composed(1.0, 0.0, 1000000, 1e-6) < 470000.0); /* mean 462117, sd 887, 4.75 sd */
    assert_true(composed(1.0, 0.0, 1000000, 1e-6) > 466000.0);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_true(seconds < 10.0); /* some milliseconds; sanitizers and valgrind are slow */
    /* Above 2^26 the library uses a bound in closed form, which is larger. */
    const double summed = composed(1e-4, 0.0, 1ull << 26, 1e-9);
    const double bound = composed(1e-4, 0.0, (1ull << 26) + 1, 1e-9);
    assert_true(bound > summed && bound < 1.3 * summed);
    assert_true(composed(1.0, 0.0, UINT64_MAX, 1e-9) < 1.8446744073709556e19);
    assert_true(isinf(composed(INFINITY, 0.0, 5, 1e-9)));
    assert_true(isinf(composed(1e308, 0.0, 5, 0.0)));
    assert_true(composed(0.0, 1e-9, 5, 1e-3) == 0.0);
    assert_true(composed(5e-324, 0.0, 1ull << 26, 1e-3) <= 5e-316); /* returns at once */
    assert_true(composed(2.0, 0.0, 5, 1.0) == 0.0);
    assert_true(composed(2.0, 0.0, 5, 0.0) == 10.0);
    assert_true(composed(2.0, 1.0, 5, 1.0) == 0.0);
}

static lotor_budget mixed(double epsilon, double delta, size_t count, double slack)
{
    lotor_budget parts[1000], out;
    assert_true(count <= 1000);
    for (size_t i = 0; i < count; i++) {
        parts[i] = (lotor_budget){epsilon, delta};
    }
    assert_int_equal(lotor_account_compose_mixed(parts, count, slack, NULL, &out), LOTOR_OK);
    return out;
}

TEST(mixed_promises_compose)
{
    lotor_budget parts[150], out;
    for (size_t i = 0; i < 150; i++) {
        parts[i] = (lotor_budget){i < 100 ? 0.1 : 0.05, 0.0};
    }
    /* Theorem 3.5's expressions: 12.5, 6.14932..., 6.13745... */
    assert_int_equal(lotor_account_compose_mixed(parts, 150, 1e-6, NULL, &out), LOTOR_OK);
    is_just_above(out.epsilon, 6.1374540152746091);
    is_just_above(out.delta, 1e-6);
    /* 1, 0.0600256..., 0.0964705...: here the second is least. */
    out = mixed(0.001, 0.0, 1000, 0.01);
    is_just_above(out.epsilon, 0.060025656754559739);
    /* 0.001, 0.0010738..., 0.00166...: the plain sum, and then no slack is spent. */
    out = mixed(0.0001, 1e-9, 10, 1e-6);
    is_just_above(out.epsilon, 0.001);
    assert_true(out.delta < 1.0000001e-8);
    /* delta: 1 - 0.9 * 0.99^100, by hand 0.6705709... */
    out = mixed(0.1, 0.01, 100, 0.1);
    is_just_above(out.delta, 1.0 - 0.9 * pow(0.99, 100));
}

TEST(mixed_is_between_optimal_and_basic)
{
    for (double epsilon = 1e-3; epsilon < 8.0; epsilon *= 1.7) {
        for (size_t count = 1; count <= 1000; count = count * 3 + 1) {
            const lotor_budget out = mixed(epsilon, 1e-9, count, 1e-5);
            assert_true(out.epsilon <= epsilon * (double)count * (1.0 + 1e-12));
            const double optimal = composed(epsilon, 1e-9, count, fmin(1.0, out.delta));
            assert_true(optimal <= out.epsilon);
        }
    }
    lotor_budget parts[] = {{1.0, 0.0}, {INFINITY, 0.1}}, out;
    assert_int_equal(lotor_account_compose_mixed(parts, 2, 0.5, NULL, &out), LOTOR_OK);
    assert_true(isinf(out.epsilon));
    parts[1] = (lotor_budget){1.0, 1.0};
    assert_int_equal(lotor_account_compose_mixed(parts, 2, 0.5, NULL, &out), LOTOR_OK);
    assert_true(out.delta == 1.0);
}

TEST(groups_are_protected_less)
{
    lotor_budget out;
    /* delta (1 + e^0.5 + e^1 + e^1.5) */
    assert_int_equal(lotor_account_group_privacy((lotor_budget){0.5, 1e-6}, 4, NULL, &out),
                     LOTOR_OK);
    assert_true(out.epsilon == 2.0);
    is_just_above(out.delta, 9.8486921694972382e-6);
    assert_int_equal(lotor_account_group_privacy((lotor_budget){0.0, 0.125}, 4, NULL, &out),
                     LOTOR_OK);
    assert_true(out.epsilon == 0.0 && out.delta == 0.5);
    assert_int_equal(lotor_account_group_privacy((lotor_budget){0.3, 0.2}, 1, NULL, &out),
                     LOTOR_OK);
    assert_true(out.epsilon == 0.3 && out.delta == 0.2);
    assert_int_equal(lotor_account_group_privacy((lotor_budget){1.0, 1e-9}, 1000, NULL, &out),
                     LOTOR_OK);
    assert_true(out.epsilon == 1000.0 && out.delta == 1.0);
    assert_int_equal(lotor_account_group_privacy((lotor_budget){1.0, 0.0}, UINT64_MAX, NULL, &out),
                     LOTOR_OK);
    assert_true(out.epsilon >= 0x1p64 && out.delta == 0.0);
    assert_int_equal(lotor_account_group_privacy((lotor_budget){INFINITY, 0.0}, 2, NULL, &out),
                     LOTOR_OK);
    assert_true(isinf(out.epsilon) && out.delta == 0.0);
    assert_int_equal(lotor_account_group_privacy((lotor_budget){INFINITY, 0.1}, 2, NULL, &out),
                     LOTOR_OK);
    assert_true(isinf(out.epsilon) && out.delta == 1.0);
    /* tiny epsilon: k delta (1 + (k-1) epsilon / 2) to first order */
    assert_int_equal(lotor_account_group_privacy((lotor_budget){1e-12, 1e-6}, 10, NULL, &out),
                     LOTOR_OK);
    is_just_above(out.delta, 1e-5 * (1.0 + 4.5e-12));
}

TEST(bad_budgets_are_refused)
{
    static const lotor_budget bad[] = {{NAN, 0.0},     {-1.0, 0.0}, {-INFINITY, 0.0}, {1.0, NAN},
                                       {1.0, -1e-300}, {1.0, 1.5},  {1.0, INFINITY}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const lotor_budget parts[] = {{1.0, 0.0}, bad[i]};
        lotor_budget out = {7.0, 7.0};
        double number = 7.0;
        lotor_message why = {""};
        assert_int_equal(lotor_account_compose_basic(parts, 2, &why, &out), LOTOR_INVALID);
        assert_true(strstr(why.text, "epsilon is") || strstr(why.text, "delta is"));
        assert_int_equal(lotor_account_compose_mixed(parts, 2, 0.1, NULL, &out), LOTOR_INVALID);
        assert_int_equal(lotor_account_compose_same(bad[i], 2, 0.5, NULL, &out), LOTOR_INVALID);
        assert_int_equal(lotor_account_group_privacy(bad[i], 2, NULL, &out), LOTOR_INVALID);
        assert_int_equal(lotor_account_zcdp_rho(bad[i], NULL, &number), LOTOR_INVALID);
        assert_int_equal(lotor_account_gaussian_sigma(1.0, bad[i], NULL, &number), LOTOR_INVALID);
        assert_true(out.epsilon == 7.0 && out.delta == 7.0 && number == 7.0);
    }
}

TEST(bad_numbers_are_refused)
{
    static const double bad[] = {NAN, -1.0, -INFINITY};
    double number = 7.0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(lotor_account_zcdp_delta(bad[i], 1.0, NULL, &number), LOTOR_INVALID);
        assert_int_equal(lotor_account_zcdp_delta(1.0, bad[i], NULL, &number), LOTOR_INVALID);
        assert_int_equal(lotor_account_zcdp_epsilon(bad[i], 0.5, NULL, &number), LOTOR_INVALID);
        assert_int_equal(lotor_account_zcdp_epsilon(1.0, bad[i], NULL, &number), LOTOR_INVALID);
        assert_int_equal(lotor_account_gaussian_delta(bad[i], 1.0, 1.0, NULL, &number),
                         LOTOR_INVALID);
        assert_int_equal(lotor_account_gaussian_delta(1.0, bad[i], 1.0, NULL, &number),
                         LOTOR_INVALID);
        assert_int_equal(lotor_account_gaussian_delta(1.0, 1.0, bad[i], NULL, &number),
                         LOTOR_INVALID);
        const lotor_budget good = {1.0, 1e-6};
        assert_int_equal(lotor_account_gaussian_sigma(bad[i], good, NULL, &number), LOTOR_INVALID);
    }
    assert_int_equal(lotor_account_zcdp_epsilon(1.0, 1.5, NULL, &number), LOTOR_INVALID);
    /* No Gaussian is (1, 0)-private, and none is private for an infinite sensitivity. */
    const lotor_budget pure = {1.0, 0.0}, good = {1.0, 1e-6};
    lotor_message why = {""};
    assert_int_equal(lotor_account_gaussian_sigma(1.0, pure, &why, &number), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "above 0"));
    assert_int_equal(lotor_account_gaussian_sigma(INFINITY, good, NULL, &number), LOTOR_INVALID);
    assert_int_equal(lotor_account_zcdp_rho(pure, &why, &number), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "more than 0"));
    assert_true(number == 7.0);
}

TEST(bad_counts_are_refused)
{
    const lotor_budget good = {1.0, 1e-6};
    lotor_budget out = {7.0, 7.0};
    lotor_message why = {""};
    assert_int_equal(lotor_account_compose_basic(&good, 0, &why, &out), LOTOR_INVALID);
    assert_true(why.text[0] != '\0');
    assert_int_equal(lotor_account_compose_basic(NULL, 3, NULL, &out), LOTOR_INVALID);
    assert_int_equal(lotor_account_compose_mixed(&good, 0, 0.1, NULL, &out), LOTOR_INVALID);
    assert_int_equal(lotor_account_compose_same(good, 0, 0.1, NULL, &out), LOTOR_INVALID);
    assert_int_equal(lotor_account_group_privacy(good, 0, NULL, &out), LOTOR_INVALID);
    static const double slacks[] = {0.0, 1.0, -0.1, 1.1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof slacks / sizeof *slacks; i++) {
        assert_int_equal(lotor_account_compose_mixed(&good, 1, slacks[i], NULL, &out),
                         LOTOR_INVALID);
    }
    assert_int_equal(lotor_account_compose_same(good, 5, NAN, NULL, &out), LOTOR_INVALID);
    assert_int_equal(lotor_account_compose_same(good, 5, -0.1, NULL, &out), LOTOR_INVALID);
    assert_int_equal(lotor_account_compose_same(good, 5, 1.1, NULL, &out), LOTOR_INVALID);
    /* Five guarantees of delta 1e-6 can't give 4e-6 together; the message says what they can
     * give. */
    assert_int_equal(lotor_account_compose_same(good, 5, 4e-6, &why, &out), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "at least 4.99999e-06"));
    assert_true(out.epsilon == 7.0);
    assert_int_equal(lotor_account_compose_same(good, 5, 5e-6, NULL, &out), LOTOR_OK);
    assert_true(out.epsilon > 4.99 && out.epsilon <= 5.0);
}
