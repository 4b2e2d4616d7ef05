// Adds the products of a matrix with the known unknowns of a triangular system to the sums.
#include <type_traits>

#include "cuda/core/launch.hpp"
#include "cuda/trsm/resolve.hpp"
#include "cuda/trsm/solve_kernels.hpp"

namespace accublas::cuda {
namespace {

constexpr int known_warps = 8, known_threads = 32 * known_warps;
/// number of right-hand sides of a thread block, a lane each; also of unknowns at a time
constexpr int known_edge = 32;

/// A thread block takes 8 warps of `rows` unknowns each and 32 right-hand sides.
template <class E, int of_warp>
struct KnownTile {
  static constexpr int rows = of_warp, all_rows = known_warps * rows;
  E a[known_edge][all_rows], x[known_edge][known_edge + 1];
};

/// Holds the numbers of the next tile in registers. Their loads are in flight while the current tile is in use. Rows,
/// right-hand sides and terms that do not exist get the numbers of others.
template <class E, int of_warp>
class NextTile {
  using Tile = KnownTile<E, of_warp>;
  static constexpr int entries = known_edge * Tile::all_rows / known_threads,
                       numbers = known_edge * known_edge / known_threads;

 public:
  /// Prepares tiles of `terms` unknowns from position `first` on, of rows from row0 on out of the `count` rows after
  /// these unknowns, and of right-hand sides from side0 on.
  __device__ NextTile(const SolveJob<E>& job, Index first, Index terms, Index row0, Index count, Index side0)
      : terms_(terms),
        rows_(static_cast<int>(min(Index{Tile::all_rows}, count - row0))),
        sides_(static_cast<int>(min(Index{known_edge}, job.system.sides - side0))),
        conjugate_(job.system.m.conjugate) {
    const Index sign = job.forward ? 1 : -1;
    const Matrix<const E>& m = job.system.m.stored;
    const Matrix<E>& x = job.system.x;
    m_ = {&m(job.place(first + terms + row0), job.place(first)), sign * m.row_stride, sign * m.col_stride};
    x_ = {&x(job.place(first), side0), sign * x.row_stride, x.col_stride};
    m_by_rows_ = m.row_stride == 1, x_by_rows_ = x.row_stride == 1;
  }
  /// Loads the tile from term `done` on.
  __device__ __forceinline__ void load(Index done) {
    const int last = static_cast<int>(min(Index{known_edge}, terms_ - done)) - 1;
#pragma unroll
    for (int i = 0; i < entries; ++i) entry_[i] = m_(min(row(i), rows_ - 1), done + min(column(i), last));
#pragma unroll
    for (int i = 0; i < numbers; ++i) number_[i] = x_(done + min(unknown(i), last), min(side(i), sides_ - 1));
  }
  __device__ __forceinline__ void store(Tile& tile) const {
#pragma unroll
    for (int i = 0; i < entries; ++i) tile.a[column(i)][row(i)] = conjugate_if(conjugate_, entry_[i]);
#pragma unroll
    for (int i = 0; i < numbers; ++i) tile.x[unknown(i)][side(i)] = number_[i];
  }

 private:
  __device__ static int at(int i) { return static_cast<int>(threadIdx.x) + i * known_threads; }
  __device__ int row(int i) const { return m_by_rows_ ? at(i) % Tile::all_rows : at(i) / known_edge; }
  __device__ int column(int i) const { return m_by_rows_ ? at(i) / Tile::all_rows : at(i) % known_edge; }
  __device__ int unknown(int i) const { return x_by_rows_ ? at(i) % known_edge : at(i) / known_edge; }
  __device__ int side(int i) const { return x_by_rows_ ? at(i) / known_edge : at(i) % known_edge; }

