// One context on several streams, and contexts beside other work of the process: a busy legacy stream, streams that are
// gone, graphs that other threads capture, contexts that come and go under load.
#include "test/gpu/streams_test.hpp"

#include <thread>

#include "test/gpu/gemm_problem.hpp"
#include "test/gpu/stream.hpp"

namespace accublas::test {
namespace {

// The memory that a new context zeroes must be zero before its first call runs.
TEST_F(Streams, FirstCallBesideABusyLegacyStream) {
  const Refused refused(rng);
  const Job job = this->job("cr", {Data::phi, 1}, 500, 400, 300);
  const OnDevice<T> warm(job.problem), operands(job.problem);
  const Stream stream;
  {  // what is made and loaded once waits
    Context context(ACCUBLAS_BACKEND_CUDA);
    ASSERT_EQ(put(context, job, warm), ACCUBLAS_SUCCESS) << context.error();
    ASSERT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS) << context.error();
    ASSERT_EQ(refused.put(context), ACCUBLAS_SUCCESS) << context.error();
    ASSERT_EQ(accublas_sync(context), ACCUBLAS_ERROR_ACCURACY);
  }
  Blocker legacy(nullptr);
  Context first(ACCUBLAS_BACKEND_CUDA), second(ACCUBLAS_BACKEND_CUDA);
  for (Context* context : {&first, &second})
    ASSERT_EQ(accublas_set_stream(*context, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
  ASSERT_EQ(refused.put(first), ACCUBLAS_SUCCESS) << first.error();
  ASSERT_EQ(put(second, job, operands), ACCUBLAS_SUCCESS) << second.error();
  stream.wait();
  EXPECT_EQ(accublas_sync(first), ACCUBLAS_ERROR_ACCURACY);
  EXPECT_EQ(accublas_sync(second), ACCUBLAS_SUCCESS) << second.error();
  EXPECT_FALSE(legacy.gave_up()) << "the contexts waited for the legacy stream";
  legacy.release();
  EXPECT_EQ(wrong(job, operands), "");
  EXPECT_EQ(accublas_sync(first), ACCUBLAS_SUCCESS) << "a failure is told once";
}

// Calls on two streams share the context's memory: the second one waits on the device, not on the host.
TEST_F(Streams, SwitchedBetweenTwoCalls) {
  const std::vector<Job> all = jobs();
  Context context(ACCUBLAS_BACKEND_CUDA);
  const Stream one, two;
  for (const Job& job : all) {  // what is made and loaded once waits
    const OnDevice<T> operands(job.problem);
    ASSERT_EQ(put(context, job, operands), ACCUBLAS_SUCCESS) << context.error();
    ASSERT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS) << context.error();
  }
  for (int round = 0; round < scaled(60); ++round) {
    const Job &first = all[static_cast<std::size_t>(below(rng, static_cast<Index>(all.size())))],
              &second = all[static_cast<std::size_t>(below(rng, static_cast<Index>(all.size())))];
    const OnDevice<T> at_first(first.problem), at_second(second.problem);
    {
      Blocker blocker(one);
      ASSERT_EQ(accublas_set_stream(context, static_cast<cudaStream_t>(one)), ACCUBLAS_SUCCESS);
      ASSERT_EQ(put(context, first, at_first), ACCUBLAS_SUCCESS) << context.error();
      ASSERT_EQ(accublas_set_stream(context, static_cast<cudaStream_t>(two)), ACCUBLAS_SUCCESS);
      ASSERT_EQ(put(context, second, at_second), ACCUBLAS_SUCCESS) << context.error();
      EXPECT_FALSE(blocker.gave_up()) << "the host waited";
    }
    ASSERT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS) << context.error();
    ASSERT_EQ(wrong(first, at_first), "") << first.mode << ", then " << second.mode;
    ASSERT_EQ(wrong(second, at_second), "") << second.mode << " after " << first.mode;
  }
}

TEST_F(Streams, SyncWaitsForCallsOnAStreamBefore) {
  const Job job = this->job("cr", {Data::phi, 1}, 500, 400, 300);
  const OnDevice<T> operands(job.problem);
  const Refused refused(rng);
  Context context(ACCUBLAS_BACKEND_CUDA), other(ACCUBLAS_BACKEND_CUDA);
  const Stream one, two;
  std::thread release;
  {
    Blocker blocker(one);
    for (Context* each : {&context, &other})
      ASSERT_EQ(accublas_set_stream(*each, static_cast<cudaStream_t>(one)), ACCUBLAS_SUCCESS);
    ASSERT_EQ(put(context, job, operands), ACCUBLAS_SUCCESS) << context.error();
    ASSERT_EQ(refused.put(other), ACCUBLAS_SUCCESS) << other.error();
    for (Context* each : {&context, &other})
      ASSERT_EQ(accublas_set_stream(*each, static_cast<cudaStream_t>(two)), ACCUBLAS_SUCCESS);
    release = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      blocker.release();
    });
    EXPECT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS) << context.error();
    std::vector<T> got(job.want.size());
    const Stream reader;
    require(cudaMemcpyAsync(got.data(), operands.c.data(), got.size() * sizeof(T), cudaMemcpyDeviceToHost, reader),
            "copy");
    reader.wait();
    EXPECT_EQ(mismatch(job.problem, job.want, got), "");
    EXPECT_EQ(accublas_sync(other), ACCUBLAS_ERROR_ACCURACY);
    release.join();
  }
}

