#include "perf/gpu/sample.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "perf/gpu/device.hpp"

namespace gpu_bench {
namespace {

/// A sum kept in two doubles: relative error near 2^-100 of the sum of absolute values.
struct DoubleDouble {
  double high = 0, low = 0;
  void add(double x, double error) {
    const double sum = high + x, rest = sum - high;
    low += ((high - (sum - rest)) + (x - rest)) + error;
    high = sum;
  }
};

template <class T>
std::vector<T> copy_line(const T* from, Index stride, Index count) {
  std::vector<T> line(static_cast<std::size_t>(count));
  require(cudaMemcpy2D(line.data(), sizeof(T), from, static_cast<std::size_t>(stride) * sizeof(T), sizeof(T),
                       static_cast<std::size_t>(count), cudaMemcpyDeviceToHost),
          "copy of a sampled line");
  return line;
}

}  // namespace

template <class T>
SampledError sample_error(const Product<T>& p, double relative, double componentwise) {
  constexpr Index rows = 16, cols = 4;
  const double u = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
  std::vector<std::vector<T>> b;
  const auto sampled = [](Index q, Index samples, Index count) { return (q * count + count / 2) / samples; };
  for (Index j = 0; j < cols; ++j) b.push_back(copy_line(p.b + sampled(j, cols, p.n) * p.k, 1, p.k));
  SampledError result{0, 0};
  for (Index i = 0; i < rows; ++i) {
    const Index row = sampled(i, rows, p.m);
    const std::vector<T> a = copy_line(p.a + row, p.m, p.k);
    for (Index j = 0; j < cols; ++j) {
      DoubleDouble sum;
      double magnitude = 0;
      for (std::size_t q = 0; q < a.size(); ++q) {
        const double x = a[q], y = b[static_cast<std::size_t>(j)][q], xy = x * y;
        sum.add(xy, std::fma(x, y, -xy));
        magnitude += std::fabs(xy);
      }
      const double c = copy_line(p.c + row + sampled(j, cols, p.n) * p.m, 1, 1)[0];
      if (magnitude == 0) continue;
      const double exact = sum.high + sum.low;
      result.largest = std::max(result.largest, std::fabs((c - sum.high) - sum.low) / magnitude / u);
      result.allowed = std::max(result.allowed, (relative * std::fabs(exact) / magnitude + componentwise) / u);
      if (std::isnan(c)) result.largest = HUGE_VAL;
    }
  }
  return result;
}
template SampledError sample_error(const Product<double>&, double, double);
template SampledError sample_error(const Product<float>&, double, double);

}  // namespace gpu_bench
