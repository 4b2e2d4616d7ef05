// certify against lib/numerics/certificate.hpp in integers of any size: sums at and around every rung's threshold;
// rungs of moduli against their inequality in quadruple precision.
#include "cuda/int8/certify.hpp"

#include <algorithm>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/certify_moduli.hpp"
#include "cuda/int8/convert.hpp"
#include "cuda/int8/product.hpp"
#include "cuda/scaling/measure.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/certificate.hpp"
#include "test/gpu/certify_test.hpp"
#include "test/gpu/operands.hpp"

namespace accublas::test {
namespace {

template <class T>
void check(const Case& c, std::uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "m " << c.m << " n " << c.n << " k " << c.k << " rung " << c.rung << " seed "
                                  << seed);
  std::mt19937_64 random(seed);
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  const Facts rows = random_facts(c.m, c.k, c.specials, c.least_needed, c.most_needed, c.largest_lambda, random);
  const Facts cols = random_facts(c.n, c.k, c.specials, c.least_needed, c.most_needed, c.largest_lambda, random);
  TestLines row_lines(c.m, c.k, false), col_lines(c.n, c.k, false);
  upload(rows, row_lines);
  upload(cols, col_lines);

  const Index block_cols = padded_lines(c.cols), words = cuda::OpenBits::words_per_row(c.n);
  std::vector<std::int32_t> sums(static_cast<std::size_t>(c.rows * block_cols), -1);
  std::vector<std::uint32_t> open = unwritten(c, static_cast<std::size_t>(c.m * words));
  const DeviceArray<std::uint32_t> device_open(open);
  std::int32_t largest = 0;
  unsigned long long rejected = 0;
  for (Index r = 0; r < c.rows; ++r) {
    const std::size_t i = static_cast<std::size_t>(c.first_row + r);
    for (Index w = 0; w < ceil_div(c.cols, 32); ++w)
      open[i * static_cast<std::size_t>(words) + static_cast<std::size_t>(c.first_col / 32 + w)] = 0;
    for (Index q = 0; q < c.cols; ++q) {
      const std::size_t j = static_cast<std::size_t>(c.first_col + q);
      if (!wants(c.wanted, c.first_row + r, c.first_col + q)) continue;
      const int rung = c.rung >= 0 ? c.rung : static_cast<int>(random() % static_cast<unsigned>(rungs.count));
      const std::int64_t lambda_mu =
          static_cast<std::int64_t>(rows.lambda[i]) + static_cast<std::int64_t>(cols.lambda[j]);
      std::int64_t x =
          threshold<T>(rung, c.k, lambda_mu) + static_cast<std::int64_t>(random() % 3) - (c.rung >= 0 ? 0 : 1);
      if (c.rung == -2) x = 0;
      x = std::clamp<std::int64_t>(x, 0, std::numeric_limits<std::int32_t>::max());
      sums[static_cast<std::size_t>(r * block_cols + q)] = static_cast<std::int32_t>(x);
      const bool special = rows.special[i] || cols.special[j];
      const int found = special ? -1 : rung_of<T>(rows, i, cols, j, c.k, static_cast<std::int32_t>(x));
      if (found < 0) open[i * static_cast<std::size_t>(words) + j / 32] |= 1u << j % 32;
      rejected += found < 0 && !special;
      largest = std::max(largest, found + 1);
    }
  }

