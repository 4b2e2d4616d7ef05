// GEMM in the multiword modes on the GPU against correctly rounded results of the CPU: within the bound of the words,
// of the products that are left out and of the accumulation; special values in the class of the correct result. Run
// with ACCUBLAS_CUDA_KERNELS=portable, too, so that both ways to form the products are seen.
#include <algorithm>
#include <cmath>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

struct WordMode {
  const char* word;
  int bits;         ///< of a word's significand
  int products;     ///< of words
  double line;      ///< what an entry may lose relative to the largest of its line, where entries are scaled
  double addition;  ///< what an addition may lose
};
constexpr WordMode single_modes[] = {
    {"tf32x1", 11, 1, 0, 0x1p-23},       {"tf32x3", 11, 3, 0, 0x1p-23},       {"tf32x4", 11, 4, 0, 0x1p-23},
    {"fp16x1", 11, 1, 0x1p-39, 0x1p-23}, {"fp16x3", 11, 3, 0x1p-39, 0x1p-23},
};
constexpr WordMode double_modes[] = {
    {"tf64x1", 24, 1, 0x1p-200, 0x1p-52}, {"tf64x3", 24, 3, 0x1p-200, 0x1p-52}, {"tf64x4", 24, 4, 0x1p-200, 0x1p-52}};

template <class T>
std::vector<WordMode> modes() {
  if constexpr (sizeof(T) == 4) return {std::begin(single_modes), std::end(single_modes)};
  return {std::begin(double_modes), std::end(double_modes)};
}

/// Relative to abs(A) abs(B).
double relative_error(const WordMode& mode, Index k) {
  const double word = std::ldexp(1, -mode.bits);
  const double words =
      mode.products == 1 ? 2 * word + word * word : 2 * word * word + (mode.products == 3 ? 1.01 : 0.01) * word * word;
  return words + static_cast<double>(2 * k + 16) * mode.addition;
}

/// The largest error of C over what the mode may err there, and whether classes and what lies between the elements are
/// right.
template <class T>
double largest_error(const Problem<T>& p, const WordMode& mode, const std::vector<T>& exact,
                     const std::vector<T>& got) {
  std::vector<char> element(got.size(), 0);
  double largest = 0;
  const auto a = [&](Index i, Index q) {
    return std::fabs(static_cast<double>(p.a[static_cast<std::size_t>(p.at_a.at(i, q))]));
  };
  const auto b = [&](Index q, Index j) {
    return std::fabs(static_cast<double>(p.b[static_cast<std::size_t>(p.at_b.at(q, j))]));
  };
  std::vector<double> row(static_cast<std::size_t>(p.m), 0), col(static_cast<std::size_t>(p.n), 0);
  for (Index q = 0; q < p.k; ++q) {
    for (Index i = 0; i < p.m; ++i)
      row[static_cast<std::size_t>(i)] = std::max(row[static_cast<std::size_t>(i)], a(i, q));
    for (Index j = 0; j < p.n; ++j)
      col[static_cast<std::size_t>(j)] = std::max(col[static_cast<std::size_t>(j)], b(q, j));
  }
  const double rel = relative_error(mode, p.k);
  const double least = static_cast<double>(std::numeric_limits<T>::denorm_min());
  const bool ignores_c = p.beta == T(0);
  for (Index j = 0; j < p.n; ++j)
    for (Index i = 0; i < p.m; ++i) {
      const auto at = static_cast<std::size_t>(p.at_c.at(i, j));
      element[at] = 1;
      const double want = static_cast<double>(exact[at]), have = static_cast<double>(got[at]);
      if (std::isnan(want)) {
        if (!std::isnan(have)) return std::numeric_limits<double>::infinity();
        continue;
      }
      long double value = 0, sum = 0, of_lines = 0, subnormal = 0;
      for (Index q = 0; q < p.k; ++q) {
        const long double x = p.a[static_cast<std::size_t>(p.at_a.at(i, q))],
                          y = p.b[static_cast<std::size_t>(p.at_b.at(q, j))];
        value += x * y;
        sum += std::fabs(x * y);
        of_lines += row[static_cast<std::size_t>(i)] * std::fabs(y) + std::fabs(x) * col[static_cast<std::size_t>(j)];
        // A TF32 word ends at 2^-136; sums and products at the least number.
        if (sizeof(T) == 4) subnormal += 0x1p-136L * (std::fabs(x) + std::fabs(y)) + 0x1p-147L;
      }
      const long double addend = ignores_c ? 0 : static_cast<long double>(p.beta) * static_cast<long double>(p.c[at]);
      const long double alpha = std::fabs(static_cast<long double>(p.alpha));
      value = static_cast<long double>(p.alpha) * value + addend;
      const long double allowed = alpha * (rel * sum + mode.line * of_lines + (mode.line == 0 ? subnormal : 0)) +
                                  2 * std::numeric_limits<T>::epsilon() * (alpha * sum + std::fabs(addend)) + least;
      if (want == have) continue;
      // What is within the bound of the exact value may lie on either side of the largest number.
      const long double greatest = std::numeric_limits<T>::max() * (1 - 0x1p-20L);
      if (std::isinf(have)) {
        if (!(have > 0 ? value + allowed >= greatest : value - allowed <= -greatest))
          return std::numeric_limits<double>::infinity();
        continue;
      }
      const long double error = std::fabs(value - static_cast<long double>(have));
      if (!(error <= allowed)) {
        std::ostringstream text;
        text << "C(" << i << ", " << j << "): " << value << ", got " << have << ", error " << error << " above "
             << allowed;
        ADD_FAILURE() << text.str();
        return std::numeric_limits<double>::infinity();
      }
      largest = std::max(largest, static_cast<double>(error / allowed));
    }
  for (std::size_t q = 0; q < got.size(); ++q)
    if (!element[q] && bits(got[q]) != bits(p.c[q])) return std::numeric_limits<double>::infinity();
  return largest;
}

