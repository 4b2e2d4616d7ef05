// INT8 products by AMX: four tiles of 16 x 16 sums, 64 terms a step.
#include "lib/cpu/kernels/int8_reduce_avx512.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

constexpr int tile_rows = 32;

struct alignas(64) TileConfiguration {
  std::uint8_t palette, start_row, reserved[14];
  std::uint16_t bytes_per_row[16];
  std::uint8_t rows[16];
};

/// The tiles' shapes, while a kernel runs. Every tile is 16 rows of 64 bytes.
class TileScope {
 public:
  TileScope() {
    TileConfiguration c = {};
    c.palette = 1;
    for (int t = 0; t < 8; ++t) {
      c.bytes_per_row[t] = 64;
      c.rows[t] = 16;
    }
    _tile_loadconfig(&c);
  }
  ~TileScope() { _tile_release(); }
  TileScope(const TileScope&) = delete;
  TileScope& operator=(const TileScope&) = delete;
};

/// 32 x 32 sums over k terms, k a multiple of 64.
inline __attribute__((always_inline)) void tile_sums(const std::uint8_t* row, std::int64_t stride, const std::int8_t* column,
                                                     std::int64_t k, std::int32_t* sums) {
  const std::uint8_t* lower = row + 16 * stride;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (std::int64_t p = 0; p < k; p += 64) {
    _tile_loadd(6, column + 32 * p, 128);
    _tile_loadd(4, row + p, stride);
    _tile_loadd(7, column + 32 * p + 64, 128);
    _tile_loadd(5, lower + p, stride);
    _tile_dpbusd(0, 4, 6);
    _tile_dpbusd(1, 4, 7);
    _tile_dpbusd(2, 5, 6);
    _tile_dpbusd(3, 5, 7);
  }
  _tile_stored(0, sums, 128);
  _tile_stored(1, sums + 16, 128);
  _tile_stored(2, sums + 16 * 32, 128);
  _tile_stored(3, sums + 16 * 32 + 16, 128);
}

void residues(const Int8Product& product, const Int8Modulus& modulus, bool accumulate, std::int8_t* out, std::int64_t stride) {
  const TileScope scope;
  const Reduction reduction = make_reduction(modulus);
  alignas(64) std::int32_t sums[2][tile_rows * int8_panel];
  // The sums of one tile are reduced while the tiles of the next are multiplied.
  std::int8_t* pending = nullptr;
  int half = 0;
  for (std::int64_t c = 0; c < product.cols; c += int8_panel) {
    const std::int8_t* column = product.columns_data + c / int8_panel * product.panel_stride;
    for (std::int64_t r = 0; r < product.rows; r += tile_rows) {
      tile_sums(product.rows_data + r * product.row_stride, product.row_stride, column, product.k, sums[half]);
      if (pending) store_residues(sums[1 - half], tile_rows, reduction, accumulate, pending, stride);
      pending = out + r * stride + c;
      half = 1 - half;
    }
  }
  if (pending) store_residues(sums[1 - half], tile_rows, reduction, accumulate, pending, stride);
}

void sums(const Int8Product& product, std::int32_t* out, std::int64_t stride) {
  const TileScope scope;
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
