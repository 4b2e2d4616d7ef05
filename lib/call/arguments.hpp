// Argument checks, once for the C interface and the drop-in: a check names the first bad argument in netlib's order of
// testing and gives its number in the Fortran interface (CBLAS's number is one more; the layout is CBLAS's argument 1,
// so 0 here). The C interface turns that into a status and a message, the drop-in into xerbla's arguments.
#pragma once

#include <cstdint>

#include "include/accublas.h"

namespace accublas {

struct BadArgument {
  const char* name = nullptr;  ///< as in accublas.h; null: all arguments are good
  int number = 0;              ///< position in netlib's Fortran interface, from 1
  /// What the argument must be, if its name does not say that.
  const char* allowed = nullptr;
  explicit constexpr operator bool() const { return name != nullptr; }
};

constexpr bool valid(accublas_layout layout) { return layout == ACCUBLAS_ROW_MAJOR || layout == ACCUBLAS_COL_MAJOR; }

constexpr bool valid_transpose(accublas_transpose trans) {
  return trans >= ACCUBLAS_NO_TRANS && trans <= ACCUBLAS_CONJ_TRANS;
}

/// Whether `count` steps of a stride of elements exceed every address space. Addresses then wrap, so that any two of
/// them may coincide.
constexpr bool beyond_addresses(std::uint64_t stride, std::int64_t count) {
  return count > 1 && stride > (std::uint64_t{1} << 59) / static_cast<std::uint64_t>(count - 1);
}

/// The product of nonnegative numbers, or `most` if it is larger.
constexpr std::int64_t product_up_to(std::int64_t most, std::int64_t a, std::int64_t b) {
  return b != 0 && a > most / b ? most : a * b;
}

/// Whether a matrix that is stored rows x cols cannot have the leading dimension `ld`, because its columns (row-major:
/// rows) would overlap, or because a larger dimension than the least one would take it beyond every address space.
/// Matrices of such a size are no matter of `ld`, and LAPACK's queries of workspaces accept them.
constexpr bool bad_ld(accublas_layout layout, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  const bool by_columns = layout == ACCUBLAS_COL_MAJOR;
  const std::int64_t length = by_columns ? rows : cols, count = by_columns ? cols : rows;
  if (ld < 1 || ld < length) return true;
  return length > 0 && ld > length && beyond_addresses(static_cast<std::uint64_t>(ld), count);
}

/// xGEMM(TRANSA, TRANSB, M, N, K, ALPHA, A, LDA, B, LDB, BETA, C, LDC)
constexpr BadArgument check_gemm(accublas_layout layout, accublas_transpose transa, accublas_transpose transb,
                                 std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t lda, std::int64_t ldb,
                                 std::int64_t ldc) {
  if (!valid(layout)) return {"layout", 0};
  if (!valid_transpose(transa)) return {"transa", 1};
  if (!valid_transpose(transb)) return {"transb", 2};
  if (m < 0) return {"m", 3};
  if (n < 0) return {"n", 4};
  if (k < 0) return {"k", 5};
  const bool plain_a = transa == ACCUBLAS_NO_TRANS, plain_b = transb == ACCUBLAS_NO_TRANS;
  if (bad_ld(layout, plain_a ? m : k, plain_a ? k : m, lda)) return {"lda", 8};
  if (bad_ld(layout, plain_b ? k : n, plain_b ? n : k, ldb)) return {"ldb", 10};
  if (bad_ld(layout, m, n, ldc)) return {"ldc", 13};
  return {};
}

/// xGEMV(TRANS, M, N, ALPHA, A, LDA, X, INCX, BETA, Y, INCY)
constexpr BadArgument check_gemv(accublas_layout layout, accublas_transpose trans, std::int64_t m, std::int64_t n,
                                 std::int64_t lda, std::int64_t incx, std::int64_t incy) {
  if (!valid(layout)) return {"layout", 0};
  if (!valid_transpose(trans)) return {"trans", 1};
  if (m < 0) return {"m", 2};
  if (n < 0) return {"n", 3};
  if (bad_ld(layout, m, n, lda)) return {"lda", 6};
  if (incx == 0) return {"incx", 8};
  if (incy == 0) return {"incy", 11};
  return {};
}

/// xDOT(N, X, INCX, Y, INCY) has no bad argument in netlib's version; a zero increment repeats the first element.

/// Whether two elements of an m x n array with these strides share an address.
constexpr bool elements_coincide(std::int64_t m, std::int64_t n, std::int64_t row_stride, std::int64_t col_stride) {
  const std::uint64_t r = row_stride < 0 ? 0 - static_cast<std::uint64_t>(row_stride) : row_stride;
  const std::uint64_t c = col_stride < 0 ? 0 - static_cast<std::uint64_t>(col_stride) : col_stride;
  if (m < 1 || n < 1) return false;
  if ((m > 1 && r == 0) || (n > 1 && c == 0) || beyond_addresses(r, m) || beyond_addresses(c, n)) return true;
  if (m == 1 || n == 1) return false;
  std::uint64_t g = r, rest = c;
  while (rest) {
    const std::uint64_t next = g % rest;
    g = rest;
    rest = next;
  }
  // i r = j c has its least solution at i = c / g, j = r / g.
  return c / g < static_cast<std::uint64_t>(m) && r / g < static_cast<std::uint64_t>(n);
}

/// Checks the strided form. Positions count in its own argument list, after the context.
constexpr BadArgument check_gemm_strided(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t rsc,
                                         std::int64_t csc) {
  if (m < 0) return {"m", 1};
  if (n < 0) return {"n", 2};
  if (k < 0) return {"k", 3};
  if (elements_coincide(m, n, rsc, csc)) return {rsc == 0 ? "rsc" : csc == 0 ? "csc" : "rsc, csc", 13};
  return {};
}

/// Whether two elements of a batch share an address. Matrix i has cols columns (if C is stored by columns, else rows)
/// of `length` adjacent elements, ld >= length apart, and begins at i stride. Other matrices may lie in the gaps.
constexpr bool matrices_coincide(std::int64_t count, std::int64_t stride, std::int64_t length, std::int64_t cols,
                                 std::int64_t ld) {
  if (count < 2 || length < 1 || cols < 1) return false;
  const std::uint64_t s = stride < 0 ? 0 - static_cast<std::uint64_t>(stride) : static_cast<std::uint64_t>(stride);
  if (s == 0 || beyond_addresses(s, count)) return true;
  // `reach` is the distance from the first element of a matrix to beyond its last one. If it exceeds 63 bits, the
  // arrays cannot exist.
  const std::uint64_t l = static_cast<std::uint64_t>(ld), n = static_cast<std::uint64_t>(length);
  if (cols > 1 && l > (std::uint64_t{1} << 62) / static_cast<std::uint64_t>(cols - 1)) return false;
  const std::uint64_t reach = static_cast<std::uint64_t>(cols - 1) * l + n;
  // Matrices that are d apart overlap if d s is within n - 1 of a multiple of ld that leads from column to column.
  for (std::uint64_t d = 1; d < static_cast<std::uint64_t>(count) && d <= (reach - 1) / s; ++d) {
    const std::uint64_t column = d * s / l, rest = d * s % l;
    if (column < static_cast<std::uint64_t>(cols) && rest < n) return true;
    if (column + 1 < static_cast<std::uint64_t>(cols) && l - rest < n) return true;
  }
  return false;
}

/// Checks the batched forms: GEMM's arguments, then those of the batch. `layout` is valid. stride_c is null if results
/// are given by pointers.
constexpr BadArgument check_gemm_batch(accublas_layout layout, std::int64_t m, std::int64_t n, std::int64_t ldc,
                                       const std::int64_t* stride_c, std::int64_t batch_count) {
  if (batch_count < 0) return {"batch_count", stride_c ? 17 : 15};
  const bool by_columns = layout == ACCUBLAS_COL_MAJOR;
  if (stride_c && matrices_coincide(batch_count, *stride_c, by_columns ? m : n, by_columns ? n : m, ldc))
    return {"stride_c", 16};
  return {};
}

constexpr BadArgument check_gemv_strided(std::int64_t m, std::int64_t n, std::int64_t incx, std::int64_t incy) {
  if (m < 0) return {"m", 1};
  if (n < 0) return {"n", 2};
  if (incx == 0) return {"incx", 8};
  if (incy == 0) return {"incy", 11};
  return {};
}

}  // namespace accublas
