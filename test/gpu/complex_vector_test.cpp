// DOTU and DOTC, NRM2 and ASUM of complex vectors on the GPU: the CPU's bits in every mode that defines them, wherever
// operands and results are. (GEMV: level2_test.cpp.)
#include <cmath>

#include "test/gpu/gemm_problem.hpp"
#include "test/gpu/stream.hpp"
#include "test/gpu/vector_kinds.hpp"

namespace accublas::test {
namespace {

enum class ComplexRoutine { dotu, dotc, nrm2, asum };
constexpr ComplexRoutine complex_vector_routines[] = {ComplexRoutine::dotu, ComplexRoutine::dotc, ComplexRoutine::nrm2,
                                                      ComplexRoutine::asum};
const char* const names[] = {"dotu", "dotc", "nrm2", "asum"};
constexpr int parts_of(ComplexRoutine routine) { return routine <= ComplexRoutine::dotc ? 2 : 1; }

template <class T>
struct Vectors {
  Index n, incx, incy;
  std::vector<T> x, y;
};

template <class T>
accublas_status run(const Context& c, ComplexRoutine routine, const Vectors<T>& v, const T* x, const T* y, T* result) {
  const auto call = [&](auto dotu, auto dotc, auto nrm2, auto asum) {
    if (routine == ComplexRoutine::nrm2) return nrm2(c, v.n, x, v.incx, result);
    if (routine == ComplexRoutine::asum) return asum(c, v.n, x, v.incx, result);
    return (routine == ComplexRoutine::dotu ? dotu : dotc)(c, v.n, x, v.incx, y, v.incy, result);
  };
  if constexpr (sizeof(T) == 8)
    return call(accublas_zdotu, accublas_zdotc, accublas_dznrm2, accublas_dzasum);
  else
    return call(accublas_cdotu, accublas_cdotc, accublas_scnrm2, accublas_scasum);
}

template <class T>
class ComplexVectors : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{29};

  Vectors<T> make(const Kind& kind, Index n, Index incx, Index incy) {
    const GemmEntries<T> e = make_entries<T>(kind, 1, 1, std::max<Index>(1, 2 * n), rng);
    const auto spaced = [&](const std::vector<T>& from, Index increment, bool negated) {
      const Index apart = std::abs(increment);
      std::vector<T> to(static_cast<std::size_t>(2 * (std::max<Index>(0, n - 1) * apart + 1)),
                        std::numeric_limits<T>::quiet_NaN());
      for (Index i = 0; i < n; ++i)
        for (Index part = 0; part < 2; ++part) {
          const T entry = from[static_cast<std::size_t>(2 * i + part)];
          to[static_cast<std::size_t>(2 * (increment < 0 ? n - 1 - i : i) * apart + part)] =
              negated && part == 1 ? -entry : entry;
        }
      return to;
    };
    return {n, incx, incy, spaced(e.a, incx, false), spaced(e.b, incy, true)};
  }

