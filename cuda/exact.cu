// What no pass of a GEMM engine decides, element by element: sums without a term, Inf and NaN, and exact accumulators;
// the twin of lib/cpu/exact.cpp.
#include "cuda/finish_element.hpp"
#include "cuda/finish_in_place.hpp"
#include "cuda/launch.hpp"
#include "cuda/open_elements.hpp"

namespace accublas::cuda {

namespace {

// ---- exact sums
// -------------------------------------------------------------------------------------------------------

constexpr int exact_warps = 8, exact_blocks = 4;  ///< warps of a block, blocks of a multiprocessor
/// Digits of 32 bits in signed 64-bit words that a lane keeps at a time: the blocks of a multiprocessor find room for
/// theirs, and lines of a span of 230 bits or so (double) need no more.
constexpr int window_digits = 20;

/// Limbs of the widest sum: products of doubles are multiples of 2^-2252 (twice line_base) below 2^2048; four digits
/// more hold the carries of 2^64 terms and the sign.
constexpr int most_limbs = (2048 + 2252) / 64 + 4;

/// Every mantissa of the line stands at this exponent or above: its last bit is at last_bit or above.
template <class T>
__device__ int line_base(const Lines& lines, Index i) {
  return lines.last_bit[i] - (FloatFormat<T>::digits - 1);
}

struct ExactStorage {
  /// Digit d of lane l at window[d][l]: no bank conflicts, whatever digits the lanes touch.
  std::int64_t window[window_digits][32];
  std::uint64_t limb[finish_below + most_limbs + finish_above];
};

/// Adds +-m 2^shift, 0 <= shift < 32, to the digits from `first` of a window, m 2^shift < 2^(32 Pieces - 1): what falls
/// into digits 0 .. limit - 1. Minus is one's complement and one more; the top piece carries the sign.
template <int Pieces>
__device__ __forceinline__ void add_integer(std::int64_t (*digit)[32], int lane, std::uint64_t low, std::uint64_t high,
                                            int first, int shift, int limit, bool negative) {
  const std::uint32_t word[5] = {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
                                 static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32), 0};
  const std::uint32_t flip = negative ? ~std::uint32_t{0} : 0;
  std::int64_t piece[Pieces];
#pragma unroll
  for (int i = 0; i < Pieces; ++i) {
    const std::uint32_t bits = __funnelshift_l(i > 0 ? word[i - 1] : 0, word[i], shift) ^ flip;
    piece[i] =
        i + 1 < Pieces ? static_cast<std::int64_t>(bits) : static_cast<std::int64_t>(static_cast<std::int32_t>(bits));
  }
  piece[0] += negative;
  if (first >= 0 && first + Pieces <= limit) {
    std::int64_t* const at = &digit[first][lane];
#pragma unroll
    for (int i = 0; i < Pieces; ++i) at[32 * i] += piece[i];
    return;
  }
#pragma unroll
  for (int i = 0; i < Pieces; ++i)
    if (first + i >= 0 && first + i < limit) digit[first + i][lane] += piece[i];
}

/// Who computes an element: a warp, or all warps of a block together, each with a storage of its own.
struct Team {
  ExactStorage* storage;  ///< of the first warp
  int warp, warps;        ///< number in the team, and how many it has

