// Which shapes dp and sp leave to cuBLAS: the choice against what one H200 measured.
#include "cuda/gemm_cost.hpp"

#include <gtest/gtest.h>

namespace accublas::cuda {
namespace {

constexpr int h200_processors = 132;

struct Measured {
  bool single;
  GemmShape shape;
  double ratio;  ///< cublasDgemm's or cublasSgemm's time over engine int8's, even data
};
constexpr Measured measured[] = {
    {false, {1024, 1024, 1024}, 0.36},   {false, {2048, 2048, 2048}, 0.86},  {false, {3072, 3072, 3072}, 1.18},
    {false, {8192, 8192, 8192}, 1.75},   {false, {512, 512, 65536}, 0.47},   {false, {1024, 1024, 65536}, 0.83},
    {false, {2048, 2048, 16384}, 1.28},  {false, {2048, 2048, 65536}, 1.43}, {false, {4096, 4096, 512}, 0.68},
    {false, {4096, 4096, 2048}, 1.20},   {false, {8192, 8192, 512}, 0.85},   {false, {8192, 8192, 1024}, 1.10},
    {false, {16384, 16384, 256}, 0.51},  {false, {16384, 16384, 512}, 0.84}, {false, {16384, 16384, 1024}, 1.15},
    {false, {16384, 16384, 2048}, 1.42}, {false, {512, 16384, 4096}, 0.90},  {false, {768, 8192, 8192}, 1.08},
    {false, {64, 16384, 16384}, 0.11},   {false, {256, 8192, 8192}, 0.60},   {true, {1024, 1024, 1024}, 0.65},
    {true, {1536, 1536, 1536}, 1.31},    {true, {4096, 4096, 4096}, 3.06},   {true, {512, 512, 65536}, 0.77},
    {true, {1024, 1024, 65536}, 1.43},   {true, {4096, 4096, 256}, 0.80},    {true, {4096, 4096, 512}, 1.23},
    {true, {16384, 16384, 1024}, 2.19},  {true, {512, 16384, 4096}, 1.71},
};

TEST(GemmCost, TakesTheFasterOfTwo) {
  for (const Measured& m : measured) {
    const GemmPrice price{sm_90, m.single, h200_processors};
    EXPECT_EQ(moduli_that_pay(price, m.shape) > 0, m.ratio > 1)
        << (m.single ? "sgemm " : "dgemm ") << m.shape.m << ' ' << m.shape.n << ' ' << m.shape.k;
    const GemmShape transposed{m.shape.n, m.shape.m, m.shape.k};
    EXPECT_EQ(moduli_that_pay(price, transposed) > 0, m.ratio > 1);
    const double ratio = price.native(m.shape) / price.emulated(m.shape, even_moduli(m.single, m.shape.k).most);
    EXPECT_NEAR(ratio / m.ratio, 1, m.shape.m < 512 ? 3 : 0.2);
  }
}

TEST(GemmCost, ModuliStayWithinTheTable) {
  for (const bool single : {false, true}) {
    const GemmPrice price{sm_90, single, h200_processors};
    for (Index k = 1; k < Index{1} << 40; k = 3 * k + 1) {
      const GemmShape shape{8192, 8192, k};
      const int moduli = moduli_that_pay(price, shape);
      if (moduli == 0) continue;
      EXPECT_GE(moduli, even_moduli(single, k).most);
      EXPECT_LE(moduli, price.cost()->most_moduli);
    }
    for (const GemmShape& small : {GemmShape{1, 1, 1}, {0, 0, 0}, {0, 8192, 8192}, {8192, 8192, 0}})
      EXPECT_EQ(moduli_that_pay(price, small), 0);
  }
}

TEST(GemmCost, DevicesThatWereNotMeasuredTakeCublas) {
  for (const int major : {8, 10})
    EXPECT_EQ(moduli_that_pay({tuning_of(major, 0), major == 10, h200_processors}, {8192, 8192, 8192}), 0);
}

}  // namespace
}  // namespace accublas::cuda
