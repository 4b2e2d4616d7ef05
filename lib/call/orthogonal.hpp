// A call of LAPACK's QR factorization, of a routine that uses its reflectors, or of GELS.
#pragma once

#include <algorithm>

#include "lib/call/arguments.hpp"
#include "lib/call/problem.hpp"
#include "lib/call/routine.hpp"

namespace accublas {

/// All arguments that are not elements of the matrices. An argument that a routine lacks has its default value. ORMQR's
/// C and GELS's B are `c`.
struct OrthogonalShape {
  Operation kind;
  bool complex;
  accublas_side side = ACCUBLAS_LEFT;
  accublas_transpose trans = ACCUBLAS_NO_TRANS;
  std::int64_t m = 0, n = 0, k = 0, nrhs = 0, lda = 0, ldc = 0;

  std::int64_t rows() const { return m; }
  std::int64_t cols() const { return n; }
  std::int64_t inner() const { return kind == Operation::gels ? nrhs : reflectors(); }
  std::int64_t a_rows() const { return kind == Operation::ormqr ? (side == ACCUBLAS_LEFT ? m : n) : m; }
  std::int64_t a_cols() const { return kind == Operation::ormqr ? k : n; }
  std::int64_t c_rows() const { return kind == Operation::gels ? std::max(m, n) : m; }
  std::int64_t c_cols() const { return kind == Operation::gels ? nrhs : n; }
  bool has_tau() const { return kind != Operation::gels; }
  bool has_c() const { return kind == Operation::ormqr || kind == Operation::gels; }
  std::int64_t reflectors() const { return kind == Operation::geqrf || kind == Operation::gels ? std::min(m, n) : k; }

  /// These functions return LAPACK's least workspace, in numbers, and one that suffices for its blocks of 64 columns. A
  /// workspace beyond every address space is 2^62 numbers.
  std::int64_t least_work() const { return kind == Operation::geqrf && m == 0 ? 1 : work(1); }
  std::int64_t work_for_blocks() const { return std::min(work(64) + 64 * 65, std::int64_t{1} << 62); }

 private:
  std::int64_t work(std::int64_t columns) const {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    const std::int64_t order = std::min({m, n, most});
    const std::int64_t lines = kind == Operation::gels                              ? std::max(order, nrhs)
                               : kind == Operation::ormqr && side == ACCUBLAS_RIGHT ? m
                                                                                    : n;
    const std::int64_t numbers = product_up_to(most, lines, columns), more = kind == Operation::gels ? order : 0;
    return std::clamp<std::int64_t>(numbers + std::min(more, most - numbers), 1, most);
  }
};

/// Checks the arguments in LAPACK's order: side and trans, m, n, k or nrhs, a, lda, tau, c or b, ldc or ldb, work,
/// lwork, as many as the routine has. As in LAPACK, trans is 'T' for real matrices alone and 'C' for complex ones. The
/// function returns the number of GELS's lwork if all arguments before it are good and `work_too_small` holds; the C
/// interface has no lwork.
constexpr BadArgument check_orthogonal(accublas_layout layout, const OrthogonalShape& s, bool work_too_small = false) {
  using enum Operation;
  if (!valid(layout)) return {"layout", 0};
  int number = 0;
  const accublas_transpose adjoint = s.complex ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_TRANS;
  if (s.kind == ormqr && (++number, s.side != ACCUBLAS_LEFT && s.side != ACCUBLAS_RIGHT)) return {"side", number};
  if (s.has_c() && (++number, s.trans != ACCUBLAS_NO_TRANS && s.trans != adjoint)) return {"trans", number};
  if (++number; s.m < 0) return {"m", number};
  if (++number; s.n < 0 || (s.kind == orgqr && s.n > s.m))
    return {"n", number, s.kind == orgqr ? "from 0 to m" : nullptr};
  const std::int64_t most = s.kind == orgqr ? s.n : s.a_rows();
  if ((s.kind == orgqr || s.kind == ormqr) && (++number, s.k < 0 || s.k > most))
    return {"k", number, s.kind == ormqr && s.side == ACCUBLAS_LEFT ? "from 0 to m" : "from 0 to n"};
  if (s.kind == gels && (++number, s.nrhs < 0)) return {"nrhs", number};
  number += 2;  // a
  if (bad_ld(layout, s.a_rows(), s.a_cols(), s.lda)) return {"lda", number};
  if (s.has_tau()) ++number;
  if (s.has_c() && (number += 2, bad_ld(layout, s.c_rows(), s.c_cols(), s.ldc)))
    return {s.kind == gels ? "ldb" : "ldc", number};
  if (work_too_small) return {"lwork", number + 2};
  return {};
}

/// A call of an orthogonal routine. The matrices are views of the caller's.
template <class E>
struct Orthogonal : OrthogonalShape {
  Matrix<E> a{}, c{};
  bool by_rows = false;  ///< the caller's layout
  E* tau = nullptr;
  std::int64_t* info = nullptr;  ///< LAPACK's, where no argument is bad
  E* work = nullptr;             ///< of LAPACK's call alone
  std::int64_t lwork = 0;

  Routine routine() const { return {kind, type_of<E>}; }
};

}  // namespace accublas
