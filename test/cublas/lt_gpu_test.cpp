// cublasLtMatmul under the drop-in on device arrays has the CPU's bits for every type, order, transposition, batch,
// epilogue and beta. If all numbers are small integers, it has the values of the real cublasLt. Calls that accublas
// leaves alone have its statuses. The mode comes from the environment, and defines bits.
#include <dlfcn.h>

#include <thread>

#include "test/cublas/matmul.hpp"
#include "test/gpu/device.hpp"
#include "test/gpu/stream.hpp"

namespace accublas::test {
namespace {

/// Returns the function of the cublasLt that is loaded. The drop-in does not intercept dlvsym.
LtFunction real_matmul() {
  for (const char* library : {"libcublasLt.so.13", "libcublasLt.so.12"})
    if (void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD))
      if (void* const function = dlvsym(loaded, "cublasLtMatmul", library))
        return reinterpret_cast<LtFunction>(function);
  ADD_FAILURE() << "no cublasLt is loaded";
  std::abort();
}

class LtHandle {
 public:
  LtHandle() { EXPECT_EQ(cublasLtCreate(&handle_), CUBLAS_STATUS_SUCCESS); }
  ~LtHandle() { EXPECT_EQ(cublasLtDestroy(handle_), CUBLAS_STATUS_SUCCESS); }
  LtHandle(const LtHandle&) = delete;
  LtHandle& operator=(const LtHandle&) = delete;
  operator cublasLtHandle_t() const { return handle_; }

 private:
  cublasLtHandle_t handle_ = nullptr;
};

void wait_for_device() { require(cudaDeviceSynchronize(), "synchronize"); }

std::int64_t calls_counted() {
  accublas_counter_t counters[512];
  std::size_t count = 0;
  EXPECT_EQ(accublas_counters(counters, 512, &count), ACCUBLAS_SUCCESS);
  std::int64_t calls = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 512); ++i) calls += counters[i].calls;
  return calls;
}

template <class E>
class LtGpu : public testing::Test {};
using LtNumbers = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(LtGpu, LtNumbers);

TYPED_TEST(LtGpu, Products) {
  const LtHandle handle;
  LtRandom random(7);
  const std::int64_t before = calls_counted();
  for (int round = 0; round < 150 && !this->HasFailure(); ++round)
    check_matmul<TypeParam, DeviceArray>(handle, random,
                                         round % 3 == 0   ? 9
                                         : round % 3 == 1 ? 70
                                                          : 300,
                                         true, wait_for_device);
  EXPECT_GE(calls_counted() - before, 150);
}

template <class E>
bool close(const std::vector<E>& x, const std::vector<E>& y, double relative) {
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference = std::max(difference, static_cast<double>(std::abs(x[i] - y[i])));
    largest = std::max(largest, static_cast<double>(std::abs(y[i])));
  }
  return difference <= relative * largest;
}

