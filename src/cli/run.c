/* run.c - lotor run: plays algorithms in a world and measures their regret.
 *
 * Everything is checked before anything is played (run_plan.c). Then the algorithms are played one
 * after the other, each on all cores. Ctrl-C stops the command; complete results are still printed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/chart/chart.h"
#include "base/chart/svg.h"
#include "base/message.h"
#include "cli/command.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/run.h"

static const lotor_option options[] = {
    [LOTOR_RUN_MEANS] = {.name = "means",
                         .kind = LOTOR_OPTION_LIST,
                         .placeholder = "LIST",
                         .help = "the mean reward of each arm, such as 0.5,0.6,0.7"},
    [LOTOR_RUN_INSTANCE] =
        {.name = "instance",
         .kind = LOTOR_OPTION_TEXT,
         .placeholder = "NAME",
         .help = "a problem from the papers: c1, c2, c3, c4 (means from 0.75 down to 0.25), "
                 "c2-printed, c4-printed (five means as printed in the paper: 0.525 where c2 and "
                 "c4 have 0.625), table-6.1, or movielens:DIR for your copy of MovieLens 1M (lotor "
                 "movielens writes invented data in the same format); or a graph, whose edges are "
                 "the arms: grid:5x5, graph:FILE, coverage:FILE (lines \"from to mean\")"},
    [LOTOR_RUN_REPLAY] = {.name = "replay",
                          .kind = LOTOR_OPTION_TEXT,
                          .placeholder = "FILE",
                          .help =
                              "a log of lines \"arm,reward\" or \"arm,reward,propensity\"; rewards "
                              "are drawn from it at random; the same as --instance replay:FILE"},
    [LOTOR_RUN_UNBIASED] = {.name = "unbiased",
                            .kind = LOTOR_OPTION_FLAG,
                            .help = "go through the log of --replay once, and learn only from "
                                    "lines with the chosen arm (Li, Chu, Langford and Wang 2011); "
                                    "the same as --instance unbiased-replay:FILE"},
    [LOTOR_RUN_DIMENSION] = {.name = "dimension",
                             .kind = LOTOR_OPTION_WHOLE,
                             .placeholder = "D",
                             .help = "the dimension of the actions in a linear world (default 5); "
                                     "each round has --arms new actions, uniform in the unit ball"},
    [LOTOR_RUN_GAP] = {.name = "gap",
                       .kind = LOTOR_OPTION_NUMBER,
                       .placeholder = "G",
                       .help =
                           "a linear world with actions on the unit sphere: one action has mean "
                           "0.75, and the others are below 0.75 - G (Shariff and Sheffet 2018)"},
    [LOTOR_RUN_ARMS] = {.name = "arms",
                        .kind = LOTOR_OPTION_WHOLE,
                        .placeholder = "N",
                        .help =
                            "the number of arms, for instances of any size (c1 to c4: 5; "
                            "movielens: the 100 most rated; a linear world: 20, with --gap D x D)"},
    [LOTOR_RUN_REWARDS] =
        {.name = "rewards",
         .kind = LOTOR_OPTION_TEXT,
         .placeholder = "LAW",
         .initial = "bernoulli",
         .help = "the distribution of rewards around the means; beta has a + b = 4; gaussian:S has "
                 "the standard deviation S, 0.1 if S is left out; pareto:A has a heavy tail of "
                 "shape A, 2.5 if A is left out; gaussian and pareto are clipped to [0,1]: "
                 "bernoulli|beta|uniform|gaussian|pareto"},
    [LOTOR_RUN_WORLD] = {.name = "world",
                         .kind = LOTOR_OPTION_TEXT,
                         .placeholder = "CHANGE",
                         .help =
                             "how the means change: fixed (the default), swaps:N (the horizon "
                             "has N parts, 5 if N is left out; after each part the means move "
                             "on by one arm), drift:N (the same in a straight line), "
                             "steps:1e3=0.5,0.4;5e3=0.2,0.6 (from these rounds on the means are "
                             "these), lines:1e3=0.5,0.4 (in a straight line to these means), "
                             "walk:S (a random walk of standard deviation S)"},
    [LOTOR_RUN_SCHEDULE] =
        {.name = "schedule",
         .kind = LOTOR_OPTION_TEXT,
         .placeholder = "LIST",
         .help =
             "arms that are added and removed: with 1e3:+5,2e4:-2, arm 5 is added in round 1000 "
             "(it does not exist before), and arm 2 is removed in round 20000; arms count from 0"},
    [LOTOR_RUN_SLOTS] = {.name = "slots",
                         .kind = LOTOR_OPTION_WHOLE,
                         .placeholder = "K",
                         .help = "the number of arms shown in a round (default 1); with coverage "
                                 "and influence the number of vertices"},
    [LOTOR_RUN_ORACLE] = {.name = "oracle",
                          .kind = LOTOR_OPTION_TEXT,
                          .placeholder = "NAME",
                          .help = "which arms may be shown together: top (any K), linear (the "
                                  "instance's vectors, its default), partition:0,0,1 (one of each "
                                  "group; a group per arm), graphic:0-1,1-2 (no cycles; an edge "
                                  "per arm); on the instance's graph: spanning-tree, "
                                  "shortest-path (or shortest-path:FROM-TO; an edge costs 1 - its "
                                  "mean), coverage, influence"},
    [LOTOR_RUN_PROBLEM] = {.name = "problem",
                           .kind = LOTOR_OPTION_CHOICE,
                           .placeholder = "KIND",
                           .choices = "finite|matroid|semi-bandit|cascade",
                           .help = "the problem, for algorithms that play several (default: finite "
                                   "with one slot, else semi-bandit)"},
    [LOTOR_RUN_FEEDBACK] = {.name = "feedback",
                            .kind = LOTOR_OPTION_CHOICE,
                            .placeholder = "KIND",
                            .choices = "semi|cascade",
                            .help = "the feedback, for algorithms that accept several kinds"},
    [LOTOR_RUN_HORIZON] = {.name = "horizon",
                           .kind = LOTOR_OPTION_WHOLE,
                           .placeholder = "T",
                           .help = "the number of rounds, such as 5e7"},
    [LOTOR_RUN_DELAY] = {.name = "delay",
                         .kind = LOTOR_OPTION_TEXT,
                         .placeholder = "W",
                         .help = "the feedback of a round arrives W rounds later, such as 1e4; "
                                 "uniform:A-B draws each delay from A to B, geometric:W with the "
                                 "mean W, pareto:W:A with a heavy tail of shape A, "
                                 "list:0=0.5,1e3=0.5 from a list with probabilities (default 0: "
                                 "before the next round)"},
    [LOTOR_RUN_EXPIRY] = {.name = "expiry",
                          .kind = LOTOR_OPTION_WHOLE,
                          .placeholder = "W",
                          .help = "every round is final W rounds after its display, as in the "
                                  "service; feedback that has not arrived by then is never used, "
                                  "and the round counts as a reward of 0"},
    [LOTOR_RUN_MISSING] = {.name = "missing",
                           .kind = LOTOR_OPTION_NUMBER,
                           .placeholder = "P",
                           .help =
                               "the share of rounds that never gets feedback, such as 0.1; needs "
                               "--expiry, or the policy would wait for these rounds forever"},
    [LOTOR_RUN_EPSILON] = {.name = "epsilon",
                           .kind = LOTOR_OPTION_RATIO,
                           .placeholder = "E",
                           .initial = LOTOR_TEXT_OF(LOTOR_SIMULATE_EPSILON_DEFAULT),
                           .help = "the privacy budget of private algorithms; inf adds no noise"},
    [LOTOR_RUN_DELTA] = {.name = "delta",
                         .kind = LOTOR_OPTION_RATIO,
                         .placeholder = "D",
                         .help = "the delta of (epsilon, delta)-privacy, for algorithms with a "
                                 "delta (default: their paper's, 1e-3 or 1e-5)"},
    [LOTOR_RUN_BETA] = {.name = "beta",
                        .kind = LOTOR_OPTION_NUMBER,
                        .placeholder = "B",
                        .help =
                            "the beta in the algorithm's formula: how often its bounds may fail "
                            "(default 1/T); in dp-ucb and dp-ucb-tight it covers the noise alone"},
    [LOTOR_RUN_NOISE_SCALE] = {.name = "noise-scale",
                               .kind = LOTOR_OPTION_NUMBER,
                               .placeholder = "X",
                               .initial = "1",
                               .help = "multiply the noise, and its part of every confidence "
                                       "width, by X: the algorithm is not private any more"},
    [LOTOR_RUN_CLIP] = {.name = "clip",
                        .kind = LOTOR_OPTION_FLAG,
                        .help = "cap indices at 1, as some papers do"},
    [LOTOR_RUN_CAUTION] = {.name = "caution",
                           .kind = LOTOR_OPTION_NUMBER,
                           .placeholder = "C",
                           .help = "for lik-imed and rr-imed: how much evidence against an arm to "
                                   "ignore; more caution means fewer bad runs, and more regret on "
                                   "average (default 3.5)"},
    [LOTOR_RUN_LAG] = {.name = "lag",
                       .kind = LOTOR_OPTION_NUMBER,
                       .placeholder = "L",
                       .help = "for lik-imed and rr-imed: in a list, the best arm is recorded L "
                               "times as often as each of the others; a cascade shows the "
                               "recorded arm first (default 4 in a cascade, else 1)"},
    [LOTOR_RUN_WINDOW] = {.name = "window",
                          .kind = LOTOR_OPTION_WHOLE,
                          .placeholder = "W",
                          .help =
                              "for lik-imed, in worlds that change: ignore releases that are more "
                              "than W rounds old"},
    [LOTOR_RUN_HALF_LIFE] = {.name = "half-life",
                             .kind = LOTOR_OPTION_WHOLE,
                             .placeholder = "H",
                             .help = "for lik-imed and rr-imed, in worlds that change: a "
                                     "release counts half as much after every H rounds"},
    [LOTOR_RUN_ALARM] = {.name = "alarm",
                         .kind = LOTOR_OPTION_FLAG,
                         .help = "for lik-imed, in worlds that change: when a mean seems to have "
                                 "changed, ignore all earlier releases"},
    [LOTOR_RUN_VARIANCE] = {.name = "variance",
                            .kind = LOTOR_OPTION_NUMBER,
                            .placeholder = "V",
                            .help = "for lik-imed: assume that rewards have this variance; if the "
                                    "assumption is wrong, regret grows, and privacy still holds"},
    [LOTOR_RUN_RUNS] = {.name = "runs",
                        .kind = LOTOR_OPTION_WHOLE,
                        .placeholder = "N",
                        .initial = LOTOR_TEXT_OF(LOTOR_SIMULATE_RUNS_DEFAULT),
                        .help = "the number of runs"},
    [LOTOR_RUN_SEED] = {.name = "seed",
                        .kind = LOTOR_OPTION_WHOLE,
                        .placeholder = "S",
                        .initial = "1",
                        .help = "the same seed gives the same numbers, on any number of threads"},
    [LOTOR_RUN_THREADS] = {.name = "threads",
                           .kind = LOTOR_OPTION_WHOLE,
                           .placeholder = "N",
                           .help = "the most threads (default: one per core)"},
    [LOTOR_RUN_EXACT_ROUNDS] =
        {.name = "exact-rounds",
         .kind = LOTOR_OPTION_FLAG,
         .help = "play every single round: slower, with the same distribution of results"},
    [LOTOR_RUN_CHECKPOINTS] =
        {.name = "checkpoints",
         .kind = LOTOR_OPTION_TEXT,
         .placeholder = "WHEN",
         .initial = LOTOR_TEXT_OF(LOTOR_SIMULATE_CHECKPOINTS_DEFAULT),
         .help = "when the regret is noted: a number N or log:N (about N times, log-spaced), "
                 "linear:N (in equal steps), or a list of rounds such as 100,1e3,1e4"},
    [LOTOR_RUN_JSON] = {.name = "json",
                        .kind = LOTOR_OPTION_FLAG,
                        .help = "write a JSON object; for several algorithms an array of objects"},
    [LOTOR_RUN_CSV] = {.name = "csv",
                       .kind = LOTOR_OPTION_FLAG,
                       .help = "write the curves: algorithm,t,mean,stderr"},
    [LOTOR_RUN_PLOT] = {.name = "plot",
                        .kind = LOTOR_OPTION_TEXT,
                        .placeholder = "FILE",
                        .help = "draw the curves as an SVG picture; FILE ends in .svg"},
    [LOTOR_RUN_CURVES] =
        {.name = "curves",
         .kind = LOTOR_OPTION_FLAG,
         .help = "with --json or --csv: write every run by itself, with its regret and reward at "
                 "each checkpoint; --json also has how often the run showed each arm"},
};

static lotor_status play(const lotor_run_plan *plan, const lotor_algorithm_info *algorithm,
                         lotor_progress *progress, lotor_message *why, lotor_outcome *out)
{
    lotor_simulate_params params = lotor_run_params(plan, algorithm);
    params.progress = lotor_progress_tell;
    params.progress_context = progress;
    out->algorithm = algorithm;
    return lotor_simulate_problem_run(plan->problem, &params, why, &out->result);
}

/* Plays all algorithms, or as many as possible until Ctrl-C. *count is the number of outcomes to
 * print. */
