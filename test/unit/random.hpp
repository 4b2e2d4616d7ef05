// Random numbers of the unit tests.
#pragma once

#include <random>

namespace accublas_test {

using Random = std::mt19937_64;

inline int pick(Random& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

}  // namespace accublas_test
