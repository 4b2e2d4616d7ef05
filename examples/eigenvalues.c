/* The Hilbert matrix of order 14 times the least common multiple of 1 .. 27: its elements are integers, exact. No digit
 * of LAPACK's smallest eigenvalue is correct, and LAPACK reports no error. Each certified eigenvalue comes with a
 * proved bound of its error, and each eigenvector with one of its angle to the exact one. The number of eigenvalues in
 * an interval is proved, too. */
#include <accublas.h>
#include <math.h>
#include <stdio.h>

enum { n = 14 };

void dsyev_(const char *jobz, const char *uplo, const int *order, double *a, const int *lda, double *w, double *work,
            const int *lwork, int *info);

int main(void) {
  double a[n * n], copy[n * n], lapack[n], work[8 * n], w[n], radius[n], v[n * n], angle[n]; /* column-major */
  int64_t cluster[n];
  const int order = n, lwork = 8 * n;
  int info = 0;
  int64_t found = 0;
  accublas_certificate_t certificate = {.struct_size = sizeof certificate};

  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) copy[i + j * n] = a[i + j * n] = 80313433200.0 / (i + j + 1);
  dsyev_("N", "U", &order, copy, &order, lapack, work, &lwork, &info);
  if (info != 0 || accublas_dsyev_certified(NULL, ACCUBLAS_COL_MAJOR, ACCUBLAS_VECTORS, ACCUBLAS_UPPER, n, a, n, w,
                                            radius, v, n, angle, cluster, &certificate) != ACCUBLAS_SUCCESS) {
    fprintf(stderr, "%s\n", accublas_last_error(NULL));
    return 1;
  }

  printf("LAPACK           certified                 abs(w - exact) <=   angle <=\n");
  for (int k = 0; k < n; ++k) printf("%16.9e %.17e   %.1e             %.1e\n", lapack[k], w[k], radius[k], angle[k]);
  printf("norm of I - X^T X at most %.1e, least distance at least %.1e, %d steps, %s\n", certificate.contraction,
         certificate.gap, (int)certificate.iterations,
         certificate.positive_definite ? "positive definite" : "not proved to be positive definite");
  /* Thirteen digits of the smallest one are proved, though it is 5e-20 of the largest one. */
  for (int k = 0; k < n; ++k)
    if (!(radius[k] <= 1e-13 * fabs(w[k]) && cluster[k] == k + 1)) return 1;
  if (!(fabs(lapack[0] - w[0]) > fabs(w[0]))) return 1;

  /* The eigenvalues in (0, 1]. */
  if (accublas_dsyevx_certified(NULL, ACCUBLAS_COL_MAJOR, ACCUBLAS_VALUES, ACCUBLAS_INTERVAL, ACCUBLAS_UPPER, n, a, n,
                                0, 1, 0, 0, &found, w, radius, NULL, 0, NULL, NULL, NULL) != ACCUBLAS_SUCCESS) {
    fprintf(stderr, "%s\n", accublas_last_error(NULL));
    return 1;
  }
  printf("%d eigenvalues lie in (0, 1]\n", (int)found);
  return found == 4 ? 0 : 1;
}
