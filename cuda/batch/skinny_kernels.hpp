// Kernels for skinny products in mode cr: one operand has few lines (rows of A or columns of B), and the other one has
// many. Launchers put work on the stream and return; none allocates or waits.
#pragma once

#include "cuda/core/call_state.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/exact/exact.hpp"

namespace accublas::cuda {

// ---- skinny_elements.cu, skinny_hopper.cu
inline constexpr int skinny_lines = 64;            ///< lines of either side in a tile
inline constexpr int skinny_step = 32;             ///< terms that are multiplied at a time
inline constexpr Index most_skinny_terms = 32768;  ///< most terms of a sum
inline constexpr Index most_skinny_lines = 128;    ///< most lines of the small side

/// The distribution of a skinny product. The tiles, each with all of its steps, form one sequence, with the tiles of
/// the same large lines adjacent. Thread block b computes steps b share to (b + 1) share - 1 of the sequence, and
/// leaves the sums of its part of tile t in slot b + t.
struct SkinnyPlan {
  Index row_tiles, groups;  ///< groups of skinny_lines lines of the large and of the small side
  Index steps;              ///< of a tile
  Index blocks, share;

  SkinnyPlan(const DeviceModel& model, Index large_lines, Index small_lines, Index k);
  ACCUBLAS_HD Index tiles() const { return row_tiles * groups; }
  ACCUBLAS_HD Index slots() const { return blocks + tiles(); }
  ACCUBLAS_HD Index first_block(Index tile) const { return tile * steps / share; }
  ACCUBLAS_HD Index last_block(Index tile) const { return ((tile + 1) * steps - 1) / share; }
};

/// The findings about the digits of a line, or of a part of its terms.
struct alignas(16) SkinnyLine {
  std::int32_t field;     ///< scale of the digits
  std::uint32_t squares;  ///< sum of the squares of digits 3 to 8
  std::uint32_t dropped;  ///< number of entries whose digits do not hold all of their bits
  std::uint32_t last;     ///< bit i: i - 1 is the index of the last nonzero digit of some entries; flags below
  static constexpr std::uint32_t special = 1u << 15, raise = 1u << 16;  ///< a NaN or Inf; counts rises of `field`
};

/// A sum of products of digits is high 2^64 + low, in units of weight 10.
struct alignas(16) SkinnyTotal {
  std::uint64_t low;
  std::int64_t high;
};

/// Counts of pending elements that decide which of the kernels for them run.
struct SkinnyCounts {
  unsigned long long many;  ///< pending elements of finite lines, if tiles compute them; otherwise 0
  unsigned long long rest;  ///< not zero if exact accumulators have work and no line is measured yet
  std::uint32_t special;    ///< not zero if a line has a NaN or Inf
};

/// The arrays of a skinny product in device memory.
struct SkinnyArrays {
  std::uint8_t* digits;       ///< of the small side, step by step, in the order of shared memory
  SkinnyLine* small;          ///< of every line of the small side
  std::int32_t* first_field;  ///< scales of the large side's lines to start with
  SkinnyTotal* totals;        ///< of each slot, [small line][large line]
  SkinnyLine* large;          ///< of each slot, for two parts of each of its large lines
  SkinnyCounts* counts;
};
SkinnyArrays take_skinny(Carver& carver, const SkinnyPlan& plan);

/// Returns whether the kernels compute products of these sizes: the device can run them, and small_lines and k are at
/// most most_skinny_lines and most_skinny_terms.
bool skinny_serves(const DeviceModel&, Index small_lines, Index k);

/// Returns the time of a product in microseconds of an H200.
double skinny_time(const SkinnyPlan& plan);

// A product of the plain operands exact.rows and exact.cols takes the following four steps, in this order. The large
// side is cols if `large_cols`.

/// Cuts the small side into digits, and finds the fields that the large side's lines start with.
void start_skinny(const DeviceModel&, const ExactArguments<double>& exact, bool large_cols, const SkinnyPlan& plan,
                  const SkinnyArrays& arrays, cudaStream_t stream);

/// Leaves the sums of products of digits in arrays.totals. Defined in skinny_hopper.cu; builds without kernels for
/// compute capability 9.0 do not have it.
void multiply_skinny(const DeviceModel&, const Operand<double>& large, const SkinnyPlan& plan,
                     const SkinnyArrays& arrays, cudaStream_t stream);

/// Computes every element that Ziv's test decides. It writes the bits of the other elements to exact.open, counts them
/// in state->open[0], and counts those of finite lines in state->rejected. It marks special lines, and measures nothing
/// else of Lines. If alpha, in device memory, is zero, it computes beta C. Tests set `all_undecided`, with which no
/// element is decided.
void round_skinny(const DeviceModel&, const ExactArguments<double>& exact, bool large_cols, const SkinnyPlan& plan,
                  const SkinnyArrays& arrays, bool all_undecided, cudaStream_t stream);

/// Computes the pending elements. Lines are measured only if many elements are pending, or some that grid sums do not
/// decide.
void finish_skinny(const DeviceModel&, const ExactArguments<double>& exact, const SkinnyArrays& arrays,
                   cudaStream_t stream);

}  // namespace accublas::cuda
