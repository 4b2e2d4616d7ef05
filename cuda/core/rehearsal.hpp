// A rehearsal counts what a call takes of the user's buffer before the call writes anything. The host code of the call
// runs as for the call itself, by the same plan. Its kernels, copies and cuBLAS's routines do nothing meanwhile.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace accublas::cuda {

/// While one exists, the calls of its thread are rehearsals: memory of the user's buffer is addresses only, which may
/// lie beyond its end.
class Rehearsal {
 public:
  explicit Rehearsal(const void* buffer);
  ~Rehearsal();
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  /// Notes that memory up to `end` is taken.
  static void take(const void* end);
  /// Returns how many bytes from the buffer's start on have been taken at most.
  std::size_t bytes() const { return bytes_; }

 private:
  const std::byte* const buffer_;
  Rehearsal* const outer_;  ///< the rehearsal that this one is part of, or null
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
