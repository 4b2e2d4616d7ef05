// Accumulators whose residues are in device memory: their bytes are the CPU's, and their results are those of the CPU's
// accumulators and of the GPU's single call, bit by bit.
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

/// Returns the undecided sums that exported bytes list.
Index listed_in(const std::vector<unsigned char>& bytes) {
  Index count = 0;
  std::memcpy(&count, &bytes[88], sizeof count);
  return count;
}

/// Compares exported bytes. In cr the error bounds, and with them the checksum, may differ in their last bits: bounds
/// are sums of magnitudes that are rounded up. The lists of undecided sums may differ too, because the GPU's first
/// tests decide other sums than the CPU's.
template <class E>
void expect_same_bytes(std::vector<unsigned char> got, std::vector<unsigned char> expected, const Product<E>& p,
                       bool bounds, const std::string& text) {
  if (bounds && listed_in(got) != listed_in(expected)) {
    // The residues come before the lists.
    const std::size_t list = static_cast<std::size_t>(552);
    got.resize(got.size() - list * static_cast<std::size_t>(listed_in(got)));
    expected.resize(expected.size() - list * static_cast<std::size_t>(listed_in(expected)));
    std::memcpy(&got[16], &expected[16], 8);
    std::memcpy(&got[88], &expected[88], 8);
  }
  ASSERT_EQ(got.size(), expected.size()) << text;
  if (bounds) {
    const Index lines = p.m * (is_complex<E> ? 2 : 1) + p.n;
    const std::size_t first = static_cast<std::size_t>(128 + 8 * (p.m + p.n));
    for (std::size_t i = 0; i < static_cast<std::size_t>(lines); ++i) {
      double a = 0, b = 0;
      std::memcpy(&a, &got[first + 8 * i], 8);
      std::memcpy(&b, &expected[first + 8 * i], 8);
      EXPECT_LE(std::fabs(a - b), 1e-6 * std::fabs(b)) << text << ": bound " << i;
      std::memcpy(&got[first + 8 * i], &b, 8);
    }
    std::memcpy(&got[24], &expected[24], 8);
  }
  const auto differs = std::mismatch(got.begin(), got.end(), expected.begin()).first;
  EXPECT_TRUE(differs == got.end()) << text << ": byte " << differs - got.begin() << " of " << got.size();
}

