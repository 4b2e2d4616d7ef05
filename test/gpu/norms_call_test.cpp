// NRM2 and ASUM through the public interface: where operands and results may live, calls that wait for nothing, CUDA
// graphs.
#include <cmath>

#include "lib/base/integers.hpp"
#include "test/gpu/gemm_problem.hpp"
#include "test/gpu/stream.hpp"

namespace accublas::test {
namespace {

accublas_status norm(const Context& ctx, bool root, Index n, const double* x, Index incx, double* result) {
  return root ? accublas_dnrm2(ctx, n, x, incx, result) : accublas_dasum(ctx, n, x, incx, result);
}
accublas_status norm(const Context& ctx, bool root, Index n, const float* x, Index incx, float* result) {
  return root ? accublas_snrm2(ctx, n, x, incx, result) : accublas_sasum(ctx, n, x, incx, result);
}

/// Plain numbers, squares that over- and underflow, a tie of sums and of roots, and special values.
template <class T>
std::vector<std::vector<T>> vectors_of(Index n, Random& rng) {
  constexpr int top = std::numeric_limits<T>::max_exponent, p = std::numeric_limits<T>::digits;
  std::vector<std::vector<T>> all;
  for (const int exponent : {0, top, -top / 2 - 70, -top - p + 4}) {
    std::vector<T> x(static_cast<std::size_t>(n));
    for (T& v : x) v = static_cast<T>(std::ldexp(static_cast<double>(below(rng, 2000001)) / 1000000 - 1, exponent));
    all.push_back(x);
  }
  std::vector<T> tie(static_cast<std::size_t>(n), T(0));
  tie[0] = 1, tie[1] = std::numeric_limits<T>::epsilon() / 2;
  all.push_back(tie);
  tie[0] = std::ldexp(T(1), p), tie[1] = std::ldexp(T(1), ceil_div(p, 2)), tie[2] = 1;
  if (p % 2 == 0) tie[2] = tie[1], tie[3] = 1;
  all.push_back(tie);
  all.push_back(all[0]);
  all.back()[5] = -std::numeric_limits<T>::infinity();
  all.push_back(all.back());
  all.back()[6] = -std::numeric_limits<T>::quiet_NaN();
  return all;
}

const char* const norm_modes[] = {"dp:repro", "dot2", "cr"};

template <class T>
class NormsCall : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{5};

  void pointer_mode(accublas_pointer_mode mode) { ASSERT_EQ(accublas_set_pointer_mode(gpu, mode), ACCUBLAS_SUCCESS); }
  T expected(bool root, Index n, const T* x, Index incx) {
    T result = 77;
    EXPECT_EQ(norm(cpu, root, n, x, incx, &result), ACCUBLAS_SUCCESS) << cpu.error();
    return result;
  }
};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(NormsCall, Types);

TYPED_TEST(NormsCall, OperandsAndResultsAnywhere) {
  using T = TypeParam;
  for (const char* mode : norm_modes) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (const auto& x : vectors_of<T>(3000, this->rng))
      for (const Index incx : {1, -1, 3, -2, 0})
        for (const bool root : {true, false}) {
          const Index n = 1000;
          const DeviceArray<T> on_device(x), device_result(1);
          const T want = this->expected(root, n, x.data(), incx);
          T got[2] = {77, 77};
          this->pointer_mode(ACCUBLAS_POINTER_HOST);
          ASSERT_EQ(norm(this->gpu, root, n, x.data(), incx, &got[0]), ACCUBLAS_SUCCESS) << this->gpu.error();
          EXPECT_EQ(std::string(this->gpu.report().backend), "cuda");
          ASSERT_EQ(norm(this->gpu, root, n, on_device.data(), incx, &got[1]), ACCUBLAS_SUCCESS) << this->gpu.error();
          this->pointer_mode(ACCUBLAS_POINTER_DEVICE);
          ASSERT_EQ(norm(this->gpu, root, n, on_device.data(), incx, device_result.data()), ACCUBLAS_SUCCESS)
              << this->gpu.error();
          ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
          for (const T value : {got[0], got[1], device_result.values()[0]})
            ASSERT_EQ(bits(value), bits(want))
                << mode << (root ? " nrm2 " : " asum ") << value << " for " << want << " incx " << incx;
        }
  }
}

TYPED_TEST(NormsCall, Nothing) {
  using T = TypeParam;
  const DeviceArray<T> x(4), result(1);
  for (const char* mode : {"native", "dp", "cr", "dot2"}) {
    this->gpu.set(mode);
    for (const bool root : {true, false}) {
      T got = 77;
      this->pointer_mode(ACCUBLAS_POINTER_HOST);
      ASSERT_EQ(norm(this->gpu, root, 0, x.data(), 1, &got), ACCUBLAS_SUCCESS) << this->gpu.error();
      EXPECT_EQ(bits(got), bits(T(0)));
      this->pointer_mode(ACCUBLAS_POINTER_DEVICE);
      ASSERT_EQ(norm(this->gpu, root, -3, x.data(), 1, result.data()), ACCUBLAS_SUCCESS) << this->gpu.error();
      EXPECT_EQ(bits(result.values()[0]), bits(T(0)));
    }
  }
}

