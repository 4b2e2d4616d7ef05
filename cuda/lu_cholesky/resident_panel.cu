#include "cuda/core/launch.hpp"
#include "cuda/core/panel_launch.hpp"
#include "cuda/lu_cholesky/panel_pivots.hpp"
#include "cuda/lu_cholesky/resident_panel.hpp"
#include "cuda/trsm/resolve.hpp"

namespace accublas::cuda {
namespace {

constexpr int resident_threads = 256;

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
constexpr int group = 8 / parts_of<E>;

/// The lanes of a warp whose elements in the step's column are undecided, and those of them whose sums are lifted.
struct UndecidedLanes {
  unsigned hard, lifted;
};

/// The sums of the terms of a row's element in three words.
template <class E>
struct KnownSums {
  TripleSum sums[parts_of<E>];
  int column;  ///< of the element; -1: there is none
  bool lifted;
};

template <class E>
struct ResidentStorage {
  static constexpr int sums = group<E> * parts_of<E>, warps = resident_threads / 32;
  PivotStorage<CrPivots<E>> pivots;
  union {
    double transposed[warps][32][sums + 1];  ///< numbers of a warp's sums, which are loaded by rows
    WarpShares<E> shares[warps];
  };
  UndecidedLanes undecided[2][warps];  ///< double-buffered by step, as the candidates for the pivot
  KnownSums<E> known[resident_threads];
  E top[lu_panel_columns][lu_panel_columns];                ///< L and U in the rows of the pivots
  E left[lu_panel_columns][resident_threads];               ///< L of the thread block's rows, by columns
  Chain<RealOf<E>, true> published[group<E>][parts_of<E>];  ///< sums of the published row, from the step's column on
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

/// Decides the unknowns of column j of the lanes in `hard` whose sums of terms are known; `value` becomes the lane's.
/// Returns which lanes are left.
template <class E>
__device__ unsigned decide_by_known(const LuPanel<E>& panel, const ResidentStorage<E>& storage, int j, unsigned hard,
                                    Unknown<E> unknown, E& value) {
  const int thread = static_cast<int>(threadIdx.x);
  const KnownSums<E>& known = storage.known[thread];
  bool pending = (hard >> thread % 32 & 1) != 0;
  if (pending && known.column == j) {
    unknown.b = terms_of(panel, storage, thread, j).right_side();
    E result{};
    pending = !decided_by_sums(unknown, known.sums, known.lifted, result);
    if (!pending) value = result;
  }
  return __ballot_sync(0xFFFFFFFFu, pending);
}

// The following functions are not members, because an object would have to lie in memory for a call that is not
// inlined.

/// Returns the thread's element in column j, where elements of the block's rows are undecided. All threads call this.
/// The warps split the terms of an element.
template <class E>
__device__ ACCUBLAS_NOINLINE E resolve_column(const LuPanel<E>& panel, ResidentStorage<E>& storage, int j, E value) {
  constexpr int warps = ResidentStorage<E>::warps;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const Unknown<E> unknown = numerator_itself<E>();
  for (int w = 0; w < warps; ++w) {
    const UndecidedLanes lanes = storage.undecided[j % 2][w];
    if (lanes.hard == 0) continue;
    const bool lifted = (lanes.lifted >> lane & 1) != 0;
    TripleSum sums[parts_of<E>];
    if (!panel.all_undecided)
      sums_by_warps<E>(
          lanes.hard, terms_of(panel, storage, 32 * w + lane, j), lifted, warps, storage.shares,
          [] { __syncthreads(); }, sums);
    if (w == thread / 32) {
      unsigned left = lanes.hard;
      if (!panel.all_undecided) {
        KnownSums<E>& known = storage.known[thread];
        if ((lanes.hard >> lane & 1) != 0) {
          for (int part = 0; part < parts_of<E>; ++part) known.sums[part] = sums[part];
          known.column = j, known.lifted = lifted;
        }
        left = decide_by_known(panel, storage, j, lanes.hard, unknown, value);
      }
      value = resolve_lanes(left, unknown, value, panel.all_undecided, terms_of(panel, storage, thread, j),
                            panel.undecided);
    }
    __syncthreads();
  }
  return value;
}

/// Returns the thread's element of L in column j, where elements of the warp's rows are undecided.
template <class E>
__device__ ACCUBLAS_NOINLINE E resolve_quotients(const LuPanel<E>& panel, const ResidentStorage<E>& storage, int j,
                                                 Unknown<E> unknown, Tried<E> tried) {
  const unsigned left =
      panel.all_undecided ? tried.hard : decide_by_known(panel, storage, j, tried.hard, unknown, tried.value);
  return resolve_lanes(left, unknown, tried.value, panel.all_undecided,
                       terms_of(panel, storage, static_cast<int>(threadIdx.x), j), panel.undecided);
}

/// A thread has a row of A, which stays in place, and minus the numerators of its next elements, for a group of columns
/// at a time. As soon as a pivot is known its contribution is added to all of them, so that the next column's
/// numerators are complete. After a group each thread block computes the pivots' rows to the right of it for itself,
/// and adds the contributions of the whole panel to the next group's numerators.
template <class E, bool clustered>
class ResidentRows {
  using T = RealOf<E>;
  using Pivots = CrPivots<E>;
  using Message = PivotMessage<Pivots>;
  static constexpr int parts = parts_of<E>, columns = group<E>;
  using Numerator = Chain<T, true>[parts];
  static_assert(columns <= resident_threads / 32);  // a warp has a pivot's row

