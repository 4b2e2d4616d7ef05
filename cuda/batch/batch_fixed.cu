// fixed:T up to T = 64, and dp and sp reproducible, for batches of small matrices, on the INT8 tensor cores.
//
// The integers a' of docs/modes.md have at most 65 bits: 9 digits of 8 bits, -128 .. 127, of which the first ones are
// zero for small T. All pairs of digits are multiplied exactly, in two halves of the weights, and S is their sum in 192
// bits. In dp:repro a block that holds all lines of its matrices finds T* itself before it cuts; the certificate's
// factors are a plane of one digit. If a matrix has several tiles, their blocks find T* in an earlier launch. Elements
// that the certificate rejects, and those of lines with Inf or NaN, go to the exact accumulators (batch_exact.cu),
// whose values are cr's.
#include "cuda/batch/batch_finish.hpp"
#include "cuda/batch/batch_fixed_lines.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/rehearsal.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/certificate.hpp"

namespace accublas::cuda {

namespace {

/// Computes the certificate's X, from digit 0 alone.
template <class S>
__device__ void multiply_factors(const S& shared, int row, int col, int terms, int (&sums)[4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::uint32_t rows_at = ptx::shared_address(&shared.digit[0][row + lane % 16][0]),
                      cols_at = ptx::shared_address(&shared.digit[0][col + lane % 8][0]);
#pragma unroll 1
  for (int chunk = 0; 16 * chunk < terms; chunk += 2) {
    std::uint32_t rows[4], cols[4];
    ptx::load_matrices(rows, rows_at + 16 * S::chunk_of(chunk + lane / 16, lane));
    ptx::load_matrices(cols, cols_at + 16 * S::chunk_of(chunk + lane / 8 % 2, lane));
    ptx::mma_16x8x32_signed(sums, rows, cols[0], cols[1]);
  }
}

/// Returns the sum of level[w] 256^(W - 1 - w).
template <int W>
__device__ Int128 integer_sum(const int (&level)[W]) {
  Int128 sum = 0;
#pragma unroll
  for (int w = 0; w < W; ++w) sum = sum * 256 + level[w];
  return sum;
}

/// Returns RN(alpha (high 2^64 + low) 2^exponent + beta c). It is not inlined, to save registers.
template <class T>
__device__ __noinline__ T finish_halves(Int128 high, Int128 low, int exponent, T alpha, T beta, const T* at) {
  const Wide<3> up{{0, static_cast<std::uint64_t>(high), static_cast<std::uint64_t>(high >> 64)}};
  const Wide<2> down{{static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low >> 64)}};
  return finish(alpha, wide_add(up, wide_cast<3>(down)), exponent, beta, read_addend(beta, at));
}

/// Returns RN(alpha S 2^exponent + beta c) for S = high 2^64 + low below 2^(2 bits + 7) in magnitude, as it is for 128
/// terms. It uses the leading 99 bits of S, with an odd last bit if more bits follow, if these decide the result.
template <class T>
__device__ __forceinline__ T finish_element(Int128 high, Int128 low, int exponent, int bits, const Scalars<T>& x,
                                            const T* at) {
  const int below = 2 * bits + 7 - 99;  // number of bits below the leading ones
  Int128 leading;
  bool more = false;
  if (below > 0) {
    leading = (high << (64 - below)) + (low >> below);
    more = (static_cast<std::uint64_t>(low) & ((std::uint64_t{1} << below) - 1)) != 0;
  } else {
    leading = ((high << 64) + low) << -below;
  }
  constexpr long long tail = (1ll << 48) - 1;
  const LeadingPart sum =
      leading_part(static_cast<long long>(leading >> 48), (static_cast<long long>(leading) & tail) | more);
  T out;
  if (finish_leading(sum, 0, exponent + below + 48, x, at, &out)) return out;
  return finish_halves(high, low, exponent, x.alpha, x.beta, at);
}

/// Returns the least rung whose T suffices, or rungs.count if none does. With T >= `bits` no bit of the two lines is
/// dropped.
template <class T>
__device__ __noinline__ int least_rung(int bits, long long lambda_mu, int x, int k) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  for (int r = 0; r < rungs.count; ++r)
    if (bits <= rungs.t[r] || certificate_suffices(certificate_test(rungs.t[r], rungs.digits, k), lambda_mu, x))
      return r;
  return rungs.count;
}

/// The position of element q of a thread in its square.
struct Element {
  int row, col;
  __device__ explicit Element(int q)
      : row(static_cast<int>(threadIdx.x) % 32 / 4 + 8 * (q / 2)),
        col(2 * (static_cast<int>(threadIdx.x) % 4) + q % 2) {}
};

/// Applies the certificate to the squares of a warp: raises the tiles' rungs, sets the bits of rejected elements in
/// `block_open`, clears the other bits, and counts the rejected elements.
template <class T, class S>
__device__ void certify_squares(const BatchProblem<T>& p, const BatchTiles& tiles, S& shared, std::uint32_t* block_open,
                                CallState* state) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int terms = static_cast<int>(p.k);
  unsigned count = 0;
#pragma unroll 1
  for (int number = warp; number < S::tiles * S::squares; number += S::warps) {
    const Square square = square_of<S>(p, tiles, number);
    if (!square.exists) break;
    int sums[4] = {};
    unsigned word = 0;
    if (square.row < p.m && square.col < p.n) multiply_factors(shared, square.row_line, square.col_line, terms, sums);
#pragma unroll 1
    for (int q = 0; q < 4; ++q) {
      const Element e(q);
      const int i = square.row_line + e.row, j = square.col_line + e.col;
      bool rejected = false;
      if (square.row + e.row < p.m && square.col + e.col < p.n && !shared.special[i] && !shared.special[j]) {
        const int bits = max(shared.exponent[i] - shared.last_bit[i], shared.exponent[j] - shared.last_bit[j]);
        const int sum = q < 2 ? (q == 0 ? sums[0] : sums[1]) : (q == 2 ? sums[2] : sums[3]);
        const int rung = least_rung<T>(bits, shared.lambda[i] + shared.lambda[j], sum, terms);
        rejected = rung == rungs.count;
        if (!rejected) atomicMax(&shared.rung[number / S::squares], rung + 1);
        count += rejected;
      }
      const unsigned ballot = __ballot_sync(0xFFFFFFFFu, rejected);
      if (lane == q) word = ballot;
    }
    if (lane < 4) block_open[4 * number + lane] = word;
  }
  if (count != 0) atomicAdd(&state->rejected_in_all, static_cast<unsigned long long>(count));
}

