/* report_file.c - see report_file.h. */
#include "papers/report_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/records.h"

static lotor_status unwritable(const char *file, int error, lotor_message *why)
{
    char text[128];
    return lotor_fail(LOTOR_IO, why,
                      "%s can't be written: %s; give a folder that exists, may be written to and "
                      "has room",
                      lotor_excerpt(file, strlen(file)).text, strerror_r(error, text, sizeof text));
}

lotor_status lotor_report_write_file(const lotor_text *text, const char *file, lotor_message *why)
{
    lotor_status status = lotor_text_status(text, why);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_text partial = {0};
    lotor_text_print(&partial, "%s.partial", file);
    status = lotor_text_status(&partial, why);
    if (status == LOTOR_OK) {
        int error = lotor_text_write(text, partial.bytes);
        if (!error && rename(partial.bytes, file) != 0) {
            error = errno;
        }
        if (error) {
            unlink(partial.bytes);
            status = unwritable(file, error, why);
        }
    }
    lotor_text_clear(&partial);
    return status;
}

lotor_status lotor_report_write(const lotor_text *text, const char *folder, const char *name,
                                lotor_message *why)
{
    lotor_text file = {0};
    lotor_text_print(&file, "%s/%s", folder, name);
    lotor_status status = lotor_text_status(&file, why);
    status = status == LOTOR_OK ? lotor_report_write_file(text, file.bytes, why) : status;
    lotor_text_clear(&file);
    return status;
}
