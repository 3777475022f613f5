/* agreement.h - compares the library's regret with that of a second, plain implementation
 * (tests/plain).
 *
 * Both are means of independent runs with fixed seeds. They must agree within four standard errors
 * of their difference. With new seeds, a correct implementation would fail once in 16,000
 * comparisons.
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
estimate library_estimate(const lotor_experiment *trial);

void expect_agreement(const char *what, estimate plain, estimate library);

#endif
