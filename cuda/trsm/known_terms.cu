// The sums of a triangular system: they begin with the right-hand sides, the products of the matrix with the known
// unknowns are added, and uncertain ones are computed again.
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

template <class E>
__device__ bool is_zero_number(const E& z) {
  return is_zero(part_of(z, 0)) && is_zero(part_of(z, parts_of<E> - 1));
}
template <class E>
__device__ bool is_finite_number(const E& z) {
  return is_finite(part_of(z, 0)) && is_finite(part_of(z, parts_of<E> - 1));
}

/// Holds the numbers of the next tile in registers. Their loads are in flight while the current tile is in use. Rows,
/// right-hand sides and terms that do not exist get the numbers of others. `with_far`: the terms may have far entries.
template <class E, bool cr, int of_warp, bool with_far = false>
class NextTile {
  using Tile = KnownTile<E, of_warp>;
  static constexpr int entries = known_edge * Tile::all_rows / known_threads,
                       numbers = known_edge * known_edge / known_threads;

 public:
  /// Prepares tiles of `terms` unknowns from position `first` on, of rows from row0 on out of the `count` rows after
  /// these unknowns, and of right-hand sides from side0 on.
  __device__ NextTile(const SolveJob<E>& job, Index first, Index terms, Index row0, Index count, Index side0)
      : far_(job.far),
        first_(first),
        position_(first + terms + row0),
        terms_(terms),
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
    // The far entries are in the first columns.
    const bool far = with_far && far_.has(first_ + done);
#pragma unroll
    for (int i = 0; i < entries; ++i) {
      const Index r = min(row(i), rows_ - 1), q = done + min(column(i), last);
      entry_[i] = far && far_.has(first_ + q) ? far_(position_ + r, first_ + q) : m_(r, q);
    }
#pragma unroll
    for (int i = 0; i < numbers; ++i) number_[i] = x_(done + min(unknown(i), last), min(side(i), sides_ - 1));
  }
  __device__ __forceinline__ void store(Tile& tile) const {
#pragma unroll
    for (int i = 0; i < entries; ++i)
      tile.a[column(i)][row(i)] = lifted_for_sums<E, cr>(conjugate_if(conjugate_, entry_[i]));
#pragma unroll
    for (int i = 0; i < numbers; ++i) tile.x[unknown(i)][side(i)] = number_[i];
  }
  /// Returns whether a number of the thread is zero.
  __device__ __forceinline__ bool has_zero() const {
    bool any = false;
    for (int i = 0; i < entries; ++i) any |= is_zero_number(entry_[i]);
    for (int i = 0; i < numbers; ++i) any |= is_zero_number(number_[i]);
    return any;
  }
  __device__ __forceinline__ bool is_finite() const {
    bool all = true;
    for (int i = 0; i < entries; ++i) all &= is_finite_number(entry_[i]);
    for (int i = 0; i < numbers; ++i) all &= is_finite_number(number_[i]);
    return all;
  }

 private:
  __device__ static int at(int i) { return static_cast<int>(threadIdx.x) + i * known_threads; }
  __device__ int row(int i) const { return m_by_rows_ ? at(i) % Tile::all_rows : at(i) / known_edge; }
  __device__ int column(int i) const { return m_by_rows_ ? at(i) / Tile::all_rows : at(i) % known_edge; }
  __device__ int unknown(int i) const { return x_by_rows_ ? at(i) % known_edge : at(i) / known_edge; }
  __device__ int side(int i) const { return x_by_rows_ ? at(i) / known_edge : at(i) % known_edge; }

  const FarEntries<E> far_;
  const Index first_, position_, terms_;
  const int rows_, sides_;
  const bool conjugate_;
  Matrix<const E> m_, x_;
  bool m_by_rows_, x_by_rows_;
  E entry_[entries], number_[numbers];
};

/// Returns whether a sum must be refined. Errors near underflow do not count, since more words do not reduce them.
template <class T>
__device__ bool is_uncertain(const BoundedPair<T, true>& sum, double relative) {
  return sum.error > fabs(sum.pair.s) * relative && sum.error > 0x1p-950;
}

/// The sums of a thread block's tile, of rows from row0 on out of the `count` rows after the `known` unknowns, and of
/// right-hand sides from side0 on. A thread has some rows and a right-hand side. If they do not exist, it gets others.
template <class E, int of_warp>
struct TileOfSums {
  using T = RealOf<E>;
  using Tile = KnownTile<E, of_warp>;
  static constexpr int parts = parts_of<E>, rows = Tile::rows;
  /// Sums are refined if this many threads have uncertain ones. The code that resolves one unknown at a time serves a
  /// few; random data have a handful.
  static constexpr int many = known_threads / 10;

