/* serve_parts.c - see serve.h. */
#include "cli/serve.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/message.h"
#include "cli/command.h"
#include "cli/print.h"

int lotor_no_service(const char *command)
{
    lotor_print_complaint(
        command, "this lotor was built without the service, which needs libmicrohttpd, "
                 "gnutls, jansson and sqlite3: install their development packages (scripts/deps "
                 "does on Debian and Ubuntu) and build again");
    return LOTOR_EXIT_FAILED;
}

bool lotor_serve_path(const char *store, const char *ending, const char *given, char *path,
                      size_t capacity)
{
    const int length = given ? snprintf(path, capacity, "%s", given)
                             : snprintf(path, capacity, "%s%s", store, ending);
    return length >= 0 && (size_t)length < capacity;
}

/* A leak checker must be able to read the process; only builds for testing have one. */
#if defined(__SANITIZE_ADDRESS__)
enum { DUMPABLE = 1 };
#else
enum { DUMPABLE = 0 };
#endif

lotor_status lotor_serve_harden(lotor_message *why)
{
    const struct rlimit none = {0, 0};
    struct rlimit files;
    umask(077);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || setrlimit(RLIMIT_CORE, &none) != 0 ||
        prctl(PR_SET_DUMPABLE, DUMPABLE, 0, 0, 0) != 0) {
        return lotor_fail(LOTOR_IO, why,
                          "the server could not protect its memory from other processes (no core "
                          "dump, no new privileges): %s",
                          strerror(errno));
    }
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) { /* allow many connections; may fail */
        files.rlim_cur = files.rlim_max < 65536 ? files.rlim_max : 65536;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    return LOTOR_OK;
}
