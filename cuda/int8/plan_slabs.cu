// Plans products by slabs: measures exponents, and finds the slabs that matter.
#include "cuda/core/launch.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/int8/slab_planning.hpp"
#include "lib/numerics/slab_bound.hpp"

namespace accublas::cuda {

namespace {

constexpr int measured_terms = 64;
static_assert(slab_group == pending_tile_lines);

/// Fills arrays.top and arrays.low. A thread block takes 64 terms of a group of lines at a time.
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

/// Terms are balanced by the side whose exponents vary less, if the two ranges differ by more than this.
constexpr int alike = 2;

constexpr int most_groups = most_square / slab_group, most_pairs_of_groups = most_groups * most_groups;

/// A thread block takes 512 terms at a time, which are whole slabs.
constexpr int staged_terms = 512, choice_threads = 2 * staged_terms;
static_assert(staged_terms % most_slab_terms == 0 && choice_threads % most_pairs_of_groups == 0);
struct SquareMemory {
  std::int16_t top[2][most_groups][staged_terms + 2], low[2][most_groups][staged_terms + 2];
  int bound[most_slabs][most_pairs_of_groups];
  int least[most_pairs_of_groups];
  int needed[most_slabs];
  std::int16_t centre[2][staged_terms];
  int spread[2][most_slabs];  ///< largest range of top - centre of a side's groups
};

/// Finds the centres of the staged terms, and how far their exponents range from them in each slab, from slab
/// `first_slab` on.
__device__ void centre_staged(SquareMemory& memory, int groups, int terms, int first_slab, int slabs) {
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const int side = static_cast<int>(threadIdx.x) / staged_terms, term = static_cast<int>(threadIdx.x) % staged_terms;
  int sum = 0, count = 0;
  for (int g = 0; g < groups; ++g) {
    const int e = memory.top[side][g][term];
    if (e != no_term) sum += e, ++count;
  }
  memory.centre[side][term] = static_cast<std::int16_t>(count == 0 ? no_term : sum / count);
  __syncthreads();
  for (int i = warp; i < 2 * groups * slabs; i += choice_threads / 32) {
    const int of = i / (groups * slabs), slab = i / groups % slabs, g = i % groups;
    int high = no_term, low = -no_term;
    for (int p = slab * terms + lane; p < (slab + 1) * terms; p += 32) {
      const int e = memory.top[of][g][p];
      if (e == no_term) continue;
      high = max(high, e - memory.centre[of][p]);
      low = min(low, e - memory.centre[of][p]);
    }
    high = lanes_max(high);
    low = lanes_min(low);
    if (lane == 0 && high != no_term) atomicMax(&memory.spread[of][first_slab + slab], high - low);
  }
}

/// Fills arrays.centre, arrays.balance and arrays.rest. A thread block takes a square at a time.
template <class T>
__global__ void __launch_bounds__(choice_threads) choose_slabs_of_squares(const __grid_constant__ SlabJob<T> job) {
  await_predecessor();
  if (!plans_slabs(*job.state)) return;
  extern __shared__ __align__(16) unsigned char raw[];
  SquareMemory& memory = *reinterpret_cast<SquareMemory*>(raw);
  const SlabShape& shape = job.shape;
  const Index k_padded = shape.k_padded(), row_squares = shape.squares(job.rows.count),
              col_squares = shape.squares(job.cols.count);
  __shared__ unsigned of_tiles;
  const int groups = static_cast<int>(shape.groups()), pairs = groups * groups, parts = choice_threads / pairs;
  const int slabs = static_cast<int>(shape.slabs), terms = static_cast<int>(shape.terms);
  const int pair = static_cast<int>(threadIdx.x) % pairs, part = static_cast<int>(threadIdx.x) / pairs;
  const int row_group = pair / groups, col_group = pair % groups;
  for (Index item = blockIdx.x; item < row_squares * col_squares; item += gridDim.x) {
    const Index square[2] = {item / col_squares, item % col_squares};
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < slabs * pairs; i += choice_threads)
      memory.bound[i / pairs][i % pairs] = 4 * no_term;
    for (int i = static_cast<int>(threadIdx.x); i < pairs; i += choice_threads) memory.least[i] = 4 * no_term;
    for (int i = static_cast<int>(threadIdx.x); i < slabs; i += choice_threads)
      memory.needed[i] = memory.spread[0][i] = memory.spread[1][i] = 0;
    if (threadIdx.x == 0) of_tiles = 0;
    int least = 4 * no_term;
    for (int first = 0; first < slabs * terms; first += staged_terms) {
      const int staged = min(staged_terms, slabs * terms - first), words = staged / 2;
      __syncthreads();
      for (int i = static_cast<int>(threadIdx.x); i < 2 * groups * words; i += choice_threads) {
        const int side = i / (groups * words), g = i / words % groups, p = i % words * 2;
        const Index from = (square[side] * groups + g) * k_padded + first + p;
        *reinterpret_cast<unsigned*>(&memory.top[side][g][p]) =
            *reinterpret_cast<const unsigned*>(job.arrays.top[side] + from);
        *reinterpret_cast<unsigned*>(&memory.low[side][g][p]) =
            *reinterpret_cast<const unsigned*>(job.arrays.low[side] + from);
      }
      __syncthreads();
      centre_staged(memory, groups, terms, first / terms, staged / terms);
      const int side = static_cast<int>(threadIdx.x) / staged_terms,
                term = static_cast<int>(threadIdx.x) % staged_terms;
      if (square[1 - side] == 0 && term < staged)
        job.arrays.centre[side][square[side] * k_padded + first + term] = memory.centre[side][term];
      const auto word = [](const std::int16_t* x) { return *reinterpret_cast<const unsigned*>(x); };
      unsigned low = no_term_sums;
      for (int begin = 0; begin < staged; begin += terms) {
        unsigned high = no_term_sums;
#pragma unroll 4
        for (int p = begin + 2 * part; p < begin + terms; p += 2 * parts) {
          high = __vmaxs2(high, __vadd2(word(&memory.top[0][row_group][p]), word(&memory.top[1][col_group][p])));
          low = __vmaxs2(low, __vadd2(word(&memory.low[0][row_group][p]), word(&memory.low[1][col_group][p])));
        }
        atomicMax(&memory.bound[(first + begin) / terms][pair], larger_half(high));
      }
      least = max(least, larger_half(low));
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
      // The sum includes tiles of padding.
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
    for (int slab = static_cast<int>(threadIdx.x); slab < slabs; slab += choice_threads) {
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

}  // namespace

template <class T>
void plan_slabs(const DeviceModel& model, const SlabJob<T>& job, cudaStream_t stream) {
  const unsigned many = static_cast<unsigned>(4 * model.processors), one = static_cast<unsigned>(model.processors);
  launch(model, "exponents of slabs", measure_slab_exponents<T>, {many, slab_threads}, stream, job);
  allow_shared_bytes(choose_slabs_of_squares<T>, sizeof(SquareMemory), "choice of slabs");
  launch(model, "choice of slabs", choose_slabs_of_squares<T>, {one, choice_threads, sizeof(SquareMemory)}, stream,
         job);
  sample_slabs(model, job, stream);
}

template void plan_slabs(const DeviceModel&, const SlabJob<double>&, cudaStream_t);
template void plan_slabs(const DeviceModel&, const SlabJob<float>&, cudaStream_t);

}  // namespace accublas::cuda
