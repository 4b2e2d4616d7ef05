// Engine native: every layout that reaches cuBLAS and every one that must be copied, against a plain loop in extended
// precision.
#include "cuda/native/native.hpp"

#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cuda/core/device.hpp"
#include "cuda/core/operand.hpp"
#include "lib/numerics/bounds.hpp"
#include "test/gpu/device.hpp"

namespace accublas {
namespace {

using cuda::Cublas;
using cuda::Scalar;
using cuda::Scratch;
using test::DeviceArray;

/// A matrix inside an array with margins, for any strides.
struct Layout {
  Index row_stride, col_stride;
  Index least(Index rows, Index cols) const {  // lowest and highest offset
    return std::min<Index>(0, (rows - 1) * row_stride) + std::min<Index>(0, (cols - 1) * col_stride);
  }
  Index most(Index rows, Index cols) const {
    return std::max<Index>(0, (rows - 1) * row_stride) + std::max<Index>(0, (cols - 1) * col_stride);
  }
};

template <class T>
struct MarginedMatrix {
  Layout layout;
  Index rows, cols, origin;
  std::vector<T> host;
  MarginedMatrix(Layout l, Index r, Index c)
      : layout(l),
        rows(r),
        cols(c),
        origin(-l.least(r, c) + 16),
        host(static_cast<std::size_t>(origin + l.most(r, c) + 17), T(-77)) {}
  T& at(Index i, Index j) {
    return host[static_cast<std::size_t>(origin + i * layout.row_stride + j * layout.col_stride)];
  }
  Matrix<T> view(T* data) const { return {data + origin, layout.row_stride, layout.col_stride}; }
  void fill(std::mt19937_64& rng) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j)
        at(i, j) = static_cast<T>(std::ldexp(uniform(rng), static_cast<int>(rng() % 20)));
  }
};

template <class T>
Matrix<const T> constant(const Matrix<T>& x) {
  return {x.data, x.row_stride, x.col_stride};
}

/// The layouts of a rows x cols matrix: column-major, row-major, with gaps, both strides wide, reversed.
std::vector<Layout> layouts(Index rows, Index cols) {
  return {{1, rows},         {cols, 1},     {1, rows + 5}, {cols + 3, 1},
          {2, 2 * rows + 1}, {3 * cols, 3}, {-1, rows},    {-2 * cols, -2}};
}

template <class T>
class NativeTest : public testing::Test {
 protected:
  void SetUp() override {
    int major = 0;
    test::require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "attribute");
    workspace_ = std::make_unique<DeviceArray<char>>(Cublas::workspace_bytes(major));
    test::require(cudaStreamCreate(&stream_), "stream");
    cublas_.begin(stream_, workspace_->data(), workspace_->size());
  }
  void TearDown() override { cudaStreamDestroy(stream_); }

  /// C after alpha A B + beta C against the loop; everything around C must be as it was.
  void check_gemm(Layout la, Layout lb, Layout lc, Index m, Index n, Index k, T alpha, T beta, bool on_device,
                  std::size_t cap) {
    MarginedMatrix<T> a(la, m, k), b(lb, k, n), c(lc, m, n);
    a.fill(rng_), b.fill(rng_);
    beta != T(0) ? c.fill(rng_) : [&] {
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < n; ++j) c.at(i, j) = std::numeric_limits<T>::quiet_NaN();
    }();
    DeviceArray<T> da(a.host), db(b.host), dc(c.host), scalars(std::vector<T>{alpha, beta});
    const Gemm<T> problem{
        m, n, k, T(0), constant(a.view(da.data())), constant(b.view(db.data())), T(0), c.view(dc.data())};
    const std::size_t bytes = cuda::native_scratch_bytes(problem, cap);
    DeviceArray<char> scratch(bytes);
    const Scalar<T> sa{alpha, on_device ? scalars.data() : nullptr}, sb{beta, on_device ? scalars.data() + 1 : nullptr};
    cuda::native_gemm(cublas_, problem, sa, sb, Scratch{scratch.data(), bytes}, stream_);
    test::require(cudaStreamSynchronize(stream_), "gemm");
    std::vector<T> got = dc.values(), rest = c.host;
    const double bound = (static_cast<double>(k) + 3) * unit_roundoff<T>();
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        long double sum = 0, magnitude = 0;
        for (Index p = 0; p < k; ++p) {
          const long double term = static_cast<long double>(a.at(i, p)) * b.at(p, j);
          sum += term, magnitude += std::fabs(term);
        }
        const T old = beta == T(0) ? T(0) : c.at(i, j);
        const long double want = alpha * sum + static_cast<long double>(beta) * old;
        const long double allowed =
            bound * (std::fabs(alpha) * magnitude + std::fabs(static_cast<long double>(beta) * old)) + 1e-44L;
        const auto at = static_cast<std::size_t>(c.origin + i * lc.row_stride + j * lc.col_stride);
        ASSERT_LE(std::fabs(got[at] - want), allowed)
            << i << ", " << j << " strides " << lc.row_stride << " " << lc.col_stride;
        got[at] = rest[at] = 0;
      }
    }
    EXPECT_EQ(got, rest) << "written outside of C";
  }

  Cublas cublas_{0};
  std::unique_ptr<DeviceArray<char>> workspace_;
  cudaStream_t stream_ = nullptr;
  std::mt19937_64 rng_{7};
};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(NativeTest, Types);

