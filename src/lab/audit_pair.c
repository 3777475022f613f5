/* audit_pair.c - the table of pairs of neighbouring inputs. All rounds but the replaced one are the
 * same in both worlds. They pay nothing, so that only the replaced round contributes to the
 * sums. */
#include "lab/audit_pair.h"

#include <string.h>

bool lotor_audit_hears_clicks(const lotor_algorithm *algorithm)
{
    return algorithm->problem == LOTOR_PROBLEM_CASCADE;
}

static bool fits_rewards(const lotor_algorithm *algorithm, const lotor_audit_request *audit)
{
    (void)audit;
    return !lotor_audit_hears_clicks(algorithm);
}

static bool fits_lists(const lotor_algorithm *algorithm, const lotor_audit_request *audit)
{
    (void)audit;
    return lotor_audit_hears_clicks(algorithm) || algorithm->problem == LOTOR_PROBLEM_ANY;
}

/* Not for reports, which do not depend on the round; not for elimination, whose batches are
 * long. */
static bool fits_batches(const lotor_algorithm *algorithm, const lotor_audit_request *audit)
{
    return audit->view != LOTOR_VIEW_REPORTS && !lotor_audit_hears_clicks(algorithm) &&
           !algorithm->elimination;
}

static bool fits_start(const lotor_algorithm *algorithm, const lotor_audit_request *audit)
{
    (void)audit;
    return algorithm->starts_exact;
}

static bool fits_all(const lotor_algorithm *algorithm, const lotor_audit_request *audit)
{
    (void)algorithm;
    (void)audit;
    return true;
}

/* For algorithms with private contexts: a joint guarantee covers context and feedback together. */
static bool fits_contexts(const lotor_algorithm *algorithm, const lotor_audit_request *audit)
{
    (void)audit;
    return algorithm->linear != NULL;
}

/* Not for simulated noise, which can't be loaded; not for decisions, which show nothing of a
 * reload. */
static bool fits_reload(const lotor_algorithm *algorithm, const lotor_audit_request *audit)
{
    return audit->view != LOTOR_VIEW_ACTIONS && !audit->is_seeded && !algorithm->is_simulation_only;
}

const lotor_audit_pair lotor_audit_pairs[] = {
    {
        .id = "ones against zeros",
        .replaced = 1,
        .feedback = {LOTOR_AUDIT_FEEDBACK_LARGEST, LOTOR_AUDIT_FEEDBACK_LEAST},
        .words = {"round 1 paid the most everywhere", "it paid the least"},
        .share = 24,
        .fits = fits_rewards,
    },
    {
        .id = "click against none",
        .replaced = 1,
        .feedback = {LOTOR_AUDIT_FEEDBACK_LARGEST, LOTOR_AUDIT_FEEDBACK_LEAST},
        .words = {"the first item was clicked in round 1", "none was"},
        .is_list = true,
        .share = 5,
        .fits = fits_lists,
    },
    {
        .id = "first click against last", /* moves the most numbers, if views are counted too */
        .replaced = 1,
        .feedback = {LOTOR_AUDIT_FEEDBACK_LARGEST, LOTOR_AUDIT_FEEDBACK_LAST},
        .words = {"the first item was clicked in round 1", "the last one was"},
        .is_list = true,
        .share = 5,
        .fits = fits_lists,
    },
    {
        .id = "last click against none",
        .replaced = 1,
        .feedback = {LOTOR_AUDIT_FEEDBACK_LAST, LOTOR_AUDIT_FEEDBACK_LEAST},
        .words = {"the last item was clicked in round 1", "none was"},
        .is_list = true,
        .share = 2,
        .fits = fits_lists,
    },
    {
        .id = "before a batch closes",
        .replaced = 3, /* batches of 1, 2, 4, ... close with rounds 1, 3, 7, ... of an arm */
        .feedback = {LOTOR_AUDIT_FEEDBACK_LARGEST, LOTOR_AUDIT_FEEDBACK_LEAST},
        .words = {"round 3 paid the most everywhere", "it paid the least"},
        .share = 1,
        .fits = fits_batches,
    },
    {
        .id = "context against none", /* moves every entry of a matrix by one, the same way */
        .replaced = 1,
        .feedback = {LOTOR_AUDIT_FEEDBACK_LARGEST, LOTOR_AUDIT_FEEDBACK_DEFAULT},
        .lacks_context = {false, true},
        .words = {"round 1 had a context of 1 and paid the most", "both were 0"},
        .share = 8,
        .fits = fits_contexts,
    },
    {
        .id = "the exact start",
        .replaced = 0,
        .feedback = {LOTOR_AUDIT_FEEDBACK_LARGEST, LOTOR_AUDIT_FEEDBACK_LEAST},
        .words = {"the answers before round 1 were all 1", "they were all 0"},
        .share = 3,
        .fits = fits_start,
    },
    {
        .id = "answered or not",
        .replaced = 1,
        .feedback = {LOTOR_AUDIT_FEEDBACK_DEFAULT, LOTOR_AUDIT_FEEDBACK_NOTHING},
        .words = {"round 1 was answered with the default", "it was not answered"},
        .share = 1,
        .fits = fits_all,
    },
    {
        .id = "reload",
        .replaced = 1,
        .feedback = {LOTOR_AUDIT_FEEDBACK_LARGEST, LOTOR_AUDIT_FEEDBACK_LEAST},
        .words = {"round 1 paid the most, and its release was interrupted by a reload",
                  "it paid the least"},
        .reloads = true,
        .share = 2,
        .fits = fits_reload,
    },
    {.id = NULL},
};
