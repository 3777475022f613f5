/* reproduce_audit.c - see reproduce_audit.h. */
#include "papers/reproduce_audit.h"

#include "base/message.h"
#include "lab/audit.h"
#include "papers/reproduce_plan.h"

enum { QUICK_TRIALS = 4000, PAPER_TRIALS = 100000 };

/* The confidence of each audit: about one page in a thousand has a false alarm. */
static const double CONFIDENCE = 1.0 - 1e-5;

static lotor_status audit_curve(const lotor_audit_request *audit, lotor_message *why,
                                lotor_series *series)
{
    lotor_audit_finding finding;
    lotor_message reason = {""};
    const lotor_status status = lotor_audit_search(audit, &reason, &finding);
    if (status != LOTOR_OK) {
        return lotor_fail(status, why, "the audit of %s: %.240s", audit->algorithm->id,
                          reason.text);
    }
    series->claim = (lotor_claim_audit){
        .is_known = true,
        .verdict = finding.verdict,
        .epsilon = finding.epsilon,
        .delta = finding.delta,
        .found = finding.found,
    };
    return LOTOR_OK;
}

lotor_status lotor_figure_audit(const lotor_figure *figure, const lotor_reproduction *how,
                                bool (*tell)(void *context, double share), void *context,
                                lotor_message *why, lotor_figure_result *out)
{
    const size_t cells = lotor_figure_cell_count(figure, how->is_quick);
    const size_t values = cells / figure->curve_count; /* figures with audits have one panel */
    for (size_t i = 0; i < figure->curve_count; i++) {
        const lotor_figure_cell cell =
            lotor_figure_cell_at(figure, how->is_quick, (i + 1) * values - 1);
        const lotor_algorithm *algorithm = lotor_algorithms_find(cell.setting.algorithm);
        lotor_audit_request audit = {
            .algorithm = algorithm,
            .trials = how->is_quick ? QUICK_TRIALS : PAPER_TRIALS,
            .view = lotor_audit_view_of(algorithm),
            .confidence = CONFIDENCE,
            .is_seeded = true,
            .seed = how->seed,
            .threads = how->threads,
            .noise_scale = 1.0,
            .progress = tell,
            .context = context,
        };
        /* A baseline has no epsilon, and claims nothing. */
        const double epsilon = cell.setting.epsilon != 0.0 ? cell.setting.epsilon : 1.0;
        lotor_status status = lotor_setting_ratio(epsilon, why, &audit.epsilon);
        if (status == LOTOR_OK) {
            status = audit_curve(&audit, why, &out->panels[0].series[i]);
        }
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return LOTOR_OK;
}