TYPED_TEST(NativeTest, EveryLayout) {
  const Index m = 37, n = 45, k = 51;
  for (const Layout& a : layouts(m, k))
    for (const Layout& b : layouts(k, n))
      for (const Layout& c : layouts(m, n)) {
        this->check_gemm(a, b, c, m, n, k, TypeParam(1.5), TypeParam(-0.75), false, std::size_t{1} << 30);
        if (this->HasFatalFailure()) return;
      }
}

TYPED_TEST(NativeTest, BlocksScalarsAndEdges) {
  const Index m = 200, n = 150, k = 333;
  const Layout wide_a{2, 2 * m + 1}, wide_b{3 * n, 3}, wide_c{-2 * n, -2};
  for (bool on_device : {false, true})
    for (TypeParam beta : {TypeParam(0), TypeParam(2)}) {
      this->check_gemm(wide_a, wide_b, wide_c, m, n, k, TypeParam(1), beta, on_device,
                       std::size_t{1} << 17);  // copied in blocks
      this->check_gemm({1, m}, wide_b, {1, m}, m, n, k, TypeParam(-3), beta, on_device, std::size_t{1} << 16);
      this->check_gemm({1, m}, {1, k}, wide_c, m, n, k, TypeParam(1), beta, on_device, std::size_t{1} << 30);
      this->check_gemm({1, m}, {1, k}, {n, 1}, m, n, k, TypeParam(1), beta, on_device, 0);
    }
  for (Index d : {1, 2, 3}) {
    this->check_gemm({5, 7}, {1, 1}, {9, 1}, d, 1, 1, TypeParam(1), TypeParam(1), false, 0);
    this->check_gemm({0, 1}, {1, 0}, {1, 1}, 1, 1, d, TypeParam(1), TypeParam(1), false, 0);
  }
}