  __device__ ExactStorage& own() const { return storage[warp]; }
  __device__ bool leads() const { return warp == 0 && (threadIdx.x & 31) == 0; }
  __device__ void sync() const { warps > 1 ? __syncthreads() : __syncwarp(); }
  /// Sums over the team of what lane d of each warp holds; the first warp has them.
  __device__ void add_up(std::int64_t& low, std::int64_t& high) const {
    if (warps == 1) return;
    const int lane = threadIdx.x & 31;
    if (warp != 0 && lane < window_digits) {
      own().limb[lane] = static_cast<std::uint64_t>(low);
      own().limb[window_digits + lane] = static_cast<std::uint64_t>(high);
    }
    __syncthreads();
    if (warp == 0 && lane < window_digits) {
      for (int w = 1; w < warps; ++w) {
        low += static_cast<std::int64_t>(storage[w].limb[lane]);
        high += static_cast<std::int64_t>(storage[w].limb[window_digits + lane]);
      }
    }
    __syncthreads();
  }
};

/// The exact sum of products of a row and a column in units of 2^base, as `count` digits in the first warp's limbs from
/// finish_below (sign extended to a whole limb). Windows of digits are summed one after another, each over all of k;
/// nearly always there is one.
template <class T>
__device__ void exact_sum(const ExactArguments<T>& a, Index row, Index col, int base, int count, const Team& team) {
  constexpr int pieces = sizeof(T) == 8 ? 5 : 3;  // 106 or 48 bits, shifted by up to 31
  const int stride = 32 * team.warps;
  ExactStorage& storage = team.own();
  const int lane = threadIdx.x & 31;
  const T* const x = a.rows.data + row * a.rows.stride;
  const T* const y = a.cols.data + col * a.cols.stride;
  std::uint32_t* const out = reinterpret_cast<std::uint32_t*>(storage.limb + finish_below);
  std::int64_t carry = 0;
  for (int start = 0; start < count; start += window_digits) {
    const int limit = min(window_digits, count - start);
    for (int d = 0; d < limit; ++d) storage.window[d][lane] = 0;
    const auto add = [&](T u, T v) {
      const Decoded p = decode(u), q = decode(v);
      if (p.mantissa == 0 || q.mantissa == 0) return;
      const int position = p.exponent + q.exponent - base;
      add_integer<pieces>(storage.window, lane, p.mantissa * q.mantissa, __umul64hi(p.mantissa, q.mantissa),
                          (position >> 5) - start, position & 31, limit, p.negative != q.negative);
    };
    Index p = 32 * team.warp + lane;
    for (; p + 3 * stride < a.rows.k; p += 4 * stride) {  // loads in flight before the first is used
      T u[4], v[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        u[i] = x[(p + stride * i) * a.rows.k_stride];
        v[i] = y[(p + stride * i) * a.cols.k_stride];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) add(u[i], v[i]);
    }
    for (; p < a.rows.k; p += stride) add(x[p * a.rows.k_stride], y[p * a.cols.k_stride]);
    __syncwarp();
    // Lane d adds up digit d of all lanes, halves apart so that nothing overflows.
    std::int64_t low = 0, high = 0;
    if (lane < limit) {
      for (int l = 0; l < 32; ++l) {
        const std::int64_t v = storage.window[lane][(l + lane) & 31];
        low += v & 0xFFFFFFFF;
        high += v >> 32;
      }
    }
    __syncwarp();
    team.add_up(low, high);
    if (team.warp != 0) continue;
    for (int d = 0; d < limit; ++d) {
      const std::int64_t value = __shfl_sync(0xFFFFFFFFu, low, d) + carry;
      carry = __shfl_sync(0xFFFFFFFFu, high, d) + (value >> 32);
      if (lane == 0) out[start + d] = static_cast<std::uint32_t>(value);
    }
  }
  if (team.leads() && (count & 1) != 0) out[count] = static_cast<std::uint32_t>(carry);
  __syncwarp();
}

/// S of an element with an infinite or NaN entry in its lines: the IEEE products of the infinite and NaN terms, summed.
/// By all lanes of a warp.
template <class T>
__device__ T special_sum(const ExactArguments<T>& a, Index row, Index col) {
  bool nan = a.row_lines.special[row] == 2 || a.col_lines.special[col] == 2, positive = false, negative = false;
  if (!nan) {
    for (Index p = threadIdx.x & 31; p < a.rows.k; p += 32) {
      const T u = a.rows.data[row * a.rows.stride + p * a.rows.k_stride];
      const T v = a.cols.data[col * a.cols.stride + p * a.cols.k_stride];
      if (is_finite(u) && is_finite(v)) continue;
      const T term = u * v;
      nan |= is_nan(term);
      positive |= term > 0;
      negative |= term < 0;
    }
  }
  nan = __any_sync(0xFFFFFFFFu, nan);
  positive = __any_sync(0xFFFFFFFFu, positive);
  negative = __any_sync(0xFFFFFFFFu, negative);
  if (nan || (positive && negative)) return canonical_nan<T>();
  return from_bits<T>(FloatFormat<T>::infinity | (negative ? FloatFormat<T>::sign : 0));
}

/// Computes and writes an element; true if it is one of finite lines. By all lanes of a team.
template <class T>
__device__ ACCUBLAS_NOINLINE bool finish_open_element(const ExactArguments<T>& a, Index row, Index col, T alpha, T beta,
                                                      const Team& team) {
  T* const at = element(a.at, row, col);
  if (a.row_lines.special[row] != 0 || a.col_lines.special[col] != 0) {
    const T sum = special_sum(a, row, col);
    if (team.leads()) *at = finish_special(alpha, sum, beta, read_addend(beta, at));
    return false;
  }
  if (!(a.row_lines.norm[row] > 0) || !(a.col_lines.norm[col] > 0)) {
    if (team.leads()) *at = finish(alpha, Wide<1>{}, 0, beta, read_addend(beta, at));
    return true;
  }
  const int base = line_base<T>(a.row_lines, row) + line_base<T>(a.col_lines, col);
  const int bits = a.row_lines.exponent[row] + a.col_lines.exponent[col] - base;  // of every product
  const int count = bits / 32 + 5;  // the last product's five pieces; three of them hold the carries too
  exact_sum(a, row, col, base, count, team);
  if (team.leads())
    *at = finish_in_place(alpha, team.storage->limb, (count + 1) / 2, base, beta, read_addend(beta, at));
  team.sync();
  return true;
}

/// Few open elements: a block takes one at a time, which a warp alone takes 60 us for at 2048 terms. The 256 words of a
/// chunk lie far apart, so that open elements that lie together are shared out.
template <class T>
__device__ void compute_few_elements(const ExactArguments<T>& a, ExactStorage* storage) {
  constexpr int threads = 32 * exact_warps;
  __shared__ std::uint32_t words[threads];
  __shared__ unsigned any[exact_warps];  // of a warp's words
  __shared__ unsigned long long begin;
  CallState& state = *a.state;
  const int t = static_cast<int>(threadIdx.x);
  const Team team{storage, t / 32, exact_warps};
  const T alpha = a.alpha.get(), beta = a.beta.get();
  const Index pitch = OpenBits::words_per_row(a.cols.count), total = a.rows.count * pitch;
  const Index chunks = (total + threads - 1) / threads;
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
    __syncthreads();  // everyone has read `begin`
  }
  if (t == 0 && computed != 0) atomicAdd(&state.undecided, computed);
}

