// Sums over the unknowns of a triangular system that are known.
#include <type_traits>

#include "cuda/core/launch.hpp"
#include "cuda/solve/settle.hpp"
#include "cuda/solve/solve_kernels.hpp"

namespace accublas::cuda {
namespace {

constexpr int warps = 8, threads = 32 * warps;
constexpr int edge = 32;  ///< right-hand sides of a thread block, a lane each; and unknowns at a time

/// A thread block takes 8 warps of `rows` unknowns each and 32 right-hand sides.
template <class E, int of_warp>
struct KnownTile {
  static constexpr int rows = of_warp, all_rows = warps * rows;
  E a[edge][all_rows], x[edge][edge + 1];
};

template <class E, bool cr, int of_warp>
__global__ void __launch_bounds__(threads, 2)
    add_known_kernel(const __grid_constant__ SolveJob<E> job, Index first, Index terms, Index count) {
  await_predecessor();
  using T = RealOf<E>;
  using Tile = KnownTile<E, of_warp>;
  constexpr int parts = parts_of<E>, rows = Tile::rows;
  constexpr Index block_terms = dot2_block / parts;
  __shared__ alignas(16) unsigned char memory[sizeof(Tile)];
  Tile& tile = *reinterpret_cast<Tile*>(memory);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Index row0 = Index{blockIdx.x} * Tile::all_rows, side0 = Index{blockIdx.y} * edge;
  const Index sides = job.system.sides;
  const bool a_by_rows = job.system.m.stored.row_stride == 1, x_by_rows = job.system.x.row_stride == 1;
  Chain<T, cr> chain[rows][parts];
  for (Index done = 0; done < terms;) {
    const int some = static_cast<int>(min(Index{edge}, terms - done));
    for (int at = threadIdx.x; at < edge * Tile::all_rows; at += threads) {
      const int r = a_by_rows ? at % Tile::all_rows : at / edge, q = a_by_rows ? at / Tile::all_rows : at % edge;
      if (q < some)
        tile.a[q][r] =
            row0 + r < count ? job.system.m(job.place(first + terms + row0 + r), job.place(first + done + q)) : E{};
    }
    for (int at = threadIdx.x; at < edge * edge; at += threads) {
      const int s = x_by_rows ? at / edge : at % edge, q = x_by_rows ? at % edge : at / edge;
      if (q < some) tile.x[q][s] = side0 + s < sides ? job.system.x(job.place(first + done + q), side0 + s) : E{};
    }
    __syncthreads();
    for (int q = 0; q < some; ++q) {
      const E x = tile.x[q][lane];
#pragma unroll
      for (int r = 0; r < rows; ++r) add_term(chain[r], tile.a[q][warp * rows + r], x);
    }
    __syncthreads();
    done += some;
    if (done % block_terms != 0 && done < terms) continue;
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        const Index row = row0 + warp * rows + r;
        if (row < count && side0 + lane < sides) {
          const Index at = (job.place(first + terms + row) * parts + part) * job.sums.stride + side0 + lane;
          BoundedPair<T, cr> sum = load_sum<T, cr>(job.sums, at);
          sum.add(chain[r][part].bounded());
          store_sum(job.sums, at, sum);
        }
        chain[r][part] = {};
      }
  }
}

/// Few rows a warp where the thread blocks of more would leave processors idle.
template <class E, bool cr>
void launch_known(const DeviceModel& model, const SolveJob<E>& job, Index first, Index terms, Index rows,
                  cudaStream_t stream) {
  const auto put = [&](auto of_warp) {
    constexpr int each = decltype(of_warp)::value, all_rows = KnownTile<E, each>::all_rows;
    const dim3 grid(static_cast<unsigned>(ceil_div(rows, Index{all_rows})),
                    static_cast<unsigned>(ceil_div(job.system.sides, Index{edge})));
    launch(model, "sums of known terms", add_known_kernel<E, cr, each>, {grid, threads}, stream, job, first, terms,
           rows);
  };
  constexpr int many = 8 / parts_of<E>, few = 2;
  const Index blocks = ceil_div(rows, Index{many * warps}) * ceil_div(job.system.sides, Index{edge});
  if (blocks < 2 * model.processors)
    put(std::integral_constant<int, few>{});
  else
    put(std::integral_constant<int, many>{});
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
ACCUBLAS_INSTANTIATE(double)
ACCUBLAS_INSTANTIATE(float)
ACCUBLAS_INSTANTIATE(Complex<double>)
ACCUBLAS_INSTANTIATE(Complex<float>)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
