// dp and sp where emulation is faster than cuBLAS by the shape, on data that it likes and on data that it does not: the
// device takes cuBLAS there, no host waits, the report says so, and the promise of the error is kept.
#include "lib/numerics/bounds.hpp"
#include "test/gpu/gemm_bound.hpp"
#include "test/gpu/stream.hpp"

namespace accublas::test {
namespace {

template <class T>
struct Size;
// Emulated by their shape (cuda/gemm_cost.hpp). The certificate samples 128 terms of a period.
template <>
struct Size<double> {
  static constexpr Index m = 3500, n = 2000, k = 4400, certificate_period = 640;
};
template <>
struct Size<float> {
  static constexpr Index m = 1500, n = 1600, k = 3400, certificate_period = 512;
};

template <class T>
class GemmGrade : public testing::Test {
 protected:
  Context gpu{ACCUBLAS_BACKEND_CUDA};
  static constexpr Index m = Size<T>::m, n = Size<T>::n, k = Size<T>::k;

  void SetUp() override {
    int major = 0, minor = 0;
    require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "attribute");
    require(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), "attribute");
    if (major != 9 || minor != 0) GTEST_SKIP() << "the table of emulation has no row for this device";
    gpu.set(mode());
  }
  static const char* mode() { return sizeof(T) == 8 ? "dp" : "sp"; }

  /// Made once: random numbers take longer than their product.
  static const Problem<T>& tame() {
    static const Problem<T> made = [] {
      Random rng(60);
      return plain_problem<T>(rng, {Data::phi, 0.5}, m, n, k);
    }();
    return made;
  }
  static const Problem<T>& wide() {
    static const Problem<T> made = [] {
      Random rng(59);
      return plain_problem<T>(rng, {Data::phi, 6}, m, n, k);
    }();
    return made;
  }

  void expect_good(const Problem<T>& p, const std::vector<T>& got, const std::string& what) {
    EXPECT_EQ(beyond_bound(p, got), "") << what;
    EXPECT_EQ(written_outside(p, got), "") << what;
  }
  void expect_bits_of_native(const Problem<T>& p, const std::vector<T>& got, bool device_scalars) {
    Context native(ACCUBLAS_BACKEND_CUDA);
    native.set("native");
    std::vector<T> want;
    ASSERT_EQ(on_device(native, p, want, device_scalars), ACCUBLAS_SUCCESS) << native.error();
    EXPECT_EQ(mismatch(p, want, got), "") << "beside cuBLAS";
  }
  void expect_engine(const std::string& engine, const std::string& what) {
    const accublas_report_t report = gpu.report();
    EXPECT_EQ(report.engine, engine) << what;
    EXPECT_STREQ(report.mode, mode()) << what;
    const double promise = dp_bound(k, unit_roundoff<T>());
    EXPECT_LE(report.bound_relative + report.bound_componentwise, promise) << what;
    const bool changed = std::string(report.reason).find("changed to native") != std::string::npos;
    if (engine == "native") {
      EXPECT_TRUE(changed) << what;
      EXPECT_EQ(report.bound_componentwise, promise) << what;
      EXPECT_EQ(report.bound_relative, 0) << what;
      EXPECT_EQ(report.parts, 0) << what;
      EXPECT_EQ(report.bits, 0) << what;
    } else {
      EXPECT_FALSE(changed) << what;
      EXPECT_GT(report.parts, 0) << what;
    }
  }
};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(GemmGrade, Types);

