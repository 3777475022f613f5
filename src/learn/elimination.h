/* elimination.h - the learner that eliminates arms: it shows the viable arms one after the other,
 * and drops an arm when its mean is clearly below the best one.
 *
 * The learner plans with public numbers only. The plan says how many observations of each viable
 * arm this epoch needs next. It also says what follows: the gate is asked (at some threshold), or
 * the sums are released. The results are on the board. Statistic 0 holds the sums of the arms (of
 * the epoch, or of all epochs so far). Statistic 1 holds the gate's answer, at arm 0.
 */
#ifndef LOTOR_LEARN_ELIMINATION_H
#define LOTOR_LEARN_ELIMINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "board/board.h"
#include "learn/index.h"

/* The public state that a rule computes its plan from. */
typedef struct lotor_elimination_point {
    double viable; /* |S|, the number of viable arms */
    double epoch;  /* e = 1, 2, ... */
    double step;   /* l = 1, 2, ...: the number of the gate's next query in the epoch */
} lotor_elimination_point;

/* The next step in an epoch. */
typedef struct lotor_elimination_plan {
    uint64_t rounds;  /* observations of each viable arm in this epoch, in all */
    bool gated;       /* then ask the gate, and release only if it says yes */
    double threshold; /* of the gate, for the largest difference of two sums */
    double cut; /* at a release: drop the arms whose mean is this far below the largest mean */
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

/* All rules, ended by NULL. */
extern const lotor_elimination_rule *const lotor_elimination_rules[];

typedef struct lotor_elimination lotor_elimination;

/* `width` is the width of the rewards' range. */
lotor_status lotor_elimination_new(const lotor_elimination_rule *rule,
                                   const lotor_rule_params *params, size_t arms, double width,
                                   lotor_elimination **out);
void lotor_elimination_free(lotor_elimination *elimination);

/* The viable arms, and the plan for them. */
const uint32_t *lotor_elimination_viable(const lotor_elimination *elimination, size_t *count);
const lotor_elimination_plan *lotor_elimination_next(const lotor_elimination *elimination);

/* Reads the gate's answer from the board. If it is no, plans the next query. If it is yes, a
 * release is due, and the plan stays. */
void lotor_elimination_read_gate(lotor_elimination *elimination, const lotor_board *board);

/* Reads the released sums of the viable arms from the board, drops arms, and plans the next
 * epoch. */
void lotor_elimination_read_sums(lotor_elimination *elimination, const lotor_board *board);

/* True if the next thing to do is a release; false if it is a query of the gate. */
bool lotor_elimination_wants_release(const lotor_elimination *elimination);

void lotor_elimination_save(const lotor_elimination *elimination, lotor_writer *writer);
void lotor_elimination_load(lotor_elimination *elimination, lotor_reader *reader);

#endif
