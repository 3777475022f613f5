/* sample.c - lotor sample: prints samples of a law, one per line.
 *
 * Fast samples come from the seeded generator and can be repeated with --seed. Exact samples
 * (--exact) come from the secure source, with the samplers of private releases, and can't be
 * repeated.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "base/quote.h"
#include "base/secure.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/print.h"
#include "cli/sample_laws.h"

enum { COUNT = LOTOR_SAMPLE_PARAMETERS, SEED, EXACT, JSON };

static const lotor_option options[] = {
    [LOTOR_SAMPLE_SCALE] = {.name = "scale",
                            .kind = LOTOR_OPTION_NUMBER,
                            .placeholder = "B",
                            .help = "laplace, discrete-laplace: density falls like exp(-|x|/B)"},
    [LOTOR_SAMPLE_SIGMA] = {.name = "sigma",
                            .kind = LOTOR_OPTION_NUMBER,
                            .placeholder = "S",
                            .help = "gaussian, discrete-gaussian: falls like exp(-x^2/(2 S^2))"},
    [LOTOR_SAMPLE_P] = {.name = "p",
                        .kind = LOTOR_OPTION_NUMBER,
                        .placeholder = "P",
                        .help = "geometric, binomial: probability of success"},
    [LOTOR_SAMPLE_N] = {.name = "n",
                        .kind = LOTOR_OPTION_WHOLE,
                        .placeholder = "N",
                        .help = "binomial: number of trials"},
    [LOTOR_SAMPLE_DIMENSION] = {.name = "dimension",
                                .kind = LOTOR_OPTION_WHOLE,
                                .placeholder = "D",
                                .help = "wishart: number of rows of the matrix"},
    [LOTOR_SAMPLE_DEGREES] = {.name = "degrees",
                              .kind = LOTOR_OPTION_NUMBER,
                              .placeholder = "K",
                              .help = "wishart: degrees of freedom, above D - 1"},
    [COUNT] = {.name = "count",
               .kind = LOTOR_OPTION_WHOLE,
               .placeholder = "N",
               .initial = "1",
               .help = "the number of samples"},
    [SEED] = {.name = "seed",
              .kind = LOTOR_OPTION_WHOLE,
              .placeholder = "S",
              .help = "the same seed gives the same fast samples (default: a random seed)"},
    [EXACT] = {.name = "exact",
               .kind = LOTOR_OPTION_FLAG,
               .help = "discrete-laplace, discrete-gaussian, geometric: exact samples, from a "
                       "cryptographic source without a seed"},
    [JSON] = {.name = "json",
              .kind = LOTOR_OPTION_FLAG,
              .help = "write one JSON object: law, parameters, count, exact, seed, samples"},
};

#define LAWS                                                                                       \
    "laplace, discrete-laplace, gaussian, discrete-gaussian, geometric, binomial and wishart"

static lotor_status find_law(const lotor_arguments *arguments, lotor_message *why,
                             const lotor_sample_law **out)
{
    if (arguments->word_count == 0) {
        return lotor_fail(LOTOR_INVALID, why, "no law is given: choose from " LAWS);
    }
    const char *name = arguments->words[0];
    lotor_suggestion suggestion;
    lotor_suggestion_start(&suggestion, name);
    for (const lotor_sample_law *law = lotor_sample_laws; law->name; law++) {
        if (strcmp(law->name, name) == 0) {
            *out = law;
            return LOTOR_OK;
        }
        lotor_suggestion_offer(&suggestion, law->name);
    }
    return suggestion.nearest
               ? lotor_fail(LOTOR_INVALID, why, "there is no law %s: did you mean %s?",
                            lotor_quote_text(name).text, suggestion.nearest)
               : lotor_fail(LOTOR_INVALID, why, "there is no law %s: choose from " LAWS,
                            lotor_quote_text(name).text);
}

/* Checks that all parameters of the law are given, and no others. */
static lotor_status check_parameters(const lotor_sample_law *law, const lotor_arguments *arguments,
                                     lotor_message *why)
{
    for (size_t i = 0; i < LOTOR_SAMPLE_PARAMETERS; i++) {
        if (law->takes[i] && !arguments->values[i].given) {
            return lotor_fail(LOTOR_INVALID, why, "%s needs --%s %s", law->name, options[i].name,
                              options[i].placeholder);
        }
        if (!law->takes[i] && arguments->values[i].given) {
            return lotor_fail(LOTOR_INVALID, why, "%s takes no --%s (%s)", law->name,
                              options[i].name, options[i].help);
        }
    }
    return LOTOR_OK;
}

