#include <algorithm>

#include "cuda/core/launch.hpp"
#include "cuda/core/ptx_hopper.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/factor/panel_launch.hpp"
#include "cuda/factor/plain_arithmetic.hpp"
#include "cuda/factor/plain_panel.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

constexpr int threads = plain_panel_rows, warps = threads / 32;
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

/// Of equal sizes the first place. Where the best one lies stays behind.
__device__ __forceinline__ Candidate best_of_warp(const Candidate& mine) {
  const auto high = static_cast<unsigned>(mine.size >> 32);
  const unsigned highest = lanes_max(high);
  const unsigned low = lanes_max(high == highest ? static_cast<unsigned>(mine.size) : 0u);
  const std::uint64_t size = std::uint64_t{highest} << 32 | low;
  return {size, lanes_min(mine.size == size ? mine.position : nowhere)};
}

/// With where it lies.
__device__ __forceinline__ Candidate winner_of_warp(const Candidate& mine) {
  Candidate winner = best_of_warp(mine);
  const unsigned has_it = __ballot_sync(0xFFFFFFFFu, mine.position == winner.position);
  winner.row = __shfl_sync(0xFFFFFFFFu, mine.row, __ffs(static_cast<int>(has_it)) - 1);
  return winner;
}

/// What a thread block tells the others of its candidate in a step; the winner's is the pivot.
template <class E>
struct alignas(16) Message {
  E row[plain_panel_columns<E>];  ///< from the step's column on
  Candidate candidate;
  RealOf<E> inverse;  ///< inverse_of(row[0])
};

template <class E>
struct PanelStorage {
  static constexpr int messages = 3;  ///< of a block, for as many steps
  Candidate best[warps];
  Message<E> pivot[2];  ///< of one step after the other, where one block has it or gathers it from a grid
  int pivot_row[plain_panel_columns<E>];
  // Of clusters.
  Message<E> outgoing, incoming[messages][most_in_cluster];
  alignas(8) std::uint64_t arrived[messages];
};

/// A thread has a row of A, which stays where it is. Column after column: the elements that the rows have there give
/// each thread block a candidate for the pivot, which it tells the others together with its row; each takes the best.
/// Of what a step subtracts from a row, the next step's candidates wait for the first element alone, and their row for
/// the others; the remaining rows have those subtracted while messages are on their way.
template <class E, bool clustered>
class PlainPanelRows {
  using T = RealOf<E>;
  using Storage = PanelStorage<E>;
  static constexpr int columns = plain_panel_columns<E>;

 public:
  __device__ PlainPanelRows(const PlainPanel<E>& panel, std::uint32_t steps, Storage& storage)
      : p_(panel), steps_(steps), storage_(storage), place_(static_cast<int>(blockIdx.x * threads + threadIdx.x)) {}

