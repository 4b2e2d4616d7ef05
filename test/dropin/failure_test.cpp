// Where a BLAS caller has no status: the failure handler, the real BLAS after it, fork, and a drop-in loaded with
// RTLD_LOCAL.
#include "test/dropin/failure.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "accublas.h"
#include "c_api/private.hpp"
#include "lib/call/mode.hpp"
#include "test/dropin/blas_names.hpp"

namespace {

TEST_F(FailureDeathTest, DefaultIsOneLineAndAbort) {
  make_all_fail();
  const auto a = numbers(16, 1);
  EXPECT_EXIT(product(4, a, a), testing::KilledBySignal(SIGABRT), "^accublas: [^\n]*\n$");
}

TEST_F(FailureDeathTest, HandlerThatRefusesAborts) {
  make_all_fail();
  accublas_set_failure_handler(refuse, nullptr);
  const auto a = numbers(16, 1);
  EXPECT_EXIT(product(4, a, a), testing::KilledBySignal(SIGABRT), "");
}

TEST_F(Failure, HandlerCanAskForTheRealBlas) {
  const auto a = numbers(400, 1), b = numbers(400, 2);
  accublas_set_mode_name(nullptr, "native");
  const auto expected = product(20, a, b);
  const int n = 20, two = 2, minus = -1;
  const double alpha = 1.5, beta = -2;
  const float fx[] = {1, 2, 3, 4}, falpha = 2, fbeta = 1;
  Handled handled;
  accublas_set_failure_handler(serve_natively, &handled);
  make_all_fail();
  EXPECT_EQ(product(20, a, b), expected);
  EXPECT_EQ(handled.calls, 1);
  EXPECT_EQ(handled.status, ACCUBLAS_ERROR_ACCURACY);
  EXPECT_NE(handled.message, "");
  EXPECT_EQ(handled.message.find('\n'), std::string::npos);

  std::vector<double> y(60, 1), z(60, 1);
  dgemv_("T", &n, &n, &alpha, a.data(), &n, b.data(), &two, &beta, y.data(), &minus);
  const double d = ddot_(&n, a.data(), &two, b.data(), &minus);
  EXPECT_EQ(sdot_(&two, fx, &two, fx, &minus), 1 * 2 + 3 * 1);
  EXPECT_EQ(snrm2_(&two, fx, &two), std::sqrt(float{1 * 1 + 3 * 3}));
  EXPECT_EQ(cblas_sasum(2, fx, 2), 1 + 3);
  float fy[] = {1, 1}, fc[] = {5};
  sgemv_("N", &two, &two, &falpha, fx, &two, fx, &two, &fbeta, fy, &minus);
  EXPECT_EQ(fy[1], 2 * (1 * 1 + 3 * 3) + 1);
  const int one = 1;
  cblas_sgemm(101, 111, 112, 1, 1, 2, 2, fx, 2, fx + 2, 2, 1, fc, 1);
  EXPECT_EQ(fc[0], 2 * (1 * 3 + 2 * 4) + 5);
  EXPECT_EQ(handled.calls, 8);
  make_all_work();
  dgemv_("T", &n, &n, &alpha, a.data(), &n, b.data(), &two, &beta, z.data(), &minus);
  EXPECT_EQ(y, z);
  EXPECT_EQ(d, ddot_(&n, a.data(), &two, b.data(), &minus));
  EXPECT_EQ(handled.calls, 8);
  (void)one;
}

// The rule that the drop-in and the Fortran module share: the CPU where there is a device, the handler, the real BLAS;
// none where that cannot help, of which the handler hears all the same.
TEST_F(Failure, NextAttempt) {
  using accublas::Attempt;
  Handled handled;
  accublas_set_failure_handler(serve_natively, &handled);
  int32_t devices = 0;
  accublas_device_count(&devices);
  const auto next = [](Attempt failed, accublas_status status, bool reads_result) {
    return accublas_private_next_attempt(nullptr, failed, status, reads_result);
  };
  const Attempt second = devices > 0 ? Attempt::on_cpu : Attempt::native;
  EXPECT_EQ(next(Attempt::as_set, ACCUBLAS_ERROR_MEMORY, true), second);
  EXPECT_EQ(next(Attempt::as_set, ACCUBLAS_ERROR_C_UNDEFINED, false), second);
  EXPECT_EQ(handled.calls, devices > 0 ? 0 : 2);
  handled.calls = 0;
  EXPECT_EQ(next(Attempt::on_cpu, ACCUBLAS_ERROR_MEMORY, true), Attempt::native);
  EXPECT_EQ(next(Attempt::as_set, ACCUBLAS_ERROR_C_UNDEFINED, true), Attempt::none);
  EXPECT_EQ(next(Attempt::on_cpu, ACCUBLAS_ERROR_C_UNDEFINED, true), Attempt::none);
  EXPECT_EQ(next(Attempt::as_set, ACCUBLAS_ERROR_ARGUMENT, false), Attempt::none);
  EXPECT_EQ(next(Attempt::native, ACCUBLAS_ERROR_MEMORY, false), Attempt::none);
  EXPECT_EQ(handled.calls, 5);
  EXPECT_EQ(handled.status, ACCUBLAS_ERROR_MEMORY);
}

// accublas_last_error is "" after a success of any routine, the short way to the real BLAS included, and accublas_fail
// does not tell of an older failure.
TEST_F(Failure, SuccessEndsTheMessage) {
  const int n = 2, one = 1, none = 0;
  const double alpha = 1, beta = 0, a[] = {1, 2, 3, 4};
  double c[4];
  Handled handled;
  accublas_set_failure_handler(serve_natively, &handled);
  const std::function<void()> calls[] = {
      [&] { ddot_(&n, a, &one, a, &one); },
      [&] { ddot_(&none, a, &one, a, &one); },
      [&] { dnrm2_(&n, a, &none); },
      [&] { cblas_sasum(none, nullptr, one); },
      [&] { dnrm2_(&n, a, &one); },
      [&] { cblas_dasum(n, a, one); },
      [&] { dgemv_("N", &n, &n, &alpha, a, &n, a, &one, &beta, c, &one); },
      [&] { dgemm_("N", "N", &n, &n, &n, &alpha, a, &n, a, &n, &beta, c, &n); },
      [&] { accublas_ddot(nullptr, n, a, one, a, one, c); },
  };
  for (const char* mode : {"native", "dp", "cr"}) {
    ASSERT_EQ(accublas_set_mode_name(nullptr, mode), 0);
    for (const auto& call : calls) {
      accublas_options options = ACCUBLAS_OPTIONS_INIT;  // of the failing call alone: no setter succeeds in between
      options.mode_name = "native";
      options.target = 1e-40;
      ASSERT_EQ(accublas_dnrm2_ex(nullptr, n, a, one, c, &options), ACCUBLAS_ERROR_ACCURACY);
      ASSERT_STRNE(accublas_last_error(nullptr), "");
      call();
      EXPECT_STREQ(accublas_last_error(nullptr), "") << mode << ", call " << &call - calls;
      accublas_fail(nullptr, ACCUBLAS_ERROR_MEMORY);
      EXPECT_EQ(handled.message, std::string("accublas: ") + accublas_status_string(ACCUBLAS_ERROR_MEMORY));
    }
  }
}

// No way that keeps the mode fits the user's workspace: the handler hears of it, C is untouched until the real BLAS
// serves it.
TEST_F(Failure, MemoryThatNeverSuffices) {
  Handled handled;
  accublas_set_failure_handler(serve_natively, &handled);
  alignas(64) static unsigned char little[64];
  ASSERT_EQ(accublas_set_workspace(nullptr, little, sizeof little), 0);
  int calls = 0;
  for (const char* mode : {"dot2", "slices:8", "fixed:60", "dp:repro"}) {
    // In dp:repro only sums of more terms than those that have cr's values need memory.
    const int n = mode == std::string("dp:repro") ? static_cast<int>(accublas::most_terms_as_cr) + 6 : 150;
    const auto a = numbers(n * n, 1), b = numbers(n * n, 2);
    accublas_set_mode_name(nullptr, "native");
    const auto expected = product(n, a, b);
    accublas_set_mode_name(nullptr, mode);
    EXPECT_EQ(product(n, a, b), expected) << mode;
    EXPECT_EQ(handled.calls, ++calls) << mode;
    EXPECT_EQ(handled.status, ACCUBLAS_ERROR_MEMORY) << mode;
  }
}

TEST_F(Failure, OnFailureNative) {
  const auto a = numbers(400, 1), b = numbers(400, 2);
  accublas_set_mode_name(nullptr, "native");
  const auto expected = product(20, a, b);
  accublas_set_on_failure(ACCUBLAS_ON_FAILURE_NATIVE);
  make_all_fail();
  testing::internal::CaptureStderr();
  const auto c = product(20, a, b);
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_EQ(c, expected);
  EXPECT_EQ(line.rfind("accublas: ", 0), 0u) << line;
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
}

// The environment is read once: these need a process of their own.
[[noreturn]] void run_child(const char* mode, const char* on_failure, const char* variable = "ACCUBLAS_MODE") {
  setenv(variable, mode, 1);
  setenv("ACCUBLAS_ON_FAILURE", on_failure, 1);
  execl("/proc/self/exe", "failure", "--gtest_filter=Child.*", "--gtest_also_run_disabled_tests",
        static_cast<char*>(nullptr));
  _exit(99);
}

TEST_F(FailureDeathTest, OnFailureFromTheEnvironment) {
  EXPECT_EXIT(run_child("native", "native"), testing::ExitedWithCode(0), "accublas: .*target");
  EXPECT_EXIT(run_child("native", "abort"), testing::KilledBySignal(SIGABRT), "accublas: .*target");
}

TEST_F(FailureDeathTest, BadEnvironment) {
  EXPECT_EXIT(run_child("quadruple", "native"), testing::ExitedWithCode(0), "accublas: .*quadruple.*dot2");
  EXPECT_EXIT(run_child("quadruple", "abort"), testing::KilledBySignal(SIGABRT), "accublas: .*quadruple.*dot2");
  EXPECT_EXIT(run_child("native", "ignore"), testing::KilledBySignal(SIGABRT), "accublas: .*ignore");
  constexpr const char* unknown = "accublas: ACCUBLAS_MOD=cr: unknown variable; .*ACCUBLAS_MODE";
  EXPECT_EXIT(run_child("cr", "native", "ACCUBLAS_MOD"), testing::ExitedWithCode(0), unknown);
  EXPECT_EXIT(run_child("cr", "abort", "ACCUBLAS_MOD"), testing::KilledBySignal(SIGABRT), unknown);
}

TEST(Child, DISABLED_ServesNatively) {
  accublas_set_target(nullptr, 1e-40);
  const std::vector<double> one = {3};
  EXPECT_EQ(product(1, one, one)[0], 1.5 * 9 - 1);
}

#ifdef WITH_HOOKS
// Wherever an allocation fails, the answer is the mode's (a smaller block did it) or the real BLAS's after the handler,
// and never a mixture.
TEST_F(Failure, EveryAllocation) {
  const int n = 70;
  const auto a = numbers(n * n, 1), b = numbers(n * n, 2);
  accublas_set_mode_name(nullptr, "native");
  const auto native = product(n, a, b);
  for (const char* mode : {"cr", "dp:repro", "fixed:60", "slices:4", "dot2"}) {
    accublas_set_mode_name(nullptr, mode);
    unsetenv("ACCUBLAS_TEST_FAIL_ALLOCATION");
    const auto expected = product(n, a, b);
    Handled handled;
    accublas_set_failure_handler(serve_natively, &handled);
    for (int failing = 1; failing < 60; ++failing) {
      const int before = handled.calls;
      setenv("ACCUBLAS_TEST_FAIL_ALLOCATION", std::to_string(failing).c_str(), 1);
      const auto c = product(n, a, b);
      setenv("ACCUBLAS_TEST_FAIL_ALLOCATION", "0", 1);
      product(1, a, b);  // so that the count starts anew
      if (handled.calls == before) {
        EXPECT_EQ(std::memcmp(c.data(), expected.data(), sizeof(double) * c.size()), 0) << mode << failing;
      } else {
        EXPECT_EQ(handled.status, ACCUBLAS_ERROR_MEMORY) << mode << failing;
        EXPECT_EQ(c, native) << mode << failing;
      }
    }
    accublas_set_failure_handler(nullptr, nullptr);
  }
}
#endif

/// Runs `body` on a thread with 128 KiB of stack, and, if so asked, without memory for another stack.
void on_little_stack(bool little_memory, const std::function<void()>& body) {
  const std::function<void()> with_memory = [&] {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t most = pages * static_cast<std::size_t>(getpagesize()) + (4 << 20);
    const rlimit little{most, RLIM_INFINITY};
    if (little_memory && setrlimit(RLIMIT_AS, &little) != 0) std::_Exit(3);
    body();
  };
  const auto start = [](void* given) -> void* {
    (*static_cast<const std::function<void()>*>(given))();
    return nullptr;
  };
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 128 << 10);
  pthread_t thread;
  if (pthread_create(&thread, &small, start, const_cast<std::function<void()>*>(&with_memory)) != 0) std::_Exit(2);
  pthread_join(thread, nullptr);
}

