/* device.c - makes a report with a secure random source of its own (lotor/randomizer.h). Every
 * report gets a new source, so no two threads share one. This costs some microseconds, and a device
 * makes one report per decision.
 */
#include <lotor/randomizer.h>

#include "base/message.h"
#include "base/secure.h"
#include "privacy/local/randomize.h"

lotor_status lotor_randomizer_report(const lotor_randomizer *randomizer,
                                     const lotor_feedback *feedback, lotor_message *why,
                                     int64_t *report, size_t *count)
{
    lotor_source *source;
    *count = 0;
    lotor_status status = lotor_secure_new(&source);
    if (status == LOTOR_MEMORY) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a report");
    }
    if (status == LOTOR_OK) {
        status = lotor_randomize(randomizer, feedback, source, why, report, count);
        lotor_secure_free(source);
    }
    if (status == LOTOR_ENTROPY) {
        lotor_explain(why, "the system gives no random bytes: nothing may be sent");
    }
    return status;
}
