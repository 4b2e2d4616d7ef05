#include "perf/gpu/factor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>

#include "perf/csv_file.hpp"
#include "perf/gpu/context.hpp"
#include "perf/gpu/cusolver.hpp"
#include "perf/gpu/data.hpp"
#include "perf/gpu/factor_errors.hpp"

namespace gpu_bench {
namespace {

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
  const Index size = n * n, rows = rows_of(kind, n);
  const bool lu = kind == FactorKind::lu || kind == FactorKind::wide_lu;
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
           checked.need(lu ? accublas_dgetrf(of, ACCUBLAS_COL_MAJOR, rows, n, a.data(), n, pivots.data(), info.data())
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
                               : sampled_residual(lu, rows, n, kept.data(), a.data(), pivots.data());
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
  // Wide LU of r = n / 4 rows takes r^2 (n - r / 3) operations.
  const double operations = (kind == FactorKind::qr         ? 4.
                             : kind == FactorKind::cholesky ? 1.
                             : kind == FactorKind::wide_lu  ? 11. / 64
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
  for (const FactorKind kind : factor_kinds) names.push_back(name_of(kind));
  return names;
}

bool print_factor(const std::vector<std::string>& routines, const std::vector<std::string>& data,
                  const std::vector<Index>& orders, const Effort& effort, const std::string& csv) {
  const bench::CsvFile file(csv, "routine,n,data,by,ms,gflops,over_cusolver,residual");
  std::printf("%-15s %6s  %-16s %-9s %12s  %14s  %6s\n", "routine", "n", "data", "by", "time", "rate", "ratio");
  bool met = true;
  for (const FactorKind kind : factor_kinds)
    if (routines.empty() || std::count(routines.begin(), routines.end(), name_of(kind)))
      for (const std::string& of : data)
        for (const Index n : orders) met = measure(kind, n, of, effort, file.get()) && met;
  return met;
}

}  // namespace gpu_bench
