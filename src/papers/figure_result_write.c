/* figure_result_write.c - writes a figure result as CSV; figure_result_read.c reads it back. See
 * reproduce.h.
 *
 *      # lotor: 0.1.0
 *      # figure: sajed-6.1
 *      # settings: 9f3c...               hash of all settings, see lotor_figure_fingerprint
 *      # scale: quick
 *      # seed: 1
 *      # horizon: 100000
 *      # runs: 10
 *      # seconds: 1.25
 *      # remark:
 *      # points: 120                     to detect a file that was cut
 *      # data: 0123456789abcdef          hash of the user's MovieLens files, if they were used
 *      # lower bound: honest noise,dp-se,12.5
 *      # name: 0,Toy Story (1995)        if sets are listed: the names of the arms,
 *      # best: 0 4 7                     the best set,
 *      # shown: honest noise,dp-se,0 4   and the last set of a curve
 *      # audit: ,dp-se,0,1,0,0.93        if curves are audited: verdict, epsilon, delta, found
 *      panel,curve,x,mean,stderr
 *      honest noise,dp-se,1,0.05,0.01
 *
 * A missing number is an empty field. Labels are quoted if CSV needs it.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digits.h"
#include "base/message.h"
#include "base/records.h"
#include "papers/figure_result_fields.h"
#include "papers/reproduce_plan.h"

static size_t count_points(const lotor_figure_result *played)
{
    size_t points = 0;
    for (size_t i = 0; i < played->count; i++) {
        for (size_t j = 0; j < played->panels[i].count; j++) {
            points += played->panels[i].series[j].count;
        }
    }
    return points;
}

static void put_head(FILE *file, const lotor_figure_result *played)
{
    char seconds[LOTOR_DIGITS_ROOM];
    fprintf(file, "# lotor: %s\n# figure: %s\n", lotor_version(), played->figure->id);
    fprintf(file, "# settings: %016llx\n",
            (unsigned long long)lotor_figure_fingerprint(played->figure, played->is_quick));
    fprintf(file, "# scale: %s\n# seed: %llu\n", played->is_quick ? "quick" : "paper",
            (unsigned long long)played->seed);
    fprintf(file, "# horizon: %llu\n# runs: %llu\n", (unsigned long long)played->horizon,
            (unsigned long long)played->runs);
    fprintf(file, "# seconds: %s\n# remark:%s%s\n# points: %zu\n",
            lotor_digits(played->seconds, seconds), *played->remark ? " " : "", played->remark,
            count_points(played));
    if (*played->data) {
        fprintf(file, "# data: %s\n", played->data);
    }
}

static void put_set(FILE *file, const lotor_arm_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        fprintf(file, "%s%lu", i > 0 ? " " : "", (unsigned long)set->arms[i]);
    }
    fputc('\n', file);
}

static void put_sets(FILE *file, const lotor_figure_result *played)
{
    for (size_t i = 0; i < played->name_count; i++) {
        fprintf(file, "# name: %zu,%s\n", i, played->names[i]);
    }
    fputs("# best: ", file);
    put_set(file, &played->best);
    for (size_t i = 0; i < played->count; i++) {
        for (size_t j = 0; j < played->panels[i].count; j++) {
            fputs("# shown: ", file);
            lotor_figure_result_put_text(file, played->panels[i].label);
            fputc(',', file);
            lotor_figure_result_put_text(file, played->panels[i].series[j].label);
            fputc(',', file);
            put_set(file, &played->panels[i].series[j].shown);
        }
    }
}

/* Writes the audits. An infinite epsilon, which means no claim, is an empty field. */
static void put_claims(FILE *file, const lotor_figure_result *played)
{
    for (size_t i = 0; i < played->count; i++) {
        for (size_t j = 0; j < played->panels[i].count; j++) {
            const lotor_claim_audit *claim = &played->panels[i].series[j].claim;
            fputs("# audit: ", file);
            lotor_figure_result_put_text(file, played->panels[i].label);
            fputc(',', file);
            lotor_figure_result_put_text(file, played->panels[i].series[j].label);
            fprintf(file, ",%d", (int)claim->verdict);
            lotor_figure_result_put_number(file, claim->epsilon);
            lotor_figure_result_put_number(file, claim->delta);
            lotor_figure_result_put_number(file, claim->found);
            fputc('\n', file);
        }
    }
}

static void put_curves(FILE *file, const lotor_panel *panel, bool bounds)
{
    for (size_t j = 0; j < panel->count; j++) {
        const lotor_series *series = &panel->series[j];
        const size_t lines = bounds ? (size_t)isfinite(series->lower_bound) : series->count;
        for (size_t k = 0; k < lines; k++) {
            fputs(bounds ? "# lower bound: " : "", file);
            lotor_figure_result_put_text(file, panel->label);
            fputc(',', file);
            lotor_figure_result_put_text(file, series->label);
            lotor_figure_result_put_number(file,
                                           bounds ? series->lower_bound : series->points[k].x);
            if (!bounds) {
                lotor_figure_result_put_number(file, series->points[k].mean);
                lotor_figure_result_put_number(file, series->points[k].standard_error);
            }
            fputc('\n', file);
        }
    }
}

static void put_all(FILE *file, const lotor_figure_result *played)
{
    put_head(file, played);
    for (size_t i = 0; i < played->count; i++) {
        put_curves(file, &played->panels[i], true);
    }
    if (played->figure->lists_sets) {
        put_sets(file, played);
    }
    if (played->figure->audits) {
        put_claims(file, played);
    }
    fputs("panel,curve,x,mean,stderr\n", file);
    for (size_t i = 0; i < played->count; i++) {
        put_curves(file, &played->panels[i], false);
    }
}

static lotor_status unwritable(const char *path, int error, lotor_message *why)
{
    char text[128];
    return lotor_fail(LOTOR_INVALID, why, "%s could not be written: %s",
                      lotor_excerpt(path, strlen(path)).text,
                      strerror_r(error ? error : EIO, text, sizeof text));
}

static lotor_status write_partial(const lotor_figure_result *played, const char *partial,
                                  lotor_message *why)
{
    FILE *file = fopen(partial, "we");
    if (!file) {
        return unwritable(partial, errno, why);
    }
    errno = 0;
    put_all(file, played);
    const bool written = fflush(file) == 0 && !ferror(file) && fsync(fileno(file)) == 0;
    const int error = errno;
    if (fclose(file) != 0 && written) {
        return unwritable(partial, errno, why);
    }
    return written ? LOTOR_OK : unwritable(partial, error, why);
}

lotor_status lotor_figure_result_write(const lotor_figure_result *played, const char *file,
                                       lotor_message *why)
{
    static const char ending[] = ".partial";
    const size_t length = strlen(file);
    char *partial = malloc(length + sizeof ending);
    if (!partial) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to write the points");
    }
    memcpy(partial, file, length);
    memcpy(partial + length, ending, sizeof ending);
    lotor_status status = write_partial(played, partial, why);
    if (status == LOTOR_OK && rename(partial, file) != 0) {
        status = unwritable(file, errno, why);
    }
    if (status != LOTOR_OK) {
        unlink(partial);
    }
    free(partial);
    return status;
}
