/* counter.c - private counting in four calls.
 *
 *     cc counter.c -llotor -o counter && ./counter
 */
#include <stdio.h>

#include <lotor/lotor.h>

int main(void)
{
    const lotor_counter_params params = {
        .mechanism = "tree",
        .epsilon = lotor_ratio_of(1, 1),
        .horizon = 100000,
        .low = 0.0,
        .high = 1.0,
    };
    lotor_message why;
    lotor_counter *counter;
    if (lotor_counter_new(&params, &why, &counter) != LOTOR_OK) {
        fprintf(stderr, "%s\n", why.text);
        return 1;
    }
    for (int person = 0; person < 100000; person++) {
        const double answer = person % 4 == 0 ? 1.0 : 0.0; /* 25,000 of them say yes */
        if (lotor_counter_add(counter, answer, &why) != LOTOR_OK) {
            fprintf(stderr, "%s\n", why.text);
            lotor_counter_free(counter);
            return 1;
        }
    }
    printf("about %.0f of %llu said yes\n\n", lotor_counter_value(counter),
           (unsigned long long)lotor_counter_added_count(counter));

    lotor_guarantee guarantee;
    char text[2000];
    lotor_counter_guarantee(counter, &guarantee);
    lotor_guarantee_text(&guarantee, text, sizeof text);
    printf("%s", text);
    lotor_counter_free(counter);
    return 0;
}
