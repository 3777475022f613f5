/* meter.h - measures one run: its regret and reward at every checkpoint, how often it shows each
 * arm, which sets its last rounds show, and how far it is.
 *
 * Regret is expected regret: the mean reward of the best feasible set, minus that of the shown
 * arms. It depends only on what is shown. If the world changes, the best set is that of the same
 * round (dynamic regret).
 */
#ifndef LOTOR_LAB_METER_H
#define LOTOR_LAB_METER_H

#include "lab/play.h"
#include "policy/policy.h"

typedef struct lotor_meter {
    const lotor_play *play;
    const lotor_policy *policy;
    const lotor_run_curve *curve; /* output */
    size_t noted;                 /* number of checkpoints written so far */
    uint64_t t;                   /* rounds so far */
    size_t piece;                 /* of the coming round */
    double best;                  /* what the best sets of all earlier pieces pay */
    double regret;
    bool tallies; /* count which sets the last rounds show */
    lotor_tally tally;
    uint64_t reported; /* rounds already reported as progress */
    uint64_t work;     /* work since the last report; the player adds to it */
} lotor_meter;

/* The world of the coming round; and how many rounds there are before it changes, or the run
 * ends. */
const lotor_world *lotor_meter_world(const lotor_meter *meter);
uint64_t lotor_meter_left(const lotor_meter *meter);

/* The total reward of the best sets of all rounds. */
double lotor_meter_best(const lotor_play *play);

/* Accounts for `repeats` cycles of a stretch, all before the world changes. Call it before feeding
 * them, which may change the arms. */
void lotor_meter_add(lotor_meter *meter, const lotor_stretch *stretch, uint64_t repeats);

/* Accounts for the first `rounds` rounds of a cycle that the horizon cuts short. */
void lotor_meter_add_part(lotor_meter *meter, const lotor_stretch *stretch, uint64_t rounds);

/* Reports the progress. Returns true if the run must stop. */
bool lotor_meter_report(lotor_meter *meter);

/* Reports the progress if it is time to do so. Returns true if the run must stop. */
bool lotor_meter_is_stopped(lotor_meter *meter);

#endif
