/* audit_log.c - lotor audit-log: prints the audit log of a store, even while a server runs. */
#ifdef LOTOR_SERVICE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "cli/command.h"
#include "cli/print.h"
#include "service/http/key_line.h"
#include "service/store/store.h"

enum { AFTER, JSON };

static const lotor_option options[] = {
    [AFTER] = {.name = "after",
               .kind = LOTOR_OPTION_WHOLE,
               .placeholder = "N",
               .initial = "0",
               .help = "print only lines with numbers above N"},
    [JSON] = {.name = "json",
              .kind = LOTOR_OPTION_FLAG,
              .help = "write one JSON object for each line: number, time, key, key_id, campaign, "
                      "act, change"},
};

/* Prints the lines, and keeps the number of the last one. */
typedef struct audit_printer {
    bool is_json;
    uint64_t last;
} audit_printer;

static void print_field(const char *name, const char *text, bool is_optional)
{
    printf(", \"%s\": ", name);
    if (is_optional && !*text) {
        fputs("null", stdout);
    } else {
        lotor_print_json_string(stdout, text);
    }
}

static void print_json(const lotor_audit_row *row)
{
    printf("{\"number\": %" PRIu64 ", \"time\": %" PRIu64 ".%03u", row->number, row->time / 1000,
           (unsigned)(row->time % 1000));
    print_field("key", row->key, false);
    print_field("key_id", row->key_id, true);
    print_field("campaign", row->campaign, true);
    print_field("act", row->act, false);
    print_field("change", row->change, false);
    puts("}");
}

/* Names and texts in the log have no tabs and no newlines. */
static void print_text(const lotor_audit_row *row)
{
    char time[LOTOR_KEY_TIME_LENGTH + 1];
    lotor_key_time_write(row->time / 1000, time);
    printf("%" PRIu64 "\t%s\t%s\t%s\t%s\t%s\t%s\n", row->number, time, row->key,
           *row->key_id ? row->key_id : "-", *row->campaign ? row->campaign : "-", row->act,
           row->change);
}

static lotor_status print_row(void *context, const lotor_audit_row *row)
{
    audit_printer *const printer = context;
    printer->last = row->number;
    if (printer->is_json) {
        print_json(row);
    } else {
        print_text(row);
    }
    return LOTOR_OK;
}

/* The number of the last line, as the store counts the lines. */
static lotor_status read_counter(lotor_store *store, lotor_message *why, uint64_t *out)
{
    char text[24] = "0";
    const lotor_status status = lotor_store_get_meta(store, "audit", why, text, sizeof text);
    *out = strtoull(text, NULL, 10);
    return status;
}

/* Prints the lines, and compares the end of the log with the store's counter. A server may append
 * lines meanwhile. So all lines that were counted before must be there, and all lines that are
 * there must be counted afterwards. */
static lotor_status print_lines(lotor_store *store, uint64_t after, bool is_json,
                                lotor_message *why)
{
    audit_printer printer = {.is_json = is_json, .last = after};
    uint64_t before = 0, counted = 0;
    lotor_status status = read_counter(store, why, &before);
    if (status == LOTOR_OK) {
        status = lotor_store_each_audit(store, after, INT64_MAX, print_row, &printer, why);
    }
    if (status == LOTOR_OK) {
        status = read_counter(store, why, &counted);
    }
    if (status != LOTOR_OK || (printer.last >= before && printer.last <= counted)) {
        return status;
    }
    return printer.last > counted && printer.last == after
               ? LOTOR_OK /* --after is beyond the end */
               : lotor_fail(LOTOR_DAMAGED, why,
                            "the audit log ends with line %" PRIu64
                            ", and its last line was %" PRIu64
                            ": lines were deleted; see lotor check",
                            printer.last, before);
}

static int run_audit_log(const lotor_arguments *arguments)
{
    lotor_message why;
    lotor_store *store = NULL;
    const bool json = arguments->values[JSON].given;
    if (arguments->word_count != 1) {
        lotor_explain(&why, "expected one store: lotor audit-log STORE");
        lotor_print_error(json, why.text);
        return lotor_command_refuse(arguments->command, LOTOR_INVALID, why.text);
    }
    lotor_status status =
        lotor_store_open(arguments->words[0], LOTOR_STORE_READ, NULL, &why, &store);
    if (status == LOTOR_OK) {
        status = print_lines(store, arguments->values[AFTER].whole, json, &why);
    }
    lotor_store_close(store);
    if (status != LOTOR_OK) {
        lotor_print_error(json, why.text);
        lotor_print_complaint(arguments->command, "%s", why.text);
        return LOTOR_EXIT_FAILED;
    }
    return LOTOR_EXIT_FINE;
}

const lotor_command lotor_command_audit_log = {
    .name = "audit-log",
    .summary = "list the changes to the campaigns of a store",
    .usage = "STORE [--after N] [--json]",
    .about =
        "Prints the audit log of a store, also while servers run. The log has a line for each act "
        "that created or changed a campaign, for each key made or revoked over HTTP, and for each "
        "start with --accept-rollback. A line has seven columns, separated by tabs: number, time, "
        "name of the key, id of the key, campaign, "
        "act and change. A line never contains feedback or a key. A server writes the line in the "
        "same transaction as the act, and never changes it. Each line is chained to the line "
        "before it, and this command stops at a line that is missing or was changed. The store "
        "counts the lines, so the command also fails if lines at the end are missing.",
    .examples = "  lotor audit-log shop.db\n"
                "  lotor audit-log postgres://lotor@db.example/lotor --after 120 --json\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .word_limit = 1,
    .run = run_audit_log,
};
#else
typedef int lotor_audit_log_is_left_out; /* a file must not be empty */
#endif
