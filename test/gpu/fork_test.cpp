// A child forked from a process that used CUDA is served by the CPU, with the same bits, and the report says so.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "c_api/accublas.h"

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
    const bool told = by.substr(0, 4) == "cpu;" && by.find("forked") != std::string::npos;
    accublas_destroy(context);
    _exit(same && told ? 0 : same ? 2 : 3);
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
