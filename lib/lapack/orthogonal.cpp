#include "lib/lapack/orthogonal.hpp"

#include <vector>

#include "lib/lapack/cholesky_qr.hpp"
#include "lib/lapack/reflectors.hpp"
#include "lib/runtime/run.hpp"

namespace accublas {

namespace {

/// Runs one routine in the caller's memory, by products in `mode`. Returns the value of *info.
template <class E>
class Flow {
 public:
  Flow(Context& context, const Orthogonal<E>& o, Workspace& workspace, ElementSteps<E>& steps,
       const accublas_options* options, accublas_mode mode)
      : o_(o),
        context_(context),
        workspace_(workspace),
        steps_(steps),
        options_(options),
        mode_(mode),
        in_grade_(mode != ACCUBLAS_MODE_CR && o.kind == Operation::gels),
        tau_(o.has_tau() ? o.tau : steps.take(o.reflectors())),
        memory_(steps, std::max(o.m, o.n), o.reflectors(), most_columns(o)),
        calls_(context, options, &workspace, mode),
        reflectors_(calls_, steps, memory_) {}

  Index run() {
    switch (o_.kind) {
      case Operation::geqrf:
        steps_.read(o_.a.data);  // a captured stream refuses to wait while all is as it was
        factor(o_.a, o_.m, o_.n);
        break;
      case Operation::orgqr:
        generate();
        break;
      case Operation::ormqr: {
        // C Q is the transpose of Q^T C^T.
        const bool left = o_.side == ACCUBLAS_LEFT, adjoint = (o_.trans == ACCUBLAS_NO_TRANS) != left;
        apply(o_.a, o_.a_rows(), o_.k, left ? o_.c : o_.c.transposed(), left ? o_.n : o_.m, adjoint, !left);
        break;
      }
      default:
        return solve();
    }
    return 0;
  }

  std::int64_t peak() const { return calls_.peak(); }

 private:
  static Index most_columns(const Orthogonal<E>& o) { return std::max({o.m, o.n, o.has_c() ? o.c_cols() : 0}); }
  static Vector<const E> below(const Matrix<E>& a, Index j) {
    return {a.block(j, j).data + a.row_stride, a.row_stride};
  }

  /// Factors A = Q R.
  void factor(const Matrix<E>& a, Index m, Index n) {
    if (in_grade_) {
      Orthogonal<E> part = part_of_call({Operation::geqrf, is_complex<E>}, a, m, n, 0);
      if (lapack::geqrf_by_cholesky(context_, part, workspace_, steps_, options_, mode_)) return;
      return steps_.overwrite([&] { calls_.orthogonal(part); });
    }
    const Index k = std::min(m, n);
    reflectors_.set_target(a, m, n);
    for (Index first = 0, end = 0; first < k; first = end) {
      end = std::min(k, first + reflectors_.width());
      reflectors_.begin(m - first);
      for (Index j = first; j < end; ++j) {
        reflectors_.apply(first, j, 1, true);
        steps_.put(tau_ + j, reflectors_.reflect(m - j, Vector<E>{&a(j, j), a.row_stride}));
        reflectors_.append(below(a, j), tau_ + j);
      }
      if (end < n) reflectors_.apply(first, end, n - end, true);
    }
  }

  /// Returns a part of GELS in dp and sp, which may have an engine of its own.
  Orthogonal<E> part_of_call(const OrthogonalShape& shape, const Matrix<E>& a, Index m, Index n, Index k) const {
    Orthogonal<E> part{shape};
    part.m = m, part.n = n, part.k = k;
    part.lda = o_.lda, part.ldc = o_.ldc;
    part.a = a, part.c = o_.c, part.tau = tau_;
    part.by_rows = o_.by_rows != (o_.m < o_.n);
    return part;
  }

  /// Loads the panel of reflectors first .. end - 1 from the m rows of a.
  void load(const Matrix<E>& a, Index m, Index first, Index end, bool conjugated) {
    reflectors_.begin(m - first);
    for (Index j = first; j < end; ++j) reflectors_.append(below(a, j), tau_ + j, conjugated);
  }

