#include <algorithm>

#include "cuda/core/grid_barrier.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/occupancy.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/lu_cholesky/lu_panel.hpp"
#include "cuda/trsm/resolve.hpp"

namespace accublas::cuda {
namespace {

/// A thread block has this many rows; one more warp computes rows of U.
constexpr int panel_warps = 4, panel_threads = 32 * panel_warps;

/// Returns the size that partial pivoting compares.
template <class E>
__device__ RealOf<E> pivot_size(const E& v) {
  if constexpr (is_complex<E>)
    return fabs(v.re) + fabs(v.im);
  else
    return fabs(v);
}

/// Returns whether `other` is a better pivot than `best`. NaN beats everything; of equal sizes the first position wins.
template <class E>
__device__ bool passes(const PivotCandidate<E>& other, const PivotCandidate<E>& best) {
  if (other.row < 0 || best.row < 0) return other.row >= 0;
  const RealOf<E> size = pivot_size(best.value), others = pivot_size(other.value);
  const bool before = other.position < best.position;
  if (is_nan(size) || is_nan(others)) return is_nan(others) && (!is_nan(size) || before);
  return others > size || (others == size && before);
}

/// Returns the best candidate of a warp, for all lanes.
template <class E>
__device__ PivotCandidate<E> best_of_warp(PivotCandidate<E> best) {
  for (int offset = 16; offset > 0; offset /= 2) {
    const PivotCandidate<E> other = of_lane(best, (threadIdx.x % 32) ^ offset);
    if (passes(other, best)) best = other;
  }
  return best;
}

template <class E>
struct PanelStorage {
  E above[lu_panel_columns][lu_panel_columns];  ///< rows of U
  Index pivot_row[lu_panel_columns];            ///< the rows of A that hold the pivots
  PivotCandidate<E> best[panel_warps];
};

/// The terms of an element in a row of A and a column of the panel: L to its left, in the row's memory, and U above.
/// Reads of data from other thread blocks bypass L1.
template <class E>
struct PanelTerms {
  const LuPanel<E>* panel;
  const E (*above)[lu_panel_columns];
  Index row, column, terms;
  __device__ Index count() const { return terms; }
  __device__ E entry(Index q) const {
    return panel->far.has(q) ? panel->far(row, q) : load_shared_by_blocks(&panel->a(row, q));
  }
  __device__ E known(Index q) const {
    return q < panel->first ? panel->a(q, panel->first + column) : above[q - panel->first][column];
  }
  /// Returns A's element; it is only there until L's or U's element overwrites it.
  __device__ E right_side() const { return panel->a(row, panel->first + column); }
  __device__ static E load_shared_by_blocks(const E* p) {
    if constexpr (is_complex<E>)
      return {__ldcg(&p->re), __ldcg(&p->im)};
    else
      return __ldcg(p);
  }
};

/// A thread has rows of A, which stay in place; position[i] is the position of row i after the exchanges. The columns
/// are processed one after the other. The rounded elements of a column give each thread block a candidate for the
/// pivot. After a barrier of all blocks each knows the best one, adds a row to its copy of U, and divides.
template <class E>
class PanelRows {
  using T = RealOf<E>;
  static constexpr int parts = parts_of<E>;

 public:
  __device__ PanelRows(const LuPanel<E>& panel, unsigned arrived, PanelStorage<E>& storage)
      : p_(panel), barrier_(panel.memory.arrived, arrived), storage_(storage) {}

  __device__ void run() {
    if (has_rows()) start();
    for (int j = 0; j < p_.width; ++j) {
      const PivotCandidate<E> pivot = find_pivot(j);
      if (has_rows())
        divide(j, pivot);
      else
        find_above(j, pivot);
      __syncthreads();
    }
    if (has_rows()) leave();
  }

 private:
  static __device__ int lane() { return threadIdx.x % 32; }
  static __device__ bool has_rows() { return threadIdx.x < panel_threads; }

