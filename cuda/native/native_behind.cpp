// Builds a graph of two nodes: a kernel that sets the condition from the call's state, and a conditional node that
// encloses cuBLAS's launches, recorded from a separate stream.
#include "cuda/native/native_behind.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "cuda/core/call_state.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/cublas.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/core/scalar_argument.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/native/condition.hpp"
#include "cuda/native/native.hpp"
#include "lib/base/error.hpp"

namespace accublas::cuda {

namespace {

/// The parameters that a recorded call depends on, as words that can be compared.
struct GraphKey {
  std::uint64_t word[20] = {};
  bool operator==(const GraphKey& other) const { return std::memcmp(word, other.word, sizeof word) == 0; }
};

template <class T>
GraphKey key_of(const Call<Gemm<T>, T>& call, const NativeProduct* other, const CallState* call_state) {
  GraphKey key;
  int next = 0;
  const auto add = [&](const auto& value) {
    static_assert(sizeof value <= sizeof key.word[0]);
    std::memcpy(&key.word[next++], &value, sizeof value);
  };
  const Gemm<T>& g = call.problem;
  add(sizeof(T));
  add(call_state);
  if (other) {
    add(true);
    for (std::uint64_t word : other->key) add(word);
    return key;
  }
  add(g.m), add(g.n), add(g.k);
  const auto add_matrix = [&](const auto& x) { add(x.data), add(x.row_stride), add(x.col_stride); };
  add_matrix(g.a), add_matrix(g.b), add_matrix(g.c);
  for (const ScalarArgument<T>& s : {call.alpha, call.beta}) {
    add(s.on_device);
    s.on_device ? add(s.pointer) : add(*s.pointer);
  }
  return key;
}

/// Records cuBLAS's launches for the call into `body`.
template <class T>
void record(cudaGraph_t body, cudaStream_t stream, Cublas& cublas, void* workspace, std::size_t bytes,
            const Call<Gemm<T>, T>& call, const NativeProduct* other) {
  check(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed),
        "recording a product of cuBLAS");
  cudaGraph_t recorded = nullptr;
  try {
    cublas.begin(stream, workspace, bytes);
    if (other)
      other->start(cublas);
    else
      native_gemm(cublas, call.problem, device_scalar(call.alpha), device_scalar(call.beta), Scratch{nullptr, 0},
                  stream);
  } catch (...) {
    cudaStreamEndCapture(stream, &recorded);
    throw;
  }
  check(cudaStreamEndCapture(stream, &recorded), "recording a product of cuBLAS");
}

cudaGraphNode_t add_conditional(cudaGraph_t graph, cudaGraphConditionalHandle handle, const cudaGraphNode_t* after,
                                const cudaGraphEdgeData* edges, std::size_t count, cudaGraph_t* body) {
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeIf;
  parameters.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddNode(&node, graph, after, edges, count, &parameters), "conditional node");
  *body = parameters.conditional.phGraph_out[0];
  return node;
}

cudaGraphConditionalHandle make_condition(cudaGraph_t graph) {
  cudaGraphConditionalHandle handle{};
  check(cudaGraphConditionalHandleCreate(&handle, graph, 0, cudaGraphCondAssignDefault), "condition of a graph");
  return handle;
}

/// The current position of the stream's capture.
struct Capture {
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* after = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 0;

  explicit Capture(cudaStream_t stream) {
    cudaStreamCaptureStatus status{};
    check(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &after, &edges, &count), "a capture's state");
  }
};

/// An executable graph with the condition and the call. The graph it was made from is kept, because it owns the
/// condition.
struct RecordedCall {
  RecordedCall() {
    check(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), "cudaEventCreate");
    check(cudaGraphCreate(&graph, 0), "cudaGraphCreate");
  }
  ~RecordedCall() {
    if (exec) cudaGraphExecDestroy(exec);
    if (graph) cudaGraphDestroy(graph);
    cudaEventDestroy(done);
  }
  RecordedCall(const RecordedCall&) = delete;
  RecordedCall& operator=(const RecordedCall&) = delete;

  GraphKey key;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaEvent_t done = nullptr;  ///< recorded after its last launch
};

}  // namespace

/// The recorded calls of a context, sorted by last use, and the memory that cuBLAS needs in them.
class NativeGraphs {
 public:
  explicit NativeGraphs(const DeviceModel& model) : bytes_(Cublas::workspace_bytes(model.major)) {}
  NativeGraphs(const NativeGraphs&) = delete;
  NativeGraphs& operator=(const NativeGraphs&) = delete;

  /// Takes the memory that immediate (or captured) calls need.
  void prepare(State& state, bool captured) {
    if (!workspace_[captured]) workspace_[captured] = state.capture_memory().zeroed(bytes_);
  }

