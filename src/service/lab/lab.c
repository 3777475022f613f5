/* serve_lab.c - advice and simulated campaigns for the dashboard: JSON in, the lab, JSON out. */
#ifdef LOTOR_SERVICE
#include "cli/serve_lab.h"

#include <math.h>
#include <string.h>

#include "base/digits.h"
#include "base/ratio.h"
#include "lab/advise.h"
#include "lab/watch.h"
#include "service/spec/fields.h"

/* So that a request takes about a second, and not much memory. */
enum { ARMS_MOST = 200, WATCHED_ARMS_MOST = 12, WATCHED_ROUNDS_MOST = 20000, FRAMES = 80 };
enum { ROUNDS_ENOUGH = 10000 }; /* to advise on: in fewer hardly anything is learnt */
#define ADVISE_SECONDS 1.0

/* --- reading ------------------------------------------------------------------------------------ */

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

/* Where it is left out, *out is as it was. */
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

/* One of some words, by its place; the first where it is left out. */
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
    return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, name,
                        "expected one of the words that docs/openapi.json lists");
}

/* --- advice ------------------------------------------------------------------------------------- */

static lotor_code read_wish(const json_t *body, lotor_refusal *refusal, lotor_wish *out)
{
    static const char *const known[] = {"problem", "trust",     "epsilon", "arms",
                                        "slots",   "dimension", "rounds",  NULL};
    static const char *const problems[] = {"finite", "semi-bandit", "cascade", "linear"};
    static const lotor_problem kinds[] = {LOTOR_PROBLEM_FINITE, LOTOR_PROBLEM_SEMIBANDIT,
                                          LOTOR_PROBLEM_CASCADE, LOTOR_PROBLEM_LINEAR};
    static const char *const trusts[] = {"central", "local", "joint"};
    static const lotor_model models[] = {LOTOR_MODEL_CENTRAL, LOTOR_MODEL_LOCAL, LOTOR_MODEL_JOINT};
    size_t problem = 0, trust = 0, rounds = 100000;
    *out = (lotor_wish){.arms = 5,
                        .slots = 1,
                        .dimension = 5,
                        .delta = lotor_ratio_of(0, 1),
                        .seconds = ADVISE_SECONDS,
                        .seed = 1,
                        .threads = 1};
    lotor_code code = lotor_fields_check(body, known, "", LOTOR_FIELDS_PUBLIC, refusal);
    code = code ? code : read_word(body, "problem", problems, 4, refusal, &problem);
    code = code ? code : read_word(body, "trust", trusts, 3, refusal, &trust);
    code = code ? code : read_epsilon(body, refusal, &out->epsilon);
    code = code ? code : read_size(body, "arms", 2, ARMS_MOST, refusal, &out->arms);
    code = code ? code : read_size(body, "slots", 1, out->arms, refusal, &out->slots);
    code = code ? code : read_size(body, "dimension", 1, 20, refusal, &out->dimension);
    code = code ? code : read_size(body, "rounds", 100, 10000000, refusal, &rounds);
    out->problem = kinds[problem];
    out->trust = models[trust];
    out->rounds = rounds;
    return code;
}

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *candidate_json(const lotor_candidate *candidate)
{
    static const char *const models[] = {"none", "central", "local", "joint"};
    lotor_serving serving;
    return json_pack("{s:s, s:s, s:o, s:o, s:I, s:I, s:b}", "algorithm", candidate->algorithm->id,
                     "model", models[candidate->algorithm->model], "regret",
                     number_or_null(candidate->regret), "standard_error",
                     number_or_null(candidate->standard_error), "runs", (json_int_t)candidate->runs,
                     "rounds", (json_int_t)candidate->rounds, "offered",
                     lotor_serving_find(candidate->algorithm->id, &serving));
}

static json_t *advice_json(const lotor_advice *advice)
{
    const char *recommended = NULL;
    json_t *const list = json_array();
    bool fine = list != NULL;
    for (size_t i = 0; fine && i < advice->count; i++) {
        lotor_serving serving;
        const char *const id = advice->candidates[i].algorithm->id;
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
                     number_or_null(advice->random_regret), "rounds", (json_int_t)advice->horizon,
                     "world", advice->world);
}

json_t *lotor_serve_advise(const json_t *body, lotor_refusal *refusal)
{
    lotor_wish wish;
    lotor_advice advice;
    lotor_message why = {""};
    if (read_wish(body, refusal, &wish) != LOTOR_CODE_NONE) {
        return NULL;
    }
    lotor_status status = lotor_advise(&wish, &why, &advice);
    const uint64_t enough = wish.rounds < ROUNDS_ENOUGH ? wish.rounds : ROUNDS_ENOUGH;
    const bool is_short = status == LOTOR_OK && advice.horizon < enough;
    if (is_short ||
        status == LOTOR_INVALID) { /* the machine is busy; nonsense is refused at once */
        wish.seconds = 4 * ADVISE_SECONDS;
        status = lotor_advise(&wish, &why, &advice);
    }
    if (status == LOTOR_INVALID && strstr(why.text, "--seconds")) {
        lotor_refuse(refusal, LOTOR_CODE_BUSY, "",
                     "that takes too long here now: try again, give fewer arms, or use the command "
                     "lotor advise");
    } else if (status == LOTOR_INVALID) {
        lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "", "%s", why.text);
    } else if (status == LOTOR_OK) {
        return advice_json(&advice);
    }
    return NULL; /* no memory */
}

