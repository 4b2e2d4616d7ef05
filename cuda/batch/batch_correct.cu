// Mode cr for batches of small matrices, on the FP64 tensor cores.
//
// Every line (a row of op(A), a column of op(B)) is cut into three slices of integers: with E the least exponent above
// the line,
//   a = 2^(E - 22) (s1 + d s2 + d^2 s3 + d^2 r),  d = 2^-23,  abs(s1), abs(s2), abs(s3) <= 2^22,  abs(r) <= 1/2.
// Products of slices are below 2^44, so that sums of three pairs over 128 terms stay below 2^53, and the tensor cores'
// FP64 arithmetic makes no error, whatever its order. Six pairs are multiplied, in three sums by weight:
//   S = 2^(E + F - 44) (L0 + d L1 + d^2 L2),  L0 = s1 t1,  L1 = s1 t2 + s2 t1,  L2 = s1 t3 + s2 t2 + s3 t1.
// The next weight, d^3 (s2 t3 + s3 t2), need not be exact: TF32 products give it to 8 bits, a quarter of the time of
// one pair in FP64. What is left out is bounded by the norms of the slices (Cauchy and Schwarz), and is exactly 0 where
// no line has bits there, so that ties are decided. Ziv's test rounds both ends; elements that it leaves open go to the
// exact accumulators (batch_exact.cu).
//
// Cost of a matrix of order 64: 6 x 64^3 multiply-adds at 128 a clock and multiprocessor, 7 us; cutting takes 8
// operations an entry, rounding some 30 an element. At phi 0, 0.5, 1, 2 a share of 2e-5, 8e-5, 3e-4, 7e-3 of the
// elements stays open (without the TF32 products 2e-3, 1e-2, 3e-2, 1e-1).
#include "cuda/batch/batch_kernels.hpp"
#include "cuda/gemm/finish_element.hpp"
#include "cuda/launch.hpp"
#include "cuda/ptx_double.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cuda {

namespace {

constexpr int slices = 3, threads = 256, warps = threads / 32;
constexpr int side = 16;         ///< of a warp's square of C
constexpr int first_bits = 22;   ///< of slice 1
constexpr double step = 0x1p23;  ///< from one slice's unit to the next's
constexpr Index longest = 128;   ///< terms
/// Error of the TF32 sums over the product of the norms: twice 2^-10 for the entries, less than 2^-14 for 2 k / 8 = 32
/// truncated sums of 9 numbers; doubled.
constexpr double rough = 0x1p-8;

/// What a block of Down x Across warps a tile works on, and its shared memory.
template <int Down, int Across>
struct Shape {
  static constexpr int tiles = warps / (Down * Across);  ///< of a block
  static constexpr int rows = side * Down, cols = side * Across;
  static constexpr int lines = tiles * (rows + cols);  ///< of all tiles
  static constexpr int chunk = lines <= 96    ? 32
                               : lines <= 128 ? 16
                                              : 8;  ///< terms in shared memory: two blocks find room
  static constexpr int pitch = chunk + 4;           ///< a quarter warp's 4 lines x 4 terms lie in different banks
  static constexpr int slots = (lines / 8 + warps - 1) / warps;  ///< lines of a thread; four threads share a line

