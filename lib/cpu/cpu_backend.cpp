// The CPU as a backend: which of a mode's engines serves a shape, and the call to each.
#include "lib/base/error.hpp"
#include "lib/base/fork_safe.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/call/backend.hpp"
#include "lib/cpu/batch.hpp"
#include "lib/cpu/element_steps.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/real_blas.hpp"
#include "lib/cpu/tuning/fixed_choice.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas {

namespace {

/// lib/lapack makes such routines of the library's calls, in place of an engine (Run::compute_natively).
[[noreturn]] void only_by_calls() {
  throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "the routine has no engine but native on the CPU");
}

[[noreturn]] void no_engine() { throw Error(ACCUBLAS_ERROR_INTERNAL, "the plan names an engine that the CPU lacks"); }

/// Whether engine sums is faster than residues and slices.
bool is_small(Routine routine, const Mode& mode, const CallShape& asked, cpu::Isa isa) {
  // Two components of twice the terms.
  const CallShape shape = is_complex_routine(routine) ? CallShape(asked.m, 2 * asked.n, 2 * asked.k) : asked;
  const double terms = static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  const cpu::EngineTuning& most = cpu::tuning(isa).engine;
  if (is_batched(routine) && terms <= most.batched) return true;
  // The fix of triangular operands is that of cr: the other modes keep to residues there.
  if (shape.k > most.deep_terms && most.dgemm_cr > 0 &&
      (mode.kind == ACCUBLAS_MODE_CR || routine.operation != Operation::trmm))
    return asked.m * asked.n <= most.narrow_elements;
  // Sums of rounded entries judge no target, and they read the zeros of triangular operands as entries.
  if (mode.kind == ACCUBLAS_MODE_FIXED)
    return !asked.judged && routine.operation != Operation::trmm &&
           cpu::fixed_sums_are_faster(shape.m, shape.n, shape.k, mode.parameter, is_single(routine), isa);
  if (mode.kind != ACCUBLAS_MODE_CR) return false;
  return shape.k <= most.deep_terms && terms <= (is_single(routine) ? most.sgemm_cr : most.dgemm_cr);
}

class CpuBackend final : public Backend {
 public:
  const char* name() const noexcept override { return "cpu"; }
  int device_count(std::string&) const override { return 1; }
  std::string device_name(int) const override { return std::string("cpu:") + cpu::isa_name(cpu::detected_isa()); }
  Location locate(const void*) const override { return {MemoryKind::host, 0}; }
  Choice choose(const EngineList& engines, Routine routine, const Mode& mode, const CallShape& shape) const override {
    if (is_lapack(routine) && engines.has(ACCUBLAS_ENGINE_SUMS) && !cpu::have_lapack(routine))
      return {ACCUBLAS_ENGINE_SUMS};
    if (engines.first() != ACCUBLAS_ENGINE_INT8) return {engines.first()};
    const cpu::Isa isa = cpu::detected_isa();
    if (is_small(routine, mode, shape, isa)) return {ACCUBLAS_ENGINE_SUMS, true};
    // Fixed point keeps to the engine that can judge a target.
    const bool slices = cpu::tuning(isa).engine.slices && mode.kind != ACCUBLAS_MODE_FIXED && cpu::have_real_blas();
    return {slices ? ACCUBLAS_ENGINE_FP64 : ACCUBLAS_ENGINE_INT8, true};
  }
  std::size_t stack(Routine routine, accublas_engine engine) const override {
    const bool by_blas =
        engine == ACCUBLAS_ENGINE_NATIVE || engine == ACCUBLAS_ENGINE_FP64 || engine == ACCUBLAS_ENGINE_MULTIWORD;
    return by_blas ? cpu::stack_of_blas(routine) : 0;
  }
  std::size_t default_workspace(int) const override { return default_workspace_bytes; }
  std::unique_ptr<BackendState> make_state(int) override { return nullptr; }

  void compute(const AnyCall& any, BackendState*, Execution& execution) override {
    std::visit([&](const auto* call) { serve(*call, execution); }, any.call);
  }
  void begin_steps(AnySteps place, BackendState*, Workspace& workspace, int) override {
    std::visit(
        [&]<class E>(std::unique_ptr<ElementSteps<E>>* steps) {
          *steps = std::make_unique<cpu::HostSteps<E>>(workspace);
        },
        place);
  }

 private:
  template <class T>
  static void serve(const Call<Gemm<T>, T>& call, Execution& execution) {
    real_gemm(call.problem, call.mode, call.engine, execution);
  }
  template <class T>
  static void serve(const Call<Gemm<Complex<T>>, Complex<T>>& call, Execution& execution) {
    if (call.engine == ACCUBLAS_ENGINE_NATIVE) return cpu::native_gemm(call.problem, execution);
    cpu::structured_product(product_of(call.problem), emulated(call.mode), call.engine, real_gemm<T>, execution);
  }

