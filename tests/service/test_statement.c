/* test_statement.c - the privacy statement of a campaign: its content, its three forms, and its schema. */
#include "support/test.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/lotor.h>
#include <sodium.h>

#include "service/http/api.h"
#include "service/http/dashboard.h"
#include "service/running.h"
#include "service/schema.h"
#include "service/statement/evidence.h"
#include "service/statement/statement.h"

static running server;
static json_t *schema;

static int start_all(void **state)
{
    (void)state;
    schema = json_load_file(SCHEMA_FILE, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(schema);
    running_start(&server, 0);
    return 0;
}

static int stop_all(void **state)
{
    (void)state;
    running_stop(&server);
    json_decref(schema);
    return 0;
}

/* Bodies use ' instead of ". */
static unsigned call(const char *method, const char *path, const char *body)
{
    char text[4096];
    snprintf(text, sizeof text, "%s", body ? body : "");
    for (char *at = text; *at; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    return running_call(&server, RUNNING_ADMIN, method, path, body ? text : NULL);
}

static void make(const char *body)
{
    if (call("POST", "/v1/campaigns", body) != 201) {
        fail_msg("%s: %s", body, server.text);
    }
}

/* The statement of a campaign as JSON, which fits the schema; valid until the next call. */
static const json_t *statement_of(const char *name)
{
    char path[128], problem[512];
    snprintf(path, sizeof path, "/v1/campaigns/%s/statement", name);
    if (running_call(&server, RUNNING_READ, "GET", path, NULL) != 200) {
        fail_msg("%s: %s", path, server.text);
    }
    if (!schema_fits(schema, schema, server.body, problem)) {
        fail_msg("%s: %s", name, problem);
    }
    assert_true(lotor_statement_is_valid(server.body));
    return server.body;
}

static const char *text_at(const json_t *object, const char *name)
{
    const char *const text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

/* A section as text, each part on a line of its own; valid until the next call. */
static const char *section_of(const json_t *statement, const char *id)
{
    static char out[32768];
    json_t *const sections = json_object_get(statement, "sections");
    size_t i;
    json_t *section;
    json_array_foreach(sections, i, section)
    {
        if (strcmp(text_at(section, "id"), id) == 0) {
            char *const dump = json_dumps(json_object_get(section, "blocks"), 0);
            snprintf(out, sizeof out, "%s", dump);
            free(dump);
            return out;
        }
    }
    fail_msg("there is no section %s", id);
    return NULL;
}

static void assert_has(const char *text, const char *words)
{
    if (!strstr(text, words)) {
        fail_msg("\"%s\" is not in: %s", words, text);
    }
}

static void assert_lacks(const char *text, const char *words)
{
    if (strstr(text, words)) {
        fail_msg("\"%s\" is in: %s", words, text);
    }
}

TEST(test_sections_come_in_the_order_of_a_review)
{
    static const char *const order[] = {
        "summary",  "claim",    "meaning",  "strength", "protection", "composition",
        "utility",  "biases",   "data",     "security", "threats",    "assumptions",
        "evidence", "operator", "settings", "words",    "signature"};
    make("{'name':'order','arms':['a','b'],'epsilon':1}");
    const json_t *const sections = json_object_get(statement_of("order"), "sections");
    assert_int_equal(json_array_size(sections), sizeof order / sizeof *order);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        assert_string_equal(text_at(json_array_get(sections, i), "id"), order[i]);
        assert_true(json_array_size(json_object_get(json_array_get(sections, i), "blocks")) > 0);
    }
}

TEST(test_first_paragraph_says_how_often_an_attacker_errs)
{
    const json_t *const statement = statement_of("order");
    const char *const summary = text_at(statement, "summary");
    assert_has(summary, "wrong at least 26 times in 100 (50 in 100 without any information)");
    /* only for an attacker to whom both seemed equally likely: clicks are rare */
    assert_has(summary, "knows all other data");
    assert_has(summary, "at first thinks two answers equally likely");
    assert_has(summary, "A suspicion of 10% becomes at most 23.2%, one of 90% at most 96.1%. ");
    /* without a cap, the level is that of one display */
    assert_string_equal(text_at(statement, "level_note"),
                        "Level for one display: strong. No limit for a person: ten displays have "
                        "ten times the epsilon.");
    assert_has(summary, text_at(statement, "level_note"));
    const json_t *const claim = json_object_get(statement, "claim");
    const double error = json_number_value(json_object_get(claim, "attacker_error"));
    assert_true(fabs(error - 1.0 / (1.0 + exp(1.0))) < 1e-12);
    assert_has(
        section_of(statement, "meaning"),
        "For an attacker who knows all other data, publishing changes the odds of any guess about "
        "the feedback that one person gives in one round by a factor of at most 2.72.");
    assert_has(section_of(statement, "meaning"), "73.2%");
    assert_has(section_of(statement, "strength"), "NIST SP 800-226");
    assert_has(section_of(statement, "strength"), "epsilon 1 is at most 1.");
    assert_has(section_of(statement, "strength"), "at most about 148");
    assert_lacks(section_of(statement, "strength"), "149");
    assert_has(section_of(statement, "composition"), "ten times the");
    /* nothing that a server can't know, and nothing that an epsilon above 0 does not give */
    assert_lacks(text_at(statement, "summary"), "hardly");
    assert_lacks(section_of(statement, "security"), "It speaks TLS");
    assert_has(section_of(statement, "assumptions"), "(TLS)");
    assert_has(section_of(statement, "protection"), "role metrics or admin");
}

/* With rounds_per_user the numbers are those of a user, and the round's are explained. */
TEST(test_user_is_the_headline_if_rounds_are_capped)
{
    make("{'name':'capped','arms':['a','b'],'epsilon':0.5,'rounds_per_user':4}");
    const json_t *const statement = statement_of("capped");
    const json_t *const claim = json_object_get(statement, "claim");
    assert_true(json_number_value(json_object_get(claim, "epsilon")) == 2.0);
    assert_true(json_number_value(json_object_get(claim, "epsilon_per_round")) == 0.5);
    assert_has(text_at(statement, "summary"), "all feedback of one user together");
    assert_has(text_at(statement, "summary"), "wrong at least 11 times in 100");
    assert_string_equal(text_at(statement, "level_note"), "Level for one user: moderate.");
    assert_has(section_of(statement, "claim"), "2 for one user, in all rounds together");
    assert_has(section_of(statement, "strength"), "epsilon 2 is above 1 and at most 5.");
    assert_has(section_of(statement, "meaning"), "all feedback of one user together");
    assert_has(section_of(statement, "claim"), "epsilon 0.5. A user can influence up to 4 rounds");
    assert_has(section_of(statement, "data"), "keyed hash");
    assert_has(section_of(statement, "data"), "in how many rounds");
    assert_lacks(section_of(statement, "data"), "budget");
    assert_has(section_of(statement, "assumptions"), "one user id");
}

TEST(test_weak_campaign_begins_with_a_warning)
{
    make("{'name':'weak','arms':['a','b'],'epsilon':12}");
    const json_t *statement = statement_of("weak");
    assert_has(text_at(statement, "headline"), "Warning: ");
    assert_int_equal(strncmp(text_at(statement, "summary"), "Warning: ", 9), 0);
    assert_lacks(text_at(statement, "summary"), "adds random noise");
    assert_has(section_of(statement, "protection"), "In practice nothing is protected");
    assert_has(section_of(statement, "meaning"), "162,755");
    const char *const promise =
        text_at(running_fine(&server, "GET", "/v1/campaigns/weak/guarantee", NULL), "statement");
    assert_has(promise, "Protected in theory, not in practice: ");
    assert_lacks(promise, "not_protected");
    statement = statement_of("weak");
    assert_true(json_is_false(json_object_get(json_object_get(statement, "claim"), "private")));
    assert_int_equal(running_call(&server, RUNNING_READ, "GET",
                                  "/v1/campaigns/weak/statement?format=html", NULL),
                     200);
    assert_has(server.text, "level warning");
    /* delta alone may be too large */
    make("{'name':'unsure','algorithm':'jdp-batch','arms':['a','b'],'dimension':2,'epsilon':1,"
         "'delta':0.5,'horizon':1000}");
    statement = statement_of("unsure");
    assert_has(text_at(statement, "summary"), "Warning: ");
    assert_has(text_at(statement, "summary"), "epsilon is 1, and delta is 0.5");
    /* many rounds of a user may leave no protection at all */
    make("{'name':'none','algorithm':'jdp-batch','arms':['a','b'],'dimension':2,'epsilon':1,"
         "'horizon':1000,'rounds_per_user':1000}");
    statement = statement_of("none");
    assert_has(text_at(statement, "headline"), "no privacy guarantee");
    assert_lacks(section_of(statement, "protection"), "compare notes");
}

TEST(test_other_models_and_settings_say_what_they_are)
{
    make("{'name':'local','algorithm':'rr-imed','arms':['a','b'],'epsilon':1}");
    const json_t *statement = statement_of("local");
    assert_has(text_at(statement, "summary"), "person's own device adds the noise");
    assert_has(section_of(statement, "data"), "Reports");
    assert_has(section_of(statement, "threats"), "not with feedback");
    /* the server sees which reports are missing */
    assert_has(section_of(statement, "claim"), "everybody but the operator");
    assert_lacks(text_at(statement, "summary"), "The service adds");
    assert_has(section_of(statement, "utility"), "Chance that a report is changed");
    assert_lacks(section_of(statement, "utility"), "unit of a reward");
    make("{'name':'joint','algorithm':'jdp-batch','arms':['a','b'],'dimension':2,'epsilon':1,"
         "'delta':1e-6,'horizon':1000}");
    statement = statement_of("joint");
    assert_has(section_of(statement, "claim"), "joint: ");
    assert_has(section_of(statement, "claim"), "0.000001");
    assert_has(section_of(statement, "claim"), "including whether there was any");
    assert_has(section_of(statement, "protection"), "context and feedback from the operator");
    assert_has(section_of(statement, "utility"), "no bound is proved");
    assert_has(section_of(statement, "claim"), "(1 in 1,000,000)");
    assert_has(text_at(statement, "summary"), "with rare exceptions (delta, section 3)");
    assert_has(section_of(statement, "utility"), "no estimate for an arm");
    assert_has(section_of(statement, "composition"), "more than ten times the delta");
    /* the bound on the odds can fail with a probability above delta */
    assert_lacks(section_of(statement, "meaning"), "fail with a probability");
    assert_has(section_of(statement, "meaning"), "probability of at most 0.00000158198");
    assert_has(section_of(statement, "data"), "Contexts");
    assert_has(section_of(statement, "meaning"), "(delta)");
    assert_int_equal(call("POST", "/v1/budgets", "{'name':'people','epsilon':3,'delta':0}"), 201);
    make("{'name':'paid','arms':['a','b'],'epsilon':1,'budget':'people','early_release':true,"
         "'feedback':'clicks','wait_seconds':90,'evaluation':{'share':0.1}}");
    statement = statement_of("paid");
    assert_has(section_of(statement, "composition"), "budget \\\"people\\\"");
    assert_has(section_of(statement, "data"), "90 seconds");
    assert_has(section_of(statement, "data"), "clicked");
    assert_has(section_of(statement, "utility"), "Relative lift");
    assert_has(section_of(statement, "assumptions"), "early_release");
    assert_lacks(section_of(statement, "claim"), "including whether there was any");
    assert_has(section_of(statement, "claim"), "not in whether and when it came");
    assert_has(section_of(statement, "utility"), "for one look");
    assert_has(section_of(statement, "utility"), "5% of all rounds, show the control");
    assert_string_equal(text_at(statement, "level_note"),
                        "Level for one display: strong. For one user, over all campaigns of the "
                        "budget \"people\", epsilon is at most 3 (level: moderate).");
    assert_has(section_of(statement, "data"), "spent of the budget");
    assert_has(section_of(statement, "evidence"), "test_engine_budgets");
    assert_has(section_of(statement, "evidence"), "test_engine_evaluation");
    /* nobody signs for the copy in place of the original, which has the same title */
    assert_int_equal(call("POST", "/v1/campaigns/order/sandbox", NULL), 201);
    assert_has(text_at(statement_of("order-sandbox"), "summary"),
               "Its metadata calls it a sandbox: a copy of the campaign \"order\" to try it out");
    assert_has(text_at(statement_of("order-sandbox"), "summary"),
               "must not be shown to real people");
    assert_lacks(text_at(statement_of("order"), "summary"), "sandbox");
    /* a warm start: such a campaign needs releases, which take long */
    json_t *const campaign =
        json_deep_copy(running_fine(&server, "GET", "/v1/campaigns/order", NULL));
    json_object_set_new(json_object_get(campaign, "guarantee"), "prior",
                        json_pack("{s:s, s:i}", "campaign", "spring", "releases", 7));
    const lotor_statement_source source = {.campaign = campaign, .time = 0.0};
    json_t *const warm = lotor_statement_new(&source);
    assert_has(section_of(warm, "composition"), "releases of the campaign \\\"spring\\\"");
    assert_string_equal(text_at(warm, "time"), "1970-01-01T00:00:00Z");
    json_decref(warm);
    json_decref(campaign);
}

TEST(test_operator_fills_in_fields_that_are_kept_and_logged)
{
    static char text[1100], body[1200];
    make(
        "{'name':'filled','arms':['a'],'epsilon':1,'purpose':'Choose articles','title':'Library'}");
    const json_t *statement = statement_of("filled");
    assert_string_equal(text_at(statement, "title"), "Library");
    assert_has(section_of(statement, "operator"), "Choose articles");
    assert_has(section_of(statement, "operator"), "not filled in");
    assert_int_equal(
        call("PATCH", "/v1/campaigns/filled",
             "{'controller':'Caf\xc3\xa9 GmbH','legal_basis':'consent','contact':'x@example.org',"
             "'purpose':null}"),
        200);
    assert_string_equal(text_at(server.body, "controller"), "Caf\xc3\xa9 GmbH");
    statement = statement_of("filled");
    const json_t *const given = json_object_get(statement, "operator");
    assert_string_equal(text_at(given, "legal_basis"), "consent");
    assert_true(json_is_null(json_object_get(given, "purpose")));
    assert_has(section_of(statement, "operator"), "x@example.org");
    const json_t *const acts =
        json_object_get(running_fine(&server, "GET", "/v1/audit", NULL), "acts");
    const json_t *const last = json_array_get(acts, json_array_size(acts) - 1);
    assert_string_equal(text_at(last, "change"), "controller, legal_basis, contact, purpose");
    memset(text, 'x', 1001);
    snprintf(body, sizeof body, "{'contact':'%s'}", text);
    assert_int_equal(call("PATCH", "/v1/campaigns/filled", body), 400);
    assert_has(server.text, "1 to 1000 bytes");
    assert_int_equal(call("PATCH", "/v1/campaigns/filled", "{'purpose':'a\\u0007b'}"), 400);
    assert_int_equal(call("PATCH", "/v1/campaigns/filled", "{'arms':[{'id':'a','purpose':'x'}]}"),
                     400);
}

/* --- the forms -------------------------------------------------------------------------------- */

static void fetch(const char *accept, const char *query, char *reply, size_t room)
{
    char request[512];
    const int connection = running_connect(&server);
    const int length = snprintf(
        request, sizeof request,
        "GET /v1/campaigns/filled/statement%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s"
        "\r\n%s%s%sConnection: close\r\n\r\n",
        query, server.key[RUNNING_READ], accept ? "Accept: " : "", accept ? accept : "",
        accept ? "\r\n" : "");
    running_send(connection, request, (size_t)length);
    reply[running_receive(connection, reply, room - 1, 1, 5)] = '\0';
}

TEST(test_accept_and_format_choose_the_form)
{
    static const struct row {
        const char *accept, *query, *expected;
    } rows[] = {
        {NULL, "", "application/json"},
        {"*/*", "", "application/json"},
        {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "", "text/html"},
        {"text/html;q=0.5, application/json", "", "application/json"},
        {"application/json;q=0.1 , TEXT/HTML ; q=0.2", "", "text/html"},
        {"text/html;q=0", "", "application/json"},
        {"text/plain", "", "text/plain"},
        {";;;,,q=,text/html;q=;,", "", "application/json"},
        {"application/json", "?format=html", "text/html"},
        {"text/html", "?format=json", "application/json"},
        {NULL, "?format=text", "text/plain"},
        {NULL, "?format=registry", "application/json"},
    };
    static char reply[65536];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "Content-Type: %s", rows[i].expected);
        fetch(rows[i].accept, rows[i].query, reply, sizeof reply);
        assert_has(reply, "200 OK");
        assert_has(reply, wanted);
    }
    fetch(NULL, "?format=pdf", reply, sizeof reply);
    assert_has(reply, "400 Bad Request");
    assert_has(reply, "expected json, html, text or registry");
}

