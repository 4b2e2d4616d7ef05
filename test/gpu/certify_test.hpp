// Facts about lines, and the rungs that the definition of the certificate gives for them.
#pragma once

#include <algorithm>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/certify.hpp"
#include "cuda/int8/certify_moduli.hpp"
#include "cuda/int8/convert.hpp"
#include "cuda/int8/product.hpp"
#include "cuda/scaling/measure.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/certificate.hpp"
#include "test/gpu/operands.hpp"

namespace accublas::test {
namespace {

constexpr std::uint32_t poison_word = 0xFFFFFFFFu;

/// The properties of the lines that the certificate reads.
struct Facts {
  std::vector<std::int32_t> exponent, last_bit;
  std::vector<double> norm, lambda;
  std::vector<std::uint8_t> special;
  double largest_relative_norm = 0;
};

/// Lines that need least_needed to most_needed bits; those beyond `count` are the padding's.
Facts random_facts(Index count, Index k, bool specials, int least_needed, int most_needed, double largest_lambda,
                   std::mt19937_64& random) {
  Facts f;
  for (Index i = 0; i < padded_lines(count); ++i) {
    const int exponent = static_cast<int>(random() % 1000) - 500;
    const int needed =
        least_needed + static_cast<int>(random() % static_cast<unsigned>(most_needed - least_needed + 1));
    const bool zero = i >= count || random() % 50 == 0, special = specials && i < count && random() % 40 == 0;
    const bool none = zero || special;
    // A bound of 2^3 to 2^5, so that lines differ.
    f.norm.push_back(none ? 0 : 4 + 28 * static_cast<double>(random() >> 11) * 0x1p-53);
    f.largest_relative_norm =
        std::max(f.largest_relative_norm, std::scalbn(f.norm.back(), -norm_exponent(f.norm.back())));
    f.exponent.push_back(none ? 0 : exponent);
    f.last_bit.push_back(none ? cuda::no_last_bit : exponent - needed);
    const double most = largest_lambda > 0 ? largest_lambda : static_cast<double>(k) * 0x1p24;
    f.lambda.push_back(none ? 0 : std::floor(most * (0.1 + 0.9 * static_cast<double>(random() >> 11) * 0x1p-53)));
    f.special.push_back(special ? static_cast<std::uint8_t>(1 + random() % 2) : std::uint8_t{0});
  }
  return f;
}

void upload(const Facts& f, TestLines& lines) {
  lines.exponent = f.exponent;
  lines.last_bit = f.last_bit;
  lines.norm = f.norm;
  lines.lambda = f.lambda;
  lines.special = f.special;
}

/// Index of the least rung that suffices, or -1.
template <class T>
int rung_of(const Facts& rows, std::size_t i, const Facts& cols, std::size_t j, Index k, std::int32_t x) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  const std::int64_t lambda_mu = static_cast<std::int64_t>(rows.lambda[i]) + static_cast<std::int64_t>(cols.lambda[j]);
  const std::int64_t row_needs = std::int64_t{rows.exponent[i]} - rows.last_bit[i];
  const std::int64_t col_needs = std::int64_t{cols.exponent[j]} - cols.last_bit[j];
  for (int r = 0; r < rungs.count; ++r) {
    if (std::max(row_needs, col_needs) <= rungs.t[r]) return r;
    if (certificate_suffices(certificate_test(rungs.t[r], rungs.digits, k), lambda_mu, x)) return r;
  }
  return -1;
}

__extension__ typedef __float128 Quad;

/// Returns the rung of an element if rungs are numbers of moduli.
template <class T>
int moduli_rung_of(const Facts& rows, std::size_t i, const Facts& cols, std::size_t j, Index k, std::int32_t x) {
  const cuda::CertificateModuli rungs = cuda::certificate_moduli<T>(k);
  const int above = norm_exponent(rows.norm[i]), beside = norm_exponent(cols.norm[j]);
  for (int r = 0; r < rungs.count; ++r) {
    int row_bits = 0, col_bits = 0;
    split_bits(capacity_of(int8_capacity(rungs.moduli[r])), rows.largest_relative_norm, cols.largest_relative_norm, k,
               row_bits, col_bits);
    const int row_t = row_bits - above, col_t = col_bits - beside;
    const auto needs = [](const Facts& f, std::size_t at) { return std::int64_t{f.exponent[at]} - f.last_bit[at]; };
    if (needs(rows, i) <= row_t && needs(cols, j) <= col_t) return r;
    const Quad error = Quad(rows.lambda[i]) * std::ldexp(1.0, row_t - 23) +
                       Quad(cols.lambda[j]) * std::ldexp(1.0, col_t - 23) + static_cast<Quad>(k);
    const int all = cuda::certificate_moduli_stride(k) == 1 ? 2 : 0;  // a quarter of it where X has all terms
    const Quad promised = Quad(k + 1) * Quad(x) * std::ldexp(1.0, row_t + col_t - 12 - FloatFormat<T>::digits - all);
    if (error <= promised) return r;
  }
  return -1;
}

/// The least sum that suffices at a rung.
template <class T>
std::int64_t threshold(int rung, Index k, std::int64_t lambda_mu) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  const CertificateTest test = certificate_test(rungs.t[rung], rungs.digits, k);
  return static_cast<std::int64_t>(ceil_div(static_cast<Int128>(lambda_mu) + test.least, test.factor));
}

struct Case {
  Index m, n, k, first_row, rows, first_col, cols;
  bool specials;
  int least_needed, most_needed;
  int rung;               ///< sums are around the thresholds of this rung, or of any (-1), or zero (-2)
  double largest_lambda;  ///< 0: as k gives it
  cuda::Wanted wanted{};  ///< of all elements
};

bool wants(const cuda::Wanted& wanted, Index row, Index col) {
  const Index number = col / wanted.parts;
  return holds(wanted.part, row, number) && !(wanted.real_diagonal && number == row && col % wanted.parts == 1);
}

/// All elements, and triangles; of parts of numbers too.
const cuda::Wanted some_wanted[] = {{},
                                    {Triangle::upper},
                                    {Triangle::lower},
                                    {Triangle::upper, 2, true},
                                    {Triangle::lower, 2, true},
                                    {Triangle::lower, 2}};

/// Words of the bitmap as they are before: zero where not all elements are wanted.
std::vector<std::uint32_t> unwritten(const Case& c, std::size_t count) {
  return std::vector<std::uint32_t>(count, c.wanted.all() ? poison_word : 0);
}

}  // namespace
}  // namespace accublas::test
