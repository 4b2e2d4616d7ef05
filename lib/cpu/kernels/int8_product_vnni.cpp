// INT8 products by vpdpbusd: a register tile of 12 rows by 32 columns.
#include "lib/cpu/kernels/int8_reduce_avx512.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

constexpr int tile_rows = 12;

// Per 4 terms: 2 loads of the columns, 12 broadcasts of the rows, 24 multiply-adds for the two ports that have them. The loop is
// assembly because gcc 12 copies accumulators around the intrinsics, which halves the rate.
// clang-format off
#define ZERO(a) "vpxord %%zmm" #a ", %%zmm" #a ", %%zmm" #a "\n"
#define STORE(a) "vmovdqa64 %%zmm" #a ", 64*" #a "(%[sums])\n"
#define ROW(address, t, a, b)                                     \
  "vpbroadcastd " address ", %%zmm" #t "\n"                       \
  "vpdpbusd %%zmm24, %%zmm" #t ", %%zmm" #a "\n"                  \
  "vpdpbusd %%zmm25, %%zmm" #t ", %%zmm" #b "\n"
#define FOUR_TERMS(r, c)                                          \
  "vmovdqa64 " #c "(%[column]), %%zmm24\n"                        \
  "vmovdqa64 64+" #c "(%[column]), %%zmm25\n"                     \
  ROW(#r "(%[row0])", 26, 0, 1)                                   \
  ROW(#r "(%[row0], %[stride])", 27, 2, 3)                        \
  ROW(#r "(%[row0], %[stride], 2)", 26, 4, 5)                     \
  ROW(#r "(%[row3])", 27, 6, 7)                                   \
  ROW(#r "(%[row3], %[stride])", 26, 8, 9)                        \
  ROW(#r "(%[row3], %[stride], 2)", 27, 10, 11)                   \
  ROW(#r "(%[row6])", 26, 12, 13)                                 \
  ROW(#r "(%[row6], %[stride])", 27, 14, 15)                      \
  ROW(#r "(%[row6], %[stride], 2)", 26, 16, 17)                   \
  ROW(#r "(%[row9])", 27, 18, 19)                                 \
  ROW(#r "(%[row9], %[stride])", 26, 20, 21)                      \
  ROW(#r "(%[row9], %[stride], 2)", 27, 22, 23)

/// 12 x 32 sums over k terms, k a multiple of 16.
void tile_sums(const std::uint8_t* row, std::int64_t stride, const std::int8_t* column, std::int64_t k, std::int32_t* sums) {
  const std::uint8_t *row3 = row + 3 * stride, *row6 = row + 6 * stride, *row9 = row + 9 * stride;
  std::int64_t steps = k / 16;
  __asm__ volatile(
      ZERO(0) ZERO(1) ZERO(2) ZERO(3) ZERO(4) ZERO(5) ZERO(6) ZERO(7) ZERO(8) ZERO(9) ZERO(10) ZERO(11)
      ZERO(12) ZERO(13) ZERO(14) ZERO(15) ZERO(16) ZERO(17) ZERO(18) ZERO(19) ZERO(20) ZERO(21) ZERO(22) ZERO(23)
      ".p2align 5\n"
      "1:\n"
      FOUR_TERMS(0, 0) FOUR_TERMS(4, 128) FOUR_TERMS(8, 256) FOUR_TERMS(12, 384)
      "add $16, %[row0]\n"
      "add $16, %[row3]\n"
      "add $16, %[row6]\n"
      "add $16, %[row9]\n"
      "add $512, %[column]\n"
      "dec %[steps]\n"
      "jnz 1b\n"
      STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7) STORE(8) STORE(9) STORE(10) STORE(11)
      STORE(12) STORE(13) STORE(14) STORE(15) STORE(16) STORE(17) STORE(18) STORE(19) STORE(20) STORE(21) STORE(22)
      STORE(23)
      : [row0] "+r"(row), [row3] "+r"(row3), [row6] "+r"(row6), [row9] "+r"(row9), [column] "+r"(column), [steps] "+r"(steps)
      : [stride] "r"(stride), [sums] "r"(sums)
      : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
        "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
        "xmm26", "xmm27");
}
// clang-format on
#undef ZERO
#undef STORE
#undef ROW
#undef FOUR_TERMS

void residues(const Int8Product& product, const Int8Modulus& modulus, bool accumulate, std::int8_t* out, std::int64_t stride) {
  const Reduction reduction = make_reduction(modulus);
  alignas(64) std::int32_t sums[tile_rows * int8_panel];
  for (std::int64_t c = 0; c < product.cols; c += int8_panel) {
    const std::int8_t* column = product.columns_data + c / int8_panel * product.panel_stride;
    for (std::int64_t r = 0; r < product.rows; r += tile_rows) {
      tile_sums(product.rows_data + r * product.row_stride, product.row_stride, column, product.k, sums);
      store_residues(sums, tile_rows, reduction, accumulate, out + r * stride + c, stride);
    }
  }
}

void sums(const Int8Product& product, std::int32_t* out, std::int64_t stride) {
  alignas(64) std::int32_t tile[tile_rows * int8_panel];
  for (std::int64_t c = 0; c < product.cols; c += int8_panel) {
    const std::int8_t* column = product.columns_data + c / int8_panel * product.panel_stride;
    for (std::int64_t r = 0; r < product.rows; r += tile_rows) {
      tile_sums(product.rows_data + r * product.row_stride, product.row_stride, column, product.k, tile);
      store_sums(tile, tile_rows, out + r * stride + c, stride);
    }
  }
}

}  // namespace

const Int8ProductKernels& int8_product() {
  static const Int8ProductKernels table = {residues, sums};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