  __device__ void run() {
    load();
    if constexpr (clustered) open_mailboxes();
#pragma unroll 1
    for (int j = 0; j < p_.width; ++j) {
      const Candidate best = best_of_block();
      const bool mine = open_ && position_ == best.position;
      // A block whose rows have all been pivots' says so.
      const bool tells = __any_sync(0xFFFFFFFFu, mine) || (best.position == nowhere && warp() == 0);
      const T inverse = tells ? inverse_of(row_[0]) : T(0);
      subtract(j);
      if (tells) {
        if (mine || (best.position == nowhere && lane() == 0)) make_message(outgoing(j), best, inverse);
        __syncwarp();
        send(j);
      }
      const Message<E>& pivot = receive(j);
      const int position = pivot.candidate.position;
      note(j, pivot);
      if (open_ && position_ == position) {
        open_ = false;
        position_ = j;
      } else if (open_ && position_ == j) {
        position_ = position;
      }
      eliminate(j, pivot);
    }
    if constexpr (clustered) meet_cluster();  // who is still written to must be there
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

  __device__ Candidate best_of_block() {
    const Candidate best = best_of_warp(open_ ? Candidate{size_bits(row_[0]), position_} : no_candidate());
    if (lane() == 0) storage_.best[warp()] = best;
    __syncthreads();
    return best_of_warp(lane() < warps ? storage_.best[lane()] : no_candidate());
  }
  __device__ void make_message(Message<E>& message, const Candidate& best, T inverse) const {
#pragma unroll
    for (int c = 0; c < columns; ++c) message.row[c] = row_[c];
    message.candidate = {best.size, best.position, place_};
    message.inverse = inverse;
  }
  __device__ Message<E>& outgoing(int j) { return clustered ? storage_.outgoing : storage_.pivot[j % 2]; }
  /// By the warp that made it.
  __device__ void send(int j) {
    if constexpr (clustered)
      send_in_cluster(j);
    else if (gridDim.x > 1)
      tell(j);
  }
  /// The pivot's, for all threads.
  __device__ const Message<E>& receive(int j) {
    if constexpr (clustered) return receive_in_cluster(j);
    // What this block has told lies where the pivot will.
    if (gridDim.x > 1) {
      __syncthreads();
      if (warp() == 0) listen(j);
    }
    __syncthreads();
    return storage_.pivot[j % 2];
  }
  // ---- thread blocks of a grid, through global memory ----

  __device__ std::uint32_t number(int j) const { return steps_ + static_cast<std::uint32_t>(j) + 1; }
  __device__ ToldWord* told_by(int j, int block) const {
    return p_.told + (static_cast<Index>(number(j) % 2) * gridDim.x + block) * told_words;
  }
  __device__ void tell(int j) const {
    ToldWord* const to = told_by(j, static_cast<int>(blockIdx.x));
    const Message<E>& message = storage_.pivot[j % 2];
    const std::uint32_t step = number(j);
    if (lane() == 0) {
      tell_word(to, message.candidate.size, step);
      tell_word(to + 1,
                std::uint64_t{static_cast<std::uint32_t>(message.candidate.row)} << 32 |
                    static_cast<unsigned>(message.candidate.position),
                step);
    }
    if (lane() < columns * words_of<E>) tell_word(to + told_header + lane(), word_of(message.row, lane()), step);
  }
  /// By a warp: the best candidate, and its row into storage_.
  __device__ void listen(int j) {
    const std::uint32_t step = number(j);
    Message<E>& pivot = storage_.pivot[j % 2];
    Candidate best = no_candidate();
    for (int b = lane(); b < static_cast<int>(gridDim.x); b += 32) {
      const ToldWord* const from = told_by(j, b);
      const std::uint64_t size = hear_word(from, step), where = hear_word(from + 1, step);
      const int position = static_cast<int>(where & 0xFFFFFFFFu);
      if (size > best.size || (size == best.size && position < best.position))
        best = {size, position, static_cast<int>(where >> 32)};
    }
    const Candidate winner = winner_of_warp(best);
    if (lane() < columns * words_of<E>)
      put_word(pivot.row, lane(), hear_word(told_by(j, winner.row / threads) + told_header + lane(), step));
    __syncwarp();
    if (lane() == 0) pivot.candidate = winner, pivot.inverse = inverse_of(pivot.row[0]);
  }

  // ---- thread blocks of a cluster, into each other's shared memory ----

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __device__ void open_mailboxes() {
    if (threadIdx.x == 0) {
      for (int i = 0; i < Storage::messages; ++i) ptx::barrier_init(ptx::shared_address(&storage_.arrived[i]), 1);
      ptx::publish_barriers();
    }
    meet_cluster();
  }
  /// To all, itself among them. A block writes over messages of three steps before: all that it has heard of the last
  /// one were sent after their senders had read those.
  __device__ void send_in_cluster(int j) {
    const int box = j % Storage::messages;
    constexpr int pieces = sizeof(Message<E>) / 16;
    static_assert(pieces <= 32);
    if (lane() >= pieces) return;
    const uint4 piece = reinterpret_cast<const uint4*>(&storage_.outgoing)[lane()];
    const std::uint32_t to = ptx::shared_address(&storage_.incoming[box][blockIdx.x]) + 16 * lane(),
                        arrived = ptx::shared_address(&storage_.arrived[box]);
    for (unsigned rank = 0; rank < gridDim.x; ++rank) ptx::store_to_peer(to, piece, arrived, rank);
  }
  __device__ const Message<E>& receive_in_cluster(int j) {
    const int box = j % Storage::messages, size = static_cast<int>(gridDim.x);
    const std::uint32_t arrived = ptx::shared_address(&storage_.arrived[box]);
    if (threadIdx.x == 0) ptx::barrier_expect(arrived, size * static_cast<int>(sizeof(Message<E>)));
    ptx::barrier_wait(arrived, j / Storage::messages % 2);
    const Candidate winner = winner_of_warp(lane() < size ? storage_.incoming[box][lane()].candidate : no_candidate());
    return storage_.incoming[box][winner.row / threads];
  }
  __device__ static void meet_cluster() { ptx::cluster_sync(); }
#else
  __device__ void open_mailboxes() {}
  __device__ void send_in_cluster(int) {}
  __device__ const Message<E>& receive_in_cluster(int) { return storage_.outgoing; }
  __device__ static void meet_cluster() {}
#endif

  // ---- a step ----

  /// The pivot, by the first thread block; its row of U, which lies where the row does, by the block that has it.
  __device__ void note(int j, const Message<E>& pivot) {
    const int row = pivot.candidate.row;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      storage_.pivot_row[j] = row;
      p_.pivots[p_.first + j] = p_.first + pivot.candidate.position + 1;
      if (pivot.row[0] == T(0) && *p_.info == 0) *p_.info = p_.first + j + 1;
    }
    if (row / threads == static_cast<int>(blockIdx.x) && warp() == warps - 1 && lane() < p_.width - j)
      p_.a(p_.first + row, p_.first + j + lane()) = pivot.row[lane()];
  }

