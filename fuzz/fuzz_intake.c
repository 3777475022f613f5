/* fuzz_intake.c - gives untrusted bytes to an intake. The first byte chooses a campaign, the second
 * says what the rest of the input is.
 *
 *      feedback as JSON    refused with a reason; or accepted, sealed, and found again when the log is read
 *      a context as JSON   refused with a reason; or sealed, and a decision is drawn with it
 *      a row of the log    as if it had been sealed here: damaged; or its rounds are entered, or refused
 *      a context           as if it had been sealed here: damaged; or a decision is drawn, or refused
 *      a state             as if it had been sealed here: damaged, or loaded
 *      sealed bytes        of all kinds: never opened
 */
#include "fuzz.h"

#include <jansson.h>

#include "base/seal.h"
#include "policy/policy.h"
#include "privacy/intake/feedback_list.h"
#include "privacy/intake/intake.h"
#include "support/test_source.h"

enum { ARMS = 4, DIMENSION = 2, ROUNDS = 8, NONCE = 5, KINDS = 6 };

static const unsigned char key[LOTOR_INTAKE_KEY] = "a key";
static const char *const ids[ARMS] = {"a", "b", "c", NULL};
static const char *const algorithms[] = {"cucb-dp-lazy", "batch-klucb",  "cascade-dp-lazy",
                                         "rr-klucb",     "cucb-ldp-box", "cascade-ldp-rr",
                                         "cucb-ldp1",    "jdp-batch"};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

typedef struct scene {
    lotor_policy_params params;
    lotor_intake *intake;
    lotor_policy *policy; /* NULL: not made yet, or freed after use */
    test_source source;
} scene;

static scene scenes[ALGORITHMS];

static void free_scenes(void)
{
    for (size_t i = 0; i < ALGORITHMS; i++) {
        lotor_intake_free(scenes[i].intake);
        lotor_policy_free(scenes[i].policy);
    }
}

static void make_scene(scene *at, const char *id)
{
    const lotor_algorithm *row = lotor_algorithms_find(id);
    lotor_message why;
    at->params = (lotor_policy_params){
        .algorithm = id,
        .arms = ARMS,
        .slots = row->problem == LOTOR_PROBLEM_LINEAR ? 1 : 2,
        .horizon = 1000,
        .epsilon = lotor_ratio_of(2, 1),
        .delta = row->delta,
        .dimension = row->linear ? DIMENSION : 0,
    };
    CHECK(lotor_intake_new(&at->params, 1, key, &why, &at->intake) == LOTOR_OK);
}

static lotor_policy *policy_of(scene *at)
{
    if (!at->policy) {
        lotor_message why;
        test_source_seed(&at->source, 1);
        CHECK(lotor_policy_new_on(&at->params, &at->source.source, 1, &why, &at->policy) ==
              LOTOR_OK);
    }
    return at->policy;
}

static void drop_policy(scene *at)
{
    lotor_policy_free(at->policy);
    at->policy = NULL;
}

/* A round that this campaign could have shown. */
static lotor_display kept_of(const scene *at)
{
    static const uint32_t arms[] = {2, 0};
    const lotor_coder *coder = lotor_intake_coder(at->intake);
    const bool one = coder->feedback->kind != LOTOR_FEEDBACK_SEMI &&
                     coder->feedback->kind != LOTOR_FEEDBACK_CASCADE;
    return (lotor_display){arms, coder->slots, arms, one ? 1 : coder->slots, NULL};
}

static void check_refusal(const lotor_intake_refusal *refusal)
{
    CHECK(refusal->fault != LOTOR_FAULT_NONE && refusal->fault != LOTOR_FAULT_MEMORY);
    CHECK(refusal->message.text[0] != '\0');
}

