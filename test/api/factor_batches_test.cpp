// Batches of factorizations and solutions: in the modes that define bits every matrix has the bits of a call of its
// own, in every type, layout and triangle, by strides and by pointers, on any number of threads; in dp its backward
// error.
#include "test/factor_batches.hpp"

#include <cfenv>

#include "lapack.hpp"

namespace {

using factor_batches::Arrays, factor_batches::Index, factor_batches::Kind;

template <class E>
class FactorBatches : public ::testing::Test {
 protected:
  using Batch = factor_batches::Batch<E>;
  static constexpr bool single = sizeof(typed::Real<E>) == sizeof(float);

  static std::vector<std::string> modes() { return {"cr", single ? "sp:repro" : "dp:repro"}; }

  void expect_same(const api::Context& context, const Batch& batch) {
    Arrays<E> want = batch.given, got = batch.given;
    ASSERT_EQ(batch.one_by_one(context, want), ACCUBLAS_SUCCESS) << batch.text() << context.error();
    ASSERT_EQ(batch.strided(context, got), ACCUBLAS_SUCCESS) << batch.text() << context.error();
    ASSERT_TRUE(got == want) << batch.text() << ": " << got.difference(want);
    EXPECT_EQ(context.report().batch_count, batch.count);
    got = batch.given;
    ASSERT_EQ(batch.by_pointers(context, got), ACCUBLAS_SUCCESS) << batch.text() << context.error();
    ASSERT_TRUE(got == want) << batch.text() << " by pointers: " << got.difference(want);
  }
};
using AllTypes = ::testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(FactorBatches, AllTypes);

TYPED_TEST(FactorBatches, BitsOfSingleCalls) {
  unsigned seed = 0;
  for (const std::string& mode : this->modes())
    for (const Kind kind : factor_batches::kinds)
      for (auto [m, n, nrhs, count] : {std::array<Index, 4>{1, 1, 1, 9},
                                       {4, 4, 1, 40},
                                       {5, 3, 2, 17},
                                       {3, 7, 2, 16},
                                       {17, 16, 5, 11},
                                       {33, 40, 3, 8}})
        for (const bool rows : {false, true}) {
          api::Context context(mode);
          ASSERT_EQ(accublas_set_num_threads(context, 1 + static_cast<int>(seed % 4)), ACCUBLAS_SUCCESS);
          ++seed;
          factor_batches::Batch<TypeParam> batch(kind, rows, m, n, nrhs, count, seed % 3, seed % 5, seed);
          if (seed % 4 < 2) batch.uplo = ACCUBLAS_LOWER;
          batch.trans = seed % 3 == 0 ? ACCUBLAS_NO_TRANS : seed % 3 == 1 ? ACCUBLAS_TRANS : ACCUBLAS_CONJ_TRANS;
          if (!factor_batches::factors(kind)) {
            ASSERT_EQ(batch.factor(context), ACCUBLAS_SUCCESS);
          }
          this->expect_same(context, batch);
        }
}

/// Matrices in every kind of state give every value of info that the single routine gives.
TYPED_TEST(FactorBatches, InfoOfEveryMatrix) {
  for (const Kind kind : {Kind::getrf, Kind::gesv, Kind::potrf, Kind::posv}) {
    api::Context context("cr");
    const factor_batches::Batch<TypeParam> batch(kind, false, 6, 6, 1, 64, 0, 0, 5);
    Arrays<TypeParam> arrays = batch.given;
    ASSERT_EQ(batch.strided(context, arrays), ACCUBLAS_SUCCESS);
    EXPECT_EQ(std::count(arrays.info.begin(), arrays.info.end(), -1), 0);
    EXPECT_GE(std::count(arrays.info.begin(), arrays.info.end(), 0), 8) << batch.text();
    EXPECT_GE(std::count_if(arrays.info.begin(), arrays.info.end(), [](Index i) { return i > 0; }), 8) << batch.text();
  }
}

TYPED_TEST(FactorBatches, BackwardErrorsWithoutPromisedBits) {
  for (const char* mode : lapack::those_here({"native", "dp"}))
    for (const Kind kind : {Kind::getrf, Kind::potrf})
      for (const accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER}) {
        api::Context context(this->single && std::string(mode) == "dp" ? "sp" : mode);
        factor_batches::Batch<TypeParam> batch(kind, false, 21, 24, 1, 16, 1, 3, 8);
        batch.uplo = uplo;
        Arrays<TypeParam> arrays = batch.given;
        ASSERT_EQ(batch.strided(context, arrays), ACCUBLAS_SUCCESS) << context.error();
        const double error = batch.backward_error(batch.given, arrays);
        EXPECT_GE(error, 0) << batch.text();
        EXPECT_LE(error, 4 * (24 + 3 + 6 * 5)) << batch.text();
        EXPECT_GT(error, 0) << batch.text();
      }
}