static lotor_status blame(const lotor_arguments *arguments, size_t parameter, lotor_status status,
                          const char *reason, lotor_message *why)
{
    return lotor_fail(status, why, "--%s %s: %.220s", options[parameter].name,
                      lotor_quote_text(arguments->values[parameter].text).text, reason);
}

static lotor_status prepare_exact(const lotor_sample_law *law, const lotor_arguments *arguments,
                                  lotor_sample_state *sampler, lotor_message *why)
{
    if (!law->has_exact) {
        return lotor_fail(LOTOR_INVALID, why,
                          "there is no exact %s: --exact is for discrete-laplace, "
                          "discrete-gaussian and geometric, whose samples are whole numbers",
                          law->name);
    }
    if (arguments->values[SEED].given) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--exact refuses --seed: exact samples come from a cryptographic source, "
                          "which nobody can repeat; leave one of the two out");
    }
    const char *text = arguments->values[sampler->blamed].text;
    lotor_sampler_params params = {.law = law->name};
    lotor_message reason;
    lotor_status status = lotor_ratio_parse(text, &reason, &params.size);
    if (status == LOTOR_OK) {
        status = lotor_sampler_new(&params, &reason, &sampler->exact);
    }
    if (status == LOTOR_MEMORY || status == LOTOR_ENTROPY) {
        return lotor_fail(status, why, "no cryptographic source of randomness (%s)",
                          lotor_status_name(status));
    }
    return status == LOTOR_OK ? LOTOR_OK
                              : blame(arguments, sampler->blamed, status, reason.text, why);
}

static lotor_status find_seed(uint64_t *seed)
{
    lotor_source *source;
    lotor_status status = lotor_secure_new(&source);
    if (status == LOTOR_OK) {
        *seed = lotor_source_word(source);
        status = source->status;
        lotor_secure_free(source);
    }
    return status;
}

static lotor_status prepare_fast(const lotor_sample_law *law, const lotor_arguments *arguments,
                                 lotor_sample_state *sampler, uint64_t *seed, lotor_message *why)
{
    lotor_message reason;
    lotor_status status = law->check(sampler, &reason);
    if (status != LOTOR_OK) {
        return blame(arguments, sampler->blamed, status, reason.text, why);
    }
    if (arguments->values[SEED].given) {
        *seed = arguments->values[SEED].whole;
    } else if ((status = find_seed(seed)) != LOTOR_OK) {
        return lotor_fail(status, why, "the kernel gave no seed (%s): give one with --seed",
                          lotor_status_name(status));
    }
    lotor_generator_seed(&sampler->generator, *seed);
    if (law->takes[LOTOR_SAMPLE_DIMENSION]) {
        const size_t cells = (size_t)(sampler->dimension * sampler->dimension);
        sampler->work = calloc(cells, sizeof(double));
        sampler->matrix = calloc(cells, sizeof(double));
        if (!sampler->work || !sampler->matrix) {
            return lotor_fail(LOTOR_MEMORY, why, "no memory for a matrix of %zu numbers", cells);
        }
    }
    return LOTOR_OK;
}

static void open_json(const lotor_sample_law *law, const lotor_arguments *arguments, bool exact,
                      uint64_t seed)
{
    char text[1024];
    lotor_json json;
    lotor_json_start(&json, text, sizeof text);
    lotor_json_open(&json, NULL, '{');
    lotor_json_string(&json, "law", law->name);
    for (size_t i = 0; i < LOTOR_SAMPLE_PARAMETERS; i++) {
        if (law->takes[i] && options[i].kind == LOTOR_OPTION_WHOLE) {
            lotor_json_whole(&json, options[i].name, arguments->values[i].whole);
        } else if (law->takes[i]) {
            lotor_json_double(&json, options[i].name, arguments->values[i].number);
        }
    }
    lotor_json_whole(&json, "count", arguments->values[COUNT].whole);
    lotor_json_bool(&json, "exact", exact);
    if (exact) {
        lotor_json_string(&json, "seed", NULL);
    } else {
        lotor_json_whole(&json, "seed", seed);
    }
    lotor_json_open(&json, "samples", '[');
    fputs(text, stdout);
}

