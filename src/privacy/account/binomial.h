/* binomial.h - the probability of a binomial count, to full precision for millions of trials. */
#ifndef LOTOR_PRIVACY_ACCOUNT_BINOMIAL_H
#define LOTOR_PRIVACY_ACCOUNT_BINOMIAL_H

/* log P(exactly `count` of `trials`), where one trial succeeds with probability `p` and fails
 * with probability `q` = 1 - p (given apart, since 1 - p may round to 1); log_q = log(q).
 * Whole numbers, 0 <= count < trials; p > 0 unless count = 0. */
double lotor_account_log_binomial(double count, double trials, double p, double q, double log_q);

#endif
