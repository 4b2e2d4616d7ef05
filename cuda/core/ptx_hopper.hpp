// Named functions for the instructions of compute capability 9.0 (sm_90a) that the product kernel uses: barriers in
// shared memory, TMA copies, clusters, warpgroup MMA. Addresses are 32-bit addresses of the shared window.
//
// Barriers have the default semantics. Data move through the asynchronous proxy, and .acquire.cluster or
// .release.cluster on the barriers costs 20 to 40 % of the whole product.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/core/ptx_portable.hpp"

namespace accublas::cuda::ptx {

// ---- barriers -----------------------------------------------------------------------------------------------------

__device__ __forceinline__ void barrier_init(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

/// Makes initialised barriers visible to the cluster and to bulk copies.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Arrives at the barrier, and makes its phase wait for this many bytes of bulk copies.
__device__ __forceinline__ void barrier_expect(std::uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

/// Arrives at the barrier of the same address in another block of the cluster.
__device__ __forceinline__ void barrier_arrive(std::uint32_t barrier, std::uint32_t rank) {
  asm volatile(
      "{\n.reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(barrier),
      "r"(rank)
      : "memory");
}

/// Returns when the phase of this parity is complete.
__device__ __forceinline__ void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t done;
  do {
    asm volatile(
        "{\n.reg .pred complete;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
        "selp.u32 %0, 1, 0, complete;\n}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  } while (!done);
}

// ---- clusters and registers ---------------------------------------------------------------------------------------

__device__ __forceinline__ std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// All threads of a warp must call this.
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

template <int registers>
__device__ __forceinline__ void give_registers_up() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

// ---- TMA copies (cuda/int8/tensor_map.hpp) --------------------------------------------------------------------

__device__ __forceinline__ void copy_lines(std::uint32_t to, const CUtensorMap& map, int byte, int line,
                                           std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(to),
      "l"(&map), "r"(byte), "r"(line), "r"(barrier)
      : "memory");
}

/// Copies to the same address in all blocks of the mask, and counts the bytes at the barriers of those blocks.
__device__ __forceinline__ void copy_lines(std::uint32_t to, const CUtensorMap& map, int byte, int line,
                                           std::uint32_t barrier, std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(&map), "r"(byte), "r"(line), "r"(barrier), "h"(blocks)
      : "memory");
}

/// Copies to the same address in all blocks of the mask, and counts the bytes at the barriers of those blocks.
__device__ __forceinline__ void copy_permuted_lines(std::uint32_t to, const CUtensorMap& map, int byte, int line_64,
                                                    std::uint32_t barrier, std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3, %3, %3, %4}], [%5], %6;" ::"r"(to),
      "l"(&map), "r"(byte), "r"(0), "r"(line_64), "r"(barrier), "h"(blocks)
      : "memory");
}

/// Orders this thread's earlier reads of shared memory before the writes of bulk copies that are issued later.
__device__ __forceinline__ void reads_before_tma_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Loads neighbouring numbers that are read once, without keeping them in L1.
__device__ __forceinline__ float4 load_numbers_once(const float4* p) {
  float4 r;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(r.x), "=f"(r.y), "=f"(r.z), "=f"(r.w)
               : "l"(p));
  return r;
}
__device__ __forceinline__ float2 load_numbers_once(const float2* p) {
  float2 r;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v2.f32 {%0, %1}, [%2];" : "=f"(r.x), "=f"(r.y) : "l"(p));
  return r;
}

/// Copies bytes of this block's shared memory to the same offset in the block of this rank. The bytes count at that
/// block's barrier of the same address.
__device__ __forceinline__ void copy_to_peer(std::uint32_t at, int bytes, std::uint32_t barrier, std::uint32_t rank) {
  asm volatile(
      "{\n.reg .b32 to, full;\n"
      "mapa.shared::cluster.u32 to, %0, %3;\n"
      "mapa.shared::cluster.u32 full, %2, %3;\n"
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [to], [%0], %1, [full];\n}" ::"r"(at),
      "r"(bytes), "r"(barrier), "r"(rank)
      : "memory");
}

/// Stores 16 bytes in the shared memory of the block of this rank, at the offset that `at` has in this block. The bytes
/// count at that block's barrier of the same address as `barrier`.
__device__ __forceinline__ void store_to_peer(std::uint32_t at, const uint4& bytes, std::uint32_t barrier,
                                              std::uint32_t rank) {
  asm volatile(
      "{\n.reg .b32 to, full;\n"
      "mapa.shared::cluster.u32 to, %0, %6;\n"
      "mapa.shared::cluster.u32 full, %1, %6;\n"
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [to], {%2, %3, %4, %5}, [full];\n}" ::"r"(at),
      "r"(barrier), "r"(bytes.x), "r"(bytes.y), "r"(bytes.z), "r"(bytes.w), "r"(rank)
      : "memory");
}

