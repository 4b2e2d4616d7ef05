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
    } else if (k_stride == 1 && W > 1 && Width % W == 0) {
      const int whole = valid / W * W;
      for (; p + W <= k; p += W) {
        for (int i = 0; i < whole; i += W) {
          V column[W];
          load_transposed(a + i * stride + p, stride, column);
          for (int q = 0; q < W; ++q) store(panels + (p + q) * Width + i, column[q]);
        }
        for (int i = whole; i < Width; ++i)
          for (int q = 0; q < W; ++q) panels[(p + q) * Width + i] = i < valid ? a[i * stride + p + q] : T(0);
      }
    }
    for (; p < k; ++p) {
      for (int i = 0; i < valid; ++i) panels[p * Width + i] = a[p * k_stride + i * stride];
      for (int i = valid; i < Width; ++i) panels[p * Width + i] = 0;
    }
  }
}

/// One panel of complex numbers, k of each row: their parts are terms 2 p and 2 p + 1. Strides count parts.
template <class T, int Width>
void pack_pairs(Index k, Index count, const T* a, Index stride, Index k_stride, double* panel) {
  if (k_stride == 2) return pack_panels<T, Width>(2 * k, count, a, stride, 1, panel);
  const auto all = [&](int valid, Index step) __attribute__((always_inline)) {
    for (Index p = 0; p < k; ++p) {
      const T* const from = a + p * k_stride;
      double* const to = panel + 2 * p * Width;
      for (int i = 0; i < valid; ++i) {
        to[i] = from[i * step];
        to[Width + i] = from[i * step + 1];
      }
      for (int i = valid; i < Width; ++i) to[i] = to[Width + i] = 0;
    }
  };
  if (count == Width && stride == 2) return all(Width, 2);
  all(static_cast<int>(count), stride);
}

}  // namespace

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
