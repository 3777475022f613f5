/* statistic_kinds.c - what tells the kinds of statistics apart, besides how they are fed. */
#include "privacy/release/statistic_parts.h"

const char *lotor_statistic_name(lotor_statistic_kind kind)
{
    static const char *const names[] = {
        "exact",
        "tree",
        "doubling batches",
        "Laplace reports",
        "Gaussian reports",
        "Laplace reports",
        "vector tree",
        "hybrid counter",
        "tree",
        "click reports",
        "click batches",
        "cube reports",
        "growing batches",
        "bits",
        "episodes",
    };
    return names[kind];
}

lotor_law lotor_statistic_law(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_REPORTS_GAUSSIAN ? LOTOR_LAW_GAUSSIAN : LOTOR_LAW_LAPLACE;
}

bool lotor_statistic_is_at_once(lotor_statistic_kind kind)
{
    return !lotor_statistic_schedule(kind) && kind != LOTOR_STATISTIC_VECTOR_TREE &&
           !lotor_statistic_hears_lists(kind);
}

bool lotor_statistic_hears_lists(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_CLICK_REPORTS || kind == LOTOR_STATISTIC_CLICK_BATCHES;
}

bool lotor_statistic_is_batched(lotor_statistic_kind kind)
{
    return lotor_statistic_schedule(kind) || kind == LOTOR_STATISTIC_CLICK_BATCHES;
}

bool lotor_statistic_is_reported(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_REPORTS || kind == LOTOR_STATISTIC_BITS ||
           kind == LOTOR_STATISTIC_CLICK_REPORTS || kind == LOTOR_STATISTIC_CUBE_REPORTS;
}

bool lotor_statistic_records_one(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_GROWING || kind == LOTOR_STATISTIC_EPISODES ||
           kind == LOTOR_STATISTIC_BITS;
}

size_t lotor_statistic_rows(lotor_statistic_kind kind, uint64_t horizon)
{
    return lotor_statistic_keeps_batches(kind)
               ? lotor_schedule_count(lotor_statistic_schedule(kind), horizon)
           : lotor_statistic_hears_lists(kind) ? 2
                                               : 1;
}

uint64_t lotor_statistic_displays(lotor_statistic_kind kind, uint64_t shown)
{
    return lotor_statistic_schedule(kind)
               ? lotor_schedule_end(lotor_statistic_schedule(kind), shown) - shown
               : 1;
}

bool lotor_statistic_is_end(lotor_statistic_kind kind, uint64_t shown)
{
    return !lotor_statistic_schedule(kind) ||
           lotor_schedule_opens(lotor_statistic_schedule(kind), shown);
}

const lotor_rounds_kind *lotor_statistic_rounds(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_CLICK_REPORTS   ? &lotor_click_reports
           : kind == LOTOR_STATISTIC_CLICK_BATCHES ? &lotor_click_batches
           : kind == LOTOR_STATISTIC_CUBE_REPORTS  ? &lotor_cube_reports
                                                   : NULL;
}

bool lotor_statistic_is_by_round(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_VECTOR_TREE || lotor_statistic_rounds(kind);
}