static void through_the_log(const scene *at)
{
    unsigned char *row;
    size_t length;
    uint64_t first, last;
    CHECK(lotor_intake_seal_pending(at->intake, 1, 2, NULL, &row, &length, &first, &last) ==
          LOTOR_OK);
    CHECK(first == 3 && last == 3);
    CHECK(!lotor_intake_has_feedback(at->intake, 3, NONCE));
    CHECK(lotor_intake_replay(at->intake, 0, 1, 2, row, length, NULL) == LOTOR_OK);
    CHECK(lotor_intake_has_feedback(at->intake, 3, NONCE));
    lotor_intake_forget(at->intake, 3);
    CHECK(!lotor_intake_has_feedback(at->intake, 3, NONCE));
    lotor_intake_clear_pending(at->intake);
    lotor_bytes_free(row, length);
}

static void run_feedback(const scene *at, const char *text, size_t length)
{
    json_t *json = json_loadb(text, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    lotor_feedback_list *batch = lotor_feedback_list_new(1);
    lotor_intake_refusal refusal;
    CHECK(batch);
    if (!lotor_feedback_list_read(batch, at->intake, json, &refusal)) {
        check_refusal(&refusal);
        CHECK(lotor_feedback_list_count(batch) == 0);
    } else {
        const lotor_display display = kept_of(at);
        CHECK(lotor_feedback_list_count(batch) == 1);
        if (lotor_intake_accept(at->intake, batch, 0, 3, NONCE, &display, ids, &refusal)) {
            through_the_log(at);
        } else {
            check_refusal(&refusal);
            CHECK(lotor_intake_pending(at->intake) == 0);
        }
    }
    lotor_feedback_list_free(batch);
    json_decref(json);
}

static void draw(scene *at, const unsigned char *context, size_t length)
{
    lotor_policy *policy = policy_of(at);
    lotor_decision decision;
    unsigned char *action;
    size_t action_length;
    lotor_message why = {""};
    const uint64_t before = lotor_policy_rounds(policy);
    const lotor_status status = lotor_intake_draw(at->intake, policy, context, length, NULL, false,
                                                  &why, &decision, &action, &action_length);
    CHECK(status == LOTOR_OK || why.text[0] != '\0');
    CHECK(status == LOTOR_OK || status == LOTOR_DAMAGED || status == LOTOR_INVALID ||
          status == LOTOR_RANGE);
    CHECK(lotor_policy_rounds(policy) == before + (status == LOTOR_OK));
    CHECK((action != NULL) == (status == LOTOR_OK && context));
    if (status == LOTOR_OK && context) {
        const lotor_display display = {decision.arms, 1, decision.arms, 1, NULL};
        CHECK(lotor_intake_enter(at->intake, policy, decision.event, NONCE, &display, action,
                                 action_length, &why) == LOTOR_OK);
    }
    lotor_bytes_free(action, action_length);
    if (lotor_policy_rounds(policy) > 500) {
        drop_policy(at);
    }
}

static void run_context(scene *at, const char *text, size_t length)
{
    json_t *json = json_loadb(text, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    lotor_intake_refusal refusal;
    unsigned char *sealed;
    size_t sealed_length;
    const lotor_status status = lotor_intake_seal_context(at->intake, json, ids, ARMS, NULL,
                                                          &refusal, &sealed, &sealed_length);
    if (status != LOTOR_OK) {
        CHECK(status == LOTOR_INVALID && !sealed);
        check_refusal(&refusal);
    } else if (sealed) {
        draw(at, sealed, sealed_length);
    }
    lotor_bytes_free(sealed, sealed_length);
    json_decref(json);
}

static void enter_rounds(scene *at)
{
    lotor_policy *policy = policy_of(at);
    const lotor_display display = kept_of(at);
    lotor_status status = LOTOR_OK;
    lotor_message why;
    lotor_decision decision;
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(lotor_policy_draw(policy, NULL, NULL, &why, &decision) == LOTOR_OK);
    }
    for (uint64_t i = 1; i <= ROUNDS && status == LOTOR_OK; i++) {
        status = lotor_intake_enter(at->intake, policy, i, NONCE, &display, NULL, 0, &why);
        CHECK(status == LOTOR_OK || status == LOTOR_DAMAGED);
        CHECK(status != LOTOR_OK || !lotor_intake_has_feedback(at->intake, i, NONCE));
    }
    drop_policy(at);
}

/* Seals bytes of the fuzzer; the caller frees the result. */
static unsigned char *seal(const scene *at, lotor_intake_use use, const uint8_t *data, size_t size)
{
    unsigned char *sealed = malloc(size + LOTOR_SEAL_OVERHEAD);
    CHECK(sealed);
    lotor_intake_seal(at->intake, use, use == LOTOR_INTAKE_LOG, use == LOTOR_INTAKE_LOG, data, size,
                      sealed);
    return sealed;
}

static void run_row(scene *at, const uint8_t *data, size_t size)
{
    unsigned char *sealed = seal(at, LOTOR_INTAKE_LOG, data, size);
    lotor_message why = {""};
    const lotor_status status =
        lotor_intake_replay(at->intake, 0, 1, 1, sealed, size + LOTOR_SEAL_OVERHEAD, &why);
    CHECK(status == LOTOR_OK || (status == LOTOR_DAMAGED && why.text[0] != '\0'));
    CHECK(status == LOTOR_OK || !lotor_intake_has_feedback(at->intake, 1, NONCE));
    if (status == LOTOR_OK && lotor_intake_coder(at->intake)->dimension == 0) {
        enter_rounds(at);
    }
    lotor_intake_reset(at->intake);
    free(sealed);
}

static void run_state(const scene *at, const uint8_t *data, size_t size)
{
    unsigned char *sealed = seal(at, LOTOR_INTAKE_STATE, data, size), *head;
    lotor_policy *policy;
    size_t length;
    lotor_message why = {""};
    const lotor_status status = lotor_intake_load(at->intake, sealed, size + LOTOR_SEAL_OVERHEAD, 0,
                                                  &why, &policy, &head, &length);
    CHECK((status == LOTOR_OK) == (policy != NULL) && (policy != NULL) == (head != NULL));
    CHECK(status == LOTOR_OK || why.text[0] != '\0');
    CHECK(!head || length < size);
    lotor_policy_free(policy);
    lotor_bytes_free(head, length);
    free(sealed);
}

static void run_sealed(scene *at, const uint8_t *data, size_t size)
{
    const lotor_intake *intake = at->intake;
    lotor_decision decision;
    unsigned char *action;
    size_t length;
    lotor_message why;
    CHECK(lotor_intake_replay(at->intake, 0, 1, 1, data, size, &why) == LOTOR_DAMAGED);
    CHECK(lotor_intake_load(intake, data, size, 0, &why, NULL, NULL, NULL) == LOTOR_DAMAGED);
    CHECK(lotor_intake_draw(at->intake, policy_of(at), data, size, NULL, true, &why, &decision,
                            &action, &length) == LOTOR_DAMAGED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    if (!scenes[0].intake) {
        CHECK(sodium_init() >= 0);
        for (size_t i = 0; i < ALGORITHMS; i++) {
            make_scene(&scenes[i], algorithms[i]);
        }
        atexit(free_scenes);
    }
    scene *at = &scenes[data[0] % ALGORITHMS];
    const uint8_t *rest = data + 2;
    size -= 2;
    unsigned char *sealed;
    switch (data[1] % KINDS) {
    case 0:
        run_feedback(at, (const char *)rest, size);
        break;
    case 1:
        run_context(at, (const char *)rest, size);
        break;
    case 2:
        run_row(at, rest, size);
        break;
    case 3:
        sealed = seal(at, LOTOR_INTAKE_CONTEXT, rest, size);
        draw(at, sealed, size + LOTOR_SEAL_OVERHEAD);
        free(sealed);
        break;
    case 4:
        run_state(at, rest, size);
        break;
    default:
        run_sealed(at, rest, size);
        break;
    }
    return 0;
}
