/* A program that knows nothing of accublas: it calls dgemm_ of whatever BLAS it is linked with, and prints one element
 * whose exact value is 1. Run it alone, then under the drop-in:
 *
 *   ./plain_dgemm
 *   ACCUBLAS_MODE=cr ACCUBLAS_VERBOSE=1 LD_PRELOAD=libaccublas_blas.so.0 ./plain_dgemm
 */
#include <stdio.h>

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);

int main(void) {
  enum { size = 300 };
  static double a[size * size], b[size * size], c[size * size];
  const int n = size;
  const double one = 1.0, zero = 0.0;

  for (int i = 0; i < size * size; ++i) {
    a[i] = (i * 7 % 13 - 6) / 3.0;
    b[i] = (i * 11 % 17 - 8) / 5.0;
  }
  /* Row 1 of A times column 1 of B: 1e20 + 1 - 1e20, the large terms far apart. */
  for (int p = 0; p < size; ++p) a[p * size] = b[p] = 0.0;
  a[0] = 1e10;
  b[0] = 1e10;
  a[100 * size] = 1.0;
  b[100] = 1.0;
  a[200 * size] = -1e10;
  b[200] = 1e10;

  dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
  printf("C(1,1) = %g\n", c[0]);
  return 0;
}
