#include <type_traits>

#include "cuda/core/call_state.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/ptx_words.hpp"
#include "cuda/solve/settle.hpp"
#include "cuda/solve/solve_kernels.hpp"

namespace accublas::cuda {
namespace {

constexpr int warps = 8, threads = 32 * warps;
constexpr int edge = 32;  ///< right-hand sides of a thread block, a lane each; and unknowns at a time

// ---- Sums over the unknowns that are known ------------------------------------------------------------------------

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

// ---- The next unknowns --------------------------------------------------------------------------------------------

template <class E, bool cr>
struct BlockStorage {
  static constexpr int unknowns = solve_block_unknowns<E>(!cr), kept = cr ? unknowns : 1;
  E a[edge][unknowns];      ///< columns of 32 unknowns
  E x[unknowns][edge + 1];  ///< right-hand sides, then unknowns
  E pivot[unknowns];
  double reciprocal[unknowns];                       ///< of the pivots
  Chain<RealOf<E>, cr> sums[kept][parts_of<E>][32];  ///< of the unknowns; of dot2, of the next one
};

/// Those before the unknown at `position` of a right-hand side: from position `near` on they lie in `x`, the others in
/// their place.
template <class E>
struct SolveTerms {
  const SolveJob<E>* job;
  const E (*x)[edge + 1];
  Index near, position, side;
  __device__ Index count() const { return position; }
  __device__ E entry(Index q) const {
    if (job->far.has(q)) return job->far(position, q);
    return job->system.m(job->place(position), job->place(q));
  }
  __device__ E known(Index q) const { return q < near ? job->system.x(job->place(q), side) : x[q - near][side % edge]; }
  /// Until the unknown stands there.
  __device__ E right_side() const { return x[position - near][side % edge]; }
};

template <class E>
__device__ bool any_nan(const E& z) {
  if constexpr (is_complex<E>)
    return is_nan(z.re) || is_nan(z.im);
  else
    return is_nan(z);
}

template <class E>
__device__ E nan_of() {
  constexpr RealOf<E> nan = canonical_nan<RealOf<E>>();
  if constexpr (is_complex<E>)
    return {nan, nan};
  else
    return nan;
}

/// A thread block takes 32 right-hand sides, a lane each, and some unknowns, whose columns it has 32 at a time. Of its
/// warps, number w keeps the sums of the block's unknowns 8 j + w in registers, of cr less their right-hand sides, and
/// adds each unknown to them as soon as it is there, those of the next one first; one more warp makes unknowns of sums.
///
/// What cr's sums make of an unknown is right but in rare cases, and to prove it takes longer than to compute it, while
/// all others wait. So cr's unknowns are guessed, and tested all at once; in doubt they are made again, one by one.
template <class E, bool cr>
class SolveBlock {
  using T = RealOf<E>;
  using Storage = BlockStorage<E, cr>;
  static constexpr int parts = parts_of<E>, rows = Storage::unknowns / warps, rows_at_once = edge / warps,
                       all_threads = threads + 32;
  enum Barrier { everyone, sums_are_there, unknown_is_there };

 public:
  __device__ SolveBlock(const SolveJob<E>& job, Index first, int count, Storage& storage)
      : job_(job),
        first_(first),
        count_(count),
        alpha_(job.alpha ? *job.alpha : job.system.alpha),
        lost_(has_side() && job.lost[side()] != 0),
        storage_(storage) {}

  __device__ void run() const {
    if constexpr (cr)
      if (!job_.all_undecided && !(alpha_ == 0)) {
        solve<false>();
        if (__syncthreads_and(are_proved())) return store();
      }
    solve<true>();
    store();
  }

 private:
  __device__ static int lane() { return threadIdx.x % 32; }
  __device__ static int warp() { return threadIdx.x / 32; }
  __device__ static Index side() { return Index{blockIdx.x} * edge + lane(); }
  __device__ bool has_side() const { return side() < job_.system.sides; }

  template <bool proved>
  __device__ __forceinline__ void solve() const {
    for_numbers([](E& number, E* there) { number = there ? *there : E{}; });
    for (int r = static_cast<int>(threadIdx.x); r < count_; r += all_threads) {
      const Index at = job_.place(first_ + r);
      storage_.pivot[r] = job_.system.m(at, at);
      storage_.reciprocal[r] = Unknown<E>::of_row({}, storage_.pivot[r], job_.system.m.unit).reciprocal;
    }
    threadIdx.x < threads ? add_up() : make_unknowns<proved>();
    __syncthreads();
  }

  template <bool proved>
  __device__ __forceinline__ void make_unknowns() const {
    bool lost = lost_;
    for (int sub = 0; sub < count_; sub += edge) {
      const int end = sub + load(sub);
      for (int r = sub; r < end; ++r) {
        ptx::barrier_sync(sums_are_there, 64);
        E x;
        if constexpr (proved)
          x = unknown(r, lost);
        else
          x = guess(r);
        if (lost) x = nan_of<E>();
        lost |= proved && any_nan(x);
        __syncwarp();
        storage_.x[r][lane()] = x;
        __syncwarp();
        ptx::barrier_tell(unknown_is_there, all_threads);
      }
      __syncthreads();
    }
    if (proved && has_side() && lost) job_.lost[side()] = 1;
  }

