// Named functions for instructions that CUDA has no function for. They use compute capability 8.0 and later; earlier
// devices get a replacement.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace accublas::cuda::ptx {

/// Copies 16 bytes to shared memory. From compute capability 8.0 on, the copy runs in the background until
/// copies_wait().
__device__ __forceinline__ void copy_16(std::uint32_t to, const void* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#else
  const uint4 value = *static_cast<const uint4*>(from);
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(value.x), "r"(value.y), "r"(value.z),
               "r"(value.w)
               : "memory");
#endif
}

__device__ __forceinline__ std::uint32_t shared_address(const void* shared) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

/// Copies 8 bytes, or sets them to zero without reading `from`. From compute capability 8.0 on, the copy runs in the
/// background until copies_wait().
__device__ __forceinline__ void copy_8(std::uint32_t to, const void* from, bool wanted) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(wanted ? 8 : 0) : "memory");
#else
  const uint2 value = wanted ? *static_cast<const uint2*>(from) : uint2{};
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(to), "r"(value.x), "r"(value.y) : "memory");
#endif
}

/// Ends a group of this thread's copies, which may be empty.
__device__ __forceinline__ void copies_commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits for all groups of this thread's copies except the last `groups`.
template <int groups>
__device__ __forceinline__ void copies_wait_but() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
}

/// Waits for all copies that this thread issued.
__device__ __forceinline__ void copies_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Stores a word with release semantics. A thread that acquires the word sees what this thread wrote before, and what
/// other threads wrote before a barrier with this thread.
__device__ __forceinline__ void store_release(std::uint32_t* to, std::uint32_t word) {
#if __CUDA_ARCH__ >= 700
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
#else
  __threadfence();
  *static_cast<volatile std::uint32_t*>(to) = word;
#endif
}
__device__ __forceinline__ std::uint32_t load_acquire(const std::uint32_t* from) {
  std::uint32_t word;
#if __CUDA_ARCH__ >= 700
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
#else
  word = *static_cast<const volatile std::uint32_t*>(from);
  __threadfence();
#endif
  return word;
}

/// Loads four 8 x 16 byte matrices. Lane i passes the address of line i % 8 of matrix i / 8, and receives bytes 4 (i %
/// 4) .. + 3 of line i / 4 of each matrix.
__device__ __forceinline__ void load_matrices(std::uint32_t (&out)[4], std::uint32_t line) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
               : "r"(line)
               : "memory");
}

/// Computes sum += 16 rows times 8 columns, with 32 unsigned bytes of k. Lane i holds in sum[2 h + e] row i / 4 + 8 h
/// and column 2 (i % 4) + e. Its rows[h + 2 g] and cols[g] hold bytes 16 g + 4 (i % 4) .. + 3 of row i / 4 + 8 h and of
/// column i / 4.
__device__ __forceinline__ void mma_16x8x32(std::uint32_t (&sum)[4], const std::uint32_t (&rows)[4],
                                            std::uint32_t cols0, std::uint32_t cols1) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
      : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(cols0), "r"(cols1));
#else
  const auto mma_8x8x16 = [](std::uint32_t& sum0, std::uint32_t& sum1, std::uint32_t row, std::uint32_t col) {
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+r"(sum0), "+r"(sum1)
                 : "r"(row), "r"(col));
  };
  mma_8x8x16(sum[0], sum[1], rows[0], cols0);
  mma_8x8x16(sum[2], sum[3], rows[1], cols0);
  mma_8x8x16(sum[0], sum[1], rows[2], cols1);
  mma_8x8x16(sum[2], sum[3], rows[3], cols1);
#endif
}

/// Computes mma_16x8x32 for signed bytes. The asm is not volatile, so the compiler may move it or leave it out.
__device__ __forceinline__ void mma_16x8x32_signed(int (&sum)[4], const std::uint32_t (&rows)[4], std::uint32_t cols0,
                                                   std::uint32_t cols1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
      : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(cols0), "r"(cols1));
#else
  const auto mma_8x8x16 = [](int& sum0, int& sum1, std::uint32_t row, std::uint32_t col) {
    asm("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+r"(sum0), "+r"(sum1)
        : "r"(row), "r"(col));
  };
  mma_8x8x16(sum[0], sum[1], rows[0], cols0);
  mma_8x8x16(sum[2], sum[3], rows[1], cols0);
  mma_8x8x16(sum[0], sum[1], rows[2], cols1);
  mma_8x8x16(sum[2], sum[3], rows[3], cols1);
#endif
}

/// Computes sum += 16 rows times 8 columns in binary64 (compute capability 8.0), with 16 terms. Lane i holds in sum[2 h
/// + e] row i / 4 + 8 h and column 2 (i % 4) + e. Its row[h + 2 q] and col[q] hold term i % 4 + 4 q of row i / 4 + 8 h
/// and of column i / 4.
__device__ __forceinline__ void mma_16x8x16(double (&sum)[4], const double (&row)[8], const double (&col)[4]) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
      "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(row[0]), "d"(row[1]), "d"(row[2]), "d"(row[3]), "d"(row[4]), "d"(row[5]), "d"(row[6]), "d"(row[7]),
        "d"(col[0]), "d"(col[1]), "d"(col[2]), "d"(col[3]));
#elif __CUDA_ARCH__ >= 800
#pragma unroll
  for (int q = 0; q < 4; ++q)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                   : "+d"(sum[2 * h]), "+d"(sum[2 * h + 1])
                   : "d"(row[h + 2 * q]), "d"(col[q]));
#else
  __trap();
#endif
}

}  // namespace accublas::cuda::ptx
