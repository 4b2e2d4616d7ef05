#include "cuda/core/launch.hpp"
#include "cuda/core/panel_launch.hpp"
#include "cuda/lu_cholesky/resident_elements.hpp"

namespace accublas::cuda {
namespace {

/// A thread has a row of A, which stays in place, and minus the numerators of its next elements, for a group of columns
/// at a time. As soon as a pivot is known its contribution is added to all of them, so that the next column's
/// numerators are complete. After a group each thread block computes the pivots' rows to the right of it for itself,
/// and adds the contributions of the whole panel to the next group's numerators.
template <class E, bool clustered>
class ResidentRows {
  using T = RealOf<E>;
  using Pivots = CrPivots<E>;
  using Message = PivotMessage<Pivots>;
  static constexpr int parts = parts_of<E>, columns = resident_group<E>;
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
  /// Rounds the row's element in `column`, whose numerator is the first of sum_, or notes that it is undecided.
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