static lotor_status play_all(const lotor_run_plan *plan, lotor_progress *progress,
                             lotor_message *why, lotor_outcome *outcomes, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < plan->count && !progress->interrupted; i++) {
        lotor_outcome *outcome = &outcomes[*count];
        lotor_progress_next(progress, plan->algorithms[i].id, 0.0);
        const lotor_status status = play(plan, &plan->algorithms[i], progress, why, outcome);
        lotor_progress_wipe(progress);
        if (status == LOTOR_OK) {
            ++*count;
        } else if (status != LOTOR_STOPPED) {
            return status;
        }
    }
    return LOTOR_OK;
}

static lotor_status draw(const lotor_run_plan *plan, const lotor_outcome *outcomes, size_t count,
                         lotor_message *why)
{
    _Static_assert((int)LOTOR_RUN_MAX <= (int)LOTOR_CHART_MOST_CURVES, "a curve for each");
    lotor_chart chart = {.id = "regret",
                         .title = "",
                         .x_title = "round t",
                         .y_title = "regret of the first t rounds",
                         .log_x = true,
                         .bound = LOTOR_BOUND_LOG,
                         .y = lotor_axis_range_none,
                         .width = 640};
    size_t room = 0;
    for (size_t i = 0; i < count; i++) {
        room += outcomes[i].result->point_count;
    }
    lotor_curve_point *points = calloc(room, sizeof *points), *next = points;
    if (!points) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a picture of %zu points", room);
    }
    for (size_t i = 0; i < count; i++) {
        const lotor_simulate_result *result = outcomes[i].result;
        chart.curves[chart.count++] = (lotor_curve){
            .label = outcomes[i].algorithm->id,
            .points = next,
            .count = result->point_count,
            .lower_bound = result->lower_bound,
        };
        for (size_t j = 0; j < result->point_count; j++) {
            const lotor_simulate_point *at = &result->points[j];
            *next++ = (lotor_curve_point){(double)at->round, at->regret, at->standard_error};
        }
    }
    chart.log_y = lotor_chart_needs_log_y(&chart);
    char title[320];
    lotor_run_title(plan, outcomes[count - 1].result->runs, title, sizeof title);
    lotor_text picture = {0};
    lotor_chart_draw_alone(&picture, &chart, title);
    const lotor_status status = lotor_svg_write(&picture, plan->values[LOTOR_RUN_PLOT].text, why);
    lotor_text_clear(&picture);
    free(points);
    return status;
}

