// A thread block's part of a triangular system: its unknowns, right-hand sides and entries in shared memory. For .cu
// files.
#pragma once

#include "cuda/core/launch.hpp"
#include "cuda/core/ptx_words.hpp"
#include "cuda/sums/bounded_pair.hpp"
#include "cuda/trsm/resolve.hpp"
#include "cuda/trsm/solve_kernels.hpp"

namespace accublas::cuda::solve {

inline constexpr int warps = 8, threads = 32 * warps;
inline constexpr int edge =
    32;  ///< number of right-hand sides of a thread block, a lane each; also of unknowns at a time

/// One warp guesses this many unknowns together.
template <class E>
inline constexpr int group = warps / parts_of<E>;

inline constexpr int most_hard_guesses = 32;

template <class E, bool cr>
struct BlockStorage {
  static constexpr int unknowns = solve_block_unknowns<E>(!cr), kept = cr ? unknowns : 1;
  E a[cr ? unknowns : edge][unknowns];  ///< columns of all unknowns, or of 32 (lifted_for_sums)
  E x[unknowns][edge + 1];              ///< right-hand sides, then unknowns
  E pivot[unknowns];
  double reciprocal[unknowns];                       ///< reciprocals of the pivots
  Chain<RealOf<E>, cr> sums[kept][parts_of<E>][32];  ///< sums of the unknowns; in dot2, of the next one
  unsigned hard[2];  ///< lanes whose r-th unknowns are undecided: hard[r % 2], since warps may be a row apart
  unsigned unsigned_zeros[kept];                    ///< lanes whose unknowns are zeros of unknown sign
  int hard_guesses, hard_guess[most_hard_guesses];  ///< UnprovedGuesses: guesses to compare, as edge row + lane
  int wrong[edge];                                  ///< each lane's first unknown that was guessed wrong
  E change[edge];                                   ///< that unknown less its guess
};

/// The data of a thread block that takes `count` unknowns from position `first` on, and 32 right-hand sides.
template <class E, bool cr>
class BlockData {
  using T = RealOf<E>;
  static constexpr int parts = parts_of<E>, unknowns = BlockStorage<E, cr>::unknowns;

 protected:
  static constexpr int all_threads = threads + 32;

  __device__ BlockData(const SolveJob<E>& job, Index first, int count, BlockStorage<E, cr>& storage)
      : job_(job),
        first_(first),
        count_(count),
        alpha_(job.alpha ? *job.alpha : job.system.alpha),
        lost_(has_side() && job.lost[side()] != 0),
        storage_(storage) {}

  /// Waits for all warps of the thread block. They may wait at different places of the program, which __syncthreads
  /// forbids.
  __device__ __forceinline__ static void everyone_arrives() {
    __syncwarp();  // lanes may have taken different ways
    ptx::barrier_sync(0, all_threads);
  }

  __device__ static int lane() { return threadIdx.x % 32; }
  __device__ static int warp() { return threadIdx.x / 32; }
  __device__ static Index side() { return Index{blockIdx.x} * edge + lane(); }
  __device__ bool has_side() const { return side() < job_.system.sides; }

