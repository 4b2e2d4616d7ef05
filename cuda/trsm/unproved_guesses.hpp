// This header checks guessed unknowns of cr near underflow, which their sums do not prove. solve_kernels.cu uses it.
#pragma once

#include <type_traits>

#include "cuda/trsm/resolve_row.hpp"

namespace accublas::cuda::solve {

/// Checks a thread block's guessed unknowns if `is_proved` rejects some of them. Warp w checks `rows` unknowns from
/// number rows * w on. The last warp checks none.
template <class E>
class UnprovedGuesses : BlockData<E, true> {
  using T = RealOf<E>;
  using Base = BlockData<E, true>;
  using Base::job_, Base::first_, Base::count_, Base::alpha_, Base::lost_, Base::storage_;
  using Base::lane, Base::warp, Base::side, Base::has_side, Base::all_threads, Base::row;
  static constexpr int parts = parts_of<E>, unknowns = BlockStorage<E, true>::unknowns, rows = unknowns / warps;

 public:
  __device__ UnprovedGuesses(const SolveJob<E>& job, Index first, int count, BlockStorage<E, true>& storage)
      : Base(job, first, count, storage) {}

  /// Returns whether the guesses are right, after it has corrected the few that may be wrong. Zeros then have the right
  /// sign. All threads call this, and it may overwrite the sums.
  __device__ bool are_right() const {
    if (threadIdx.x < edge) storage_.wrong[lane()] = -1;
    Unproved unproved{};
    for (int round = 0; round < most_rounds; ++round) {
      __syncthreads();
      test_by_sums(unproved);
      const int count = list(unproved.hard);
      // If there are many, it is faster to compute all unknowns one by one.
      if (count > most_hard_guesses) return false;
      Wrong wrong{unknowns, 0, {}};
      if (!__syncthreads_and(compare(count, wrong))) return false;
      if (!__syncthreads_or(wrong.row < unknowns)) return have_signs(unproved.zeros);
      if (!correct(wrong)) return false;
    }
    return false;
  }

  /// Returns whether an unknown's magnitude is below half of the smallest subnormal number. Returns false in single
  /// precision and for complex numbers, whose sums are not scaled.
  __device__ static bool is_surely_zero(const Unknown<E>& unknown, const Chain<T, true> (&sums)[parts]) {
    if constexpr (std::is_same_v<E, double>) {
      const BoundedPair<T, true> sum = sums[0].bounded();
      const double bound = (fabs(sum.pair.s) + fabs(sum.pair.c) + sum.error) * (1 + 0x1p-50),
                   pivot = unknown.unit ? 1 : fabs(unknown.pivot);
      return pivot > 0x1p-50 && pivot < 0x1p50 && bound < pivot * power_of_two(sum_lift<E> - 1075);
    } else {
      return false;
    }
  }

  /// Gives the zeros among the unknowns their signs. Bit i of unsigned_zeros[r]: lane i's r-th unknown is a zero of
  /// unknown sign. Returns false if the sign of one of them is not sure. All threads call this, and it may overwrite
  /// the sums and the columns.
  __device__ bool give_signs(const unsigned (&unsigned_zeros)[unknowns]) const {
    if constexpr (std::is_same_v<E, double>) {
      this->load_columns();
      unsigned zeros = 0;
      if (warp() < warps)
        for (int i = 0; i < rows && rows * warp() + i < count_; ++i)
          zeros |= (unsigned_zeros[rows * warp() + i] >> lane() & 1) << i;
      __syncthreads();
      return find_signs(zeros);
    } else {
      return true;
    }
  }

 private:
  // Each round adds at most one term to a chain, which has room for dot2_block terms.
  static constexpr int most_rounds = 8;
  static_assert(unknowns + most_rounds <= dot2_block);

  /// Unknowns of a thread that its sums do not prove. Bit i stands for the warp's i-th unknown.
  struct Unproved {
    unsigned hard, zeros;  ///< `zeros` are of unknown sign
  };
  /// Tests the thread's unknowns after its lane's last correction. Earlier ones are right.
  __device__ void test_by_sums(Unproved& unproved) const {
    unproved.hard = 0;
    if (warp() >= warps || !has_side() || lost_) return;
#pragma unroll 1
    for (int i = 0; i < rows && rows * warp() + i < count_; ++i) {
      const int r = rows * warp() + i;
      if (r <= storage_.wrong[lane()]) continue;
      unproved.zeros &= ~(1u << i);
      Chain<T, true> sums[parts];
      for (int part = 0; part < parts; ++part) sums[part] = storage_.sums[r][part][lane()];
      const E guess = storage_.x[r][lane()];
      if (is_proved(guess, row(r), sums) || is_proved_apart(guess, row(r), sums)) continue;
      (guess == 0 && is_surely_zero(row(r), sums) ? unproved.zeros : unproved.hard) |= 1u << i;
    }
  }
  /// Lists the hard guesses of all threads, and returns how many there are.
  __device__ int list(unsigned hard) const {
    if (threadIdx.x == 0) storage_.hard_guesses = 0;
    __syncthreads();
    for (; hard != 0; hard &= hard - 1) {
      const int r = rows * warp() + __ffs(static_cast<int>(hard)) - 1, at = atomicAdd(&storage_.hard_guesses, 1);
      if (at < most_hard_guesses) storage_.hard_guess[at] = r * edge + lane();
    }
    __syncthreads();
    return storage_.hard_guesses;
  }

