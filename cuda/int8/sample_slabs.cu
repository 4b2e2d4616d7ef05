// Computes the samples of a product by slabs, and decides from them how many moduli slabs take, and whether slabs take
// the place of a pass.
#include "cuda/core/launch.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/sampled_element.hpp"
#include "cuda/int8/slab_planning.hpp"
#include "lib/numerics/capacity.hpp"

namespace accublas::cuda {

namespace {

/// The number value 2^exponent, which may lie outside the range of double.
struct Scaled {
  double value;
  int exponent;
};
__device__ Scaled plus(Scaled a, Scaled b) {
  if (a.exponent < b.exponent) {
    const Scaled t = a;
    a = b;
    b = t;
  }
  const int gap = a.exponent - b.exponent;
  return {a.value + (gap < 1000 ? b.value * power_of_two(-gap) : 0), a.exponent};
}

/// Returns x 2^shift, which must be in the range of double.
__device__ double shifted(double x, int shift) {
  const PowerScale scale = power_scale(min(max(shift, -1200), 1250));
  return x * scale.first * scale.second;
}

/// Sets state->slabs from the samples. All threads of a thread block call it.
template <class T>
__device__ void decide_slabs(const SlabJob<T>& job, const SlabTuning& tuning, const ExactTuning& exact,
                             const Capacities& capacities) {
  CallState& state = *job.state;
  SlabPlan& plan = state.slabs;
  const SlabShape& shape = job.shape;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const double needed[2] = {state.sample_slab[lane], state.sample_slab[lane + 32]};
  int known = 0;
  for (const double sample : needed) known += __popc(__ballot_sync(0xFFFFFFFFu, sample >= 0));
  const double squares =
      static_cast<double>(shape.squares(job.rows.count) * shape.squares(job.cols.count) * shape.slabs);
  const double share = static_cast<double>(plan.products) / squares;
  // The share is that of the blocks of terms that tiles do not leave out.
  const double groups = static_cast<double>(shape.groups());
  const double tile_time =
      plan.tile_time * fmin(1.0, static_cast<double>(plan.tile_slabs) / (groups * groups * squares));
  const Index m = job.rows.count, n = job.cols.count, k = job.rows.k;
  const double tiles_alone = exact.no_terms(m, n, k) + tile_time, all_single = exact.all_single(m, n, k);
  const bool tiles = tiles_alone < plan.other_time;
  // The bits of times, which are ordered like integers, and in the last ones the number of moduli; 0: no slabs.
  constexpr unsigned long long of_moduli = 63;
  static_assert(most_slab_moduli <= of_moduli);
  __shared__ unsigned long long best;
  if (threadIdx.x == 0) best = to_bits(tiles ? tiles_alone : plan.other_time) & ~of_moduli;
  __syncthreads();
  for (int count = least_slab_moduli + warp; count <= shape.moduli; count += slab_warps) {
    const int bits = slab_bits(capacities.log2[count], shape.terms);
    double chance = 0;
    for (const double sample : needed)
      if (sample >= 0) chance += exp2(fmin(0.0, sample - bits));
    for (int offset = 16; offset > 0; offset /= 2) chance += __shfl_xor_sync(0xFFFFFFFFu, chance, offset);
    chance = known > 0 ? chance / known : 1;
    const double time = tuning.start +
                        share * (tuning.modulus * count + tuning.slab * static_cast<double>(shape.slabs)) +
                        fmin(tile_time, all_single * chance);
    if (lane == 0) atomicMin(&best, (to_bits(time) & ~of_moduli) | static_cast<unsigned long long>(count));
  }
  __syncthreads();
  const int moduli = static_cast<int>(best & of_moduli);
  if (threadIdx.x != 0 || (moduli == 0 && !tiles)) return;
  state.pass[job.pass].active = 0;
  plan.tiles_alone = moduli == 0;
  state.all_pending = moduli == 0;
  if (moduli == 0) return;
  plan.active = 1;
  open_before(state, job.pass) = 0;
  plan.moduli = moduli;
  plan.bits = slab_bits(capacities.log2[moduli], shape.terms);
  state.parts = moduli;
  state.bits = plan.bits;
  for (int i = 0; i < job.pass; ++i) {
    const PassPlan& before = state.pass[i];
    if (!before.active) continue;
    state.parts = max(state.parts, before.moduli);
    state.bits = max(state.bits, max(before.row_bits, before.col_bits));
  }
}

/// Sets state->sample_slab: a sample that keeps `bits` bits in its slabs is undecided with a chance of 2^(sample_slab -
/// bits). Each thread block takes a sample, and the last one calls decide_slabs.
template <class T>
__global__ void __launch_bounds__(sample_threads)
    sample_slabs_kernel(const __grid_constant__ SlabJob<T> job, const __grid_constant__ SlabTuning tuning,
                        const __grid_constant__ ExactTuning exact, const __grid_constant__ Capacities capacities) {
  await_predecessor();
  if (!plans_slabs(*job.state)) return;
  const SlabShape& shape = job.shape;
  __shared__ Scaled sums[slab_warps], errors[slab_warps];
  __shared__ double needed;
  __shared__ bool last;
  static_assert(sample_threads == slab_threads);
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  SampleSequence generator{(blockIdx.x + 1) * SampleSequence::seed};
  if (threadIdx.x == 0) needed = -1;
  for (int attempt = 0; attempt < 8; ++attempt) {
    Index i, j;
    if (!find_element<sample_threads>(generator, job.row_lines, job.col_lines, nullptr, attempt > 0, i, j)) break;
    const Index I = i / shape.square, J = j / shape.square;
    const std::int16_t* const row_centre = job.arrays.centre[0] + I * shape.k_padded();
    const std::int16_t* const col_centre = job.arrays.centre[1] + J * shape.k_padded();
    const std::uint8_t* const balances = job.arrays.balance + (I * shape.squares(job.cols.count) + J) * shape.slabs;
    Scaled sum{0, -100000}, error{0, -100000};
    for (Index slab = warp; slab < shape.slabs; slab += slab_warps) {
      const Balance balance = static_cast<Balance>(balances[slab]);
      if (balance == Balance::none) continue;
      const Index first = slab * shape.terms, end = min(first + shape.terms, job.rows.k);
      int row_top = 4 * no_term, col_top = 4 * no_term;
      for (Index p = first + lane; p < end; p += 32) {
        const int d = balance_exponent(balance, row_centre[p], col_centre[p]);
        row_top = max(row_top, exponents_of(static_cast<double>(*job.rows.at(i, p))).top + d);
        col_top = max(col_top, exponents_of(static_cast<double>(*job.cols.at(j, p))).top - d);
      }
      row_top = lanes_max(row_top);
      col_top = lanes_max(col_top);
      if (row_top < no_term_sum || col_top < no_term_sum) continue;
      double product = 0, size = 0;
      for (Index p = first + lane; p < end; p += 32) {
        const int d = balance_exponent(balance, row_centre[p], col_centre[p]);
        const double x = shifted(static_cast<double>(*job.rows.at(i, p)), d - row_top),
                     y = shifted(static_cast<double>(*job.cols.at(j, p)), -d - col_top);
        product += x * y;
        size += fabs(x) + fabs(y);
      }
      for (int offset = 16; offset > 0; offset /= 2) {
        product += __shfl_xor_sync(0xFFFFFFFFu, product, offset);
        size += __shfl_xor_sync(0xFFFFFFFFu, size, offset);
      }
      sum = plus(sum, {product, row_top + col_top});
      error = plus(error, {0.5 * size, row_top + col_top});
    }
    if (lane == 0) {
      sums[warp] = sum;
      errors[warp] = error;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < slab_warps; ++w) {
        sum = plus(sum, sums[w]);
        error = plus(error, errors[w]);
      }
      if (sum.value != 0)
        needed = max(0.0, log2(error.value) - log2(fabs(sum.value)) + error.exponent - sum.exponent +
                              FloatFormat<T>::digits + 2);
    }
    __syncthreads();
    if (needed >= 0) break;
  }
  if (threadIdx.x == 0) {
    job.state->sample_slab[blockIdx.x] = needed;
    __threadfence();
    last = atomicAdd(&job.state->slabs.samples, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  decide_slabs(job, tuning, exact, capacities);
}

}  // namespace

template <class T>
void sample_slabs(const DeviceModel& model, const SlabJob<T>& job, cudaStream_t stream) {
  launch(model, "samples of slabs", sample_slabs_kernel<T>, {most_samples, sample_threads}, stream, job,
         model.tuning().slabs, model.tuning().exact, int8_capacities());
}

template void sample_slabs(const DeviceModel&, const SlabJob<double>&, cudaStream_t);
template void sample_slabs(const DeviceModel&, const SlabJob<float>&, cudaStream_t);

}  // namespace accublas::cuda