  const DeviceArray<std::int32_t> device_sums(sums);
  DeviceArray<cuda::CallState> state(1);
  state.zero();
  cuda::certify<T>(device_model(), device_sums.data(), block_cols, row_lines.lines(), col_lines.lines(), c.first_row,
                   c.rows, c.first_col, c.cols, c.wanted.from(c.first_row, c.first_col), 100 * c.rows,
                   device_open.data(), state.data(), nullptr);
  require(cudaDeviceSynchronize(), "certify");
  EXPECT_EQ(state.values()[0].all_by_cr != 0, certificate_fails(static_cast<Index>(rejected), 100 * c.rows));
  EXPECT_EQ(state.values()[0].largest_rung, largest);
  EXPECT_EQ(state.values()[0].rejected, rejected);
  const std::vector<std::uint32_t> got = device_open.values();
  for (std::size_t w = 0; w < open.size(); ++w)
    ASSERT_EQ(got[w], open[w]) << "row " << w / static_cast<std::size_t>(words) << " word "
                               << w % static_cast<std::size_t>(words);
}

/// certify_product on random bytes, where lambda puts the sums on both sides of a rung's threshold.
template <class T>
void check_product(const Case& c, cuda::CertificateLadder ladder, bool hopper, std::uint64_t seed) {
  const bool bits = ladder.kind == cuda::CertificateRungKind::bits;
  SCOPED_TRACE(testing::Message() << "m " << c.m << " n " << c.n << " rung " << c.rung << " hopper " << hopper
                                  << " bits " << bits << " rungs " << ladder.most);
  constexpr Index terms = 128;
  std::mt19937_64 random(seed);
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  const double sum = 128 * 63.5 * 63.5;
  double lambda = 0.9 * sum;  // of both lines, of a mean of half of it: about half of the elements pass
  if (bits) {
    lambda *= static_cast<double>(certificate_test(rungs.t[c.rung], rungs.digits, c.k).factor);
  } else {
    // Lines of norm 2^4, bits for relative norms of almost 1.
    int row_bits = 0, col_bits = 0;
    split_bits(capacity_of(int8_capacity(cuda::certificate_moduli<T>(c.k).moduli[c.rung])), 1, 1, c.k, row_bits,
               col_bits);
    lambda *= std::ldexp(cuda::certificate_moduli_slope<T>(c.k), col_bits + 23 - 4);
  }
  const Facts rows = random_facts(c.m, c.k, c.specials, c.least_needed, c.most_needed, lambda, random);
  const Facts cols = random_facts(c.n, c.k, c.specials, c.least_needed, c.most_needed, lambda, random);
  TestLines row_lines(c.m, c.k, false), col_lines(c.n, c.k, false);
  upload(rows, row_lines);
  upload(cols, col_lines);
  const auto bytes_of = [&](const Facts& facts, Index first, Index count) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(padded_lines(count) * terms));
    for (std::size_t b = 0; b < bytes.size(); ++b) {
      const std::size_t i = static_cast<std::size_t>(first) + b / terms;
      const bool none = i >= facts.lambda.size() || facts.special[i] || facts.last_bit[i] == cuda::no_last_bit;
      bytes[b] = none ? 0 : static_cast<std::uint8_t>(random() % 128);
    }
    return bytes;
  };
  const std::vector<std::uint8_t> row_bytes = bytes_of(rows, c.first_row, c.rows);
  const std::vector<std::uint8_t> col_bytes = bytes_of(cols, c.first_col, c.cols);
  const std::size_t words = static_cast<std::size_t>(cuda::OpenBits::words_per_row(c.n));
  std::vector<std::uint32_t> open = unwritten(c, static_cast<std::size_t>(c.m) * words);
  const DeviceArray<std::uint32_t> device_open(open);
  std::int32_t largest = 0;
  unsigned long long rejected = 0;
  for (Index r = 0; r < c.rows; ++r) {
    const std::size_t i = static_cast<std::size_t>(c.first_row + r);
    for (Index w = 0; w < ceil_div(c.cols, 32); ++w)
      open[i * words + static_cast<std::size_t>(c.first_col / 32 + w)] = 0;
    for (Index q = 0; q < c.cols; ++q) {
      const std::size_t j = static_cast<std::size_t>(c.first_col + q);
      if (!wants(c.wanted, c.first_row + r, c.first_col + q)) continue;
      std::int32_t x = 0;
      for (Index p = 0; p < terms; ++p)
        x += row_bytes[static_cast<std::size_t>(r * terms + p)] * col_bytes[static_cast<std::size_t>(q * terms + p)];
      const bool special = rows.special[i] || cols.special[j];
      const int needed = bits ? rung_of<T>(rows, i, cols, j, c.k, x) : moduli_rung_of<T>(rows, i, cols, j, c.k, x);
      const int found = special || needed >= ladder.most ? -1 : needed;
      if (found < 0) open[i * words + j / 32] |= 1u << j % 32;
      rejected += found < 0 && !special;
      largest = std::max(largest, found + 1);
    }
  }
  const DeviceArray<std::uint8_t> device_rows(row_bytes), device_cols(col_bytes);
  cuda::CallState before{};
  before.rows.largest_relative_norm = to_bits(rows.largest_relative_norm);
  before.cols.largest_relative_norm = to_bits(cols.largest_relative_norm);
  DeviceArray<cuda::CallState> state(1);
  state = std::vector<cuda::CallState>{before};
  cuda::DeviceModel model = device_model();
  model.hopper_kernels = model.hopper_kernels && hopper;
  const auto certify_product = [&](unsigned long long accepted_rejections) {
    state = std::vector<cuda::CallState>{before};
    cuda::certify_product<T>(
        model, ladder,
        {device_rows.data(), device_cols.data(), row_bytes.size(), col_bytes.size(), nullptr, terms, c.rows, c.cols,
         padded_lines(c.rows), padded_lines(c.cols), false, state.data(), c.wanted.from(c.first_row, c.first_col)},
        row_lines.lines(), col_lines.lines(), c.first_row, c.first_col, static_cast<Index>(64 * accepted_rejections),
        device_open.data(), nullptr);
    require(cudaDeviceSynchronize(), "certify_product");
    return state.values()[0].all_by_cr != 0;
  };
  if (rejected > 0) {
    EXPECT_TRUE(certify_product(rejected - 1));
  }
  EXPECT_FALSE(certify_product(rejected));
  EXPECT_EQ(state.values()[0].largest_rung, largest);
  EXPECT_EQ(state.values()[0].rejected, rejected);
  EXPECT_EQ(state.values()[0].rejected_in_all, rejected);
  const std::vector<std::uint32_t> got = device_open.values();
  for (std::size_t w = 0; w < open.size(); ++w)
    ASSERT_EQ(got[w], open[w]) << "row " << w / words << " word " << w % words;
}

