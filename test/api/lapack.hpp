// Code that the tests of LAPACK's routines share: data, layouts, the available modes.
#pragma once

#include "api.hpp"

namespace lapack {

inline constexpr accublas_layout columns = ACCUBLAS_COL_MAJOR, rows = ACCUBLAS_ROW_MAJOR;

/// Between -1 and 1.
inline std::vector<double> numbers(std::int64_t count, std::uint64_t seed = 1) {
  std::vector<double> x(static_cast<std::size_t>(count));
  std::uint64_t state = seed;
  for (double& number : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    number = std::ldexp(static_cast<double>(static_cast<std::int64_t>(state)), -63);
  }
  return x;
}

inline std::vector<double> transposed(const std::vector<double>& a, std::int64_t m, std::int64_t n) {
  std::vector<double> t(a.size());
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      t[static_cast<std::size_t>(j + i * n)] = a[static_cast<std::size_t>(i + j * m)];
  return t;
}

/// Modes of the list; not native where there is no LAPACK, which it says.
inline std::vector<const char*> those_here(std::initializer_list<const char*> list) {
  api::Context context("native");
  double a = 1;
  std::int64_t info = 0;
  const accublas_status status = accublas_dpotrf(context, columns, ACCUBLAS_LOWER, 1, &a, 1, &info);
  EXPECT_TRUE(status == ACCUBLAS_SUCCESS || status == ACCUBLAS_ERROR_NO_BLAS) << context.error();
  if (status != ACCUBLAS_SUCCESS) {
    EXPECT_NE(context.error().find("dpotrf"), std::string::npos) << context.error();
  }
  std::vector<const char*> modes;
  for (const char* mode : list)
    if (status == ACCUBLAS_SUCCESS || std::string(mode) != "native") modes.push_back(mode);
  return modes;
}

}  // namespace lapack
