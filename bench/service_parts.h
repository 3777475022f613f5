/* service_parts.h - what bench_service.c measures against, and with. */
#ifndef LOTOR_BENCH_SERVICE_PARTS_H
#define LOTOR_BENCH_SERVICE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A server that says {} to everything, set up as `lotor serve` is, in a process of its own that dies
 * with this one. Returns its process, or -1. */
pid_t service_empty_start(uint16_t *port);

/* h2load --h1: requests a second of POST `path` with `body` over 64 connections; below 0: it could not
 * be measured, and standard error says why. `rate`: 0 as fast as it goes, else requests a second.
 * *p99: the 99th percentile of the time from request to reply, in milliseconds, where rate > 0. */
typedef struct service_load {
    const char *folder; /* for its files */
    uint16_t port;
    const char *path, *key;
    double seconds, rate;
} service_load;
double service_h2load(const service_load *load, double *p99);

/* fdatasync a second, each after writing 4 KiB: at the end of a growing file, or over the same place. */
double service_fdatasync_rate(const char *folder, bool grows, double seconds);

double service_median(double *values, size_t count); /* sorts them */
double service_resident_megabytes(pid_t pid);

#endif
