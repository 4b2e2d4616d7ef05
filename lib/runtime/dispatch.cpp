#include "lib/runtime/dispatch.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "lib/call/batch_overlap.hpp"
#include "lib/call/overlap.hpp"
#include "lib/call/scale_result.hpp"
#include "lib/numerics/component_sum.hpp"
#include "lib/numerics/finish.hpp"
#include "lib/runtime/run.hpp"

namespace accublas {

namespace {

/// A value that stands for a factor that only the device knows.
template <class E>
constexpr E unknown_factor() {
  constexpr auto infinity = std::numeric_limits<RealOf<E>>::infinity();
  if constexpr (is_complex<E>)
    return {infinity, infinity};
  else
    return infinity;
}

/// The operands of a call in the order of its arguments; the last one is the result.
class Operands {
 public:
  void add(const char* name, const void* pointer, const Elements& elements = {}, std::size_t number = 1) {
    named_[count_] = {name, pointer, number};
    elements_[count_++] = elements;
  }
  template <class T, class... Sizes>
  void add(const char* name, const Matrix<T>& x, Index m, Index n, const Sizes&... part) {
    add(name, x.data, elements_of(x, m, n, part...), sizeof(T));
  }
  template <class T>
  void add(const char* name, const Vector<T>& x, Index n) {
    add(name, x.data, elements_of(x, n), sizeof(T));
  }

  std::span<const Named> read() const { return {named_, count_ - 1}; }
  std::span<const Named> result() const { return {named_ + count_ - 1, 1}; }
  std::span<const Named> all() const { return {named_, count_}; }
  void require_apart() const {
    NamedFootprint footprints[most];
    for (std::size_t i = 0; i < count_; ++i) footprints[i] = {named_[i].name, footprint(elements_[i]), i + 1 == count_};
    accublas::require_apart(std::span<const NamedFootprint>(footprints, count_));
  }