  /// Loads the right-hand sides. Those that do not exist repeat the last one.
  __device__ __forceinline__ void load_right_sides() const {
    const Matrix<E>& x = job_.system.x;
    const E* const from = first_right_side();
    const Index row_step = step_of(x.row_stride);
    copy<unknowns * edge>(
        [&](int at) {
          const Place to = place_of<edge>(at, x.row_stride == 1);
          return from[min(to.row, count_ - 1) * row_step + min(to.other, sides_here() - 1) * x.col_stride];
        },
        [&](int at, const E& value) {
          const Place to = place_of<edge>(at, x.row_stride == 1);
          storage_.x[to.row][to.other] = value;
        });
  }
  __device__ void load_pivots() const {
    for (int r = static_cast<int>(threadIdx.x); r < count_; r += all_threads) {
      const Index at = job_.place(first_ + r);
      storage_.pivot[r] = job_.system.m(at, at);
      storage_.reciprocal[r] = Unknown<E>::of_row({}, storage_.pivot[r], job_.system.m.unit).reciprocal;
    }
  }
  /// Loads the columns of the unknowns from `sub` on, below these; all threads call this. Returns how many unknowns
  /// these are.
  __device__ int load(int sub) const {
    const int left = count_ - sub, here = min(edge, left);
    const bool by_rows = job_.system.m.stored.row_stride == 1;
#pragma unroll 4
    for (int at = threadIdx.x; at < edge * left; at += all_threads) {
      const int r = by_rows ? at % left : at / edge, q = by_rows ? at / left : at % edge;
      if (q < here)
        storage_.a[q][sub + r] =
            lifted_for_sums<E, cr>(job_.system.m(job_.place(first_ + sub + r), job_.place(first_ + sub + q)));
    }
    everyone_arrives();
    return here;
  }
  /// Loads the columns of all unknowns.
  __device__ __forceinline__ void load_columns() const {
    const accublas::Operand<E>& m = job_.system.m;
    const Index first = job_.place(first_), row_step = step_of(m.stored.row_stride),
                column_step = step_of(m.stored.col_stride);
    const E* const from = &m.stored(first, first);
    const bool by_rows = m.stored.row_stride == 1;
    copy<unknowns * unknowns>(
        [&](int at) {
          const Place to = place_of<unknowns>(at, by_rows);
          // Entries that are not needed may hold any readable number.
          const int r = min(max(to.row, 1), count_ - 1), q = max(min(to.other, r - 1), 0);
          return from[r * row_step + q * column_step];
        },
        [&](int at, const E& value) {
          const Place to = place_of<unknowns>(at, by_rows);
          storage_.a[to.other][to.row] = lifted_for_sums<E, cr>(conjugate_if(m.conjugate, value));
        });
  }
  __device__ __forceinline__ void store() const {
    const Matrix<E>& x = job_.system.x;
    E* const to = first_right_side();
    const Index row_step = step_of(x.row_stride);
#pragma unroll 4
    for (int at = static_cast<int>(threadIdx.x); at < unknowns * edge; at += all_threads) {
      const Place from = place_of<edge>(at, x.row_stride == 1);
      if (from.row < count_ && from.other < sides_here())
        to[from.row * row_step + from.other * x.col_stride] = storage_.x[from.row][from.other];
    }
  }
  /// Returns the stride from one position to the next.
  __device__ Index step_of(Index stride) const { return job_.forward ? stride : -stride; }
  /// Returns the block's r-th unknown, without a right-hand side.
  __device__ Unknown<E> row(int r) const {
    return {alpha_, {}, storage_.pivot[r], job_.system.m.unit, storage_.reciprocal[r]};
  }
  /// Returns a sum of the block's r-th unknown over the earlier blocks.
  __device__ BoundedPair<T, cr> before(int r, int part) const {
    // The load is unconditional, so that many loads are in flight at a time.
    const bool there = has_side() && r < count_;
    const Index row = job_.place(first_ + (there ? r : 0)) * parts + part;
    const BoundedPair<T, cr> sum = load_sum<T, cr>(job_.sums, row * job_.sums.stride + (there ? side() : 0));
    return there ? sum : BoundedPair<T, cr>{};
  }

  const SolveJob<E>& job_;
  const Index first_;
  const int count_;
  const E alpha_;
  const bool lost_;  ///< the lane's right-hand side was lost before this block
  BlockStorage<E, cr>& storage_;

 private:
  /// The row and the other index of a number, in an array that has the rows of all unknowns. The order keeps neighbours
  /// adjacent in memory.
  struct Place {
    int row, other;
  };
  template <int others>
  __device__ static Place place_of(int at, bool by_rows) {
    return by_rows ? Place{at % unknowns, at / unknowns} : Place{at / others, at % others};
  }
  /// Calls store(i, load(i)) for i < count, by all threads; several loads are in flight together.
  template <int count, class Load, class Store>
  __device__ __forceinline__ static void copy(Load&& load, Store&& store) {
    constexpr int at_once = 8;
#pragma unroll 1
    for (int begin = static_cast<int>(threadIdx.x); begin < count; begin += at_once * all_threads) {
      E value[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) value[k] = load(min(begin + k * all_threads, count - 1));
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (begin + k * all_threads < count) store(begin + k * all_threads, value[k]);
    }
  }
  __device__ E* first_right_side() const { return &job_.system.x(job_.place(first_), Index{blockIdx.x} * edge); }
  __device__ int sides_here() const {
    return static_cast<int>(min(Index{edge}, job_.system.sides - Index{blockIdx.x} * edge));
  }
};

}  // namespace accublas::cuda::solve
