/* stopping.h - stopping rules on a given byte source, for tests. */
#ifndef LOTOR_PRIVACY_RELEASE_STOPPING_H
#define LOTOR_PRIVACY_RELEASE_STOPPING_H

#include <lotor/stopping.h>

#include "base/source.h"

/* As lotor_stopping_new, but `source` is borrowed: it must outlive the rule. */
lotor_status lotor_stopping_new_on(const lotor_stopping_params *params, lotor_source *source,
                                   lotor_message *why, lotor_stopping **out);

#endif
