#include "perf/gpu/factor.hpp"

#include <cusolverDn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "perf/csv_file.hpp"
#include "perf/gpu/context.hpp"
#include "perf/gpu/data.hpp"
#include "perf/gpu/library.hpp"

namespace gpu_bench {
namespace {

/// The solution, with one right-hand side, stands beside cuSOLVER's by LU.
enum class FactorKind { lu, cholesky, qr, certified };
constexpr FactorKind kinds[] = {FactorKind::lu, FactorKind::cholesky, FactorKind::qr, FactorKind::certified};
constexpr const char* name_of(FactorKind kind) {
  return kind == FactorKind::lu         ? "dgetrf"
         : kind == FactorKind::cholesky ? "dpotrf"
         : kind == FactorKind::qr       ? "dgeqrf"
                                        : "dgesv_certified";
}

/// Least ratios, phi 0.5.
struct FactorTarget {
  FactorKind kind;
  const char* mode;
  Index order;
  double ratio;
};
constexpr FactorTarget factor_targets[] = {
    {FactorKind::lu, "dp", 8192, 2.0},        {FactorKind::lu, "dp", 16384, 2.2},
    {FactorKind::lu, "dp", 32768, 1.9},       {FactorKind::cholesky, "dp", 8192, 1.4},
    {FactorKind::cholesky, "dp", 16384, 1.6}, {FactorKind::cholesky, "dp", 32768, 1.9},
    {FactorKind::qr, "dp", 8192, 1.8},        {FactorKind::qr, "dp", 16384, 2.0},
    {FactorKind::qr, "dp", 32768, 2.0},       {FactorKind::lu, "cr", 8192, 0.8},
    {FactorKind::lu, "cr", 16384, 1.0},       {FactorKind::lu, "cr", 32768, 1.0},
    {FactorKind::cholesky, "cr", 8192, 0.8},  {FactorKind::cholesky, "cr", 16384, 1.0},
    {FactorKind::cholesky, "cr", 32768, 1.0}, {FactorKind::certified, "dp", 8192, 1. / 3}};

double target_of(FactorKind kind, const std::string& mode, const std::string& data, Index n) {
  for (const FactorTarget& t : factor_targets)
    if (t.kind == kind && mode == t.mode && data == "phi:0.5" && n == t.order) return t.ratio;
  return 0;
}

class CuSolver {
 public:
  /// For calls of order n at most.
  CuSolver(cudaStream_t stream, Index n, double* a) {
    library_.get(create_, "cusolverDnCreate");
    library_.get(destroy_, "cusolverDnDestroy");
    library_.get(set_stream_, "cusolverDnSetStream");
    library_.get(create_params_, "cusolverDnCreateParams");
    library_.get(destroy_params_, "cusolverDnDestroyParams");
    library_.get(getrf_bytes_, "cusolverDnXgetrf_bufferSize");
    library_.get(potrf_bytes_, "cusolverDnXpotrf_bufferSize");
    library_.get(geqrf_bytes_, "cusolverDnXgeqrf_bufferSize");
    library_.get(geqrf_, "cusolverDnXgeqrf");
    library_.get(getrf_, "cusolverDnXgetrf");
    library_.get(getrs_, "cusolverDnXgetrs");
    library_.get(potrf_, "cusolverDnXpotrf");
    need(create_(&handle_));
    need(set_stream_(handle_, stream));
    need(create_params_(&params_));
    std::size_t of_lu[2], of_cholesky[2], of_qr[2];
    need(getrf_bytes_(handle_, params_, n, n, CUDA_R_64F, a, n, CUDA_R_64F, of_lu, of_lu + 1));
    need(potrf_bytes_(handle_, params_, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, a, n, CUDA_R_64F, of_cholesky,
                      of_cholesky + 1));
    need(geqrf_bytes_(handle_, params_, n, n, CUDA_R_64F, a, n, CUDA_R_64F, a, CUDA_R_64F, of_qr, of_qr + 1));
    device_bytes_ = std::max({of_lu[0], of_cholesky[0], of_qr[0]});
    host_.resize(std::max({of_lu[1], of_cholesky[1], of_qr[1], std::size_t{1}}));
    device_.emplace(static_cast<Index>(device_bytes_ + 256));
  }
  ~CuSolver() {
    destroy_params_(params_);
    destroy_(handle_);
  }
  CuSolver(const CuSolver&) = delete;
  CuSolver& operator=(const CuSolver&) = delete;

