// A drop-in whose calls fail, and handlers of the failure.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "accublas.h"
#include "c_api/private.hpp"
#include "test/dropin/blas_names.hpp"

extern "C" {
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*,
            double*, const int*);
void dger_(const int*, const int*, const double*, const double*, const int*, const double*, const int*, double*,
           const int*);
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
}

namespace {

struct Handled {
  int calls = 0;
  accublas_status status = 0;
  std::string message;
};

int32_t serve_natively(accublas_status status, const char* message, void* user) {
  auto* handled = static_cast<Handled*>(user);
  ++handled->calls;
  handled->status = status;
  handled->message = message;
  return 1;
}

int32_t refuse(accublas_status, const char*, void*) { return 0; }

std::vector<double> numbers(int count, int seed) {
  std::vector<double> v(count);
  for (int i = 0; i < count; ++i) v[i] = std::ldexp((i * 7919 + seed * 104729) % 20011 - 10007, (i * 31) % 60 - 30);
  return v;
}

std::vector<double> product(int n, const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> c(n * n, 0.5);
  const double alpha = 1.5, beta = -2;
  dgemm_("N", "T", &n, &n, &n, &alpha, a.data(), &n, b.data(), &n, &beta, c.data(), &n);
  return c;
}

class Failure : public testing::Test {
 protected:
  void TearDown() override {
    unsetenv("ACCUBLAS_TEST_FAIL_ALLOCATION");
    accublas_set_target(nullptr, 0);
    accublas_set_mode_name(nullptr, nullptr);
    accublas_set_workspace(nullptr, nullptr, 0);
    accublas_set_engine(nullptr, ACCUBLAS_ENGINE_AUTO);
    accublas_set_failure_handler(nullptr, nullptr);
    accublas_set_on_failure(ACCUBLAS_ON_FAILURE_ABORT);
  }
  // A target that the mode cannot promise: every routine fails.
  void make_all_fail() {
    ASSERT_EQ(accublas_set_mode_name(nullptr, "native"), 0);
    ASSERT_EQ(accublas_set_target(nullptr, 1e-40), 0);
  }
  void make_all_work() { ASSERT_EQ(accublas_set_target(nullptr, 0), 0); }
};

using FailureDeathTest = Failure;

/// Calls under BLAS names that mode native gives to OpenBLAS.
const std::function<void()> native_calls[] = {
    [] { product(20, numbers(400, 1), numbers(400, 2)); },
    [] {
      const int n = 20, one = 1;
      const double alpha = 1.5, beta = -2;
      std::vector<double> y(20, 1);
      dgemv_("T", &n, &n, &alpha, numbers(400, 1).data(), &n, y.data(), &one, &beta, numbers(20, 2).data(), &one);
    },
    [] {
      const int n = 20, one = 1;
      const auto x = numbers(20, 1);
      ddot_(&n, x.data(), &one, x.data(), &one);
    },
    [] {
      const int n = 20, one = 1;
      dnrm2_(&n, numbers(20, 1).data(), &one);
    },
    [] {
      const int n = 20, none = 0;
      dasum_(&n, numbers(20, 1).data(), &none);
    },
    [] {
      const int n = 20;
      const double alpha = 1.5, beta = -2;
      auto c = numbers(400, 1);
      dsyrk_("U", "N", &n, &n, &alpha, numbers(400, 1).data(), &n, &beta, c.data(), &n);
    },
    [] {
      const int n = 20, one = 1;
      const double alpha = 1.5;
      auto c = numbers(400, 1);
      dger_(&n, &n, &alpha, numbers(20, 1).data(), &one, numbers(20, 2).data(), &one, c.data(), &n);
    },
    [] {
      const int n = 20;
      int info = 0, pivots[20];
      auto a = numbers(400, 1);
      dgetrf_(&n, &n, a.data(), &n, pivots, &info);
    },
    [] {
      const int n = 20, length = 4000;
      int info = 0;
      auto a = numbers(400, 1), work = numbers(4000, 1), tau = numbers(20, 1);
      dgeqrf_(&n, &n, a.data(), &n, tau.data(), work.data(), &length, &info);
    },
};

}  // namespace
