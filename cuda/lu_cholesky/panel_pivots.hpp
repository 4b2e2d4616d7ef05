// The thread blocks of a panel of LU, with a row a thread, agree on its pivots here. Each block publishes its candidate
// together with the row that holds it, and each block picks the best. For .cu files.
#pragma once

#include <cstdint>
#include <cstring>

#include "cuda/core/grid_exchange.hpp"
#include "cuda/core/panel_launch.hpp"
#include "cuda/core/ptx_hopper.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/lu_cholesky/plain_arithmetic.hpp"
#include "cuda/lu_cholesky/row_moves.hpp"

namespace accublas::cuda {

inline constexpr int nowhere = 0x7FFFFFFF;

/// The number of 64-bit words that hold a number of type E.
template <class E>
inline constexpr int words_of_number = sizeof(E) > 8 ? 2 : 1;

/// A thread block publishes two words about its candidate in a step, followed by the row that holds it.
inline constexpr int pivot_header = 2;
template <class Panel>
inline constexpr int pivot_words = pivot_header + Panel::columns* words_of_number<typename Panel::Number>;

/// A row's element as a candidate for the pivot. `size` holds bits that are ordered as sizes are. `position` is the
/// position of the row after the exchanges, counted from the panel's first row.
struct alignas(16) PivotPlace {
  std::uint64_t size;
  int position;
  int row = 0;  ///< the row in memory, for blocks that publish or receive the candidate
};

#ifdef __CUDACC__

/// Returns word i of an array of numbers.
template <class E>
__device__ __forceinline__ std::uint64_t word_of(const E* from, int i) {
  constexpr std::size_t bytes = sizeof(E) / words_of_number<E>;
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const unsigned char*>(from) + static_cast<std::size_t>(i) * bytes, bytes);
  return word;
}
template <class E>
__device__ __forceinline__ void put_word(E* to, int i, std::uint64_t word) {
  constexpr std::size_t bytes = sizeof(E) / words_of_number<E>;
  std::memcpy(reinterpret_cast<unsigned char*>(to) + static_cast<std::size_t>(i) * bytes, &word, bytes);
}

__device__ constexpr PivotPlace no_pivot() { return {0, nowhere}; }

/// Returns the best candidate of a warp; of equal sizes the first position wins. The result's `row` is not set.
__device__ __forceinline__ PivotPlace best_of_warp(const PivotPlace& mine) {
  const auto high = static_cast<unsigned>(mine.size >> 32);
  const unsigned highest = lanes_max(high);
  const unsigned low = lanes_max(high == highest ? static_cast<unsigned>(mine.size) : 0u);
  const std::uint64_t size = std::uint64_t{highest} << 32 | low;
  return {size, lanes_min(mine.size == size ? mine.position : nowhere)};
}

/// Returns the best candidate of a warp, including its `row`.
__device__ __forceinline__ PivotPlace winner_of_warp(const PivotPlace& mine) {
  PivotPlace winner = best_of_warp(mine);
  const unsigned has_it = __ballot_sync(0xFFFFFFFFu, mine.position == winner.position);
  winner.row = __shfl_sync(0xFFFFFFFFu, mine.row, __ffs(static_cast<int>(has_it)) - 1);
  return winner;
}

/// The message about a pivot. `Panel` gives the Number of the matrix; Inverse, and inverse(row, j), which quotients by
/// the pivot of step j need in addition to its row; the columns of a published row; the rows of a thread block.
template <class Panel>
struct alignas(16) PivotMessage {
  typename Panel::Number row[Panel::columns];
  PivotPlace place;
  typename Panel::Inverse inverse;
};

template <class Panel>
struct PivotStorage {
  /// warps of a block; a cluster keeps messages of this many steps
  static constexpr int warps = Panel::rows / 32, messages = 3;
  PivotPlace best[2][warps];     ///< double-buffered by step: in a cluster a warp may be a step ahead of another
  PivotMessage<Panel> pivot[2];  ///< double-buffered by step; used if one block has the pivot or gathers it from a grid
  int pivot_row[Panel::columns];
  // The following members are used in clusters only.
  PivotMessage<Panel> outgoing, incoming[messages][most_in_cluster];
  alignas(8) std::uint64_t arrived[messages];
};

/// Exchanges pivots between thread blocks. Steps are numbered from 0 on in a panel; `steps` of them came before in
/// other panels.
template <class Panel, bool clustered>
class PivotExchange {
  using E = typename Panel::Number;
  using Message = PivotMessage<Panel>;
  using Storage = PivotStorage<Panel>;
  static constexpr int warps = Storage::warps, row_words = Panel::columns * words_of_number<E>;

 public:
  __device__ PivotExchange(FlaggedWord* words, std::uint32_t steps, Storage& storage)
      : words_{words}, steps_(steps), storage_(storage) {}

