#include "cuda/core/tensor_map_encoder.hpp"
#include "cuda/vector/row_stream.hpp"

namespace accublas::cuda {

template <class E>
bool make_row_map(const Matrix<const E>& a, Index m, Index k, bool along, CUtensorMap* map) {
  constexpr Index components = component_count<E>, largest = (Index{1} << 30) / components;
  const Index unit = along ? a.col_stride : a.row_stride, apart = along ? a.row_stride : a.col_stride;
  const Index bytes = apart * static_cast<Index>(sizeof(E));
  if (unit != 1 || apart <= 0 || bytes % 16 != 0 || bytes >= Index{1} << 40 || m > largest || k > largest ||
      reinterpret_cast<std::uintptr_t>(a.data) % 16 != 0)
    return false;
  const auto encoder = tensor_map_encoder();
  if (!encoder) return false;
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(components * (along ? k : m)),
                              static_cast<cuuint64_t>(along ? m : k)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(bytes)};
  constexpr cuuint32_t rows = group_rows, entries = tile_entries<E>, numbers = static_cast<cuuint32_t>(components);
  const cuuint32_t box[] = {numbers * (along ? entries : rows), along ? rows : entries};
  const cuuint32_t ones[] = {1, 1};
  return encoder(map, is_single_precision<E> ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 2,
                 const_cast<E*>(a.data), sizes, strides, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE,
                 along ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

#define ACCUBLAS_INSTANTIATE(E) template bool make_row_map(const Matrix<const E>&, Index, Index, bool, CUtensorMap*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