/// Warps take chunks of the bitmap's bytes by a counter. The 32 bytes of a chunk lie far apart, so that open elements
/// that lie together are shared out; neighbouring chunks share their sectors.
template <class T>
__global__ void __launch_bounds__(32 * exact_warps, exact_blocks)
    compute_open_elements(const __grid_constant__ ExactArguments<T> a) {
  await_predecessor();
  CallState& state = *a.state;
  if (leaves_c(state, a.alpha)) return;
  const unsigned long long count = open_before(state, most_passes);
  const bool specials = state.rows.special != 0 || state.cols.special != 0;
  if (count == 0 && !specials) return;
  __shared__ ExactStorage storage[exact_warps];
  if (!specials && count <= 2 * gridDim.x) return compute_few_elements(a, storage);
  const Team mine{storage + threadIdx.x / 32, 0, 1};
  const int lane = threadIdx.x & 31;
  const T alpha = a.alpha.get(), beta = a.beta.get();
  std::uint8_t* const open = reinterpret_cast<std::uint8_t*>(a.open);
  const Index bytes = 4 * OpenBits::words_per_row(a.cols.count), total = a.rows.count * bytes;
  const Index chunks = (total + 31) / 32 | 1;
  // Some 32 turns a warp.
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

// ---- sums without a term
// ----------------------------------------------------------------------------------------------

/// A block looks at a tile of 64 x 64 elements, a thread at 4 x 4 of them 16 apart.
constexpr int zero_tile = 64, zero_threads = 256, zero_words = 16;

template <class T>
__global__ void __launch_bounds__(zero_threads) clear_structural_zeros(ExactArguments<T> a, int index) {
  await_predecessor();
  CallState& state = *a.state;
  if (leaves_c(state, a.alpha) || (index >= 0 && !state.pass[index].active)) return;
  unsigned long long& counter = open_before(state, index + 1);
  if (*static_cast<volatile unsigned long long*>(&counter) == 0) return;
  const Index m = a.rows.count, n = a.cols.count, words = OpenBits::words_per_row(n);
  // The pass after the certificate computes what is not open: it writes the elements. If there is none, they are
  // written here.
  const bool write = index >= 0 || state.largest_rung == 0;
  const T alpha = a.alpha.get(), beta = a.beta.get();
  __shared__ std::uint64_t row_bits[zero_words][zero_tile], col_bits[zero_words][zero_tile];
  __shared__ std::uint32_t open[zero_tile][2];
  __shared__ unsigned long long any_row[zero_words], any_col[zero_words];
  __shared__ unsigned cleared;
  const int t = static_cast<int>(threadIdx.x), tr = t / 16, tc = t % 16;
  const Index tiles_across = (n + zero_tile - 1) / zero_tile, tiles = (m + zero_tile - 1) / zero_tile * tiles_across;
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

    unsigned left = 0;  // bit 4 i + j: element (tr + 16 i, tc + 16 j) is open, and no common term was found
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
      // 16 consecutive words of a line at a time.
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
      if (write) *at = finish(alpha, Wide<1>{}, 0, beta, read_addend(beta, at));
    }
    __syncthreads();
    if (has_word && open[t / 2][t % 2] != word) a.open[word_row * words + word_at] = open[t / 2][t % 2];
    if (t == 0 && cleared != 0) atomicAdd(&counter, ~static_cast<unsigned long long>(cleared) + 1);
  }
}

