/* wishart.c - Wishart matrices by Bartlett's decomposition (1933).
 *
 * W = L L', L lower triangular. L_ii^2 is chi-square with degrees - i degrees of freedom (i from
 * 0). The entries below the diagonal are standard normal. All are independent. Half a chi-square of
 * k degrees is gamma of shape k/2.
 */
#include "base/random/laws.h"

void lotor_random_wishart(lotor_generator *generator, size_t dimension, double degrees,
                          double *work, double *matrix)
{
    for (size_t i = 0; i < dimension; i++) {
        double *const row = work + i * dimension;
        for (size_t j = 0; j < i; j++) {
            row[j] = lotor_random_gaussian(generator);
        }
        row[i] = sqrt(2 * lotor_random_gamma(generator, (degrees - (double)i) / 2));
    }
    for (size_t i = 0; i < dimension; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t k = 0; k <= j; k++) {
                sum += work[i * dimension + k] * work[j * dimension + k];
            }
            matrix[i * dimension + j] = sum;
            matrix[j * dimension + i] = sum;
        }
    }
}
