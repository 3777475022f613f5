/* statement_evidence.c - what was checked for the algorithm of a campaign when the program was built.
 *
 * The numbers are those of evidence.json, which scripts/evidence writes by running the checks, and which a test
 * compares with the code. Nothing here is run when a statement is made. */
#include <stdio.h>
#include <string.h>

#include <lotor/lotor.h>

#include "service/statement/evidence.h"
#include "service/statement/statement_writer.h"

static bool mentions(const lotor_writer *writer, const char *words)
{
    return strstr(lotor_writer_text_at(writer->guarantee, "mechanism"), words) != NULL;
}

/* True if the campaign uses a mechanism of the exact checks: for its algorithm, or to measure lift. */
static bool uses(const lotor_writer *writer, const char *mechanism)
{
    static const struct use {
        const char *mechanism, *words; /* of the guarantee's mechanism */
    } rows[] = {
        {"laplace", "Laplace"},  {"batch", "batches, discrete Laplace"}, {"gaussian", "Gaussian"},
        {"response", "on bits"}, {"positions", "click reports"},         {"cube", "cube"},
    };
    const bool is_measured = lotor_writer_has(writer, "evaluation");
    const bool is_local = lotor_writer_is_model(writer, "local");
    if (is_measured && strcmp(mechanism, "response") == 0 && is_local) {
        return true;
    }
    if (is_measured && !is_local &&
        (strcmp(mechanism, "laplace") == 0 || strcmp(mechanism, "batch") == 0)) {
        return true;
    }
    size_t i = 0;
    while (i < sizeof rows / sizeof *rows && strcmp(rows[i].mechanism, mechanism) != 0) {
        i++;
    }
    return i < sizeof rows / sizeof *rows && mentions(writer, rows[i].words);
}

/* "exactly the claimed limit, never above it". A difference of 1e-9 comes from the arithmetic of doubles. */
static const char *worst_in_words(double worst, char text[128])
{
    char percent[LOTOR_STATEMENT_NUMBER];
    if (worst > 1.0 + 1e-9) {
        snprintf(text, 128, "%s of the claimed limit: AN ERROR",
                 lotor_writer_percent(worst, percent));
    } else if (worst > 1.0 - 1e-9) {
        snprintf(text, 128, "exactly the claimed limit, never above it");
    } else {
        snprintf(text, 128, "%s of the claimed limit", lotor_writer_percent(worst, percent));
    }
    return text;
}

static void write_verified(lotor_writer *writer, const json_t *list)
{
    size_t i;
    json_t *one;
    lotor_writer_say(
        writer, "Exact checks. For small inputs the privacy loss of each mechanism was computed "
                "exactly, for all pairs of neighbours and all outputs, from the program's own "
                "samplers. This campaign uses the following. The JSON of this statement has all.");
    lotor_writer_line(writer, 4, "Mechanism", "Probabilities compared",
                      "Largest privacy loss, or delta", "Result");
    json_array_foreach(list, i, one)
    {
        char compared[LOTOR_STATEMENT_NUMBER], worst[128];
        const char *const mechanism = lotor_writer_text_at(one, "mechanism");
        if (uses(writer, mechanism)) {
            lotor_writer_line(writer, 4, mechanism,
                              lotor_writer_count(lotor_writer_number_at(one, "compared"), compared),
                              worst_in_words(lotor_writer_number_at(one, "worst"), worst),
                              json_is_true(json_object_get(one, "holds")) ? "holds" : "FAILS");
        }
    }
}