/// Computes C = beta C, for alpha = 0, and leaves no element pending.
template <class T, class S>
__device__ void scale_squares(const BatchProblem<T>& p, const BatchTiles& tiles, T beta, std::uint32_t* block_open) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll 1
  for (int number = warp; number < S::tiles * S::squares; number += S::warps) {
    const Square square = square_of<S>(p, tiles, number);
    if (!square.exists) break;
    if (lane < 4) block_open[4 * number + lane] = 0;
    if (beta == T(1)) continue;
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const Element e(q);
      if (square.row + e.row >= p.m || square.col + e.col >= p.n) continue;
      T* const at = p.c[square.tile.matrix] + (square.row + e.row) * p.c_row + (square.col + e.col) * p.c_col;
      *at = finish_scaled(beta, read_addend(beta, at));
    }
  }
}

/// Returns the T of a tile: `t` if the launch has `t` bits, the T of its rung if t = 0, or 2 if it has no rung.
template <class T>
__device__ int bits_of(int t, int rung) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  return t > 0 ? t : rung > 0 ? rungs.t[rung - 1] : 2;
}

/// Cuts the block's lines into digits; returns true if this thread drops a bit of one.
template <class T, class S>
__device__ bool cut_lines(const BatchProblem<T>& p, const BatchTiles& tiles, int t, S& shared) {
  bool dropped = false;
  for_lines<S>(p, tiles, [&](int line, const T(&x)[S::terms / 4]) {
    dropped |= cut_line(x, line, bits_of<T>(t, t > 0 ? 0 : shared.rung[line / S::tile_lines]), shared);
  });
  return dropped;
}

/// Computes S = high 2^64 + low of this thread's elements of a square, from the digits from first_digit on.
template <class S>
__device__ __forceinline__ void sum_square(const S& shared, const Square& square, int terms, int first_digit,
                                           Int128 (&high)[4], Int128 (&low)[4]) {
  {
    int sums[fixed_digits][4] = {};
    multiply<S, 0>(shared, square.row_line, square.col_line, terms, first_digit, sums);
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      int level[fixed_digits];
#pragma unroll
      for (int w = 0; w < fixed_digits; ++w) level[w] = sums[w][q];
      high[q] = integer_sum(level);
    }
  }
  int sums[fixed_weights - fixed_digits][4] = {};
  multiply<S, fixed_digits>(shared, square.row_line, square.col_line, terms, first_digit, sums);
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    int level[fixed_weights - fixed_digits];
#pragma unroll
    for (int w = 0; w < fixed_weights - fixed_digits; ++w) level[w] = sums[w][q];
    low[q] = integer_sum(level);
  }
}