  template <class E>
  static void serve(const Call<GemmBatch<E>, E>& call, Execution& execution) {
    cpu::run_batch<GemmBatch<E>, E>(call, serve, execution);
  }

  template <class E>
  static void serve(const Call<Level3<E>, E>& call, Execution& execution) {
    if (call.engine == ACCUBLAS_ENGINE_NATIVE) return cpu::native_level3(call.problem, execution);
    if (call.problem.kind == Operation::trsm) return cpu::solve(system_of(call.problem), call.mode, execution);
    cpu::structured_product(product_of(call.problem), emulated(call.mode), call.engine, real_gemm<RealOf<E>>,
                            execution);
  }

  template <class E>
  static void serve(const Call<Factorization<E>, E>& call, Execution& execution) {
    if (call.engine == ACCUBLAS_ENGINE_NATIVE) return cpu::native_factorization(call.problem, execution);
    if (is_inverse(call.problem.kind)) only_by_calls();
    cpu::factorize(call.problem, execution);
  }

  template <class E>
  static void serve(const Call<FactorizationBatch<E>, E>& call, Execution& execution) {
    cpu::run_batch<FactorizationBatch<E>, E>(call, serve, execution);
  }

  template <class E>
  static void serve(const Call<OrthogonalBatch<E>, E>& call, Execution& execution) {
    cpu::run_batch<OrthogonalBatch<E>, E>(call, serve, execution);
  }

  template <class E>
  static void serve(const Call<Orthogonal<E>, E>& call, Execution& execution) {
    if (call.engine != ACCUBLAS_ENGINE_NATIVE) only_by_calls();
    cpu::native_orthogonal(call.problem, execution);
  }

  template <class E>
  static void serve(const Call<Level2<E>, E>& call, Execution& execution) {
    if (call.engine == ACCUBLAS_ENGINE_NATIVE) return cpu::native_level2(call.problem, execution);
    if (call.problem.kind == Operation::trsv) return cpu::solve(system_of(call.problem), call.mode, execution);
    if (is_update(call.problem.kind)) return cpu::update(product_of(call.problem), execution);
    const Mode mode = vector_mode(call.mode);
    if (mode.kind == ACCUBLAS_MODE_CR && by_pieces(call.problem, execution)) return;
    cpu::structured_product(product_of(call.problem), mode, call.engine, line_gemm<RealOf<E>>, execution);
  }
  template <class E>
  static bool by_pieces(const Level2<E>& l, Execution& execution) {
    const Product<E> p = product_of(l);
    const Vector<E> y = l.result().col(0);
    cpu::LineProduct<E> g{l.n, p.a, p.b.stored.col(0), {}, {}, y};
    if (l.kind == Operation::trmv) g.a = p.b.transposed(), g.x = {y.data, y.stride};
    if constexpr (is_complex<E>) {
      if (p.alpha.im != 0 || p.beta.im != 0) return false;
      g.alpha = p.alpha.re, g.beta = p.beta.re;
    } else {
      g.alpha = p.alpha, g.beta = p.beta;
    }
    return cpu::cr_line_product(g, execution);
  }

  template <class T>
  static void serve(const Call<MixedDot<T>, T>& call, Execution& execution) {
    if (call.engine == ACCUBLAS_ENGINE_NATIVE) return cpu::native_mixed_dot(call.problem, execution);
    cpu::cr_mixed_dot(call.problem, execution);
  }

  template <class T>
  static void real_gemm(const Gemm<T>& problem, const Mode& mode, accublas_engine engine, Execution& execution) {
    switch (engine) {
      case ACCUBLAS_ENGINE_NATIVE:
        return cpu::native_gemm(problem, execution);
      case ACCUBLAS_ENGINE_INT8:
        return cpu::int8_gemm(problem, emulated(mode), execution);
      case ACCUBLAS_ENGINE_FP64:
        require_no_target(mode, execution.target, sizeof(T) == 4);
        return cpu::fp64_gemm(problem, emulated(mode), execution);
      case ACCUBLAS_ENGINE_DOT2:
        return cpu::dot2_gemm(problem, execution);
      case ACCUBLAS_ENGINE_SUMS:
        if (mode.kind == ACCUBLAS_MODE_CR) return cpu::cr_gemm(problem, execution);
        return cpu::integer_gemm(problem, emulated(mode), execution);
      case ACCUBLAS_ENGINE_MULTIWORD:
        return cpu::multiword_gemm(problem, mode, execution);
      default:
        no_engine();
    }
  }

