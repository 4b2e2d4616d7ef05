// INT8 products with NEON: USMMLA on pairs of rows and of columns, or SDOT, or what SDOT does made of widening
// products.
#include <algorithm>

#include "lib/cpu/kernels/int8_kernels.hpp"
#include "lib/cpu/kernels/intrinsics.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

/// sum + a0 b0 + a1 b1 + a2 b2 + a3 b3 for the four signed bytes of every lane.
ACCUBLAS_INLINE int32x4_t add_byte_products(int32x4_t sum, int8x16_t a, int8x16_t b) {
#if ACCUBLAS_ISA_LEVEL >= 6
  return vdotq_s32(sum, a, b);
#else
  const int16x8_t low = vmull_s8(vget_low_s8(a), vget_low_s8(b)), high = vmull_high_s8(a, b);
  return vaddq_s32(sum, vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)));
#endif
}
/// add_byte_products for lane `lane` of a and all lanes of b.
template <int lane>
ACCUBLAS_INLINE int32x4_t add_lane_products(int32x4_t sum, int8x16_t a, int8x16_t b) {
#if ACCUBLAS_ISA_LEVEL >= 6
  return vdotq_laneq_s32(sum, b, a, lane);
#else
  return add_byte_products(sum, vreinterpretq_s8_s32(vdupq_laneq_s32(vreinterpretq_s32_s8(a), lane)), b);
#endif
}

/// 16 unsigned bytes less 128, as signed ones.
ACCUBLAS_INLINE int8x16_t flipped(const std::uint8_t* p) {
  return vreinterpretq_s8_u8(veorq_u8(vld1q_u8(p), vdupq_n_u8(0x80)));
}

#if ACCUBLAS_ISA_LEVEL < 7

constexpr int tile_rows = 4, tile_cols = 16;

/// 128 times the sums of 32 columns.
void column_sums(const std::int8_t* column, std::int64_t k, std::int32_t* sums) {
  int32x4_t sum[8] = {};
  for (std::int64_t p = 0; p < k; p += 4)
    for (int v = 0; v < 8; ++v) sum[v] = add_byte_products(sum[v], vld1q_s8(column + 32 * p + 16 * v), vdupq_n_s8(1));
  for (int v = 0; v < 8; ++v) vst1q_s32(sums + 4 * v, vshlq_n_s32(sum[v], 7));
}

/// 4 x 16 sums: SDOT multiplies signed bytes, so residues of rows are taken as x - 128, and the sums of the columns
/// make up for that.
void tile_sums(const std::uint8_t* row, std::int64_t stride, const std::int8_t* column, std::int64_t k,
               const std::int32_t* of_columns, std::int32_t* sums) {
  int32x4_t sum[tile_rows][4];
  for (int v = 0; v < 4; ++v)
    for (int r = 0; r < tile_rows; ++r) sum[r][v] = vld1q_s32(of_columns + 4 * v);
  const auto step = [&]<int lane>(const int8x16_t* x, const std::int8_t* at) __attribute__((always_inline)) {
    for (int v = 0; v < 4; ++v) {
      const int8x16_t y = vld1q_s8(at + 16 * v);
      for (int r = 0; r < tile_rows; ++r) sum[r][v] = add_lane_products<lane>(sum[r][v], x[r], y);
    }
  };
  for (std::int64_t p = 0; p < k; p += 16) {
    int8x16_t x[tile_rows];
    for (int r = 0; r < tile_rows; ++r) x[r] = flipped(row + r * stride + p);
    const std::int8_t* const at = column + 32 * p;
    step.template operator()<0>(x, at);
    step.template operator()<1>(x, at + 128);
    step.template operator()<2>(x, at + 256);
    step.template operator()<3>(x, at + 384);
  }
  for (int r = 0; r < tile_rows; ++r)
    for (int v = 0; v < 4; ++v) vst1q_s32(sums + tile_cols * r + 4 * v, sum[r][v]);
}

