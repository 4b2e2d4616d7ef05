#include "cuda/core/call_state.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/ptx_words.hpp"
#include "cuda/trsm/settle.hpp"
#include "cuda/trsm/solve_kernels.hpp"

namespace accublas::cuda {
namespace {

constexpr int warps = 8, threads = 32 * warps;
constexpr int edge = 32;  ///< number of right-hand sides of a thread block, a lane each; also of unknowns at a time

/// One warp guesses this many unknowns together.
template <class E>
constexpr int group = warps / parts_of<E>;

template <class E, bool cr>
struct BlockStorage {
  static constexpr int unknowns = solve_block_unknowns<E>(!cr), kept = cr ? unknowns : 1;
  E a[cr ? unknowns : edge][unknowns];  ///< columns of all unknowns, or of 32
  E x[unknowns][edge + 1];              ///< right-hand sides, then unknowns
  E pivot[unknowns];
  double reciprocal[unknowns];                       ///< reciprocals of the pivots
  Chain<RealOf<E>, cr> sums[kept][parts_of<E>][32];  ///< sums of the unknowns; in dot2, of the next one
};

/// The terms before the unknown at `position` of a right-hand side. Unknowns from position `near` on are in `x`; the
/// others are stored in the system.
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
  /// Returns the right-hand side; it is only there until the unknown overwrites it.
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

/// A thread block takes 32 right-hand sides, a lane each, and some unknowns. Warp w keeps the sums of the block's
/// unknowns 8 j + w in registers; in cr the right-hand sides are subtracted from them. It adds each unknown to them as
/// soon as the unknown is available, to the next unknowns' sums first. One more warp computes unknowns from sums.
///
/// An unknown that is rounded from cr's sums is right but in rare cases, and a proof takes longer than the computation
/// while all other warps wait. So cr's unknowns are guessed, and then tested all at once. If a test fails they are
/// computed again one by one, with proof. Guesses are made a group at a time, of as many unknowns as there are warps
/// (complex: half as many). One warp has their sums, so that a few operations lie between two guesses; warps that wait
/// for each other would take several times as long.
template <class E, bool cr>
class SolveBlock {
  using T = RealOf<E>;
  using Storage = BlockStorage<E, cr>;
  static constexpr int parts = parts_of<E>, unknowns = Storage::unknowns, rows = unknowns / warps,
                       rows_at_once = edge / warps, all_threads = threads + 32;
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
        guess();
        if (__syncthreads_and(are_proved())) return store();
      }
    solve();
    store();
  }

 private:
  __device__ static int lane() { return threadIdx.x % 32; }
  __device__ static int warp() { return threadIdx.x / 32; }
  __device__ static Index side() { return Index{blockIdx.x} * edge + lane(); }
  __device__ bool has_side() const { return side() < job_.system.sides; }

  __device__ void begin() const {
    load_right_sides();
    for (int r = static_cast<int>(threadIdx.x); r < count_; r += all_threads) {
      const Index at = job_.place(first_ + r);
      storage_.pivot[r] = job_.system.m(at, at);
      storage_.reciprocal[r] = Unknown<E>::of_row({}, storage_.pivot[r], job_.system.m.unit).reciprocal;
    }
  }
  __device__ __forceinline__ void guess() const {
    begin();
    load_columns();
    __syncthreads();
    if (threadIdx.x < threads)
      add_up_groups();
    else if (job_.system.m.unit)
      guess_groups<true>();
    else
      guess_groups<false>();
    __syncthreads();
  }
  __device__ __forceinline__ void solve() const {
    begin();
    threadIdx.x < threads ? add_up() : make_unknowns();
    __syncthreads();
  }

  // ---- by groups, guessed ----

