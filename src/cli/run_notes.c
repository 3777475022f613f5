/* run_notes.c - names the options that an algorithm ignores, so that the user knows. */
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "cli/print.h"
#include "cli/run.h"

bool lotor_run_uses(const lotor_algorithm_info *algorithm, size_t option)
{
    const bool linear = strcmp(algorithm->problem, "linear") == 0;
    switch (option) {
    case LOTOR_RUN_EPSILON:
    case LOTOR_RUN_NOISE_SCALE:
        return algorithm->model != LOTOR_MODEL_NONE;
    case LOTOR_RUN_BETA:
        return algorithm->uses_beta;
    case LOTOR_RUN_DELTA:
        return algorithm->delta.num != 0;
    case LOTOR_RUN_CLIP:
        return algorithm->uses_clip;
    case LOTOR_RUN_CAUTION:
    case LOTOR_RUN_LAG:
    case LOTOR_RUN_HALF_LIFE:
        return algorithm->uses_caution;
    case LOTOR_RUN_WINDOW:
    case LOTOR_RUN_ALARM:
    case LOTOR_RUN_VARIANCE:
        return algorithm->uses_window;
    case LOTOR_RUN_FEEDBACK: /* most algorithms accept only one kind of feedback */
        return strcmp(algorithm->problem, "any") == 0;
    case LOTOR_RUN_DIMENSION:
    case LOTOR_RUN_GAP:
        return linear;
    case LOTOR_RUN_SLOTS:
    case LOTOR_RUN_ORACLE:
    case LOTOR_RUN_REWARDS:
    case LOTOR_RUN_EXACT_ROUNDS:
        return !linear;
    default:
        return true;
    }
}

static const char *reason_for(size_t option)
{
    switch (option) {
    case LOTOR_RUN_EPSILON:
    case LOTOR_RUN_NOISE_SCALE:
        return "no noise is added";
    case LOTOR_RUN_DELTA:
        return "delta is 0";
    case LOTOR_RUN_CLIP:
        return "no index is capped";
    case LOTOR_RUN_FEEDBACK:
        return "the algorithm accepts only one kind";
    case LOTOR_RUN_DIMENSION:
    case LOTOR_RUN_GAP:
        return "the algorithm does not play in a linear world";
    case LOTOR_RUN_SLOTS:
    case LOTOR_RUN_ORACLE:
    case LOTOR_RUN_REWARDS:
        return "in a linear world one action is shown, and pays 1 or -1";
    case LOTOR_RUN_EXACT_ROUNDS:
        return "in a linear world every round is played";
    default:
        return "the rule of the algorithm does not use it";
    }
}

/* "ucb, se" */
static size_t list_idle(const lotor_run_plan *plan, size_t option, char *text, size_t capacity)
{
    size_t idle = 0, length = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const lotor_algorithm_info *algorithm = &plan->algorithms[i];
        const bool as_asked = option == LOTOR_RUN_FEEDBACK &&
                              strcmp(algorithm->feedback, plan->values[option].text) == 0;
        if (lotor_run_uses(algorithm, option) || as_asked) {
            continue;
        }
        const int more =
            snprintf(text + length, capacity - length, "%s%s", idle > 0 ? ", " : "", algorithm->id);
        length += (size_t)more < capacity - length ? (size_t)more : capacity - length - 1;
        idle++;
    }
    return idle;
}

void lotor_run_notes(const lotor_run_plan *plan, const lotor_option *options)
{
    for (size_t option = 0; option < LOTOR_RUN_OPTIONS; option++) {
        char ids[512] = "";
        const size_t idle =
            plan->values[option].given ? list_idle(plan, option, ids, sizeof ids) : 0;
        if (idle > 0) {
            lotor_print_complaint("run", "note: %s %s no use for --%s, which is ignored (%s)", ids,
                                  idle > 1 ? "have" : "has", options[option].name,
                                  reason_for(option));
        }
    }
    const lotor_simulate_problem_facts *problem = &plan->facts;
    if (problem->is_linear) {
        return;
    }
    const bool takes_slots = problem->structure == LOTOR_STRUCTURE_TOP ||
                             problem->structure == LOTOR_STRUCTURE_COVERAGE ||
                             problem->structure == LOTOR_STRUCTURE_INFLUENCE;
    if (plan->values[LOTOR_RUN_SLOTS].given && !takes_slots) {
        lotor_print_complaint("run",
                              "note: --slots is ignored: the %s decides how many arms are shown%s",
                              problem->has_usual_structure ? "instance" : "oracle",
                              problem->has_usual_structure ? " (--oracle top shows any K)" : "");
    }
    if (plan->values[LOTOR_RUN_REWARDS].given && plan->is_recorded) {
        lotor_print_complaint("run", "note: --rewards is ignored: %s has recorded rewards",
                              lotor_quote_text(plan->place).text);
    }
}