/// Products and sums of small integers are exact, so cublasLt must have equal results, masks, gradients of biases and
/// auxiliary matrices. Its GELU is rounded differently.
TYPED_TEST(LtGpu, MeansWhatCublasLtMeans) {
  const LtHandle handle;
  const LtFunction real = real_matmul();
  int answered = 0;
  for (const unsigned epilogue : lt_epilogues)
    for (const unsigned orders : {0u, 12u, 15u})
      for (const int count : {1, 3}) {
        LtRandom random(epilogue + static_cast<unsigned>(count));
        LtProblem<TypeParam> problem(random, 48, 32, 16, CUBLAS_OP_T, CUBLAS_OP_N, orders, count, epilogue, true, true);
        problem.a = LtMatrix<TypeParam>(random, 16, 48, (orders & 1) != 0, count, false, true);
        LtCall<TypeParam, DeviceArray> theirs(problem), mine(problem);
        const std::string name =
            lt_name(epilogue) + ", orders " + std::to_string(orders) + ", count " + std::to_string(count);
        const cublasStatus_t status = theirs.run(real, handle);
        wait_for_device();
        const cublasStatus_t hooked = mine.run(cublasLtMatmul, handle);
        wait_for_device();
        if (status != CUBLAS_STATUS_SUCCESS)
          continue;  // cublasLt refuses biases and masks if D is stored by rows, and sums
        ++answered;
        ASSERT_EQ(hooked, CUBLAS_STATUS_SUCCESS) << name;
        const double relative = epilogue & (32 | 64) ? 1e-5 : 0;
        EXPECT_TRUE(close(mine.d().values(), theirs.d().values(), relative)) << name;
        EXPECT_TRUE(close(mine.bias(), theirs.bias(), relative)) << name;
        EXPECT_TRUE(close(mine.argument(), theirs.argument(), relative)) << name;
        if (problem.has_mask()) {
          const auto x = mine.mask(), y = theirs.mask();
          std::size_t other = 0;
          for (int matrix = 0; matrix < count; ++matrix)
            for (std::int64_t j = 0; j < problem.n(); ++j)
              for (std::int64_t i = 0; i < problem.m() / 8; ++i) {
                const auto at = static_cast<std::size_t>((matrix * problem.aux_stride + j * problem.aux_ld) / 8 + i);
                other += x[at] != y[at];
              }
          EXPECT_EQ(other, 0u) << name;
        }
      }
  EXPECT_GT(answered, 0);
}

/// A call that accublas leaves alone has cublasLt's status and result.
TEST(LtGpuErrors, AreCublasLts) {
  const LtHandle handle;
  const LtFunction real = real_matmul();
  using Change = void (*)(LtProblem<double>&, LtCall<double, DeviceArray>&);
  const auto check = [&](const char* what, auto make, Change change) {
    LtRandom random(8);
    LtProblem<double> problem(random, 8, 8, 8, CUBLAS_OP_N, CUBLAS_OP_N, 0, 1, CUBLASLT_EPILOGUE_DEFAULT, true);
    make(problem);
    LtCall<double, DeviceArray> theirs(problem), mine(problem);
    change(problem, theirs), change(problem, mine);
    const cublasStatus_t status = theirs.run(real, handle);
    wait_for_device();
    const std::int64_t before = calls_counted();
    EXPECT_EQ(mine.run(cublasLtMatmul, handle), status) << what;
    wait_for_device();
    EXPECT_EQ(calls_counted(), before) << what;
    EXPECT_TRUE(close(mine.d().values(), theirs.d().values(), 1e-15)) << what;
  };
  const auto as_it_is = [](LtProblem<double>&) {};
  check("k of B", as_it_is, [](LtProblem<double>&, LtCall<double, DeviceArray>& c) { c.more_terms = 1; });
  check("scale type", as_it_is, [](LtProblem<double>&, LtCall<double, DeviceArray>& c) {
    c.description.set(CUBLASLT_MATMUL_DESC_SCALE_TYPE, std::int32_t{CUDA_R_32F});
  });
  check("op(C)", as_it_is, [](LtProblem<double>&, LtCall<double, DeviceArray>& c) {
    c.description.set(CUBLASLT_MATMUL_DESC_TRANSC, std::int32_t{CUBLAS_OP_T});
  });
  check(
      "lda", [](LtProblem<double>& p) { p.a.ld = 7; }, [](LtProblem<double>&, LtCall<double, DeviceArray>&) {});
  check(
      "rows of C", [](LtProblem<double>& p) { p.c.rows = 7; }, [](LtProblem<double>&, LtCall<double, DeviceArray>&) {});
}

