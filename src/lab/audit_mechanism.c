/* audit_mechanism.c - lotor_audit_mechanism of lotor/audit.h: the audit of a mechanism of somebody
 * else. Its outputs are read by audit_outputs.c, and searched for events by audit_tally.c. */
#include <lotor/audit.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/random/generator.h"
#include "base/time.h"
#include "lab/audit_outputs_words.h"
#include "lab/audit_tally.h"

enum {
    PROBES = 512, /* runs of the probe */
    CHUNK = 64,   /* the least trials of one task */

    /* Calls are compared by their first COMPARED runs, if at least CHANGES of them differ from the run
     * before. Then at least CHANGES / 2 outputs are not the most frequent one, and independent calls
     * agree with probability below 1 / (200 choose 20) < 10^-27. */
    COMPARED = 200,
    CHANGES = 40,
    REMEMBERED = 512 /* calls that later ones are compared with, per input */
};

/* The data that the threads share. */
typedef struct audited {
    const lotor_audit_mechanism_params *params;
    size_t capacity, batch;
    uint64_t seed;
    lotor_audit_frame frame;
    atomic_size_t shortest, longest; /* outputs */
    pthread_mutex_t mutex;           /* protects what follows */
    uint64_t known[2][REMEMBERED];   /* fingerprints of calls */
    size_t known_count[2];
} audited;

/* The memory of one thread: the outputs of one task. Those of input 0 come first. */
typedef struct worker {
    audited *all;
    uint64_t first;   /* the first trial of the task */
    size_t per_input; /* room for so many outputs of each input */
    size_t *counts;
    double *outputs;
    lotor_audit_seen_output seen;
} worker;

/* --- calls of the mechanism --------------------------------------------------------------------- */

static lotor_status check_call(const lotor_audit_call *call, lotor_message *why)
{
    for (size_t i = 0; i < call->runs; i++) {
        if (call->counts[i] > call->capacity) {
            return lotor_fail(LOTOR_INVALID, why,
                              "an output of the mechanism has %zu numbers: expected at most %zu; "
                              "audit a part of the output, or a summary of it",
                              call->counts[i], call->capacity);
        }
    }
    return LOTOR_OK;
}

static void note_length(audited *all, size_t count)
{
    size_t seen = atomic_load(&all->shortest);
    while (count < seen && !atomic_compare_exchange_weak(&all->shortest, &seen, count)) {
    }
    seen = atomic_load(&all->longest);
    while (count > seen && !atomic_compare_exchange_weak(&all->longest, &seen, count)) {
    }
}

/* A fingerprint of the first runs. False: there are too few, or they hardly differ. */
static bool find_fingerprint(const lotor_audit_call *call, uint64_t *out)
{
    uint64_t hash = 0, before = 0;
    size_t changes = 0;
    for (size_t i = 0; i < COMPARED && i < call->runs; i++) {
        const uint64_t one =
            lotor_audit_output_pattern(call->outputs + i * call->capacity, call->counts[i]);
        changes += i > 0 && one != before;
        hash = lotor_mix(hash ^ one) + i;
        before = one;
    }
    *out = hash;
    return call->runs >= COMPARED && changes >= CHANGES;
}

/* Refuses a mechanism that makes the same random numbers again, whatever its seed: its runs are not
 * independent, and the bound would mean nothing. */
static lotor_status check_fresh(audited *all, const lotor_audit_call *call, lotor_message *why)
{
    uint64_t fingerprint;
    if (!find_fingerprint(call, &fingerprint)) {
        return LOTOR_OK;
    }
    uint64_t *known = all->known[call->input];
    size_t *count = &all->known_count[call->input];
    bool is_known = false;
    pthread_mutex_lock(&all->mutex);
    for (size_t i = 0; i < *count && !is_known; i++) {
        is_known = known[i] == fingerprint;
    }
    if (!is_known && *count < REMEMBERED) {
        known[(*count)++] = fingerprint;
    }
    pthread_mutex_unlock(&all->mutex);
    return is_known
               ? lotor_fail(LOTOR_INVALID, why,
                            "the mechanism gave the same %d outputs twice, for different seeds. "
                            "Its noise does not depend on the seed, so its runs are not "
                            "independent: start the random numbers of each run from the seed",
                            COMPARED)
               : LOTOR_OK;
}

