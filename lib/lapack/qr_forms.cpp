#include "lib/lapack/qr_forms.hpp"

#include <string>
#include <vector>

#include "lib/call/one_by_one.hpp"
#include "lib/call/overlap.hpp"
#include "lib/lapack/cholesky_qr.hpp"
#include "lib/runtime/run.hpp"

namespace accublas {

template <class E>
void run_geqrf_batch(Context& context, const OrthogonalBatch<E>& batch, const accublas_options* options) {
  const Orthogonal<E>& o = batch.shape;
  Run run(context, o.routine(), options);
  const CallShape shape(o.rows(), o.cols(), o.inner());
  run.sizes(shape.m, shape.n, shape.k);
  run.batch(batch.count);
  if (batch.count == 0 || o.reflectors() == 0) return run.finish();
  if (batch.a.pointers && run.is_device_memory({"a", batch.a.pointers}))
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE,
                "argument a is an array of pointers in device memory; pass it in host memory, whatever it points to");
  std::vector<std::string> names;  // of the matrices, for messages
  for (Index i = 0; batch.a.pointers && i < batch.count; ++i) names.push_back("a[" + std::to_string(i) + "]");
  if (names.empty()) names.emplace_back("a");
  std::vector<Named> operands;
  for (std::size_t i = 0; i < names.size(); ++i)
    operands.push_back({names[i].c_str(), batch.a[static_cast<Index>(i)], sizeof(E)});
  operands.push_back({"tau", o.tau, sizeof(E)});
  run.operands(operands, {}, shape);
  if (context.operands_are_apart()) {
    const auto matrix = [&](Index i) {
      return NamedFootprint{"a", footprint(Matrix<E>{batch.a[i], o.a.row_stride, o.a.col_stride}, o.m, o.n), true, i};
    };
    std::vector<NamedFootprint> arrays = {named_array("tau", o.tau, batch.count * o.reflectors(), sizeof(E), true)};
    if (batch.a.pointers) arrays.push_back(named_array("a", batch.a.pointers, batch.count, sizeof(E*), false));
    require_arrays_apart(arrays, batch.count, !batch.a.pointers, matrix);
    if (batch.a.pointers) {
      std::vector<NamedFootprint> matrices;
      for (Index i = 0; i < batch.count; ++i) matrices.push_back(matrix(i));
      require_neighbours_apart(matrices);
    }
  }
  run.promise(o.reflectors(), E{1});
  if (run.engine() != ACCUBLAS_ENGINE_NATIVE || !run.compute_natively(batch))
    run.by_calls([&] {
      const lapack::Calls calls(context, options, nullptr, run.mode_of_products());
      one_by_one(batch.count, [&](Index i) { calls.orthogonal(batch[i]); });
    });
  run.finish();
}

template <class E>
void run_qr_explicit(Context& context, const Orthogonal<E>& a, const Matrix<E>& r, const accublas_options* options) {
  Run run(context, a.routine(), options);
  run.sizes(a.m, a.n, a.n);
  if (a.n == 0) return run.finish();
  const Named at_a{"a", a.a.data, sizeof(E)}, at_r{"r", r.data, sizeof(E)};
  run.operands({at_a, at_r}, {}, {a.m, a.n, a.n});
  run.promise(a.n, E{1});
  const bool native = run.engine() == ACCUBLAS_ENGINE_NATIVE;
  const accublas_mode mode = run.mode().kind, of_reflectors = native ? mode : run.mode_of_products();
  const std::int64_t nothing = 0;
  run.template compose<E>(nullptr, nothing, [&](Workspace& workspace, ElementSteps<E>& steps) -> std::int64_t {
    if (!bit_defined(run.mode()) && !native && lapack::CholeskyQr<E>::serves(a, workspace, steps) && steps.can_wait() &&
        lapack::CholeskyQr<E>(context, a, r, steps, options, mode).run())
      return 0;
    Orthogonal<E> qr = a, q = a;
    qr.tau = q.tau = steps.take(a.n);
    q.kind = Operation::orgqr;
    q.k = a.n;
    const lapack::Calls calls(context, options, &workspace, of_reflectors);
    if (workspace.rehearses()) return calls.peak();
    steps.overwrite([&] { calls.orthogonal(qr); });
    steps.run(CopyStep<E>{r, read_only(a.a), Triangle::upper, 0, true, true}, a.n, a.n);
    calls.orthogonal(q);
    return calls.peak();
  });
  run.finish();
}

#define ACCUBLAS_INSTANTIATE(E)                                                                \
  template void run_geqrf_batch(Context&, const OrthogonalBatch<E>&, const accublas_options*); \
  template void run_qr_explicit(Context&, const Orthogonal<E>&, const Matrix<E>&, const accublas_options*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas
