#include "cuda/core/check.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/lu_cholesky/cholesky_diagonal.hpp"
#include "cuda/lu_cholesky/pivot_root.hpp"

namespace accublas::cuda {
namespace {

constexpr int warps = 8, none = -1;

/// The terms of an element of X in row `position` of a right-hand side. For the diagonal's element a column is
/// multiplied by itself.
template <class E>
struct ColumnTerms {
  const SolveJob<E>* job;
  Index position, side;
  __device__ Index count() const { return position; }
  __device__ E entry(Index q) const { return job->system.m(position, q); }
  __device__ E known(Index q) const { return job->system.x(q, side); }
  /// Returns A's element; it is only there until X's element overwrites it.
  __device__ E right_side() const { return job->system.x(position, side); }
};

template <class E>
struct DiagonalStorage {
  static constexpr int edge = static_cast<int>(cholesky_edge<E>);
  E row[edge][edge];                                               ///< rows of L^H, scaled by 2^row_lift
  Chain<RealOf<E>, true> sum[edge * (edge + 1) / 2][parts_of<E>];  ///< minus the numerators of the elements
  bool found[2];                                                   ///< row p has a pivot: found[p % 2]

  /// Returns the sum of row p in a column from p on.
  __device__ auto& sum_of(int p, int column) { return sum[p * edge - p * (p + 1) / 2 + column]; }
};

/// The rows in shared memory are scaled by 2^row_lift, so that their products are scaled by 2^sum_lift, as the sums
/// are.
template <class E>
inline constexpr int row_lift = sum_lift<E> / 2;
template <class E>
__device__ E lifted_row(const E& x) {
  if constexpr (row_lift<E> != 0)
    return x * power_of_two(row_lift<E>);
  else
    return x;
}
template <class E>
__device__ E unlifted_row(const E& x) {
  if constexpr (row_lift<E> != 0)
    return x * power_of_two(-row_lift<E>);
  else
    return x;
}

/// Factors a diagonal block by a thread block of 8 warps. Warp w has rows w, w + 8, ... of the block. It keeps the sums
/// of its pending rows in registers; a lane has every 32nd column. The warp that has the next row computes it while the
/// other warps add the contributions of the last row to their rows.
///
/// An element that is rounded from the sums is right but in rare cases, and a proof takes longer than the computation.
/// So the rows are guessed one after the other, then all of them are tested at once. If a test fails, the rows are
/// computed again, one by one, with proof.
template <class E>
class DiagonalBlock {
  using T = RealOf<E>;
  using Sum = Chain<T, true>;
  using Storage = DiagonalStorage<E>;
  static constexpr int parts = parts_of<E>, edge = Storage::edge, rows = edge / warps, halves = edge / 32;

 public:
  __device__ DiagonalBlock(const SolveJob<E>& job, Index first, int count, Storage& storage)
      : job_(job), first_(first), count_(count), storage_(storage) {}

  __device__ void run() {
    if (!job_.all_undecided) {
      make_rows<false>();
      __syncthreads();
      if (__syncthreads_and(are_proved())) return put();
    }
    make_rows<true>();
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  __device__ static int column(int half) { return 32 * half + lane(); }
  /// Returns whether a row has columns of that half from the diagonal on.
  __device__ static bool has(int half, int row) { return half == halves - 1 || row < 32 * (half + 1); }

  template <bool proved>
  __device__ __forceinline__ void make_rows() {
    Sums sums;
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int half = 0; half < halves; ++half) begin(sums.of[r][half], warps * r + warp(), column(half));
    const auto make = [&](int p) {
      if constexpr (proved)
        make_row(p, sums.of[0]);
      else
        guess_row(p, sums.of[0]);
    };
    if (warp() == 0) make(0);
    int owed = none;  // a row whose terms wait, since the warp had a row to compute
#pragma unroll 1
    for (int p = 0; p < count_; ++p) {
      __syncthreads();
      if (proved && !storage_.found[p % 2]) return;
      const int next = p + 1;
      if (next % warps == 0) drop_row(sums);
      if (next < count_ && warp() == next % warps) {
        add_row(p, sums.of[0], next);
        make(next);
        owed = p;
        continue;
      }
      const int base = next / warps * warps + warp();
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (const int to = base + warps * r; to > p && to < count_) {
          if (owed != none) add_row(owed, sums.of[r], to);
          add_row(p, sums.of[r], to);
        }
      owed = none;
    }
  }

