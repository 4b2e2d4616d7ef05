// The report of the last call, and the counters of all calls.
#include <functional>
#include <sstream>

#include "api.hpp"
#include "test/api/context.hpp"

TEST(Report, SaysWhatRan) {
  api::Context context;
  double c[4];
  ASSERT_EQ(accublas_set_mode_name(context, "native"), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_set_report_level(context, 1), ACCUBLAS_SUCCESS);
  ASSERT_EQ(small_gemm(context, c), ACCUBLAS_SUCCESS);
  accublas_report_t report = context.report();
  EXPECT_STREQ(report.routine, "dgemm");
  EXPECT_STREQ(report.mode, "native");
  EXPECT_STREQ(report.backend, "cpu");
  EXPECT_STREQ(report.engine, "native");
  EXPECT_EQ(std::string(report.device).substr(0, 4), "cpu:");
  EXPECT_NE(std::string(report.reason).find("context"), std::string::npos);
  EXPECT_TRUE(report.m == 2 && report.n == 2 && report.k == 2);
  EXPECT_GT(report.ms_total, 0);
  EXPECT_EQ(report.level, 1);
  EXPECT_GE(report.threads, 1);

  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.report_level = 0;
  options.num_threads = 7;
  ASSERT_EQ(small_gemm(context, c, &options), ACCUBLAS_SUCCESS);
  report = context.report();
  EXPECT_EQ(report.ms_total, 0);
  EXPECT_EQ(report.threads, 7);
  EXPECT_NE(std::string(report.mode), "");

  float x[3] = {1, 2, 3}, result;
  ASSERT_EQ(accublas_sdot(context, 3, x, 1, x, 1, &result), ACCUBLAS_SUCCESS);
  report = context.report();
  EXPECT_STREQ(report.routine, "sdot");
  EXPECT_TRUE(report.m == 1 && report.n == 1 && report.k == 3);
}

TEST(Report, StructSize) {
  api::Context context;
  double c[4];
  ASSERT_EQ(small_gemm(context, c), ACCUBLAS_SUCCESS);
  // An older caller's struct ends before the sizes: nothing behind it is written.
  accublas_report_t report;
  std::memset(static_cast<void*>(&report), 0x5A, sizeof report);
  report.struct_size = offsetof(accublas_report_t, m);
  ASSERT_EQ(accublas_report(context, &report), ACCUBLAS_SUCCESS);
  EXPECT_EQ(report.struct_size, offsetof(accublas_report_t, m));
  EXPECT_STREQ(report.routine, "dgemm");
  EXPECT_EQ(report.m, 0x5A5A5A5A5A5A5A5A);
  // A newer caller's is longer than what the library knows.
  struct {
    accublas_report_t known;
    char more[64];
  } longer;
  std::memset(static_cast<void*>(&longer), 0x5A, sizeof longer);
  longer.known.struct_size = sizeof longer;
  ASSERT_EQ(accublas_report(context, &longer.known), ACCUBLAS_SUCCESS);
  EXPECT_EQ(longer.known.m, 2);
  for (char byte : longer.more) EXPECT_EQ(byte, 0x5A);
  report.struct_size = 0;
  EXPECT_EQ(accublas_report(context, &report), ACCUBLAS_ERROR_ARGUMENT);
}

TEST(Report, CountersCountByRoutineAndEngine) {
  ASSERT_EQ(accublas_reset_counters(), ACCUBLAS_SUCCESS);
  size_t count = 99;
  ASSERT_EQ(accublas_counters(nullptr, 0, &count), ACCUBLAS_SUCCESS);
  EXPECT_EQ(count, 0u);
  api::Context context("native");
  double c[4];
  for (int i = 0; i < 3; ++i) small_gemm(context, c);
  double x[2] = {1, 2}, result;
  accublas_ddot(context, 2, x, 1, x, 1, &result);
  EXPECT_NE(accublas_ddot(context, 2, nullptr, 1, x, 1, &result), ACCUBLAS_SUCCESS);  // failures do not count
  accublas_counter_t rows[8];
  ASSERT_EQ(accublas_counters(rows, 8, &count), ACCUBLAS_SUCCESS);
  ASSERT_EQ(count, 2u);
  EXPECT_STREQ(rows[0].routine, "dgemm");
  EXPECT_STREQ(rows[0].engine, "native");
  EXPECT_EQ(rows[0].calls, 3u);
  EXPECT_STREQ(rows[1].routine, "ddot");
  EXPECT_EQ(rows[1].calls, 1u);
  rows[0].calls = rows[1].calls = 77;
  ASSERT_EQ(accublas_counters(rows, 1, &count), ACCUBLAS_SUCCESS);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(rows[0].calls, 3u);
  EXPECT_EQ(rows[1].calls, 77u);
}

