/* audit_program.c - see audit_program.h. */
#include "cli/audit_program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/random/generator.h"
#include "base/time.h"
#include "cli/audit_answer.h"

enum {
    BUFFER = 65536, /* the longest line, in both directions */
    TICK = 100,     /* milliseconds between two looks at the clock */
    SEED_BITS = 53  /* so that a seed is exact as a double, too */
};

extern char **environ;

typedef struct session {
    lotor_audit_program *program;
    const lotor_audit_call *call;
    pid_t pid;
    int to, from;     /* pipes; -1: closed */
    double last;      /* when the program last read or wrote something */
    size_t asked;     /* lines that were put into `question` */
    size_t answered;  /* lines that came back */
    size_t sent, end; /* of `question`: bytes written, and bytes held */
    size_t held;      /* bytes of `answer` */
    char question[BUFFER], answer[BUFFER];
} session;

/* --- the process -------------------------------------------------------------------------------- */

static void close_end(int *end)
{
    if (*end >= 0) {
        close(*end);
        *end = -1;
    }
}

static int spawn(const char *command, int input, int output, pid_t *pid)
{
    char *const arguments[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)command, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, pipe_signal;
    sigemptyset(&none);
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed) {
        return failed;
    }
    failed = posix_spawnattr_init(&attributes);
    if (failed) {
        posix_spawn_file_actions_destroy(&actions);
        return failed;
    }
    failed = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    /* A separate process group: the audit can end everything that the program starts. */
    failed = failed ? failed
                    : posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
                                                                POSIX_SPAWN_SETSIGDEF |
                                                                POSIX_SPAWN_SETSIGMASK);
    failed = failed ? failed : posix_spawnattr_setpgroup(&attributes, 0);
    failed = failed ? failed : posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
    failed = failed ? failed : posix_spawnattr_setsigmask(&attributes, &none);
    failed =
        failed ? failed : posix_spawn(pid, "/bin/sh", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static lotor_status start(session *self, lotor_message *why)
{
    int question[2] = {-1, -1}, answer[2] = {-1, -1};
    int failed = pipe2(question, O_CLOEXEC) == 0 && pipe2(answer, O_CLOEXEC) == 0 ? 0 : errno;
    if (!failed && (fcntl(question[1], F_SETFL, O_NONBLOCK) != 0 ||
                    fcntl(answer[0], F_SETFL, O_NONBLOCK) != 0)) {
        failed = errno;
    }
    failed = failed ? failed : spawn(self->program->command, question[0], answer[1], &self->pid);
    close_end(&question[0]);
    close_end(&answer[1]);
    self->to = question[1];
    self->from = answer[0];
    return failed
               ? lotor_fail(LOTOR_IO, why, "the program could not be started: %s", strerror(failed))
               : LOTOR_OK;
}

/* --- lines -------------------------------------------------------------------------------------- */

/* Puts as many lines into the empty buffer as fit. */
static void ask(session *self)
{
    const lotor_audit_call *call = self->call;
    const char *input = self->program->inputs[call->input];
    self->sent = self->end = 0;
    while (self->asked < call->runs) {
        const uint64_t seed =
            lotor_mix(call->seed + (self->asked + 1) * UINT64_C(0x9e3779b97f4a7c15));
        const size_t room = sizeof self->question - self->end;
        const int length = snprintf(self->question + self->end, room, "%" PRIu64 " %s\n",
                                    seed >> (64 - SEED_BITS), input);
        if (length < 0 || (size_t)length >= room) {
            return;
        }
        self->end += (size_t)length;
        self->asked++;
    }
}

/* Writes what the pipe takes. */
static void send_lines(session *self)
{
    if (self->sent == self->end) {
        ask(self);
    }
    const ssize_t sent = write(self->to, self->question + self->sent, self->end - self->sent);
    if (sent > 0) {
        self->sent += (size_t)sent;
        self->last = lotor_time_seconds();
    }
    const bool is_broken = sent < 0 && errno != EAGAIN && errno != EINTR;
    if (is_broken || (self->sent == self->end && self->asked == self->call->runs)) {
        close_end(&self->to); /* a broken pipe shows as missing answers */
    }
}

static lotor_status take_line(session *self, const char *line, size_t length, lotor_message *why)
{
    const lotor_audit_call *call = self->call;
    if (self->answered == call->runs) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the program printed more lines than it read (%zu); the first line "
                          "too many is %s: print one line for each",
                          call->runs, lotor_quote(line, length).text);
    }
    lotor_message reason;
    const lotor_status status = lotor_audit_answer_read(
        line, length, call->capacity, &reason, call->outputs + self->answered * call->capacity,
        &call->counts[self->answered]);
    if (status != LOTOR_OK) {
        return lotor_fail(status, why, "line %zu that the program printed: %.200s",
                          self->answered + 1, reason.text);
    }
    self->answered++;
    return LOTOR_OK;
}

