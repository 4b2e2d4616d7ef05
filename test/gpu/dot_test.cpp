// DOT on the device in dot2, cr and fixed:T against the CPU's engines, bit by bit.
#include <gtest/gtest.h>

#include "test/gpu/vector_test.hpp"

namespace accublas::test {
namespace {

template <class T>
class GpuDot : public testing::Test {
 protected:
  Random random{20261121};
  Device device;
  Cpu cpu;

  void check(Index n, Index x_stride, Index y_stride, Data data, const std::vector<Case>& cases) {
    Stored<T> x(1, n, 0, x_stride), y(1, n, 0, y_stride);
    for (T& v : x.buffer) v = draw<T>(data, random);
    for (T& v : y.buffer) v = draw<T>(data, random);
    if (x_stride != 0 && y_stride != 0) {
      if (data == Data::cancelling || data == Data::vast) cancel(x.view(), 1, y.view().row(0), n, random);
      if (data == Data::ill_conditioned) make_ill_conditioned(x.view(), 1, y.view().row(0), n, random);
      if (data == Data::ties) make_ties(x.view(), 1, y.view().row(0), n, random);
    }
    const DeviceArray<T> x_device(x.buffer), y_device(y.buffer);
    for (const Case& c : cases) {
      T expected = 77;
      const Stored<T>& xc = x;
      const Stored<T>& yc = y;
      cpu.dot(c, Dot<T>{n, xc.view().row(0), yc.view().row(0), &expected});
      const DeviceArray<T> result(1);
      device.dot(c, Dot<T>{n, x.in(static_cast<const T*>(x_device.data())).row(0),
                           y.in(static_cast<const T*>(y_device.data())).row(0), result.data()});
      const T got = result.values()[0];
      ASSERT_TRUE(same_bits(got, expected))
          << name(c) << " n " << n << " strides " << x_stride << ' ' << y_stride << " data " << static_cast<int>(data)
          << ": " << std::hexfloat << got << " for " << expected;
    }
    device.check_state();
  }
};

using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(GpuDot, Types);

TYPED_TEST(GpuDot, Sizes) {
  const std::vector<Case> cases = {{cuda::VectorMode::dot2, 0, false},
                                   {cuda::VectorMode::cr, 0, false},
                                   {cuda::VectorMode::cr, 0, true},
                                   {cuda::VectorMode::fixed, 53, false}};
  for (Index n = 0; n <= 70; ++n) this->check(n, 1, 1, Data::cancelling, cases);
  for (Index n : {127,  128,  255,  256,  257,  1000,  1023,  1024,  1025,  2047, 2048,
                  2049, 4096, 4999, 5000, 8191, 16383, 16384, 16385, 17409, 40000}) {
    this->check(n, 1, 1, Data::cancelling, cases);
  }
}

TYPED_TEST(GpuDot, Data) {
  for (Data data : all_data)
    for (Index n : {1, 2, 3, 33, 1500, 5000, 70001}) this->check(n, 1, 1, data, all_cases());
}

TYPED_TEST(GpuDot, Strides) {
  const Index strides[][2] = {{2, 1}, {1, -1}, {-3, 2}, {0, 1}, {1, 0}, {0, 0}, {-1, -7}};
  for (const auto& s : strides)
    for (Data data : {Data::cancelling, Data::wide, Data::special})
      for (Index n : {1, 100, 3001, 20000}) this->check(n, s[0], s[1], data, all_cases());
}

TYPED_TEST(GpuDot, Large) {
  const std::vector<Case> cases = {
      {cuda::VectorMode::dot2, 0, false}, {cuda::VectorMode::cr, 0, false}, {cuda::VectorMode::fixed, 60, false}};
  for (Index n : {Index{1} << 20, (Index{1} << 20) + 1, Index{3000001}, Index{5} << 20})
    for (Data data : {Data::uniform, Data::cancelling, Data::vast}) this->check(n, 1, 1, data, cases);
  this->check(12345678, 1, 1, Data::cancelling, cases);
  this->check(1000003, 1, 1, Data::ties, cases);
}

/// Data of phi 10 or condition 1e16 must not need the exact accumulators.
TYPED_TEST(GpuDot, FirstPassDecides) {
  for (Data data : {Data::uniform, Data::wide, Data::ill_conditioned}) {
    this->check(1 << 20, 1, 1, data, {{cuda::VectorMode::cr, 0, false}});
    EXPECT_EQ(this->device.check_state(), 0u);
  }
}

}  // namespace
}  // namespace accublas::test
