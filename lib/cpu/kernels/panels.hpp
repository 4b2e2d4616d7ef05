// Rows or columns of a GEMM's operands side by side, for the kernels of dot2 and cr. Included by kernel files only;
// everything has internal linkage.
#pragma once

#include "lib/cpu/kernels/dot2_vector.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

/// Panels of `Width`. Adjacent rows are copied, adjacent columns transposed W x W at a time; anything else entry by
/// entry.
template <class T, int Width>
void pack_panels(Index k, Index count, const T* a, Index stride, Index k_stride, double* panels) {
  for (; count > 0; count -= Width, a += Width * stride, panels += Width * k) {
    const int valid = count < Width ? static_cast<int>(count) : Width;
    Index p = 0;
    if (valid == Width && stride == 1) {
      for (; p < k; ++p)
        for (int i = 0; i < Width; ++i) panels[p * Width + i] = a[p * k_stride + i];
    } else if (valid == Width && k_stride == 1 && Width % W == 0) {
      for (; p + W <= k; p += W) {
        for (int i = 0; i < Width; i += W) {
          V column[W];
          load_transposed(a + i * stride + p, stride, column);
          for (int q = 0; q < W; ++q) store(panels + (p + q) * Width + i, column[q]);
        }
      }
    }
    for (; p < k; ++p) {
      for (int i = 0; i < valid; ++i) panels[p * Width + i] = a[p * k_stride + i * stride];
      for (int i = valid; i < Width; ++i) panels[p * Width + i] = 0;
    }
  }
}

}  // namespace

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
