// The rows of a tile, from residues to results: a warp takes a row of a strip of 128 columns at a time, a thread four
// columns of it: their leading bits, rounded in double precision where that decides. The rest, one element in a million
// and ties beyond 112 bits, goes through crt_reconstruct and finish_within. Device code.
#pragma once

#include "cuda/core/ptx_words.hpp"
#include "cuda/int8/lane_elements.hpp"
#include "cuda/int8/tile_state.hpp"
#include "lib/numerics/crt.hpp"

namespace accublas::cuda::reconstructing {

/// How elements are finished. For alpha a power of two and beta zero: `exact` where the leading bits are all of S,
/// `fine` and `interval` where S has bits below the leading ones; in interval passes the bound also has the element's
/// error. `fine` takes all pairs of digits, because the sums of fixed passes and of accumulators may be far below the
/// range of the moduli. In double precision all passes of more than 16 planes do so: P may be 2^7 below what the digits
/// hold, and sums a further 2^6 below P. The lowest pair keeps nearly all elements decided; an element that needs all
/// bits of S delays the device.
enum class Rounding { exact, fine, interval, general };
template <bool Narrow, Rounding Kind>
constexpr int first_pair_of = Kind == Rounding::fine ? 0 : first_pair<Narrow>;

/// Returns the lane's columns whose residues are all zero, so that S is zero, as bits c_column(e, part).
template <int Parts>
__device__ __forceinline__ unsigned zero_columns(const std::int8_t* residues, Index plane, int planes) {
  static_assert(columns == 4 && column_of(1) == 1 && column_of(3) == column_of(2) + 1);
  unsigned any[2] = {};
#pragma unroll 8
  for (int l = 0; l < planes; ++l) {
#pragma unroll
    for (int half = 0; half < 2; ++half)
      any[half] |= *reinterpret_cast<const std::uint16_t*>(residues + l * plane + column_of(2 * half));
  }
  unsigned zero = 0;
#pragma unroll
  for (int e = 0; e < columns; ++e)
    if ((any[e / 2] >> e % 2 * 8 & 0xFF) == 0)
      for (int part = 0; part < Parts; ++part) zero |= 1u << c_column<Parts>(e, part);
  return zero;
}

/// The residues of an element side by side. The reconstruction of S would wait for each load from the planes.
struct ElementResidues {
  std::int8_t residue[max_planes];

