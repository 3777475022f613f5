/* api_budgets.c - the routes that make and show budgets over several campaigns. */
#include "service/http/api_handlers.h"
#include "service/spec/budget_spec.h"

lotor_completion lotor_api_create_budget(lotor_request *request)
{
    lotor_budget_spec spec;
    if (!lotor_api_read(request) ||
        lotor_budget_spec_read(request->json, &request->job.refusal, &spec) != LOTOR_CODE_NONE) {
        return LOTOR_COMPLETED;
    }
    return lotor_engine_create_budget(request->engine, &spec, &request->result, &request->job);
}

lotor_completion lotor_api_list_budgets(lotor_request *request)
{
    return lotor_engine_budgets(request->engine, NULL, &request->result, &request->job);
}

lotor_completion lotor_api_budget(lotor_request *request)
{
    return lotor_engine_budgets(request->engine, request->target, &request->result, &request->job);
}
