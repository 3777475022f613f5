/* budget_spec.c - reads and writes the specification of a budget. See budget_spec.h. */
#include "service/spec/budget_spec.h"

#include "service/spec/fields.h"

lotor_code lotor_budget_spec_read(const json_t *body, lotor_refusal *refusal,
                                  lotor_budget_spec *out)
{
    static const char *const known[] = {"name", "epsilon", "delta", NULL};
    *out = (lotor_budget_spec){.delta = lotor_ratio_of(0, 1)};
    refusal->code = LOTOR_CODE_NONE;
    lotor_code code = lotor_fields_check(body, known, "", LOTOR_FIELDS_PUBLIC, refusal);
    if (code == LOTOR_CODE_NONE) {
        code = lotor_field_name(json_object_get(body, "name"), "name", refusal, out->name);
    }
    if (code == LOTOR_CODE_NONE) {
        code = lotor_field_ratio(json_object_get(body, "epsilon"), "epsilon",
                                 LOTOR_EPSILON_EXPECTED, refusal, &out->epsilon);
    }
    if (code == LOTOR_CODE_NONE && out->epsilon.num == 0) {
        code = lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "epsilon",
                            "expected " LOTOR_EPSILON_EXPECTED);
    }
    const json_t *const delta = json_object_get(body, "delta");
    if (code == LOTOR_CODE_NONE && delta && !json_is_null(delta)) {
        code = lotor_field_ratio(delta, "delta", LOTOR_DELTA_EXPECTED, refusal, &out->delta);
    }
    if (code == LOTOR_CODE_NONE && out->delta.num >= out->delta.den) {
        code =
            lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "delta", "expected " LOTOR_DELTA_EXPECTED);
    }
    return code;
}

json_t *lotor_budget_spec_write(const lotor_budget_spec *spec)
{
    return json_pack("{s:s, s:o, s:o}", "name", spec->name, "epsilon",
                     lotor_spec_ratio(spec->epsilon), "delta", lotor_spec_ratio(spec->delta));
}