  __device__ __forceinline__ ElementResidues(const std::int8_t* at, Index plane, int planes) {
#pragma unroll 8
    for (int l = 0; l < planes; ++l) residue[l] = at[l * plane];
  }
};

/// Finishes those of a lane's columns of row r of a tile that are in `rest`, from all bits of S. Returns which of them
/// are written.
template <class Numbers, class T>
__device__ ACCUBLAS_NOINLINE unsigned resolve_columns(const ReconstructArguments<T>& a, const BlockState<T, Numbers>& b,
                                                      const Tile& tile, int r, int own, unsigned rest) {
  constexpr int parts = Numbers::parts;
  const PassPlan& plan = b.plan;
  const Index plane = plan.block_rows * plan.block_cols, i = a.row_block * plan.block_rows + tile.row + r;
  const Index first_col = a.col_block * plan.block_cols + tile.col + own;
  const std::int8_t* const first = a.result + (tile.row + r) * plan.block_cols + tile.col + own;
  unsigned done = 0;
  // If many entries are zero, many sums are zero too, and the reconstruction of S takes long. In an interval pass a sum
  // of zero decides an element only if its error is zero.
  if (b.factors.kind == Factors<T>::power_of_two) {
    const unsigned zeros = rest & zero_columns<parts>(first, plane, plan.planes());
    for (int e = 0; e < columns; ++e) {
      const unsigned of_column = zeros & ((1u << parts) - 1) << c_column<parts>(e, 0);
      if (of_column == 0) continue;
      const bool exact = !plan.interval || element_error(b.lines, b.lines.row[r], own + column_of(e)) == 0;
      rest &= ~of_column;
      if (!exact) continue;
      done |= of_column;
      for (int part = 0; part < parts; ++part)
        if ((of_column >> c_column<parts>(e, part) & 1) != 0)
          *element(a.at, i, parts * first_col + c_column<parts>(e, part)) = T(0);
    }
    if (rest == 0) return done;
  }
  const FinishLine row = finish_line(plan, a.rows, i, true);
  for (; rest != 0; rest &= rest - 1) {
    const int c = __ffs(static_cast<int>(rest)) - 1, part = c % parts;
    const Index j = first_col + c / parts;
    const FinishLine col = column_line<Numbers>(plan, a.cols, j);
    const ElementResidues of_element(first + c / parts, plane, plan.planes());
    const std::int8_t* const residues = of_element.residue;
    const CrtTable& crt = Numbers::crt(plan.moduli, part);
    const auto finish = [&]<int L>(Wide<L> sum) {
      return finish_element(sum, row, col, plan.interval != 0, a.all_undecided, b.factors.alpha, b.factors.beta,
                            element(a.at, i, parts * j + part));
    };
    const int limbs = Numbers::limbs_of(plan.moduli);
    const bool written = limbs == 2   ? finish(crt_reconstruct<2>(crt, residues, 1))
                         : limbs == 3 ? finish(crt_reconstruct<3>(crt, residues, 1))
                                      : finish(crt_reconstruct<crt_limbs>(crt, residues, 1));
    done |= static_cast<unsigned>(written) << c;
  }
  return done;
}

/// A part of a lane's columns of a row, in the tile from `own` on, by their leading bits; returns which are right.
template <class T, bool Narrow, Rounding Kind, class Numbers>
__device__ __forceinline__ unsigned finish_columns(const BlockState<T, Numbers>& b, int part, const DigitSums& sums,
                                                   const TileRow& row, int own, const T (&c)[columns],
                                                   T (&out)[columns]) {
  const LeadingWeights<Numbers::later>& weights = b.weights[part];
  unsigned good = 0;
#pragma unroll
  for (int e = 0; e < columns; ++e) {
    const int col = own + column_of(e);
    LeadingPart sum;
    double bound = 0;
    if constexpr (Kind == Rounding::fine) {
      sum = fine_part(weights, sums.pair[e]);
      // The factor covers the roundings of the bound, also if it is large.
      bound = b.plan.interval ? __fma_rn(element_error(b.lines, row, col), 1 + 0x1p-49, fine_slack) : fine_slack;
    } else {
      sum = leading_part<Narrow>(weights, sums.pair[e]);
    }
    if (Kind == Rounding::interval || Kind == Rounding::general) {
      const double error = element_error(b.lines, row, col);
      // Fixed passes have no errors; then up to 112 bits have none below either.
      const bool none = !Narrow && Kind == Rounding::interval && weights.complete && error == 0;
      bound = none ? 0 : __dadd_rn(error, leading_slack<Narrow>);
    }
    bool right;
    if constexpr (Kind == Rounding::general) {
      const int shift = row.shift - (static_cast<int>(b.lines.scale[col]) >> 20);
      right = round_general(b.factors.alpha, b.factors.beta, sum, bound, shift, c[e], &out[e]);
    } else {
      const unsigned scale = (static_cast<unsigned>(row.shift) << 20) + b.factors.sign - b.lines.scale[col];
      right = round_power_of_two<T, Kind == Rounding::exact>(sum, bound, scale, &out[e]);
    }
    good |= static_cast<unsigned>(right) << c_column<Numbers::parts>(e, part);
  }
  return good;
}

/// Returns which of a lane's columns have sums that are uncertain by far more than the leading bits leave out. All bits
/// of such a sum in double precision hardly ever decide what its leading bits leave undecided, and the whole device
/// waits for the few warps that compute them: an element takes as long as ten rows.
template <bool Narrow, Rounding Kind, class T, class Numbers>
__device__ __forceinline__ unsigned uncertain_columns(const BlockState<T, Numbers>& b, const TileRow& row, int own) {
  constexpr double slack = Kind == Rounding::fine ? fine_slack : leading_slack<Narrow>;
  unsigned set = 0;
#pragma unroll
  for (int e = 0; e < columns; ++e)
    if (element_error(b.lines, row, own + column_of(e)) > 4 * slack)
      for (int part = 0; part < Numbers::parts; ++part) set |= 1u << c_column<Numbers::parts>(e, part);
  return set;
}

/// Stores the columns of `which`; `together`: two at a time, where they lie so.
template <int Parts, class T>
__device__ __forceinline__ void store_columns(T* at, Index stride, bool together, const T (&x)[Parts][columns],
                                              unsigned which) {
  using Two = std::conditional_t<sizeof(T) == 8, double2, float2>;
  if (together && which == all_columns<Parts>) {
    if constexpr (Parts == 1) {
      __stcs(reinterpret_cast<Two*>(at), Two{x[0][0], x[0][1]});
      __stcs(reinterpret_cast<Two*>(at + column_of(2)), Two{x[0][2], x[0][3]});
    } else {
#pragma unroll
      for (int e = 0; e < columns; ++e)
        __stcs(reinterpret_cast<Two*>(at + c_column<Parts>(e, 0)), Two{x[0][e], x[1][e]});
    }
    return;
  }
#pragma unroll
  for (int e = 0; e < columns; ++e)
#pragma unroll
    for (int part = 0; part < Parts; ++part)
      if ((which >> c_column<Parts>(e, part) & 1) != 0) at[c_column<Parts>(e, part) * stride] = x[part][e];
}

/// Where the residues of a lane's share of a row are, which it loads a row ahead: those of the first step, and with
/// more than 16 planes (`Narrow`) of the second one. Further ones are loaded where they are added. The caller holds the
/// residues: as members they take 60 % more spills to local memory in double precision.
template <bool Narrow, class Numbers>
class ResidueSource {
 public:
  using Order = Steps<Numbers::later>;

