// Matrix-vector products, dot products and norms beyond double precision. Warps form exact sums of parts of rows in
// registers. Rows whose terms lie too far apart for that are listed, and thread blocks form their sums in long
// accumulators.
#include <new>

#include "cuda/core/launch.hpp"
#include "cuda/core/loads.hpp"
#include "cuda/quad/entries.hpp"
#include "cuda/quad/lane_sums.hpp"
#include "cuda/quad/vector.hpp"
#include "lib/quad/interval_finish.hpp"
#include "lib/quad/quotient.hpp"

namespace accublas::cuda {

namespace {

constexpr int vector_threads = 256, vector_warps = vector_threads / 32, rows_side_by_side = 8;

/// Adds the sum of lane lane ^ distance. All lanes of the warp call it.
__device__ void merge_lane(quad::NarrowSum& sum, int distance) {
  quad::NarrowSum other;
  other.range.base = __shfl_xor_sync(full_warp, sum.range.base, distance);
  other.range.highest = __shfl_xor_sync(full_warp, sum.range.highest, distance);
  other.range.flags = __shfl_xor_sync(full_warp, sum.range.flags, distance);
#pragma unroll
  for (int i = 0; i < crt_limbs; ++i) other.sum.limb[i] = __shfl_xor_sync(full_warp, sum.sum.limb[i], distance);
  sum.merge(other);
}

/// The range of a term that NarrowSum does not add, apart from the loop that seldom needs it.
__device__ ACCUBLAS_NOINLINE quad::TermRange range_of_term(quad::Format of_x, ulonglong2 x, quad::Format of_y,
                                                           ulonglong2 y) {
  return quad::range_of_term(number_in(of_x, x), number_in(of_y, y));
}

/// A warp forms a part of `Rows` rows: lane l has terms l / Rows, l / Rows + 32 / Rows, ... of row l % Rows. With
/// `Quads` all numbers are binary128.
template <int Rows, bool Quads>
__global__ void __launch_bounds__(vector_threads) quad_vector_parts(const __grid_constant__ QuadVector v) {
  await_predecessor();
  constexpr int step = 32 / Rows, at_once = 4;
  const quad::Operand &a = v.rows, &x = v.vector;
  const bool a_aligned = reinterpret_cast<std::uintptr_t>(a.data) % 16 == 0,
             x_aligned = reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0;
  const quad::Format of_a = Quads ? quad::Format::binary128 : a.format,
                     of_x = Quads ? quad::Format::binary128 : x.format;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const Index groups = ceil_div(v.count, Index{Rows}), units = groups * v.parts;
  for (Index t = Index{blockIdx.x} * vector_warps + threadIdx.x / 32; t < units; t += Index{gridDim.x} * vector_warps) {
    const Index row = t % groups * Rows + lane % Rows, part = t / groups;
    const Index first = part * v.part_terms + lane / Rows, end = min((part + 1) * v.part_terms, v.k);
    quad::NarrowSum sum;
    for (Index p = first; row < v.count && p < end; p += at_once * step) {
      ulonglong2 left[at_once], right[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const Index q = p + i * step;
        left[i] = q < end ? load_entry(a, row * a.row_stride + q * a.col_stride, a_aligned) : ulonglong2{0, 0};
        right[i] = q < end ? load_entry(x, q * x.row_stride, x_aligned) : ulonglong2{0, 0};
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        Decoded128 of_left, of_right;
        if (integer_in(of_a, left[i], of_left) && integer_in(of_x, right[i], of_right))
          sum.add(of_left, of_right);
        else
          sum.add(range_of_term(of_a, left[i], of_x, right[i]));
      }
    }
#pragma unroll
    for (int distance = Rows; distance < 32; distance *= 2) merge_lane(sum, distance);
    if (lane < Rows && row < v.count) v.part[row * v.parts + part] = sum;
  }
}

/// Rounds the sum of a row. Returns false, with nothing written, if registers do not hold what it takes.
__device__ bool finish_narrow(const QuadVector& v, const quad::IntervalFinish& finish, const quad::NarrowSum& sum,
                              Index row) {
  if (sum.range.flags != 0) return false;
  quad::Value value;
  unsigned raised = 0;
  if (v.root) {
    std::uint64_t limbs[crt_limbs];
    value = quad::root(sum.value(limbs), {}, raised);
  } else {
    const quad::Number addend = finish.needs_addend() ? v.at(row, 0) : quad::Number{};
    if (!finish.decide(sum.sum, sum.range.empty() ? 0 : sum.range.base, 0, addend, &value, raised)) return false;
  }
  v.at.put(row, 0, value);
  if (raised != 0) atomicOr(&v.counts->raised, raised);
  return true;
}

/// Adds up the parts of rows, `Lanes` lanes a row, and rounds the sums.
template <int Lanes>
__global__ void __launch_bounds__(vector_threads) quad_vector_finish(const __grid_constant__ QuadVector v) {
  await_predecessor();
  const quad::IntervalFinish finish(v.alpha, v.beta, v.at.place.format);
  const int lane = static_cast<int>(threadIdx.x % Lanes);
  const Index step = Index{gridDim.x} * (vector_threads / Lanes);
  // All lanes of a warp take as many turns.
  for (Index first = Index{blockIdx.x} * (vector_threads / Lanes); first < v.count; first += step) {
    const Index row = first + threadIdx.x / Lanes;
    quad::NarrowSum sum;
    for (Index q = lane; row < v.count && q < v.parts; q += Lanes) {
      sum.merge(v.part[row * v.parts + q]);
    }
#pragma unroll
    for (int distance = 1; distance < Lanes; distance *= 2) merge_lane(sum, distance);
    if (lane != 0 || row >= v.count) continue;
    v.range[row] = sum.range;
    if (!finish_narrow(v, finish, sum, row)) v.list[atomicAdd(&v.counts->listed, 1u)] = row;
  }
}

/// Rounds the sum of a row, which has terms of these classes, in the memory of a thread block. One thread calls it.
__device__ ACCUBLAS_NOINLINE void finish_wide(const QuadVector& v, const SignedLimbs& sum, unsigned classes, Index row,
                                              QuadScratch* scratch) {
  const quad::TermClasses of_terms = quad::TermClasses::of_bits(classes);
  unsigned raised = 0;
  if (v.root) {
    v.at.put(row, 0, quad::root(sum, of_terms, raised));
  } else {
    quad::Finish* const finish = new (scratch->finish) quad::Finish(v.alpha, v.beta, v.at.place.format);
    const quad::Number addend = v.beta.is_zero() ? quad::Number{} : v.at(row, 0);
    v.at.put(row, 0, finish->finish(sum, of_terms, addend, raised));
  }
  if (raised != 0) atomicOr(&v.counts->raised, raised);
}

/// Adds the words of a thread block's sum to those of the row in global memory. Returns whether all parts of the row
/// are there. All threads call it.
__device__ bool add_split(const QuadVector& v, Index slot, const std::int64_t* accumulators, int words, int lanes,
                          bool* last) {
  std::int64_t* const sum = v.words + slot * 2 * QuadScratch::limbs;
  for (int w = static_cast<int>(threadIdx.x); w < words; w += lane_sums::threads)
    atomicAdd(reinterpret_cast<unsigned long long*>(sum + w), static_cast<unsigned long long>(accumulators[w * lanes]));
  __threadfence();
  __syncwarp();
  __syncthreads();
  if (threadIdx.x == 0) *last = atomicAdd(&v.arrivals[slot], 1u) + 1 == v.splits;
  __syncwarp();
  __syncthreads();
  __threadfence();
  return *last;
}

/// Computes the rows of the list. A thread block has a part of a row at a time.
__global__ void __launch_bounds__(lane_sums::threads)
    quad_vector_wide(const __grid_constant__ QuadVector v, QuadScratch* scratch) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char raw[];
  std::int64_t* const accumulators = reinterpret_cast<std::int64_t*>(raw);
  __shared__ __align__(8) unsigned char shared_raw[sizeof(lane_sums::SharedSum)];
  lane_sums::SharedSum* const shared = reinterpret_cast<lane_sums::SharedSum*>(shared_raw);
  __shared__ bool last;
  QuadScratch* const own = scratch + blockIdx.x;
  const int thread = static_cast<int>(threadIdx.x);
  const Index units = v.counts->listed * v.splits, terms = ceil_div(v.k, v.splits);
  for (Index t = blockIdx.x; t < units; t += gridDim.x) {
    const Index slot = t / v.splits, split = t % v.splits, row = v.list[slot];
    const quad::TermRange range = v.range[row];
    const unsigned classes = range.flags & quad::TermClasses::all_bits;
    // Infinite and NaN terms decide without the sum of the others.
    const int words = classes != 0 ? 0 : lane_sums::words_of(range), lanes = lane_sums::lanes_of(words),
              base = range.empty() ? 0 : range.base;
    const Index end = min((split + 1) * terms, v.k);
    lane_sums::clear(accumulators, words, lanes);
    if (words > 0 && thread < lanes)
      for (Index p = split * terms + thread; p < end; p += lanes)
        lane_sums::add_term(accumulators + thread, lanes, v.rows(row, p), v.vector(p, 0), base);
    lane_sums::add_lanes(accumulators, words, lanes);
    const bool complete = v.splits == 1 || add_split(v, slot, accumulators, words, lanes, &last);
    if (complete && thread == 0) {
      const std::int64_t* const split_sum = v.words + slot * 2 * QuadScratch::limbs;
      const bool whole = v.splits == 1;
      lane_sums::put_sum([&](int w) { return whole ? accumulators[w * lanes] : __ldcg(split_sum + w); }, words, base,
                         own->sum, shared);
      finish_wide(v, lane_sums::limbs_of(own->sum, *shared), classes, row, own);
    }
    __syncwarp();
    __syncthreads();
  }
}

}  // namespace