/* --- a campaign to watch ------------------------------------------------------------------------ */

static lotor_code read_means(const json_t *body, lotor_refusal *refusal,
                             double means[WATCHED_ARMS_MOST], size_t *count)
{
    const json_t *const list = json_object_get(body, "means");
    *count = json_array_size(list);
    if (*count < 2 || *count > WATCHED_ARMS_MOST) {
        return lotor_refuse(refusal, list ? LOTOR_CODE_BAD_VALUE : LOTOR_CODE_MISSING_FIELD,
                            "means", "expected from 2 to %d numbers from 0 to 1",
                            WATCHED_ARMS_MOST);
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
                             lotor_watch *out)
{
    static const char *const known[] = {"algorithm", "epsilon", "means", "slots",
                                        "rounds",    "seed",    NULL};
    static const char *const algorithms[] = {"batch-klucb", "rr-klucb"};
    size_t algorithm = 0, rounds = 5000, seed = 1;
    *out = (lotor_watch){.slots = 1, .means = means, .frames = FRAMES};
    lotor_code code = lotor_fields_check(body, known, "", LOTOR_FIELDS_PUBLIC, refusal);
    code = code ? code : read_word(body, "algorithm", algorithms, 2, refusal, &algorithm);
    code = code ? code : read_epsilon(body, refusal, &out->epsilon);
    code = code ? code : read_means(body, refusal, means, &out->arms);
    code = code ? code : read_size(body, "slots", 1, out->arms - 1, refusal, &out->slots);
    code = code ? code : read_size(body, "rounds", 10, WATCHED_ROUNDS_MOST, refusal, &rounds);
    code = code ? code : read_size(body, "seed", 0, UINT32_MAX, refusal, &seed);
    out->algorithm = algorithms[algorithm];
    out->rounds = rounds;
    out->seed = seed;
    return code;
}

/* One number of every arm's, frame by frame. */
static json_t *columns(const lotor_watched *watched, size_t arms, size_t offset)
{
    json_t *const frames = json_array();
    int failed = !frames;
    for (size_t frame = 0; !failed && frame < watched->frames; frame++) {
        json_t *const row = json_array();
        for (size_t i = 0; i < arms; i++) {
            const lotor_estimate *const at = &watched->estimates[frame * arms + i];
            const double value = *(const double *)((const char *)at + offset);
            failed |= json_array_append_new(row, number_or_null(value));
        }
        failed |= json_array_append_new(frames, row);
    }
    if (failed) {
        json_decref(frames);
        return NULL;
    }
    return frames;
}

static json_t *displays(const lotor_watched *watched, size_t arms)
{
    json_t *const frames = json_array();
    int failed = !frames;
    for (size_t frame = 0; !failed && frame < watched->frames; frame++) {
        json_t *const row = json_array();
        for (size_t i = 0; i < arms; i++) {
            failed |= json_array_append_new(
                row, json_integer((json_int_t)watched->shown[frame * arms + i]));
        }
        failed |= json_array_append_new(frames, row);
    }
    if (failed) {
        json_decref(frames);
        return NULL;
    }
    return frames;
}

static json_t *watched_json(const lotor_watched *watched, size_t arms)
{
    json_t *const reward = json_array();
    int failed = 0;
    for (size_t frame = 0; frame < watched->frames; frame++) {
        failed |= json_array_append_new(reward, json_real(watched->reward[frame]));
    }
    json_t *const all =
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "reward", reward, "shown", displays(watched, arms),
                  "mean", columns(watched, arms, offsetof(lotor_estimate, mean)), "low",
                  columns(watched, arms, offsetof(lotor_estimate, low)), "high",
                  columns(watched, arms, offsetof(lotor_estimate, high)));
    if (failed) {
        json_decref(all);
        return NULL;
    }
    return all;
}

/* The same people twice: with the noise that epsilon asks for, and without any. */
static json_t *play_both(const lotor_watch *watch, lotor_refusal *refusal)
{
    json_t *const rounds = json_array(), *sides[2] = {NULL, NULL};
    lotor_status status = rounds ? LOTOR_OK : LOTOR_MEMORY;
    lotor_message why = {""};
    for (size_t side = 0; side < 2 && status == LOTOR_OK; side++) {
        lotor_watch played = *watch;
        lotor_watched watched;
        played.epsilon = side == 0 ? watch->epsilon : lotor_ratio_of(1, 0);
        status = lotor_watch_play(&played, &why, &watched);
        if (status != LOTOR_OK) {
            break;
        }
        for (size_t i = 0; side == 0 && i < watched.frames; i++) {
            json_array_append_new(rounds, json_integer((json_int_t)watched.rounds[i]));
        }
        sides[side] = watched_json(&watched, watch->arms);
        if (json_array_size(rounds) != watched.frames) {
            status = LOTOR_MEMORY;
        }
        lotor_watched_free(&watched);
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

json_t *lotor_serve_simulate(const json_t *body, lotor_refusal *refusal)
{
    double means[WATCHED_ARMS_MOST];
    lotor_watch watch;
    return read_watch(body, refusal, means, &watch) == LOTOR_CODE_NONE ? play_both(&watch, refusal)
                                                                       : NULL;
}
#endif