  const Index terms_;
  const int rows_, sides_;
  const bool conjugate_;
  Matrix<const E> m_, x_;
  bool m_by_rows_, x_by_rows_;
  E entry_[entries], number_[numbers];
};

/// A warp has this many unknowns, or few_rows if larger thread blocks would leave processors idle.
template <class E>
constexpr int many_rows = 8 / parts_of<E>;
constexpr int few_rows = 2;

template <class E, bool cr, int of_warp>
__global__ void __launch_bounds__(known_threads, of_warp > few_rows ? 2
                                                 : is_complex<E>    ? 3
                                                                    : 4)
    add_known_kernel(const __grid_constant__ SolveJob<E> job, Index first, Index terms, Index count) {
  await_predecessor();
  using T = RealOf<E>;
  using Tile = KnownTile<E, of_warp>;
  constexpr int parts = parts_of<E>, rows = Tile::rows;
  constexpr Index block_terms = dot2_block / parts;
  __shared__ alignas(16) unsigned char memory[sizeof(Tile)];
  Tile& tile = *reinterpret_cast<Tile*>(memory);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Index row0 = Index{blockIdx.x} * Tile::all_rows, side0 = Index{blockIdx.y} * known_edge;
  const Index sides = job.system.sides;
  NextTile<E, of_warp> next(job, first, terms, row0, count, side0);
  next.load(0);
  Chain<T, cr> chain[rows][parts];
  for (Index done = 0; done < terms;) {
    const int some = static_cast<int>(min(Index{known_edge}, terms - done));
    next.store(tile);
    __syncthreads();
    if (done + some < terms) next.load(done + some);
    for (int q = 0; q < some; ++q) {
      const E x = tile.x[q][lane];
#pragma unroll
      for (int r = 0; r < rows; ++r) add_term(chain[r], tile.a[q][warp * rows + r], x);
    }
    __syncthreads();
    done += some;
    if (done % block_terms != 0 && done < terms) continue;
    const auto at = [&](int r, int part) {
      const Index row = min(row0 + warp * rows + r, count - 1), side = min(side0 + lane, sides - 1);
      return (job.place(first + terms + row) * parts + part) * job.sums.stride + side;
    };
    // Several sums are loaded together.
    constexpr int together = rows < 4 / parts ? rows : 4 / parts;
#pragma unroll
    for (int r0 = 0; r0 < rows; r0 += together) {
      BoundedPair<T, cr> sum[together][parts];
#pragma unroll
      for (int r = 0; r < together; ++r)
#pragma unroll
        for (int part = 0; part < parts; ++part) sum[r][part] = load_sum<T, cr>(job.sums, at(r0 + r, part));
#pragma unroll
      for (int r = 0; r < together; ++r)
#pragma unroll
        for (int part = 0; part < parts; ++part) {
          sum[r][part].add(chain[r0 + r][part].bounded());
          if (row0 + warp * rows + r0 + r < count && side0 + lane < sides)
            store_sum(job.sums, at(r0 + r, part), sum[r][part]);
          chain[r0 + r][part] = {};
        }
    }
  }
}

template <class E, bool cr>
void launch_known(const DeviceModel& model, const SolveJob<E>& job, Index first, Index terms, Index rows,
                  cudaStream_t stream) {
  const auto put = [&](auto of_warp) {
    constexpr int each = decltype(of_warp)::value, all_rows = KnownTile<E, each>::all_rows;
    const dim3 grid(static_cast<unsigned>(ceil_div(rows, Index{all_rows})),
                    static_cast<unsigned>(ceil_div(job.system.sides, Index{known_edge})));
    launch(model, "sums of known terms", add_known_kernel<E, cr, each>, {grid, known_threads}, stream, job, first,
           terms, rows);
  };
  const Index blocks =
      ceil_div(rows, Index{many_rows<E> * known_warps}) * ceil_div(job.system.sides, Index{known_edge});
  if (blocks < 2 * model.processors)
    put(std::integral_constant<int, few_rows>{});
  else
    put(std::integral_constant<int, many_rows<E>>{});
}
}  // namespace

template <class E>
void add_known(const DeviceModel& model, const SolveJob<E>& job, Index first, Index terms, Index rows,
               cudaStream_t stream) {
  job.dot2 ? launch_known<E, false>(model, job, first, terms, rows, stream)
           : launch_known<E, true>(model, job, first, terms, rows, stream);
}

#define ACCUBLAS_INSTANTIATE(E) \
  template void add_known(const DeviceModel&, const SolveJob<E>&, Index, Index, Index, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
