// The CUDA backend: it selects which of a mode's engines serves a shape, and calls that engine.
#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>

#include "cuda/batch/batch.hpp"
#include "cuda/batch/batch_kernels.hpp"
#include "cuda/batch/small_gemm.hpp"
#include "cuda/complex/gemm_complex.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/core/scale_call.hpp"
#include "cuda/core/staging.hpp"
#include "cuda/dot2/gemm_dot2.hpp"
#include "cuda/fp64/digit_call.hpp"
#include "cuda/gemm_cost.hpp"
#include "cuda/int8/convert.hpp"
#include "cuda/int8/gemm_int8.hpp"
#include "cuda/lapack/element_steps.hpp"
#include "cuda/lu_cholesky/factor_batch.hpp"
#include "cuda/lu_cholesky/factorization_call.hpp"
#include "cuda/lu_cholesky/shared_factorization.hpp"
#include "cuda/multiword/gemm_multiword.hpp"
#include "cuda/native/native.hpp"
#include "cuda/native/native_behind.hpp"
#include "cuda/native/native_call.hpp"
#include "cuda/native/native_offer.hpp"
#include "cuda/qr/orthogonal_by_products.hpp"
#include "cuda/structured/level2_call.hpp"
#include "cuda/structured/level3_call.hpp"
#include "cuda/structured/shared_level3.hpp"
#include "cuda/structured/vector_product.hpp"
#include "cuda/trsm/solve_by_halves.hpp"
#include "cuda/vector/narrow_gemm.hpp"
#include "cuda/vector/vector_call.hpp"
#include "lib/base/error.hpp"
#include "lib/base/fork_safe.hpp"
#include "lib/base/stack.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/numerics/bounds.hpp"

namespace accublas {

namespace {

using cuda::State;

/// Returns moduli_that_pay for a call. Complex products are priced as complex if the device has complex residues;
/// otherwise they are priced as real products of their parts.
int moduli_that_pay(const cuda::DeviceModel& model, bool single, bool complex, const cuda::GemmShape& shape) {
  const cuda::GemmPrice price{model.tuning(), single, model.processors};
  if (complex && cuda::converts_complex(model)) return cuda::moduli_that_pay(price, shape, ResidueKind::complex);
  const Index parts = complex ? 2 : 1;
  return cuda::moduli_that_pay(price, {parts * shape.m, shape.n, parts * shape.k});
}

/// Returns the time in microseconds that residues take in mode cr; 0 if the architecture was not measured.
template <class T>
double residue_time(const cuda::DeviceModel& model, const Gemm<T>& g) {
  constexpr bool single = sizeof(T) == sizeof(float);
  const cuda::GemmPrice price{model.tuning(), single, model.processors};
  if (!price.cost()) return 0;
  constexpr Index least_terms = 128;        // of a product of residues
  constexpr int moduli = single ? 11 : 20;  // on random data
  // The costs are those of dp and sp. cr takes more, by this factor, for k from 64 to 128 and orders of 1024 to 20000.
  constexpr double share = 1.2;
  return share * price.emulated({g.m, g.n, round_up(g.k, least_terms)}, moduli);
}

/// Returns the fallback candidate cuBLAS for dp and sp if neither the caller nor the shape determines the engine:
/// emulation runs first, and cuBLAS takes over if the data need too many moduli. Returns none if cuBLAS would need
/// copies of the operands, or if there is no cuBLAS. most_moduli 0: cuBLAS is faster for the shape, as it may be for a
/// part of a call.
template <class T>
std::optional<cuda::NativeOffer> native_offer(State& state, const Call<Gemm<T>, T>& call, const Execution& execution) {
  const Gemm<T>& g = call.problem;
  if (!is_grade(call.mode) || call.mode.reproducible || execution.engine_forced) return {};
  if (g.wanted != Triangle::all && !state.native_product()) return {};
  const bool pairs = g.row_pairs != RowPairs::none;
  const Index parts = pairs ? 2 : 1;
  const int most = moduli_that_pay(state.model(), sizeof(T) == sizeof(float), pairs, {g.m / parts, g.n, g.k / parts});
  if (most == 0 && g.wanted != Triangle::all) return {};
  const bool copies = !state.native_product() && cuda::native_scratch_bytes(g, execution.workspace.cap()) > 0;
  if (copies || !cuda::prepare_native_behind(state)) return {};
  return cuda::NativeOffer{most, dp_bound(g.k, unit_roundoff<T>())};
}

class CudaBackend final : public Backend {
 public:
  const char* name() const noexcept override { return "cuda"; }
  int device_count(std::string& reason) const override { return cuda::usable_devices(reason); }
  bool lost_by_fork() const override { return cuda::forked_from_user(); }
  std::string device_name(int device) const override { return cuda::device_text(device); }

