// NRM2 and ASUM on the device in dot2 and cr against the CPU's engines, bit by bit.
#include <gtest/gtest.h>

#include <algorithm>

#include "lib/base/integers.hpp"
#include "lib/numerics/float_bits.hpp"
#include "test/gpu/vector_test.hpp"

namespace accublas::test {
namespace {

using cuda::Terms, cuda::VectorMode;

/// Beyond Data: `roots`: sums of squares whose root is halfway between two numbers, perhaps with a little more;
/// `edges`: magnitudes about the limits of dot2's scaling and of overflow; `least`: a few of the least subnormals.
enum class NormData { roots, edges, least };

template <class T>
std::vector<T> values_of(NormData data, Index n, Random& random) {
  constexpr int top = std::numeric_limits<T>::max_exponent, p = std::numeric_limits<T>::digits;
  const int edges[] = {-402, -401, -400, -399, 479, 480, 481, top - 1, top, -537, -1000};
  const int edge = sizeof(T) == 8 ? edges[random() % 11] : static_cast<int>(random() % 276) - 148;
  const bool flat = random() % 2 == 0;
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& v : x) {
    const double u = std::uniform_real_distribution<double>(-1, 1)(random);
    if (data == NormData::edges) v = static_cast<T>(std::ldexp(u, edge - static_cast<int>(random() % (flat ? 3 : 60))));
    if (data == NormData::least)
      v = static_cast<T>(static_cast<int>(random() % 7) - 3) * std::numeric_limits<T>::denorm_min();
  }
  if (data == NormData::edges && n > 0 && random() % 2) x[random() % x.size()] = static_cast<T>(std::ldexp(1.0, edge));
  if (data == NormData::roots) {
    // (2^p + 1)^2 = 2^2p + 2^(p+1) + 1
    const double head[] = {std::ldexp(1.0, p), std::ldexp(1.0, ceil_div(p, 2)), p % 2 ? 1.0 : std::ldexp(1.0, p / 2),
                           p % 2 ? 0.0 : 1.0, random() % 2 ? 0.0 : std::ldexp(1.0, -static_cast<int>(random() % 61))};
    for (std::size_t i = 0; i < x.size() && i < 5; ++i) x[i] = static_cast<T>(head[i]);
    std::shuffle(x.begin(), x.end(), random);
  }
  return x;
}

template <class T>
class GpuNorms : public testing::Test {
 protected:
  Random random{20261122};
  Device device;
  Cpu cpu;
  const std::vector<Case> cases = {{VectorMode::dot2, 0, false}, {VectorMode::cr, 0, false}, {VectorMode::cr, 0, true}};

