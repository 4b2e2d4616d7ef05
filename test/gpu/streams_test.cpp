// One context on several streams, and contexts beside other work of the process: a busy legacy stream, streams that are
// gone, graphs that other threads capture, contexts that come and go under load.
#include <thread>

#include "test/gpu/gemm_problem.hpp"
#include "test/gpu/stream.hpp"

namespace accublas::test {
namespace {

class Streams : public testing::Test {
 protected:
  using T = double;
  Context cpu{ACCUBLAS_BACKEND_CPU};
  Random rng{61};

  struct Job {
    std::string mode;
    Problem<T> problem;
    std::vector<T> want;
  };
  Job job(const std::string& mode, const Kind& kind, Index m, Index n, Index k) {
    Job made{mode, plain_problem<T>(rng, kind, m, n, k), {}};
    cpu.set(mode);
    EXPECT_EQ(on_host(cpu, made.problem, made.want), ACCUBLAS_SUCCESS) << cpu.error();
    return made;
  }
  /// GEMM in every way through the engines, and GEMV.
  std::vector<Job> jobs() {
    std::vector<Job> all;
    for (const char* mode : {"cr", "dp:repro", "fixed:40", "dot2", "slices:3"})
      for (const Kind& kind : {Kind{Data::phi, 1}, Kind{Data::phi, 10}, Kind{Data::ties}})
        all.push_back(job(mode, kind, 200 + below(rng, 200), 200 + below(rng, 200), 200 + below(rng, 300)));
    for (const char* mode : {"cr", "fixed:40", "dot2"}) all.push_back(job(mode, {Data::phi, 1}, 700, 1, 3000));
    return all;
  }
  static accublas_status put(accublas_context* context, const Job& job, const OnDevice<T>& operands) {
    const accublas_status status = accublas_set_mode_name(context, job.mode.c_str());
    if (status != ACCUBLAS_SUCCESS) return status;
    const Problem<T>& p = job.problem;
    if (p.n == 1)
      return accublas_dgemv(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, p.m, p.k, &p.alpha, operands.a.data(),
                            p.lda(), operands.b.data(), 1, &p.beta, operands.c.data(), 1);
    return operands.run(context, p);
  }
  static std::string wrong(const Job& job, const OnDevice<T>& operands) {
    return mismatch(job.problem, job.want, operands.c.values());
  }
};

/// fixed:20 of data that need more bits, with a target: refused on the device.
struct Refused {
  Problem<double> problem;
  OnDevice<double> operands;
  explicit Refused(Random& rng) : problem(plain_problem<double>(rng, {Data::phi, 1}, 100, 90, 80)), operands(problem) {}
  accublas_status put(const Context& context) const {
    accublas_set_mode_name(context, "fixed:20");
    accublas_set_target(context, 1e-15);
    return operands.run(context, problem);
  }
};

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

/// Two streams in one capture, forked and joined, the context on one after the other.
TEST_F(Streams, TwoStreamsInOneCapture) {
  const std::vector<Job> all = jobs();
  Context context(ACCUBLAS_BACKEND_CUDA);
  const Stream one, two;
  cudaEvent_t forked = nullptr, joined = nullptr;
  require(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming), "event");
  require(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming), "event");
  for (int round = 0; round < 20; ++round) {
    const Job &first = all[static_cast<std::size_t>(below(rng, static_cast<Index>(all.size())))],
              &second = all[static_cast<std::size_t>(below(rng, static_cast<Index>(all.size())))];
    const OnDevice<T> at_first(first.problem), at_second(second.problem);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    require(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal), "begin capture");
    require(cudaEventRecord(forked, one), "fork");
    require(cudaStreamWaitEvent(two, forked, 0), "fork");
    accublas_set_stream(context, static_cast<cudaStream_t>(one));
    const accublas_status put_first = put(context, first, at_first);
    accublas_set_stream(context, static_cast<cudaStream_t>(two));
    const accublas_status put_second = put(context, second, at_second);
    const std::string message = context.error();
    require(cudaEventRecord(joined, two), "join");
    require(cudaStreamWaitEvent(one, joined, 0), "join");
    require(cudaStreamEndCapture(one, &graph), "end capture");
    ASSERT_EQ(put_first, ACCUBLAS_SUCCESS);
    ASSERT_EQ(put_second, ACCUBLAS_SUCCESS) << message;
    require(cudaGraphInstantiate(&executable, graph, 0), "graph");
    require(cudaGraphLaunch(executable, one), "graph");
    one.wait();
    EXPECT_EQ(wrong(first, at_first), "") << first.mode << " beside " << second.mode;
    EXPECT_EQ(wrong(second, at_second), "") << second.mode << " beside " << first.mode;
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  }
  cudaEventDestroy(forked);
  cudaEventDestroy(joined);
}

