// The batch of blocked_factors.cu and its sums: a thread has one of the lines (rows or columns) of a matrix, and the
// sums of its elements in the next few columns or rows. For .cu files.
#pragma once

#include "cuda/core/matrices.hpp"
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

/// The batch as the kernels get it. For Cholesky the matrix is the upper triangle X of X^H X = A.
template <class E>
struct BlockedJob {
  BatchArray<E> a;
  Matrix<E> at;  ///< strides in memory
  int m, n;
  std::int64_t *pivots, *info;
  unsigned long long* undecided;
  int blocks;  ///< a matrix has this many thread blocks, which are a cluster; LU has one

  ACCUBLAS_HD int order() const { return m < n ? m : n; }
};

__device__ __forceinline__ int thread_of_block() { return static_cast<int>(threadIdx.x); }
__device__ __forceinline__ int lane_of_warp() { return thread_of_block() % 32; }
__device__ __forceinline__ int warp_of_block() { return thread_of_block() / 32; }
__device__ __forceinline__ int warps_of_block() { return static_cast<int>(blockDim.x) / 32; }

/// Numbers of lines: number q of line i is at first[i line_step + q term_step].
template <class E>
struct LineNumbers {
  const E* first;
  Index line_step, term_step;
};

/// The lines of a thread block's threads. The warps of all thread blocks of a cluster take turns at 32 lines each.
template <class E>
struct OwnLines {
  LineNumbers<E> numbers;
  int lines;      ///< of the matrix
  int begin = 0;  ///< warps before this one have no lines any more
  int blocks = 1, rank = 0;

  __device__ __forceinline__ int line_of(int thread) const {
    return blocks == 1 ? thread : (thread / 32 * blocks + rank) * 32 + thread % 32;
  }
  __device__ __forceinline__ bool has(int thread) const { return thread / 32 >= begin && line_of(thread) < lines; }
  /// Returns whether a thread's warp has lines.
  __device__ __forceinline__ bool has_warp_of(int thread) const { return has(thread / 32 * 32); }
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

/// Copies the terms of a thread block's lines to the stage, part after part. A warp copies its own lines. Neighbouring
/// lanes copy neighbours in memory: each of them its own line, or, if the terms of a line are adjacent, one term of
/// several lines.
template <class E, bool cr>
class LineCopies {
  using Stage = LineStage<E, cr>;
  static constexpr int terms = Stage::terms, lines_together = 32 / terms;

 public:
  /// Line c of `common` is copied for c < most.
  __device__ __forceinline__ LineCopies(const OwnLines<E>& own, const LineNumbers<E>& common, int most, Stage& stage)
      : stage_(stage), common_(common), most_(most), by_lines_(own.numbers.term_step != 1) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32,
              line = by_lines_ ? thread : thread - lane + lane / terms;
    const LineNumbers<E>& numbers = own.numbers;
    term_ = by_lines_ ? 0 : lane % terms;
    from_ = numbers.first + own.line_of(line) * numbers.line_step + term_;
    step_ = by_lines_ ? numbers.term_step : lines_together * numbers.line_step;
    part_step_ = terms * numbers.term_step;
    to_ = line * Stage::pitch + term_;
    const int left = own.has_warp_of(thread) ? own.lines - own.line_of(line) : 0,
              most_lines = left > 0 ? (left + lines_together - 1) / lines_together : 0;
    copies_ = by_lines_ && left > 0 ? terms : min(most_lines, terms);
  }

