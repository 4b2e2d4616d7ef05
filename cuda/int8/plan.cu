// Plans of the passes of an int8 GEMM, made on the device: what lib/cpu/int8/int8_blocking.cpp and
// lib/cpu/int8/int8_moduli.cpp decide on the CPU. Only speed depends on what is chosen here, as long as no sum leaves
// the range of the moduli.
#include <algorithm>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/blocking.hpp"
#include "cuda/int8/certify_moduli.hpp"
#include "cuda/int8/plan.hpp"
#include "cuda/int8/sampled_element.hpp"
#include "cuda/native/native_offer.hpp"
#include "cuda/scaling/scaling.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas::cuda {

namespace {

__device__ double relative_norm(const SideSummary& side) { return from_bits<double>(side.largest_relative_norm); }

/// Writes a plan whose bits, moduli and elements are chosen, and updates the bits and parts of the report.
__device__ void set_plan(PassPlan plan, int index, const PassLaunch& launched, Index m, Index n, CallState& state) {
  plan.residues = launched.residues;
  if (plan.active) {
    // An entry is below 2^E; where lines are scaled to norms, one of norm 2^(E + g) is scaled by 2^(bits - E - g).
    const bool to_norms = plan.interval || plan.equal_norms;
    const auto least_above = [&](const SideSummary& side) { return to_norms && side.peak > 0 ? 64 - side.peak : 0; };
    plan.row_peak = plan.row_bits - least_above(state.rows);
    plan.col_peak = plan.col_bits - least_above(state.cols);
    n /= plan.columns_a_line();
    const Block block = fit_block(launched.buffers, plan.planes(), m, n);
    plan.block_rows = block.rows;
    plan.block_cols = block.cols;
    if (!launched.covers(plan.moduli, block, m, n)) {
      state.not_covered = state.refused = 1;
      plan.active = 0;
    }
    state.bits = max(state.bits, max(plan.row_bits, plan.col_bits));
    state.parts = max(state.parts, plan.moduli);
  }
  state.pass[index] = plan;
}

/// Returns the plan of a pass with T = t. At most `most` moduli suffice, whatever the norms.
__device__ PassPlan fixed_plan(const CallState& state, int t, Elements elements, Index k, int most,
                               const Capacities& capacities) {
  PassPlan plan{};
  plan.active = 1;
  plan.elements = elements;
  plan.row_bits = plan.col_bits = t;
  const double row_norm = from_bits<double>(state.rows.largest_norm),
               col_norm = from_bits<double>(state.cols.largest_norm);
  plan.moduli = capacities.moduli_for(int8_log2_norm(row_norm, t, k) + int8_log2_norm(col_norm, t, k), most);
  return plan;
}

/// Returns the plan of the pass with T* for the elements that the certificate accepts. It is inactive if there are
/// none.
template <class T>
__device__ PassPlan plan_of_accepted(const CallState& state, Index k, int most, const Capacities& capacities) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  if (state.largest_rung == 0) return {};
  return fixed_plan(state, rungs.t[state.largest_rung - 1], Elements::not_open, k, most, capacities);
}

template <class T>
__global__ void make_fixed_plan(int index, int t, Index m, Index n, Index k, PassLaunch launched, double target,
                                Scalar<T> alpha, bool has_offer, NativeOffer offer, Capacities capacities,
                                CallState* state, GroupStride group) {
  await_predecessor();
  group.move(state);
  PassPlan plan{};
  if (t > 0 && !leaves_c(*state, alpha)) {
    const bool exact = max(state->rows.needed_bits, state->cols.needed_bits) <= t;
    state->bound_componentwise = exact ? 0 : from_bits<double>(FloatFormat<double>::infinity);
    if (target > 0 && !(exact && unit_roundoff<T>() <= target)) state->missed_target = state->refused = 1;
  }
  const bool wanted = !leaves_c(*state, alpha);
  if (wanted)
    plan = t > 0 ? fixed_plan(*state, t, Elements::all, k, launched.moduli, capacities)
                 : plan_of_accepted<T>(*state, k, launched.moduli, capacities);
  if (has_offer && wanted && native_is_faster(*state, plan, offer, m, n)) {
    leave_to_native(*state, offer.bound);
    plan.active = 0;
  }
  set_plan(plan, index, launched, m, n, *state);
}

