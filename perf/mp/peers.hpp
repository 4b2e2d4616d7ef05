// Times of other libraries for the same products: MPFR's multiply and add, FLINT's arb_dot and arb_mat_mul, and a loop
// of GMP's mpn functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "perf/mp/inputs.hpp"

namespace mp_bench {

struct PeerTime {
  std::string name;
  double ns;  ///< wall-clock nanoseconds of a multiply-add
};

/// y_i = sum_j a_ij x_j for the rows x columns row-major sample `a`, rows shared by `threads` threads, the best of
/// `repetitions`. The products of MPFR and arb are rounded to the precision; mpn adds them exactly, and is measured
/// only where all exponents are equal.
std::vector<PeerTime> time_peers(const Numbers& a, const Numbers& x, int bits, bool equal_exponents, int threads,
                                 int repetitions);

/// Returns the milliseconds of FLINT's arb_mat_mul on `threads` threads for the product of two n x n matrices, the best
/// of `repetitions`, or nothing if the program was built without FLINT.
std::optional<double> time_arb_mat_mul(const Numbers& a, const Numbers& b, std::int64_t n, int bits, int threads,
                                       int repetitions);

}  // namespace mp_bench
