/* Multiplies two matrices that are stored in files, in panels that fit into a given memory. Compares the result with
 * one call of accublas_dgemm, bit for bit.
 *
 *   out_of_core ORDER KIB [FOLDER]    the order of the matrices, and the memory for panels in KiB
 *
 * The files, in FOLDER (default: the current folder), hold A and B by columns, as doubles. A panel of A is contiguous
 * in its file. For a panel of B the program reads a part of every column. */
#include <accublas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(int good, const char *what) {
  if (good) return;
  fprintf(stderr, "out_of_core: %s\n", what);
  exit(1);
}
static void check(accublas_status status) { need(status == ACCUBLAS_SUCCESS, accublas_last_error(NULL)); }

/* Writes numbers of both signs over many binades. Some of them cancel in the product. */
static double number(int64_t i, int64_t j) {
  const uint64_t x = (uint64_t)(i * 2654435761 + j * 40503 + 12345) * 6364136223846793005u;
  const double fraction = (double)(x >> 11) / 9007199254740992.0 - 0.5;
  return x % 3 == 0 ? fraction : fraction / (double)((uint64_t)1 << x % 40);
}

static FILE *write_matrix(const char *folder, const char *name, int64_t order, int64_t shift) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w+b");
  need(file != NULL, path);
  remove(path); /* the open file stays until the program ends */
  for (int64_t j = 0; j < order; ++j)
    for (int64_t i = 0; i < order; ++i) {
      const double x = number(i + shift, j);
      need(fwrite(&x, sizeof x, 1, file) == 1, "a file cannot be written");
    }
  return file;
}

/* Reads `count` numbers from number `first` on. */
static void read_numbers(FILE *file, int64_t first, int64_t count, double *to) {
  need(fseek(file, (long)(first * (int64_t)sizeof(double)), SEEK_SET) == 0, "a file cannot be read");
  need(fread(to, sizeof(double), (size_t)count, file) == (size_t)count, "a file cannot be read");
}

struct panels {
  FILE *a, *b;
  int64_t order, depth; /* columns of A, and rows of B, of a panel */
  double *of_a, *of_b;
};

/* Reads the panel of terms first, first + 1, ... and returns its depth. */
static int64_t read_panel(struct panels *p, int64_t first) {
  const int64_t k = p->order - first < p->depth ? p->order - first : p->depth;
  read_numbers(p->a, first * p->order, k * p->order, p->of_a);
  for (int64_t j = 0; j < p->order; ++j) read_numbers(p->b, first + j * p->order, k, p->of_b + j * k);
  return k;
}

int main(int count, char **arguments) {
  need(count >= 3, "usage: out_of_core ORDER KIB [FOLDER]");
  const int64_t n = atoll(arguments[1]), kib = atoll(arguments[2]);
  const char *folder = count > 3 ? arguments[3] : ".";
  need(n > 0 && kib > 0, "ORDER and KIB must be positive");
  struct panels p = {write_matrix(folder, "a.dat", n, 0), write_matrix(folder, "b.dat", n, n), n, 0, NULL, NULL};
  p.depth = kib * 1024 / (2 * n * (int64_t)sizeof(double));
  need(p.depth > 0, "KIB is too small for one column of A and one row of B");
  const size_t panel = (size_t)(n * p.depth);
  p.of_a = malloc(panel * sizeof(double));
  p.of_b = malloc(panel * sizeof(double));
  double *c = calloc((size_t)(n * n), sizeof(double));
  int32_t *rows = malloc((size_t)n * 2 * sizeof(int32_t)), *columns = malloc((size_t)n * 2 * sizeof(int32_t));
  need(p.of_a && p.of_b && c && rows && columns, "out of memory");
  const accublas_layout layout = ACCUBLAS_COL_MAJOR;
  const accublas_transpose plain = ACCUBLAS_NO_TRANS;

  /* The exponents of whole rows of A and columns of B. */
  for (int64_t i = 0; i < 2 * n; ++i) rows[i] = columns[i] = ACCUBLAS_EXPONENT_NONE;
  for (int64_t first = 0; first < n; first += p.depth) {
    const int64_t k = read_panel(&p, first);
    check(accublas_accumulator_measure(NULL, ACCUBLAS_TYPE_D, ACCUBLAS_LEFT, layout, plain, n, k, p.of_a, n, rows));
    check(accublas_accumulator_measure(NULL, ACCUBLAS_TYPE_D, ACCUBLAS_RIGHT, layout, plain, n, k, p.of_b, k, columns));
  }

  accublas_accumulator *sums;
  check(accublas_accumulator_create(NULL, ACCUBLAS_TYPE_D, "cr", n, n, n, rows, columns, 0, &sums));
  const double one = 1, zero = 0;
  accublas_status status;
  int rounds = 0;
  do { /* a second time only if elements are undecided */
    for (int64_t first = 0; first < n; first += p.depth) {
      const int64_t k = read_panel(&p, first);
      check(accublas_accumulator_add(NULL, sums, layout, plain, plain, k, p.of_a, n, p.of_b, k));
    }
    ++rounds;
    status = accublas_accumulator_finish(NULL, sums, layout, &one, &zero, c, n);
  } while (status == ACCUBLAS_ERROR_UNDECIDED);
  check(status);
  accublas_accumulator_report_t report;
  report.struct_size = sizeof report;
  check(accublas_accumulator_report(NULL, sums, &report));
  printf("order %lld in panels of %lld terms: %d + %d bits, %d moduli, rounds: %d, accumulator: %lld KiB\n",
         (long long)n, (long long)p.depth, report.row_bits, report.column_bits, report.moduli, rounds,
         (long long)(report.bytes / 1024));
  check(accublas_accumulator_destroy(sums));

  /* The comparison, with both matrices in memory. */
  double *a = malloc((size_t)(n * n) * sizeof(double)), *b = malloc((size_t)(n * n) * sizeof(double)),
         *whole = malloc((size_t)(n * n) * sizeof(double));
  need(a && b && whole, "out of memory");
  read_numbers(p.a, 0, n * n, a);
  read_numbers(p.b, 0, n * n, b);
  check(accublas_set_mode_name(NULL, "cr"));
  check(accublas_dgemm(NULL, layout, plain, plain, n, n, n, &one, a, n, b, n, &zero, whole, n));
  need(memcmp(c, whole, (size_t)(n * n) * sizeof(double)) == 0, "the results differ");
  printf("all %lld elements have the bits of one call\n", (long long)(n * n));
  free(a), free(b), free(whole), free(c), free(p.of_a), free(p.of_b), free(rows), free(columns);
  fclose(p.a), fclose(p.b);
  return 0;
}
