#include "perf/gpu/batched.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "perf/gpu/context.hpp"
#include "perf/gpu/data.hpp"
#include "perf/gpu/peers.hpp"
#include "perf/gpu/short_call.hpp"

namespace gpu_bench {
namespace {

/// Orders of the matrices, and counts that fill the device. The targets are the largest allowed ratios to cuBLAS's time
/// in cr and in dp:repro (double precision, phi 0.5), or 0 for no target.
struct Size {
  Index order, count;
  double cr = 0, repro = 0;

  double target(const std::string& mode) const { return mode == "cr" ? cr : mode == "dp:repro" ? repro : 0; }
};
constexpr Size sizes[] = {{8, 100000},      {16, 50000},      {32, 10000},     {64, 1000, 6},
                          {128, 500, 3, 4}, {256, 100, 4, 4}, {512, 30, 3, 3}, {1024, 10, 2.5, 2}};

accublas_status call(accublas_context* ctx, Index n, const double* a, const double* b, double* c, Index count) {
  const double one = 1, zero = 0;
  return accublas_dgemm_strided_batched(ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, &one, a,
                                        n, n * n, b, n, n * n, &zero, c, n, n * n, count);
}
accublas_status call(accublas_context* ctx, Index n, const float* a, const float* b, float* c, Index count) {
  const float one = 1, zero = 0;
  return accublas_sgemm_strided_batched(ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, &one, a,
                                        n, n * n, b, n, n * n, &zero, c, n, n * n, count);
}

template <class T>
bool contains(const std::vector<T>& chosen, const T& value) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), value) != chosen.end();
}

template <class T>
bool measure(const std::string& routine, const std::string& data, const std::vector<Index>& orders,
             const std::vector<std::string>& modes, int repetitions) {
  const Stream stream;
  CuBlas cublas(stream);
  const bool single = sizeof(T) == 4;
  const matrices::Matrix matrix = matrices::named(data);
  bool met = true;
  for (const Size& size : sizes) {
    if (!contains(orders, size.order)) continue;
    const Index n = size.order, all = n * n * size.count;
    const DeviceArray<T> a(all), b(all), c(all);
    fill(matrix, Side::a, false, a.data(), n, n, size.count, stream);
    fill(matrix, Side::b, false, b.data(), n, n, size.count, stream);
    std::vector<ShortCall> contenders{
        {"cublas", [&] { cublas.gemm_batched(n, a.data(), b.data(), c.data(), size.count); }}};
    std::vector<std::unique_ptr<Context>> contexts(1);  // of the contenders; cuBLAS has none
    for (const std::string mode :
         {"native", single ? "sp" : "dp", single ? "sp:repro" : "dp:repro", single ? "fixed:24" : "fixed:53", "cr"}) {
      if (!contains(modes, mode)) continue;
      contexts.push_back(std::make_unique<Context>(mode, stream, 0));
      Context* const context = contexts.back().get();
      contenders.push_back(
          {mode, [&, context] { context->need(call(*context, n, a.data(), b.data(), c.data(), size.count)); }});
    }
    for (const ShortCall& contender : contenders) time_us(contender, 3, stream);
    time_in_turn(contenders, repetitions, stream);
    const double peer = median(contenders[0].row_us);
    for (std::size_t q = 0; q < contenders.size(); ++q) {
      const ShortCall& contender = contenders[q];
      const double us = median(contender.row_us), share = us / peer;
      accublas_report_t report{};
      if (contexts[q]) {
        accublas_set_report_level(*contexts[q], 2);
        contender.call();
        report = contexts[q]->report();
      }
      std::string verdict;
      if (const double target = single ? 0 : size.target(contender.name); target > 0) {
        const bool kept = share <= target;
        met &= kept;
        char limit[24];
        std::snprintf(limit, sizeof limit, "<= %g ", target);
        verdict = std::string(limit) + (kept ? "met" : "NOT MET");
      }
      std::printf("%-6s %5lld %7lld %-8s %-8s %10.1f %10.1f %7.2f %8.1f %8.1f %8.1f %8.1f %9lld %5d  %s\n",
                  routine.c_str(), static_cast<long long>(n), static_cast<long long>(size.count), data.c_str(),
                  contender.name.c_str(), us, median(contender.single_us), share, 1e3 * report.ms_convert,
                  1e3 * report.ms_product, 1e3 * report.ms_reconstruct, 1e3 * report.ms_exact,
                  static_cast<long long>(report.undecided), report.parts, verdict.c_str());
    }
    std::fflush(stdout);
  }
  return met;
}

}  // namespace

bool print_batched(const std::vector<std::string>& routines, const std::vector<std::string>& data,
                   const std::vector<Index>& orders, const std::vector<std::string>& modes, int repetitions) {
  std::printf(
      "us: of a call among calls back to back; single: of one alone. times: over cuBLAS's, back to back. The phases "
      "are\n"
      "those of a call at report level 2, in us.\n"
      "%-6s %5s %7s %-8s %-8s %10s %10s %7s %8s %8s %8s %8s %9s %5s  %s\n",
      "", "n", "count", "data", "mode", "us", "single us", "times", "convert", "product", "reconstr", "exact",
      "undecided", "parts", "target");
  bool met = true;
  for (const std::string& routine : routines)
    for (const std::string& kind : data)
      met &= routine == "sgemm" ? measure<float>(routine, kind, orders, modes, repetitions)
                                : measure<double>(routine, kind, orders, modes, repetitions);
  return met;
}

}  // namespace gpu_bench
