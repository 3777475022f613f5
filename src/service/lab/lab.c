/* lab.c - runs the calculations of POST /v1/advise and /v1/simulate with the public API. See
 * lab.h. */
#include "service/lab/lab.h"

#include <math.h>
#include <string.h>

#include <lotor/advise.h>
#include <lotor/algorithm.h>
#include <lotor/watch.h>

#include "base/digits.h"
#include "policy/serving.h"
#include "service/spec/fields.h"

/* Limits that keep a request to about a second and to little memory. */
enum { ARMS_MOST = 200, WATCHED_ARMS_MOST = 12, WATCHED_ROUNDS_MOST = 20000, FRAMES = 80 };
enum { ROUNDS_ENOUGH = 10000 }; /* advice from fewer rounds is not reliable */
#define ADVISE_SECONDS 1.0

/* --- reading ---------------------------------------------------------------------------------- */

static lotor_code read_epsilon(const json_t *body, lotor_refusal *refusal, lotor_ratio *out)
{
    double value = 0.0;
    char digits[LOTOR_DIGITS_ROOM];
    const lotor_code code =
        lotor_field_number(json_object_get(body, "epsilon"), "epsilon", refusal, &value);
    if (code != LOTOR_CODE_NONE) {
        return code;
    }
    if (!(value >= 0.001 && value <= 1000.0) ||
        lotor_ratio_parse(lotor_digits(value, digits), NULL, out) != LOTOR_OK) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "epsilon",
                            "expected a number from 0.001 to 1000");
    }
    return LOTOR_CODE_NONE;
}

/* Reads a size. *out keeps its value if the field is not given. */
static lotor_code read_size(const json_t *body, const char *name, size_t least, size_t most,
                            lotor_refusal *refusal, size_t *out)
{
    const json_t *const given = json_object_get(body, name);
    uint64_t whole = *out;
    const lotor_code code =
        given ? lotor_field_whole(given, name, least, most, refusal, &whole) : LOTOR_CODE_NONE;
    *out = (size_t)whole;
    return code;
}

/* Reads a field that has one of some words. *place is the word's index; 0 if the field is not
 * given. */
static lotor_code read_word(const json_t *body, const char *name, const char *const *words,
                            size_t count, lotor_refusal *refusal, size_t *place)
{
    const json_t *const given = json_object_get(body, name);
    const char *const text = json_string_value(given);
    *place = 0;
    while (given && *place < count && (!text || strcmp(text, words[*place]) != 0)) {
        ++*place;
    }
    if (*place < count) {
        return LOTOR_CODE_NONE;
    }
    *place = 0;
    char list[96] = "";
    for (size_t i = 0; i < count; i++) {
        const char *const before = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s\"%s\"", before, words[i]);
    }
    return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, name, "expected %s", list);
}

/* --- advice ----------------------------------------------------------------------------------- */

static lotor_code read_advise(const json_t *body, lotor_refusal *refusal, lotor_advise_params *out)
{
    static const char *const known[] = {"problem", "trust",     "epsilon", "arms",
                                        "slots",   "dimension", "rounds",  NULL};
    static const char *const problems[] = {"finite", "semi-bandit", "cascade", "linear"};
    static const char *const trusts[] = {"central", "local", "joint"};
    static const lotor_model models[] = {LOTOR_MODEL_CENTRAL, LOTOR_MODEL_LOCAL, LOTOR_MODEL_JOINT};
    size_t problem = 0, trust = 0, rounds = 100000;
    *out = (lotor_advise_params){
        .arms = 5,
        .slots = 1,
        .dimension = LOTOR_ADVISE_DIMENSION_DEFAULT,
        .seed = 1,
        .threads = 1,
    };
    lotor_code code = lotor_fields_check(body, known, "", LOTOR_FIELDS_PUBLIC, refusal);
    code =
        code != LOTOR_CODE_NONE ? code : read_word(body, "problem", problems, 4, refusal, &problem);
    code = code != LOTOR_CODE_NONE ? code : read_word(body, "trust", trusts, 3, refusal, &trust);
    code = code != LOTOR_CODE_NONE ? code : read_epsilon(body, refusal, &out->epsilon);
    code =
        code != LOTOR_CODE_NONE ? code : read_size(body, "arms", 2, ARMS_MOST, refusal, &out->arms);
    code = code != LOTOR_CODE_NONE ? code
                                   : read_size(body, "slots", 1, out->arms, refusal, &out->slots);
    code = code != LOTOR_CODE_NONE ? code
                                   : read_size(body, "dimension", 1, 20, refusal, &out->dimension);
    code =
        code != LOTOR_CODE_NONE ? code : read_size(body, "rounds", 100, 10000000, refusal, &rounds);
    out->problem = problems[problem];
    out->trust = models[trust];
    out->rounds = rounds;
    return code;
}

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *candidate_json(const lotor_advise_candidate *candidate)
{
    lotor_algorithm_info facts = {.model = LOTOR_MODEL_NONE};
    lotor_serving_info serving;
    lotor_algorithm_find(candidate->algorithm, NULL, &facts);
    return json_pack("{s:s, s:s, s:o, s:o, s:I, s:I, s:b}", "algorithm", candidate->algorithm,
                     "model", lotor_model_name(facts.model), "regret",
                     number_or_null(candidate->regret), "standard_error",
                     number_or_null(candidate->standard_error), "runs", (json_int_t)candidate->runs,
                     "rounds", (json_int_t)candidate->rounds, "offered",
                     lotor_serving_find(candidate->algorithm, &serving));
}