TEST(FactorBatch, NothingToDo) {
  api::Context context("cr");
  EXPECT_EQ(accublas_dgetrf_strided_batched(context, lapack::columns, 3, 3, nullptr, 3, 9, nullptr, nullptr, 0),
            ACCUBLAS_SUCCESS)
      << "info is not written";
  EXPECT_EQ(accublas_dposv_batched(context, lapack::columns, ACCUBLAS_UPPER, 3, 1, nullptr, 3, nullptr, 3, nullptr, 0),
            ACCUBLAS_SUCCESS);
  EXPECT_EQ(accublas_dgetrf_strided_batched(context, lapack::columns, 0, 0, nullptr, 1, 0, nullptr, nullptr, 1),
            ACCUBLAS_ERROR_ARGUMENT)
      << "info would be written";
  Index info[3] = {7, 7, 7};
  EXPECT_EQ(accublas_dgetrf_strided_batched(context, lapack::columns, 3, 3, nullptr, 3, 9, nullptr, info, 0),
            ACCUBLAS_SUCCESS);
  EXPECT_EQ(info[0], 7);
  EXPECT_EQ(accublas_dgetrf_strided_batched(context, lapack::columns, 0, 3, nullptr, 1, 0, nullptr, info, 3),
            ACCUBLAS_SUCCESS);
  EXPECT_EQ(std::vector<Index>(info, info + 3), (std::vector<Index>{0, 0, 0}));
  EXPECT_EQ(accublas_dgeqrf_batched(context, lapack::columns, 0, 3, nullptr, 1, nullptr, 2), ACCUBLAS_SUCCESS);
  double a = 4, b = 2;
  info[0] = 7;
  EXPECT_EQ(accublas_dposv_strided_batched(context, lapack::columns, ACCUBLAS_UPPER, 1, 0, &a, 1, 1, &b, 1, 1, info, 1),
            ACCUBLAS_SUCCESS);
  EXPECT_EQ(a, 2) << "POSV without right-hand sides factors A";
  EXPECT_EQ(b, 2);
  EXPECT_EQ(info[0], 0);
  EXPECT_EQ(accublas_dgetrf_strided_batched(context, lapack::columns, 1, 1, &a, 1, 1, info, info, -1),
            ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_NE(context.error().find("batch_count"), std::string::npos);
}

TEST(FactorBatch, SharedMemoryIsRefused) {
  api::Context context("cr");
  std::vector<double> a(64, 1), before = a;
  Index pivots[8], info[3] = {7, 7, 7};
  const auto refused = [&](accublas_status status, const char* word) {
    EXPECT_EQ(status, ACCUBLAS_ERROR_ARGUMENT);
    EXPECT_NE(context.error().find(word), std::string::npos) << context.error();
    EXPECT_EQ(a, before);
    EXPECT_EQ(info[0], 7);
  };
  refused(accublas_dgetrf_strided_batched(context, lapack::columns, 4, 4, a.data(), 4, 15, pivots, info, 2),
          "stride_a");
  refused(
      accublas_dgesv_strided_batched(context, lapack::columns, 4, 2, a.data(), 4, 16, pivots, &a[40], 4, 7, info, 2),
      "stride_b");
  refused(
      accublas_dgesv_strided_batched(context, lapack::columns, 4, 1, a.data(), 4, 16, pivots, &a[30], 4, 4, info, 2),
      "b[j]");
  double* const overlapping[] = {a.data(), a.data() + 15};
  refused(accublas_dgetrf_batched(context, lapack::columns, 4, 4, overlapping, 4, pivots, info, 2), "a[1]");
  double *const equal[] = {a.data(), &a[40], a.data()}, *const right[] = {&a[20], &a[28], &a[60]};
  for (const accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER})
    for (const accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR}) {
      refused(accublas_dpotrf_batched(context, layout, uplo, 4, equal, 4, info, 3), "a[2]");
      refused(accublas_dpotrf_batched(context, layout, uplo, 1, equal, 1, info, 3), "a[2]");
      refused(accublas_dposv_batched(context, layout, uplo, 4, 1, equal, 4, right, 4, info, 3), "a[2]");
      refused(accublas_dpotrf_batched(context, layout, uplo, 4, overlapping, 4, info, 2), "a[1]");
      refused(accublas_dgeqrf_batched(context, layout, 4, 4, equal, 4, std::vector<double>(12).data(), 3), "a[2]");
      refused(accublas_dgeqrf_batched(context, layout, 4, 4, overlapping, 4, std::vector<double>(8).data(), 2), "a[1]");
    }
  double* const absent[] = {a.data(), nullptr};
  refused(accublas_dgeqrf_batched(context, lapack::columns, 4, 4, absent, 4, std::vector<double>(8).data(), 2),
          "a[1] is NULL");
  // Pivots, info values, tau and arrays of pointers.
  const auto integers = [](void* p) { return static_cast<Index*>(p); };
  double* const two[] = {&a[0], &a[20]};
  double *pointers[] = {&a[0], &a[20]}, *const columns_of_b[] = {&a[40], &a[50]};
  const auto rows = lapack::columns;
  refused(accublas_dgetrf_strided_batched(context, rows, 4, 4, a.data(), 4, 20, info, info, 2), "info");
  refused(accublas_dgetrf_strided_batched(context, rows, 4, 4, a.data(), 4, 20, integers(&a[21]), info, 2), "ipiv");
  refused(accublas_dgetrf_strided_batched(context, rows, 4, 4, a.data(), 4, 20, pivots, integers(&a[34]), 2), "info");
  refused(accublas_dgesv_strided_batched(context, rows, 4, 1, a.data(), 4, 20, integers(&a[39]), &a[40], 4, 4, info, 2),
          "ipiv");
  refused(accublas_dposv_strided_batched(context, rows, ACCUBLAS_UPPER, 4, 1, a.data(), 4, 20, &a[40], 4, 4,
                                         integers(&a[47]), 2),
          "info");
  refused(accublas_dgeqrf_strided_batched(context, rows, 4, 4, a.data(), 4, 20, &a[29], 2), "tau");
  refused(accublas_dgetrf_batched(context, rows, 4, 4, two, 4, info, info, 2), "info");
  refused(accublas_dgetrf_batched(context, rows, 4, 4, two, 4, integers(&a[35]), info, 2), "ipiv");
  refused(accublas_dgetrf_batched(context, rows, 4, 4, pointers, 4, integers(pointers), info, 2), "ipiv");
  refused(accublas_dgesv_batched(context, rows, 4, 1, two, 4, integers(&a[51]), columns_of_b, 4, info, 2), "ipiv");
  refused(accublas_dpotrf_batched(context, rows, ACCUBLAS_UPPER, 4, two, 4, integers(&a[24]), 2), "info");
  refused(accublas_dgeqrf_batched(context, rows, 4, 4, pointers, 4, reinterpret_cast<double*>(pointers), 2), "tau");
  refused(accublas_dgeqrf_batched(context, rows, 4, 4, two, 4, &a[19], 2), "tau");
  // A gap between the columns or between the matrices may hold them.
  std::vector<double> spread(64, 1);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 4; ++j) spread[30 * i + 6 * j + j] = 4;
  EXPECT_EQ(accublas_dgetrf_strided_batched(context, rows, 4, 4, spread.data(), 6, 30, integers(&spread[54]),
                                            integers(&spread[22]), 2),
            ACCUBLAS_SUCCESS)
      << context.error();
  double* const missing[] = {a.data(), nullptr};
  refused(accublas_dgetrf_batched(context, lapack::columns, 4, 4, missing, 4, pivots, info, 2), "a[1]");
  // One factor may serve several right-hand sides.
  const Index identity[] = {1, 2, 3, 4, 1, 2, 3, 4};
  std::vector<double> b(8, 1);
  const double* const same[] = {a.data(), a.data()};
  double* const apart[] = {&b[0], &b[4]};
  EXPECT_EQ(accublas_dgetrs_batched(context, lapack::columns, ACCUBLAS_NO_TRANS, 4, 1, same, 4, identity, apart, 4, 2),
            ACCUBLAS_SUCCESS)
      << context.error();
  const Index wrong[] = {1, 2, 3, 4, 1, 2, 3, 5};
  EXPECT_EQ(accublas_dgetrs_batched(context, lapack::columns, ACCUBLAS_NO_TRANS, 4, 1, same, 4, wrong, apart, 4, 2),
            ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_NE(context.error().find("ipiv"), std::string::npos);
}

