// Inputs of the benchmarks: two matrices per case, by kind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// op(A) is m x k, op(B) k x n, both kept column-major and untransposed. GEMV: n = 1; DOT: m = n = 1.
template <class T>
struct Inputs {
  std::int64_t m, n, k;
  std::vector<T> a, b;
};

// clang-format off
/// Kinds of data:
///   phi:X           (rand - 0.5) exp(X randn), as the peers measure
///   cond            inner products of condition number near 1e16 (Ogita, Rump, Oishi's GenDot; the rows of A share b's columns)
///   block-diagonal  A and B of 8 diagonal blocks, each of its own scale from 2^-40 to 2^40
///   triangular      A lower, B upper triangular, phi 1
///   ties            every element of A B lies halfway between two numbers
///   ties-graded     the same with the inner dimension scaled up in A and down in B, from 2^-40 to 2^40
///   FILE.mtx        a square matrix in Matrix Market form, as A and as B; sizes are the file's
// clang-format on
/// Throws std::runtime_error for an unknown kind or a malformed file.
template <class T>
Inputs<T> make_inputs(const std::string& kind, std::int64_t m, std::int64_t n, std::int64_t k);

bool is_file(const std::string& kind);

}  // namespace bench