template <class T>
class Certify : public testing::Test {};

using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Certify, Types);

TYPED_TEST(Certify, EveryRung) {
  using T = TypeParam;
  const int digits = FloatFormat<T>::digits;
  for (Index k : {1, 17, 1024, 1025, 16384, 100000}) {
    for (int rung = -2; rung < certificate_rungs<T>().count; ++rung) {
      for (bool specials : {false, true})
        check<T>({300, 270, k, 0, 300, 0, 270, specials, digits, 3 * digits, rung, 0},
                 static_cast<std::uint64_t>(k + rung));
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(Certify, LinesThatDropNoBits) {
  using T = TypeParam;
  for (int rung : {-2, -1}) check<T>({100, 200, 300, 0, 100, 0, 200, true, 1, 70, rung, 0}, 77);
}

TYPED_TEST(Certify, Blocks) {
  using T = TypeParam;
  const int digits = FloatFormat<T>::digits;
  check<T>({1, 1, 5, 0, 1, 0, 1, false, digits, 90, -1, 0}, 1);
  check<T>({700, 601, 50, 256, 256, 512, 89, true, digits, 90, -1, 0}, 2);
  check<T>({700, 601, 50, 512, 188, 256, 256, true, digits, 90, -1, 0}, 3);
  check<T>({3, 2048, 50, 0, 3, 0, 2048, true, digits, 90, -1, 0}, 4);
}

TYPED_TEST(Certify, WantedTriangles) {
  using T = TypeParam;
  const int digits = FloatFormat<T>::digits;
  for (const cuda::Wanted& wanted : some_wanted) {
    check<T>({300, 600, 1024, 0, 300, 0, 600, true, digits, 90, -1, 0, wanted}, 5);
    check<T>({700, 1401, 50, 256, 256, 512, 189, true, digits, 90, -1, 0, wanted}, 6);
    for (bool hopper : {false, true})
      for (const auto kind : {cuda::CertificateRungKind::bits, cuda::CertificateRungKind::moduli})
        for (const Case& c : {Case{600, 650, 2000, 0, 600, 0, 650, true, digits, 90, 1, 0, wanted},
                              Case{700, 1401, 2000, 256, 256, 256, 700, true, digits, 90, 1, 0, wanted}})
          check_product<T>(c, {kind, cuda::all_rungs}, hopper, 7);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Certify, ProductAndTestInOne) {
  using T = TypeParam;
  const int digits = FloatFormat<T>::digits;
  for (const auto kind : {cuda::CertificateRungKind::bits, cuda::CertificateRungKind::moduli}) {
    const auto rungs = [&](Index k) {
      return kind == cuda::CertificateRungKind::bits ? certificate_rungs<T>().count
                                                     : cuda::certificate_moduli<T>(k).count;
    };
    for (bool hopper : {false, true})
      for (int rung = 0; rung < cuda::all_rungs; ++rung) {
        const auto seed = static_cast<std::uint64_t>(rung);
        const Case cases[] = {{300, 270, 2000, 0, 300, 0, 270, true, digits, 3 * digits, rung, 0},
                              {1, 1, 100, 0, 1, 0, 1, false, 60, 70, rung, 0},
                              {700, 601, 5000, 256, 256, 512, 89, true, 1, 70, rung, 0},
                              {700, 601, 9000, 512, 188, 256, 256, true, digits, 90, rung, 0}};
        for (const Case& c : cases)
          for (int most : {cuda::all_rungs, 2})
            if (rung < rungs(c.k)) check_product<T>(c, {kind, most}, hopper, seed);
        if (this->HasFatalFailure()) return;
      }
  }
}

/// Lines alone: what they accept, every element passes by the exact sum of abs(a b); even data are accepted.
enum class Even { phi, equal, half_zero, one_wide };

template <class T>
std::vector<std::vector<T>> even_lines(Index count, Index k, Even kind, std::mt19937_64& random) {
  const auto unit = [&] { return static_cast<double>((random() >> 11) + 1) * 0x1p-53; };
  std::vector<std::vector<T>> lines(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const int exponent = static_cast<int>(random() % 80) - 40;
    const double spread = kind == Even::one_wide && i == 7 ? 12 : 0.5;
    for (Index p = 0; p < k; ++p) {
      const double normal = std::sqrt(-2 * std::log(unit())) * std::cos(6.283185307179586 * unit());
      double x = kind == Even::equal ? (random() % 2 ? 0.7 : -0.7) : (unit() - 0.5) * std::exp(spread * normal);
      if (kind == Even::half_zero && random() % 2) x = 0;
      lines[i].push_back(scaled<T>(x, exponent));
    }
  }
  lines[3] = line_of<T>(Kind::zero, k, random);
  return lines;
}

template <class T>
void check_lines_alone(Index k, Even kind, const Layout& layout) {
  SCOPED_TRACE(testing::Message() << "k " << k << " kind " << static_cast<int>(kind) << " adjacent "
                                  << layout.adjacent);
  std::mt19937_64 random(static_cast<std::uint64_t>(k));
  const TestOperand<T> rows(even_lines<T>(40, k, kind, random), k, layout);
  const TestOperand<T> cols(even_lines<T>(30, k, kind == Even::one_wide ? Even::phi : kind, random), k, layout);
  TestLines row_lines(40, k, false), col_lines(30, k, false);
  DeviceArray<cuda::CallState> state(1);
  state.zero();
  const cuda::DeviceModel model = device_model();
  cuda::measure_bounds(model, rows.operand(), row_lines.lines(), cols.operand(), col_lines.lines(), state.data(),
                       nullptr);
  const int stride = cuda::certificate_moduli_stride(k);
  const Index terms = certificate_terms(k, stride), k_padded = round_up(terms, 128);
  DeviceArray<std::uint8_t> row_bytes(static_cast<std::size_t>(256 * k_padded)), col_bytes(row_bytes.size());
  cuda::convert_certificate(model,
                            cuda::CertificateSide<T>{rows.operand(), row_lines.lines(), 0, 40, row_bytes.data(), true},
                            cuda::CertificateSide<T>{cols.operand(), col_lines.lines(), 0, 30, col_bytes.data(), true},
                            {}, stride, 0, terms, k_padded, cuda::make_line_rungs<T>(k), 0, state.data(), nullptr);
  require(cudaDeviceSynchronize(), "convert_certificate");
  const cuda::CallState got = state.values()[0];
  const bool even = kind == Even::phi || kind == Even::equal;
  ASSERT_EQ(got.common_moduli > 0, even);
  if (!even) return;
  const HostLines a(row_lines), b(col_lines);
  int row_bits = 0, col_bits = 0;
  split_bits(capacity_of(int8_capacity(got.common_moduli)), from_bits<double>(got.rows.largest_relative_norm),
             from_bits<double>(got.cols.largest_relative_norm), k, row_bits, col_bits);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < 30; ++j) {
      if (!(a.norm[i] > 0) || !(b.norm[j] > 0)) continue;
      double sum = 0;
      for (Index p = 0; p < k; ++p)
        sum += std::fabs(static_cast<double>(rows.line(static_cast<Index>(i))[static_cast<std::size_t>(p)]) *
                         static_cast<double>(cols.line(static_cast<Index>(j))[static_cast<std::size_t>(p)]));
      const int row_t = row_bits - norm_exponent(a.norm[i]), col_t = col_bits - norm_exponent(b.norm[j]);
      const Quad error = Quad(a.lambda[i]) * std::ldexp(1.0, row_t - 23) +
                         Quad(b.lambda[j]) * std::ldexp(1.0, col_t - 23) + static_cast<Quad>(k);
      const Quad promised = Quad(k + 1) * (sum * (1 - 0x1p-38)) *
                            std::ldexp(1.0, row_t + col_t + 2 - FloatFormat<T>::digits - a.exponent[i] - b.exponent[j]);
      ASSERT_TRUE(error <= promised) << i << " " << j;
    }
}

TYPED_TEST(Certify, LinesAlone) {
  using T = TypeParam;
  for (Index k : {700, 2048, 2560, 5000})
    for (const Even kind : {Even::phi, Even::equal, Even::half_zero, Even::one_wide})
      for (bool adjacent : {false, true}) {
        check_lines_alone<T>(k, kind, Layout{adjacent, 1, 0, false, false});
        if (this->HasFatalFailure()) return;
      }
}

TYPED_TEST(Certify, LambdaBeyondDoubles) {
  using T = TypeParam;
  check<T>({64, 100, Index{1} << 31, 0, 64, 0, 100, false, 100, 200, -1, 0x1p56}, 5);
}

}  // namespace
}  // namespace accublas::test
