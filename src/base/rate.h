/* rate.h - a small probability in words: "26 times in 100", "4.7 times in 100". */
#ifndef LOTOR_BASE_RATE_H
#define LOTOR_BASE_RATE_H

enum { LOTOR_RATE_ROOM = 64 };

/* Writes a rate with two digits or more, rounded down: "26 in 100", or "26 times in 100" if `unit` is " times".
 * Returns NULL and writes "" if the rate is below 10 in 1,000,000,000,000. */
const char *lotor_rate(double rate, const char *unit, char text[LOTOR_RATE_ROOM]);

#endif
