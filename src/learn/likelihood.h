/* likelihood.h - the likelihood of an arm's mean, given the noisy sum of a batch.
 *
 * A batch has n rewards of 0 or 1 with mean m. Its release is their sum plus discrete Laplace noise
 * of scale 1/epsilon. Up to a factor that does not depend on m, the release S has the probability
 *
 *      f(m) = sum over k from 0 to n of C(n,k) m^k (1-m)^(n-k) e^(-epsilon |S - k|)
 *
 * log f is concave in m, so a sum of such logarithms has one maximum (likelihood.md). The release
 * need not be a whole number: rewards in [0,1] that are not 0 or 1 use the same f.
 */
#ifndef LOTOR_LEARN_LIKELIHOOD_H
#define LOTOR_LEARN_LIKELIHOOD_H

/* The numbers that can be computed before the mean is known. */
typedef struct lotor_likelihood {
    double count;      /* n, a whole number from 1 to 1e8 */
    double sum;        /* S */
    double epsilon;    /* above 0; INFINITY: the sum has no noise */
    double whole;      /* S rounded down; only if 0 <= S < n */
    double part;       /* S - whole */
    double log_choose; /* the part of the binomial probability of `whole` without the mean */
    double decay;      /* e^-epsilon */
    double loss;       /* 1 - e^-epsilon */
    double deviation;  /* of the sum of the rewards, if it is known; 0: rewards are 0 or 1 */
} lotor_likelihood;

lotor_likelihood lotor_likelihood_of(double count, double sum, double epsilon);

/* The same if the rewards' variance is known: their sum then is about normal, with mean n m and
 * variance n v, and the noise is added to it. */
lotor_likelihood lotor_likelihood_normal(double count, double sum, double epsilon, double variance);

/* log f(mean), for a mean in [1e-9, 1 - 1e-9]; above an epsilon of 40 without terms that do not
 * depend on the mean. *slope (may be NULL) is the derivative. The error is at most 1e-6, or 1e-12
 * of |log f| if that is larger, for epsilon from 1e-4. */
double lotor_likelihood_log(const lotor_likelihood *at, double mean, double *slope);

#endif
