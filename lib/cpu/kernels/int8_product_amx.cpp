// INT8 products by AMX: four tiles of 16 x 16 sums, 64 terms a step.
#include "lib/base/integers.hpp"
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

// Tiles 0 to 3 hold the sums, 16 x 16 each (upper rows by left columns, upper by right, lower by left, lower by right).
// Tiles 4 and 5 hold the upper and lower rows, 16 x 64 terms. Tiles 6 and 7 hold the left and right columns, 64 terms x
// 16.
ACCUBLAS_INLINE void zero_sums() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}
/// 64 terms of rows `stride` apart and of a panel.
ACCUBLAS_INLINE void load_terms(const std::uint8_t* upper, const std::uint8_t* lower, std::int64_t stride,
                                const std::int8_t* columns) {
  _tile_loadd(6, columns, 128);
  _tile_loadd(4, upper, stride);
  _tile_loadd(7, columns + 64, 128);
  _tile_loadd(5, lower, stride);
}
/// Adds the products of unsigned rows and signed columns.
ACCUBLAS_INLINE void add_products() {
  _tile_dpbusd(0, 4, 6);
  _tile_dpbusd(1, 4, 7);
  _tile_dpbusd(2, 5, 6);
  _tile_dpbusd(3, 5, 7);
}
/// 32 x 32 of them, 32 to a row.
ACCUBLAS_INLINE void store_sums(std::int32_t* sums) {
  _tile_stored(0, sums, 128);
  _tile_stored(1, sums + 16, 128);
  _tile_stored(2, sums + 16 * 32, 128);
  _tile_stored(3, sums + 16 * 32 + 16, 128);
}

/// `lines` cache lines per 64 terms to be fetched into the second-level cache.
struct Fetch {
  const char *rows, *columns;
  std::int64_t row_lines, column_lines;
};

ACCUBLAS_INLINE const char* fetch_lines(const char* at, std::int64_t lines) {
  for (std::int64_t i = 0; i < lines; ++i) prefetch_near(at + 64 * i);
  return at + 64 * lines;
}

/// 32 x 32 sums over k terms, k a multiple of 64.
ACCUBLAS_INLINE void tile_sums(const std::uint8_t* row, std::int64_t stride, const std::int8_t* column, std::int64_t k,
                               Fetch fetch, std::int32_t* sums) {
  const std::uint8_t* lower = row + 16 * stride;
  zero_sums();
  for (std::int64_t p = 0; p < k; p += 64) {
    load_terms(row + p, lower + p, stride, column + 32 * p);
    fetch.rows = fetch_lines(fetch.rows, fetch.row_lines);
    fetch.columns = fetch_lines(fetch.columns, fetch.column_lines);
    add_products();
  }
  store_sums(sums);
}

/// Calls body(r, c, sums) for every tile, the tiles of the next one being multiplied meanwhile; the next panel and the
/// next call's rows are fetched in equal shares.
template <class Body>
ACCUBLAS_INLINE void for_each_tile(const Int8Product& t, Body&& body) {
  const TileScope scope;
  alignas(64) std::int32_t sums[2][tile_rows * int8_panel];
  const std::int64_t groups = ceil_div(t.rows, tile_rows), panels = ceil_div(t.cols, int8_panel);
  const std::int64_t row_share = t.rows * t.row_stride / (groups * panels), column_share = int8_panel * t.k / groups;
  Fetch fetch{reinterpret_cast<const char*>(t.next_rows), nullptr, ceil_div(row_share, t.k),
              ceil_div(column_share, t.k)};
  std::int64_t last_r = -1, last_c = 0;
  int half = 0;
  for (std::int64_t c = 0; c < t.cols; c += int8_panel) {
    const std::int8_t* column = t.columns_data + c / int8_panel * t.panel_stride;
    fetch.columns = reinterpret_cast<const char*>(c + int8_panel < t.cols ? column + t.panel_stride : t.next_columns);
    for (std::int64_t r = 0; r < t.rows; r += tile_rows) {
      tile_sums(t.rows_data + r * t.row_stride, t.row_stride, column, t.k, fetch, sums[half]);
      fetch.rows += row_share;
      fetch.columns += column_share;
      if (last_r >= 0) body(last_r, last_c, sums[1 - half]);
      last_r = r;
      last_c = c;
      half = 1 - half;
    }
  }
  body(last_r, last_c, sums[1 - half]);
}

void residues(const Int8Product& product, const Int8Modulus& modulus, bool accumulate, std::int8_t* out,
              std::int64_t stride) {
  const Reduction reduction = make_reduction(modulus);
  for_each_tile(
      product, [&](std::int64_t r, std::int64_t c, const std::int32_t* sums) __attribute__((always_inline)) {
        store_residues(sums, tile_rows, reduction, accumulate, out + r * stride + c, stride);
      });
}

void sums(const Int8Product& product, std::int32_t* out, std::int64_t stride) {
  for_each_tile(
      product, [&](std::int64_t r, std::int64_t c, const std::int32_t* sums)
                   __attribute__((always_inline)) { store_sums(sums, tile_rows, out + r * stride + c, stride); });
}

}  // namespace

const Int8ProductKernels& int8_product() {
  static const Int8ProductKernels table = {residues, sums};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
