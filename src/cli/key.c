/* key.c - lotor key: makes a bearer key for the service. */
#include <limits.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/print.h"
#include "cli/serve.h"
#ifdef LOTOR_SERVICE
#include "base/memory.h"
#include "service/http/keys.h"
#include "service/store/store.h"
#endif

enum { STORE, ROLE, NAME, KEYS };

static const lotor_option options[] = {
    [STORE] = {.name = "store",
               .kind = LOTOR_OPTION_TEXT,
               .placeholder = "FILE",
               .help = "the service's store; the key goes into FILE.keys"},
    [ROLE] = {.name = "role",
              .kind = LOTOR_OPTION_CHOICE,
              .required = true,
              .placeholder = "ROLE",
              .choices = "rank|reward|admin",
              .help = "what the key may do: ask for decisions (rank), send feedback (reward), or "
                      "everything (admin)"},
    [NAME] = {.name = "name",
              .kind = LOTOR_OPTION_TEXT,
              .placeholder = "NAME",
              .initial = "-",
              .help = "a name for the key, to find its line in the file"},
    [KEYS] = {.name = "keys",
              .kind = LOTOR_OPTION_TEXT,
              .placeholder = "FILE",
              .help = "the file of keys (default: FILE.keys)"},
};

#ifdef LOTOR_SERVICE
static int run_key(const lotor_arguments *arguments)
{
    const lotor_option_value *const values = arguments->values;
    char path[PATH_MAX], key[LOTOR_KEY_LENGTH + 1];
    lotor_role role = LOTOR_ROLE_NONE;
    lotor_message why;
    if (!values[STORE].text && !values[KEYS].text) {
        return lotor_command_refuse(arguments->command, LOTOR_INVALID,
                                    "expected --store FILE, the service's store");
    }
    if (values[STORE].text && lotor_store_is_address(values[STORE].text) && !values[KEYS].text) {
        return lotor_command_refuse(arguments->command, LOTOR_INVALID,
                                    "a database has no files next to it: give --keys FILE");
    }
    if (!lotor_serve_path(values[STORE].text, ".keys", values[KEYS].text, path, sizeof path)) {
        return lotor_command_refuse(arguments->command, LOTOR_INVALID,
                                    "the path of the store is too long");
    }
    lotor_role_find(values[ROLE].text, &role);
    const lotor_status status = lotor_key_make(path, role, values[NAME].text, &why, key);
    if (status == LOTOR_IO) {
        lotor_print_complaint(arguments->command, "%s", why.text);
        return LOTOR_EXIT_FAILED;
    }
    if (status != LOTOR_OK) {
        return lotor_command_refuse(arguments->command, status, why.text);
    }
    printf("%s\n", key);
    fflush(stdout);
    fprintf(stderr,
            "This %s key is shown once and not kept: %s has its hash. A running server takes it "
            "at once.\nTo take it back, delete its line there.\n",
            values[ROLE].text, path);
    lotor_wipe(key, sizeof key);
    return LOTOR_EXIT_FINE;
}
#else
static int run_key(const lotor_arguments *arguments)
{
    return lotor_no_service(arguments->command);
}
#endif

const lotor_command lotor_command_key = {
    .name = "key",
    .summary = "make a key for the service",
    .usage = "--store FILE --role rank|reward|admin [--name NAME]",
    .about = "Makes a bearer key, prints it once, and appends its hash to FILE.keys, which only "
             "its owner may read. A request sends the key in the header \"Authorization: Bearer "
             "KEY\". A rank key may ask for decisions, a reward key may send feedback, an admin "
             "key may do everything. To revoke a key, delete its line in FILE.keys.",
    .examples = "  KEY=$(lotor key --store shop.db --role admin)\n"
                "  lotor key --store shop.db --role rank --name web-1\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run_key,
};
