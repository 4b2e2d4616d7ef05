// Norms and sums under BLAS names at the edges: nothing to add, increments that are not positive, infinities, NaN.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "accublas.h"
#include "c_api/private.hpp"
#include "test/dropin/blas_names.hpp"
#include "test/dropin/edge_cases.hpp"

namespace {

/// Equality in which a NaN is equal to every other one.
template <class T>
bool same(T a, T b) {
  return a == b || (a != a && b != b);
}

template <class T>
constexpr T inf = std::numeric_limits<T>::infinity();

TEST(EdgeCases, SumsOverNothing) {
  for_all_ways([](const char* way) {
    for_all_names([way](const auto& blas) {
      using T = typename std::decay_t<decltype(blas)>::Type;
      using Int = typename std::decay_t<decltype(blas)>::Integer;
      const T x[] = {nan<T>, nan<T>, nan<T>};
      const Int one = 1;
      for (const Int n : {0, -3}) {
        EXPECT_EQ(blas.dot(&n, x, &one, x, &one), 0) << way;
        EXPECT_EQ(blas.nrm2(&n, x, &one), 0) << way;
        EXPECT_EQ(blas.cblas_asum(n, x, one), 0) << way;
      }
    });
  });
}

// netlib's values from LAPACK 3.10 on, in every mode but native, which may have the real BLAS's own.
TEST(EdgeCases, NormsOfIncrementsThatAreNotPositive) {
  for_all_ways([](const char* way) {
    if (std::string(way).find("native") != std::string::npos) return;
    for_all_names([way](const auto& blas) {
      using T = typename std::decay_t<decltype(blas)>::Type;
      using Int = typename std::decay_t<decltype(blas)>::Integer;
      const T x[] = {3, 100, 4, 100, 12};
      const Int n = 3, one_term = 1;
      const Int back = -2, zero = 0;
      EXPECT_EQ(blas.nrm2(&n, x, &back), T(13)) << way;
      EXPECT_EQ(blas.cblas_nrm2(n, x, back), T(13)) << way;
      const T four[] = {2, 100};
      const Int count = 4;
      EXPECT_EQ(blas.nrm2(&count, four, &zero), T(4)) << way;
      EXPECT_EQ(blas.cblas_nrm2(count, four, zero), T(4)) << way;
      EXPECT_EQ(blas.nrm2(&one_term, x, &back), T(3)) << way;
      for (const Int increment : {back, zero}) {
        EXPECT_EQ(blas.asum(&n, x, &increment), 0) << way;
        EXPECT_EQ(blas.cblas_asum(n, x, increment), 0) << way;
      }
    });
    const double z[] = {3, 4, 9, 9, 0, 12};
    const float c[] = {3, 4, 9, 9, 0, 12};
    const std::int32_t two = 2, four = 4, back = -2, zero = 0;
    const std::int64_t two_64 = 2, back_64 = -2;
    EXPECT_EQ(dznrm2_(&two, z, &back), 13) << way;
    EXPECT_EQ(dznrm2_64_(&two_64, z, &back_64), 13) << way;
    EXPECT_EQ(cblas_scnrm2(two, c, back), 13) << way;
    EXPECT_EQ(dznrm2_(&four, z, &zero), 10) << way;
    EXPECT_EQ(scnrm2_(&four, c, &zero), 10) << way;
    for (const std::int32_t increment : {back, zero}) {
      EXPECT_EQ(dzasum_(&two, z, &increment), 0) << way;
      EXPECT_EQ(cblas_scasum(two, c, increment), 0) << way;
    }
  });
}

/// How a child process ends that computes a norm: its exit status says whether that is `expected`.
template <class Norm, class T>
int end_of(Norm norm, T expected) {
  const pid_t child = fork();
  if (child == 0) _exit(same(norm(), expected) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

// Mode native does what the real BLAS does, whether that reads an operand that is not there or not, and nothing else.
TEST(EdgeCases, NativeNormsOfIncrementsThatAreNotPositive) {
  using accublas::routine_named;
  const accublas::cpu::RealBlas* const real = accublas_private_real_blas();
  ASSERT_NE(real, nullptr);
  for (const int report : {0, 1})  // the short way, and by the engine
    for_all_ways([&](const char* way) {
      if (std::string(way).find("native") == std::string::npos) return;
      accublas_set_report_level(nullptr, report);
      const double x[] = {3, inf<double>, 4, 100, 12, 7};
      const float f[] = {3, inf<float>, 4, 100, 12, 7};
      const std::int64_t n = 3;
      for (const std::int64_t increment : {-1, -2, 0}) {
        const std::int32_t count = n, step = static_cast<std::int32_t>(increment);
        const auto* const z = reinterpret_cast<const accublas::Complex<double>*>(x);
        const auto* const c = reinterpret_cast<const accublas::Complex<float>*>(f);
        const std::int64_t one = 1;
        EXPECT_TRUE(same(dnrm2_(&count, x + 1, &step), real->call<double>(routine_named("dnrm2"), n, x + 1, increment)))
            << way << step;
        EXPECT_TRUE(same(snrm2_(&count, f + 1, &step), real->call<float>(routine_named("snrm2"), n, f + 1, increment)))
            << way << step;
        EXPECT_TRUE(same(dasum_(&count, x + 1, &step), real->call<double>(routine_named("dasum"), n, x + 1, increment)))
            << way << step;
        EXPECT_TRUE(same(sasum_(&count, f + 1, &step), real->call<float>(routine_named("sasum"), n, f + 1, increment)))
            << way << step;
        const std::int32_t single = 1;
        EXPECT_TRUE(same(dznrm2_(&single, x, &step), real->call<double>(routine_named("dznrm2"), one, z, increment)))
            << way << step;
        EXPECT_TRUE(same(scnrm2_(&single, f, &step), real->call<float>(routine_named("scnrm2"), one, c, increment)))
            << way << step;
        EXPECT_TRUE(same(dzasum_(&single, x, &step), real->call<double>(routine_named("dzasum"), one, z, increment)))
            << way << step;
        EXPECT_TRUE(same(cblas_scasum(single, f, step), real->call<float>(routine_named("scasum"), one, c, increment)))
            << way << step;
      }
      const std::int32_t count = n, none = 0;
      const std::int64_t none_64 = 0;
      const double* const nothing = nullptr;
      const float* const nothing_f = nullptr;
      EXPECT_EQ(end_of([&] { return dnrm2_(&count, nothing, &none); }, 0.0),
                end_of([&] { return real->call<double>(routine_named("dnrm2"), n, nothing, none_64); }, 0.0))
          << way;
      EXPECT_EQ(end_of([&] { return sasum_(&count, nothing_f, &none); }, 0.0f),
                end_of([&] { return real->call<float>(routine_named("sasum"), n, nothing_f, none_64); }, 0.0f))
          << way;
    });
  accublas_set_report_level(nullptr, 0);
}

TEST(EdgeCases, NormsOfInfinitiesAndNaN) {
  for_all_ways([](const char* way) {
    for_all_names([way](const auto& blas) {
      using T = typename std::decay_t<decltype(blas)>::Type;
      using Int = typename std::decay_t<decltype(blas)>::Integer;
      for (const int length : {1, 2, 9, 300})
        for (const Int inc : {1, 3})
          for (const int infinities : {1, 2})
            for (const bool also_nan : {false, true}) {
              std::vector<T> x(static_cast<std::size_t>(length * inc), T(2));
              const auto at = [&](int i) -> T& { return x[static_cast<std::size_t>(i % length) * inc]; };
              at(length / 2) = -inf<T>;
              if (infinities == 2) at(length - 1) = inf<T>;
              if (also_nan) at(length - 2 > 0 ? length - 2 : 0) = nan<T>;
              const Int n = length;
              const T nrm2 = blas.nrm2(&n, x.data(), &inc), asum = blas.asum(&n, x.data(), &inc);
              EXPECT_TRUE(also_nan ? std::isnan(nrm2) : nrm2 == inf<T>) << way << " " << length << ": " << nrm2;
              EXPECT_TRUE(also_nan ? std::isnan(asum) : asum == inf<T>) << way << " " << length << ": " << asum;
            }
    });
  });
}

}  // namespace