  void set(const char* mode) {
    cpu.set(mode);
    gpu.set(mode);
  }
  void pointer_mode(bool device) {
    ASSERT_EQ(accublas_set_pointer_mode(gpu, device ? ACCUBLAS_POINTER_DEVICE : ACCUBLAS_POINTER_HOST),
              ACCUBLAS_SUCCESS);
  }
  std::vector<T> expected(ComplexRoutine routine, const Vectors<T>& v) {
    std::vector<T> out(2, 77);
    EXPECT_EQ(run(cpu, routine, v, v.x.data(), v.y.data(), out.data()), ACCUBLAS_SUCCESS) << cpu.error();
    return out;
  }
  /// The second number is not the norms'.
  static std::string difference(const std::vector<T>& want, const std::vector<T>& got, ComplexRoutine routine) {
    for (std::size_t i = 0; i < 2; ++i)
      if (i < static_cast<std::size_t>(parts_of(routine)) && bits(want[i]) != bits(got[i])) {
        std::ostringstream out;
        out << names[static_cast<int>(routine)] << " part " << i << ": want " << want[i] << " got " << got[i]
            << std::hex << " " << bits(want[i]) << " " << bits(got[i]);
        return out.str();
      }
    return "";
  }
  /// Host operands, device operands with the result on either side.
  void expect_same(ComplexRoutine routine, const Vectors<T>& v, const std::string& what) {
    const std::vector<T> want = expected(routine, v);
    std::vector<T> got(2, 78);
    pointer_mode(false);
    ASSERT_EQ(run(gpu, routine, v, v.x.data(), v.y.data(), got.data()), ACCUBLAS_SUCCESS) << what << gpu.error();
    ASSERT_EQ(difference(want, got, routine), "") << what << ", host operands, n " << v.n;
    EXPECT_STREQ(gpu.report().backend, "cuda");
    const DeviceArray<T> x(v.x), y(v.y), result(2);
    got = {78, 78};
    ASSERT_EQ(run(gpu, routine, v, x.data(), y.data(), got.data()), ACCUBLAS_SUCCESS) << what << gpu.error();
    ASSERT_EQ(difference(want, got, routine), "") << what << ", device operands, n " << v.n;
    pointer_mode(true);
    ASSERT_EQ(run(gpu, routine, v, x.data(), y.data(), result.data()), ACCUBLAS_SUCCESS) << what << gpu.error();
    ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS);
    ASSERT_EQ(difference(want, result.values(), routine), "") << what << ", result on the device, n " << v.n;
    pointer_mode(false);
  }
  static bool has(ComplexRoutine routine, const std::string& mode) {
    return parts_of(routine) == 2 || (mode[0] != 'f' && mode.substr(0, 6) != "slices");
  }
};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(ComplexVectors, Types);

const char* const complex_vector_modes[] = {"cr",      "dp:repro", "dot2",         "fixed:53",
                                            "fixed:7", "slices:3", "slices:2:fast"};

TYPED_TEST(ComplexVectors, EveryModeAndKindOfData) {
  for (const char* mode : complex_vector_modes) {
    this->set(mode);
    for (const Kind& kind : vector_kinds)
      for (const Index n : {1, 2, 37, 511, 512, 513, 20000})
        for (const ComplexRoutine routine : complex_vector_routines) {
          if (!this->has(routine, mode)) continue;
          this->expect_same(routine, this->make(kind, n, 1, 1), std::string(mode) + " " + kind.name());
          if (testing::Test::HasFatalFailure()) return;
        }
  }
}

TYPED_TEST(ComplexVectors, Increments) {
  for (const char* mode : complex_vector_modes) {
    this->set(mode);
    for (const Index incx : {1, -1, 3, -2, 0})
      for (const Index incy : {1, -1, 2, 0})
        for (const ComplexRoutine routine : complex_vector_routines) {
          if (!this->has(routine, mode)) continue;
          this->expect_same(routine, this->make({Data::phi, 1}, 1100, incx, incy), mode);
          if (testing::Test::HasFatalFailure()) return;
        }
  }
}

/// Tests numbers at addresses that are not multiples of their size.
TYPED_TEST(ComplexVectors, OddAddresses) {
  using T = TypeParam;
  for (const char* mode : complex_vector_modes) {
    this->set(mode);
    for (int odd = 1; odd < 4; ++odd)
      for (const ComplexRoutine routine : complex_vector_routines) {
        if (!this->has(routine, mode)) continue;
        const Vectors<T> v = this->make({Data::phi, 1}, 1100, odd, 1);
        const auto shifted = [](std::vector<T> entries) {
          entries.insert(entries.begin(), std::numeric_limits<T>::quiet_NaN());
          return entries;
        };
        const DeviceArray<T> x(odd & 1 ? shifted(v.x) : v.x), y(odd & 2 ? shifted(v.y) : v.y);
        std::vector<T> got(2, 78);
        ASSERT_EQ(run(this->gpu, routine, v, x.data() + (odd & 1), y.data() + (odd >> 1), got.data()), ACCUBLAS_SUCCESS)
            << mode << this->gpu.error();
        ASSERT_EQ(this->difference(this->expected(routine, v), got, routine), "") << mode << " odd " << odd;
      }
  }
}

TYPED_TEST(ComplexVectors, Nothing) {
  for (const char* mode : {"native", "dp", "cr", "dot2"}) {
    this->set(mode);
    for (const ComplexRoutine routine : complex_vector_routines)
      this->expect_same(routine, this->make({Data::phi, 1}, 0, 1, 1), mode);
  }
}

