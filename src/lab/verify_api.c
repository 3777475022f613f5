/* verify_api.c - the public functions of lotor/verify.h, on top of lab/verify.h. */
#include <lotor/verify.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/suggest.h"
#include "lab/verify.h"

size_t lotor_verify_count(void)
{
    size_t count = 0;
    while (lotor_verify_mechanisms[count].id) {
        count++;
    }
    return count;
}

lotor_status lotor_verify_at(size_t place, lotor_message *why, lotor_verify_info *out)
{
    const size_t count = lotor_verify_count();
    if (place >= count) {
        return lotor_fail(LOTOR_UNKNOWN, why,
                          "there is no mechanism in place %zu: there are %zu, counted from 0",
                          place, count);
    }
    const lotor_verify_mechanism *row = &lotor_verify_mechanisms[place];
    *out = (lotor_verify_info){row->id, row->summary, row->is_leak, row->has_delta};
    return LOTOR_OK;
}

static lotor_status refuse_name(const char *name, lotor_message *why)
{
    if (!name) {
        return lotor_fail(LOTOR_UNKNOWN, why,
                          "no mechanism is named: give the id of one, such as laplace");
    }
    lotor_suggestion suggestion;
    lotor_suggestion_start(&suggestion, name);
    for (const lotor_verify_mechanism *row = lotor_verify_mechanisms; row->id; row++) {
        lotor_suggestion_offer(&suggestion, row->id);
    }
    return lotor_fail(LOTOR_UNKNOWN, why, "there is no mechanism %s%s%s%s",
                      lotor_quote_text(name).text, suggestion.nearest ? ": did you mean " : "",
                      suggestion.nearest ? suggestion.nearest : "", suggestion.nearest ? "?" : "");
}

lotor_status lotor_verify_run(const lotor_verify_params *params, lotor_message *why)
{
    const lotor_verify_mechanism *row =
        params->mechanism ? lotor_verify_find(params->mechanism) : NULL;
    if (!row) {
        return refuse_name(params->mechanism, why);
    }
    if (!params->take) {
        return lotor_fail(LOTOR_INVALID, why, "nobody takes the findings: give a function");
    }
    const lotor_verify_request request = {params->epsilon, params->delta, params->noise_scale};
    return lotor_verify(row, &request, why, params->take, params->take_context);
}