TYPED_TEST(NativeTest, CapturedInAGraph) {
  using T = TypeParam;
  const Index m = 96, n = 80, k = 700;
  MarginedMatrix<T> a({2, 2 * m}, m, k), b({n, 1}, k, n), c({1, m}, m, n);
  a.fill(this->rng_), b.fill(this->rng_), c.fill(this->rng_);
  DeviceArray<T> da(a.host), db(b.host), dc(c.host), scalars(std::vector<T>{T(1), T(0)});
  const Gemm<T> problem{
      m, n, k, T(0), constant(a.view(da.data())), constant(b.view(db.data())), T(0), c.view(dc.data())};
  const std::size_t bytes = cuda::native_scratch_bytes(problem, std::size_t{1} << 17);
  DeviceArray<char> scratch(bytes);
  const auto call = [&] {
    cuda::native_gemm(this->cublas_, problem, Scalar<T>{T(0), scalars.data()}, Scalar<T>{T(0), scalars.data() + 1},
                      Scratch{scratch.data(), bytes}, this->stream_);
  };
  call();
  test::require(cudaStreamSynchronize(this->stream_), "call");
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  test::require(cudaStreamBeginCapture(this->stream_, cudaStreamCaptureModeThreadLocal), "capture");
  call();
  test::require(cudaStreamEndCapture(this->stream_, &graph), "end of capture");
  test::require(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
  a.fill(this->rng_);
  da = a.host;
  scalars = std::vector<T>{T(2), T(0)};  // read at the replay
  call();
  const std::vector<T> want = dc.values();
  dc = std::vector<T>(dc.size(), std::numeric_limits<T>::quiet_NaN());
  test::require(cudaGraphLaunch(exec, this->stream_), "launch");
  test::require(cudaStreamSynchronize(this->stream_), "replay");
  const std::vector<T> got = dc.values();
  const auto from = static_cast<std::size_t>(c.origin), count = static_cast<std::size_t>(m * n);
  EXPECT_EQ(std::vector<T>(got.begin() + from, got.begin() + from + count),
            std::vector<T>(want.begin() + from, want.begin() + from + count));
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

/// The first use of a handle may be a captured one.
TYPED_TEST(NativeTest, HandleMadeInCapture) {
  using T = TypeParam;
  const Index n = 300;
  const std::vector<T> ones(static_cast<std::size_t>(n * n), T(1));
  DeviceArray<T> a(ones), b(ones), c(ones.size());
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  test::require(cudaStreamBeginCapture(this->stream_, cudaStreamCaptureModeGlobal), "capture");
  const cuda::DeviceScope scope(0);
  Cublas cublas{0};
  cublas.begin(this->stream_, this->workspace_->data(), this->workspace_->size());
  cuda::native_gemm<T>(cublas, {n, n, n, T(0), {a.data(), 1, n}, {b.data(), n, 1}, T(0), {c.data(), 1, n}},
                       {T(2), nullptr}, {T(0), nullptr}, {nullptr, 0}, this->stream_);
  test::require(cudaStreamEndCapture(this->stream_, &graph), "end of capture");
  test::require(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
  test::require(cudaGraphLaunch(exec, this->stream_), "launch");
  test::require(cudaStreamSynchronize(this->stream_), "replay");
  EXPECT_EQ(c.values(), std::vector<T>(ones.size(), T(2 * n)));
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

TYPED_TEST(NativeTest, Gemv) {
  using T = TypeParam;
  const Index m = 130, k = 217;
  for (const Layout& la : layouts(m, k))
    for (Index incx : {1, 3, -2})
      for (Index incy : {1, -1, 2})
        for (T beta : {T(0), T(-1.25)}) {
          MarginedMatrix<T> a(la, m, k), x({incx, 1}, k, 1), y({incy, 1}, m, 1);
          a.fill(this->rng_), x.fill(this->rng_), y.fill(this->rng_);
          DeviceArray<T> da(a.host), dx(x.host), dy(y.host);
          const Gemv<T> problem{m,
                                k,
                                T(0),
                                constant(a.view(da.data())),
                                {dx.data() + x.origin, incx},
                                T(0),
                                {dy.data() + y.origin, incy}};
          const std::size_t bytes = cuda::native_scratch_bytes(problem, std::size_t{1} << 16);
          DeviceArray<char> scratch(bytes);
          cuda::native_gemv(this->cublas_, problem, Scalar<T>{T(0.5), nullptr}, Scalar<T>{beta, nullptr},
                            Scratch{scratch.data(), bytes}, this->stream_);
          test::require(cudaStreamSynchronize(this->stream_), "gemv");
          const std::vector<T> got = dy.values();
          for (Index i = 0; i < m; ++i) {
            long double sum = 0, magnitude = 0;
            for (Index p = 0; p < k; ++p) {
              const long double term = static_cast<long double>(a.at(i, p)) * x.at(p, 0);
              sum += term, magnitude += std::fabs(term);
            }
            const long double want = 0.5L * sum + static_cast<long double>(beta) * y.at(i, 0);
            const long double allowed =
                (k + 3) * unit_roundoff<T>() *
                    (0.5L * magnitude + std::fabs(static_cast<long double>(beta) * y.at(i, 0))) +
                1e-44L;
            ASSERT_LE(std::fabs(got[static_cast<std::size_t>(y.origin + i * incy)] - want), allowed) << i;
          }
        }
}

TYPED_TEST(NativeTest, Dot) {
  using T = TypeParam;
  for (Index n : {1, 2, 1000, 100003})
    for (Index incx : {1, 0, -3})
      for (Index incy : {1, 2, 0}) {
        MarginedMatrix<T> x({incx, 1}, n, 1), y({incy, 1}, n, 1);
        x.fill(this->rng_), y.fill(this->rng_);
        DeviceArray<T> dx(x.host), dy(y.host), result(1);
        const Dot<T> problem{n, {dx.data() + x.origin, incx}, {dy.data() + y.origin, incy}, result.data()};
        const std::size_t bytes = cuda::native_scratch_bytes(problem, std::size_t{1} << 16);
        DeviceArray<char> scratch(bytes);
        cuda::native_dot(this->cublas_, problem, Scratch{scratch.data(), bytes}, this->stream_);
        test::require(cudaStreamSynchronize(this->stream_), "dot");
        long double sum = 0, magnitude = 0;
        for (Index p = 0; p < n; ++p) {
          const long double term = static_cast<long double>(x.at(p, 0)) * y.at(p, 0);
          sum += term, magnitude += std::fabs(term);
        }
        EXPECT_LE(std::fabs(result.values()[0] - sum), (n + 3) * unit_roundoff<T>() * magnitude + 1e-44L)
            << n << " " << incx << " " << incy;
      }
}

/// Sum over the bits of a DGEMM and an SGEMM, n = 512.
std::uint64_t checksum() {
  const Index n = 512;
  std::mt19937_64 rng(3);
  std::uint64_t sum = 0;
  const auto add = [&]<class T, class Bits>(T, Bits) {
    std::vector<T> a(static_cast<std::size_t>(n * n)), b(a.size());
    for (T& x : a) x = static_cast<T>(static_cast<double>(rng() >> 11) * 0x1p-53 - 0.5);
    for (T& x : b) x = static_cast<T>(static_cast<double>(rng() >> 11) * 0x1p-53 - 0.5);
    DeviceArray<T> da(a), db(b), dc(a.size());
    Cublas cublas{0};
    cublas.begin(nullptr, nullptr, 0);
    cuda::native_gemm<T>(cublas, {n, n, n, T(0), {da.data(), 1, n}, {db.data(), 1, n}, T(0), {dc.data(), 1, n}},
                         {T(1), nullptr}, {T(0), nullptr}, {nullptr, 0}, nullptr);
    for (T x : dc.values()) sum = sum * 31 + std::bit_cast<Bits>(x);
  };
  add(double{}, std::uint64_t{});
  add(float{}, std::uint32_t{});
  return sum;
}

/// cuBLAS's environment variables are read once per process: a child has them set.
TEST(NativeEnvironment, CannotTurnEmulationOn) {
  const char* const file = std::getenv("ACCUBLAS_TEST_CHECKSUM");
  if (file) {
    std::ofstream(file) << checksum();
    return;
  }
  const std::string path = testing::TempDir() + "accublas_native_checksum_" + std::to_string(::getpid());
  const std::string command =
      "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX ACCUBLAS_TEST_CHECKSUM='" + path +
      "' CUBLAS_EMULATE_DOUBLE_PRECISION=1 CUBLAS_EMULATE_SINGLE_PRECISION=1 CUBLAS_EMULATION_STRATEGY=eager"
      " NVIDIA_TF32_OVERRIDE=1 /proc/" +
      std::to_string(::getpid()) + "/exe --gtest_filter=NativeEnvironment.CannotTurnEmulationOn > /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::uint64_t emulated = 0;
  std::ifstream(path) >> emulated;
  std::remove(path.c_str());
  EXPECT_EQ(emulated, checksum());
}

}  // namespace
}  // namespace accublas
