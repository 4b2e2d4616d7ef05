// Complex GEMM whose alpha or beta has two parts, or is in device memory.
#include <cstring>

#include "test/gpu/complex_gemm_test.hpp"
#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

/// alpha and beta with two parts, or with one that is not the real one.
template <class T>
void pick_factors(Random& rng, ComplexCall<T>& call) {
  const T parts[] = {T(0), T(1), T(-1), T(0.7), T(-1.3), T(3), static_cast<T>(spread(rng, 20))};
  for (T* const factor : {call.alpha, call.beta})
    for (int part : {0, 1}) factor[part] = parts[below(rng, 7)];
  if (call.alpha[0] == 0 && call.alpha[1] == 0) call.alpha[1] = 1;
}

TYPED_TEST(ComplexGemm, FactorsOfTwoParts) {
  for (const std::string& mode : complex_modes) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (const accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR})
      for (const accublas_transpose transa : transpositions)
        for (const accublas_transpose transb : transpositions) {
          const bool line = below(this->rng, 5) == 0;
          auto call = this->packed_call(line ? 1 : 1 + below(this->rng, 70), 1 + below(this->rng, line ? 3 : 70),
                                        1 + below(this->rng, 150), layout, transa, transb, below(this->rng, 2) * 3);
          pick_factors(this->rng, call);
          this->fill(call, {Data::phi, 1});
          this->expect_same(call, mode, below(this->rng, 4) == 0);
          if (testing::Test::HasFatalFailure()) return;
        }
  }
}

TYPED_TEST(ComplexGemm, FactorsOfTwoPartsAndEveryKindOfData) {
  const TypeParam infinity = std::numeric_limits<TypeParam>::infinity(),
                  least = std::numeric_limits<TypeParam>::denorm_min(), most = std::numeric_limits<TypeParam>::max(),
                  nan = std::numeric_limits<TypeParam>::quiet_NaN();
  for (const std::string& mode : complex_modes) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (const Kind& kind : complex_kinds)
      for (int factors = 0; factors < 7; ++factors) {
        auto call = this->packed_call(1 + below(this->rng, 40), 1 + below(this->rng, 40), 1 + below(this->rng, 130),
                                      ACCUBLAS_COL_MAJOR, transpositions[below(this->rng, 3)],
                                      transpositions[below(this->rng, 3)], 0);
        pick_factors(this->rng, call);
        if (factors == 1) call.alpha[0] = call.alpha[1] = 1;
        if (factors == 2) call.alpha[0] = 0, call.alpha[1] = 1, call.beta[0] = call.beta[1] = 0;
        if (factors == 3) call.alpha[0] = least, call.alpha[1] = most, call.beta[1] = least;
        if (factors == 4) call.alpha[1] = infinity;
        if (factors == 5) call.beta[0] = below(this->rng, 2) ? nan : -infinity;
        if (factors == 6) call.alpha[0] = nan, call.alpha[1] = most;
        this->fill(call, kind);
        this->expect_same(call, mode + " " + kind.name());
        if (testing::Test::HasFatalFailure()) return;
      }
  }
}

