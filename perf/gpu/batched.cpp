#include "perf/gpu/batched.hpp"

#include <cstdio>
#include <memory>

#include "perf/gpu/context.hpp"
#include "perf/gpu/data.hpp"
#include "perf/gpu/peers.hpp"
#include "perf/gpu/short_call.hpp"

namespace gpu_bench {
namespace {

/// Orders of the matrices, and counts that fill the device. In cr each matrix of order above 512 takes a call, in
/// fixed:T each one of order above 384, and in dp:repro each one of order above 128.
struct Size {
  Index order, count;
};
constexpr Size sizes[] = {{8, 100000}, {16, 50000}, {32, 10000}, {64, 1000},
                          {128, 500},  {256, 100},  {512, 25},   {1024, 10}};

/// Mode cr, order 64, double, phi 0.5: at most so many times cuBLAS's time.
constexpr Index target_order = 64;
constexpr double target = 6;

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
bool measure(const std::string& routine, const std::string& data, int repetitions) {
  const Stream stream;
  CuBlas cublas(stream);
  const bool single = sizeof(T) == 4;
  const matrices::Matrix matrix = matrices::named(data);
  bool met = true;
  for (const Size& size : sizes) {
    const Index n = size.order, all = n * n * size.count;
    const DeviceArray<T> a(all), b(all), c(all);
    fill(matrix, Side::a, false, a.data(), n, n, size.count, stream);
    fill(matrix, Side::b, false, b.data(), n, n, size.count, stream);
    std::vector<ShortCall> contenders{
        {"cublas", [&] { cublas.gemm_batched(n, a.data(), b.data(), c.data(), size.count); }}};
    std::vector<std::unique_ptr<Context>> contexts(1);  // of the contenders; cuBLAS has none
    for (const char* mode :
         {"native", single ? "sp" : "dp", single ? "sp:repro" : "dp:repro", single ? "fixed:24" : "fixed:53", "cr"}) {
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
      long long undecided = 0;
      if (contexts[q]) {
        contender.call();
        undecided = contexts[q]->report().undecided;
      }
      std::string verdict;
      if (!single && contender.name == "cr" && n == target_order) {
        const bool kept = share <= target;
        met &= kept;
        verdict = std::string("<= 6 ") + (kept ? "met" : "NOT MET");
      }
      std::printf("%-6s %5lld %7lld %-8s %-7s %10.1f %10.1f %7.2f %10lld  %s\n", routine.c_str(),
                  static_cast<long long>(n), static_cast<long long>(size.count), data.c_str(), contender.name.c_str(),
                  us, median(contender.single_us), share, undecided, verdict.c_str());
    }
    std::fflush(stdout);
  }
  return met;
}

}  // namespace

bool print_batched(const std::vector<std::string>& routines, const std::vector<std::string>& data, int repetitions) {
  std::printf(
      "us: of a call among calls back to back; single: of one alone. times: over cuBLAS's, back to back.\n"
      "%-6s %5s %7s %-8s %-7s %10s %10s %7s %10s  %s\n",
      "", "n", "count", "data", "mode", "us", "single us", "times", "undecided", "target");
  bool met = true;
  for (const std::string& routine : routines)
    for (const std::string& kind : data)
      met &=
          routine == "sgemm" ? measure<float>(routine, kind, repetitions) : measure<double>(routine, kind, repetitions);
  return met;
}

}  // namespace gpu_bench
