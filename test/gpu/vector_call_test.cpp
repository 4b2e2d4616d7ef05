// DOT and GEMV through the public interface: where operands, scalars and results may live, calls that wait for nothing,
// CUDA graphs. The bits are the CPU's.
#include "test/gpu/gemm_problem.hpp"
#include "test/gpu/stream.hpp"
#include "test/gpu/vector_kinds.hpp"

namespace accublas::test {
namespace {

enum class VectorRoutine { dot, gemv, gemv_t };
constexpr VectorRoutine vector_routines[] = {VectorRoutine::dot, VectorRoutine::gemv, VectorRoutine::gemv_t};
const char* const vector_modes[] = {"dp:repro", "fixed:60", "slices:3", "dot2", "cr"};

/// A GEMM of one column (DOT: of one element) whose arguments are those of the routine.
template <class T>
Problem<T> vector_problem(VectorRoutine routine, Random& rng, const Kind& kind) {
  const bool dot = routine == VectorRoutine::dot;
  return packed_problem<T>(rng, kind, dot ? 1 : 130, 1, dot ? 50000 : 700, ACCUBLAS_COL_MAJOR,
                           routine == VectorRoutine::gemv_t ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 0);
}

template <class T>
accublas_status run(const Context& ctx, VectorRoutine routine, const Problem<T>& p, const T* a, const T* x, T* y,
                    const T* alpha, const T* beta) {
  constexpr bool is_double = std::is_same_v<T, double>;
  if (routine == VectorRoutine::dot) {
    if constexpr (is_double)
      return accublas_ddot(ctx, p.k, a, 1, x, 1, y);
    else
      return accublas_sdot(ctx, p.k, a, 1, x, 1, y);
  }
  const bool trans = routine == VectorRoutine::gemv_t;
  const Index rows = trans ? p.k : p.m, cols = trans ? p.m : p.k;
  if constexpr (is_double)
    return accublas_dgemv(ctx, p.layout, p.transa, rows, cols, alpha, a, p.lda(), x, 1, beta, y, 1);
  else
    return accublas_sgemv(ctx, p.layout, p.transa, rows, cols, alpha, a, p.lda(), x, 1, beta, y, 1);
}

/// Everything on the host.
template <class T>
accublas_status run_on_host(const Context& ctx, VectorRoutine routine, const Problem<T>& p, std::vector<T>& out) {
  out = p.c;
  return run(ctx, routine, p, p.a.data(), p.b.data(), out.data(), &p.alpha, &p.beta);
}

/// Everything in device memory, scalars and DOT's result where the pointer mode is device.
template <class T>
accublas_status run_on_device(const Context& ctx, VectorRoutine routine, const Problem<T>& p, const OnDevice<T>& d,
                              bool device_scalars) {
  return run(ctx, routine, p, static_cast<const T*>(d.a.data()), static_cast<const T*>(d.b.data()), d.c.data(),
             device_scalars ? static_cast<const T*>(d.scalars.data()) : &p.alpha,
             device_scalars ? static_cast<const T*>(d.scalars.data() + 1) : &p.beta);
}

template <class T>
class VectorCalls : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{41};

