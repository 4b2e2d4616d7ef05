// cublasLtMatmul under the drop-in without a GPU, on a stub of cublasLt and operands in host memory. A call that
// accublas computes has the result that docs/cublas.md defines, and every other call reaches cublasLt. The mode comes
// from the environment.
#include <dlfcn.h>

#include <functional>

#include "test/batch_invariance.hpp"
#include "test/cublas/matmul.hpp"

extern "C" const char* stub_called;

namespace accublas::test {
namespace {

template <class T>
class HostMemory : public invariance::HostArray<T> {
 public:
  explicit HostMemory(const std::vector<T>& values) : invariance::HostArray<T>(values) {}
};

const cublasLtHandle_t handle = reinterpret_cast<cublasLtHandle_t>(&stub_called);  // any address

template <class E>
class Lt : public testing::Test {};
using LtNumbers = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(Lt, LtNumbers);

TYPED_TEST(Lt, Products) {
  LtRandom random(1);
  stub_called = "";
  for (int round = 0; round < 300 && !this->HasFailure(); ++round)
    check_matmul<TypeParam, HostMemory>(handle, random, round % 2 ? 9 : 40, false, [] {});
  EXPECT_STREQ(stub_called, "");
}

/// Every epilogue has the results that docs/cublas.md defines, in one matrix and in several.
TYPED_TEST(Lt, Epilogues) {
  for (const unsigned epilogue : lt_epilogues)
    for (const int count : {1, 3}) {
      if (typed::is_complex<TypeParam> && epilogue != 1 && epilogue != 4) continue;
      LtRandom random(epilogue);
      LtProblem<TypeParam> problem(random, 19, 11, 7, CUBLAS_OP_T, CUBLAS_OP_N, 0, count, epilogue, false);
      LtCall<TypeParam, HostMemory> call(problem);
      EXPECT_EQ(call.run(cublasLtMatmul, handle), CUBLAS_STATUS_SUCCESS) << lt_name(epilogue);
      problem.compute();
      EXPECT_TRUE(call.has(problem)) << lt_name(epilogue) << ", count " << count;
    }
}

std::int64_t counted(const std::string& routine) {
  accublas_counter_t counters[512];
  std::size_t count = 0;
  EXPECT_EQ(accublas_counters(counters, 512, &count), ACCUBLAS_SUCCESS);
  std::int64_t calls = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 512); ++i)
    if (routine == counters[i].routine) calls += counters[i].calls;
  return calls;
}

/// Expects that a call reaches cublasLt, and that accublas neither writes D nor counts the call.
using Call = LtCall<double, HostMemory>;
void expect_forwarded(const std::string& what, const std::function<void(LtProblem<double>&)>& make,
                      const std::function<void(Call&)>& change, unsigned epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                      int count = 1) {
  LtRandom random(3);
  LtProblem<double> problem(random, 5, 6, 7, CUBLAS_OP_N, CUBLAS_OP_N, 0, count, epilogue, false);
  problem.beta = 1.5;
  make(problem);
  Call call(problem);
  change(call);
  const std::int64_t before = counted("dgemm") + counted("dgemm_batched");
  stub_called = "";
  EXPECT_EQ(call.run(cublasLtMatmul, handle), CUBLAS_STATUS_LICENSE_ERROR) << what;
  EXPECT_STREQ(stub_called, "cublasLtMatmul") << what;
  EXPECT_TRUE(call.has(problem)) << what;
  EXPECT_EQ(counted("dgemm") + counted("dgemm_batched"), before) << what;
}
void expect_forwarded(const std::string& what, const std::function<void(LtProblem<double>&)>& make,
                      unsigned epilogue = CUBLASLT_EPILOGUE_DEFAULT, int count = 1) {
  expect_forwarded(
      what, make, [](Call&) {}, epilogue, count);
}
void expect_forwarded(const std::string& what, const std::function<void(Call&)>& change,
                      unsigned epilogue = CUBLASLT_EPILOGUE_DEFAULT) {
  expect_forwarded(
      what, [](LtProblem<double>&) {}, change, epilogue);
}
using Made = LtProblem<double>;

