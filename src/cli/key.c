/* key.c - lotor key: makes, lists and revokes the bearer keys of the service. */
#include <limits.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/print.h"
#include "cli/serve.h"
#ifdef LOTOR_SERVICE
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/quote.h"
#include "base/text.h"
#include "base/time.h"
#include "service/http/keys.h"
#include "service/store/store.h"
#endif

enum { STORE, ROLE, NAME, CAMPAIGN, EXPIRES, KEYS, JSON };

static const lotor_option options[] = {
    [STORE] = {.name = "store",
               .kind = LOTOR_OPTION_TEXT,
               .placeholder = "FILE",
               .help = "the store of the service; the keys are in FILE.keys"},
    [ROLE] =
        {.name = "role",
         .kind = LOTOR_OPTION_TEXT,
         .placeholder = "ROLES",
         .help =
             "what a new key may do, separated by commas: ask for decisions (rank), send feedback "
             "(reward), look at campaigns, guarantees, releases and the dashboard (read), "
             "look at metrics (metrics), or everything (admin)"},
    [NAME] = {.name = "name",
              .kind = LOTOR_OPTION_TEXT,
              .placeholder = "NAME",
              .initial = "-",
              .help = "a name for the new key, for lists and for the audit log"},
    [CAMPAIGN] = {.name = "campaign",
                  .kind = LOTOR_OPTION_TEXT,
                  .placeholder = "NAME",
                  .help = "the one campaign that the new key is for (default: all campaigns)"},
    [EXPIRES] = {.name = "expires",
                 .kind = LOTOR_OPTION_TEXT,
                 .placeholder = "TIME",
                 .help = "when the new key expires: 30m, 12h or 90d from now, or a date in UTC "
                         "such as 2027-01-31 or 2027-01-31T12:00:00Z (default: never)"},
    [KEYS] = {.name = "keys",
              .kind = LOTOR_OPTION_TEXT,
              .placeholder = "FILE",
              .help = "the file of keys (default: FILE.keys)"},
    [JSON] = {.name = "json",
              .kind = LOTOR_OPTION_FLAG,
              .help = "with list: write one JSON object, {\"keys\": [...], \"bad_lines\": [...]}"},
};

#ifdef LOTOR_SERVICE
/* Says what went wrong, and returns the exit status. */
static int refuse(const lotor_arguments *arguments, lotor_status status, const char *why)
{
    if (status == LOTOR_IO) {
        lotor_print_complaint(arguments->command, "%s", why);
        return LOTOR_EXIT_FAILED;
    }
    return lotor_command_refuse(arguments->command, status, why);
}

static lotor_status find_path(const lotor_option_value *values, lotor_message *why,
                              char path[PATH_MAX])
{
    const char *const store = values[STORE].text, *const keys = values[KEYS].text;
    if (!store && !keys) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--store FILE is missing: expected the store of the service");
    }
    if (store && lotor_store_is_address(store) && !keys) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a database has no files next to it: give --keys FILE");
    }
    return lotor_serve_path(store, ".keys", keys, path, PATH_MAX)
               ? LOTOR_OK
               : lotor_fail(LOTOR_INVALID, why, "the path of the store is too long");
}

/* --- a new key -------------------------------------------------------------------------------- */

static lotor_status read_setup(const lotor_option_value *values, lotor_message *why,
                               lotor_key_setup *out)
{
    const char *const roles = values[ROLE].text, *const expires = values[EXPIRES].text;
    const uint64_t now = lotor_time_wall_ms() / 1000;
    *out = (lotor_key_setup){.name = values[NAME].text, .campaign = values[CAMPAIGN].text};
    if (!roles) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--role ROLES is missing: expected some of rank, reward, read, metrics "
                          "and admin, separated by commas");
    }
    if (!lotor_roles_read(roles, strlen(roles), &out->roles)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--role is %s: expected some of rank, reward, read, metrics and admin, "
                          "separated by commas",
                          lotor_quote_text(roles).text);
    }
    if (expires && !lotor_key_expiry_read(expires, now, &out->expires)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--expires is %s: expected a number of minutes, hours or days (30m, 12h, "
                          "90d), or a date such as 2027-01-31 or 2027-01-31T12:00:00Z",
                          lotor_quote_text(expires).text);
    }
    if (expires && out->expires <= now) {
        return lotor_fail(LOTOR_INVALID, why,
                          "--expires is %s, which is in the past: expected a time in the future",
                          lotor_quote_text(expires).text);
    }
    return LOTOR_OK;
}

