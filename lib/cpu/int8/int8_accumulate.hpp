// Residues of a product that outlive a call: calls add panels of the inner dimension to them, and the last call rounds
// them. The object in lib/accumulator/ holds them.
#pragma once

#include <functional>

#include "lib/cpu/int8/int8_call.hpp"

namespace accublas::cpu {

/// Residues of panels that are not multiplied yet. Each product reads and writes all sums, so shallow panels wait until
/// there are enough terms.
struct Int8Waiting {
  /// A product of this many terms takes ten times as long as reading and writing its sums.
  static constexpr Index most_terms = 512;
  Index terms = 0;  ///< terms that wait, each panel rounded up to a multiple of 4
  Index depth;      ///< terms that there is room for
  Index row_stride, row_plane, panel_stride, col_plane;
  std::uint8_t *rows = nullptr, *cols = nullptr;

  Int8Waiting() = default;
  /// The layout for sums of these sizes, whose panels have up to k terms in all.
  Int8Waiting(const Int8Tiling& tiling, Index k);
  std::size_t row_bytes(int moduli) const { return static_cast<std::size_t>(row_plane * moduli); }
  std::size_t col_bytes(int moduli) const { return static_cast<std::size_t>(col_plane * moduli); }
};

/// Sums of integers a' b' as residues. Engine rows are the columns of op(B), and engine columns are the rows of op(A):
/// two of them if numbers are complex, one for the real part of the result and one for the imaginary part.
struct Int8Residues {
  struct Side {
    Index count;            ///< number of lines
    int bits;               ///< bound of the scaled integers: abs(a') <= 2^bits
    const int* scale;       ///< a' = a 2^scale, rounded
    double* error;          ///< LineError::error of the panels so far
    std::uint8_t* dropped;  ///< whether some panel dropped bits of the line
  };
  Side rows, cols;
  Int8Tiling tiling;
  int moduli;
  bool rounds;          ///< bits may be dropped, and errors are kept
  std::uint8_t* tiles;  ///< tile after tile, plane after plane
  Int8Waiting* waiting;

  static std::size_t tile_bytes(const Int8Tiling& tiling, int moduli) {
    return static_cast<std::size_t>(int8_tile_plane(tiling.rows, tiling.cols) * moduli);
  }
  std::uint8_t* tile(Index number) const {
    return tiles + static_cast<std::size_t>(number) * tile_bytes(tiling, moduli);
  }
};

/// Returns the tiles for sums of this size.
Int8Tiling int8_residue_tiling(Index rows, Index cols, int threads, Isa isa);

/// Multiplies the panels that wait.
void int8_multiply_waiting(const Int8Residues& sums, int threads, Isa isa);

/// This function and the two below take their memory first. In a rehearsal they do nothing else.
///
/// Adds a panel of rows.k terms, whose products may wait. `known` looks at the measured lines before anything is added,
/// and may throw. Lines with Inf or NaN count as zero. If the function throws, the sums are as they were.
template <class T>
void int8_add_panel(const Int8Residues& sums, const Int8Operand<T>& rows, const Int8Operand<T>& cols,
                    const std::function<void(const Int8Lines& rows, const Int8Lines& cols)>& known,
                    Execution& execution);

/// Calls body(lines) with the measured lines of an operand.
template <class T>
void int8_measure_lines(const Int8Operand<T>& operand, const std::function<void(const Int8Lines&)>& body,
                        Execution& execution);

/// Arguments of the final rounding of all sums, C = alpha S + beta C.
template <class T>
struct Int8Rounding {
  T alpha, beta;
  Matrix<T> c;  ///< engine rows x engine columns
  bool writes;  ///< whether the rounding writes C, or only reads it
  /// Computes element (row, col) if residues do not define it. Returns false for the others.
  std::function<bool(Index row, Index col, T* result)> known;
  bool any_known;
  /// Computes an element that the residues leave undecided. Returns false if it cannot.
  std::function<bool(Index row, Index col, int thread, T* result)> undecided;
};
template <class T>
void int8_round_sums(const Int8Residues& sums, const Int8Rounding<T>& rounding, Execution& execution);

}  // namespace accublas::cpu
