// A child forked from a process that used CUDA is served by the CPU, with the same bits, and the report says so.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "include/accublas.h"

namespace {

constexpr int n = 96;

std::vector<double> product(accublas_context* context, const std::vector<double>& a) {
  const double one = 1, zero = 0;
  std::vector<double> c(n * n, NAN);
  if (accublas_dgemm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, n, n, n, &one, a.data(), n,
                     a.data(), n, &zero, c.data(), n) != ACCUBLAS_SUCCESS)
    c.clear();
  return c;
}

std::string served_by(accublas_context* context) {
  accublas_report_t report{};
  report.struct_size = sizeof report;
  accublas_report(context, &report);
  return std::string(report.backend) + "; " + report.reason;
}

}  // namespace

TEST(Fork, ChildIsServedByTheCpu) {
  std::vector<double> a(n * n);
  unsigned state = 1;
  for (double& x : a) {
    state = state * 1664525u + 1013904223u;
    x = std::ldexp(static_cast<double>(state) - 2e9, static_cast<int>(state >> 24) - 128);
  }
  accublas_context* context = nullptr;
  ASSERT_EQ(accublas_create(&context), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_set_mode_name(context, "cr"), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_set_backend(context, ACCUBLAS_BACKEND_CUDA), ACCUBLAS_SUCCESS);
  const std::vector<double> here = product(context, a);
  ASSERT_EQ(here.size(), a.size()) << accublas_last_error(context);
  EXPECT_EQ(served_by(context).substr(0, 5), "cuda;");

  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::vector<double> there = product(context, a);
    const bool same =
        there.size() == here.size() && std::memcmp(there.data(), here.data(), here.size() * sizeof(double)) == 0;
    const std::string by = served_by(context);
    const bool reported = by.substr(0, 4) == "cpu;" && by.find("forked") != std::string::npos;
    accublas_destroy(context);
    _exit(same && reported ? 0 : same ? 2 : 3);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  // The parent still has its device.
  EXPECT_EQ(product(context, a), here);
  EXPECT_EQ(served_by(context).substr(0, 5), "cuda;");
  EXPECT_EQ(accublas_destroy(context), ACCUBLAS_SUCCESS);
}

/// While another thread makes and destroys aligned forms, whose memory a mutex guards.
TEST(Fork, ChildDestroysWhatLiesOnTheDevice) {
  const auto make = [] {
    accublas_mp_array* a = nullptr;
    EXPECT_EQ(accublas_mp_create(nullptr, 106, n * n, &a), ACCUBLAS_SUCCESS);
    EXPECT_EQ(accublas_mp_move(nullptr, a, ACCUBLAS_MP_DEVICE), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
    EXPECT_EQ(accublas_mp_align(nullptr, a, 0, n, n, n, -1), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
    return a;
  };
  accublas_mp_array* const a = make();
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) accublas_mp_destroy(make());
  });
  for (int i = 0; i < 50 && !HasFailure(); ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      _exit(accublas_mp_destroy(a) == ACCUBLAS_SUCCESS ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  busy.join();
  EXPECT_EQ(accublas_mp_destroy(a), ACCUBLAS_SUCCESS);
}