/* The page and the text have every sentence of the JSON. */
TEST(test_three_forms_have_the_same_content)
{
    assert_int_equal(
        call("PATCH", "/v1/campaigns/filled", "{'purpose':'<script>alert(1)</script> & \\u00e9'}"),
        200);
    json_t *const statement = json_deep_copy(statement_of("filled"));
    lotor_text page = {0}, plain = {0}, words = {0};
    lotor_statement_html(statement, &page);
    lotor_statement_text(statement, &plain);
    assert_int_equal(lotor_text_status(&page, NULL), LOTOR_OK);
    assert_null(strstr(page.bytes, "<script"));
    assert_has(page.bytes, "&lt;script");
    assert_null(strstr(page.bytes, "http://"));
    assert_null(strstr(page.bytes, "https://"));
    /* compare without line breaks and indents */
    for (size_t i = 0; i < plain.length; i++) {
        const bool is_blank = strchr(" \n", plain.bytes[i]) != NULL;
        if (!is_blank) {
            lotor_text_print(&words, "%c", plain.bytes[i]);
        }
    }
    size_t i, j, k, compared = 0;
    json_t *section, *block, *item;
    json_array_foreach(json_object_get(statement, "sections"), i, section)
    {
        json_array_foreach(json_object_get(section, "blocks"), j, block)
        {
            json_t *const texts = json_array();
            json_array_append_new(texts, json_string(text_at(block, "text")));
            json_array_extend(texts, json_object_get(block, "items"));
            json_array_foreach(json_object_get(block, "rows"), k, item)
            {
                json_array_append(texts, json_object_get(item, "label"));
                json_array_append(texts, json_object_get(item, "text"));
            }
            for (k = 0; k < json_array_size(json_object_get(block, "lines")); k++) {
                json_array_extend(texts, json_array_get(json_object_get(block, "lines"), k));
            }
            json_array_foreach(texts, k, item)
            {
                lotor_text escaped = {0}, dense = {0};
                const char *const text = json_string_value(item);
                lotor_text_escape(&escaped, text);
                lotor_text_add(&dense, "");
                for (const char *at = text; *at; at++) {
                    if (!strchr(" \n", *at)) {
                        lotor_text_print(&dense, "%c", *at);
                    }
                }
                assert_has(page.bytes, escaped.bytes ? escaped.bytes : "");
                assert_has(words.bytes, dense.bytes);
                compared += *text != '\0';
                lotor_text_clear(&escaped);
                lotor_text_clear(&dense);
            }
            json_decref(texts);
        }
    }
    assert_true(compared > 120);
    static const char *const heads[] = {"about", "headline", "level_note", "time", "fingerprint"};
    for (i = 0; i < sizeof heads / sizeof *heads; i++) {
        lotor_text escaped = {0};
        lotor_text_escape(&escaped, text_at(statement, heads[i]));
        assert_true(escaped.length > 0);
        assert_has(page.bytes, escaped.bytes);
        lotor_text_clear(&escaped);
    }
    assert_has(plain.bytes, "Level for one display: strong.");
    assert_has(plain.bytes, "[ ] Disks and backups are encrypted.");
    assert_has(page.bytes, "<ul class=\"checks\">");
    /* and no line is too wide */
    for (const char *line = plain.bytes; *line; line += strcspn(line, "\n") + 1) {
        assert_true(strcspn(line, "\n") <= 80); /* a letter may have two bytes */
    }
    lotor_text_clear(&page);
    lotor_text_clear(&plain);
    lotor_text_clear(&words);
    json_decref(statement);
}

