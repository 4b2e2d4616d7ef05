// Computes single elements that no pass of a GEMM engine decides: sums without a term, and sums with Inf or NaN. Sums
// that grid sums (cuda/exact/grid_elements.cu) do not decide get exact accumulators. The CPU's counterpart is
// lib/cpu/sums/exact.cpp.
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/exact/exact_element.hpp"
#include "cuda/exact/finish_element.hpp"
#include "cuda/exact/finish_in_place.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/exact/state_of_block.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/escalation.hpp"

namespace accublas::cuda {

namespace {

// ---- single elements

/// Returns the lowest exponent of any mantissa bit in the line. It follows from last_bit.
template <class T>
__device__ int line_base(const Lines& lines, Index i) {
  return lines.last_bit[i] - (FloatFormat<T>::digits - 1);
}

/// Computes and writes an element; returns true if its lines are finite. All lanes of a team call this.
template <class T>
__device__ ACCUBLAS_NOINLINE bool finish_open_element(const ExactArguments<T>& a, Index row, Index col, T alpha, T beta,
                                                      const Team& team) {
  T* const at = element(a.at, row, col);
  const LinePair<T> lines(a.rows, row, a.cols, col);
  if (a.row_lines.special[row] != 0 || a.col_lines.special[col] != 0) {
    const T sum = special_sum(lines, a.row_lines.special[row] == 2 || a.col_lines.special[col] == 2);
    if (team.leads()) *at = finish_special(alpha, sum, beta, read_addend(beta, at));
    return false;
  }
  if (!(a.row_lines.norm[row] > 0) || !(a.col_lines.norm[col] > 0)) {
    if (team.leads()) *at = finish(alpha, Wide<1>{}, 0, beta, read_addend(beta, at));
    return true;
  }
  const int base = line_base<T>(a.row_lines, row) + line_base<T>(a.col_lines, col);
  const int bits = a.row_lines.exponent[row] + a.col_lines.exponent[col] - base;  // bits of every product
  const int count = bits / 32 + 5;  // the last product's five digits; three of them hold the carries too
  exact_sum(lines, base, count, team);
  if (team.leads())
    *at = finish_in_place(alpha, team.storage->limb, ceil_div(count, 2), base, beta, read_addend(beta, at));
  team.sync();
  return true;
}

/// Serves few pending elements. A block computes one at a time, since a warp alone takes 60 us for one at 2048 terms.
/// The 256 words of a chunk lie far apart, so that adjacent pending elements are distributed over blocks.
template <class T>
__device__ void compute_few_elements(const ExactArguments<T>& a, ExactStorage* storage) {
  constexpr int threads = 32 * exact_warps;
  __shared__ std::uint32_t words[threads];
  __shared__ unsigned any[exact_warps];  // any bit in a warp's words
  __shared__ unsigned long long begin;
  CallState& state = *a.state;
  const int t = static_cast<int>(threadIdx.x);
  const Team team{storage, t / 32, exact_warps};
  const T alpha = a.alpha.get(), beta = a.beta.get();
  const Index pitch = OpenBits::words_per_row(a.cols.count), total = a.rows.count * pitch;
  const Index chunks = ceil_div(total, threads);
  const Index take = max(Index{1}, chunks / (Index{4} * gridDim.x));
  unsigned long long computed = 0;
  for (;;) {
    if (t == 0) begin = atomicAdd(&state.next_chunk, static_cast<unsigned long long>(take));
    __syncthreads();
    const Index first = static_cast<Index>(begin);
    if (first >= chunks) break;
    for (Index chunk = first; chunk < min(first + take, chunks); ++chunk) {
      const Index own = chunk + t * chunks;
      const std::uint32_t word = own < total ? a.open[own] : 0;
      if (!__syncthreads_or(word != 0)) continue;
      words[t] = word;
      any[t / 32] = __ballot_sync(0xFFFFFFFFu, word != 0);
      __syncthreads();
      for (int w = 0; w < exact_warps; ++w)
        for (unsigned left = any[w]; left != 0; left &= left - 1) {
          const int source = 32 * w + __ffs(static_cast<int>(left)) - 1;
          const Index at = chunk + source * chunks, row = at / pitch, col = at % pitch * 32;
          for (std::uint32_t rest = words[source]; rest != 0; rest &= rest - 1)
            computed += finish_open_element(a, row, col + __ffs(static_cast<int>(rest)) - 1, alpha, beta, team);
        }
      if (word != 0) a.open[own] = 0;
      __syncthreads();
    }
    __syncthreads();  // all threads have read `begin`
  }
  if (t == 0 && computed != 0) atomicAdd(&state.undecided, computed);
}

/// Warps take chunks of the bitmap's bytes by a counter. The 32 bytes of a chunk lie far apart, so that adjacent
/// pending elements are distributed over warps; neighbouring chunks share their sectors.
template <class T, bool Grouped>
__global__ void __launch_bounds__(32 * exact_warps, exact_blocks)
    compute_open_elements(const __grid_constant__ ExactArguments<T> given) {
  await_predecessor();
  CallState& state = state_of_block<Grouped>(given);
  if (leaves_c(state, given.alpha)) return;
  const unsigned long long count = open_before(state, most_passes) - state.resolved;
  const bool specials = state.rows.special != 0 || state.cols.special != 0;
  if (count == 0 && !specials) return;
  const ExactArguments<T>& a = arguments_of_block<Grouped>(given);
  __shared__ ExactStorage storage[exact_warps];
  if (!specials && count <= 2 * gridDim.x) return compute_few_elements(a, storage);
  const Team mine{storage + threadIdx.x / 32, 0, 1};
  const int lane = threadIdx.x & 31;
  const T alpha = a.alpha.get(), beta = a.beta.get();
  std::uint8_t* const open = reinterpret_cast<std::uint8_t*>(a.open);
  const Index bytes = 4 * OpenBits::words_per_row(a.cols.count), total = a.rows.count * bytes;
  const Index chunks = ceil_div(total, 32) | 1;
  // Each warp gets some 32 turns.
  const Index take = max(Index{1}, chunks / (Index{32} * exact_warps * gridDim.x));
  unsigned long long computed = 0;
  for (;;) {
    Index begin = 0;
    if (lane == 0) begin = static_cast<Index>(atomicAdd(&state.next_chunk, static_cast<unsigned long long>(take)));
    begin = __shfl_sync(0xFFFFFFFFu, begin, 0);
    if (begin >= chunks) break;
    for (Index chunk = begin; chunk < min(begin + take, chunks); ++chunk) {
      const Index own = chunk + lane * chunks;
      const unsigned bits = own < total ? open[own] : 0;
      for (unsigned left = __ballot_sync(0xFFFFFFFFu, bits != 0); left != 0; left &= left - 1) {
        const int source = __ffs(static_cast<int>(left)) - 1;
        const Index byte = chunk + source * chunks, row = byte / bytes, col = byte % bytes * 8;
        for (unsigned rest = __shfl_sync(0xFFFFFFFFu, bits, source); rest != 0; rest &= rest - 1)
          computed += finish_open_element(a, row, col + __ffs(static_cast<int>(rest)) - 1, alpha, beta, mine);
      }
      if (bits != 0) open[own] = 0;
    }
  }
  if (lane == 0 && computed != 0) atomicAdd(&state.undecided, computed);
}

// ---- sums without a term ------------------------------------------------------------------------------------------

/// A block examines a tile of 64 x 64 elements; a thread examines 4 x 4 of them, 16 apart.
constexpr int zero_tile = 64, zero_threads = 256, zero_words = 16;

template <class T, bool Grouped>
__global__ void __launch_bounds__(zero_threads)
    clear_structural_zeros(const __grid_constant__ ExactArguments<T> given, int index) {
  await_predecessor();
  CallState& state = state_of_block<Grouped>(given);
  if (leaves_c(state, given.alpha) || !state.pass[index].active) return;
  unsigned long long& counter = open_before(state, index + 1);
  const Index m = given.rows.count, n = given.cols.count, words = OpenBits::words_per_row(n);
  const unsigned long long count = *static_cast<volatile unsigned long long*>(&counter);
  // A few elements would not cause a further pass: exact sums compute them as they are. Other thread blocks lower the
  // counter, so the threads of a block must agree.
  if (!__syncthreads_or(count > few_elements_gpu(m, n))) return;
  const ExactArguments<T>& a = arguments_of_block<Grouped>(given);
  const T alpha = a.alpha.get(), beta = a.beta.get();
  __shared__ std::uint64_t row_bits[zero_words][zero_tile], col_bits[zero_words][zero_tile];
  __shared__ std::uint32_t open[zero_tile][2];
  __shared__ unsigned long long any_row[zero_words], any_col[zero_words];
  __shared__ unsigned cleared;
  const int t = static_cast<int>(threadIdx.x), tr = t / 16, tc = t % 16;
  const Index tiles_across = ceil_div(n, zero_tile), tiles = ceil_div(m, zero_tile) * tiles_across;
  for (Index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const Index row = tile / tiles_across * zero_tile, col = tile % tiles_across * zero_tile;
    __syncthreads();
    if (t == 0) cleared = 0;
    std::uint32_t word = 0;
    const Index word_row = row + t / 2, word_at = col / 32 + t % 2;
    const bool has_word = t < 2 * zero_tile && word_row < m && word_at < words;
    if (has_word) word = a.open[word_row * words + word_at];
    if (t < 2 * zero_tile) open[t / 2][t % 2] = word;
    if (!__syncthreads_or(word != 0)) continue;

    unsigned left = 0;  // bit 4 i + j: element (tr + 16 i, tc + 16 j) is pending, and no common term was found
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        const int r = tr + 16 * i, c = tc + 16 * j;
        const bool finite =
            row + r < m && col + c < n && a.row_lines.special[row + r] == 0 && a.col_lines.special[col + c] == 0;
        left |= static_cast<unsigned>(finite && (open[r][c / 32] >> c % 32 & 1) != 0) << (4 * i + j);
      }
    for (Index w0 = 0; w0 < a.row_lines.words; w0 += zero_words) {
      if (!__syncthreads_or(left != 0)) break;
      const int count = static_cast<int>(min(Index{zero_words}, a.row_lines.words - w0));
      if (t < zero_words) any_row[t] = any_col[t] = 0;
      __syncthreads();
      // The loop loads 16 consecutive words of a line at a time.
      for (int i = t; i < zero_words * zero_tile; i += zero_threads) {
        const int w = i % zero_words, line = i / zero_words;
        const std::uint64_t r =
            w < count && row + line < m ? a.row_lines.nonzero[(row + line) * a.row_lines.words + w0 + w] : 0;
        const std::uint64_t c =
            w < count && col + line < n ? a.col_lines.nonzero[(col + line) * a.col_lines.words + w0 + w] : 0;
        row_bits[w][line] = r;
        col_bits[w][line] = c;
        if (r != 0) atomicOr(&any_row[w], static_cast<unsigned long long>(r));
        if (c != 0) atomicOr(&any_col[w], static_cast<unsigned long long>(c));
      }
      __syncthreads();
      for (int w = 0; w < count; ++w) {
        if ((any_row[w] & any_col[w]) == 0) continue;
        std::uint64_t c[4];
        for (int j = 0; j < 4; ++j) c[j] = col_bits[w][tc + 16 * j];
        for (int i = 0; i < 4; ++i) {
          const std::uint64_t r = row_bits[w][tr + 16 * i];
          for (int j = 0; j < 4; ++j)
            if ((r & c[j]) != 0) left &= ~(1u << (4 * i + j));
        }
      }
    }
    if (left != 0) atomicAdd(&cleared, static_cast<unsigned>(__popc(left)));
    for (; left != 0; left &= left - 1) {
      const int bit = __ffs(static_cast<int>(left)) - 1, r = tr + 16 * (bit / 4), c = tc + 16 * (bit % 4);
      atomicAnd(&open[r][c / 32], ~(1u << c % 32));
      T* const at = element(a.at, row + r, col + c);
      *at = finish(alpha, Wide<1>{}, 0, beta, read_addend(beta, at));
    }
    __syncthreads();
    if (has_word && open[t / 2][t % 2] != word) a.open[word_row * words + word_at] = open[t / 2][t % 2];
    if (t == 0 && cleared != 0) atomicAdd(&counter, ~static_cast<unsigned long long>(cleared) + 1);
  }
}

}  // namespace

