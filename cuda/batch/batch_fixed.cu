// fixed:T up to T = 64, and dp and sp reproducible, for batches of small matrices, on the INT8 tensor cores.
//
// The integers a' of docs/modes.md have at most 65 bits: 9 digits of 8 bits, -128 .. 127, the first ones zero for small
// T. All pairs of digits are multiplied, exactly, in two halves of the weights, and S is their sum in 192 bits.
// dp:repro: a block that holds all lines of its matrices finds T* itself before it cuts: the certificate's factors are
// a plane of one digit. The blocks of a matrix of several tiles find it in a launch before. Elements that the
// certificate rejects, and those of lines with Inf or NaN, go to the exact accumulators (batch_exact.cu), whose values
// are cr's.
#include "cuda/batch/batch_finish.hpp"
#include "cuda/batch/batch_tiles.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cuda {

namespace {

constexpr int digits = 9, most_bits = 64, weights = 2 * digits - 1;

/// A shape's lines, and what is known of each.
template <class Tiles>
struct KnownLines : Tiles {
  int exponent[Tiles::lines];  ///< E; 0 for a line of zeros
  int last_bit[Tiles::lines];  ///< of the last bit that is set, dp:repro only
  long long lambda[Tiles::lines];
  bool special[Tiles::lines];
  int rung[Tiles::tiles];  ///< 1 + the largest rung that an element of the tile needs; 0: none is accepted
};
template <int Rows, int Cols, int Terms, int TilesOfBlock, int Threads>
using Shape = KnownLines<TileShape<digits, Rows, Cols, Terms, TilesOfBlock, Threads>>;

/// Largest and smallest over the four threads of a line.
__device__ int most_of_line(int x) {
  x = max(x, __shfl_xor_sync(0xFFFFFFFFu, x, 1));
  return max(x, __shfl_xor_sync(0xFFFFFFFFu, x, 2));
}
__device__ long long sum_of_line(long long x) {
  x += __shfl_xor_sync(0xFFFFFFFFu, x, 1);
  return x + __shfl_xor_sync(0xFFFFFFFFu, x, 2);
}

/// body(line in shared memory, its entries) for all of the block's lines that some element asks for; entries of lines
/// with Inf or NaN are the caller's to leave out.
template <class S, class T, class Body>
__device__ void for_lines(const BatchProblem<T>& p, const BatchTiles& tiles, Body&& body) {
#pragma unroll 1
  for (int group = static_cast<int>(threadIdx.x) / 32; group < S::lines / 8; group += S::warps) {
    const int line = 8 * group + static_cast<int>(threadIdx.x) % 32 / 4;
    const Line<T> at = line_of<S>(p, tiles, line);
    if (!__any_sync(0xFFFFFFFFu, at.exists)) continue;
    T x[S::terms / 4];
    load_line<S>(at, static_cast<int>(p.k), x);
    body(line, x);
  }
}

/// Exponents and special lines; `certify`: also lambda, last bits, and the certificate's factors as digit 0.
template <class S, class T>
__device__ void measure_line(const T (&x)[S::terms / 4], int line, bool certify, S& shared) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  constexpr int none = -0x3FFFFFFF;
  int exponent = none, last_bit = -none;
  bool special = false;
#pragma unroll
  for (int q = 0; q < S::terms / 4; ++q) {
    special |= !is_finite(x[q]);
    if (is_zero(x[q])) continue;
    exponent = max(exponent, exponent_above(x[q]));
    if (certify) last_bit = min(last_bit, exponent_of_last_bit(x[q]));
  }
  special = most_of_line(special) != 0;
  exponent = most_of_line(exponent);
  last_bit = -most_of_line(-last_bit);
  if (exponent == none || special) exponent = last_bit = 0;
  long long lambda = 0;
  if (certify) {
#pragma unroll
    for (int r = 0; r < S::terms / 16; ++r) {
      std::uint32_t word = 0;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const T entry = special ? T(0) : x[4 * r + e];
        lambda += certificate_ceiling(entry, exponent);
        word |= static_cast<std::uint32_t>(certificate_byte(entry, exponent)) << (8 * e);
      }
      shared.digit[0][line][4 * S::chunk_of(r, line) + lane % 4] = word;
    }
    lambda = sum_of_line(lambda);
  }
  if (lane % 4 != 0) return;
  shared.exponent[line] = exponent;
  shared.last_bit[line] = last_bit;
  shared.lambda[line] = lambda;
  shared.special[line] = special;
}