/* The separator comes after the draw, which may fail: then the JSON can still be closed. */
static lotor_status draw_all(const lotor_sample_law *law, lotor_sample_state *sampler,
                             uint64_t count, lotor_message *why)
{
    for (uint64_t i = 0; i < count; i++) {
        int64_t exact = 0;
        if (sampler->exact) {
            const lotor_status status = lotor_sampler_draw(sampler->exact, why, &exact);
            if (status != LOTOR_OK) {
                return status;
            }
        }
        if (sampler->json && i > 0) {
            fputs_unlocked(", ", stdout);
        }
        if (sampler->exact) {
            char text[LOTOR_NUMBER_ROOM];
            fwrite_unlocked(text, 1, lotor_put_integer(text, exact), stdout);
        } else {
            law->fast(sampler);
        }
        if (!sampler->json) {
            putc_unlocked('\n', stdout);
        }
        if (i % 4096 == 0 && ferror_unlocked(stdout)) {
            break; /* the disk is full: main() reports it */
        }
    }
    return LOTOR_OK;
}

/* Writes all samples, and the brackets around them in JSON. */
static lotor_status write_draws(const lotor_sample_law *law, lotor_sample_state *sampler,
                                uint64_t count, lotor_message *why)
{
    const lotor_status status = draw_all(law, sampler, count, why);
    if (sampler->json) {
        fputs("]", stdout);
        if (status != LOTOR_OK) {
            fputs(", \"error\": ", stdout);
            lotor_print_json_string(stdout, why->text);
        }
        fputs("}\n", stdout);
    }
    return status;
}

static int sample_all(const lotor_sample_law *law, const lotor_arguments *arguments,
                      lotor_sample_state *sampler, lotor_message *why)
{
    size_t parameter = LOTOR_SAMPLE_P;
    if (law->takes[LOTOR_SAMPLE_SCALE]) {
        parameter = LOTOR_SAMPLE_SCALE;
    } else if (law->takes[LOTOR_SAMPLE_SIGMA]) {
        parameter = LOTOR_SAMPLE_SIGMA;
    }
    const bool exact = arguments->values[EXACT].given;
    uint64_t seed = 0;
    sampler->blamed = parameter;
    sampler->scale = arguments->values[parameter].number;
    lotor_status status = exact ? prepare_exact(law, arguments, sampler, why)
                                : prepare_fast(law, arguments, sampler, &seed, why);
    if (status != LOTOR_OK) {
        lotor_print_error(sampler->json, why->text);
        return lotor_command_refuse(arguments->command, status, why->text);
    }
    if (sampler->json) {
        open_json(law, arguments, exact, seed);
    }
    status = write_draws(law, sampler, arguments->values[COUNT].whole, why);
    return status == LOTOR_OK ? LOTOR_EXIT_FINE
                              : lotor_command_refuse(arguments->command, status, why->text);
}

static int run_sample(const lotor_arguments *arguments)
{
    const lotor_sample_law *law = NULL;
    lotor_message why;
    lotor_status status = find_law(arguments, &why, &law);
    if (status == LOTOR_OK) {
        status = check_parameters(law, arguments, &why);
    }
    if (status != LOTOR_OK) {
        lotor_print_error(arguments->values[JSON].given, why.text);
        return lotor_command_refuse(arguments->command, status, why.text);
    }
    lotor_sample_state sampler = {
        .trials = arguments->values[LOTOR_SAMPLE_N].whole,
        .dimension = arguments->values[LOTOR_SAMPLE_DIMENSION].whole,
        .degrees = arguments->values[LOTOR_SAMPLE_DEGREES].number,
        .json = arguments->values[JSON].given,
    };
    const int result = sample_all(law, arguments, &sampler, &why);
    lotor_sampler_free(sampler.exact);
    free(sampler.work);
    free(sampler.matrix);
    return result;
}

const lotor_command lotor_command_sample = {
    .name = "sample",
    .summary = "draw random numbers from a distribution, fast or exact",
    .usage = "LAW --PARAMETER VALUE... [--count N] [--seed S | --exact] [--json]",
    .about = "Writes samples, one per line. LAW is laplace or discrete-laplace (--scale B), "
             "gaussian or discrete-gaussian (--sigma S), geometric (--p P: failures before the "
             "first success), binomial (--n N --p P) or wishart (--dimension D --degrees K: a "
             "matrix per line, row by row).\n\nFast samples are for experiments and protect "
             "nobody. Exact samples follow the stated distribution to the last bit, in integer "
             "arithmetic. Private releases use exact samples as noise.",
    .examples = "  lotor sample laplace --scale 2 --count 5 --seed 7\n"
                "  lotor sample discrete-laplace --scale 3 --count 5 --exact\n"
                "  lotor sample wishart --dimension 2 --degrees 4 --seed 7\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .word_limit = 1,
    .run = run_sample,
};
