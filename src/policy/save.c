/* save.c - saves a policy as bytes, and loads it. Each part writes its own section
 * (base/bytes.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/secure.h"
#include "policy/evaluation.h"
#include "policy/policy.h"

static const char kind[] = "policy";
static const char served_kind[] = "served"; /* a policy whose rounds a service keeps: serving.h */
static const char valued_kind[] = "valued"; /* and which measures value: evaluation.h */

static const char *kind_of(const lotor_policy *policy)
{
    assert(!policy->is_served || !policy->seeded);
    assert(policy->is_served || !policy->evaluation);
    if (policy->seeded) {
        return LOTOR_SEEDED_KIND;
    }
    if (policy->evaluation) {
        return valued_kind;
    }
    return policy->is_served ? served_kind : kind;
}

/* The kind that the header of saved bytes names; that of a policy if it names none of these. */
static const char *kind_in(const unsigned char *bytes, size_t length)
{
    static const char *const kinds[] = {served_kind, valued_kind, LOTOR_SEEDED_KIND};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (lotor_bytes_are(kinds[i], bytes, length)) {
            return kinds[i];
        }
    }
    return kind;
}

/* Bits that say what a saved policy forgets. Policies without a half-life have the bytes that they
 * had before there were half-lives. */
#define HAS_ALARM     UINT64_C(1)
#define HAS_HALF_LIFE UINT64_C(2)
#define IS_IN_SECONDS UINT64_C(4)

/* A bit of `voided`: the number of blanks follows. Without blanks, the bytes are as before there were
 * blanks. */
#define HAS_BLANKS (UINT64_C(1) << 63)

/* Another bit of `voided`: the releases of another policy follow at the end (prior.c). */
#define HAS_PRIOR (UINT64_C(1) << 62)

static void write_u32s(lotor_writer *writer, const uint32_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lotor_write_u64(writer, values[i]);
    }
}

static void write_u64s(lotor_writer *writer, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lotor_write_u64(writer, values[i]);
    }
}

/* Which function an own algorithm has. Each leaves another part in the saved form. */
static const char *function_of(const lotor_recipe *recipe)
{
    return recipe->index ? "index" : "choose";
}

static void write_params(const lotor_policy_params *params, lotor_writer *writer)
{
    lotor_write_text(writer, params->algorithm);
    lotor_write_u64(writer, params->arms);
    lotor_write_u64(writer, params->slots);
    lotor_write_u64(writer, params->horizon);
    lotor_write_u64(writer, params->epsilon.num);
    lotor_write_u64(writer, params->epsilon.den);
    lotor_write_u64(writer, params->delta.num);
    lotor_write_u64(writer, params->delta.den);
    lotor_write_double(writer, params->beta);
    lotor_write_double(writer, params->low);
    lotor_write_double(writer, params->high);
    lotor_write_double(writer, params->default_reward);
    lotor_write_u64(writer, params->clip);
    lotor_write_u64(writer, params->cascade);
    lotor_write_double(writer, params->context_length);
    lotor_write_double(writer, params->theta_length);
    lotor_write_double(writer, params->regularizer);
    const lotor_algorithm *row = lotor_policy_row(params);
    if (row->own) {
        lotor_write_text(writer, row->own->statistic);
        lotor_write_text(writer, row->own->problem);
        lotor_write_text(writer, row->own->feedback);
        lotor_write_text(writer, function_of(row->own));
    }
    if (row->imed) {
        lotor_write_double(writer, params->caution);
        lotor_write_double(writer, params->lag);
        lotor_write_u64(writer, params->window);
        lotor_write_u64(writer, (params->alarm ? HAS_ALARM : 0) |
                                    (params->half_life > 0 ? HAS_HALF_LIFE : 0) |
                                    (params->half_life_in_seconds ? IS_IN_SECONDS : 0));
        if (params->half_life > 0) {
            lotor_write_u64(writer, params->half_life);
        }
        lotor_write_double(writer, params->variance);
    }
    lotor_write_u64(writer, params->structure);
    lotor_write_u64(writer, params->groups);
    lotor_write_u64(writer, params->vertices);
    lotor_write_u64(writer, params->source);
    lotor_write_u64(writer, params->sink);
    lotor_write_u64(writer, params->seeds);
    lotor_write_u64(writer, params->dimension);
    if (params->structure == LOTOR_STRUCTURE_PARTITION) {
        write_u32s(writer, params->group, params->arms);
        write_u32s(writer, params->capacity, params->groups);
    } else if (lotor_structure_has_edges(params->structure)) {
        write_u32s(writer, params->from, params->arms);
        write_u32s(writer, params->to, params->arms);
    } else if (params->structure == LOTOR_STRUCTURE_LINEAR) {
        lotor_write_i64s(writer, params->vectors, params->arms * params->dimension);
    }
}