  const SolveJob<E>& job;
  Index known, row0, count, side0;

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  __device__ bool has(int r) const { return row0 + warp() * rows + r < count && side0 + lane() < job.system.sides; }
  __device__ Index position(int r) const { return known + min(row0 + r, count - 1); }
  __device__ Index side(int c) const { return min(side0 + c, job.system.sides - 1); }
  /// Returns the index of a part of the thread's r-th sum.
  __device__ Index at(int r, int part) const {
    return (job.place(position(warp() * rows + r)) * parts + part) * job.sums.stride + side(lane());
  }

  /// Computes the tile's sums from all their terms in three words, if they are uncertain for `many` threads. If the
  /// sums of half of the threads are `zero`, most terms are zero and are left out, so that one uncertain thread
  /// suffices. If three words leave many threads uncertain, the sums are computed in most_words words. All threads call
  /// this.
  __device__ void refine_if(bool uncertain, Tile& tile, bool zero = false) const {
    const int count = __syncthreads_count(uncertain);
    if (count < many && (count == 0 || __syncthreads_count(zero) < known_threads / 2)) return;
    uncertain = refine<3, rows>(*this, 0, tile);
    if (__syncthreads_count(uncertain) < many) return;
    constexpr int some = parts == 1 ? 2 : 1;  // whose words fit in registers
    static_assert(rows % some == 0);
#pragma unroll 1
    for (int r = 0; r < rows; r += some) refine<most_words, some>(*this, r, tile);
  }

 private:
  /// Computes `some` sums of each thread, from the r0-th on. Returns whether one of them stays uncertain. The function
  /// is not inlined, so that it takes no registers of the code that seldom calls it.
  template <int words, int some_rows>
  __device__ static ACCUBLAS_NOINLINE bool refine(TileOfSums of, int r0, Tile& tile) {
    const SolveJob<E>& job = of.job;
    const E alpha = job.alpha ? *job.alpha : job.system.alpha;
    const int row0 = warp() * rows + r0;
    WordSum<words> sum[some_rows][parts];
#pragma unroll
    for (int r = 0; r < some_rows; ++r)
      subtract_right_side(sum[r], alpha,
                          lifted_for_sums(job.system.x(job.place(of.position(row0 + r)), of.side(lane()))));
    NextTile<E, true, of_warp, true> next(job, 0, of.known, of.row0, of.count, of.side0);
    next.load(0);
#pragma unroll 1
    for (Index done = 0; done < of.known;) {
      const int some = static_cast<int>(min(Index{known_edge}, of.known - done));
      next.store(tile);
      // Products with a zero add nothing, unless the other factor is not finite.
      const bool leaves_out_zeros = __syncthreads_or(next.has_zero()) && __syncthreads_and(next.is_finite());
      if (done + some < of.known) next.load(done + some);
      unsigned terms = some < 32 ? (1u << some) - 1 : ~0u;
      static_assert(known_edge == 32);
      if (leaves_out_zeros) {
        bool any = false;
#pragma unroll
        for (int r = 0; r < some_rows; ++r) any |= !is_zero_number(tile.a[lane()][row0 + r]);
        terms &= __ballot_sync(0xFFFFFFFFu, any);
      }
#pragma unroll 1
      for (; terms != 0; terms &= terms - 1) {
        const int q = __ffs(static_cast<int>(terms)) - 1;
        const E x = tile.x[q][lane()];
        if (leaves_out_zeros && !__any_sync(0xFFFFFFFFu, !is_zero_number(x))) continue;
#pragma unroll
        for (int r = 0; r < some_rows; ++r) add_term(sum[r], tile.a[q][row0 + r], x);
      }
      __syncthreads();
      done += some;
    }
    bool uncertain = false;
#pragma unroll
    for (int r = 0; r < some_rows; ++r)
#pragma unroll
      for (int part = 0; part < parts; ++part)
        if (of.has(r0 + r)) {
          const BoundedPair<T, true> pair = leading_pair<T>(sum[r][part].leading());
          store_sum(job.sums, of.at(r0 + r, part), pair);
          uncertain |= is_uncertain(pair, job.uncertain);
        }
    return uncertain;
  }
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
  const TileOfSums<E, of_warp> sums{job, first + terms, row0, count, side0};
  bool uncertain = false;
  NextTile<E, cr, of_warp> next(job, first, terms, row0, count, side0);
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
    uncertain = false;
    // Several sums are loaded together.
    constexpr int together = rows < 4 / parts ? rows : 4 / parts;
#pragma unroll
    for (int r0 = 0; r0 < rows; r0 += together) {
      BoundedPair<T, cr> sum[together][parts];
#pragma unroll
      for (int r = 0; r < together; ++r)
#pragma unroll
        for (int part = 0; part < parts; ++part) sum[r][part] = load_sum<T, cr>(job.sums, sums.at(r0 + r, part));
#pragma unroll
      for (int r = 0; r < together; ++r)
#pragma unroll
        for (int part = 0; part < parts; ++part) {
          sum[r][part].add(chain[r0 + r][part].bounded());
          if (sums.has(r0 + r)) {
            store_sum(job.sums, sums.at(r0 + r, part), sum[r][part]);
            if constexpr (cr) uncertain |= is_uncertain(sum[r][part], job.uncertain);
          }
          chain[r0 + r][part] = {};
        }
    }
  }
  if constexpr (cr) sums.refine_if(uncertain, tile);
}