/// Makes this thread's earlier writes to shared memory visible to MMAs and bulk copies that start after a later
/// barrier.
__device__ __forceinline__ void publish_shared_writes() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ __forceinline__ void store_shared(std::uint32_t to, std::uint32_t x, std::uint32_t y) {
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(to), "r"(x), "r"(y) : "memory");
}
__device__ __forceinline__ void store_shared(std::uint32_t to, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                                             std::uint32_t w) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
}

// ---- warpgroup MMA ------------------------------------------------------------------------------------------------

/// Returns the descriptor of lines of 128 bytes in shared memory, swizzled by 128 bytes, with 1024 bytes between groups
/// of 8 lines. The address must be a multiple of 1024. Adding 2 to the descriptor moves on by 32 bytes of k.
__device__ __forceinline__ std::uint64_t line_descriptor(std::uint32_t address) {
  return (address & 0x3FFFF) >> 4 | std::uint64_t{1} << 16 | std::uint64_t{64} << 32 | std::uint64_t{1} << 62;
}

__device__ __forceinline__ void mma_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void mma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until at most this many committed groups are unfinished.
template <int groups>
__device__ __forceinline__ void mma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}

#define ACCUBLAS_OPERANDS_4(c, i) c(sum[i]), c(sum[i + 1]), c(sum[i + 2]), c(sum[i + 3])
#define ACCUBLAS_OPERANDS_16(c, i)                                                         \
  ACCUBLAS_OPERANDS_4(c, i), ACCUBLAS_OPERANDS_4(c, i + 4), ACCUBLAS_OPERANDS_4(c, i + 8), \
      ACCUBLAS_OPERANDS_4(c, i + 12)
#define ACCUBLAS_OPERANDS_64(c, i)                                                              \
  ACCUBLAS_OPERANDS_16(c, i), ACCUBLAS_OPERANDS_16(c, i + 16), ACCUBLAS_OPERANDS_16(c, i + 32), \
      ACCUBLAS_OPERANDS_16(c, i + 48)
#define ACCUBLAS_REGISTERS_64                                                        \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define ACCUBLAS_REGISTERS_128                                                                   \
  ACCUBLAS_REGISTERS_64                                                                          \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "           \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// Every product below computes sum = (add ? sum : 0) + 64 rows times 128 or 256 columns, with 32 bytes of k. The
// descriptors `rows` and `cols` give the lines. Thread t of the warpgroup holds in sum[4 j + 2 h + e] row 16 (t / 32) +
// t % 32 / 4 + 8 h and column 8 j + 2 (t % 4) + e.

/// Multiplies unsigned bytes.
__device__ __forceinline__ void mma_64x256x32(std::uint32_t (&sum)[128], std::uint64_t rows, std::uint64_t cols,
                                              int add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k32.s32.u8.u8 {" ACCUBLAS_REGISTERS_128 "}, %128, %129, add;\n}"
      : ACCUBLAS_OPERANDS_64("+r", 0), ACCUBLAS_OPERANDS_64("+r", 64)
      : "l"(rows), "l"(cols), "r"(add));
}

/// Multiplies words of IEEE half precision with FP32 sums.
__device__ __forceinline__ void mma_half(float (&sum)[64], std::uint64_t rows, std::uint64_t cols, int add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" ACCUBLAS_REGISTERS_64 "}, %64, %65, add, 1, 1, 0, 0;\n}"
      : ACCUBLAS_OPERANDS_64("+f", 0)
      : "l"(rows), "l"(cols), "r"(add));
}

/// Multiplies TF32 words with FP32 sums.
__device__ __forceinline__ void mma_tf32(float (&sum)[64], std::uint64_t rows, std::uint64_t cols, int add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {" ACCUBLAS_REGISTERS_64 "}, %64, %65, add, 1, 1;\n}"
      : ACCUBLAS_OPERANDS_64("+f", 0)
      : "l"(rows), "l"(cols), "r"(add));
}

#undef ACCUBLAS_REGISTERS_128
#undef ACCUBLAS_REGISTERS_64
#undef ACCUBLAS_OPERANDS_64
#undef ACCUBLAS_OPERANDS_16
#undef ACCUBLAS_OPERANDS_4

}  // namespace accublas::cuda::ptx
