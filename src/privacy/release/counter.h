/* counter.h - counters on a given byte source: for tests, and for callers that own many
 * counters. */
#ifndef LOTOR_PRIVACY_RELEASE_COUNTER_H
#define LOTOR_PRIVACY_RELEASE_COUNTER_H

#include <lotor/counter.h>

#include "base/source.h"

/* lotor_counter_new and lotor_counter_load with a borrowed `source`, which must outlive the
 * counter. */
lotor_status lotor_counter_new_on(const lotor_counter_params *params, lotor_source *source,
                                  lotor_message *why, lotor_counter **out);
lotor_status lotor_counter_load_on(const unsigned char *bytes, size_t length, lotor_source *source,
                                   lotor_message *why, lotor_counter **out);

#endif
