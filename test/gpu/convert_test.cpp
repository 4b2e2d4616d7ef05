// convert and convert_certificate against lib/numerics on the host, byte for byte, padding and surroundings included.
#include "cuda/int8/convert.hpp"

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/int8/certify_moduli.hpp"
#include "cuda/scaling/measure.hpp"
#include "cuda/scaling/scaling.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/moduli.hpp"
#include "lib/numerics/scaling.hpp"
#include "test/gpu/measured_operand.hpp"

namespace accublas::test {
namespace {

constexpr std::uint8_t poison_byte = 0xFF;

/// 2^shift modulo p, for all shifts that occur.
class Powers {
 public:
  explicit Powers(int p) : p_(p), power_(1, 1 % p) {}
  int operator()(int shift) {
    while (static_cast<int>(power_.size()) <= shift) power_.push_back(power_.back() * 2 % p_);
    return power_[static_cast<std::size_t>(shift)];
  }

 private:
  int p_;
  std::vector<int> power_;
};

template <class T>
std::vector<std::uint8_t> expected_residues(const MeasuredOperand<T>& m, const PassPlan& plan, int bits, Index block,
                                            Index block_lines, Index p0, Index terms, Index k_padded,
                                            std::size_t bytes) {
  std::vector<std::uint8_t> out(bytes, poison_byte);
  const Index count = m.x.operand().count, first = block * block_lines;
  const Index lines = padded_lines(std::min(block_lines, count - first));
  for (int l = 0; l < plan.moduli; ++l) {
    const int p = moduli_list().p[l];
    Powers power(p);
    for (Index i = 0; i < lines; ++i) {
      const bool zero = first + i >= count || !(m.host.norm[static_cast<std::size_t>(first + i)] > 0);
      const int scale = zero ? 0 : cuda::line_scale(plan, m.host.lines(), first + i, bits);
      for (Index t = 0; t < k_padded; ++t) {
        std::int64_t residue = 0;
        if (!zero && t < terms) {
          const ScaledInteger a = scale_entry(m.x.line(first + i)[static_cast<std::size_t>(p0 + t)], 0, scale);
          residue = a.mantissa % p * power(a.shift) % p;
          if (residue < 0) residue += p;
        }
        out[static_cast<std::size_t>(((i / 256 * plan.moduli + l) * 256 + i % 256) * k_padded + t)] =
            static_cast<std::uint8_t>(residue);
      }
    }
  }
  return out;
}

void expect_equal(const std::vector<std::uint8_t>& got, const std::vector<std::uint8_t>& want, Index k_padded) {
  const auto differ = std::mismatch(got.begin(), got.end(), want.begin());
  ASSERT_TRUE(differ.first == got.end()) << "byte " << differ.first - got.begin() << " (plane row "
                                         << (differ.first - got.begin()) / k_padded << ", term "
                                         << (differ.first - got.begin()) % k_padded << ") is " << int{*differ.first}
                                         << ", not " << int{*differ.second};
}

template <class T>
void check(const MeasuredOperand<T>& rows, const MeasuredOperand<T>& cols, const PassPlan& plan, Index p0,
           Index terms) {
  const Index k_padded = round_up(terms, 128);
  const DeviceArray<PassPlan> device_plan(std::vector<PassPlan>{plan});
  auto size = [&](Index block_lines) { return static_cast<std::size_t>((block_lines * plan.moduli + 300) * k_padded); };
  const Index row_blocks = ceil_div(rows.x.operand().count, plan.block_rows);
  const Index col_blocks = ceil_div(cols.x.operand().count, plan.block_cols);
  // The kernel with long rows is for many tiles to a multiprocessor.
  cuda::DeviceModel real = device_model(), single = real;
  single.processors = 1;
  const auto expected = [&](const MeasuredOperand<T>& side, int bits, Index b, Index block_lines, std::size_t bytes) {
    return expected_residues(side, plan, bits, b, block_lines, p0, terms, k_padded, bytes);
  };
  for (Index b = 0; b < std::max(row_blocks, col_blocks); ++b) {
    const bool row = b < row_blocks, col = b < col_blocks;
    std::vector<std::uint8_t> want_row, want_col;
    if (row) want_row = expected(rows, plan.row_bits, b, plan.block_rows, size(plan.block_rows));
    if (col) want_col = expected(cols, plan.col_bits, b, plan.block_cols, size(plan.block_cols));
    for (const cuda::DeviceModel& model : {real, single}) {
      SCOPED_TRACE(testing::Message() << "processors " << model.processors);
      DeviceArray<std::uint8_t> row_bytes(size(plan.block_rows)), col_bytes(size(plan.block_cols));
      cuda::convert<T>(model,
                       {rows.x.operand(), rows.device.lines(), std::min(b, row_blocks - 1), row_bytes.data(), row},
                       {cols.x.operand(), cols.device.lines(), std::min(b, col_blocks - 1), col_bytes.data(), col}, {},
                       device_plan.data(), p0, terms, k_padded, nullptr);
      require(cudaDeviceSynchronize(), "convert");
      if (row) expect_equal(row_bytes.values(), want_row, k_padded);
      if (testing::Test::HasFatalFailure()) return;
      if (col) expect_equal(col_bytes.values(), want_col, k_padded);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

template <class T>
class Convert : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Convert, Types);

TYPED_TEST(Convert, SizesAndLayouts) {
  using T = TypeParam;
  std::uint64_t seed = 1;
  for (const Layout& layout : layouts()) {
    for (const auto& [m, n, k] :
         std::vector<std::array<Index, 3>>{{1, 1, 1}, {33, 300, 129}, {600, 31, 64}, {40, 45, 600}}) {
      SCOPED_TRACE(testing::Message() << "m " << m << " n " << n << " k " << k << " adjacent " << layout.adjacent
                                      << " step " << layout.step);
      const MeasuredOperand<T> rows(lines_of_all_kinds<T>(m, k, ++seed), k, layout);
      const MeasuredOperand<T> cols(lines_of_all_kinds<T>(n, k, ++seed, 7), k, layout);
      check(rows, cols, whole_pass(false, 50, 48, 14, 256, 512), 0, k);
      if (this->HasFatalFailure()) return;
      check(rows, cols, whole_pass(true, 76, 81, 3, 512, 256), 0, k);
      if (this->HasFatalFailure()) return;
      if (k > 128) check(rows, cols, whole_pass(true, 96, 64, 2, 256, 256), 128, k - 128);
      if (k > 500) check(rows, cols, whole_pass(false, 53, 64, 2, 256, 256), 77, 300);
      if (this->HasFatalFailure()) return;
    }
  }
}

/// A plan may have fewer blocks than are launched.
TYPED_TEST(Convert, BlocksThatAreNotThere) {
  using T = TypeParam;
  const Index k = 200, k_padded = 256;
  const MeasuredOperand<T> x(lines_of_all_kinds<T>(300, k, 23), k, layouts()[0]);
  const DeviceArray<PassPlan> plan(std::vector<PassPlan>{whole_pass(false, 50, 50, 3, 256, 512)});
  DeviceArray<std::uint8_t> bytes(static_cast<std::size_t>(512 * 3 * k_padded));
  for (const auto& [row, col] : std::vector<std::array<Index, 2>>{{2, 0}, {0, 1}, {3, 3}}) {
    cuda::convert<T>(device_model(), {x.x.operand(), x.device.lines(), row, bytes.data(), true},
                     {x.x.operand(), x.device.lines(), col, bytes.data(), true}, {}, plan.data(), 0, k, k_padded,
                     nullptr);
    require(cudaDeviceSynchronize(), "convert");
    for (std::uint8_t b : bytes.values()) ASSERT_EQ(b, poison_byte);
  }
}

TYPED_TEST(Convert, BitsAndModuli) {
  using T = TypeParam;
  const Index k = 200;
  const MeasuredOperand<T> rows(lines_of_all_kinds<T>(70, k, 21), k, layouts()[1]);
  const MeasuredOperand<T> cols(lines_of_all_kinds<T>(64, k, 22, 4), k, layouts()[0]);
  for (int bits = 2; bits <= 150; ++bits) {
    SCOPED_TRACE(testing::Message() << "bits " << bits);
    const int moduli = bits % 50 == 0 ? max_moduli : 1 + bits % 5;
    check(rows, cols, whole_pass(bits % 3 == 1, bits, 152 - bits, moduli, 256, 256), 0, k);
    if (this->HasFatalFailure()) return;
  }
  for (int moduli = 1; moduli <= max_moduli; moduli += 6) {
    check(rows, cols, whole_pass(false, 51, 85, moduli, 256, 256), 0, k);
    if (this->HasFatalFailure()) return;
    check(rows, cols, whole_pass(false, 127, 150, moduli, 256, 256), 0, k);
    if (this->HasFatalFailure()) return;
  }
}

/// Lines of many entries of one size have norms far above these: fewer limbs than their bits would take.
TYPED_TEST(Convert, EqualNormsOfEvenLines) {
  using T = TypeParam;
  const Index k = 400;
  std::mt19937_64 random(31);
  std::vector<std::vector<T>> lines;
  for (Index i = 0; i < 70; ++i) lines.push_back(line_of<T>(i % 5 == 4 ? Kind::zero : Kind::uniform, k, random));
  const MeasuredOperand<T> x(lines, k, layouts()[1]);
  int least = 64;
  for (Index i = 0; i < 70; ++i)
    if (const double norm = x.host.norm[static_cast<std::size_t>(i)]; norm > 0)
      least = std::min(least, norm_exponent(norm));
  ASSERT_GE(least, 3);
  for (int bits : {20, 51, 51 + least, 52 + least, 85 + least, 86 + least, 127 + least}) {
    SCOPED_TRACE(testing::Message() << "bits " << bits);
    PassPlan plan = whole_pass(bits % 2 == 0, bits, bits, 14, 256, 256);
    plan.equal_norms = !plan.interval;
    plan.row_peak = plan.col_peak = bits - least;
    check(x, x, plan, 0, k);
    if (this->HasFatalFailure()) return;
  }
}

/// Integers at and around the largest magnitudes of one limb and of two, where the quotient by p is hardest.
TEST(ConvertQuotients, MultiplesOfEveryModulus) {
  const Index k = 256;
  for (int bits : {48, 50, 51, 52, 85, 86}) {
    const int shown = std::min(bits, 53);
    std::vector<std::vector<double>> lines;
    for (int l = 0; l < max_moduli; ++l) {
      const std::int64_t p = moduli_list().p[l], most = (std::int64_t{1} << shown) - 1;
      std::vector<double> line;
      for (Index t = 0; t < k; ++t) {
        const std::int64_t v = most / p * p - t / 3 % 40 * p + t % 3 - 1;
        line.push_back(static_cast<double>(std::min(v, most) * (t % 2 ? -1 : 1)));
      }
      line[0] = static_cast<double>(most);  // makes E = shown
      lines.push_back(line);
    }
    const MeasuredOperand<double> x(lines, k, layouts()[0]);
    check(x, x, whole_pass(false, bits, bits, max_moduli, 256, 256), 0, k);
    if (HasFatalFailure()) return;
  }
}

TEST(ConvertInactive, WritesNothing) {
  const MeasuredOperand<double> x(lines_of_all_kinds<double>(40, 100, 3), 100, layouts()[0]);
  PassPlan plan = whole_pass(false, 50, 50, 14, 256, 256);
  plan.active = 0;
  const DeviceArray<PassPlan> device_plan(std::vector<PassPlan>{plan});
  DeviceArray<std::uint8_t> bytes(256 * 14 * 128);
  cuda::convert<double>(device_model(), {x.x.operand(), x.device.lines(), 0, bytes.data(), true},
                        {x.x.operand(), x.device.lines(), 0, bytes.data(), false}, {}, device_plan.data(), 0, 100, 128,
                        nullptr);
  for (std::uint8_t b : bytes.values()) ASSERT_EQ(b, poison_byte);
}

/// All lines are one in memory: the bytes of the last group must be those of the first.
TEST(ConvertFar, OutputBeyond32Bits) {
  const Index k = 9000, count = 20000, k_padded = 9088;
  const MeasuredOperand<double> one(lines_of_all_kinds<double>(1, k, 4), k, layouts()[0]);
  Operand<double> x = one.x.operand();
  x.count = count;
  x.stride = 0;
  TestLines lines(count, k, false);
  DeviceArray<cuda::CallState> state(1);
  state.zero();
  cuda::measure(device_model(), x, lines.lines(), {nullptr, 1, 1, 0, k}, Lines{}, true, state.data(), nullptr);
  const DeviceArray<PassPlan> plan(
      std::vector<PassPlan>{whole_pass(false, 50, 50, 14, padded_lines(count), padded_lines(count))});
  const std::size_t group = static_cast<std::size_t>(14 * 256 * k_padded);
  DeviceArray<std::uint8_t> bytes(group * static_cast<std::size_t>(padded_lines(count) / 256));
  cuda::convert<double>(device_model(), {x, lines.lines(), 0, bytes.data(), true},
                        {x, lines.lines(), 0, nullptr, false}, {}, plan.data(), 0, k, k_padded, nullptr);
  require(cudaDeviceSynchronize(), "convert");
  std::vector<std::uint8_t> first(group), last(group);
  const std::size_t before = bytes.size() - 2 * group;  // the last whole group
  require(cudaMemcpy(first.data(), bytes.data(), group, cudaMemcpyDeviceToHost), "copy from device");
  require(cudaMemcpy(last.data(), bytes.data() + before, group, cudaMemcpyDeviceToHost), "copy from device");
  EXPECT_TRUE(first == last);
  const std::vector<std::uint8_t> want =
      expected_residues(one, whole_pass(false, 50, 50, 14, 256, 256), 50, 0, 256, 0, k, k_padded, group);
  for (Index l = 0; l < 14; ++l)
    ASSERT_EQ(std::memcmp(&first[static_cast<std::size_t>(l * 256 * k_padded)],
                          &want[static_cast<std::size_t>(l * 256 * k_padded)], static_cast<std::size_t>(k_padded)),
              0);
}

/// Lines with entries other than zero in some terms of each group, the terms that the groups need, and their copies.
template <class T>
struct BandedOperand {
  MeasuredOperand<T> x;
  std::vector<TermRange> needed;
  DeviceArray<TermRange> device;
  DeviceArray<std::int32_t> some;
  BandedOperand(Index k, std::vector<TermRange> of_groups, const Layout& layout)
      : x(banded_lines(k, of_groups), k, layout), needed(std::move(of_groups)), device(needed), some({1}) {}
  cuda::GroupTerms terms() const { return {device.data(), device.data(), some.data()}; }
  /// Whether products of the chunk that begins at p0 may read term p0 + t of a line, besides the first 128 terms.
  bool may_read(Index line, Index p0, Index t) const {
    const TermRange& range = needed[static_cast<std::size_t>(line / 256)];
    return range.first < range.end && t >= (range.first - p0) / 128 * 128 && t < round_up(range.end - p0, 128);
  }

 private:
  static std::vector<std::vector<T>> banded_lines(Index k, const std::vector<TermRange>& of_groups) {
    std::vector<std::vector<T>> lines;
    std::mt19937_64 random(61);
    for (const TermRange& range : of_groups) {
      for (int i = 0; i < 256; ++i) {
        lines.push_back(line_of<T>(Kind::uniform, k, random));
        for (Index p = 0; p < k; ++p)
          if (p < range.first || p >= range.end) lines.back()[static_cast<std::size_t>(p)] = 0;
      }
    }
    return lines;
  }
};

/// The bytes that products may read are those that are written without knowledge of zeros.
TYPED_TEST(Convert, TermsThatAreNeeded) {
  using T = TypeParam;
  const Index k = 1500, first = 128, terms = k - first, k_padded = round_up(terms, 128);
  const PassPlan plan = whole_pass(true, 60, 70, 4, 1024, 1024);
  const DeviceArray<PassPlan> device_plan(std::vector<PassPlan>{plan});
  cuda::DeviceModel real = device_model(), single = real;
  single.processors = 1;
  for (const Layout& layout : {layouts()[0], layouts()[1]}) {
    const BandedOperand<T> banded(k, {{0, k}, {704, 832}, {1472, k}, {k, k}}, layout);
    const MeasuredOperand<T>& x = banded.x;
    for (const bool certificate : {false, true}) {
      for (const cuda::DeviceModel& model : {real, single}) {
        const std::size_t size = static_cast<std::size_t>(1024 * 4 * k_padded);
        DeviceArray<std::uint8_t> all(size), some(size), other(size);
        for (const bool knows : {false, true}) {
          const cuda::GroupTerms nonzero = knows ? banded.terms() : cuda::GroupTerms{};
          std::uint8_t* const out = knows ? some.data() : all.data();
          DeviceArray<cuda::CallState> state(1);
          state.zero();
          if (certificate)
            cuda::convert_certificate<T>(model, {x.x.operand(), x.device.lines(), 0, 1024, out, true},
                                         {x.x.operand(), x.device.lines(), 0, 1024, other.data(), true}, nonzero, 1,
                                         first, terms, k_padded, cuda::LineRungs{}, 0, state.data(), nullptr);
          else
            cuda::convert<T>(model, {x.x.operand(), x.device.lines(), 0, out, true},
                             {x.x.operand(), x.device.lines(), 0, other.data(), true}, nonzero, device_plan.data(),
                             first, terms, k_padded, nullptr);
          require(cudaDeviceSynchronize(), "convert");
        }
        const std::vector<std::uint8_t> want = all.values(), got = some.values();
        const Index planes = certificate ? 1 : 4;
        Index left_out = 0;
        for (Index i = 0; i < 1024; ++i)
          for (Index l = 0; l < planes; ++l)
            for (Index t = 0; t < k_padded; ++t) {
              const std::size_t at = static_cast<std::size_t>(((i / 256 * planes + l) * 256 + i % 256) * k_padded + t);
              if (t < 128 || banded.may_read(i, first, t)) {
                ASSERT_EQ(got[at], want[at]) << "line " << i << " plane " << l << " term " << t;
              } else if (got[at] == poison_byte && want[at] == 0) {
                ++left_out;
              }
            }
        EXPECT_GT(left_out, 1024 * planes * k_padded / 3);
      }
    }
  }
}

TYPED_TEST(Convert, CertificateMagnitudes) {
  using T = TypeParam;
  std::uint64_t seed = 50;
  for (const Layout& layout : layouts()) {
    for (Index k : {1, 100, 600, 1024, 1025, 1100, 2048, 5000}) {
      const Index count = 300;
      const MeasuredOperand<T> m(lines_of_all_kinds<T>(count, k, ++seed), k, layout);
      const int stride = k == 2048 ? 4 : certificate_stride(k);
      std::vector<Index> sample;
      for (Index p = 0; p < k; ++p)
        if (p / certificate_block % stride == 0) sample.push_back(p);
      ASSERT_EQ(static_cast<Index>(sample.size()), certificate_terms(k, stride));
      // All at once, and the terms after the first 128 of the second group of lines.
      for (const auto& [first, block_lines, first_term] :
           std::vector<std::array<Index, 3>>{{0, count, 0}, {256, count - 256, 128}}) {
        const Index terms = static_cast<Index>(sample.size()) - first_term;
        if (terms <= 0) continue;
        const Index k_padded = round_up(terms, 128), lines = padded_lines(block_lines);
        DeviceArray<std::uint8_t> bytes(static_cast<std::size_t>((lines + 3) * k_padded)), beside(bytes.size());
        DeviceArray<cuda::CallState> state(1);
        state.zero();
        const auto side = [&](const DeviceArray<std::uint8_t>& out, bool wanted) {
          return cuda::CertificateSide<T>{m.x.operand(), m.device.lines(), first, block_lines, out.data(), wanted};
        };
        cuda::convert_certificate(device_model(), side(bytes, true), side(beside, k % 2 == 0), {}, stride, first_term,
                                  terms, k_padded, cuda::LineRungs{}, 0, state.data(), nullptr);
        require(cudaDeviceSynchronize(), "convert_certificate");
        std::vector<std::uint8_t> want(bytes.size(), poison_byte);
        for (Index i = 0; i < lines; ++i) {
          const bool zero = first + i >= count || m.host.special[static_cast<std::size_t>(first + i)] != 0;
          for (Index t = 0; t < k_padded; ++t)
            want[static_cast<std::size_t>(i * k_padded + t)] =
                zero || t >= terms
                    ? std::uint8_t{0}
                    : static_cast<std::uint8_t>(certificate_byte(
                          m.x.line(first +
                                   i)[static_cast<std::size_t>(sample[static_cast<std::size_t>(first_term + t)])],
                          m.host.exponent[static_cast<std::size_t>(first + i)]));
        }
        expect_equal(bytes.values(), want, k_padded);
        if (this->HasFatalFailure()) return;
        if (k % 2 != 0) std::fill(want.begin(), want.end(), poison_byte);  // not asked for
        expect_equal(beside.values(), want, k_padded);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace accublas::test