  /// `vector`: tau, or the right-hand side, which becomes the solution.
  void run(FactorKind kind, Index n, double* a, std::int64_t* pivots, double* vector, int* info) {
    if (kind == FactorKind::lu || kind == FactorKind::certified)
      need(getrf_(handle_, params_, n, n, CUDA_R_64F, a, n, pivots, CUDA_R_64F, device_->data(), device_bytes_,
                  host_.data(), host_.size(), info));
    else if (kind == FactorKind::cholesky)
      need(potrf_(handle_, params_, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, a, n, CUDA_R_64F, device_->data(),
                  device_bytes_, host_.data(), host_.size(), info));
    else
      need(geqrf_(handle_, params_, n, n, CUDA_R_64F, a, n, CUDA_R_64F, vector, CUDA_R_64F, device_->data(),
                  device_bytes_, host_.data(), host_.size(), info));
    if (kind == FactorKind::certified)
      need(getrs_(handle_, params_, CUBLAS_OP_N, n, 1, CUDA_R_64F, a, n, pivots, CUDA_R_64F, vector, n, info));
  }

 private:
  static void need(cusolverStatus_t status) {
    if (status != CUSOLVER_STATUS_SUCCESS)
      throw std::runtime_error("cuSOLVER status " + std::to_string(static_cast<int>(status)));
  }