lotor_status lotor_policy_save(const lotor_policy *policy, unsigned char **bytes, size_t *length)
{
    *bytes = NULL;
    *length = 0;
    const lotor_status status = lotor_secure_refuse_child(policy->owned, "policy", NULL);
    if (status != LOTOR_OK) {
        return status;
    }
    assert(!policy->is_chooser && (policy->is_served || policy->blanks == 0));
    lotor_writer writer;
    lotor_writer_start(&writer, kind_of(policy));
    write_params(&policy->params, &writer);
    lotor_write_u64(&writer, policy->seed);
    lotor_write_u64(&writer, policy->asked);
    lotor_write_u64(&writer, policy->rounds);
    lotor_write_u64(&writer, policy->rounds_ended);
    if (policy->is_served) {
        lotor_write_u64(&writer, policy->voided | (policy->blanks > 0 ? HAS_BLANKS : 0) |
                                     (policy->prior ? HAS_PRIOR : 0));
    }
    if (policy->blanks > 0) {
        lotor_write_u64(&writer, policy->blanks);
    }
    if (policy->evaluation) {
        lotor_write_u64(&writer, policy->measuring);
    }
    write_u64s(&writer, policy->shown, policy->params.arms);
    lotor_board_save(policy->board, &writer);
    if (lotor_policy_records_one(policy->algorithm)) {
        lotor_policy_save_held(policy, &writer);
    }
    if (policy->own) {
        lotor_own_save(policy->own, policy->board, &writer);
    }
    if (policy->statistic) {
        lotor_statistic_save(policy->statistic, &writer);
    } else if (policy->linear) {
        lotor_matrix_save(policy->matrix, &writer);
        lotor_linear_save(policy->linear, &writer);
    } else {
        lotor_epoch_save(policy->epochs, &writer);
        lotor_elimination_save(policy->elimination, &writer);
    }
    lotor_inbox_save(policy->inbox, &writer);
    if (policy->seeded) {
        lotor_seeded_save(policy, &writer);
    }
    if (policy->evaluation) {
        lotor_evaluation_save(policy, &writer);
    }
    if (policy->prior) {
        lotor_prior_save(policy, &writer);
    }
    return lotor_writer_seal(&writer, bytes, length);
}

/* Makes an array of `count` items, each of which has at least 8 saved bytes. The count is checked
 * against the bytes that are left before memory is allocated. Returns NULL if the reader is
 * damaged, or if there is no memory; then *failed is set. */
static void *make_array(lotor_reader *reader, uint64_t count, size_t size, bool *failed)
{
    lotor_read_expect(reader, count > 0 && count <= (uint64_t)(reader->end - reader->next) / 8);
    if (reader->status != LOTOR_OK) {
        return NULL;
    }
    void *made = calloc((size_t)count, size);
    *failed = *failed || !made;
    return made;
}

static const uint32_t *read_u32s(lotor_reader *reader, uint64_t count, bool *failed)
{
    uint32_t *values = make_array(reader, count, sizeof *values, failed);
    for (size_t i = 0; values && i < count; i++) {
        const uint64_t value = lotor_read_u64(reader);
        lotor_read_expect(reader, value <= UINT32_MAX);
        values[i] = (uint32_t)value;
    }
    return values;
}

