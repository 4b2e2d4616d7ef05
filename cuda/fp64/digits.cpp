// The host's part of engines fp16 and fp64: sizes, and the order of the products.
#include "cuda/fp64/digits.hpp"

#include <algorithm>
#include <bit>

#include "cuda/core/call_state.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/product_blocks.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

/// Returns the size of equal blocks of at most `most`, as large as possible.
Index equal_blocks(Index all, Index most, Index multiple) {
  const Index blocks = ceil_div(all, most);
  return round_up(ceil_div(all, blocks), multiple);
}

/// A group of digits that one product covers. Digits first .. first + count - 1 of the rows' side are multiplied by
/// digits level - first, level - first - 1, ... of the columns' side. The product's inner dimension runs over all of
/// them.
struct Group {
  int level, first, count;
  int number;  ///< number of the group in its level
  bool last;   ///< last group in its level
};

template <class Body>
void for_groups(const DigitScheme& scheme, Index terms, Body&& body) {
  const int run = static_cast<int>(std::max<Index>(1, scheme.terms / terms));
  for (int level = 0; level < scheme.levels(); ++level) {
    const int end = std::min(level, scheme.digits - 1) + 1;
    int number = 0;
    for (int first = std::max(0, level - scheme.digits + 1); first < end; first += run, ++number)
      body(Group{level, first, std::min(run, end - first), number, first + run >= end});
  }
}

/// Multiplies all pairs of digits of a chunk.
void multiply(Cublas& cublas, const DigitScheme& scheme, const DigitBlocks& blocks, const ProductPart& part,
              const void* rows_digits, const void* cols_digits, void* products, std::int64_t* levels,
              const PassPlan* plan, cudaStream_t stream) {
  const Index rows = part.rows, cols = part.cols, padded = part.padded();
  const Index ld = scheme.digits * padded, plane = blocks.rows * blocks.cols;
  for_groups(scheme, part.terms, [&](const Group& g) {
    const Index row_at = g.first * padded, col_at = (scheme.digits - 1 - g.level + g.first) * padded;
    const int slot = g.number % blocks.products;
    // A row-major product is the transposed product for cuBLAS: its rows are our columns.
    if (scheme.half) {
      const float one = 1, zero = 0;
      const auto* a = static_cast<const std::uint16_t*>(cols_digits) + col_at;
      const auto* b = static_cast<const std::uint16_t*>(rows_digits) + row_at;
      cublas.gemm_half(cols, rows, g.count * padded, &one, {a, CUBLAS_OP_T, ld}, {b, CUBLAS_OP_N, ld}, &zero,
                       static_cast<float*>(products) + slot * plane, blocks.cols);
    } else {
      const double one = 1, zero = 0;
      const auto* a = static_cast<const double*>(cols_digits) + col_at;
      const auto* b = static_cast<const double*>(rows_digits) + row_at;
      cublas.gemm(cols, rows, g.count * padded, &one, {a, CUBLAS_OP_T, ld}, {b, CUBLAS_OP_N, ld}, &zero,
                  static_cast<double*>(products) + slot * plane, blocks.cols);
    }
    if (g.last || slot + 1 == blocks.products)
      add_to_level(LevelArguments{scheme.half, products, slot + 1, plane, levels + g.level * plane, rows, cols,
                                  blocks.cols, g.number > slot || part.p0 > 0},
                   plan, stream);
  });
}

}  // namespace

DigitScheme digit_scheme(bool half, int bits, Index k) {
  const int log2_k = std::bit_width(static_cast<std::uint64_t>(k - 1));
  DigitScheme s{};
  s.half = half;
  // Level sums stay below digits k 2^(2 width - 2) <= 2^62. FP16: 7 bits leave products of 4096 terms, long enough to
  // hide the traffic of their results; wider digits make fewer but shorter products. FP64: products have 2048 terms.
  s.width = half ? 7 : std::min(22, (58 - log2_k) / 2 + 1);
  s.digits = (bits + s.width) / s.width;
  s.terms = Index{1} << ((half ? 24 : 53) - (2 * s.width - 2));
  const int sum_bits = 2 * s.bits() + log2_k + 2;
  s.limbs = sum_bits <= 128 ? 2 : sum_bits <= 192 ? 3 : 6;
  return s;
}