  __device__ void open() {
    if constexpr (clustered) open_mailboxes();
  }
  /// Waits until no other block writes to this block's shared memory.
  __device__ void close() {
    if constexpr (clustered) sync_cluster();
  }

  /// Returns to all threads the best of all threads' candidates in a step.
  __device__ PivotPlace best_of_block(int j, const PivotPlace& mine) {
    PivotPlace* const of_warps = storage_.best[j % 2];
    const PivotPlace best = best_of_warp(mine);
    if (lane() == 0) of_warps[warp()] = best;
    __syncthreads();
    return best_of_warp(lane() < warps ? of_warps[lane()] : no_pivot());
  }
  /// Returns the block's outgoing message of a step, which one of its warps fills and sends.
  __device__ Message& outgoing(int j) { return clustered ? storage_.outgoing : storage_.pivot[j % 2]; }
  /// Sends the outgoing message; the warp that filled it calls this.
  __device__ void send(int j) {
    if constexpr (clustered)
      send_in_cluster(j);
    else if (gridDim.x > 1)
      publish(j);
  }
  /// Returns the pivot's message to all threads.
  __device__ const Message& receive(int j) {
    if constexpr (clustered) return receive_in_cluster(j);
    // The block's own message lies in the buffer that will hold the pivot.
    if (gridDim.x > 1) {
      __syncthreads();
      if (warp() == 0) gather(j);
    }
    __syncthreads();
    return storage_.pivot[j % 2];
  }

 private:
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }
  static __device__ int warp() { return static_cast<int>(threadIdx.x) / 32; }

  // ---- thread blocks of a grid, through global memory ----

  __device__ std::uint32_t number(int j) const { return steps_ + static_cast<std::uint32_t>(j) + 1; }
  __device__ FlaggedWord* words_by(int j, int block) const { return words_.by(number(j), block); }
  __device__ void publish(int j) const {
    FlaggedWord* const to = words_by(j, static_cast<int>(blockIdx.x));
    const Message& message = storage_.pivot[j % 2];
    const std::uint32_t step = number(j);
    if (lane() == 0) {
      publish_word(to, message.place.size, step);
      publish_word(to + 1,
                   std::uint64_t{static_cast<std::uint32_t>(message.place.row)} << 32 |
                       static_cast<unsigned>(message.place.position),
                   step);
    }
    for (int i = lane(); i < row_words; i += 32) publish_word(to + pivot_header + i, word_of(message.row, i), step);
  }
  /// Waits for all blocks' words and stores the best candidate and its row in storage_. One warp calls this.
  __device__ void gather(int j) {
    const std::uint32_t step = number(j);
    Message& pivot = storage_.pivot[j % 2];
    PivotPlace best = no_pivot();
    for (int b = lane(); b < static_cast<int>(gridDim.x); b += 32) {
      const FlaggedWord* const from = words_by(j, b);
      const std::uint64_t size = await_word(from, step), where = await_word(from + 1, step);
      const int position = static_cast<int>(where & 0xFFFFFFFFu);
      if (size > best.size || (size == best.size && position < best.position))
        best = {size, position, static_cast<int>(where >> 32)};
    }
    const PivotPlace winner = winner_of_warp(best);
    for (int i = lane(); i < row_words; i += 32)
      put_word(pivot.row, i, await_word(words_by(j, winner.row / Panel::rows) + pivot_header + i, step));
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
    sync_cluster();
  }
  /// Sends the message to all blocks of the cluster, itself included. The message overwrites that of three steps
  /// before. This is safe: all messages of the last step that this block has received were sent after their senders had
  /// read the older ones.
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
  __device__ static void sync_cluster() { ptx::cluster_sync(); }
#else
  __device__ void open_mailboxes() {}
  __device__ void send_in_cluster(int) {}
  __device__ const Message& receive_in_cluster(int) { return storage_.outgoing; }
  __device__ static void sync_cluster() {}
#endif

  const ExchangeWords<pivot_words<Panel>> words_;
  const std::uint32_t steps_;
  Storage& storage_;
};

/// A thread's row of a panel: its place in memory, counted from the panel's first row, the position where it belongs,
/// and whether it is still pending (`open`), that is, has not been a pivot's.
struct PanelRow {
  int place, position;
  bool open;

  __device__ PivotPlace candidate(std::uint64_t size) const { return open ? PivotPlace{size, position} : no_pivot(); }
  /// Exchanges positions: the pivot of step j comes from position `with`.
  __device__ void exchange(int j, int with) {
    if (open && position == with) {
      open = false;
      position = j;
    } else if (open && position == j) {
      position = with;
    }
  }
};

/// Writes the moves of a panel: the pivots, whose rows are in pivot_row, go to their positions, and the rows that stood
/// there go to the pivots'. A warp that has the first rows of a panel of `width` columns calls this.
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