static int make(const lotor_arguments *arguments, const char *path)
{
    char key[LOTOR_KEY_LENGTH + 1], roles[LOTOR_ROLES_ROOM];
    lotor_key_setup setup;
    lotor_message why;
    lotor_status status = read_setup(arguments->values, &why, &setup);
    if (status == LOTOR_OK) {
        status = lotor_key_make_with(path, &setup, &why, key);
    }
    if (status != LOTOR_OK) {
        return refuse(arguments, status, why.text);
    }
    printf("%s\n", key);
    fflush(stdout);
    fprintf(stderr,
            "This %s key is shown once: keep it. %s has only its hash. A running server accepts it "
            "at once.\nTo revoke it, use lotor key revoke, or delete its line there.\n",
            lotor_roles_write(setup.roles, roles), path);
    lotor_wipe(key, sizeof key);
    return LOTOR_EXIT_FINE;
}

/* --- listing ---------------------------------------------------------------------------------- */

typedef struct key_list {
    bool is_json;
    size_t keys, bad;
    uint64_t now;
    lotor_text bad_lines; /* their numbers, separated by commas */
} key_list;

static void print_text(const key_list *list, const lotor_key_grant *grant)
{
    char roles[LOTOR_ROLES_ROOM], time[LOTOR_KEY_TIME_LENGTH + 1] = "never";
    if (grant->expires > 0) {
        lotor_key_time_write(grant->expires, time);
    }
    if (list->keys == 0) {
        printf("%-8s  %-16s  %-12s  %-20s  %s\n", "ID", "ROLES", "CAMPAIGN", "EXPIRES", "NAME");
    }
    printf("%-8s  %-16s  %-12s  %-20s  %s%s\n", grant->id, lotor_roles_write(grant->roles, roles),
           grant->campaign[0] ? grant->campaign : "(all)", time, grant->name,
           grant->expires > 0 && grant->expires <= list->now ? " (expired)" : "");
}

static void print_json(const key_list *list, const lotor_key_grant *grant)
{
    char roles[LOTOR_ROLES_ROOM], time[LOTOR_KEY_TIME_LENGTH + 1];
    printf("%s{\"id\": \"%s\", \"roles\": \"%s\", \"name\": ", list->keys > 0 ? ", " : "",
           grant->id, lotor_roles_write(grant->roles, roles));
    lotor_print_json_string(stdout, grant->name);
    fputs(", \"campaign\": ", stdout);
    if (grant->campaign[0]) {
        printf("\"%s\"", grant->campaign);
    } else {
        fputs("null", stdout);
    }
    fputs(", \"expires\": ", stdout);
    if (grant->expires > 0) {
        lotor_key_time_write(grant->expires, time);
        printf("\"%s\"", time);
    } else {
        fputs("null", stdout);
    }
    printf(", \"expired\": %s}",
           grant->expires > 0 && grant->expires <= list->now ? "true" : "false");
}

static void show(void *context, size_t line, const lotor_key_grant *grant)
{
    key_list *const list = context;
    if (!grant) {
        lotor_text_print(&list->bad_lines, "%s%zu", list->bad > 0 ? ", " : "", line);
        list->bad++;
        return;
    }
    if (list->is_json) {
        print_json(list, grant);
    } else {
        print_text(list, grant);
    }
    list->keys++;
}

static void show_bad_lines(const key_list *list, const char *path)
{
    const bool is_one = list->bad == 1;
    fprintf(stderr, "%zu line%s of %s %s not a key and count%s for nothing: %s\n", list->bad,
            is_one ? "" : "s", path, is_one ? "is" : "are", is_one ? "s" : "",
            list->bad_lines.bytes);
}

