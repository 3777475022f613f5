/* child.c - runs `lotor serve` as a child process. See child.h. */
#include "service/client/child.h"
#include "base/time.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/message.h"
#include "service/client/client.h"

enum { PATIENCE = 10, ARGUMENTS_MOST = 32 };

static void sleep_milliseconds(unsigned count)
{
    usleep(1000 * count);
}

/* Finds a port that is free now. If another program takes it before the child does, the child
 * fails and says so. */
static uint16_t free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    uint16_t port = 0;
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe >= 0 && bind(probe, (const struct sockaddr *)&address, sizeof address) == 0 &&
        getsockname(probe, (struct sockaddr *)&address, &size) == 0) {
        port = ntohs(address.sin_port);
    }
    if (probe >= 0) {
        close(probe);
    }
    return port;
}

/* Removes variables that are options of lotor serve: the child has its options on the command
 * line. Only for a process that was just forked. */
static void drop_options(char **environment)
{
    char **kept = environment;
    for (; *environment; environment++) {
        if (strncmp(*environment, "LOTOR_", 6) != 0) {
            *kept++ = *environment;
        }
    }
    *kept = NULL;
}

/* Runs in the child process. Never returns. */
static void become_server(const lotor_child *child)
{
    char port[16];
    const char *arguments[ARGUMENTS_MOST] = {"lotor",  "serve", "--store", child->setup.store,
                                             "--port", port};
    size_t count = 6;
    snprintf(port, sizeof port, "%u", child->port);
    for (size_t i = 0; child->setup.more && child->setup.more[i] && count + 1 < ARGUMENTS_MOST;
         i++) {
        arguments[count++] = child->setup.more[i];
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0); /* Ctrl-C goes to the parent only, which then ends the child */
    signal(SIGPIPE, SIG_DFL);
    const int log = open(child->setup.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (log < 0 || nothing < 0 || dup2(nothing, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0) {
        _exit(127);
    }
    /* A test may limit the size of files: then a write fails, as on a full disk. */
    signal(SIGXFSZ, SIG_IGN);
    drop_options(environ);
    /* execv does not change the arguments, although its type allows it. */
    execv(child->setup.executable, (char *const *)arguments);
    _exit(127);
}

static void describe_log(const lotor_child *child, const char *what, lotor_message *why)
{
    char end[200] = "";
    FILE *log = fopen(child->setup.log, "r");
    if (log) {
        if (fseek(log, -(long)(sizeof end - 1), SEEK_END) != 0) {
            rewind(log);
        }
        end[fread(end, 1, sizeof end - 1, log)] = '\0';
        fclose(log);
    }
    for (size_t length = strlen(end); length > 0 && end[length - 1] == '\n'; length--) {
        end[length - 1] = '\0';
    }
    lotor_explain(why, "the server %s; its log ends: %s", what, end);
}

static bool has_ended(lotor_child *child)
{
    int status;
    if (waitpid(child->pid, &status, WNOHANG) == child->pid) {
        child->pid = 0;
        return true;
    }
    return false;
}

static lotor_status await_ready(lotor_child *child, lotor_message *why)
{
    lotor_client *client;
    const lotor_status status = lotor_client_new("127.0.0.1", child->port, NULL, why, &client);
    if (status != LOTOR_OK) {
        return status;
    }
    const double start = lotor_time_seconds();
    const char *trouble = NULL;
    for (;;) {
        lotor_reply reply;
        if (has_ended(child)) {
            trouble = "ended";
            break;
        }
        if (lotor_client_call(client, "GET", "/readyz", NULL, 1.0, &reply) == LOTOR_REPLY_DONE &&
            reply.status == 200) {
            break;
        }
        if (lotor_time_seconds() - start > (double)PATIENCE) {
            trouble = "was not ready in time";
            break;
        }
        sleep_milliseconds(5);
    }
    lotor_client_free(client);
    if (trouble) {
        describe_log(child, trouble, why);
        lotor_child_kill(child);
        return LOTOR_IO;
    }
    return LOTOR_OK;
}

lotor_status lotor_child_restart(lotor_child *child, lotor_message *why)
{
    const pid_t pid = fork();
    if (pid < 0) {
        return lotor_fail(LOTOR_MEMORY, why, "the process of the server could not be started: %s",
                          strerror(errno));
    }
    if (pid == 0) {
        become_server(child);
    }
    child->pid = pid;
    return await_ready(child, why);
}

lotor_status lotor_child_start(lotor_child *child, const lotor_child_setup *setup,
                               lotor_message *why)
{
    *child = (lotor_child){.setup = *setup, .port = setup->port ? setup->port : free_port()};
    if (child->port == 0) {
        return lotor_fail(LOTOR_BUSY, why, "there is no free port on 127.0.0.1");
    }
    return lotor_child_restart(child, why);
}

void lotor_child_kill(lotor_child *child)
{
    if (child->pid > 0) {
        int status;
        kill(child->pid, SIGKILL);
        while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
        }
        child->pid = 0;
    }
}

int lotor_child_stop(lotor_child *child)
{
    if (child->pid <= 0) {
        return -1;
    }
    kill(child->pid, SIGTERM);
    for (int waited = 0; waited < PATIENCE * 200; waited++) {
        int status;
        if (waitpid(child->pid, &status, WNOHANG) == child->pid) {
            child->pid = 0;
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        }
        sleep_milliseconds(5);
    }
    lotor_child_kill(child);
    return -1;
}

int lotor_child_ask(const char *executable, const char *const *arguments, char *line,
                    size_t capacity)
{
    int ends[2], status;
    line[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (nothing >= 0 && dup2(nothing, 0) >= 0 && dup2(ends[1], 2) >= 0 &&
            dup2(ends[1], 1) >= 0) {
            execv(executable, (char *const *)arguments);
        }
        _exit(127);
    }
    close(ends[1]);
    size_t length = 0;
    for (char byte; pid > 0;) {
        const ssize_t count = read(ends[0], &byte, 1);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            break;
        }
        if (count == 1 && length + 1 < capacity) {
            line[length++] = byte;
        }
    }
    line[length] = '\0';
    line[strcspn(line, "\n")] = '\0';
    close(ends[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