  Location locate(const void* pointer) const override {
    cudaPointerAttributes attributes{};
    if (!cuda::have_devices()) return {MemoryKind::host, 0};
    if (cudaPointerGetAttributes(&attributes, cuda::Rehearsal::known_to_cuda(pointer)) != cudaSuccess) {
      cudaGetLastError();
      return {MemoryKind::host, 0};
    }
    switch (attributes.type) {
      case cudaMemoryTypeDevice:
        return {MemoryKind::device, attributes.device};
      case cudaMemoryTypeManaged:
        return {MemoryKind::managed, attributes.device};
      default:
        return {MemoryKind::host, 0};
    }
  }

  Choice choose(const EngineList& engines, Routine routine, const Mode& mode, const CallShape& shape) const override {
    const accublas_engine first = engines.first();
    const bool by_shape = engines.count > 1;
    std::string reason;
    if (!(is_gemm(routine) || is_level3(routine)) || shape.device >= device_count(reason)) return {first, by_shape};
    const cuda::DeviceModel& model = cuda::device_model(shape.device);
    if (is_batched(routine) && !is_complex_routine(routine) && shape.on_device && first == ACCUBLAS_ENGINE_INT8 &&
        cuda::batch_serves(model, mode, shape.m, shape.n, shape.k))
      return {ACCUBLAS_ENGINE_INT8, by_shape};
    const bool grade = is_grade(mode) && !mode.reproducible;
    if (is_solve(routine)) {
      // The largest of the products between halves of the unknowns decides.
      const Index half = shape.k / 2, sides = shape.k > 0 ? shape.m * shape.n / shape.k : 0;
      const bool complex = is_complex_routine(routine);
      const cuda::TrsmTuning& trsm = model.tuning().trsm;
      const bool pays = grade && !is_single(routine) &&
                        shape.k >= (complex ? trsm.least_emulated_complex : trsm.least_emulated) &&
                        moduli_that_pay(model, false, complex, {half, sides, half}) > 0;
      return {pays ? ACCUBLAS_ENGINE_INT8 : first, by_shape};
    }
    if (grade &&
        moduli_that_pay(model, is_single(routine), is_complex_routine(routine), {shape.m, shape.n, shape.k}) > 0)
      return {model.tuning().integer_engine, by_shape};
    return {first == ACCUBLAS_ENGINE_INT8 ? model.tuning().integer_engine : first, by_shape};
  }

  /// Returns whether a call on host operands pays; the first device stands for all. Copying moves m k + k n + 2 m n
  /// words and saves 2 m n k operations.
  bool worth_copying(Routine routine, const Mode&, const CallShape& s) const override {
    if (!is_gemm(routine) || is_complex_routine(routine)) return false;
    const double m = static_cast<double>(s.m), n = static_cast<double>(s.n), k = static_cast<double>(s.k);
    const cuda::HostTuning& host = cuda::device_model(0).tuning().host;
    return 2 * m * n * k > host.least_operations &&
           2 * m * n * k / host.operations > host.copies * (m * k + k * n + 2 * m * n) / host.bus_words;
  }