  /// Computes C = Q C or Q^H C, with the conjugate of Q if that is requested.
  void apply(const Matrix<E>& a, Index m, Index k, const Matrix<E>& c, Index columns, bool adjoint, bool conjugated) {
    if (in_grade_) {
      const accublas_transpose trans = !adjoint        ? ACCUBLAS_NO_TRANS
                                       : is_complex<E> ? ACCUBLAS_CONJ_TRANS
                                                       : ACCUBLAS_TRANS;
      const Orthogonal<E> part =
          part_of_call({Operation::ormqr, is_complex<E>, ACCUBLAS_LEFT, trans}, a, m, columns, k);
      return steps_.overwrite([&] { calls_.orthogonal(part); });
    }
    reflectors_.set_target(c, m, columns);
    const Index width = reflectors_.width(), panels = ceil_div(k, width);
    for (Index step = 0; step < panels; ++step) {
      const Index first = (adjoint ? step : panels - 1 - step) * width;
      load(a, m, first, std::min(k, first + width), conjugated);
      reflectors_.apply(first, 0, columns, adjoint);
    }
  }

  /// Computes columns of Q in A's memory, from the last panel on. It writes ones and zeros of the identity where no
  /// earlier panel has been.
  void generate() {
    const Index m = o_.m, n = o_.n, width = reflectors_.width();
    const auto set_identity = [&](Index first, Index from_column, Index end_row) {
      steps_.overwrite(FillStep<E>{o_.a.block(first, from_column), E{1}, first - from_column}, end_row - first,
                       n - from_column);
    };
    reflectors_.set_target(o_.a, m, n, false);
    Index end = o_.k;
    for (Index first = (ceil_div(o_.k, width) - 1) * width; first >= 0; end = first, first -= width) {
      load(o_.a, m, first, end, false);
      if (end == o_.k) set_identity(end, end, m);
      set_identity(first, end, end);
      steps_.overwrite(FillStep<E>{o_.a.block(first, first), E{1}}, m - first, end - first);
      reflectors_.apply(first, first, n - first, false);
    }
    if (o_.k == 0) set_identity(0, 0, m);
  }

  void set_zero(Index first) { steps_.overwrite(FillStep<E>{o_.c.block(first, 0)}, o_.c_rows() - first, o_.nrhs); }
  void conjugate_a() {
    if constexpr (is_complex<E>) steps_.overwrite(ConjugateStep<E>{o_.a}, o_.m, o_.n);
  }

  /// Runs GELS. If A is wide, its conjugate transpose is factored, which gives LAPACK's LQ factorization.
  Index solve() {
    using Question = ElementQuestion<E>;
    const Index rows = o_.c_rows(), k = o_.reflectors();
    const bool wide = o_.m < o_.n, adjoint_system = o_.trans != ACCUBLAS_NO_TRANS;
    if (steps_.first(Question{Question::Kind::nonzero, {o_.a.data, o_.a.row_stride, o_.a.col_stride}}, o_.m, o_.n) <
        0) {
      set_zero(0);
      return 0;
    }
    const Matrix<E> a = wide ? o_.a.transposed() : o_.a;
    if (wide) conjugate_a();
    factor(a, rows, k);
    const Index info = 1 + steps_.first(Question{Question::Kind::zero, {a.data, a.row_stride + a.col_stride, 1}}, k, 1);
    if (wide == adjoint_system) {
      apply(a, rows, k, o_.c, o_.nrhs, true, false);
      if (info == 0) divide_by_r(false);
    } else if (info == 0) {
      divide_by_r(true);
      set_zero(k);
      apply(a, rows, k, o_.c, o_.nrhs, false, false);
    }
    if (wide) conjugate_a();
    return info;
  }

  /// Solves R X = B or R^H X = B in the first rows of B. If A is wide, the caller's triangle is L = R^H.
  void divide_by_r(bool adjoint) {
    const bool wide = o_.m < o_.n;
    const accublas_transpose trans = adjoint != wide ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_NO_TRANS;
    if (wide) conjugate_a();
    Level3<E> solution{shape_with_side(Operation::trsm, is_complex<E>, ACCUBLAS_LEFT,
                                       wide ? ACCUBLAS_LOWER : ACCUBLAS_UPPER, trans, ACCUBLAS_NON_UNIT,
                                       o_.reflectors(), o_.nrhs, o_.lda, o_.ldc, 0)};
    solution.alpha = E{1};
    solution.a = o_.a.data;
    solution.c = o_.c.data;
    if (o_.by_rows) solution.transpose();
    calls_.level3(solution);
    if (wide) conjugate_a();
  }

