// Computes elements of a resident panel that the current sums do not decide, and declares the shared memory of its
// thread blocks. For resident_panel.cu.
#pragma once

#include "cuda/lu_cholesky/panel_pivots.hpp"
#include "cuda/lu_cholesky/resident_panel.hpp"
#include "cuda/trsm/resolve.hpp"

namespace accublas::cuda {

inline constexpr int resident_threads = 256;

/// The parameters of the pivot exchange. A row of the panel is published with L to the left of the pivot, and with U as
/// far as the group.
template <class E>
struct CrPivots {
  using Number = E;
  using Inverse = double;
  static constexpr int columns = lu_panel_columns, rows = resident_threads;
  static __device__ Inverse inverse(const E* row, int j) {
    return Unknown<E>::of_row({}, row[j], row[j] == 0).reciprocal;
  }
};

/// A thread has the sums of this many columns at a time.
template <class E>
inline constexpr int resident_group = 8 / parts_of<E>;

/// The lanes of a warp whose elements in the step's column are undecided (`hard`), and the lanes whose sums of terms
/// must be lifted.
struct UndecidedLanes {
  unsigned hard, lifted;
};

/// Elements whose numerators cancel in the panel also cancel to its left, so three words would leave many undecided.
inline constexpr int words_of_panel = 4;

/// The numerators of one element of a row, from sums of its terms in words_of_panel words.
template <class E>
struct KnownNumerators {
  TripleSum parts[parts_of<E>];
  int column;  ///< column of the element; -1: none are known
  bool lifted;
};

template <class E>
struct ResidentStorage {
  static constexpr int sums = resident_group<E> * parts_of<E>, warps = resident_threads / 32;
  PivotStorage<CrPivots<E>> pivots;
  union {
    double transposed[warps][32][sums + 1];  ///< transposes a warp's sums, whose lanes load one row together
    WarpShares<E, words_of_panel> shares[warps];
  };
  UndecidedLanes undecided[2][warps];  ///< double-buffered by step, like the candidates for the pivot
  KnownNumerators<E> known[resident_threads];
  unsigned pending;  ///< lanes of a warp whose elements the warps of the block resolve together
  E resolved[32];    ///< by lane
  E top[lu_panel_columns][lu_panel_columns];   ///< L and U in the rows of the pivots
  E left[lu_panel_columns][resident_threads];  ///< L of the thread block's rows, by columns
  Chain<RealOf<E>, true> published[resident_group<E>]
                                  [parts_of<E>];  ///< sums of the published row, from the step's column on
};

/// The terms of an element in a row of A and a column of the panel: L to its left, in the row's memory or in `own`, and
/// U above.
template <class E>
struct ResidentTerms {
  const LuPanel<E>* panel;
  const E (*top)[lu_panel_columns];
  const E* own;
  int own_step;  ///< stride of the row's numbers in `own`
  Index row;
  int column, terms;  ///< number of terms within the panel
  __device__ Index count() const { return panel->first + terms; }
  __device__ E entry(Index q) const {
    if (q >= panel->first) return own[(q - panel->first) * own_step];
    return panel->far.has(q) ? panel->far(row, q) : panel->a(row, q);
  }
  __device__ E known(Index q) const {
    return q < panel->first ? panel->a(q, panel->first + column) : top[q - panel->first][column];
  }
  __device__ E right_side() const { return panel->a(row, panel->first + column); }
};

/// Returns the terms of the element in column j and the row of a thread of the block.
template <class E>
__device__ ResidentTerms<E> terms_of(const LuPanel<E>& panel, const ResidentStorage<E>& storage, int thread, int j) {
  const Index row = panel.first + static_cast<int>(blockIdx.x * resident_threads) + thread;
  return {&panel, storage.top, &storage.left[0][thread], resident_threads, row, j, j};
}

template <class E>
__device__ Unknown<E> numerator_itself() {
  return Unknown<E>::of_row(E{RealOf<E>(1)}, {}, true);
}

/// Decides the unknowns in column j of the lanes in `hard`, if their numerators are known. A decided unknown
/// becomes the lane's `value`. Returns the lanes whose unknowns stay undecided.
template <class E>
__device__ unsigned decide_by_known(const ResidentStorage<E>& storage, int j, unsigned hard, const Unknown<E>& unknown,
                                    E& value) {
  const int thread = static_cast<int>(threadIdx.x);
  const KnownNumerators<E>& known = storage.known[thread];
  bool pending = (hard >> thread % 32 & 1) != 0;
  if (pending && known.column == j) {
    E result{};
    pending = !decided_by_numerators(unknown, known.parts, known.lifted, result);
    if (!pending) value = result;
  }
  return __ballot_sync(0xFFFFFFFFu, pending);
}

// The following functions are not members, because an object would have to lie in memory for a call that is not
// inlined.

/// Returns the thread's element in column j, if elements of the thread block's rows are undecided there. All threads
/// call this. The warps share the terms of each undecided element. Elements that these sums leave undecided are
/// distributed over the warps.
template <class E>
__device__ ACCUBLAS_NOINLINE E resolve_column(const LuPanel<E>& panel, ResidentStorage<E>& storage, int j, E value) {
  constexpr int warps = ResidentStorage<E>::warps;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const Unknown<E> unknown = numerator_itself<E>();
  for (int w = 0; w < warps; ++w) {
    const UndecidedLanes lanes = storage.undecided[j % 2][w];
    if (lanes.hard == 0) continue;
    const bool lifted = (lanes.lifted >> lane & 1) != 0;
    TripleSum numerators[parts_of<E>];
    if (!panel.all_undecided)
      numerators_by_warps<E, words_of_panel>(
          lanes.hard, unknown.alpha, terms_of(panel, storage, 32 * w + lane, j), lifted, warps, storage.shares,
          [] { __syncthreads(); }, numerators);
    if (w == thread / 32) {
      unsigned left = lanes.hard;
      if (!panel.all_undecided) {
        KnownNumerators<E>& known = storage.known[thread];
        if ((lanes.hard >> lane & 1) != 0) {
          for (int part = 0; part < parts_of<E>; ++part) known.parts[part] = numerators[part];
          known.column = j, known.lifted = lifted;
        }
        left = decide_by_known(storage, j, lanes.hard, unknown, value);
      }
      if (lane == 0) storage.pending = left;
    }
    __syncthreads();
    const unsigned pending = storage.pending;
    int rank = 0;
    for (unsigned bits = pending; bits != 0; bits &= bits - 1, ++rank) {
      if (rank % warps != thread / 32) continue;
      const int of = __ffs(static_cast<int>(bits)) - 1;
      const E found =
          resolve_one(unknown, terms_of(panel, storage, 32 * w + of, j), panel.all_undecided, panel.undecided);
      if (lane == 0) storage.resolved[of] = found;
    }
    __syncthreads();
    if (w == thread / 32 && (pending >> lane & 1) != 0) value = storage.resolved[lane];
  }
  return value;
}

/// Returns the thread's element of L in column j, if elements of the warp's rows are undecided there.
template <class E>
__device__ ACCUBLAS_NOINLINE E resolve_quotients(const LuPanel<E>& panel, const ResidentStorage<E>& storage, int j,
                                                 Unknown<E> unknown, Tried<E> tried) {
  const unsigned left =
      panel.all_undecided ? tried.hard : decide_by_known(storage, j, tried.hard, unknown, tried.value);
  return resolve_lanes(left, unknown, tried.value, panel.all_undecided,
                       terms_of(panel, storage, static_cast<int>(threadIdx.x), j), panel.undecided);
}

}  // namespace accublas::cuda
