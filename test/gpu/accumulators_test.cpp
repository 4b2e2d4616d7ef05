// Accumulators on operands in device memory: their bytes and results are those of operands in host memory, and the
// results are the GPU's single call's, bit by bit.
#include "test/api/accumulators.hpp"

#include "test/gpu/device.hpp"

namespace accublas::test {
namespace {

using namespace accumulators_test;

/// A product whose operands have copies in device memory.
template <class E>
struct OnDevice {
  explicit OnDevice(const Product<E>& p) : host(p), a(p.a), b(p.b), c(p.c) {}

  const E* panel_a(Index first) const { return a.data() + (host.panel_a(first) - host.a.data()); }
  const E* panel_b(Index first) const { return b.data() + (host.panel_b(first) - host.b.data()); }

  const Product<E>& host;
  DeviceArray<E> a, b, c;
};

template <class E>
class DeviceAccumulators : public testing::Test {};
using AllTypes = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(DeviceAccumulators, AllTypes);

TYPED_TEST(DeviceAccumulators, HaveTheBitsOfOneCall) {
  using E = TypeParam;
  using T = Real<E>;
  int second_rounds = 0;
  for (int seed = 0; seed < 60 && !testing::Test::HasFatalFailure(); ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Kind kind = static_cast<Kind>(seed % static_cast<int>(Kind::count));
    const Product<E> p(random, kind, 1 + below(random, 60), 1 + below(random, 80), 1 + below(random, 90));
    const OnDevice<E> device(p);
    const char* const mode = below(random, 2) != 0 ? "cr" : "fixed:53";
    const std::string text = std::string(mode) + " seed " + std::to_string(seed);
    const std::vector<Panel> panels = random_panels(random, p.k);
    const int bits = std::string(mode) == "cr" ? 2 + static_cast<int>(below(random, 50)) : 0;

    // Panels in device memory have the same exponents as panels in host memory.
    std::vector<std::int32_t> rows(static_cast<std::size_t>(2 * p.m), ACCUBLAS_EXPONENT_NONE),
        columns(static_cast<std::size_t>(2 * p.n), ACCUBLAS_EXPONENT_NONE);
    for (const Panel& panel : panels) {
      Sums<E>::good(accublas_accumulator_measure(nullptr, Numbers<E>::type, ACCUBLAS_LEFT, p.layout, p.transa, p.m,
                                                 panel.k, device.panel_a(panel.first), p.lda, rows.data()));
      Sums<E>::good(accublas_accumulator_measure(nullptr, Numbers<E>::type, ACCUBLAS_RIGHT, p.layout, p.transb, p.n,
                                                 panel.k, device.panel_b(panel.first), p.ldb, columns.data()));
    }
    accublas_accumulator* sums = nullptr;
    Sums<E>::good(accublas_accumulator_create(nullptr, Numbers<E>::type, mode, p.m, p.n, p.k, rows.data(),
                                              columns.data(), bits, &sums));
    Sums<E> by_host(p, mode, panels, bits);
    accublas_status status = ACCUBLAS_SUCCESS;
    int rounds = 0;
    do {
      ++rounds;
      for (const Panel& panel : panels) {
        by_host.add(panel);
        // One operand may be in host memory and the other one in device memory.
        const bool mixed = below(random, 4) == 0;
        Sums<E>::good(accublas_accumulator_add(nullptr, sums, p.layout, p.transa, p.transb, panel.k,
                                               device.panel_a(panel.first), p.lda,
                                               mixed ? p.panel_b(panel.first) : device.panel_b(panel.first), p.ldb));
      }
      const std::vector<unsigned char> expected = by_host.bytes();
      std::vector<unsigned char> bytes(expected.size());
      std::size_t size = 0;
      Sums<E>::good(accublas_accumulator_export(nullptr, sums, bytes.data(), bytes.size(), &size));
      EXPECT_TRUE(size == expected.size() && bytes == expected) << text;
      Answer<E> answer;
      const accublas_status of_host = by_host.finish(answer);
      EXPECT_EQ(raised_in([&] {
                  status =
                      accublas_accumulator_finish(nullptr, sums, p.layout, &p.alpha, &p.beta, device.c.data(), p.ldc);
                }),
                0);
      ASSERT_EQ(status, of_host) << accublas_last_error(nullptr);
      EXPECT_TRUE(std::memcmp(device.c.values().data(), answer.c.data(), answer.c.size() * sizeof(E)) == 0) << text;
    } while (status == ACCUBLAS_ERROR_UNDECIDED && rounds < 3);
    second_rounds += rounds > 1;
    ASSERT_EQ(status, ACCUBLAS_SUCCESS);
    accublas_accumulator_destroy(sums);

    // One call on the device.
    const DeviceArray<E> c(p.c);
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.mode_name = mode;
    const auto at = [](const E* x) { return reinterpret_cast<const T*>(x); };
    Sums<E>::good(Numbers<E>::gemm(nullptr, p.layout, p.transa, p.transb, p.m, p.n, p.k, at(&p.alpha),
                                   at(device.a.data()), p.lda, at(device.b.data()), p.ldb, at(&p.beta),
                                   reinterpret_cast<T*>(c.data()), p.ldc, &options));
    EXPECT_TRUE(std::memcmp(device.c.values().data(), c.values().data(), p.c.size() * sizeof(E)) == 0) << text;
  }
  EXPECT_GT(second_rounds, 5);
}

TEST(DeviceAccumulatorFactors, AreReadWhereThePointerModeSays) {
  Random random(1);
  Product<double> p(random, Kind::normal, 4, 5, 6);
  const std::vector<Panel> panels = {{0, 6}};
  Sums<double> sums(p, "fixed:53", panels);
  sums.add(panels[0]);
  Answer<double> expected;
  ASSERT_EQ(sums.finish(expected), ACCUBLAS_SUCCESS);
  const DeviceArray<double> factors(std::vector<double>{p.alpha, p.beta});
  std::vector<double> c = p.c;
  const auto finish = [&](const double* alpha, const double* beta) {
    return accublas_accumulator_finish(nullptr, sums.get(), p.layout, alpha, beta, c.data(), p.ldc);
  };
  EXPECT_EQ(finish(factors.data(), &p.beta), ACCUBLAS_ERROR_POINTERS);
  ASSERT_EQ(accublas_set_pointer_mode(nullptr, ACCUBLAS_POINTER_DEVICE), ACCUBLAS_SUCCESS);
  EXPECT_EQ(finish(&p.alpha, factors.data() + 1), ACCUBLAS_ERROR_POINTERS);
  EXPECT_EQ(finish(factors.data(), factors.data() + 1), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  EXPECT_EQ(accublas_set_pointer_mode(nullptr, ACCUBLAS_POINTER_HOST), ACCUBLAS_SUCCESS);
  EXPECT_EQ(std::memcmp(c.data(), expected.c.data(), c.size() * sizeof(double)), 0);
}

}  // namespace
}  // namespace accublas::test