  double slice[slices][lines][pitch];
  double norm[lines], norm2[lines], norm3[lines],
      rest[lines];  ///< of s1, s2, s3 + r, r; from above; before that their squares
  int exponent[lines];
  bool special[lines];
};

/// 2^e as a product of two doubles, for abs(e) <= 2040.
struct PowerOfTwo {
  double first, second;
  __device__ explicit PowerOfTwo(int e) {
    const int half = e / 2;
    first = from_bits<double>(static_cast<std::uint64_t>(half + 1023) << 52);
    second = from_bits<double>(static_cast<std::uint64_t>(e - half + 1023) << 52);
  }
};

/// The integer nearest to x, abs(x) <= 2^51.
__device__ double nearest(double x) { return __dadd_rn(__dadd_rn(x, 0x1.8p52), -0x1.8p52); }

template <class T>
struct Line {
  const T* data;
  Index stride;
  bool exists;
};

template <class T, int Down, int Across>
__device__ Line<T> line_of(const BatchProblem<T>& p, const BatchTiles& tiles, Index first_tile, int line) {
  using S = Shape<Down, Across>;
  const Index tile = first_tile + line / (S::rows + S::cols);
  const int at = line % (S::rows + S::cols);
  const Index matrix = tile / tiles.of_a_matrix(), inside = tile % tiles.of_a_matrix();
  if (matrix >= p.count) return {nullptr, 0, false};
  if (at < S::rows) {
    const Index i = inside % tiles.row_tiles * S::rows + at;
    return {p.a[matrix] + i * p.a_row, p.a_term, i < p.m};
  }
  const Index j = inside / tiles.row_tiles * S::cols + at - S::rows;
  return {p.b[matrix] + j * p.b_col, p.b_term, j < p.n};
}

/// Sums of squares of a line's slices.
struct Squares {
  double s1 = 0, s2 = 0, s3 = 0, rest = 0;
};

/// Cuts x 2^(22 - E) into slices.
__device__ void cut(double x, const PowerOfTwo& scale, double (&slice)[slices], Squares& squares) {
  double y = x * scale.first * scale.second;
  if (x != 0 && fabs(y) < 0x1p-400)
    y = copysign(0x1p-400, x);  // underflow must not look like nothing; all of it is rest
  slice[0] = nearest(y);
  const double y2 = (y - slice[0]) * step;
  slice[1] = nearest(y2);
  const double y3 = (y2 - slice[1]) * step;
  slice[2] = nearest(y3);
  const double rest = y3 - slice[2];
  squares.s1 += slice[0] * slice[0];
  squares.s2 += slice[1] * slice[1];
  squares.s3 += y3 * y3;
  squares.rest += rest * rest;
}

/// Sums over the four threads of a line.
__device__ double sum_of_four(double x) {
  x += __shfl_xor_sync(0xFFFFFFFFu, x, 1);
  return x + __shfl_xor_sync(0xFFFFFFFFu, x, 2);
}

/// sqrt(x) from above, for a sum of up to 128 squares; 0 only for 0.
__device__ double norm_of(double x) { return sqrt(x) * (1 + 0x1p-40); }

/// finish_levels for every alpha, beta and exponent; apart, so that eight elements a thread do not hold eight copies.
template <class T>
__device__ __noinline__ bool finish_integers(double l0, double l1, double l2, double error, int exponent, T alpha,
                                             T beta, const T* at, T* out) {
  const auto integer = [](double x) { return static_cast<Uint128>(static_cast<__int128>(static_cast<long long>(x))); };
  const Uint128 sum = (integer(l0) << 46) + (integer(l1) << 23) + integer(l2);
  const Wide<2> wide{{static_cast<std::uint64_t>(sum), static_cast<std::uint64_t>(sum >> 64)}};
  return finish_within(alpha, wide, error, exponent, beta, read_addend(beta, at), out);
}

/// RN(alpha S + beta c) for S = (L0 2^46 + L1 2^23 + L2 +- error) 2^exponent, if the interval decides.
template <class T>
__device__ bool finish_levels(double l0, double l1, double l2, double error, int exponent, T alpha, T beta, const T* at,
                              T* out) {
  if (sizeof(T) == 8 && is_zero(beta) && (alpha == T(1) || alpha == T(-1))) {
    // S = r + t exactly: L0 2^46 + L1 2^23 = s + e by TwoSum, e + L2 is an integer below 2^53.
    const double x = l0 * 0x1p46, y = l1 * 0x1p23, s = x + y, z = s - x, e = (x - (s - z)) + (y - z) + l2;
    const double r = s + e, v = r - s, t = (s - (r - v)) + (e - v);
    if (r == 0) {
      if (error != 0) return false;
      *out = 0;
      return true;
    }
    const bool decided = error == 0 || (r + __dadd_ru(t, error) == r && r + __dadd_rd(t, -error) == r);
    const std::uint64_t bits = to_bits(alpha == T(1) ? r : -r);
    const int field = static_cast<int>(bits >> 52 & 0x7FF) + exponent;
    if (field > 1 && field < 2046) {
      *out = static_cast<T>(
          from_bits<double>(bits + (static_cast<std::uint64_t>(static_cast<std::int64_t>(exponent)) << 52)));
      return decided;
    }
  }
  return finish_integers(l0, l1, l2, error, exponent, alpha, beta, at, out);
}

template <class T, int Down, int Across>
__global__ void __launch_bounds__(threads, 2)
    correct_kernel(BatchProblem<T> p, BatchTiles tiles, std::uint32_t* open, bool all_undecided, CallState* state) {
  using S = Shape<Down, Across>;
  extern __shared__ double memory[];
  S& shared = *reinterpret_cast<S*>(memory);
  await_predecessor();
  const int t = static_cast<int>(threadIdx.x), lane = t % 32, warp = t / 32;
  const Index first_tile = static_cast<Index>(blockIdx.x) * S::tiles;
  const T alpha = p.alpha.get(), beta = p.beta.get();

  // The largest magnitude of every line: thread `lane` reads every fourth entry of line lane / 4 of its warp's eight.
  if (!is_zero(alpha)) {
#pragma unroll 1
    for (int s = 0; s < S::slots; ++s) {
      const int line = 8 * (s * warps + warp) + lane / 4;
      if (line >= S::lines) break;  // the same for the whole warp
      const Line<T> at = line_of<T, Down, Across>(p, tiles, first_tile, line);
      typename FloatFormat<T>::Bits most = 0;
      if (at.exists) {
#pragma unroll 8
        for (Index q = lane % 4; q < p.k; q += 4)
          most = max(most, to_bits(at.data[q * at.stride]) & ~FloatFormat<T>::sign);
      }
      most = max(most, __shfl_xor_sync(0xFFFFFFFFu, most, 1));
      most = max(most, __shfl_xor_sync(0xFFFFFFFFu, most, 2));
      if (lane % 4 == 0) {
        shared.special[line] = most >= FloatFormat<T>::infinity;
        shared.exponent[line] = most == 0 || most >= FloatFormat<T>::infinity ? 0 : exponent_above(from_bits<T>(most));
      }
    }
  }
  __syncwarp();

  // The warp's square.
  const int tile = warp / (Down * Across), down = warp % (Down * Across) % Down, across = warp % (Down * Across) / Down;
  const int row_line = tile * (S::rows + S::cols) + side * down;
  const int col_line = tile * (S::rows + S::cols) + S::rows + side * across;
  double level[slices][2][4] = {};
  float rough_level[2][4] = {};
  const Index terms = is_zero(alpha) ? 0 : p.k;
  for (Index first = 0; first < terms; first += S::chunk) {
#pragma unroll
    for (int s = 0; s < S::slots; ++s) {
      const int line = 8 * (s * warps + warp) + lane / 4;
      if (line >= S::lines) break;
      const Line<T> at = line_of<T, Down, Across>(p, tiles, first_tile, line);
      const bool wanted = at.exists && !shared.special[line];
      const PowerOfTwo scale(first_bits - shared.exponent[line]);
      Squares squares;
      T x[S::chunk / 4];
#pragma unroll
      for (int q = 0; q < S::chunk / 4; ++q) {
        const Index term = first + 4 * q + lane % 4;
        x[q] = wanted && term < p.k ? at.data[term * at.stride] : T(0);
      }
#pragma unroll
      for (int q = 0; q < S::chunk / 4; ++q) {
        double part[slices];
        cut(static_cast<double>(x[q]), scale, part, squares);
#pragma unroll
        for (int i = 0; i < slices; ++i) shared.slice[i][line][4 * q + lane % 4] = part[i];
      }
      const auto add = [&](double& to, double square) {
        const double sum = sum_of_four(square);
        if (lane % 4 == 0) to = first == 0 ? sum : to + sum;
      };
      add(shared.norm[line], squares.s1);
      add(shared.norm2[line], squares.s2);
      add(shared.norm3[line], squares.s3);
      add(shared.rest[line], squares.rest);
    }
    __syncthreads();
    const int steps = static_cast<int>(min(Index{S::chunk}, terms - first));
#pragma unroll 1
    for (int q = lane % 4; q - lane % 4 < steps; q += 8) {
      double rows[slices][4], cols[slices][2][2];
#pragma unroll
      for (int i = 0; i < slices; ++i) {
#pragma unroll
        for (int r = 0; r < 4; ++r) rows[i][r] = shared.slice[i][row_line + lane / 4 + 8 * (r % 2)][q + 4 * (r / 2)];
#pragma unroll
        for (int c = 0; c < 4; ++c)
          cols[i][c / 2][c % 2] = shared.slice[i][col_line + lane / 4 + 8 * (c / 2)][q + 4 * (c % 2)];
      }
#pragma unroll
      for (int i = 0; i < slices; ++i)
#pragma unroll
        for (int j = 0; i + j < slices; ++j)
#pragma unroll
          for (int half = 0; half < 2; ++half) ptx::mma_16x8x8(level[i + j][half], rows[i], cols[j][half]);
#pragma unroll
      for (int i = 1; i < slices; ++i) {
        float rough_rows[4];
#pragma unroll
        for (int r = 0; r < 4; ++r) rough_rows[r] = static_cast<float>(rows[i][r]);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const float rough_cols[2] = {static_cast<float>(cols[slices - i][half][0]),
                                       static_cast<float>(cols[slices - i][half][1])};
          ptx::mma_16x8x8(rough_level[half], rough_rows, rough_cols);
        }
      }
    }
    __syncthreads();
  }
  for (int line = t; line < S::lines; line += threads) {
    shared.norm[line] = norm_of(shared.norm[line]);
    shared.norm2[line] = norm_of(shared.norm2[line]);
    shared.norm3[line] = norm_of(shared.norm3[line]);
    shared.rest[line] = norm_of(shared.rest[line]);
  }
  __syncthreads();

