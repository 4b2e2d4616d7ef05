#include <algorithm>
#include <bit>

#include "cuda/core/launch.hpp"
#include "cuda/core/occupancy.hpp"
#include "cuda/core/ptx_hopper.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/factor/plain_arithmetic.hpp"
#include "cuda/factor/plain_panel.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

constexpr int threads = plain_panel_rows, warps = threads / 32, most_in_cluster = 16;
static_assert(most_in_cluster <= warps);  // a warp tells a block
constexpr int nowhere = 0x7FFFFFFF;

/// A row's element as a candidate for the pivot: its size as bits that are ordered as sizes are, and its place among
/// the rows that changed places, from the panel's first row on.
struct alignas(16) Candidate {
  std::uint64_t size;
  int position;
  int row = 0;  ///< where it lies, for those who tell and hear of it
};
constexpr Candidate no_candidate() { return {0, nowhere}; }

/// Of equal sizes the first place.
__device__ __forceinline__ Candidate best_of_warp(const Candidate& mine) {
  const auto high = static_cast<unsigned>(mine.size >> 32);
  const unsigned highest = lanes_max(high);
  const unsigned low = lanes_max(high == highest ? static_cast<unsigned>(mine.size) : 0u);
  const std::uint64_t size = std::uint64_t{highest} << 32 | low;
  return {size, lanes_min(mine.size == size ? mine.position : nowhere)};
}

__device__ __forceinline__ void tell_word(ToldWord* to, std::uint64_t bits, std::uint32_t step) {
  const std::uint64_t tag = std::uint64_t{step} << 32;
  volatile ToldWord* const at = to;
  at->low = tag | (bits & 0xFFFFFFFFu);
  at->high = tag | bits >> 32;
}
/// Waits for it.
__device__ __forceinline__ std::uint64_t hear_word(const ToldWord* from, std::uint32_t step) {
  const volatile ToldWord* const at = from;
  std::uint64_t low, high;
  do {
    low = at->low, high = at->high;
  } while (low >> 32 != step || high >> 32 != step);
  return high << 32 | (low & 0xFFFFFFFFu);
}

template <class E>
struct PanelStorage {
  static constexpr int columns = plain_panel_columns<E>;
  Candidate best[warps];
  alignas(16) E above[columns];  ///< the row of the pivot, from the step's column on
  int position, row;             ///< of the pivot: its place, and where it lies
  int pivot_row[columns];
  /// What blocks of a cluster tell each other for two steps; a block gathers it in `above` and `row`.
  Candidate candidate[2][most_in_cluster];
  alignas(16) E row_above[2][most_in_cluster][columns];
};

/// The row of a step's pivot from the step's column on, for all threads; its place, and where it lies.
template <class E>
struct Pivot {
  const E* above;
  int position, row;
};

/// A thread has a row of A, which stays where it is. Column after column: the elements that the rows have there give
/// each thread block a candidate for the pivot, which it tells the others together with its row; each takes the best.
template <class E, bool clustered>
class PlainPanelRows {
  using T = RealOf<E>;
  static constexpr int columns = plain_panel_columns<E>;

 public:
  __device__ PlainPanelRows(const PlainPanel<E>& panel, std::uint32_t steps, PanelStorage<E>& storage)
      : p_(panel), steps_(steps), storage_(storage), place_(static_cast<int>(blockIdx.x * threads + threadIdx.x)) {}

  __device__ void run() {
    load();
    if constexpr (clustered) meet_cluster();
#pragma unroll 1
    for (int j = 0; j < p_.width; ++j) {
      const Pivot<E> pivot = find_pivot(j);
      note(j, pivot);
      if (open_ && position_ == pivot.position) {
        open_ = false;
        position_ = j;
      } else if (open_ && position_ == j) {
        position_ = pivot.position;
      }
      if (open_) eliminate(j, pivot.above);
    }
    if (blockIdx.x == 0 && threadIdx.x < 32) put_moves();
  }