TEST(test_registry_has_the_fields_of_opendp)
{
    const json_t *const entry =
        running_fine(&server, "GET", "/v1/campaigns/filled/statement?format=registry", NULL);
    const json_t *const deployment = json_object_get(entry, "deployment");
    const json_t *const product = json_object_get(deployment, "product");
    assert_string_equal(text_at(product, "name"), "Library");
    assert_string_equal(
        json_string_value(json_array_get(json_object_get(product, "data_curators"), 0)),
        "Caf\xc3\xa9 GmbH");
    assert_string_equal(text_at(json_object_get(deployment, "dp_flavor"), "name"), "Pure DP");
    const json_t *const loss = json_object_get(deployment, "privacy_loss");
    assert_true(json_number_value(json_object_get(json_object_get(loss, "privacy_parameters"),
                                                  "epsilon")) == 1.0);
    assert_string_equal(text_at(json_object_get(deployment, "model"), "model_name"), "Central");
    assert_has(text_at(json_object_get(deployment, "model"), "actors"), "- The server");
    assert_has(text_at(json_object_get(deployment, "accounting"), "composition"), "add up");
    assert_has(text_at(loss, "privacy_parameters_description"), "equally likely at first");
    /* in a linear campaign, what a person is shown depends on more than releases */
    const json_t *const joint =
        running_fine(&server, "GET", "/v1/campaigns/joint/statement?format=registry", NULL);
    assert_has(text_at(json_object_get(json_object_get(joint, "deployment"), "accounting"),
                       "post_processing"),
               "and from this person's own context");
}

