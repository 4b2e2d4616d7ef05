#include "cuda/mp/aligned.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/check.hpp"
#include "cuda/mp/tables.hpp"
#include "lib/mp/cpu_backend.hpp"
#include "lib/mp/moduli.hpp"
#include "lib/test_hooks.hpp"

namespace accublas::cuda {

namespace {

constexpr int most_room = mp::shifts - 1;  // bits over a whole number of bands

/// Words that the host and all devices see, of one allocation for the process, which is never given back: an allocation
/// of pinned memory takes longer than the alignment of a small matrix.
class SharedWords {
 public:
  /// Null where there is none left.
  std::int32_t* take() {
    const std::lock_guard<std::mutex> lock(guard_);
    if (!made_) make();
    if (free_.empty()) return nullptr;
    std::int32_t* const word = free_.back();
    free_.pop_back();
    return word;
  }
  void give(std::int32_t* word) noexcept {
    const std::lock_guard<std::mutex> lock(guard_);
    free_.push_back(word);  // there is room
  }

 private:
  void make() {
    constexpr std::size_t count = 1024;
    made_ = true;
    free_.reserve(count);
    std::int32_t* words = nullptr;
    if (cudaHostAlloc(reinterpret_cast<void**>(&words), count * sizeof *words,
                      cudaHostAllocMapped | cudaHostAllocPortable) != cudaSuccess) {
      cudaGetLastError();
      return;
    }
    for (std::size_t i = 0; i < count; ++i) free_.push_back(words + i);
  }

  std::mutex guard_;
  std::vector<std::int32_t*> free_;
  bool made_ = false;
};
SharedWords& shared_words() {
  static SharedWords* const words = new SharedWords;
  return *words;
}

/// The largest spread of vectors for which `moduli` are enough; negative: none.
int room_of(int moduli, int precision, int spread, std::int64_t terms) {
  int room = most_room;
  while (room >= 0 && mp::moduli_for_bits(mp::product_bits(precision, spread + room, terms)) > moduli) --room;
  return room;
}

}  // namespace

DeviceBlock::DeviceBlock(std::size_t bytes) {
  cudaError_t status =
      hook_allocation_fails() ? cudaErrorMemoryAllocation : cudaMalloc(&own_, std::max<std::size_t>(bytes, 1));
  if (status == cudaErrorMemoryAllocation) cudaGetLastError();
  check(status, "device memory of a multiple-precision array");
}

DeviceBlock::DeviceBlock(State& state, std::size_t bytes)
    : call_(std::make_unique<CallMemory>(state.device(), state.cuda_stream(), state.capture_memory(), nullptr, 0,
                                         std::max<std::size_t>(bytes, 1))) {}

DeviceBlock::DeviceBlock(DeviceBlock&& other) noexcept
    : own_(std::exchange(other.own_, nullptr)), call_(std::move(other.call_)) {}

DeviceBlock& DeviceBlock::operator=(DeviceBlock&& other) noexcept {
  std::swap(own_, other.own_);
  std::swap(call_, other.call_);
  return *this;
}

DeviceBlock::~DeviceBlock() {
  if (own_) cudaFree(own_);
}

DeviceAligned::DeviceAligned(State& state, const mp::Elements& a, const mp::Block& block, int spread,
                             std::int64_t terms, bool kept)
    : block_(block), kept_(kept) {
  const auto memory = [&](std::size_t bytes) { return kept ? DeviceBlock(bytes) : DeviceBlock(state, bytes); };
  const auto carve = [&](std::byte* base) {
    Carver carver(base);
    scaling_.row = carver.take<std::int32_t>(static_cast<std::size_t>(block.rows));
    scaling_.column = carver.take<std::int32_t>(static_cast<std::size_t>(block.columns));
    scaling_.row_band = carver.take<std::int32_t>(static_cast<std::size_t>(block.rows));
    scaling_.column_band = carver.take<std::int32_t>(static_cast<std::size_t>(block.columns));
    scaling_.state = carver.take<MpMatrixState>(1);
    return carver.used();
  };
  bytes_ = static_cast<std::int64_t>(carve(nullptr));
  scaling_memory_ = memory(static_cast<std::size_t>(bytes_));
  carve(scaling_memory_.data());
  const cudaStream_t stream = state.cuda_stream();
  mp_measure(a, block, scaling_, stream);
  check(cudaMemcpyAsync(&measured_, scaling_.state, sizeof measured_, cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "aligning a multiple-precision matrix");
  make_planes(state, a, std::min(spread, most_room), terms, memory);
  if (!kept) return;
  // Without it vectors that spread too far are served all the same, only slower.
  wanted_ = shared_words().take();
  if (!wanted_) return;
  *wanted_ = 0;
  check(cudaHostGetDevicePointer(reinterpret_cast<void**>(&wanted_device_), wanted_, 0), "cudaHostGetDevicePointer");
}

DeviceAligned::~DeviceAligned() {
  if (!wanted_) return;
  plane_memory_ = DeviceBlock();  // waits for the kernels that may write the word
  shared_words().give(wanted_);
}

template <class Memory>
void DeviceAligned::make_planes(State& state, const mp::Elements& a, int spread, std::int64_t terms, Memory&& memory) {
  const int precision = a.format.precision;
  const int moduli = mp::moduli_for_bits(mp::product_bits(precision, measured_.largest_rest + spread, terms));
  const MpExtension extension = device_extension(a.format.moduli, moduli);
  MpAligned planes{};
  planes.ld = (block_.rows + 15) / 16 * 16;
  planes.plane = planes.ld * block_.columns;
  const auto carve = [&](std::byte* base) {
    Carver carver(base);
    planes.a = carver.take<std::uint32_t>(static_cast<std::size_t>(planes.plane) * static_cast<std::size_t>(moduli));
    if (measured_.largest_band > most_small_band)
      planes.band = carver.take<std::int32_t>(static_cast<std::size_t>(planes.plane));
    else if (measured_.largest_band > 0)
      planes.small_band = carver.take<std::uint8_t>(static_cast<std::size_t>(planes.plane));
    return carver.used();
  };
  const std::size_t bytes = carve(nullptr);
  DeviceBlock made = memory(bytes);
  carve(made.data());
  mp_align(a, block_, scaling_, extension, planes, state.cuda_stream());
  std::swap(plane_memory_, made);
  bytes_ += static_cast<std::int64_t>(bytes) - plane_bytes_;
  plane_bytes_ = static_cast<std::int64_t>(bytes);
  planes_ = planes;
  moduli_ = moduli;
}

int DeviceAligned::room(State& state, const mp::Elements& a, std::int64_t terms) {
  const int precision = a.format.precision;
  int room = room_of(moduli_, precision, measured_.largest_rest, terms);
  const int asked = wanted_ ? *static_cast<volatile std::int32_t*>(wanted_) : 0;
  if (room >= 0 && asked <= room) return room;
  make_planes(state, a, std::max(asked, 0), std::max(terms, std::max(block_.rows, block_.columns)),
              [&](std::size_t bytes) { return kept_ ? DeviceBlock(bytes) : DeviceBlock(state, bytes); });
  return room_of(moduli_, precision, measured_.largest_rest, terms);
}

}  // namespace accublas::cuda