  /// An unknown of a lane whose guess is wrong, if the guesses before it are right. If there is none, `row` is
  /// `unknowns`.
  struct Wrong {
    int row, lane;
    E value;
  };
  /// Compares the listed guesses with the unknowns that sums of their terms in most_words words decide. A thread gets
  /// at most one wrong guess. Returns false if an unknown is not decided.
  __device__ bool compare(int count, Wrong& wrong) const {
    for (int at = warp(), mine = 0; at < count; at += warps + 1, ++mine) {
      const int r = storage_.hard_guess[at] / edge, of = storage_.hard_guess[at] % edge;
      const SolveTerms<E> terms{&job_, storage_.x, first_, first_ + r, Index{blockIdx.x} * edge + of};
      E value{};
      if (!decided_by_terms(row(r), terms, is_lifted<E>(magnitude_of<E>(storage_.sums[r][0][of])), value)) return false;
      if (lane() == mine && !have_equal_bits(value, storage_.x[r][of])) wrong = {r, of, value};
    }
    return true;
  }
  /// Corrects each lane's first wrong unknown, and adds the change to the sums of later ones. Returns false if the
  /// change is not exact.
  __device__ bool correct(const Wrong& wrong) const {
    if constexpr (is_complex<E>) {
      return false;
    } else {
      if (threadIdx.x < edge) storage_.wrong[lane()] = unknowns;
      __syncthreads();
      if (wrong.row < unknowns) atomicMin(&storage_.wrong[wrong.lane], wrong.row);
      __syncthreads();
      bool exact = true;
      if (wrong.row < unknowns && storage_.wrong[wrong.lane] == wrong.row) {
        E& x = storage_.x[wrong.row][wrong.lane];
        const E change = wrong.value - x;
        exact = x + change == wrong.value && wrong.value - change == x;
        storage_.change[wrong.lane] = change;
        x = wrong.value;
      }
      if (!__syncthreads_and(exact)) return false;
      const int first = storage_.wrong[lane()];
      for (int r = max(first + 1, rows * warp()); r < min(rows * (warp() + 1), count_); ++r)
        storage_.sums[r][0][lane()].step(storage_.a[first][r], storage_.change[lane()]);
      return true;
    }
  }

  /// Returns whether zeros of unknown sign have got their signs.
  __device__ bool have_signs(unsigned zeros) const {
    if (!__syncthreads_or(zeros != 0)) return true;
    if constexpr (std::is_same_v<E, double>)
      return find_signs(zeros);
    else
      return false;
  }

  /// A sum scaled by 2^lift, of which only the sign is needed.
  struct SignedSum {
    double sum = 0, size = 0;  ///< `size` is at least the sum of the magnitudes

    __device__ __forceinline__ void add(double x, double y) {
      sum = __fma_rn(x, y, sum);
      size = __fma_ru(fabs(x), fabs(y), size);
    }
    /// Returns whether the exact sum of n products has the sign of `sum`, or is zero like it. 2^-1000 covers products
    /// that underflow.
    __device__ bool is_sure(Index n) const {
      return size == 0 || fabs(sum) > size * (static_cast<double>(n) * 0x1p-52) + 0x1p-1000;
    }
  };
  struct Tile {
    double a[edge][unknowns], x[edge][edge + 1];
  };
  static_assert(sizeof(Tile) <= sizeof(BlockStorage<E, true>::sums));

