/* Iterative refinement of a Hilbert system of order 12, whose condition number is 1.6e16. With residuals in double
 * precision it gets nowhere. With the residual b - A x and x in 212 bits, each rounded once, the same factorisation in
 * double precision gains digits at every step, until x is right to 55 of them.
 *
 *   refinement_c            on the CPU
 *   refinement_c device     the multiple-precision arrays in GPU memory */
#include <accublas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 12, bits = 212, steps = 100 };

static double a[n * n], lu[n * n]; /* column-major */
static int pivot[n];

static void need(accublas_status status) {
  if (status == ACCUBLAS_SUCCESS) return;
  fprintf(stderr, "%s\n", accublas_last_error(NULL));
  exit(1);
}

static void swap(double *x, double *y) {
  const double t = *x;
  *x = *y;
  *y = t;
}

/* LU with partial pivoting, in double precision. */
static void factorise(void) {
  memcpy(lu, a, sizeof a);
  for (int k = 0; k < n; ++k) {
    pivot[k] = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(lu[i + k * n]) > fabs(lu[pivot[k] + k * n])) pivot[k] = i;
    for (int j = 0; j < n; ++j) swap(&lu[k + j * n], &lu[pivot[k] + j * n]);
    for (int i = k + 1; i < n; ++i) lu[i + k * n] /= lu[k + k * n];
    for (int j = k + 1; j < n; ++j)
      for (int i = k + 1; i < n; ++i) lu[i + j * n] -= lu[i + k * n] * lu[k + j * n];
  }
}

/* Overwrites c by the solution for that right-hand side, as good as double precision has it. */
static void solve(double *c) {
  for (int k = 0; k < n; ++k) swap(&c[k], &c[pivot[k]]);
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) c[i] -= c[k] * lu[i + k * n];
  for (int k = n - 1; k >= 0; --k) {
    c[k] /= lu[k + k * n];
    for (int i = 0; i < k; ++i) c[i] -= c[k] * lu[i + k * n];
  }
}

static double largest_error(const double *x) {
  double largest = 0.0;
  for (int i = 0; i < n; ++i) largest = fmax(largest, fabs(x[i] - 1.0));
  return largest;
}

static accublas_mp_array *array(int64_t rows, int64_t columns, const double *values, int device) {
  accublas_mp_array *result;
  need(accublas_mp_create(NULL, bits, rows * columns, &result));
  need(accublas_mp_set_double(NULL, result, 0, rows, rows, columns, values, rows));
  if (device) need(accublas_mp_move(NULL, result, ACCUBLAS_MP_DEVICE));
  return result;
}

int main(int argc, char **argv) {
  const int device = argc > 1 && strcmp(argv[1], "device") == 0;
  const double minus_one = -1.0, one = 1.0;
  const double enough = 1e-55; /* of 212 bits, 1e-64, what the condition number leaves */
  double b[n] = {0.0}, x[n], r[n], correction = 1.0;
  int32_t devices = 0;
  int step;

  accublas_device_count(&devices);
  if (device && devices == 0) {
    fprintf(stderr, "no CUDA device\n");
    return 77;
  }

  /* The Hilbert matrix times the least common multiple of 1 .. 23: A and b are integers, exact, and the solution is all
   * ones. */
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      a[i + j * n] = 5354228880.0 / (i + j + 1);
      b[i] += a[i + j * n];
    }
  factorise();
  memcpy(x, b, sizeof x);
  solve(x);

  accublas_mp_array *mp_a = array(n, n, a, device), *mp_b = array(n, 1, b, device), *mp_x = array(n, 1, x, device),
                    *mp_r = array(n, 1, b, device), *mp_minus_one = array(1, 1, &minus_one, device),
                    *mp_one = array(1, 1, &one, device);

  for (step = 0; step < steps; ++step) {
    for (int i = 0; i < n; ++i) {
      r[i] = b[i];
      for (int j = 0; j < n; ++j) r[i] -= a[i + j * n] * x[j];
    }
    solve(r);
    for (int i = 0; i < n; ++i) x[i] += r[i];
  }
  printf("residuals in double precision: largest error of x %.1e\n", largest_error(x));

  need(accublas_mp_align(NULL, mp_a, 0, n, n, n, -1)); /* once, for all products with A */
  for (step = 1; step <= steps && correction > enough; ++step) {
    need(accublas_mp_copy(NULL, n, 1, mp_b, 0, n, mp_r, 0, n));
    need(accublas_mp_gemv(NULL, ACCUBLAS_NO_TRANS, n, n, mp_minus_one, 0, mp_a, 0, n, mp_x, 0, 1, mp_one, 0, mp_r, 0,
                          1));
    need(accublas_mp_get_double(NULL, mp_r, 0, n, n, 1, r, n));
    solve(r);
    correction = 0.0;
    for (int i = 0; i < n; ++i) correction = fmax(correction, fabs(r[i]));
    need(accublas_mp_set_double(NULL, mp_r, 0, n, n, 1, r, n));
    need(accublas_mp_axpy(NULL, n, NULL, 0, mp_r, 0, 1, mp_x, 0, 1));
  }
  accublas_mp_report_t report = {.struct_size = sizeof report};
  need(accublas_mp_report(NULL, &report));
  need(accublas_mp_get_double(NULL, mp_x, 0, n, n, 1, x, n));
  printf("residuals in multiple precision: last of %d corrections %.1e, on %s\n", step - 1, correction, report.backend);

  accublas_mp_destroy(mp_a);
  accublas_mp_destroy(mp_b);
  accublas_mp_destroy(mp_x);
  accublas_mp_destroy(mp_r);
  accublas_mp_destroy(mp_minus_one);
  accublas_mp_destroy(mp_one);
  return largest_error(x) == 0.0 && correction <= enough ? 0 : 1;
}