/// Rows that have a rung of the certificate for one component of S alone, and lines of real or imaginary numbers.
TYPED_TEST(ComplexGemm, FactorsOfTwoPartsAndOneComponent) {
  using T = TypeParam;
  for (const std::string& mode : complex_modes) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (int form = 0; form < 6; ++form) {
      auto call = this->packed_call(33, 31, 64, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 0);
      pick_factors(this->rng, call);
      if (form % 2 == 0) call.alpha[0] = T(0.9), call.alpha[1] = T(-1.1);
      this->fill(call, {Data::phi, 2});
      for (Index t = 0; t < 64; ++t)
        for (Index i = 0; i < 33; ++i) {
          T* const x = &call.a[static_cast<std::size_t>(2 * call.at_a.at(i, t))];
          if (i % 3 == 0) x[form / 2 % 2] = form < 2 ? T(0) : std::ldexp(x[form / 2 % 2], -70);
          if (i == 5 && t == 3) x[form % 2] = std::numeric_limits<T>::infinity();
        }
      for (Index t = 0; t < 64; ++t)
        for (Index j = 0; j < 31; ++j) {
          T* const x = &call.b[static_cast<std::size_t>(2 * call.at_b.at(t, j))];
          if (j % 4 == 0) x[form / 3] = form < 2 ? T(0) : std::ldexp(x[form / 3], -60);
        }
      this->expect_same(call, mode + " form " + std::to_string(form));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(ComplexGemm, FactorsOfTwoPartsWithStridesAndSmallWorkspace) {
  for (const std::string& mode : complex_modes) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (int number = 0; number < scaled(6); ++number) {
      auto call = this->strided_call(mode);
      pick_factors(this->rng, call);
      this->fill(call, {Data::phi, 1});
      this->expect_same(call, mode, number == 0);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  ASSERT_EQ(accublas_set_workspace_mib(this->gpu, 16), ACCUBLAS_SUCCESS);
  for (const char* mode : {"cr", "dp:repro", "dot2", "slices:2"}) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    auto call = this->packed_call(330, 310, 150, ACCUBLAS_COL_MAJOR, ACCUBLAS_CONJ_TRANS, ACCUBLAS_TRANS, 0);
    call.alpha[1] = TypeParam(0.3), call.beta[1] = TypeParam(-2);
    this->fill(call, {Data::phi, 2});
    this->expect_same(call, std::string(mode) + " 16 MiB");
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Within dp's bound, by cuBLAS and by residues; fp16 and fp64, where they are asked for, refuse with C as it was.
TYPED_TEST(ComplexGemm, FactorsOfTwoPartsByEngine) {
  using T = TypeParam;
  for (const char* engine : {"auto", "int8"}) {
    auto call = this->packed_call(130, 90, 70, ACCUBLAS_COL_MAJOR, ACCUBLAS_CONJ_TRANS, ACCUBLAS_NO_TRANS, 1);
    call.alpha[1] = T(0.5), call.beta[0] = T(-0.5), call.beta[1] = T(2);
    this->fill(call, {Data::phi, 0});
    this->cpu.set("cr");
    this->gpu.set("dp", engine);
    std::vector<T> want = call.c;
    ASSERT_EQ(call.run(this->cpu, call.a.data(), call.b.data(), want.data()), ACCUBLAS_SUCCESS);
    const DeviceArray<T> a(call.a), b(call.b), c(call.c);
    ASSERT_EQ(call.run(this->gpu, a.data(), b.data(), c.data()), ACCUBLAS_SUCCESS) << this->gpu.error();
    ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
    const std::vector<T> got = c.values();
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (std::isnan(want[i])) continue;
      ASSERT_LE(std::fabs(static_cast<double>(got[i]) - static_cast<double>(want[i])),
                150.0 * std::numeric_limits<T>::epsilon() * 80)
          << engine;
    }
  }
  for (const char* engine : {"fp16", "fp64"}) {
    this->gpu.set("cr", engine);
    auto call = this->packed_call(5, 4, 3, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 0);
    call.alpha[1] = T(0.5);
    this->fill(call, {Data::phi, 1});
    const DeviceArray<T> a(call.a), b(call.b), c(std::vector<T>(call.c.size(), T(3)));
    EXPECT_EQ(call.run(this->gpu, a.data(), b.data(), c.data()), ACCUBLAS_ERROR_UNAVAILABLE);
    EXPECT_NE(std::string(this->gpu.error()).find("alpha"), std::string::npos);
    EXPECT_EQ(c.values(), std::vector<T>(call.c.size(), T(3)));
  }
}

/// alpha zero in device memory: what cuBLAS reads of A and B then does not reach C.
TYPED_TEST(ComplexGemm, ZeroOnTheDeviceByCublas) {
  using T = TypeParam;
  auto call = this->packed_call(700, 610, 20, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_CONJ_TRANS, 0);
  call.beta[0] = T(0.5), call.beta[1] = T(-2);
  this->fill(call, {Data::many_special, 1});
  this->cpu.set("cr");
  std::vector<T> want = call.c;
  call.alpha[0] = call.alpha[1] = 0;
  ASSERT_EQ(call.run(this->cpu, call.a.data(), call.b.data(), want.data()), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_set_workspace_mib(this->gpu, 16), ACCUBLAS_SUCCESS);
  const DeviceArray<T> a(call.a), b(call.b), c(call.c), scalars(std::vector<T>{0, 0, call.beta[0], call.beta[1]});
  ASSERT_EQ(accublas_set_pointer_mode(this->gpu, ACCUBLAS_POINTER_DEVICE), ACCUBLAS_SUCCESS);
  for (const char* mode : {"dp", "native"}) {
    this->gpu.set(mode);
    const DeviceArray<T> result(call.c);
    const auto routine = sizeof(T) == 8 ? accublas_zgemm : accublas_cgemm;
    ASSERT_EQ(routine(this->gpu, call.layout, call.transa, call.transb, call.m, call.n, call.k, scalars.data(),
                      a.data(), call.m, b.data(), call.n, scalars.data() + 2, result.data(), call.m),
              ACCUBLAS_SUCCESS)
        << this->gpu.error();
    ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
    EXPECT_EQ(result.values(), want) << mode;
  }
}

/// alpha and beta in device memory, changed between the replays of a graph.
TYPED_TEST(ComplexGemm, FactorsOnTheDevice) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity();
  const std::vector<std::vector<T>> factors = {
      {1, 0, 0, 0}, {T(0.3), T(-2), T(0.7), 1}, {0, 1, 1, 0},           {0, 0, T(0.5), T(0.5)},
      {0, 0, 1, 0}, {1, infinity, 0, 2},        {T(-0.7), 0, T(1.3), 0}};
  for (const std::string& mode : complex_modes) {
    this->cpu.set(mode);
    auto call = this->packed_call(45, 37, 52, ACCUBLAS_COL_MAJOR, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS, 1);
    call.beta[0] = 1;
    this->fill(call, {Data::phi, 1});
    const DeviceArray<T> a(call.a), b(call.b), c(call.c), c0(call.c), scalars(factors[0]);
    Context gpu(ACCUBLAS_BACKEND_CUDA);
    gpu.set(mode);
    ASSERT_EQ(accublas_set_pointer_mode(gpu, ACCUBLAS_POINTER_DEVICE), ACCUBLAS_SUCCESS);
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(accublas_set_stream(gpu, stream), ACCUBLAS_SUCCESS);
    const auto run = [&] {
      const auto routine = sizeof(T) == 8 ? accublas_zgemm : accublas_cgemm;
      return routine(gpu, call.layout, call.transa, call.transb, call.m, call.n, call.k, scalars.data(), a.data(),
                     std::max(call.at_a.row, call.at_a.col), b.data(), std::max(call.at_b.row, call.at_b.col),
                     scalars.data() + 2, c.data(), std::max(call.at_c.row, call.at_c.col));
    };
    ASSERT_EQ(run(), ACCUBLAS_SUCCESS) << mode << " " << gpu.error();
    ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    ASSERT_EQ(run(), ACCUBLAS_SUCCESS) << mode << " " << gpu.error();
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
    for (const std::vector<T>& f : factors) {
      ASSERT_EQ(cudaMemcpy(scalars.data(), f.data(), 4 * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
      ASSERT_EQ(cudaMemcpy(c.data(), c0.data(), call.c.size() * sizeof(T), cudaMemcpyDeviceToDevice), cudaSuccess);
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      ASSERT_EQ(cudaGraphLaunch(replay, stream), cudaSuccess);
      ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      std::copy_n(f.data(), 2, call.alpha);
      std::copy_n(f.data() + 2, 2, call.beta);
      std::vector<T> want = call.c;
      ASSERT_EQ(call.run(this->cpu, call.a.data(), call.b.data(), want.data()), ACCUBLAS_SUCCESS) << this->cpu.error();
      ASSERT_EQ(std::memcmp(c.values().data(), want.data(), want.size() * sizeof(T)), 0)
          << mode << " " << call.describe();
    }
    cudaGraphExecDestroy(replay);
    cudaGraphDestroy(graph);
    ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS);
    ASSERT_EQ(accublas_set_stream(gpu, nullptr), ACCUBLAS_SUCCESS);
    cudaStreamDestroy(stream);
  }
}

}  // namespace
}  // namespace accublas::test
