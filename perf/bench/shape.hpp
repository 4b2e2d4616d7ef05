// The shape of a GEMM, from the name of its case.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

#include "perf/bench/measure.hpp"

namespace bench {

/// The shape of a product, which a routine's name may have behind a colon, and the matrices of a batch.
struct Shape {
  std::int64_t m, n, k, count = 0;
};

/// Returns the shape of "dgemm:1000x4x1000" (m, n, k), of "dgemm:batch", whose matrices make some 4e6 terms, and of
/// "dgemm".
inline Shape shape_of(const Case& what) {
  const std::int64_t size = what.size;
  Shape shape{size, size, size};
  if (what.routine.ends_with(":batch")) {
    shape.count = std::clamp<std::int64_t>(4000000 / (size * size * size), 4, 1000);
  } else if (const auto colon = what.routine.find(':'); colon != what.routine.npos) {
    long long m = 0, n = 0, k = 0;
    if (std::sscanf(what.routine.c_str() + colon, ":%lldx%lldx%lld", &m, &n, &k) != 3 || std::min({m, n, k}) < 1)
      throw std::runtime_error("not a shape: " + what.routine);
    shape = {m, n, k};
  }
  return shape;
}

}  // namespace bench
