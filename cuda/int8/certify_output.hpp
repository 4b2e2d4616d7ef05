// The certificate's test in the epilogue of the product kernels, where all sampled terms are one chunk of k. Storing
// the sums and testing them by a kernel of its own takes 86 us at n = 4096, the product itself 12. For .cu files.
#pragma once

#include "cuda/core/warp_reduce.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/product_tiles.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// Whether a rung lets all of some sums pass, and whether the next rung does, if there is one.
struct AllPass {
  bool here, above;
};

/// Where rungs are T's. Special and zero lines have lambda = 0 and sums of zero: no test lets them pass.
class BitsTest {
 public:
  __device__ explicit BitsTest(const CertifyJob& job) : job_(job) { take(0); }
  __device__ int rungs() const { return job_.rungs.count; }
  __device__ void take(int rung) {
    const Rung &own = job_.rungs.rung[rung], &next = job_.rungs.rung[min(rung + 1, rungs() - 1)];
    factor_ = __double2float_rd(own.factor), least_ = __double2float_ru(own.least);
    next_factor_ = __double2float_rd(next.factor), next_least_ = __double2float_ru(next.least);
  }

  /// The facts about a row and about columns c and c + 1 that the test needs, rounded up; a lane keeps them for its
  /// warp.
  struct Row {
    float lambda;
  };
  struct Columns {
    float lambda[2];
  };
  __device__ Row row(Index r) const { return {__double2float_ru(job_.rows.lambda[r])}; }
  __device__ Columns columns(Index c) const {
    const double2 two = *reinterpret_cast<const double2*>(job_.cols.lambda + c);
    return {{__double2float_ru(two.x), __double2float_ru(two.y)}};
  }
  /// Tests 16 neighbouring sums, whose columns lanes from `lane` on keep, in FP32 rounded to the safe side: an answer
  /// may be false where the rung suffices. All lanes of a warp call it.
  __device__ AllPass all_pass(const std::uint32_t (&sums)[16], const Row& row, const Columns& columns, int lane) const {
    AllPass all{true, true};
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const float mu = __shfl_sync(0xFFFFFFFFu, columns.lambda[i % 2], lane + i / 2);
      const float both = __fadd_ru(row.lambda, mu), sum = __uint2float_rd(sums[i]);
      all.here &= __fmaf_rd(factor_, sum, -both) >= least_;
      all.above &= __fmaf_rd(next_factor_, sum, -both) >= next_least_;
    }
    return all;
  }

  /// The facts about a line that the exact test needs. A sum passes if a rung suffices or if its lines drop no bits.
  using Line = LineFacts;
  __device__ static Line line(const Lines& lines, Index i) { return facts_of(lines, i); }
  __device__ static Line from_lane(const Line& line, int lane) {
    return {__shfl_sync(0xFFFFFFFFu, line.lambda, lane), __shfl_sync(0xFFFFFFFFu, line.needed, lane)};
  }
  __device__ const Rung& at(int rung) const { return job_.rungs.rung[rung]; }
  __device__ bool passes(const Rung& rung, const Line& row, const Line& col, std::uint32_t sum) const {
    return max(row.needed, col.needed) <= rung.t ||
           suffices<false>(rung, row.lambda, col.lambda, static_cast<std::int32_t>(sum), 0);
  }

 private:
  const CertifyJob& job_;
  float factor_, least_, next_factor_, next_least_;  ///< of the rung and of the next one, rounded to the safe side
};