/* The policies name the hash of the style; another style would not be applied. */
TEST(test_policy_has_the_hash_of_the_style)
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    char text[64], expected[96];
    crypto_hash_sha256(hash, lotor_statement_style, lotor_statement_style_length);
    sodium_bin2base64(text, sizeof text, hash, sizeof hash, sodium_base64_VARIANT_ORIGINAL);
    snprintf(expected, sizeof expected, "'sha256-%s'", text);
    assert_string_equal(LOTOR_STATEMENT_STYLE_HASH, expected);
    assert_has(lotor_statement_policy, expected);
    assert_has(lotor_dashboard_policy, expected);
}

/* A statement from a file may be anything: what is wrong is left out, and nothing breaks. */
TEST(test_hostile_statements_are_printed_without_harm)
{
    static const char *const texts[] = {
        "{\"format\":\"lotor-statement/1\",\"sections\":[]}",
        "{\"format\":\"lotor-statement/"
        "1\",\"sections\":[5,null,{\"blocks\":7},{\"blocks\":[{\"kind\":"
        "\"table\"},{\"kind\":\"table\",\"lines\":[[],[1,2],5]},{\"kind\":\"rows\",\"rows\":[1,{}]}"
        ",{"
        "\"kind\":\"list\",\"items\":[{}]},{\"kind\":4},[]]}],\"claim\":[]}",
        "{\"format\":\"lotor-statement/"
        "1\",\"campaign\":\"\\u001b[2J\\u0000x\",\"title\":\"\\u001b[31m\","
        "\"sections\":[{\"id\":\"\\\"><b>\",\"title\":\"\\u0007\",\"blocks\":[{\"kind\":"
        "\"paragraph\","
        "\"text\":\"\\u001b]0;x\\u0007 \\u009b31m\"}]}],\"claim\":{}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *const statement = json_loads(texts[i], JSON_ALLOW_NUL, NULL);
        lotor_text page = {0}, plain = {0};
        assert_non_null(statement);
        lotor_statement_html(statement, &page);
        lotor_statement_text(statement, &plain);
        assert_int_equal(lotor_text_status(&page, NULL), LOTOR_OK);
        assert_null(strchr(plain.bytes, '\033'));
        assert_null(strchr(plain.bytes, '\007'));
        assert_null(strstr(plain.bytes, "\xc2\x9b"));
        assert_null(strstr(page.bytes, "<b>"));
        json_decref(lotor_statement_registry(statement));
        lotor_text_clear(&page);
        lotor_text_clear(&plain);
        json_decref(statement);
    }
    json_t *const other = json_pack("{s:s, s:[]}", "format", "lotor-statement/2", "sections");
    assert_false(lotor_statement_is_valid(other));
    assert_null(lotor_statement_registry(other));
    json_decref(other);
}