static const int64_t *read_i64s(lotor_reader *reader, uint64_t count, bool *failed)
{
    int64_t *values = make_array(reader, count, sizeof *values, failed);
    if (values) {
        lotor_read_i64s(reader, values, (size_t)count);
    }
    return values;
}

static void read_u64s(lotor_reader *reader, uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = lotor_read_u64(reader);
    }
}

static lotor_ratio read_ratio(lotor_reader *reader)
{
    const uint64_t num = lotor_read_u64(reader);
    const uint64_t den = lotor_read_u64(reader);
    return lotor_ratio_of(num, den);
}

/* Takes the caller's own functions from `custom`, because functions cannot be saved. */
static void read_custom(lotor_reader *reader, const lotor_policy_params *custom,
                        lotor_policy_params *params)
{
    const bool own = params->structure == LOTOR_STRUCTURE_CUSTOM_ORACLE;
    lotor_read_expect(reader, custom && (own ? custom->pick != NULL : custom->independent != NULL));
    if (custom && reader->status == LOTOR_OK) {
        params->independent = custom->independent;
        params->context = custom->context;
        params->rank = custom->rank;
        params->pick = custom->pick;
        params->value = custom->value;
        params->alpha = custom->alpha;
        params->oracle_beta = custom->oracle_beta;
    }
}

static uint32_t read_u32(lotor_reader *reader)
{
    const uint64_t value = lotor_read_u64(reader);
    lotor_read_expect(reader, value <= UINT32_MAX);
    return (uint32_t)value;
}

/* Reads the structure. The functions of a custom structure come from the caller. */
static void read_structure(lotor_reader *reader, const lotor_policy_params *custom,
                           lotor_policy_params *params, bool *failed)
{
    const uint64_t arms = params->arms;
    const uint64_t structure = lotor_read_u64(reader);
    lotor_read_expect(reader, structure <= LOTOR_STRUCTURE_CUSTOM_ORACLE);
    params->structure = (lotor_structure)structure;
    params->groups = lotor_read_u64(reader);
    params->vertices = lotor_read_u64(reader);
    params->source = read_u32(reader);
    params->sink = read_u32(reader);
    params->seeds = lotor_read_u64(reader);
    params->dimension = lotor_read_u64(reader);
    if (structure == LOTOR_STRUCTURE_PARTITION) {
        params->group = read_u32s(reader, arms, failed);
        params->capacity = read_u32s(reader, params->groups, failed);
    } else if (lotor_structure_has_edges(params->structure)) {
        params->from = read_u32s(reader, arms, failed);
        params->to = read_u32s(reader, arms, failed);
    } else if (structure == LOTOR_STRUCTURE_LINEAR) {
        uint64_t cells;
        lotor_read_expect(reader, !__builtin_mul_overflow(arms, params->dimension, &cells));
        params->vectors = reader->status == LOTOR_OK ? read_i64s(reader, cells, failed) : NULL;
    } else if (structure != LOTOR_STRUCTURE_TOP) {
        read_custom(reader, custom, params);
    }
}

/* Checks that the memory for these parameters is in proportion to the saved bytes: every arm has a
 * counter, vertices have edges, and a contextual problem has the triangle of its matrix. */
static void expect_size(lotor_reader *reader, const lotor_policy_params *params)
{
    const uint64_t left = (uint64_t)(reader->end - reader->next) / 8;
    const lotor_algorithm *algorithm = lotor_policy_row(params);
    lotor_read_expect(reader, algorithm && params->arms <= left);
    lotor_read_expect(reader, !lotor_structure_has_edges(params->structure) ||
                                  params->vertices / LOTOR_VERTICES_PER_EDGE <= params->arms);
    if (algorithm && algorithm->linear) {
        lotor_read_expect(reader, params->dimension <= LOTOR_LINEAR_MAX &&
                                      lotor_matrix_entries(params->dimension + 1) <= left);
    }
}

