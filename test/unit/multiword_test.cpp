// Words, scales and bounds of multiword arithmetic, and the errors of the modes on random data.
#include "lib/numerics/multiword.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/numerics/multiword_finish.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas {
namespace {

TEST(MultiwordWords, Tf32RoundsTiesAway) {
  EXPECT_EQ(tf32_word(1 + 0x1p-11f), 1 + 0x1p-10f);  // halfway, to the odd neighbour
  EXPECT_EQ(tf32_word(-1 - 0x1p-11f), -1 - 0x1p-10f);
  EXPECT_EQ(tf32_word(1 + 0x1p-11f - 0x1p-23f), 1.0f);
  EXPECT_EQ(tf32_word(1 + 0x3p-11f), 1 + 0x1p-9f);
  EXPECT_EQ(tf32_word(2 - 0x1p-23f), 2.0f);
  EXPECT_EQ(tf32_word(0x1p-149f), 0.0f);
  EXPECT_EQ(tf32_word(0x1p-137f), 0x1p-136f);
  EXPECT_EQ(tf32_word(std::numeric_limits<float>::max()), 0x1.ffcp127f);
  EXPECT_EQ(tf32_word(-std::numeric_limits<float>::max()), -0x1.ffcp127f);
}

TEST(MultiwordWords, Fp16RoundsTiesToEven) {
  EXPECT_EQ(fp16_word(1 + 0x1p-11f), 1.0f);
  EXPECT_EQ(fp16_word(1 + 0x3p-11f), 1 + 0x1p-9f);
  EXPECT_EQ(fp16_word(1 + 0x1p-11f + 0x1p-23f), 1 + 0x1p-10f);
  EXPECT_EQ(fp16_word(0x1p15f - 1), 0x1p15f);
  EXPECT_EQ(fp16_word(0x1p-25f), 0.0f);
  EXPECT_EQ(fp16_word(0x3p-25f), 0x1p-23f);
  EXPECT_EQ(fp16_word(-0x1.8p-24f), -0x1p-23f);
  EXPECT_EQ(fp16_word(0x1p-14f - 0x1p-25f), 0x1p-14f);
}

TEST(MultiwordWords, ErrorsKeepTheirBound) {
  std::mt19937_64 random(1);
  for (MultiwordFormat format : {MultiwordFormat::tf32, MultiwordFormat::fp16}) {
    const WordBound bound = word_bound(format);
    for (int i = 0; i < 1000000; ++i) {
      float x = from_bits<float>(static_cast<std::uint32_t>(random()));
      if (format == MultiwordFormat::fp16 && std::isnormal(x))
        x = std::ldexp(x, 15 - std::ilogb(x) - 1 - static_cast<int>(random() % 45));
      if (!std::isfinite(x)) continue;
      const Words<float> w = words_of(format, x);
      const double magnitude = std::fabs(x), left = std::fabs(static_cast<double>(x) - w.first);
      ASSERT_LE(left, bound.first * magnitude + bound.underflow) << x;
      ASSERT_LE(std::fabs(static_cast<double>(x) - w.first - w.second), bound.both * magnitude + bound.underflow) << x;
    }
  }
}

TEST(MultiwordScale, LargestMagnitudeOfALine) {
  for (float x : {1.0f, 0x1p-149f, 0x1.fffffep127f, 3.0f}) {
    const float scaled = multiword_scaled(x, multiword_scale({MultiwordFormat::fp16, 3}, exponent_above(x)));
    EXPECT_TRUE(scaled >= 0x1p14f && scaled < 0x1p15f) << x;
  }
  for (double x : {1.0, 0x1p-1074, std::numeric_limits<double>::max(), 3.0}) {
    const double scaled = multiword_scaled(x, multiword_scale({MultiwordFormat::tf64, 3}, exponent_above(x)));
    EXPECT_TRUE(scaled >= 0x1p62 && scaled < 0x1p63) << x;
  }
  EXPECT_EQ(multiword_scale({MultiwordFormat::tf32, 3}, 100), 0);
}

/// finish() on the same numbers, by integers.
float finished(float alpha, float sum, int scale, float beta, float c) {
  const Decoded d = decode(sum);
  const Wide<1> s = wide_from<1>(static_cast<std::int64_t>(d.mantissa));
  return finish(alpha, wide_negate_if(s, d.negative), d.exponent - scale, beta, c);
}

// Once: from any exponents, near ties and cancellations of the two products, and below the normal numbers.
TEST(MultiwordFinish, RoundsOnce) {
  std::mt19937_64 random(3);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto number = [&](int spread) {
    const float mantissa = static_cast<float>(1 + (random() % 2 ? random() % 4096 : random() % (1u << 24)));
    return std::ldexp(random() % 2 ? -mantissa : mantissa, below(2 * spread + 1) - spread - 12);
  };
  for (int i = 0; i < 500000; ++i) {
    const int spread = i % 3 == 0 ? 100 : i % 3 == 1 ? 3 : 14;
    float alpha = number(spread), sum = number(spread), beta = i % 5 ? number(spread) : 0.0f, c = number(spread);
    const int scale = i % 2 ? 0 : below(553) - 226;
    if (i % 7 == 0) beta = -alpha, c = std::ldexp(sum, -scale) + (i % 2 ? std::ldexp(sum, -scale - 24) : 0.0f);
    if (i % 11 == 0) sum = std::ldexp(sum, scale - 149);
    if (!std::isfinite(c) || !std::isfinite(sum)) continue;
    if (beta == 0) c = 0;
    const float want = finished(alpha, sum, scale, beta, c), got = finish_multiword(alpha, sum, scale, beta, c);
    ASSERT_EQ(to_bits(want), to_bits(got)) << alpha << " " << sum << " " << scale << " " << beta << " " << c;
  }
}

TEST(MultiwordFinish, SpecialValuesAndZeros) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float numbers[] = {0.0f, -0.0f, 1.0f, -3.0f, 0x1p-149f, std::numeric_limits<float>::max(), inf, -inf, nan};
  for (float alpha : numbers)
    for (float sum : numbers)
      for (float beta : numbers)
        for (float c : numbers)
          for (int scale : {0, 300, -226}) {
            if (!std::isfinite(sum)) continue;
            const float addend = beta == 0 ? 0.0f : c;
            EXPECT_EQ(to_bits(finished(alpha, sum, scale, beta, addend)),
                      to_bits(finish_multiword(alpha, sum, scale, beta, addend)))
                << alpha << " " << sum << " " << scale << " " << beta << " " << c;
          }
}

