// INT8 products with AVX2: bytes widened to 16 bits, because vpmaddubsw saturates. Two rows by 16 columns in registers,
// two sums a column (even and odd pairs of terms), added at the end.
#include "lib/cpu/kernels/int8_kernels.hpp"
#include "lib/cpu/kernels/int8_vector.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

constexpr int half = int8_panel / 2;

/// 2 x 16 sums; the second row may be the first one again.
void tile_sums(const std::uint8_t* row0, const std::uint8_t* row1, const std::int8_t* column, std::int64_t k,
               std::int32_t* sums0, std::int32_t* sums1) {
  Integers32 a[4], b[4];
  for (int i = 0; i < 4; ++i) a[i] = b[i] = Integers32{};
  for (std::int64_t p = 0; p < k; p += 4) {
    // 4 terms of a row, once for every column of a register.
    const Words16 x0 = splat_four(row0 + p), x1 = splat_four(row1 + p);
    for (int i = 0; i < 4; ++i) {
      const Words16 y = load_16(column + 32 * p + 16 * i);
      a[i] = add_products(a[i], x0, y);
      b[i] = add_products(b[i], x1, y);
    }
  }
  for (int i = 0; i < 4; i += 2) {
    store(sums0 + 4 * i, neighbour_sums(a[i], a[i + 1]));
    store(sums1 + 4 * i, neighbour_sums(b[i], b[i + 1]));
  }
}

/// 4 sums (with the residues to be added) to residues of at most p / 2 in magnitude.
ACCUBLAS_INLINE Integers32x4 reduce(Integers32x4 sum, Doubles p, Doubles inverse) {
  const Doubles x = to_doubles(sum);
  return nearest_integers(minus_product(x, nearest(x * inverse), p));
}

/// Calls body(r, c, sums of row r, columns c .. c + 15) over the tile.
template <class Body>
ACCUBLAS_INLINE void for_each_sums(const Int8Product& t, Body&& body) {
  alignas(32) std::int32_t sums[2][half];
  for (std::int64_t c = 0; c < t.cols; c += half) {
    const std::int8_t* column = t.columns_data + c / int8_panel * t.panel_stride + (c % int8_panel != 0 ? 64 : 0);
    for (std::int64_t r = 0; r < t.rows; r += 2) {
      const std::uint8_t* row = t.rows_data + r * t.row_stride;
      const bool two = r + 1 < t.rows;
      tile_sums(row, two ? row + t.row_stride : row, column, t.k, sums[0], sums[1]);
      body(r, c, sums[0]);
      if (two) body(r + 1, c, sums[1]);
    }
  }
}

void residues(const Int8Product& t, const Int8Modulus& m, bool accumulate, std::int8_t* out, std::int64_t stride) {
  const Doubles p = splat(m.p), inverse = splat(m.inverse);
  for_each_sums(
      t, [&](std::int64_t r, std::int64_t c, const std::int32_t* sums) __attribute__((always_inline)) {
        std::int8_t* to = out + r * stride + c;
        for (int i = 0; i < half; i += 4) {
          alignas(16) std::int32_t previous[4], residue[4];
          // The sum's own residue first: it may be as large as an int32.
          Integers32x4 x = reduce(load_aligned(sums + i), p, inverse);
          if (accumulate) {
            for (int j = 0; j < 4; ++j) previous[j] = to[i + j];
            x = reduce(x + load_aligned(previous), p, inverse);
          }
          store_aligned(residue, x);
          for (int j = 0; j < 4; ++j) to[i + j] = static_cast<std::int8_t>(residue[j]);
        }
      });
}

void sums(const Int8Product& t, std::int32_t* out, std::int64_t stride) {
  for_each_sums(
      t, [&](std::int64_t r, std::int64_t c, const std::int32_t* sums)
             __attribute__((always_inline)) { __builtin_memcpy(out + r * stride + c, sums, half * sizeof *sums); });
}

}  // namespace

const Int8ProductKernels& int8_product() {
  static const Int8ProductKernels table = {residues, sums};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