  /// Calls body(row, whether the row exists) for a thread's rows; all lanes of a warp call it together.
  template <class Body>
  __device__ void for_rows(Body&& body) const {
    for (Index i0 = p_.first + Index{blockIdx.x} * panel_threads; i0 < p_.m; i0 += Index{gridDim.x} * panel_threads)
      body(i0 + threadIdx.x, i0 + threadIdx.x < p_.m);
  }
  /// Returns the index of the sum of a row and a column of the panel.
  __device__ Index sum_at(Index row, int column, int part) const {
    return (row * parts + part) * p_.sums.stride + column;
  }
  /// Returns the index of a sum in the panel's own memory, where the sums of a column are adjacent.
  __device__ Index own_at(Index row, int column, int part) const { return (column * parts + part) * p_.m + row; }
  __device__ PairSums own() const { return {p_.memory.pair, p_.memory.error, 0}; }

  __device__ void start() {
    for_rows([&](Index i, bool there) {
      if (!there) return;
      p_.memory.position[i] = i;
      for (int part = 0; part < parts; ++part)
#pragma unroll 8
        for (int column = 0; column < p_.width; ++column)
          store_sum(own(), own_at(i, column, part), load_sum<T, true>(p_.sums, sum_at(i, column, part)));
    });
  }
  /// Adds the terms of the panel's columns before `terms` to the sums.
  __device__ void add_up(Index row, int column, int terms, BoundedPair<T, true> (&sums)[parts]) const {
    Chain<T, true> chain[parts];
    for (int part = 0; part < parts; ++part) chain[part] = Chain<T, true>::from(sums[part]);
#pragma unroll 4
    for (int q = 0; q < terms; ++q)
      add_term(chain, lifted_for_sums(PanelTerms<E>::load_shared_by_blocks(&p_.a(row, p_.first + q))),
               storage_.above[q][column]);
    for (int part = 0; part < parts; ++part) sums[part] = chain[part].bounded();
  }
  __device__ E resolve(const Unknown<E>& unknown, const BoundedPair<T, true> (&sums)[parts], bool wanted, Index row,
                       int column, int terms, bool counts) const {
    const PanelTerms<E> all{&p_, storage_.above, row, column, p_.first + terms};
    return resolved_numerator(unknown, sums, wanted, p_.all_undecided, all, counts ? p_.undecided : nullptr);
  }

  /// Rounds the elements of column j and returns the first of the largest. Their sums are kept.
  __device__ PivotCandidate<E> find_pivot(int j) {
    PivotCandidate<E> best{E{}, -1, 0};
    if (has_rows()) best = find_own_pivot(j);
    PivotCandidate<E>* const candidates = p_.memory.candidates + (j % 2) * gridDim.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < panel_warps; ++w)
        if (passes(storage_.best[w], best)) best = storage_.best[w];
      candidates[blockIdx.x] = best;
    }
    barrier_.sync();
    best = {E{}, -1, 0};
    for (unsigned b = lane(); b < gridDim.x; b += 32) {
      const PivotCandidate<E> other = load_candidate(candidates + b);
      if (passes(other, best)) best = other;
    }
    return best_of_warp(best);
  }
  /// Returns the best candidate of the thread block's rows, for thread 0.
  __device__ PivotCandidate<E> find_own_pivot(int j) {
    PivotCandidate<E> best{E{}, -1, 0};
    for_rows([&](Index i, bool there) {
      const Index position = there ? p_.memory.position[i] : 0;
      const bool open = there && position >= p_.first + j;
      BoundedPair<T, true> sums[parts]{};
      const Unknown<E> unknown = Unknown<E>::of_row(E{T(1)}, E{T(1)}, true);
      if (open) {
        for (int part = 0; part < parts; ++part) sums[part] = load_sum<T, true>(own(), own_at(i, j, part));
        add_up(i, j, j, sums);
      }
      const E value = resolve(unknown, sums, open, i, j, j, true);
      if (!open) return;
      for (int part = 0; part < parts; ++part) store_sum(own(), own_at(i, j, part), sums[part]);
      const PivotCandidate<E> other{value, i, position};
      if (passes(other, best)) best = other;
    });
    best = best_of_warp(best);
    if (lane() == 0) storage_.best[threadIdx.x / 32] = best;
    return best;
  }
  static __device__ PivotCandidate<E> load_candidate(const PivotCandidate<E>* p) {
    return {PanelTerms<E>::load_shared_by_blocks(&p->value), __ldcg(reinterpret_cast<const long long*>(&p->row)),
            __ldcg(reinterpret_cast<const long long*>(&p->position))};
  }

