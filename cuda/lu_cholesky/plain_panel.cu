#include "cuda/core/launch.hpp"
#include "cuda/core/panel_launch.hpp"
#include "cuda/lu_cholesky/panel_pivots.hpp"
#include "cuda/lu_cholesky/plain_arithmetic.hpp"
#include "cuda/lu_cholesky/plain_panel.hpp"

namespace accublas::cuda {
namespace {

constexpr int threads = plain_panel_rows;

/// The parameters of the pivot exchange (cuda/lu_cholesky/panel_pivots.hpp); a row is published from the step's column
/// on.
template <class E>
struct PlainPivots {
  using Number = E;
  using Inverse = RealOf<E>;
  static constexpr int columns = plain_panel_columns<E>, rows = threads;
  static __device__ Inverse inverse(const E* row, int) { return inverse_of(row[0]); }
};

/// A thread has a row of A, which stays in place. The columns are processed one after the other. The rows' elements in
/// a column give each thread block a candidate for the pivot. The block publishes it together with its row, and each
/// block picks the best. A step subtracts from whole rows, but the next step's candidates need only the first element,
/// and their row the others. The other rows are updated while messages are in flight.
template <class E, bool clustered>
class PlainPanelRows {
  using T = RealOf<E>;
  using Pivots = PlainPivots<E>;
  using Message = PivotMessage<Pivots>;
  static constexpr int columns = plain_panel_columns<E>;

 public:
  __device__ PlainPanelRows(const PlainPanel<E>& panel, std::uint32_t steps, PivotStorage<Pivots>& storage)
      : p_(panel), storage_(storage), exchange_(panel.words, steps, storage) {}

  __device__ void run() {
    load();
    exchange_.open();
#pragma unroll 1
    for (int j = 0; j < p_.width; ++j) {
      const PivotPlace best = exchange_.best_of_block(j, at_.candidate(size_bits(row_[0])));
      const bool mine = at_.open && at_.position == best.position;
      // A block without pending rows publishes that it has no candidate.
      const bool publishes = __any_sync(0xFFFFFFFFu, mine) || (best.position == nowhere && warp() == 0);
      const T inverse = publishes ? inverse_of(row_[0]) : T(0);
      subtract(j);
      if (publishes) {
        if (mine || (best.position == nowhere && lane() == 0)) make_message(exchange_.outgoing(j), best, inverse);
        __syncwarp();
        exchange_.send(j);
      }
      const Message& pivot = exchange_.receive(j);
      note(j, pivot);
      at_.exchange(j, pivot.place.position);
      eliminate(j, pivot);
    }
    exchange_.close();
    if (blockIdx.x == 0 && threadIdx.x < 32) put_moves(*p_.moves, p_.first, p_.width, storage_.pivot_row, at_);
  }

 private:
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }
  static __device__ int warp() { return static_cast<int>(threadIdx.x) / 32; }

  __device__ void load() {
    at_.place = at_.position = static_cast<int>(blockIdx.x * threads + threadIdx.x);
    at_.open = p_.first + at_.place < p_.m;
#pragma unroll
    for (int c = 0; c < columns; ++c)
      row_[c] = at_.open && c < p_.width ? p_.a(p_.first + at_.place, p_.first + c) : E{};
  }

  __device__ void make_message(Message& message, const PivotPlace& best, T inverse) const {
#pragma unroll
    for (int c = 0; c < columns; ++c) message.row[c] = row_[c];
    message.place = {best.size, best.position, at_.place};
    message.inverse = inverse;
  }

  /// Records the pivot (by the first thread block), and stores its row of U in the pivot row's memory (by the block
  /// that has the row).
  __device__ void note(int j, const Message& pivot) {
    const int row = pivot.place.row;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      storage_.pivot_row[j] = row;
      p_.pivots[p_.first + j] = p_.first + pivot.place.position + 1;
      if (pivot.row[0] == T(0) && *p_.info == 0) *p_.info = p_.first + j + 1;
    }
    if (row / threads == static_cast<int>(blockIdx.x) && warp() == threads / 32 - 1 && lane() < p_.width - j)
      p_.a(p_.first + row, p_.first + j + lane()) = pivot.row[lane()];
  }

  /// Computes column j of L, and the row's next element; the elements to the right wait for subtract(j + 1).
  __device__ void eliminate(int j, const Message& pivot) {
    above_ = pivot.row;
    if (!at_.open) return;
    l_ = pivot.row[0] == T(0) ? row_[0] : quotient(row_[0], pivot.row[0], pivot.inverse);
    p_.a(p_.first + at_.place, p_.first + j) = l_;
    row_[0] = less_product(row_[1], l_, pivot.row[1]);
  }
  /// Subtracts the contribution of step j - 1 from the row's elements in the panel, and from some beyond its end.
  __device__ void subtract(int j) {
    if (j == 0 || !at_.open) return;
    constexpr int group = 8;
#pragma unroll
    for (int first = 0; first < columns; first += group)
      if (first <= p_.width - j)
#pragma unroll
        for (int c = first; c < first + group; ++c)
          if (c > 1) row_[c - 1] = less_product(row_[c], l_, above_[c]);
  }

  const PlainPanel<E>& p_;
  PivotStorage<Pivots>& storage_;
  PivotExchange<Pivots, clustered> exchange_;
  PanelRow at_;
  E row_[columns];            ///< elements from the step's column on
  E l_{};                     ///< element of L of the last step
  const E* above_ = nullptr;  ///< row of the last step's pivot
};

template <class E, bool clustered>
__global__ void __launch_bounds__(threads, 1)
    factor_plain_panel_kernel(const __grid_constant__ PlainPanel<E> panel, std::uint32_t steps) {
  await_predecessor();
  __shared__ alignas(16) unsigned char memory[sizeof(PivotStorage<PlainPivots<E>>)];
  PlainPanelRows<E, clustered>(panel, steps, *reinterpret_cast<PivotStorage<PlainPivots<E>>*>(memory)).run();
}

template <class E>
constexpr PanelKernels<PlainPanel<E>> kernels{"a panel of LU", threads, factor_plain_panel_kernel<E, true>,
                                              factor_plain_panel_kernel<E, false>};

}  // namespace

template <class E>
int plain_panel_blocks(const DeviceModel& model, Index rows) {
  return kernels<E>.blocks(model, rows);
}

template <class E>
Index plain_panel_words(const DeviceModel& model, Index rows) {
  return exchange_words(plain_panel_blocks<E>(model, rows), pivot_words<PlainPivots<E>>);
}

template <class E>
void factor_panel(const DeviceModel& model, const PlainPanel<E>& panel, std::uint32_t& steps, cudaStream_t stream) {
  kernels<E>.launch(model, panel.m - panel.first, panel, steps, stream);
  steps += static_cast<std::uint32_t>(panel.width);
}

#define ACCUBLAS_INSTANTIATE(E)                                   \
  template int plain_panel_blocks<E>(const DeviceModel&, Index);  \
  template Index plain_panel_words<E>(const DeviceModel&, Index); \
  template void factor_panel(const DeviceModel&, const PlainPanel<E>&, std::uint32_t&, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