/// On a small stack OpenBLAS needs another one. If there is no memory for it, the program hears of it and is aborted,
/// also where the failure handler asks for the real BLAS. No exception leaves a BLAS name.
TEST_F(FailureDeathTest, WithoutMemoryForAStack) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "a sanitizer needs the address space";
#endif
  accublas_set_mode_name(nullptr, "native");
  accublas_set_num_threads(nullptr, 1);
  for (const auto& call : native_calls) {
    call();
    for (const auto action : {ACCUBLAS_ON_FAILURE_ABORT, ACCUBLAS_ON_FAILURE_NATIVE}) {
      accublas_set_on_failure(action);
      const std::string line = "accublas: [^\n]*stack[^\n]*\n";
      EXPECT_EXIT(on_little_stack(true,
                                  [&] {
                                    accublas_set_mode_name(nullptr, "native");
                                    call();
                                  }),
                  testing::KilledBySignal(SIGABRT),
                  "^" + line + (action == ACCUBLAS_ON_FAILURE_NATIVE ? line : "") + "$")
          << &call - native_calls;
    }
    accublas_set_on_failure(ACCUBLAS_ON_FAILURE_ABORT);
  }
  for (const auto& call : native_calls)  // later: the library keeps stacks
    on_little_stack(false, [&] {
      accublas_set_mode_name(nullptr, "native");
      call();
    });
  accublas_set_num_threads(nullptr, 0);
}

