// Random numbers of the tests of binary128 and double-double numbers.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "lib/quad/number.hpp"

namespace accublas::quad {

class RandomNumbers : public testing::Test {
 protected:
  std::mt19937_64 rng{44};

  int below(int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool one_in(int n) { return below(n) == 0; }

  Binary128 binary128(int exponent_field, bool few_bits = false) {
    Uint128 fraction = static_cast<Uint128>(rng()) << 64 | rng();
    fraction &= (Uint128{1} << 112) - 1;
    if (few_bits) fraction &= ~Uint128{0} << between(90, 112);
    return from_bits<Binary128>(static_cast<Uint128>(rng() & 1) << 127 | static_cast<Uint128>(exponent_field) << 112 |
                                fraction);
  }
  double binary64(int low, int high) {
    return std::ldexp(static_cast<double>(static_cast<std::int64_t>(rng())) * 0x1p-63, between(low, high));
  }
  Number number(Format format, int low, int high) {
    if (format == Format::binary128) return number_of(binary128(16383 + between(low, high), one_in(3)));
    if (format == Format::binary64) return number_of(binary64(low, high));
    const double x = binary64(low, high);
    return number_of(x, one_in(5) ? 0 : x * std::ldexp(binary64(0, 0), -between(0, 120)));
  }
};

}  // namespace accublas::quad
