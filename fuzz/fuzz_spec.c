/* fuzz_spec.c - reads specifications of campaigns. An accepted specification can be written and
 * read again without a change, and a policy can be made from it. A refusal says where and why. A
 * second JSON value, after a NUL, changes the arms of the specification, or nothing. */
#include "fuzz.h"

#include <lotor/policy.h>

#include "service/spec/spec.h"

enum { ARMS_TO_PLAY = 64 }; /* a policy of 4096 arms takes long to make */

static void check_refusal(lotor_code code, const lotor_refusal *refusal)
{
    CHECK(code == refusal->code && code != LOTOR_CODE_INTERNAL);
    CHECK(refusal->message.text[0] != '\0' &&
          memchr(refusal->message.text, 0, sizeof refusal->message.text));
    CHECK(memchr(refusal->field, '\0', sizeof refusal->field));
}

static void check_same(const lotor_spec *spec, json_t *written)
{
    lotor_refusal refusal = {0};
    lotor_spec *again = NULL;
    CHECK(lotor_spec_read(written, &refusal, &again) == LOTOR_CODE_NONE);
    json_t *const twice = lotor_spec_write(again);
    CHECK(twice && json_equal(written, twice));
    CHECK(strcmp(spec->name, again->name) == 0 && spec->arm_count == again->arm_count);
    json_decref(twice);
    lotor_spec_free(again);
}

static void make_policy(const lotor_spec *spec)
{
    lotor_policy_params params;
    lotor_policy *policy;
    lotor_message why = {""};
    lotor_spec_params(spec, &params);
    if (params.arms <= ARMS_TO_PLAY) {
        CHECK(lotor_policy_new(&params, &why, &policy) == LOTOR_OK);
        lotor_policy_free(policy);
    }
}

static void change(lotor_spec *spec, const uint8_t *data, size_t size)
{
    lotor_refusal refusal = {0};
    json_t *const body = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
    json_t *const before = lotor_spec_write(spec);
    const lotor_code code = lotor_spec_change(spec, body, &refusal);
    json_t *const after = lotor_spec_write(spec);
    CHECK(before && after);
    if (code != LOTOR_CODE_NONE) {
        check_refusal(code, &refusal);
        CHECK(json_equal(before, after)); /* a refused change changes nothing */
    } else {
        check_same(spec, after);
    }
    json_decref(before);
    json_decref(after);
    json_decref(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *const end = size ? memchr(data, '\0', size) : NULL;
    const size_t first = end ? (size_t)(end - data) : size;
    lotor_refusal refusal = {0};
    lotor_spec *spec = NULL;
    json_t *const body = json_loadb((const char *)data, first, JSON_REJECT_DUPLICATES, NULL);
    const lotor_code code = lotor_spec_read(body, &refusal, &spec);
    if (code != LOTOR_CODE_NONE) {
        check_refusal(code, &refusal);
        CHECK(!spec);
        json_decref(body);
        return 0;
    }
    json_t *const written = lotor_spec_write(spec);
    CHECK(written);
    check_same(spec, written);
    make_policy(spec);
    if (end) {
        change(spec, end + 1, size - first - 1);
    }
    json_decref(written);
    lotor_spec_free(spec);
    json_decref(body);
    return 0;
}