static lotor_status call_once(audited *all, const lotor_audit_call *call, lotor_message *why)
{
    lotor_message reason = {.text = ""};
    for (size_t i = 0; i < call->runs; i++) {
        call->counts[i] = 0;
    }
    lotor_status status = all->params->run(all->params->context, call, &reason);
    if (status != LOTOR_OK) {
        return lotor_fail(status, why, "%s",
                          reason.text[0] ? reason.text : "the mechanism failed, without a reason");
    }
    status = check_call(call, why);
    for (size_t i = 0; i < call->runs && status == LOTOR_OK; i++) {
        note_length(all, call->counts[i]);
    }
    return status == LOTOR_OK ? check_fresh(all, call, why) : status;
}

/* Runs the trials first, first + 2, ... of one input. */
static lotor_status run_input(audited *all, uint64_t seed, uint64_t first, size_t runs,
                              double *outputs, size_t *counts, lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (size_t done = 0; done < runs && status == LOTOR_OK; done += all->batch) {
        const size_t rest = runs - done;
        const uint64_t trial = first + 2 * done;
        const lotor_audit_call call = {
            .input = (uint32_t)(first % 2),
            .seed = lotor_mix(seed + trial * UINT64_C(0x9e3779b97f4a7c15)),
            .runs = rest < all->batch ? rest : all->batch,
            .capacity = all->capacity,
            .outputs = outputs + done * all->capacity,
            .counts = counts + done,
        };
        status = call_once(all, &call, why);
    }
    return status;
}

/* --- the subject of the audit ------------------------------------------------------------------- */

static size_t chunk_of(const audited *all)
{
    return 2 * all->batch > CHUNK ? 2 * all->batch : CHUNK;
}

static void end(void *context)
{
    worker *own = context;
    free(own->counts);
    free(own->outputs);
    free(own);
}

static lotor_status begin(void *context, lotor_message *why, void **out)
{
    audited *all = context;
    worker *own = calloc(1, sizeof *own);
    if (!own) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for an audit");
    }
    const size_t chunk = chunk_of(all);
    own->all = all;
    own->per_input = chunk / 2;
    own->counts = malloc(chunk * sizeof *own->counts);
    own->outputs = malloc(chunk * all->capacity * sizeof *own->outputs);
    if (!own->counts || !own->outputs) {
        end(own);
        return lotor_fail(LOTOR_MEMORY, why, "no memory for an audit");
    }
    *out = own;
    return LOTOR_OK;
}

static lotor_status prepare(void *context, uint64_t first, uint64_t last, lotor_message *why)
{
    worker *own = context;
    lotor_status status = LOTOR_OK;
    own->first = first;
    for (size_t input = 0; input < 2 && status == LOTOR_OK; input++) {
        const size_t start = input * own->per_input;
        status = run_input(own->all, own->all->seed, first + input,
                           (size_t)(last - first + 1 - input) / 2,
                           own->outputs + start * own->all->capacity, own->counts + start, why);
    }
    return status;
}

static lotor_status play(void *context, uint64_t trial, lotor_message *why,
                         lotor_audit_evidence *out)
{
    (void)why;
    worker *own = context;
    const size_t place = trial % 2 * own->per_input + (size_t)(trial - own->first) / 2;
    lotor_audit_output_read(&own->all->frame, own->outputs + place * own->all->capacity,
                            own->counts[place], &own->seen);
    *out = (lotor_audit_evidence){.events = own->seen.events, .numbers = own->seen.numbers};
    for (size_t i = 0; i < LOTOR_PATTERN_KINDS; i++) {
        out->patterns[i] = own->seen.patterns[i];
    }
    return LOTOR_OK;
}

static void describe(void *context, const lotor_audit_lesson *lesson, const float *numbers,
                     size_t which, bool of_not, char *text, size_t capacity)
{
    const audited *all = context;
    lotor_audit_output_describe(&all->frame, lesson, numbers, which, of_not, text, capacity);
}

/* --- the audit ---------------------------------------------------------------------------------- */