TEST(test_reader_of_one_campaign_and_unknown_ones)
{
    assert_int_equal(
        running_call(&server, RUNNING_RANK, "GET", "/v1/campaigns/filled/statement", NULL), 403);
    assert_int_equal(
        running_call(&server, RUNNING_NOBODY, "GET", "/v1/campaigns/filled/statement", NULL), 401);
    assert_int_equal(
        running_call(&server, RUNNING_READ, "GET", "/v1/campaigns/nobody/statement", NULL), 404);
}

TEST(test_evidence_is_about_the_algorithm)
{
    const json_t *statement = statement_of("local");
    const json_t *evidence = json_object_get(statement, "evidence");
    assert_string_equal(text_at(evidence, "version"), lotor_version());
    assert_true(json_is_null(json_object_get(evidence, "commit")));
    assert_true(json_integer_value(json_object_get(json_object_get(evidence, "audit"), "trials")) >
                0);
    assert_has(section_of(statement, "evidence"), "24 pairs of probabilities");
    /* only the mechanisms of this campaign, and no number that looks like a failure */
    assert_has(section_of(statement, "evidence"), "\"response\"");
    assert_lacks(section_of(statement, "evidence"), "\"laplace\"");
    assert_lacks(section_of(statement, "evidence"), "100% of");
    assert_has(section_of(statement, "evidence"), "exactly the claimed limit, never above it");
    statement = statement_of("order");
    evidence = json_object_get(statement, "evidence");
    const json_t *const couple = json_object_get(evidence, "couple");
    assert_true(json_integer_value(json_object_get(couple, "traces")) >= 1000);
    assert_int_equal(json_integer_value(json_object_get(couple, "violations")), 0);
    assert_has(section_of(statement, "evidence"), "random traces (seed 5)");
    assert_has(section_of(statement, "evidence"), "\"laplace\"");
    assert_lacks(section_of(statement, "evidence"), "\"gaussian\"");
    assert_lacks(section_of(statement, "evidence"), "masks");
    assert_lacks(section_of(statement, "evidence"), "the view of");
    assert_has(section_of(statement, "evidence"), "the algorithm");
    assert_true(json_array_size(json_object_get(evidence, "verify")) >= 9);
}