  template <class T>
  __device__ __forceinline__ ResidueSource(const ReconstructArguments<T>& a, const PassPlan& plan, const Tile& tile,
                                           const LanePlace& place)
      : planes_(plan.planes()),
        group_(static_cast<int>(threadIdx.x % 32) % 4),
        plane_(plan.block_rows * plan.block_cols) {
    const int lane = threadIdx.x % 32;
    planes_before_ = Order::first_plane(0, group_, planes_);
    wide_plane_ = Order::a_lane(0, planes_) == 1 ? 0 : plane_;
    to_next_row_ = static_cast<unsigned>(place.step) * static_cast<unsigned>(plan.block_cols);
    source_ = a.result + (tile.row + place.first) * plan.block_cols + tile.col + place.strip_col + 16 * (lane / 4) +
              planes_before_ * plane_;
    to_later_ = (Order::first_plane(1, group_, planes_) - planes_before_) * plane_;
  }

  __device__ __forceinline__ void load(Residues<4>& wide, Residues<Numbers::later>& later) const {
    load_residues(source_, wide_plane_, wide);
    if (Narrow) load_residues(source_ + to_later_, plane_, later);
  }
  __device__ __forceinline__ void advance() { source_ += to_next_row_; }
  /// Fetches the row that load() reads next into L2: lane i < 4 fetches the planes of the lanes with lane % 4 = i, of
  /// which a row of a strip has 128 bytes each.
  __device__ __forceinline__ void prefetch() const {
    if (threadIdx.x % 32 >= 4) return;
#pragma unroll
    for (int p = 0; p < 4; ++p) ptx::prefetch_line(source_ + p * wide_plane_);
    if constexpr (Narrow) {
#pragma unroll
      for (int p = 0; p < Numbers::later; ++p) ptx::prefetch_line(source_ + to_later_ + p * plane_);
    }
  }

  /// Sums of the row that was loaded last, `wide` and `later`, of the pairs from `First` on.
  template <int First>
  __device__ __forceinline__ void add(const LeadingWeights<Numbers::later>& weights, const Residues<4>& wide,
                                      const Residues<Numbers::later>& later, DigitSums& sums) const {
    start_sums<Narrow, First>(weights, wide, later, sums);
    if (Narrow) {
      for (int s = 2; s < Order::of(planes_); ++s) {
        const std::int8_t* const row_source = source_ - to_next_row_;
        Residues<Numbers::later> further;
        load_residues(row_source + (Order::first_plane(s, group_, planes_) - planes_before_) * plane_, plane_, further);
        add_step<First>(weights, s, further, sums);
      }
    }
  }

