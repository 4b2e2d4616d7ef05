// Accumulators: the sums of a product whose inner dimension arrives in panels (docs/accumulators.md). They hold
// residues, so that no panel rounds anything, and finish with the bits of one call.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "lib/accumulator/calls.hpp"
#include "lib/accumulator/device_sums.hpp"
#include "lib/cpu/int8/int8_accumulate.hpp"
#include "lib/numerics/long_accumulator.hpp"

namespace accublas {

/// One side of the product: the rows of op(A) or the columns of op(B).
struct AccumulatorSide {
  Index count = 0;
  int parts = 1;                         ///< real lines of a line: 2 for a row of complex numbers
  int bits = 0;                          ///< bound of the scaled integers: abs(a') <= 2^bits
  std::vector<LineExponents> exponents;  ///< exponents of every line
  std::vector<int> scale;                ///< scale of every line and part: a' = a 2^scale
  std::vector<double> error;             ///< error of every line and part (cpu::Int8Residues::Side)
  std::vector<std::uint8_t> dropped;

  Index lines() const { return parts * count; }
  cpu::Int8Residues::Side view() { return {lines(), bits, scale.data(), error.data(), dropped.data()}; }
};

/// The infinite and NaN terms of a sum, and the operands of its NaN.
enum : std::uint8_t { term_plus = 1, term_minus = 2, term_made_nan = 4, operand_nan = 8 };

struct FreeMemory {
  void operator()(std::uint8_t* memory) const { std::free(memory); }
};

}  // namespace accublas

/// Sum (row, col) belongs to column `row` of op(B) and to line `col` of op(A): its row, or part col % 2 of row col / 2
/// if numbers are complex.
struct accublas_accumulator {
  accublas::Type type{};
  accublas::Mode mode{};
  accublas::Index m = 0, n = 0;
  accublas::Index k = 0;      ///< the largest number of terms
  accublas::Index added = 0;  ///< terms of the panels so far
  accublas::AccumulatorSide a, b;
  int moduli = 0;
  accublas::cpu::Int8Tiling tiling{};
  std::unique_ptr<std::uint8_t, accublas::FreeMemory>
      tiles;          ///< Int8Residues::tiles; null before the first use, and while a device has them
  bool blank = true;  ///< the sums are zero, and `tiles` hold nothing yet
  /// Not null: the residues, the panels that wait and the errors of lines are there.
  std::unique_ptr<accublas::DeviceResidues> on_device;
  bool drops_on_device = false;  ///< a panel that was added there dropped bits
  accublas::cpu::Int8Waiting waiting;
  std::unique_ptr<std::uint8_t, accublas::FreeMemory>
      waiting_bytes;                  ///< the memory of `waiting`, allocated for the first panel that waits
  std::vector<std::uint8_t> classes;  ///< classes of every sum, row by row; empty if no panel had Inf or NaN

  // The second round: exact sums of the elements that `finish` left undecided.
  std::vector<accublas::Index> listed;  ///< row * columns + col, ascending
  std::vector<accublas::LongAccumulator> sums;
  accublas::Index added_again = 0;  ///< terms of the panels of the second round

  std::int64_t workspace_bytes = 0;  ///< peak workspace of the last call
  double milliseconds = 0;           ///< time of the last call

  bool rounds() const { return mode.kind == ACCUBLAS_MODE_CR; }
  bool second_round() const { return !listed.empty(); }
  accublas::Index rows() const { return b.lines(); }
  accublas::Index cols() const { return a.lines(); }
  std::size_t tile_bytes() const { return accublas::cpu::Int8Residues::tile_bytes(tiling, moduli); }
  /// Bytes of memory that the accumulator takes.
  std::size_t bytes() const;
  accublas::cpu::Int8Residues view() { return {b.view(), a.view(), tiling, moduli, rounds(), tiles.get(), &waiting}; }
  /// Makes the residues those in host memory. Call this before `tiles` are used.
  void use_tiles();
  /// Allocates memory for panels that wait.
  void take_waiting();
  /// Multiplies the panels that wait. Call this before the residues are read.
  void multiply_waiting(int threads, accublas::cpu::Isa isa) {
    if (waiting.terms > 0) accublas::cpu::int8_multiply_waiting(view(), threads, isa);
  }
  /// Returns the residue of a sum for modulus l. The residues of the same row up to the end of the tile follow it in
  /// memory.
  std::int8_t& residue(int l, accublas::Index row, accublas::Index col) const;

  /// Returns the classes of the special terms of a sum (term_plus ...).
  std::uint8_t classes_of(accublas::Index row, accublas::Index col) const {
    return classes.empty() ? 0 : classes[static_cast<std::size_t>(row * cols() + col)];
  }
  /// Returns the exact sum of the second round, or null if the sum is not listed.
  const accublas::LongAccumulator* exact_sum(accublas::Index row, accublas::Index col) const {
    const accublas::Index sum = row * cols() + col;
    const auto at = std::lower_bound(listed.begin(), listed.end(), sum);
    return at != listed.end() && *at == sum ? &sums[static_cast<std::size_t>(at - listed.begin())] : nullptr;
  }
};

namespace accublas {

/// Calls body(residues, row, col, count) for the runs of adjacent residues of modulus l, row by row.
template <class Body>
void for_each_run(const Accumulator& x, int l, Body&& body) {
  for (Index row = 0; row < x.rows(); ++row)
    for (Index col = 0; col < x.cols(); col += x.tiling.cols)
      body(&x.residue(l, row, col), row, col, std::min(x.tiling.cols, x.cols() - col));
}

/// Throws unless the accumulator has room for k more terms in its round.
void require_room(const Accumulator& to, Index k);
/// Throws unless the second round, if there is one, has all terms.
void require_all_terms(const Accumulator& sums);
/// Begins the second round with the sums that are undecided, and throws Error(ACCUBLAS_ERROR_UNDECIDED). Sums that were
/// listed before stay in the list.
[[noreturn]] void begin_second_round(Accumulator& sums, const std::vector<Index>& undecided);

/// Throws the error of a line that does not fit its exponents.
[[noreturn]] void beyond(const char* what, Index line, const LineExponents& e);
/// Adds the classes of the special terms of a panel in host memory. special_rows and special_columns say which rows of
/// op(A) and columns of op(B) have Inf (1) or NaN (2).
template <class E>
void add_classes(Accumulator& to, const AccumulatorPanel<E>& panel, const std::uint8_t* special_rows,
                 const std::uint8_t* special_columns, int threads);

}  // namespace accublas