/* Runs the mechanism a few times, to find out how its outputs are to be read. */
static lotor_status run_probe(audited *all, lotor_message *why)
{
    size_t *counts = malloc(PROBES * sizeof *counts);
    double *outputs = malloc(PROBES * all->capacity * sizeof *outputs);
    lotor_status status =
        counts && outputs ? LOTOR_OK : lotor_fail(LOTOR_MEMORY, why, "no memory for an audit");
    for (size_t input = 0; input < 2 && status == LOTOR_OK; input++) {
        const size_t start = input * PROBES / 2;
        status = run_input(all, lotor_mix(all->seed + 1), input, PROBES / 2,
                           outputs + start * all->capacity, counts + start, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_audit_frame_make(outputs, counts, PROBES, all->capacity, &all->frame);
    }
    free(counts);
    free(outputs);
    return status;
}

static void work_on_probe(void *context, lotor_threads *threads)
{
    lotor_message why = {.text = ""};
    uint64_t task;
    while (lotor_threads_next(threads, &task)) {
        const lotor_status status = run_probe(context, &why);
        if (status != LOTOR_OK) {
            lotor_threads_fail(threads, status, &why);
        }
    }
}

static void watch_probe(void *context, lotor_threads *threads)
{
    const lotor_audit_mechanism_params *params = ((const audited *)context)->params;
    if (params->progress(params->progress_context, 0.0)) {
        lotor_threads_fail(threads, LOTOR_STOPPED, NULL);
    }
}

/* The calling thread reports progress meanwhile, so that a slow probe can be stopped. */
static lotor_status probe(audited *all, lotor_message *why)
{
    lotor_threads threads = {
        .wanted = 1,
        .tasks = 1,
        .work = work_on_probe,
        .watch = all->params->progress ? watch_probe : NULL,
        .context = all,
    };
    return lotor_threads_run(&threads, why);
}

static void describe_scope(const audited *all, lotor_audit_finding *out)
{
    const size_t shortest = atomic_load(&all->shortest), longest = atomic_load(&all->longest);
    char numbers[80];
    if (shortest == longest) {
        snprintf(numbers, sizeof numbers, "outputs of %zu number%s", longest,
                 longest == 1 ? "" : "s");
    } else {
        snprintf(numbers, sizeof numbers, "outputs of %zu to %zu numbers", shortest, longest);
    }
    snprintf(out->setting, sizeof out->setting, "%s", numbers);
    snprintf(out->exercised, sizeof out->exercised, "one pair of inputs; %s%s", numbers,
             longest > 1 ? "; sums and differences of the first 15 numbers" : "");
    snprintf(out->not_exercised, sizeof out->not_exercised,
             "other pairs of inputs; how long a run takes; what one run leaves behind for the "
             "next%s",
             longest > LOTOR_OUTPUTS_PAIRED ? "; sums and differences of all other numbers" : "");
    out->seen = longest;
}

static lotor_status search(audited *all, lotor_audit_tally *tally, uint64_t trials,
                           double confidence, lotor_message *why)
{
    static const lotor_audit_inputs inputs = {"the two inputs",
                                              {"the first input is given", "the second one is"}};
    const lotor_audit_subject subject = {
        .context = all,
        .layout = &all->frame.layout,
        .event_count = lotor_audit_output_event_count(),
        .visible = (UINT32_C(1) << lotor_audit_output_event_count()) - 1,
        .chunk = chunk_of(all),
        .begin = begin,
        .prepare = prepare,
        .play = play,
        .end = end,
        .event_name = lotor_audit_output_event_name,
        .event_words = lotor_audit_output_event_words,
        .describe = describe,
    };
    lotor_audit_tally_plan(tally, &subject, 1, confidence);
    return lotor_audit_tally_play(tally, &subject, &inputs, trials / 2 * 2, why);
}

static lotor_status check(const lotor_audit_mechanism_params *params, lotor_message *why)
{
    if (!params->run) {
        return lotor_fail(LOTOR_INVALID, why, "no mechanism is given: `run` is NULL");
    }
    if (params->epsilon.num == 0 && params->epsilon.den != 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "epsilon must be above 0: with 0 nothing could be released");
    }
    if (params->delta.den != 0 && params->delta.num >= params->delta.den) {
        return lotor_fail(LOTOR_INVALID, why, "delta must be below 1, not %g",
                          lotor_ratio_to_double(params->delta));
    }
    if (params->delta.den == 0 && params->delta.num != 0) {
        return lotor_fail(LOTOR_INVALID, why, "delta must be below 1, not infinite");
    }
    if (params->outputs > LOTOR_AUDIT_OUTPUTS_MAX) {
        return lotor_fail(LOTOR_INVALID, why,
                          "outputs of %zu numbers are too long: expected at most %d; audit a part "
                          "of the output, or a summary of it",
                          params->outputs, LOTOR_AUDIT_OUTPUTS_MAX);
    }
    if (params->batch > LOTOR_AUDIT_BATCH_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "a batch of %zu runs is too large: at most %d",
                          params->batch, LOTOR_AUDIT_BATCH_MAX);
    }
    if (params->threads > LOTOR_AUDIT_THREADS_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "%zu threads are too many: at most %d",
                          params->threads, LOTOR_AUDIT_THREADS_MAX);
    }
    return LOTOR_OK;
}

