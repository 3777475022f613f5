/* imed.h - the learner that records the arm with the least evidence against it.
 *
 * Each arm has an estimate, the maximum of its likelihood (likelihood.h), and evidence against the
 * level that it must reach to be shown: how much less likely that level is than the estimate. The
 * learner keeps showing the leaders, the best set by the estimates. It shows another arm when the
 * evidence against that arm is small for the number of rounds (IMED: Honda and Takemura 2015; with
 * noisy batches: Azize et al. 2025). It also says how large the arm's next batch is.
 *
 *      board, public counts ─▶ estimates ─▶ leaders ─▶ evidence ─▶ whom to record, what to show
 *
 * Everything is a function of releases, public counts and a seed, so it costs no privacy. The rules
 * are numbered as in imed.md.
 */
#ifndef LOTOR_LEARN_IMED_H
#define LOTOR_LEARN_IMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board/board.h"
#include "choice/oracle.h"
#include "learn/imed_arm.h"

typedef struct lotor_imed_learner lotor_imed_learner;

/* A row of the table of rules. */
typedef struct lotor_imed_rule {
    const char *id;
    const char *formula; /* for people */
    bool is_local;       /* see lotor_imed_model */
} lotor_imed_rule;

extern const lotor_imed_rule lotor_rule_lik_imed;
extern const lotor_imed_rule lotor_rule_rr_imed;

typedef struct lotor_imed_setup {
    const lotor_oracle *oracle; /* borrowed */
    lotor_imed_model model;
    size_t statistics;  /* of the board */
    double caution;     /* evidence that is not believed; 3.5 is a good value */
    double lag;         /* the best leader is recorded this often for once of another; at least 1 */
    uint64_t window;    /* releases that are older than so many rounds are forgotten; 0: none is */
    uint64_t half_life; /* older releases count less (fading.h); 0: no. Not with a window */
    bool is_by_clock;   /* the half-life is in seconds: see lotor_imed_tick */
    bool has_alarm;     /* if a mean seems to have changed, older releases are forgotten */
} lotor_imed_setup;

/* The state that a learner with an alarm must keep when its policy is saved. */
typedef struct lotor_imed_memory {
    uint64_t forgotten; /* releases up to this time are forgotten */
    uint64_t checked;   /* releases up to this time were looked at */
} lotor_imed_memory;

/* Public counts of an arm's displays that are in no release. */
typedef struct lotor_imed_counts {
    uint64_t waiting; /* in closed batches; where every report is released: all of them */
    uint64_t open;    /* in the open batch */
} lotor_imed_counts;

/* The next step: show `arms` for up to `hold` rounds, record them for `recorded`, and close its
 * batch at `size` displays, which are more than it has. A release makes the rest of `hold` void. */
typedef struct lotor_imed_plan {
    const uint32_t *arms; /* good until the next call */
    size_t count;         /* 0: the oracle failed, or no arm is eligible */
    uint32_t recorded;
    uint64_t size, hold;
} lotor_imed_plan;

lotor_status lotor_imed_new(const lotor_imed_setup *setup, lotor_imed_learner **out);
void lotor_imed_free(lotor_imed_learner *learner);

/* Takes releases of another policy, in the order of the arms, once, before the first choice (rule 15). Not
 * for randomized bits, and not with an alarm. LOTOR_MEMORY: nothing changed. */
lotor_status lotor_imed_take_prior(lotor_imed_learner *learner, const lotor_imed_prior *prior,
                                   size_t count);

/* Release number b of an arm is the board's statistic b, modulo the number of statistics; the count
 * of randomized bits is statistic 0. `t` is the number of the coming round, `now` that of the round
 * that ends next. The age of a release is `now` less its time.
 * `eligible`: a flag per arm, for oracles that take arms in order; NULL: all arms. */
lotor_imed_plan lotor_imed_choose(lotor_imed_learner *learner, const lotor_board *board,
                                  const lotor_imed_counts *counts, uint64_t t, uint64_t now,
                                  uint64_t seed, const bool *eligible);

/* Says what second it is, after `ended` rounds, if the half-life is in seconds. Returns true if releases
 * must be weighed again. */
bool lotor_imed_tick(lotor_imed_learner *learner, uint64_t ended, uint64_t second);

/* An arm's estimate in the rewards' range, as of the latest choice; NAN without a release. */
double lotor_imed_estimate(const lotor_imed_learner *learner, size_t arm);

/* The mean reward of a set when arm i's mean is means[i], and the vertices behind the set;
 * both for the set of the latest choice. */
double lotor_imed_value(const lotor_imed_learner *learner, const double *means, const uint32_t *set,
                        size_t count);
const uint32_t *lotor_imed_seeds(const lotor_imed_learner *learner);

lotor_imed_memory lotor_imed_memory_of(const lotor_imed_learner *learner);
void lotor_imed_remember(lotor_imed_learner *learner, lotor_imed_memory memory);

/* The state that a learner with a half-life must keep besides, when its policy is saved; nothing without one.
 * `ended`: rounds. The board must have been read before. Loading reads the first `arms` arms. */
void lotor_imed_save_fading(const lotor_imed_learner *learner, lotor_writer *writer);
void lotor_imed_load_fading(lotor_imed_learner *learner, size_t arms, const lotor_board *board,
                            uint64_t ended, lotor_reader *reader);

#endif
