#include "perf/gpu/residuals.hpp"

#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "perf/gpu/context.hpp"
#include "perf/gpu/cusolver.hpp"
#include "perf/gpu/factor_errors.hpp"

namespace gpu_bench {
namespace {

/// The most that a residual of dp may be, times cuSOLVER's.
constexpr double residual_target = 4;

enum class Scaling { none, graded, random };

struct ResidualCase {
  const char* name;
  const char* data;      ///< of LU and QR
  const char* definite;  ///< of Cholesky, whose matrix may be nearly singular
  double diagonal;       ///< of Cholesky, over the order; 0: as the data have it
  Scaling scaling;       ///< of rows; graded matrices and those of Cholesky have their columns scaled in the same way
  bool singular;         ///< of LU and QR: the last column is nearly the first one
};
constexpr ResidualCase cases[] = {{"phi:0", "phi:0", "phi:0", 1, Scaling::none, false},
                                  {"phi:0.5", "phi:0.5", "phi:0.5", 1, Scaling::none, false},
                                  {"phi:2", "phi:2", "phi:2", 40, Scaling::none, false},
                                  {"graded", "phi:0.5", "phi:0.5", 1, Scaling::graded, false},
                                  {"badly-scaled", "phi:0.5", "phi:0.5", 1, Scaling::random, false},
                                  {"nearly-singular", "phi:0.5", "decay:0.999999", 0, Scaling::none, true}};

/// Multiplies matrices by diagonal ones.
class DiagonalProduct {
 public:
  explicit DiagonalProduct(cudaStream_t stream) {
    library_.get(create_, "cublasCreate_v2");
    library_.get(destroy_, "cublasDestroy_v2");
    library_.get(set_stream_, "cublasSetStream_v2");
    library_.get(multiply_, "cublasDdgmm");
    need(create_(&handle_));
    need(set_stream_(handle_, stream));
  }
  ~DiagonalProduct() { destroy_(handle_); }
  DiagonalProduct(const DiagonalProduct&) = delete;
  DiagonalProduct& operator=(const DiagonalProduct&) = delete;

  void scale(bool columns, Index n, double* a, const double* diagonal) const {
    const int order = static_cast<int>(n);
    need(multiply_(handle_, columns ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT, order, order, a, order, diagonal, 1, a,
                   order));
  }

 private:
  static void need(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error("cuBLAS status " + std::to_string(status));
  }

  Library library_{"libcublas"};
  decltype(&cublasCreate_v2) create_;
  decltype(&cublasDestroy_v2) destroy_;
  decltype(&cublasSetStream_v2) set_stream_;
  decltype(&cublasDdgmm) multiply_;
  cublasHandle_t handle_ = nullptr;
};

void put(double* to, const std::vector<double>& numbers, std::size_t pitch = 1) {
  require(cudaMemcpy2D(to, pitch * sizeof(double), numbers.data(), sizeof(double), sizeof(double), numbers.size(),
                       cudaMemcpyHostToDevice),
          "a line of a matrix");
  // A copy from pageable memory may return before it has arrived, and streams that do not block do not wait for it.
  require(cudaDeviceSynchronize(), "a line of a matrix");
}

/// Returns powers of two: from 1 down to 2^-60, or random ones from 2^-100 to 2^100.
std::vector<double> scales(Scaling scaling, Index n) {
  std::mt19937_64 random(7);
  std::vector<double> scale(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i)
    scale[static_cast<std::size_t>(i)] = std::ldexp(
        1, scaling == Scaling::graded ? -static_cast<int>(60 * i / n) : static_cast<int>(random() % 201) - 100);
  return scale;
}

void make(const ResidualCase& of, FactorKind kind, Index n, double* a, const Stream& stream) {
  const bool cholesky = kind == FactorKind::cholesky;
  fill(matrices::named(cholesky ? of.definite : of.data), Side::a, false, a, n, n, 1, stream);
  stream.wait();
  if (cholesky && of.diagonal > 0)
    put(a, std::vector<double>(static_cast<std::size_t>(n), of.diagonal * static_cast<double>(n)),
        static_cast<std::size_t>(n + 1));
  if (!cholesky && of.singular) {
    std::vector<double> column = line(a + (n - 1) * n, 1, n);
    const std::vector<double> first = line(a, 1, n);
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = first[i] + 0x1p-40 * column[i];
    put(a + (n - 1) * n, column);
  }
  if (of.scaling == Scaling::none) return;
  const DeviceArray<double> diagonal(n);
  put(diagonal.data(), scales(of.scaling, n));
  const DiagonalProduct product(stream);
  product.scale(false, n, a, diagonal.data());
  if (cholesky || of.scaling == Scaling::graded) product.scale(true, n, a, diagonal.data());
  stream.wait();
}

bool measure(const ResidualCase& of, FactorKind kind, Index n) {
  const Stream stream;
  const DeviceArray<double> kept(n * n), a(n * n), tau(n);
  const DeviceArray<std::int64_t> pivots(n), info(1);
  make(of, kind, n, kept.data(), stream);
  CuSolver cusolver(stream, n, a.data());
  const Context context("dp", stream, 0);
  const auto residual_by = [&](auto&& factor) {
    require(cudaMemcpyAsync(a.data(), kept.data(), static_cast<std::size_t>(n * n) * sizeof(double),
                            cudaMemcpyDeviceToDevice, stream),
            "operands");
    require(cudaMemsetAsync(info.data(), 0, sizeof(std::int64_t), stream), "info");
    factor();
    stream.wait();
    std::int64_t found = 0;
    require(cudaMemcpy(&found, info.data(), sizeof found, cudaMemcpyDeviceToHost), "info");
    if (found != 0) throw std::runtime_error("a matrix has no factorization");
    return kind == FactorKind::qr
               ? residual_of_columns(n, kept.data(), a.data(), tau.data())
               : sampled_residual(kind == FactorKind::lu, n, n, kept.data(), a.data(), pivots.data());
  };
  const double theirs = residual_by(
      [&] { cusolver.run(kind, n, a.data(), pivots.data(), tau.data(), reinterpret_cast<int*>(info.data())); });
  const double ours = residual_by([&] {
    context.need(kind == FactorKind::lu
                     ? accublas_dgetrf(context, ACCUBLAS_COL_MAJOR, n, n, a.data(), n, pivots.data(), info.data())
                 : kind == FactorKind::cholesky
                     ? accublas_dpotrf(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, n, a.data(), n, info.data())
                     : accublas_dgeqrf(context, ACCUBLAS_COL_MAJOR, n, n, a.data(), n, tau.data()));
  });
  const bool met = ours <= residual_target * theirs;
  std::printf("%-6s %6lld  %-16s %10.3g %10.3g %7.2f  <= %g %s\n", name_of(kind), static_cast<long long>(n), of.name,
              theirs, ours, ours / theirs, residual_target, met ? "met" : "NOT MET");
  std::fflush(stdout);
  return met;
}

}  // namespace

bool print_residuals(const std::vector<std::string>& routines, const std::vector<Index>& orders) {
  std::printf("%-6s %6s  %-16s %10s %10s %7s  target\n", "", "n", "data", "cusolver", "dp", "times");
  bool met = true;
  for (const FactorKind kind : factor_kinds) {
    if (kind == FactorKind::certified || kind == FactorKind::wide_lu) continue;
    if (!routines.empty() && std::count(routines.begin(), routines.end(), name_of(kind)) == 0) continue;
    for (const ResidualCase& of : cases)
      for (const Index n : orders) met = measure(of, kind, n) && met;
  }
  return met;
}

}  // namespace gpu_bench
