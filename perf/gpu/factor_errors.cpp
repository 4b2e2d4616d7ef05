#include "perf/gpu/factor_errors.hpp"

#include <algorithm>
#include <cmath>

#include "perf/gpu/device.hpp"

namespace gpu_bench {

std::vector<double> line(const double* from, Index stride, Index count) {
  std::vector<double> out(static_cast<std::size_t>(count));
  if (stride == 1) {
    require(cudaMemcpy(out.data(), from, out.size() * sizeof(double), cudaMemcpyDeviceToHost), "copy of a column");
    return out;
  }
  require(cudaMemcpy2D(out.data(), sizeof(double), from, static_cast<std::size_t>(stride) * sizeof(double),
                       sizeof(double), static_cast<std::size_t>(count), cudaMemcpyDeviceToHost),
          "copy of a sampled line");
  return out;
}

double sampled_residual(bool lu, Index rows, Index n, const double* a, const double* f,
                        const std::int64_t* device_pivots) {
  std::vector<Index> row(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) row[static_cast<std::size_t>(i)] = i;
  if (lu) {
    std::vector<std::int64_t> pivots(row.size());
    require(cudaMemcpy(pivots.data(), device_pivots, pivots.size() * sizeof pivots[0], cudaMemcpyDeviceToHost),
            "pivots");
    for (std::size_t i = 0; i < row.size(); ++i) std::swap(row[i], row[static_cast<std::size_t>(pivots[i] - 1)]);
  }
  constexpr Index samples = 8;
  double largest = 0;
  for (Index p = 0; p < samples; ++p) {
    const Index i = ((p * rows) + rows / 2) / samples;
    const std::vector<double> left = line(f + i, n, n);
    for (Index q = 0; q < samples; ++q) {
      const Index j = ((q * n) + n / 3) / samples;
      if (!lu && j > i) continue;
      const std::vector<double> right = lu ? line(f + j * n, 1, n) : line(f + j, n, n);
      long double sum = line(a + row[static_cast<std::size_t>(i)] + j * n, 1, 1)[0], magnitude = 0;
      for (Index k = 0; k <= std::min(i, j); ++k) {
        const auto at = static_cast<std::size_t>(k);
        const long double term = (lu && k == i ? 1.0L : left[at]) * static_cast<long double>(right[at]);
        sum -= term, magnitude += std::fabs(term);
      }
      const double ratio = static_cast<double>(std::fabs(sum) / magnitude) / 0x1p-53;
      largest = std::isnan(ratio) ? HUGE_VAL : std::max(largest, ratio);
    }
  }
  return largest;
}

double residual_of_columns(Index n, const double* a, const double* f, const double* device_tau) {
  const std::vector<double> tau = line(device_tau, 1, n);
  std::vector<std::vector<double>> reflected;
  std::vector<Index> sampled;
  for (const Index j : {n / 3, 2 * n / 3, n - 1}) {
    std::vector<double> r = line(f + j * n, 1, n);
    std::fill(r.begin() + static_cast<std::ptrdiff_t>(j) + 1, r.end(), 0.0);
    reflected.push_back(std::move(r));
    sampled.push_back(j);
  }
  for (Index i = n; i-- > 0;) {
    const std::vector<double> v = line(f + i * n + i, 1, n - i);
    for (std::size_t s = 0; s < sampled.size(); ++s) {
      if (sampled[s] < i) continue;
      double* const x = reflected[s].data() + i;
      double sum = x[0];
      for (Index k = 1; k < n - i; ++k) sum += v[static_cast<std::size_t>(k)] * x[k];
      sum *= tau[static_cast<std::size_t>(i)];
      x[0] -= sum;
      for (Index k = 1; k < n - i; ++k) x[k] -= sum * v[static_cast<std::size_t>(k)];
    }
  }
  double largest = 0;
  for (std::size_t s = 0; s < sampled.size(); ++s) {
    const std::vector<double> wanted = line(a + sampled[s] * n, 1, n);
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      difference = std::hypot(difference, reflected[s][i] - wanted[i]);
      norm = std::hypot(norm, wanted[i]);
    }
    const double ratio = difference / norm / 0x1p-53;
    largest = std::isnan(ratio) ? HUGE_VAL : std::max(largest, ratio);
  }
  return largest;
}

double residual_of_rows(Index n, const double* a, const double* device_b, const double* device_x) {
  const std::vector<double> b = line(device_b, 1, n), x = line(device_x, 1, n);
  constexpr Index samples = 16;
  double largest = 0;
  for (Index p = 0; p < samples; ++p) {
    const Index i = (p * n + n / 2) / samples;
    const std::vector<double> row = line(a + i, n, n);
    long double sum = b[static_cast<std::size_t>(i)], magnitude = 0;
    for (std::size_t j = 0; j < row.size(); ++j) {
      const long double term = row[j] * static_cast<long double>(x[j]);
      sum -= term, magnitude += std::fabs(term);
    }
    const double ratio = static_cast<double>(std::fabs(sum) / magnitude) / 0x1p-53;
    largest = std::isnan(ratio) ? HUGE_VAL : std::max(largest, ratio);
  }
  return largest;
}

}  // namespace gpu_bench
