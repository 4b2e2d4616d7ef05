/* A Hilbert system of order 12, whose condition number is 1.6e16. LAPACK's solution is wrong in the second digit or
 * before, and LAPACK reports no error. The certified solution comes with a proved bound of the error of every unknown.
 */
#include <accublas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 12 };

static void need(accublas_status status) {
  if (status == ACCUBLAS_SUCCESS) return;
  fprintf(stderr, "%s\n", accublas_last_error(NULL));
  exit(1);
}

int main(void) {
  double a[n * n], b[n] = {0.0}, x[n], radius[n], lu[n * n], lapack[n]; /* column-major */
  int64_t pivots[n], info;
  accublas_certificate_t certificate = {.struct_size = sizeof certificate};

  /* The Hilbert matrix times the least common multiple of 1 .. 23: A and b are integers, exact, and the solution is all
   * ones. */
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      lu[i + j * n] = a[i + j * n] = 5354228880.0 / (i + j + 1);
      b[i] += a[i + j * n];
    }
  for (int i = 0; i < n; ++i) lapack[i] = b[i];

  accublas_options native = ACCUBLAS_OPTIONS_INIT;
  native.mode_name = "native";
  need(accublas_dgesv_ex(NULL, ACCUBLAS_COL_MAJOR, n, 1, lu, n, pivots, lapack, n, &info, &native));
  need(accublas_dgesv_certified(NULL, ACCUBLAS_COL_MAJOR, n, 1, a, n, b, n, x, n, radius, n, &certificate));

  printf("LAPACK      certified             abs(x - exact) <=\n");
  for (int i = 0; i < n; ++i) printf("%-11.6f %.17f   %.1e\n", lapack[i], x[i], radius[i]);
  printf("condition number about %.1e, norm of I - R A at most %.1e, %d steps\n", certificate.condition,
         certificate.contraction, (int)certificate.iterations);
  for (int i = 0; i < n; ++i)
    if (!(fabs(x[i] - 1.0) <= radius[i] && radius[i] < 1e-15)) return 1;
  return 0;
}
