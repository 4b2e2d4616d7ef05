// Streams that are captured into graphs: two in one capture, beside the captures of other threads, and a wait within.
#include <thread>

#include "test/gpu/gemm_problem.hpp"
#include "test/gpu/stream.hpp"
#include "test/gpu/streams_test.hpp"

namespace accublas::test {
namespace {

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

}  // namespace
}  // namespace accublas::test