/// Where they are numbers of moduli; the same in all else.
class ModuliTest {
 public:
  __device__ explicit ModuliTest(const CertifyJob& job) : job_(job), rung_(at(0)) {}
  __device__ int rungs() const { return job_.moduli_rungs.count; }
  __device__ void take(int rung) {
    if (rung == taken_) return;
    taken_ = rung;
    rung_ = at(rung);
  }
  using Row = QuickRow;
  struct Columns {
    QuickColumn column[2];
  };
  __device__ Row row(Index r) const { return {rung_, job_.moduli_rungs, moduli_line(job_.rows, r)}; }
  __device__ Columns columns(Index c) const {
    const double2 mu = *reinterpret_cast<const double2*>(job_.cols.lambda + c);
    const double2 norm = *reinterpret_cast<const double2*>(job_.cols.norm + c);
    return {{QuickColumn(mu.x, norm.x), QuickColumn(mu.y, norm.y)}};
  }
  /// The next rung has constants of its own, so it is not tried.
  __device__ AllPass all_pass(const std::uint32_t (&sums)[16], const Row& row, const Columns& columns, int lane) const {
    bool all = true;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const float mu = __shfl_sync(0xFFFFFFFFu, columns.column[i % 2].lambda, lane + i / 2);
      const float power = __shfl_sync(0xFFFFFFFFu, columns.column[i % 2].power, lane + i / 2);
      all &= row.pass(mu, power, sums[i]);
    }
    return {all, all};
  }

  struct Line : ModuliLine {
    int needed;  ///< bits that the line needs so that none is dropped
  };
  __device__ static Line line(const Lines& lines, Index i) {
    const std::int64_t needed = needed_bits(lines, i) + norm_exponent(lines.norm[i]);
    return {moduli_line(lines, i), lines.special[i] != 0 ? never : static_cast<int>(needed)};
  }
  __device__ static Line from_lane(const Line& line, int lane) {
    return {{__shfl_sync(0xFFFFFFFFu, line.lambda, lane), __shfl_sync(0xFFFFFFFFu, line.power, lane)},
            __shfl_sync(0xFFFFFFFFu, line.needed, lane)};
  }
  __device__ ModuliRung at(int rung) const {
    return {job_.moduli_rungs.capacity[rung], job_.state->rows, job_.state->cols, job_.moduli_rungs.k};
  }
  __device__ bool passes(const ModuliRung& rung, const Line& row, const Line& col, std::uint32_t sum) const {
    return (row.needed <= rung.row_bits && col.needed <= rung.col_bits) ||
           suffices(rung, job_.moduli_rungs.slope, row, col, sum);
  }

 private:
  const CertifyJob& job_;
  ModuliRung rung_;
  int taken_ = 0;
};

/// Turns 16 neighbouring sums of a row into the bits of rejected elements. If not all of them pass at the largest rung
/// that an element is known to need, they are kept until the end of the tile, and tested exactly there. Sums that pass
/// at the next rung are tested again only until an element is known to need that rung. `Groups` is the number of groups
/// of 64 columns that a warp stores.
template <class Test, int Groups>
class CertifyOutput {
 public:
  using Element = std::int32_t;
  using Parameters = CertifyJob;

  __device__ explicit CertifyOutput(const CertifyJob& job) : job_(job), test_(job), known_(0), found_(0) {}
  __device__ void begin_tile(int, Index first_col) {
    known_ = lanes_max(*static_cast<volatile std::int32_t*>(&job_.state->largest_rung));
    found_.rung = lanes_max(max(found_.rung, known_ - 1));
    test_.take(rung_ = found_.rung);
    stores_ = aside_ = above_ = 0;
    first_col_ = job_.first_col + first_col;
    // All at once, while the last products are under way: later there are registers to load a few at a time only.
#pragma unroll
    for (int group = 0; group < Groups; ++group) columns_[group] = test_.columns(own_columns(group));
  }

  __device__ void store(const std::uint32_t (&sums)[16], std::int32_t*, Index row, Index col) {
    // With several groups of columns, each is stored for two rows in turn.
    const int at = stores_++, group = group_of(at);
    if (group == 0) rows_[at % 2] = test_.row(job_.first_row + row);
    const AllPass pass = test_.all_pass(sums, rows_[at % 2], columns_[group], first_lane());
    if (row >= job_.rows_count || col >= job_.cols_count) return;
    const unsigned wanted = job_.wanted.mask(row, col) & 0xFFFFu;
    if (wanted == 0) return;
    if (job_.cols_count - col >= 16 && wanted == 0xFFFFu && (pass.here || pass.above)) {
      found_.accepted = true;
      if (threadIdx.x % 2 == 0) *word_of(row, col) = 0;
      if (pass.here) return;
      above_ |= 1u << at;
    }
    aside_ |= 1u << at;
#pragma unroll
    for (int i = 0; i < 16; ++i) kept_[at].sums[i] = sums[i];
    kept_[at].row = static_cast<int>(row);
    kept_[at].col = static_cast<int>(col);
  }

