/* agreement.c - see agreement.h. */
#include "support/agreement.h"

#include <math.h>

#include "support/cmocka_all.h"

estimate plain_estimate(const plain_setting *setting, uint64_t runs)
{
    double sum = 0.0, squares = 0.0;
    for (uint64_t run = 0; run < runs; run++) {
        const double regret = plain_regret(setting, 1000 + run);
        assert_true(!isnan(regret));
        sum += regret;
        squares += regret * regret;
    }
    const double n = (double)runs, mean = sum / n;
    return (estimate){mean, sqrt(fmax(0.0, squares / n - mean * mean) / (n - 1.0))};
}

estimate library_estimate(const lotor_experiment *trial)
{
    lotor_experiment_result result;
    lotor_message why = {""};
    if (lotor_experiment_run(trial, &why, &result) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    const estimate found = {result.regret_mean, result.regret_stderr};
    lotor_experiment_result_free(&result);
    return found;
}

void expect_agreement(const char *what, estimate plain, estimate library)
{
    const double error = hypot(plain.error, library.error);
    if (!(fabs(plain.mean - library.mean) <= 4.0 * error + 1e-9 * fabs(plain.mean))) {
        fail_msg("%s: plain %.2f +- %.2f, library %.2f +- %.2f", what, plain.mean, plain.error,
                 library.mean, library.error);
    }
}