  /// Finds the signs of the zeros in `zeros`. Returns false if rounding errors hide one. The known terms include zeros
  /// of the block whose signs are still unknown, because a sum does not depend on the signs of zero terms.
  __device__ bool find_signs(unsigned zeros) const {
    const double factor = lifting_factor(true);
    const bool has_rows = warp() < warps;
    SignedSum sums[rows];
    Tile& tile = reinterpret_cast<Tile&>(storage_.sums);
#pragma unroll 1
    for (Index done = 0; done < first_; done += edge) {
      load(done, factor, tile);
      __syncthreads();
      if (has_rows) {
#pragma unroll 4
        for (int q = 0; q < edge; ++q) {
          const double x = tile.x[q][lane()];
#pragma unroll
          for (int i = 0; i < rows; ++i) sums[i].add(tile.a[q][rows * warp() + i], x);
        }
      }
      __syncthreads();
    }
    bool sure = true;
    if (has_rows) {
#pragma unroll 1
      for (int q = 0; q < count_; ++q) {
        const double x = storage_.x[q][lane()] * factor;
#pragma unroll
        for (int i = 0; i < rows; ++i)
          if (const int r = rows * warp() + i; q < r)
            sums[i].add(storage_.a[q][r] * (factor * power_of_two(-sum_lift<E>)), x);
      }
#pragma unroll
      for (int i = 0; i < rows; ++i)
        if ((zeros >> i & 1) != 0) {
          const Index position = first_ + rows * warp() + i;
          sums[i].add(-alpha_, job_.system.x(job_.place(position), side()) * factor * factor);
          sure &= sums[i].is_sure(position + 1);
        }
    }
    if (!__syncthreads_and(sure)) return false;
#pragma unroll
    for (int i = 0; i < rows; ++i)
      if ((zeros >> i & 1) != 0) {
        const int r = rows * warp() + i;
        const bool negative = (sums[i].sum > 0) != (!job_.system.m.unit && storage_.pivot[r] < 0);
        storage_.x[r][lane()] = negative && sums[i].size != 0 ? -0.0 : 0.0;
      }
    __syncthreads();
    return true;
  }
  /// Loads the terms from `done` on, each factor times `factor`. Terms that do not exist are zero.
  __device__ __forceinline__ void load(Index done, double factor, Tile& tile) const {
    const Matrix<const double>& m = job_.system.m.stored;
    const Matrix<double>& x = job_.system.x;
    const bool m_by_rows = m.row_stride == 1, x_by_rows = x.row_stride == 1;
    const int last = static_cast<int>(min(Index{edge}, first_ - done)) - 1,
              last_side = static_cast<int>(min(Index{edge}, job_.system.sides - first_side())) - 1;
    const auto load_entries = [&](auto&& entry) {
#pragma unroll 8
      for (int at = static_cast<int>(threadIdx.x); at < edge * unknowns; at += all_threads) {
        const int r = m_by_rows ? at % unknowns : at / edge, q = m_by_rows ? at / unknowns : at % edge;
        const double loaded = entry(min(r, count_ - 1), min(q, last));
        tile.a[q][r] = q <= last ? loaded * factor : 0;
      }
    };
    const double* const entries = &m(job_.place(first_), job_.place(done));
    const Index row_step = this->step_of(m.row_stride), column_step = this->step_of(m.col_stride);
    // The far entries are in the first columns.
    if (job_.far.has(done))
      load_entries([&](int r, int q) {
        return job_.far.has(done + q) ? job_.far(first_ + r, done + q) : entries[r * row_step + q * column_step];
      });
    else
      load_entries([&](int r, int q) { return entries[r * row_step + q * column_step]; });
    const double* const numbers = &x(job_.place(done), first_side());
    const Index number_step = this->step_of(x.row_stride);
#pragma unroll 4
    for (int at = static_cast<int>(threadIdx.x); at < edge * edge; at += all_threads) {
      const int q = x_by_rows ? at % edge : at / edge, c = x_by_rows ? at / edge : at % edge;
      tile.x[q][c] = numbers[min(q, last) * number_step + min(c, last_side) * x.col_stride] * factor;
    }
  }
  __device__ static Index first_side() { return Index{blockIdx.x} * edge; }
};

/// Returns whether the guesses of a thread block are right (UnprovedGuesses). The function is not a member, because an
/// object would have to lie in memory for the call.
template <class E>
__device__ ACCUBLAS_NOINLINE bool are_right(const SolveJob<E>& job, Index first, int count,
                                            BlockStorage<E, true>& storage) {
  return UnprovedGuesses<E>(job, first, count, storage).are_right();
}
/// Gives a thread block's zeros their signs (UnprovedGuesses).
template <class E>
__device__ ACCUBLAS_NOINLINE bool give_signs(const SolveJob<E>& job, Index first, int count,
                                             BlockStorage<E, true>& storage) {
  return UnprovedGuesses<E>(job, first, count, storage).give_signs(storage.unsigned_zeros);
}

}  // namespace accublas::cuda::solve
