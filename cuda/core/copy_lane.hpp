// Copies between host and device memory go through pinned buffers, while the device computes.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "cuda/core/check.hpp"
#include "cuda/core/copy_threads.hpp"
#include "cuda/core/stream.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/element_steps.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// The pinned buffers of one call: two for each direction, so that the host fills one while the bus carries the other.
/// The process keeps the sets that calls gave back, because pinning 64 MiB costs as much as copying a gigabyte. A call
/// that finds no set makes one.
class PinnedBuffers {
 public:
  static constexpr std::size_t bytes = std::size_t{16} << 20;
  static constexpr int count = 4;

  PinnedBuffers() {
    {
      const std::lock_guard<std::mutex> lock(mutex());
      for (std::byte*& one : kept()) {
        if (!base_) std::swap(base_, one);
      }
    }
    if (base_) return;
    const cudaError_t status = cudaHostAlloc(reinterpret_cast<void**>(&base_), count * bytes, cudaHostAllocPortable);
    check(status, "pinned host memory");
  }
  ~PinnedBuffers() {
    {
      const std::lock_guard<std::mutex> lock(mutex());
      for (std::byte*& one : kept()) {
        if (!one) std::swap(base_, one);
      }
    }
    if (base_) cudaFreeHost(base_);
  }
  PinnedBuffers(const PinnedBuffers&) = delete;
  PinnedBuffers& operator=(const PinnedBuffers&) = delete;

  std::byte* operator[](int i) const { return base_ + static_cast<std::size_t>(i) * bytes; }

 private:
  /// Sets that are kept at most: one for each device of a large host.
  static constexpr std::size_t most_kept = 8;

  static std::mutex& mutex() {
    static std::mutex* const one = new std::mutex;
    return *one;
  }
  static std::array<std::byte*, most_kept>& kept() {
    static std::array<std::byte*, most_kept> sets{};
    return sets;
  }
  std::byte* base_ = nullptr;
};

/// One direction of the bus: a stream and two pinned buffers that take turns.
class Lane {
 public:
  /// `own_threads`: other lanes copy at the same time. `in_place`: the bus reads and writes the user's memory itself if
  /// that is pinned. The user's memory must then keep its contents until the stream has read it.
  Lane(const PinnedBuffers& buffers, int first, int threads, bool own_threads = false, bool in_place = false)
      : buffers_(buffers), first_(first), in_place_(in_place), threads_(threads, own_threads) {}
  ~Lane() { cudaStreamSynchronize(stream_); }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Copies a host matrix of any strides to a column-major device matrix with leading dimension `to_ld` (0: `rows`).
  template <class T>
  void upload(Matrix<const T> from, T* to, Index rows, Index cols, Index to_ld = 0) {
    const Index ld = to_ld > 0 ? to_ld : rows;
    if (is_direct(from, rows, cols, ld))
      return transfer(to, static_cast<std::size_t>(ld), from.data, host_ld(from, rows, cols), rows, cols, sizeof(T),
                      cudaMemcpyHostToDevice);
    for_chunks<T>(rows, cols, [&](Index row, Index row_count, Index col, Index col_count, int slot) {
      wait(slot);
      T* const chunk = reinterpret_cast<T*>(buffers_[first_ + slot]);
      gather(from.block(row, col), Matrix<T>{chunk, 1, row_count}, row_count, col_count);
      transfer(to + row + col * ld, static_cast<std::size_t>(ld), chunk, static_cast<std::size_t>(row_count), row_count,
               col_count, sizeof(T), cudaMemcpyHostToDevice);
      record(slot);
    });
  }

  /// Copies a device matrix with leading dimension `from_ld` (0: `rows`) to a host matrix. Returns when the host matrix
  /// is complete.
  template <class T>
  void download(const T* from, Matrix<T> to, Index rows, Index cols, Index from_ld = 0) {
    const Index ld = from_ld > 0 ? from_ld : rows;
    if (is_direct(to, rows, cols, ld)) {
      transfer(to.data, host_ld(to, rows, cols), from, static_cast<std::size_t>(ld), rows, cols, sizeof(T),
               cudaMemcpyDeviceToHost);
      return check(cudaStreamSynchronize(stream()), "copying a result");
    }
    struct Chunk {
      Index row, row_count, col, col_count;
    } last[2] = {};
    const auto store = [&](int slot) {
      if (last[slot].row_count == 0) return;
      wait(slot);
      const T* const chunk = reinterpret_cast<const T*>(buffers_[first_ + slot]);
      const Chunk& p = last[slot];
      gather(Matrix<const T>{chunk, 1, p.row_count}, to.block(p.row, p.col), p.row_count, p.col_count);
      last[slot].row_count = 0;
    };
    int next = 0;
    for_chunks<T>(rows, cols, [&](Index row, Index row_count, Index col, Index col_count, int slot) {
      store(slot);
      T* const chunk = reinterpret_cast<T*>(buffers_[first_ + slot]);
      transfer(chunk, static_cast<std::size_t>(row_count), from + row + col * ld, static_cast<std::size_t>(ld),
               row_count, col_count, sizeof(T), cudaMemcpyDeviceToHost);
      record(slot);
      last[slot] = {row, row_count, col, col_count};
      store(1 - slot);  // runs while this chunk is in transfer
      next = 1 - slot;
    });
    store(next);
    store(1 - next);
  }