  void pointer_mode(bool device) {
    ASSERT_EQ(accublas_set_pointer_mode(gpu, device ? ACCUBLAS_POINTER_DEVICE : ACCUBLAS_POINTER_HOST),
              ACCUBLAS_SUCCESS)
        << gpu.error();
  }
  std::vector<T> expected(VectorRoutine routine, const Problem<T>& p) {
    std::vector<T> out;
    EXPECT_EQ(run_on_host(cpu, routine, p, out), ACCUBLAS_SUCCESS) << cpu.error();
    return out;
  }
};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(VectorCalls, Types);

TYPED_TEST(VectorCalls, OperandsScalarsAndResultsAnywhere) {
  using T = TypeParam;
  for (const char* mode : vector_modes)
    for (const VectorRoutine routine : vector_routines)
      for (const Kind& kind : vector_kinds) {
        this->cpu.set(mode);
        this->gpu.set(mode);
        auto p = vector_problem<T>(routine, this->rng, kind);
        if (routine != VectorRoutine::dot) p.alpha = T(1.25), p.beta = T(-0.5);
        const std::vector<T> want = this->expected(routine, p);
        const std::string what = std::string(mode) + (routine == VectorRoutine::dot ? " dot" : " gemv");

        std::vector<T> got;
        this->pointer_mode(false);
        ASSERT_EQ(run_on_host(this->gpu, routine, p, got), ACCUBLAS_SUCCESS) << what << this->gpu.error();
        ASSERT_EQ(mismatch(p, want, got), "") << what << ", host operands";
        EXPECT_STREQ(this->gpu.report().backend, "cuda") << what;

        for (const bool device_scalars : {false, true}) {
          const OnDevice<T> d(p);
          this->pointer_mode(device_scalars);
          if (routine == VectorRoutine::dot && !device_scalars) {  // the call waits for its result
            T result = 77;
            ASSERT_EQ(run(this->gpu, routine, p, static_cast<const T*>(d.a.data()), static_cast<const T*>(d.b.data()),
                          &result, &p.alpha, &p.beta),
                      ACCUBLAS_SUCCESS)
                << what << this->gpu.error();
            got = {result};
          } else {
            ASSERT_EQ(run_on_device(this->gpu, routine, p, d, device_scalars), ACCUBLAS_SUCCESS)
                << what << this->gpu.error();
            ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
            got = d.c.values();
          }
          ASSERT_EQ(mismatch(p, want, got), "") << what << (device_scalars ? ", scalars on the device" : "");
          EXPECT_STREQ(this->gpu.report().backend, "cuda") << what;
        }
      }
}

// An alpha that turns out to be zero on the device: A and x count for nothing, cuBLAS included.
TYPED_TEST(VectorCalls, AlphaIsZeroOnTheDevice) {
  using T = TypeParam;
  for (const char* mode : {"native", "dp", "cr", "fixed:60", "dot2", "slices:3"})
    for (const VectorRoutine routine : {VectorRoutine::gemv, VectorRoutine::gemv_t})
      for (const T beta : {T(0), T(1), T(0.5)}) {
        this->gpu.set(sizeof(T) == 4 && std::string(mode) == "dp" ? "sp" : mode);
        auto p = vector_problem<T>(routine, this->rng, {Data::phi, 1});
        p.alpha = 0, p.beta = beta;
        for (std::vector<T>* x : {&p.a, &p.b})
          for (T& entry : *x) entry = std::numeric_limits<T>::quiet_NaN();
        std::vector<T> want = p.c;
        for (T& entry : want) entry = beta == 0 ? T(0) : beta * entry;
        const OnDevice<T> d(p);
        this->pointer_mode(true);
        ASSERT_EQ(run_on_device(this->gpu, routine, p, d, true), ACCUBLAS_SUCCESS) << this->gpu.error();
        ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
        EXPECT_EQ(mismatch(p, want, d.c.values()), "") << mode << (routine == VectorRoutine::gemv ? " N" : " T");
      }
  this->pointer_mode(false);
}

// A result for the host lies in the user's workspace beside what the engine has there.
TYPED_TEST(VectorCalls, HostResultsInTheUsersWorkspace) {
  using T = TypeParam;
  const DeviceArray<unsigned char> workspace(std::size_t{64} << 20);
  ASSERT_EQ(accublas_set_workspace(this->gpu, workspace.data() + 8, workspace.size() - 8), ACCUBLAS_SUCCESS);
  for (const char* mode : {"slices:1", "slices:3", "cr", "dot2", "fixed:60"})
    for (const Kind& kind : vector_kinds)
      for (const Index k : {1, 100, 50000}) {
        this->cpu.set(mode);
        this->gpu.set(mode);
        const auto p =
            packed_problem<T>(this->rng, kind, 1, 1, k, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 0);
        const std::vector<T> want = this->expected(VectorRoutine::dot, p);
        const OnDevice<T> d(p);
        T result = 77;
        ASSERT_EQ(run(this->gpu, VectorRoutine::dot, p, static_cast<const T*>(d.a.data()),
                      static_cast<const T*>(d.b.data()), &result, &p.alpha, &p.beta),
                  ACCUBLAS_SUCCESS)
            << mode << ": " << this->gpu.error();
        ASSERT_EQ(mismatch(p, want, {result}), "") << mode;
      }
}

TYPED_TEST(VectorCalls, NothingToAdd) {
  using T = TypeParam;
  for (const char* mode : {"native", "dp", "cr", "dot2", "fixed:60", "slices:3"}) {
    this->gpu.set(mode);
    auto p = vector_problem<T>(VectorRoutine::dot, this->rng, {Data::phi, 1});
    p.k = 0;
    const OnDevice<T> d(p);
    T result = 77;
    this->pointer_mode(false);
    ASSERT_EQ(run(this->gpu, VectorRoutine::dot, p, static_cast<const T*>(d.a.data()),
                  static_cast<const T*>(d.b.data()), &result, &p.alpha, &p.beta),
              ACCUBLAS_SUCCESS)
        << this->gpu.error();
    EXPECT_EQ(bits(result), bits(T(0))) << mode;
    this->pointer_mode(true);
    ASSERT_EQ(run_on_device(this->gpu, VectorRoutine::dot, p, d, true), ACCUBLAS_SUCCESS) << this->gpu.error();
    EXPECT_EQ(bits(d.c.values()[0]), bits(T(0))) << mode;
    // Netlib's rule: y is left alone.
    auto q = vector_problem<T>(VectorRoutine::gemv, this->rng, {Data::phi, 1});
    q.k = 0, q.beta = 2;
    const OnDevice<T> e(q);
    ASSERT_EQ(run_on_device(this->gpu, VectorRoutine::gemv, q, e, true), ACCUBLAS_SUCCESS) << this->gpu.error();
    ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
    EXPECT_EQ(mismatch(q, q.c, e.c.values()), "") << mode;
  }
}

TYPED_TEST(VectorCalls, PointersOfBothKinds) {
  using T = TypeParam;
  this->gpu.set("cr");
  for (const VectorRoutine routine : vector_routines) {
    const auto p = vector_problem<T>(routine, this->rng, {Data::phi, 1});
    const OnDevice<T> d(p);
    std::vector<T> out = p.c;
    const T *a = d.a.data(), *x = d.b.data();
    const auto refused = [&](accublas_status status, const char* name) {
      EXPECT_EQ(status, ACCUBLAS_ERROR_POINTERS) << name;
      EXPECT_NE(std::string(this->gpu.error()).find(name), std::string::npos) << this->gpu.error();
    };
    this->pointer_mode(false);
    refused(run(this->gpu, routine, p, a, p.b.data(), d.c.data(), &p.alpha, &p.beta), "argument");
    refused(run(this->gpu, routine, p, p.a.data(), x, out.data(), &p.alpha, &p.beta), "argument");
    if (routine == VectorRoutine::dot) {
      refused(run(this->gpu, routine, p, a, x, d.c.data(), &p.alpha, &p.beta), "argument result");
    } else {
      refused(run(this->gpu, routine, p, a, x, out.data(), &p.alpha, &p.beta), "argument");
      refused(run(this->gpu, routine, p, a, x, d.c.data(), static_cast<const T*>(d.scalars.data()), &p.beta),
              "argument alpha");
    }
    this->pointer_mode(true);
    if (routine == VectorRoutine::dot) {
      refused(run(this->gpu, routine, p, a, x, out.data(), &p.alpha, &p.beta), "argument result");
    } else {
      refused(run(this->gpu, routine, p, a, x, d.c.data(), static_cast<const T*>(d.scalars.data()), &p.beta),
              "argument beta");
    }
    EXPECT_EQ(mismatch(p, p.c, out), "");
    EXPECT_EQ(mismatch(p, p.c, d.c.values()), "");
  }
}

TYPED_TEST(VectorCalls, ReturnBeforeTheirStreamRuns) {
  using T = TypeParam;
  const Stream stream;
  ASSERT_EQ(accublas_set_stream(this->gpu, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
  for (const char* mode : {"dp:repro", "fixed:60", "slices:3", "dot2", "cr", "dp", "native"})
    for (const VectorRoutine routine : vector_routines)
      for (const bool device_scalars : {false, true}) {
        if (routine == VectorRoutine::dot && !device_scalars) continue;  // waits for its result
        const bool defined = mode != std::string("dp") && mode != std::string("native");
        this->cpu.set(mode);
        this->gpu.set(mode);
        auto p = vector_problem<T>(routine, this->rng, {Data::phi, 4});
        if (routine != VectorRoutine::dot) p.beta = T(0.5);
        const OnDevice<T> warm(p), d(p);
        this->pointer_mode(device_scalars);
        // The first call may make what is made once.
        ASSERT_EQ(run_on_device(this->gpu, routine, p, warm, device_scalars), ACCUBLAS_SUCCESS) << this->gpu.error();
        ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
        ASSERT_NO_FATAL_FAILURE(expect_no_wait(
            this->gpu, stream, mode, [&] { return run_on_device(this->gpu, routine, p, d, device_scalars); }));
        if (defined) {
          EXPECT_EQ(mismatch(p, this->expected(routine, p), d.c.values()), "") << mode;
        }
      }
}

TYPED_TEST(VectorCalls, Graphs) {
  using T = TypeParam;
  const Stream stream;
  ASSERT_EQ(accublas_set_stream(this->gpu, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
  this->pointer_mode(true);
  for (const char* mode : {"dp:repro", "fixed:60", "slices:3", "dot2", "cr", "native"})
    for (const VectorRoutine routine : vector_routines) {
      const bool native = mode == std::string("native");
      this->cpu.set(native ? "cr" : mode);
      this->gpu.set(mode);
      auto p = vector_problem<T>(routine, this->rng, {Data::phi, 0.5});
      OnDevice<T> d(p);
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t executable = nullptr;
      require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin capture");
      const accublas_status status = run_on_device(this->gpu, routine, p, d, true);
      const std::string message = this->gpu.error();
      const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
      ASSERT_EQ(status, ACCUBLAS_SUCCESS) << mode << ": " << message;
      ASSERT_EQ(ended, cudaSuccess) << mode << ": " << cudaGetErrorString(ended);
      ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess) << mode;
      for (const Kind& kind : vector_kinds) {
        p = vector_problem<T>(routine, this->rng, kind);
        if (routine != VectorRoutine::dot) p.alpha = T(below(this->rng, 3) ? -1.3 : 0), p.beta = T(below(this->rng, 2));
        d.a = p.a, d.b = p.b, d.c = p.c;
        d.scalars = std::vector<T>{p.alpha, p.beta};
        ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess) << mode;
        stream.wait();
        if (native) break;  // no bits are promised: that it replays is all
        ASSERT_EQ(mismatch(p, this->expected(routine, p), d.c.values()), "") << mode << " replayed on " << kind.name();
      }
      cudaGraphExecDestroy(executable);
      cudaGraphDestroy(graph);
    }
}

}  // namespace
}  // namespace accublas::test