template <class E>
__global__ void __launch_bounds__(known_threads, 2)
    refine_sums_kernel(const __grid_constant__ SolveJob<E> job, Index known, Index count) {
  await_predecessor();
  using Sums = TileOfSums<E, few_rows>;
  __shared__ alignas(16) unsigned char memory[sizeof(typename Sums::Tile)];
  const Sums sums{job, known, Index{blockIdx.x} * Sums::Tile::all_rows, count, Index{blockIdx.y} * known_edge};
  bool uncertain = false, zero = true;
#pragma unroll
  for (int r = 0; r < Sums::rows; ++r)
#pragma unroll
    for (int part = 0; part < Sums::parts; ++part) {
      const BoundedPair<RealOf<E>, true> sum = load_sum<RealOf<E>, true>(job.sums, sums.at(r, part));
      uncertain |= is_uncertain(sum, job.uncertain) && sums.has(r);
      zero &= sum.pair.s == 0 && sum.error == 0;
    }
  sums.refine_if(uncertain, *reinterpret_cast<typename Sums::Tile*>(memory), zero);
}

/// A thread block begins the sums of 32 rows and 32 right-hand sides. Neighbours in memory are loaded and stored
/// together.
template <class E>
__global__ void __launch_bounds__(known_threads)
    begin_sums_kernel(const __grid_constant__ SolveJob<E> job, Index rows) {
  await_predecessor();
  using T = RealOf<E>;
  constexpr int parts = parts_of<E>, pitch = known_edge + 1;
  __shared__ alignas(16) unsigned char memory[known_edge * pitch * sizeof(E)];
  E* const b = reinterpret_cast<E*>(memory);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Index row0 = Index{blockIdx.x} * known_edge, side0 = Index{blockIdx.y} * known_edge;
  const TriangularSystem<E>& system = job.system;
  const E alpha = job.alpha ? *job.alpha : system.alpha;
  const bool by_rows = system.x.row_stride == 1;
#pragma unroll
  for (int i = warp; i < known_edge; i += known_warps) {
    const int r = by_rows ? lane : i, c = by_rows ? i : lane;
    // If alpha is zero, the right-hand sides must not be read.
    const bool there = row0 + r < rows && side0 + c < system.sides && !(alpha == 0);
    b[r * pitch + c] = there ? system.x(row0 + r, side0 + c) : E{};
  }
  __syncthreads();
#pragma unroll
  for (int r = warp; r < known_edge; r += known_warps) {
    if (row0 + r >= rows || side0 + lane >= system.sides) continue;
    WordSum<3> chain[parts];
    subtract_right_side(chain, alpha, lifted_for_sums(b[r * pitch + lane]));
#pragma unroll
    for (int part = 0; part < parts; ++part)
      store_sum(job.sums, ((row0 + r) * parts + part) * job.sums.stride + side0 + lane,
                leading_pair<T>(chain[part].leading()));
  }
}

/// Returns a grid of thread blocks with `rows` rows and 32 right-hand sides each.
dim3 grid_of(Index all_rows, Index rows, Index sides) {
  return {static_cast<unsigned>(ceil_div(all_rows, rows)), static_cast<unsigned>(ceil_div(sides, Index{known_edge}))};
}

template <class E, bool cr>
void launch_known(const DeviceModel& model, const SolveJob<E>& job, Index first, Index terms, Index rows,
                  cudaStream_t stream) {
  const auto put = [&](auto of_warp) {
    constexpr int each = decltype(of_warp)::value, all_rows = KnownTile<E, each>::all_rows;
    launch(model, "sums of known terms", add_known_kernel<E, cr, each>,
           {grid_of(rows, all_rows, job.system.sides), known_threads}, stream, job, first, terms, rows);
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

template <class E>
void refine_sums(const DeviceModel& model, const SolveJob<E>& job, Index known, Index rows, cudaStream_t stream) {
  launch(model, "refined sums", refine_sums_kernel<E>,
         {grid_of(rows, KnownTile<E, few_rows>::all_rows, job.system.sides), known_threads}, stream, job, known, rows);
}

template <class E>
void begin_sums(const DeviceModel& model, const SolveJob<E>& job, Index rows, cudaStream_t stream) {
  launch(model, "beginning sums", begin_sums_kernel<E>, {grid_of(rows, known_edge, job.system.sides), known_threads},
         stream, job, rows);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                       \
  template void add_known(const DeviceModel&, const SolveJob<E>&, Index, Index, Index, cudaStream_t); \
  template void refine_sums(const DeviceModel&, const SolveJob<E>&, Index, Index, cudaStream_t);      \
  template void begin_sums(const DeviceModel&, const SolveJob<E>&, Index, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
