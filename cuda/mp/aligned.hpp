// The aligned form of a matrix in device memory.
#pragma once

#include <memory>

#include "cuda/mp/kernels.hpp"
#include "cuda/mp/memory.hpp"
#include "lib/mp/backend.hpp"

namespace accublas::cuda {

/// What the device tells the host of an aligned form, in pinned memory that both see. The device's address is the
/// host's.
struct MpTold {
  MpMatrixState measured;
  std::int32_t wanted;  ///< see MpAlignVectors
};
/// One of the process's; null where all are taken.
struct GiveBack {
  void operator()(MpTold* told) const noexcept;
};
using SharedTold = std::unique_ptr<MpTold, GiveBack>;

class DeviceAligned final : public mp::Aligned {
 public:
  /// With room for `spread` bits of the vectors and sums of `terms` products. Waits for the exponents. `kept`: it
  /// outlives the call.
  DeviceAligned(State& state, const mp::Elements& a, const mp::Block& block, int spread, std::int64_t terms, bool kept);

  std::int64_t bytes() const override { return bytes_; }
  int moduli() const { return moduli_; }
  int spread() const { return measured_.largest_rest; }  ///< of the matrix
  int largest_band() const { return measured_.largest_band; }
  const MpScaling& scaling() const { return scaling_; }
  const MpAligned& planes() const { return planes_; }
  const MpBasis& basis() const { return basis_; }  ///< of the planes
  const MpExtension& extension() const { return extension_; }
  /// Where a product tells what it wants of the next; null if nobody would look.
  std::int32_t* wanted() const { return kept_ && told_ ? &told_->wanted : nullptr; }

  /// Bits that the exponents of a vector may spread in sums of `terms` products, 0 .. 63. Makes the planes anew, with
  /// more moduli, where there is no room for that many terms, or where an earlier vector spread further than there was
  /// room for.
  int room(State& state, const mp::Elements& a, std::int64_t terms);

 private:
  DeviceBlock block_of(State& state, std::size_t bytes) const;
  void make_planes(State& state, const mp::Elements& a, int spread, std::int64_t terms);

  mp::Block block_;
  bool kept_;
  SharedTold told_;  // outlives the memory, whose end waits for the kernels that write it
  DeviceBlock scaling_memory_, plane_memory_;
  MpScaling scaling_{};
  MpMatrixState measured_{};
  MpAligned planes_{};
  MpBasis basis_{};
  MpExtension extension_{};
  int moduli_ = 0, room_ = -1;
  std::int64_t room_terms_ = -1;  ///< that room_ is for
  std::int64_t bytes_ = 0, plane_bytes_ = 0;
};

}  // namespace accublas::cuda
