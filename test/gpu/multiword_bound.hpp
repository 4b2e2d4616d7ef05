// The range of an element of GEMM in a multiword mode, by the bound of its words, of the products that are left out and
// of the accumulation (lib/numerics/multiword.hpp), with a term for each entry of a line that is scaled.
#pragma once

#include <algorithm>
#include <cmath>

#include "lib/numerics/multiword.hpp"
#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {

struct WordMode {
  const char* word;
  accublas_mode mode;
  MultiwordMode words() const { return multiword_of(mode); }
};

/// Returns the multiword modes of type T.
template <class T>
std::vector<WordMode> word_modes() {
  if constexpr (sizeof(T) == 4)
    return {{"tf32x1", ACCUBLAS_MODE_TF32X1},
            {"tf32x3", ACCUBLAS_MODE_TF32X3},
            {"tf32x4", ACCUBLAS_MODE_TF32X4},
            {"fp16x1", ACCUBLAS_MODE_FP16X1},
            {"fp16x3", ACCUBLAS_MODE_FP16X3}};
  else
    return {{"tf64x1", ACCUBLAS_MODE_TF64X1}, {"tf64x3", ACCUBLAS_MODE_TF64X3}, {"tf64x4", ACCUBLAS_MODE_TF64X4}};
}

/// Elements of one problem against their exact values and bounds.
template <class T>
class WordBounds {
 public:
  WordBounds(const Problem<T>& p, const WordMode& mode)
      : p_(p), mode_(mode.words()), relative_(word_product_bound(mode_) + accumulation_bound(mode_, p.k)) {
    const double h = word_bound(mode_.format).underflow;
    for (Index i = 0; i < p.m; ++i) {
      double largest = 0;
      for (Index q = 0; q < p.k; ++q) largest = std::max(largest, std::fabs(static_cast<double>(a(i, q))));
      of_row_.push_back(h * unscaled(largest));
    }
    for (Index j = 0; j < p.n; ++j) {
      double largest = 0;
      for (Index q = 0; q < p.k; ++q) largest = std::max(largest, std::fabs(static_cast<double>(b(q, j))));
      of_col_.push_back(h * unscaled(largest));
    }
  }

  /// The error over what it may be; infinite where the element is not of the class of `want`, the correct result.
  double error(Index i, Index j, T want, T have, std::string* text) const {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    if (std::isnan(want)) return std::isnan(have) ? 0 : mismatch(i, j, want, have, infinite, text);
    if (want == have) return 0;
    long double value = 0, sum = 0, underflow = 0;
    for (Index q = 0; q < p_.k; ++q) {
      const long double x = a(i, q), y = b(q, j);
      value += x * y;
      sum += std::fabs(x * y);
      underflow +=
          of_row_[static_cast<std::size_t>(i)] * std::fabs(y) + of_col_[static_cast<std::size_t>(j)] * std::fabs(x);
      // Products and sums of unscaled words underflow as FP32 numbers.
      if (mode_.format == MultiwordFormat::tf32) underflow += 0x1p-147L;
    }
    const long double u = unit_roundoff<T>(), alpha = std::fabs(static_cast<long double>(p_.alpha));
    const T c = p_.c[static_cast<std::size_t>(p_.at_c.at(i, j))];
    value = static_cast<long double>(p_.alpha) * value +
            (p_.beta == T(0) ? 0 : static_cast<long double>(p_.beta) * static_cast<long double>(c));
    // Besides: what this sum itself may err, and what h is multiplied by, words that err by themselves.
    const long double allowed =
        u * std::fabs(value) + (1 + u) * alpha * (relative_ * sum + 1.01L * underflow) +
        std::numeric_limits<T>::denorm_min() +
        std::numeric_limits<long double>::epsilon() * static_cast<long double>(p_.k) * alpha * sum;
    // A number within the bound of the exact value may lie on either side of the largest number.
    if (!std::isfinite(have)) {
      const long double greatest = std::numeric_limits<T>::max() * (1 - 0x1p-20L);
      const bool may = have > 0 ? value + allowed >= greatest : have < 0 && value - allowed <= -greatest;
      return may ? 1 : mismatch(i, j, want, have, infinite, text);
    }
    const double over = static_cast<double>(std::fabs(value - static_cast<long double>(have)) / allowed);
    return over <= 1 ? over : mismatch(i, j, want, have, std::isnan(over) ? infinite : over, text);
  }

 private:
  T a(Index i, Index q) const { return p_.a[static_cast<std::size_t>(p_.at_a.at(i, q))]; }
  T b(Index q, Index j) const { return p_.b[static_cast<std::size_t>(p_.at_b.at(q, j))]; }
  /// 1 as it is before its line is scaled.
  double unscaled(double largest) const {
    if (largest == 0 || !std::isfinite(largest)) return 1;
    return std::ldexp(1.0, -multiword_scale(mode_, std::ilogb(largest) + 1));
  }
  double mismatch(Index i, Index j, T want, T have, double over, std::string* text) const {
    std::ostringstream out;
    out << "C(" << i << ", " << j << "): correctly rounded " << want << ", got " << have << ", " << over
        << " times its bound";
    *text = out.str();
    return over;
  }

  const Problem<T>& p_;
  const MultiwordMode mode_;
  const double relative_;
  std::vector<double> of_row_, of_col_;  ///< what a word of it may lose by underflow
};

/// The first element of C beyond its bound, or what was written between the elements; empty if there is none. `exact`:
/// the correctly rounded results.
template <class T>
std::string beyond_word_bound(const Problem<T>& p, const WordMode& mode, const std::vector<T>& exact,
                              const std::vector<T>& got) {
  const WordBounds<T> bounds(p, mode);
  std::vector<char> element(got.size(), 0);
  std::string text;
  for (Index j = 0; j < p.n; ++j)
    for (Index i = 0; i < p.m; ++i) {
      const auto at = static_cast<std::size_t>(p.at_c.at(i, j));
      element[at] = 1;
      if (bounds.error(i, j, exact[at], got[at], &text) > 1)
        return std::string(mode.word) + " " + p.describe() + ": " + text;
    }
  for (std::size_t q = 0; q < got.size(); ++q)
    if (!element[q] && bits(got[q]) != bits(p.c[q]))
      return std::string(mode.word) + " " + p.describe() + ": written outside C, at " + std::to_string(q);
  return "";
}

/// Contexts for calls in the multiword modes, and the CPU's correctly rounded results.
template <class T>
class MultiwordTest : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{20261122};

  void SetUp() override { cpu.set("cr"); }
  std::vector<T> exact(const Problem<T>& p) {
    std::vector<T> out;
    EXPECT_EQ(on_host(cpu, p, out), ACCUBLAS_SUCCESS) << cpu.error();
    return out;
  }
  void expect_within(const Problem<T>& p, const WordMode& mode, bool device_scalars = false) {
    std::vector<T> got;
    gpu.set(mode.word);
    ASSERT_EQ(on_device(gpu, p, got, device_scalars), ACCUBLAS_SUCCESS)
        << mode.word << " " << p.describe() << ": " << gpu.error();
    ASSERT_STREQ(gpu.report().engine, "multiword");
    ASSERT_EQ(beyond_word_bound(p, mode, exact(p), got), "");
  }
};

}  // namespace accublas::test
