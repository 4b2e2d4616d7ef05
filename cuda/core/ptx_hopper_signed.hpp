// Named functions for the warpgroup MMA of signed bytes with 32 to 256 columns, and for copies of plain blocks of bytes
// into shared memory (sm_90a).
#pragma once

#include "cuda/core/ptx_hopper.hpp"

namespace accublas::cuda::ptx {

/// Arrives at a barrier of this thread block.
__device__ __forceinline__ void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/// Copies a block of bytes to shared memory, and counts them at the barrier. Addresses and size are multiples of 16.
__device__ __forceinline__ void copy_bytes(std::uint32_t to, const void* from, int bytes, std::uint32_t barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}

/// Returns the descriptor of lines of 32 bytes in shared memory, without swizzling. Eight lines are 256 bytes: the
/// first 16 bytes of each line, and then the other 16 bytes of each. The address must be a multiple of 16.
__device__ __forceinline__ std::uint64_t short_line_descriptor(std::uint32_t address) {
  return (address & 0x3FFFF) >> 4 | std::uint64_t{128 >> 4} << 16 | std::uint64_t{256 >> 4} << 32;
}

#define ACCUBLAS_SUMS_4(i) "+r"(all[i]), "+r"(all[i + 1]), "+r"(all[i + 2]), "+r"(all[i + 3])
#define ACCUBLAS_SUMS_16(i) ACCUBLAS_SUMS_4(i), ACCUBLAS_SUMS_4(i + 4), ACCUBLAS_SUMS_4(i + 8), ACCUBLAS_SUMS_4(i + 12)
#define ACCUBLAS_SUMS_32(i) ACCUBLAS_SUMS_16(i), ACCUBLAS_SUMS_16(i + 16)
#define ACCUBLAS_SUMS_64(i) ACCUBLAS_SUMS_32(i), ACCUBLAS_SUMS_32(i + 32)
#define ACCUBLAS_PLACES_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define ACCUBLAS_PLACES_32 \
  ACCUBLAS_PLACES_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define ACCUBLAS_PLACES_48 \
  ACCUBLAS_PLACES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define ACCUBLAS_PLACES_64 \
  ACCUBLAS_PLACES_48 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define ACCUBLAS_PLACES_80 \
  ACCUBLAS_PLACES_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define ACCUBLAS_PLACES_96 \
  ACCUBLAS_PLACES_80 ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define ACCUBLAS_PLACES_112 \
  ACCUBLAS_PLACES_96 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111"
#define ACCUBLAS_PLACES_128 \
  ACCUBLAS_PLACES_112       \
  ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define ACCUBLAS_SIGNED_MMA(columns, places, rows_at, cols_at, add_at, ...)                                      \
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %" add_at                                                   \
               ", 0;\n"                                                                                          \
               "wgmma.mma_async.sync.aligned.m64n" columns "k32.s32.s8.s8 {" places "}, %" rows_at ", %" cols_at \
               ", add;\n}"                                                                                       \
               : __VA_ARGS__                                                                                     \
               : "l"(rows), "l"(cols), "r"(1))

/// Adds to the first 16 Count sums the product of 64 rows and 32 Count columns of 32 signed bytes. Thread t of the
/// warpgroup holds in all[4 j + 2 h + e] row 16 (t / 32) + t % 32 / 4 + 8 h and column 8 j + 2 (t % 4) + e.
template <int Count, int Sums>
__device__ __forceinline__ void mma_signed(std::int32_t (&all)[Sums], std::uint64_t rows, std::uint64_t cols) {
  static_assert(Count >= 1 && Count <= 8 && 16 * Count <= Sums);
  if constexpr (Count == 1)
    ACCUBLAS_SIGNED_MMA("32", ACCUBLAS_PLACES_16, "16", "17", "18", ACCUBLAS_SUMS_16(0));
  else if constexpr (Count == 2)
    ACCUBLAS_SIGNED_MMA("64", ACCUBLAS_PLACES_32, "32", "33", "34", ACCUBLAS_SUMS_32(0));
  else if constexpr (Count == 3)
    ACCUBLAS_SIGNED_MMA("96", ACCUBLAS_PLACES_48, "48", "49", "50", ACCUBLAS_SUMS_32(0), ACCUBLAS_SUMS_16(32));
  else if constexpr (Count == 4)
    ACCUBLAS_SIGNED_MMA("128", ACCUBLAS_PLACES_64, "64", "65", "66", ACCUBLAS_SUMS_64(0));
  else if constexpr (Count == 5)
    ACCUBLAS_SIGNED_MMA("160", ACCUBLAS_PLACES_80, "80", "81", "82", ACCUBLAS_SUMS_64(0), ACCUBLAS_SUMS_16(64));
  else if constexpr (Count == 6)
    ACCUBLAS_SIGNED_MMA("192", ACCUBLAS_PLACES_96, "96", "97", "98", ACCUBLAS_SUMS_64(0), ACCUBLAS_SUMS_32(64));
  else if constexpr (Count == 7)
    ACCUBLAS_SIGNED_MMA("224", ACCUBLAS_PLACES_112, "112", "113", "114", ACCUBLAS_SUMS_64(0), ACCUBLAS_SUMS_32(64),
                        ACCUBLAS_SUMS_16(96));
  else
    ACCUBLAS_SIGNED_MMA("256", ACCUBLAS_PLACES_128, "128", "129", "130", ACCUBLAS_SUMS_64(0), ACCUBLAS_SUMS_64(64));
}

#undef ACCUBLAS_SIGNED_MMA
#undef ACCUBLAS_PLACES_128
#undef ACCUBLAS_PLACES_112
#undef ACCUBLAS_PLACES_96
#undef ACCUBLAS_PLACES_80
#undef ACCUBLAS_PLACES_64
#undef ACCUBLAS_PLACES_48
#undef ACCUBLAS_PLACES_32
#undef ACCUBLAS_PLACES_16
#undef ACCUBLAS_SUMS_64
#undef ACCUBLAS_SUMS_32
#undef ACCUBLAS_SUMS_16
#undef ACCUBLAS_SUMS_4

}  // namespace accublas::cuda::ptx