/// The digits of a line at t bits; true if a bit of it is dropped.
template <class S, class T>
__device__ bool cut_line(const T (&x)[S::terms / 4], int line, int t, S& shared) {
  constexpr std::uint64_t halves = 0x8080808080808080u;  // 128 in the last eight digits
  const int lane = static_cast<int>(threadIdx.x) % 32, exponent = shared.exponent[line];
  const bool special = shared.special[line];
  bool dropped = false;
#pragma unroll
  for (int r = 0; r < S::terms / 16; ++r) {
    std::uint32_t first[4], middle[4], last[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const T entry = special ? T(0) : x[4 * r + e];
      const ScaledInteger a = scale_entry(entry, exponent, t);
      dropped |= !is_zero(entry) && exponent_of_last_bit(entry) < exponent - t;
      const bool negative = a.mantissa < 0;
      const std::uint64_t magnitude = static_cast<std::uint64_t>(negative ? -a.mantissa : a.mantissa) << a.shift;
      const std::uint64_t sum = negative ? halves - magnitude : halves + magnitude;
      // A carry or a borrow is the first digit.
      const int carry = negative ? -static_cast<int>(sum > halves) : static_cast<int>(sum < halves);
      first[e] = static_cast<std::uint32_t>(carry);
      middle[e] = static_cast<std::uint32_t>((sum ^ halves) >> 32);
      last[e] = static_cast<std::uint32_t>(sum ^ halves);
    }
    transpose_bytes(first);
    transpose_bytes(middle);
    transpose_bytes(last);
    const int at = 4 * S::chunk_of(r, line) + lane % 4;
    shared.digit[0][line][at] = first[0];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      shared.digit[1 + e][line][at] = middle[3 - e];
      shared.digit[5 + e][line][at] = last[3 - e];
    }
  }
  return dropped;
}

/// The certificate's X: digit 0 alone.
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

/// Sum of level[w] 256^(W - 1 - w).
template <int W>
__device__ Int128 weighted_sum(const int (&level)[W]) {
  Int128 sum = 0;
#pragma unroll
  for (int w = 0; w < W; ++w) sum = sum * 256 + level[w];
  return sum;
}

/// RN(alpha (high 2^64 + low) 2^exponent + beta c); apart, for the registers' sake.
template <class T>
__device__ __noinline__ T finish_halves(Int128 high, Int128 low, int exponent, T alpha, T beta, const T* at) {
  const Wide<3> up{{0, static_cast<std::uint64_t>(high), static_cast<std::uint64_t>(high >> 64)}};
  const Wide<2> down{{static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low >> 64)}};
  return finish(alpha, wide_add(up, wide_cast<3>(down)), exponent, beta, read_addend(beta, at));
}

/// The same, S below 2^(2 bits + 7) in magnitude as it is for 128 terms: by its leading 99 bits, an odd last one where
/// more follow, if these decide it.
template <class T>
__device__ __forceinline__ T finish_element(Int128 high, Int128 low, int exponent, int bits, const Scalars<T>& x,
                                            const T* at) {
  const int below = 2 * bits + 7 - 99;  // bits
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

/// The least rung whose T suffices; rungs.count where none does. `bits`: what both lines need so that nothing is
/// dropped.
template <class T>
__device__ __noinline__ int least_rung(int bits, long long lambda_mu, int x, int k) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  for (int r = 0; r < rungs.count; ++r)
    if (bits <= rungs.t[r] || certificate_suffices(certificate_test(rungs.t[r], rungs.digits, k), lambda_mu, x))
      return r;
  return rungs.count;
}

/// Element q of a thread in its square.
struct Element {
  int row, col;
  __device__ explicit Element(int q)
      : row(static_cast<int>(threadIdx.x) % 32 / 4 + 8 * (q / 2)),
        col(2 * (static_cast<int>(threadIdx.x) % 4) + q % 2) {}
};

