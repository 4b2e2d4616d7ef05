// GEMM through the public interface: the GPU's bits are the CPU's in every mode that defines them, whatever the engine,
// layout, transposition, strides, scalars and sizes.
#include <cstring>
#include <set>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

template <class T>
class Gemm : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};

  void set(const std::string& mode, const char* engine = "auto") {
    cpu.set(mode);
    gpu.set(mode, engine);
  }
};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Gemm, Types);

const std::vector<std::string> all_modes = {"fixed:2",   "fixed:3",       "fixed:7",       "fixed:8",      "fixed:11",
                                            "fixed:21",  "fixed:24",      "fixed:31",      "fixed:48",     "fixed:50",
                                            "fixed:53",  "fixed:60",      "fixed:64",      "fixed:70",     "fixed:97",
                                            "fixed:106", "fixed:128",     "fixed:150",     "dp:repro",     "cr",
                                            "slices:1",  "slices:2",      "slices:5",      "slices:8",     "slices:13",
                                            "slices:50", "slices:2:fast", "slices:4:fast", "slices:9:fast"};
const std::vector<std::string> main_modes = {"cr", "dp:repro", "fixed:53", "fixed:11", "dot2"};

/// Engines that serve a mode on the GPU; the others must refuse.
std::set<std::string> engines_of(const std::string& mode) {
  if (mode.rfind("slices", 0) == 0) return {"auto", "fp64"};
  return {"auto", "int8", "fp16", "fp64"};
}

const std::vector<Kind> ordinary = {{Data::phi, 0},       {Data::phi, 0.5}, {Data::phi, 1},    {Data::phi, 2},
                                    {Data::cancellation}, {Data::integers}, {Data::triangular}};

TYPED_TEST(Gemm, EveryModeOnEveryEngine) {
  using T = TypeParam;
  Random rng(1);
  for (const std::string& mode : all_modes) {
    for (const char* engine : {"auto", "int8", "fp64", "fp16", "sums"}) {
      this->set(mode, engine);
      for (int number = 0; number < scaled(3); ++number) {
        const Kind& kind = ordinary[static_cast<std::size_t>(below(rng, static_cast<Index>(ordinary.size())))];
        const auto p = random_problem<T>(rng, kind, 1 + below(rng, 150), 1 + below(rng, 150),
                                         inner_dimension(mode, number, 1 + below(rng, 300)));
        std::vector<T> out;
        const accublas_status status = on_device(this->gpu, p, out);
        if (!engines_of(mode).count(engine)) {
          // It says so, names those that can, and writes nothing.
          ASSERT_EQ(status, ACCUBLAS_ERROR_ENGINE) << mode << " " << engine;
          for (const std::string& able : engines_of(mode))
            ASSERT_NE(std::string(this->gpu.error()).find(able), std::string::npos) << this->gpu.error();
          ASSERT_EQ(mismatch(p, p.c, out), "") << mode << " " << engine << ": C was written";
          break;
        }
        ASSERT_EQ(status, ACCUBLAS_SUCCESS)
            << mode << " " << engine << " " << p.describe() << ": " << this->gpu.error();
        const accublas_report_t report = this->gpu.report();
        ASSERT_STREQ(report.backend, "cuda");
        ASSERT_TRUE(!std::strcmp(engine, "auto") || !std::strcmp(engine, report.engine)) << report.engine;
        std::vector<T> want;
        ASSERT_EQ(on_host(this->cpu, p, want), ACCUBLAS_SUCCESS) << this->cpu.error();
        ASSERT_EQ(mismatch(p, want, out), "") << mode << " engine " << engine;
      }
    }
  }
}

