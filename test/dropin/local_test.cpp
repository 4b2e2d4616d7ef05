// A program that knows neither accublas nor BLAS at link time and loads the drop-in with RTLD_LOCAL.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

int main(int, char** arguments) {
  void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  using Dot = double(const int*, const double*, const int*, const double*, const int*);
  using Gemm = void(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
                    const int*, const double*, const int*, const double*, double*, const int*);
  auto* ddot = reinterpret_cast<Dot*>(dlsym(library, "ddot_"));
  auto* dgemm = reinterpret_cast<Gemm*>(dlsym(library, "dgemm_"));
  const int two = 2, one = 1, bad = -1;
  const double x[] = {1, 2}, y[] = {10, 100}, alpha = 1, beta = 0;
  if (!ddot || !dgemm || ddot(&two, x, &one, y, &one) != 210) return 2;
  double c = 0;
  dgemm("N", "N", &one, &one, &two, &alpha, x, &one, y, &two, &beta, &c, &one);
  if (c != 210) return 3;
  c = 7;
  dgemm("N", "N", &bad, &one, &two, &alpha, x, &one, y, &two, &beta, &c, &one);  // the real BLAS's xerbla_ prints
  return c == 7 ? 0 : 4;
}
