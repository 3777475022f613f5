/* check.c - lotor check: checks that a store is what the server wrote.
 *
 * It reads and never writes. A server may run at the same time.
 */
#ifdef LOTOR_SERVICE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "cli/command.h"
#include "cli/print.h"
#include "service/engine/check.h"

enum { KEY, JSON };

static const lotor_option options[] = {
    [KEY] = {.name = "key",
             .kind = LOTOR_OPTION_TEXT,
             .placeholder = "KEYFILE",
             .help = "the server's key file (default: FILE.key, if it exists)"},
    [JSON] = {.name = "json",
              .kind = LOTOR_OPTION_FLAG,
              .help = "write one JSON object: fine, finding, key, head, counts"},
};

typedef struct check_run {
    const char *store_path, *key_path;
    char *own_key_path, *head_path;
    bool json, must_have_key;
    lotor_store *store;
    lotor_server_key *server_key;
    lotor_heads *heads; /* NULL: there is no head file */
    lotor_engine_check_counts counts;
} check_run;

static lotor_status name_files(check_run *run, lotor_message *why)
{
    if (asprintf(&run->own_key_path, "%s.key", run->store_path) < 0) {
        run->own_key_path = NULL;
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    run->key_path = run->key_path ? run->key_path : run->own_key_path;
    if (asprintf(&run->head_path, "%s.head", run->key_path) < 0) {
        run->head_path = NULL;
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    return LOTOR_OK;
}

static lotor_status check_all(check_run *run, lotor_message *why)
{
    lotor_status status = name_files(run, why);
    if (status == LOTOR_OK) {
        status = lotor_server_key_open(run->key_path, false, why, &run->server_key);
        status = status == LOTOR_UNKNOWN && !run->must_have_key ? LOTOR_OK : status;
    }
    if (status == LOTOR_OK) {
        status = lotor_store_open(run->store_path, LOTOR_STORE_READ, NULL, why, &run->store);
    }
    bool was_lost = false;
    if (status == LOTOR_OK) {
        status = lotor_heads_open(run->head_path, why, &run->heads, &was_lost);
    }
    if (was_lost) {
        lotor_heads_free(run->heads);
        run->heads = NULL;
    }
    return status == LOTOR_OK
               ? lotor_engine_check(run->store, run->server_key, run->heads, &run->counts, why)
               : status;
}

static void print_json(const check_run *run, const char *finding)
{
    const lotor_engine_check_counts *counts = &run->counts;
    printf("{\"fine\": %s, ", finding ? "false" : "true");
    if (finding) {
        fputs("\"finding\": ", stdout);
        lotor_print_json_string(stdout, finding);
        fputs(", ", stdout);
    }
    printf("\"key\": %s, \"head\": %s", run->server_key ? "true" : "false",
           run->heads ? "true" : "false");
    if (!finding) {
        printf(", \"campaigns\": %" PRIu64 ", \"releases\": %" PRIu64
               ", \"open_decisions\": %" PRIu64 ", \"feedback_groups\": %" PRIu64,
               counts->campaigns, counts->releases, counts->decisions, counts->rows);
    }
    fputs("}\n", stdout);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* The head file has starts only of a store that one server uses, and a deletion can be compared only
 * with the key. */
static void print_head(const check_run *run)
{
    if (!run->heads) {
        puts("without a head file: an older copy can't be noticed");
        return;
    }
    printf("with the head file: nothing that it names is missing (releases, campaigns%s%s)\n",
           run->server_key ? ", deletions" : "",
           lotor_store_is_exclusive(run->store) ? ", starts" : "");
}

static void print_text(const check_run *run)
{
    const lotor_engine_check_counts *counts = &run->counts;
    printf("fine: %" PRIu64 " campaign%s, %" PRIu64 " release%s, %" PRIu64
           " drawn decision%s, %" PRIu64 " group%s of feedback\n",
           counts->campaigns, plural(counts->campaigns), counts->releases, plural(counts->releases),
           counts->decisions, plural(counts->decisions), counts->rows, plural(counts->rows));
    puts(run->server_key ? "with the key: no sealed part was changed, or is older than the rest"
                         : "without the key: sealed parts were not opened (give --key KEYFILE)");
    print_head(run);
    puts(
        "not checked: what users have spent of budgets and of rounds_per_user (no seal and no head "
        "file has it)");
}

static int run_check(const lotor_arguments *arguments)
{
    check_run run = {.json = arguments->values[JSON].given,
                     .key_path = arguments->values[KEY].text,
                     .must_have_key = arguments->values[KEY].given};
    lotor_message why;
    if (arguments->word_count != 1) {
        lotor_explain(&why, "expected one store: lotor check FILE");
        lotor_print_error(run.json, why.text);
        return lotor_command_refuse(arguments->command, LOTOR_INVALID, why.text);
    }
    run.store_path = arguments->words[0];
    const lotor_status status = check_all(&run, &why);
    if (run.json) {
        print_json(&run, status == LOTOR_OK ? NULL : why.text);
    } else if (status == LOTOR_OK) {
        print_text(&run);
    }
    if (status != LOTOR_OK) {
        lotor_print_complaint(arguments->command, "%s", why.text);
    }
    lotor_heads_free(run.heads);
    lotor_store_close(run.store);
    lotor_server_key_free(run.server_key);
    free(run.own_key_path);
    free(run.head_path);
    return status == LOTOR_OK ? LOTOR_EXIT_FINE : LOTOR_EXIT_FAILED;
}

const lotor_command lotor_command_check = {
    .name = "check",
    .summary = "check that a store is complete, and has what its head file names",
    .usage = "FILE [--key KEYFILE] [--json]",
    .about =
        "Checks a whole store: the file itself, its tables, the chain of releases of each campaign "
        "link by link, the open decisions and the log of feedback. The head file next to the key "
        "names releases, campaigns, deletions and starts that this store must have. It does not "
        "name what users have spent of a budget: an older copy that lacks only spending is not "
        "noticed. With the key, the command authenticates "
        "specifications, and opens every sealed state, context and row of feedback (and then wipes "
        "them). Each state says which decisions and which feedback must exist. So the check finds "
        "parts that are older than the rest, missing rows and changed rows. It can't notice that "
        "the very last feedback since the state was saved is missing. The check writes nothing, "
        "and a server may run at the same time. The exit status is 0 if the store is complete, and "
        "1 if not; the message says what is wrong and where.",
    .examples = "  lotor check /var/lib/lotor/store.db\n"
                "  lotor check copy.db --key store.db.key --json\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .word_limit = 1,
    .run = run_check,
};
#else
typedef int lotor_check_is_left_out; /* a file must not be empty */
#endif