/* Reads one part of an own algorithm. If the caller's recipe has another part, the saved sums were
 * counted in another way: they must not be used. */
static lotor_status read_part(lotor_reader *reader, const char *what, const char *here,
                              const lotor_algorithm *row, lotor_message *why)
{
    char saved[64];
    lotor_read_text(reader, saved, sizeof saved);
    return reader->status != LOTOR_OK || strcmp(saved, here) == 0
               ? LOTOR_OK
               : lotor_fail(
                     LOTOR_DAMAGED, why,
                     "the saved policy plays %s with %s %s, but the algorithm of that name that "
                     "you gave has %s: load it with the algorithm that it was made with",
                     row->id, what, lotor_quote_text(saved).text, here);
}

/* Finds the row of the saved algorithm. An own algorithm is in the caller's catalog. */
static lotor_status read_own(lotor_reader *reader, const lotor_policy_params *params,
                             lotor_message *why)
{
    const lotor_algorithm *row = reader->status == LOTOR_OK ? lotor_policy_row(params) : NULL;
    if (reader->status == LOTOR_OK && !row) {
        return lotor_fail(
            LOTOR_DAMAGED, why,
            "the saved policy plays %s, which this library does not have: if it is your "
            "own algorithm, give that algorithm, too, when you load the policy",
            lotor_quote_text(params->algorithm).text);
    }
    if (!row || !row->own) {
        return LOTOR_OK;
    }
    lotor_status status = read_part(reader, "statistic", row->own->statistic, row, why);
    if (status == LOTOR_OK) {
        status = read_part(reader, "problem", row->own->problem, row, why);
    }
    if (status == LOTOR_OK) {
        status = read_part(reader, "feedback", row->own->feedback, row, why);
    }
    return status == LOTOR_OK ? read_part(reader, "function", function_of(row->own), row, why)
                              : status;
}

static lotor_status read_params(lotor_reader *reader, char *algorithm, size_t capacity,
                                lotor_message *why, lotor_policy_params *params)
{
    lotor_read_text(reader, algorithm, capacity);
    params->algorithm = algorithm;
    params->arms = lotor_read_u64(reader);
    params->slots = lotor_read_u64(reader);
    params->horizon = lotor_read_u64(reader);
    params->epsilon = read_ratio(reader);
    params->delta = read_ratio(reader);
    params->beta = lotor_read_double(reader);
    params->low = lotor_read_double(reader);
    params->high = lotor_read_double(reader);
    params->default_reward = lotor_read_double(reader);
    params->clip = lotor_read_flag(reader);
    params->cascade = lotor_read_flag(reader);
    params->context_length = lotor_read_double(reader);
    params->theta_length = lotor_read_double(reader);
    params->regularizer = lotor_read_double(reader);
    const lotor_status status = read_own(reader, params, why);
    const lotor_algorithm *row = reader->status == LOTOR_OK ? lotor_policy_row(params) : NULL;
    if (row && row->imed) {
        params->caution = lotor_read_double(reader);
        params->lag = lotor_read_double(reader);
        params->window = lotor_read_u64(reader);
        const uint64_t has = lotor_read_u64(reader);
        lotor_read_expect(reader, has <= (HAS_ALARM | HAS_HALF_LIFE | IS_IN_SECONDS));
        params->alarm = (has & HAS_ALARM) != 0;
        params->half_life_in_seconds = (has & IS_IN_SECONDS) != 0;
        if ((has & HAS_HALF_LIFE) != 0) {
            params->half_life = lotor_read_u64(reader);
            lotor_read_expect(reader, params->half_life > 0);
        }
        params->variance = lotor_read_double(reader);
    }
    lotor_read_expect(reader, params->arms <= (uint64_t)(reader->end - reader->next) / 8);
    return status;
}