static json_t *advice_json(const lotor_advise_result *advice)
{
    const char *recommended = NULL;
    json_t *const list = json_array();
    bool fine = list != NULL;
    for (size_t i = 0; fine && i < advice->count; i++) {
        lotor_serving_info serving;
        const char *const id = advice->candidates[i].algorithm;
        fine = json_array_append_new(list, candidate_json(&advice->candidates[i])) == 0;
        recommended = !recommended && lotor_serving_find(id, &serving) ? id : recommended;
    }
    if (!fine) {
        json_decref(list);
        return NULL;
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:s}", "recommended",
                     recommended ? json_string(recommended) : json_null(), "candidates", list,
                     "without_privacy", number_or_null(advice->baseline.regret), "at_random",
                     number_or_null(advice->random_regret), "rounds", (json_int_t)advice->rounds,
                     "world", advice->world);
}

json_t *lotor_lab_advise(const json_t *body, lotor_refusal *refusal)
{
    return lotor_lab_advise_within(body, ADVISE_SECONDS, refusal);
}

json_t *lotor_lab_advise_within(const json_t *body, double seconds, lotor_refusal *refusal)
{
    lotor_advise_params params;
    lotor_advise_result advice;
    lotor_message why = {""};
    if (read_advise(body, refusal, &params) != LOTOR_CODE_NONE) {
        return NULL;
    }
    params.seconds = seconds;
    lotor_status status = lotor_advise_run(&params, &why, &advice);
    const uint64_t enough = params.rounds < ROUNDS_ENOUGH ? params.rounds : ROUNDS_ENOUGH;
    const bool is_short = status == LOTOR_OK && advice.rounds < enough;
    /* The machine is busy with other programs: try once more, with more time. */
    if (is_short || status == LOTOR_BUSY) {
        params.seconds = 4 * seconds;
        status = lotor_advise_run(&params, &why, &advice);
    }
    if (status == LOTOR_BUSY) {
        lotor_refuse(refusal, LOTOR_CODE_BUSY, "",
                     "the calculation takes too long on this server now: try again, give fewer "
                     "arms, or use the command lotor advise");
    } else if (status == LOTOR_INVALID) {
        lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "", "%s", why.text);
    } else if (status == LOTOR_OK) {
        return advice_json(&advice);
    }
    return NULL; /* NULL without a refusal: no memory */
}

/* --- a simulated campaign --------------------------------------------------------------------- */

static lotor_code read_means(const json_t *body, lotor_refusal *refusal,
                             double means[WATCHED_ARMS_MOST], size_t *count)
{
    const json_t *const list = json_object_get(body, "means");
    *count = json_array_size(list);
    if (*count < 2 || *count > WATCHED_ARMS_MOST) {
        char expected[48];
        snprintf(expected, sizeof expected, "from 2 to %d numbers from 0 to 1", WATCHED_ARMS_MOST);
        return lotor_field_refuse(list, "means", expected, refusal);
    }
    for (size_t i = 0; i < *count; i++) {
        char field[LOTOR_FIELD_ROOM];
        lotor_field_index(field, "means", i);
        const lotor_code code =
            lotor_field_number(json_array_get(list, i), field, refusal, &means[i]);
        if (code != LOTOR_CODE_NONE) {
            return code;
        }
        if (!(means[i] >= 0.0 && means[i] <= 1.0)) {
            return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field,
                                "expected a number from 0 to 1");
        }
    }
    return LOTOR_CODE_NONE;
}

