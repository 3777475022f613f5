/* audit_bound.h - from how often an event came in two worlds to a lower bound on epsilon.
 *
 * A mechanism that is (epsilon, delta)-private has P(E | one world) <= e^epsilon P(E | other) + delta
 * for every event E. So epsilon >= log((p - delta) / q) for p at most the one probability and q at
 * least the other; with the worlds exchanged; and for "not E". Four confidence bounds serve all of
 * it: each probability from below and from above.
 */
#ifndef LOTOR_LAB_AUDIT_BOUND_H
#define LOTOR_LAB_AUDIT_BOUND_H

#include <stdbool.h>
#include <stdint.h>

/* World 0 and world 1: how often the event came, in how many trials. */
typedef struct lotor_audit_counts {
    uint64_t seen[2];
    uint64_t trials[2];
} lotor_audit_counts;

typedef struct lotor_audit_bound {
    double epsilon;   /* at least; 0 when nothing is told apart */
    double likely;    /* the same from the frequencies themselves: an estimate, no bound */
    double at_most;   /* what this event shows at most: the same with the other ends */
    bool of_not;      /* it is the absence of the event that tells */
    unsigned to;      /* the world in which it is more frequent */
    bool is_frequent; /* there it came often enough that `likely` means something */
} lotor_audit_bound;

/* Whether the event came often, and often did not: LOTOR_AUDIT_FREQUENT times, in one world or the
 * other. */
bool lotor_audit_counts_vary(const lotor_audit_counts *counts);

enum { LOTOR_AUDIT_FREQUENT = 10 };
enum { LOTOR_AUDIT_SIDES = 4 }; /* confidence bounds per event */

/* Holds but with probability LOTOR_AUDIT_SIDES x miss. Both worlds have trials. */
lotor_audit_bound lotor_audit_bound_of(const lotor_audit_counts *counts, double delta, double miss);

/* log((p - delta) / q); 0 where that is negative or p <= delta, INFINITY where q is 0. */
double lotor_audit_loss(double p, double q, double delta);

#endif