/* Takes all complete lines from the buffer; at the end also one without a newline. */
static lotor_status take_lines(session *self, bool at_end, lotor_message *why)
{
    size_t from = 0;
    lotor_status status = LOTOR_OK;
    while (status == LOTOR_OK && from < self->held) {
        const char *newline = memchr(self->answer + from, '\n', self->held - from);
        if (!newline && !at_end) {
            break;
        }
        const size_t length = newline ? (size_t)(newline - self->answer) - from : self->held - from;
        status = take_line(self, self->answer + from, length, why);
        from += length + (newline != NULL);
    }
    memmove(self->answer, self->answer + from, self->held - from);
    self->held -= from;
    if (status == LOTOR_OK && self->held == sizeof self->answer) {
        return lotor_fail(LOTOR_INVALID, why,
                          "line %zu that the program printed is longer than %d bytes: %s",
                          self->answered + 1, BUFFER, lotor_quote(self->answer, BUFFER).text);
    }
    return status;
}

static lotor_status receive_lines(session *self, lotor_message *why)
{
    const ssize_t got =
        read(self->from, self->answer + self->held, sizeof self->answer - self->held);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return LOTOR_OK;
    }
    if (got > 0) {
        self->held += (size_t)got;
        self->last = lotor_time_seconds();
    } else {
        close_end(&self->from);
    }
    return take_lines(self, got <= 0, why);
}

/* --- the conversation --------------------------------------------------------------------------- */

/* True if it must end now: it was stopped, or the program is silent. */
static lotor_status check_time(const session *self, lotor_message *why)
{
    if (atomic_load(&self->program->is_stopped)) {
        return LOTOR_STOPPED;
    }
    if (lotor_time_seconds() - self->last < self->program->timeout) {
        return LOTOR_OK;
    }
    return lotor_fail(LOTOR_INVALID, why,
                      "the program neither read nor printed anything for %g seconds, after %zu of "
                      "%zu lines: it must end when its input ends; give a slow program more time "
                      "by --timeout",
                      self->program->timeout, self->answered, self->call->runs);
}

static lotor_status converse(session *self, lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    while (status == LOTOR_OK && self->from >= 0) {
        struct pollfd ends[] = {{.fd = self->from, .events = POLLIN},
                                {.fd = self->to, .events = POLLOUT}};
        if (poll(ends, 2, TICK) < 0 && errno != EINTR) {
            return lotor_fail(LOTOR_IO, why, "waiting for the program failed: %s", strerror(errno));
        }
        if (ends[1].revents) {
            send_lines(self);
        }
        if (ends[0].revents) {
            status = receive_lines(self, why);
        }
        if (status == LOTOR_OK && self->from >= 0) {
            status = check_time(self, why);
        }
    }
    close_end(&self->to);
    return status;
}

/* Waits until the program has ended. It has closed its output already. */
static lotor_status await_end(session *self, lotor_message *why, int *code)
{
    for (;;) {
        const pid_t ended = waitpid(self->pid, code, WNOHANG);
        if (ended == self->pid) {
            self->pid = 0;
            return LOTOR_OK;
        }
        if (ended < 0 && errno != EINTR) {
            return lotor_fail(LOTOR_IO, why, "waiting for the program failed: %s", strerror(errno));
        }
        const lotor_status status = check_time(self, why);
        if (status != LOTOR_OK) {
            return status;
        }
        poll(NULL, 0, 1);
    }
}

/* Judges how the program ended. */
static lotor_status check_end(const session *self, int code, lotor_message *why)
{
    const size_t runs = self->call->runs;
    char words[80] = "it ended without an error";
    if (WIFSIGNALED(code)) {
        snprintf(words, sizeof words, "it was ended by signal %d", WTERMSIG(code));
    } else if (WEXITSTATUS(code) == 127) {
        snprintf(words, sizeof words, "it ended with exit status 127 (command not found)");
    } else if (WEXITSTATUS(code) != 0) {
        snprintf(words, sizeof words, "it ended with exit status %d", WEXITSTATUS(code));
    }
    if (self->answered < runs) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the program answered %zu of %zu lines, and %s: it must read lines until "
                          "its input ends, and print one line of numbers for each",
                          self->answered, runs, words);
    }
    if (WIFSIGNALED(code) || WEXITSTATUS(code) != 0) {
        return lotor_fail(LOTOR_INVALID, why, "the program answered all %zu lines, but %s", runs,
                          words);
    }
    return LOTOR_OK;
}

lotor_status lotor_audit_program_run(void *context, const lotor_audit_call *call,
                                     lotor_message *why)
{
    session *self = malloc(sizeof *self);
    if (!self) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for an audit");
    }
    self->program = context;
    self->call = call;
    self->pid = 0;
    self->to = self->from = -1;
    self->asked = self->answered = self->sent = self->end = self->held = 0;
    self->last = lotor_time_seconds();
    int code = 0;
    lotor_status status = start(self, why);
    if (status == LOTOR_OK) {
        status = converse(self, why);
    }
    if (status == LOTOR_OK) {
        status = await_end(self, why, &code);
    }
    if (status == LOTOR_OK) {
        status = check_end(self, code, why);
    }
    close_end(&self->to);
    close_end(&self->from);
    if (self->pid > 0) {
        kill(-self->pid, SIGKILL);
        while (waitpid(self->pid, &code, 0) < 0 && errno == EINTR) {
        }
    }
    free(self);
    return status;
}