template <class T>
__global__ void make_moduli_plan(int index, Index m, Index n, Index k, PassLaunch launched, int spare, Scalar<T> alpha,
                                 bool has_offer, NativeOffer offer, Capacities capacities, CallState* state) {
  await_predecessor();
  PassPlan plan{};
  const CertificateModuli rungs = certificate_moduli<T>(k, launched.residues);
  const bool by_lines = state->common_moduli > 0;
  if ((by_lines || state->largest_rung > 0) && !leaves_c(*state, alpha)) {
    plan.active = plan.equal_norms = 1;
    plan.elements = by_lines ? Elements::all : Elements::not_open;
    plan.moduli = by_lines ? state->common_moduli : rungs.moduli[state->largest_rung - 1];
    plan.moduli = max(plan.moduli, min(plan.moduli + spare, launched.moduli));
    split_bits(capacity_of(capacities.log2[plan.moduli]), relative_norm(state->rows), relative_norm(state->cols), k,
               plan.row_bits, plan.col_bits);
    if (by_lines && state->common_bits) share_bits(plan.row_bits, plan.col_bits);
  }
  if (has_offer && !leaves_c(*state, alpha) && native_is_faster(*state, plan, offer, m, n)) {
    leave_to_native(*state, offer.bound);
    plan.active = 0;
  }
  set_plan(plan, index, launched, m, n, *state);
}

/// Whether pass `index` of cr computes all elements: it is the first pass of a call of cr, or of one that the
/// certificate leaves to cr, or all passes before it are inactive, because complex residues do not hold as many bits as
/// real ones.
__device__ bool is_first(const CallState& state, int index, bool certified) {
  if (certified && !state.all_by_cr && state.common_moduli == 0) return false;
  for (int i = 0; i < index; ++i)
    if (state.pass[i].active) return false;
  return true;
}

/// Whether a cr pass is wanted. Pass 0 of a certified call is one only if it is the first.
template <class T>
__device__ bool wants_pass(CallState& state, int index, bool first, Index m, Index n, const Scalar<T>& alpha) {
  if (index == 0 && !first) return false;
  if (leaves_c(state, alpha) || state.all_pending || state.slabs.active || state.slabs.tiles_alone) return false;
  if (first) return true;
  if (open_before(state, index) <= few_elements_gpu(m, n)) return false;
  for (int i = index - 1; i >= 0; --i)
    if (state.pass[i].active && state.pass[i].interval && state.pass[i].moduli >= max_moduli) return false;
  return true;
}

/// Each thread block computes one sample (UndecidedSample) for make_cr_plan. If there are fewer than most_samples, the
/// others are marked as missing.
template <class T, bool Grouped>
__global__ void __launch_bounds__(Grouped ? group_sample_threads : sample_threads, Grouped ? 16 : 3)
    sample_elements(int index, bool certified, Operand<T> rows, Lines row_lines, Operand<T> cols, Lines col_lines,
                    const std::uint32_t* open, Scalar<T> alpha, bool tiles, CallState* state, CallGroup<T> group) {
  await_predecessor();
  if constexpr (Grouped) {
    rows.data = group.rows[group.product()];
    cols.data = group.cols[group.product()];
    group.move(row_lines);
    group.move(col_lines);
    group.move(open);
    group.move(state);
  }
  const bool first = is_first(*state, index, certified);
  if (!wants_pass(*state, index, first, rows.count, cols.count, alpha)) return;
  constexpr int threads = Grouped ? group_sample_threads : sample_threads;
  UndecidedSample sample{-1, -1};  // none found
  double tile = -1;
  SampleSequence generator{(blockIdx.x + 1) * SampleSequence::seed};
  // A sum of zero has no last place to compare errors with, so the block tries another element, up to 8 in all. If a
  // matrix has many zeros, most elements have no nonzero term.
  for (int attempt = 0; attempt < 8 && sample.row_term < 0; ++attempt) {
    Index i, j;
    if (!find_element<threads>(generator, row_lines, col_lines, first ? nullptr : open, attempt > 0, i, j)) break;
    if (tiles && attempt == 0) tile = needed_share<threads>(row_lines, i, col_lines, j);
    const double sum = scaled_product<threads>(rows, i, row_lines.exponent[i], cols, j, col_lines.exponent[j]);
    if (!(sum != 0)) continue;
    sample = undecided_sample<T>(sum, row_lines.norm[i], row_lines.lambda[i], col_lines.norm[j], col_lines.lambda[j]);
  }
  if (threadIdx.x == 0) {
    state->sample_row_term[blockIdx.x] = sample.row_term;
    state->sample_col_term[blockIdx.x] = sample.col_term;
    state->sample_tile[blockIdx.x] = tile;
  }
  for (unsigned s = blockIdx.x + gridDim.x * (1 + threadIdx.x); s < most_samples; s += gridDim.x * threads) {
    state->sample_row_term[s] = state->sample_col_term[s] = -1;
    state->sample_tile[s] = -1;
  }
}

