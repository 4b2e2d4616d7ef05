// The error of updates (GER, SYR, SYR2 and their kind) that are summed in floating point, on the CPU also in vectors.
#pragma once

namespace accublas {

/// Error bound of c plus up to eight products g x, relative to the sum of the magnitudes of the errors. Each product is
/// added to a double by two_sum and two_product; the errors, and the product of x and the rounding error of g, go to a
/// second double. Each term passes at most three additions and one multiplication there, each with a relative error of
/// 2^-53.
constexpr double update_error = 0x1p-47;

/// A factor must be zero or within these limits, so that products of three such factors, multiplied two at a time, stay
/// exact. An entry of x that is a product of two such factors is within the squares of the limits.
constexpr double update_most = 0x1p+200, update_least = 0x1p-200;

}  // namespace accublas
