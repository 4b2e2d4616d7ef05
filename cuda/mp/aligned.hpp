// The aligned form of a matrix in device memory.
#pragma once

#include <memory>

#include "cuda/memory.hpp"
#include "cuda/mp/kernels.hpp"
#include "cuda/state.hpp"
#include "lib/mp/backend.hpp"

namespace accublas::cuda {

/// Memory of the current device: of its own, given back when all work on the device is done, or of a call.
class DeviceBlock {
 public:
  DeviceBlock() = default;
  /// Throw Error(ACCUBLAS_ERROR_MEMORY).
  explicit DeviceBlock(std::size_t bytes);
  DeviceBlock(State& state, std::size_t bytes);
  DeviceBlock(DeviceBlock&& other) noexcept;
  DeviceBlock& operator=(DeviceBlock&& other) noexcept;
  ~DeviceBlock();

  /// Of memory of its own: keeps it from being given back.
  void release() { own_ = nullptr; }
  std::byte* data() const { return call_ ? call_->data() : static_cast<std::byte*>(own_); }

 private:
  void* own_ = nullptr;
  std::unique_ptr<CallMemory> call_;
};

class DeviceAligned final : public mp::Aligned {
 public:
  /// With room for `spread` bits of the vectors and sums of `terms` products. Waits for the exponents. `kept`: it
  /// outlives the call.
  DeviceAligned(State& state, const mp::Elements& a, const mp::Block& block, int spread, std::int64_t terms, bool kept);
  ~DeviceAligned() override;

  std::int64_t bytes() const override { return bytes_; }
  int moduli() const { return moduli_; }
  int spread() const { return measured_.largest_rest; }  ///< of the matrix
  int largest_band() const { return measured_.largest_band; }
  const MpScaling& scaling() const { return scaling_; }
  const MpAligned& planes() const { return planes_; }
  std::int32_t* wanted() const { return wanted_device_; }

  /// Bits that the exponents of a vector may spread in sums of `terms` products, 0 .. 63. Makes the planes anew, with
  /// more moduli, where there is no room for that many terms, or where an earlier vector spread further than there was
  /// room for.
  int room(State& state, const mp::Elements& a, std::int64_t terms);

 private:
  template <class Memory>
  void make_planes(State& state, const mp::Elements& a, int spread, std::int64_t terms, Memory&& memory);

  mp::Block block_;
  bool kept_;
  DeviceBlock scaling_memory_, plane_memory_;
  MpScaling scaling_{};
  MpMatrixState measured_{};
  MpAligned planes_{};
  int moduli_ = 0;
  std::int64_t bytes_ = 0, plane_bytes_ = 0;
  std::int32_t *wanted_ = nullptr, *wanted_device_ = nullptr;  ///< one word that the host and the device see
};

}  // namespace accublas::cuda
