/* fuzz_settings.c - reads a file of options, as lotor serve --config does. The file is accepted, or
 * refused with a message that names the file. */
#include "fuzz.h"

#include <unistd.h>

#include "cli/command.h"
#include "cli/settings.h"

static char path[] = "/dev/shm/lotor-fuzz.XXXXXX";
static int file = -1;

static void end(void)
{
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *const environment[] = {"LOTOR_THREADS=3", NULL};
    const lotor_command *const serve = lotor_command_find("serve");
    lotor_arguments arguments;
    lotor_settings settings;
    lotor_message why = {""};
    if (file < 0) {
        file = mkstemp(path);
        CHECK(file >= 0);
        atexit(end);
    }
    CHECK(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    size_t config = 0;
    while (strcmp(serve->options[config].name, "config") != 0) {
        config++;
    }
    char *words[] = {"--config", path};
    CHECK(lotor_options_parse(serve->options, serve->option_count, 0, 2, words, &why, &arguments) ==
          LOTOR_OK);
    const lotor_status status = lotor_settings_read(serve->options, serve->option_count, config,
                                                    &arguments, environment, &why, &settings);
    if (status == LOTOR_OK) {
        for (size_t i = 0; i < serve->option_count; i++) {
            const bool is_threads = strcmp(serve->options[i].name, "threads") == 0;
            CHECK(!is_threads || settings.values[i].whole == 3);
        }
    } else {
        CHECK(status == LOTOR_INVALID && strstr(why.text, "lotor-fuzz"));
    }
    lotor_settings_free(&settings);
    lotor_arguments_free(&arguments);
    return 0;
}
