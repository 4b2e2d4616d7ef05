// A call of a factorization, or of a solution by one, on a batch of matrices.
#pragma once

#include <algorithm>
#include <array>
#include <new>
#include <vector>

#include "lib/call/batch.hpp"
#include "lib/call/factorization.hpp"
#include "lib/call/overlap.hpp"

namespace accublas {

/// Checks the arguments of one matrix, and then those of the batch, whose numbers nobody asks for. `by_pointers`: the
/// results lie where the caller's pointers say.
constexpr BadArgument check_factorization_batch(accublas_layout layout, const FactorizationShape& s, bool by_pointers) {
  if (const BadArgument bad = check_factorization(layout, s)) return bad;
  if (s.batch_count < 0) return {"batch_count"};
  if (by_pointers) return {};
  const auto coincide = [&](std::int64_t rows, std::int64_t cols, std::int64_t ld, std::int64_t stride) {
    const bool by_columns = layout == ACCUBLAS_COL_MAJOR;
    return matrices_coincide(s.batch_count, stride, by_columns ? rows : cols, by_columns ? cols : rows, ld);
  };
  const std::int64_t rows = s.kind == Operation::getrf ? s.m : s.n;
  if (has_factor(s.kind) && coincide(rows, s.n, s.lda, s.stride_a))
    return {"stride_a", 0, "such that no elements of two results coincide"};
  if (has_solution(s.kind) && coincide(s.n, s.nrhs, s.ldb, s.stride_b))
    return {"stride_b", 0, "such that no elements of two results coincide"};
  return {};
}

/// `count` calls of one shape. Each matrix has pivots and an info value of its own, one matrix after the other.
template <class E>
struct FactorizationBatch {
  using Problem = Factorization<E>;

  Factorization<E> shape;  ///< of every matrix, with the first matrix's pivots and info; its matrices have no data
  Index count;
  Matrices<E> a, b;

  Routine routine() const { return shape.routine(); }

  Index pivots_each() const { return has_uplo(shape.kind) ? 0 : shape.order(); }
  /// The sizes by which the work is shared out.
  std::array<Index, 3> sizes() const { return {shape.rows(), std::max(shape.n, shape.cols()), shape.order()}; }

  Factorization<E> operator[](Index i) const {
    Factorization<E> one = shape;
    one.a.data = a[i];
    if (has_solution(shape.kind)) one.b.data = b[i];
    if (one.pivots.data) one.pivots.data = static_cast<std::int64_t*>(one.pivots.data) + i * pivots_each();
    if (one.info) one.info += i;
    return one;
  }
};

/// Throws Error(ACCUBLAS_ERROR_ARGUMENT) if a result, pivots and info among them, shares an element with another
/// operand. Of matrices behind pointers, neighbours in memory are compared. Matrices that a stride leads to must be
/// known to be apart from each other.
template <class E>
void require_apart(const FactorizationBatch<E>& batch) {
  const Factorization<E>& f = batch.shape;
  const bool factors = has_factor(f.kind), solves = has_solution(f.kind) && f.nrhs > 0;
  const Triangle part = !has_uplo(f.kind)          ? Triangle::all
                        : f.uplo == ACCUBLAS_UPPER ? Triangle::upper
                                                   : Triangle::lower;
  const auto of_a = [&](Index i) {
    return footprint(Matrix<E>{batch.a[i], f.a.row_stride, f.a.col_stride}, f.rows(), f.n, part);
  };
  const auto of_b = [&](Index i) {
    return footprint(Matrix<E>{batch.b[i], f.b.row_stride, f.b.col_stride}, f.n, f.nrhs);
  };
  std::vector<NamedFootprint> arrays;
  if (f.pivots.data)
    arrays.push_back(named_array("ipiv", f.pivots.data, batch.count * batch.pivots_each(), 8, factors));
  if (f.info) arrays.push_back(named_array("info", f.info, batch.count, 8, true));
  if (batch.a.pointers) arrays.push_back(named_array("a", batch.a.pointers, batch.count, sizeof(E*), false));
  if (batch.a.pointers && solves) arrays.push_back(named_array("b", batch.b.pointers, batch.count, sizeof(E*), false));
  const bool by_stride = !batch.a.pointers;
  require_arrays_apart(arrays, batch.count, by_stride, [&](Index i) {
    return NamedFootprint{"a", of_a(i), factors, i};
  });
  if (solves)
    require_arrays_apart(arrays, batch.count, by_stride, [&](Index i) {
      return NamedFootprint{"b", of_b(i), true, i};
    });
  if (!batch.a.pointers) {
    constexpr Index size = sizeof(E), most = (Index{1} << 61) / size;
    const auto beyond = [&](Index stride) { return stride > most / batch.count || stride < -most / batch.count; };
    if (solves && !beyond(batch.a.stride) && !beyond(batch.b.stride) &&
        batches_share_element(of_b(0), batch.b.stride * size, of_a(0), batch.a.stride * size, batch.count))
      refuse_shared("b[j]", "a[i]");
    return;
  }
  std::vector<NamedFootprint> matrices;
  try {
    for (Index i = 0; i < batch.count; ++i) {
      matrices.push_back({"a", of_a(i), factors, i});
      if (solves) matrices.push_back({"b", of_b(i), true, i});
    }
  } catch (const std::bad_alloc&) {
    return;  // the call itself needs no such memory
  }
  require_neighbours_apart(matrices);
}

}  // namespace accublas
