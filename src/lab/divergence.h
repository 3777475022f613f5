/* divergence.h - how much one round tells about an arm, at most: the numbers behind the lower
 * bounds of bounds.h.
 *
 * All compare an arm of mean x with the same arm if its mean were y. Rewards are 0 or 1, and x and
 * y are in [0,1]. A policy that is good in both worlds must show the arm about log T / d times,
 * where d is the divergence for its kind of privacy. The proofs are in bounds.md. */
#ifndef LOTOR_LAB_DIVERGENCE_H
#define LOTOR_LAB_DIVERGENCE_H

/* Without privacy: kl(x, y) = x log(x/y) + (1-x) log((1-x)/(1-y)), with 0 log 0 = 0. INFINITY if y
 * is 0 or 1 and x is not equal to it. */
double lotor_kl_bernoulli(double x, double y);

/* Central epsilon-DP: the least epsilon |z - x| + kl(z, y) over all z (Azize, Wu, Honda, Orabona,
 * Ito and Basu 2025). At most kl(x, y), which it is for epsilon = INFINITY, and at most
 * epsilon |y - x|. */
double lotor_divergence_central(double x, double y, double epsilon);

/* Epsilon-LDP: kl between the randomized bits, which tell the truth with probability
 * e^epsilon / (1 + e^epsilon). At most lotor_divergence_central. */
double lotor_divergence_local(double x, double y, double epsilon);

/* Epsilon-LDP, an older and weaker bound: min(4, e^(2 epsilon)) (e^epsilon - 1)^2 (y - x)^2 (Duchi,
 * Jordan and Wainwright 2013, Theorem 1). At least lotor_divergence_local. */
double lotor_divergence_duchi(double x, double y, double epsilon);

#endif
