/* advise_ask.c - gets the parameters of `lotor advise` from the options, or asks for them. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/ratio.h"
#include "cli/advise.h"

enum { LINE = 128 };

/* A question on a terminal. Without a terminal, its option is required. */
typedef struct question {
    size_t option;
    const char *name; /* of the option */
    const char *text;
    const char *initial; /* the meaning of an empty line; NULL: the question is repeated */
} question;

static const question questions[] = {
    {LOTOR_ADVISE_PROBLEM, "problem",
     "What does a round show? finite (one arm), matroid or semi-bandit (a set with a\nreward for "
     "every arm), cascade (a list, read up to the first click), linear\n(one of the actions in the "
     "person's context)",
     "finite"},
    {LOTOR_ADVISE_TRUST, "trust",
     "Who may see feedback without noise? central (your server), local (nobody),\njoint (your "
     "server, in linear problems)",
     "central"},
    {LOTOR_ADVISE_EPSILON, "epsilon", "The privacy budget epsilon of one round's feedback", "1"},
    {LOTOR_ADVISE_ARMS, "arms", "How many arms are there to choose from", NULL},
    {LOTOR_ADVISE_SLOTS, "slots", "How many arms are shown at once", NULL},
    {LOTOR_ADVISE_ROUNDS, "rounds", "About how many rounds will there be", "1e5"},
};

bool lotor_advise_is(const lotor_advise_params *params, const char *problem)
{
    return params->problem && strcmp(params->problem, problem) == 0;
}

bool lotor_advise_shows_sets(const lotor_advise_params *params)
{
    return !lotor_advise_is(params, "finite") && !lotor_advise_is(params, "linear");
}

/* --- one value, from text --------------------------------------------------------------------- */

static lotor_status take_problem(const char *text, lotor_message *why, lotor_advise_params *params)
{
    static const char *const problems[] = {"finite", "matroid", "semi-bandit", "cascade", "linear"};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        if (strcmp(text, problems[i]) == 0) {
            params->problem = problems[i]; /* not `text`, which may be freed earlier */
            return LOTOR_OK;
        }
    }
    return lotor_fail(LOTOR_INVALID, why,
                      "%s: give finite, matroid, semi-bandit, cascade or linear",
                      lotor_quote_text(text).text);
}

static lotor_status take_trust(const char *text, lotor_message *why, lotor_advise_params *params)
{
    params->trust = LOTOR_MODEL_NONE;
    static const lotor_model models[] = {LOTOR_MODEL_CENTRAL, LOTOR_MODEL_LOCAL, LOTOR_MODEL_JOINT};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        if (strcmp(text, lotor_model_name(models[i])) == 0) {
            params->trust = models[i];
        }
    }
    if (params->trust == LOTOR_MODEL_JOINT && !lotor_advise_is(params, "linear")) {
        return lotor_fail(LOTOR_INVALID, why,
                          "joint is for linear problems: give central or local");
    }
    return params->trust != LOTOR_MODEL_NONE
               ? LOTOR_OK
               : lotor_fail(LOTOR_INVALID, why, "%s: give central, local or joint",
                            lotor_quote_text(text).text);
}

static lotor_status take_epsilon(const char *text, lotor_message *why, lotor_advise_params *params)
{
    const lotor_status status = lotor_ratio_parse(text, why, &params->epsilon);
    if (status == LOTOR_OK &&
        (params->epsilon.num == 0 || lotor_ratio_is_infinite(params->epsilon))) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "epsilon %s: it must be above 0 and finite, because advice compares private algorithms",
            lotor_quote_text(text).text);
    }
    return status;
}

static lotor_status take_size(const char *text, size_t least, size_t most, lotor_message *why,
                              size_t *out)
{
    uint64_t whole;
    const lotor_status status = lotor_parse_whole(text, strlen(text), why, &whole);
    if (status == LOTOR_OK) {
        if (whole < least || whole > most) {
            return lotor_fail(LOTOR_INVALID, why, "%s: give from %zu to %zu",
                              lotor_quote_text(text).text, least, most);
        }
        *out = (size_t)whole;
    }
    return status;
}

static lotor_status take(size_t option, const char *text, lotor_message *why,
                         lotor_advise_params *params)
{
    switch (option) {
    case LOTOR_ADVISE_PROBLEM:
        return take_problem(text, why, params);
    case LOTOR_ADVISE_TRUST:
        return take_trust(text, why, params);
    case LOTOR_ADVISE_EPSILON:
        return take_epsilon(text, why, params);
    case LOTOR_ADVISE_ARMS:
        return take_size(text, 2, LOTOR_ADVISE_ARMS_MAX, why, &params->arms);
    case LOTOR_ADVISE_SLOTS:
        return take_size(text, 1, params->arms > 0 ? params->arms - 1 : LOTOR_ADVISE_ARMS_MAX, why,
                         &params->slots);
    default:
        return lotor_parse_whole(text, strlen(text), why, &params->rounds);
    }
}

