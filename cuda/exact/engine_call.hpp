// A GEMM call as the engines see it: the operands in the engine's coordinates, and the arrays of their lines. It needs
// no CUDA header, so that plans of calls are made and tested without a GPU.
#pragma once

#include "cuda/core/call_state.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/scalar_argument.hpp"
#include "cuda/core/wanted.hpp"
#include "cuda/exact/open_elements.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/backend.hpp"

namespace accublas::cuda {

/// The columns' side runs along C's unit stride: the transposed product where C is column-major.
template <class T>
struct EngineCall {
  Operand<T> rows, cols;
  Matrix<T> at;
  Scalar<T> alpha, beta;
  /// Where C's columns of the engine are parts of complex numbers.
  RowPairs pairs_of_columns;
  Wanted wanted;
  KnownZeros zeros;  ///< A is the rows' side
  bool transposed;   ///< the rows' side is B
  bool grouped;      ///< the operands have no data (cuda/core/call_group.hpp)

  explicit EngineCall(const Call<Gemm<T>, T>& call, bool of_group = false) : grouped(of_group) {
    const Gemm<T>& g = call.problem;
    const Operand<T> a{g.a.data, g.a.row_stride, g.a.col_stride, g.m, g.k};
    const Operand<T> b{g.b.data, g.b.col_stride, g.b.row_stride, g.n, g.k};
    transposed = g.c.row_stride == 1 && g.m > 1;
    rows = transposed ? b : a;
    cols = transposed ? a : b;
    at = transposed ? g.c.transposed() : g.c;
    alpha = device_scalar(call.alpha);
    beta = device_scalar(call.beta);
    pairs_of_columns = transposed ? g.row_pairs : RowPairs::none;
    wanted.part = transposed ? accublas::transposed(g.wanted) : g.wanted;
    wanted.parts = pairs_of_columns == RowPairs::none ? 1 : 2;
    wanted.real_diagonal = g.real_diagonal;
    zeros = transposed ? g.transposed().zeros : g.zeros;
    if (g.numbers_as_stored) {
      rows.term_pairs = cols.term_pairs = cols.line_pairs = 1;
      const auto sign = [](bool negative, int line, int term) { return (negative ? 1 : 0) << (2 * line + term); };
      cols.negative = static_cast<std::uint8_t>(sign(g.conjugate_a == g.conjugate_b, 0, 1) | sign(g.conjugate_a, 1, 0) |
                                                sign(g.conjugate_b, 1, 1));
    }
  }

  /// Both sides have the same lines, as in SYRK; of complex residues, whose columns are numbers, but for conjugation.
  bool same_lines(ResidueKind residues = ResidueKind::real) const {
    return !grouped && rows.same_entries(residues == ResidueKind::complex ? cols.numbers() : cols);
  }
};

/// Words of a line's bitmap of nonzero entries.
constexpr std::size_t nonzero_words(Index k) { return static_cast<std::size_t>(ceil_div(k, 64)); }

template <class T>
Lines take_lines(Carver& carver, const Operand<T>& operand, bool keep_nonzero) {
  const std::size_t count = static_cast<std::size_t>(padded_lines(operand.count));
  Lines l{};
  l.count = operand.count;
  l.k = operand.k;
  l.words = static_cast<Index>(nonzero_words(operand.k));
  l.exponent = carver.take<std::int32_t>(count);
  l.last_bit = carver.take<std::int32_t>(count);
  l.norm = carver.take<double>(count);
  l.lambda = carver.take<double>(count);
  l.special = carver.take<std::uint8_t>(count);
  if (keep_nonzero) l.nonzero = carver.take<std::uint64_t>(count * nonzero_words(operand.k));
  return l;
}

/// Returns how many elements of C the call computes; a complex one counts twice.
template <class T>
Index certified_elements(const EngineCall<T>& call) {
  const Wanted& wanted = call.wanted;
  return wanted.all() ? call.rows.count * call.cols.count
                      : wanted.parts * elements_in(wanted.part, call.rows.count, call.rows.count);
}

/// The bitmap of open elements.
template <class T>
std::size_t open_words(const EngineCall<T>& call) {
  return static_cast<std::size_t>(call.rows.count * OpenBits::words_per_row(call.cols.count));
}
template <class T>
std::uint32_t* take_open(Carver& carver, const EngineCall<T>& call) {
  return carver.take<std::uint32_t>(open_words(call));
}

/// Whether the bitmaps of nonzero entries, a 64th of the operands' size in double, are worth their part of the
/// workspace.
template <class T>
bool keeps_nonzero(const EngineCall<T>& call, std::size_t cap) {
  const Index lines = padded_lines(call.rows.count) + padded_lines(call.cols.count);
  return static_cast<std::size_t>(lines) * nonzero_words(call.rows.k) * sizeof(std::uint64_t) < cap / 8;
}

}  // namespace accublas::cuda
