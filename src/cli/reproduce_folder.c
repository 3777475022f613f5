/* reproduce_folder.c - prepares the folder for the report, before anything is played. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/quote.h"
#include "cli/reproduce.h"

/* Makes the folder and its parents. */
static lotor_status make_folder(const char *folder, lotor_message *why)
{
    char path[LOTOR_REPRODUCE_PATH];
    snprintf(path, sizeof path, "%s", folder);
    for (char *at = path + 1; *at; at++) {
        if (*at == '/') {
            *at = '\0';
            (void)mkdir(path, 0777); /* errors show below */
            *at = '/';
        }
    }
    struct stat facts;
    if ((mkdir(path, 0777) != 0 && errno != EEXIST) || stat(path, &facts) != 0) {
        char text[128];
        return lotor_fail(LOTOR_IO, why, "--out %s: the folder could not be made: %s",
                          lotor_quote_text(folder).text, strerror_r(errno, text, sizeof text));
    }
    return S_ISDIR(facts.st_mode) ? LOTOR_OK
                                  : lotor_fail(LOTOR_IO, why, "--out %s: it is not a folder",
                                               lotor_quote_text(folder).text);
}

/* Tests whether files can be written, so that an error shows before hours of work. */
static lotor_status try_folder(const char *folder, lotor_message *why)
{
    char path[LOTOR_REPRODUCE_PATH], text[128];
    snprintf(path, sizeof path, "%s/.probe.partial", folder);
    FILE *file = fopen(path, "we");
    const bool is_written = file && fputc('\n', file) != EOF;
    const int error = errno;
    const bool is_closed = file && fclose(file) == 0;
    if (file) {
        (void)unlink(path);
    }
    return is_written && is_closed
               ? LOTOR_OK
               : lotor_fail(LOTOR_IO, why,
                            "--out %s: nothing can be written there: %s; give a folder that may be "
                            "written to and has room",
                            lotor_quote_text(folder).text,
                            strerror_r(is_written ? errno : error, text, sizeof text));
}

lotor_status lotor_reproduce_folder(const char *folder, lotor_message *why)
{
    const lotor_status status = make_folder(folder, why);
    return status == LOTOR_OK ? try_folder(folder, why) : status;
}
