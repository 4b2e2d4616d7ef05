// Rates of products of double-double matrices: accublas_ddgemm, and loops over QD's dd_real where QD is installed. For
// accublas-quad-bench.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

#if ACCUBLAS_BENCH_HAS_QD
#include <qd/dd_real.h>
#include <qd/fpu.h>
#endif

#include "include/accublas.h"

namespace {

struct Number {
  double high, low;
};

/// The best rate of three, in operations a second.
template <class Call>
double rate_of(std::int64_t n, Call&& call) {
  double best = 0;
  for (int round = 0; round < 3; ++round) {
    const auto start = std::chrono::steady_clock::now();
    if (!call()) return 0;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best =
        std::max(best, 2 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / seconds.count());
  }
  return best;
}

double rate_of_loops([[maybe_unused]] std::int64_t n, [[maybe_unused]] const std::vector<Number>& a,
                     [[maybe_unused]] const std::vector<Number>& b) {
#if ACCUBLAS_BENCH_HAS_QD
  const auto size = static_cast<std::size_t>(n);
  const auto numbers = [&](const std::vector<Number>& from) {
    std::vector<dd_real> to;
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t i = 0; i < size; ++i) to.emplace_back(from[i + j * size].high, from[i + j * size].low);
    return to;
  };
  const std::vector<dd_real> x = numbers(a), y = numbers(b);
  std::vector<dd_real> c(size * size);
  unsigned int control;
  fpu_fix_start(&control);
  const double rate = rate_of(n, [&] {
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t p = 0; p < size; ++p)
        for (std::size_t i = 0; i < size; ++i) c[i + j * size] += x[i + p * size] * y[p + j * size];
    return c[size - 1].x[0] == c[size - 1].x[0];
  });
  fpu_fix_end(&control);
  return rate;
#else
  return 0;
#endif
}

}  // namespace

/// Sets the rates of products of order n by accublas, and of order min(n, 400) by QD's numbers: 0 without QD.
extern "C" void accublas_bench_dd_rates(std::int64_t n, double* ours, double* of_qd) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto matrix = [&](std::int64_t order) {
    std::vector<Number> m(static_cast<std::size_t>(order * order));
    for (Number& x : m) x = {uniform(random), 0}, x.low = x.high * 0x1p-54 * uniform(random);
    return m;
  };
  const std::vector<Number> a = matrix(n), b = matrix(n);
  std::vector<Number> c(a.size());
  const Number one = {1, 0}, zero = {0, 0};
  accublas_context* context = nullptr;
  *ours = 0;
  if (accublas_create(&context) == ACCUBLAS_SUCCESS)
    *ours = rate_of(n, [&] {
      return accublas_ddgemm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, &one, a.data(),
                             n, b.data(), n, &zero, c.data(), n) == ACCUBLAS_SUCCESS;
    });
  accublas_destroy(context);
  const std::int64_t small = std::min<std::int64_t>(n, 400);
  *of_qd = rate_of_loops(small, matrix(small), matrix(small));
}
