#include "cuda/core/launch.hpp"
#include "cuda/factor/cholesky_diagonal.hpp"
#include "cuda/solve/settle.hpp"
#include "lib/numerics/cholesky_pivot.hpp"

namespace accublas::cuda {
namespace {

constexpr int edge = static_cast<int>(cholesky_edge), warps = 8, rows = edge / warps;

/// Of an element of X in row `position` of a right-hand side; that of the diagonal is a column against itself.
template <class E>
struct ColumnTerms {
  const SolveJob<E>* job;
  Index position, side;
  __device__ Index count() const { return position; }
  __device__ E entry(Index q) const { return job->system.m(position, q); }
  __device__ E known(Index q) const { return job->system.x(q, side); }
};

/// A thread block of 8 warps: warp w keeps the sums of rows w, w + 8, ... of the block in registers, a column a lane.
template <class E>
class DiagonalBlock {
  using T = RealOf<E>;
  static constexpr int parts = parts_of<E>;

 public:
  __device__ DiagonalBlock(const SolveJob<E>& job, Index first, int count) : job_(job), first_(first), count_(count) {}

  __device__ void run(E (&row)[edge], bool& found) {
    Chain<T, true> chain[rows][parts];
    E number[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      number[r] = number_at(warps * r + warp());
#pragma unroll
      for (int part = 0; part < parts; ++part) chain[r][part] = Chain<T, true>::from(before(warps * r + warp(), part));
    }
#pragma unroll
    for (int step = 0; step < rows; ++step)
#pragma unroll 1
      for (int owner = 0; owner < warps; ++owner) {
        const int p = warps * step + owner;
        if (p >= count_) return;
        if (warp() == owner) make_row(p, number[step], chain[step], row, found);
        __syncthreads();
        if (!found) return;
        const E mine = row[lane()];
#pragma unroll
        for (int r = step; r < rows; ++r) {
          const int to = warps * r + warp();
          if (to > p) add_term(chain[r], conjugate_if(is_complex<E>, row[to]), mine);
        }
        __syncthreads();
      }
  }

 private:
  __device__ static int lane() { return threadIdx.x % 32; }
  __device__ static int warp() { return threadIdx.x / 32; }

  __device__ BoundedPair<T, true> before(int r, int part) const {
    if (r >= count_ || lane() < r || lane() >= count_) return {};
    return load_sum<T, true>(job_.sums, ((first_ + r) * parts + part) * job_.sums.stride + lane());
  }

  /// Of A, in row r of the block.
  __device__ E number_at(int r) const {
    return r < count_ && lane() >= r && lane() < count_ ? job_.system.x(first_ + r, lane()) : E{};
  }

  /// Row p of the block, from A's numbers there: its pivot, then what is right of it.
  __device__ void make_row(int p, const E& number, const Chain<T, true> (&chain)[parts], E (&row)[edge],
                           bool& found) const {
    const Matrix<E>& x = job_.system.x;
    BoundedPair<T, true> sums[parts];
#pragma unroll
    for (int part = 0; part < parts; ++part) sums[part] = chain[part].bounded();
    T pivot = pivot_of(p, of_lane(number, p), of_lane(sums[0], p));
    if (!found_) {
      if (lane() == 0) {
        found = false;
        *job_.stop = first_ + p + 1;
      }
      return;
    }
    const bool wanted = lane() > p && lane() < count_;
    Unknown<E> unknown = Unknown<E>::of_row(E{T(1)}, E{pivot}, false);
    unknown.b = number;
    const ColumnTerms<E> terms{&job_, first_ + p, lane()};
    E value = settled<E, true>(unknown, sums, wanted, job_.all_undecided, terms, job_.undecided);
    if (lane() == p) value = E{pivot};
    row[lane()] = value;
    if (wanted || lane() == p) x(first_ + p, lane()) = value;
  }

  /// By all lanes.
  __device__ T pivot_of(int p, const E& number, const BoundedPair<T, true>& sum) const {
    const CholeskyPivot<T> pivot{part_of(number, 0)};
    T result{};
    found_ = true;
    if (!job_.all_undecided) {
      if (pivot.approximate(triple(sum), result)) return result;
      BoundedPair<T, true> better[parts];
      sums_of_terms<E>(ColumnTerms<E>{&job_, first_ + p, p}, better);
      if (pivot.approximate(triple(better[0]), result)) return result;
    }
    ExactSum<double> above;
    add_terms<E>(ColumnTerms<E>{&job_, first_ + p, p}, 0, above);
    join_lanes(above);
    found_ = pivot.exact(above, result);
    if (found_ && lane() == 0) atomicAdd(job_.undecided, 1ull);
    return result;
  }

  const SolveJob<E>& job_;
  const Index first_;
  const int count_;
  mutable bool found_ = true;
};

template <class E>
__global__ void __launch_bounds__(32 * warps)
    factor_diagonal_kernel(const __grid_constant__ SolveJob<E> job, Index first, int count) {
  await_predecessor();
  __shared__ alignas(16) unsigned char memory[edge * sizeof(E)];
  __shared__ bool found;
  if (*job.stop > 0) return;
  if (threadIdx.x == 0) found = true;
  __syncthreads();
  DiagonalBlock<E>(job, first, count).run(*reinterpret_cast<E(*)[edge]>(memory), found);
}

}  // namespace

template <class E>
void factor_diagonal(const DeviceModel& model, const SolveJob<E>& job, Index first, Index count, cudaStream_t stream) {
  launch(model, "a diagonal block", factor_diagonal_kernel<E>, {1, 32 * warps}, stream, job, first,
         static_cast<int>(count));
}

#define ACCUBLAS_INSTANTIATE(E) \
  template void factor_diagonal(const DeviceModel&, const SolveJob<E>&, Index, Index, cudaStream_t);
ACCUBLAS_INSTANTIATE(double)
ACCUBLAS_INSTANTIATE(float)
ACCUBLAS_INSTANTIATE(Complex<double>)
ACCUBLAS_INSTANTIATE(Complex<float>)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
