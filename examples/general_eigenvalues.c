/* Eigenvalues of A x = w B x. A is the Hilbert matrix of order 14 times the least common multiple of 1 .. 27, whose
 * elements are integers, and B is the mass matrix of linear finite elements, times 6. LAPACK's smallest eigenvalue has
 * no correct digit, and LAPACK reports no error. Each certified one comes with a proved bound of its error, and B is
 * proved to be positive definite. */
#include <accublas.h>
#include <math.h>
#include <stdio.h>

enum { n = 14 };

void dsygv_(const int *itype, const char *jobz, const char *uplo, const int *order, double *a, const int *lda,
            double *b, const int *ldb, double *w, double *work, const int *lwork, int *info);

int main(void) {
  double a[n * n], b[n * n], copy_a[n * n], copy_b[n * n]; /* column-major */
  double lapack[n], work[8 * n], w[n], radius[n], v[n * n], angle[n];
  int64_t cluster[n];
  const int itype = 1, order = n, lwork = 8 * n;
  int info = 0;
  accublas_certificate_t certificate = {.struct_size = sizeof certificate};

  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      copy_a[i + j * n] = a[i + j * n] = 80313433200.0 / (i + j + 1);
      copy_b[i + j * n] = b[i + j * n] = i == j ? 4 : i == j + 1 || j == i + 1 ? 1 : 0;
    }
  dsygv_(&itype, "N", "U", &order, copy_a, &order, copy_b, &order, lapack, work, &lwork, &info);
  if (info != 0 || accublas_dsygv_certified(NULL, ACCUBLAS_COL_MAJOR, ACCUBLAS_VECTORS, ACCUBLAS_UPPER, n, a, n, b, n,
                                            w, radius, v, n, angle, cluster, &certificate) != ACCUBLAS_SUCCESS) {
    fprintf(stderr, "%s\n", accublas_last_error(NULL));
    return 1;
  }

  printf("LAPACK           certified                 abs(w - exact) <=   angle <=\n");
  for (int k = 0; k < n; ++k) printf("%16.9e %.17e   %.1e             %.1e\n", lapack[k], w[k], radius[k], angle[k]);
  printf("norm of I - X^T B X at most %.1e, least distance at least %.1e, %d steps, %s\n", certificate.contraction,
         certificate.gap, (int)certificate.iterations,
         certificate.positive_definite ? "B is positive definite" : "B is not proved to be positive definite");
  /* Thirteen digits of the smallest one are proved, though it is 1e-19 of the largest one. */
  for (int k = 0; k < n; ++k)
    if (!(radius[k] <= 1e-13 * fabs(w[k]) && cluster[k] == k + 1)) return 1;
  return certificate.positive_definite && fabs(lapack[0] - w[0]) > fabs(w[0]) ? 0 : 1;
}