DigitBlocks digit_blocks(const DigitScheme& scheme, Index m, Index n, Index k, std::size_t available) {
  DigitBlocks b{};
  b.digits = scheme.digits;
  b.levels = scheme.levels();
  b.products = scheme.half ? 4 : 1;
  const auto size = [&](Index rows, Index cols, Index terms) {
    const auto bytes = [](Index a, Index c, Index each) {
      return static_cast<std::size_t>(a) * static_cast<std::size_t>(c * each);
    };
    const Index digit = scheme.half ? 2 : 8, sum = scheme.half ? 4 : 8;
    b.rows = rows;
    b.cols = cols;
    b.terms = terms;
    b.rows_bytes = bytes(rows, scheme.digits * terms, digit);
    b.cols_bytes = bytes(cols, scheme.digits * terms, digit);
    b.product_bytes = bytes(rows, cols, b.products * sum);
    b.level_bytes = bytes(rows, cols, b.levels * 8);
  };
  Index rows = padded_lines(m), cols = padded_lines(n);
  Index terms = equal_blocks(k, scheme.terms, ProductBlocks::term_step);
  size(rows, cols, terms);
  while (b.bytes() > available) {
    if (rows > line_group || cols > line_group) {
      Index& longer = rows >= cols ? rows : cols;
      longer = equal_blocks(rows >= cols ? m : n, longer - line_group, line_group);
    } else if (terms > 2 * ProductBlocks::term_step) {
      terms = round_up(terms / 2, ProductBlocks::term_step);
    } else {
      break;
    }
    size(rows, cols, terms);
  }
  return b;
}

template <class T>
void digit_pass(Cublas& cublas, const DigitScheme& scheme, const DigitBlocks& blocks, const DigitPass<T>& pass,
                void* workspace, cudaStream_t stream) {
  char* next = static_cast<char*>(workspace);
  const auto take = [&](std::size_t bytes) {
    char* const here = next;
    next += bytes;
    return here;
  };
  void* const rows_digits = take(blocks.rows_bytes);
  void* const cols_digits = take(blocks.cols_bytes);
  auto* const levels = reinterpret_cast<std::int64_t*>(take(blocks.level_bytes));
  void* const products = take(blocks.product_bytes);
  const PassPlan* const plan = &pass.state->pass[pass.index];
  const Index m = pass.rows.count, n = pass.cols.count, k = pass.rows.k;
  cublas.scalars_on_device(false);

  for_product_parts(
      m, n, k, blocks,
      [&](const ProductPart& part) {
        cut_digits(scheme, CutArguments<T>{part.of_rows(pass.rows), pass.row_lines, true, false, rows_digits}, plan,
                   stream);
      },
      [&](const ProductPart& part) {
        cut_digits(scheme, CutArguments<T>{part.of_cols(pass.cols), pass.col_lines, false, true, cols_digits}, plan,
                   stream);
      },
      [&](const ProductPart& part) {
        multiply(cublas, scheme, blocks, part, rows_digits, cols_digits, products, levels, plan, stream);
      },
      [&](const ProductPart& part) {
        finish_levels(scheme, blocks, pass, levels, part.row, part.rows, part.col, part.cols, stream);
      });
}

template void digit_pass(Cublas&, const DigitScheme&, const DigitBlocks&, const DigitPass<double>&, void*,
                         cudaStream_t);
template void digit_pass(Cublas&, const DigitScheme&, const DigitBlocks&, const DigitPass<float>&, void*, cudaStream_t);

}  // namespace accublas::cuda
