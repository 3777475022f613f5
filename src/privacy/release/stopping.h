/* stopping.h - stopping rules on a given byte source, for tests. */
#ifndef LOTOR_PRIVACY_RELEASE_STOPPING_H
#define LOTOR_PRIVACY_RELEASE_STOPPING_H

#include <lotor/stopping.h>

#include "base/source.h"

/* lotor_stopping_new with a borrowed `source`, which must outlive the rule. */
lotor_status lotor_stopping_new_on(const lotor_stopping_params *params, lotor_source *source,
                                   lotor_message *why, lotor_stopping **out);

#endif