/// What a launch does: all, or for dp:repro of matrices of several tiles first T*, then the rest.
enum class Phase { all, certify, compute };

/// What the certificate says of the squares of a warp: raises the tiles' rungs, sets the bits of rejected elements in
/// `open`, clears the others. Returns the number of this thread's rejected elements.
template <class T, class S>
__device__ unsigned certify_squares(const BatchProblem<T>& p, const BatchTiles& tiles, S& shared,
                                    std::uint32_t* block_open) {
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
  return count;
}

/// t > 0: fixed:t; 0: dp or sp reproducible, with the matrices' rungs between two launches in `rungs_of`.
template <class T, class S>
__global__ void __launch_bounds__(S::threads, S::blocks)
    fixed_kernel(BatchProblem<T> p, BatchTiles tiles, int t, Phase phase, std::uint32_t* open, int* rungs_of,
                 CallState* state) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  extern __shared__ uint4 memory[];
  S& shared = *reinterpret_cast<S*>(memory);
  await_predecessor();
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int terms = static_cast<int>(p.k);
  const Scalars<T> scalars(p.alpha.get(), p.beta.get());
  const bool certified = t == 0, certify = certified && phase != Phase::compute, scaled_only = is_zero(scalars.alpha);
  std::uint32_t* const block_open = open + static_cast<Index>(blockIdx.x) * S::tiles * S::squares * 4;
  if (scaled_only && phase == Phase::certify) return;
  if (threadIdx.x < S::tiles)
    shared.rung[threadIdx.x] = phase == Phase::compute ? rungs_of[place_of<S>(tiles, 0).matrix] : 0;
  if (!scaled_only)
    for_lines<S>(p, tiles, [&](int line, const T(&x)[S::terms / 4]) { measure_line(x, line, certify, shared); });
  __syncthreads();

  if (certify && !scaled_only) {
    const unsigned count = certify_squares<T>(p, tiles, shared, block_open);
    if (count != 0) atomicAdd(&state->rejected_in_all, static_cast<unsigned long long>(count));
    __syncthreads();
    if (phase == Phase::certify) {
      if (threadIdx.x == 0) atomicMax(&rungs_of[place_of<S>(tiles, 0).matrix], shared.rung[0]);
      return;
    }
  }

  if (!scaled_only) {
    bool dropped = false;
    for_lines<S>(p, tiles, [&](int line, const T(&x)[S::terms / 4]) {
      const int rung = certified ? shared.rung[line / S::tile_lines] : 0;
      const int bits = !certified ? t : rung > 0 ? rungs.t[rung - 1] : 2;
      dropped |= cut_line(x, line, bits, shared);
    });
    if (!certified && dropped) state->bound_componentwise = from_bits<double>(FloatFormat<double>::infinity);
  }
  __syncthreads();

  unsigned left = 0;
