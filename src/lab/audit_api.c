/* audit_api.c - the public functions of lotor/audit.h, on top of lab/audit.h. */
#include <lotor/audit.h>

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "lab/audit.h"
#include "policy/policy.h"

enum { VIEWS = 3 };

static lotor_status find_view(const char *name, lotor_message *why, lotor_audit_view *view)
{
    for (int i = 0; name && i < VIEWS; i++) {
        if (strcmp(name, lotor_audit_view_name((lotor_audit_view)i)) == 0) {
            *view = (lotor_audit_view)i;
            return LOTOR_OK;
        }
    }
    return name ? lotor_fail(LOTOR_INVALID, why,
                             "there is no view %s: choose from actions, board and reports",
                             lotor_quote_text(name).text)
                : LOTOR_OK; /* no name: keep the default, the view of the claim */
}

static lotor_status check_amounts(const lotor_audit_request *audit, lotor_message *why)
{
    if (audit->horizon > LOTOR_AUDIT_ROUNDS_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "%llu rounds are too many: expected at most 2^32",
                          (unsigned long long)audit->horizon);
    }
    return audit->epsilon.num != 0
               ? LOTOR_OK
               : lotor_fail(LOTOR_INVALID, why,
                            "epsilon must be above 0: with 0 nothing could be released");
}

static lotor_status make_audit(const lotor_audit_params *params, lotor_message *why,
                               lotor_audit_request *out)
{
    const lotor_algorithm *algorithm = lotor_catalog_find(params->catalog, params->algorithm);
    if (!algorithm) {
        return lotor_catalog_refuse(params->catalog, params->algorithm, why);
    }
    const bool has_epsilon = params->epsilon.num != 0 || params->epsilon.den != 0;
    *out = (lotor_audit_request){
        .algorithm = algorithm,
        .epsilon = has_epsilon ? params->epsilon : lotor_ratio_of(LOTOR_AUDIT_EPSILON_DEFAULT, 1),
        .delta = params->delta,
        .horizon = params->horizon,
        .trials = params->trials ? params->trials : (uint64_t)LOTOR_AUDIT_TRIALS_DEFAULT,
        .view = lotor_audit_view_of(algorithm),
        .confidence =
            params->confidence == 0.0 ? LOTOR_AUDIT_CONFIDENCE_DEFAULT : params->confidence,
        .is_seeded = params->is_seeded,
        .seed = params->seed,
        .threads = params->threads,
        .noise_scale = params->noise_scale == 0.0 ? 1.0 : params->noise_scale,
        .progress = params->progress,
        .context = params->progress_context,
    };
    lotor_status status = lotor_policy_refuse_no_delta(algorithm, params->delta, why);
    if (status == LOTOR_OK) {
        status = find_view(params->view, why, &out->view);
    }
    return status == LOTOR_OK ? check_amounts(out, why) : status;
}

void lotor_audit_tell(const lotor_audit_finding *finding, lotor_audit_result *out)
{
    *out = (lotor_audit_result){
        .is_violated = finding->verdict == LOTOR_AUDIT_VIOLATED,
        .verdict = lotor_audit_verdict_name(finding->verdict),
        .epsilon = finding->epsilon,
        .delta = finding->delta,
        .found = finding->found,
        .trials = finding->trials,
        .seconds = finding->seconds,
        .kind = finding->verdict,
        .estimate = finding->likely,
        .looseness = finding->looseness,
        .inputs = finding->pair,
        .attack = finding->attack,
        .events = finding->events,
        .releases = finding->releases,
        .seen = finding->seen,
        .is_varied = finding->varied,
        .is_simulated = finding->is_simulated,
        .noise_scale = 1.0,
    };
    snprintf(out->event, sizeof out->event, "%s", finding->event);
    snprintf(out->setting, sizeof out->setting, "%s", finding->setting);
    snprintf(out->exercised, sizeof out->exercised, "%s", finding->exercised);
    snprintf(out->not_exercised, sizeof out->not_exercised, "%s", finding->not_exercised);
}

void lotor_audit_explain(lotor_status status, lotor_message *why)
{
    if (status == LOTOR_STOPPED) {
        lotor_explain(why, "stopped before all trials were played, so there is no result");
    } else if (status == LOTOR_MEMORY) {
        lotor_explain(why, "no memory for an audit");
    }
}

lotor_status lotor_audit_run(const lotor_audit_params *params, lotor_message *why,
                             lotor_audit_result *out)
{
    lotor_audit_request audit;
    lotor_audit_finding finding;
    lotor_status status = make_audit(params, why, &audit);
    if (status == LOTOR_OK) {
        status = lotor_audit_search(&audit, why, &finding);
        lotor_audit_explain(status, why);
    }
    if (status == LOTOR_OK) {
        lotor_audit_tell(&finding, out);
        out->confidence = audit.confidence;
        out->view = lotor_audit_view_name(audit.view);
        out->noise_scale = audit.noise_scale;
    }
    return status;
}
