// Calls of every kind in the multiword modes on the GPU: batches by strides and by pointers, host operands, streams,
// CUDA graphs, the user's workspace, special values. What comes back is judged element by element
// (multiword_bound.hpp).
#include "test/gpu/gemm_batch.hpp"
#include "test/gpu/multiword_bound.hpp"
#include "test/gpu/stream.hpp"

namespace accublas::test {
namespace {

template <class T>
class MultiwordCall : public MultiwordTest<T> {
 protected:
  const std::vector<Kind> kinds{{Data::phi, 0},      {Data::phi, 2},       {Data::graded},
                                {Data::few_special}, {Data::many_special}, {Data::zero_lines}};

  /// The matrices of a batch, and that nothing else was written.
  std::string wrong(const Batch<T>& x, const WordMode& mode, const std::vector<T>& got) {
    std::vector<T> rest = got;
    for (std::size_t q = 0; q < x.problems.size(); ++q) {
      const Problem<T>& p = x.problems[q];
      const auto first = static_cast<std::ptrdiff_t>(q) * x.stride_c;
      const std::vector<T> one(got.begin() + first, got.begin() + first + static_cast<std::ptrdiff_t>(p.c.size()));
      const std::string text = beyond_word_bound(p, mode, this->exact(p), one);
      if (!text.empty()) return "matrix " + std::to_string(q) + ": " + text;
      std::copy(p.c.begin(), p.c.end(), rest.begin() + first);
    }
    return difference(x, x.c, rest);
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(MultiwordCall, Types);

TYPED_TEST(MultiwordCall, Batches) {
  using T = TypeParam;
  int round = 0;
  for (const WordMode& mode : word_modes<T>())
    for (int trans = 0; trans < 4; ++trans)
      for (const bool by_pointers : {false, true}) {
        ++round;
        this->gpu.set(mode.word);
        Batch<T> x(this->rng, this->kinds, 6, 1 + below(this->rng, 150), 1 + below(this->rng, 150),
                   1 + below(this->rng, 200), round % 3 ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR, trans, round % 3);
        if (round % 3) x.scalars(T(-1.25), T(0.5));
        const BatchOnDevice<T> operands(x);
        ASSERT_EQ(operands.run(this->gpu, x, by_pointers, round % 2), ACCUBLAS_SUCCESS) << this->gpu.error();
        ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
        EXPECT_STREQ(this->gpu.report().engine, "multiword");
        ASSERT_EQ(this->wrong(x, mode, operands.c.values()), "") << (by_pointers ? "by pointers" : "by strides");
      }
}

/// Operands in host memory, at once and in pieces, as a small workspace makes them.
TYPED_TEST(MultiwordCall, HostOperands) {
  using T = TypeParam;
  for (const WordMode& mode : word_modes<T>()) {
    this->gpu.set(mode.word);
    for (const std::int64_t mebibytes : {0, 4})
      for (int number = 0; number < 4; ++number) {
        auto p =
            random_problem<T>(this->rng, this->kinds[static_cast<std::size_t>(number)], 100 + below(this->rng, 300),
                              100 + below(this->rng, 300), 100 + below(this->rng, 300));
        p.alpha = T(1.5), p.beta = T(number % 2);
        ASSERT_EQ(accublas_set_workspace_mib(this->gpu, mebibytes), ACCUBLAS_SUCCESS);
        std::vector<T> got;
        ASSERT_EQ(on_host(this->gpu, p, got), ACCUBLAS_SUCCESS) << this->gpu.error();
        EXPECT_STREQ(this->gpu.report().backend, "cuda");
        ASSERT_EQ(beyond_word_bound(p, mode, this->exact(p), got), "") << mebibytes << " MiB";
      }
  }
}

/// A call returns before its stream runs, and comes after what is on the stream; another stream waits for the memory.
TYPED_TEST(MultiwordCall, Streams) {
  using T = TypeParam;
  for (const WordMode& mode : word_modes<T>()) {
    const Stream one, two;
    this->gpu.set(mode.word);
    for (const bool device_scalars : {false, true}) {
      accublas_set_pointer_mode(this->gpu, device_scalars ? ACCUBLAS_POINTER_DEVICE : ACCUBLAS_POINTER_HOST);
      const auto first = plain_problem<T>(this->rng, {Data::phi, 1}, 300, 200, 400);
      auto second = plain_problem<T>(this->rng, {Data::few_special}, 300, 200, 400);
      second.beta = T(0.5);
      const OnDevice<T> warm(first), other(first), held(second);
      ASSERT_EQ(accublas_set_stream(this->gpu, static_cast<cudaStream_t>(one)), ACCUBLAS_SUCCESS);
      ASSERT_EQ(warm.run(this->gpu, first, device_scalars), ACCUBLAS_SUCCESS) << this->gpu.error();
      ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
      {
        Blocker blocker(one);
        ASSERT_EQ(held.run(this->gpu, second, device_scalars), ACCUBLAS_SUCCESS) << this->gpu.error();
        ASSERT_EQ(accublas_set_stream(this->gpu, static_cast<cudaStream_t>(two)), ACCUBLAS_SUCCESS);
        ASSERT_EQ(other.run(this->gpu, first, device_scalars), ACCUBLAS_SUCCESS) << this->gpu.error();
        EXPECT_FALSE(blocker.gave_up()) << mode.word << ": a call waited for its stream";
      }
      ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
      one.wait();
      EXPECT_EQ(beyond_word_bound(second, mode, this->exact(second), held.c.values()), "");
      EXPECT_EQ(beyond_word_bound(first, mode, this->exact(first), other.c.values()), "");
    }
    ASSERT_EQ(accublas_set_stream(this->gpu, nullptr), ACCUBLAS_SUCCESS);
  }
}

/// A graph replays a call on whatever data lies in the operands then, in the context's memory and in the user's.
TYPED_TEST(MultiwordCall, Graphs) {
  using T = TypeParam;
  const Index m = 260, n = 190, k = 300;
  const DeviceArray<unsigned char> workspace(std::size_t{64} << 20);
  for (const WordMode& mode : word_modes<T>())
    for (const bool users : {false, true}) {
      const Stream stream;
      Context context(ACCUBLAS_BACKEND_CUDA);
      context.set(mode.word);
      ASSERT_EQ(accublas_set_stream(context, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
      if (users) {
        ASSERT_EQ(accublas_set_workspace(context, workspace.data(), workspace.size()), ACCUBLAS_SUCCESS);
      }
      auto p = plain_problem<T>(this->rng, {Data::phi, 0.5}, m, n, k);
      OnDevice<T> operands(p);
      ASSERT_EQ(operands.run(context, p), ACCUBLAS_SUCCESS) << context.error();
      ASSERT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS);
      ASSERT_EQ(accublas_set_pointer_mode(context, ACCUBLAS_POINTER_DEVICE), ACCUBLAS_SUCCESS);
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t executable = nullptr;
      require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin capture");
      const accublas_status status = operands.run(context, p, true);
      const std::string message = context.error();
      ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
      ASSERT_EQ(status, ACCUBLAS_SUCCESS) << mode.word << ": " << message;
      ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
      for (const Kind& kind : this->kinds)
        for (const T alpha : {T(-1.3), T(0)}) {
          p = plain_problem<T>(this->rng, kind, m, n, k);
          p.alpha = alpha, p.beta = T(0.5);
          operands.a = p.a, operands.b = p.b, operands.c = p.c;
          operands.scalars = std::vector<T>{p.alpha, p.beta};
          ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess) << mode.word;
          stream.wait();
          ASSERT_EQ(beyond_word_bound(p, mode, this->exact(p), operands.c.values()), "") << (users ? "user's" : "own");
        }
      cudaGraphExecDestroy(executable);
      cudaGraphDestroy(graph);
    }
}

/// C that is not read, C, alpha and beta that are not finite, and operands that are not read where alpha is zero.
TYPED_TEST(MultiwordCall, SpecialScalars) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for (const WordMode& mode : word_modes<T>())
    for (const bool device : {false, true})
      for (const T alpha : {T(1), T(0), inf, nan})
        for (const T beta : {T(0), T(-1), inf, nan}) {
          auto p = plain_problem<T>(this->rng, {Data::integers}, 70, 133, 90);
          p.alpha = alpha, p.beta = beta;
          for (std::size_t q = 0; q < p.c.size(); q += 3) p.c[q] = q % 2 ? nan : -inf;
          if (alpha == 0) std::fill(p.a.begin(), p.a.end(), nan);
          std::vector<T> got;
          this->gpu.set(mode.word);
          ASSERT_EQ(on_device(this->gpu, p, got, device), ACCUBLAS_SUCCESS) << this->gpu.error();
          const std::vector<T> want = this->exact(p);
          for (std::size_t q = 0; q < want.size(); ++q) {
            // Sums of integers are exact in all modes, so that whatever they meet they meet alike.
            const bool same = std::isnan(want[q]) ? std::isnan(got[q]) : bits(want[q]) == bits(got[q]);
            ASSERT_TRUE(same) << mode.word << " alpha " << alpha << " beta " << beta << " element " << q << ": want "
                              << want[q] << ", got " << got[q];
          }
        }
}

}  // namespace
}  // namespace accublas::test
