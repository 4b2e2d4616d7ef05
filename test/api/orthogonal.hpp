// Layouts and numbers for the tests of QR and least squares.
#pragma once

#include "api.hpp"

namespace {

[[maybe_unused]] constexpr accublas_layout columns = ACCUBLAS_COL_MAJOR, rows = ACCUBLAS_ROW_MAJOR;

/// Numbers uniform in (-1, 1).
[[maybe_unused]] std::vector<double> numbers(std::int64_t count, std::uint64_t seed = 1) {
  std::vector<double> x(static_cast<std::size_t>(count));
  std::mt19937_64 random(seed);
  for (double& number : x) number = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -63);
  return x;
}

}  // namespace