  template <class T>
  void launch(State& state, const Call<Gemm<T>, T>& call, const CallState* call_state) {
    const GraphKey key = key_of(call, state.native_product(), call_state);
    const auto found = std::find_if(calls_.begin(), calls_.end(), [&](const auto& known) { return known->key == key; });
    if (found == calls_.end()) {
      add(key, record_graph(state, call, call_state));
    } else {
      std::rotate(calls_.begin(), found, found + 1);
    }
    check(cudaGraphLaunch(calls_.front()->exec, state.cuda_stream()), "cudaGraphLaunch");
    check(cudaEventRecord(calls_.front()->done, state.cuda_stream()), "cudaEventRecord");
  }

  /// Adds the call to the graph that the state's stream is captured in. The workspace belongs to the context, like all
  /// memory of captured calls, and replays do not overlap.
  template <class T>
  void capture(State& state, const Call<Gemm<T>, T>& call, const CallState* call_state) {
    const cudaStream_t stream = state.cuda_stream();
    const cudaGraphConditionalHandle condition = make_condition(Capture(stream).graph);
    set_condition(state.model(), condition, call_state, stream);
    const Capture now(stream);
    cudaGraph_t body = nullptr;
    cudaGraphNode_t node = add_conditional(now.graph, condition, now.after, now.edges, now.count, &body);
    record(body, stream_, state.cublas(), workspace_[1], bytes_, call, state.native_product());
    check(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies),
          "conditional node");
  }

 private:
  static constexpr std::size_t most_calls = 8;

  template <class T>
  std::unique_ptr<RecordedCall> record_graph(State& state, const Call<Gemm<T>, T>& call, const CallState* call_state) {
    auto made = std::make_unique<RecordedCall>();
    const cudaGraphConditionalHandle condition = make_condition(made->graph);
    const cudaGraphNode_t first = add_condition_node(made->graph, condition, call_state);
    cudaGraph_t body = nullptr;
    add_conditional(made->graph, condition, &first, nullptr, 1, &body);
    record(body, stream_, state.cublas(), workspace_[0], bytes_, call, state.native_product());
    return made;
  }

  /// Makes the recorded call executable and puts it first. If there are enough calls, it updates the executable graph
  /// of the least recently used one: an update of a running graph waits for nothing, while its destruction would.
  void add(const GraphKey& key, std::unique_ptr<RecordedCall> made) {
    while (!retired_.empty() && cudaEventQuery(retired_.front()->done) == cudaSuccess) retired_.erase(retired_.begin());
    cudaGetLastError();  // not an error: the graph still runs
    if (calls_.size() == most_calls) {
      RecordedCall& oldest = *calls_.back();
      cudaGraphExecUpdateResultInfo info{};
      if (cudaGraphExecUpdate(oldest.exec, made->graph, &info) == cudaSuccess) {
        std::swap(oldest.exec, made->exec);
      } else {  // cuBLAS launches a different pattern of kernels
        cudaGetLastError();
      }
      retired_.push_back(std::move(calls_.back()));
      calls_.pop_back();
    }
    if (!made->exec) check(cudaGraphInstantiate(&made->exec, made->graph, 0), "cudaGraphInstantiate");
    made->key = key;
    calls_.insert(calls_.begin(), std::move(made));
  }

  std::size_t bytes_;
  void* workspace_[2] = {};                             ///< [0] for immediate calls, [1] for captured ones
  OwnStream stream_;                                    ///< stream on which cuBLAS is recorded
  std::vector<std::unique_ptr<RecordedCall>> calls_;    ///< most recently used first
  std::vector<std::unique_ptr<RecordedCall>> retired_;  ///< calls that may still run
};

bool prepare_native_behind(State& state) {
  try {
    state.cublas();
  } catch (const Error& error) {
    if (error.status() != ACCUBLAS_ERROR_UNAVAILABLE) throw;
    return false;
  }
  if (!state.native_graphs()) state.native_graphs() = std::make_shared<NativeGraphs>(state.model());
  state.native_graphs()->prepare(state, state.captured());
  return true;
}

template <class T>
void native_behind(State& state, const Call<Gemm<T>, T>& call, const CallState* call_state) {
  if (rehearses()) return;
  NativeGraphs& graphs = *state.native_graphs();
  state.captured() ? graphs.capture(state, call, call_state) : graphs.launch(state, call, call_state);
}

template void native_behind(State&, const Call<Gemm<double>, double>&, const CallState*);
template void native_behind(State&, const Call<Gemm<float>, float>&, const CallState*);

}  // namespace accublas::cuda
