/* elimination.h - the learner that drops arms: all viable arms in turn, until a gap shows.
 *
 * It plans in public numbers: how many observations of each viable arm the epoch wants next, and
 * whether then a gate is asked (at what threshold) or the sums are released. What comes back is on
 * the board: statistic 0 has the arms' sums (of the epoch, or of all so far), statistic 1 (arm 0) the gate's answer.
 */
#ifndef LOTOR_LEARN_ELIMINATION_H
#define LOTOR_LEARN_ELIMINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "board/board.h"
#include "learn/index.h"

/* Where an elimination stands: all public. */
typedef struct lotor_elimination_point {
    double viable; /* |S| */
    double epoch;  /* e = 1, 2, ... */
    double step;   /* l = 1, 2, ... within the epoch: the gate's questions */
} lotor_elimination_point;

/* What to do next in an epoch. */
typedef struct lotor_elimination_plan {
    uint64_t rounds;  /* observations of each viable arm in this epoch, in all */
    bool gated;       /* then ask the gate, and release only if it says yes */
    double threshold; /* of the gate, for the largest difference of two sums */
    double cut;       /* at a release: drop arms whose mean is this far below the largest */
} lotor_elimination_plan;

typedef struct lotor_elimination_rule {
    const char *id;
    const char *formula;
    bool gated;
    lotor_elimination_plan (*plan)(const lotor_rule_params *params,
                                   const lotor_elimination_point *point);
} lotor_elimination_rule;

/* The table: rule(NAME) is the rule lotor_rule_NAME, defined in elimination.c. */
/* clang-format off */
#define LOTOR_ELIMINATION_RULES(rule) \
    rule(se)                          \
    rule(dp_se)                       \
    rule(dp_se2)                      \
    rule(dp_se2_modified)             \
    rule(dp_se_acc)
/* clang-format on */

#define LOTOR_RULE(name) extern const lotor_elimination_rule lotor_rule_##name;
LOTOR_ELIMINATION_RULES(LOTOR_RULE)
#undef LOTOR_RULE

/* All of them, ended by NULL. */
extern const lotor_elimination_rule *const lotor_elimination_rules[];

typedef struct lotor_elimination lotor_elimination;

lotor_status lotor_elimination_new(const lotor_elimination_rule *rule,
                                   const lotor_rule_params *params, size_t arms, double width,
                                   lotor_elimination **out);
void lotor_elimination_free(lotor_elimination *elimination);

/* The arms still in play, and the plan for them. */
const uint32_t *lotor_elimination_viable(const lotor_elimination *elimination, size_t *count);
const lotor_elimination_plan *lotor_elimination_next(const lotor_elimination *elimination);

/* The gate said no on the board: on to the next question. It said yes: release (the plan stays). */
void lotor_elimination_asked(lotor_elimination *elimination, const lotor_board *board);

/* The viable arms' sums are on the board: drops arms and plans the next epoch. */
void lotor_elimination_released(lotor_elimination *elimination, const lotor_board *board);

/* Whether the plan wants a release now, not a question. */
bool lotor_elimination_wants_release(const lotor_elimination *elimination);

void lotor_elimination_save(const lotor_elimination *elimination, lotor_writer *writer);
void lotor_elimination_load(lotor_elimination *elimination, lotor_reader *reader);

#endif
