// Calls of the library on this process's own matrices, column-major. A failure ends all processes.
#pragma once

#include <memory>
#include <new>

#include "c_api/pblas/grid.hpp"
#include "c_api/pblas/layout.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::pblas {

/// Calls the library's function of the type of `E`.
#define ACCUBLAS_PBLAS_BY_TYPE(E, stem, ...)                                                         \
  [&] {                                                                                              \
    if constexpr (is_complex<E>)                                                                     \
      return is_single_precision<E> ? accublas_c##stem(__VA_ARGS__) : accublas_z##stem(__VA_ARGS__); \
    else if constexpr (is_single_precision<E>)                                                       \
      return accublas_s##stem(__VA_ARGS__);                                                          \
    else                                                                                             \
      return accublas_d##stem(__VA_ARGS__);                                                          \
  }()

/// The name of the PBLAS routine for messages, and the mode in which its local calls run.
struct Caller {
  const char* name;
  Mode mode;

  Caller in(const Mode& other) const { return {name, other}; }
  accublas_options options() const {
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.mode = mode.kind;
    options.mode_parameter = mode.parameter;
    options.mode_flags = (mode.fast ? ACCUBLAS_MODE_FAST : 0) | (mode.reproducible ? ACCUBLAS_MODE_REPRODUCIBLE : 0);
    return options;
  }
};

/// An operand in this process's memory, as stored: the product uses op(A).
template <class E>
struct Stored {
  const E* data;
  std::int64_t ld;
  accublas_transpose trans;

  bool plain() const { return trans == ACCUBLAS_NO_TRANS; }
  /// Returns the operand from row i and column p of op(A) on.
  Stored from(std::int64_t i, std::int64_t p) const { return {data + (plain() ? i + p * ld : p + i * ld), ld, trans}; }
  /// Returns op(A) without a conjugation.
  Matrix<const E> matrix() const { return {data, plain() ? 1 : ld, plain() ? ld : 1}; }
};

/// C = alpha op(A) op(B) + beta C, C m x n.
template <class E>
void local_gemm(const Caller& by, std::int64_t m, std::int64_t n, std::int64_t k, E alpha, const Stored<E>& a,
                const Stored<E>& b, E beta, E* c, std::int64_t ldc) {
  if (m == 0 || n == 0) return;
  const accublas_options options = by.options();
  require(by.name, ACCUBLAS_PBLAS_BY_TYPE(E, gemm_ex, nullptr, ACCUBLAS_COL_MAJOR, a.trans, b.trans, m, n, k, &alpha,
                                          a.data, a.ld, b.data, b.ld, &beta, c, ldc, &options));
}

/// Memory whose elements have no value yet.
template <class E>
struct Buffer {
  std::unique_ptr<E[]> data;
  std::int64_t rows = 0, cols = 0;

  Buffer() = default;
  Buffer(const char* routine, std::int64_t rows, std::int64_t cols) : rows(rows), cols(cols) {
    data.reset(new (std::nothrow) E[static_cast<std::size_t>(rows * cols)]);
    if (!data) fail(routine, "out of memory for the panels of the operands; ACCUBLAS_PBLAS_MIB sets their size");
  }
  std::int64_t ld() const { return rows > 0 ? rows : 1; }
  E& operator()(std::int64_t i, std::int64_t j) { return data[static_cast<std::size_t>(i + j * ld())]; }
};

}  // namespace accublas::pblas