/// Multiplies and rounds the squares of a warp. On entry `block_open` has the elements that the certificate rejected
/// (if t = 0), on return the elements that the exact accumulators must compute.
template <class T, class S>
__device__ void compute_squares(const BatchProblem<T>& p, const BatchTiles& tiles, int t, const Scalars<T>& scalars,
                                const S& shared, std::uint32_t* block_open, CallState* state) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int terms = static_cast<int>(p.k);
  const bool certified = t == 0;
  unsigned left = 0;
#pragma unroll 1
  for (int number = warp; number < S::tiles * S::squares; number += S::warps) {
    const Square square = square_of<S>(p, tiles, number);
    if (!square.exists) break;
    const int rung = certified ? shared.rung[number / S::squares] : 1;
    const int bits = bits_of<T>(t, rung);
    const int first_digit = fixed_digits - (bits + 9) / 8;  // abs(a') <= 2^bits
    std::uint32_t* const word = block_open + 4 * number;
    unsigned rejected = 0;  // bit q: element q of this thread
    if (certified) {
      const uint4 words = *reinterpret_cast<const uint4*>(word);
      rejected =
          (words.x >> lane & 1) | (words.y >> lane & 1) << 1 | (words.z >> lane & 1) << 2 | (words.w >> lane & 1) << 3;
    }
    Int128 high[4] = {}, low[4] = {};
    if (square.row < p.m && square.col < p.n && rung > 0) sum_square(shared, square, terms, first_digit, high, low);
    T* const c = p.c[square.tile.matrix];
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const Element e(q);
      const int i = square.row_line + e.row, j = square.col_line + e.col;
      T* const at = c + (square.row + e.row) * p.c_row + (square.col + e.col) * p.c_col;
      bool undecided = false;
      if (square.row + e.row < p.m && square.col + e.col < p.n) {
        undecided = rung == 0 || shared.special[i] || shared.special[j] || (rejected >> q & 1) != 0;
        if (!undecided)
          *at = finish_element(high[q], low[q], shared.exponent[i] + shared.exponent[j] - 2 * bits, bits, scalars, at);
      }
      const unsigned ballot = __ballot_sync(0xFFFFFFFFu, undecided);
      if (lane == 0) word[q] = ballot;
      left += static_cast<unsigned>(__popc(ballot));
    }
    if (lane == 0 && rung > 0) {
      atomicMax(&state->bits, bits);
      atomicMax(&state->parts, fixed_digits - first_digit);
    }
  }
  if (lane == 0 && left != 0) atomicAdd(&state->open[0], static_cast<unsigned long long>(left));
}

/// Returns a block's words of `open`.
template <class S>
__device__ std::uint32_t* open_of_block(std::uint32_t* open) {
  return open + static_cast<Index>(blockIdx.x) * S::tiles * S::squares * 4;
}

/// Certifies dp or sp reproducible for matrices of several tiles. A thread block takes a tile and raises the rung of
/// its matrix.
template <class T, class S>
__global__ void __launch_bounds__(S::threads, S::blocks)
    certify_kernel(BatchProblem<T> p, BatchTiles tiles, std::uint32_t* open, int* rungs_of, CallState* state) {
  static_assert(S::tiles == 1);
  extern __shared__ uint4 memory[];
  S& shared = *reinterpret_cast<S*>(memory);
  await_predecessor();
  if (is_zero(p.alpha.get())) return;
  if (threadIdx.x == 0) shared.rung[0] = 0;
  for_lines<S>(p, tiles, [&](int line, const T(&x)[S::terms / 4]) { measure_line(x, line, true, shared); });
  __syncthreads();
  certify_squares<T>(p, tiles, shared, open_of_block<S>(open), state);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(&rungs_of[place_of<S>(tiles, 0).matrix], shared.rung[0]);
}