/// Counterpart of accepted_gpu for the products of a group, whose pending elements keep the device busy together.
constexpr double accepted_in_group = 3e-4;
/// Returns the fraction of the elements that a single product's plan may leave undecided. A pending element takes some
/// 10 us, however few there are. In results of up to 2^19 elements a further modulus takes less.
double accepted_of(Index m, Index n) {
  const double elements = static_cast<double>(m) * static_cast<double>(n);
  return elements <= 0x1p19 ? std::min(accepted_gpu, 0.5 / elements) : accepted_gpu;
}
constexpr int plan_threads = 1024;

/// Counts in needs[b] how many of at most 65,536 evenly spread lines need b bits (line_needs). Returns how many lines
/// it looked at. Only the speed of a call depends on these counts. Lanes whose lines need the same number of bits,
/// which are often all of a warp, add to it once.
__device__ Index count_needs(const Lines& lines, unsigned* needs) {
  const Index taken = min(lines.count, Index{65536});
  for (Index first = 0; first < taken; first += plan_threads) {
    const Index s = first + threadIdx.x, i = s * lines.count / taken;
    int bits = -1;  // no line, or one without finite entries other than zero
    if (s < taken && lines.norm[i] > 0) bits = line_needs(needed_bits(lines, i), lines.norm[i]);
    const unsigned alike = __match_any_sync(0xFFFFFFFFu, bits);
    if (bits >= 0 && static_cast<int>(threadIdx.x % 32) == __ffs(static_cast<int>(alike)) - 1)
      atomicAdd(&needs[bits], static_cast<unsigned>(__popc(alike)));
  }
  return taken;
}

/// Returns the number of the counted lines that drop bits if a line keeps `bits`. All lanes of a warp call it.
__device__ double dropping(const unsigned* needs, int bits) {
  unsigned count = 0;
  for (int b = max(bits, -1) + 1 + static_cast<int>(threadIdx.x % 32); b <= most_needs; b += 32) count += needs[b];
  return static_cast<double>(lanes_sum(count));
}

/// A number of moduli, ordered by the time that it takes, in units of a modulus.
__device__ unsigned long long by_time(double time, int moduli) {
  return static_cast<unsigned long long>(time * 1024) * 64 + static_cast<unsigned>(moduli);
}