/// Makes the default context's calls on host operands those of a backend.
class Backend {
 public:
  explicit Backend(accublas_backend backend) {
    EXPECT_EQ(accublas_set_backend(nullptr, backend), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  }
  ~Backend() { accublas_set_backend(nullptr, ACCUBLAS_BACKEND_AUTO); }
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
};
template <class Body>
auto on_cpu(Body&& body) {
  const Backend cpu(ACCUBLAS_BACKEND_CPU);
  return body();
}
template <class Body>
auto on_gpu(Body&& body) {
  const Backend gpu(ACCUBLAS_BACKEND_CUDA);
  return body();
}

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
      std::size_t size = 0;
      Sums<E>::good(accublas_accumulator_export(nullptr, sums, nullptr, 0, &size));
      std::vector<unsigned char> bytes(size);
      Sums<E>::good(accublas_accumulator_export(nullptr, sums, bytes.data(), bytes.size(), &size));
      expect_same_bytes(bytes, expected, p, std::string(mode) == "cr", text);
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

/// Panels of host operands, some added by the CPU and some by the GPU: the accumulator moves, and its parts merge.
TYPED_TEST(DeviceAccumulators, TakeHostPanelsAndMerge) {
  using E = TypeParam;
  int second_rounds = 0;
  for (int seed = 0; seed < 90 && !testing::Test::HasFatalFailure(); ++seed) {
    Random random(static_cast<std::uint64_t>(1000 + seed));
    const Kind kind = static_cast<Kind>(seed % static_cast<int>(Kind::count));
    const Product<E> p(random, kind, 1 + below(random, 300), 1 + below(random, 300), 1 + below(random, 400));
    const char* const mode = below(random, 2) != 0 ? "cr" : "fixed:60";
    const std::string text = std::string(mode) + " seed " + std::to_string(seed);
    const std::vector<Panel> panels = random_panels(random, p.k);
    const int bits = std::string(mode) == "cr" ? 30 + static_cast<int>(below(random, 60)) : 0;
    const Answer<E> expected = by_one_call(p, mode);
    Sums<E> by_cpu(p, mode, panels, bits), moving(p, mode, panels, bits);
    int rounds = 0;
    accublas_status status = ACCUBLAS_ERROR_UNDECIDED;
    for (; status == ACCUBLAS_ERROR_UNDECIDED && rounds < 2; ++rounds) {
      Sums<E> other(p, rounds == 0 ? Sums<E>(p, mode, panels, bits).bytes() : moving.bytes());
      for (std::size_t i = 0; i < panels.size(); ++i) {
        const bool first_half = i < panels.size() / 2;
        on_cpu([&] { by_cpu.add(panels[i]); });
        Sums<E>& to = first_half && below(random, 2) == 0 ? other : moving;
        if (below(random, 4) == 0)
          on_cpu([&] { to.add(panels[i]); });
        else
          on_gpu([&] { to.add(panels[i]); });
        if (i + 1 == std::max<std::size_t>(panels.size() / 2, 1)) moving.merge(other);
      }
      if (below(random, 2) == 0) expect_same_bytes(moving.bytes(), by_cpu.bytes(), p, std::string(mode) == "cr", text);
      Answer<E> of_cpu, answer;
      const accublas_status wanted = on_cpu([&] { return by_cpu.finish(of_cpu); });
      status = on_gpu([&] { return moving.finish(answer); });
      ASSERT_EQ(status, wanted) << text << ": " << accublas_last_error(nullptr);
      expect_same(answer, of_cpu, text);
      expect_same_bytes(moving.bytes(), by_cpu.bytes(), p, std::string(mode) == "cr", text);
      if (status == ACCUBLAS_SUCCESS) expect_same(answer, expected, text + ": one call");
    }
    ASSERT_EQ(status, ACCUBLAS_SUCCESS) << text;
    second_rounds += rounds > 1;
  }
  EXPECT_GT(second_rounds, 0);
}

/// More terms than the device converts at a time, with little temporary memory: products of several parts, and results
/// in several blocks.
TYPED_TEST(DeviceAccumulators, KeepToTheirMemory) {
  using E = TypeParam;
  for (const std::int64_t mib : {0, 24, 8, 4}) {
    ASSERT_EQ(accublas_set_workspace_mib(nullptr, mib), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
    for (const Kind kind : {Kind::normal, Kind::cancelling, Kind::special}) {
      Random random(static_cast<std::uint64_t>(7 + mib));
      const Product<E> p(random, kind, 300, 270, 2300);
      OnDevice<E> device(p);
      for (const char* const mode : {"cr", "fixed:40"}) {
        const std::string text = std::string(mode) + ", MiB " + std::to_string(mib);
        const std::vector<Panel> panels = {{0, 1700}, {1700, 1}, {1701, 599}};
        Sums<E> sums(p, mode, panels), by_cpu(p, mode, panels);
        accublas_status status = ACCUBLAS_ERROR_UNDECIDED;
        for (int round = 0; status == ACCUBLAS_ERROR_UNDECIDED && round < 2; ++round) {
          for (const Panel& panel : panels) {
            on_cpu([&] { by_cpu.add(panel); });
            Sums<E>::good(accublas_accumulator_add(nullptr, sums.get(), p.layout, p.transa, p.transb, panel.k,
                                                   device.panel_a(panel.first), p.lda, device.panel_b(panel.first),
                                                   p.ldb));
          }
          Answer<E> of_cpu;
          const accublas_status wanted = on_cpu([&] { return by_cpu.finish(of_cpu); });
          status =
              accublas_accumulator_finish(nullptr, sums.get(), p.layout, &p.alpha, &p.beta, device.c.data(), p.ldc);
          ASSERT_EQ(status, wanted) << text << ": " << accublas_last_error(nullptr);
          if (mib > 0) {
            EXPECT_LE(sums.report().workspace_bytes, (mib + 1) << 20) << text;  // the CPU may take 1 MiB beyond
          }
          EXPECT_TRUE(std::memcmp(device.c.values().data(), of_cpu.c.data(), of_cpu.c.size() * sizeof(E)) == 0) << text;
          expect_same_bytes(sums.bytes(), by_cpu.bytes(), p, std::string(mode) == "cr", text);
        }
        ASSERT_EQ(status, ACCUBLAS_SUCCESS) << text;
        const Answer<E> expected = by_one_call(p, mode);
        EXPECT_TRUE(std::memcmp(device.c.values().data(), expected.c.data(), expected.c.size() * sizeof(E)) == 0)
            << text << ": one call";
        device.c = p.c;
      }
    }
  }
  ASSERT_EQ(accublas_set_workspace_mib(nullptr, 0), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
}

/// The moduli hold several bits more than the sums need, so some hundred results need all leading bits of their sums.
TYPED_TEST(DeviceAccumulators, RoundManyResults) {
  using E = TypeParam;
  Random random(21);
  Product<E> p(random, Kind::normal, 1500, is_complex<E> ? 700 : 1400, 90);
  p.alpha = E(-0.5F);
  p.beta = E(0);
  Sums<E> sums(p, "cr", {{0, 90}});
  Answer<E> answer;
  on_gpu([&] { finish_rounds(sums, answer, p, [](Sums<E>& to) { to.add({0, 90}); }); });
  expect_same(answer, by_one_call(p, "cr"), "one call");
}

/// A panel that does not fit, and damaged bytes, are statuses and change nothing.
TYPED_TEST(DeviceAccumulators, StayAsTheyWereOnErrors) {
  using E = TypeParam;
  Random random(3);
  Product<E> p(random, Kind::normal, 40, 50, 60);
  const std::vector<Panel> panels = {{0, 30}, {30, 30}};
  Sums<E> sums(p, "cr", panels);
  on_gpu([&] { sums.add(panels[0]); });
  const std::vector<unsigned char> before = sums.bytes();
  const E kept = p.at_b(31, 7);
  p.at_b(31, 7) = E(1e30F);
  {
    const OnDevice<E> device(p);
    EXPECT_EQ(accublas_accumulator_add(nullptr, sums.get(), p.layout, p.transa, p.transb, 30, device.panel_a(30), p.lda,
                                       device.panel_b(30), p.ldb),
              ACCUBLAS_ERROR_ARGUMENT);
  }
  EXPECT_NE(std::strstr(accublas_last_error(nullptr), "column 7"), nullptr) << accublas_last_error(nullptr);
  EXPECT_EQ(sums.bytes(), before);
  p.at_b(31, 7) = kept;
  p.at_a(11, 40) = E(1e30F);
  on_gpu([&] {
    EXPECT_EQ(accublas_accumulator_add(nullptr, sums.get(), p.layout, p.transa, p.transb, 30, p.panel_a(30), p.lda,
                                       p.panel_b(30), p.ldb),
              ACCUBLAS_ERROR_ARGUMENT);
    EXPECT_NE(std::strstr(accublas_last_error(nullptr), "row 11"), nullptr) << accublas_last_error(nullptr);
  });
  EXPECT_EQ(sums.bytes(), before);
  std::vector<unsigned char> damaged = before;
  damaged[damaged.size() / 2] ^= 4;
  EXPECT_EQ(accublas_accumulator_merge(nullptr, sums.get(), damaged.data(), damaged.size()), ACCUBLAS_ERROR_FORMAT);
  EXPECT_EQ(accublas_accumulator_add(nullptr, sums.get(), p.layout, p.transa, p.transb, 61, p.a.data(), p.lda,
                                     p.b.data(), std::max<Index>(p.ldb, 61)),
            ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(sums.bytes(), before);
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
