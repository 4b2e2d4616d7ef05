// Reports and counters of a batch, and targets that it meets or misses.

#include "api.hpp"
#include "lib/call/mode.hpp"
#include "test/api/batched.hpp"

TYPED_TEST(Batched, ReportAndCounters) {
  using T = TypeParam;
  const char* routine = sizeof(T) == 8 ? "dgemm_batched" : "sgemm_batched";
  constexpr Index k = accublas::most_terms_as_cr + 6;
  for (const auto& [mode, engine] : {std::pair("cr", "int8"),
                                     {"dp:repro", "int8"},
                                     {"fixed:50", "int8"},
                                     {"cr", "sums"},
                                     {"dp:repro", "sums"},
                                     {"fixed:50", "sums"}}) {
    api::Context context(mode);
    ASSERT_EQ(accublas_set_engine_name(context, engine), ACCUBLAS_SUCCESS);
    const Batch<T> batch(ACCUBLAS_COL_MAJOR, 0, 20, 21, k, 9, 0, 0, false);
    // Sums and largest values of the calls one by one.
    std::int64_t rejected = 0, undecided = 0;
    std::int32_t parts = 0, bits = 0;
    for (Index i = 0; i < batch.count; ++i) {
      Batch<T> one = batch;
      one.first_a = i * one.stride_a, one.first_b = i * one.stride_b, one.first_c = i * one.stride_c, one.count = 1;
      std::vector<T> c;
      ASSERT_EQ(one.one_by_one(context, c), ACCUBLAS_SUCCESS);
      const accublas_report_t report = context.report();
      EXPECT_EQ(report.batch_count, 1);
      rejected += report.rejected, undecided += report.undecided;
      parts = std::max(parts, report.parts), bits = std::max(bits, report.bits);
    }
    accublas_reset_counters();
    std::vector<T> c;
    accublas_set_report_level(context, 2);
    ASSERT_EQ(batch.strided(context, c), ACCUBLAS_SUCCESS);
    const accublas_report_t report = context.report();
    EXPECT_STREQ(report.routine, routine);
    EXPECT_STREQ(report.mode, sizeof(T) == 4 && std::string(mode) == "dp:repro" ? "sp:repro" : mode);
    EXPECT_EQ(report.batch_count, 9);
    EXPECT_EQ(report.m, 20);
    EXPECT_EQ(report.n, 21);
    EXPECT_EQ(report.k, k);
    EXPECT_EQ(report.rejected, rejected) << mode;
    EXPECT_EQ(report.undecided, undecided) << mode;
    EXPECT_EQ(report.parts, parts) << mode;
    EXPECT_EQ(report.bits, bits) << mode;
    EXPECT_GT(report.bound_relative, 0);
    EXPECT_GT(report.ms_total, 0);
    accublas_counter_t rows[64];
    std::size_t count = 0;
    ASSERT_EQ(accublas_counters(rows, 64, &count), ACCUBLAS_SUCCESS);
    ASSERT_EQ(count, 1u);
    EXPECT_STREQ(rows[0].routine, routine);
    EXPECT_EQ(rows[0].calls, 1u);
  }
}

// A target that a mode never keeps refuses the call; one that depends on the data is judged by matrix.
TYPED_TEST(Batched, Target) {
  using T = TypeParam;
  const double u = std::numeric_limits<T>::epsilon() / 2;
  std::vector<T> c;
  {
    api::Context context("dp");
    accublas_set_target(context, u);
    const Batch<T> batch(ACCUBLAS_COL_MAJOR, 0, 5, 5, 5, 4, 0, 0, false);
    EXPECT_EQ(batch.strided(context, c), ACCUBLAS_ERROR_ACCURACY);
    EXPECT_TRUE(api::same_bits(c, batch.c));
  }
  api::Context context("fixed:12");
  accublas_set_num_threads(context, 4);
  Batch<T> batch(ACCUBLAS_COL_MAJOR, 0, 8, 8, 8, 6, 0, 0, false);
  // Small integers fit 12 bits, but not those of matrices 1 and 4.
  for (std::size_t i = 0; i < batch.a.size(); ++i) {
    const std::size_t matrix = i / 64;
    batch.a[i] = static_cast<T>(matrix == 1 || matrix == 4 ? 1 + static_cast<int>(i) * 0.0001220703125
                                                           : 1 + static_cast<int>(i % 7));
  }
  for (std::size_t i = 0; i < batch.b.size(); ++i) batch.b[i] = static_cast<T>(static_cast<int>(i % 5) - 2);
  std::vector<T> want = batch.c;
  accublas_set_target(context, 2 * u);
  int misses = 0;
  for (Index i = 0; i < batch.count; ++i) {
    Batch<T> one = batch;
    one.first_a = i * 64, one.first_b = i * 64, one.first_c = i * 64, one.count = 1, one.c = want;
    std::vector<T> out;
    misses += one.one_by_one(context, out) == ACCUBLAS_ERROR_ACCURACY;
    want = out;
  }
  EXPECT_EQ(misses, 2);
  EXPECT_EQ(batch.strided(context, c), ACCUBLAS_ERROR_ACCURACY);
  EXPECT_TRUE(api::same_bits(c, want));
}