static lotor_code read_watch(const json_t *body, lotor_refusal *refusal, double *means,
                             lotor_watch_params *out)
{
    static const char *const known[] = {"algorithm", "epsilon", "means", "slots",
                                        "rounds",    "seed",    NULL};
    static const char *const algorithms[] = {"lik-imed", "rr-imed", "batch-klucb", "rr-klucb"};
    size_t algorithm = 0, rounds = 5000, seed = 1;
    *out = (lotor_watch_params){.slots = 1, .means = means, .frames = FRAMES};
    lotor_code code = lotor_fields_check(body, known, "", LOTOR_FIELDS_PUBLIC, refusal);
    code = code != LOTOR_CODE_NONE
               ? code
               : read_word(body, "algorithm", algorithms, 4, refusal, &algorithm);
    code = code != LOTOR_CODE_NONE ? code : read_epsilon(body, refusal, &out->epsilon);
    code = code != LOTOR_CODE_NONE ? code : read_means(body, refusal, means, &out->arms);
    code = code != LOTOR_CODE_NONE
               ? code
               : read_size(body, "slots", 1, out->arms - 1, refusal, &out->slots);
    code = code != LOTOR_CODE_NONE
               ? code
               : read_size(body, "rounds", 10, WATCHED_ROUNDS_MOST, refusal, &rounds);
    code = code != LOTOR_CODE_NONE ? code : read_size(body, "seed", 0, UINT32_MAX, refusal, &seed);
    out->algorithm = algorithms[algorithm];
    out->rounds = rounds;
    out->seed = seed;
    return code;
}

typedef json_t *arm_number(const lotor_watch_arm *arm);

static json_t *mean_of(const lotor_watch_arm *arm)
{
    return number_or_null(arm->mean);
}

static json_t *low_of(const lotor_watch_arm *arm)
{
    return number_or_null(arm->low);
}

static json_t *high_of(const lotor_watch_arm *arm)
{
    return number_or_null(arm->high);
}

static json_t *shown_of(const lotor_watch_arm *arm)
{
    return json_integer((json_int_t)arm->shown);
}

/* One number of every arm for each frame: an array of arrays. */
static json_t *columns(const lotor_watch_result *watched, arm_number *number_of)
{
    json_t *const frames = json_array();
    int failed = !frames;
    for (size_t frame = 0; !failed && frame < watched->frames; frame++) {
        json_t *const row = json_array();
        for (size_t i = 0; i < watched->arms; i++) {
            failed |=
                json_array_append_new(row, number_of(&watched->states[frame * watched->arms + i]));
        }
        failed |= json_array_append_new(frames, row);
    }
    if (failed) {
        json_decref(frames);
        return NULL;
    }
    return frames;
}

static json_t *watched_json(const lotor_watch_result *watched)
{
    json_t *const reward = json_array();
    int failed = 0;
    for (size_t frame = 0; frame < watched->frames; frame++) {
        failed |= json_array_append_new(reward, json_real(watched->reward[frame]));
    }
    json_t *const all =
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "reward", reward, "shown",
                  columns(watched, shown_of), "mean", columns(watched, mean_of), "low",
                  columns(watched, low_of), "high", columns(watched, high_of));
    if (failed) {
        json_decref(all);
        return NULL;
    }
    return all;
}

/* Simulates the same people twice: with the noise for epsilon, and without noise. */
static json_t *play_both(const lotor_watch_params *watch, lotor_refusal *refusal)
{
    json_t *const rounds = json_array(), *sides[2] = {NULL, NULL};
    lotor_status status = rounds ? LOTOR_OK : LOTOR_MEMORY;
    lotor_message why = {""};
    for (size_t side = 0; side < 2 && status == LOTOR_OK; side++) {
        lotor_watch_params played = *watch;
        lotor_watch_result *watched;
        played.epsilon = side == 0 ? watch->epsilon : lotor_ratio_of(1, 0);
        status = lotor_watch_run(&played, &why, &watched);
        if (status != LOTOR_OK) {
            break;
        }
        for (size_t i = 0; side == 0 && i < watched->frames; i++) {
            json_array_append_new(rounds, json_integer((json_int_t)watched->rounds[i]));
        }
        sides[side] = watched_json(watched);
        if (json_array_size(rounds) != watched->frames) {
            status = LOTOR_MEMORY;
        }
        lotor_watch_free(watched);
    }
    if (status == LOTOR_INVALID) {
        lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "", "%s", why.text);
    }
    if (status != LOTOR_OK) {
        json_decref(rounds);
        json_decref(sides[0]);
        json_decref(sides[1]);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "noise", "simulation", "algorithm",
                     watch->algorithm, "rounds", rounds, "private", sides[0], "not_private",
                     sides[1]);
}

json_t *lotor_lab_simulate(const json_t *body, lotor_refusal *refusal)
{
    double means[WATCHED_ARMS_MOST];
    lotor_watch_params watch;
    return read_watch(body, refusal, means, &watch) == LOTOR_CODE_NONE ? play_both(&watch, refusal)
                                                                       : NULL;
}
