/* audit.c - tries to break two privacy claims: one that holds, and one of a paper that does not
 * hold.
 *
 *     cc audit.c $(pkg-config --cflags --libs lotor) -o audit && ./audit
 *
 * An audit plays two inputs that differ in one person's feedback, and looks for an event that tells
 * them apart. An event that it finds refutes the claim with the stated confidence. If it finds
 * none, that proves nothing.
 */
#include <stdio.h>
#include <stdlib.h>

#include <lotor/lotor.h>

static lotor_message why;

static void audit(const char *algorithm)
{
    const lotor_audit_params params = {
        .algorithm = algorithm,
        .epsilon = lotor_ratio_of(1, 2),
        .trials = 4000,
    };
    lotor_audit_result result;
    const lotor_status status = lotor_audit_run(&params, &why, &result);
    if (status != LOTOR_OK) {
        fprintf(stderr, "%s: %s\n", lotor_status_name(status), why.text);
        exit(1);
    }
    printf("%s: %s\n", algorithm, result.verdict);
    printf("  claimed  epsilon %g\n", result.epsilon);
    printf("  found    epsilon at least %.3f, with confidence %g\n", result.found,
           result.confidence);
    printf("  event    %s\n", result.event);
}

int main(void)
{
    audit("dp-se");
    audit("cascade-ldp-gauss");
    return 0;
}
