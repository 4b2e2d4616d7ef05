// GEMM on streams: calls with device operands wait for nothing, contexts do not disturb each other, and CUDA graphs
// replay calls on whatever data lies in the operands then.
#include "test/gpu/gemm_problem.hpp"
#include "test/gpu/stream.hpp"

namespace accublas::test {
namespace {

template <class T>
class GemmStream : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};

  std::vector<T> expected(const Problem<T>& p, const std::string& mode) {
    cpu.set(mode);
    std::vector<T> out;
    EXPECT_EQ(on_host(cpu, p, out), ACCUBLAS_SUCCESS) << cpu.error();
    return out;
  }
};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(GemmStream, Types);

/// Kinds with every way through the engines: nothing rejected, much rejected or undecided, special values.
const std::vector<Kind> ways = {
    {Data::phi, 0.5}, {Data::phi, 10}, {Data::ties}, {Data::few_special}, {Data::whole_range}};

TYPED_TEST(GemmStream, CallsReturnBeforeTheirStreamRuns) {
  using T = TypeParam;
  Random rng(31);
  const Stream stream;
  ASSERT_EQ(accublas_set_stream(this->gpu, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
  void* set = nullptr;
  ASSERT_EQ(accublas_get_stream(this->gpu, &set), ACCUBLAS_SUCCESS);
  EXPECT_EQ(set, static_cast<cudaStream_t>(stream));
  for (const char* mode : {"cr", "dp:repro", "fixed:53", "dot2", "dp"}) {
    this->gpu.set(mode);
    for (const bool device_scalars : {false, true}) {
      const Index k = inner_dimension(mode, 1, 400);
      const auto first = plain_problem<T>(rng, {Data::phi, 1}, 300, 200, k);
      auto second = plain_problem<T>(rng, {Data::phi, 4}, 300, 200, k);
      second.beta = T(0.5);
      const OnDevice<T> operands(first);
      ASSERT_EQ(accublas_set_pointer_mode(this->gpu, device_scalars ? ACCUBLAS_POINTER_DEVICE : ACCUBLAS_POINTER_HOST),
                ACCUBLAS_SUCCESS);
      // The first call may make what is made once.
      ASSERT_EQ(operands.run(this->gpu, first, device_scalars), ACCUBLAS_SUCCESS) << mode << ": " << this->gpu.error();
      ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
      OnDevice<T> next(second);

      ASSERT_NO_FATAL_FAILURE(
          expect_no_wait(this->gpu, stream, mode, [&] { return next.run(this->gpu, second, device_scalars); }));
      if (std::string(mode) != "dp") {
        EXPECT_EQ(mismatch(second, this->expected(second, mode), next.c.values()), "") << mode;
      }
    }
  }
}

// Host scalars are read before the call returns.
TYPED_TEST(GemmStream, HostScalarsMayChangeAfterTheCall) {
  using T = TypeParam;
  Random rng(32);
  const Stream stream;
  ASSERT_EQ(accublas_set_stream(this->gpu, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
  auto p = plain_problem<T>(rng, {Data::phi, 1}, 100, 90, 80);
  p.alpha = T(1.3), p.beta = T(-0.7);
  const std::vector<T> want = this->expected(p, "cr");
  this->gpu.set("cr");
  const OnDevice<T> warm(p), operands(p);
  ASSERT_EQ(warm.run(this->gpu, p), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
  Blocker blocker(stream);
  const accublas_status status = operands.run(this->gpu, p);
  p.alpha = p.beta = std::numeric_limits<T>::quiet_NaN();
  blocker.release();
  ASSERT_EQ(status, ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
  EXPECT_EQ(mismatch(p, want, operands.c.values()), "");
}

// Calls follow each other on a stream: C of one is A of the next.
TYPED_TEST(GemmStream, CallsAreOrdered) {
  using T = TypeParam;
  Random rng(33);
  const Stream stream;
  ASSERT_EQ(accublas_set_stream(this->gpu, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
  const Index n = 150;
  auto p = plain_problem<T>(rng, {Data::phi, 1}, n, n, n);
  for (const char* mode : {"cr", "dp:repro", "fixed:53"}) {
    this->gpu.set(mode);
    this->cpu.set(mode);
    const OnDevice<T> operands(p);
    DeviceArray<T> other(p.c);
    std::vector<T> x = p.a, y = p.c;
    const T* from = operands.a.data();
    T *to = operands.c.data(), *spare = other.data();
    const std::vector<T> a = p.a;
    for (int step = 0; step < 5; ++step) {
      ASSERT_EQ(call<T>(this->gpu, p, from, operands.b.data(), to, &p.alpha, &p.beta), ACCUBLAS_SUCCESS);
      from = to;
      std::swap(to, spare);
      ASSERT_EQ(call<T>(this->cpu, p, x.data(), p.b.data(), y.data(), &p.alpha, &p.beta), ACCUBLAS_SUCCESS);
      std::swap(x, y);
    }
    ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
    std::vector<T> got(x.size());
    require(cudaMemcpy(got.data(), from, got.size() * sizeof(T), cudaMemcpyDeviceToHost), "copy");
    EXPECT_EQ(mismatch(p, x, got), "") << mode;
  }
}

TYPED_TEST(GemmStream, TwoContextsAndTwoThreads) {
  using T = TypeParam;
  Random rng(34);
  struct Job {
    Problem<T> problem;
    std::string mode;
    std::vector<T> want;
  };
  std::vector<Job> jobs;
  for (int number = 0; number < 12; ++number) {
    const char* const modes[] = {"cr", "dp:repro", "fixed:53"};
    Job job{plain_problem<T>(rng, ways[static_cast<std::size_t>(number) % ways.size()], 60 + below(rng, 200),
                             60 + below(rng, 200), inner_dimension(modes[number % 3], number, 50 + below(rng, 300))),
            modes[number % 3],
            {}};
    job.want = this->expected(job.problem, job.mode);
    jobs.push_back(std::move(job));
  }
  // One thread, two contexts in turn, nothing waited for.
  {
    const Stream one, two;
    Context first(ACCUBLAS_BACKEND_CUDA), second(ACCUBLAS_BACKEND_CUDA);
    ASSERT_EQ(accublas_set_stream(first, static_cast<cudaStream_t>(one)), ACCUBLAS_SUCCESS);
    ASSERT_EQ(accublas_set_stream(second, static_cast<cudaStream_t>(two)), ACCUBLAS_SUCCESS);
    std::vector<std::unique_ptr<OnDevice<T>>> operands;
    for (const Job& job : jobs) operands.push_back(std::make_unique<OnDevice<T>>(job.problem));
    for (std::size_t q = 0; q < jobs.size(); ++q) {
      Context& context = q % 2 ? first : second;
      context.set(jobs[q].mode);
      ASSERT_EQ(operands[q]->run(context, jobs[q].problem), ACCUBLAS_SUCCESS) << context.error();
    }
    ASSERT_EQ(accublas_sync(first), ACCUBLAS_SUCCESS);
    ASSERT_EQ(accublas_sync(second), ACCUBLAS_SUCCESS);
    for (std::size_t q = 0; q < jobs.size(); ++q)
      EXPECT_EQ(mismatch(jobs[q].problem, jobs[q].want, operands[q]->c.values()), "") << jobs[q].mode << ", in turn";
  }
  // Threads of their own.
  std::vector<std::string> failures(3);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < failures.size(); ++t)
    threads.emplace_back([&, t] {
      const Stream stream;
      Context context(ACCUBLAS_BACKEND_CUDA);
      accublas_set_stream(context, static_cast<cudaStream_t>(stream));
      for (std::size_t round = 0; round < 3 * jobs.size(); ++round) {
        const Job& job = jobs[(round * (t + 1) + 5 * t) % jobs.size()];
        accublas_set_mode_name(context, job.mode.c_str());
        const OnDevice<T> operands(job.problem);
        if (operands.run(context, job.problem) || accublas_sync(context)) failures[t] = context.error();
        const std::string text = mismatch(job.problem, job.want, operands.c.values());
        if (!text.empty()) failures[t] = job.mode + " in a thread: " + text;
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : failures) EXPECT_EQ(text, "");
}

// A context can be destroyed while its work runs: destruction waits.
TYPED_TEST(GemmStream, DestroyedWhileRunning) {
  using T = TypeParam;
  Random rng(35);
  const auto p = plain_problem<T>(rng, {Data::phi, 4}, 500, 400, 600);
  const std::vector<T> want = this->expected(p, "cr");
  const Stream stream;
  for (int round = 0; round < 3; ++round) {
    const OnDevice<T> operands(p);
    {
      Context context(ACCUBLAS_BACKEND_CUDA);
      context.set("cr");
      ASSERT_EQ(accublas_set_stream(context, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
      ASSERT_EQ(operands.run(context, p), ACCUBLAS_SUCCESS);
    }
    EXPECT_EQ(mismatch(p, want, operands.c.values()), "");
  }
}

// The stream goes first, and the context works on without it.
TYPED_TEST(GemmStream, ContextOutlivesItsStream) {
  using T = TypeParam;
  Random rng(37);
  const auto p = plain_problem<T>(rng, {Data::phi, 1}, 200, 150, 300);
  this->gpu.set("cr");
  for (int round = 0; round < 3; ++round) {
    const OnDevice<T> operands(p);
    {
      const Stream stream;
      ASSERT_EQ(accublas_set_stream(this->gpu, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
      ASSERT_EQ(operands.run(this->gpu, p), ACCUBLAS_SUCCESS) << this->gpu.error();
      stream.wait();
    }
    ASSERT_EQ(accublas_set_stream(this->gpu, nullptr), ACCUBLAS_SUCCESS) << this->gpu.error();
    EXPECT_EQ(mismatch(p, this->expected(p, "cr"), operands.c.values()), "");
  }
}

enum class Memory { context_after_a_call, context_at_once, user };

template <class T>
void capture_and_replay(const std::string& mode, Memory memory, bool device_scalars) {
  Random rng(36);
  const std::string what = mode +
                           (memory == Memory::user              ? ", user's workspace"
                            : memory == Memory::context_at_once ? ", first call"
                                                                : "") +
                           (device_scalars ? ", scalars on the device" : "");
  const Index m = 260, n = 190, k = inner_dimension(mode, 1, 300);
  Context cpu(ACCUBLAS_BACKEND_CPU), gpu(ACCUBLAS_BACKEND_CUDA);
  cpu.set(mode == "dp" ? "cr" : mode);
  gpu.set(mode);
  const Stream stream;
  ASSERT_EQ(accublas_set_stream(gpu, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
  const DeviceArray<unsigned char> workspace(std::size_t{64} << 20);
  if (memory == Memory::user) {
    ASSERT_EQ(accublas_set_workspace(gpu, workspace.data(), workspace.size()), ACCUBLAS_SUCCESS);
  }
  auto p = plain_problem<T>(rng, {Data::phi, 0.5}, m, n, k);
  p.alpha = T(1.25), p.beta = T(0.5);
  OnDevice<T> operands(p);
  if (memory == Memory::context_after_a_call) {
    ASSERT_EQ(operands.run(gpu, p), ACCUBLAS_SUCCESS) << what << ": " << gpu.error();
    ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS);
  }
  ASSERT_EQ(accublas_set_pointer_mode(gpu, device_scalars ? ACCUBLAS_POINTER_DEVICE : ACCUBLAS_POINTER_HOST),
            ACCUBLAS_SUCCESS);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin capture");
  const accublas_status status = operands.run(gpu, p, device_scalars);
  const std::string message = gpu.error();
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  ASSERT_EQ(status, ACCUBLAS_SUCCESS) << what << ": " << message;
  ASSERT_EQ(ended, cudaSuccess) << what << ": " << cudaGetErrorString(ended);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess) << what;
  for (const Kind& kind :
       {Kind{Data::phi, 0.5}, Kind{Data::phi, 10}, Kind{Data::ties}, Kind{Data::few_special}, Kind{Data::many_special},
        Kind{Data::whole_range}, Kind{Data::zero_lines}, Kind{Data::phi, 1}}) {
    const auto old = std::pair(p.alpha, p.beta);
    p = plain_problem<T>(rng, kind, m, n, k);
    std::tie(p.alpha, p.beta) = old;
    if (device_scalars) p.alpha = T(below(rng, 3) ? -1.3 : 0), p.beta = T(below(rng, 2));
    operands.a = p.a, operands.b = p.b, operands.c = p.c;
    operands.scalars = std::vector<T>{p.alpha, p.beta};
    for (int round = 0; round < 2; ++round) {  // the second on the first one's C
      std::vector<T> want;
      ASSERT_EQ(on_host(cpu, p, want), ACCUBLAS_SUCCESS) << cpu.error();
      ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess) << what;
      stream.wait();
      const std::vector<T> got = operands.c.values();
      if (mode == "dp") break;  // no bits are promised: that it replays is all
      ASSERT_EQ(mismatch(p, want, got), "") << what << ", replay " << round << " on " << kind.name();
      p.c = want;
    }
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

TYPED_TEST(GemmStream, GraphOfCr) {
  capture_and_replay<TypeParam>("cr", Memory::context_after_a_call, false);
  capture_and_replay<TypeParam>("cr", Memory::context_after_a_call, true);
}
TYPED_TEST(GemmStream, GraphOfReproducibleDp) {
  capture_and_replay<TypeParam>("dp:repro", Memory::context_after_a_call, false);
  capture_and_replay<TypeParam>("dp:repro", Memory::context_after_a_call, true);
}
TYPED_TEST(GemmStream, GraphOfDp) { capture_and_replay<TypeParam>("dp", Memory::context_after_a_call, false); }
TYPED_TEST(GemmStream, GraphOfFixed) { capture_and_replay<TypeParam>("fixed:60", Memory::context_after_a_call, false); }
TYPED_TEST(GemmStream, GraphInTheUsersWorkspace) {
  capture_and_replay<TypeParam>("cr", Memory::user, false);
  capture_and_replay<TypeParam>("dp:repro", Memory::user, true);
}
TYPED_TEST(GemmStream, GraphOfAFirstCall) { capture_and_replay<TypeParam>("cr", Memory::context_at_once, false); }

}  // namespace
}  // namespace accublas::test
