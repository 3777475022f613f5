/* progress.c - a bar on a terminal, and Ctrl-C. See progress.h. */
#include "cli/progress.h"
#include "base/time.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 30 };

/* Set by the signal handler, and polled. There is one per program. */
static volatile sig_atomic_t interrupt_came;

static void note_interrupt(int signal_number)
{
    (void)signal_number;
    interrupt_came = 1;
}

void lotor_progress_begin(lotor_progress *progress, size_t count, double work)
{
    *progress =
        (lotor_progress){.count = count, .work = work, .on_terminal = isatty(STDERR_FILENO) == 1};
    if (sigaction(SIGINT, NULL, &progress->before) != 0 || progress->before.sa_handler == SIG_IGN) {
        return; /* SIGINT is ignored, as for a program started in the background */
    }
    /* A handler and not a blocked signal, because threads of libraries would receive it. The
     * handler is used once, so a second Ctrl-C ends the program at once. */
    struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    interrupt_came = 0;
    progress->watched = sigaction(SIGINT, &action, NULL) == 0;
}

void lotor_progress_next(lotor_progress *progress, const char *name, double work)
{
    progress->name = name;
    progress->number++;
    progress->done += progress->current;
    progress->current = work;
    if (progress->work == 0.0 || progress->number == 1) {
        progress->start = lotor_time_seconds();
    }
}

/* Writes the remaining time roughly: "3 s", "4 min", "2 h". */
static void describe_rest(double seconds, char *text, size_t capacity)
{
    if (seconds < 90.0) {
        snprintf(text, capacity, "%.0f s left", ceil(seconds));
    } else if (seconds < 5400.0) {
        snprintf(text, capacity, "%.0f min left", ceil(seconds / 60.0));
    } else {
        snprintf(text, capacity, "%.1f h left", seconds / 3600.0);
    }
}

static void draw_bar(lotor_progress *progress, double share)
{
    const double elapsed = lotor_time_seconds() - progress->start;
    if (!progress->drawn && elapsed < 0.3) {
        return; /* most work ends before this; then no bar is needed */
    }
    share = fmin(fmax(share, 0.0), 1.0);
    char rest[32] = "", place[48] = "", bar[BAR + 1];
    if (share > 0.005) {
        describe_rest(elapsed * (1.0 - share) / share, rest, sizeof rest);
    }
    if (progress->count > 1) {
        snprintf(place, sizeof place, " (%zu of %zu)", progress->number, progress->count);
    }
    const size_t filled = (size_t)(share * (double)BAR);
    memset(bar, '.', BAR);
    memset(bar, '#', filled);
    bar[BAR] = '\0';
    fprintf(stderr, "\r\033[K%s%s [%s] %3.0f%%  %s", progress->name, place, bar,
            floor(100.0 * share), rest);
    fflush(stderr);
    progress->drawn = true;
}

bool lotor_progress_tell(void *context, double share)
{
    lotor_progress *progress = context;
    progress->interrupted = progress->watched && interrupt_came;
    if (progress->on_terminal) {
        draw_bar(progress, progress->work > 0.0
                               ? (progress->done + share * progress->current) / progress->work
                               : share);
    }
    return progress->interrupted;
}

void lotor_progress_wipe(lotor_progress *progress)
{
    if (progress->drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        progress->drawn = false;
    }
}

void lotor_progress_end(lotor_progress *progress)
{
    lotor_progress_wipe(progress);
    if (progress->watched) {
        sigaction(SIGINT, &progress->before, NULL);
    }
}
