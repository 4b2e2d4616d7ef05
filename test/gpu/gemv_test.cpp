// GEMV on the device in dot2, cr and fixed:T against the CPU's engines, bit by bit.
#include <gtest/gtest.h>

#include "lib/base/integers.hpp"
#include "test/gpu/vector_test.hpp"

namespace accublas::test {
namespace {

/// By columns, by rows, both with padding, both aligned to 16 bytes, negative, general, a row repeated.
enum class Layout { columns, rows, aligned_columns, aligned_rows, reversed, general, general_rows, repeated };
constexpr Layout all_layouts[] = {Layout::columns,  Layout::rows,    Layout::aligned_columns, Layout::aligned_rows,
                                  Layout::reversed, Layout::general, Layout::general_rows,    Layout::repeated};

template <class T>
Stored<T> make(Index m, Index k, Layout layout) {
  switch (layout) {
    case Layout::columns:
      return {m, k, 1, m + 3};
    case Layout::rows:
      return {m, k, k + 1, 1};
    case Layout::aligned_columns:
      return {m, k, 1, round_up(m, 4)};
    case Layout::aligned_rows:
      return {m, k, round_up(k, 4), 1};
    case Layout::reversed:
      return {m, k, -1, m};
    case Layout::general:
      return {m, k, 2, 2 * m + 1};
    case Layout::general_rows:
      return {m, k, -3 * k - 2, -3};
    case Layout::repeated:
      return {m, k, 0, 1};
  }
  return {m, k, 1, m};
}

template <class T>
class GpuGemv : public testing::Test {
 protected:
  Random random{20261122};
  Device device;
  Cpu cpu;

