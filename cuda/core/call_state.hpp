// These structures hold the states of calls. The device decides and keeps all of them, so that no call waits on the
// host.
#pragma once

#include "cuda/core/operand.hpp"
#include "lib/numerics/capacity.hpp"

namespace accublas::cuda {

/// Summarizes all lines of a side (the rows of op(A) or the columns of op(B), see cuda/core/operand.hpp).
struct SideSummary {
  unsigned long long largest_norm;           ///< bits of the largest norm (a double >= 0, so ordered like integers)
  std::int32_t needed_bits;                  ///< the most bits that a line needs
  std::int32_t special;                      ///< number of lines with Inf or NaN
  unsigned long long largest_relative_norm;  ///< bits of the largest norm 2^-norm_exponent(norm), below 1
  std::int32_t peak;                         ///< 64 - the least norm_exponent; 0 where all lines are zero
  // certify_lines needs these bounds for the lines that are neither zero nor special (measure_bounds). Each holds the
  // bits of a double.
  unsigned long long largest_lambda_share = 0;  ///< largest lambda over the line's level
  unsigned long long largest_power_share = 0;   ///< largest 2^norm_exponent over the line's level
  unsigned long long largest_lack = 0;          ///< largest 1 + what a line's share lacks of 1; 0: not known
};

/// Which elements of C a pass computes. The bitmap `open` of the call has a bit for every element that is not final.
enum class Elements : std::int32_t { all, not_open, open };

/// Describes one pass over C; the device plans it. Every kernel of the pass reads it and returns at once if the pass is
/// not active.
struct PassPlan {
  std::int32_t active;
  std::int32_t interval;  ///< cr: the sum is known up to an error, Ziv's test decides; else fixed:T, exact as it stands
  Elements elements;
  std::int32_t row_bits, col_bits;  ///< fixed: T. cr, equal_norms: each line is scaled to a norm of at most 2^bits
  std::int32_t moduli;
  Index block_rows, block_cols;  ///< lines converted and multiplied at a time; multiples of line_group
  std::int32_t equal_norms;      ///< lines scaled as for an interval, but no interval: dp and sp without promised bits
  std::int32_t row_peak, col_peak;  ///< abs(a') is at most 2^peak
  ResidueKind residues;  ///< complex: residues of pairs of columns of C (Gemm::row_pairs); blocks then count such pairs

  ACCUBLAS_HD int planes() const { return planes_of(residues, moduli); }
  /// Returns how many columns of C one line of the columns' side stands for.
  ACCUBLAS_HD Index columns_a_line() const { return residues == ResidueKind::complex ? 2 : 1; }
};

/// A call makes at most this many passes: one for fixed:T* or a first cr, and two more with more bits.
inline constexpr int most_passes = 3;

/// Counters for barriers between the thread blocks of a kernel. Both are zero before the kernel and after it.
struct BarrierCounters {
  unsigned int arrived;  ///< arrivals at the barrier, summed over all blocks
  unsigned int left;     ///< blocks that will not arrive again
};

/// Holds the findings of first_look (cuda/int8/first_look.hpp). They share one word, so that each block adds its
/// findings with one atomic operation.
struct FirstLook {
  unsigned long long counts;