static int report(const lotor_run_plan *plan, const lotor_outcome *outcomes, size_t count)
{
    lotor_message why;
    if (plan->values[LOTOR_RUN_JSON].given) {
        if (lotor_run_json(plan, outcomes, count, &why) != LOTOR_OK) {
            lotor_print_complaint("run", "%s", why.text);
            return LOTOR_EXIT_FAILED;
        }
    } else if (plan->values[LOTOR_RUN_CSV].given) {
        lotor_run_csv(plan, outcomes, count);
    } else {
        lotor_run_text(plan, outcomes, count);
    }
    if (plan->values[LOTOR_RUN_PLOT].given && draw(plan, outcomes, count, &why) != LOTOR_OK) {
        lotor_print_complaint("run", "%s", why.text);
        return LOTOR_EXIT_FAILED;
    }
    return LOTOR_EXIT_FINE;
}

static int play_and_report(const lotor_run_plan *plan, lotor_outcome *outcomes)
{
    lotor_progress progress;
    lotor_message why;
    size_t count = 0;
    lotor_progress_begin(&progress, plan->count, 0.0);
    const lotor_status status = play_all(plan, &progress, &why, outcomes, &count);
    lotor_progress_end(&progress);
    int result = LOTOR_EXIT_FINE;
    if (status != LOTOR_OK) {
        result = lotor_command_refuse("run", status, why.text);
    } else if (count > 0) {
        result = report(plan, outcomes, count);
    }
    if (progress.interrupted) {
        lotor_print_complaint("run", "stopped: %s",
                              count > 0 ? "this is what was complete" : "not one run was complete");
        result = LOTOR_EXIT_INTERRUPTED;
    }
    for (size_t i = 0; i < count; i++) {
        lotor_simulate_free(outcomes[i].result);
    }
    return result;
}

