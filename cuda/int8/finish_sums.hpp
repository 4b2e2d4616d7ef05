// The leading 112 bits of sums from their residues, by products of bytes on the tensor cores: what decides nearly every
// element. Device code; the twin is crt_reconstruct.
//
// A warp takes 128 neighbouring columns of a row. An instruction multiplies 16 lines of 32 residues by 8 columns of
// weights, and lane 4 g + q gets columns 2 q and 2 q + 1 of lines g and g + 8: to give it two digits of an element of
// its own, a line holds the residues of four elements in 16 planes each, and columns 2 q and 2 q + 1 have weights
// for the q-th element only. A lane ends with all digits of four columns, and no data moves between lanes: of the 16
// columns that lanes 4 g .. 4 g + 3 read, 2 q, 2 q + 1, 2 q + 8 and 2 q + 9, so that stores fill whole sectors of 32
// bytes.
#pragma once

#ifdef __CUDACC__
#include "cuda/core/ptx_portable.hpp"
#endif
#include "cuda/int8/crt_tables.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// A lane's columns: column_of(e) beside its first_column().
inline constexpr int columns = 4;
__device__ constexpr int column_of(int e) { return e % 2 + 8 * (e / 2); }
__device__ inline int first_column() { return static_cast<int>(16 * (threadIdx.x % 32 / 4) + 2 * (threadIdx.x % 4)); }

/// Sums of a lane's columns, by pairs of digits: pair[e][j] is that of digit 2 j and 256 times that of digit 2 j + 1.
inline constexpr int leading_pairs = LeadingBytes::digits / 2;
struct DigitSums {
  int pair[columns][leading_pairs];
};

/// Residues go in steps: the first takes 16 planes, four to a lane, each further one `Later` to a lane. Two for real
/// sums: 22 moduli are two steps then, and the lanes read 96 bytes ahead, not 128; four for complex ones.
inline constexpr int wide_step = 16;
template <int Later>
struct Steps {
  static constexpr int later_step = 4 * Later;
  static constexpr int most = 1 + ceil_div((Later == 2 ? max_moduli : max_planes) - wide_step, later_step);

  __device__ static constexpr int of(int planes) {
    return planes <= wide_step ? 1 : 1 + ceil_div(planes - wide_step, later_step);
  }
  /// How many of a step's planes a lane takes; one where there are not four in all.
  __device__ static int a_lane(int step, int planes) { return step > 0 ? Later : planes < 4 ? 1 : 4; }
  /// The first plane that the lanes with lane % 4 = group want.
  __device__ static int first_wanted(int step, int group, int planes) {
    return step > 0 ? wide_step + later_step * (step - 1) + Later * group : a_lane(0, planes) * group;
  }
  /// The first plane that they read: planes that exist, whatever their weights.
  __device__ static int first_plane(int step, int group, int planes) {
    return min(first_wanted(step, group, planes), planes - a_lane(step, planes));
  }
};

/// The part of LeadingBytes that a block keeps.
template <int Later>
struct LeadingWeights {
  /// The columns of weights by step, pair of digits and lane: word i is for the i-th of four elements.
  uint4 column[Steps<Later>::most][leading_pairs][32];
  int product[leading_pairs];
  float minus_quotient;
  int exponent;
  bool complete;
};

/// By all threads of a block, which then has to synchronise.
template <int Later>
__device__ void load_leading_weights(const LeadingBytes& from, int planes, LeadingWeights<Later>& w) {
  using Order = Steps<Later>;
  const int columns = Order::of(planes) * leading_pairs * 32;
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += static_cast<int>(blockDim.x)) {
    const int lane = i % 32, j = i / 32 % leading_pairs, step = i / 32 / leading_pairs;
    const int col = lane / 4, element = col / 2, group = lane % 4;
    const int first = Order::first_plane(step, group, planes), wanted = Order::first_wanted(step, group, planes);
    const int end = first + Order::a_lane(step, planes);
    unsigned bytes = 0;
#pragma unroll
    for (int p = 0; p < 4; ++p) {  // loads that do not wait for each other
      const int l = first + p;
      const std::int8_t weight = l >= wanted && l < end ? from.weight[2 * j + col % 2][l] : std::int8_t{0};
      bytes |= static_cast<unsigned>(static_cast<std::uint8_t>(weight)) << 8 * p;
    }
    w.column[step][j][lane] = {element == 0 ? bytes : 0, element == 1 ? bytes : 0, element == 2 ? bytes : 0,
                               element == 3 ? bytes : 0};
  }
  if (threadIdx.x < leading_pairs) w.product[threadIdx.x] = from.product[threadIdx.x];
  if (threadIdx.x == 0) {
    w.minus_quotient = -from.quotient;
    w.exponent = from.exponent;
    w.complete = from.complete;
  }
}

