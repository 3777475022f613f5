/* simulate.c - what does privacy cost? Regret over 100,000 rounds, without privacy and at three
 * epsilons.
 *
 *     cc simulate.c $(pkg-config --cflags --libs lotor) -o simulate && ./simulate
 *
 * A simulation uses fast noise from a seed. It shows what an algorithm would lose, and protects
 * nobody.
 */
#include <stdio.h>
#include <stdlib.h>

#include <lotor/lotor.h>

static lotor_message why;

static void play(const char *algorithm, lotor_ratio epsilon)
{
    static const double means[] = {0.75, 0.7, 0.65, 0.6, 0.5};
    const lotor_simulate_params params = {
        .policy = {.algorithm = algorithm, .arms = 5, .epsilon = epsilon, .horizon = 100000},
        .means = means,
        .runs = 20,
        .seed = 1,
    };
    lotor_simulate_result *result;
    const lotor_status status = lotor_simulate_run(&params, &why, &result);
    if (status != LOTOR_OK) {
        fprintf(stderr, "%s: %s\n", lotor_status_name(status), why.text);
        exit(1);
    }
    printf("%-12s %7g %9.0f +- %-5.0f %.4f of %.4f\n", algorithm, lotor_ratio_to_double(epsilon),
           result->regret, result->regret_error, result->per_round, result->best_per_round);
    lotor_simulate_free(result);
}

int main(void)
{
    printf("algorithm    epsilon    regret at 1e5  reward per round\n");
    play("ucb", lotor_ratio_of(1, 0));
    play("dp-se", lotor_ratio_of(1, 1));
    play("dp-se", lotor_ratio_of(1, 4));
    play("lik-imed", lotor_ratio_of(1, 1));
    play("lik-imed", lotor_ratio_of(1, 4));
    play("lik-imed", lotor_ratio_of(1, 16));
    return 0;
}
