// INT8 products by vpdpbusd: a register tile of 12 rows by 32 columns.
#include "lib/base/integers.hpp"
#include "lib/cpu/kernels/int8_reduce_avx512.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

constexpr int tile_rows = 12;

// Per 4 terms: 2 loads of the columns, 12 broadcasts of the rows, 24 multiply-adds for the two ports that have them.
// The loop is assembly because gcc 12 copies accumulators around the intrinsics, which halves the rate.
// clang-format off
#define ZERO(a) "vpxord %%zmm" #a ", %%zmm" #a ", %%zmm" #a "\n"
#define STORE(a) "vmovdqa64 %%zmm" #a ", 64*" #a "(%[sums])\n"
#define ROW(address, t, a, b)                                     \
  "vpbroadcastd " address ", %%zmm" #t "\n"                       \
  "vpdpbusd %%zmm24, %%zmm" #t ", %%zmm" #a "\n"                  \
  "vpdpbusd %%zmm25, %%zmm" #t ", %%zmm" #b "\n"
#define THREE_ROWS(r, base, a, b, c, d, e, f)                     \
  ROW(#r "(%[" #base "])", 26, a, b)                              \
  ROW(#r "(%[" #base "], %[stride])", 27, c, d)                   \
  ROW(#r "(%[" #base "], %[stride], 2)", 26, e, f)
#define COLUMNS(c)                                                \
  "vmovdqa64 " #c "(%[column]), %%zmm24\n"                        \
  "vmovdqa64 64+" #c "(%[column]), %%zmm25\n"
#define ROWS_3(r) THREE_ROWS(r, row0, 0, 1, 2, 3, 4, 5)
#define ROWS_6(r) ROWS_3(r) THREE_ROWS(r, row3, 6, 7, 8, 9, 10, 11)
#define ROWS_9(r) ROWS_6(r) THREE_ROWS(r, row6, 12, 13, 14, 15, 16, 17)
#define ROWS_12(r) ROWS_9(r) THREE_ROWS(r, row9, 18, 19, 20, 21, 22, 23)
#define SIX(OP, a, b, c, d, e, f) OP(a) OP(b) OP(c) OP(d) OP(e) OP(f)
#define REGISTERS_3(OP) SIX(OP, 0, 1, 2, 3, 4, 5)
#define REGISTERS_6(OP) REGISTERS_3(OP) SIX(OP, 6, 7, 8, 9, 10, 11)
#define REGISTERS_9(OP) REGISTERS_6(OP) SIX(OP, 12, 13, 14, 15, 16, 17)
#define REGISTERS_12(OP) REGISTERS_9(OP) SIX(OP, 18, 19, 20, 21, 22, 23)

/// Addresses to be fetched into the second-level cache, one of each kind per 16 terms.
struct Fetch {
  const char *rows, *columns;
  std::int64_t row_step, column_step;
};

/// `count` x 32 sums over k terms, k a multiple of 16.
#define TILE_SUMS(count)                                                                                                       \
  void tile_sums_##count(const std::uint8_t* row, std::int64_t stride, const std::int8_t* column, std::int64_t k, Fetch fetch,  \
                        std::int32_t* sums) {                                                                                  \
    const std::uint8_t *row3 = row + 3 * stride, *row6 = row + 6 * stride, *row9 = row + 9 * stride;                           \
    std::int64_t steps = k / 16;                                                                                               \
    __asm__ volatile(                                                                                                          \
        REGISTERS_##count(ZERO)                                                                                                 \
        ".p2align 5\n"                                                                                                         \
        "1:\n"                                                                                                                 \
        COLUMNS(0) ROWS_##count(0)                                                                                              \
        "prefetcht1 (%[fetch_rows])\n"                                                                                         \
        COLUMNS(128) ROWS_##count(4)                                                                                            \
        "prefetcht1 (%[fetch_columns])\n"                                                                                      \
        COLUMNS(256) ROWS_##count(8) COLUMNS(384) ROWS_##count(12)                                                               \
        "add %[row_step], %[fetch_rows]\n"                                                                                     \
        "add %[column_step], %[fetch_columns]\n"                                                                               \
        "add $16, %[row0]\n"                                                                                                   \
        "add $16, %[row3]\n"                                                                                                   \
        "add $16, %[row6]\n"                                                                                                   \
        "add $16, %[row9]\n"                                                                                                   \
        "add $512, %[column]\n"                                                                                                \
        "dec %[steps]\n"                                                                                                       \
        "jnz 1b\n"                                                                                                             \
        REGISTERS_##count(STORE)                                                                                                \
        : [row0] "+r"(row), [row3] "+r"(row3), [row6] "+r"(row6), [row9] "+r"(row9), [column] "+r"(column),                    \
          [steps] "+r"(steps), [fetch_rows] "+r"(fetch.rows), [fetch_columns] "+r"(fetch.columns)                              \
        : [stride] "r"(stride), [sums] "r"(sums), [row_step] "r"(fetch.row_step), [column_step] "r"(fetch.column_step)         \
        : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",    \
          "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", \
          "xmm25", "xmm26", "xmm27");                                                                                          \
  }

TILE_SUMS(3)
TILE_SUMS(6)
TILE_SUMS(9)
TILE_SUMS(12)
// clang-format on
#undef ZERO
#undef STORE
#undef ROW
#undef THREE_ROWS
#undef COLUMNS
#undef ROWS_3
#undef ROWS_6
#undef ROWS_9
#undef ROWS_12
#undef SIX
#undef REGISTERS_3
#undef REGISTERS_6
#undef REGISTERS_9
#undef REGISTERS_12
#undef TILE_SUMS

/// Calls body(r, c, rows, sums) for every register tile; the next panel and the next call's rows are fetched in equal
/// shares.
template <class Body>
ACCUBLAS_INLINE void for_each_tile(const Int8Product& t, Body&& body) {
  alignas(64) std::int32_t sums[tile_rows * int8_panel];
  const std::int64_t groups = ceil_div(t.rows, tile_rows), panels = ceil_div(t.cols, int8_panel);
  const std::int64_t steps = t.k / 16, row_share = t.rows * t.row_stride / (groups * panels),
                     column_share = int8_panel * t.k / groups;
  Fetch fetch{reinterpret_cast<const char*>(t.next_rows), nullptr, row_share / steps, column_share / steps};
  for (std::int64_t c = 0; c < t.cols; c += int8_panel) {
    const std::int8_t* column = t.columns_data + c / int8_panel * t.panel_stride;
    fetch.columns = reinterpret_cast<const char*>(c + int8_panel < t.cols ? column + t.panel_stride : t.next_columns);
    for (std::int64_t r = 0; r < t.rows; r += tile_rows) {
      const std::uint8_t* row = t.rows_data + r * t.row_stride;
      const std::int64_t left = t.rows - r;
      int count = tile_rows;
      if (left > 9) {
        tile_sums_12(row, t.row_stride, column, t.k, fetch, sums);
      } else if (left > 6) {
        tile_sums_9(row, t.row_stride, column, t.k, fetch, sums);
        count = 9;
      } else if (left > 3) {
        tile_sums_6(row, t.row_stride, column, t.k, fetch, sums);
        count = 6;
      } else {
        tile_sums_3(row, t.row_stride, column, t.k, fetch, sums);
        count = 3;
      }
      fetch.rows += row_share;
      fetch.columns += column_share;
      body(r, c, count, sums);
    }
  }
}

void residues(const Int8Product& product, const Int8Modulus& modulus, bool accumulate, std::int8_t* out,
              std::int64_t stride) {
  const Reduction reduction = make_reduction(modulus);
  for_each_tile(
      product, [&](std::int64_t r, std::int64_t c, int rows, const std::int32_t* sums) __attribute__((always_inline)) {
        store_residues(sums, rows, reduction, accumulate, out + r * stride + c, stride);
      });
}

void sums(const Int8Product& product, std::int32_t* out, std::int64_t stride) {
  for_each_tile(
      product, [&](std::int64_t r, std::int64_t c, int rows, const std::int32_t* sums)
                   __attribute__((always_inline)) { store_sums(sums, rows, out + r * stride + c, stride); });
}

}  // namespace

const Int8ProductKernels& int8_product() {
  static const Int8ProductKernels table = {residues, sums};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
