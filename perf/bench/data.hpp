// Inputs of the benchmarks: two matrices per case, by kind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// op(A) is m x k, op(B) k x n, both kept column-major and untransposed; complex numbers as pairs of reals. GEMV: n =
/// 1; DOT: m = n = 1.
template <class T>
struct Inputs {
  std::int64_t m, n, k;
  std::vector<T> a, b;
};

/// `kind` is a name of perf/matrices, or `cond`: inner products of condition number near 1e16 (Ogita, Rump, Oishi's
/// GenDot; the rows of A share b's columns). A file is a square matrix, as A and as B; sizes are the file's.
/// Throws std::runtime_error for an unknown kind or a malformed file.
template <class T>
Inputs<T> make_inputs(const std::string& kind, bool complex, std::int64_t m, std::int64_t n, std::int64_t k);

/// Throws std::runtime_error unless make_inputs() knows the kind.
void check_kind(const std::string& kind);

/// The names of all kinds.
std::string known_kinds();

}  // namespace bench
