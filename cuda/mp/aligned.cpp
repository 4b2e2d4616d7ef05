#include "cuda/mp/aligned.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/core/check.hpp"
#include "cuda/mp/tables.hpp"
#include "lib/base/integers.hpp"
#include "lib/mp/cpu/cpu_backend.hpp"
#include "lib/numerics/rns_moduli.hpp"

namespace accublas::cuda {

namespace {

constexpr int most_room = mp::shifts - 1;  // bits in excess of a whole number of bands

/// Pinned memory that aligned forms share with the device. It is one allocation for the process, which is never given
/// back: an allocation of pinned memory takes longer than the alignment of a small matrix.
class ReadbackPool {
 public:
  /// Returns one entry, or null if none is left.
  MpReadback* take() {
    const std::lock_guard<std::mutex> lock(guard_);
    if (!made_) make();
    if (free_.empty()) return nullptr;
    MpReadback* const readback = free_.back();
    free_.pop_back();
    *readback = MpReadback{};
    return readback;
  }
  void give(MpReadback* readback) noexcept {
    const std::lock_guard<std::mutex> lock(guard_);
    free_.push_back(readback);  // the capacity is reserved
  }

 private:
  void make() {
    constexpr std::size_t count = 1024;
    made_ = true;
    free_.reserve(count);
    MpReadback* all = nullptr;
    void* on_device = nullptr;
    const bool shared = cudaHostAlloc(reinterpret_cast<void**>(&all), count * sizeof *all,
                                      cudaHostAllocMapped | cudaHostAllocPortable) == cudaSuccess &&
                        cudaHostGetDevicePointer(&on_device, all, 0) == cudaSuccess && on_device == all;
    cudaGetLastError();
    for (std::size_t i = 0; shared && i < count; ++i) free_.push_back(all + i);
  }

  std::mutex guard_;
  std::vector<MpReadback*> free_;
  bool made_ = false;
};
ReadbackPool& readback_pool() {
  static ReadbackPool* const pool = new ReadbackPool;
  return *pool;
}

/// Returns the largest spread of vectors for which `moduli` are enough; negative: none.
int room_of(int moduli, int precision, int spread, std::int64_t terms) {
  int room = most_room;
  while (room >= 0 && mp::moduli_for_bits(mp::product_bits(precision, spread + room, terms)) > moduli) --room;
  return room;
}

}  // namespace

void GiveBack::operator()(MpReadback* readback) const noexcept {
  if (!forked_from_user()) readback_pool().give(readback);
}

DeviceAligned::DeviceAligned(State& state, const mp::Elements& a, const mp::Block& block, int spread,
                             std::int64_t terms, bool kept)
    : block_(block), kept_(kept), readback_(readback_pool().take()) {
  state.require_not_captured("an alignment");
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
  scaling_memory_ = block_of(state, static_cast<std::size_t>(bytes_));
  carve(scaling_memory_.data());
  const cudaStream_t stream = state.cuda_stream();
  mp_measure(state.model(), a, block, scaling_, readback_ ? &readback_->measured : nullptr, stream);
  if (!readback_)
    check(cudaMemcpyAsync(&measured_, scaling_.state, sizeof measured_, cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "aligning a multiple-precision matrix");
  if (readback_) measured_ = readback_->measured;
  make_planes(state, a, std::min(spread, most_room), terms);
}

DeviceBlock DeviceAligned::block_of(State& state, std::size_t bytes) const {
  return kept_ ? DeviceBlock::kept(state, bytes) : DeviceBlock(state, bytes);
}

void DeviceAligned::make_planes(State& state, const mp::Elements& a, int spread, std::int64_t terms) {
  const int precision = a.format.precision;
  const int moduli = mp::moduli_for_bits(mp::product_bits(precision, measured_.largest_rest + spread, terms));
  const MpBasis basis = device_basis(moduli);
  const MpExtension extension = device_extension(a.format.moduli, moduli);
  MpAligned planes{};
  planes.ld = round_up(block_.rows, 16);
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
  DeviceBlock made = block_of(state, bytes);
  carve(made.data());
  mp_align(a, block_, scaling_, extension, planes, state.cuda_stream());
  std::swap(plane_memory_, made);
  bytes_ += static_cast<std::int64_t>(bytes) - plane_bytes_;
  plane_bytes_ = static_cast<std::int64_t>(bytes);
  planes_ = planes;
  basis_ = basis;
  extension_ = extension;
  moduli_ = moduli;
  room_terms_ = -1;
}

int DeviceAligned::room(State& state, const mp::Elements& a, std::int64_t terms) {
  const auto room = [&] {
    if (terms != room_terms_) {
      room_ = room_of(moduli_, a.format.precision, measured_.largest_rest, terms);
      room_terms_ = terms;
    }
    return room_;
  };
  const int asked = kept_ && readback_ ? static_cast<volatile std::int32_t&>(readback_->wanted) : 0;
  if (room() < 0 || asked > room())
    make_planes(state, a, std::max(asked, 0), std::max(terms, std::max(block_.rows, block_.columns)));
  return room();
}

}  // namespace accublas::cuda
