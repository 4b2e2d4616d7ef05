// What the CUDA kernels of the GEMM engines share: the operands, what is known of their lines, and the state of a call,
// all of it decided and kept on the device, so that no call waits on the host.
//
// Coordinates: a GEMM engine computes at(row, col) = C or its transpose, so that `col` runs along C's unit stride. A
// *line* is a row of op(A) or a column of op(B) (or, transposed, the other way round): the rows' side and the columns'
// side each have `count` lines of `k` entries.
#pragma once

#include <cstdint>

#include "lib/numerics/host_device.hpp"
#include "lib/problem.hpp"

namespace accublas::cuda {

/// Lines of an operand in device memory: entry (i, p) is data[i stride + p k_stride].
template <class T>
struct Operand {
  const T* data;
  Index stride, k_stride, count, k;
};

/// Lines come in groups of this many; per-line arrays are padded to it with zero lines (measure fills the padding).
inline constexpr Index line_group = 256;
ACCUBLAS_HD constexpr Index padded_lines(Index count) { return (count + line_group - 1) / line_group * line_group; }

/// What is known of every line; device arrays, padded_lines(count) long. A line with Inf or NaN is `special`, and taken
/// as zero in everything else.
struct Lines {
  Index count, k;
  std::int32_t* exponent;  ///< E: least with abs(x) < 2^E; 0 for a zero line
  std::int32_t* last_bit;  ///< every entry is a multiple of 2^last_bit, the largest such; no_last_bit for a zero line
  double* norm;            ///< upper bound of the Euclidean norm in units of 2^E, 0 only for a zero line
  double* lambda;          ///< sum of ceil(abs(x) 2^(24 - E)), exact below 2^53, an upper bound beyond
  std::uint8_t* special;   ///< 0 finite, 1 with Inf, 2 with NaN
  std::uint64_t* nonzero;  ///< bit p of word p / 64 of a line's `words` words: entry p is not zero; null where not kept
  Index words;             ///< (k + 63) / 64
};
inline constexpr std::int32_t no_last_bit = 0x3FFFFFFF;

/// Bits below 2^E that a line needs so that nothing is dropped.
ACCUBLAS_HD inline std::int64_t needed_bits(const Lines& lines, Index i) {
  return std::int64_t{lines.exponent[i]} - lines.last_bit[i];
}

/// A scalar argument: by value, or in device memory, read on the stream.
template <class T>
struct Scalar {
  T value;
  const T* pointer;  ///< null: `value`
#ifdef __CUDACC__
  __device__ T get() const { return pointer ? *pointer : value; }
#endif
};

/// What is known of all lines of a side.
struct SideSummary {
  unsigned long long largest_norm;           ///< bits of the largest norm (a double >= 0, so ordered like integers)
  std::int32_t needed_bits;                  ///< the most that a line needs
  std::int32_t special;                      ///< number of lines with Inf or NaN
  unsigned long long largest_relative_norm;  ///< bits of the largest norm 2^-norm_exponent(norm), below 1
  std::int32_t peak;                         ///< 64 - the least norm_exponent; 0 where all lines are zero
  // What certify_lines must know of the lines that are neither zero nor special (measure_bounds); bits of doubles.
  unsigned long long largest_lambda_share = 0;  ///< lambda over the line's level,
  unsigned long long largest_power_share = 0;   ///< 2^norm_exponent over it,
  unsigned long long largest_lack = 0;          ///< and 1 + what its share lacks of 1; 0: not known
};

/// Which elements of C a pass computes. The bitmap `open` of the call has a bit for every element that is not final.
enum class Elements : std::int32_t { all, not_open, open };

/// One pass over C, planned on the device. Every kernel of the pass reads it and returns at once where it is not
/// active.
struct PassPlan {
  std::int32_t active;
  std::int32_t interval;  ///< cr: the sum is known up to an error, Ziv's test decides; else fixed:T, exact as it stands
  Elements elements;
  std::int32_t row_bits, col_bits;  ///< fixed: T. cr, equal_norms: every line is scaled to a norm of at most 2^bits
  std::int32_t moduli;
  Index block_rows, block_cols;  ///< lines converted and multiplied at a time; multiples of line_group
  std::int32_t equal_norms;      ///< not an interval, but lines scaled as there: dp and sp where no bits are promised
  std::int32_t row_peak, col_peak;  ///< abs(a') is at most 2^peak
};

/// At most this many passes: fixed:T* or a first cr, and two more with more bits.
inline constexpr int most_passes = 3;

/// Of the blocks of a kernel: zero before it and after it.
struct MeetingCounters {
  unsigned int arrived;  ///< meetings of all blocks
  unsigned int left;     ///< blocks that come to no more of them
};

/// What first_look found, see kernels.hpp: in one word, so that a block's word comes with one atomic operation.
struct FirstLook {
  unsigned long long counts;

  ACCUBLAS_HD static constexpr FirstLook of_block(unsigned seen, unsigned rejected) {
    return {1ull << 40 | static_cast<unsigned long long>(seen) << 20 | rejected};
  }
  ACCUBLAS_HD unsigned blocks() const { return static_cast<unsigned>(counts >> 40); }          ///< that are through
  ACCUBLAS_HD unsigned seen() const { return static_cast<unsigned>(counts >> 20 & 0xFFFFF); }  ///< elements
  ACCUBLAS_HD unsigned rejected() const { return static_cast<unsigned>(counts & 0xFFFFF); }
};

/// The state of one call, in device memory, zeroed at its start but for the last member.
struct CallState {
  SideSummary rows, cols;
  // Certificate.
  std::int32_t common_moduli;          ///< moduli that suffice for all elements by their lines alone; 0: not known
  std::int32_t largest_rung;           ///< 1 + index of the largest rung that an element needs; 0: none is accepted
  unsigned long long rejected_in_all;  ///< elements that it rejected, special lines not counted
  unsigned long long rejected;         ///< those of them that are not zero by structure
  // Passes.
  PassPlan pass[most_passes];
  unsigned long long open[most_passes];  ///< elements of finite lines left open by pass i
  unsigned long long settled;            ///< of those left open at the end, decided by grid sums
  unsigned long long undecided;          ///< elements computed by the exact accumulators (specials not counted)
  unsigned long long next_chunk;         ///< work counter of the exact kernel
  MeetingCounters lockstep;              ///< soft synchronisation of the product kernel
  // For the report and for accublas_sync.
  std::int32_t bits, moduli;  ///< the most used
  double bound_componentwise;
  double sample_row_term[64], sample_col_term[64];  ///< chance of an element to be undecided, see plan.cu
  std::int32_t samples;
  FirstLook look;
  std::int32_t prefers_native;  ///< the data are for cuBLAS, which the call has in store; then `refused` too
  std::int32_t refused;         ///< the target is missed, or the data are cuBLAS's: no kernel of this call writes C
  // What follows stays until accublas_sync asks.
  std::int32_t missed_target;  ///< a call could not promise its target, and wrote nothing
  std::int32_t not_covered;    ///< a plan needed more than the host had launched: part of C was not computed
};

}  // namespace accublas::cuda