/* Checks the relations between the public counters of a policy. */
static void expect_counters(const lotor_policy *policy, lotor_reader *reader)
{
    lotor_read_expect(reader, policy->rounds_ended <= policy->rounds);
    lotor_read_expect(reader, policy->rounds <= policy->asked);
    lotor_read_expect(reader, policy->voided <= policy->rounds_ended);
    lotor_read_expect(reader, policy->blanks <= policy->rounds - policy->rounds_ended);
    lotor_read_expect(reader, policy->measuring <= policy->rounds - policy->voided);
    lotor_read_expect(reader, policy->params.horizon == 0 ||
                                  policy->rounds - policy->voided <= policy->params.horizon);
    /* The inbox holds the open rounds, unless a service keeps them. */
    lotor_read_expect(reader, lotor_inbox_waiting(policy->inbox) ==
                                  (policy->is_served ? 0 : policy->rounds - policy->rounds_ended));
    lotor_read_expect(reader, lotor_inbox_next(policy->inbox) ==
                                  (policy->is_served ? 1 : policy->rounds + 1));
}

/* Checks that the policy could have shown every open round, and that its feedback could have been
 * encoded. Checks no feedback of linear learners: lotor_policy_actions_fit does that. */
static void expect_open_rounds(const lotor_policy *policy, lotor_reader *reader)
{
    const lotor_feedback_model *model = policy->coder.feedback;
    const uint64_t next = lotor_inbox_next(policy->inbox);
    for (uint64_t event = policy->rounds_ended + 1; event < next && reader->status == LOTOR_OK;
         event++) {
        lotor_round round;
        const lotor_status found = lotor_inbox_find(policy->inbox, event, &round);
        assert(found == LOTOR_OK);
        (void)found;
        const lotor_display display = {round.arms, round.arm_count, round.arms, round.arm_count,
                                       NULL};
        lotor_read_expect(reader,
                          lotor_coder_check_display(&policy->coder, &display, NULL) == LOTOR_OK);
        const size_t slots =
            model->kind == LOTOR_FEEDBACK_SEMI ? round.arm_count : policy->params.slots;
        lotor_read_expect(reader, policy->linear || model->is_possible(&policy->coder.encoding,
                                                                       slots, round.units));
        lotor_read_expect(reader, !lotor_policy_has_weights(policy->algorithm) ||
                                      lotor_policy_weight_fits(policy, round.units[1]));
    }
}

/* Checks that no viable arm has more observations than the plan wants: a release would have
 * followed. */
static void expect_plan(const lotor_policy *policy, lotor_reader *reader)
{
    size_t count;
    const uint32_t *viable = lotor_elimination_viable(policy->elimination, &count);
    const uint64_t wanted = lotor_elimination_next(policy->elimination)->rounds;
    for (size_t i = 0; i < count && count > 1 && reader->status == LOTOR_OK; i++) {
        lotor_read_expect(reader, lotor_epoch_count(policy->epochs, viable[i]) <= wanted);
    }
}

/* Checks that no arm has more open and ended rounds than displays. */
static lotor_status expect_displays(const lotor_policy *policy, lotor_reader *reader)
{
    const size_t arms = policy->params.arms;
    if (!policy->imed || reader->status != LOTOR_OK) {
        return LOTOR_OK;
    }
    uint64_t *open = calloc(arms, sizeof *open);
    if (!open) {
        return LOTOR_MEMORY;
    }
    lotor_inbox_count_arms(policy->inbox, open);
    for (size_t i = 0; i < arms; i++) {
        const uint64_t fed = lotor_statistic_fed_count(policy->statistic, i);
        lotor_read_expect(reader, fed <= policy->shown[i] && open[i] <= policy->shown[i] - fed);
    }
    free(open);
    return LOTOR_OK;
}

/* `arms`: how many arms the saved policy has. *has_prior: the releases of another policy are at the
 * end. */
