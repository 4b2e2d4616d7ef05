#include "cuda/core/call_state.hpp"
#include "cuda/core/ptx_words.hpp"
#include "cuda/trsm/resolve_row.hpp"
#include "cuda/trsm/solve_block.hpp"
#include "cuda/trsm/unproved_guesses.hpp"

namespace accublas::cuda {
namespace {

using namespace solve;

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
/// unknowns 8 j + w in registers. It adds each unknown to them as soon as the unknown is available, to the next
/// unknowns' sums first. One more warp computes unknowns from sums.
///
/// An unknown that is rounded from cr's sums is right but in rare cases, and a proof takes longer than the computation
/// while all other warps wait. So cr's unknowns are guessed, and then tested all at once. If a test fails they are
/// computed again one by one, with proof. Guesses are made a group at a time, of as many unknowns as there are warps
/// (complex: half as many). One warp has their sums, so that a few operations lie between two guesses; warps that wait
/// for each other would take several times as long.
template <class E, bool cr>
class SolveBlock : BlockData<E, cr> {
  using T = RealOf<E>;
  using Base = BlockData<E, cr>;
  using Base::all_threads, Base::everyone_arrives, Base::lane, Base::warp, Base::side, Base::has_side, Base::load,
      Base::before, Base::row;
  using Base::job_, Base::first_, Base::count_, Base::alpha_, Base::lost_, Base::storage_;
  static constexpr int parts = parts_of<E>, unknowns = BlockStorage<E, cr>::unknowns, rows = unknowns / warps,
                       rows_at_once = edge / warps;
  enum Barrier { sums_are_there = 1, unknown_is_there };

 public:
  __device__ SolveBlock(const SolveJob<E>& job, Index first, int count, BlockStorage<E, cr>& storage)
      : Base(job, first, count, storage) {}

  __device__ void run() const {
    bool signs_later = false;
    if constexpr (cr)
      if (!job_.all_undecided && !(alpha_ == 0)) {
        guess();
        if (__syncthreads_and(are_proved()) || are_right(job_, first_, count_, storage_)) return this->store();
        signs_later = true;
      }
    while (!solve(signs_later)) signs_later = false;
    this->store();
  }

 private:
  __device__ __forceinline__ void guess() const {
    this->load_pivots();
    this->load_columns();
    __syncthreads();
    if (threadIdx.x < threads)
      add_up_groups();
    else if (job_.system.m.unit)
      guess_groups<true>();
    else
      guess_groups<false>();
    __syncthreads();
  }
  /// Computes the unknowns. If `signs_later`, unknowns that surely round to zero get their signs at the end, together.
  /// Returns false if one of these signs is not sure.
  __device__ __forceinline__ bool solve(bool signs_later) const {
    if constexpr (!cr) this->load_right_sides();
    this->load_pivots();
    bool any_unsigned = false;
    if (threadIdx.x < threads)
      add_up();
    else
      any_unsigned = make_unknowns(signs_later);
    if (!__syncthreads_or(any_unsigned)) return true;
    if constexpr (cr)
      return give_signs(job_, first_, count_, storage_);
    else
      return true;
  }

  // ---- by groups, guessed ----