// From products k = 2^23 on (2^53) gamma bounds nothing: the bound is infinite, and keeps no target.
TEST(MultiwordBound, EndsWithGamma) {
  for (accublas_mode kind : {ACCUBLAS_MODE_TF32X1, ACCUBLAS_MODE_TF32X3, ACCUBLAS_MODE_TF32X4}) {
    const Index most = ((Index{1} << 23) - 1) / multiword_of(kind).products;
    const Bound last = promised_bound(routine_named("sgemm"), Mode{kind}, most, 1.0f),
                none = promised_bound(routine_named("sgemm"), Mode{kind}, most + 1, 1.0f);
    EXPECT_TRUE(keeps(last, 0x1.1p23)) << kind;
    EXPECT_FALSE(keeps(last, 0x1p20)) << kind;
    EXPECT_EQ(none.componentwise, infinite_bound) << kind;
    for (double target : {1e300, std::numeric_limits<double>::max(), infinite_bound})
      EXPECT_FALSE(keeps(none, target)) << kind;
  }
  EXPECT_LT(accumulation_bound({MultiwordFormat::tf64, 1}, (Index{1} << 53) - 1), infinite_bound);
  EXPECT_EQ(accumulation_bound({MultiwordFormat::tf64, 4}, Index{1} << 51), infinite_bound);
}

/// sqrt(sum (c - exact)^2 / sum exact^2) of a product of order n of normal deviates.
template <class T>
double error(accublas_mode mode, Index n) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  const std::size_t size = static_cast<std::size_t>(n * n);
  std::vector<T> a(size), b(size), c(size);
  for (T& x : a) x = static_cast<T>(normal(random));
  for (T& x : b) x = static_cast<T>(normal(random));
  accublas_report_t report{};
  Workspace workspace(default_workspace_bytes, nullptr, 0);
  Execution execution{1, cpu::detected_isa(), workspace, report};
  const Gemm<T> gemm{n, n, n, T{1}, {a.data(), 1, n}, {b.data(), 1, n}, T{0}, {c.data(), 1, n}};
  if (mode == ACCUBLAS_MODE_NATIVE) {
    cpu::native_gemm(gemm, execution);
  } else {
    cpu::multiword_gemm(gemm, Mode{mode}, execution);
  }
  long double wrong = 0, all = 0;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      long double exact = 0;
      for (Index p = 0; p < n; ++p) exact += static_cast<long double>(gemm.a(i, p)) * gemm.b(p, j);
      wrong += (gemm.c(i, j) - exact) * (gemm.c(i, j) - exact);
      all += exact * exact;
    }
  return static_cast<double>(std::sqrt(wrong / all));
}

TEST(MultiwordGemm, ErrorsHaveTheirOrders) {
  const double sgemm = error<float>(ACCUBLAS_MODE_NATIVE, 128), dgemm = error<double>(ACCUBLAS_MODE_NATIVE, 128);
  for (accublas_mode one : {ACCUBLAS_MODE_TF32X1, ACCUBLAS_MODE_FP16X1}) {
    const double e = error<float>(one, 128);
    EXPECT_TRUE(e > 1e-4 && e < 1e-3) << one << ": " << e;
  }
  for (accublas_mode several : {ACCUBLAS_MODE_TF32X3, ACCUBLAS_MODE_TF32X4, ACCUBLAS_MODE_FP16X3})
    EXPECT_LE(error<float>(several, 128), 4 * sgemm) << several;
  const double x1 = error<double>(ACCUBLAS_MODE_TF64X1, 128);
  EXPECT_TRUE(x1 > 1e-8 && x1 < 1e-7) << x1;
  for (accublas_mode several : {ACCUBLAS_MODE_TF64X3, ACCUBLAS_MODE_TF64X4})
    EXPECT_LE(error<double>(several, 128), 32 * dgemm) << several;
}

}  // namespace
}  // namespace accublas