static lotor_status read_state(lotor_policy *policy, size_t arms, bool is_valued,
                               lotor_reader *reader, bool *has_prior)
{
    policy->seed = lotor_read_u64(reader);
    policy->asked = lotor_read_u64(reader);
    policy->rounds = lotor_read_u64(reader);
    policy->rounds_ended = lotor_read_u64(reader);
    policy->voided = policy->is_served ? lotor_read_u64(reader) : 0;
    *has_prior = (policy->voided & HAS_PRIOR) != 0;
    policy->voided &= ~HAS_PRIOR;
    if (policy->voided & HAS_BLANKS) {
        policy->voided &= ~HAS_BLANKS;
        policy->blanks = lotor_read_u64(reader);
        lotor_read_expect(reader, policy->blanks > 0);
    }
    policy->measuring = is_valued ? lotor_read_u64(reader) : 0;
    read_u64s(reader, policy->shown, arms);
    /* the board of a linear learner has no arms, but the entries of its matrix */
    lotor_board_load_first(policy->board, policy->linear ? policy->board->arms : arms, reader);
    if (lotor_policy_records_one(policy->algorithm)) {
        lotor_policy_load_held(policy, arms, reader);
    }
    if (policy->own) {
        lotor_own_load(policy->own, policy->board, reader);
    }
    if (policy->statistic) {
        lotor_statistic_load_first(policy->statistic, arms, reader);
        lotor_read_expect(reader,
                          lotor_statistic_fits(policy->statistic, policy->board, policy->shown));
    } else if (policy->linear) {
        lotor_matrix_load(policy->matrix, reader);
        lotor_linear_load(policy->linear, reader);
    } else {
        lotor_epoch_load(policy->epochs, reader);
        lotor_elimination_load(policy->elimination, reader);
        expect_plan(policy, reader);
    }
    lotor_status status = lotor_inbox_load(policy->inbox, reader);
    expect_counters(policy, reader);
    expect_open_rounds(policy, reader);
    lotor_policy_expect_held(policy, reader);
    status = status == LOTOR_OK ? expect_displays(policy, reader) : status;
    lotor_read_expect(reader, !policy->linear || lotor_policy_actions_fit(policy));
    return status;
}

lotor_status lotor_policy_load_on(const unsigned char *bytes, size_t length,
                                  const lotor_policy_params *custom, lotor_source *source,
                                  lotor_message *why, lotor_policy **out)
{
    return lotor_policy_load_with(bytes, length, custom, lotor_noise_exact(source), why, out);
}

/* True if a saved policy can be loaded with more arms. The noise on a release must not depend on how many
 * arms there are, and no part of the state may be about all arms together. */
static bool can_grow(const lotor_policy_params *params)
{
    const lotor_algorithm *row = lotor_policy_row(params);
    return lotor_policy_params_can_serve(params) && params->structure == LOTOR_STRUCTURE_TOP &&
           row->calibration != LOTOR_CALIBRATION_ARMS && !row->own && !row->elimination &&
           !lotor_policy_has_weights(row) && !(row->statistic && row->statistic->releases_all);
}

bool lotor_policy_can_grow(const lotor_policy *policy)
{
    return can_grow(&policy->params);
}

