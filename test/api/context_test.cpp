// Contexts: setters, last error, report, counters, target, device functions without a GPU, the failure handler.
#include <csignal>
#include <functional>
#include <sstream>
#include <thread>

#include "api.hpp"

namespace {

double one = 1, zero = 0;

accublas_status small_gemm(accublas_context* ctx, double* c, const accublas_options* options = nullptr) {
  static const double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
  return accublas_dgemm_ex(ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 2, 2, 2, &one, a, 2, b, 2,
                           &zero, c, 2, options);
}

std::string mode_name(accublas_context* ctx, accublas_family family) {
  char word[32];
  EXPECT_EQ(accublas_get_mode_name(ctx, family, word, sizeof word), ACCUBLAS_SUCCESS);
  return word;
}

}  // namespace

TEST(Library, VersionAndStatusTexts) {
  EXPECT_EQ(accublas_version(), 10000 * ACCUBLAS_VERSION_MAJOR + 100 * ACCUBLAS_VERSION_MINOR + ACCUBLAS_VERSION_PATCH);
  std::vector<std::string> seen;
  for (accublas_status status = ACCUBLAS_SUCCESS; status <= ACCUBLAS_ERROR_NOT_CERTIFIED; ++status) {
    const std::string text = accublas_status_string(status);
    EXPECT_NE(text, "unknown status");
    for (const std::string& other : seen) EXPECT_NE(text, other);
    seen.push_back(text);
  }
  EXPECT_STREQ(accublas_status_string(-1), "unknown status");
  EXPECT_STREQ(accublas_status_string(ACCUBLAS_ERROR_NOT_CERTIFIED + 1), "unknown status");
}

TEST(Context, CreateAndDestroy) {
  EXPECT_EQ(accublas_create(nullptr), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_destroy(nullptr), ACCUBLAS_SUCCESS);
  for (int i = 0; i < 100; ++i) api::Context context;
}