  ACCUBLAS_HD static constexpr FirstLook of_block(unsigned seen, unsigned rejected) {
    return {1ull << 40 | static_cast<unsigned long long>(seen) << 20 | rejected};
  }
  /// blocks that have finished
  ACCUBLAS_HD unsigned blocks() const { return static_cast<unsigned>(counts >> 40); }
  ACCUBLAS_HD unsigned seen() const { return static_cast<unsigned>(counts >> 20 & 0xFFFFF); }  ///< elements examined
  ACCUBLAS_HD unsigned rejected() const { return static_cast<unsigned>(counts & 0xFFFFF); }
};

/// The plan of products by slabs (cuda/int8/slabs.hpp).
struct SlabPlan {
  std::int32_t considered;        ///< other_time is so long that slabs may be faster
  std::int32_t active;            ///< slabs take the place of that pass and later ones
  std::int32_t tiles_alone;       ///< decide_by_tiles takes their place
  std::int32_t moduli, bits;      ///< bits: abs(a') is at most 2^bits
  double other_time;              ///< time of the planned pass and tiles, in units of a modulus of a pass
  double tile_time;               ///< time of decide_by_tiles for all elements, in the units of other_time
  unsigned long long products;    ///< slabs that are not left out, summed over the squares
  unsigned long long tile_slabs;  ///< slabs that matter, summed over the tiles of decide_by_tiles
  unsigned samples;               ///< number of samples computed so far
};

/// A state has room for this many samples; it equals most_samples of lib/numerics/escalation.hpp.
inline constexpr int state_samples = 64;

/// The state of one call, in device memory. It is zeroed at the start of the call except for the members after
/// `refused`.
struct CallState {
  SideSummary rows, cols;
  // The certificate fills the following members.
  std::int32_t common_moduli;  ///< moduli that suffice for all elements by their lines (dp:repro: 1); 0: not known
  std::int32_t common_bits;    ///< bits that go with them: both sides have the same bits (share_bits)
  std::int32_t largest_rung;   ///< 1 + index of the largest rung that an element needs; 0: no rung is accepted
  unsigned long long
      rejected_in_all;          ///< elements of finite lines that the certificate rejected; all of the call if it fails
  unsigned long long rejected;  ///< elements of finite lines that are pending if no pass is active
  std::int32_t all_by_cr;       ///< the certificate fails (lib/numerics/certificate.hpp): all elements take cr's values
  // The passes fill the following members.
  PassPlan pass[most_passes];
  unsigned long long open[most_passes];  ///< elements of finite lines that are pending after pass i
  unsigned long long resolved;           ///< elements pending after the last pass that grid sums resolved
  unsigned long long undecided;   ///< elements computed one by one by sums or exact accumulators (specials not counted)
  unsigned long long next_chunk;  ///< work counter of the exact kernel
  unsigned long long next_tile;   ///< work counter of decide_by_tiles
  std::int32_t all_pending;       ///< cr has no pass: all elements are pending, and their bits are not set yet
  BarrierCounters lockstep;       ///< advisory barrier between the blocks of the product kernel
  // The report and accublas_sync read the following members.
  std::int32_t bits, parts;  ///< largest values used; parts: moduli, digits or slices, as accublas_report_t defines it
  double bound_componentwise;
  double sample_row_term[state_samples],
      sample_col_term[state_samples];  ///< chance that an element is undecided, see cuda/int8/plan.cu
  double sample_tile[state_samples];   ///< share of the blocks of terms that the sample's tile needs; -1: not known
  std::int32_t samples;
  SlabPlan slabs;
  double sample_slab[state_samples];  ///< bits that a sample needs in a slab; -1: not known
  FirstLook look;
  /// The data favour cuBLAS, which is the call's fallback candidate; `refused` is set too.
  std::int32_t prefers_native;
  std::int32_t refused;  ///< the target is missed, or the data favour cuBLAS: no kernel of this call writes C
  // The following members keep their values until accublas_sync reads them.
  std::int32_t missed_target;  ///< a call could not promise its target, and wrote nothing
  std::int32_t not_covered;    ///< a plan needed more than the host had launched: part of C was not computed
};

// ---- DOT, GEMV, NRM2 and ASUM ----

/// At most this many sums are shared between thread blocks at a time.
inline constexpr int vector_tickets = 2048;

/// Device state of vector calls. Its owner zeroes it once. Every call leaves it unchanged except for `undecided`, which
/// the call sets.
struct VectorState {
  std::uint32_t arrived[vector_tickets];  ///< thread blocks that have delivered their part of a sum
  std::uint32_t exact_arrived;            ///< thread blocks of the exact kernel that have finished
  std::uint32_t not_used;
  unsigned long long open;       ///< outputs on the list that the exact kernel processes
  unsigned long long undecided;  ///< outputs of the last call that exact accumulators computed
};

}  // namespace accublas::cuda