template <class T>
class Multiword : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{20261122};

  void SetUp() override { cpu.set("cr"); }
  void expect_within(const Problem<T>& p, const WordMode& mode, bool device_scalars = false) {
    std::vector<T> exact, got;
    gpu.set(mode.word);
    ASSERT_EQ(on_host(cpu, p, exact), ACCUBLAS_SUCCESS) << cpu.error();
    ASSERT_EQ(on_device(gpu, p, got, device_scalars), ACCUBLAS_SUCCESS)
        << mode.word << " " << p.describe() << ": " << gpu.error();
    ASSERT_STREQ(gpu.report().engine, "multiword");
    ASSERT_LE(largest_error(p, mode, exact, got), 1) << mode.word << " " << p.describe();
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Multiword, Types);

const std::vector<Kind> kinds = {{Data::phi, 0},         {Data::phi, 1},       {Data::phi, 4},       {Data::graded},
                                 {Data::block_diagonal}, {Data::triangular},   {Data::cancellation}, {Data::integers},
                                 {Data::few_special},    {Data::many_special}, {Data::zero_lines},   {Data::extreme}};

/// Any layout, strides, offsets and leading dimensions.
TYPED_TEST(Multiword, Kinds) {
  using T = TypeParam;
  for (const Kind& kind : kinds)
    for (const WordMode& mode : modes<T>())
      for (int number = 0; number < scaled(4); ++number) {
        auto p = random_problem<T>(this->rng, kind, 1 + below(this->rng, 300), 1 + below(this->rng, 300),
                                   1 + below(this->rng, 400));
        if (number % 2) p.alpha = T(-1.3);
        if (number % 3 == 1) p.beta = T(0.7);
        this->expect_within(p, mode, number % 4 == 3);
        if (testing::Test::HasFatalFailure()) return;
      }
}

/// Around tiles, their halves and the steps of k; aligned operands, whole vectors and not.
TYPED_TEST(Multiword, Edges) {
  using T = TypeParam;
  for (const WordMode& mode : modes<T>())
    for (const accublas_transpose transa : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS})
      for (const accublas_transpose transb : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS})
        for (const auto& [m, n, k] : {std::array<Index, 3>{64, 64, 64},
                                      {128, 256, 32},
                                      {129, 257, 65},
                                      {255, 127, 256},
                                      {256, 128, 320},
                                      {512, 260, 516},
                                      {63, 65, 1}}) {
          const auto p = packed_problem<T>(this->rng, {Data::phi, 0}, m, n, k, ACCUBLAS_COL_MAJOR, transa, transb, 0);
          this->expect_within(p, mode);
          if (testing::Test::HasFatalFailure()) return;
        }
}

/// Lines of every range in one product: tiles of both kinds of words, and sums that overflow on the way.
TYPED_TEST(Multiword, MixedRanges) {
  using T = TypeParam;
  for (const WordMode& mode : modes<T>())
    for (int number = 0; number < scaled(3); ++number) {
      auto p = plain_problem<T>(this->rng, {Data::phi, 0}, 700, 520, 200);
      const auto spread = [&](std::vector<T>& x) {
        for (int count = 0; count < 40; ++count)
          x[static_cast<std::size_t>(below(this->rng, static_cast<Index>(x.size())))] *=
              static_cast<T>(std::ldexp(1.0, -static_cast<int>(below(this->rng, 60))));
      };
      spread(p.a), spread(p.b);
      if (mode.line == 0 || number > 0) this->expect_within(p, mode);
      if (testing::Test::HasFatalFailure()) return;
    }
}

/// Alpha or beta zero, on the host and on the device; sums beyond the largest number that alpha brings back.
TYPED_TEST(Multiword, Scalars) {
  using T = TypeParam;
  for (const WordMode& mode : modes<T>()) {
    for (const T alpha : {T(0), T(1), T(2.5)})
      for (const T beta : {T(0), T(1), T(-0.5)})
        for (const bool device : {false, true}) {
          auto p = plain_problem<T>(this->rng, {Data::phi, 1}, 70, 90, 130);
          p.alpha = alpha, p.beta = beta;
          this->expect_within(p, mode, device);
          if (testing::Test::HasFatalFailure()) return;
        }
    auto p = plain_problem<T>(this->rng, {Data::phi, 0}, 70, 90, 130);
    const T large = std::ldexp(T(1), std::numeric_limits<T>::max_exponent / 2 + 2);
    for (T& x : p.a) x *= large;
    for (T& x : p.b) x *= large;
    p.alpha = 1 / large / large;
    this->expect_within(p, mode);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// In a workspace of any size.
TYPED_TEST(Multiword, SmallWorkspace) {
  using T = TypeParam;
  for (const WordMode& mode : modes<T>()) {
    const auto p = plain_problem<T>(this->rng, {Data::phi, 0}, 300, 500, 700);
    for (const std::int64_t mebibytes : {1, 2, 4}) {
      ASSERT_EQ(accublas_set_workspace_mib(this->gpu, mebibytes), ACCUBLAS_SUCCESS);
      this->expect_within(p, mode);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace accublas::test
