// Named functions for matrix instructions in binary64. For .cu files.
#pragma once

namespace accublas::cuda::ptx {

/// Computes sum += 8 rows times 8 columns in binary64 (compute capability 8.0), with 4 terms. Lane i holds in sum[e]
/// row i / 4 and column 2 (i % 4) + e, and term i % 4 of row i / 4 and of column i / 4. Each product and each addition
/// is rounded to nearest at most once.
__device__ __forceinline__ void mma_8x8x4(double (&sum)[2], double row, double col) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(sum[0]), "+d"(sum[1])
      : "d"(row), "d"(col));
#else
  __trap();
#endif
}

}  // namespace accublas::cuda::ptx
