// The error of updates (GER and its kind) where they are summed quickly, on the CPU in vectors too.
#pragma once

namespace accublas {

/// Of c plus up to eight products g x, each added to a double with what that loses (two_sum, two_product, and the
/// product of x and what g leaves over) going to a second one: over the sum of the magnitudes of all that went there,
/// at each of at most three additions and one multiplication a term with 2^-53 of what is there.
constexpr double update_error = 0x1p-47;

/// Zero, or of such a size that a product of two factors of three each, two by two exact, stays so.
constexpr double update_most = 0x1p+200, update_least = 0x1p-200;

}  // namespace accublas