 private:
  const int planes_, group_;
  const Index plane_;
  int planes_before_;
  Index wide_plane_, to_later_;  ///< between planes of the first step; to the second step's
  unsigned to_next_row_;
  const std::int8_t* source_;  ///< of the row to load
};

/// Loads c of beta c: a part of the lane's columns of a row, those that are wanted.
template <int Parts, class T>
__device__ __forceinline__ void load_addends(const T* at, Index stride, unsigned wanted, int part, T (&c)[columns]) {
#pragma unroll
  for (int e = 0; e < columns; ++e)
    if ((wanted >> c_column<Parts>(e, part) & 1) != 0) c[e] = at[c_column<Parts>(e, part) * stride];
}

/// Finishes those of a lane's columns of a row that are `wanted`, whose sums have no term.
template <int Parts, class T>
__device__ ACCUBLAS_NOINLINE void finish_without_terms(const Factors<T>& factors, T* at, Index stride,
                                                       unsigned wanted) {
  for (; wanted != 0; wanted &= wanted - 1) {
    T* const element = at + (__ffs(static_cast<int>(wanted)) - 1) * stride;
    *element = finish(factors.alpha, Wide<1>{}, 0, factors.beta, read_addend(factors.beta, element));
  }
}

/// The rows of a tile, by kind of arithmetic; a warp takes one at a time, with the residues of its next one on their
/// way. `Narrow`: more than 16 planes. Returns the thread's count of elements left open.
template <class T, bool Narrow, Rounding Kind, class Numbers>
__device__ __forceinline__ unsigned finish_tile(const ReconstructArguments<T>& a, const BlockState<T, Numbers>& b,
                                                const Tile& tile) {
  constexpr int parts = Numbers::parts;
  const PassPlan& plan = b.plan;
  const LanePlace place(tile);
  const int first = place.first, step = place.step, own = place.own, height = tile.height;
  const Index row_base = a.row_block * plan.block_rows + tile.row + first;  // of C
  const Index col = parts * (a.col_block * plan.block_cols + tile.col + own);
  LaneElements<T, Numbers> elements(a, b, tile, place, row_base, col);
  ResidueSource<Narrow, Numbers> source(a, plan, tile, place);
  Residues<4> wide{};
  Residues<Numbers::later> later{};
  RowWork next{};
  const bool grouped = a.group.exists();
  const unsigned own_strip = 1u << place.strip_col / strip;
  const auto has_no_terms = [&](int r) { return (b.lines.without_terms[r] & own_strip) != 0; };
  const auto start = [&](int r, std::uint32_t bits) {
    if (r < height) {
      next = elements.work_of(r, bits);
      if (next.any && !has_no_terms(r)) {
        source.load(wide, later);
      } else {
        wide = {}, later = {};  // else the residues of the row before would have to be kept
      }
    }
    source.advance();
    // A group does not fit into L2, and its thread blocks have few rows in flight.
    if (grouped && r + step < height) source.prefetch();
  };
  start(first, elements.bits_of_current(first));
  std::uint32_t next_bits = elements.bits_of_next(first + step);

  T* at = element(a.at, row_base, col);
  const bool together =
      a.at.col_stride == 1 && reinterpret_cast<std::uintptr_t>(at) % (2 * sizeof(T)) == 0 && a.at.row_stride % 2 == 0;
  unsigned left_open = 0;
  for (int r = first; r < height; r += step) {
    const TileRow& row = b.lines.row[r];
    const RowWork work = next;
    unsigned done = 0;
    if (has_no_terms(r)) {
      start(r + step, next_bits);
      if (!(plan.interval && a.all_undecided)) {
        if constexpr (Kind == Rounding::general)
          finish_without_terms<parts>(b.factors, at, a.at.col_stride, work.wanted);
        else {
          const T zeros[parts][columns] = {};
          store_columns<parts>(at, a.at.col_stride, together, zeros, work.wanted);
        }
        done = work.wanted;
      }
    } else if (work.any && row.normal) {
      T out[parts][columns] = {};
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        T c[columns] = {};
        if (Kind == Rounding::general && !is_zero(b.factors.beta))
          load_addends<parts>(at, a.at.col_stride, work.wanted, part, c);
        DigitSums sums;
        source.template add<first_pair_of<Narrow, Kind>>(b.weights[part], wide, later, sums);
        if (part == parts - 1) start(r + step, next_bits);
        done |= work.wanted & finish_columns<T, Narrow, Kind>(b, part, sums, row, own, c, out[part]);
      }
      store_columns<parts>(at, a.at.col_stride, together, out, done);
    } else {
      start(r + step, next_bits);
    }
    if (done != work.wanted && !(plan.interval && a.all_undecided)) {
      unsigned rest = work.wanted & ~done;
      if ((Kind == Rounding::interval || (Kind == Rounding::fine && plan.interval)) && std::is_same_v<T, double> &&
          row.normal)
        rest &= ~uncertain_columns<Narrow, Kind>(b, row, own);
      if (rest != 0) done |= resolve_columns(a, b, tile, r, own, rest);
    }
    left_open += elements.write(r, work, done);
    elements.advance();
    at += step * a.at.row_stride;
    next_bits = elements.bits_of_next(r + 2 * step);
  }
  return left_open;
}

}  // namespace accublas::cuda::reconstructing