/// cuBLAS's value: no bits are promised, but dp's bound is kept.
TYPED_TEST(NormsCall, Native) {
  using T = TypeParam;
  const std::vector<T> x = vectors_of<T>(5000, this->rng)[0];
  const DeviceArray<T> on_device(x), result(1);
  this->cpu.set("cr");
  this->pointer_mode(ACCUBLAS_POINTER_DEVICE);
  for (const char* mode : {"native", "dp"}) {
    this->gpu.set(mode);
    for (const Index n : {1, 7, 1250})
      for (const Index incx : {1, 4, -3, 0})
        for (const bool root : {true, false}) {
          ASSERT_EQ(norm(this->gpu, root, n, on_device.data(), incx, result.data()), ACCUBLAS_SUCCESS)
              << this->gpu.error();
          const double want = this->expected(root, n, x.data(), incx), got = result.values()[0];
          EXPECT_LE(std::fabs(got - want), static_cast<double>(n + 4) * std::numeric_limits<T>::epsilon() / 2 * want)
              << mode << " n " << n << " incx " << incx;
        }
  }
}

/// A NaN in x gives NaN and otherwise an infinity gives Inf, also where cuBLAS computes the norm.
TYPED_TEST(NormsCall, SpecialValuesByCublas) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for (const char* mode : {"native", "dp"}) {
    this->gpu.set(mode);
    for (const Index n : {2, 7, 1250, 100000})
      for (const Index incx : {1, 2, -3})
        for (const bool root : {true, false})
          for (const bool with_nan : {false, true})
            for (const bool infinity_first : {false, true}) {
              const Index distance = incx < 0 ? -incx : incx;
              std::vector<T> x(static_cast<std::size_t>(n * distance), nan);
              const auto at = [&](Index i) -> T& { return x[static_cast<std::size_t>(i * distance)]; };
              for (Index i = 0; i < n; ++i) at(i) = T(1);
              at(infinity_first ? 0 : n - 1) = below(this->rng, 2) ? infinity : -infinity;
              if (with_nan) at(infinity_first ? n - 1 : 0) = nan;
              const DeviceArray<T> on_device(x), result(1);
              T got = 77;
              this->pointer_mode(ACCUBLAS_POINTER_HOST);
              ASSERT_EQ(norm(this->gpu, root, n, on_device.data(), incx, &got), ACCUBLAS_SUCCESS) << this->gpu.error();
              this->pointer_mode(ACCUBLAS_POINTER_DEVICE);
              ASSERT_EQ(norm(this->gpu, root, n, on_device.data(), incx, result.data()), ACCUBLAS_SUCCESS)
                  << this->gpu.error();
              for (const T value : {got, result.values()[0]}) {
                if (with_nan)
                  ASSERT_TRUE(std::isnan(value)) << mode << " n " << n << " incx " << incx << " root " << root;
                else
                  ASSERT_EQ(value, infinity) << mode << " n " << n << " incx " << incx << " root " << root;
              }
            }
  }
}

TYPED_TEST(NormsCall, ReturnsBeforeItsStreamRuns) {
  using T = TypeParam;
  const Stream stream;
  ASSERT_EQ(accublas_set_stream(this->gpu, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
  const std::vector<T> x = vectors_of<T>(4000, this->rng)[1];
  const DeviceArray<T> on_device(x), result(1);
  this->pointer_mode(ACCUBLAS_POINTER_DEVICE);
  for (const char* mode : norm_modes) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (const bool root : {true, false}) {
      // The first call may make what is made once.
      ASSERT_EQ(norm(this->gpu, root, 4000, on_device.data(), 1, result.data()), ACCUBLAS_SUCCESS) << this->gpu.error();
      ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
      ASSERT_NO_FATAL_FAILURE(expect_no_wait(
          this->gpu, stream, mode, [&] { return norm(this->gpu, root, 4000, on_device.data(), 1, result.data()); }));
      EXPECT_EQ(bits(result.values()[0]), bits(this->expected(root, 4000, x.data(), 1))) << mode;
    }
  }
}

TYPED_TEST(NormsCall, Graphs) {
  using T = TypeParam;
  const Index n = 40000;
  const Stream stream;
  ASSERT_EQ(accublas_set_stream(this->gpu, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
  this->pointer_mode(ACCUBLAS_POINTER_DEVICE);
  const auto vectors = vectors_of<T>(n, this->rng);
  DeviceArray<T> x(vectors[0]), result(1);
  for (const char* mode : {"dp:repro", "dot2", "cr", "native"})
    for (const bool root : {true, false}) {
      const bool native = mode[0] == 'n';
      this->cpu.set(native ? "cr" : mode);
      this->gpu.set(mode);
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t executable = nullptr;
      require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin capture");
      const accublas_status status = norm(this->gpu, root, n, x.data(), 1, result.data());
      const std::string message = this->gpu.error();
      const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
      ASSERT_EQ(status, ACCUBLAS_SUCCESS) << mode << ": " << message;
      ASSERT_EQ(ended, cudaSuccess) << mode << ": " << cudaGetErrorString(ended);
      ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess) << mode;
      for (const auto& values : vectors) {
        x = values;
        ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess) << mode;
        stream.wait();
        if (native) break;  // no bits are promised: that it replays is all
        const T want = this->expected(root, n, values.data(), 1), got = result.values()[0];
        ASSERT_EQ(bits(got), bits(want)) << mode << (root ? " nrm2 " : " asum ") << got << " for " << want;
      }
      cudaGraphExecDestroy(executable);
      cudaGraphDestroy(graph);
    }
}

}  // namespace
}  // namespace accublas::test