static int show_all(const lotor_arguments *arguments, const char *path)
{
    key_list list = {.is_json = arguments->values[JSON].given, .now = lotor_time_wall_ms() / 1000};
    lotor_message why;
    if (list.is_json) {
        fputs("{\"keys\": [", stdout);
    }
    lotor_status status = lotor_key_list(path, show, &list, &why);
    if (status == LOTOR_OK) {
        status = lotor_text_status(&list.bad_lines, &why);
    }
    const bool is_fine = status == LOTOR_OK || status == LOTOR_UNKNOWN;
    if (list.is_json) {
        printf("], \"bad_lines\": [%s]}\n", is_fine && list.bad > 0 ? list.bad_lines.bytes : "");
    }
    if (is_fine && list.keys == 0 && !list.is_json) {
        printf("There are no keys: the key file %s %s.\n", path,
               status == LOTOR_OK ? "is empty" : "does not exist");
    }
    if (is_fine && list.bad > 0) {
        show_bad_lines(&list, path);
    }
    lotor_text_clear(&list.bad_lines);
    return is_fine ? LOTOR_EXIT_FINE : refuse(arguments, status, why.text);
}

/* --- revoking --------------------------------------------------------------------------------- */

static int revoke_key(const lotor_arguments *arguments, const char *path)
{
    lotor_key_grant gone;
    char roles[LOTOR_ROLES_ROOM];
    lotor_message why;
    if (arguments->word_count != 2) {
        return refuse(arguments, LOTOR_INVALID,
                      "expected one name or id of a key: lotor key revoke NAME --store FILE");
    }
    const lotor_status status = lotor_key_revoke(path, arguments->words[1], &why, &gone);
    if (status != LOTOR_OK) {
        return refuse(arguments, status, why.text);
    }
    printf("The key %s (%s, %s) is revoked.\nA running server refuses it within a second.\n",
           gone.name, gone.id, lotor_roles_write(gone.roles, roles));
    return LOTOR_EXIT_FINE;
}

static int run_key(const lotor_arguments *arguments)
{
    const lotor_option_value *const values = arguments->values;
    const char *const what = arguments->word_count > 0 ? arguments->words[0] : "";
    const bool is_list = strcmp(what, "list") == 0, is_revoke = strcmp(what, "revoke") == 0;
    char path[PATH_MAX];
    lotor_message why;
    if (arguments->word_count > 0 && !is_list && !is_revoke) {
        lotor_explain(&why,
                      "%s is not an action: expected list, revoke NAME, or --role to make a key",
                      lotor_quote_text(what).text);
        return refuse(arguments, LOTOR_INVALID, why.text);
    }
    if ((is_list || is_revoke) && (values[ROLE].given || values[NAME].given ||
                                   values[CAMPAIGN].given || values[EXPIRES].given)) {
        lotor_explain(&why, "--role, --name, --campaign and --expires are for new keys, not for %s",
                      what);
        return refuse(arguments, LOTOR_INVALID, why.text);
    }
    const lotor_status status = find_path(values, &why, path);
    if (status != LOTOR_OK) {
        return refuse(arguments, status, why.text);
    }
    if (is_list) {
        return show_all(arguments, path);
    }
    return is_revoke ? revoke_key(arguments, path) : make(arguments, path);
}
#else
static int run_key(const lotor_arguments *arguments)
{
    return lotor_no_service(arguments->command);
}
#endif

const lotor_command lotor_command_key = {
    .name = "key",
    .summary = "make, list and revoke keys for the service",
    .usage = "--store FILE --role ROLES [--name NAME] [--campaign NAME] [--expires TIME]\n"
             "       lotor key list --store FILE [--json]\n"
             "       lotor key revoke NAME --store FILE",
    .about = "Makes a bearer key, prints it once, and appends the hash of the key to FILE.keys. "
             "Only the owner of that file may read it. A request sends the key in the header "
             "\"Authorization: Bearer KEY\". Roles say what a key may do, and a key may have "
             "several roles. A key for one campaign can do nothing in other campaigns.\n\nlotor "
             "key list shows all keys, without the secrets. lotor key revoke deletes a key, by its "
             "name or its id. A running server notices within a second.",
    .examples = "  KEY=$(lotor key --store shop.db --role admin --name me)\n"
                "  lotor key --store shop.db --role rank,reward --name web-1 --campaign banner "
                "--expires 90d\n"
                "  lotor key list --store shop.db\n"
                "  lotor key revoke web-1 --store shop.db\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .word_limit = 2,
    .run = run_key,
};