/// A lane's 16 columns of `Planes` planes.
template <int Planes>
struct Residues {
  uint4 plane[Planes];
};
/// `at`: columns 16 (lane / 4) .. + 15 in the first of these planes.
template <int Planes>
__device__ __forceinline__ void load_residues(const std::int8_t* at, Index plane, Residues<Planes>& r) {
#pragma unroll
  for (int i = 0; i < Planes; ++i, at += plane) r.plane[i] = __ldcs(reinterpret_cast<const uint4*>(at));
}

/// word[c]: byte c of every plane. Of two planes the upper half of the words is any.
__device__ __forceinline__ void take_columns(unsigned p0, unsigned p1, unsigned p2, unsigned p3, unsigned (&word)[4]) {
  const unsigned a = __byte_perm(p0, p1, 0x5140), b = __byte_perm(p2, p3, 0x5140);
  const unsigned c = __byte_perm(p0, p1, 0x7362), d = __byte_perm(p2, p3, 0x7362);
  word[0] = __byte_perm(a, b, 0x5410);
  word[1] = __byte_perm(a, b, 0x7632);
  word[2] = __byte_perm(c, d, 0x5410);
  word[3] = __byte_perm(c, d, 0x7632);
}
__device__ __forceinline__ void take_columns(unsigned p0, unsigned p1, unsigned (&word)[4]) {
  word[0] = __byte_perm(p0, p1, 0x5140), word[1] = word[0] >> 16;
  word[2] = __byte_perm(p0, p1, 0x7362), word[3] = word[2] >> 16;
}

/// word[i][c]: column 4 i + c of the lane's 16.
using ColumnWords = unsigned[4][4];
__device__ __forceinline__ void take_columns(const Residues<4>& r, ColumnWords& word) {
  const auto& p = r.plane;
  take_columns(p[0].x, p[1].x, p[2].x, p[3].x, word[0]);
  take_columns(p[0].y, p[1].y, p[2].y, p[3].y, word[1]);
  take_columns(p[0].z, p[1].z, p[2].z, p[3].z, word[2]);
  take_columns(p[0].w, p[1].w, p[2].w, p[3].w, word[3]);
}
__device__ __forceinline__ void take_columns(const Residues<2>& r, ColumnWords& word) {
  const auto& p = r.plane;
  take_columns(p[0].x, p[1].x, word[0]);
  take_columns(p[0].y, p[1].y, word[1]);
  take_columns(p[0].z, p[1].z, word[2]);
  take_columns(p[0].w, p[1].w, word[3]);
}

/// Adds the products of a step and a pair of digits, for the lane's columns e and e + 1: the i-th element of line g is
/// column 4 e + 2 i of the 16, of line g + 8 the one beside it.
__device__ __forceinline__ void add_pair(const ColumnWords& word, int e, const uint4& column, int (&sum)[4]) {
  ptx::mma_16x8x32_signed(sum, word[e], column.x, column.y);
  ptx::mma_16x8x32_signed(sum, word[e + 1], column.z, column.w);
}

/// The least of the pairs of digits that count where results are rounded: all of them where they may be all of a sum,
/// with up to 16 planes.
template <bool Narrow>
constexpr int first_pair = Narrow ? 1 : 0;

/// The sums of the first step, or of the first two, of the pairs from `First` on. All lanes call.
template <bool Narrow, int First = first_pair<Narrow>, int Later>
__device__ __forceinline__ void start_sums(const LeadingWeights<Later>& w, const Residues<4>& wide,
                                           const Residues<Later>& later, DigitSums& s) {
  ColumnWords first, second;
  take_columns(wide, first);
  if (Narrow) take_columns(later, second);
#pragma unroll
  for (int j = First; j < leading_pairs; ++j) {
#pragma unroll
    for (int e = 0; e < columns; e += 2) {
      int sum[4] = {0, 0, 0, 0};  // digits 2 j and 2 j + 1 of column e, then of the next
      add_pair(first, e, w.column[0][j][threadIdx.x % 32], sum);
      if (Narrow) add_pair(second, e, w.column[1][j][threadIdx.x % 32], sum);
      s.pair[e][j] = sum[0] + 256 * sum[1];
      s.pair[e + 1][j] = sum[2] + 256 * sum[3];
    }
  }
}

/// Adds a further step. All lanes call.
template <int First = first_pair<true>, int Later>
__device__ __forceinline__ void add_step(const LeadingWeights<Later>& w, int step, const Residues<Later>& later,
                                         DigitSums& s) {
  ColumnWords word;
  take_columns(later, word);
#pragma unroll
  for (int j = First; j < leading_pairs; ++j) {
#pragma unroll
    for (int e = 0; e < columns; e += 2) {
      int sum[4] = {s.pair[e][j], 0, s.pair[e + 1][j], 0};
      add_pair(word, e, w.column[step][j][threadIdx.x % 32], sum);
      s.pair[e][j] = sum[0] + 256 * sum[1];
      s.pair[e + 1][j] = sum[2] + 256 * sum[3];
    }
  }
}

#endif

}  // namespace accublas::cuda