  /// Begins to copy the next `count` terms to a half of the stage.
  __device__ __forceinline__ void begin(int half, int count) {
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x),
              copies = by_lines_       ? min(copies_, count)
                       : term_ < count ? copies_
                                       : 0;
    E* const to = stage_.own(half, threads) + to_;
    by_lines_ ? copy_own<1>(to, copies) : copy_own<lines_together * Stage::pitch>(to, copies);
    from_ += part_step_;
    const bool by_terms = common_.term_step == 1;
#pragma unroll 1
    for (int at = thread; at < Stage::width * terms; at += threads) {
      const int c = by_terms ? at / terms : at % Stage::width, q = by_terms ? at % terms : at / Stage::width;
      if (c < most_ && q < count)
        copy(&stage_.common[half][q][c], common_.first + c * common_.line_step + q * common_.term_step);
    }
    common_.first += terms * common_.term_step;
    ptx::copies_commit();
  }

 private:
  template <int to_step>
  __device__ __forceinline__ void copy_own(E* to, int copies) const {
    const E* from = from_;
#pragma unroll
    for (int i = 0; i < terms; ++i) {
      if (i < copies) copy(to + i * to_step, from);
      from += step_;
    }
  }
  /// A complex number may be aligned as its parts are.
  __device__ __forceinline__ static void copy(E* to, const E* from) {
    constexpr int bytes = static_cast<int>(sizeof(RealOf<E>));
#pragma unroll
    for (int part = 0; part < parts_of<E>; ++part)
      ptx::copy_entry<bytes>(ptx::shared_address(to) + part * bytes, reinterpret_cast<const RealOf<E>*>(from) + part,
                             true);
  }

  Stage& stage_;
  LineNumbers<E> common_;
  const int most_;
  const bool by_lines_;
  const E* from_;
  Index step_, part_step_;
  int term_, to_, copies_;
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

  /// Adds `terms` terms, a multiple of the width: of the thread's line of `own`, and of line c of `common` for sum c.
  /// The numbers of `common` are conjugated if that is wanted. All threads of the block call this. It synchronises
  /// before it reads what other threads staged, but not at its end.
  template <bool conjugated>
  __device__ __forceinline__ void add(const OwnLines<E>& own, const LineNumbers<E>& common, int most, int terms,
                                      Stage& stage) {
    for_staged(own, common, most, terms, stage, [&](int first, int half, const E* numbers, int count) {
#pragma unroll(cr ? 2 : 4)
      for (int q = 0; q < count; ++q) {
        const E factor = Sum::factor(numbers[q]);
#pragma unroll
        for (int c = 0; c < width; ++c) sum_[c].add(factor, conjugate_if(conjugated, stage.common[half][q][c]));
      }
      // The terms of advance() follow.
      if ((first + count) % Sum::most_terms == 0)
#pragma unroll
        for (int c = 0; c < width; ++c) sum_[c].renew();
    });
  }

  /// Same contract as `add`, with sums around anchors where is_anchored says so. The magnitudes of the terms of any
  /// part of sum c have a sum of at most reach(c), up to a relative error of 2^-40.
  template <bool conjugated, class Reach>
  __device__ __forceinline__ void add_within(Reach&& reach, const OwnLines<E>& own, const LineNumbers<E>& common,
                                             int most, int terms, Stage& stage) {
    if constexpr (!is_anchored<E, cr>)
      add<conjugated>(own, common, most, terms, stage);
    else if (terms > 0)
      add_around_anchors<conjugated>(reach, own, common, most, terms, stage);
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
  /// Same contract as `add_within`. Bit c of `products` says that sum c has a product that is not zero; an element
  /// without such products is exact.
  template <bool conjugated, class Reach>
  __device__ __forceinline__ void add_around_anchors(Reach&& reach, const OwnLines<E>& own,
                                                     const LineNumbers<E>& common, int most, int terms, Stage& stage) {
    AnchoredSum sum[width][parts_of<E>];
    Anchor anchor[width];
#pragma unroll
    for (int c = 0; c < width; ++c) {
      anchor[c] = Anchor::above(sum_[c].size() + power_of_two(sum_lift<E>) * reach(c));
#pragma unroll
      for (int part = 0; part < parts_of<E>; ++part) sum[c][part] = sum_[c].around(anchor[c], part);
    }
    unsigned products = 0;
    for_staged(own, common, most, terms, stage, [&](int, int half, const E* numbers, int count) {
      unsigned others = 0;
      if (const int q = static_cast<int>(threadIdx.x) % 32; q < count)
#pragma unroll
        for (int c = 0; c < width; ++c) others |= (is_zero(stage.common[half][q][c]) ? 0u : 1u) << c;
      __syncwarp();
#pragma unroll 2
      for (int q = 0; q < count; ++q) {
        const E factor = Sum::factor(numbers[q]);
        const unsigned of_term = __shfl_sync(0xFFFFFFFFu, others, q);
        if (!is_zero(factor)) products |= of_term;
#pragma unroll
        for (int c = 0; c < width; ++c) add_term(sum[c], factor, conjugate_if(conjugated, stage.common[half][q][c]));
      }
    });
#pragma unroll
    for (int c = 0; c < width; ++c) {
      const double error = (products >> c & 1) != 0 ? anchored_error(anchor[c].value(), terms * parts_of<E>) : 0;
#pragma unroll
      for (int part = 0; part < parts_of<E>; ++part) sum_[c].set(part, sum[c][part], anchor[c], error);
    }
  }

  /// Calls body(first, half, numbers, count) for each part of the terms when it is in shared memory: `count` terms from
  /// `first` on are in a half of the stage, the thread's own ones in `numbers`. Warps without lines do not get a call.
  template <class Body>
  __device__ __forceinline__ static void for_staged(const OwnLines<E>& own, const LineNumbers<E>& common, int most,
                                                    int terms, Stage& stage, Body&& body) {
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    LineCopies<E, cr> copies(own, common, most, stage);
    if (terms > 0) copies.begin(0, min(Stage::terms, terms));
#pragma unroll 1
    for (int first = 0; first < terms; first += Stage::terms) {
      const int half = first / Stage::terms % 2, count = min(Stage::terms, terms - first);
      ptx::copies_wait();
      __syncthreads();
      if (first + Stage::terms < terms) copies.begin(1 - half, min(Stage::terms, terms - first - Stage::terms));
      if (!own.has_warp_of(thread)) continue;
      body(first, half, stage.own(half, threads) + thread * Stage::pitch, count);
    }
  }

  template <int from, int to, class Other>
  __device__ __forceinline__ void shift(const E& factor, Other&& other) {
#pragma unroll
    for (int c = from; c < to; ++c) {
      sum_[c - 1] = sum_[c];
      sum_[c - 1].add(factor, other(c));
    }
  }

  Sum sum_[width];
};

}  // namespace accublas::cuda