  __device__ Unknown<E> row(int r) const {
    return {alpha_, {}, storage_.pivot[r], job_.system.m.unit, storage_.reciprocal[r]};
  }
  __device__ auto& sums_of(int r) const { return storage_.sums[cr ? r : 0]; }

  /// By all lanes of a warp.
  __device__ __forceinline__ E unknown(int r, bool lost) const {
    if (alpha_ == 0) return {};
    Unknown<E> unknown = row(r);
    const SolveTerms<E> terms{&job_, storage_.x, first_, first_ + r, side()};
    const bool wanted = has_side() && !lost;
    Chain<T, cr> sums[parts];
#pragma unroll
    for (int part = 0; part < parts; ++part) sums[part] = sums_of(r)[part][lane()];
    if constexpr (cr) {
      return settled_numerator(unknown, sums, wanted, job_.all_undecided, terms, job_.undecided);
    } else {
      BoundedPair<T, cr> pairs[parts];
#pragma unroll
      for (int part = 0; part < parts; ++part) pairs[part] = sums[part].bounded();
      unknown.b = terms.right_side();
      return settled<E, cr>(unknown, pairs, wanted, job_.all_undecided, terms, job_.undecided);
    }
  }

  __device__ __forceinline__ E guess(int r) const {
    const auto sum = [&](int part) -> const Chain<T, cr>& { return sums_of(r)[part][lane()]; };
    const auto rounded = [](const Pair& pair) { return pair.s == -pair.c ? T(0) : static_cast<T>(-pair.s - pair.c); };
    if constexpr (!is_complex<E>) {
      if (!job_.system.m.unit) return guessed_quotient(sum(0).pair, storage_.pivot[r], storage_.reciprocal[r]);
      return rounded(sum(0).pair);
    } else {
      if (job_.system.m.unit) return {rounded(sum(0).pair), rounded(sum(1).pair)};
      E value{};
      row(r).approximate_quotient({minus(sum(0)), minus(sum(1))}, value);
      return value;
    }
  }
  /// Whether the guessed unknowns that this thread tests are right.
  __device__ bool are_proved() const {
    bool all = true;
    if (has_side() && !lost_)
      for (int r = warp(); r < count_; r += warps + 1) {
        Chain<T, cr> sums[parts];
#pragma unroll
        for (int part = 0; part < parts; ++part) sums[part] = sums_of(r)[part][lane()];
        all &= is_proved(storage_.x[r][lane()], row(r), sums);
      }
    return all;
  }

  __device__ __forceinline__ void add_up() const {
    Chain<T, cr> chain[rows][parts];
    // dot2 has an order: its blocks are chains of their own, which come after what was before.
    if constexpr (cr) {
#pragma unroll
      for (int j = 0; j < rows; ++j)
#pragma unroll
        for (int part = 0; part < parts; ++part) chain[j][part] = Chain<T, cr>::from(before(warps * j + warp(), part));
    }
#pragma unroll
    for (int step = 0; step < Storage::unknowns / edge; ++step) {
      const int sub = step * edge;
      if (sub >= count_) break;
      const int here = load(sub);
      if constexpr (cr) {
#pragma unroll
        for (int j = 0; j < rows_at_once; ++j)
          add_right_side(chain[step * rows_at_once + j], alpha_, storage_.x[sub + warps * j + warp()][lane()]);
      }
      const auto publish = [&](int j) {
        const int r = sub + warps * j + warp();
        for (int part = 0; part < parts; ++part) {
          Chain<T, cr> sum = chain[step * rows_at_once + j][part];
          if constexpr (!cr) sum.pair = combine<T>(before(r, part).pair, sum.pair);
          sums_of(r)[part][lane()] = sum;
        }
        ptx::barrier_tell(sums_are_there, 64);
      };
      if (warp() == 0) publish(0);
#pragma unroll
      for (int j = 0; j < rows_at_once; ++j)
#pragma unroll 1
        for (int owner = 0; owner < warps; ++owner) {
          const int r = warps * j + owner;
          if (r >= here) break;
          ptx::barrier_sync(unknown_is_there, all_threads);
          const E x = storage_.x[sub + r][lane()];
          const E* const a = &storage_.a[r][sub + warp()];
          if (warp() > owner) add_term(chain[step * rows_at_once + j], a[warps * j], x);
          if (warp() == owner + 1 && r + 1 < here) publish(j);
#pragma unroll
          for (int later = j + 1; later < rows_at_once; ++later) {
            add_term(chain[step * rows_at_once + later], a[warps * later], x);
            if (later == j + 1 && owner == warps - 1 && warp() == 0 && r + 1 < here) publish(later);
          }
        }
      if (sub + edge < count_) {
        for (int q = 0; q < here; ++q) {
          const E x = storage_.x[sub + q][lane()];
#pragma unroll
          for (int j = (step + 1) * rows_at_once; j < rows; ++j)
            add_term(chain[j], storage_.a[q][warps * j + warp()], x);
        }
      }
      __syncthreads();
    }
  }