 private:
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }
  static __device__ int warp() { return static_cast<int>(threadIdx.x) / 32; }

  __device__ void load() {
    open_ = p_.first + place_ < p_.m;
    position_ = place_;
#pragma unroll
    for (int c = 0; c < columns; ++c) row_[c] = open_ && c < p_.width ? p_.a(p_.first + place_, p_.first + c) : E{};
  }

  __device__ Pivot<E> find_pivot(int j) {
    Candidate best = best_of_warp(open_ ? Candidate{size_bits(row_[0]), position_} : no_candidate());
    if (lane() == 0) storage_.best[warp()] = best;
    __syncthreads();
    best = best_of_warp(lane() < warps ? storage_.best[lane()] : no_candidate());
    const bool mine = open_ && position_ == best.position;
    if constexpr (clustered) return exchange_in_cluster(j, best, mine);
    if (gridDim.x == 1) {
      if (mine) put_row(j);
    } else {
      if (mine) tell(j, best);
      __syncwarp();
      if (warp() == 0) listen(j);
    }
    __syncthreads();
    return {storage_.above, storage_.position, storage_.row};
  }
  __device__ void put_row(int j) {
    for_columns_left(j, [&](int c) { storage_.above[c] = row_[c]; });
    storage_.position = position_;
    storage_.row = place_;
  }
  /// body(c) for the elements of row_ that are in the panel at step j, and some after them.
  template <class Body>
  __device__ __forceinline__ void for_columns_left(int j, Body&& body) const {
    constexpr int group = 8;
#pragma unroll
    for (int first = 0; first < columns; first += group)
      if (first < p_.width - j)
#pragma unroll
        for (int c = first; c < first + group; ++c) body(c);
  }

  // ---- thread blocks of a grid, through global memory ----

  __device__ std::uint32_t number(int j) const { return steps_ + static_cast<std::uint32_t>(j) + 1; }
  __device__ ToldWord* told_by(int j, int block) const {
    return p_.told + (static_cast<Index>(number(j) % 2) * gridDim.x + block) * told_words;
  }
  __device__ void tell(int j, const Candidate& best) const {
    ToldWord* const to = told_by(j, static_cast<int>(blockIdx.x));
    const std::uint32_t step = number(j);
    tell_word(to, best.size, step);
    tell_word(to + 1, std::uint64_t{static_cast<std::uint32_t>(place_)} << 32 | static_cast<unsigned>(best.position),
              step);
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      std::uint64_t word[words_of<E>];
      to_words(row_[c], word);
#pragma unroll
      for (int w = 0; w < words_of<E>; ++w) tell_word(to + told_header + c * words_of<E> + w, word[w], step);
    }
  }
  /// By a warp: the best candidate, and its row into storage_.
  __device__ void listen(int j) {
    const std::uint32_t step = number(j);
    Candidate best = no_candidate();
    int row = 0;
    for (int b = lane(); b < static_cast<int>(gridDim.x); b += 32) {
      const ToldWord* const from = told_by(j, b);
      const std::uint64_t size = hear_word(from, step), where = hear_word(from + 1, step);
      const int position = static_cast<int>(where & 0xFFFFFFFFu);
      if (size > best.size || (size == best.size && position < best.position)) {
        best = {size, position};
        row = static_cast<int>(where >> 32);
      }
    }
    const Candidate winner = best_of_warp(best);
    const unsigned has_it = __ballot_sync(0xFFFFFFFFu, best.position == winner.position);
    row = __shfl_sync(0xFFFFFFFFu, row, __ffs(static_cast<int>(has_it)) - 1);
    const std::uint64_t word = hear_word(told_by(j, row / threads) + told_header + lane(), step);
    put_word(storage_.above, lane(), word);
    if (lane() == 0) storage_.position = winner.position, storage_.row = row;
  }

  // ---- thread blocks of a cluster, through each other's shared memory ----

  __device__ Pivot<E> exchange_in_cluster(int j, const Candidate& best, bool mine) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    const int rank = static_cast<int>(blockIdx.x), size = static_cast<int>(gridDim.x);
    if (mine) put_row(j);
    __syncthreads();
    if (warp() < size) {
      PanelStorage<E>& other = *static_cast<PanelStorage<E>*>(__cluster_map_shared_rank(&storage_, warp()));
      if (lane() < p_.width - j) other.row_above[j % 2][rank][lane()] = storage_.above[lane()];
      if (lane() == 0) other.candidate[j % 2][rank] = {best.size, best.position, storage_.row};
    }
    meet_cluster();
    const Candidate told = lane() < size ? storage_.candidate[j % 2][lane()] : no_candidate();
    const Candidate winner = best_of_warp(told);
    const unsigned has_it = __ballot_sync(0xFFFFFFFFu, told.position == winner.position);
    const int who = __ffs(static_cast<int>(has_it)) - 1;
    return {storage_.row_above[j % 2][who], winner.position, __shfl_sync(0xFFFFFFFFu, told.row, who)};
#else
    return {};
#endif
  }
  __device__ static void meet_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    ptx::cluster_sync();
