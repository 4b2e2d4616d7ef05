// The speed that the project has set itself, as one table.
#pragma once

#include <string>

#include "perf/bench/table.hpp"

namespace bench {

struct TargetOptions {
  double seconds;        ///< per measured row
  bool quick;            ///< least sizes only
  std::string matrices;  ///< folder of the real matrices
};

/// Measures and prints; true if every target is met.
bool print_targets(Table& table, const TargetOptions& options);

}  // namespace bench