TEST(Context, ModeNames) {
  api::Context context;
  EXPECT_EQ(mode_name(context, ACCUBLAS_FAMILY_DGEMM), "dp");
  EXPECT_EQ(mode_name(context, ACCUBLAS_FAMILY_SGEMM), "sp");
  EXPECT_EQ(accublas_set_mode_name(context, "sp:repro"), ACCUBLAS_SUCCESS);
  EXPECT_EQ(mode_name(context, ACCUBLAS_FAMILY_DGEMM), "dp:repro");
  EXPECT_EQ(mode_name(context, ACCUBLAS_FAMILY_SGEMM), "sp:repro");
  EXPECT_EQ(accublas_set_family_mode_name(context, ACCUBLAS_FAMILY_DOT, "slices:7:fast"), ACCUBLAS_SUCCESS);
  EXPECT_EQ(accublas_set_mode(context, ACCUBLAS_MODE_FIXED, 61, 0), ACCUBLAS_SUCCESS);
  EXPECT_EQ(mode_name(context, ACCUBLAS_FAMILY_DOT), "slices:7:fast");
  EXPECT_EQ(mode_name(context, ACCUBLAS_FAMILY_GEMV), "fixed:61");
  EXPECT_EQ(accublas_set_mode_name(context, nullptr), ACCUBLAS_SUCCESS);
  EXPECT_EQ(accublas_set_family_mode_name(context, ACCUBLAS_FAMILY_DOT, ""), ACCUBLAS_SUCCESS);
  EXPECT_EQ(mode_name(context, ACCUBLAS_FAMILY_DOT), "dp");
  EXPECT_EQ(accublas_set_reproducible(context, 1), ACCUBLAS_SUCCESS);
  EXPECT_EQ(mode_name(context, ACCUBLAS_FAMILY_DOT), "dp:repro");
  EXPECT_EQ(accublas_set_mode_name(context, "tf32x3"), ACCUBLAS_SUCCESS);  // no routine but SGEMM has it
  EXPECT_EQ(mode_name(context, ACCUBLAS_FAMILY_SGEMM), "tf32x3");
  EXPECT_EQ(mode_name(context, ACCUBLAS_FAMILY_DGEMM), "dp:repro");

  EXPECT_EQ(accublas_set_family_mode_name(context, ACCUBLAS_FAMILY_DGEMM, "tf32x3"), ACCUBLAS_ERROR_MODE);
  EXPECT_NE(context.error().find("tf64x3"), std::string::npos) << context.error();
  EXPECT_EQ(accublas_set_family_mode_name(context, 4, "cr"), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_mode_name(context, "quick"), ACCUBLAS_ERROR_MODE);
  for (const char* word : {"quick", "native", "dp:repro", "slices:D"})
    EXPECT_NE(context.error().find(word), std::string::npos);
  EXPECT_EQ(accublas_set_mode(context, 77, 0, 0), ACCUBLAS_ERROR_MODE);
  char small[3];
  EXPECT_EQ(accublas_get_mode_name(context, ACCUBLAS_FAMILY_SGEMM, small, sizeof small), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_get_mode_name(context, ACCUBLAS_FAMILY_SGEMM, nullptr, 0), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(mode_name(context, ACCUBLAS_FAMILY_SGEMM), "tf32x3");  // failed setters change nothing
}

TEST(Context, BadSettings) {
  api::Context context;
  EXPECT_EQ(accublas_set_reproducible(context, 2), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_backend(context, 9), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_device(context, -1), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_engine(context, 77), ACCUBLAS_ERROR_ENGINE);
  EXPECT_EQ(accublas_set_engine_name(context, "int9"), ACCUBLAS_ERROR_ENGINE);
  EXPECT_NE(context.error().find("fp64"), std::string::npos);
  EXPECT_EQ(accublas_set_workspace_mib(context, -1), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_workspace(context, nullptr, 10), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_num_threads(context, -1), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_verbose(context, 3), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_report_level(context, 3), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_target(context, -1), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_target(context, std::nan("")), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_pointer_mode(context, 2), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_get_stream(context, nullptr), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_report(context, nullptr), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_on_failure(2), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_counters(nullptr, 1, nullptr), ACCUBLAS_ERROR_ARGUMENT);
}

TEST(Context, LastErrorIsEmptyAfterSuccess) {
  api::Context context;
  EXPECT_EQ(context.error(), "");
  EXPECT_NE(accublas_set_mode_name(context, "?"), ACCUBLAS_SUCCESS);
  EXPECT_NE(context.error(), "");
  EXPECT_STREQ(accublas_last_error(nullptr), "") << "another context's error";
  double c[4];
  EXPECT_EQ(small_gemm(context, c), ACCUBLAS_SUCCESS);
  EXPECT_EQ(context.error(), "");
}

TEST(Context, EachThreadHasItsOwnDefault) {
  ASSERT_EQ(accublas_set_mode_name(nullptr, "cr"), ACCUBLAS_SUCCESS);
  std::string there;
  std::thread([&] { there = mode_name(nullptr, ACCUBLAS_FAMILY_DGEMM); }).join();
  EXPECT_EQ(there, "dp");
  EXPECT_EQ(mode_name(nullptr, ACCUBLAS_FAMILY_DGEMM), "cr");
  ASSERT_EQ(accublas_set_mode_name(nullptr, nullptr), ACCUBLAS_SUCCESS);
}

TEST(Context, DeviceFunctionsWithoutAGpu) {
  int32_t devices = -1;
  ASSERT_EQ(accublas_device_count(&devices), ACCUBLAS_SUCCESS);
  if (devices > 0) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(devices, 0);
  api::Context context;
  EXPECT_EQ(accublas_set_backend(context, ACCUBLAS_BACKEND_CUDA), ACCUBLAS_ERROR_NO_DEVICE);
  EXPECT_NE(context.error(), "");
  EXPECT_EQ(accublas_set_backend(context, ACCUBLAS_BACKEND_CPU), ACCUBLAS_SUCCESS);
  EXPECT_EQ(accublas_set_device(context, 0), ACCUBLAS_ERROR_NO_DEVICE);
  EXPECT_EQ(accublas_set_pointer_mode(context, ACCUBLAS_POINTER_DEVICE), ACCUBLAS_ERROR_NO_DEVICE);
  EXPECT_EQ(accublas_set_pointer_mode(context, ACCUBLAS_POINTER_HOST), ACCUBLAS_SUCCESS);
  int object = 0;
  EXPECT_EQ(accublas_set_stream(context, &object), ACCUBLAS_ERROR_NO_DEVICE);
  EXPECT_EQ(accublas_set_stream(context, nullptr), ACCUBLAS_SUCCESS);
  void* stream = &object;
  EXPECT_EQ(accublas_get_stream(context, &stream), ACCUBLAS_SUCCESS);
  EXPECT_EQ(stream, nullptr);
  EXPECT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS);
  double c[4] = {};
  EXPECT_EQ(small_gemm(context, c), ACCUBLAS_SUCCESS);
  EXPECT_EQ(c[0], 23);
}

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

