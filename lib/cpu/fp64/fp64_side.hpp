// One operand of a product by digits of equal width (fp64_levels.hpp): the lines of a block, how they are cut, and
// their digits or their factors of the certificate's X (docs/modes.md, dp).
#pragma once

#include "lib/base/workspace.hpp"
#include "lib/cpu/fp64/fp64_levels.hpp"

namespace accublas::cpu {

/// Properties of a line that the certificate needs besides its exponent.
struct CertificateLine {
  std::int64_t lambda;  ///< lambda_i, mu_j
  int last_bit;         ///< every entry is a multiple of 2^last_bit
};

/// The rows of op(A), or the columns of op(B), of a block of C.
template <class T>
struct DigitSide {
  Lines<T> lines;
  double* digits;
  Cut* cut;
  int* exponent;  ///< E_i, F_j; 0 for a line of zeros
  int* grid;      ///< grid of a digit, at [line * max_digits + digit]
  CertificateLine* info;
  std::uint64_t nonzero;  ///< OR of Cut::nonzero over the lines

  /// Takes memory for `count` lines, with `room` digits each.
  void take(Workspace& w, Index count, Index room);

  /// Sets the lines and their exponents.
  void scan(const Lines<T>& of_block, Execution& execution);

  /// Sets the grids of `count` digits: from the top (t = 0), or for entries rounded to t bits, with the last digit on
  /// their grid.
  void set_grids(int count, int t, const DigitWidth& width);

  /// Cuts entries first .. first + k - 1 of the lines into `count` digits, which are stored in falling order if
  /// `falling`.
  void split(Index first, Index k, int count, bool falling, const Execution& execution);

  /// Fills `info` for entries first .. first + n - 1, in addition to the entries before `first`. Writes the factors of
  /// X for those of the entries that take part to `digits`, a line every `ld` numbers, and returns how many of them
  /// each line has.
  Index certify(Index first, Index n, Index ld, int threads);
};

}  // namespace accublas::cpu
