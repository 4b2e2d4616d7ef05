#include "lib/runtime/dispatch.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

#include "lib/call/overlap.hpp"
#include "lib/call/scale_result.hpp"
#include "lib/numerics/component_sum.hpp"
#include "lib/numerics/finish.hpp"
#include "lib/runtime/run.hpp"

namespace accublas {

namespace {

/// Stands for a factor that only the device knows.
template <class E>
constexpr E unknown_factor() {
  constexpr auto infinity = std::numeric_limits<RealOf<E>>::infinity();
  if constexpr (is_complex<E>)
    return {infinity, infinity};
  else
    return infinity;
}

/// alpha = 0 or k = 0: c = beta c, without reading A and B, nor c where beta = 0.
template <class T>
void scale(const Mode& mode, T beta, Index m, Index n, Matrix<T> c) {
  if (bit_defined(mode))
    scale_result(beta, m, n, c, [](T factor, T element) { return finish_scaled(factor, element); });
  else
    scale_result(beta, m, n, c);
}

}  // namespace

template <class T>
void run_gemm(Context& context, Gemm<T> problem, const T* alpha, const T* beta, const accublas_options* options) {
  Run run(context, {Operation::gemm, type_of<T>}, options);
  run.sizes(problem.m, problem.n, problem.k);
  if (problem.m > 0 && problem.n > 0) {
    run.scalars(problem, alpha, beta);
    const bool product = run.may_be_nonzero(problem.alpha) && problem.k > 0;
    if (product || run.scalars_on_device() || problem.beta != 1) {
      const CallShape shape(problem.m, problem.n, problem.k);
      const Named c{"c", problem.c.data}, a{"a", problem.a.data}, b{"b", problem.b.data};
      if (product) {
        run.operands({a, b, c}, {{"alpha", alpha}, {"beta", beta}}, shape);
        if (context.operands_are_apart())
          require_apart({{"a", footprint(problem.a, problem.m, problem.k), false},
                         {"b", footprint(problem.b, problem.k, problem.n), false},
                         {"c", footprint(problem.c, problem.m, problem.n), true}});
      } else {
        run.operands({c}, {{"alpha", alpha}, {"beta", beta}}, shape);
      }
      run.promise(problem.k, run.scalars_on_device() ? unknown_factor<T>() : problem.alpha);
      if (product || run.on_device()) {
        run.compute(problem, alpha, beta, run.on_device());
      } else {
        scale(run.mode(), problem.beta, problem.m, problem.n, problem.c);
      }
    }
  }
  run.finish();
}

namespace {

/// The names that a routine has for A, B and C, or for x, y and the result. A row-major call may have exchanged the
/// first two.
struct Names {
  const char *first, *second, *result;
};
template <class E>
Names names_of(const Level3<E>& l) {
  const bool exchanged = l.transposed_call && l.exchanges();
  return {exchanged ? "b" : "a", exchanged ? "a" : "b", is_in_place(l.kind) ? "b" : "c"};
}
template <class E>
Names names_of(const Level2<E>& l) {
  const bool exchanged = l.transposed_call && l.exchanges();
  return {exchanged ? "y" : "x", exchanged ? "x" : "y", is_update(l.kind) ? "a" : is_triangular(l.kind) ? "x" : "y"};
}

/// The operands under the names that the routine has for them; without a product only what it overwrites.
template <class E>
void name_operands(Run& run, const Level3<E>& l, bool product, std::initializer_list<Named> scalars,
                   const CallShape& work) {
  const Names names = names_of(l);
  const Named a{names.first, l.a}, b{names.second, l.b}, c{names.result, l.c};
  if (!product) return run.operands({c}, scalars, work);
  is_in_place(l.kind) || is_syrk(l.kind) ? run.operands({a, c}, scalars, work) : run.operands({a, b, c}, scalars, work);
}
template <class E>
void name_operands(Run& run, const Level2<E>& l, bool product, std::initializer_list<Named> scalars,
                   const CallShape& work) {
  const Names names = names_of(l);
  const Named a{"a", l.a}, x{names.first, l.x}, y{names.second, l.y}, c{names.result, l.c};
  if (!product) return run.operands({c}, scalars, work);
  if (is_symv(l.kind)) return run.operands({a, x, c}, scalars, work);
  if (is_triangular(l.kind)) return run.operands({a, c}, scalars, work);
  is_ger(l.kind) || is_syr2(l.kind) ? run.operands({x, y, c}, scalars, work) : run.operands({x, c}, scalars, work);
}

/// An operand that the routine lacks is null, which gives an empty footprint.
template <class E>
void require_apart(const Level3<E>& l) {
  const bool sides = is_symm(l.kind) || is_in_place(l.kind);
  const Names names = names_of(l);
  const Matrix<const E> a{l.a, 1, l.lda}, b{l.b, 1, l.ldb};
  accublas::require_apart(
      {{names.first,
        sides ? footprint(a, l.order(), l.order(), l.part(), is_in_place(l.kind) && l.diag == ACCUBLAS_UNIT)
              : footprint(a, tall_a(l) ? l.n : l.k, tall_a(l) ? l.k : l.n),
        false},
       {names.second, sides ? footprint(b, l.m, l.n) : footprint(b, tall_b(l) ? l.n : l.k, tall_b(l) ? l.k : l.n),
        false},
       {names.result, footprint(l.result(), l.rows(), l.cols(), l.wanted()), true}});
}
template <class E>
void require_apart(const Level2<E>& l) {
  const Vector<const E> x = blas_vector(length_of_x(l), l.x, l.incx);
  const Vector<const E> y = blas_vector(l.n, l.y, l.incy);
  const Names names = names_of(l);
  accublas::require_apart(
      {{"a", footprint(Matrix<const E>{l.a, 1, l.lda}, l.n, l.n, l.part(), l.diag == ACCUBLAS_UNIT), false},
       {names.first, l.x ? footprint(x, length_of_x(l)) : Footprint{}, false},
       {names.second, l.y ? footprint(y, l.n) : Footprint{}, false},
       {names.result, footprint(l.result(), l.rows(), l.cols(), l.wanted()), true}});
}

/// If the routine has no alpha (or beta), `problem.alpha` (`problem.beta`) is used.
template <class E, class Problem, class A, class B>
void run_described(Context& context, Problem problem, const A* alpha, bool has_alpha, const B* beta, bool has_beta,
                   const accublas_options* options) {
  Run run(context, problem.routine(), options);
  const CallShape shape(problem.rows(), problem.cols(), problem.inner());
  run.sizes(problem.caller_rows(), problem.caller_cols(), shape.k);
  if (shape.m > 0 && shape.n > 0) {
    if (has_alpha) run.scalar("alpha", alpha, problem.alpha);
    if (has_beta) run.scalar("beta", beta, problem.beta);
    problem.alpha = conjugate_if(problem.conjugate_alpha, problem.alpha);
    const bool unknown = has_alpha && run.scalars_on_device();
    const bool product = unknown || (problem.alpha != 0 && shape.k > 0);
    if (product || unknown || problem.beta != 1) {
      const CallShape work(shape.m, shape.n, problem.terms());
      const Named of_alpha{"alpha", alpha}, of_beta{"beta", beta};
      if (has_beta)
        name_operands(run, problem, product, {of_alpha, of_beta}, work);
      else if (has_alpha)
        name_operands(run, problem, product, {of_alpha}, work);
      else
        name_operands(run, problem, product, {}, work);
      if (product && context.operands_are_apart()) require_apart(problem);
      run.promise(work.k, unknown ? unknown_factor<E>() : problem.alpha);
      if (product || run.on_device()) {
        // On the device a real factor stays one (Level3::real_alpha).
        const E* const factor = unknown ? reinterpret_cast<const E*>(alpha) : &problem.alpha;
        const E* const of_c = unknown && has_beta ? reinterpret_cast<const E*>(beta) : &problem.beta;
        run.compute(problem, factor, of_c, run.on_device());
      } else {
        const auto scale_by = [&](auto&& times) {
          scale_part(problem.beta, shape.m, shape.n, problem.result(), problem.wanted(), problem.hermitian_result(),
                     times);
        };
        bit_defined(run.mode()) ? scale_by([](E factor, E element) { return finish_scaled(factor, element); })
                                : scale_by([](E factor, E element) { return factor * element; });
      }
    }
  }
  run.finish();
}

}  // namespace

template <class E, class A, class B>
void run_level3(Context& context, Level3<E> problem, const A* alpha, const B* beta, const accublas_options* options) {
  run_described<E>(context, problem, alpha, true, beta, !is_in_place(problem.kind), options);
}

template <class E, class A, class B>
void run_level2(Context& context, Level2<E> problem, const A* alpha, const B* beta, const accublas_options* options) {
  run_described<E>(context, problem, alpha, !is_triangular(problem.kind), beta, is_symv(problem.kind), options);
}

template <class E>
void run_factorization(Context& context, Factorization<E> f, const accublas_options* options) {
  Run run(context, f.routine(), options);
  const CallShape shape(f.rows(), f.cols(), f.inner());
  run.sizes(shape.m, shape.n, shape.k);
  const Named a{"a", f.a.data}, ipiv{"ipiv", f.pivots.data}, b{"b", f.b.data}, info{"info", f.info};
  f.info_on_device = run.is_on_device(info);
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

namespace {

template <class T>
Footprint footprint_in(const Matrices<T>& matrices, Index i, const Matrix<T>& like, Index rows, Index cols) {
  return footprint(Matrix<T>{matrices[i], like.row_stride, like.col_stride}, rows, cols);
}

/// The results lie at the pointers of the batch. Sorted by address, neighbours are compared: a result with the next
/// one, an operand with the results before and after it.
template <class T>
void require_apart_by_pointers(const GemmBatch<T>& batch) {
  const Gemm<T>& s = batch.shape;
  std::vector<T*> results;
  try {
    results.assign(batch.c.pointers, batch.c.pointers + batch.count);
  } catch (const std::bad_alloc&) {
    return;  // the call itself needs no such memory
  }
  const auto result = [&](T* data) { return footprint(Matrix<T>{data, s.c.row_stride, s.c.col_stride}, s.m, s.n); };
  if (!std::is_sorted(results.begin(), results.end())) std::sort(results.begin(), results.end());
  for (std::size_t i = 1; i < results.size(); ++i)
    if (share_element(result(results[i - 1]), result(results[i]))) refuse_shared("c[j]", "c[i]");
  const auto compare = [&](const char* name, const Matrices<const T>& operands, const Matrix<const T>& like, Index rows,
                           Index cols) {
    for (Index i = 0; i < batch.count; ++i) {
      const Footprint operand = footprint_in(operands, i, like, rows, cols);
      const auto next = std::lower_bound(results.begin(), results.end(), operands[i]);
      if ((next != results.end() && share_element(operand, result(*next))) ||
          (next != results.begin() && share_element(operand, result(next[-1]))))
        refuse_shared("c[j]", name);
    }
  };
  compare("a[i]", batch.a, s.a, s.m, s.k);
  compare("b[i]", batch.b, s.b, s.k, s.n);
}

/// Results that a stride leads to are known to be apart from each other.
template <class T>
void require_apart(const GemmBatch<T>& batch) {
  if (batch.c.pointers) return require_apart_by_pointers(batch);
  const Gemm<T>& s = batch.shape;
  constexpr Index size = sizeof(T), most = (Index{1} << 61) / size;
  const Footprint results = footprint_in(batch.c, 0, s.c, s.m, s.n);
  const auto compare = [&](const char* name, const Matrices<const T>& operands, const Footprint& first) {
    // Strides beyond every address space are those of one matrix, or of none that exists.
    const auto beyond = [&](Index stride) { return stride > most / batch.count || stride < -most / batch.count; };
    if (beyond(operands.stride) || beyond(batch.c.stride)) return;
    if (batches_share_element(results, batch.c.stride * size, first, operands.stride * size, batch.count))
      refuse_shared("c[j]", name);
  };
  compare("a[i]", batch.a, footprint_in(batch.a, 0, s.a, s.m, s.k));
  compare("b[i]", batch.b, footprint_in(batch.b, 0, s.b, s.k, s.n));
}

}  // namespace

template <class T>
void run_gemm_batched(Context& context, GemmBatch<T> batch, const T* alpha, const T* beta,
                      const accublas_options* options) {
  Run run(context, {Operation::gemm_batched, type_of<T>}, options);
  Gemm<T>& shape = batch.shape;
  run.sizes(shape.m, shape.n, shape.k);
  run.batch(batch.count);
  if (shape.m > 0 && shape.n > 0 && batch.count > 0) {
    run.scalars(shape, alpha, beta);
    const bool product = run.may_be_nonzero(shape.alpha) && shape.k > 0;
    if (product || run.scalars_on_device() || shape.beta != 1) {
      const CallShape sizes(shape.m, shape.n, shape.k);
      const Named c{"c", batch.c.argument()}, a{"a", batch.a.argument()}, b{"b", batch.b.argument()};
      if (product) {
        run.operands({a, b, c}, {{"alpha", alpha}, {"beta", beta}}, sizes);
      } else {
        run.operands({c}, {{"alpha", alpha}, {"beta", beta}}, sizes);
      }
      if (batch.c.pointers && !run.on_device()) {
        if (product) {
          run.host_matrices("a", batch.a.pointers, batch.count);
          run.host_matrices("b", batch.b.pointers, batch.count);
        }
        run.host_matrices("c", batch.c.pointers, batch.count);
      }
      // An array of pointers in device memory cannot be read here.
      if (product && context.operands_are_apart() && !(batch.c.pointers && run.on_device())) require_apart(batch);
      run.promise(shape.k, run.scalars_on_device() ? unknown_factor<T>() : shape.alpha);
      if (product || run.on_device()) {
        run.compute(batch, alpha, beta, run.on_device());
      } else {
        for (Index i = 0; i < batch.count; ++i)
          scale(run.mode(), shape.beta, shape.m, shape.n, batch.with(nullptr, nullptr, batch.c[i]).c);
      }
    }
  }
  run.finish();
}

template <class T>
void run_gemv(Context& context, Gemv<T> problem, const T* alpha, const T* beta, const accublas_options* options) {
  Run run(context, {Operation::gemv, type_of<T>}, options);
  run.sizes(problem.m, 1, problem.k);
  // Netlib's rule: y is left alone where either dimension is 0, whatever beta.
  if (problem.m > 0 && problem.k > 0) {
    run.scalars(problem, alpha, beta);
    const bool product = run.may_be_nonzero(problem.alpha);
    if (product || problem.beta != 1) {
      const CallShape shape(problem.m, 1, problem.k);
      const Named y{"y", problem.y.data}, a{"a", problem.a.data}, x{"x", problem.x.data};
      if (product) {
        run.operands({a, x, y}, {{"alpha", alpha}, {"beta", beta}}, shape);
        if (context.operands_are_apart())
          require_apart({{"a", footprint(problem.a, problem.m, problem.k), false},
                         {"x", footprint(problem.x, problem.k), false},
                         {"y", footprint(problem.y, problem.m), true}});
      } else {
        run.operands({y}, {{"alpha", alpha}, {"beta", beta}}, shape);
      }
      run.promise(problem.k, run.scalars_on_device() ? unknown_factor<T>() : problem.alpha);
      if (product || run.on_device()) {
        run.compute(problem, alpha, beta, run.on_device());
      } else {
        scale(run.mode(), problem.beta, problem.m, 1, Matrix<T>{problem.y.data, problem.y.stride, 0});
      }
    }
  }
  run.finish();
}

/// The end of an inner product or a norm, which is zero where it has no terms.
template <class T, class Problem>
void compute_result(Run& run, const Problem& problem) {
  if (problem.n > 0 || run.scalars_on_device()) {
    run.compute(problem, nullptr, nullptr, run.scalars_on_device());
  } else {
    *problem.result = T{};
  }
  run.finish();
}

template <class T>
void run_dot(Context& context, const Dot<T>& problem, const accublas_options* options) {
  const Operation dot = !is_complex<T> ? Operation::dot : problem.conjugate_x ? Operation::dotc : Operation::dotu;
  Run run(context, {dot, type_of<T>}, options);
  run.sizes(1, 1, problem.n);
  const CallShape shape(1, 1, problem.n);
  if (problem.n > 0) {
    run.operands({{"x", problem.x.data}, {"y", problem.y.data}}, {{"result", problem.result}}, shape);
    if (context.operands_are_apart())
      require_apart({{"x", footprint(problem.x, problem.n), false},
                     {"y", footprint(problem.y, problem.n), false},
                     {"result", footprint(problem.result, 1), true}});
    run.promise(problem.n, T{1});
  } else {
    run.result_only({"result", problem.result});
  }
  compute_result<T>(run, problem);
}

/// NRM2 and ASUM: DOT's way with one operand.
template <class T>
void run_norm(Context& context, const Reduction<T>& problem, const accublas_options* options) {
  const Operation norm = problem.norm == Norm::nrm2 ? Operation::nrm2 : Operation::asum;
  Run run(context, {norm, problem.x.pairs ? type_of<Complex<T>> : type_of<T>}, options);
  run.sizes(1, 1, problem.length());
  if (problem.n > 0) {
    run.operands({{"x", problem.x.data}}, {{"result", problem.result}}, CallShape(1, 1, problem.length()));
    if (context.operands_are_apart())
      accublas::require_apart(
          {{"x",
            footprint(Matrix<const T>{problem.x.data, 1, problem.x.stride}, problem.x.pairs ? 2 : 1, problem.length()),
            false},
           {"result", footprint(problem.result, 1), true}});
    run.promise(problem.n, T{1});
  } else {
    run.result_only({"result", problem.result});
  }
  compute_result<T>(run, problem);
}

template <class T>
void run_mixed_dot(Context& context, MixedDot<T> problem, const T* addend, const accublas_options* options) {
  Run run(context, {Operation::mixed_dot, type_of<T>}, options);
  run.sizes(1, 1, problem.n);
  if constexpr (sizeof(T) == sizeof(float)) run.scalar("sb", addend, problem.addend);
  if (problem.n > 0) {
    run.operands({{"x", problem.x.data}, {"y", problem.y.data}}, {{"result", problem.result}},
                 CallShape(1, 1, problem.n));
    if (context.operands_are_apart())
      require_apart({{"x", footprint(problem.x, problem.n), false},
                     {"y", footprint(problem.y, problem.n), false},
                     {"result", footprint(problem.result, 1), true}});
    run.promise(problem.n, T{1});
  } else {
    run.result_only({"result", problem.result});
  }
  if (problem.n > 0 || run.scalars_on_device()) {
    run.compute(problem, addend, nullptr, run.scalars_on_device());
  } else {
    *problem.result = problem.addend;
  }
  run.finish();
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
template void run_gemm(Context&, Gemm<Complex<double>>, const Complex<double>*, const Complex<double>*,
                       const accublas_options*);
template void run_gemm(Context&, Gemm<Complex<float>>, const Complex<float>*, const Complex<float>*,
                       const accublas_options*);
template void run_gemm_batched(Context&, GemmBatch<Complex<double>>, const Complex<double>*, const Complex<double>*,
                               const accublas_options*);
template void run_factorization(Context&, Factorization<double>, const accublas_options*);
template void run_factorization(Context&, Factorization<float>, const accublas_options*);
template void run_factorization(Context&, Factorization<Complex<double>>, const accublas_options*);
template void run_factorization(Context&, Factorization<Complex<float>>, const accublas_options*);
template void run_gemm_batched(Context&, GemmBatch<Complex<float>>, const Complex<float>*, const Complex<float>*,
                               const accublas_options*);
template void run_gemm(Context&, Gemm<double>, const double*, const double*, const accublas_options*);
template void run_gemm(Context&, Gemm<float>, const float*, const float*, const accublas_options*);
template void run_gemm_batched(Context&, GemmBatch<double>, const double*, const double*, const accublas_options*);
template void run_gemm_batched(Context&, GemmBatch<float>, const float*, const float*, const accublas_options*);
template void run_gemv(Context&, Gemv<Complex<double>>, const Complex<double>*, const Complex<double>*,
                       const accublas_options*);
template void run_gemv(Context&, Gemv<Complex<float>>, const Complex<float>*, const Complex<float>*,
                       const accublas_options*);
template void run_dot(Context&, const Dot<Complex<double>>&, const accublas_options*);
template void run_dot(Context&, const Dot<Complex<float>>&, const accublas_options*);
template void run_gemv(Context&, Gemv<double>, const double*, const double*, const accublas_options*);
template void run_gemv(Context&, Gemv<float>, const float*, const float*, const accublas_options*);
template void run_dot(Context&, const Dot<double>&, const accublas_options*);
template void run_dot(Context&, const Dot<float>&, const accublas_options*);
template void run_mixed_dot(Context&, MixedDot<double>, const double*, const accublas_options*);
template void run_mixed_dot(Context&, MixedDot<float>, const float*, const accublas_options*);
template void run_norm(Context&, const Reduction<double>&, const accublas_options*);
template void run_norm(Context&, const Reduction<float>&, const accublas_options*);

}  // namespace accublas