  __device__ void end_tile() {
    __syncwarp();  // words that lanes beside wrote come first
    // Lanes and thread blocks share the largest rung that they have found, so that none repeats a test. They stop if
    // too many elements are rejected, because the other sums do not matter then. The loads of what other blocks have
    // found are in flight during a round, and the next round uses them.
    int others = known_, fails = 0;
    unsigned left = lanes_or(aside_ & ~above_), above = lanes_or(above_) & ~left;
    bool first = true;
#pragma unroll 1
    for (; (left | above) != 0; left != 0 ? left &= left - 1 : above &= above - 1) {
      found_.rung = lanes_max(max(found_.rung, others - 1));
      others = *static_cast<volatile std::int32_t*>(&job_.state->largest_rung);
      if (left == 0 && found_.rung > rung_) break;
      if (__any_sync(0xFFFFFFFFu, fails != 0)) break;
      fails = *static_cast<volatile std::int32_t*>(&job_.state->all_by_cr);
      const int at = __ffs(static_cast<int>(left != 0 ? left : above)) - 1;
      const bool mine = (aside_ >> at & 1) != 0;
      const unsigned open = open_among(kept_[at], mine, group_of(at)), beside = __shfl_xor_sync(0xFFFFFFFFu, open, 1);
      // Lanes 2 q and 2 q + 1 have neighbouring columns, and one of them writes their word.
      const bool odd = threadIdx.x % 2 != 0, both = __shfl_xor_sync(0xFFFFFFFFu, mine, 1) != 0;
      if (mine && !(odd && both))
        *word_of(kept_[at].row, kept_[at].col) = odd ? beside | open << 16 : open | beside << 16;
      raise_rung();
      if (first || (left & (left - 1)) == 0) count_rejections();
      first = false;
    }
  }

  __device__ void end() { raise_rung(); }

 private:
  struct Kept {
    std::uint32_t sums[16];
    int row, col;
  };

  /// Raises the call's rung to the warp's.
  __device__ void raise_rung() {
    const int most = lanes_max(found_.accepted ? 1 + found_.rung : 0);
    if (most <= known_) return;
    if (threadIdx.x % 32 == 0) atomicMax(&job_.state->largest_rung, most);
    known_ = most;
  }

  /// Adds the warp's rejected elements to the call's.
  __device__ void count_rejections() {
    const unsigned rejected = lanes_sum(found_.rejected);
    found_.rejected = 0;
    if (threadIdx.x % 32 == 0) count_rejected(*job_.state, rejected, job_.elements);
  }

  __device__ std::uint32_t* word_of(Index row, Index col) const {
    return job_.open + (job_.first_row + row) * OpenBits::words_per_row(job_.cols.count) + (job_.first_col + col) / 32;
  }

  __device__ static int group_of(int store) { return Groups == 1 ? 0 : store / 2; }
  /// own_columns is the first of two columns of a group whose facts this lane keeps for its warp. first_lane is the
  /// lane that keeps the facts about the first of the 16 columns that this lane stores.
  __device__ Index own_columns(int group) const { return first_col_ + 64 * group + 2 * (threadIdx.x % 32); }
  __device__ static int first_lane() { return 8 * (threadIdx.x % 4); }

  /// Returns the bits of the existing elements that pass at no rung; returns 0 unless the sums are `mine`. Raises the
  /// rung to the one that the other elements need. Whole warps call this function, and their lanes begin at one rung.
  __device__ unsigned open_among(const Kept& kept, bool mine, int group) {
    using Line = typename Test::Line;
    const Index c = own_columns(group);
    const Line own[2] = {Test::line(job_.cols, c), Test::line(job_.cols, c + 1)};
    unsigned exist = 0, special = 0;
    Line row{};
    if (mine) {
      const int left = job_.cols_count - kept.col;
      exist = (left >= 16 ? 0xFFFFu : (1u << left) - 1) & job_.wanted.mask(kept.row, kept.col);
      row = Test::line(job_.rows, job_.first_row + kept.row);
      if (row.needed == never) special = 0xFFFFu;
    }
#pragma unroll
    for (int i = 0; i < 16; ++i)
      special |= __shfl_sync(0xFFFFFFFFu, own[i % 2].needed, first_lane() + i / 2) == never ? 1u << i : 0;
    unsigned waiting = exist & ~special;
#pragma unroll 1
    for (int at = found_.rung; at < test_.rungs() && __any_sync(0xFFFFFFFFu, waiting != 0); ++at) {
      const auto& rung = test_.at(at);
      unsigned good = 0;
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        const Line col = Test::from_lane(own[i % 2], first_lane() + i / 2);
        good |= test_.passes(rung, row, col, kept.sums[i]) ? 1u << i : 0;
      }
      good &= waiting;
      waiting &= ~good;
      if (good == 0) continue;
      found_.accepted = true;
      found_.rung = at;
    }
    found_.rejected += __popc(waiting);
    return waiting | (exist & special);
  }

  const CertifyJob& job_;
  Test test_;
  int known_;
  Found found_;
  typename Test::Columns columns_[Groups];  ///< facts about two columns of every group
  typename Test::Row rows_[2];
  Index first_col_ = 0;  ///< first column of the part of the tile that the warp stores
  int stores_ = 0;
  unsigned aside_ = 0, above_ = 0;  ///< stores whose sums are kept; above_ has those that pass at the next rung
  int rung_ = 0;                    ///< the rung at which the tile's stores are tested
  Kept kept_[8];
};

#endif  // __CUDACC__

}  // namespace accublas::cuda
