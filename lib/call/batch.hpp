// A call of GEMM on a batch of matrices, and the problem that it computes.
#pragma once

#include <array>
#include <type_traits>
#include <utility>

#include "lib/call/arguments.hpp"
#include "lib/call/problem.hpp"
#include "lib/call/routine.hpp"

namespace accublas {

/// The origins of the matrices of a batch: matrix i begins at base + i stride, or at pointers[i] if there are pointers.
template <class T>
struct Matrices {
  T* base;
  Index stride;
  T* const* pointers;
  T* operator[](Index i) const { return pointers ? pointers[i] : base + i * stride; }
  /// Returns the pointer that the caller passed.
  const void* argument() const {
    return pointers ? static_cast<const void*>(pointers) : static_cast<const void*>(base);
  }
};

/// All arguments of a call that are not elements of the matrices. Without pointers to the matrices there are strides.
struct BatchShape {
  Operation kind;
  bool complex;
  accublas_transpose transa = ACCUBLAS_NO_TRANS, transb = ACCUBLAS_NO_TRANS;
  std::int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0, stride_a = 0, stride_b = 0, stride_c = 0,
               batch_count = 0;
  bool by_pointers = false;      ///< where results lie is the caller's business then
  bool transposed_call = false;  ///< see BatchCall::transpose
};

/// Checks GEMM's arguments, then those of the batch. The numbers are those of ?gemm_batch_strided, or of ?gemm_batch,
/// where the argument after GEMM's is the number of groups.
constexpr BadArgument check_batch(accublas_layout layout, const BatchShape& s) {
  if (BadArgument bad = check_gemm(layout, s.transa, s.transb, s.m, s.n, s.k, s.lda, s.ldb, s.ldc)) {
    constexpr int lda = 8, ldb = 10;  // in GEMM; a stride follows each
    if (!s.by_pointers) bad.number += (bad.number > lda) + (bad.number > ldb);
    return bad;
  }
  return check_gemm_batch(layout, s.m, s.n, s.ldc, s.by_pointers ? nullptr : &s.stride_c, s.batch_count);
}

/// A call of a batched routine.
template <class E>
struct BatchCall : BatchShape {
  Matrices<const E> a, b;
  Matrices<E> c;
  E alpha{}, beta{};

  Routine routine() const { return {Operation::gemm_batched, type_of<E>}; }
  /// These functions return the sizes of a product.
  std::int64_t rows() const { return m; }
  std::int64_t cols() const { return n; }
  std::int64_t inner() const { return k; }

  /// Replaces the arguments of a row-major call by those of the column-major call that reads the same memory.
  void transpose() {
    transposed_call = !transposed_call;
    std::swap(m, n);
    std::swap(transa, transb);
    std::swap(lda, ldb);
    std::swap(stride_a, stride_b);
    std::swap(a, b);
  }
};

/// The operands are arrays of pointers, or the first matrices.
template <class E, class Operand>
BatchCall<E> batch_call(BatchShape s, Operand* a, const void* b, const void* c) {
  s.by_pointers = std::is_pointer_v<Operand>;
  if (s.by_pointers)
    return {s,
            {nullptr, 0, static_cast<const E* const*>(static_cast<const void*>(a))},
            {nullptr, 0, static_cast<const E* const*>(b)},
            {nullptr, 0, static_cast<E* const*>(c)}};
  return {s,
          {static_cast<const E*>(static_cast<const void*>(a)), s.stride_a, nullptr},
          {static_cast<const E*>(b), s.stride_b, nullptr},
          {static_cast<E*>(const_cast<void*>(c)), s.stride_c, nullptr}};
}

/// `count` products of one shape with one alpha and one beta.
template <class T>
struct GemmBatch {
  using Problem = Gemm<T>;

  Gemm<T> shape;  ///< of every matrix; its data pointers are unused
  Index count;
  Matrices<const T> a, b;
  Matrices<T> c;
  /// The sizes by which the work is shared out.
  std::array<Index, 3> sizes() const { return {shape.m, shape.n, shape.k}; }
  Gemm<T> operator[](Index i) const { return with(a[i], b[i], c[i]); }
  Gemm<T> with(const T* at_a, const T* at_b, T* at_c) const {
    Gemm<T> one = shape;
    one.a.data = at_a;
    one.b.data = at_b;
    one.c.data = at_c;
    return one;
  }
};

}  // namespace accublas
