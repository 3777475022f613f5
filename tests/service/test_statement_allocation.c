/* test_statement_allocation.c - a privacy statement and its forms, with each allocation failing. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "service/statement/evidence.h"
#include "service/statement/statement.h"
#include "support/failing_memory.h"

static const char description[] =
    "{\"name\":\"home\",\"algorithm\":\"lik-imed\",\"epsilon\":1,\"rounds_per_user\":2,\"budget\":"
    "\"b\",\"deleted\":true,"
    "\"final\":9,"
    "\"wait_seconds\":60,\"feedback\":\"clicks\",\"purpose\":\"P\",\"arms\":[{\"id\":\"a\","
    "\"mean\":0.5,"
    "\"interval\":{\"low\":0.25,\"high\":0.75},\"count\":4}],\"lift\":{\"policy\":{},\"control\":{}"
    "},"
    "\"guarantee\":{\"private\":true,\"level\":\"moderate\",\"level_reason\":\"r\",\"model\":"
    "\"central\","
    "\"epsilon\":2,\"delta\":0,\"unit\":\"one "
    "user\",\"mechanism\":\"m\",\"theorem\":\"t\",\"noise\":"
    "\"exact\",\"protects\":\"x\",\"not_protected\":[\"a\",\"b\"],\"assumes\":\"y\",\"scale\":1,"
    "\"regret\":\"measured\",\"reason\":null,\"meaning\":\"w\"}}";

/* Makes all forms. False: an allocation failed. */
static bool make_all(const json_t *campaign)
{
    const lotor_statement_source source = {.campaign = campaign, .time = 1e9, .commit = "abc"};
    json_t *const statement = lotor_statement_new(&source);
    json_t *const registry = statement ? lotor_statement_registry(statement) : NULL;
    lotor_text page = {0}, plain = {0};
    if (statement) {
        lotor_statement_html(statement, &page);
        lotor_statement_text(statement, &plain);
    }
    const bool fine = statement && registry && lotor_text_status(&page, NULL) == LOTOR_OK &&
                      lotor_text_status(&plain, NULL) == LOTOR_OK;
    lotor_text_clear(&page);
    lotor_text_clear(&plain);
    json_decref(registry);
    json_decref(statement);
    return fine;
}

/* How many failures the parser of jansson does not report while it reads the evidence. */
static size_t unreported_by_parser(void)
{
    size_t unreported = 0;
    for (size_t at = 1, all = at; at <= all; at++) {
        failing_memory_start(at);
        json_t *const evidence = json_loadb((const char *)lotor_evidence, lotor_evidence_length,
                                            JSON_REJECT_DUPLICATES, NULL);
        all = failing_memory_stop();
        unreported += evidence && at <= all;
        all = evidence ? all : at + 1;
        json_decref(evidence);
    }
    return unreported;
}

/* The same for jansson's writer, for the fingerprint. It is the right one all the same. */
static size_t unreported_by_writer(const json_t *campaign)
{
    const lotor_statement_source source = {.campaign = campaign, .time = 1e9, .commit = "abc"};
    json_t *const statement = lotor_statement_new(&source);
    char first[LOTOR_STATEMENT_FINGERPRINT], text[LOTOR_STATEMENT_FINGERPRINT];
    size_t unreported = 0;
    assert_true(statement && lotor_statement_fingerprint(statement, first));
    failing_memory_start(0);
    assert_true(lotor_statement_fingerprint(statement, text));
    const size_t all = failing_memory_stop();
    for (size_t at = 1; at <= all; at++) {
        failing_memory_start(at);
        const bool made = lotor_statement_fingerprint(statement, text);
        failing_memory_stop();
        assert_true(!made || strcmp(text, first) == 0);
        unreported += made;
    }
    json_decref(statement);
    return unreported;
}

TEST(test_every_allocation_of_a_statement_can_fail)
{
    json_set_alloc_funcs(malloc, free); /* so that the allocations of jansson can fail, too */
    json_t *const campaign = json_loads(description, 0, NULL);
    assert_non_null(campaign);
    assert_true(make_all(campaign));
    const size_t before = failing_memory_live();
    failing_memory_start(0);
    make_all(campaign);
    const size_t all = failing_memory_stop();
    size_t unreported = 0;
    assert_true(all > 1000);
    for (size_t at = 1; at <= all; at++) {
        failing_memory_start(at);
        unreported += make_all(campaign);
        failing_memory_stop();
        if (failing_memory_live() != before) {
            fail_msg("allocation %zu of %zu failed, and something leaks", at, all);
        }
    }
    assert_int_equal(unreported, unreported_by_parser() + unreported_by_writer(campaign));
    assert_true(unreported < 20);
    json_decref(campaign);
}
