// The aligned form of a matrix in device memory.
#pragma once

#include <memory>

#include "cuda/mp/kernels.hpp"
#include "cuda/mp/memory.hpp"
#include "lib/mp/backend.hpp"

namespace accublas::cuda {

/// The device reports the measurements of an aligned form here, in pinned memory that the host sees too. The device's
/// address is equal to the host's.
struct MpReadback {
  MpMatrixState measured;
  std::int32_t wanted;  ///< see MpAlignVectors
};
/// Owns one of the process's entries; null if all are taken.
struct GiveBack {
  void operator()(MpReadback* readback) const noexcept;
};
using SharedReadback = std::unique_ptr<MpReadback, GiveBack>;

class DeviceAligned final : public mp::Aligned {
 public:
  /// Aligns a matrix, with room for `spread` bits of the vectors and sums of `terms` products. Waits for the exponents.
  /// `kept`: the form outlives the call.
  DeviceAligned(State& state, const mp::Elements& a, const mp::Block& block, int spread, std::int64_t terms, bool kept);

  std::int64_t bytes() const override { return bytes_; }
  int moduli() const { return moduli_; }
  int spread() const { return measured_.largest_rest; }  ///< spread of the matrix
  int largest_band() const { return measured_.largest_band; }
  const MpScaling& scaling() const { return scaling_; }
  const MpAligned& planes() const { return planes_; }
  const MpBasis& basis() const { return basis_; }  ///< basis of the planes
  const MpExtension& extension() const { return extension_; }
  /// Returns the address where a product reports the spread that the next one should allow, or null if nothing would
  /// read it.
  std::int32_t* wanted() const { return kept_ && readback_ ? &readback_->wanted : nullptr; }

  /// Returns how many bits (0 .. 63) the exponents of a vector may spread in sums of `terms` products. The planes are
  /// computed again, with more moduli, if there is no room for that many terms, or if an earlier vector spread further
  /// than there was room for.
  int room(State& state, const mp::Elements& a, std::int64_t terms);

 private:
  DeviceBlock block_of(State& state, std::size_t bytes) const;
  void make_planes(State& state, const mp::Elements& a, int spread, std::int64_t terms);

  mp::Block block_;
  bool kept_;
  SharedReadback readback_;  // outlives the device memory, whose release waits for the kernels that write here
  DeviceBlock scaling_memory_, plane_memory_;
  MpScaling scaling_{};
  MpMatrixState measured_{};
  MpAligned planes_{};
  MpBasis basis_{};
  MpExtension extension_{};
  int moduli_ = 0, room_ = -1;
  std::int64_t room_terms_ = -1;  ///< number of terms that room_ is for
  std::int64_t bytes_ = 0, plane_bytes_ = 0;
};

}  // namespace accublas::cuda