/* True if a line of the document is `line`. */
static bool has_line(const char *document, const char *line)
{
    char text[512];
    bool found = false;
    FILE *const file = fopen(document, "r");
    assert_non_null(file);
    while (!found && fgets(text, sizeof text, file)) {
        text[strcspn(text, "\n")] = '\0';
        found = strcmp(text, line) == 0;
    }
    fclose(file);
    return found;
}

/* The anchor that scripts/site gives to a heading. */
static void write_anchor(const char *heading, char anchor[200])
{
    size_t length = 0;
    for (; *heading; heading++) {
        if (*heading == ' ') {
            anchor[length++] = '-';
        } else if (isalnum((unsigned char)*heading) || strchr("_-", *heading)) {
            anchor[length++] = (char)tolower((unsigned char)*heading);
        }
    }
    anchor[length] = '\0';
}

/* The statement of a campaign whose guarantee has this theorem names the section and its anchor. */
static void assert_place(const char *theorem, const char *number, const char *heading)
{
    char place[300], anchor[200];
    json_t *const campaign =
        json_deep_copy(running_fine(&server, "GET", "/v1/campaigns/order", NULL));
    json_object_set_new(json_object_get(campaign, "guarantee"), "theorem", json_string(theorem));
    const lotor_statement_source source = {.campaign = campaign};
    json_t *const statement = lotor_statement_new(&source);
    write_anchor(heading, anchor);
    snprintf(place, sizeof place,
             "docs/mathematics.md, section %s. On the web site of the documents: "
             "mathematics.html#%s\"",
             number, anchor);
    assert_has(section_of(statement, "claim"), place);
    json_decref(statement);
    json_decref(campaign);
}

