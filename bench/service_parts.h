/* service_parts.h - requests, an empty server, h2load and the disk, with which bench_service.c and
 * bench_shared.c measure and compare. */
#ifndef LOTOR_BENCH_SERVICE_PARTS_H
#define LOTOR_BENCH_SERVICE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>

#include "service/client/client.h"

/* Writes to standard error what the server replied to `request`. */
void service_show_reply(const char *request, const lotor_reply *reply);

/* POSTs `body`, and frees it. Returns the reply, or NULL: the request was refused or lost, and
 * the server's message is on standard error. */
json_t *service_post(lotor_client *client, const char *path, json_t *body);

/* Starts a server that replies {} to everything, with the settings of `lotor serve`. It is a
 * separate process that ends when this process ends. Returns its process id, or -1. */
pid_t service_empty_start(uint16_t *port);

/* h2load --h1: requests a second of POST `path` with `body` over 64 connections; below 0: the
 * measurement failed, and the reason is on standard error. `seconds` is multiplied by bench_share,
 * but at least 0.2 s are measured. `rate`: requests a second; 0: as fast as possible. *p99: the 99th percentile of the time from request to reply, in milliseconds, where
 * rate > 0. */
typedef struct service_load {
    const char *folder; /* for the files of h2load */
    uint16_t port;
    const char *path, *key;
    const char *body; /* NULL: {} */
    double seconds, rate;
} service_load;
double service_h2load(const service_load *load, double *p99);

/* fdatasync a second, each after writing 4 KiB: at the end of a growing file, or at the same
 * position. Measures for bench_share * `seconds`. 0: the disk failed. */
double service_fdatasync_rate(const char *folder, bool grows, double seconds);

/* Of bench_size(count) values, which it sorts. */
double service_median(double *values, size_t count);
double service_resident_megabytes(pid_t pid); /* below 0: it could not be read */

#endif
