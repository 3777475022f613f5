/* statement.c - lotor statement: prints the privacy statement of a campaign.
 *
 * It asks a server for the statement as JSON, or reads such JSON from a file, and writes text, JSON, a page, or
 * the fields of the OpenDP deployments registry from it.
 */
#ifdef LOTOR_SERVICE
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/print.h"
#include "service/client/client.h"
#include "service/spec/fields.h"
#include "service/statement/statement.h"

enum { URL, KEY, KEY_FILE, FROM, JSON, HTML, REGISTRY };
enum { KEY_ROOM = 256 };

static const lotor_option options[] = {
    [URL] = {.name = "url",
             .kind = LOTOR_OPTION_TEXT,
             .placeholder = "URL",
             .initial = "http://127.0.0.1:8080",
             .help = "the server: http:// and a numeric IPv4 address, or localhost"},
    [KEY] = {.name = "key",
             .kind = LOTOR_OPTION_TEXT,
             .placeholder = "KEY",
             .help = "a key with the role read; other users of this machine can see it in the list "
                     "of processes, so --key-file is better"},
    [KEY_FILE] = {.name = "key-file",
                  .kind = LOTOR_OPTION_TEXT,
                  .placeholder = "FILE",
                  .help = "a file whose first line is the key; -: standard input"},
    [FROM] = {.name = "from",
              .kind = LOTOR_OPTION_TEXT,
              .placeholder = "FILE",
              .help = "read the JSON of a statement from a file, and ask no server; -: standard "
                      "input"},
    [JSON] = {.name = "json",
              .kind = LOTOR_OPTION_FLAG,
              .help = "the statement as JSON (docs/statement.schema.json)"},
    [HTML] = {.name = "html",
              .kind = LOTOR_OPTION_FLAG,
              .help = "one HTML page that needs no other file; a browser prints it as a PDF"},
    [REGISTRY] = {.name = "registry",
                  .kind = LOTOR_OPTION_FLAG,
                  .help = "the fields of the OpenDP deployments registry, as JSON"},
};

/* Opens a file, or standard input for "-". NULL: `why` says so. */
static FILE *open_input(const char *path, lotor_message *why)
{
    FILE *const file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    if (!file) {
        lotor_explain(why, "\"%s\" can't be read: %s", path, strerror(errno));
    }
    return file;
}

static void close_input(FILE *file)
{
    if (file && file != stdin) {
        fclose(file);
    }
}

/* Reads the key: the first line of --key-file, or --key. */
static lotor_status read_key(const lotor_option_value *values, char key[KEY_ROOM],
                             lotor_message *why)
{
    key[0] = '\0';
    if (values[KEY].given) {
        snprintf(key, KEY_ROOM, "%s", values[KEY].text);
    } else if (values[KEY_FILE].given) {
        FILE *const file = open_input(values[KEY_FILE].text, why);
        if (!file) {
            return LOTOR_IO;
        }
        if (!fgets(key, KEY_ROOM, file)) {
            key[0] = '\0';
        }
        close_input(file);
    } else {
        return lotor_fail(LOTOR_INVALID, why,
                          "a key with the role read is needed: --key-file FILE (lotor key --store "
                          "STORE --role read makes one)");
    }
    key[strcspn(key, "\r\n")] = '\0';
    return key[0] && !strpbrk(key, " \t")
               ? LOTOR_OK
               : lotor_fail(LOTOR_INVALID, why,
                            "the key is empty or has blanks: expected a key "
                            "that lotor key printed");
}

/* Reads "http://ADDRESS:PORT" or "http://ADDRESS:PORT/". */
static lotor_status read_url(const char *url, char address[64], uint16_t *port, lotor_message *why)
{
    static const char scheme[] = "http://";
    if (strncmp(url, "https://", 8) == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "this command does not speak TLS: fetch URL/v1/campaigns/NAME/statement "
                          "with curl, and give the reply to lotor statement --from FILE");
    }
    const bool has_scheme = strncmp(url, scheme, sizeof scheme - 1) == 0;
    const char *const host = has_scheme ? url + sizeof scheme - 1 : url;
    const size_t length = strcspn(host, ":/");
    const char *rest = host + length;
    unsigned long number = 80;
    if (*rest == ':') {
        char *end = NULL;
        number = strtoul(rest + 1, &end, 10);
        number = end == rest + 1 || rest[1] == '-' || rest[1] == '+' ? 0 : number;
        rest = end;
    }
    if (!has_scheme || length == 0 || length >= 64 || number == 0 || number > UINT16_MAX ||
        (strcmp(rest, "") != 0 && strcmp(rest, "/") != 0)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--url \"%s\" is not the address of a server: expected one like "
                          "http://127.0.0.1:8080",
                          url);
    }
    snprintf(address, 64, "%.*s", (int)length, host);
    if (strcmp(address, "localhost") == 0) {
        snprintf(address, 64, "127.0.0.1");
    }
    struct in_addr numeric;
    if (inet_pton(AF_INET, address, &numeric) != 1) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--url \"%s\": expected a numeric IPv4 address or localhost", url);
    }
    *port = (uint16_t)number;
    return LOTOR_OK;
}

