/* statement_evidence.c - what was checked for the algorithm of a campaign when the program was built.
 *
 * The numbers are those of evidence.json, which scripts/evidence writes by running the checks, and which a test
 * compares with the code. Nothing here is run when a statement is made. */
#include <stdio.h>
#include <string.h>

#include <lotor/lotor.h>

#include "service/statement/evidence.h"
#include "service/statement/statement_writer.h"

static void write_verified(lotor_writer *writer, const json_t *list)
{
    size_t i;
    json_t *one;
    lotor_writer_say(
        writer, "Exact checks. For small inputs the privacy loss of each mechanism was computed "
                "exactly, for all pairs of neighbours and all outputs, from the program's own "
                "samplers. \"Worst\" is the largest loss, or delta, as a part of what is claimed.");
    lotor_writer_line(writer, 5, "Mechanism", "Settings", "Probabilities compared", "Worst",
                      "Result");
    json_array_foreach(list, i, one)
    {
        char settings[LOTOR_STATEMENT_NUMBER], compared[LOTOR_STATEMENT_NUMBER],
            worst[LOTOR_STATEMENT_NUMBER];
        lotor_writer_line(writer, 5, lotor_writer_text_at(one, "mechanism"),
                          lotor_writer_count(lotor_writer_number_at(one, "settings"), settings),
                          lotor_writer_count(lotor_writer_number_at(one, "compared"), compared),
                          lotor_writer_percent(lotor_writer_number_at(one, "worst"), worst),
                          json_is_true(json_object_get(one, "holds")) ? "holds" : "FAILS");
    }
}

static void write_couple(lotor_writer *writer, const json_t *couple, json_int_t seed)
{
    char worst[LOTOR_STATEMENT_NUMBER];
    lotor_writer_percent(lotor_writer_number_at(couple, "worst"), worst);
    if (json_is_true(json_object_get(couple, "table"))) {
        lotor_writer_row(
            writer, "Coupled worlds",
            "%lld pairs of probabilities of a report were compared: %lld violations; the "
            "largest privacy loss is %s of what is claimed",
            json_integer_value(json_object_get(couple, "traces")),
            json_integer_value(json_object_get(couple, "violations")), worst);
        return;
    }
    lotor_writer_row(writer, "Coupled worlds",
                     "%lld random traces (seed %lld) were played twice, with one round's feedback "
                     "changed, so that "
                     "both plays release the same numbers. In %lld traces the changed round was in "
                     "a release; %lld "
                     "numbers and %lld decisions were compared: %lld violations. The largest "
                     "privacy loss is %s of "
                     "what is claimed.",
                     json_integer_value(json_object_get(couple, "traces")), seed,
                     json_integer_value(json_object_get(couple, "telling")),
                     json_integer_value(json_object_get(couple, "releases")),
                     json_integer_value(json_object_get(couple, "decisions")),
                     json_integer_value(json_object_get(couple, "violations")), worst);
}

static void write_audit(lotor_writer *writer, const json_t *audit, json_int_t seed)
{
    char claimed[LOTOR_STATEMENT_NUMBER], found[LOTOR_STATEMENT_NUMBER];
    lotor_writer_row(writer, "Audit by attack",
                     "%lld plays (simulated noise, seed %lld) at a claimed epsilon of %s: %s. The "
                     "attacks prove that "
                     "the true epsilon is at least %s there; more would have refuted the claim.",
                     json_integer_value(json_object_get(audit, "trials")), seed,
                     lotor_writer_number(lotor_writer_number_at(audit, "epsilon"), 6, claimed),
                     lotor_writer_text_at(audit, "verdict"),
                     lotor_writer_number(lotor_writer_number_at(audit, "found"), 4, found));
    lotor_writer_row(writer, "Audit: exercised", "%s", lotor_writer_text_at(audit, "exercised"));
    lotor_writer_row(writer, "Audit: not exercised", "%s",
                     lotor_writer_text_at(audit, "not_exercised"));
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