  /// Computes row j of U, a column a lane, from the row of the pivot; every thread block does so for itself. The first
  /// block records the pivot.
  __device__ void find_above(int j, const PivotCandidate<E>& pivot) {
    const int column = lane();
    if (column == 0) storage_.pivot_row[j] = pivot.row;
    if (column == 0 && blockIdx.x == 0) {
      p_.pivots[p_.first + j] = pivot.position + 1;
      if (pivot.value == 0 && *p_.info == 0) *p_.info = p_.first + j + 1;
    }
    const bool wanted = column > j && column < p_.width;
    BoundedPair<T, true> sums[parts]{};
    const Unknown<E> unknown = Unknown<E>::of_row(E{T(1)}, E{T(1)}, true);
    if (wanted) {
      for (int part = 0; part < parts; ++part) sums[part] = load_sum<T, true>(p_.sums, sum_at(pivot.row, column, part));
      add_up(pivot.row, column, j, sums);
    }
    const E value = resolve(unknown, sums, wanted, pivot.row, column, j, blockIdx.x == 0);
    if (wanted) storage_.above[j][column] = value;
    if (column == j) storage_.above[j][column] = pivot.value;
  }

  /// Computes column j of L.
  __device__ void divide(int j, const PivotCandidate<E>& pivot) {
    const Unknown<E> unknown = Unknown<E>::of_row(E{T(1)}, pivot.value, pivot.value == 0);
    const Index column = p_.first + j;
    for_rows([&](Index i, bool there) {
      Index position = there ? p_.memory.position[i] : 0;
      if (there && i == pivot.row) {
        p_.memory.position[i] = position = column;
      } else if (there && position == column) {
        p_.memory.position[i] = position = pivot.position;
      }
      const bool open = there && position > column;
      BoundedPair<T, true> sums[parts]{};
      if (open)
        for (int part = 0; part < parts; ++part) sums[part] = load_sum<T, true>(own(), own_at(i, j, part));
      const E value = resolve(unknown, sums, open, i, j, j, true);
      if (open) p_.a(i, column) = value;
    });
  }

  /// Records the moves; the first block stores the rows of U. By now no thread block reads the pivots' rows any more.
  __device__ void leave() {
    for_rows([&](Index i, bool there) {
      if (!there || p_.memory.position[i] == i) return;
      const int at = atomicAdd(&p_.memory.moves->count, 1);
      p_.memory.moves->source[at] = i;
      p_.memory.moves->target[at] = p_.memory.position[i];
    });
    if (blockIdx.x > 0) return;
    for (int at = threadIdx.x; at < p_.width * p_.width; at += panel_threads) {
      const int j = at % p_.width, column = at / p_.width;
      if (column >= j) p_.a(storage_.pivot_row[j], p_.first + column) = storage_.above[j][column];
    }
  }

  const LuPanel<E>& p_;
  GridBarrier barrier_;
  PanelStorage<E>& storage_;
};

template <class E>
__global__ void __launch_bounds__(panel_threads + 32, 2)
    factor_panel_kernel(const __grid_constant__ LuPanel<E> panel, unsigned arrived) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  PanelRows<E>(panel, arrived, *reinterpret_cast<PanelStorage<E>*>(memory)).run();
}

template <class E>
LaunchShape panel_shape(unsigned blocks) {
  return {blocks, panel_threads + 32, sizeof(PanelStorage<E>), 1, true};
}

}  // namespace

template <class E>
int lu_panel_blocks(const DeviceModel& model, Index rows) {
  const int resident = resident_blocks(model, "a panel of LU", factor_panel_kernel<E>, panel_shape<E>(1));
  return static_cast<int>(std::clamp<Index>(ceil_div(rows, Index{panel_threads}), 1, resident));
}

template <class E>
void factor_panel(const DeviceModel& model, const LuPanel<E>& panel, unsigned& arrived, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(lu_panel_blocks<E>(model, panel.m - panel.first));
  set_on_stream(&panel.memory.moves->count, 0, sizeof panel.memory.moves->count, stream, "clearing a count");
  launch(model, "a panel of LU", factor_panel_kernel<E>, panel_shape<E>(blocks), stream, panel, arrived);
  arrived += blocks * static_cast<unsigned>(panel.width);
}

#define ACCUBLAS_INSTANTIATE(E)                               \
  template int lu_panel_blocks<E>(const DeviceModel&, Index); \
  template void factor_panel(const DeviceModel&, const LuPanel<E>&, unsigned&, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
