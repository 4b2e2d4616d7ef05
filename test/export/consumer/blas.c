/* Calls a routine that the drop-in replaces and one that it leaves to the real BLAS. */
#include <stdio.h>

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
void daxpy_(const int*, const double*, const double*, const int*, double*, const int*);

int main(void) {
  const int one_i = 1, two = 2, three = 3;
  const double one = 1.0, zero = 0.0;
  const double a[] = {1e16, 1.0, -1e16}, b[] = {1.0, 1.0, 1.0};
  double c = 0.0, y[] = {3.0, 4.0};
  dgemm_("N", "N", &one_i, &one_i, &three, &one, a, &one_i, b, &three, &zero, &c, &one_i);
  printf("dgemm %g\n", c);
  daxpy_(&two, &one, b, &one_i, y, &one_i);
  printf("daxpy %g %g\n", y[0], y[1]);
  return 0;
}