  Library library_{"libcusolver"};
  decltype(&cusolverDnCreate) create_;
  decltype(&cusolverDnDestroy) destroy_;
  decltype(&cusolverDnSetStream) set_stream_;
  decltype(&cusolverDnCreateParams) create_params_;
  decltype(&cusolverDnDestroyParams) destroy_params_;
  decltype(&cusolverDnXgetrf_bufferSize) getrf_bytes_;
  decltype(&cusolverDnXpotrf_bufferSize) potrf_bytes_;
  decltype(&cusolverDnXgeqrf_bufferSize) geqrf_bytes_;
  decltype(&cusolverDnXgeqrf) geqrf_;
  decltype(&cusolverDnXgetrf) getrf_;
  decltype(&cusolverDnXgetrs) getrs_;
  decltype(&cusolverDnXpotrf) potrf_;
  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t params_ = nullptr;
  std::size_t device_bytes_ = 0;
  std::vector<char> host_;
  std::optional<DeviceArray<char>> device_;
};

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

/// The largest residual of sampled elements in units of u (abs(L) abs(U)), of Cholesky u (abs(L) abs(L^T)).
double sampled_residual(bool lu, Index n, const double* a, const double* f, const std::int64_t* device_pivots) {
  std::vector<Index> row(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) row[static_cast<std::size_t>(i)] = i;
  if (lu) {
    std::vector<std::int64_t> pivots(row.size());
    require(cudaMemcpy(pivots.data(), device_pivots, pivots.size() * sizeof pivots[0], cudaMemcpyDeviceToHost),
            "pivots");
    for (std::size_t i = 0; i < row.size(); ++i) std::swap(row[i], row[static_cast<std::size_t>(pivots[i] - 1)]);
  }
  constexpr Index samples = 8;
  double largest = 0;
  for (Index p = 0; p < samples; ++p) {
    const Index i = ((p * n) + n / 2) / samples;
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

/// The largest residual of sampled columns, in units of u times the column's norm: Q applied to R, as the reflectors
/// tell it.
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

/// The largest residual of sampled rows of A x = b, in units of u (abs(A) abs(x)).
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

struct FactorContender {
  std::string name;
  std::function<void()> call;
  std::unique_ptr<Context> context{};
  std::string error{};
  std::vector<double> ms{};
  double residual = 0;
};

bool measure(FactorKind kind, Index n, const std::string& data, const Effort& effort, std::FILE* csv) {
  const Stream stream;
  const Index size = n * n;
  const DeviceArray<double> a(size), kept(size), vector(n), b(n), radius(n);
  const DeviceArray<std::int64_t> pivots(n), info(1);
  fill(matrices::named(data), Side::a, false, kept.data(), n, n, 1, stream);
  fill_random(Side::b, b.data(), n, 1, stream);
  if (kind == FactorKind::cholesky) {
    const std::vector<double> diagonal(static_cast<std::size_t>(n), static_cast<double>(n));
    require(
        cudaMemcpy2DAsync(kept.data(), static_cast<std::size_t>(n + 1) * sizeof(double), diagonal.data(),
                          sizeof(double), sizeof(double), static_cast<std::size_t>(n), cudaMemcpyHostToDevice, stream),
        "a diagonal");
    stream.wait();
  }
  std::vector<FactorContender> contenders;
  std::unique_ptr<CuSolver> cusolver;
  try {
    cusolver = std::make_unique<CuSolver>(stream, n, a.data());
    contenders.push_back(
        {"cusolver",
         [&] { cusolver->run(kind, n, a.data(), pivots.data(), vector.data(), reinterpret_cast<int*>(info.data())); }});
  } catch (const std::exception& error) {
    contenders.push_back({"cusolver", {}, {}, error.what()});
  }
  for (const char* mode : {"dp", "cr"}) {
    // A call in cr waits for each column of QR.
    if (kind == FactorKind::qr && mode == std::string("cr")) continue;
    auto context = std::make_unique<Context>(mode, stream, 0);
    accublas_context* const of = *context;
    const Context& checked = *context;
    contenders.push_back(
        {mode,
         [&, of] {
           checked.need(kind == FactorKind::lu
                            ? accublas_dgetrf(of, ACCUBLAS_COL_MAJOR, n, n, a.data(), n, pivots.data(), info.data())
                        : kind == FactorKind::cholesky
                            ? accublas_dpotrf(of, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, n, a.data(), n, info.data())
                        : kind == FactorKind::qr
                            ? accublas_dgeqrf(of, ACCUBLAS_COL_MAJOR, n, n, a.data(), n, vector.data())
                            : accublas_dgesv_certified(of, ACCUBLAS_COL_MAJOR, n, 1, a.data(), n, b.data(), n,
                                                       vector.data(), n, radius.data(), n, nullptr));
         },
         std::move(context)});
  }
  const auto timed = [&](const FactorContender& contender) {
    require(cudaMemcpyAsync(a.data(), kept.data(), static_cast<std::size_t>(size) * sizeof(double),
                            cudaMemcpyDeviceToDevice, stream),
            "operands");
    require(cudaMemcpyAsync(vector.data(), b.data(), static_cast<std::size_t>(n) * sizeof(double),
                            cudaMemcpyDeviceToDevice, stream),
            "operands");
    stream.wait();
    const Event start, end;
    start.record(stream);
    contender.call();
    end.record(stream);
    return end.since(start);
  };
  for (FactorContender& contender : contenders) {
    if (!contender.error.empty()) continue;
    try {
      require(cudaMemsetAsync(info.data(), 0, sizeof(std::int64_t), stream), "info");
      contender.ms.push_back(timed(contender));
      contender.residual = kind == FactorKind::qr ? residual_of_columns(n, kept.data(), a.data(), vector.data())
                           : kind == FactorKind::certified
                               ? residual_of_rows(n, kept.data(), b.data(), vector.data())
                               : sampled_residual(kind == FactorKind::lu, n, kept.data(), a.data(), pivots.data());
      if (line(reinterpret_cast<const double*>(info.data()), 1, 1)[0] != 0) contender.error = "info is not 0";
    } catch (const std::exception& error) {
      contender.error = error.what();
    }
  }
  for (int round = 0; round < effort.repetitions; ++round)
    for (FactorContender& contender : contenders) {
      // The first call, if it took seconds, is enough.
      if (!contender.error.empty() || contender.ms[0] > 1500) continue;
      if (round == 0) contender.ms.clear();
      std::this_thread::sleep_for(std::chrono::duration<double>(effort.pause));
      contender.ms.push_back(timed(contender));
    }
  bool met = true;
  const double theirs = contenders[0].error.empty() ? median(contenders[0].ms) : 0;
  const double operations = (kind == FactorKind::qr         ? 4.
                             : kind == FactorKind::cholesky ? 1.
                                                            : 2.) /
                            3 * std::pow(static_cast<double>(n), 3);
  for (const FactorContender& contender : contenders) {
    std::printf("%-15s %6lld  %-16s %-9s ", name_of(kind), static_cast<long long>(n), data.c_str(),
                contender.name.c_str());
    if (!contender.error.empty()) {
      std::printf("%s\n", contender.error.c_str());
      continue;
    }
    const double ms = median(contender.ms), ratio = theirs / ms, target = target_of(kind, contender.name, data, n);
    std::printf("%9.3f ms  %6.2f Tflop/s  %6.2f  residual %.2g u", ms, operations / ms * 1e-9, ratio,
                contender.residual);
    if (target > 0 && theirs > 0) {
      std::printf("  target %.2f: %s", target, ratio >= target ? "met" : "NOT MET");
      met = met && ratio >= target;
    }
    std::printf("\n");
    if (csv)
      std::fprintf(csv, "%s,%lld,%s,%s,%.6g,%.6g,%.6g,%.3g\n", name_of(kind), static_cast<long long>(n), data.c_str(),
                   contender.name.c_str(), ms, operations / ms * 1e-6, ratio, contender.residual);
  }
  std::fflush(stdout);
  if (csv) std::fflush(csv);
  return met;
}

}  // namespace

std::vector<std::string> factor_routines() {
  std::vector<std::string> names;
  for (const FactorKind kind : kinds) names.push_back(name_of(kind));
  return names;
}

bool print_factor(const std::vector<std::string>& routines, const std::vector<std::string>& data,
                  const std::vector<Index>& orders, const Effort& effort, const std::string& csv) {
  const bench::CsvFile file(csv, "routine,n,data,by,ms,gflops,over_cusolver,residual");
  std::printf("%-15s %6s  %-16s %-9s %12s  %14s  %6s\n", "routine", "n", "data", "by", "time", "rate", "ratio");
  bool met = true;
  for (const FactorKind kind : kinds)
    if (routines.empty() || std::count(routines.begin(), routines.end(), name_of(kind)))
      for (const std::string& of : data)
        for (const Index n : orders) met = measure(kind, n, of, effort, file.get()) && met;
  return met;
}

}  // namespace gpu_bench
