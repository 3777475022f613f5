/* agreement.h - the library's regret against a second, plain implementation (tests/plain).
 *
 * Means of independent runs on fixed seeds; they must agree within four standard errors of their
 * difference (for a right implementation and new seeds: a false alarm once in 16,000 comparisons).
 */
#ifndef LOTOR_TESTS_AGREEMENT_H
#define LOTOR_TESTS_AGREEMENT_H

#include <stdint.h>

#include "lab/simulate.h"
#include "plain/plain.h"

typedef struct estimate {
    double mean, error;
} estimate;

estimate plain_estimate(const plain_setting *setting, uint64_t runs);
estimate library_estimate(const lotor_trial *trial);

void expect_agreement(const char *what, estimate plain, estimate library);

#endif
