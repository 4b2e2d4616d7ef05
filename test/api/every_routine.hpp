// Every routine of the C interface by one way of calling it: its operands as a list, which a test puts where it wants
// them, and small numbers in them on which every routine is defined.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "accublas.h"

namespace every_routine {

/// An array of a call. `step` is a matrix's leading dimension, a vector's increment, else 1.
struct Operand {
  enum class Kind { matrix, vector, numbers, pivots };
  Kind kind;
  std::int64_t rows, cols;  ///< of a matrix; `rows` elements of the others
  bool written;
  std::size_t element;  ///< bytes
  bool by_rows;         ///< a matrix in row-major order
  void* data = nullptr;
  std::int64_t step = 1;

  /// The least leading dimension, or 1.
  std::int64_t least_step() const {
    return kind != Kind::matrix ? 1 : std::max<std::int64_t>(by_rows ? cols : rows, 1);
  }
  /// Elements from the first address to the last one.
  std::int64_t extent() const {
    const std::int64_t size = step < 0 ? -step : step;
    if (kind == Kind::vector) return (rows - 1) * size + 1;
    if (kind != Kind::matrix) return rows;
    return by_rows ? (rows - 1) * step + cols : (cols - 1) * step + rows;
  }
  /// Element (i, j), a vector's in BLAS's order.
  char* at(std::int64_t i, std::int64_t j) const {
    std::int64_t index = i;
    if (kind == Kind::matrix) index = by_rows ? i * step + j : i + j * step;
    if (kind == Kind::vector) index = step < 0 ? (i - rows + 1) * step : i * step;
    return static_cast<char*>(data) + index * static_cast<std::int64_t>(element);
  }
};

/// Arguments that are no operands, one of each kind at random; the sizes are those of `order`, or small.
struct Choice {
  accublas_layout layout;
  accublas_uplo uplo;
  accublas_side side;
  accublas_diag diag;
  bool transposed_a, transposed_b;
  std::int64_t n, k;

