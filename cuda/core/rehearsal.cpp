#include "cuda/core/rehearsal.hpp"

#include <algorithm>
#include <utility>

#include "cuda/core/check.hpp"

namespace accublas::cuda {

namespace {

thread_local Rehearsal* running = nullptr;

}  // namespace

Rehearsal::Rehearsal(const void* buffer)
    : buffer_(static_cast<const std::byte*>(buffer)), outer_(std::exchange(running, this)) {}
Rehearsal::~Rehearsal() { running = outer_; }

void Rehearsal::take(const void* end) {
  running->bytes_ =
      std::max(running->bytes_, static_cast<std::size_t>(static_cast<const std::byte*>(end) - running->buffer_));
}

bool rehearses() noexcept { return running != nullptr; }

void set_on_stream(void* to, int value, std::size_t bytes, cudaStream_t stream, const char* what) {
  if (!rehearses()) check(cudaMemsetAsync(to, value, bytes, stream), what);
}

void copy_on_stream(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                    const char* what) {
  if (!rehearses()) check(cudaMemcpyAsync(to, from, bytes, kind, stream), what);
}

void wait_on_host(cudaStream_t stream, const char* what) {
  if (!rehearses()) check(cudaStreamSynchronize(stream), what);
}

}  // namespace accublas::cuda