template <class T>
void resolve_structural_zeros(const DeviceModel& model, const ExactArguments<T>& a, int index, cudaStream_t stream) {
  if (!a.row_lines.nonzero || !a.col_lines.nonzero) return;
  const auto kernel = a.group.exists() ? clear_structural_zeros<T, true> : clear_structural_zeros<T, false>;
  const Index tiles = ceil_div(a.rows.count, zero_tile) * ceil_div(a.cols.count, zero_tile);
  const Index own = a.group.few_blocks_of_product(8 * model.processors, 4 * model.processors, tiles);
  const dim3 grid{static_cast<unsigned>(own), a.group.grid_rows()};
  launch(model, "structural zeros", kernel, {grid, zero_threads}, stream, a, index);
}

PendingTiles PendingTiles::faster_by_tiles(const DeviceModel& model, Index m, Index n) {
  const ExactTuning& tuning = model.tuning().exact;
  return {max(static_cast<Index>(few_elements_gpu(m, n)), tuning.pending * model.processors), tuning.of_tile};
}

PendingTiles PendingTiles::faster_by_short_tiles(const DeviceModel& model) {
  const ExactTuning& tuning = model.tuning().exact;
  return {tuning.pending_of_short * model.processors, tuning.of_short_tile};
}

PendingTiles PendingTiles::of_small(const DeviceModel& model) { return {4096, model.tuning().exact.of_tile}; }

