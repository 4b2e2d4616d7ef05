// The kernels of DOT, GEMV and the norms share this header: the problem, the division of the scratch, and the
// conversion of sums to outputs.
#pragma once

#include "cuda/core/call_state.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/component.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/loads.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/vector/vector_kernels.hpp"
#include "lib/call/product.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cuda {

/// The problem y = alpha A x + beta y for numbers of type E, real or complex. If `conjugate` is set, the conjugate of A
/// takes A's place. alpha and beta are real. DOT has one row, alpha = 1 and beta = 0. A norm has one row, which holds
/// the vector. `terms` says what is added up. If the terms are squares, y is the root of their sum.
///
/// Every row has a sum for each component of its result. Sum s belongs to component s % component_count of row
/// s / component_count. A and x are read as they are stored. An entry of A and one of x contribute one term to the sum
/// of a real row, and two terms to each sum of a complex row (for_terms).
///
/// If A is symmetric or Hermitian, only `held` is read of it, and mirrored_entry() returns an entry of either triangle.
template <class E>
struct RowProblem {
  using T = RealOf<E>;
  static constexpr int components = component_count<E>;

  Index m, k;
  Matrix<const E> a;
  Vector<const E> x;
  Vector<E> y;
  Scalar<T> alpha, beta;
  bool conjugate = false;
  Terms terms = Terms::products;
  Triangle held = Triangle::all;
  bool conjugate_mirrored = false;  ///< the entries outside of `held` are conjugates of those of A
  bool real_diagonal = false;       ///< the imaginary parts of the diagonal count as zero

  /// Returns the address of the result of a sum.
  ACCUBLAS_HD T* result(Index sum) const {
    return component_of(y.data + sum / components * y.stride, static_cast<int>(sum % components));
  }
};

template <class E>
RowProblem<E> row_problem(const Gemv<E>& g, Scalar<RealOf<E>> alpha, Scalar<RealOf<E>> beta) {
  return {g.m, g.k, g.a, g.x, g.y, alpha, beta, g.conjugate_a};
}

template <class E>
RowProblem<E> row_problem(const Dot<E>& d) {
  return {1, d.n, {d.x.data, 0, d.x.stride}, d.y, {d.result, 1}, {1, nullptr}, {0, nullptr}, d.conjugate_x};
}

template <class T>
RowProblem<T> row_problem(const Reduction<T>& r, Terms terms) {
  return {1, r.n, {r.x.data, 0, r.x.stride}, r.x, {r.result, 1}, {T(1), nullptr}, {T(0), nullptr}, false, terms};
}

/// fixed:T: bits of the largest magnitudes of the rows, then of x (entry m). Null: no scaling.
struct FixedScaling {
  const std::uint64_t* most;
  int bits;
};

/// The pending outputs for the exact kernel: the numbers of state->open sums.
struct OpenRows {
  VectorState* state;
  Index* list;
  unsigned long long* count = nullptr;  ///< null: state->open
};

// ---- exact_vector.cu ----------------------------------------------------------------------------------------------
/// The exact kernel has one warp a thread block, with accumulators in shared memory (34 KiB: six on a multiprocessor).
inline constexpr int exact_slot_words =
    138;  ///< words of a partial sum: digits, then the sum of special terms and whether there are any
inline Index exact_blocks(const DeviceModel& model) { return Index{6} * model.processors; }

struct ExactScratch {
  Index* list;
  std::int64_t* slots;
  static ExactScratch carve(Carver& carver, const DeviceModel& model, Index sums) {
    ExactScratch s;
    s.list = carver.take<Index>(sums);
    s.slots = carver.take<std::int64_t>(exact_blocks(model) * exact_slot_words);
    return s;
  }
};

/// Computes the pending sums with long accumulators, as the last step of every call. Returns at once if there are none.
/// Sets state->undecided and clears state->open.
template <class E>
void exact_rows(const VectorCall&, const RowProblem<E>&, FixedScaling, const ExactScratch&);

// ---- cr_vector.cu --------------------------------------------------------------------------------------------
/// Computes cr of every row, or of the rows rounded to fixed:T.
template <class E>
void cr_rows(const VectorCall&, const RowProblem<E>&, FixedScaling, Carver&);
/// In the functions that take scratch, `components` is 1 for real numbers and 2 for complex numbers.
void cr_scratch(const DeviceModel&, Index m, Index k, int components, Carver&);

// ---- dot2_dot.cu, dot2_gemv.cu ------------------------------------------------------------------------------------
void dot2_dot_scratch(const DeviceModel&, Index n, int components, Carver&);
void dot2_gemv_scratch(const DeviceModel&, Index m, Index k, int components, Carver&);

// ---- dot2_gemv_stream.cu ------------------------------------------------------------------------------------------
/// Computes a whole dot2 GEMV with m and k > 0, including its pending sums. Returns false, and does nothing, if this
/// kernel cannot compute the call.
template <class E>
bool dot2_gemv_stream(const VectorCall&, const RowProblem<E>&);

// ---- shared by these kernels --------------------------------------------------------------------------------------
#ifdef __CUDACC__

/// Leaves a sum pending for the exact kernel; y is not touched.
__device__ inline void leave_open(const OpenRows& open, Index sum) {
  open.list[atomicAdd(open.count ? open.count : &open.state->open, 1ull)] = sum;
}

/// Finishes a sum if alpha = 0. It does not read A and x. If beta = 1, it does not touch y.
template <class E>
__device__ void write_without_terms(const RowProblem<E>& p, Index sum) {
  using T = RealOf<E>;
  const T beta = p.beta.get();
  if (beta == T(1)) return;
  T* const y = p.result(sum);
  *y = finish_scaled(beta, read_addend(beta, y));
}

/// Returns entry (i, q) of a symmetric or Hermitian matrix. With p.conjugate it is the conjugate of the entry, to which
/// for_terms applies p.conjugate once more.
template <class E>
__device__ E mirrored_entry(const RowProblem<E>& p, Index i, Index q) {
  const bool held = holds(p.held, i, q);
  E entry = load_entry(held ? &p.a(i, q) : &p.a(q, i));
  if constexpr (is_complex<E>)
    if (p.real_diagonal && i == q) entry.im = 0;
  return conjugate_if(!held && p.conjugate_mirrored != p.conjugate, entry);
}

/// Calls add(a, x) for each term a x that an entry of a row and one of x contribute to the sum of a component, in the
/// order of docs/modes.md ("Complex types"). With `conjugate` the row is that of conj(A).
template <class E, class Add>
__device__ __forceinline__ void for_terms(E a, E x, bool conjugate, int component, Add&& add) {
  if constexpr (is_complex<E>) {
    add(a.re, component == 0 ? x.re : x.im);
    add(conjugate ? -a.im : a.im, component == 0 ? -x.im : x.re);
  } else {
    add(a, x);
  }
}

#endif

}  // namespace accublas::cuda