  template <class T>
  static void serve(const Call<Gemv<T>, T>& call, Execution& execution) {
    real_gemv(call.problem, call.mode, call.engine, execution);
  }

  template <class T>
  static void real_gemv(const Gemv<T>& problem, const Mode& mode, accublas_engine engine, Execution& execution) {
    require_no_target(mode, execution.target, sizeof(T) == 4);
    switch (engine) {
      case ACCUBLAS_ENGINE_NATIVE:
        return cpu::native_gemv(problem, execution);
      case ACCUBLAS_ENGINE_FP64:
        return cpu::slices_gemv(problem, mode, execution);
      case ACCUBLAS_ENGINE_DOT2:
        return cpu::dot2_gemv(problem, execution);
      case ACCUBLAS_ENGINE_SUMS:
        if (mode.kind == ACCUBLAS_MODE_FIXED) return cpu::fixed_gemv(problem, mode, execution);
        return cpu::cr_gemv(problem, execution);
      default:
        no_engine();
    }
  }

  /// A product with one column or one row.
  template <class T>
  static void line_gemm(const Gemm<T>& g, const Mode& mode, accublas_engine engine, Execution& execution) {
    if (g.n != 1) return line_gemm(g.transposed(), mode, engine, execution);
    real_gemv(Gemv<T>{g.m, g.k, g.alpha, g.a, g.b.col(0), g.beta, g.c.col(0)}, mode, engine, execution);
  }

  /// dp and sp on other engines than native are cr for vectors.
  static Mode vector_mode(const Mode& mode) { return is_grade(mode) ? Mode{ACCUBLAS_MODE_CR} : mode; }

  template <class T>
  static void serve(const Call<Gemv<Complex<T>>, Complex<T>>& call, Execution& execution) {
    const Gemv<Complex<T>>& p = call.problem;
    if (call.engine == ACCUBLAS_ENGINE_NATIVE) return cpu::native_gemv(p, execution);
    Gemm<Complex<T>> g{p.m, 1, p.k, p.alpha, p.a, {p.x.data, p.x.stride, 0}, p.beta, {p.y.data, p.y.stride, 0}};
    g.conjugate_a = p.conjugate_a;
    cpu::structured_product(product_of(g), vector_mode(call.mode), call.engine, line_gemm<T>, execution);
  }

  template <class T>
  static void serve(const Call<Dot<Complex<T>>, Complex<T>>& call, Execution& execution) {
    const Dot<Complex<T>>& d = call.problem;
    if (call.engine == ACCUBLAS_ENGINE_NATIVE) return cpu::native_dot(d, execution);
    if (call.engine == ACCUBLAS_ENGINE_DOT2) return cpu::dot2_complex_dot(d, execution);
    const Gemv<Complex<T>> row{1, d.n, {1}, {d.x.data, 0, d.x.stride}, d.y, {}, {d.result, 1}, d.conjugate_x};
    serve(Call<Gemv<Complex<T>>, Complex<T>>{row, {}, {}, false, false, call.mode, call.engine}, execution);
  }

  template <class T>
  static void serve(const Call<Dot<T>, T>& call, Execution& execution) {
    require_no_target(call.mode, execution.target, sizeof(T) == 4);
    switch (call.engine) {
      case ACCUBLAS_ENGINE_NATIVE:
        return cpu::native_dot(call.problem, execution);
      case ACCUBLAS_ENGINE_FP64:
        return cpu::slices_dot(call.problem, call.mode, execution);
      case ACCUBLAS_ENGINE_DOT2:
        return cpu::dot2_dot(call.problem, execution);
      case ACCUBLAS_ENGINE_SUMS:
        if (call.mode.kind == ACCUBLAS_MODE_FIXED) return cpu::fixed_dot(call.problem, call.mode, execution);
        return cpu::cr_dot(call.problem, execution);
      default:
        no_engine();
    }
  }

  template <class T>
  static void serve(const Call<Reduction<T>, T>& call, Execution& execution) {
    const Reduction<T>& r = call.problem;
    const bool squares = r.norm == Norm::nrm2;
    switch (call.engine) {
      case ACCUBLAS_ENGINE_NATIVE:
        return cpu::native_norm(r, execution);
      case ACCUBLAS_ENGINE_DOT2:
        return squares ? cpu::dot2_nrm2(r, execution) : cpu::dot2_asum(r, execution);
      case ACCUBLAS_ENGINE_SUMS:
        return squares ? cpu::cr_nrm2(r, execution) : cpu::cr_asum(r, execution);
      default:
        no_engine();
    }
  }
};

}  // namespace

Backend& cpu_backend() {
  static constinit Lazy<CpuBackend> backend;
  return backend.get();
}

}  // namespace accublas
