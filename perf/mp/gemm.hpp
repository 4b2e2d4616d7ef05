// The multiple-precision GEMM and SYRK with each engine.
#pragma once

#include <accublas.h>

#include <cstdint>
#include <string>

#include "perf/mp/inputs.hpp"

namespace mp_bench {

struct GemmRun {
  std::int64_t n;  ///< all matrices are n x n
  Input input;     ///< of A and B
  bool device;
  int threads;
  int repetitions;
};

struct GemmTimes {
  double ms = 0;                     ///< a GEMM without a kept aligned form; median
  double syrk_ms = 0;                ///< a SYRK
  accublas_mp_report_t report = {};  ///< of a GEMM at level 2
};

/// Times C = A B and the lower triangle of A A' with an engine. Throws std::runtime_error with accublas's message.
GemmTimes time_gemm(const GemmRun& run, const std::string& engine);

}  // namespace mp_bench