TYPED_TEST(Gemm, LayoutsAndTranspositions) {
  using T = TypeParam;
  Random rng(2);
  for (const std::string& mode : main_modes) {
    this->set(mode);
    for (const accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR})
      for (const accublas_transpose transa : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS})
        for (const accublas_transpose transb : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS})
          for (const Index extra : {0, 1, 5}) {
            const auto p = packed_problem<T>(rng, {Data::phi, 1}, 70 + below(rng, 70), 30 + below(rng, 120),
                                             50 + below(rng, 200), layout, transa, transb, extra);
            expect_same(this->cpu, this->gpu, p, mode);
            if (testing::Test::HasFatalFailure()) return;
          }
  }
}

TYPED_TEST(Gemm, AnyStrides) {
  using T = TypeParam;
  Random rng(3);
  for (const std::string& mode : main_modes) {
    this->set(mode);
    for (int number = 0; number < scaled(30); ++number) {
      const Index m = 1 + below(rng, 140), n = 1 + below(rng, 140), k = 1 + below(rng, 200);
      Problem<T> p;
      p.m = m, p.n = n, p.k = k, p.general = true;
      p.at_a = strided(rng, m, k, true), p.at_b = strided(rng, k, n, true), p.at_c = strided(rng, m, n, false);
      p.beta = below(rng, 2) ? T{0.5} : T{0};
      fill(p, make_entries<T>({Data::phi, 1}, m, n, k, rng));
      expect_same(this->cpu, this->gpu, p, mode);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(Gemm, ScalarsOnHostAndDevice) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  Random rng(4);
  const std::vector<T> values = {1,
                                 0,
                                 -1,
                                 T(-0.0),
                                 T(0.5),
                                 T(-4),
                                 T(1.3),
                                 T(-0.7),
                                 T(std::ldexp(1.0, 40)),
                                 Limits::min(),
                                 Limits::denorm_min(),
                                 Limits::max(),
                                 Limits::infinity(),
                                 -Limits::infinity(),
                                 Limits::quiet_NaN()};
  for (const std::string& mode : main_modes) {
    this->set(mode);
    for (const T alpha : values)
      for (const T beta : values) {
        auto p = random_problem<T>(rng, {below(rng, 4) ? Data::phi : Data::few_special, 1}, 1 + below(rng, 40),
                                   1 + below(rng, 40), 1 + below(rng, 60));
        p.alpha = alpha;
        p.beta = beta;
        if (below(rng, 2)) p.c[static_cast<std::size_t>(p.at_c.at(0, 0))] = any_special<T>(rng);
        for (const bool device_scalars : {false, true}) {
          expect_same(this->cpu, this->gpu, p, mode, device_scalars);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
  }
}

// alpha = 0 or k = 0: A and B are not read. beta = 0: C is not read. Zero sizes leave C alone.
TYPED_TEST(Gemm, NothingToMultiply) {
  using T = TypeParam;
  Random rng(5);
  for (const std::string& mode : main_modes) {
    this->set(mode);
    for (const T alpha : {T{0}, T{1}})
      for (const T beta : {T{0}, T{1}, T{-2}, std::numeric_limits<T>::quiet_NaN()})
        for (const Index k : {Index{0}, Index{9}}) {
          auto p = random_problem<T>(rng, {Data::many_special}, 33, 21, k);
          p.alpha = alpha;
          p.beta = beta;
          for (const bool device_scalars : {false, true}) expect_same(this->cpu, this->gpu, p, mode, device_scalars);
          if (testing::Test::HasFatalFailure()) return;
        }
    for (const auto& [m, n] : {std::pair<Index, Index>{0, 5}, {5, 0}, {0, 0}}) {
      const auto p = plain_problem<T>(rng, {Data::phi, 1}, m, n, 3);
      expect_same(this->cpu, this->gpu, p, mode);
    }
    auto p = plain_problem<T>(rng, {Data::phi, 1}, 10, 10, 10);
    p.alpha = 0;
    p.beta = T(3);
    std::vector<T> want;
    ASSERT_EQ(on_host(this->cpu, p, want), ACCUBLAS_SUCCESS);
    const DeviceArray<T> c(p.c);
    EXPECT_EQ(call<T>(this->gpu, p, nullptr, nullptr, c.data(), &p.alpha, &p.beta), ACCUBLAS_SUCCESS)
        << this->gpu.error();
    EXPECT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
    EXPECT_EQ(mismatch(p, want, c.values()), "") << mode << " alpha = 0, A and B NULL";
  }
}

TYPED_TEST(Gemm, RandomShapes) {
  using T = TypeParam;
  Random rng(6);
  for (int number = 0; number < scaled(120); ++number) {
    const std::string& mode = number % 3 ? main_modes[static_cast<std::size_t>(number) % main_modes.size()]
                                         : all_modes[static_cast<std::size_t>(below(rng, 20))];
    this->set(mode);
    const Kind& kind = ordinary[static_cast<std::size_t>(below(rng, static_cast<Index>(ordinary.size())))];
    const auto size = [&](Index most) { return 1 + below(rng, below(rng, 3) ? most / 8 + 1 : most); };
    auto p = random_problem<T>(rng, kind, size(700), size(700), size(5000));
    if (below(rng, 3) == 0) p.alpha = T(-1.3);
    if (below(rng, 3) == 0) p.beta = T(0.7);
    expect_same(this->cpu, this->gpu, p, "case " + std::to_string(number) + " " + mode, below(rng, 3) == 0);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(Gemm, SkinnyShapes) {
  using T = TypeParam;
  Random rng(7);
  const std::vector<std::array<Index, 3>> shapes = {
      {1, 1, 1},       {1, 700, 900},   {700, 1, 900},   {1, 1, 5000},  {2, 3000, 64}, {3000, 2, 64},  {1000, 900, 1},
      {64, 2000, 300}, {257, 255, 127}, {256, 256, 128}, {513, 129, 2}, {5, 5, 20000}, {2, 900, 1100}, {900, 1, 1030}};
  for (const std::string& mode : main_modes) {
    this->set(mode);
    for (const auto& [m, n, k] : shapes) {
      auto p = random_problem<T>(rng, {Data::phi, 1}, m, n, k);
      expect_same(this->cpu, this->gpu, p, mode);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// Tests single products of cr up to order 512. The cases have shapes at the edges of tiles and chunks, every kind of
// data, decaying matrices, alpha and beta in host and device memory, and a small workspace.
TYPED_TEST(Gemm, SmallProducts) {
  using T = TypeParam;
  Random rng(10);
  std::vector<Kind> kinds = {{Data::phi, 0},       {Data::phi, 1},        {Data::phi, 4},     {Data::phi, 10},
                             {Data::cancellation}, {Data::integers},      {Data::triangular}, {Data::ties},
                             {Data::whole_range},  {Data::subnormal},     {Data::overflow},   {Data::many_special},
                             {Data::few_special},  {Data::zero_lines},    {Data::graded},     {Data::extreme},
                             {Data::both_ends},    {Data::block_diagonal}};
  for (const char* name : matrix_names()) kinds.push_back({Data::named, 0, name});
  const std::vector<std::array<Index, 3>> shapes = {
      {1, 1, 512},     {2, 3, 129},     {31, 33, 32},    {32, 32, 128},  {33, 31, 130},   {64, 64, 64},
      {65, 63, 257},   {128, 128, 128}, {129, 129, 129}, {130, 70, 250}, {192, 192, 192}, {255, 257, 256},
      {256, 256, 256}, {257, 255, 255}, {300, 10, 400},  {10, 300, 511}, {384, 384, 384}, {511, 500, 333},
      {512, 512, 512}, {512, 1, 5},     {1, 512, 300},   {400, 512, 1}};
  std::size_t number = 0;
  for (int round = 0; round < scaled(2); ++round)
    for (const Kind& kind : kinds)
      for (int i = 0; i < 3; ++i, ++number) {
        const auto& [m, n, k] = shapes[number % shapes.size()];
        const std::string mode = number % 2 ? "dp:repro" : "cr";  // the values are cr's
        this->set(mode);
        ASSERT_EQ(accublas_set_workspace_mib(this->gpu, number % 5 == 0 ? 1 : 0), ACCUBLAS_SUCCESS);
        auto p = random_problem<T>(rng, kind, m, n, k);
        const T alphas[] = {T(1), T(1), T(-1), T(0.3), T(-0x1p-90), T(0)};
        const T betas[] = {T(0), T(0), T(1), T(-0.7), std::numeric_limits<T>::quiet_NaN()};
        p.alpha = alphas[below(rng, 6)];
        p.beta = betas[below(rng, 5)];
        expect_same(this->cpu, this->gpu, p, mode, below(rng, 3) == 0);
        if (testing::Test::HasFatalFailure()) return;
      }
  ASSERT_EQ(accublas_set_workspace_mib(this->gpu, 0), ACCUBLAS_SUCCESS);
}

// Host operands are copied to the GPU and back where backend cuda is asked for.
TYPED_TEST(Gemm, HostOperands) {
  using T = TypeParam;
  Random rng(8);
  for (const std::string& mode : main_modes) {
    this->set(mode);
    for (int number = 0; number < scaled(25); ++number) {
      auto p = random_problem<T>(rng, {Data::phi, 1}, 1 + below(rng, 300), 1 + below(rng, 300),
                                 inner_dimension(mode, number, 1 + below(rng, 500)));
      if (number % 2) p.beta = T(0.7);
      std::vector<T> want, got;
      ASSERT_EQ(on_host(this->cpu, p, want), ACCUBLAS_SUCCESS);
      ASSERT_EQ(on_host(this->gpu, p, got), ACCUBLAS_SUCCESS) << p.describe() << ": " << this->gpu.error();
      const accublas_report_t report = this->gpu.report();
      EXPECT_STREQ(report.backend, "cuda");
      EXPECT_GE(report.copied_bytes, static_cast<Index>(sizeof(T)) * (p.m * p.n)) << p.describe();
      ASSERT_EQ(mismatch(p, want, got), "") << mode << ", host operands";
    }
  }
}

// Managed memory, and a context that no backend was asked of.
TYPED_TEST(Gemm, ManagedOperandsAndAutomaticBackend) {
  using T = TypeParam;
  Random rng(9);
  Context automatic(ACCUBLAS_BACKEND_AUTO);
  for (const std::string& mode : main_modes) {
    this->set(mode);
    automatic.set(mode);
    const auto p = random_problem<T>(rng, {Data::phi, 1}, 90, 80, 300);
    expect_same(this->cpu, automatic, p, mode + ", backend auto");
    if (testing::Test::HasFatalFailure()) return;
    EXPECT_STREQ(automatic.report().backend, "cuda");
    T *a = nullptr, *b = nullptr, *c = nullptr;
    const auto managed = [](T*& to, const std::vector<T>& from) {
      require(cudaMallocManaged(reinterpret_cast<void**>(&to), from.size() * sizeof(T)), "cudaMallocManaged");
      std::copy(from.begin(), from.end(), to);
    };
    managed(a, p.a), managed(b, p.b), managed(c, p.c);
    EXPECT_EQ(call<T>(automatic, p, a, b, c, &p.alpha, &p.beta), ACCUBLAS_SUCCESS) << automatic.error();
    EXPECT_EQ(accublas_sync(automatic), ACCUBLAS_SUCCESS) << automatic.error();
    std::vector<T> want;
    ASSERT_EQ(on_host(this->cpu, p, want), ACCUBLAS_SUCCESS);
    EXPECT_EQ(mismatch(p, want, std::vector<T>(c, c + p.c.size())), "") << mode << ", managed memory";
    cudaFree(a), cudaFree(b), cudaFree(c);
  }
}

}  // namespace
}  // namespace accublas::test