  /// n elements `stride` apart, the first ones of `values` in the order of memory; between them lies NaN.
  void check(const std::vector<T>& values, Index n, Index stride, const std::string& text, bool undecided = true) {
    std::vector<T> buffer(static_cast<std::size_t>(n > 0 ? (n - 1) * std::abs(stride) + 1 : 1),
                          std::numeric_limits<T>::quiet_NaN());
    for (Index i = 0; i < n; ++i)
      buffer[static_cast<std::size_t>(i * std::abs(stride))] = values[static_cast<std::size_t>(i)];
    const Index offset = stride < 0 ? (1 - n) * stride : 0;
    const DeviceArray<T> on_device(buffer);
    for (const Terms terms : {Terms::squares, Terms::magnitudes})
      for (const Case& c : cases) {
        if (c.all_undecided && !undecided) continue;
        T expected = 77;
        cpu.norm(c, terms, Reduction<T>{n, {buffer.data() + offset, stride}, &expected});
        const DeviceArray<T> result(1);
        device.norm(c, terms, Reduction<T>{n, {on_device.data() + offset, stride}, result.data()});
        const T got = result.values()[0];
        ASSERT_TRUE(same_bits(got, expected))
            << (terms == Terms::squares ? "nrm2 " : "asum ") << name(c) << " n " << n << " stride " << stride
            << " data " << text << ": " << std::hexfloat << got << " for " << expected;
      }
    device.check_state();
  }
  void check(Data data, Index n, Index stride, bool undecided = true) {
    std::vector<T> values(static_cast<std::size_t>(n));
    for (T& v : values) v = draw<T>(data, random);
    if (data == Data::ties && n > 1) {  // the sum of magnitudes is halfway between two numbers
      std::fill(values.begin(), values.end(), T(0));
      values[random() % values.size()] = 1;
      values[random() % values.size()] += std::numeric_limits<T>::epsilon() / 2;
    }
    check(values, n, stride, std::to_string(static_cast<int>(data)), undecided);
  }
  void check(NormData data, Index n, Index stride) {
    check(values_of<T>(data, n, random), n, stride, "of norms " + std::to_string(static_cast<int>(data)));
  }
};

using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(GpuNorms, Types);

TYPED_TEST(GpuNorms, Sizes) {
  for (Index n = 0; n <= 200; ++n) {
    this->check(Data::wide, n, 1);
    this->check(NormData::edges, n, 1);
  }
  for (Index n :
       {1000, 1023, 1024, 1025, 2047, 2048, 2049, 4999, 16383, 16384, 16385, 17409, 32768, 32769, 40000, 270337})
    this->check(Data::wide, n, 1, n < 50000);
}

TYPED_TEST(GpuNorms, Data) {
  for (Data data : all_data)
    for (Index n : {1, 2, 3, 33, 1500, 5000, 70001}) this->check(data, n, 1);
  for (NormData data : {NormData::roots, NormData::edges, NormData::least})
    for (Index n : {1, 2, 3, 4, 5, 6, 7, 33, 40, 1500, 20001})
      for (int times = 0; times < (n < 2000 ? 20 : 6); ++times) this->check(data, n, 1);
}

TYPED_TEST(GpuNorms, Strides) {
  for (Index stride : {2, -1, -3, 7})
    for (Data data : {Data::wide, Data::vast, Data::special, Data::subnormal})
      for (Index n : {1, 2, 100, 3001, 20000}) this->check(data, n, stride);
  for (Index stride : {-2, 3})
    for (Index n : {5, 300, 18000}) this->check(NormData::edges, n, stride);
  this->check({TypeParam(3)}, 1, 0, "one element");
}

/// An increment of zero repeats the first element.
TYPED_TEST(GpuNorms, RepeatedElement) {
  using T = TypeParam;
  for (const T value : {T(-3), std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max(), T(0)})
    for (Index n : {2, 1000, 30000}) {
      const DeviceArray<T> x(std::vector<T>{value});
      for (const Terms terms : {Terms::squares, Terms::magnitudes})
        for (const Case& c : this->cases) {
          T expected = 77;
          this->cpu.norm(c, terms, Reduction<T>{n, {&value, 0}, &expected});
          const DeviceArray<T> result(1);
          this->device.norm(c, terms, Reduction<T>{n, {x.data(), 0}, result.data()});
          ASSERT_TRUE(same_bits(result.values()[0], expected)) << name(c) << " n " << n << " value " << value;
        }
    }
}

/// Inf, and NaN of any sign and payload, alone and among numbers whose squares overflow.
TYPED_TEST(GpuNorms, SpecialValues) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), max = std::numeric_limits<T>::max();
  const T quiet = -from_bits<T>(FloatFormat<T>::quiet_nan + 5), signalling = from_bits<T>(FloatFormat<T>::infinity + 1);
  for (Index n : {1, 2, 33, 3000, 40000})
    for (const T filler : {T(1), max, T(0)})
      for (const T special : {-inf, quiet, signalling})
        for (const bool with_inf : {false, true}) {
          std::vector<T> x(static_cast<std::size_t>(n), filler);
          if (with_inf) x[0] = inf;
          x[static_cast<std::size_t>(n / 2)] = special;
          this->check(x, n, 1, "special", false);
        }
}

TYPED_TEST(GpuNorms, Large) {
  for (Index n : {Index{1} << 20, (Index{1} << 20) + 1, Index{3000001}, Index{5} << 20})
    for (Data data : {Data::uniform, Data::vast, Data::overflowing}) this->check(data, n, 1, false);
  this->check(Data::wide, 12345678, 1, false);
  this->check(Data::ties, 1000003, 1, true);
  this->check(NormData::roots, 1000003, 1);
}

/// All terms have one sign: cr needs the exact accumulators for ties alone.
TYPED_TEST(GpuNorms, FirstPassDecides) {
  for (Data data : {Data::uniform, Data::wide, Data::zeros})
    for (const Terms terms : {Terms::squares, Terms::magnitudes}) {
      std::vector<TypeParam> x(1 << 20);
      for (TypeParam& v : x) v = draw<TypeParam>(data, this->random);
      const DeviceArray<TypeParam> on_device(x), result(1);
      this->device.norm({VectorMode::cr, 0, false}, terms,
                        Reduction<TypeParam>{1 << 20, {on_device.data(), 1}, result.data()});
      EXPECT_EQ(this->device.check_state(), 0u);
    }
}

}  // namespace
}  // namespace accublas::test