  std::size_t default_workspace(int device) const override { return cuda::default_workspace(device); }

  std::unique_ptr<BackendState> make_state(int device) override {
    cuda::require_device(device);
    std::unique_ptr<BackendState> state;
    with_stack(cuda::needed_stack, [&] { state = std::make_unique<State>(device); });
    return state;
  }

  std::size_t rehearse(const void* buffer, std::span<std::byte> memory, const std::function<void()>& body) override {
    std::size_t bytes = 0;
    // The whole rehearsal of a thread runs on one stack.
    with_stack(cuda::needed_stack, [&] {
      const cuda::Rehearsal rehearsal(buffer, memory);
      body();
      bytes = rehearsal.bytes();
    });
    return bytes;
  }

  /// If the device fails after work was put on a stream, C may be half written.
  void compute(const AnyCall& any, BackendState* base, Execution& execution) override {
    State& state = static_cast<State&>(*base);
    for (int device : execution.devices) cuda::require_device(device);
    const auto run = [&](const auto* call) {
      using enum cuda::CallScope::Stream;
      const cuda::CallScope scope(state, call->operands_on_device ? users : own);
      if (execution.workspace.buffer()) fit(execution, [&](Execution& rehearsed) { serve(state, *call, rehearsed); });
      try {
        serve(state, *call, execution);
      } catch (const Error& error) {
        if (error.status() == ACCUBLAS_ERROR_DEVICE && state.begun())
          throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
        throw;
      }
    };
    with_stack(cuda::needed_stack, [&] { std::visit(run, any.call); });
  }
  void begin_steps(AnySteps place, BackendState* state, Workspace& workspace, int level) override {
    std::visit(
        [&]<class E>(std::unique_ptr<ElementSteps<E>>* steps) {
          *steps = cuda::device_steps<E>(static_cast<State&>(*state), workspace, level);
        },
        place);
  }

 private:
  [[noreturn]] static void no_engine() {
    throw Error(ACCUBLAS_ERROR_INTERNAL, "the plan names an engine that the CUDA backend lacks");
  }

  /// Gives a call whose memory is the user's buffer a plan that fits there: its own, or else the least one. Throws
  /// TooSmall if neither fits. Within a rehearsal the call takes the least plan, which it falls back to.
  template <class Body>
  static void fit(Execution& execution, const Body& body) {
    Workspace& workspace = execution.workspace;
    if (cuda::rehearses()) return workspace.restart_least(workspace.cap());
    const auto bytes_of = [&](Workspace& plan) {
      accublas_report_t report = execution.report;
      Execution with = execution.within(plan, report);
      const cuda::Rehearsal rehearsal(workspace.buffer());
      body(with);
      return rehearsal.bytes();
    };
    const std::size_t given = workspace.buffer_bytes();
    if (bytes_of(workspace) <= given) return;
    Workspace least(Workspace::Part{workspace.buffer(), given, 0});
    const std::size_t needed = bytes_of(least);
    if (needed > given) Workspace::refuse_buffer(given, needed + Workspace::device_alignment - 1);
    workspace.restart_least(workspace.cap());
  }

  template <class T>
  static void serve(State& state, const Call<Gemm<T>, T>& call, Execution& execution) {
    if (call.operands_on_device) return device_gemm(state, call, execution);
    cuda::staged_gemm(state, call, execution, device_gemm<T>);
  }

  template <class E>
  static void serve(State& state, const Call<Level3<E>, E>& call, Execution& execution) {
    if (call.operands_on_device) return cuda::level3_call(state, call, execution, device_gemm<E>);
    if (cuda::share_level3(state, call, execution, device_gemm<E>)) return;
    cuda::staged_level3(state, call, execution, device_gemm<E>);
  }

