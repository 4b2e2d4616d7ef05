// The interface of the inner loops of cr's DOT, GEMV and GEMM, one table per instruction set. Tables may differ in the
// sums and error bounds that they return, never in what holds of them: the exact inner product lies within `error` of
// the sum.
#pragma once

#include <cstdint>

#include "lib/base/integers.hpp"
#include "lib/call/problem.hpp"
#include "lib/cpu/kernels/kernel_tables.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/triple_sum.hpp"

namespace accublas::cpu {

/// The most rows of one panel of `columns`: long runs of each column keep the hardware's prefetching going.
constexpr Index cr_panel = 2048;
/// Doubles of scratch that `columns` needs for m rows.
constexpr Index cr_scratch(Index m) { return 8 * (round_up(m, 8)); }

/// How much a pass keeps of each product: all that cr can use, or what decides rows of condition numbers up to 1e6 or
/// so, in half the time. The errors of `swift` are at most Grid::swift_loss times those of `full`, except in GEMM of
/// float, where `swift` keeps plain sums. GEMM also has `compensated` sums, whose errors are relative to the sum of the
/// magnitudes of the element's own products, and rows have `deep` sums, for terms that cancel nearly all that `full`
/// keeps (those of float are as in `full`). Rows of float have `plain` sums, which double precision rounds.
enum class Speed { full, swift, compensated, deep, plain };

/// Facts about the rows of op(A), or the columns of op(B), in a panel.
struct CrLines {
  double* largest;         ///< largest magnitude; NaN where an entry is Inf or NaN
  double* last_bit;        ///< power of two of which every entry is a multiple; 2^1023 where all are zero
  std::uint64_t* nonzero;  ///< bit p % 64 of word p / 64: entry p is not zero; words of the panel's lines side by side
};

/// Powers of two of which all entries of each row, and all of x, are multiples, as in CrLines. They show which sums
/// lost nothing: those have an error of zero. Without `rows` nothing is known.
struct LastBits {
  const double* rows = nullptr;
  double x = 0;
};

/// A tile of GEMM, `lines` x `cols` elements by columns. Chains run over all of k.
template <class T>
struct CrTile {
  Index k, rows;                  ///< rows: how many are wanted
  const double *a, *b;            ///< a panel of op(A), and one of op(B) from the tile's first column on
  CrLines row, col;               ///< theirs
  double base1, base2, quantum2;  ///< of a Grid with k <= 2^(headroom - 1)
  double error;                   ///< bound of the error of k products, by the speed: over the limit of a chain, over
                                  ///< the largest product of two magnitudes, or over the sum of magnitudes
  bool combine;             ///< abs(alpha), and abs(beta) if it is not 0, are within 2^+-200: else all is left open
  bool alpha_power_of_two;  ///< or its negative
  double alpha, beta;
  const T* addend;            ///< c; read where beta is not 0
  T* out;                     ///< RN(alpha S + beta c)
  double *high, *low, *rest;  ///< S lies within `rest` of high + low; written for elements that are left open
  /// Not null: S is this sum times these powers of two of the element's row and column.
  const double *row_unscale = nullptr, *col_unscale = nullptr;
};

/// Powers of two, two for each line of a panel, whose product need not be a double.
struct CrScale {
  static constexpr int most_lines = 16;
  double first[most_lines], second[most_lines];
};

/// How the entries of a panel change.
struct CrChange {
  /// Not null: entries are scaled by it, below 1 in magnitude then, and rounded by `magic` as FixedScale says.
  const CrScale* scale = nullptr;
  double magic = 0;
  bool swapped = false;              ///< terms 2 p and 2 p + 1 change places
  bool negated[2] = {false, false};  ///< even and odd terms as they come out
};

/// Operations on panels, which hold doubles whatever the type. If a panel has `count` lines, the others may hold
/// anything.
struct CrPanelKernels {
  void (*measure)(Index k, Index count, const double* panel, const CrLines& lines);
  /// Writes the changed panel and measures it. `to` may be `from` if nothing is swapped.
  void (*change)(Index k, Index count, const double* from, const CrChange& change, double* to, const CrLines& lines);
  /// largest[i] and last_bit[i], as in CrLines, take k more terms of line i; an Inf or a NaN makes largest[i] NaN.
  void (*survey)(Index k, Index count, const double* panel, double* largest, double* last_bit);
  /// sums[i] += sum_p ceil(abs(x_ip) scale_i): exact below 2^53.
  void (*ceilings)(Index k, Index count, const double* panel, const CrScale& scale, double* sums);
  /// floor(abs(x_ip) scale_i); where `swapped`, terms 2 p and 2 p + 1 change places, and `to` is not `from`.
  void (*bytes)(Index k, const double* from, const CrScale& scale, bool swapped, double* to);
  /// high[i + j lines] + low[i + j lines] = sum_p a_ip b_jp, a tile of CrGemmKernel: exact where products are integers
  /// over a power of two, sums over `block` terms are exact doubles, and those over k terms exact pairs of them.
  void (*products)(Index k, Index block, const double* a, const double* b, double* high, double* low);
};

template <class T>
struct CrGemmKernel {
  int lines, cols;  ///< lines of a panel; columns of a tile, of which a panel holds a whole number
  /// Copies `count` lines of k entries, `stride` and `k_stride` apart, widened to double, into panels: those of one p
  /// side by side, the last panel filled up with zeros.
  void (*pack)(Index k, Index count, const T* a, Index stride, Index k_stride, double* panels);
  /// Copies `count` <= `lines` lines of k complex numbers into one panel: their parts are terms 2 p and 2 p + 1.
  /// Strides count parts.
  void (*pack_pairs)(Index k, Index count, const T* a, Index stride, Index k_stride, double* panel);
  /// By Speed. Returns the elements that are left open as bits, the one in row i and column j is bit j lines + i.
  std::uint64_t (*tile[3])(const CrTile<T>&);
};

template <class T>
struct CrKernels {
  /// sums[i] = sum_p a[i ld + p] x[p] for i < m, p < k: contiguous rows, `ld` apart.
  using Rows = void(Index m, Index k, const T* a, Index ld, const T* x, const LastBits& bits, TripleSum* sums);
  /// sums[i] = sum_p a[i + p ld] x[p] for i < m <= cr_panel, p < k: contiguous columns, `ld` apart.
  using Columns = void(Index m, Index k, const T* a, Index ld, const double* x, double* scratch, TripleSum* sums);
  // By Speed, `full` or `swift`.
  Rows* rows[2];
  Rows* deep_rows;
  /// These functions are `full`, `swift` and `plain`, and faster for several rows of few terms.
  Rows *full_short_rows, *short_rows, *plain_rows;
  Columns* columns[2];
  /// The largest power of two of which k entries are multiples; 2^1023 where all are zero. NaN may be passed over.
  double (*last_bit)(Index k, const T* x);

  /// Triangular systems and LU begin with this speed, and take the next one if it leaves many sums undecided.
  static constexpr Speed first_speed = sizeof(T) == sizeof(float) ? Speed::plain : Speed::swift;
  static Speed after(Speed speed) {
    return speed == Speed::plain ? Speed::swift : speed == Speed::swift ? Speed::full : Speed::deep;
  }
  Rows* triangular_rows(Speed speed) const {
    return speed == Speed::plain   ? plain_rows
           : speed == Speed::swift ? short_rows
           : speed == Speed::full  ? full_short_rows
                                   : deep_rows;
  }
};

ACCUBLAS_DECLARE_KERNELS(CrGemmKernel<double>)
ACCUBLAS_DECLARE_KERNELS(CrGemmKernel<float>)
ACCUBLAS_DECLARE_KERNELS(CrPanelKernels)
ACCUBLAS_DECLARE_KERNELS(CrKernels<double>)
ACCUBLAS_DECLARE_KERNELS(CrKernels<float>)

}  // namespace accublas::cpu
