// Which way a batch of GEMM takes in engine int8, by the times of BatchTuning. No bit of a mode that defines bits
// depends on it.
#pragma once

#include "cuda/batch/batch_kernels.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

/// The times of the kernels for small matrices and of groups of matrices by residues (int8_batch), in microseconds of
/// an H200. `accublas-gpu-bench batched` measures them.
struct BatchTimes {
  // The kernels for small matrices: 128 terms of a tile, on a multiprocessor.
  double large_tile = 25, small_tile = 9;  ///< cr, sums in chunks: tiles of 64 x 64 and 32 x 32 elements
  double fixed_tile = 12.7;                ///< fixed:T, sums in chunks: a tile of 32 x 32 elements
  double short_element = 12.0 / 4096;      ///< an element, if one chunk holds the sums
  // Groups, on a device of `processors` multiprocessors: times with `moduli` moduli.
  int processors = 132;
  double start = 60;       ///< launches
  double moduli = 21;      ///< those of cr
  double entry = 1e-5;     ///< an entry of A or B, with the lines that fill up a group of lines
  double term = 4.8e-8;    ///< a term of a sum, with these lines
  double result = 1.4e-5;  ///< an element of C
};

/// `count` products of m x n elements with k terms.
struct BatchSize {
  Index m, n, k, count;
};

/// Returns the time of the kernels for small matrices with these tiles.
inline double small_batch_time(const DeviceModel& model, const BatchSize& s, const BatchTiles& tiles, bool fixed) {
  constexpr BatchTimes times;
  const double chunks = static_cast<double>(ceil_div(s.k, Index{128}));
  const double of_tile = !tiles.long_sums ? times.short_element * tiles.rows * tiles.cols
                         : fixed          ? times.fixed_tile * chunks
                                          : (tiles.rows == 64 ? times.large_tile : times.small_tile) * chunks;
  return static_cast<double>(ceil_div(s.count * tiles.of_a_matrix(), Index{model.processors})) * of_tile;
}

/// Returns the time of groups. `moduli` is the number of moduli that the mode usually takes.
inline double group_time(const DeviceModel& model, const BatchSize& s, double moduli) {
  constexpr BatchTimes times;
  const double rows = static_cast<double>(padded_lines(s.m)), cols = static_cast<double>(padded_lines(s.n)),
               terms = static_cast<double>(round_up(s.k, Index{128}));
  const double of_product = (rows + cols) * terms * times.entry + rows * cols * terms * times.term +
                            static_cast<double>(s.m * s.n) * times.result;
  return times.start +
         static_cast<double>(s.count) * of_product * moduli / times.moduli * times.processors / model.processors;
}

/// Returns how many moduli a product with k terms usually takes, in cr (bits = 0) or in fixed:bits.
inline double usual_batch_moduli(bool single, int bits) {
  constexpr double bits_of_modulus = 7.7, of_sum = 10;
  return bits > 0 ? (2 * bits + of_sum) / bits_of_modulus : single ? 11 : 21;
}

}  // namespace accublas::cuda