/* --- questions on a terminal ------------------------------------------------------------------ */

static bool can_ask(void)
{
    return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
}

/* Asks until the input is valid. False at the end of the input. */
static bool ask(const question *asked, lotor_advise_params *params)
{
    for (;;) {
        char line[LINE];
        fprintf(stderr, "%s%s%s%s? ", asked->text, asked->initial ? " [" : "",
                asked->initial ? asked->initial : "", asked->initial ? "]" : "");
        if (!fgets(line, sizeof line, stdin)) {
            fputc('\n', stderr);
            return false;
        }
        bool is_whole = strchr(line, '\n') != NULL;
        for (int more = 0; !is_whole && more != EOF; is_whole = more == '\n') {
            more = getchar(); /* skips the rest of a line that is too long */
        }
        line[strcspn(line, "\r\n")] = '\0';
        const char *text = line[0] == '\0' && asked->initial ? asked->initial : line;
        lotor_message why;
        if (text[0] != '\0' && take(asked->option, text, &why, params) == LOTOR_OK) {
            return true;
        }
        fprintf(stderr, "  %s\n", text[0] != '\0' ? why.text : "a number, please");
    }
}

/* Problems with one arm per round need no slots, and --means gives the number of arms. */
static bool is_needed(const question *asked, const lotor_option_value *values,
                      const lotor_advise_params *params)
{
    if (asked->option == LOTOR_ADVISE_SLOTS) {
        return lotor_advise_shows_sets(params);
    }
    return asked->option != LOTOR_ADVISE_ARMS || !values[LOTOR_ADVISE_MEANS].given;
}

static lotor_status answer_all(const lotor_option_value *values, lotor_message *why,
                               lotor_advise_params *out)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const question *asked = &questions[i];
        const lotor_option_value *value = &values[asked->option];
        if (value->given) {
            lotor_message reason;
            const lotor_status status = take(asked->option, value->text, &reason, out);
            if (status != LOTOR_OK) {
                return lotor_fail(status, why, "--%s %.300s", asked->name, reason.text);
            }
        } else if (!is_needed(asked, values, out)) {
            continue;
        } else if (!can_ask()) {
            return lotor_fail(LOTOR_INVALID, why,
                              "--%s is missing: give it (on a terminal the command asks for it)",
                              asked->name);
        } else if (!ask(asked, out)) {
            return lotor_fail(LOTOR_INVALID, why, "the input ended before --%s", asked->name);
        }
    }
    return LOTOR_OK;
}

static lotor_status take_means(const lotor_option_value *values, lotor_message *why,
                               lotor_advise_params *out)
{
    const lotor_number_list *means = &values[LOTOR_ADVISE_MEANS].list;
    if (!values[LOTOR_ADVISE_MEANS].given) {
        return LOTOR_OK;
    }
    if (lotor_advise_is(out, "linear")) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--means can't be used in a linear problem, where every round has new "
                          "actions: leave it out");
    }
    if (values[LOTOR_ADVISE_ARMS].given && out->arms != means->count) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--arms is %zu, but the length of --means is %zu: give the same number",
                          out->arms, means->count);
    }
    out->arms = means->count;
    out->means = means->items;
    return LOTOR_OK;
}

lotor_status lotor_advise_ask(const lotor_arguments *arguments, lotor_message *why,
                              lotor_advise_params *out)
{
    const lotor_option_value *values = arguments->values;
    *out = (lotor_advise_params){
        .slots = 1,
        .delta = values[LOTOR_ADVISE_DELTA].given ? values[LOTOR_ADVISE_DELTA].ratio
                                                  : lotor_ratio_of(0, 1),
        .dimension = (size_t)values[LOTOR_ADVISE_DIMENSION].whole,
        .seconds = values[LOTOR_ADVISE_SECONDS].number,
        .seed = values[LOTOR_ADVISE_SEED].whole,
        .threads = (size_t)values[LOTOR_ADVISE_THREADS].whole,
    };
    if (!(out->seconds > 0.0 && out->seconds <= LOTOR_ADVISE_SECONDS_MAX)) {
        return lotor_fail(LOTOR_INVALID, why, "--seconds %s: give from a little above 0 to %d",
                          lotor_quote_text(values[LOTOR_ADVISE_SECONDS].text).text,
                          LOTOR_ADVISE_SECONDS_MAX);
    }
    lotor_status status = answer_all(values, why, out);
    if (status == LOTOR_OK) {
        status = take_means(values, why, out);
    }
    if (status == LOTOR_OK && out->dimension == 0 && lotor_advise_is(out, "linear")) {
        /* Refused here, because the library takes 0 for its default. */
        return lotor_fail(LOTOR_INVALID, why,
                          "actions in the ball have from 1 to 1024 dimensions, not 0");
    }
    return status;
}