TEST(LtForwarded, BadArguments) {
  expect_forwarded("k of B", [](Call& c) { c.more_terms = 1; });
  expect_forwarded("rows of C", [](Made& p) { p.c.rows -= 1; });
  expect_forwarded("columns of D", [](Made& p) { p.d.cols -= 1; });
  expect_forwarded("lda", [](Made& p) { p.a.ld = p.a.rows - 1; });
  expect_forwarded("ldd by rows", [](Made& p) { p.d.by_rows = true, p.d.ld = p.d.cols - 1; });
  expect_forwarded("count of A", [](Made& p) { p.a.count = 2; });
  expect_forwarded(
      "matrices of D that coincide", [](Made& p) { p.d.stride = 1; }, CUBLASLT_EPILOGUE_DEFAULT, 2);
  expect_forwarded("no C", [](Call& c) { c.without_c = true; });
  expect_forwarded("nothing to do", [](Made& p) { p.a.rows = p.c.rows = p.d.rows = 0; });
  expect_forwarded(
      "ld of the auxiliary matrix", [](Made& p) { p.aux_ld = 4; }, CUBLASLT_EPILOGUE_GELU_AUX);
  expect_forwarded(
      "ld of the mask", [](Made& p) { p.aux_ld = 72; }, CUBLASLT_EPILOGUE_RELU_AUX);
  expect_forwarded(
      "sums of a batch that coincide", [](Made& p) { p.bias_stride = 0; }, CUBLASLT_EPILOGUE_BGRADB, 2);
  expect_forwarded(
      "masks of a batch that coincide", [](Made& p) { p.aux_stride = 0; }, CUBLASLT_EPILOGUE_RELU_AUX, 2);
  expect_forwarded(
      "arguments of a batch that overlap", [](Made& p) { p.aux_stride = p.aux_ld; }, CUBLASLT_EPILOGUE_GELU_AUX, 2);
  expect_forwarded("an unknown epilogue", [](Made& p) { p.epilogue = 3; });
}

TEST(LtForwarded, OtherCalls) {
  const auto with = [](cublasLtMatmulDescAttributes_t which, auto value) {
    return [=](Call& c) { c.description.set(which, value); };
  };
  expect_forwarded("emulation", with(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, std::int32_t{CUBLAS_COMPUTE_32F}));
  expect_forwarded("type of the factors", with(CUBLASLT_MATMUL_DESC_SCALE_TYPE, std::int32_t{CUDA_R_32F}));
  expect_forwarded("op(C)", with(CUBLASLT_MATMUL_DESC_TRANSC, std::int32_t{CUBLAS_OP_T}));
  expect_forwarded("triangle", with(CUBLASLT_MATMUL_DESC_FILL_MODE, std::int32_t{CUBLAS_FILL_MODE_LOWER}));
  static double scale = 2;
  for (const auto which : {CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER,
                           CUBLASLT_MATMUL_DESC_AMAX_D_POINTER})
    expect_forwarded("a scale", with(which, static_cast<void*>(&scale)));
  expect_forwarded("vectors of factors",
                   with(CUBLASLT_MATMUL_DESC_POINTER_MODE, std::int32_t{CUBLASLT_POINTER_MODE_DEVICE_VECTOR}));
  expect_forwarded("factors in device memory, D in host memory",
                   with(CUBLASLT_MATMUL_DESC_POINTER_MODE, std::int32_t{CUBLASLT_POINTER_MODE_DEVICE}));
  expect_forwarded("type of the bias", with(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, std::int32_t{CUDA_R_16F}),
                   CUBLASLT_EPILOGUE_BIAS);
}

TEST(LtForwarded, OtherArithmetic) {
  LtRandom random(4);
  LtProblem<float> problem(random, 5, 6, 7, CUBLAS_OP_N, CUBLAS_OP_N, 0, 1, CUBLASLT_EPILOGUE_DEFAULT, true);
  for (const auto compute : {CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_32F_FAST_16F, CUBLAS_COMPUTE_16F}) {
    LtCall<float, HostMemory> call(problem);
    call.description.set(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, std::int32_t{compute});
    stub_called = "";
    EXPECT_EQ(call.run(cublasLtMatmul, handle), CUBLAS_STATUS_LICENSE_ERROR);
    EXPECT_STREQ(stub_called, "cublasLtMatmul");
  }
}

