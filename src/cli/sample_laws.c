/* sample_laws.c - the laws of `lotor sample`. See sample_laws.h.
 *
 * To add a law, add a row to the table at the end, and the functions that it names.
 */
#include "cli/sample_laws.h"

#include <stdio.h>

#include "base/message.h"
#include "base/random/laws.h"
#include "cli/print.h"

static const double LARGEST_SCALE = 1e300;                 /* so that no draw overflows a double */
static const double LARGEST_DISCRETE = 9007199254740992.0; /* 2^53: exact integers in doubles */
static const double LEAST_PROBABILITY = 1e-15;             /* so that no draw exceeds 64 bits */
enum { LARGEST_DIMENSION = 1000 };

static void write_double(double value)
{
    char text[LOTOR_NUMBER_ROOM];
    fwrite_unlocked(text, 1, lotor_put_shortest(text, value), stdout);
}

static void write_integer(int64_t value)
{
    char text[LOTOR_NUMBER_ROOM];
    fwrite_unlocked(text, 1, lotor_put_integer(text, value), stdout);
}

static void write_whole(uint64_t value)
{
    char text[LOTOR_NUMBER_ROOM];
    fwrite_unlocked(text, 1, lotor_put_whole(text, value), stdout);
}

static lotor_status check_size(double size, double largest, lotor_message *why)
{
    if (!(size > 0 && size <= largest)) {
        return lotor_fail(LOTOR_INVALID, why, "must be above 0 and at most %g", largest);
    }
    return LOTOR_OK;
}

static lotor_status check_continuous(lotor_sample_state *sampler, lotor_message *why)
{
    return check_size(sampler->scale, LARGEST_SCALE, why);
}

static lotor_status check_discrete(lotor_sample_state *sampler, lotor_message *why)
{
    return check_size(sampler->scale, LARGEST_DISCRETE, why);
}

static lotor_status check_geometric(lotor_sample_state *sampler, lotor_message *why)
{
    if (!(sampler->scale >= LEAST_PROBABILITY && sampler->scale <= 1)) {
        return lotor_fail(LOTOR_INVALID, why, "must be at least %g and at most 1",
                          LEAST_PROBABILITY);
    }
    return LOTOR_OK;
}

static lotor_status check_binomial(lotor_sample_state *sampler, lotor_message *why)
{
    if (!(sampler->scale >= 0 && sampler->scale <= 1)) {
        return lotor_fail(LOTOR_INVALID, why, "must lie between 0 and 1");
    }
    return LOTOR_OK;
}

static lotor_status check_wishart(lotor_sample_state *sampler, lotor_message *why)
{
    sampler->blamed = LOTOR_SAMPLE_DIMENSION;
    if (sampler->dimension < 1 || sampler->dimension > LARGEST_DIMENSION) {
        return lotor_fail(LOTOR_INVALID, why, "must lie between 1 and %d", (int)LARGEST_DIMENSION);
    }
    sampler->blamed = LOTOR_SAMPLE_DEGREES;
    if (!(sampler->degrees > (double)sampler->dimension - 1 &&
          sampler->degrees <= LARGEST_DISCRETE)) {
        return lotor_fail(LOTOR_INVALID, why, "must be above dimension - 1 = %llu, and at most %g",
                          (unsigned long long)sampler->dimension - 1, LARGEST_DISCRETE);
    }
    return LOTOR_OK;
}

static void fast_laplace(lotor_sample_state *sampler)
{
    write_double(lotor_random_laplace(&sampler->generator, sampler->scale));
}

static void fast_gaussian(lotor_sample_state *sampler)
{
    write_double(sampler->scale * lotor_random_gaussian(&sampler->generator));
}

static void fast_discrete_laplace(lotor_sample_state *sampler)
{
    write_integer(lotor_random_discrete_laplace(&sampler->generator, sampler->scale));
}

static void fast_discrete_gaussian(lotor_sample_state *sampler)
{
    write_integer(lotor_random_discrete_gaussian(&sampler->generator, sampler->scale));
}

static void fast_geometric(lotor_sample_state *sampler)
{
    write_whole(lotor_random_geometric(&sampler->generator, sampler->scale));
}

static void fast_binomial(lotor_sample_state *sampler)
{
    write_whole(lotor_random_binomial(&sampler->generator, sampler->trials, sampler->scale));
}

static void fast_wishart(lotor_sample_state *sampler)
{
    const size_t dimension = (size_t)sampler->dimension;
    lotor_random_wishart(&sampler->generator, dimension, sampler->degrees, sampler->work,
                         sampler->matrix);
    fputs(sampler->json ? "[" : "", stdout);
    for (size_t i = 0; i < dimension * dimension; i++) {
        if (i > 0) {
            fputs(sampler->json ? ", " : " ", stdout);
        }
        write_double(sampler->matrix[i]);
    }
    fputs(sampler->json ? "]" : "", stdout);
}

const lotor_sample_law lotor_sample_laws[] = {
    {.name = "laplace",
     .takes = {[LOTOR_SAMPLE_SCALE] = true},
     .check = check_continuous,
     .fast = fast_laplace},
    {.name = "discrete-laplace",
     .takes = {[LOTOR_SAMPLE_SCALE] = true},
     .check = check_discrete,
     .fast = fast_discrete_laplace,
     .has_exact = true},
    {.name = "gaussian",
     .takes = {[LOTOR_SAMPLE_SIGMA] = true},
     .check = check_continuous,
     .fast = fast_gaussian},
    {.name = "discrete-gaussian",
     .takes = {[LOTOR_SAMPLE_SIGMA] = true},
     .check = check_discrete,
     .fast = fast_discrete_gaussian,
     .has_exact = true},
    {.name = "geometric",
     .takes = {[LOTOR_SAMPLE_P] = true},
     .check = check_geometric,
     .fast = fast_geometric,
     .has_exact = true},
    {.name = "binomial",
     .takes = {[LOTOR_SAMPLE_N] = true, [LOTOR_SAMPLE_P] = true},
     .check = check_binomial,
     .fast = fast_binomial},
    {.name = "wishart",
     .takes = {[LOTOR_SAMPLE_DIMENSION] = true, [LOTOR_SAMPLE_DEGREES] = true},
     .check = check_wishart,
     .fast = fast_wishart},
    {.name = NULL},
};
