/* advise.c - lotor advise: recommends an algorithm, with the regret to expect. */
#include <stdio.h>

#include "cli/advise.h"
#include "cli/command.h"
#include "cli/print.h"
#include "cli/progress.h"

static const lotor_option options[] = {
    [LOTOR_ADVISE_PROBLEM] =
        {.name = "problem",
         .kind = LOTOR_OPTION_CHOICE,
         .placeholder = "KIND",
         .choices = "finite|matroid|semi-bandit|cascade|linear",
         .help = "what a round shows: one arm (finite); a set with a reward for every arm "
                 "(matroid, semi-bandit); a list that a person reads up to the first click "
                 "(cascade); one of the actions in the person's context (linear)"},
    [LOTOR_ADVISE_TRUST] = {.name = "trust",
                            .kind = LOTOR_OPTION_CHOICE,
                            .placeholder = "MODEL",
                            .choices = "central|local|joint",
                            .help = "who may see feedback without noise: the server (central; "
                                    "joint in linear problems), or nobody (local)"},
    [LOTOR_ADVISE_EPSILON] = {.name = "epsilon",
                              .kind = LOTOR_OPTION_RATIO,
                              .placeholder = "E",
                              .help = "the privacy budget for the feedback of one round"},
    [LOTOR_ADVISE_DELTA] = {.name = "delta",
                            .kind = LOTOR_OPTION_RATIO,
                            .placeholder = "D",
                            .help = "for algorithms with a delta (default 1e-5)"},
    [LOTOR_ADVISE_ARMS] = {.name = "arms",
                           .kind = LOTOR_OPTION_WHOLE,
                           .placeholder = "N",
                           .help = "the number of arms"},
    [LOTOR_ADVISE_SLOTS] = {.name = "slots",
                            .kind = LOTOR_OPTION_WHOLE,
                            .placeholder = "K",
                            .help = "the number of arms in a set or list"},
    [LOTOR_ADVISE_DIMENSION] = {.name = "dimension",
                                .kind = LOTOR_OPTION_WHOLE,
                                .placeholder = "D",
                                .initial = LOTOR_TEXT_OF(LOTOR_ADVISE_DIMENSION_DEFAULT),
                                .help = "the dimension of an action, in linear problems"},
    [LOTOR_ADVISE_ROUNDS] = {.name = "rounds",
                             .kind = LOTOR_OPTION_WHOLE,
                             .placeholder = "T",
                             .help = "the approximate number of rounds, such as 1e6"},
    [LOTOR_ADVISE_MEANS] = {.name = "means",
                            .kind = LOTOR_OPTION_LIST,
                            .placeholder = "LIST",
                            .help = "the mean rewards that you expect, instead of a typical world"},
    [LOTOR_ADVISE_SECONDS] = {.name = "seconds",
                              .kind = LOTOR_OPTION_NUMBER,
                              .placeholder = "S",
                              .initial = LOTOR_TEXT_OF(LOTOR_ADVISE_SECONDS_DEFAULT),
                              .help = "the approximate duration of the simulation"},
    [LOTOR_ADVISE_SEED] = {.name = "seed",
                           .kind = LOTOR_OPTION_WHOLE,
                           .placeholder = "S",
                           .initial = "1",
                           .help = "the seed of the simulations"},
    [LOTOR_ADVISE_THREADS] = {.name = "threads",
                              .kind = LOTOR_OPTION_WHOLE,
                              .placeholder = "N",
                              .help = "the most threads (default: one per core)"},
    [LOTOR_ADVISE_JSON] = {.name = "json",
                           .kind = LOTOR_OPTION_FLAG,
                           .help = "write one JSON object, with every candidate"},
};

static int run_advise(const lotor_arguments *arguments)
{
    const bool as_json = arguments->values[LOTOR_ADVISE_JSON].given;
    lotor_message why = {""};
    lotor_advise_params params;
    lotor_advise_result advice;
    lotor_status status = lotor_advise_ask(arguments, &why, &params);
    if (status == LOTOR_OK) {
        lotor_progress progress;
        lotor_progress_begin(&progress, 1, 0.0);
        lotor_progress_next(&progress, "simulating the candidates", 0.0);
        params.progress = lotor_progress_tell;
        params.progress_context = &progress;
        status = lotor_advise_run(&params, &why, &advice);
        lotor_progress_end(&progress);
        if (progress.interrupted) {
            return LOTOR_EXIT_INTERRUPTED;
        }
    }
    if (status == LOTOR_BUSY) { /* a larger --seconds helps, so this is wrong usage */
        status = LOTOR_INVALID;
    }
    if (status != LOTOR_OK) {
        lotor_print_error(as_json, why.text);
        return lotor_command_refuse(arguments->command, status, why.text);
    }
    (as_json ? lotor_advise_json : lotor_advise_text)(&params, &advice);
    return LOTOR_EXIT_FINE;
}

const lotor_command lotor_command_advise = {
    .name = "advise",
    .summary = "recommend an algorithm, by simulating the candidates",
    .usage = "[--problem KIND] [--trust MODEL] [--epsilon E] [--delta D] [--arms N] [--slots K] "
             "[--dimension D] [--rounds T] [--means LIST] [--seconds S] [--seed S] [--threads N] "
             "[--json]",
    .about = "Simulates all private algorithms that fit the problem and the trust, in a typical "
             "world (or with the means that you expect). Recommends the one with the least regret. "
             "On a terminal it asks for missing options.\n\nRegret is the loss compared with "
             "always showing the best arms, in units of reward, over all rounds.",
    .examples = "  lotor advise --problem cascade --trust local --epsilon 1 --arms 20 \\\n"
                "      --slots 4 --rounds 1e5\n"
                "  lotor advise --problem finite --trust central --epsilon 0.5 --arms 5 \\\n"
                "      --rounds 1e6 --json\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run_advise,
};