  /// Returns whether all elements of a host matrix are finite.
  template <class T>
  bool all_finite(Matrix<T> x, Index rows, Index cols) {
    if (std::abs(x.row_stride) > std::abs(x.col_stride) && cols > 1) {
      std::swap(rows, cols);
      x = x.transposed();
    }
    std::atomic<bool> finite = true;
    const Index per_task = std::max<Index>(1, (Index{1} << 16) / std::max<Index>(rows, 1));
    threads_.run(ceil_div(cols, per_task), [&](Index task) {
      bool of_task = true;
      for (Index j = task * per_task; j < std::min(cols, (task + 1) * per_task); ++j)
        for (Index i = 0; i < rows; ++i) of_task &= finite_number(x(i, j));
      if (!of_task) finite.store(false, std::memory_order_relaxed);
    });
    return finite;
  }

  cudaStream_t stream() const { return stream_; }

 private:
  /// Columns that are shorter, in bytes, are gathered in a buffer: the bus carries them slowly.
  static constexpr std::size_t least_direct = 4096;
  /// CUDA's limit of a leading dimension in bytes.
  static constexpr std::size_t most_pitch = std::size_t{1} << 30;

  template <class T>
  static std::size_t host_ld(const Matrix<T>& host, Index rows, Index cols) {
    return static_cast<std::size_t>(cols == 1 ? rows : host.col_stride);
  }
  /// Returns whether the bus can read or write the user's memory itself: columns of pinned memory.
  template <class T>
  bool is_direct(const Matrix<T>& host, Index rows, Index cols, Index device_ld) const {
    if (!in_place_) return false;
    const std::size_t bytes = static_cast<std::size_t>(rows) * sizeof(T);
    if (bytes < least_direct || host.row_stride != 1 || (cols > 1 && host.col_stride < rows)) return false;
    if (std::max(host_ld(host, rows, cols), static_cast<std::size_t>(device_ld)) * sizeof(T) > most_pitch) return false;
    return is_pinned(host.data) && is_pinned(&host(rows - 1, cols - 1));
  }
  static bool is_pinned(const void* pointer) {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess) return attributes.type == cudaMemoryTypeHost;
    cudaGetLastError();
    return false;
  }

  template <class T, class Body>
  void for_chunks(Index rows, Index cols, Body&& body) {
    const Index room = static_cast<Index>(PinnedBuffers::bytes / sizeof(T));
    const Index row_count = std::min(rows, room), col_count = std::max<Index>(room / row_count, 1);
    int slot = 0;
    for (Index col = 0; col < cols; col += col_count)
      for (Index row = 0; row < rows; row += row_count) {
        body(row, std::min(rows - row, row_count), col, std::min(cols - col, col_count), slot);
        slot = 1 - slot;
      }
  }

  /// Sets to = from, with the lane's threads.
  template <class F, class T>
  void gather(Matrix<F> from, Matrix<T> to, Index rows, Index cols) {
    // The loop walks along the smaller stride of the host matrix.
    const Index from_rows = std::abs(from.row_stride), from_cols = std::abs(from.col_stride);
    const Index to_rows = std::abs(to.row_stride), to_cols = std::abs(to.col_stride);
    if (std::max(from_rows, to_rows) > std::max(from_cols, to_cols) && cols > 1) {
      std::swap(rows, cols);
      from = from.transposed();
      to = to.transposed();
    }
    const Index per_task = std::max<Index>(1, (Index{1} << 16) / std::max<Index>(rows, 1));
    threads_.run(ceil_div(cols, per_task), [&](Index task) {
      const Index end = std::min(cols, (task + 1) * per_task);
      for (Index j = task * per_task; j < end; ++j) {
        if (from.row_stride == 1 && to.row_stride == 1) {
          std::memcpy(&to(0, j), &from(0, j), static_cast<std::size_t>(rows) * sizeof(T));
        } else {
          for (Index i = 0; i < rows; ++i) to(i, j) = from(i, j);
        }
      }
    });
  }

  void transfer(void* to, std::size_t to_ld, const void* from, std::size_t from_ld, Index rows, Index cols,
                std::size_t size, cudaMemcpyKind kind) {
    check(cudaMemcpy2DAsync(to, to_ld * size, from, from_ld * size, static_cast<std::size_t>(rows) * size,
                            static_cast<std::size_t>(cols), kind, stream()),
          "copying an operand");
  }
  void record(int slot) { check(cudaEventRecord(moved_[slot].event, stream()), "cudaEventRecord"); }
  void wait(int slot) { check(cudaEventSynchronize(moved_[slot].event), "copying an operand"); }

  const PinnedBuffers& buffers_;
  const int first_;
  const bool in_place_;
  CopyThreads threads_;
  OwnStream stream_;
  Event moved_[2];
};

}  // namespace accublas::cuda
