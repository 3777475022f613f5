/* binomial.h - the probability of a binomial count, with full precision for millions of
 * attempts. */
#ifndef LOTOR_PRIVACY_ACCOUNT_BINOMIAL_H
#define LOTOR_PRIVACY_ACCOUNT_BINOMIAL_H

/* log P(exactly `count` successes in `trials` attempts). An attempt succeeds with probability `p`
 * and fails with probability `q` = 1 - p. `q` is a separate argument, because 1 - p may round to 1;
 * log_q = log(q). `count` and `trials` are whole numbers with 0 <= count < trials; p > 0 unless
 * count = 0. */
double lotor_account_log_binomial(double count, double trials, double p, double q, double log_q);

#endif
