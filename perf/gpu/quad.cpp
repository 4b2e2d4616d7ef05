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

/// A routine as it is measured, on operands of n x n numbers or on vectors of n^2 of them.
struct QuadRoutine {
  bool pairs;
  double operations, numbers;
};
QuadRoutine routine_of(const std::string& name, Index order) {
  const double n = static_cast<double>(order), all = n * n;
  const bool pairs = name.starts_with("dd");
  if (name.ends_with("gemm")) return {pairs, 2 * n * all, 3 * all};
  if (name == "qtrsm") return {pairs, n * all, 2.5 * all};
  if (name.ends_with("gemv")) return {pairs, 2 * all, all + 2 * n};
  return {pairs, 2 * all, name == "qnrm2" ? all : 2 * all};
}

/// Operands and calls of a routine.
class QuadCalls {
 public:
  QuadCalls(const std::string& name, const QuadRoutine& routine, Index n)
      : name_(name), pairs_(routine.pairs), n_(n), a_(n * n), b_(n * n), c_(n * n) {
    constexpr std::size_t prime = 1048573;
    std::vector<Number> block = uniform(pairs_, prime);
    fill(b_.data(), n * n, std::vector<Number>(block.rbegin(), block.rend()));
    // The solutions of a system whose entries are below 2^-10 stay in range.
    if (name == "qtrsm")
      for (Number& x : block) x.word[1] -= std::uint64_t{10} << 48;
    fill(a_.data(), n * n, block);
  }

  void operator()(const Context& on, bool transposed) const {
    const double pair_one[2] = {1, 0};
    const Number quad_one{{0, 0x3FFF000000000000}}, zero{};
    const void* const one = pairs_ ? static_cast<const void*>(pair_one) : &quad_one;
    const accublas_transpose op = transposed ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS;
    Number result;
    if (name_.ends_with("gemm"))
      on.need((pairs_ ? accublas_ddgemm : accublas_qgemm)(on, ACCUBLAS_COL_MAJOR, op, ACCUBLAS_NO_TRANS, n_, n_, n_,
                                                          one, a_.data(), n_, b_.data(), n_, &zero, c_.data(), n_));
    else if (name_.ends_with("gemv"))
      on.need((pairs_ ? accublas_ddgemv : accublas_qgemv)(on, ACCUBLAS_COL_MAJOR, op, n_, n_, one, a_.data(), n_,
                                                          b_.data(), 1, &zero, c_.data(), 1));
    else if (name_ == "qtrsm")
      on.need(accublas_qtrsm(on, ACCUBLAS_COL_MAJOR, ACCUBLAS_LEFT, ACCUBLAS_LOWER, op, ACCUBLAS_UNIT, n_, n_, one,
                             a_.data(), n_, b_.data(), n_));
    else if (name_ == "qnrm2")
      on.need(accublas_qnrm2(on, n_ * n_, a_.data(), 1, &result));
    else
      on.need((pairs_ ? accublas_dddot : accublas_qdot)(on, n_ * n_, a_.data(), 1, b_.data(), 1, &result));
  }

 private:
  const std::string name_;
  const bool pairs_;
  const Index n_;
  const DeviceArray<Number> a_, b_, c_;
};

/// Prints a row; returns the rate in TFLOP/s.
double print_row(const std::string& name, Index n, int repetitions, bool transposed) {
  const QuadRoutine routine = routine_of(name, n);
  const QuadCalls call(name, routine, n);
  const Stream stream;
  const Context context("cr", stream, 0), phases("cr", stream, 2);
  call(context, transposed);
  call(phases, transposed);
  const accublas_report_t report = phases.report();
  std::vector<double> ms;
  for (int i = 0; i < repetitions; ++i) {
    const Event start, end;
    start.record(stream);
    call(context, transposed);
    end.record(stream);
    ms.push_back(end.since(start));
  }
  const double time = median(ms), rate = routine.operations / time * 1e-9;
  std::printf("%-8s %6lld %9.3f %9.3f %9.0f %7s %8d %10lld %9.3f %9.3f %9.3f %9.3f\n",
              (name + (transposed ? " T" : "")).c_str(), static_cast<long long>(n), time, rate,
              routine.numbers * sizeof(Number) / time * 1e-6, report.engine, report.parts,
              static_cast<long long>(report.undecided), report.ms_convert, report.ms_product, report.ms_reconstruct,
              report.ms_exact);
  std::fflush(stdout);
  return rate;
}

}  // namespace

std::vector<std::string> quad_routines() {
  return {"qgemm", "ddgemm", "qgemv", "ddgemv", "qdot", "dddot", "qnrm2", "qtrsm"};
}

bool print_quad(const std::vector<std::string>& routines, const std::vector<Index>& orders, int repetitions) {
  std::printf("%-8s %6s %9s %9s %9s %7s %8s %10s %9s %9s %9s %9s\n", "routine", "n", "ms", "TFLOP/s", "GB/s", "engine",
              "moduli", "undecided", "convert", "product", "rebuild", "exact");
  bool met = true;
  for (const std::string& routine : routines.empty() ? quad_routines() : routines)
    for (const Index n : orders) {
      const double rate = print_row(routine, n, repetitions, false);
      if (routine.ends_with("gemv")) print_row(routine, n, repetitions, true);
      if (routine != "qgemm" || n != target_order) continue;
      std::printf("target: qgemm, n = %lld, %.0f TFLOP/s: %s\n", static_cast<long long>(n), target,
                  rate >= target ? "met" : "not met");
      met &= rate >= target;
    }
  return met;
}

}  // namespace gpu_bench