TEST_F(Failure, ForkedChildComputes) {
  const int n = 300;
  const auto a = numbers(n * n, 1), b = numbers(n * n, 2);
  accublas_set_num_threads(nullptr, 2);
  for (const char* mode : {"native", "cr", "dot2"}) {
    accublas_set_mode_name(nullptr, mode);
    const auto expected = product(n, a, b);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      const auto c = product(n, a, b);
      _exit(std::memcmp(c.data(), expected.data(), sizeof(double) * c.size()) == 0 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << mode;
    EXPECT_EQ(product(n, a, b), expected);
  }
  accublas_set_num_threads(nullptr, 0);
}

TEST_F(Failure, CallersOnManyThreads) {
  const int n = 60;
  const auto a = numbers(n * n, 1), b = numbers(n * n, 2);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  // A setting on the default context belongs to one thread: every thread makes its own.
  const auto run = [&](const char* mode) {
    accublas_set_mode_name(nullptr, mode);
    return product(n, a, b);
  };
  const auto cr = run("cr"), dot2 = run("dot2");
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) EXPECT_EQ(run(t % 2 ? "cr" : "dot2"), t % 2 ? cr : dot2);
    });
  for (auto& thread : threads) thread.join();
}

}  // namespace

/// BLAS leaves the result of operands that overlap undefined: a program that passes them goes on. The C interface on
/// the same context refuses them, before and after.
TEST_F(Failure, OperandsThatOverlapAreNone) {
  for (const char* mode : {"dp", "cr", "dot2"}) {
    ASSERT_EQ(accublas_set_mode_name(nullptr, mode), ACCUBLAS_SUCCESS);
    double a[4] = {1, 1, 1, 1};
    const double b[4] = {1, 1, 1, 1}, one = 1, zero = 0;
    const int n = 2;
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, a, &n);
    EXPECT_EQ(accublas_dgemm(nullptr, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, &one, a, n, b,
                             n, &zero, a, n),
              ACCUBLAS_ERROR_ARGUMENT);
  }
  accublas_set_mode_name(nullptr, nullptr);
}
