/* audit_bound.h - turns the frequencies of an event in two worlds into a lower bound on epsilon.
 *
 * An (epsilon, delta)-private mechanism has P(E | one world) <= e^epsilon P(E | other) + delta for
 * every event E. So epsilon >= log((p - delta) / q), where p is a lower bound of the first
 * probability and q an upper bound of the second. The same holds with the worlds exchanged, and for
 * "not E". Four confidence bounds are enough: each probability from below and from above.
 */
#ifndef LOTOR_LAB_AUDIT_BOUND_H
#define LOTOR_LAB_AUDIT_BOUND_H

#include <stdbool.h>
#include <stdint.h>

/* For world 0 and world 1: how often the event occurred, in how many trials. */
typedef struct lotor_audit_counts {
    uint64_t seen[2];
    uint64_t trials[2];
} lotor_audit_counts;

typedef struct lotor_audit_bound {
    double epsilon;   /* lower bound; 0 if the event does not tell the worlds apart */
    double likely;    /* estimate from the frequencies, not a bound */
    double at_most;   /* upper bound of the epsilon that this event can show */
    bool of_not;      /* the bound is from the absence of the event */
    unsigned to;      /* the world in which the event (or its absence) is more frequent */
    bool is_frequent; /* it is frequent enough there that `likely` means something */
} lotor_audit_bound;

/* True if the event occurred, and also did not occur, at least LOTOR_AUDIT_FREQUENT times in one of
 * the worlds. */
bool lotor_audit_counts_vary(const lotor_audit_counts *counts);

enum { LOTOR_AUDIT_FREQUENT = 10 };
enum { LOTOR_AUDIT_SIDES = 4 }; /* confidence bounds per event */

/* The bound fails with probability at most LOTOR_AUDIT_SIDES x miss. Both worlds need trials. */
lotor_audit_bound lotor_audit_bound_of(const lotor_audit_counts *counts, double delta, double miss);

/* log((p - delta) / q); 0 if that is negative or p <= delta; INFINITY if q is 0. */
double lotor_audit_loss(double p, double q, double delta);

#endif
