// The plan of products by slabs: exponents, slabs that matter, samples, moduli.
#include "cuda/core/arithmetic.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/sampled_element.hpp"
#include "cuda/int8/slabs.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/slab_bound.hpp"

namespace accublas::cuda {

namespace {

constexpr int slab_threads = 256, slab_warps = slab_threads / 32;
constexpr int measured_terms = 64;
static_assert(slab_group == pending_tile_lines);

__device__ bool plans_slabs(const CallState& state) { return state.slabs.considered != 0 && state.refused == 0; }

struct EntryExponents {
  int top, low;
};
/// Exponents of an entry as SlabArrays holds them, for the largest and the smallest of several entries.
__device__ EntryExponents exponents_of(double x) {
  const int field = static_cast<int>(high_word(x) >> 20 & 0x7FF);
  if (is_zero(x)) return {no_term, -no_term};
  return {field == 0 ? -1022 : field - 1022, field == 0 ? -1074 : field - 1023};
}

/// Fills arrays.top and arrays.low. A block of threads takes 64 terms of a group of lines at a time.
template <class T>
__global__ void __launch_bounds__(slab_threads) measure_slab_exponents(const __grid_constant__ SlabJob<T> job) {
  await_predecessor();
  if (!plans_slabs(*job.state)) return;
  __shared__ int tops[slab_warps][measured_terms], lows[slab_warps][measured_terms];
  const Index k_padded = job.shape.k_padded(), tiles = k_padded / measured_terms;
  const auto groups_of = [&](int side) { return job.shape.squares(job.operand(side).count) * job.shape.groups(); };
  const Index row_items = groups_of(0) * tiles, items = row_items + groups_of(1) * tiles;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  for (Index item = blockIdx.x; item < items; item += gridDim.x) {
    const int side = item < row_items ? 0 : 1;
    const Index of_side = side == 0 ? item : item - row_items;
    const Index group = of_side / tiles, first = of_side % tiles * measured_terms, line = group * slab_group;
    const Operand<T>& x = job.operand(side);
    const std::uint8_t* const special = job.lines(side).special;
    const auto entry = [&](Index i, Index p) {
      return i < x.count && p < x.k && special[i] == 0 ? static_cast<double>(*x.at(i, p)) : 0.0;
    };
    std::int16_t* const top = job.arrays.top[side] + group * k_padded + first;
    std::int16_t* const low = job.arrays.low[side] + group * k_padded + first;
    const auto store = [&](int term, int largest, int smallest) {
      top[term] = static_cast<std::int16_t>(largest);
      low[term] = static_cast<std::int16_t>(smallest == -no_term ? no_term : smallest);
    };
    if (abs(x.stride) < abs(x.k_stride)) {
#pragma unroll
      for (int i = 0; i < measured_terms / slab_warps; ++i) {
        const int term = warp * (measured_terms / slab_warps) + i;
        const EntryExponents e = exponents_of(entry(line + lane, first + term));
        const int largest = lanes_max(e.top), smallest = lanes_min(e.low);
        if (lane == 0) store(term, largest, smallest);
      }
    } else {
#pragma unroll
      for (int part = 0; part < measured_terms / 32; ++part) {
        int largest = no_term, smallest = -no_term;
#pragma unroll
        for (int i = 0; i < slab_group / slab_warps; ++i) {
          const EntryExponents e =
              exponents_of(entry(line + warp * (slab_group / slab_warps) + i, first + 32 * part + lane));
          largest = max(largest, e.top);
          smallest = min(smallest, e.low);
        }
        tops[warp][32 * part + lane] = largest;
        lows[warp][32 * part + lane] = smallest;
      }
      __syncthreads();
      if (threadIdx.x < measured_terms) {
        int largest = no_term, smallest = -no_term;
        for (int w = 0; w < slab_warps; ++w) {
          largest = max(largest, tops[w][threadIdx.x]);
          smallest = min(smallest, lows[w][threadIdx.x]);
        }
        store(static_cast<int>(threadIdx.x), largest, smallest);
      }
      __syncthreads();
    }
  }
}

// ---- Which slabs matter ----

/// Lines are balanced by the side that varies less, unless they vary alike.
constexpr int alike = 2;

constexpr int most_groups = most_square / slab_group, most_pairs_of_groups = most_groups * most_groups;

constexpr int staged_terms = 128;
struct SquareMemory {
  std::int16_t top[2][most_groups][staged_terms + 2], low[2][most_groups][staged_terms + 2];
  int bound[most_slabs][most_pairs_of_groups];
  int least[most_pairs_of_groups];
  int needed[most_slabs];
  std::int16_t centre[2][staged_terms];
  int high[2][most_groups], low_end[2][most_groups];  ///< range of top - centre in a slab
  int spread[2][most_slabs];                          ///< how far top - centre ranges at most in a group
};

/// Finds the centres of the staged terms, and how far their exponents range from them.
__device__ void centre_staged(SquareMemory& memory, int groups, int slab, bool slab_begins) {
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  static_assert(slab_threads == 2 * staged_terms);
  const int side = static_cast<int>(threadIdx.x) / staged_terms, term = static_cast<int>(threadIdx.x) % staged_terms;
  int sum = 0, count = 0;
  for (int g = 0; g < groups; ++g) {
    const int e = memory.top[side][g][term];
    if (e != no_term) sum += e, ++count;
  }
  memory.centre[side][term] = static_cast<std::int16_t>(count == 0 ? no_term : sum / count);
  __syncthreads();
  // A warp keeps to its groups, so their ranges need no atomics.
  for (int i = warp; i < 2 * groups; i += slab_warps) {
    const int of = i / groups, g = i % groups;
    int high = no_term, low = -no_term;
    for (int p = lane; p < staged_terms; p += 32) {
      const int e = memory.top[of][g][p];
      if (e == no_term) continue;
      high = max(high, e - memory.centre[of][p]);
      low = min(low, e - memory.centre[of][p]);
    }
    high = lanes_max(high);
    low = lanes_min(low);
    if (lane != 0) continue;
    if (!slab_begins) {
      high = max(high, memory.high[of][g]);
      low = min(low, memory.low_end[of][g]);
    }
    memory.high[of][g] = high;
    memory.low_end[of][g] = low;
    if (high != no_term) atomicMax(&memory.spread[of][slab], high - low);
  }
}

/// Fills arrays.centre, arrays.balance and arrays.rest. A block of threads takes a square at a time.
template <class T>
__global__ void __launch_bounds__(slab_threads) choose_slabs_of_squares(const __grid_constant__ SlabJob<T> job) {
  await_predecessor();
  if (!plans_slabs(*job.state)) return;
  extern __shared__ __align__(16) unsigned char raw[];
  SquareMemory& memory = *reinterpret_cast<SquareMemory*>(raw);
  const SlabShape& shape = job.shape;
  const Index k_padded = shape.k_padded(), row_squares = shape.squares(job.rows.count),
              col_squares = shape.squares(job.cols.count);
  __shared__ unsigned of_tiles;
  const int groups = static_cast<int>(shape.groups()), pairs = groups * groups, parts = slab_threads / pairs;
  const int slabs = static_cast<int>(shape.slabs), terms = static_cast<int>(shape.terms);
  const int pair = static_cast<int>(threadIdx.x) % pairs, part = static_cast<int>(threadIdx.x) / pairs;
  const int row_group = pair / groups, col_group = pair % groups;
  for (Index item = blockIdx.x; item < row_squares * col_squares; item += gridDim.x) {
    const Index square[2] = {item / col_squares, item % col_squares};
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < slabs * pairs; i += slab_threads)
      memory.bound[i / pairs][i % pairs] = 4 * no_term;
    for (int i = static_cast<int>(threadIdx.x); i < pairs; i += slab_threads) memory.least[i] = 4 * no_term;
    for (int i = static_cast<int>(threadIdx.x); i < slabs; i += slab_threads)
      memory.needed[i] = memory.spread[0][i] = memory.spread[1][i] = 0;
    if (threadIdx.x == 0) of_tiles = 0;
    int least = 4 * no_term;
    for (int first = 0; first < slabs * terms; first += staged_terms) {
      __syncthreads();
      constexpr int words = staged_terms / 2;
      for (int i = static_cast<int>(threadIdx.x); i < 2 * groups * words; i += slab_threads) {
        const int side = i / (groups * words), g = i / words % groups, p = i % words * 2;
        const Index from = (square[side] * groups + g) * k_padded + first + p;
        *reinterpret_cast<unsigned*>(&memory.top[side][g][p]) =
            *reinterpret_cast<const unsigned*>(job.arrays.top[side] + from);
        *reinterpret_cast<unsigned*>(&memory.low[side][g][p]) =
            *reinterpret_cast<const unsigned*>(job.arrays.low[side] + from);
      }
      __syncthreads();
      centre_staged(memory, groups, first / terms, first % terms == 0);
      const int side = static_cast<int>(threadIdx.x) / staged_terms,
                term = static_cast<int>(threadIdx.x) % staged_terms;
      if (square[1 - side] == 0)
        job.arrays.centre[side][square[side] * k_padded + first + term] = memory.centre[side][term];
      const auto word = [](const std::int16_t* x) { return *reinterpret_cast<const unsigned*>(x); };
      constexpr unsigned none = 0x8300u << 16 | 0x8300u;  // twice no_term, or so
      unsigned high = none, low = none;
#pragma unroll 4
      for (int p = 2 * part; p < staged_terms; p += 2 * parts) {
        high = __vmaxs2(high, __vadd2(word(&memory.top[0][row_group][p]), word(&memory.top[1][col_group][p])));
        low = __vmaxs2(low, __vadd2(word(&memory.low[0][row_group][p]), word(&memory.low[1][col_group][p])));
      }
      const auto larger = [](unsigned x) {
        return max(static_cast<int>(static_cast<std::int16_t>(x & 0xFFFF)), static_cast<int>(x) >> 16);
      };
      least = max(least, larger(low));
      atomicMax(&memory.bound[first / terms][pair], larger(high));
    }
    atomicMax(&memory.least[pair], least);
    __syncthreads();
    if (part == 0) {
      int largest = 4 * no_term;
      for (int slab = 0; slab < slabs; ++slab) largest = max(largest, memory.bound[slab][pair]);
      unsigned matter = 0;
      for (int slab = 0; slab < slabs; ++slab)
        if (terms_matter(memory.bound[slab][pair], largest, memory.least[pair])) {
          memory.needed[slab] = 1;
          ++matter;
        }
      // Tiles that do not exist count as well.
      atomicAdd(&of_tiles, matter);
    }
    __syncthreads();
    if (part == 0) {
      int rest = 4 * no_term;
      for (int slab = 0; slab < slabs; ++slab)
        if (memory.needed[slab] == 0) rest = max(rest, memory.bound[slab][pair]);
      job.arrays.rest[(square[0] * groups + row_group) * (col_squares * groups) + square[1] * groups + col_group] =
          rest;
    }
    int needed = 0;
    for (int slab = static_cast<int>(threadIdx.x); slab < slabs; slab += slab_threads) {
      Balance balance = Balance::none;
      if (memory.needed[slab] != 0) {
        ++needed;
        const int rows = memory.spread[0][slab], cols = memory.spread[1][slab];
        balance = rows + alike < cols ? Balance::rows : cols + alike < rows ? Balance::cols : Balance::both;
      }
      job.arrays.balance[item * slabs + slab] = static_cast<std::uint8_t>(balance);
    }
    if (needed > 0) atomicAdd(&job.state->slabs.products, static_cast<unsigned long long>(needed));
    if (threadIdx.x == 0) atomicAdd(&job.state->slabs.tile_slabs, static_cast<unsigned long long>(of_tiles));
  }
}

// ---- Samples ----

/// A number value 2^exponent.
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

/// An entry below 2^exponent: x 2^shift.
__device__ double shifted(double x, int shift) {
  const PowerScale scale = power_scale(min(max(shift, -1100), 1250));
  return x * scale.first * scale.second;
}

/// Sets state->slabs from the samples. One warp calls it.
template <class T>
__device__ void decide_slabs(const SlabJob<T>& job, const SlabTuning& tuning, const ExactTuning& exact,
                             const Capacities& capacities) {
  CallState& state = *job.state;
  SlabPlan& plan = state.slabs;
  const SlabShape& shape = job.shape;
  const int lane = static_cast<int>(threadIdx.x);
  const double needed[2] = {state.sample_slab[lane], state.sample_slab[lane + 32]};
  int known = 0;
  for (const double sample : needed) known += __popc(__ballot_sync(0xFFFFFFFFu, sample >= 0));
  const double squares =
      static_cast<double>(shape.squares(job.rows.count) * shape.squares(job.cols.count) * shape.slabs);
  const double share = static_cast<double>(plan.products) / squares;
  // Tiles leave out terms too.
  const double groups = static_cast<double>(shape.groups());
  const double tile_time =
      plan.tile_time * fmin(1.0, static_cast<double>(plan.tile_slabs) / (groups * groups * squares));
  const Index m = job.rows.count, n = job.cols.count, k = job.rows.k;
  const double tiles_alone = exact.no_terms(m, n, k) + tile_time, all_single = exact.all_single(m, n, k);
  const bool tiles = tiles_alone < plan.other_time;
  double best = tiles ? tiles_alone : plan.other_time;
  int moduli = 0;
  for (int count = least_slab_moduli; count <= shape.moduli; ++count) {
    const int bits = slab_bits(capacities.log2[count], shape.terms);
    double chance = 0;
    for (const double sample : needed)
      if (sample >= 0) chance += exp2(fmin(0.0, sample - bits));
    for (int offset = 16; offset > 0; offset /= 2) chance += __shfl_xor_sync(0xFFFFFFFFu, chance, offset);
    chance = known > 0 ? chance / known : 1;
    const double time = tuning.start +
                        share * (tuning.modulus * count + tuning.slab * static_cast<double>(shape.slabs)) +
                        fmin(tile_time, all_single * plan.pending * chance);
    if (time < best) {
      best = time;
      moduli = count;
    }
  }
  if (lane != 0 || (moduli == 0 && !tiles)) return;
  state.pass[job.pass].active = 0;
  plan.tiles_alone = moduli == 0;
  state.all_pending = moduli == 0 && !job.open;
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
/// bits). Each block of threads takes a sample, and the last one decides.
template <class T>
__global__ void __launch_bounds__(sample_threads)
    sample_slabs(const __grid_constant__ SlabJob<T> job, const __grid_constant__ SlabTuning tuning,
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
    if (!find_element(generator, job.row_lines, job.col_lines, job.open, i, j)) break;
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
  if (!last || warp > 0) return;
  __threadfence();
  decide_slabs(job, tuning, exact, capacities);
}

}  // namespace

template <class T>
void plan_slabs(const DeviceModel& model, const SlabJob<T>& job, cudaStream_t stream) {
  const unsigned many = static_cast<unsigned>(4 * model.processors), one = static_cast<unsigned>(model.processors);
  launch(model, "exponents of slabs", measure_slab_exponents<T>, {many, slab_threads}, stream, job);
  allow_shared_bytes(choose_slabs_of_squares<T>, sizeof(SquareMemory), "choice of slabs");
  launch(model, "choice of slabs", choose_slabs_of_squares<T>, {one, slab_threads, sizeof(SquareMemory)}, stream, job);
  launch(model, "samples of slabs", sample_slabs<T>, {most_samples, sample_threads}, stream, job, model.tuning().slabs,
         model.tuning().exact, int8_capacities());
}

template void plan_slabs(const DeviceModel&, const SlabJob<double>&, cudaStream_t);
template void plan_slabs(const DeviceModel&, const SlabJob<float>&, cudaStream_t);

}  // namespace accublas::cuda