// ---- alpha = 0
// --------------------------------------------------------------------------------------------------------

template <class T>
__global__ void scale(Index m, Index n, Matrix<T> c, Scalar<T> alpha, Scalar<T> beta, bool canonical_nans) {
  await_predecessor();
  const T factor = beta.get();
  if (!is_zero(alpha.get()) || factor == T(1)) return;
  for (Index i = blockIdx.y; i < m; i += gridDim.y)
    for (Index j = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; j < n;
         j += static_cast<Index>(gridDim.x) * blockDim.x) {
      T* const at = element(c, i, j);
      const T old = read_addend(factor, at);
      *at = canonical_nans ? finish_scaled(factor, old) : is_zero(factor) ? T(0) : factor * old;
    }
}

}  // namespace

template <class T>
void resolve_structural_zeros(const DeviceModel& model, const ExactArguments<T>& a, int index, cudaStream_t stream) {
  if (!a.row_lines.nonzero || !a.col_lines.nonzero) return;
  launch(model, "structural zeros", clear_structural_zeros<T>,
         {static_cast<unsigned>(8 * model.processors), zero_threads}, stream, a, index);
}

template <class T>
void exact(const DeviceModel& model, const ExactArguments<T>& a, cudaStream_t stream) {
  launch(model, "exact elements", compute_open_elements<T>,
         {static_cast<unsigned>(exact_blocks * model.processors), 32 * exact_warps}, stream, a);
}

template <class T>
void scale_if_alpha_is_zero(const DeviceModel& model, Index m, Index n, Matrix<T> c, Scalar<T> alpha, Scalar<T> beta,
                            bool canonical, cudaStream_t stream) {
  if (m <= 0 || n <= 0) return;
  if (c.row_stride == 1 && c.col_stride != 1)  // threads along the unit stride
    return scale_if_alpha_is_zero(model, n, m, c.transposed(), alpha, beta, canonical, stream);
  const Index across = (n + 255) / 256;
  const dim3 grid(static_cast<unsigned>(across < 64 ? across : 64), static_cast<unsigned>(m < 1024 ? m : 1024));
  launch(model, "scaling of C", scale<T>, {grid, 256}, stream, m, n, c, alpha, beta, canonical);
}

#define ACCUBLAS_INSTANTIATE(T)                                                                                    \
  template void resolve_structural_zeros<T>(const DeviceModel&, const ExactArguments<T>&, int, cudaStream_t);      \
  template void exact<T>(const DeviceModel&, const ExactArguments<T>&, cudaStream_t);                              \
  template void scale_if_alpha_is_zero<T>(const DeviceModel&, Index, Index, Matrix<T>, Scalar<T>, Scalar<T>, bool, \
                                          cudaStream_t);
ACCUBLAS_INSTANTIATE(double)
ACCUBLAS_INSTANTIATE(float)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
