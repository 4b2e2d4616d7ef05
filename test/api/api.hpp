// Helpers of the API tests: the two types under one name, modes to run through.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "../both_types.hpp"
#include "../context.hpp"
#include "accublas.h"

namespace api {

using accublas::test::Context;

using namespace both_types;

/// The modes that DOT, GEMV and GEMM have in both precisions, with parameters that keep small integers exact.
inline const std::vector<std::string>& modes() {
  static const std::vector<std::string> list = {
      "native", "dp", "dp:repro", "fixed:50", "fixed:120", "slices:6", "slices:6:fast", "dot2", "cr"};
  return list;
}

/// The modes of NRM2 and ASUM.
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
      {"cr", "int8"},       {"cr", "fp64"},       {"cr", "sums"}};
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
