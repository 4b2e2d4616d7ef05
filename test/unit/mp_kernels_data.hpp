// Levels and numbers for the tests of the multiple-precision kernels.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "lib/mp/kernels/mp_kernels.hpp"

namespace accublas_test {

using namespace accublas;
using namespace accublas::cpu;
using Residues = std::vector<std::uint32_t>;

inline constexpr std::uint32_t poison = 0xDEADBEEF;

inline std::vector<Isa> levels() {
  std::vector<Isa> all;
  for (Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512, Isa::neon})
    if (isa <= detected_isa()) all.push_back(isa);
  return all;
}

enum class Kind { random, largest, mixed };

/// `random`: any residues; `largest`: m - 1 everywhere; `mixed`: 0, 1, m - 1, m / 2 and powers of two.
struct Source {
  std::mt19937_64 generator;
  Kind kind;

  std::uint32_t operator()(std::uint32_t m) {
    const std::uint64_t bits = generator();
    if (kind == Kind::largest) return m - 1;
    if (kind == Kind::random) return static_cast<std::uint32_t>((bits >> 32) * m >> 32);
    const std::uint32_t special[] = {
        0, 1, m - 1, m - 2, m / 2, m / 2 + 1, 1u << (bits >> 8) % 31, m - (1u << (bits >> 8) % 31)};
    return special[bits % 8] % m;
  }
};

}  // namespace accublas_test