/// Calls body(r, c, sums) for every tile.
template <class Body>
ACCUBLAS_INLINE void for_each_tile(const Int8Product& t, Body&& body) {
  alignas(64) std::int32_t sums[tile_rows * tile_cols], of_columns[int8_panel];
  for (std::int64_t c = 0; c < t.cols; c += int8_panel) {
    const std::int8_t* const column = t.columns_data + c / int8_panel * t.panel_stride;
    column_sums(column, t.k, of_columns);
    for (std::int64_t r = 0; r < t.rows; r += tile_rows)
      for (int half = 0; half < int8_panel; half += tile_cols) {
        tile_sums(t.rows_data + r * t.row_stride, t.row_stride, column + 4 * half, t.k, of_columns + half, sums);
        body(r, c + half, sums);
      }
  }
}

#else

constexpr int tile_rows = 16, tile_cols = int8_panel;
constexpr std::int64_t chunk = 1024;  ///< terms whose rows are packed at a time, in first-level cache

/// Packs 16 rows of `terms` terms: 8 terms of two rows to a register, the pairs of rows side by side.
void pack(const std::uint8_t* row, std::int64_t stride, std::int64_t terms, std::uint8_t* packed) {
  for (std::int64_t p = 0; p < terms; p += 16)
    for (int r = 0; r < tile_rows; r += 2) {
      const uint64x2_t first = vreinterpretq_u64_u8(vld1q_u8(row + r * stride + p)),
                       second = vreinterpretq_u64_u8(vld1q_u8(row + (r + 1) * stride + p));
      std::uint8_t* const to = packed + tile_rows * p + 8 * r;
      vst1q_u8(to, vreinterpretq_u8_u64(vzip1q_u64(first, second)));
      vst1q_u8(to + 8 * tile_rows, vreinterpretq_u8_u64(vzip2q_u64(first, second)));
    }
}

/// Adds 16 x 4 sums over `terms` terms, or sets them. `column` is the first of the four columns in its panel.
void add_products(const std::uint8_t* packed, const std::int8_t* column, std::int64_t terms, bool add,
                  std::int32_t* sums) {
  int32x4_t sum[tile_rows / 2][2] = {};
  for (std::int64_t p = 0; p < terms; p += 8) {
    // Four terms of four columns; the zips make eight terms of two.
    const int32x4_t low = vreinterpretq_s32_s8(vld1q_s8(column + 32 * p)),
                    high = vreinterpretq_s32_s8(vld1q_s8(column + 32 * p + 128));
    const int8x16_t y[2] = {vreinterpretq_s8_s32(vzip1q_s32(low, high)), vreinterpretq_s8_s32(vzip2q_s32(low, high))};
    for (int r = 0; r < tile_rows / 2; ++r) {
      const uint8x16_t x = vld1q_u8(packed + tile_rows * p + 16 * r);
      for (int v = 0; v < 2; ++v) sum[r][v] = vusmmlaq_s32(sum[r][v], x, y[v]);
    }
  }
  for (int r = 0; r < tile_rows / 2; ++r) {
    const int64x2_t left = vreinterpretq_s64_s32(sum[r][0]), right = vreinterpretq_s64_s32(sum[r][1]);
    const int32x4_t both[2] = {vreinterpretq_s32_s64(vzip1q_s64(left, right)),
                               vreinterpretq_s32_s64(vzip2q_s64(left, right))};
    for (int i = 0; i < 2; ++i) {
      std::int32_t* const to = sums + (2 * r + i) * tile_cols;
      vst1q_s32(to, add ? vaddq_s32(both[i], vld1q_s32(to)) : both[i]);
    }
  }
}

/// Calls body(r, c, sums) for every 16 rows and 32 columns.
template <class Body>
ACCUBLAS_INLINE void for_each_tile(const Int8Product& t, Body&& body) {
  alignas(64) std::int32_t sums[tile_rows * tile_cols];
  alignas(64) std::uint8_t packed[tile_rows * chunk];
  for (std::int64_t r = 0; r < t.rows; r += tile_rows)
    for (std::int64_t c = 0; c < t.cols; c += tile_cols) {
      const std::int8_t* const column = t.columns_data + c / int8_panel * t.panel_stride;
      for (std::int64_t p = 0; p < t.k; p += chunk) {
        const std::int64_t terms = std::min(chunk, t.k - p);
        if (c == 0 || t.k > chunk) pack(t.rows_data + r * t.row_stride + p, t.row_stride, terms, packed);
        for (int v = 0; v < tile_cols; v += 4) add_products(packed, column + 32 * p + 4 * v, terms, p > 0, sums + v);
      }
      body(r, c, sums);
    }
}

