/* run_notes.c - options that an algorithm has no use for: ignored, but not in silence. */
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "cli/print.h"
#include "cli/run.h"

bool lotor_run_uses(const lotor_algorithm *algorithm, size_t option)
{
    switch (option) {
    case LOTOR_RUN_EPSILON:
    case LOTOR_RUN_NOISE_SCALE:
        return algorithm->model != LOTOR_MODEL_NONE;
    case LOTOR_RUN_BETA:
        /* Elimination at a confidence, and widths whose formula names it. */
        return algorithm->model != LOTOR_MODEL_NONE &&
               (algorithm->elimination || strstr(lotor_algorithm_rule(algorithm), "beta"));
    case LOTOR_RUN_DELTA:    /* all are pure: delta is 0 */
    case LOTOR_RUN_CLIP:     /* none caps its index */
    case LOTOR_RUN_FEEDBACK: /* each serves one kind */
        return false;
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
        return "only one kind is served";
    default:
        return "it is not part of the rule";
    }
}

/* "ucb, se" */
static size_t list_idle(const lotor_run_plan *plan, size_t option, char *text, size_t capacity)
{
    size_t idle = 0, length = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const lotor_algorithm *algorithm = plan->algorithms[i];
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
            lotor_complain("run", "note: %s %s no use for --%s, which is ignored (%s)", ids,
                           idle > 1 ? "have" : "has", options[option].name, reason_for(option));
        }
    }
    if (plan->values[LOTOR_RUN_SLOTS].given && plan->params.structure != LOTOR_STRUCTURE_TOP) {
        lotor_complain("run", "note: --slots is ignored: the %s decides how many arms are shown%s",
                       plan->own_structure ? "instance's matroid" : "oracle",
                       plan->own_structure ? " (--oracle top shows any K)" : "");
    }
    if (plan->values[LOTOR_RUN_REWARDS].given && lotor_run_is_recorded(plan)) {
        lotor_complain("run", "note: --rewards is ignored: %s pays what was recorded",
                       lotor_quote_text(plan->place).text);
    }
}
