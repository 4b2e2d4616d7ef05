// How the thread blocks of a panel of LU, a row a thread, agree on its pivots: each tells the others its candidate
// together with the row that this lies in, and each takes the best. For .cu files.
#pragma once

#include <cstdint>

#include "cuda/core/ptx_hopper.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/factor/lu_panel.hpp"
#include "cuda/factor/panel_launch.hpp"
#include "cuda/factor/plain_arithmetic.hpp"
#include "cuda/factor/told_words.hpp"

namespace accublas::cuda {

inline constexpr int nowhere = 0x7FFFFFFF;

/// A row's element as a candidate for the pivot: its size as bits that are ordered as sizes are, and its place among
/// the rows that changed places, from the panel's first row on.
struct alignas(16) PivotPlace {
  std::uint64_t size;
  int position;
  int row = 0;  ///< where it lies, for those who tell and hear of it
};

#ifdef __CUDACC__

__device__ constexpr PivotPlace no_pivot() { return {0, nowhere}; }

/// Of equal sizes the first place. Where the best one lies stays behind.
__device__ __forceinline__ PivotPlace best_of_warp(const PivotPlace& mine) {
  const auto high = static_cast<unsigned>(mine.size >> 32);
  const unsigned highest = lanes_max(high);
  const unsigned low = lanes_max(high == highest ? static_cast<unsigned>(mine.size) : 0u);
  const std::uint64_t size = std::uint64_t{highest} << 32 | low;
  return {size, lanes_min(mine.size == size ? mine.position : nowhere)};
}

/// With where it lies.
__device__ __forceinline__ PivotPlace winner_of_warp(const PivotPlace& mine) {
  PivotPlace winner = best_of_warp(mine);
  const unsigned has_it = __ballot_sync(0xFFFFFFFFu, mine.position == winner.position);
  winner.row = __shfl_sync(0xFFFFFFFFu, mine.row, __ffs(static_cast<int>(has_it)) - 1);
  return winner;
}

/// `Panel`: Number of the matrix; Inverse, and inverse(row, j), what quotients by the pivot of step j need beside its
/// row; columns of a row that is told; rows of a thread block.
template <class Panel>
struct alignas(16) PivotMessage {
  typename Panel::Number row[Panel::columns];
  PivotPlace place;
  typename Panel::Inverse inverse;
};

template <class Panel>
struct PivotStorage {
  static constexpr int warps = Panel::rows / 32, messages = 3;  ///< of a block, for as many steps
  PivotPlace best[2][warps];     ///< of one step after the other: in a cluster a warp may be a step ahead of another
  PivotMessage<Panel> pivot[2];  ///< of one step after the other, where one block has it or gathers it from a grid
  int pivot_row[Panel::columns];
  // Of clusters.
  PivotMessage<Panel> outgoing, incoming[messages][most_in_cluster];
  alignas(8) std::uint64_t arrived[messages];
};

/// Steps are numbered from 0 on in a panel, and `steps` came before in others.
template <class Panel, bool clustered>
class PivotExchange {
  using E = typename Panel::Number;
  using Message = PivotMessage<Panel>;
  using Storage = PivotStorage<Panel>;
  static constexpr int warps = Storage::warps, words = Panel::columns * words_of<E>;

 public:
  __device__ PivotExchange(ToldWord* told, std::uint32_t steps, Storage& storage)
      : told_(told), steps_(steps), storage_(storage) {}

  __device__ void open() {
    if constexpr (clustered) open_mailboxes();
  }
  /// Who is still written to must be there.
  __device__ void close() {
    if constexpr (clustered) meet_cluster();
  }

  /// Of all threads' candidates of a step, for all.
  __device__ PivotPlace best_of_block(int j, const PivotPlace& mine) {
    PivotPlace* const of_warps = storage_.best[j % 2];
    const PivotPlace best = best_of_warp(mine);
    if (lane() == 0) of_warps[warp()] = best;
    __syncthreads();
    return best_of_warp(lane() < warps ? of_warps[lane()] : no_pivot());
  }
  /// Where a block has its message for a step, which one of its warps makes and sends.
  __device__ Message& outgoing(int j) { return clustered ? storage_.outgoing : storage_.pivot[j % 2]; }
  /// By that warp.
  __device__ void send(int j) {
    if constexpr (clustered)
      send_in_cluster(j);
    else if (gridDim.x > 1)
      tell(j);
  }
  /// The pivot's, for all threads.
  __device__ const Message& receive(int j) {
    if constexpr (clustered) return receive_in_cluster(j);
    // What this block has told lies where the pivot will.
    if (gridDim.x > 1) {
      __syncthreads();
      if (warp() == 0) listen(j);
    }
    __syncthreads();
    return storage_.pivot[j % 2];
  }

 private:
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }
  static __device__ int warp() { return static_cast<int>(threadIdx.x) / 32; }

  // ---- thread blocks of a grid, through global memory ----

