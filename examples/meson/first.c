/* The sum 1e16 + 1 + 1 - 1e16 as a dot product, in three modes. Its exact value is 2. */
#include <accublas.h>
#include <stdio.h>

int main(void) {
  const double x[] = {1e16, 1.0, 1.0, -1e16};
  const double y[] = {1.0, 1.0, 1.0, 1.0};
  const char *modes[] = {"native", "dot2", "cr"};

  accublas_context *ctx;
  if (accublas_create(&ctx) != ACCUBLAS_SUCCESS) {
    fprintf(stderr, "%s\n", accublas_last_error(NULL));
    return 1;
  }
  for (int i = 0; i < 3; ++i) {
    double result;
    accublas_status status = accublas_set_mode_name(ctx, modes[i]);
    if (status == ACCUBLAS_SUCCESS) status = accublas_ddot(ctx, 4, x, 1, y, 1, &result);
    if (status != ACCUBLAS_SUCCESS) {
      fprintf(stderr, "%s\n", accublas_last_error(ctx));
      return 1;
    }
    printf("%-8s %g\n", modes[i], result);
  }
  accublas_destroy(ctx);
  return 0;
}