// One thread captures; another makes contexts, calls, copies host operands, asks, waits, destroys.
TEST_F(Streams, BesideAnotherThreadsCapture) {
  const std::vector<Job> all = jobs();
  const Refused refused(rng);
  const Job captured = this->job("cr", {Data::phi, 1}, 300, 200, 250);
  for (const cudaStreamCaptureMode mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal})
    for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
      const std::string what = std::string(mode == cudaStreamCaptureModeGlobal ? "global" : "thread-local") +
                               (flags == cudaStreamDefault ? ", blocking stream" : ", non-blocking stream");
      cudaStream_t stream = nullptr;
      require(cudaStreamCreateWithFlags(&stream, flags), "stream");
      const OnDevice<T> operands(captured.problem);
      std::vector<std::unique_ptr<OnDevice<T>>> others;
      for (const Job& job : all) others.push_back(std::make_unique<OnDevice<T>>(job.problem));
      {
        Context context(ACCUBLAS_BACKEND_CUDA);
        ASSERT_EQ(accublas_set_stream(context, stream), ACCUBLAS_SUCCESS);
        std::string wrong_there;
        require(cudaStreamBeginCapture(stream, mode), "begin capture");
        const accublas_status status = put(context, captured, operands);
        std::thread([&] {
          const auto expect = [&](accublas_status got, accublas_status want, const std::string& step,
                                  accublas_context* at) {
            if (got != want && wrong_there.empty())
              wrong_there = step + ": status " + std::to_string(got) + ", " + accublas_last_error(at);
          };
          for (int round = 0; round < 2; ++round) {
            const Stream own;
            accublas_context* other = nullptr;
            expect(accublas_create(&other), ACCUBLAS_SUCCESS, "create", nullptr);
            accublas_set_backend(other, ACCUBLAS_BACKEND_CUDA);
            expect(accublas_set_stream(other, static_cast<cudaStream_t>(own)), ACCUBLAS_SUCCESS, "set_stream", other);
            for (std::size_t q = 0; q < all.size(); ++q) {
              expect(put(other, all[q], *others[q]), ACCUBLAS_SUCCESS, "call in " + all[q].mode, other);
              accublas_report_t report{};
              report.struct_size = sizeof report;
              if (q % 3 == 0) expect(accublas_report(other, &report), ACCUBLAS_SUCCESS, "report", other);
            }
            expect(accublas_sync(other), ACCUBLAS_SUCCESS, "sync", other);
            for (const char* native : {"native", "dp"}) {
              accublas_set_mode_name(other, native);
              expect(others[0]->run(other, all[0].problem), ACCUBLAS_SUCCESS, native, other);
            }
            expect(put(other, all[0], *others[0]), ACCUBLAS_SUCCESS, "call in " + all[0].mode, other);
            // Host operands.
            std::vector<T> c = all[0].problem.c;
            const Problem<T>& p = all[0].problem;
            expect(call<T>(other, p, p.a.data(), p.b.data(), c.data(), &p.alpha, &p.beta), ACCUBLAS_SUCCESS,
                   "host operands", other);
            if (wrong_there.empty()) wrong_there = mismatch(p, all[0].want, c);
            // Multiple precision: 1 + 1 by a product on the device.
            const double ones[] = {1, 1};
            double two = 0;
            accublas_mp_array *x = nullptr, *sum = nullptr;
            expect(accublas_mp_create(other, 200, 2, &x), ACCUBLAS_SUCCESS, "mp_create", other);
            expect(accublas_mp_create(other, 200, 1, &sum), ACCUBLAS_SUCCESS, "mp_create", other);
            expect(accublas_mp_set_double(other, x, 0, 2, 2, 1, ones, 2), ACCUBLAS_SUCCESS, "mp_set_double", other);
            for (accublas_mp_array* array : {x, sum})
              expect(accublas_mp_move(other, array, ACCUBLAS_MP_DEVICE), ACCUBLAS_SUCCESS, "mp_move", other);
            expect(accublas_mp_dot(other, 2, x, 0, 1, x, 0, 1, sum, 0), ACCUBLAS_SUCCESS, "mp_dot", other);
            expect(accublas_mp_get_double(other, sum, 0, 1, 1, 1, &two, 1), ACCUBLAS_SUCCESS, "mp_get_double", other);
            if (two != 2 && wrong_there.empty()) wrong_there = "mp_dot: " + std::to_string(two);
            accublas_mp_destroy(x);
            accublas_mp_destroy(sum);
            accublas_set_mode_name(other, "fixed:20");
            accublas_set_target(other, 1e-15);
            expect(refused.operands.run(other, refused.problem), ACCUBLAS_SUCCESS, "refused", other);
            expect(accublas_sync(other), ACCUBLAS_ERROR_ACCURACY, "sync after a target that was missed", other);
            accublas_set_target(other, 0);
            expect(put(other, all[1], *others[1]), ACCUBLAS_SUCCESS, "last call", other);
            expect(accublas_destroy(other), ACCUBLAS_SUCCESS, "destroy", nullptr);
          }
        }).join();
        cudaGraph_t graph = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
        EXPECT_EQ(status, ACCUBLAS_SUCCESS) << what;
        EXPECT_EQ(wrong_there, "") << what;
        ASSERT_EQ(ended, cudaSuccess) << what << ": the capture was ended by another thread's calls: "
                                      << cudaGetErrorString(ended);
        cudaGraphExec_t executable = nullptr;
        require(cudaGraphInstantiate(&executable, graph, 0), "graph");
        require(cudaGraphLaunch(executable, stream), "graph");
        require(cudaStreamSynchronize(stream), "graph");
        EXPECT_EQ(wrong(captured, operands), "") << what;
        for (std::size_t q = 0; q < all.size(); ++q)
          EXPECT_EQ(wrong(all[q], *others[q]), "") << what << ": " << all[q].mode;
        cudaGraphExecDestroy(executable);
        cudaGraphDestroy(graph);
      }
      require(cudaStreamDestroy(stream), "stream");
    }
}

