// Computes results from the residues of slabs. A warp takes a row of 128 columns at a time, and a thread four columns
// of it, as in reconstruct.cu. A thread adds up the leading bits of the slabs' sums in pairs of doubles, with bounds.
#include "cuda/core/launch.hpp"
#include "cuda/exact/decide_sum.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/finish_leading.hpp"
#include "cuda/int8/slabs.hpp"
#include "lib/numerics/slab_bound.hpp"

namespace accublas::cuda {

namespace {

constexpr int later_planes = 2, strip_cols = 128, rows_of_task = 2;
constexpr int reconstruct_threads = 256, reconstruct_warps = reconstruct_threads / 32, resident_blocks_of_slabs = 2;

struct SlabLeading {
  LeadingBytes of[most_slab_moduli];
};
template <int... I>
constexpr SlabLeading slab_leading(std::integer_sequence<int, I...>) {
  return {{crt_detail::leading_bytes_of<I + 1>...}};
}
__device__ const SlabLeading leading_tables = slab_leading(std::make_integer_sequence<int, most_slab_moduli>());

/// A sum whose unit is below 2^least_exponent is replaced by zero with the bound least_bound. One whose unit is above
/// 2^largest_exponent has no bound. The parts of a sum are multiples of 2^-52 units, so they are numbers of double
/// precision in units of 2^least_exponent.
constexpr int least_exponent = -1000, largest_exponent = 800;
constexpr double least_bound = 0x1p-940;

/// Adds the sums of a slab to those of a lane's columns. Set `Narrow` if there are more than 16 planes.
template <bool Narrow>
__device__ __forceinline__ void add_slab(const LeadingWeights<later_planes>& weights, const std::int8_t* residues,
                                         int planes, Index terms, SlabLine row, const SlabLine* cols,
                                         BoundedPair<double, true> (&sum)[columns]) {
  using Order = Steps<later_planes>;
  const int group = static_cast<int>(threadIdx.x % 4);
  constexpr int plane = slab_tile * slab_tile;
  const auto load = [&](int step, auto& to) {
    load_residues(residues + Order::first_plane(step, group, planes) * plane,
                  Order::a_lane(step, planes) == 1 ? 0 : plane, to);
  };
  Residues<4> wide;
  Residues<later_planes> later{};
  load(0, wide);
  if (Narrow) load(1, later);
  DigitSums digits;
  start_sums<Narrow, 0>(weights, wide, later, digits);
  if (Narrow) {
    for (int step = 2; step < Order::of(planes); ++step) {
      load(step, later);
      add_step<0>(weights, step, later, digits);
    }
  }
#pragma unroll
  for (int e = 0; e < columns; ++e) {
    const SlabLine col = cols[column_of(e)];
    const float error = slab_error(row.size, col.size, terms);
    if (error == 0) continue;
    const LeadingPart part = fine_part(weights, digits.pair[e]);
    const int exponent = weights.exponent + 64 - row.exponent - col.exponent;
    const bool small = exponent < least_exponent, known = !small && exponent <= largest_exponent;
    const double unit = power_of_two(known ? exponent : 0);
    const double bound =
        (static_cast<double>(error) * power_of_two(-64 - weights.exponent) + fine_slack) * (1 + 0x1p-40);
    sum[e].add({known ? Pair{part.head * unit, part.tail * unit} : Pair{0, 0},
                known   ? __dmul_ru(bound, unit)
                : small ? least_bound
                        : from_bits<double>(FloatFormat<double>::infinity)});
  }
}

template <class T, bool Narrow>
__device__ __forceinline__ unsigned finish_rows(const SlabJob<T>& job, const SlabResults<T>& to,
                                                const LeadingWeights<later_planes>& weights) {
  const SlabShape& shape = job.shape;
  const SlabPlan& plan = job.state->slabs;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32), planes = plan.moduli;
  const Index rows = min(shape.rows, job.rows.count - to.row), cols = min(shape.cols, job.cols.count - to.col);
  const Index strips = ceil_div(cols, Index{strip_cols}), tasks = strips * ceil_div(rows, Index{rows_of_task});
  const Index words = OpenBits::words_per_row(job.cols.count);
  const Index col_squares = shape.squares(job.cols.count), col_groups = col_squares * shape.groups();
  const T alpha = to.alpha.get(), beta = to.beta.get();
  unsigned left_open = 0;
  for (Index task = Index{blockIdx.x} * reconstruct_warps + warp; task < tasks;
       task += Index{gridDim.x} * reconstruct_warps) {
    const Index first_row = task / strips * rows_of_task, strip = task % strips * strip_cols,
                own = strip + first_column(), J = strip / shape.square;
    for (Index r = first_row; r < min(first_row + rows_of_task, rows); ++r) {
      const Index i = to.row + r, I = r / shape.square;
      const std::uint8_t* const balance =
          job.arrays.balance + ((to.row / shape.square + I) * col_squares + to.col / shape.square + J) * shape.slabs;
      const std::int8_t* const residues = to.result + slab_tile_offset(shape, planes, r, strip) +
                                          r % slab_tile * slab_tile + strip % slab_tile + 16 * (lane / 4);
      BoundedPair<double, true> sum[columns];
      for (Index slab = 0; slab < shape.slabs; ++slab) {
        if (static_cast<Balance>(balance[slab]) == Balance::none) continue;
        const SlabLine row = job.arrays.lines[0][(J * shape.slabs + slab) * shape.rows + r];
        if (row.size == 0) continue;
        add_slab<Narrow>(weights, residues + slab * planes * (slab_tile * slab_tile), planes, shape.terms, row,
                         job.arrays.lines[1] + (I * shape.slabs + slab) * shape.cols + own, sum);
      }
      const double rest =
          left_out_bound(job.arrays.rest[i / slab_group * col_groups + (to.col + own) / slab_group], job.rows.k);
      const bool special_row = job.row_lines.special[i] != 0;
      const Index word = i * words + (to.col + own) / 32;
      unsigned bits = 0;
#pragma unroll
      for (int e = 0; e < columns; ++e) {
        const Index c = own + column_of(e), j = to.col + c;
        if (c >= cols) continue;
        const bool special = special_row || job.col_lines.special[j] != 0;
        sum[e].error = __dadd_ru(sum[e].error, rest);
        const bool done = !special && decide_sum<T>({sum[e].pair, sum[e].error}, 0, alpha, beta, element(to.at, i, j));
        if (!done) bits |= 1u << (j & 31);
        left_open += !done && !special;
      }
#pragma unroll
      for (int offset = 1; offset < 8; offset *= 2) bits |= __shfl_xor_sync(0xFFFFFFFFu, bits, offset);
      if (lane % 8 == 0 && own < cols) to.open[word] = bits;
    }
  }
  return left_open;
}

template <class T>
__global__ void __launch_bounds__(reconstruct_threads, resident_blocks_of_slabs)
    reconstruct_slabs_of_chunk(const __grid_constant__ SlabJob<T> job, const __grid_constant__ SlabResults<T> to) {
  await_predecessor();
  const SlabPlan& plan = job.state->slabs;
  if (plan.active == 0) return;
  extern __shared__ __align__(16) unsigned char raw[];
  LeadingWeights<later_planes>& weights = *reinterpret_cast<LeadingWeights<later_planes>*>(raw);
  load_leading_weights(leading_tables.of[plan.moduli - 1], plan.moduli, weights);
  __syncthreads();
  const unsigned left_open =
      plan.moduli <= wide_step ? finish_rows<T, false>(job, to, weights) : finish_rows<T, true>(job, to, weights);
  unsigned long long in_all = left_open;
  for (int offset = 16; offset > 0; offset /= 2) in_all += __shfl_xor_sync(0xFFFFFFFFu, in_all, offset);
  if (threadIdx.x % 32 == 0 && in_all != 0) atomicAdd(&open_before(*job.state, most_passes), in_all);
}

}  // namespace

template <class T>
void reconstruct_slabs(const DeviceModel& model, const SlabJob<T>& job, const SlabResults<T>& to, cudaStream_t stream) {
  constexpr std::size_t bytes = sizeof(LeadingWeights<later_planes>);
  allow_shared_bytes(reconstruct_slabs_of_chunk<T>, bytes, "reconstruction of slabs");
  launch(model, "reconstruction of slabs", reconstruct_slabs_of_chunk<T>,
         {static_cast<unsigned>(resident_blocks_of_slabs * model.processors), reconstruct_threads, bytes}, stream, job,
         to);
}

template void reconstruct_slabs(const DeviceModel&, const SlabJob<double>&, const SlabResults<double>&, cudaStream_t);
template void reconstruct_slabs(const DeviceModel&, const SlabJob<float>&, const SlabResults<float>&, cudaStream_t);

}  // namespace accublas::cuda
