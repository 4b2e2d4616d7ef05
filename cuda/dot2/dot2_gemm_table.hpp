// The tile shapes of dot2's GEMM: one table, whose rows are printed by perf/gpu/tune_dot2.
#pragma once

#include "lib/call/problem.hpp"
#include "lib/numerics/dot2_block.hpp"

namespace accublas::cuda {

/// How a thread block computes its tile of C. A warp has 4 x 8 threads.
struct Dot2Shape {
  int rows, cols;                ///< tile of C of a thread block; cols is a multiple of 32
  int thread_rows, thread_cols;  ///< tile of C of a thread; even
  int step;                      ///< terms in shared memory at a time; a multiple of 8, divides dot2_block_terms
  int stages;                    ///< steps in shared memory
  int unroll;                    ///< terms between two branches
  int resident;                  ///< thread blocks on a multiprocessor
  bool tensor = false;           ///< uses tensor cores (binary32), and not `unroll`
  /// Groups of warps that share the terms of a step. Each group has chains of all elements of the tile. The order of
  /// dot2's sums allows one group only.
  int groups = 1;

  constexpr int group_threads() const { return rows * cols / (thread_rows * thread_cols); }
  constexpr int threads() const { return group_threads() * groups; }
  constexpr int warp_rows() const { return 4 * thread_rows; }
  constexpr int warp_cols() const { return 8 * thread_cols; }
  /// Returns the pitch of the rows' words. Neighbouring terms of a line lie two banks of 8 bytes apart, or four for
  /// tensor cores.
  constexpr int row_pitch() const { return rows + (tensor ? 4 : 2); }
  constexpr int col_pitch() const { return cols + (tensor ? 4 : 2); }
  constexpr int stage_words() const { return step * (row_pitch() + col_pitch()); }
  /// Returns the bytes of shared memory: steps as binary64, and the sums of the blocks so far (a pair each, or a number
  /// for binary32).
  constexpr int shared_bytes(bool pairs) const { return 8 * (stages * stage_words() + rows * cols * (pairs ? 2 : 1)); }
  friend constexpr bool operator==(const Dot2Shape&, const Dot2Shape&) = default;
};

inline constexpr int dot2_block_terms = static_cast<int>(dot2_block);  ///< block of the definition
/// Tiles inside an aligned square of this many rows and columns use the same kind of comparison (Dot2Compare).
inline constexpr int dot2_judged_lines = 128;

/// Returns why a shape cannot be a kernel; null if it can.
constexpr const char* dot2_shape_fault(const Dot2Shape& s, bool pairs) {
  if (s.rows % s.warp_rows() != 0 || s.cols % s.warp_cols() != 0) return "the tile is not made of warps' tiles";
  if (s.thread_rows % 2 != 0 || s.thread_cols % 2 != 0) return "a thread's tile is loaded in pairs";
  if (s.cols % 32 != 0) return "a word of the bitmap belongs to two tiles";
  if (dot2_judged_lines % s.rows != 0 || dot2_judged_lines % s.cols != 0) return "a tile is not judged as a whole";
  if (s.step % 8 != 0 || dot2_block_terms % s.step != 0) return "a step does not divide the block";
  if (s.step % (2 * s.groups) != 0) return "the groups do not share a step in pairs of terms";
  const auto uneven = [&](int lines) {
    const int width = lines < s.threads() ? lines : s.threads();
    return lines % width != 0 || s.threads() % width != 0 || s.step % (s.threads() / width) != 0 ||
           lines % (s.threads() / 8) != 0;
  };
  if (uneven(s.rows) || uneven(s.cols)) return "the threads do not share a step evenly";
  if (s.tensor && (pairs || s.warp_rows() % 16 != 0 || s.step % 16 != 0 || s.rows % 16 != 0 || s.cols % 16 != 0))
    return "not made of tensor cores' tiles";
  if (!pairs && s.stages != 2) return "binary32 is widened between two stages";
  if (s.shared_bytes(pairs) > 227 * 1024) return "more shared memory than there is";
  return nullptr;
}

/// A shape and its cost, measured on a device of this compute capability.
struct Dot2Row {
  int major, minor;
  bool single;
  Dot2Shape shape;
  double cycles;  ///< cycles of a multiprocessor for 1000 terms, with all of its thread blocks busy
};

/// Rows of a type that do not use tensor cores also serve devices that have no rows of their own.
struct Dot2Table {
  // clang-format off
  static constexpr Dot2Row rows[] = {
      {9, 0, false, {64, 32, 4, 4, 16, 2, 2, 3}, 173},
      {9, 0, false, {32, 32, 4, 4, 8, 2, 2, 8}, 177},
      {9, 0, true, {128, 128, 16, 4, 16, 2, 1, 1, true}, 18},
      {9, 0, true, {64, 64, 8, 4, 16, 2, 1, 3, true}, 17},
      {0, 0, true, {64, 64, 8, 8, 8, 2, 8, 4}, 28},
  };
  // clang-format on
};

}  // namespace accublas::cuda