  template <class T>
  static void serve(State& state, const Call<GemmBatch<T>, T>& call, Execution& execution) {
    cuda::gemm_batched(state, call, execution, device_gemm<T>);
  }

  template <class T>
  static void serve(State& state, const Call<Gemv<T>, T>& call, Execution& execution) {
    if (call.operands_on_device) return device_gemv(state, call, execution);
    cuda::staged_gemv(state, call, execution, device_gemv<T>);
  }
  template <class T>
  static void device_gemv(State& state, const Call<Gemv<T>, T>& call, Execution& execution) {
    if constexpr (is_complex<T>)
      cuda::complex_gemv(state, call, execution);
    else
      cuda::gemv_call(state, call, execution);
  }

  template <class E>
  static void serve(State& state, const Call<Level2<E>, E>& call, Execution& execution) {
    if (call.operands_on_device) return cuda::level2_call(state, call, execution);
    cuda::staged_level2(state, call, execution, cuda::level2_call<E>);
  }

  template <class E>
  static void serve(State& state, const Call<Factorization<E>, E>& call, Execution& execution) {
    const cuda::GradeProducts<E> products{device_gemm<E>, grade_engine<E>};
    if (call.operands_on_device) return cuda::factorization_call(state, call, execution, products);
    if (cuda::share_factorization(state, call, execution, products)) return;
    cuda::staged_factorization(state, call, execution, products);
  }
  template <class E>
  static void serve(State& state, const Call<FactorizationBatch<E>, E>& call, Execution& execution) {
    cuda::factorization_batch(state, call, execution, cuda::GradeProducts<E>{device_gemm<E>, grade_engine<E>});
  }
  template <class E>
  static void serve(State&, const Call<OrthogonalBatch<E>, E>&, Execution&) {
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "a batch of QR consists of single calls on a GPU");
  }
  template <class E>
  static void serve(State& state, const Call<Orthogonal<E>, E>& call, Execution& execution) {
    if (!cuda::has_panels(state.model(), call.problem))
      throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "a panel of QR has more rows than the device holds");
    cuda::orthogonal_by_products(state, call, cuda::GradeProducts<E>{device_gemm<E>, grade_engine<E>}, execution);
  }
  template <class E>
  static accublas_engine grade_engine(const cuda::DeviceModel& model, Index m, Index n, Index k) {
    return moduli_that_pay(model, is_single_precision<E>, is_complex<E>, {m, n, k}) > 0 ? ACCUBLAS_ENGINE_INT8
                                                                                        : ACCUBLAS_ENGINE_NATIVE;
  }

  template <class T>
  static void serve(State& state, const Call<MixedDot<T>, T>& call, Execution& execution) {
    if (call.operands_on_device) return cuda::mixed_dot(state, call, execution);
    cuda::staged_mixed_dot(state, call, execution, cuda::mixed_dot<T>);
  }

  template <class T>
  static void serve(State& state, const Call<Dot<T>, T>& call, Execution& execution) {
    if (call.operands_on_device) return device_dot(state, call, execution);
    cuda::staged_dot(state, call, execution, device_dot<T>);
  }
  template <class T>
  static void device_dot(State& state, const Call<Dot<T>, T>& call, Execution& execution) {
    if constexpr (is_complex<T>)
      cuda::complex_dot(state, call, execution);
    else
      cuda::dot_call(state, call, execution);
  }

  template <class T>
  static void serve(State& state, const Call<Reduction<T>, T>& call, Execution& execution) {
    const bool squares = call.problem.norm == Norm::nrm2;
    const auto norm = squares ? cuda::norm_call<T, cuda::Terms::squares> : cuda::norm_call<T, cuda::Terms::magnitudes>;
    if (call.operands_on_device) return norm(state, call, execution);
    cuda::staged_norm(state, call, execution, norm);
  }

