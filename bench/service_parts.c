/* service_parts.c - requests, an empty server, h2load, and the disk. See service_parts.h. */
#include "service_parts.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <math.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { CONNECTIONS = 64, PAGE = 4096, SAMPLES_MOST = 1 << 22 };

/* A shorter load may end before the first reply comes. */
static const double LEAST_SECONDS = 0.2;

void service_show_reply(const char *request, const lotor_reply *reply)
{
    if (reply->outcome == LOTOR_REPLY_DONE) {
        fprintf(stderr, "%s: status %u: %s\n", request, reply->status, reply->body);
    } else {
        fprintf(stderr, "%s: no reply: %s\n", request, reply->reason);
    }
}

json_t *service_post(lotor_client *client, const char *path, json_t *body)
{
    char *text = json_dumps(body, JSON_COMPACT);
    json_t *json = NULL;
    lotor_reply reply;
    lotor_client_call(client, "POST", path, text, 10.0, &reply);
    if (reply.status == 200 || reply.status == 201) {
        json = json_loadb(reply.body, reply.length, 0, NULL);
    }
    if (!json) {
        service_show_reply(path, &reply);
    }
    free(text);
    json_decref(body);
    return json;
}

static enum MHD_Result say_nothing(void *context, struct MHD_Connection *connection,
                                   const char *url, const char *method, const char *version,
                                   const char *upload, size_t *upload_size, void **state)
{
    static int seen;
    (void)url, (void)method, (void)version, (void)upload;
    if (!*state) {
        *state = &seen; /* the headers are complete; the body follows */
        return MHD_YES;
    }
    if (*upload_size > 0) {
        *upload_size = 0;
        return MHD_YES;
    }
    return MHD_queue_response(connection, MHD_HTTP_OK, context);
}

pid_t service_empty_start(uint16_t *port)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        struct MHD_Response *nothing =
            MHD_create_response_from_buffer(2, "{}", MHD_RESPMEM_PERSISTENT);
        /* The same settings as in http.c, with one thread. */
        struct MHD_Daemon *daemon = MHD_start_daemon(
            MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO, 0, NULL, NULL,
            say_nothing, nothing, MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT,
            2000u, MHD_OPTION_CONNECTION_TIMEOUT, 10u, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
            (size_t)16384, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
        const union MHD_DaemonInfo *info =
            daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
        const uint16_t found = info ? info->port : 0;
        if (write(ends[1], &found, sizeof found) != sizeof found || !daemon) {
            _exit(1);
        }
        for (;;) {
            pause();
        }
    }
    close(ends[1]);
    const bool is_fine = pid > 0 && read(ends[0], port, sizeof *port) == sizeof *port && *port > 0;
    close(ends[0]);
    return is_fine ? pid : -1;
}

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double service_median(double *values, size_t full_count)
{
    const size_t count = bench_size(full_count);
    qsort(values, count, sizeof *values, by_size);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

/* The log has a line for each request: when it began, its status, and how long it took, in
 * microseconds. */
static double percentile(const char *path)
{
    double *times = malloc(SAMPLES_MOST * sizeof *times);
    FILE *log = fopen(path, "r");
    size_t count = 0;
    double began, status, took;
    while (times && log && count < SAMPLES_MOST &&
           fscanf(log, "%lf %lf %lf", &began, &status, &took) == 3) {
        times[count++] = took / 1e3;
    }
    if (log) {
        fclose(log);
    }
    double found = -1.0;
    if (count > 0) {
        qsort(times, count, sizeof *times, by_size);
        found = times[(size_t)(0.99 * (double)(count - 1))];
    }
    free(times);
    return found;
}

/* h2load does not print what the server replied: asks again. */
static void ask_again(const service_load *load)
{
    lotor_client *client = NULL;
    lotor_reply reply;
    if (lotor_client_new("127.0.0.1", load->port, load->key, NULL, &client) != LOTOR_OK) {
        return;
    }
    lotor_client_call(client, "POST", load->path, load->body ? load->body : "{}", 10.0, &reply);
    service_show_reply(load->path, &reply);
    lotor_client_free(client);
}

double service_h2load(const service_load *load, double *p99)
{
    char command[2048], limit[400] = "", line[400], body[300], log[300];
    double rate = -1.0;
    unsigned long good = 0, odd = 0;
    const double seconds = fmax(LEAST_SECONDS, bench_share() * load->seconds);
    snprintf(body, sizeof body, "%s/body", load->folder);
    snprintf(log, sizeof log, "%s/h2load.log", load->folder);
    FILE *file = fopen(body, "w");
    if (!file || fputs(load->body ? load->body : "{}", file) < 0 || fclose(file) != 0) {
        return -1.0;
    }
    if (load->rate > 0.0) {
        /* The first second is left out, since a server that was idle has drawn few decisions
         * ahead. */
        snprintf(limit, sizeof limit, "--rps=%.2f --warm-up-time=1 --log-file=%s",
                 load->rate / (double)CONNECTIONS, log);
        unlink(log);
    }
    snprintf(command, sizeof command,
             "h2load --h1 -t1 -c%d -D%.0fms %s -d %s -H 'Content-Type: application/json' "
             "-H 'Authorization: Bearer %s' http://127.0.0.1:%u%s 2>&1",
             CONNECTIONS, 1e3 * seconds, limit, body, load->key, load->port, load->path);
    FILE *output = popen(command, "r");
    while (output && fgets(line, sizeof line, output)) {
        const char *found = strstr(line, "s, ");
        if (strncmp(line, "finished in", 11) == 0 && found) {
            rate = strtod(found + 3, NULL);
        }
        unsigned long classes[4];
        if (sscanf(line, "status codes: %lu 2xx, %lu 3xx, %lu 4xx, %lu 5xx", &classes[0],
                   &classes[1], &classes[2], &classes[3]) == 4) {
            good = classes[0];
            odd = classes[1] + classes[2] + classes[3];
        }
    }
    if (!output || pclose(output) != 0 || good == 0 || odd > 0) {
        fprintf(stderr, "h2load: %lu good replies and %lu others from port %u%s\n", good, odd,
                load->port, load->path);
        ask_again(load);
        return -1.0;
    }
    if (load->rate > 0.0) {
        *p99 = percentile(log);
        if (*p99 < 0.0) {
            fprintf(stderr, "h2load wrote no times to %s\n", log);
            return -1.0;
        }
    }
    return rate;
}

double service_fdatasync_rate(const char *folder, bool grows, double full_seconds)
{
    const double seconds = bench_share() * full_seconds;
    char path[300];
    static unsigned char page[PAGE];
    snprintf(path, sizeof path, "%s/synced", folder);
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t count = 0;
    off_t at = 0;
    const double start = bench_clock();
    double now = start;
    memset(page, 'x', sizeof page);
    while (file >= 0 && now - start < seconds) {
        if (pwrite(file, page, PAGE, at) != PAGE || fdatasync(file) != 0) {
            count = 0;
            break;
        }
        at += grows ? PAGE : 0;
        count++;
        now = bench_clock();
    }
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    return now > start ? (double)count / (now - start) : 0.0;
}

double service_resident_megabytes(pid_t pid)
{
    char path[64], line[200];
    double kilobytes = -1024.0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "VmRSS:", 6) == 0) {
            kilobytes = strtod(line + 6, NULL);
        }
    }
    if (file) {
        fclose(file);
    }
    return kilobytes / 1024.0;
}