  /// The sums of a warp's pending rows.
  struct Sums {
    Sum of[rows][halves][parts];
  };
  using RowSums = Sum[halves][parts];

  /// Loads the sums over what is before the block.
  __device__ void begin(Sum (&sum)[parts], int row, int column) const {
    if (row >= count_ || column < row || column >= count_) return;
#pragma unroll
    for (int part = 0; part < parts; ++part)
      sum[part] = Sum::from(load_sum<T, true>(job_.sums, ((first_ + row) * parts + part) * job_.sums.stride + column));
  }
  /// Drops the first of the pending rows, so that the next one becomes the first.
  __device__ static void drop_row(Sums& sums) {
#pragma unroll
    for (int r = 1; r < rows; ++r)
#pragma unroll
      for (int half = 0; half < halves; ++half)
#pragma unroll
        for (int part = 0; part < parts; ++part) sums.of[r - 1][half][part] = sums.of[r][half][part];
  }
  /// Adds row p's terms to the sums of row `to`.
  __device__ __forceinline__ void add_row(int p, RowSums& sums, int to) const {
    const E(&row)[edge] = storage_.row[p];
    const E factor = conjugate_if(is_complex<E>, row[to]);
#pragma unroll
    for (int half = 0; half < halves; ++half)
      if (has(half, to)) add_term(sums[half], factor, row[column(half)]);
  }

  /// Returns the sum of the pivot of row p, for all lanes.
  __device__ static Sum pivot_sum(int p, const RowSums& sums) {
    Sum sum = sums[halves - 1][0];
#pragma unroll
    for (int half = 0; half < halves - 1; ++half)
      if (p / 32 == half) sum = sums[half][0];
    return sum;
  }
  /// Returns 1 / pivot within 2^-52 of it, by Newton's steps from y, the reciprocal of the root of nearly its square.
  __device__ static double reciprocal(T pivot, double y) {
    for (int step = 0; step < 2; ++step) y = __fma_rn(__fma_rn(-static_cast<double>(pivot), y, 1), y, y);
    return y;
  }

  __device__ __forceinline__ void guess_row(int p, const RowSums& sums) {
    const Pair minus_left = of_lane(pivot_sum(p, sums).pair, p % 32);
    const double left = -minus_left.s, y = rsqrt(left), root = left * y,
                 second = (__fma_rn(-root, root, left) - minus_left.c) * (0.5 * y);
    const T pivot = static_cast<T>(root + second);  // scaled by 2^row_lift, as the row is
#pragma unroll
    for (int half = 0; half < halves; ++half) {
      if (!has(half, p)) continue;
      T value[parts];
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        value[part] = guessed_quotient(sums[half][part].pair, pivot, y);
        if (column(half) >= p) storage_.sum_of(p, column(half))[part] = sums[half][part];
      }
      E number;
      if constexpr (is_complex<E>)
        number = {value[0], value[1]};
      else
        number = value[0];
      storage_.row[p][column(half)] = column(half) == p ? E{pivot} : number;
    }
  }

