// Operands of calls beyond double precision, and their settings, for the tests of the device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "accublas.h"
#include "test/gpu/device.hpp"

namespace accublas::test {

using Words = std::vector<std::uint64_t>;

enum class QuadKind { uniform, band, whole, tiny, subnormal, integers, zeros, special, ties, cancelling, count };

class QuadOperands : public testing::Test {
 protected:
  using Kind = QuadKind;
  std::mt19937_64 rng{44};

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n)); }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }

  /// Writes a number of binary64 or binary128, or a pair, near 2^exponent.
  void put(std::uint64_t* to, accublas_number type, std::int64_t exponent, bool few_bits) {
    if (type == ACCUBLAS_BINARY128) {
      const std::int64_t field = std::clamp<std::int64_t>(exponent + 16383, 0, 32766);
      const std::uint64_t high = rng() & 0xFFFFFFFFFFFF, low = few_bits ? 0 : rng();
      to[1] = (rng() & 1) << 63 | static_cast<std::uint64_t>(field) << 48 | (few_bits ? high & 0xFFFF00000000 : high);
      to[0] = low;
      return;
    }
    const auto binary64 = [&](std::int64_t e) {
      const std::int64_t field = std::clamp<std::int64_t>(e + 1023, 0, 2046);
      const std::uint64_t fraction = rng() & 0xFFFFFFFFFFFFF;
      return (rng() & 1) << 63 | static_cast<std::uint64_t>(field) << 52 |
             (few_bits ? fraction & 0xFFFF000000000 : fraction);
    };
    to[0] = binary64(exponent);
    if (type == ACCUBLAS_DOUBLE_DOUBLE) {
      const std::int64_t gaps[] = {53, 54, 60, 100, 1, 0, -3};
      to[1] = below(4) == 0 ? 0 : binary64(exponent - gaps[below(7)]);
    }
  }
  void put_value(std::uint64_t* to, accublas_number type, double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, 8);
    if (type != ACCUBLAS_BINARY128) {
      to[0] = bits;
      if (type == ACCUBLAS_DOUBLE_DOUBLE) to[1] = 0;
      return;
    }
    const std::uint64_t sign = bits & 1ull << 63, field = bits >> 52 & 0x7FF, fraction = bits & 0xFFFFFFFFFFFFF;
    const std::uint64_t quad_field = field == 0 ? 0 : field == 0x7FF ? 0x7FFF : field - 1023 + 16383;
    to[1] = sign | quad_field << 48 | fraction >> 4;
    to[0] = fraction << 60;
  }
  void put_kind(std::uint64_t* to, accublas_number type, Kind kind) {
    const bool quad = type == ACCUBLAS_BINARY128;
    switch (kind) {
      case Kind::band:
        return put(to, type, between(-60, 60), below(3) == 0);
      case Kind::whole:
        return quad ? put(to, type, between(-16400, 16383), below(3) == 0) : put(to, type, between(-1022, 1023), false);
      case Kind::tiny:  // products around the least subnormal number
        return quad ? put(to, type, between(-8380, -8230), false) : put(to, type, between(-600, -500), false);
      case Kind::subnormal:
        if (below(2) == 0) return put(to, type, quad ? -16383 : -1023, false);
        return put(to, type, between(0, 40), false);
      case Kind::integers:
        return put_value(to, type, static_cast<double>(between(-9, 9)));
      case Kind::zeros:
        return put_value(to, type, below(3) == 0 ? static_cast<double>(between(-3, 3)) : below(2) == 0 ? -0.0 : 0.0);
      case Kind::special: {
        const double values[] = {HUGE_VAL, -HUGE_VAL, std::nan(""), 0.0};
        return put_value(to, type, below(60) == 0 ? values[below(4)] : static_cast<double>(between(-3, 3)));
      }
      case Kind::ties: {
        const int exponents[] = {0, 0, 0, -53, -54, -106, -107, -112, -113, -114, -227};
        return put_value(to, type, std::ldexp(below(2) == 0 ? 1.0 : -1.0, exponents[below(11)]));
      }
      default:
        return put(to, type, between(-8, 0), false);
    }
  }

  /// A matrix in column-major memory whose padding is poisoned.
  struct Matrix {
    accublas_number type;
    std::int64_t rows, cols, ld;
    Words words;
    std::size_t size() const { return type == ACCUBLAS_BINARY64 ? 1 : 2; }
    std::uint64_t* at(std::int64_t i, std::int64_t j) { return &words[static_cast<std::size_t>(i + j * ld) * size()]; }
  };
  Matrix matrix(accublas_number type, std::int64_t rows, std::int64_t cols, Kind kind, bool by_columns = true) {
    if (!by_columns) std::swap(rows, cols);
    Matrix x{type, rows, cols, rows + below(4), {}};
    x.words.assign(static_cast<std::size_t>(x.ld * std::max<std::int64_t>(cols, 1)) * x.size(), ~std::uint64_t{0});
    for (std::int64_t j = 0; j < cols; ++j)
      for (std::int64_t i = 0; i < rows; ++i) put_kind(x.at(i, j), type, kind);
    return x;
  }
  /// Negates the first half of a matrix's lines into the second half, with some numbers drawn again.
  void cancel(Matrix& x, bool along_rows, bool negate) {
    const std::int64_t length = along_rows ? x.cols : x.rows, half = length / 2;
    for (std::int64_t t = 0; t < half; ++t)
      for (std::int64_t i = 0; i < (along_rows ? x.rows : x.cols); ++i) {
        const std::uint64_t* const from = along_rows ? x.at(i, t) : x.at(t, i);
        std::uint64_t* const to = along_rows ? x.at(i, t + half) : x.at(t + half, i);
        for (std::size_t w = 0; w < x.size(); ++w)
          to[w] = from[w] ^ (negate && (x.type != ACCUBLAS_BINARY128 || w == 1) ? 1ull << 63 : 0);
        if (negate && below(40) == 0) to[0] ^= 1;
      }
  }

  struct Problem {
    accublas_layout layout;
    accublas_transpose transa, transb;
    std::int64_t m, n, k;
    Matrix a, b, c;
    Words alpha, beta;
  };
  Words factor(accublas_number type, double value, bool random) {
    Words x(2);
    if (random)
      put(x.data(), type, between(-5, 5), false);
    else
      put_value(x.data(), type, value);
    return x;
  }
  Problem problem(accublas_number ta, accublas_number tb, accublas_number tc, Kind kind, std::int64_t m, std::int64_t n,
                  std::int64_t k) {
    const accublas_transpose ops[] = {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS};
    Problem p{below(2) == 0 ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR,
              ops[below(3)],
              ops[below(3)],
              m,
              n,
              k,
              {},
              {},
              {},
              {},
              {}};
    const bool columns = p.layout == ACCUBLAS_COL_MAJOR, plain_a = p.transa == ACCUBLAS_NO_TRANS,
               plain_b = p.transb == ACCUBLAS_NO_TRANS;
    p.a = matrix(ta, plain_a ? m : k, plain_a ? k : m, kind, columns);
    p.b = matrix(tb, plain_b ? k : n, plain_b ? n : k, kind, columns);
    p.c = matrix(tc, m, n, kind == Kind::cancelling ? Kind::uniform : kind, columns);
    if (kind == Kind::cancelling) {
      cancel(p.a, plain_a == columns, false);
      cancel(p.b, plain_b != columns, true);
    }
    const double alphas[] = {1, -1, 0.25, 3}, betas[] = {0, 0, 1, -0.5};
    p.alpha = factor(tc, alphas[below(4)], below(4) == 0);
    p.beta = factor(tc, betas[below(4)], below(4) == 0);
    return p;
  }

  static accublas_options options(accublas_backend backend, accublas_engine engine, std::int64_t workspace = -1) {
    accublas_options o = ACCUBLAS_OPTIONS_INIT;
    o.backend = backend;
    o.engine = engine;
    o.workspace_bytes = workspace;
    return o;
  }
  static accublas_status call(const Problem& p, const void* a, const void* b, void* c, const accublas_options& o) {
    return accublas_gemm_mixed_ex(nullptr, p.layout, p.transa, p.transb, p.m, p.n, p.k, p.alpha.data(), a, p.a.type,
                                  p.a.ld, b, p.b.type, p.b.ld, p.beta.data(), c, p.c.type, p.c.ld, &o);
  }
  static void expect_same(const Words& expected, const Words& found, const std::string& what) {
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(expected[i], found[i]) << what << ": word " << i << " of " << expected.size() << std::hex << ", "
                                       << expected[i] << " and " << found[i];
  }
  static std::string backend() {
    accublas_report_t report{};
    report.struct_size = sizeof report;
    EXPECT_EQ(accublas_report(nullptr, &report), ACCUBLAS_SUCCESS);
    return report.backend;
  }
};

}  // namespace accublas::test