/// Plans a cr pass: the least number of moduli for which the samples expect at most the fraction `accepted` of the
/// elements to stay undecided. If there is none, tiles compute what the pass leaves undecided, and the pass takes the
/// number of moduli that is the fastest together with the tiles. There is no pass where tiles alone are faster: they
/// leave out blocks of zeros. Pass 0 of a certified call is the one with T* unless all `elements` have cr's values. One
/// thread block runs it.
template <class T>
__global__ void __launch_bounds__(plan_threads)
    make_cr_plan(int index, bool certified, Index elements, Lines rows, Lines cols, PassLaunch launched,
                 Scalar<T> alpha, TileTime tiles, double slabs, double accepted, Capacities capacities,
                 CallState* state, GroupStride group) {
  group.move(rows);
  group.move(cols);
  group.move(state);
  __shared__ unsigned row_needs[most_needs + 1], col_needs[most_needs + 1];
  __shared__ int bits_of[max_moduli + 1][2];  // bits of the sides with each number of moduli
  __shared__ int chosen;
  __shared__ unsigned long long fastest;
  double row_share, col_share;
  const auto count_lines = [&] {
    for (int b = threadIdx.x; b <= most_needs; b += plan_threads) row_needs[b] = col_needs[b] = 0;
    __syncthreads();
    row_share = 1 / static_cast<double>(count_needs(rows, row_needs));
    col_share = 1 / static_cast<double>(count_needs(cols, col_needs));
  };
  // The lines were measured before the samples. The kernel of the samples waited for that before it let this one start,
  // so their counts need not wait for the samples. No result depends on them: a cache might hold older values.
  const bool early = index == 0 && !certified;
  if (early) count_lines();
  await_predecessor();
  PassPlan plan{};
  const bool first = is_first(*state, index, certified);
  if (!wants_pass(*state, index, first, rows.count, cols.count, alpha)) {
    if (threadIdx.x != 0) return;
    if (index == 0 && !first && !leaves_c(*state, alpha))
      plan = plan_of_accepted<T>(*state, rows.k, launched.moduli, capacities);
    return set_plan(plan, index, launched, rows.count, cols.count, *state);
  }
  if (!early) count_lines();
  const int most = most_moduli(launched.residues);
  static_assert(max_moduli < 64 && max_moduli < plan_threads);
  const double pending = first ? 1
                               : static_cast<double>(open_before(*state, index)) /
                                     (static_cast<double>(rows.count) * static_cast<double>(cols.count));
  const int lane = static_cast<int>(threadIdx.x % 32);
  double tile_time = 0;
  {
    const double shares[2] = {state->sample_tile[lane], state->sample_tile[lane + 32]};
    int known = 0;
    for (const double share : shares) {
      known += __popc(__ballot_sync(0xFFFFFFFFu, share >= 0));
      if (share >= 0) tile_time += share;
    }
    for (int offset = 16; offset > 0; offset /= 2) tile_time += __shfl_xor_sync(0xFFFFFFFFu, tile_time, offset);
    tile_time = tiles.all * pending * (known > 0 ? tile_time / known : 1);
  }
  const unsigned long long no_pass = by_time(tiles.start + tile_time, 0);
  if (threadIdx.x == 0) {
    chosen = most + 1;
    fastest = no_pass;
  }
  const double row_norm = relative_norm(state->rows), col_norm = relative_norm(state->cols);
  if (const int moduli = static_cast<int>(threadIdx.x); moduli >= first_moduli<T>() && moduli <= most) {
    int row_bits, col_bits;
    split_bits(capacity_of(capacities.log2[moduli]), row_norm, col_norm, rows.k, row_bits, col_bits);
    if (launched.same_lines) share_bits(row_bits, col_bits);
    bits_of[moduli][0] = row_bits;
    bits_of[moduli][1] = col_bits;
  }
  __syncthreads();
  int least = first_moduli<T>();
  for (int i = 0; i < index; ++i) {
    const PassPlan& before = state->pass[i];
    if (!before.active || !before.interval) continue;
    const int bits = before.row_bits + before.col_bits;
    least = max(least, next_moduli(before.residues == launched.residues ? before.moduli
                                                                        : capacities.moduli_for(bits, max_moduli)));
  }
  // A warp looks at one number of moduli at a time, and a lane at two samples. A thread for each number takes 6 us
  // more.
  static_assert(most_samples == 64 && state_samples == most_samples);
  const UndecidedSample samples[2] = {{state->sample_row_term[lane], state->sample_col_term[lane]},
                                      {state->sample_row_term[lane + 32], state->sample_col_term[lane + 32]}};
  int found = 0;
  for (const UndecidedSample& s : samples) found += __popc(__ballot_sync(0xFFFFFFFFu, s.row_term >= 0));
  for (int moduli = least + static_cast<int>(threadIdx.x / 32); moduli <= most; moduli += plan_threads / 32) {
    const int row_bits = bits_of[moduli][0], col_bits = bits_of[moduli][1];
    const double row_terms = dropping(row_needs, row_bits) * row_share * power_of_two(-row_bits);
    const double col_terms = dropping(col_needs, col_bits) * col_share * power_of_two(-col_bits);
    double chance = 0;
    for (const UndecidedSample& s : samples)
      if (s.row_term >= 0) chance += s.chance(row_terms, col_terms);
    for (int offset = 16; offset > 0; offset /= 2) chance += __shfl_xor_sync(0xFFFFFFFFu, chance, offset);
    if (lane != 0) continue;
    if (chance <= accepted * found) atomicMin(&chosen, moduli);
    if (found > 0) atomicMin(&fastest, by_time(moduli + tiles.start + tile_time * (chance / found), moduli));
  }
  if (threadIdx.x == 0) {
    state->samples = found;
    if (index == 0 && state->all_by_cr) {
      state->rejected_in_all = static_cast<unsigned long long>(elements);
      state->rejected = 0;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    // A pass with real moduli will decide the elements that the most complex ones leave undecided.
    const bool real = launched.residues == ResidueKind::real;
    plan.moduli = min(chosen, most);
    if (tiles.all > 0) {
      if (chosen > most && real) plan.moduli = static_cast<int>(fastest % 64);
      // Elements that a further pass is for may be scattered over all tiles.
      if (chosen <= most && first && no_pass < by_time(chosen, 0)) plan.moduli = 0;
      if (slabs > 0) {
        const unsigned long long time = min(chosen > most ? fastest : by_time(chosen, 0), no_pass);
        state->slabs.other_time = static_cast<double>(time / 64) / 1024;
        state->slabs.tile_time = tile_time;
        state->slabs.considered = state->slabs.other_time >= slabs;
      }
    }
    plan.active = plan.moduli > 0 && (real || plan.moduli < most);
    plan.interval = 1;
    plan.elements = first ? Elements::all : Elements::open;
    if (plan.moduli == 0) {
      state->all_pending = first;
    } else {
      plan.row_bits = bits_of[plan.moduli][0];
      plan.col_bits = bits_of[plan.moduli][1];
    }
    set_plan(plan, index, launched, rows.count, cols.count, *state);
    if (certified && state->common_moduli > 0) state->bits = certificate_rungs<T>().t[0];
  }
}

__global__ void make_sums_plan(int moduli, Index m, Index n, Index k, PassLaunch launched, Capacities capacities,
                               CallState* state) {
  await_predecessor();
  PassPlan plan{};
  plan.active = plan.interval = 1;
  plan.moduli = moduli;
  split_bits(capacity_of(capacities.log2[plan.moduli]), relative_norm(state->rows), relative_norm(state->cols), k,
             plan.row_bits, plan.col_bits);
  set_plan(plan, 0, launched, m, n, *state);
}

}  // namespace

