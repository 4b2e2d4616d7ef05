#include "cuda/int8/tensor_map.hpp"

#include <string>

#include "cuda/core/operand.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/core/tensor_map_encoder.hpp"
#include "lib/base/error.hpp"

namespace accublas::cuda {

namespace {

template <int rank>
CUtensorMap encode(const std::uint8_t* buffer, const cuuint64_t (&sizes)[rank], const cuuint64_t (&strides)[rank - 1],
                   const cuuint32_t (&box)[rank]) {
  if (rehearses()) return {};
  const auto encoder = tensor_map_encoder();
  if (!encoder) throw Error(ACCUBLAS_ERROR_DEVICE, "the driver lacks tensor maps");
  cuuint32_t ones[rank];
  for (cuuint32_t& one : ones) one = 1;
  CUtensorMap map;
  const CUresult status = encoder(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, rank, const_cast<std::uint8_t*>(buffer), sizes,
                                  strides, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS)
    throw Error(ACCUBLAS_ERROR_DEVICE, "cuTensorMapEncodeTiled: status " + std::to_string(static_cast<int>(status)));
  return map;
}

constexpr cuuint32_t box_bytes = 128;

cuuint64_t whole_groups(std::size_t bytes, Index k_padded) {
  return bytes / static_cast<std::size_t>(k_padded) / line_group * line_group;
}

}  // namespace

CUtensorMap line_map(const std::uint8_t* buffer, std::size_t bytes, Index k_padded, int box_lines) {
  const auto k = static_cast<cuuint64_t>(k_padded);
  return encode<2>(buffer, {k, whole_groups(bytes, k_padded)}, {k}, {box_bytes, static_cast<cuuint32_t>(box_lines)});
}

CUtensorMap permuted_line_map(const std::uint8_t* buffer, std::size_t bytes, Index k_padded, int box_lines) {
  const auto k = static_cast<cuuint64_t>(k_padded);
  return encode<5>(buffer, {k, 2, 4, 8, whole_groups(bytes, k_padded) / 64}, {k, 16 * k, 2 * k, 64 * k},
                   {box_bytes, 2, 4, 8, static_cast<cuuint32_t>(box_lines / 64)});
}

}  // namespace accublas::cuda
