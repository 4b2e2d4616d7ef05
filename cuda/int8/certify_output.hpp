// The certificate's test in the epilogue of the product kernels, where all sampled terms are one chunk of k. Storing
// the sums and testing them by a kernel of its own takes 86 us at n = 4096, the product itself 12. For .cu files.
#pragma once

#include "cuda/core/warp_reduce.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/product_tiles.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// Where rungs are T's. Special and zero lines have lambda = 0 and sums of zero: no test lets them pass.
class BitsTest {
 public:
  __device__ explicit BitsTest(const CertifyJob& job) : job_(job) {}
  __device__ int rungs() const { return job_.rungs.count; }
  __device__ void take(int rung) { rung_ = rung; }

  /// The facts about a row and about columns c and c + 1 that the test needs; a lane keeps them for its warp.
  struct Row {
    double lambda;
  };
  struct Columns {
    double lambda[2];
  };
  __device__ Row row(Index r) const { return {job_.rows.lambda[r]}; }
  __device__ Columns columns(Index c) const {
    const double2 two = *reinterpret_cast<const double2*>(job_.cols.lambda + c);
    return {{two.x, two.y}};
  }
  /// Whether the rung lets 16 neighbouring sums pass, whose columns lanes from `lane` on keep. May be false where one
  /// does not need the rung. By whole warps.
  __device__ bool all_pass(const std::uint32_t (&sums)[16], const Row& row, const Columns& columns, int lane) const {
    const Rung& rung = job_.rungs.rung[rung_];
    bool all = true;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const double mu = __shfl_sync(0xFFFFFFFFu, columns.lambda[i % 2], lane + i / 2);
      all &= suffices<false>(rung, row.lambda, mu, static_cast<std::int32_t>(sums[i]), 0);
    }
    return all;
  }
  /// Which of 16 sums pass by rung `rung`, or because their lines drop no bits.
  __device__ unsigned passing(int rung, const std::uint32_t (&sums)[16], Index r, Index c) const {
    const LineFacts row = facts_of(job_.rows, r);
    const Rung& at = job_.rungs.rung[rung];
    unsigned good = 0;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const LineFacts col = facts_of(job_.cols, c + i);
      const bool passes = max(row.needed, col.needed) <= at.t ||
                          suffices<false>(at, row.lambda, col.lambda, static_cast<std::int32_t>(sums[i]), 0);
      good |= passes ? 1u << i : 0;
    }
    return good;
  }

 private:
  const CertifyJob& job_;
  int rung_ = 0;
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
  __device__ bool all_pass(const std::uint32_t (&sums)[16], const Row& row, const Columns& columns, int lane) const {
    bool all = true;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const float mu = __shfl_sync(0xFFFFFFFFu, columns.column[i % 2].lambda, lane + i / 2);
      const float power = __shfl_sync(0xFFFFFFFFu, columns.column[i % 2].power, lane + i / 2);
      all &= row.pass(mu, power, sums[i]);
    }
    return all;
  }
  __device__ unsigned passing(int rung, const std::uint32_t (&sums)[16], Index r, Index c) const {
    const ModuliRung bits = at(rung);
    const ModuliLine row = moduli_line(job_.rows, r);
    unsigned good = 0;
#pragma unroll
    for (int i = 0; i < 16; ++i)
      good |= suffices(bits, job_.moduli_rungs.slope, row, moduli_line(job_.cols, c + i), sums[i]) ? 1u << i : 0;
    if (!drops_nothing(job_.rows, r, bits.row_bits)) return good;
#pragma unroll 1
    for (int i = 0; i < 16; ++i) good |= drops_nothing(job_.cols, c + i, bits.col_bits) ? 1u << i : 0;
    return good;
  }

 private:
  __device__ ModuliRung at(int rung) const {
    return {job_.moduli_rungs.capacity[rung], job_.state->rows, job_.state->cols, job_.moduli_rungs.k};
  }

  const CertifyJob& job_;
  ModuliRung rung_;
  int taken_ = 0;
};

/// Turns 16 neighbouring sums of a row into the bits of rejected elements. Where they do not all pass at the rung
/// known so far, they are put aside until the end of the tile. `Groups`: of 64 columns that a warp stores.
template <class Test, int Groups>
class CertifyOutput {
 public:
  using Element = std::int32_t;
  using Parameters = CertifyJob;

  __device__ explicit CertifyOutput(const CertifyJob& job) : job_(job), test_(job), known_(0), found_(0) {}
  __device__ void begin_tile(int, Index first_col) {
    known_ = *static_cast<volatile std::int32_t*>(&job_.state->largest_rung);
    found_.rung = max(found_.rung, known_ - 1);
    test_.take(found_.rung);
    stores_ = aside_ = 0;
    // All at once, while the last products are under way: later there are registers to load a few at a time only.
    const Index c = job_.first_col + first_col + 2 * (threadIdx.x % 32);
#pragma unroll
    for (int group = 0; group < Groups; ++group) columns_[group] = test_.columns(c + 64 * group);
  }