/// cuBLAS's values keep dp's bound.
TYPED_TEST(ComplexVectors, Native) {
  using T = TypeParam;
  this->cpu.set("cr");
  for (const char* mode : {"native", "dp"}) {
    this->gpu.set(mode);
    for (const Index n : {1, 7, 5000})
      for (const Index incx : {1, 4, -3, 0})
        for (const ComplexRoutine routine : complex_vector_routines) {
          const Vectors<T> v = this->make({Data::phi, 0}, n, incx, -2);
          const DeviceArray<T> x(v.x), y(v.y);
          const std::vector<T> want = this->expected(routine, v);
          std::vector<T> got(2, 0);
          ASSERT_EQ(run(this->gpu, routine, v, x.data(), y.data(), got.data()), ACCUBLAS_SUCCESS) << this->gpu.error();
          for (std::size_t part = 0; part < static_cast<std::size_t>(parts_of(routine)); ++part)
            EXPECT_LE(std::fabs(static_cast<double>(got[part]) - static_cast<double>(want[part])),
                      static_cast<double>((2 * n + 7) * 2 * n) * std::numeric_limits<T>::epsilon() / 2)
                << mode << " " << names[static_cast<int>(routine)] << " n " << n << " incx " << incx;
        }
  }
}

TYPED_TEST(ComplexVectors, StreamsAndGraphs) {
  using T = TypeParam;
  const Stream stream;
  ASSERT_EQ(accublas_set_stream(this->gpu, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
  this->pointer_mode(true);
  for (const char* mode : complex_vector_modes)
    for (const ComplexRoutine routine : complex_vector_routines)
      for (const Index incx : {1, 2}) {
        if (!this->has(routine, mode)) continue;
        this->set(mode);
        const Index n = 9000;
        Vectors<T> v = this->make({Data::phi, 1}, n, incx, 1);
        DeviceArray<T> x(v.x), y(v.y), result(2);
        const auto call = [&] { return run(this->gpu, routine, v, x.data(), y.data(), result.data()); };
        // The first call may make what is made once.
        ASSERT_EQ(call(), ACCUBLAS_SUCCESS) << mode << this->gpu.error();
        ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
        ASSERT_NO_FATAL_FAILURE(expect_no_wait(this->gpu, stream, mode, call));
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t executable = nullptr;
        require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin capture");
        const accublas_status status = call();
        const std::string message = this->gpu.error();
        const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
        ASSERT_EQ(status, ACCUBLAS_SUCCESS) << mode << ": " << message;
        ASSERT_EQ(ended, cudaSuccess) << mode << ": " << cudaGetErrorString(ended);
        ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess) << mode;
        for (const Kind& kind : {vector_kinds[0], vector_kinds[3], vector_kinds[5]}) {
          v = this->make(kind, n, incx, 1);
          x = v.x, y = v.y;
          ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess) << mode;
          stream.wait();
          ASSERT_EQ(this->difference(this->expected(routine, v), result.values(), routine), "")
              << mode << " replayed on " << kind.name();
        }
        cudaGraphExecDestroy(executable);
        cudaGraphDestroy(graph);
      }
  this->pointer_mode(false);
}

TYPED_TEST(ComplexVectors, UsersWorkspace) {
  using T = TypeParam;
  const DeviceArray<unsigned char> workspace(std::size_t{64} << 20);
  ASSERT_EQ(accublas_set_workspace(this->gpu, workspace.data() + 8, workspace.size() - 8), ACCUBLAS_SUCCESS);
  for (const char* mode : complex_vector_modes) {
    this->set(mode);
    for (const ComplexRoutine routine : complex_vector_routines) {
      if (!this->has(routine, mode)) continue;
      const Vectors<T> v = this->make({Data::phi, 3}, 30000, 2, -1);
      const DeviceArray<T> x(v.x), y(v.y);
      std::vector<T> got(2, 78);
      ASSERT_EQ(run(this->gpu, routine, v, x.data(), y.data(), got.data()), ACCUBLAS_SUCCESS) << this->gpu.error();
      ASSERT_EQ(this->difference(this->expected(routine, v), got, routine), "") << mode;
    }
  }
}

}  // namespace
}  // namespace accublas::test
