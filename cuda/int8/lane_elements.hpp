// Which rows and columns of a tile a lane of the reconstruction finishes, and which of their elements a pass computes.
// Device code.
#pragma once

#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/tile_state.hpp"

namespace accublas::cuda::reconstructing {

/// Columns of C: those of a lane's e-th column are `Parts` side by side. Sets of a lane's have bit c_column(e, part).
template <int Parts>
__device__ constexpr int c_column(int e, int part) {
  return Parts * column_of(e) + part;
}
template <int Parts>
__device__ constexpr unsigned columns_of_parts(unsigned first, unsigned last) {
  unsigned set = 0;
  for (unsigned part = first; part < last; ++part)
    for (int e = 0; e < columns; ++e) set |= 1u << c_column<Parts>(e, static_cast<int>(part));
  return set;
}
template <int Parts>
constexpr unsigned all_columns = columns_of_parts<Parts>(0, Parts);

/// Which rows of a tile a lane's warp takes, every step-th one from `first` on, and which columns are the lane's.
struct LanePlace {
  int first, step;
  int strip_col, own;  ///< columns of the tile: the warp's strip begins there, and the lane's first column

  __device__ explicit LanePlace(const Tile& tile) {
    const int warp = threadIdx.x / 32;
    first = warp / tile.strips, step = warps_of_block() / tile.strips;
    strip_col = warp % tile.strips * strip, own = strip_col + first_column();
  }
};

/// Which of a lane's columns of a row a pass computes.
struct RowWork {
  unsigned open, wanted;  ///< open: before the pass
  bool any;               ///< of the warp's columns
};

/// Which elements of its columns a lane computes, row by row: by the bitmap of open elements, which it reads a row
/// ahead and writes.
template <class T, class Numbers>
class LaneElements {
 public:
  static constexpr int parts = Numbers::parts;

  __device__ __forceinline__ LaneElements(const ReconstructArguments<T>& a, const BlockState<T, Numbers>& b,
                                          const Tile& tile, const LanePlace& lane, Index row_base, Index col)
      : a_(a), b_(b), row_base_(row_base), col_(col), first_(lane.first), step_(lane.step), height_(tile.height) {
    constexpr unsigned all_of_lane = all_columns<parts>;
#pragma unroll
    for (int e = 0; e < columns; ++e) {
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        of_tile_ |= static_cast<unsigned>(lane.own + column_of(e) < tile.width) << c_column<parts>(e, part);
        special_cols_ |= static_cast<unsigned>(b.lines.special[lane.own + column_of(e)]) << c_column<parts>(e, part);
      }
    }
    const Index words_a_row = OpenBits::words_per_row(a.cols.count);
    next_words_ = static_cast<unsigned>(step_) * static_cast<unsigned>(words_a_row);
    word_ = a.open + row_base * words_a_row + col / 32;
    has_bits_ = b.plan.elements != Elements::all && of_tile_ != 0;
    flip_ = b.plan.elements == Elements::not_open ? all_of_lane : 0;
    all_ = b.plan.elements == Elements::all ? all_of_lane : 0;
  }

  /// The word of the bitmap for row r, before the pass: the current row's, or the next one's.
  __device__ __forceinline__ std::uint32_t bits_of_current(int r) const {
    return has_bits_ && r < height_ ? *word_ : 0;
  }
  __device__ __forceinline__ std::uint32_t bits_of_next(int r) const {
    return has_bits_ && r < height_ ? word_[next_words_] : 0;
  }
  __device__ __forceinline__ RowWork work_of(int r, std::uint32_t bits) const {
    const unsigned inside = inside_of(r), open = bits >> (col_ & 31) & inside;
    const unsigned wanted = inside & ~special_cols_ & ~b_.lines.row[r].special & ((open ^ flip_) | all_);
    return RowWork{open, wanted, __any_sync(0xFFFFFFFFu, wanted != 0) != 0};
  }
  /// Writes the bits of row r, the current one, of which `done` are final. Returns how many elements of finite lines
  /// stay open.
  __device__ __forceinline__ unsigned write(int r, const RowWork& work, unsigned done) {
    const unsigned special = b_.lines.row[r].special | special_cols_;
    const unsigned open = ((inside_of(r) & special) | work.open | work.wanted) & ~done;
    unsigned left_open = 0;
    // Eight lanes have a word, of complex numbers four.
    unsigned bits = open << (col_ & 31);
    if (__any_sync(0xFFFFFFFFu, open != 0)) {
#pragma unroll
      for (int offset = 1; offset < 8 / parts; offset *= 2) bits |= __shfl_xor_sync(0xFFFFFFFFu, bits, offset);
      left_open = __popc(open & ~special);
    }
    if (threadIdx.x % 32 % (8 / parts) == 0 && of_tile_ != 0) *word_ = bits;
    return left_open;
  }
  __device__ __forceinline__ void advance() { word_ += next_words_; }

 private:
  __device__ __forceinline__ unsigned inside_of(int r) const {
    return of_tile_ & a_.wanted.mask(row_base_ + (r - first_), col_);
  }

  const ReconstructArguments<T>& a_;
  const BlockState<T, Numbers>& b_;
  const Index row_base_, col_;  ///< of C: the warp's first row, and the lane's first column
  const int first_, step_, height_;
  unsigned of_tile_ = 0, special_cols_ = 0;  ///< columns in the tile; with Inf or NaN
  unsigned flip_, all_;                      ///< from open elements to those of the pass
  std::uint32_t* word_;                      ///< of the current row
  unsigned next_words_;
  bool has_bits_;
};

}  // namespace accublas::cuda::reconstructing