 public:
  __device__ ResidentRows(const LuPanel<E>& panel, std::uint32_t steps, ResidentStorage<E>& storage)
      : p_(panel), storage_(storage), exchange_(panel.memory.words, steps, storage.pivots) {}

  __device__ void run() {
    at_.place = at_.position = static_cast<int>(blockIdx.x * resident_threads + threadIdx.x);
    at_.open = p_.first + at_.place < p_.m;
    storage_.known[threadIdx.x].column = -1;
    exchange_.open();
#pragma unroll 1
    for (int begin = 0; begin < p_.width; begin += columns) {
      const int end = min(begin + columns, p_.width);
      load(begin);
#pragma unroll 1
      for (int j = begin; j < end; ++j) step(j, end);
      find_above(begin, end);
    }
    exchange_.close();
    if (blockIdx.x == 0) leave();
  }

 private:
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }
  static __device__ int warp() { return static_cast<int>(threadIdx.x) / 32; }
  __device__ Index row() const { return p_.first + at_.place; }

  /// Loads the sums of a group of columns over what is to the left of the panel. A warp reads neighbours, some rows at
  /// a time. Rows and columns that do not exist get the sums of others.
  __device__ void load_sums(int begin) {
    constexpr int sums = ResidentStorage<E>::sums, rows = 32 / sums;
    const int part = lane() % sums / columns;
    const Index column = min(begin + lane() % columns, p_.width - 1);
    double2 pair[sums];
    double error[sums];
#pragma unroll
    for (int i = 0; i < sums; ++i) {
      const Index row = min(p_.first + at_.place - lane() + rows * i + lane() / sums, p_.m - 1);
      const Index at = (row * parts + part) * p_.sums.stride + column;
      pair[i] = p_.sums.pair[at], error[i] = p_.sums.error[at];
    }
    auto& transposed = storage_.transposed[warp()];
    const auto transpose = [&](auto&& number, auto&& take) {
#pragma unroll
      for (int i = 0; i < sums; ++i) transposed[rows * i + lane() / sums][lane() % sums] = number(i);
      __syncwarp();
#pragma unroll
      for (int c = 0; c < columns; ++c)
#pragma unroll
        for (int p = 0; p < parts; ++p) take(sum_[c][p], transposed[lane()][p * columns + c]);
      __syncwarp();
    };
    transpose([&](int i) { return pair[i].x; }, [](auto& sum, double x) { sum.pair.s = x; });
    transpose([&](int i) { return pair[i].y; }, [](auto& sum, double x) { sum.pair.c = x; });
    transpose([&](int i) { return error[i]; }, [](auto& sum, double x) { sum = Chain<T, true>::from({sum.pair, x}); });
  }