static void write_couple(lotor_writer *writer, const json_t *couple, json_int_t seed)
{
    char worst[128], traces[LOTOR_STATEMENT_NUMBER], telling[LOTOR_STATEMENT_NUMBER],
        releases[LOTOR_STATEMENT_NUMBER], decisions[LOTOR_STATEMENT_NUMBER];
    worst_in_words(lotor_writer_number_at(couple, "worst"), worst);
    lotor_writer_count(lotor_writer_number_at(couple, "traces"), traces);
    if (json_is_true(json_object_get(couple, "table"))) {
        lotor_writer_row(
            writer, "All reports",
            "The probability of every report was compared for all pairs of answers: %s "
            "pairs of probabilities, %lld violations. The largest privacy loss is %s.",
            traces, json_integer_value(json_object_get(couple, "violations")), worst);
        return;
    }
    lotor_writer_row(
        writer, "Coupled worlds",
        "A trace is a random history of displays and feedback. %s random traces (seed %lld) were "
        "played twice, and the feedback of one round differed. The noise was chosen so that both "
        "plays release the same numbers. Then both must show the same. In %s traces the "
        "changed round was in a release. %s numbers and %s decisions were compared: %lld "
        "violations. The largest privacy loss is %s (more than 100%% would be an error).",
        traces, seed, lotor_writer_count(lotor_writer_number_at(couple, "telling"), telling),
        lotor_writer_count(lotor_writer_number_at(couple, "releases"), releases),
        lotor_writer_count(lotor_writer_number_at(couple, "decisions"), decisions),
        json_integer_value(json_object_get(couple, "violations")), worst);
}

/* The parts of an audit that need other words than lotor-audit(1) has. */
static const char *part_in_words(const char *part, size_t length)
{
    static const char *const words[][2] = {
        {"the serving path with masks",
         "the code path of the service, with arms that are not eligible"},
        {"4 open rounds", "4 rounds that wait for feedback at the same time"},
        {"a reload during a release", "a restart during a release"},
        {"differences of numbers released together",
         "differences of numbers that are released together"},
        {"the view of decisions",
         "an attacker who sees only what is shown (it follows from the releases)"},
        {"the view of releases",
         "an attacker who sees only releases (they follow from the reports)"},
        {"the first round replaced", "the first round's feedback changed"},
        {"a round from 5 to 40 replaced", "the feedback of one of rounds 5 to 40 changed"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i][0]) == length && strncmp(words[i][0], part, length) == 0) {
            return words[i][1];
        }
    }
    return NULL;
}

/* Writes a row with the parts of a list "PART; PART". */
static void write_parts(lotor_writer *writer, const char *label, const char *list)
{
    lotor_text text = {0};
    lotor_text_add(&text, "");
    for (const char *at = list; *at;) {
        const size_t length = strcspn(at, ";");
        const char *const words = part_in_words(at, length);
        lotor_text_print(&text, "%s%.*s", text.length > 0 ? "; " : "",
                         words ? (int)strlen(words) : (int)length, words ? words : at);
        at += length;
        at += strspn(at, "; ");
    }
    writer->failed |= lotor_text_status(&text, NULL) != LOTOR_OK;
    if (!writer->failed) {
        lotor_writer_row(writer, label, "%s", text.bytes);
    }
    lotor_text_clear(&text);
}

static void write_audit(lotor_writer *writer, const json_t *audit, json_int_t seed)
{
    char claimed[LOTOR_STATEMENT_NUMBER], found[LOTOR_STATEMENT_NUMBER],
        trials[LOTOR_STATEMENT_NUMBER];
    lotor_writer_row(
        writer, "Audit by attack",
        "An audit plays an attacker who tries to tell two inputs apart. %s plays (seed %lld) at a "
        "claimed epsilon of %s: %s. The attacks prove that the true epsilon is at least %s there; "
        "more than %s would have refuted the claim. One epsilon is played, because one formula "
        "gives the noise for every epsilon. The noise is simulated, with the law of the exact "
        "noise, so "
        "that anyone can repeat the plays; the exact checks below are about the real noise.",
        lotor_writer_count(lotor_writer_number_at(audit, "trials"), trials), seed,
        lotor_writer_number(lotor_writer_number_at(audit, "epsilon"), 6, claimed),
        lotor_writer_text_at(audit, "verdict"),
        lotor_writer_number(lotor_writer_number_at(audit, "found"), 3, found), claimed);
    write_parts(writer, "Audit: played", lotor_writer_text_at(audit, "exercised"));
    write_parts(writer, "Audit: not played", lotor_writer_text_at(audit, "not_exercised"));
}