  __device__ void store(const std::uint32_t (&sums)[16], std::int32_t*, Index row, Index col) {
    // With several groups of columns, each is stored for two rows in turn.
    const int at = stores_++, group = Groups == 1 ? 0 : at / 2;
    if (group == 0) rows_[at % 2] = test_.row(job_.first_row + row);
    const bool pass = test_.all_pass(sums, rows_[at % 2], columns_[group], 8 * (threadIdx.x % 4));
    if (row >= job_.rows_count || col >= job_.cols_count) return;
    const unsigned wanted = job_.wanted.mask(row, col) & 0xFFFFu;
    if (wanted == 0) return;
    if (job_.cols_count - col >= 16 && wanted == 0xFFFFu && pass) {
      found_.accepted = true;
      if (threadIdx.x % 2 == 0) *word_of(row, col) = 0;
      return;
    }
    aside_ |= 1u << at;
#pragma unroll
    for (int i = 0; i < 16; ++i) kept_[at].sums[i] = sums[i];
    kept_[at].row = static_cast<int>(row);
    kept_[at].col = static_cast<int>(col);
  }

  __device__ void end_tile() {
    __syncwarp();  // words that lanes beside wrote come first
#pragma unroll 1
    for (unsigned left = lanes_or(aside_); left != 0; left &= left - 1) {
      const int at = __ffs(static_cast<int>(left)) - 1;
      const bool mine = (aside_ >> at & 1) != 0;
      // The lanes and blocks share their findings, so that none repeats a test.
      found_.rung = max(lanes_max(found_.rung), *static_cast<volatile std::int32_t*>(&job_.state->largest_rung) - 1);
      const unsigned open = mine ? open_among(kept_[at]) : 0, beside = __shfl_xor_sync(0xFFFFFFFFu, open, 1);
      // Lanes 2 q and 2 q + 1 have neighbouring columns, and one of them writes their word.
      const bool odd = threadIdx.x % 2 != 0, both = __shfl_xor_sync(0xFFFFFFFFu, mine, 1) != 0;
      if (mine && !(odd && both))
        *word_of(kept_[at].row, kept_[at].col) = odd ? beside | open << 16 : open | beside << 16;
      const int most = lanes_max(found_.accepted ? 1 + found_.rung : 0);
      if (threadIdx.x % 32 == 0 && most > known_) atomicMax(&job_.state->largest_rung, most);
      count_rejections();
      // The other sums do not matter if too many elements are rejected.
      if (__any_sync(0xFFFFFFFFu, *static_cast<volatile std::int32_t*>(&job_.state->all_by_cr) != 0)) break;
    }
  }

  __device__ void end() const {
    const int most = lanes_max(found_.accepted ? 1 + found_.rung : 0);
    if (threadIdx.x % 32 == 0 && most > known_) atomicMax(&job_.state->largest_rung, most);
  }

 private:
  struct Kept {
    std::uint32_t sums[16];
    int row, col;
  };

  /// Adds the warp's rejected elements to the call's.
  __device__ void count_rejections() {
    const unsigned rejected = lanes_sum(found_.rejected);
    found_.rejected = 0;
    if (threadIdx.x % 32 == 0) count_rejected(*job_.state, rejected, job_.elements);
  }

  __device__ std::uint32_t* word_of(Index row, Index col) const {
    return job_.open + (job_.first_row + row) * OpenBits::words_per_row(job_.cols.count) + (job_.first_col + col) / 32;
  }

  /// The existing elements that no rung lets pass. Raises the rung to what the others need.
  __device__ unsigned open_among(const Kept& kept) {
    const Index r = job_.first_row + kept.row, c = job_.first_col + kept.col;
    const int left = job_.cols_count - kept.col;
    const unsigned exist = (left >= 16 ? 0xFFFFu : (1u << left) - 1) & job_.wanted.mask(kept.row, kept.col);
    if (job_.rows.special[r] != 0) return exist;
    unsigned special = 0;
#pragma unroll
    for (int i = 0; i < 16; ++i) special |= job_.cols.special[c + i] != 0 ? 1u << i : 0;
    unsigned waiting = exist & ~special;
#pragma unroll 1
    for (int rung = found_.rung; waiting != 0 && rung < test_.rungs(); ++rung) {
      const unsigned good = test_.passing(rung, kept.sums, r, c) & waiting;
      waiting &= ~good;
      if (good == 0) continue;
      found_.accepted = true;
      found_.rung = rung;
    }
    found_.rejected += __popc(waiting);
    return waiting | (exist & special);
  }

  const CertifyJob& job_;
  Test test_;
  int known_;
  Found found_;
  typename Test::Columns columns_[Groups];  ///< of every group, two for the warp
  typename Test::Row rows_[2];
  int stores_ = 0;
  unsigned aside_ = 0;  ///< stores whose sums are kept
  Kept kept_[8];
};

#endif  // __CUDACC__

}  // namespace accublas::cuda