  const Orthogonal<E>& o_;
  Context& context_;
  const Workspace& workspace_;
  ElementSteps<E>& steps_;
  const accublas_options* const options_;
  const accublas_mode mode_;
  const bool in_grade_;
  E* const tau_;
  const lapack::ReflectorMemory<E> memory_;  // taken before the calls, which have what is left
  const lapack::Calls calls_;
  lapack::Reflectors<E> reflectors_;
};

/// GELS has answers without a factorization.
template <class E>
bool is_zero(const Orthogonal<E>& o) {
  return o.kind == Operation::gels && std::min({o.m, o.n, o.nrhs}) == 0;
}
template <class E>
bool has_work(const Orthogonal<E>& o) {
  if (o.kind == Operation::orgqr) return o.n > 0;
  return !is_zero(o) && o.reflectors() > 0 && (!o.has_c() || std::min(o.c_rows(), o.c_cols()) > 0);
}

/// Computes GEQRF of a tall matrix on a device by Cholesky's factorizations, but not inside of other flows, which try
/// this themselves. Returns false, with A as it was, if they do not serve the call.
template <class E>
bool factor_tall(Run& run, Context& context, const Orthogonal<E>& o, const accublas_options* options) {
  if (o.kind != Operation::geqrf || bit_defined(run.mode()) || context.in_flow) return false;
  if (o.m < std::max(lapack::tall_rows * o.n, lapack::least_tall_numbers / o.n)) return false;
  bool done = false;
  const std::int64_t nothing = 0;
  run.template compose<E>(nullptr, nothing, [&](Workspace& workspace, ElementSteps<E>& steps) -> std::int64_t {
    done = lapack::geqrf_by_cholesky(context, o, workspace, steps, options, run.mode().kind);
    return 0;
  });
  return done;
}

}  // namespace

template <class E>
void run_orthogonal(Context& context, const Orthogonal<E>& o, const accublas_options* options) {
  Run run(context, o.routine(), options);
  const CallShape shape(o.rows(), o.cols(), o.inner());
  run.sizes(shape.m, shape.n, shape.k);
  const Named a{"a", o.a.data, sizeof(E)}, tau{"tau", o.tau, sizeof(E)},
      c{o.kind == Operation::gels ? "b" : "c", o.c.data, sizeof(E)}, info{"info", o.info};
  const bool info_on_device = o.info && run.is_device_memory(info), work = has_work(o);
  const bool zeros = is_zero(o) && o.c_rows() > 0 && o.c_cols() > 0;
  std::vector<Named> operands;
  if (work) operands.push_back(a);
  if (work && o.has_tau() && o.reflectors() > 0) operands.push_back(tau);
  if ((work && o.has_c()) || zeros) operands.push_back(c);
  if (info_on_device) operands.push_back(info);
  if (!operands.empty()) run.operands(operands, {}, shape);
  if (work) run.promise(o.reflectors(), E{1});
  Index found = 0;
  bool done = work && run.engine() == ACCUBLAS_ENGINE_NATIVE && run.compute_natively(o);
  const bool by_products = run.engine() == ACCUBLAS_ENGINE_INT8 && run.on_device() && o.kind != Operation::gels;
  if (work && by_products) done = factor_tall(run, context, o, options);
  if (work && by_products && !done) {
    done = true;
    try {
      run.compute(o);
    } catch (const Error& error) {
      if (error.status() != ACCUBLAS_ERROR_UNAVAILABLE) throw;
      done = false;
    }
  }
  if (!done && !operands.empty())
    run.template compose<E>(info_on_device ? o.info : nullptr, found,
                            [&](Workspace& workspace, ElementSteps<E>& steps) {
                              std::int64_t peak = 0;
                              if (work) {
                                Flow<E> flow(context, o, workspace, steps, options, run.mode_of_products());
                                if (workspace.rehearses()) return peak;
                                found = flow.run();
                                peak = flow.peak();
                              } else if (zeros) {
                                steps.overwrite(FillStep<E>{o.c}, o.c_rows(), o.c_cols());
                              }
                              return peak;
                            });
  // A call that fails leaves an info in host memory as it was, and so does a rehearsal.
  if (!done && o.info && !info_on_device) *o.info = found;
  run.finish();
}

#define ACCUBLAS_INSTANTIATE(E) template void run_orthogonal(Context&, const Orthogonal<E>&, const accublas_options*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas
