// The sums of blocked_factors.cu: a thread has one of the lines (rows or columns) of a matrix, and the sums of its
// elements in the next few columns or rows. For .cu files.
#pragma once

#include "cuda/core/ptx_entry.hpp"
#include "cuda/lu_cholesky/small_factors_sums.hpp"

namespace accublas::cuda {

inline constexpr int most_blocked_lines = 512;

/// A thread has this many sums, which stay in registers.
template <class E, bool cr>
inline constexpr int blocked_width = cr              ? 8 / parts_of<E>
                                     : sizeof(E) > 8 ? 8
                                                     : 16;

/// The number of terms that are in shared memory at a time.
template <class E>
inline constexpr int staged_terms = sizeof(E) > 8 ? 8 : 16;

/// Numbers of lines: number q of line i is at first[i line_step + q term_step].
template <class E>
struct LineNumbers {
  const E* first;
  Index line_step, term_step;
};

/// The terms of all lines in shared memory. While one half is in use, the other half is filled. The lines of all
/// threads follow, as LineStage::own says.
template <class E, bool cr>
struct alignas(16) LineStage {
  static constexpr int width = blocked_width<E, cr>, terms = staged_terms<E>, pitch = terms + 1;
  E common[2][terms][width];  ///< the factors that all threads share

  /// Returns the numbers of the threads' own lines in one of the halves; those of a line are adjacent.
  __device__ E* own(int half, int threads) {
    return reinterpret_cast<E*>(reinterpret_cast<unsigned char*>(this) + sizeof(LineStage)) + half * threads * pitch;
  }
  static std::size_t bytes(int threads) {
    return sizeof(LineStage) + 2 * static_cast<std::size_t>(threads * pitch) * sizeof(E);
  }
};

/// A thread's sums. Sum c is minus the numerator of its line's element c from the current one on (in plain arithmetic
/// the numerator).
template <class E, bool cr>
class LineSums {
  using Stage = LineStage<E, cr>;

 public:
  using Sum = SmallSum<E, cr>;
  static constexpr int width = Stage::width;
  static_assert(Sum::most_terms % Stage::terms == 0 && Sum::most_terms % width == 0);

  /// Begins sum c with element(c).
  template <class Element>
  __device__ __forceinline__ void begin(Element&& element) {
#pragma unroll
    for (int c = 0; c < width; ++c) sum_[c].begin(element(c));
  }
  __device__ __forceinline__ const Sum& operator[](int c) const { return sum_[c]; }

  /// Adds `terms` terms, a multiple of the width: of the thread's line of `own` (there are `lines` of them), and of
  /// line c of `common` for sum c. The numbers of `common` are conjugated if that is wanted. All threads of the block
  /// call this. It synchronises before it reads what other threads staged, but not at its end.
  template <bool conjugated>
  __device__ __forceinline__ void add(const LineNumbers<E>& own, int lines, const LineNumbers<E>& common, int most,
                                      int terms, Stage& stage) {
    if (terms > 0) fetch(own, lines, common, most, 0, terms, stage);
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
#pragma unroll 1
    for (int first = 0; first < terms; first += Stage::terms) {
      const int half = first / Stage::terms % 2;
      ptx::copies_wait();
      __syncthreads();
      if (first + Stage::terms < terms) fetch(own, lines, common, most, first + Stage::terms, terms, stage);
      if (thread / 32 * 32 >= lines) continue;  // the warp has no lines
      if (first > 0 && first % Sum::most_terms == 0)
#pragma unroll
        for (int c = 0; c < width; ++c) sum_[c].renew();
      const E* const numbers = stage.own(half, threads) + thread * Stage::pitch;
      const int count = min(Stage::terms, terms - first);
#pragma unroll(cr ? 2 : 4)
      for (int q = 0; q < count; ++q) {
        const E factor = Sum::factor(numbers[q]);
#pragma unroll
        for (int c = 0; c < width; ++c) sum_[c].add(factor, conjugate_if(conjugated, stage.common[half][q][c]));
      }
    }
  }

  /// Goes on to the next element: adds the term factor(x) other(c) to sum c, which becomes sum c - 1. Sums from `left`
  /// on are not used any more.
  template <class Other>
  __device__ __forceinline__ void advance(const E& x, int left, Other&& other) {
    const E factor = Sum::factor(x);
    shift<1, width / 2 + 1>(factor, other);
    if (left > width / 2 + 1) shift<width / 2 + 1, width>(factor, other);
  }

 private:
  template <int from, int to, class Other>
  __device__ __forceinline__ void shift(const E& factor, Other&& other) {
#pragma unroll
    for (int c = from; c < to; ++c) {
      sum_[c - 1] = sum_[c];
      sum_[c - 1].add(factor, other(c));
    }
  }

  /// Begins to copy terms `first` and following ones to their half of the stage. Neighbouring threads copy neighbours
  /// in memory.
  __device__ static void fetch(const LineNumbers<E>& own, int lines, const LineNumbers<E>& common, int most, int first,
                               int terms, Stage& stage) {
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x),
              half = first / Stage::terms % 2, count = min(Stage::terms, terms - first);
    E* const to = stage.own(half, threads);
    const bool by_lines = own.term_step != 1;
#pragma unroll 4
    for (int i = 0; i < Stage::terms; ++i) {
      const int at = i * threads + thread, line = by_lines ? thread : at / Stage::terms,
                q = by_lines ? i : at % Stage::terms;
      if (line < lines && q < count)
        copy(to + line * Stage::pitch + q, own.first + line * own.line_step + (first + q) * own.term_step);
    }
    for (int at = thread; at < width * Stage::terms; at += threads) {
      const int c = by_lines ? at / Stage::terms : at % width, q = by_lines ? at % Stage::terms : at / width;
      if (c < most && q < count)
        copy(&stage.common[half][q][c], common.first + c * common.line_step + (first + q) * common.term_step);
    }
    ptx::copies_commit();
  }
  /// A complex number may be aligned as its parts are.
  __device__ static void copy(E* to, const E* from) {
    constexpr int bytes = static_cast<int>(sizeof(RealOf<E>));
#pragma unroll
    for (int part = 0; part < parts_of<E>; ++part)
      ptx::copy_entry<bytes>(ptx::shared_address(to) + part * bytes, reinterpret_cast<const RealOf<E>*>(from) + part,
                             true);
  }

  Sum sum_[width];
};

}  // namespace accublas::cuda
