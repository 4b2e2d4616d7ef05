// The kernels of tall QR: products of columns against exact sums, within their bound, and solutions with a triangle.
#include "cuda/lapack/tall_columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "lib/numerics/exact_sum.hpp"
#include "test/gpu/device.hpp"
#include "test/gpu/device_lines.hpp"

namespace accublas::test {
namespace {

/// An m x n matrix in either layout, with a poisoned gap after each row or column.
struct TallMatrix {
  Index m, n;
  bool by_rows;
  std::vector<double> numbers;

  TallMatrix(Index rows, Index cols, bool rows_adjacent)
      : m(rows),
        n(cols),
        by_rows(rows_adjacent),
        numbers(static_cast<std::size_t>(by_rows ? m * (n + 3) : n * (m + 3)), poison) {}
  double& operator()(Index i, Index j) {
    return numbers[static_cast<std::size_t>(by_rows ? i * (n + 3) + j : i + j * (m + 3))];
  }
  Matrix<double> at(double* data) const {
    return by_rows ? Matrix<double>{data, n + 3, 1} : Matrix<double>{data, 1, m + 3};
  }
  static constexpr double poison = 12345.678;
};

class TallColumns : public testing::Test {
 protected:
  std::mt19937_64 random{66};
  const cuda::DeviceModel model = device_model();
  double number() { return static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63; }

