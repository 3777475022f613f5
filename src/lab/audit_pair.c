/* audit_pair.c - the table of pairs of neighbouring inputs. All rounds but the replaced one are the
 * same in both worlds. They pay nothing, so that only the replaced round contributes to the
 * sums. */
#include "lab/audit_pair.h"

#include <string.h>

#include "policy/serving.h"

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

/* If several arms are asked, only then can one of them move alone. */
static bool fits_several(const lotor_algorithm *algorithm, const lotor_audit_request *audit)
{
    return audit->view != LOTOR_VIEW_ACTIONS && strcmp(algorithm->feedback, "semi") == 0;
}

/* Not behind a gate: there the other rounds must pay, and each trial is long. */
static bool fits_late(const lotor_algorithm *algorithm, const lotor_audit_request *audit)
{
    (void)audit;
    return !algorithm->linear && !(algorithm->elimination && algorithm->elimination->gated);
}

/* A served report is made by the person's device, which has no simulated noise. */
static bool is_served(const lotor_algorithm *algorithm, const lotor_audit_request *audit)
{
    lotor_serving_info facts;
    return audit->view != LOTOR_VIEW_ACTIONS && lotor_serving_find(algorithm->id, &facts) &&
           (lotor_algorithm_model(algorithm) != LOTOR_MODEL_LOCAL || !audit->is_seeded);
}

static bool fits_served(const lotor_algorithm *algorithm, const lotor_audit_request *audit)
{
    return !algorithm->linear && is_served(algorithm, audit);
}

static bool fits_turned(const lotor_algorithm *algorithm, const lotor_audit_request *audit)
{
    return algorithm->linear && audit->view != LOTOR_VIEW_ACTIONS;
}

static bool fits_turned_open(const lotor_algorithm *algorithm, const lotor_audit_request *audit)
{
    return fits_turned(algorithm, audit) && !is_served(algorithm, audit);
}

static bool fits_turned_served(const lotor_algorithm *algorithm, const lotor_audit_request *audit)
{
    return fits_turned(algorithm, audit) && is_served(algorithm, audit);
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
        .id = "one arm against none", /* the difference of two arms of one round moves, too */
        .replaced = 1,
        .feedback = {LOTOR_AUDIT_FEEDBACK_FIRST, LOTOR_AUDIT_FEEDBACK_LEAST},
        .words = {"the first arm of round 1 paid the most", "all of its arms paid the least"},
        .share = 2,
        .fits = fits_several,
    },
    {
        .id = "a late round",
        .replaced = 5,
        .replaced_last = 40,
        .feedback = {LOTOR_AUDIT_FEEDBACK_LARGEST, LOTOR_AUDIT_FEEDBACK_LEAST},
        .words = {"a round from 5 to 40 paid the most, with 4 rounds open", "it paid the least"},
        .open = LOTOR_AUDIT_OPEN,
        .share = 1,
        .fits = fits_late,
    },
    {
        .id = "a served round",
        .replaced = 5,
        .replaced_last = 40,
        .feedback = {LOTOR_AUDIT_FEEDBACK_LARGEST, LOTOR_AUDIT_FEEDBACK_LEAST},
        .words = {"a served round from 5 to 40 paid the most, with 4 rounds open and random masks",
                  "it paid the least"},
        .open = LOTOR_AUDIT_OPEN,
        .is_served = true,
        .share = 1,
        .fits = fits_served,
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
        .id = "turned context", /* the farthest that one round moves the sums (matrix_batch.md) */
        .replaced = 1,
        .feedback = {LOTOR_AUDIT_FEEDBACK_LARGEST, LOTOR_AUDIT_FEEDBACK_LEAST},
        .is_turned = true,
        .words = {"round 1 paid the most",
                  "its context was turned by 60 degrees and paid the least"},
        .share = 96,
        .fits = fits_turned,
    },
    {
        .id = "a late context",
        .replaced = 5,
        .replaced_last = 40,
        .feedback = {LOTOR_AUDIT_FEEDBACK_LARGEST, LOTOR_AUDIT_FEEDBACK_LEAST},
        .is_turned = true,
        .words = {"a round from 5 to 40 paid the most, with 4 rounds open",
                  "its context was turned by 60 degrees and paid the least"},
        .open = LOTOR_AUDIT_OPEN,
        .share = 1,
        .fits = fits_turned_open,
    },
    {
        .id = "a served context",
        .replaced = 5,
        .replaced_last = 40,
        .feedback = {LOTOR_AUDIT_FEEDBACK_LARGEST, LOTOR_AUDIT_FEEDBACK_LEAST},
        .is_turned = true,
        .words = {"a served round from 5 to 40 paid the most, with 4 rounds open and random masks",
                  "its context was turned by 60 degrees and paid the least"},
        .open = LOTOR_AUDIT_OPEN,
        .is_served = true,
        .share = 1,
        .fits = fits_turned_served,
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
