/* The sum 1e16 + 1 + 1 - 1e16 as a dot product, correctly rounded. Its exact value is 2; a plain BLAS gives 0. */
#include <accublas.h>
#include <stdio.h>

int main(void) {
  const double x[] = {1e16, 1, 1, -1e16}, y[] = {1, 1, 1, 1};
  double sum = 0;
  accublas_status status = accublas_set_mode_name(NULL, "cr"); /* NULL is the default context of this thread */
  if (status == ACCUBLAS_SUCCESS) status = accublas_ddot(NULL, 4, x, 1, y, 1, &sum);
  if (status != ACCUBLAS_SUCCESS) fprintf(stderr, "%s\n", accublas_last_error(NULL));
  printf("%g\n", sum);
  return status != ACCUBLAS_SUCCESS;
}
