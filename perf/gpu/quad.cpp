#include "perf/gpu/quad.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>

#include "perf/gpu/context.hpp"

namespace gpu_bench {

namespace {

constexpr double target = 25;
constexpr Index target_order = 4096;

struct Number {
  std::uint64_t word[2];
};

/// Numbers uniform in (-1, 1), with full mantissas.
std::vector<Number> uniform(bool pairs, std::size_t count) {
  std::mt19937_64 rng(44);
  std::vector<Number> x(count);
  for (Number& n : x) {
    if (pairs) {
      const double high = static_cast<double>(static_cast<std::int64_t>(rng())) * 0x1p-63,
                   low = static_cast<double>(static_cast<std::int64_t>(rng())) * 0x1p-117 * high;
      n.word[0] = std::bit_cast<std::uint64_t>(high);
      n.word[1] = std::bit_cast<std::uint64_t>(low);
    } else {
      const std::uint64_t bits = rng();
      // A geometric distribution of binades makes the numbers uniform.
      const int down = std::min(1 + std::countl_zero(rng() | 1), 60);
      n.word[0] = rng();
      n.word[1] = (bits & 1ull << 63) | static_cast<std::uint64_t>(16383 - down) << 48 | (bits & 0xFFFFFFFFFFFF);
    }
  }
  return x;
}

/// Fills device memory with copies of a block of numbers whose length is prime.
void fill(Number* to, std::int64_t count, const std::vector<Number>& block) {
  for (std::int64_t at = 0; at < count; at += static_cast<std::int64_t>(block.size())) {
    const std::size_t here = std::min(block.size(), static_cast<std::size_t>(count - at));
    require(cudaMemcpy(to + at, block.data(), here * sizeof(Number), cudaMemcpyHostToDevice), "copy to device");
  }
}

/// Prints a row; returns the rate in TFLOP/s.
double print_row(const std::string& routine, Index n, int repetitions) {
  const bool pairs = routine == "ddgemm";
  constexpr std::size_t prime = 1048573;
  const DeviceArray<Number> a(n * n), b(n * n), c(n * n);
  const std::vector<Number> block = uniform(pairs, prime);
  fill(a.data(), n * n, block);
  fill(b.data(), n * n, std::vector<Number>(block.rbegin(), block.rend()));
  const Stream stream;
  const Context context("cr", stream, 0), phases("cr", stream, 2);
  const double pair_one[2] = {1, 0};
  const Number quad_one{{0, 0x3FFF000000000000}}, zero{};
  const auto call = [&](const Context& on) {
    const auto run = pairs ? accublas_ddgemm : accublas_qgemm;
    const void* const one = pairs ? static_cast<const void*>(pair_one) : &quad_one;
    on.need(run(on, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, one, a.data(), n, b.data(), n,
                &zero, c.data(), n));
  };
  call(context);
  call(phases);
  const accublas_report_t report = phases.report();
  std::vector<double> ms;
  for (int i = 0; i < repetitions; ++i) {
    const Event start, end;
    start.record(stream);
    call(context);
    end.record(stream);
    ms.push_back(end.since(start));
  }
  const double time = median(ms), rate = 2 * std::pow(static_cast<double>(n), 3) / time * 1e-9;
  std::printf("%-8s %6lld %9.3f %9.2f %7s %8d %10lld %9.3f %9.3f %9.3f %9.3f\n", routine.c_str(),
              static_cast<long long>(n), time, rate, report.engine, report.parts,
              static_cast<long long>(report.undecided), report.ms_convert, report.ms_product, report.ms_reconstruct,
              report.ms_exact);
  std::fflush(stdout);
  return rate;
}

}  // namespace

std::vector<std::string> quad_routines() { return {"qgemm", "ddgemm"}; }

bool print_quad(const std::vector<std::string>& routines, const std::vector<Index>& orders, int repetitions) {
  std::printf("%-8s %6s %9s %9s %7s %8s %10s %9s %9s %9s %9s\n", "routine", "n", "ms", "TFLOP/s", "engine", "moduli",
              "undecided", "convert", "product", "rebuild", "exact");
  bool met = true;
  for (const std::string& routine : routines.empty() ? quad_routines() : routines)
    for (const Index n : orders) {
      const double rate = print_row(routine, n, repetitions);
      if (routine != "qgemm" || n != target_order) continue;
      std::printf("target: qgemm, n = %lld, %.0f TFLOP/s: %s\n", static_cast<long long>(n), target,
                  rate >= target ? "met" : "not met");
      met &= rate >= target;
    }
  return met;
}

}  // namespace gpu_bench