/// cublasLt computes calls with TF32.
TEST(LtGpuOthers, Tf32) {
  const LtHandle handle;
  LtRandom random(9);
  LtProblem<float> problem(random, 64, 64, 64, CUBLAS_OP_N, CUBLAS_OP_N, 0, 1, CUBLASLT_EPILOGUE_DEFAULT, true);
  LtCall<float, DeviceArray> theirs(problem), mine(problem);
  for (auto* const call : {&theirs, &mine})
    call->description.set(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, std::int32_t{CUBLAS_COMPUTE_32F_FAST_TF32});
  const std::int64_t before = calls_counted();
  EXPECT_EQ(mine.run(cublasLtMatmul, handle), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(theirs.run(real_matmul(), handle), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(calls_counted(), before);
  EXPECT_EQ(mine.d().values(), theirs.d().values());
}

/// A NaN in C does not matter if beta is zero, on the host or on the device.
TYPED_TEST(LtGpu, BetaIsZero) {
  const LtHandle handle;
  for (const bool on_device : {false, true})
    for (const bool in_place : {false, true}) {
      LtRandom random(10);
      LtProblem<TypeParam> problem(random, 17, 13, 9, CUBLAS_OP_N, CUBLAS_OP_T, 0, 2, CUBLASLT_EPILOGUE_BIAS, in_place);
      problem.beta = {};
      std::fill(problem.c.values.begin(), problem.c.values.end(), TypeParam(NAN));
      if (in_place) problem.d = problem.c;
      LtCall<TypeParam, DeviceArray> call(problem);
      call.factors_on_device = on_device;
      ASSERT_EQ(call.run(cublasLtMatmul, handle), CUBLAS_STATUS_SUCCESS);
      wait_for_device();
      problem.compute();
      EXPECT_TRUE(call.has(problem)) << "on device " << on_device << ", in place " << in_place;
    }
}

template <class Test>
void for_epilogues(const Test& test) {
  for (const unsigned epilogue : lt_epilogues) {
    LtRandom random(epilogue);
    const LtProblem<double> problem(random, 65, 33, 40, CUBLAS_OP_T, CUBLAS_OP_N, 0, 1, epilogue, false);
    LtCall<double, DeviceArray> call(problem);
    LtProblem<double> wanted = problem;
    wanted.compute();
    test(call, wanted, lt_name(epilogue));
  }
}

/// The host does not wait for the stream of a call.
TEST(LtGpuStreams, Order) {
  const LtHandle handle;
  const Stream stream;
  for_epilogues([&](LtCall<double, DeviceArray>& call, const LtProblem<double>& wanted, const std::string& name) {
    Blocker blocker(stream);
    EXPECT_EQ(call.run(cublasLtMatmul, handle, stream), CUBLAS_STATUS_SUCCESS) << name;
    EXPECT_FALSE(blocker.gave_up()) << name << ": the call waited for its stream";
    blocker.release();
    stream.wait();
    EXPECT_TRUE(call.has(wanted)) << name;
  });
}

/// A captured call belongs to the graph, whose replays have its bits.
TEST(LtGpuStreams, Graphs) {
  const LtHandle handle;
  const Stream stream;
  for_epilogues([&](LtCall<double, DeviceArray>& call, const LtProblem<double>& wanted, const std::string& name) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    EXPECT_EQ(call.run(cublasLtMatmul, handle, stream), CUBLAS_STATUS_SUCCESS) << name;
    require(cudaStreamEndCapture(stream, &graph), "capture");
    require(cudaGraphInstantiate(&ready, graph, 0), "graph");
    for (int replay = 0; replay < 2; ++replay) {
      call.begin();
      require(cudaGraphLaunch(ready, stream), "graph");
      stream.wait();
      EXPECT_TRUE(call.has(wanted)) << name << ", replay " << replay;
    }
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
  });
}

TEST(LtGpuStreams, Threads) {
  const LtHandle handle;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const Stream stream;
      LtRandom random(static_cast<unsigned>(t));
      for (int round = 0; round < 10; ++round) {
        LtProblem<double> problem(random, 70, 50, 60, CUBLAS_OP_N, CUBLAS_OP_N, 0, 1, CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
                                  false);
        LtCall<double, DeviceArray> call(problem);
        EXPECT_EQ(call.run(cublasLtMatmul, handle, stream), CUBLAS_STATUS_SUCCESS);
        stream.wait();
        problem.compute();
        EXPECT_TRUE(call.has(problem)) << "thread " << t;
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace accublas::test