// A call of the program is counted and has a line, even if it is made of other calls. The calls that it is made of have
// lines at level 2 alone. No line belongs to another call: the report of the whole call stays.
TEST(Report, InnerCallsAreNotTheProgram) {
  constexpr int n = 70, sides = 3;
  const double scale = 1 / 64.0;
  std::vector<double> general(n * n), b(n * sides, 1.0);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) general[i + j * n] = i == j ? 40.0 : scale * ((7 * i + 3 * j) % 11);
  std::vector<double> definite = general;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) definite[j + i * n] = definite[i + j * n];

  struct Call {
    const char* name;
    std::function<accublas_status(accublas_context*, const accublas_options*)> run;
  };
  std::vector<double> a, c, tau(n), x(n * sides), radius(n * sides);
  std::vector<float> sa(n * n, 0.0f), sb(n, 1.0f), sx(n), sr(n);
  for (int i = 0; i < n; ++i) sa[i + i * n] = 2;
  std::vector<std::int64_t> pivots(n);
  std::int64_t info = 0;
  constexpr accublas_layout columns = ACCUBLAS_COL_MAJOR;
  const Call calls[] = {
      {"dgeqrf",
       [&](auto* ctx, auto* o) { return accublas_dgeqrf_ex(ctx, columns, n, n, a.data(), n, tau.data(), o); }},
      {"dormqr",
       [&](auto* ctx, auto* o) {
         return accublas_dormqr_ex(ctx, columns, ACCUBLAS_LEFT, ACCUBLAS_TRANS, n, sides, n, a.data(), n, tau.data(),
                                   c.data(), n, o);
       }},
      {"dorgqr",
       [&](auto* ctx, auto* o) { return accublas_dorgqr_ex(ctx, columns, n, n, n, a.data(), n, tau.data(), o); }},
      {"dgels",
       [&](auto* ctx, auto* o) {
         return accublas_dgels_ex(ctx, columns, ACCUBLAS_NO_TRANS, n, n, sides, a.data(), n, c.data(), n, &info, o);
       }},
      {"dgetrf", [&](auto* ctx,
                     auto* o) { return accublas_dgetrf_ex(ctx, columns, n, n, a.data(), n, pivots.data(), &info, o); }},
      {"dgetri",
       [&](auto* ctx, auto* o) { return accublas_dgetri_ex(ctx, columns, n, a.data(), n, pivots.data(), &info, o); }},
      {"dpotrf",
       [&](auto* ctx, auto* o) { return accublas_dpotrf_ex(ctx, columns, ACCUBLAS_UPPER, n, a.data(), n, &info, o); }},
      {"dpotri",
       [&](auto* ctx, auto* o) { return accublas_dpotri_ex(ctx, columns, ACCUBLAS_UPPER, n, a.data(), n, &info, o); }},
      {"dtrtri",
       [&](auto* ctx, auto* o) {
         return accublas_dtrtri_ex(ctx, columns, ACCUBLAS_UPPER, ACCUBLAS_NON_UNIT, n, a.data(), n, &info, o);
       }},
      {"dlauum",
       [&](auto* ctx, auto* o) { return accublas_dlauum_ex(ctx, columns, ACCUBLAS_UPPER, n, a.data(), n, o); }},
      {"dgesv_certified",
       [&](auto* ctx, auto* o) {
         return accublas_dgesv_certified_ex(ctx, columns, n, sides, general.data(), n, b.data(), n, x.data(), n,
                                            radius.data(), n, nullptr, o);
       }},
      {"dposv_certified",
       [&](auto* ctx, auto* o) {
         return accublas_dposv_certified_ex(ctx, columns, ACCUBLAS_UPPER, n, sides, definite.data(), n, b.data(), n,
                                            x.data(), n, radius.data(), n, nullptr, o);
       }},
      {"sgesv_certified",
       [&](auto* ctx, auto* o) {
         return accublas_sgesv_certified_ex(ctx, columns, n, 1, sa.data(), n, sb.data(), n, sx.data(), n, sr.data(), n,
                                            nullptr, o);
       }},
      {"dgemm_batched",
       [&](auto* ctx, auto* o) {
         const double one = 1, zero = 0;
         return accublas_dgemm_strided_batched_ex(ctx, columns, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 4, 4, 4, &one,
                                                  general.data(), 4, 16, general.data(), 4, 16, &zero, a.data(), 4, 16,
                                                  8, o);
       }},
  };
  for (const char* mode : {"cr", "dp:repro", "dp"})
    for (const Call& call : calls) {
      api::Context context(mode);
      const std::string where = std::string(call.name) + " " + mode;
      for (int level = 0; level <= 2; ++level) {
        a = std::string(call.name).find("po") != std::string::npos ? definite : general;
        c = b;
        for (int i = 0; i < n; ++i) pivots[i] = i + 1;
        ASSERT_EQ(accublas_set_verbose(context, level), ACCUBLAS_SUCCESS);
        ASSERT_EQ(accublas_reset_counters(), ACCUBLAS_SUCCESS);
        testing::internal::CaptureStderr();
        const accublas_status status = call.run(context, nullptr);
        const std::string output = testing::internal::GetCapturedStderr();
        ASSERT_EQ(status, ACCUBLAS_SUCCESS) << where << ": " << context.error();
        int lines = 0, inner = 0;
        std::istringstream text(output);
        for (std::string line; std::getline(text, line); ++lines) inner += line.rfind("accublas: inner ", 0) == 0;
        EXPECT_EQ(lines - inner, level > 0) << where << ", level " << level << ":\n" << output;
        if (level > 0) {
          EXPECT_NE(output.find(std::string("accublas: ") + call.name + " m="), std::string::npos) << output;
        }
        if (level < 2) {
          EXPECT_EQ(inner, 0) << where << ":\n" << output;
        }
        if (level == 2 && std::string(mode) == "cr" && std::string(call.name).find("certified") != std::string::npos) {
          EXPECT_GT(inner, 5) << where << ":\n" << output;
        }
        accublas_counter_t rows[8];
        size_t count = 0;
        ASSERT_EQ(accublas_counters(rows, 8, &count), ACCUBLAS_SUCCESS);
        ASSERT_EQ(count, 1u) << where << ": " << rows[0].routine << ", " << rows[1].routine;
        EXPECT_STREQ(rows[0].routine, call.name) << where;
        EXPECT_EQ(rows[0].calls, 1u) << where;
        EXPECT_STREQ(context.report().routine, call.name) << where;
      }
      // A failure of an inner call is the call's: one line, and the next call is the program's again.
      accublas_options bad = ACCUBLAS_OPTIONS_INIT;
      bad.mode_name = "slices:3:fast";
      testing::internal::CaptureStderr();
      const bool failed = call.run(context, &bad) != ACCUBLAS_SUCCESS;
      const std::string output = testing::internal::GetCapturedStderr();
      EXPECT_EQ(output.find("inner"), std::string::npos) << where << ":\n" << output;
      if (failed) {
        double two[2] = {1, 2}, result;
        accublas_set_verbose(context, 0);
        accublas_reset_counters();
        EXPECT_EQ(accublas_ddot(context, 2, two, 1, two, 1, &result), ACCUBLAS_SUCCESS);
        size_t count = 0;
        accublas_counters(nullptr, 0, &count);
        EXPECT_EQ(count, 1u) << where;
      }
    }
}