  __device__ __forceinline__ void add_up_groups() const {
    Chain<T, cr> chain[rows][parts];  ///< from the sums of the group's unknowns on
#pragma unroll
    for (int j = 0; j < rows; ++j)
#pragma unroll
      for (int part = 0; part < parts; ++part) chain[j][part] = Chain<T, cr>::from(before(warps * j + warp(), part));
#pragma unroll
    for (int j = 0; j < rows; ++j) add_right_side(chain[j], alpha_, storage_.x[warps * j + warp()][lane()]);
    const auto publish = [&](int r) {
#pragma unroll
      for (int part = 0; part < parts; ++part) sums_of(r)[part][lane()] = chain[0][part];
      ptx::barrier_signal(sums_are_there, 32 * (group<E> + 1));
    };
    if (warp() < group<E>) publish(warp());
#pragma unroll 1
    for (int next = group<E>; next < count_; next += group<E>) {
      ptx::barrier_sync(unknown_is_there, all_threads);
      if (next % warps == 0) {
#pragma unroll
        for (int j = 1; j < rows; ++j)
#pragma unroll
          for (int part = 0; part < parts; ++part) chain[j - 1][part] = chain[j][part];
      }
      const int r = next / warps * warps + warp(), left = (count_ - r + warps - 1) / warps;
      if (r >= next) {
#pragma unroll
        for (int i = 0; i < group<E>; ++i)
          add_term(chain[0], storage_.a[next - group<E> + i][r], storage_.x[next - group<E> + i][lane()]);
        if (r < next + group<E>) publish(r);
      }
#pragma unroll
      for (int j = 1; j < rows; j += 2)
        if (j < left)
#pragma unroll 4
          for (int q = next - group<E>; q < next; ++q) {
            const E x = storage_.x[q][lane()];
            add_term(chain[j], storage_.a[q][r + warps * j], x);
            if (j + 1 < rows) add_term(chain[j + 1], storage_.a[q][(r + warps * (j + 1)) % unknowns], x);
          }
    }
  }
  /// Guesses the unknowns group by group. The sums that a guess comes from are kept for its proof.
  template <bool unit>
  __device__ __forceinline__ void guess_groups() const {
#pragma unroll 1
    for (int first = 0; first < count_; first += group<E>) {
      ptx::barrier_sync(sums_are_there, 32 * (group<E> + 1));
      Chain<T, cr> sums[group<E>][parts];
#pragma unroll
      for (int i = 0; i < group<E>; ++i)
#pragma unroll
        for (int part = 0; part < parts; ++part) sums[i][part] = sums_of(first + i)[part][lane()];
#pragma unroll
      for (int i = 0; i < group<E>; ++i) {
        const E x = guess_of<unit>(first + i, sums[i]);
        storage_.x[first + i][lane()] = x;
#pragma unroll
        for (int later = i + 1; later < group<E>; ++later)
          add_term(sums[later], storage_.a[first + i][first + later], x);
#pragma unroll
        for (int part = 0; part < parts; ++part) sums_of(first + i)[part][lane()] = sums[i][part];
      }
      __syncwarp();
      if (first + group<E> < count_) ptx::barrier_signal(unknown_is_there, all_threads);
    }
    if (lost_)
      for (int r = 0; r < count_; ++r) storage_.x[r][lane()] = nan_of<E>();
  }
  template <bool unit>
  __device__ __forceinline__ E guess_of(int r, const Chain<T, cr> (&sums)[parts]) const {
    const auto rounded = [](const Pair& pair) { return pair.s == -pair.c ? T(0) : static_cast<T>(-pair.s - pair.c); };
    if constexpr (!is_complex<E>) {
      if constexpr (unit) return rounded(sums[0].pair);
      return guessed_quotient(sums[0].pair, storage_.pivot[r], storage_.reciprocal[r]);
    } else {
      if constexpr (unit) return {rounded(sums[0].pair), rounded(sums[1].pair)};
      E value{};
      row(r).approximate_quotient({minus(sums[0]), minus(sums[1])}, value);
      return value;
    }
  }
  /// Returns whether the guessed unknowns that this thread tests are right.
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

  // ---- one by one, proved ----

  __device__ __forceinline__ void make_unknowns() const {
    bool lost = lost_;
    for (int sub = 0; sub < count_; sub += edge) {
      const int end = sub + load(sub);
      for (int r = sub; r < end; ++r) {
        ptx::barrier_sync(sums_are_there, 64);
        E x = unknown(r, lost);
        if (lost) x = nan_of<E>();
        lost |= any_nan(x);
        __syncwarp();
        storage_.x[r][lane()] = x;
        __syncwarp();
        ptx::barrier_signal(unknown_is_there, all_threads);
      }
      __syncthreads();
    }
    if (has_side() && lost) job_.lost[side()] = 1;
  }

  __device__ Unknown<E> row(int r) const {
    return {alpha_, {}, storage_.pivot[r], job_.system.m.unit, storage_.reciprocal[r]};
  }
  __device__ auto& sums_of(int r) const { return storage_.sums[cr ? r : 0]; }

  /// Computes an unknown; all lanes of a warp call this.
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

  __device__ __forceinline__ void add_up() const {
    Chain<T, cr> chain[rows][parts];
    // dot2 has a fixed order: its blocks are separate chains, which are added after the earlier sums.
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
        ptx::barrier_signal(sums_are_there, 64);
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

  /// Loads the columns of the unknowns from `sub` on, below these; all threads call this. Returns how many unknowns
  /// these are.
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
          storage_.a[to.other][to.row] = conjugate_if(m.conjugate, value);
        });
  }
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
  /// Returns the stride from one position to the next.
  __device__ Index step_of(Index stride) const { return job_.forward ? stride : -stride; }
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

template <class E, bool cr>
void launch_block(const DeviceModel& model, const SolveJob<E>& job, Index first, Index count, cudaStream_t stream) {
  constexpr std::size_t bytes = sizeof(BlockStorage<E, cr>);
  static_assert(bytes <= 99 << 10);  // limit of a block on compute capabilities 8.6 and 8.9
  const auto kernel = solve_block_kernel<E, cr>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "substitution");
  launch(model, "substitution", kernel,
         {static_cast<unsigned>(ceil_div(job.system.sides, Index{edge})), threads + 32, bytes}, stream, job, first,
         static_cast<int>(count));
}

}  // namespace

template <class E>
void solve_block(const DeviceModel& model, const SolveJob<E>& job, Index first, Index count, cudaStream_t stream) {
  job.dot2 ? launch_block<E, false>(model, job, first, count, stream)
           : launch_block<E, true>(model, job, first, count, stream);
}
void report_undecided(const DeviceModel& model, const unsigned long long* undecided, CallState* state,
                      cudaStream_t stream) {
  launch(model, "counting", add_undecided, {1, 1}, stream, undecided, state);
}

#define ACCUBLAS_INSTANTIATE(E) \
  template void solve_block(const DeviceModel&, const SolveJob<E>&, Index, Index, cudaStream_t);
ACCUBLAS_INSTANTIATE(double)
ACCUBLAS_INSTANTIATE(float)
ACCUBLAS_INSTANTIATE(Complex<double>)
ACCUBLAS_INSTANTIATE(Complex<float>)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
