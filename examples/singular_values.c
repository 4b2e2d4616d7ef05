/* Lauchli's matrix with the rows e, 2 e, 3 e, 4 e for e = 2^-60: three singular values are below 4 e, but LAPACK, whose
 * rounding is 2^-53 of the largest one, may return anything below that. Each certified singular value comes with a
 * proved bound of its error. */
#include <accublas.h>
#include <math.h>
#include <stdio.h>

enum { n = 4, m = n + 1 };

int main(void) {
  double a[m * n] = {0}, s[n], radius[n], u[m * n], vt[n * n], angle[n]; /* column-major */
  int64_t cluster[n];
  accublas_certificate_t certificate = {.struct_size = sizeof certificate};

  for (int j = 0; j < n; ++j) {
    a[j * m] = 1;
    a[j + 1 + j * m] = ldexp(1, -60) * (j + 1);
  }
  if (accublas_dgesvd_certified(NULL, ACCUBLAS_COL_MAJOR, ACCUBLAS_VECTORS, m, n, a, m, s, radius, u, m, vt, n, angle,
                                cluster, &certificate) != ACCUBLAS_SUCCESS) {
    fprintf(stderr, "%s\n", accublas_last_error(NULL));
    return 1;
  }

  printf("certified                 abs(s - exact) <=   angle <=\n");
  for (int k = 0; k < n; ++k) printf("%.17e   %.1e             %.1e\n", s[k], radius[k], angle[k]);
  printf("norm of I - U^T U at most %.1e, least distance at least %.1e, %d steps\n", certificate.contraction,
         certificate.gap, (int)certificate.iterations);
  /* Full rank is proved, though the smallest one is 5e-19 of the largest one. */
  for (int k = 0; k < n; ++k)
    if (!(radius[k] <= 1e-9 * s[k])) return 1;
  return 0;
}