// CUDA forbids the legacy stream while a blocking stream is captured: a status, and the capture goes on. Host operands
// have nothing to do with the stream.
TEST_F(Streams, LegacyStreamBesideABlockingCapture) {
  const Job job = this->job("cr", {Data::phi, 1}, 300, 200, 250);
  const OnDevice<T> operands(job.problem);
  Context context(ACCUBLAS_BACKEND_CUDA);
  ASSERT_EQ(put(context, job, operands), ACCUBLAS_SUCCESS) << context.error();
  cudaStream_t stream = nullptr;
  require(cudaStreamCreate(&stream), "stream");
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin capture");
  const accublas_status refused = put(context, job, operands);
  const std::string message = context.error();
  std::vector<T> c = job.problem.c;
  const accublas_status on_host_operands = call<T>(context, job.problem, job.problem.a.data(), job.problem.b.data(),
                                                   c.data(), &job.problem.alpha, &job.problem.beta);
  const accublas_status synced = accublas_sync(context);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess) << "the capture was ended";
  EXPECT_EQ(refused, ACCUBLAS_ERROR_DEVICE);
  EXPECT_NE(message.find("legacy"), std::string::npos) << message;
  EXPECT_EQ(on_host_operands, ACCUBLAS_SUCCESS);
  EXPECT_EQ(mismatch(job.problem, job.want, c), "");
  EXPECT_EQ(synced, ACCUBLAS_SUCCESS);
  cudaGraphDestroy(graph);
  require(cudaStreamDestroy(stream), "stream");
  EXPECT_EQ(put(context, job, operands), ACCUBLAS_SUCCESS) << context.error();
  EXPECT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS);
  EXPECT_EQ(wrong(job, operands), "");
}

// A call that waits is refused while the context's own stream is captured, and the capture goes on.
TEST_F(Streams, WaitingInItsOwnCapture) {
  const Job job = this->job("cr", {Data::phi, 1}, 300, 200, 250);
  const OnDevice<T> operands(job.problem);
  Context context(ACCUBLAS_BACKEND_CUDA);
  context.set("cr");
  const Stream stream;
  ASSERT_EQ(accublas_set_stream(context, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
  accublas_mp_array* numbers = nullptr;
  const double ones[] = {1, 1};
  double back[2] = {};
  ASSERT_EQ(accublas_mp_create(context, 200, 2, &numbers), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_mp_move(context, numbers, ACCUBLAS_MP_DEVICE), ACCUBLAS_SUCCESS);
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin capture");
  const accublas_status called = put(context, job, operands), synced = accublas_sync(context);
  accublas_report_t report{};
  report.struct_size = sizeof report;
  const accublas_status reported = accublas_report(context, &report);
  T result = 0;
  const accublas_status dot = accublas_ddot(context, 100, operands.a.data(), 1, operands.b.data(), 1, &result);
  const accublas_status written = accublas_mp_set_double(context, numbers, 0, 2, 2, 1, ones, 2),
                        read = accublas_mp_get_double(context, numbers, 0, 2, 2, 1, back, 2);
  std::vector<T> c = job.problem.c;
  const Problem<T>& p = job.problem;
  const accublas_status host = call<T>(context, p, p.a.data(), p.b.data(), c.data(), &p.alpha, &p.beta);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess) << "the capture was ended";
  EXPECT_EQ(called, ACCUBLAS_SUCCESS);
  for (const accublas_status refused : {synced, reported, dot, written, read})
    EXPECT_EQ(refused, ACCUBLAS_ERROR_DEVICE);
  EXPECT_EQ(host, ACCUBLAS_SUCCESS) << "host operands have a stream of their own";
  EXPECT_EQ(mismatch(p, job.want, c), "");
  cudaGraphExec_t executable = nullptr;
  require(cudaGraphInstantiate(&executable, graph, 0), "graph");
  require(cudaGraphLaunch(executable, stream), "graph");
  EXPECT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS) << context.error();
  EXPECT_EQ(wrong(job, operands), "");
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  accublas_mp_destroy(numbers);
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