#endif
  }

  // ---- a step ----

  /// The pivot, by the first thread block; its row of U, which lies where the row does, by the block that has it.
  __device__ void note(int j, const Pivot<E>& pivot) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      storage_.pivot_row[j] = pivot.row;
      p_.pivots[p_.first + j] = p_.first + pivot.position + 1;
      if (pivot.above[0] == T(0) && *p_.info == 0) *p_.info = p_.first + j + 1;
    }
    if (pivot.row / threads == static_cast<int>(blockIdx.x) && warp() == warps - 1 && lane() < p_.width - j)
      p_.a(p_.first + pivot.row, p_.first + j + lane()) = pivot.above[lane()];
  }

  /// Column j of L; the row's next element comes first.
  __device__ void eliminate(int j, const E* above) {
    const E pivot = above[0], l = pivot == T(0) ? row_[0] : quotient(row_[0], pivot);
    p_.a(p_.first + place_, p_.first + j) = l;
    for_columns_left(j, [&](int c) {
      if (c > 0) row_[c - 1] = less_product(row_[c], l, above[c]);
    });
  }

  /// By a warp that has the first rows of the panel: the pivots go to their places, and what stood there to the
  /// pivots'.
  __device__ void put_moves() {
    __syncwarp();
    const int from = lane() < p_.width ? storage_.pivot_row[lane()] : lane();
    const bool in = from != lane(), out = open_ && position_ != place_;
    const unsigned ins = __ballot_sync(0xFFFFFFFFu, in), outs = __ballot_sync(0xFFFFFFFFu, out),
                   before = (1u << lane()) - 1;
    if (in) put_move(__popc(ins & before), from, lane());
    if (out) put_move(__popc(ins) + __popc(outs & before), place_, position_);
    if (lane() == 0) p_.moves->count = __popc(ins) + __popc(outs);
  }
  __device__ void put_move(int at, int from, int to) const {
    p_.moves->source[at] = p_.first + from;
    p_.moves->target[at] = p_.first + to;
  }

  const PlainPanel<E>& p_;
  const std::uint32_t steps_;
  PanelStorage<E>& storage_;
  const int place_;  ///< of the row, from the panel's first on
  int position_ = 0;
  bool open_ = false;  ///< it has not been the pivot's
  E row_[columns];     ///< from the step's column on
};

template <class E, bool clustered>
__global__ void __launch_bounds__(threads, 1)
    factor_plain_panel_kernel(const __grid_constant__ PlainPanel<E> panel, std::uint32_t steps) {
  await_predecessor();
  __shared__ alignas(16) unsigned char memory[sizeof(PanelStorage<E>)];
  PlainPanelRows<E, clustered>(panel, steps, *reinterpret_cast<PanelStorage<E>*>(memory)).run();
}

/// Whether clusters of 16 blocks find room: 8 are promised, more a kernel must ask for.
template <class E>
bool has_clusters(const DeviceModel& model) {
  if (!model.hopper_kernels) return false;
  const auto kernel = factor_plain_panel_kernel<E, true>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "a panel of LU");
  return resident_blocks(model, "a panel of LU", kernel, {1, threads, 0, most_in_cluster}) > 0;
}

}  // namespace

template <class E>
int plain_panel_blocks(const DeviceModel& model, Index rows) {
  const Index blocks = ceil_div(rows, Index{threads});
  const int resident = resident_blocks(model, "a panel of LU", factor_plain_panel_kernel<E, false>, {1, threads});
  return blocks <= resident ? static_cast<int>(blocks) : 0;
}

template <class E>
void factor_panel(const DeviceModel& model, const PlainPanel<E>& panel, std::uint32_t& steps, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_div(panel.m - panel.first, Index{threads}));
  if (blocks > 1 && blocks <= most_in_cluster && has_clusters<E>(model)) {
    const unsigned size = std::bit_ceil(blocks);
    launch(model, "a panel of LU", factor_plain_panel_kernel<E, true>, {size, threads, 0, static_cast<int>(size)},
           stream, panel, steps);
  } else {
    launch(model, "a panel of LU", factor_plain_panel_kernel<E, false>, {blocks, threads, 0, 1, blocks > 1}, stream,
           panel, steps);
  }
  steps += static_cast<std::uint32_t>(panel.width);
}

#define ACCUBLAS_INSTANTIATE(E)                                  \
  template int plain_panel_blocks<E>(const DeviceModel&, Index); \
  template void factor_panel(const DeviceModel&, const PlainPanel<E>&, std::uint32_t&, cudaStream_t);
ACCUBLAS_INSTANTIATE(double)
ACCUBLAS_INSTANTIATE(float)
ACCUBLAS_INSTANTIATE(Complex<double>)
ACCUBLAS_INSTANTIATE(Complex<float>)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
