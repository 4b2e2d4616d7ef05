// INT8 products with AVX2: bytes widened to 16 bits, because vpmaddubsw saturates. Two rows by 16 columns in registers,
// two sums a column (even and odd pairs of terms), added at the end.
#include <immintrin.h>

#include "lib/cpu/kernels/int8_kernels.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

constexpr int half = int8_panel / 2;

/// 4 unsigned bytes of a row, widened, once for every column of a register.
inline __attribute__((always_inline)) __m256i four_terms(const std::uint8_t* at) {
  int bytes;
  __builtin_memcpy(&bytes, at, sizeof bytes);
  return _mm256_cvtepu8_epi16(_mm_set1_epi32(bytes));
}

/// 2 x 16 sums; the second row may be the first one again.
void tile_sums(const std::uint8_t* row0, const std::uint8_t* row1, const std::int8_t* column, std::int64_t k,
               std::int32_t* sums0, std::int32_t* sums1) {
  __m256i a[4], b[4];
  for (int i = 0; i < 4; ++i) a[i] = b[i] = _mm256_setzero_si256();
  for (std::int64_t p = 0; p < k; p += 4) {
    const __m256i x0 = four_terms(row0 + p), x1 = four_terms(row1 + p);
    for (int i = 0; i < 4; ++i) {
      const __m256i y =
          _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(column + 32 * p + 16 * i)));
      a[i] = _mm256_add_epi32(a[i], _mm256_madd_epi16(x0, y));
      b[i] = _mm256_add_epi32(b[i], _mm256_madd_epi16(x1, y));
    }
  }
  for (int i = 0; i < 4; i += 2) {
    // hadd leaves the columns 0 1 4 5 | 2 3 6 7.
    const __m256i sa = _mm256_permute4x64_epi64(_mm256_hadd_epi32(a[i], a[i + 1]), 0xD8);
    const __m256i sb = _mm256_permute4x64_epi64(_mm256_hadd_epi32(b[i], b[i + 1]), 0xD8);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums0 + 4 * i), sa);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums1 + 4 * i), sb);
  }
}

/// 4 sums (with the residues to be added) to residues of at most p / 2 in magnitude.
inline __attribute__((always_inline)) __m128i reduce(__m128i sum, __m256d p, __m256d inverse) {
  const __m256d x = _mm256_cvtepi32_pd(sum);
  const __m256d q = _mm256_round_pd(_mm256_mul_pd(x, inverse), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  return _mm256_cvtpd_epi32(_mm256_fnmadd_pd(q, p, x));
}

/// Calls body(r, c, sums of row r, columns c .. c + 15) over the tile.
template <class Body>
inline __attribute__((always_inline)) void for_each_sums(const Int8Product& t, Body&& body) {
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
  const __m256d p = _mm256_set1_pd(m.p), inverse = _mm256_set1_pd(m.inverse);
  for_each_sums(
      t, [&](std::int64_t r, std::int64_t c, const std::int32_t* sums) __attribute__((always_inline)) {
        std::int8_t* to = out + r * stride + c;
        for (int i = 0; i < half; i += 4) {
          alignas(16) std::int32_t previous[4], residue[4];
          // The sum's own residue first: it may be as large as an int32.
          __m128i x = reduce(_mm_load_si128(reinterpret_cast<const __m128i*>(sums + i)), p, inverse);
          if (accumulate) {
            for (int j = 0; j < 4; ++j) previous[j] = to[i + j];
            x = reduce(_mm_add_epi32(x, _mm_load_si128(reinterpret_cast<const __m128i*>(previous))), p, inverse);
          }
          _mm_store_si128(reinterpret_cast<__m128i*>(residue), x);
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
