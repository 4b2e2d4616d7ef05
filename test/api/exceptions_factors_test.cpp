// Products with a NaN or an infinity in alpha or beta: the results follow from IEEE arithmetic, and no element needs an
// exact sum, which would take some hundred times as long as an element usually takes.
#include <bit>
#include <cmath>
#include <complex>
#include <random>

#include "exceptions.hpp"
#include "test/level3_routines.hpp"

namespace {

template <class T>
class FactorsWithoutSums : public ::testing::Test {
 protected:
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  std::mt19937_64 rng{39};

  /// Integers, so that sums and their signs are exact in double precision.
  std::vector<T> integers(std::size_t count) {
    std::vector<T> x(count);
    for (T& v : x) v = static_cast<T>(static_cast<int>(rng() % 19) - 9);
    return x;
  }
  static std::string grade() { return sizeof(T) == 8 ? "dp:repro" : "sp:repro"; }
};
using TypesOfFactors = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FactorsWithoutSums, TypesOfFactors);

/// Every wanted result of every routine is the positive quiet NaN, except for the imaginary parts of a Hermitian
/// diagonal.
TYPED_TEST(FactorsWithoutSums, NaNMakesEveryResultNaN) {
  using T = TypeParam;
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const std::int64_t n = 70, ld = 72;
  for (const bool of_complex : {false, true}) {
    auto routines = of_complex ? accublas::test::complex_routines<T>() : accublas::test::real_routines<T>();
    routines.push_back(accublas::test::solve_routine<T>(of_complex));
    const std::int64_t parts = of_complex ? 2 : 1;
    for (const accublas::test::Level3Routine& r : routines)
      for (const std::string& mode : {std::string("cr"), this->grade(), std::string("dot2")})
        for (const int which : {0, 1, 2, 3}) {  // the parts of alpha, then those of beta
          const std::string name(r.name + 1);
          const bool hermitian = name == "herk" || name == "her2k";
          if ((which % 2 == 1 && !of_complex) || (which > 1 && r.in_place)) continue;
          if ((which == 1 && name == "herk") || (which == 3 && hermitian)) continue;  // these factors are real
          const std::vector<T> a = this->integers(static_cast<std::size_t>(parts * ld * ld));
          std::vector<T> b = this->integers(a.size()), c = this->integers(a.size());
          const std::vector<T> before = r.in_place ? b : c;
          T factors[4] = {T(0.5), 0, T(-2), 0};
          factors[which] = this->nan;
          const accublas::test::Arguments x{ACCUBLAS_COL_MAJOR,
                                            ACCUBLAS_LEFT,
                                            ACCUBLAS_UPPER,
                                            ACCUBLAS_NO_TRANS,
                                            ACCUBLAS_NO_TRANS,
                                            ACCUBLAS_NON_UNIT,
                                            n,
                                            n,
                                            n,
                                            ld,
                                            ld,
                                            ld};
          api::Context context(mode);
          EXPECT_EQ(raised_by([&] { return r.run(context, x, factors, a.data(), b.data(), factors + 2, c.data()); }), 0)
              << mode << " " << r.name;
          EXPECT_EQ(context.report().undecided, 0) << mode << " " << r.name;
          const std::vector<T>& result = r.in_place ? b : c;
          const bool triangle = name == "syrk" || name == "syr2k" || name == "gemmt" || hermitian;
          for (std::int64_t j = 0; j < ld; ++j)
            for (std::int64_t i = 0; i < ld; ++i)
              for (std::int64_t part = 0; part < parts; ++part) {
                const auto at = static_cast<std::size_t>(parts * (i + j * ld) + part);
                T want = i < n && j < n && (!triangle || i <= j) ? this->nan : before[at];
                if (hermitian && i == j && i < n && part == 1) want = 0;
                ASSERT_EQ(std::bit_cast<Bits>(result[at]), std::bit_cast<Bits>(want))
                    << mode << " " << r.name << " factor " << which << " at " << i << ", " << j << " part " << part;
              }
        }
  }
}

