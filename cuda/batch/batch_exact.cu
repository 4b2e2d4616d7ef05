// Computes the elements of a batch, or of one matrix, that batch_cr and batch_fixed leave pending, including special
// values. If sums are long, grid sums decide most elements. Exact accumulators compute the others. A warp computes an
// element at a time.
#include "cuda/batch/batch_kernels.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/exact/exact_element.hpp"
#include "cuda/exact/finish_element.hpp"
#include "cuda/exact/grid_sum.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/ziv.hpp"

namespace accublas::cuda {

namespace {

/// The properties of a line that a warp needs before it adds up.
struct Span {
  int least = 0x3FFFFFFF,
      most = -0x3FFFFFFF;  ///< exponents of the last mantissa bits of nonzero entries
  bool special = false, nan = false;
};

template <class T>
__device__ Span span_of(const T* x, Index stride, Index k) {
  Span span;
  for (Index p = threadIdx.x & 31; p < k; p += 32) {
    const T entry = x[p * stride];
    if (!is_finite(entry)) {
      span.special = true;
      span.nan |= is_nan(entry);
    } else if (!is_zero(entry)) {
      const int exponent = decode(entry).exponent;
      span.least = min(span.least, exponent);
      span.most = max(span.most, exponent);
    }
  }
  span.least = lanes_min(span.least);
  span.most = lanes_max(span.most);
  span.special = __any_sync(0xFFFFFFFFu, span.special);
  span.nan = __any_sync(0xFFFFFFFFu, span.nan);
  return span;
}

/// Writes an element if its grid sum decides it, and returns whether it does. A sum with Inf or NaN decides nothing.
template <class T>
__device__ ACCUBLAS_NOINLINE bool compute_by_grid(const LinePair<T>& lines, T alpha, T beta, T* at) {
  const Operand<T> row{lines.x, 0, lines.x_stride, 1, lines.k}, col{lines.y, 0, lines.y_stride, 1, lines.k};
  const TripleSum sum = grid_sum(row, 0, col, 0, {0, 1});
  bool done = false;
  if ((threadIdx.x & 31) == 0) {
    T out;
    done = ziv_test(alpha, sum, beta, read_addend(beta, at), &out);
    if (done) *at = out;
  }
  return __shfl_sync(full_warp, done, 0);
}

/// Computes an element; returns true if its lines are finite.
template <class T>
__device__ bool compute(const LinePair<T>& lines, T alpha, T beta, T* at, ExactStorage& storage) {
  const Span x = span_of(lines.x, lines.x_stride, lines.k), y = span_of(lines.y, lines.y_stride, lines.k);
  const bool first_lane = (threadIdx.x & 31) == 0;
  if (x.special || y.special) {
    const T sum = special_sum(lines, x.nan || y.nan);
    if (first_lane) *at = finish_special(alpha, sum, beta, read_addend(beta, at));
    return false;
  }
  if (x.most < x.least || y.most < y.least) {
    if (first_lane) *at = finish(alpha, Wide<1>{}, 0, beta, read_addend(beta, at));
    return true;
  }
  const int base = x.least + y.least, bits = x.most + y.most - base + 2 * FloatFormat<T>::digits;
  const int count = bits / 32 + 5;  // the last product's five digits; three of them hold the carries too
  exact_sum(lines, base, count, Team{&storage, 0, 1});
  if (first_lane) *at = finish_in_place(alpha, storage.limb, ceil_div(count, 2), base, beta, read_addend(beta, at));
  __syncwarp();
  return true;
}

template <class T, bool Long>
__global__ void __launch_bounds__(32 * exact_warps, exact_blocks)
    exact_kernel(BatchProblem<T> p, BatchTiles tiles, const std::uint32_t* open, Index words, CallState* state) {
  await_predecessor();
  if (state->open[0] == 0) return;
  __shared__ ExactStorage storage[exact_warps];
  ExactStorage& mine = storage[threadIdx.x / 32];
  const int lane = threadIdx.x & 31, squares = tiles.squares(), down = tiles.rows / 16;
  const T alpha = p.alpha.get(), beta = p.beta.get();
  const Index all = static_cast<Index>(gridDim.x) * exact_warps, chunks = ceil_div(words, 32);
  unsigned long long computed = 0;
  // The words of a chunk lie far apart, so that adjacent pending elements are distributed over warps.
  for (Index chunk = static_cast<Index>(blockIdx.x) * exact_warps + threadIdx.x / 32; chunk < chunks; chunk += all) {
    const Index own = chunk + lane * chunks;
    const unsigned bits = own < words ? open[own] : 0;
    for (unsigned left = __ballot_sync(0xFFFFFFFFu, bits != 0); left != 0; left &= left - 1) {
      const int source = __ffs(static_cast<int>(left)) - 1;
      const Index word = chunk + source * chunks, number = word / 4 / squares;
      const int q = static_cast<int>(word % 4), square = static_cast<int>(word / 4 % squares);
      const Index matrix = number / tiles.of_a_matrix(), inside = number % tiles.of_a_matrix();
      const Index row0 = inside % tiles.row_tiles * tiles.rows + 16 * (square % down) + 8 * (q / 2);
      const Index col0 = inside / tiles.row_tiles * tiles.cols + 8 * (square / down) + q % 2;
      for (unsigned rest = __shfl_sync(0xFFFFFFFFu, bits, source); rest != 0; rest &= rest - 1) {
        const int bit = __ffs(static_cast<int>(rest)) - 1;
        const Index i = row0 + bit / 4, j = col0 + 2 * (bit % 4);
        const LinePair<T> lines{p.a[matrix] + i * p.a_row, p.b[matrix] + j * p.b_col, p.a_term, p.b_term, p.k};
        T* const at = p.c[matrix] + i * p.c_row + j * p.c_col;
        computed += (Long && compute_by_grid(lines, alpha, beta, at)) || compute(lines, alpha, beta, at, mine);
      }
    }
  }
  if (lane == 0 && computed != 0) atomicAdd(&state->undecided, computed);
}

/// Warps take bytes of the bitmap. The bytes of a chunk lie far apart, so that adjacent pending elements are
/// distributed over warps.
template <class T>
__global__ void __launch_bounds__(32 * exact_warps, exact_blocks)
    exact_of_one_kernel(BatchProblem<T> p, const std::uint32_t* open, Index pitch, CallState* state) {
  await_predecessor();
  if (state->open[0] == 0) return;
  __shared__ ExactStorage storage[exact_warps];
  ExactStorage& mine = storage[threadIdx.x / 32];
  const int lane = threadIdx.x & 31;
  const T alpha = p.alpha.get(), beta = p.beta.get();
  const std::uint8_t* const bytes = reinterpret_cast<const std::uint8_t*>(open);
  const Index of_column = 4 * pitch, total = p.n * of_column, all = static_cast<Index>(gridDim.x) * exact_warps;
  const Index chunks = max(ceil_div(total, 32), min(total, all));
  unsigned long long computed = 0;
  for (Index chunk = static_cast<Index>(blockIdx.x) * exact_warps + threadIdx.x / 32; chunk < chunks; chunk += all) {
    const Index own = chunk + lane * chunks;
    const unsigned bits = own < total ? bytes[own] : 0;
    for (unsigned left = __ballot_sync(full_warp, bits != 0); left != 0; left &= left - 1) {
      const int source = __ffs(static_cast<int>(left)) - 1;
      const Index byte = chunk + source * chunks, j = byte / of_column, row = byte % of_column * 8;
      for (unsigned rest = __shfl_sync(full_warp, bits, source); rest != 0; rest &= rest - 1) {
        const Index i = row + __ffs(static_cast<int>(rest)) - 1;
        const LinePair<T> lines{p.a[0] + i * p.a_row, p.b[0] + j * p.b_col, p.a_term, p.b_term, p.k};
        T* const at = p.c[0] + i * p.c_row + j * p.c_col;
        computed += compute_by_grid(lines, alpha, beta, at) || compute(lines, alpha, beta, at, mine);
      }
    }
  }
  if (lane == 0 && computed != 0) atomicAdd(&state->undecided, computed);
}

}  // namespace

template <class T>
void exact_of_one(const DeviceModel& model, const BatchProblem<T>& p, const std::uint32_t* open, Index pitch,
                  CallState* state, cudaStream_t stream) {
  launch(model, "exact elements of a matrix", exact_of_one_kernel<T>,
         {static_cast<unsigned>(exact_blocks * model.processors), 32 * exact_warps}, stream, p, open, pitch, state);
}

template <class T>
void batch_exact(const DeviceModel& model, const BatchProblem<T>& p, const BatchTiles& tiles, const std::uint32_t* open,
                 CallState* state, cudaStream_t stream) {
  launch(model, "exact elements of a batch", tiles.long_sums ? exact_kernel<T, true> : exact_kernel<T, false>,
         {static_cast<unsigned>(exact_blocks * model.processors), 32 * exact_warps}, stream, p, tiles, open,
         static_cast<Index>(tiles.open_words(p.count)), state);
}

template void batch_exact<double>(const DeviceModel&, const BatchProblem<double>&, const BatchTiles&,
                                  const std::uint32_t*, CallState*, cudaStream_t);
template void batch_exact<float>(const DeviceModel&, const BatchProblem<float>&, const BatchTiles&,
                                 const std::uint32_t*, CallState*, cudaStream_t);
template void exact_of_one<double>(const DeviceModel&, const BatchProblem<double>&, const std::uint32_t*, Index,
                                   CallState*, cudaStream_t);
template void exact_of_one<float>(const DeviceModel&, const BatchProblem<float>&, const std::uint32_t*, Index,
                                  CallState*, cudaStream_t);

}  // namespace accublas::cuda
