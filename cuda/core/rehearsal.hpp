// A rehearsal counts what a call takes of the user's buffer before the call writes anything. The host code of the call
// runs as for the call itself, by the same plan. Its kernels, copies and cuBLAS's routines do nothing meanwhile.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>

namespace accublas::cuda {

/// While one exists, the calls of its thread are rehearsals: memory of the user's buffer is addresses only, which may
/// lie beyond its end. A thread has one at a time.
class Rehearsal {
 public:
  /// A rehearsal of one call.
  explicit Rehearsal(const void* buffer) : Rehearsal(buffer, {static_cast<const std::byte*>(buffer), 0}) {}
  /// A rehearsal of a flow of calls, whose operands lie in the user's buffer too: `memory` stands for it
  /// (Backend::rehearse).
  Rehearsal(const void* buffer, std::span<const std::byte> memory);
  ~Rehearsal();
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  /// Notes that memory up to `end` is taken.
  static void take(const void* end);
  /// Returns how many bytes from the memory's start on have been taken at most.
  std::size_t bytes() const { return bytes_; }
  /// Returns what CUDA is asked about for an address: the user's buffer for the memory that stands for it, else the
  /// address.
  static const void* known_to_cuda(const void* pointer);

 private:
  const void* const buffer_;
  const std::span<const std::byte> memory_;
  std::size_t bytes_ = 0;
};

/// Returns whether the calls of this thread are rehearsals.
bool rehearses() noexcept;

/// Puts a cudaMemsetAsync on the stream, or nothing in a rehearsal. Throws Error with `what`.
void set_on_stream(void* to, int value, std::size_t bytes, cudaStream_t stream, const char* what);
/// Puts a cudaMemcpyAsync on the stream, or nothing in a rehearsal. Throws Error with `what`.
void copy_on_stream(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                    const char* what);
/// Waits for the stream, but not in a rehearsal. Throws Error with `what`.
void wait_on_host(cudaStream_t stream, const char* what);

}  // namespace accublas::cuda