int quad_rows_of_warp(const QuadVector& v) {
  return v.count >= rows_side_by_side && lies_across(v.rows) ? rows_side_by_side : 1;
}

void quad_vector(const DeviceModel& model, const QuadVector& v, QuadScratch* scratch, int scratch_blocks,
                 cudaStream_t stream) {
  const auto start = [&](const char* what, auto kernel, Index work) {
    const Index wanted = ceil_div(work, Index{vector_threads}), most = Index{16} * model.processors;
    launch(model, what, kernel, {static_cast<unsigned>(wanted < most ? wanted : most), vector_threads}, stream, v);
  };
  const int rows = quad_rows_of_warp(v);
  const bool quads = v.rows.format == quad::Format::binary128 && v.vector.format == quad::Format::binary128;
  const Index lanes = ceil_div(v.count, Index{rows}) * v.parts * 32;
  if (rows == 1)
    start("quad_vector_parts", quads ? quad_vector_parts<1, true> : quad_vector_parts<1, false>, lanes);
  else
    start("quad_vector_parts",
          quads ? quad_vector_parts<rows_side_by_side, true> : quad_vector_parts<rows_side_by_side, false>, lanes);
  if (v.parts == 1)
    start("quad_vector_finish", quad_vector_finish<1>, v.count);
  else
    start("quad_vector_finish", quad_vector_finish<32>, 32 * v.count);
  allow_shared_bytes(quad_vector_wide, lane_sums::accumulator_bytes, "quad_vector_wide");
  launch(model, "quad_vector_wide", quad_vector_wide,
         {static_cast<unsigned>(scratch_blocks), lane_sums::threads, lane_sums::accumulator_bytes}, stream, v, scratch);
}

}  // namespace accublas::cuda