/// Triangles are refused exactly if they share an element, wherever the second matrix begins.
TEST(FactorBatch, TrianglesThatShareAnElement) {
  api::Context context("cr");
  for (const bool upper : {false, true})
    for (const int n : {1, 2, 3, 4})
      for (const int ld : {n, n + 1, 2 * n + 1})
        for (int offset = 0; offset <= n * ld; ++offset) {
          std::vector<int> taken(static_cast<std::size_t>(2 * (n * ld + 1)), 0);
          std::vector<double> a(taken.size(), 0);
          bool shared = false;
          for (const int first : {0, offset})
            for (int j = 0; j < n; ++j)
              for (int i = upper ? 0 : j; i < (upper ? j + 1 : n); ++i) {
                const auto at = static_cast<std::size_t>(first + i + j * ld);
                shared |= taken[at]++ > 0;
                a[at] = i == j ? 4 : 0;
              }
          double* const pointers[] = {a.data() + offset, a.data()};
          Index info[2];
          EXPECT_EQ(accublas_dpotrf_batched(context, lapack::columns, upper ? ACCUBLAS_UPPER : ACCUBLAS_LOWER, n,
                                            pointers, ld, info, 2),
                    shared ? ACCUBLAS_ERROR_ARGUMENT : ACCUBLAS_SUCCESS)
              << upper << ' ' << n << ' ' << ld << ' ' << offset;
        }
}

/// A batch raises the flags that its single calls raise.
TEST(FactorBatch, FloatingPointExceptions) {
  const auto flags_of = [](bool batched, double first, double second) {
    api::Context context("cr");
    double a[] = {first, 1, 1, 1, second, second, 1, 1};
    Index pivots[4], info[2];
    std::feclearexcept(FE_ALL_EXCEPT);
    if (batched) {
      EXPECT_EQ(accublas_dgetrf_strided_batched(context, lapack::columns, 2, 2, a, 2, 4, pivots, info, 2),
                ACCUBLAS_SUCCESS);
    } else {
      for (int i = 0; i < 2; ++i)
        EXPECT_EQ(accublas_dgetrf(context, lapack::columns, 2, 2, a + 4 * i, 2, pivots, info), ACCUBLAS_SUCCESS);
    }
    return std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  };
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const double first : {2.0, inf, std::numeric_limits<double>::quiet_NaN()})
    for (const double second : {3.0, inf}) EXPECT_EQ(flags_of(true, first, second), flags_of(false, first, second));
  EXPECT_NE(flags_of(true, 2, inf) & FE_INVALID, 0);
}

}  // namespace