TYPED_TEST(GemmGrade, DataChooseTheEngine) {
  using T = TypeParam;
  Random rng(61);
  struct Way {
    Kind kind;
    const char* engine;  ///< null: either
  };
  int number = 0;
  for (const Way& way : {Way{{Data::phi, 0.5}, "int8"}, Way{{Data::integers}, "int8"}, Way{{Data::phi, 6}, "native"},
                         Way{{Data::block_diagonal}, "native"}, Way{{Data::few_special}, "native"},
                         Way{{Data::zero_lines}, nullptr}, Way{{Data::phi, 1}, nullptr}}) {
    const auto trans = [&](int bit) { return number >> bit & 1 ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS; };
    auto p = packed_problem<T>(rng, way.kind, this->m, this->n, this->k,
                               number % 3 == 2 ? ACCUBLAS_ROW_MAJOR : ACCUBLAS_COL_MAJOR, trans(0), trans(1), 3);
    if (number % 2) p.alpha = T(-2), p.beta = T(0.25);
    // few_special has subnormal and huge numbers too, whose products over- and underflow: other classes for cuBLAS.
    if (way.kind.data == Data::few_special)
      for (std::vector<T>* x : {&p.a, &p.b, &p.c})
        for (T& entry : *x)
          if (std::isfinite(entry) && !(std::fabs(entry) < T(1e6) && std::fabs(entry) > T(1e-6))) entry = T(1);
    std::vector<T> got;
    ASSERT_EQ(on_device(this->gpu, p, got, number % 2), ACCUBLAS_SUCCESS) << p.describe() << this->gpu.error();
    if (way.engine) this->expect_engine(way.engine, p.describe());
    const std::string engine = this->gpu.report().engine;
    this->expect_good(p, got, engine);
    if (engine == "native") this->expect_bits_of_native(p, got, number % 2);
    ++number;
  }
}

// Less than the first look sees. Wide rows have their large entries where the certificate takes no samples: it rejects
// them.
TYPED_TEST(GemmGrade, FewElementsDecide) {
  using T = TypeParam;
  for (const auto& [rows, special, engine] : {std::tuple<Index, bool, const char*>{1, false, "int8"},
                                              {40, false, "native"},
                                              {1, true, "int8"},
                                              {40, true, "native"}}) {
    Problem<T> p = this->tame();
    for (Index r = 0; r < rows; ++r) {
      const Index i = (7 + 61 * r) % p.m;
      for (Index q = 0; q < p.k; ++q) {
        T& entry = p.a[static_cast<std::size_t>(p.at_a.at(i, q))];
        if (!special) entry = static_cast<T>(std::ldexp(entry, q % Size<T>::certificate_period == 200 ? 60 : 0));
      }
      if (special) p.a[static_cast<std::size_t>(p.at_a.at(i, 17 * r))] = std::numeric_limits<T>::infinity();
    }
    std::vector<T> got;
    ASSERT_EQ(on_device(this->gpu, p, got), ACCUBLAS_SUCCESS) << this->gpu.error();
    const std::string what = std::to_string(rows) + (special ? " special" : " wide") + " rows";
    this->expect_engine(engine, what);
    EXPECT_EQ(beyond_bound(p, got, 96), "") << what;
  }
}

TYPED_TEST(GemmGrade, AnEngineAskedForStays) {
  using T = TypeParam;
  const Problem<T> p = this->wide();
  std::vector<T> got;
  for (const char* engine : {"int8", "native"}) {
    this->gpu.set(this->mode(), engine);
    ASSERT_EQ(on_device(this->gpu, p, got), ACCUBLAS_SUCCESS) << this->gpu.error();
    EXPECT_STREQ(this->gpu.report().engine, engine);
    EXPECT_EQ(std::string(this->gpu.report().reason).find("changed to native"), std::string::npos);
    this->expect_good(p, got, engine);
  }
  this->gpu.set(std::string(this->mode()) + ":repro");
  ASSERT_EQ(on_device(this->gpu, p, got), ACCUBLAS_SUCCESS) << this->gpu.error();
  EXPECT_STREQ(this->gpu.report().engine, "int8");
  this->expect_good(p, got, "repro");
}

// alpha = 0 in device memory: neither engine reads A and B.
TYPED_TEST(GemmGrade, AlphaIsZero) {
  using T = TypeParam;
  Problem<T> p = this->wide();
  p.alpha = T(0), p.beta = T(2);
  for (T& x : p.a) x = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> got, want = p.c;
  for (T& x : want) x *= 2;
  ASSERT_EQ(on_device(this->gpu, p, got, true), ACCUBLAS_SUCCESS) << this->gpu.error();
  EXPECT_EQ(mismatch(p, want, got), "");
}