/// cublasLt gets calls with a conjugate that is not transposed, and with activations of complex numbers.
TEST(LtForwarded, OfComplexNumbers) {
  using E = std::complex<double>;
  LtRandom random(5);
  for (const bool conjugated : {false, true}) {
    LtProblem<E> problem(random, 5, 6, 7, conjugated ? CUBLAS_OP_C : CUBLAS_OP_N, CUBLAS_OP_N, conjugated ? 1 : 0, 1,
                         conjugated ? 1 : 2, true);
    LtCall<E, HostMemory> call(problem);
    EXPECT_EQ(call.run(cublasLtMatmul, handle), CUBLAS_STATUS_LICENSE_ERROR);
  }
}

TEST(LtForwarded, WithoutHandleOrDescription) {
  const double one = 1;
  EXPECT_EQ(cublasLtMatmul(nullptr, nullptr, &one, nullptr, nullptr, nullptr, nullptr, &one, nullptr, nullptr, nullptr,
                           nullptr, nullptr, nullptr, 0, nullptr),
            CUBLAS_STATUS_LICENSE_ERROR);
  EXPECT_EQ(cublasLtDestroy(handle), CUBLAS_STATUS_LICENSE_ERROR);
  EXPECT_STREQ(stub_called, "cublasLtDestroy");
}

/// The counters count a product or a batch as one call, whatever its epilogue.
TEST(LtServed, Counters) {
  for (const int count : {1, 3}) {
    LtRandom random(6);
    LtProblem<double> problem(random, 5, 6, 7, CUBLAS_OP_N, CUBLAS_OP_N, 0, count, CUBLASLT_EPILOGUE_DGELU_BGRAD,
                              false);
    LtCall<double, HostMemory> call(problem);
    const std::int64_t products = counted("dgemm"), batches = counted("dgemm_batched"), all = counted("dgemv");
    EXPECT_EQ(call.run(cublasLtMatmul, handle), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(counted("dgemm") - products, count == 1);
    EXPECT_EQ(counted("dgemm_batched") - batches, count != 1);
    EXPECT_EQ(counted("dgemv"), all);
  }
}

TEST(LtServed, LookedUpNames) {
  Dl_info found;
  void* const library = dlopen("libcublasLt.so.13", RTLD_LAZY | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  ASSERT_TRUE(dladdr(dlsym(library, "cublasLtMatmul"), &found));
  EXPECT_NE(std::string(found.dli_fname).find("libaccublas_cublas"), std::string::npos) << found.dli_fname;
  ASSERT_TRUE(dladdr(dlsym(library, "cublasLtGetVersion"), &found));
  EXPECT_NE(std::string(found.dli_fname).find("libcublasLt.so"), std::string::npos) << found.dli_fname;
}

cublasStatus_t status_of_product() {
  LtRandom random(7);
  LtProblem<double> problem(random, 5, 6, 7, CUBLAS_OP_N, CUBLAS_OP_N, 0, 1, CUBLASLT_EPILOGUE_BIAS, true);
  LtCall<double, HostMemory> call(problem);
  stub_called = "";
  const cublasStatus_t status = call.run(cublasLtMatmul, handle);
  EXPECT_TRUE(call.has(problem));
  return status;
}

/// In mode native, and if accublas fails and may fall back, all calls reach cublasLt.
TEST(Env, DISABLED_AllForwarded) {
  EXPECT_EQ(status_of_product(), CUBLAS_STATUS_LICENSE_ERROR);
  EXPECT_STREQ(stub_called, "cublasLtMatmul");
}

TEST(Env, DISABLED_AllFail) {
  EXPECT_EQ(status_of_product(), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_STREQ(stub_called, "");
}

}  // namespace
}  // namespace accublas::test