#endif

/// Constants of a modulus in registers (Int8Modulus).
struct Reduction {
  int8x16_t weight;
  int32x4_t start;
  float32x4_t inverse, magic;
  uint32x4_t p;
};

ACCUBLAS_INLINE Reduction make_reduction(const Int8Modulus& m) {
  std::int32_t weights, all = 0;
  __builtin_memcpy(&weights, m.weight, sizeof weights);
  for (const std::int8_t weight : m.weight) all += weight;
  // The bytes are taken as b - 128.
  return {vreinterpretq_s8_s32(vdupq_n_s32(weights)), vdupq_n_s32(m.start + 128 * all), vdupq_n_f32(m.inverse_float),
          vdupq_n_f32(m.magic), vdupq_n_u32(static_cast<std::uint32_t>(m.p))};
}

/// 4 sums to residues in the low bytes, as int8_reduce_avx512.hpp has it: the bytes of s + 2^31, less 128, are those of
/// s with three signs changed.
ACCUBLAS_INLINE uint32x4_t reduce(int32x4_t sum, int32x4_t start, const Reduction& m) {
  const int8x16_t bytes = vreinterpretq_s8_s32(veorq_s32(sum, vdupq_n_s32(0x00808080)));
  const int32x4_t f = add_byte_products(start, bytes, m.weight);
  const float32x4_t q = vfmaq_f32(m.magic, vreinterpretq_f32_s32(f), m.inverse);
  return vmlsq_u32(vreinterpretq_u32_s32(f), vreinterpretq_u32_f32(q), m.p);
}

/// The residues of 16 sums, plus the residues at `to` if `Accumulate`.
template <bool Accumulate>
ACCUBLAS_INLINE void store_residues(const std::int32_t* sums, const Reduction& m, std::int8_t* to) {
  int32x4_t start[4] = {m.start, m.start, m.start, m.start};
  if (Accumulate) {
    const int8x16_t before = vld1q_s8(to);
    const int16x8_t halves[2] = {vmovl_s8(vget_low_s8(before)), vmovl_high_s8(before)};
    for (int i = 0; i < 2; ++i) {
      start[2 * i] = vaddw_s16(start[2 * i], vget_low_s16(halves[i]));
      start[2 * i + 1] = vaddw_high_s16(start[2 * i + 1], halves[i]);
    }
  }
  uint32x4_t r[4];
  for (int i = 0; i < 4; ++i) r[i] = reduce(vld1q_s32(sums + 4 * i), start[i], m);
  const uint16x8_t low = vuzp1q_u16(vreinterpretq_u16_u32(r[0]), vreinterpretq_u16_u32(r[1])),
                   high = vuzp1q_u16(vreinterpretq_u16_u32(r[2]), vreinterpretq_u16_u32(r[3]));
  vst1q_s8(to, vreinterpretq_s8_u8(vuzp1q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high))));
}

void residues(const Int8Product& t, const Int8Modulus& modulus, bool accumulate, std::int8_t* out,
              std::int64_t stride) {
  const Reduction m = make_reduction(modulus);
  for_each_tile(
      t, [&](std::int64_t r, std::int64_t c, const std::int32_t* sums) __attribute__((always_inline)) {
        for (int i = 0; i < tile_rows && r + i < t.rows; ++i)
          for (int j = 0; j < tile_cols; j += 16) {
            std::int8_t* const to = out + (r + i) * stride + c + j;
            const std::int32_t* const from = sums + i * tile_cols + j;
            accumulate ? store_residues<true>(from, m, to) : store_residues<false>(from, m, to);
          }
      });
}

void sums(const Int8Product& t, std::int32_t* out, std::int64_t stride) {
  for_each_tile(
      t, [&](std::int64_t r, std::int64_t c, const std::int32_t* sums) __attribute__((always_inline)) {
        for (int i = 0; i < tile_rows && r + i < t.rows; ++i)
          __builtin_memcpy(out + (r + i) * stride + c, sums + i * tile_cols, tile_cols * sizeof *sums);
      });
}

}  // namespace

const Int8ProductKernels& int8_product() {
  static const Int8ProductKernels table = {residues, sums};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