static lotor_status find_seed(audited *all, lotor_message *why)
{
    all->seed = lotor_mix(all->params->seed);
    return all->params->is_seeded ? LOTOR_OK : lotor_audit_draw_seed(why, &all->seed);
}

static lotor_status audit(audited *all, uint64_t trials, double confidence, lotor_message *why,
                          lotor_audit_finding *out)
{
    const lotor_audit_mechanism_params *params = all->params;
    const double start = lotor_time_seconds();
    const bool has_epsilon = params->epsilon.num != 0 || params->epsilon.den != 0;
    *out = (lotor_audit_finding){
        .epsilon = has_epsilon ? lotor_ratio_to_double(params->epsilon)
                               : (double)LOTOR_AUDIT_MECHANISM_EPSILON,
        .delta = params->delta.num != 0 ? lotor_ratio_to_double(params->delta) : 0.0,
        .trials = trials,
    };
    lotor_audit_tally tally = {
        .delta = out->delta,
        .all_trials = trials,
        .threads = params->threads,
        .progress = params->progress,
        .progress_context = params->progress_context,
        .out = out,
    };
    lotor_status status = find_seed(all, why);
    if (status == LOTOR_OK) {
        status = probe(all, why);
    }
    if (status == LOTOR_OK) {
        status = search(all, &tally, trials, confidence, why);
    }
    if (status == LOTOR_OK) {
        describe_scope(all, out);
        lotor_audit_tally_judge(&tally, out->seen > 0, true);
        out->seconds = lotor_time_seconds() - start;
    }
    return status;
}

lotor_status lotor_audit_mechanism(const lotor_audit_mechanism_params *params, lotor_message *why,
                                   lotor_audit_result *out)
{
    const uint64_t trials = params->trials ? params->trials : (uint64_t)LOTOR_AUDIT_TRIALS_DEFAULT;
    const double confidence =
        params->confidence == 0.0 ? LOTOR_AUDIT_CONFIDENCE_DEFAULT : params->confidence;
    lotor_status status = check(params, why);
    if (status == LOTOR_OK) {
        status = lotor_audit_check(trials, confidence, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    audited *all = calloc(1, sizeof *all);
    if (!all) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for an audit");
    }
    all->params = params;
    all->capacity = params->outputs ? params->outputs : LOTOR_AUDIT_OUTPUTS_MAX;
    all->batch = params->batch ? params->batch : 1;
    atomic_init(&all->shortest, SIZE_MAX);
    atomic_init(&all->longest, 0);
    pthread_mutex_init(&all->mutex, NULL);
    lotor_audit_finding finding;
    status = audit(all, trials, confidence, why, &finding);
    pthread_mutex_destroy(&all->mutex);
    free(all);
    if (status != LOTOR_OK) {
        lotor_audit_explain(status, why);
        return status;
    }
    lotor_audit_tell(&finding, out);
    out->confidence = confidence;
    out->view = "outputs";
    return LOTOR_OK;
}