  __device__ __forceinline__ void add_up_groups() const {
    Chain<T, cr> chain[rows][parts];  ///< from the sums of the group's unknowns on
#pragma unroll
    for (int j = 0; j < rows; ++j)
#pragma unroll
      for (int part = 0; part < parts; ++part) chain[j][part] = Chain<T, cr>::from(before(warps * j + warp(), part));
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
    const auto rounded = [](const Pair& pair) {
      return pair.s == -pair.c ? T(0) : static_cast<T>((-pair.s - pair.c) * power_of_two(-sum_lift<E>));
    };
    if constexpr (!is_complex<E>) {
      if constexpr (unit) return rounded(sums[0].pair);
      // If scaling loses bits, the proof rejects the guess.
      return guessed_quotient(sums[0].pair, lifted_for_sums(storage_.pivot[r]),
                              storage_.reciprocal[r] * power_of_two(-sum_lift<E>));
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

  /// Returns whether some unknowns are zeros of unknown sign, if `signs_later`.
  __device__ __forceinline__ bool make_unknowns(bool signs_later) const {
    bool lost = lost_, any_unsigned = false;
    for (int sub = 0; sub < count_; sub += edge) {
      const int end = sub + load(sub);
      for (int r = sub; r < end; ++r) {
        ptx::barrier_sync(sums_are_there, 64);
        auto [x, hard] = try_unknown(r, lost);
        if constexpr (cr && std::is_same_v<E, double>) {
          unsigned zeros = 0;
          if (signs_later && hard != 0) {
            const bool zero = (hard >> lane() & 1) != 0 && is_surely_zero(r);
            zeros = __ballot_sync(0xFFFFFFFFu, zero);
            hard &= ~zeros;
            if (zero) x = 0;
          }
          if (lane() == 0) storage_.unsigned_zeros[r] = zeros;
          any_unsigned |= zeros != 0;
        }
        if (lost) x = nan_of<E>();
        storage_.x[r][lane()] = x;
        if (lane() == 0) storage_.hard[r % 2] = hard;
        __syncwarp();
        ptx::barrier_signal(unknown_is_there, all_threads);
        if constexpr (cr)
          if (hard != 0) {
            resolve(r, hard);
            x = storage_.x[r][lane()];
          }
        lost |= any_nan(x);
      }
      everyone_arrives();
    }
    if (has_side() && lost) job_.lost[side()] = 1;
    return any_unsigned;
  }
  __device__ bool is_surely_zero(int r) const {
    const Chain<T, cr> sums[parts] = {sums_of(r)[0][lane()]};
    return UnprovedGuesses<E>::is_surely_zero(row(r), sums);
  }

  __device__ auto& sums_of(int r) const { return storage_.sums[cr ? r : 0]; }

  __device__ SolveTerms<E> terms_of(int r, Index side) const { return {&job_, storage_.x, first_, first_ + r, side}; }

  /// Computes the lanes' r-th unknowns; all lanes of a warp call this. In dot2 all are decided.
  __device__ __forceinline__ Tried<E> try_unknown(int r, bool lost) const {
    if (alpha_ == 0) return {};
    const bool wanted = has_side() && !lost;
    Chain<T, cr> sums[parts];
#pragma unroll
    for (int part = 0; part < parts; ++part) sums[part] = sums_of(r)[part][lane()];
    if constexpr (cr) {
      return try_numerator(row(r), sums, wanted, job_.all_undecided);
    } else {
      Pair pairs[parts];
#pragma unroll
      for (int part = 0; part < parts; ++part) pairs[part] = sums[part].pair;
      Unknown<E> unknown = row(r);
      unknown.b = storage_.x[r][lane()];
      return {resolved_pairs(unknown, pairs, wanted, job_.all_undecided, terms_of(r, side()), job_.undecided), 0};
    }
  }
  /// Resolves the r-th unknowns of the lanes in `hard`. All warps call this.
  __device__ __forceinline__ void resolve(int r, unsigned hard) const {
    // The shares may overwrite sums of other rows, because only those of this row are in use.
    constexpr int half = BlockStorage<E, cr>::kept / 2;
    auto* const shares = reinterpret_cast<WarpShares<E, 3>*>(&storage_.sums[r < half ? half : 0]);
    static_assert(sizeof(WarpShares<E, 3>) * (warps + 1) <= sizeof storage_.sums / 2);
    resolve_row(hard, row(r), terms_of(r, side()), sums_of(r), shares, storage_.x[r], job_.all_undecided,
                job_.undecided, [] { Base::everyone_arrives(); });
    everyone_arrives();
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
    for (int step = 0; step < unknowns / edge; ++step) {
      const int sub = step * edge;
      if (sub >= count_) break;
      const int here = load(sub);
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
          if constexpr (cr)
            if (const unsigned hard = storage_.hard[(sub + r) % 2]; hard != 0) resolve(sub + r, hard);
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
      everyone_arrives();
    }
  }
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
  allow_shared_bytes(kernel, bytes, "substitution");
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
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
