/* A Hilbert system of order 20 in binary128, whose condition number is 2.5e28. Gaussian elimination in binary128 leaves
 * seven correct digits. The certified solution has 33, and a proved bound of the error of every unknown. */
#include <accublas.h>
#include <quadmath.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 20 };

static void need(accublas_status status) {
  if (status == ACCUBLAS_SUCCESS) return;
  fprintf(stderr, "%s\n", accublas_last_error(NULL));
  exit(1);
}

/* Overwrites b with the solution by elimination without pivots, which a definite matrix does not need. */
static void eliminate(__float128 *a, __float128 *b) {
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) {
      const __float128 factor = a[i + k * n] / a[k + k * n];
      for (int j = k + 1; j < n; ++j) a[i + j * n] -= factor * a[k + j * n];
      b[i] -= factor * b[k];
    }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) b[i] -= a[i + j * n] * b[j];
    b[i] /= a[i + i * n];
  }
}

int main(void) {
  static __float128 a[n * n], lu[n * n]; /* column-major */
  __float128 b[n] = {0}, x[n], radius[n], plain[n];
  accublas_certificate_t certificate = {.struct_size = sizeof certificate};

  /* The Hilbert matrix times the least common multiple of 1 .. 39: A and b are integers, exact, and the solution is all
   * ones. */
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      lu[i + j * n] = a[i + j * n] = (__float128)5342931457063200 / (i + j + 1);
      b[i] += a[i + j * n];
    }
  for (int i = 0; i < n; ++i) plain[i] = b[i];

  eliminate(lu, plain);
  need(accublas_qgesv(NULL, ACCUBLAS_COL_MAJOR, n, 1, a, n, b, n, x, n, radius, n, &certificate));

  printf("elimination   certified                             abs(x - exact) <=\n");
  for (int i = 0; i < n; ++i) {
    char number[48], bound[16];
    quadmath_snprintf(number, sizeof number, "%.33Qf", x[i]);
    quadmath_snprintf(bound, sizeof bound, "%.1Qe", radius[i]);
    printf("%-13.8f %s   %s\n", (double)plain[i], number, bound);
  }
  printf("condition number about %.1e, norm of I - R A at most %.1e, %d parts, %d steps\n", certificate.condition,
         certificate.contraction, (int)certificate.parts, (int)certificate.iterations);
  for (int i = 0; i < n; ++i)
    if (!(fabsq(x[i] - 1) <= radius[i] && radius[i] < 1e-33Q)) return 1;
  return 0;
}
