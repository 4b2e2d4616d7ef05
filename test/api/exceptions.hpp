// Finds the floating-point exceptions that a call raises.
#pragma once

#include <cfenv>
#include <functional>
#include <string>

#include "api.hpp"

namespace {

inline constexpr int defined = FE_INVALID | FE_OVERFLOW | FE_DIVBYZERO;
/// Returns the exceptions that a call raises.
inline int raised_by(const std::function<accublas_status()>& call) {
  std::feclearexcept(FE_ALL_EXCEPT);
  const accublas_status status = call();
  const int raised = std::fetestexcept(defined);
  std::feclearexcept(FE_ALL_EXCEPT);
  EXPECT_EQ(status, ACCUBLAS_SUCCESS);
  return raised;
}

inline bool bits_defined(const std::string& mode) { return mode != "native" && mode != "dp"; }

}  // namespace
