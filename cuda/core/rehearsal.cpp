#include "cuda/core/rehearsal.hpp"

#include <algorithm>
#include <cstdint>

#include "cuda/core/check.hpp"

namespace accublas::cuda {

namespace {

thread_local Rehearsal* running = nullptr;

}  // namespace

Rehearsal::Rehearsal(const void* buffer, std::span<const std::byte> memory) : buffer_(buffer), memory_(memory) {
  running = this;
}
Rehearsal::~Rehearsal() { running = nullptr; }

void Rehearsal::take(const void* end) {
  running->bytes_ =
      std::max(running->bytes_, static_cast<std::size_t>(static_cast<const std::byte*>(end) - running->memory_.data()));
}

const void* Rehearsal::known_to_cuda(const void* pointer) {
  if (!running) return pointer;
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(running->memory_.data());
  return reinterpret_cast<std::uintptr_t>(pointer) - begin < running->memory_.size() ? running->buffer_ : pointer;
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