  __device__ std::uint32_t number(int j) const { return steps_ + static_cast<std::uint32_t>(j) + 1; }
  __device__ ToldWord* told_by(int j, int block) const {
    return told_ + (static_cast<Index>(number(j) % 2) * gridDim.x + block) * told_words<E, Panel::columns>;
  }
  __device__ void tell(int j) const {
    ToldWord* const to = told_by(j, static_cast<int>(blockIdx.x));
    const Message& message = storage_.pivot[j % 2];
    const std::uint32_t step = number(j);
    if (lane() == 0) {
      tell_word(to, message.place.size, step);
      tell_word(to + 1,
                std::uint64_t{static_cast<std::uint32_t>(message.place.row)} << 32 |
                    static_cast<unsigned>(message.place.position),
                step);
    }
    for (int i = lane(); i < words; i += 32) tell_word(to + told_header + i, word_of(message.row, i), step);
  }
  /// By a warp: the best candidate, and its row into storage_.
  __device__ void listen(int j) {
    const std::uint32_t step = number(j);
    Message& pivot = storage_.pivot[j % 2];
    PivotPlace best = no_pivot();
    for (int b = lane(); b < static_cast<int>(gridDim.x); b += 32) {
      const ToldWord* const from = told_by(j, b);
      const std::uint64_t size = hear_word(from, step), where = hear_word(from + 1, step);
      const int position = static_cast<int>(where & 0xFFFFFFFFu);
      if (size > best.size || (size == best.size && position < best.position))
        best = {size, position, static_cast<int>(where >> 32)};
    }
    const PivotPlace winner = winner_of_warp(best);
    for (int i = lane(); i < words; i += 32)
      put_word(pivot.row, i, hear_word(told_by(j, winner.row / Panel::rows) + told_header + i, step));
    __syncwarp();
    if (lane() == 0) pivot.place = winner, pivot.inverse = Panel::inverse(pivot.row, j);
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
    constexpr int pieces = sizeof(Message) / 16;
    const std::uint32_t to = ptx::shared_address(&storage_.incoming[box][blockIdx.x]),
                        arrived = ptx::shared_address(&storage_.arrived[box]);
    for (int at = lane(); at < pieces; at += 32) {
      const uint4 piece = reinterpret_cast<const uint4*>(&storage_.outgoing)[at];
      for (unsigned rank = 0; rank < gridDim.x; ++rank) ptx::store_to_peer(to + 16 * at, piece, arrived, rank);
    }
  }
  __device__ const Message& receive_in_cluster(int j) {
    const int box = j % Storage::messages, size = static_cast<int>(gridDim.x);
    const std::uint32_t arrived = ptx::shared_address(&storage_.arrived[box]);
    if (threadIdx.x == 0) ptx::barrier_expect(arrived, size * static_cast<int>(sizeof(Message)));
    ptx::barrier_wait(arrived, j / Storage::messages % 2);
    const PivotPlace winner = winner_of_warp(lane() < size ? storage_.incoming[box][lane()].place : no_pivot());
    return storage_.incoming[box][winner.row / Panel::rows];
  }
  __device__ static void meet_cluster() { ptx::cluster_sync(); }
#else
  __device__ void open_mailboxes() {}
  __device__ void send_in_cluster(int) {}
  __device__ const Message& receive_in_cluster(int) { return storage_.outgoing; }
  __device__ static void meet_cluster() {}
#endif

  ToldWord* const told_;
  const std::uint32_t steps_;
  Storage& storage_;
};

/// A thread's row of a panel: where it lies from the panel's first one on, where it belongs, and whether it has not
/// been a pivot's.
struct PanelRow {
  int place, position;
  bool open;

  __device__ PivotPlace candidate(std::uint64_t size) const { return open ? PivotPlace{size, position} : no_pivot(); }
  /// The pivot of step j comes from that position.
  __device__ void exchange(int j, int with) {
    if (open && position == with) {
      open = false;
      position = j;
    } else if (open && position == j) {
      position = with;
    }
  }
};

/// By a warp that has the first rows of a panel of so many columns: the pivots, which lie in pivot_row, go to their
/// places, and what stood there to the pivots'.
__device__ inline void put_moves(RowMoves& moves, Index first, int width, const int* pivot_row, const PanelRow& row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  __syncwarp();
  const auto put = [&](int at, int from, int to) { moves.source[at] = first + from, moves.target[at] = first + to; };
  const int from = lane < width ? pivot_row[lane] : lane;
  const bool in = from != lane, out = row.open && row.position != row.place;
  const unsigned ins = __ballot_sync(0xFFFFFFFFu, in), outs = __ballot_sync(0xFFFFFFFFu, out),
                 before = (1u << lane) - 1;
  if (in) put(__popc(ins & before), from, lane);
  if (out) put(__popc(ins) + __popc(outs & before), row.place, row.position);
  if (lane == 0) moves.count = __popc(ins) + __popc(outs);
}

#endif

}  // namespace accublas::cuda