  explicit Choice(std::mt19937_64& random, std::int64_t order = 0) {
    const auto either = [&](auto x, auto y) { return random() % 2 ? x : y; };
    layout = either(ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR);
    uplo = either(ACCUBLAS_UPPER, ACCUBLAS_LOWER);
    side = either(ACCUBLAS_LEFT, ACCUBLAS_RIGHT);
    diag = either(ACCUBLAS_UNIT, ACCUBLAS_NON_UNIT);
    transposed_a = either(true, false);
    transposed_b = either(true, false);
    n = order > 0 ? order : 2 + static_cast<std::int64_t>(random() % 3);
    k = 1 + static_cast<std::int64_t>(random() % std::min<std::uint64_t>(n, 8));
  }
};

using Operands = std::vector<Operand>;
struct Routine {
  std::string name;
  bool certified;  ///< takes a certificate too; ACCUBLAS_ERROR_NOT_CERTIFIED is an answer
  Operands operands;
  std::function<accublas_status(accublas_context*, const Operands&)> run;
};

/// Numbers between -1 and 1, but more on a matrix's diagonal: Hermitian where the matrix is square, so that it has
/// every factorization. Pivots exchange no rows.
template <class T>
void fill(const Operand& o, std::uint64_t seed) {
  if constexpr (sizeof(T) == sizeof(double))
    if (o.element == sizeof(float)) return fill<float>(o, seed);  // DSDOT's vectors
  const bool complex = o.element == 2 * sizeof(T);
  for (std::int64_t j = 0; j < (o.kind == Operand::Kind::matrix ? o.cols : 1); ++j)
    for (std::int64_t i = 0; i < o.rows; ++i) {
      if (o.kind == Operand::Kind::pivots) {
        const std::int64_t row = i + 1;
        std::memcpy(o.at(i, j), &row, sizeof row);
        continue;
      }
      const std::int64_t low = std::min(i, j), high = std::max(i, j);
      std::uint64_t state = seed + static_cast<std::uint64_t>(low * 1000 + high);
      const auto number = [&] {
        state = (state ^ (state >> 31)) * 0x9e3779b97f4a7c15u + 1;
        return static_cast<T>(std::ldexp(static_cast<double>(state >> 40), -23) - 1);
      };
      std::array<T, 2> x = {number(), number()};
      // Triangles stay well conditioned, also with ones in place of their diagonals, and reflectors stay near the
      // identity.
      if (o.kind == Operand::Kind::matrix && o.rows == o.cols && i != j) x = {x[0] / 8, x[1] / 8};
      if (o.kind == Operand::Kind::numbers) x = {x[0] / 64, x[1] / 64};
      if (o.kind == Operand::Kind::matrix && i == j) x = {static_cast<T>(o.rows + o.cols), 0};
      if (i > j && o.kind == Operand::Kind::matrix) x[1] = -x[1];
      std::memcpy(o.at(i, j), x.data(), complex ? 2 * sizeof(T) : sizeof(T));
    }
}

/// The bytes of an operand's elements, without gaps.
inline std::vector<char> bytes_of(const Operand& o) {
  std::vector<char> all;
  for (std::int64_t j = 0; j < (o.kind == Operand::Kind::matrix ? o.cols : 1); ++j)
    for (std::int64_t i = 0; i < o.rows; ++i) all.insert(all.end(), o.at(i, j), o.at(i, j) + o.element);
  return all;
}

/// The operands by their place in the list, as the interface has them.
template <class E>
E* as(const Operand& o) {
  return static_cast<E*>(o.data);
}

/// A number in host memory that a routine sets.
inline std::int64_t* any_count() {
  thread_local std::int64_t count = 0;
  return &count;
}

// E: the interface's type of numbers, void for complex ones; T: that of their parts; `adjoint`: the transposition that
// Hermitian products and LAPACK take.
#define CALL(name, certified, list, ...)                                                                    \
  routines.push_back({#name, certified, Operands list,                                                      \
                      [=]([[maybe_unused]] accublas_context* context, [[maybe_unused]] const Operands& o) { \
                        return accublas_##name(context, __VA_ARGS__);                                       \
                      }})
#define AT(i) as<E>(o[i]), o[i].step

/// The routines that are named alike for real and for complex numbers; `vectors` is the layout of level 1's.
#define ACCUBLAS_TEST_ROUTINES(p, E_, T_, is_complex, orgqr_, ormqr_)                                                  \
  template <class Matrix, class Vector>                                                                                \
  void add_##p(std::vector<Routine>& routines, const Choice& c, Matrix matrix, Vector vector) {                        \
    using E = E_;                                                                                                      \
    using T = T_;                                                                                                      \
    constexpr std::size_t bytes = sizeof(T) * (is_complex ? 2 : 1);                                                    \
    const std::int64_t n = c.n, k = c.k, m = n + 1;                                                                    \
    static const T alpha[] = {T(0.75), 0}, beta[] = {T(-0.5), 0};                                                      \
    const accublas_transpose adjoint = is_complex ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_TRANS;                              \
    const accublas_transpose none = ACCUBLAS_NO_TRANS, ta = c.transposed_a ? adjoint : none,                           \
                             tb = c.transposed_b ? adjoint : none, symmetric = c.transposed_a ? ACCUBLAS_TRANS : none; \
    const auto by_trans = [&](bool transposed, std::int64_t rows, std::int64_t cols, bool written) {                   \
      return transposed ? matrix(cols, rows, written) : matrix(rows, cols, written);                                   \
    };                                                                                                                 \
    const Operand square = matrix(n, n, false), written_square = matrix(n, n, true), x = vector(n, false),             \
                  y = vector(n, true), of_b = matrix(n, k, false), written_b = matrix(n, k, true),                     \
                  pivots{Operand::Kind::pivots, n, 1, false, sizeof(std::int64_t), false},                             \
                  found{Operand::Kind::pivots, n, 1, true, sizeof(std::int64_t), false},                               \
                  info{Operand::Kind::pivots, 1, 1, true, sizeof(std::int64_t), false},                                \
                  tau{Operand::Kind::numbers, k, 1, false, bytes, false},                                              \
                  all_tau{Operand::Kind::numbers, n, 1, true, bytes, false},                                           \
                  values{Operand::Kind::numbers, n, 1, true, sizeof(T), false},                                        \
                  cluster{Operand::Kind::pivots, n, 1, true, sizeof(std::int64_t), false};                             \
    CALL(p##gemv, false, ({by_trans(c.transposed_a, m, n, false), x, vector(m, true)}), c.layout, ta,                  \
         c.transposed_a ? n : m, c.transposed_a ? m : n, alpha, AT(0), AT(1), beta, AT(2));                            \
    CALL(p##trmv, false, ({square, y}), c.layout, c.uplo, ta, c.diag, n, AT(0), AT(1));                                \
    CALL(p##trsv, false, ({square, y}), c.layout, c.uplo, ta, c.diag, n, AT(0), AT(1));                                \
    CALL(p##gemm, false,                                                                                               \
         ({by_trans(c.transposed_a, m, k, false), by_trans(c.transposed_b, k, n, false), matrix(m, n, true)}),         \
         c.layout, ta, tb, m, n, k, alpha, AT(0), AT(1), beta, AT(2));                                                 \
    CALL(p##gemm_strided_batched, false,                                                                               \
         ({by_trans(c.transposed_a, m, k, false), by_trans(c.transposed_b, k, n, false), matrix(m, n, true)}),         \
         c.layout, ta, tb, m, n, k, alpha, AT(0), 0, AT(1), 0, beta, AT(2), 0, 1);                                     \
    CALL(p##symm, false,                                                                                               \
         ({square, by_trans(c.side == ACCUBLAS_RIGHT, n, k, false), by_trans(c.side == ACCUBLAS_RIGHT, n, k, true)}),  \
         c.layout, c.side, c.uplo, c.side == ACCUBLAS_RIGHT ? k : n, c.side == ACCUBLAS_RIGHT ? n : k, alpha, AT(0),   \
         AT(1), beta, AT(2));                                                                                          \
    CALL(p##trmm, false, ({square, by_trans(c.side == ACCUBLAS_RIGHT, n, k, true)}), c.layout, c.side, c.uplo, ta,     \
         c.diag, c.side == ACCUBLAS_RIGHT ? k : n, c.side == ACCUBLAS_RIGHT ? n : k, alpha, AT(0), AT(1));             \
    CALL(p##trsm, false, ({square, by_trans(c.side == ACCUBLAS_RIGHT, n, k, true)}), c.layout, c.side, c.uplo, ta,     \
         c.diag, c.side == ACCUBLAS_RIGHT ? k : n, c.side == ACCUBLAS_RIGHT ? n : k, alpha, AT(0), AT(1));             \
    CALL(p##syrk, false, ({by_trans(c.transposed_a, n, k, false), written_square}), c.layout, c.uplo, symmetric, n, k, \
         alpha, AT(0), beta, AT(1));                                                                                   \
    CALL(p##syr2k, false,                                                                                              \
         ({by_trans(c.transposed_a, n, k, false), by_trans(c.transposed_a, n, k, false), written_square}), c.layout,   \
         c.uplo, symmetric, n, k, alpha, AT(0), AT(1), beta, AT(2));                                                   \
    CALL(p##gemmt, false,                                                                                              \
         ({by_trans(c.transposed_a, n, k, false), by_trans(c.transposed_b, k, n, false), written_square}), c.layout,   \
         c.uplo, ta, tb, n, k, alpha, AT(0), AT(1), beta, AT(2));                                                      \
    CALL(p##potrf, false, ({written_square, info}), c.layout, c.uplo, n, AT(0), as<std::int64_t>(o[1]));               \
    CALL(p##potrs, false, ({square, written_b}), c.layout, c.uplo, n, k, AT(0), AT(1));                                \
    CALL(p##posv, false, ({written_square, written_b, info}), c.layout, c.uplo, n, k, AT(0), AT(1),                    \
         as<std::int64_t>(o[2]));                                                                                      \
    CALL(p##getrf, false, ({matrix(m, n, true), found, info}), c.layout, m, n, AT(0), as<std::int64_t>(o[1]),          \
         as<std::int64_t>(o[2]));                                                                                      \
    CALL(p##getrs, false, ({square, pivots, written_b}), c.layout, ta, n, k, AT(0), as<std::int64_t>(o[1]), AT(2));    \
    CALL(p##gesv, false, ({written_square, found, written_b, info}), c.layout, n, k, AT(0), as<std::int64_t>(o[1]),    \
         AT(2), as<std::int64_t>(o[3]));                                                                               \
    CALL(p##trtri, false, ({written_square, info}), c.layout, c.uplo, c.diag, n, AT(0), as<std::int64_t>(o[1]));       \
    CALL(p##lauum, false, ({written_square}), c.layout, c.uplo, n, AT(0));                                             \
    CALL(p##potri, false, ({written_square, info}), c.layout, c.uplo, n, AT(0), as<std::int64_t>(o[1]));               \
    CALL(p##getri, false, ({written_square, pivots, info}), c.layout, n, AT(0), as<std::int64_t>(o[1]),                \
         as<std::int64_t>(o[2]));                                                                                      \
    CALL(p##geqrf, false, ({matrix(m, n, true), all_tau}), c.layout, m, n, AT(0), as<E>(o[1]));                        \
    CALL(p##orgqr_, false, ({matrix(m, n, true), tau}), c.layout, m, n, k, AT(0), as<E>(o[1]));                        \
    CALL(p##ormqr_, false, ({matrix(n, k, false), tau, by_trans(c.side == ACCUBLAS_RIGHT, n, k, true)}), c.layout,     \
         c.side, ta, c.side == ACCUBLAS_RIGHT ? k : n, c.side == ACCUBLAS_RIGHT ? n : k, k, AT(0), as<E>(o[1]),        \
         AT(2));                                                                                                       \
    CALL(p##gels, false, ({by_trans(c.transposed_b, m, n, true), matrix(m, k, true), info}), c.layout, ta,             \
         c.transposed_b ? n : m, c.transposed_b ? m : n, k, AT(0), AT(1), as<std::int64_t>(o[2]));                     \
    CALL(p##gesv_certified, true, ({square, of_b, written_b, written_b}), c.layout, n, k, AT(0), AT(1), AT(2), AT(3),  \
         nullptr);                                                                                                     \
    CALL(p##posv_certified, true, ({square, of_b, written_b, written_b}), c.layout, c.uplo, n, k, AT(0), AT(1), AT(2), \
         AT(3), nullptr);                                                                                              \
    CALL(p##gesvd_certified, true,                                                                                     \
         ({matrix(m, n, false), values, values, matrix(m, n, true), written_square, values, cluster}), c.layout,       \
         ACCUBLAS_VECTORS, m, n, AT(0), as<T>(o[1]), as<T>(o[2]), AT(3), AT(4), as<T>(o[5]), as<std::int64_t>(o[6]),   \
         nullptr);                                                                                                     \
  }
ACCUBLAS_TEST_ROUTINES(d, double, double, false, orgqr, ormqr)
ACCUBLAS_TEST_ROUTINES(s, float, float, false, orgqr, ormqr)
ACCUBLAS_TEST_ROUTINES(z, void, double, true, ungqr, unmqr)
ACCUBLAS_TEST_ROUTINES(c, void, float, true, ungqr, unmqr)

/// Those that real numbers have alone, r the letter of the norms.
#define ACCUBLAS_TEST_REAL_ROUTINES(p, T)                                                                            \
  template <class Matrix, class Vector>                                                                              \
  void add_real_##p(std::vector<Routine>& routines, const Choice& c, Matrix matrix, Vector vector) {                 \
    using E = T;                                                                                                     \
    const std::int64_t n = c.n, m = n + 1;                                                                           \
    static const T alpha[] = {T(0.75), 0}, beta[] = {T(-0.5), 0};                                                    \
    const Operand square = matrix(n, n, false), written_square = matrix(n, n, true), x = vector(n, false),           \
                  y = vector(n, true), result{Operand::Kind::numbers, 1, 1, true, sizeof(T), false},                 \
                  values{Operand::Kind::numbers, n, 1, true, sizeof(T), false},                                      \
                  cluster{Operand::Kind::pivots, n, 1, true, sizeof(std::int64_t), false};                           \
    CALL(p##dot, false, ({x, x, result}), n, AT(0), AT(1), as<E>(o[2]));                                             \
    CALL(p##nrm2, false, ({x, result}), n, AT(0), as<E>(o[1]));                                                      \
    CALL(p##asum, false, ({x, result}), n, AT(0), as<E>(o[1]));                                                      \
    CALL(p##symv, false, ({square, x, y}), c.layout, c.uplo, n, alpha, AT(0), AT(1), beta, AT(2));                   \
    CALL(p##ger, false, ({vector(m, false), x, matrix(m, n, true)}), c.layout, m, n, alpha, AT(0), AT(1), AT(2));    \
    CALL(p##syr, false, ({x, written_square}), c.layout, c.uplo, n, alpha, AT(0), AT(1));                            \
    CALL(p##syr2, false, ({x, x, written_square}), c.layout, c.uplo, n, alpha, AT(0), AT(1), AT(2));                 \
    CALL(p##syev_certified, true, ({square, values, values, written_square, values, cluster}), c.layout,             \
         ACCUBLAS_VECTORS, c.uplo, n, AT(0), as<T>(o[1]), as<T>(o[2]), AT(3), as<T>(o[4]), as<std::int64_t>(o[5]),   \
         nullptr);                                                                                                   \
    CALL(p##syevx_certified, true, ({square, values, values, written_square, values, cluster}), c.layout,            \
         ACCUBLAS_VECTORS, ACCUBLAS_ALL, c.uplo, n, AT(0), 0, 0, 0, 0, any_count(), as<T>(o[1]), as<T>(o[2]), AT(3), \
         as<T>(o[4]), as<std::int64_t>(o[5]), nullptr);                                                              \
    CALL(p##sygv_certified, true, ({square, square, values, values, written_square, values, cluster}), c.layout,     \
         ACCUBLAS_VECTORS, c.uplo, n, AT(0), AT(1), as<T>(o[2]), as<T>(o[3]), AT(4), as<T>(o[5]),                    \
         as<std::int64_t>(o[6]), nullptr);                                                                           \
  }
ACCUBLAS_TEST_REAL_ROUTINES(d, double)
ACCUBLAS_TEST_REAL_ROUTINES(s, float)

#define ACCUBLAS_TEST_COMPLEX_ROUTINES(p, norm, sum, T_)                                                               \
  template <class Matrix, class Vector>                                                                                \
  void add_complex_##p(std::vector<Routine>& routines, const Choice& c, Matrix matrix, Vector vector) {                \
    using E = void;                                                                                                    \
    using T = T_;                                                                                                      \
    const std::int64_t n = c.n, k = c.k, m = n + 1;                                                                    \
    static const T alpha[] = {T(0.75), 0}, beta[] = {T(-0.5), 0};                                                      \
    const accublas_transpose ta = c.transposed_a ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_NO_TRANS;                            \
    const auto by_trans = [&](bool transposed, std::int64_t rows, std::int64_t cols, bool written) {                   \
      return transposed ? matrix(cols, rows, written) : matrix(rows, cols, written);                                   \
    };                                                                                                                 \
    const Operand square = matrix(n, n, false), written_square = matrix(n, n, true), x = vector(n, false),             \
                  y = vector(n, true), number{Operand::Kind::numbers, 1, 1, true, 2 * sizeof(T), false},               \
                  real{Operand::Kind::numbers, 1, 1, true, sizeof(T), false},                                          \
                  values{Operand::Kind::numbers, n, 1, true, sizeof(T), false},                                        \
                  cluster{Operand::Kind::pivots, n, 1, true, sizeof(std::int64_t), false};                             \
    CALL(p##dotu, false, ({x, x, number}), n, AT(0), AT(1), as<E>(o[2]));                                              \
    CALL(p##dotc, false, ({x, x, number}), n, AT(0), AT(1), as<E>(o[2]));                                              \
    CALL(norm, false, ({x, real}), n, AT(0), as<T>(o[1]));                                                             \
    CALL(sum, false, ({x, real}), n, AT(0), as<T>(o[1]));                                                              \
    CALL(p##hemv, false, ({square, x, y}), c.layout, c.uplo, n, alpha, AT(0), AT(1), beta, AT(2));                     \
    CALL(p##geru, false, ({vector(m, false), x, matrix(m, n, true)}), c.layout, m, n, alpha, AT(0), AT(1), AT(2));     \
    CALL(p##gerc, false, ({vector(m, false), x, matrix(m, n, true)}), c.layout, m, n, alpha, AT(0), AT(1), AT(2));     \
    CALL(p##her, false, ({x, written_square}), c.layout, c.uplo, n, alpha, AT(0), AT(1));                              \
    CALL(p##her2, false, ({x, x, written_square}), c.layout, c.uplo, n, alpha, AT(0), AT(1), AT(2));                   \
    CALL(p##hemm, false,                                                                                               \
         ({square, by_trans(c.side == ACCUBLAS_RIGHT, n, k, false), by_trans(c.side == ACCUBLAS_RIGHT, n, k, true)}),  \
         c.layout, c.side, c.uplo, c.side == ACCUBLAS_RIGHT ? k : n, c.side == ACCUBLAS_RIGHT ? n : k, alpha, AT(0),   \
         AT(1), beta, AT(2));                                                                                          \
    CALL(p##herk, false, ({by_trans(c.transposed_a, n, k, false), written_square}), c.layout, c.uplo, ta, n, k, alpha, \
         AT(0), beta, AT(1));                                                                                          \
    CALL(p##her2k, false,                                                                                              \
         ({by_trans(c.transposed_a, n, k, false), by_trans(c.transposed_a, n, k, false), written_square}), c.layout,   \
         c.uplo, ta, n, k, alpha, AT(0), AT(1), beta, AT(2));                                                          \
    CALL(p##heev_certified, true, ({square, values, values, written_square, values, cluster}), c.layout,               \
         ACCUBLAS_VECTORS, c.uplo, n, AT(0), as<T>(o[1]), as<T>(o[2]), AT(3), as<T>(o[4]), as<std::int64_t>(o[5]),     \
         nullptr);                                                                                                     \
    CALL(p##heevx_certified, true, ({square, values, values, written_square, values, cluster}), c.layout,              \
         ACCUBLAS_VECTORS, ACCUBLAS_ALL, c.uplo, n, AT(0), 0, 0, 0, 0, any_count(), as<T>(o[1]), as<T>(o[2]), AT(3),   \
         as<T>(o[4]), as<std::int64_t>(o[5]), nullptr);                                                                \
    CALL(p##hegv_certified, true, ({square, square, values, values, written_square, values, cluster}), c.layout,       \
         ACCUBLAS_VECTORS, c.uplo, n, AT(0), AT(1), as<T>(o[2]), as<T>(o[3]), AT(4), as<T>(o[5]),                      \
         as<std::int64_t>(o[6]), nullptr);                                                                             \
  }
ACCUBLAS_TEST_COMPLEX_ROUTINES(z, dznrm2, dzasum, double)
ACCUBLAS_TEST_COMPLEX_ROUTINES(c, scnrm2, scasum, float)

/// DSDOT and SDSDOT, whose vectors are of single precision.
template <class Vector>
void add_mixed(std::vector<Routine>& routines, const Choice& c, Vector vector, bool single) {
  using E = float;
  const std::int64_t n = c.n;
  static const float addend = 0.25f;
  const Operand x = vector(n, false);
  const Operand result{Operand::Kind::numbers, 1, 1, true, single ? sizeof(float) : sizeof(double), false};
  if (single)
    CALL(sdsdot, false, ({x, x, result}), n, &addend, AT(0), AT(1), as<float>(o[2]));
  else
    CALL(dsdot, false, ({x, x, result}), n, AT(0), AT(1), as<double>(o[2]));
}

#undef CALL
#undef AT
#undef ACCUBLAS_TEST_ROUTINES
#undef ACCUBLAS_TEST_REAL_ROUTINES
#undef ACCUBLAS_TEST_COMPLEX_ROUTINES

/// Every routine whose numbers have parts in T, real and complex, with one choice of the other arguments.
template <class T>
std::vector<Routine> routines(const Choice& c) {
  const auto matrices = [&](std::size_t bytes) {
    return [&c, bytes](std::int64_t rows, std::int64_t cols, bool written) {
      Operand o{Operand::Kind::matrix, rows, cols, written, bytes, c.layout == ACCUBLAS_ROW_MAJOR};
      o.step = o.least_step();
      return o;
    };
  };
  const auto vectors = [](std::size_t bytes) {
    return [bytes](std::int64_t count, bool written) {
      return Operand{Operand::Kind::vector, count, 1, written, bytes, false};
    };
  };
  std::vector<Routine> all;
  if constexpr (sizeof(T) == sizeof(double)) {
    add_d(all, c, matrices(sizeof(T)), vectors(sizeof(T)));
    add_z(all, c, matrices(2 * sizeof(T)), vectors(2 * sizeof(T)));
    add_real_d(all, c, matrices(sizeof(T)), vectors(sizeof(T)));
    add_complex_z(all, c, matrices(2 * sizeof(T)), vectors(2 * sizeof(T)));
  } else {
    add_s(all, c, matrices(sizeof(T)), vectors(sizeof(T)));
    add_c(all, c, matrices(2 * sizeof(T)), vectors(2 * sizeof(T)));
    add_real_s(all, c, matrices(sizeof(T)), vectors(sizeof(T)));
    add_complex_c(all, c, matrices(2 * sizeof(T)), vectors(2 * sizeof(T)));
  }
  add_mixed(all, c, vectors(sizeof(float)), sizeof(T) == sizeof(float));
  return all;
}

}  // namespace every_routine