/* Every section that a theorem cites is a heading of the page of proofs, and no theorem names a file. */
TEST(test_cited_sections_of_the_proofs_exist)
{
    static const char start[] = "Lotor: proofs, section ";
    size_t cited = 0;
    for (size_t i = 0; i < lotor_algorithm_count(); i++) {
        lotor_algorithm_info info;
        assert_int_equal(lotor_algorithm_at(i, NULL, &info), LOTOR_OK);
        const char *const theorem = info.theorem ? info.theorem : "";
        const char *const at = strstr(theorem, start);
        assert_null(strstr(theorem, "src/"));
        assert_null(strstr(theorem, ".md"));
        if (at) {
            char number[16] = "", title[128] = "", heading[200];
            assert_int_equal(sscanf(at + sizeof start - 1, "%15s (%127[^)])", number, title), 2);
            snprintf(heading, sizeof heading, "### %s %s", number, title);
            if (!has_line(MATHEMATICS_FILE, heading)) {
                fail_msg("%s: there is no heading \"%s\"", info.id, heading);
            }
            assert_place(theorem, number, heading + strlen("### "));
            cited++;
        }
    }
    assert_true(cited >= 20);
    assert_has(section_of(statement_of("order"), "claim"),
               "mathematics.html#42-growing-batches-one-arm-recorded-a-round");
}

/* --- phases, data, fingerprint ---------------------------------------------------------------- */

TEST(test_phase_is_in_the_headline)
{
    make("{'name':'phased','arms':['a','b'],'epsilon':1}");
    assert_string_equal(text_at(statement_of("phased"), "phase"), "open");
    assert_int_equal(call("POST", "/v1/campaigns/phased/pause", NULL), 200);
    assert_has(text_at(statement_of("phased"), "headline"), "It is paused");
    assert_int_equal(call("POST", "/v1/campaigns/phased/resume", NULL), 200);
    assert_int_equal(call("POST", "/v1/campaigns/phased/close", NULL), 200);
    assert_has(text_at(statement_of("phased"), "headline"), "It has ended");
    assert_int_equal(call("POST", "/v1/campaigns/phased/archive", NULL), 200);
    assert_has(text_at(statement_of("phased"), "headline"), "It is archived");
    assert_int_equal(call("DELETE", "/v1/campaigns/phased", NULL), 200);
    const json_t *const statement = statement_of("phased");
    assert_string_equal(text_at(statement, "phase"), "deleted");
    assert_string_equal(
        text_at(statement, "headline"),
        "This campaign was deleted. Its releases stay, and have a privacy guarantee.");
    assert_has(text_at(statement, "summary"), "chose what people were shown");
    assert_lacks(text_at(statement, "summary"), "The operator of the server can see");
    assert_has(section_of(statement, "claim"), "has shown to others or published");
    assert_has(section_of(statement, "data"), "Of the following, the store still has");
}

/* An accepted older copy is at the top and next to epsilon, not only among the exceptions. */
TEST(test_accepted_copy_is_at_the_top)
{
    json_t *const campaign =
        json_deep_copy(running_fine(&server, "GET", "/v1/campaigns/order", NULL));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(campaign, "guarantee"),
                                                        "accepted_rollbacks")),
                     0);
    const lotor_statement_source source = {.campaign = campaign};
    json_t *statement = lotor_statement_new(&source);
    assert_lacks(text_at(statement, "headline"), "older copy");
    json_decref(statement);
    json_object_set_new(json_object_get(campaign, "guarantee"), "accepted_rollbacks",
                        json_integer(1));
    statement = lotor_statement_new(&source);
    assert_has(text_at(statement, "headline"), "An older copy of its store was accepted");
    assert_has(section_of(statement, "claim"), "twice that or more (section 5)");
    json_decref(statement);
    json_decref(campaign);
}