  template <class T>
  static void device_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution) {
    if constexpr (is_complex<T>)
      cuda::complex_gemm(state, call, execution, real_gemm<RealOf<T>>);
    else
      real_gemm(state, call, execution);
  }

  /// Runs cuBLAS's product for the call: the state's native_product() if there is one, else the product itself.
  template <class T>
  static void native_in_store(State& state, const Call<Gemm<T>, T>& call, Execution& execution) {
    const cuda::NativeProduct* const product = state.native_product();
    if (!product) return cuda::native_gemm_call(state, call, execution);
    cuda::with_cublas(state, execution, 0, [&](cuda::Cublas& cublas, std::byte*) { product->start(cublas); });
  }

  template <class T>
  static void real_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution) {
    if (no_product(call)) return cuda::scale_gemm(state, call);
    const Mode mode = emulated(call.mode);
    const Call<Gemm<T>, T> emulation{call.problem,          call.alpha, call.beta,  call.operands_on_device,
                                     call.result_on_device, mode,       call.engine};
    // INT8 is the only integer engine that combines the parts of complex numbers.
    const bool combines = call.problem.combined && call.mode.kind != ACCUBLAS_MODE_SLICES;
    if (combines && (call.engine == ACCUBLAS_ENGINE_FP16 || call.engine == ACCUBLAS_ENGINE_FP64)) {
      if (execution.engine_forced)
        throw Error(ACCUBLAS_ERROR_UNAVAILABLE,
                    "engines fp16 and fp64 of a GPU need alpha and beta in host memory, without imaginary parts");
      return cuda::int8_gemm(state, call, execution, nullptr);
    }
    switch (call.engine) {
      case ACCUBLAS_ENGINE_NATIVE:
        return cuda::native_gemm_call(state, call, execution);
      case ACCUBLAS_ENGINE_INT8: {
        if (!execution.shared) {
          const double residues = residue_time(state.model(), call.problem);
          double skinny = std::numeric_limits<double>::infinity();
          if constexpr (std::is_same_v<T, double>) skinny = cuda::skinny_gemm_time(state, call, execution.workspace);
          const double others = std::min(residues, skinny);
          const bool vector = std::min(call.problem.m, call.problem.n) == 1;
          if (vector && !execution.engine_forced && cuda::narrow_gemm_serves(call, others))
            return cuda::narrow_gemm(state, call, execution);
          if (cuda::small_gemm_serves(state, call)) return cuda::small_gemm(state, call, execution);
          if (!execution.engine_forced && cuda::narrow_gemm_serves(call, others))
            return cuda::narrow_gemm(state, call, execution);
          if (cuda::flat_gemm_serves(state, call, execution.workspace, others))
            return cuda::flat_gemm(state, call, execution);
          if constexpr (std::is_same_v<T, double>) {
            if (skinny < residues) return cuda::skinny_gemm(state, call, execution);
          }
        }
        std::optional<cuda::NativeOffer> offer;
        if (!combines) offer = native_offer(state, call, execution);
        if (offer && offer->most_moduli == 0) return native_in_store(state, call, execution);
        return cuda::int8_gemm(state, call, execution, offer ? &*offer : nullptr);
      }
      case ACCUBLAS_ENGINE_FP16:
        return cuda::digit_gemm(state, emulation, true, execution);
      case ACCUBLAS_ENGINE_FP64:
        if (call.mode.kind == ACCUBLAS_MODE_SLICES) {
          require_no_target(call.mode, execution.target, sizeof(T) == 4);
          return cuda::slices_gemm(state, call, execution);
        }
        return cuda::digit_gemm(state, emulation, false, execution);
      case ACCUBLAS_ENGINE_DOT2:
        return cuda::dot2_gemm(state, call, execution);
      case ACCUBLAS_ENGINE_MULTIWORD:
        return cuda::multiword_gemm(state, call, execution);
      default:
        no_engine();
    }
  }
};

}  // namespace

Backend& cuda_backend() {
  static constinit Lazy<CudaBackend> backend;
  return backend.get();
}

}  // namespace accublas
