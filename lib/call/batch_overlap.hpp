// Whether a result of a batch shares memory with an operand or with another result.
#pragma once

#include <algorithm>
#include <new>
#include <vector>

#include "lib/call/batch.hpp"
#include "lib/call/overlap.hpp"

namespace accublas {

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

}  // namespace accublas
