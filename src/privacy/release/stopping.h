/* stopping.h - stopping rules with a given noise, for tests. */
#ifndef LOTOR_PRIVACY_RELEASE_STOPPING_H
#define LOTOR_PRIVACY_RELEASE_STOPPING_H

#include <lotor/stopping.h>

#include "base/source.h"
#include "privacy/noise/noise.h"

/* lotor_stopping_new with a borrowed `source`, which must outlive the rule. */
lotor_status lotor_stopping_new_on(const lotor_stopping_params *params, lotor_source *source,
                                   lotor_message *why, lotor_stopping **out);

/* The same with any noise. */
lotor_status lotor_stopping_new_with(const lotor_stopping_params *params, lotor_noise noise,
                                     lotor_message *why, lotor_stopping **out);

#endif
