/* refusal.c - the names and HTTP statuses of the service's error codes. See refusal.h. */
#include "service/refusal.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *name;
    unsigned http;
} codes[LOTOR_CODE_COUNT] = {
    [LOTOR_CODE_NONE] = {"none", 200},
    [LOTOR_CODE_BAD_JSON] = {"bad_json", 400},
    [LOTOR_CODE_UNKNOWN_FIELD] = {"unknown_field", 400},
    [LOTOR_CODE_MISSING_FIELD] = {"missing_field", 400},
    [LOTOR_CODE_BAD_VALUE] = {"bad_value", 400},
    [LOTOR_CODE_RAW_FEEDBACK] = {"raw_feedback", 400},
    [LOTOR_CODE_NOT_OFFERED] = {"not_offered", 400},
    [LOTOR_CODE_UNAUTHORIZED] = {"unauthorized", 401},
    [LOTOR_CODE_FORBIDDEN] = {"forbidden", 403},
    [LOTOR_CODE_NO_SUCH_CAMPAIGN] = {"no_such_campaign", 404},
    [LOTOR_CODE_NO_SUCH_EVENT] = {"no_such_event", 404},
    [LOTOR_CODE_NO_SUCH_BUDGET] = {"no_such_budget", 404},
    [LOTOR_CODE_NO_SUCH_KEY] = {"no_such_key", 404},
    [LOTOR_CODE_NO_SUCH_PATH] = {"no_such_path", 404},
    [LOTOR_CODE_WRONG_METHOD] = {"wrong_method", 405},
    [LOTOR_CODE_EXISTS] = {"exists", 409},
    [LOTOR_CODE_CLOSED] = {"closed", 409},
    [LOTOR_CODE_PAUSED] = {"paused", 409},
    [LOTOR_CODE_ARCHIVED] = {"archived", 409},
    [LOTOR_CODE_TOO_FEW_ARMS] = {"too_few_arms", 409},
    [LOTOR_CODE_FULL] = {"full", 409},
    [LOTOR_CODE_IN_USE] = {"in_use", 409},
    [LOTOR_CODE_DELETED] = {"deleted", 410},
    [LOTOR_CODE_NOT_RECORDED] = {"not_recorded", 410},
    [LOTOR_CODE_NOT_RECORDED_YET] = {"not_recorded_yet", 503},
    [LOTOR_CODE_TOO_LARGE] = {"too_large", 413},
    [LOTOR_CODE_TOO_MANY_OPEN] = {"too_many_open", 429},
    [LOTOR_CODE_STORE] = {"store", 503},
    [LOTOR_CODE_BROKEN] = {"campaign_broken", 503},
    [LOTOR_CODE_STOPPING] = {"stopping", 503},
    [LOTOR_CODE_INTERNAL] = {"internal", 500},
    [LOTOR_CODE_BUSY] = {"busy", 503},
};

lotor_code lotor_refuse(lotor_refusal *refusal, lotor_code code, const char *field,
                        const char *format, ...)
{
    refusal->code = code;
    snprintf(refusal->field, sizeof refusal->field, "%s", field ? field : "");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(refusal->message.text, sizeof refusal->message.text, format, arguments);
    va_end(arguments);
    return code;
}

const char *lotor_code_name(lotor_code code)
{
    return codes[code].name;
}

unsigned lotor_code_http(lotor_code code)
{
    return codes[code].http;
}
