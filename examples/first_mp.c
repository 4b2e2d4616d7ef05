/* The sum 2^300 + 0.333... - 2^300 at 424 bits, as a dot product: its terms are 300 bits apart, and the result is
 * rounded once. */
#include <accublas.h>
#include <stdio.h>

int main(void) {
  const double big[] = {0x1p300, 1.0, -0x1p300};
  accublas_context *ctx;
  accublas_mp_array *x = NULL, *y = NULL, *sum = NULL;
  if (accublas_create(&ctx) != ACCUBLAS_SUCCESS) return 1;

  accublas_status status = accublas_mp_create(ctx, 424, 3, &x);
  if (status == ACCUBLAS_SUCCESS) status = accublas_mp_create(ctx, 424, 3, &y);
  if (status == ACCUBLAS_SUCCESS) status = accublas_mp_create(ctx, 424, 1, &sum);
  if (status == ACCUBLAS_SUCCESS) status = accublas_mp_set_double(ctx, x, 0, 3, 3, 1, big, 3);
  const char *ones[] = {"1", "0.333333333333333333333333333333333333333333333333333333333333", "1"};
  for (int i = 0; i < 3 && status == ACCUBLAS_SUCCESS; ++i) status = accublas_mp_set_string(ctx, y, i, ones[i], 10);
  if (status == ACCUBLAS_SUCCESS) status = accublas_mp_dot(ctx, 3, x, 0, 1, y, 0, 1, sum, 0);
  if (status == ACCUBLAS_SUCCESS) status = accublas_mp_print(ctx, stdout, sum, 0, 1, 1, 1, 10, 60);
  if (status != ACCUBLAS_SUCCESS) fprintf(stderr, "%s\n", accublas_last_error(ctx));

  accublas_mp_destroy(x);
  accublas_mp_destroy(y);
  accublas_mp_destroy(sum);
  accublas_destroy(ctx);
  return status != ACCUBLAS_SUCCESS;
}