/// If a factor is infinite, the signs of the sums decide, or nothing of them. C holds an infinity and a NaN too.
TYPED_TEST(FactorsWithoutSums, InfiniteFactorsOfComplexProducts) {
  using T = TypeParam;
  using Z = std::complex<T>;
  const std::int64_t n = 48, k = 100;
  for (const std::string& mode : {std::string("cr"), this->grade(), std::string("dot2"), std::string("fixed:53")})
    for (const int which : {0, 1, 2, 3})
      for (const T special : {this->infinity, -this->infinity}) {
        const auto numbers = [&](std::int64_t count) {
          const std::vector<T> x = this->integers(static_cast<std::size_t>(2 * count));
          std::vector<Z> z;
          for (std::size_t i = 0; i < x.size(); i += 2) z.emplace_back(x[i], x[i + 1]);
          return z;
        };
        const std::vector<Z> a = numbers(n * k), b = numbers(k * n);
        std::vector<Z> c = numbers(n * n);
        c[5] = {this->infinity, 1}, c[6] = {1, this->nan};
        const std::vector<Z> before = c;
        T factors[4] = {T(0.5), 1, T(-2), 3};
        factors[which] = special;
        api::Context context(mode);
        const auto gemm = sizeof(T) == 8 ? accublas_zgemm : accublas_cgemm;
        ASSERT_EQ(gemm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, k, factors, a.data(), n,
                       b.data(), k, factors + 2, c.data(), n),
                  ACCUBLAS_SUCCESS);
        for (std::int64_t j = 0; j < n; ++j)
          for (std::int64_t i = 0; i < n; ++i) {
            std::complex<double> s = 0;
            for (std::int64_t p = 0; p < k; ++p)
              s += std::complex<double>(a[static_cast<std::size_t>(i + p * n)]) *
                   std::complex<double>(b[static_cast<std::size_t>(p + j * k)]);
            const auto at = static_cast<std::size_t>(i + j * n);
            const auto sum = [&](int part) {
              // Infinite and NaN terms alone make the result.
              const double sign = part == 0 ? -1 : 1;
              const double of_s[2] = {s.real(), s.imag()}, of_c[2] = {before[at].real(), before[at].imag()};
              double total = 0, finite = 0;
              const auto add = [&](double factor, double x) {
                (std::isfinite(factor) && std::isfinite(x) ? finite : total) += factor * x;
              };
              add(factors[0], of_s[part]), add(sign * factors[1], of_s[1 - part]);
              add(factors[2], of_c[part]), add(sign * factors[3], of_c[1 - part]);
              return total == 0 ? finite : total;
            };
            const double want[2] = {sum(0), sum(1)};
            const double got[2] = {c[at].real(), c[at].imag()};
            for (const int part : {0, 1}) {
              if (std::isnan(want[part]))
                ASSERT_TRUE(std::isnan(got[part])) << mode << " factor " << which << " at " << i << ", " << j;
              else
                ASSERT_EQ(got[part], want[part]) << mode << " factor " << which << " at " << i << ", " << j;
            }
          }
      }
}

/// The change of an update is infinite by the signs of its factors.
TYPED_TEST(FactorsWithoutSums, InfiniteUpdates) {
  using T = TypeParam;
  const std::int64_t n = 40;
  const std::vector<T> x = this->integers(n), y = this->integers(n);
  std::vector<T> a = this->integers(n * n);
  a[0] = this->infinity, a[1] = -this->infinity, a[2] = this->nan;
  const std::vector<T> before = a;
  for (const T alpha : {this->infinity, -this->infinity, this->nan}) {
    a = before;
    api::Context context("cr");
    if constexpr (sizeof(T) == 8)
      ASSERT_EQ(accublas_dger(context, ACCUBLAS_COL_MAJOR, n, n, &alpha, x.data(), 1, y.data(), 1, a.data(), n),
                ACCUBLAS_SUCCESS);
    else
      ASSERT_EQ(accublas_sger(context, ACCUBLAS_COL_MAJOR, n, n, &alpha, x.data(), 1, y.data(), 1, a.data(), n),
                ACCUBLAS_SUCCESS);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i + j * n);
        const T want = before[at] + alpha * (x[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(j)]);
        if (std::isnan(want))
          ASSERT_TRUE(std::isnan(a[at])) << i << ", " << j;
        else
          ASSERT_EQ(a[at], want) << i << ", " << j;
      }
  }
}

}  // namespace