 private:
  static constexpr int most = 4;
  Named named_[most];
  Elements elements_[most];
  std::size_t count_ = 0;
};

/// The caller's alpha and beta. If the routine lacks a factor, the problem's own value is used.
template <class A, class B>
struct Factors {
  const A* alpha;
  const B* beta;
  bool has_alpha = true, has_beta = true;
};

/// Returns whether a problem is an update of level 2, whose engine on a device does not scale.
template <class Problem>
bool is_update_of(const Problem& problem) {
  if constexpr (requires { problem.incx; }) return is_update(problem.kind);
  return false;
}

/// C = alpha times a product + beta C. `alpha` and `beta` are the problem's. Sums have work.k terms; without
/// `has_terms` there is no product. `check(product)` is called when the plan is complete; `scale(times)` scales C by
/// beta with a function for its products.
template <class E, class Problem, class A, class B, class Check, class Scale>
void run_product(Run& run, const Context& context, Problem& problem, E& alpha, E& beta, const Factors<A, B>& factors,
                 const CallShape& work, bool has_terms, const Operands& operands, const Check& check,
                 const Scale& scale) {
  if (factors.has_alpha) run.scalar("alpha", factors.alpha, alpha);
  if (factors.has_beta) run.scalar("beta", factors.beta, beta);
  if constexpr (requires { problem.conjugate_alpha; }) alpha = conjugate_if(problem.conjugate_alpha, alpha);
  const bool unknown = factors.has_alpha && run.scalars_on_device();
  const bool product = (unknown || alpha != 0) && has_terms;
  if (!product && !unknown && beta == 1) return;
  // alpha = 0 or k = 0: c = beta c, without reading A and B, nor c where beta = 0.
  const std::span<const Named> named = product ? operands.all() : operands.result();
  const Named of_alpha{"alpha", factors.alpha, sizeof(A)}, of_beta{"beta", factors.beta, sizeof(B)};
  if (factors.has_beta)
    run.operands(named, {of_alpha, of_beta}, work);
  else if (factors.has_alpha)
    run.operands(named, {of_alpha}, work);
  else
    run.operands(named, {}, work);
  if (product && context.operands_are_apart()) operands.require_apart();
  check(product);
  run.promise(work.k, unknown ? unknown_factor<E>() : alpha);
  // A NaN in alpha or beta makes every result NaN, whatever A, B and C hold. The engines' fast paths do not decide such
  // results, and each would be summed exactly. So C is scaled by NaN. The call raises no exceptions, as one of its
  // operands is NaN.
  const bool all_nan = product && !unknown && bit_defined(run.mode()) && (holds_nan(alpha) || holds_nan(beta)) &&
                       !(run.on_device() && is_update_of(problem));
  if (all_nan) {
    alpha = E{};
    beta = written_nan<E>();
    if (!run.on_device()) return scale([](auto factor, auto) { return factor; });
  }
  if (product || run.on_device()) {
    // On the device a real factor stays real (Level3::real_alpha).
    const E* const factor = unknown ? reinterpret_cast<const E*>(factors.alpha) : &alpha;
    const E* const of_c = unknown && factors.has_beta ? reinterpret_cast<const E*>(factors.beta) : &beta;
    run.compute(problem, factor, of_c, run.on_device());
  } else if (bit_defined(run.mode())) {
    scale([](auto factor, auto element) { return finish_scaled(factor, element); });
  } else {
    scale([](auto factor, auto element) { return factor * element; });
  }
}

constexpr auto no_check = [](bool) {};

}  // namespace

template <class T>
void run_gemm(Context& context, Gemm<T> problem, const T* alpha, const T* beta, const accublas_options* options) {
  Run run(context, {Operation::gemm, type_of<T>}, options);
  const auto [m, n, k] = std::tuple(problem.m, problem.n, problem.k);
  run.sizes(m, n, k);
  if (m > 0 && n > 0) {
    Operands operands;
    operands.add("a", problem.a, m, k);
    operands.add("b", problem.b, k, n);
    operands.add("c", problem.c, m, n);
    run_product(run, context, problem, problem.alpha, problem.beta, Factors<T, T>{alpha, beta}, {m, n, k}, k > 0,
                operands, no_check,
                [&](auto times) { scale_result(problem.beta, problem.m, problem.n, problem.c, times); });
  }
  run.finish();
}

template <class T>
void run_gemv(Context& context, Gemv<T> problem, const T* alpha, const T* beta, const accublas_options* options) {
  Run run(context, {Operation::gemv, type_of<T>}, options);
  run.sizes(problem.m, 1, problem.k);
  // Netlib's rule: y stays as it is if either dimension is 0, whatever beta is.
  if (problem.m > 0 && problem.k > 0) {
    Operands operands;
    operands.add("a", problem.a, problem.m, problem.k);
    operands.add("x", problem.x, problem.k);
    operands.add("y", problem.y, problem.m);
    run_product(run, context, problem, problem.alpha, problem.beta, Factors<T, T>{alpha, beta},
                {problem.m, 1, problem.k}, true, operands, no_check, [&](auto times) {
                  scale_result(problem.beta, problem.m, 1, Matrix<T>{problem.y.data, problem.y.stride, 0}, times);
                });
  }
  run.finish();
}

namespace {

/// Returns the operands under the names that the routine has for them. A row-major call may have exchanged the first
/// two.
template <class E>
Operands operands_of(const Level3<E>& l) {
  const bool exchanged = l.transposed_call && l.exchanges(), in_place = is_in_place(l.kind);
  const Matrix<const E> a{l.a, 1, l.lda}, b{l.b, 1, l.ldb};
  Operands operands;
  if (is_symm(l.kind) || in_place)
    operands.add(exchanged ? "b" : "a", a, l.order(), l.order(), l.part(), in_place && l.diag == ACCUBLAS_UNIT);
  else
    operands.add(exchanged ? "b" : "a", a, tall_a(l) ? l.n : l.k, tall_a(l) ? l.k : l.n);
  if (is_symm(l.kind))
    operands.add(exchanged ? "a" : "b", b, l.m, l.n);
  else if (!in_place && !is_syrk(l.kind))
    operands.add(exchanged ? "a" : "b", b, tall_b(l) ? l.n : l.k, tall_b(l) ? l.k : l.n);
  operands.add(in_place ? "b" : "c", l.result(), l.rows(), l.cols(), l.wanted());
  return operands;
}
template <class E>
Operands operands_of(const Level2<E>& l) {
  const bool exchanged = l.transposed_call && l.exchanges();
  const Index length_x = length_of_x(l);
  Operands operands;
  if (!is_update(l.kind))
    operands.add("a", Matrix<const E>{l.a, 1, l.lda}, l.n, l.n, l.part(), l.diag == ACCUBLAS_UNIT);
  if (!is_triangular(l.kind))
    operands.add(exchanged ? "y" : "x", l.x, elements_of(blas_vector(length_x, l.x, l.incx), length_x), sizeof(E));
  if (is_ger(l.kind) || is_syr2(l.kind))
    operands.add(exchanged ? "x" : "y", l.y, elements_of(blas_vector(l.n, l.y, l.incy), l.n), sizeof(E));
  operands.add(is_update(l.kind) ? "a" : is_triangular(l.kind) ? "x" : "y", l.result(), l.rows(), l.cols(), l.wanted());
  return operands;
}

template <class Problem, class A, class B>
void run_structured(Context& context, Problem problem, const Factors<A, B>& factors, const accublas_options* options) {
  Run run(context, problem.routine(), options);
  const CallShape work(problem.rows(), problem.cols(), problem.terms());
  run.sizes(problem.caller_rows(), problem.caller_cols(), problem.inner());
  if (work.m > 0 && work.n > 0) {
    // A factor that only the device knows may make a product without terms there.
    const bool has_terms = problem.inner() > 0 || (factors.has_alpha && run.scalars_on_device());
    run_product(run, context, problem, problem.alpha, problem.beta, factors, work, has_terms, operands_of(problem),
                no_check, [&](auto times) {
                  scale_part(problem.beta, work.m, work.n, problem.result(), problem.wanted(),
                             problem.hermitian_result(), times);
                });
  }
  run.finish();
}

}  // namespace

template <class E, class A, class B>
void run_level3(Context& context, Level3<E> problem, const A* alpha, const B* beta, const accublas_options* options) {
  run_structured(context, problem, Factors<A, B>{alpha, beta, true, !is_in_place(problem.kind)}, options);
}

template <class E, class A, class B>
void run_level2(Context& context, Level2<E> problem, const A* alpha, const B* beta, const accublas_options* options) {
  run_structured(context, problem, Factors<A, B>{alpha, beta, !is_triangular(problem.kind), is_symv(problem.kind)},
                 options);
}

template <class E>
void run_factorization(Context& context, Factorization<E> f, const accublas_options* options) {
  Run run(context, f.routine(), options);
  const CallShape shape(f.rows(), f.cols(), f.inner());
  run.sizes(shape.m, shape.n, shape.k);
  const Named a{"a", f.a.data, sizeof(E)}, ipiv{"ipiv", f.pivots.data}, b{"b", f.b.data, sizeof(E)},
      info{"info", f.info};
  f.info_on_device = run.is_device_memory(info);
  // Without right-hand sides POSV and GESV still factor A.
  const bool work = shape.k > 0 && (shape.n > 0 || has_factor(f.kind));
  std::vector<Named> operands;
  if (work) {
    operands.push_back(a);
    if (!has_uplo(f.kind)) operands.push_back(ipiv);
    if (has_solution(f.kind) && f.nrhs > 0) operands.push_back(b);
  }
  if (f.info_on_device) operands.push_back(info);
  if (!operands.empty()) {
    run.operands(operands, {}, shape);
    if (work && f.kind == Operation::getrs && !run.on_device()) require_pivots(f.pivots, f.n);
    run.promise(shape.k, E{1});
  }
  // An engine writes info when it has succeeded, so that a call that fails leaves it as it was.
  if (!f.info_on_device && (operands.empty() || !has_info(f.kind))) *f.info = 0;
  if (!operands.empty()) run.compute(f);
  run.finish();
}

template <class E>
void run_factorization_batch(Context& context, FactorizationBatch<E> batch, const accublas_options* options) {
  Factorization<E>& f = batch.shape;
  Run run(context, f.routine(), options);
  const CallShape shape(f.rows(), f.cols(), f.inner());
  run.sizes(shape.m, shape.n, shape.k);
  run.batch(batch.count);
  if (batch.count == 0) return run.finish();
  const std::size_t alignment = batch.a.pointers ? 1 : sizeof(E);
  const Named a{"a", batch.a.argument(), alignment}, ipiv{"ipiv", f.pivots.data}, b{"b", batch.b.argument(), alignment},
      info{"info", f.info};
  const bool gives_info = has_info(f.kind), solves = has_solution(f.kind) && f.nrhs > 0;
  f.info_on_device = gives_info && run.is_device_memory(info);
  const bool work = shape.k > 0 && (shape.n > 0 || has_factor(f.kind));
  std::vector<Named> operands;
  if (work) {
    operands.push_back(a);
    if (!has_uplo(f.kind)) operands.push_back(ipiv);
    if (solves) operands.push_back(b);
  }
  if (f.info_on_device) operands.push_back(info);
  if (operands.empty()) {
    if (gives_info) std::fill_n(f.info, batch.count, 0);
    return run.finish();
  }
  run.operands(operands, {}, shape);
  if (work && !run.on_device()) {
    if (batch.a.pointers) run.host_matrices("a", batch.a.pointers, batch.count);
    if (batch.a.pointers && solves) run.host_matrices("b", batch.b.pointers, batch.count);
    for (Index i = 0; f.kind == Operation::getrs && i < batch.count; ++i) require_pivots(batch[i].pivots, f.n);
  }
  // An array of pointers in device memory cannot be read here.
  if (work && context.operands_are_apart() && !(batch.a.pointers && run.on_device())) require_apart(batch);
  run.promise(shape.k, E{1});
  run.compute(batch);
  run.finish();
}

template <class T>
void run_gemm_batched(Context& context, GemmBatch<T> batch, const T* alpha, const T* beta,
                      const accublas_options* options) {
  Run run(context, {Operation::gemm_batched, type_of<T>}, options);
  Gemm<T>& shape = batch.shape;
  run.sizes(shape.m, shape.n, shape.k);
  run.batch(batch.count);
  if (shape.m > 0 && shape.n > 0 && batch.count > 0) {
    Operands operands;
    operands.add("a", batch.a.argument(), {}, batch.a.pointers ? 1 : sizeof(T));
    operands.add("b", batch.b.argument(), {}, batch.b.pointers ? 1 : sizeof(T));
    operands.add("c", batch.c.argument(), {}, batch.c.pointers ? 1 : sizeof(T));
    const auto check = [&](bool product) {
      if (batch.c.pointers && !run.on_device()) {
        if (product) {
          run.host_matrices("a", batch.a.pointers, batch.count);
          run.host_matrices("b", batch.b.pointers, batch.count);
        }
        run.host_matrices("c", batch.c.pointers, batch.count);
      }
      // An array of pointers in device memory cannot be read here.
      if (product && context.operands_are_apart() && !(batch.c.pointers && run.on_device())) require_apart(batch);
    };
    run_product(run, context, batch, shape.alpha, shape.beta, Factors<T, T>{alpha, beta}, {shape.m, shape.n, shape.k},
                shape.k > 0, operands, check, [&](auto times) {
                  for (Index i = 0; i < batch.count; ++i)
                    scale_result(shape.beta, shape.m, shape.n, batch.with(nullptr, nullptr, batch.c[i]).c, times);
                });
  }
  run.finish();
}

namespace {

/// Runs an inner product or a norm of sums of `terms` terms; its value is `nothing` if it has none. The operands are
/// the vectors and the result, which follows the pointer mode.
template <class Problem, class T>
void run_sum(Run& run, const Context& context, const Problem& problem, Index terms, const Operands& operands,
             const T* addend, T nothing) {
  const Named result = operands.result().front();
  if (terms > 0) {
    run.operands(operands.read(), {result}, CallShape(1, 1, terms));
    if (context.operands_are_apart()) operands.require_apart();
    run.promise(problem.n, T{1});
  } else {
    run.result_only(result);
  }
  if (terms > 0 || run.scalars_on_device())
    run.compute(problem, addend, nullptr, run.scalars_on_device());
  else
    *problem.result = nothing;
  run.finish();
}

/// The operands of an inner product.
template <class Problem>
Operands operands_of(const Problem& dot) {
  Operands operands;
  operands.add("x", dot.x, dot.n);
  operands.add("y", dot.y, dot.n);
  operands.add("result", dot.result, elements_of(dot.result, 1));
  return operands;
}

}  // namespace

template <class T>
void run_dot(Context& context, const Dot<T>& problem, const accublas_options* options) {
  const Operation dot = !is_complex<T> ? Operation::dot : problem.conjugate_x ? Operation::dotc : Operation::dotu;
  Run run(context, {dot, type_of<T>}, options);
  run.sizes(1, 1, problem.n);
  run_sum<Dot<T>, T>(run, context, problem, problem.n, operands_of(problem), nullptr, T{});
}

template <class T>
void run_norm(Context& context, const Reduction<T>& problem, const accublas_options* options) {
  const Operation norm = problem.norm == Norm::nrm2 ? Operation::nrm2 : Operation::asum;
  Run run(context, {norm, problem.x.pairs ? type_of<Complex<T>> : type_of<T>}, options);
  run.sizes(1, 1, problem.length());
  Operands operands;
  operands.add("x", Matrix<const T>{problem.x.data, 1, problem.x.stride}, problem.x.pairs ? 2 : 1, problem.length());
  operands.add("result", problem.result, elements_of(problem.result, 1));
  run_sum<Reduction<T>, T>(run, context, problem, problem.length(), operands, nullptr, T{});
}

template <class T>
void run_mixed_dot(Context& context, MixedDot<T> problem, const T* addend, const accublas_options* options) {
  Run run(context, {Operation::mixed_dot, type_of<T>}, options);
  run.sizes(1, 1, problem.n);
  if constexpr (sizeof(T) == sizeof(float)) run.scalar("sb", addend, problem.addend);
  run_sum(run, context, problem, problem.n, operands_of(problem), addend, problem.addend);
}

#define ACCUBLAS_RUN_LEVEL2(E, A, B) \
  template void run_level2(Context&, Level2<E>, const A*, const B*, const accublas_options*);
ACCUBLAS_RUN_LEVEL2(double, double, double)
ACCUBLAS_RUN_LEVEL2(float, float, float)
ACCUBLAS_RUN_LEVEL2(Complex<double>, Complex<double>, Complex<double>)
ACCUBLAS_RUN_LEVEL2(Complex<float>, Complex<float>, Complex<float>)
ACCUBLAS_RUN_LEVEL2(Complex<double>, double, Complex<double>)
ACCUBLAS_RUN_LEVEL2(Complex<float>, float, Complex<float>)
#define ACCUBLAS_RUN_LEVEL3(E, A, B) \
  template void run_level3(Context&, Level3<E>, const A*, const B*, const accublas_options*);
ACCUBLAS_RUN_LEVEL3(double, double, double)
ACCUBLAS_RUN_LEVEL3(float, float, float)
ACCUBLAS_RUN_LEVEL3(Complex<double>, Complex<double>, Complex<double>)
ACCUBLAS_RUN_LEVEL3(Complex<float>, Complex<float>, Complex<float>)
ACCUBLAS_RUN_LEVEL3(Complex<double>, Complex<double>, double)
ACCUBLAS_RUN_LEVEL3(Complex<float>, Complex<float>, float)
ACCUBLAS_RUN_LEVEL3(Complex<double>, double, double)
ACCUBLAS_RUN_LEVEL3(Complex<float>, float, float)
#define ACCUBLAS_RUN_ALL(E)                                                                            \
  template void run_gemm(Context&, Gemm<E>, const E*, const E*, const accublas_options*);              \
  template void run_gemm_batched(Context&, GemmBatch<E>, const E*, const E*, const accublas_options*); \
  template void run_gemv(Context&, Gemv<E>, const E*, const E*, const accublas_options*);              \
  template void run_dot(Context&, const Dot<E>&, const accublas_options*);                             \
  template void run_factorization(Context&, Factorization<E>, const accublas_options*);                \
  template void run_factorization_batch(Context&, FactorizationBatch<E>, const accublas_options*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_RUN_ALL)
template void run_mixed_dot(Context&, MixedDot<double>, const double*, const accublas_options*);
template void run_mixed_dot(Context&, MixedDot<float>, const float*, const accublas_options*);
template void run_norm(Context&, const Reduction<double>&, const accublas_options*);
template void run_norm(Context&, const Reduction<float>&, const accublas_options*);

}  // namespace accublas
