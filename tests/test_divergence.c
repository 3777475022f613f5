/* test_divergence.c - compares divergences with values computed elsewhere, by the formulas of
 * src/lab/bounds.md in 40-digit arithmetic, and checks their properties. */
#include "support/test.h"

#include <math.h>

#include "lab/divergence.h"

static void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected))) {
        print_error("%.15g, not %.15g\n", value, expected);
        fail();
    }
}

static double turning_point(double y, double epsilon)
{
    return y * exp(-epsilon) / (1.0 - y + y * exp(-epsilon));
}

TEST(kl_is_what_it_is)
{
    assert_close(lotor_kl_bernoulli(0.7, 0.75), 0.0064014569973203718321, 1e-12);
    assert_true(lotor_kl_bernoulli(0.3, 0.3) == 0.0);
    assert_close(lotor_kl_bernoulli(0.0, 0.5), log(2.0), 1e-15);  /* -log(1 - q) */
    assert_close(lotor_kl_bernoulli(1.0, 0.25), log(4.0), 1e-15); /* -log q */
    assert_true(isinf(lotor_kl_bernoulli(0.5, 0.0)));
    assert_true(isinf(lotor_kl_bernoulli(0.5, 1.0)));
    assert_true(lotor_kl_bernoulli(0.0, 0.0) == 0.0 && lotor_kl_bernoulli(1.0, 1.0) == 0.0);
}

/* At y = 0.75, z* is 0.7308 for epsilon 0.1, 0.5246 for 1, 0.2888 for 2 and 0.1300 for 3. */
TEST(central_on_both_sides_of_the_turning_point)
{
    /* below z*: -epsilon x - log(1 - y + y e^-epsilon) */
    assert_close(lotor_divergence_central(0.7, 0.75, 0.1), 0.004046982523044482834879, 1e-12);
    assert_close(lotor_divergence_central(0.25, 0.75, 0.01), 0.004990609384863386595185, 1e-12);
    assert_close(lotor_divergence_central(0.25, 0.75, 1.0), 0.3926259804912114626854, 1e-14);
    assert_close(lotor_divergence_central(0.25, 0.75, 2.0), 0.5455414072067594534608, 1e-14);
    assert_close(lotor_divergence_central(0.0, 0.5, 1.0), 0.3798854930417224753682, 1e-14);
    /* above z*: kl */
    assert_true(lotor_divergence_central(0.7, 0.75, 1.0) == lotor_kl_bernoulli(0.7, 0.75));
    assert_true(lotor_divergence_central(0.25, 0.75, 3.0) == lotor_kl_bernoulli(0.25, 0.75));
    /* x above y: with 0 and 1 swapped */
    assert_close(lotor_divergence_central(0.8, 0.3, 0.5), 0.2221748860623643644081, 1e-14);
    assert_true(lotor_divergence_central(0.4, 0.4, 0.5) == 0.0);
}

/* Both formulas agree at z*, and so do the slopes. */
TEST(central_is_continuous)
{
    static const double epsilons[] = {0.01, 0.1, 1.0, 4.0, 20.0};
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        for (double y = 0.05; y < 1.0; y += 0.1) {
            const double z = turning_point(y, epsilons[i]);
            const double step = 1e-5 * z;
            const double above = lotor_divergence_central(z + step, y, epsilons[i]);
            const double below = lotor_divergence_central(z - step, y, epsilons[i]);
            /* The slope is -epsilon up to z*; above, it changes by at most step / (z (1 - z)). */
            const double bend = step * step / (z * (1.0 - z));
            assert_true(fabs(below - above - 2.0 * step * epsilons[i]) <= bend + 1e-14);
        }
    }
}

/* The definition: the least value over z, found on a fine grid. */
TEST(central_is_the_minimum)
{
    static const double epsilons[] = {0.03, 0.3, 1.0, 3.0};
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        for (double x = 0.0; x < 1.0; x += 0.11) {
            for (double y = 0.04; y < 1.0; y += 0.13) {
                double least = INFINITY;
                for (int k = 0; k <= 20000; k++) {
                    const double z = k / 20000.0;
                    least = fmin(least, epsilons[i] * fabs(z - x) + lotor_kl_bernoulli(z, y));
                }
                const double found = lotor_divergence_central(x, y, epsilons[i]);
                assert_true(found <= least + 1e-12 && found >= least - 3e-4);
            }
        }
    }
}