  const Index number = first_tile + tile, matrix = number / tiles.of_a_matrix(), inside = number % tiles.of_a_matrix();
  if (matrix >= p.count) return;
  const Index row0 = inside % tiles.row_tiles * S::rows + side * down,
              col0 = inside / tiles.row_tiles * S::cols + side * across;
  T* const c = p.c[matrix];
  std::uint32_t* const word = open + (number * Down * Across + warp % (Down * Across)) * 8;
  unsigned left = 0;
#pragma unroll
  for (int q = 0; q < 8; ++q) {
    const int r = lane / 4 + 8 * (q / 2 % 2), s = 8 * (q / 4) + 2 * (lane % 4) + q % 2;
    const int i = row_line + r, j = col_line + s;
    T* const at = c + (row0 + r) * p.c_row + (col0 + s) * p.c_col;
    const bool exists = row0 + r < p.m && col0 + s < p.n;
    bool undecided = false;
    if (exists && is_zero(alpha)) {
      if (beta != T(1)) *at = finish_scaled(beta, read_addend(beta, at));
    } else if (exists) {
      undecided = all_undecided || shared.special[i] || shared.special[j];
      const double between = shared.norm2[i] * shared.norm3[j] + shared.norm3[i] * shared.norm2[j];
      const double error =
          (shared.norm[i] * shared.rest[j] + shared.rest[i] * shared.norm[j] +
           (shared.norm2[i] * shared.rest[j] + shared.rest[i] * shared.norm2[j] + rough * between) * 0x1p-23 +
           shared.norm3[i] * shared.norm3[j] * 0x1p-46) *
              (1 + 0x1p-40) +
          (between > 0 ? 0.5 : 0);  // the rough sum is added as an integer
      const double l2 = level[2][q / 4][q % 4] + nearest(static_cast<double>(rough_level[q / 4][q % 4]) * 0x1p-23);
      T out;
      if (!undecided) {
        undecided =
            !finish_levels(level[0][q / 4][q % 4], level[1][q / 4][q % 4], l2, error,
                           shared.exponent[i] + shared.exponent[j] - 2 * (first_bits + 23), alpha, beta, at, &out);
        if (!undecided) *at = out;
      }
    }
    const unsigned bits = __ballot_sync(0xFFFFFFFFu, undecided);
    if (lane == 0) word[q] = bits;
    left += static_cast<unsigned>(__popc(bits));
  }
  if (lane == 0 && left != 0) atomicAdd(&state->open[0], static_cast<unsigned long long>(left));
  if (number == 0 && t == 0) {
    state->moduli = slices;
    state->bits = first_bits + 2 * 23;
  }
}