bool computes_tiles(const DeviceModel& model, Index m, Index n) {
  return m * n > PendingTiles::faster_by_tiles(model, m, n).elements;
}

template <class T>
void accumulate_open_elements(const DeviceModel& model, const ExactArguments<T>& a, cudaStream_t stream) {
  const auto kernel = a.group.exists() ? compute_open_elements<T, true> : compute_open_elements<T, false>;
  const Index resident = Index{exact_blocks} * model.processors;
  const dim3 grid{static_cast<unsigned>(a.group.few_blocks_of_product(resident, resident, resident)),
                  a.group.grid_rows()};
  launch(model, "exact elements", kernel, {grid, 32 * exact_warps}, stream, a);
}

template <class T>
void exact(const DeviceModel& model, const ExactArguments<T>& a, cudaStream_t stream) {
  const Index m = a.rows.count, n = a.cols.count;
  if (computes_tiles(model, m, n))
    decide_by_tiles(model, a, PendingTiles::faster_by_tiles(model, m, n), PendingTiles::faster_by_short_tiles(model),
                    stream);
  decide_by_grid_sums(model, a, stream);
  accumulate_open_elements(model, a, stream);
}

bool computes_small_tiles(const DeviceModel& model, Index m, Index n) {
  return m * n > PendingTiles::of_small(model).elements;
}

template <class T>
void exact_of_small(const DeviceModel& model, const ExactArguments<T>& a, cudaStream_t stream) {
  const PendingTiles least = PendingTiles::of_small(model);
  if (computes_small_tiles(model, a.rows.count, a.cols.count)) decide_by_tiles(model, a, least, least, stream);
  decide_by_grid_sums(model, a, stream);
  accumulate_open_elements(model, a, stream);
}

#define ACCUBLAS_INSTANTIATE(T)                                                                               \
  template void resolve_structural_zeros<T>(const DeviceModel&, const ExactArguments<T>&, int, cudaStream_t); \
  template void accumulate_open_elements<T>(const DeviceModel&, const ExactArguments<T>&, cudaStream_t);      \
  template void exact<T>(const DeviceModel&, const ExactArguments<T>&, cudaStream_t);                         \
  template void exact_of_small<T>(const DeviceModel&, const ExactArguments<T>&, cudaStream_t);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