/* Writes which settings the audits leave out, and the tests that are about them. */
static void write_other_tests(lotor_writer *writer)
{
    static const struct setting {
        const char *field, *name, *tests;
    } settings[] = {
        {"evaluation", "measured lift", "test_evaluation, test_engine_evaluation"},
        {"half_life", "half-life", "test_imed_fading, test_drift"},
        {"prior", "the warm start", "test_prior, test_engine_prior"},
        {"rounds_per_user", "caps of users", "test_engine, test_engine_guarantee"},
        {"budget", "budgets", "test_engine_budgets"},
        {"sticky_seconds", "kept decisions", "test_engine_stickies"},
    };
    lotor_text text = {0};
    lotor_text_add(&text, "");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if (lotor_writer_has(writer, settings[i].field)) {
            lotor_text_print(&text, "%s%s (%s)", text.length > 0 ? "; " : "", settings[i].name,
                             settings[i].tests);
        }
    }
    writer->failed |= lotor_text_status(&text, NULL) != LOTOR_OK;
    if (!writer->failed && text.length > 0) {
        lotor_writer_row(writer, "Not in these checks",
                         "settings of this campaign, since the checks play the algorithm alone. "
                         "Tests of the source code are about them: %s",
                         text.bytes);
    } else if (!writer->failed) {
        lotor_writer_row(writer, "Not in these checks",
                         "the service around the algorithm. Tests of the source code are about it");
    }
    lotor_text_clear(&text);
}

/* A new reference. json_deep_copy would lose fields without notice if there is no memory. */
static json_t *share_or_null(const json_t *value)
{
    return value ? json_incref((json_t *)value) : json_null();
}

void lotor_statement_write_evidence(lotor_writer *writer)
{
    const lotor_statement_source *const source = writer->source;
    const char *const algorithm = lotor_writer_text_at(writer->campaign, "algorithm");
    json_t *const all = json_loadb((const char *)lotor_evidence, lotor_evidence_length,
                                   JSON_REJECT_DUPLICATES, NULL);
    const json_t *const own = json_object_get(json_object_get(all, "algorithms"), algorithm);
    const json_t *const couple = json_object_get(own, "couple"), *const audit =
                                                                     json_object_get(own, "audit");
    const json_t *const verified = json_object_get(all, "verify");
    const json_int_t seed = json_integer_value(json_object_get(all, "seed"));
    lotor_writer_section(writer, "evidence", "Evidence");
    lotor_writer_say(writer,
                     "These checks were run when this version of the program was made, and are "
                     "repeated in its tests. They look for errors in the proof and in the "
                     "program. An error that they miss is possible: nobody outside of the "
                     "project has reviewed the code, and the proofs were not checked by a "
                     "machine.");
    lotor_writer_row(writer, "Version", "%s", lotor_version());
    lotor_writer_row(writer, "Source code", "%s",
                     source->commit ? source->commit : "commit not known to this program");
    if (couple) {
        write_couple(writer, couple, seed);
    }
    if (audit) {
        write_audit(writer, audit, seed);
    }
    write_other_tests(writer);
    if (!own) {
        lotor_writer_say(writer, "No check of the algorithm %s is recorded.", algorithm);
    }
    write_verified(writer, verified);
    writer->evidence =
        json_pack("{s:s, s:s?, s:I, s:o, s:o, s:o}", "version", lotor_version(), "commit",
                  source->commit, "seed", seed, "couple", share_or_null(couple), "audit",
                  share_or_null(audit), "verify", share_or_null(verified));
    writer->failed |= !all || !writer->evidence;
    json_decref(all);
}