  /// Loads the numerators of the columns from `begin` on. Those of columns and rows that do not exist are never used.
  __device__ void load(int begin) {
    load_sums(begin);
#pragma unroll 2
    for (int q = 0; q < begin; ++q) {
      const E l = lifted_for_sums(storage_.left[q][threadIdx.x]);
#pragma unroll
      for (int c = 0; c < columns; ++c) add_term(sum_[c], l, storage_.top[q][begin + c]);
    }
    round(begin);
  }
  /// Computes the row's element in a column, the next one, or leaves it undecided.
  __device__ void round(int column) {
    const Tried<E> tried = try_numerator(numerator_itself<E>(), sum_[0], at_.open, p_.all_undecided);
    value_ = tried.value;
    const unsigned lifted = __ballot_sync(0xFFFFFFFFu, is_lifted<E>(magnitude_of<E>(sum_[0][0])));
    if (lane() == 0) storage_.undecided[column % 2][warp()] = {tried.hard, lifted};
  }

  /// Computes column j of L, and its contributions to the columns up to `end`.
  __device__ void step(int j, int end) {
    PivotPlace best = exchange_.best_of_block(j, at_.candidate(size_bits(value_)));
    if (__any_sync(0xFFFFFFFFu, storage_.undecided[j % 2][lane() % storage_.warps].hard != 0)) {
      value_ = resolve_column(p_, storage_, j, value_);
      best = exchange_.best_of_block(j, at_.candidate(size_bits(value_)));
    }
    const bool mine = at_.open && at_.position == best.position;
    // A block without pending rows publishes that it has no candidate.
    if (__any_sync(0xFFFFFFFFu, mine) || (best.position == nowhere && warp() == 0)) publish(j, end, best, mine);
    const Message& pivot = exchange_.receive(j);
    note(j, pivot);
    at_.exchange(j, pivot.place.position);

    const E above = pivot.row[j];
    const Unknown<E> unknown{E{T(1)}, {}, above, above == 0, pivot.inverse};
    const Tried<E> tried = try_numerator(unknown, sum_[0], at_.open, p_.all_undecided);
    const E l = tried.hard == 0 ? tried.value : resolve_quotients(p_, storage_, j, unknown, tried);
    if (at_.open) storage_.left[j][threadIdx.x] = p_.a(row(), p_.first + j) = l;
    __syncwarp();
    if (j + 1 == end) return;
    const E lifted = lifted_for_sums(l);
    add_pivot<1, columns / 2>(j, lifted, pivot);
    if (j + columns / 2 < end) add_pivot<columns / 2, columns>(j, lifted, pivot);
    round(j + 1);
  }
  template <int from, int to>
  __device__ void add_pivot(int j, const E& l, const Message& pivot) {
#pragma unroll
    for (int c = from; c < to; ++c) {
#pragma unroll
      for (int part = 0; part < parts; ++part) sum_[c - 1][part] = sum_[c][part];
      add_term(sum_[c - 1], l, pivot.row[(j + c) % lu_panel_columns]);
    }
  }

  /// Publishes the block's best row; the warp that has the row calls this.
  __device__ void publish(int j, int end, const PivotPlace& best, bool mine) {
    Message& message = exchange_.outgoing(j);
    const int from = __ffs(static_cast<int>(__ballot_sync(0xFFFFFFFFu, mine))) - 1;
    const E value = of_lane(value_, max(from, 0));
    const int place = at_.place - lane() + from;
    if (mine)
#pragma unroll
      for (int c = 1; c < columns; ++c)
#pragma unroll
        for (int part = 0; part < parts; ++part) storage_.published[c][part] = sum_[c][part];
    __syncwarp();
    const int column = lane();
    const bool wanted = from >= 0 && column > j && column < end;
    Numerator numerator{};
    if (wanted)
#pragma unroll
      for (int part = 0; part < parts; ++part) numerator[part] = storage_.published[column - j][part];
    const E* const left = &storage_.left[0][warp() * 32 + max(from, 0)];
    const ResidentTerms<E> terms{&p_, storage_.top, left, resident_threads, p_.first + place, column, j};
    E number = resolved_numerator(numerator_itself<E>(), numerator, wanted, p_.all_undecided, terms, p_.undecided);
    if (column < j) number = left[column * resident_threads];
    if (column == j) number = value;
    message.row[column] = number;
    if (column == 0) {
      message.place = {best.size, best.position, place};
      message.inverse = Unknown<E>::of_row({}, value, value == 0).reciprocal;
    }
    __syncwarp();
    exchange_.send(j);
  }