#pragma unroll 1
  for (int number = warp; number < S::tiles * S::squares; number += S::warps) {
    const Square square = square_of<S>(p, tiles, number);
    if (!square.exists) break;
    const int rung = certified && !scaled_only ? shared.rung[number / S::squares] : 1;
    const int bits = certified ? rungs.t[max(rung, 1) - 1] : t;
    const int first_digit = digits - (bits + 9) / 8;  // abs(a') <= 2^bits
    std::uint32_t* const word = block_open + 4 * number;
    unsigned rejected = 0;  // bit q: element q of this thread
    if (certified && !scaled_only) {
      const uint4 words = *reinterpret_cast<const uint4*>(word);
      rejected =
          (words.x >> lane & 1) | (words.y >> lane & 1) << 1 | (words.z >> lane & 1) << 2 | (words.w >> lane & 1) << 3;
    }
    Int128 high[4] = {}, low[4] = {};
    if (square.row < p.m && square.col < p.n && !scaled_only && rung > 0) {
      {
        int sums[digits][4] = {};
        multiply<S, 0>(shared, square.row_line, square.col_line, terms, first_digit, sums);
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          int level[digits];
#pragma unroll
          for (int w = 0; w < digits; ++w) level[w] = sums[w][q];
          high[q] = weighted_sum(level);
        }
      }
      int sums[weights - digits][4] = {};
      multiply<S, digits>(shared, square.row_line, square.col_line, terms, first_digit, sums);
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        int level[weights - digits];
#pragma unroll
        for (int w = 0; w < weights - digits; ++w) level[w] = sums[w][q];
        low[q] = weighted_sum(level);
      }
    }
    T* const c = p.c[square.tile.matrix];
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const Element e(q);
      const int i = square.row_line + e.row, j = square.col_line + e.col;
      T* const at = c + (square.row + e.row) * p.c_row + (square.col + e.col) * p.c_col;
      bool undecided = false;
      if (square.row + e.row < p.m && square.col + e.col < p.n) {
        if (scaled_only) {
          if (scalars.beta != T(1)) *at = finish_scaled(scalars.beta, read_addend(scalars.beta, at));
        } else {
          undecided = rung == 0 || shared.special[i] || shared.special[j] || (rejected >> q & 1) != 0;
          if (!undecided)
            *at =
                finish_element(high[q], low[q], shared.exponent[i] + shared.exponent[j] - 2 * bits, bits, scalars, at);
        }
      }
      const unsigned ballot = __ballot_sync(0xFFFFFFFFu, undecided);
      if (lane == 0) word[q] = ballot;
      left += static_cast<unsigned>(__popc(ballot));
    }
    if (lane == 0 && rung > 0 && !scaled_only) {
      atomicMax(&state->bits, bits);
      atomicMax(&state->moduli, digits - first_digit);
    }
  }
  if (lane == 0 && left != 0) atomicAdd(&state->open[0], static_cast<unsigned long long>(left));
}

template <class T, class S>
void launch_fixed(const DeviceModel& model, const BatchProblem<T>& p, const BatchTiles& tiles, int t,
                  std::uint32_t* open, int* rungs_of, CallState* state, cudaStream_t stream) {
  constexpr const char* what = "fixed-point batch";
  const auto kernel = fixed_kernel<T, S>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(sizeof(S))), what);
  const unsigned blocks = static_cast<unsigned>(ceil_div(p.count * tiles.of_a_matrix(), S::tiles));
  const auto run = [&](Phase phase) {
    launch(model, what, kernel, {blocks, S::threads, sizeof(S)}, stream, p, tiles, t, phase, open, rungs_of, state);
  };
  if (batch_rungs(tiles, t, p.count) == 0) return run(Phase::all);
  check(cudaMemsetAsync(rungs_of, 0, batch_rungs(tiles, t, p.count) * sizeof(int), stream), what);
  run(Phase::certify);
  run(Phase::compute);
}

}  // namespace

bool batch_fixed_serves(const DeviceModel& model, Index m, Index n, Index k, int t) {
  return t <= most_bits && batch_cr_serves(model, m, n, k);
}

std::size_t batch_rungs(const BatchTiles& tiles, int t, Index matrices) {
  return t == 0 && tiles.of_a_matrix() > 1 ? static_cast<std::size_t>(matrices) : 0;
}

template <class T>
void batch_fixed(const DeviceModel& model, const BatchProblem<T>& p, const BatchTiles& tiles, int t,
                 std::uint32_t* open, int* rungs_of, CallState* state, cudaStream_t stream) {
  const auto run = [&](auto launch) { launch(model, p, tiles, t, open, rungs_of, state, stream); };
  if (tiles.cols == 8) return run(launch_fixed<T, Shape<16, 8, 32, 8, 256>>);
  if (tiles.cols == 16) return run(launch_fixed<T, Shape<16, 16, 32, 4, 256>>);
  if (tiles.cols == 32) return run(launch_fixed<T, Shape<32, 32, 32, 2, 256>>);
  if (p.k <= 64) return run(launch_fixed<T, Shape<64, 64, 64, 1, 256>>);
  run(launch_fixed<T, Shape<64, 64, 128, 1, 512>>);
}

template void batch_fixed<double>(const DeviceModel&, const BatchProblem<double>&, const BatchTiles&, int,
                                  std::uint32_t*, int*, CallState*, cudaStream_t);
template void batch_fixed<float>(const DeviceModel&, const BatchProblem<float>&, const BatchTiles&, int, std::uint32_t*,
                                 int*, CallState*, cudaStream_t);

}  // namespace accublas::cuda
