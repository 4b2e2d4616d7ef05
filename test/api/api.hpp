// Helpers of the API tests: the two types under one name, contexts that free themselves, modes to run through.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "accublas.h"

namespace api {

class Context {
 public:
  Context() { EXPECT_EQ(accublas_create(&context_), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr); }
  explicit Context(const std::string& mode) : Context() {
    EXPECT_EQ(accublas_set_mode_name(context_, mode.c_str()), ACCUBLAS_SUCCESS) << accublas_last_error(context_);
  }
  ~Context() { EXPECT_EQ(accublas_destroy(context_), ACCUBLAS_SUCCESS); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  operator accublas_context*() const { return context_; }
  std::string error() const { return accublas_last_error(context_); }
  accublas_report_t report() const {
    accublas_report_t report;
    report.struct_size = sizeof report;
    EXPECT_EQ(accublas_report(context_, &report), ACCUBLAS_SUCCESS);
    return report;
  }

 private:
  accublas_context* context_ = nullptr;
};

#define ACCUBLAS_TEST_BOTH(name)                   \
  template <class... A>                            \
  accublas_status name(double, A&&... arguments) { \
    return accublas_d##name(arguments...);         \
  }                                                \
  template <class... A>                            \
  accublas_status name(float, A&&... arguments) {  \
    return accublas_s##name(arguments...);         \
  }
ACCUBLAS_TEST_BOTH(dot)
ACCUBLAS_TEST_BOTH(dot_ex)
ACCUBLAS_TEST_BOTH(nrm2)
ACCUBLAS_TEST_BOTH(nrm2_ex)
ACCUBLAS_TEST_BOTH(asum)
ACCUBLAS_TEST_BOTH(asum_ex)
ACCUBLAS_TEST_BOTH(gemv)
ACCUBLAS_TEST_BOTH(gemv_ex)
ACCUBLAS_TEST_BOTH(gemv_strided)
ACCUBLAS_TEST_BOTH(gemm)
ACCUBLAS_TEST_BOTH(gemm_ex)
ACCUBLAS_TEST_BOTH(gemm_strided)
ACCUBLAS_TEST_BOTH(gemm_strided_batched)
ACCUBLAS_TEST_BOTH(gemm_strided_batched_ex)
ACCUBLAS_TEST_BOTH(gemm_batched)
ACCUBLAS_TEST_BOTH(gemm_batched_ex)
#undef ACCUBLAS_TEST_BOTH

/// Every mode of this build, with parameters that keep small integers exact.
inline const std::vector<std::string>& modes() {
  static const std::vector<std::string> list = {
      "native", "dp", "dp:repro", "fixed:50", "fixed:120", "slices:6", "slices:6:fast", "dot2", "cr"};
  return list;
}

/// Those of NRM2 and ASUM.
inline const std::vector<std::string>& norm_modes() {
  static const std::vector<std::string> list = {"native", "dp", "dp:repro", "dot2", "cr"};
  return list;
}

/// A mode and an engine that serves GEMM in it.
struct ModeEngine {
  std::string mode, engine;
};
inline const std::vector<ModeEngine>& gemm_engines() {
  static const std::vector<ModeEngine> list = {
      {"native", "native"}, {"dp", "native"},     {"dp", "int8"},       {"dp:repro", "int8"},      {"dp:repro", "fp64"},
      {"fixed:60", "int8"}, {"fixed:60", "fp64"}, {"slices:6", "fp64"}, {"slices:6:fast", "fp64"}, {"dot2", "dot2"},
      {"cr", "int8"},       {"cr", "fp64"},       {"cr", "exact"}};
  return list;
}

template <class T>
constexpr T nan_value = std::numeric_limits<T>::quiet_NaN();

/// Equality of bits, so that NaN equals itself and +0 differs from -0.
template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

using Types = ::testing::Types<double, float>;

}  // namespace api