template <class T>
void plan_fixed(const DeviceModel& model, int index, int t, const Lines& rows, const Lines& cols,
                const PassLaunch& launched, double target, Scalar<T> alpha, const NativeOffer* offer, CallState* state,
                cudaStream_t stream, const GroupStride& group) {
  launch(model, "plan of a fixed pass", make_fixed_plan<T>, {{1, group.grid_rows()}, 1}, stream, index, t, rows.count,
         cols.count, rows.k, launched, target, alpha, offer != nullptr, offer ? *offer : NativeOffer{},
         int8_capacities(launched.residues), state, group);
}

template <class T>
void plan_moduli(const DeviceModel& model, int index, const Lines& rows, const Lines& cols, const PassLaunch& launched,
                 int spare, Scalar<T> alpha, const NativeOffer* offer, CallState* state, cudaStream_t stream) {
  launch(model, "plan of a pass by moduli", make_moduli_plan<T>, {1, 1}, stream, index, rows.count, cols.count, rows.k,
         launched, spare, alpha, offer != nullptr, offer ? *offer : NativeOffer{}, int8_capacities(launched.residues),
         state);
}

template <class T>
void plan_cr(const DeviceModel& model, int index, Index certified, const Operand<T>& rows, const Lines& row_lines,
             const Operand<T>& cols, const Lines& col_lines, const PassLaunch& launched, const std::uint32_t* open,
             Scalar<T> alpha, const TileTime& tiles, double slabs, CallState* state, cudaStream_t stream,
             const CallGroup<T>& group) {
  const auto sample = group.exists() ? sample_elements<T, true> : sample_elements<T, false>;
  const unsigned threads = group.exists() ? group_sample_threads : sample_threads;
  launch(model, "samples of a cr pass", sample, {{count_samples(model, group), group.grid_rows()}, threads}, stream,
         index, certified > 0, rows, row_lines, cols, col_lines, open, alpha, tiles.all > 0, state, group);
  launch(model, "plan of a cr pass", make_cr_plan<T>, {{1, group.grid_rows()}, plan_threads}, stream, index,
         certified > 0, certified, row_lines, col_lines, launched, alpha, tiles, slabs,
         group.exists() ? accepted_in_group : accepted_of(rows.count, cols.count), int8_capacities(launched.residues),
         state, group);
}

void plan_sums(const DeviceModel& model, int moduli, const Lines& rows, const Lines& cols, const PassLaunch& launched,
               CallState* state, cudaStream_t stream) {
  launch(model, "plan of sums", make_sums_plan, {1, 1}, stream, moduli, rows.count, cols.count, rows.k, launched,
         int8_capacities(ResidueKind::real), state);
}

#define ACCUBLAS_INSTANTIATE(T)                                                                                        \
  template void plan_fixed<T>(const DeviceModel&, int, int, const Lines&, const Lines&, const PassLaunch&, double,     \
                              Scalar<T>, const NativeOffer*, CallState*, cudaStream_t, const GroupStride&);            \
  template void plan_moduli<T>(const DeviceModel&, int, const Lines&, const Lines&, const PassLaunch&, int, Scalar<T>, \
                               const NativeOffer*, CallState*, cudaStream_t);                                          \
  template void plan_cr<T>(const DeviceModel&, int, Index, const Operand<T>&, const Lines&, const Operand<T>&,         \
                           const Lines&, const PassLaunch&, const std::uint32_t*, Scalar<T>, const TileTime&, double,  \
                           CallState*, cudaStream_t, const CallGroup<T>&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