TEST(Context, WordsInCapitals) {
  api::Context context;
  char word[32];
  EXPECT_EQ(accublas_set_mode_name(context, "Fixed:70"), ACCUBLAS_SUCCESS) << context.error();
  EXPECT_EQ(accublas_get_mode_name(context, ACCUBLAS_FAMILY_DGEMM, word, sizeof word), ACCUBLAS_SUCCESS);
  EXPECT_STREQ(word, "fixed:70");
  EXPECT_EQ(accublas_set_family_mode_name(context, ACCUBLAS_FAMILY_GEMV, "DP:REPRO"), ACCUBLAS_SUCCESS);
  EXPECT_EQ(accublas_get_mode_name(context, ACCUBLAS_FAMILY_GEMV, word, sizeof word), ACCUBLAS_SUCCESS);
  EXPECT_STREQ(word, "dp:repro");
  EXPECT_EQ(accublas_set_engine_name(context, "INT8"), ACCUBLAS_SUCCESS) << context.error();
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.mode_name = "CR";
  const double one = 1, zero = 0, a[4] = {1, 2, 3, 4};
  double c[4];
  EXPECT_EQ(accublas_dgemm_ex(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 2, 2, 2, &one, a, 2, a,
                              2, &zero, c, 2, &options),
            ACCUBLAS_SUCCESS)
      << context.error();
  EXPECT_STREQ(context.report().mode, "cr");
  EXPECT_STREQ(context.report().engine, "int8");
  EXPECT_EQ(accublas_set_mode_name(context, "CRX"), ACCUBLAS_ERROR_MODE);
  EXPECT_NE(context.error().find("'CRX'"), std::string::npos) << context.error();
}

TEST(Target, APrioriModes) {
  api::Context context;
  const double u = std::ldexp(1.0, -53);
  double c[4] = {9, 9, 9, 9};
  const auto with = [&](const char* mode, double target) {
    EXPECT_EQ(accublas_set_mode_name(context, mode), ACCUBLAS_SUCCESS);
    EXPECT_EQ(accublas_set_target(context, target), ACCUBLAS_SUCCESS);
    return small_gemm(context, c);
  };
  EXPECT_EQ(with("native", 4 * u), ACCUBLAS_ERROR_ACCURACY);  // 5 u are promised at k = 2
  EXPECT_NE(context.error().find("target"), std::string::npos);
  for (double element : c) EXPECT_EQ(element, 9);
  EXPECT_EQ(with("native", 5.001 * u), ACCUBLAS_SUCCESS);
  EXPECT_EQ(c[0], 23);
  EXPECT_EQ(with("cr", 0.9 * u), ACCUBLAS_ERROR_ACCURACY);
  EXPECT_EQ(with("dot2", 0.9 * u), ACCUBLAS_ERROR_ACCURACY);
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.mode = ACCUBLAS_MODE_NATIVE;
  options.target = 0;  // the call unsets it
  EXPECT_EQ(small_gemm(context, c, &options), ACCUBLAS_SUCCESS);
  EXPECT_EQ(with("native", 0), ACCUBLAS_SUCCESS);
  const accublas_report_t report = context.report();
  EXPECT_NEAR(report.bound_componentwise / u, 5, 1e-9);
  EXPECT_EQ(report.bound_relative, 0);
}

TEST(FailureHandler, CustomAndDefault) {
  struct Seen {
    accublas_status status = 0;
    std::string message;
  } seen;
  const auto handler = [](accublas_status status, const char* message, void* user) -> int32_t {
    *static_cast<Seen*>(user) = {status, message};
    return 1;
  };
  api::Context context;
  ASSERT_EQ(accublas_set_mode_name(context, "bad"), ACCUBLAS_ERROR_MODE);
  ASSERT_EQ(accublas_set_failure_handler(handler, &seen), ACCUBLAS_SUCCESS);
  EXPECT_EQ(accublas_fail(context, ACCUBLAS_ERROR_MODE), ACCUBLAS_SUCCESS);
  EXPECT_EQ(seen.status, ACCUBLAS_ERROR_MODE);
  EXPECT_NE(seen.message.find("unknown mode 'bad'"), std::string::npos);
  EXPECT_EQ(seen.message.find('\n'), std::string::npos);
  ASSERT_EQ(accublas_set_failure_handler(nullptr, nullptr), ACCUBLAS_SUCCESS);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        accublas_set_mode_name(nullptr, "bad");
        accublas_fail(nullptr, ACCUBLAS_ERROR_MODE);
      },
      ::testing::KilledBySignal(SIGABRT), "accublas: unknown mode 'bad'");
  EXPECT_EXIT(
      {
        accublas_set_on_failure(ACCUBLAS_ON_FAILURE_NATIVE);
        std::exit(accublas_fail(nullptr, ACCUBLAS_ERROR_MEMORY) == ACCUBLAS_SUCCESS ? 42 : 1);
      },
      ::testing::ExitedWithCode(42), "accublas: out of memory");
}