  __device__ void note(int j, const Message& pivot) {
    if (warp() > 0) return;
    storage_.top[j][lane()] = pivot.row[lane()];
    if (lane() > 0) return;
    storage_.pivots.pivot_row[j] = pivot.place.row;
    if (blockIdx.x > 0) return;
    p_.pivots[p_.first + j] = p_.first + pivot.place.position + 1;
    if (pivot.row[j] == 0 && *p_.info == 0) *p_.info = p_.first + j + 1;
  }

  /// Computes rows begin .. end - 1 of U to the right of these columns: a row a warp, a column a lane.
  __device__ void find_above(int begin, int end) {
    __syncthreads();
    if (end == p_.width) return;
    const int j = begin + warp(), column = end + lane();
    const bool wanted = j < end && column < p_.width;
    const Index from = p_.first + (j < end ? storage_.pivots.pivot_row[j] : 0);
    Numerator numerator{};
    if (wanted) {
#pragma unroll
      for (int part = 0; part < parts; ++part)
        numerator[part] =
            Chain<T, true>::from(load_sum<T, true>(p_.sums, (from * parts + part) * p_.sums.stride + column));
      for (int q = 0; q < begin; ++q) add_term(numerator, lifted_for_sums(storage_.top[j][q]), storage_.top[q][column]);
    }
#pragma unroll 1
    for (int q = begin; q < end; ++q) {
      if (q == j) {
        const ResidentTerms<E> terms{&p_, storage_.top, storage_.top[j], 1, from, column, j};
        const E number = resolved_numerator(numerator_itself<E>(), numerator, wanted, p_.all_undecided, terms,
                                            blockIdx.x == 0 ? p_.undecided : nullptr);
        if (wanted) storage_.top[j][column] = number;
      }
      __syncthreads();
      if (wanted && q < j) add_term(numerator, lifted_for_sums(storage_.top[j][q]), storage_.top[q][column]);
    }
  }

  /// Records the moves and stores the pivots' rows; the first thread block calls this. By now no block reads the
  /// pivots' rows in memory.
  __device__ void leave() const {
    if (warp() == 0) put_moves(*p_.memory.moves, p_.first, p_.width, storage_.pivots.pivot_row, at_);
    for (int at = static_cast<int>(threadIdx.x); at < p_.width * p_.width; at += resident_threads) {
      const int j = at % p_.width, column = at / p_.width;
      if (column >= j) p_.a(p_.first + storage_.pivots.pivot_row[j], p_.first + column) = storage_.top[j][column];
    }
  }

  const LuPanel<E>& p_;
  ResidentStorage<E>& storage_;
  PivotExchange<Pivots, clustered> exchange_;
  PanelRow at_;
  Numerator sum_[columns];  ///< for columns from the step's column on
  E value_{};               ///< element in the step's column
};

template <class E, bool clustered>
__global__ void __launch_bounds__(resident_threads, 1)
    factor_resident_panel_kernel(const __grid_constant__ LuPanel<E> panel, std::uint32_t steps) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  ResidentRows<E, clustered>(panel, steps, *reinterpret_cast<ResidentStorage<E>*>(memory)).run();
}

template <class E>
constexpr PanelKernels<LuPanel<E>> resident_kernels{"a panel of LU", resident_threads,
                                                    factor_resident_panel_kernel<E, true>,
                                                    factor_resident_panel_kernel<E, false>, sizeof(ResidentStorage<E>)};

}  // namespace

template <class E>
int resident_panel_blocks(const DeviceModel& model, Index rows) {
  return model.hopper_kernels ? resident_kernels<E>.blocks(model, rows) : 0;
}

template <class E>
Index resident_panel_words(const DeviceModel& model, Index rows) {
  return exchange_words(resident_panel_blocks<E>(model, rows), pivot_words<CrPivots<E>>);
}

template <class E>
void factor_resident_panel(const DeviceModel& model, const LuPanel<E>& panel, std::uint32_t& steps,
                           cudaStream_t stream) {
  resident_kernels<E>.launch(model, panel.m - panel.first, panel, steps, stream);
  steps += static_cast<std::uint32_t>(panel.width);
}

#define ACCUBLAS_INSTANTIATE(E)                                      \
  template int resident_panel_blocks<E>(const DeviceModel&, Index);  \
  template Index resident_panel_words<E>(const DeviceModel&, Index); \
  template void factor_resident_panel(const DeviceModel&, const LuPanel<E>&, std::uint32_t&, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
