// The states of calls, all of them decided and kept on the device, so that no call waits on the host.
#pragma once

#include "cuda/core/operand.hpp"
#include "lib/numerics/capacity.hpp"

namespace accublas::cuda {

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
  ResidueKind residues;  ///< complex: of pairs of columns of C (Gemm::row_pairs), so that blocks count pairs of columns

  ACCUBLAS_HD int planes() const { return planes_of(residues, moduli); }
  /// Columns of C that lines of the columns' side stand for.
  ACCUBLAS_HD Index columns_a_line() const { return residues == ResidueKind::complex ? 2 : 1; }
};

/// At most this many passes: fixed:T* or a first cr, and two more with more bits.
inline constexpr int most_passes = 3;

/// Of the blocks of a kernel: zero before it and after it.
struct MeetingCounters {
  unsigned int arrived;  ///< meetings of all blocks
  unsigned int left;     ///< blocks that come to no more of them
};

/// What first_look found, see cuda/residues/first_look.hpp: in one word, so that a block's word comes with one atomic
/// operation.
struct FirstLook {
  unsigned long long counts;

  ACCUBLAS_HD static constexpr FirstLook of_block(unsigned seen, unsigned rejected) {
    return {1ull << 40 | static_cast<unsigned long long>(seen) << 20 | rejected};
  }
  ACCUBLAS_HD unsigned blocks() const { return static_cast<unsigned>(counts >> 40); }          ///< that are through
  ACCUBLAS_HD unsigned seen() const { return static_cast<unsigned>(counts >> 20 & 0xFFFFF); }  ///< elements
  ACCUBLAS_HD unsigned rejected() const { return static_cast<unsigned>(counts & 0xFFFFF); }
};

/// Samples that a state has room for: most_samples of lib/numerics/escalation.hpp.
inline constexpr int state_samples = 64;

/// The state of one call, in device memory, zeroed at its start but for the last member.
struct CallState {
  SideSummary rows, cols;
  // Certificate.
  std::int32_t common_moduli;          ///< moduli that suffice for all elements by their lines alone; 0: not known
  std::int32_t common_bits;            ///< with them: both sides have the same bits (share_bits)
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
  std::int32_t bits, parts;  ///< the most used; parts: moduli, digits or slices, as accublas_report_t has it
  double bound_componentwise;
  double sample_row_term[state_samples],
      sample_col_term[state_samples];  ///< chance of an element to be undecided, see cuda/residues/plan.cu
  std::int32_t samples;
  FirstLook look;
  std::int32_t prefers_native;  ///< the data are for cuBLAS, which the call has in store; then `refused` too
  std::int32_t refused;         ///< the target is missed, or the data are cuBLAS's: no kernel of this call writes C
  // What follows stays until accublas_sync asks.
  std::int32_t missed_target;  ///< a call could not promise its target, and wrote nothing
  std::int32_t not_covered;    ///< a plan needed more than the host had launched: part of C was not computed
};

// ---- DOT, GEMV, NRM2 and ASUM ----

/// Sums that several thread blocks share: at most this many at a time.
inline constexpr int vector_tickets = 2048;

/// State in device memory: zeroed once by its owner. Every call leaves it as it found it, but for `undecided`, which it
/// sets.
struct VectorState {
  std::uint32_t arrived[vector_tickets];  ///< thread blocks that have delivered their part of a sum
  std::uint32_t exact_arrived;            ///< thread blocks of the exact kernel that are done
  std::uint32_t not_used;
  unsigned long long open;       ///< outputs on the list that the exact kernel works off
  unsigned long long undecided;  ///< outputs of the last call that exact accumulators computed
};

}  // namespace accublas::cuda