/* `grown`: the number of arms of the loaded policy; 0: that of the saved one */
static lotor_status load(const unsigned char *bytes, size_t length, size_t grown,
                         const lotor_policy_params *custom, lotor_noise noise, lotor_message *why,
                         lotor_policy **out)
{
    *out = NULL;
    lotor_reader reader;
    const char *named = kind_in(bytes, length);
    const bool is_valued = named == valued_kind;
    const bool is_served = is_valued || named == served_kind;
    const bool is_seeded = lotor_bytes_are(LOTOR_SEEDED_KIND, bytes, length);
    lotor_status status = lotor_reader_open(&reader, named, bytes, length, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (is_seeded && !noise.generator) { /* its earlier releases protect nobody */
        return lotor_fail(LOTOR_INVALID, why,
                          "the saved policy is a simulation with a seed, which protects nobody: "
                          "lotor_lab_policy_load loads it");
    }
    char algorithm[64];
    bool failed = false;
    lotor_policy_params params = {.catalog = custom ? custom->catalog : NULL};
    status = read_params(&reader, algorithm, sizeof algorithm, why, &params);
    if (status != LOTOR_OK) {
        return status;
    }
    read_structure(&reader, custom, &params, &failed);
    expect_size(&reader, &params);
    const size_t arms = params.arms;
    if (reader.status == LOTOR_OK && !failed && grown > 0 && grown != arms) {
        if (grown < arms || !can_grow(&params)) {
            lotor_policy_params_free(&params);
            return lotor_fail(LOTOR_INVALID, why,
                              "the saved policy has %zu arms, and can't be loaded with %zu: "
                              "expected an algorithm that `lotor serve` offers, on any K arms, and "
                              "as many arms or more",
                              arms, grown);
        }
        params.arms = grown;
    }
    lotor_policy *policy = NULL;
    if (reader.status == LOTOR_OK && !failed) {
        status = lotor_policy_new_with(&params, 1.0, noise, 0, NULL, &policy);
        failed = status == LOTOR_MEMORY;
        lotor_read_expect(&reader, status == LOTOR_OK || failed);
    }
    if (policy) {
        policy->is_served = is_served;
        lotor_read_expect(&reader, !is_served || lotor_policy_can_serve(policy));
        bool has_prior = false;
        failed = read_state(policy, arms, is_valued, &reader, &has_prior) != LOTOR_OK;
        if (is_seeded) {
            lotor_seeded_load(policy, &reader);
        }
        if (is_valued && !failed) {
            failed = lotor_evaluation_load(policy, &reader) != LOTOR_OK;
        }
        if (has_prior && !failed) {
            failed = lotor_prior_load(policy, &reader) != LOTOR_OK;
        }
    }
    lotor_policy_params_free(&params);
    status = LOTOR_MEMORY;
    if (failed) {
        lotor_explain(why, "no memory to load a policy");
    } else {
        status = lotor_reader_finish(&reader, why);
    }
    if (status != LOTOR_OK) {
        lotor_policy_free(policy);
        return status;
    }
    *out = policy;
    return LOTOR_OK;
}

lotor_status lotor_policy_load_with(const unsigned char *bytes, size_t length,
                                    const lotor_policy_params *custom, lotor_noise noise,
                                    lotor_message *why, lotor_policy **out)
{
    return load(bytes, length, 0, custom, noise, why, out);
}

lotor_status lotor_policy_load_grown_on(const unsigned char *bytes, size_t length, size_t arms,
                                        lotor_source *source, lotor_message *why,
                                        lotor_policy **out)
{
    assert(arms > 0);
    return load(bytes, length, arms, NULL, lotor_noise_exact(source), why, out);
}

static lotor_status load_secure(const unsigned char *bytes, size_t length, size_t grown,
                                const lotor_policy_params *custom, lotor_message *why,
                                lotor_policy **out)
{
    *out = NULL;
    lotor_source *source;
    lotor_status status = lotor_secure_make(why, &source);
    if (status != LOTOR_OK) {
        return status;
    }
    status = load(bytes, length, grown, custom, lotor_noise_exact(source), why, out);
    if (*out) {
        (*out)->owned = source;
    } else {
        lotor_secure_free(source);
    }
    return status;
}

lotor_status lotor_policy_load(const unsigned char *bytes, size_t length,
                               const lotor_policy_params *custom, lotor_message *why,
                               lotor_policy **out)
{
    return load_secure(bytes, length, 0, custom, why, out);
}

lotor_status lotor_policy_load_grown(const unsigned char *bytes, size_t length, size_t arms,
                                     lotor_message *why, lotor_policy **out)
{
    assert(arms > 0);
    return load_secure(bytes, length, arms, NULL, why, out);
}
