#include "cuda/core/rehearsal.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "cuda/core/check.hpp"
#include "lib/base/error.hpp"

namespace accublas::cuda {

namespace {

thread_local Rehearsal* running = nullptr;

}  // namespace

void* imagined_memory(const void* buffer) {
  constexpr std::size_t alignment = 256;
  // The process keeps these addresses. Nothing accesses them, so they take no memory.
  static std::byte* const addresses = [] {
    void* const begin =
        mmap(nullptr, imagined_bytes + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin == MAP_FAILED) throw Error(ACCUBLAS_ERROR_MEMORY, "the process has no addresses for a rehearsal");
    return static_cast<std::byte*>(begin);
  }();
  return addresses + reinterpret_cast<std::uintptr_t>(buffer) % alignment;
}

Rehearsal::Rehearsal(const void* buffer, const void* memory)
    : buffer_(buffer), memory_(static_cast<const std::byte*>(memory)) {
  running = this;
}
Rehearsal::~Rehearsal() { running = nullptr; }

void Rehearsal::take(const void* end) {
  running->bytes_ =
      std::max(running->bytes_, static_cast<std::size_t>(static_cast<const std::byte*>(end) - running->memory_));
}

const void* Rehearsal::known_to_cuda(const void* pointer) {
  if (!running || running->memory_ == running->buffer_) return pointer;
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(running->memory_);
  return reinterpret_cast<std::uintptr_t>(pointer) - begin < imagined_bytes ? running->buffer_ : pointer;
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