template <class T, int Down, int Across>
void launch_correct(const DeviceModel& model, const BatchProblem<T>& p, const BatchTiles& tiles, std::uint32_t* open,
                    bool all_undecided, CallState* state, cudaStream_t stream) {
  using S = Shape<Down, Across>;
  constexpr const char* what = "correctly rounded batch";
  const auto kernel = correct_kernel<T, Down, Across>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(sizeof(S))), what);
  const Index blocks = (p.count * tiles.row_tiles * tiles.col_tiles + S::tiles - 1) / S::tiles;
  launch(model, what, kernel, {static_cast<unsigned>(blocks), threads, sizeof(S)}, stream, p, tiles, open,
         all_undecided, state);
}

}  // namespace

bool batch_correct_serves(Index m, Index n, Index k) { return m <= 128 && n <= 128 && k <= longest; }

BatchTiles batch_tiles(Index m, Index n) {
  const Index most = m > n ? m : n;
  const int down = most <= 16 ? 1 : most <= 32 ? 2 : 4, across = most <= 16 ? 1 : 2;
  return {down, across, (m + side * down - 1) / (side * down), (n + side * across - 1) / (side * across)};
}

template <class T>
std::size_t batch_open_words(const BatchProblem<T>& p) {
  const BatchTiles tiles = batch_tiles(p.m, p.n);
  return static_cast<std::size_t>(p.count * tiles.row_tiles * tiles.col_tiles * tiles.down * tiles.across * 8);
}

template <class T>
void batch_correct(const DeviceModel& model, const BatchProblem<T>& p, std::uint32_t* open, bool all_undecided,
                   CallState* state, cudaStream_t stream) {
  const BatchTiles tiles = batch_tiles(p.m, p.n);
  if (tiles.down == 1) return launch_correct<T, 1, 1>(model, p, tiles, open, all_undecided, state, stream);
  if (tiles.down == 2) return launch_correct<T, 2, 2>(model, p, tiles, open, all_undecided, state, stream);
  launch_correct<T, 4, 2>(model, p, tiles, open, all_undecided, state, stream);
}

#define ACCUBLAS_INSTANTIATE(T)                                                                                \
  template std::size_t batch_open_words<T>(const BatchProblem<T>&);                                            \
  template void batch_correct<T>(const DeviceModel&, const BatchProblem<T>&, std::uint32_t*, bool, CallState*, \
                                 cudaStream_t);
ACCUBLAS_INSTANTIATE(double)
ACCUBLAS_INSTANTIATE(float)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
