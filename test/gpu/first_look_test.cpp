// The first look at the data of dp and sp against a twin on the host, count by count.
#include "cuda/int8/first_look.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "cuda/core/call_state.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/int8/certify_moduli.hpp"
#include "cuda/native/native_offer.hpp"
#include "cuda/scaling/scaling.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/certificate.hpp"
#include "test/gpu/device_lines.hpp"
#include "test/gpu/gemm_data.hpp"

namespace accublas::test {
namespace {

/// Twin of the places in cuda/int8/first_look.cu: squares of 4 x 4 elements.
Index place(Index count, std::uint64_t seed) {
  const std::uint64_t squares = static_cast<std::uint64_t>(ceil_div(count, 4));
  std::uint64_t z = seed * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<Index>((z ^ (z >> 31)) % squares) * 4;
}

/// A line as the look reads it: some blocks of 128 terms, in whole numbers.
template <class T>
struct Line {
  bool special = false;
  std::vector<int> entries;
  std::int64_t sum = 0, squares = 0;

  Line(const std::vector<T>& x, int step) {
    double largest = 0;
    std::vector<double> read;
    for (std::size_t p = 0; p < x.size(); ++p) {
      if (static_cast<int>(p) / certificate_block % step != 0) continue;
      special |= !std::isfinite(x[p]);
      read.push_back(std::fabs(static_cast<double>(x[p])));
      if (std::isfinite(x[p])) largest = std::max(largest, read.back());
    }
    if (special) return;
    // Subnormal FP32 numbers count as just below the least normal one.
    const int least = sizeof(T) == sizeof(float) ? -125 : -1000;
    const int exponent = std::max({std::min((largest > 0 ? std::ilogb(largest) : least) + 2, 1000), least, -1000});
    for (double v : read) {
      entries.push_back(static_cast<int>(std::min(std::floor(std::ldexp(v, 20 - exponent)), 0x1p19 - 1)));
      sum += entries.back();
      squares += (entries.back() >> 10) * (entries.back() >> 10);
    }
  }
};

/// Whether the look takes an element of two lines for accepted: the test of cuda/int8/certify_moduli.hpp. Near 0
/// where its rounding decides.
template <class T>
double margin(const Line<T>& row, const Line<T>& col, Index k, int stride, int step, int moduli) {
  const double all = static_cast<double>(k) / static_cast<double>(row.entries.size());
  const auto lambda = [&](const Line<T>& x) { return static_cast<double>(x.sum) * all * 16; };
  const auto power = [&](const Line<T>& x) {
    const double norm = std::sqrt(static_cast<double>(x.squares) * all) * 0x1p-10;
    return norm > 0 ? std::ldexp(1.0, norm_exponent(norm)) : 0x1p-1022;
  };
  int row_bits = 0, col_bits = 0;
  split_bits(capacity_of(int8_capacity(moduli)), 1, 1, k, row_bits, col_bits);
  std::int64_t x = 0;
  for (std::size_t p = 0; p < row.entries.size(); ++p) x += (row.entries[p] >> 13) * (col.entries[p] >> 13);
  const double error = lambda(row) * power(col) * std::ldexp(1.0, -23 - col_bits) +
                       lambda(col) * power(row) * std::ldexp(1.0, -23 - row_bits) +
                       power(row) * power(col) * static_cast<double>(k) * std::ldexp(1.0, -row_bits - col_bits);
  const double allowed = cuda::certificate_moduli_slope<T>(k) * step / stride * static_cast<double>(x);
  return allowed / error - 1;
}

template <class T>
void check(const Kind& kind, Index m, Index n, Index k, int moduli, bool row_major, Random& rng) {
  SCOPED_TRACE(testing::Message() << kind.name() << " m " << m << " n " << n << " k " << k << " moduli " << moduli);
  GemmEntries<T> e = make_entries<T>(kind, m, n, k, rng);
  unsigned seen = 0, rejected = 0, unclear = 0;
  const Index blocks = std::min<Index>(128, ceil_div(m, 4) * ceil_div(n, 4));
  const int stride = cuda::certificate_moduli_stride(k);
  const int step = std::max(stride, static_cast<int>(ceil_div(ceil_div(k, 128), 16)));
  for (Index b = 0; b < blocks; ++b) {
    const Index row = place(m, static_cast<std::uint64_t>(2 * b + 1)),
                col = place(n, static_cast<std::uint64_t>(2 * b + 2));
    std::vector<Line<T>> rows, cols;
    const auto line = [&](auto&& entry) {
      std::vector<T> x;
      for (Index p = 0; p < k; ++p) x.push_back(entry(p));
      return Line<T>(x, step);
    };
    for (Index i = row; i < std::min(m, row + 4); ++i) rows.push_back(line([&](Index p) { return e.A(i, p); }));
    for (Index j = col; j < std::min(n, col + 4); ++j) cols.push_back(line([&](Index p) { return e.B(p, j); }));
    for (const Line<T>& r : rows)
      for (const Line<T>& c : cols) {
        ++seen;
        const double above = r.special || c.special ? -1 : margin(r, c, k, stride, step, moduli);
        rejected += !(above >= -1e-9);
        unclear += std::fabs(above) <= 1e-9;
      }
  }
  const DeviceArray<T> a(e.a), b(e.b);
  DeviceArray<cuda::CallState> state(1);
  state.zero();
  // Rows along the unit stride, or the same entries as columns.
  const cuda::Operand<T> rows{a.data(), 1, m, m, k}, cols{b.data(), k, 1, n, k};
  const cuda::Scalar<T> one{T(1), nullptr};
  const cuda::NativeOffer offer{moduli, 0.5};
  row_major
      ? cuda::first_look<T>(device_model(), cols, rows, one, stride, offer, ResidueKind::real, state.data(), nullptr)
      : cuda::first_look<T>(device_model(), rows, cols, one, stride, offer, ResidueKind::real, state.data(), nullptr);
  require(cudaDeviceSynchronize(), "first_look");
  const cuda::CallState after = state.values()[0];
  EXPECT_EQ(after.look.blocks(), static_cast<unsigned>(blocks));
  const bool wide = after.look.rejected() > after.look.seen() / 500;
  EXPECT_EQ(after.prefers_native, wide);
  EXPECT_EQ(after.refused, wide);
  EXPECT_EQ(after.bound_componentwise, wide ? 0.5 : 0);
  EXPECT_EQ(after.missed_target, 0);
  if (row_major) return;  // the places of the sides are other ones
  EXPECT_EQ(after.look.seen(), seen);
  EXPECT_GE(after.look.rejected(), rejected);
  EXPECT_LE(after.look.rejected(), rejected + unclear);
}

template <class T>
class FirstLook : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(FirstLook, Types);

TYPED_TEST(FirstLook, CountsWhatTheCertificateRejects) {
  using T = TypeParam;
  Random rng(91);
  const int least = sizeof(T) == sizeof(double) ? 13 : 6;
  for (const Kind& kind :
       {Kind{Data::phi, 0.5}, Kind{Data::phi, 2}, Kind{Data::phi, 4}, Kind{Data::phi, 10}, Kind{Data::whole_range},
        Kind{Data::block_diagonal}, Kind{Data::triangular}, Kind{Data::few_special}, Kind{Data::many_special},
        Kind{Data::zero_lines}, Kind{Data::integers}, Kind{Data::subnormal}, Kind{Data::graded}, Kind{Data::ties}})
    for (const auto& [m, n, k] :
         {std::array<Index, 3>{70, 90, 300}, {5, 3, 1}, {33, 34, 1024}, {41, 29, 3000}, {9, 130, 17000}})
      for (const bool row_major : {false, true})
        check<T>(kind, m, n, k, least + static_cast<int>(below(rng, 7)), row_major, rng);
}

TYPED_TEST(FirstLook, ReadsNothingWhereAlphaIsZero) {
  using T = TypeParam;
  const DeviceArray<T> zero(std::vector<T>{0});
  const cuda::Operand<T> rows{nullptr, 1, 40, 40, 50}, cols{nullptr, 50, 1, 40, 50};
  DeviceState state(cuda::CallState{});
  cuda::first_look<T>(device_model(), rows, cols, {T(1), zero.data()}, 1, {16, 0.5}, ResidueKind::real, state.data(),
                      nullptr);
  require(cudaDeviceSynchronize(), "first_look");
  EXPECT_EQ(state.read().prefers_native, 0);
  EXPECT_EQ(state.read().look.counts, 0u);
}

}  // namespace
}  // namespace accublas::test