/// Computes a batch: fixed:t if t > 0, or dp or sp reproducible if t = 0. For the latter `rungs_of` has the matrices'
/// rungs from certify_kernel. If it is null, a thread block holds whole matrices and certifies them itself.
template <class T, class S>
__global__ void __launch_bounds__(S::threads, S::blocks)
    fixed_kernel(BatchProblem<T> p, BatchTiles tiles, int t, std::uint32_t* open, const int* rungs_of,
                 CallState* state) {
  extern __shared__ uint4 memory[];
  S& shared = *reinterpret_cast<S*>(memory);
  await_predecessor();
  const Scalars<T> scalars(p.alpha.get(), p.beta.get());
  std::uint32_t* const block_open = open_of_block<S>(open);
  if (is_zero(scalars.alpha)) return scale_squares<T, S>(p, tiles, scalars.beta, block_open);
  const bool certify = t == 0 && !rungs_of;
  if (threadIdx.x < S::tiles) shared.rung[threadIdx.x] = rungs_of ? rungs_of[place_of<S>(tiles, 0).matrix] : 0;
  for_lines<S>(p, tiles, [&](int line, const T(&x)[S::terms / 4]) { measure_line(x, line, certify, shared); });
  __syncthreads();
  if (certify) {
    certify_squares<T>(p, tiles, shared, block_open, state);
    __syncthreads();
  }
  const bool dropped = cut_lines<T>(p, tiles, t, shared);
  if (t > 0 && dropped) state->bound_componentwise = from_bits<double>(FloatFormat<double>::infinity);
  __syncthreads();
  compute_squares<T>(p, tiles, t, scalars, shared, block_open, state);
}

template <class T, class S>
void launch_fixed(const DeviceModel& model, const BatchProblem<T>& p, const BatchTiles& tiles, int t,
                  std::uint32_t* open, int* rungs_of, CallState* state, cudaStream_t stream) {
  constexpr const char* what = "fixed-point batch";
  const LaunchShape shape{static_cast<unsigned>(ceil_div(p.count * tiles.of_a_matrix(), S::tiles)), S::threads,
                          sizeof(S)};
  const auto prepare = [&](auto kernel) { allow_shared_bytes(kernel, sizeof(S), what); };
  const std::size_t rungs = batch_rungs(tiles, t, p.count);
  if constexpr (S::tiles == 1) {
    if (rungs > 0) {
      prepare(certify_kernel<T, S>);
      set_on_stream(rungs_of, 0, rungs * sizeof(int), stream, what);
      launch(model, what, certify_kernel<T, S>, shape, stream, p, tiles, open, rungs_of, state);
    }
  }
  prepare(fixed_kernel<T, S>);
  launch(model, what, fixed_kernel<T, S>, shape, stream, p, tiles, t, open, rungs > 0 ? rungs_of : nullptr, state);
}

}  // namespace

bool batch_fixed_serves(const DeviceModel& model, Index m, Index n, Index k, int t) {
  return t <= most_fixed_bits && batch_cr_serves(model, m, n, k);
}

std::size_t batch_rungs(const BatchTiles& tiles, int t, Index matrices) {
  return t == 0 && tiles.of_a_matrix() > 1 ? static_cast<std::size_t>(matrices) : 0;
}

template <class T>
void batch_fixed(const DeviceModel& model, const BatchProblem<T>& p, const BatchTiles& tiles, int t,
                 std::uint32_t* open, int* rungs_of, CallState* state, cudaStream_t stream) {
  const auto run = [&](auto launch) { launch(model, p, tiles, t, open, rungs_of, state, stream); };
  if (tiles.cols == 8) return run(launch_fixed<T, FixedShape<16, 8, 32, 8, 256>>);
  if (tiles.cols == 16) return run(launch_fixed<T, FixedShape<16, 16, 32, 4, 256>>);
  if (tiles.cols == 32) return run(launch_fixed<T, FixedShape<32, 32, 32, 2, 256>>);
  if (p.k <= 64) return run(launch_fixed<T, FixedShape<64, 64, 64, 1, 256>>);
  run(launch_fixed<T, FixedShape<64, 64, 128, 1, 512>>);
}

template void batch_fixed<double>(const DeviceModel&, const BatchProblem<double>&, const BatchTiles&, int,
                                  std::uint32_t*, int*, CallState*, cudaStream_t);
template void batch_fixed<float>(const DeviceModel&, const BatchProblem<float>&, const BatchTiles&, int, std::uint32_t*,
                                 int*, CallState*, cudaStream_t);

}  // namespace accublas::cuda