static lotor_status ask_server(const lotor_arguments *arguments, lotor_message *why, json_t **out)
{
    char key[KEY_ROOM], address[64], path[160];
    const char *const name = arguments->words[0];
    uint16_t port = 0;
    lotor_client *client = NULL;
    if (!lotor_is_name(name, strlen(name))) {
        return lotor_fail(LOTOR_INVALID, why, "\"%.80s\" is not the name of a campaign", name);
    }
    lotor_status status = read_url(arguments->values[URL].text, address, &port, why);
    if (status == LOTOR_OK) {
        status = read_key(arguments->values, key, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_client_new(address, port, key, why, &client);
    }
    lotor_wipe(key, sizeof key);
    if (status != LOTOR_OK) {
        return status;
    }
    snprintf(path, sizeof path, "/v1/campaigns/%s/statement?format=json", name);
    const unsigned code = lotor_client_json(client, "GET", path, NULL, 10.0, out);
    lotor_client_free(client);
    if (code == 200 && *out) {
        return LOTOR_OK;
    }
    const char *const message =
        json_string_value(json_object_get(json_object_get(*out, "error"), "message"));
    if (code == 0) {
        return lotor_fail(LOTOR_IO, why, "no server answers at %s", arguments->values[URL].text);
    }
    return lotor_fail(LOTOR_IO, why, "the server refused (%u): %s", code,
                      message ? message : "its reply is not one of lotor serve");
}

static lotor_status read_file(const char *path, lotor_message *why, json_t **out)
{
    json_error_t error;
    FILE *const file = open_input(path, why);
    if (!file) {
        return LOTOR_IO;
    }
    *out = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    close_input(file);
    return *out ? LOTOR_OK
                : lotor_fail(LOTOR_DAMAGED, why, "\"%s\" is not JSON: line %d: %s", path,
                             error.line, error.text);
}

/* Prints the statement in the form that was asked for. False: no memory. */
static bool print_statement(const lotor_option_value *values, const json_t *statement)
{
    lotor_text text = {0};
    if (values[JSON].given || values[REGISTRY].given) {
        json_t *const registry =
            values[REGISTRY].given ? lotor_statement_registry(statement) : NULL;
        const json_t *const shown = values[REGISTRY].given ? registry : statement;
        char *const bytes =
            shown ? json_dumps(shown, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) : NULL;
        lotor_text_add(&text, bytes ? bytes : "");
        lotor_text_add(&text, "\n");
        text.is_out_of_memory = text.is_out_of_memory || !bytes;
        free(bytes);
        json_decref(registry);
    } else if (values[HTML].given) {
        lotor_statement_html(statement, &text);
    } else {
        lotor_statement_text(statement, &text);
    }
    const bool fine = lotor_text_status(&text, NULL) == LOTOR_OK;
    if (fine) {
        fputs(text.bytes, stdout);
    }
    lotor_text_clear(&text);
    return fine;
}

static int run_statement(const lotor_arguments *arguments)
{
    const lotor_option_value *const values = arguments->values;
    const bool is_json = values[JSON].given;
    lotor_message why;
    json_t *statement = NULL;
    lotor_status status = LOTOR_OK;
    if (values[JSON].given + values[HTML].given + values[REGISTRY].given > 1) {
        status = lotor_fail(LOTOR_INVALID, &why, "expected one of --json, --html and --registry");
    } else if (values[FROM].given ? arguments->word_count != 0 : arguments->word_count != 1) {
        status = lotor_fail(LOTOR_INVALID, &why,
                            "expected the name of a campaign, or --from FILE, and not both");
    } else {
        status = values[FROM].given ? read_file(values[FROM].text, &why, &statement)
                                    : ask_server(arguments, &why, &statement);
    }
    if (status == LOTOR_OK && !lotor_statement_is_valid(statement)) {
        status = lotor_fail(LOTOR_DAMAGED, &why,
                            "this is not a privacy statement of this version: expected \"format\": "
                            "\"" LOTOR_STATEMENT_FORMAT "\"");
    }
    if (status == LOTOR_OK && !print_statement(values, statement)) {
        status = lotor_fail(LOTOR_MEMORY, &why, "out of memory");
    }
    json_decref(statement);
    if (status == LOTOR_OK) {
        return LOTOR_EXIT_FINE;
    }
    lotor_print_error(is_json, why.text);
    if (status == LOTOR_INVALID) {
        return lotor_command_refuse(arguments->command, status, why.text);
    }
    lotor_print_complaint(arguments->command, "%s", why.text);
    return LOTOR_EXIT_FAILED;
}

const lotor_command lotor_command_statement = {
    .name = "statement",
    .summary = "print the privacy statement of a campaign, for a reviewer",
    .usage = "CAMPAIGN [--url URL] (--key-file FILE | --key KEY) [--json | --html | --registry]",
    .about =
        "Asks a running server for the privacy statement of a campaign and prints it. The "
        "statement begins with one paragraph in plain words. Sections on the claim, its meaning "
        "and strength, what is protected and what not, and how campaigns add up follow. More "
        "sections are about usefulness, biases, data, security, threats, assumptions, the "
        "evidence of this version, and what the operator has filled in. The text, the page "
        "(--html) and the JSON (--json) have the same content. To make a PDF, open the page in a "
        "browser and print it. The operator fills in purpose, controller, legal_basis and contact "
        "with PATCH /v1/campaigns/NAME. With --from, the command reads a statement that was "
        "fetched before, for example over TLS with curl.",
    .examples = "  lotor statement home --key-file read.key\n"
                "  lotor statement home --key-file read.key --html > home.html\n"
                "  lotor statement --from home.json --registry\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .word_limit = 1,
    .run = run_statement,
};
#else
typedef int lotor_statement_is_left_out; /* a file must not be empty */
#endif
