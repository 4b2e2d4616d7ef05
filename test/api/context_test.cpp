// Contexts: setters, last error, report, counters, target, device functions without a GPU, the failure handler.
#include "test/api/context.hpp"

#include <csignal>
#include <thread>

#include "api.hpp"

TEST(Library, VersionAndStatusTexts) {
  EXPECT_EQ(accublas_version(), 10000 * ACCUBLAS_VERSION_MAJOR + 100 * ACCUBLAS_VERSION_MINOR + ACCUBLAS_VERSION_PATCH);
  std::vector<std::string> seen;
  for (accublas_status status = ACCUBLAS_SUCCESS; status <= ACCUBLAS_ERROR_UNDECIDED; ++status) {
    const std::string text = accublas_status_string(status);
    EXPECT_NE(text, "unknown status");
    for (const std::string& other : seen) EXPECT_NE(text, other);
    seen.push_back(text);
  }
  EXPECT_STREQ(accublas_status_string(-1), "unknown status");
  EXPECT_STREQ(accublas_status_string(ACCUBLAS_ERROR_UNDECIDED + 1), "unknown status");
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
  const int32_t negative[] = {-1};
  EXPECT_EQ(accublas_set_devices(context, 1, negative), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_devices(context, 1, nullptr), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_devices(context, -1, negative), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_devices(context, 0, nullptr), ACCUBLAS_SUCCESS);
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
  const int32_t first[] = {0};
  EXPECT_EQ(accublas_set_devices(context, 1, first), ACCUBLAS_ERROR_NO_DEVICE);
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
