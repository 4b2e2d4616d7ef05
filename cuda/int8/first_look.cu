// A first look at the data of dp and sp, where cuBLAS may serve as well: the certificate of some elements, from the
// terms of X alone. Data most of which no rung lets pass are known by it in some microseconds, where measure and
// certificate take 6 % of cuBLAS's time at n = 4096. What slips through, the certificate itself finds.
#include <algorithm>

#include "cuda/core/arithmetic.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/certify_moduli.hpp"
#include "cuda/int8/first_look.hpp"
#include "cuda/native/native_offer.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

namespace {

/// A block looks at a square of edge x edge elements, whose lines are neighbours: a sector of 32 bytes holds entries of
/// four of them. A lane reads one line of each side.
constexpr int edge = 4, terms_a_warp = 32 / edge, look_threads = certificate_block * edge, look_blocks = 128;
/// Blocks of 128 terms that are read: all of X up to k = 16384, so that a line of both sides stays in registers.
constexpr int most_steps = 16;
/// A fixed-point entry has so many bits behind the point, a byte of X 7, a factor of the squares 10.
constexpr int entry_bits = 20, square_bits = 10;

struct Look {
  int step;     ///< one block of 128 terms in so many is read,
  int steps;    ///< so many in all
  Index terms;  ///< that are read
  int row_bits, col_bits;
  double slope;  ///< of the test, for X over these terms
};

template <class T>
Look make_look(Index k, int stride, int most_moduli, ResidueKind residues) {
  const Index blocks = ceil_div(k, certificate_block);
  const int step = static_cast<int>(std::max<Index>(stride, ceil_div(blocks, most_steps)));
  Look look{step, static_cast<int>(ceil_div(blocks, step)),      certificate_terms(k, step), 0,
            0,    certificate_moduli_slope<T>(k) * step / stride};
  split_bits(capacity_of(int8_capacity(most_moduli, residues)), 1, 1, k, look.row_bits, look.col_bits);
  return look;
}

/// The place of a block's square along a side: by the mixing function of SplitMix64, so that rows and columns have
/// nothing to do with each other (one step of a linear generator would keep them at one distance).
__device__ Index place(Index count, std::uint64_t seed) {
  const std::uint64_t squares = static_cast<std::uint64_t>(ceil_div(count, edge));
  std::uint64_t z = seed * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<Index>((z ^ (z >> 31)) % squares) * edge;
}

/// The part of abs(x) that holds its exponent, and where that starts.
__device__ int exponent_word(double x) { return static_cast<int>(high_word(x) & 0x7FFFFFFFu); }
__device__ int exponent_word(float x) { return __float_as_int(x) & 0x7FFFFFFF; }
template <class T>
struct Words {
  static constexpr bool wide = sizeof(T) == sizeof(double);
  static constexpr int infinity = wide ? 0x7FF00000 : 0x7F800000;
  /// Twice above the largest entry that was read: those that were not are often larger. Within what scaled() takes.
  __device__ static int exponent(int largest) {
    const int above = wide ? (largest >> 20) - 1021 : (largest >> 23) - 125;
    return max(-1000, min(above, 1000));
  }
};

/// floor(abs(x) 2^(20 - E)), below 2^19 (entries beyond 2^1000 and special ones are kept there).
template <class T>
__device__ int scaled(T x, double unit) {
  return min(__float2int_rz(__double2float_rz(fabs(static_cast<double>(x)) * unit)), (1 << (entry_bits - 1)) - 1);
}

/// Sums of a line in fixed point: whole numbers, so that their order is of no account.
struct LineSums {
  int entries, squares;
};

/// From sums over some terms to what the test wants of all k.
__device__ ModuliLine estimate(const LineSums& sums, double all_over_read) {
  return {ldexp(sums.entries * all_over_read, 24 - entry_bits),
          power_above(ldexp(sqrt(sums.squares * all_over_read), -square_bits))};
}

/// Over the lanes that have the same line.
template <class Operation>
__device__ int over_terms(int x, Operation operation) {
#pragma unroll
  for (int mask = edge; mask < 32; mask *= 2) x = operation(x, __shfl_xor_sync(0xFFFFFFFFu, x, mask));
  return x;
}
__device__ int larger(int a, int b) { return max(a, b); }
__device__ int sum_of(int a, int b) { return a + b; }

template <class T>
__global__ void __launch_bounds__(look_threads)
    look_at_elements(const __grid_constant__ Operand<T> rows, const __grid_constant__ Operand<T> cols, Scalar<T> alpha,
                     Look look, double native_bound, CallState* state) {
  __shared__ int largest[2][edge], x[edge][edge];
  __shared__ LineSums sums[2][edge];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, line = lane % edge;
  if (thread < 2 * edge) {
    largest[thread / edge][thread % edge] = 0;
    sums[thread / edge][thread % edge] = {0, 0};
  }
  if (thread < edge * edge) x[thread / edge][thread % edge] = 0;
  __syncthreads();
  await_predecessor();
  if (alpha.pointer && is_zero(*alpha.pointer)) return;  // of a call that began nothing else is known

  // Beyond the last line that one is read again.
  const Index row = place(rows.count, 2 * blockIdx.x + 1), col = place(cols.count, 2 * blockIdx.x + 2);
  const Index first = thread / 32 * terms_a_warp + lane / edge, step = Index{look.step} * certificate_block;
  const T* const row_entries = rows.at(min(row + line, rows.count - 1), first);
  const T* const col_entries = cols.at(min(col + line, cols.count - 1), first);
  T r[most_steps], c[most_steps];
#pragma unroll
  for (int q = 0; q < most_steps; ++q) {
    const Index p = first + q * step;
    r[q] = p < rows.k ? row_entries[q * step * rows.k_stride] : T(0);
    c[q] = p < rows.k ? col_entries[q * step * cols.k_stride] : T(0);
  }
  int row_largest = 0, col_largest = 0;
#pragma unroll
  for (int q = 0; q < most_steps; ++q) {
    row_largest = max(row_largest, exponent_word(r[q]));
    col_largest = max(col_largest, exponent_word(c[q]));
  }
  row_largest = over_terms(row_largest, larger);
  col_largest = over_terms(col_largest, larger);
  if (lane < edge) {
    atomicMax(&largest[0][line], row_largest);
    atomicMax(&largest[1][line], col_largest);
  }
  __syncthreads();

  const double row_unit = power_of_two(entry_bits - Words<T>::exponent(largest[0][line]));
  const double col_unit = power_of_two(entry_bits - Words<T>::exponent(largest[1][line]));
  LineSums row_sums{}, col_sums{};
  int products[edge] = {};  // of this lane's row and the column of lane ^ i
#pragma unroll
  for (int q = 0; q < most_steps; ++q) {
    if (q >= look.steps) break;
    const int a = scaled(r[q], row_unit), b = scaled(c[q], col_unit);
    const auto add = [](LineSums& s, int entry) {
      const int factor = entry >> (entry_bits - square_bits);
      s.entries += entry;
      s.squares += factor * factor;
    };
    add(row_sums, a);
    add(col_sums, b);
#pragma unroll
    for (int i = 0; i < edge; ++i)
      products[i] += (a >> (entry_bits - 7)) * (__shfl_xor_sync(0xFFFFFFFFu, b, i) >> (entry_bits - 7));
  }
  const auto collect = [&](int* to, int value) {
    const int sum = over_terms(value, sum_of);
    if (lane < edge) atomicAdd(to, sum);
  };
  collect(&sums[0][line].entries, row_sums.entries);
  collect(&sums[0][line].squares, row_sums.squares);
  collect(&sums[1][line].entries, col_sums.entries);
  collect(&sums[1][line].squares, col_sums.squares);
#pragma unroll
  for (int i = 0; i < edge; ++i) collect(&x[line][line ^ i], products[i]);
  __syncthreads();

  if (thread >= 32) return;
  bool counts = false, rejected = false;
  if (lane < edge * edge) {
    const int i = lane / edge, j = lane % edge;
    counts = row + i < rows.count && col + j < cols.count;
    const bool special = max(largest[0][i], largest[1][j]) >= Words<T>::infinity;
    const double all_over_read = static_cast<double>(rows.k) / static_cast<double>(look.terms);
    const ModuliRung rung(look.row_bits, look.col_bits, rows.k);
    rejected = counts && (special || !suffices(rung, look.slope, estimate(sums[0][i], all_over_read),
                                               estimate(sums[1][j], all_over_read), static_cast<unsigned>(x[i][j])));
  }
  const unsigned seen = __popc(__ballot_sync(0xFFFFFFFFu, counts)), out = __popc(__ballot_sync(0xFFFFFFFFu, rejected));
  if (lane != 0) return;
  const FirstLook own = FirstLook::of_block(seen, out);
  const FirstLook all{atomicAdd(&state->look.counts, own.counts) + own.counts};
  if (all.blocks() == gridDim.x && looks_wide(all)) leave_to_native(*state, native_bound);
}

}  // namespace

template <class T>
void first_look(const DeviceModel& model, const Operand<T>& rows, const Operand<T>& cols, Scalar<T> alpha, int stride,
                const NativeOffer& offer, ResidueKind residues, CallState* state, cudaStream_t stream) {
  const Index squares = ceil_div(rows.count, edge) * ceil_div(cols.count, edge);
  const unsigned blocks = static_cast<unsigned>(std::min<Index>(squares, look_blocks));
  launch(model, "first look", look_at_elements<T>, {blocks, look_threads}, stream, rows, cols, alpha,
         make_look<T>(rows.k, stride, offer.most_moduli, residues), offer.bound, state);
}

template void first_look(const DeviceModel&, const Operand<double>&, const Operand<double>&, Scalar<double>, int,
                         const NativeOffer&, ResidueKind, CallState*, cudaStream_t);
template void first_look(const DeviceModel&, const Operand<float>&, const Operand<float>&, Scalar<float>, int,
                         const NativeOffer&, ResidueKind, CallState*, cudaStream_t);

}  // namespace accublas::cuda