  /// What the columns of the unknowns from `sub` on have below, for all threads; how many unknowns these are.
  __device__ int load(int sub) const {
    const int left = count_ - sub, here = min(edge, left);
    const bool by_rows = job_.system.m.stored.row_stride == 1;
#pragma unroll 4
    for (int at = threadIdx.x; at < edge * left; at += all_threads) {
      const int r = by_rows ? at % left : at / edge, q = by_rows ? at / left : at % edge;
      if (q < here) storage_.a[q][sub + r] = job_.system.m(job_.place(first_ + sub + r), job_.place(first_ + sub + q));
    }
    __syncthreads();
    return here;
  }
  __device__ void store() const {
    for_numbers([](const E& number, E* there) {
      if (there) *there = number;
    });
  }
  /// body(number, its place in memory, or null) for the numbers of storage_.x.
  template <class Body>
  __device__ void for_numbers(Body&& body) const {
    const Matrix<E>& x = job_.system.x;
    const bool by_rows = x.row_stride == 1;
    const int unknowns = by_rows ? count_ : Storage::unknowns;
#pragma unroll 4
    for (int at = threadIdx.x; at < edge * unknowns; at += all_threads) {
      const int s = by_rows ? at / unknowns : at % edge, r = by_rows ? at % unknowns : at / edge;
      const Index side = Index{blockIdx.x} * edge + s;
      if (r < count_) body(storage_.x[r][s], side < job_.system.sides ? &x(job_.place(first_ + r), side) : nullptr);
    }
  }
  /// A sum of the block's r-th unknown over the blocks before.
  __device__ BoundedPair<T, cr> before(int r, int part) const {
    // Read in any case: so many of them are on their way at a time.
    const bool there = has_side() && r < count_;
    const Index row = job_.place(first_ + (there ? r : 0)) * parts + part;
    const BoundedPair<T, cr> sum = load_sum<T, cr>(job_.sums, row * job_.sums.stride + (there ? side() : 0));
    return there ? sum : BoundedPair<T, cr>{};
  }

  const SolveJob<E>& job_;
  const Index first_;
  const int count_;
  const E alpha_;
  const bool lost_;  ///< the lane's right-hand side, before
  Storage& storage_;
};

template <class E, bool cr>
__global__ void __launch_bounds__(threads + 32, 2)
    solve_block_kernel(const __grid_constant__ SolveJob<E> job, Index first, int count) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  if (job.stop && *job.stop > 0) {
    count = static_cast<int>(min(Index{count}, static_cast<Index>(*job.stop) - 1 - first));
    if (count <= 0) return;
  }
  SolveBlock<E, cr>(job, first, count, *reinterpret_cast<BlockStorage<E, cr>*>(memory)).run();
}

__global__ void add_undecided(const unsigned long long* undecided, CallState* state) {
  await_predecessor();
  state->undecided += *undecided;
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
template <class E, bool cr>
void launch_block(const DeviceModel& model, const SolveJob<E>& job, Index first, Index count, cudaStream_t stream) {
  constexpr std::size_t bytes = sizeof(BlockStorage<E, cr>);
  const auto kernel = solve_block_kernel<E, cr>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "substitution");
  launch(model, "substitution", kernel,
         {static_cast<unsigned>(ceil_div(job.system.sides, Index{edge})), threads + 32, bytes}, stream, job, first,
         static_cast<int>(count));
}

}  // namespace

template <class E>
void add_known(const DeviceModel& model, const SolveJob<E>& job, Index first, Index terms, Index rows,
               cudaStream_t stream) {
  job.dot2 ? launch_known<E, false>(model, job, first, terms, rows, stream)
           : launch_known<E, true>(model, job, first, terms, rows, stream);
}
template <class E>
void solve_block(const DeviceModel& model, const SolveJob<E>& job, Index first, Index count, cudaStream_t stream) {
  job.dot2 ? launch_block<E, false>(model, job, first, count, stream)
           : launch_block<E, true>(model, job, first, count, stream);
}
void report_undecided(const DeviceModel& model, const unsigned long long* undecided, CallState* state,
                      cudaStream_t stream) {
  launch(model, "counting", add_undecided, {1, 1}, stream, undecided, state);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                       \
  template void add_known(const DeviceModel&, const SolveJob<E>&, Index, Index, Index, cudaStream_t); \
  template void solve_block(const DeviceModel&, const SolveJob<E>&, Index, Index, cudaStream_t);
ACCUBLAS_INSTANTIATE(double)
ACCUBLAS_INSTANTIATE(float)
ACCUBLAS_INSTANTIATE(Complex<double>)
ACCUBLAS_INSTANTIATE(Complex<float>)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