  /// Returns whether the guessed elements that this thread tests are right.
  __device__ bool are_proved() const {
    bool all = true;
    for (int p = warp(); p < count_; p += warps) {
      T pivot{};
      const TripleSum left = square_of_pivot<E>(storage_.sum_of(p, p)[0]);
      const double y = rsqrt(left.a1);
      all &= CholeskyPivot<T>::root_of({left.a1, left.a2}, left.error, y, pivot) &&
             pivot == part_of(unlifted_row(storage_.row[p][p]), 0);
      const Unknown<E> unknown{E{T(1)}, {}, E{pivot}, false, reciprocal(pivot, y)};
      for (int at = lane(); at < count_; at += 32)
        if (at > p) all &= is_proved(unlifted_row(storage_.row[p][at]), unknown, storage_.sum_of(p, at));
    }
    return all;
  }
  /// Stores the rows at their positions in X.
  __device__ void put() const {
    const Matrix<E>& x = job_.system.x;
    const bool by_rows = x.row_stride == 1;
    for (int at = static_cast<int>(threadIdx.x); at < edge * edge; at += 32 * warps) {
      const int p = by_rows ? at % edge : at / edge, c = by_rows ? at / edge : at % edge;
      if (p <= c && c < count_) x(first_ + p, c) = unlifted_row(storage_.row[p][c]);
    }
  }

  /// Computes row p of the block, the first pending one, with proof: its pivot, then the elements to the right of the
  /// pivot.
  __device__ void make_row(int p, const RowSums& sums) {
    const TripleSum left = of_lane(square_of_pivot<E>(pivot_sum(p, sums)), p % 32);
    T pivot{};
    Unknown<E> unknown{E{T(1)}, {}, {}, false, 0};
    const double y = rsqrt(left.a1);
    bool found = true;
    if (CholeskyPivot<T>::root_of({left.a1, left.a2}, left.error, y, pivot) && !job_.all_undecided) {
      unknown.pivot = E{pivot};
      unknown.reciprocal = reciprocal(pivot, y);
    } else {
      const FoundPivot<T> of =
          pivot_by_terms<E>(ColumnTerms<E>{&job_, first_ + p, p}, job_.all_undecided, job_.undecided);
      pivot = of.pivot, found = of.found;
      unknown = Unknown<E>::of_row(E{T(1)}, E{pivot}, false);
    }
    if (lane() == 0) storage_.found[p % 2] = found;
    if (!found) {
      if (lane() == 0) *job_.stop = first_ + p + 1;
      return;
    }
#pragma unroll 1
    for (int half = 0; half < halves; ++half) {
      if (!has(half, p)) continue;
      const int at = column(half);
      const bool wanted = at > p && at < count_;
      const ColumnTerms<E> terms{&job_, first_ + p, at};
      E value = resolved_numerator(unknown, sums[half], wanted, job_.all_undecided, terms, job_.undecided);
      if (at == p) value = E{pivot};
      storage_.row[p][at] = lifted_row(value);
      if (wanted || at == p) job_.system.x(first_ + p, at) = value;
    }
  }

  const SolveJob<E>& job_;
  const Index first_;
  const int count_;
  Storage& storage_;
};

template <class E>
__global__ void __launch_bounds__(32 * warps, 1)
    factor_diagonal_kernel(const __grid_constant__ SolveJob<E> job, Index first, int count) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  if (*job.stop > 0) return;
  DiagonalBlock<E>(job, first, count, *reinterpret_cast<DiagonalStorage<E>*>(memory)).run();
}

}  // namespace

template <class E>
void factor_diagonal(const DeviceModel& model, const SolveJob<E>& job, Index first, Index count, cudaStream_t stream) {
  constexpr std::size_t bytes = sizeof(DiagonalStorage<E>);
  const auto kernel = factor_diagonal_kernel<E>;
  allow_shared_bytes(kernel, bytes, "a diagonal block");
  launch(model, "a diagonal block", kernel, {1, 32 * warps, bytes}, stream, job, first, static_cast<int>(count));
}

#define ACCUBLAS_INSTANTIATE(E) \
  template void factor_diagonal(const DeviceModel&, const SolveJob<E>&, Index, Index, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