TEST(central_limits)
{
    /* little privacy: kl; infinite epsilon: exactly */
    assert_true(lotor_divergence_central(0.2, 0.6, INFINITY) == lotor_kl_bernoulli(0.2, 0.6));
    assert_true(lotor_divergence_central(0.2, 0.6, 50.0) == lotor_kl_bernoulli(0.2, 0.6));
    assert_close(lotor_divergence_central(0.0, 0.6, 1e5), -log(0.4), 1e-14);
    assert_true(isinf(lotor_divergence_central(0.2, 1.0, INFINITY)));
    /* much privacy: epsilon (y - x) */
    assert_close(lotor_divergence_central(0.2, 0.6, 1e-6), 0.4e-6, 1e-6);
    assert_close(lotor_divergence_central(0.7, 0.75, 1e-8), 0.05e-8, 1e-6);
    /* certain rewards: nothing is infinite */
    assert_close(lotor_divergence_central(0.2, 1.0, 0.5), 0.4, 1e-14);
    assert_close(lotor_divergence_central(0.2, 1.0, 1e4), 8e3, 1e-14);
    assert_close(lotor_divergence_central(0.8, 0.0, 0.5), 0.4, 1e-14);
}

TEST(local_is_the_kl_of_bits)
{
    assert_close(lotor_divergence_local(0.7, 0.75, 0.1), 0.00001248600011111806231557, 1e-12);
    assert_close(lotor_divergence_local(0.7, 0.75, 1.0), 0.001120007483541964563325, 1e-13);
    assert_close(lotor_divergence_local(0.25, 0.75, 0.01), 0.00001249981771051429955884, 1e-12);
    assert_close(lotor_divergence_local(0.0, 0.5, 1.0), 0.1109440716717273546194, 1e-13);
    assert_close(lotor_divergence_local(0.8, 0.3, 0.5), 0.03010127722889383777258, 1e-13);
    assert_true(lotor_divergence_local(0.4, 0.4, 0.5) == 0.0);
    /* the limits: kl, and epsilon^2 (y - x)^2 / 2 */
    assert_close(lotor_divergence_local(0.7, 0.75, INFINITY), 0.0064014569973203718321, 1e-12);
    assert_close(lotor_divergence_local(0.0, 0.5, INFINITY), log(2.0), 1e-14);
    assert_close(lotor_divergence_local(1.0, 0.5, INFINITY), log(2.0), 1e-14);
    assert_close(lotor_divergence_local(0.7, 0.75, 1e5), 0.0064014569973203718321, 1e-12);
    assert_close(lotor_divergence_local(0.2, 0.6, 1e-6), 0.08e-12, 1e-6);
    assert_true(isinf(lotor_divergence_local(0.0, 1.0, INFINITY)));
}

/* A local guarantee is a central one, and no guarantee helps: local <= central <= kl. The central
 * one is at most epsilon |y - x|, the local one at most what Duchi, Jordan and Wainwright have. All
 * of the central and local ones grow with epsilon. */
TEST(order_of_divergences)
{
    for (double x = 0.0; x <= 1.0; x += 0.0625) {
        for (double y = 0.03125; y < 1.0; y += 0.0625) {
            double last_central = 0.0, last_local = 0.0;
            for (double epsilon = 1e-4; epsilon < 30.0; epsilon *= 1.7) {
                const double central = lotor_divergence_central(x, y, epsilon);
                const double local = lotor_divergence_local(x, y, epsilon);
                const double room = 1.0 + 1e-9;
                assert_true(central <= room * lotor_kl_bernoulli(x, y));
                assert_true(central <= room * epsilon * fabs(y - x));
                assert_true(local <= room * central);
                assert_true(local <= room * lotor_divergence_duchi(x, y, epsilon));
                assert_true(local > 0.0 && central * room >= last_central);
                assert_true(local * room >= last_local);
                last_central = central;
                last_local = local;
            }
        }
    }
}