static int run_run(const lotor_arguments *arguments)
{
    lotor_run_plan plan;
    lotor_message why;
    lotor_status status = lotor_run_plan_make(arguments, &why, &plan);
    int result = LOTOR_EXIT_FAILED;
    if (status != LOTOR_OK) {
        result = lotor_command_refuse("run", status, why.text);
        lotor_run_plan_clear(&plan);
        return result;
    }
    const lotor_option_value *picture = &plan.values[LOTOR_RUN_PLOT];
    if (picture->given) {
        status = lotor_svg_check(picture->text, &why);
    }
    lotor_outcome *outcomes = calloc(plan.count, sizeof *outcomes);
    if (status == LOTOR_INVALID) {
        result = lotor_command_refuse("run", status, why.text);
    } else if (status != LOTOR_OK) {
        lotor_print_complaint("run", "%s", why.text);
    } else if (!outcomes) {
        result = lotor_command_refuse("run", LOTOR_MEMORY, "no memory");
    } else {
        lotor_run_notes(&plan, options);
        result = play_and_report(&plan, outcomes);
    }
    free(outcomes);
    lotor_run_plan_clear(&plan);
    return result;
}

const lotor_command lotor_command_run = {
    .name = "run",
    .summary = "play algorithms in a simulated world and measure their regret",
    .usage = "ALGORITHM[,ALGORITHM...] (--means LIST | --instance NAME | --replay FILE | "
             "--dimension D) --horizon T [OPTIONS] [--json | --csv] [--curves] [--plot FILE]",
    .about = "Plays each algorithm for T rounds, --runs times, and reports its regret with the "
             "standard error over runs. lotor algorithms lists the algorithms. The regret is the "
             "mean reward of the best choice, minus the mean reward of the shown arms. The output "
             "also has the lower bound: as T grows, no algorithm with the same privacy can have "
             "less regret. A third part is the guarantee that the algorithm would have with exact "
             "noise. A simulation itself protects nobody. On a graph, the command also prints the "
             "path, the tree or the vertices that were shown most often at the end.\n\nThe command "
             "ignores an option that an algorithm does not use, and prints a note. Ctrl-C stops "
             "and prints what is complete; the exit status is then 130.",
    .examples = "  lotor run dp-se --instance c1 --horizon 5e7 --epsilon 0.25 --runs 30\n"
                "  lotor run dp-se,dp-ucb --instance c2 --horizon 1e6 --epsilon 0.5 --plot c2.svg\n"
                "  lotor run dpucb-mat --instance table-6.1 --horizon 1e4 --epsilon 2 --json\n"
                "  lotor run omm,dpts-mat --means 0.2,0.4,0.5,0.7 --slots 2 --horizon 1e4 --csv\n"
                "  lotor run cucb --instance grid:5x5 --oracle shortest-path --horizon 1e4\n"
                "  lotor run cascade-ucb --means 0.3,0.3,0.1,0.1,0.1 --slots 2 --horizon 1e5\n"
                "  lotor run rr-imed --means .3,.1,.1 --slots 2 --problem cascade "
                "--horizon 1e5\n"
                "  lotor run batch-klucb --instance c1 --horizon 1e5 --delay 1e3 --world swaps\n"
                "  lotor run linucb,jdp-linucb-gauss --dimension 5 --horizon 1e5 --plot lin.svg\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .word_limit = 1,
    .run = run_run,
};
