// Matrices and vectors of the multiple-precision benchmark, as limbs: what accublas and its rivals are given.
#pragma once

#include <cstdint>
#include <vector>

namespace mp_bench {

/// Describes the numbers: mantissas of `bits` bits, of which the leading `width` are random and the rest 0, and
/// exponents that are uniform in 0 .. spread.
struct Input {
  int bits;
  int width;
  int spread;
};

/// Number t is (-1)^sign[t] N 2^exponent[t], N the integer of the `size` limbs at limbs[t size].
struct Numbers {
  std::int64_t count = 0, size = 0;
  std::vector<std::uint64_t> limbs;
  std::vector<std::int64_t> exponents;
  std::vector<std::int32_t> signs;
};

Numbers random_numbers(const Input& input, std::int64_t count, std::uint64_t seed);

}  // namespace mp_bench