/* The list of what the store keeps, and for how long, with all settings that keep more. */
TEST(test_data_is_complete)
{
    make("{'name':'kept','arms':['a','b'],'epsilon':0.5,'rounds_per_user':2,'budget':'people',"
         "'sticky_seconds':86400,'half_life':5000}");
    const json_t *const statement = statement_of("kept");
    const char *text = section_of(statement, "data");
    assert_has(text, "what each one was shown last (sticky_seconds)");
    assert_has(text, "1 day after the display, and about a minute more while a server runs");
    assert_has(text, "keeps its last sums until it is deleted");
    assert_has(text, "until its round and all earlier rounds are over");
    assert_has(text, "Which round it is for is not encrypted");
    assert_has(text, "So does what users have spent of the budget.");
    assert_has(text, "Names of keys may be names of staff");
    assert_has(text, "address of a caller for the connection only");
    assert_has(text, "Backups are not known to this server");
    assert_has(section_of(statement, "threats"), "without the key file");
    assert_has(section_of(statement, "threats"), "hashes of users");
    /* a half-life deletes nothing, and the sentence about it fits the setting */
    assert_has(section_of(statement, "biases"), "Nothing is deleted by that.");
    assert_lacks(section_of(statement, "biases"), "unless half_life");
    assert_has(section_of(statement, "biases"), "count mostly with the default reward");
    assert_has(section_of(statement, "security"), "lotor key are not in it");
    assert_has(section_of(statement, "security"), "can replace the log");
    assert_has(section_of(statement, "security"), "most older copies");
    text = section_of(statement, "settings");
    assert_has(text, "{\"label\": \"rounds_per_user\", \"text\": \"2\"}");
    assert_has(text, "{\"label\": \"sticky_seconds\", \"text\": \"1 day\"}");
    assert_has(text, "{\"label\": \"half_life\", \"text\": \"5,000 rounds\"}");
    assert_has(text, "{\"label\": \"budget\", \"text\": \"people\"}");
    assert_has(text, "{\"label\": \"early_release\", \"text\": \"off\"}");
    assert_has(text, "rewards from 0 to 1; without feedback in time 0");
    /* without sticky_seconds, what a user was shown is only in sealed records */
    make("{'name':'limited','arms':['a','b'],'epsilon':0.5,'rounds_per_user':2}");
    const json_t *const capped = statement_of("limited");
    assert_has(section_of(capped, "data"), "what was shown is encrypted, with the user's hash");
    assert_lacks(section_of(capped, "threats"), "what was shown in open rounds");
    make("{'name':'reports','algorithm':'rr-imed','arms':['a','b'],'epsilon':0.5}");
    assert_has(section_of(statement_of("reports"), "assumptions"), "whatever the feedback is");
    const json_t *const plain = statement_of("order");
    assert_lacks(section_of(plain, "data"), "budget");
    assert_lacks(section_of(plain, "data"), "hash of the id");
}

/* Delta 0.02 is 1 in 50, and it decides the level: not epsilon. */
TEST(test_delta_is_named_when_it_decides)
{
    make("{'name':'delta','algorithm':'jdp-batch','arms':['a','b'],'dimension':2,'epsilon':1,"
         "'delta':0.02,'horizon':1000}");
    const json_t *const statement = statement_of("delta");
    assert_has(section_of(statement, "strength"),
               "The level is \\\"weak\\\": delta 0.02 is above 0.001 and at most 0.1.");
    assert_has(section_of(statement, "claim"), "(1 in 50)");
    assert_lacks(section_of(statement, "claim"), "fail");
}

/* The fingerprint of a printed copy stays the same until something changes that the reviewer has read. */
TEST(test_fingerprint_covers_everything_but_time_and_learned_numbers)
{
    char first[LOTOR_STATEMENT_FINGERPRINT], again[LOTOR_STATEMENT_FINGERPRINT];
    json_t *const campaign =
        json_deep_copy(running_fine(&server, "GET", "/v1/campaigns/order", NULL));
    lotor_statement_source source = {.campaign = campaign, .time = 1.0};
    json_t *statement = lotor_statement_new(&source);
    snprintf(first, sizeof first, "%s", text_at(statement, "fingerprint"));
    assert_int_equal(strlen(first), 32);
    assert_has(section_of(statement, "signature"), first);
    assert_true(lotor_statement_fingerprint(statement, again));
    assert_string_equal(again, first);
    json_decref(statement);
    source.time = 2.0;
    json_object_set_new(campaign, "final", json_integer(1000));
    statement = lotor_statement_new(&source);
    assert_string_equal(text_at(statement, "fingerprint"), first);
    json_decref(statement);
    static const char *const fields[] = {"purpose", "budget", "title"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        json_object_set_new(campaign, fields[i], json_string("changed"));
        statement = lotor_statement_new(&source);
        assert_string_not_equal(text_at(statement, "fingerprint"), first);
        snprintf(first, sizeof first, "%s", text_at(statement, "fingerprint"));
        json_decref(statement);
    }
    json_decref(campaign);
}

TEST(test_list_and_guarantee_have_the_numbers_of_a_user)
{
    const json_t *row = NULL;
    size_t i;
    json_t *one;
    const json_t *const list =
        json_object_get(running_fine(&server, "GET", "/v1/campaigns", NULL), "campaigns");
    json_array_foreach(list, i, one)
    {
        row = strcmp(text_at(one, "name"), "capped") == 0 ? one : row;
    }
    assert_non_null(row);
    assert_true(json_number_value(json_object_get(row, "epsilon_per_user")) == 2.0);
    assert_string_equal(text_at(row, "level"), "moderate");
    const json_t *const promise =
        running_fine(&server, "GET", "/v1/campaigns/capped/guarantee", NULL);
    assert_true(json_number_value(json_object_get(promise, "epsilon")) == 2.0);
    const json_t *const round = json_object_get(promise, "per_round");
    assert_true(json_number_value(json_object_get(round, "epsilon")) == 0.5);
    assert_has(text_at(promise, "statement"), "for one round alone epsilon is 0.5");
}

TEST_GROUP(start_all, stop_all);