// A stream may be destroyed while its work runs; the next one may have its handle.
TEST_F(Streams, StreamsThatAreGone) {
  const std::vector<Job> all = jobs();
  Context context(ACCUBLAS_BACKEND_CUDA);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::unique_ptr<OnDevice<T>>> operands;
    for (const Job& job : all) operands.push_back(std::make_unique<OnDevice<T>>(job.problem));
    for (std::size_t q = 0; q < all.size(); ++q) {
      const Stream stream;
      ASSERT_EQ(accublas_set_stream(context, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS) << context.error();
      ASSERT_EQ(put(context, all[q], *operands[q]), ACCUBLAS_SUCCESS) << context.error();
    }
    ASSERT_EQ(accublas_set_stream(context, round % 2 ? cudaStreamPerThread : nullptr), ACCUBLAS_SUCCESS);
    ASSERT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS) << context.error();
    for (std::size_t q = 0; q < all.size(); ++q) ASSERT_EQ(wrong(all[q], *operands[q]), "") << all[q].mode;
  }
}

TEST_F(Streams, ReportOfACallOnAStreamBefore) {
  const Job job = this->job("cr", {Data::ties}, 300, 300, 300);
  const OnDevice<T> operands(job.problem);
  Context context(ACCUBLAS_BACKEND_CUDA);
  const Stream two;
  {
    const Stream one;
    ASSERT_EQ(accublas_set_stream(context, static_cast<cudaStream_t>(one)), ACCUBLAS_SUCCESS);
    ASSERT_EQ(put(context, job, operands), ACCUBLAS_SUCCESS) << context.error();
    ASSERT_EQ(accublas_set_stream(context, static_cast<cudaStream_t>(two)), ACCUBLAS_SUCCESS);
  }
  EXPECT_GT(context.report().parts, 0);
}

// A graph that was captured with the user's workspace runs while the context serves host operands.
TEST_F(Streams, HostOperandsBesideAReplayInTheUsersWorkspace) {
  const Job first = this->job("cr", {Data::phi, 4}, 900, 800, 700),
            second = this->job("cr", {Data::ties}, 600, 500, 400);
  const OnDevice<T> operands(first.problem);
  const DeviceArray<unsigned char> workspace(std::size_t{64} << 20);
  Context context(ACCUBLAS_BACKEND_CUDA);
  context.set("cr");
  const Stream stream;
  ASSERT_EQ(accublas_set_stream(context, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_set_workspace(context, workspace.data(), workspace.size()), ACCUBLAS_SUCCESS);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin capture");
  const accublas_status captured = put(context, first, operands);
  require(cudaStreamEndCapture(stream, &graph), "end capture");
  ASSERT_EQ(captured, ACCUBLAS_SUCCESS) << context.error();
  require(cudaGraphInstantiate(&executable, graph, 0), "graph");
  const Problem<T>& p = second.problem;
  for (int round = 0; round < 20; ++round) {
    for (int replays = 0; replays < 3; ++replays) require(cudaGraphLaunch(executable, stream), "graph");
    std::vector<T> c = p.c;
    ASSERT_EQ(call<T>(context, p, p.a.data(), p.b.data(), c.data(), &p.alpha, &p.beta), ACCUBLAS_SUCCESS)
        << context.error();
    ASSERT_EQ(mismatch(p, second.want, c), "");
    ASSERT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS);
    ASSERT_EQ(wrong(first, operands), "");
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

// Threads make contexts, call, and destroy them with the work under way, on every kind of stream, the legacy one busy.
TEST_F(Streams, ContextsComeAndGoUnderLoad) {
  const std::vector<Job> all = jobs();
  std::vector<std::string> failures(6);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < failures.size(); ++t)
    threads.emplace_back([&, t] {
      Random own(100 + t);
      for (int round = 0; round < scaled(40) && failures[t].empty(); ++round) {
        const Stream stream;
        accublas_context* context = nullptr;
        accublas_status status = accublas_create(&context);
        std::vector<std::pair<const Job*, std::unique_ptr<OnDevice<T>>>> put_there;
        for (Index calls = 1 + below(own, 3); calls > 0 && status == ACCUBLAS_SUCCESS; --calls) {
          const Job& job = all[static_cast<std::size_t>(below(own, static_cast<Index>(all.size())))];
          put_there.emplace_back(&job, std::make_unique<OnDevice<T>>(job.problem));
          const Index kind = below(own, 4);
          status = accublas_set_stream(context, kind == 0   ? nullptr
                                                : kind == 1 ? cudaStreamPerThread
                                                            : static_cast<cudaStream_t>(stream));
          if (status == ACCUBLAS_SUCCESS) status = put(context, job, *put_there.back().second);
        }
        if (status != ACCUBLAS_SUCCESS) failures[t] = accublas_last_error(context);
        const accublas_status ended = accublas_destroy(context);
        if (ended != ACCUBLAS_SUCCESS) failures[t] = "destroy: " + std::to_string(ended);
        for (const auto& [job, operands] : put_there) {
          const std::string text = wrong(*job, *operands);
          if (!text.empty()) failures[t] = job->mode + ": " + text;
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : failures) EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace accublas::test
