// Products of small matrices of doubles on the tensor cores, behind named functions.
#pragma once

#include <cuda_runtime.h>

namespace accublas::cuda::ptx {

/// sum += 16 rows times 8 columns over 8 terms, in IEEE arithmetic. Lane i holds in sum[2 h + e] row i / 4 + 8 h and
/// column 2 (i % 4) + e; in rows[h + 2 g] and cols[g] term i % 4 + 4 g of row i / 4 + 8 h and of column i / 4.
__device__ __forceinline__ void mma_16x8x8(double (&sum)[4], const double (&rows)[4], const double (&cols)[2]) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(rows[0]), "d"(rows[1]), "d"(rows[2]), "d"(rows[3]), "d"(cols[0]), "d"(cols[1]));
#elif __CUDA_ARCH__ >= 800
  const auto mma_8x8x4 = [](double& sum0, double& sum1, double row, double col) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(sum0), "+d"(sum1)
                 : "d"(row), "d"(col));
  };
  mma_8x8x4(sum[0], sum[1], rows[0], cols[0]);
  mma_8x8x4(sum[2], sum[3], rows[1], cols[0]);
  mma_8x8x4(sum[0], sum[1], rows[2], cols[1]);
  mma_8x8x4(sum[2], sum[3], rows[3], cols[1]);
#else
  __trap();  // the plan takes another engine
#endif
}

/// The same in TF32: entries lose all but their leading 11 bits (less than 2^-10 of them), products are exact, sums
/// have FP32's range and at least its precision, truncated. `rows` and `cols` hold FP32 numbers.
__device__ __forceinline__ void mma_16x8x8(float (&sum)[4], const float (&rows)[4], const float (&cols)[2]) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(__float_as_uint(rows[0])), "r"(__float_as_uint(rows[1])), "r"(__float_as_uint(rows[2])),
        "r"(__float_as_uint(rows[3])), "r"(__float_as_uint(cols[0])), "r"(__float_as_uint(cols[1])));
#else
  __trap();
#endif
}

}  // namespace accublas::cuda::ptx
