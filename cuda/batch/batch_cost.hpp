// Which way a batch of GEMM takes in engine int8, by the times of BatchTuning. No bit of a mode that defines bits
// depends on it.
#pragma once

#include "cuda/batch/batch_kernels.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

/// The times of the kernels for small matrices and of groups of matrices by residues (int8_batch) in double precision,
/// in microseconds of an H200. `accublas-gpu-bench batched` measures them.
struct BatchTimes {
  // The kernels for small matrices: 128 terms of a tile, on a multiprocessor.
  double large_tile = 25, small_tile = 9;  ///< cr, sums in chunks: tiles of 64 x 64 and 32 x 32 elements
  double fixed_tile = 12.7;                ///< fixed:53, sums in chunks: a tile of 32 x 32 elements
  double short_element = 12.0 / 4096;      ///< an element, if one chunk holds the sums
  // Groups, on a device of `processors` multiprocessors. The lines that fill up a group of lines count too, except for
  // elements of C.
  int processors = 132;
  double margin = 1.1;             ///< a batch takes groups if they are faster by this factor, for lack of exact times
  double start = 90;               ///< launches, plans and pending elements
  double measured_entry = 4.2e-6;  ///< measuring an entry of A or B
  double entry = 4.7e-7;           ///< an entry of A or B with a modulus
  double term = 7.3e-10;           ///< a term of a sum with a modulus
  double result = 1.75e-6;         ///< an element of C with a modulus
};

/// `count` products of m x n elements with k terms.
struct BatchSize {
  Index m, n, k, count;
};

/// Returns the time of the kernels for small matrices with these tiles, in cr (bits = 0) or in fixed:bits. It is too
/// short for fixed:T with T below 53, as if the products of digits took all of the time.
inline double small_batch_time(const DeviceModel& model, const BatchSize& s, const BatchTiles& tiles, int bits) {
  constexpr BatchTimes times;
  const double digits = ceil_div(bits, 8) / 7.0;
  const double chunks = static_cast<double>(ceil_div(s.k, Index{128}));
  const double of_tile = !tiles.long_sums ? times.short_element * tiles.rows * tiles.cols
                         : bits > 0       ? times.fixed_tile * digits * digits * chunks
                                          : (tiles.rows == 64 ? times.large_tile : times.small_tile) * chunks;
  return static_cast<double>(ceil_div(s.count * tiles.of_a_matrix(), Index{model.processors})) * of_tile;
}

/// Returns the time of groups. `moduli` is the number of moduli that the mode usually takes.
inline double group_time(const DeviceModel& model, const BatchSize& s, double moduli) {
  constexpr BatchTimes times;
  const double rows = static_cast<double>(padded_lines(s.m)), cols = static_cast<double>(padded_lines(s.n)),
               terms = static_cast<double>(round_up(s.k, Index{128}));
  const double entries = (rows + cols) * terms, results = static_cast<double>(s.m) * static_cast<double>(s.n);
  const double of_modulus = entries * times.entry + rows * cols * terms * times.term + results * times.result;
  const double of_product = entries * times.measured_entry + moduli * of_modulus;
  return times.start + static_cast<double>(s.count) * of_product * times.processors / model.processors;
}

/// Returns how many moduli a product usually takes, in cr (bits = 0) or in fixed:bits.
inline double usual_batch_moduli(int bits) {
  constexpr double bits_of_modulus = 7.7, of_sum = 10;
  return bits > 0 ? (2 * bits + of_sum) / bits_of_modulus : 20;
}

}  // namespace accublas::cuda