TYPED_TEST(GemmGrade, HostOperands) {
  using T = TypeParam;
  for (const bool is_wide : {true, false}) {
    Problem<T> p = is_wide ? this->wide() : this->tame();
    p.beta = T(-0.5);
    std::vector<T> got;
    ASSERT_EQ(on_host(this->gpu, p, got), ACCUBLAS_SUCCESS) << this->gpu.error();
    this->expect_engine(is_wide ? "native" : "int8", "host operands");
    this->expect_good(p, got, "host operands");
  }
}

// Calls on the same and on other operands, more than a context keeps graphs for, while the stream stands still.
TYPED_TEST(GemmGrade, NothingWaitsForTheStream) {
  using T = TypeParam;
  const Stream stream;
  ASSERT_EQ(accublas_set_stream(this->gpu, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
  const Problem<T> p = this->wide();
  const OnDevice<T> operands(p);
  constexpr Index places = 10;
  DeviceArray<T> c(p.c.size() + static_cast<std::size_t>(64 * places));
  ASSERT_EQ(operands.run(this->gpu, p), ACCUBLAS_SUCCESS) << this->gpu.error();
  ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
  {
    Blocker blocker(stream);
    for (Index place = 0; place < places && !blocker.gave_up(); ++place) {
      ASSERT_EQ(call<T>(this->gpu, p, operands.a.data(), operands.b.data(), c.data() + 64 * place, &p.alpha, &p.beta),
                ACCUBLAS_SUCCESS)
          << this->gpu.error();
      EXPECT_FALSE(blocker.gave_up()) << "call " << place << " waited for its stream";
    }
    ASSERT_EQ(operands.run(this->gpu, p), ACCUBLAS_SUCCESS) << this->gpu.error();
    EXPECT_FALSE(blocker.gave_up()) << "a call waited for its stream";
  }
  ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
  this->expect_good(p, operands.c.values(), "the first operands again");
  std::vector<T> last = c.values();
  last.erase(last.begin(), last.begin() + 64 * (places - 1));
  last.resize(p.c.size());
  this->expect_good(p, last, "the last place");
}

TYPED_TEST(GemmGrade, GraphsFollowTheirData) {
  using T = TypeParam;
  const Stream stream;
  ASSERT_EQ(accublas_set_stream(this->gpu, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
  Problem<T> first = this->tame();
  first.beta = T(0.5);
  OnDevice<T> operands(first);
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
  const accublas_status status = operands.run(this->gpu, first);
  cudaGraph_t graph = nullptr;
  require(cudaStreamEndCapture(stream, &graph), "capture");
  ASSERT_EQ(status, ACCUBLAS_SUCCESS) << this->gpu.error();
  cudaGraphExec_t replay = nullptr;
  require(cudaGraphInstantiate(&replay, graph, 0), "cudaGraphInstantiate");
  for (const int kind : {0, 1, 0, 1, 2, 0}) {
    Problem<T> p = kind == 1 ? this->wide() : this->tame();
    if (kind == 2)
      for (Index i = 0; i < p.m; i += 3) p.a[static_cast<std::size_t>(i)] = std::numeric_limits<T>::quiet_NaN();
    p.beta = first.beta;
    operands.a = p.a, operands.b = p.b, operands.c = p.c;
    require(cudaGraphLaunch(replay, stream), "cudaGraphLaunch");
    require(cudaStreamSynchronize(stream), "replay");
    this->expect_good(p, operands.c.values(), "replayed");
    // A call beside the graph, on its operands.
    operands.c = p.c;
    ASSERT_EQ(operands.run(this->gpu, p), ACCUBLAS_SUCCESS) << this->gpu.error();
    ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
    this->expect_engine(kind == 0 ? "int8" : "native", "called");
    this->expect_good(p, operands.c.values(), "called");
  }
  require(cudaGraphExecDestroy(replay), "cudaGraphExecDestroy");
  require(cudaGraphDestroy(graph), "cudaGraphDestroy");
}

}  // namespace
}  // namespace accublas::test