  /// Returns the Gram matrix in column-major order, with `ld` = n + 2.
  std::vector<double> gram(TallMatrix& a, bool less_one) {
    const Index numbers = cuda::tall_gram_numbers(model, a.m, a.n);
    EXPECT_GT(numbers, 0);
    const DeviceArray<double> data(a.numbers), memory(static_cast<std::size_t>(numbers)),
        result(std::vector<double>(static_cast<std::size_t>(a.n * (a.n + 2)), TallMatrix::poison));
    const Matrix<double> at = a.at(data.data());
    cuda::tall_gram(
        model,
        {{at.data, at.row_stride, at.col_stride}, a.m, a.n, {result.data(), 1, a.n + 2}, less_one, memory.data()},
        nullptr);
    require(cudaDeviceSynchronize(), "products of columns");
    return result.values();
  }
};

TEST_F(TallColumns, ProductsKeepTheirBound) {
  for (const auto [m, n] : {std::array<Index, 2>{1, 1},
                            {7, 3},
                            {511, 8},
                            {4099, 31},
                            {2048, 32},
                            {9000, 33},
                            {4096, 64},
                            {8191, 65},
                            {5000, 127},
                            {70001, 128}})
    for (const bool by_rows : {false, true}) {
      TallMatrix a(m, n, by_rows);
      std::vector<double> norm(static_cast<std::size_t>(n));
      for (Index j = 0; j < n; ++j) {
        // Nearly orthonormal columns; some have their weight in a few rows.
        double squares = 0;
        for (Index i = 0; i < m; ++i) {
          a(i, j) = number() * (j % 3 == 1 && i % 97 != 0 ? 0x1p-40 : 1);
          squares += a(i, j) * a(i, j);
        }
        const double scale = j % 5 == 2 ? 0x1p-30 : 1 / std::sqrt(squares);
        squares = 0;
        for (Index i = 0; i < m; ++i) a(i, j) *= scale, squares += a(i, j) * a(i, j);
        norm[static_cast<std::size_t>(j)] = std::sqrt(squares);
      }
      for (const bool less_one : {true, false}) {
        const std::vector<double> found = gram(a, less_one);
        int beyond = 0;
        for (Index j = 0; j < n; ++j) {
          for (Index i = n; i < n + 2; ++i)
            ASSERT_EQ(found[static_cast<std::size_t>(i + j * (n + 2))], TallMatrix::poison);
          for (Index i = 0; i < n; ++i) {
            if (m > 5000 && (i + 7 * j) % 11 != 0 && i != j) continue;
            const double of = found[static_cast<std::size_t>(i + j * (n + 2))],
                         norms = norm[static_cast<std::size_t>(i)] * norm[static_cast<std::size_t>(j)] * (1 + 1e-9),
                         error = less_one ? tall_gram_error * 0x1p-53 * norms + std::fabs(of) * 0x1p-53
                                          : static_cast<double>(m) * 0x1p-53 * norms;
            ASSERT_EQ(of, found[static_cast<std::size_t>(j + i * (n + 2))]) << i << ", " << j;
            for (const int end : {-1, 1}) {
              ExactSum<double> rest;
              for (Index k = 0; k < m; ++k) rest.add(a(k, i), a(k, j));
              if (less_one && i == j) rest.add(-1, 1);
              rest.add(-1, of);
              rest.add(end, error);
              const auto value = rest.value();
              beyond += (wide_negative(value) ? -1 : wide_bit_length(value) != 0) == -end;
            }
          }
        }
        ASSERT_EQ(beyond, 0) << m << " x " << n << " by rows " << by_rows << " less one " << less_one;
      }
    }
}

/// Columns that are too long for the sums' anchors leave an element on the diagonal of 1/2 or more, or NaN.
TEST_F(TallColumns, LongColumnsAreFound) {
  for (const double size : {1.5, 2.0, 3.0, 4.0, 100.0, 1e160, 1e300, std::numeric_limits<double>::infinity()}) {
    TallMatrix a(3000, 40, false);
    for (Index j = 0; j < 40; ++j)
      for (Index i = 0; i < 3000; ++i) a(i, j) = (j == 17 ? size : 1) / std::sqrt(3000.0);
    const double of_diagonal = gram(a, true)[17 * 42 + 17];
    EXPECT_FALSE(of_diagonal < 0.5) << size << ": " << of_diagonal;
  }
}

/// Row by row, the rest of x R = b is as small as that of substitution, also where a tile of R is nearly singular.
TEST_F(TallColumns, SolutionsAreAsGoodAsSubstitution) {
  for (const auto [m, n] : {std::array<Index, 2>{1, 1},
                            {9, 3},
                            {100, 8},
                            {1000, 31},
                            {333, 32},
                            {2500, 33},
                            {500, 64},
                            {777, 65},
                            {900, 127},
                            {3001, 128}})
    for (const bool by_rows : {false, true}) {
      TallMatrix b(m, n, by_rows), r(n, n, by_rows);
      for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < m; ++i) b(i, j) = number();
        for (Index i = 0; i < n; ++i)
          r(i, j) = i < j ? number() / 4 : i == j ? 1 + std::fabs(number()) : TallMatrix::poison;
        if (j % 8 == 5) r(j, j) = 1e-7;
      }
      const DeviceArray<double> of_b(b.numbers), of_r(r.numbers);
      const Matrix<double> triangle = r.at(of_r.data());
      cuda::tall_divide(model, b.at(of_b.data()), m, n, {triangle.data, triangle.row_stride, triangle.col_stride},
                        nullptr);
      require(cudaDeviceSynchronize(), "solutions");
      TallMatrix x = b;
      x.numbers = of_b.values();
      for (Index i = 0; i<m; i += m> 1000 ? 13 : 1)
        for (Index j = 0; j < n; ++j) {
          long double rest = b(i, j), size = 0;
          for (Index k = 0; k <= j; ++k) {
            const long double term = static_cast<long double>(x(i, k)) * r(k, j);
            rest -= term, size += std::fabs(term);
          }
          ASSERT_LE(std::fabs(rest), static_cast<double>(n + 16) * 0x1p-53L * (size + std::fabs(b(i, j))))
              << i << ", " << j << " of " << m << " x " << n;
        }
      for (std::size_t i = 0; i < x.numbers.size(); ++i)
        if (b.numbers[i] == TallMatrix::poison) {
          ASSERT_EQ(x.numbers[i], TallMatrix::poison) << i;
        }
    }
}

}  // namespace
}  // namespace accublas::test
