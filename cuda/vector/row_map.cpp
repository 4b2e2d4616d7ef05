#include "cuda/core/tensor_map_encoder.hpp"
#include "cuda/vector/row_stream.hpp"

namespace accublas::cuda {

template <class T>
bool make_row_map(const Matrix<const T>& a, Index m, Index k, bool along, CUtensorMap* map) {
  constexpr Index largest = Index{1} << 30;
  const Index unit = along ? a.col_stride : a.row_stride, apart = along ? a.row_stride : a.col_stride;
  const Index bytes = apart * static_cast<Index>(sizeof(T));
  if (unit != 1 || apart <= 0 || bytes % 16 != 0 || bytes >= Index{1} << 40 || m > largest || k > largest ||
      reinterpret_cast<std::uintptr_t>(a.data) % 16 != 0)
    return false;
  const auto encoder = tensor_map_encoder();
  if (!encoder) return false;
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(along ? k : m), static_cast<cuuint64_t>(along ? m : k)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(bytes)};
  constexpr cuuint32_t rows = group_rows, terms = tile_terms<T>;
  const cuuint32_t box[] = {along ? terms : rows, along ? rows : terms};
  const cuuint32_t ones[] = {1, 1};
  return encoder(map, sizeof(T) == 8 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2,
                 const_cast<T*>(a.data), sizes, strides, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE,
                 along ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

template bool make_row_map(const Matrix<const double>&, Index, Index, bool, CUtensorMap*);
template bool make_row_map(const Matrix<const float>&, Index, Index, bool, CUtensorMap*);

}  // namespace accublas::cuda