  /// Column j of L, and the row's next element; what is right of that waits for subtract(j + 1).
  __device__ void eliminate(int j, const Message<E>& pivot) {
    above_ = pivot.row;
    if (!open_) return;
    l_ = pivot.row[0] == T(0) ? row_[0] : quotient(row_[0], pivot.row[0], pivot.inverse);
    p_.a(p_.first + place_, p_.first + j) = l_;
    row_[0] = less_product(row_[1], l_, pivot.row[1]);
  }
  /// What step j - 1 left: from the elements in the panel, and some after them.
  __device__ void subtract(int j) {
    if (j == 0 || !open_) return;
    constexpr int group = 8;
#pragma unroll
    for (int first = 0; first < columns; first += group)
      if (first <= p_.width - j)
#pragma unroll
        for (int c = first; c < first + group; ++c)
          if (c > 1) row_[c - 1] = less_product(row_[c], l_, above_[c]);
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
  Storage& storage_;
  const int place_;  ///< of the row, from the panel's first on
  int position_ = 0;
  bool open_ = false;         ///< it has not been the pivot's
  E row_[columns];            ///< from the step's column on
  E l_{};                     ///< of the last step,
  const E* above_ = nullptr;  ///< and the row of its pivot
};

template <class E, bool clustered>
__global__ void __launch_bounds__(threads, 1)
    factor_plain_panel_kernel(const __grid_constant__ PlainPanel<E> panel, std::uint32_t steps) {
  await_predecessor();
  __shared__ alignas(16) unsigned char memory[sizeof(PanelStorage<E>)];
  PlainPanelRows<E, clustered>(panel, steps, *reinterpret_cast<PanelStorage<E>*>(memory)).run();
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
void factor_panel(const DeviceModel& model, const PlainPanel<E>& panel, std::uint32_t& steps, cudaStream_t stream) {
  kernels<E>.launch(model, panel.m - panel.first, panel, steps, stream);
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
