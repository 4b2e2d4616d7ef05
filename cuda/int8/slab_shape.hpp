// The shape of products by slabs, which the host chooses, and their arrays.
#pragma once

#include "cuda/core/carver.hpp"
#include "cuda/core/operand.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/slab_bound.hpp"

namespace accublas::cuda {

/// The number of lines whose exponents are measured together, which is that of a tile of decide_by_tiles.
inline constexpr Index slab_group = 32;
inline constexpr Index most_slabs = 32, most_square = 512, most_slab_terms = 512;

struct SlabShape {
  Index square = 0;          ///< rows and columns of a square of C, a multiple of line_group; 0: no products by slabs
  Index terms = 0;           ///< terms of a slab: 128, 256 or 512
  Index slabs = 0;           ///< number of slabs, at most most_slabs
  Index rows = 0, cols = 0;  ///< size of a chunk of C, in multiples of the square
  int moduli = 0;            ///< largest number of moduli that the device may plan

  ACCUBLAS_HD Index k_padded() const { return terms * slabs; }
  ACCUBLAS_HD Index squares(Index lines) const { return ceil_div(lines, square); }
  ACCUBLAS_HD Index groups() const { return square / slab_group; }  ///< groups of a square's lines
  /// These functions return the bytes of the residues of a row, and of a column, for one modulus.
  ACCUBLAS_HD Index bytes_of_row() const { return cols / square * k_padded(); }
  ACCUBLAS_HD Index bytes_of_col() const { return rows / square * k_padded(); }
};

/// Results are stored in tiles of 256 x 256 elements, so that all planes of an element are near each other. Plane l of
/// a slab begins at (slab moduli + l) 256^2 from the tile's offset. Byte r 256 + c of it belongs to the tile's element
/// (r, c).
inline constexpr int slab_tile = 256;
ACCUBLAS_HD inline Index slab_tile_offset(const SlabShape& shape, int moduli, Index row, Index col) {
  return (row / slab_tile * (shape.cols / slab_tile) + col / slab_tile) * shape.slabs * moduli *
         (Index{slab_tile} * slab_tile);
}

/// The scale of a line in a slab, for a square of the other side. An entry a becomes a' = a 2^(d + exponent), where
/// abs(a') <= 2^bits.
struct SlabLine {
  int exponent;
  float size;  ///< at least the sum of abs(a) 2^(d + exponent); 0: all entries are zero
};

/// The arrays of products by slabs. Index 0 is the rows' side, 1 the columns'. Lines are padded to whole squares.
struct SlabArrays {
  /// [group of lines][term]: entries are below 2^top, and those that are not zero at least 2^low
  std::int16_t *top[2], *low[2];
  std::int16_t* centre[2];  ///< [square][term]: mean of `top` over its groups
  std::uint8_t* balance;    ///< [row square][column square][slab]: Balance
  std::int32_t* rest;       ///< [row group][column group]: a term that is left out is below 2^rest
  SlabLine* lines[2];       ///< [square of the other side][slab][line], for a chunk
};

/// How the terms of a square are balanced in a slab.
enum class Balance : std::uint8_t {
  none,  ///< the slab is left out
  rows,  ///< d(p) is minus the rows' centre, so that the entries of rows vary little
  cols,  ///< d(p) is the columns' centre
  both,  ///< d(p) is half of the sum of these two
};
ACCUBLAS_HD inline int balance_exponent(Balance balance, int row_centre, int col_centre) {
  if (row_centre == no_term || col_centre == no_term) return 0;
  return balance == Balance::rows   ? -row_centre
         : balance == Balance::cols ? col_centre
                                    : (col_centre - row_centre) >> 1;
}

inline SlabArrays take_slab_arrays(Carver& carver, const SlabShape& shape, Index m, Index n) {
  SlabArrays arrays{};
  const Index lines[2] = {shape.squares(m) * shape.square, shape.squares(n) * shape.square};
  for (int side = 0; side < 2; ++side) {
    const Index groups = lines[side] / slab_group, squares = lines[side] / shape.square;
    arrays.top[side] = carver.take<std::int16_t>(groups * shape.k_padded());
    arrays.low[side] = carver.take<std::int16_t>(groups * shape.k_padded());
    arrays.centre[side] = carver.take<std::int16_t>(squares * shape.k_padded());
  }
  arrays.balance = carver.take<std::uint8_t>(shape.squares(m) * shape.squares(n) * shape.slabs);
  arrays.rest = carver.take<std::int32_t>(lines[0] / slab_group * (lines[1] / slab_group));
  arrays.lines[0] = carver.take<SlabLine>(shape.cols / shape.square * shape.slabs * shape.rows);
  arrays.lines[1] = carver.take<SlabLine>(shape.rows / shape.square * shape.slabs * shape.cols);
  return arrays;
}

}  // namespace accublas::cuda