  void check(Index m, Index k, Layout layout, Index x_stride, Index y_stride, T alpha, T beta, Data data,
             const std::vector<Case>& cases, bool scalars_on_device = false) {
    Stored<T> a = make<T>(m, k, layout), x(1, k, 0, x_stride), y(1, m, 0, y_stride);
    for (T& v : a.buffer) v = draw<T>(data, random);
    for (T& v : x.buffer) v = draw<T>(data, random);
    for (T& v : y.buffer) v = draw<T>(data == Data::special ? data : Data::uniform, random);
    if (layout != Layout::repeated && x_stride != 0) {
      if (data == Data::cancelling || data == Data::vast) cancel(a.view(), m, x.view().row(0), k, random);
      if (data == Data::ill_conditioned) make_ill_conditioned(a.view(), m, x.view().row(0), k, random);
      if (data == Data::ties) make_ties(a.view(), m, x.view().row(0), k, random);
    }
    const DeviceArray<T> a_device(a.buffer), x_device(x.buffer), scalars(std::vector<T>{alpha, beta});
    for (const Case& c : cases) {
      Stored<T> expected = y;
      const Stored<T>& ac = a;
      const Stored<T>& xc = x;
      cpu.expected_gemv<T>(c, {m, k, alpha, ac.view(), xc.view().row(0), beta, expected.view().row(0)});
      const DeviceArray<T> y_device(y.buffer);
      const Gemv<T> g{m,
                      k,
                      T(7),
                      a.in(static_cast<const T*>(a_device.data())),
                      x.in(static_cast<const T*>(x_device.data())).row(0),
                      T(7),
                      y.in(y_device.data()).row(0)};
      device.gemv(c, g, {scalars_on_device ? T(9) : alpha, scalars_on_device ? scalars.data() : nullptr},
                  {scalars_on_device ? T(9) : beta, scalars_on_device ? scalars.data() + 1 : nullptr});
      const std::vector<T> got = y_device.values();
      for (std::size_t e = 0; e < got.size(); ++e)
        ASSERT_TRUE(same_bits(got[e], expected.buffer[e]))
            << name(c) << ' ' << m << 'x' << k << " layout " << static_cast<int>(layout) << " strides " << x_stride
            << ' ' << y_stride << " alpha " << alpha << " beta " << beta << " data " << static_cast<int>(data)
            << " entry " << e << ": " << std::hexfloat << got[e] << " for " << expected.buffer[e];
    }
    device.check_state();
  }
};

using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(GpuGemv, Types);

const std::vector<Case> main_cases = {
    {cuda::VectorMode::dot2, 0, false}, {cuda::VectorMode::cr, 0, false}, {cuda::VectorMode::fixed, 53, false}};

TYPED_TEST(GpuGemv, Sizes) {
  for (Layout layout : all_layouts) {
    for (Index m : {0, 1, 2, 3, 7, 8, 9, 31, 33, 64, 100})
      for (Index k : {0, 1, 2, 15, 17, 127, 128, 129, 255, 300, 1025}) {
        if (layout != Layout::repeated || k > 0) this->check(m, k, layout, 1, 1, 1, 0, Data::cancelling, main_cases);
      }
  }
}

TYPED_TEST(GpuGemv, Data) {
  for (Data data : all_data)
    for (Layout layout : {Layout::columns, Layout::rows})
      for (Index m : {5, 70}) this->check(m, 700, layout, 1, 1, 1, 0, data, all_cases());
}

TYPED_TEST(GpuGemv, Scalars) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for (T alpha : {T(1), T(-0.3), T(0), T(1e-30), T(1e30), inf, nan})
    for (T beta : {T(0), T(1), T(-1.7), T(1e30), inf, nan})
      for (Layout layout : {Layout::columns, Layout::rows})
        for (Data data : {Data::uniform, Data::cancelling, Data::special, Data::ties})
          for (bool on_device : {false, true})
            this->check(40, 260, layout, 1, 1, alpha, beta, data, main_cases, on_device);
}

TYPED_TEST(GpuGemv, Strides) {
  for (Layout layout : all_layouts)
    for (Index x_stride : {1, -2, 3, 0})
      for (Index y_stride : {1, -1, 3}) this->check(45, 400, layout, x_stride, y_stride, 2, 1, Data::wide, all_cases());
}

/// Shapes that are divided among thread blocks in every way.
TYPED_TEST(GpuGemv, Shapes) {
  const Index shapes[][2] = {{1, 100000}, {3, 60000},  {20, 30000},  {300, 5000},  {1000, 1000},
                             {2000, 600}, {5000, 300}, {10000, 130}, {4096, 1024}, {13000, 65}};
  for (const auto& s : shapes)
    for (Layout layout : {Layout::columns, Layout::rows})
      this->check(s[0], s[1], layout, 1, 1, 1, TypeParam(0.5), Data::cancelling, main_cases);
}

/// Shapes of many rows that bulk copies can read, with odd ends; open rows among them.
TYPED_TEST(GpuGemv, AlignedShapes) {
  const Index shapes[][2] = {{4225, 257}, {2305, 1025}, {9001, 130}};
  for (const auto& s : shapes)
    for (Layout layout : {Layout::aligned_columns, Layout::aligned_rows})
      for (Data data : {Data::cancelling, Data::special, Data::overflowing})
        this->check(s[0], s[1], layout, 1, 1, 1, TypeParam(0.5), data, main_cases);
}

/// Runs aligned shapes that are small enough for sanitizers; thread blocks share groups of rows.
TYPED_TEST(GpuGemv, AlignedSmall) {
  const Index shapes[][2] = {{33, 200}, {64, 131}, {100, 900}};
  std::vector<Case> cases = main_cases;
  cases.push_back({cuda::VectorMode::cr, 0, true});
  for (const auto& s : shapes)
    for (Layout layout : {Layout::aligned_columns, Layout::aligned_rows})
      for (Data data : {Data::cancelling, Data::special})
        this->check(s[0], s[1], layout, 1, 1, 1, TypeParam(0.5), data, cases);
}

/// Condition 1e16 and phi 10: the first pass decides.
TYPED_TEST(GpuGemv, FirstPassDecides) {
  for (Layout layout : {Layout::columns, Layout::rows, Layout::aligned_columns, Layout::aligned_rows})
    for (Data data : {Data::uniform, Data::wide, Data::ill_conditioned}) {
      this->check(500, 2000, layout, 1, 1, 1, 0, data, {{cuda::VectorMode::cr, 0, false}});
      EXPECT_EQ(this->device.check_state(), 0u);
    }
}

/// A graph captures a call, and its replays compute it again.
TYPED_TEST(GpuGemv, Graph) {
  using T = TypeParam;
  const Index m = 77, k = 3000;
  Stored<T> a = make<T>(m, k, Layout::columns);
  std::vector<T> x(k);
  for (T& v : a.buffer) v = draw<T>(Data::ties, this->random);
  make_ties(a.view(), m, Vector<T>{x.data(), 1}, k, this->random);
  const DeviceArray<T> a_device(a.buffer), x_device(x), y_device(static_cast<std::size_t>(m));
  for (const Case& c : all_cases()) {
    std::vector<T> expected(static_cast<std::size_t>(m), T(3));
    const Stored<T>& ac = a;
    this->cpu.gemv(c, Gemv<T>{m, k, T(1), ac.view(), {x.data(), 1}, T(0), {expected.data(), 1}});
    const DeviceArray<unsigned char> scratch(cuda::vector_scratch_bytes(this->device.model, c.mode, m, k));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    require(cudaStreamCreate(&stream), "stream");
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
    this->device.put_gemv(
        c,
        Gemv<T>{
            m, k, T(1), a.in(static_cast<const T*>(a_device.data())), {x_device.data(), 1}, T(0), {y_device.data(), 1}},
        {T(1), nullptr}, {T(0), nullptr}, scratch.data(), stream);
    require(cudaStreamEndCapture(stream, &graph), "end of capture");
    require(cudaGraphInstantiate(&replay, graph, 0), "instantiate");
    for (int times = 0; times < 2; ++times) {
      require(cudaMemset(y_device.data(), 0xFF, m * sizeof(T)), "poison");
      require(cudaDeviceSynchronize(), "poison");
      require(cudaGraphLaunch(replay, stream), "launch");
      require(cudaStreamSynchronize(stream), "replay");
      const std::vector<T> got = y_device.values();
      for (Index i = 0; i < m; ++i) ASSERT_TRUE(same_bits(got[i], expected[i])) << name(c) << " row " << i;
    }
    cudaGraphExecDestroy(replay);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }
  this->device.check_state();
}

// Rows that one segment serves need no place for sums of segments.
TEST(GpuVectorScratch, IsAFewBytesARow) {
  const Device device;
  const Index m = Index{1} << 27;
  for (const Index k : {1, 100, 5000}) {
    const std::size_t cr = cuda::vector_scratch_bytes(device.model, cuda::VectorMode::cr, m, k),
                      fixed = cuda::vector_scratch_bytes(device.model, cuda::VectorMode::fixed, m, k);
    EXPECT_LT(cr, static_cast<std::size_t>(9 * m));
    EXPECT_LT(fixed, static_cast<std::size_t>(17 * m));
  }
}

}  // namespace
}  // namespace accublas::test
